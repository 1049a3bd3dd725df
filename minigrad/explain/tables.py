"""A table of texts, for a terminal and as HTML."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeAlias


class Code(str):
    """A line that is a name, numbers or a formula: it is not wrapped."""

    __slots__ = ()


#: The lines of a cell; what stands between backticks in one is code.
Cell: TypeAlias = Sequence[str]
Rows: TypeAlias = Iterable[Sequence[Cell]]


def as_text(titles: Sequence[str], widths: Sequence[int], rows: Rows) -> str:
    """The table in columns, whose words are wrapped to `widths`, 0 for as they are."""
    wrapped = [[_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    columns = [
        max([len(title), *[len(line) for row in wrapped for line in row[place]]]) for place, title in enumerate(titles)
    ]
    lines = [titles, *[line for row in wrapped for line in itertools.zip_longest(*row, fillvalue="")]]
    return "\n".join(
        ["  ".join([text.ljust(width) for text, width in zip(line, columns, strict=True)]).rstrip() for line in lines]
    )


def as_html(titles: Sequence[str], rows: Rows) -> str:
    """The table as HTML."""
    head = "".join([f'<th scope="col">{html.escape(title)}</th>' for title in titles])
    cells = [[f"<td>{'<br>'.join([_html(line) for line in cell])}</td>" for cell in row] for row in rows]
    body = "\n".join([f"<tr>{''.join(row)}</tr>" for row in cells])
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _wrapped(cell: Cell, width: int) -> list[str]:
    lines: list[str] = []
    for line in cell:
        if isinstance(line, Code) or not width:
            lines.append(line)
        else:
            lines += textwrap.wrap(line.replace("`", ""), width, break_long_words=False)
    return lines


def _html(line: str) -> str:
    text = html.escape(line)
    if isinstance(line, Code):
        return f'<code style="white-space: pre">{text}</code>'
    return re.sub("`([^`]+)`", r"<code>\1</code>", text)
