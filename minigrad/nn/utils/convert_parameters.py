"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad.functions import cat
from minigrad.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """One vector of the elements of all parameters, in their order.

    >>> from minigrad import nn
    >>> parameters_to_vector(nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let the parameters, in their order, lie on parts of the vector `vec`: the inverse of `parameters_to_vector`."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        part = vec[start : start + parameter.numel()]
        parameter.data = part.view_as(parameter).data
        start += parameter.numel()
