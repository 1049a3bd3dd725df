"""Products with something added to them, in one step: rounded once, and without an array for the product alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.node import Binary, Edge, Node
from minigrad.dtypes import Array, Number
from minigrad.ops.broadcast import sum_to
from minigrad.ops.elementwise import cast
from minigrad.ops.matmul import MatMul, Mv, Outer, SumOfProducts, check_batches, dtype_remedy, mat_message
from minigrad.ops.shape import expanded_shape

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Added(Node):
    """`beta * x + alpha * p`, for the product p of `a` and `b` that `product` computes; called with a, b and x.

    da = that of the product, for alpha * g,  db = that of the product, for alpha * g,  dx = beta * g, summed over
    what was broadcast.
    With beta = 0 nothing of x counts, not even its nan and infinities.
    """

    __slots__ = ("alpha", "beta", "form", "product", "x_shape")

    def __init__(self, product: Binary, form: str, beta: Number, alpha: Number) -> None:
        self.product = product
        self.form = form
        self.beta = beta
        self.alpha = alpha

    def forward(self, a: Array, b: Array, x: Array) -> Array:
        self.x_shape = x.shape
        half = a.dtype == np.float16
        y: Array = self.product.forward(*(each.astype(np.float32) for each in (a, b)) if half else (a, b))
        if self.alpha != 1:
            y *= dtypes.filler(self.alpha, dtypes.of(y))
        if self.beta != 0:
            y += x if self.beta == 1 else x * dtypes.filler(self.beta, dtypes.of(y))
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

    def name(self) -> str:
        return f"{self.form}Backward0"


def addmm(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * (a @ b)` for two matrices."""
    _check_dtypes(x, a, b)
    for name, each in (("mat1", a), ("mat2", b)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(mat_message(a.shape, b.shape))
    return _added(MatMul(), "Addmm", (a.shape[0], b.shape[1]), x, a, b, beta, alpha)


def addmv(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * (a @ b)` for a matrix and a vector."""
    if (a.ndim, b.ndim) != (2, 1) or x.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {x.ndim}, {a.ndim}, {b.ndim} dimensions")
    if a.shape[1] != len(b) or x.shape not in ((), (1,), (len(a),)):
        raise RuntimeError(
            f"size mismatch, got input ({x.numel()}), mat ({a.shape[0]}x{a.shape[1]}), vec ({len(b)}): expected "
            f"({a.shape[0]}) and ({a.shape[1]}) with this mat"
        )
    if not (x.dtype is a.dtype is b.dtype):
        names = f"{x.dtype._tensor_name}, {a.dtype._tensor_name}, and {b.dtype._tensor_name}"
        remedy = dtype_remedy(x.dtype if a.dtype is b.dtype else a.dtype, b.dtype)
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {names}. {remedy}")
    return _added(Mv(), "Addmv", (a.shape[0],), x, a, b, beta, alpha)


def addbmm(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * p`, for p the sum of the products of two batches' matrices."""
    _check_ranks(a, b)
    shape = (a.shape[1], b.shape[2])
    expanded_shape(shape, x._array.shape)
    if len(a) != len(b):
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {len(a)} and {len(b)}")
    if a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({a.shape[1]}x{a.shape[2]} and {b.shape[1]}x{b.shape[2]})"
        )
    _check_dtypes(x, a, b)
    return _added(SumOfProducts(), "Addbmm", shape, x, a, b, beta, alpha)


def baddbmm(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * (a @ b)` for two batches of matrices."""
    _check_ranks(a, b)
    shape = (a.shape[0], a.shape[1], b.shape[2])
    expanded_shape(shape, x._array.shape)
    if x.dtype is not a.dtype:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {x.dtype._c_name}, batch1: {a.dtype._c_name}, batch2: "
            f"{b.dtype._c_name}. {dtype_remedy(x.dtype, a.dtype)}"
        )
    check_batches(a, b)
    return _added(MatMul(), "Baddbmm", shape, x, a, b, beta, alpha)


def addr(x: Any, a: Any, b: Any, beta: Number, alpha: Number) -> Tensor:
    """`beta * x + alpha * p`, for p the outer product of two vectors; unlike the others it takes any mix of dtypes."""
    for name, each in (("vec1", a), ("vec2", b)):
        if each.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {each.ndim}-D")
    common = dtypes.result_type(*[each._array for each in (x, a, b)])
    for name, number in (("beta", beta), ("alpha", alpha)):
        if isinstance(number, bool) and common is not dtypes.bool_:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results: got dtype {common!r}")
        if dtypes.of_number(number).is_floating_point and not common.is_floating_point:
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number: got {number}"
            )
    x, a, b = (cast(each, common) for each in (x, a, b))
    return _added(Outer(), "Addr", (len(a), len(b)), x, a, b, beta, alpha)


def _added(
    product: Binary, form: str, shape: tuple[int, ...], x: Any, a: Any, b: Any, beta: Number, alpha: Number
) -> Tensor:
    """What `form` gives for a product of `shape`, after the checks that all of these functions share."""
    if b.dtype is dtypes.bool_ and form != "Addr":
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool': make the factors numbers, x.float()")
    expanded_shape(shape, x._array.shape)
    result: Tensor = Added(product, form, beta, alpha)(a, b, x)
    return result


def _check_dtypes(x: Any, a: Any, b: Any) -> None:
    """Nothing if the three are of one dtype; else a RuntimeError."""
    if x.dtype is a.dtype is b.dtype:
        return
    for name, each in (("self", x), ("mat1", a)):
        if each.dtype is not b.dtype:
            left, right = each.dtype, b.dtype
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {left._tensor_name} and {right._tensor_name}. "
                f"{dtype_remedy(left, right)}"
            )


def _check_ranks(a: Any, b: Any) -> None:
    """Nothing if `a` and `b` are batches of matrices; else PyTorch's error."""
    if a.ndim != 3 or b.ndim != 3:
        error = IndexError if a.ndim < 2 or b.ndim < 3 else RuntimeError
        raise error(f"batch1 and batch2 must be 3D tensors, got {a.ndim}-D and {b.ndim}-D")
