"""What the tensors of a graph are called, and what the graph consists of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from minigrad.core.tape import AccumulateGrad, Node
from minigrad.nn import Module
from minigrad.tensor import Tensor

#: Names for tensors: a dict, such as `locals()`, a module, or pairs, such as `model.named_parameters()`.
NamesGiven: TypeAlias = "Mapping[str, Any] | Module | Iterable[tuple[str, Any]] | None"


class Names:
    """The names of tensors; a leaf without one gets a number.

    All that are tensors or modules have a name, the latter's parameters, too, and so do those in lists, tuples and
    dicts, so that `names=locals()` may be given: `model.weight`, `layers[0].weight`.  Of a mapping, names that begin
    with an underscore are left out.
    """

    def __init__(self, given: NamesGiven) -> None:
        # The tensors are held, too, so that their ids stay theirs.
        self._leaves: dict[int, tuple[Any, str]] = {}
        self._unnamed = 0
        self._outputs: dict[Node, dict[int, tuple[str, tuple[int, ...]]]] = {}
        pairs = _pairs(given)
        for name, value in pairs:
            self._add(name, value)
        for name, value in pairs:
            for place, each in _inside(value):
                self._add(f"{name}[{place}]", each)

    def _add(self, name: str, value: Any) -> None:
        if isinstance(value, Module):
            for path, parameter in value.named_parameters():
                self._add(f"{name}.{path}" if name else path, parameter)
        elif isinstance(value, Tensor):
            # Where names are shown, a line is a line, and what stands between backticks is code.
            name = " ".join(name.split()).replace("`", "'")
            if value.grad_fn is None:
                self._leaves.setdefault(id(value), (value, name))
            else:
                named = self._outputs.setdefault(value.grad_fn, {})
                named.setdefault(value.output_nr, (name, tuple(value.shape)))

    def leaf(self, x: Any) -> str:
        """The name of a leaf."""
        if id(x) not in self._leaves:
            self._unnamed += 1
            self._leaves[id(x)] = (x, f"leaf {self._unnamed}")
        return self._leaves[id(x)][1]

    def outputs(self, node: Node) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the results of `node` that have a name."""
        return list(self._outputs.get(node, {}).values())

    def tensor(self, x: Any) -> str:
        """The name of a tensor, "" if it has none."""
        if x.grad_fn is None:
            return self.leaf(x)
        return self._outputs.get(x.grad_fn, {}).get(x.output_nr, ("", ()))[0]


def _pairs(given: Any) -> list[tuple[str, Any]]:
    """What was given as pairs; of a mapping without those whose name begins with an underscore."""
    if given is None:
        return []
    if isinstance(given, Module):
        return [("", given)]
    mapping = isinstance(given, Mapping)
    try:
        pairs = given.items() if mapping else given
        return [(name, value) for name, value in pairs if not name.startswith("_") or not mapping]
    except (AttributeError, TypeError, ValueError):
        raise TypeError(
            'names: expected a dict of tensors by their names, such as {"w": w} or locals(), a module, or pairs of a '
            f"name and a tensor, such as model.named_parameters(), got {type(given).__name__}"
        ) from None


def _inside(value: Any) -> Iterator[tuple[Any, Any]]:
    """The elements of a list, tuple or dict, and where they are."""
    if isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from [(repr(key), each) for key, each in value.items()]


def as_tensors(given: Any) -> tuple[Tensor, ...]:
    """One tensor, or a sequence of at least one, as a tuple; a TypeError for anything else."""
    tensors = (given,) if isinstance(given, Tensor) or not isinstance(given, Iterable) else tuple(given)
    if not tensors:
        raise ValueError("grad requires non-empty inputs: got no tensors")
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"tensors must be Tensors, but element {position} is of type {type(x).__name__}: only a tensor knows "
                "how it was computed; loss.item() and loss.numpy() do not, give loss itself"
            )
    return tensors


def explore(tensors: Iterable[Any]) -> tuple[list[Node], list[Any]]:
    """The nodes that a backward pass from these tensors can reach, newest first, and the leaves, in that order."""
    stack: list[Any] = [x.grad_fn for x in tensors if x.grad_fn is not None]
    found: set[Node] = set(stack)
    while stack:
        for node, _ in stack.pop().next_functions:
            if isinstance(node, Node) and node not in found:
                found.add(node)
                stack.append(node)
    nodes = sorted(found, key=lambda node: -node.number)
    leaves = {id(x): x for x in tensors if x.grad_fn is None}
    for each in nodes:
        for node, _ in each.next_functions:
            if isinstance(node, AccumulateGrad):
                leaves.setdefault(id(node.variable), node.variable)
    return nodes, list(leaves.values())
