"""Looking up rows of a table: embeddings, bags of them, and one-hot vectors.

A sum over bags adds row n into the row of its bag, so it is the `ScatterAdd` of `minigrad.core.embedding`, with the
numbers of the bags as ids: `embedding_bag = scatter_add(bags, lookup(ids))`, and the gradients of both are known.
"""

from __future__ import annotations

import numpy as np

from minigrad import tensors
from minigrad.core.dtypes import FLOATS, HALVES, Array, float32
from minigrad.core.embedding import Lookup, ScatterAdd, all_below, check_ids
from minigrad.core.modes import no_grad
from minigrad.core.ops import Cast, Div, Reshape, cast
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number, op
from minigrad.ops.arguments import as_int, as_int64
from minigrad.ops.fused import named, rounded
from minigrad.ops.indexing import INDEX_DTYPES, Index, places_along


class ScaledLookup(Lookup):
    """`Y = W[ids]`, with a gradient in which each id counts once: rows of dW are means, not sums."""

    formulas = ("dW = ScatterAdd(G / count), with the number of times that each id occurs; row `padding_idx` is 0",)

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        counts = np.bincount(ids._array.reshape(-1), minlength=1)[ids._array]
        # In at least float32: in float16, to add up first may overflow, and to divide first may underflow.
        g = g.float() if g._array.dtype in HALVES else g
        return super().da(g / g._new(counts[..., None].astype(g._array.dtype)), ids)


class SparseLookup(Lookup):
    """`Y = W[ids]`, with a sparse gradient: the rows of G and their ids, and no table."""

    formulas = ("dW = (ids, G), entries that add up; those of `padding_idx` are left out",)

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        # A copy, in int64: the user's ids may change.
        named = ids._array.reshape(-1).astype(np.int64)
        size = g._array.shape[-1]
        rows = Reshape((len(named), size), "SparseCooTensorWithDimsAndTensorsBackward0").of(g)
        if self.padding_idx is not None:
            used = np.flatnonzero(named != self.padding_idx)
            named, rows = named[used], Lookup().of(rows, g._new(used))
        return tensors.sparse.sparse_of(named[None], cast(rows, self.dtype), (self.num_embeddings, size))


def looked_up(weight: Tensor, ids: Tensor, padding_idx: int | None, scaled: bool, sparse: bool) -> Tensor:
    """The rows of `weight` for the ids, with a plain, scaled or sparse gradient."""
    if sparse and scaled:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients: leave out one")
    kind = SparseLookup if sparse else ScaledLookup if scaled else Lookup
    return kind(padding_idx).of(weight, ids)


