"""Losses: layers that say how far an output is from what it should be."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.functional.arguments import legacy_reduction
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.tensor import Tensor


class _Reduced(ConstantLayer):
    """A function with a reduction: "mean", "sum" or "none"."""

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", **constants: Any
    ) -> None:
        super().__init__(reduction=legacy_reduction(reduction, size_average, reduce, stacklevel=4), **constants)

    def extra_repr(self) -> str:
        return ""

    def _add_weights(self, **weights: Tensor | None) -> None:
        """Add constants that are part of the state."""
        for name, weight in weights.items():
            self.register_buffer(name, weight)
        self._constants += tuple(weights)


class _Loss(_Reduced):
    """`function(input, target)`, reduced."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return self._compute(input, target)


class _PlainLoss(_Loss):
    """A loss without constants."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with a weight for each element, or each class."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self._add_weights(weight=weight)


class _PairLoss(_Reduced):
    """A loss of two inputs, and a target of 1 or -1."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction, margin=margin)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return self._compute(input1, input2, target)


class L1Loss(_PlainLoss):
    """`|input - target|`, averaged."""

    _function = staticmethod(F.l1_loss)


class MSELoss(_PlainLoss):
    """`(input - target)**2`, averaged.

    >>> import minigrad as torch
    >>> torch.nn.MSELoss()(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 2.0]))
    tensor(2.)
    """

    _function = staticmethod(F.mse_loss)


class SmoothL1Loss(_Loss):
    """`|d| - beta / 2` for differences d of at least `beta`, else `d**2 / (2 * beta)`, averaged."""

    _function = staticmethod(F.smooth_l1_loss)

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction, beta=beta)


class KLDivLoss(_Loss):
    """`target * (log(target) - input)`, averaged, for an input of log-probabilities; see `nn.functional.kl_div`."""

    _function = staticmethod(F.kl_div)

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction, log_target=log_target)


class NLLLoss(_Loss):
    """`-input[target]`, averaged, for an input of log-probabilities; see `nn.functional.nll_loss`.

    >>> import minigrad as torch
    >>> log_probabilities = torch.tensor([[0.5, 0.5], [0.25, 0.75]]).log()
    >>> torch.nn.NLLLoss()(log_probabilities, torch.tensor([0, 1]))
    tensor(0.4904)
    """

    _function = staticmethod(F.nll_loss)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction, ignore_index=ignore_index)
        self._add_weights(weight=weight)


class CrossEntropyLoss(_Loss):
    """`-log softmax(input)[target]`, averaged; see `nn.functional.cross_entropy`.

    >>> import minigrad as torch
    >>> loss = torch.nn.CrossEntropyLoss()
    >>> loss(torch.zeros(2, 4), torch.tensor([0, 3]))
    tensor(1.3863)
    """

    _function = staticmethod(F.cross_entropy)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)
        self._add_weights(weight=weight)


class BCELoss(_WeightedLoss):
    """`-log(input)` for a target of 1, `-log(1 - input)` for 0, averaged; `input` is the probability of 1."""

    _function = staticmethod(F.binary_cross_entropy)


class BCEWithLogitsLoss(_Loss):
    """The `BCELoss` of `sigmoid(input)`, without overflow on the way.

    >>> import minigrad as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 0.0]))
    tensor(1.4100)
    """

    _function = staticmethod(F.binary_cross_entropy_with_logits)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self._add_weights(weight=weight, pos_weight=pos_weight)


class CosineEmbeddingLoss(_PairLoss):
    """`1 - cos(input1, input2)` for a target of 1, `max(0, cos(input1, input2) - margin)` for -1, averaged."""

    _function = staticmethod(F.cosine_embedding_loss)
