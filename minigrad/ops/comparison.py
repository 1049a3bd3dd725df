"""Comparison, logic and bits; no gradient flows through these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, dtype
from minigrad.core.elementwise import cast
from minigrad.core.shapes import broadcast_shapes_message
from minigrad.core.tape import quiet
from minigrad.core.tensor import Function, Operand, Tensor
from minigrad.declare import OPERANDS, as_number, op, operator, rewritten
from minigrad.ops.recording import Copy
from minigrad.tensors.interoperation import shared


def answered(method: Function) -> Function:
    """The method `x.f_(…)` that writes the answers of `x.f(…)` into `x` itself, as 1 and 0; they have no gradient."""
    name = "".join([word.capitalize() for word in method.__name__.split("_")])

    def call(self: Any, *args: object, **kwargs: object) -> Any:
        answers = cast(method(self, *args, **kwargs), self.dtype)
        beside_tensor = any([isinstance(each, Tensor) for each in (*args, *kwargs.values())])
        return self._rewrite(Copy(f"{name}Backward{int(beside_tensor)}"), answers)

    return call


# ---- comparison ------------------------------------------------------------------------------------------------------


@op(in_place=answered)
def eq(input: Tensor, other: Operand) -> Tensor:
    """Whether each element equals that of `other`."""
    return compare(np.equal, input, other)


@op(in_place=answered, aliases=["not_equal"], operator="ne")
def ne(input: Tensor, other: Operand) -> Tensor:
    """Whether each element differs from that of `other`."""
    return compare(np.not_equal, input, other)


@op(in_place=answered, aliases=["less"], operator="lt")
def lt(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is below that of `other`."""
    return compare(np.less, input, other)


