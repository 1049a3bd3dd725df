"""Comparison, logic and bits."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.elementwise import Copy, cast
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import OPERANDS, Operand, checked_operand, checked_tensor, in_place, named_in_place
from minigrad.methods.writing import Writing
from minigrad.ops import comparing
from minigrad.tensors.interoperation import shared


def _answers_in_place(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method `x.f_(…)` that writes the answers of `x.f(…)` into `x` itself, as 1 and 0; they have no gradient."""
    name = "".join([word.capitalize() for word in method.__name__.split("_")])

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        answers = cast(method(self, *args, **kwargs), self.dtype)
        beside_tensor = any([isinstance(each, Tensor) for each in (*args, *kwargs.values())])
        return self._rewrite(lambda before: Copy(f"{name}Backward{int(beside_tensor)}")(before, answers))

    return named_in_place(call, method, "Write into this tensor, as 1 and 0,")


class Comparison(Writing):
    """Comparison, logic and bits."""

    __slots__ = ()

    # ---- operators ---------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            try:
                other = self._new(shared(other))
            except TypeError:
                return NotImplemented
        return comparing.compare(np.equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return comparing.compare(np.not_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __lt__(self, other: Operand) -> Tensor:
        return comparing.compare(np.less, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __le__(self, other: Operand) -> Tensor:
        return comparing.compare(np.less_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __gt__(self, other: Operand) -> Tensor:
        return comparing.compare(np.greater, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __ge__(self, other: Operand) -> Tensor:
        return comparing.compare(np.greater_equal, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __and__(self, other: Operand) -> Tensor:
        return comparing.bitwise("and", self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __or__(self, other: Operand) -> Tensor:
        return comparing.bitwise("or", self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __xor__(self, other: Operand) -> Tensor:
        return comparing.bitwise("xor", self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rand__(self, other: Operand) -> Tensor:
        return self.__and__(other)

    def __ror__(self, other: Operand) -> Tensor:
        return self.__or__(other)

    def __rxor__(self, other: Operand) -> Tensor:
        return self.__xor__(other)

    def __lshift__(self, other: Operand) -> Tensor:
        return comparing.bitwise("lshift", self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rshift__(self, other: Operand) -> Tensor:
        return comparing.bitwise("rshift", self, other) if isinstance(other, OPERANDS) else NotImplemented

    def __rlshift__(self, other: Operand) -> Tensor:
        return comparing.bitwise("lshift", other, self) if isinstance(other, OPERANDS) else NotImplemented

    def __rrshift__(self, other: Operand) -> Tensor:
        return comparing.bitwise("rshift", other, self) if isinstance(other, OPERANDS) else NotImplemented

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

    __iand__ = in_place(__and__)
    __ior__ = in_place(__or__)
    __ixor__ = in_place(__xor__)
    __ilshift__ = in_place(__lshift__)
    __irshift__ = in_place(__rshift__)

    # ---- comparison --------------------------------------------------------------------------------------------------

    def eq(self, other: Operand) -> Tensor:
        """Whether each element equals that of `other`."""
        return comparing.compare(np.equal, self, checked_operand("eq", other))

    def ne(self, other: Operand) -> Tensor:
        """Whether each element differs from that of `other`."""
        return comparing.compare(np.not_equal, self, checked_operand("ne", other))

    def lt(self, other: Operand) -> Tensor:
        """Whether each element is below that of `other`."""
        return comparing.compare(np.less, self, checked_operand("lt", other))

    def le(self, other: Operand) -> Tensor:
        """Whether each element is at or below that of `other`."""
        return comparing.compare(np.less_equal, self, checked_operand("le", other))

    def gt(self, other: Operand) -> Tensor:
        """Whether each element is above that of `other`."""
        return comparing.compare(np.greater, self, checked_operand("gt", other))

    def ge(self, other: Operand) -> Tensor:
        """Whether each element is at or above that of `other`."""
        return comparing.compare(np.greater_equal, self, checked_operand("ge", other))

    def equal(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape and elements.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).equal(torch.tensor([1, 2])), torch.tensor([1, 2]).equal(torch.tensor([1]))
        (True, False)
        """
        return np.array_equal(self._array, checked_tensor("equal", other, "other", 1)._array)

    def isclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
        """Where `|self - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
        return comparing.is_close(self, checked_tensor("isclose", other, "other", 1), rtol, atol, equal_nan)

    def allclose(
        self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> builtins.bool:
        """Whether all elements are close, as `isclose` says.

        >>> import minigrad as torch
        >>> torch.tensor([1.0]).allclose(torch.tensor([1.000001]))
        True
        """
        other = checked_tensor("allclose", other, "other", 1)
        return bool(comparing.is_close(self, other, rtol, atol, equal_nan)._array.all())

    def isnan(self) -> Tensor:
        """Whether each element is nan, not a number."""
        return self._new(np.isnan(self._array))

    def isinf(self) -> Tensor:
        """Whether each element is infinite."""
        return self._new(np.isinf(self._array))

    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor nan."""
        return self._new(np.isfinite(self._array))

    # ---- logic and bits ----------------------------------------------------------------------------------------------

    def logical_and(self, other: Tensor) -> Tensor:
        """Whether each element and that of `other` are both not 0."""
        return comparing.logical(np.logical_and, self, checked_tensor("logical_and", other, "other", 1))

    def logical_or(self, other: Tensor) -> Tensor:
        """Whether each element or that of `other` is not 0."""
        return comparing.logical(np.logical_or, self, checked_tensor("logical_or", other, "other", 1))

    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether one of each element and that of `other` is 0, and the other one is not."""
        return comparing.logical(np.logical_xor, self, checked_tensor("logical_xor", other, "other", 1))

    def logical_not(self) -> Tensor:
        """Whether each element is 0."""
        return self._new(np.logical_not(self._array))

    def bitwise_and(self, other: Operand) -> Tensor:
        """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
        return comparing.bitwise("and", self, checked_operand("bitwise_and", other))

    def bitwise_or(self, other: Operand) -> Tensor:
        """The bits that each integer or that of `other` has; of bools, whether one holds."""
        return comparing.bitwise("or", self, checked_operand("bitwise_or", other))

    def bitwise_xor(self, other: Operand) -> Tensor:
        """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
        return comparing.bitwise("xor", self, checked_operand("bitwise_xor", other))

    def bitwise_not(self) -> Tensor:
        """Each integer with all bits flipped; of bools, whether each does not hold."""
        if self._array.dtype.kind == "f":
            raise NotImplementedError(f"\"bitwise_not_cpu\" not implemented for '{self.dtype._tensor_name}': x.long()")
        return self._new(np.invert(self._array))

    def bitwise_left_shift(self, other: Operand) -> Tensor:
        """Each integer times 2 to the power of `other`."""
        return comparing.bitwise("lshift", self, checked_operand("bitwise_left_shift", other))

    def bitwise_right_shift(self, other: Operand) -> Tensor:
        """Each integer over 2 to the power of `other`, rounded down."""
        return comparing.bitwise("rshift", self, checked_operand("bitwise_right_shift", other))

    not_equal = ne
    less = lt
    less_equal = le
    greater = gt
    greater_equal = ge
    eq_ = _answers_in_place(eq)
    ne_ = not_equal_ = _answers_in_place(ne)
    lt_ = less_ = _answers_in_place(lt)
    le_ = less_equal_ = _answers_in_place(le)
    gt_ = greater_ = _answers_in_place(gt)
    ge_ = greater_equal_ = _answers_in_place(ge)
    logical_and_ = _answers_in_place(logical_and)
    logical_or_ = _answers_in_place(logical_or)
    logical_xor_ = _answers_in_place(logical_xor)
    logical_not_ = _answers_in_place(logical_not)
    bitwise_and_ = in_place(bitwise_and)
    bitwise_or_ = in_place(bitwise_or)
    bitwise_xor_ = in_place(bitwise_xor)
    bitwise_not_ = in_place(bitwise_not)
    bitwise_left_shift_ = in_place(bitwise_left_shift)
    bitwise_right_shift_ = in_place(bitwise_right_shift)
