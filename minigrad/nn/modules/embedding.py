"""`Embedding`, a table of vectors, one per id; and `EmbeddingBag`, which sums them up."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from minigrad.core.dtypes import dtype
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.functional.lookup import padding_position
from minigrad.nn.modules.module import Module, check_sizes
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty
from minigrad.tensors.options import OnDevice


class Embedding(Module):
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

    weight: Parameter

    def __init__(
        self,
        num_embeddings: SupportsIndex,
        embedding_dim: SupportsIndex,
        padding_idx: SupportsIndex | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: OnDevice = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_sizes(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else padding_position(padding_idx, index(num_embeddings))
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
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
        options = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, *options)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        sparse = ", sparse=True" if self.sparse else ""
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}{_norm_and_scale(self)}{sparse}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: SupportsIndex | None = None,
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


class EmbeddingBag(Module):
    """A table of learned vectors; called with bags of ids, it gives the "mean", the "sum" or the "max" of each bag's.

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

    weight: Parameter

    def __init__(
        self,
        num_embeddings: SupportsIndex,
        embedding_dim: SupportsIndex,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: SupportsIndex | None = None,
        device: OnDevice = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_sizes(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = None if padding_idx is None else padding_position(padding_idx, index(num_embeddings))
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        if _weight is None:
            self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
            self.reset_parameters()
        else:
            assert tuple(_weight.shape) == (index(num_embeddings), index(embedding_dim)), (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Draw the weight anew from the normal distribution, and set the row of `padding_idx` to zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx] = 0

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """The sums, means or maxima of the bags in `input`, `(B, N)` or `(N,)` with offsets: `(B, embedding_dim)`."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{_norm_and_scale(self)}, mode={self.mode!r}{padding}"

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
        padding_idx: SupportsIndex | None = None,
    ) -> EmbeddingBag:
        """Bags of the vectors of the table `embeddings`, `(V, D)`, on its storage; not learned if `freeze`."""
        rows, columns = _table_shape(embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        bags = cls(rows, columns, *options, embeddings, include_last_offset, padding_idx)
        bags.weight.requires_grad = not freeze
        return bags


def _table_shape(embeddings: Tensor) -> tuple[int, int]:
    if not isinstance(embeddings, Tensor):
        kind = type(embeddings)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise AttributeError(f"'{name}' object has no attribute 'dim': the table is a tensor, torch.tensor(table)")
    assert embeddings.dim() == 2, (
        f"Embeddings parameter is expected to be 2-dimensional, one row per id; got shape {embeddings.shape}"
    )
    rows, columns = embeddings.shape
    return rows, columns


def _norm_and_scale(layer: Embedding | EmbeddingBag) -> str:
    """The options of a table that are printed if they are not the usual ones."""
    text = "" if layer.max_norm is None else f", max_norm={layer.max_norm}"
    text += "" if layer.norm_type == 2 else f", norm_type={layer.norm_type}"
    return text + (f", scale_grad_by_freq={layer.scale_grad_by_freq}" if layer.scale_grad_by_freq else "")
