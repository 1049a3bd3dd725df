"""The story of a backward pass: which node was visited when, what came in, what went out, and where it went."""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from minigrad import autograd
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Elementwise
from minigrad.core.tape import Node
from minigrad.core.walk import as_tuple
from minigrad.explain.formulas import computes, read_by, rules
from minigrad.explain.graph import NamesGiven, Place, explore, names_of, outputs_of, place_of
from minigrad.tensor import Tensor
from minigrad.tensors.creation import ones_like
from minigrad.tensors.printing import elements_text


@dataclass(frozen=True)
class Value:
    """A tensor as it was: its shape, and its elements (an array of their own) if they are few enough to be shown."""

    shape: tuple[int, ...]
    array: Array | None
    #: The elements as they are printed, or between which numbers they lie.
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

    starts: tuple[Step, ...]
    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    max_steps: int

    @property
    def start(self) -> str:
        """What the walk started at."""
        return ", ".join([each.operation for each in self.starts])

    def __str__(self) -> str:
        rows, leaves = [*self._rows()], [_leaf_row(leaf) for leaf in self.leaves]
        fewer = as_text(_FEWER, [_in_fewer(row) for row in rows], (0, 29, 29, 31))
        steps = _that_fits(as_text(_STEPS, rows, (0, 24, 0, 26, 0, 0)), fewer)
        told = _that_fits(*[as_text(_LEAVES, leaves, widths) for widths in _WIDTHS])
        return f"backward from {self.start}\n\n{steps}\n\n{told}"

    __repr__ = __str__

    def to_html(self) -> str:
        """The story as HTML."""
        start = f"<p>backward from <code>{html.escape(self.start)}</code></p>"
        tables = as_html(_STEPS, self._rows()), as_html(_LEAVES, map(_leaf_row, self.leaves))
        return "\n".join([start, *tables])

    #: What a notebook shows.
    _repr_html_ = to_html

    def _rows(self) -> Iterator[list[Cell]]:
        """The rows that tell the starts and the steps, or of these the first and the last."""
        left_out = max(len(self.steps) - self.max_steps, 0)
        first = len(self.steps) if not left_out else (self.max_steps + 1) // 2
        for step in (*self.starts, *self.steps[:first]):
            yield from _step_rows(step)
        if left_out:
            yield [["…"], [f"{left_out:,} more steps"], [], [], [], []]
        for step in self.steps[first + left_out :]:
            yield from _step_rows(step)


def backward(
    tensors: Tensor,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Any = None,
    names: NamesGiven = None,
    max_values: int = 20,
    max_steps: int = 40,
) -> Story:
    """Run `torch.autograd.backward` with these arguments, and return the story of what it did.

    `names` tells what tensors are called: a dict, such as `locals()`, or a module.  Tensors of more than `max_values`
    elements are told by the range of these; of more than `max_steps` steps, the first and the last are shown.
    """
    outputs = outputs_of(tensors)
    given = None if grad_tensors is None else as_tuple(grad_tensors)
    wanted = None if inputs is None else as_tuple(inputs)
    nodes, ends = explore(outputs)
    called = {place: name for place, (name, _) in names_of(names, ends).items()}
    value_of = partial(_value, max_values=max_values)
    retaining = [reference() for node in nodes if node.watch for reference in node.watch.retained.values()]
    asked = [end.variable for end in ends] if wanted is None else wanted
    targets = {place_of(x): x for x in (*asked, *retaining) if isinstance(x, Tensor)}
    before = {place: value_of(x._grad) for place, x in targets.items()}
    # Afterwards what the nodes keep is gone.
    read = {node: [(rule, _read(node, rule, max_values)) for rule in rules(node)] for node in nodes}
    with _noted(nodes, value_of) as visits:
        autograd.backward(outputs, given, retain_graph, create_graph, inputs=wanted)
    numbers = {node: number for number, node in enumerate(visits, 1)}
    senders: dict[Place, list[int]] = {}

    def passed(number: int, rule: str, read: dict[str, Value], value: Value | None, place: Place) -> Passed:
        goals = [f"step {numbers[place[0]]}"] if place[0] in numbers else []
        goals += [f"{called.get(place, 'input')}.grad"] if place in targets else []
        added = bool(goals) and place in senders
        if value is not None:
            senders.setdefault(place, []).append(number)
        return Passed(rule, read, value, " and ".join(goals) or "not asked for", added)

    starts: list[Step] = []
    for number, (x, g) in enumerate(zip(outputs, given or [None] * len(outputs), strict=True), 1):
        place = place_of(x)
        told = _told(x, called.get(place, "a tensor" if len(outputs) == 1 else f"tensor {number}"))
        rule, value = "given" if g is not None else "1, as none is given", value_of(ones_like(x) if g is None else g)
        starts.append(Step(0, told, "", (), (passed(0, rule, {}, value, place),)))
    steps: list[Step] = []
    for number, (node, (came_in, out)) in enumerate(visits.items(), 1):
        went_out = [
            passed(number, _summed(rule, node, value, came_in), kept, value, place)
            for (rule, kept), value, place in zip(read[node], out, node.ways, strict=True)
            if place[0] is not None
        ]
        steps.append(Step(number, node.short_name(), computes(node), tuple(came_in), tuple(went_out)))
    leaves = [
        Leaf(called.get(p, "input"), tuple(x.shape), before[p], value_of(x._grad), tuple(senders.get(p, ())))
        for p, x in targets.items()
    ]
    return Story(tuple(starts), tuple(steps), tuple(leaves), max_steps)


