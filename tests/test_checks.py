"""`minigrad.checks` accepts what is right, and says of what is wrong which law it breaks on which smallest example."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import laws
import numpy as np
import oracles
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from strategies import Array

import minigrad as torch
from minigrad import checks
from minigrad.checks import check_lookup, check_op, lookup, strategies
from minigrad.checks.laws import STEADY, Law
from minigrad.nn import functional as F

pytorch = pytest.mark.skipif(oracles.torch is None, reason="compares with PyTorch, which is not installed")
FEW = settings(STEADY, max_examples=10)
# What is right is checked at length elsewhere: the laws run over the whole package.
FEWER = settings(STEADY, max_examples=4)
SEARCH = settings(STEADY, max_examples=200)


def fails(check: Callable[..., None], *arguments: Any, **options: Any) -> str:
    """What the check says of what it rejects."""
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return str(caught.value)


def text(block: str) -> str:
    return textwrap.dedent(block).strip("\n")


# ---- embeddings by hand ----------------------------------------------------------------------------------------------


def looked_up(ids: Array, weight: Array, padding_idx: int | None = None) -> Array:
    if ids.size and not 0 <= ids.min() <= ids.max() < len(weight):
        raise IndexError("an id is not a row of the table")
    return weight[ids]


def scattered(upstream: Array, ids: Array, weight: Array, padding_idx: int | None = None) -> Array:
    gradient = np.zeros_like(weight)
    np.add.at(gradient, ids, upstream)
    if padding_idx is not None:
        gradient[padding_idx] = 0
    return gradient


def assigned(upstream: Array, ids: Array, weight: Array) -> Array:
    gradient = np.zeros_like(weight)
    gradient[ids] = upstream
    return gradient


def averaged(upstream: Array, ids: Array, weight: Array) -> Array:
    return scattered(upstream, ids, weight) / np.maximum(np.bincount(ids.ravel(), minlength=len(weight)), 1)[:, None]


class ByHand(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, ids: Any, weight: Any) -> Any:
        ctx.save_for_backward(ids)
        ctx.shape = weight.shape
        return F.embedding(ids, weight)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (ids,) = ctx.saved_tensors
        table = torch.zeros(ctx.shape, dtype=g.dtype)
        return None, table.index_add(0, ids.reshape(-1), g.reshape(ids.numel(), ctx.shape[1]))


def test_right_embeddings_are_accepted() -> None:
    check_lookup(looked_up, scattered, padding=True, profile=FEWER)
    check_lookup(F.embedding, padding=True, profile=FEWER)
    check_lookup(ByHand.apply, profile=FEWER)
    check_lookup(lambda ids, weight: weight[ids], without=["range of ids"], profile=FEWER)


@pytorch
def test_right_embeddings_in_pytorch_are_accepted() -> None:
    embedding = oracles.torch.nn.functional.embedding
    check_lookup(embedding, library=oracles.torch, padding=True, profile=FEWER)
    check_lookup(lambda ids, w: w[ids], library=oracles.torch, without=["range of ids"], profile=FEWER)


def test_an_assigning_scatter() -> None:
    assert fails(check_lookup, looked_up, assigned) == text(
        """
        check_lookup, on NumPy's arrays: 3 of 9 laws are broken.

        repeats add: rows of G whose ids are equal add up: dW = 0, then dW[ids[n]] += G[n] for each n.
          table        [[0.]]
          ids          [0, 0]
          G            [[2.],
                        [3.]]
          expected dW  [[5.]]
          got          [[3.]]

        Also broken: separate rows, adjointness.
        """
    )


def test_a_mean_instead_of_a_sum() -> None:
    assert fails(check_lookup, looked_up, averaged) == text(
        """
        check_lookup, on NumPy's arrays: 3 of 9 laws are broken.

        repeats add: rows of G whose ids are equal add up: dW = 0, then dW[ids[n]] += G[n] for each n.
          table        [[0.]]
          ids          [0, 0]
          G            [[2.],
                        [3.]]
          expected dW  [[5.]]
          got          [[2.5]]

        Also broken: separate rows, adjointness.
        """
    )


def test_negative_ids_that_are_wrapped() -> None:
    assert fails(check_lookup, lambda ids, weight: weight[ids], scattered) == text(
        """
        check_lookup, on NumPy's arrays: 1 of 9 laws is broken.

        range of ids: an id that is not in [0, V) is an error; -1 is not the last row.
          table     [[0.]]
          wrong id  -1
          others    []
          of dtype  int64
          expected  IndexError, for a table of 1 rows
          got       no error, and the output array([[0.]])
        """
    )


def test_a_padding_row_that_is_trained() -> None:
    def trains(upstream: Array, ids: Array, weight: Array, padding_idx: int | None = None) -> Array:
        return scattered(upstream, ids, weight)

    assert fails(check_lookup, looked_up, trains, padding=True) == text(
        """
        check_lookup, on NumPy's arrays: 1 of 10 laws is broken.

        padding: row padding_idx is looked up like any other, and its gradient is 0.
          table        [[0.]]
          ids          0
          upstream     [2.]
          padding_idx  0
          expected dW  [[0.]]
          got          [[2.]]
        """
    )


def test_a_gradient_for_the_wrong_axis() -> None:
    def transposed(upstream: Array, ids: Array, weight: Array) -> Array:
        return scattered(upstream, ids, weight).T

    assert fails(check_lookup, looked_up, transposed) == text(
        """
        check_lookup, on NumPy's arrays: 5 of 9 laws are broken.

        gradient: row n of G is the gradient of row ids[n] of the table, all others are 0: dW = one_hot(ids).T @ G.
          table        [[0., 0.]]
          ids          [0]
          G            [[2., 2.]]
          expected dW  [[2., 2.]]
          got          [[2.],
                        [2.]], which is of shape (2, 1), not (1, 2)

        Also broken: repeats add, separate rows, adjointness, no ids.
        """
    )


def test_the_one_hot_product_is_a_lookup_but_for_the_boundary() -> None:
    """`0 * inf` is nan: with an inf or nan in an unused row, the two ways must differ, and so they do."""
    told = fails(check_lookup, laws.by_product, raises=RuntimeError, profile=FEW)
    assert told == text(
        """
        check_lookup, on tensors of minigrad: 2 of 10 laws are broken.

        unread rows: a row that no id names is not read: an inf or nan in it changes nothing.
          table     [[0.]]
          last row  inf
          ids       0
          expected  [0.]
          got       [nan]

        Also broken: separate rows.
        """
    )
    for broken in sorted(laws.BOUNDARY):
        (law,) = [each for each in checks.LOOKUP_LAWS if each.name == broken]
        for way in ("one-hot product", "F.linear"):
            story = laws.VARIANTS[way].breaks(law)
            assert story is not None
            assert "nan" in story.partition("got")[2]
        assert laws.VARIANTS["lookup"].breaks(law) is None


class Graph(torch.autograd.Function):
    """Its backward is right, and leaves the graph."""

    @staticmethod
    def forward(ctx: Any, ids: Any, weight: Any) -> Any:
        ctx.ids, ctx.table = ids.numpy().copy(), weight.detach().numpy().copy()
        return F.embedding(ids, weight)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return None, torch.from_numpy(scattered(g.detach().numpy(), ctx.ids, ctx.table))


def writes(upstream: Array, ids: Array, weight: Array) -> Array:
    gradient = scattered(upstream, ids, weight)
    upstream *= 0.5
    return gradient


@pytest.mark.parametrize(
    ("law", "words", "arguments", "options"),
    [
        ("forward", "got       [[0.]], which is of shape (1, 1), not (1,)", [lambda i, w: w[i][None], scattered], {}),
        ("forward", "which is of dtype float32, not float64", [lambda i, w: looked_up(i, w).astype("f"), scattered], {}),  # noqa: E501
        ("forward", "got       NoneType: None", [lambda i, w: None, scattered], {}),
        ("forward", "got    TypeError: ", [lambda i: i, scattered], {}),
        ("gradient", "expected dW  [[2.]]\n  got          [[1.]]", [looked_up, lambda g, i, w: scattered(g, i, w) / 2], {}),  # noqa: E501
        ("range of ids", "wrong id  1\n", [lambda i, w: w[np.minimum(i, len(w) - 1)] if (i >= 0).all() else looked_up(i, w), scattered], {}),  # noqa: E501
        ("same again", "expected upstream, as before  [2.]\n  got                           [0.5]", [looked_up, writes], {}),  # noqa: E501
        ("double backward", "got       RuntimeError: ", [Graph.apply], {}),
        ("unread rows", "expected  [0.]\n  got       [nan]", [lambda i, w: looked_up(i, w) + 0 * w.sum(), scattered], {}),  # noqa: E501
        ("padding", "expected Y   [1.]\n  got          [0.]", [lambda i, w, padding_idx=None: looked_up(i, w) * (i != padding_idx)[..., None], scattered], {"padding": True}),  # noqa: E501
        ("no ids", "got         [], which is of shape (0,), not (0, 1)", [lambda i, w: looked_up(i, w) if i.size else w[:0, 0], scattered], {}),  # noqa: E501
    ],
)  # fmt: skip
def test_the_first_broken_law_is_told(law: str, words: str, arguments: Any, options: Any) -> None:
    told = fails(check_lookup, *arguments, **options, profile=FEW)
    assert told.split("\n")[2].startswith(f"{law}: ")
    assert words in told


def test_what_is_kept_from_call_to_call_is_found() -> None:
    kept: dict[tuple[int, ...], Array] = {}

    def adds_on(upstream: Array, ids: Array, weight: Array) -> Array:
        gradient = kept.setdefault(weight.shape, np.zeros_like(weight))
        gradient += scattered(upstream, ids, weight)
        return gradient

    others = [law.name for law in checks.LOOKUP_LAWS if law.name not in ("same again", "padding")]
    told = fails(check_lookup, looked_up, adds_on, without=others, profile=FEW)
    assert "expected dW, as in the first call  " in told


def test_what_holds_only_sometimes_is_told_so() -> None:
    calls: list[int] = []

    def once(subject: Any, draw: Any) -> None:
        calls.append(draw("n", st.integers()))
        assert len(calls) > 1

    assert Law("once", "it always holds.", once).broken_by(None, FEW) == text(
        """
        once: it always holds.
          Called twice with the same arguments, it gave different results.
        """
    )


def test_tensors_of_another_library_are_told_apart() -> None:
    def of_pytorch(ids: Any, weight: Any) -> Any:
        raise TypeError("argument 'weight' must be Tensor, not Tensor")

    assert fails(check_lookup, of_pytorch, profile=FEW).startswith(
        "check_lookup, on tensors of minigrad: 10 of 10 laws are broken."
    )


def test_unknown_laws_are_refused() -> None:
    with pytest.raises(ValueError, match=r"without: expected names of laws, which are \['forward', .*; got \['fast'\]"):
        check_lookup(looked_up, scattered, without=["forward", "fast"])
    with pytest.raises(ValueError, match=r"got \['fast'\]$"):
        check_op(torch.exp, (2,), without="fast")


def test_a_single_law_may_be_named_by_itself() -> None:
    def wrapped(ids: Array, weight: Array) -> Array:
        return weight[ids]

    assert "1 of 9 laws is broken" in fails(check_lookup, wrapped, scattered, profile=FEW)
    check_lookup(wrapped, scattered, without="range of ids", profile=FEW)


@pytest.mark.parametrize("library", ["torch", torch.Tensor, None])
def test_a_library_is_a_module(library: Any) -> None:
    for check in (
        lambda: check_lookup(F.embedding, library=library),
        lambda: check_op(torch.exp, (2,), library=library),
    ):
        with pytest.raises(TypeError) as caught:
            check()
        assert str(caught.value) == (f"library: expected a module, such as torch after `import torch`; got {library!r}")


@given(st.data())
def test_what_the_laws_expect_is_what_loops_say(data: st.DataObject) -> None:
    table = data.draw(strategies.tables("float64"))
    ids = data.draw(strategies.ids(len(table)))
    upstream = data.draw(strategies.cotangents((*ids.shape, table.shape[1]), "float64"))
    np.testing.assert_array_equal(lookup._rows(ids, table), oracles.lookup(table, ids), strict=True)
    sums = oracles.scatter_add(upstream, ids, len(table))
    np.testing.assert_array_equal(lookup._table_of_sums(ids, table, upstream), sums, strict=True)


# ---- operations ------------------------------------------------------------------------------------------------------


def op(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    """A Function of these two, the second one given the upstream gradient and the inputs."""

    class Op(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return backward(g, *ctx.saved_tensors)

    return Op.apply


def test_right_operations_are_accepted() -> None:
    check_op(torch.exp, (2, 3), profile=FEWER)
    check_op(torch.log, (3,), low=0.25, profile=FEWER)
    check_op(torch.abs, (), profile=FEWER)
    check_op(F.linear, (4, 3), (2, 3), (2,), profile=FEWER)
    check_op(lambda x: torch.softmax(x, -1), (2, 0), profile=FEWER)
    check_op(op(lambda x: x * x * x, lambda g, x: 3 * x * x * g), (2, 2), profile=FEWER)
    check_op(op(lambda x, b: x + b, lambda g, x, b: (g, g.sum(0))), (2, 3), (3,), profile=FEWER)


@pytorch
def test_right_operations_of_pytorch_are_accepted() -> None:
    check_op(oracles.torch.tanh, (2, 2), library=oracles.torch, profile=FEWER)


def test_a_wrong_factor() -> None:
    assert fails(check_op, op(lambda x: x * x, lambda g, x: x * g), (2,)) == text(
        """
        check_op, on tensors of minigrad: 1 of 5 laws is broken.

        gradient: along any direction v, the loss (f(x) * c).sum() grows by (gradient * v).sum().
          x         [1., 1.]
          c         [2., 2.]
          v         [2., 2.]
          dx        [2., 2.]
          expected  16, by a difference quotient
          got       8
        """
    )


def test_a_missing_sum_over_what_was_broadcast() -> None:
    assert fails(check_op, op(lambda x, b: x + b, lambda g, x, b: (g, g[0])), (2, 1), (1,)) == text(
        """
        check_op, on tensors of minigrad: 1 of 5 laws is broken.

        gradient: along any direction v, the loss (f(x) * c).sum() grows by (gradient * v).sum().
          x1        [[1.],
                     [1.]]
          x2        [1.]
          c         [[2.],
                     [2.]]
          input     1
          v         [2.]
          dx2       [2.]
          expected  8, by a difference quotient
          got       4
        """
    )


def test_a_second_derivative_that_left_the_graph() -> None:
    assert fails(check_op, op(lambda x: x**3, lambda g, x: 3 * x.detach() ** 2 * g), ()) == text(
        """
        check_op, on tensors of minigrad: 1 of 5 laws is broken.

        second derivative: the gradient of (gradient * u).sum() is right, with respect to the inputs and to c.
          x                1.
          c                2.
          u for x          2.
          with respect to  x
          v                2.
          gradient         0.
          expected         48, by a difference quotient
          got              0
        """
    )


def doubled_in_place(x: Any) -> Any:
    x.detach().numpy()[...] *= 2
    return x * 1


def test_an_input_that_is_written_to() -> None:
    assert fails(check_op, op(doubled_in_place, lambda g, x: g), (2,)) == text(
        """
        check_op, on tensors of minigrad: 3 of 5 laws are broken.

        same again: nothing is kept from call to call, and nothing is written to the inputs or the upstream gradient.
          x                      [1., 1.]
          c                      [2., 2.]
          expected x, as before  [1., 1.]
          got                    [4., 4.]

        Also broken: gradient, memory layout.
        """
    )


def reads_memory(x: Any) -> Any:
    """Right for contiguous inputs only: it takes the elements in the order of memory."""
    array = x.detach().numpy()
    contiguous = np.zeros_like(array, order="C")
    return torch.from_numpy(np.lib.stride_tricks.as_strided(array, strides=contiguous.strides).copy())


@pytest.mark.parametrize(
    ("law", "words", "function", "shapes"),
    [
        ("same again", "expected c, as before  [2.]\n  got                    [4.]", op(lambda x: 2 * x, lambda g, x: g.mul_(2)), [(1,)]),  # noqa: E501
        ("memory layout", "expected f(x)  ", op(reads_memory, lambda g, x: g), [(2, 2)]),
        ("shapes", "got  RuntimeError: Function OpBackward returned an invalid gradient", op(lambda x: x[0], lambda g, x: g), [(2, 3)]),  # noqa: E501
        ("shapes", "expected  a tensor\n  got       ndarray: ", lambda x: x.detach().numpy(), [(1,)]),
        ("second derivative", "with respect to  c", op(lambda x: x * x, lambda g, x: 2 * x * g.detach()), [()]),
    ],
)  # fmt: skip
def test_the_first_broken_law_of_operations_is_told(law: str, words: str, function: Any, shapes: Any) -> None:
    told = fails(check_op, function, *shapes, profile=FEW)
    broken = told.split("\n")[2].partition(":")[0]
    assert broken == law, told
    assert words in told


def test_a_law_may_be_left_out() -> None:
    once = op(lambda x: x**3, lambda g, x: 3 * x.detach() ** 2 * g)
    check_op(once, (2,), without=["second derivative"], profile=FEW)


# ---- strategies ------------------------------------------------------------------------------------------------------


def test_ids_are_of_any_shape_and_repeat() -> None:
    for condition in (
        lambda ids: ids.ndim == 0,
        lambda ids: ids.size == 0,
        lambda ids: ids.ndim == 3 and ids.size,
        lambda ids: ids.size > len(set(ids.ravel().tolist())),
        lambda ids: not ids.flags.c_contiguous,
    ):
        find(checks.ids(4), condition, settings=SEARCH)


def test_tables_may_have_no_columns_and_always_have_rows() -> None:
    assert find(checks.tables(), lambda table: True, settings=SEARCH).shape == (1, 0)
    assert find(checks.tables(min_columns=1), lambda table: True, settings=SEARCH).shape == (1, 1)


@given(st.data(), st.booleans())
def test_no_cotangent_is_0_or_1(data: st.DataObject, integer: bool) -> None:
    drawn = data.draw(checks.cotangents((2, 3), "float64", integer))
    assert not np.isin(drawn, [0.0, 1.0]).any()


@given(checks.one_hot_pairs(5, dtype="float64"))
def test_one_hot_pairs_belong_together(pair: tuple[Array, Array]) -> None:
    ids, x = pair
    np.testing.assert_array_equal(x, oracles.one_hot(ids, 5).astype("float64"), strict=True)


@given(checks.broadcastable_shapes())
def test_broadcastable_shapes_broadcast(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    np.broadcast_shapes(*shapes)


# ---- imports ---------------------------------------------------------------------------------------------------------


def test_hypothesis_is_needed_by_checks_alone() -> None:
    program = """
        import sys
        sys.modules["hypothesis"] = None
        import minigrad
        try:
            import minigrad.checks
        except ImportError as error:
            print(error)
        """
    done = subprocess.run([sys.executable, "-c", text(program)], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "minigrad.checks draws its examples with Hypothesis, which is not installed: "
        "pip install -e '.[test]', in the checkout\n"
    )
