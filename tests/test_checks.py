# ruff: noqa: E501 -- a row is one case.
"""`minigrad.checks` accepts what is right, and says of what is wrong which law it breaks on which smallest example."""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import laws
import numpy as np
import oracles
import pytest
from hypothesis import Phase, find, given, settings, strategies as st
from strategies import Array

import minigrad as torch
from minigrad import checks
from minigrad.checks import LOOKUP_LAWS, OP_LAWS, check_lookup, check_op, lookup, strategies
from minigrad.checks.laws import STEADY, Law
from minigrad.nn import functional as F

LIBRARIES = [torch] if oracles.torch is None else [torch, oracles.torch]
# What is right is checked at length elsewhere: the laws run over the whole package.
FEWER = settings(STEADY, max_examples=3)
# Not the smallest example, but any.
GLANCE = settings(STEADY, phases=[Phase.generate])
SEARCH = settings(STEADY, max_examples=200)


def fails(check: Callable[..., None], *arguments: Any, **options: Any) -> str:
    """What the check says of what it rejects."""
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return str(caught.value)


def breaks(law: str, listed: Sequence[Law], check: Callable[..., None], *arguments: Any, **options: Any) -> str:
    """What the check says of this law alone, which has to be broken."""
    others = [each.name for each in listed if each.name != law]
    told = fails(check, *arguments, **options, without=others, profile=GLANCE)
    assert f": 1 of 1 laws is broken.\n\n{law}: " in told
    return told


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


def by_loops(ids: Array, weight: Array) -> Array:
    return np.array([looked_up(id_, weight) for id_ in ids.ravel()], weight.dtype).reshape(*ids.shape, weight.shape[1])


def by_loops_back(upstream: Array, ids: Array, weight: Array) -> Array:
    gradient = np.zeros_like(weight)
    for id_, row in zip(ids.ravel(), upstream.reshape(ids.size, weight.shape[1]), strict=True):
        gradient[id_] += row
    return gradient


def by_product_back(upstream: Array, ids: Array, weight: Array) -> Array:
    one_hot = oracles.one_hot(ids.ravel(), len(weight)).astype(weight.dtype)
    return one_hot.T @ upstream.reshape(ids.size, weight.shape[1])


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


class OffTheGraph(torch.autograd.Function):
    """Its backward is right, and leaves the graph."""

    @staticmethod
    def forward(ctx: Any, ids: Any, weight: Any) -> Any:
        ctx.ids, ctx.table = ids.numpy().copy(), weight.detach().numpy().copy()
        return F.embedding(ids, weight)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return None, torch.from_numpy(scattered(g.detach().numpy(), ctx.ids, ctx.table))


class MaskedOnce(ByHand):
    """A row without gradient, which the gradient of the gradient forgets."""

    @staticmethod
    def forward(ctx: Any, ids: Any, weight: Any, padding_idx: int) -> Any:
        ctx.padding_idx = padding_idx
        return ByHand.forward(ctx, ids, weight)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _, gradient = ByHand.backward(ctx, g)
        gradient.detach()[ctx.padding_idx] = 0
        return None, gradient, None


def masked_once(ids: Any, weight: Any, padding_idx: int) -> Any:
    return MaskedOnce.apply(ids, weight, padding_idx)