@op("nn.functional")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
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
    >>> from minigrad.nn import functional as F
    >>> weight = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> F.embedding(torch.tensor([2, 0, 2]), weight)
    tensor([[2.0000, 2.5000],
            [0.0000, 0.5000],
            [2.0000, 2.5000]])
    """
    if not isinstance(input, Tensor):
        tensors.failures.refuse("embedding", "indices", 2, Tensor, input)
    if not isinstance(weight, Tensor):
        tensors.failures.refuse("embedding", "weight", 1, Tensor, weight)
    if weight._array.ndim != 2:
        swapped = ". The ids come first: embedding(input, weight)" if input._array.dtype in FLOATS else ""
        raise RuntimeError(f"'weight' must be 2-D, one row per id: expected shape (V, D), got {weight.shape}{swapped}")
    _check_ids_dtype("embedding", input)
    if padding_idx is not None:
        padding_idx = padding_position(as_int(padding_idx), len(weight._array))
    if max_norm is not None:
        check_ids(input._array, len(weight._array))
        _shorten(weight, input._array, max_norm, norm_type)
    return looked_up(weight, input, padding_idx, scale_grad_by_freq, sparse)


def padding_position(padding_idx: int, num_embeddings: int) -> int:
    """`padding_idx` counted from the front; an AssertionError outside [-num_embeddings, num_embeddings)."""
    if not hasattr(padding_idx, "__index__"):
        error = IndexError if isinstance(padding_idx, float) else TypeError
        raise error(f"padding_idx must be an int, not {type(padding_idx).__name__}: {padding_idx!r}")
    assert -num_embeddings <= padding_idx < num_embeddings, (
        f"Padding_idx must be within num_embeddings: {padding_idx} is not in [{-num_embeddings}, {num_embeddings})"
    )
    return padding_idx % num_embeddings


def _shorten(weight: Tensor, ids: Array, max_norm: float, norm_type: float) -> None:
    """Scale the rows of `ids` whose norm is larger than `max_norm` down to it, in place."""
    rows, longest = np.unique(ids), as_number(max_norm)
    with no_grad():
        table = weight.detach()
        chosen = table[weight._new(rows)]
        norms = chosen.norm(norm_type, 1)._array if chosen.numel() else chosen._array.sum(axis=1)
        longer = np.flatnonzero(norms > longest)
        # As in PyTorch, the divisor is a little larger, and so never 0.
        factors = quiet().run(np.divide, longest, norms[longer] + 1e-7)[:, None].astype(norms.dtype)
        table[weight._new(rows[longer])] = chosen[weight._new(longer)] * weight._new(factors)


def _check_ids_dtype(function: str, ids: Tensor) -> None:
    if ids._array.dtype not in INDEX_DTYPES:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{_type_name(ids)} instead (while checking arguments for {function}). Ids are int64 numbers: input.long()"
        )


def _type_name(x: Tensor) -> str:
    """The name PyTorch gives a tensor of this dtype in the errors of embedding."""
    return "CPUBoolType" if x._array.dtype == bool else f"torch.{x.dtype._tensor_name}Tensor"


@op("nn.functional")
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """For each id a vector of `num_classes` integers: 1 at the id, 0 elsewhere.

    `input` is `(*)`, of int64; the result is `(*, num_classes)`, of int64: `.float()` makes it an input for
    `linear`.  With -1, `num_classes` is the largest id plus 1.  Errors: RuntimeError for ids that are
    negative, not below `num_classes`, or not int64.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.one_hot(torch.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    ids = input._array
    if ids.dtype != np.int64:
        problem = "one_hot is only applicable to index tensor of type LongTensor"
        raise RuntimeError(f"{problem}, got {_type_name(input)}. Ids are int64 numbers: input.long()")
    if ids.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor. Pass num_classes.")
    low, high = (ids.item(ids.argmin()), ids.item(ids.argmax())) if ids.size else (0, -1)
    if low < 0:
        raise RuntimeError(f"Class values must be non-negative. The smallest is {low}.")
    if num_classes != -1 and high >= num_classes:
        found = f"The largest is {high}, and num_classes is {num_classes}: count the whole vocabulary"
        raise RuntimeError(f"Class values must be smaller than num_classes. {found}, or look for the wrong id.")
    classes = high + 1 if num_classes == -1 else num_classes
    vectors = np.zeros((*ids.shape, classes), np.int64)
    vectors.reshape(-1)[np.arange(0, vectors.size, classes) + ids.reshape(-1)] = 1
    return input._new(vectors)


# ---- bags ------------------------------------------------------------------------------------------------------------


class SumBags(ScatterAdd):
    """`T[b]` is the sum of all rows `R[n]` in bag b, for rows in the order of their bags.

    `R` is `(N, D)`, the numbers of the bags are `(N,)`, and `T` is `(B, D)`.  If `size` is given, all bags have so many
    rows.
    """

    form = "EmbeddingBagBackward0"
    formulas = ("dR = Lookup(G)",)
    size: int | None = None

    def forward(self, rows: Array, bags: Array) -> Array:
        if self.size is None:
            return super().forward(rows, bags)
        together = rows.reshape(self.num_embeddings, self.size, rows.shape[1])
        return (np.ones((1, self.size), rows.dtype) @ together)[:, 0]


class Widened(Cast):
    """`x` in float32."""

    formulas = ("dx = g, in float32 still: a Lookup rounds the sums of such rows, and not each row",)

    def dx(self, g: Tensor) -> Tensor:
        return g


@op("nn.functional")
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
    padding_idx: int | None = None,
) -> Tensor:
    """For each bag of ids the "mean", the "sum" or the largest ("max") of their rows of `weight`.

    `input` is `(B, N)`, B bags of N ids each, or `(N,)`, in which `offsets`, `(B,)`, says where each bag begins (with
    `include_last_offset` it is `(B + 1,)` and says where the last one ends); `weight` is `(V, D)`, the result is
    `(B, D)`, with zeros for empty bags.  `per_sample_weights`, of the input's shape, are factors of the rows in a sum.
    Ids equal to `padding_idx` do not count.  The other arguments are those of `embedding`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> weight = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> F.embedding_bag(torch.tensor([0, 2, 1]), weight, torch.tensor([0, 2]))
    tensor([[2., 3.],
            [2., 3.]])
    """
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if mode not in ("sum", "mean", "max") or (mode == "max" and (scale_grad_by_freq or sparse)):
        expected = "one of sum, mean or max, which does not support scale_grad_by_freq or sparse"
        raise ValueError(f"mode has to be {expected}, but got {mode!r}")
    _check_ids_dtype("embedding_bag", input)
    if not weight.is_floating_point():
        raise RuntimeError(f"Expected tensor for argument #1 'weight' to be of floats, not {weight.dtype}")
    if per_sample_weights is not None:
        _check_factors(input, weight, mode, per_sample_weights)
    ids, vocabulary = input._array.reshape(-1), len(weight)
    if not all_below(ids, vocabulary):
        wrong = int(np.argmax((ids < 0) | (ids >= vocabulary)))
        found = f"Index {wrong} of input takes value {ids[wrong]}"
        raise RuntimeError(f"{found} which is not in the valid range [0, {vocabulary})")
    starts, end = _bag_starts(input, offsets, include_last_offset)
    if padding_idx is not None and not -vocabulary <= as_int64(padding_idx) < vocabulary:
        raise RuntimeError(f"padding_idx must be within the number of embeddings, {vocabulary}, but got {padding_idx}")
    if max_norm is not None:
        _shorten(weight, ids, max_norm, norm_type)
    used = np.arange(end) if padding_idx is None else np.flatnonzero(ids[:end] != int(padding_idx) % vocabulary)
    # The bag of each id that counts, and the number of these ids in each bag.
    bags = starts[1:].searchsorted(used, "right")
    counts = np.bincount(bags, minlength=len(starts))
    rows = looked_up(weight, weight._new(ids.take(used)), None, scale_grad_by_freq, sparse)
    if rows._array.dtype in HALVES:
        rows = Widened(float32).of(rows)
    if per_sample_weights is not None:
        rows = rows * cast(per_sample_weights.reshape(-1)[weight._new(used)], rows.dtype).unsqueeze(1)
    return rounded(_bagged(rows, bags, counts, mode), weight.dtype)


