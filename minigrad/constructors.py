"""Constructors that are declared by their options: those of layers, optimisers and schedulers."""

from __future__ import annotations

import inspect
import re
import sys
from inspect import Parameter as Option
from typing import Any, TypeVar, dataclass_transform

from minigrad.tensors.errors import PACKAGE

T = TypeVar("T", bound=type[Any])


@dataclass_transform(eq_default=False)
def with_options(cls: T) -> T:
    """The class with a constructor that takes what it annotates, `name: type = default`, as that of a dataclass does.

    What stands below `_: KW_ONLY` is given by name, and an `InitVar[type]` or a `Bias` does not become an attribute.
    The options of the classes that it derives from come before its own, but for device, dtype and last_epoch: one that
    it annotates anew is one of its own, or, as a `ClassVar`, none any more.  What is given, by name, is for `_begin`.
    """
    options: dict[str, Option] = {**getattr(cls, "_options", {})}
    place: Any = Option.POSITIONAL_OR_KEYWORD
    for name, given in cls.__annotations__.items():
        # Without `from __future__ import annotations` it is the type itself.
        kind = given if isinstance(given, str) else getattr(given, "__name__", str(given)).removeprefix("dataclasses.")
        if "KW_ONLY" in kind:
            place = Option.KEYWORD_ONLY
        options.pop(name, None)
        if name != "_" and not kind.startswith("ClassVar"):
            options[name] = Option(name, place, default=vars(cls).get(name, Option.empty), annotation=kind)
            if name in vars(cls):
                # An attribute of the class would be found before a parameter or buffer of that name.
                delattr(cls, name)
    last = [options.pop(name) for name in ("device", "dtype", "last_epoch") if name in options]
    named = [each for each in options.values() if each.kind is Option.KEYWORD_ONLY]
    placed = [each for each in options.values() if each not in named] + last
    cls._options = {each.name: each for each in placed + named}
    # A ValueError if one without a default stands behind one that has one.
    inspect.Signature(placed + named)
    listed = ", ".join(["self", *[each.name for each in placed], *["*"][: len(named)], *[each.name for each in named]])
    # A function of just these arguments: Python itself tells what is amiss with those that are given.  It is code of
    # this package, so warnings name the line that calls it.
    code = compile(f"lambda {listed}: self._begin(locals())", f"{PACKAGE}<{cls.__name__}>", "eval")
    made: Any = eval(code, vars(sys.modules[cls.__module__]))
    made.__name__, made.__qualname__, made.__module__ = "__init__", f"{cls.__qualname__}.__init__", cls.__module__
    made.__defaults__ = tuple([each.default for each in placed if each.default is not Option.empty])
    made.__kwdefaults__ = {each.name: each.default for each in named if each.default is not Option.empty}
    told = {name: re.sub(r"^InitVar\[(.*)\]$", r"\1", each.annotation) for name, each in cls._options.items()}
    made.__annotations__ = told | {"return": "None"}
    cls.__init__ = made
    return cls
