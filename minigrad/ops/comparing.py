"""Comparison, logic and bits; no gradient flows through these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, dtype
from minigrad.core.shapes import broadcast_shapes_message
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor

_SHIFTS = {"lshift": np.left_shift, "rshift": np.right_shift}


def compare(ufunc: Callable[..., Any], a: Any, b: Any) -> Any:
    """The tensor of `ufunc(a, b)`, a comparison, for a tensor and another one or a number."""
    if (type(b) is float or (type(b) is int and b.bit_length() < 64)) and a._array.dtype.kind == "f":
        # The number takes on the array's dtype.
        return a._new(quiet().run(ufunc, a._array, b))
    return _combined(ufunc, a, b, _common(a, b))


def bitwise(name: str, a: Any, b: Any) -> Any:
    """The tensor of "and", "or" or "xor" of the bits of integers or of bools, or of a shift of integers."""
    common = _common(a, b)
    if common.is_floating_point or (common is dtypes.bool_ and name in _SHIFTS):
        kernel = name if name in _SHIFTS else f"bitwise_{name}"
        raise NotImplementedError(
            f"\"{kernel}_cpu\" not implemented for '{common._tensor_name}': expected integers, or bools such as "
            "(x > 0) & (y > 0)"
        )
    return _combined(_SHIFTS[name] if name in _SHIFTS else getattr(np, f"bitwise_{name}"), a, b, common)


def logical(ufunc: Callable[..., Any], a: Any, b: Any) -> Any:
    """The tensor of `ufunc(a, b)` on what two tensors are as bools: whether each element is not 0."""
    return _combined(ufunc, a, b, dtypes.bool_)


def is_close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Where `|a - b| <= atol + rtol * |b|`, computed in the dtype of the tensors; what is equal is close."""
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{a.dtype._tensor_name} did not match {b.dtype._tensor_name}: convert one, as in other.to({a.dtype!r})"
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")

    def close(x: Array, y: Array) -> Array:
        return np.isclose(x, y, rtol, atol, equal_nan)

    return _combined(close, a, b, a.dtype)


def _common(a: Any, b: Any) -> dtype:
    """The dtype in which two operands meet."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a._array.dtype is b._array.dtype:
        return dtypes.of(a._array)
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (a, b)])


def _combined(compute: Callable[..., Any], a: Any, b: Any, common: dtype) -> Any:
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
