"""The story of a backward pass: which node was visited when, what came in, what went out, and where it went."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minigrad import autograd
from minigrad.autograd.hooks import AccumulateGrad
from minigrad.autograd.node import Node
from minigrad.dtypes import Array
from minigrad.explain.formulas import forward_formula, needed_formulas
from minigrad.explain.names import Names, NamesGiven, as_tuple, explore
from minigrad.explain.tables import Cell, Code, Table
from minigrad.printing import elements_text
from minigrad.tensor import Tensor


@dataclass(frozen=True)
class Value:
    """A gradient as it was: its shape, and its elements (an array of their own) if they are few enough to be shown."""

    shape: tuple[int, ...]
    array: Array | None
    #: The elements as they are printed, or between which numbers they lie.
    text: str

    @staticmethod
    def of(array: Array, max_values: int) -> Value:
        """What is told of an array, which may change later."""
        if array.size <= max_values:
            return Value(array.shape, array.copy(), elements_text(array))
        return Value(array.shape, None, f"{array.min():.4g} to {array.max():.4g}")

    def lines(self) -> Cell:
        """The shape, and below it the elements."""
        return [Code(_shape(self.shape)), *_values(self)]


@dataclass(frozen=True)
class Passed:
    """A gradient that a node passed on: `rule` is its formula, and it went `to` a step or a leaf's `.grad`.

    `added` says whether something had arrived there before, to which it was added.
    """

    rule: str
    value: Value | None
    to: str
    added: bool

    def where(self) -> str:
        """Where it went, in words."""
        return f"{self.to}, added" if self.added else self.to


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
    #: The numbers of the steps that sent a gradient here.
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Story:
    """What a backward pass did: `print` it, let a notebook show it, or take `to_markdown()`.

    Tables show the first and the last steps if there are more than `max_steps`; `steps` has all.
    """

    start: str
    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    max_steps: int

    def __str__(self) -> str:
        return "\n\n".join([f"backward from {self.start}", *[table.text() for table in self._tables()]])

    __repr__ = __str__

    def to_markdown(self) -> str:
        """The story as Markdown."""
        return "\n\n".join([f"backward from `{self.start}`", *[table.markdown() for table in self._tables()]]) + "\n"

    def _repr_html_(self) -> str:
        """The story as a notebook shows it."""
        start = f"<p>backward from <code>{html.escape(self.start)}</code></p>"
        return "\n".join([start, *[table.html() for table in self._tables()]])

    def _tables(self) -> list[Table]:
        steps = Table(("step", "operation", "came in", "rule", "went out", "to"), (0, 24, 0, 26, 0, 0))
        half = self.max_steps // 2
        left_out = len(self.steps) - 2 * half if len(self.steps) > self.max_steps else 0
        for step in self.steps[:half] if left_out else self.steps:
            steps.rows += _rows(step)
        if left_out:
            steps.rows.append([["…"], [f"{left_out:,} more steps"], [], [], [], []])
            for step in self.steps[len(self.steps) - half :]:
                steps.rows += _rows(step)
        leaves = Table(("leaf", "shape", "from", ".grad before", ".grad now"), (0, 0, 0, 0, 0))
        for leaf in self.leaves:
            times = Counter(leaf.steps)
            came = [f"step {number}{f', {count} times' if count > 1 else ''}" for number, count in times.items()]
            leaves.rows.append(
                [
                    [Code(leaf.name)],
                    [Code(_shape(leaf.shape))],
                    came or ["nothing"],
                    _values(leaf.before),
                    _values(leaf.after),
                ]
            )
        return [table for table in (steps, leaves) if table.rows]


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
    Tensors of more than `max_values` elements are told by the range of these, and of more than `max_steps` steps the
    tables show the first and the last.
    """
    outputs = as_tuple(tensors)
    called = Names(names)
    nodes, leaves = explore([x for x in outputs if isinstance(x, Tensor)])
    targets = leaves if inputs is None else list(as_tuple(inputs))
    for leaf in leaves:
        called.leaf(leaf)
    start = ", ".join([_started(x, called) for x in outputs])
    before = [_value(x._grad, max_values) for x in targets]
    visits: list[_Visit] = []
    with _watching(nodes, lambda node, into, out: visits.append(_visit(node, into, out, max_values))):
        autograd.backward(outputs, grad_tensors, retain_graph, create_graph, inputs=inputs)
    return _told(start, visits, targets, before, called, max_values, max_steps)


