"""The graph of a computation: what its tensors are called, its picture, and the formulas of its operations.

The formulas are those in the source: the gradient of an operation is called with symbols, which write down what is done
to them, unless its class has `formulas`.
"""

from __future__ import annotations

import ast
import functools
import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from minigrad.autograd.function import FunctionNode
from minigrad.core.dtypes import Array
from minigrad.core.tape import GRADIENTS, AccumulateGrad, Node, input_names, keep_output
from minigrad.nn import Module
from minigrad.tensor import Tensor

#: Names for tensors: a dict, such as `locals()`, or a module.
NamesGiven: TypeAlias = "Mapping[str, Any] | Module | None"

#: Where the gradients of a tensor arrive, as `ways` tells it: at an output of a node, or at a leaf.
Place: TypeAlias = tuple[Any, int]

# Of a picture, in pixels: the width of a character, the height of a line, what is between two vertices.
_CHARACTER, _LINE, _GAP = 7.9, 18, 28


def place_of(x: Tensor) -> Place:
    """Where gradients of `x` arrive; a TypeError if it is no tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"expected a tensor, such as a loss, got {type(x).__name__}")
    return (AccumulateGrad(x), 0) if x.grad_fn is None else (x.grad_fn, x.output_nr)


def names_of(given: NamesGiven, leaves: Iterable[AccumulateGrad]) -> dict[Place, tuple[str, tuple[int, ...]]]:
    """The names and shapes of tensors: those given, and numbers for the leaves that have no name.

    Parameters of modules have a name, too, and so do tensors and modules in lists and tuples, so that `names=locals()`
    may be given: `model.weight`, `layers[0].weight`.  Names that begin with an underscore are left out.
    """
    found: dict[Place, tuple[str, tuple[int, ...]]] = {}

    def add(name: str, value: object) -> None:
        if isinstance(value, Module):
            for path, parameter in value.named_parameters():
                add(f"{name}.{path}" if name else path, parameter)
        elif isinstance(value, Tensor):
            found.setdefault(place_of(value), (name, tuple(value.shape)))

    pairs = {"": given} if isinstance(given, Module) else dict(given or {})
    shown = [(name, value) for name, value in pairs.items() if not name.startswith("_")]
    listed = [(name, value) for name, value in shown if isinstance(value, (list, tuple))]
    for label, each in [*shown, *[(f"{name}[{k}]", each) for name, value in listed for k, each in enumerate(value)]]:
        add(label, each)
    for number, leaf in enumerate([leaf for leaf in leaves if (leaf, 0) not in found], 1):
        add(f"leaf {number}", leaf.variable)
    return found


def explore(tensors: Iterable[Tensor]) -> tuple[list[Node], list[AccumulateGrad]]:
    """The nodes that a backward pass from these tensors can reach, newest first, and its ends, in that order."""
    starts = [place_of(x) for x in tensors]
    stack = [node for node, _ in starts]
    found: set[Any] = set(stack)
    while stack:
        for node, _ in stack.pop().ways:
            if node is not None and node not in found:
                found.add(node)
                stack.append(node)
    nodes = sorted([each for each in found if isinstance(each, Node)], key=lambda node: -node.number)
    places = [*starts, *[place for node in nodes for place in node.ways]]
    return nodes, [*dict.fromkeys([node for node, _ in places if isinstance(node, AccumulateGrad)])]


@dataclass(frozen=True)
class Vertex:
    """A leaf, or an operation: the lines of its label."""

    id: str
    lines: tuple[str, ...]
    is_leaf: bool


@dataclass(frozen=True)
class Graph:
    """A graph, from leaves to results; gradients go against the arrows.

    `str(graph)` is Mermaid text, which GitHub and JupyterLab draw; `graph.to_svg()` is a picture.
    """

    vertices: tuple[Vertex, ...]
    #: From which vertex to which, and how often.
    edges: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = ["graph TD"]
        for vertex in self.vertices:
            left, right = ("([", "])") if vertex.is_leaf else ("[", "]")
            label = "<br/>".join([_escaped(line) for line in vertex.lines])
            lines.append(f'    {vertex.id}{left}"{label}"{right}')
        return "\n".join([*lines, *[f"    {start} --> {end}" for start, end in self.edges]])

    __repr__ = __str__

    def to_svg(self) -> str:
        """The graph as a picture: each vertex below its inputs, all in the colour of the text around."""
        width = 24 + _CHARACTER * max([len(line) for vertex in self.vertices for line in vertex.lines])
        drawn, place, top, reach = [], {}, 1, 0.0
        for vertex in self._from_the_top():
            size = _LINE * len(vertex.lines) + 12
            round = size / 2 * vertex.is_leaf
            drawn.append(f'<rect x="1" y="{top}" width="{width:g}" height="{size}" rx="{round:g}"/>')
            for k, line in enumerate(vertex.lines, 1):
                drawn.append(f'<text x="{width / 2:g}" y="{top + _LINE * k + 1}">{html.escape(line)}</text>')
            place[vertex.id] = top, top + size
            top += size + _GAP
        for k, (start, end) in enumerate(self.edges):
            (above, bottom), (to, below) = place[start], place[end]
            if to == bottom + _GAP and (start, end) not in self.edges[:k]:
                line, head = f"M{width / 2:g} {bottom}V{to - 8}", f"M{width / 2:g} {to}l-5 -9h10z"
            else:
                # Around what stands between.
                y, bend = (above + bottom) / 2 + 5, (to + below) / 2 - 5
                out = min(40 + (bend - y) / 4, 160.0)
                reach = max(reach, out)
                line = f"M{width + 1:g} {y:g}c{out:g} 0 {out:g} {bend - y:g} 8 {bend - y:g}"
                head = f"M{width + 1:g} {bend:g}l9 -5v10z"
            drawn += [f'<path d="{line}"/>', f'<path fill="currentColor" d="{head}"/>']
        wide, high = width + 12 + 0.75 * reach, top - _GAP + 1
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high}" width="{wide:g}" height="{high}" '
            f'role="img" aria-label="the graph: {len(place)} vertices" fill="none" stroke="currentColor" '
            'style="max-width: 100%; height: auto">\n'
            "<style>text { font: 13px ui-monospace, monospace; fill: currentColor; stroke: none; text-anchor: middle }"
            f"</style>\n{chr(10).join(drawn)}\n</svg>\n"
        )

    def _from_the_top(self) -> dict[Vertex, None]:
        """The vertices, each below its inputs: the oldest operation first, just below those not there yet."""
        operations = [vertex for vertex in reversed(self.vertices) if not vertex.is_leaf]
        order: dict[Vertex, None] = {}
        for vertex in (*operations, *self.vertices):
            inputs = [start for start, end in self.edges if end == vertex.id]
            order |= dict.fromkeys([*[each for each in self.vertices if each.id in inputs], vertex])
        return order

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The graph as a notebook takes it: JupyterLab draws Mermaid, and an exported notebook has the picture."""
        return {"text/vnd.mermaid": str(self), "image/svg+xml": self.to_svg(), "text/plain": str(self)}