def a_module(look_up: Callable[[Any, Any], Any]) -> Any:
    """A module whose one parameter is a table of shape (7, 3)."""

    class MyEmbedding(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Parameter(torch.randn(7, 3))

        def forward(self, ids: Any) -> Any:
            return look_up(ids, self.table)

    return MyEmbedding()


#: What `laws.VARIANTS` have not: they keep the same laws.
RIGHT: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "NumPy": ([looked_up, scattered], {"padding": True}),
    "NumPy, loops": ([by_loops, by_loops_back], {}),
    "NumPy, products": ([lambda i, w: looked_up(i, w) + 0, by_product_back], {"without": ["separate rows"]}),
    "Function": ([ByHand.apply], {}),
    "indexing": ([lambda i, w: w[i]], {"without": ["range of ids"]}),
    "product": ([laws.by_product], {"raises": RuntimeError, "without": ["unread rows", "separate rows"]}),
    "nn.Embedding": ([torch.nn.Embedding(7, 3)], {}),
    "nn.Embedding of 300 rows, sparse": ([torch.nn.Embedding(300, 1, sparse=True, dtype=torch.float16)], {}),
    "module": ([a_module(F.embedding)], {}),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_embeddings_are_accepted(name: str) -> None:
    arguments, options = RIGHT[name]
    check_lookup(*arguments, **options, profile=FEWER)


@pytest.mark.skipif(oracles.torch is None, reason="needs PyTorch")
def test_right_embeddings_in_pytorch_are_accepted() -> None:
    of_torch = {"library": oracles.torch, "profile": FEWER}
    check_lookup(oracles.torch.nn.functional.embedding, padding=True, **of_torch)
    check_lookup(lambda ids, w: w[ids], without=["range of ids"], **of_torch)
    check_lookup(oracles.torch.nn.Embedding(7, 3), **of_torch)


def assigned(upstream: Array, ids: Array, weight: Array) -> Array:
    gradient = np.zeros_like(weight)
    gradient[ids] = upstream
    return gradient


def averaged(upstream: Array, ids: Array, weight: Array) -> Array:
    return scattered(upstream, ids, weight) / np.maximum(np.bincount(ids.ravel(), minlength=len(weight)), 1)[:, None]


def through(dtype: str) -> Callable[[Array, Array, Array], Array]:
    """A gradient that is summed in another dtype."""
    return lambda g, i, w: scattered(g.astype(dtype), i, w.astype(dtype)).astype(w.dtype)


def doubled(array: Array) -> Array:
    array *= 2
    return array


KEPT: dict[tuple[int, ...], Array] = {}


def keeps(upstream: Array, ids: Array, weight: Array) -> Array:
    gradient = KEPT.setdefault(weight.shape, np.zeros_like(weight))
    gradient += scattered(upstream, ids, weight)
    return gradient


def in_memory_order(ids: Array, weight: Array) -> Array:
    """Right for tables that are contiguous."""
    contiguous = np.zeros_like(weight, order="C")
    return looked_up(ids, np.lib.stride_tricks.as_strided(weight, strides=contiguous.strides))


#: The law that is broken, words of the story, the functions, and options.
WRONG: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    ("forward", ", which is of shape ", [lambda i, w: looked_up(i, w)[None], scattered], {}),
    ("forward", "which is of dtype float32, not float64", [lambda i, w: looked_up(i, w).astype("f"), scattered], {}),
    ("no columns", "NoneType: None", [lambda i, w: looked_up(i, w) if w.size else None, scattered], {}),
    ("forward", "got       ", [in_memory_order, scattered], {}),
    ("gradient", "expected dW  ", [looked_up, lambda g, i, w: scattered(g, i, w) / 2], {}),
    ("gradient", ", which is of shape ", [looked_up, lambda g, i, w: scattered(g, i, w).T], {}),
    ("repeats add", "expected dW", [looked_up, assigned], {}),
    ("separate rows", "nan", [looked_up, by_product_back], {}),
    ("adjointness", "(Y * G).sum()", [looked_up, assigned], {}),
    ("range of ids", "got       no error, and the output array(", [lambda i, w: w[i], scattered], {}),
    ("range of ids", "got       no error", [lambda i, w: w[np.minimum(i, len(w) - 1)] if (i >= 0).all() else looked_up(i, w), scattered], {}),
    ("range of ids", "expected  IndexError, for a table of ", [laws.by_product], {}),
    ("unread rows", "nan", [lambda i, w: looked_up(i, w) + 0 * w.sum(), scattered], {}),
    ("every digit", "expected dW", [looked_up, through("float32")], {}),
    ("every digit", "expected Y", [lambda i, w: looked_up(i, w).astype("f").astype(w.dtype), scattered], {}),
    ("every digit", "expected Y", [lambda i, w: np.rint(looked_up(i, w)), scattered], {}),
    ("every digit", "got          [[400.]]", [looked_up, lambda g, i, w: np.clip(scattered(g, i, w), -400, 400)], {}),
    ("every digit", "", [lambda i, w: looked_up(np.where(i > 127, i - 256, i) % len(w), w), scattered], {}),
    ("every digit", "expected dW", [looked_up, lambda g, i, w: scattered(g, i.astype("u1"), w)], {}),
    ("double backward", "got       RuntimeError: ", [OffTheGraph.apply], {}),
    ("padding", "expected Y   ", [lambda i, w, padding_idx=None: looked_up(i, w) * (i != padding_idx)[..., None], scattered], {}),
    ("padding", "expected dW  ", [looked_up, lambda g, i, w, padding_idx: scattered(g, i, w)], {}),
    ("padding, double backward", "padding_idx  ", [masked_once], {}),
    ("no ids", ", which is of shape (0,), not ", [lambda i, w: looked_up(i, w) if i.size else w[:0, 0], scattered], {}),
    ("no columns", "ValueError: cannot reshape", [looked_up, lambda g, i, w: by_product_back(g.reshape(-1, w.shape[1]), i.ravel(), w)], {}),
    ("same again", "expected upstream, as before  ", [looked_up, lambda g, i, w: (scattered(g, i, w), doubled(g))[0]], {}),
    ("same again", "expected table, as before  ", [lambda i, w: looked_up(i, doubled(w)), scattered], {}),
    ("same again", "expected dW, as in the first call  ", [looked_up, keeps], {}),
    ("every digit", "expected Y", [a_module(lambda i, w: F.embedding(i, w).half().float())], {}),
    ("gradient", "expected dW", [a_module(lambda i, w: F.embedding(i, w) * 2)], {}),
]  # fmt: skip


