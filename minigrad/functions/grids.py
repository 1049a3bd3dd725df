"""Functions of several shapes or tensors: broadcasting, grids."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from operator import index
from typing import Any

from minigrad.core.shapes import common_shape
from minigrad.core.tensor import Size
from minigrad.methods.forms import checked_sequence
from minigrad.ops.dims import INTEGER
from minigrad.tensor import Tensor

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "meshgrid",
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
    vectors = _all_tensors("meshgrid", tensors)
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for position, x in enumerate(vectors):
        if x.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {list(x.shape)} at "
                f"position {position}"
            )
        if x.dtype is not vectors[0].dtype:
            raise RuntimeError(
                f"meshgrid expects all tensors to have the same dtype: got {vectors[0].dtype!r} and {x.dtype!r}"
            )
    places = list(range(len(vectors)))
    if indexing == "xy":
        places[:2] = reversed(places[:2])
    shape = [vectors[place].numel() for place in places]
    grids: list[Tensor] = []
    for x, place in zip(vectors, places, strict=True):
        alone = [1] * len(vectors)
        alone[place] = shape[place]
        grids.append(x.reshape(alone).expand(shape))
    return tuple(grids)


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
