"""Products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad.autograd.base import TensorBase
from minigrad.methods.forms import checked_tensor
from minigrad.methods.writing import Writing
from minigrad.ops import matmul

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Products(Writing):
    """Products."""

    __slots__ = ()

    def __matmul__(self, other: Tensor) -> Tensor:
        return matmul.matmul(self, other) if isinstance(other, TensorBase) else NotImplemented

    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product `self @ other`."""
        return matmul.matmul(self, checked_tensor("matmul", other, "other", 1))

    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
        checked_tensor("mm", mat2, "mat2", 1)
        for name, each in (("self", self), ("mat2", mat2)):
            if each.ndim != 2:
                raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor; matmul() takes other ranks")
        return matmul.matmul(self, mat2)
