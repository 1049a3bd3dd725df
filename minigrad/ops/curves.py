"""Ops on each element whose gradient is one step: the upstream gradient times a slope that array code computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigrad.core.arrays import by_blocks
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import zeroed
from minigrad.core.modes import current
from minigrad.core.tape import Binary, Unary, keep_inputs, keep_output
from minigrad.core.tensor import Tensor
from minigrad.declare import F, of_node

_HALF = np.dtype(np.float16)


class Sloping(Unary):
    """`y = f(x)`, a function whose gradient is one step: dx = g * f'(x), on arrays `scaled_slope(g, x)`."""

    __slots__ = ()
    keep = keep_inputs

    #: What PyTorch calls the operation that computes the gradient, if not after this one.
    slope_name: ClassVar[str | None] = None

    def dx(self, g: Tensor) -> Tensor:
        return Slope(self)(g, self.kept(0))

    def scaled_slope(self, g: Array, x: Array) -> Array:
        """The slope at `x` times `g`."""
        raise NotImplementedError

    def bent(self, h: Tensor, g: Tensor, x: Tensor) -> Tensor:
        """The derivative of the slope at `x`, times `h * g`."""
        raise NotImplementedError


class Piecewise(Sloping):
    """A function of straight pieces: its slope is constant, but for jumps, which have no derivative."""

    __slots__ = ()

    def bent(self, h: Tensor, g: Tensor, x: Tensor) -> Tensor:
        return zeroed(h)


class Curve(Sloping):
    """`y = f(x)`, a smooth function; a subclass says `value(x)` and `slope(x)` on arrays, both new ones.

    dx = g * f'(x).  `bend(x)`, the derivative of the slope, in tensor operations, gives the derivatives beyond.
    """

    __slots__ = ()

    #: The function of `x`, which is `workable`.
    value: ClassVar[Callable[..., Array]]

    #: The derivative of the function at `x`, which is `workable`.
    slope: ClassVar[Callable[..., Array]]

    def forward(self, x: Array) -> Array:
        return of_elements(self.value, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return of_elements(self._scaled, g, x)

    def _scaled(self, g: Array, x: Array) -> Array:
        slope = self.slope(x)
        slope *= g
        return slope

    def bent(self, h: Tensor, g: Tensor, x: Tensor) -> Tensor:
        return h * g * self.bend(x)

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
    """A `Curve` whose value and slope share a part that takes most of the time: `part(x)`.

    A subclass says it, `value_by(x, part)` and `slope_by(x, part, out)`.  A call that is recorded computes the slope
    along with the value, while the part is in the cache, and keeps it.
    """

    __slots__ = ("_slopes",)

    def __init__(self) -> None:
        self._slopes: Array | None = None

    def __call__(self, x: Any) -> Any:
        if x._requires_grad and current.enabled:
            self._slopes = np.empty_like(workable(x._array))
        return super().__call__(x)

    def forward(self, x: Array) -> Array:
        if self._slopes is None:
            return super().forward(x)
        return of_elements(self._value_and_slope, self._slopes, x)

    def _value_and_slope(self, slopes: Array, x: Array) -> Array:
        part = self.part(x)
        self.slope_by(x, part, out=slopes)
        return self.value_by(x, part)

    def value(self, x: Array) -> Array:
        return self.value_by(x, self.part(x))

    def slope(self, x: Array) -> Array:
        return self.slope_by(x, self.part(x), out=np.empty_like(x))

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return super().scaled_slope(g, x) if self._slopes is None else restored(self._slopes * g, g)

    def release(self) -> None:
        super().release()
        self._slopes = None

    def part(self, x: Array) -> Array:
        """What value and slope share."""
        raise NotImplementedError

    def value_by(self, x: Array, part: Array) -> Array:
        """The function of `x`."""
        raise NotImplementedError

    def slope_by(self, x: Array, part: Array, out: Array) -> Array:
        """The derivative of the function at `x`, in `out`."""
        raise NotImplementedError


def curve(
    value: Callable[[Array], Array],
    slope: Callable[[Array], Array],
    bend: Callable[[Any], Any],
    base: type[Unary] = Unary,
    *on: str,
    slope_name: str | None = None,
    formula: str | None = None,
    **options: Any,
) -> Callable[[F], F]:
    """The decorator of a smooth function of one tensor: on arrays its `value(x)` and its `slope`, of `x` or `y`.

    `bend` is the derivative of the slope with respect to what that reads, in tensor operations.  `slope_name` is what
    PyTorch calls the gradient, if not after the function, and `formula` what to show of it, if the slope is no plain
    formula; the other options are those of `of_node`.
    """
    reads = slope.__code__.co_varnames[0]
    kind = CurveOfOutput if reads == "y" else Curve
    members = {
        "__module__": __name__,
        "forward": value if isinstance(value, np.ufunc) else Curve.forward,
        "value": staticmethod(value),
        "slope": staticmethod(slope),
        "bend": staticmethod(bend),
        "slope_name": slope_name,
        "__doc__": None,
        "formulas": () if formula is None else (formula,),
        "gradients": (lambda g, y: g * slope(y),) if reads == "y" else (lambda g, x: g * slope(x),),
    }
    return of_node(lambda name: type(name, (base, kind) if base is not Unary else (kind,), members), *on, **options)


class Slope(Binary):
    """`g * f'(x)` for the slope of the function `curve`.   dg = h * f'(x),  dx = h * g * f''(x)."""

    __slots__ = ("curve",)
    keep = keep_inputs

    def __init__(self, curve: Sloping) -> None:
        self.curve = curve

    def forward(self, g: Array, x: Array) -> Array:
        return self.curve.scaled_slope(g, x)

    def da(self, h: Tensor) -> Tensor:
        return Slope(self.curve)(h, self.kept(1))

    def db(self, h: Tensor) -> Tensor:
        return self.curve.bent(h, self.kept(0), self.kept(1))

    def name(self) -> str:
        return self.curve.slope_name or self.curve.name().replace("Backward", "BackwardBackward")


def of_elements(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute` of arrays of one shape, element by element, made `workable`; `restored` as the last of them."""
    x = arrays[-1]
    if x.ndim and x.dtype != _HALF:
        return by_blocks(compute, *arrays)
    return restored(by_blocks(compute, *[workable(each) for each in arrays]), x)


def workable(x: Array) -> Array:
    """`x` with at least one dimension, since NumPy makes numbers of 0-d arrays, and in float32 if it is a float16."""
    wide = x.astype(np.float32) if x.dtype == _HALF else x
    return wide if wide.ndim else wide.reshape(1)


def restored(y: Array, x: Array) -> Array:
    """`y`, computed of `workable(x)`, in the dtype and shape of `x`; not a view if it need not be one."""
    y = y.astype(x.dtype, copy=False)
    return y if y.shape == x.shape else y.reshape(x.shape)
