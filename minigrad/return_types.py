"""What an operation of several results returns: a tuple whose elements have names.

>>> from minigrad import tensor
>>> largest = tensor([[1.0, 3.0], [4.0, 2.0]]).max(1)
>>> largest
torch.return_types.max(
values=tensor([3., 4.]),
indices=tensor([1, 0]))
>>> values, indices = largest
>>> values is largest.values
True
"""

from __future__ import annotations

from typing import Any, NamedTuple

from minigrad.core.tensor import Tensor

__all__ = ["histogram", "max", "median", "min", "mode", "sort", "topk"]


def _text(results: Any) -> str:
    """The printed form: a line for each result, with its name."""
    fields = [f"{name}={value!r}" for name, value in zip(results._fields, results, strict=True)]
    return f"torch.return_types.{type(results).__name__}(\n" + ",\n".join(fields) + ")"


class Selected(NamedTuple):
    """Elements selected along a dimension, and their indices there."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return _text(self)


class max(Selected):
    """The largest elements along a dimension, and their indices."""


class min(Selected):
    """The smallest elements along a dimension, and their indices."""


class median(Selected):
    """The medians along a dimension, and their indices."""


class mode(Selected):
    """The most frequent elements along a dimension, and their indices."""


class sort(Selected):
    """The elements in order along a dimension, and where each was."""


class topk(Selected):
    """The k largest or smallest elements along a dimension, and their indices."""


class histogram(NamedTuple):
    """How many elements, or what weight of them, each bin holds, and where the bins begin and end."""

    hist: Tensor
    bin_edges: Tensor

    def __repr__(self) -> str:
        return _text(self)
