"""Arithmetic: sums, products, quotients and what they leave, powers, and sums of products."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from minigrad.core.arrays import WIDE_FLOATS, inverse, widened
from minigrad.core.dtypes import FLOATS, HALVES, Array, Number, bool_, computed_in, dtype, holds, result_type
from minigrad.core.elementwise import Add, Div, Elementwise, Mul, Neg, Sub, cast, masked, zeroed
from minigrad.core.tape import Unary
from minigrad.core.tensor import Function, Operand, Tensor, method
from minigrad.declare import Variant, as_number, of_node, op, rewritten
from minigrad.ops.arguments import check_floating, check_numbers, filler
from minigrad.ops.fused import in_float32, named

#: What PyTorch calls a node that has no derivative.
UNDERIVED = "torch::autograd::NotImplemented"


def added_to(sign: int) -> Variant:
    """What makes the form in place of a sum, or of a difference for the `sign` -1.

    Of a sparse operand it reads and writes the listed entries only.
    """

    def form(method: Function) -> Function:
        dense = rewritten(method, np.add if sign > 0 else np.subtract)

        def call(self: Any, other: Any, **scaled: Any) -> Any:
            if isinstance(other, Tensor) and other.is_sparse:
                return other._added_to(self, sign, **scaled)  # type: ignore[attr-defined]  # sparse tensors have it
            return dense(self, other, **scaled)

        return call

    return form


# ---- sums ------------------------------------------------------------------------------------------------------------


@op(in_place=added_to(1))
def add(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """The sum `input + alpha * other`."""
    return Add().of(input, other if type(alpha) is int and alpha == 1 else _scaled(Add(), other, alpha, input))


@op(in_place=added_to(-1), aliases=["subtract"])
def sub(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """The difference `input - alpha * other`."""
    return Sub().of(input, other if type(alpha) is int and alpha == 1 else _scaled(Sub(), other, alpha, input))


def _scaled(op: Elementwise, b: Any, alpha: Number, a: Any) -> Any:
    """`alpha * b` in the dtype of `op` of `a` and it, of which `alpha` must be of no higher kind."""
    same = type(a) is type(b) is Tensor and a._array.dtype is b._array.dtype
    if same and b._array.dtype in WIDE_FLOATS and type(alpha) is float and abs(alpha) <= 1:
        return b * alpha  # As in most steps down a gradient, there is nothing to check.
    number = as_number(alpha)
    common = op.result_dtype(*[_listed(each) for each in (a, b)])
    check_alpha(number, common)
    if isinstance(b, Tensor):
        b = b.to(common) if b.is_sparse else cast(b, common)
    filler(number, common)  # An error if it has no place there.
    return b & bool(number) if common is bool_ else b * number


def check_alpha(alpha: object, common: dtype) -> None:
    """Nothing if `alpha`, an addend's factor, is of no higher kind than sums of that dtype; else a RuntimeError."""
    if (isinstance(alpha, bool) and common is not bool_) or (isinstance(alpha, float) and not common.is_floating_point):
        raise RuntimeError(f"For results of {common!r}, argument alpha must not be a {type(alpha).__name__}.")


def _listed(x: Any) -> Any:
    """A number, or the array of a tensor: of a sparse one that of the entries that it lists."""
    return (x._values() if x.is_sparse else x)._array if hasattr(x, "is_sparse") else x


method("__iadd__")(added_to(1)(Tensor.__add__))
method("__isub__")(added_to(-1)(Tensor.__sub__))
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
    why = "floor_divide is not implemented: div(a, b, rounding_mode='floor') has one"
    return DivRounded("floor", UNDERIVED, why).of(input, other)


