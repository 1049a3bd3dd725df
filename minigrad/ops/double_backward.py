"""Gradients that are computed on arrays in one step, and gradients of these, which composed operations define."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.core.arrays import widened
from minigrad.core.dtypes import Array
from minigrad.core.modes import current
from minigrad.core.tape import Node, quiet
from minigrad.core.tensor import Tensor
from minigrad.core.walk import grad


def in_one_step(fused: Callable[..., Array], composed: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """`composed(*inputs)`, a gradient; where no graph is recorded by `fused` of the arrays, in at least float32."""
    if current.enabled:
        return composed(*inputs)
    like = inputs[0]
    array = quiet().run(fused, *[widened(x._array) for x in inputs])
    return like._new(array.astype(like._array.dtype, copy=False))


def double_backward(definition: Callable[..., Any], node: Node, g: Any) -> list[Tensor | None]:
    """The gradients of the inputs of `node`, which it has kept, as parts of a graph: those of `definition(*inputs)`.

    This computes what `node` does, in tensors.  `g` is the gradient of its output, or a list of those of its outputs.
    """
    # Of copies: if one was made of another, that is no matter here.
    inputs: list[Any] = [x if x is None else x.clone() for x in map(node.kept, range(len(node.edges)))]
    outputs = definition(*inputs)
    if not isinstance(g, list):
        outputs, g = [outputs], [g]
    arrived = [position for position, each in enumerate(g) if each is not None]
    ends, cotangents = [[each[position] for position in arrived] for each in (outputs, g)]
    wanted = [x for x, edge in zip(inputs, node.edges, strict=True) if edge is not None]
    found = iter(grad(ends, wanted, cotangents, create_graph=True, materialize_grads=True))
    return [None if edge is None else next(found) for edge in node.edges]
