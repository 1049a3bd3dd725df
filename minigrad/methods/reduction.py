"""Reductions."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.methods.forms import Dims
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise, reduce, softmax
from minigrad.ops import shape as _shape
from minigrad.ops.dims import normal_dim, normal_dims

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class MaxResult(NamedTuple):
    """The largest elements along a dimension, and their indices."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.max(\nvalues={self.values!r},\nindices={self.indices!r})"


class MinResult(NamedTuple):
    """The smallest elements along a dimension, and their indices."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.min(\nvalues={self.values!r},\nindices={self.indices!r})"


def _summed_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions that a sum over `dim` is over: all for None and, unlike elsewhere, for no dimension named."""
    return normal_dims(dim, ndim) or tuple(range(ndim))


class Reduction(Writing):
    """Reductions."""

    __slots__ = ()

    def sum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The sum over all elements, or over the dimensions `dim`; of integers, an int64."""
        if dtype is None and self._array.dtype.kind != "f":
            dtype = dtypes.int64
        if dtype is not None and not dtype.is_floating_point and self._requires_grad and is_grad_enabled():
            raise RuntimeError(f"Autograd not support dtype: {dtype._tensor_name}: integers have no gradients")
        x = self if dtype is None else elementwise.cast(self, dtype)
        return reduce.Sum(_summed_dims(dim, self.ndim), keepdim, dim is None and not keepdim)(x)

    def mean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The mean over all elements, or over the dimensions `dim`; of floating-point numbers only."""
        x = self if dtype is None else elementwise.cast(self, dtype)
        if x._array.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {x.dtype._tensor_name}. Convert it first: x.float().mean()"
            )
        return reduce.Mean(_summed_dims(dim, self.ndim), keepdim, dim is None and not keepdim)(x)

    def max(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Any:
        """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`."""
        return self._extremum("max", np.max, np.argmax, dim, keepdim)

    def min(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Any:
        """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`."""
        return self._extremum("min", np.min, np.argmin, dim, keepdim)

    def _extremum(
        self, name: str, find: Any, find_index: Any, dim: SupportsIndex | None, keepdim: builtins.bool
    ) -> Any:
        if dim is None:
            if self._array.size == 0:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                    "dim with the 'dim' argument."
                )
            return reduce.Extremum(find)(self)
        position = normal_dim(dim, self.ndim)
        if self.ndim == 0:
            return _shape.Reshape((1,), "UnsqueezeBackward0")(self)._extremum(name, find, find_index, 0, False)
        indices = reduce.argument(name, find_index, self, position, True)
        values = reduce.TakeAlong(position, keepdim, name.capitalize())(self, indices)
        return (MaxResult if name == "max" else MinResult)(values, indices if keepdim else indices.squeeze(position))

    def argmax(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the largest element, of all in order or along `dim`."""
        return reduce.argument("argmax", np.argmax, self, dim, keepdim)

    def argmin(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the smallest element, of all in order or along `dim`."""
        return reduce.argument("argmin", np.argmin, self, dim, keepdim)

    def all(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements, or all along `dim`, are true or not zero."""
        return reduce.logical(np.logical_and, self, normal_dims(dim, self.ndim), keepdim)

    def any(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element, or any along `dim`, is true or not zero."""
        return reduce.logical(np.logical_or, self, normal_dims(dim, self.ndim), keepdim)

    def softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1."""
        x = self if dtype is None else elementwise.cast(self, dtype)
        if x._array.dtype.kind != "f":
            raise NotImplementedError(
                f"\"softmax_lastdim_kernel_impl\" not implemented for '{x.dtype._tensor_name}': convert it first, "
                "x.float().softmax(dim)"
            )
        return softmax.Softmax(normal_dim(dim, self.ndim))(x)
