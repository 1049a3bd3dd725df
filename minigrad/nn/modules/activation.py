"""Activations: layers that apply a function of `nn.functional` to each element, or along a dimension."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.core.dtypes import dtype
from minigrad.nn import functional as F
from minigrad.nn import init as initialize
from minigrad.nn.modules.function_layer import FunctionLayer
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.creation import full
from minigrad.tensors.options import OnDevice


class ReLU(FunctionLayer, function=F.relu):
    """`x`, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    inplace: bool = False


class SiLU(FunctionLayer, function=F.silu):
    """`x * sigmoid(x)`."""

    inplace: bool = False


class Sigmoid(FunctionLayer, function=F.sigmoid):
    """`1 / (1 + exp(-x))`."""


class Tanh(FunctionLayer, function=F.tanh):
    """The hyperbolic tangent."""


class LogSigmoid(FunctionLayer, function=F.logsigmoid):
    """`log(sigmoid(x))`."""


class _AlongDim(FunctionLayer, function=...):
    """A function along a dimension, which warns where none is named."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, _stacklevel=5)


class Softmax(_AlongDim, function=F.softmax):
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

    >>> import minigrad as torch
    >>> torch.nn.Softmax(dim=0)(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """


class LogSoftmax(_AlongDim, function=F.log_softmax):
    """`x - log(sum(exp(x)))` along `dim`: the logarithm of the softmax."""


class GELU(FunctionLayer, function=F.gelu):
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`; see `nn.functional.gelu`.

    >>> import minigrad as torch
    >>> torch.nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    approximate: str = "none"


class LeakyReLU(FunctionLayer, function=F.leaky_relu):
    """`x` where it is positive, else `negative_slope * x`."""

    negative_slope: float = 0.01
    inplace: bool = False


class ELU(FunctionLayer, function=F.elu):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""

    alpha: float = 1.0
    inplace: bool = False


class Softplus(FunctionLayer, function=F.softplus):
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`."""

    beta: float = 1.0
    threshold: float = 20.0


class Hardtanh(FunctionLayer, function=F.hardtanh):
    """`x`, raised to `min_val` and lowered to `max_val`.  Errors: AssertionError unless the first is less."""

    min_val: float = -1.0
    max_val: float = 1.0
    inplace: bool = False

    def _check(self) -> None:
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val must be greater than min_val: got {self.max_val} and {self.min_val}")


class PReLU(Module):
    """`x` where it is positive, else `weight * x`, with one learned weight for all or one per channel, dimension 1.

    `weight`
        `(num_parameters,)`, a Parameter that starts as `init`.
    """

    __call__: Callable[..., Tensor]

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: OnDevice = None, dtype: dtype | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set the weight to `init`."""
        initialize.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_parameters, *)` gives the same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
