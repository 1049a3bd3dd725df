"""What operations that are one step, and not composed of others, have in common.

Halves are computed in single precision, and rounded once.  Large arrays are worked on block by block, so that what is
computed stays in the processor's cache.  Their gradients are one step as well; gradients of these are those of composed
operations, which define the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import HALVES, Array, dtype, float32
from minigrad.core.elementwise import Cast, cast
from minigrad.core.modes import current
from minigrad.core.tape import Node, keep_inputs, quiet
from minigrad.core.tensor import Function, Tensor
from minigrad.core.walk import grad

# ---- half precision, computed in single precision and rounded once ---------------------------------------------------


def in_float32(compute: Function, *inputs: Any) -> Any:
    """`compute(*inputs)`, where halves among the tensors are taken as float32 and a first one rounds the result."""
    for x in inputs:
        if isinstance(x, Tensor) and x._array.dtype in HALVES:
            halves = [isinstance(x, Tensor) and x._array.dtype in HALVES for x in inputs]
            result = compute(*[cast(x, float32) if half else x for x, half in zip(inputs, halves, strict=True)])
            return rounded(result, inputs[0].dtype) if halves[0] else result
    return compute(*inputs)


def rounded(x: Tensor, to: dtype) -> Tensor:
    """`x` in the dtype `to`, under the name of the operation that made it."""
    if x._array.dtype == to._numpy:
        return x
    return named(Cast(to), "" if x._node is None else x._node.name()).of(x)


def named(node: Any, form: str) -> Any:
    """The node, the last step of what PyTorch takes as one, by whose name it goes."""
    node.form = form
    return node


# ---- block by block --------------------------------------------------------------------------------------------------

#: Elements per block: two float32 arrays of as many fit in a second-level cache of 1 MB.
BLOCK = 2**16


def slices(count: int, size: int = 1, block: int = BLOCK) -> list[slice]:
    """Slices that together select `count` rows of `size` elements each: as many in each as have `block` elements.

    >>> slices(5, 32768)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(block // max(size, 1), 1)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def row_blocks(x: Array, uncut: tuple[int, ...] = ()) -> list[Any]:
    """What selects parts of `x`, to work on one after the other: some rows each, or all if it is small.

    Also all if the rows are among the dimensions `uncut`, which are to be whole in each part.
    """
    return [...] if x.size <= BLOCK or 0 in uncut else slices(len(x), math.prod(x.shape[1:]))


def blocked(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute(*arrays)`, a function of each element of arrays of one shape, for as many at a time as stay in cache.

    The result has the dtype of the last array.
    """
    last = arrays[-1]
    if last.size <= BLOCK or not all([each.flags.c_contiguous for each in arrays]):
        return compute(*arrays)
    out = np.empty_like(last)
    flat = [each.reshape(-1) for each in (*arrays, out)]
    for block in slices(last.size):
        *parts, result = [each[block] for each in flat]
        result[...] = compute(*parts)
    return out


# ---- gradients in one step -------------------------------------------------------------------------------------------


def in_one_step(fused: Callable[..., Array], composed: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """`composed(*inputs)`, a gradient; where no graph is recorded by `fused` of the arrays, in at least float32."""
    if current.enabled:
        return composed(*inputs)
    like = inputs[0]
    array = quiet().run(fused, *[widened(x._array) for x in inputs])
    return like._new(array.astype(like._array.dtype, copy=False))


class Fused(Node):
    """An operation whose gradients are computed on arrays, all in one step.

    A subclass says this step, `fused_gradients(g)`, and `definition(*inputs)`, what the operation computes in tensors:
    of that are the gradients where they are parts of a graph.  With several outputs, `g` lists their gradients.
    """

    keep = keep_inputs

    fused_gradients: ClassVar[Callable[..., Any]]
    definition: ClassVar[Callable[..., Any]]

    def backward(self, g: Any) -> Any:
        if not current.enabled:
            return self.fused_gradients(g)
        # Of copies: if one was made of another, that is no matter here.
        inputs: list[Any] = [x if x is None else x.clone() for x in map(self.kept, range(len(self.edges)))]
        outputs = self.definition(*inputs)
        if not isinstance(g, list):
            outputs, g = [outputs], [g]
        arrived = [position for position, each in enumerate(g) if each is not None]
        ends, cotangents = [[each[position] for position in arrived] for each in (outputs, g)]
        wanted = [x for x, edge in zip(inputs, self.edges, strict=True) if edge is not None]
        found = iter(grad(ends, wanted, cotangents, create_graph=True, materialize_grads=True))
        return [None if edge is None else next(found) for edge in self.edges]
