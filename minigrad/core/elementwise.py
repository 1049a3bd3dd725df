"""Operators that work on each element by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from . import dtypes
from .arrays import WIDE_FLOATS, cleared, copied, in_dtype, inverse, laid_out
from .dtypes import FLOATS, HALVES, Array, dtype
from .modes import current
from .shapes import broadcast_shapes_message, sum_to
from .tape import Binary, Unary, quiet, released
from .tensor import Operand, Tensor, method

#: What may stand beside a tensor in arithmetic.
NUMBERS = (int, float, np.generic)


class Cast(Unary):
    """`y` is `x` in another dtype."""

    form = "ToCopyBackward0"
    formulas = ("dx = g, cast back",)
    to: dtype

    def forward(self, x: Array) -> Array:
        self.x_dtype = dtypes.of(x)
        return in_dtype(x, self.to._numpy)

    def dx(self, g: Tensor) -> Tensor:
        return cast(g, self.x_dtype)


def cast(x: object, to: dtype) -> Any:
    """A tensor as a tensor of dtype `to`, itself if it is one; a number as an array of it."""
    if not isinstance(x, Tensor):
        return np.asarray(x).astype(to._numpy)
    if x._array.dtype == to._numpy:
        return x
    # No gradient flows through integers: they have no small changes.
    return Cast(to).of(x) if to.is_floating_point else x._new(quiet().run(in_dtype, x._array, to._numpy))


class Elementwise(Binary):
    """A binary op on tensors, or a tensor and a number, whose shapes broadcast to one.

    A subclass states its gradients for inputs of the output's shape.  Broadcasting is undone here: the
    gradient of an input that was repeated is the sum over its repetitions.
    """

    #: Whether a number beside halves is rounded to one; else the result is computed in float32, and then rounded.
    rounds_numbers: ClassVar[bool] = False

    #: The dtypes of integers that are computed with as they are, without a look at what becomes of them.
    integers: ClassVar[tuple[np.dtype[Any], ...]] = (dtypes.int64._numpy,)

    def of(self, a: Any, b: Any) -> Any:
        """The result for `a` and `b`, recorded if one of them requires a gradient."""
        # Most operands are two of one class; to compare classes is faster than isinstance.
        if type(a) is not type(b) and not (isinstance(a, Tensor) and isinstance(b, Tensor) and not b.is_sparse):
            return self.with_number(a, b)
        x, y = a._array, b._array
        dtype = x.dtype
        try:
            if dtype is y.dtype and (dtype in FLOATS or dtype in self.integers):
                array = quiet().run(self.forward, x, y)
            else:
                a, b, x, y, common = self.promote(a, b, x, y)
                array = quiet().run(self.forward, x, y).astype(common._numpy, copy=False)
        except ValueError:
            raise RuntimeError(broadcast_shapes_message(x.shape, y.shape)) from None
        out = a._new(array if x.flags.c_contiguous or x.strides == array.strides else laid_out(array, x, y))
        if (a._requires_grad or b._requires_grad) and current.enabled:
            self.shapes = None if x.shape == y.shape else (x.shape, y.shape)
            edge_a = (a._node or a) if a._requires_grad else None
            self.record((edge_a, (b._node or b) if b._requires_grad else None), (a, b), out)
        return out

    def with_number(self, a: Any, b: Any) -> Any:
        """The result for a tensor and a number, in either order, or a sparse tensor second; else NotImplemented."""
        first = isinstance(a, Tensor)
        tensor, number = (a, b) if first else (b, a)
        usual = type(number) is float or (type(number) is int and number.bit_length() < 64)
        if first and not usual and isinstance(b, Tensor):
            return b._beside(self, a)  # type: ignore[attr-defined]  # sparse tensors have it
        if not (isinstance(tensor, Tensor) and (usual or isinstance(number, NUMBERS))):
            return NotImplemented
        x, y = (a._array, b) if first else (a, b._array)
        dtype = tensor._array.dtype
        if usual and (dtype in WIDE_FLOATS or (type(number) is int and dtype in self.integers)):
            # The number takes on the array's dtype.
            x = x if first else quiet().run(np.asarray, x, dtype)
            out = tensor._new(quiet().run(self.forward, x, y))
        else:
            a, b, x, y, common = self.promote(a, b, x, y)
            array = np.asarray(quiet().run(self.forward, x, y))
            out = tensor._new(quiet().run(array.astype, common._numpy))
        if tensor._requires_grad and current.enabled:
            self.shapes, edge = None, tensor._node or tensor
            self.record((edge, None) if first else (None, edge), (a, b), out)
        return out

    def result_dtype(self, x: Any, y: Any) -> dtype:
        """The dtype to compute in."""
        return dtypes.result_type(x, y)

    def promote(self, a: object, b: object, x: object, y: object) -> tuple[Any, Any, Any, Any, dtype]:
        """The inputs in the result's dtype, the arrays to compute with, and that dtype.

        A number stays one as an input, since gradients read it as it is.
        """
        common = self.result_dtype(x, y)
        numbers = not (isinstance(a, Tensor) and isinstance(b, Tensor))
        computed = dtypes.float32 if numbers and common._numpy in HALVES and not self.rounds_numbers else common
        a, x = _in_dtype(a, common, computed)
        b, y = _in_dtype(b, common, computed)
        return a, b, x, y, common

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        da, db = Binary.backward(self, g)
        if self.shapes is None:
            return da, db
        shape_a, shape_b = self.shapes
        return None if da is None else sum_to(da, shape_a), None if db is None else sum_to(db, shape_b)


def _in_dtype(a: Any, common: dtype, computed: dtype) -> tuple[Any, Array]:
    """A tensor in the dtype `common` (a number as it is), and its array in the dtype `computed`."""
    if not isinstance(a, Tensor):
        return a, quiet().run(np.asarray(a).astype, computed._numpy)
    a = cast(a, common)
    return a, a._array if computed is common else in_dtype(a._array, computed._numpy)


class Add(Elementwise):
    """`a + b`."""

    rounds_numbers = True

    forward = np.add

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return g


class Sub(Elementwise):
    """`a - b`."""

    rounds_numbers = True

    forward = np.subtract

    def result_dtype(self, x: Any, y: Any) -> dtype:
        bools = [np.asarray(operand).dtype == bool for operand in (x, y)]
        if any(bools):
            operands = "two bool tensors" if all(bools) else "a bool tensor"
            raise RuntimeError(f"Subtraction, the `-` operator, with {operands} is not supported: `~` inverts a mask")
        return super().result_dtype(x, y)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return -g


class Rsub(Sub):
    """`a - b` for a number `a`."""

    form = "RsubBackward1"


class Mul(Elementwise):
    """`a * b`."""

    forward = np.multiply

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g * b

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a


class Div(Elementwise):
    """`a / b`: in floating point also for integers."""

    integers = ()
    forward: ClassVar[Callable[..., Array]] = np.true_divide

    def result_dtype(self, x: Any, y: Any) -> dtype:
        return floating(dtypes.result_type(x, y))

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g / b

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return -g * (a / b / b)


class Rdiv(Div):
    """`a / b` for a number `a`, computed as `a * (1 / b)`."""

    form = "MulBackward0"

    def forward(self, a: Any, b: Array) -> Array:
        return np.multiply(inverse(b), a)


class Neg(Unary):
    """`-x`."""

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            problem = "Negation, the `-` operator, on a bool tensor is not supported."
            raise RuntimeError(f"{problem} If you are trying to invert a mask, use the `~` operator instead.")
        return np.negative(x)

    def dx(self, g: Tensor) -> Tensor:
        return -g


class Floating(Unary):
    """A unary op whose result is floating point, also for integers."""

    def of(self, x: Any) -> Tensor:
        # By the name of the class: to ask for it by super() takes as long as the exponentials of a few numbers.
        return Unary.of(self, x if x._array.dtype in FLOATS else cast(x, dtypes.get_default_dtype()))


class Exp(Floating):
    """`e**x`: its own derivative."""

    forward = np.exp

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return g * y


class Log(Floating):
    """The natural logarithm of `x`."""

    forward = np.log

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return g / x


class Clone(Unary):
    """A copy of `x`, in memory order "K" as x is, or "C" contiguous."""

    order: Literal["K", "C"]
    form: str = "CloneBackward0"

    def forward(self, x: Array) -> Array:
        return copied(x, self.order)

    def dx(self, g: Tensor) -> Tensor:
        return g


class Mask(Unary):
    """`x` where `mask` holds, else 0: its own adjoint."""

    formulas = ("dx = Mask(g)",)
    aside = ("mask",)
    mask: Array

    def forward(self, x: Array) -> Array:
        return cleared(self.mask, x)

    def dx(self, g: Tensor) -> Tensor:
        if self.mask is None:
            raise released(self)
        return masked(g, self.mask)


def masked(x: Tensor, mask: Array) -> Tensor:
    """`x` where `mask`, which broadcasts to x's shape, holds, else 0, even where `x` is not finite."""
    return Mask(mask).of(x)


