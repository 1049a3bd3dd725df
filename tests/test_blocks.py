"""What is computed block by block, or in another way because it is large, is what it is for few elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad.nn import functional as F
from minigrad.ops.blocks import by_blocks
from minigrad.ops.summing import total

# More elements than three blocks have, in rows that no block consists of.
SHAPE = (31, 67, 101)

CURVES: list[Callable[[Any], Any]] = [
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
    F.silu,
    F.mish,
    F.softplus,
    torch.sigmoid,
    torch.tanh,
]


def normal(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape)


def value_and_gradient(function: Callable[[Any], Any], x: Any, g: Any) -> tuple[Any, Any]:
    leaf = torch.from_numpy(np.array(x)).requires_grad_()
    y = function(leaf)
    y.backward(torch.from_numpy(np.array(g)))
    return y.detach().numpy(), leaf.grad.numpy()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("function", CURVES)
def test_curves(function: Callable[[Any], Any], transposed: bool) -> None:
    x, g = normal(*SHAPE), normal(*SHAPE)[::-1]
    if transposed:
        y, dx = value_and_gradient(lambda leaf: function(leaf.permute(2, 0, 1)).permute(1, 2, 0), x, g)
    else:
        y, dx = value_and_gradient(function, x, g)
    for row in range(len(x)):
        expected = value_and_gradient(function, x[row], g[row])
        np.testing.assert_allclose((y[row], dx[row]), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name: str, dim: int) -> None:
    x, g = normal(*SHAPE), normal(*SHAPE)[::-1]
    y, dx = value_and_gradient(lambda leaf: getattr(leaf, name)(dim), x, g)
    exponentials = np.exp(x)
    p = exponentials / exponentials.sum(dim, keepdims=True)
    if name == "softmax":
        expected = p, p * (g - (g * p).sum(dim, keepdims=True))
    else:
        expected = np.log(p), g - p * g.sum(dim, keepdims=True)
    np.testing.assert_allclose((y, dx), expected, rtol=1e-10, atol=1e-12)


def test_blocks_of_several_arrays_in_the_dtype_of_the_last() -> None:
    a, b = normal(200_000), normal(200_000).astype(np.float32)
    found = by_blocks(np.multiply, a, b)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, (a * b).astype(np.float32))


@pytest.mark.parametrize(
    ("shape", "dims"), [((200, 100), (0,)), ((5000, 7), (0,)), ((70, 60, 9), (1, 0)), ((9, 0), (0,))]
)
def test_sums_of_rows(shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    x = normal(*shape).astype(np.float32)
    for keepdims in (False, True):
        exact = x.sum(dims, np.float64, keepdims=keepdims)
        found = total(x, dims, keepdims)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-4)
        assert found.shape == exact.shape


def test_sums_of_many_rows_in_half_precision_are_rounded_once() -> None:
    x = torch.full((5000, 8), 0.1, dtype=torch.float16)
    exact = x.double().sum(0).half()
    assert torch.equal(x.sum(0), exact)


@pytest.mark.parametrize("width", [300, 3000])
def test_rows_that_repeat_are_added(width: int) -> None:
    ids = np.random.default_rng(1).zipf(1.5, 200) % 150
    weight = torch.zeros(150, width, dtype=torch.float64, requires_grad=True)
    g = normal(200, width)
    F.embedding(torch.from_numpy(ids), weight).backward(torch.from_numpy(g))
    expected = np.zeros((150, width))
    np.add.at(expected, ids, g)
    np.testing.assert_allclose(weight.grad.numpy(), expected, rtol=1e-12, atol=1e-12)
