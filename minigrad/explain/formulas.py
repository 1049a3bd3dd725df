"""The formulas of an operation, read from its docstring: what the reader of the source finds is what is shown."""

from __future__ import annotations

import inspect
import re
from typing import Any

from minigrad.autograd.function import FunctionNode
from minigrad.autograd.node import Node

# "dx = …", "da, db = …", "dX is …": how docstrings state a gradient.
_GRADIENT = r"d[A-Za-z]\w*(?:\[\w+\])?(?:, d\w+)* (?:=|is) "


def forward_formula(node: Node) -> str:
    """What the operation computes: the first statement of its docstring.

    >>> import minigrad as torch
    >>> forward_formula(torch.ones(2, requires_grad=True).exp().grad_fn)
    '`e**x`, its own derivative'
    """
    paragraphs = _paragraphs(_operation(node))
    # Not apart where the space is within a formula.
    return _sentence(re.split(r"\s{2,}(?=(?:[^`]*`[^`]*`)*[^`]*$)", paragraphs[0])[0]) if paragraphs else ""


def short_formula(node: Node) -> str:
    """The formula that the docstring opens with, or nothing if it opens with words."""
    opening = re.match("`([^`]+)`", forward_formula(node))
    return "" if opening is None else opening[1]


def gradient_formulas(node: Node) -> list[str]:
    """The gradients, as the docstring of the operation states them, or that of the nearest base class that does.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> gradient_formulas((x / x).grad_fn)
    ['da = g / b', 'db = -g * a / b / b']
    """
    for of_class in _operation(node).__mro__:
        paragraphs = _paragraphs(of_class)
        found = [clause for text in paragraphs for piece in _pieces(text) for clause in _clauses(piece)]
        if found:
            return found
        told = [_sentence(piece) for text in paragraphs for piece in _pieces(text) if piece.startswith("The gradient")]
        if told:
            return told
    return []


def needed_formulas(node: Node) -> list[str]:
    """A formula for each input of `node` that gets a gradient, in their order.

    `da`, `db` and `dc` are those of the first inputs.  Where it is not known which is which, the first place has all.
    """
    formulas = gradient_formulas(node)
    needed = [position for position, edge in enumerate(node.edges) if edge is not None]
    by_letter = {formula[1]: formula for formula in formulas if re.match("d[abc] = ", formula)}
    if by_letter and len(by_letter) == len(formulas):
        return [by_letter.get("abc"[position], "") for position in needed]
    if len(formulas) == len(node.edges):
        return [formulas[position] for position in needed]
    if len(formulas) == len(needed):
        return formulas
    return ["; ".join(formulas), *[""] * (len(needed) - 1)]


def _operation(node: Node) -> type[Any]:
    """The class that says what `node` does: its own, or the user's Function."""
    return node.function if isinstance(node, FunctionNode) else type(node)


def _paragraphs(of_class: type[Any]) -> list[str]:
    """The paragraphs of a class's own docstring, on one line each; what opens with a gradient is set apart."""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(of_class.__doc__ or "")):
        lines = [line.strip() for line in block.splitlines()]
        paragraphs.append("".join([("  " if re.match(_GRADIENT, line) else " ") + line for line in lines]).strip())
    return [text for text in paragraphs if text]


def _pieces(paragraph: str) -> list[str]:
    """The statements of a paragraph: docstrings set them apart by more than one space."""
    return re.split(r"\s{2,}", paragraph)


def _clauses(piece: str) -> list[str]:
    """The gradient that a piece states, as a list of one, or none."""
    stated = re.search(rf"(?:^|: )({_GRADIENT}.*)", piece)
    return [] if stated is None else [_sentence(stated[1])]


def _sentence(text: str) -> str:
    """The first sentence of `text`, without the mark at its end."""
    return re.split(r"\.\s+(?=[A-Z`(])", text)[0].rstrip(".,; ")
