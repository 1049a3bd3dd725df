"""The dtypes that operands are computed in and results written in, and numbers that a dtype cannot hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import FLOATS, HALVES, Array, Number, bool_, category, check_int, dtype, int64
from minigrad.core.elementwise import Cast, cast
from minigrad.core.tensor import Function, Tensor
from minigrad.declare import op

# ---- which dtype may be written into which, and numbers in a dtype ---------------------------------------------------

_LARGEST_HALF = 65504.0


@op("torch")
def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`: not from a higher category.

    >>> import minigrad as torch
    >>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.float32, torch.long)
    (True, False)
    """
    return category(from_) <= category(to)


def check_cast(result: dtype, target: dtype, remedy: str = "an in-place operation cannot change the dtype") -> None:
    """Nothing if a result of that dtype may be written into a tensor of the dtype `target`; else a RuntimeError."""
    if category(result) > category(target):
        problem = f"result type {result._tensor_name} can't be cast to the desired output type {target._tensor_name}"
        raise RuntimeError(f"{problem}: {remedy}")


def converted(array: Array, target: dtype) -> Array:
    """`array` in the dtype `target`; a RuntimeError for a value that an integer dtype cannot hold.

    An OverflowError for ints that no dtype can hold.  A uint8 takes negative integers, not floats, down to -255 and
    wraps them around, as in PyTorch.

    >>> converted(np.array([-1.5, 3.0]), int64)
    array([-1,  3])
    """
    if array.dtype == object:
        check_int(array.flat[0])
    if target.is_floating_point or target is bool_:
        with np.errstate(all="ignore"):
            return array.astype(target._numpy)
    high = int(np.iinfo(target._numpy).max)
    low = -high - 1 if target.is_signed else 0 if array.dtype in FLOATS else -high
    # As a float, the upper bound of int64 is rounded up to 2**63, which is already too large.
    fits = (array >= low) & ((array < 2.0**63) if array.dtype in FLOATS and target is int64 else (array <= high))
    if not fits.all():
        found = f"{array[~fits].flat[0]} is not in [{low}, {high}]"
        raise RuntimeError(f"value cannot be converted to type {target._name} without overflow: {found}")
    return array.astype(np.int64).astype(target._numpy)


def filler(value: Number, target: dtype) -> Array:
    """The 0-d array of `value` in the dtype `target`; a RuntimeError if it is finite and has no place there.

    >>> from minigrad import float32
    >>> filler(2.5, float32)
    array(2.5, dtype=float32)
    """
    number: Any = value
    if target.is_floating_point and (-_LARGEST_HALF <= number <= _LARGEST_HALF or number == -math.inf):
        # The common case in a tenth of the time: each floating dtype has a place for it.
        return np.asarray(value, target._numpy)
    array = converted(np.asarray(value), target)
    # Also what would be rounded down to the largest number is more than it.
    if target.is_floating_point and float(dtypes.limits(target._numpy).max) < abs(number) < math.inf:
        raise RuntimeError(f"value cannot be converted to type {target._c_name} without overflow: {value}")
    return array


def assigned(value: Number, target: dtype) -> Array:
    """The 0-d array of `value` that `x[index] = value` writes: as `filler` makes it, but halves may overflow.

    >>> assigned(-1e9, dtypes.float16)
    array(-inf, dtype=float16)
    """
    return converted(np.asarray(value), target) if target._numpy in HALVES else filler(value, target)


# ---- half precision, computed in single precision and rounded once ---------------------------------------------------


class Rounded(Cast):
    """`y` is `x`, the result of the operation `form`, in a narrower dtype."""

    formulas = ("dx = g, cast back",)
    form: str


def in_float32(compute: Function, *inputs: Any) -> Any:
    """`compute(*inputs)`, where halves among the tensors are taken as float32 and a first one rounds the result."""
    for x in inputs:
        if isinstance(x, Tensor) and x._array.dtype in HALVES:
            break
    else:
        return compute(*inputs)
    halves = [isinstance(x, Tensor) and x._array.dtype in HALVES for x in inputs]
    result = compute(*[cast(x, dtypes.float32) if half else x for x, half in zip(inputs, halves, strict=True)])
    return rounded(result, inputs[0].dtype) if halves[0] else result


def rounded(x: Tensor, to: dtype) -> Tensor:
    """`x` in the dtype `to`, under the name of the operation that made it."""
    if x._array.dtype == to._numpy:
        return x
    return Rounded(to, "" if x._node is None else x._node.name())(x)


def check_real(problem: str, x: Tensor) -> None:
    """Nothing for a tensor of floating-point numbers; else a RuntimeError that begins with `problem`."""
    if x._array.dtype not in FLOATS:
        raise RuntimeError(f"{problem}. Got: {x.dtype._tensor_name}. Convert it first: x.float()")


def check_floating(kernel: str, x: Any, remedy: str = "convert it first, x.float()") -> None:
    """Nothing for a tensor or array of floating-point numbers; else a NotImplementedError that names `kernel`."""
    array = getattr(x, "_array", x)
    if array.dtype not in FLOATS:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(array)._tensor_name}': {remedy}")
