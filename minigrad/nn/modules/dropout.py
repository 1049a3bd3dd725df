"""Dropout: layers that add noise when they train, and do nothing when they do not."""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import FunctionLayer
from minigrad.tensor import Tensor

__all__ = ["Dropout", "Dropout2d"]


class _DropoutNd(FunctionLayer, function=...):
    """`function(input, p, inplace)` while `training`, else the input itself."""

    p: float = 0.5
    inplace: bool = False
    _shown = ("p", "inplace")

    def _set_up(self) -> None:
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, training=self.training)


class Dropout(_DropoutNd, function=F.dropout):
    """While training, the input with each element set to 0 with probability `p`, the others divided by `1 - p`.

    The noise is drawn as PyTorch draws it.  Source: N. Srivastava et al., "Dropout: a simple way to prevent neural
    networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout = torch.nn.Dropout(0.5)
    >>> dropout(torch.ones(6)), dropout.eval()(torch.ones(6))
    (tensor([0., 0., 2., 0., 0., 0.]), tensor([1., 1., 1., 1., 1., 1.]))
    """


class Dropout2d(_DropoutNd, function=F.dropout2d):
    """While training, the input, `(N, C, H, W)`, with whole channels set to 0."""
