"""The graph of a computation as Mermaid text, which code hosts and notebooks draw."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from minigrad.core.tape import AccumulateGrad
from minigrad.explain.formulas import short_formula
from minigrad.explain.names import NamesGiven, as_tuple, explore, names_of, place_of


@dataclass(frozen=True)
class Vertex:
    """A leaf, or an operation: the lines of its label."""

    id: str
    lines: tuple[str, ...]
    is_leaf: bool


@dataclass(frozen=True)
class Graph:
    """A graph, from leaves to results; gradients go against the arrows.

    `str(graph)` is Mermaid text, which GitHub and JupyterLab draw.
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

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The graph as a notebook takes it: JupyterLab draws Mermaid."""
        return {"text/vnd.mermaid": str(self), "text/plain": str(self)}


def graph(tensors: Any, *, names: NamesGiven = None, max_nodes: int = 200) -> Graph:
    """The graph that a backward pass from `tensors` (one, or a sequence) walks: leaves, operations, results.

    `names` tells what tensors are called: a dict, such as `locals()`, or a module.  Of more than `max_nodes` operations
    the newest are shown.  A RuntimeError if a pass from one of the tensors walks nothing.

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
    outputs = as_tuple(tensors)
    if not all([x.requires_grad for x in outputs]):
        raise RuntimeError("a tensor does not require grad and does not have a grad_fn: a backward pass walks nothing")
    nodes, leaves = explore(outputs)
    called = names_of(names, leaves)
    results: dict[Any, list[str]] = {}
    for (node, _), (name, shape) in called.items():
        results.setdefault(node, []).append(f"{name} {shape}")
    shown = nodes[:max_nodes]
    ids: dict[Any, str] = {node: f"n{number}" for number, node in enumerate(shown, 1)}
    ids |= {AccumulateGrad(leaf): f"l{number}" for number, leaf in enumerate(leaves, 1)}
    edges = [
        (ids.get(source, "older"), ids[node])
        for node in shown
        for source, _ in node.next_functions
        if source is not None
    ]
    labels = [(node, (node.short_name(), short_formula(node), *results.get(node, []))) for node in shown]
    vertices = [Vertex(ids[node], tuple([line for line in lines if line]), False) for node, lines in labels]
    reached = {start for start, _ in edges} | {ids.get(place_of(x)[0]) for x in outputs}
    for leaf in leaves:
        name, shape = called[place_of(leaf)]
        if ids[AccumulateGrad(leaf)] in reached:
            vertices.append(Vertex(ids[AccumulateGrad(leaf)], (name, str(shape)), True))
    if len(nodes) > len(shown):
        vertices.append(Vertex("older", (f"{len(nodes) - len(shown):,} older operations",), False))
    return Graph(tuple(vertices), tuple(edges))


def _escaped(line: str) -> str:
    """A line of a label in which Mermaid finds no syntax of its own: characters by their numbers where it might."""
    return re.sub(r'[#&"<>`\[\]{}|;]', lambda match: f"#{ord(match[0])};", line)
