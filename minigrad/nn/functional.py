"""The layers as functions: of their input and of the parameters that a module would hold."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsIndex

import numpy as np

from minigrad.functions import relu, softmax
from minigrad.ops import linear as _linear
from minigrad.ops.embedding import Lookup
from minigrad.ops.matmul import dtype_remedy, mat_message, matmul
from minigrad.tensor import Tensor, new_leaf

__all__ = ["embedding", "linear", "one_hot", "relu", "softmax"]


def embedding(input: Tensor, weight: Tensor, padding_idx: SupportsIndex | None = None) -> Tensor:
    """Row `input[n]` of `weight` for each n: equal to `one_hot(input, V) @ weight`, without the products by 0.

    `input` is `(*)`, of int64 or int32 ids in `[0, V)`; `weight` is `(V, D)`; the result is `(*, D)`.  The
    gradient of `weight` adds up over repeated ids; that of row `padding_idx` is zero.  Errors: IndexError for an
    id that is not a row, RuntimeError for other dtypes or a weight of another rank.

    >>> import minigrad as torch
    >>> weight = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> embedding(torch.tensor([2, 0, 2]), weight)
    tensor([[2.0000, 2.5000],
            [0.0000, 0.5000],
            [2.0000, 2.5000]])
    """
    _check_tensor("embedding", "indices", input, 2)
    _check_tensor("embedding", "weight", weight, 1)
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, one row per id: expected shape (V, D), got {weight.shape}")
    if input._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{_type_name(input)} instead (while checking arguments for embedding). Ids are whole numbers: input.long()"
        )
    position = None if padding_idx is None else _padding_position(padding_idx, weight._array.shape[0])
    return Lookup(position)(weight, input)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    `input` is `(*, I)`, `weight` is `(O, I)`, `bias` is `(O,)` or None; the result is `(*, O)`.  A vector as
    weight, `(I,)`, gives `(*)`.  Errors: RuntimeError for shapes that do not fit or dtypes that differ.

    >>> import minigrad as torch
    >>> linear(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [5.0, 6.0], [0.0, 1.0]]))
    tensor([[11., 17.,  2.]])
    """
    _check_tensor("linear", "input", input, 1)
    _check_tensor("linear", "weight", weight, 2)
    x, w = input._array, weight._array
    if x.ndim == 0 or w.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if w.ndim == 1 and bias is None:
        return matmul(input, weight)
    if w.ndim != 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D: the weight of linear is (O, I)"
            if w.ndim > 2
            else "mat2 must be a matrix, got 1-D tensor: with a bias, the weight of linear is (O, I)"
        )
    if x.shape[-1] != w.shape[1]:
        raise RuntimeError(
            f"{mat_message(x.shape, w.T.shape)}: the last size of the input, {x.shape[-1]}, must equal in_features, "
            f"the last size of the weight {weight.shape}.{_layout_hint(x.shape[-1], w.shape)}"
        )
    if x.dtype != w.dtype:
        raise _dtype_error(input, weight, bias)
    if bias is not None:
        _check_tensor("linear", "bias", bias, 3)
        if bias.dtype is not weight.dtype:
            raise RuntimeError(
                f"self and mat2 must have the same dtype, but got {bias.dtype._tensor_name} and "
                f"{weight.dtype._tensor_name}: the bias and the weight of linear"
            )
        if bias._array.shape != (w.shape[0],):
            return _linear.Linear()(input, weight, None) + bias.expand(*x.shape[:-1], w.shape[0])
    return _linear.Linear()(input, weight, bias)


def one_hot(input: Tensor, num_classes: SupportsIndex = -1) -> Tensor:
    """For each id a vector of `num_classes` integers: 1 at the id, 0 elsewhere.

    `input` is `(*)`, of int64; the result is `(*, num_classes)`, of int64: `.float()` makes it an input for
    `linear`.  With -1, there are as many classes as the largest id says.  Errors: RuntimeError for ids that are
    negative, not below `num_classes`, or not int64.

    >>> import minigrad as torch
    >>> one_hot(torch.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    _check_tensor("one_hot", "input", input, 1)
    if not isinstance(num_classes, SupportsIndex):
        raise TypeError(f"one_hot(): argument 'num_classes' (position 2) must be int, not {type(num_classes).__name__}")
    ids, classes = input._array, index(num_classes)
    if ids.dtype != np.int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, got {_type_name(input)}: input.long()"
        )
    if ids.size == 0:
        if classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor. Pass num_classes.")
        return new_leaf(np.zeros((*ids.shape, classes), np.int64))
    low, high = int(ids.min()), int(ids.max())
    if low < 0:
        raise RuntimeError(f"Class values must be non-negative. The smallest is {low}.")
    if classes != -1 and high >= classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes. The largest is {high}, and num_classes is {classes}."
        )
    vectors = np.zeros((*ids.shape, high + 1 if classes == -1 else classes), np.int64)
    np.put_along_axis(vectors, ids[..., None], 1, axis=-1)
    return new_leaf(vectors)


def _check_tensor(function: str, argument: str, given: Any, position: int) -> None:
    if not isinstance(given, Tensor):
        raise TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {type(given).__name__}: "
            "torch.tensor(data) makes one"
        )


def _type_name(x: Tensor) -> str:
    """The name PyTorch gives a tensor of this dtype in the errors of embedding."""
    return "CPUBoolType" if x._array.dtype == bool else f"torch.{x.dtype._tensor_name}Tensor"


def _layout_hint(features: int, weight_shape: tuple[int, ...]) -> str:
    if weight_shape[0] != features:
        return ""
    return " A weight of shape (in, out), as in Keras or an embedding table, has to be transposed: weight.T"


def _dtype_error(input: Tensor, weight: Tensor, bias: Tensor | None) -> RuntimeError:
    left, right = input.dtype, weight.dtype
    if bias is None:
        begin = f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}"
    else:
        begin = f"mat1 and mat2 must have the same dtype, but got {left._tensor_name} and {right._tensor_name}"
    return RuntimeError(f"{begin}. {dtype_remedy(left, right)}")


def _padding_position(padding_idx: SupportsIndex, num_embeddings: int) -> int:
    """`padding_idx` counted from the front; an AssertionError outside [-num_embeddings, num_embeddings)."""
    position = index(padding_idx)
    assert -num_embeddings <= position < num_embeddings, (
        f"Padding_idx must be within num_embeddings: {position} is not in [{-num_embeddings}, {num_embeddings})"
    )
    return position % num_embeddings
