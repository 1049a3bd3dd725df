"""`Embedding`, a table of vectors, one per id; and `EmbeddingBag`, which sums them up."""

from __future__ import annotations

from dataclasses import InitVar
from operator import index

from minigrad.declare import with_options
from minigrad.nn import functional as F, init
from minigrad.nn.modules.layer import WeightLayer
from minigrad.nn.modules.module import non_default
from minigrad.nn.parameter import Parameter
from minigrad.ops.arguments import DType, OnDevice
from minigrad.ops.embedding import padding_position
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty
from minigrad.tensors.errors import result_of

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(WeightLayer):
    """A table of learned vectors, one per id, and the options by which it is looked up."""

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None

    def _set_up(self, _weight: Tensor | None, device: OnDevice, dtype: DType, _freeze: bool = False) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        if self.padding_idx is not None:
            self.padding_idx = padding_position(self.padding_idx, index(self.num_embeddings))
        if _weight is not None and _weight.shape != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(empty(shape, device=device, dtype=dtype) if _weight is None else _weight, not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight anew from the normal distribution, and set the row of `padding_idx` to zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0


@with_options
class Embedding(_Table):
    """A table of `num_embeddings` learned vectors of size `embedding_dim`; called with ids, it looks them up.

    It equals a `Linear` layer without bias on the one-hot vectors of the ids, forward and backward, if the two
    weights are each other's transpose; only the products by 0 are left out.

    `weight`
        `(num_embeddings, embedding_dim)`, a Parameter that starts as draws from the normal distribution.
    `padding_idx`
        an id whose vector starts as zeros and has no gradient; negative counts from the end.
    `max_norm`, `norm_type`, `scale_grad_by_freq`, `sparse`
        as in `nn.functional.embedding`.

    Called with ids of shape `(*)`, int64 or int32, it gives `(*, embedding_dim)`.  Errors: IndexError for an id
    that is not in `[0, num_embeddings)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> embedding = torch.nn.Embedding(4, 5)
    >>> embedding(torch.tensor([1]))
    tensor([[ 1.3010,  1.2753, -0.2010, -0.1606, -0.4015]],
           grad_fn=<EmbeddingBackward0>)
    """

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None = None
    max_norm: float | None = None
    norm_type: float = 2.0
    scale_grad_by_freq: bool = False
    sparse: bool = False
    _weight: InitVar[Tensor | None] = None
    _freeze: InitVar[bool] = False

    def forward(self, input: Tensor) -> Tensor:
        """The vectors of the ids in `input`: `(*)` gives `(*, embedding_dim)`."""
        options = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, *options)

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        return f"{self.num_embeddings}, {self.embedding_dim}{non_default(self.__dict__, **usual)}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An embedding with the table `embeddings`, `(V, D)`, on its storage; not learned if `freeze`.

        >>> import minigrad as torch
        >>> table = torch.tensor([[0.0, 0.5], [1.0, 1.5]])
        >>> torch.nn.Embedding.from_pretrained(table)(torch.tensor(1))
        tensor([1.0000, 1.5000])
        """
        rows, columns = _table_shape(embeddings)
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, columns, *options, _weight=embeddings, _freeze=freeze)


@with_options
class EmbeddingBag(_Table):
    """A table of learned vectors; called with bags of ids, it gives the "mean", "sum" or "max" of each bag's vectors.

    It equals an `Embedding`, and then a sum, mean or maximum over the vectors of each bag.

    `weight`
        `(num_embeddings, embedding_dim)`, a Parameter that starts as draws from the normal distribution.
    `padding_idx`
        an id that does not count in a bag; its vector starts as zeros and has no gradient.
    `mode`, `max_norm`, `norm_type`, `scale_grad_by_freq`, `sparse`, `include_last_offset`
        as in `nn.functional.embedding_bag`.

    >>> import minigrad as torch
    >>> table = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> bags = torch.nn.EmbeddingBag.from_pretrained(table, mode="sum")
    >>> bags(torch.tensor([[0, 2], [1, 1]]))
    tensor([[4., 6.],
            [4., 6.]])
    """

    num_embeddings: int
    embedding_dim: int
    max_norm: float | None = None
    norm_type: float = 2.0
    scale_grad_by_freq: bool = False
    mode: str = "mean"
    sparse: bool = False
    _weight: InitVar[Tensor | None] = None
    include_last_offset: bool = False
    padding_idx: int | None = None

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """The sums, means or maxima of the bags in `input`, `(B, N)` or `(N,)` with offsets: `(B, embedding_dim)`."""
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse)
        more = (per_sample_weights, self.include_last_offset, self.padding_idx)
        return F.embedding_bag(input, self.weight, offsets, *options, *more)

    def extra_repr(self) -> str:
        told = non_default(self.__dict__, max_norm=None, norm_type=2, scale_grad_by_freq=False)
        padding = non_default(self.__dict__, padding_idx=None)
        return f"{self.num_embeddings}, {self.embedding_dim}{told}, mode={self.mode!r}{padding}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Bags of the vectors of the table `embeddings`, `(V, D)`, on its storage; not learned if `freeze`."""
        rows, columns = _table_shape(embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        bags = cls(rows, columns, *options, embeddings, include_last_offset, padding_idx)
        bags.weight.requires_grad = not freeze
        return bags


def _table_shape(embeddings: Tensor) -> tuple[int, int]:
    expected = "Embeddings parameter is expected to be 2-dimensional"
    assert result_of(embeddings, "dim") == 2, f"{expected}; got shape {embeddings.shape}"
    return embeddings.shape[0], embeddings.shape[1]
