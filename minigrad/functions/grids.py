"""Functions of several shapes or tensors: broadcasting, grids, triangles of indices."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.devices import device as Device
from minigrad.dtypes import Array, dtype
from minigrad.methods.forms import checked_sequence, checked_tensor
from minigrad.ops import grids
from minigrad.ops.broadcast import common_shape
from minigrad.ops.dims import INTEGER
from minigrad.size import Size
from minigrad.tensor import Tensor, new_leaf

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "combinations",
    "meshgrid",
    "tril_indices",
    "triu_indices",
]


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors, expanded to the one shape that all broadcast to.

    >>> from minigrad import tensor
    >>> broadcast_tensors(tensor([[1], [2]]), tensor([3, 4]))
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    given = checked_sequence("broadcast_tensors", tensors)
    shape = common_shape([x.shape for x in given])
    return tuple([x if x.shape == shape else x.expand(shape) for x in given])


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to; an int is a shape of one size.

    >>> broadcast_shapes((2, 1), (3,), 1)
    torch.Size([2, 3])
    """
    found = [(index(shape),) if isinstance(shape, INTEGER) else tuple(shape) for shape in shapes]
    if builtins.any([size < 0 for shape in found for size in shape]):
        raise ValueError(f"Attempting to broadcast a dimension with negative length! Got {found}")
    return Size(common_shape(found))


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """For each vector a view of it in the shape of all: `grids[k][i0, i1, …] = tensors[k][ik]`.

    With indexing "xy" the first two dimensions of the result are swapped.

    >>> from minigrad import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]), indexing="ij")
    (tensor([[1, 1, 1],
            [2, 2, 2]]), tensor([[3, 4, 5],
            [3, 4, 5]]))
    """
    return grids.meshgrid(_all_tensors("meshgrid", tensors), indexing)


def cartesian_prod(*tensors: Any) -> Tensor:
    """The rows of one element of each vector, in lexicographic order; for one vector, that vector.

    >>> from minigrad import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    return grids.cartesian_prod(_all_tensors("cartesian_prod", tensors))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The rows of `r` elements of a vector in their order, each element once in a row, or repeatedly if so said.

    >>> from minigrad import tensor
    >>> combinations(tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    return grids.combinations(checked_tensor("combinations", input), r, with_replacement)


def atleast_1d(*tensors: Any) -> Any:
    """The tensor with at least one dimension; a tuple of such for several tensors or a list."""
    return _each(lambda x: x if x.ndim else x.reshape(1), tensors, "atleast_1d")


def atleast_2d(*tensors: Any) -> Any:
    """The tensor with at least two dimensions, of a vector a row; a tuple of such for several tensors or a list."""
    return _each(lambda x: x if x.ndim > 1 else x.unsqueeze(0) if x.ndim else x.reshape(1, 1), tensors, "atleast_2d")


def atleast_3d(*tensors: Any) -> Any:
    """The tensor with at least three dimensions: `(1, N, 1)` of a vector, `(N, M, 1)` of a matrix; or a tuple."""

    def deepened(x: Tensor) -> Tensor:
        if x.ndim == 0:
            return x.reshape(1, 1, 1)
        x = x.unsqueeze(0) if x.ndim == 1 else x
        return x.unsqueeze(-1) if x.ndim == 2 else x

    return _each(deepened, tensors, "atleast_3d")


def _each(of: Callable[[Tensor], Tensor], tensors: tuple[Any, ...], name: str) -> Any:
    """What `of` makes of the only tensor, or a tuple of what it makes of each of several or of a list."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return of(tensors[0])
    return tuple([of(x) for x in _all_tensors(name, tensors)])


def _all_tensors(name: str, tensors: tuple[Any, ...]) -> list[Tensor]:
    """Tensors given as `f(a, b)` or as `f([a, b])`."""
    listed = len(tensors) == 1 and isinstance(tensors[0], list | tuple)
    return checked_sequence(name, tensors[0] if listed else tensors)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Device | str | None = None
) -> Tensor:
    """The row and column indices of the elements of a lower triangle, of a matrix of `row` by `col`.

    >>> tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", np.tril_indices, row, col, offset, dtype, device)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Device | str | None = None
) -> Tensor:
    """The row and column indices of the elements of an upper triangle, of a matrix of `row` by `col`.

    >>> triu_indices(2, 2, 1)
    tensor([[0],
            [1]])
    """
    return _triangle("triu_indices", np.triu_indices, row, col, offset, dtype, device)


def _triangle(
    name: str,
    indices: Callable[..., tuple[Array, Array]],
    row: int,
    col: int,
    offset: int,
    dtype: dtype | None,
    device: Device | str | None,
) -> Tensor:
    for argument, size in (("row", row), ("col", col)):
        if index(size) < 0:
            raise RuntimeError(f"{argument} must be non-negative, got {size}")
    wanted = dtype or dtypes.int64
    if wanted not in (dtypes.int64, dtypes.int32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{wanted._tensor_name}': expected int64 or int32")
    found = np.stack(indices(index(row), index(offset), index(col)))
    return new_leaf(found.astype(wanted._numpy, copy=False), False, device)
