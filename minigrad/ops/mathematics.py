"""Mathematics of each element: a table of derivatives; curves, whose slope is computed on arrays; and arithmetic.

`g` is the upstream gradient, `x` the input, `y` the output (see `minigrad.declare`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from minigrad.core.arrays import BLOCK, HALF, ONE, WIDE_FLOATS, ZERO, blocked, chosen, cleared, copied, inverse, widened
from minigrad.core.dtypes import FLOATS, HALVES, Array, Number, bool_, computed_in, dtype, holds, result_type
from minigrad.core.modes import current
from minigrad.core.ops import Add, Div, Elementwise, Exp, Floating, Log, Mul, Neg, Sub, cast, masked, zeroed
from minigrad.core.tape import Binary, Node, Unary
from minigrad.core.tensor import Function, Operand, Tensor, method
from minigrad.declare import EVERYWHERE, Variant, as_number, node_of, of_node, op, rewritten, unary
from minigrad.ops.arguments import as_int, check_floating, check_numbers, filler
from minigrad.ops.comparison import Where, clipped
from minigrad.ops.fused import in_float32, named

#: A function on arrays.
Rule: TypeAlias = Callable[..., Array]


def numbers(kernel: str, of_floats: Rule, of_integers: Rule = copied) -> Callable[[Node, Array], Array]:
    """A `forward` for numbers, which leaves integers as they are unless told; for bools the error of that `kernel`."""

    def forward(self: Node, x: Array) -> Array:
        if x.dtype in FLOATS:
            return of_floats(x)
        check_numbers(kernel, x.dtype)
        return of_integers(x)

    return forward


def sign_of(x: Array) -> Array:
    """-1, 0 or 1 in the dtype of `x`; unlike np.sign, 0 where `x` is nan."""
    # NumPy subtracts integers of one byte many at a time.
    zero = ZERO if x.dtype in WIDE_FLOATS else 0
    return np.asarray((x > zero).view(np.int8) - (x < zero).view(np.int8)).astype(x.dtype)


# ---- signs and roundings: their slope is 0 wherever they have one ----------------------------------------------------


@unary(numbers("abs_cpu", np.absolute, np.absolute), lambda g, x: g * x.sign(), aliases=["absolute"])
def abs(input: Tensor) -> Tensor:
    """The absolute value of each element."""


method("__abs__")(Tensor.abs)


@unary(lambda _, x: sign_of(x), zeroed, formula="0")
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for elements below, at or above 0."""


@unary(lambda _, x: sign_of(x), zeroed, formula="0")
def sgn(input: Tensor) -> Tensor:
    """-1, 0 or 1 for elements below, at or above 0."""


@unary(numbers("floor_vml_cpu", np.floor), zeroed, formula="0")
def floor(input: Tensor) -> Tensor:
    """The largest whole number that is not above each element."""


@unary(numbers("ceil_vml_cpu", np.ceil), zeroed, formula="0")
def ceil(input: Tensor) -> Tensor:
    """The smallest whole number that is not below each element."""


@unary(numbers("trunc_vml_cpu", np.trunc), zeroed, formula="0", aliases=["fix"])
def trunc(input: Tensor) -> Tensor:
    """The whole part of each element: it is rounded towards 0."""


Round = node_of("Round", Unary, numbers("round_vml_cpu", np.rint), zeroed, "0")


