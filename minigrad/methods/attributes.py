"""What a tensor is: shape, dtype, layout."""

from __future__ import annotations

import builtins
from typing import Any, SupportsIndex

from minigrad import dtypes
from minigrad.autograd.base import TensorBase
from minigrad.devices import CPU
from minigrad.devices import device as Device
from minigrad.layouts import layout, strided
from minigrad.ops.dims import normal_dim
from minigrad.size import Size


class Attributes(TensorBase):
    """What a tensor is."""

    __slots__ = ()

    @property
    def shape(self) -> Size:
        """The size of each dimension.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).shape
        torch.Size([4, 5])
        """
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements, such as `torch.float32`."""
        return dtypes.of(self._array)

    @property
    def device(self) -> Device:
        """Where the elements are: always `device(type='cpu')`."""
        return CPU

    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def dim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def size(self, dim: SupportsIndex | None = None) -> Any:
        """The shape, or the size of dimension `dim`.

        >>> import minigrad as torch
        >>> x = torch.zeros(4, 5)
        >>> x.size(), x.size(-1)
        (torch.Size([4, 5]), 5)
        """
        return self.shape if dim is None else self._array.shape[normal_dim(dim, self._array.ndim)]

    def numel(self) -> builtins.int:
        """The number of elements.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).numel()
        20
        """
        return self._array.size

    def nelement(self) -> builtins.int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> builtins.int:
        """Bytes per element."""
        return self._array.itemsize

    @property
    def itemsize(self) -> builtins.int:
        """Bytes per element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
        return self._array.nbytes

    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the elements are on a graphics processor: never."""
        return False

    @property
    def layout(self) -> layout:
        """How the elements lie in memory: `torch.strided`, or `torch.sparse_coo` for a sparse tensor."""
        return strided

    def stride(self) -> tuple[builtins.int, ...]:
        """How many elements lie between two neighbours, for each dimension.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).stride(), torch.zeros(4, 5).T.stride()
        ((5, 1), (1, 5))
        """
        return tuple([step // self._array.itemsize for step in self._array.strides])

    def is_contiguous(self, memory_format: Any = None) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices."""
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating-point numbers."""
        return self._array.dtype.kind == "f"

    def data_ptr(self) -> builtins.int:
        """The address of the first element: equal for tensors that share storage from its start."""
        return self._array.ctypes.data

    def __len__(self) -> builtins.int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)
