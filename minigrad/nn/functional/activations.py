"""Activation functions: `f(input)`, of the shape of the input; with `inplace`, written into the input itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.methods.forms import checked_number, checked_tensor
from minigrad.ops import activations as ops
from minigrad.ops.mathematics import sigmoid, tanh
from minigrad.tensor import Tensor

__all__ = [
    "elu",
    "elu_",
    "gelu",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "logsigmoid",
    "prelu",
    "relu",
    "relu_",
    "sigmoid",
    "silu",
    "softplus",
    "tanh",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""
    return _applied(ops.Relu(), "relu", input, inplace)


def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""
    return relu(input, True)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, raised to `min_val` and lowered to `max_val`; a ValueError if these are in the wrong order."""
    low, high = checked_number("hardtanh", "min_val", min_val), checked_number("hardtanh", "max_val", max_val)
    if low > high:
        raise ValueError(f"min_val cannot be greater than max_val: got {low} and {high}")
    return _applied(ops.Hardtanh(low, high), "hardtanh", input, inplace)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """In place: `hardtanh`."""
    return hardtanh(input, min_val, max_val, True)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `negative_slope * x`.

    >>> from minigrad import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    slope = checked_number("leaky_relu", "negative_slope", negative_slope)
    return _applied(ops.LeakyRelu(slope, int(inplace)), "leaky_relu", input, inplace)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """In place: `leaky_relu`."""
    return leaky_relu(input, negative_slope, True)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`x` where it is positive, else `weight * x`: one weight for all, or one per channel, which is dimension 1.

    `input` is `(N, C, *)`, `weight` is `(C,)`, `(1,)` or 0-d; a RuntimeError for others.
    """
    checked_tensor("prelu", input)
    shape, sizes = input._array.shape, checked_tensor("prelu", weight, "weight", 2)._array.shape
    if weight.dtype is not input.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype._tensor_name} and {weight.dtype._tensor_name}: "
            f"weight.to({input.dtype!r})"
        )
    if len(sizes) > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {len(sizes)}")
    if weight._array.size == 1 and (len(shape) != 0 or len(sizes) == 0):
        return ops.Prelu()(input, weight)
    if len(shape) == 0:
        if weight._array.size == 1:
            return ops.Prelu()(input, weight.reshape(()))
        raise RuntimeError("Not allow zero-dim input tensor: its weight is 0-d as well, or of one element.")
    channels = shape[1] if len(shape) > 1 else 1
    if sizes[0] != channels:
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {sizes[0]} and channel "
            f"size = {channels}."
        )
    return ops.Prelu()(input, weight.reshape(-1, *[1] * (len(shape) - 2)))


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    return _applied(ops.Elu(checked_number("elu", "alpha", alpha), int(inplace)), "elu", input, inplace)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In place: `elu`."""
    return elu(input, alpha, True)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`.

    With `approximate="tanh"`, P is close to it, as in GPT-2: see `minigrad.ops.activations.GeluTanh`.
    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.

    >>> from minigrad import tensor
    >>> gelu(tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    return _applied(ops.Gelu() if approximate == "none" else ops.GeluTanh(), "gelu", input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`."""
    return _applied(ops.Silu(), "silu", input, inplace)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`.

    >>> from minigrad import tensor
    >>> softplus(tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000])
    """
    numbers = checked_number("softplus", "beta", beta), checked_number("softplus", "threshold", threshold)
    return _applied(ops.Softplus(*numbers), "softplus", input)


def logsigmoid(input: Tensor) -> Tensor:
    """`log(sigmoid(x))`, without overflow on the way."""
    return _applied(ops.LogSigmoid(), "logsigmoid", input)


def _applied(op: Callable[[Any], Any], name: str, input: Any, inplace: bool = False) -> Any:
    """`op(input)`, written into the input itself if `inplace`."""
    checked_tensor(name, input)
    return input._rewrite(op) if inplace else op(input)
