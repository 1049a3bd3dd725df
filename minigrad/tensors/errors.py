"""What programs are told: of missing names, of wrong arguments and of what NumPy cannot do; warnings at their own line.

Two finders of modules stand here.  With `sys.modules["torch"] = minigrad`, a file that says `import torch.nn as nn`
gets minigrad's own modules: the work of `StandIn`.
"""

from __future__ import annotations

import functools
import os
import sys
import types
import typing
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn, SupportsIndex, TypeVar

import numpy as np

from minigrad.core.dtypes import dtype
from minigrad.core.tensor import Tensor

E = TypeVar("E", bound=Exception)

# ---- missing names ---------------------------------------------------------------------------------------------------

#: A name that one of these lacks may be in another.
_PLACES = [f"minigrad{each}" for each in (".nn.functional", ".nn", "", ".optim", ".optim.lr_scheduler", ".utils.data")]


@functools.cache
def hints() -> dict[str, dict[str, str]]:
    """Names that PyTorch or NumPy has and minigrad has not, by the place where they would be: what to use instead."""
    with open(f"{PACKAGE}tensors/missing_names.toml", "rb") as file:
        tables = import_module("tomllib").load(file)
    return {place: {n: hint for key, hint in table.items() for n in key.split()} for place, table in tables.items()}


def advice(place: str, name: str) -> str:
    """What to use in place of a name that `place` has not, as the end of an error message; "" for names unknown here.

    >>> advice("minigrad", "array")
    ": that is NumPy's name, here it is torch.tensor(data)"
    >>> advice("minigrad.Tensor", "fliplr")
    ': torch.fliplr is not here either; x.flip(1). dir(x) lists what is there'
    >>> from minigrad.nn import functional
    >>> advice("minigrad", "one_hot")
    ': it is torch.nn.functional.one_hot'
    """
    known, alike = hints(), name.replace("_", "").removesuffix("loss")
    layer = next((each for each in known["minigrad.nn"] if each.lower().removesuffix("loss") == alike), "")
    if told := known.get(place.replace("minigrad", "elsewhere"), {}).get(name):
        return f": {told}"
    if name in known.get(place, {}):
        told = f"PyTorch has it, minigrad does not; {known[place][name]}"
    elif place == "minigrad.Tensor" and name.removesuffix("_") in known["minigrad"]:
        told = f"torch.{name.removesuffix('_')} is not here either; {known['minigrad'][name.removesuffix('_')]}"
    elif place == "minigrad" and callable(getattr(Tensor, name, None)):
        return f": it is a method of tensors, x.{name}()"
    elif place == "minigrad.nn.functional" and layer:
        told = f"nn.{layer} is not here either; {known['minigrad.nn'][layer]}"
    else:
        # Of those that are imported: to ask for a name imports nothing.
        places = [each for each in _PLACES if place in _PLACES and each in sys.modules]
        homes = [each for each in places if name in dir(sys.modules[each])]
        return f": it is {homes[0].replace('minigrad', 'torch')}.{name}" if homes else ""
    listed = "x" if place == "minigrad.Tensor" else place.replace("minigrad", "torch")
    return f": {told}. dir({listed}) lists what is there"


def advised(place: str, names: list[str], **later: str) -> dict[str, Any]:
    """What the module `place` adds to its globals: it lists these names, and a missing one is an error that advises.

    `later` has what is imported when it is first asked for, and the module where it is: itself, if it is one.

    >>> advised("minigrad", [])["__getattr__"]("ndarray")
    Traceback (most recent call last):
    AttributeError: module 'minigrad' has no attribute 'ndarray': that is NumPy's name, here it is torch.Tensor
    """

    def find(name: str) -> Any:
        if name not in later:
            told = advice(place, name)
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


class Advice:
    """Asked for modules that are not found: one that PyTorch has and minigrad has not is an error that advises.

    `from minigrad.nn import Mish` asks here, too, when `minigrad.nn` has no such name: then it is an ImportError.
    """

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> None:
        """None, or the ModuleNotFoundError of `import minigrad.fft`, the ImportError of `from minigrad import fft`."""
        place, _, name = fullname.rpartition(".")
        frame = sys._getframe()
        while frame.f_back is not None and "importlib" in frame.f_back.f_code.co_filename:
            frame = frame.f_back
        # Asked by `importlib.util.find_spec`, which imports nothing, there is none.
        if place.partition(".")[0] == "minigrad" and frame.f_code.co_name != "find_spec":
            told = advice(place, name)
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


# ---- wrong arguments -------------------------------------------------------------------------------------------------


