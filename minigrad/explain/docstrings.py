"""The formulas in docstrings of operations that do not state them as `formulas`."""

from __future__ import annotations

import inspect
import re
import string
from typing import Any

# "dx = …", "da, db = …", "dX is …": how docstrings state a gradient.
_GRADIENT = r"d[A-Za-z]\w*(?:\[\w+\])?(?:, d\w+)* (?:=|is) "


def stated(kind: Any) -> tuple[str, tuple[str, ...]]:
    """What a class computes, and its formulas."""
    code = getattr(kind.forward, "__code__", None)
    names = (() if code is None else tuple(inspect.getargs(code).args[1:])) or tuple(string.ascii_lowercase)
    found = [_statements(each.__doc__ or "") for each in kind.__mro__]
    gradients = [_gradient(position, names, [each[1:] for each in found]) for position in range(len(names))]
    return found[0][0], tuple(gradients)


def _gradient(position: int, names: tuple[str, ...], stated: list[tuple[dict[str, str], str]]) -> str:
    """The first formula that is stated of the input at `position`, or of all."""
    name = names[position].lower()
    keys = [name]
    if [each[:1].lower() for each in names].count(name[:1]) == 1:
        keys.append(name[:1])
    if len(names) == 1:
        keys.append("x")
    for by_name, of_all in stated:
        found = [by_name[key] for key in keys if key in by_name]
        if found or of_all:
            return found[0] if found else of_all
    return ""


def _statements(docstring: str) -> tuple[str, dict[str, str], str]:
    """What a docstring states first, its formulas of gradients by the name of the input, and one for all inputs."""
    paragraphs = _paragraphs(docstring)
    # Not apart where the space is within a formula.
    opening = re.split(r"\s{2,}(?=(?:[^`]*`[^`]*`)*[^`]*$)", paragraphs[0])[0] if paragraphs else ""
    by_name: dict[str, str] = {}
    of_all = ""
    for piece in [piece for text in paragraphs for piece in re.split(r"\s{2,}", text)]:
        if stated := re.search(rf"(?:^|: )({_GRADIENT}.*)", piece):
            formula = _sentence(stated[1])
            for name in re.findall(r"d(\w+)", re.split(" (?:=|is) ", formula)[0]):
                by_name.setdefault(name.lower(), formula)
        elif piece.startswith("The gradient"):
            of_all = of_all or _sentence(piece)
    return _sentence(opening), by_name, of_all


def _paragraphs(docstring: str) -> list[str]:
    """The paragraphs of a docstring, on one line each; what opens with a gradient is set apart by more than a space."""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        lines = [line.strip() for line in block.splitlines()]
        paragraphs.append("".join([("  " if re.match(_GRADIENT, line) else " ") + line for line in lines]).strip())
    return [text for text in paragraphs if text]


def _sentence(text: str) -> str:
    """The first sentence of `text`, without the mark at its end."""
    return re.split(r"\.\s+(?=[A-Z`(])", text)[0].rstrip(".,; ")
