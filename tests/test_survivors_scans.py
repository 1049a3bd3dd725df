"""Dimensions, grids, windows, counting, order, scans, moments, joins, pads and diagonals, against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf
from strategies import Array

import minigrad as torch
from minigrad.nn import functional as F
from minigrad.ops import dims, ordering

NAN, INF = math.nan, math.inf


def message(error: type[Exception], call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments, **named)
    return str(caught.value)


def gradient(call: Callable[[Any], Any], data: Any, dtype: Any = torch.float64) -> Any:
    """The gradient of the sum of what `call` makes of `data`."""
    x = torch.tensor(data, dtype=dtype, requires_grad=True)
    call(x).sum().backward()
    assert x.grad.dtype is dtype
    return x.grad.tolist()


# ---- the graph -------------------------------------------------------------------------------------------------------

MATRIX, VECTOR = leaf(np.array([[1.0, 2.0], [3.0, 4.0]])), leaf(np.array([1.0, 2.0, 3.0]))
NAMES: dict[str, Callable[[], Any]] = {
    "CumsumBackward0": lambda: MATRIX.cumsum(0),
    "CumprodBackward0": lambda: MATRIX.cumprod(0),
    "VarBackward0": lambda: MATRIX.var(),
    "StdBackward0": lambda: MATRIX.std(0),
    "VarMeanBackward0": lambda: torch.var_mean(MATRIX)[0],
    "StdMeanBackward0": lambda: torch.std_mean(MATRIX)[0],
    "LinalgVectorNormBackward0": lambda: MATRIX.norm(3),
    "ConstantPadNdBackward0": lambda: F.pad(MATRIX, (1, 1)),
    "ReflectionPad1DBackward0": lambda: F.pad(MATRIX, (1, 1), "reflect"),
    "ReplicationPad1DBackward0": lambda: F.pad(MATRIX, (1, 1), "replicate"),
    "DiagonalBackward0": lambda: MATRIX.diagonal(),
    "DiagonalBackward0_copy": lambda: MATRIX.diag(),
    "DiagEmbedBackward0": lambda: VECTOR.diag(),
    "SplitBackward0": lambda: MATRIX.split(1)[0],
    "SplitWithSizesBackward0": lambda: MATRIX.split([1, 1])[0],
    "Unique2Backward0": lambda: VECTOR.unique(),
    "UniqueDimBackward0": lambda: VECTOR.unique(dim=0),
}


@pytest.mark.parametrize("name", NAMES)
def test_nodes_have_pytorchs_names(name: str) -> None:
    assert NAMES[name]().grad_fn.name() == name


SCALARS: list[Callable[[Any], Any]] = [
    lambda x: x.median(0),
    lambda x: x.mode(0),
    lambda x: x.topk(1),
    lambda x: x.sort(),
    lambda x: x.sort(descending=True),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
@pytest.mark.parametrize("call", SCALARS)
def test_a_scalar_counts_as_a_vector_of_one_element(call: Callable[[Any], Any], dtype: Any) -> None:
    found = call(torch.tensor(3, dtype=dtype))
    for part, wanted in ((found.values, torch.tensor(3, dtype=dtype)), (found.indices, torch.tensor(0))):
        np.testing.assert_array_equal(part.numpy(), wanted.numpy(), strict=True)


def test_the_median_of_a_scalar_that_is_not_a_number_is_itself() -> None:
    found = torch.tensor(NAN).median(0)
    assert math.isnan(found.values.item())
    assert (found.indices.shape, found.indices.item()) == ((), 0)


# ---- dimensions and sizes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [0, 1, 2, 3])
def test_dims_are_counted_from_either_end(ndim: int) -> None:
    valid = range(-max(ndim, 1), max(ndim, 1))
    for dim in range(-5, 6):
        if dim in valid:
            found = dims.normal_dim(dim, ndim)
            assert found == range(max(ndim, 1))[dim]
            assert dims.normal_dim(np.int64(dim), ndim) == dims.normal_dim(torch.tensor(dim), ndim) == found
            assert type(dims.normal_dim(np.int64(dim), ndim)) is int
        else:
            assert message(IndexError, dims.normal_dim, dim, ndim) == (
                f"Dimension out of range (expected to be in range of [{valid[0]}, {valid[-1]}], but got {dim})"
            )


@pytest.mark.parametrize("dim", [True, 1.0, "0", None])
def test_a_dim_is_an_int_and_no_truth_value(dim: Any) -> None:
    assert (
        message(TypeError, lambda: dims.normal_dim(dim, 2)) == f"argument 'dim' must be int, not {type(dim).__name__}"
    )


def test_several_dims_are_named_once_each() -> None:
    assert dims.normal_dims(None, 3) == (0, 1, 2)
    assert dims.normal_dims(None, 0) == dims.normal_dims((), 3) == dims.normal_dims([], 3) == ()
    assert dims.normal_dims(-1, 3) == dims.normal_dims(np.int64(2), 3) == dims.normal_dims([2], 3) == (2,)
    assert dims.normal_dims((-1, 0), 3) == dims.normal_dims([2, 0], 3) == dims.normal_dims(iter([2, -3]), 3) == (2, 0)
    assert dims.normal_dims(0, 0) == dims.normal_dims((-1,), 0) == ()
    for twice in ((1, -1), (1, 0, 1)):
        assert message(RuntimeError, dims.normal_dims, twice, 2) == ("dim 1 appears multiple times in the list of dims")


def test_sizes_are_given_one_by_one_in_one_sequence_or_by_name() -> None:
    for given in ((2, 3), ((2, 3),), ([2, 3],), (np.int64(2), torch.tensor(3)), ((2, np.int32(3)),)):
        found = dims.sizes_of("f", given)
        assert found == (2, 3)
        assert set(map(type, found)) == {int}
    assert dims.sizes_of("f", (), (2, 3)) == dims.sizes_of("f", (), [2, 3]) == (2, 3)
    assert dims.sizes_of("f", (5,), 4) == dims.sizes_of("f", (4,)) == (4,)
    assert dims.sizes_of("f", ((),)) == dims.sizes_of("f", ([],)) == ()
    assert message(TypeError, dims.sizes_of, "f", ()) == (
        'f() missing 1 required positional arguments: "size"; f(()) is for 0 dimensions'
    )
    for position, each in enumerate([2.0, "2", None, True]):
        given = (*range(position), each)
        for sizes in (given, (given,)):
            assert message(TypeError, dims.sizes_of, "f", sizes) == (
                f"f(): argument 'size' (position {position + 1}) must be tuple of ints, but found element of type "
                f"{type(each).__name__} at pos {position}"
            )


# ---- grids -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indexing", ["ij", "xy"])
@pytest.mark.parametrize("sizes", [(2,), (2, 3), (2, 3, 4), (1, 2, 3, 2), (0, 2)])
def test_meshgrid_is_numpys(sizes: tuple[int, ...], indexing: Any) -> None:
    vectors = [np.arange(size) + 10 * i for i, size in enumerate(sizes)]
    found = torch.meshgrid(*map(torch.from_numpy, vectors), indexing=indexing)
    for grid, wanted in zip(found, np.meshgrid(*vectors, indexing=indexing), strict=True):
        np.testing.assert_array_equal(grid.numpy(), wanted, strict=True)


def test_grids_are_of_vectors_or_numbers_of_one_dtype() -> None:
    def of(*tensors: Any) -> str:
        return message(RuntimeError, torch.meshgrid, *tensors, indexing="ij")

    one, two = torch.meshgrid(torch.tensor(1), torch.tensor([2, 3]), indexing="ij")
    assert (one.tolist(), two.tolist()) == ([[1, 1]], [[2, 3]])
    assert of([]) == "meshgrid expects a non-empty TensorList"
    assert of(torch.ones(2), torch.ones(1, 2)).startswith("torch.meshgrid: Expected 0D or 1D tensor")
    assert "all of the same dtype" in of(torch.ones(2), torch.ones(2).long())
    assert message(RuntimeError, torch.meshgrid, torch.ones(2), indexing="ji") == (
        'torch.meshgrid: indexing must be one of "xy" or "ij", but received: ji'
    )


# ---- windows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_windows_are_numpys_and_their_gradients_add_up(size: int, step: int, dtype: str) -> None:
    array = np.arange(60).reshape(3, 4, 5).astype(dtype)
    for dim in range(3):
        x = leaf(array)
        found = x.unfold(dim, size, step)
        starts = range(0, array.shape[dim] - size + 1, step)
        wanted = np.stack([np.moveaxis(array, dim, -1)[..., start : start + size] for start in starts], dim)
        np.testing.assert_array_equal(found.detach().numpy(), wanted, strict=True)
        g = np.random.default_rng(0).integers(-3, 4, wanted.shape).astype(dtype)
        found.backward(torch.from_numpy(g))
        back = np.zeros_like(array)
        for i, start in enumerate(starts):
            np.moveaxis(back, dim, -1)[..., start : start + size] += g.take(i, dim)
        np.testing.assert_array_equal(x.grad.numpy(), back, strict=True)


def test_the_windows_of_a_scalar_are_one_or_none() -> None:
    for size in (0, 1):
        x = leaf(np.array(2.0))
        found = x.unfold(0, size, 1)
        assert found.tolist() == [2.0] * size
        (found * 3).sum().backward()
        assert (x.grad.shape, x.grad.item()) == ((), 3 * size)


# ---- counting --------------------------------------------------------------------------------------------------------


def test_of_nothing_there_are_no_distinct_elements() -> None:
    for shape, dim in (((0,), None), ((2, 0, 3), None), ((0, 2), 0), ((2, 0), 1)):
        x = torch.zeros(shape)
        found, inverse, counts = x.unique(return_inverse=True, return_counts=True, dim=dim)
        assert found.shape == ((0,) if dim is None else shape)
        assert inverse.shape == (shape if dim is None else (0,))
        assert counts.shape == (0,)
        assert {found.dtype, inverse.dtype, counts.dtype} == {torch.float32, torch.int64}


def test_parts_without_elements_are_all_alike() -> None:
    found, inverse, counts = ordering.distinct(np.zeros((3, 0)), 0)
    assert (found.shape, inverse.tolist(), counts.tolist()) == ((1, 0), [0, 0, 0], [3])


def test_histograms_with_weights_are_numpys() -> None:
    x = np.array([0.5, 1.0, 2.5, 4.0, 4.5, -1.0, 0.0])
    weights = np.arange(1.0, 8)
    for bins in (np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 2.0, 3.0, 4.0])):
        found = torch.from_numpy(x).histogram(torch.from_numpy(bins), weight=torch.from_numpy(weights))
        np.testing.assert_array_equal(found.hist.numpy(), np.histogram(x, bins, weights=weights)[0])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16])
def test_histc_counts_in_bins_of_equal_width(dtype: Any) -> None:
    numbers = [0.0, 0.5, 1.0, 2.0, 3.0, 3.5, 4.0, 5.0, -1.0, 2.25]
    x = torch.tensor(numbers, dtype=dtype)
    for bins, low, high in ((4, 1, 4), (3, -1, 5), (1, 0, 4), (6, 2, 5), (7, 10, 20), (3, -7, -4)):
        found = x.histc(bins, low, high)
        assert found.dtype is dtype
        assert found.tolist() == np.histogram(numbers, bins, (low, high))[0].tolist()
    assert x.histc(3).tolist() == np.histogram(numbers, 3)[0].tolist()
    assert torch.zeros(0, dtype=dtype).histc(3).tolist() == [0, 0, 0]
    assert torch.ones(3, dtype=dtype).histc(3).tolist() == [0, 3, 0]


def test_edges_of_bins_are_computed_from_the_nearer_end() -> None:
    """In their dtype; recorded from PyTorch, to the last digit."""
    edges = {
        (0.1, 0.7, 7): [0.1, 0.18571427, 0.27142856, 0.35714284, 0.44285715, 0.5285714, 0.6142857, 0.7],
        (0.1, 0.7, 6): [0.1, 0.19999999, 0.29999998, 0.4, 0.5, 0.6, 0.7],
    }
    for (low, high, count), wanted in edges.items():
        for found in (
            ordering.equally_spaced(np.float32(low), np.float32(high), count + 1),
            torch.tensor([low]).histogram(count, range=(low, high)).bin_edges.numpy(),
        ):
            np.testing.assert_array_equal(found, np.array(wanted, np.float32), strict=True)


# ---- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8"])
@pytest.mark.parametrize("dim", [0, 1])
def test_of_many_equal_elements_the_order_is_kept(dim: int, dtype: str) -> None:
    x = np.random.default_rng(0).integers(0, 5, (400, 300)).astype(dtype)
    wanted = np.lexsort((np.indices(x.shape)[dim], x), axis=dim)
    np.testing.assert_array_equal(ordering.order(x, dim), wanted, strict=True)
    wanted = np.lexsort((np.indices(x.shape)[dim], -x), axis=dim)
    np.testing.assert_array_equal(ordering.order(x, dim, descending=True), wanted, strict=True)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_the_largest_along_any_dimension_come_in_order(dim: int, largest: bool) -> None:
    array = np.random.default_rng(0).permutation(7 * 8 * 9).reshape(7, 8, 9)
    ordered = np.sort(array, dim)
    ordered = np.flip(ordered, dim) if largest else ordered
    for k in range(array.shape[dim] + 1):
        found = torch.from_numpy(array).topk(k, dim, largest)
        wanted = ordered.take(range(k), dim)
        np.testing.assert_array_equal(found.values.numpy(), wanted, strict=True)
        np.testing.assert_array_equal(np.take_along_axis(array, found.indices.numpy(), dim), wanted)


def lines(x: Array, dim: int, of: Callable[[list[Any]], int]) -> Array:
    """The index that `of` gives for each line of `x` along `dim`."""
    return np.apply_along_axis(lambda line: of(line.tolist()), dim, x)


def median_of(line: list[Any]) -> int:
    nans = [i for i, each in enumerate(line) if each != each]
    return nans[0] if nans else line.index(sorted(line)[(len(line) - 1) // 2])


def mode_of(line: list[Any]) -> int:
    """The last index of the most frequent number, of the smallest of them."""
    best = min(line, key=lambda each: (-line.count(each), each))
    return len(line) - 1 - line[::-1].index(best)


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("shape", [(5,), (6,), (1,), (2, 5), (5, 2), (4, 7, 6)])
def test_medians_along_any_dimension(shape: tuple[int, ...], with_nan: bool) -> None:
    generator = np.random.default_rng(len(shape))
    x = generator.permutation(math.prod(shape)).reshape(shape).astype(np.float64)
    if with_nan:
        # Never two neighbours: each line has a number.
        x[(np.indices(shape).sum(0) % 2 == 1) & (generator.random(shape) < 0.5)] = np.nan
    for dim in range(x.ndim):
        for keepdim in (False, True):
            for dtype in ("float64", "float32") if with_nan else ("float64", "int64"):
                t = torch.from_numpy(x.astype(dtype))
                wanted = lines(x, dim, median_of)
                found = t.median(dim, keepdim)
                wanted = np.expand_dims(wanted, dim) if keepdim else wanted
                np.testing.assert_array_equal(found.indices.numpy(), wanted, strict=True)
                values = np.take_along_axis(t.numpy(), wanted if keepdim else np.expand_dims(wanted, dim), dim)
                np.testing.assert_array_equal(
                    found.values.numpy(), values if keepdim else values.squeeze(dim), strict=True
                )


@pytest.mark.parametrize("shape", [(6,), (2, 9), (9, 2), (8, 3, 7)])
def test_modes_along_any_dimension(shape: tuple[int, ...]) -> None:
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 3, shape)
        for dim in range(x.ndim):
            for dtype in ("int64", "float32"):
                found = torch.from_numpy(x.astype(dtype)).mode(dim)
                np.testing.assert_array_equal(found.indices.numpy(), lines(x, dim, mode_of), strict=True)
    for numbers, value, index in (([1, 1, 1, 2, 2, 2], 1, 2), ([2, 2, 2, 1, 1, 1], 1, 5), ([2, 1, 2], 2, 2)):
        mode = torch.tensor(numbers).mode()
        assert (mode.values.item(), mode.indices.item()) == (value, index)


# ---- scans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_running_sums_and_products_lie_in_order_in_the_dtype_of_the_sum(dim: int, dtype: str) -> None:
    array = np.random.default_rng(0).integers(0, 3, (3, 4, 5)).astype(dtype)
    kind = np.dtype("int64") if np.dtype(dtype).kind in "biu" else np.dtype(dtype)
    for layout in (array, array.copy(order="F"), array.transpose(2, 0, 1)):
        x = torch.from_numpy(layout)
        for found, wanted in ((x.cumsum(dim), layout.cumsum(dim)), (x.cumprod(dim), layout.cumprod(dim))):
            np.testing.assert_array_equal(found.numpy(), wanted.astype(kind), strict=True)
            assert found.is_contiguous()
    if dtype == "int32":
        found = torch.from_numpy(array).cumsum(dim, dtype=torch.int32)
        np.testing.assert_array_equal(found.numpy(), array.cumsum(dim, dtype=np.int32), strict=True)


def test_gradients_of_running_products_of_few_factors() -> None:
    assert gradient(lambda x: x.cumprod(0), [2, 3]) == [4, 2]
    assert gradient(lambda x: x.cumprod(0), [0, 3]) == [4, 0]
    assert gradient(lambda x: x.cumprod(0), [0]) == gradient(lambda x: x.cumprod(0), [INF]) == [1]
    assert gradient(lambda x: x.cumprod(0), 0) == 1


# ---- moments and norms -----------------------------------------------------------------------------------------------


def norm_of(x: Array, p: float, dims: tuple[int, ...]) -> Any:
    """The norm of NumPy, over any dimensions."""
    if p == 0:
        return np.count_nonzero(x, dims, keepdims=True)
    if math.isinf(p):
        return (np.max if p > 0 else np.min)(np.abs(x), dims, keepdims=True)
    return (np.abs(x) ** p).sum(dims, keepdims=True) ** (1 / p)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("name", ["var", "std", 0, 0.5, 1, 2, 3, INF, -INF])
def test_moments_and_norms_keep_the_dtype_and_all_dims_but_those_named(name: Any, keepdim: bool) -> None:
    array = np.random.default_rng(0).integers(-3, 4, (3, 1, 4)).astype(np.float64)
    for dtype in ("float64", "float32", "float16"):
        for over in ((0,), (2,), (0, 2), (0, 1)):
            x = leaf(array.astype(dtype))
            if isinstance(name, str):
                found = getattr(x, name)(over, keepdim=keepdim)
                wanted = getattr(array, name)(over, ddof=1, keepdims=True)
            else:
                found = x.norm(name, over, keepdim)
                wanted = norm_of(array, name, over)
            wanted = wanted if keepdim else wanted.squeeze(over)
            assert (found.shape, found.dtype) == (wanted.shape, x.dtype)
            np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-3 if dtype == "float16" else 1e-6)
            if name != 0:
                (dx,) = torch.autograd.grad(found.sum(), x)
                assert (dx.shape, dx.dtype) == (x.shape, x.dtype)


def test_gradients_of_norms_at_zeros_and_ties() -> None:
    """As PyTorch's, recorded there."""
    root = math.sqrt(2)
    np.testing.assert_allclose(gradient(lambda x: x.norm(0.5), [0, 1, 2]), [0, 1 + root, 1 + 1 / root])
    assert gradient(lambda x: x.norm(0.5), [0, 0]) == [0, 0]
    assert gradient(lambda x: x.norm(1), [0, NAN]) == [0, 0]
    for slope in (gradient(lambda x: x.norm(1.5), [0, NAN]), gradient(lambda x: x.norm(), [0, NAN])):
        assert all(map(math.isnan, slope))
    ties = gradient(lambda x: x.norm(INF, 0), [[1, -2], [1, 2], [-1, 0]])
    np.testing.assert_allclose(ties, [[1 / 3, -0.5], [1 / 3, 0.5], [-1 / 3, 0]])
    assert not np.signbit(gradient(lambda x: x.norm(), [0, 0])).any()


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, INF, -INF])
def test_a_row_of_zeros_has_no_part_in_the_gradients_of_the_norms_of_others(p: float) -> None:
    found = gradient(lambda x: x.norm(p, 1), [[0, 0], [3, -4]])
    assert found == [[0, 0], gradient(lambda x: x.norm(p, 0), [3, -4])]


