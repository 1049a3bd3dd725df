"""New tensors of a tensor's dtype."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from minigrad.core.dtypes import Array, Number
from minigrad.core.tensor import Tensor, members
from minigrad.tensors.errors import warn_program
from minigrad.tensors.nested_data import array_of_data
from minigrad.tensors.options import (
    DType,
    OnDevice,
    Options,
    SizedOptions,
    Sizes,
    as_dtype,
    checked,
    filled_with,
    listed,
    made,
    number_of,
)


@members
class Making(Tensor):
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
        value = number_of("new_full", "fill_value", fill_value, 2)
        return self._made("new_full", filled_with(value), listed("new_full", size), options)

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
        if isinstance(data, Tensor):
            warn_program(
                "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor)."
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
        array, requires_grad = made(name, make, sizes, options, self.dtype)
        out = self._new(array)
        out._requires_grad = requires_grad
        return out
