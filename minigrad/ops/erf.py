"""The error function, on arrays: `erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigrad.core.arrays import by_blocks
from minigrad.core.dtypes import Array

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


def erf(x: Array) -> Array:
    """`erf(x)`, within 4 units in the last place of a float32 or float64; a float16 is computed as a float32.

    >>> erf(np.array([0.0, 0.5, -np.inf]))
    array([ 0.        ,  0.52049988, -1.        ])
    """
    if x.dtype == np.float64:
        return by_blocks(_erf_double, x)
    return by_blocks(_erf_single, x.astype(np.float32, copy=False)).astype(x.dtype, copy=False)


def _erf_single(x: Array) -> Array:
    y = _polynomial(_P32, x * x)
    y *= x
    return np.tanh(y, out=y)


def _erf_double(x: Array) -> Array:
    # Where x**2 were infinite, P / Q would be nan; from here on tanh is 1 anyway.
    t = np.minimum(x * x, 100.0)
    y = _polynomial(_P64, t)
    y /= _polynomial(_Q64, t)
    y *= x
    return np.tanh(y, out=y)


def _polynomial(coefficients: Sequence[float], t: Array) -> Array:
    """The polynomial in `t` with these coefficients, from the highest power on: by Horner's rule."""
    out = np.asarray(t * coefficients[0])
    for coefficient in coefficients[1:-1]:
        out += coefficient
        out *= t
    out += coefficients[-1]
    return out
