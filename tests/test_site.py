"""The site builds without a warning, its reference is complete, and the notebooks are the pages and run.

What needs Sphinx or Jupyter, the dependency group `docs`, is skipped where it is missing.
"""

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
    "minigrad", "minigrad.autograd", "minigrad.autograd.function", "minigrad.autograd.functional", "minigrad.linalg",
    "minigrad.nn", "minigrad.nn.functional", "minigrad.nn.init", "minigrad.nn.utils", "minigrad.nn.utils.rnn",
    "minigrad.optim", "minigrad.optim.lr_scheduler", "minigrad.utils.data", "minigrad.cuda", "minigrad.mps",
    "minigrad.accelerator", "minigrad.return_types", "minigrad.testing", "minigrad.checks", "minigrad.explain",
)  # fmt: skip
# What they meet there without a name: it is given to them, or raised.
MET = (
    "minigrad.autograd.gradcheck.GradcheckError",
    "minigrad.tensors.hooks.RemovableHandle",
    "minigrad.core.tape.Node",
    "minigrad.tensors.sparse.SparseTensor",
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
    """Each public name with what it names."""
    found: dict[str, Any] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        own = [n for n, value in vars(module).items() if getattr(value, "__module__", "").startswith("minigrad.nn.")]
        for each in getattr(module, "__all__", own):
            value = getattr(module, each)
            if not isinstance(value, ModuleType) and not each.startswith("_"):
                found[f"{name}.{each}"] = value
    for name in MET:
        module, _, each = name.rpartition(".")
        found[name] = getattr(importlib.import_module(module), each)
    return found


def members(cls: type) -> set[str]:
    """The public methods, properties and attributes of a class, but plain values, and what Python's classes have."""
    ours = [each for each in cls.__mro__ if each.__module__.startswith(("minigrad", "torch"))]
    named = {n for each in ours for n in vars(each) if hasattr(cls, n)}.union(*map(inspect.get_annotations, ours))
    return {n for n in named if not n.startswith("_") and not isinstance(getattr(cls, n, None), str | tuple)}


PUBLIC = public_names()
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}


def test_each_public_name_has_a_docstring() -> None:
    assert not [name for name, value in PUBLIC.items() if callable(value) and not inspect.getdoc(value)]
    for name, cls in CLASSES.items():
        for method in [n for n in members(cls) if callable(getattr(cls, n, None))]:
            meanings = [inspect.getdoc(vars(each)[method]) for each in cls.__mro__ if method in vars(each)]
            assert any(meanings), f"{name}.{method}"


def test_functions_are_shown_with_the_names_that_they_take() -> None:
    shown = {name: inspect.signature(value) for name, value in PUBLIC.items() if inspect.isfunction(value)}
    assert not [name for name, signature in shown.items() if "self" in signature.parameters]
    assert str(shown["minigrad.topk"]).startswith("(input: 'Tensor', k: 'int', dim: 'int' = -1, ")
    # The method takes sizes one by one, too.
    assert str(shown["minigrad.reshape"]) == "(input: 'Tensor', shape: 'Sequence[int]') -> 'Tensor'"


def test_methods_in_place_are_told_as_writing() -> None:
    tensor = CLASSES["minigrad.Tensor"]
    told = {name: inspect.getdoc(getattr(tensor, name)) or "" for name in members(tensor) if name.endswith("_")}
    beginnings = ("Write", "Give this tensor", "This tensor")
    assert not {name: text for name, text in told.items() if not text.startswith(beginnings)}


# ---- the site --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo", reason="needs the dependency group `docs`")
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


def test_each_member_of_a_public_class_is_in_the_reference(site: Path) -> None:
    listed, missing = documented(site), set()
    for name, cls in CLASSES.items():
        # Under its own name or that of a class it has it from, as an argument it is made with, or in the docstring.
        homes = [home for home, base in CLASSES.items() if base in cls.__mro__]
        code = re.findall(r"`([^`]+)`", " ".join([CLASSES[home].__doc__ or "" for home in homes]))
        told = {*re.findall(r"\w+", " ".join(code))}
        told |= {each for home in homes for each in inspect.signature(CLASSES[home].__init__).parameters}
        # What a class annotates as a ClassVar is no option of it, though one of the class it derives from.
        told |= {n for c in cls.__mro__ for n, kind in inspect.get_annotations(c).items() if "ClassVar" in str(kind)}
        missing |= {f"{name}.{n}" for n in members(cls) - told if not listed & {f"{home}.{n}" for home in homes}}
    assert not missing


