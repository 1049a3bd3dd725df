"""Sums of arrays and broadcasting, every way there is, against NumPy in float64."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from laws import leaf
from strategies import in_layouts

import minigrad as torch
from minigrad.core import arrays, ops

# On both sides of the sizes from which sums are made in another way.
SHAPES = [
    (5,), (3, 4), (4095, 2), (4096, 2), (4099, 5), (40_001, 1), (16, 1024), (2, 16_385), (4, 4096), (5, 4095),
    (20_001,), (64, 65, 3), (16, 33, 40), (2, 3, 4, 5), (0, 3), (3, 0),
]  # fmt: skip


def all_dims(ndim: int) -> Iterator[tuple[int, ...]]:
    for count in range(1, ndim + 1):
        yield from permutations(range(ndim), count)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_over_any_dimensions_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    """Of whole numbers, so that every order of adding gives the same; those of halves come in single precision."""
    array = np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)
    wide = "float32" if dtype == "float16" else dtype
    for dims in all_dims(len(shape)):
        for keepdims in (True, False):
            wanted = array.astype(np.float64).sum(dims, keepdims=keepdims).astype(wide)
            for x in in_layouts(array):
                found = arrays.total(x, dims, keepdims)
                assert isinstance(found, np.ndarray)
                np.testing.assert_array_equal(found, wanted, strict=True)
        np.testing.assert_array_equal(
            arrays.total(array, dims), array.sum(dims, keepdims=True, dtype=wide), strict=True
        )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_of_products_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-3, 4, shape).astype(dtype) for _ in range(2))
    for dims in all_dims(len(shape)):
        wanted = (a * b).sum(dims, keepdims=True)
        for x in in_layouts(a):
            for y in in_layouts(b):
                np.testing.assert_array_equal(arrays.sum_of_products(x, y, dims), wanted, strict=True)


def test_sums_of_many_numbers_keep_their_digits() -> None:
    """Rounding errors are those of sqrt(N) addends: of a million numbers, added one by one, four digits would go."""
    for count in (4096, 1_000_003):
        x = np.full((count, 2), 0.1, np.float32)
        exact = float(np.float32(0.1)) * count
        np.testing.assert_allclose(arrays.total(x, (0,), keepdims=False), exact, rtol=2e-6)
        np.testing.assert_allclose(arrays.total(x.T.copy(), (1,), keepdims=False), exact, rtol=2e-6)
        np.testing.assert_allclose(arrays.total(x, (0, 1), keepdims=False), 2 * exact, rtol=2e-6)
        np.testing.assert_allclose(arrays.sum_of_products(x, np.ones_like(x), (0,))[0], exact, rtol=2e-6)


def test_sums_of_many_products_over_several_dimensions_keep_their_digits() -> None:
    """Those of each row are as many: added one by one, three digits would go."""
    x = np.full((2, 400_000, 3), 0.1, np.float32)
    sums = arrays.sum_of_products(x, np.ones_like(x), (1, 2))
    np.testing.assert_allclose(sums.ravel(), float(np.float32(0.1)) * 1_200_000, rtol=2e-6)


# ---- broadcasting ----------------------------------------------------------------------------------------------------

PAIRS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((), (2,)), ((), ()), ((3,), (2, 3)), ((1,), (4,)), ((2, 1), (2, 3)), ((1, 3), (2, 3)), ((1, 1), (1, 2, 3)),
    ((2, 1, 3), (4, 2, 5, 3)), ((2, 3), (2, 3)), ((2, 3), (1, 1, 2, 3)), ((1,), (0,)), ((1, 0), (2, 0)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("shape", "repeated"), PAIRS)
def test_summing_undoes_repeating(shape: tuple[int, ...], repeated: tuple[int, ...], dtype: str) -> None:
    g = np.random.default_rng(0).integers(-3, 4, repeated).astype(dtype)
    x = leaf(np.ones(shape, dtype))
    x.expand(repeated).backward(torch.from_numpy(g))
    dims = (*range(len(repeated) - len(shape)),)
    wanted = g.astype(np.float64).sum(dims)
    kept = tuple([dim for dim, size in enumerate(shape) if size == 1])
    wanted = wanted.sum(kept, keepdims=True).astype(dtype)
    np.testing.assert_array_equal(x.grad.numpy(), wanted, strict=True)
    back = leaf(g.copy())
    found = ops.sum_of_repeated(back, shape)
    np.testing.assert_array_equal(found.detach().numpy(), wanted, strict=True)
    found.backward(torch.ones(shape, dtype=found.dtype))
    np.testing.assert_array_equal(back.grad.numpy(), np.ones_like(g), strict=True)


@pytest.mark.parametrize(("dim", "strides"), [(0, (4, 1)), (1, (1, 1)), ((0, 1), (1, 1))])
def test_a_dimension_that_stays_has_a_stride(dim: Any, strides: tuple[int, ...]) -> None:
    assert torch.ones(3, 4).sum(dim, keepdim=True).stride() == strides


def test_a_common_shape_or_why_there_is_none() -> None:
    given: list[list[tuple[int, ...]]] = [[], [(2, 3)], [(2, 3), (2, 3)], [(2, 1), (3,)], [(), (4, 1), (1, 5)]]
    for each in [*given, [(1,), (0,)]]:
        assert ops.common_shape(each) == np.broadcast_shapes(*each)
    # Of several dimensions that do not fit, the last one is named.
    refused = [((2, 3), (2, 3), (4,)), 3, 4, 1], [((5, 1, 3), (4, 2, 3)), 5, 4, 0], [((2, 3), (4, 5)), 3, 5, 1]
    for each, a, b, dim in refused:
        words = rf"tensor a \({a}\) must match the size of tensor b \({b}\) at non-singleton dimension {dim}: shapes"
        with pytest.raises(RuntimeError, match=words):
            ops.common_shape(each)
