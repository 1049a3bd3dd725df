"""Shapes."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, SupportsIndex

from minigrad.methods.forms import Dims
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise
from minigrad.ops import shape as _shape
from minigrad.ops.broadcast import Expand
from minigrad.ops.dims import normal_dim, normal_dims, sizes_of

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Shaping(Writing):
    """Shapes."""

    __slots__ = ()

    def reshape(self, *shape: Any) -> Tensor:
        """The elements in the same order in another shape (one size may be -1): a view if strides allow it."""
        sizes = _shape.inferred_shape(sizes_of("reshape", shape), self._array.size)
        return _shape.Reshape(sizes, "ViewBackward0" if self.is_contiguous() else "ReshapeAliasBackward0")(self)

    def view(self, *shape: Any) -> Tensor:
        """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it."""
        sizes = _shape.inferred_shape(sizes_of("view", shape), self._array.size)
        out = _shape.Reshape(sizes)(self)
        if out._base is None and self._array.size:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        return out

    def flatten(self) -> Any:
        """The elements as a 1-d tensor."""
        return self if self.ndim == 1 else self.reshape(-1 if self._array.size else 0)

    def permute(self, *dims: Any) -> Tensor:
        """A view with dimension `dims[i]` in place i."""
        named = sizes_of("permute", dims)
        if len(named) != self.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                f"the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to "
                f"len(dims) = {len(named)}"
            )
        order: list[builtins.int] = []
        for dim in named:
            order.append(normal_dim(dim, self.ndim))
            if order[-1] in order[:-1]:
                raise RuntimeError(f"permute(): duplicate dims are not allowed: got {named}.")
        return _shape.Permute(tuple(order))(self)

    def transpose(self, dim0: SupportsIndex, dim1: SupportsIndex) -> Tensor:
        """A view with two dimensions swapped."""
        dims = _shape.swapped(self.ndim, normal_dim(dim0, self.ndim), normal_dim(dim1, self.ndim))
        return _shape.Permute(dims, "Transpose")(self)

    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return _shape.Permute(tuple(reversed(range(self.ndim))), "T")(self)

    @property
    def T(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the dimensions in reverse order: the transpose of a matrix."""
        return _shape.Permute(tuple(reversed(range(self.ndim))))(self)

    @property
    def mT(self) -> Any:  # noqa: N802  (PyTorch's name)
        """A view with the last two dimensions swapped."""
        if self.ndim == 0:
            return self
        if self.ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return _shape.Permute(_shape.swapped(self.ndim, -1, -2), "Transpose")(self)

    def unsqueeze(self, dim: SupportsIndex) -> Tensor:
        """A view with a new dimension of size 1 at `dim`."""
        at = normal_dim(dim, self.ndim + 1)
        sizes = self._array.shape
        return _shape.Reshape((*sizes[:at], 1, *sizes[at:]), "UnsqueezeBackward0")(self)

    def squeeze(self, dim: Dims = None) -> Tensor:
        """A view without the dimensions of size 1: without all, or those of `dim` that are."""
        dims = normal_dims(dim, self.ndim)
        sizes = [size for i, size in enumerate(self._array.shape) if size != 1 or i not in dims]
        form = 0 if dim is None else 1 if isinstance(dim, SupportsIndex) else 2
        return _shape.Reshape(tuple(sizes), f"SqueezeBackward{form}")(self)

    def expand(self, *sizes: Any) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to `sizes`; -1 keeps a size."""
        return Expand(_shape.expanded_shape(sizes_of("expand", sizes), self._array.shape))(self)

    def contiguous(self) -> Any:
        """This tensor if its elements lie in order in memory, else a copy that does."""
        return self if self.is_contiguous() else elementwise.Clone("C")(self)
