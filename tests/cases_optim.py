"""What optimisers and schedulers refuse, in either package: the call, the type of the error, words of the message."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import minigrad

Refusal = tuple[Callable[[Any], Any], type[Exception], str]

OPTIMIZERS = ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "SparseAdam")
# The options that may not be negative, as errors call them.
NUMBERS = {"lr": "learning rate", "eps": "epsilon value", **{each: f"{each} value" for each in ("momentum", "alpha")}}
NUMBERS |= {each: f"{each} value" for each in ("lr_decay", "rho", "weight_decay", "initial_accumulator_value")}


def options_of(name: str, of: dict[str, Any] | set[str]) -> list[str]:
    """Those of these options that the optimiser has."""
    return [option for option in inspect.signature(getattr(minigrad.optim, name)).parameters if option in of]


def x(api: Any) -> Any:
    return api.ones(2, requires_grad=True)


def given(name: str, **options: Any) -> Callable[[Any], Any]:
    """What makes that optimiser with these options."""
    return lambda api: getattr(api.optim, name)([x(api)], **options)


def optimizer_module(api: Any) -> Any:
    return importlib.import_module(f"{api.__name__}.optim.optimizer")


def own(api: Any) -> Any:
    """An optimiser of one's own whose learning rate has no default."""

    class Own(api.optim.Optimizer):  # type: ignore[misc]
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": optimizer_module(api).required})

    return Own([x(api)])


def stepped(optimizer: Any) -> Any:
    optimizer.param_groups[0]["params"][0].grad = optimizer.param_groups[0]["params"][0].detach().clone()
    return optimizer.step()


def loaded(api: Any, change: Callable[[dict[str, Any]], object]) -> Any:
    optimizer = api.optim.SGD([x(api)])
    state = optimizer.state_dict()
    change(state)
    optimizer.load_state_dict(state)


def added(api: Any, group: Any, **options: Any) -> Any:
    first = x(api)
    api.optim.SGD([first], **options).add_param_group(group(first) if callable(group) else group)


def scheduled(make: Callable[[Any, Any], Any], optimizer: str = "SGD") -> Callable[[Any], Any]:
    """A call of `make` with the module of the schedulers and an optimiser."""
    return lambda api: make(api.optim.lr_scheduler, getattr(api.optim, optimizer)([x(api)], lr=0.1))


def too_far(schedulers: Any, optimizer: Any) -> None:
    scheduler = schedulers.OneCycleLR(optimizer, 0.1, 4, cycle_momentum=False)
    for _ in range(5):
        optimizer.step()
        scheduler.step()


