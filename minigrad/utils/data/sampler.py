"""In which order a loader goes through a dataset: iterables of indices, and of batches of indices."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic

from minigrad.core import dtypes
from minigrad.random import Generator, Source
from minigrad.tensors.creation import empty
from minigrad.tensors.random_tensors import randint, randperm
from minigrad.utils.data.dataset import T_co

# So many indices are drawn at once with replacement, as in PyTorch: the stream of numbers shows it.
_DRAWN_AT_ONCE = 32


class Sampler(Generic[T_co]):
    """An order: a subclass defines `__iter__`, which yields indices or lists of them, and may define `__len__`."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("a subclass of Sampler defines __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, … to the end of the dataset."""

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All indices of the dataset in a random order, another each time; or, with `replacement`, independent draws.

    There are `num_samples` of them, as many as the dataset has if None; without replacement, orders of the whole
    dataset follow each other if there are more.  Without a generator, each order has its own, whose seed is drawn from
    the default generator.  Errors: ValueError for no samples.

    >>> import minigrad as torch
    >>> list(torch.utils.data.RandomSampler(range(5), generator=torch.Generator().manual_seed(123)))
    [2, 0, 1, 3, 4]
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Source = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices one pass has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, wanted = len(self.data_source), self.num_samples
        generator = self.generator or Generator().manual_seed(drawn_seed(None))
        if self.replacement:
            for start in range(0, wanted, _DRAWN_AT_ONCE):
                count = min(_DRAWN_AT_ONCE, wanted - start)
                yield from randint(high=size, size=(count,), generator=generator).tolist()
            return
        for _ in range(wanted // size):
            yield from randperm(size, generator=generator).tolist()
        # An order is drawn for the rest even if there is none, as PyTorch does: the generator's state shows it.
        yield from randperm(size, generator=generator).tolist()[: wanted % size]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in a random order, another each time: as of the examples to train on.

    >>> import minigrad as torch
    >>> list(torch.utils.data.SubsetRandomSampler([7, 3, 9], generator=torch.Generator().manual_seed(123)))
    [3, 9, 7]
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Source = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in lists of `batch_size`; with `drop_last`, without a shorter one at the end.

    >>> import minigrad as torch
    >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := [*itertools.islice(indices, self.batch_size)]:
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        indices: Any = self.sampler
        return len(indices) // self.batch_size if self.drop_last else -(-len(indices) // self.batch_size)


def drawn_seed(generator: Source) -> int:
    """A seed for another generator, drawn from this one, or from the default generator."""
    seed: int = empty((), dtype=dtypes.int64).random_(generator=generator).item()
    return seed


def _check_positive(name: str, given: Any) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={given}")
