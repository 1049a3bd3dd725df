"""What several operations make in one step, as in PyTorch: rounded once, under one name, with gradients on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import HALVES, Array, dtype, float32
from minigrad.core.modes import current
from minigrad.core.ops import Cast, cast
from minigrad.core.tape import Node, keep_inputs, quiet
from minigrad.core.tensor import Function, Tensor
from minigrad.core.walk import grad


def in_float32(compute: Function, *inputs: Any) -> Any:
    """`compute(*inputs)`, with halves among the tensors as float32; rounded to a half if the first input is one."""
    for x in inputs:
        if isinstance(x, Tensor) and x._array.dtype in HALVES:
            halves = [isinstance(x, Tensor) and x._array.dtype in HALVES for x in inputs]
            result = compute(*[cast(x, float32) if half else x for x, half in zip(inputs, halves, strict=True)])
            return rounded(result, inputs[0].dtype) if halves[0] else result
    return compute(*inputs)


def rounded(x: Tensor, to: dtype) -> Tensor:
    """`x` in the dtype `to`; the cast goes by the name of the operation that made `x`."""
    if x._array.dtype == to._numpy:
        return x
    return named(Cast(to), "" if x._node is None else x._node.name()).of(x)


def named(node: Any, form: str) -> Any:
    """The node, under the name `form`: that of the operation of PyTorch whose last step it is here."""
    node.form = form
    return node


def in_one_step(fused: Callable[..., Array], composed: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """The gradient `composed(*inputs)`; where no graph is recorded, `fused(*arrays)`, in at least float32."""
    if current.enabled:
        return composed(*inputs)
    like = inputs[0]
    array = quiet().run(fused, *[widened(x._array) for x in inputs])
    return like._new(array.astype(like._array.dtype, copy=False))


class Fused(Node):
    """An operation whose gradients are computed on arrays, all in one step.

    A subclass defines this step, `fused_gradients(g)`, and `definition(*inputs)`, the operation in tensors, which is
    differentiated where the gradients are to be parts of a graph.  With several outputs, `g` lists their gradients.
    """

    keep = keep_inputs

    fused_gradients: ClassVar[Callable[..., Any]]
    definition: ClassVar[Callable[..., Any]]

    def backward(self, g: Any) -> Any:
        if not current.enabled:
            return self.fused_gradients(g)
        # Of copies: if one input was made of another, no gradient is to flow between them.
        inputs: list[Any] = [x if x is None else x.clone() for x in map(self.kept, range(len(self.edges)))]
        outputs = self.definition(*inputs)
        if not isinstance(g, list):
            outputs, g = [outputs], [g]
        arrived = [position for position, each in enumerate(g) if each is not None]
        ends, cotangents = [[each[position] for position in arrived] for each in (outputs, g)]
        wanted = [x for x, edge in zip(inputs, self.edges, strict=True) if edge is not None]
        found = iter(grad(ends, wanted, cotangents, create_graph=True, materialize_grads=True))
        return [None if edge is None else next(found) for edge in self.edges]


def fused_multiply_add(values: Array, scale: float, shift: Any) -> Array:
    """`values * scale + shift` in float64, rounded once, as processors compute it in one step.

    Source: T. J. Dekker, "A floating-point technique for extending the available precision" (1971).
    """
    product: Array = values * scale
    total: Array = product + shift
    if not abs(scale) < 2.0**900:
        # The halves of so large a scale, found below, would be infinite.
        return total
    # Each factor is a sum of two numbers of half its digits, whose products are exact.
    factor = 2.0**27 + 1
    upper = values * factor
    upper -= upper - values
    lower = values - upper
    upper_scale = scale * factor - (scale * factor - scale)
    lower_scale = scale - upper_scale
    error = upper * upper_scale - product
    error += upper * lower_scale
    error += lower * upper_scale
    error += lower * lower_scale
    rest = total - product
    error += (product - (total - rest)) + (shift - rest)
    # (An infinite sum has no error.)
    total += np.where(np.isfinite(total), error, 0)
    return total
