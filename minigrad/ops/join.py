"""Joining tensors into one, and taking one apart: two adjoint pairs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import cast
from minigrad.core.shapes import Reshape
from minigrad.core.tape import Node, Views
from minigrad.core.tensor import Tensor
from minigrad.ops.dims import normal_dim


class Cat(Node):
    """The tensors one after another along `dim`.   The gradients are Split(g), each the part where a tensor lies."""

    __slots__ = ("dim", "sizes")

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, *arrays: Array) -> Array:
        self.sizes = [array.shape[self.dim] for array in arrays]
        return np.concatenate(arrays, axis=self.dim)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return _wanted(self, Split(self.sizes, self.dim)(g))


class Split(Views):
    """The parts of `x`, of `sizes`, one after another along `dim`: views.

    dx = Cat(g's), zeros where there is no g.
    """

    __slots__ = ("dim", "form", "sizes", "x_shape")

    def __init__(self, sizes: Sequence[int], dim: int, form: str = "SplitBackward0") -> None:
        self.sizes = sizes
        self.dim = dim
        self.form = form

    def forward(self, x: Array) -> list[Array]:
        self.x_shape = x.shape
        before = (slice(None),) * self.dim
        ends = itertools.accumulate(self.sizes)
        return [x[(*before, slice(end - size, end))] for size, end in zip(self.sizes, ends, strict=True)]

    def backward(self, g: Sequence[Any]) -> Sequence[Any]:
        shapes = [(*self.x_shape[: self.dim], size, *self.x_shape[self.dim + 1 :]) for size in self.sizes]
        return (Cat(self.dim)(*_filled(g, shapes)),)

    def name(self) -> str:
        return self.form


class Stack(Node):
    """The tensors, of one shape, along a new dimension `dim`.   The gradients are Unbind(g)."""

    __slots__ = ("dim",)

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, *arrays: Array) -> Array:
        at = (slice(None),) * self.dim + (None,)
        return np.concatenate([array[at] for array in arrays], axis=self.dim)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return _wanted(self, Unbind(self.dim)(g))


class Unbind(Views):
    """The slices of `x` along `dim`, which goes: views.   dx = Stack(g's), zeros where there is no g."""

    __slots__ = ("dim", "slice_shape")

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Array) -> list[Array]:
        self.slice_shape = (*x.shape[: self.dim], *x.shape[self.dim + 1 :])
        before: tuple[Any, ...] = (slice(None),) * self.dim
        # With an Ellipsis NumPy gives a 0-d view where it would give a copied scalar without.
        return [x[(*before, i, ...)] for i in range(x.shape[self.dim])]

    def backward(self, g: Sequence[Any]) -> Sequence[Any]:
        return (Stack(self.dim)(*_filled(g, [self.slice_shape] * len(g))),)


def cat(tensors: list[Any], dim: SupportsIndex) -> Tensor:
    """The tensors, in one dtype, one after another along `dim`."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [x._array.shape for x in tensors]
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    at = normal_dim(dim, len(first)) if first != (0,) else 0
    before, after = first[:at], first[at + 1 :]
    for position, shape in enumerate(shapes):
        if shape == (0,) and len(first) > 1:
            # Left out, but for the dtype: it becomes as little of the others' shape, through which a gradient finds it.
            tensors[position] = Reshape((*before, 0, *after))(tensors[position])
        elif not shape:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated: stack() joins 0-d tensors"
            )
        elif len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}. unsqueeze(dim) adds "
                "one"
            )
        elif shape[:at] != before or shape[at + 1 :] != after:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {at}. Expected sizes {list(first)} but got "
                f"{list(shape)} for tensor number {position} in the list."
            )
    result: Tensor = Cat(at)(*_in_one_dtype(tensors))
    return result


def stack(tensors: Sequence[Any], dim: SupportsIndex) -> Tensor:
    """The tensors, in one dtype and all of one shape, along a new dimension `dim`."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    for position, x in enumerate(tensors):
        if x._array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(x._array.shape)} at entry {position}"
            )
    result: Tensor = Stack(normal_dim(dim, len(first) + 1))(*_in_one_dtype(tensors))
    return result


def _in_one_dtype(tensors: Sequence[Any]) -> Sequence[Any]:
    """The tensors in the dtype that all of them promote to."""
    if len({x._array.dtype for x in tensors}) == 1:
        return tensors
    common = dtypes.result_type(*[x._array for x in tensors])
    return [cast(x, common) for x in tensors]


def _wanted(node: Node, gradients: Sequence[Any]) -> Sequence[Any]:
    """The gradients, None where the node has no edge."""
    return [None if edge is None else each for edge, each in zip(node.edges, gradients, strict=True)]


def _filled(gradients: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> Sequence[Any]:
    """The gradients, with zeros of these shapes for those that did not arrive."""
    some = next(each for each in gradients if each is not None)
    dtype = some._array.dtype
    return [
        some._new(np.zeros(shape, dtype)) if each is None else each
        for each, shape in zip(gradients, shapes, strict=True)
    ]
