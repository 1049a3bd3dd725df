"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import cast
from minigrad.core.products import Dot, MatMul, Mv, Outer
from minigrad.core.shapes import Reshape, common_shape
from minigrad.core.tensor import Tensor


class Bmm(MatMul):
    """`a @ b` for batches `(B, N, K)` and `(B, K, M)`: B products of matrices."""

    __slots__ = ()

    def name(self) -> str:
        return "BmmBackward0"


def matmul(a: Any, b: Any) -> Tensor:
    """`a @ b` by the rank rules of PyTorch: a vector counts as a row on the left and as a column on the right."""
    x, y = a._array, b._array
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D")
    _check_factors(x, y)
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
        if x.ndim > 2 < y.ndim:
            common_shape([x.shape[:-2], y.shape[:-2]])
        result = MatMul()(a, b)
    return result


def bmm(a: Any, b: Any) -> Tensor:
    """`a @ b` for two batches of equally many matrices."""
    x, y = a._array, b._array
    for name, each in (("batch1", x), ("batch2", y)):
        if each.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor, got {each.ndim}-D; matmul() takes other ranks")
    if y.shape[:2] != (x.shape[0], x.shape[2]):
        raise _size_error(x, y)
    if x.dtype == bool:
        raise _bool_error(x, y)
    if x.dtype != y.dtype:
        raise _dtype_error(x, y)
    result: Tensor = Bmm()(a, b)
    return result


def dot(a: Any, b: Any, form: str) -> Tensor:
    """The inner product of two vectors, recorded as `form`."""
    x, y = a._array, b._array
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    _check_factors(x, y)
    result: Tensor = Dot(form)(a, b)
    return result


def outer(a: Any, b: Any) -> Tensor:
    """The products of each element of `a` with each of `b`, of any mix of dtypes."""
    for name, each in (("self", a), ("vec2", b)):
        if each.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.ndim}-D")
    common = dtypes.result_type(a._array, b._array)
    result: Tensor = Outer()(cast(a, common), cast(b, common))
    return result


def _check_factors(x: Array, y: Array) -> None:
    """Nothing if `x @ y` is defined, as far as dtypes and inner sizes go; else PyTorch's error."""
    if x.dtype != y.dtype or x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
        raise _mismatch(x, y)
    if x.dtype == bool:
        raise _bool_error(x, y)


def _mismatch(x: Array, y: Array) -> RuntimeError:
    """The error for factors whose dtypes or sizes differ: of several, the one that PyTorch finds first."""
    if x.ndim > 2 < y.ndim:
        leading = common_shape([x.shape[:-2], y.shape[:-2]])
        x, y = [np.broadcast_to(each, (*leading, *each.shape[-2:])) for each in (x, y)]
    fit = x.shape[-1] == y.shape[-2 if y.ndim > 1 else 0]
    if fit or (x.ndim == 1 == y.ndim and x.dtype != y.dtype):
        return _dtype_error(x, y)
    return _size_error(x, y)


def _bool_error(x: Array, y: Array) -> NotImplementedError:
    """The error for truth values, which are not multiplied and added up."""
    if x.ndim > 2 < y.ndim:
        common_shape([x.shape[:-2], y.shape[:-2]])
    of_rank = {1: "dot" if x.ndim == 1 else "addmv_impl_cpu", 2: "addmm_impl_cpu_"}
    return NotImplementedError(
        f"\"{of_rank.get(y.ndim, 'bmm')}\" not implemented for 'Bool': make the factors numbers, x.float()"
    )


def _dtype_error(x: Array, y: Array) -> RuntimeError:
    """The error for a product of two dtypes."""
    left, right = dtypes.of(x), dtypes.of(y)
    if x.ndim == 1 == y.ndim:
        begin = (
            f"dot : expected both vectors to have same dtype, but found {left._tensor_name} and {right._tensor_name}"
        )
    elif y.ndim == 1:
        names = f"{right._tensor_name}, {left._tensor_name}, and {right._tensor_name}"
        begin = f"addmv input tensors must have the same dtype, but got {names}"
    elif y.ndim > 2:
        begin = f"expected scalar type {left._tensor_name} but found {right._tensor_name}"
    else:
        begin = f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}"
    return RuntimeError(f"{begin}. {dtype_remedy(left, right)}")


def dtype_remedy(left: dtypes.dtype, right: dtypes.dtype) -> str:
    """How to make two dtypes one: usually integers, such as one-hot vectors, meet floating point."""
    if left.is_floating_point == right.is_floating_point:
        return f"Convert one of them: a.to({right!r}) or b.to({left!r})."
    convert = f"the second: b.to({left!r})" if left.is_floating_point else f"the first: a.to({right!r})"
    return f"Convert {convert}; one_hot() makes integers, one_hot(ids).float() does not."


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
        expected, got = [math.prod(each.shape[:-2]) for each in (x if x.ndim > 2 else y, y)]
        begin = (
            f"Expected size for first two dimensions of batch2 tensor to be: [{expected}, {x.shape[-1]}] but got: "
            f"[{got}, {y.shape[-2]}]"
        )
    else:
        begin = mat_message(x.shape, y.shape)
    remedy = one_hot_remedy(x, y.shape[-2] if y.ndim > 1 else len(y), y) or _transpose_hint(x.shape, y.shape)
    return RuntimeError(f"{begin}: {inner}.{remedy}")


def mat_message(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """PyTorch's words for matrices that cannot be multiplied."""
    return f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {b[-2]}x{b[-1]})"


def one_hot_remedy(x: Array, classes: int, other: Array) -> str:
    """What to do if the rows of `x` are one-hot, but shorter than `classes`; the `other` factor has floats or integers.

    Integers that look one-hot are.  Floats may be anything: they are taken for it if a batch told how long they are.
    """
    size, whole = x.shape[-1], x.dtype.kind == "i"
    inferred = size > 0 and bool(x[..., -1].any())
    if not (0 < size < classes and (inferred or whole)):
        return ""
    if not (np.isin(x, (0, 1)).all() and (x.sum(-1) == 1).all()):
        return ""
    columns = f"a column for each id up to the largest of these ids, {size - 1}, and not for the whole vocabulary"
    why = f"that has {columns}" if inferred else f"it has {size} columns, and there are {classes} ids"
    convert = ".float()" if whole and other.dtype.kind == "f" else ""
    return f" If the first is one_hot(ids): {why}. Give their number: one_hot(ids, num_classes={classes}){convert}."


def _transpose_hint(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    if len(b) > 1 and a[-1] == b[-1]:
        return f" They fit if the second is transposed: a @ {'b.T' if len(b) == 2 else 'b.transpose(-2, -1)'}."
    if len(a) > 1 and len(b) > 1 and a[-2] == b[-2]:
        return f" They fit if the first is transposed: {'a.T' if len(a) == 2 else 'a.transpose(-2, -1)'} @ b."
    return ""
