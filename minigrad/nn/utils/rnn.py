"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import tensors
from minigrad.core.dtypes import Array
from minigrad.core.ops import cast, common_shape, sum_to
from minigrad.core.tape import Node
from minigrad.core.tensor import check_keeps_shape
from minigrad.ops.indexing import Index, Slice
from minigrad.tensor import Tensor
from minigrad.tensors.creation import as_tensor, tensor
from minigrad.tensors.errors import advised

__all__ = ["PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence"]

globals().update(advised(__name__, __all__))


class PackedSequence(NamedTuple):
    """Sequences of different lengths without padding, as recurrent layers take them.

    `data`
        the first elements of all sequences, the longest one first, then the second ones, and so on.
    `batch_sizes`
        how many sequences have a first element, a second one, and so on.
    `sorted_indices`, `unsorted_indices`
        which sequence each one is, the longest first, and the inverse; None if they were in that order.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same sequences with the data converted, as by `Tensor.to`."""
        return self._replace(data=self.data.to(*args, **kwargs))


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The sequences of a padded tensor `(L, N, *)`, or `(N, L, *)` with `batch_first`, without the padding.

    They may be in any order unless `enforce_sorted`.  Errors: RuntimeError unless `lengths` are 1 … L, one for each.

    >>> import minigrad as torch
    >>> torch.nn.utils.rnn.pack_padded_sequence(torch.tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], batch_first=True)
    PackedSequence(data=tensor([1, 4, 2, 3]), batch_sizes=tensor([2, 1, 1]), sorted_indices=None, unsorted_indices=None)
    """
    if not isinstance(input, Tensor):
        tensors.failures.refuse("pack_padded_sequence", "input", 1, Tensor, input)
    batch, counts, indices, order = 0 if batch_first else 1, as_tensor(lengths).long(), None, None
    if counts.shape != input.shape[batch : batch + 1]:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {counts} for {input.shape}")
    if not enforce_sorted:
        counts, indices = counts.sort(descending=True)
        input, order = input.index_select(batch, indices), indices.argsort()
    if batch_first:
        input = input.transpose(0, 1)
    sizes = counts.tolist()
    if sizes != sorted(sizes, reverse=True):
        raise RuntimeError("`lengths` array must be sorted in decreasing order, or pass `enforce_sorted=False`")
    if not sizes or sizes[-1] <= 0 or sizes[0] > len(input):
        raise RuntimeError(f"Length of all samples has to be greater than 0, at most {len(input)}, but lengths={sizes}")
    batch_sizes = [sum([length > step for length in sizes]) for step in range(sizes[0])]
    step, which = _places(batch_sizes)
    data = Index((0, 1), "PackPaddedSequenceBackward0", True).of(input, step * len(sizes) + which)
    return PackedSequence(data, tensor(batch_sizes), indices, order)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The sequences side by side as in `pad_sequence`, filled up to `total_length` if that is given; and their lengths.

    >>> import minigrad as torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 0, 0]]), tensor([3, 1]))
    """
    batch_sizes = sequence.batch_sizes.tolist()
    longest = len(batch_sizes)
    if total_length is not None and total_length < longest:
        wanted = "Expected total_length to be at least the length of the longest sequence in input"
        raise ValueError(f"{wanted}, but got {total_length=} and max sequence length being {longest}")
    shape = (longest if total_length is None else total_length, batch_sizes[0], *sequence.data.shape[1:])
    padded = sequence.data.new_full(shape, padding_value)
    padded[_places(batch_sizes)] = sequence.data
    lengths = tensor([sum([size > which for size in batch_sizes]) for which in range(batch_sizes[0])])
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), lengths[order]


def _places(batch_sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The step and the sequence of each row of the data of a packed sequence."""
    steps = [step for step, size in enumerate(batch_sizes) for _ in range(size)]
    return tensor(steps), tensor([which for size in batch_sizes for which in range(size)])


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """The sequences `(L_i, *)`, in any order unless `enforce_sorted`, as a `PackedSequence`."""
    lengths = [len(each) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def pad_sequence(
    sequences: Iterable[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences `(L_i, *)` side by side, filled up with `padding_value` to the longest: `(L, N, *)`.

    With `batch_first` it is `(N, L, *)`; with `padding_side="left"`, they end at the same place.

    >>> import minigrad as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got {type(sequences)}")
    given = list(sequences)
    if not all([isinstance(each, Tensor) for each in given]):
        tensors.failures.refuse("pad_sequence", "sequences", 1, Sequence[Tensor], given)
    if not given:
        raise RuntimeError("received an empty list of sequences")
    longest = max([len(each) for each in given])
    rest = given[0]._array.shape[1:]
    shape = (len(given), longest, *rest) if batch_first else (longest, len(given), *rest)
    places = []
    for position, each in enumerate(given):
        own = (len(each), *rest)
        check_keeps_shape(own, common_shape([own, each._array.shape]))
        start = 0 if padding_side == "right" else longest - len(each)
        rows = slice(start, start + len(each))
        places.append((position, rows) if batch_first else (rows, position))
    filler = given[0].new_full((), padding_value)
    return SideBySide(shape, places).of(filler, *[cast(each, filler.dtype) for each in given])


class SideBySide(Node):
    """The other inputs, one at each of `places`, and the first input, a number, everywhere else."""

    form = "torch::autograd::CopySlices"
    formulas = ("The gradients are Slice(g), each the part where a tensor lies",)
    shape: tuple[int, ...]
    places: Sequence[tuple[Any, ...]]

    def forward(self, filler: Array, *arrays: Array) -> Array:
        self.shapes = [array.shape for array in arrays]
        y = np.full(self.shape, filler)
        for place, array in zip(self.places, arrays, strict=True):
            y[place] = array
        return y

    def backward(self, g: Tensor) -> Sequence[Any]:
        parts = zip(self.edges[1:], self.places, self.shapes, strict=True)
        return None, *[None if edge is None else sum_to(Slice(at).of_gradient(g), shape) for edge, at, shape in parts]