def _told(x: Tensor, name: str) -> str:
    """What a walk starts from: one number, or a tensor of some shape."""
    return f"{name} = {elements_text(x.detach()._array)}" if x.numel() == 1 else f"{name} of shape {tuple(x.shape)}"


def _summed(rule: str, node: Node, value: Value | None, came_in: Sequence[Any]) -> str:
    """The rule of a node; one that does arithmetic on each element sums what was repeated."""
    if value is None or not isinstance(node, Elementwise) or value.shape == came_in[0].shape:
        return rule
    return f"{rule}, summed over the repetitions, to shape {value.shape}"


@contextmanager
def _noted(
    nodes: Sequence[Node], value_of: Callable[[Any], Value | None]
) -> Iterator[dict[Any, list[list[Value | None]]]]:
    """A block in which it is noted, for each visit of a walk to one of `nodes`, what came in and what went out."""
    visits: dict[Any, list[list[Value | None]]] = {}

    def note(node: Node, out: Sequence[Tensor], into: Sequence[Tensor]) -> None:
        visits[node] = [[value_of(g) for g in gradients] for gradients in (into, out)]

    watched = [(node, node.watch) for node in nodes]
    handles = [node.register_hook(partial(note, node)) for node in nodes]
    try:
        yield visits
    finally:
        for handle in handles:
            handle.remove()
        # A node that is not watched takes the fast way.
        for node, watch in watched:
            node.watch = watch


def _read(node: Node, rule: str, max_values: int) -> dict[str, Value]:
    """What a rule of the node reads of the forward pass, if it is small: afterwards what the node keeps is gone."""
    found = [(name, array) for name, array in read_by(node, rule).items() if array.size <= max_values]
    return {name: Value(array.shape, array.copy(), elements_text(array)) for name, array in found}


def _value(x: Any, max_values: int) -> Value | None:
    """What is told of a gradient, which may change later; None for none."""
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

_STEPS = ("step", "operation", "came in", "rule", "went out", "to")
#: Where a terminal is too narrow for these.
_FEWER = ("step", "operation, and what came in", "rule", "where to, and what went out")
_LEAVES = ("tensor", "shape", "from", ".grad before", ".grad now")
_WIDTHS = ((0, 0, 0, 0, 0), (0, 0, 0, 30, 30), (24, 13, 9, 23, 23))


def _step_rows(step: Step) -> Iterator[list[Cell]]:
    """The rows that tell a step: one for each gradient that went out."""
    number: Cell = [str(step.number or "start")]
    operation: Cell = [Code(step.operation), step.formula] if step.number else [step.operation]
    came_in: Cell = [line for value in step.came_in for line in _with_shape(value)]
    for passed in step.went_out:
        rule: list[str] = [f"`{passed.rule.replace('`', '')}`"] if passed.rule else []
        for name, value in passed.read.items():
            first, *others = value.text.splitlines()
            rule += [Code(f"{name} = {first}"), *[Code(" " * len(f"{name} = ") + line) for line in others]]
        to = f"{passed.to}, added" if passed.added else passed.to
        yield [number, operation, came_in, rule, _with_shape(passed.value), [to]]
        number, operation, came_in = [], [], []


