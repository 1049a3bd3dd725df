"""The stubs, by which type checkers and editors know what declarations add to `Tensor`, `torch` and `nn.functional`.

    python -m tests.stubs

writes them, as the package is when it runs; a test fails while one of them is stale.
"""

import ast
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minigrad
from minigrad.core import tensor as core_tensor
from minigrad.core.tensor import Tensor
from minigrad.nn import functional
from minigrad.tensor import LATER
from minigrad.tensors.creation import LongTensor

#: Where classes are written that programs know by another module.
WRITTEN = {Tensor: "minigrad.tensor", core_tensor.Size: core_tensor.__name__, minigrad.dtype: "minigrad.core.dtypes"}
WRITTEN |= dict.fromkeys((minigrad.device, minigrad.layout), "minigrad.tensors.devices")
CONSTANTS = (type(None), bool, int, float, str)

for _name in LATER:
    getattr(Tensor, _name)  # Imports the file that declares it.


def text_of(hint: Any) -> str:
    """A resolved annotation as source text, in which each name has its module."""
    if hint is None or hint is type(None):
        return "None"
    if hint is Tensor:
        return "Tensor"
    if hint is ...:
        return "..."
    if isinstance(hint, list):
        return f"[{', '.join(map(text_of, hint))}]"
    kind, parts = typing.get_origin(hint), typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return " | ".join(map(text_of, parts))
    if kind is typing.Literal:
        return f"typing.Literal[{', '.join(map(repr, parts))}]"
    if parts:
        return f"{text_of(kind)}[{', '.join(map(text_of, parts))}]"
    name = getattr(hint, "__qualname__", None) or hint.__name__
    # The class Tensor has a method `numpy`.
    return f"{WRITTEN.get(hint, hint.__module__)}.{name}".replace("numpy.", "np.").removeprefix(
        f"{core_tensor.__name__}."
    )


def default_of(parameter: inspect.Parameter) -> str:
    """What stands behind a parameter for its default."""
    if parameter.default is parameter.empty:
        return ""
    return f" = {parameter.default!r}" if isinstance(parameter.default, CONSTANTS) else " = ..."


