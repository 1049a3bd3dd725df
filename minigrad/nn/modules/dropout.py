"""Dropout: layers that add noise when they train, and do nothing when they do not."""

from __future__ import annotations

from typing import SupportsIndex

from minigrad.nn import functional as F
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.tensor import Tensor


class _Dropout(ConstantLayer):
    """`function(input, p)` while `training`, else the input itself."""

    _silent = ()

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if not isinstance(p, SupportsIndex | float):
            raise TypeError(f"dropout probability has to be a number between 0 and 1, but got {p!r}")
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        super().__init__(p=p, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, training=self.training)


class Dropout(_Dropout):
    """While training, the input with each element set to 0 with probability `p`, the others divided by `1 - p`.

    The noise is drawn as PyTorch draws it.  Source: N. Srivastava et al., "Dropout: a simple way to prevent neural
    networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout = torch.nn.Dropout(0.5)
    >>> dropout(torch.ones(6)), dropout.eval()(torch.ones(6))
    (tensor([0., 0., 2., 0., 0., 0.]), tensor([1., 1., 1., 1., 1., 1.]))
    """

    _function = staticmethod(F.dropout)


class Dropout2d(_Dropout):
    """While training, the input, `(N, C, H, W)`, with whole channels set to 0."""

    _function = staticmethod(F.dropout2d)
