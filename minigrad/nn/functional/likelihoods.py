"""Losses that are negative log-likelihoods, or differences of them, under a named distribution."""

from __future__ import annotations

import math
import warnings

from minigrad.autograd.grad_mode import no_grad
from minigrad.methods.forms import checked_tensor
from minigrad.nn.functional.arguments import checked_reduction, legacy_reduction, reduced
from minigrad.ops.elementwise import masked
from minigrad.tensor import Tensor

__all__ = ["gaussian_nll_loss", "kl_div", "poisson_nll_loss"]


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
    loss = target.exp() * (target - input) if log_target else target.xlogy(target) - target * input
    total = reduced(loss, how)
    return total / input.shape[0] if reduction == "batchmean" and input.ndim else total


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`exp(input) - target * input`: for counts `target`, whose expected values have the logarithms `input`.

    Without `log_input` the input is the expected value itself: `input - target * log(input + eps)`.  `full` adds what
    does not depend on it, Stirling's approximation of `log(target!)`, for targets above 1.

    >>> import minigrad as torch
    >>> poisson_nll_loss(torch.tensor([0.0]), torch.tensor([3.0]))
    tensor(1.)
    """
    how = legacy_reduction(reduction, size_average, reduce)
    if how not in ("none", "mean", "sum"):
        raise ValueError(f"{how} is not a valid value for reduction: one of 'none', 'mean' and 'sum'")
    checked_tensor("poisson_nll_loss", input)
    checked_tensor("poisson_nll_loss", target, "target", 2)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + masked(stirling, ~(target._array <= 1))
    return reduced(loss, how)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """`(log(var) + (input - target)**2 / var) / 2`: for targets normal around the input with the variance `var`.

    `var` has the input's shape, or 1 or nothing in place of its last size; it counts as at least `eps`.  `full` adds
    the constant `log(2 * pi) / 2`.  Errors: ValueError for a negative variance or another shape.

    >>> import minigrad as torch
    >>> gaussian_nll_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """
    if isinstance(var, float):
        var = input * 0 + var if var >= 0 else input._new(input._array * 0 - 1)
    if (var._array < 0).any():
        raise ValueError("var has negative entry/entries: a variance is at least 0")
    if var.shape != input.shape:
        differing = [a != b for a, b in zip(input.shape, var.shape, strict=False)]
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or not (sum(differing) == 1 and var.shape[differing.index(True)] == 1):
            raise ValueError(f"var is of incorrect size: {var.shape} for an input of size {input.shape}")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid: one of 'none', 'mean' and 'sum'")
    var = var.clone()
    with no_grad():
        # Not recorded: so that a variance below eps has a gradient, too.
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)
