"""Optimisers keep to the formulas of the papers, and parameters, states and errors behave as one would expect.

The oracle is float64 NumPy, written from the formulas; it knows nothing of blocks, buffers and sparse gradients.
"""

from __future__ import annotations

import copy
import gc
import pickle
import re
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cases_optim import NUMBERS, OPTIMIZERS, REFUSED, REFUSED_HERE, options_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import Array, arrays

import minigrad as torch
from minigrad.optim import lr_scheduler, rules

Gradients = Iterator[Array]


# ---- the formulas ----------------------------------------------------------------------------------------------------


def sgd(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    b = None
    for gradient in gradients:
        d = g = (-gradient if o["maximize"] else gradient) + o["weight_decay"] * w
        if o["momentum"]:
            b = g if b is None else o["momentum"] * b + (1 - o["dampening"]) * g
            d = g + o["momentum"] * b if o["nesterov"] else b
        w = w - lr * d
    return w


def adam(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    m = v = largest = np.zeros_like(w)
    beta1, beta2 = o["betas"]
    for t, gradient in enumerate(gradients, 1):
        g = -gradient if o["maximize"] else gradient
        if o["decoupled_weight_decay"]:
            w = w * (1 - lr * o["weight_decay"])
        else:
            g = g + o["weight_decay"] * w
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        largest = np.maximum(largest, v)
        second = (largest if o["amsgrad"] else v) / (1 - beta2**t)
        w = w - lr * m / (1 - beta1**t) / (np.sqrt(second) + o["eps"])
    return w


def adamw(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    return adam(w, gradients, lr, decoupled_weight_decay=True, **o)


def adagrad(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    total = np.full_like(w, o["initial_accumulator_value"])
    for t, gradient in enumerate(gradients):
        g = (-gradient if o["maximize"] else gradient) + o["weight_decay"] * w
        total = total + g**2
        w = w - lr / (1 + t * o["lr_decay"]) * g / (np.sqrt(total) + o["eps"])
    return w


def rmsprop(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    v = a = b = np.zeros_like(w)
    for gradient in gradients:
        g = (-gradient if o["maximize"] else gradient) + o["weight_decay"] * w
        v = o["alpha"] * v + (1 - o["alpha"]) * g**2
        a = o["alpha"] * a + (1 - o["alpha"]) * g
        scaled = g / (np.sqrt(v - a**2 if o["centered"] else v) + o["eps"])
        b = o["momentum"] * b + scaled
        w = w - lr * (b if o["momentum"] else scaled)
    return w


def adadelta(w: Array, gradients: Gradients, lr: float, **o: Any) -> Array:
    v = u = np.zeros_like(w)
    for gradient in gradients:
        g = (-gradient if o["maximize"] else gradient) + o["weight_decay"] * w
        v = o["rho"] * v + (1 - o["rho"]) * g**2
        d = np.sqrt((u + o["eps"]) / (v + o["eps"])) * g
        u = o["rho"] * u + (1 - o["rho"]) * d**2
        w = w - lr * d
    return w


FACTORS, SWITCH = st.sampled_from([0.0, 0.1, 0.5, 0.9]), st.booleans()
EPS = st.sampled_from([1e-8, 0.1])
COMMON = {"weight_decay": st.sampled_from([0.0, 0.1]), "maximize": SWITCH}
ADAM = COMMON | {"betas": st.tuples(FACTORS, FACTORS), "eps": EPS, "amsgrad": SWITCH}
RULES: dict[str, tuple[Callable[..., Array], dict[str, Any]]] = {
    "SGD": (sgd, COMMON | {"momentum": FACTORS, "dampening": FACTORS, "nesterov": SWITCH}),
    "Adam": (adam, ADAM | {"decoupled_weight_decay": SWITCH}),
    "AdamW": (adamw, ADAM),
    "Adagrad": (adagrad, COMMON | {"lr_decay": FACTORS, "initial_accumulator_value": FACTORS, "eps": EPS}),
    "Adadelta": (adadelta, COMMON | {"rho": FACTORS, "eps": st.just(1e-6)}),
    "RMSprop": (
        rmsprop,
        COMMON | {"alpha": st.sampled_from([0.5, 0.9, 0.99]), "eps": EPS, "momentum": FACTORS, "centered": SWITCH},
    ),
}
DENSE = sorted(RULES)
SPARSE = ["SGD", "Adagrad", "SparseAdam"]


def leaf(array: Array) -> Any:
    return torch.from_numpy(array).requires_grad_()


def made(name: str, params: Any, **options: Any) -> Any:
    return getattr(torch.optim, name)(params, **options)


def moved(optimizer: Any, gradients: Gradients) -> Any:
    """The one parameter of the optimiser after a step for each gradient."""
    (parameter,) = optimizer.param_groups[0]["params"]
    for gradient in gradients:
        parameter.grad = torch.from_numpy(np.array(gradient))
        optimizer.step()
    return parameter


def test_every_rule_has_an_oracle() -> None:
    assert {*RULES, "SparseAdam"} == {*OPTIMIZERS}
    assert {*OPTIMIZERS, "Optimizer", "lr_scheduler"} == {*torch.optim.__all__}


@pytest.mark.parametrize("name", DENSE)
@given(data=st.data())
def test_ten_steps_follow_the_formula(name: str, data: st.DataObject) -> None:
    oracle, options = RULES[name]
    start = data.draw(arrays(dtype="float64"))
    gradients = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal((10, *start.shape))
    drawn = {option: data.draw(values) for option, values in options.items()}
    if drawn.get("nesterov"):
        drawn |= {"momentum": drawn["momentum"] or 0.9, "dampening": 0.0}
    with np.errstate(all="ignore"):
        expected = oracle(start.copy(), gradients, 0.01, **drawn)
    actual = moved(made(name, [leaf(start.copy())], lr=0.01, **drawn), gradients)
    np.testing.assert_allclose(actual.detach().numpy(), expected, rtol=1e-9, atol=1e-9)


# ---- sparse gradients ------------------------------------------------------------------------------------------------


def lookup_steps(name: str, start: Array, batches: list[list[int]], sparse: bool, **options: Any) -> Array:
    """The table after a step for each batch of lookups."""
    table = torch.nn.Embedding.from_pretrained(torch.from_numpy(start.copy()), freeze=False, sparse=sparse)
    optimizer = made(name, table.parameters(), **options)
    for batch in batches:
        optimizer.zero_grad()
        (table(torch.tensor(batch)) ** 2).sum().backward()
        optimizer.step()
    return np.asarray(table.weight.detach().numpy())


BATCHES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"maximize": True}),
        ("SGD", {"momentum": 0.9}),
        ("SGD", {"momentum": 0.9, "dampening": 0.5}),
        ("SGD", {"momentum": 0.9, "nesterov": True, "maximize": True}),
        ("Adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.5}),
        ("Adagrad", {"maximize": True}),
    ],
)
@given(batches=BATCHES)
def test_sparse_gradients_move_as_dense_ones_do(name: str, options: dict[str, Any], batches: list[list[int]]) -> None:
    start = np.linspace(1.0, 2.0, 15).reshape(5, 3)
    by_rows, by_all = [lookup_steps(name, start, batches, sparse, lr=0.05, **options) for sparse in (True, False)]
    np.testing.assert_allclose(by_rows, by_all, rtol=1e-12)


@given(batches=BATCHES)
def test_sparse_adam_is_adam_of_each_row_with_a_common_clock(batches: list[list[int]]) -> None:
    start = np.linspace(1.0, 2.0, 15).reshape(5, 3)
    actual = lookup_steps("SparseAdam", start, batches, True, lr=0.05, betas=(0.5, 0.75))
    w, m, v = start.copy(), np.zeros((5, 3)), np.zeros((5, 3))
    for t, batch in enumerate(batches, 1):
        for row in set(batch):
            g = 2 * w[row] * batch.count(row)
            m[row] = 0.5 * m[row] + 0.5 * g
            v[row] = 0.75 * v[row] + 0.25 * g**2
            w[row] -= 0.05 * np.sqrt(1 - 0.75**t) / (1 - 0.5**t) * m[row] / (np.sqrt(v[row]) + 1e-8)
    np.testing.assert_allclose(actual, w, rtol=1e-12)


@pytest.mark.parametrize("name", SPARSE)
def test_other_rows_are_neither_read_nor_written(name: str) -> None:
    # Of a table in memory that is taken when it is touched, 40 MB of 2 GB may be: a full pass could not be.
    rows = 2**25
    parameter = torch.zeros(rows, 16, dtype=torch.float32, requires_grad=True)
    optimizer = made(name, [parameter], lr=1.0)
    tracemalloc.start()
    for _ in range(2):
        ids = torch.randint(0, rows, (100,), generator=torch.Generator().manual_seed(0))
        parameter.grad = None
        torch.nn.functional.embedding(ids, parameter, sparse=True).sum().backward()
        optimizer.step()
    states = 2 * (name == "SparseAdam")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < states * parameter.nbytes + 10**6
    assert parameter[ids].detach().amax() < 0


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Adam", {}, "Adam does not support sparse gradients, please consider SparseAdam instead"),
        ("AdamW", {}, "Adam does not support sparse gradients, please consider SparseAdam instead"),
        ("RMSprop", {}, "RMSprop does not support sparse gradients"),
        ("SGD", {"weight_decay": 0.1}, "add\\(sparse, dense\\) is not supported"),
        ("Adagrad", {"weight_decay": 0.1}, "weight_decay option is not compatible with sparse gradients"),
    ],
)
def test_a_step_that_raises_has_moved_nothing(name: str, options: dict[str, Any], words: str) -> None:
    first = leaf(np.ones(2))
    table = torch.nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False, sparse=True)
    first.grad = torch.ones(2, dtype=torch.float64)
    table(torch.tensor([1])).sum().backward()
    optimizer = made(name, [{"params": [first]}, {"params": table.parameters()}], **options)
    before = copy.deepcopy(optimizer.state_dict())
    with pytest.raises(RuntimeError, match=words):
        optimizer.step()
    assert torch.equal(first, torch.ones(2, dtype=torch.float64))
    assert first._version == 0
    assert repr(optimizer.state_dict()) == repr(before)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("SGD", "lr", "0.1"),
        ("SGD", "momentum", None),
        ("Adam", "lr", None),
        ("Adam", "betas", 0.9),
        ("RMSprop", "eps", []),
    ],
)
def test_a_wrong_option_of_the_second_group_moves_nothing(name: str, option: str, value: object) -> None:
    first, second = leaf(np.ones(2)), leaf(np.ones(2))
    for parameter in (first, second):
        parameter.grad = torch.ones(2, dtype=torch.float64)
    with pytest.raises(TypeError):
        made(name, [{"params": [first]}, {"params": [second], option: value}])
    optimizer = made(name, [{"params": [first]}, {"params": [second]}])
    optimizer.param_groups[1][option] = value
    with pytest.raises(TypeError):
        optimizer.step()
    assert first._version == 0
    assert not optimizer.state


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "Adadelta", "SparseAdam"])
def test_an_interrupted_first_step_can_be_taken_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weight, whole = leaf(np.ones((3, 2))), rules.filled_like
    options = {"momentum": 0.9, "centered": True} if name == "RMSprop" else {}
    optimizer = made(name, [weight], **options)
    torch.nn.functional.embedding(torch.tensor([1]), weight, sparse=name == "SparseAdam").sum().backward()
    calls = iter([None, KeyboardInterrupt])

    def interrupted(*args: Any) -> Any:
        if next(calls, None):
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr(rules, "filled_like", interrupted)
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert torch.equal(weight, torch.ones(3, 2, dtype=torch.float64))
    optimizer.step()
    assert weight[1, 0] < 1


