"""Comparison, logic and bits, through which no gradient flows; and choices by them: `where`, `clamp`, `maximum`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, ClassVar

import numpy as np

from minigrad.core.arrays import WIDE_FLOATS, chosen, in_dtype, laid_out
from minigrad.core.dtypes import FLOATS, HALVES, Array, bool_, dtype, of, result_type
from minigrad.core.ops import Elementwise, broadcast_error, cast, common_shape, masked, sum_to
from minigrad.core.tape import Node, Unary, quiet
from minigrad.core.tensor import Operand, Tensor, method
from minigrad.declare import OPERANDS, Declared, as_number, op, rewritten
from minigrad.ops import arguments
from minigrad.tensors.conversion import shared_memory

# ---- ufuncs of two operands ------------------------------------------------------------------------------------------


def by(compute: Callable[..., Any], ufunc: Callable[..., Array], **options: Any) -> Callable[[Declared], Declared]:
    """The decorator of a function of two operands, `compute(ufunc, input, other)`.  The options are those of `op`."""
    if "in_place" in options:
        options["in_place"] = functools.partial(rewritten, ufunc=ufunc)

    def declare(function: Declared) -> Declared:
        @functools.wraps(function)
        def call(input: Any, other: Any) -> Any:
            return compute(ufunc, input, other)

        return op(**options)(call)  # type: ignore[return-value]  # it is called as the function is

    return declare


# The dtypes with which Python's ints are compared without conversion.
_COUNTED = (*WIDE_FLOATS, np.dtype(np.int64))


def compare(ufunc: Callable[..., Array], a: Tensor, b: object) -> Any:
    """The tensor of `ufunc(a, b)`, a comparison, for a tensor and another one, an array or a number."""
    kinds = WIDE_FLOATS if type(b) is float else _COUNTED if type(b) is int and b.bit_length() < 64 else ()
    if a._array.dtype in kinds:
        # The number takes on the array's dtype.
        return a._new(quiet().run(ufunc, a._array, b))
    if isinstance(b, complex):
        raise NotImplementedError(f"complex numbers are not there: (x == real) & (imaginary == 0), got {b}")
    return _combined(ufunc, a, b, _common(a, b)) if isinstance(b, OPERANDS) else NotImplemented


def _logical(ufunc: Callable[..., Array], a: Tensor, b: Tensor) -> Any:
    """The tensor of `ufunc(a, b)` for two tensors, whose elements count as True unless they are 0."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return NotImplemented
    return _combined(ufunc, a, b, None)


def _bitwise(ufunc: Callable[..., Array], a: object, b: object, shift: str | None = None) -> Any:
    """The tensor of `ufunc(a, b)` for integers or bools; `shift` is PyTorch's name of a shift, which takes no bools."""
    if not (isinstance(a, OPERANDS) and isinstance(b, OPERANDS)):
        return NotImplemented
    common = _common(a, b)
    if common.is_floating_point or (common is bool_ and shift):
        kernel = shift or ufunc.__name__
        raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for '{common._tensor_name}': (x > 0) & (y > 0)")
    return _combined(ufunc, a, b, common)


def _common(a: Any, b: Any) -> dtype:
    """The dtype in which two operands meet."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a._array.dtype is b._array.dtype:
        return of(a._array)
    return result_type(*[each._array if isinstance(each, Tensor) else each for each in (a, b)])


def _combined(compute: Callable[..., Any], a: Any, b: Any, common: dtype | None) -> Tensor:
    """The tensor of `compute(array of a, array of b)`, both converted to the dtype `common` if one is given."""
    x = a._array if isinstance(a, Tensor) else np.asarray(a)
    y = b._array if isinstance(b, Tensor) else np.asarray(b)
    if common is not None and not x.dtype is y.dtype is common._numpy:
        x, y = [each if each.dtype == common._numpy else quiet().run(in_dtype, each, common._numpy) for each in (x, y)]
    try:
        found = quiet().run(compute, x, y)
    except ValueError:
        raise broadcast_error(x.shape, y.shape) from None
    return (a if isinstance(a, Tensor) else b)._new(found if x.flags.c_contiguous else laid_out(found, x, y))


# ---- comparison ------------------------------------------------------------------------------------------------------


@by(compare, np.equal)
def eq(input: Tensor, other: Operand) -> Tensor:
    """Whether each element equals that of `other`."""


@by(compare, np.not_equal, aliases=["not_equal"], operator="ne")
def ne(input: Tensor, other: Operand) -> Tensor:
    """Whether each element differs from that of `other`."""


@by(compare, np.less, aliases=["less"], operator="lt")
def lt(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is below that of `other`."""


