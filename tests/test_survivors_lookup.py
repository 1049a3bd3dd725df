"""What small mistakes in lookups, bags and scatters their laws let pass: defaults, order of arguments, last bags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.nn import functional as F

TABLE = np.array([[3.0, 4.0], [0.5, 0.0], [-6.0, 8.0]])
FIRST, THREE = torch.tensor([0]), torch.tensor([0, 1, 2])


def table() -> Any:
    return leaf(TABLE.copy())


# ---- one-hot vectors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (1, 1, 3)])
def test_one_hot_vectors_are_rows_of_the_identity(shape: tuple[int, ...]) -> None:
    ids = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    most = int(ids.max())
    for classes in (-1, most + 1, most + 4):
        size = most + 1 if classes == -1 else classes
        found = F.one_hot(torch.from_numpy(ids), classes)
        np.testing.assert_array_equal(found.numpy(), np.eye(size, dtype=np.int64)[ids], strict=True)


# ---- options ---------------------------------------------------------------------------------------------------------


def test_norms_are_of_order_two_unless_another_one_is_asked_for() -> None:
    for look in (
        lambda **options: F.embedding(THREE, torch.from_numpy(TABLE.copy()), max_norm=1.0, **options),
        lambda **options: F.embedding_bag(THREE, torch.from_numpy(TABLE.copy()), THREE, max_norm=1.0, **options),
    ):
        np.testing.assert_allclose(look(), [[0.6, 0.8], [0.5, 0], [-0.6, 0.8]], 1e-6)
        np.testing.assert_allclose(look(norm_type=1), [[3 / 7, 4 / 7], [0.5, 0], [-3 / 7, 4 / 7]], 1e-6)


def test_rows_as_long_as_they_may_be_stay_as_they_are() -> None:
    """The others become as much shorter than `max_norm` as PyTorch has it."""
    weight = torch.from_numpy(TABLE.copy())
    F.embedding(THREE, weight, max_norm=5.0)
    assert weight[:2].tolist() == TABLE[:2].tolist()
    np.testing.assert_allclose(weight[2].numpy(), TABLE[2] * 5 / (10 + 1e-7), rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2, float("inf")])
def test_nothing_is_shortened_where_there_is_nothing(order: float) -> None:
    for ids, columns in ((THREE, 0), (THREE[:0], 0), (THREE[:0], 2)):
        out = F.embedding(ids, torch.zeros(3, columns), max_norm=1.0, norm_type=order)
        assert out.shape == (len(ids), columns)


@pytest.mark.parametrize("options", [{}, {"scale_grad_by_freq": True}, {"sparse": True}])
@pytest.mark.parametrize("padding_idx", [None, 1, -2, -3])
def test_each_kind_of_lookup_leaves_out_the_padding(options: dict[str, bool], padding_idx: int | None) -> None:
    weight = table()
    g = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)
    out = F.embedding(torch.tensor([2, 1, 0]), weight, padding_idx, **options)
    assert out.tolist() == TABLE[::-1].tolist()
    out.backward(g)
    assert weight.grad.is_sparse is ("sparse" in options)
    wanted = [[5, 6], [3, 4], [1, 2]]
    if padding_idx is not None:
        wanted[padding_idx] = [0, 0]
    assert weight.grad.to_dense().tolist() == wanted


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 1, -3])
def test_bags_at_the_end_may_be_empty(mode: str, padding_idx: int | None) -> None:
    """Also those that have padding alone; the others do not notice."""
    ids = torch.tensor([0, 2, 1, 1])
    for offsets in ([0, 2, 4, 4], [0, 2, 2, 2]):
        weight = table()
        out = F.embedding_bag(ids, weight, torch.tensor(offsets), mode=mode, padding_idx=padding_idx)
        assert out.shape == (4, 2)
        padding = padding_idx if padding_idx is None else padding_idx % 3
        members = [[n for n in ids.tolist()[a:b] if n != padding] for a, b in zip(offsets, [*offsets[1:], 4])]  # noqa: B905
        wanted = [getattr(TABLE[bag], mode)(0) if bag else np.zeros(2) for bag in members]
        np.testing.assert_array_equal(out.detach().numpy(), wanted)
        out.sum().backward()
        assert [row for row in (0, 1) if not weight.grad[row].any()] == ([] if padding is None else [padding])
    none = F.embedding_bag(ids, table(), torch.tensor([], dtype=torch.int64), mode=mode, padding_idx=padding_idx)
    assert none.shape == (0, 2)


def test_the_last_bag_has_to_begin_within_the_ids() -> None:
    with pytest.raises(RuntimeError) as caught:
        F.embedding_bag(THREE, table(), torch.tensor([0, 1, 9]))
    assert str(caught.value) == ("offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 9")


def test_products_with_the_weights_of_halves_are_rounded_once() -> None:
    """The sum of 4,000 products, each of which half precision would round."""
    generator = np.random.default_rng(0)
    ids, rows = generator.integers(0, 3, 4000), generator.uniform(0.5, 1, (3, 5)).astype(np.float16)
    factors = generator.uniform(0, 1, 4000).astype(np.float16)
    weight, weights = leaf(rows), leaf(factors)
    out = F.embedding_bag(torch.from_numpy(ids), weight, FIRST, mode="sum", per_sample_weights=weights)
    out.backward(torch.full((1, 5), 0.0999755859375, dtype=torch.float16))
    exact, wide = factors.astype(np.float64), rows.astype(np.float64)
    for found, wanted in [
        (out, exact @ wide[ids]),
        (weight.grad, 0.0999755859375 * np.bincount(ids, exact)[:, None].repeat(5, 1)),
        (weights.grad, 0.0999755859375 * wide.sum(1)[ids]),
    ]:
        assert found.dtype is torch.float16
        np.testing.assert_array_max_ulp(found.detach().numpy().ravel(), wanted.astype(np.float16).ravel(), 1)


# ---- arguments -------------------------------------------------------------------------------------------------------


def test_bags_with_their_first_arguments_exchanged() -> None:
    """As they were in the first versions of PyTorch: a warning, and the same result."""
    wanted = F.embedding_bag(THREE, table(), FIRST)
    with pytest.warns(UserWarning, match="^Argument order") as caught:
        found = F.embedding_bag(table(), THREE, FIRST)
    assert found.tolist() == wanted.tolist()
    assert [str(warning.message) for warning in caught] == [
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
        "deprecated, and should now be `embedding_bag(input, weight, ...)`."
    ]


def test_wrong_dtypes_are_no_exchanged_arguments() -> None:
    for ids, weight, argument, kind in [
        (THREE.float(), table(), "indices", "Float"),
        (THREE, table().long(), "weight", "Long"),
    ]:
        with pytest.raises(
            RuntimeError, match=rf"^Expected tensor for argument #1 '{argument}' .*got torch.{kind}Tensor"
        ):
            F.embedding_bag(ids, weight, FIRST)


def test_the_largest_of_a_bag_has_no_sparse_gradient() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        F.embedding_bag(THREE, table(), FIRST, mode="max", sparse=True)
    assert str(caught.value) == (
        "max mode does not support sparse weights: only the gradients of sums and means are sparse"
    )
