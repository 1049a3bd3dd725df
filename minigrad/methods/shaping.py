"""Shapes: the same elements in another shape, in another order of dimensions, or repeated."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, SupportsIndex

from minigrad.autograd.hooks import keep_retaining
from minigrad.core import dtypes, elementwise, shapes
from minigrad.core.modes import is_grad_enabled
from minigrad.core.shapes import Expand, SumTo
from minigrad.core.tensor import Tensor, storage_of
from minigrad.methods.forms import Dims, checked_tensor, named_in_place, numpy_names
from minigrad.methods.writing import Writing
from minigrad.ops import indexing, rearrange
from minigrad.ops import shape as _shape
from minigrad.ops.dims import INTEGER, normal_dim, normal_dims, sizes_of

P = ParamSpec("P")

Ints = SupportsIndex | Sequence[SupportsIndex]


def _view_in_place(method: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], Any]:
    """The method `x.f_(…)` that gives `x` itself the shape and strides of `x.f(…)`; no element is written."""

    def call(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        if self._requires_grad and is_grad_enabled():
            self._check_recordable()
        return self._restride(method(self._before(), *args, **kwargs))

    return named_in_place(call, method, "Give this tensor itself the shape and the strides of")


class Shaping(Writing):
    """The same elements in another shape, in another order of dimensions, or repeated."""

    __slots__ = ()

    # ---- the same elements in another shape --------------------------------------------------------------------------

    def reshape(self, *sizes: Any, shape: Any = None) -> Tensor:
        """The elements in the same order in another shape (one size may be -1): a view if strides allow it.

        >>> import minigrad as torch
        >>> torch.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        """
        new = _shape.inferred_shape(sizes_of("reshape", sizes, shape), self._array.size)
        return shapes.Reshape(new, "ViewBackward0" if self.is_contiguous() else "ReshapeAliasBackward0")(self)

    def reshape_as(self, other: Tensor) -> Tensor:
        """The elements in the same order in the shape of `other`."""
        return self.reshape(checked_tensor("reshape_as", other, "other").shape)

    def view(self, *sizes: Any, size: Any = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it.

        For a dtype, `view(dtype)`, the same bytes read as elements of that dtype; no gradient flows through this.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, -2.0]).view(torch.int32)
        tensor([ 1065353216, -1073741824], dtype=torch.int32)
        """
        if dtype is not None or (len(sizes) == 1 and isinstance(sizes[0], dtypes.dtype)):
            return self._view_as_dtype(sizes[0] if dtype is None else dtype)
        out = shapes.Reshape(_shape.inferred_shape(sizes_of("view", sizes, size), self._array.size))(self)
        if out._base is None and self._array.size:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        return out

    def _view_as_dtype(self, to: dtypes.dtype) -> Tensor:
        """The same bytes as elements of `to`: fewer and larger, or more and smaller, along the last dimension."""
        array = self._array
        if array.itemsize != to.itemsize:
            what = f"view {self.dtype._tensor_name} as {to._tensor_name} (different element sizes)"
            if array.ndim == 0:
                raise RuntimeError(f"self.dim() cannot be 0 to {what}")
            *steps, last = self.stride()
            if last != 1:
                raise RuntimeError(f"self.stride(-1) must be 1 to {what}, but got {last}")
            ratio = max(to.itemsize // array.itemsize, 1)
            if array.shape[-1] % ratio:
                raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to {what}, but got {array.shape[-1]}")
            for dim, step in enumerate(steps):
                if step % ratio:
                    raise RuntimeError(f"self.stride({dim}) must be divisible by {ratio} to {what}, but got {step}")
        out = self._new(array.view(to._numpy))
        out._storage = storage_of(self)
        return out

    def view_as(self, other: Tensor) -> Tensor:
        """The same storage in the shape of `other`."""
        return self.view(checked_tensor("view_as", other, "other").shape)

    def flatten(self, start_dim: SupportsIndex = 0, end_dim: SupportsIndex = -1) -> Any:
        """The elements with the dimensions from `start_dim` to `end_dim`, both included, as one.

        >>> import minigrad as torch
        >>> torch.zeros(2, 3, 4).flatten(1).shape
        torch.Size([2, 12])
        """
        start, end = normal_dim(start_dim, self.ndim), normal_dim(end_dim, self.ndim)
        if start > end:
            raise RuntimeError(f"flatten() has invalid args: start_dim cannot come after end_dim: {start} > {end}")
        if start == end and self.ndim:
            return self
        sizes = self._array.shape
        return self.reshape((*sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :]))

    def ravel(self) -> Tensor:
        """The elements in order as a 1-d tensor: a view, or of a contiguous copy."""
        return self.contiguous().view(self._array.size)

    def unflatten(self, dim: SupportsIndex, sizes: Sequence[SupportsIndex]) -> Tensor:
        """A view with the dimension `dim` as several, of `sizes`, of which one may be -1.

        >>> import minigrad as torch
        >>> torch.zeros(2, 12).unflatten(1, (3, -1)).shape
        torch.Size([2, 3, 4])
        """
        at = normal_dim(dim, self.ndim)
        if not isinstance(sizes, tuple | list):
            raise TypeError(
                f"unflatten(): argument 'sizes' (position 2) must be tuple of ints, not {type(sizes).__name__}"
            )
        if not sizes:
            raise RuntimeError("unflatten: sizes must be non-empty")
        if self.ndim == 0:
            raise RuntimeError("unflatten: expected a tensor with dimensions, got a 0-d one")
        shape = self._array.shape
        try:
            new = _shape.inferred_shape(sizes_of("unflatten", (sizes,)), shape[at])
        except RuntimeError as error:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({shape[at]}) in "
                f"the input tensor: {error}"
            ) from None
        return self.view((*shape[:at], *new, *shape[at + 1 :]))

    @numpy_names
    def unsqueeze(self, dim: SupportsIndex) -> Tensor:
        """A view with a new dimension of size 1 at `dim`.

        >>> import minigrad as torch
        >>> torch.zeros(2, 3).unsqueeze(1).shape
        torch.Size([2, 1, 3])
        """
        at = normal_dim(dim, self.ndim + 1)
        sizes = self._array.shape
        return shapes.Reshape((*sizes[:at], 1, *sizes[at:]), "UnsqueezeBackward0")(self)

    @numpy_names
    def squeeze(self, dim: Dims = None) -> Tensor:
        """A view without the dimensions of size 1: without all, or those of `dim` that are.

        >>> import minigrad as torch
        >>> torch.zeros(1, 2, 1).squeeze().shape, torch.zeros(1, 2, 1).squeeze(0).shape
        (torch.Size([2]), torch.Size([2, 1]))
        """
        dims = normal_dims(dim, self.ndim)
        sizes = [size for i, size in enumerate(self._array.shape) if size != 1 or i not in dims]
        form = 0 if dim is None else 1 if isinstance(dim, INTEGER) else 2
        return shapes.Reshape(tuple(sizes), f"SqueezeBackward{form}")(self)

    # ---- the same dimensions in another order ------------------------------------------------------------------------

    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """A view with dimension `dims[i]` in place i.

        >>> import minigrad as torch
        >>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape
        torch.Size([4, 2, 3])
        """
        named = sizes_of("permute", order, dims)
        if len(named) != self.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                f"the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to "
                f"len(dims) = {len(named)}"
            )
        found: list[builtins.int] = []
        for dim in named:
            position = normal_dim(dim, self.ndim)
            if position in found:
                raise RuntimeError(f"permute(): duplicate dims are not allowed: got {named}.")
            found.append(position)
        return shapes.Permute(tuple(found))(self)

    def transpose(self, dim0: SupportsIndex, dim1: SupportsIndex) -> Tensor:
        """A view with two dimensions swapped.

        >>> import minigrad as torch
        >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).transpose(0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
        """
        dims = _shape.swapped(self.ndim, normal_dim(dim0, self.ndim), normal_dim(dim1, self.ndim))
        return shapes.Permute(dims, "TransposeBackward0")(self)

    def swapaxes(self, axis0: SupportsIndex, axis1: SupportsIndex) -> Tensor:
        """A view with two dimensions swapped."""
        return self.transpose(axis0, axis1)

    def swapdims(self, dim0: SupportsIndex, dim1: SupportsIndex) -> Tensor:
        """A view with two dimensions swapped."""
        return self.transpose(dim0, dim1)

    def movedim(self, source: Ints, destination: Ints) -> Tensor:
        """A view with dimension `source[i]` in place `destination[i]`, and the others in their order around them.

        >>> import minigrad as torch
        >>> torch.zeros(2, 3, 4).movedim(0, -1).shape
        torch.Size([3, 4, 2])
        """
        if isinstance(source, INTEGER) != isinstance(destination, INTEGER):
            raise TypeError("movedim() expects two ints or two tuples of ints: got one of each")
        lists = [(dims,) if isinstance(dims, INTEGER) else tuple(dims) for dims in (source, destination)]
        if len(lists[0]) != len(lists[1]):
            raise RuntimeError(
                f"movedim: Invalid source or destination dims: source ({list(lists[0])} dims) should contain the same "
                f"number of dims as destination ({list(lists[1])} dims)"
            )
        places = [[normal_dim(dim, self.ndim) for dim in dims] for dims in lists]
        for name, given in zip(("source", "destination"), places, strict=True):
            if len(set(given)) < len(given):
                raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
        if self.ndim == 0:
            return indexing.Slice(())(self)
        return shapes.Permute(_shape.moved(self.ndim, *places))(self)

    def moveaxis(self, source: Ints, destination: Ints) -> Tensor:
        """The same as `movedim`."""
        return self.movedim(source, destination)

    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return shapes.Permute(tuple(reversed(range(self.ndim))), "TBackward0")(self)

    @property
    def T(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the dimensions in reverse order: the transpose of a matrix."""
        return shapes.Permute(tuple(reversed(range(self.ndim))))(self)

    @property
    def mT(self) -> Any:  # noqa: N802  (PyTorch's name)
        """A view with the last two dimensions swapped."""
        return self._transposed("mT")

    @property
    def mH(self) -> Any:  # noqa: N802  (PyTorch's name)
        """The conjugate transpose of matrices: of real numbers, the same as `mT`."""
        return self._transposed("mH")

    @property
    def H(self) -> Any:  # noqa: N802  (PyTorch's name)
        """The conjugate transpose of a matrix: of real numbers, the transpose."""
        if self.ndim not in (0, 2):
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor: mH takes batches"
            )
        return self._transposed("H")

    def adjoint(self) -> Any:
        """The conjugate transpose of matrices: of real numbers, the same as `mT`."""
        return self._transposed("adjoint()")

    def _transposed(self, name: str) -> Any:
        """A view with the last two dimensions swapped, or this tensor if it is 0-d."""
        if self.ndim == 0:
            return self
        if self.ndim == 1:
            raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return shapes.Permute(_shape.swapped(self.ndim, -1, -2), "TransposeBackward0")(self)

    # ---- in place: new shape and strides -----------------------------------------------------------------------------

    unsqueeze_ = _view_in_place(unsqueeze)
    squeeze_ = _view_in_place(squeeze)
    transpose_ = _view_in_place(transpose)
    swapaxes_ = _view_in_place(swapaxes)
    swapdims_ = _view_in_place(swapdims)
    t_ = _view_in_place(t)

    def _restride(self, view: Tensor) -> Any:
        """Take on the shape, the strides and the history of `view`, which is a view of this tensor."""
        self._array = view._array
        storage_of(self).version += 1
        if view._requires_grad and is_grad_enabled():
            node: Any = view._node
            node.form = _shape.IN_PLACE[node.form]
            if self._base is None:
                self._follow(node)
            else:
                # The elements of the base are as they were: its history stays.
                earlier, self._node = self._node, node
                keep_retaining(self, earlier)
        return self

    # ---- repeated elements -------------------------------------------------------------------------------------------

    def expand(self, *sizes: Any, size: Any = None) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to `sizes`; -1 keeps a size.

        >>> import minigrad as torch
        >>> torch.tensor([[1], [2]]).expand(-1, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
        """
        return Expand(_shape.expanded_shape(sizes_of("expand", sizes, size), self._array.shape))(self)

    def expand_as(self, other: Tensor) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to the shape of `other`."""
        return self.expand(checked_tensor("expand_as", other, "other").shape)

    def broadcast_to(self, *sizes: Any, size: Any = None) -> Tensor:
        """The same as `expand`."""
        return self.expand(sizes_of("broadcast_to", sizes, size))

    def sum_to_size(self, *size: Any) -> Any:
        """The sum over what broadcasting repeats to make a tensor of `size` into one of this shape."""
        shape = sizes_of("sum_to_size", size)
        sizes = self._array.shape[self.ndim - len(shape) :]
        if len(shape) > self.ndim or any([a not in (1, b) for a, b in zip(shape, sizes, strict=True)]):
            raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
        if shape and shape == self._array.shape:
            return self
        return SumTo(shape)(self if self._array.dtype.kind == "f" else elementwise.cast(self, dtypes.int64))

    def repeat(self, *sizes: Any, repeats: Any = None) -> Tensor:
        """A tensor of `repeats[i]` copies of this one along dimension i; there may be new dimensions in front.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
        """
        counts = sizes_of("repeat", sizes, repeats)
        if len(counts) < self.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: expected "
                f"at least {self.ndim}, got {len(counts)}"
            )
        if min(counts, default=0) < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension: repeat({list(counts)})")
        return rearrange.Repeat(counts)(self)

    def tile(self, *sizes: Any, dims: Any = None) -> Tensor:
        """The same as `repeat`, but the dimensions in front of those named are repeated once."""
        counts = sizes_of("tile", sizes, dims)
        return self.repeat((1,) * (self.ndim - len(counts)) + counts)

    @numpy_names
    def repeat_interleave(
        self, repeats: Any, dim: SupportsIndex | None = None, *, output_size: builtins.int | None = None
    ) -> Tensor:
        """Each element, or slice along `dim`, `repeats` times in a row, or as often as its element of `repeats` says.

        >>> import minigrad as torch
        >>> torch.tensor([7, 8]).repeat_interleave(2)
        tensor([7, 7, 8, 8])
        >>> torch.tensor([7, 8]).repeat_interleave(torch.tensor([1, 3]))
        tensor([7, 8, 8, 8])
        """
        if dim is not None and self.ndim == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        x: Any = self.flatten() if dim is None else self
        at = 0 if dim is None else normal_dim(dim, self.ndim)
        counts = rearrange.checked_repeats(repeats, x._array.shape[at], output_size)
        result: Tensor = rearrange.RepeatEach(counts, at)(x)
        return result

    def contiguous(self) -> Any:
        """This tensor if its elements lie in order in memory, else a copy that does.

        >>> import minigrad as torch
        >>> x = torch.zeros(2, 3).T
        >>> x.is_contiguous(), x.contiguous().is_contiguous()
        (False, True)
        """
        return self if self.is_contiguous() else elementwise.Clone("C")(self)

    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether `other` has the same shape."""
        return self._array.shape == checked_tensor("is_same_size", other, "other")._array.shape
