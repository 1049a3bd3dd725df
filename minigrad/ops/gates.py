"""Gates: a half of the elements says how much of the other half goes on."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tape import Unary, keep_inputs
from minigrad.core.tensor import Tensor
from minigrad.ops.joining import Cat


class Glu(Unary):
    """`a * s` with `s = sigmoid(b)` for the two halves a and b of x along `dim`.

    dx = Cat(g * s, g * a * s * (1 - s)): one after the other along `dim`.
    """

    __slots__ = ("dim",)
    keep = keep_inputs

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        a, b = np.split(x, 2, self.dim)
        # exp(-b) overflows to infinity only where the sigmoid is 0 to the last digit.
        return a / (1 + np.exp(-b))

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        half = x._array.shape[self.dim] // 2
        a, b = x.narrow(self.dim, 0, half), x.narrow(self.dim, half, half)
        s = b.sigmoid()
        da = g * s
        return Cat(self.dim)(da, da * a * (1 - s))
