"""The function of a method, and arguments that must be tensors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from minigrad.core.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")

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

    function.__module__, function.__name__, function.__qualname__ = "minigrad", name, name
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
