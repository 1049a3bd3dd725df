"""Activation functions: what networks put between their linear layers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import chosen, cleared
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Elementwise, masked
from minigrad.core.tape import Unary, keep_inputs, keep_output
from minigrad.core.tensor import Tensor
from minigrad.declare import of_node
from minigrad.ops.curves import Curve, CurveByPart, Piecewise, Slope, restored, workable
from minigrad.ops.erf import erf
from minigrad.ops.mathematics import sigmoid_of as sigmoid
from minigrad.ops.selecting import clipped


class FloatingOnly(Unary):
    """An op on floating-point numbers; a NotImplementedError, which names the `kernel` of PyTorch's, for others."""

    __slots__ = ()
    kernel: ClassVar[str]

    def __call__(self, x: Any) -> Any:
        if x._array.dtype.kind != "f":
            raise NotImplementedError(
                f"\"{self.kernel}\" not implemented for '{x.dtype._tensor_name}': convert it first, x.float()"
            )
        return super().__call__(x)


class Gate(Piecewise):
    """An op that is the identity where its slope is 1, and constant where it is 0; a subclass says where: `passes(x)`.

    dx = g where it passes, else 0.
    """

    __slots__ = ()

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return cleared(self.passes(x), g)

    def passes(self, x: Array) -> Array:
        """Where the slope is 1."""
        raise NotImplementedError


# ---- straight lines --------------------------------------------------------------------------------------------------


def _inverted(mask: Any) -> Array:
    """`~mask`, in the memory of `mask`; NumPy's comparisons of 0-d arrays give scalars, which have none."""
    return np.logical_not(mask, out=mask) if isinstance(mask, np.ndarray) else np.logical_not(mask)


class Relu(Gate):
    """`max(x, 0)`.   dx = g, but 0 where y <= 0."""

    __slots__ = ()
    keep = keep_output
    slope_name = "ThresholdBackwardBackward0"

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            raise RuntimeError("Boolean inputs not supported for relu: expected numbers, got torch.bool.")
        # Of -0.0 and 0.0 np.maximum gives the second, but for float16, where it is the larger one.
        return np.maximum(x.dtype.type(0), x) if x.dtype != np.float16 else cleared(_inverted(x < 0), x)

    def dx(self, g: Tensor) -> Tensor:
        return Slope(self)(g, self.kept_output(g))

    def passes(self, x: Array) -> Array:
        # The output is as good as the input: it is above 0 where that is.
        return _inverted(x <= 0)


