"""Shapes: elements in another shape or order of dimensions, moved, repeated; tensors joined, and taken apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any, ClassVar

import numpy as np

from minigrad import tensors
from minigrad.core import dtypes
from minigrad.core.arrays import laid_out
from minigrad.core.dtypes import FLOATS, Array, dtype, result_type
from minigrad.core.modes import current
from minigrad.core.ops import Clone, Expand, Permute, Reshape, cast, common_shape, sum_of_repeated, transposed
from minigrad.core.tape import Node, Several, Unary
from minigrad.core.tensor import Function, Tensor, members, method, share_storage, storage_of
from minigrad.declare import op
from minigrad.ops.arguments import as_int, ints, ints_or_one, normal_dim, normal_dims, own_dim
from minigrad.ops.indexing import INDEX_DTYPES, Index
from minigrad.tensors.errors import warn_program

# ---- the form in place of a view -------------------------------------------------------------------------------------


def restrided(variant: Function) -> Function:
    """The method `x.f_(…)` that gives `x` itself the shape, strides and history of `x.f(…)`; no element is written."""

    def call(self: Any, *args: object, **kwargs: object) -> Any:
        self._check_recordable()
        view = variant(self, *args, **kwargs)
        self._array, node, recorded = view._array, view._node, view._requires_grad
        storage_of(self).version += 1
        if recorded:
            # The number in PyTorch's name follows those of the other forms, of which `squeeze` has three.
            node.form = f"{node.form[:-1]}{int(node.form[-1]) + (3 if node.form.startswith('Squeeze') else 1)}"
            earlier = self._node
            if self._base is None:
                # Its views get this history, too; but not `view`, which nobody else holds.
                del view
                self._follow(node, earlier)
            else:
                # The elements of the base are as they were: its history stays.
                self._node = node
                tensors.hooks.keep_retaining(self, earlier)
        return self

    return call


# ---- the same elements in another shape ------------------------------------------------------------------------------


def inferred_shape(sizes: Sequence[int], numel: int) -> tuple[int, ...]:
    """`sizes` with a -1 among them replaced by the size that makes `numel` elements; a RuntimeError if none does."""
    given = ints(sizes)
    if given.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = abs(math.prod(given))
    found = tuple([numel // known if size == -1 and known else size for size in given])
    if math.prod(found) == numel and not (found and min(found) < 0):
        return found
    why = f"{known} does not divide it" if -1 in given else f"its sizes multiply to {math.prod(given)}"
    raise RuntimeError(f"shape '{list(given)}' is invalid for input of size {numel}: {why}")


def _in_sizes(x: Tensor, sizes: Sequence[int], form: str = "ViewBackward0") -> Any:
    """`x` in the shape `sizes`; NumPy infers a size of -1 faster than `inferred_shape`."""
    try:
        if not sizes or min(sizes) >= -1:
            return Reshape(tuple(sizes), form).of(x)
    except ValueError:
        pass  # Raised in PyTorch's words by `inferred_shape`.
    return Reshape(inferred_shape(sizes, x._array.size), form).of(x)


def _reshaped(x: Tensor, sizes: Sequence[int]) -> Any:
    """`x` in the shape `sizes`, a view or a copy."""
    return _in_sizes(x, sizes, "ViewBackward0" if x._array.flags.c_contiguous else "ReshapeAliasBackward0")


@op()
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> import minigrad as torch
    >>> torch.zeros(4, 5).numel()
    20
    """
    return input._array.size


@op(spread=True)
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements in the same order in another shape (one size may be -1): a view if strides allow it.

    >>> import minigrad as torch
    >>> torch.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    return _reshaped(input, shape)


@op("Tensor")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """The elements in the same order in the shape of `other`."""
    return _reshaped(input, other._array.shape)


@op("Tensor", spread=True)
def view(input: Tensor, size: Sequence[int] | dtype) -> Tensor:
    """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it.

    For a dtype, `view(dtype)`, the same bytes read as elements of that dtype; no gradient flows through this.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, -2.0]).view(torch.int32)
    tensor([ 1065353216, -1073741824], dtype=torch.int32)
    """
    if isinstance(size, dtype):
        return _view_as_dtype(input, size)
    out = _in_sizes(input, size)
    if out._base is None and input._array.size:
        problem = "view size is not compatible with input tensor's size and stride (at least one dimension spans across"
        raise RuntimeError(f"{problem} two contiguous subspaces). Use .reshape(...) instead.")
    return out