def test_the_gradient_of_a_norm_is_recorded_as_a_product() -> None:
    x = leaf(np.array([3.0, 4.0]))
    (dx,) = torch.autograd.grad(x.norm(), x, create_graph=True)
    assert dx.grad_fn.name() == "MulBackward0"


@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")
def test_without_degrees_of_freedom_the_slope_of_a_variance_is_infinite() -> None:
    assert math.isnan(gradient(lambda x: x.var(), [1])[0])
    found = gradient(lambda x: x.var(1, correction=2), [[1, 2], [3, 3]])
    assert found[0] == [-INF, INF]
    assert all(map(math.isnan, found[1]))


# ---- joins and parts -------------------------------------------------------------------------------------------------


def test_what_is_joined_is_promoted_by_pytorchs_rules_and_gives_each_its_gradient() -> None:
    whole, half = torch.tensor([1, 2]), torch.tensor([0.5, 1.5], dtype=torch.float16, requires_grad=True)
    single = torch.tensor([3.0, 4.0], requires_grad=True)
    double = torch.tensor([5.0, 6.0], dtype=torch.float64, requires_grad=True)
    for tensors, wanted in (([whole, single], torch.float32), ([half, single, whole], torch.float32),
                            ([half, whole], torch.float16), ([double, half], torch.float64)):  # fmt: skip
        for found in (torch.cat(tensors), torch.stack(tensors)):
            assert found.dtype is wanted
            floats = [x for x in tensors if x.requires_grad]
            for x, dx in zip(floats, torch.autograd.grad(found.sum(), floats), strict=True):
                assert (dx.dtype, dx.tolist()) == (x.dtype, [1, 1])
    for call in (torch.cat, torch.stack):
        both = call([whole, whole.int()])
        assert both.dtype is torch.int64