# ---- parameters ------------------------------------------------------------------------------------------------------


def in_memory(way: str, generator: np.random.Generator) -> Array:
    """A float32 array of more than two blocks that lies in memory in one of several ways."""
    drawn = generator.standard_normal((2, 300, 502)).astype("float32")
    return {
        "flat": drawn.reshape(-1),
        "rows": drawn[0],
        "columns": drawn[0].T,
        "every other": drawn[:, ::2],
        "turned": drawn.transpose(1, 0, 2),
        "one long row": drawn.reshape(1, -1),
        "reversed dimensions": drawn.T,
    }[way]


@pytest.mark.parametrize("name", DENSE)
@pytest.mark.parametrize(
    "way", ["flat", "rows", "columns", "every other", "turned", "one long row", "reversed dimensions"]
)
def test_blocks_make_no_difference(name: str, way: str) -> None:
    generator = np.random.default_rng(0)
    memory = in_memory(way, generator)
    gradients = [generator.standard_normal(memory.shape).astype("float32") for _ in range(2)]
    # Each row alone fits into one block.
    rows = [leaf(row) for row in memory.reshape(-1, 502).copy()]
    options = {"weight_decay": 0.1, "maximize": True}
    small = made(name, rows, lr=0.1, **options)
    for gradient in gradients:
        for row, part in zip(rows, gradient.reshape(-1, 502), strict=True):
            row.grad = torch.from_numpy(part.copy())
        small.step()
    large = moved(made(name, [leaf(memory)], lr=0.1, **options), gradients)
    assert large.shape == memory.shape
    np.testing.assert_array_equal(memory.reshape(-1, 502), np.stack([row.detach().numpy() for row in rows]))


