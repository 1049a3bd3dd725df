"""Indexing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minigrad import dtypes
from minigrad.autograd.base import TensorBase
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.autograd.node import quiet
from minigrad.methods.forms import OPERANDS, Operand
from minigrad.methods.writing import Writing
from minigrad.ops import indexing

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Selection(Writing):
    """Indexing."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Tensor:
        return indexing.getitem(self, index)

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([indexing.Slice((i,), "Unbind")(self) for i in range(len(self._array))])

    def __setitem__(self, index: Any, value: Operand) -> None:
        if not isinstance(value, OPERANDS):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a torch.{self.dtype._tensor_name}Tensor: torch.tensor(value)"
            )
        if is_grad_enabled() and (self._requires_grad or (isinstance(value, TensorBase) and value._requires_grad)):
            if not indexing.is_basic(index):
                raise RuntimeError(
                    "x[index] = value with a tensor or a list in the index is not recorded. Collect the values in a "
                    "list and join them, torch.stack(values); if no gradient is wanted, write under no_grad()."
                )
            self.__getitem__(index).copy_(value)
            return
        source = value._array if isinstance(value, TensorBase) else dtypes.written(value, self.dtype)
        self._write(lambda array: quiet().run(indexing.setitem, array, index, source), "CopySlices")
