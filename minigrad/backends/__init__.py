"""The libraries that PyTorch computes with, as on a machine without accelerators; what is set here has no effect."""

from minigrad.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
