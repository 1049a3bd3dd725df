"""The laws of the engine: what holds of every backward pass, whatever the ops.

`test_engine.py` runs them; `test_broken_engines.py` runs them on deliberately broken engines, which they have to
reject.  None of them needs an oracle but arithmetic: values are whole numbers, so equality is exact.
"""

import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume, strategies as st
from laws import Laws, leaf
from strategies import Array, cotangents

import minigrad as torch
from minigrad.core.tape import Unary
from minigrad.nn import Parameter, functional as F

ALL = Laws()
law = ALL.law

MODIFIED = "modified by an inplace operation"
FREED = "backward through the graph a second time"


@contextmanager
def refused(words: str, kind: type[Exception] = RuntimeError) -> Iterator[None]:
    """The block must raise an error of this kind that says these words."""
    message = None
    try:
        yield
    except kind as error:
        message = str(error)
    assert message is not None, f"nothing was raised, where {words!r} was expected"
    assert words in message


def leaves(*data: Any) -> list[Any]:
    """Leaves of float64 that require gradients."""
    return [leaf(np.array(each, np.float64)) for each in data]


# ---- the chain rule on any graph -------------------------------------------------------------------------------------

# Ops on 2-by-2 matrices: on tensors, and on NumPy's stacks of matrices for the oracle.  Some pass the gradient that
# they are handed on as it is, some as a view, some as a new tensor; that is what the walk has to keep apart.
LINEAR: dict[str, tuple[Callable[[Any], Any], Callable[[Array], Array]]] = {
    "clone": (lambda a: a.clone(), lambda a: a),
    "double": (lambda a: a * 2, lambda a: 2 * a),
    "minus": (lambda a: -a, lambda a: -a),
    "transpose": (lambda a: a.T, lambda a: a.swapaxes(1, 2)),
    "reshape": (lambda a: a.reshape(4).reshape(2, 2), lambda a: a),
    "first row, twice": (lambda a: a[0].expand(2, 2), lambda a: a[:, [0, 0]]),
    "sums of columns": (lambda a: a.sum(0, keepdim=True).expand(2, 2), lambda a: a.sum(1, keepdims=True).repeat(2, 1)),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


class Program(NamedTuple):
    """Two input matrices; steps, each an op and the positions of its operands among all that is there; two outputs
    (the last result and another one) with their cotangents; and a result whose gradient is asked for, too."""

    inputs: list[Array]
    steps: list[tuple[str, int, int]]
    outputs: tuple[int, int]
    upstream: list[Array]
    middle: int

    def run(self) -> list[Any]:
        """All tensors: the two leaves, then the result of each step."""
        tensors = [leaf(x.copy()) for x in self.inputs]
        for name, i, j in self.steps:
            tensors.append(LINEAR[name][0](tensors[i]) if name in LINEAR else BINARY[name](tensors[i], tensors[j]))
        return tensors

    def gradients(self) -> list[Array]:
        """The gradients of both inputs and of the middle, by forward differentiation: a stack holds a matrix and,
        for each of the 12 elements asked about, its derivative."""
        stacks: list[Array] = []
        for which, x in enumerate(self.inputs):
            stacks.append(np.concatenate([x[None], np.zeros((12, 2, 2))]))
            stacks[which][1 + 4 * which : 5 + 4 * which] = np.eye(4).reshape(4, 2, 2)
        for name, i, j in [("", 0, 0), ("", 0, 0), *self.steps]:
            if name in LINEAR:
                stacks.append(LINEAR[name][1](stacks[i]).copy())
            elif name == "mul":
                a, b = stacks[i], stacks[j]
                stacks.append(np.concatenate([a[:1] * b[:1], a[1:] * b[:1] + a[:1] * b[1:]]))
            elif name:
                stacks.append(BINARY[name](stacks[i], stacks[j]))
            if len(stacks) == self.middle + 1 or (not name and self.middle < 2):
                stacks[self.middle][9:] = np.eye(4).reshape(4, 2, 2)
        assume(max(np.abs(stack).max() for stack in stacks) < 2**40)
        total = sum((stacks[o][1:] * g).sum((1, 2)) for o, g in zip(self.outputs, self.upstream, strict=True))
        return list(np.reshape(total, (3, 2, 2)))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    names = draw(st.lists(st.sampled_from([*LINEAR, *BINARY, *BINARY]), min_size=1, max_size=8))
    steps = [(name, draw(st.integers(0, n + 1)), draw(st.integers(0, n + 1))) for n, name in enumerate(names)]
    matrices = cotangents((2, 2), "float64")
    last = len(steps) + 1
    return Program(
        [draw(matrices), draw(matrices)],
        steps,
        (last, draw(st.integers(0, last))),
        [draw(matrices), draw(matrices)],
        draw(st.integers(0, last)),
    )


def check_gradients(got: Sequence[Any], expected: Sequence[Array], times: int = 1) -> None:
    """A gradient of None says that there is no path."""
    for gradient, wanted in zip(got, expected, strict=True):
        array = np.zeros((2, 2)) if gradient is None else gradient.detach().numpy()
        np.testing.assert_array_equal(array, times * wanted)


@law(programs())
def chain_rule(program: Program) -> None:
    """Both entries to the walk agree with forward differentiation, and leave no trace on cotangents and inputs."""
    expected = program.gradients()
    tensors = program.run()
    outputs = [tensors[position] for position in program.outputs]
    upstream = [torch.from_numpy(g.copy()) for g in program.upstream]
    values = [x.detach().numpy().copy() for x in tensors]
    asked = [tensors[0], tensors[1], tensors[program.middle]]
    for record in (False, True):
        got = torch.autograd.grad(outputs, asked, upstream, True, create_graph=record, allow_unused=True)
        check_gradients(got, expected)
    assert tensors[0].grad is tensors[1].grad is None
    torch.autograd.backward(outputs, upstream, retain_graph=True)
    first = [x.grad for x in tensors[:2]]
    check_gradients(first, expected[:2])
    torch.autograd.backward(outputs, upstream, inputs=tensors[:1])
    check_gradients([tensors[0].grad], expected[:1], times=2)
    check_gradients([tensors[1].grad], expected[1:2])
    assert all(x.grad is gradient for x, gradient in zip(tensors[:2], first, strict=True))
    for x, value in zip([*tensors, *upstream], [*values, *program.upstream], strict=True):
        np.testing.assert_array_equal(x.detach().numpy(), value)


@law()
def all_users_first() -> None:
    """A result that is used early and late is differentiated once, when both gradients are there."""
    (x,) = leaves(2)
    y = x * x
    z = y * 3
    for _ in range(5):
        z = z + y * z  # z = 3 * y * (1 + y)**5
    (z * y).backward()
    # d/dy of 3 * y**2 * (1 + y)**5 at y = 4, times dy/dx = 4.
    assert x.grad.item() == (6 * 4 * 5**5 + 15 * 4**2 * 5**4) * 4
    # 2**60 paths: who does not wait for all users does not come to an end, so the count of steps is bounded.
    (x,) = leaves(1)
    y, steps = x, []
    for _ in range(60):
        y = y + Counted(steps).of(y)
    y.backward()
    assert x.grad.item() == 2.0**60
    assert len(steps) == 60


class Counted(Unary):
    """`x`, by an op that counts its backward steps and complains of too many."""

    __slots__ = ("steps",)

    def __init__(self, steps: list[int]) -> None:
        self.steps = steps

    def forward(self, x: Array) -> Array:
        return x.copy()

    def dx(self, g: Any) -> Any:
        self.steps.append(1)
        assert len(self.steps) < 1000
        return g


@law()
def errors_change_nothing() -> None:
    """An error in the middle of a walk leaves every `.grad` as it was, though some gradients had arrived."""
    for earlier in (None, torch.tensor([7.0, 7.0]).double()):
        x, near = leaves([1, 2], [3, 4])
        x.grad = near.grad = None if earlier is None else earlier.clone()
        kept = (x * 2).exp()
        loss = (kept.sum() + near.sum()) * 3
        with torch.no_grad():
            kept.zero_()
        with refused(MODIFIED):
            loss.backward()
        for parameter in (x, near):
            assert parameter.grad is None if earlier is None else torch.equal(parameter.grad, earlier)


@law()
def a_grad_of_another_shape() -> None:
    """A `.grad` that the gradient does not fit, since the data was replaced, is an error before any is written."""
    for size, words in ((1, "doesn't match the broadcast shape"), (2, "must match the size of tensor b (3)")):
        x, other, y = leaves([1, 2], [0] * size, [3, 4])
        (x.sum() + other.sum() + y.sum()).backward()
        other.data = torch.zeros(3).double()
        with refused(words):
            (x.sum() + other.sum() + y.sum()).backward()
        assert [each.grad.tolist() for each in (x, other, y)] == [[1, 1], [1] * size, [1, 1]]


# ---- ownership -------------------------------------------------------------------------------------------------------

HANDED_ON: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x + x + y,
    lambda x, y: x - y,
    lambda x, y: x.clone() + y.clone(),
    lambda x, y: x.T.T + y.reshape(4).reshape(2, 2),
    lambda x, y: x[...] + y[:, :],
    lambda x, y: x.double() + y,
    lambda x, y: x.expand(2, 2) + y.expand(1, 2, 2)[0],
    lambda x, y: x.unsqueeze(0).squeeze() + y.permute(1, 0).t(),
    lambda x, y: (x + y).relu(),
    lambda x, y: torch.cat([x[:1], y[1:]]),
    lambda x, y: torch.stack([x[0], y[0]]),
    lambda x, y: x.sum(()) + y,
    lambda x, y: x * y,
    lambda x, y: x @ y,
]


