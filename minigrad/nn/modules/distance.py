"""`CosineSimilarity`, a layer of two inputs."""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.constant import ConstantLayer
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