@op(in_place=answered, aliases=["less_equal"], operator="le")
def le(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is at or below that of `other`."""
    return compare(np.less_equal, input, other)


@op(in_place=answered, aliases=["greater"], operator="gt")
def gt(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is above that of `other`."""
    return compare(np.greater, input, other)


@op(in_place=answered, aliases=["greater_equal"], operator="ge")
def ge(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is at or above that of `other`."""
    return compare(np.greater_equal, input, other)


@op()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and elements.

    >>> import minigrad as torch
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2])), torch.equal(torch.tensor([1, 2]), torch.tensor([1]))
    (True, False)
    """
    return np.array_equal(input._array, other._array)


@op()
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"{input.dtype._tensor_name} did not match {other.dtype._tensor_name}: convert one, as in "
            f"other.to({input.dtype!r})"
        )
    rtol, atol = float(as_number(rtol)), float(as_number(atol))
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    return _combined(lambda x, y: np.isclose(x, y, rtol, atol, equal_nan), input, other, input.dtype)


@op()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` says.

    >>> import minigrad as torch
    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.000001]))
    True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


@op()
def isnan(input: Tensor) -> Tensor:
    """Whether each element is nan, not a number."""
    return input._new(np.isnan(input._array))


@op()
def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite."""
    return input._new(np.isinf(input._array))


@op()
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor nan."""
    return input._new(np.isfinite(input._array))


# ---- logic and bits --------------------------------------------------------------------------------------------------


@op(in_place=answered)
def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether each element and that of `other` are both not 0."""
    return _logical(np.logical_and, input, other)


@op(in_place=answered)
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether each element or that of `other` is not 0."""
    return _logical(np.logical_or, input, other)


@op(in_place=answered)
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether one of each element and that of `other` is 0, and the other one is not."""
    return _logical(np.logical_xor, input, other)


@op(in_place=answered)
def logical_not(input: Tensor) -> Tensor:
    """Whether each element is 0."""
    return input._new(np.logical_not(input._array))


@op(in_place=rewritten, operator="and")
def bitwise_and(input: Operand, other: Operand) -> Tensor:
    """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    return _bitwise(np.bitwise_and, "bitwise_and", input, other)


@op(in_place=rewritten, operator="or")
def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """The bits that each integer or that of `other` has; of bools, whether one holds."""
    return _bitwise(np.bitwise_or, "bitwise_or", input, other)


@op(in_place=rewritten, operator="xor")
def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    return _bitwise(np.bitwise_xor, "bitwise_xor", input, other)


@op(in_place=rewritten)
def bitwise_not(input: Tensor) -> Tensor:
    """Each integer with all bits flipped; of bools, whether each does not hold."""
    if input._array.dtype.kind == "f":
        raise NotImplementedError(f"\"bitwise_not_cpu\" not implemented for '{input.dtype._tensor_name}': x.long()")
    return input._new(np.invert(input._array))


@op(in_place=rewritten, operator="lshift")
def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """Each integer times 2 to the power of `other`."""
    return _bitwise(np.left_shift, "lshift", input, other)


@op(in_place=rewritten, operator="rshift")
def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """Each integer over 2 to the power of `other`, rounded down."""
    return _bitwise(np.right_shift, "rshift", input, other)


# ---- operators that are no functions ---------------------------------------------------------------------------------


@operator("eq")
def equal_to(input: Tensor, other: object) -> Tensor:
    """Whether each element equals that of `other`, a tensor, an array or a number."""
    return compare(np.equal, input, _tensor_of(input, other))


@operator("invert")
def inverted(input: Tensor) -> Tensor:
    """Each integer with all bits flipped; of bools, whether each does not hold."""
    if input._array.dtype.kind == "f":
        raise TypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, got {input.dtype!r}"
        )
    return input._new(np.invert(input._array))


@operator("contains")
def contains(input: Tensor, element: Operand) -> bool:
    """Whether one element equals `element`."""
    if not isinstance(element, OPERANDS):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool((input == element).any())


# ---- on arrays -------------------------------------------------------------------------------------------------------


def _tensor_of(x: Tensor, other: object) -> Any:
    """`other`, as a tensor if it is an array that can be one."""
    if isinstance(other, np.ndarray):
        try:
            return x._new(shared(other))
        except TypeError:
            return other
    return other


def compare(ufunc: Callable[..., Array], a: Tensor, b: object) -> Any:
    """The tensor of `ufunc(a, b)`, a comparison, for a tensor and another one, an array or a number."""
    if isinstance(b, complex):
        raise NotImplementedError(f"complex numbers are not there: (x == real) & (imaginary == 0), got {b}")
    if a._array.dtype.kind == "f" and (type(b) is float or (type(b) is int and b.bit_length() < 64)):
        # The number takes on the array's dtype.
        return a._new(quiet().run(ufunc, a._array, b))
    return _combined(ufunc, a, b, _common(a, b)) if isinstance(b, OPERANDS) else NotImplemented


def _logical(ufunc: Callable[..., Array], a: Tensor, b: Tensor) -> Any:
    """The tensor of `ufunc(a, b)` for two tensors, of whose elements only counts whether they are 0."""
    return _combined(ufunc, a, b, dtypes.bool_) if isinstance(a, Tensor) and isinstance(b, Tensor) else NotImplemented


def _bitwise(ufunc: Callable[..., Array], kernel: str, a: object, b: object) -> Any:
    """The tensor of `ufunc(a, b)` for integers, or bools if it is no shift; PyTorch calls it `kernel`."""
    if not (isinstance(a, OPERANDS) and isinstance(b, OPERANDS)):
        return NotImplemented
    common = _common(a, b)
    if common.is_floating_point or (common is dtypes.bool_ and kernel.endswith("shift")):
        raise NotImplementedError(
            f"\"{kernel}_cpu\" not implemented for '{common._tensor_name}': expected integers, or bools such as "
            "(x > 0) & (y > 0)"
        )
    return _combined(ufunc, a, b, common)


def _common(a: Any, b: Any) -> dtype:
    """The dtype in which two operands meet."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a._array.dtype is b._array.dtype:
        return dtypes.of(a._array)
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (a, b)])


def _combined(compute: Callable[..., Any], a: Any, b: Any, common: dtype) -> Tensor:
    """The tensor of what `compute` makes of the arrays of `a` and `b` in the dtype `common`."""
    x, y = [each._array if isinstance(each, Tensor) else np.asarray(each) for each in (a, b)]
    if x.dtype != common._numpy:
        x = quiet().run(x.astype, common._numpy)
    if y.dtype != common._numpy:
        y = quiet().run(y.astype, common._numpy)
    try:
        found = quiet().run(compute, x, y)
    except ValueError:
        raise RuntimeError(broadcast_shapes_message(x.shape, y.shape)) from None
    return (a if isinstance(a, Tensor) else b)._new(found)