@law()
def ownership() -> None:
    """A `.grad`, or what grad() returns, shares memory with nothing: cotangents, inputs, other gradients."""
    for graph in HANDED_ON:
        x, y = leaves([[1, 2], [3, 4]], [[5, 6], [7, 8]])
        g = torch.tensor([[2.0, -1.0], [3.0, -2.0]], dtype=torch.float64)
        out = graph(x, y)
        by_grad = torch.autograd.grad(out, (x, y), g, retain_graph=True)
        out.backward(g)
        everything = [x.detach(), y.detach(), out.detach(), g, x.grad, y.grad, *by_grad]
        for a, b in combinations(everything, 2):
            assert not np.shares_memory(a.numpy(), b.numpy())
        before = [x.grad.clone(), y.grad.clone()]
        with torch.no_grad():
            for written in (x, y, g, *by_grad):
                written.fill_(99)
        assert torch.equal(x.grad, before[0])
        assert torch.equal(y.grad, before[1])


@law()
def ownership_of_a_start() -> None:
    """A leaf or a result that is itself differentiated gets a copy of the cotangent."""
    (x,) = leaves([1, 2])
    for start in (x, x * 1):
        g = torch.tensor([2.0, 3.0]).double()
        (d,) = torch.autograd.grad(start, start, g)
        start.backward(g)
        g.zero_()
        assert d.tolist() == [2.0, 3.0]
    assert x.grad.tolist() == [4.0, 6.0]


