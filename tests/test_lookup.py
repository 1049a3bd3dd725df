"""What neither laws nor programs see of lookups: rows as long as they may be, nothing, digits of halves."""

from __future__ import annotations

import numpy as np
from laws import leaf

import minigrad as torch
from minigrad.nn import functional as F


def test_rows_as_long_as_they_may_be_stay_as_they_are() -> None:
    """The others become as much shorter than `max_norm` as PyTorch has it."""
    table = np.array([[3.0, 4.0], [0.5, 0.0], [-6.0, 8.0]])
    weight = torch.from_numpy(table.copy())
    F.embedding(torch.tensor([0, 1, 2]), weight, max_norm=5.0)
    assert weight[:2].tolist() == table[:2].tolist()
    np.testing.assert_allclose(weight[2].numpy(), table[2] * 5 / (10 + 1e-7), rtol=1e-12)


def test_nothing_has_no_largest_element() -> None:
    for ids, columns in (([0, 1, 2], 0), ([], 0), ([], 2)):
        chosen = torch.tensor(ids, dtype=torch.int64)
        out = F.embedding(chosen, torch.zeros(3, columns), max_norm=1.0, norm_type=float("inf"))
        assert out.shape == (len(ids), columns)
    for mode in ("sum", "mean", "max"):
        out = F.embedding_bag(torch.tensor([0, 2]), torch.ones(3, 2), torch.zeros(0, dtype=torch.int64), mode=mode)
        assert out.shape == (0, 2)


def test_products_with_the_weights_of_halves_are_rounded_once() -> None:
    """The sum of 4,000 products, each of which half precision would round."""
    generator = np.random.default_rng(0)
    ids, rows = generator.integers(0, 3, 4000), generator.uniform(0.5, 1, (3, 5)).astype(np.float16)
    factors = generator.uniform(0, 1, 4000).astype(np.float16)
    weight, weights = leaf(rows), leaf(factors)
    out = F.embedding_bag(torch.from_numpy(ids), weight, torch.tensor([0]), mode="sum", per_sample_weights=weights)
    out.backward(torch.full((1, 5), 0.0999755859375, dtype=torch.float16))
    exact, wide = factors.astype(np.float64), rows.astype(np.float64)
    for found, wanted in [
        (out, exact @ wide[ids]),
        (weight.grad, 0.0999755859375 * np.bincount(ids, exact)[:, None].repeat(5, 1)),
        (weights.grad, 0.0999755859375 * wide.sum(1)[ids]),
    ]:
        assert found.dtype is torch.float16
        np.testing.assert_array_max_ulp(found.detach().numpy().ravel(), wanted.astype(np.float16).ravel(), 1)
