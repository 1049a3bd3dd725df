"""Convolutions, which see a window of their input at a time, and transposed ones, their gradients; lazy ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from minigrad.declare import with_options
from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Bias, LazyModuleMixin, WeightLayer
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import non_default
from minigrad.nn.parameter import add_parameters
from minigrad.ops.arguments import DType, OnDevice
from minigrad.ops.convolution import Windows, named_padding, per_dim
from minigrad.tensor import Tensor

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose2d",
]  # fmt: skip

#: Those of each dimension, or one for all, which become a tuple; of a padding its name, too.
Numbers: TypeAlias = Any


@with_options
class _ConvNd(WeightLayer):
    """A convolution of `_dims` dimensions; `weight` and `bias` start as those of a `Linear` on its windows do."""

    _dims: ClassVar[int]
    _transposed: ClassVar[bool] = False
    _convolve: ClassVar[Callable[..., Tensor]]
    in_channels: int
    out_channels: int
    kernel_size: Numbers
    stride: Numbers = 1
    padding: Numbers = 0
    dilation: Numbers = 1
    groups: int = 1
    bias: Bias = True
    padding_mode: str = "zeros"

    def __init_subclass__(cls, dims: int | None = None) -> None:
        super().__init_subclass__()
        if dims is not None:
            cls._dims, name = dims, "conv_transpose" if cls._transposed else "conv"
            cls._convolve = staticmethod(getattr(F, f"{name}{dims}d"))

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        in_channels, out_channels, groups, padding = self.in_channels, self.out_channels, self.groups, self.padding
        if groups <= 0 or in_channels % groups or out_channels % groups:
            counts = f"{in_channels} and {out_channels} by {groups}, a positive integer"
            raise ValueError(f"in_channels must be divisible by groups, and out_channels, too: {counts}")
        if self.padding_mode != "zeros":
            told = f'Only "zeros" padding mode is supported for {type(self).__name__}'
            raise ValueError(f"{told}: F.pad(x, pads, {self.padding_mode!r}) goes before it")
        self.kernel_size = per_dim("kernel_size", self.kernel_size, self._dims, spread=False)
        self.stride = per_dim("stride", self.stride, self._dims)
        if not isinstance(padding, str):
            self.padding = per_dim("padding", padding, self._dims)
        self.dilation = per_dim("dilation", self.dilation, self._dims)
        named_padding(self.padding, self.kernel_size, self.stride, self.dilation, ValueError)
        outer, inner = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape = (outer, inner // groups, *self.kernel_size)
        add_parameters(self, device, dtype, weight=shape, bias=(out_channels,) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew."""
        Linear.reset_parameters(self)  # type: ignore[arg-type]  # it reads a weight and a bias

    def forward(self, input: Tensor) -> Tensor:
        """`(N, in_channels, *)`, or without N, gives `(N, out_channels, *)`."""
        options = (self.stride, self.padding, self.dilation, self.groups)
        return self._convolve(input, self.weight, self.bias, *options)

    def extra_repr(self) -> str:
        ones, zeros = (1,) * self._dims, (0,) * self._dims
        first = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        return first + non_default(
            {**self.__dict__, "bias": self.bias is not None},
            padding=zeros, dilation=ones, output_padding=zeros, groups=1, bias=True,
        )  # fmt: skip


class Conv1d(_ConvNd, dims=1):
    """`conv1d`, with its weight and bias; see `Conv2d`."""


class Conv2d(_ConvNd, dims=2):
    """A `Linear` on each window of the input: see `nn.functional.conv2d`.

    The weight is `(out_channels, in_channels / groups, *kernel_size)`, the bias `(out_channels,)` or None.  The padding
    is of zeros: with others, `nn.functional.pad` goes before it.

    >>> import minigrad as torch
    >>> layer = torch.nn.Conv2d(3, 6, kernel_size=5, padding=2)
    >>> layer(torch.zeros(10, 3, 28, 28)).shape, layer.weight.shape
    (torch.Size([10, 6, 28, 28]), torch.Size([6, 3, 5, 5]))
    """


class Conv3d(_ConvNd, dims=3):
    """`conv3d`, with its weight and bias; see `Conv2d`."""


@with_options
class _ConvTransposeNd(_ConvNd):
    """The gradient of a convolution of `_dims` dimensions."""

    _transposed = True
    output_padding: Numbers = 0
    groups: int = 1
    bias: Bias = True
    dilation: Numbers = 1
    padding_mode: str = "zeros"

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        super()._set_up(bias, device, dtype)
        self.padding = per_dim("padding", self.padding, self._dims)
        self.output_padding = per_dim("output_padding", self.output_padding, self._dims)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """`(N, in_channels, *)`, or without N, gives `(N, out_channels, *)`, of `output_size` if that is possible."""
        more = self.output_padding
        if output_size is not None:
            pads = tuple([(pad, pad) for pad in self.padding])
            least = [*Windows(self.kernel_size, self.stride, self.dilation, pads).sizes(input.shape[-self._dims :])]
            more = tuple([size - each for size, each in zip(output_size[-self._dims :], least, strict=True)])
            if not all([0 <= extra < step for extra, step in zip(more, self.stride, strict=True)]):
                valid = f"{least}, and less than the stride more"
                raise ValueError(f"requested an output size of {output_size}, but valid sizes are {valid}")
        options = (self.stride, self.padding, more, self.groups, self.dilation)
        return self._convolve(input, self.weight, self.bias, *options)


class ConvTranspose1d(_ConvTransposeNd, dims=1):
    """`conv_transpose1d`, with its weight and bias; see `ConvTranspose2d`."""


class ConvTranspose2d(_ConvTransposeNd, dims=2):
    """The gradient of a `Conv2d` as a layer, which makes larger images of small ones: `nn.functional.conv_transpose2d`.

    The weight is `(in_channels, out_channels / groups, *kernel_size)`, the bias `(out_channels,)` or None.

    >>> import minigrad as torch
    >>> torch.nn.ConvTranspose2d(6, 3, kernel_size=2, stride=2)(torch.zeros(10, 6, 14, 14)).shape
    torch.Size([10, 3, 28, 28])
    """


class ConvTranspose3d(_ConvTransposeNd, dims=3):
    """`conv_transpose3d`, with its weight and bias; see `ConvTranspose2d`."""


class LazyConv1d(LazyModuleMixin, Conv1d, first="in_channels", dim=-2):
    """A `Conv1d` whose `in_channels` is the number of channels of the first input."""


class LazyConv2d(LazyModuleMixin, Conv2d, first="in_channels", dim=-3):
    """A `Conv2d` whose `in_channels` is the number of channels of the first input."""


class LazyConv3d(LazyModuleMixin, Conv3d, first="in_channels", dim=-4):
    """A `Conv3d` whose `in_channels` is the number of channels of the first input."""


class LazyConvTranspose2d(LazyModuleMixin, ConvTranspose2d, first="in_channels", dim=-3):
    """A `ConvTranspose2d` whose `in_channels` is the number of channels of the first input."""
