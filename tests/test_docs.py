"""Every example in the README, the documents and the docstrings runs and prints what it says."""

from __future__ import annotations  # As the file has that an operation is added to.

import doctest
import hashlib
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import recorded
import table
from comparing import seeded
from test_site import PUBLIC

import minigrad
from minigrad import declare, explain
from minigrad.checks import laws
from minigrad.ops import mathematics

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TRANSLATED = sorted((ROOT / "docs" / "zh").glob("*.md"))
# What they show is the same on PyTorch, with one line changed.
PORTABLE = [
    "README.md", "docs/embedding-is-linear.md", "docs/engine.md", "docs/gradients-through-an-embedding.md",
    "docs/mistakes.md", "docs/rows-that-move.md", "docs/convolution.md", "docs/token-gradients.md",
    "docs/your-own-op.md",
]  # fmt: skip
MODULES = ["minigrad", *(info.name for info in pkgutil.walk_packages(minigrad.__path__, "minigrad."))]


#: Docstrings that users read.
SHOWN = {value.__doc__ for value in PUBLIC.values()}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def _few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks look at fewer examples: those that are shown broken show it at once."""
    monkeypatch.setattr(laws, "STEADY", hypothesis.settings(laws.STEADY, max_examples=3))


def run(tests: list[doctest.DocTest], flags: int = 0, clear: bool = True) -> int:
    """Run the examples; the number of them. Fails on the first page or docstring with a wrong one."""
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF | flags)
    for test in tests:
        report: list[str] = []
        with seeded(0):
            assert runner.run(test, out=report.append, clear_globs=clear).failed == 0, "".join(report)
    return runner.summarize(verbose=False).attempted


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert run([examples]) == text.count("\n>>> ")
    assert text.count("\n```") % 2 == 0


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("name", PORTABLE)
def test_page_on_pytorch(name: str) -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count("import minigrad as torch") == 1
    examples = doctest.DocTestParser().get_doctest(
        text.replace("import minigrad as torch", "import torch"), {}, name, name, 0
    )
    told = [example for example in examples.examples if "explain" in example.source]
    examples.examples = [example for example in examples.examples if example not in told]
    # minigrad's errors say more.
    assert run([examples], doctest.IGNORE_EXCEPTION_DETAIL) == text.count("\n>>> ") - len(told)


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


def blocks(page: str, language: str) -> list[str]:
    """What stands in the fenced blocks of a page that are in that language."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def test_python_without_a_prompt_is_on_pages_with_a_test_that_runs_it() -> None:
    # Below, and in test_examples.py.
    pages = {name_of(page) for page in PAGES if "```python" in page.read_text(encoding="utf-8")}
    assert pages == {"docs/contributing.md"}


