"""Modules that hold modules, or parameters: in a row, in a list, in a dict."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self, SupportsIndex

from minigrad.nn.modules.module import Module, indented, printed
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.machine import no_process_group

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class _Container(Module):
    """Modules, or parameters, that are found by position or name."""

    #: The registry that holds them.
    _held: str = "_modules"

    @property
    def _own(self) -> Any:
        return self.__dict__[self._held]

    def __len__(self) -> int:
        return len(self._own)

    def _put(self, name: str, value: Any) -> None:
        """Register `value`: as a module, or as a parameter, which a tensor becomes."""
        if self._held == "_modules":
            self.add_module(name, value)
        else:
            plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
            self.register_parameter(name, Parameter(value) if plain else value)


class _List(_Container):
    """Modules or parameters in an order; those that are added have the names "0", "1", … of their positions."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._own.values())

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        found = self._at(idx)
        kind: Any = type(self)
        return kind([value for _, value in found]) if isinstance(idx, slice) else found[1]

    def __setitem__(self, idx: SupportsIndex, value: Any) -> None:
        self._put(self._at(idx)[0], value)

    def __delitem__(self, idx: object) -> None:
        raise NotImplementedError("nothing is deleted: nn.ModuleList([*layers[:i], *layers[i + 1 :]]) has the others")

    def _at(self, idx: SupportsIndex | slice) -> Any:
        """The name and the value at a position, or a list of these for a slice."""
        try:
            return list(self._own.items())[idx]
        except IndexError:
            raise IndexError(f"index {idx} is out of range: the length is {len(self)}") from None

    def append(self, value: Any) -> Self:
        """This container, with `value` at the end."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """This container, with `values` at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            given = type(values).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {given}")
        for value in list(values):
            self.append(value)
        return self


class Sequential(_List):
    """`f3(f2(f1(x)))` for the modules `f1, f2, f3`: one after the other.

    They are given as arguments, or as one OrderedDict with their names.

    >>> import minigrad as torch
    >>> from minigrad import nn
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> model
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
      (2): Linear(in_features=3, out_features=1, bias=True)
    )
    >>> model(torch.ones(5, 2)).shape
    torch.Size([5, 1])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def forward(self, input: Any) -> Any:
        """The output of the last module; each gets the output of the one before it, the first gets `input`."""
        for module in self:
            input = module(input)
        return input

    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        found = self._at(idx)
        return type(self)(OrderedDict(found)) if isinstance(idx, slice) else found[1]


class ModuleList(_List):
    """A list of modules, which counts them among its own: their parameters are found.

    >>> from minigrad import nn
    >>> nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[Module | None] | None = None) -> None:
        super().__init__()
        self.extend([] if modules is None else modules)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __repr__(self) -> str:
        lines, position = [], 0
        for text, run in itertools.groupby([repr(module) for module in self]):
            count = len(list(run))
            label = f"({position}):" if count == 1 else f"({position}-{position + count - 1}): {count} x"
            lines.append(indented(f"{label} {text}"))
            position += count
        return printed(self._get_name(), [], lines)


class _Dict(_Container):
    """Modules or parameters by their names, as in a dict."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __contains__(self, key: object) -> bool:
        return key in self._own

    def __getitem__(self, key: str) -> Any:
        return self._own[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._put(key, value)

    def __delitem__(self, key: str) -> None:
        del self._own[key]

    def clear(self) -> None:
        """Take all out."""
        self._own.clear()

    def pop(self, key: str) -> Any:
        """What is under `key`, which is taken out."""
        return self._own.pop(key)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._own.keys()

    def values(self) -> ValuesView[Any]:
        """What is held."""
        return self._own.values()

    def items(self) -> ItemsView[str, Any]:
        """The names and what is under them."""
        return self._own.items()


class ModuleDict(_Dict):
    """A dict of modules, which counts them among its own: their parameters are found.

    >>> from minigrad import nn
    >>> choices = nn.ModuleDict({"relu": nn.ReLU(), "gelu": nn.GELU()})
    >>> choices["gelu"], "tanh" in choices
    (GELU(approximate='none'), False)
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update({} if modules is None else modules)

    def update(self, modules: Any) -> None:
        """Add the modules of a mapping, or of pairs of names and modules."""
        for key, module in dict(modules).items():
            self[key] = module


class ParameterDict(_Dict):
    """A dict of parameters, which counts them among its own; other tensors become parameters.

    Those of a plain dict are taken in the order of their names.

    >>> import minigrad as torch
    >>> scales = torch.nn.ParameterDict({"right": torch.ones(2), "left": torch.ones(2)})
    >>> [name for name, _ in scales.named_parameters()]
    ['left', 'right']
    """

    _held = "_parameters"

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.update({} if parameters is None else parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def update(self, parameters: Any) -> None:
        """Add the parameters of a mapping, or of pairs of names and parameters."""
        given = dict(parameters)
        in_order = not isinstance(parameters, dict) or isinstance(parameters, OrderedDict)
        for key in given if in_order else sorted(given):
            self[key] = given[key]

    def extra_repr(self) -> str:
        return "\n".join([f"  ({key}): {_described(each, each.type())}" for key, each in self.items()])


class ParameterList(_List):
    """A list of parameters, which counts them among its own; other tensors become parameters.

    >>> import minigrad as torch
    >>> torch.nn.ParameterList([torch.ones(2), torch.ones(3, 1)])
    ParameterList(
        (0): Parameter containing: [torch.float32 of size 2]
        (1): Parameter containing: [torch.float32 of size 3x1]
    )
    """

    _held = "_parameters"

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        self.extend([] if values is None else values)

    def extra_repr(self) -> str:
        return "\n".join([f"  ({position}): {_described(each, each.dtype)}" for position, each in enumerate(self)])


def _described(parameter: Tensor, kind: object) -> str:
    return f"Parameter containing: [{kind} of size {'x'.join([str(size) for size in parameter.shape])}]"


# ---- one device, one process -----------------------------------------------------------------------------------------


class DataParallel(Module):
    """A module under the name `module`: on one device there is nothing to distribute, and a call is a call of it."""

    def __init__(self, module: Module, device_ids: object = None, output_device: object = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """A module that several processes train together: a ValueError, since there is one process."""

    __init__ = no_process_group