def zeroed(g: Tensor) -> Tensor:
    """Zeros for the elements of `g`, even where it is not finite."""
    return Mask(np.zeros((), bool)).of(g) if current.enabled else g._new(np.zeros_like(g._array))


def floating(of_type: dtype) -> dtype:
    """`of_type` if it is a floating-point dtype, else the default one."""
    return of_type if of_type.is_floating_point else dtypes.get_default_dtype()


# ---- the operators ---------------------------------------------------------------------------------------------------


@method("__add__", "__radd__")
def add(a: Tensor, b: Operand) -> Tensor:
    """`a + b`."""
    return Add().of(a, b)


@method("__sub__")
def sub(a: Tensor, b: Operand) -> Tensor:
    """`a - b`."""
    return Sub().of(a, b)


@method("__rsub__")
def rsub(a: Tensor, b: Operand) -> Tensor:
    """`b - a`."""
    return Rsub().of(b, a)


@method("__mul__", "__rmul__")
def mul(a: Tensor, b: Operand) -> Tensor:
    """`a * b`."""
    return Mul().of(a, b)


@method("__truediv__")
def div(a: Tensor, b: Operand) -> Tensor:
    """`a / b`."""
    return Div().of(a, b)


# As in PyTorch also by the name that it had in Python 2.
@method("__rtruediv__", "__rdiv__")
def rdiv(a: Tensor, b: Operand) -> Tensor:
    """`b / a`; of an array `b` the array `1 / a` times it, as in PyTorch."""
    return Rdiv().of(1, a) * b if isinstance(b, np.ndarray) else Rdiv().of(b, a)


@method("__neg__")
def neg(a: Tensor) -> Tensor:
    """`-a`."""
    return Neg().of(a)


@method("exp")
def exp(a: Tensor) -> Tensor:
    """`e**x` for each element x."""
    return Exp().of(a)


@method("log")
def log(a: Tensor) -> Tensor:
    """The natural logarithm of each element."""
    return Log().of(a)


@method("clone")
def clone(a: Tensor) -> Tensor:
    """A copy of `a`."""
    return Clone("K").of(a)


# The operators that write their result into their first operand.
for _name, _operator in {"__iadd__": add, "__isub__": sub, "__imul__": mul, "__itruediv__": div}.items():
    method(_name)(lambda a, b, operator=_operator: a._rewrite(operator, b))