@law()
def ownership_of_what_was_seen() -> None:
    """A gradient that a hook holds, or that a result retains, is no part of another."""
    (x,) = leaves([1, 2])
    kept: list[Any] = []
    x.register_hook(kept.append)
    (x * 4).sum().backward()
    kept[0].mul_(100)
    assert x.grad.tolist() == [4, 4]
    w, g = x * 1, torch.ones(2).double()
    w.retain_grad()
    w.backward(g)
    w.grad.mul_(100)
    assert (g.tolist(), x.grad.tolist()) == ([1, 1], [5, 5])


@law()
def ownership_of_what_is_written_on_the_way() -> None:
    """What a hook, or a Function's backward, writes into a gradient reaches what lies beyond it, and nothing else."""

    def doubled(g: Any) -> None:
        g.mul_(2)

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.mul_(2)

    def seen(x: Any, hang: Callable[[Any], Any]) -> Any:
        hang(out := x * 1)
        return out

    doubling: list[Callable[[Any], Any]] = [
        lambda x: (x.register_hook(doubled), x)[1],
        lambda x: seen(x, lambda y: y.register_hook(doubled)),
        lambda x: seen(x, lambda y: y.grad_fn.register_prehook(lambda gradients: doubled(gradients[0]))),
        lambda x: seen(x, lambda y: y.grad_fn.register_hook(lambda gradients, _: doubled(gradients[0]))),
        Same.apply,
    ]
    for graph in HANDED_ON:
        for double in doubling:
            plain, hooked = leaves([[1, 2], [3, 4]], [[5, 6], [7, 8]]), leaves([[1, 2], [3, 4]], [[5, 6], [7, 8]])
            g = torch.tensor([[2.0, -1.0], [3.0, -2.0]], dtype=torch.float64)
            graph(*plain).backward(g)
            graph(double(hooked[0]), hooked[1]).backward(g)
            assert torch.equal(hooked[0].grad, 2 * plain[0].grad)
            assert torch.equal(hooked[1].grad, plain[1].grad)


