"""The laws of the equivalence, each a Hypothesis test that a correct library passes and a broken copy does not.

For ids `i` and a table `W` of shape `(V, D)`, with `X = one_hot(i, V)`: `W[i] == X @ W`, and so for the gradients
and the gradients of the gradients.  These laws are those of `minigrad.checks`, for each of `VARIANTS`: ways to
look rows up, and the product with `X` among them.  The laws below them are of more than one lookup.

`test_equivalence.py` runs the laws; `test_broken_copies.py` runs them on deliberately broken copies of the code, which
they have to reject.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import oracles
from hypothesis import Phase, assume, given, settings, strategies as st
from strategies import Array, cotangents, ids, ids_for, tables

import minigrad as torch
from minigrad.checks.laws import STEADY, Law as SharedLaw
from minigrad.checks.lookup import LOOKUP_LAWS, Subject
from minigrad.nn import functional as F

# Integer-valued floats make every sum exact, so the two ways must agree to the last bit.
EXACT_DTYPES = st.sampled_from(["float32", "float64"])
ID_DTYPES = st.sampled_from(["int64", "int32"])
ID_SHAPES = st.sampled_from([(), (1,), (5,), (2, 3), (0, 3), (2, 0), (2, 1, 4)])


Law = Callable[..., None]


class Laws(dict[Law, tuple[st.SearchStrategy[Any], ...]]):
    """Laws, each with the strategies for its arguments; one without arguments holds for what it says itself."""

    def law(self, *arguments: st.SearchStrategy[Any]) -> Callable[[Law], Law]:
        """List a function among the laws, to be checked with arguments drawn from these strategies."""

        def listed(function: Law) -> Law:
            self[function] = arguments
            return function

        return listed

    def check(self, function: Law, profile: Callable[[Law], Law] = lambda test: test) -> None:
        """Run a law on drawn arguments, as the Hypothesis profile or the given settings say."""
        arguments = self[function]
        test = profile(given(*arguments)(function)) if arguments else function
        test()

    def rejects(self, name: str, verdict: type[Exception] | tuple[type[Exception], ...] = AssertionError) -> bool:
        """Whether the law of that name fails, with an error that counts as its verdict, on the package as it is now."""
        (function,) = [each for each in self if each.__name__ == name]
        try:
            self.check(function, settings(max_examples=200, derandomize=True, database=None, phases=[Phase.generate]))
        except verdict:
            return True
        return False


ALL = Laws()
law = ALL.law


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """A table `(V, D)` from V = 1 and D = 0 on, ids with repeats, and an upstream gradient; in any memory layout."""
    table = draw(tables(EXACT_DTYPES))
    chosen = draw(ids_for(table, ID_SHAPES, ID_DTYPES))
    upstream = draw(cotangents((*chosen.shape, table.shape[1]), table.dtype.name))
    return table, chosen, upstream


def leaf(array: Array) -> Any:
    """A leaf that requires a gradient, on the array itself: with its strides."""
    return torch.from_numpy(array).requires_grad_()


def one_hot_of(chosen: Array, num_classes: int, like: Array) -> Any:
    """The one-hot matrix of the ids in the dtype of `like`."""
    return F.one_hot(torch.from_numpy(chosen).long(), num_classes).to(torch.from_numpy(like).dtype)


# ---- one lookup, in many ways ----------------------------------------------------------------------------------------


def by_module(chosen: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """The layer, with the given tensor in the place of its Parameter."""
    layer = torch.nn.Embedding(*weight.shape, padding_idx, _weight=weight.detach())
    del layer.weight
    layer.weight = weight
    return layer(chosen)


def by_bags(mode: str, sparse: bool = False) -> Callable[..., Any]:
    """Bags of one id each: their sum, mean and maximum are the row."""

    def bags(chosen: Any, weight: Any) -> Any:
        out = F.embedding_bag(chosen.reshape(-1, 1), weight, mode=mode, sparse=sparse)
        return out.reshape(*chosen.shape, weight.shape[1])

    return bags


def by_product(chosen: Any, weight: Any) -> Any:
    return F.one_hot(chosen.long(), len(weight)).to(weight.dtype) @ weight


def by_linear(chosen: Any, weight: Any) -> Any:
    return F.linear(F.one_hot(chosen.long(), len(weight)).to(weight.dtype), weight.T)


PADDING = {"padding", "padding, double backward"}
#: Where a product differs from a lookup: `0 * inf` is nan.
BOUNDARY = {"unread rows", "separate rows"}


class Variant:
    """A way to look rows up, and the laws of `minigrad.checks` that it does not keep."""

    def __init__(self, embedding: Callable[..., Any], *without: str, raises: type[Exception] = IndexError) -> None:
        self.subject = Subject(embedding, torch, raises, tables(st.sampled_from(["float32", "float64", "float16"])))
        self.without = without

    def breaks(self, shared: SharedLaw, profile: settings = STEADY) -> str | None:
        return shared.broken_by(self.subject, profile)


VARIANTS = {
    "lookup": Variant(F.embedding),
    "nn.Embedding": Variant(by_module),
    "sparse": Variant(lambda chosen, weight, padding_idx=None: F.embedding(chosen, weight, padding_idx, sparse=True)),
    "with max_norm": Variant(lambda chosen, weight: F.embedding(chosen, weight, max_norm=1000.0), *PADDING),
    "indexing": Variant(lambda chosen, weight: weight[chosen], "range of ids", *PADDING),
    "index_select": Variant(
        lambda chosen, weight: weight.index_select(0, chosen.reshape(-1)).reshape(*chosen.shape, weight.shape[1]),
        "range of ids",  # An IndexError, or a RuntimeError for rows of no columns, as in PyTorch.
        *PADDING,
    ),
    "bags, sum": Variant(by_bags("sum"), "no ids", *PADDING, raises=RuntimeError),
    "bags, mean": Variant(by_bags("mean"), "no ids", *PADDING, raises=RuntimeError),
    "bags, sparse": Variant(by_bags("sum", sparse=True), "no ids", *PADDING, raises=RuntimeError),
    "bags, max": Variant(by_bags("max"), "no ids", *PADDING, raises=RuntimeError),
    "one-hot product": Variant(by_product, *BOUNDARY, *PADDING, raises=RuntimeError),
    "F.linear": Variant(by_linear, *BOUNDARY, *PADDING, raises=RuntimeError),
}


def shared_profile(examples: int) -> settings:
    """The settings of the profile, with this many examples."""
    return settings(STEADY, max_examples=examples, derandomize=settings.default.derandomize)


def list_variants() -> None:
    for name, variant in VARIANTS.items():
        few = 1 if name == "lookup" else 6
        for shared in LOOKUP_LAWS:
            if shared.name not in variant.without:

                def holds(variant: Variant = variant, shared: SharedLaw = shared, few: int = few) -> None:
                    story = variant.breaks(shared, shared_profile(settings.default.max_examples // few))
                    assert story is None, story

                holds.__name__ = f"{name}: {shared.name}"
                law()(holds)


list_variants()


def rejects(name: str) -> bool:
    """Whether a law, or "variant: law" for a shared one, fails on the package as it is now."""
    variant, _, of_lookup = name.partition(": ")
    if not of_lookup:
        return ALL.rejects(name)
    (shared,) = [each for each in LOOKUP_LAWS if each.name == of_lookup]
    return VARIANTS[variant].breaks(shared, settings(STEADY, max_examples=200, phases=[Phase.generate])) is not None


# ---- two ways, and more than one lookup ------------------------------------------------------------------------------


def same(got: Any, expected: Any) -> None:
    """Equal shape, dtype and elements, to the last bit but for the sign of zero."""
    got_array = got.detach().numpy() if isinstance(got, torch.Tensor) else got
    expected_array = expected.detach().numpy() if isinstance(expected, torch.Tensor) else expected
    assert got_array.dtype == expected_array.dtype
    np.testing.assert_array_equal(got_array, expected_array, strict=True)


@law(problems(), st.data())
def second_order(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """For the loss `sum(c * y**3)`, second derivatives along a direction agree between both ways and with loops."""
    table, chosen, coefficients = problem
    direction = data.draw(cotangents(table.shape, table.dtype.name))
    c = torch.from_numpy(coefficients)
    weight = leaf(table)
    loss = (c * F.embedding(torch.from_numpy(chosen), weight) ** 3).sum()
    (dw,) = torch.autograd.grad(loss, weight, create_graph=True)
    (by_lookup,) = torch.autograd.grad(dw, weight, torch.from_numpy(direction))
    weight_t = leaf(table.T)
    loss = (c * F.linear(one_hot_of(chosen, len(table), table), weight_t) ** 3).sum()
    (dw_t,) = torch.autograd.grad(loss, weight_t, create_graph=True)
    (by_product,) = torch.autograd.grad(dw_t, weight_t, torch.from_numpy(direction.T.copy()))
    rows = 6 * coefficients * oracles.lookup(table, chosen)
    same(by_lookup, oracles.scatter_add(rows, chosen, len(table)) * direction)
    same(by_product, by_lookup.detach().numpy().T)


@law(problems(), st.data())
def padding_counts_from_the_end(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """`padding_idx` masks the gradient of its row, to every order, and not its value."""
    table, chosen, upstream = problem
    padding_idx = data.draw(st.integers(-len(table), len(table) - 1))
    weight, g = leaf(table), leaf(upstream)
    out = F.embedding(torch.from_numpy(chosen), weight, padding_idx)
    same(out, oracles.lookup(table, chosen))
    (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
    counted = (chosen != padding_idx % len(table))[..., None]
    same(dw, oracles.scatter_add(np.where(counted, upstream, np.zeros((), upstream.dtype)), chosen, len(table)))
    direction = data.draw(cotangents(table.shape, table.dtype.name))
    (back,) = torch.autograd.grad(dw, g, torch.from_numpy(direction))
    same(back, np.where(counted, oracles.lookup(direction, chosen), np.zeros((), table.dtype)))


@law(problems())
def one_hot_gradient(problem: tuple[Array, Array, Array]) -> None:
    """The one-hot input has a gradient, `G @ W.T`; the ids have none."""
    table, chosen, upstream = problem
    x = one_hot_of(chosen, len(table), table).requires_grad_()
    weight = torch.from_numpy(table)
    F.linear(x, weight.T).backward(torch.from_numpy(upstream))
    same(x.grad, oracles.matmul(upstream, table.T))
    assert not F.embedding(torch.from_numpy(chosen), weight).requires_grad


@law(st.data())
def range_of_ids(data: st.DataObject) -> None:
    """Every id in `[0, V)` is looked up; one outside, wherever it stands, is an IndexError that names it."""
    table = data.draw(tables())
    rows = len(table)
    chosen = data.draw(ids(rows, st.sampled_from([(1,), (4,), (2, 3)]), ID_DTYPES)).copy()
    same(F.embedding(torch.tensor(rows - 1), torch.from_numpy(table)), table[rows - 1])
    place = tuple(data.draw(st.integers(0, size - 1)) for size in chosen.shape)
    chosen[place] = data.draw(st.sampled_from([rows, -1, rows + 7, -rows, 2**31 - 1, -(2**31)]))
    weight = leaf(table)
    try:
        F.embedding(torch.from_numpy(chosen), weight)
    except IndexError as error:
        message = str(error)
    else:
        raise AssertionError(f"the id {chosen[place]} was accepted for a table of {rows} rows")
    assert message.startswith("index out of range in self")
    assert f"[{', '.join(map(str, place))}] is {chosen[place]}, which is not in [0, {rows})" in message
    assert weight.grad is None


@st.composite
def linear_problems(draw: st.DrawFn) -> tuple[Array, Array, Array, Array]:
    """An input `(*, I)`, a weight `(O, I)`, a bias `(O,)` and an upstream gradient `(*, O)`."""
    weight = draw(tables(EXACT_DTYPES, max_rows=4))
    name = weight.dtype.name
    leading = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,), (2, 0), (2, 1, 2)]))
    x = draw(cotangents((*leading, weight.shape[1]), name))
    bias = draw(cotangents((len(weight),), name))
    upstream = draw(cotangents((*leading, len(weight)), name))
    return x, weight, bias, upstream


@law(linear_problems(), st.booleans())
def linear_layer(problem: tuple[Array, Array, Array, Array], with_bias: bool) -> None:
    """`Y = X @ W.T + b` and its three gradients are what loops say."""
    x, weight, bias, upstream = problem
    tx, tw, tb = leaf(x), leaf(weight), leaf(bias) if with_bias else None
    out = F.linear(tx, tw, tb)
    expected = oracles.matmul(x, weight.T)
    same(out, expected + bias if with_bias else expected)
    out.backward(torch.from_numpy(upstream))
    rows, upstream_rows = x.reshape(-1, x.shape[-1]) if x.size else None, upstream.reshape(-1, len(weight))
    same(tx.grad, oracles.matmul(upstream, weight))
    same(tw.grad, np.zeros_like(weight) if rows is None else oracles.matmul(upstream_rows.T, rows))
    if tb is not None:
        same(tb.grad, oracles.matmul(np.ones((1, len(upstream_rows)), x.dtype), upstream_rows)[0])


@law(linear_problems(), st.data())
def linear_second_order(problem: tuple[Array, Array, Array, Array], data: st.DataObject) -> None:
    """The gradients of `<dX, A> + <dW, B> + <db, C>` with respect to X, W and G are what loops say."""
    x, weight, bias, upstream = problem
    assume(x.ndim >= 2 and x.size and weight.size)
    name = x.dtype.name
    a, b, c = (data.draw(cotangents(shape, name)) for shape in (x.shape, weight.shape, bias.shape))
    tx, tw, tb, tg = leaf(x), leaf(weight), leaf(bias), leaf(upstream)
    gradients = torch.autograd.grad(F.linear(tx, tw, tb), (tx, tw, tb), tg, create_graph=True)
    total = sum((d * torch.from_numpy(e)).sum() for d, e in zip(gradients, (a, b, c), strict=True))
    dx, dw, dg = torch.autograd.grad(total, (tx, tw, tg))
    a_rows, g_rows = a.reshape(-1, a.shape[-1]), upstream.reshape(-1, len(weight))
    same(dx, oracles.matmul(upstream, b))
    same(dw, oracles.matmul(g_rows.T, a_rows))
    same(dg, oracles.matmul(a, weight.T) + oracles.matmul(x, b.T) + c)


@law(problems(), st.data())
def tied(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """A table that is looked up in and multiplied with, `Y = W[i] @ W.T`, gets the gradients of both uses."""
    table, chosen, _ = problem
    upstream = data.draw(cotangents((*chosen.shape, len(table)), table.dtype.name))
    weight = leaf(table)
    F.linear(F.embedding(torch.from_numpy(chosen), weight), weight).backward(torch.from_numpy(upstream))
    rows = oracles.lookup(table, chosen).reshape(chosen.size, table.shape[1])
    g = upstream.reshape(chosen.size, len(table))
    by_head = oracles.matmul(g.T, rows) if chosen.size else np.zeros_like(table)
    by_lookup = oracles.scatter_add(oracles.matmul(g, table), chosen.reshape(-1), len(table))
    same(weight.grad, by_head + by_lookup)


@st.composite
def bags(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """A table, ids, and where bags of them begin and end, empty ones among them."""
    table = draw(tables("float64"))
    chosen = draw(ids_for(table, st.tuples(st.integers(0, 7)), ID_DTYPES))
    inner = draw(st.lists(st.integers(0, len(chosen)), max_size=4))
    return table, chosen, np.array([0, *sorted(inner), len(chosen)], chosen.dtype)


@law(bags(), st.booleans(), st.booleans(), st.data())
def multi_hot(
    problem: tuple[Array, Array, Array], include_last_offset: bool, with_padding: bool, data: st.DataObject
) -> None:
    """A bag is a product with a multi-hot matrix, weighted for a sum: `Y = M @ W`, `dW = M.T @ G`, and so on."""
    table, chosen, ends = problem
    padding_idx = data.draw(st.integers(-len(table), len(table) - 1)) if with_padding else None
    mode = data.draw(st.sampled_from(["sum", "mean", "weighted"]))
    factors = data.draw(cotangents(chosen.shape, "float64"))
    direction = data.draw(cotangents(table.shape, "float64"))
    count = len(ends) - 1
    upstream = data.draw(cotangents((count, table.shape[1]), "float64"))
    hot = np.zeros((count, len(chosen), len(table)))
    for bag, (start, end) in enumerate(pairwise(ends)):
        members = [n for n in range(start, end) if padding_idx is None or chosen[n] != padding_idx % len(table)]
        for n in members:
            hot[bag, n, chosen[n]] = 1 / len(members) if mode == "mean" else 1
    m = (hot * (factors if mode == "weighted" else np.ones(len(chosen)))[None, :, None]).sum(1)
    weight, g, weights = leaf(table), leaf(upstream), leaf(factors)
    out = F.embedding_bag(
        torch.from_numpy(chosen),
        weight,
        torch.from_numpy(ends if include_last_offset else ends[:-1]),
        mode="mean" if mode == "mean" else "sum",
        per_sample_weights=weights if mode == "weighted" else None,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
    (back,) = torch.autograd.grad(dw, g, torch.from_numpy(direction), retain_graph=True)
    expected = [oracles.matmul(m, table), oracles.matmul(m.T, upstream), oracles.matmul(m, direction)]
    got = [out, dw, back]
    if mode == "weighted":
        got.append(torch.autograd.grad(out, weights, g)[0])
        expected.append(np.einsum("bnv,vd,bd->n", hot, table, upstream))
    for found, wanted in zip(got, expected, strict=True):
        np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-12, atol=1e-12)
