"""Arithmetic: the operators, and their methods with and without a trailing underscore."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from minigrad.core import elementwise
from minigrad.core.dtypes import Number
from minigrad.core.tensor import CoreTensor, Tensor
from minigrad.methods.forms import OPERANDS, Operand, checked_operand, checked_tensor, in_place, in_place_sum
from minigrad.methods.writing import Writing
from minigrad.ops import arithmetic, ternary


class Arithmetic(Writing):
    """Arithmetic."""

    __slots__ = ()

    # ---- operators ---------------------------------------------------------------------------------------------------

    def __rsub__(self, other: Operand) -> Tensor:
        return elementwise.Rsub()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __rtruediv__(self, other: Operand) -> Tensor:
        return elementwise.Rdiv()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    __rdiv__ = __rtruediv__

    def __floordiv__(self, other: Operand) -> Tensor:
        return arithmetic.FloorDivide()(self, other)

    def __rfloordiv__(self, other: Operand) -> Tensor:
        return arithmetic.FloorDivide()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __mod__(self, other: Operand) -> Tensor:
        return arithmetic.remainder(self, other)

    def __rmod__(self, other: Operand) -> Tensor:
        return arithmetic.remainder(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __pow__(self, other: Operand) -> Tensor:
        return arithmetic.power(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rpow__(self, other: Operand) -> Tensor:
        return arithmetic.power(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __pos__(self) -> Any:
        if self._array.dtype == builtins.bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    __iadd__ = in_place_sum(CoreTensor.__add__, 1)
    __isub__ = in_place_sum(CoreTensor.__sub__, -1)
    __imul__ = in_place(CoreTensor.__mul__)
    __itruediv__ = in_place(CoreTensor.__truediv__)
    __ifloordiv__ = in_place(__floordiv__)
    __imod__ = in_place(__mod__)
    __ipow__ = in_place(__pow__)

    # ---- methods -----------------------------------------------------------------------------------------------------

    def add(self, other: Operand, *, alpha: Number = 1) -> Tensor:
        """The sum `self + alpha * other`."""
        return arithmetic.add(self, checked_operand("add", other), checked_number("add", "alpha", alpha))

    def sub(self, other: Operand, *, alpha: Number = 1) -> Tensor:
        """The difference `self - alpha * other`."""
        return arithmetic.sub(self, checked_operand("sub", other), checked_number("sub", "alpha", alpha))

    def mul(self, other: Operand) -> Tensor:
        """The product `self * other`, element by element."""
        return elementwise.Mul()(self, checked_operand("mul", other))

    def div(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """The quotient `self / other`, in floating point also for integers.

        With the `rounding_mode` "floor" it is rounded down, with "trunc" towards 0, and keeps an integer dtype.
        """
        return arithmetic.div(self, checked_operand("div", other), rounding_mode)

    def true_divide(self, other: Operand) -> Tensor:
        """The quotient `self / other`, in floating point also for integers."""
        return elementwise.Div()(self, checked_operand("true_divide", other))

    def floor_divide(self, other: Operand) -> Tensor:
        """The quotient `self / other`, rounded down."""
        return arithmetic.FloorDivide()(self, checked_operand("floor_divide", other))

    def remainder(self, other: Operand) -> Tensor:
        """What `self / other`, rounded down, leaves of each element; it has the sign of `other`."""
        return arithmetic.remainder(self, checked_operand("remainder", other))

    def fmod(self, other: Operand) -> Tensor:
        """What `self / other`, rounded towards 0, leaves of each element; it has the sign of `self`."""
        return arithmetic.fmod(self, checked_operand("fmod", other))

    def pow(self, exponent: Operand) -> Tensor:
        """Each element to the power of `exponent`."""
        return arithmetic.power(self, checked_operand("pow", exponent))

    def neg(self) -> Tensor:
        """The negative of each element."""
        return elementwise.Neg()(self)

    def positive(self) -> Any:
        """This tensor, which must not be of bools."""
        return self.__pos__()

    def lerp(self, end: Tensor, weight: Operand) -> Tensor:
        """`self + weight * (end - self)`: this tensor for the weight 0, `end` for 1, between them what lies between."""
        weight = checked_operand("lerp", weight)
        return ternary.lerp(self, checked_tensor("lerp", end, "end"), weight)

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self + value * tensor1 * tensor2`."""
        number = checked_number("addcmul", "value", value)
        one, two = _checked_tensors("addcmul", tensor1=tensor1, tensor2=tensor2)
        return ternary.addcmul(self, one, two, number)

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """`self + value * tensor1 / tensor2`."""
        number = checked_number("addcdiv", "value", value)
        one, two = _checked_tensors("addcdiv", tensor1=tensor1, tensor2=tensor2)
        return ternary.addcdiv(self, one, two, number)

    multiply = mul
    subtract = sub
    divide = div
    negative = neg
    add_ = in_place_sum(add, 1)
    sub_ = subtract_ = in_place_sum(sub, -1)
    mul_ = multiply_ = in_place(mul)
    div_ = divide_ = in_place(div)
    true_divide_ = in_place(true_divide)
    floor_divide_ = in_place(floor_divide)
    remainder_ = in_place(remainder)
    fmod_ = in_place(fmod)
    pow_ = in_place(pow)
    neg_ = negative_ = in_place(neg)
    lerp_ = in_place(lerp)
    addcmul_ = in_place(addcmul)
    addcdiv_ = in_place(addcdiv)


def checked_number(name: str, argument: str, given: Any) -> Any:
    """`given`, which must be a number or a 0-d tensor that requires no gradient, as a Python number."""
    if isinstance(given, Tensor) and given._array.ndim == 0 and not given._requires_grad:
        return given._array.item()
    if isinstance(given, np.generic):
        return given.item()
    if not isinstance(given, int | float):
        raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(given).__name__}")
    return given


def _checked_tensors(name: str, **given: Any) -> list[Any]:
    """The arguments of those names, which must be tensors."""
    return [checked_tensor(name, each, argument, i) for i, (argument, each) in enumerate(given.items(), start=1)]
