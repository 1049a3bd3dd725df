"""Choices between arrays, element by element, without branches.

`np.where` takes a branch per element.  Where a mask has no pattern the processor guesses half of them wrong, which
takes ten times as long as to compute with bits: `-1`, all ones, keeps a number, and `0` clears it.
"""

from __future__ import annotations

import numpy as np

from minigrad.dtypes import Array

_WORDS = {size: np.dtype(f"int{8 * size}") for size in (1, 2, 4, 8)}

# Below that many elements, the one call of np.where is faster than several others.
_MANY = 2**12


def chosen(mask: Array, a: Array, b: Array) -> Array:
    """`a` where the bools `mask` hold, else `b`, which is of the same dtype: as np.where.

    >>> chosen(np.array([True, False]), np.array([1.0, np.nan]), np.array([np.nan, 2.0]))
    array([1., 2.])
    """
    if mask.size < _MANY:
        return np.where(mask, a, b)
    out, bits = _bits(mask, a, b)
    bits &= a.view(bits.dtype) ^ b.view(bits.dtype)
    bits ^= b.view(bits.dtype)
    return out


def cleared(mask: Array, x: Array) -> Array:
    """`x` where the bools `mask` hold, else 0, even where `x` is not finite.

    >>> cleared(np.array([True, False]), np.array([1.0, np.nan]))
    array([1., 0.])
    """
    if mask.size < _MANY:
        return np.where(mask, x, x.dtype.type(0))
    out, bits = _bits(mask, x)
    bits &= x.view(bits.dtype)
    return out


def _bits(mask: Array, *arrays: Array) -> tuple[Array, Array]:
    """A new array for what is chosen from `arrays`, and its bits as integers: all ones where `mask` holds, else 0."""
    dtype = arrays[0].dtype
    out = np.empty(np.broadcast_shapes(mask.shape, *[x.shape for x in arrays]), dtype)
    bits = out.view(_WORDS[dtype.itemsize])
    return out, np.negative(mask.view(np.int8), out=bits)
