"""New tensors of a tensor's dtype."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from minigrad.core import dtypes
from minigrad.core.base import TensorBase
from minigrad.core.dtypes import Array, Number
from minigrad.methods.attributes import Attributes
from minigrad.tensors.nested_data import array_of_data
from minigrad.tensors.options import DType, OnDevice, Options, SizedOptions, Sizes, as_dtype, checked, checked_shape

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Making(Attributes):
    """New tensors of a tensor's dtype, unless another is given."""

    __slots__ = ()

    def new_zeros(self, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
        """A tensor of zeros, in this tensor's dtype.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).new_zeros(3)
        tensor([0, 0, 0])
        """
        return self._made("new_zeros", np.zeros, sizes, options)

    def new_ones(self, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
        """A tensor of ones, in this tensor's dtype."""
        return self._made("new_ones", np.ones, sizes, options)

    def new_empty(self, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
        """A tensor in this tensor's dtype, to be written before it is read."""
        return self._made("new_empty", np.empty, sizes, options)

    def new_full(self, size: Sizes, fill_value: Number, **options: Unpack[Options]) -> Tensor:
        """A tensor of `fill_value`, in this tensor's dtype."""
        if not isinstance(size, Sequence):
            raise TypeError(
                f"new_full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}"
            )
        value: Any = fill_value._array.item() if isinstance(fill_value, TensorBase) else fill_value
        if not isinstance(value, int | float | np.generic):
            raise TypeError(
                f"new_full(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}"
            )

        def make(shape: tuple[builtins.int, ...], of: np.dtype[Any]) -> Array:
            return np.full(shape, dtypes.filler(value, dtypes.of(np.empty(0, of))))

        return self._made("new_full", make, (size,), options)

    def new_tensor(
        self,
        data: Any,
        *,
        dtype: DType = None,
        device: OnDevice = None,
        requires_grad: builtins.bool = False,
        pin_memory: builtins.bool = False,
    ) -> Tensor:
        """A tensor of a copy of `data`, as `torch.tensor` makes it, in this tensor's dtype.

        >>> import minigrad as torch
        >>> torch.zeros(2).new_tensor([1, 2])
        tensor([1., 2.])
        """
        if isinstance(data, TensorBase):
            warnings.warn(
                "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).",
                UserWarning,
                stacklevel=2,
            )
            data = data._array
        wanted = as_dtype("new_tensor", dtype) or self.dtype
        checked("new_tensor", {"device": device, "pin_memory": pin_memory})
        return self._new(array_of_data(data, wanted)).requires_grad_(requires_grad)

    def _made(
        self,
        name: str,
        make: Callable[[tuple[builtins.int, ...], np.dtype[Any]], Array],
        sizes: Sequence[Any],
        options: Options,
    ) -> Tensor:
        """A leaf that `make(shape, dtype)` fills."""
        wanted, requires_grad = checked(name, options, self.dtype)
        out = self._new(make(checked_shape(name, sizes, options, wanted), wanted))
        out._requires_grad = requires_grad
        return out
