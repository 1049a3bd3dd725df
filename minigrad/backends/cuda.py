"""NVIDIA's graphics processors: not there.  What programs set here is remembered, and without effect."""

from types import SimpleNamespace

from minigrad.tensors.machine import no

__all__ = ["is_built", "matmul"]

is_built = no
matmul = SimpleNamespace(allow_tf32=False)
