"""Parts of a tensor: slices, windows, diagonals, triangles; and its elements in other places."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from operator import index as as_int
from typing import Any, SupportsIndex

from minigrad.core.tensor import Tensor
from minigrad.methods.forms import in_place, numpy_names
from minigrad.methods.shaping import Ints, Shaping
from minigrad.ops import diagonal as _diagonal
from minigrad.ops import indexing, join, rearrange
from minigrad.ops.dims import INTEGER, normal_dim, normal_dims, sizes_of
from minigrad.ops.windows import Unfold


class Parts(Shaping):
    """Parts, and elements in other places."""

    __slots__ = ()

    # ---- consecutive parts -------------------------------------------------------------------------------------------

    @numpy_names
    def split(self, split_size: Ints, dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
        """Views of consecutive parts along `dim`: each of `split_size`, but for the last, or of the sizes listed.

        >>> import minigrad as torch
        >>> torch.arange(5).split(2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        >>> torch.arange(5).split([1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
        """
        if not isinstance(split_size, INTEGER):
            return self.split_with_sizes(split_size, dim)
        step = as_int(split_size)
        if step < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
        at = self._splittable("split", dim)
        size = self._array.shape[at]
        if step == 0 and size:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        sizes = [min(step, size - start) for start in range(0, size, step)] if size else [0]
        return join.Split(sizes, at)(self)

    @numpy_names
    def split_with_sizes(self, split_sizes: Sequence[SupportsIndex], dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
        """Views of consecutive parts of the sizes listed, along `dim`."""
        at = self._splittable("split_with_sizes", dim)
        if not isinstance(split_sizes, tuple | list):
            raise TypeError(
                "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
                f"{type(split_sizes).__name__}"
            )
        sizes = sizes_of("split_with_sizes", (split_sizes,))
        if min(sizes, default=0) < 0:
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(sizes)}"
            )
        if sum(sizes) != self._array.shape[at]:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {self._array.shape[at]} (input tensor's size "
                f"at dimension {at}), but got split_sizes={list(sizes)}"
            )
        return join.Split(sizes, at, "SplitWithSizesBackward0")(self)

    @numpy_names
    def chunk(self, chunks: SupportsIndex, dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
        """Views of at most `chunks` consecutive parts along `dim`, of one size but for the last.

        >>> import minigrad as torch
        >>> torch.arange(5).chunk(3)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        """
        count = as_int(chunks)
        if count <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {count}")
        at = self._splittable("chunk", dim)
        size = self._array.shape[at]
        return self.split(-(-size // count), at) if size else self.split_with_sizes([0] * count, at)

    def _splittable(self, name: str, dim: SupportsIndex) -> builtins.int:
        """`dim` counted from the front, of a tensor that has dimensions."""
        if self.ndim == 0:
            raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
        return normal_dim(dim, self.ndim)

    @numpy_names
    def unbind(self, dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
        """Views of all slices along `dim`, which goes.

        >>> import minigrad as torch
        >>> torch.tensor([[1, 2], [3, 4]]).unbind(1)
        (tensor([1, 3]), tensor([2, 4]))
        """
        if self.ndim == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return join.Unbind(normal_dim(dim, self.ndim))(self)

    @numpy_names
    def select(self, dim: SupportsIndex, index: SupportsIndex) -> Tensor:
        """A view of the slice `index` along `dim`, which goes."""
        if self.ndim == 0:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        at, i = normal_dim(dim, self.ndim), as_int(index)
        size = self._array.shape[at]
        if not -size <= i < size:
            raise IndexError(
                f"select(): index {i} out of range for tensor of size {list(self.shape)} at dimension {at}: expected "
                f"one in [{-size}, {size})"
            )
        return indexing.Slice(((slice(None),) * at) + (i,))(self)

    @numpy_names
    def narrow(self, dim: SupportsIndex, start: Any, length: SupportsIndex) -> Tensor:
        """A view of the `length` slices along `dim` that begin with `start`, an int or a 0-d integer tensor."""
        if self.ndim == 0:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind not in "iu"):
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        begin, count = as_int(start), as_int(length)
        if count < 0:
            raise RuntimeError(f"narrow(): length must be non-negative, got {count}.")
        at = normal_dim(dim, self.ndim)
        size = self._array.shape[at]
        if not -size <= begin <= size:
            raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
        begin += size if begin < 0 else 0
        if begin + count > size:
            raise RuntimeError(f"start ({begin}) + length ({count}) exceeds dimension size ({size}).")
        return indexing.Slice(((slice(None),) * at) + (slice(begin, begin + count),))(self)

    def unfold(self, dimension: SupportsIndex, size: SupportsIndex, step: SupportsIndex) -> Tensor:
        """A view of the windows of `size` elements, each `step` after the one before; each lies along a new last dim.

        >>> import minigrad as torch
        >>> torch.arange(5).unfold(0, 3, 1)
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
        """
        at, count, hop = normal_dim(dimension, self.ndim), as_int(size), as_int(step)
        longest = self._array.shape[at] if self.ndim else 1
        if count < 0:
            raise RuntimeError(f"size is {count} but must be >= 0")
        if count > longest:
            raise RuntimeError(f"maximum size for tensor at dimension {at} is {longest} but size is {count}")
        if hop <= 0:
            raise RuntimeError(f"step is {hop} but must be > 0")
        return Unfold(at, count, hop)(self)

    # ---- elements in other places ------------------------------------------------------------------------------------

    def flip(self, *each: Any, dims: Any = None) -> Tensor:
        """A copy in reverse order along `dims`.

        >>> import minigrad as torch
        >>> torch.arange(3).flip(0)
        tensor([2, 1, 0])
        """
        return rearrange.Flip(normal_dims(sizes_of("flip", each, dims), self.ndim))(self)

    def fliplr(self) -> Tensor:
        """A copy with the columns in reverse order."""
        if self.ndim < 2:
            raise RuntimeError("Input must be >= 2-d.")
        return rearrange.Flip((1,))(self)

    def flipud(self) -> Tensor:
        """A copy with the rows in reverse order."""
        if self.ndim < 1:
            raise RuntimeError("Input must be >= 1-d.")
        return rearrange.Flip((0,))(self)

    def roll(self, shifts: Ints, dims: Ints = ()) -> Tensor:
        """A copy with all elements `shifts` places further along `dims` (if none, in order), the last ones first.

        >>> import minigrad as torch
        >>> torch.arange(5).roll(2)
        tensor([3, 4, 0, 1, 2])
        """
        by, along = (sizes_of("roll", (each,)) for each in (shifts, dims))
        if not by:
            raise RuntimeError("`shifts` required")
        if len(by) != len(along) and (along or len(by) > 1):
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
        if along and self.ndim == 0:
            raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
        return rearrange.Roll(by, tuple([normal_dim(dim, self.ndim) for dim in along]))(self)

    # ---- diagonals and triangles -------------------------------------------------------------------------------------

    def diagonal(self, offset: SupportsIndex = 0, dim1: SupportsIndex = 0, dim2: SupportsIndex = 1) -> Tensor:
        """A view of the diagonal of two dimensions, as the last one; it starts `offset` columns to the right.

        >>> import minigrad as torch
        >>> torch.arange(6).view(2, 3).diagonal(1)
        tensor([1, 5])
        """
        first, second = normal_dim(dim1, self.ndim), normal_dim(dim2, self.ndim)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return _diagonal.Diagonal(as_int(offset), first, second)(self)

    def diag(self, diagonal: SupportsIndex = 0) -> Tensor:
        """Of a vector the matrix with it on a diagonal; of a matrix a copy of that diagonal."""
        if self.ndim not in (1, 2):
            raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
        if self.ndim == 1:
            return self.diag_embed(diagonal)
        return _diagonal.DiagonalCopy(as_int(diagonal), 0, 1)(self)

    def diag_embed(self, offset: SupportsIndex = 0, dim1: SupportsIndex = -2, dim2: SupportsIndex = -1) -> Tensor:
        """Matrices with the elements of the last dimension on a diagonal, in the dimensions `dim1` and `dim2`.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).diag_embed(1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])
        """
        first, second = normal_dim(dim1, self.ndim + 1), normal_dim(dim2, self.ndim + 1)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        size = self._array.shape[-1] + abs(as_int(offset))
        others = iter(self._array.shape[:-1])
        shape = [size if dim in (first, second) else next(others) for dim in range(self.ndim + 1)]
        return _diagonal.PutDiagonal(tuple(shape), as_int(offset), first, second)(self)

    def diagflat(self, offset: SupportsIndex = 0) -> Tensor:
        """The matrix with all elements, in order, on a diagonal."""
        return self.reshape(self._array.size).diag_embed(offset)

    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""
        if self._array.dtype == bool:
            raise NotImplementedError("\"trace\" not implemented for 'Bool': expected numbers, such as x.long()")
        if self.ndim != 2:
            raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
        return _diagonal.Trace()(self)

    def tril(self, diagonal: SupportsIndex = 0) -> Tensor:
        """A copy of each matrix with zeros above a diagonal.

        >>> import minigrad as torch
        >>> torch.ones(3, 3).tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.],
                [1., 1., 1.]])
        """
        return _diagonal.Tril(self._triangle("tril", diagonal))(self)

    def triu(self, diagonal: SupportsIndex = 0) -> Tensor:
        """A copy of each matrix with zeros below a diagonal.

        >>> import minigrad as torch
        >>> torch.ones(3, 3).triu(1)
        tensor([[0., 1., 1.],
                [0., 0., 1.],
                [0., 0., 0.]])
        """
        return _diagonal.Triu(self._triangle("triu", diagonal))(self)

    def _triangle(self, name: str, diagonal: Any) -> builtins.int:
        """`diagonal`, for matrices."""
        if not isinstance(diagonal, INTEGER):
            raise TypeError(f"{name}(): argument 'diagonal' (position 1) must be int, not {type(diagonal).__name__}")
        if self.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return as_int(diagonal)

    tril_ = in_place(tril)
    triu_ = in_place(triu)
