"""Comparison and logic."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.base import TensorBase
from minigrad.methods.forms import OPERANDS, Operand, in_place
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Comparison(Writing):
    """Comparison and logic."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return elementwise.compare(np.equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return elementwise.compare(np.not_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __lt__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.less, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __le__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.less_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __gt__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.greater, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ge__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.greater_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __and__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_and, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __or__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_or, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rand__(self, other: Operand) -> Tensor:
        return self & other

    def __ror__(self, other: Operand) -> Tensor:
        return self | other

    def __rxor__(self, other: Operand) -> Tensor:
        return self ^ other

    def __xor__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_xor, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __invert__(self) -> Tensor:
        if self._array.dtype.kind == "f":
            raise TypeError(
                f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, got {self.dtype!r}"
            )
        return self._new(np.invert(self._array))

    def __contains__(self, element: Operand) -> builtins.bool:
        if not isinstance(element, OPERANDS):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool((self == element).any())

    def equal(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape and elements."""
        if not isinstance(other, TensorBase):
            raise TypeError(f"equal(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        return np.array_equal(self._array, other._array)

    def isclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """Where `|self - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
        if self.dtype is not other.dtype:
            raise RuntimeError(
                f"{self.dtype._tensor_name} did not match {other.dtype._tensor_name}: convert one, as in "
                f"other.to({self.dtype!r})"
            )
        if self._array.shape != other._array.shape:
            # Compared as by `==`, for its error where the shapes do not broadcast.
            elementwise.compare(np.equal, self, other)
        return self._new(np.isclose(self._array, other._array, rtol, atol, equal_nan))

    def allclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """Whether all elements are close, as `isclose` says."""
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    __iand__ = in_place(__and__)
    __ior__ = in_place(__or__)
    __ixor__ = in_place(__xor__)
