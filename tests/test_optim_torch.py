"""Optimisers and schedulers move parameters and learning rates as PyTorch's do, for all options, step by step.

What is compared: parameters, numbers of writes, state dicts with their keys in order, printed forms, errors, warnings.
"""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases_optim import REFUSED, x
from comparing import Raised, array_of, outcome, tensor_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import Array

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

APIS = (torch, minigrad)
# An option of a rounding-off factor: each step of the two differs by a few roundings, which add up.
ROUNDINGS = 16

Schedule = Callable[[Any, Any], Any]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """On small arrays PyTorch's threads wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tensor_of_one(value: float) -> Callable[[Any], Any]:
    """An option that is a tensor."""
    return lambda api: api.tensor([value])


COMMON = {"lr": [0.5, 0.01, 0, tensor_of_one(0.125)], "maximize": [False, True], "weight_decay": [0, 0.1]}
# Without a memory of squares, a step would divide by the gradient alone, and multiply its rounding.
BETAS = [(0.9, 0.999), (0.0, 0.5), (0.5, 0.9), (0.3, 0.75)]
ADAM = {
    **COMMON,
    "betas": [*BETAS, lambda api: (api.tensor(0.5), api.tensor([0.75]))],
    "eps": [1e-8, 0.125],
    "amsgrad": [False, True],
}
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "SGD": {
        **COMMON,
        "momentum": [0, 0.9],
        "dampening": [0, 0.25],
        "nesterov": [False, True],
    },
    "Adam": {**ADAM, "decoupled_weight_decay": [False, True]},
    "AdamW": ADAM,
    "Adagrad": {
        **COMMON,
        "lr_decay": [0, 0.1],
        "initial_accumulator_value": [0, 0.5],
        "eps": [1e-10, 0.125],
    },
    "RMSprop": {
        **COMMON,
        "alpha": [0.99, 0.5],
        "eps": [1e-8, 0.125],
        "momentum": [0, 0.9],
        "centered": [False, True],
    },
    "Adadelta": {
        **COMMON,
        "rho": [0.9, 0.5],
        "eps": [1e-6, 0.125],
    },
    "SparseAdam": {
        "lr": [0.5, 0.01, tensor_of_one(0.125)],
        "betas": BETAS,
        "eps": [1e-8, 0.125],
        "maximize": [False, True],
    },
}


def layouts(generator: np.random.Generator, dtype: str) -> list[Array]:
    """Arrays of several ways to lie in memory."""
    drawn = [generator.standard_normal(shape).astype(dtype) for shape in ((4, 3), (), (0, 2), (3, 5), (2, 8))]
    return [*drawn[:3], drawn[3].T, drawn[4][:, ::2]]


def given_to(api: Any, options: dict[str, Any]) -> dict[str, Any]:
    return {name: value(api) if callable(value) else value for name, value in options.items()}


def optimizer_of(api: Any, name: str, options: dict[str, Any], arrays: list[Array]) -> Any:
    """Two groups, of which the second gives a learning rate of its own."""
    params = [tensor_of(api, array, True) for array in arrays]
    groups = [{"params": params[: len(params) // 2]}, {"params": params[len(params) // 2 :], "lr": 0.25}]
    return getattr(api.optim, name)(groups, **given_to(api, options))


def parameters_of(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def set_gradients(optimizers: list[Any], generator: np.random.Generator) -> None:
    """The same dense gradients for all, of each parameter but a few."""
    for both in zip(*[parameters_of(optimizer) for optimizer in optimizers], strict=True):
        gradient = np.asarray(generator.standard_normal(both[0].shape)).astype(array_of(both[0]).dtype)
        missing = generator.random() < 0.1
        for api, parameter in zip(APIS, both, strict=True):
            parameter.grad = None if missing else tensor_of(api, gradient)


def set_sparse_gradients(optimizers: list[Any], generator: np.random.Generator) -> None:
    """The gradients of the same lookups in all parameters, some ids twice, with `sparse=True`."""
    for both in zip(*[parameters_of(optimizer) for optimizer in optimizers], strict=True):
        ids = generator.integers(0, len(both[0]), 3)
        upstream = generator.standard_normal((3, *both[0].shape[1:])).astype(array_of(both[0]).dtype)
        for api, parameter in zip(APIS, both, strict=True):
            parameter.grad = None
            rows = api.nn.functional.embedding(tensor_of(api, ids), parameter, sparse=True)
            rows.backward(tensor_of(api, upstream))


def plain(value: Any) -> Any:
    """Tensors as arrays, everything else as it is."""
    if isinstance(value, torch.Tensor | minigrad.Tensor):
        return array_of(value.detach().to_dense() if value.is_sparse else value.detach())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


class Scales:
    """The largest value that each array has had: what its rounding errors are measured by."""

    def __init__(self, coarse: bool = False) -> None:
        self.largest: dict[str, float] = {}
        self.coarse = coarse

    def check(self, where: str, theirs: Any, ours: Any) -> None:
        """Fail unless both are equal: numbers and names exactly, arrays up to rounding."""
        assert type(theirs) is type(ours), where
        if isinstance(theirs, dict):
            assert list(theirs) == list(ours), where
            for key in theirs:
                self.check(f"{where}.{key}", theirs[key], ours[key])
        elif isinstance(theirs, list):
            assert len(theirs) == len(ours), where
            for index, (one, other) in enumerate(zip(theirs, ours, strict=True)):
                self.check(f"{where}[{index}]", one, other)
        elif isinstance(theirs, np.ndarray):
            assert (theirs.dtype, theirs.shape) == (ours.dtype, ours.shape), where
            finite = np.abs(theirs[np.isfinite(theirs)]).astype(np.float64)
            # Parameters and gradients are of about 1; what is remembered of them may be much less, or more.
            least = float(where.startswith("parameter"))
            scale = self.largest[where] = max(self.largest.get(where, least), float(finite.max(initial=0.0)))
            rounding = max(float(np.finfo(theirs.dtype).eps), float(np.finfo("float32").eps) * self.coarse)
            allowed = ROUNDINGS * (rounding * scale + float(np.finfo(theirs.dtype).smallest_subnormal))
            # The quick way first: there are many arrays.
            if not np.array_equal(ours, theirs):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=allowed, err_msg=where)
        else:
            assert theirs == ours, where


def check_same(scales: Scales, theirs: Any, ours: Any, writes: bool = True) -> None:
    """Fail unless both optimisers, their parameters and all they remember are equal."""
    for index, (one, other) in enumerate(zip(parameters_of(theirs), parameters_of(ours), strict=True)):
        scales.check(f"parameter {index}", plain(one), plain(other))
        assert not writes or one._version == other._version
    scales.check("state", *[plain(optimizer.state_dict()) for optimizer in (theirs, ours)])
    assert repr(theirs) == repr(ours)


def run(name: str, options: dict[str, Any], dtype: str, seed: int, sparse: bool = False, steps: int = 10) -> None:
    generator = np.random.default_rng(seed)
    drawn = layouts(generator, dtype)
    arrays = [drawn[0], drawn[4]] if sparse else drawn
    made = [outcome(lambda api=api: optimizer_of(api, name, options, arrays)) for api in APIS]
    if isinstance(made[0], Raised):
        assert isinstance(made[1], Raised)
        assert type(made[1].error) is type(made[0].error)
        return
    # PyTorch computes with an option that is a float32 tensor in float32.
    scales = Scales(coarse=any(map(callable, options.values())))
    for number in range(steps):
        (set_sparse_gradients if sparse else set_gradients)(made, generator)
        results = [outcome(optimizer.step) for optimizer in made]
        if isinstance(results[0], Raised):
            assert isinstance(results[1], Raised)
            assert type(results[1].error) is type(results[0].error)
            assert str(results[1].error).startswith(str(results[0].error))
            return
        assert results == [None, None]
        if number in (0, 1, steps - 1):
            check_same(scales, *made)


def drawn_options(name: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in OPTIONS[name].items()})


def test_every_optimizer_is_in_the_table() -> None:
    assert {*OPTIONS, "Optimizer", "lr_scheduler"} == {*minigrad.optim.__all__}
    for name, options in OPTIONS.items():
        given = set(inspect.signature(getattr(torch.optim, name)).parameters)
        assert {*options, "params", "foreach", "fused", "capturable", "differentiable"} >= given


@pytest.mark.parametrize("name", OPTIONS)
def test_signatures(name: str) -> None:
    theirs, ours = (inspect.signature(getattr(api.optim, name)).parameters.values() for api in APIS)
    assert [(each.name, each.kind, each.default) for each in ours] == [
        (each.name, each.kind, each.default) for each in theirs
    ]


@pytest.mark.parametrize("name", sorted({*OPTIONS} - {"SparseAdam"}))
@given(data=st.data())
def test_ten_steps(name: str, data: st.DataObject) -> None:
    options = data.draw(drawn_options(name))
    # The sum with a weight decay may be near 0, and of float16 most of it rounding.
    narrow = ["float16"] * (not options.get("weight_decay"))
    dtype = data.draw(st.sampled_from(["float32", "float32", "float64", *narrow]))
    run(name, options, dtype, data.draw(st.integers(0, 99)))


@pytest.mark.parametrize("name", OPTIONS)
@given(data=st.data())
def test_ten_steps_by_sparse_gradients(name: str, data: st.DataObject) -> None:
    options = data.draw(drawn_options(name))
    run(name, options, data.draw(st.sampled_from(["float32", "float64"])), data.draw(st.integers(0, 99)), sparse=True)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("option", range(4))
def test_each_value_of_each_option(name: str, option: int) -> None:
    # Drawn together, options may refuse each other: here each stands alone, or with what it needs.
    for key, values in OPTIONS[name].items():
        if option < len(values):
            needs = {"momentum": 0.9} if key in ("nesterov", "dampening") else {}
            run(name, {**needs, key: values[option]}, "float32", 1, sparse=name == "SparseAdam", steps=3)


@pytest.mark.parametrize("name", sorted({*OPTIONS} - {"SparseAdam"}))
def test_large_parameters(name: str) -> None:
    # More than one block of elements, in orders for which the blocks are cut in different ways.
    generator = np.random.default_rng(0)
    large = generator.standard_normal((3, 150, 300)).astype("float32")
    arrays = [large.reshape(-1), large[0].T, large.T, large[:, ::2, :], large.transpose(1, 0, 2), large.reshape(1, -1)]
    for options in ({}, {"maximize": True}):
        made = [optimizer_of(api, name, options, arrays) for api in APIS]
        scales = Scales()
        for _ in range(2):
            set_gradients(made, generator)
            for optimizer in made:
                optimizer.step()
            check_same(scales, *made)


def test_the_page_about_rows_prints_the_same_under_pytorch() -> None:
    page = Path(__file__).parent.parent / "docs" / "rows-that-move.md"
    text = page.read_text(encoding="utf-8").replace("import minigrad as torch", "import torch")
    report: list[str] = []
    with warnings.catch_warnings(), torch.random.fork_rng():
        # PyTorch warns that it checks no sparse tensor.
        warnings.simplefilter("ignore")
        examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
        failed = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples, out=report.append).failed
    assert not failed, "".join(report)


# ---- state dicts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("way", ["load_state_dict", "pickle", "deepcopy", "into float64"])
def test_going_on_from_a_state(name: str, way: str) -> None:
    generator = np.random.default_rng(3)
    options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    draw = set_sparse_gradients if name == "SparseAdam" else set_gradients
    arrays = [generator.standard_normal((4, 3)).astype("float32") for _ in range(4)]
    made = [optimizer_of(api, name, options, arrays) for api in APIS]
    scales = Scales(coarse=True)
    for _ in range(3):
        draw(made, generator)
        for optimizer in made:
            optimizer.step()
    later = []
    for api, optimizer in zip(APIS, made, strict=True):
        if way == "pickle":
            later.append(pickle.loads(pickle.dumps(optimizer)))
            continue
        if way == "deepcopy":
            later.append(copy.deepcopy(optimizer))
            continue
        wanted = "float64" if way == "into float64" else "float32"
        now = [array_of(parameter.detach()).astype(wanted) for parameter in parameters_of(optimizer)]
        later.append(optimizer_of(api, name, {}, now))
        state = optimizer.state_dict()
        later[-1].load_state_dict(state)
        assert later[-1].param_groups[0]["params"][0] is not optimizer.param_groups[0]["params"][0]
    for _ in range(3):
        check_same(scales, *later, writes=False)
        draw(later, generator)
        for optimizer in later:
            optimizer.step()
    check_same(scales, *later, writes=False)


@pytest.mark.parametrize("name", OPTIONS)
def test_states_of_older_versions(name: str) -> None:
    # They have the number of steps as a number, and not all options.
    generator = np.random.default_rng(5)
    made = [optimizer_of(api, name, {}, [np.ones((4, 3), "float32") for _ in range(2)]) for api in APIS]
    (set_sparse_gradients if name == "SparseAdam" else set_gradients)(made, generator)
    for optimizer in made:
        optimizer.step()
        state = optimizer.state_dict()
        for remembered in state["state"].values():
            if "step" in remembered:
                remembered["step"] = 7
        for group in state["param_groups"]:
            for option in ("foreach", "nesterov", "amsgrad", "centered"):
                group.pop(option, None)
        if name != "SparseAdam":
            optimizer.load_state_dict(state)
        optimizer.step()
    check_same(Scales(), *made)


def test_the_dtype_of_the_number_of_steps() -> None:
    dtypes = []
    for api in APIS:
        parameter = api.ones(2, requires_grad=True)
        parameter.grad = api.ones(2)
        before = api.get_default_dtype()
        api.set_default_dtype(api.float64)
        try:
            optimizer = api.optim.Adam([parameter])
            optimizer.step()
        finally:
            api.set_default_dtype(before)
        later = api.optim.Adam([parameter])
        later.load_state_dict(optimizer.state_dict())
        dtypes.append([repr(each.state[parameter]["step"].dtype) for each in (optimizer, later)])
    assert dtypes[0] == dtypes[1]


def test_states_go_between_the_two() -> None:
    # What PyTorch saved as arrays and numbers, minigrad goes on from.
    generator = np.random.default_rng(4)
    made = [optimizer_of(api, "AdamW", {}, [np.ones((2, 3), "float32"), np.ones(4, "float32")]) for api in APIS]
    set_gradients(made, generator)
    made[0].step()
    state = made[0].state_dict()
    carried = {
        index: {key: minigrad.tensor(array_of(value)) for key, value in each.items()}
        for index, each in state["state"].items()
    }
    ours = optimizer_of(minigrad, "AdamW", {}, [array_of(each.detach()) for each in parameters_of(made[0])])
    ours.load_state_dict({"state": carried, "param_groups": state["param_groups"]})
    scales = Scales()
    made[1] = ours
    for _ in range(3):
        set_gradients(made, generator)
        for optimizer in made:
            optimizer.step()
        check_same(scales, *made, writes=False)


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses(name: str) -> None:
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=re.escape(words)):
        call(torch)


# ---- groups, names, hooks --------------------------------------------------------------------------------------------


def test_named_parameters() -> None:
    shown = []
    for api in APIS:
        layer = api.nn.Embedding.from_pretrained(api.ones(2, 2), freeze=False)
        optimizer = api.optim.SGD(layer.named_parameters(), lr=0.1)
        optimizer.add_param_group({"params": [("extra", x(api))], "lr": 0.5})
        state = optimizer.state_dict()
        other = api.optim.SGD([{"params": layer.named_parameters()}, {"params": [("other", x(api))]}], lr=0.3)
        other.load_state_dict(state)
        unnamed = api.optim.SGD([{"params": layer.parameters()}, {"params": x(api)}], lr=0.3)
        unnamed.load_state_dict(state)
        for group in state["param_groups"]:
            del group["param_names"]
        optimizer.load_state_dict(state)
        shown.append([repr(each) for each in (optimizer, other, unnamed)] + [plain(state)])
    assert shown[0] == shown[1]


def test_duplicate_parameters_warn() -> None:
    for api in APIS:
        parameter = x(api)
        with pytest.warns(UserWarning, match="optimizer contains a parameter group with duplicate parameters"):
            api.optim.SGD([parameter, parameter])


# ---- schedulers ------------------------------------------------------------------------------------------------------


class Doubling:
    """A function with a state."""

    def __init__(self) -> None:
        self.base = 1.5

    def __call__(self, epoch: float) -> float:
        return self.base**-epoch


SCHEDULES: dict[str, list[Schedule]] = {
    "LRScheduler": [lambda s, o: type("Same", (s.LRScheduler,), {"get_lr": lambda self: self.base_lrs})(o)],
    "LambdaLR": [
        lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
        lambda s, o: s.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), Doubling()]),
    ],
    "StepLR": [lambda s, o: s.StepLR(o, 3), lambda s, o: s.StepLR(o, step_size=4, gamma=0.7)],
    "MultiStepLR": [lambda s, o: s.MultiStepLR(o, [2, 5, 5, 9], gamma=0.5)],
    "LinearLR": [lambda s, o: s.LinearLR(o), lambda s, o: s.LinearLR(o, 0.1, 0.7, 9)],
    "ExponentialLR": [lambda s, o: s.ExponentialLR(o, 0.9)],
    "CosineAnnealingLR": [
        lambda s, o: s.CosineAnnealingLR(o, 7),
        lambda s, o: s.CosineAnnealingLR(o, T_max=10, eta_min=0.01),
        lambda s, o: s.CosineAnnealingLR(o, 1),
    ],
    "OneCycleLR": [
        lambda s, o: s.OneCycleLR(o, 0.3, 40),
        lambda s, o: s.OneCycleLR(
            o, [0.3, 0.1], epochs=4, steps_per_epoch=10, three_phase=True, anneal_strategy="linear"
        ),
        lambda s, o: s.OneCycleLR(o, 0.3, 40, cycle_momentum=False, div_factor=10.0, final_div_factor=10.0),
    ],
    "ReduceLROnPlateau": [
        lambda s, o: s.ReduceLROnPlateau(o, patience=2),
        lambda s, o: s.ReduceLROnPlateau(o, "max", 0.5, 1, 0.1, "abs", 2, [0.1, 0.01], 0.001),
        lambda s, o: s.ReduceLROnPlateau(o, "max", patience=0, threshold=0.3),
        lambda s, o: s.ReduceLROnPlateau(o, factor=0.5, patience=1, threshold_mode="abs", cooldown=3),
    ],
}
ALL = [pytest.param(make, id=f"{name}-{index}") for name, each in SCHEDULES.items() for index, make in enumerate(each)]


def test_every_scheduler_is_in_the_table() -> None:
    assert {*SCHEDULES} == {*minigrad.optim.lr_scheduler.__all__}
    assert {*SCHEDULES} <= {*torch.optim.lr_scheduler.__all__}


@pytest.mark.parametrize("name", sorted({*SCHEDULES}))
def test_signatures_of_schedulers(name: str) -> None:
    theirs, ours = (inspect.signature(getattr(api.optim.lr_scheduler, name)).parameters.values() for api in APIS)
    assert [(each.name, each.kind, each.default) for each in ours] == [
        (each.name, each.kind, each.default) for each in theirs
    ]


def scheduled(api: Any, name: str, lr: Any, **options: Any) -> Any:
    arrays = [np.zeros(2, "float32"), np.zeros(3, "float32")]
    return optimizer_of(api, name, {"lr": lr, **options}, arrays)


def shown(optimizer: Any, scheduler: Any) -> Any:
    """All that a schedule decides: rates, momenta, and what the scheduler remembers."""
    groups = [{**group, "params": None} for group in optimizer.param_groups]
    return plain([groups, scheduler.get_last_lr(), scheduler.state_dict()])


def numbers(value: Any) -> Any:
    """Functions aside: each package has its own."""
    if isinstance(value, dict):
        return {key: numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [numbers(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray) else None if callable(value) else value


MEASURES = [3.0, 2.0, 2.5, 2.0, 2.0, 1.9, 1.95, 1.9, 1.9, 1.9, 1.2, 1.3, 1.3, 1.3, 1.3]


def step(scheduler: Any, number: int) -> None:
    scheduler.step(*[MEASURES[number % len(MEASURES)]] * ("Plateau" in type(scheduler).__name__))


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    ("name", "lr", "options"),
    [("SGD", 0.5, {"momentum": 0.9}), ("AdamW", 0.5, {}), ("SGD", tensor_of_one(0.5), {"momentum": 0.9})],
)
def test_thirty_steps(make: Schedule, name: str, lr: Any, options: dict[str, Any]) -> None:
    optimizers = [scheduled(api, name, lr, **options) for api in APIS]
    both = [make(api.optim.lr_scheduler, optimizer) for api, optimizer in zip(APIS, optimizers, strict=True)]
    scales = Scales()
    for number in range(30):
        theirs, ours = (shown(*each) for each in zip(optimizers, both, strict=True))
        if callable(lr):
            scales.check("rates", theirs[1], ours[1])
        else:
            assert numbers(theirs) == numbers(ours), number
        for optimizer, scheduler in zip(optimizers, both, strict=True):
            optimizer.step()
            step(scheduler, number)


@pytest.mark.parametrize("make", ALL)
def test_going_on_from_the_state_of_a_scheduler(make: Schedule) -> None:
    rates = []
    for api in APIS:
        first = scheduled(api, "SGD", 0.5, momentum=0.9)
        scheduler = make(api.optim.lr_scheduler, first)
        for number in range(5):
            first.step()
            step(scheduler, number)
        later = scheduled(api, "SGD", 0.5, momentum=0.9)
        fresh = make(api.optim.lr_scheduler, later)
        fresh.load_state_dict(copy.deepcopy(scheduler.state_dict()))
        later.load_state_dict(first.state_dict())
        later.step()
        rates.append([])
        for number in range(5, 15):
            step(fresh, number)
            rates[-1].append(fresh.get_last_lr())
    assert rates[0] == rates[1]


@pytest.mark.parametrize("make", ALL)
def test_a_given_epoch(make: Schedule) -> None:
    optimizers = [scheduled(api, "SGD", 0.5, momentum=0.9) for api in APIS]
    both = [make(api.optim.lr_scheduler, optimizer) for api, optimizer in zip(APIS, optimizers, strict=True)]
    for epoch in (3, 1, 9, 2, 12):
        for optimizer, scheduler in zip(optimizers, both, strict=True):
            optimizer.step()
            measure = [1.0] * ("Plateau" in type(scheduler).__name__)
            with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step"):
                scheduler.step(*measure, epoch)
        theirs, ours = (numbers(shown(*each)) for each in zip(optimizers, both, strict=True))
        assert theirs == ours


def warned(act: Callable[[], Any]) -> list[tuple[type, list[str]]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [(each.category, str(each.message).split()[:5]) for each in caught]


def test_warnings_of_the_order_of_steps() -> None:
    told = []
    for api in APIS:

        def fresh(api: Any = api) -> tuple[Any, Any]:
            optimizer = api.optim.SGD([x(api)], lr=0.1)
            return optimizer, api.optim.lr_scheduler.StepLR(optimizer, 2)

        never, ordered = fresh(), fresh()
        ordered[0].step()
        early = api.optim.SGD([x(api)], lr=0.1)
        early.step()
        after = api.optim.lr_scheduler.StepLR(early, 2)
        told.append([warned(each.step) for each in (never[1], ordered[1], after, never[1], ordered[1])])
    assert told[0] == told[1]
    assert [bool(each) for each in told[1]] == [True, False, True, False, False]
