"""Arithmetic: sums, products, quotients and what they leave, powers, and sums of products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.core.elementwise import Add, Div, Elementwise, Mul, Neg, Sub, cast, masked, zeroed
from minigrad.core.tape import Unary
from minigrad.core.tensor import Function, Operand, Tensor
from minigrad.declare import Form, as_number, declared, op, rewritten
from minigrad.ops import casting
from minigrad.ops.kinds import Ternary, in_common_dtype


def added_to(sign: int) -> Form:
    """What makes the form in place of a sum, or of a difference for the `sign` -1.

    Of a sparse operand it reads and writes the listed entries only.
    """

    def form(method: Function) -> Function:
        dense = rewritten(method)

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
    if type(alpha) is int and alpha == 1:
        return Add().of(input, other)
    return AddScaled(_checked_alpha(alpha, input, other))(input, other)


@op(in_place=added_to(-1), aliases=["subtract"])
def sub(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """The difference `input - alpha * other`."""
    if type(alpha) is int and alpha == 1:
        return Sub().of(input, other)
    return SubScaled(_checked_alpha(alpha, input, other))(input, other)


for _name, _form in {"__iadd__": added_to(1)(Tensor.__add__), "__isub__": added_to(-1)(Tensor.__sub__)}.items():
    declared["Tensor"][_name] = _form
# The name that division had in Python 2, which PyTorch has kept.
declared["Tensor"]["__rdiv__"] = Tensor.__rtruediv__


@op(in_place=rewritten, aliases=["negative"])
def neg(input: Tensor) -> Tensor:
    """The negative of each element."""
    return Neg()(input)


@op(operator="pos")
def positive(input: Tensor) -> Tensor:
    """This tensor, which must not be of bools."""
    if input._array.dtype == bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


class AddScaled(Add):
    """`a + alpha * b`."""

    form = "AddBackward0"
    formulas = ("da = g", "db = g * alpha")
    alpha: float

    def forward(self, a: Array, b: Any) -> Array:  # type: ignore[override]
        return np.add(a, np.multiply(b, _like(self.alpha, a)))

    def db(self, g: Tensor) -> Tensor:
        return g * self.alpha


class SubScaled(Sub):
    """`a - alpha * b`."""

    form = "SubBackward0"
    formulas = ("da = g", "db = -g * alpha")
    alpha: float

    def forward(self, a: Array, b: Any) -> Array:  # type: ignore[override]
        return np.subtract(a, np.multiply(b, _like(self.alpha, a)))

    def db(self, g: Tensor) -> Tensor:
        return -g * self.alpha


def _checked_alpha(alpha: Number, a: Any, b: Any) -> float:
    """`alpha`, which must be of no higher kind than a sum of `a` and `b`."""
    alpha = as_number(alpha)
    if isinstance(b, Tensor) and b.is_sparse:
        b = b._values()  # type: ignore[attr-defined]  # sparse tensors have it
    common = dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (a, b)])
    if isinstance(alpha, bool) and common is not dtypes.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not common.is_floating_point:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return alpha


def _like(number: float, a: Array) -> Array:
    """`number` in the dtype of `a`."""
    return np.asarray(number).astype(a.dtype)


# ---- products and quotients ------------------------------------------------------------------------------------------


@op(in_place=rewritten, aliases=["multiply"])
def mul(input: Operand, other: Operand) -> Tensor:
    """The product `input * other`, element by element."""
    return Mul().of(input, other)


@op(in_place=rewritten, aliases=["divide"])
def div(input: Operand, other: Operand, *, rounding_mode: Literal["floor", "trunc"] | None = None) -> Tensor:
    """The quotient `input / other`, in floating point also for integers.

    With the `rounding_mode` "floor" it is rounded down, with "trunc" towards 0, and keeps an integer dtype.
    """
    if rounding_mode is None:
        return Div().of(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise (RuntimeError if isinstance(rounding_mode, str) else TypeError)(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return DivRounded(rounding_mode)(input, other)


@op(in_place=rewritten)
def true_divide(input: Operand, other: Operand) -> Tensor:
    """The quotient `input / other`, in floating point also for integers."""
    return Div().of(input, other)


@op(in_place=rewritten, operator="floordiv")
def floor_divide(input: Operand, other: Operand) -> Tensor:
    """The quotient `input / other`, rounded down."""
    return FloorDivide("floor").of(input, other)


@op(in_place=rewritten, operator="mod")
def remainder(input: Operand, other: Operand) -> Tensor:
    """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    if not isinstance(input, Tensor):
        return Rremainder("torch::autograd::NotImplemented").of(input, other)
    return Remainder(f"RemainderBackward{isinstance(other, Tensor):d}").of(input, other)


@op(in_place=rewritten)
def fmod(input: Tensor, other: Operand) -> Tensor:
    """What `input / other`, rounded towards 0, leaves of each element; it has the sign of `input`."""
    if not isinstance(input, Tensor):
        return NotImplemented
    return Fmod(f"FmodBackward{isinstance(other, Tensor):d}").of(input, other)


