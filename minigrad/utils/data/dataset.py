"""Collections of examples: by index, as a stream, and made of others."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from minigrad.random import Source, default_generator
from minigrad.tensor import Tensor
from minigrad.tensors.random_tensors import randperm

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Examples by index: a subclass defines `__getitem__`, and mostly `__len__`.

    It may define `__getitems__(indices)` as well, which gives the list of the examples of a whole batch at once.

    >>> import minigrad as torch
    >>> class Squares(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 3
    ...
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> (Squares() + Squares())[4]
    1
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Examples as a stream: a subclass defines `__iter__`."""


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Example i is the tuple of the i-th elements of tensors, whose first dimensions are of one size.

    >>> import minigrad as torch
    >>> torch.utils.data.TensorDataset(torch.tensor([[1, 2], [3, 4]]), torch.tensor([10, 20]))[1]
    (tensor([3, 4]), tensor(20))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        try:
            sizes = [tensor.size(0) for tensor in tensors]
        except (AttributeError, IndexError, TypeError) as error:
            # Whatever has no first dimension to ask for: PyTorch asks as well, and leaves it at that.
            remedy = "a TensorDataset takes tensors with a dimension for the examples, torch.tensor(data)"
            raise type(error)(f"{error}: {remedy}") from None
        if len({*sizes}) > 1:
            raise AssertionError(f"Size mismatch between tensors: their first dimensions are of sizes {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        size: int = self.tensors[0].size(0)
        return size


class ConcatDataset(Dataset[T_co]):
    """The examples of several datasets, one after the other; `cumulative_sizes` counts them up to the end of each."""

    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = [*itertools.accumulate([len(each) for each in self.datasets])]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < -len(self):
            raise ValueError(f"absolute value of index should not exceed dataset length {len(self)}: got {idx}")
        idx += len(self) if idx < 0 else 0
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[which - 1] if which else 0
        example: T_co = self.datasets[which][idx - before]
        return example


class Subset(Dataset[T_co]):
    """The examples of `dataset` at `indices`, in this order.

    A subclass that defines `__getitem__` has to define `__getitems__` too (NotImplementedError): batches ask for that.
    """

    dataset: Dataset[T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and not hasattr(kind, "__getitems__"):
            problem = f"{kind.__name__} overrides __getitem__ but not __getitems__"
            raise NotImplementedError(f"{problem}, which a DataLoader calls: return [self[i] for i in indices]")

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[each] for each in idx]]
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T], lengths: Sequence[int | float], generator: Source = default_generator
) -> list[Subset[T]]:
    """Subsets of these lengths, drawn at random, which together are the whole dataset.

    `lengths` may be fractions that add up to 1: each length is rounded down, and what is left over is dealt out one
    by one from the first on.  Errors: ValueError if the lengths do not add up to the dataset's, TypeError if they
    do, but are no ints.

    >>> import minigrad as torch
    >>> first, second = torch.utils.data.random_split(range(5), [0.5, 0.5], torch.Generator().manual_seed(42))
    >>> list(first), list(second)
    ([2, 4, 3], [0, 1])
    """
    size = len(dataset)  # type: ignore[arg-type]  # a dataset that can be split has a length
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _shares(size, lengths)
    if sum(lengths) != size:
        problem = "Sum of input lengths does not equal the length of the input dataset!"
        raise ValueError(f"{problem} The lengths add up to {sum(lengths)}, the dataset has {size}")
    for length in lengths:
        if isinstance(length, float):
            problem = "randperm() received an invalid combination of arguments - got (float, generator=torch.Generator)"
            raise TypeError(f"{problem}: lengths are ints, not {length}, or fractions that add up to 1")
    order = randperm(size, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def _shares(size: int, fractions: Sequence[float]) -> list[int]:
    """How many of `size` examples each of these fractions gets."""
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1: {fraction}")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for position in range(size - sum(lengths)):
        lengths[position % len(lengths)] += 1
    return lengths
