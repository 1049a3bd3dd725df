"""Apple's Metal: not there."""

from minigrad.tensors.machine import no

__all__ = ["is_available", "is_built"]

is_available = is_built = no
