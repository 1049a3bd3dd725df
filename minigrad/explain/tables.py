"""A table of texts: for a terminal, as Markdown and as HTML."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeAlias


class Code(str):
    """A line that is a name, numbers or a formula."""

    __slots__ = ()


#: The lines of a cell.
Cell: TypeAlias = Sequence[str]


class Table:
    """Rows of cells below their titles; `widths` are those to which a terminal's lines are wrapped, 0 for as is."""

    def __init__(self, titles: Sequence[str], widths: Sequence[int]) -> None:
        self.titles, self.widths = titles, widths
        self.rows: list[list[Cell]] = []

    def add(self, cells: Iterable[Cell]) -> None:
        """Add a row; cells that are missing at its end are empty."""
        row = list(cells)
        self.rows.append(row + [[]] * (len(self.titles) - len(row)))

    def text(self) -> str:
        """The table in columns."""
        rows = [[_wrapped(cell, width) for cell, width in zip(row, self.widths, strict=True)] for row in self.rows]
        columns = [
            max([len(line) for line in (title, *[line for row in rows for line in row[place]])])
            for place, title in enumerate(self.titles)
        ]
        lines = [self.titles, *[line for row in rows for line in itertools.zip_longest(*row, fillvalue="")]]
        return "\n".join(
            [
                "  ".join([text.ljust(width) for text, width in zip(line, columns, strict=True)]).rstrip()
                for line in lines
            ]
        )

    def markdown(self) -> str:
        """The table as Markdown has it, a line for each row."""
        cells = [list(self.titles), ["---"] * len(self.titles)]
        cells += [["<br>".join([_markdown(line) for line in cell]) for cell in row] for row in self.rows]
        return "\n".join([f"| {' | '.join(row)} |" for row in cells])

    def html(self) -> str:
        """The table as HTML."""
        head = "".join([f'<th scope="col">{html.escape(title)}</th>' for title in self.titles])
        rows = [[f"<td>{'<br>'.join([_html(line) for line in cell])}</td>" for cell in row] for row in self.rows]
        body = "\n".join([f"<tr>{''.join(row)}</tr>" for row in rows])
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _wrapped(cell: Cell, width: int) -> list[str]:
    """The lines of a cell without marks of Markdown; words are wrapped to `width`, unless that is 0."""
    lines: list[str] = []
    for line in cell:
        words = line if isinstance(line, Code) else line.replace("`", "")
        wraps = width and not isinstance(line, Code)
        lines += textwrap.wrap(words, width, break_long_words=False) if wraps else [words]
    return lines


def _markdown(line: str) -> str:
    if isinstance(line, Code):
        return f"`{line}`".replace("|", "\\|")
    # Between backticks only a bar means something, outside of them whatever might begin a mark of Markdown or HTML.
    parts = re.split("(`[^`]+`)", line)
    parts[::2] = [re.sub(r"[\\`*_<>&\[\]~]", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts).replace("|", "\\|")


def _html(line: str) -> str:
    text = html.escape(line)
    if isinstance(line, Code):
        return f'<code style="white-space: pre">{text}</code>'
    return re.sub("`([^`]+)`", r"<code>\1</code>", text)