@of_node(lambda name: Relu)
def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).relu()
    tensor([0., 0., 1.])
    """


class Hardtanh(Gate):
    """`x`, raised to `low` and lowered to `high`.   dx = g, but 0 where x <= low or x >= high."""

    __slots__ = ("high", "low")

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            raise RuntimeError("Bool inputs not supported for hardtanh: expected numbers, such as x.long()")
        of_type = dtypes.of(x)
        # The limits of integers are cut to integers.
        low, high = (self.low, self.high) if of_type.is_floating_point else (int(self.low), int(self.high))
        if not of_type.is_signed and (low < 0 or high < 0):
            raise RuntimeError(f"cannot do hardtanh on an unsigned type with negative limits, got {of_type!r}")
        return clipped(x, dtypes.filler(low, of_type), dtypes.filler(high, of_type))

    def passes(self, x: Array) -> Array:
        return ~((x <= self.low) | (x >= self.high))


class LeakyRelu(FloatingOnly, Piecewise):
    """`x` where it is above 0, else `x * negative_slope`.   dx = g where x > 0, else g * negative_slope."""

    __slots__ = ("form", "negative_slope")
    kernel = "leaky_relu_cpu"

    def __init__(self, negative_slope: float, form: int) -> None:
        self.negative_slope = negative_slope
        self.form = form

    def forward(self, x: Array) -> Array:
        # Both lines go through 0: the value is the slope times x.
        return self.scaled_slope(x, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return chosen(x > 0, g, restored(workable(g) * self.negative_slope, g))

    def name(self) -> str:
        return f"LeakyReluBackward{self.form}"


class Prelu(Elementwise):
    """`a` where it is above 0, else `a * b`.   da = g where a > 0, else g * b;  db = g * a where a <= 0, else 0."""

    __slots__ = ()
    keep = keep_inputs

    def forward(self, a: Array, b: Array) -> Array:
        return chosen(a > 0, a, a * b)

    def da(self, g: Tensor) -> Tensor:
        a, b = self.kept(0), self.kept(1)
        return masked(g, a._array > 0) + masked(g * b, ~(a._array > 0))

    def db(self, g: Tensor) -> Tensor:
        a = self.kept(0)
        return masked(g * a, ~(a._array > 0))

    def name(self) -> str:
        return "PreluKernelBackward0"


# ---- smooth functions ------------------------------------------------------------------------------------------------


class Elu(FloatingOnly, Curve):
    """`x` where x > 0, else `alpha * (exp(x) - 1)`.   dx = g where x > 0, else g * alpha * exp(x)."""

    __slots__ = ("alpha", "form")
    kernel = "elu_cpu"

    def __init__(self, alpha: float, form: int) -> None:
        self.alpha = alpha
        self.form = form

    def value(self, x: Array) -> Array:
        below = np.expm1(x)
        below *= self.alpha
        return chosen(x < 0, below, x)

    def slope(self, x: Array) -> Array:
        below = np.exp(x)
        below *= self.alpha
        return chosen(x <= 0, below, np.ones((), x.dtype))

    def bend(self, x: Any) -> Any:
        below = x._array < 0
        # Masked before as well, since the exponential of what is not below may overflow.
        return masked(masked(x, below).exp() * self.alpha, below)

    def name(self) -> str:
        return f"EluBackward{self.form}"


class Softplus(FloatingOnly, Curve):
    """`log(1 + exp(beta * x)) / beta`, but `x` where `beta * x > threshold`.   dx = g * sigmoid(beta * x), or g."""

    __slots__ = ("beta", "threshold")
    kernel = "softplus_cpu"

    def __init__(self, beta: float, threshold: float) -> None:
        self.beta = beta
        self.threshold = threshold

    def value(self, x: Array) -> Array:
        y = x * self.beta
        beyond = y > self.threshold
        np.exp(y, out=y)
        np.log1p(y, out=y)
        y /= self.beta
        return chosen(beyond, x, y) if beyond.any() else y

    def slope(self, x: Array) -> Array:
        z = x * self.beta
        beyond = z > self.threshold
        return chosen(beyond, np.ones((), x.dtype), sigmoid(z)) if beyond.any() else sigmoid(z)

    def bend(self, x: Any) -> Any:
        # In PyTorch the threshold itself is on the curve, whose value and slope it has, but without a bend.
        s = (x * self.beta).sigmoid()
        return masked(self.beta * s * (1 - s), ~(x._array * self.beta >= self.threshold))


class LogSigmoid(FloatingOnly, Curve):
    """`log(sigmoid(x))`, without overflow on the way.   dx = g * sigmoid(-x)."""

    __slots__ = ()
    kernel = "log_sigmoid_cpu"

    def value(self, x: Array) -> Array:
        return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))

    def slope(self, x: Array) -> Array:
        return sigmoid(-x)

    def bend(self, x: Any) -> Any:
        s = x.sigmoid()
        return s * (s - 1)


class Silu(FloatingOnly, CurveByPart):
    """`x * s` for `s = sigmoid(x)`.   dx = g * s * (1 + x * (1 - s))."""

    __slots__ = ()
    kernel = "silu_cpu"
    slope_name = "MulBackward0"

    def part(self, x: Array) -> Array:
        return sigmoid(x)

    def value_by(self, x: Array, part: Array) -> Array:
        return x * part

    def slope_by(self, x: Array, part: Array, out: Array) -> Array:
        slope = np.subtract(1, part, out=out)
        slope *= x
        slope += 1
        slope *= part
        return slope

    def bend(self, x: Any) -> Any:
        s = x.sigmoid()
        return s * (1 - s) * (2 + x * (1 - 2 * s))


class Gelu(FloatingOnly, CurveByPart):
    """`x * P(x)`, for the probability `P(x) = (1 + erf(x / sqrt(2))) / 2` that a normal number is below `x`.

    dx = g * (P(x) + x * p(x)), with the density `p(x) = exp(-x**2 / 2) / sqrt(2 * pi)`.
    """

    __slots__ = ()
    kernel = "GeluKernelImpl"

    def part(self, x: Array) -> Array:
        below = erf(x * x.dtype.type(math.sqrt(0.5)))
        below += 1
        below *= 0.5
        return below

    def value_by(self, x: Array, part: Array) -> Array:
        return x * part

    def slope_by(self, x: Array, part: Array, out: Array) -> Array:
        slope = np.multiply(x, x, out=out)
        slope *= -0.5
        np.exp(slope, out=slope)
        slope *= x
        slope *= 1 / math.sqrt(2 * math.pi)
        slope += part
        return slope

    def bend(self, x: Any) -> Any:
        return (-0.5 * x * x).exp() * (2 - x * x) * (1 / math.sqrt(2 * math.pi))


class GeluTanh(FloatingOnly, CurveByPart):
    """`x * p` for `p = (1 + tanh(u)) / 2`, `u = sqrt(2 / pi) * (x + 0.044715 * x**3)`: close to gelu.

    dx = g * (p + x * p * (1 - p) * 2 * u'), with `u' = sqrt(2 / pi) * (1 + 3 * 0.044715 * x**2)`.
    """

    __slots__ = ()
    kernel = "GeluKernelImpl"
    a: ClassVar[float] = math.sqrt(2 / math.pi)
    b: ClassVar[float] = math.sqrt(2 / math.pi) * 0.044715

    def part(self, x: Array) -> Array:
        p = np.multiply(x, x)
        p *= self.b
        p += self.a
        p *= x
        np.tanh(p, out=p)
        p *= 0.5
        p += 0.5
        return p

    def value_by(self, x: Array, part: Array) -> Array:
        return x * part

    def slope_by(self, x: Array, part: Array, out: Array) -> Array:
        slope = np.multiply(x, x, out=out)
        slope *= 6 * self.b
        slope += 2 * self.a
        slope *= x
        rest = np.subtract(1, part)
        rest *= part
        slope *= rest
        slope += part
        return slope

    def bend(self, x: Any) -> Any:
        square = x * x
        t = (x * (self.a + self.b * square)).tanh()
        first = self.a + 3 * self.b * square
        return (1 - t * t) * (first + x * (3 * self.b * x - t * first * first))

    def name(self) -> str:
        return "GeluBackward0"