@pytest.mark.parametrize(("law", "words", "arguments", "options"), WRONG)
def test_wrong_embeddings_break_a_law(law: str, words: str, arguments: Any, options: Any) -> None:
    padding = {"padding": True} if law.startswith("padding") else {}
    assert words in breaks(law, LOOKUP_LAWS, check_lookup, *arguments, **options, **padding)


def test_the_story_of_the_first_broken_law() -> None:
    def trains(upstream: Array, ids: Array, weight: Array, padding_idx: int | None = None) -> Array:
        return assigned(upstream, ids, weight)

    assert fails(check_lookup, looked_up, trains, padding=True) == text(
        """
        check_lookup, on NumPy's arrays: 5 of 12 laws are broken.

        repeats add: rows of G whose ids are equal add up: dW = 0, then dW[ids[n]] += G[n] for each n.
          table        [[0.]]
          ids          [0, 0]
          G            [[2.],
                        [3.]]
          expected dW  [[5.]]
          got          [[3.]]

        Also broken: separate rows, every digit, adjointness, padding.
        """
    )


def test_the_one_hot_product_is_a_lookup_but_for_the_boundary() -> None:
    """`0 * inf` is nan: with an inf or nan in an unused row, the two ways must differ, and so they do."""
    for broken in sorted(laws.BOUNDARY):
        (law,) = [each for each in LOOKUP_LAWS if each.name == broken]
        for way in ("one-hot product", "F.linear"):
            story = laws.VARIANTS[way].breaks(law, GLANCE)
            assert story is not None
            assert "nan" in story.partition("got")[2]
        assert laws.VARIANTS["lookup"].breaks(law, GLANCE) is None


@pytest.mark.usefixtures("seeded")
def test_a_module_keeps_its_numbers() -> None:
    module = a_module(F.embedding)
    before = module.table.detach().clone()
    check_lookup(module, profile=FEWER)
    assert torch.equal(module.table, before)


@given(st.data())
def test_what_the_laws_expect_is_what_loops_say(data: st.DataObject) -> None:
    table = data.draw(strategies.tables("float64"))
    ids = data.draw(strategies.ids(len(table)))
    upstream = data.draw(strategies.cotangents((*ids.shape, table.shape[1]), "float64"))
    np.testing.assert_array_equal(lookup._rows(ids, table), oracles.lookup(table, ids), strict=True)
    sums = oracles.scatter_add(upstream, ids, len(table))
    np.testing.assert_array_equal(lookup._table_of_sums(ids, table, upstream), sums, strict=True)


# ---- operations ------------------------------------------------------------------------------------------------------


def op(forward: Callable[..., Any], backward: Callable[..., Any], library: Any = torch) -> Callable[..., Any]:
    """A Function of these two, the second one given the upstream gradient and the inputs."""

    class Op(library.autograd.Function):  # type: ignore[misc]
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
    once = op(lambda x: x**3, lambda g, x: 3 * x.detach() ** 2 * g)
    check_op(once, (2,), without=["second derivative"], profile=FEWER)
    for library in LIBRARIES:
        check_op(library.tanh, (2, 2), library=library, profile=FEWER)


def test_the_story_of_a_second_derivative_that_left_the_graph() -> None:
    assert fails(check_op, op(lambda x: x**3, lambda g, x: 3 * x.detach() ** 2 * g), ()) == text(
        """
        check_op, on tensors of minigrad: 1 of 5 laws is broken.

        second derivative: the gradients of these gradients, in x and in c, are those of finite differences.
          x    1.
          c    2.
          got  GradcheckError: Jacobian mismatch for output 0 with respect to input 0,
               numerical:tensor([[12.0000]], dtype=torch.float64)
               analytical:tensor([[0.]], dtype=torch.float64)
        """
    )


def doubled_in_place(x: Any) -> Any:
    x.detach().numpy()[...] *= 2
    return x * 1


def reads_memory(x: Any) -> Any:
    """Right for contiguous inputs only: it takes the elements in the order of memory."""
    array = x.detach().numpy()
    contiguous = np.zeros_like(array, order="C")
    return torch.from_numpy(np.lib.stride_tricks.as_strided(array, strides=contiguous.strides).copy())