@op(in_place=rewritten, operator="mod")
def remainder(input: Operand, other: Operand) -> Tensor:
    """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    if isinstance(input, Tensor):
        return Remainder("floor", f"RemainderBackward{isinstance(other, Tensor):d}").of(input, other)
    why = "remainder is not implemented: of a tensor in place of the number there is one"
    return Remainder("floor", UNDERIVED, why).of(input, other)


@op(in_place=rewritten)
def fmod(input: Tensor, other: Operand) -> Tensor:
    """What `input / other`, rounded towards 0, leaves of each element; it has the sign of `input`."""
    if not isinstance(input, Tensor):
        return NotImplemented
    return Remainder("trunc", f"FmodBackward{isinstance(other, Tensor):d}").of(input, other)


class DivRounded(Elementwise):
    """`a / b`, rounded down or towards 0: `mode` is "floor" or "trunc".

    PyTorch has no derivative of some of these and of remainders: `underived` says so.
    """

    formulas = ("da = 0", "db = 0")
    mode: Literal["floor", "trunc"]
    form: str
    underived: str = ""

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
        if self.underived:
            raise RuntimeError(f"derivative for aten::{self.underived}")
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
            # All of it exact; the zero with the sign of `a` is for where nothing is left.
            quotient *= np.asarray(b, a.dtype)
            quotient -= a
            return np.subtract(a * np.float32(0), quotient, out=quotient).astype(a.dtype)
        if self.mode == "trunc":
            return np.fmod(a, b)
        # NumPy's zeros have the sign of `b`.
        rest = np.asarray(np.remainder(a, b))
        return np.copysign(rest, a, out=rest, where=rest == 0)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:  # type: ignore[override]  # it reads both
        return -g * DivRounded(self.mode, "DivBackward2").of(a, b)


def _in_double(rounding: Callable[..., Array], a: Array, b: Any) -> Array | None:
    """`rounding(a / b)` of many float32 numbers in float64, where it is exact; None where that is not so.

    A quotient of two numbers of 24 bits is in 53 bits no integer unless it is one.  It takes a tenth of the time of
    `np.floor_divide`, which goes by the remainder; for larger quotients than these that rounds in between.
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
        return Rpow().of(input, exponent)
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

    form = "PowBackward1"
    formulas = ("da = g * b * a**(b-1), 0 where b = 0", "db = g * y * log(a), 0 where a = 0 and b >= 0")

    def forward(self, a: Array, b: Array) -> Array:
        check_numbers("pow", b.dtype, "make one of the two a number, x.long()")
        if b.dtype in FLOATS or not (b < 0).any():
            return np.power(a, b)
        # 1 / a**-b, rounded to an integer: 1 or -1 for those, whose powers go by whether b is odd, else 0.
        return np.where((b < 0) & (np.abs(a) != 1), 0, np.power(a, np.where(b < 0, b & 1, b)))

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return masked(g * b * a ** (b - 1), b._array != 0)

    def db(self, g: Tensor, a: Tensor, b: Tensor, y: Tensor) -> Tensor:
        base: Any = a if isinstance(a, Tensor) else g._new(np.asarray(a, g._array.dtype))
        return masked(g * y * base.log(), ~((base._array == 0) & (b._array >= 0)))


class Rpow(Pow):
    """`a ** b` for a number `a`."""

    form = "PowBackward2"
    formulas = ("", "db = g * y * log(a)")


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
            # The exponent takes on the dtype of x, which holds it, if as infinite.
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
        return zeroed(g) if self.n == 0 else g * (self.n * (x if self.n == 2 else x ** (self.n - 1)))


def power(x: Array, n: float) -> Array:
    """`x ** n` as in PyTorch; the operator, unlike np.power, takes the short way for such as 2 and 0.5 itself."""
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

    def between(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        # From the nearer end: so both ends are reached exactly.
        near = np.absolute(c._array) < 0.5
        if near.ndim:
            start, part = a.where(c._new(near), b), (-c).where(c._new(near), 1 - c)
        else:
            start, part = (a, -c) if near else (b, 1 - c)
        return named(Add(), form).of((a - b) * part, start)

    return in_float32(between, input, end, part)
