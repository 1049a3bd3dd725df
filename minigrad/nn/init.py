"""How parameters start: functions that write a tensor's first values in place."""

from __future__ import annotations

import math
from typing import Literal

from minigrad.autograd.grad_mode import no_grad
from minigrad.dtypes import Number
from minigrad.random import Generator
from minigrad.tensor import Tensor


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with draws from the uniform distribution on [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with draws from the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


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


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: Literal["leaky_relu", "relu", "linear"] = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill `tensor` with uniform draws that keep the variance of signals (or gradients, for "fan_out") level.

    They are from [-bound, bound) with `bound = gain * sqrt(3 / fan)`, where the fan is the number of inputs or
    outputs, and the gain is `sqrt(2 / (1 + a**2))` for a leaky ReLU of slope `a`.  Source: K. He, X. Zhang,
    S. Ren and J. Sun, "Delving Deep into Rectifiers", ICCV 2015.

    >>> import minigrad as torch
    >>> bool((kaiming_uniform_(torch.empty(5, 6)).abs() <= 1).all())
    True
    """
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions: its shape is "
            f"{tensor.shape}"
        )
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    outputs, inputs, *rest = tensor.shape
    fan = (inputs if mode == "fan_in" else outputs) * math.prod(rest)
    if fan == 0:
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What `nonlinearity` needs its input scaled by to keep the variance of its output level.

    >>> calculate_gain("linear"), calculate_gain("leaky_relu", 0.0) == math.sqrt(2)
    (1, True)
    """
    if nonlinearity in ("linear", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}: one of linear, sigmoid, tanh, relu and leaky_relu")
