"""How programs are told: that a name is missing, that something is no tensor; warnings at their own line.

Two finders of modules stand here.  With `sys.modules["torch"] = minigrad`, a file that says `import torch.nn as nn`
gets minigrad's own modules: the work of `StandIn`.  `add_module` makes those that PyTorch has and no file is for.
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
    """What the module `place` adds to its globals: it lists these names, and a missing one is an error that advises.

    `later` has what is imported when it is first asked for, and the module where it is: itself, if it is one.

    >>> advised("minigrad", [])["__getattr__"]("ndarray")
    Traceback (most recent call last):
    AttributeError: module 'minigrad' has no attribute 'ndarray': that is NumPy's name, here it is torch.Tensor
    """

    def find(name: str) -> Any:
        if name not in later:
            told = tensors.failures.advice(place, name)
            # (Python guesses a name of `obj`, if there is one.)
            home = None if told else sys.modules[place]
            raise AttributeError(f"module {place!r} has no attribute {name!r}{told}", name=name, obj=home)
        found: Any = import_module(later[name])
        if later[name] != f"{place}.{name}":
            found = getattr(found, name)
            setattr(sys.modules[place], name, found)
        return found

    # With a path it is a package: of a missing name, `from … import` asks for a module, and is told by `Advice`.
    path = getattr(sys.modules.get(place), "__path__", [])
    return {"__getattr__": find, "__dir__": lambda: names, "__path__": path}


def add_module(name: str, *named: Any, told: str = "Where PyTorch has them.", **members: Any) -> types.ModuleType:
    """The module of that name, with what has a name and other members, as a file would add it to its package.

    Classes from files around it say that they are from there, and their source is found.
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
    """Finds the module minigrad.nn where torch.nn is asked for: itself, since a copy would have classes of its own."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        top, _, below = name.partition(".")
        stands_in = below and top != "minigrad" and getattr(sys.modules.get(top), "__name__", None) == "minigrad"
        return ModuleSpec(name, StandIn) if stands_in else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """A new module, whose place in `sys.modules` is then taken by the one that is found."""

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        sys.modules[module.__name__] = import_module("minigrad." + module.__name__.partition(".")[2])


# Python asks one finder after the other, and the first that finds the module has it: that of files would find
# minigrad's file, and execute it again under the other name.  The last one finds nothing.
sys.meta_path.insert(0, StandIn)
sys.meta_path.append(Advice)

# ---- warnings --------------------------------------------------------------------------------------------------------

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def renamed(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose name ends in an underscore, as it is called by its old name, without: then it warns."""
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


def asked(given: Any, method: str = "dim") -> Any:
    """What a tensor says, asked by that method; of what is none, Python's error, as in PyTorch, with the remedy."""
    try:
        return getattr(given, method)()
    except (AttributeError, TypeError) as error:
        raise tensors.failures.no_tensor(given, error) from None
