"""`DataLoader`: the batches of a dataset, in PyTorch's order for the same seed, made in this process."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from minigrad.random import Generator
from minigrad.utils.data.collate import default_collate, default_convert
from minigrad.utils.data.dataset import Dataset, IterableDataset, examples, taken
from minigrad.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    drawn_seed,
    number_of_batches,
)

T_co = TypeVar("T_co", covariant=True)


class DataLoader(Generic[T_co]):
    """An iterable over the batches of `dataset`; each pass begins anew.

    `batch_size`, `drop_last`
        the examples of a batch, and whether to leave out a smaller one at the end.  With `batch_size=None` examples
        come one by one, without a new dimension.
    `shuffle`
        whether each pass has a new random order.
    `sampler`, `batch_sampler`
        the order as an iterable of indices, or of lists of indices.
    `collate_fn`
        what makes a batch of a list of examples, `default_collate` if None.
    `generator`
        what shuffles; if None, each pass draws a seed from the default generator.
    `num_workers`, `prefetch_factor`, `persistent_workers`, `timeout`, `worker_init_fn`, `multiprocessing_context`,
    `in_order`, `pin_memory`, `pin_memory_device`
        are checked as in PyTorch; but examples are always made in this process, on the default generator.

    Errors: ValueError for options that exclude each other, which later assignments of the options are as well.

    >>> import minigrad as torch
    >>> from minigrad.utils.data import TensorDataset
    >>> data = TensorDataset(torch.arange(5), torch.arange(5) ** 2)
    >>> for x, y in DataLoader(data, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(123)):
    ...     print(x, y)
    tensor([2, 3]) tensor([4, 9])
    tensor([1, 0]) tensor([1, 0])
    tensor([4]) tensor([16])
    """

    dataset: Dataset[T_co]
    batch_size: int | None
    drop_last: bool
    sampler: Any
    batch_sampler: Any
    _fixed = False

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
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(
            num_workers,
            timeout,
            prefetch_factor,
            persistent_workers=persistent_workers,
            multiprocessing_context=multiprocessing_context,
        )
        self._is_stream = isinstance(dataset, IterableDataset)
        if self._is_stream:
            for name, given in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
                if given is not None:
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle: a sampler is an order")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None and self._is_stream:
            sampler = itertools.repeat(None)  # A stream has no indices.
        elif sampler is None:
            size: Any = dataset
            sampler = RandomSampler(size, generator=generator) if shuffle else SequentialSampler(size)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.in_order = in_order
        self._promised: int | None = None
        self._has_seed = False
        self._fixed = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._fixed and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        return _Pass(self)

    def __len__(self) -> int:
        if not self._is_stream:
            return len(self._index_sampler)
        dataset: Any = self.dataset
        self._promised = len(dataset)
        if self.batch_size is None:
            return self._promised
        return number_of_batches(self._promised, self.batch_size, self.drop_last)


_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Pass:
    """One pass through a loader's batches."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        if loader.timeout and not loader.num_workers:
            raise AssertionError("a timeout is for workers: expected timeout=0 without them")
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=3,
            )
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        # PyTorch draws a seed for its workers, once if they persist; the draws after it depend on that.
        if not (loader.persistent_workers and loader._has_seed):
            drawn_seed(loader.generator)
            loader._has_seed = True
        self._stream: Iterator[Any] | None = iter(loader.dataset) if loader._is_stream else None
        self._ended = False
        self._promised = loader._promised
        self._given = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        indices = next(self._indices)
        batch = self._batch(indices) if self._stream is None else self._loader.collate_fn(self._next(indices))
        self._given += 1
        if self._promised is not None and self._given > self._promised:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {self._promised} (when accessing "
                f"len(dataloader)), but {self._given} samples have been fetched.",
                stacklevel=2,
            )
        return batch

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def _batch(self, indices: Any) -> Any:
        dataset: Any = self._loader.dataset
        collate = self._loader.collate_fn
        if self._loader.batch_sampler is None:
            return collate(dataset[indices])
        at_once = taken(dataset, indices) if collate is default_collate else None
        return collate(examples(dataset, indices)) if at_once is None else at_once

    def _next(self, indices: Any) -> Any:
        """The next examples of the stream, as many as there are indices; StopIteration if there are none left."""
        assert self._stream is not None
        if self._loader.batch_sampler is None:
            return next(self._stream)
        if self._ended:
            raise StopIteration
        batch = [*itertools.islice(self._stream, len(indices))]
        self._ended = len(batch) < len(indices)
        if not batch or (self._ended and self._loader.drop_last):
            raise StopIteration
        return batch


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, **others: Any) -> None:
    # A ValueError where PyTorch raises one.
    numbers = {"num_workers": num_workers, "timeout": timeout, "prefetch_factor": prefetch_factor or 0}
    for name, number in numbers.items():
        if number < 0:
            raise ValueError(f"{name} option should be non-negative, got {number}")
    for name, given in {"prefetch_factor": prefetch_factor, **others}.items():
        if given and num_workers == 0:
            raise ValueError(f"{name} option needs num_workers > 0, got {name}={given} and num_workers=0")


def get_worker_info() -> None:
    """None: what PyTorch returns in the main process, which makes all batches here."""
