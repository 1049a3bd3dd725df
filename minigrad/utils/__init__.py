"""What a training program needs besides tensors, layers and optimisers."""

from minigrad.tensors.errors import advised
from minigrad.utils import data

__all__ = ["checkpoint", "data"]
globals().update(advised(__name__, __all__, checkpoint="minigrad.utils.checkpoint"))
