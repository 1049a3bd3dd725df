"""Accelerators of any kind as on a machine that has none."""

from minigrad.tensors.machine import no, nothing, zero

__all__ = ["current_accelerator", "device_count", "is_available"]

is_available = no
device_count = zero
current_accelerator = nothing
