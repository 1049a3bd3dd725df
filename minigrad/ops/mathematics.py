"""Mathematical functions of each element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.base import TensorBase
from minigrad.core.dtypes import Array, dtype
from minigrad.core.elementwise import Elementwise, cast, floating, masked
from minigrad.core.tape import Unary, keep_input_and_output, keep_inputs, keep_output
from minigrad.ops import erf as _erf
from minigrad.ops.rounding import checked_floating
from minigrad.ops.selecting import where
from minigrad.ops.slope import Curve, CurveOfOutput, restored, workable

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Floating(Unary):
    """A unary op whose result is floating point, also for integers."""

    __slots__ = ()

    def __call__(self, x: Any) -> Any:
        return super().__call__(x if x._array.dtype.kind == "f" else cast(x, dtypes.get_default_dtype()))


# ---- exponentials and logarithms -------------------------------------------------------------------------------------


class Exp(Floating):
    """`e**x`, its own derivative.   dx = g * y."""

    __slots__ = ()
    keep = keep_output
    forward = np.exp

    def dx(self, g: Tensor) -> Tensor:
        return g * self.kept_output(g)


class Exp2(Floating):
    """`2**x`.   dx = g * y * log(2)."""

    __slots__ = ()
    keep = keep_output
    forward = np.exp2

    def dx(self, g: Tensor) -> Tensor:
        return g * self.kept_output(g) * math.log(2)


class Expm1(Floating):
    """`e**x - 1`, to all digits also near 0.   dx = g * (y + 1)."""

    __slots__ = ()
    keep = keep_output
    forward = np.expm1

    def dx(self, g: Tensor) -> Tensor:
        return g * (self.kept_output(g) + 1)


class Log(Floating):
    """The natural logarithm of `x`.   dx = g / x."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.log

    def dx(self, g: Tensor) -> Tensor:
        return g / self.kept(0)


class Log1p(Floating):
    """`log(1 + x)`, to all digits also near 0.   dx = g / (x + 1)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.log1p

    def dx(self, g: Tensor) -> Tensor:
        return g / (self.kept(0) + 1)

    def name(self) -> str:
        return "Log1PBackward0"


class Log2(Floating):
    """The logarithm of `x` to base 2.   dx = g / (x * log(2))."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.log2

    def dx(self, g: Tensor) -> Tensor:
        return g / (self.kept(0) * math.log(2))


class Log10(Floating):
    """The logarithm of `x` to base 10.   dx = g / (x * log(10))."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.log10

    def dx(self, g: Tensor) -> Tensor:
        return g / (self.kept(0) * math.log(10))


# ---- powers ----------------------------------------------------------------------------------------------------------


class Sqrt(Floating):
    """The square root of `x`.   dx = g / (2 * y)."""

    __slots__ = ()
    keep = keep_output
    forward = np.sqrt

    def dx(self, g: Tensor) -> Tensor:
        return g / (2 * self.kept_output(g))


class Rsqrt(Floating):
    """`1 / sqrt(x)`.   dx = -g * y**3 / 2."""

    __slots__ = ()
    keep = keep_output

    def forward(self, x: Array) -> Array:
        return restored(1 / np.sqrt(workable(x)), x)

    def dx(self, g: Tensor) -> Tensor:
        return g * -0.5 * self.kept_output(g) ** 3


class Reciprocal(Floating):
    """`1 / x`.   dx = -g * y**2."""

    __slots__ = ()
    keep = keep_output
    forward = np.reciprocal

    def dx(self, g: Tensor) -> Tensor:
        y = self.kept_output(g)
        return -g * (y * y)


# ---- trigonometry ----------------------------------------------------------------------------------------------------


class Sin(Floating):
    """The sine of `x`.   dx = g * cos(x)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.sin

    def dx(self, g: Tensor) -> Tensor:
        return g * self.kept(0).cos()


class Cos(Floating):
    """The cosine of `x`.   dx = -g * sin(x)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.cos

    def dx(self, g: Tensor) -> Tensor:
        return g * -self.kept(0).sin()


class Tan(Floating):
    """The tangent of `x`.   dx = g * (1 + y**2)."""

    __slots__ = ()
    keep = keep_output
    forward = np.tan

    def dx(self, g: Tensor) -> Tensor:
        y = self.kept_output(g)
        return g * (1 + y * y)


class Asin(Floating):
    """The angle in [-pi/2, pi/2] whose sine is `x`.   dx = g / sqrt(1 - x**2)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.arcsin

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        return g * (1 - x * x).rsqrt()


class Acos(Floating):
    """The angle in [0, pi] whose cosine is `x`.   dx = -g / sqrt(1 - x**2)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.arccos

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        return g * -(1 - x * x).rsqrt()


class Atan(Floating):
    """The angle in [-pi/2, pi/2] whose tangent is `x`.   dx = g / (x**2 + 1)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.arctan

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        return g / (x * x + 1)


class Atan2(Elementwise):
    """The angle of the point `(b, a)`.   da = g * b / (a**2 + b**2),  db = -g * a / (a**2 + b**2);  0 at the origin."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.arctan2

    def result_dtype(self, x: Any, y: Any) -> dtype:
        return floating(dtypes.result_type(x, y))

    def da(self, g: Tensor) -> Tensor:
        return g * (self.kept(1) * self._inverse_square())

    def db(self, g: Tensor) -> Tensor:
        return g * (-self.kept(0) * self._inverse_square())

    def _inverse_square(self) -> Tensor:
        a, b = self.kept(0), self.kept(1)
        square = a * a + b * b
        return masked(square.reciprocal(), square._array != 0)


class Hypot(Elementwise):
    """`sqrt(a**2 + b**2)`, without overflow on the way.   da = g * a / y,  db = g * b / y."""

    __slots__ = ()
    keep = keep_input_and_output

    def forward(self, a: Array, b: Array) -> Array:
        return np.hypot(checked_floating("hypot", a), b)

    def da(self, g: Tensor) -> Tensor:
        return g * (self.kept(0) / self.kept_output(g))

    def db(self, g: Tensor) -> Tensor:
        return g * (self.kept(1) / self.kept_output(g))


# ---- hyperbolic and sigmoid functions --------------------------------------------------------------------------------


class Sinh(Floating):
    """The hyperbolic sine of `x`.   dx = g * cosh(x)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.sinh

    def dx(self, g: Tensor) -> Tensor:
        return g * self.kept(0).cosh()


