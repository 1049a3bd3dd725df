"""How parameters start: functions that write a tensor's first values in place."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from minigrad.core.dtypes import Number
from minigrad.core.modes import no_grad
from minigrad.ops.comparison import where
from minigrad.random import Source
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty_like
from minigrad.tensors.errors import advised, renamed, warn_program

__all__ = [
    "calculate_gain", "constant", "constant_", "kaiming_normal", "kaiming_normal_",
    "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_",
    "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_",
    "zeros_",
]  # fmt: skip
globals().update(advised(__name__, __all__))

Mode: TypeAlias = Literal["fan_in", "fan_out"]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Source = None) -> Tensor:
    """Fill `tensor` with draws from the uniform distribution on [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Source = None) -> Tensor:
    """Fill `tensor` with draws from the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Source = None
) -> Tensor:
    """Fill `tensor` with draws from the part of the normal distribution that lies in [a, b].

    They are drawn anew until they do.  Errors: NotImplementedError if fewer than 3 in 10 do, for which PyTorch has
    another way.

    >>> import minigrad as torch
    >>> bool((torch.nn.init.trunc_normal_(torch.empty(100)).abs() <= 2).all())
    True
    """
    if _below(b, mean, std) - _below(a, mean, std) <= 0.3:
        raise NotImplementedError(f"fewer than 3 in 10 draws lie in [{a}, {b}]: draw from a wider part, or use clamp_")
    low, high = tensor.new_tensor(a), tensor.new_tensor(b)
    with no_grad():
        drawn = empty_like(tensor).normal_(mean, std, generator=generator)
        while (pending := (drawn < low) | (drawn > high)).any():
            # All are drawn anew, and those not needed are thrown away: so the numbers are PyTorch's.
            drawn = where(pending, empty_like(tensor).normal_(mean, std, generator=generator), drawn)
        return tensor.copy_(drawn)


def constant_(tensor: Tensor, val: Number) -> Tensor:
    """Fill `tensor` with `val`."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 0."""
    return constant_(tensor, 0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 1."""
    return constant_(tensor, 1)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Fill `tensor` with uniform draws that keep the variances of signals and gradients close to level.

    They are from [-bound, bound) with `bound = gain * sqrt(6 / (fan_in + fan_out))`.  Source: X. Glorot and Y. Bengio,
    "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Fill `tensor` with normal draws of the standard deviation `gain * sqrt(2 / (fan_in + fan_out))`.

    See `xavier_uniform_`.
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: Mode = "fan_in", nonlinearity: str = "leaky_relu", generator: Source = None
) -> Tensor:
    """Fill `tensor` with uniform draws that keep the variance of signals (or gradients, for "fan_out") level.

    They are from [-bound, bound) with `bound = gain * sqrt(3 / fan)`, where the fan is the number of inputs or
    outputs, and the gain that of the nonlinearity, for which `a` is the slope of a leaky ReLU: see `calculate_gain`.
    Source: K. He, X. Zhang, S. Ren and J. Sun, "Delving Deep into Rectifiers", ICCV 2015.

    >>> import minigrad as torch
    >>> bool((torch.nn.init.kaiming_uniform_(torch.empty(5, 6)).abs() <= 1).all())
    True
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: Mode = "fan_in", nonlinearity: str = "leaky_relu", generator: Source = None
) -> Tensor:
    """Fill `tensor` with normal draws of the standard deviation `gain / sqrt(fan)`; see `kaiming_uniform_`."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Source = None) -> Tensor:
    """Fill `tensor` with `gain` times a matrix whose rows, or columns if there are fewer, are orthogonal unit vectors.

    All dimensions after the first count as one.  The matrix is the Q of a normal one, with the signs that make R's
    diagonal positive.  Source: F. Mezzadri, "How to generate random matrices from the classical compact groups" (2006).

    >>> import minigrad as torch
    >>> q = torch.nn.init.orthogonal_(torch.empty(2, 3, dtype=torch.float64))
    >>> torch.allclose(q @ q.T, torch.eye(2, dtype=torch.float64))
    True
    """
    if tensor.ndim < 2:
        raise ValueError(f"Only tensors with 2 or more dimensions are supported, got shape {tensor.shape}")
    if tensor.numel() == 0:
        return tensor
    flat = tensor.new_empty((tensor.shape[0], tensor.numel() // tensor.shape[0])).normal_(0, 1, generator=generator)
    wide = flat.shape[0] < flat.shape[1]
    q, r = np.linalg.qr(flat._array.T if wide else flat._array)
    q *= np.sign(np.diagonal(r))
    with no_grad():
        return tensor.copy_(tensor._new(q.T if wide else q).reshape(tensor.shape)).mul_(gain)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which the input of `nonlinearity` is scaled to keep the variance of its output level.

    `param` is the slope of a leaky ReLU, 0.01 if None.

    >>> import minigrad as torch
    >>> torch.nn.init.calculate_gain("linear"), torch.nn.init.calculate_gain("tanh")
    (1, 1.6666666666666667)
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}: one of leaky_relu, {', '.join(_GAINS)}")
    return _GAINS[nonlinearity]


_GAINS = {"linear": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_GAINS |= {f"conv{way}{n}d": 1 for way in ("", "_transpose") for n in (1, 2, 3)}


# ---- by their old names, without the underscore ----------------------------------------------------------------------


uniform, normal, constant = [renamed("nn.init", each) for each in (uniform_, normal_, constant_)]
xavier_uniform, xavier_normal = renamed("nn.init", xavier_uniform_), renamed("nn.init", xavier_normal_)
kaiming_uniform, kaiming_normal = renamed("nn.init", kaiming_uniform_), renamed("nn.init", kaiming_normal_)
orthogonal = renamed("nn.init", orthogonal_)


# ---- the bounds and deviations of draws ------------------------------------------------------------------------------


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output of a weight `(out, in, *)` has, and how many outputs each input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *rest = tensor.shape
    return inputs * math.prod(rest), outputs * math.prod(rest)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if 0 in tensor.shape:
        warn_program("Initializing zero-element tensors is a no-op")
        return 0.0
    fans = dict(zip(("fan_in", "fan_out"), _calculate_fan_in_and_fan_out(tensor), strict=True))
    if mode.lower() not in fans:
        raise ValueError(f"Mode {mode} not supported, please use one of {list(fans)}")
    return calculate_gain(nonlinearity, a) / math.sqrt(fans[mode.lower()])


def _below(x: float, mean: float, std: float) -> float:
    """The probability that a normal number is below `x`."""
    return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0
