"""Copies and conversions as functions."""

from __future__ import annotations

from minigrad.core import dtypes
from minigrad.core.dtypes import dtype
from minigrad.methods.forms import Operand, free
from minigrad.tensor import Tensor

__all__ = [
    "clone",
    "detach",
    "fill_",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_signed",
    "is_tensor",
    "result_type",
    "zero_",
]

clone = free(Tensor.clone)
detach = free(Tensor.detach)
fill_ = free(Tensor.fill_)
is_complex = free(Tensor.is_complex)
is_floating_point = free(Tensor.is_floating_point)
is_nonzero = free(Tensor.is_nonzero)
is_signed = free(Tensor.is_signed)
zero_ = free(Tensor.zero_)


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a tensor.

    >>> is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


def result_type(tensor1: Operand, tensor2: Operand) -> dtype:
    """The dtype of an arithmetic result of two operands, tensors or numbers.

    >>> from minigrad import tensor
    >>> result_type(tensor([1, 2]), 1.5)
    torch.float32
    """
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor1, tensor2)])
