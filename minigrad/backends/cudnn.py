"""NVIDIA's library of layers: not there.  What programs set here is remembered, and without effect."""

from __future__ import annotations

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None: there is no library."""
