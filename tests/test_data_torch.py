"""Batches are PyTorch's: which examples, in which order, in what containers, and the generators' states afterwards."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import Raised, check_same, outcome, seeded
from hypothesis import given
from hypothesis import strategies as st

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

Pair = collections.namedtuple("Pair", "x y")


def same(call: Callable[[Any], Any]) -> None:
    """Fail unless `call(api)` returns the same in both packages and leaves both default generators in one state.

    (Where it raises, PyTorch may have drawn before; minigrad has not.)
    """
    with seeded(3):
        wanted = outcome(lambda: call(torch))
        check(wanted, outcome(lambda: call(minigrad)))
        if not isinstance(wanted, Raised):
            check(torch.get_rng_state(), minigrad.get_rng_state())


def check(wanted: Any, got: Any) -> None:
    if isinstance(wanted, dict):
        assert type(wanted) is type(got)
        assert list(wanted) == list(got)
        for key, value in wanted.items():
            check(value, got[key])
    elif isinstance(wanted, list | tuple) and not isinstance(got, Raised):
        assert type(wanted) is type(got)
        assert len(wanted) == len(got)
        for a, b in zip(wanted, got, strict=True):
            check(a, b)
    else:
        check_same(wanted, got)


def epochs(loader: Any, count: int = 2) -> list[Any]:
    """All batches of some passes, and what is drawn from the default generator between them."""
    library = torch if type(loader).__module__.startswith("torch") else minigrad
    return [(list(loader), library.rand(2)) for _ in range(count)]


options = st.fixed_dictionaries(
    {
        "batch_size": st.sampled_from([None, 0, 1, 1, 2, 3, 5]),
        "shuffle": st.none() | st.booleans(),
        "drop_last": st.booleans(),
        "sampler": st.sampled_from([None, None, [2, 0, 1]]),
        "batch_sampler": st.sampled_from([None, None, None, [[0], [2, 1]]]),
    }
)


@given(st.integers(0, 12), options, st.booleans())
def test_map_style(size: int, options: dict[str, Any], with_generator: bool) -> None:
    def call(api: Any) -> Any:
        generator = api.Generator().manual_seed(5) if with_generator else None
        data = api.utils.data.TensorDataset(api.arange(size), api.arange(2 * size).reshape(size, 2))
        loader = api.utils.data.DataLoader(data, generator=generator, **options)
        return len(loader), epochs(loader), api.rand(2, generator=generator)

    same(call)


@given(st.integers(0, 12), options)
def test_streams(size: int, options: dict[str, Any]) -> None:
    def call(api: Any) -> Any:
        class Stream(api.utils.data.IterableDataset):  # type: ignore[misc, name-defined]
            def __iter__(self) -> Any:
                return iter(range(size))

            def __len__(self) -> int:
                return size

        loader = api.utils.data.DataLoader(Stream(), **options)
        return len(loader), epochs(loader)

    same(call)


@given(st.integers(1, 40), st.booleans(), st.none() | st.integers(-1, 100), st.booleans())
def test_random_sampler(size: int, replacement: bool, count: int | None, with_generator: bool) -> None:
    def call(api: Any) -> Any:
        generator = api.Generator().manual_seed(5) if with_generator else None
        sampler = api.utils.data.RandomSampler(range(size), replacement, count, generator)
        out = [list(sampler), len(sampler), list(sampler)]
        # A pass that ends early shows how many are drawn at once.
        return [*out, api.rand(2, generator=generator), next(iter(sampler)), api.rand(2, generator=generator)]

    same(call)


@given(st.permutations(range(6)), st.integers(0, 4), st.booleans())
def test_batch_sampler(indices: list[int], size: int, last: bool) -> None:
    same(lambda api: list(api.utils.data.BatchSampler(indices, size, last)))
    same(lambda api: len(api.utils.data.BatchSampler(indices, size, last)))


@given(
    st.integers(0, 30),
    st.lists(st.integers(0, 12), max_size=3)
    | st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0, -0.5, 1.5]), max_size=4),
    st.booleans(),
)
def test_random_split(size: int, lengths: list[Any], rest: bool) -> None:
    if rest and lengths:
        whole = 1 if isinstance(lengths[0], float) else size
        lengths = [*lengths, whole - sum(lengths)]

    def call(api: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            parts = api.utils.data.random_split(range(size), lengths)
        return [part.indices for part in parts], [str(each.message) for each in caught]

    same(call)


class Deep(dict[str, Any]):
    """A mapping with a state of its own."""


class Thing:
    """What no tensor can be made of."""

    def __repr__(self) -> str:
        return "Thing()"


class Frozen(collections.abc.Mapping[str, Any]):
    """A mapping that cannot be made of a dict."""

    def __init__(self) -> None:
        self._inner = {"a": 1}

    def __getitem__(self, key: str) -> Any:
        return self._inner[key]

    def __iter__(self) -> Any:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


BATCHES: list[Callable[[Any], Any]] = [
    lambda api: [1, 2],
    lambda api: [True, False],
    lambda api: [1, 2.5],
    lambda api: [2.5, 1],
    lambda api: ["a", "b"],
    lambda api: [b"a", b"b"],
    lambda api: [None, None],
    lambda api: [],
    lambda api: [1j, 2j],
    lambda api: [np.float64(1), np.float64(2)],
    lambda api: [np.float32(1), np.float32(2)],
    lambda api: [np.int8(1), np.int8(2)],
    lambda api: [np.bool_(True), np.bool_(False)],
    lambda api: [np.str_("a"), np.str_("b")],
    lambda api: [np.array(1), np.array(2)],
    lambda api: [np.array([1, 2], "int16"), np.array([3, 4], "int16")],
    lambda api: [np.array([1.5]), np.array([1.5, 2.5])],
    lambda api: [np.array(["a"]), np.array(["b"])],
    lambda api: [np.array([None]), np.array([None])],
    lambda api: [api.tensor([1.0]), api.tensor([2.0])],
    lambda api: [api.tensor(1), api.tensor(2)],
    lambda api: [api.tensor([1.0]), api.tensor([2.0, 3.0])],
    lambda api: [api.ones(2), api.ones(2, dtype=api.float64)],
    lambda api: [(1, "a"), (2, "b")],
    lambda api: [[1, 2.0], [3, 4.0]],
    lambda api: [[1], [1, 2]],
    lambda api: [(), ()],
    lambda api: [Pair(1, [2]), Pair(3, [4])],
    lambda api: [{"a": 1, "b": (2, "x")}, {"a": 3, "b": (4, "y")}],
    lambda api: [collections.OrderedDict(b=1, a=2), collections.OrderedDict(b=3, a=4)],
    lambda api: [Deep(a=1), Deep(a=2)],
    lambda api: [Frozen(), Frozen()],
    lambda api: [collections.UserList([1, 2]), collections.UserList([3, 4])],
    lambda api: [range(2), range(2)],
    lambda api: [{"a": 1}, {"b": 1}],
    lambda api: [{1}, {2}],
    lambda api: [Thing(), Thing()],
    lambda api: [[np.float32(1), ("a", [api.tensor(2)])]] * 3,
]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("name", ["default_collate", "default_convert"])
def test_collate(batch: Callable[[Any], Any], name: str) -> None:
    def call(api: Any) -> Any:
        return simple(api.utils.data.__dict__[name](batch(api)))

    same(call)


def simple(value: Any) -> Any:
    """The value with the types of its containers told beside them."""
    if isinstance(value, collections.abc.Mapping):
        return [type(value).__name__, *[(key, simple(value[key])) for key in value]]
    if isinstance(value, collections.UserList | tuple | list | range):
        return [type(value).__name__, *[simple(each) for each in value]]
    return value if type(value).__name__ == "Tensor" else repr(value)


@pytest.mark.parametrize("num_workers", [1, 2])
@pytest.mark.parametrize(
    "options", [{}, {"persistent_workers": True}, {"shuffle": True, "prefetch_factor": 3}], ids=str
)
def test_workers_change_no_order(num_workers: int, options: dict[str, Any]) -> None:
    """PyTorch with processes, minigrad without: the same batches, and the default generator in the same state."""

    def call(api: Any) -> Any:
        data = api.utils.data.TensorDataset(api.arange(7))
        return epochs(api.utils.data.DataLoader(data, 2, num_workers=num_workers, **options))

    with warnings.catch_warnings():
        # A process that has run threads is forked here; that these workers use none of them is PyTorch's care.
        warnings.simplefilter("ignore")
        same(call)


@given(
    st.lists(st.sampled_from(["float32", "int64", "bool"]), min_size=1, max_size=2),
    st.lists(st.lists(st.integers(-5, 4) | st.just(9), max_size=4), max_size=3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_batches_of_tensors(
    dtypes: list[str], batches: list[list[int]], split: bool, transposed: bool, requires_grad: bool
) -> None:
    """What minigrad takes at once is what PyTorch makes one by one."""

    def call(api: Any) -> Any:
        tensors = [api.arange(15).reshape(3, 5).T if transposed else api.arange(15).reshape(5, 3) for _ in dtypes]
        tensors = [x.to(getattr(api, dtype)) for x, dtype in zip(tensors, dtypes, strict=True)]
        if requires_grad:
            tensors = [x.requires_grad_() if x.is_floating_point() else x for x in tensors]
        data = api.utils.data.TensorDataset(*tensors)
        if split:
            data = api.utils.data.Subset(api.utils.data.Subset(data, [4, 3, 2, 1, 0]), [0, 2, 4, 1, 3])
        out = list(api.utils.data.DataLoader(data, batch_sampler=batches))
        return out, [[x.stride() for x in batch] for batch in out]

    same(call)


def test_names() -> None:
    for name in minigrad.utils.data.__all__:
        assert hasattr(torch.utils.data, name)


def test_modules_of_the_same_names() -> None:
    from minigrad.utils.data.dataloader import DataLoader, default_collate
    from minigrad.utils.data.dataset import Dataset, random_split
    from minigrad.utils.data.sampler import Sampler

    for each in (DataLoader, default_collate, Dataset, random_split, Sampler):
        assert getattr(minigrad.utils.data, each.__name__) is each
