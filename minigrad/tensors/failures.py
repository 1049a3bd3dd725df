"""What happens when a call fails: the result after all, or the error in PyTorch's words; and advice on missing names.

Imported when the first call fails or the first name is missing: most programs have none.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, SupportsIndex, TypeVar

import numpy as np

from minigrad.core.dtypes import Number, dtype
from minigrad.core.modes import current
from minigrad.core.tensor import Tensor
from minigrad.declare import EVERYWHERE, KERNELS, declared
from minigrad.tensors.errors import PACKAGE

E = TypeVar("E", bound=Exception)

_OTHER_NAMES = {"axis": "dim", "keepdims": "keepdim", "split_size": "split_size_or_sections"}


def rescued(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """The result of a `call` that raised `error`, if it had `out=`, NumPy's names of arguments, or a sparse tensor.

    Else it raises the error as it is, or a TypeError that names the first argument that does not fit its annotation.
    (Nothing is computed twice: a call with an unknown argument has computed nothing.)
    """
    name = call.__name__
    if "out" in kwargs:
        return given_out(call, kwargs.pop("out"), None if _is_method(call) else call(*args, **kwargs))
    renamed = {key: _OTHER_NAMES[key] for key in kwargs if key in _OTHER_NAMES and _OTHER_NAMES[key] not in kwargs}
    everywhere = [getattr(declared[place].get(name), "__wrapped__", None) for place in EVERYWHERE]
    if renamed and call.__wrapped__ in everywhere:
        return call(*args, **{renamed.get(key, key): kwargs[key] for key in kwargs})
    if args and isinstance(args[0], Tensor) and args[0].is_sparse:
        own = getattr(type(args[0]), name, None)
        if own not in (None, declared["Tensor"].get(name)):
            return getattr(args[0], name)(*args[1:], **kwargs)
        error.args = tuple([str(each).replace("this operation", f"'aten::{name}'", 1) for each in error.args])
    told = isinstance(error, ValueError) and not str(error).startswith("could not convert string")
    if not told and not hasattr(error, "final"):
        check_arguments(call, args, kwargs)
    raise beyond_numpy(error)


def _is_method(call: Any) -> bool:
    """Whether a method is called: its arguments are counted from the one after the tensor."""
    return call.__qualname__.startswith("Tensor.")


def given_out(call: Any, out: Any, result: Any) -> Any:
    """`out`, which takes on the values of `result`, as functions do with `out=`, and methods do not."""
    name = call.__name__
    if out is None and not _is_method(call):
        return result
    if _is_method(call) or not (isinstance(out, Tensor) and isinstance(result, Tensor)):
        raise unexpected(name, out=out)
    if current.enabled and (out.requires_grad or result.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            f"arguments requires grad. Write y = torch.{name}(…)"
        )
    return out._rewrite(lambda _: result)


def check_arguments(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise a TypeError if an argument is missing or unknown, or does not fit its annotation."""
    function, position = call.__wrapped__, 0 if _is_method(call) else 1
    name = KERNELS.get(function, call.__name__)
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as unfit:
        words = str(unfit).replace("multiple values", "got multiple values")
        words = re.sub("missing a required argument: '(.*)'", r'missing 1 required positional arguments: "\1"', words)
        # PyTorch names the function here, not the kernel, which gets only arguments that fit.
        known = [each for each in signature.parameters.values() if not each.name.startswith("_")][position == 0 :]
        names = [f"{each.name}=" if each.kind is each.KEYWORD_ONLY else each.name for each in known]
        raise TypeError(f"{call.__name__}() {words}: it takes {', '.join(names) or 'none'}") from None
    wanted = typing.get_type_hints(function)
    for place, (argument, value) in enumerate(given.items(), position):
        several = signature.parameters[argument].kind is inspect.Parameter.VAR_POSITIONAL
        for number, each in enumerate(value if several else [value], place):
            if not fits(each, wanted.get(argument, Any)):
                refuse(name, argument, number if number < position + len(args) else 0, wanted[argument], each)
    first, value = next(iter(given.items()))
    if not any([isinstance(each, Tensor) for each in given.values()]) and fits(value, Number):
        refuse(name, first, position, Tensor, value)


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
    """Whether a value fits an annotation."""
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
    """`error`, marked as the one to raise: it is not replaced by another."""
    error.final = True  # type: ignore[attr-defined]
    return error


def refuse(name: str, argument: str, place: int, wanted: object, value: object) -> NoReturn:
    """Raise the TypeError for an argument that is not of the wanted type."""
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


def no_tensor(given: Any, error: Exception) -> Exception:
    """`error`, which something raised that should be a tensor, with a remedy."""
    return final(type(error)(f"{error}: expected a tensor, got {_type_name(given)}{_remedy(given)}"))


def _in_words(wanted: Any) -> str:
    """PyTorch's name for the type that an annotation says; of several types, for the first."""
    kind, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if kind in (typing.Union, types.UnionType):
        return "Number" if float in parts and Tensor not in parts else _in_words(parts[0])
    if kind is typing.Literal:
        return type(parts[0]).__name__
    if kind is not None:
        return "tuple of Tensors" if Tensor in parts else "tuple of ints"
    return {float: "Number", SupportsIndex: "int", dtype: "torch.dtype"}.get(wanted, wanted.__name__)


def _type_name(value: object) -> str:
    """PyTorch's name for the type of a value: "int", "numpy.ndarray"."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def _remedy(value: object) -> str:
    """What to do about `value`, which was given in place of a tensor."""
    if value is None:
        return ": does the forward that made it return it? (A gradient is None before backward().)"
    if isinstance(getattr(value, "weight", None), Tensor):
        return f": pass its weight, {type(value).__name__.lower()}.weight"
    if hasattr(value, "batch_sizes"):
        return ": packed.data is one, pad_packed_sequence(packed) makes one"
    if isinstance(value, tuple) and any([isinstance(each, Tensor) for each in value]):
        return ": what returns several is unpacked, as in output, state = lstm(x)"
    return ": a string is neither a tensor nor a number" if isinstance(value, str) else ": torch.tensor(data) makes one"


# ---- missing names ---------------------------------------------------------------------------------------------------

#: The modules in which to look for a name that one of them lacks.
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
