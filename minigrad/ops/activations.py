"""Activations: functions of each element, curves, which networks put between their linear layers.

Their gradient is one step: the upstream gradient times a slope that array code computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import ONE, chosen, cleared, laid_out
from minigrad.core.dtypes import HALVES, Array
from minigrad.core.elementwise import Elementwise, Floating, masked, zeroed
from minigrad.core.modes import current
from minigrad.core.tape import Binary, Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import EVERYWHERE, of_node, op
from minigrad.ops.casting import check_floating, in_float32
from minigrad.ops.comparison import clipped
from minigrad.ops.dims import normal_dim
from minigrad.ops.fused import BLOCK, blocked
from minigrad.ops.joining import cat


class Curve(Unary):
    """`y = f(x)` for each element.

    A subclass says `value(x)` and `slope(x)` of `workable` arrays, both of which make new ones; and `bend(x)`, the
    derivative of the slope, in tensor operations, unless the curve is made of straight lines.
    """

    formulas = ("dx = g * f'(x), one step: a Slope, told by x, or by y if that is kept",)

    #: What PyTorch calls the operation that computes the gradient, if not after this one.
    slope_name: ClassVar[str | None] = None

    #: What PyTorch calls its code, in the error for integers; "" if there is none.
    kernel: ClassVar[str] = ""
    value: ClassVar[Callable[..., Array]]
    slope: ClassVar[Callable[..., Array]]

    def forward(self, x: Array) -> Array:
        if self.kernel:
            check_floating(self.kernel, x)
        return of_elements(self.value, x)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return Slope(self)(g, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        """The slope at `x` times `g`."""
        return of_elements(self.scaled, g, x)

    def scaled(self, g: Array, *read: Array) -> Array:
        """The slope times `g`, of `workable` arrays."""
        slope = self.slope(*read)
        slope *= g
        return slope

    def bend(self, x: Tensor) -> Any:
        """The derivative of the slope at `x`; None for 0."""
        return None


class OfOutput(Curve):
    """A curve whose slope and bend are functions of its output, which is kept in place of `x`."""

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return Slope(self)(g, y)


class Slope(Binary):
    """`g * f'(x)` for the slope of the function `curve`."""

    formulas = ("dg = h * f'(x)", "dx = h * g * f''(x)")
    curve: Curve

    def __call__(self, g: Any, x: Any) -> Tensor:
        # Where no graph is recorded, a backward pass has seen to it already that nothing warns.
        return Binary.__call__(self, g, x) if current.enabled else g._new(self.forward(g._array, x._array))

    def forward(self, g: Array, x: Array) -> Array:
        return self.curve.scaled_slope(g, x)

    def da(self, h: Tensor, x: Tensor) -> Tensor:
        return Slope(self.curve)(h, x)

    def db(self, h: Tensor, g: Tensor, x: Tensor) -> Tensor:
        bend = self.curve.bend(x)
        return zeroed(h) if bend is None else h * g * bend

    def name(self) -> str:
        return self.curve.slope_name or self.curve.name().replace("Backward", "BackwardBackward")


class Gate(Curve):
    """`y = x * p(x)`: a subclass says `value(x)`, which is p, most of the work and kept, and `slope(x, p)`."""

    aside = ("_shares",)

    def forward(self, x: Array) -> Array:
        check_floating(self.kernel, x)
        wide = workable(x)
        self._shares: Array | None = blocked(self.value, wide)
        return restored(wide * self._shares, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        shares = blocked(self.value, workable(x)) if self._shares is None else self._shares
        return restored(blocked(self.scaled, workable(g), workable(x), shares), g)


def of_elements(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute` of arrays of one shape, element by element, made `workable`; `restored` as the last of them."""
    x = arrays[-1]
    if x.ndim and x.dtype not in HALVES:
        return compute(*arrays) if x.size <= BLOCK else blocked(compute, *arrays)
    return restored(blocked(compute, *[workable(each) for each in arrays]), x)


def workable(x: Array) -> Array:
    """`x` with at least one dimension, since NumPy makes numbers of 0-d arrays, and in float32 if it is of halves."""
    wide = x.astype(np.float32) if x.dtype in HALVES else x
    return wide if wide.ndim else wide.reshape(1)


