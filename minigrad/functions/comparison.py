"""Comparisons and logic as functions."""

from __future__ import annotations

from minigrad.functions.numbers import of_number_or_tensor
from minigrad.methods.forms import free
from minigrad.tensor import Tensor

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "eq",
    "equal",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
]

eq = free(Tensor.eq)
ne = not_equal = free(Tensor.ne)
lt = less = free(Tensor.lt)
le = less_equal = free(Tensor.le)
gt = greater = free(Tensor.gt)
ge = greater_equal = free(Tensor.ge)
equal = free(Tensor.equal)
isclose = free(Tensor.isclose)
allclose = free(Tensor.allclose)
isnan = free(Tensor.isnan)
isinf = free(Tensor.isinf)
isfinite = free(Tensor.isfinite)
logical_and = free(Tensor.logical_and)
logical_or = free(Tensor.logical_or)
logical_xor = free(Tensor.logical_xor)
logical_not = free(Tensor.logical_not)
bitwise_and = of_number_or_tensor(Tensor.bitwise_and)
bitwise_or = of_number_or_tensor(Tensor.bitwise_or)
bitwise_xor = of_number_or_tensor(Tensor.bitwise_xor)
bitwise_not = free(Tensor.bitwise_not)
bitwise_left_shift = of_number_or_tensor(Tensor.bitwise_left_shift)
bitwise_right_shift = of_number_or_tensor(Tensor.bitwise_right_shift)
