"""The forms in which an operation is offered: method, function, in place, and with NumPy's argument names."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from minigrad.core.dtypes import Number
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number

P = ParamSpec("P")
R = TypeVar("R")

#: What stands beside a tensor in arithmetic.
Operand: TypeAlias = Tensor | Number
#: What a `dim` argument may be where several dimensions make sense.
Dims: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

OPERANDS = (Tensor, int, float, np.generic)

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

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = _in_our_names(kwargs)
            if "input" in kwargs and not args:
                args = (kwargs.pop("input"),)
        if not args:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        first = args[0]
        if not isinstance(first, Tensor):
            checked_tensor(name, first)
        try:
            if first.is_sparse:
                return getattr(first, name)(*args[1:], **kwargs)
            return method(*args, **kwargs)
        except TypeError as error:
            # A method counts its arguments after the tensor, a function from it on.
            raise TypeError(_POSITION.sub(lambda n: f"(position {int(n[1]) + 1})", str(error), count=1)) from None

    function.__module__, function.__name__, function.__qualname__ = "minigrad.functions", name, name
    function.__doc__ = method.__doc__
    # Here `help` and `inspect` look for the signature.
    function.__wrapped__ = _Shown(method)  # type: ignore[attr-defined]
    return function


class _Shown:
    """A method with the signature of its function, which is made when somebody asks: of all, it would slow the import.

    The tensor is called `input`, and ints that the method takes one by one are in one list.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.__wrapped__ = method

    @property
    def __signature__(self) -> inspect.Signature:
        of_method = inspect.signature(self.__wrapped__)
        first, *rest = of_method.parameters.values()
        if rest and rest[0].kind is inspect.Parameter.VAR_POSITIONAL:
            _, named, *others = rest
            rest = [named.replace(kind=first.kind, default=named.empty), *others]
        return of_method.replace(parameters=[first.replace(name="input"), *rest])


def in_place(method: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], Any]:
    """The method `x.f_(…)` that writes what `x.f(…)` computes into `x` itself, and records that it did.

    >>> from minigrad import tensor
    >>> x = tensor([1.0, 2.0])
    >>> x.neg_(), x
    (tensor([-1., -2.]), tensor([-1., -2.]))
    """

    def call(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return self._rewrite(lambda before: method(before, *args, **kwargs))
        except TypeError as error:
            # The error of a wrong argument names the form that was called.
            raise TypeError(str(error).replace(f"{method.__name__}()", f"{call.__name__}()", 1)) from None

    return named_in_place(call, method, "Write into this tensor")


def named_in_place(call: Any, method: Callable[..., Any], does: str) -> Any:
    """`call`, a form in place of `method`, by the name with an underscore, and told as what it `does`."""
    # Only what differs from one to the next is set: functools.wraps copies more, for hundreds of methods at import.
    call.__module__, call.__wrapped__ = method.__module__, method
    call.__name__, call.__qualname__ = f"{method.__name__}_", f"{method.__qualname__}_"
    call.__doc__ = method.__doc__ and f"{does} what `{method.__name__}` returns: {method.__doc__}"
    return call


def in_place_sum(method: Callable[..., Any], sign: int) -> Callable[..., Any]:
    """`in_place(method)` for a sum or a difference; of a sparse operand it reads and writes the listed entries only."""
    dense = in_place(method)

    @functools.wraps(dense)
    def call(self: Any, other: Any, **scaled: Any) -> Any:
        if isinstance(other, Tensor) and other.is_sparse:
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
        try:
            return method(*args, **(_in_our_names(kwargs) if kwargs else kwargs))
        except TypeError:
            if "out" not in kwargs:
                raise
            # NumPy's functions call the method of that name of what they get, with arguments of theirs.
            name = method.__name__
            raise TypeError(
                f"{name}() got an unexpected keyword argument 'out': NumPy's functions pass it. Write x.{name}(), or "
                f"np.{name}(x.numpy())"
            ) from None

    return call


def _in_our_names(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {_FROM_NUMPY.get(name, name): value for name, value in kwargs.items()}


def checked_tensor(name: str, given: Any, argument: str = "input", position: int = 1) -> Any:
    """`given`, which must be a tensor: the argument of that name and position of the function `name`."""
    if not isinstance(given, Tensor):
        if given is None:
            remedy = "does the forward that made it return it?"
        elif isinstance(getattr(given, "weight", None), Tensor):
            remedy = f"pass its weight, {type(given).__name__.lower()}.weight"
        else:
            remedy = "torch.tensor(data) makes one"
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(given).__name__}: "
            f"{remedy}"
        )
    return given


def checked_number(name: str, argument: str, given: Any) -> Any:
    """`given`, which must be a number or a 0-d tensor that requires no gradient, as a Python number."""
    try:
        return as_number(given)
    except TypeError:
        raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(given).__name__}") from None


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
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return list(tensors)
