"""The formulas of an operation, read from its docstring: what the reader of the source finds is what is shown."""

from __future__ import annotations

import functools
import inspect
import re
import string
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.function import Function, FunctionNode
from minigrad.core.dtypes import Array
from minigrad.core.tape import Node, keep_input_and_output, keep_inputs, keep_other, keep_output, keep_rest
from minigrad.core.tensor import Tensor
from minigrad.explain.symbols import formula

# "dx = …", "da, db = …", "dX is …": how docstrings state a gradient.
_GRADIENT = r"d[A-Za-z]\w*(?:\[\w+\])?(?:, d\w+)* (?:=|is) "

# "`a + b`.", "`a @ b` for matrices": an opening that is true without the words behind it.  A mere name never is.
_WHOLE = r"(?!`\w+`)`([^`]+)`(?=$|[:;]| (?:along|over) | (?:for|with) (?!`)|, (?!but |or |raised |rounded ))"


class Formulas(NamedTuple):
    """What the docstring of an operation states."""

    #: What it computes: the first statement.
    computes: str
    #: For each input the formula of its gradient, "" where there is none.
    gradients: tuple[str, ...]
    #: For each of these what it reads: the place among what the node keeps, or its parameter, and the formula's name.
    reads: tuple[tuple[tuple[int | str, str], ...], ...]


def formulas(node: Node) -> Formulas:
    """What the docstring of the operation states, or that of the nearest base class that states a gradient.

    `dw` is the gradient of the input that `forward` calls `w`, or else of the one whose name begins with that letter.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> computes, gradients, reads = formulas((x / x).grad_fn)
    >>> gradients, reads
    (('da = g / b', 'db = -g * a / b / b'), (((1, 'b'),), ((0, 'a'), (1, 'b'))))
    """
    kind: Any = type(node)
    if kind.gradients:
        return _declared(kind)
    of_class = node.function if isinstance(node, FunctionNode) else kind
    names, keep = tuple(input_names(node)), kind.keep
    kept = names if keep in (keep_inputs, keep_other, keep_rest, keep_input_and_output) else ()
    kept += ("y",) if keep in (keep_output, keep_input_and_output) else ()
    return _formulas(tuple([each.__doc__ or "" for each in of_class.__mro__]), names, kept, _own_slots(kind))


def short_formula(node: Node) -> str:
    """What a declared operation is, `exp(x)`; of another the formula that its docstring opens with, if any."""
    if type(node).gradients:
        return f"{type(node).__name__.lower()}({', '.join(input_names(node))})"
    opening = re.match(_WHOLE, formulas(node).computes)
    return "" if opening is None else opening[1]


def input_names(node: Node) -> list[str]:
    """What docstrings call the tensors that an operation takes: as `forward` does, else `x` or, in turn, `a`, `b`, ….

    >>> import minigrad as torch
    >>> input_names(torch.nn.functional.linear(torch.ones(2, 3), torch.ones(1, 3, requires_grad=True)).grad_fn)
    ['x', 'weight', 'bias']
    """
    if isinstance(node, FunctionNode):
        takes_context = node.function.setup_context is Function.setup_context
        given = _parameters(node.function.forward)[takes_context:]
        # Only tensors have an edge.
        names = [name for name, like in zip(given, node.inputs, strict=False) if like is not None]
    else:
        names = list(_parameters(type(node).forward)[1:])
    count = len(node.edges)
    if len(names) >= count:
        return names[:count]
    return ["x"] if count == 1 else [*string.ascii_lowercase[:count], *[""] * (count - 26)]


def read_by(node: Node, position: int) -> dict[str, Array]:
    """What the formula of the gradient at `position` reads of the forward pass, by the names that it has there.

    >>> import minigrad as torch
    >>> a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    >>> read_by((a * b).grad_fn, 0)
    {'b': array([3., 4.], dtype=float32)}
    """
    found: dict[str, Array] = {}
    for place, name in formulas(node).reads[position]:
        if isinstance(place, str):
            value = getattr(node, place, None)
        else:
            entry = None if node._kept is None else node._kept[place]
            value = entry[0] if isinstance(entry, tuple) else entry
        if isinstance(value, Tensor) and not value.is_sparse:
            found[name] = value._array
        elif isinstance(value, (int, float)):
            found[name] = np.asarray(value)
    return found


@functools.cache
def _declared(kind: type[Node]) -> Formulas:
    """What an operation declares: what it computes in words, its gradients as functions, whose parameters they read."""
    names = ["dx"] if len(kind.gradients) == 1 else ["da", "db"]
    texts = kind.formulas or [formula(gradient) for gradient in kind.gradients]
    gradients = [f"{name} = {text}" for name, text in zip(names, texts, strict=True)]
    read = [_parameters(gradient)[1:] for gradient in kind.gradients]
    places = {"x": 0, "a": 0, "b": 1, "y": -1}
    reads = [tuple([(places[name], name) for name in each]) for each in read]
    return Formulas(_statements(kind.__doc__ or "")[0], tuple(gradients), tuple(reads))


@functools.cache
def _own_slots(of_class: type[Any]) -> tuple[str, ...]:
    """What nodes of this class hold besides what all nodes do, among which are the parameters."""
    return tuple(
        [name for each in of_class.__mro__ for name in getattr(each, "__slots__", ()) if not hasattr(Node, name)]
    )


def _parameters(function: Any) -> tuple[str, ...]:
    """The names of the arguments but for `*args`, none if they are not known."""
    code = getattr(function, "__code__", None)
    names: tuple[str, ...] = () if code is None else code.co_varnames[: code.co_argcount]
    return names


@functools.lru_cache(maxsize=1024)
def _formulas(
    docstrings: tuple[str, ...], names: tuple[str, ...], kept: tuple[str, ...], parameters: tuple[str, ...]
) -> Formulas:
    """The formulas in docstrings of a class and its bases, for inputs, kept tensors and parameters of these names."""
    computes = _statements(docstrings[0])[0]
    stated = [_statements(docstring)[1:] for docstring in docstrings]
    gradients = tuple([_gradient(position, names, stated) for position in range(len(names))])
    return Formulas(computes, gradients, tuple([_reads(formula, kept, parameters) for formula in gradients]))


def _reads(formula: str, kept: tuple[str, ...], parameters: tuple[str, ...]) -> tuple[tuple[int | str, str], ...]:
    """Which of the kept tensors and parameters stand in a formula, and as what."""
    right = formula.partition(" = ")[2]
    words = [re.search(rf"\b({name}|{name[:1]})\b", right, re.IGNORECASE) for name in kept]
    found: list[tuple[int | str, str]] = [(place, word[0]) for place, word in enumerate(words) if word and word[0]]
    return (*found, *[(name, name) for name in parameters if re.search(rf"\b{name}\b", right)])


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
