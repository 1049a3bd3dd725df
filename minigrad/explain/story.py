"""The story of a backward pass: which node was visited when, what came in, what went out, and where it went."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from minigrad.core.dtypes import Array
from minigrad.core.ops import Elementwise
from minigrad.core.tape import Node
from minigrad.explain.graph import NamesGiven, Place, computes, explore, names_of, place_of, read_by, rules
from minigrad.tensor import Tensor
from minigrad.tensors.creation import ones_like
from minigrad.tensors.printing import elements_text


@dataclass(frozen=True)
class Value:
    """A tensor as it was: its shape, and a copy of its elements if they are few enough to be shown."""

    shape: tuple[int, ...]
    array: Array | None
    #: The elements as they are printed, or their range.
    text: str


@dataclass(frozen=True)
class Passed:
    """A gradient that was passed on: `rule` is its formula, and it went `to` a step or a tensor's `.grad`.

    `added` says whether something had arrived there before, to which it was added.
    """

    rule: str
    #: What the rule reads of the forward pass, by name, where it is small enough to be shown.
    read: dict[str, Value]
    value: Value | None
    to: str
    added: bool


@dataclass(frozen=True)
class Step:
    """A node of the graph as the walk visited it, the `number`-th: gradients came in, and others went out.

    With the number 0, a tensor that the walk started at.
    """

    number: int
    operation: str
    #: What the operation computes, from its docstring.
    formula: str
    #: The gradients of its outputs; None where none arrived.
    came_in: tuple[Value | None, ...]
    went_out: tuple[Passed, ...]


@dataclass(frozen=True)
class Leaf:
    """A tensor whose `.grad` the walk may add to: what it was before, and what it is now."""

    name: str
    shape: tuple[int, ...]
    before: Value | None
    after: Value | None
    #: The numbers of the steps that sent a gradient here, 0 for a start.
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Story:
    """What a backward pass did: `print` it, let a notebook show it, or take `to_html()`.

    These show the first and the last of more than `max_steps` steps; the fields have all.
    """

    start: Step
    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    max_steps: int

    def __str__(self) -> str:
        return "\n\n".join([f"backward from {self.start.operation}", *[_as_text(*table) for table in self._tables()]])

    __repr__ = __str__

    def to_html(self) -> str:
        """The story as HTML."""
        start = f"<p>backward from <code>{html.escape(self.start.operation)}</code></p>"
        return "\n".join([start, *[_as_html(*table) for table in self._tables()]])

    #: What a notebook shows.
    _repr_html_ = to_html

    def _tables(self) -> Iterator[tuple[dict[str, int], list[Row]]]:
        """Two tables, with their titles: the start and the steps, or of these the first and the last; the leaves."""
        left_out, first = max(len(self.steps) - self.max_steps, 0), (self.max_steps + 1) // 2
        told = [[*_step_rows(step)] for step in self.steps]
        if left_out:
            told[first : first + left_out] = [[[["…"], [f"{left_out:,} more steps"], [], []]]]
        yield _STEPS, [row for rows in (_step_rows(self.start), *told) for row in rows]
        yield _LEAVES, [_leaf_row(leaf) for leaf in self.leaves]


def backward(
    tensor: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    *,
    names: NamesGiven = None,
    max_values: int = 20,
    max_steps: int = 40,
) -> Story:
    """Run `tensor.backward(gradient, retain_graph)`, and return the story of what it did.

    `names` tells what tensors are called: a dict, such as `locals()`, or a module.  Tensors of more than `max_values`
    elements are told by the range of these; of more than `max_steps` steps, the first and the last are shown.
    """
    origin = place_of(tensor)
    nodes, ends = explore([tensor])
    called = names_of(names, ends)
    value_of = partial(_value, max_values=max_values)
    retaining = [reference() for node in nodes if node.watch for reference in node.watch.retained.values()]
    targets = {place_of(x): x for x in (*[end.variable for end in ends], *retaining) if x is not None}
    before = {place: value_of(x._grad) for place, x in targets.items()}
    # Afterwards what the nodes keep is gone.
    read = {node: [(rule, _read(node, rule, max_values)) for rule in rules(node)] for node in nodes}
    visits = _visits(partial(tensor.backward, gradient, retain_graph), nodes, value_of)
    numbers = {node: number for number, node in enumerate(visits, 1)}
    senders: dict[Place, list[int]] = {}

    def name_at(place: Place) -> str:
        return called.get(place, ("a tensor", ()))[0]

    def passed(number: int, rule: str, read: dict[str, Value], value: Value | None, place: Place) -> Passed:
        goals = [f"step {numbers[place[0]]}"] if place[0] in numbers else []
        goals += [f"{name_at(place)}.grad"] if place in targets else []
        added = bool(goals) and place in senders
        if value is not None:
            senders.setdefault(place, []).append(number)
        return Passed(rule, read, value, " and ".join(goals) or "nowhere", added)

    rule, g = ("1, as none is given", ones_like(tensor)) if gradient is None else ("given", gradient)
    start = Step(0, _shown(tensor, name_at(origin)), "", (), (passed(0, rule, {}, value_of(g), origin),))
    steps: list[Step] = []
    for number, (node, (came_in, out)) in enumerate(visits.items(), 1):
        went_out = [
            passed(number, _summed(rule, node, value, came_in), kept, value, place)
            for (rule, kept), value, place in zip(read[node], out, node.ways, strict=True)
            if place[0] is not None
        ]
        steps.append(Step(number, node.short_name(), computes(node), tuple(came_in), tuple(went_out)))
    leaves = [
        Leaf(name_at(place), tuple(x.shape), before[place], value_of(x._grad), tuple(senders.get(place, ())))
        for place, x in targets.items()
    ]
    return Story(start, tuple(steps), tuple(leaves), max_steps)


def _shown(x: Tensor, name: str) -> str:
    """A tensor from which the walk starts, with its number or its shape."""
    return f"{name} = {elements_text(x.detach()._array)}" if x.numel() == 1 else f"{name} of shape {tuple(x.shape)}"


def _summed(rule: str, node: Node, value: Value | None, came_in: Sequence[Any]) -> str:
    """The rule of a node; one that does arithmetic on each element sums what was repeated."""
    if value is None or not isinstance(node, Elementwise) or value.shape == came_in[0].shape:
        return rule
    return f"{rule}, summed over the repetitions, to shape {value.shape}"


def _visits(
    walk: Callable[[], None], nodes: Sequence[Node], value_of: Callable[[Any], Value | None]
) -> dict[Any, list[list[Value | None]]]:
    """For each visit of the walk to one of `nodes`, in turn, what came in and what went out."""
    visits: dict[Any, list[list[Value | None]]] = {}

    def note(node: Node, out: Sequence[Tensor], into: Sequence[Tensor]) -> None:
        visits[node] = [[value_of(g) for g in gradients] for gradients in (into, out)]

    watched = [(node, node.watch) for node in nodes]
    handles = [node.register_hook(partial(note, node)) for node in nodes]
    try:
        walk()
    finally:
        for handle in handles:
            handle.remove()
        # A node that is not watched takes the fast way.
        for node, watch in watched:
            node.watch = watch
    return visits


def _read(node: Node, rule: str, max_values: int) -> dict[str, Value]:
    """What a rule of the node reads of the forward pass, if it is small: afterwards what the node keeps is gone."""
    found = [(name, array) for name, array in read_by(node, rule).items() if array.size <= max_values]
    return {name: Value(array.shape, array.copy(), elements_text(array)) for name, array in found}


def _value(x: Any, max_values: int) -> Value | None:
    """What is shown of a gradient, copied, since it may change later; None for None."""
    if x is None:
        return None
    array: Array = (x._values() if x.is_sparse else x)._array
    few = array.size <= max_values
    told = elements_text(array) if few else f"{array.min():.4g} to {array.max():.4g}"
    if not x.is_sparse:
        return Value(array.shape, array.copy() if few else None, told)
    where = f"at\n{elements_text(x._indices().numpy())}:\n" if few else f"{len(array):,} rows: "
    return Value(tuple(x.shape), None, f"sparse, {where}{told}")


# ---- the story as tables ---------------------------------------------------------------------------------------------


class Code(str):
    """A line that is a name, numbers or a formula."""

    __slots__ = ()


#: The lines of each cell; text between backticks is code.
Row: TypeAlias = list[list[str]]

#: The titles, and how wide their columns may be in a terminal: a line has up to 100 characters.
_STEPS = {"step": 5, "operation": 29, "rule": 29, "went out to": 31}
_LEAVES = {"tensor": 24, "shape": 13, "from": 9, ".grad before": 23, ".grad now": 23}


def _step_rows(step: Step) -> Iterator[Row]:
    """The rows that tell a step: one for each gradient that went out."""
    operation = [Code(step.operation), step.formula] if step.number else [step.operation]
    came_in = [line for g in step.came_in for line in _labelled("came in", g)]
    told: Row = [[str(step.number or "start")], [*operation, *came_in]]
    for passed in step.went_out:
        rule: list[str] = [f"`{passed.rule.replace('`', '')}`"] if passed.rule else []
        for name, value in passed.read.items():
            rule += map(Code, f"{name} = {value.text}".replace("\n", "\n" + " " * len(f"{name} = ")).splitlines())
        to = f"{passed.to}, added" if passed.added else passed.to
        yield [*told, rule, _labelled(to, passed.value)]
        told = [[], []]


def _leaf_row(leaf: Leaf) -> Row:
    came = [f"step {number}" if number else "the start" for number in leaf.steps]
    return [[Code(leaf.name)], [Code(leaf.shape)], came or ["nothing"], _lines(leaf.before), _lines(leaf.after)]


def _lines(value: Value | None) -> list[str]:
    return ["None"] if value is None else [Code(line) for line in value.text.splitlines()]


def _labelled(label: str, value: Value | None) -> list[str]:
    return [f"{label}: None"] if value is None else [f"{label}: `{value.shape}`", *_lines(value)]


def _as_text(titles: dict[str, int], rows: Iterable[Row]) -> str:
    """A table in columns."""
    wrapped = [[_wrapped(cell, width) for cell, width in zip(row, titles.values(), strict=True)] for row in rows]
    lines = [tuple(titles), *[line for row in wrapped for line in itertools.zip_longest(*row, fillvalue="")]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines])


def _wrapped(cell: Iterable[str], width: int) -> list[str]:
    """The lines of a cell; numbers stand below those of the line before."""
    lines: list[str] = []
    for line in cell:
        indent = len(line) - len(re.sub(r"^(\w+ = )? *\[*", "", line)) if isinstance(line, Code) else 0
        text = line if isinstance(line, Code) else line.replace("`", "")
        lines += textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)
    return lines


def _as_html(titles: Iterable[str], rows: Iterable[Row]) -> str:
    """A table as HTML, whose cells begin at the left and the top, in notebooks too."""
    style = 'style="text-align: left; vertical-align: top"'
    head = "".join([f'<th scope="col" {style}>{html.escape(title)}</th>' for title in titles])
    cells = [[f"<td {style}>{'<br>'.join(map(_html, cell))}</td>" for cell in row] for row in rows]
    body = "\n".join([f"<tr>{''.join(row)}</tr>" for row in cells])
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _html(line: str) -> str:
    """The line as HTML: a browser breaks one that is too long, and keeps the spaces between numbers."""
    if isinstance(line, Code):
        return f'<code style="white-space: pre-wrap">{html.escape(line)}</code>'
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(line))
