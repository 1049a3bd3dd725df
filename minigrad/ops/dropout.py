"""Dropout: noise that keeps a network from relying on single features."""

from __future__ import annotations

from minigrad import tensors
from minigrad.core.elementwise import WIDE_FLOATS
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.random import default_generator
from minigrad.tensors.creation import empty, empty_like, zeros
from minigrad.tensors.errors import warn_program


@op("nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input` with each element set to 0 with probability `p`, and the others divided by `1 - p`.

    Not when not `training`, or for p = 0: then it is `input` itself.  The noise is drawn as PyTorch draws it.  Source:
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> _ = torch.manual_seed(0)
    >>> F.dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    _check_probability(p)
    return _dropped(input, empty_like(input), p, inplace) if training else input


@op("nn.functional")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, H, W)`, with whole channels set to 0, as single elements in `dropout`.

    `(N, C, *)` is taken as well, with a warning: PyTorch plans to read `(N, C, L)` as `(C, H, W)`.
    """
    _check_probability(p)
    if input.ndim != 4:
        words = "which is deprecated: expected (N, C, H, W). x.unsqueeze(-1) makes it of (N, C, H)"
        warn_program(f"dropout2d: Received a {input.ndim}-D input to dropout2d, {words}")
    if not training:
        return input
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input: (N, C, *)")
    noise = empty((*input.shape[:2], *[1] * (input.ndim - 2)), dtype=input.dtype)
    return _dropped(input, noise, p, inplace)


def _dropped(input: Tensor, noise: Tensor, p: float, inplace: bool) -> Tensor:
    """The input times noise of 0 and `1 / (1 - p)`."""
    if p == 0 or not input.numel():
        return input
    array = noise._array
    if p == 1:
        noise = zeros((), dtype=input.dtype)
    elif array.dtype in WIDE_FLOATS:
        # In the array itself, which nobody else has seen, in half the time of methods in place.
        tensors.random_arrays.bernoulli_(array, 1 - p, default_generator)
        array /= 1 - p
    else:
        noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
