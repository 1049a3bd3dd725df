"""Gradients made smaller where they are too large, between `backward` and the step of an optimizer."""

from __future__ import annotations

import types
from collections.abc import Iterable

import numpy as np

from minigrad.core.modes import no_grad
from minigrad.ops.joining import stack
from minigrad.tensor import Tensor
from minigrad.tensors.errors import warn_program
from minigrad.tensors.options import new_leaf


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all gradients together, which are then scaled in place so that it is at most `max_norm`.

    It is the `norm_type`-norm of one vector of them all.  Errors: RuntimeError if it is infinite or nan, and
    `error_if_nonfinite`.  `foreach` is PyTorch's way to hurry, and means nothing here.

    >>> import minigrad as torch
    >>> p = torch.ones(2, requires_grad=True)
    >>> (p * torch.tensor([3.0, 4.0])).sum().backward()
    >>> clip_grad_norm_([p], max_norm=1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warn_program("`parameters` is an empty generator, no gradient clipping will occur.")
    listed = _listed(parameters)
    total_norm = get_total_norm(_gradients(listed), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(listed, max_norm, total_norm)
    return total_norm


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The `norm_type`-norm of one vector of all elements of `tensors`; 0 if there are none.

    >>> import minigrad as torch
    >>> get_total_norm([torch.tensor([3.0]), torch.tensor([[4.0]])])
    tensor(5.)
    """
    with no_grad():
        norms = [tensor.norm(float(norm_type)) for tensor in _listed(tensors)]
        if not norms:
            return new_leaf(np.zeros((), np.float32))
        total = stack(norms).norm(float(norm_type))
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients, whose norm is `total_norm`, in place so that it is at most `max_norm`."""
    with no_grad():
        # The little is there so that a norm of 0 does not divide.
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for gradient in _gradients(_listed(parameters)):
            gradient.mul_(factor)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Bring each element of each gradient, in place, into `[-clip_value, clip_value]`.

    >>> import minigrad as torch
    >>> p = torch.ones(3, requires_grad=True)
    >>> (p * torch.tensor([3.0, -4.0, 0.5])).sum().backward()
    >>> clip_grad_value_([p], 1.0)
    >>> p.grad
    tensor([ 1.0000, -1.0000,  0.5000])
    """
    with no_grad():
        for gradient in _gradients(_listed(parameters)):
            gradient.clamp_(-float(clip_value), float(clip_value))


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    if not isinstance(tensors, Iterable):
        raise TypeError(f"'{type(tensors).__name__}' object is not iterable: pass model.parameters()")
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: list[Tensor]) -> list[Tensor]:
    return [parameter.grad for parameter in parameters if parameter.grad is not None]
