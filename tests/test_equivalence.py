"""Lookup equals one-hot matmul: the laws in exact arithmetic, real numbers, and the boundary."""

from collections.abc import Callable, Sequence
from typing import Any

import laws
import numpy as np
import oracles
import pytest
from hypothesis import given, strategies as st
from laws import ID_SHAPES, leaf, one_hot_of, same
from strategies import Array, cotangents, ids_for, tables

import minigrad as torch
from minigrad.nn import functional as F


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_law(law: laws.Law) -> None:
    laws.ALL.check(law)


# ---- real numbers ----------------------------------------------------------------------------------------------------


@given(st.data())
def test_real_numbers_agree_within_rounding(data: st.DataObject) -> None:
    """With rounding, the two ways differ by no more than the sums' error: n * eps * sum of magnitudes."""
    name = data.draw(st.sampled_from(["float32", "float64"]))
    table = data.draw(tables(name, integer=False))
    chosen = data.draw(ids_for(table, ID_SHAPES))
    upstream = data.draw(cotangents((*chosen.shape, table.shape[1]), name, integer=False))
    weight, weight_t = leaf(table), leaf(table.T)
    looked_up = F.embedding(torch.from_numpy(chosen), weight)
    multiplied = F.linear(one_hot_of(chosen, len(table), table), weight_t)
    # The forward pass adds one product by 1 to products by 0: nothing is rounded.
    same(looked_up, multiplied)
    looked_up.backward(torch.from_numpy(upstream))
    multiplied.backward(torch.from_numpy(upstream))
    bound = chosen.size * np.finfo(name).eps * oracles.scatter_add(np.abs(upstream), chosen, len(table))
    expected = oracles.scatter_add(upstream.astype(np.float64), chosen, len(table))
    assert (np.abs(weight.grad.numpy() - expected) <= bound).all()
    assert (np.abs(weight_t.grad.numpy().T - expected) <= bound).all()


def _loss_of_lookup(inputs: Sequence[Any], chosen: Any) -> Any:
    table, weight, bias = inputs
    hidden = F.linear(F.embedding(chosen, table), weight, bias).tanh()
    return (hidden * hidden * hidden).sum() + (table * table).sum()


def _loss_of_product(inputs: Sequence[Any], chosen: Any) -> Any:
    table, weight, bias = inputs
    x = F.one_hot(chosen, len(table)).double()
    hidden = F.linear(F.linear(x, table.T), weight, bias).tanh()
    return (hidden * hidden * hidden).sum() + (table * table).sum()


