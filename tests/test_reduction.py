"""Reductions, order and counting without PyTorch: what finite differences do not see."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import leaf
from strategies import DTYPES, FLOATS, INTEGERS, Array, arrays, shapes

import minigrad as torch
from minigrad import return_types
from minigrad.nn import functional as F

NAN, INF = math.nan, math.inf


def gradient(call: Any, data: Any) -> Any:
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    call(x).backward()
    return x.grad.tolist()


def values(*tensors: Any) -> list[Any]:
    return [x.tolist() for x in tensors]


# ---- results with names ----------------------------------------------------------------------------------------------


def test_results_with_names_are_tuples_and_print_as_pytorchs() -> None:
    result = torch.tensor([[1.0, 3.0], [4.0, 2.0]]).max(1)
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))"
    largest, where = result
    assert largest is result.values is result[0]
    assert where is result.indices is result[-1]
    assert isinstance(result, tuple)
    assert type(result[:1]) is tuple
    match result:
        case return_types.max(first, second):
            assert (first, second) == (largest, where)


@pytest.mark.parametrize("copied", [copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
def test_results_with_names_can_be_copied(copied: Any) -> None:
    result = return_types.sort([1, 2])
    assert copied(result) == result
    assert type(copied(result)) is return_types.sort


def test_results_with_names_are_made_of_one_sequence() -> None:
    with pytest.raises(TypeError, match="takes a 2-sequence \\(1-sequence given\\): values, indices"):
        return_types.topk([1])
    with pytest.raises(TypeError, match="constructor requires a sequence"):
        return_types.topk(1)


@pytest.mark.parametrize("name", return_types.__all__)
def test_results_are_of_the_type_named_after_the_function(name: str) -> None:
    x = torch.tensor([3.0, 1.0, 2.0])
    arguments = {"topk": (1,), "histogram": (2,), "sort": (), "mode": ()}.get(name, (0,))
    result = getattr(torch, name)(x, *arguments)
    assert type(result) is getattr(return_types, name)
    assert repr(result).startswith(f"torch.return_types.{name}(\n")


# ---- infinities, nan, ties and zeros ---------------------------------------------------------------------------------


def test_exponentials_neither_overflow_nor_vanish() -> None:
    x = torch.tensor([1000.0, 1000.0])
    assert x.softmax(0).tolist() == [0.5, 0.5]
    assert x.logsumexp(0).item() == pytest.approx(1000 + math.log(2))
    assert torch.tensor([0.0, -1000.0]).log_softmax(0).tolist() == [0, -1000]


def test_logsumexp_of_infinities() -> None:
    def of(*numbers: float) -> float:
        return torch.tensor(numbers).logsumexp(0).item()

    assert of(INF, 1) == of(INF, -INF) == INF
    assert of(-INF, -INF) == of() == -INF
    assert of(-INF, 2) == 2
    assert math.isnan(of(NAN, INF))
    assert gradient(lambda x: x.logsumexp(0), [-INF, 2]) == [0, 1]


@pytest.mark.parametrize("keepdim", [False, True])
def test_logsumexp_over_no_dim_is_that_over_all(keepdim: bool) -> None:
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    assert torch.equal(x.logsumexp((), keepdim), x.logsumexp((0, 1), keepdim))


def test_extrema_share_the_gradient_among_equal_ones_and_those_of_a_dim_do_not() -> None:
    assert gradient(lambda x: x.amax(), [1, 3, 3]) == [0, 0.5, 0.5]
    assert gradient(lambda x: x.amin(0).sum(), [[1, 3], [1, 2]]) == [[0.5, 0], [0.5, 1]]
    assert gradient(lambda x: x.max(0).values, [1, 3, 3]) == [0, 1, 0]
    assert gradient(lambda x: x.median(), [1, 2, 2, 2, 7]) == [0, 1 / 3, 1 / 3, 1 / 3, 0]
    assert gradient(lambda x: x.norm(INF), [2, -2, 1]) == [0.5, -0.5, 0]


def test_extrema_of_nan() -> None:
    x = [1.0, NAN, 3.0]
    assert math.isnan(torch.tensor(x).max().item())
    assert torch.tensor(x).max(0).indices.item() == 1
    assert torch.tensor(x).argmin().item() == 1
    assert gradient(lambda t: t.max(), x) == [0, 1, 0]
    assert all(map(math.isnan, gradient(lambda t: t.amax(), x)))
    assert math.isnan(torch.tensor(x).median().item())
    assert torch.tensor(x).nansum().item() == 4
    assert torch.tensor(x).nanmean().item() == 2
    assert gradient(lambda t: t.nansum(), x) == [1, 0, 1]


def test_gradients_at_zero() -> None:
    assert gradient(lambda x: x.norm(), [0, 0]) == [0, 0]
    assert gradient(lambda x: x.norm(3), [0, 0]) == [0, 0]
    assert gradient(lambda x: x.norm(1), [0, -2]) == [0, -1]
    # Their squares are 0, and so is the norm.
    assert gradient(lambda x: x.norm(), [1e-200, 1e-200]) == [0, 0]
    assert gradient(lambda x: x.norm(3), [1e-200, 1e-200]) == [0, 0]
    assert gradient(lambda x: x.std(), [1, 1]) == [0, 0]
    assert gradient(lambda x: x.prod(), [0, 3, 2]) == [6, 0, 0]
    assert gradient(lambda x: x.prod(), [0, 3, 0]) == [0, 0, 0]
    assert gradient(lambda x: x.cumprod(0).sum(), [0, 3, 2]) == [10, 0, 0]
    assert gradient(lambda x: x.cumprod(0).sum(), [2, 0, 0, 2]) == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("x", "g", "wanted"), [((1e20, 1e18), 1e5, (1e23, 1e25)), ((1e-18, 1e-19), 1e-6, (1e-25, 1e-24))]
)
def test_gradients_of_products_whose_scaled_product_is_beyond_range(x: Any, g: float, wanted: Any) -> None:
    t = torch.tensor(x, requires_grad=True)
    t.prod().backward(torch.tensor(g))
    np.testing.assert_allclose(t.grad.numpy(), wanted, rtol=1e-6)


def test_gradients_at_infinity_and_nan() -> None:
    def same(got: Any, wanted: Any) -> None:
        np.testing.assert_equal(np.array(got), np.array(wanted, np.float64))

    for p in (INF, -INF):
        same(gradient(lambda x, p=p: x.norm(p), [NAN, 1, 2]), [0, 0, 0])
    same(gradient(lambda x: x.norm(0.5), [INF, 1]), [NAN, INF])
    same(gradient(lambda x: x.norm(0.5), [NAN, 1]), [NAN, NAN])


def second_derivatives(call: Any, data: Any) -> Any:
    """The gradient of the sum of the gradient of the sum."""
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(call(x).sum(), x, create_graph=True)
    return torch.autograd.grad(first.sum(), x)[0].tolist()


def test_what_has_no_derivative_does_not_spread_to_the_second_derivatives_of_others() -> None:
    def of_norm(x: Any) -> Any:
        return x.norm(1.5)

    first, at_zero, last = second_derivatives(of_norm, [1, 0, -3])
    assert math.isnan(at_zero)
    np.testing.assert_allclose([first, last], second_derivatives(of_norm, [1, -3]))
    assert second_derivatives(lambda x: x.norm(1), [NAN, 2, INF]) == [0, 0, 0]


def test_warnings_point_to_the_program() -> None:
    x = torch.ones(1)
    for call in (x.var, lambda: torch.std(x), lambda: torch.std_mean(x), lambda: x.std(axis=0)):
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0") as warned:
            call()
        assert warned[0].filename == __file__


def test_norms_of_whole_numbers_and_of_nothing() -> None:
    assert torch.tensor([3.0, 0.0, -4.0]).norm(0).item() == 2
    assert torch.zeros(0).norm().item() == 0
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor as input"):
        torch.tensor([1]).norm()


@pytest.mark.parametrize("name", ["var", "std", "std_mean"])
def test_too_few_elements_for_the_correction_warn(name: str) -> None:
    x = torch.tensor([1.0])
    with pytest.warns(UserWarning, match=f"{name}\\(\\): degrees of freedom is <= 0") as caught:
        result = getattr(torch, name)(x) if name.endswith("mean") else getattr(x, name)()
    assert caught[0].filename == __file__
    assert math.isnan((result[0] if name.endswith("mean") else result).item())
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert torch.tensor([1.0, 3.0]).var(correction=2).item() == INF


def test_the_words_for_a_correction() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    for biased in (x.var(False), x.var(unbiased=False), x.var(correction=0), x.var((0, 1), False), x.var(None, False)):
        assert biased.item() == 3.5
    assert x.var(0, True, True).tolist() == x.var(axis=0, keepdims=True).tolist() == [[2, 8]]
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        x.var(unbiased=False, correction=1)
    with pytest.raises(RuntimeError, match="std and var only support floating point and complex dtypes"):
        torch.tensor([1, 2]).std()


# ---- accuracy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(100_003, 3), (20_011, 2, 2), (64, 70, 5)])
def test_sums_of_many_rows_keep_their_digits(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).random(shape, np.float32)
    for dims in (0, (0, 1)) if len(shape) == 3 else (0,):
        exact = x.astype(np.float64).sum(dims)
        np.testing.assert_allclose(torch.from_numpy(x).sum(dims).numpy(), exact, rtol=1e-6)
        np.testing.assert_allclose(
            torch.from_numpy(x).var(dims).numpy(), x.astype(np.float64).var(dims, ddof=1), rtol=1e-5
        )


def test_variance_far_from_zero() -> None:
    x = torch.tensor([1e6, 1e6 + 1, 1e6 + 2])
    assert x.var().item() == 1


def test_half_precision_is_rounded_once() -> None:
    x = torch.full((4096,), 0.1, dtype=torch.float16)
    exact = float(np.float16(0.1)) * 4096
    assert x.sum().item() == np.float16(exact)
    assert x.mean().item() == np.float16(0.1)
    assert x.cumsum(0)[-1].item() == np.float16(exact)
    assert torch.full((512,), 200.0, dtype=torch.float16).norm().item() == np.float16(200 * 512**0.5)


def test_running_sums_do_not_lose_digits() -> None:
    x = np.random.default_rng(0).random(100_000, np.float32)
    np.testing.assert_allclose(torch.from_numpy(x).cumsum(0).numpy(), x.astype(np.float64).cumsum(), rtol=1e-7)


# ---- gradients that use up what forward has left ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["var", "std", "logsumexp", "log_softmax"])
def test_a_second_backward_pass_gives_the_same(name: str) -> None:
    x = leaf(np.array([[1.0, 2.0], [4.0, 1.0], [0.5, 3.0]]))
    y = getattr(x, name)(0)
    g = torch.from_numpy(np.arange(-2.5, 4)[: y.numel()].reshape(y.shape))
    first, second, third = [torch.autograd.grad(y, x, g, retain_graph=True)[0] for _ in range(3)]
    kept = first.tolist()
    np.testing.assert_allclose(second.tolist(), kept, rtol=1e-14)
    assert second.tolist() == third.tolist()
    second += 1
    assert first.tolist() == kept


# ---- order and counting, against NumPy -------------------------------------------------------------------------------

drawn = arrays(st.sampled_from(DTYPES), shapes(1, 3, min_side=1))


@given(x=drawn, data=st.data(), descending=st.booleans())
def test_sort_keeps_the_order_of_equal_elements(x: Array, data: st.DataObject, descending: bool) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    got = torch.from_numpy(x).sort(dim, descending)
    lines = np.moveaxis(x, dim, -1).reshape(-1, x.shape[dim])
    wanted = [
        sorted(range(len(line)), key=lambda i: -float(line[i]) if descending else float(line[i])) for line in lines
    ]
    np.testing.assert_array_equal(np.moveaxis(got.indices.numpy(), dim, -1).reshape(lines.shape), wanted)
    np.testing.assert_array_equal(got.values.numpy(), np.take_along_axis(x, got.indices.numpy(), dim))
    np.testing.assert_array_equal(torch.from_numpy(x).argsort(dim, descending).numpy(), got.indices.numpy())


@given(x=arrays(st.sampled_from((*FLOATS, *INTEGERS)), shapes(1, 2, min_side=1, max_side=9)), data=st.data())
def test_topk_is_the_beginning_of_a_sort(x: Array, data: st.DataObject) -> None:
    k, largest = data.draw(st.integers(0, x.shape[-1])), data.draw(st.booleans())
    got, ordered = torch.from_numpy(x).topk(k, largest=largest), torch.from_numpy(x).sort(descending=largest)
    np.testing.assert_array_equal(got.values.numpy(), ordered.values.numpy()[..., :k])
    np.testing.assert_array_equal(got.values.numpy(), np.take_along_axis(x, got.indices.numpy(), -1))


@given(x=drawn, data=st.data())
def test_index_of_an_extremum_is_the_first_whatever_the_layout(x: Array, data: st.DataObject) -> None:
    if x.dtype == bool:
        x = x.astype(np.int64)
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    np.testing.assert_array_equal(torch.from_numpy(x).argmax(dim).numpy(), x.argmax(dim))


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_index_of_an_extremum_in_large_arrays(dtype: str, dim: int) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (40, 30, 20)).astype(dtype)
    if dtype == "float32":
        x[3:5, 4, 5] = np.nan
    for view in (x, x[::-1].transpose(2, 0, 1)):
        t = torch.from_numpy(view.copy()) if view is x else torch.from_numpy(np.flip(x, 0).copy()).permute(2, 0, 1)
        np.testing.assert_array_equal(t.argmax(dim).numpy(), view.argmax(dim))
        np.testing.assert_array_equal(t.min(dim, True).indices.numpy(), view.argmin(dim, keepdims=True))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 1024), (2, 1025), (4, 5, 7), (6,), (3, 1)])
def test_extrema_of_rows_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    if len(shape) > 1:
        x[1, ..., -1] = np.nan
    for array, view in ((x, torch.from_numpy(x)), (x.T, torch.from_numpy(x).permute(*reversed(range(x.ndim))))):
        for keepdim in (False, True):
            wanted = array.max(-1, keepdims=keepdim), array.min(-1, keepdims=keepdim)
            np.testing.assert_array_equal(view.amax(-1, keepdim).numpy(), wanted[0], strict=True)
            np.testing.assert_array_equal(view.amin(-1, keepdim).numpy(), wanted[1], strict=True)


@given(x=drawn)
def test_unique_is_numpys(x: Array) -> None:
    found, inverse, counts = torch.from_numpy(x).unique(return_inverse=True, return_counts=True)
    wanted = np.unique(x, return_counts=True)
    np.testing.assert_array_equal(found.numpy(), wanted[0])
    np.testing.assert_array_equal(counts.numpy(), wanted[1])
    np.testing.assert_array_equal(found.numpy()[inverse.numpy()], x)


@given(x=arrays(st.sampled_from(DTYPES), shapes(2, 3, min_side=1)), data=st.data())
def test_unique_parts_are_numpys(x: Array, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    found, inverse, counts = torch.from_numpy(x).unique(True, True, True, dim)
    np.testing.assert_array_equal(found.numpy(), np.unique(x, axis=dim))
    np.testing.assert_array_equal(np.take(found.numpy(), inverse.numpy(), dim), x)
    assert counts.sum().item() == x.shape[dim]


def test_no_nan_is_like_another() -> None:
    found, counts = torch.tensor([NAN, 1.0, NAN, 1.0]).unique(return_counts=True)
    assert counts.tolist() == [2, 1, 1]
    assert found[0].item() == 1


@given(x=arrays(st.sampled_from(INTEGERS), shapes(1, 1, max_side=9)), least=st.integers(0, 9))
def test_bincount_is_numpys(x: Array, least: int) -> None:
    ids = np.abs(x)
    np.testing.assert_array_equal(
        torch.from_numpy(ids).bincount(minlength=least).numpy(), np.bincount(ids, None, least)
    )
    if ids.size:
        weights = np.arange(len(ids)) / 4
        got = torch.from_numpy(ids).bincount(torch.from_numpy(weights), least)
        np.testing.assert_array_equal(got.numpy(), np.bincount(ids, weights, least))


@given(x=arrays("float64", shapes(max_dims=2)), bins=st.integers(1, 6), density=st.booleans())
def test_histogram_is_numpys(x: Array, bins: int, density: bool) -> None:
    with np.errstate(all="ignore"):
        for limits in (None, (-2.5, 3.5)):
            got = torch.from_numpy(x).histogram(bins, range=limits, density=density)
            hist, edges = np.histogram(x, bins, limits, density=density)
            np.testing.assert_allclose(got.hist.numpy(), hist)
            np.testing.assert_allclose(got.bin_edges.numpy(), edges)


@given(x=arrays("int64", shapes()), among=arrays("int64", shapes()))
def test_isin_is_numpys_in_any_layout(x: Array, among: Array) -> None:
    got = torch.isin(torch.from_numpy(x), torch.from_numpy(among))
    np.testing.assert_array_equal(got.numpy(), np.isin(x, among), strict=True)


@given(x=arrays("int64", shapes(1, 1, max_side=9)), v=arrays("int64", shapes()), right=st.booleans())
def test_bucketize_is_numpys_searchsorted(x: Array, v: Array, right: bool) -> None:
    wanted = np.searchsorted(np.sort(x), v, "right" if right else "left")
    found = torch.bucketize(torch.from_numpy(v), torch.from_numpy(np.sort(x)), right=right)
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_a_number_that_is_sought_is_rounded_as_the_sequence() -> None:
    assert torch.bucketize(0.1, torch.tensor([0.1]), right=True).item() == 1
    assert torch.bucketize(2.5, torch.tensor([1, 2, 3])).item() == 2


@given(x=drawn, data=st.data())
def test_mode_is_the_smallest_of_the_most_frequent(x: Array, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-x.ndim, x.ndim - 1))
    got = torch.from_numpy(x).mode(dim)

    def most_frequent(line: Array) -> Any:
        found, counts = np.unique(line, return_counts=True)
        return found[counts.argmax()]

    np.testing.assert_array_equal(got.values.numpy(), np.apply_along_axis(most_frequent, dim, x))
    where = np.expand_dims(got.indices.numpy(), dim)
    np.testing.assert_array_equal(got.values.numpy(), np.take_along_axis(x, where, dim).squeeze(dim))


@given(x=drawn)
def test_counts_of_what_is_not_zero(x: Array) -> None:
    t = torch.from_numpy(x)
    assert t.count_nonzero().item() == np.count_nonzero(x)
    np.testing.assert_array_equal(t.count_nonzero(0).numpy(), np.count_nonzero(x, axis=0))


# ---- errors and warnings ---------------------------------------------------------------------------------------------


def test_what_has_no_derivative_says_so() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match="the derivative for '_unique2' is not implemented"):
        x.unique().sum().backward()
    with pytest.raises(RuntimeError, match="derivative for aten::histogram is not implemented"):
        x.histogram(2).hist.sum().backward()
    with pytest.raises(RuntimeError, match="derivative for aten::bincount is not implemented"):
        torch.tensor([0, 1]).bincount(x).sum().backward()


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(("shape", "dim"), [((), 0), ((2,), 0), ((2, 3), 1), ((2, 3, 2), 0), ((1, 2, 3, 2), 1)])
def test_a_softmax_without_a_dim_warns_and_chooses(name: str, shape: tuple[int, ...], dim: int) -> None:
    x = torch.from_numpy(np.random.default_rng(0).random(shape))
    with pytest.warns(UserWarning, match=f"Implicit dimension choice for {name} has been deprecated") as caught:
        got = getattr(F, name)(x)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(got.numpy(), getattr(F, name)(x, dim).numpy())
        assert getattr(F, name)(x, dim, dtype=torch.float32).dtype is torch.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: x.topk(4), RuntimeError, "selected index k out of range: 4 is not in \\[0, 3\\]"),
        (lambda x: x[:, :0].max(1), IndexError, "max\\(\\): Expected reduction dim 1 to have non-zero size"),
        (lambda x: x[:, :0].amax(), RuntimeError, "Expected reduction dim to be specified for input.numel\\(\\) == 0"),
        (lambda x: x.bincount(), NotImplementedError, "not implemented for 'Float'"),
        (lambda x: x.long().bincount(), RuntimeError, "only supports 1-d non-negative integral inputs"),
        (lambda x: x.histc(0), RuntimeError, "bins must be > 0, but got 0"),
        (lambda x: x.histc(2, 3, 1), RuntimeError, "or its max is below its min"),
        (lambda x: x.cumsum(0, dtype=torch.bool), NotImplementedError, "not implemented for 'Bool'"),
        (lambda x: x.requires_grad_().nansum(2, dtype=torch.int64), IndexError, "Dimension out of range"),
        (lambda x: x.histogram(2, range=(2.0, 1.0)), RuntimeError, "or its max is below its min"),
        (lambda x: torch.bucketize(1, x), RuntimeError, "boundaries tensor must be 1 dimension, but got dim\\(2\\)"),
        (lambda x: x[0].unique(dim=1), IndexError, "Dimension out of range"),
        (lambda x: x.long().softmax(0), NotImplementedError, "not implemented for 'Long'"),
        (lambda x: x.long().mean(), RuntimeError, "could not infer output dtype"),
    ],
)
def test_errors_say_what_was_expected(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(torch.tensor([[1.0, 2.0, 3.0]]))


def test_a_dtype_may_be_named_by_a_python_type() -> None:
    x = torch.arange(4.0)
    for reduce in (torch.sum, torch.nansum, torch.mean, torch.nanmean, torch.prod, torch.norm):
        assert reduce(x, dtype=float).dtype is torch.float64
        with pytest.raises(TypeError, match=r"'dtype' must be torch\.dtype, not str"):
            reduce(x, dtype="float64")
    for along in (torch.cumsum, torch.cumprod, torch.softmax, torch.log_softmax):
        assert along(x, 0, dtype=float).dtype is torch.float64
        with pytest.raises(TypeError, match=r"'dtype' must be torch\.dtype, not str"):
            along(x, 0, dtype="float64")
    assert x.sum(dtype=int).dtype is torch.int64
    assert x.prod(dtype=bool).dtype is torch.bool
    with pytest.raises(RuntimeError, match="Optional dtype must be either a floating point"):
        x.mean(dtype=int)


@pytest.mark.parametrize("name", ["amax", "amin", "norm"])
def test_a_gradient_is_of_the_dtype_of_its_tensor_also_where_a_nan_has_no_dimensions(name: str) -> None:
    x = torch.tensor(float("nan"), dtype=torch.float16, requires_grad=True)
    (x.norm(float("inf")) if name == "norm" else getattr(x, name)()).backward()
    assert x.grad.dtype is torch.float16


def test_a_product_is_linear_in_each_factor() -> None:
    for factors, dtype in (([1e-20], torch.float32), ([1e-20, 0.069], torch.float64)):
        x = torch.tensor(factors, dtype=dtype, requires_grad=True)
        (dx,) = torch.autograd.grad(x.prod(), x, create_graph=True)
        (second,) = torch.autograd.grad(dx[0], x)
        assert second[0].item() == 0


def test_the_gradient_of_a_norm_is_that_of_its_direction_at_any_size() -> None:
    x = torch.tensor([1e9, 2e9], requires_grad=True)
    x.norm(4).backward(torch.tensor(1e-15))
    np.testing.assert_allclose(x.grad.numpy(), [1.194436e-16, 9.555489e-16], rtol=1e-5)
