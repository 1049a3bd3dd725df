"""Choices among elements that gradients can flow through."""

from __future__ import annotations

import warnings
from typing import SupportsIndex

import numpy as np

from minigrad.creation import empty_like
from minigrad.methods.forms import checked_tensor
from minigrad.ops.dims import normal_dim
from minigrad.ops.gates import Glu
from minigrad.ops.widening import in_float32
from minigrad.tensor import Tensor

__all__ = ["glu", "gumbel_softmax"]


def glu(input: Tensor, dim: SupportsIndex = -1) -> Tensor:
    """`a * sigmoid(b)` for the two halves a and b of `input` along `dim`: b says how much of a goes on.

    Source: Y. N. Dauphin et al., "Language modeling with gated convolutional networks" (2017).

    >>> import minigrad as torch
    >>> glu(torch.tensor([4.0, 6.0, 0.0, 100.0]))
    tensor([2., 6.])
    """
    checked_tensor("glu", input)
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    along = normal_dim(dim, input.ndim)
    if input._array.shape[along] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {along} is size {input._array.shape[along]}")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"glu_cpu\" not implemented for '{input.dtype._tensor_name}': input.float()")
    return in_float32(Glu(along), input)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: SupportsIndex = -1
) -> Tensor:
    """`softmax((logits + gumbel noise) / tau)`: near one-hot vectors drawn with the probabilities `softmax(logits)`.

    If `hard`, they are one-hot vectors exactly, with the gradients of the soft ones.  Sources: E. Jang, S. Gu and
    B. Poole, "Categorical reparameterization with Gumbel-softmax" (2017); C. J. Maddison, A. Mnih and Y. W. Teh, "The
    concrete distribution" (2017).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> gumbel_softmax(torch.zeros(4), hard=True).sum()
    tensor(1.)
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    checked_tensor("gumbel_softmax", logits, "logits")
    # Whatever the memory order of the logits, PyTorch draws in the order of indices.
    noise = -empty_like(logits.detach().contiguous()).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = np.zeros_like(soft._array)
    along = normal_dim(dim, soft.ndim)
    if chosen.ndim:
        np.put_along_axis(chosen, soft._array.argmax(along, keepdims=True), 1, along)
    else:
        chosen[...] = 1
    return soft._new(chosen) - soft.detach() + soft