class DivRounded(Elementwise):
    """`a / b`, rounded down or towards 0: `mode` is "floor" or "trunc"."""

    form = "DivBackward2"
    formulas = ("da = 0", "db = 0")
    mode: str

    def forward(self, a: Array, b: Any) -> Array:
        if _is_whole(f"div_{self.mode}", a, b):
            quotient = np.floor_divide(a, b)
            # What is left over makes a negative quotient one too low.
            return quotient if self.mode == "floor" else quotient + ((quotient < 0) & (quotient * b != a))
        return np.floor_divide(a, b) if self.mode == "floor" else np.trunc(np.true_divide(a, b))

    def da(self, g: Tensor) -> Tensor:
        return zeroed(g)

    def db(self, g: Tensor) -> Tensor:
        return zeroed(g)


class FloorDivide(DivRounded):
    """`a / b`, rounded down.  PyTorch has no derivative of it: div(…, rounding_mode="floor") has."""

    form = "torch::autograd::NotImplemented"

    def backward(self, g: Tensor) -> Any:
        raise RuntimeError("derivative for aten::floor_divide is not implemented: div has one")


class Remainder(Elementwise):
    """What `a / b`, rounded down, leaves of `a`; it has the sign of `b`."""

    formulas = ("da = g", "db = -g * floor(a / b)")
    form: str
    rounds_numbers = True

    def forward(self, a: Any, b: Any) -> Array:
        if _is_whole("remainder", a, b):
            return np.remainder(a, b)
        rest = np.fmod(a, b)
        return np.where((rest != 0) & (np.less(b, 0) != (rest < 0)), rest + b, rest)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return -g * DivRounded("floor")(a, b)


class Rremainder(Remainder):
    """What `a / b` leaves of a number `a`.  PyTorch has no derivative of it: that of a tensor `a` has."""

    def backward(self, g: Tensor) -> Any:
        raise RuntimeError("derivative for aten::remainder is not implemented if the number comes first")


class Fmod(Elementwise):
    """What `a / b`, rounded towards 0, leaves of `a`; it has the sign of `a`."""

    formulas = ("da = g", "db = -g * trunc(a / b)")
    form: str
    rounds_numbers = True

    def forward(self, a: Any, b: Any) -> Array:
        _is_whole("fmod", a, b)
        return np.fmod(a, b)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return -g * DivRounded("trunc")(a, b)


def _is_whole(name: str, a: Array, b: Any) -> bool:
    """Whether the operands, of one dtype, are integers; an error for bools, and for integers to be divided by 0."""
    kind = a.dtype.kind
    if kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool': expected numbers, such as x.long()")
    if kind != "f" and a.size and np.equal(b, 0).any():
        raise RuntimeError("ZeroDivisionError: integers cannot be divided by 0; x.float() can, with infinite results")
    return kind != "f"


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
    return PowNumber(exponent.item() if isinstance(exponent, np.generic) else exponent)(input)


@op(in_place=rewritten)
def square(input: Tensor) -> Tensor:
    """The square of each element."""
    return PowNumber(2)(input)


class Pow(Elementwise):
    """`a ** b`."""

    form = "PowBackward1"
    formulas = ("da = g * b * a**(b-1), 0 where b = 0", "db = g * y * log(a), 0 where a = 0 and b >= 0")

    def forward(self, a: Array, b: Array) -> Array:
        if b.dtype == bool:
            raise NotImplementedError("\"pow\" not implemented for 'Bool': make one of the two a number, x.long()")
        if b.dtype.kind == "f" or not (b < 0).any():
            return np.power(a, b)
        # 1 / a**-b, rounded to an integer: 1 or -1 for those, whose powers go by whether b is odd, else 0.
        return np.where((b < 0) & (np.abs(a) != 1), 0, np.power(a, np.where(b < 0, b & 1, b)))

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return masked(g * b * a ** (b - 1), b._array != 0)

    def db(self, g: Tensor, a: Tensor, b: Tensor, y: Tensor) -> Tensor:
        base: Any = a if isinstance(a, Tensor) else g._new(np.asarray(a, g._array.dtype))
        gradient = g * y * base.log()
        return masked(gradient, ~((base._array == 0) & (b._array >= 0)))


class Rpow(Pow):
    """`a ** b` for a number `a`."""

    form = "PowBackward2"
    formulas = ("", "db = g * y * log(a)")


