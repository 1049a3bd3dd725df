"""Wrong calls fail as PyTorch's do: the same type of exception, and a message that begins with the same words.

`words` says how many leading words are compared: those that users search for, up to where numbers and names begin
that differ by design.  The rest of minigrad's message is its own: what was expected, what was got, and the remedy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import Raised, outcome

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

Call = Callable[[Any], Any]


def row(name: str, call: Call, words: int = 5) -> Any:
    return pytest.param(call, words, id=name)


def ones(api: Any, *shape: int, **how: Any) -> Any:
    return api.ones(shape, **how)


def leaf(api: Any) -> Any:
    return api.tensor([1.0, 2.0, 3.0], requires_grad=True)


def used_up(api: Any) -> Any:
    y = (leaf(api) ** 2).sum()
    y.backward()
    return y.backward()


def overwritten(api: Any) -> Any:
    y = leaf(api) * 2
    z = (y * y).sum()
    y += 1
    return z.backward()


def uninitialised(api: Any, value: Any) -> Any:
    class Model(api.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.part = value

    return Model()


def model(api: Any) -> Any:
    class Model(api.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.decoder = api.nn.Linear(2, 3)
            self.scale = api.nn.Parameter(api.ones(2))

    return Model()


def load(api: Any, change: Callable[[dict[str, Any]], object]) -> Any:
    made = model(api)
    state = dict(made.state_dict())
    change(state)
    return made.load_state_dict(state)


CREATION = [
    row("unequal lengths", lambda api: api.tensor([[1, 2], [3]]), 10),
    row("number among sequences", lambda api: api.tensor([[1, 2], 3]), 3),
    row("sequence among numbers", lambda api: api.tensor([1, [2, 3]]), 2),
    row("a string", lambda api: api.tensor("abc"), 5),
    row("a list of strings", lambda api: api.tensor(["a", "b"]), 4),
    row("None", lambda api: api.tensor(None), 5),
    row("a list of None", lambda api: api.tensor([None]), 5),
    row("a set", lambda api: api.tensor({1, 2}), 5),
    row("a dict", lambda api: api.tensor({"a": 1}), 5),
    row("an object", lambda api: api.tensor(object()), 5),
    row("a list of tensors", lambda api: api.tensor([api.ones(2), api.ones(2)]), 8),
    row("an int too large", lambda api: api.tensor(2**64), 4),
    row("an int too large for the dtype", lambda api: api.tensor(300, dtype=api.uint8), 5),
    row("an int too large, beside a float", lambda api: api.tensor([1.5, 2**64], dtype=api.int64), 4),
    row("an int too small for bytes, beside a float", lambda api: api.tensor([1.5, -256], dtype=api.uint8), 5),
    row("a float too large for the dtype", lambda api: api.tensor([127.9], dtype=api.int8), 8),
    row("a float too large to be filled in", lambda api: ones(api, 2, dtype=api.uint8).fill_(255.5), 6),
    row("bytes", lambda api: api.tensor(b"abc"), 5),
    row("nan as an integer", lambda api: api.tensor([float("nan")], dtype=api.int64), 0),
    row("gradient for integers", lambda api: api.tensor([1], requires_grad=True), 10),
    row("gradient for bools", lambda api: api.zeros(2, dtype=api.bool, requires_grad=True), 10),
    row("dtype is a string", lambda api: api.tensor(1, dtype="float32"), 6),
    row("dtype is NumPy's", lambda api: api.zeros(2, dtype=np.float32), 4),
    row("unknown device", lambda api: api.zeros(2, device="nonsense"), 3),
    row("more than fits into memory", lambda api: api.zeros(2**50), 0),
    row("no arguments to tensor", lambda api: api.tensor(), 0),
    row("array of strings", lambda api: api.tensor(np.array(["a"])), 5),
    row("array of objects", lambda api: api.from_numpy(np.array([object()])), 5),
    row("from_numpy of a list", lambda api: api.from_numpy([1]), 4),
    row("negative stride", lambda api: api.from_numpy(np.arange(3)[::-1]), 10),
    row("another byte order", lambda api: api.from_numpy(np.arange(3, dtype=">i4")), 10),
    row("no size", lambda api: api.zeros(), 0),
    row("negative size", lambda api: api.zeros(-1), 6),
    row("float size", lambda api: api.zeros(2.5), 3),
    row("float size in a tuple", lambda api: api.zeros((2, 2.5)), 3),
    row("size too large", lambda api: api.empty(2**40, 2**40), 3),
    row("full without a tuple", lambda api: api.full(2, 1.0), 3),
    row("arange in the wrong direction", lambda api: api.arange(5, 1), 8),
    row("arange with step 0", lambda api: api.arange(0, 5, 0), 4),
    row("arange to infinity", lambda api: api.arange(float("inf")), 2),
    row("arange of nothing", lambda api: api.arange(), 0),
    row("eye of a negative", lambda api: api.eye(-1), 6),
    row("zeros_like a list", lambda api: api.zeros_like([1]), 8),
    row("randn of integers", lambda api: api.randn(2, dtype=api.int64), 4),
    row("randint without room", lambda api: api.randint(3, 3, (2,)), 4),
    row("randint without a size", lambda api: api.randint(3), 0),
    row("randperm of a negative", lambda api: api.randperm(-1), 0),
    row("bernoulli beyond 1", lambda api: api.bernoulli(api.tensor([1.5])), 4),
    row("multinomial of negative weights", lambda api: api.multinomial(api.tensor([-1.0, 2.0]), 1), 5),
    row("multinomial of too many", lambda api: api.multinomial(api.tensor([0.5, 0.5]), 3), 4),
    row("uniform_ backwards", lambda api: api.zeros(2).uniform_(2.0, 1.0), 2),
    row("normal_ of negative std", lambda api: api.zeros(2).normal_(0.0, -1.0), 3),
    row("set_default_dtype to an integer", lambda api: api.set_default_dtype(api.int64), 5),
    row("manual_seed of a word", lambda api: api.manual_seed("a"), 3),
]

SHAPES = [
    row("shapes do not broadcast", lambda api: ones(api, 2, 3) + ones(api, 4), 15),
    row("batches do not broadcast", lambda api: ones(api, 2, 3, 4) @ ones(api, 3, 4, 5), 6),
    row("mm of wrong sizes", lambda api: ones(api, 2, 3) @ ones(api, 2, 3), 10),
    row("bmm of wrong sizes", lambda api: ones(api, 2, 3, 4) @ ones(api, 2, 5, 6), 8),
    row("mv of wrong sizes", lambda api: ones(api, 2, 3) @ ones(api, 2), 4),
    row("dot of wrong sizes", lambda api: ones(api, 2) @ ones(api, 3), 4),
    row("vector by matrix of wrong sizes", lambda api: ones(api, 2) @ ones(api, 3, 2), 10),
    row("batch by vector of wrong sizes", lambda api: ones(api, 2, 3, 4) @ ones(api, 3), 4),
    row("matmul of 0-d", lambda api: api.tensor(1.0) @ ones(api, 2), 9),
    row("matmul of a number", lambda api: ones(api, 2) @ 2, 5),
    row("matmul of a list", lambda api: api.matmul(ones(api, 2), [1, 2]), 8),
    row("matmul of two dtypes", lambda api: ones(api, 2, 2) @ ones(api, 2, 2, dtype=api.int64), 9),
    row("mv of two dtypes", lambda api: ones(api, 2, 2) @ ones(api, 2, dtype=api.int64), 9),
    row("dot of two dtypes", lambda api: ones(api, 2) @ ones(api, 2, dtype=api.int64), 9),
    row("matmul of bools", lambda api: ones(api, 2, 2, dtype=api.bool) @ ones(api, 2, 2, dtype=api.bool), 0),
    row("mm of a vector", lambda api: api.mm(ones(api, 2), ones(api, 2, 2)), 5),
    row("mm of a batch", lambda api: api.mm(ones(api, 2, 2), ones(api, 2, 2, 2)), 5),
    row("reshape to another size", lambda api: ones(api, 2, 3).reshape(4), 8),
    row("reshape with two -1", lambda api: ones(api, 2, 3).reshape(-1, -1), 5),
    row("reshape with -2", lambda api: ones(api, 2, 3).reshape(-2), 4),
    row("reshape of nothing with -1", lambda api: api.zeros(0, 2).reshape(0, -1), 10),
    row("reshape of floats", lambda api: ones(api, 2, 3).reshape(2.0, 3), 1),
    row("view of a transpose", lambda api: ones(api, 2, 3).t().view(6), 10),
    row("permute of too few", lambda api: ones(api, 2, 3).permute(0), 5),
    row("permute twice the same", lambda api: ones(api, 2, 3).permute(0, 0), 6),
    row("transpose beyond", lambda api: ones(api, 2, 3).transpose(0, 2), 12),
    row("t of a batch", lambda api: ones(api, 2, 3, 4).t(), 10),
    row("mT of a vector", lambda api: ones(api, 2).mT, 5),
    row("unsqueeze beyond", lambda api: ones(api, 2).unsqueeze(3), 12),
    row("squeeze beyond", lambda api: ones(api, 2).squeeze(1), 12),
    row("expand of a size", lambda api: ones(api, 2).expand(3), 12),
    row("expand to fewer", lambda api: ones(api, 2, 3).expand(3), 0),
    row("expand a new -1", lambda api: ones(api, 2).expand(-1, 2), 8),
    row("sum beyond", lambda api: ones(api, 2).sum(1), 12),
    row("nansum beyond, of a leaf as integers", lambda api: leaf(api).nansum(1, dtype=api.int64), 12),
    row("sum twice the same", lambda api: ones(api, 2).sum((0, -1)), 10),
    row("sum over a string", lambda api: ones(api, 2).sum("a"), 0),
    row("mean of integers", lambda api: api.tensor([1, 2]).mean(), 14),
    row("max of nothing", lambda api: api.zeros(0).max(), 9),
    row("max of nothing along a dim", lambda api: api.zeros(2, 0).max(1), 8),
    row("argmax of nothing", lambda api: api.zeros(0).argmax(), 9),
    row("argmax of nothing along a dim", lambda api: api.zeros(2, 0).argmax(1), 8),
    row("softmax of integers", lambda api: api.tensor([1, 2]).softmax(0), 3),
    row("running sums as bools", lambda api: leaf(api).cumsum(0, dtype=api.bool), 5),
    row("running products as bools", lambda api: ones(api, 2).cumprod(0, dtype=api.bool), 5),
    row("running sums of nothing", lambda api: api.zeros(0, requires_grad=True).cumsum(0, dtype=api.bool), 5),
    row("unflatten into nothing", lambda api: ones(api, 2).unflatten(0, ()), 5),
    row("softmax without dim", lambda api: ones(api, 2).softmax(), 0),
    row("size beyond", lambda api: ones(api, 2).size(1), 12),
    row("size of 0-d", lambda api: api.tensor(1.0).size(0), 8),
    row("stride beyond", lambda api: ones(api, 2).stride(1), 12),
    row("bmm of bools by floats", lambda api: ones(api, 1, 2, 2, dtype=api.bool).bmm(ones(api, 1, 2, 2)), 4),
    row("negative of bools", lambda api: -api.tensor([True]), 8),
    row("difference of bools", lambda api: api.tensor([True]) - api.tensor([True]), 9),
    row("inverse of floats", lambda api: ~ones(api, 2), 4),
    row("and of floats", lambda api: ones(api, 2) & ones(api, 2), 3),
    row("integer to a negative power", lambda api: api.tensor([2]) ** -1, 8),
    row("isclose of two dtypes", lambda api: api.isclose(ones(api, 2), api.tensor([1, 1])), 4),
    row("isclose of shapes that do not broadcast", lambda api: api.isclose(ones(api, 2), ones(api, 3)), 15),
    row("equal to a list", lambda api: ones(api, 2).equal([1, 1]), 8),
    row("a sum with a string", lambda api: ones(api, 2) + "a", 4),
    row("a sum with None", lambda api: ones(api, 2) + None, 4),
    row("a sum with a list", lambda api: operator.add(ones(api, 2), [1, 2]), 4),
    row("torch.add of an array", lambda api: api.add(ones(api, 2), np.ones(2)), 8),
    row("add_ of an array", lambda api: ones(api, 2).add_(np.ones(2)), 8),
    row("torch.exp of a number", lambda api: api.exp(1.0), 8),
    row("torch.exp of a list", lambda api: api.exp([1.0]), 8),
    row("torch.sum of a number", lambda api: api.sum(1.0), 0),
    row("comparison with a string", lambda api: ones(api, 2) < "a", 5),
    row("comparison with an int too large", lambda api: ones(api, 2) < 2**70, 5),
    row("comparison with an int too small", lambda api: ones(api, 2) > -(2**63) - 1, 5),
    row("comparison of ints with one too large", lambda api: ones(api, 2).long() == 2**64, 5),
    row("a sum with an int too large", lambda api: ones(api, 2) + 2**70, 5),
    row("a difference from an int too large", lambda api: 2**70 - ones(api, 2), 5),
    row("a product of ints with one too small", lambda api: ones(api, 2).long() * -(2**70), 5),
    row("a power too large", lambda api: ones(api, 2) ** 2**70, 5),
    row("an int too large to be filled in", lambda api: ones(api, 2).fill_(2**70), 5),
]

ONE_ELEMENT = [
    row("item of two", lambda api: ones(api, 2).item(), 10),
    row("item of none", lambda api: api.zeros(0).item(), 10),
    row("bool of two", lambda api: bool(ones(api, 2)), 10),
    row("bool of none", lambda api: bool(api.zeros(0)), 9),
    row("int of two", lambda api: int(ones(api, 2)), 0),
    row("float of two", lambda api: float(ones(api, 2)), 0),
    row("int of nan", lambda api: int(api.tensor(float("nan"))), 5),
    row("index of a float", lambda api: [1, 2][api.tensor(1.0)], 8),
    row("index of two", lambda api: [1, 2][api.tensor([1, 0])], 8),
    row("range of a float", lambda api: range(api.tensor(1.0)), 8),
    row("len of 0-d", lambda api: len(api.tensor(1.0)), 5),
    row("iteration over 0-d", lambda api: list(api.tensor(1.0)), 5),
    row("format of two", lambda api: format(ones(api, 2), ".2f"), 5),
    row("format of an int as a word", lambda api: format(api.tensor(1), "s"), 4),
    row("numpy of a leaf", lambda api: leaf(api).numpy(), 11),
    row("numpy of a result", lambda api: (leaf(api) * 2).numpy(), 11),
    row("asarray of a leaf", lambda api: np.asarray(leaf(api)), 11),
    row("constructor", lambda api: api.Tensor("abc"), 0),
    row("unknown attribute", lambda api: ones(api, 2).nonsense, 5),
]

INDEXING = [
    row("int beyond", lambda api: ones(api, 2)[2], 11),
    row("negative int beyond", lambda api: ones(api, 2)[-3], 11),
    row("second int beyond", lambda api: ones(api, 2, 3)[0, 3], 11),
    row("too many", lambda api: ones(api, 2)[0, 0], 7),
    row("into 0-d", lambda api: api.tensor(1.0)[0], 7),
    row("negative step", lambda api: ones(api, 2)[::-1], 5),
    row("step 0", lambda api: ones(api, 2)[::0], 0),
    row("float", lambda api: ones(api, 2)[1.5], 10),
    row("string", lambda api: ones(api, 2)["a"], 4),
    row("float tensor", lambda api: ones(api, 2)[ones(api, 2)], 9),
    row("mask of another size", lambda api: ones(api, 2)[api.tensor([True, False, True])], 7),
    row("tensor beyond", lambda api: ones(api, 2)[api.tensor([0, 2])], 11),
    row("list beyond", lambda api: ones(api, 2)[[0, 5]], 11),
    row("tensors that do not broadcast", lambda api: ones(api, 3, 3)[api.tensor([0, 1]), api.tensor([0, 1, 2])], 8),
    row("write beyond", lambda api: ones(api, 2).__setitem__(5, 0), 11),
    row("write of a wrong shape", lambda api: ones(api, 2, 3).__setitem__(0, ones(api, 2)), 6),
    row("write of a wrong shape by tensors", lambda api: ones(api, 3).__setitem__([0, 1], ones(api, 3)), 2),
    row("write of a string", lambda api: ones(api, 2).__setitem__(0, "a"), 3),
    row("write of None", lambda api: ones(api, 2).__setitem__(0, None), 3),
    row("write to a leaf", lambda api: leaf(api).__setitem__(0, 1.0), 12),
    row("write with a negative step", lambda api: ones(api, 2).__setitem__(slice(None, None, -1), 0), 5),
    row("write of an int too large, beyond", lambda api: ones(api, 2).__setitem__(5, 2**63), 5),
    row("write to a leaf, beyond", lambda api: leaf(api).__setitem__(5, 1.0), 11),
    row("write to a leaf by floats", lambda api: leaf(api).__setitem__(ones(api, 1), 1.0), 12),
    row("write to a leaf by another mask", lambda api: leaf(api).__setitem__(api.tensor([True]), 1.0), 12),
    row("write to a leaf of another dtype", lambda api: leaf(api).__setitem__([0], api.ones(1).long()), 12),
    row("write of a wrong shape, beyond", lambda api: ones(api, 3).__setitem__([0, 5], ones(api, 3)), 2),
    row("int beyond beside a wrong mask", lambda api: ones(api, 2, 3)[api.tensor([True]), 5], 11),
    row("index_select by a matrix", lambda api: ones(api, 3).index_select(0, api.zeros(1, 1).long()), 7),
    row("index_select by floats", lambda api: ones(api, 3).index_select(0, ones(api, 1)), 8),
    row("index_select by two floats from 0-d", lambda api: api.tensor(1.0).index_select(0, ones(api, 2)), 10),
    row("index_select by a list along no dim", lambda api: ones(api, 3).index_select(5, [0]), 8),
    row("index_select beyond", lambda api: ones(api, 3).index_select(0, api.tensor([3])), 5),
    row("index_select from the end", lambda api: ones(api, 3, 3).index_select(1, api.tensor([-1])), 7),
    row("index_select from nothing", lambda api: api.zeros(0, 3).index_select(0, api.tensor([0])), 8),
]

BACKWARD = [
    row("no graph", lambda api: ones(api, 2).sum().backward(), 13),
    row("under no_grad", lambda api: api.no_grad()(lambda: leaf(api) * 2)().sum().backward(), 13),
    row("not a scalar", lambda api: (leaf(api) * 2).backward(), 8),
    row("nothing at all", lambda api: (leaf(api)[:0] * 2).backward(), 8),
    row("twice", used_up, 12),
    row("gradient of another shape", lambda api: (leaf(api) * 2).backward(ones(api, 2)), 8),
    row("gradient is a number", lambda api: (leaf(api) * 2).backward(1.0), 0),
    row("gradient is a list", lambda api: (leaf(api) * 2).backward([1.0, 1.0, 1.0]), 0),
    row("inputs are empty", lambda api: leaf(api).sum().backward(inputs=[]), 5),
    row("grad of what does not require it", lambda api: api.autograd.grad(leaf(api).sum(), ones(api, 2)), 8),
    row("grad of what was not used", lambda api: api.autograd.grad(leaf(api).sum(), leaf(api)), 13),
    row("grad of a non-scalar", lambda api: api.autograd.grad(leaf(api) * 2, leaf(api)), 8),
    row("grad of no graph", lambda api: api.autograd.grad(ones(api, 2).sum(), leaf(api)), 13),
    row("too many grad_outputs", lambda api: api.autograd.grad(leaf(api).sum(), leaf(api), [None, None]), 0),
    row("written over", overwritten, 14),
    row("in place on a leaf", lambda api: leaf(api).add_(1), 12),
    row("fill_ on a leaf", lambda api: leaf(api).fill_(1), 12),
    row("zero_ on a leaf", lambda api: leaf(api).zero_(), 12),
    row("copy_ on a leaf", lambda api: leaf(api).copy_(ones(api, 3)), 12),
    row("in place on a view of a leaf", lambda api: leaf(api)[0].add_(1), 4),
    row("in place with a larger shape", lambda api: ones(api, 1).add_(ones(api, 3)), 10),
    row("in place with a higher dtype", lambda api: api.tensor([1]).add_(1.5), 10),
    row("in place division of integers", lambda api: api.tensor([1]).div_(2), 10),
    row("copy_ of a wrong shape", lambda api: ones(api, 2).copy_(ones(api, 3)), 9),
    row("copy_ of a string", lambda api: ones(api, 2).copy_("a"), 4),
    row("fill_ with a string", lambda api: ones(api, 2).fill_("a"), 0),
    row("requires_grad of integers", lambda api: api.tensor([1]).requires_grad_(), 8),
    row("requires_grad = a number", lambda api: setattr(ones(api, 2), "requires_grad", 1), 5),
    row("requires_grad of a result off", lambda api: (leaf(api) * 2).requires_grad_(False), 15),
    row("grad = a number", lambda api: setattr(leaf(api), "grad", 1.0), 5),
    row("grad of another shape", lambda api: setattr(leaf(api), "grad", ones(api, 2)), 9),
    row("grad of another dtype", lambda api: setattr(leaf(api), "grad", ones(api, 3).double()), 7),
    row("is_leaf = True", lambda api: setattr(leaf(api), "is_leaf", True), 0),
    row("shape = a tuple", lambda api: setattr(leaf(api), "shape", (3,)), 0),
]

LAYERS = [
    row("linear of a wrong size", lambda api: api.nn.Linear(2, 3)(ones(api, 4, 5)), 10),
    row("linear of a wrong vector", lambda api: api.nn.Linear(2, 3)(ones(api, 5)), 10),
    row("linear of 0-d", lambda api: api.nn.Linear(2, 3)(api.tensor(1.0)), 9),
    row("linear of integers", lambda api: api.nn.Linear(2, 3)(ones(api, 4, 2, dtype=api.int64)), 8),
    row(
        "linear of integers, no bias", lambda api: api.nn.Linear(2, 3, bias=False)(ones(api, 4, 2, dtype=api.int64)), 8
    ),
    row("linear of doubles", lambda api: api.nn.Linear(2, 3)(ones(api, 4, 2).double()), 8),
    row("linear of a list", lambda api: api.nn.Linear(2, 3)([1.0, 2.0]), 8),
    row("linear of a negative size", lambda api: api.nn.Linear(-1, 3), 6),
    row("linear of a float size", lambda api: api.nn.Linear(2.5, 3), 0),
    row("linear without sizes", lambda api: api.nn.Linear(), 0),
    row("linear weight of rank 3", lambda api: api.nn.functional.linear(ones(api, 2, 3), ones(api, 2, 3, 4)), 8),
    row(
        "linear bias of a wrong size",
        lambda api: api.nn.functional.linear(ones(api, 2, 3), ones(api, 4, 3), ones(api, 5)),
        6,
    ),
    row("id too large", lambda api: api.nn.Embedding(4, 5)(api.tensor([4])), 6),
    row("id negative", lambda api: api.nn.Embedding(4, 5)(api.tensor([-1])), 6),
    row("ids as floats", lambda api: api.nn.Embedding(4, 5)(api.tensor([1.0])), 20),
    row("ids as bools", lambda api: api.nn.Embedding(4, 5)(api.tensor([True])), 20),
    row("ids as bytes", lambda api: api.nn.Embedding(4, 5)(api.tensor([1], dtype=api.uint8)), 20),
    row("ids as a list", lambda api: api.nn.Embedding(4, 5)([1]), 8),
    row("ids as an int", lambda api: api.nn.Embedding(4, 5)(1), 8),
    row("embedding weight of rank 1", lambda api: api.nn.functional.embedding(api.tensor([0]), ones(api, 3)), 4),
    row("padding_idx too large", lambda api: api.nn.Embedding(4, 5, padding_idx=4), 5),
    row("padding_idx too small", lambda api: api.nn.Embedding(4, 5, padding_idx=-5), 5),
    row(
        "functional padding_idx",
        lambda api: api.nn.functional.embedding(api.tensor([0]), ones(api, 3, 2), padding_idx=3),
        5,
    ),
    row("weight of another shape", lambda api: api.nn.Embedding(4, 5, _weight=ones(api, 4, 4)), 7),
    row("from_pretrained of a vector", lambda api: api.nn.Embedding.from_pretrained(ones(api, 4)), 7),
    row("embedding of a negative size", lambda api: api.nn.Embedding(-1, 3), 6),
    row("one_hot of floats", lambda api: api.nn.functional.one_hot(api.tensor([1.0])), 9),
    row("one_hot of int32", lambda api: api.nn.functional.one_hot(api.tensor([1], dtype=api.int32)), 9),
    row("one_hot of a negative", lambda api: api.nn.functional.one_hot(api.tensor([-1])), 5),
    row("one_hot too large", lambda api: api.nn.functional.one_hot(api.tensor([3]), 3), 7),
    row("one_hot of nothing", lambda api: api.nn.functional.one_hot(api.zeros(0, dtype=api.int64)), 10),
    row("one_hot of 0 classes", lambda api: api.nn.functional.one_hot(api.tensor([0]), 0), 5),
    row("one_hot of -2 classes", lambda api: api.nn.functional.one_hot(api.tensor([0]), -2), 5),
    row("one_hot of a list", lambda api: api.nn.functional.one_hot([0]), 0),
    row("one_hot classes as a float", lambda api: api.nn.functional.one_hot(api.tensor([0]), 2.0), 0),
    row("Parameter of a list", lambda api: api.nn.Parameter([1.0]), 0),
    row("Parameter of integers", lambda api: api.nn.Parameter(api.tensor([1])), 8),
    row("kaiming of a vector", lambda api: api.nn.init.kaiming_uniform_(ones(api, 3)), 14),
    row("kaiming of an unknown mode", lambda api: api.nn.init.kaiming_uniform_(ones(api, 3, 3), mode="fan"), 4),
    row("unknown nonlinearity", lambda api: api.nn.init.calculate_gain("nonsense"), 2),
]

MODULES = [
    row("no forward", lambda api: api.nn.Module()(1), 8),
    row("no attribute", lambda api: model(api).nonsense, 6),
    row("parameter before init", lambda api: uninitialised(api, api.nn.Parameter(api.ones(2))), 6),
    row("module before init", lambda api: uninitialised(api, api.nn.Linear(1, 1)), 6),
    row("tensor as parameter", lambda api: setattr(model(api), "scale", api.ones(2)), 8),
    row("number as parameter", lambda api: setattr(model(api), "scale", 2.0), 8),
    row("tensor as module", lambda api: setattr(model(api), "decoder", api.ones(2)), 8),
    row("train of a word", lambda api: model(api).train("yes"), 6),
    row("deleting nothing", lambda api: delattr(model(api), "nonsense"), 3),
    row("missing key", lambda api: load(api, lambda state: state.pop("scale")), 9),
    row("unexpected key", lambda api: load(api, lambda state: state.update(other=api.ones(1))), 9),
    row("both", lambda api: load(api, lambda state: state.update(other=state.pop("scale"))), 14),
    row("size mismatch", lambda api: load(api, lambda state: state.update(scale=api.ones(3))), 25),
    row("not a dict", lambda api: model(api).load_state_dict([1]), 5),
    row("not a tensor", lambda api: load(api, lambda state: state.update(scale=3.0)), 8),
]


@pytest.mark.parametrize(("call", "words"), [*CREATION, *SHAPES, *ONE_ELEMENT, *INDEXING, *BACKWARD, *LAYERS, *MODULES])
def test_error_is_pytorchs(call: Call, words: int) -> None:
    generator = minigrad.default_generator.clone_state()
    wanted, got = outcome(lambda: call(torch)), outcome(lambda: call(minigrad))
    for slot in generator.__slots__:
        setattr(minigrad.default_generator, slot, getattr(generator, slot))
    assert isinstance(wanted, Raised), f"PyTorch returned {wanted!r}: not a wrong call"
    assert isinstance(got, Raised), f"minigrad returned {got!r}, PyTorch raised {wanted.error!r}"
    assert type(wanted.error).__name__ == type(got.error).__name__, f"{wanted.error!r}, {got.error!r}"
    assert leading(got.error, words) == leading(wanted.error, words)


def leading(error: Exception, words: int) -> list[str]:
    """The first words of a message, without the punctuation that ends a sentence."""
    return [word.rstrip(".,:;") for word in str(error).split()[:words]]
