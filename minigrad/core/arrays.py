"""Functions on arrays that operations use: accurate sums, memory orders and copies, choices by masks, blocks."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .dtypes import HALVES, Array, computed_in

#: The dtypes in which BLAS and NumPy's vector loops compute.
WIDE_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))

# ---- the sizes from which on another algorithm is used ---------------------------------------------------------------

# Up to so many addends are summed one by one, since rounding errors are small.
_FEW = 2**8
# From so many addends on, sums are made in two steps, since rounding errors add up; lines in parts of this length.
_MANY, _PART = 2**12, 2**10
# From so many elements on, sums are faster as BLAS products with ones.
_LARGE = 2**14
# Below that many elements, one call of np.where is faster than several calls of others.
_MASKED = 2**12
# From so many elements in so many rows on, columns are copied, at a time as many as fill a line of the processor's
# cache.
_COPIED, _TALL, _COLUMNS = 2**15, 2**6, 2**4

# ---- sums ------------------------------------------------------------------------------------------------------------


def widened(x: Array) -> Array:
    """`x`, in float32 if it is of halves, so that a result computed from it is rounded once."""
    return in_dtype(x, np.float32) if x.dtype in HALVES else x


def with_ones(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with size 1 for `dims`: the shape of a reduction over `dims` that keeps them."""
    ones = list(shape)
    for dim in dims:
        ones[dim] = 1
    return tuple(ones)


def all_within(x: Array, low: float, high: float) -> bool:
    """Whether all elements are in [low, high]: none of them is nan."""
    # NumPy's argmin and argmax take a third of the time of min and max; they find the first nan, if there is one.
    return not x.size or bool(low <= x.item(x.argmin()) and x.item(x.argmax()) <= high)