def signature_of(function: Any, first: str | None = None, one_by_one: bool = False) -> str:
    """The parameters and the result of a function, as in its `def`, whose first parameter may have another name.

    The one after the first may be given `one_by_one`.
    """
    hints = typing.get_type_hints(function)
    texts, stars = [], {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    for place, each in enumerate(inspect.signature(function).parameters.values()):
        if each.kind is each.KEYWORD_ONLY and not any([text.startswith("*") for text in texts]):
            texts.append("*")
        if place == 0 and first is not None:
            texts.append(first)
        elif place == 1 and one_by_one:
            texts.append(f"*{each.name}: typing.SupportsIndex")
        else:
            kind = text_of(hints.get(each.name, Any))
            texts.append(f"{stars.get(each.kind, '')}{each.name}: {kind}{default_of(each)}")
    return f"({', '.join(texts)}) -> {text_of(hints.get('return', Any))}"


def definition(name: str, function: Any, first: str | None = None, decorator: str = "") -> str:
    """The `def` of a function or method, or one for each of its overloads, with the first line of its docstring."""
    raw = inspect.unwrap(function)
    # Overloads are known by the class that a method was written in.
    home = types.SimpleNamespace(__module__=raw.__module__, __qualname__=raw.__code__.co_qualname)
    heads = [signature_of(each, first) for each in typing.get_overloads(home) or [function]]
    if inspect.getclosurevars(function).nonlocals.get("spreads"):
        heads.append(signature_of(function, first, one_by_one=True))
    if len(heads) > 1:
        decorator = "@typing.overload\n"
    told = (function.__doc__ or "").partition("\n")[0].rstrip("\\")
    body = f'\n    """{told}"""' if told else " ..."
    return "".join([f"{decorator}def {name}{head}:{body}\n" for head in heads])


def member(name: str, value: Any) -> str:
    """A method or property of `Tensor`, or one of its slots."""
    if isinstance(value, property):
        text = definition(name, value.fget, "self", "@property\n")
        if value.fset is not None:
            text += f"@{name}.setter\ndef {name}{signature_of(value.fset, 'self')}: ...\n"
        return text
    if name == "__new__":
        return definition(name, value.__func__, "cls")
    if isinstance(value, classmethod):
        return definition(name, value.__func__, "cls", "@classmethod\n")
    if isinstance(value, staticmethod):
        return definition(name, value.__func__, None, "@staticmethod\n")
    if name in ("__eq__", "__ne__"):
        # What `==` of tensors says is no bool.
        return definition(name, value, "self").replace("Tensor:", "Tensor:  # type: ignore[override]", 1)
    if inspect.isfunction(value):
        unaugmented = f"__{name.removeprefix('__i')}"
        if re.fullmatch(r"__i\w+__", name) and unaugmented in vars(Tensor):
            return definition(name, vars(Tensor)[unaugmented], "self").replace("-> Tensor:", "-> typing.Self:")
        text = definition(name, value, "self")
        return text.replace("-> Tensor:", "-> typing.Self:") if re.search(r"[^_]_$", name) else text
    return f"{name}: {text_of(HINTS[name])}\n"


def is_member(name: str, value: Any) -> bool:
    """Whether a type checker should know of something in the class `Tensor`."""
    # With `__getattr__` any name would be known.
    known = callable(value) or isinstance(value, (property, classmethod)) or name in HINTS
    return known and name != "__getattr__"


BODY = ast.parse(inspect.getsource(core_tensor)).body[2:]
#: What the file annotates in the class `Tensor`, which has no annotations as it runs.
HINTS = {
    line.target.id: eval(ast.unparse(line.annotation), vars(core_tensor))
    for each in BODY if getattr(each, "name", "") == "Tensor" for line in each.body if isinstance(line, ast.AnnAssign)
}  # fmt: skip


def stub_of_tensor() -> str:
    """The core's module of `Tensor`, the class with all of its members."""
    statements = []
    for each in BODY:
        if isinstance(each, ast.ClassDef) and each.name == "Tensor":
            members = [member(name, value) for name, value in sorted(vars(Tensor).items()) if is_member(name, value)]
            statements.append("class Tensor:\n" + textwrap.indent("".join(members), "    "))
        elif not (isinstance(each, ast.Assign) and ast.unparse(each).startswith("_")):
            statements.append(ast.unparse(outline(each)))
    return with_imports(core_tensor, statements)


def outline(node: ast.stmt) -> ast.stmt:
    """A statement without the bodies of its functions, nor the one that does the work of overloaded ones."""
    if isinstance(node, ast.FunctionDef):
        node.body = [ast.Expr(ast.Constant(...))]
    if isinstance(node, ast.ClassDef):
        functions = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        overloaded = {name for name in functions if len([f for f in node.body if getattr(f, "name", "") == name]) > 1}
        node.body = [outline(each) for each in node.body if each not in [functions[name] for name in overloaded]]
    return node


def stub_of_names(module: types.ModuleType, *more: str) -> str:
    """A module of names, each with the file that it is at home in; `more` is of names that may be missing."""
    statements = [f"__all__ = {sorted(module.__all__)}", *more]
    for name in sorted(module.__all__):
        value = getattr(module, name)
        raw = inspect.unwrap(value) if callable(value) else value
        written = WRITTEN.get(raw) if isinstance(raw, type) else None
        home = sys.modules.get(written or getattr(raw, "__module__", ""), module)
        if isinstance(value, types.ModuleType) and not hasattr(value, "__file__"):
            statements.append(f"{name}: types.ModuleType")  # It is made of a table.
        elif isinstance(value, types.ModuleType):
            statements.append(f"from {value.__name__.rpartition('.')[0]} import {name}")
        elif type(value) is type(LongTensor):
            statements.append(f"from {core_tensor.__name__} import Tensor as {name}")
        elif not callable(value):
            statements.append(f"{name}: {text_of(type(value))}")
        elif home is not module and hasattr(home, raw.__name__):
            statements.append(f"from {home.__name__} import {raw.__name__} as {name}")
        else:
            statements.append(definition(name, value))
    return with_imports(module, statements)


def with_imports(module: types.ModuleType, statements: list[str]) -> str:
    """The text of a stub: of these statements, below imports of the modules that they name."""
    text = "\n".join(statements)
    named = {name[:-1] for name in re.findall(r"(?<!from )(?<![\w.`])(?:[a-z_]\w*\.)+(?=[A-Za-z_])", text)}
    imports = [f"import {name}" for name in sorted(named - {"torch"}) if name in sys.modules]
    if module is not core_tensor:
        imports.append(f"from {core_tensor.__name__} import Tensor")
    head = f'"""What type checkers see of `{module.__name__}`; written by `python -m tests.stubs`."""'
    return "\n".join([head, "", *imports, "import numpy as np", "", text, ""])


STUBS: dict[types.ModuleType, Callable[[], str]] = {
    core_tensor: stub_of_tensor,
    minigrad: lambda: stub_of_names(minigrad, "bfloat16: minigrad.core.dtypes.dtype"),
    functional: lambda: stub_of_names(functional),
}


def path_of(module: types.ModuleType) -> Path:
    """Where the stub of a module is."""
    return Path(str(module.__file__)).with_suffix(".pyi")


if __name__ == "__main__":
    for module, make in STUBS.items():
        path_of(module).write_text(make(), encoding="utf-8")
