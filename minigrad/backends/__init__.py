"""The libraries that PyTorch computes with, as on a machine without accelerators; what is set here has no effect."""

from types import SimpleNamespace

from minigrad.backends import cudnn
from minigrad.tensors.machine import no

__all__ = ["cuda", "cudnn", "mps"]

cuda = SimpleNamespace(is_built=no, matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=no, is_built=no)
