"""Errors for missing names and for what is no tensor, with advice; and warnings at the line of the program.

Two finders of modules are here: `Advice` for missing modules, and `StandIn`, by which `import torch.nn as nn` imports
minigrad's own module after `sys.modules["torch"] = minigrad`.  `add_module` makes modules that have no file here.
"""

from __future__ import annotations

import functools
import os
import sys
import types
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

from minigrad import tensors

# ---- missing names ---------------------------------------------------------------------------------------------------


def advised(place: str, names: list[str], **later: str) -> dict[str, Any]:
    """What the module `place` adds to its globals: `dir` lists these names, and the error for a missing one advises.

    `later` maps names that are imported when they are first asked for to their modules; a module to itself.

    >>> advised("minigrad", [])["__getattr__"]("ndarray")
    Traceback (most recent call last):
    AttributeError: module 'minigrad' has no attribute 'ndarray': that is NumPy's name, here it is torch.Tensor
    """

    def find(name: str) -> Any:
        if name not in later:
            told = tensors.failures.advice(place, name)
            # (Python suggests a similar name of `obj`, unless that is None.)
            home = None if told else sys.modules[place]
            raise AttributeError(f"module {place!r} has no attribute {name!r}{told}", name=name, obj=home)
        found: Any = import_module(later[name])
        if later[name] != f"{place}.{name}":
            found = getattr(found, name)
            setattr(sys.modules[place], name, found)
        return found

    # With a path it counts as a package: `from … import` looks for a module of a missing name, and `Advice` answers.
    path = getattr(sys.modules.get(place), "__path__", [])
    return {"__getattr__": find, "__dir__": lambda: names, "__path__": path}


def add_module(name: str, *named: Any, told: str = "Where PyTorch has them.", **members: Any) -> types.ModuleType:
    """Make the module `name`, with functions and classes under their own names, and other members.

    Classes defined in files of its package get it as their `__module__`.
    """
    home, _, last = name.rpartition(".")
    members = {each.__name__: each for each in named} | members
    module = types.ModuleType(name, told)
    module.__dict__.update(members, __all__=[*members], **advised(name, [*members]))
    sys.modules[name] = module
    for each in members.values():
        if isinstance(each, type) and name.startswith(each.__module__.rpartition(".")[0]):
            module.__file__, each.__module__ = sys.modules[each.__module__].__file__, name
    setattr(sys.modules[home], last, module)
    return module


class Advice:
    """Asked for modules that are not found: one that PyTorch has and minigrad has not is an error that advises.

    `from minigrad.nn import Mish` asks here, too, when `minigrad.nn` has no such name: then it is an ImportError.
    """

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> None:
        """Raise the errors of `import minigrad.fft` and of `from minigrad import fft`; find nothing else."""
        place, _, name = fullname.rpartition(".")
        frame = sys._getframe()
        while frame.f_back is not None and "importlib" in frame.f_back.f_code.co_filename:
            frame = frame.f_back
        # Asked by `importlib.util.find_spec`, which imports nothing, there is none.
        if place.partition(".")[0] == "minigrad" and frame.f_code.co_name != "find_spec":
            told = tensors.failures.advice(place, name)
            if told and frame.f_code.co_name == "_handle_fromlist":
                raise ImportError(f"cannot import name {name!r} from {place!r}{told}", name=place)
            if told:
                raise ModuleNotFoundError(f"No module named {fullname!r}{told}", name=fullname)


class StandIn:
    """Finds minigrad.nn for torch.nn: the module itself, since a copy would have classes of its own."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        top, _, below = name.partition(".")
        stands_in = below and top != "minigrad" and getattr(sys.modules.get(top), "__name__", None) == "minigrad"
        return ModuleSpec(name, StandIn) if stands_in else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Let Python make a new module, which `exec_module` then replaces in `sys.modules`."""

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        sys.modules[module.__name__] = import_module("minigrad." + module.__name__.partition(".")[2])


# Python asks one finder after the other, and the first that finds the module has it: that of files would find
# minigrad's file, and execute it again under the other name.  `Advice` is asked when nothing was found.
sys.meta_path.insert(0, StandIn)
sys.meta_path.append(Advice)

# ---- warnings --------------------------------------------------------------------------------------------------------

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def renamed(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` under its old name, without the underscore at the end: it warns."""
    name = f"{place}.{function.__name__}"

    @functools.wraps(function)
    def by_old_name(*args: Any, **kwargs: Any) -> Any:
        warn_program(f"`{name[:-1]}` is now deprecated in favor of `{name}`.", FutureWarning)
        return function(*args, **kwargs)

    return by_old_name


def warn_program(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line that called into this package."""
    level, frame = 1, sys._getframe()
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def result_of(given: Any, method: str) -> Any:
    """The result of that method of a tensor; for anything else Python's error, as in PyTorch, with a remedy."""
    try:
        return getattr(given, method)()
    except (AttributeError, TypeError) as error:
        raise tensors.failures.no_tensor(given, error) from None
