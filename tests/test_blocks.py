"""What is computed block by block, or in another way because it is large, is what it is for few elements."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad.core.arrays import blocked
from minigrad.core.embedding import add_rows
from minigrad.nn import functional as F

# More elements than three blocks have, in rows that no block consists of.
SHAPE = (31, 67, 101)

CURVES: list[Callable[[Any], Any]] = [
    F.gelu, lambda x: F.gelu(x, approximate="tanh"), F.silu, F.softplus, torch.sigmoid, torch.tanh,
]  # fmt: skip


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


#: Functions of `x`, `w` and `b` along the last dimension, in which rows and columns are broadcast to all rows.
OF_ROWS: dict[str, Callable[..., Any]] = {
    "softmax": lambda x, w, b: x.softmax(-1) * w + b,
    "log_softmax": lambda x, w, b: x.log_softmax(-1) * w + b,
    "layer_norm": lambda x, w, b: F.layer_norm(x, w.shape, w, b),
    "rms_norm": lambda x, w, b: F.rms_norm(x, w.shape, w) + b,
    "cross_entropy": lambda x, w, b: F.cross_entropy(x, ids_of(x), w.detach(), reduction="none")[:, None] * w + b,
}


def ids_of(x: Any) -> Any:
    """For each row its first element that is above 0: of few rows the same as of many."""
    return torch.from_numpy((x.detach().numpy() > 0).argmax(1))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("width", [16, 255, 256, 1000])
@pytest.mark.parametrize("name", OF_ROWS)
def test_long_rows_are_computed_as_one_by_one(name: str, width: int, transposed: bool) -> None:
    count = 2 * 2**16 // width + 3
    arrays = normal(count, width), *normal(2, width), normal(count, width)[::-1].copy()

    def results(rows: slice) -> list[Any]:
        x, w, b, g = [torch.tensor(each[rows] if each.ndim > 1 else each) for each in arrays]
        leaves = [(x.T.clone().T if transposed else x).requires_grad_(), w.requires_grad_(), b.requires_grad_()]
        y = OF_ROWS[name](*leaves)
        return [each.detach().numpy() for each in (y, *torch.autograd.grad(y, leaves, g))]

    buffer = np.getbufsize()
    y, dx, *sums = results(slice(None))
    assert np.getbufsize() == buffer
    parts = [results(slice(start, start + 64)) for start in range(0, count, 64)]
    np.testing.assert_allclose(y, np.concatenate([part[0] for part in parts]), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(dx, np.concatenate([part[1] for part in parts]), rtol=1e-10, atol=1e-12)
    for position, found in enumerate(sums, 2):
        np.testing.assert_allclose(found, sum([part[position] for part in parts]), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("shape", [(7,), (5, 7), (5, 7, 3), (0, 7)])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_the_gradient_of_a_cross_entropy_for_any_cotangent_in_any_pass(shape: tuple[int, ...], reduction: Any) -> None:
    """One for 1 is at hand in the first pass, which others, and those that are recorded, are not given."""
    x = torch.from_numpy(normal(*shape)).requires_grad_()
    ids = torch.from_numpy(np.random.default_rng(1).integers(0, 7, (*shape[:1], *shape[2:])[len(shape) == 1 :]))
    weight = torch.from_numpy(np.linspace(0.5, 2, 7))
    p = x.detach().softmax(min(len(shape) - 1, 1)).numpy()
    certain = np.moveaxis(np.eye(7)[ids.numpy()], -1, min(len(shape) - 1, 1))
    counts = np.expand_dims(weight.numpy()[ids.numpy()], min(len(shape) - 1, 1))
    share = counts / counts.sum() if reduction == "mean" else counts
    for scale in (1.0, -2.5):
        y = F.cross_entropy(x, ids, weight, reduction=reduction)
        g = torch.full_like(y, scale)
        passes = [torch.autograd.grad(y, x, g, retain_graph=True)[0] for _ in range(3)]
        passes.append(torch.autograd.grad(y, x, g, create_graph=True)[0].detach())
        for dx in passes:
            np.testing.assert_allclose(dx.numpy(), scale * share * (p - certain), rtol=1e-12, atol=1e-15)
        if x.numel():
            assert len({each.data_ptr() for each in passes}) == 4


def test_blocks_of_several_arrays_in_the_dtype_of_the_last() -> None:
    a, b = normal(200_000), normal(200_000).astype(np.float32)
    found = blocked(np.multiply, a, b)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, (a * b).astype(np.float32))


def test_rows_of_one_id_are_added_to_more_digits_than_one_by_one() -> None:
    for width in (16, 24, 30):
        rows = np.full((200_000, width), 0.1, np.float32)
        found = add_rows(rows, np.zeros(len(rows), np.int64), 1)
        np.testing.assert_allclose(found, len(rows) * np.float64(np.float32(0.1)), rtol=3e-4)


@pytest.mark.parametrize("shape", [(70_000,), (1, 70_000)])
def test_as_many_classes_as_blocks_have_elements_are_one_sum(shape: tuple[int, ...]) -> None:
    x, ids = torch.from_numpy(normal(*shape)), torch.zeros(shape[:-1], dtype=torch.int64)
    assert F.cross_entropy(x, ids).item() == pytest.approx((x.logsumexp(-1) - x[..., 0]).item(), rel=1e-12)


def test_an_infinite_cotangent_of_a_loss_of_classes_has_no_direction_at_the_target() -> None:
    x = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)
    torch.nn.functional.cross_entropy(x, torch.tensor([0])).backward(torch.tensor(float("inf")))
    np.testing.assert_array_equal(x.grad.numpy(), [[np.nan, np.inf, np.inf]])
