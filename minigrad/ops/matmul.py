"""Matrix products."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.node import Binary, keep_other
from minigrad.dtypes import Array
from minigrad.ops.broadcast import broadcast_shapes_message, sum_to
from minigrad.ops.shape import Reshape

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class MatMul(Binary):
    """`a @ b` for matrices `(*, N, K)` and `(*, K, M)`, whose leading sizes broadcast.

    da = g @ b.mT,  db = a.mT @ g, summed over what was broadcast.
    """

    __slots__ = ("shapes",)
    keep = keep_other

    def forward(self, a: Array, b: Array) -> Array:
        self.shapes = (a.shape, b.shape)
        return product(a, b)

    def da(self, g: Tensor) -> Tensor:
        return sum_to(g @ self.kept(1).mT, self.shapes[0])

    def db(self, g: Tensor) -> Tensor:
        if len(self.shapes[1]) == 2:
            # One product over all rows, not one for each leading index and then their sum.
            return rows(self.kept(0)).mT @ rows(g)
        return sum_to(self.kept(0).mT @ g, self.shapes[1])

    def name(self) -> str:
        return "MmBackward0" if len(self.shapes[0]) == len(self.shapes[1]) == 2 else "UnsafeViewBackward0"


class Mv(Binary):
    """`a @ b` for a matrix `(N, K)` and a vector `(K,)`.   da = outer(g, b),  db = a.T @ g."""

    __slots__ = ()
    keep = keep_other

    def forward(self, a: Array, b: Array) -> Any:
        return product(a, b)

    def da(self, g: Tensor) -> Tensor:
        return g.unsqueeze(1) * self.kept(1)

    def db(self, g: Tensor) -> Tensor:
        return self.kept(0).mT @ g


class Dot(Binary):
    """The inner product `a @ b` of two vectors `(K,)`.   da = g * b,  db = g * a."""

    __slots__ = ()
    keep = keep_other

    def forward(self, a: Array, b: Array) -> Any:
        return product(a, b)

    def da(self, g: Tensor) -> Tensor:
        return g * self.kept(1)

    def db(self, g: Tensor) -> Tensor:
        return g * self.kept(0)


def rows(x: Tensor) -> Tensor:
    """`x`, of shape `(*, D)`, as a matrix `(N, D)`."""
    *leading, size = x._array.shape
    return x.reshape(math.prod(leading), size)


def product(a: Array, b: Array) -> Any:
    """`a @ b` in their dtype, with sums in at least float32."""
    if a.dtype == np.float16:
        return np.asarray(product(a.astype(np.float32), b.astype(np.float32))).astype(np.float16)
    if a.ndim > 2 and b.ndim == 2:
        # One large product is faster than one per leading index.
        return (a.reshape(math.prod(a.shape[:-1]), a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[1])
    return a @ b


def matmul(a: Any, b: Any) -> Tensor:
    """`a @ b` by the rank rules of PyTorch: a vector counts as a row on the left and as a column on the right."""
    x, y = a._array, b._array
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D")
    if x.dtype != y.dtype:
        raise _dtype_error(x, y)
    if x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
        raise _size_error(x, y)
    if x.dtype == bool:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool': make the factors numbers, x.float()")
    result: Tensor
    if x.ndim == 1 == y.ndim:
        result = Dot()(a, b)
    elif x.ndim == 2 and y.ndim == 1:
        result = Mv()(a, b)
    elif y.ndim == 1:
        result = matmul(a, b.unsqueeze(1))
        result = Reshape(x.shape[:-1], "UnsafeViewBackward0")(result)
    elif x.ndim == 1:
        form = "SqueezeBackward4" if y.ndim == 2 else "UnsafeViewBackward0"
        result = matmul(a.unsqueeze(0), b)
        result = Reshape((*y.shape[:-2], y.shape[-1]), form)(result)
    else:
        try:
            np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        except ValueError:
            raise RuntimeError(broadcast_shapes_message(x.shape[:-2], y.shape[:-2])) from None
        result = MatMul()(a, b)
    return result


def _dtype_error(x: Array, y: Array) -> Exception:
    """The error for a product of two dtypes."""
    left, right = dtypes.of(x), dtypes.of(y)
    if x.ndim == 1 == y.ndim:
        begin = (
            f"dot : expected both vectors to have same dtype, but found {left._tensor_name} and {right._tensor_name}"
        )
    elif y.ndim == 1:
        names = f"{right._tensor_name}, {left._tensor_name}, and {right._tensor_name}"
        begin = f"addmv input tensors must have the same dtype, but got {names}"
    else:
        begin = f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}"
    return RuntimeError(f"{begin}. {dtype_remedy(left, right)}")


def dtype_remedy(left: dtypes.dtype, right: dtypes.dtype) -> str:
    """How to make two dtypes one: usually integers, such as one-hot vectors, meet floating point."""
    if not left.is_floating_point and right.is_floating_point:
        return f"Convert the first: a.to({right!r}); one_hot() makes integers, one_hot(ids).float() does not."
    return f"Convert one of them: a.to({right!r}) or b.to({left!r})."


def _size_error(x: Array, y: Array) -> RuntimeError:
    """The error for matrices whose inner sizes differ."""
    inner = f"the last size of the first, {x.shape[-1]}, must equal the {'last' if y.ndim == 1 else 'next to last'} of "
    inner += f"the second, {y.shape[0] if y.ndim == 1 else y.shape[-2]}"
    if x.ndim == 1 == y.ndim:
        begin = (
            f"inconsistent tensor size, expected tensor [{len(x)}] and src [{len(y)}] to have the same number of "
            f"elements, but got {len(x)} and {len(y)} elements respectively"
        )
    elif y.ndim == 1:
        rows = math.prod(x.shape[:-1])
        begin = f"size mismatch, got input ({rows}), mat ({rows}x{x.shape[-1]}), vec ({len(y)})"
    elif y.ndim > 2:
        batch = y.shape[0]
        begin = (
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {x.shape[-1]}] but got: "
            f"[{batch}, {y.shape[-2]}]."
        )
    else:
        begin = mat_message(x.shape, y.shape)
    return RuntimeError(f"{begin}: {inner}.{_transpose_hint(x.shape, y.shape)}")


def mat_message(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """PyTorch's words for matrices that cannot be multiplied."""
    return f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {b[-2]}x{b[-1]})"


def _transpose_hint(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    if len(b) == 2 and a[-1] == b[1]:
        return " They fit if the second is transposed: a @ b.T."
    if len(a) == 2 and len(b) > 1 and a[0] == b[-2]:
        return " They fit if the first is transposed: a.T @ b."
    return ""