def test_parts_without_a_gradient_count_as_zeros_of_the_dtype() -> None:
    for dtype in (torch.float32, torch.float16, torch.float64):
        for parts in (lambda x: x.split([1, 2, 1]), lambda x: x.unbind(), lambda x: x.split(1)):
            x = torch.ones(4, dtype=dtype, requires_grad=True)
            (dx,) = torch.autograd.grad(parts(x)[1].sum() * 2, x, create_graph=True)
            assert dx.dtype is dtype
            assert dx.tolist() == ([0, 2, 2, 0] if len(parts(x)) == 3 else [0, 2, 0, 0])


def test_joins_say_what_does_not_fit() -> None:
    vector, matrix = torch.ones(3), torch.ones(2, 3)

    def of(call: Callable[..., Any], *arguments: Any, error: type[Exception] = RuntimeError) -> str:
        return message(error, call, *arguments)

    assert of(torch.cat, [], error=ValueError) == "torch.cat(): expected a non-empty list of Tensors"
    assert of(torch.cat, [vector, torch.tensor(1.0)]) == (
        "zero-dimensional tensor (at position 1) cannot be concatenated: stack() joins 0-d tensors"
    )
    assert of(torch.cat, [matrix, vector]) == (
        "Tensors must have same number of dimensions: got 2 and 1. unsqueeze(dim) adds one"
    )
    assert of(torch.cat, [torch.ones(0), matrix, torch.ones(3, 2)], 1) == (
        "Sizes of tensors must match except in dimension 1. Expected sizes [2, 3] but got [3, 2] for tensor number 2 "
        "in the list."
    )
    assert of(torch.stack, []) == "stack expects a non-empty TensorList"
    assert of(torch.stack, [matrix, matrix, vector]) == (
        "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3] at entry 2"
    )


