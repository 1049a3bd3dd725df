"""The site builds without a warning, its reference is complete, and the notebooks are the pages and run.

What needs Sphinx or Jupyter, the extra `docs`, is skipped where it is missing.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

# Where users find names: `minigrad` itself, and the modules that PyTorch has as well or that are minigrad's own.
MODULES = (
    "minigrad",
    "minigrad.autograd",
    "minigrad.nn",
    "minigrad.nn.functional",
    "minigrad.nn.init",
    "minigrad.nn.utils",
    "minigrad.nn.utils.rnn",
    "minigrad.optim",
    "minigrad.optim.lr_scheduler",
    "minigrad.utils.data",
    "minigrad.cuda",
    "minigrad.mps",
    "minigrad.accelerator",
    "minigrad.return_types",
    "minigrad.testing",
    "minigrad.explain",
)


def generator_of_notebooks() -> Any:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "notebooks" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = generator_of_notebooks()


def public_names() -> dict[str, Any]:
    """Each public name with what it names: of modules, of `Tensor` and of `Module`."""
    found: dict[str, Any] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        own = [n for n, value in vars(module).items() if getattr(value, "__module__", "").startswith("minigrad.nn.")]
        for each in getattr(module, "__all__", own):
            value = getattr(module, each)
            if not isinstance(value, ModuleType) and not each.startswith("_"):
                found[f"{name}.{each}"] = value
    for cls in ("minigrad.Tensor", "minigrad.nn.Module", "minigrad.optim.Optimizer"):
        members = {n: inspect.getattr_static(found[cls], n) for n in dir(found[cls]) if not n.startswith("_")}
        found |= {f"{cls}.{n}": each for n, each in members.items() if callable(each) or isinstance(each, property)}
    return found


PUBLIC = public_names()


def test_each_public_name_has_a_docstring() -> None:
    assert not [name for name, value in PUBLIC.items() if callable(value) and not inspect.getdoc(value)]


# ---- the site ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo", reason="the extra `docs` is not installed")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(out / "trees")]
    built = subprocess.run([*command, str(DOCS), str(out / "html")], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return out / "html"


def documented(site: Path) -> set[str]:
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    names = {name for kind, entries in inventory.items() if kind.startswith("py:") for name in entries}
    # Classes are listed by the names that they print, too, which for some is PyTorch's.
    return {name for name in names if not name.startswith("torch.")}


def test_each_public_name_is_in_the_reference(site: Path) -> None:
    assert not set(PUBLIC) - documented(site)


def test_the_reference_names_what_is_there(site: Path) -> None:
    for name in documented(site):
        parts = name.split(".")
        module = max(stem for stem in map(".".join, (parts[:n] for n in range(1, len(parts)))) if stem in sys.modules)
        value: Any = sys.modules[module]
        for part in name.removeprefix(f"{module}.").split("."):
            assert hasattr(value, part) or part in getattr(value, "__annotations__", {}), name
            value = getattr(value, part, None)


def test_each_page_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert not [page for page in pages if not (site / page).exists()]


# ---- the notebooks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", NOTEBOOKS.PAGES)
def test_notebook_is_the_page(page: str) -> None:
    committed = (DOCS / "notebooks" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert committed == NOTEBOOKS.notebook(page), "run: python docs/notebooks/generate.py"


def test_notebooks_are_those_of_pages() -> None:
    assert {path.stem for path in (DOCS / "notebooks").glob("*.ipynb")} == set(NOTEBOOKS.PAGES)


@pytest.mark.parametrize("page", NOTEBOOKS.PAGES)
def test_notebook_runs_and_shows_what_the_page_says(page: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="the extra `docs` is not installed")
    client = pytest.importorskip("nbclient", reason="the extra `docs` is not installed")
    pytest.importorskip("ipykernel", reason="the extra `docs` is not installed")
    book = nbformat.read(DOCS / "notebooks" / f"{page}.ipynb", as_version=4)
    nbformat.validate(book)
    expected = [shown(cell) for cell in book.cells]
    client.NotebookClient(book, timeout=60).execute()
    assert [shown(cell) for cell in book.cells] == expected


def shown(cell: Any) -> str:
    """What a cell shows, with runs of spaces as one: Jupyter breaks lines elsewhere."""
    texts = []
    for output in cell.get("outputs", []):
        kind = output["output_type"]
        if kind == "error":
            texts.append(f"{output['ename']}: {output['evalue']}")
        else:
            texts.append(output["text"] if kind == "stream" else output["data"]["text/plain"])
    return re.sub(r"\s+", " ", " ".join(texts)).replace("( ", "(").strip()
