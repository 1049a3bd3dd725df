"""The product of two matrices with something added to it, rounded once, and without an array for the product alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.core.products import MatMul
from minigrad.core.shapes import sum_to
from minigrad.core.tape import Edge, Node
from minigrad.core.tensor import Tensor
from minigrad.ops import casting
from minigrad.ops.matmul import dtype_remedy, mat_message
from minigrad.ops.shapes import expanded_shape


class Addmm(Node):
    """`beta * x + alpha * (a @ b)` for two matrices; called with a, b and x.

    da = alpha * g @ b.mT,  db = alpha * a.mT @ g,  dx = beta * g, summed over what was broadcast.
    With beta = 0 nothing of x counts, not even its nan and infinities.
    """

    __slots__ = ("alpha", "beta", "product", "x_shape")

    def __init__(self, beta: Number, alpha: Number) -> None:
        self.product = MatMul()
        self.beta = beta
        self.alpha = alpha

    def forward(self, a: Array, b: Array, x: Array) -> Array:
        self.x_shape = x.shape
        half = a.dtype == np.float16
        y: Array = self.product.forward(*(each.astype(np.float32) for each in (a, b)) if half else (a, b))
        if self.alpha != 1:
            y *= casting.filler(self.alpha, dtypes.of(y))
        if self.beta != 0:
            y += x if self.beta == 1 else x * casting.filler(self.beta, dtypes.of(y))
        return y.astype(np.float16) if half else y

    def record(self, edges: tuple[Edge, ...], inputs: tuple[Any, ...], out: Any) -> None:
        # The product keeps what its gradients read.
        self.product.record(edges[:2], inputs[:2], out)
        super().record(edges, inputs, out)

    def backward(self, g: Tensor) -> Sequence[Any]:
        da, db = self.product.backward(g if self.alpha == 1 else g * self.alpha)
        if self.edges[2] is None:
            return da, db, None
        return da, db, sum_to(g if self.beta == 1 else g * self.beta, self.x_shape)

    def release(self) -> None:
        self.product.release()


def addmm(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * (a @ b)` for two matrices."""
    for name, each in (("self", x), ("mat1", a)):
        if each.dtype is not b.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {each.dtype._tensor_name} and "
                f"{b.dtype._tensor_name}. {dtype_remedy(each.dtype, b.dtype)}"
            )
    for name, each in (("mat1", a), ("mat2", b)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(mat_message(a.shape, b.shape))
    if b.dtype is dtypes.bool_:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool': make the factors numbers, x.float()")
    expanded_shape((a.shape[0], b.shape[1]), x._array.shape)
    result: Tensor = Addmm(beta, alpha)(a, b, x)
    return result
