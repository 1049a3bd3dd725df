"""Ops without PyTorch at hand: kinks and ties, half precision, sums of rows, what shares memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import recorded
from hypothesis import given
from hypothesis import strategies as st
from laws import leaf
from strategies import FLOATS, Array, shapes
from table import Case

import minigrad as torch
from minigrad.core.rows import add_rows
from minigrad.nn import functional as F

# ---- what PyTorch cannot differentiate, and the recorded rows lack ---------------------------------------------------

ROWS = {
    "values for more places than there are": (
        lambda api, x, y: x.scatter(1, api.tensor([[2, 0], [1, 2]]), y),
        [(2, 3), (3, 4)],
    ),
    "an index of nothing but a new dimension": (lambda api, x, y: set_at(x, (None, ..., 1), y), [(2, 3), (1, 1, 2)]),
    "a running product of zeros": (lambda api, x: (x * api.tensor([[1, 0, 0, 1], [1, 0, 1, 1]])).cumprod(1), [(2, 4)]),
}


def set_at(x: Any, index: Any, value: Any) -> Any:
    y = x * 1
    y[index] = value
    return y


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(("call", "sizes"), ROWS.values(), ids=ROWS)
def test_derivatives_are_those_of_differences(call: Callable[..., Any], sizes: list[tuple[int, ...]]) -> None:
    operands = [np.random.RandomState(n).uniform(0.5, 2, size) for n, size in enumerate(sizes)]
    example = {"operands": operands, "grads": [True] * len(operands), "seed": 0}
    recorded.check_differences(torch, Case("", call, st.nothing()), example)


# ---- what finite differences do not see ------------------------------------------------------------------------------


def gradient(call: Callable[[Any], Any], data: Any, upstream: Any = None) -> Any:
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    out = call(x)
    out.backward(None if upstream is None else torch.tensor(upstream, dtype=torch.float64))
    return x.grad.tolist()


def test_gradients_at_kinks_and_ties() -> None:
    assert gradient(lambda x: x.max(), [1.0, 3.0, 3.0, 2.0]) == [0, 0.5, 0.5, 0]
    assert gradient(lambda x: x.min() * 6, [[1.0, 3.0], [1.0, 1.0]]) == [[2, 0], [2, 2]]
    assert gradient(lambda x: x.max(), [1.0, np.nan, 3.0, np.nan]) == [0, 0.5, 0, 0.5]
    assert gradient(lambda x: x.max(0).values, [3.0, 5.0, 5.0]) == [0, 1, 0]
    assert gradient(lambda x: x.min(1)[0], [[2.0, 1.0, 1.0], [4.0, 4.0, 4.0]], [2.0, 3.0]) == [[0, 2, 0], [3, 0, 0]]
    assert gradient(lambda x: x.relu().sum(), [-1.0, 0.0, -0.0, 2.0]) == [0, 0, 0, 1]
    assert gradient(lambda x: x.abs().sum(), [-1.0, 0.0, 2.0]) == [-1, 0, 1]
    assert gradient(lambda x: (x**0).sum(), [0.0, 2.0, np.inf, np.nan]) == [0, 0, 0, 0]
    zero = torch.tensor([0.0, 2.0])
    assert gradient(lambda x: (x ** zero.double()).sum(), [0.0, 3.0]) == [0, 6]
    assert gradient(lambda x: (zero.double() ** x).sum(), [2.0, 0.0]) == [0, np.log(2)]
    assert np.isneginf(gradient(lambda x: (zero.double() ** x).sum(), [-1.0, 0.0])[0])


def test_a_padding_row_has_a_value_and_no_gradient() -> None:
    for padding_idx in (1, -2):
        weight = leaf(np.arange(6.0).reshape(3, 2))
        g = leaf(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        out = F.embedding(torch.tensor([1, 2, 2]), weight, padding_idx)
        assert out.tolist() == [[2, 3], [4, 5], [4, 5]]
        (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
        assert dw.tolist() == [[0, 0], [0, 0], [8, 10]]
        (back,) = torch.autograd.grad(dw, g, torch.ones(3, 2).double())
        assert back.tolist() == [[0, 0], [1, 1], [1, 1]]


def test_lookup_and_scatter_are_each_others_backward_to_order_three() -> None:
    ids, k = torch.tensor([0, 2, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    weight, g, h = (torch.ones(3, 2, requires_grad=True) for _ in range(3))
    (dw,) = torch.autograd.grad(F.embedding(ids, weight), weight, g, create_graph=True)
    (dg,) = torch.autograd.grad(dw, g, h, create_graph=True)
    assert torch.autograd.grad(dg, h, k)[0].tolist() == [[6, 8], [0, 0], [3, 4]]


def test_casts_hand_the_gradient_back_in_the_inputs_dtype() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = x.double() * torch.tensor([0.1, 0.2], dtype=torch.float64)
    out.sum().backward()
    assert out.dtype is torch.float64
    assert x.grad.dtype is torch.float32
    np.testing.assert_array_equal(x.grad.numpy(), np.array([0.1, 0.2], np.float32))
    wide = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    narrow = torch.tensor([3.0, 4.0], requires_grad=True)
    (narrow * wide).sum().backward()
    assert (narrow.grad.dtype, wide.grad.dtype) == (torch.float32, torch.float64)
    assert (narrow.grad.tolist(), wide.grad.tolist()) == ([1, 2], [3, 4])
    (d,) = torch.autograd.grad((wide.half() * 3).sum(), wide, create_graph=True)
    assert d.dtype is torch.float64
    (d,) = torch.autograd.grad((narrow.double() ** 3).sum(), narrow, create_graph=True)
    assert torch.autograd.grad(d.sum(), narrow)[0].tolist() == [18, 24]
    assert not x.long().requires_grad
    assert x.float() is x
    assert x.to(torch.float32, copy=True) is not x


# ---- half precision --------------------------------------------------------------------------------------------------

HALF = [
    ("sum", lambda x: x.sum(), lambda x: x.sum()),
    ("sum, a dim", lambda x: x.sum(0), lambda x: x.sum(0)),
    ("mean", lambda x: x.mean(), lambda x: x.mean()),
    ("mean, a dim", lambda x: x.mean(0), lambda x: x.mean(0)),
    ("matmul", lambda x: x.T @ x, lambda x: x.T @ x),
    ("matmul, a vector", lambda x: x.T @ x[:, 0], lambda x: x.T @ x[:, 0]),
    ("matmul, vectors", lambda x: x[:, 0] @ x[:, 1], lambda x: x[:, 0] @ x[:, 1]),
    ("linear", lambda x: F.linear(x.T, x.T), lambda x: x.T @ x),
    ("softmax", lambda x: x.softmax(0), lambda x: np.exp(x) / np.exp(x).sum(0)),
    ("the gradient of what was broadcast", lambda x: _broadcast_gradient(x), lambda x: x.sum(0)),
    ("the gradient of rows picked", lambda x: _picked_gradient(x), lambda x: x.sum(0, keepdims=True)),
    ("the gradient of elements picked", lambda x: _picked_gradient(x[:, 0]), lambda x: x[:, 0].sum(keepdims=True)),
]


def _broadcast_gradient(g: Any) -> Any:
    x = torch.zeros(g.shape[1], dtype=torch.float16, requires_grad=True)
    return torch.autograd.grad(x + torch.zeros_like(g), x, g)[0]


def _picked_gradient(g: Any) -> Any:
    x = torch.zeros(1, *g.shape[1:], dtype=torch.float16, requires_grad=True)
    return torch.autograd.grad(x[torch.zeros(len(g), dtype=torch.int64)], x, g)[0]


@pytest.mark.parametrize(("call", "exact"), [row[1:] for row in HALF], ids=[row[0] for row in HALF])
def test_half_precision_adds_up_in_at_least_single_precision(
    call: Callable[[Any], Any], exact: Callable[[Array], Array]
) -> None:
    """3,000 addends: the result is the exact one rounded, or its neighbour; sums in half precision are far off."""
    for x in (np.random.default_rng(0).uniform(0.5, 1.5, (3000, 2)), np.full((3000, 2), 1.0009765625)):
        half = x.astype(np.float16)
        out = call(torch.from_numpy(half))
        assert out.dtype is torch.float16
        wanted = np.asarray(exact(half.astype(np.float64)))
        np.testing.assert_array_max_ulp(out.numpy(), wanted.astype(np.float16), 1)


def test_a_mean_of_large_halves_is_finite() -> None:
    assert torch.full((4,), 60000.0, dtype=torch.float16).mean().item() == 60000


@pytest.mark.parametrize("number", [0.1, 1 / 3, 2049, 100000.0])
def test_half_precision_with_a_number_is_rounded_once(number: float) -> None:
    """In products and quotients the number is not rounded to half precision before: the float32 result is."""
    half = np.random.default_rng(0).uniform(0.01, 2, 200).astype(np.float16)
    x, wide, n = torch.from_numpy(half), half.astype(np.float32), np.float32(number)
    with np.errstate(over="ignore"):
        for got, expected in [(x * number, wide * n), (number * x, wide * n), (x / number, wide / n)]:
            np.testing.assert_array_equal(got.numpy(), expected.astype(np.float16), strict=True)


def test_half_precision_overflows_to_infinity_in_silence() -> None:
    x = torch.tensor([60000.0], dtype=torch.float16)
    results = [x * 3, 3 * x, x / 1e-3, x + 1e6, x.clone().mul_(3), torch.tensor([1]) * 1e300]
    assert all(y.item() == np.inf for y in results)


# ---- scatter ---------------------------------------------------------------------------------------------------------


def test_int32_ids_reach_rows_beyond_2_to_the_31_elements() -> None:
    table = add_rows(np.ones((1, 32768), np.float32), np.array([65537], np.int32), 65540)
    assert table.shape == (65540, 32768)
    assert table[65537].sum() == 32768
    assert table[65536:].sum() == 32768
    assert table[:2].sum() == 0


@given(st.sampled_from(FLOATS), st.integers(1, 5), st.integers(0, 2**32), st.booleans())
def test_rows_are_added_in_either_way(dtype: str, num_rows: int, seed: int, large: bool) -> None:
    """Few rows are added one by one, many after sorting: both are sums in order of the ids."""
    generator = np.random.default_rng(seed)
    count, size = (40, 1000) if large else (int(generator.integers(0, 30)), 3)
    ids = generator.integers(0, num_rows, count).astype(generator.choice(["int32", "int64"]))
    rows = generator.integers(-4, 5, (count, size)).astype(dtype)
    before = rows.copy()
    expected = np.zeros((num_rows, size))
    for row, to in zip(rows, ids, strict=True):
        expected[to] += row
    np.testing.assert_array_equal(add_rows(rows, ids, num_rows), expected.astype(dtype), strict=True)
    np.testing.assert_array_equal(rows, before)


# ---- shape -----------------------------------------------------------------------------------------------------------


@given(shapes(1, 3, min_side=1), st.data())
def test_views_share_storage_and_copies_do_not(shape: tuple[int, ...], data: st.DataObject) -> None:
    x = torch.zeros(shape)
    order = data.draw(st.permutations(range(len(shape))))
    views = [x.reshape(-1), x.view(*shape, 1), x.permute(order), x.T, x.unsqueeze(0), x.squeeze(), x[...], x[0],
             x[:, None] if len(shape) > 1 else x[None], x.detach(), x.expand(1, *shape), x.data]  # fmt: skip
    copies = [x.clone(), x[torch.tensor([0])], x * 1, x.to(torch.float64), x.to(torch.float32, copy=True), x.sum()]
    x.fill_(7)
    assert all((view == 7).all() for view in views)
    assert all((copied == 0).all() for copied in copies)
    for view in views:
        view.fill_(8)
        assert x.reshape(-1)[0] == 8
        x.fill_(7)


def test_a_copy_of_what_is_expanded_lies_in_order() -> None:
    for x in (torch.ones(3).expand(2, 3), torch.ones(2, 1).expand(2, 3), torch.ones(1, 3).expand(4, 3).T):
        assert x.clone().is_contiguous()
    assert torch.ones(2, 3).T.clone().stride() == (1, 3)


def test_softmax_of_large_numbers_is_finite() -> None:
    x = torch.tensor([[1000.0, 1000.0], [-1000.0, 0.0]])
    np.testing.assert_allclose(x.softmax(1).numpy(), [[0.5, 0.5], [0.0, 1.0]])
