"""Gradients of gradients of operations that compute on arrays what others, composed, define."""

from __future__ import annotations

from typing import Any

from minigrad.core.tape import Node
from minigrad.core.tensor import Function, Tensor
from minigrad.core.walk import grad


def gradients_of(definition: Function, node: Node, g: Any) -> list[Tensor | None]:
    """The gradients of the inputs of `node`, which it has kept, as parts of a graph: those of `definition(*inputs)`.

    This computes what `node` does, in tensors.  `g` is the gradient of its output, or a list of those of its outputs.
    """
    # Of copies: if one was made of another, that is no matter here.
    inputs = [x if x is None else x.clone() for x in map(node.kept, range(len(node.edges)))]
    outputs = definition(*inputs)
    if not isinstance(g, list):
        outputs, g = [outputs], [g]
    arrived = [position for position, each in enumerate(g) if each is not None]
    wanted = [x for x, edge in zip(inputs, node.edges, strict=True) if edge is not None]
    of_arrived = [outputs[position] for position in arrived], wanted, [g[position] for position in arrived]
    found = iter(grad(*of_arrived, create_graph=True, materialize_grads=True))
    return [None if edge is None else next(found) for edge in node.edges]