@dataclass(frozen=True)
class _Visit:
    """What was seen at a node."""

    node: Node
    into: tuple[Value | None, ...]
    out: tuple[Value | None, ...]


def _visit(node: Node, into: tuple[Any, ...], out: tuple[Any, ...], max_values: int) -> _Visit:
    return _Visit(node, *[tuple([_value(g, max_values) for g in gradients]) for gradients in (into, out)])


@contextmanager
def _watching(nodes: list[Node], see: Callable[[Node, tuple[Any, ...], tuple[Any, ...]], None]) -> Iterator[None]:
    """Call `see(node, gradients that came in, gradients that went out)` whenever a walk has been at one of `nodes`."""

    def hook_for(node: Node) -> Callable[..., None]:
        return lambda out, into: see(node, into, out)

    handles = [node.register_hook(hook_for(node)) for node in nodes]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _told(
    start: str,
    visits: list[_Visit],
    targets: list[Any],
    before: list[Value | None],
    called: Names,
    max_values: int,
    max_steps: int,
) -> Story:
    """The story of these visits."""
    numbers: dict[Any, int] = {visit.node: number for number, visit in enumerate(visits, 1)}
    places = {_place(x): f"{called.tensor(x) or 'input'}.grad" for x in targets}
    senders: dict[Any, list[int]] = {}
    steps: list[Step] = []
    for number, visit in enumerate(visits, 1):
        node, rules = visit.node, iter(needed_formulas(visit.node))
        passed: list[Passed] = []
        for value, (edge, index) in zip(visit.out, node.next_functions, strict=True):
            if edge is None:
                continue
            rule = next(rules)
            place = (edge, index)
            named = [f"step {numbers[edge]}"] if edge in numbers else []
            named += [places[place]] if place in places else []
            passed.append(Passed(rule, value, " and ".join(named) or "not asked for", bool(named) and place in senders))
            if value is not None:
                senders.setdefault(place, []).append(number)
        steps.append(Step(number, node.short_name(), forward_formula(node), visit.into, tuple(passed)))
    found = [
        Leaf(
            places[_place(x)].removesuffix(".grad"),
            tuple(x.shape),
            earlier,
            _value(x._grad, max_values),
            tuple(senders.get(_place(x), ())),
        )
        for x, earlier in zip(targets, before, strict=True)
    ]
    return Story(start, tuple(steps), tuple(found), max_steps)


def _place(x: Any) -> tuple[Any, int]:
    """Where gradients of `x` arrive, as `next_functions` tells it."""
    return (AccumulateGrad(x), 0) if x.grad_fn is None else (x.grad_fn, x.output_nr)


def _started(x: Any, called: Names) -> str:
    """A tensor that the walk starts at: its name if it has one, its shape, and its value if it is a number."""
    name = called.tensor(x) or "a tensor"
    return f"{name} = {elements_text(x.detach().numpy())}" if x.numel() == 1 else f"{name} of shape {_shape(x.shape)}"


def _value(x: Any, max_values: int) -> Value | None:
    """What is told of a gradient; None for none."""
    if x is None:
        return None
    if x.is_sparse:
        rows = Value.of(x._values().detach().numpy(), max_values)
        places = elements_text(x._indices().numpy())
        return Value(tuple(x.shape), None, f"sparse, at\n{places}:\n{rows.text}")
    return Value.of(x.detach().numpy(), max_values)


def _shape(shape: Sequence[int]) -> str:
    return str(tuple(shape))


def _values(value: Value | None) -> Cell:
    return ["None"] if value is None else [Code(line) for line in value.text.splitlines() if line]


def _rows(step: Step) -> Iterator[list[Cell]]:
    """The rows that tell a step: one for each gradient that went out."""
    operation: Cell = [Code(step.operation), step.formula]
    came_in: Cell = [line for value in step.came_in for line in (["None"] if value is None else value.lines())]
    number: Cell = [str(step.number)]
    for passed in step.went_out:
        rule = passed.rule.replace("`", "")
        went_out = ["None"] if passed.value is None else passed.value.lines()
        yield [number, operation, came_in, [f"`{rule}`"] if rule else [], went_out, [passed.where()]]
        number, operation, came_in = [], [], []
