"""Activations: layers that apply a function of `nn.functional` to each element, or along a dimension."""

from __future__ import annotations

import warnings

from minigrad.dtypes import dtype
from minigrad.nn import functional as F
from minigrad.nn import init as initialize
from minigrad.nn.modules.constant import ConstantLayer
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.creation import full
from minigrad.tensors.options import OnDevice


class _Activation(ConstantLayer):
    """`function(input)`."""

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input)


class _Plain(_Activation):
    """An activation without constants."""

    def __init__(self) -> None:
        super().__init__()


class _MayBeInPlace(_Activation):
    """An activation whose one constant says whether its result is written into its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class _AlongDim(_Activation):
    """An activation along the dimension `dim`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)


class ReLU(_MayBeInPlace):
    """`x`, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    _function = staticmethod(F.relu)


class SiLU(_MayBeInPlace):
    """`x * sigmoid(x)`."""

    _function = staticmethod(F.silu)


class Sigmoid(_Plain):
    """`1 / (1 + exp(-x))`."""

    _function = staticmethod(F.sigmoid)


class Tanh(_Plain):
    """The hyperbolic tangent."""

    _function = staticmethod(F.tanh)


class LogSigmoid(_Plain):
    """`log(sigmoid(x))`."""

    _function = staticmethod(F.logsigmoid)


class Softmax(_AlongDim):
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

    >>> import minigrad as torch
    >>> torch.nn.Softmax(dim=0)(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    _function = staticmethod(F.softmax)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, _stacklevel=5)


class LogSoftmax(Softmax):
    """`x - log(sum(exp(x)))` along `dim`: the logarithm of the softmax."""

    _function = staticmethod(F.log_softmax)


class GELU(_Activation):
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`; see `nn.functional.gelu`.

    >>> import minigrad as torch
    >>> torch.nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    _function = staticmethod(F.gelu)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class LeakyReLU(_Activation):
    """`x` where it is positive, else `negative_slope * x`."""

    _function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)


class ELU(_Activation):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""

    _function = staticmethod(F.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class Softplus(_Activation):
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`."""

    _function = staticmethod(F.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class Hardtanh(_Activation):
    """`x`, raised to `min_val` and lowered to `max_val`.  Errors: AssertionError unless the first is less."""

    _function = staticmethod(F.hardtanh)

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        for old, new, given in (("min_value", "min_val", min_value), ("max_value", "max_val", max_value)):
            if given is not None:
                warnings.warn(
                    f"keyword argument `{old}` is deprecated and rename to `{new}`", FutureWarning, stacklevel=2
                )
        low, high = min_val if min_value is None else min_value, max_val if max_value is None else max_value
        if high <= low:
            raise AssertionError(f"max_val must be greater than min_val: got {high} and {low}")
        super().__init__(min_val=low, max_val=high, inplace=inplace)


class PReLU(Module):
    """`x` where it is positive, else `weight * x`, with one learned weight for all or one per channel, dimension 1.

    `weight`
        `(num_parameters,)`, a Parameter that starts as `init`.
    """

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