@law()
def a_gradient_of_another_shape() -> None:
    """No gradient has another shape than its leaf: a tensor that got another one since it was used is told of."""
    (x,) = leaves([[1, 2, 3], [4, 5, 6]])
    asks: list[Callable[[Any], Any]] = [lambda out: out.backward(), lambda out: torch.autograd.grad(out, x)]
    for ask in asks:
        y = x * 2
        y.data = y.data[:1]
        with refused("invalid gradient"):
            ask(y.sum())
    assert x.grad is None
    # What .grad holds is of no concern to grad().
    x.grad, y = x.detach().clone(), (x * 2).sum()
    x.grad.data = x.grad.data[:1, :2]
    assert torch.autograd.grad(y, x)[0].shape == x.shape


@law()
def ownership_of_what_a_hook_returned() -> None:
    """A gradient that a hook put in place of another reaches each input of the node as it is."""
    ways: list[Callable[[Any, Any], Any]] = [
        lambda y, replacement: y.register_hook(lambda g: replacement),
        lambda y, replacement: (y.retain_grad(), y.register_hook(lambda g: replacement)),
        lambda y, replacement: y.grad_fn.register_prehook(lambda gradients: (replacement,)),
    ]
    for hang in ways:
        for ask in (None, torch.autograd.grad):
            a, b = leaves([1, 2], [3, 4])
            replacement = torch.tensor([10.0, 20.0]).double()
            more, y = a * 3, a + b
            hang(y, replacement)
            loss = y.sum() + more.sum()
            da, db = (loss.backward(), (a.grad, b.grad))[1] if ask is None else ask(loss, [a, b])
            assert (da.tolist(), db.tolist(), replacement.tolist()) == ([13, 23], [10, 20], [10, 20])
            assert not y.retains_grad or y.grad.tolist() == [10, 20]


@law()
def overflow() -> None:
    """Sums that the walk makes, and those in `.grad`, become infinite without a warning."""
    asks: list[Callable[[Any, Any], Any]] = [
        lambda out, x: torch.autograd.grad(out, x)[0],
        lambda out, x: [out.backward(retain_graph=True), out.backward(), x.grad][2],
    ]
    for ask in asks:
        x = torch.tensor([1.0], requires_grad=True)
        out = (x * 3e38).sum() + (x * 3e38).sum() + (x * 3e38).sum()
        assert ask(out, x).tolist() == [float("inf")]


# ---- kept values -----------------------------------------------------------------------------------------------------

#: Ways to write to a tensor's storage that the backward pass has to see.
WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "detach()": lambda x: x.detach(),
    "a reshaped view": lambda x: x.reshape(-1),
    "a slice": lambda x: x[..., :1],
    "a transposed view": lambda x: x.T,
    "an element of iteration": lambda x: next(iter(x)),
    "a Parameter of the transpose": lambda x: Parameter(x.T, requires_grad=False),
    "a view of a view of a detached view": lambda x: x[:1].detach().T[...],
}

