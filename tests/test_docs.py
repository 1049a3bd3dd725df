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
MODULES = ["minigrad", *(info.name for info in pkgutil.walk_packages(minigrad.__path__, "minigrad."))]


def run(tests: list[doctest.DocTest]) -> int:
    """Run the examples; the number of them. Fails on the first page or docstring with a wrong one."""
    generator = minigrad.default_generator.clone_state()
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    for test in tests:
        report: list[str] = []
        assert runner.run(test, out=report.append).failed == 0, "".join(report)
    for slot in generator.__slots__:
        setattr(minigrad.default_generator, slot, getattr(generator, slot))
    return runner.summarize(verbose=False).attempted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert run([examples]) == text.count("\n>>> ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


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
