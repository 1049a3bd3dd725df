"""`Parameter`, a tensor that a module learns."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tensor import storage_of
from minigrad.tensor import Tensor
from minigrad.tensors.options import check_can_require_grad, new_leaf


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
            raise AttributeError(
                f"'{type(data).__name__}' object has no attribute 'detach': a Parameter is made of a tensor, "
                "torch.nn.Parameter(torch.tensor(data))"
            )
        check_can_require_grad(data.dtype, requires_grad)
        self = object.__new__(cls)
        self._array = data._array
        self._node = None
        self._requires_grad = requires_grad
        self._grad = None
        self._storage = storage_of(data)
        self._base = None
        return self

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Nothing is left to do: `__new__` has made it."""

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        copied = memo[id(self)] = type(self)(self.data.clone(), self._requires_grad)
        return copied

    @classmethod
    def _rebuilt(cls, array: Array, requires_grad: bool) -> Any:
        return Parameter(new_leaf(array), requires_grad)
