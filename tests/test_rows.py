"""Rows and elements added into tables, whatever their number, repeats, width, dtype and layout."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from strategies import Array, in_layouts

from minigrad.core import embedding
from minigrad.ops import indexing

#: Tables and dims of places in them: one, neighbours, others, none at all.
DIMS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((5,), (0,)), ((4, 3), (0,)), ((4, 3), (1,)), ((4, 3), (0, 1)), ((4, 3), (1, 0)), ((2, 3, 4), (1,)),
    ((2, 3, 4), (0, 1)), ((2, 3, 4), (1, 2)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (2, 0)), ((2, 3, 4), (0, 1, 2)),
    ((2, 3, 2, 3), (1, 3)), ((2, 3, 2, 3), (1, 2)), ((), ()),
]  # fmt: skip


def index_of(shape: tuple[int, ...], dims: tuple[int, ...], places: Array) -> tuple[Any, ...]:
    """What NumPy takes for `places`, counted in `dims` at once."""
    sizes = [shape[dim] for dim in dims]
    found = np.unravel_index(places % max(int(np.prod(sizes)), 1), sizes) if dims else ()
    index: list[Any] = [slice(None)] * len(shape)
    if dims and dims != tuple(range(dims[0], dims[0] + len(dims))):
        # Where they are no neighbours, those in between keep NumPy from asking for another order.
        return tuple(found)
    for dim, where in zip(dims, found, strict=True):
        index[dim] = where
    return tuple(index)


def view_of(array: Array, dims: tuple[int, ...]) -> Array:
    """The array with the dims of the places first, if they are no neighbours."""
    if not dims or dims == tuple(range(dims[0], dims[0] + len(dims))):
        return array
    return array.transpose(*dims, *[dim for dim in range(array.ndim) if dim not in dims])


@pytest.mark.parametrize(("shape", "dims"), DIMS)
def test_reading_at_places_is_numpys_indexing(shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """Into a new array that lies in order, whatever the layout of the table."""
    array = np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)
    count = int(np.prod([shape[dim] for dim in dims], dtype=int))
    for places in (np.arange(count), np.array([[0, count - 1, 0], [count // 2, 0, 0]]), np.zeros(0, np.int64)):
        wanted = view_of(array, dims)[index_of(shape, dims, places)] if dims else np.full(places.shape, array)
        for table in in_layouts(array):
            found = indexing.read_at(table, dims, places)
            np.testing.assert_array_equal(found, wanted, strict=True)
            assert found.flags.c_contiguous
            assert not np.shares_memory(found, table)


@pytest.mark.parametrize(("shape", "dims"), DIMS[:-1])
def test_writing_and_adding_at_places_are_numpys(shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    generator = np.random.default_rng(0)
    array = generator.integers(-4, 5, shape).astype(np.float64)
    count = int(np.prod([shape[dim] for dim in dims]))
    places = generator.permutation(count)[: max(1, count // 2)]
    repeated = generator.integers(0, count, (3, 5))
    for table in in_layouts(array):
        wanted, key = array.copy(), index_of(shape, dims, places)
        value = generator.integers(-4, 5, view_of(wanted, dims)[key].shape).astype(np.float64)
        view_of(wanted, dims)[key] = value
        indexing.write_at(table, dims, places, value)
        np.testing.assert_array_equal(table, wanted)
        key = index_of(shape, dims, repeated)
        value = generator.integers(-4, 5, view_of(wanted, dims)[key].shape).astype(np.float64)
        np.add.at(view_of(wanted, dims), key, value)
        from_end = repeated - count * (len(dims) == 1 or dims != tuple(range(dims[0], dims[-1] + 1)))
        indexing.add_at(table, dims, np.where(repeated % 2, repeated, from_end), value)
        np.testing.assert_array_equal(table, wanted)


def test_a_scalar_has_one_place() -> None:
    y = np.array(2.0)
    indexing.add_at(y, (), np.array([0, 0, 0]), np.array([1.0, 2.0, 4.0]))
    assert y.item() == 9
    indexing.write_at(y, (), np.array(0), np.array(5.0))
    assert y.item() == 5
    half = np.array(2.0, np.float16)
    indexing.add_at(half, (), np.zeros(5000, np.int64), np.ones(5000, np.float16))
    assert half.item() == 5000


# ---- rows ------------------------------------------------------------------------------------------------------------

# In place of those of the package, so that few rows are on both sides of them: the sums do not depend on them.
THRESHOLDS = {"_SMALL": 96, "_HOT": 3, "_BLOCK": 64, "_NARROW": 4}
NEAR = (-1, 0, 1)
WIDTHS = [0, 1, 2, *[THRESHOLDS["_NARROW"] + step for step in NEAR], 6]
REPEATS = [1, *[THRESHOLDS["_HOT"] + step for step in NEAR], 9]
#: Integers whose sums of nine are exact in the dtype they are added up in, and use nearly all of its digits.
LARGEST = {"float16": 2**7, "float32": 2**20, "float64": 2**49, "int64": 2**58}


def cases(width: int, repeats: int, dtype: str) -> Iterator[tuple[Array, Array]]:
    """Ids with so many repeats and some with one or two, shuffled, and a row for each: as many as are near a limit."""
    generator = np.random.default_rng(width + repeats)
    limits = {limit // max(each, 1) for limit in (96, 64) for each in (width, (width + 1) // 2)}
    for count in {0, 1, 2, *[max(limit + step, 0) for limit, step in itertools.product(limits, NEAR)]}:
        ids = np.concatenate([np.arange(count // 2) // repeats, 200 + np.arange(count - count // 2) // (1 + count % 2)])
        generator.shuffle(ids)
        largest = LARGEST[dtype]
        yield ids, generator.integers(-largest, largest, (count, width)).astype(dtype)


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in THRESHOLDS.items():
        assert isinstance(getattr(embedding, name), int)
        monkeypatch.setattr(embedding, name, value)


@pytest.mark.parametrize("dtype", LARGEST)
@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.usefixtures("low_thresholds")
def test_sums_of_rows_are_exact(width: int, repeats: int, dtype: str) -> None:
    for ids, rows in cases(width, repeats, dtype):
        wanted, before = np.zeros((400, width), np.int64), rows.copy()
        np.add.at(wanted, ids, rows.astype(np.int64))
        np.testing.assert_array_equal(
            embedding.add_rows(rows, ids.astype(np.int32), 400), wanted.astype(dtype), strict=True
        )
        names, sums = embedding.sum_by_id(rows, ids)
        np.testing.assert_array_equal(names, np.unique(ids))
        np.testing.assert_array_equal(sums, wanted[names].astype(dtype), strict=True)
        # The row 399 is named by no id, and keeps its zeros' signs.
        array = np.random.default_rng(0).integers(-4, 5, (400, width)).astype(dtype)
        array[399] = np.array(-0.0).astype(dtype)
        scales = [(1, 2, -1), (2, -1, 1), (-1, 1, 2)][len(ids) % 3]
        for scale, table in zip(scales, in_layouts(array), strict=True):
            embedding.add_rows_at(table, ids, rows, scale)
            np.testing.assert_array_equal(table, (array.astype(np.int64) + scale * wanted).astype(dtype))
            assert dtype == "int64" or np.signbit(table[399]).all()
        np.testing.assert_array_equal(rows, before)


@pytest.mark.parametrize(("dtype", "of_rows"), [("float16", "float16"), ("float16", "float32"), ("float64", "float32")])
@pytest.mark.parametrize("scale", [1, 0.5])
@pytest.mark.parametrize("size", [2, 20])
def test_rows_of_one_id_are_added_up_before_they_are_rounded(dtype: str, of_rows: str, scale: float, size: int) -> None:
    """In half precision, 2048 + 1 is 2048: row by row the sum would end there."""
    table = np.ones((3, size), dtype)
    embedding.add_rows_at(table, np.full(5000, 1), np.ones((5000, size), of_rows), scale)
    np.testing.assert_allclose(table[1], 1 + scale * 5000, rtol=1e-3 if dtype == "float16" else 0)
    assert (table[[0, 2]] == 1).all()
    assert table.dtype == dtype


@pytest.mark.parametrize("step", NEAR)
@pytest.mark.parametrize("width", [1, 15, 16, 17, 130])
def test_sums_of_many_rows(width: int, step: int) -> None:
    """With the limits as they are: near that of as many additions, and repeats near that of many."""
    generator = np.random.default_rng(width)
    for limit in (embedding._SMALL // width, 2 * embedding._SMALL // width + width % 2):
        count = limit + step
        ids = np.concatenate([np.arange(count // 2) // (embedding._HOT + step), np.arange(count - count // 2) % 500])
        rows = generator.integers(-4, 5, (count, width)).astype(np.float32)
        wanted = np.zeros((count, width))
        np.add.at(wanted, ids, rows)
        np.testing.assert_array_equal(embedding.add_rows(rows, ids, count), wanted.astype(np.float32), strict=True)


@pytest.mark.parametrize("count", [1, 5, 7, 8, 100])
@pytest.mark.parametrize("exponent", [1, 20, 55, 56, 59, 60, 61, 62])
def test_ids_are_sorted_however_large_they_are(count: int, exponent: int) -> None:
    """Those of a sparse tensor count places, of which there may be up to 2**63; equal ones stay in their order."""
    generator = np.random.default_rng(count)
    for ids in (2**exponent + generator.integers(0, 3, count), generator.integers(0, 3, count) * 2 ** (exponent - 1)):
        ordered, order = embedding._sorted(ids)
        wanted = np.argsort(ids, kind="stable")
        np.testing.assert_array_equal(order, wanted)
        np.testing.assert_array_equal(ordered, ids[wanted])
