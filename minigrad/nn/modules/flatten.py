"""`Flatten`, which gives its input another shape."""

from __future__ import annotations

from minigrad.nn.modules.layer import FunctionLayer
from minigrad.ops.shapes import flatten

__all__ = ["Flatten"]


class Flatten(FunctionLayer, function=flatten):
    """The input with the dimensions from `start_dim` to `end_dim` made one; all but the first, if not told.

    >>> import minigrad as torch
    >>> torch.nn.Flatten()(torch.zeros(5, 2, 3)).shape
    torch.Size([5, 6])
    """

    start_dim: int = 1
    end_dim: int = -1
