"""Layers that give their input another shape."""

from __future__ import annotations

from minigrad.functions import flatten
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.tensor import Tensor


class Flatten(ConstantLayer):
    """The input with the dimensions from `start_dim` to `end_dim` made one; all but the first, if not told.

    >>> import minigrad as torch
    >>> torch.nn.Flatten()(torch.zeros(5, 2, 3)).shape
    torch.Size([5, 6])
    """

    _function = staticmethod(flatten)

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim=start_dim, end_dim=end_dim)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input)