def restored(y: Array, x: Array) -> Array:
    """`y`, computed of `workable(x)`, in the dtype and shape of `x`; not a view if it need not be one."""
    y = y.astype(x.dtype, copy=False)
    return y if y.shape == x.shape else y.reshape(x.shape)


def sigmoid_of(x: Array) -> Array:
    """`1 / (1 + exp(-x))` of a `workable` array."""
    y = np.negative(x)
    np.exp(y, y)
    np.add(y, ONE, y)
    return np.divide(ONE, y, y)


# ---- the error function: erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x ---------------------------------


def _arrays(of: type[np.floating], *numbers: float) -> list[Array]:
    """The numbers as 0-d arrays, because NumPy takes longer to look at a number."""
    return [np.array(each, of) for each in numbers]


# erf(x) = tanh(x * P(x**2) / Q(x**2)), to 1.6 units in the last place of a float32, where Q is 1, and to 0.1 of a
# float64.  The coefficients, from the highest power on as all here, are a least-squares fit on [0, 3.92] and [0, 5.95],
# beyond which erf is 1; its weights were moved until the largest relative errors of erf were equal: C. L. Lawson,
# "Contributions to the Theory of Linear Least Maximum Approximation", 1961.
_P32 = _arrays(
    np.float32, 1.418488495e-7, -5.668412814e-6, 8.763691615e-5, -6.197834849e-4, -1.918322693e-4, 0.1027690565,
    1.128379274,
)  # fmt: skip
_P64 = _arrays(
    np.float64, 4.672831601708978e-10, 6.44457301887066074e-8, 2.28672338698229443e-6, 4.58489311209826702e-5,
    6.26126584018986138e-4, 6.02410881597845297e-3, 4.15682804221261938e-2, 0.201317924338929902,
    0.635323748299165025, 1.12837916709551259,
)  # fmt: skip
_Q64 = _arrays(
    np.float64, 2.86658419573854116e-11, 1.38028307702342987e-8, 8.04248345701034259e-7, 1.90605587225135255e-5,
    3.02775143422292228e-4, 3.26761190342522182e-3, 2.50978352840178141e-2, 0.135612607864794714,
    0.471961163877238211, 1.0,
)  # fmt: skip


def erf_of(x: Array) -> Array:
    """`erf(x)`, within 4 units in the last place of a float32 or float64; halves are computed as float32.

    >>> erf_of(np.array([0.0, 0.5, -np.inf]))
    array([ 0.        ,  0.52049988, -1.        ])
    """
    if x.dtype == np.float64:
        return blocked(_erf_double, x)
    return blocked(_erf_single, x.astype(np.float32, copy=False)).astype(x.dtype, copy=False)


def _erf_single(x: Array) -> Array:
    y = _polynomial(_P32, x * x)
    y *= x
    return np.tanh(y, y)


def _erf_double(x: Array) -> Array:
    # Where x**2 were infinite, P / Q would be nan; from here on tanh is 1 anyway.
    t = np.minimum(x * x, 100.0)
    y = _polynomial(_P64, t)
    y /= _polynomial(_Q64, t)
    y *= x
    return np.tanh(y, y)


def _polynomial(coefficients: Sequence[Array], t: Array) -> Array:
    """The polynomial in `t` with these coefficients, from the highest power on: by Horner's rule."""
    out = np.asarray(t * coefficients[0])
    for coefficient in coefficients[1:-1]:
        out += coefficient
        out *= t
    out += coefficients[-1]
    return out


def _applied(curve: Curve, input: Tensor, inplace: bool) -> Tensor:
    """The curve of the input, written into the input itself if `inplace`."""
    return input._rewrite(curve) if inplace else curve(input)


# ---- straight lines --------------------------------------------------------------------------------------------------


class Relu(OfOutput):
    """`max(x, 0)`."""

    formulas = ("dx = g, but 0 where y <= 0",)
    slope_name = "ThresholdBackwardBackward0"

    def forward(self, x: Array) -> Array:
        if x.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu: expected numbers, got torch.bool.")
        return clipped(x, x.dtype.type(0), None)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return cleared(~(x <= 0), g)