@pytest.mark.parametrize("name", DENSE)
def test_no_temporary_is_as_large_as_a_parameter(name: str) -> None:
    parameter = leaf(np.ones(2**21, "float32"))
    optimizer = made(name, [parameter], lr=0.1, **({"momentum": 0.9} if name in ("SGD", "RMSprop") else {}))
    parameter.grad = torch.ones(2**21)
    optimizer.step()
    tracemalloc.start()
    optimizer.step()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < parameter.nbytes / 5


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
def test_a_step_shows_wherever_the_parameter_is_and_is_seen_by_backward(name: str) -> None:
    memory = np.ones((2, 3))
    parameter = torch.nn.Parameter(torch.from_numpy(memory))
    view, alias = parameter.detach()[0], parameter.data
    kept = (parameter * parameter).sum()
    torch.nn.functional.embedding(torch.tensor([0, 1]), parameter, sparse=name == "SparseAdam").sum().backward()
    gradient = parameter.grad
    version = parameter._version
    made(name, [parameter], lr=0.1).step()
    assert memory.max() < 1
    assert np.array_equal(view.numpy(), memory[0])
    assert np.array_equal(alias.numpy(), memory)
    assert parameter._version > version
    assert parameter.grad is gradient
    assert parameter.is_leaf
    assert parameter.requires_grad
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.backward()