def graph(tensor: Tensor, *, names: NamesGiven = None, max_nodes: int = 200) -> Graph:
    """The graph that a backward pass from `tensor`, such as a loss, walks: leaves, operations, results.

    `names` tells what tensors are called: a dict, such as `locals()`, or a module.  Of more than `max_nodes` operations
    the newest are shown.  A RuntimeError if a pass walks nothing.

    >>> import minigrad as torch
    >>> from minigrad import explain
    >>> x = torch.ones(3, requires_grad=True)
    >>> print(explain.graph((x * x).sum(), names={"x": x}))
    graph TD
        n1["SumBackward0"]
        n2["MulBackward0<br/>a * b"]
        l1(["x<br/>(3,)"])
        n2 --> n1
        l1 --> n2
        l1 --> n2
    """
    origin = place_of(tensor)
    if not tensor.requires_grad:
        raise RuntimeError(
            "the tensor does not require grad and does not have a grad_fn: a backward pass walks nothing"
        )
    nodes, leaves = explore([tensor])
    called = names_of(names, leaves)
    results: dict[Any, list[str]] = {}
    for (node, _), (name, shape) in called.items():
        results.setdefault(node, []).append(f"{name} {shape}")
    shown = nodes[:max_nodes]
    ids: dict[Any, str] = {node: f"n{number}" for number, node in enumerate(shown, 1)}
    ids |= {leaf: f"l{number}" for number, leaf in enumerate(leaves, 1)}
    edges = [(ids.get(source, "older"), ids[node]) for node in shown for source, _ in node.ways if source is not None]
    labels = [(node.short_name(), *filter(None, [formula_of(node)]), *results.get(node, [])) for node in shown]
    vertices = [Vertex(ids[node], lines, False) for node, lines in zip(shown, labels, strict=True)]
    reached = {start for start, _ in edges} | {ids.get(origin[0])}
    for leaf in [leaf for leaf in leaves if ids[leaf] in reached]:
        name, shape = called[leaf, 0]
        vertices.append(Vertex(ids[leaf], (name, str(shape)), True))
    if len(nodes) > len(shown):
        vertices.append(Vertex("older", (f"{len(nodes) - len(shown):,} older operations",), False))
    return Graph(tuple(vertices), tuple(edges))