WRONG_OPS: list[tuple[str, str, Any, list[tuple[int, ...]]]] = [
    ("shapes", "got  RuntimeError: Function OpBackward returned an invalid gradient", op(lambda x: x[0], lambda g, x: g), [(2, 3)]),
    ("shapes", "expected  a tensor\n  got       ndarray: ", lambda x: x.detach().numpy(), [(1,)]),
    ("same again", "expected x, as before  ", op(doubled_in_place, lambda g, x: g), [(2,)]),
    ("gradient", "Jacobian mismatch for output 0 with respect to input 0", op(lambda x: x * x, lambda g, x: x * g), [(2,)]),
    ("gradient", "with respect to input 1", op(lambda x, b: x + b, lambda g, x, b: (g, g[0])), [(2, 1), (1,)]),
    ("gradient", "inf", op(lambda x: x * x, lambda g, x: g / 0), [(2,)]),
    ("second derivative", "with respect to input 1", op(lambda x: x * x, lambda g, x: 2 * x * g.detach()), [()]),
    ("second derivative", "a leaf Variable", op(lambda x: 2 * x, lambda g, x: g.mul_(2)), [()]),
    ("memory layout", "expected f(x)  ", op(reads_memory, lambda g, x: g), [(2, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("law", "words", "function", "shapes"), WRONG_OPS)
def test_wrong_operations_break_a_law(law: str, words: str, function: Any, shapes: Any) -> None:
    assert words in breaks(law, OP_LAWS, check_op, function, *shapes)


@pytest.mark.skipif(oracles.torch is None, reason="needs PyTorch")
def test_who_writes_into_the_upstream_gradient_is_told_in_pytorch() -> None:
    """minigrad hands out a gradient that nobody else holds."""
    doubling = op(lambda x: 2 * x, lambda g, x: g.mul_(2), oracles.torch)
    assert "expected c, as before  " in breaks("same again", OP_LAWS, check_op, doubling, (1,), library=oracles.torch)


EMBEDDING = torch.nn.Embedding(7, 3)
MISUSED: list[tuple[type[Exception], str, Callable[..., None], list[Any], dict[str, Any]]] = [
    (ValueError, r"names of laws, which are \['forward', .*; got \['no such law'\]", check_lookup, [EMBEDDING], {"without": ["no such law"]}),
    (ValueError, "got 'range of ids'", check_lookup, [EMBEDDING], {"without": "range of ids"}),
    (ValueError, r"'memory layout'\]; got \['second derivatve'\]", check_op, [torch.exp, (2,)], {"without": ["second derivatve"]}),
    (TypeError, r"shapes \[\(3, 4\), \(3,\)\], .*: check a function of ids", check_lookup, [torch.nn.Linear(4, 3)], {}),
    (TypeError, r"\(V, D\), .* shapes \[\(3,\)\]", check_lookup, [torch.nn.RMSNorm(3)], {}),
    (TypeError, "and no padding_idx: .*padding=True", check_lookup, [torch.nn.Embedding(4, 3, padding_idx=0)], {}),
    (TypeError, "an instance of a module .* got <class .*Embedding'>$", check_lookup, [torch.nn.Embedding], {}),
    (TypeError, "got None$", check_lookup, [None], {}),
    (TypeError, "or a Function's apply, got <class", check_op, [ByHand, (2,)], {}),
    (TypeError, r"no shape: give one for each tensor, as in check_op\(function, \(2, 3\)\)", check_op, [torch.exp], {}),
    (ValueError, "got low=3, high=1", check_op, [torch.exp, (2,)], {"low": 3, "high": 1}),
    (ValueError, "but not 0, between low and high", check_op, [torch.exp, (2,)], {"low": 0, "high": 0}),
    (AssertionError, r"f\(x\) \* c = tensor\((.|\n)*nan(.|\n)*low= and high=", check_op, [torch.log, (2, 3)], {}),
    (AssertionError, r"whose \(V, D\) is \(3, 4\): 11 of 11", check_lookup, [torch.nn.Linear(4, 3, bias=False)], {}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "words", "check", "arguments", "options"), MISUSED)
def test_wrong_arguments_are_told_at_the_call(kind: Any, words: str, check: Any, arguments: Any, options: Any) -> None:
    with pytest.raises(kind, match=words):
        check(*arguments, **options, profile=GLANCE)


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


@given(st.data(), st.booleans())
def test_no_cotangent_is_0_or_1(data: st.DataObject, integer: bool) -> None:
    drawn = data.draw(checks.cotangents((2, 3), "float64", integer))
    assert not np.isin(drawn, [0.0, 1.0]).any()


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
    assert done.stdout == "minigrad.checks needs Hypothesis: python -m pip install -e '.[checks]'\n"
