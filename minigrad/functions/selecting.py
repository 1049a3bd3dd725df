"""Functions that select among values."""

from __future__ import annotations

from typing import Any

from minigrad.methods.forms import Operand, checked_operand, checked_tensor, free
from minigrad.ops.selecting import where as _where
from minigrad.tensor import Tensor

__all__ = [
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "fmax",
    "fmin",
    "masked_fill",
    "maximum",
    "minimum",
    "where",
]

masked_fill = free(Tensor.masked_fill)
clamp = clip = free(Tensor.clamp)
clamp_min = free(Tensor.clamp_min)
clamp_max = free(Tensor.clamp_max)
maximum = free(Tensor.maximum)
minimum = free(Tensor.minimum)
fmax = free(Tensor.fmax)
fmin = free(Tensor.fmin)


def where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """`input` where `condition` holds, else `other`, tensors or numbers; without these, the indices where it holds.

    >>> from minigrad import tensor
    >>> x = tensor([-1.0, 2.0])
    >>> where(x > 0, x, 0)
    tensor([0., 2.])
    >>> where(x > 0)
    (tensor([1]),)
    """
    checked_tensor("where", condition, "condition")
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    return _where(condition, checked_operand("where", input, 2), checked_operand("where", other, 3))
