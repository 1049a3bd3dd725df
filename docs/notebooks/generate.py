"""Makes notebooks of pages: `python docs/notebooks/generate.py`, after a change to one of them.

Prose becomes Markdown cells, and each example with an output ends a code cell, whose output is the one on the page.
"""

from __future__ import annotations

import base64
import doctest
import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGES = ("embedding-is-linear", "gradients-through-an-embedding")

INSTALLING = "To run this notebook, install minigrad: `python -m pip install -e .`, in the checkout."

# As Jupyter writes them, without the version of the Python that ran it.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}

Cell = dict[str, Any]


def notebook(page: str) -> str:
    """The notebook of a page, as the text of its file."""
    source = (HERE.parent / f"{page}.md").read_text(encoding="utf-8")
    cells = [prose_cell(INSTALLING)]
    for part in re.split(r"(```pycon\n.*?\n```\n)", source, flags=re.DOTALL):
        cells += code_cells(part) if part.startswith("```pycon") else [prose_cell(part)]
    for number, cell in enumerate(cells):
        cell["id"] = f"{page[:20]}-{number}"
    whole = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def prose_cell(text: str) -> Cell:
    """A Markdown cell; its links lead to where they led, and its pictures are in it."""
    attachments = {}
    for name in re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", text):
        picture = base64.b64encode((HERE.parent / name).read_bytes()).decode()
        attachments[name] = {"image/svg+xml": picture}
        text = text.replace(f"]({name})", f"](attachment:{name})")
    text = re.sub(r"\]\((?!https?:|#|attachment:)", "](../", text.strip("\n"))
    cell: Cell = {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | {"attachments": attachments} if attachments else cell


def code_cells(block: str) -> list[Cell]:
    """A cell for each example that has an output, with those before it that have none."""
    cells: list[Cell] = []
    sources: list[str] = []
    examples = doctest.DocTestParser().get_examples(block.removesuffix("```\n"))
    for position, example in enumerate(examples):
        sources.append(example.source)
        if example.want or position == len(examples) - 1:
            cells.append(code_cell("".join(sources).rstrip("\n"), example))
            sources = []
    return cells


def code_cell(source: str, example: doctest.Example) -> Cell:
    """A code cell with the output that the last example in it has on the page."""
    cell: Cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cell["source"] = source.splitlines(keepends=True)
    if example.exc_msg is not None:
        name, _, message = example.exc_msg.strip().partition(": ")
        cell["metadata"] = {"tags": ["raises-exception"]}
        lines = [example.exc_msg.strip()]
        cell["outputs"] = [{"output_type": "error", "ename": name, "evalue": message, "traceback": lines}]
    elif example.want:
        text = example.want.rstrip("\n").replace("<BLANKLINE>", "").splitlines(keepends=True)
        shown = {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": {"text/plain": text}}
        cell["outputs"] = [shown]
    return cell


if __name__ == "__main__":
    for each in PAGES:
        (HERE / f"{each}.ipynb").write_text(notebook(each), encoding="utf-8")
