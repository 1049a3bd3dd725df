"""Every example in the README, the documents and the docstrings runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import minigrad

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TRANSLATED = sorted((ROOT / "docs" / "zh").glob("*.md"))
# What they show is the same on PyTorch, with one line changed.
PORTABLE = [
    "README.md",
    "docs/embedding-is-linear.md",
    "docs/engine.md",
    "docs/gradients-through-an-embedding.md",
    "docs/rows-that-move.md",
    "docs/token-gradients.md",
    "docs/your-own-op.md",
]
MODULES = ["minigrad", *(info.name for info in pkgutil.walk_packages(minigrad.__path__, "minigrad."))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run(tests: list[doctest.DocTest], flags: int = 0) -> int:
    """Run the examples; the number of them. Fails on the first page or docstring with a wrong one."""
    generator = minigrad.default_generator.clone_state()
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF | flags)
    for test in tests:
        report: list[str] = []
        assert runner.run(test, out=report.append).failed == 0, "".join(report)
    for slot in generator.__slots__:
        setattr(minigrad.default_generator, slot, getattr(generator, slot))
    return runner.summarize(verbose=False).attempted


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert run([examples]) == text.count("\n>>> ")


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("name", PORTABLE)
def test_page_on_pytorch(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count("import minigrad as torch") == 1
    examples = doctest.DocTestParser().get_doctest(
        text.replace("import minigrad as torch", "import torch"), {}, name, name, 0
    )
    # minigrad's errors say more.
    assert run([examples], doctest.IGNORE_EXCEPTION_DETAIL) == text.count("\n>>> ")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, heading in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not heading or heading in headings(file), f"{target}#{heading}"


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", TRANSLATED, ids=name_of)
def test_translation_is_in_step(page: Path) -> None:
    ours, original = (path.read_text(encoding="utf-8") for path in (page, ROOT / "docs" / page.name))
    # Examples, the ranks of headings, formulas, rows of tables.
    for pattern in (r"```pycon\n.*?\n```", r"^#+ ", r"^    [(<].*?$", r"^\|"):
        here, there = (re.findall(pattern, text, flags=re.DOTALL | re.MULTILINE) for text in (ours, original))
        assert here == there


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    if name == "minigrad.__main__":
        pytest.skip("the tour is run, not imported: test_main.py")
    module = importlib.import_module(name)
    run([test for test in doctest.DocTestFinder().find(module, name) if test.examples])


def test_every_public_name_is_on_the_page_of_what_is_there() -> None:
    text = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    listed = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`]+)`", prose))))
    methods = {name for name in dir(minigrad.Tensor) if not name.startswith("_")}
    public = methods | {*minigrad.functions.__all__, *minigrad.creation.__all__, *minigrad.nn.functional.__all__}
    public |= set(minigrad.autograd.__all__)
    # An in-place form is told by the form without the underscore.
    assert not {name for name in public if name not in listed and name.removesuffix("_") not in listed}