@of_node(Relu)
def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).relu()
    tensor([0., 0., 1.])
    """


@op("nn.functional", name="relu")
def relu_layer(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""
    return input.relu_() if inplace else Relu()(input)


@op("nn.functional")
def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""
    return input.relu_()


class Hardtanh(Curve):
    """`x`, raised to `low` and lowered to `high`."""

    formulas = ("dx = g, but 0 where x <= low or x >= high",)
    low: float
    high: float

    def forward(self, x: Array) -> Array:
        if x.dtype == bool or (x.dtype == np.uint8 and self.low <= -1):
            raise RuntimeError(
                f"{dtypes.of(x)!r} inputs not supported for hardtanh: expected numbers, such as x.long()"
            )
        # The limits of integers are cut to integers.
        return clipped(x, self.low, self.high).astype(x.dtype, copy=False)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return cleared(~((x <= self.low) | (x >= self.high)), g)


@op("nn.functional")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, raised to `min_val` and lowered to `max_val`; a ValueError if these are in the wrong order."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val: got {min_val} and {max_val}")
    return _applied(Hardtanh(min_val, max_val), input, inplace)


class LeakyRelu(Curve):
    """`x` where it is above 0, else `x * negative_slope`."""

    formulas = ("dx = g where x > 0, else g * negative_slope",)
    negative_slope: float
    form: str

    def forward(self, x: Array) -> Array:
        check_floating("leaky_relu_cpu", x)
        if 0 < self.negative_slope <= 1 and x.ndim and x.dtype not in HALVES:
            below = x * self.negative_slope
            return np.maximum(x, below, out=below)
        # Both lines go through 0: the value is the slope times x.
        return self.scaled_slope(x, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return of_elements(lambda g, x: chosen(x > 0, g, g * self.negative_slope), g, x)


@op("nn.functional")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `negative_slope * x`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.leaky_relu(tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    form = "LeakyReluBackward1" if inplace else "LeakyReluBackward0"
    return _applied(LeakyRelu(float(negative_slope), form), input, inplace)


class Prelu(Elementwise):
    """`a` where it is above 0, else `a * b`."""

    form = "PreluKernelBackward0"
    formulas = ("da = g where a > 0, else g * b", "db = g * a where a <= 0, else 0")

    def forward(self, a: Array, b: Array) -> Array:
        return chosen(a > 0, a, a * b)

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return masked(g, a._array > 0) + masked(g * b, ~(a._array > 0))

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return masked(g * a, ~(a._array > 0))


@op("nn.functional")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`x` where it is positive, else `weight * x`: one weight for all, or one per channel, which is dimension 1.

    `input` is `(N, C, *)`, `weight` is `(C,)`, `(1,)` or 0-d; a RuntimeError for others.
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.dtype is not input.dtype:
        raise RuntimeError("prelu: Type promoting not supported: weight.to(input.dtype)")
    if weight.ndim > 1 or weight.numel() not in (1, channels):
        raise RuntimeError(f"prelu: expected a weight, or one for each of {channels} channels, but got {weight.shape}")
    shape = [-1, *[1] * (input.ndim - 2)] if weight.numel() > 1 else [1] * min(input.ndim, 1)
    return Prelu()(input, weight if list(weight.shape) == shape else weight.reshape(shape))


# ---- smooth functions ------------------------------------------------------------------------------------------------


class Tanh(OfOutput, Floating):
    """`tanh(x)`."""

    formulas = ("dx = g * (1 - y * y)",)
    forward = np.tanh  # type: ignore[assignment]  # a ufunc, in place of `value` of blocks

    def slope(self, y: Array) -> Array:
        slope = np.multiply(y, y)
        return np.subtract(ONE, slope, out=slope)

    def bend(self, y: Tensor) -> Tensor:
        return -2 * y


@of_node(Tanh, *EVERYWHERE, "nn.functional")
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of each element.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).tanh()
    tensor([-0.7616,  0.0000,  0.7616])
    """


class Sigmoid(OfOutput, Floating):
    """`1 / (1 + exp(-x))`."""

    formulas = ("dx = g * ((1 - y) * y)",)
    value = staticmethod(sigmoid_of)

    def slope(self, y: Array) -> Array:
        return (1 - y) * y

    def bend(self, y: Tensor) -> Tensor:
        return 1 - 2 * y


