"""What the arguments of losses mean: reductions, also by their old names, and factors that are constants."""

from __future__ import annotations

import warnings
from typing import Any

from minigrad.core.modes import is_grad_enabled
from minigrad.ops.losses import Reduction
from minigrad.tensor import Tensor


def checked_reduction(reduction: Any, size_average: bool | None = None, reduce: bool | None = None) -> Reduction:
    """The reduction that is asked for, checked."""
    reduction = legacy_reduction(reduction, size_average, reduce, stacklevel=4)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: one of 'none', 'mean' and 'sum'")
    return reduction


def legacy_reduction(reduction: Any, size_average: bool | None, reduce: bool | None, stacklevel: int = 3) -> Any:
    """The reduction, for which PyTorch's first versions had two flags."""
    if size_average is None and reduce is None:
        return reduction
    if any([isinstance(flag, Tensor) and flag.numel() > 1 for flag in (size_average, reduce)]):
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous: this argument says whether losses are "
            "averaged. A loss is made first, and then called with tensors: nn.CrossEntropyLoss()(input, target)"
        )
    reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        stacklevel=stacklevel,
    )
    return reduction


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The losses, or their mean or sum, composed of other operations."""
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def check_constant(function: str, argument: str, weight: Tensor) -> None:
    """Nothing if no gradient is asked for of an argument that PyTorch gives none."""
    if weight.requires_grad and is_grad_enabled():
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot "
            f"have requires_grad True. Give {argument}.detach(), if it is to be a constant"
        )