def _check_factors(input: Tensor, weight: Tensor, mode: str, factors: Tensor) -> None:
    """Raise PyTorch's error unless the factors fit the ids and the table."""
    if input.shape != factors.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({factors.shape}) has one per id, of {input.shape}")
    if mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None: mode='sum' has them, not {mode!r}")
    if factors.dtype is not weight.dtype:
        raise RuntimeError(f"Expected tensor for argument #1 'weight' to have the same type as: {factors.dtype!r}")


def _bag_starts(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> tuple[Array, int]:
    """Where each bag begins in the ids in order, and where the last one ends."""
    length = input.numel()
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None: its rows are the bags")
        bags, size = input.shape
        if not size:
            raise RuntimeError(f"step must be nonzero: the bags of an input of shape {input.shape} are of no size")
        return np.arange(0, bags * size, size), length
    if offsets is None or offsets.ndim != 1:
        raise ValueError(f"offsets has to be a 1D Tensor{' but got None' if offsets is None else ''}: where bags begin")
    _check_ids_dtype("embedding_bag", offsets)
    starts = offsets._array.astype(np.int64)
    if include_last_offset and not starts.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if starts.size and (starts[0] or starts[-1] > length or np.count_nonzero(starts[1:] < starts[:-1])):
        last = f"offsets[-1] can not be greater than input's length {length}"
        wrong = "offsets[0] has to be 0" if starts[0] else last
        raise RuntimeError(f"{wrong}, and none smaller than that before it: got {starts.tolist()}")
    return (starts[:-1], int(starts[-1])) if include_last_offset else (starts, length if starts.size else 0)


def _bagged(rows: Tensor, bags: Array, counts: Array, mode: str) -> Tensor:
    """The sum, mean or largest of the rows of each bag, which follow one another; `counts` tells how many it has."""
    # If all bags are of one size, a sum is one matrix product.
    size = int(counts[0]) if counts.size and not np.count_nonzero(counts != counts[0]) else None
    if mode != "max":
        sums = SumBags(len(counts), size).of(rows, rows._new(bags))
        if mode == "sum":
            return sums
        # The mean of an empty bag is 0.
        divisors = size or rows._new(np.maximum(counts, 1)[:, None].astype(rows._array.dtype))
        return named(Div(), SumBags.form).of(sums, divisors)
    filled = np.flatnonzero(counts)
    if filled.size:
        places = places_along(_largest_in_bags(rows._array, counts[filled]), 0, rows._array.shape)
        rows = Index((0, 1), "EmbeddingBagBackward0", once=True).of(rows, rows._new(places))
    return rows if filled.size == len(counts) else SumBags(len(counts)).of(rows, rows._new(filled))


def _largest_in_bags(rows: Array, counts: Array) -> Array:
    """The positions `(B, D)` of the first largest elements of B bags, none empty, that have so many rows each."""
    starts = np.cumsum(counts) - counts
    largest = np.repeat(np.maximum.reduceat(rows, starts), counts, axis=0)
    # A nan is larger than all others, and equal to none.
    positions = np.where((rows == largest) | np.isnan(rows), np.arange(len(rows))[:, None], len(rows))
    return np.asarray(np.minimum.reduceat(positions, starts))
