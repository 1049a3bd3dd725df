"""Sparse gradients: equal to the dense ones, without the table on the way; and what sparse tensors refuse."""

import functools
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest
from hypothesis import given, strategies as st
from laws import same
from strategies import DTYPES, FLOATS, Array, arrays, cotangents, ids_for, tables

import minigrad as torch
from minigrad.declare import declared
from minigrad.nn import functional as F
from minigrad.tensors.sparse import ids_of, places_of

SHAPES = st.sampled_from([(), (0,), (1,), (4,), (9,), (2, 3)])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """A table, ids with repeats, and an upstream gradient, of integers: sums are exact."""
    table = draw(tables(draw(st.sampled_from(FLOATS))))
    chosen = draw(ids_for(table, SHAPES))
    return table, chosen, draw(cotangents((*chosen.shape, table.shape[1]), str(table.dtype)))


@st.composite
def sparse_tensors(draw: st.DrawFn) -> Any:
    """Of any number of sparse and dense dimensions, with places that repeat."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=0, max_size=3))
    dense = draw(st.lists(st.integers(0, 3), max_size=2))
    count = draw(st.integers(0, 5))
    places = [draw(st.lists(st.integers(0, n - 1), min_size=count, max_size=count)) for n in sizes]
    values = draw(arrays(draw(st.sampled_from(DTYPES)), (count, *dense)))
    indices = torch.tensor(places, dtype=torch.int64).reshape(len(sizes), count)
    return torch.sparse_coo_tensor(indices, torch.from_numpy(values), (*sizes, *dense))


def leaf(array: Array) -> Any:
    return torch.from_numpy(array.copy()).requires_grad_()


def sparse_one() -> Any:
    """Not coalesced."""
    return torch.sparse_coo_tensor(
        torch.tensor([[2, 0, 2]]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), (4, 2)
    )


# ---- laws ------------------------------------------------------------------------------------------------------------


def options(table: Array) -> st.SearchStrategy[dict[str, Any]]:
    padding = st.none() | st.integers(-len(table), len(table) - 1)
    return st.fixed_dictionaries({"padding_idx": padding, "max_norm": st.sampled_from([None, 2.0])})


@given(st.data())
def test_a_sparse_gradient_is_the_dense_one(data: st.DataObject) -> None:
    """Its rows are the upstream gradients, its places their ids; summed up, they are the dense gradient exactly."""
    table, chosen, upstream = data.draw(problems())
    given_options = data.draw(options(table))
    sparse, dense = leaf(table), leaf(table)
    for weight, how in ((sparse, True), (dense, False)):
        out = F.embedding(torch.from_numpy(chosen), weight, sparse=how, **given_options)
        out.backward(torch.from_numpy(upstream))
    g = sparse.grad
    assert g.is_sparse
    assert g.shape == dense.shape
    assert g.dtype is dense.dtype
    assert g._nnz() <= chosen.size
    same(g.to_dense(), dense.grad)
    same(g.coalesce().to_dense(), dense.grad)
    same(sparse, dense)


@given(st.data())
def test_bags_have_sparse_gradients_too(data: st.DataObject) -> None:
    table = data.draw(tables("float64"))
    chosen = data.draw(ids_for(table, st.sampled_from([(1,), (6,), (9,)])))
    offsets = torch.tensor([0, *sorted(data.draw(st.lists(st.integers(0, chosen.size), max_size=3)))])
    mode = data.draw(st.sampled_from(["sum", "mean"]))
    weighted = mode == "sum" and data.draw(st.booleans())
    upstream = torch.from_numpy(data.draw(cotangents((len(offsets), table.shape[1]), "float64")))
    padding = data.draw(st.none() | st.integers(0, len(table) - 1))
    found = []
    for how in (True, False):
        weight, factors = leaf(table), leaf(np.arange(1.0, chosen.size + 1)) if weighted else None
        bags = F.embedding_bag(
            torch.from_numpy(chosen),
            weight,
            offsets,
            mode=mode,
            sparse=how,
            per_sample_weights=factors,
            padding_idx=padding,
        )
        bags.backward(upstream)
        assert weight.grad.is_sparse is how
        found.append((weight.grad.to_dense(), factors.grad if weighted else torch.zeros(0)))
    for got, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-14)


@given(sparse_tensors())
def test_coalescing_adds_up_and_sorts(x: Any) -> None:
    coalesced = x.coalesce()
    assert coalesced.is_coalesced()
    assert coalesced.coalesce() is coalesced
    places = [tuple(place) for place in coalesced.indices().t().tolist()]
    assert places == sorted(set(places))
    table = np.zeros(x.shape, np.float64 if x.is_floating_point() else x.dtype._numpy)
    for place, value in zip(x._indices().t().tolist(), x._values().numpy(), strict=True):
        table[tuple(place)] += value
    expected = table.astype(x.dtype._numpy)
    same(x.to_dense(), expected)
    same(coalesced.to_dense(), expected)


@given(problems(), st.data())
def test_gradients_of_any_layout_add_up(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """In one walk and over several: the sum is the dense one, and sparse as long as every part is."""
    table, chosen, upstream = problem
    passes = data.draw(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=3))
    graph = data.draw(st.booleans())
    mixed, dense = leaf(table), leaf(table)
    ids, g = torch.from_numpy(chosen), torch.from_numpy(upstream)
    sparse_so_far = True
    for parts in passes:
        for weight, layouts in ((mixed, parts), (dense, [False] * len(parts))):
            before = weight.grad
            loss = functools.reduce(
                lambda x, y: x + y, [(F.embedding(ids, weight, sparse=how) * g).sum() for how in layouts]
            )
            loss.backward(create_graph=graph)
            if before is not None and not graph and before.is_sparse == weight.grad.is_sparse:
                assert weight.grad is before
        sparse_so_far = sparse_so_far and all(parts)
        assert mixed.grad.is_sparse == sparse_so_far
        same(mixed.grad.to_dense(), dense.grad)


@given(st.data())
def test_gradients_of_sparse_gradients(data: st.DataObject) -> None:
    """To order three, whether through to_dense, the entries, or a sum with a dense tensor."""
    table, chosen, _ = data.draw(problems())
    table = (table % 4).astype(np.float64)
    reads: list[Callable[[Any], Any]] = [
        lambda g: g.to_dense(),
        lambda g: g.coalesce().to_dense(),
        lambda g: (g * 2 - g).to_dense(),
        lambda g: torch.from_numpy(table) + g,
        lambda g: (torch.from_numpy(table) * 1).add_(g, alpha=2),
        lambda g: (g * torch.from_numpy(table)).to_dense(),
    ]
    read = data.draw(st.sampled_from(reads))
    found = []
    for how in (True, False):
        weight = leaf(table)
        out = (F.embedding(torch.from_numpy(chosen), weight, sparse=how) ** 3).sum()
        (first,) = torch.autograd.grad(out, weight, create_graph=True)
        assert first.is_sparse is how
        first = read(first) if how else read(first.to_sparse(1)) if table.shape[1] else first
        (second,) = torch.autograd.grad((first**2).sum(), weight, create_graph=True)
        (third,) = torch.autograd.grad((second.to_dense() * torch.from_numpy(table)).sum(), weight)
        found.append((first.detach().numpy(), second.to_dense().detach().numpy(), third.to_dense().numpy()))
    if table.shape[1]:
        for got, wanted in zip(*found, strict=True):
            np.testing.assert_array_equal(got, wanted)


@given(problems(), st.sampled_from([1, -1, 0.5, 3]), st.booleans())
def test_adding_rows_to_a_dense_tensor(problem: tuple[Array, Array, Array], alpha: Any, contiguous: bool) -> None:
    """Rows without an entry stay as they are, bit for bit; in-place writes are counted."""
    table, chosen, upstream = problem
    rows = torch.from_numpy(upstream.reshape(chosen.size, table.shape[1]))
    sparse = torch.sparse_coo_tensor(torch.from_numpy(chosen.reshape(1, -1)), rows, table.shape)
    held = table.copy() if contiguous else np.asfortranarray(table)
    held[held == 0] = -0.0
    dense = torch.from_numpy(held)
    expected = (held + alpha * oracles.scatter_add(upstream.astype(np.float64), chosen, len(table))).astype(table.dtype)
    same(dense.add(sparse, alpha=alpha), expected)
    untouched = np.setdiff1d(np.arange(len(table)), chosen)
    assert dense.add_(sparse, alpha=alpha) is dense
    same(dense, expected)
    assert np.signbit(dense.numpy()[untouched][expected[untouched] == 0]).all()
    assert dense._version == 1
    dense -= sparse
    dense += sparse
    same(dense, expected)


def test_wide_tables_agree_with_loops() -> None:
    """On both sides of the limits at which rows are added in another way, sparse as dense."""
    generator = np.random.default_rng(0)
    for size, count, rows in ((1, 3000, 40), (15, 3000, 2900), (16, 2047, 50), (64, 3000, 5)):
        for dtype in ("float32", "float16", "float64"):
            chosen = generator.integers(0, rows, count)
            values = generator.integers(-2, 3, (count, size)).astype(dtype)
            x = torch.sparse_coo_tensor(torch.from_numpy(chosen[None]), torch.from_numpy(values), (rows, size))
            names = np.unique(chosen)
            sums = np.zeros((rows, size))
            np.add.at(sums, chosen, values.astype(np.float64))
            coalesced = x.coalesce()
            np.testing.assert_array_equal(coalesced.indices().numpy(), names[None])
            np.testing.assert_array_equal(coalesced.values().numpy(), sums[names].astype(dtype), strict=True)
            for before in (torch.ones(rows, size).numpy().astype(dtype), np.ones((size, rows), dtype).T):
                table = torch.from_numpy(before)
                table.add_(x, alpha=-1)
                np.testing.assert_array_equal(table.numpy(), (1 - sums).astype(dtype), strict=True)


# ---- memory ----------------------------------------------------------------------------------------------------------


def test_no_table_on_the_way() -> None:
    """A step of sparse gradient descent takes memory for the rows that it reads, however large the table is."""
    rows, size, count = 400_000, 32, 512
    weight = torch.zeros(rows, size).requires_grad_()
    ids = torch.from_numpy(np.random.default_rng(0).integers(0, rows, count))

    def step() -> None:
        for _ in range(2):
            (F.embedding(ids, weight, sparse=True) - 1).square().sum().backward()
        weight.grad.coalesce()
        with torch.no_grad():
            weight.add_(weight.grad, alpha=-0.1)
            weight.sub_(weight.grad * 0.1)
        weight.grad = None

    step()
    tracemalloc.start()
    try:
        step()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * count * size * 4 < rows * size * 4 / 20


def test_a_gradient_holds_its_own_memory() -> None:
    """A write to what was passed in changes no gradient, and a write to a gradient nothing else."""
    weight, ids, upstream = leaf(np.zeros((4, 2))), torch.tensor([2, 0]), torch.ones(2, 2, dtype=torch.float64)
    out = F.embedding(ids, weight, sparse=True)
    (given_back,) = torch.autograd.grad(out, weight, upstream, retain_graph=True)
    out.backward(upstream)
    upstream.fill_(7)
    ids.fill_(3)
    for g in (given_back, weight.grad):
        assert g._indices().tolist() == [[2, 0]]
        assert g._values().tolist() == [[1, 1], [1, 1]]
    weight.grad._values().fill_(9)
    assert upstream.tolist() == [[7, 7], [7, 7]]
    assert given_back._values().tolist() == [[1, 1], [1, 1]]


def test_a_gradient_with_a_graph_keeps_its_places() -> None:
    weight, ids = leaf(np.ones((4, 2))), torch.tensor([2, 0])
    loss = (F.embedding(ids, weight, sparse=True) ** 2).sum()
    (g,) = torch.autograd.grad(loss, weight, create_graph=True)
    ids.fill_(3)
    assert g._indices().tolist() == [[2, 0]]


# ---- half precision --------------------------------------------------------------------------------------------------


def test_scaled_gradients_of_halves_neither_overflow_nor_vanish() -> None:
    for value in (100.0, 1e-4):
        weight = torch.zeros(2, 1, dtype=torch.float16).requires_grad_()
        upstream = torch.full((5000, 1), value, dtype=torch.float16)
        F.embedding(torch.zeros(5000, dtype=torch.int64), weight, scale_grad_by_freq=True).backward(upstream)
        assert weight.grad[0].item() == upstream[0].item()


# ---- what sparse tensors refuse --------------------------------------------------------------------------------------

# What works on a sparse tensor, as rows of the table say; functions that only look, or hand back what they get where
# nothing is to be done; methods of dense tensors that read of another one no more than its shape or dtype.
NAMES = """
    is_sparse layout shape size dim ndim numel nelement dtype device itemsize element_size is_floating_point
    is_cuda is_leaf requires_grad grad grad_fn requires_grad_ retains_grad output_nr data detach detach_ clone
    cpu new_tensor sparse_dim dense_dim coalesce is_coalesced indices values to_dense to_sparse to type double float
    half bfloat16 new int long neg negative add sub subtract mul multiply div divide true_divide add_ sub_ mul_ div_
    ndimension zero_ sum norm;
    is_tensor flatten broadcast_tensors result_type;
    expand_as reshape_as view_as type_as to is_contiguous unique cpu bool byte char double float half int long short
