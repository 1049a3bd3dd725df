"""Dropout: noise that keeps a network from relying on single features."""

from __future__ import annotations

import warnings
from typing import Any, SupportsIndex

from minigrad import dtypes
from minigrad.creation import empty, empty_like, zeros
from minigrad.methods.forms import checked_tensor
from minigrad.tensor import Tensor

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

# What SELU goes to for small inputs, but for the sign: its scale times its alpha.
_SELU_FLOOR = 1.7580993408473766


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input` with each element set to 0 with probability `p`, and the others divided by `1 - p`.

    Not when not `training`, or for p = 0: then it is `input` itself.  The noise is drawn as PyTorch draws it.  Source:
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    _check_probability(p)
    checked_tensor("dropout_" if inplace else "dropout", input)
    return _dropped(input, empty_like(input), p, inplace) if training else input


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`input` with elements set to the floor of SELU with probability `p`, in a way that keeps mean and variance.

    Source: G. Klambauer et al., "Self-normalizing neural networks" (2017).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> alpha_dropout(torch.tensor([0.0, 1.0, 2.0, 3.0]), training=True)
    tensor([-0.7792, -0.7792,  2.5520, -0.7792])
    """
    _check_probability(p)
    checked_tensor("alpha_dropout_" if inplace else "alpha_dropout", input)
    return _alpha_dropped(input, empty_like(input), p, inplace) if training else input


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, L)` or `(C, L)`, with whole channels set to 0, as single elements in `dropout`."""
    _check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Channels with one dimension each "
            "are (C, L), and (N, C, L) with a batch"
        )
    return _channels_dropped(input, p, training, inplace, batched=input.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, H, W)`, with whole channels set to 0, as single elements in `dropout`.

    `(N, C, L)` is taken as well, with a warning: PyTorch plans to read it as `(C, H, W)`.
    """
    _check_probability(p)
    if input.ndim not in (3, 4):
        _warn_of_rank("dropout2d", input.ndim, "(N, C, H, W)")
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. dropout1d says so.",
            stacklevel=2,
        )
    return _channels_dropped(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, D, H, W)` or `(C, D, H, W)`, with whole channels set to 0, as single elements in `dropout`."""
    _check_probability(p)
    if input.ndim not in (4, 5):
        _warn_of_rank("dropout3d", input.ndim, "(N, C, D, H, W) or (C, D, H, W)")
    return _channels_dropped(input, p, training, inplace, batched=input.ndim == 5)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, *)`, with whole channels set to the floor of SELU, as single elements in `alpha_dropout`."""
    _check_probability(p)
    checked_tensor("feature_alpha_dropout_" if inplace else "feature_alpha_dropout", input)
    return _alpha_dropped(input, _channel_noise(input), p, inplace) if training else input


def _channels_dropped(input: Tensor, p: float, training: bool, inplace: bool, batched: bool = True) -> Tensor:
    if not batched and not inplace:
        return _channels_dropped(input.unsqueeze(0), p, training, inplace).squeeze(0)
    if not training:
        return input
    noise = _channel_noise(input if batched else input.unsqueeze(0))
    return _dropped(input, noise if batched else noise.squeeze(0), p, inplace)


def _channel_noise(input: Tensor) -> Tensor:
    """A tensor for one number per channel of an input `(N, C, *)`."""
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input: (N, C, *)")
    return empty((*input.shape[:2], *[1] * (input.ndim - 2)), dtype=input.dtype)


def _dropped(input: Tensor, noise: Tensor, p: float, inplace: bool) -> Tensor:
    """The input times noise of 0 and `1 / (1 - p)`."""
    if p == 0 or not input.numel():
        return input
    if p == 1:
        noise = zeros((), dtype=input.dtype)
    else:
        if not input.is_floating_point():
            raise RuntimeError(
                f"result type {dtypes.get_default_dtype()._tensor_name} can't be cast to the desired output type "
                f"{input.dtype._tensor_name}: dropout scales its input, input.float()"
            )
        noise.bernoulli_(1 - p).div_(1 - p)
    return _product(input, noise, inplace)


def _alpha_dropped(input: Tensor, noise: Tensor, p: float, inplace: bool) -> Tensor:
    """The input where noise is 1 and the floor of SELU where it is 0, scaled and shifted."""
    if p == 0 or not input.numel():
        return input
    if p == 1:
        return _product(input, zeros((), dtype=input.dtype), inplace)
    scale = ((_SELU_FLOOR**2 * p + 1) * (1 - p)) ** -0.5
    noise.bernoulli_(1 - p)
    shift = (noise - 1).mul_(_SELU_FLOOR * scale).add_(_SELU_FLOOR * scale * p)
    scaled = _product(input, noise.mul_(scale), inplace)
    return scaled.add_(shift) if inplace else scaled + shift


def _product(input: Any, factor: Tensor, inplace: bool) -> Tensor:
    return input.mul_(factor) if inplace else input * factor


def _check_probability(p: float) -> None:
    if not isinstance(p, SupportsIndex | float):
        raise TypeError(f"dropout probability has to be a number between 0 and 1, but got {p!r}")
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _warn_of_rank(name: str, ndim: int, wanted: str) -> None:
    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        f"release. To retain the behavior and silence this warning, please use dropout instead. Expected {wanted}.",
        stacklevel=3,
    )
