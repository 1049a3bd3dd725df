"""Sums of arrays: in at least float32, and accurate also where there are many addends."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigrad.dtypes import Array

# From so many addends on, sums over the first dimensions are made in two steps, since rounding errors add up.
_MANY = 4096

# Sums of as many elements are faster as products with ones, which are rows that BLAS adds up.
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
    if x.size >= _MANY and _is_of_rows(x, dims) and x.dtype in _IN_BLAS:
        count = count_over(x.shape, dims)
        if x.size >= _LARGE or count >= _MANY:
            rows = x.reshape(count, -1)
            sums = _in_two_steps(_sum_of_rows, rows) if count >= _MANY else _sum_of_rows(rows)
            return sums.reshape(with_ones(x.shape, dims) if keepdims else x.shape[len(dims) :])
    wide = np.float32 if x.dtype == np.float16 else x.dtype
    return np.asarray(np.add.reduce(x, dims, wide, None, keepdims))


def sum_of_products(a: Array, b: Array, dims: tuple[int, ...]) -> Array:
    """`(a * b).sum(dims, keepdims=True)` of arrays of one shape, not float16, without an array of the products."""
    if dims == (a.ndim - 1,):
        # Each row's product is one of BLAS.
        return np.vecdot(a, b)[..., None]
    count = count_over(a.shape, dims)
    if count >= _MANY and _is_of_rows(a, dims) and b.flags.c_contiguous:
        sums = _in_two_steps(lambda p, q: np.einsum("ij,ij->j", p, q), a.reshape(count, -1), b.reshape(count, -1))
    else:
        every = list(range(a.ndim))
        sums = np.einsum(a, every, b, every, [dim for dim in every if dim not in dims])
    return sums.reshape(with_ones(a.shape, dims))


def _is_of_rows(x: Array, dims: tuple[int, ...]) -> bool:
    """Whether the sum over `dims` is one of rows in memory: NumPy, as BLAS, adds them one by one."""
    return 0 < len(dims) < x.ndim and x.flags.c_contiguous and set(dims) == set(range(len(dims)))


def _sum_of_rows(x: Array) -> Array:
    """`x.sum(0)` of a matrix."""
    sums: Array = np.ones(len(x), x.dtype) @ x
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
