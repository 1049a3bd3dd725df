"""The error function, on arrays.

`erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x`, and `erfc(x) = 1 - erf(x)`, which keeps its digits where
erf is near 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigrad.dtypes import Array

# erf(x) = tanh(x * P(x**2) / Q(x**2)), to 1.6 units in the last place of a float32, where Q is 1, and to 0.1 of a
# float64.  The coefficients, from the highest power on as all here, are a least-squares fit on [0, 3.92] and [0, 5.95],
# beyond which erf is 1; its weights were moved until the largest relative errors of erf were equal: C. L. Lawson,
# "Contributions to the Theory of Linear Least Maximum Approximation", 1961.
_P32 = (1.418488495e-7, -5.668412814e-6, 8.763691615e-5, -6.197834849e-4, -1.918322693e-4, 0.1027690565, 1.128379274)
_P64 = (
    4.672831601708978e-10, 6.44457301887066074e-8, 2.28672338698229443e-6, 4.58489311209826702e-5,
    6.26126584018986138e-4, 6.02410881597845297e-3, 4.15682804221261938e-2, 0.201317924338929902,
    0.635323748299165025, 1.12837916709551259,
)  # fmt: skip
_Q64 = (
    2.86658419573854116e-11, 1.38028307702342987e-8, 8.04248345701034259e-7, 1.90605587225135255e-5,
    3.02775143422292228e-4, 3.26761190342522182e-3, 2.50978352840178141e-2, 0.135612607864794714,
    0.471961163877238211, 1.0,
)  # fmt: skip

# Of erfc, the rational approximations of W. J. Cody, "Rational Chebyshev approximations for the error function",
# Mathematics of Computation 23 (1969): of exp(x**2) * erfc(x) in x on [0.46875, 4], and beyond of
# x**2 * (1 / sqrt(pi) - x * exp(x**2) * erfc(x)) in 1 / x**2.
_MIDDLE_P = (
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
    8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
)  # fmt: skip
_MIDDLE_Q = (
    1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
)  # fmt: skip
_FAR_P = (
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
)  # fmt: skip
_FAR_Q = (
    1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3,
)  # fmt: skip

# Elements of a block: what the passes over it read and write stays in the processor's cache.
_BLOCK = 2**15


def erf(x: Array) -> Array:
    """`erf(x)`, within 4 units in the last place of a float32 or float64; a float16 is computed as a float32.

    >>> erf(np.array([0.0, 0.5, -np.inf]))
    array([ 0.        ,  0.52049988, -1.        ])
    """
    if x.dtype == np.float64:
        return _by_blocks(_erf_double, x)
    return _by_blocks(_erf_single, x.astype(np.float32, copy=False)).astype(x.dtype, copy=False)


def erfc(x: Array) -> Array:
    """`1 - erf(x)`, within 6 units in the last place also where it is tiny; computed in float64.

    >>> erfc(np.array([0.0, 10.0]))
    array([1.00000000e+00, 2.08848758e-45])
    """
    return _by_blocks(_erfc_double, x.astype(np.float64, copy=False)).astype(x.dtype, copy=False)


def _by_blocks(compute: Callable[[Array, Array], None], x: Array) -> Array:
    """What `compute(part, y)` writes to `y` for each part of `x`."""
    flat = x.reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        compute(flat[start : start + _BLOCK], out[start : start + _BLOCK])
    return out.reshape(x.shape)


def _erf_single(x: Array, y: Array) -> None:
    _horner(_P32, x * x, y)
    y *= x
    np.tanh(y, out=y)


def _erf_double(x: Array, y: Array) -> None:
    # Where x**2 were infinite, P / Q would be nan; from here on tanh is 1 anyway.
    t = np.minimum(x * x, 100.0)
    _horner(_P64, t, y)
    y /= _horner(_Q64, t, np.empty_like(t))
    y *= x
    np.tanh(y, out=y)


def _erfc_double(x: Array, y: Array) -> None:
    magnitude = np.abs(x)
    middle, far = magnitude > 0.46875, magnitude > 4
    # What is nan is near.
    near = np.flatnonzero(~middle)
    z = x[near]
    _erf_double(z, z_erf := np.empty_like(z))
    y[near] = 1 - z_erf
    middle &= ~far
    for region, tail_of in ((middle, _middle_tail), (far, _far_tail)):
        at = np.flatnonzero(region)
        # erfc(-z) = 2 - erfc(z).
        tail = tail_of(magnitude[at])
        y[at] = np.where(x[at] < 0, 2 - tail, tail)


def _middle_tail(z: Array) -> Array:
    """`erfc(z)` for z in [0.46875, 4]."""
    return _gaussian(z) * _ratio(_MIDDLE_P, _MIDDLE_Q, z)


def _far_tail(z: Array) -> Array:
    """`erfc(z)` for z > 4."""
    inverse = 1 / (z * z)
    return _gaussian(z) * (1 / np.sqrt(np.pi) - inverse * _ratio(_FAR_P, _FAR_Q, inverse)) / z


def _gaussian(z: Array) -> Array:
    """`exp(-z**2)`, to all digits: the square of z rounded to sixteenths is exact, and what is left out is small."""
    rounded = np.trunc(np.minimum(z, 30.0) * 16) / 16
    return np.exp(-rounded * rounded) * np.exp(-(z - rounded) * (z + rounded))


def _ratio(above: Sequence[float], below: Sequence[float], t: Array) -> Array:
    return _horner(above, t, np.empty_like(t)) / _horner(below, t, np.empty_like(t))


def _horner(coefficients: Sequence[float], t: Array, out: Array) -> Array:
    """The polynomial in `t` with these coefficients, from the highest power on, in `out`."""
    np.multiply(t, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        out += coefficient
        out *= t
    out += coefficients[-1]
    return out
