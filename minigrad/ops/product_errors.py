"""Why factors cannot be multiplied: PyTorch's words, and what mends it; called on failure only."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.shapes import common_shape
from minigrad.core.tensor import Tensor


def product_error(x: Array, y: Array) -> Exception:
    """The error for factors `x @ y` whose dtypes or sizes do not fit: of several, the one that PyTorch finds first."""
    if x.ndim > 2 < y.ndim:
        leading = common_shape([x.shape[:-2], y.shape[:-2]])
        x, y = [np.broadcast_to(each, (*leading, *each.shape[-2:])) for each in (x, y)]
    vectors = x.ndim == 1 == y.ndim
    if x.shape[-1] != y.shape[-2:][0] and not (vectors and x.dtype != y.dtype):
        return size_error(x, y)
    if x.dtype == bool and (y.dtype == bool or x.ndim > 2 < y.ndim):
        kernel = {1: "dot" if vectors else "addmv_impl_cpu", 2: "addmm_impl_cpu_"}.get(y.ndim, "bmm")
        return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': make the factors numbers, x.float()")
    left, right = dtypes.of(x), dtypes.of(y)
    a, b = left._tensor_name, right._tensor_name
    if vectors:
        begin = f"dot : expected both vectors to have same dtype, but found {a} and {b}"
    elif y.ndim == 1:
        begin = f"addmv input tensors must have the same dtype, but got {b}, {a}, and {b}"
    elif y.ndim > 2:
        begin = f"expected scalar type {a} but found {b}"
    else:
        begin = f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}"
    return RuntimeError(f"{begin}. {dtype_remedy(left, right)}")


def dtype_remedy(left: dtypes.dtype, right: dtypes.dtype) -> str:
    """How to make two dtypes one: usually integers, such as one-hot vectors, meet floating point."""
    if left.is_floating_point == right.is_floating_point:
        return f"Convert one of them: a.to({right!r}) or b.to({left!r})."
    convert = f"the second: b.to({left!r})" if left.is_floating_point else f"the first: a.to({right!r})"
    return f"Convert {convert}; one_hot() makes integers, one_hot(ids).float() does not."


def size_error(x: Array, y: Array) -> RuntimeError:
    """The error for factors whose inner sizes differ."""
    size, wanted, a, b = x.shape[-1], y.shape[-2:][0], x.shape, y.shape
    if x.ndim == 1 == y.ndim:
        begin = (
            f"inconsistent tensor size, expected tensor [{size}] and src [{wanted}] to have the same number of "
            f"elements, but got {size} and {wanted} elements respectively"
        )
    elif y.ndim == 1:
        rows = math.prod(a[:-1])
        begin = f"size mismatch, got input ({rows}), mat ({rows}x{size}), vec ({wanted})"
    elif y.ndim > 2:
        expected, got = [math.prod(each[:-2]) for each in (a if x.ndim > 2 else b, b)]
        begin = (
            f"Expected size for first two dimensions of batch2 tensor to be: [{expected}, {size}] but got: "
            f"[{got}, {wanted}]"
        )
    else:
        begin = mat_message(a, b)
    place = "last" if y.ndim == 1 else "next to last"
    remedy = one_hot_remedy(x, wanted, y)
    if not remedy and y.ndim > 1 and size == b[-1]:
        remedy = f" They fit if the second is transposed: a @ b.{'T' if y.ndim == 2 else 'mT'}."
    return RuntimeError(
        f"{begin}: the last size of the first, {size}, must equal the {place} of the second, {wanted}.{remedy}"
    )


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


def linear_error(input: Tensor, weight: Tensor, bias: Tensor | None) -> RuntimeError:
    """The error for an input, a weight and a bias that do not fit: of several, the one that PyTorch finds first."""
    x, w, left, right = input._array, weight._array, input.dtype, weight.dtype
    if w.ndim > 2:
        return RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D: the weight of linear is (O, I)"
        )
    if bias is not None and bias.dtype is not right:
        return RuntimeError(
            f"self and mat2 must have the same dtype, but got {bias.dtype._tensor_name} and {right._tensor_name}: "
            "the bias and the weight of linear"
        )
    # With a bias it is one step, unless the bias is 0-d; and that step looks at dtypes first.
    if bias is not None and (bias._array.ndim or x.ndim == 2) and left is not right:
        return RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {left._tensor_name} and {right._tensor_name}. "
            f"{dtype_remedy(left, right)}"
        )
    if w.ndim == 1:
        return RuntimeError("mat2 must be a matrix, got 1-D tensor: with a bias, the weight of linear is (O, I)")
    if x.shape[-1] == w.shape[1]:
        return RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}. "
            f"{dtype_remedy(left, right)}"
        )
    remedy = one_hot_remedy(x, w.shape[1], w)
    if not remedy and w.shape[0] == x.shape[-1]:
        remedy = " A weight of shape (in, out), as in Keras or an embedding table, has to be transposed: weight.T"
    return RuntimeError(
        f"{mat_message(x.shape, w.T.shape)}: the last size of the input, {x.shape[-1]}, must equal in_features, the "
        f"last size of the weight {weight.shape}.{remedy}"
    )
