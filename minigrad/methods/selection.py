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
        if isinstance(value, TensorBase) and value._requires_grad and is_grad_enabled():
            raise RuntimeError(
                "x[index] = value is not recorded, so no gradient would flow back to the value, which requires one. "
                "Collect the values in a list and join them, torch.stack(values); if no gradient is wanted, assign "
                "value.detach()."
            )
        source = value._array if isinstance(value, TensorBase) else dtypes.written(value, self.dtype)
        self._write(lambda array: quiet().run(indexing.setitem, array, index, source), "a view of ")
