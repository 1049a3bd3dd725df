"""Reading, writing and adding up at places of arrays, against indexing by NumPy: every way there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from strategies import Array

from minigrad.core import rows as rows_
from minigrad.ops import places as places_in

#: Tables and dims of places in them: one, neighbours, others, none at all.
DIMS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((5,), (0,)),
    ((4, 3), (0,)),
    ((4, 3), (1,)),
    ((4, 3), (0, 1)),
    ((4, 3), (1, 0)),
    ((2, 3, 4), (1,)),
    ((2, 3, 4), (0, 1)),
    ((2, 3, 4), (1, 2)),
    ((2, 3, 4), (0, 2)),
    ((2, 3, 4), (2, 0)),
    ((2, 3, 4), (0, 1, 2)),
    ((2, 3, 2, 3), (1, 3)),
    ((2, 3, 2, 3), (1, 2)),
    ((), ()),
]


def laid_out(array: Array) -> Iterator[Array]:
    """The array in three memory layouts: in order, in the opposite order, and with gaps."""
    yield array.copy()
    yield array.copy(order="F")
    gaps = np.zeros([2 * size for size in array.shape], array.dtype)
    spaced = gaps[tuple([slice(None, None, 2)] * array.ndim)] if array.ndim else gaps
    spaced[...] = array
    yield spaced


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
        for table in laid_out(array):
            found = places_in.read_at(table, dims, places)
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
    for table in laid_out(array):
        wanted, key = array.copy(), index_of(shape, dims, places)
        value = generator.integers(-4, 5, view_of(wanted, dims)[key].shape).astype(np.float64)
        view_of(wanted, dims)[key] = value
        places_in.write_at(table, dims, places, value)
        np.testing.assert_array_equal(table, wanted)
        key = index_of(shape, dims, repeated)
        value = generator.integers(-4, 5, view_of(wanted, dims)[key].shape).astype(np.float64)
        np.add.at(view_of(wanted, dims), key, value)
        places_in.add_at(table, dims, repeated, value)
        np.testing.assert_array_equal(table, wanted)


def test_a_scalar_has_one_place() -> None:
    y = np.array(2.0)
    places_in.add_at(y, (), np.array([0, 0, 0]), np.array([1.0, 2.0, 4.0]))
    assert y.item() == 9
    places_in.write_at(y, (), np.array(0), np.array(5.0))
    assert y.item() == 5
    half = np.array(2.0, np.float16)
    places_in.add_at(half, (), np.zeros(5000, np.int64), np.ones(5000, np.float16))
    assert half.item() == 5000


@pytest.mark.parametrize("dims", [(0, 1), (1, 2), (0, 1, 2), (2,)])
def test_neighbours_need_no_other_order(dims: tuple[int, ...]) -> None:
    assert places_in.in_front(3, dims) is None


# ---- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1, 2, -0.5])
@pytest.mark.parametrize(("count", "size"), [(7, 3), (40, 1), (3000, 20), (3000, 15), (20_000, 20)])
@pytest.mark.parametrize(("dtype", "of_rows"), [("float64", "float64"), ("float32", "float32"), ("float64", "float32")])
def test_rows_are_added_to_tables_of_any_layout(count: int, size: int, scale: float, dtype: str, of_rows: str) -> None:
    """Some ids once, some twice, some hundreds of times; a row that no id names is not touched."""
    generator = np.random.default_rng(count)
    array = generator.integers(-4, 5, (2000, size)).astype(dtype)
    array[1999] = -0.0
    rows = generator.integers(-4, 5, (count, size)).astype(of_rows)
    ids = np.where(generator.random(count) < 0.5, generator.integers(0, 1999, count), 7)
    wanted = array.astype(np.float64)
    np.add.at(wanted, ids, scale * rows.astype(np.float64))
    before = rows.copy()
    for table in laid_out(array):
        rows_.add_rows_at(table, ids, rows, scale)
        np.testing.assert_array_equal(table, wanted)
        assert np.signbit(table[1999]).all()
    np.testing.assert_array_equal(rows, before)


@pytest.mark.parametrize("of_rows", ["float16", "float32"])
@pytest.mark.parametrize("scale", [1, 0.5])
def test_rows_of_one_id_are_added_up_before_they_are_rounded(of_rows: str, scale: float) -> None:
    """In half precision, 2048 + 1 is 2048: row by row the sum would end there."""
    for count, size in ((5000, 2), (5000, 20)):
        table = np.ones((3, size), np.float16)
        rows_.add_rows_at(table, np.full(count, 1), np.ones((count, size), of_rows), scale)
        np.testing.assert_allclose(table[1], 1 + scale * count, rtol=1e-3)
        assert (table[[0, 2]] == 1).all()
        assert table.dtype == np.float16


@pytest.mark.parametrize("repeats", [1, 2, 3, 8, 9, 40])
@pytest.mark.parametrize("size", [1, 3, 20])
def test_sums_of_large_integers_are_exact(repeats: int, size: int) -> None:
    """Beyond 2**53, where float64 is not."""
    rows = np.full((repeats + 1, size), 2**56 + 1)
    ids = np.array([4, *[2] * repeats])
    wanted = np.array([[repeats * (2**56 + 1)] * size, [2**56 + 1] * size])
    names, sums = rows_.sum_by_id(rows, ids)
    assert names.tolist() == [2, 4]
    np.testing.assert_array_equal(sums, wanted, strict=True)
    np.testing.assert_array_equal(rows_.add_rows(rows, ids, 5)[[2, 4]], wanted, strict=True)
    # As many rows as are added after sorting.
    many, ids = np.repeat(rows, 4000, axis=0), np.repeat(np.arange(4000), repeats + 1)
    if size == 20:
        wanted = np.full((4000, size), (repeats + 1) * (2**56 + 1))
        np.testing.assert_array_equal(rows_.add_rows(many, ids, 4000), wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_sums_by_id_of_rows_that_occur_once_and_often(dtype: str) -> None:
    generator = np.random.default_rng(0)
    ids = generator.permutation(np.repeat(np.arange(3, 43), np.arange(40) % 13 + 1))
    rows = generator.integers(-3, 4, (len(ids), 5)).astype(dtype)
    wanted = np.zeros((43, 5))
    np.add.at(wanted, ids, rows)
    names, sums = rows_.sum_by_id(rows, ids)
    assert names.tolist() == list(range(3, 43))
    np.testing.assert_array_equal(sums, wanted[3:].astype(dtype), strict=True)
    for none in (rows[:0], rows[:0, :0]):
        names, sums = rows_.sum_by_id(none, ids[:0])
        assert (names.shape, sums.shape, sums.dtype) == ((0,), none.shape, none.dtype)


@pytest.mark.parametrize("count", [1, 5, 7, 8, 100])
@pytest.mark.parametrize("exponent", [1, 20, 55, 56, 59, 60, 61, 62])
def test_ids_are_sorted_however_large_they_are(count: int, exponent: int) -> None:
    """Those of a sparse tensor count places, of which there may be up to 2**63; equal ones stay in their order."""
    generator = np.random.default_rng(count)
    for ids in (2**exponent + generator.integers(0, 3, count), generator.integers(0, 3, count) * 2 ** (exponent - 1)):
        ordered, order = rows_._sorted(ids)
        wanted = np.argsort(ids, kind="stable")
        np.testing.assert_array_equal(order, wanted)
        np.testing.assert_array_equal(ordered, ids[wanted])
