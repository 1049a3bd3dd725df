"""What the rows of the table do not say of ops: digits of long sums, passes of any kind, warnings, writes that fail."""

import gc
import math
import operator
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import recorded
from comparing import Raised, operand_of, outcome, seeded
from laws import leaf
from strategies import Array

import minigrad as torch
from minigrad.core.embedding import add_rows
from minigrad.core.tape import Node, Output
from minigrad.nn import functional as F

L = torch.tensor
ROWS, RECORD = recorded.rows(), recorded.read()["rows"]

# ---- laws of all rows ------------------------------------------------------------------------------------------------


def gradients(result: Any, leaves: list[Any], recorded: bool) -> list[Array]:
    """Those there are of the result for a cotangent of -2."""
    options: dict[str, Any] = {"retain_graph": True, "create_graph": recorded, "allow_unused": True}
    found = outcome(lambda: torch.autograd.grad(result, leaves, torch.full_like(result, -2.0).detach(), **options))
    return [] if isinstance(found, Raised) else [d.to_dense().detach().numpy() for d in found if d is not None]


def results(family: str) -> Iterator[tuple[str, list[Any], Any]]:
    """The results of a family's rows that have a history: the row, the leaves among its operands, and the result."""
    for name, case in ROWS[family]:
        for example in [each for each in RECORD[name] if each["seen"].get("first")][:1]:
            operands = [operand_of(torch, *each) for each in zip(example["operands"], example["grads"], strict=True)]
            with seeded(1):
                found = recorded._tensors(torch, outcome(lambda call=case.call, given=operands: call(torch, *given)))
            for result in [x for x in found if x.requires_grad and not x.is_leaf]:
                yield name, [x for x in operands if isinstance(x, torch.Tensor) and x.requires_grad], result


@pytest.mark.parametrize("family", ROWS)
def test_gradients_are_the_same_in_every_pass(family: str) -> None:
    """In the first, in those after it, and in one that is recorded."""
    for name, leaves, result in results(family):
        first, *others = [gradients(result, leaves, record) for record in (False, False, True, False)]
        for a, b in [pair for other in others for pair in zip(first, other, strict=False)]:
            tolerance = 64 * np.finfo(a.dtype).eps
            np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance, err_msg=name)


