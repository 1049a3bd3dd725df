"""Looking up rows of a table: embeddings, bags of them, and the one-hot vectors that say the same."""

from __future__ import annotations

import warnings
from operator import index
from typing import SupportsIndex

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.embedding import Lookup, check_ids
from minigrad.core.modes import no_grad
from minigrad.core.tape import quiet
from minigrad.methods.forms import checked_tensor
from minigrad.ops.bags import PickFromBags, SumBags, largest_in_bags, widened
from minigrad.ops.lookups import ScaledLookup, SparseLookup
from minigrad.ops.widening import rounded
from minigrad.tensor import Tensor, new_leaf

__all__ = ["embedding", "embedding_bag", "one_hot"]

_IDS = (np.dtype(np.int64), np.dtype(np.int32))


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: SupportsIndex | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Row `input[n]` of `weight` for each n: equal to `one_hot(input, V) @ weight`, without the products by 0.

    `input` is `(*)`, of int64 or int32 ids in `[0, V)`; `weight` is `(V, D)`; the result is `(*, D)`.  The gradient of
    `weight` adds up over repeated ids (with `scale_grad_by_freq`, it is their mean); that of row `padding_idx` is zero.
    With `sparse`, that gradient is a sparse tensor of the rows that were looked up.

    With `max_norm`, the forward pass writes to the table: rows that are looked up and whose norm of order `norm_type`
    is larger are scaled down to it in place, each once, before they are read.

    Errors: IndexError for an id that is not a row, RuntimeError for other dtypes or a weight of another rank.

    >>> import minigrad as torch
    >>> weight = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> embedding(torch.tensor([2, 0, 2]), weight)
    tensor([[2.0000, 2.5000],
            [0.0000, 0.5000],
            [2.0000, 2.5000]])
    """
    checked_tensor("embedding", input, "indices", 2)
    checked_tensor("embedding", weight, "weight", 1)
    if weight._array.ndim != 2:
        swapped = ". The ids come first: embedding(input, weight)" if input._array.dtype.kind == "f" else ""
        raise RuntimeError(f"'weight' must be 2-D, one row per id: expected shape (V, D), got {weight.shape}{swapped}")
    _check_ids_dtype("embedding", input)
    position = None if padding_idx is None else padding_position(padding_idx, weight._array.shape[0])
    if max_norm is not None:
        check_ids(input._array, weight._array.shape[0])
        _shorten(weight, input._array, max_norm, norm_type)
    return _lookup(position, scale_grad_by_freq, sparse)(weight, input)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: SupportsIndex | None = None,
) -> Tensor:
    """For each bag of ids the "mean", the "sum" or the largest ("max") of their rows of `weight`.

    `input` is `(B, N)`, B bags of N ids each, or `(N,)`, in which `offsets`, `(B,)`, says where each bag begins (with
    `include_last_offset` it is `(B + 1,)` and says where the last one ends); `weight` is `(V, D)`, the result is
    `(B, D)`, with zeros for empty bags.  `per_sample_weights`, of the input's shape, are factors of the rows in a sum.
    Ids equal to `padding_idx` do not count.  The other arguments are those of `embedding`.

    >>> import minigrad as torch
    >>> weight = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> embedding_bag(torch.tensor([0, 2, 1]), weight, torch.tensor([0, 2]))
    tensor([[2., 3.],
            [2., 3.]])
    """
    if weight.dtype._name == "int64" and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    _check_bags(input, weight, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights)
    ids = input._array.reshape(-1)
    _check_bag_ids(ids, len(weight))
    starts, end = _bag_starts(input, offsets, include_last_offset)
    padding = None if padding_idx is None else _padding_row(padding_idx, len(weight))
    if max_norm is not None:
        _shorten(weight, ids, max_norm, norm_type)
    used = np.flatnonzero(ids[:end] != padding) if padding is not None else np.arange(end)
    # For each id that counts the number of its bag, and for each bag how many of these it has.
    bags = np.repeat(np.arange(len(starts)), np.diff(starts, append=end))[used]
    counts = np.bincount(bags, minlength=len(starts))
    rows = widened(_lookup(None, scale_grad_by_freq, sparse)(weight, new_leaf(ids[used])))
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)[new_leaf(used)]
    factors = factors if factors is None else factors.to(rows.dtype)
    return rounded(_bagged(rows, bags, counts, mode, factors), weight.dtype)


def _lookup(padding_idx: int | None, scale_grad_by_freq: bool, sparse: bool) -> Lookup:
    """The lookup whose gradient is as these options say."""
    if sparse:
        return SparseLookup(padding_idx, scale_grad_by_freq)
    return (ScaledLookup if scale_grad_by_freq else Lookup)(padding_idx)


def _bagged(rows: Tensor, bags: Array, counts: Array, mode: str, factors: Tensor | None) -> Tensor:
    """The sum, mean or largest of the rows of each bag, which follow one another; `counts` tells how many it has."""
    # If all bags are of one size, a sum is one matrix product.
    size = int(counts[0]) if counts.size and (counts == counts[0]).all() else None
    if mode == "max":
        filled = np.flatnonzero(counts)
        if filled.size:
            rows = PickFromBags(0)(rows, new_leaf(largest_in_bags(rows._array, bags, size)))
        return rows if filled.size == len(counts) else SumBags(len(counts))(rows, new_leaf(filled))
    divisors = np.maximum(counts, 1)[:, None] if mode == "mean" else None
    rows = rows if factors is None else rows * factors.unsqueeze(1)
    return SumBags(len(counts), size, divisors)(rows, new_leaf(bags))


def one_hot(input: Tensor, num_classes: SupportsIndex = -1) -> Tensor:
    """For each id a vector of `num_classes` integers: 1 at the id, 0 elsewhere.

    `input` is `(*)`, of int64; the result is `(*, num_classes)`, of int64: `.float()` makes it an input for
    `linear`.  With -1, there are as many classes as the largest id says.  Errors: RuntimeError for ids that are
    negative, not below `num_classes`, or not int64.

    >>> import minigrad as torch
    >>> one_hot(torch.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    checked_tensor("one_hot", input, "input", 1)
    if not isinstance(num_classes, SupportsIndex):
        raise TypeError(f"one_hot(): argument 'num_classes' (position 2) must be int, not {type(num_classes).__name__}")
    ids, classes = input._array, index(num_classes)
    if ids.dtype != np.int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, got {_type_name(input)}. "
            f"{_ids_remedy(input)}"
        )
    if ids.size == 0:
        if classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor. Pass num_classes.")
        return new_leaf(np.zeros((*ids.shape, classes), np.int64))
    low, high = ids.item(ids.argmin()), ids.item(ids.argmax())
    if low < 0:
        raise RuntimeError(f"Class values must be non-negative. The smallest is {low}.")
    if classes != -1 and high >= classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes. The largest is {high}, and num_classes is {classes}: "
            f"count the whole vocabulary (num_classes={high + 1} or more), or look for the wrong id."
        )
    classes = high + 1 if classes == -1 else classes
    vectors = np.zeros((*ids.shape, classes), np.int64)
    vectors.reshape(-1)[np.arange(0, vectors.size, classes) + ids.reshape(-1)] = 1
    return new_leaf(vectors)


