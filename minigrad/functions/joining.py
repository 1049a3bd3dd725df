"""Functions that make one tensor of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from minigrad.functions.grids import atleast_1d, atleast_2d, atleast_3d
from minigrad.methods.forms import checked_sequence, numpy_names
from minigrad.ops import join
from minigrad.tensor import Tensor

__all__ = [
    "cat",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "stack",
    "vstack",
]


@numpy_names
def cat(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors one after another along `dim`; their other sizes must be equal.  1-d tensors of size 0 are left out.

    >>> from minigrad import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    return join.cat(checked_sequence("cat", tensors), dim)


@numpy_names
def concat(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The same as `cat`."""
    return cat(tensors, dim)


@numpy_names
def concatenate(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The same as `cat`."""
    return cat(tensors, dim)


@numpy_names
def stack(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors, all of one shape, along a new dimension at `dim`.

    >>> from minigrad import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return join.stack(checked_sequence("stack", tensors), dim)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along dimension 1, vectors along 0."""
    given = _some_tensors("hstack", tensors)
    rows = [atleast_1d(x) for x in given]
    return cat(rows, 0 if rows[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one below the other, vectors as rows."""
    return cat([atleast_2d(x) for x in _some_tensors("vstack", tensors)])


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one behind the other, along dimension 2."""
    return cat([atleast_3d(x) for x in _some_tensors("dstack", tensors)], 2)


def _some_tensors(name: str, tensors: Any) -> list[Tensor]:
    """`tensors`, which must be a list or tuple of at least one tensor."""
    given = checked_sequence(name, tensors)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given