def _escaped(line: str) -> str:
    """A line of a label in which Mermaid finds no syntax of its own: characters by their numbers where it might."""
    return re.sub(r'[#&"<>`\[\]{}|;]', lambda match: f"#{ord(match[0])};", line)


# ---- formulas --------------------------------------------------------------------------------------------------------


def computes(node: Node) -> str:
    """What the operation computes: the first line of its docstring."""
    line = (_class_of(node).__doc__ or "").strip().partition("\n")[0]
    return " ".join(line.split()).rstrip(".")


def formula_of(node: Node) -> str:
    """What the operation computes, as a formula; "" if its docstring does not open with one, and a colon or nothing.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> formula_of((x / x).grad_fn), formula_of(x.sum().grad_fn)
    ('a / b', '')
    """
    opening = computes(node).partition(": ")[0]
    return opening[1:-1] if opening[:1] == opening[-1:] == "`" and opening.count("`") == 2 else ""


def rules(node: Node) -> list[str]:
    """For each input of the operation the formula of its gradient: of `formulas`, or of the gradients themselves.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> rules((x / x).grad_fn)
    ['da = g / b', 'db = -g * (a / b / b)']
    """
    stated = _stated(_class_of(node))
    return [stated[min(place, len(stated) - 1)] if stated else "" for place in range(len(node.edges))]


def read_by(node: Node, rule: str) -> dict[str, Array]:
    """What a rule of the operation reads of the forward pass, by the names that it has there.

    >>> import minigrad as torch
    >>> a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    >>> read_by((a * b).grad_fn, "da = g * b")
    {'b': array([3., 4.], dtype=float32)}
    """
    kept = _kept(node)
    found: dict[str, Array] = {}
    for word in re.findall(r"\b[A-Za-z_]\w*\b", rule.partition(" = ")[2]):
        # A matrix may be told by a capital.  What is not kept is a parameter of the node.
        value = kept.get(word.lower(), None if hasattr(Node, word) else getattr(node, word, None))
        if isinstance(value, Tensor) and not value.is_sparse:
            found[word] = value._array
        elif isinstance(value, (int, float)):
            found[word] = np.asarray(value)
    return found


