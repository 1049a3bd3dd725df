"""`Parameter`, a tensor that a module learns, and the parameters and buffers of lazy layers, which have no size yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

from minigrad.core.dtypes import Array
from minigrad.core.tensor import storage_of
from minigrad.ops.arguments import DType, OnDevice, check_can_require_grad
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty, new_leaf

__all__ = ["Parameter", "UninitializedBuffer", "UninitializedParameter"]


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
            data = empty(0)
        if not isinstance(data, Tensor):
            kind = type(data).__name__
            raise AttributeError(f"'{kind}' object has no attribute 'detach': a Parameter is made of a tensor")
        check_can_require_grad(data.dtype, requires_grad)
        self = new_leaf(data._array, requires_grad)
        self.__class__, self._storage = cls, storage_of(data)
        return self

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        copied = memo[id(self)] = type(self)(self.data.clone(), self._requires_grad)
        return copied

    @classmethod
    def _rebuilt(cls, array: Array, requires_grad: bool) -> Any:
        return Parameter(new_leaf(array), requires_grad)


class Uninitialized(Tensor):
    """A parameter or buffer of a lazy module until its size is known: it has a dtype, and no values."""

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        self = new_leaf((empty(0) if data is None else data)._array, requires_grad and issubclass(cls, Parameter))
        self.__class__ = cls
        return self

    @property
    def _array(self) -> Any:
        raise ValueError("Attempted to use an uninitialized parameter: call the lazy module with a batch first")

    @_array.setter
    def _array(self, array: Array) -> None:
        _ARRAY.__set__(self, array)

    @property
    def data(self) -> Tensor:
        """A tensor without elements of its dtype."""
        return new_leaf(_ARRAY.__get__(self))

    @data.setter
    def data(self, value: Tensor) -> None:
        _ARRAY.__set__(self, value._array)

    @property
    def dtype(self) -> Any:
        """The type that the elements will have."""
        return self.data.dtype

    @property
    def shape(self) -> Any:
        """An error: it has none."""
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer: call the module first")

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """An error: it has no values to freeze."""
        return self._array

    def detach(self) -> Any:
        """Itself: it is on no graph."""
        return self

    def become(self, made: Tensor) -> None:
        """Become an ordinary parameter or tensor with the values of `made`, in this dtype."""
        array = made._array.astype(_ARRAY.__get__(self).dtype)
        self.__class__ = Parameter if isinstance(self, Parameter) else Tensor
        self._array, self._storage = array, None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


# The slot of a tensor's array, which the property above hides.
_ARRAY: Any = Tensor.__dict__["_array"]


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter that has no size yet."""

    __slots__ = ()


class UninitializedBuffer(Uninitialized):
    """A buffer that has no size yet."""

    __slots__ = ()


def add_parameters(module: Any, device: OnDevice, dtype: DType, **shapes: Sequence[SupportsIndex] | None) -> None:
    """Register parameters of these shapes, whose values are still to be drawn, and None where there is no shape."""
    for name, shape in shapes.items():
        new = None if shape is None else Parameter(empty(shape, device=device, dtype=dtype))
        module.register_parameter(name, new)


def forget_gradients(parameters: Iterable[Tensor], set_to_none: bool) -> None:
    """Set the gradients to None, or write zeros into those that there are, which are then on no graph."""
    for parameter in parameters:
        gradient = parameter._grad
        if gradient is None or set_to_none:
            parameter._grad = None
        else:
            (gradient.requires_grad_(False) if gradient.is_leaf else gradient.detach_()).zero_()
