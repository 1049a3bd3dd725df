"""What `programs/optimizers.md` does not show of optimisers: memory, blocks, what a failed step leaves as it was."""

import gc
import inspect
import tracemalloc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from strategies import Array

import minigrad as torch
from minigrad.optim import lr_scheduler, rules

Gradients = Iterator[Array]


DENSE = ["Adadelta", "Adagrad", "Adam", "AdamW", "RMSprop", "SGD"]
SPARSE = ["SGD", "Adagrad", "SparseAdam"]


def options_of(name: str, *of: str) -> list[str]:
    """Those of these options that the optimiser has."""
    return [option for option in inspect.signature(getattr(torch.optim, name)).parameters if option in of]


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


def check_stops(optimizer: Any, kind: type[Exception], words: str | None = None) -> None:
    """A step raises, and leaves the parameters and the state as they were."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]

    def found() -> Any:
        return repr(optimizer.state_dict()), [(each.tolist(), each._version) for each in parameters]

    before = found()
    with pytest.raises(kind, match=words):
        optimizer.step()
    assert found() == before


def two() -> list[Any]:
    """Leaves that have a gradient."""
    leaves = [leaf(np.ones(2)), leaf(np.ones(2))]
    for each in leaves:
        each.grad = torch.ones(2, dtype=torch.float64)
    return leaves


# ---- sparse gradients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPARSE)
def test_other_rows_are_neither_read_nor_written(name: str) -> None:
    # Of a table in memory that is taken when it is touched, 3 MB of 64 MB may be: a full pass could not be.
    for rows in (8, 2**20):
        parameter = torch.zeros(rows, 16, dtype=torch.float32, requires_grad=True)
        optimizer = made(name, [parameter], lr=1.0)
        # The small table is for what a first step imports.
        tracemalloc.start()
        for _ in range(2):
            ids = torch.randint(0, rows, (100,), generator=torch.Generator().manual_seed(0))
            parameter.grad = None
            torch.nn.functional.embedding(ids, parameter, sparse=True).sum().backward()
            optimizer.step()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    states = {"SparseAdam": 2, "Adagrad": 1}.get(name, 0)
    assert peak < (states + 0.05) * parameter.nbytes
    assert parameter[ids].detach().amax() < 0


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Adam", {}, "Adam does not support sparse gradients, please consider SparseAdam instead"),
        ("RMSprop", {}, "RMSprop does not support sparse gradients"),
        ("Adagrad", {"weight_decay": 0.1}, "weight_decay option is not compatible with sparse gradients"),
    ],
)
def test_a_step_that_raises_has_moved_nothing(name: str, options: dict[str, Any], words: str) -> None:
    table = torch.nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False, sparse=True)
    table(torch.tensor([1])).sum().backward()
    check_stops(made(name, [{"params": two()}, {"params": table.parameters()}], **options), RuntimeError, words)


@pytest.mark.parametrize(
    ("name", "option", "value", "steps", "kind"),
    [
        ("SGD", "lr", "0.1", 0, TypeError),
        ("SGD", "momentum", None, 0, TypeError),
        ("Adam", "lr", None, 0, TypeError),
        ("Adam", "betas", 0.9, 0, TypeError),
        ("RMSprop", "eps", [], 0, TypeError),
        ("RMSprop", "momentum", 0.9, 1, KeyError),
        ("RMSprop", "centered", True, 0, NotImplementedError),
        ("Adam", "amsgrad", True, 1, KeyError),
        ("Adam", "betas", (0.9,), 1, ValueError),
    ],
)
def test_an_option_of_the_second_group_that_is_changed_moves_nothing(
    name: str, option: str, value: object, steps: int, kind: type[Exception]
) -> None:
    optimizer = made(name, [{"params": [each]} for each in two()])
    for _ in range(steps):
        optimizer.step()
    optimizer.param_groups[1][option] = value
    check_stops(optimizer, kind)


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "Adadelta", "SparseAdam"])
def test_an_interrupted_first_step_can_be_taken_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weight, whole = leaf(np.ones((3, 2))), rules.filled_like
    options = {"momentum": 0.9} if name == "RMSprop" else {}
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


WAYS = ["flat", "rows", "columns", "every other", "one long row", "reversed dimensions"]


# All rules have the same blocks.
@pytest.mark.parametrize(("name", "way"), [*[(name, "turned") for name in DENSE], *[("Adam", way) for way in WAYS]])
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


def test_an_average_that_remembers_nothing_is_the_gradient() -> None:
    parameter = leaf(np.ones(1, "float32"))
    optimizer = made("Adam", [parameter], betas=(0.0, 0.5))
    moved(optimizer, [np.array([gradient], "float32") for gradient in (1e8, 1e-3)])
    assert optimizer.state[parameter]["exp_avg"].item() == np.float32(1e-3)


def test_a_parameter_that_cannot_be_written_to_stops_the_step_before_it_begins() -> None:
    fixed = torch.zeros(1).expand(3).requires_grad_()
    fixed.grad = torch.ones(3)
    words = "more than one element of the written-to tensor"
    check_stops(torch.optim.Adam([*two(), fixed]), RuntimeError, words)


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


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
def test_ways_to_compute_a_step_make_no_difference(name: str) -> None:
    moves = []
    for given_options in ({}, *[{option: True} for option in options_of(name, "foreach", "fused")]):
        parameter = torch.ones(4, 2, requires_grad=True)
        optimizer = made(name, [parameter], **given_options)
        for batch in ([0, 1, 1], [1, 3]):
            parameter.grad = None
            rows = torch.nn.functional.embedding(torch.tensor(batch), parameter, sparse=name in SPARSE)
            (rows**2).sum().backward()
            optimizer.step()
        moves.append(parameter.detach().numpy())
    assert all(np.array_equal(each, moves[0]) for each in moves)


# ---- states ----------------------------------------------------------------------------------------------------------


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
    assert repr(optimizer.state_dict()) == before
    optimizer.load_state_dict(state)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    with pytest.raises(RuntimeError, match="must match in shape and dtype"):
        optimizer.step()
    assert [each._version for each in parameters] == [0, 0]


@pytest.mark.parametrize(("name", "lacks"), [("Adam", "betas"), ("RMSprop", "alpha"), ("Adadelta", "rho")])
def test_a_step_by_the_state_of_another_optimizer_is_refused(name: str, lacks: str, library: Any) -> None:
    x = library.ones(2, requires_grad=True)
    x.grad = library.ones(2)
    optimizer = getattr(library.optim, name)([x])
    optimizer.load_state_dict(library.optim.SGD([x], lr=0.1).state_dict())
    with pytest.raises(KeyError, match=lacks):
        optimizer.step()
    assert x.tolist() == [1.0, 1.0]


def test_a_scheduler_that_cannot_be_made_has_changed_nothing() -> None:
    optimizer = torch.optim.Adagrad([leaf(np.ones(1))], lr=1.0)
    options = {name: value for name, value in optimizer.param_groups[0].items() if name != "params"}
    with pytest.raises(ValueError, match="must support momentum"):
        lr_scheduler.OneCycleLR(optimizer, 5.0, total_steps=5)
    assert {name: value for name, value in optimizer.param_groups[0].items() if name != "params"} == options


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


@pytest.mark.parametrize("name", [*DENSE, "SparseAdam"])
@pytest.mark.parametrize("steps", [0, 1])
def test_a_step_without_an_option_of_the_second_group_moves_nothing(name: str, steps: int) -> None:
    for option in made(name, two()).defaults:
        tables = [
            torch.nn.Embedding.from_pretrained(torch.ones(3, 2), False, sparse=name == "SparseAdam") for _ in "ab"
        ]
        optimizer = made(name, [{"params": table.parameters()} for table in tables])
        for table in tables:
            table(torch.tensor([1])).sum().backward()
        for _ in range(steps):
            optimizer.step()
        del optimizer.param_groups[1][option]
        check_stops(optimizer, KeyError, option)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_what_is_remembered_in_integers_stops_the_step_before_it_begins(dtype: Any) -> None:
    leaves = [torch.ones(2, dtype=dtype, requires_grad=True) for _ in range(2)]
    for each in leaves:
        each.grad = torch.ones(2, dtype=dtype)
    optimizer = torch.optim.SGD(leaves, momentum=0.5)
    optimizer.step()
    optimizer.state[leaves[1]]["momentum_buffer"] = torch.ones(2, dtype=torch.int64)
    check_stops(optimizer, RuntimeError, "must match in shape and dtype, not .* torch.int64")


def test_what_a_state_lacks_is_told_by_its_cause() -> None:
    x = leaf(np.ones(2))
    optimizer = torch.optim.Adam([x])
    optimizer.step((x * x).sum().backward)
    optimizer.param_groups[0]["amsgrad"] = True
    with pytest.raises(KeyError, match="max_exp_avg_sq: not in the state of the parameter"):
        optimizer.step()
    del optimizer.state[x]["exp_avg"]
    with pytest.raises(KeyError, match="exp_avg: not in the state"):
        optimizer.step()
