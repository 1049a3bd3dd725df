"""`CosineSimilarity`, a distance: a layer of two inputs."""

from __future__ import annotations

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import FunctionLayer
from minigrad.tensor import Tensor

__all__ = ["CosineSimilarity"]


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