@of_node(Sigmoid, *EVERYWHERE, "nn.functional")
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))` of each element.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).sigmoid()
    tensor([0.2689, 0.5000, 0.7311])
    """


class Erf(Curve, Floating):
    """`erf(x)`."""

    formulas = ("dx = g * 2 / sqrt(pi) * exp(-x**2)",)
    slope_name = "MulBackward0"
    value = staticmethod(erf_of)

    def slope(self, x: Array) -> Array:
        slope = np.multiply(x, x)
        np.negative(slope, out=slope)
        np.exp(slope, out=slope)
        slope *= 2 / math.sqrt(math.pi)
        return slope

    def bend(self, x: Tensor) -> Tensor:
        return (-x * x).exp() * x * (-4 / math.sqrt(math.pi))


@of_node(Erf)
def erf(input: Tensor) -> Tensor:
    """The error function of each element: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 on.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).erf()
    tensor([-0.8427,  0.0000,  0.8427])
    """


class Elu(Curve):
    """`x` where x > 0, else `alpha * (exp(x) - 1)`."""

    formulas = ("dx = g where x > 0, else g * alpha * exp(x)",)
    kernel = "elu_cpu"
    alpha: float
    form: str

    def value(self, x: Array) -> Array:
        below = np.expm1(x)
        return chosen(x < 0, below if self.alpha == 1 else below * self.alpha, x)

    def scaled(self, g: Array, x: Array) -> Array:  # type: ignore[override]  # it reads x
        slope = np.exp(x)
        slope *= g
        return chosen(x <= 0, slope if self.alpha == 1 else slope * self.alpha, g)

    def bend(self, x: Tensor) -> Tensor:
        below = x._array < 0
        # Masked before as well, since the exponential of what is not below may overflow.
        return masked(masked(x, below).exp() * self.alpha, below)


@op("nn.functional")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    form = "EluBackward1" if inplace else "EluBackward0"
    return _applied(Elu(float(alpha), form), input, inplace)


class Softplus(Curve):
    """`log(1 + exp(beta * x)) / beta`, but `x` where `beta * x > threshold`."""

    formulas = ("dx = g * sigmoid(beta * x), or g",)
    kernel = "softplus_cpu"
    beta: float
    threshold: float

    def value(self, x: Array) -> Array:
        z = x if self.beta == 1 else x * self.beta
        y = np.exp(z)
        np.log1p(y, out=y)
        return self.beyond(z, x, y if self.beta == 1 else y / self.beta)

    def scaled(self, g: Array, x: Array) -> Array:  # type: ignore[override]  # it reads x
        z = x if self.beta == 1 else x * self.beta
        return self.beyond(z, g, sigmoid_of(z) * g)

    def beyond(self, z: Array, a: Array, b: Array) -> Array:
        """`a` where z is beyond the threshold, else `b`."""
        holds = z > self.threshold
        return chosen(holds, a, b) if holds.size and holds.item(holds.argmax()) else b

    def bend(self, x: Tensor) -> Tensor:
        # In PyTorch the threshold itself is on the curve, whose value and slope it has, but without a bend.
        s = (x * self.beta).sigmoid()
        return masked(self.beta * s * (1 - s), ~(x._array * self.beta >= self.threshold))


@op("nn.functional")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.softplus(tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000])
    """
    return Softplus(float(beta), float(threshold))(input)


def log_sigmoid(x: Array) -> Array:
    """`log(1 / (1 + exp(-x)))`, without overflow for any x."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.absolute(x)))


class LogSigmoid(Curve):
    """`log(sigmoid(x))`."""

    formulas = ("dx = g * sigmoid(-x)",)
    kernel = "log_sigmoid_cpu"

    def value(self, x: Array) -> Array:
        return np.asarray(log_sigmoid(x), order="C")

    def slope(self, x: Array) -> Array:
        return sigmoid_of(-x)

    def bend(self, x: Tensor) -> Tensor:
        s = x.sigmoid()
        return s * (s - 1)


@of_node(LogSigmoid, "nn.functional")
def logsigmoid(input: Tensor) -> Tensor:
    """`log(sigmoid(x))`, without overflow on the way."""


class Silu(Gate):
    """`x * s` for `s = sigmoid(x)`."""

    formulas = ("dx = g * s * (1 + x * (1 - s))",)
    kernel = "silu_cpu"
    slope_name = "MulBackward0"

    value = staticmethod(sigmoid_of)

    def slope(self, x: Array, p: Array) -> Array:
        slope = np.subtract(1, p)
        slope *= x
        slope += 1
        slope *= p
        return slope

    def bend(self, x: Tensor) -> Tensor:
        s = x.sigmoid()
        return s * (1 - s) * (2 + x * (1 - 2 * s))


@op("nn.functional")
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`."""
    return _applied(Silu(), input, inplace)


class Gelu(Gate):
    """`x * P(x)`, for the probability `P(x) = (1 + erf(x / sqrt(2))) / 2` that a normal number is below `x`."""

    formulas = ("dx = g * (P(x) + x * p(x)), with the density `p(x) = exp(-x**2 / 2) / sqrt(2 * pi)`",)
    kernel = "GeluKernelImpl"

    def value(self, x: Array) -> Array:
        below = erf_of(x * x.dtype.type(math.sqrt(0.5)))
        below += 1
        below *= 0.5
        return below

    def slope(self, x: Array, p: Array) -> Array:
        slope = np.multiply(x, x)
        slope *= -0.5
        np.exp(slope, out=slope)
        slope *= x
        slope *= 1 / math.sqrt(2 * math.pi)
        slope += p
        return slope

    def bend(self, x: Tensor) -> Tensor:
        return (-0.5 * x * x).exp() * (2 - x * x) * (1 / math.sqrt(2 * math.pi))


class GeluTanh(Gate):
    """`x * p` for `p = (1 + tanh(u)) / 2`, `u = sqrt(2 / pi) * (x + 0.044715 * x**3)`: close to gelu."""

    form = "GeluBackward0"
    formulas = ("dx = g * (p + x * p * (1 - p) * 2 * u'), with `u' = sqrt(2 / pi) * (1 + 3 * 0.044715 * x**2)`",)
    kernel = "GeluKernelImpl"
    a: ClassVar[float] = math.sqrt(2 / math.pi)
    b: ClassVar[float] = math.sqrt(2 / math.pi) * 0.044715

    def value(self, x: Array) -> Array:
        p = np.multiply(x, x)
        p *= self.b
        p += self.a
        p *= x
        np.tanh(p, out=p)
        p *= 0.5
        p += 0.5
        return p

    def slope(self, x: Array, p: Array) -> Array:
        slope = np.multiply(x, x)
        slope *= 6 * self.b
        slope += 2 * self.a
        slope *= x
        rest = np.subtract(1, p)
        rest *= p
        slope *= rest
        slope += p
        return slope

    def bend(self, x: Tensor) -> Tensor:
        square = x * x
        t = (x * (self.a + self.b * square)).tanh()
        first = self.a + 3 * self.b * square
        return (1 - t * t) * (first + x * (3 * self.b * x - t * first * first))


@op("nn.functional")
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`.

    With `approximate="tanh"`, P is close to it, as in GPT-2: see `minigrad.ops.activations.GeluTanh`.
    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.gelu(tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    return (Gelu() if approximate == "none" else GeluTanh())(input)


# ---- gates: a half of the elements says how much of the other half goes on -------------------------------------------


@op("nn.functional")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """`a * sigmoid(b)` for the two halves a and b of `input` along `dim`: b says how much of a goes on.

    Source: Y. N. Dauphin et al., "Language modeling with gated convolutional networks" (2017).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.glu(torch.tensor([4.0, 6.0, 0.0, 100.0]))
    tensor([2., 6.])
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    along = normal_dim(dim, input.ndim)
    if input.shape[along] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {along} is size {input.shape[along]}")
    check_floating("glu_cpu", input)
    return in_float32(Glu(along), input)


class Glu(Unary):
    """`a * s(b)` for the halves a and b of `x` along `dim`, and the sigmoid s."""

    formulas = ("da = g * s(b)", "db = g * a * s(b) * (1 - s(b))")
    dim: int

    def forward(self, x: Array) -> Array:
        half, before = x.shape[self.dim] // 2, (slice(None),) * self.dim
        a = x[(*before, slice(half))]
        out = np.multiply(a, sigmoid_of(x[(*before, slice(half, None))]), order="C")
        return out if x.flags.c_contiguous else laid_out(out, a)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        a, b = x.chunk(2, self.dim)
        s = b.sigmoid()
        return cat([g * s, g * a * s * (1 - s)], self.dim)