def _class_of(node: Node) -> Any:
    """The class that states what the node does: of a Function, the user's."""
    return node.function if isinstance(node, FunctionNode) else type(node)


@functools.cache
def _stated(kind: Any) -> tuple[str, ...]:
    """The formulas that a class states for the gradients of its inputs."""
    stated = getattr(kind, "formulas", ())
    stated = (stated,) if isinstance(stated, str) else stated
    shown = [name for name in GRADIENTS if hasattr(kind, name)] if issubclass(kind, Node) else []
    return stated or tuple([f"{name} = {formula(getattr(kind, name))}" for name in shown])


def _kept(node: Node) -> dict[str, Any]:
    """What a node keeps, by the names that formulas have for it: those of inputs may be their first letters."""
    kind = type(node)
    entries = [value for value, _ in getattr(node, "_kept", None) or ()]
    names = input_names(kind) or (("x",) if len(node.edges) == 1 else ("a", "b", "c"))
    kept = dict(zip([] if kind.keep in (None, keep_output) else names, entries, strict=False))
    kept |= {name[:1]: kept[name] for name in reversed(kept)}
    return kept | ({"y": entries[-1]} if entries and any([-1 in read for read in kind.reads.values()]) else {})


def formula(function: Callable[..., Any]) -> str:
    """What a function of tensors computes, in the names of its parameters.

    >>> formula(lambda g, x: g * (1 - x * x).rsqrt())
    'g * rsqrt(1 - x * x)'
    >>> formula(lambda g, a, b: -g * a / (b * b))
    '-g * a / (b * b)'
    """
    code = function.__code__
    return str(function(*[Symbol(name) for name in code.co_varnames[: code.co_argcount]])).replace("self.", "")


class Symbol:
    """A name, or what was done to names: operators, `x[0]`, attributes, and methods, which are written as functions.

    `str(symbol)` has the parentheses that Python needs, and no others.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> (x + y) * y.sum(0, keepdim=True) @ x.mT
    (x + y) * sum(y, 0, keepdim=True) @ x.mT
    """

    __slots__ = ("_method", "_written")

    def __init__(self, written: str, method: tuple[str, ...] = ()) -> None:
        #: The text, with all parentheses; of an attribute, also its name, and what it is of.
        self._written, self._method = written, method

    def __repr__(self) -> str:
        return ast.unparse(ast.parse(self._written, mode="eval"))

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a formula, neither true nor false: a function that asks needs a formula in words")

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("_"):
            raise AttributeError(f"a formula has no attribute {name!r}")
        return Symbol(f"{self._written}.{name}", (name, self._written))

    def __call__(self, *arguments: Any, **options: Any) -> Symbol:
        function, *first = self._method or (self._written,)
        given = [*first, *map(_written, arguments), *[f"{name}={_written(value)}" for name, value in options.items()]]
        return Symbol(f"{function}({', '.join(given)})")

    def __getitem__(self, index: Any) -> Symbol:
        return Symbol(f"{self._written}[{_written(index)}]")

    __iter__ = None


def _written(value: Any) -> str:
    """The text of a symbol, or that of a value as Python would read it."""
    if isinstance(value, (tuple, list)):
        return f"({''.join([f'{_written(each)}, ' for each in value])})"
    return value._written if isinstance(value, Symbol) else f"({value!r})"


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "matmul": "@", "pow": "**", "and": "&", "or": "|",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
for _name, _sign in {"neg": "-", "invert": "~"}.items():
    setattr(Symbol, f"__{_name}__", lambda a, sign=_sign: Symbol(f"({sign}{_written(a)})"))
for _name, _sign in _SIGNS.items():
    setattr(Symbol, f"__{_name}__", lambda a, b, sign=_sign: Symbol(f"({_written(a)} {sign} {_written(b)})"))
    setattr(Symbol, f"__r{_name}__", lambda b, a, sign=_sign: Symbol(f"({_written(a)} {sign} {_written(b)})"))