REFUSED: dict[str, Refusal] = {
    "no parameters": (lambda api: api.optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
    "one tensor": (lambda api: api.optim.SGD(x(api)), TypeError, "params argument given to the optimizer should be"),
    "a number": (lambda api: api.optim.SGD([3.0]), TypeError, "optimizer can only optimize Tensors, but one of the"),
    "a set": (lambda api: api.optim.SGD([{"params": {x(api)}}]), TypeError, "organized in ordered collections"),
    "no leaf": (lambda api: api.optim.SGD([x(api) * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    "a group that is none": (lambda api: added(api, [1]), TypeError, "param_group must be a dict"),
    "a group without params": (lambda api: added(api, {}), KeyError, "'params'"),
    "in two groups": (
        lambda api: added(api, lambda first: {"params": [first]}),
        ValueError,
        "some parameters appear in more than one parameter group",
    ),
    "some names": (lambda api: api.optim.SGD([("a", x(api)), x(api)]), ValueError, "Some param names are missing"),
    "names in one group": (
        lambda api: added(api, {"params": [("a", x(api))]}),
        ValueError,
        "all optimizer param groups should be with/without names. cannot add param group with names",
    ),
    "required": (own, ValueError, "parameter group didn't specify a value of required optimization parameter lr"),
    "fewer groups": (
        lambda api: loaded(api, lambda state: state["param_groups"].clear()),
        ValueError,
        "loaded state dict has a different number of parameter groups",
    ),
    "fewer parameters": (
        lambda api: loaded(api, lambda state: state["param_groups"][0]["params"].clear()),
        ValueError,
        "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    ),
    "a dense gradient": (
        lambda api: stepped(api.optim.SparseAdam([x(api)])),
        RuntimeError,
        "SparseAdam does not support dense gradients, please consider Adam instead",
    ),
    # Options.
    **{
        f"{name} {option}={value}": (given(name, **{option: value}), ValueError, f"Invalid {NUMBERS[option]}: {value}")
        for name in OPTIMIZERS
        for option in options_of(name, NUMBERS)
        for value in (-1e-9, -1.0, *[float("nan")] * (name != "SGD"))
    },
    **{
        f"{name} betas={betas}": (
            given(name, betas=betas),
            ValueError,
            f"Invalid beta parameter at index {index}: {betas[index]}",
        )
        for name in ("Adam", "AdamW", "SparseAdam")
        for index, betas in [(0, (1.0, 0.9)), (1, (0.9, 1.0)), (0, (-0.1, 0.9)), (1, (0.9, -0.1))]
    },
    "rho above 1": (given("Adadelta", rho=1.1), ValueError, "Invalid rho value: 1.1"),
    "no lr": (given("SparseAdam", lr=0.0), ValueError, "Invalid learning rate: 0.0"),
    "no eps": (given("SparseAdam", eps=0.0), ValueError, "Invalid epsilon value: 0.0"),
    "nesterov": (given("SGD", nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
    "nesterov and dampening": (
        given("SGD", nesterov=True, momentum=0.9, dampening=0.1),
        ValueError,
        "Nesterov momentum requires a momentum and zero dampening",
    ),
    "an int and a float": (given("Adam", betas=(0, 0.9)), ValueError, "betas must be either both floats or both"),
    "a float and a tensor": (
        lambda api: api.optim.AdamW([x(api)], betas=(0.9, api.tensor(0.9))),
        ValueError,
        "betas must be either both floats or both Tensors",
    ),
    "betas of two": (
        lambda api: api.optim.Adam([x(api)], betas=(api.tensor(0.1), api.tensor([0.1, 0.2]))),
        RuntimeError,
        "Boolean value of Tensor with more than one value is ambiguous",
    ),
    "lr of two": (lambda api: api.optim.Adam([x(api)], lr=api.ones(2)), ValueError, "Tensor lr must be 1-element"),
    "lr of two in SGD": (
        lambda api: api.optim.SGD([x(api)], lr=api.ones(2)),
        ValueError,
        "Tensor lr must be 1-element",
    ),
    "another option": (given("SGD", momentums=0.9), TypeError, "got an unexpected keyword argument 'momentums'"),
    # Schedulers.
    "no optimizer": (lambda api: api.optim.lr_scheduler.StepLR(3, 2), TypeError, "is not an Optimizer"),
    "no optimizer to watch": (
        lambda api: api.optim.lr_scheduler.ReduceLROnPlateau(3),
        TypeError,
        "is not an Optimizer",
    ),
    **{
        f"scheduler: {words}": (scheduled(make), kind, words)
        for make, kind, words in [
            (lambda s, o: s.LambdaLR(o, [abs, abs]), ValueError, "Expected 1 lr_lambdas, but got 2"),
            (lambda s, o: s.OneCycleLR(o, 0.1), ValueError, "You must define either total_steps OR (epochs AND"),
            (lambda s, o: s.OneCycleLR(o, 0.1, epochs=1), ValueError, "You must define either total_steps OR"),
            (lambda s, o: s.OneCycleLR(o, 0.1, 5, anneal_strategy="sin"), ValueError, "must be one of 'cos' or"),
            (lambda s, o: s.OneCycleLR(o, [0.1, 0.1], 5), ValueError, "max_lr must have the same length as"),
            (too_far, ValueError, "Tried to step 5 times. The specified number of total steps is 4"),
            (lambda s, o: s.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0"),
            (lambda s, o: s.ReduceLROnPlateau(o, mode="less"), ValueError, "mode less is unknown!"),
            (lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="less"), ValueError, "threshold mode less is unknown!"),
            (lambda s, o: s.ReduceLROnPlateau(o, min_lr=[0.1, 0.1]), ValueError, "expected 1 min_lrs, got 2"),
        ]
    },
    "no momentum": (
        scheduled(lambda s, o: s.OneCycleLR(o, 0.1, 5), "Adagrad"),
        ValueError,
        "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
    ),
}

# What PyTorch takes, or words otherwise.
REFUSED_HERE: dict[str, Refusal] = {
    **{
        f"{name} {option}": (
            given(name, **{option: True}),
            NotImplementedError,
            f"{name}({option}=True) is not supported",
        )
        for name in OPTIMIZERS
        for option in options_of(name, {"differentiable", "capturable"})
    },
    **{
        f"SGD {option}=nan": (given("SGD", **{option: float("nan")}), ValueError, f"Invalid {NUMBERS[option]}: nan")
        for option in options_of("SGD", NUMBERS)
    },
    "lr of a file": (given("Adam", lr="0.1"), TypeError, "such as 1e-3, not '0.1'"),
    "no number": (given("RMSprop", lr=None), TypeError, "such as 1e-3, not None"),
}
