"""What takes floating-point numbers only; and half precision, computed in single precision and rounded once."""

from __future__ import annotations

from typing import Any

from minigrad.core import dtypes
from minigrad.core.dtypes import dtype
from minigrad.core.elementwise import Cast, cast
from minigrad.core.tensor import Function, Tensor


class Rounded(Cast):
    """`y` is `x`, the result of the operation `form`, in a narrower dtype."""

    formulas = ("dx = g, cast back",)
    form: str


def in_float32(compute: Function, *inputs: Any) -> Any:
    """`compute(*inputs)`, where a float16 among the tensors is taken as float32 and a first one rounds the result."""
    wide = [cast(x, dtypes.float32) if _is_float16(x) else x for x in inputs]
    result = compute(*wide)
    return rounded(result, dtypes.float16) if _is_float16(inputs[0]) else result


def rounded(x: Tensor, to: dtype) -> Tensor:
    """`x` in the dtype `to`, under the name of the operation that made it."""
    if x._array.dtype == to._numpy:
        return x
    return Rounded(to, "" if x._node is None else x._node.name())(x)


def check_floating(kernel: str, x: Any, remedy: str = "convert it first, x.float()") -> None:
    """Nothing for a tensor or array of floating-point numbers; else a NotImplementedError that names `kernel`."""
    array = getattr(x, "_array", x)
    if array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(array)._tensor_name}': {remedy}")


def _is_float16(x: Tensor | None) -> bool:
    return isinstance(x, Tensor) and x._array.dtype == dtypes.float16._numpy
