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
        change nothing: examples are always made in this process, on the default generator.

    Errors: ValueError for options that exclude each other.

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
        multiprocessing_context: object = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
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
        self.pin_memory = pin_memory
        self.persistent_workers = persistent_workers
        self._has_seed = False

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=2,
            )
        # PyTorch draws a seed for its workers, once if they persist; the draws after it depend on that.
        if not (self.persistent_workers and self._has_seed):
            drawn_seed(self.generator)
            self._has_seed = True
        return self._of_stream(iter(self.dataset)) if self._is_stream else self._of_indices(iter(self._index_sampler))

    def _of_indices(self, order: Iterator[Any]) -> Iterator[Any]:
        """The batches of a dataset with indices."""
        dataset: Any = self.dataset
        for indices in order:
            if self.batch_sampler is None:
                yield self.collate_fn(dataset[indices])
                continue
            batch = taken(dataset, indices) if self.collate_fn is default_collate else None
            yield self.collate_fn(examples(dataset, indices)) if batch is None else batch

    def _of_stream(self, stream: Iterator[Any]) -> Iterator[Any]:
        """The batches of a stream."""
        if self.batch_size is None:
            yield from map(self.collate_fn, stream)
            return
        while batch := [*itertools.islice(stream, self.batch_size)]:
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self) -> int:
        if not self._is_stream:
            return len(self._index_sampler)
        size = len(self.dataset)  # type: ignore[arg-type]  # a stream may have a length
        return size if self.batch_size is None else number_of_batches(size, self.batch_size, self.drop_last)


def get_worker_info() -> None:
    """None: what PyTorch returns in the main process, which makes all batches here."""
