"""What the tensors of a graph are called, and what the graph consists of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from minigrad.core.tape import AccumulateGrad, Node
from minigrad.nn import Module
from minigrad.tensor import Tensor

#: Names for tensors: a dict, such as `locals()`, or a module.
NamesGiven: TypeAlias = "Mapping[str, Any] | Module | None"

#: Where the gradients of a tensor arrive, as `next_functions` tells it: at an output of a node, or at a leaf.
Place: TypeAlias = tuple[Any, int]


def place_of(x: Tensor) -> Place:
    """Where gradients of `x` arrive."""
    return (AccumulateGrad(x), 0) if x.grad_fn is None else (x.grad_fn, x.output_nr)


def names_of(given: NamesGiven, leaves: Iterable[Any]) -> dict[Place, tuple[str, tuple[int, ...]]]:
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

    pairs = {"": given} if isinstance(given, Module) else {} if given is None else dict(given)
    shown = [(name, value) for name, value in pairs.items() if not name.startswith("_")]
    for name, value in shown:
        add(name, value)
    for name, value in shown:
        for position, each in enumerate(value) if isinstance(value, (list, tuple)) else ():
            add(f"{name}[{position}]", each)
    unnamed = [leaf for leaf in leaves if place_of(leaf) not in found]
    for number, leaf in enumerate(unnamed, 1):
        add(f"leaf {number}", leaf)
    return found


def as_tuple(given: Tensor) -> tuple[Tensor, ...]:
    """One tensor, or several, as a tuple."""
    return (given,) if isinstance(given, Tensor) else tuple(given)


def explore(tensors: Iterable[Any]) -> tuple[list[Node], list[Any]]:
    """The nodes that a backward pass from these tensors can reach, newest first, and the leaves, in that order."""
    starts = [place_of(x) for x in tensors if isinstance(x, Tensor)]
    stack = [node for node, _ in starts]
    found: set[Any] = set(stack)
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                stack.append(node)
    nodes = sorted([each for each in found if isinstance(each, Node)], key=lambda node: -node.number)
    places = [*starts, *[place for node in nodes for place in node.next_functions]]
    leaves = dict.fromkeys([node for node, _ in places if isinstance(node, AccumulateGrad)])
    return nodes, [leaf.variable for leaf in leaves]
