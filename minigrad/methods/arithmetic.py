"""Arithmetic: the operators, and their methods with and without a trailing underscore."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.methods.forms import OPERANDS, Operand, checked_operand, in_place
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Arithmetic(Writing):
    """Arithmetic."""

    __slots__ = ()

    def __add__(self, other: Operand) -> Tensor:
        return elementwise.Add()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __radd__(self, other: Operand) -> Tensor:
        return elementwise.Add()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __sub__(self, other: Operand) -> Tensor:
        return elementwise.Sub()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rsub__(self, other: Operand) -> Tensor:
        return elementwise.Rsub()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __mul__(self, other: Operand) -> Tensor:
        return elementwise.Mul()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rmul__(self, other: Operand) -> Tensor:
        return elementwise.Mul()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __truediv__(self, other: Operand) -> Tensor:
        return elementwise.Div()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rtruediv__(self, other: Operand) -> Tensor:
        return elementwise.Rdiv()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __pow__(self, other: Operand) -> Tensor:
        if isinstance(other, builtins.int | builtins.float | np.generic):
            return elementwise.PowNumber(other.item() if isinstance(other, np.generic) else other)(self)
        return elementwise.Pow()(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rpow__(self, other: Operand) -> Tensor:
        return elementwise.Rpow()(other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __neg__(self) -> Tensor:
        return elementwise.Neg()(self)

    def __pos__(self) -> Any:
        if self._array.dtype == builtins.bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def __abs__(self) -> Tensor:
        return elementwise.Abs()(self)

    def neg(self) -> Tensor:
        """The negative of each element."""
        return elementwise.Neg()(self)

    def add(self, other: Operand) -> Tensor:
        """The sum `self + other`."""
        return self.__add__(checked_operand("add", other))

    def sub(self, other: Operand) -> Tensor:
        """The difference `self - other`."""
        return self.__sub__(checked_operand("sub", other))

    def mul(self, other: Operand) -> Tensor:
        """The product `self * other`, element by element."""
        return self.__mul__(checked_operand("mul", other))

    def div(self, other: Operand) -> Tensor:
        """The quotient `self / other`, in floating point also for integers."""
        return self.__truediv__(checked_operand("div", other))

    def pow(self, exponent: Operand) -> Tensor:
        """Each element to the power of `exponent`."""
        return self.__pow__(exponent)

    __iadd__ = in_place(__add__)
    __isub__ = in_place(__sub__)
    __imul__ = in_place(__mul__)
    __itruediv__ = in_place(__truediv__)
    __ipow__ = in_place(__pow__)
    add_ = in_place(add)
    sub_ = in_place(sub)
    mul_ = in_place(mul)
    div_ = in_place(div)
    neg_ = in_place(neg)
    pow_ = in_place(pow)
