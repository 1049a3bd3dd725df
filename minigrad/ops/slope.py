"""Ops on each element whose gradient is one step: the upstream gradient times a slope that array code computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Binary, Unary, keep_inputs, keep_output
from minigrad.dtypes import Array
from minigrad.ops.blocks import by_blocks

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Curve(Unary):
    """`y = f(x)`, a smooth function; a subclass says `value(x)` and `slope(x)` on arrays, both new ones.

    dx = g * f'(x).  `bend(x)`, the derivative of the slope, in tensor operations, gives the derivatives beyond.
    """

    __slots__ = ()
    keep = keep_inputs

    #: The function of `x`, which is `workable`.
    value: Callable[..., Array]

    #: The derivative of the function at `x`, which is `workable`.
    slope: Callable[..., Array]

    def forward(self, x: Array) -> Array:
        return restored(by_blocks(self.value, *self.reads(workable(x))), x)

    def dx(self, g: Tensor) -> Tensor:
        return Slope(self)(g, self.kept(0))

    def reads(self, x: Array) -> tuple[Array, ...]:
        """What value and slope are computed of."""
        return (x,)

    def scaled_slope(self, g: Array, *reads: Array) -> Array:
        """The slope times `g`."""
        slope = self.slope(*reads)
        slope *= g
        return slope

    def bend(self, x: Any) -> Any:
        """The derivative of the slope at `x`, a tensor."""
        raise NotImplementedError


class CurveOfOutput(Curve):
    """A `Curve` whose slope is told by its output: `slope(y)` and its derivative `bend(y)`."""

    __slots__ = ()
    keep = keep_output

    def dx(self, g: Tensor) -> Tensor:
        return Slope(self)(g, self.kept_output(g))


class CurveByPart(Curve):
    """A `Curve` whose value and slope share a part that takes most of the time: `part(x)`, kept for the gradient.

    A subclass says `value(x, part)` and `slope(x, part)`.
    """

    __slots__ = ("_part",)

    def __init__(self) -> None:
        self._part: Array | None = None

    def forward(self, x: Array) -> Array:
        self._part = by_blocks(self.part, workable(x))
        return super().forward(x)

    def reads(self, x: Array) -> tuple[Array, ...]:
        return x, by_blocks(self.part, x) if self._part is None else self._part

    def release(self) -> None:
        super().release()
        self._part = None

    def part(self, x: Array) -> Array:
        """What value and slope share."""
        raise NotImplementedError


class Slope(Binary):
    """`g * slope(x)` for the slope of `curve`.   dg = h * slope(x),  dx = h * g * bend(x)."""

    __slots__ = ("curve",)
    keep = keep_inputs

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    def forward(self, g: Array, x: Array) -> Array:
        return restored(by_blocks(self.curve.scaled_slope, g, *self.curve.reads(workable(x))), g)

    def da(self, h: Tensor) -> Tensor:
        return Slope(self.curve)(h, self.kept(1))

    def db(self, h: Tensor) -> Tensor:
        g, x = self.kept(0), self.kept(1)
        return h * g * self.curve.bend(x)

    def name(self) -> str:
        return self.curve.name().replace("Backward", "BackwardBackward")


def workable(x: Array) -> Array:
    """`x` with at least one dimension, since NumPy makes numbers of 0-d arrays, and in float32 if it is a float16."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    return wide if wide.ndim else wide.reshape(1)


def restored(y: Array, x: Array) -> Array:
    """`y`, computed of `workable(x)`, in the dtype and shape of `x`; not a view if it need not be one."""
    y = y.astype(x.dtype, copy=False)
    return y if y.shape == x.shape else y.reshape(x.shape)
