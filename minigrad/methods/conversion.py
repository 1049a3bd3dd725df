"""Copies and conversions."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.base import TensorBase
from minigrad.devices import device as Device
from minigrad.dtypes import Array
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Conversion(Writing):
    """Copies and conversions."""

    __slots__ = ()

    def clone(self) -> Tensor:
        """A copy, recorded: its gradient is this tensor's."""
        return elementwise.Clone()(self)

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """This tensor in a dtype, on a device, or in those of another tensor; itself if nothing changes.

        `to(dtype)`, `to(device, dtype=None)` and `to(other)`, each with `copy=False`.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).to(torch.float64)
        tensor([1., 2.], dtype=torch.float64)
        """
        copy = kwargs.pop("copy", False)
        wanted = self.dtype
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, dtypes.dtype):
                wanted = argument
            elif isinstance(argument, TensorBase):
                wanted = dtypes.of(argument._array)
            elif argument is not None and not isinstance(argument, builtins.bool):
                Device(argument)
        return elementwise.Cast(wanted)(self) if copy and wanted is self.dtype else elementwise.cast(self, wanted)

    def float(self) -> Tensor:
        """This tensor as float32."""
        return elementwise.cast(self, dtypes.float32)

    def double(self) -> Tensor:
        """This tensor as float64."""
        return elementwise.cast(self, dtypes.float64)

    def half(self) -> Tensor:
        """This tensor as float16."""
        return elementwise.cast(self, dtypes.float16)

    def long(self) -> Tensor:
        """This tensor as int64."""
        return elementwise.cast(self, dtypes.int64)

    def int(self) -> Tensor:
        """This tensor as int32."""
        return elementwise.cast(self, dtypes.int32)

    def bool(self) -> Tensor:
        """This tensor as bool: whether each element is not zero."""
        return elementwise.cast(self, dtypes.bool_)

    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of `other`."""
        return elementwise.cast(self, other.dtype)

    def cpu(self) -> Any:
        """This tensor, which is on the CPU."""
        return self

    def item(self) -> Any:
        """The only element, as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar: item() is for one element; "
                "tolist() gives all"
            )
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
        return self._array.tolist()

    def numpy(self) -> Array:
        """The array of the elements itself, not a copy: a write to it shows in the tensor."""
        if self._requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._array

    def __array_wrap__(self, array: Array, context: Any = None, return_scalar: builtins.bool = False) -> Tensor:
        """The result of a NumPy function on this tensor, as a tensor."""
        return self._new(array)

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def _only(self, wanted: str) -> Any:
        if self._array.size != 1:
            raise ValueError(
                f"only one element tensors can be converted to Python scalars; {wanted} got shape {self.shape}"
            )
        return self._array.item()

    def __int__(self) -> builtins.int:
        return int(self._only("int()"))

    def __float__(self) -> builtins.float:
        return float(self._only("float()"))

    def __bool__(self) -> builtins.bool:
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if self._array.size > 1:
            raise RuntimeError(
                "Boolean value of Tensor with more than one value is ambiguous: did you mean .all(), .any() or equal()?"
            )
        return bool(self._array.item())

    def __index__(self) -> builtins.int:
        if self._array.size != 1 or self._array.dtype.kind not in "biu":
            raise TypeError(
                "only integer tensors of a single element can be converted to an index: this one has dtype "
                f"{self.dtype!r} and shape {self.shape}. (To compute with a list, make it a tensor first: "
                "torch.tensor(data).)"
            )
        return int(self._array.item())
