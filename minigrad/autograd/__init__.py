"""The tape: what is recorded of a computation, and the backward walk over it.

It knows no operator: those are in `minigrad.ops`, one class each.  For `loss = (x * x).sum()` the graph is

    loss  ->  Sum  ->  Mul  ->  x, twice: Mul has an edge for each of its two inputs

and the walk hands 1 to Sum, which hands a 1 for each element to Mul, which hands `1 * x` to x along both of its
edges.  They add up to `2 * x`, the gradient.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd import function, functional
from minigrad.autograd.function import Function
from minigrad.autograd.functional import gradcheck, gradgradcheck
from minigrad.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from minigrad.core.tensor import Tensor
from minigrad.core.walk import backward, grad
from minigrad.tensors.errors import advised, warn_program

__all__ = [
    "Function", "Variable", "backward", "enable_grad", "function", "functional", "grad", "gradcheck",
    "gradgradcheck", "inference_mode", "no_grad", "set_grad_enabled",
]  # fmt: skip
globals().update(advised(__name__, __all__))


class _AllTensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AllTensors):
    """A tensor without history on the storage of `data`; each tensor is a Variable.

    >>> import minigrad as torch
    >>> x = torch.autograd.Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
    >>> x, isinstance(x, torch.autograd.Variable), type(x) is torch.Tensor
    (tensor([1., 2.], requires_grad=True), True, True)
    """

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}: torch.tensor(data)")
        if volatile:
            warn_program("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        return data.detach().requires_grad_(requires_grad)
