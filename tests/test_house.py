"""How the house is laid out: imports point one way, stand at the top of their files and form no circle."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import names
import pytest

import minigrad
import minigrad.nn
from minigrad.declare import declared

PACKAGE = Path(__file__).parent.parent / "minigrad"
FILES = {
    ".".join(("minigrad", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


#: What is imported inside of functions: optional packages, and what is imported when it is first asked for.
LATE = {
    ("minigrad.core.dtypes", "importlib.import_module('ml_dtypes')"),
    ("minigrad.tensors", "import_module(f'minigrad.tensors.{name}')"),
    ("minigrad.tensors.conversion", "import_module('copy')"),
    ("minigrad.tensors.errors", "import_module(later[name])"),
    ("minigrad.tensor", "import_module(LATER[self])"),
    ("minigrad.tensors.failures", "import_module('tomllib')"),
    ("minigrad.tensors.errors", "import_module('minigrad.' + module.__name__.partition('.')[2])"),
}


class Source(NamedTuple):
    """What a file is made of: its imports at the top, those elsewhere, and how many lines of code it has."""

    imports: list[ast.Import | ast.ImportFrom]
    late: set[str]
    lines: int


@functools.cache
def source(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    late: set[str] = set()
    said: set[int] = set()
    code = {number for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"}
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            said |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            # In a text of several lines, each counts.
            code |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Call):
            if ast.unparse(node.func).endswith(("import_module", "__import__")):
                late.add(ast.unparse(node))
        elif isinstance(node, ast.Import | ast.ImportFrom) and node not in imports:
            late.add(ast.unparse(node))
    return Source(imports, late, len(code - said))


def test_imports_stand_at_the_top() -> None:
    assert {(name, late) for name, path in FILES.items() for late in source(path).late} == LATE


def imported(name: str) -> set[str]:
    """The modules of the package that the module `name` imports when it is imported."""
    found: set[str] = set()
    for statement in source(FILES[name]).imports:
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        else:
            up = statement.level - (FILES[name].name == "__init__.py")
            base = f"{name.rsplit('.', up)[0]}." if statement.level else ""
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


def test_what_pytorch_has_not_is_imported_by_nothing_else() -> None:
    apart = ("minigrad.checks", "minigrad.explain")
    for name in FILES:
        if not name.startswith((*apart, "minigrad.__main__")):
            assert not {each for each in IMPORTS[name] if each.startswith(apart)}, name


# ---- names -----------------------------------------------------------------------------------------------------------


def test_no_name_appears_that_pytorch_lacks() -> None:
    """Users find no other: what goes beyond PyTorch lives in modules that PyTorch has not."""
    of_pytorch = names.recorded()
    # What Python gives every class, and the tensor's place in the graph, which PyTorch has in C++.
    machinery = {name for name in dir(minigrad.Tensor) if name.startswith("_")}
    beyond = {
        place: sorted(set(found) - of_pytorch[place] - (machinery if place == "Tensor" else set()))
        for place, found in names.names_of("minigrad").items()
    }
    assert not {place: found for place, found in beyond.items() if found}


def test_functional_shows_functions_and_nothing_that_computes_them() -> None:
    functional = minigrad.nn.functional
    assert {name for name in vars(functional) if not name.startswith("__")} == set(functional.__all__)


def test_what_is_declared_is_found() -> None:
    assert not [name for name in declared["torch"] if getattr(minigrad, name, None) is not declared["torch"][name]]
    assert not set(declared["torch"]) - set(minigrad.__all__)


FRESH = """
import sys, numpy
numpys = "numpy.random" in sys.modules
import minigrad as torch
assert not [name for name in sys.modules if "minigrad.explain" in name or "minigrad.checks" in name]
# What attaches methods to tensors is imported with them, not with the layers.
torch.ones(2, requires_grad=True).sum().backward()
import minigrad.random
assert ("numpy.random" in sys.modules) == numpys
# What is declared in files that are imported later.
assert torch.conv2d is torch.nn.functional.conv2d
# A method that the program replaces stays so, also if the file that declares it is imported after that.
torch.Tensor.sort = lambda self: "the program's"
assert torch.ones(2).topk(1).values == 1 and torch.ones(2).sort() == "the program's"
"""


def test_a_program_imports_what_it_needs_and_finds_the_rest() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert not done.stderr


def test_the_recorded_names_are_pytorchs() -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    found = names.names_of("torch")
    # Modules that are imported later, by other tests, may come on top.
    assert not {place: each for place, listed in names.recorded().items() if (each := listed - set(found[place]))}


# ---- size ------------------------------------------------------------------------------------------------------------

#: Lines of code, without docstrings, comments and blanks, that a folder may have.  Whoever needs more says why in the
#: commit; whoever took some away lowers the figure.
BUDGET = {"minigrad": 14498, "minigrad/core": 1639, "tests": 12141}


@pytest.mark.parametrize("folder", BUDGET)
def test_the_house_stays_small(folder: str) -> None:
    lines = sum([source(path).lines for path in (PACKAGE.parent / folder).rglob("*.py")])
    assert lines <= BUDGET[folder], f"{folder} has {lines} lines of code: take something away, or say why it grows"
