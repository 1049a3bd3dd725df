"""`Embedding`: a table of vectors, one per id."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from minigrad.creation import empty
from minigrad.dtypes import dtype
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.lookup import _padding_position
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.options import OnDevice
from minigrad.tensor import Tensor


class Embedding(Module):
    """A table of `num_embeddings` learned vectors of size `embedding_dim`; called with ids, it looks them up.

    It equals a `Linear` layer without bias on the one-hot vectors of the ids, forward and backward, if the two
    weights are each other's transpose; only the products by 0 are left out.

    `weight`
        `(num_embeddings, embedding_dim)`, a Parameter that starts as draws from the normal distribution.
    `padding_idx`
        an id whose vector starts as zeros and has no gradient; negative counts from the end.

    Called with ids of shape `(*)`, int64 or int32, it gives `(*, embedding_dim)`.  Errors: IndexError for an id
    that is not in `[0, num_embeddings)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> embedding = torch.nn.Embedding(4, 5)
    >>> embedding(torch.tensor([1]))
    tensor([[ 1.3010,  1.2753, -0.2010, -0.1606, -0.4015]],
           grad_fn=<EmbeddingBackward0>)
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: SupportsIndex,
        embedding_dim: SupportsIndex,
        padding_idx: SupportsIndex | None = None,
        *,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: OnDevice = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else _padding_position(padding_idx, index(num_embeddings))
        if _weight is None:
            weight = empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            assert tuple(_weight.shape) == (index(num_embeddings), index(embedding_dim)), (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw the weight anew from the normal distribution, and set the row of `padding_idx` to zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0

    def forward(self, input: Tensor) -> Tensor:
        """The vectors of the ids in `input`: `(*)` gives `(*, embedding_dim)`."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: SupportsIndex | None = None
    ) -> Embedding:
        """An embedding with the table `embeddings`, `(V, D)`, on its storage; not learned if `freeze`.

        >>> import minigrad as torch
        >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5]])
        >>> torch.nn.Embedding.from_pretrained(table)(torch.tensor(1))
        tensor([1.0000, 1.5000])
        """
        assert embeddings.dim() == 2, (
            f"Embeddings parameter is expected to be 2-dimensional, one row per id; got shape {embeddings.shape}"
        )
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)
