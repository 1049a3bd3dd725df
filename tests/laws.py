"""The laws of the equivalence, each a Hypothesis test that a correct library passes and a broken copy does not.

For ids `i` and a table `W` of shape `(V, D)`, with `X = one_hot(i, V)`: `W[i] == X @ W`, and so for the gradients
and the gradients of the gradients.  `test_equivalence.py` runs the laws; `test_broken_copies.py` runs them on
deliberately broken copies of the code, which they have to reject.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from strategies import Array, cotangents, ids, ids_for, tables

import minigrad as torch
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


def same(got: Any, expected: Any) -> None:
    """Equal shape, dtype and elements, to the last bit but for the sign of zero."""
    got_array = got.detach().numpy() if isinstance(got, torch.Tensor) else got
    expected_array = expected.detach().numpy() if isinstance(expected, torch.Tensor) else expected
    assert got_array.dtype == expected_array.dtype
    np.testing.assert_array_equal(got_array, expected_array, strict=True)


@law(problems())
def forward(problem: tuple[Array, Array, Array]) -> None:
    """The lookup is the product with the one-hot matrix, and both are what loops say."""
    table, chosen, _ = problem
    looked_up = F.embedding(torch.from_numpy(chosen), torch.from_numpy(table))
    multiplied = F.linear(one_hot_of(chosen, len(table), table), torch.from_numpy(table).T)
    same(looked_up, oracles.lookup(table, chosen))
    same(looked_up, multiplied)


@law(problems())
def weight_gradient(problem: tuple[Array, Array, Array]) -> None:
    """Rows of equal ids add up: dW by lookup, by matrix product, by indexing and by loops are one."""
    table, chosen, upstream = problem
    embedding_weight, linear_weight, indexed = leaf(table), leaf(table.T), leaf(table)
    g = torch.from_numpy(upstream)
    F.embedding(torch.from_numpy(chosen), embedding_weight).backward(g)
    F.linear(one_hot_of(chosen, len(table), table), linear_weight).backward(g)
    indexed[torch.from_numpy(chosen)].backward(g)
    expected = oracles.scatter_add(upstream, chosen, len(table))
    same(embedding_weight.grad, expected)
    same(linear_weight.grad, expected.T)
    same(indexed.grad, expected)


@law(problems(), st.data())
def gradient_of_gradient(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
    """The gradient of `<dW, H>` with respect to the upstream gradient is the lookup `H[i]`, by both ways."""
    table, chosen, upstream = problem
    direction = data.draw(cotangents(table.shape, table.dtype.name))
    h = torch.from_numpy(direction)
    weight, g = leaf(table), leaf(upstream)
    out = F.embedding(torch.from_numpy(chosen), weight)
    (dw,) = torch.autograd.grad(out, weight, g, create_graph=True)
    (by_lookup,) = torch.autograd.grad(dw, g, h)
    weight_t, g = leaf(table.T), leaf(upstream)
    out = F.linear(one_hot_of(chosen, len(table), table), weight_t)
    (dw_t,) = torch.autograd.grad(out, weight_t, g, create_graph=True)
    (by_product,) = torch.autograd.grad(dw_t, g, h.T)
    same(by_lookup, oracles.lookup(direction, chosen))
    same(by_product, by_lookup)


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


@law(problems())
def adjoint_pair(problem: tuple[Array, Array, Array]) -> None:
    """`<W[i], G> == <W, scatter_add(i, G)>`: lookup and scatter are each other's transpose."""
    table, chosen, upstream = problem
    weight = leaf(table)
    out = F.embedding(torch.from_numpy(chosen), weight)
    out.backward(torch.from_numpy(upstream))
    assert oracles.inner([out.detach().numpy()], [upstream]) == oracles.inner([table], [weight.grad.numpy()])


@law(problems(), st.data())
def padding(problem: tuple[Array, Array, Array], data: st.DataObject) -> None:
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
