"""`Parameter`: a tensor that a module learns."""

from __future__ import annotations

import numpy as np

from minigrad.autograd.base import share_storage
from minigrad.tensor import Tensor, new_leaf


class Parameter(Tensor):
    """A leaf tensor that a module, when it is assigned to it, lists among its parameters.

    It lies on the storage of `data`: a write to one shows in the other.  What is computed from it is a plain
    tensor.

    >>> import minigrad as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = new_leaf(np.empty(0, np.float32))
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Parameter(): argument 'data' must be Tensor, not {type(data).__name__}: torch.tensor(data)"
            )
        leaf = new_leaf(data._array, requires_grad)
        self = object.__new__(cls)
        for slot in ("_array", "_node", "_requires_grad", "_grad"):
            setattr(self, slot, getattr(leaf, slot))
        share_storage(data, self)
        return self

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Nothing is left to do: `__new__` has made it."""

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"
