"""The story of a backward pass: which node was visited when, what came in, what went out, and where it went."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from minigrad import autograd
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Elementwise
from minigrad.core.tape import AccumulateGrad, Node
from minigrad.explain.formulas import formulas, read_by
from minigrad.explain.names import Names, NamesGiven, as_tensors, explore
from minigrad.explain.tables import Cell, Code, Table
from minigrad.explain.watching import Watching
from minigrad.ops.kinds import Ternary
from minigrad.tensor import Tensor
from minigrad.tensors.printing import elements_text

#: Where gradients arrive: at an output of a node, or at a leaf.
_Place: TypeAlias = tuple[Any, int]


@dataclass(frozen=True)
class Value:
    """A tensor as it was: its shape, and its elements (an array of their own) if they are few enough to be shown."""

    shape: tuple[int, ...]
    array: Array | None
    #: What is told if there is no array: between which numbers the elements lie.
    summary: str = ""
    #: Whether a hook changed what there was before.
    changed: bool = False

    @property
    def text(self) -> str:
        """The elements as they are printed, or between which numbers they lie."""
        return self.summary if self.array is None else elements_text(self.array)


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

    def where(self) -> str:
        """Where it went, in words."""
        return f"{self.to}, added" if self.added else self.to


@dataclass(frozen=True)
class Start:
    """A tensor that the walk starts at, in words, and the gradient that it starts with."""

    tensor: str
    went_out: Passed


@dataclass(frozen=True)
class Step:
    """A node of the graph as the walk visited it, the `number`-th: gradients came in, and others went out."""

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
    #: Whether a hook changed what had arrived, or what this made of `.grad`.
    changed: bool


@dataclass(frozen=True)
class Story:
    """What a backward pass did: `print` it, let a notebook show it, or take `to_markdown()` or `to_html()`.

    These show the first and the last of more than `max_steps` starts, steps, gradients of one step or tensors; the
    fields have all.
    """

    starts: tuple[Start, ...]
    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    max_steps: int

    @property
    def start(self) -> str:
        """What the walk started at."""
        return ", ".join(self._some([each.tensor for each in self.starts], "start"))

    def __str__(self) -> str:
        return "\n\n".join([f"backward from {self.start}", *[table.text() for table in self._tables()]])

    __repr__ = __str__

    def to_markdown(self) -> str:
        """The story as Markdown."""
        return "\n\n".join([f"backward from `{self.start}`", *[table.markdown() for table in self._tables()]]) + "\n"

    def to_html(self) -> str:
        """The story as HTML."""
        start = f"<p>backward from <code>{html.escape(self.start)}</code></p>"
        return "\n".join([start, *[table.html() for table in self._tables()]])

    #: What a notebook shows.
    _repr_html_ = to_html

    def _tables(self) -> list[Table]:
        steps = Table(("step", "operation", "came in", "rule", "went out", "to"), (0, 24, 0, 26, 0, 0))
        self._fill(steps, self.starts, "start", lambda start: [_start_row(start)])
        self._fill(steps, self.steps, "step", self._step_rows)
        leaves = Table(("tensor", "shape", "from", ".grad before", ".grad now"), (0, 0, 0, 0, 0))
        self._fill(leaves, self.leaves, "tensor", lambda leaf: [self._leaf_row(leaf)])
        return [table for table in (steps, leaves) if table.rows]

    def _some(self, told: Sequence[Any], what: str) -> list[Any]:
        """All that is told, or the first and the last, with words between them on how much is left out."""
        left_out = len(told) - self.max_steps
        if left_out <= 0:
            return list(told)
        first, last = (self.max_steps + 1) // 2, self.max_steps // 2
        return [*told[:first], f"{left_out:,} more {what}{'s' * (left_out > 1)}", *told[len(told) - last :]]

    def _fill(
        self, table: Table, told: Sequence[Any], what: str, rows: Callable[[Any], Iterable[Iterable[Cell]]]
    ) -> None:
        """Add the rows of all that is told, or of the first and the last."""
        for each in self._some(told, what):
            for row in [[["…"], [each]]] if isinstance(each, str) else rows(each):
                table.add(row)

    def _step_rows(self, step: Step) -> Iterator[list[Cell]]:
        """The rows that tell a step: one for each gradient that went out."""
        number: Cell = [str(step.number)]
        operation: Cell = [Code(step.operation), step.formula]
        came_in: Cell = [line for value in self._some(step.came_in, "gradient") for line in _lines(value)]
        for passed in self._some(step.went_out, "gradient"):
            yield [number, operation, came_in, *([["…"], [passed]] if isinstance(passed, str) else _cells(passed))]
            number, operation, came_in = [], [], []

    def _leaf_row(self, leaf: Leaf) -> list[Cell]:
        came = [
            f"{f'step {number}' if number else 'the start'}{f', {count} times' if count > 1 else ''}"
            for number, count in Counter(leaf.steps).items()
        ]
        sources = [*self._some(came, "step"), *["changed by a hook"] * leaf.changed]
        values = [_values(leaf.before), _values(leaf.after)]
        return [[Code(leaf.name)], [Code(_shape(leaf.shape))], sources or ["nothing"], *values]


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Any = None,
    names: NamesGiven = None,
    max_values: int = 12,
    max_steps: int = 40,
) -> Story:
    """Run `torch.autograd.backward` with these arguments, and return the story of what it did.

    `names` tells what tensors are called: a dict, such as `locals()`, a module, or `model.named_parameters()`.
    Tensors of more than `max_values` elements are told by the range of these.  Of more than `max_steps` steps, and of
    as many starts, tensors or gradients of one step, tables show the first and the last.
    """
    called = Names(names)
    outputs = as_tensors(tensors)
    # An iterator can be read only once.
    given = None if grad_tensors is None else _as_tuple(grad_tensors)
    wanted = None if inputs is None else _as_tuple(inputs)
    # What could fail comes before the walk: after it the graph is gone.
    nodes, leaves = explore(outputs)
    for leaf in leaves:
        called.leaf(leaf)
    starts = _starts(outputs, given or (), called, max_values)
    facts = {node: _facts(node, max_values) for node in nodes}
    retaining = [reference() for node in nodes if node.watch for reference in node.watch.retained.values()]
    targets = {id(x): x for x in (*(leaves if wanted is None else wanted), *retaining) if isinstance(x, Tensor)}
    ends = [_End(x, called.tensor(x) or "input", _place(x), _value(x._grad, max_values)) for x in targets.values()]
    with Watching(nodes, leaves, lambda g, changed: _value(g, max_values, changed)) as watching:
        autograd.backward(outputs, given, retain_graph, create_graph, inputs=wanted)
    return Story(*_told(starts, watching, facts, ends, max_values), max_steps)


class _Start(NamedTuple):
    """A tensor to start at and the gradient to start with, both also in words, and where that arrives."""

    tensor: str
    rule: str
    value: Value | None
    place: _Place


class _Facts(NamedTuple):
    """What a node is and, for each input, where its gradient goes, how it is computed and what that reads."""

    operation: str
    formula: str
    broadcasts: bool
    places: tuple[_Place, ...]
    rules: tuple[str, ...]
    read: list[dict[str, Value]]


class _End(NamedTuple):
    """A tensor whose `.grad` may be written, what it is called, where its gradients arrive, and what it has."""

    tensor: Any
    name: str
    place: _Place
    before: Value | None


def _starts(outputs: tuple[Tensor, ...], given: tuple[Any, ...], called: Names, max_values: int) -> list[_Start]:
    names = [called.tensor(x) for x in outputs]
    starts: list[_Start] = []
    for position, (x, name) in enumerate(zip(outputs, names, strict=True)):
        name = name or ("a tensor" if names.count("") == 1 else f"tensor {position + 1}")
        is_one = x.numel() == 1
        told = f"{name} = {elements_text(x.detach().numpy())}" if is_one else f"{name} of shape {_shape(x.shape)}"
        g = given[position] if position < len(given) else None
        ones = Value(tuple(x.shape), np.broadcast_to(1.0, tuple(x.shape)))
        # What is neither a tensor nor None is refused before the walk.
        value = _value(g, max_values) if isinstance(g, Tensor) else ones
        starts.append(_Start(told, "given" if g is not None else "1, as none is given", value, _place(x)))
    return starts


def _facts(node: Node, max_values: int) -> _Facts:
    computes, rules, _ = formulas(node)
    read = [
        {}
        if edge is None
        else {name: Value(x.shape, x.copy()) for name, x in read_by(node, position).items() if x.size <= max_values}
        for position, edge in enumerate(node.edges)
    ]
    return _Facts(
        node.short_name(), computes, isinstance(node, (Elementwise, Ternary)), node.next_functions, rules, read
    )


def _told(
    starts: list[_Start], watching: Watching, facts: dict[Node, _Facts], ends: list[_End], max_values: int
) -> tuple[tuple[Start, ...], tuple[Step, ...], tuple[Leaf, ...]]:
    """The starts, the steps and the leaves of the story."""
    numbers: dict[Any, int] = {visit.node: number for number, visit in enumerate(watching.visits, 1)}
    fields = {end.place: f"{end.name}.grad" for end in ends if end.tensor.requires_grad}
    frozen = {end.place: f"dropped: {end.name} requires no gradient" for end in ends if end.place not in fields}
    senders: dict[_Place, list[int]] = {}

    def passed(number: int, rule: str, read: dict[str, Value], value: Value | None, place: _Place) -> Passed:
        named = [f"step {numbers[place[0]]}"] if place[0] in numbers else []
        named += [fields[place]] if place in fields else []
        if not named:
            return Passed(rule, read, value, frozen.get(place, "not asked for"), False)
        added = place in senders
        if value is not None:
            senders.setdefault(place, []).append(number)
        return Passed(rule, read, value, " and ".join(named), added)

    told = tuple([Start(each.tensor, passed(0, each.rule, {}, each.value, each.place)) for each in starts])
    steps: list[Step] = []
    for number, visit in enumerate(watching.visits, 1):
        known = facts[visit.node]
        went_out = [
            passed(number, _rule(rule, known, visit.came_in, value), read, value, place)
            for rule, read, value, place in zip(known.rules, known.read, visit.went_out, known.places, strict=True)
            if place[0] is not None
        ]
        steps.append(Step(number, known.operation, known.formula, visit.came_in, tuple(went_out)))
    # What a tensor retains is what came in at its node.
    changed = {
        (visit.node, position)
        for visit in watching.visits
        for position, value in enumerate(visit.came_in)
        if value is not None and value.changed
    }
    leaves = [
        Leaf(
            end.name,
            tuple(end.tensor.shape),
            end.before,
            _value(end.tensor._grad, max_values),
            tuple(senders.get(end.place, ())),
            id(end.tensor) in watching.changed_leaves or end.place in changed,
        )
        for end in ends
    ]
    return told, tuple(steps), tuple(leaves)


def _rule(rule: str, known: _Facts, came_in: tuple[Value | None, ...], value: Value | None) -> str:
    """The rule, and what follows it where an input was repeated to the shape of the output."""
    g = came_in[0]
    if not known.broadcasts or g is None or value is None or value.shape == g.shape:
        return rule
    return f"{rule}, summed over the repetitions, to shape {_shape(value.shape)}"


def _place(x: Tensor) -> _Place:
    """Where gradients of `x` arrive, as `next_functions` tells it."""
    return (AccumulateGrad(x), 0) if x.grad_fn is None else (x.grad_fn, x.output_nr)


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, Tensor) else tuple(given)


def _value(x: Any, max_values: int, changed: bool = False) -> Value | None:
    """What is told of a gradient, which may change later; None for none."""
    if x is None:
        return None
    array: Array = (x._values() if x.is_sparse else x)._array
    shape, few = tuple(x.shape) if x.is_sparse else array.shape, array.size <= max_values
    if not x.is_sparse:
        return Value(shape, array.copy() if few else None, "" if few else _range(array), changed)
    if few and x._indices().numel() <= max_values:
        return Value(
            shape, None, f"sparse, at\n{elements_text(x._indices().numpy())}:\n{elements_text(array)}", changed
        )
    return Value(shape, None, f"sparse, {len(array):,} rows: {_range(array)}", changed)


def _range(array: Array) -> str:
    """Between which numbers the elements lie, and how many of them are none."""
    low, high = array.min(initial=np.inf), array.max(initial=-np.inf)
    if np.isfinite(low) and np.isfinite(high):
        return f"{low:.4g} to {high:.4g}"
    finite = array[np.isfinite(array)]
    told = [f"{finite.min():.4g} to {finite.max():.4g}"] if finite.size else []
    for name, places in (("nan", np.isnan(array)), ("inf", array == np.inf), ("-inf", array == -np.inf)):
        told += [f"{np.count_nonzero(places):,} of {array.size:,} {name}"] if places.any() else []
    return ", ".join(told)


def _shape(shape: Sequence[int]) -> str:
    return str(tuple(shape))


def _values(value: Value | None) -> list[str]:
    return ["None"] if value is None else [Code(line) for line in value.text.splitlines() if line]


def _lines(value: Value | str | None) -> list[str]:
    """The shape, below it the elements, and whether a hook changed them."""
    if not isinstance(value, Value):
        return [str(value)]
    return [Code(_shape(value.shape)), *_values(value), *["changed by a hook"] * value.changed]


def _cells(passed: Passed) -> list[Cell]:
    """The cells of a row that tell of a gradient: its rule, what it was, and where it went."""
    rule = passed.rule.replace("`", "")
    lines = [f"`{rule}`"] if rule else []
    for name, value in passed.read.items():
        indent = " " * len(f"{name} = ")
        lines += [Code(f"{indent if k else f'{name} = '}{line}") for k, line in enumerate(_values(value))]
    return [lines, _lines(passed.value), [passed.where()]]


def _start_row(start: Start) -> list[Cell]:
    return [["start"], [start.tensor], [], *_cells(start.went_out)]