@op(in_place=rewritten)
def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest whole number to each element, the even one of two; or the nearest with so many decimals.

    >>> import minigrad as torch
    >>> torch.tensor([0.5, 1.5, 2.345]).round()
    tensor([0., 2., 2.])
    >>> torch.tensor([2.345, 1234.5]).round(decimals=-2)
    tensor([   0., 1200.])
    """
    if decimals is None:
        return Round().of(input)
    check_floating("round_cpu", input)
    scale, form = 10.0 ** math.fabs(as_int(decimals)), "RoundBackward1"
    if decimals < 0:
        return in_float32(lambda x: named(Mul(), form).of(Round().of(x / scale), scale), input)
    return in_float32(lambda x: named(Div(), form).of(Round().of(x * scale), scale), input)


# ---- powers, exponentials and logarithms -----------------------------------------------------------------------------


@unary(np.sqrt, lambda g, y: g / (2 * y), Floating)
def sqrt(input: Tensor) -> Tensor:
    """The square root of each element."""


@unary(lambda _, x: restored(ONE / np.sqrt(workable(x)), x), lambda g, y: g * -0.5 * y**3, Floating)
def rsqrt(input: Tensor) -> Tensor:
    """1 over the square root of each element."""


@unary(staticmethod(inverse), lambda g, y: -g * (y * y), Floating)
def reciprocal(input: Tensor) -> Tensor:
    """1 over each element."""


@of_node(Exp)
def exp(input: Tensor) -> Tensor:
    """`e**x` for each element x, with e = 2.71828….

    >>> import minigrad as torch
    >>> torch.tensor([0.0, 1.0]).exp()
    tensor([1.0000, 2.7183])
    """


@unary(np.exp2, lambda g, y: g * y * math.log(2), Floating)
def exp2(input: Tensor) -> Tensor:
    """2 to the power of each element."""


@unary(np.expm1, lambda g, y: g * (y + 1), Floating)
def expm1(input: Tensor) -> Tensor:
    """`e**x - 1` for each element x: to all digits also near 0."""


@of_node(Log)
def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 0.0]).log()
    tensor([0.0000, 0.6931,   -inf])
    """


@unary(np.log1p, lambda g, x: g / (x + 1), Floating, name="Log1P")
def log1p(input: Tensor) -> Tensor:
    """The natural logarithm of 1 plus each element: to all digits also near 0."""


@unary(np.log2, lambda g, x: g / (x * math.log(2)), Floating)
def log2(input: Tensor) -> Tensor:
    """The logarithm of each element to base 2."""


@unary(np.log10, lambda g, x: g / (x * math.log(10)), Floating)
def log10(input: Tensor) -> Tensor:
    """The logarithm of each element to base 10."""


# ---- trigonometry ----------------------------------------------------------------------------------------------------


@unary(np.sin, lambda g, x: g * x.cos(), Floating)
def sin(input: Tensor) -> Tensor:
    """The sine of each element, an angle in radians."""


@unary(np.cos, lambda g, x: g * -x.sin(), Floating)
def cos(input: Tensor) -> Tensor:
    """The cosine of each element, an angle in radians."""


@unary(np.tan, lambda g, y: g * (1 + y * y), Floating)
def tan(input: Tensor) -> Tensor:
    """The tangent of each element, an angle in radians."""