def arrays_in(value: Any) -> Iterator[Array]:
    """All arrays of elements, however deep."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from arrays_in(each)
    elif isinstance(value, np.ndarray) and value.size > 1:
        yield value


#: What is computed of shapes alone is kept once, and not by each node.
OF_SHAPES = {"AvgPool.divisors", "Resample.matrices"}


def held(result: Any) -> set[str]:
    """What the nodes below a result hold arrays in."""
    found: set[str] = set()
    seen, stack = set(), [result.grad_fn]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [edge.node for edge in node.edges if isinstance(edge, (Node, Output))]
            found |= {f"{type(node).__name__}.{name}" for name, each in vars(node).items() if [*arrays_in(each)]}
            found |= {f"{type(node).__name__}._kept"} if getattr(node, "_kept", None) is not None else set()
    return found - OF_SHAPES


@pytest.mark.parametrize("family", ROWS)
def test_after_a_backward_pass_no_node_holds_an_array(family: str) -> None:
    for name, _, result in results(family):
        if not isinstance(outcome(lambda y=result: y.backward(torch.full_like(y, -2.0).detach())), Raised):
            assert not held(result), name


@pytest.mark.parametrize("layer", ["RNN", "LSTM", "GRU"])
def test_after_a_backward_pass_no_recurrent_layer_holds_an_array(layer: str) -> None:
    with seeded(1):
        y, _ = getattr(torch.nn, layer)(2, 3)(torch.ones(5, 4, 2))
    y.sum().backward()
    assert not held(y)


# ---- digits ----------------------------------------------------------------------------------------------------------


def zeros(x: Any) -> Any:
    return torch.zeros(len(x), dtype=torch.int64)


#: Of 3,000 rows of two numbers; what they are exactly is computed in float64 by the same call.
LONG_SUMS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(),
    "sum, a dim": lambda x: x.sum(0),
    "mean": lambda x: x.mean(),
    "mean, a dim": lambda x: x.mean(0),
    "cumsum": lambda x: x.cumsum(0)[-1],
    "norm": lambda x: x.norm(),
    "matmul": lambda x: x.T @ x,
    "matmul, a vector": lambda x: x.T @ x[:, 0],
    "matmul, vectors": lambda x: x[:, 0] @ x[:, 1],
    "linear": lambda x: F.linear(x.T, x.T),
    "addmm": lambda x: torch.addmm(x[:2], x.T, x, alpha=0.1),
    "einsum": lambda x: torch.einsum("ki,kj->ij", x, x),
    "trace": lambda x: x[:, 0].diag().trace(),
    "softmax": lambda x: x.softmax(0),
    "cross_entropy": lambda x: F.cross_entropy(x, zeros(x)),
    "scatter_add": lambda x: x[:1].scatter_add(0, torch.zeros(3000, 2, dtype=torch.int64), x),
    "scatter_add_": lambda x: x[:1].clone().scatter_add_(0, torch.zeros(3000, 2, dtype=torch.int64), x),
    "index_add": lambda x: x[:1].index_add(0, zeros(x), x),
    "index_put": lambda x: x[:1].index_put((zeros(x),), x, accumulate=True),
    "entries": lambda x: torch.sparse_coo_tensor(zeros(x)[None], x, (1, 2)).coalesce().values(),
    "entries added": lambda x: x[:1].clone().add_(torch.sparse_coo_tensor(zeros(x)[None], x, (1, 2)), alpha=0.25),
    "bag": lambda x: F.embedding_bag(torch.arange(3000)[None], x, mode="sum"),
    "weighted bag": lambda x: F.embedding_bag(
        torch.arange(3000)[None], x, mode="sum", per_sample_weights=x[:, 0][None].contiguous()
    ),
}
#: The gradients of tensors of ones, of which an element is read 3,000 times.
LONG_GRADIENTS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "broadcast": (lambda x: x + torch.zeros(3000, 2, dtype=torch.float16), (2,)),
    "rows": (lambda x: x[torch.zeros(3000, dtype=torch.int64)], (1, 2)),
    "elements": (lambda x: x[torch.zeros(3000, 2, dtype=torch.int64)], (1,)),
    "lookup": (lambda x: F.embedding(torch.zeros(3000, dtype=torch.int64), x), (1, 2)),
    "lookup of a column": (lambda x: F.embedding(torch.zeros(3000, dtype=torch.int64), x), (1, 1)),
    "lookup, sparse": (lambda x: F.embedding(torch.zeros(3000, dtype=torch.int64), x, sparse=True), (1, 2)),
    "bags": (lambda x: F.embedding_bag(torch.zeros(3000, 1, dtype=torch.int64), x, mode="sum"), (1, 2)),
    "repeat_interleave": (lambda x: x.repeat_interleave(3000, 0), (1, 2)),
}


def numbers() -> list[Array]:
    """Sums of them in half precision are far off."""
    return [np.random.default_rng(0).uniform(0.5, 1.5, (3000, 2)), np.full((3000, 2), 1.0009765625)]


@pytest.mark.parametrize("call", LONG_SUMS.values(), ids=LONG_SUMS)
def test_half_precision_adds_up_in_at_least_single_precision(call: Callable[[Any], Any]) -> None:
    """The result is the exact one rounded, or its neighbour."""
    for array in numbers():
        x = torch.from_numpy(array.astype(np.float16))
        out, exact = call(x), call(x.double())
        assert out.dtype is torch.float16
        np.testing.assert_array_max_ulp(out.numpy(), exact.numpy().astype(np.float16), 1)


@pytest.mark.parametrize(("call", "shape"), LONG_GRADIENTS.values(), ids=LONG_GRADIENTS)
def test_gradients_in_half_precision_add_up_in_at_least_single_precision(call: Any, shape: tuple[int, ...]) -> None:
    for array in numbers():
        x = torch.ones(shape, dtype=torch.float16, requires_grad=True)
        out = call(x)
        g = torch.from_numpy(array.astype(np.float16)[:, : out.shape[1]])
        (found,) = torch.autograd.grad(out, x, g)
        wanted = g.double().sum_to_size(shape).numpy().astype(np.float16)
        np.testing.assert_array_max_ulp(found.to_dense().numpy(), wanted, 1)


@pytest.mark.parametrize("number", [0.1, 1 / 3, 2049, 100000.0])
def test_half_precision_with_a_number_is_rounded_once(number: float) -> None:
    """In products and quotients the number is not rounded to half precision before: the float32 result is."""
    half = np.random.default_rng(0).uniform(0.01, 2, 200).astype(np.float16)
    x, wide, n = torch.from_numpy(half), half.astype(np.float32), np.float32(number)
    with np.errstate(over="ignore"):
        for got, expected in [(x * number, wide * n), (number * x, wide * n), (x / number, wide / n)]:
            np.testing.assert_array_equal(got.numpy(), expected.astype(np.float16), strict=True)


def test_curves_in_half_precision_are_those_in_single_rounded_once() -> None:
    half = np.random.default_rng(0).uniform(-4, 4, 500).astype(np.float16)
    for f in (F.gelu, F.silu, F.softplus, F.logsigmoid, F.elu, torch.sigmoid, torch.erf):
        x, wide = leaf(half), leaf(half.astype(np.float32))
        y, z = f(x), f(wide)
        np.testing.assert_array_equal(y.detach().numpy(), z.detach().numpy().astype(np.float16), strict=True)
        slopes = [torch.autograd.grad(out.sum(), each)[0].numpy() for out, each in ((y, x), (z, wide))]
        # The slope of sigmoid is read off its output, which is a float16 already.
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=2e-3, atol=1e-3)


def test_running_sums_do_not_lose_digits() -> None:
    x = np.random.default_rng(0).random(100_000, np.float32)
    np.testing.assert_allclose(torch.from_numpy(x).cumsum(0).numpy(), x.astype(np.float64).cumsum(), rtol=1e-7)


def test_erf_is_exact_to_a_few_units() -> None:
    reach = np.concatenate([np.linspace(-7, 7, 4001), np.linspace(-0.5, 0.5, 999), 10.0 ** np.linspace(-300, 0, 301)])
    for dtype, least, units in (("float64", 0.0, 4), ("float32", 1e-30, 4), ("float16", 1e-30, 1)):
        x = reach[np.abs(reach) > least].astype(dtype)
        got, exact = torch.from_numpy(x).erf().numpy(), np.array([math.erf(v) for v in x])
        off = np.abs(got.astype(np.float64) - exact) / np.spacing(np.abs(exact.astype(dtype)))
        assert float(off.max()) <= units


# ---- lookups ---------------------------------------------------------------------------------------------------------


def test_lookup_and_scatter_are_each_others_backward_to_order_three() -> None:
    ids, k = L([0, 2, 0]), L([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    weight, g, h = (torch.ones(3, 2, requires_grad=True) for _ in range(3))
    (dw,) = torch.autograd.grad(F.embedding(ids, weight), weight, g, create_graph=True)
    (dg,) = torch.autograd.grad(dw, g, h, create_graph=True)
    assert torch.autograd.grad(dg, h, k)[0].tolist() == [[6, 8], [0, 0], [3, 4]]


def test_bags_where_pytorch_is_wrong() -> None:
    """It divides the gradient of one id by the count of another, and counts ids after the last end in a mean."""
    for mode, share in (("sum", 1), ("mean", 1 / 3)):
        w = leaf(np.zeros((4, 1)))
        F.embedding_bag(L([1, 1, 3]), w, L([0]), mode=mode, scale_grad_by_freq=True).sum().backward()
        np.testing.assert_allclose(w.grad.numpy().ravel(), [0, share, 0, share])
    table = torch.arange(12.0).reshape(4, 3)
    for mode, last in (("mean", [6.0, 7.0, 8.0]), ("max", [6.0, 7.0, 8.0])):
        ended = F.embedding_bag(L([2, 0, 2, 3]), table, L([0, 2, 3]), mode=mode, include_last_offset=True)
        assert ended[1].tolist() == last


def test_gradients_of_gradients_of_bags_are_those_of_sums_of_rows() -> None:
    """PyTorch has none."""
    ids, found = L([2, 0, 2, 1]), []
    for of_bags in (True, False):
        w = leaf(np.arange(12.0).reshape(4, 3))
        bags = F.embedding_bag(ids, w, L([0, 2]), mode="sum") if of_bags else F.embedding(ids.view(2, 2), w).sum(1)
        (first,) = torch.autograd.grad((bags**3).sum(), w, create_graph=True)
        found.append(torch.autograd.grad((first**2).sum(), w)[0].tolist())
    assert found[0] == found[1]


def test_int32_ids_reach_rows_beyond_2_to_the_31_elements() -> None:
    table = add_rows(np.ones((1, 32768), np.float32), np.array([65537], np.int32), 65540)
    assert table.shape == (65540, 32768)
    assert table[65537].sum() == 32768
    assert table[65536:].sum() == 32768
    assert table[:2].sum() == 0


# ---- writes ----------------------------------------------------------------------------------------------------------


def loaded(bias: Any, weight: Any, new_bias: Any) -> None:
    """A layer of these parameters gets others."""
    layer = torch.nn.LayerNorm((2, 3))
    layer.weight, layer.bias = torch.nn.Parameter(weight.detach()), torch.nn.Parameter(bias)
    layer.load_state_dict({"weight": torch.ones(2, 3), "bias": new_bias})


WRONG: dict[str, Callable[[Any], Any]] = {
    "an int": lambda x: operator.setitem(x, (1, 3), 7.0),
    "ids": lambda x: operator.setitem(x, L([0, 2]), 7.0),
    "ids of two dims": lambda x: operator.setitem(x, (L([0, 1]), L([0, 3])), 7.0),
    "a mask": lambda x: operator.setitem(x, L([True, False, True]), 7.0),
    "a shape": lambda x: operator.setitem(x, L([0, 1]), torch.ones(2, 2)),
    "a dtype": lambda x: operator.setitem(x, L([0, 1]), torch.ones(2, 3).double()),
    "a step": lambda x: operator.setitem(x, slice(None, None, -1), 7.0),
    "scatter_": lambda x: x.scatter_(1, L([[0, 3]]), torch.ones(1, 2)),
    "scatter_, from the end": lambda x: x.scatter_(1, L([[0, -1]]), 7.0),
    "scatter_add_": lambda x: x.scatter_add_(0, L([[0], [2]]), torch.ones(2, 1)),
    "scatter_add_, a shape": lambda x: x.scatter_add_(0, L([[0], [1]]), torch.ones(1, 1)),
    "index_add_": lambda x: x.index_add_(1, L([0, 3]), torch.ones(2, 2)),
    "index_fill_": lambda x: x.index_fill_(1, L([0, 3]), 7.0),
    "index_put_": lambda x: x.index_put_((L([0, 1]), L([0, 3])), torch.ones(2)),
    "index_put_, accumulate": lambda x: x.index_put_((L([0, 2]),), torch.ones(()), accumulate=True),
    "batch_norm": lambda x: F.batch_norm(torch.ones(4, 2), x.detach()[:, 0], torch.ones(1).expand(2), training=True),
    "load_state_dict": lambda x: loaded(torch.zeros(1).expand(2, 3), weight=x, new_bias=torch.ones(2, 3)),
    "load_state_dict, sparse": lambda x: loaded(torch.zeros(2, 3), weight=x, new_bias=torch.ones(2, 3).to_sparse()),
    "random_": lambda x: x.random_(5, 2),
    "embedding": lambda x: F.embedding(L([0, -1]), x.detach(), max_norm=1.0),
    "embedding_bag": lambda x: F.embedding_bag(L([[0, -1]]), x.detach(), max_norm=1.0),
}


@pytest.mark.parametrize("write", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_write_that_raises_has_written_nothing(write: Callable[[Any], Any], is_recorded: bool) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    x = x.requires_grad_() * 1 if is_recorded else x
    history = x.grad_fn
    with pytest.raises((RuntimeError, IndexError, ValueError)):
        write(x)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x._version == 0
    assert x.grad_fn is history


def test_what_is_written_may_lie_in_the_tensor_itself() -> None:
    """PyTorch refuses some of these; here the values count as they were before."""
    writes: list[tuple[Callable[[Any], Any], list[float]]] = [
        (lambda x: operator.setitem(x, slice(1, None), x[:-1]), [0, 0, 1, 2]),
        (lambda x: operator.setitem(x, [1, 2, 3], x[:-1]), [0, 0, 1, 2]),
        (lambda x: x.scatter_(0, L([1, 2, 3]), x[:-1]), [0, 0, 1, 2]),
        (lambda x: x.scatter_add_(0, L([1, 2, 3]), x[:-1]), [0, 1, 3, 5]),
        (lambda x: x.index_add_(0, L([0, 0, 0, 0]), x), [6, 1, 2, 3]),
    ]
    for write, wanted in writes:
        x = torch.arange(4.0)
        write(x)
        assert x.tolist() == wanted


# ---- memory ----------------------------------------------------------------------------------------------------------


def traced(call: Callable[[], Any]) -> tuple[int, int]:
    """How many bytes a call leaves behind, and how many there are in it at most."""
    tracemalloc.start()
    try:
        call()
        gc.collect()
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("n", "columns"), [(256, 16), (64, 64), (8, 512)])
def test_the_gradient_of_one_matrix_for_a_batch_is_found_in_little_memory(n: int, columns: int) -> None:
    """No more than what is smaller: a product for each of the batch, or copies of the two factors."""
    a, b = leaf(np.zeros((n, n), np.float32)), torch.zeros(64, n, columns)
    loss, g = a @ b, torch.ones(64, n, columns)
    _, peak = traced(lambda: torch.autograd.grad(loss, a, g))
    assert peak < 1.2 * 64 * 4 * min(n * n, 2 * n * columns) + 100_000


def test_what_is_kept_for_the_next_time_is_little() -> None:
    """Of images of many sizes, that of four: a place for each element of one channel."""

    def images() -> None:
        for n in range(130, 60, -1):
            x = torch.zeros(1, 1, n, n, requires_grad=True)
            for y in F.pad(x, (1, 1, 1, 1), "reflect"), F.interpolate(x, n + 1), F.adaptive_max_pool2d(x, n // 2 - 1):
                assert y.requires_grad
            F.max_pool2d(x, 3, 1, 1).backward(torch.ones(1, 1, n, n))

    kept, _ = traced(images)
    assert kept < 2_000_000


def test_large_numbers_and_an_inf_are_resampled_in_no_more_memory() -> None:
    """Only the lines that an inf is in are added up share by share."""
    x = torch.ones(64, 64, 32)
    x[0, 0, 0] = math.inf
    plain, *others = [traced(lambda y=y: F.interpolate(y, size=64, mode="linear"))[1] for y in (x[1:], x[1:] * 1e25, x)]
    assert max(others) < 1.2 * plain


# ---- warnings --------------------------------------------------------------------------------------------------------

TARGET = "Using a target size (torch.Size([1, 3])) that is different to the input"
FREEDOM = "degrees of freedom is <= 0"
WARNED: list[tuple[str, Callable[[Any, Any], Any]]] = [
    (TARGET, lambda x, ids: F.mse_loss(x, x[:1])),
    (TARGET, lambda x, ids: F.l1_loss(x, x[:1])),
    ("please use reduction='sum' instead", lambda x, ids: F.mse_loss(x, x, size_average=False)),
    ("please use reduction='none' instead", lambda x, ids: F.mse_loss(x, x, reduce=False)),
    ("please use reduction='mean' instead", lambda x, ids: F.cross_entropy(x, ids, size_average=True)),
    ("reduction: 'mean' divides the total loss by both the batch size and the", lambda x, ids: F.kl_div(x, x)),
    ("var(): " + FREEDOM, lambda x, ids: x[0, 0].var()),
    ("std(): " + FREEDOM, lambda x, ids: x[:1].std(axis=0)),
    ("Implicit dimension choice for softmax has been deprecated", lambda x, ids: F.softmax(x)),
    ("Implicit dimension choice for log_softmax has been deprecated", lambda x, ids: F.log_softmax(x)),
    ("please use reduction='sum' instead", lambda x, ids: torch.nn.MSELoss(size_average=False)),
    ("dropout option adds dropout after all but last", lambda x, ids: torch.nn.LSTM(3, 4, dropout=0.5)),
    ("parameter group with duplicate parameters", lambda x, ids: torch.optim.SGD([torch.nn.Parameter(x)] * 2)),
]


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(("message", "call"), WARNED)
def test_warnings_are_pytorchs_and_name_the_callers_line(message: str, call: Callable[..., Any]) -> None:
    x, ids = torch.rand(2, 3), L([0, 1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(x, ids)
    found = [each for each in caught if message in str(each.message)]
    assert len(found) == 1
    assert found[0].category is UserWarning
    assert found[0].filename == __file__
    assert found[0].lineno in [line for *_, line in call.__code__.co_lines()]
