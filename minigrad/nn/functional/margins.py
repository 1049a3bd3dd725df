"""Losses that ask for a margin: of a score over 0, over another score, or of a distance over another one."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.methods.forms import checked_tensor
from minigrad.nn.functional.activations import logsigmoid
from minigrad.nn.functional.arguments import checked_reduction, legacy_reduction, reduced
from minigrad.nn.functional.distances import pairwise_distance
from minigrad.ops.elementwise import masked
from minigrad.ops.losses import SoftMarginLoss
from minigrad.ops.widening import in_float32
from minigrad.tensor import Tensor

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin - target * (input1 - input2))`: 0 where the input to rank higher, 1 or -1 of both, is so by it.

    >>> import minigrad as torch
    >>> margin_ranking_loss(torch.tensor([3.0]), torch.tensor([1.0]), torch.tensor([-1.0]), margin=0.5)
    tensor(2.5000)
    """
    how = checked_reduction(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), how)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The distance `input` where the target is 1, for alike, and `max(0, margin - input)` where it is -1.

    >>> import minigrad as torch
    >>> hinge_embedding_loss(torch.tensor([0.25, 0.25]), torch.tensor([1, -1]), reduction="none")
    tensor([0.2500, 0.7500])
    """
    how = checked_reduction(reduction, size_average, reduce)
    apart = masked((margin - input).clamp_min(0), target._array != 1)
    return reduced(apart + masked(input, target._array != -1), how)


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


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`, d being `pairwise_distance`.

    With `swap` the distance from positive to negative counts in place of that from the anchor, if it is smaller.

    >>> import minigrad as torch
    >>> triplet_margin_loss(torch.zeros(1, 2), torch.ones(1, 2), torch.tensor([[0.0, 2.0]]))
    tensor(0.4142)
    """
    how = checked_reduction(reduction, size_average, reduce)
    _check_triplet(anchor, positive, negative, margin)
    return reduced(
        _triplet(anchor, positive, negative, margin, swap, lambda a, b: pairwise_distance(a, b, p, eps)), how
    )


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction: one of 'none', 'mean' and 'sum'")
    _check_triplet(anchor, positive, negative, margin)
    return reduced(
        _triplet(anchor, positive, negative, margin, swap, distance_function or pairwise_distance), reduction
    )


def _check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


def _triplet(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    swap: bool,
    distance: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return (margin + near - far).clamp_min(0)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`log(1 + exp(-target * input))`, for targets 1 and -1.

    >>> import minigrad as torch
    >>> soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    how = checked_reduction(reduction, size_average, reduce)
    checked_tensor("soft_margin_loss", input)
    checked_tensor("soft_margin_loss", target, "target", 2)
    return in_float32(lambda x, y: SoftMarginLoss(how)(x * y), input, target)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes, the last dimension, of the binary cross-entropies of `sigmoid(input)`, times `weight`.

    >>> import minigrad as torch
    >>> multilabel_soft_margin_loss(torch.tensor([[0.0, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    how = legacy_reduction(reduction, size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    loss = loss.sum(-1) / input.size(-1)
    if how not in ("mean", "sum", "none"):
        raise ValueError(f"{how} is not valid: one of 'none', 'mean' and 'sum'")
    return reduced(loss, how)
