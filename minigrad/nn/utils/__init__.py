"""Gradients made smaller where they are too large; and, in `rnn`, sequences of different lengths."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from minigrad.core.modes import no_grad
from minigrad.nn.utils import rnn
from minigrad.ops.shapes import stack
from minigrad.tensor import Tensor
from minigrad.tensors.creation import new_leaf
from minigrad.tensors.errors import add_module, advised, renamed

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "rnn"]
globals().update(advised(__name__, __all__))


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0) -> Tensor:
    """The norm of all gradients together, which are then scaled in place so that it is at most `max_norm`.

    It is the `norm_type`-norm of one vector of them all.

    >>> import minigrad as torch
    >>> p = torch.ones(2, requires_grad=True)
    >>> (p * torch.tensor([3.0, 4.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_([p], max_norm=1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    gradients, order, most = _gradients(parameters), float(norm_type), float(max_norm)
    with no_grad():
        if not gradients:
            return new_leaf(np.zeros((), np.float32))
        total = stack([gradient.norm(order) for gradient in gradients]).norm(order)
        # A little is added, so that nothing is divided by a norm of 0.
        factor = (most / (total + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)
    return total


clip_grad_norm = renamed("torch.nn.utils", clip_grad_norm_)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Bring each element of each gradient, in place, into `[-clip_value, clip_value]`.

    >>> import minigrad as torch
    >>> p = torch.ones(3, requires_grad=True)
    >>> (p * torch.tensor([3.0, -4.0, 0.5])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_([p], 1.0)
    >>> p.grad
    tensor([ 1.0000, -1.0000,  0.5000])
    """
    limit = float(clip_value)
    with no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(-limit, limit)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """The gradients of those that have one."""
    if not isinstance(parameters, Iterable):
        raise TypeError(f"'{type(parameters).__name__}' object is not iterable: pass model.parameters()")
    listed = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in listed if parameter.grad is not None]


add_module(f"{__name__}.clip_grad", clip_grad_norm_, clip_grad_value_, clip_grad_norm=clip_grad_norm)
