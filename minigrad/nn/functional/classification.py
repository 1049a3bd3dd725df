"""Losses of classes: how surprising the right ones are to a model."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.elementwise import masked
from minigrad.core.shapes import Reshape
from minigrad.methods.forms import checked_tensor
from minigrad.nn.functional.arguments import check_constant, checked_reduction
from minigrad.ops.dims import normal_dim
from minigrad.ops.losses import CrossEntropy, NllLoss, Reduction, class_dim
from minigrad.ops.widening import in_float32
from minigrad.tensor import Tensor

__all__ = ["cross_entropy", "nll_loss"]


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`-log softmax(input)[target]`, averaged: how surprising the target classes are to scores ("logits").

    `input` is `(N, C)`, `(C,)` or `(N, C, *)`; `target` holds class ids, int64 or uint8, in the shape of `input`
    without the dimension of the C classes, or probabilities in the whole shape.  `weight`, `(C,)`, says how much each
    class counts, and targets equal to `ignore_index` do not count.  `reduction` is "mean" (over all that counts),
    "sum" or "none".  `label_smoothing` mixes the targets with the uniform distribution.  Errors: IndexError for an id
    outside `[0, C)`, ValueError and RuntimeError for shapes and dtypes that do not fit.

    >>> import minigrad as torch
    >>> logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> cross_entropy(logits, torch.tensor([0, 1]), reduction="none")
    tensor([0.2395, 1.0986])
    """
    how = checked_reduction(reduction, size_average, reduce)
    checked_tensor("cross_entropy_loss", input, "input", 1)
    checked_tensor("cross_entropy_loss", target, "target", 2)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if input._array.dtype.kind != "f" and target._array.dtype.kind == "f":
        raise NotImplementedError(
            f"\"log_softmax_lastdim_kernel_impl\" not implemented for '{input.dtype._tensor_name}': the scores come "
            "first, cross_entropy(input, target)"
        )
    if input._array.shape == target._array.shape:
        return _cross_entropy_of_probabilities(input, target, weight, how, ignore_index, label_smoothing)
    normal_dim(class_dim(input._array), input.ndim)
    if label_smoothing > 0:
        return _smooth_cross_entropy(input, target, weight, how, ignore_index, label_smoothing)
    _check_classes(input, target, weight, "log_softmax_lastdim_kernel_impl")
    return in_float32(CrossEntropy(how, ignore_index), input, _shaped(target, input), weight)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`-input[target]`, averaged: the cross-entropy, given log-probabilities as `log_softmax` makes them.

    Shapes, `weight`, `ignore_index`, `reduction` and errors are those of `cross_entropy` with class ids.

    >>> import minigrad as torch
    >>> nll_loss(torch.tensor([[-0.25, -1.5], [-3.0, -0.05]]), torch.tensor([0, 1]), reduction="sum")
    tensor(0.3000)
    """
    how = checked_reduction(reduction, size_average, reduce)
    checked_tensor("nll_loss_nd", input, "input", 1)
    checked_tensor("nll_loss_nd", target, "target", 2)
    _check_classes(input, target, weight, "nll_loss_out_frame")
    return in_float32(NllLoss(how, ignore_index), input, _shaped(target, input), weight)


def _cross_entropy_of_probabilities(
    x: Tensor, target: Tensor, weight: Tensor | None, how: Reduction, ignore_index: int, label_smoothing: float
) -> Tensor:
    """The cross-entropy of scores and target probabilities: minus their products with the log-probabilities."""
    if target._array.dtype.kind != "f":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype._tensor_name}. Class "
            "ids have the input's shape without the dimension of the classes"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    dim = class_dim(x._array)
    log_p = x.log_softmax(dim)
    _check_weight_shape("cross_entropy: weight", x, weight)
    classes = x._array.shape[dim]
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / max(classes, 1)
    products = log_p * target if weight is None else log_p * target * _by_class(weight, x)
    if how == "none":
        return -products.sum(dim)
    total = -products.sum()
    return total if how == "sum" else total / (x._array.size // max(classes, 1))


def _smooth_cross_entropy(
    x: Tensor, target: Tensor, weight: Tensor | None, how: Reduction, ignore_index: int, label_smoothing: float
) -> Tensor:
    """The cross-entropy with a part of each target spread over all classes."""
    dim = class_dim(x._array)
    log_p = x.log_softmax(dim)
    sharp = nll_loss(log_p, target, weight, ignore_index=ignore_index, reduction=how)
    spread = -(log_p if weight is None else log_p * _by_class(weight, x)).sum(dim)
    ids = _shaped(target, x)._array
    counts = ids != ignore_index
    spread = masked(spread, counts)
    if how != "none":
        spread = spread.sum()
    if how == "mean":
        total = counts.sum() if weight is None else weight._array[np.where(counts, ids, 0)][counts].sum()
        spread = spread / spread._new(np.asarray(total, spread._array.dtype))
    return sharp * (1 - label_smoothing) + spread * (label_smoothing / max(x._array.shape[dim], 1))


def _by_class(weight: Tensor, x: Tensor) -> Tensor:
    """The weights of the classes, in a shape that broadcasts to x's."""
    return weight.reshape((1, -1) + (1,) * (x.ndim - 2)) if x.ndim > 1 else weight


