"""How the house is laid out: imports point one way, stand at the top of their files and form no circle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import minigrad
from minigrad.tensor import Members

PACKAGE = Path(__file__).parent.parent / "minigrad"
FILES = {
    ".".join(("minigrad", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(name: str) -> set[str]:
    """The modules of the package that the module `name` imports when it is imported."""
    found: set[str] = set()
    for statement in ast.parse(FILES[name].read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            base = f"{name.rsplit('.', 1)[0]}." if statement.level else ""
            home = f"{base}{statement.module or ''}".rstrip(".")
            parts = {f"{home}.{alias.name}": home for alias in statement.names}
            found |= {part if part in FILES else module for part, module in parts.items()}
    return (found & set(FILES)) - {name, "minigrad"}


IMPORTS = {name: imported(name) for name in FILES}


def reachable(name: str) -> set[str]:
    found: set[str] = set()
    stack = [name]
    while stack:
        new = IMPORTS[stack.pop()] - found
        found |= new
        stack += new
    return found


@pytest.mark.parametrize("name", FILES)
def test_imports_form_no_circle(name: str) -> None:
    assert name not in reachable(name)


def test_the_core_stands_alone_and_ops_know_no_methods() -> None:
    def beyond(part: str) -> set[str]:
        return {each for name in FILES if name.startswith(part) for each in IMPORTS[name]}

    assert not {each for each in beyond("minigrad.core") if not each.startswith("minigrad.core")}
    assert "minigrad.tensor" not in beyond("minigrad.ops") | beyond("minigrad.autograd")


def test_the_core_imports_nothing_for_type_checkers_alone() -> None:
    for name in FILES:
        if name.startswith("minigrad.core"):
            text = FILES[name].read_text(encoding="utf-8")
            assert "TYPE_CHECKING" not in text, name
            assert not [line for line in text.splitlines() if line.startswith("    from ")], name


def test_what_pytorch_has_not_is_imported_by_nothing_else() -> None:
    apart = ("minigrad.checks", "minigrad.explain")
    for name in FILES:
        if not name.startswith((*apart, "minigrad.__main__")):
            assert not {each for each in IMPORTS[name] if each.startswith(apart)}, name


def test_each_method_and_function_has_one_home() -> None:
    families = [each for each in Members.__mro__[:-2] if each is not minigrad.Tensor]
    methods = [name for family in families for name in vars(family) if not name.startswith("__")]
    assert len(methods) == len({*methods})
    assert len(minigrad.functions.__all__) == len({*minigrad.functions.__all__})
