"""CUDA as on a machine that has none: programs ask, and compute on the CPU.

What PyTorch's CPU build answers or ignores is answered or ignored here; what it refuses is refused.

>>> import minigrad as torch
>>> device = "cuda" if torch.cuda.is_available() else "cpu"
>>> device
'cpu'
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "is_available",
    "is_bf16_supported",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "synchronize",
]


def is_available() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the generator of the current graphics processor: there is none, and nothing is done."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all graphics processors: there are none, and nothing is done."""
    int(seed)


def empty_cache() -> None:
    """Give back memory of graphics processors: there is none, and nothing is done."""


def memory_allocated(device: Any = None) -> int:
    """0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """0."""
    return 0


def synchronize(device: Any = None) -> None:
    """An AssertionError, as in PyTorch's CPU build: call it if `is_available()`."""
    raise _missing()


def current_device() -> int:
    """An AssertionError: there is no current graphics processor."""
    raise _missing()


def get_device_name(device: Any = None) -> str:
    """An AssertionError: there is no graphics processor to name."""
    raise _missing()


def _missing() -> AssertionError:
    return AssertionError(
        "Torch not compiled with CUDA enabled: minigrad computes on the CPU. Ask torch.cuda.is_available() first"
    )
