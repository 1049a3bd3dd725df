"""Joining tensors into one, taking one apart, and giving several one shape: in adjoint pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array, result_type
from minigrad.core.elementwise import cast
from minigrad.core.modes import current
from minigrad.core.shapes import Reshape, common_shape
from minigrad.core.tape import Node, Several
from minigrad.core.tensor import Tensor, method, share_storage
from minigrad.declare import op
from minigrad.ops.arguments import as_int, ints, normal_dim, own_dim
from minigrad.tensors.errors import warn_program


def listed(name: str, tensors: object) -> list[Tensor]:
    """The tensors of a list or tuple, which has some; a tensor, though it is a sequence of rows, is none."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}() expects a tuple of tensors")
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return list(tensors)


def _given(name: str, tensors: tuple[Any, ...]) -> list[Tensor]:
    """Tensors given as `f(a, b)` or as `f([a, b])`."""
    given = listed(name, tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)
    for position, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return given


def _in_one_dtype(tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """The tensors in the dtype that all of them promote to."""
    first = tensors[0]._array.dtype
    for x in tensors:
        if x._array.dtype is not first:
            common = result_type(*[each._array for each in tensors])
            return [cast(each, common) for each in tensors]
    return tensors


def _wanted(node: Node, gradients: Sequence[Tensor]) -> Sequence[Any]:
    """The gradients, None where the node has no edge."""
    return [None if edge is None else each for edge, each in zip(node.edges, gradients, strict=True)]


def _filled(gradients: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> Sequence[Tensor]:
    """The gradients, with zeros of these shapes for those that did not arrive."""
    some = next(each for each in gradients if each is not None)
    pairs = zip(gradients, shapes, strict=True)
    return [some._new(np.zeros(shape, some._array.dtype)) if each is None else each for each, shape in pairs]


# ---- one after another -----------------------------------------------------------------------------------------------


class Cat(Node):
    """The tensors one after another along `dim`."""

    formulas = ("The gradients are Split(g), each the part where a tensor lies",)
    dim: int

    def forward(self, *arrays: Array) -> Array:
        joined = np.concatenate(arrays, axis=self.dim)
        self.sizes = [array.shape[self.dim] for array in arrays]
        return np.asarray(joined, order="C")

    def backward(self, g: Tensor) -> Sequence[Any]:
        return _wanted(self, Split(self.sizes, self.dim).of(g))


class Views(Several):
    """A recorded operation whose several outputs all lie in the storage of its input."""

    def of(self, x: Any) -> tuple[Tensor, ...]:
        outs = tuple([x._new(each) for each in self.forward(x._array)])
        if x._requires_grad and current.enabled:
            self.record((x._node or x,), (x,), outs)
            self.shapes = [out._array.shape for out in outs]
        for out in outs:
            share_storage(x, out, type(self).__name__)
        return outs


class Split(Views):
    """The parts of `x`, of `sizes`, one after another along `dim`: views."""

    formulas = ("dx = Cat(g's), zeros where there is no g",)
    sizes: Sequence[int]
    dim: int
    form: str = "SplitBackward0"

    def forward(self, x: Array) -> list[Array]:
        before = (slice(None),) * self.dim
        ends = itertools.accumulate(self.sizes)
        return [x[(*before, slice(end - size, end))] for size, end in zip(self.sizes, ends, strict=True)]

    def backward(self, g: Sequence[Any]) -> Sequence[Tensor]:
        return (Cat(self.dim).of(*_filled(g, self.shapes)),)


@op("torch", aliases=["concat", "concatenate"])
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one after another along `dim`; their other sizes must be equal.  1-d tensors of size 0 are left out.

    >>> import minigrad as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    if isinstance(tensors, (list, tuple)) and not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    given = listed("cat", tensors)
    shapes = [x._array.shape for x in given]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated: stack it")
    first = shapes[0]
    if (0,) in shapes:
        first = next((shape for shape in shapes if shape != (0,)), (0,))
    at = 0 if first == (0,) else normal_dim(dim, len(first))
    if len(first) > 1 and (0,) in shapes:
        # Left out, but for the dtype: it becomes as little of the others' shape, through which a gradient finds it.
        nothing = (*first[:at], 0, *first[at + 1 :])
        given = [Reshape(nothing).of(x) if x._array.shape == (0,) else x for x in given]
    try:
        return Cat(at).of(*_in_one_dtype(given))
    except ValueError:
        raise RuntimeError(_why_not_joined(first, shapes, at)) from None


def _why_not_joined(first: tuple[int, ...], shapes: Sequence[tuple[int, ...]], at: int) -> str:
    """What is wrong with the first tensor that does not fit."""
    for position, shape in enumerate(shapes):
        if shape == (0,):
            continue
        if len(shape) != len(first):
            return f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}: unsqueeze(dim)"
        for dim, (size, expected) in enumerate(zip(shape, first, strict=True)):
            if size != expected and dim != at:
                found = f"Expected size {expected} but got size {size} for tensor number {position} in the list"
                sizes = f"{list(shape)} beside {list(first)}"
                return f"Sizes of tensors must match except in dimension {at}. {found}: {sizes}"
    raise AssertionError(f"{shapes} fit")


@op("torch")
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along dimension 1, vectors along 0."""
    rows = [x if x._array.ndim else x.reshape(1) for x in listed("hstack", tensors)]
    return cat(rows, 0 if rows[0]._array.ndim == 1 else 1)


@op("torch")
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one below the other, vectors as rows."""
    return cat([x if x._array.ndim > 1 else x.reshape(1, -1) for x in listed("vstack", tensors)])


def _along(name: str, x: Tensor, dim: int) -> tuple[int, int]:
    """The dimension that a tensor is to be split along, and its size."""
    if not x._array.ndim:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    at = normal_dim(dim, x._array.ndim)
    return at, x._array.shape[at]


@op()
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts along `dim`: each of the size given, the last perhaps smaller, or of those listed.

    >>> import minigrad as torch
    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.split(torch.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    at, size = _along("split", tensor, dim)
    if type(split_size_or_sections) is not int and isinstance(split_size_or_sections, Sequence):
        sizes = ints(split_size_or_sections)
        if sum(sizes) != size or min(sizes, default=0) < 0:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size}, but got {list(sizes)}")
        return Split(sizes, at, "SplitWithSizesBackward0").of(tensor)
    step = as_int(split_size_or_sections)
    if step < 0 or (size and not step):
        raise RuntimeError(f"split expects split_size be non-negative, and 0 only where dim has size 0, but got {step}")
    return Split(_steps(size, step) if size else [0], at).of(tensor)


@op()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most `chunks` consecutive parts along `dim`, of one size but for the last.

    >>> import minigrad as torch
    >>> torch.arange(5).chunk(3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    chunks = as_int(chunks)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    at, size = _along("chunk", input, dim)
    return Split(_steps(size, -(-size // chunks)), at).of(input) if size else split(input, [0] * chunks, at)


def _steps(size: int, step: int) -> list[int]:
    """The sizes of consecutive parts of that size, of which the last one is what is left."""
    rest = size % step
    return [step] * (size // step) + [rest] * (rest > 0)


# ---- side by side ----------------------------------------------------------------------------------------------------


class Stack(Node):
    """The tensors, of one shape, along a new dimension `dim`."""

    formulas = ("The gradients are Unbind(g)",)
    dim: int

    def forward(self, *arrays: Array) -> Array:
        at = (slice(None),) * self.dim + (None,)
        return np.asarray(np.concatenate([array[at] for array in arrays], axis=self.dim), order="C")

    def backward(self, g: Tensor) -> Sequence[Any]:
        return _wanted(self, Unbind(self.dim).of(g))


class Unbind(Views):
    """The slices of `x` along `dim`, which goes: views."""

    formulas = ("dx = Stack(g's), zeros where there is no g",)
    dim: int

    def forward(self, x: Array) -> list[Array]:
        before: tuple[Any, ...] = (slice(None),) * self.dim
        # With an Ellipsis NumPy gives a 0-d view where it would give a copied scalar without.
        return [x[(*before, i, ...)] for i in range(x.shape[self.dim])]

    def backward(self, g: Sequence[Any]) -> Sequence[Tensor]:
        return (Stack(self.dim).of(*_filled(g, self.shapes)),)


@op("torch")
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, all of one shape, along a new dimension at `dim`.

    >>> import minigrad as torch
    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    given = listed("stack", tensors)
    at = normal_dim(dim, given[0]._array.ndim + 1)
    first = given[0]._array.shape
    for place, x in enumerate(given):
        if x._array.shape != first:
            found = f"{list(first)} at entry 0 and {list(x.shape)} at entry {place}"
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {found}")
    return Stack(at).of(*_in_one_dtype(given))


@op()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of all slices along `dim`, which goes.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2], [3, 4]]).unbind(1)
    (tensor([1, 3]), tensor([2, 4]))
    """
    return Unbind(own_dim(dim, input._array.ndim)).of(input)


@method("__iter__")
def iterated(self: Tensor) -> Iterator[Tensor]:
    """The slices along the first dimension, one after another."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(Unbind(0).of(self))


@method("__reversed__")
def turned_round(self: Tensor) -> Tensor:
    """The slices along the first dimension in the opposite order."""
    return self.flip(0) if self._array.ndim else self


# ---- several tensors in one shape ------------------------------------------------------------------------------------


@op("torch")
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors, expanded to the one shape that all broadcast to.

    >>> import minigrad as torch
    >>> torch.broadcast_tensors(torch.tensor([[1], [2]]), torch.tensor([3, 4]))
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    given = _given("broadcast_tensors", tensors)
    shape = common_shape([x._array.shape for x in given])
    return tuple([x if x._array.shape == shape else x.expand(shape) for x in given])


@op("torch")
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """For each vector a view of it in the shape of all: `grids[k][i0, i1, …] = tensors[k][ik]`.

    With indexing "xy", not "ij", the first two dimensions of the result are swapped.

    >>> import minigrad as torch
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    (tensor([[1, 1, 1],
            [2, 2, 2]]), tensor([[3, 4, 5],
            [3, 4, 5]]))
    """
    vectors = _given("meshgrid", tensors)
    if indexing not in ("ij", "xy", None):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if any([x._array.ndim > 1 or x._array.dtype != vectors[0]._array.dtype for x in vectors]):
        raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensors, all of the same dtype")
    if indexing is None:
        warn_program("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    places = list(range(len(vectors)))
    if indexing == "xy":
        places[:2] = reversed(places[:2])
    shape = [vectors[place]._array.size for place in places]
    alone = [[-1 if each == place else 1 for each in range(len(vectors))] for place in places]
    return tuple([x.reshape(sizes).expand(shape) for x, sizes in zip(vectors, alone, strict=True)])
