"""Accelerators of any kind as on a machine that has none."""

from __future__ import annotations

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """False."""
    return False


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


def device_count() -> int:
    """0."""
    return 0