@by(compare, np.less_equal, aliases=["less_equal"], operator="le")
def le(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is at or below that of `other`."""


@by(compare, np.greater, aliases=["greater"], operator="gt")
def gt(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is above that of `other`."""


@by(compare, np.greater_equal, aliases=["greater_equal"], operator="ge")
def ge(input: Tensor, other: Operand) -> Tensor:
    """Whether each element is at or above that of `other`."""


@op()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and elements.

    >>> import minigrad as torch
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2])), torch.equal(torch.tensor([1, 2]), torch.tensor([1]))
    (True, False)
    """
    x, y = input._array, other._array
    # Of large tensors that differ, most often the first elements do.
    if x.shape != y.shape or (x.size >= _MANY and x.dtype is y.dtype and x.item(0) != y.item(0)):
        return False
    same = np.equal(x, y)
    # Of few elements, NumPy finds the first that differs sooner than it tells whether all are equal.
    return not same.size or bool(same.item(same.argmin()))


@op()
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
    return _close(input, other, rtol, atol, equal_nan)


def _close(input: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype._tensor_name} did not match {other.dtype._tensor_name}: convert one")
    rtol, atol = float(as_number(rtol)), float(as_number(atol))
    if not (rtol >= 0 and atol >= 0):
        raise RuntimeError(f"rtol and atol must be greater than or equal to zero, but got {rtol} and {atol}")
    return _combined(lambda x, y: np.isclose(x, y, rtol, atol, equal_nan), input, other, input.dtype)


@op()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` says.

    >>> import minigrad as torch
    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.000001]))
    True
    """
    return bool(_close(input, other, rtol, atol, equal_nan).all())


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


@by(_logical, np.logical_and)
def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether each element and that of `other` are both not 0."""


@by(_logical, np.logical_or)
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether each element or that of `other` is not 0."""


