"""Ops on three tensors: their base class, and the arithmetic ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Elementwise, cast
from minigrad.core.shapes import broadcast_shapes_message, sum_to
from minigrad.core.tape import Node, keep_inputs
from minigrad.core.tensor import Tensor


class Ternary(Node):
    """An op on three tensors of one dtype, any but the first of them perhaps None, whose shapes broadcast to one.

    A subclass states its gradients `da(g)`, `db(g)` and `dc(g)` for inputs of the output's shape.
    """

    __slots__ = ("shapes",)

    shapes: list[tuple[int, ...]]

    def __call__(self, *inputs: Any) -> Any:
        self.shapes = [() if x is None else x._array.shape for x in inputs]
        try:
            return super().__call__(*inputs)
        except ValueError:
            raise RuntimeError(_mismatch(self.shapes)) from None

    def backward(self, g: Tensor) -> Sequence[Any]:
        gradients = zip(self.edges, (self.da, self.db, self.dc), self.shapes, strict=True)
        return [None if edge is None else sum_to(d(g), shape) for edge, d, shape in gradients]

    def da(self, g: Any) -> Any:
        """The gradient of the first input, given that of the output, `g`."""
        raise NotImplementedError

    def db(self, g: Any) -> Any:
        """The gradient of the second input, given that of the output, `g`."""
        raise NotImplementedError

    def dc(self, g: Any) -> Any:
        """The gradient of the third input, given that of the output, `g`."""
        raise NotImplementedError


def _mismatch(shapes: Sequence[tuple[int, ...]]) -> str:
    """Why these shapes do not broadcast."""
    together: tuple[int, ...] = ()
    for shape in shapes:
        try:
            together = np.broadcast_shapes(together, shape)
        except ValueError:
            return broadcast_shapes_message(together, shape)
    raise AssertionError(f"{shapes} broadcast")


def in_common_dtype(*inputs: Any) -> list[Any]:
    """The tensors, or None, in the dtype that they have together."""
    if len({x._array.dtype for x in inputs if x is not None}) == 1:
        return list(inputs)
    common = dtypes.result_type(*[x._array for x in inputs if x is not None])
    return [None if x is None else cast(x, common) for x in inputs]


class Lerp(Ternary):
    """`a + c * (b - a)`: a where the weight c is 0, b where it is 1.

    da = g * (1 - c),  db = g * c,  dc = g * (b - a).
    """

    __slots__ = ()
    keep = keep_inputs

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(self._between, a, b, c)

    @staticmethod
    def _between(a: Array, b: Array, c: Array) -> Array:
        # From the nearer end: so both ends are reached exactly.
        step = b - a
        return np.where(np.abs(c) < 0.5, a + c * step, b - step * (1 - c))

    def da(self, g: Tensor) -> Tensor:
        return g * (1 - self.kept(2))

    def db(self, g: Tensor) -> Tensor:
        return g * self.kept(2)

    def dc(self, g: Tensor) -> Tensor:
        return g * (self.kept(1) - self.kept(0))

    def name(self) -> str:
        return "LerpBackward1"


class LerpNumber(Elementwise):
    """`a + weight * (b - a)` for a number.   da = g * (1 - weight),  db = g * weight."""

    __slots__ = ("weight",)

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def forward(self, a: Array, b: Array) -> Array:
        return _widened(self._between, a, b)

    def _between(self, a: Array, b: Array) -> Array:
        weight = a.dtype.type(self.weight)
        return a + weight * (b - a) if abs(weight) < 0.5 else b - (b - a) * (1 - weight)

    def da(self, g: Tensor) -> Tensor:
        return g * (1 - self.weight)

    def db(self, g: Tensor) -> Tensor:
        return g * self.weight

    def name(self) -> str:
        return "LerpBackward0"


def lerp(a: Any, b: Any, weight: Any) -> Any:
    """`a + weight * (b - a)`, for tensors of one dtype and a number or a tensor as the weight."""
    _check_same_dtype(a, b, "end")
    if a._array.dtype.kind != "f":
        kernel = "lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{a.dtype._tensor_name}': x.float()")
    if not isinstance(weight, Tensor):
        return LerpNumber(weight)(a, b)
    if weight._array.ndim:
        _check_same_dtype(a, weight, "weight")
    return Lerp()(a, b, cast(weight, a.dtype))


def _check_same_dtype(a: Any, other: Any, name: str) -> None:
    if a.dtype is not other.dtype:
        raise RuntimeError(
            f"expected dtype {a.dtype._c_name} for `{name}` but got dtype {other.dtype._c_name}: convert one, as in "
            f"{name}.to({a.dtype!r})"
        )


class Addcmul(Ternary):
    """`a + value * b * c`.   da = g,  db = g * value * c,  dc = g * value * b."""

    __slots__ = ("value",)
    keep = keep_inputs

    def __init__(self, value: float) -> None:
        self.value = value

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(lambda x, y, z: x + np.asarray(self.value).astype(x.dtype) * y * z, a, b, c)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return g * (self.kept(2) * self.value)

    def dc(self, g: Tensor) -> Tensor:
        return g * (self.kept(1) * self.value)


def addcmul(a: Any, b: Any, c: Any, value: float) -> Any:
    """`a + value * b * c`."""
    a, b, c = in_common_dtype(a, b, c)
    if a._array.dtype == bool:
        raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool': expected numbers, such as x.long()")
    return Addcmul(value)(a, b, c)


class Addcdiv(Ternary):
    """`a + value * b / c`.   da = g,  db = g * value / c,  dc = -g * value * b / c**2."""

    __slots__ = ("value",)
    keep = keep_inputs

    def __init__(self, value: float) -> None:
        self.value = value

    def forward(self, a: Array, b: Array, c: Array) -> Array:
        return _widened(lambda x, y, z: x + x.dtype.type(self.value) * y / z, a, b, c)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return g * (self.value / self.kept(2))

    def dc(self, g: Tensor) -> Tensor:
        b, c = self.kept(1), self.kept(2)
        return -g * (self.value * b / (c * c))


def addcdiv(a: Any, b: Any, c: Any, value: float) -> Any:
    """`a + value * b / c`."""
    if not any([x.dtype.is_floating_point for x in (b, c)]):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: the quotient of two integer tensors is floating "
            "point. Use (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype), or a float tensor."
        )
    return Addcdiv(value)(*in_common_dtype(a, b, c))


def _widened(compute: Callable[..., Any], *arrays: Array) -> Array:
    """What `compute` makes of arrays of one dtype, in that dtype; of float16, computed in float32."""
    if arrays[0].dtype != np.float16:
        return compute(*arrays)
    return compute(*[array.astype(np.float32) for array in arrays]).astype(np.float16)
