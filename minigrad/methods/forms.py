"""The forms in which an operation is offered: method, function, in place, and with NumPy's argument names."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from minigrad.autograd.base import TensorBase
from minigrad.dtypes import Number

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")

#: What stands beside a tensor in arithmetic.
Operand: TypeAlias = "Tensor | Number"
#: What a `dim` argument may be where several dimensions make sense.
Dims: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

OPERANDS = (TensorBase, int, float, np.generic)

_POSITION = re.compile(r"\(position (\d+)\)")
_FROM_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


def free(method: Callable[P, R]) -> Callable[P, R]:
    """The function `f(input, …)` that calls the method `input.f(…)`.

    >>> from minigrad import Tensor, tensor
    >>> exp = free(Tensor.exp)
    >>> exp(tensor(0.0)), exp(input=tensor(0.0))
    (tensor(1.), tensor(1.))
    """
    name = method.__name__

    @functools.wraps(method)
    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = _in_our_names(kwargs)
            if "input" in kwargs and not args:
                args = (kwargs.pop("input"),)
        if not args:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        first = checked_tensor(name, args[0])
        try:
            if first.is_sparse:
                return getattr(first, name)(*args[1:], **kwargs)
            return method(first, *args[1:], **kwargs)
        except TypeError as error:
            # A method counts its arguments after the tensor, a function from it on.
            raise TypeError(_POSITION.sub(lambda n: f"(position {int(n[1]) + 1})", str(error), count=1)) from None

    function.__module__, function.__qualname__ = "minigrad.functions", name
    return function


def in_place(method: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], Any]:
    """The method `x.f_(…)` that writes what `x.f(…)` computes into `x` itself, and records that it did.

    >>> from minigrad import tensor
    >>> x = tensor([1.0, 2.0])
    >>> x.neg_(), x
    (tensor([-1., -2.]), tensor([-1., -2.]))
    """

    @functools.wraps(method)
    def call(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return self._rewrite(lambda before: method(before, *args, **kwargs))
        except TypeError as error:
            # The error of a wrong argument names the form that was called.
            raise TypeError(str(error).replace(f"{method.__name__}()", f"{call.__name__}()", 1)) from None

    call.__name__ += "_"
    call.__qualname__ += "_"
    call.__doc__ = f"In place: {method.__doc__}"
    form: Any = call
    return form


def in_place_sum(method: Callable[..., Any], sign: int) -> Callable[..., Any]:
    """`in_place(method)` for a sum or a difference; of a sparse operand it reads and writes the listed entries only."""
    dense = in_place(method)

    @functools.wraps(dense)
    def call(self: Any, other: Any, **scaled: Any) -> Any:
        if isinstance(other, TensorBase) and other.is_sparse:
            return other._added_to(self, sign, **scaled)  # type: ignore[attr-defined]  # sparse tensors have it
        return dense(self, other, **scaled)

    return call


def numpy_names(method: Callable[P, R]) -> Callable[P, R]:
    """`method`, which takes NumPy's `axis` for `dim` and `keepdims` for `keepdim` as well, as PyTorch does.

    >>> from minigrad import ones
    >>> ones(2, 3).sum(axis=0, keepdims=True)
    tensor([[2., 2., 2.]])
    """

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **(_in_our_names(kwargs) if kwargs else kwargs))

    return call


def _in_our_names(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {_FROM_NUMPY.get(name, name): value for name, value in kwargs.items()}


def checked_tensor(name: str, given: Any, argument: str = "input", position: int = 1) -> Any:
    """`given`, which must be a tensor: the argument of that name and position of the function `name`."""
    if not isinstance(given, TensorBase):
        remedy = "torch.tensor(data) makes one" if given is not None else "does the forward that made it return it?"
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(given).__name__}: "
            f"{remedy}"
        )
    return given


def checked_operand(name: str, other: Any, position: int = 1) -> Any:
    """`other`, which must be a tensor or a number."""
    return other if isinstance(other, OPERANDS) else checked_tensor(name, other, "other", position)


def checked_sequence(name: str, tensors: Any) -> list[Any]:
    """`tensors`, which must be a list or tuple of tensors."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for position, x in enumerate(tensors):
        if not isinstance(x, TensorBase):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return list(tensors)