def test_the_reference_shows_no_addresses(site: Path) -> None:
    for page in (site / "api").glob("*.html"):
        assert not re.findall(r"\b0x[0-9a-f]{6,}", page.read_text(encoding="utf-8")), page.name


def test_the_reference_names_what_is_there(site: Path) -> None:
    importlib.import_module("minigrad.utils.model_zoo")  # By its name alone, as in PyTorch.
    for name in documented(site):
        parts = name.split(".")
        module = max(stem for stem in map(".".join, (parts[:n] for n in range(1, len(parts)))) if stem in sys.modules)
        value: Any = sys.modules[module]
        for part in name.removeprefix(f"{module}.").split("."):
            assert hasattr(value, part) or (inspect.isclass(value) and part in members(value)), name
            value = getattr(value, part, None)


def test_the_source_of_each_function_and_method_is_a_click_away(site: Path) -> None:
    for page in (site / "api").glob("*.html"):
        entry = r'<dl class="py (?:function|method)">\s*<dt class="sig sig-object py" id="([^"]+)">(.*?)</dt>'
        for name, text in re.findall(entry, page.read_text(encoding="utf-8"), flags=re.DOTALL):
            assert "[source]" in text, name


def test_links_on_the_site_lead_somewhere(site: Path) -> None:
    anchors: dict[Path, set[str]] = {}
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        anchors[page] = {*re.findall(r'\bid="([^"]*)"', text), ""}
    for page in anchors:
        links = re.findall(r'href="(?!\w+:)([^"#?]*)[^"#]*#?([^"]*)"', page.read_text(encoding="utf-8"))
        for path, anchor in set(links):
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.relative_to(site)}: {path}"
            assert anchor in anchors.get(target, {anchor}), f"{page.relative_to(site)}: {path}#{anchor}"


def test_links_to_modules_lead_to_pages_with_their_source(site: Path) -> None:
    assert 'href="_modules/minigrad/core/embedding.html"' in (site / "engine.html").read_text(encoding="utf-8")
    modules = {path.read_bytes() for path in (ROOT / "minigrad").rglob("*.py")}
    assert not [file for file in (site / "_downloads").rglob("*.py") if file.read_bytes() in modules]


def test_pages_need_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//', text), page.name
    for page, vertices in (("engine", 6), ("explain", 5)):
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        assert text.count("<rect ") == vertices


def test_what_is_code_is_shown_as_code(site: Path) -> None:
    for page in site.glob("*.html"):
        text = re.sub(r"<(pre|script|style|code)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "`" not in re.sub(r"<[^>]+>", "", text), page.name


def test_pages_say_their_language(site: Path) -> None:
    for page in site.rglob("*.html"):
        language = "zh-Hans" if page.parent.name == "zh" else "en"
        assert f'lang="{language}"' in page.read_text(encoding="utf-8")[:200], page.relative_to(site)


def test_each_page_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert not [page for page in pages if not (site / page).exists()]
    assert 'src="lookup.html"' in (site / "live.html").read_text(encoding="utf-8")
    alone = (site / "lookup.html").read_text(encoding="utf-8")
    assert "the cat sat on the mat" in alone
    (onward,) = re.findall(r'<footer><a target="_top" href="([^"#]*)#([^"]*)"', alone)
    assert f'id="{onward[1]}"' in (site / onward[0]).read_text(encoding="utf-8")


# ---- the notebooks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", NOTEBOOKS.PAGES)
def test_notebook_is_the_page(page: str) -> None:
    committed = (DOCS / "notebooks" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert committed == NOTEBOOKS.notebook(page), "run: python docs/notebooks/generate.py"


def test_notebooks_are_those_of_pages() -> None:
    assert {path.stem for path in (DOCS / "notebooks").glob("*.ipynb")} == set(NOTEBOOKS.PAGES)


@pytest.mark.parametrize("page", NOTEBOOKS.PAGES)
def test_notebook_runs_and_shows_what_the_page_says(page: str) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the dependency group `docs`")
    client = pytest.importorskip("nbclient", reason="needs the dependency group `docs`")
    pytest.importorskip("ipykernel", reason="needs the dependency group `docs`")
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
