"""The graph of a computation as Mermaid text, which code hosts and notebooks draw, and as SVG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from minigrad.core.tape import AccumulateGrad
from minigrad.explain.extras import extra, with_words
from minigrad.explain.formulas import short_formula
from minigrad.explain.names import Names, NamesGiven, as_tensors, explore


@dataclass(frozen=True)
class Vertex:
    """A leaf, or an operation: the lines of its label."""

    id: str
    lines: tuple[str, ...]
    is_leaf: bool


@dataclass(frozen=True)
class Graph:
    """A graph, from leaves to results; gradients go against the arrows.

    `str(graph)` is Mermaid text, `to_markdown()` the same in a block that GitHub draws.  With the extra `graphviz`,
    `to_svg()` draws it.  A notebook shows that SVG, or without the extra the Mermaid text, which JupyterLab draws.
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

    def to_markdown(self) -> str:
        """The graph as a block of Markdown."""
        return f"```mermaid\n{self}\n```\n"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The graph as a notebook takes it: JupyterLab draws Mermaid."""
        return {"text/vnd.mermaid": str(self), "text/plain": str(self)}

    def _repr_svg_(self) -> str | None:
        """The graph as a notebook shows it, None if nothing is there to draw it."""
        try:
            return self.to_svg()
        except (ImportError, RuntimeError):
            return None

    @property
    def description(self) -> str:
        """What the graph is, for those who do not see it: each vertex, and those from which arrows lead to it."""
        called = {vertex.id: vertex.lines[0] for vertex in self.vertices}
        told: list[str] = []
        for vertex in self.vertices:
            sources = " and ".join([called[start] for start, end in self.edges if end == vertex.id])
            told.append(", ".join([*vertex.lines, *[f"from {sources}"] * bool(sources)]))
        return ". ".join(told) + "."

    def to_svg(self) -> str:
        """The graph as SVG, drawn by Graphviz.

        An ImportError says how to install the extra `graphviz`, a RuntimeError how to install Graphviz's program.
        """
        graphviz = extra("graphviz", "explain.graph(…).to_svg()", "graphviz")
        font = {"fontname": "Helvetica,Arial,sans-serif", "fontsize": "12"}
        drawing = graphviz.Digraph(name="graph", node_attr=font)
        for vertex in self.vertices:
            style = {"shape": "box", "style": "rounded,filled", "fillcolor": "#fde9c8"} if vertex.is_leaf else _BOX
            drawing.node(vertex.id, "\n".join([graphviz.escape(line) for line in vertex.lines]), **style)
        for start, end in self.edges:
            drawing.edge(start, end)
        try:
            svg = str(drawing.pipe(format="svg", encoding="utf-8"))
        except graphviz.ExecutableNotFound as error:
            raise RuntimeError(
                "Graphviz's program `dot` is not installed, which draws the graph: apt install graphviz, brew install "
                "graphviz, or see graphviz.org/download. Mermaid text, str(graph), needs no program."
            ) from error
        return with_words(svg, "A computation, from leaves to results", self.description)


_BOX = {"shape": "box", "style": "filled", "fillcolor": "#e3eefb"}


def graph(tensors: Any, *, names: NamesGiven = None, max_nodes: int = 200) -> Graph:
    """The graph that a backward pass from `tensors` (one, or a sequence) walks: leaves, operations, results.

    `names` tells what tensors are called: a dict, such as `locals()`, a module, or `model.named_parameters()`.  Of more
    than `max_nodes` operations the newest are shown.  A RuntimeError if a pass from one of the tensors walks nothing.

    >>> import minigrad as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> print(graph((x * x).sum(), names={"x": x}))
    graph TD
        n1["SumBackward0"]
        n2["MulBackward0<br/>a * b"]
        l1(["x<br/>(3,)"])
        n2 --> n1
        l1 --> n2
        l1 --> n2
    """
    called = Names(names)
    outputs = as_tensors(tensors)
    for position, x in enumerate(outputs):
        if not x.requires_grad:
            raise RuntimeError(
                f"element {position} of tensors does not require grad and does not have a grad_fn, so a backward pass "
                "walks nothing here: nothing that it was computed from was made with requires_grad=True, or it was "
                "computed under no_grad() or detached since."
            )
    nodes, leaves = explore(outputs)
    positions = {id(leaf): position for position, leaf in enumerate(leaves)}
    shown = nodes[:max_nodes]
    ids = {node: f"n{number}" for number, node in enumerate(shown, 1)}
    vertices = [Vertex(ids[node], _lines(node, called), is_leaf=False) for node in shown]
    edges: list[tuple[str, str]] = []
    # A result may be a leaf itself.
    reached = {id(x) for x in outputs if x.grad_fn is None}
    for node in shown:
        for source, _ in node.next_functions:
            if isinstance(source, AccumulateGrad):
                reached.add(id(source.variable))
                edges.append((f"l{positions[id(source.variable)] + 1}", ids[node]))
            elif source is not None:
                edges.append((ids.get(source, "older"), ids[node]))
    for number, leaf in enumerate(leaves, 1):
        if id(leaf) in reached:
            vertices.append(Vertex(f"l{number}", (called.leaf(leaf), str(tuple(leaf.shape))), is_leaf=True))
    left_out = len(nodes) - len(shown)
    if left_out:
        vertices.append(Vertex("older", (f"{left_out:,} older operation{'s' * (left_out > 1)}",), is_leaf=False))
    return Graph(tuple(vertices), tuple(edges))


def _lines(node: Any, called: Names) -> tuple[str, ...]:
    """The label of an operation: its name, its formula, and the names of its results."""
    results = [f"{name} {shape}" for name, shape in called.outputs(node)]
    return tuple([line for line in (node.short_name(), short_formula(node), *results) if line])


def _escaped(line: str) -> str:
    """A line of a label in which Mermaid finds no syntax of its own: characters by their numbers where it might."""
    line = re.sub(r'[#&"<>`\[\]{}|;]', lambda match: f"#{ord(match[0])};", line)
    # What opens like an item of a list would be taken for one.
    return re.sub(r"^(\d+)\.|^([-*+])(?= )", lambda match: f"{match[1] or ''}#{ord(match[0][-1])};", line)
