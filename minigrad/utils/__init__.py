"""What a training program needs besides tensors, layers and optimisers."""

from minigrad.utils import data

__all__ = ["data"]
