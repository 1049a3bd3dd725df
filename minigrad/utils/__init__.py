"""What a training program needs besides tensors, layers and optimisers."""

from minigrad.tensors.errors import advised
from minigrad.utils import data

__all__ = ["data"]
globals().update(advised(__name__, __all__))
