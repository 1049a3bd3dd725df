"""Functions of two operands, of which one or both may be numbers."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.methods.forms import checked_tensor, free
from minigrad.tensor import Tensor, new_leaf


def of_number_or_tensor(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function `f(input, other, …)` that calls the method `input.f(other, …)`; one of the two may be a number."""
    of_tensor = free(method)

    @functools.wraps(of_tensor)
    def function(*args: Any, **kwargs: Any) -> Tensor:
        if not args or not isinstance(args[0], int | float | np.generic):
            return of_tensor(*args, **kwargs)
        for given in (*args[1:2], *kwargs.values()):
            checked_tensor(method.__name__, given, "other", 2)
        return method(*args, **kwargs)

    return function


def of_numbers(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function `f(input, other, …)` that calls the method `input.f(other, …)`; each of the two may be a number.

    >>> from minigrad import tensor
    >>> subtract = of_numbers(Tensor.sub)
    >>> subtract(5, tensor([1, 2])), subtract(5, 3)
    (tensor([4, 3]), tensor(2))
    """
    of_tensor = free(method)

    @functools.wraps(of_tensor)
    def function(*args: Any, **kwargs: Any) -> Tensor:
        if not args or not isinstance(args[0], int | float | np.generic):
            return of_tensor(*args, **kwargs)
        number, *others = args
        if not builtins.any([isinstance(each, Tensor) for each in (*others, kwargs.get("other"))]):
            number = new_leaf(np.asarray(number, dtypes.of_number(number)._numpy))
        return method(number, *others, **kwargs)

    return function
