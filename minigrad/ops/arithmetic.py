"""Arithmetic beyond that of `minigrad.core.elementwise`: scaled sums, rounded quotients and their rests, powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Add, Div, Elementwise, Sub, cast, masked, zeroed
from minigrad.core.tape import Unary, keep_input_and_output, keep_inputs
from minigrad.core.tensor import Tensor

# ---- sums ------------------------------------------------------------------------------------------------------------


class AddScaled(Add):
    """`a + alpha * b`.   da = g,  db = g * alpha."""

    __slots__ = ("alpha",)

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def forward(self, a: Array, b: Any) -> Array:  # type: ignore[override]
        return np.add(a, np.multiply(b, _like(self.alpha, a)))

    def db(self, g: Tensor) -> Tensor:
        return g * self.alpha

    def name(self) -> str:
        return "AddBackward0"


class SubScaled(Sub):
    """`a - alpha * b`.   da = g,  db = -g * alpha."""

    __slots__ = ("alpha",)

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def forward(self, a: Array, b: Any) -> Array:  # type: ignore[override]
        return np.subtract(a, np.multiply(b, _like(self.alpha, a)))

    def db(self, g: Tensor) -> Tensor:
        return -g * self.alpha

    def name(self) -> str:
        return "SubBackward0"


def add(a: Any, b: Any, alpha: float) -> Any:
    """`a + alpha * b` of two tensors, or of a tensor and a number in either place."""
    return Add()(a, b) if type(alpha) is int and alpha == 1 else AddScaled(_checked_alpha(alpha, a, b))(a, b)


def sub(a: Any, b: Any, alpha: float) -> Any:
    """`a - alpha * b` of two tensors, or of a tensor and a number in either place."""
    return Sub()(a, b) if type(alpha) is int and alpha == 1 else SubScaled(_checked_alpha(alpha, a, b))(a, b)


def _checked_alpha(alpha: float, a: Any, b: Any) -> float:
    """`alpha`, which must be of no higher kind than a sum of `a` and `b`."""
    if isinstance(b, Tensor) and b.is_sparse:
        b = b._values()  # type: ignore[attr-defined]  # sparse tensors have it
    common = dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (a, b)])
    if isinstance(alpha, bool) and common is not dtypes.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not common.is_floating_point:
        raise RuntimeError(
            f"For integral input tensors, argument alpha must not be a floating point number: it is {alpha}, and the "
            f"result is of dtype {common!r}"
        )
    return alpha


def _like(number: float, a: Array) -> Array:
    """`number` in the dtype of `a`."""
    return np.asarray(number).astype(a.dtype)


# ---- quotients -------------------------------------------------------------------------------------------------------


class DivRounded(Elementwise):
    """`a / b`, rounded down or towards 0: `mode` is "floor" or "trunc".   da = 0,  db = 0."""

    __slots__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def forward(self, a: Any, b: Any) -> Array:
        if _is_whole(f"div_{self.mode}", a, b):
            quotient = np.floor_divide(a, b)
            # What is left over makes a negative quotient one too low.
            return quotient if self.mode == "floor" else quotient + ((quotient < 0) & (quotient * b != a))
        return np.floor_divide(a, b) if self.mode == "floor" else np.trunc(np.true_divide(a, b))

    def da(self, g: Tensor) -> Tensor:
        return zeroed(g)

    def db(self, g: Tensor) -> Tensor:
        return zeroed(g)

    def name(self) -> str:
        return "DivBackward2"


class FloorDivide(DivRounded):
    """`a / b`, rounded down.  PyTorch has no derivative of it: div(…, rounding_mode="floor") has."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("floor")

    def backward(self, g: Tensor) -> Any:
        raise RuntimeError(
            "derivative for aten::floor_divide is not implemented: that of div(…, rounding_mode='floor') is 0"
        )

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


class Remainder(Elementwise):
    """What `a / b`, rounded down, leaves of `a`; it has the sign of `b`.   da = g,  db = -g * floor(a / b)."""

    __slots__ = ("form",)
    keep = keep_inputs
    rounds_numbers = True

    def __init__(self, form: int = 0) -> None:
        self.form = form

    def forward(self, a: Any, b: Any) -> Array:
        if _is_whole("remainder", a, b):
            return np.remainder(a, b)
        rest = np.fmod(a, b)
        return np.where((rest != 0) & (np.less(b, 0) != (rest < 0)), rest + b, rest)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return -g * DivRounded("floor")(self.kept(0), self.kept(1))

    def name(self) -> str:
        return f"RemainderBackward{self.form}"


class Rremainder(Remainder):
    """What `a / b` leaves of a number `a`.  PyTorch has no derivative of it: that of a tensor `a` has."""

    __slots__ = ()

    def backward(self, g: Tensor) -> Any:
        raise RuntimeError(
            "derivative for aten::remainder is not implemented if the number comes first: make it a tensor"
        )

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


