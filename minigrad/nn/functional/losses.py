"""Losses of elements: how far a model's outputs are from what they should be, each by itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.nn.functional.arguments import check_constant, checked_reduction, legacy_reduction
from minigrad.ops import losses as ops
from minigrad.ops.broadcast import broadcast_shapes_message
from minigrad.ops.elementwise import cast
from minigrad.ops.losses import Reduction
from minigrad.ops.widening import in_float32, rounded
from minigrad.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "huber_loss",
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
    input, target = _same_shape(input, target)
    if weight is not None:
        reduction = legacy_reduction(reduction, size_average, reduce)
        return _weighted((input - target) ** 2, weight, reduction, input, mean_of="weight")
    how = checked_reduction(reduction, size_average, reduce)
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
    input, target = _same_shape(input, target)
    if weight is not None:
        reduction = legacy_reduction(reduction, size_average, reduce)
        return _weighted((input - target).abs(), weight, reduction, input, mean_of="weight")
    return _l1(input, target, checked_reduction(reduction, size_average, reduce))


def _l1(input: Tensor, target: Tensor, how: Reduction) -> Tensor:
    d = input - target
    if d._array.dtype.kind != "f":
        return d.abs() if how == "none" else d.abs().mean() if how == "mean" else d.abs().sum()
    return in_float32(ops.L1Loss(how), d)


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
    input, target = _same_shape(input, target)
    how = checked_reduction(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got {beta}")
    if beta == 0:
        return _l1(input, target, how)
    return _elementwise(ops.HuberLoss(how, beta, 1 / beta, "SmoothL1Loss"), input, target, "smooth_l1_cpu")


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """The mean of `d**2 / 2` for differences d of at most `delta`, and of `delta * (|d| - delta / 2)` for others.

    With a `weight`, of the input's shape, each loss is multiplied by it.  Source: P. J. Huber, "Robust estimation of a
    location parameter" (1964).

    >>> import minigrad as torch
    >>> huber_loss(torch.tensor([0.5, 3.0]), torch.tensor([0.0, 0.0]), reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
    result_type = input.dtype if isinstance(input, Tensor) else None
    input, target = _same_shape(input, target)
    if weight is not None:
        losses = huber_loss(input, target, "none", delta)
        return _weighted(losses, weight, reduction, input, mean_of="losses")
    how = checked_reduction(reduction, None, None)
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got {delta}")
    if result_type is not None and not result_type.is_floating_point and target.is_floating_point():
        raise RuntimeError(
            f"result type {target.dtype._tensor_name} can't be cast to the desired output type "
            f"{result_type._tensor_name}: make the input floating point, input.float()"
        )
    loss = _elementwise(ops.HuberLoss(how, delta, 1.0, "HuberLoss"), input, target, "huber_cpu")
    return rounded(loss, input.dtype)


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
    try:
        shape = np.broadcast_shapes(input._array.shape, target._array.shape)
    except ValueError:
        raise RuntimeError(broadcast_shapes_message(input._array.shape, target._array.shape)) from None
    return input.expand(shape), target.expand(shape)


def _weighted(losses: Tensor, weight: Tensor, reduction: str, input: Tensor, mean_of: str) -> Tensor:
    """The losses times their weights, reduced."""
    if weight.size() != input.size():
        raise ValueError(f"Weights and input must have the same size. Got {weight.shape} and {input.shape}")
    weighted = losses * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return weighted.sum()
    if reduction == "mean":
        return weighted.mean() if mean_of == "losses" else weighted.sum() / weight.sum()
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


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


def _factor(function: str, argument: str, weight: Tensor | None, x: Tensor) -> Tensor | None:
    """A constant factor of the losses of `x`, in their dtype; an error if it does not broadcast to x's shape."""
    if weight is None:
        return None
    check_constant(function, argument, weight)
    try:
        shape = np.broadcast_shapes(weight._array.shape, x._array.shape)
    except ValueError:
        raise RuntimeError(broadcast_shapes_message(weight._array.shape, x._array.shape)) from None
    if shape != x._array.shape:
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}: the {argument} has "
            f"shape {weight.shape}"
        )
    factor: Tensor = cast(weight, x.dtype)
    return factor
