"""What small mistakes in reductions and softmax their other tests let pass: names, dtypes, ties, kept dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch

NAN = math.nan


def ones(*shape: int, dtype: Any = torch.float32) -> Any:
    return torch.ones(*shape, dtype=dtype, requires_grad=True)


def gradient(y: Any, x: Any, g: Any = None) -> Any:
    """The gradient of `x`, itself recorded, given that of `y`."""
    (dx,) = torch.autograd.grad(y, x, torch.ones_like(y) if g is None else g, create_graph=True)
    return dx


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_array_equal(found.detach().numpy(), wanted)


# ---- names and words -------------------------------------------------------------------------------------------------

# For all elements, and for those along a dimension.
NAMES = {
    "sum": ("SumBackward0", "SumBackward1"),
    "mean": ("MeanBackward0", "MeanBackward1"),
    "prod": ("ProdBackward0", "ProdBackward1"),
    "nansum": ("NansumBackward0", "NansumBackward0"),
    "amax": ("AmaxBackward0", "AmaxBackward0"),
    "amin": ("AminBackward0", "AminBackward0"),
    "max": ("MaxBackward1", "MaxBackward0"),
    "min": ("MinBackward1", "MinBackward0"),
    "median": ("MedianBackward0", "MedianBackward1"),
}


@pytest.mark.parametrize("method", NAMES)
def test_reductions_of_all_and_along_a_dimension_are_recorded_by_names_of_their_own(method: str) -> None:
    x = ones(2, 3)
    of_all, along = getattr(x, method)(), getattr(x, method)(0)
    values = along if isinstance(along, torch.Tensor) else along.values
    assert (of_all.grad_fn.name(), values.grad_fn.name()) == NAMES[method]


def test_the_names_of_the_softmax_and_its_like() -> None:
    x = ones(2, 3)
    assert x.softmax(0).grad_fn.name() == "SoftmaxBackward0"
    assert x.log_softmax(0).grad_fn.name() == "LogSoftmaxBackward0"
    assert x.logsumexp(0).grad_fn.name() == "LogsumexpBackward0"


def test_the_gradient_of_a_sum_is_recorded_as_a_repetition_and_its_gradient_as_a_sum() -> None:
    x, g = ones(2, 3), ones(1, 3)
    dx = gradient(x.sum(0, keepdim=True), x, g)
    assert dx.grad_fn.name() == "ExpandBackward0"
    dg = gradient(dx, g, ones(2, 3))
    assert dg.grad_fn.name() == "SumBackward1"
    same(dg, [[2, 2, 2]])


ERRORS: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (
        lambda f: f(torch.tensor([True])),
        RuntimeError,
        "does not support bool input: expected numbers, such as x.long()",
    ),
    (lambda f: f(torch.ones(0, 2)), IndexError, "Expected reduction dim to be specified for input.numel() == 0."),
    (lambda f: f(torch.ones(2, 0), 1), IndexError, "Expected reduction dim 1 to have non-zero size."),
]


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_where_there_is_no_extremum(call: Any, error: type[Exception], message: str, name: str) -> None:
    with pytest.raises(error) as caught:
        call(getattr(torch, name))
    assert str(caught.value) == f"{name}(): {message}"


# ---- dtypes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("method", ["sum", "mean", "prod", "nansum", "amax", "softmax", "log_softmax", "logsumexp"])
def test_results_and_gradients_have_the_dtype_of_the_input(method: str, dtype: str) -> None:
    x = ones(2, 3, dtype=getattr(torch, dtype))
    y = getattr(x, method)(1)
    dx = gradient(y, x)
    assert y.dtype is dx.dtype is x.dtype
    assert y.detach().numpy().dtype == dx.detach().numpy().dtype == dtype


@pytest.mark.parametrize(("name", "numpys"), [("all", np.all), ("any", np.any)])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "bool"])
def test_whether_all_or_any_are_not_zero(name: str, numpys: Callable[..., Any], dtype: str) -> None:
    """A bool, as NumPy's; but a uint8 of a uint8."""
    array = np.array([[1, 0, 0], [2, 3, 0]]).astype(dtype)
    x, wanted = torch.from_numpy(array), np.uint8 if dtype == "uint8" else bool
    for dims in ((), (0,), (1,)):
        axis = dims[0] if dims else None
        for keepdim in (False, True) if dims else (False,):
            found = getattr(x, name)(*dims, **({"keepdim": True} if keepdim else {})).numpy()
            expected = np.asarray(numpys(array, axis=axis, keepdims=keepdim)).astype(wanted)
            np.testing.assert_array_equal(found, expected, strict=True)


