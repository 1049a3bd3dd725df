"""Kinds of operations on each element: of two tensors and no number, and of three tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.elementwise import Elementwise, cast
from minigrad.core.shapes import broadcast_shapes_message, sum_to
from minigrad.core.tape import Node
from minigrad.core.tensor import Tensor


class OfTensors(Elementwise):
    """An op on two tensors, none of them a number."""

    def with_number(self, a: object, b: object) -> Any:
        tensors = isinstance(a, Tensor) and isinstance(b, Tensor)
        return super().with_number(a, b) if tensors else NotImplemented


class Ternary(Node):
    """An op on three tensors of one dtype, any but the first of them perhaps None, whose shapes broadcast to one.

    A subclass states its gradients `da`, `db` and `dc` for inputs of the output's shape.
    """

    __slots__ = ("shapes",)

    def __call__(self, *inputs: Any) -> Any:
        self.shapes = [() if x is None else x._array.shape for x in inputs]
        try:
            return super().__call__(*inputs)
        except ValueError:
            raise RuntimeError(_mismatch(self.shapes)) from None

    def backward(self, g: Tensor) -> Sequence[Any]:
        gradients = zip(super().backward(g), self.shapes, strict=True)
        return [None if each is None else sum_to(each, shape) for each, shape in gradients]


def _mismatch(shapes: Sequence[tuple[int, ...]]) -> str:
    """Why these shapes do not broadcast."""
    together: tuple[int, ...] = ()
    for shape in shapes:
        try:
            together = np.broadcast_shapes(together, shape)
        except ValueError:
            return broadcast_shapes_message(together, shape)
    raise AssertionError(f"{shapes} broadcast")


def in_common_dtype(*inputs: Tensor | None) -> list[Any]:
    """The tensors, or None, in the dtype that they have together."""
    if len({x._array.dtype for x in inputs if x is not None}) == 1:
        return list(inputs)
    common = dtypes.result_type(*[x._array for x in inputs if x is not None])
    return [None if x is None else cast(x, common) for x in inputs]
