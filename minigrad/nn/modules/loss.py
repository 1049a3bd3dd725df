"""Losses: layers that say how far an output is from what it should be; and how alike two vectors are."""

from __future__ import annotations

from dataclasses import InitVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import FunctionLayer
from minigrad.ops.losses import legacy_reduction
from minigrad.tensor import Tensor

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "KLDivLoss",
    "L1Loss", "MSELoss", "NLLLoss", "SmoothL1Loss",
]  # fmt: skip


class _Loss(FunctionLayer, function=...):
    """`function(input, target)`, reduced: "mean", "sum" or "none".

    `size_average` and `reduce` are what the reduction was called in the first versions of PyTorch.
    """

    _shown = ()

    def _set_up(self, size_average: bool | None, reduce: bool | None) -> None:
        given = self.__dict__
        self.reduction = legacy_reduction(given["reduction"], size_average, reduce)
        for name in ("weight", "pos_weight"):
            if name in given:
                self.register_buffer(name, given.pop(name))

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        return self._compute(input, target)


class _PlainLoss(_Loss, function=...):
    """A loss whose first arguments are these."""

    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"


class _WeightedLoss(_Loss, function=...):
    """A loss whose elements have weights."""

    weight: Tensor | None = None
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"


class _ClassLoss(_Loss, function=...):
    """A loss of class ids, of which one may be ignored, and whose classes have weights."""

    weight: Tensor | None = None
    size_average: InitVar[bool | None] = None
    ignore_index: int = -100
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"


class L1Loss(_PlainLoss, function=F.l1_loss):
    """`|input - target|`, averaged."""


class MSELoss(_PlainLoss, function=F.mse_loss):
    """`(input - target)**2`, averaged.

    >>> import minigrad as torch
    >>> torch.nn.MSELoss()(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 2.0]))
    tensor(2.)
    """


class SmoothL1Loss(_PlainLoss, function=F.smooth_l1_loss):
    """`|d| - beta / 2` for differences d of at least `beta`, else `d**2 / (2 * beta)`, averaged."""

    beta: float = 1.0


class KLDivLoss(_PlainLoss, function=F.kl_div):
    """`target * (log(target) - input)`, averaged, for an input of log-probabilities; see `nn.functional.kl_div`."""

    log_target: bool = False


class NLLLoss(_ClassLoss, function=F.nll_loss):
    """`-input[target]`, averaged, for an input of log-probabilities; see `nn.functional.nll_loss`.

    >>> import minigrad as torch
    >>> log_probabilities = torch.tensor([[0.5, 0.5], [0.25, 0.75]]).log()
    >>> torch.nn.NLLLoss()(log_probabilities, torch.tensor([0, 1]))
    tensor(0.4904)
    """


class CrossEntropyLoss(_ClassLoss, function=F.cross_entropy):
    """`-log softmax(input)[target]`, averaged; see `nn.functional.cross_entropy`.

    >>> import minigrad as torch
    >>> loss = torch.nn.CrossEntropyLoss()
    >>> loss(torch.zeros(2, 4), torch.tensor([0, 3]))
    tensor(1.3863)
    """

    label_smoothing: float = 0.0


class BCELoss(_WeightedLoss, function=F.binary_cross_entropy):
    """`-log(input)` for a target of 1, `-log(1 - input)` for 0, averaged; `input` is the probability of 1."""


class BCEWithLogitsLoss(_WeightedLoss, function=F.binary_cross_entropy_with_logits):
    """The `BCELoss` of `sigmoid(input)`, without overflow on the way.

    >>> import minigrad as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 0.0]))
    tensor(1.4100)
    """

    pos_weight: Tensor | None = None


class CosineEmbeddingLoss(_Loss, function=F.cosine_embedding_loss):
    """`1 - cos(input1, input2)` for a target of 1, `max(0, cos(input1, input2) - margin)` for -1, averaged."""

    margin: float = 0.0
    size_average: InitVar[bool | None] = None
    reduce: InitVar[bool | None] = None
    reduction: str = "mean"

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        return self._compute(input1, input2, target)


class CosineSimilarity(FunctionLayer, function=F.cosine_similarity):
    """The cosine of the angle between vectors along `dim`; see `nn.functional.cosine_similarity`.

    >>> import minigrad as torch
    >>> torch.nn.CosineSimilarity(dim=0)(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 2.0]))
    tensor(0.)
    """

    dim: int = 1
    eps: float = 1e-8
    _shown = ()

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:  # type: ignore[override]
        return self._compute(x1, x2)