class Cosh(Floating):
    """The hyperbolic cosine of `x`.   dx = g * sinh(x)."""

    __slots__ = ()
    keep = keep_inputs
    forward = np.cosh

    def dx(self, g: Tensor) -> Tensor:
        return g * self.kept(0).sinh()


class Tanh(Floating, CurveOfOutput):
    """The hyperbolic tangent of `x`.   dx = g * (1 - y**2)."""

    __slots__ = ()
    # Unlike array code, a ufunc takes 0-d arrays and float16 as they are.
    forward = np.tanh  # type: ignore[assignment]

    def slope(self, y: Array) -> Array:
        slope = np.multiply(y, y)
        return np.subtract(1, slope, out=slope)

    def bend(self, y: Any) -> Any:
        return -2 * y


class Sigmoid(Floating, CurveOfOutput):
    """`1 / (1 + exp(-x))`.   dx = g * y * (1 - y)."""

    __slots__ = ()

    def value(self, x: Array) -> Array:
        return sigmoid(x)

    def slope(self, y: Array) -> Array:
        slope = np.subtract(1, y)
        slope *= y
        return slope

    def bend(self, y: Any) -> Any:
        return 1 - 2 * y


class Logit(Floating):
    """`log(x / (1 - x))`, the inverse of sigmoid.   dx = g / (x * (1 - x)), nan outside [0, 1].

    With `eps`, `x` is first clamped to [eps, 1 - eps], and dx is 0 outside.
    """

    __slots__ = ("eps",)
    keep = keep_inputs

    def __init__(self, eps: float | None) -> None:
        self.eps = eps

    def forward(self, x: Array) -> Array:
        if self.eps is not None:
            low, high = x.dtype.type(self.eps), x.dtype.type(1 - self.eps)
            x = np.where(x < low, low, np.where(x > high, high, x))
        return np.log(x / (1 - x))

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        low, high = (0, 1) if self.eps is None else (self.eps, 1 - self.eps)
        inside = (x._array >= low) & (x._array <= high)
        gradient = g / (x * (1 - x))
        return where(g._new(inside), gradient, math.nan if self.eps is None else 0.0)


class Erf(Floating, Curve):
    """The error function, `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 to `x`: see `minigrad.ops.erf`.

    dx = g * 2 / sqrt(pi) * exp(-x**2).
    """

    __slots__ = ()
    slope_name = "MulBackward0"

    def forward(self, x: Array) -> Array:
        return _erf.erf(x)

    def slope(self, x: Array) -> Array:
        slope = np.multiply(x, x)
        np.negative(slope, out=slope)
        np.exp(slope, out=slope)
        slope *= 2 / math.sqrt(math.pi)
        return slope

    def bend(self, x: Any) -> Any:
        return x * (-x * x).exp() * (-4 / math.sqrt(math.pi))


class Logaddexp(Elementwise):
    """`log(exp(a) + exp(b))`, without overflow on the way.   da = g / (1 + exp(b - a)),  db = g / (1 + exp(a - b))."""

    __slots__ = ()
    keep = keep_inputs

    def forward(self, a: Array, b: Array) -> Array:
        return np.logaddexp(checked_floating("logaddexp", a), b)

    def da(self, g: Tensor) -> Tensor:
        return g / (1 + (self.kept(1) - self.kept(0)).exp())

    def db(self, g: Tensor) -> Tensor:
        return g / (1 + (self.kept(0) - self.kept(1)).exp())


class Xlogy(Elementwise):
    """`a * log(b)`; where a = 0 it is 0, unless b is nan.

    da = g * log(b), 0 where a = 0 and b <= 0;  db = g * a / b.
    """

    __slots__ = ("form",)
    keep = keep_inputs
    rounds_numbers = True

    def __init__(self, form: int) -> None:
        self.form = form

    def result_dtype(self, x: Any, y: Any) -> dtype:
        return floating(dtypes.result_type(x, y))

    def forward(self, a: Array, b: Any) -> Array:
        # Alone, a number would have float64 for its logarithm.
        y = np.asarray(b, a.dtype)
        return np.where((a == 0) & ~np.isnan(y), y.dtype.type(0), a * np.log(y))

    def da(self, g: Tensor) -> Tensor:
        a, b = self.kept(0), self.kept(1)
        base: Any = b if isinstance(b, TensorBase) else g._new(np.asarray(b, g._array.dtype))
        return g * where(g._new((a._array == 0) & (base._array <= 0)), 1.0, base).log()

    def db(self, g: Tensor) -> Tensor:
        return g * self.kept(0) / self.kept(1)

    def name(self) -> str:
        return f"XlogyBackward{self.form}"


def xlogy(a: Any, b: Any) -> Any:
    """`a * log(b)` of two tensors, or of a tensor and a number in either place."""
    form = 1 if not isinstance(a, TensorBase) else 2 if not isinstance(b, TensorBase) else 0
    return Xlogy(form)(a, b)


def sigmoid(x: Array) -> Array:
    """`1 / (1 + exp(-x))` of a `workable` array."""
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)