# ---- pads ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "bool"])
@pytest.mark.parametrize("pads", [(1, 2), (-1, 2), (2, -3), (-1, -1, 0, 2), (0, 0, 1, -1)])
def test_constant_pads_add_and_cut_off(pads: tuple[int, ...], dtype: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    found = F.pad(torch.from_numpy(array), pads, value=1).numpy()
    pairs = [(0, 0)] * (2 - len(pads) // 2) + [*zip(pads[-2::-2], pads[-1::-2], strict=True)]
    wanted = np.pad(array, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=1)
    cut = tuple(slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(pairs, wanted.shape, strict=True))
    np.testing.assert_array_equal(found, wanted[cut], strict=True)
    if np.dtype(dtype).kind == "f":
        x = leaf(array)
        out = F.pad(x, pads, value=5)
        g = torch.arange(out.numel()).reshape(out.shape).to(out.dtype) + 1
        out.backward(g)
        back = np.zeros_like(array)
        places = np.pad(np.arange(12).reshape(3, 4), [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=-1)
        for place, each in zip(places[cut].ravel(), g.numpy().ravel(), strict=True):
            if place >= 0:
                back.flat[place] = each
        np.testing.assert_array_equal(x.grad.numpy(), back, strict=True)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("mode", "name"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
def test_repeating_pads_are_numpys_and_their_gradients_add_up(mode: str, name: Any, dtype: str) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    places = np.arange(24).reshape(2, 3, 4)
    for pads in ((1, 2), (2, 0), (3, 1, 1, 2), (0, 1, 2, 0)):
        pairs = [(0, 0)] * (3 - len(pads) // 2) + [*zip(pads[-2::-2], pads[-1::-2], strict=True)]
        x = leaf(array)
        out = F.pad(x, pads, mode)
        np.testing.assert_array_equal(out.detach().numpy(), np.pad(array, pairs, name), strict=True)
        g = np.random.default_rng(0).integers(-3, 4, out.shape).astype(dtype)
        (dx,) = torch.autograd.grad(out, x, torch.from_numpy(g), create_graph=True)
        wanted = np.zeros(24)
        np.add.at(wanted, np.pad(places, pairs, name).ravel(), g.ravel())
        np.testing.assert_array_equal(dx.detach().numpy(), wanted.reshape(x.shape).astype(dtype), strict=True)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_what_pads_the_gradients_of_a_gradient_is_a_pad_again(mode: str) -> None:
    x, g, h = (leaf(np.ones((1, size))) for size in (3, 5, 3))
    out = F.pad(x, (1, 1), mode)
    (dx,) = torch.autograd.grad(out, x, g, create_graph=True)
    (dg,) = torch.autograd.grad(dx, g, h, create_graph=True)
    assert dg.tolist() == [[1] * 5]
    assert dg.grad_fn.name() == out.grad_fn.name()


def test_where_nothing_is_left_of_the_middle_the_ends_still_repeat_it() -> None:
    x = leaf(np.array([[1.0, 2.0]]))
    out = F.pad(x, (3, -2), "replicate")
    assert out.tolist() == [[1, 1, 1]]
    out.sum().backward()
    assert x.grad.tolist() == [[3, 0]]


# ---- diagonals -------------------------------------------------------------------------------------------------------
