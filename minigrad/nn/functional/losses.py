"""Losses of elements: how far a model's outputs are from what they should be, each by itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.elementwise import cast, masked
from minigrad.core.shapes import common_shape
from minigrad.methods.forms import checked_tensor
from minigrad.nn.functional.arguments import check_constant, checked_reduction, legacy_reduction, reduced
from minigrad.ops import losses as ops
from minigrad.ops.losses import Reduction
from minigrad.ops.widening import in_float32, rounded
from minigrad.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "smooth_l1_loss",
]

# ---- losses of differences -------------------------------------------------------------------------------------------


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of `(input - target)**2`; the sum or the single squares, as `reduction` says.

    With a `weight`, of the input's shape, it is the weighted mean.  A warning if the sizes differ.

    >>> import minigrad as torch
    >>> mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    how = checked_reduction(reduction, size_average, reduce)
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted((input - target) ** 2, weight, how)
    return _elementwise(ops.MseLoss(how), input, target, "mse_cpu")


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of `|input - target|`; the sum or the single distances, as `reduction` says.

    With a `weight`, of the input's shape, it is the weighted mean.  A warning if the sizes differ.

    >>> import minigrad as torch
    >>> l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """
    how = checked_reduction(reduction, size_average, reduce)
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted((input - target).abs(), weight, how)
    return _l1(input, target, how)


def _l1(input: Tensor, target: Tensor, how: Reduction) -> Tensor:
    d = input - target
    return in_float32(ops.L1Loss(how), d) if d.is_floating_point() else reduced(d.abs(), how)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The mean of `d**2 / (2 * beta)` for differences d below `beta`, and of `|d| - beta / 2` for others.

    >>> import minigrad as torch
    >>> smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    how = checked_reduction(reduction, size_average, reduce)
    input, target = _same_shape(input, target)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got {beta}")
    if beta == 0:
        return _l1(input, target, how)
    return _elementwise(ops.SmoothL1Loss(how, beta), input, target, "smooth_l1_cpu")


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`1 - cos(input1, input2)` where the target is 1, for alike, and `max(0, cos - margin)` where it is -1.

    The inputs are `(N, D)` and the target is `(N,)`, or all without the N.

    >>> import minigrad as torch
    >>> cosine_embedding_loss(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]), torch.tensor(-1))
    tensor(0.7071)
    """
    how = checked_reduction(reduction, size_average, reduce)
    if target.ndim > 1:
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported: got {target.shape}")
    if not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    lengths = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = (input1 * input2).sum(-1) / lengths.sqrt()
    alike, apart = masked(1 - cosine, target._array == 1), masked((cosine - margin).clamp_min(0), target._array == -1)
    return reduced(alike + apart, how)


def _elementwise(op: ops.ElementLoss, input: Tensor, target: Tensor, kernel: str) -> Tensor:
    """The loss `op` of the differences of two tensors, of which one is floating point."""
    common = dtypes.result_type(input._array, target._array)
    if not common.is_floating_point:
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{common._tensor_name}': make one of the two floating point"
        )
    return in_float32(lambda x, y: op(x - y), cast(input, common), cast(target, common))


def _check_tensors(*arguments: Any) -> None:
    for given in arguments:
        if isinstance(given, np.ndarray | np.generic):
            raise TypeError(f"expected a tensor, got a {type(given).__name__} of NumPy: torch.as_tensor(it)")
        if not isinstance(given, Tensor):
            raise AttributeError(
                f"'{type(given).__name__}' object has no attribute 'size': expected a tensor"
                + (". Does the forward that made it return it?" if given is None else "")
            )


def _same_shape(input: Any, target: Any) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast to one shape; a warning if theirs differ."""
    _check_tensors(input, target)
    if input._array.shape == target._array.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=3,
    )
    shape = common_shape([input._array.shape, target._array.shape])
    return input.expand(shape), target.expand(shape)


def _weighted(losses: Tensor, weight: Tensor, how: Reduction) -> Tensor:
    """The losses times their weights, reduced; a mean is the weighted one."""
    if weight.size() != losses.size():
        raise ValueError(f"Weights and input must have the same size. Got {weight.shape} and {losses.shape}")
    weighted = losses * weight
    return weighted.sum() / weight.sum() if how == "mean" else reduced(weighted, how)