@pytest.mark.parametrize("name", DENSE)
def test_gradients_are_not_changed(name: str) -> None:
    parameter = leaf(np.ones(3))
    parameter.grad = gradient = torch.ones(3, dtype=torch.float64)
    optimizer = made(name, [parameter], lr=0.1, weight_decay=0.1, maximize=True)
    for _ in range(2):
        optimizer.step()
    assert torch.equal(gradient, torch.ones(3, dtype=torch.float64))


@pytest.mark.parametrize("name", ["Adam", "RMSprop"])
def test_an_average_that_remembers_nothing_is_the_gradient(name: str) -> None:
    parameter = leaf(np.ones(1, "float32"))
    options = {"betas": (0.0, 0.5)} if name == "Adam" else {"alpha": 0.0, "centered": True}
    optimizer = made(name, [parameter], **options)
    moved(optimizer, [np.array([gradient], "float32") for gradient in (1e8, 1e-3)])
    average = optimizer.state[parameter]["exp_avg" if name == "Adam" else "grad_avg"]
    assert average.item() == np.float32(1e-3)


def test_a_parameter_that_cannot_be_written_to_stops_the_step_before_it_begins() -> None:
    first, fixed = leaf(np.ones(2)), torch.zeros(1).expand(3).requires_grad_()
    first.grad, fixed.grad = torch.ones(2, dtype=torch.float64), torch.ones(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.optim.Adam([first, fixed]).step()
    assert torch.equal(first, torch.ones(2, dtype=torch.float64))


def test_float16_is_computed_in_float32() -> None:
    # As a float16, 1e-8 would be 0.
    parameter = leaf(np.zeros(2, "float16"))
    parameter.grad = torch.tensor([1.0, 2.0], dtype=torch.float16)
    optimizer = torch.optim.SGD([parameter], lr=1e-8, momentum=0.5)
    optimizer.step()
    assert parameter.detach().abs().tolist() == [0.0, 0.0]
    parameter.grad = torch.tensor([1e4, 2e4], dtype=torch.float16)
    optimizer.step()
    np.testing.assert_allclose(parameter.detach().numpy(), [-1e-4, -2e-4], rtol=1e-3)
    assert parameter.dtype is torch.float16


# ---- closures, hooks, gradients --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DENSE)
def test_a_closure_is_called_once_and_its_loss_returned(name: str) -> None:
    parameter = leaf(np.array([3.0, 4.0]))
    optimizer = made(name, [parameter], lr=0.1)
    calls = []

    def closure() -> Any:
        calls.append(torch.is_grad_enabled())
        optimizer.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 25.0
    assert calls == [True]
    assert (parameter.detach().numpy() < [3.0, 4.0]).all()
    assert optimizer.step() is None


def test_what_a_closure_raises_leaves_all_as_it_was() -> None:
    parameter = leaf(np.ones(2))
    parameter.grad = torch.ones(2, dtype=torch.float64)

    def closure() -> Any:
        raise KeyError("data")

    with pytest.raises(KeyError):
        torch.optim.SGD([parameter], lr=0.1).step(closure)
    assert torch.equal(parameter, torch.ones(2, dtype=torch.float64))


def test_zero_grad() -> None:
    dense, recorded, sparse = leaf(np.ones(2)), leaf(np.ones(2)), leaf(np.ones((3, 2)))
    optimizer = torch.optim.SGD([dense, recorded, sparse])
    optimizer.zero_grad(set_to_none=False)
    assert dense.grad is None
    (dense**2).sum().backward()
    (recorded**2).sum().backward(create_graph=True)
    torch.nn.functional.embedding(torch.tensor([1]), sparse, sparse=True).sum().backward()
    gradients = [dense.grad, recorded.grad, sparse.grad]
    optimizer.zero_grad(set_to_none=False)
    assert [dense.grad, recorded.grad, sparse.grad] == gradients
    assert not recorded.grad.requires_grad
    assert [each.to_dense().abs().sum().item() for each in gradients] == [0.0, 0.0, 0.0]
    optimizer.zero_grad()
    assert [dense.grad, recorded.grad, sparse.grad] == [None, None, None]


def test_options_of_groups_hold_from_the_next_step_on() -> None:
    slow, fast = leaf(np.ones(1)), leaf(np.ones(1))
    optimizer = torch.optim.SGD([{"params": slow, "lr": 0.25}, {"params": [fast]}], lr=0.5)
    for parameter in (slow, fast):
        parameter.grad = torch.ones(1, dtype=torch.float64)
    optimizer.step()
    assert (slow.item(), fast.item()) == (0.75, 0.5)
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.param_groups[1]["maximize"] = True
    optimizer.step()
    assert (slow.item(), fast.item()) == (-0.25, 1.0)


def test_a_group_that_raises_is_not_added_and_not_changed() -> None:
    parameter = leaf(np.ones(1))
    optimizer = torch.optim.SGD([parameter])
    group = {"params": [leaf(np.ones(1)), parameter]}
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        optimizer.add_param_group(group)
    assert list(group) == ["params"]
    assert len(optimizer.param_groups) == 1


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
def test_ways_to_compute_a_step_make_no_difference(name: str) -> None:
    moves = []
    for given_options in ({}, *[{option: True} for option in options_of(name, {"foreach", "fused"})]):
        parameter = torch.ones(4, 2, requires_grad=True)
        optimizer = made(name, [parameter], **given_options)
        for batch in ([0, 1, 1], [1, 3]):
            parameter.grad = None
            rows = torch.nn.functional.embedding(torch.tensor(batch), parameter, sparse=name in SPARSE)
            (rows**2).sum().backward()
            optimizer.step()
        moves.append(parameter.detach().numpy())
    assert all(np.array_equal(each, moves[0]) for each in moves)


@pytest.mark.parametrize("name", {**REFUSED, **REFUSED_HERE})
def test_what_is_refused(name: str) -> None:
    call, kind, words = (REFUSED | REFUSED_HERE)[name]
    with pytest.raises(kind, match=re.escape(words)):
        call(torch)


@pytest.mark.parametrize("name", DENSE)
def test_numbers_may_be_0(name: str) -> None:
    zeros = dict.fromkeys(options_of(name, NUMBERS), 0)
    assert made(name, [leaf(np.ones(1))], **zeros).defaults.items() >= zeros.items()


# What a state dict prints of an optimiser that is given no options.
OF_ADAM = "amsgrad=False maximize=False foreach=None capturable=False differentiable=False fused=None"
DEFAULTS = {
    "SGD": "lr=0.001 momentum=0 dampening=0 weight_decay=0 nesterov=False maximize=False foreach=None "
    "differentiable=False fused=None",
    "Adam": f"lr=0.001 betas=(0.9,0.999) eps=1e-08 weight_decay=0 {OF_ADAM} decoupled_weight_decay=False",
    "AdamW": f"lr=0.001 betas=(0.9,0.999) eps=1e-08 weight_decay=0.01 {OF_ADAM} decoupled_weight_decay=True",
    "Adagrad": "lr=0.01 lr_decay=0 eps=1e-10 weight_decay=0 initial_accumulator_value=0 foreach=None maximize=False "
    "differentiable=False fused=None",
    "RMSprop": "lr=0.01 momentum=0 alpha=0.99 eps=1e-08 centered=False weight_decay=0 capturable=False foreach=None "
    "maximize=False differentiable=False",
    "Adadelta": "lr=1.0 rho=0.9 eps=1e-06 weight_decay=0 maximize=False capturable=False foreach=None "
    "differentiable=False",
    "SparseAdam": "lr=0.001 betas=(0.9,0.999) eps=1e-08 maximize=False",
}


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
def test_defaults_in_the_order_that_is_printed(name: str) -> None:
    optimizer = made(name, [leaf(np.ones(1))])
    (group,) = optimizer.state_dict()["param_groups"]
    assert group.pop("params") == [0]
    assert " ".join(f"{option}={value}".replace(" ", "") for option, value in group.items()) == DEFAULTS[name]
    lines = "".join(f"    {option}: {value}\n" for option, value in sorted(group.items()))
    assert repr(optimizer) == f"{name} (\nParameter Group 0\n{lines})"


# ---- states ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
@pytest.mark.parametrize("way", ["load_state_dict", "pickle", "deepcopy"])
def test_going_on_from_a_saved_state_is_going_on(name: str, way: str) -> None:
    def step(optimizer: Any, batch: list[int]) -> Any:
        (weight,) = optimizer.param_groups[0]["params"]
        weight.grad = None
        rows = torch.nn.functional.embedding(torch.tensor(batch), weight, sparse=name == "SparseAdam")
        (rows**2).sum().backward()
        optimizer.step()
        return weight

    options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    optimizer = made(name, [torch.nn.Parameter(torch.ones(4, 2))], lr=0.1, **options)
    for _ in range(3):
        step(optimizer, [1, 2, 1])
    if way == "load_state_dict":
        (weight,) = optimizer.param_groups[0]["params"]
        later = made(name, [torch.nn.Parameter(weight.detach().clone())], lr=0.5)
        later.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    else:
        later = copy.deepcopy(optimizer) if way == "deepcopy" else pickle.loads(pickle.dumps(optimizer))
    for batch in ([0, 1], [3, 3]):
        assert torch.equal(step(optimizer, batch), step(later, batch))
    assert repr(optimizer) == repr(later)


def test_a_state_of_another_model_is_refused_and_changes_nothing() -> None:
    optimizer = torch.optim.Adam([leaf(np.ones(1)), leaf(np.ones(2))])
    before = repr(optimizer.state_dict())
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optimizer.load_state_dict(torch.optim.Adam([leaf(np.ones(1))], lr=0.5).state_dict())
    groups = [{"params": leaf(np.ones(1))}, {"params": leaf(np.ones(2))}]
    with pytest.raises(ValueError, match="different number of parameter groups"):
        optimizer.load_state_dict(torch.optim.Adam(groups).state_dict())
    state = torch.optim.Adam([leaf(np.ones(1)), leaf(np.ones(2))]).state_dict()
    state["state"] = {1: {"step": torch.tensor(1.0), "exp_avg": torch.ones(3), "exp_avg_sq": torch.ones(3)}}
    with pytest.raises(ValueError, match="'exp_avg' of shape \\(3,\\) for a parameter of shape \\(2,\\)"):
        optimizer.load_state_dict(state)
    assert repr(optimizer.state_dict()) == before


# ---- schedules -------------------------------------------------------------------------------------------------------


def rates(make: Callable[[Any], Any], steps: int, lr: float = 1.0) -> list[float]:
    """The learning rate of each epoch."""
    optimizer = torch.optim.SGD([leaf(np.zeros(1))], lr=lr, momentum=0.9)
    scheduler, found = make(optimizer), []
    for _ in range(steps):
        assert scheduler.get_last_lr() == [optimizer.param_groups[0]["lr"]]
        found += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    return found


CLOSED_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[int], float]]] = {
    "LambdaLR": (lambda o: lr_scheduler.LambdaLR(o, lambda t: 1 / (t + 1)), lambda t: 1 / (t + 1)),
    "StepLR": (lambda o: lr_scheduler.StepLR(o, 3, 0.5), lambda t: 0.5 ** (t // 3)),
    "MultiStepLR": (lambda o: lr_scheduler.MultiStepLR(o, [2, 7], 0.5), lambda t: 0.5 ** ((t >= 2) + (t >= 7))),
    "LinearLR": (lambda o: lr_scheduler.LinearLR(o, 0.5, 1.0, 4), lambda t: 0.5 + min(t, 4) / 8),
    "ExponentialLR": (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda t: 0.9**t),
    "CosineAnnealingLR": (
        lambda o: lr_scheduler.CosineAnnealingLR(o, 5, 0.1),
        lambda t: 0.1 + 0.9 * (1 + np.cos(np.pi * t / 5)) / 2,
    ),
    "OneCycleLR": (
        lambda o: lr_scheduler.OneCycleLR(
            o, 1.0, 21, pct_start=6 / 21, anneal_strategy="linear", div_factor=2.0, final_div_factor=1e12
        ),
        lambda t: 0.5 + t / 10 if t <= 5 else 1 - (t - 5) / 15,
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_schedules_follow_their_formulas(name: str) -> None:
    make, formula = CLOSED_FORMS[name]
    np.testing.assert_allclose(rates(make, 20), [formula(t) for t in range(20)], rtol=1e-9, atol=1e-9)


def test_every_scheduler_has_a_formula() -> None:
    assert {*CLOSED_FORMS, "LRScheduler", "ReduceLROnPlateau"} == {*lr_scheduler.__all__}


def test_a_scheduler_keeps_no_optimizer_alive() -> None:
    optimizer = torch.optim.SGD([leaf(np.zeros(1))])
    gone = weakref.ref(optimizer)
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    gc.disable()
    try:
        del scheduler, optimizer
        assert gone() is None
    finally:
        gc.enable()