def _view_as_dtype(x: Tensor, to: dtype) -> Tensor:
    """The same bytes as elements of `to`: fewer and larger, or more and smaller, along the last dimension."""
    ratio = max(to.itemsize // x._array.itemsize, 1)
    try:
        if any([step % ratio for step in x.stride()[:-1]]):
            raise ValueError("the strides of the other dimensions must be divisible by it")
        out = x._new(x._array.view(to._numpy))
    except ValueError as error:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio}: {error}") from None
    out._storage = storage_of(x)
    return out


@op("Tensor", spread=True)
def resize_(input: Tensor, size: Sequence[int]) -> Tensor:
    """This tensor itself in another shape of as many elements; a RuntimeError for another number, and for gradients.

    >>> import minigrad as torch
    >>> images = torch.zeros(8, 1, 28, 28)
    >>> images.resize_(8, 784).shape, images.shape
    (torch.Size([8, 784]), torch.Size([8, 784]))
    """
    sizes, array = ints(size), input._array
    fits = math.prod(sizes) == array.size and min(sizes, default=0) >= 0
    if input._requires_grad:
        raise RuntimeError("cannot resize variables that require grad: x.view(size) has a gradient")
    if not fits or not array.flags.c_contiguous:
        raise RuntimeError(f"expected a contiguous tensor, and a size of its {array.size} elements: got {sizes}")
    if sizes != input._array.shape:
        input._array = input._array.reshape(sizes)
        storage_of(input).version += 1
    return input


@op("Tensor")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """The same storage in the shape of `other`."""
    return view(input, other._array.shape)


@op()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The elements with the dimensions from `start_dim` to `end_dim`, both included, as one.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])
    """
    sizes = input._array.shape
    start, end = normal_dim(start_dim, len(sizes)), normal_dim(end_dim, len(sizes))
    if start > end:
        raise RuntimeError(f"flatten() has invalid args: start_dim cannot come after end_dim: {start} > {end}")
    if start == end and sizes:
        return input
    return _reshaped(input, (*sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :]))


@op()
def ravel(input: Tensor) -> Tensor:
    """The elements in order as a 1-d tensor: a view, or of a contiguous copy."""
    return Reshape((input._array.size,)).of(input.contiguous())


@op()
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """A view with the dimension `dim` as several, of `sizes`, of which one may be -1.

    >>> import minigrad as torch
    >>> torch.zeros(2, 12).unflatten(1, (3, -1)).shape
    torch.Size([2, 3, 4])
    """
    shape = input._array.shape
    at = normal_dim(dim, len(shape))
    if not (shape and sizes):
        raise RuntimeError("unflatten: sizes must be non-empty, and the tensor have dimensions")
    return Reshape((*shape[:at], *inferred_shape(sizes, shape[at]), *shape[at + 1 :])).of(input)


@op(in_place=restrided)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of size 1 at `dim`.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3).unsqueeze(1).shape
    torch.Size([2, 1, 3])
    """
    sizes = input._array.shape
    at = normal_dim(dim, len(sizes) + 1)
    return Reshape((*sizes[:at], 1, *sizes[at:]), "UnsqueezeBackward0").of(input)


@op(in_place=restrided)
def squeeze(input: Tensor, dim: int | Sequence[int] | EllipsisType = ...) -> Tensor:
    """A view without the dimensions of size 1: without all, or those of `dim` that are.

    >>> import minigrad as torch
    >>> torch.zeros(1, 2, 1).squeeze().shape, torch.zeros(1, 2, 1).squeeze(0).shape
    (torch.Size([2]), torch.Size([2, 1]))
    """
    sizes = input._array.shape
    if dim is None:
        raise TypeError("expected dimensions")
    dims = normal_dims(None if dim is ... else dim, len(sizes))
    form = 0 if dim is ... else 2 if isinstance(dim, (tuple, list)) else 1
    left = tuple([size for i, size in enumerate(sizes) if size != 1 or i not in dims])
    return Reshape(left, f"SqueezeBackward{form}").of(input)