def count_over(shape: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """The number of elements that a reduction of `shape` over `dims` combines into one."""
    return math.prod([shape[dim] for dim in dims])


def total(x: Array, dims: tuple[int, ...], keepdims: bool = True) -> Array:
    """`x.sum(dims, keepdims=keepdims)`, of halves in float32."""
    sums: Any = None
    if dims and x.size and x.dtype in WIDE_FLOATS and x.flags.c_contiguous:
        if x.size >= _MANY:
            sums = _of_many(x, dims, keepdims)
        # For few addends, too, a product with ones takes half of the time of a sum; for more, the sum is more accurate.
        elif len(dims) == x.ndim and 1 < x.size <= _FEW:
            sums = np.asarray(x.ravel().dot(_ones(x.size, x.dtype)))
            sums = sums.reshape((1,) * x.ndim) if keepdims else sums
        elif len(dims) == 1 and x.ndim == 2 and (count := x.shape[dims[0]]) <= _FEW:
            # Ones in a row or column leave the dimension where it is.
            ones = _ones(((1, count), (count, 1))[dims[0]] if keepdims else count, x.dtype)
            sums = x.dot(ones) if dims[0] else ones.dot(x)
    if sums is None:
        sums = np.add.reduce(x, dims, computed_in(x.dtype), None, keepdims, 0)  # type: ignore[call-overload]  # NumPy takes any bool
    return np.asarray(sums)


def _of_many(x: Array, dims: tuple[int, ...], keepdims: bool) -> Array | None:
    """The sums where BLAS is faster, and accurate for many addends, too; None for all others."""
    first, end = min(dims), max(dims) + 1
    if end - first == len(dims):
        count = math.prod(x.shape[first:end])
        shape = x.shape[:first] + (1,) * (len(dims) if keepdims else 0) + x.shape[end:]
        if end == x.ndim and x.size >= _LARGE:
            return _of_lines(lambda part: part @ _ones(part.shape[-1], x.dtype), x.reshape(-1, count)).reshape(shape)
        if first == 0 and end < x.ndim and (x.size >= _LARGE or count >= _MANY):
            return sum_of_rows(x.reshape(count, -1)).reshape(shape)
    return None


def sum_of_products(a: Array, b: Array, dims: tuple[int, ...]) -> Array:
    """`(a * b).sum(dims, keepdims=True)` of arrays, not of halves, without an array of the products.

    `b` has the shape of `a`, or broadcasts to it along all dimensions but the last.
    """
    if dims[-1:] == (a.ndim - 1,) and a.shape[-1] < _MANY and (len(dims) == 1 or a.shape != b.shape):
        # Each row's product is one of BLAS.
        sums = np.vecdot(a, b)[..., None]
        return sums if len(dims) == 1 else total(sums, dims[:-1])
    if a.shape != b.shape:
        return total(a * b, dims)
    if len(dims) == a.ndim and a.size < _MANY:
        return np.asarray(np.vdot(a, b)).reshape((1,) * a.ndim)
    if a.size < _MANY:
        return total(a * b, dims)
    count, contiguous = count_over(a.shape, dims), a.flags.c_contiguous and b.flags.c_contiguous
    if contiguous and a.size >= _LARGE and set(dims) == set(range(a.ndim - len(dims), a.ndim)):
        sums = _of_lines(np.vecdot, a.reshape(-1, count), b.reshape(-1, count))
    elif contiguous and count >= _MANY and 0 < len(dims) < a.ndim and set(dims) == set(range(len(dims))):
        sums = _in_two_steps(lambda p, q: np.einsum("ij,ij->j", p, q), a.reshape(count, -1), b.reshape(count, -1))
    else:
        every = list(range(a.ndim))
        sums = np.einsum(a, every, b, every, [dim for dim in every if dim not in dims])
    return sums.reshape(with_ones(a.shape, dims))


def sum_of_rows(x: Array, factors: Array | None = None) -> Array:
    """The sum of the rows of a matrix, with a factor for each or none: `factors @ x`."""
    if len(x) >= _MANY:
        return _in_two_steps(sum_of_rows, x if factors is None else x * factors[:, None])
    sums: Array = (_ones(len(x), x.dtype) if factors is None else factors).dot(x)
    return sums


@functools.lru_cache(maxsize=64)
def _ones(shape: int | tuple[int, int], dtype: np.dtype[Any]) -> Array:
    """So many ones, cached."""
    ones = np.ones(shape, dtype)
    ones.setflags(write=False)
    return ones


def _of_lines(sum_last: Callable[..., Array], *arrays: Array) -> Array:
    """`sum_last(*arrays)` for arrays `(N, M)`: long lines are summed part by part, and then these sums."""
    count, size = arrays[0].shape
    if size < _MANY:
        return sum_last(*arrays)
    whole = size // _PART * _PART
    sums: Array = np.add.reduce(sum_last(*[x[:, :whole].reshape(count, -1, _PART) for x in arrays]), axis=1)
    return sums if whole == size else sums + sum_last(*[x[:, whole:] for x in arrays])


def _in_two_steps(sum_rows: Callable[..., Array], *arrays: Array) -> Array:
    """`sum_rows(*arrays)` for arrays `(N, M)`: rows that are sqrt(N) apart are summed first, and then these sums.

    Rounding errors grow as those of sqrt(N) addends, and the first sums are of long rows, which is faster.
    """
    count, size = arrays[0].shape
    step = math.isqrt(count)
    whole = count // step * step
    sums = sum_rows(*[array[:whole].reshape(-1, step * size) for array in arrays])
    rest: Array = sum_rows(*[array[whole:] for array in arrays])
    return sums.reshape(step, size).sum(axis=0) + rest


# ---- the order in memory ---------------------------------------------------------------------------------------------


def laid_out(out: Array, *operands: Any) -> Array:
    """`out`, computed from the operands element by element, in the memory order that it has in PyTorch.

    Of two dimensions, the inner one is that with the smaller stride in the first operand whose strides differ.  NumPy
    makes the last one the inner one where operands disagree.
    """
    first = operands[0]
    if first is not None and first.size > 1:
        if first.flags.c_contiguous:
            return out  # The most frequent case, sooner than below.
        *steps, _ = sorted({0, *first.strides}, reverse=True)
        if first.shape == out.shape and len(steps) == out.ndim:
            # All its strides differ, so it alone decides.
            if tuple(steps) == first.strides:
                return np.asarray(out, order="C")
            return _ordered(out, [first.strides.index(step) for step in steps])
    # The strides of one element repeated, such as the gradient of a sum, are all 0: they decide nothing.
    given = [x for x in operands if x is not None and any(x.strides)]
    if not given or given[0].flags.c_contiguous:
        return out
    every = []
    for x in given:
        dims_of = zip(x.shape, out.shape[out.ndim - x.ndim :], x.strides, strict=True)
        every.append([0] * (out.ndim - x.ndim) + [step if size == whole else 0 for size, whole, step in dims_of])
    dims: list[int] = []
    for dim in reversed(range(out.ndim)):
        place = 0
        for after, other in enumerate(dims, 1):
            pairs = [(each[other], each[dim]) for each in every]
            larger = next((a - b for a, b in pairs if a and b and a != b), 0)
            if larger < 0:
                break
            place = after if larger else place
        dims.insert(place, dim)
    return _ordered(out, dims)


def _ordered(out: Array, dims: list[int]) -> Array:
    """`out`, in memory with `dims` from the outermost dimension to the innermost."""
    return np.asarray(out.transpose(dims), order="C").transpose(sorted(range(out.ndim), key=dims.__getitem__))


def copied(array: Array, order: Literal["K", "C"] = "K") -> Array:
    """A copy, in memory order "K" as the array is, or "C" contiguous."""
    if array.flags.c_contiguous:
        return array.copy()  # The most frequent case, sooner than below.
    many = order == "C" and array.size >= _COPIED and array.size >= _TALL * array.shape[-1]
    if many and abs(array.strides[-1]) > array.itemsize:
        # Some columns at a time: row by row, NumPy would read a line of the cache for each element, which takes up to
        # ten times as long.
        out = np.empty(array.shape, array.dtype)
        for start in range(0, array.shape[-1], _COLUMNS):
            out[..., start : start + _COLUMNS] = array[..., start : start + _COLUMNS]
        return out
    # NumPy copies an expanded array in an order that PyTorch's views would not expect.
    return laid_out(array.copy(), array) if order == "K" and 0 in array.strides else array.copy(order)


def in_dtype(array: Array, dtype: Any) -> Array:
    """A copy in another dtype, in PyTorch's memory order, which is not NumPy's for an expanded array."""
    return laid_out(array.astype(dtype, "C"), array) if 0 in array.strides else array.astype(dtype)


# ---- quotients -------------------------------------------------------------------------------------------------------

#: As arrays, since NumPy takes as long to convert a number as for half of the arithmetic of a row.
ZERO, HALF, ONE = [np.array(each, np.float32) for each in (0, 0.5, 1)]


def inverse(x: Array) -> Array:
    """`1 / x` of floats: for many of them in half of the time of np.reciprocal."""
    return np.divide(ONE, x, dtype=x.dtype) if x.dtype in WIDE_FLOATS else np.reciprocal(x)


# ---- choices without branches ----------------------------------------------------------------------------------------

# The integer dtypes by size: all bits of an element are kept or cleared by a mask as the factor 1 or 0.
_WORDS = {size: np.dtype(f"int{8 * size}") for size in (1, 2, 4, 8)}

# A 0 that fits every dtype, since bool promotes to all; a Python number would take NumPy longer.
_ZERO = np.zeros((), bool)


def chosen(mask: Array, a: Array, b: Array) -> Array:
    """`a` where the bools `mask` hold, else `b`, which is of the same dtype: as np.where.

    >>> chosen(np.array([True, False]), np.array([1.0, np.nan]), np.array([np.nan, 2.0]))
    array([1., 2.])
    """
    if mask.size < _MASKED:
        return np.where(mask, a, b)
    out = np.empty(np.broadcast_shapes(mask.shape, a.shape, b.shape), a.dtype)
    bits, a, b = [each.view(_WORDS[out.itemsize]) for each in (out, a, b)]
    np.bitwise_xor(a, b, out=bits)
    np.multiply(mask.view(np.int8), bits, out=bits)
    bits ^= b
    return out


def cleared(mask: Array, x: Array) -> Array:
    """`x` where the bools `mask` hold, else 0, even where `x` is not finite.

    >>> cleared(np.array([True, False]), np.array([1.0, np.nan]))
    array([1., 0.])
    """
    if mask.size < _MASKED:
        return np.where(mask, x, ZERO if x.dtype in WIDE_FLOATS else _ZERO)
    out = np.empty(np.broadcast_shapes(mask.shape, x.shape), x.dtype)
    bits, x = [each.view(_WORDS[out.itemsize]) for each in (out, x)]
    np.multiply(mask.view(np.int8), x, out=bits)
    return out


# ---- block by block --------------------------------------------------------------------------------------------------

#: Elements per block: two float32 arrays of as many fit in a second-level cache of 1 MB.
BLOCK = 2**16


def slices(count: int, size: int = 1, block: int = BLOCK) -> list[slice]:
    """Slices that together select `count` rows of `size` elements each: as many in each as have `block` elements.

    >>> slices(5, 32768)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(block // max(size, 1), 1)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def row_blocks(uncut: tuple[int, ...], x: Array, *others: Array) -> list[tuple[Array, ...]]:
    """Blocks of rows of `x` and of other arrays with as many rows, to work on one block after the other.

    There is one block if `x` is small, or if the rows are among the dimensions `uncut`, which must not be divided.
    """
    if x.size <= BLOCK or 0 in uncut:
        return [(x, *others)]
    return [(x[rows], *[each[rows] for each in others]) for rows in slices(len(x), math.prod(x.shape[1:]))]


def blocked(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute(*arrays)`, an elementwise function of arrays of one shape, block by block, so that they stay in cache.

    The result has the dtype of the last array.
    """
    last = arrays[-1]
    if last.size <= BLOCK or not all([each.flags.c_contiguous for each in arrays]):
        return compute(*arrays)
    out = np.empty_like(last)
    flat = [each.reshape(-1) for each in (*arrays, out)]
    for block in slices(last.size):
        *parts, result = [each[block] for each in flat]
        result[...] = compute(*parts)
    return out
