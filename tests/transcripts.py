"""Programs with what they show: the blocks marked `python` of a page, and the blocks marked `text` below them.

What is shown was recorded from PyTorch; `python -m tests.transcripts PAGE` records it anew.
"""

import ast
import contextlib
import io
import re
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


class Cell(NamedTuple):
    source: str
    output: str


def cells_of(page: Path) -> list[Cell]:
    return [Cell(*found) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def execute(source: str, namespace: dict[str, Any], displayed: Any = repr) -> str:
    """What a notebook shows under a cell: what it prints, then the value of its last expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        exec(compile(ast.Module(body, type_ignores=[]), "<cell>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
            if value is not None:
                print(displayed(value))
    return shown.getvalue()


def lines(value: object) -> str:
    """A value, or those of a tuple in lines of their own."""
    return "\n".join([repr(each) for each in value]) if isinstance(value, tuple) else repr(value)


def programs(page: Path) -> dict[str, Cell]:
    """By the headings of the page: its programs, each begun by what stands in the first block."""
    start, *cells = cells_of(page)
    titles = re.findall(r"^### (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        title: Cell(f"{start.source}\n{cell.source}", cell.output) for title, cell in zip(titles, cells, strict=True)
    }


def shown(library: Any, program: Cell) -> str:
    """What a program shows if `torch` is that library; its warnings are not errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return execute(program.source, {"torch": library, "__name__": "program"}, lines)


def record(page: Path) -> None:
    """Write what PyTorch shows into the page."""
    import torch

    found = {cell.source: shown(torch, cell) for cell in programs(page).values()}
    start = cells_of(page)[0].source

    def block(match: re.Match[str]) -> str:
        output = found.get(f"{start}\n{match[1]}")
        return match[0] if output is None else f"```python\n{match[1]}```\n\n```text\n{output}```"

    page.write_text(BLOCK.sub(block, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
