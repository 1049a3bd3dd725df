"""Sums of arrays: in at least float32, and accurate also where there are many addends."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigrad.dtypes import Array

# From so many addends on, sums are made in two steps, since rounding errors add up.
_MANY = 4096
# Lines as long are summed up in parts of this length.
_PART = 1024

# Sums of as many elements are faster as products with ones, in which BLAS adds up rows or lines.
_LARGE = 2**14
_IN_BLAS = (np.dtype(np.float32), np.dtype(np.float64))


def widened(x: Array) -> Array:
    """`x`, in float32 if it is of float16, so that what is computed of it is rounded once."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def with_ones(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that reducing `shape` over `dims` gives if these stay, with size 1."""
    return tuple([1 if dim in dims else size for dim, size in enumerate(shape)])


def count_over(shape: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """The number of elements that reducing `shape` over `dims` makes one of."""
    return math.prod([shape[dim] for dim in dims])


def total(x: Array, dims: tuple[int, ...], keepdims: bool = True) -> Array:
    """`x.sum(dims, keepdims=keepdims)`, of float16 in float32."""
    if x.size >= _MANY and x.dtype in _IN_BLAS and x.flags.c_contiguous:
        count = count_over(x.shape, dims)
        shape = with_ones(x.shape, dims) if keepdims else tuple([n for d, n in enumerate(x.shape) if d not in dims])
        if _are_first(dims, x.ndim) and (x.size >= _LARGE or count >= _MANY):
            rows = x.reshape(count, -1)
            return (_in_two_steps(_sum_of_rows, rows) if count >= _MANY else _sum_of_rows(rows)).reshape(shape)
        if _are_last(dims, x.ndim) and x.size >= _LARGE:
            return _sum_of_lines(x.reshape(-1, count)).reshape(shape)
    wide = np.float32 if x.dtype == np.float16 else x.dtype
    return np.asarray(x.sum(axis=dims, dtype=wide, keepdims=keepdims))


def sum_of_products(a: Array, b: Array, dims: tuple[int, ...]) -> Array:
    """`(a * b).sum(dims, keepdims=True)` of arrays of one shape, not float16, without an array of the products."""
    if dims == (a.ndim - 1,):
        # Each row's product is one of BLAS.
        return np.vecdot(a, b)[..., None]
    count = count_over(a.shape, dims)
    if count >= _MANY and _are_first(dims, a.ndim) and a.flags.c_contiguous and b.flags.c_contiguous:
        sums = _in_two_steps(lambda p, q: np.einsum("ij,ij->j", p, q), a.reshape(count, -1), b.reshape(count, -1))
    else:
        every = list(range(a.ndim))
        sums = np.einsum(a, every, b, every, [dim for dim in every if dim not in dims])
    return sums.reshape(with_ones(a.shape, dims))


def _are_first(dims: tuple[int, ...], ndim: int) -> bool:
    """Whether a sum over `dims` is one of rows: NumPy, as BLAS, adds them one by one."""
    return 0 < len(dims) < ndim and set(dims) == set(range(len(dims)))


def _are_last(dims: tuple[int, ...], ndim: int) -> bool:
    """Whether a sum over `dims` is one of each line, or of all."""
    return len(dims) > 0 and set(dims) == set(range(ndim - len(dims), ndim))


def _sum_of_rows(x: Array) -> Array:
    """`x.sum(0)` of a matrix."""
    sums: Array = np.ones(len(x), x.dtype) @ x
    return sums


def _sum_of_lines(x: Array) -> Array:
    """`x.sum(1)` of a matrix."""
    count, size = x.shape
    whole = size // _PART * _PART if size >= _MANY else 0
    sums: Array = x[:, whole:] @ np.ones(size - whole, x.dtype)
    if whole:
        sums += (x[:, :whole].reshape(count, -1, _PART) @ np.ones(_PART, x.dtype)).sum(axis=1)
    return sums


def _in_two_steps(sum_rows: Callable[..., Array], *arrays: Array) -> Array:
    """`sum_rows` of arrays `(N, M)`: of rows sqrt(N) apart first, and then of these sums.

    Rounding errors grow as those of sqrt(N) addends, and the first sums are of long rows, which is faster.
    """
    count, size = arrays[0].shape
    step = math.isqrt(count)
    whole = count // step * step
    sums = sum_rows(*[array[:whole].reshape(-1, step * size) for array in arrays])
    rest: Array = sum_rows(*[array[whole:] for array in arrays])
    return sums.reshape(step, size).sum(axis=0) + rest