class PowNumber(Unary):
    """`x ** n` for a number `n`."""

    form = "PowBackward0"
    formulas = ("dx = g * n * x**(n-1), 0 for n = 0",)
    n: int | float

    def __call__(self, x: Any) -> Any:
        if x._array.dtype.kind == "f" and x._array.dtype.itemsize > 2 and dtypes.holds(self.n):
            # The exponent takes on the dtype of x, which holds it, if as infinite.
            return super().__call__(x)
        common = dtypes.result_type(x._array, self.n)
        if self.n < 0 and not common.is_floating_point:
            raise RuntimeError(
                f"Integers to negative integer powers are not allowed: the exponent is {self.n}. Make the base "
                "floating point first: x.float() ** n."
            )
        if common is dtypes.bool_:
            return cast(PowNumber(int(self.n))(x), common)
        # A RuntimeError for an exponent that the dtype cannot hold.
        if common is dtypes.float16:
            casting.filler(self.n, common)
        else:
            casting.converted(np.asarray(self.n), common)
        return super().__call__(cast(x, common))

    def forward(self, x: Array) -> Array:
        # The operator, unlike np.power, takes the short way for exponents such as 2 and 0.5; PyTorch also for -0.5.
        return np.reciprocal(np.sqrt(x)) if self.n == -0.5 else x**self.n

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return zeroed(g) if self.n == 0 else g * (self.n * x ** (self.n - 1))


# ---- of three tensors ------------------------------------------------------------------------------------------------


@op(in_place=rewritten)
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`: `input` for the weight 0, `end` for 1, between them what lies between."""
    _check_same_dtype(input, end, "end")
    if input._array.dtype.kind != "f":
        kernel = "lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype._tensor_name}': x.float()")
    if not isinstance(weight, Tensor):
        return LerpNumber(as_number(weight))(input, end)
    if weight._array.ndim:
        _check_same_dtype(input, weight, "weight")
    return Lerp()(input, end, cast(weight, input.dtype))


@op(in_place=rewritten)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`."""
    a, b, c = in_common_dtype(input, tensor1, tensor2)
    if a._array.dtype == bool:
        raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool': expected numbers, such as x.long()")
    return Addcmul(as_number(value))(a, b, c)


@op(in_place=rewritten)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`."""
    if not (tensor1.dtype.is_floating_point or tensor2.dtype.is_floating_point):
        raise RuntimeError("Integer division with addcdiv is no longer supported: expected a float tensor")
    return Addcdiv(as_number(value))(*in_common_dtype(input, tensor1, tensor2))


class Lerp(Ternary):
    """`a + c * (b - a)`: a where the weight c is 0, b where it is 1."""

    form = "LerpBackward1"
    formulas = ("da = g * (1 - c)", "db = g * c", "dc = g * (b - a)")

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(self._between, a, b, c)

    @staticmethod
    def _between(a: Array, b: Array, c: Array) -> Array:
        # From the nearer end: so both ends are reached exactly.
        step = b - a
        return np.where(np.abs(c) < 0.5, a + c * step, b - step * (1 - c))

    def da(self, g: Tensor, c: Tensor) -> Tensor:
        return g * (1 - c)

    def db(self, g: Tensor, c: Tensor) -> Tensor:
        return g * c

    def dc(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return g * (b - a)


class LerpNumber(Elementwise):
    """`a + weight * (b - a)` for a number."""

    form = "LerpBackward0"
    formulas = ("da = g * (1 - weight)", "db = g * weight")
    weight: float

    def forward(self, a: Array, b: Array) -> Array:
        return _widened(self._between, a, b)

    def _between(self, a: Array, b: Array) -> Array:
        weight = a.dtype.type(self.weight)
        return a + weight * (b - a) if abs(weight) < 0.5 else b - (b - a) * (1 - weight)

    def da(self, g: Tensor) -> Tensor:
        return g * (1 - self.weight)

    def db(self, g: Tensor) -> Tensor:
        return g * self.weight


def _check_same_dtype(a: Tensor, other: Any, name: str) -> None:
    if a.dtype is not other.dtype:
        raise RuntimeError(f"expected dtype {a.dtype._c_name} for `{name}` but got dtype {other.dtype._c_name}")


class Addcmul(Ternary):
    """`a + value * b * c`."""

    formulas = ("da = g", "db = g * value * c", "dc = g * value * b")
    value: float

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(lambda x, y, z: x + np.asarray(self.value).astype(x.dtype) * y * z, a, b, c)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, c: Tensor) -> Tensor:
        return g * (c * self.value)

    def dc(self, g: Tensor, b: Tensor) -> Tensor:
        return g * (b * self.value)


class Addcdiv(Ternary):
    """`a + value * b / c`."""

    formulas = ("da = g", "db = g * value / c", "dc = -g * value * b / c**2")
    value: float

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(lambda x, y, z: x + x.dtype.type(self.value) * y / z, a, b, c)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor, c: Tensor) -> Tensor:
        return g * (self.value / c)

    def dc(self, g: Tensor, b: Tensor, c: Tensor) -> Tensor:
        return -g * (self.value * b / (c * c))


def _widened(compute: Callable[..., Array], *arrays: Array) -> Array:
    """What `compute` makes of arrays of one dtype, in that dtype; of float16, computed in float32."""
    if arrays[0].dtype != np.float16:
        return compute(*arrays)
    return compute(*[array.astype(np.float32) for array in arrays]).astype(np.float16)
