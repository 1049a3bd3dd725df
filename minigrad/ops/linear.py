"""The linear map, and what to do where input and weight do not fit."""

from __future__ import annotations

import math
from typing import Any

from minigrad.core.dtypes import Array
from minigrad.core.linear import Linear
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.factor_errors import dtype_remedy, mat_message, one_hot_remedy
from minigrad.ops.products import matmul


@op("nn.functional")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    `input` is `(*, I)`, `weight` is `(O, I)`, `bias` is `(O,)` or None; the result is `(*, O)`.  A vector as
    weight, `(I,)`, gives `(*)`.  Errors: RuntimeError for shapes that do not fit or dtypes that differ.

    >>> import minigrad as torch
    >>> linear(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [5.0, 6.0], [0.0, 1.0]]))
    tensor([[11., 17.,  2.]])
    """
    x, w = input._array, weight._array
    if x.ndim == 0 or w.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if w.ndim == 1 and bias is None:
        return matmul(input, weight)
    if w.ndim != 2 or x.shape[-1] != w.shape[1] or x.dtype != w.dtype:
        raise linear_error(input, weight, bias)
    if bias is not None:
        if bias.dtype is not weight.dtype:
            raise linear_error(input, weight, bias)
        if bias._array.shape != (w.shape[0],):
            return Linear()(input, weight, None) + bias.expand(*x.shape[:-1], w.shape[0])
    return Linear()(input, weight, bias)


def linear_error(
    input: Tensor, weight: Tensor, bias: Tensor | None, declared: tuple[Any, Any] | None = None
) -> RuntimeError:
    """The error for an input, a weight and a bias that do not fit: of several, the one that PyTorch finds first.

    `declared` is the shape of the weight that a layer was made with, None for a weight of no layer.
    """
    x, w = input._array, weight._array
    if w.ndim > 2:
        return RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D: the weight of linear is (O, I)"
        )
    if bias is not None:
        got, right = bias.dtype._tensor_name, weight.dtype._tensor_name
        if bias.dtype is not weight.dtype:
            return RuntimeError(
                f"self and mat2 must have the same dtype, but got {got} and {right}: the bias and the weight of linear"
            )
        # With a bias it is one step, unless the bias is 0-d; and that step looks at dtypes first.
        if (bias._array.ndim or x.ndim == 2) and x.dtype != w.dtype:
            left = input.dtype._tensor_name
            return RuntimeError(
                f"mat1 and mat2 must have the same dtype, but got {left} and {right}.{_dtype_remedies(input, weight)}"
            )
        if w.ndim == 1:
            return RuntimeError("mat2 must be a matrix, got 1-D tensor: with a bias, the weight of linear is (O, I)")
    if x.shape[-1] == w.shape[1]:
        left, right = input.dtype._c_name, weight.dtype._c_name
        return RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {left} != {right}.{_dtype_remedies(input, weight)}"
        )
    own = declared is None or declared == w.shape
    return RuntimeError(
        f"{mat_message(x.shape, w.T.shape)}: the last size of the input, {x.shape[-1]}, must equal "
        f"{'in_features, ' if own else ''}the last size of the weight {weight.shape}."
        f"{_size_remedies(input, weight, declared)}"
    )


def _size_remedies(input: Tensor, weight: Tensor, declared: tuple[Any, Any] | None) -> str:
    """What to do about an input and a weight whose numbers of features differ."""
    x, w = input._array, weight._array
    if declared is None:
        hint = _layout_hint(x.shape[-1], w.shape)
    else:
        hint = "" if declared == w.shape else _declared_hint(declared, w.shape)
    if _are_ids(x, w):
        return hint or f" {_ids_remedy(x, w)}"
    return one_hot_remedy(x, w.shape[1], w) or hint or _input_hint(x.shape, w.shape[1])


def _dtype_remedies(input: Tensor, weight: Tensor) -> str:
    """What to do about an input and a weight whose dtypes differ."""
    x, w = input._array, weight._array
    if not _are_ids(x, w):
        return f" {dtype_remedy(input.dtype, weight.dtype)}"
    return f" {_ids_remedy(x, w)} Numbers are converted: input.to({weight.dtype!r})."


def _are_ids(x: Array, w: Array) -> bool:
    """Whether an input may be of ids, or of one-hot vectors of ids: integers where floating point is expected."""
    return x.dtype.kind in "iu" and w.dtype.kind == "f"


def _ids_remedy(x: Array, w: Array) -> str:
    # One vector may be of the ids 0 and 1.
    short = one_hot_remedy(x, w.shape[-1], w) if x.ndim > 1 else ""
    return short.strip() or f"Ids go to nn.Embedding, or as vectors: F.one_hot(ids, {w.shape[-1]}).float()."


def _input_hint(shape: tuple[int, ...], features: int) -> str:
    """How an input whose last size is not the features might be meant."""
    if len(shape) > 2 and math.prod(shape[1:]) == features:
        return " They fit if each element of the batch becomes one vector: input.flatten(1)"
    dims = [dim - len(shape) for dim, size in enumerate(shape[:-1]) if size == features]
    if not dims:
        return f" What comes before gives {shape[-1]} features, and {features} are expected."
    return f" They fit if dimension {dims[-1]} of the input comes last: input.transpose({dims[-1]}, -1)"


def _layout_hint(features: int, weight_shape: tuple[int, ...]) -> str:
    if weight_shape[0] != features:
        return ""
    return " A weight of shape (in, out), as in Keras or an embedding table, has to be transposed: weight.T"


def _declared_hint(declared: tuple[Any, Any], weight_shape: tuple[int, ...]) -> str:
    """What to say of a weight that a layer was given later, of another shape than the layer was made with."""
    outputs, inputs = declared
    turned = ", so this one has to be transposed: weight.T" if weight_shape == (inputs, outputs) else ""
    return f" The weight of Linear({inputs}, {outputs}) has shape ({outputs}, {inputs}){turned}"