# ---- drawn graphs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page.name for page in PAGES if "```mermaid" in page.read_text(encoding="utf-8")])
def test_the_graph_that_is_drawn_is_that_of_the_program(page: str) -> None:
    examples = doctest.DocTestParser().get_doctest("".join(blocks(page, "pycon")), {}, page, None, 0)
    run([examples], clear=False)
    names = examples.globs
    drawn = names.get("graph") or explain.graph(names["loss"], names=names)
    assert blocks(page, "mermaid") == [f"{drawn}\n"]
    for node in [names[name].grad_fn for name in ("vectors", "scores") if name in names]:
        assert f"`{type(node).__name__}`" in (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_the_reading_path_names_what_is_in_the_files() -> None:
    text = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    items = re.findall(r"^(?:\d\.|-) .*(?:\n +.*)*", text, flags=re.MULTILINE)
    assert len(items) == 7
    for item in items:
        source = "".join(
            [(ROOT / file).read_text(encoding="utf-8") for file in re.findall(r"\(\.\./(minigrad/.*?)\)", item)]
        )
        for name in re.findall(r"(?<!\[)`([A-Za-z_.]+)`", item):
            defined = r"^ *(def|class) {0}\b|^[^#\n]*\b{0}(:| =)".format(name.split(".")[-1])
            assert re.search(defined, source, re.MULTILINE), f"{name}, in: {item}"


# ---- how an op is added ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("seeded")
def test_an_op_is_added_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not hasattr(minigrad, "asinh"), "minigrad has it now: the page needs another op that PyTorch has"
    declaration, rows = blocks("contributing.md", "python")
    monkeypatch.setattr(declare, "declared", {place: {**names} for place, names in declare.declared.items()})
    # The declaration attaches the method, which is gone after the test.
    monkeypatch.setattr(minigrad.Tensor, "asinh", None, raising=False)
    exec(declaration, {**vars(mathematics)})
    monkeypatch.setattr(minigrad, "asinh", declare.declared["torch"]["asinh"], raising=False)
    x = minigrad.tensor([1.0], requires_grad=True)
    assert repr(x.asinh()) == "tensor([0.8814], grad_fn=<AsinhBackward0>)"
    assert str(inspect.signature(minigrad.asinh)) == "(input: 'Tensor') -> 'Tensor'"
    assert minigrad.asinh.__doc__ == "The number whose hyperbolic sine is each element."

    x = minigrad.tensor([[0.5, -2.0]])
    assert minigrad.equal(minigrad.asinh(x), x.asinh())

    recorded.rows()  # So that the families' rows are where they belong.
    added: list[table.Case] = []
    monkeypatch.setattr(table, "CASES", added)
    exec(rows, {**vars(importlib.import_module("cases_elementwise"))})
    assert [row.covers for row in added] == ["Tensor.asinh", "asinh"]
    for row in added:
        recorded.check_differences(minigrad, row, {"operands": (np.array([0.5, -2.0]),), "grads": [True], "seed": 0})
    pytest.importorskip("torch", reason="needs PyTorch")
    compare = importlib.import_module("test_ops_torch")._family(added)
    for row in added:
        compare(case=row)


IN_A_NEW_PROCESS = """
import minigrad as torch, test_refusals as refusals
x = torch.ones(1)
print(torch.asinh(x), x.asinh(), "asinh" in dir(x))
refusals.test_what_is_advised_against_is_not_there_and_is_in_pytorch(torch)
refusals.test_tensors_tell_of_each_name_that_pytorchs_have_and_a_hint_is_for()
"""


def test_the_steps_of_the_page_and_no_others_add_the_op(tmp_path: Path) -> None:
    for folder in ("minigrad", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "seeds"))
    with (tmp_path / "minigrad/ops/mathematics.py").open("a", encoding="utf-8") as family:
        family.write(f"\n\n{blocks('contributing.md', 'python')[0]}")
    hints = tmp_path / "minigrad/tensors/missing_names.toml"
    hints.write_text(hints.read_text(encoding="utf-8").replace('"asinh arcsinh"', "arcsinh"), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(tmp_path / "tests")])}
    for step, printed in ((["-m", "tests.stubs"], ""), (["-c", IN_A_NEW_PROCESS], "tensor([0.8814]) " * 2 + "True\n")):
        done = subprocess.run([sys.executable, *step], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (printed, "")
    assert "def asinh(" in (tmp_path / "minigrad/core/tensor.pyi").read_text(encoding="utf-8")


# ---- translations ----------------------------------------------------------------------------------------------------


def sections(page: Path) -> list[str]:
    """The text of a page without its examples, a section at a time: each begins with its heading."""
    text = re.sub(r"```pycon.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.split(r"^(?=#+ )", text, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("page", TRANSLATED, ids=name_of)
def test_translation_is_in_step(page: Path) -> None:
    ours, original = (path.read_text(encoding="utf-8") for path in (page, ROOT / "docs" / page.name))
    # Examples, the ranks of headings, formulas, rows of tables.
    for pattern in (r"```pycon\n.*?\n```", r"^#+ ", r"^    [(<].*?$", r"^\|"):
        here, there = (re.findall(pattern, text, flags=re.DOTALL | re.MULTILINE) for text in (ours, original))
        assert here == there


@pytest.mark.parametrize("page", TRANSLATED, ids=name_of)
def test_each_section_stands_as_it_was_when_it_was_compared(page: Path) -> None:
    note = r"<!-- compared with the English: ([^-]*) -->"
    (noted,) = re.findall(note, page.read_text(encoding="utf-8"))
    pairs = [*zip(sections(page), sections(ROOT / "docs" / page.name), strict=True)]
    texts = ["".join(re.sub(note, "", "".join(pair)).split()) for pair in pairs]
    marks = [hashlib.sha256(text.encode()).hexdigest()[:8] for text in texts]
    before = noted.split()
    changed = [ours.splitlines()[0] for (ours, _), mark in zip(pairs, marks, strict=True) if mark not in before]
    assert before == marks, (
        "These sections were changed, or the English ones that they translate. Compare the two, sentence by sentence, "
        "and mend the translation: " + ", ".join(changed) + ". Then write at the end of the page:\n\n"
        f"<!-- compared with the English: {' '.join(marks)} -->"
    )


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    if name == "minigrad.__main__":
        pytest.skip("the tour is run, not imported: test_main.py")
    module = importlib.import_module(name)
    found = [test for test in doctest.DocTestFinder().find(module, name) if test.examples]
    # What users read runs in a shell in which nothing is imported yet.
    for test in [test for test in found if test.docstring in SHOWN]:
        test.globs = {"__name__": "__main__"}
    run(found)