"""
WORKS, LOOKS, DO_NOT_READ = [set(names.split()) for names in NAMES.split(";")]


def arguments() -> list[tuple[Any, ...]]:
    d, i = torch.arange(8.0).reshape(4, 2), torch.tensor([[0, 1], [1, 0]])
    return [(), (0,), (2.0,), (d,), (0, 1), (0, i), (sparse_one(),), (0, i, d), ((8,),), (d, d), (d, d, d), (d > 3, d)]


def refuses(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (NotImplementedError, RuntimeError, TypeError, IndexError, ValueError, AttributeError):
        return True
    return False


def test_what_is_not_written_for_sparse_tensors_is_an_error() -> None:
    """Every other method and function raises, whatever it gets, and changes nothing: none computes on nothing."""
    names = [
        name for name in dir(torch.tensor(0.0)) if not name.startswith("_") and name not in WORKS | LOOKS | {"cuda"}
    ]
    assert len(names) > 250
    for name in names:
        x = sparse_one()
        for more in arguments():
            assert refuses(lambda x=x, name=name, more=more: getattr(x, name)(*more)), (name, more)
        same(x.to_dense(), sparse_one().to_dense())
    for name in {*declared["torch"]} - WORKS - LOOKS:
        for more in arguments():
            assert refuses(lambda name=name, more=more: getattr(torch, name)(sparse_one(), *more)), (name, more)


@pytest.mark.usefixtures("seeded")
def test_dense_operations_refuse_a_sparse_operand() -> None:
    d = torch.arange(8.0).reshape(4, 2)
    sums = {"add", "add_", "dist", "sub", "sub_", "subtract", "subtract_", "mul", "multiply"}
    hooks = {"register_hook", "register_post_accumulate_grad_hook", "new_tensor", "cuda"}
    for name in dir(d):
        if not name.startswith("_") and name not in sums | hooks | DO_NOT_READ and callable(getattr(d, name)):
            before = d.clone()
            assert refuses(lambda name=name: getattr(d, name)(sparse_one())), name
            same(d, before)


def test_operators_leave_what_is_no_number_to_the_other_operand() -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "their own"

        __rsub__ = __rmul__ = __rtruediv__ = __radd__

    x, other = sparse_one(), Other()
    assert [x + other, x - other, x * other, x / other] == ["their own"] * 4
    for update in (type(x).__iadd__, type(x).__isub__, type(x).__imul__, type(x).__itruediv__):
        assert update(x, other) is NotImplemented


@pytest.mark.parametrize("sizes", [(), (5,), (2, 3), (3, 1, 4), (1, 7, 1)])
def test_places_are_counted_row_by_row(sizes: tuple[int, ...]) -> None:
    ids = np.arange(int(np.prod(sizes)))
    places = places_of(ids, sizes)
    assert places.T.tolist() == [list(place) for place in np.ndindex(sizes)]
    np.testing.assert_array_equal(ids_of(places, sizes), ids, strict=True)
