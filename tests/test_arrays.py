"""Choices, extrema, order and blocks of arrays are those of NumPy, also of so many that they are made otherwise."""

import numpy as np
import pytest
from strategies import Array

import minigrad as torch
from minigrad.core import arrays
from minigrad.ops import indexing, mathematics, ordering

# ---- choices, blocks, functions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 100, 4095, 4096, 5000])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_choices(count: int, dtype: str) -> None:
    """To the last bit, also of what is not finite and of the sign of 0; in a new array of that dtype."""
    generator = np.random.default_rng(count)
    a, b = (generator.integers(0, 2 if dtype == "bool" else 100, (2, count)).astype(dtype) for _ in range(2))
    if dtype.startswith("float"):
        a[:, ::3], a[:, 1::5], b[:, ::4], b[:, 2::7] = np.nan, -0.0, np.inf, -0.0
    full = generator.random((2, count)) < 0.5
    for mask in (full, full[0], full.T.copy().T, np.repeat(full, 2, axis=1)[:, ::2]):
        for x, y in ((a, b), (a[0], b), (a, b[0]), (a[:, :1], b), (a, np.ones((), dtype)), (a.T.copy().T, b)):
            before = x.tobytes(), y.tobytes(), mask.tobytes()
            for found, wanted in (
                (arrays.chosen(mask, x, y), np.where(mask, x, y)),
                (arrays.cleared(mask, x), np.where(mask, x, np.zeros((), dtype))),
            ):
                assert (found.shape, found.dtype, found.tobytes()) == (wanted.shape, wanted.dtype, wanted.tobytes())
                assert not np.shares_memory(found, x)
            assert (x.tobytes(), y.tobytes(), mask.tobytes()) == before


@pytest.mark.parametrize(
    "shape", [(0,), (0, 3), (3, 0), (1, 1), (5, 2**15), (5, 2**16), (3, 2**16 + 1), (70_000, 3), (70_000,)]
)
def test_blocks_of_rows_are_all_rows_in_order_and_as_many_as_fit(shape: tuple[int, ...]) -> None:
    x = np.broadcast_to(np.zeros(()), shape)
    parts, of_row = arrays.row_blocks((), x, np.arange(len(x))), int(np.prod(shape[1:]))
    assert np.concatenate([np.arange(0), *[rows for _, rows in parts]]).tolist() == [*range(len(x))]
    for part, rows in parts:
        assert 0 < part.size <= 2**16 or x.size == 0 or len(part) == 1
        assert len(part) == len(rows)
    for part, _ in parts[:-1]:
        assert (len(part) + 1) * of_row > 2**16
    if x.ndim > 1 and len(parts) > 1:
        assert len(arrays.row_blocks((1,), x)) == len(parts)
        assert arrays.row_blocks((0,), x) == arrays.row_blocks((1, 0), x) == [(x,)]


def test_large_arrays_in_order_are_worked_on_in_parts() -> None:
    sizes: list[int] = []

    def added(a: Array, b: Array) -> Array:
        sizes.append(a.size)
        return np.asarray(a + b)

    a, b = np.arange(200_000.0).reshape(2, -1), np.ones((2, 100_000))
    for x, y, wanted in (
        (a, b, [65_536] * 3 + [3392]),
        (a[:, :100], b[:, :100], [200]),
        (a[0, :65_536], b[0, :65_536], [65_536]),
        (a[0, :65_537], b[0, :65_537], [65_536, 1]),
        (a.copy(order="F"), b, [200_000]),
        (a, b.copy(order="F"), [200_000]),
    ):
        sizes.clear()
        np.testing.assert_array_equal(arrays.blocked(added, x, y), x + y, strict=True)
        assert sizes == wanted


def test_the_error_function_of_large_and_of_strided_arrays() -> None:
    x = np.random.default_rng(0).standard_normal((300, 400)).astype(np.float32)
    whole = mathematics.erf_of(x)
    for row in (0, 150, 299):
        np.testing.assert_array_equal(whole[row], mathematics.erf_of(x[row]))
    np.testing.assert_array_equal(mathematics.erf_of(x.T), whole.T)
    np.testing.assert_array_equal(mathematics.erf_of(x[::2, 1::3]), whole[::2, 1::3])


@pytest.mark.parametrize("shape", [(), (300,), (15, 17), (16, 16), (257, 1), (3, 0, 90), (2, 3, 4, 5), (5, 6, 7, 8)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_positions_are_those_that_numpy_finds(shape: tuple[int, ...], share: float) -> None:
    holds = np.asarray(np.random.default_rng(0).random(shape) < share)
    for found, expected in zip(indexing.positions(holds), np.atleast_1d(holds).nonzero(), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_extrema_of_large_arrays(dtype: str) -> None:
    for shape in [(1, 150, 150), (150, 150, 1), (129, 128), (40, 30, 20), (3, 1024), (2, 1025)]:
        x = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
        if dtype.startswith("float"):
            x[1 % len(x), ..., -1] = np.nan
        for array in (x, x.T):
            t = torch.from_numpy(array)
            for dim in range(x.ndim):
                for keepdim in (False, True):
                    for found, wanted in (
                        (t.argmax(dim, keepdim), array.argmax(dim, keepdims=keepdim)),
                        (t.min(dim, keepdim).indices, array.argmin(dim, keepdims=keepdim)),
                        (t.amax(dim, keepdim), array.max(dim, keepdims=keepdim)),
                        (t.amin(dim, keepdim), array.min(dim, keepdims=keepdim)),
                    ):
                        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8"])
def test_of_many_equal_elements_the_order_is_kept(dtype: str) -> None:
    x = np.random.default_rng(0).integers(0, 5, (400, 300)).astype(dtype)
    for dim in (0, 1):
        for descending in (False, True):
            wanted = np.lexsort((np.indices(x.shape)[dim], -x if descending else x), axis=dim)
            np.testing.assert_array_equal(ordering.order(x, dim, descending=descending), wanted, strict=True)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_the_largest_along_any_dimension_come_in_order(dim: int) -> None:
    array = np.random.default_rng(0).permutation(7 * 8 * 9).reshape(7, 8, 9)
    for largest in (True, False):
        ordered = np.flip(np.sort(array, dim), dim) if largest else np.sort(array, dim)
        for k in range(array.shape[dim] + 1):
            found = torch.from_numpy(array).topk(k, dim, largest)
            np.testing.assert_array_equal(found.values.numpy(), ordered.take(range(k), dim), strict=True)
            np.testing.assert_array_equal(np.take_along_axis(array, found.indices.numpy(), dim), found.values.numpy())
