"""Datasets, samplers and loaders, without PyTorch: every example once, what excludes what, and what is drawn."""

from __future__ import annotations

import collections
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

# A pass of a loader draws from the default generator.
pytestmark = pytest.mark.usefixtures("seeded")


class Stream(IterableDataset[int]):
    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Any:
        return iter(range(self.size))

    def __len__(self) -> int:
        return self.size


class Together(Dataset[int]):
    """A dataset that gives all examples of a batch at once, and remembers that it did."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> int:
        return index

    def __getitems__(self, indices: list[int]) -> list[int]:
        self.asked.append(indices)
        return [10 * each for each in indices]


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(
    st.integers(1, 40), st.integers(1, 9), st.booleans(), st.booleans(), st.integers(0, 2**32), st.sampled_from([0, 2])
)
def test_an_epoch_has_every_example_once(
    size: int, batch_size: int, shuffle: bool, drop_last: bool, seed: int, num_workers: int
) -> None:
    x = torch.arange(size)
    loader = DataLoader(
        TensorDataset(x, x**2),
        batch_size,
        shuffle,
        drop_last=drop_last,
        generator=seeded(seed),
        num_workers=num_workers,
    )
    batches = list(loader)
    assert len(batches) == len(loader)
    seen = [number for first, _ in batches for number in first.tolist()]
    assert all(torch.equal(first**2, second) for first, second in batches)
    assert all(len(first) == batch_size for first, _ in (batches if drop_last else batches[:-1]))
    assert len(set(seen)) == len(seen) == (size - size % batch_size if drop_last else size)
    if not shuffle:
        assert seen == list(range(len(seen)))


def test_each_epoch_has_another_order_and_the_same_seed_the_same_orders() -> None:
    loader = DataLoader(range(20), 20, shuffle=True, generator=seeded(0))
    again = DataLoader(range(20), 20, shuffle=True, generator=seeded(0))
    first, second = next(iter(loader)), next(iter(loader))
    assert not torch.equal(first, second)
    assert torch.equal(first, next(iter(again)))
    assert torch.equal(second, next(iter(again)))


@given(st.integers(0, 30), st.integers(1, 7), st.booleans())
def test_a_stream_comes_in_order(size: int, batch_size: int, drop_last: bool) -> None:
    loader = DataLoader(Stream(size), batch_size, drop_last=drop_last)
    batches = list(loader)
    assert len(batches) == len(loader)
    kept = size - size % batch_size if drop_last else size
    assert [each for batch in batches for each in batch.tolist()] == list(range(kept))
    assert list(DataLoader(Stream(size), None)) == list(range(size))


def test_a_dataset_may_give_a_batch_at_once() -> None:
    dataset = Together()
    assert [batch.tolist() for batch in DataLoader(dataset, 2)] == [[0, 10], [20, 30], [40]]
    assert dataset.asked == [[0, 1], [2, 3], [4]]
    assert next(iter(DataLoader(Subset(dataset, [4, 2]), 2))).tolist() == [40, 20]
    assert list(DataLoader(dataset, None)) == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.data())
def test_datasets_one_after_the_other(sizes: list[int], data: st.DataObject) -> None:
    parts = [TensorDataset(torch.arange(size) + 100 * which) for which, size in enumerate(sizes)]
    whole: Any = ConcatDataset(parts)
    wanted = [100 * which + i for which, size in enumerate(sizes) for i in range(size)]
    assert [int(whole[i][0]) for i in range(len(whole))] == wanted
    if wanted:
        index = data.draw(st.integers(-len(wanted), -1))
        assert int(whole[index][0]) == wanted[index]
    with pytest.raises(ValueError, match="should not exceed dataset length"):
        whole[-len(wanted) - 1]


@given(st.integers(0, 50), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 99))
def test_random_split_parts_the_dataset(size: int, weights: list[int], seed: int) -> None:
    # Eighths add up exactly.
    fractions = [0.125 * weight for weight in (*weights, 8)]
    kept: list[float] = []
    for fraction in fractions:
        kept.append(min(fraction, 1 - sum(kept)))
    lengths = [int(size * fraction) for fraction in kept]
    for extra in range(size - sum(lengths)):
        lengths[extra % len(lengths)] += 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parts = random_split(range(size), kept, seeded(seed))  # type: ignore[arg-type]
    assert [len(part) for part in parts] == lengths
    assert len(caught) == lengths.count(0)
    assert sorted(each for part in parts for each in part.indices) == list(range(size))
    # Lengths that add up to 1 are fractions.
    if size != 1:
        again = random_split(range(size), lengths, seeded(seed))  # type: ignore[arg-type]
        assert [part.indices for part in again] == [part.indices for part in parts]


@given(st.integers(1, 50), st.integers(1, 120), st.booleans(), st.integers(0, 99))
def test_random_sampler(size: int, count: int, replacement: bool, seed: int) -> None:
    drawn = list(RandomSampler(range(size), replacement, count, seeded(seed)))
    assert len(drawn) == count
    assert set(drawn) <= set(range(size))
    if not replacement:
        for start in range(0, count, size):
            part = drawn[start : start + size]
            assert len(set(part)) == len(part)


def test_other_samplers() -> None:
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    assert [len(BatchSampler(range(7), 3, last)) for last in (False, True)] == [3, 2]
    with pytest.raises(NotImplementedError):
        iter(Sampler())
    with pytest.raises(NotImplementedError, match="should implement __getitem__"):
        Dataset()[0]


def test_an_order_of_ones_own() -> None:
    data = TensorDataset(torch.arange(6))
    assert [batch.tolist() for (batch,) in DataLoader(data, 2, sampler=[5, 3, 1])] == [[5, 3], [1]]
    assert [batch.tolist() for (batch,) in DataLoader(data, batch_sampler=[[0], [4, 4]])] == [[0], [4, 4]]
    assert len(DataLoader(data, batch_sampler=[[0], [4, 4]])) == 2


def test_collate_keeps_what_holds_the_tensors() -> None:
    Pair = collections.namedtuple("Pair", "x y")
    batch = [
        {"pair": Pair(1, [2.5]), "name": "a", "array": np.ones((2, 1)), "flag": True, "number": np.int32(3)},
        {"pair": Pair(3, [4.5]), "name": "b", "array": np.zeros((2, 1)), "flag": False, "number": np.int32(4)},
    ]
    out = default_collate(batch)
    assert isinstance(out["pair"], Pair)
    assert out["pair"].x.tolist() == [1, 3]
    assert out["pair"].y[0].dtype is torch.float64
    assert out["name"] == ["a", "b"]
    assert out["array"].shape == (2, 2, 1)
    assert out["flag"].dtype is torch.bool
    assert out["number"].dtype is torch.int32
    ordered = default_collate([collections.OrderedDict(a=1)] * 2)
    assert type(ordered) is collections.OrderedDict
    assert batch[0]["name"] == "a"
    assert default_convert((np.float32(2), "x"))[0].dtype is torch.float32


class Thing:
    """What no tensor can be made of."""


REFUSED: list[tuple[str, type[Exception], str, Callable[[], object]]] = [
    ("an object", TypeError, "found <class", lambda: default_collate([Thing(), Thing()])),
    ("strings in an array", TypeError, "found <U1", lambda: default_collate([np.array(["a"])])),
    ("lists of two sizes", RuntimeError, "should be of equal size", lambda: default_collate([[1], [1, 2]])),
    ("tensors of two sizes", RuntimeError, "equal size", lambda: default_collate([torch.ones(1), torch.ones(2)])),
    ("shuffle and sampler", ValueError, "mutually exclusive", lambda: DataLoader([1], shuffle=True, sampler=[0])),
    ("two batch sizes", ValueError, "mutually exclusive", lambda: DataLoader([1], 2, batch_sampler=[[0]])),
    ("drop_last alone", ValueError, "batch_size=None", lambda: DataLoader([1], None, drop_last=True)),
    ("batch of 0", ValueError, "positive integer", lambda: DataLoader([1], 0)),
    ("batch of 1.5", ValueError, "positive integer", lambda: DataLoader([1], 1.5)),  # type: ignore[arg-type]
    ("shuffled stream", ValueError, "unspecified shuffle", lambda: DataLoader(Stream(2), shuffle=True)),
    ("sampled stream", ValueError, "unspecified sampler", lambda: DataLoader(Stream(2), sampler=[0])),
    ("nothing to shuffle", ValueError, "num_samples", lambda: DataLoader([], shuffle=True)),
    ("split", ValueError, "Sum of input lengths", lambda: random_split(range(3), [1, 1])),  # type: ignore[arg-type]
    ("tensors", AssertionError, "Size mismatch", lambda: TensorDataset(torch.ones(1), torch.ones(2))),
]


@pytest.mark.parametrize(("kind", "words", "call"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(kind: type[Exception], words: str, call: Callable[[], object]) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_a_subset_of_ones_own_defines_both_ways() -> None:
    class Doubled(Subset[int]):
        def __getitem__(self, idx: Any) -> Any:
            return 2 * super().__getitem__(idx)

    with pytest.raises(NotImplementedError, match="overrides __getitem__ but not __getitems__"):
        Doubled(range(3), [0])  # type: ignore[arg-type]


def test_pinned_memory_warns_and_there_is_no_worker() -> None:
    assert get_worker_info() is None
    with pytest.warns(UserWarning, match="no accelerator is found"):
        assert len(list(DataLoader([1, 2], pin_memory=True))) == 2


def test_workers_that_persist_are_seeded_once() -> None:
    def drawn(**options: Any) -> int:
        torch.manual_seed(0)
        loader = DataLoader([1, 2], num_workers=1, **options)
        _ = [list(loader) for _ in range(3)]
        return int(torch.randint(2**31, ()).item())

    after_one = (torch.manual_seed(0), torch.empty((), dtype=torch.int64).random_(), torch.randint(2**31, ()))[-1]
    assert drawn(persistent_workers=True) == after_one.item()
    assert drawn() != after_one.item()


@pytest.mark.parametrize("kind", [torch.tensor, np.array, tuple])
def test_batches_of_ids_may_be_tensors_arrays_or_tuples(kind: Any) -> None:
    dataset = TensorDataset(torch.arange(4) * 10)
    batches = DataLoader(dataset, batch_sampler=[kind([3, 0]), kind([1, 2])])
    assert [batch.tolist() for (batch,) in batches] == [[30, 0], [10, 20]]
