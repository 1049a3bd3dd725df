"""Functions of arithmetic."""

from __future__ import annotations

from minigrad.functions.numbers import of_number_or_tensor, of_numbers
from minigrad.methods.forms import free
from minigrad.tensor import Tensor

__all__ = [
    "add",
    "addcdiv",
    "addcmul",
    "div",
    "divide",
    "floor_divide",
    "fmod",
    "lerp",
    "mul",
    "multiply",
    "neg",
    "negative",
    "positive",
    "pow",
    "remainder",
    "sub",
    "subtract",
    "true_divide",
]

add = of_numbers(Tensor.add)
sub = subtract = of_numbers(Tensor.sub)
mul = multiply = of_numbers(Tensor.mul)
div = divide = of_numbers(Tensor.div)
true_divide = of_numbers(Tensor.true_divide)
floor_divide = of_numbers(Tensor.floor_divide)
remainder = of_number_or_tensor(Tensor.remainder)
fmod = free(Tensor.fmod)
pow = of_number_or_tensor(Tensor.pow)
neg = negative = free(Tensor.neg)
positive = free(Tensor.positive)
lerp = free(Tensor.lerp)
addcmul = free(Tensor.addcmul)
addcdiv = free(Tensor.addcdiv)