@op("Tensor")
def contiguous(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """This tensor if its elements lie in order in memory, else a copy that does.

    >>> import minigrad as torch
    >>> x = torch.zeros(2, 3).T
    >>> x.is_contiguous(), x.contiguous().is_contiguous()
    (False, True)
    """
    return input if input._array.flags.c_contiguous else Clone("C").of(input)


# ---- the same dimensions in another order ----------------------------------------------------------------------------


@op(spread=True)
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """A view with dimension `dims[i]` in place i.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    ndim = input._array.ndim
    if len(dims) != ndim:
        problem = "number of dimensions in the tensor input does not match the length of the desired ordering"
        counts = f"input.dim() = {ndim} is not equal to len(dims) = {len(dims)}"
        raise RuntimeError(f"permute(sparse_coo): {problem} of dimensions i.e. {counts}")
    return Permute(normal_dims(dims, ndim)).of(input)


@op(in_place=restrided, aliases=["swapdims"])
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).transpose(0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    ndim = input._array.ndim
    return transposed(input, normal_dim(dim0, ndim), normal_dim(dim1, ndim))


@op(in_place=restrided)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """A view with two dimensions swapped, as by `transpose`."""
    return input.transpose(axis0, axis1)


@op(aliases=["moveaxis"])
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """A view with dimension `source[i]` in place `destination[i]`, and the others in their order around them.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])
    """
    ndim = input._array.ndim
    if {type(source), type(destination)} != {int} and len(ints_or_one(source)) != len(ints_or_one(destination)):
        raise RuntimeError(f"movedim: Invalid source or destination dims: {source} and {destination} are not as many")
    sources, places = normal_dims(source, ndim), normal_dims(destination, ndim)
    order = [dim for dim in range(ndim) if dim not in sources]
    for place, moved in sorted(zip(places, sources, strict=True)):
        order.insert(place, moved)
    return Permute(tuple(order)).of(input) if ndim else input[...]


@op(in_place=restrided)
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return transposed(input, 0, -1, "TBackward0")


@members
class Transposed(Tensor):
    """The properties of tensors that are other views of them."""

    __slots__ = ()

    @property
    def T(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the dimensions in reverse order: the transpose of a matrix."""
        return Permute(tuple(range(self._array.ndim))[::-1]).of(self)

    @property
    def mT(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the last two dimensions swapped."""
        if self._array.ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return transposed(self) if self._array.ndim else self

    @property
    def H(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """The conjugate transpose of a matrix: of real numbers, the transpose."""
        if self._array.ndim not in (0, 2):
            raise RuntimeError("tensor.H is only supported on matrices (2-D tensors): mT takes batches")
        return self.mT


# ---- repeated elements -----------------------------------------------------------------------------------------------


def expanded_shape(sizes: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `expand(sizes)` gives a tensor of `shape`; -1 keeps a size."""
    new = len(sizes) - len(shape)
    if new < 0:
        raise RuntimeError(f"expand: the number of sizes provided ({len(sizes)}) must be at least {len(shape)}")
    found = list(ints(sizes))
    for dim, existing in enumerate((1,) * new + shape):
        size = found[dim]
        if size == -1 and dim >= new:
            found[dim] = existing
        elif size != existing and (size < 0 or existing != 1):
            words = f"The expanded size of the tensor ({size}) must match the existing size ({existing})"
            given = f"Target sizes: {list(sizes)}.  Tensor sizes: {list(shape)}"
            raise RuntimeError(f"{words} at non-singleton dimension {dim}.  {given}")
    return tuple(found)


@op("Tensor", spread=True)
def expand(input: Tensor, size: Sequence[int]) -> Tensor:
    """A view in which dimensions of size 1, and new ones in front, are repeated to `size`; -1 keeps a size.

    >>> import minigrad as torch
    >>> torch.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    return Expand(expanded_shape(size, input._array.shape)).of(input)


@op(spread=True)
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """The same as `expand`."""
    return Expand(expanded_shape(size, input._array.shape)).of(input)


@op("Tensor")
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """A view in which dimensions of size 1, and new ones in front, are repeated to the shape of `other`."""
    return Expand(expanded_shape(other._array.shape, input._array.shape)).of(input)


@op("Tensor", spread=True)
def sum_to_size(input: Tensor, size: Sequence[int]) -> Tensor:
    """The sum over what broadcasting repeats to make a tensor of `size` into one of this shape."""
    shape, own = ints(size), input._array.shape
    if min(shape, default=0) < 0 or common_shape([own, shape]) != own:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    if shape and shape == own:
        return input
    return sum_of_repeated(input if input._array.dtype in FLOATS else cast(input, dtypes.int64), shape)


class Tile(Unary):
    """`x` laid out `repeats[i]` times along dimension i, new dimensions in front."""

    form = "RepeatBackward0"
    formulas = ("dx = the sum of g over the repetitions",)
    repeats: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        # Once along each dimension, NumPy copies in the order of x.
        return np.asarray(np.tile(x, self.repeats), order="C")

    def dx(self, g: Tensor) -> Tensor:
        sizes = (1,) * (len(self.repeats) - len(self.x_shape)) + self.x_shape
        split = [each for pair in zip(self.repeats, sizes, strict=True) for each in pair]
        return g.reshape(split).sum(tuple(range(0, len(split), 2))).reshape(self.x_shape)


@op("Tensor", spread=True)
def repeat(input: Tensor, repeats: Sequence[int]) -> Tensor:
    """A tensor of `repeats[i]` copies of this one along dimension i; there may be new dimensions in front.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    counts = ints(repeats)
    if len(counts) < input._array.ndim or min(counts, default=0) < 0:
        problem = "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        raise RuntimeError(f"{problem}, {input._array.ndim}, and none is negative: repeat({list(counts)})")
    return Tile(counts).of(input)


@op(spread=True)
def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """The same as `repeat`, but the dimensions in front of those named are repeated once."""
    return input.repeat((1,) * (input._array.ndim - len(dims)) + ints(dims))


@op()
def repeat_interleave(
    input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or slice along `dim`, `repeats` times in a row, or as often as its element of `repeats` says.

    Of a vector alone, the index i as often as its element i says.

    >>> import minigrad as torch
    >>> torch.tensor([7, 8]).repeat_interleave(2)
    tensor([7, 7, 8, 8])
    >>> torch.tensor([7, 8]).repeat_interleave(torch.tensor([1, 3]))
    tensor([7, 8, 8, 8])
    >>> torch.repeat_interleave(torch.tensor([2, 0, 1]))
    tensor([0, 0, 2])
    """
    if repeats is None:
        if input._array.ndim != 1:
            raise RuntimeError(f"repeat_interleave only accept 1D vector as repeat, got {input._array.ndim} dimensions")
        input, repeats = input._new(np.arange(len(input), dtype=input._array.dtype)), input
    x, at = (input.flatten(), 0) if dim is None else (input, own_dim(dim, input._array.ndim))
    before, size, after = x._array.shape[:at], x._array.shape[at], x._array.shape[at + 1 :]
    counts = repeats._array if isinstance(repeats, Tensor) else np.asarray(as_int(repeats))
    if counts.ndim > 1 or counts.size not in (1, size) or np.count_nonzero(counts < 0):
        raise RuntimeError(f"repeats must have the same size as input along dim, {size}, and be >= 0: got {counts}")
    if counts.dtype not in INDEX_DTYPES:
        raise NotImplementedError(f'"repeat_interleave_cpu" not implemented for {dtypes.of(counts)}: expected int64')
    if not isinstance(repeats, Tensor):
        repeated = Tile((*[1] * (at + 1), int(counts), *[1] * len(after))).of(Reshape((*before, size, 1, *after)).of(x))
        return Reshape((*before, size * int(counts), *after)).of(repeated)
    places = np.repeat(np.arange(size), np.broadcast_to(counts.reshape(-1), size))
    return Index((at,), "IndexSelectBackward0").of(x, x._new(places))


# ---- elements in other places ----------------------------------------------------------------------------------------


class Flip(Unary):
    """`x` in reverse order along `dims`, its own adjoint."""

    formulas = ("dx = Flip(g)",)
    dims: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        return laid_out(x[tuple([slice(None, None, -1 if dim in self.dims else 1) for dim in range(x.ndim)])].copy(), x)

    def dx(self, g: Tensor) -> Tensor:
        return Flip(self.dims).of(g)


@op(spread=True)
def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """A copy in reverse order along `dims`.

    >>> import minigrad as torch
    >>> torch.arange(3).flip(0)
    tensor([2, 1, 0])
    """
    return Flip(normal_dims(ints(dims), input._array.ndim)).of(input)


class Roll(Unary):
    """`y[…, (i + shift) mod size, …] = x[…, i, …]`: along each of `dims`; along all elements if there are none."""

    formulas = ("dx = Roll(g) by the opposite shifts",)
    shifts: tuple[int, ...]
    dims: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        # np.roll takes twice as long for few elements.
        y = x if self.dims else x.reshape(-1)
        for shift, dim in zip(self.shifts, self.dims or (0,), strict=True):
            first, before = -shift % (y.shape[dim] or 1), (slice(None),) * dim
            y = np.concatenate((y[(*before, slice(first, None))], y[(*before, slice(first))]), dim)
        return np.asarray(y.reshape(x.shape), order="C")

    def dx(self, g: Tensor) -> Tensor:
        return Roll(tuple([-shift for shift in self.shifts]), self.dims).of(g)


@op()
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """A copy with all elements `shifts` places further along `dims` (if none, in order), the last ones first.

    >>> import minigrad as torch
    >>> torch.arange(5).roll(2)
    tensor([3, 4, 0, 1, 2])
    """
    by, along = ints_or_one(shifts), ints_or_one(() if dims is None else dims)
    if len(by) != (len(along) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    return Roll(by, tuple([own_dim(dim, input._array.ndim) for dim in along])).of(input)


# ---- one tensor of several, and several of one: in adjoint pairs -----------------------------------------------------


def listed(name: str, tensors: object, error: type[Exception] = RuntimeError) -> list[Tensor]:
    """The tensors of a list or tuple, which must not be empty; a tensor is not taken for a list of its rows."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}() expects a tuple of tensors")
    if not tensors:
        raise error(f"{name} expects a non-empty TensorList")
    return list(tensors)


def _given(name: str, tensors: tuple[Any, ...]) -> list[Tensor]:
    """Tensors given as `f(a, b)` or as `f([a, b])`."""
    given = listed(name, tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)
    for position, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return given


def in_one_dtype(tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """The tensors in the dtype that all of them promote to."""
    first = tensors[0]._array.dtype
    for x in tensors:
        if x._array.dtype is not first:
            common = result_type(*[each._array for each in tensors])
            return [cast(each, common) for each in tensors]
    return tensors


class Cat(Node):
    """The tensors one after another along `dim`; if they are `stacked`, which have one shape, along a new dimension."""

    formulas = ("The gradients are Split(g), each the part where a tensor lies, or Unbind(g) if they are stacked",)
    dim: int
    stacked: bool = False

    def forward(self, *arrays: Array) -> Array:
        if self.stacked:
            at = (*(slice(None),) * self.dim, None)
            return np.asarray(np.concatenate([array[at] for array in arrays], self.dim), order="C")
        joined = np.concatenate(arrays, self.dim)
        self.sizes = [array.shape[self.dim] for array in arrays]
        return np.asarray(joined, order="C")

    def backward(self, g: Tensor) -> Sequence[Any]:
        node = Unbind(range(len(self.edges)), self.dim) if self.stacked else Split(_cuts(self.sizes), self.dim)
        return [None if edge is None else part for edge, part in zip(self.edges, node.of(g), strict=True)]

    def name(self) -> str:
        return "StackBackward0" if self.stacked else "CatBackward0"


class Split(Several):
    """The parts of `x` that `keys`, slices one after another, select along `dim`: views, in the storage of `x`."""

    formulas = ("dx = Cat(g's), zeros where there is no g",)
    keys: Sequence[slice | int]
    dim: int
    form: str = "SplitBackward0"

    stacked: ClassVar[bool] = False

    def of(self, x: Any) -> tuple[Tensor, ...]:
        # With an Ellipsis NumPy gives a 0-d view where it would give a copied scalar without.
        array, before = x._array, (slice(None),) * self.dim
        outs = tuple([x._new(array[(*before, key, ...)]) for key in self.keys])
        if x._requires_grad and current.enabled:
            self.record((x._node or x,), (x,), outs)
            self.shapes = [out._array.shape for out in outs]
        for out in outs:
            share_storage(x, out, type(self).__name__)
        return outs

    def backward(self, g: Sequence[Any]) -> Sequence[Tensor]:
        some = next(each for each in g if each is not None)
        pairs = zip(g, self.shapes, strict=True)
        filled = [some._new(np.zeros(shape, some._array.dtype)) if each is None else each for each, shape in pairs]
        return (Cat(self.dim, self.stacked).of(*filled),)


class Unbind(Split):
    """The slices of `x` along `dim`, which goes: views."""

    formulas = ("dx = Cat(g's), stacked, zeros where there is no g",)
    form = "UnbindBackward0"
    stacked = True


def _cuts(sizes: Sequence[int]) -> list[slice]:
    """The slices that select consecutive parts of these sizes."""
    return [slice(end - size, end) for size, end in zip(sizes, itertools.accumulate(sizes), strict=True)]


@op("torch", aliases=["concat", "concatenate"])
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one after another along `dim`; their other sizes must be equal.  1-d tensors of size 0 are left out.

    >>> import minigrad as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    given = listed("cat", tensors, ValueError)
    shapes = [x._array.shape for x in given]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated: stack it")
    first = shapes[0]
    if (0,) in shapes:
        first = next((shape for shape in shapes if shape != (0,)), (0,))
    at = 0 if first == (0,) else normal_dim(dim, len(first))
    if len(first) > 1 and (0,) in shapes:
        # It is left out, but counts for the dtype, and has a gradient: so it becomes an empty one of the others' shape.
        nothing = (*first[:at], 0, *first[at + 1 :])
        given = [Reshape(nothing).of(x) if x._array.shape == (0,) else x for x in given]
    try:
        return Cat(at).of(*in_one_dtype(given))
    except ValueError:
        for position, shape in enumerate([x._array.shape for x in given]):
            if len(shape) != len(first):
                found = f"got {len(first)} and {len(shape)}: unsqueeze(dim)"
                raise RuntimeError(f"Tensors must have same number of dimensions: {found}") from None
            for dim in [dim for dim, size in enumerate(shape) if size != first[dim] and dim != at]:
                sizes = f"size {first[dim]} but got size {shape[dim]} for tensor number {position} in the list"
                problem = f"Sizes of tensors must match except in dimension {at}. Expected {sizes}"
                raise RuntimeError(f"{problem}: {list(shape)} beside {list(first)}") from None
        raise


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
    """The dimension to split `x` along, counted from the front, and its size."""
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
        return Split(_cuts(sizes), at, "SplitWithSizesBackward0").of(tensor)
    step = as_int(split_size_or_sections)
    if step < 0 or (size and not step):
        raise RuntimeError(f"split expects split_size be non-negative, and 0 only where dim has size 0, but got {step}")
    return Split([slice(start, start + step) for start in range(0, size or 1, step or 1)], at).of(tensor)


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
    return split(input, -(-size // chunks) if size else [0] * chunks, at)


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
    return Cat(at, stacked=True).of(*in_one_dtype(given))


@op()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of all slices along `dim`, which goes.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2], [3, 4]]).unbind(1)
    (tensor([1, 3]), tensor([2, 4]))
    """
    at = own_dim(dim, input._array.ndim)
    return Unbind(range(input._array.shape[at]), at).of(input)


@method("__iter__")
def iterated(self: Tensor) -> Iterator[Tensor]:
    """The slices along the first dimension, one after another."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(Unbind(range(len(self._array)), 0).of(self))


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
    shape = tuple([vectors[place]._array.size for place in places])
    alone = [tuple([-1 if each == place else 1 for each in range(len(vectors))]) for place in places]
    return tuple([Expand(shape).of(Reshape(sizes).of(x)) for x, sizes in zip(vectors, alone, strict=True)])