#: What an op computes from x, y and ids, all 2-by-2; which of these and of its output "out" its backward reads.
KEPT: list[tuple[Callable[[Any, Any, Any], Any], str]] = [
    (lambda x, y, ids: x + y, ""),
    (lambda x, y, ids: x - y, ""),
    (lambda x, y, ids: x * y, "x y"),
    (lambda x, y, ids: x * y.detach(), "y"),
    (lambda x, y, ids: x.detach() * y, "x"),
    (lambda x, y, ids: x * 3 + 1 - x, ""),
    (lambda x, y, ids: x / y, "x y"),
    (lambda x, y, ids: 2 / x, "x"),
    (lambda x, y, ids: x**y, "x y out"),
    (lambda x, y, ids: x**3, "x"),
    (lambda x, y, ids: 2**x, "x out"),
    (lambda x, y, ids: -x, ""),
    (lambda x, y, ids: x.abs(), "x"),
    (lambda x, y, ids: x.relu(), "out"),
    (lambda x, y, ids: x.exp(), "out"),
    (lambda x, y, ids: x.log(), "x"),
    (lambda x, y, ids: x.tanh(), "out"),
    (lambda x, y, ids: x.sqrt(), "out"),
    (lambda x, y, ids: x.softmax(1), "out"),
    (lambda x, y, ids: x.clone(), ""),
    (lambda x, y, ids: x.float(), ""),
    (lambda x, y, ids: x.sum(0, keepdim=True), ""),
    (lambda x, y, ids: x.mean(1, keepdim=True), ""),
    (lambda x, y, ids: x.max(), "x out"),
    (lambda x, y, ids: x.min(), "x out"),
    (lambda x, y, ids: x.max(1, keepdim=True).values, ""),
    (lambda x, y, ids: x @ y, "x y"),
    (lambda x, y, ids: x.detach() @ y, "x"),
    (lambda x, y, ids: x @ y.detach(), "y"),
    (lambda x, y, ids: F.linear(x, y), "x y"),
    (lambda x, y, ids: F.linear(x.detach(), y), "x"),
    (lambda x, y, ids: F.linear(x, y.detach(), y.detach()[0].clone()), "y"),
    (lambda x, y, ids: x @ y[0], "x y"),
    (lambda x, y, ids: x[0] @ y[0], "x y"),
    (lambda x, y, ids: x[ids], "ids"),
    (lambda x, y, ids: x[:, ids[0]], "ids"),
    (lambda x, y, ids: F.embedding(ids, x), "ids"),
    (lambda x, y, ids: F.embedding(ids, x, padding_idx=0), "ids"),
    (lambda x, y, ids: F.cross_entropy(x, ids[0]), "ids"),
    (lambda x, y, ids: x.expand(3, 2, 2), ""),
]