# ---- losses of probabilities -----------------------------------------------------------------------------------------


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean of `-(target * log(input) + (1 - target) * log(1 - input))`, for probabilities.

    The logarithms are at least -100.  A `weight` that broadcasts to the input's shape multiplies each loss.  Errors:
    ValueError for different sizes, RuntimeError for numbers outside [0, 1] or different dtypes.

    >>> import minigrad as torch
    >>> binary_cross_entropy(torch.tensor([0.5, 0.75]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([0.6931, 0.2877])
    """
    how = checked_reduction(reduction, size_average, reduce)
    _check_tensors(input, target)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if target.dtype is not input.dtype:
        raise RuntimeError(
            f"Found dtype {target.dtype._tensor_name} but expected {input.dtype._tensor_name}: the targets are "
            f"probabilities, target.to({input.dtype!r})"
        )
    if not input.is_floating_point():
        raise NotImplementedError(
            f"\"binary_cross_entropy\" not implemented for '{input.dtype._tensor_name}': probabilities are real numbers"
        )
    for name, each in (("input", input), ("target", target)):
        if not ((each._array >= 0) & (each._array <= 1)).all():
            remedy = "scores become so by torch.sigmoid, or take binary_cross_entropy_with_logits (BCEWithLogitsLoss)"
            if name == "target":
                remedy = "they are probabilities; for class ids there is cross_entropy"
            raise RuntimeError(f"all elements of {name} should be between 0 and 1: {remedy}")
    weight = _factor("binary_cross_entropy", "weight", weight, input)
    return in_float32(ops.BinaryCrossEntropy(how), input, target, weight)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`, precise and finite also where the sigmoid is 0 or 1.

    `weight` multiplies each loss and `pos_weight` the part for the target 1; both broadcast to the input's shape.

    >>> import minigrad as torch
    >>> binary_cross_entropy_with_logits(torch.tensor([0.0, -200.0]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([  0.6931, 200.0000])
    """
    how = checked_reduction(reduction, size_average, reduce)
    _check_tensors(input, target)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if not input.is_floating_point():
        raise NotImplementedError(
            f"\"log_sigmoid_cpu\" not implemented for '{input.dtype._tensor_name}': logits are real numbers"
        )
    if not target.is_floating_point():
        raise RuntimeError(
            f"result type {input.dtype._tensor_name} can't be cast to the desired output type "
            f"{target.dtype._tensor_name}: the targets are probabilities, target.float()"
        )
    common = dtypes.promote_types(input.dtype, target.dtype)
    x, t = cast(input, common), cast(target, common)
    weight = _factor("binary_cross_entropy_with_logits", "weight", weight, x)
    pos_weight = _factor("binary_cross_entropy_with_logits", "pos_weight", pos_weight, x)
    return rounded(in_float32(ops.BinaryCrossEntropyWithLogits(how), x, t, weight, pos_weight), target.dtype)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """`target * (log(target) - input)`: the divergence of the distribution `exp(input)` from the right one, `target`.

    With `log_target`, the targets are logarithms as well.  The divergence of Kullback and Leibler is a sum over
    probabilities and a mean over a batch, the reduction "batchmean"; "mean", with a warning, is one over all elements.

    >>> import minigrad as torch
    >>> kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    checked_tensor("kl_div", input)
    checked_tensor("kl_div", target, "target", 2)
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    legacy = legacy_reduction(reduction, size_average, reduce)
    how = checked_reduction("sum" if legacy == "batchmean" else legacy)
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported. Expected floating point, input.float()")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        # Where a target is 0, so is its part: 0 * log(0) would be nan.
        loss = target * target.log().masked_fill(target == 0, 0) - target * input
    total = reduced(loss, how)
    return total / input.shape[0] if reduction == "batchmean" and input.ndim else total


def _factor(function: str, argument: str, weight: Tensor | None, x: Tensor) -> Tensor | None:
    """A constant factor of the losses of `x`, in their dtype; an error if it does not broadcast to x's shape."""
    if weight is None:
        return None
    check_constant(function, argument, weight)
    shape = common_shape([weight._array.shape, x._array.shape])
    if shape != x._array.shape:
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}: the {argument} has "
            f"shape {weight.shape}"
        )
    factor: Tensor = cast(weight, x.dtype)
    return factor