class Fmod(Elementwise):
    """What `a / b`, rounded towards 0, leaves of `a`; it has the sign of `a`.   da = g,  db = -g * trunc(a / b)."""

    __slots__ = ("form",)
    keep = keep_inputs
    rounds_numbers = True

    def __init__(self, form: int) -> None:
        self.form = form

    def forward(self, a: Any, b: Any) -> Array:
        _is_whole("fmod", a, b)
        return np.fmod(a, b)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return -g * DivRounded("trunc")(self.kept(0), self.kept(1))

    def name(self) -> str:
        return f"FmodBackward{self.form}"


def div(a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    """`a / b` of two tensors, or of a tensor and a number in either place, rounded as `rounding_mode` says."""
    if rounding_mode is None:
        return Div()(a, b)
    if not isinstance(rounding_mode, str):
        raise TypeError(f"div(): argument 'rounding_mode' must be str, not {type(rounding_mode).__name__}")
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return DivRounded(rounding_mode)(a, b)


def remainder(a: Any, b: Any) -> Any:
    """What `a / b`, rounded down, leaves of `a`: of two tensors, or a tensor and a number in either place."""
    if not isinstance(a, Tensor):
        return Rremainder()(a, b)
    return Remainder(1 if isinstance(b, Tensor) else 0)(a, b)


def fmod(a: Any, b: Any) -> Any:
    """What `a / b`, rounded towards 0, leaves of the tensor `a`."""
    return Fmod(1 if isinstance(b, Tensor) else 0)(a, b)


def _is_whole(name: str, a: Array, b: Any) -> bool:
    """Whether the operands, of one dtype, are integers; an error for bools, and for integers to be divided by 0."""
    kind = a.dtype.kind
    if kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool': expected numbers, such as x.long()")
    if kind != "f" and a.size and np.equal(b, 0).any():
        raise RuntimeError("ZeroDivisionError: integers cannot be divided by 0; x.float() can, with infinite results")
    return kind != "f"


# ---- powers ----------------------------------------------------------------------------------------------------------


class Pow(Elementwise):
    """`a ** b`.   da = g * b * a**(b-1), 0 where b = 0;  db = g * y * log(a), 0 where a = 0 and b >= 0."""

    __slots__ = ()
    keep = keep_input_and_output

    def forward(self, a: Any, b: Array) -> Array:
        if b.dtype == bool:
            raise NotImplementedError("\"pow\" not implemented for 'Bool': make one of the two a number, x.long()")
        if b.dtype.kind == "f" or not (b < 0).any():
            return np.power(a, b)
        # 1 / a**-b, rounded to an integer: 1 or -1 for those, else 0.
        return np.where(b < 0, np.where(np.abs(a) == 1, np.power(a, np.abs(b)), 0), np.power(a, np.abs(b)))

    def da(self, g: Tensor) -> Tensor:
        a, b = self.kept(0), self.kept(1)
        return masked(g * b * a ** (b - 1), b._array != 0)

    def db(self, g: Tensor) -> Tensor:
        a, b = self.kept(0), self.kept(1)
        base: Any = a if isinstance(a, Tensor) else g._new(np.asarray(a, g._array.dtype))
        gradient = g * self.kept_output(g) * base.log()
        return masked(gradient, ~((base._array == 0) & (b._array >= 0)))

    def name(self) -> str:
        return "PowBackward1"


class Rpow(Pow):
    """`a ** b` for a number `a`.   db = g * y * log(a)."""

    __slots__ = ()

    def name(self) -> str:
        return "PowBackward2"


class PowNumber(Unary):
    """`x ** n` for a number `n`.   dx = g * n * x**(n-1), 0 for n = 0."""

    __slots__ = ("n",)
    keep = keep_inputs

    def __init__(self, n: int | float) -> None:
        self.n = n

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
            dtypes.filler(self.n, common)
        else:
            dtypes.converted(np.asarray(self.n), common)
        return super().__call__(cast(x, common))

    def forward(self, x: Array) -> Array:
        # The operator, unlike np.power, takes the short way for exponents such as 2 and 0.5; PyTorch also for -0.5.
        return np.reciprocal(np.sqrt(x)) if self.n == -0.5 else x**self.n

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        return zeroed(g) if self.n == 0 else g * (self.n * x ** (self.n - 1))

    def name(self) -> str:
        return "PowBackward0"


def power(a: Any, b: Any) -> Any:
    """`a ** b` of two tensors, or of a tensor and a number in either place."""
    if not isinstance(a, Tensor):
        return Rpow()(a, b)
    if isinstance(b, Tensor):
        return Pow()(a, b)
    return PowNumber(b.item() if isinstance(b, np.generic) else b)(a)
