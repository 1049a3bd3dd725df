"""Distances: layers of two inputs."""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class CosineSimilarity(ConstantLayer):
    """The cosine of the angle between vectors along `dim`; see `nn.functional.cosine_similarity`.

    >>> import minigrad as torch
    >>> torch.nn.CosineSimilarity(dim=0)(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 2.0]))
    tensor(0.)
    """

    _function = staticmethod(F.cosine_similarity)

    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None:
        super().__init__(dim=dim, eps=eps)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return self._compute(x1, x2)

    def extra_repr(self) -> str:
        return ""


class PairwiseDistance(Module):
    """The `p`-norm of `x1 - x2 + eps` along the last dimension; see `nn.functional.pairwise_distance`."""

    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
