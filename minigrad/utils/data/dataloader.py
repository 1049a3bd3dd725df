"""`DataLoader`: the batches of a dataset, in PyTorch's order for the same seed, made in this process.

Above it stands how the examples of a batch become tensors with one more dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic

import numpy as np

from minigrad.core import dtypes
from minigrad.ops.joining import stack
from minigrad.random import Source
from minigrad.tensor import Tensor
from minigrad.tensors.creation import as_tensor
from minigrad.tensors.options import new_leaf
from minigrad.utils.data.dataset import Dataset, IterableDataset, Subset, T_co, TensorDataset
from minigrad.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

#: The kinds of NumPy's dtypes that are objects and texts.
_NO_NUMBERS = "OSU"


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
    if isinstance(first, np.ndarray) and first.dtype.kind not in _NO_NUMBERS:
        return _stacked([as_tensor(each) for each in batch])
    if isinstance(first, (np.bool_, np.number, float, int)):
        return as_tensor(batch, dtypes.float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, (Mapping, Sequence)):
        sizes = {len(each) for each in batch}
        if isinstance(first, Sequence) and len(sizes) > 1:
            problem = f"each element in list of batch should be of equal size: these have sizes {sorted(sizes)}"
            raise RuntimeError(f"{problem}; give the DataLoader a collate_fn that pads them")
        kind = list if isinstance(first, Mapping) else tuple
        return _rebuilt(first, lambda key: default_collate(kind([each[key] for each in batch])))
    odd = first.dtype if isinstance(first, np.ndarray) else type(first)
    raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {odd}")


def default_convert(data: Any) -> Any:
    """One example with its arrays and NumPy's scalars as tensors, all else as it is: what `batch_size=None` yields.

    >>> import minigrad as torch
    >>> import numpy as np
    >>> torch.utils.data.default_convert({"x": np.ones(2), "name": "a"})
    {'x': tensor([1., 1.], dtype=torch.float64), 'name': 'a'}
    """
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in _NO_NUMBERS:
        return as_tensor(data)
    if isinstance(data, (Mapping, Sequence)) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, lambda key: default_convert(data[key]))
    return data


def _stacked(batch: Sequence[Any]) -> Tensor:
    try:
        return stack(batch)
    except RuntimeError as error:
        remedy = "give the DataLoader a collate_fn that pads them, as nn.utils.rnn.pad_sequence does"
        raise RuntimeError(f"{error}: {remedy}") from None


def _rebuilt(model: Any, part: Callable[[Any], Any]) -> Any:
    """A collection like the model with `part(key)` at each key or position: a list for a tuple, unless that has names.

    A dict or a list, if none of the model's type can be made of one.
    """
    if isinstance(model, Mapping):
        parts: Any = {key: part(key) for key in model}
    else:
        parts = [part(position) for position in range(len(model))]
    if isinstance(model, tuple):
        return type(model)(*parts) if hasattr(model, "_fields") else parts
    try:
        return type(model)(parts)
    except TypeError:
        return parts


#: What decides how a loader was made.
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


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

    dataset: Dataset[T_co]
    batch_size: int | None
    drop_last: bool
    sampler: Any
    batch_sampler: Any
    collate_fn: Callable[[Any], Any]

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
        multiprocessing_context: object = None,
        generator: Source = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_processes(num_workers, timeout, prefetch_factor, persistent_workers)
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
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        examples: Any = dataset
        if self._is_stream:
            sampler = examples  # It has no indices: it is its examples that are put into batches.
        elif sampler is None:
            sampler = RandomSampler(examples, generator=generator) if shuffle else SequentialSampler(examples)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.generator = dataset, generator
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.persistent_workers, self.pin_memory = num_workers, persistent_workers, pin_memory
        self._has_seed = False
        self._initialized = True

    def __setattr__(self, name: str, value: object) -> None:
        if self._initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized: make another one")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        # PyTorch draws a seed for its workers, once if they persist; the draws after it depend on that.
        if not (self.persistent_workers and self._has_seed):
            drawn_seed(self.generator)
            self._has_seed = True
        return map(self.collate_fn if self._is_stream else self._fetched, self._index_sampler)

    def _fetched(self, index: Any) -> Any:
        """The batch of the examples at these indices; where they come one by one, that at an index."""
        dataset: Any = self.dataset
        if self.batch_sampler is None:
            return self.collate_fn(dataset[index])
        while type(dataset) is Subset:
            dataset, index = dataset.dataset, [dataset.indices[each] for each in index]
        if self.collate_fn is default_collate and _are_plain(dataset, index):
            # The same at one step for each tensor.
            return [new_leaf(tensor._array.take(index, 0)) for tensor in dataset.tensors]
        together = getattr(dataset, "__getitems__", None)
        return self.collate_fn(together(index) if together else [dataset[each] for each in index])

    def __len__(self) -> int:
        return len(self._index_sampler)


def _are_plain(dataset: Any, indices: Any) -> bool:
    """Whether the examples at these indices are elements of plain tensors, at ints."""
    if type(dataset) is not TensorDataset or type(indices) is not list or not indices:
        return False
    odd = any([type(tensor) is not Tensor or tensor.requires_grad for tensor in dataset.tensors])
    return not odd and all([type(each) is int for each in indices])


def _check_processes(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    """Nothing if what is said of processes, of which there is one, makes sense; else a ValueError."""
    for name, number in (("num_workers", num_workers), ("timeout", timeout)):
        if number < 0:
            raise ValueError(f"{name} option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing")
    if num_workers == 0 and persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0")


def get_worker_info() -> None:
    """None: what PyTorch returns in the main process, which makes all batches here."""
