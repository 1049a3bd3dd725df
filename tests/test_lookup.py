"""What the laws do not see of lookups and linear layers: names, messages in full, options, large scatters."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracles
import pytest
from laws import leaf
from strategies import Array

import minigrad as torch
from minigrad import nn
from minigrad.core import rows as rows_
from minigrad.nn import functional as F
from minigrad.ops import places as places_in

pytestmark = pytest.mark.usefixtures("seeded")

ids, w, z = torch.tensor([1, 0]), torch.zeros(2, 3), torch.tensor([0])


# ---- names ----------------------------------------------------------------------------------------------------------


def test_one_hot_of_no_ids_has_the_classes_it_is_given() -> None:
    for classes in (1, 3):
        found = F.one_hot(ids[:0], classes)
        assert found.dtype is torch.int64
        assert found.shape == (0, classes)


def test_the_name_of_a_lookup_and_of_its_gradient() -> None:
    weight = leaf(np.zeros((2, 3)))
    g = leaf(np.ones((2, 3)))
    out = F.embedding(ids, weight)
    (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
    assert (out.grad_fn.name(), dw.grad_fn.name()) == ("EmbeddingBackward0", "EmbeddingDenseBackwardBackward0")


def test_a_sparse_gradient_has_a_name_and_no_counts() -> None:
    weight = leaf(np.zeros((2, 3)))
    g = leaf(np.ones((2, 3)))
    (dw,) = torch.autograd.grad(F.embedding(ids, weight, sparse=True), weight, g, create_graph=True)
    assert dw.is_sparse
    assert dw.grad_fn.name() == "SparseCooTensorWithDimsAndTensorsBackward0"
    out = F.embedding(ids, weight, scale_grad_by_freq=True, sparse=True)
    with pytest.raises(RuntimeError) as caught:
        out.sum().backward()
    assert str(caught.value) == (
        "embedding_backward: scale_grad_by_freq not supported with sparse gradients: leave out one of the two"
    )


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_the_name_of_bags(mode: str) -> None:
    for offsets in ([0, 1], [0]):
        out = F.embedding_bag(ids, leaf(np.zeros((2, 3))), torch.tensor(offsets), mode=mode)
        assert out.grad_fn.name() == "EmbeddingBagBackward0"


@pytest.mark.parametrize(
    ("shape", "name", "without_bias"),
    [
        ((3,), "ViewBackward0", "SqueezeBackward4"),
        ((2, 3), "AddmmBackward0", "MmBackward0"),
        ((4, 2, 3), "ViewBackward0", "UnsafeViewBackward0"),
    ],
)
def test_the_name_of_linear_is_that_of_the_last_step(shape: Any, name: str, without_bias: str) -> None:
    layer = nn.Linear(3, 5)
    assert F.linear(torch.ones(*shape), layer.weight, layer.bias).grad_fn.name() == name
    assert F.linear(torch.ones(*shape), layer.weight).grad_fn.name() == without_bias
    if len(shape) == 3:
        spaced = torch.ones(*shape, 2)[..., 0]
        assert F.linear(spaced, layer.weight, layer.bias).grad_fn.name() == "AddBackward0"


# ---- layers ----------------------------------------------------------------------------------------------------------


def test_an_embedding_hands_its_options_on() -> None:
    table = torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    layer = nn.Embedding(2, 2, max_norm=7.0, norm_type=1.0, scale_grad_by_freq=True, _weight=table.clone())
    layer(torch.tensor([0, 0])).backward(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    assert layer.weight[0].tolist() == [3.0, 4.0]
    assert layer.weight.grad.tolist() == [[2.0, 4.0], [0.0, 0.0]]
    with torch.no_grad():
        np.testing.assert_allclose(nn.Embedding(2, 2, max_norm=3.5, norm_type=1.0, _weight=table)(z), [[1.5, 2]], 1e-6)
    text = "Embedding(2, 2, max_norm=7.0, norm_type=1.0, scale_grad_by_freq=True)"
    assert repr(layer) == text
    assert repr(nn.Embedding(2, 2, sparse=True)) == "Embedding(2, 2, sparse=True)"
    assert repr(nn.Embedding(2, 2, scale_grad_by_freq=True)) == "Embedding(2, 2, scale_grad_by_freq=True)"


def test_an_embedding_may_be_frozen() -> None:
    assert not nn.Embedding(2, 3, _freeze=True).weight.requires_grad
    assert not nn.Embedding(2, 3, _weight=w, _freeze=True).weight.requires_grad
    assert nn.Embedding(2, 3, _weight=w).weight.requires_grad
    assert not nn.Embedding.from_pretrained(w).weight.requires_grad
    assert nn.Embedding.from_pretrained(w, freeze=False).weight.requires_grad


def test_layers_have_the_dtype_and_device_they_are_asked_for() -> None:
    for make in (
        lambda **options: nn.Embedding(2, 3, **options),
        lambda **options: nn.EmbeddingBag(2, 3, **options),
        lambda **options: nn.Linear(2, 3, **options),
        lambda **options: nn.Linear(2, 3, bias=False, **options),
    ):
        layer = make(dtype=torch.float64, device="cpu")
        assert {p.dtype for p in layer.parameters()} == {torch.float64}
        assert {p.dtype for p in make().parameters()} == {torch.float32}
        with pytest.raises((AssertionError, RuntimeError), match=r"(?i)cuda"):
            make(device="cuda")


def test_bags_hand_their_options_on() -> None:
    table = torch.tensor([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    three, weights = torch.tensor([0, 1, 2]), torch.tensor([1.0, -1.0, 3.0])
    make = nn.EmbeddingBag.from_pretrained
    assert make(table, mode="sum")(three, torch.tensor([0, 2])).tolist() == [[3.0, 30.0], [4.0, 40.0]]
    assert make(table)(three, torch.tensor([0, 2])).tolist() == [[1.5, 15.0], [4.0, 40.0]]
    assert make(table, mode="sum")(three, z, per_sample_weights=weights).tolist() == [[11.0, 110.0]]
    ended = make(table, mode="sum", include_last_offset=True)
    assert ended(three, torch.tensor([0, 1, 3])).tolist() == [[1.0, 10.0], [6.0, 60.0]]
    assert make(table, mode="sum", padding_idx=-1)(three, z).tolist() == [[3.0, 30.0]]
    layer = nn.EmbeddingBag(3, 2, scale_grad_by_freq=True, mode="sum", _weight=table.clone())
    layer(torch.tensor([1, 1]), z).backward(torch.tensor([[3.0, 5.0]]))
    assert layer.weight.grad.tolist() == [[0.0, 0.0], [3.0, 5.0], [0.0, 0.0]]
    loaded = make(table.clone(), freeze=False, scale_grad_by_freq=True, mode="sum")
    loaded(torch.tensor([1, 1]), z).backward(torch.tensor([[3.0, 5.0]]))
    assert loaded.weight.grad.tolist() == [[0.0, 0.0], [3.0, 5.0], [0.0, 0.0]]
    plain = make(table.clone(), freeze=False, mode="sum")
    plain(torch.tensor([1, 1]), z).backward(torch.tensor([[3.0, 5.0]]))
    assert plain.weight.grad.tolist() == [[0.0, 0.0], [6.0, 10.0], [0.0, 0.0]]
    for sparse in (False, True):
        layer = nn.EmbeddingBag(3, 2, mode="sum", sparse=sparse, _weight=table.clone())
        layer(three, z).sum().backward()
        assert layer.weight.grad.is_sparse is sparse
    long = torch.tensor([[3.0, 4.0]])
    np.testing.assert_allclose(make(long.clone(), max_norm=10.0, mode="sum")(z, z), [[3.0, 4.0]])
    np.testing.assert_allclose(make(long.clone(), max_norm=1.0, mode="sum")(z, z), [[0.6, 0.8]], 1e-6)
    np.testing.assert_allclose(make(long.clone(), max_norm=1.0, norm_type=1, mode="sum")(z, z), [[3 / 7, 4 / 7]], 1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_counts_leave_the_dtype_of_the_gradient_alone(dtype: Any) -> None:
    """A gradient that is divided by counts, as an int64 array would make it float64."""
    for layer in (
        nn.Embedding(3, 2, scale_grad_by_freq=True, dtype=dtype),
        nn.EmbeddingBag(3, 2, dtype=dtype),
        nn.EmbeddingBag(3, 2, scale_grad_by_freq=True, mode="sum", dtype=dtype),
    ):
        g = torch.ones(1, 2, dtype=dtype).expand(2, 2).clone().requires_grad_()
        bags = () if isinstance(layer, nn.Embedding) else (torch.tensor([0, 1]),)
        out = layer(torch.tensor([1, 1]), *bags)
        (dw,) = torch.autograd.grad(out, layer.weight, g, create_graph=True)
        assert out.dtype is dw.dtype is dtype
        assert torch.autograd.grad(dw.sum(), g)[0].dtype is dtype


def test_a_linear_layer_of_one_input_draws_its_bias() -> None:
    assert (nn.Linear(1, 8).bias != 0).all()


def test_the_largest_of_bags_of_one_size_and_of_many() -> None:
    table = np.array([[1.0, 9.0], [5.0, 2.0], [3.0, 7.0], [8.0, 0.0]])
    chosen = np.array([[0, 1], [2, 0], [3, 2], [1, 1]])
    expected = table[chosen].max(1)
    weight = leaf(table.copy())
    out = F.embedding_bag(torch.from_numpy(chosen), weight, mode="max")
    np.testing.assert_array_equal(out.detach().numpy(), expected)
    out.backward(torch.arange(2.0, 10.0).double().reshape(4, 2))
    # For each element the first of the rows that are the largest there.
    np.testing.assert_array_equal(weight.grad.numpy(), [[0, 8], [10, 9], [4, 7], [6, 0]])
    uneven = F.embedding_bag(torch.tensor([0, 1, 2, 2, 3, 0]), weight, torch.tensor([0, 1, 3, 3]), mode="max")
    np.testing.assert_array_equal(uneven.detach().numpy(), [[1, 9], [5, 7], [0, 0], [8, 9]])
    late = F.embedding_bag(torch.tensor([0, 1, 2]), weight, torch.tensor([0, 0, 2]), mode="max")
    np.testing.assert_array_equal(late.detach().numpy(), [[0, 0], [5, 9], [3, 7]])


# ---- scatters of all sizes -------------------------------------------------------------------------------------------


def loops(table: Array, places: Array, values: Array) -> Array:
    """`table[places[n]] += values[n]` for each n, in float64 or in the integers."""
    out = table.astype(np.float64 if table.dtype.kind == "f" else table.dtype)
    np.add.at(out, places, values)
    return out.astype(table.dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("size", [1, 15, 16, 17])
@pytest.mark.parametrize("repeats", [1, 7, 8, 9, 300])
def test_rows_add_up_whatever_their_width_and_their_repeats(dtype: str, size: int, repeats: int) -> None:
    """On both sides of the limits at which rows are added in another way."""
    generator = np.random.default_rng(size + repeats)
    for count in (32768 // size, 32768 // size + 1):
        rows = generator.integers(-2, 3, (count, size)).astype(dtype)
        chosen = (np.arange(count) // repeats).astype(np.int32)
        generator.shuffle(chosen)
        found = rows_.add_rows(rows, chosen, count + 1)
        np.testing.assert_array_equal(found, loops(np.zeros((count + 1, size), dtype), chosen, rows), strict=True)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "int8"])
@pytest.mark.parametrize("count", [3, 3000])
@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (0, 2)])
@pytest.mark.parametrize("contiguous", [True, False])
def test_values_add_up_at_places_in_any_dimension(
    dtype: str, count: int, dims: tuple[int, ...], contiguous: bool
) -> None:
    """Few values and many, in tables that hold something already; negative places count from the end."""
    generator = np.random.default_rng(count)
    y = generator.integers(-3, 4, (4, 5, 20)).astype(dtype)
    y = y if contiguous else y.transpose(2, 1, 0).copy().transpose(2, 1, 0)
    sizes = [y.shape[dim] for dim in dims]
    rest = [size for dim, size in enumerate(y.shape) if dim not in dims]
    places = generator.integers(0, np.prod(sizes), count)
    index = np.unravel_index(places, sizes)
    in_front = len(dims) == 1 or dims == (0, 2)
    leading = [] if dims[0] == 0 else list(y.shape[: dims[0]])
    shape = [*leading, count, *rest[len(leading) :]]
    values = generator.integers(-1, 2, shape).astype(dtype)
    expected = y.astype(np.float64 if y.dtype.kind == "f" else dtype)
    key: list[Any] = [slice(None)] * 3
    for dim, where in zip(dims, index, strict=True):
        key[dim] = where
    np.add.at(expected, tuple(key), values)
    given = np.where(generator.random(count) < 0.5, places - np.prod(sizes), places) if in_front else places
    places_in.add_at(y, dims, given, values)
    np.testing.assert_array_equal(y, expected.astype(dtype), strict=True)


def test_large_integers_add_up_exactly() -> None:
    y = np.zeros((1, 2), np.int64)
    places_in.add_at(y, (0,), np.array([0, 0]), np.array([[2**60, 1], [3, 2**61 + 1]]))
    assert y.tolist() == [[2**60 + 3, 2**61 + 2]]


def test_places_may_count_from_the_end() -> None:
    places = np.array([0, -1, 2, -3])
    assert places_in.from_start(places, 3).tolist() == [0, 2, 2, 0]
    assert places_in.from_start(np.array([0, 1]), 3).tolist() == [0, 1]
    assert places_in.from_start(np.zeros(0, np.int64), 3).tolist() == []


def test_one_dimension_stands_for_neighbours() -> None:
    assert places_in.merged((2, 3, 4), ()) == (1, 2, 3, 4)
    assert places_in.in_front(3, (0, 1)) is None
    assert places_in.in_front(3, (1,)) is None
    assert places_in.in_front(3, (2, 0)) == (2, 0, 1)


def test_scatters_agree_with_loops() -> None:
    """The oracle of this file is NumPy's; that one's are loops."""
    rows, chosen = np.arange(12.0).reshape(4, 3), np.array([1, 0, 1, 1])
    np.testing.assert_array_equal(loops(np.zeros((2, 3)), chosen, rows), oracles.scatter_add(rows, chosen, 2))
