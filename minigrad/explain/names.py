"""What the tensors of a graph are called, and what the graph consists of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from minigrad.autograd.hooks import AccumulateGrad
from minigrad.autograd.node import Node
from minigrad.nn import Module
from minigrad.tensor import Tensor

#: Names for tensors: a dict, such as `locals()`, a module, or pairs, such as `model.named_parameters()`.
NamesGiven: TypeAlias = "Mapping[str, Any] | Module | Iterable[tuple[str, Any]] | None"


class Names:
    """The names of tensors; a leaf without one gets a number.

    Of a mapping, all that are tensors or modules are taken, the latter with the names of their parameters, so that
    `names=locals()` may be given; names that begin with an underscore are left out.
    """

    def __init__(self, given: NamesGiven) -> None:
        self._leaves: dict[int, str] = {}
        self._unnamed = 0
        self._outputs: dict[tuple[Node, int], tuple[str, tuple[int, ...]]] = {}
        for name, value in _pairs(given):
            if isinstance(value, Module):
                for path, parameter in value.named_parameters():
                    self._add(f"{name}.{path}" if name else path, parameter)
            elif isinstance(value, Tensor) and not name.startswith("_"):
                self._add(name, value)

    def _add(self, name: str, x: Tensor) -> None:
        if x.grad_fn is None:
            self._leaves.setdefault(id(x), name)
        else:
            self._outputs.setdefault((x.grad_fn, x.output_nr), (name, tuple(x.shape)))

    def leaf(self, x: Any) -> str:
        """The name of a leaf."""
        if id(x) not in self._leaves:
            self._unnamed += 1
            self._leaves[id(x)] = f"leaf {self._unnamed}"
        return self._leaves[id(x)]

    def outputs(self, node: Node) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the results of `node` that have a name."""
        return [named for (of_node, _), named in self._outputs.items() if of_node is node]

    def tensor(self, x: Any) -> str:
        """The name of a tensor, "" if it has none."""
        if x.grad_fn is None:
            return self.leaf(x)
        return self._outputs.get((x.grad_fn, x.output_nr), ("", ()))[0]


def _pairs(given: NamesGiven) -> Iterable[tuple[str, Any]]:
    if given is None:
        return []
    if isinstance(given, Module):
        return [("", given)]
    return list(given.items()) if isinstance(given, Mapping) else list(given)


def as_tuple(tensors: Any) -> tuple[Any, ...]:
    """One tensor, or a sequence of them, as a tuple."""
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


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
