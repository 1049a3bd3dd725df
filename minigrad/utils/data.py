"""From a collection of examples to batches of tensors, in PyTorch's order for the same seed.

Datasets have examples, by index or as a stream; samplers are orders of indices, and of batches of indices;
`default_collate` makes tensors of the examples of a batch; and `DataLoader` makes the batches.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, Generic, TypeVar

import numpy as np

from minigrad.core import dtypes
from minigrad.ops.shapes import stack
from minigrad.random import Generator, Source, default_generator
from minigrad.tensor import Tensor
from minigrad.tensors.creation import as_tensor, empty, new_leaf, randint, randperm
from minigrad.tensors.errors import add_module, advised
from minigrad.tensors.machine import no_process_group

__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "default_collate",
    "get_worker_info", "random_split",
]  # fmt: skip
globals().update(advised(__name__, __all__))

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# ---- datasets: collections of examples, and of datasets --------------------------------------------------------------


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

    def __init__(self, *tensors: Tensor) -> None:
        try:
            sizes = [tensor.size(0) for tensor in tensors]
        except (AttributeError, IndexError, TypeError) as error:
            # PyTorch raises the same error, without a remedy.
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


# ---- samplers: in which order a loader goes through a dataset --------------------------------------------------------

# With replacement, so many indices are drawn at once, as in PyTorch: else other numbers would follow.
_DRAWN_AT_ONCE = 32


class Sampler(Generic[T_co]):
    """An order: a subclass defines `__iter__`, which yields indices or lists of them, and may define `__len__`."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("a subclass of Sampler defines __iter__")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, … to the end of the dataset."""

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
        # An order is drawn for the rest even if that is empty, as in PyTorch: else other numbers would follow.
        yield from randperm(size, generator=generator).tolist()[: wanted % size]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in a random order, another each time: as of the examples to train on.

    >>> import minigrad as torch
    >>> list(torch.utils.data.SubsetRandomSampler([7, 3, 9], generator=torch.Generator().manual_seed(123)))
    [3, 9, 7]
    """

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


# ---- loaders: batches ------------------------------------------------------------------------------------------------


def default_collate(batch: Sequence[Any]) -> Any:
    """The examples of a batch as one: tensors stacked along a new first dimension, within whatever holds them.

    Arrays and numbers become tensors (Python's floats of dtype float64), strings stay a list.  Of dicts, lists and
    named tuples one is made that holds the collated parts, of tuples a list.  Errors: TypeError for other examples,
    RuntimeError for sequences or tensors of different sizes.

    >>> import minigrad as torch
    >>> torch.utils.data.default_collate([(1.5, {"label": 3}), (2.5, {"label": 4})])
    [tensor([1.5000, 2.5000], dtype=torch.float64), {'label': tensor([3, 4])}]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(batch)
    if isinstance(first, np.ndarray) and first.dtype.kind not in "OSU":
        return _stacked([as_tensor(each) for each in batch])
    if isinstance(first, (np.bool_, np.number, float, int)):
        return as_tensor(batch, dtypes.float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        parts: Any = {key: default_collate([each[key] for each in batch]) for key in first}
    elif isinstance(first, Sequence):
        if len(sizes := {len(each) for each in batch}) > 1:
            problem = f"each element in list of batch should be of equal size: these have sizes {sorted(sizes)}"
            raise RuntimeError(f"{problem}; give the DataLoader a collate_fn that pads them")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
    else:
        odd, known = getattr(first, "dtype", type(first)), "tensors, numpy arrays, numbers, dicts or lists"
        raise TypeError(f"default_collate: batch must contain {known}; found {odd}")
    if isinstance(first, tuple):
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    try:
        return type(first)(parts)
    except TypeError:
        # This type cannot be made of a list or dict.
        return parts


def _stacked(batch: Sequence[Any]) -> Tensor:
    try:
        return stack(batch)
    except RuntimeError as error:
        remedy = "give the DataLoader a collate_fn that pads them, as nn.utils.rnn.pad_sequence does"
        raise RuntimeError(f"{error}: {remedy}") from None


#: The attributes that must not be set later.
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[T_co]):
    """An iterable over the batches of `dataset`; each pass begins anew.

    `batch_size`, `drop_last`
        the examples of a batch, and whether to leave out a smaller one at the end.
    `shuffle`
        whether each pass has a new random order.
    `sampler`, `batch_sampler`
        the order as an iterable of indices, or of lists of indices.
    `collate_fn`
        what makes a batch of a list of examples, `default_collate` if None.
    `generator`
        what shuffles; if None, each pass draws a seed from the default generator.

    The arguments about processes and pinned memory change nothing: examples are always made in this process, on the
    default generator.

    Errors: ValueError for options that exclude each other.

    >>> import minigrad as torch
    >>> from minigrad.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(torch.arange(5), torch.arange(5) ** 2)
    >>> loader = DataLoader(data, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(123))
    >>> for x, y in loader:
    ...     print(x, y)
    tensor([2, 3]) tensor([4, 9])
    tensor([1, 0]) tensor([1, 0])
    tensor([4]) tensor([16])
    """

    sampler: Any
    batch_sampler: Any

    _initialized = False

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        generator: Source = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:
        if num_workers < 0 or timeout < 0:
            raise ValueError(f"num_workers and timeout should be non-negative, not {num_workers} and {timeout}")
        if num_workers == 0 and (persistent_workers or prefetch_factor is not None):
            raise ValueError("persistent_workers option needs num_workers > 0, and so does prefetch_factor")
        self._is_stream = isinstance(dataset, IterableDataset)
        orders = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        for name, given in orders.items() if self._is_stream else ():
            if given is not None:
                problem = f"expected unspecified {name} option, but got {name}={given}"
                raise ValueError(f"DataLoader with IterableDataset: {problem}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle: a sampler is an order")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                others = "batch_size, shuffle, sampler, and drop_last"
                raise ValueError(f"batch_sampler option is mutually exclusive with {others}")
            batch_size = None
        elif batch_size is None:
            raise NotImplementedError("batch_size=None is not here: for example in dataset gives them one by one")
        examples: Any = dataset
        if self._is_stream:
            sampler = examples  # A stream has no indices: its examples themselves are put into batches.
        elif sampler is None:
            sampler = RandomSampler(examples, generator=generator) if shuffle else SequentialSampler(examples)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.generator = dataset, generator
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.collate_fn = collate_fn or default_collate
        self.num_workers, self.persistent_workers, self.pin_memory = num_workers, persistent_workers, pin_memory
        self._has_seed = False
        self._initialized = True

    def __setattr__(self, name: str, value: object) -> None:
        if self._initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized: make another one")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        # PyTorch draws a seed for its workers, once if they persist; without it, other numbers would follow.
        if not (self.persistent_workers and self._has_seed):
            drawn_seed(self.generator)
            self._has_seed = True
        return map(self.collate_fn if self._is_stream else self._fetched, self.batch_sampler)

    def _fetched(self, index: Any) -> Any:
        """The batch of the examples at these indices."""
        dataset: Any = self.dataset
        while type(dataset) is Subset:
            dataset, index = dataset.dataset, [dataset.indices[each] for each in index]
        if self.collate_fn is default_collate and _are_plain(dataset, index):
            # The same batch, in one step per tensor.
            return [new_leaf(tensor._array.take(index, 0)) for tensor in dataset.tensors]
        together = getattr(dataset, "__getitems__", None)
        return self.collate_fn(together(index) if together else [dataset[each] for each in index])

    def __len__(self) -> int:
        return len(self.batch_sampler)


def _are_plain(dataset: Any, indices: Any) -> bool:
    """Whether the examples at these indices are elements of plain tensors, at ints."""
    if type(dataset) is not TensorDataset or type(indices) is not list or not indices:
        return False
    odd = any([type(tensor) is not Tensor or tensor.requires_grad for tensor in dataset.tensors])
    return not odd and all([type(each) is int for each in indices])


def get_worker_info() -> None:
    """None: what PyTorch returns in the main process, which makes all batches here."""


# ---- where PyTorch has them ------------------------------------------------------------------------------------------


class DistributedSampler(Sampler[int]):
    """The share of a dataset that one of several processes draws: a ValueError, since there is no group of them."""

    __init__ = no_process_group


#: PyTorch's files, from which programs import them as well.
_FILES = {
    "dataset": (ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split),
    "sampler": (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler),
    "distributed": (DistributedSampler,),
    "dataloader": (DataLoader, default_collate, get_worker_info),
}
for _name, _members in _FILES.items():
    add_module(f"{__name__}.{_name}", *_members)