@unary(np.arcsin, lambda g, x: g * (1 - x * x).rsqrt(), Floating, aliases=["arcsin"])
def asin(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is each element."""


@unary(np.arccos, lambda g, x: g * -(1 - x * x).rsqrt(), Floating, aliases=["arccos"])
def acos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is each element."""


@unary(np.arctan, lambda g, x: g / (x * x + 1), Floating, aliases=["arctan"])
def atan(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose tangent is each element."""


# ---- hyperbolic functions --------------------------------------------------------------------------------------------


@unary(np.sinh, lambda g, x: g * x.cosh(), Floating)
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of each element."""


@unary(np.cosh, lambda g, x: g * x.sinh(), Floating)
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of each element."""


# ---- curves: their gradient is one step, the upstream gradient times a slope -----------------------------------------


class Curve(Unary):
    """`y = f(x)` for each element.

    A subclass defines `value(x)`, f, and `slope(x)`, its derivative, on `workable` arrays: each makes a new array.  And
    `bend(x)` is the derivative of the slope, in tensor operations; a curve without one is made of straight lines.
    """

    formulas = ("dx = g * f'(x), one step: a Slope, told by x, or by y if that is kept",)

    value: ClassVar[Callable[..., Array]]
    slope: ClassVar[Callable[..., Array]]
    bend: ClassVar[Callable[..., Tensor] | None] = None

    def forward(self, x: Array) -> Array:
        check_floating(type(self).__name__, x)
        return of_elements(self.value, x)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        # Where no graph is recorded, no `quiet` is needed: the backward walk has set NumPy's error state.
        return Slope(self).of(g, x) if current.enabled else g._new(self.scaled_slope(g._array, x._array))

    def scaled_slope(self, g: Array, x: Array) -> Array:
        """The slope at `x` times `g`."""
        return of_elements(self.scaled, g, x)

    def scaled(self, g: Array, *read: Array) -> Array:
        """The slope times `g`, of `workable` arrays."""
        slope = self.slope(*read)
        slope *= g
        return slope


class OfOutput(Curve):
    """A curve whose slope and bend are functions of its output, which is kept in place of `x`."""

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return Slope(self).of(g, y) if current.enabled else g._new(self.scaled_slope(g._array, y._array))


class Slope(Binary):
    """`g * f'(x)` for the slope of the function `curve`."""

    formulas = ("dg = h * f'(x)", "dx = h * g * f''(x)")
    curve: Curve

    def forward(self, g: Array, x: Array) -> Array:
        return self.curve.scaled_slope(g, x)

    def da(self, h: Tensor, x: Tensor) -> Tensor:
        return Slope(self.curve).of(h, x)

    def db(self, h: Tensor, g: Tensor, x: Tensor) -> Tensor:
        return zeroed(h) if self.curve.bend is None else h * g * self.curve.bend(x)

    def name(self) -> str:
        return self.curve.name().replace("Backward", "BackwardBackward")


def of_elements(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute` of arrays of one shape, made `workable`; the result is `restored` to the form of the last of them."""
    x = arrays[-1]
    if x.ndim and x.dtype not in HALVES:
        return compute(*arrays) if x.size <= BLOCK else blocked(compute, *arrays)
    return restored(blocked(compute, *[workable(each) for each in arrays]), x)


def workable(x: Array) -> Array:
    """`x` with at least one dimension, since NumPy makes scalars of 0-d results, and in float32 if it is of halves."""
    wide = widened(x)
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


class Relu(OfOutput):
    """`max(x, 0)`."""

    formulas = ("dx = g, but 0 where y <= 0",)

    def forward(self, x: Array) -> Array:
        if x.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu: expected numbers, got torch.bool.")
        return clipped(x, ZERO if x.dtype in WIDE_FLOATS else x.dtype.type(0), None)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return cleared(~(x <= ZERO), g)


@of_node(Relu)
def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).relu()
    tensor([0., 0., 1.])
    """


class Tanh(OfOutput, Floating):
    """`tanh(x)`."""

    formulas = ("dx = g * (1 - y * y)",)
    forward = np.tanh  # type: ignore[assignment]  # a ufunc, in place of `value` of blocks
    slope = staticmethod(lambda y: ONE - y * y)
    bend = staticmethod(lambda y: -2 * y)


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
    slope = staticmethod(lambda y: (ONE - y) * y)
    bend = staticmethod(lambda y: 1 - 2 * y)


@of_node(Sigmoid, *EVERYWHERE, "nn.functional")
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))` of each element.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).sigmoid()
    tensor([0.2689, 0.5000, 0.7311])
    """


# ---- the error function: erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x ----------------------------------


def arrays_of(of: type[np.floating], *numbers: float) -> list[Array]:
    """The numbers as 0-d arrays, which NumPy takes as operands faster than Python's numbers."""
    return [np.array(each, of) for each in numbers]


# erf(x) = tanh(x * P(x**2) / Q(x**2)): to 1.6 units in the last place in float32, where Q is 1, and to 0.1 in float64.
# The coefficients, from the highest power down, are a least-squares fit on [0, 3.92] and [0, 5.95], beyond which erf
# is 1; its weights were moved until the largest relative errors of erf were equal: C. L. Lawson,
# "Contributions to the Theory of Linear Least Maximum Approximation", 1961.
_P32 = arrays_of(
    np.float32, 1.418488495e-7, -5.668412814e-6, 8.763691615e-5, -6.197834849e-4, -1.918322693e-4, 0.1027690565,
    1.128379274,
)  # fmt: skip
_P64 = arrays_of(
    np.float64, 4.672831601708978e-10, 6.44457301887066074e-8, 2.28672338698229443e-6, 4.58489311209826702e-5,
    6.26126584018986138e-4, 6.02410881597845297e-3, 4.15682804221261938e-2, 0.201317924338929902,
    0.635323748299165025, 1.12837916709551259,
)  # fmt: skip
_Q64 = arrays_of(
    np.float64, 2.86658419573854116e-11, 1.38028307702342987e-8, 8.04248345701034259e-7, 1.90605587225135255e-5,
    3.02775143422292228e-4, 3.26761190342522182e-3, 2.50978352840178141e-2, 0.135612607864794714,
    0.471961163877238211, 1.0,
)  # fmt: skip


def erf_of(x: Array) -> Array:
    """`erf(x)` of a `workable` array, within 4 units in the last place.

    >>> erf_of(np.array([0.0, 0.5, -np.inf]))
    array([ 0.        ,  0.52049988, -1.        ])
    """
    t = x * x
    if x.dtype == np.float32:
        y = _polynomial(_P32, t)
    else:
        # Where x**2 were infinite, P / Q would be nan; from here on tanh is 1 anyway.
        np.minimum(t, 100.0, out=t)
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


class Erf(Curve, Floating):
    """`erf(x)`."""

    formulas = ("dx = g * 2 / sqrt(pi) * exp(-x**2)",)
    value = staticmethod(erf_of)
    slope = staticmethod(lambda x: np.exp(-x * x) * (2 / math.sqrt(math.pi)))
    bend = staticmethod(lambda x: (-x * x).exp() * x * (-4 / math.sqrt(math.pi)))


@of_node(Erf)
def erf(input: Tensor) -> Tensor:
    """The error function of each element: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 on.

    >>> import minigrad as torch
    >>> torch.tensor([-1.0, 0.0, 1.0]).erf()
    tensor([-0.8427,  0.0000,  0.8427])
    """


# ---- sums ------------------------------------------------------------------------------------------------------------


def added_to(kind: type[Add] | type[Sub]) -> Variant:
    """Makes the form in place of a sum or a difference; for a sparse operand, it touches its entries only."""

    def form(method: Function) -> Function:
        dense = rewritten(method, kind.forward)

        def call(self: Any, other: Any, **scaled: Any) -> Any:
            if isinstance(other, Tensor) and other.is_sparse:
                # Sparse tensors have it.
                return other._added_to(self, 1 if kind is Add else -1, **scaled)  # type: ignore[attr-defined]
            if type(scaled.get("alpha")) is float and isinstance(other, Tensor) and not self.is_sparse:
                # As in a step down a gradient: the scaled tensor is added in the memory of the first one.
                other = _scaled(kind(), other, scaled.pop("alpha"), self)
            return dense(self, other, **scaled)

        return call

    return form


@op(in_place=added_to(Add))
def add(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """The sum `input + alpha * other`."""
    return Add().of(input, other if type(alpha) is int and alpha == 1 else _scaled(Add(), other, alpha, input))


@op(in_place=added_to(Sub), aliases=["subtract"])
def sub(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """The difference `input - alpha * other`."""
    return Sub().of(input, other if type(alpha) is int and alpha == 1 else _scaled(Sub(), other, alpha, input))


def _scaled(op: Elementwise, b: Any, alpha: Number, a: Any) -> Any:
    """`alpha * b` in the dtype of the result of `op(a, b)`; `alpha` must not be of a higher kind than that."""
    dense = isinstance(a, Tensor) and isinstance(b, Tensor) and not (a.is_sparse or b.is_sparse)
    same = dense and a._array.dtype is b._array.dtype and b._array.dtype in WIDE_FLOATS
    if same and type(alpha) is float and -1 <= alpha <= 1:
        return b * alpha  # The usual step down a gradient: nothing needs a check.
    number = as_number(alpha)
    common = op.result_dtype(*[_listed(each) for each in (a, b)])
    check_alpha(number, common)
    if isinstance(b, Tensor):
        b = b.to(common) if b.is_sparse else cast(b, common)
    filler(number, common)  # Raises an error if the dtype cannot hold it.
    return b & bool(number) if common is bool_ else b * number


def check_alpha(alpha: object, common: dtype) -> None:
    """Raise a RuntimeError if `alpha`, an addend's factor, is of a higher kind than sums of that dtype."""
    if (isinstance(alpha, bool) and common is not bool_) or (isinstance(alpha, float) and not common.is_floating_point):
        raise RuntimeError(f"For results of {common!r}, argument alpha must not be a {type(alpha).__name__}.")


def _listed(x: Any) -> Any:
    """A number, or the array of a tensor; of a sparse one, the array of its entries."""
    return (x._values() if x.is_sparse else x)._array if hasattr(x, "is_sparse") else x


method("__iadd__")(added_to(Add)(Tensor.__add__))
method("__isub__")(added_to(Sub)(Tensor.__sub__))
method("__imul__")(rewritten(Tensor.__mul__, np.multiply))
method("__itruediv__")(rewritten(Tensor.__truediv__, np.true_divide))


@of_node(Neg, aliases=["negative"])
def neg(input: Tensor) -> Tensor:
    """The negative of each element."""


@op(operator="pos")
def positive(input: Tensor) -> Tensor:
    """This tensor, which must not be of bools."""
    if input._array.dtype == bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


# ---- products and quotients ------------------------------------------------------------------------------------------


@op(in_place=partial(rewritten, ufunc=np.multiply), aliases=["multiply"])
def mul(input: Operand, other: Operand) -> Tensor:
    """The product `input * other`, element by element."""
    return Mul().of(input, other)


@op(in_place=partial(rewritten, ufunc=np.true_divide), aliases=["divide"])
def div(input: Operand, other: Operand, *, rounding_mode: Literal["floor", "trunc"] | None = None) -> Tensor:
    """The quotient `input / other`, in floating point also for integers.

    With the `rounding_mode` "floor" it is rounded down, with "trunc" towards 0, and keeps an integer dtype.
    """
    if rounding_mode is None:
        return Div().of(input, other)
    if rounding_mode not in ("trunc", "floor"):
        kind = RuntimeError if isinstance(rounding_mode, str) else TypeError
        raise kind(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    return DivRounded(rounding_mode, "DivBackward2").of(input, other)


@op(in_place=partial(rewritten, ufunc=np.true_divide))
def true_divide(input: Operand, other: Operand) -> Tensor:
    """The quotient `input / other`, in floating point also for integers."""
    return Div().of(input, other)


@op(in_place=rewritten, operator="floordiv")
def floor_divide(input: Operand, other: Operand) -> Tensor:
    """The quotient `input / other`, rounded down."""
    return DivRounded("floor", UNDERIVED, is_derived=False).of(input, other)


@op(in_place=rewritten, operator="mod")
def remainder(input: Operand, other: Operand) -> Tensor:
    """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    form = f"RemainderBackward{isinstance(other, Tensor):d}" if isinstance(input, Tensor) else UNDERIVED
    return Remainder("floor", form, is_derived=isinstance(input, Tensor)).of(input, other)


@op(in_place=rewritten)
def fmod(input: Tensor, other: Operand) -> Tensor:
    """What `input / other`, rounded towards 0, leaves of each element; it has the sign of `input`."""
    if not isinstance(input, Tensor):
        return NotImplemented
    return Remainder("trunc", f"FmodBackward{isinstance(other, Tensor):d}").of(input, other)


#: What PyTorch calls a node that has no derivative.
UNDERIVED = "torch::autograd::NotImplemented"


class DivRounded(Elementwise):
    """`a / b`, rounded down or towards 0 (`mode` "floor" or "trunc"); in PyTorch not all of them have a derivative."""

    formulas = ("da = 0", "db = 0")
    mode: Literal["floor", "trunc"]
    form: str
    is_derived: bool = True

    def forward(self, a: Array, b: Any) -> Array:
        if _is_whole(f"div_{self.mode}", a, b):
            quotient = np.floor_divide(a, b)
            # What is left over makes a negative quotient one too low.
            return quotient if self.mode == "floor" else quotient + ((quotient < 0) & (quotient * b != a))
        if self.mode == "trunc":
            return np.trunc(np.true_divide(a, b))
        quotient = _in_double(np.floor, a, b)
        return np.floor_divide(a, b) if quotient is None else quotient.astype(a.dtype)

    da = db = staticmethod(zeroed)

    def backward(self, g: Tensor) -> Any:
        if not self.is_derived:
            problem = "derivative for aten::floor_divide, and for remainders of a number, is not implemented"
            raise RuntimeError(f"{problem}: div(a, b, rounding_mode='floor') has one")
        return super().backward(g)


class Remainder(DivRounded):
    """What `a / b`, rounded, leaves of `a`: rounded down it has the sign of `b`, rounded towards 0 that of `a`."""

    formulas = ("da = g", "db = -g * DivRounded(a, b)")
    rounds_numbers = True

    def forward(self, a: Any, b: Any) -> Array:
        if _is_whole("remainder" if self.mode == "floor" else "fmod", a, b) and self.mode == "floor":
            return np.remainder(a, b)
        quotient = _in_double(np.floor if self.mode == "floor" else np.trunc, a, b)
        if quotient is not None:
            # All of this is exact; `a * 0` is there for the sign of zero where nothing is left.
            quotient *= np.asarray(b, a.dtype)
            quotient -= a
            return np.subtract(a * np.float32(0), quotient, out=quotient).astype(a.dtype)
        if self.mode == "trunc":
            return np.fmod(a, b)
        # NumPy's zeros have the sign of `b`.
        rest = np.asarray(np.remainder(a, b))
        return np.copysign(rest, a, out=rest, where=rest == ZERO) if np.count_nonzero(rest) < rest.size else rest

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:  # type: ignore[override]  # it reads both
        return -g * DivRounded(self.mode, "DivBackward2").of(a, b)


def _in_double(rounding: Callable[..., Array], a: Array, b: Any) -> Array | None:
    """`rounding(a / b)` of many float32 numbers, computed in float64, if that is exact; else None.

    In 53 bits, a quotient of two numbers of 24 bits never rounds to an integer that it is not.  It takes a tenth of the
    time of `np.floor_divide`, which computes the remainder first, and for larger quotients than these rounds twice.
    """
    if a.dtype != np.float32 or a.size < 1000 or not np.isfinite(b).all():
        return None
    quotient = np.divide(a, np.asarray(b, a.dtype), dtype=np.float64)
    rounding(quotient, out=quotient)
    return quotient if max(quotient.max(initial=0), -quotient.min(initial=0)) < 2.0**21 else None


def _is_whole(name: str, a: Array, b: Any) -> bool:
    """Whether the operands, of one dtype, are integers; an error for bools, and for integers to be divided by 0."""
    check_numbers(f"{name}_cpu", a.dtype)
    whole = a.dtype not in FLOATS
    if whole and a.size and not (b if isinstance(b, int) else b.all()):
        raise RuntimeError("ZeroDivisionError: integers cannot be divided by 0; x.float() can, with infinite results")
    return whole


# ---- powers ----------------------------------------------------------------------------------------------------------


@op(in_place=rewritten, operator="pow")
def pow(input: Operand, exponent: Operand) -> Tensor:
    """Each element to the power of `exponent`."""
    if not isinstance(input, Tensor):
        return Pow("PowBackward2").of(input, exponent)
    if isinstance(exponent, Tensor):
        return Pow().of(input, exponent)
    if not isinstance(exponent, (int, float, np.generic)):
        return NotImplemented
    return PowNumber(exponent.item() if isinstance(exponent, np.generic) else exponent).of(input)


@op(in_place=rewritten)
def square(input: Tensor) -> Tensor:
    """The square of each element."""
    return PowNumber(2).of(input)


class Pow(Elementwise):
    """`a ** b`."""

    form: str = "PowBackward1"
    formulas = ("da = g * b * a**(b-1), 0 where b = 0", "db = g * y * log(a), 0 where a = 0 and b >= 0")

    def forward(self, a: Array, b: Array) -> Array:
        check_numbers("pow", b.dtype, "make one of the two a number, x.long()")
        if b.dtype in FLOATS or not (b < 0).any():
            return np.power(a, b)
        # 1 / a**-b, rounded towards 0: for 1 and -1 it depends on whether b is odd; for all others it is 0.
        return np.where((b < 0) & (np.abs(a) != 1), 0, np.power(a, np.where(b < 0, b & 1, b)))

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return masked(g * b * a ** (b - 1), b._array != 0)

    def db(self, g: Tensor, a: Tensor, b: Tensor, y: Tensor) -> Tensor:
        base: Any = a if isinstance(a, Tensor) else g._new(np.asarray(a, g._array.dtype))
        return masked(g * y * base.log(), ~((base._array == 0) & (b._array >= 0)))


#: Powers that are products or quotients: np.power takes ten times as long, and of numbers below 0 fifty times that.
PRODUCTS: dict[float, Callable[[Array], Array]] = {
    3: lambda x: x * x * x,
    -0.5: lambda x: inverse(np.sqrt(x)),
    -1: inverse,
    -2: lambda x: inverse(x * x),
}


class PowNumber(Unary):
    """`x ** n` for a number `n`."""

    form = "PowBackward0"
    formulas = ("dx = g * n * x**(n-1), 0 for n = 0",)
    n: int | float

    def of(self, x: Any) -> Any:
        if x._array.dtype in WIDE_FLOATS and holds(self.n):
            # The exponent is converted to the dtype of x; one that is too large becomes infinite.
            return Unary.of(self, x)
        common = result_type(x._array, self.n)
        if self.n < 0 and not common.is_floating_point:
            raise RuntimeError("Integers to negative integer powers are not allowed: x.float() ** n is a fraction")
        if common is bool_:
            return cast(PowNumber(int(self.n)).of(x), common)
        filler(self.n, common)  # An error if the dtype cannot hold it.
        return super().of(cast(x, common))

    def forward(self, x: Array) -> Array:
        if x.dtype in HALVES:
            # Their exponents are halves, too.
            return power(widened(x), np.asarray(self.n, x.dtype).item()).astype(x.dtype)
        return PRODUCTS[self.n](x) if self.n in PRODUCTS else power(x, self.n)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        # Where it is recorded, x ** 1 is a step of its own: so each polynomial has, at last, the derivative 0.
        return g * (self.n * (x if self.n == 2 and not current.enabled else x ** (self.n - 1))) if self.n else zeroed(g)


def power(x: Array, n: float) -> Array:
    """`x ** n` as in PyTorch; NumPy's operator, unlike np.power, is fast for exponents such as 2 and 0.5."""
    if n % 1 or -1 <= n <= 2 or x.dtype not in FLOATS:
        y: Array = x**n
        return y
    y = np.abs(x) ** n
    return np.copysign(y, x) if n % 2 else y


# ---- of three tensors ------------------------------------------------------------------------------------------------


@op(in_place=rewritten)
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`: `input` for the weight 0, `end` for 1, between them what lies between."""
    form = f"LerpBackward{isinstance(weight, Tensor):d}"
    for each in (end, weight) if isinstance(weight, Tensor) and weight.ndim else (end,):
        if each._array.dtype != input._array.dtype:
            raise RuntimeError(f"expected dtype {input.dtype._c_name} but got dtype {each.dtype._c_name}")
    check_floating("lerp_kernel", input)
    exact = computed_in(input._array.dtype)
    part = cast(weight, input.dtype) if isinstance(weight, Tensor) else input._new(np.array(as_number(weight), exact))
    return in_float32(Lerp(form).of, input, end, part)


class Lerp(Where):
    """`a + c * (b - a)`: for three tensors whose shapes broadcast to one."""

    formulas = ("da = g * (1 - c)", "db = g * c", "dc = g * (b - a)")
    form: str

    @staticmethod
    def combined(a: Array, b: Array, c: Array) -> Array:
        """Computed from the nearer end, so that both ends are reached exactly."""
        if c.ndim:
            near = np.absolute(c) < HALF
            start, part = chosen(near, a, b), chosen(near, -c, ONE - c)
        else:
            start, part = (a, -c) if math.fabs(c.item()) < 0.5 else (b, ONE - c)
        return np.asarray((a - b) * np.asarray(part) + start)

    def da(self, g: Tensor, c: Tensor) -> Tensor:
        return g * (1 - c)

    def db(self, g: Tensor, c: Tensor) -> Tensor:
        return g * c

    def dc(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:  # type: ignore[override]  # it reads both ends
        return g * (b - a)
