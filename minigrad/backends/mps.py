"""Apple's Metal: not there."""

from minigrad.tensors.hardware import no

__all__ = ["is_available", "is_built"]

is_available = is_built = no
