"""`Linear`, a matrix and a bias, and its lazy form; `Identity`, nothing."""

from __future__ import annotations

import math

from minigrad.nn import functional as F, init
from minigrad.nn.modules.layer import Layer, LazyModuleMixin
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.ops.arguments import DType, OnDevice
from minigrad.tensor import Tensor

__all__ = ["Identity", "LazyLinear", "Linear"]


class Identity(Layer):
    """Its input, unchanged: it stands where a layer could be.  The constructor takes any arguments."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Layer):
    """`x @ weight.T + bias`, with a learned weight and, unless `bias=False`, a learned bias.

    `weight`
        `(out_features, in_features)`: PyTorch's layout, the transpose of Keras's and of an embedding table.
    `bias`
        `(out_features,)`, or None.

    Both start as draws from the uniform distribution on [-k, k) with `k = 1 / sqrt(in_features)`.  Called with
    `(*, in_features)` it gives `(*, out_features)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> torch.nn.Linear(4, 2, bias=False).weight
    Parameter containing:
    tensor([[-0.2039,  0.0166, -0.2483,  0.1886],
            [-0.4260,  0.3665, -0.3634, -0.3975]], requires_grad=True)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: OnDevice = None, dtype: DType = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        shape = (out_features, in_features)
        add_parameters(self, device, dtype, weight=shape, bias=(out_features,) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew."""
        # This slope makes the bound of Kaiming's method 1 / sqrt(inputs).
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            inputs = math.prod(self.weight.shape[1:])
            bound = 1 / math.sqrt(inputs) if inputs > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """`(*, in_features)` gives `(*, out_features)`."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear`, under the name that PyTorch gives to the last one of an attention."""


class LazyLinear(LazyModuleMixin, Linear, first="in_features", dim=-1):
    """A `Linear` whose `in_features` is the last size of the first input.

    >>> import minigrad as torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> layer, layer.weight
    (LazyLinear(in_features=0, out_features=2, bias=True), <UninitializedParameter>)
    >>> y = layer(torch.ones(4, 3))
    >>> layer, layer.weight.shape
    (Linear(in_features=3, out_features=2, bias=True), torch.Size([2, 3]))
    """