def _shaped(target: Tensor, x: Tensor) -> Tensor:
    """The class ids; for a vector of scores, one id without a dimension."""
    return Reshape(())(target) if x.ndim == 1 and target.ndim == 1 else target


def _check_classes(x: Tensor, target: Tensor, weight: Tensor | None, kernel: str) -> None:
    """Nothing if class ids and weights fit the scores; else PyTorch's error."""
    shape, ids = tuple(x.shape), tuple(target.shape)
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0): (C,) or (N, C, *)")
    if len(shape) == 1:
        if len(ids) == 1 and ids != (1,):
            raise ValueError(
                f"For 1D input, 1D target must have size 1, but got target size: {ids[0]}. One vector of scores has "
                "one target"
            )
        if len(ids) > 1:
            raise RuntimeError(
                f"0D or 1D target tensor expected, multi-target not supported: got {target.shape}. One vector of "
                "scores has one target"
            )
    elif shape[0] != (ids[0] if ids else 0):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({ids[0] if ids else 0}). "
            + _target_remedy(shape, ids)
        )
    elif len(shape) == 2 and len(ids) > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported: got {target.shape}. "
            + _target_remedy(shape, ids)
        )
    elif len(shape) == 4 and len(ids) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(ids)}. "
            + _target_remedy(shape, ids)
        )
    elif shape[2:] != ids[1:]:
        begin = f"Expected target size {[shape[0], *shape[2:]]}, got {list(ids)}"
        if len(shape) == 4:
            begin = f"size mismatch (got input: {list(shape)}, target: {list(ids)})"
        raise RuntimeError(f"{begin}. {_target_remedy(shape, ids)}")
    if x._array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{x.dtype._tensor_name}': scores are real numbers, input.float()"
        )
    if target._array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype._tensor_name}: class ids are whole "
            "numbers, target.long()"
        )
    if weight is not None:
        check_constant("nll_loss_forward" if len(shape) < 3 else "nll_loss2d_forward", "weight", weight)
        _check_weight_shape("weight", x, weight)
        if weight.dtype is not x.dtype:
            raise RuntimeError(
                f"expected scalar type {x.dtype._tensor_name} but found {weight.dtype._tensor_name}: the weights of "
                f"the classes, weight.to({x.dtype!r})"
            )


def _target_remedy(shape: tuple[int, ...], ids: tuple[int, ...]) -> str:
    """What to do if there are not as many class ids, in the shape `ids`, as vectors in scores of the shape `shape`."""
    fits = (shape[0], *shape[2:])
    if len(shape) > 2 and math.prod(ids) == math.prod(shape[:-1]):
        remedy = f"input.flatten(0, {len(shape) - 2}) with target.flatten()"
        if ids == shape[:-1]:
            remedy += ", or input.transpose(1, 2)" if len(shape) == 3 else ", or input.movedim(-1, 1)"
        return f"The classes are dimension 1 of the input, and the last one holds them here: {remedy}"
    if ids == (*fits, 1):
        return f"Take the dimension of one away: target.squeeze({len(fits)})"
    if math.prod(ids) == math.prod(fits):
        return f"An input of shape {shape} takes a target of shape {fits}: target.reshape{fits}"
    return (
        f"An input of shape {shape} takes a target of shape {fits}, a class id for each vector of scores; one vector "
        "by itself is (C,)"
    )


def _check_weight_shape(what: str, x: Tensor, weight: Tensor | None) -> None:
    classes = x._array.shape[class_dim(x._array)]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"{what} tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