# ---- arguments -------------------------------------------------------------------------------------------------------


def _type_name(x: Tensor) -> str:
    """The name PyTorch gives a tensor of this dtype in the errors of embedding."""
    return "CPUBoolType" if x._array.dtype == bool else f"torch.{x.dtype._tensor_name}Tensor"


def _ids_remedy(ids: Tensor) -> str:
    return f"{'Convert them' if ids._array.dtype.kind in 'iu' else 'Ids are whole numbers'}: input.long()"


def _check_ids_dtype(function: str, ids: Tensor) -> None:
    if ids._array.dtype not in _IDS:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{_type_name(ids)} instead (while checking arguments for {function}). {_ids_remedy(ids)}"
        )


def padding_position(padding_idx: SupportsIndex, num_embeddings: int) -> int:
    """`padding_idx` counted from the front; an AssertionError outside [-num_embeddings, num_embeddings)."""
    position = index(padding_idx)
    assert -num_embeddings <= position < num_embeddings, (
        f"Padding_idx must be within num_embeddings: {position} is not in [{-num_embeddings}, {num_embeddings})"
    )
    return position % num_embeddings


def _shorten(weight: Tensor, ids: Array, max_norm: float, norm_type: float) -> None:
    """Scale the rows of `ids` whose norm is larger than `max_norm` down to it, in place."""
    rows = np.unique(ids)
    with no_grad():
        table = weight.detach()
        chosen = table[new_leaf(rows)]
        norms = chosen.norm(norm_type, 1)._array if chosen.numel() else chosen._array.sum(axis=1)
        longer = np.flatnonzero(norms > max_norm)
        # As much less than max_norm as PyTorch has it, whose divisor is never 0.
        factors = quiet().run(np.divide, max_norm, norms[longer] + 1e-7)[:, None].astype(norms.dtype)
        table[new_leaf(rows[longer])] = chosen[new_leaf(longer)] * new_leaf(factors)


def _check_bags(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    scale_grad_by_freq: bool,
    mode: str,
    sparse: bool,
    per_sample_weights: Tensor | None,
) -> None:
    """Nothing if ids, table and weights of bags fit; else PyTorch's error."""
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type {type(offsets)}"
        )
    if input.ndim == 1 and (offsets is None or offsets.ndim != 1):
        raise ValueError(f"offsets has to be a 1D Tensor{' but got None' if offsets is None else ''}: where bags begin")
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"mode has to be one of sum, mean or max, but got {mode!r}")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights: only the gradients of sums and means are sparse")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}')."
        )
    _check_ids_dtype("embedding_bag", input)
    if offsets is not None:
        _check_ids_dtype("embedding_bag", offsets)
    if not weight.is_floating_point():
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {_type_name(weight)} instead (while checking arguments for embedding_bag)"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {_type_name(weight)} does not equal {_type_name(per_sample_weights)} "
            "(while checking arguments for embedding_bag)"
        )


def _bag_starts(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> tuple[Array, int]:
    """Where each bag begins in the ids in order, and where the last one ends."""
    length = input.numel()
    if offsets is None:
        bags, size = input.shape
        if not size:
            raise RuntimeError(f"step must be nonzero: the bags of an input of shape {input.shape} are of no size")
        return np.arange(0, bags * size, size), length
    starts = offsets._array.astype(np.int64)
    if include_last_offset and not starts.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if starts.size and starts[0]:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}"
        )
    if starts.size and starts[-1] > length:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {starts[-1]}"
        )
    if (np.diff(starts) < 0).any():
        raise RuntimeError(f"offsets must not decrease, since bags lie one after another: got {starts.tolist()}")
    if include_last_offset:
        return starts[:-1], int(starts[-1])
    return starts, length if starts.size else 0


def _padding_row(padding_idx: SupportsIndex, num_embeddings: int) -> int:
    position = index(padding_idx)
    if not -num_embeddings <= position < num_embeddings:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-num_embeddings} through {num_embeddings - 1}, but "
            f"got {position}"
        )
    return position % num_embeddings


def _check_bag_ids(ids: Array, num_embeddings: int) -> None:
    wrong = np.flatnonzero((ids < 0) | (ids >= num_embeddings))
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {ids[wrong[0]]} which is not in the valid range "
            f"[0, {num_embeddings})"
        )
