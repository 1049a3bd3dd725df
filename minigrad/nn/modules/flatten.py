"""Layers that give their input another shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.functions import flatten
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.nn.modules.module import Module
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


class Unflatten(Module):
    """The input with its dimension `dim` made into those of `unflattened_size`: the inverse of `Flatten`.

    >>> import minigrad as torch
    >>> torch.nn.Unflatten(1, (2, 3))(torch.zeros(5, 6)).shape
    torch.Size([5, 2, 3])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        _check_sizes(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def _check_sizes(sizes: Any) -> None:
    if not isinstance(sizes, tuple | list):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
    for position, size in enumerate(sizes):
        if not isinstance(size, int):
            raise TypeError(
                "unflattened_size must be tuple of ints, but found element of type "
                f"{type(size).__name__} at pos {position}"
            )
