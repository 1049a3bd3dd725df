"""Sparse tensors and sparse gradients are PyTorch's: what they print, what they are, and which errors they raise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import Raised, outcome, seeded
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import FLOATS, cotangents, ids_for, tables

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

Expression = Callable[..., Any]


def entries(api: Any, dtype: str = "float32", requires_grad: bool = False) -> tuple[Any, Any]:
    """Places that repeat, out of order, and a value, none of them ±1, for each."""
    values = np.array([[1.5, -2.0], [3.0, 4.0], [5.0, 6.5]], dtype)
    return api.tensor([[2, 0, 2]]), api.tensor(values).requires_grad_(requires_grad)


def both(expression: Expression) -> tuple[Any, Any]:
    """The outcome in PyTorch and in minigrad, as it prints; for an error the error."""

    def run(api: Any) -> Any:
        found = outcome(lambda: expression(api))
        return found if isinstance(found, Raised) else repr(found)

    return run(torch), run(minigrad)


def check_both(expression: Expression) -> None:
    """Both print the same; or both raise, minigrad the same type of error or a NotImplementedError."""
    wanted, got = both(expression)
    if isinstance(wanted, Raised):
        assert isinstance(got, Raised), (wanted.error, got)
        assert isinstance(got.error, (type(wanted.error), NotImplementedError)), (wanted.error, got.error)
    else:
        assert not isinstance(got, Raised), (wanted, got.error)
        assert got == wanted


def one(api: Any) -> Any:
    """A sparse tensor that is not coalesced."""
    return api.sparse_coo_tensor(*entries(api), (4, 2))


def dense(api: Any) -> Any:
    return api.arange(8.0).reshape(4, 2)


# Printed forms, of a sparse tensor `s`, its coalesced form `c` and a dense tensor `d` of their shape.
OF_ONE: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "itself": lambda t, s, c, d: (s, c),
    "what it is": lambda t, s, c, d: (
        [(x.is_sparse, x.layout, x.shape, x.dtype, x.ndim, x.dim(), x.numel(), len(x)) for x in (s, c)],
        [(x._nnz(), x.sparse_dim(), x.dense_dim(), x.is_coalesced(), x.type(), x.size(0), x.size(-1)) for x in (s, c)],
        [(x.is_leaf, x.requires_grad, x.grad_fn, x.is_floating_point(), x.device, f"{x}") for x in (s, c)],
    ),
    "of a dense one": lambda t, s, c, d: (d.is_sparse, d.layout, d.to_dense(), d.to_dense() is d),
    "entries": lambda t, s, c, d: (s._indices(), s._values(), c.indices(), c.values(), c._indices(), c._values()),
    "coalesce of coalesced": lambda t, s, c, d: c.coalesce() is c,
    "indices, not coalesced": lambda t, s, c, d: s.indices(),
    "values, not coalesced": lambda t, s, c, d: s.values(),
    "to_dense": lambda t, s, c, d: (s.to_dense(), c.to_dense()),
    "copies": lambda t, s, c, d: (s.clone(), c.clone().is_coalesced(), s.detach(), c.detach().is_coalesced(), s.data),
    "dtypes": lambda t, s, c, d: (s.double(), s.to(t.float16), s.half().dtype, s.long(), c.double().is_coalesced()),
    "unchanged dtype": lambda t, s, c, d: s.float() is s,
    "to_sparse": lambda t, s, c, d: (s.to_sparse(), s.to_sparse(1)),
    "to_sparse(2)": lambda t, s, c, d: s.to_sparse(2),
    "numbers": lambda t, s, c, d: (s * 2, 2 * s, s / 4, -s, s.mul(2.5), s.div(2), s.neg(), (c * 2).is_coalesced()),
    "0-d tensors": lambda t, s, c, d: (s * t.tensor(2.0), s / t.tensor(2.0, dtype=t.float64)),
    "integers": lambda t, s, c, d: (s.long() * 2.5, s.long() / 2, s.int() * 3),
    "not finite": lambda t, s, c, d: (s / 0, s * float("inf")),
    "dense factors": lambda t, s, c, d: (s * d, d * s, c * d, s.mul(d), t.mul(d, s), s * t.ones(2), s * t.ones(4, 1)),
    "dense factor of another shape": lambda t, s, c, d: s * t.ones(5, 2),
    "dense divisor": lambda t, s, c, d: s / d,
    "by a sparse tensor": lambda t, s, c, d: d / s,
    "of a number to the": lambda t, s, c, d: 2**s,
    "sum": lambda t, s, c, d: (s.sum(), s.sum(dtype=t.float64), s.int().sum(), t.sum(s)),
    "norm": lambda t, s, c, d: (
        s.norm(),
        s.norm(1),
        s.norm(3.0),
        s.norm(float("inf")),
        s.norm(0),
        t.norm(s),
        t.norm(s, 1),
    ),
    "norm of integers": lambda t, s, c, d: s.long().norm(),
    "functions": lambda t, s, c, d: (t.add(d, s), t.neg(s), t.mul(s, 2), t.numel(s), t.is_tensor(s), t.clone(s)),
    "coalesced sums": lambda t, s, c, d: (
        c + c,
        (c + c).is_coalesced(),
        c - c,
        c.add(c, alpha=2),
        (c + s).is_coalesced(),
    ),
    "sums": lambda t, s, c, d: ((s + c).to_dense(), (s - 2 * c).to_dense(), s.add(c, alpha=-0.5).coalesce()),
    "sums of dtypes": lambda t, s, c, d: (
        (s + s.double()).dtype,
        (d + c.double()).dtype,
    ),
    "sum with a number": lambda t, s, c, d: s + 1,
    "sum with a number first": lambda t, s, c, d: 1 + s,
    "sum with a dense tensor behind": lambda t, s, c, d: s + d,
    "difference with a dense tensor behind": lambda t, s, c, d: s - d,
    "sums with a dense tensor": lambda t, s, c, d: (
        d + s,
        d - s,
        d.add(s, alpha=2),
        t.sub(d, c),
        t.add(d, c, alpha=-1),
    ),
    "sums with a parameter": lambda t, s, c, d: (t.nn.Parameter(d) + s, t.nn.Parameter(d) - s, t.nn.Parameter(d) * s),
    "sums of other sizes": lambda t, s, c, d: s + t.sparse_coo_tensor([[0]], t.ones(1, 2), (5, 2)),
    "sums of other densities": lambda t, s, c, d: s + t.sparse_coo_tensor([[0], [0]], t.ones(1), (4, 2)),
    "broadcasting sums": lambda t, s, c, d: t.ones(2) + s,
    "broadcasting sums in place": lambda t, s, c, d: t.ones(2, 4, 2).add_(s),
    "with text": lambda t, s, c, d: s + "text",
    "mul with text": lambda t, s, c, d: s.mul("text"),
    "in place": lambda t, s, c, d: (s.clone().mul_(2), s.clone().div_(2), s.clone().mul_(d)),
    "in place, coalesced": lambda t, s, c, d: (c.clone().mul_(2), c.clone().add_(c), c.clone().sub_(c, alpha=2)),
    "in place, the same": lambda t, s, c, d: [x.add_(c) is x for x in (s.clone(), c.clone())],
    "in place, other dtype": lambda t, s, c, d: c.clone().add_(c.double()),
    "in place, to integers": lambda t, s, c, d: s.long().mul_(2.5),
    "in place, dense": lambda t, s, c, d: s.clone().add_(d),
    "in place, to dense": lambda t, s, c, d: (d.clone().add_(s), d.clone().sub_(s, alpha=0.5), d.double().add_(s)),
    "in place, integers": lambda t, s, c, d: d.long().add_(s.long(), alpha=3),
    "in place, to dense integers": lambda t, s, c, d: d.long().add_(s),
    "zero_": lambda t, s, c, d: (s.clone().zero_(), s.clone().zero_().is_coalesced(), s.clone().zero_().to_dense()),
    "values on its memory": lambda t, s, c, d: ((x := c.clone()).values().mul_(2), x),
    "_values on its memory": lambda t, s, c, d: ((x := s.clone())._values().mul_(2), x),
    "_indices on its memory": lambda t, s, c, d: ((x := s.clone())._indices().fill_(1), x),
    "data on its memory": lambda t, s, c, d: ((x := s.clone()).data.mul_(2), x, x._version),
    "numpy": lambda t, s, c, d: s.numpy(),
    "np.asarray": lambda t, s, c, d: np.asarray(s),
    "requires_grad": lambda t, s, c, d: s.requires_grad_(False).requires_grad,
    "comparison": lambda t, s, c, d: s == s,
    "exp": lambda t, s, c, d: s.exp(),
    "reshape": lambda t, s, c, d: s.reshape(8),
    "write": lambda t, s, c, d: s.__setitem__(0, 1.0),
    "fill_": lambda t, s, c, d: s.fill_(1),
    "dense copy_": lambda t, s, c, d: d.copy_(s),
    "stack of": lambda t, s, c, d: t.stack([d, s]),
    "float()": lambda t, s, c, d: float(s.sum()) and float(s),
}


@pytest.mark.parametrize("name", OF_ONE)
def test_methods(name: str) -> None:
    check_both(lambda t: OF_ONE[name](t, one(t), one(t).coalesce(), dense(t)))


MADE: dict[str, Expression] = {
    "of lists": lambda t: t.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0]),
    "of ints": lambda t: t.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3, 4, 5], (2, 4)),
    "by keyword": lambda t: t.sparse_coo_tensor(indices=[[0]], values=[1.0], size=(2,)),
    "of rows": lambda t: t.sparse_coo_tensor(t.tensor([[2, 0]]), t.tensor([[1.0, 2.0], [3.0, 4.0]])),
    "of matrices": lambda t: t.sparse_coo_tensor([[0, 1]], t.ones(2, 3, 2), t.Size([2, 3, 2])),
    "a dtype": lambda t: t.sparse_coo_tensor([[0]], [1.0], (2,), dtype=t.float64),
    "a dtype of values": lambda t: t.sparse_coo_tensor([[0]], t.tensor([1.5]), (2,), dtype=t.int64),
    "float16": lambda t: t.sparse_coo_tensor([[0], [1]], [[1.0, 2.0]], (2, 2, 2)).half(),
    "bools": lambda t: t.sparse_coo_tensor([[0, 1, 1]], [True, False, True], (2,)).coalesce(),
    "int32": lambda t: t.sparse_coo_tensor([[0, 1]], t.tensor([1, 2], dtype=t.int32), (2,)),
    "int8 wraps": lambda t: t.sparse_coo_tensor([[0, 0]], t.tensor([100, 100], dtype=t.int8), (2,)).coalesce(),
    "int32 indices": lambda t: t.sparse_coo_tensor(t.tensor([[0]], dtype=t.int32), [1.0], (2,))._indices().dtype,
    "a number": lambda t: t.sparse_coo_tensor([[0]], 1.0, (2,)),
    "no entries": lambda t: (t.sparse_coo_tensor((2, 3)), t.sparse_coo_tensor(size=(2, 3)).is_coalesced()),
    "no rows": lambda t: t.sparse_coo_tensor(t.zeros(1, 0).long(), t.zeros(0, 3), (4, 3)).coalesce(),
    "empty": lambda t: (t.sparse_coo_tensor((0, 3)), t.sparse_coo_tensor((0, 3)).to_dense()),
    "empty, inferred": lambda t: t.sparse_coo_tensor(t.zeros(1, 0).long(), t.zeros(0)),
    "rows of nothing": lambda t: t.sparse_coo_tensor([[1, 1]], t.ones(2, 0), (3, 0)).coalesce(),
    "two sparse dims": lambda t: t.sparse_coo_tensor([[1, 0, 1], [2, 1, 2]], [1.0, 2.0, 3.0], (2, 3)).coalesce(),
    "two of three": lambda t: t.sparse_coo_tensor([[1, 0, 1], [2, 1, 2]], t.ones(3, 2), (2, 3, 2)).to_dense(),
    "0-d": lambda t: t.sparse_coo_tensor(t.zeros(0, 2).long(), [3.0, 4.0], ()).coalesce(),
    "is_coalesced": lambda t: t.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,), is_coalesced=True).is_coalesced(),
    "one entry": lambda t: [t.sparse_coo_tensor([[0]], [1.0], (2,)).is_coalesced(), one(t).is_coalesced()],
    "on the memory of values": lambda t: ((v := t.ones(1)), (x := t.sparse_coo_tensor([[0]], v)), v.fill_(2), x),
    "indices of rank 1": lambda t: t.sparse_coo_tensor([0, 1], [1.0, 2.0], (2,)),
    "other counts": lambda t: t.sparse_coo_tensor([[0, 1]], [1.0], (2,)),
    "other rank": lambda t: t.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2, 2)),
    "other rows": lambda t: t.sparse_coo_tensor([[0]], [[1.0, 2.0]], (2, 3)),
    "out of range": lambda t: t.sparse_coo_tensor([[5]], [1.0], (2,), check_invariants=True),
    "negative": lambda t: t.sparse_coo_tensor([[-1]], [1.0], (2,), check_invariants=True),
    "negative size": lambda t: t.sparse_coo_tensor([[0]], [1.0], (-2,)),
    "of nothing": lambda t: t.sparse_coo_tensor(),
    "to_sparse": lambda t: (t.eye(3).to_sparse(), t.eye(3).to_sparse().is_coalesced(), t.tensor(2.0).to_sparse()),
    "to_sparse of zeros": lambda t: (t.zeros(2, 3).to_sparse(), t.tensor(0).to_sparse(), t.zeros(0, 3).to_sparse(1)),
    "to_sparse(1)": lambda t: t.tensor([[0.0, 0.0], [1.0, 2.0], [0.0, float("nan")]]).to_sparse(1),
    "to_sparse(2) of 3": lambda t: t.arange(12).reshape(2, 3, 2).to_sparse(2),
    "to_sparse(3)": lambda t: t.eye(3).to_sparse(3),
    "to_sparse(0)": lambda t: t.eye(3).to_sparse(0),
    "to_sparse(layout)": lambda t: t.eye(2).to_sparse(layout=t.sparse_coo),
    "layouts": lambda t: (t.sparse_coo, type(t.sparse_coo).__name__, t.sparse_coo == t.eye(2).to_sparse().layout),
    "long": lambda t: t.sparse_coo_tensor(t.arange(30).reshape(1, -1), t.arange(30.0), (30,)).double(),
    "many": lambda t: t.sparse_coo_tensor(
        t.arange(1200).remainder(7).reshape(1, -1), t.arange(4800.0).reshape(-1, 4), (7, 4)
    ),
    "in a list": lambda t: [t.sparse_coo_tensor([[0]], [1.0], (2,))],
}


@pytest.mark.parametrize("name", MADE)
def test_made(name: str) -> None:
    check_both(MADE[name])


@pytest.mark.parametrize("linewidth", [40, 60, 80, 120])
def test_printing_with_options(linewidth: int) -> None:
    texts = []
    for api in (torch, minigrad):
        api.set_printoptions(linewidth=linewidth, precision=2, threshold=8, edgeitems=2)
        try:
            values = api.arange(12.0, dtype=api.float64).reshape(6, 2).requires_grad_()
            texts.append(repr(api.sparse_coo_tensor([[5, 1, 2, 3, 4, 0]], values, (6, 2)) * 1.5))
        finally:
            api.set_printoptions(profile="default")
    assert texts[0] == texts[1]


# What flows through a sparse tensor `x` made of values `v`: a result of one element or more.
RECORDED: dict[str, Callable[[Any, Any], Any]] = {
    "made": lambda t, x: x.to_dense(),
    "mul": lambda t, x: (x * 2).to_dense(),
    "div": lambda t, x: (x / 2).to_dense(),
    "neg": lambda t, x: (-x).to_dense(),
    "add": lambda t, x: (x + x.coalesce()).to_dense(),
    "sub": lambda t, x: (x - 2 * x).to_dense(),
    "coalesce": lambda t, x: x.coalesce().values(),
    "values": lambda t, x: (3 * x.coalesce()).values() ** 2,
    "clone": lambda t, x: x.clone().to_dense(),
    "sum": lambda t, x: x.sum(),
    "dense + sparse": lambda t, x: dense(t) + x,
    "dense - sparse": lambda t, x: dense(t) - x,
    "dense, scaled": lambda t, x: dense(t).add(x, alpha=3),
    "dense * sparse": lambda t, x: (x * dense(t)).to_dense(),
    "dense, in place": lambda t, x: (dense(t) * 1).add_(x, alpha=2),
}


@pytest.mark.parametrize("name", RECORDED)
def test_history(name: str) -> None:
    def gradient(t: Any) -> Any:
        places, values = entries(t, requires_grad=True)
        found = RECORDED[name](t, t.sparse_coo_tensor(places, values, (4, 2)))
        weights = t.arange(1.0, found.numel() + 1).reshape(found.shape)
        return found, t.autograd.grad((found * weights).sum(), values)

    check_both(gradient)


NAMED: dict[str, Callable[[Any, Any], Any]] = {
    "made": lambda t, x: x,
    "mul": lambda t, x: x * 2,
    "coalesce": lambda t, x: x.coalesce(),
    "values": lambda t, x: x.coalesce().values(),
    "_values": lambda t, x: x._values(),
    "to_dense": lambda t, x: x.to_dense(),
    "detach": lambda t, x: x.detach(),
    "detach_": lambda t, x: (x * 2).detach_(),
    "clone": lambda t, x: x.clone(),
    "neg": lambda t, x: (-x, x.requires_grad, x.is_leaf),
    "dense - sparse": lambda t, x: dense(t) - x,
    "to_sparse": lambda t, x: dense(t).requires_grad_().to_sparse(1),
    "refused": lambda t, x: x.requires_grad_(False),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_of_nodes(name: str) -> None:
    def printed(t: Any) -> Any:
        places, values = entries(t, requires_grad=True)
        return NAMED[name](t, t.sparse_coo_tensor(places, values, (4, 2)))

    check_both(printed)


# ---- gradients of embeddings -----------------------------------------------------------------------------------------

IDS = [[2, 0], [2, 1]]


def lookup(t: Any, weight: Any, **options: Any) -> Any:
    return t.nn.functional.embedding(t.tensor(IDS), weight, sparse=True, **options)


def bag(t: Any, weight: Any, mode: str = "sum", **options: Any) -> Any:
    offsets = None if "ids" in options else t.tensor([0, 0, 3])
    ids = t.tensor(options.pop("ids", [2, 0, 2, 1]))
    return t.nn.functional.embedding_bag(ids, weight, offsets, mode=mode, sparse=True, **options)


def twice(t: Any, w: Any, times: int = 2) -> Any:
    for _ in range(times):
        (lookup(t, w) * 3).sum().backward()
    return w.grad.is_sparse, w.grad.is_coalesced(), w.grad.coalesce()


def hooked(t: Any, w: Any, hook: Callable[[Any], Any]) -> Any:
    w.register_hook(hook)
    lookup(t, w).sum().backward()
    return w.grad


def of_walk(t: Any, w: Any, loss: Callable[[Any], Any]) -> Any:
    loss(w).backward()
    found = w.grad
    return found.is_sparse, (found.is_coalesced(), found._nnz()) if found.is_sparse else None, found.to_dense()


def grad_is_sparse(t: Any, w: Any, *losses: Callable[[Any], Any]) -> list[Any]:
    """After each backward pass, what `.grad` is, and whether it is the same object as before."""
    seen: list[Any] = []
    earlier = None
    for loss in losses:
        loss(w).backward()
        kept = w.grad is earlier
        earlier = w.grad
        seen.append((kept, w.grad.is_sparse, w.grad.is_sparse and w.grad.is_coalesced(), w.grad.to_dense()))
    return seen


def through(t: Any, w: Any, op: Callable[[Any], Any]) -> Any:
    """The gradient of a weight that is the result of an operation: it may reach the leaf sparse."""
    (lookup(t, op(w)) * t.arange(1.0, 4.0)).sum().backward()
    return w.grad


def retained(t: Any, w: Any) -> Any:
    v = w * 3
    v.retain_grad()
    lookup(t, v).sum().backward()
    return v.grad, w.grad


GRADIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "of one lookup": lambda t, w: t.autograd.grad((lookup(t, w) ** 2).sum(), w),
    "as .grad": lambda t, w: ((lookup(t, w) * 3).sum().backward(), w.grad),
    "with a graph": lambda t, w: t.autograd.grad((lookup(t, w) ** 2).sum(), w, create_graph=True),
    "of the gradient": lambda t, w: t.autograd.grad(
        t.autograd.grad((lookup(t, w) ** 3).sum(), w, create_graph=True)[0].to_dense().pow(2).sum(), w
    ),
    "of its entries": lambda t, w: t.autograd.grad(
        t.autograd.grad((lookup(t, w) ** 3).sum(), w, create_graph=True)[0].coalesce().values().pow(2).sum(), w
    ),
    "of its sum": lambda t, w: t.autograd.grad(
        t.autograd.grad((lookup(t, w) ** 3).sum(), w, create_graph=True)[0].sum(), w
    ),
    "ids of rank 0": lambda t, w: t.autograd.grad(t.nn.functional.embedding(t.tensor(2), w, sparse=True).sum(), w),
    "no ids": lambda t, w: t.autograd.grad(t.nn.functional.embedding(t.tensor([[]]).long(), w, sparse=True).sum(), w),
    "int32 ids": lambda t, w: t.autograd.grad(
        t.nn.functional.embedding(t.tensor([1, 1]).int(), w, sparse=True).sum(), w
    ),
    "padding": lambda t, w: t.autograd.grad(lookup(t, w, padding_idx=-2).sum(), w),
    "max_norm": lambda t, w: (t.autograd.grad(lookup(t, w, max_norm=1.5).sum(), w), w),
    "scaled": lambda t, w: t.autograd.grad(lookup(t, w, scale_grad_by_freq=True).sum(), w),
    "scaled, forward": lambda t, w: lookup(t, w, scale_grad_by_freq=True),
    "twice": twice,
    "three times": lambda t, w: twice(t, w, 3),
    "of two lookups": lambda t, w: of_walk(t, w, lambda w: lookup(t, w).sum() + lookup(t, w, padding_idx=0).sum()),
    "of three lookups": lambda t, w: of_walk(t, w, lambda w: (lookup(t, w) + lookup(t, w) + lookup(t, w)).sum()),
    "sparse and dense": lambda t, w: of_walk(t, w, lambda w: lookup(t, w).sum() + (w * w).sum()),
    "dense and sparse": lambda t, w: of_walk(t, w, lambda w: (w * w).sum() + lookup(t, w).sum()),
    "dense, dense, sparse": lambda t, w: of_walk(t, w, lambda w: (w * w * w).sum() + lookup(t, w).sum()),
    ".grad, sparse twice": lambda t, w: grad_is_sparse(t, w, *[lambda w: lookup(t, w).sum()] * 2),
    ".grad, sparse then dense": lambda t, w: grad_is_sparse(
        t, w, lambda w: lookup(t, w).sum(), lambda w: (w * w).sum()
    ),
    ".grad, dense then sparse": lambda t, w: grad_is_sparse(
        t, w, lambda w: (w * w).sum(), lambda w: lookup(t, w).sum()
    ),
    "a hook": lambda t, w: hooked(t, w, lambda g: g * 2),
    "a hook that looks": lambda t, w: ((seen := []), hooked(t, w, seen.append), seen),
    "a hook that makes it dense": lambda t, w: hooked(t, w, lambda g: g.to_dense()),
    "retained": retained,
    "set": lambda t, w: (setattr(w, "grad", t.sparse_coo_tensor([[0]], t.ones(1, 3), (4, 3))), w.grad),
    "set, wrong size": lambda t, w: setattr(w, "grad", t.sparse_coo_tensor([[0]], t.ones(1, 2), (4, 2))),
    "set, wrong dtype": lambda t, w: setattr(w, "grad", t.sparse_coo_tensor([[0]], t.ones(1, 3), (4, 3)).double()),
    "update": lambda t, w: (twice(t, w), w.detach().add_(w.grad, alpha=-0.5), w, w._version),
    "update by hand": lambda t, w: (twice(t, w), w.data - 0.5 * w.grad.data),
    "zero_grad": lambda t, w: (twice(t, w), w.grad.zero_(), w.grad),
    "through mul": lambda t, w: through(t, w, lambda w: w * 2),
    "through mul by a tensor": lambda t, w: through(t, w, lambda w: w * w.detach()),
    "through square": lambda t, w: through(t, w, lambda w: w**2),
    "through div": lambda t, w: through(t, w, lambda w: w / 2),
    "through neg": lambda t, w: through(t, w, lambda w: -w),
    "through add": lambda t, w: through(t, w, lambda w: w + 1),
    "through rsub": lambda t, w: through(t, w, lambda w: 1 - w),
    "through exp": lambda t, w: through(t, w, lambda w: w.exp()).to_dense(),
    "through clone": lambda t, w: through(t, w, lambda w: w.clone()),
    "through both": lambda t, w: through(t, w, lambda w: w + w.exp()).coalesce(),
    "through view": lambda t, w: through(t, w, lambda w: w.view(4, 3)),
    "through tanh": lambda t, w: through(t, w, lambda w: w.tanh()),
    "through t": lambda t, w: through(t, w, lambda w: w.t().t()),
    "through matmul": lambda t, w: through(t, w, lambda w: w @ t.eye(3)),
    "through double": lambda t, w: through(t, w, lambda w: w.double()),
    "bag sum": lambda t, w: t.autograd.grad((bag(t, w) * t.arange(9.0).reshape(3, 3)).sum(), w),
    "bag mean": lambda t, w: t.autograd.grad((bag(t, w, "mean") * t.arange(9.0).reshape(3, 3)).sum(), w),
    "bag of rows": lambda t, w: t.autograd.grad(bag(t, w, "mean", ids=IDS).sum(), w),
    "bag, padded": lambda t, w: t.autograd.grad(bag(t, w, padding_idx=2).sum(), w),
    "bag, scaled": lambda t, w: t.autograd.grad(bag(t, w, scale_grad_by_freq=True).sum(), w),
    "bag, max": lambda t, w: bag(t, w, "max"),
    "bag, shortened": lambda t, w: (t.autograd.grad(bag(t, w, max_norm=1.0).sum(), w), w),
    "bag, weighted": lambda t, w: t.autograd.grad(
        (bag(t, w, per_sample_weights=t.tensor([0.5, 1.0, 2.0, 3.0])) * t.arange(9.0).reshape(3, 3)).sum(), w
    ),
    "layer": lambda t, w: (
        (m := t.nn.Embedding(4, 3, sparse=True, _weight=w.data)),
        m(t.tensor(IDS)).sum().backward(),
        m.weight.grad,
    ),
    "layer, its text": lambda t, w: t.nn.Embedding(4, 3, -1, 1.0, 1.0, True, True),
    "bag layer": lambda t, w: (
        (m := t.nn.EmbeddingBag(4, 3, sparse=True, _weight=w.data)),
        m(t.tensor(IDS)).sum().backward(),
        m.weight.grad,
        m.zero_grad(set_to_none=False),
        m.weight.grad,
    ),
    "bag layer, max": lambda t, w: t.nn.EmbeddingBag(4, 3, mode="max", sparse=True),
    "bag layer, max, called": lambda t, w: t.nn.EmbeddingBag(4, 3, mode="max", sparse=True)(t.tensor(IDS)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    def run(t: Any) -> Any:
        return GRADIENTS[name](t, t.arange(12.0).reshape(4, 3).div(4).requires_grad_())

    with seeded(0):
        check_both(run)


@given(st.data())
def test_drawn_gradients(data: st.DataObject) -> None:
    """For drawn tables, ids and upstream gradients: the entries, their order, and the coalesced ones."""
    name = data.draw(st.sampled_from([name for name in FLOATS if name != "float16"]))
    table = data.draw(tables(name))
    # Where there is nothing to add up PyTorch lists no entries, and it fails for one id with a padding_idx.
    assume(table.shape[1])
    ids = data.draw(ids_for(table, st.sampled_from([(1,), (3,), (5,), (2, 3)])))
    upstream = data.draw(cotangents((*ids.shape, table.shape[1]), name))
    padding = data.draw(st.none() | st.integers(-len(table), len(table) - 1))

    def run(t: Any) -> Any:
        weight = t.from_numpy(table.copy()).requires_grad_()
        looked_up = t.nn.functional.embedding(t.from_numpy(ids.copy()), weight, padding, sparse=True)
        looked_up.backward(t.from_numpy(upstream.copy()))
        g = weight.grad
        return (
            g,
            g.is_coalesced(),
            g.coalesce(),
            g.to_dense(),
            (g * 2 - g).coalesce(),
            weight.detach().add_(g, alpha=-2),
        )

    check_both(run)


def test_a_function_may_return_a_sparse_gradient() -> None:
    def run(t: Any) -> Any:
        class Rows(t.autograd.Function):  # type: ignore[misc,name-defined]
            @staticmethod
            def forward(ctx: Any, weight: Any, ids: Any) -> Any:
                ctx.save_for_backward(ids)
                ctx.shape = weight.shape
                return weight[ids]

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                (ids,) = ctx.saved_tensors
                return t.sparse_coo_tensor(ids[None], g * 2, ctx.shape), None

        weight = t.ones(4, 2, requires_grad=True)
        (Rows.apply(weight, t.tensor([3, 1, 3])) * t.arange(6.0).reshape(3, 2)).sum().backward()
        return weight.grad

    check_both(run)


def test_anomalies_are_found_in_the_entries() -> None:
    def run(t: Any) -> Any:
        weight = t.ones(4, 2, requires_grad=True)
        with t.autograd.detect_anomaly():
            (lookup(t, weight) * float("nan")).sum().backward()

    wanted, got = both(run)
    assert isinstance(wanted, Raised)
    assert isinstance(got, Raised)
    assert "returned nan values" in str(got.error)
    assert re.findall(r"'\w+'", str(wanted.error)) == re.findall(r"'\w+'", str(got.error))


# ---- where PyTorch's is another -------------------------------------------------------------------------------------


def test_uncoalesced_sums_may_have_more_entries() -> None:
    """PyTorch merges neighbours that happen to meet; minigrad lists the entries of both.  The sums are the same."""
    assert (one(torch) + one(torch))._nnz() == 3
    assert (one(minigrad) + one(minigrad))._nnz() == 6
    assert repr((one(torch) + one(torch)).coalesce()) == repr((one(minigrad) + one(minigrad)).coalesce())


def test_indices_are_always_checked() -> None:
    """PyTorch makes a tensor with an index out of range, and warns that it may crash."""
    assert isinstance(outcome(lambda: torch.sparse_coo_tensor([[5]], [1.0], (2,))), torch.Tensor)
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        minigrad.sparse_coo_tensor([[5]], [1.0], (2,))


def test_a_sum_of_halves() -> None:
    """PyTorch adds up float16 in float16, where 2,048 + 1 is 2,048."""
    for api, total in ((torch, 2048.0), (minigrad, 5000.0)):
        weight = api.zeros(2, 1, dtype=api.float16).requires_grad_()
        ids = api.zeros(5000, dtype=api.int64)
        api.nn.functional.embedding(ids, weight, sparse=True).sum().backward()
        assert weight.grad.coalesce().values().tolist() == [[total]]
        assert weight.grad.to_dense().tolist() == [[total], [0.0]]