@by(_logical, np.logical_xor)
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether one of each element and that of `other` is 0, and the other one is not."""


@op()
def logical_not(input: Tensor) -> Tensor:
    """Whether each element is 0."""
    return input._new(np.logical_not(input._array))


@by(_bitwise, np.bitwise_and, in_place=rewritten, operator="and")
def bitwise_and(input: Operand, other: Operand) -> Tensor:
    """The bits that each integer has in common with that of `other`; of bools, whether both hold."""


@by(_bitwise, np.bitwise_or, in_place=rewritten, operator="or")
def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """The bits that each integer or that of `other` has; of bools, whether one holds."""


@by(_bitwise, np.bitwise_xor, in_place=rewritten, operator="xor")
def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""


@op(in_place=rewritten)
def bitwise_not(input: Tensor) -> Tensor:
    """Each integer with all bits flipped; of bools, whether each does not hold."""
    if input._array.dtype in FLOATS:
        raise NotImplementedError(f"\"bitwise_not_cpu\" not implemented for '{input.dtype._tensor_name}': x.long()")
    return input._new(np.invert(input._array))


@by(lambda ufunc, a, b: _bitwise(ufunc, a, b, "lshift"), np.left_shift, in_place=rewritten, operator="lshift")
def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """Each integer times 2 to the power of `other`."""


@by(lambda ufunc, a, b: _bitwise(ufunc, a, b, "rshift"), np.right_shift, in_place=rewritten, operator="rshift")
def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """Each integer over 2 to the power of `other`, rounded down."""


# ---- operators without a function ------------------------------------------------------------------------------------


@method("__eq__")
def equal_to(input: Tensor, other: object) -> Tensor:
    """Whether each element equals that of `other`, a tensor, an array or a number."""
    return compare(np.equal, input, input._new(shared_memory(other)) if isinstance(other, np.ndarray) else other)


@method("__invert__")
def inverted(input: Tensor) -> Tensor:
    """Each integer with all bits flipped; of bools, whether each does not hold."""
    if input._array.dtype in FLOATS:
        raise TypeError(f"~ (operator.invert) is only implemented on integer and Boolean-type tensors: {input.dtype!r}")
    return input._new(np.invert(input._array))


@method("__contains__")
def contains(input: Tensor, element: Operand) -> bool:
    """Whether one element equals `element`."""
    if not isinstance(element, OPERANDS):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool((input == element).any())


# ---- by a condition --------------------------------------------------------------------------------------------------


@op("torch")
def where(condition: Tensor, input: Operand | EllipsisType = ..., other: Operand | EllipsisType = ...) -> Any:
    """`input` where `condition` holds, else `other`, tensors or numbers; without these, the indices where it holds.

    >>> import minigrad as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0)
    tensor([0., 2.])
    >>> torch.where(x > 0)
    (tensor([1]),)
    """
    if input is ... and other is ...:
        return condition.nonzero(as_tuple=True)
    if input is ... or other is ...:
        raise TypeError("where() takes a condition alone, or with input and other, two tensors or numbers")
    if condition._array.dtype not in (bool, np.uint8):
        raise RuntimeError(f"where expected condition to be a boolean tensor, such as x > 0, not {condition.dtype!r}")
    operands: list[Any] = [input, other]
    if not (isinstance(input, Tensor) and isinstance(other, Tensor) and input._array.dtype is other._array.dtype):
        common = _common(input, other)
        operands = [
            cast(each, common) if isinstance(each, Tensor) else condition._new(arguments.assigned(each, common))
            for each in operands
        ]
    return Where().of(cast(condition, bool_), *operands)


@op("Tensor", name="where")
def where_of(input: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """The elements where `condition` holds, those of `other` elsewhere.

    >>> import minigrad as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> x.where(x > 0, 0.0)
    tensor([0., 2.])
    """
    return where(condition, input, other)


@op(in_place=rewritten)
def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """The elements where `mask` does not hold, the number `value` where it does.

    >>> import minigrad as torch
    >>> scores = torch.tensor([1.0, 2.0, 3.0])
    >>> scores.masked_fill(scores > 2, float("-inf"))
    tensor([1., 2., -inf])
    """
    if mask._array.dtype != bool:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got a mask of {mask.dtype!r}: mask.bool()")
    if not isinstance(value, Tensor):
        return MaskedFill("MaskedFillBackward0").of(mask, input._new(arguments.filler(value, input.dtype)), input)
    if value._array.ndim:
        raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, got {value.shape}: torch.where")
    arguments.filler(value._array.item(), input.dtype)
    return MaskedFill("MaskedFillBackward1").of(mask, cast(value, input.dtype), input)


class Where(Node):
    """`b` where the bools `a` hold, else `c`: for three tensors whose shapes broadcast to one."""

    formulas = ("", "db = g where they hold", "dc = g where they do not")
    combined: ClassVar[Callable[..., Array]] = staticmethod(chosen)

    def backward(self, g: Tensor) -> Sequence[Any]:
        gradients = zip(Node.backward(self, g), self.shapes, strict=True)
        return [None if each is None else sum_to(each, shape) for each, shape in gradients]

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        self.shapes = [a.shape, b.shape, c.shape]
        try:
            return laid_out(self.combined(a, b, c), a, b, c)
        except ValueError:
            common_shape(self.shapes)  # Raises the error of shapes that do not broadcast.
            raise

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        # A copy, which no later write to the condition changes.
        return masked(g, a._array.copy())

    def dc(self, g: Tensor, a: Tensor) -> Tensor:
        return masked(g, ~a._array)


class MaskedFill(Where):
    """`b` where the bools `a` hold, else `c`: a contiguous copy that is filled."""

    form: str

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return np.asarray(Where.forward(self, a, b, c), order="C")


# ---- between bounds --------------------------------------------------------------------------------------------------


@op(in_place=rewritten, aliases=["clip"])
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """The elements, raised to `min` and lowered to `max`, numbers or tensors, of which one may be left out.

    >>> import minigrad as torch
    >>> torch.tensor([-2.0, 0.5, 3.0]).clamp(-1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return _clamped(input, min, max, "ClampBackward1", "ClampBackward0")


@op(in_place=rewritten)
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """The elements, raised to `min`."""
    return _clamped(input, min, None, "ClampMinBackward0", "ClampMinBackward1")


@op(in_place=rewritten)
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """The elements, lowered to `max`."""
    return _clamped(input, None, max, "ClampMaxBackward0", "ClampMaxBackward1")


# From so many elements on, np.clip, which is vectorised for two bounds that are numbers, is faster than np.maximum.
_MANY = 2**9


def clipped(x: Array, low: Any, high: Any) -> Array:
    """`x`, raised to `low` and then lowered to `high`; one of them may be None."""
    if x.dtype in HALVES:
        # Wide bounds make the result wide, which lies in memory as all of them do.
        low, high = [each if each is None else np.asarray(each, np.float32) for each in (low, high)]
    if x.dtype in FLOATS and (x.size > _MANY or (low is not None and high is not None)):
        y = x.clip(-np.inf if low is None else low, np.inf if high is None else high)
    else:
        # Of -0.0 and 0.0 np.maximum gives the second.
        raised = x if low is None else np.maximum(low, x)
        y = raised if high is None else np.minimum(high, raised)
    return y.astype(x.dtype) if x.dtype in HALVES else y


class Clamp(Unary):
    """`x`, raised to `low` and lowered to `high`; either may be None."""

    formulas = ("dx = g where low <= x <= high",)
    low: Array | None
    high: Array | None
    form: str

    def forward(self, x: Array) -> Array:
        return clipped(x, self.low, self.high)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        inside = ~np.isnan(x._array) if self.low is None else x._array >= self.low
        return masked(g, inside if self.high is None else inside & (x._array <= self.high))


def _clamped(x: Tensor, low: Any, high: Any, of_numbers: str, of_tensors: str) -> Tensor:
    """`x` between two numbers or two tensors, one of which may be None, with the form of the node for either."""
    if low is None and high is None:
        raise TypeError("expected a bound")
    if isinstance(low, (Tensor, type(None))) and isinstance(high, (Tensor, type(None))):
        return _between(x, low, high, of_tensors)
    common = of(x._array)
    # A number leaves a floating-point dtype as it is.
    if x._array.dtype not in FLOATS:
        common = result_type(x._array, *[as_number(bound) for bound in (low, high) if bound is not None])
        arguments.check_numbers("clamp_scalar_cpu", common._numpy)
    low = None if low is None else arguments.filler(as_number(low), common)
    high = None if high is None else arguments.filler(as_number(high), common)
    return Clamp(low, high, of_numbers).of(cast(x, common))


def _between(x: Tensor, low: Tensor | None, high: Tensor | None, form: str) -> Tensor:
    """`x` between two tensors that broadcast with it and require no gradient, one of which may be None."""
    bounds = [bound for bound in (low, high) if bound is not None]
    if any([bound.requires_grad for bound in bounds]):
        raise NotImplementedError("bounds that require a gradient are not supported: x.maximum(low).minimum(high)")
    common = result_type(x._array, *[bound._array for bound in bounds])
    arguments.check_numbers("clamp_scalar_cpu", common._numpy)
    shape = common_shape([x.shape, *[bound.shape for bound in bounds]])
    # Copies, which no later write changes.
    arrays = [b if b is None else quiet().run(in_dtype, b._array, common._numpy) for b in (low, high)]
    return Clamp(arrays[0], arrays[1], form).of(cast(x if x.shape == shape else x.expand(shape), common))


# ---- the larger or smaller of two ------------------------------------------------------------------------------------


@op()
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of each element and that of `other`; nan if one is."""
    return Maximum().of(input, other)


@op()
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of each element and that of `other`; nan if one is."""
    return Minimum().of(input, other)


class Maximum(Elementwise):
    """The larger of `a` and `b`; nan if one is."""

    formulas = ("da = g where a is larger, g / 2 where both are equal, else 0", "db = the same, the other way round")
    forward: ClassVar[Callable[..., Array]] = np.maximum
    loses: ClassVar[Any] = np.less

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return self._share(g, a._array, b._array)

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return self._share(g, b._array, a._array)

    def with_number(self, a: object, b: object) -> Any:
        tensors = isinstance(a, Tensor) and isinstance(b, Tensor)
        return super().with_number(a, b) if tensors else NotImplemented

    def _share(self, g: Tensor, mine: Array, other: Array) -> Tensor:
        ties = mine == other
        if ties.any():
            g = g * g._new(np.where(ties, 0.5, 1).astype(g._array.dtype))
        return masked(g, ~self.loses(mine, other))


class Minimum(Maximum):
    """The smaller of `a` and `b`; nan if one is."""

    formulas = ("da = g where a is smaller, g / 2 where both are equal, else 0", "db = the same, the other way round")
    forward = np.minimum
    loses = np.greater