@pytest.mark.parametrize("loss", [_loss_of_lookup, _loss_of_product])
@given(st.data())
def test_gradients_match_finite_differences_to_order_two(loss: Callable[..., Any], data: st.DataObject) -> None:
    """Along random directions, first and second derivatives are those of central differences in float64.

    Their steps are small, since tanh of large numbers has large derivatives of the fifth order.
    """
    table = data.draw(tables("float64", integer=False, max_rows=4, max_columns=3))
    chosen = torch.from_numpy(data.draw(ids_for(table, st.sampled_from([(), (4,), (2, 3)]))))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    points = [table, generator.standard_normal((2, table.shape[1])), generator.standard_normal(2)]
    u, v = (oracles.random_directions([p.shape for p in points], int(generator.integers(2**32))) for _ in range(2))

    def value(arrays: Sequence[Array]) -> Array:
        return np.asarray(loss([torch.from_numpy(a.copy()) for a in arrays], chosen).item())

    def slope(arrays: Sequence[Array]) -> Array:
        leaves = [leaf(a.copy()) for a in arrays]
        return np.asarray(oracles.inner([d.numpy() for d in torch.autograd.grad(loss(leaves, chosen), leaves)], u))

    leaves = [leaf(p.copy()) for p in points]
    first = torch.autograd.grad(loss(leaves, chosen), leaves, create_graph=True)
    along_u = sum((d * torch.from_numpy(w)).sum() for d, w in zip(first, u, strict=True))
    second = torch.autograd.grad(along_u, leaves)
    got = oracles.inner([d.detach().numpy() for d in first], u)
    np.testing.assert_allclose(got, oracles.directional_derivative(value, points, u, step=2e-4), rtol=1e-6, atol=1e-7)
    got = oracles.inner([d.numpy() for d in second], v)
    np.testing.assert_allclose(got, oracles.directional_derivative(slope, points, v, step=2e-4), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("padding_idx", [None, 1])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_without_ids_the_gradient_of_the_gradient_is_empty(shape: tuple[int, ...], padding_idx: int | None) -> None:
    for columns in (0, 3):
        weight, g = leaf(np.ones((2, columns))), leaf(np.ones((*shape, columns)))
        out = F.embedding(torch.zeros(shape, dtype=torch.int64), weight, padding_idx)
        (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
        (back,) = torch.autograd.grad(dw, g, torch.ones(2, columns, dtype=torch.float64))
        same(back, g)


# ---- shared storage --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("seeded")
def test_a_transposed_parameter_shares_its_storage_and_not_its_gradient() -> None:
    embedding, linear = torch.nn.Embedding(4, 3), torch.nn.Linear(4, 3, bias=False)
    linear.weight = torch.nn.Parameter(embedding.weight.T)
    embedding(torch.tensor([1, 1])).backward(torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    assert linear.weight.grad is None
    assert embedding.weight.grad.tolist()[1] == [11.0, 22.0, 33.0]
    before = linear.weight.detach().clone()
    with torch.no_grad():
        embedding.weight -= embedding.weight.grad
    assert torch.equal(linear.weight, embedding.weight.T)
    assert not torch.equal(linear.weight, before)


# ---- the boundary: where the two ways differ, as documented ----------------------------------------------------------


@pytest.mark.parametrize("poison", [np.inf, -np.inf, np.nan])
@given(st.data())
def test_a_row_that_no_id_names_poisons_the_product_and_not_the_lookup(poison: float, data: st.DataObject) -> None:
    table = data.draw(tables("float64"))
    chosen = data.draw(ids_for(table, st.sampled_from([(1,), (3,), (2, 2)])))
    poisoned = np.concatenate([table, np.full((1, table.shape[1]), poison)])
    looked_up = F.embedding(torch.from_numpy(chosen), torch.from_numpy(poisoned))
    multiplied = one_hot_of(chosen, len(poisoned), poisoned) @ torch.from_numpy(poisoned)
    same(looked_up, oracles.lookup(table, chosen))
    assert np.isnan(multiplied.numpy()).all()


def test_the_product_loses_the_sign_of_zero() -> None:
    table = np.array([[-0.0], [1.0]])
    ids = np.array([0])
    looked_up = F.embedding(torch.from_numpy(ids), torch.from_numpy(table)).numpy()
    multiplied = (one_hot_of(ids, 2, table) @ torch.from_numpy(table)).numpy()
    assert np.signbit(looked_up[0, 0])
    assert not np.signbit(multiplied[0, 0])


@pytest.mark.parametrize("poison", [np.inf, np.nan])
def test_one_infinite_upstream_gradient_poisons_every_row_of_the_product(poison: float) -> None:
    table, chosen = np.ones((4, 1)), np.array([2, 0])
    upstream = torch.tensor([[poison], [5.0]], dtype=torch.float64)
    weight, weight_t = leaf(table), leaf(table.T.copy())
    F.embedding(torch.from_numpy(chosen), weight).backward(upstream)
    F.linear(one_hot_of(chosen, 4, table), weight_t).backward(upstream)
    np.testing.assert_array_equal(weight.grad.numpy(), [[5.0], [0.0], [poison], [0.0]])
    assert np.isnan(weight_t.grad.numpy()[0, [0, 1, 3]]).all()
