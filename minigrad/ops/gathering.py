"""Reading and writing along one dimension, at places that a tensor of indices names, and what PyTorch asks of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.node import Node, Unary, keep_input_and_output
from minigrad.dtypes import Array, of
from minigrad.ops.broadcast import broadcast_shapes_message
from minigrad.ops.elementwise import masked
from minigrad.ops.indexing import Index, IndexInto, zero
from minigrad.ops.subscript import INDEX_DTYPES, check_range

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


# ---- places along a dimension ----------------------------------------------------------------------------------------


def places_along(index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """The places, in an array of `shape` with all dimensions as one, of `[i, …, index[i, …, k], …, k]`.

    >>> places_along(np.array([[2], [0]]), 1, (2, 3))
    array([[2],
           [3]])
    """
    offsets: Any = 0
    own_step = step = 1
    for d in reversed(range(len(shape))):
        if d == dim:
            own_step = step
        elif index.shape[d] > 1:
            offsets = offsets + np.arange(0, index.shape[d] * step, step).reshape(-1, *(1,) * (index.ndim - 1 - d))
        step *= max(shape[d], 1)
    places: Array = index * np.int64(own_step)
    places += offsets
    return places


def checked_along(name: str, x: Array, dim: int, index: Array, src: tuple[int, ...] | None = None) -> Array:
    """The places in `x` that `index` names along `dim`, after PyTorch's checks of `gather`, or of `scatter` of a `src`.

    In other dimensions `index` may be smaller than x; nothing of an empty one is checked.
    """
    if index.size == 0:
        return np.zeros(index.shape, np.int64)
    check_index_dtype(name, index)
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {'input' if src is None else 'self'} tensor, got "
            f"{index.ndim} and {x.ndim}"
        )
    others = [d for d in range(index.ndim) if d != dim and index.shape[d] > x.shape[d]]
    if src is None and others:
        raise RuntimeError(
            f"Size does not match at dimension {others[0]} expected index {list(index.shape)} to be no larger than "
            f"self {list(x.shape)} apart from dimension {dim}"
        )
    if src is not None and (others or not _covers(src, index.shape)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension {dim} "
            f"and to be no larger size than src {list(src)}"
        )
    check_range(index, x.shape[dim] if x.ndim else 1, dim, RuntimeError, False)
    return places_along(index, dim, x.shape)


def positions(holds: Array) -> list[Array]:
    """The positions of the elements of a mask that hold, in order: a vector for each dimension.

    >>> [vector.tolist() for vector in positions(np.array([[False, True], [True, True]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    if holds.ndim == 0:
        return []
    places = np.flatnonzero(holds)
    if holds.ndim == 1:
        return [places]
    # As many times as its row has elements that hold, each row's position; what is left is the position in the row.
    rows, size = holds.shape[:-1], holds.shape[-1]
    counts = np.count_nonzero(holds, axis=-1).reshape(-1)
    numbers = np.arange(counts.size)
    leading = [np.repeat(vector, counts) for vector in np.unravel_index(numbers, rows)]
    return [*leading, places - np.repeat(numbers * size, counts)]


def flat_places(x: Array, index: Array, refusal: str) -> Array:
    """The places that `index` names, negative ones from the end, counted over all elements of `x` in order.

    An IndexError, which says the `refusal` if there are no elements, for places that there are not.
    """
    if index.size and not x.size:
        raise IndexError(refusal)
    wrong = index[(index < -x.size) | (index >= x.size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong.flat[0]} on a tensor of {x.size} elements.")
    return index % max(x.size, 1)


def all_dims(x: Any) -> tuple[int, ...]:
    """The dimensions of `x`."""
    return tuple(range(x._array.ndim))


def broadcast_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that both broadcast to; a RuntimeError if they do not."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise RuntimeError(broadcast_shapes_message(a, b)) from None


def _covers(shape: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether an array of `shape` has the elements of one of the shape `part`; a 0-d one counts as 1-d."""
    shape, part = shape or (1,), part or (1,)
    return len(shape) == len(part) and all([size >= wanted for size, wanted in zip(shape, part, strict=True)])


def check_index_dtype(name: str, index: Array) -> None:
    """Nothing if `index` has integers that PyTorch takes for indices; else a RuntimeError."""
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index, got {of(index)!r}: index.long()")


def check_same_dtype(name: str, x: Array, src: Array) -> None:
    """Nothing if `src` can be written into `x` without a conversion; else a RuntimeError."""
    if x.dtype != src.dtype:
        raise RuntimeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {of(x)!r} and {of(src)!r}: src.to({of(x)!r})"
        )


# ---- scatter_reduce --------------------------------------------------------------------------------------------------


class ScatterSum(Node):
    """`y = x;  y[places] += src`, with places that count all dimensions of x as one.

    Without `include_self` an element of x takes no part where there is something at its place.

    dx = g, but 0 where x took no part,  dsrc = g[places].
    """

    __slots__ = ("include_self", "places")

    ufunc: ClassVar[Any] = np.add
    identity: ClassVar[float] = 0

    def __init__(self, places: Array, include_self: bool) -> None:
        self.places = places
        self.include_self = include_self

    def forward(self, x: Array, src: Array) -> Array:
        y = x.copy()
        self.write(y, src)
        return y

    def write(self, y: Array, src: Array) -> None:
        """Write into `y` itself."""
        wide = np.dtype(np.float32) if y.dtype == np.float16 else y.dtype
        table = y.astype(wide, order="C", copy=False)
        flat, places = table.reshape(-1), self.places.reshape(-1)
        if not self.include_self:
            flat[places] = _as_element(self.identity, wide)
        self.ufunc.at(flat, places, src.reshape(-1).astype(wide, copy=False))
        self.finish(flat)
        if table is not y:
            y[...] = table

    def finish(self, flat: Array) -> None:
        """Make of the reductions, in place, what was asked for."""

    def backward(self, g: Tensor) -> Sequence[Any]:
        edge_x, edge_src = self.edges
        dx, dsrc = self.gradients(g)
        if edge_x is not None and not self.include_self:
            dx = IndexInto(all_dims(dx))(dx, zero(dx), dx._new(self.places))
        return None if edge_x is None else dx, None if edge_src is None else dsrc

    def gradients(self, g: Tensor) -> tuple[Tensor, Tensor]:
        """Those of x, as if included, and of src."""
        return g, self.at(g)

    def at(self, x: Tensor) -> Tensor:
        """`x` at the places."""
        return Index(all_dims(x))(x, x._new(self.places))

    def count(self, shape: tuple[int, ...], chosen: Array | None = None) -> Array:
        """How many elements of src, or of those `chosen`, meet at each place in an array of `shape`."""
        weights = None if chosen is None else chosen.reshape(-1)
        return np.bincount(self.places.reshape(-1), weights, math.prod(shape)).reshape(shape)

    def name(self) -> str:
        return "ScatterReduceBackward0"


class ScatterMean(ScatterSum):
    """`y[k]` is the mean of x[k] and the n - 1 elements of `src` put at the place k: ScatterSum over n.

    dx = g / n, but 0 where x took no part,  dsrc = (g / n)[places].
    """

    __slots__ = ()

    def finish(self, flat: Array) -> None:
        if flat.dtype == bool:
            raise NotImplementedError("\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool': x.float()")
        divide = np.true_divide if flat.dtype.kind == "f" else np.floor_divide
        flat[...] = divide(flat, self.numbers(flat.shape, flat.dtype))

    def numbers(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """How many elements are in each sum."""
        return np.maximum(self.count(shape) + int(self.include_self), 1).astype(dtype)

    def gradients(self, g: Tensor) -> tuple[Tensor, Tensor]:
        share = g / g._new(self.numbers(g._array.shape, g._array.dtype))
        return share, self.at(share)


class ScatterProd(ScatterSum):
    """`y = x;  y[places] *= src`: as ScatterSum, of a product.

    dx = g * y / x, but 0 where x took no part,  dsrc = (g * y)[places] / src, or g times the product of the others
    where that would be 0 / 0.
    """

    __slots__ = ()
    keep = keep_input_and_output
    ufunc = np.multiply
    identity = 1

    def gradients(self, g: Tensor) -> tuple[Tensor, Tensor]:
        x, src, y = self.kept(0), self.kept(1), self.kept_output(g)
        x_is_0, src_is_0 = x._array == 0, src._array == 0
        x_or_1, src_or_1 = _one_where(x_is_0, x), _one_where(src_is_0, src)
        dx = g * ScatterProd(self.places, self.include_self)(x_or_1, src) / x_or_1
        zeros = self.count(x._array.shape, src_is_0).reshape(-1)[self.places]
        only = src_is_0 & (zeros == 1)
        others = ScatterProd(self.places, self.include_self)(x, _one_where(only, src))
        dsrc = masked(self.at(g * others), only) + masked(self.at(g * y) / src_or_1, ~only)
        return dx, (OnlyOnce()(dsrc) if (zeros > 1).any() else dsrc)


class ScatterMax(ScatterSum):
    """`y[k]` is the largest of x[k] and the elements of `src` put at the place k: as ScatterSum, of a maximum.

    dx = g / n where x is one of the n elements that are equal to y, else 0,  dsrc = (g / n)[places] where src is.
    """

    __slots__ = ()
    keep = keep_input_and_output
    ufunc: ClassVar[Any] = np.maximum
    identity = -math.inf

    def gradients(self, g: Tensor) -> tuple[Tensor, Tensor]:
        x, src, y = self.kept(0)._array, self.kept(1)._array, self.kept_output(g)._array
        x_is_y, src_is_y = x == y, src == y.reshape(-1)[self.places]
        sharers = x_is_y + self.count(x.shape, src_is_y)
        share = g / g._new(sharers.astype(g._array.dtype))
        return masked(share, x_is_y), masked(self.at(share), src_is_y)


class ScatterMin(ScatterMax):
    """`y[k]` is the smallest of x[k] and the elements of `src` put at the place k: as ScatterSum, of a minimum."""

    __slots__ = ()
    ufunc = np.minimum
    identity = math.inf


class OnlyOnce(Unary):
    """`x`, a gradient whose own gradient is not known."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        return x

    def dx(self, g: Tensor) -> Tensor:
        raise RuntimeError(
            "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
            "position in self"
        )


REDUCTIONS = {"sum": ScatterSum, "prod": ScatterProd, "mean": ScatterMean, "amax": ScatterMax, "amin": ScatterMin}


def _as_element(identity: float, dtype: np.dtype[Any]) -> Any:
    """The identity of a reduction in a dtype, which may have no infinities."""
    if dtype.kind == "f" or math.isfinite(identity):
        return identity
    if dtype.kind == "b":
        return identity > 0
    return np.iinfo(dtype).max if identity > 0 else np.iinfo(dtype).min


def _one_where(mask: Array, x: Tensor) -> Tensor:
    """`x` with 1 where `mask` holds."""
    return masked(x, ~mask) + x._new(mask.astype(x._array.dtype))