def _fresh(op: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    x, y = leaves([[1, 2], [3, 4]], [[2, 1], [1, 2]])
    ids = torch.tensor([[0, 1], [1, 1]])
    return {"x": x, "y": y, "ids": ids, "out": op(x, y, ids)}


def _write(tensor: Any) -> None:
    """Write the value that is there: it is the write that counts."""
    with torch.no_grad():
        tensor.copy_(tensor.clone())


@law()
def kept_values() -> None:
    """A write to what a backward pass will read is refused there, through whatever name; other writes are not."""
    for op, kept in KEPT:
        for name in ("x", "y", "ids", "out"):
            for way in WAYS.values():
                tensors = _fresh(op)
                written = tensors[name]
                if written._array.strides.count(0) or (written.ndim < 2 and way(torch.ones(2, 2)).numel() < 4):
                    continue  # An expanded output cannot be written to; a vector has no rows.
                with torch.no_grad():
                    target = way(written)
                _write(target)
                loss = tensors["out"].sum()
                if name in kept.split():
                    with refused(MODIFIED):
                        loss.backward()
                    assert tensors["x"].grad is tensors["y"].grad is None
                else:
                    loss.backward()


@law()
def kept_values_of_the_second_order() -> None:
    """A gradient that is a graph keeps what it was made of, also an output that the first pass kept."""
    for op, name in [
        (lambda x, y, ids: x.exp(), "out"),
        (lambda x, y, ids: x.softmax(1), "out"),
        (lambda x, y, ids: 2**x, "out"),
        (lambda x, y, ids: x * y, "y"),
        (lambda x, y, ids: x @ y, "y"),
        (lambda x, y, ids: F.linear(x, y), "y"),
        (lambda x, y, ids: F.embedding(ids, x), "ids"),
        (lambda x, y, ids: x[ids], "ids"),
    ]:
        tensors = _fresh(op)
        g = torch.ones(*tensors["out"].shape).double().requires_grad_()
        (dx,) = torch.autograd.grad(tensors["out"], tensors["x"], g, create_graph=True)
        torch.autograd.grad(dx.sum(), g, retain_graph=True)
        _write(tensors[name])
        with refused(MODIFIED):
            torch.autograd.grad(dx.sum(), g)
    for op in (lambda x: x.exp(), lambda x: x.tanh(), lambda x: x.sqrt(), lambda x: x.softmax(1), lambda x: 2**x):
        (x,) = leaves([[1, 2], [3, 4]])
        out = op(x)
        (dx,) = torch.autograd.grad((out * out).sum(), x, create_graph=True)
        _write(out)
        with refused(MODIFIED):
            dx.sum().backward()


@law()
def every_write_counts() -> None:
    """Each method that writes in place raises the version of the whole storage by one; reading does not."""
    writes: list[tuple[Any, ...]] = [
        ("add_", 1), ("sub_", 1), ("mul_", 2), ("div_", 2), ("copy_", 1), ("fill_", 1), ("zero_",), ("__iadd__", 1),
        ("__isub__", 1), ("__imul__", 2), ("__itruediv__", 2), ("__ipow__", 2), ("__setitem__", 0, 1),
    ]  # fmt: skip
    draws = ("uniform_", "normal_", "exponential_", "bernoulli_")
    calls = [(lambda x, name=name, args=args: getattr(x, name)(*args)) for name, *args in writes]
    calls += [lambda x, name=name: getattr(x, name)(generator=torch.Generator()) for name in draws]
    x = torch.ones(2, 2)
    for count, write in enumerate([*calls, torch.nn.init.ones_], start=1):
        write(x if count % 2 else x.detach()[0])
        assert x._version == count
        assert x.T._version == count
        assert x.clone()._version == 0
        assert torch.tensor(x.tolist())._version == 0


# ---- memory ----------------------------------------------------------------------------------------------------------


@law()
def what_is_not_kept_dies() -> None:
    """A table that is no leaf dies while its lookup lives; a factor, when the pass is over."""
    (weight,) = leaves(np.ones((5, 2)))
    table = weight * 1
    watched = weakref.ref(table)
    out = F.embedding(torch.tensor([1, 1]), table)
    del table
    assert watched() is None
    out.sum().backward()
    assert weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    plain = torch.ones(5, 2).double()
    for op in (
        lambda h: h + plain,
        lambda h: h * plain,
        lambda h: plain * h,
        lambda h: h / 2.0,
        lambda h: h / plain,
        lambda h: h % plain,
        lambda h: h.fmod(2.0),
        lambda h: h.lerp(plain, plain),
        lambda h: h.exp(),
        lambda h: h.sum(),
        lambda h: h.mean(0),
        lambda h: h.clone().T,
        lambda h: F.linear(h, plain),
        lambda h: h @ plain.T,
        lambda h: h[torch.tensor([0])],
    ):
        hidden = weight * 1
        watched = weakref.ref(hidden)
        out = op(hidden)
        del hidden
        assert watched() is None
        assert out.requires_grad
    factor = plain.clone()
    watched = weakref.ref(factor)
    loss = (weight * factor).sum()
    del factor
    assert watched() is not None
    loss.backward()
    assert watched() is None


@law()
def a_gradient_goes_when_it_has_been_handed_on() -> None:
    """While an operation computes its gradient, that of the operation before it holds no memory any more."""
    (x,) = leaves(np.ones(100_000))
    hidden = x.sin()
    out, upstream = hidden.exp() + hidden.cos(), torch.ones(100_000).double()
    tracemalloc.start()
    out.backward(upstream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.5 * upstream.nbytes


@law()
def no_cycles() -> None:
    """Passes of both orders leave nothing to the garbage collector: memory goes when the last name goes."""

    def passes() -> list[Any]:
        x, y = leaves([[1, 2], [3, 4]], [[2, 1], [1, 2]])
        ids = torch.tensor([1, 1, 0])
        watched = [weakref.ref(x)]
        for op in (lambda x: x.exp(), lambda x: x.tanh(), lambda x: x.softmax(1), lambda x: x.sqrt(), lambda x: x**y):
            hidden = F.linear(F.embedding(ids, op(x) * y), y, y[0])
            loss = (hidden * hidden).sum() + op(x).max()
            (dx,) = torch.autograd.grad(loss, x, create_graph=True)
            (ddx,) = torch.autograd.grad((dx * dx).sum(), x)
            never_walked = op(x)
            watched += [weakref.ref(each) for each in (hidden, loss, dx, ddx, never_walked)]
        return watched

    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        watched = passes()
        assert [each() for each in watched] == [None] * len(watched)
        assert gc.collect() == 0
    finally:
        if enabled:
            gc.enable()


# ---- writes to views -------------------------------------------------------------------------------------------------

PLACES = [0, 1, (slice(None), 1), (0, 2), slice(None), (1, slice(0, 2)), (slice(None), slice(1, None))]
WRITES = ["scale", "add", "assign", "multiply", "square"]


@law(st.lists(st.tuples(st.sampled_from(WRITES), st.sampled_from(PLACES)), min_size=1, max_size=5), st.data())
def writes_to_views(writes: list[tuple[str, Any]], data: st.DataObject) -> None:
    """After writes to parts of a matrix, gradients from it and from views taken before are those of its new values.

    The oracle differentiates forward: a stack holds the values, and then their derivative by each element of x.
    """
    values = np.array([1.0, -2.0, 3.0, 2.0, -1.0, 4.0])
    stack = np.concatenate([values[None], np.eye(6)]).reshape(7, 2, 3)
    operands = stack.copy()
    x = leaf(values)
    y = x.reshape(2, 3) * 1
    row, column, wide = y[1], y[:, 1:2], y[:, 0].expand(2, 2)
    for name, place in writes:
        at = place if isinstance(place, tuple) else (place,)
        where = (slice(None), *at)
        part, operand = stack[where], operands[where]
        if name == "scale":
            y[place].mul_(3)
            stack[where] = 3 * part
        elif name == "add":
            y[place].add_(x.reshape(2, 3)[place])
            stack[where] = part + operand
        elif name == "assign":
            y[place] = 5.0
            stack[where] = np.concatenate([np.full_like(part[:1], 5), np.zeros_like(part[1:])])
        else:
            other = operand if name == "multiply" else part
            stack[where] = np.concatenate([part[:1] * other[:1], part[1:] * other[:1] + part[:1] * other[1:]])
            if name == "multiply":
                y[place].mul_(x.reshape(2, 3)[place])
            else:
                y[place].pow_(2)
    parts = [(y, stack), (row, stack[:, 1]), (column, stack[:, :, 1:2]), (wide, stack[:, None, :, 0].repeat(2, 1))]
    total, expected = 0, np.zeros(6)
    for tensor, part in parts:
        np.testing.assert_array_equal(tensor.detach().numpy(), part[0])
        g = data.draw(cotangents(part.shape[1:], "float64"))
        total = total + (tensor * torch.from_numpy(g)).sum()
        expected += (part[1:] * g).reshape(6, -1).sum(1)
    total.backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-13)
