"""CUDA as on a machine that has none: programs ask, and compute on the CPU.

What PyTorch's CPU build answers or ignores is answered or ignored here; what it refuses is refused.

>>> import minigrad as torch
>>> device = "cuda" if torch.cuda.is_available() else "cpu"
>>> device
'cpu'
"""

from minigrad.tensors.machine import no, nothing, refused, seed_of_none, zero

__all__ = [
    "current_device", "device_count", "empty_cache", "get_device_capability", "get_device_name",
    "get_device_properties", "is_available", "is_bf16_supported", "is_initialized",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "synchronize",
]  # fmt: skip

is_available = is_bf16_supported = is_initialized = no
device_count = memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = zero
manual_seed = manual_seed_all = seed_of_none
empty_cache = nothing
synchronize = current_device = get_device_name = get_device_properties = get_device_capability = refused
