"""`Optimizer`: groups of parameters with their options, and the state that is kept of each parameter.

How the parameters move is defined by subclasses.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from minigrad import tensors
from minigrad.nn.parameter import forget_gradients
from minigrad.tensor import Tensor
from minigrad.tensors.errors import warn_program

#: The default of an option that each parameter group has to give.
required = object()

#: What a group of parameters has: these, "params", and its options.
Group: TypeAlias = dict[str, Any]


class Optimizer:
    """Parameters in groups, each with options of its own, and the state of each parameter.

    `params` is an iterable of tensors, or of groups: dicts whose "params" is such an iterable and whose other entries
    are options.  `defaults` has the options of groups that do not give them.

    `param_groups`
        the groups, a list of dicts; an option changed there holds from the next step on.
    `state`
        what is kept from step to step: a dict for each parameter that has moved.

    A subclass defines `step`:

    >>> import minigrad as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for parameter in group["params"]:
    ...                 parameter -= group["lr"] * parameter.grad
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> Descent([x], lr=0.5).step()
    >>> x
    tensor([0.], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        if isinstance(params, Tensor):
            problem = "params argument given to the optimizer should be an iterable of Tensors or dicts"
            raise TypeError(f"{problem}, but got one {type(params).__name__}: put it into a list")
        if not isinstance(params, Iterable):
            raise TypeError(f"'{type(params).__name__}' object is not iterable: pass model.parameters()")
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            words = "optimizer got an empty parameter list: a generator such as parameters() is used up once, and"
            remedy = "put them into nn.ModuleList or nn.ModuleDict"
            raise ValueError(f"{words} layers in a plain list or dict are not found: {remedy}")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getattr__(self, name: str) -> Any:
        told = tensors.failures.advice("minigrad.optim.Optimizer", name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{told}")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move the parameters; a `closure`, which computes the loss and its gradients, is called before."""
        raise NotImplementedError(f"{type(self).__name__} does not define step()")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; or, without `set_to_none`, fill them with zeros."""
        for group in self.param_groups:
            forget_gradients(group["params"], set_to_none)

    def add_param_group(self, param_group: Group) -> None:
        """Let the parameters of one more group move, by the options it gives and the defaults of others.

        >>> import minigrad as torch
        >>> first, second = torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)
        >>> optimizer = torch.optim.SGD([first], lr=0.1)
        >>> optimizer.add_param_group({"params": [second], "lr": 0.01})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.01]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            problem = "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in"
            raise TypeError(f"{problem} sets will change between runs. Please use a list instead.")
        params = [given] if isinstance(given, Tensor) else list(given)
        for parameter in params:
            if not isinstance(parameter, Tensor):
                problem = f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
                raise TypeError(f"{problem}: pass model.parameters(), or a list of tensors")
            if not (self.defaults.get("differentiable") or parameter.is_leaf or parameter.retains_grad):
                problem = "can't optimize a non-leaf Tensor: its values come from the operation that made it"
                raise ValueError(f"{problem}. Optimize what it was made from, or x.detach().requires_grad_()")
        for option, default in self.defaults.items():
            if default is required and option not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {option}")
        if len(params) != len(set(params)):
            warn_program(
                "optimizer contains a parameter group with duplicate parameters; each moves once for each time it "
                "is there, and PyTorch announces that this will be an error"
            )
        if {*params} & {parameter for group in self.param_groups for parameter in group["params"]}:
            raise ValueError("some parameters appear in more than one parameter group")
        param_group["params"] = params
        for option, default in self.defaults.items():
            param_group.setdefault(option, default)
        self.param_groups.append(param_group)

    # ---- the state as a dict -----------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """What it takes to go on later: "state" by the number of the parameter, and "param_groups" with the numbers.

        The tensors in it are those of the optimiser: they change with the next step.

        >>> import minigrad as torch
        >>> x = torch.zeros(2, requires_grad=True)
        >>> x.grad = torch.ones(2)
        >>> optimizer = torch.optim.SGD([x], lr=0.1, momentum=0.9)
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"], optimizer.state_dict()["param_groups"][0]["params"]
        ({0: {'momentum_buffer': tensor([1., 1.])}}, [0])
        """
        parameters = [parameter for group in self.param_groups for parameter in group["params"]]
        # A parameter that is there twice has the first of its numbers.
        numbers = {id(parameter): number for number, parameter in reversed([*enumerate(parameters)])}
        groups = []
        for group in self.param_groups:
            packed = {option: value for option, value in group.items() if option != "params"}
            groups.append(packed | {"params": [numbers[id(parameter)] for parameter in group["params"]]})
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take on the options and the state that `state_dict()` of an optimiser with as many parameters returned.

        Parameters are matched by their order; a floating-point state takes on the dtype of its parameter.  Tensors
        that need no conversion are not copied.
        """
        saved = copy.deepcopy(state_dict["param_groups"])
        theirs, ours = [[len(group["params"]) for group in groups] for groups in (saved, self.param_groups)]
        if len(theirs) != len(ours):
            counts = f"{len(theirs)}, where this optimizer has {len(ours)}"
            raise ValueError(f"loaded state dict has a different number of parameter groups: {counts}")
        if theirs != ours:
            problem = "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            raise ValueError(f"{problem}: they have {theirs} parameters there, and {ours} here")
        of_number: dict[int, Tensor] = {}
        for group, own in zip(saved, self.param_groups, strict=True):
            of_number |= dict(zip(group["params"], own["params"], strict=True))
            group["params"] = own["params"]
        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, value in state_dict["state"].items():
            parameter = of_number.get(number)
            state[number if parameter is None else parameter] = _converted(value, parameter)
        self.__setstate__({"state": state, "param_groups": saved})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            text += f"\nParameter Group {index}\n"
            for option in sorted(group):
                if option != "params":
                    text += f"    {option}: {group[option]}\n"
        return f"{text})"


def _converted(state: Any, parameter: Tensor | None) -> Any:
    """The state of `parameter` as it is loaded: floating-point tensors in its dtype, but for the number of steps."""
    if parameter is None or not parameter.is_floating_point():
        return state
    return {
        name: value.to(parameter.dtype) if isinstance(value, Tensor) and name != "step" else value
        for name, value in state.items()
    }
