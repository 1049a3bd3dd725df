"""`Variable`, the name that tensors with gradients had before tensors had gradients."""

from __future__ import annotations

from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tensors.errors import warn_program


class _AllTensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AllTensors):
    """A tensor without history on the storage of `data`; each tensor is a Variable.

    >>> import minigrad as torch
    >>> x = Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
    >>> x, isinstance(x, Variable), type(x) is torch.Tensor
    (tensor([1., 2.], requires_grad=True), True, True)
    """

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}: torch.tensor(data)")
        if volatile:
            warn_program("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        return data.detach().requires_grad_(requires_grad)