# ---- indices of extrema ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_indices_of_extrema_are_numpys_with_dimensions_kept_or_not(name: str) -> None:
    generator = np.random.default_rng(0)
    # The last ones are searched in another way, being large.
    for shape in [(), (1,), (3,), (2, 3), (1, 2, 1), (1, 150, 150), (150, 150, 1), (129, 128)]:
        array = generator.integers(-9, 10, shape).astype(np.float32)
        x = torch.from_numpy(array)
        for keepdim in (False, True):
            for dim in (None, *range(len(shape))):
                found = getattr(x, name)(dim, keepdim).numpy()
                wanted = getattr(np, name)(array, axis=dim, keepdims=keepdim)
                np.testing.assert_array_equal(found, np.asarray(wanted), strict=True)
    # As in PyTorch, a tensor without dimensions has a dimension to reduce.
    for keepdim in (False, True):
        found = getattr(torch.tensor(5.0), name)(-1, keepdim)
        assert (found.item(), found.shape, found.dtype) == (0, (), torch.int64)


# ---- gradients -------------------------------------------------------------------------------------------------------


def test_the_mean_of_one_element_is_that_element() -> None:
    for shape, dim in (((1,), 0), ((3, 1), 1)):
        x = ones(*shape)
        same(gradient(x.mean(dim), x), np.ones(shape))


def test_extrema_that_are_equal_share_the_gradient_of_their_row() -> None:
    """Each row by itself: one that has a nan has no other extremum, and shares nothing."""
    x = torch.tensor([[1.0, 1.0, 0.0], [3.0, 3.0, 3.0], [0.0, 5.0, 4.0]], requires_grad=True)
    g = torch.tensor([6.0, 12.0, 1.0], requires_grad=True)
    dx = gradient(x.amax(1), x, g)
    same(dx, [[3, 3, 0], [4, 4, 4], [0, 1, 0]])
    # The gradient of g, for a gradient h of dx, is the mean of h at the extrema.
    same(gradient(dx, g, torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0], [7.0, 8.0, 9.0]])), [1.5, 6, 8])
    x = torch.tensor([[1.0, 1.0], [NAN, 2.0]], requires_grad=True)
    same(gradient(x.amax(1), x), [[0.5, 0.5], [NAN, NAN]])


def test_many_equal_halves_share_the_gradient() -> None:
    """A float16 cannot count to 5000 one by one: it stops at 2048."""
    for shape, dim in (((5000,), 0), ((5000, 2), 0), ((2, 5000), 1)):
        x = ones(*shape, dtype=torch.float16)
        same(gradient(x.amax(dim), x), np.full(shape, 1 / 5000, np.float16))


# ---- softmax ---------------------------------------------------------------------------------------------------------

HEIGHTS = np.array([[1000.0, 0.0], [0.0, -1000.0], [-1000.0, -1001.0], [800.0, 800.0]])


def test_rows_of_very_different_heights_do_not_disturb_each_other() -> None:
    x = leaf(HEIGHTS)
    rows = [leaf(row.copy()) for row in HEIGHTS]
    for name in ("softmax", "log_softmax", "logsumexp"):
        y, parts = getattr(x, name)(1), [getattr(row, name)(0) for row in rows]
        same(y, [part.tolist() for part in parts])
        assert bool(y.isfinite().all())
        g = torch.tensor(np.arange(1.0, 1 + y.numel())).reshape(y.shape)
        wanted = [gradient(part, row, each).tolist() for part, row, each in zip(parts, rows, g, strict=True)]
        same(gradient(y, x, g), wanted)
    same(torch.tensor(HEIGHTS[:2]).log_softmax(1), [[0, -1000], [0, -1000]])


def test_only_the_reduced_dimension_is_removed() -> None:
    for shape, dim, wanted in [((1, 3), 1, (1,)), ((1, 3, 1), 1, (1, 1)), ((2, 1), 1, (2,))]:
        assert torch.ones(shape).logsumexp(dim).shape == wanted
        assert torch.ones(shape).prod(dim).shape == wanted


def test_the_gradient_of_what_a_logsumexp_was_weighted_with() -> None:
    """For y = logsumexp(x) of each row and dx = g * softmax(x), the gradient of g is the sum of h * softmax(x)."""
    array = np.random.default_rng(0).standard_normal((4, 3))
    h, p = np.arange(12.0).reshape(4, 3), np.exp(array) / np.exp(array).sum(1, keepdims=True)
    for keepdim in (False, True):
        x, g = leaf(array), leaf(np.arange(1.0, 5).reshape((4, 1) if keepdim else 4))
        dx = gradient(x.logsumexp(1, keepdim), x, g)
        dg = gradient(dx, g, torch.from_numpy(h)).detach().numpy()
        np.testing.assert_allclose(dg, (h * p).sum(1, keepdims=keepdim), rtol=1e-12)
        assert dg.shape == g.shape
