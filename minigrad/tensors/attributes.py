"""What a tensor is: shape, dtype, layout."""

from __future__ import annotations

import builtins
from itertools import accumulate
from operator import mul
from typing import Any, SupportsIndex, overload

from minigrad.core.tensor import Size, Tensor, members
from minigrad.ops.dims import INTEGER, normal_dim
from minigrad.tensors.devices import CPU
from minigrad.tensors.devices import device as Device
from minigrad.tensors.options import layout, strided


@members
class Attributes(Tensor):
    """What a tensor is."""

    __slots__ = ()

    @property
    def device(self) -> Device:
        """Where the elements are: always `device(type='cpu')`."""
        return CPU

    def dim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: SupportsIndex) -> builtins.int: ...
    def size(self, dim: SupportsIndex | None = None) -> Any:
        """The shape, or the size of dimension `dim`.

        >>> import minigrad as torch
        >>> x = torch.zeros(4, 5)
        >>> x.size(), x.size(-1)
        (torch.Size([4, 5]), 5)
        """
        return self.shape if dim is None else _of_dim(dim, self._array.shape)

    def nelement(self) -> builtins.int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> builtins.int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def itemsize(self) -> builtins.int:
        """Bytes per element."""
        return self.dtype.itemsize

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

    def stride(self, dim: SupportsIndex | None = None) -> Any:
        """How many elements lie between two neighbours, for each dimension, or for `dim`.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).stride(), torch.zeros(4, 5).T.stride()
        ((5, 1), (1, 5))
        """
        array = self._array
        if array.size or any(array.strides):
            steps = tuple([step // array.itemsize for step in array.strides])
        else:
            # Where there are no elements, those of NumPy are 0 unless told.
            steps = tuple(accumulate([size or 1 for size in array.shape[:0:-1]], mul, initial=1))[::-1]
        return steps if dim is None else _of_dim(dim, steps)

    def is_contiguous(self, memory_format: object = None) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices."""
        return self._array.flags.c_contiguous

    def data_ptr(self) -> builtins.int:
        """The address of the first element: equal for tensors that share storage from its start."""
        return self._array.ctypes.data


def _of_dim(dim: SupportsIndex, each: tuple[int, ...]) -> int:
    """What is said of dimension `dim`, of what is said of each; an IndexError if there is no such dimension."""
    if not each and isinstance(dim, INTEGER):
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return each[normal_dim(dim, len(each))]