def _in_fewer(row: list[Cell]) -> list[Cell]:
    """The row in the columns of `_FEWER`."""
    number, operation, came_in, rule, went_out, to = row
    return [number, [*operation, *came_in], rule, [*to, *went_out]]


def _leaf_row(leaf: Leaf) -> list[Cell]:
    came = [
        f"{f'step {number}' if number else 'the start'}{f', {count} times' if count > 1 else ''}"
        for number, count in Counter(leaf.steps).items()
    ]
    return [[Code(leaf.name)], [Code(leaf.shape)], came or ["nothing"], _lines(leaf.before), _lines(leaf.after)]


def _lines(value: Value | None) -> list[str]:
    return ["None"] if value is None else [Code(line) for line in value.text.splitlines()]


def _with_shape(value: Value | None) -> list[str]:
    return _lines(value) if value is None else [Code(value.shape), *_lines(value)]


# ---- a table of texts, for a terminal and as HTML --------------------------------------------------------------------


class Code(str):
    """A line that is a name, numbers or a formula: it is wrapped behind commas."""

    __slots__ = ()


#: The lines of a cell; what stands between backticks in one is code.
Cell: TypeAlias = Sequence[str]


def _that_fits(*tables: str) -> str:
    """The first of the tables whose lines a terminal does not break, else the last."""
    return next((each for each in tables if max(map(len, each.splitlines())) <= 100), tables[-1])


def as_text(titles: Sequence[str], rows: Iterable[Sequence[Cell]], widths: Sequence[int]) -> str:
    """A table in columns, each of which is wrapped to its width, 0 for as it is."""
    wrapped = [[_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    columns = [
        max([len(title), *[len(line) for row in wrapped for line in row[place]]]) for place, title in enumerate(titles)
    ]
    lines = [titles, *[line for row in wrapped for line in itertools.zip_longest(*row, fillvalue="")]]
    return "\n".join(
        ["  ".join([text.ljust(width) for text, width in zip(line, columns, strict=True)]).rstrip() for line in lines]
    )


def as_html(titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table as HTML, whose cells begin at the left and the top, in notebooks too."""
    style = 'style="text-align: left; vertical-align: top"'
    head = "".join([f'<th scope="col" {style}>{html.escape(title)}</th>' for title in titles])
    cells = [[f"<td {style}>{'<br>'.join(map(_html, cell))}</td>" for cell in row] for row in rows]
    body = "\n".join([f"<tr>{''.join(row)}</tr>" for row in cells])
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _wrapped(cell: Cell, width: int) -> list[str]:
    lines: list[str] = []
    for line in cell:
        # Numbers stand below those of the line before.
        is_code = isinstance(line, Code)
        indent = len(line) - len(re.sub(r"^(\w+ = )? *\[*", "", line)) if is_code else 0
        text = line if is_code else line.replace("`", "")
        room = width or len(text) + 1
        lines.append("")
        for piece in _pieces(text, room, "(?<=,)(?= )" if is_code else "(?= )"):
            if lines[-1] and len(lines[-1] + piece) > room:
                lines.append(" " * indent + piece.removeprefix(" "))
            else:
                lines[-1] += piece
    return lines


def _pieces(text: str, width: int, gap: str) -> Iterator[str]:
    """What lines are made of: what stands between gaps; a longer name is broken behind its dots, or anywhere."""
    for word in re.split(gap, text):
        for name in [word] if len(word) <= width else re.split(r"(?<=\w\.)(?=[A-Za-z_])|(?<=[A-Za-z_]\.)(?=\d)", word):
            yield from re.findall(f".{{1,{width}}}", name)


def _html(line: str) -> str:
    """The line as HTML: a browser breaks one that is too long, and keeps the spaces between numbers."""
    if isinstance(line, Code):
        return f'<code style="white-space: pre-wrap">{html.escape(line)}</code>'
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(line))