def unexpected(name: str, **unknown: object) -> TypeError:
    """The TypeError for arguments that the function of that name has not; of `out`, with what to write instead."""
    if "out" not in unknown:
        return final(TypeError(f"{name}() got an unexpected keyword argument '{min(unknown)}'"))
    remedy = f"write y.copy_(torch.{name}(…))"
    if unknown["out"] is None:
        remedy = f"NumPy's functions pass it. Write x.{name}(), or np.{name}(x.numpy())"
    return final(TypeError(f"{name}() got an unexpected keyword argument 'out': {remedy}"))


def fits(value: object, wanted: object) -> bool:
    """Whether a value is what an annotation says."""
    kind, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if kind in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if kind is typing.Literal:
        return value in parts
    if isinstance(kind, type) and issubclass(kind, Sequence):
        return isinstance(value, (list, tuple)) and all(fits(each, parts[0]) for each in value)
    if wanted is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if wanted is float:
        return isinstance(value, (int, float, np.number))
    wanted = kind or wanted
    return wanted is Any or not isinstance(wanted, type) or isinstance(value, wanted)


def final(error: E) -> E:
    """`error`, which says already what is wrong: it is not replaced by another."""
    error.final = True  # type: ignore[attr-defined]
    return error


def refuse(name: str, argument: str, place: int, wanted: object, value: object) -> NoReturn:
    """The TypeError for an argument that is not what is wanted."""
    words, found = _in_words(wanted), f"not {_type_name(value)}"
    if words == "Tensor":
        found += _remedy(value)
    elif words.startswith("tuple of") and isinstance(value, (list, tuple)):
        of: type = Tensor if words == "tuple of Tensors" else int
        position, odd = next((i, each) for i, each in enumerate(value) if not fits(each, of))
        if of is Tensor:
            told = f"expected Tensor as element {position} in argument 0, but got {_type_name(odd)}"
            raise TypeError(f"{told}{_remedy(odd)}")
        found = f"but found element of type {_type_name(odd)} at pos {position}"
    where = f" (position {place})" if place else ""
    raise final(TypeError(f"{name}(): argument '{argument}'{where} must be {words}, {found}"))


def asked(given: Any, method: str = "dim") -> Any:
    """What a tensor says, asked by that method; of what is none, Python's error, as in PyTorch, with the remedy."""
    try:
        return getattr(given, method)()
    except (AttributeError, TypeError) as error:
        raise final(type(error)(f"{error}: expected a tensor, got {_type_name(given)}{_remedy(given)}")) from None


def _in_words(wanted: Any) -> str:
    """What PyTorch calls what an annotation says; of several types, the first."""
    kind, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if kind in (typing.Union, types.UnionType):
        return "Number" if float in parts and Tensor not in parts else _in_words(parts[0])
    if kind is typing.Literal:
        return type(parts[0]).__name__
    if kind is not None:
        return "tuple of Tensors" if Tensor in parts else "tuple of ints"
    return {float: "Number", SupportsIndex: "int", dtype: "torch.dtype"}.get(wanted, wanted.__name__)


def _type_name(value: object) -> str:
    """What PyTorch calls the type of a value: "int", "numpy.ndarray"."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def _remedy(value: object) -> str:
    """What to do if `value` stands where a tensor should."""
    if value is None:
        return ": does the forward that made it return it? (A gradient is None before backward().)"
    if isinstance(getattr(value, "weight", None), Tensor):
        return f": pass its weight, {type(value).__name__.lower()}.weight"
    if hasattr(value, "batch_sizes"):
        return ": packed.data is one, pad_packed_sequence(packed) makes one"
    if isinstance(value, tuple) and any([isinstance(each, Tensor) for each in value]):
        return ": what returns several is unpacked, as in output, state = lstm(x)"
    return ": a string is neither a tensor nor a number" if isinstance(value, str) else ": torch.tensor(data) makes one"


# ---- what NumPy cannot do --------------------------------------------------------------------------------------------


def beyond_numpy(error: Exception) -> Exception:
    """What PyTorch raises where NumPy says that an int or an array is too large, or that shapes do not broadcast."""
    text = str(error)
    if isinstance(error, OverflowError) and not text.endswith("float(number)"):
        return ValueError("Overflow when unpacking long long: expected a number in [-2**63, 2**63)")
    if isinstance(error, MemoryError):
        return RuntimeError(f"can't allocate memory: {text}")
    if text.startswith(("array is too big", "Maximum allowed", "maximum supported dimension")):
        most = "an array has at most 2**63 bytes and 64 dimensions, before NumPy 2.0 32"
        return RuntimeError(f"Storage size calculation overflowed: {most}")
    if text.startswith(("shape mismatch", "non-broadcastable output")):
        return RuntimeError(text)
    if text.startswith("operands could not be broadcast"):
        return RuntimeError(f"expected shapes that broadcast, got{text.partition('shapes')[2]}")
    return error
