"""Layers that change the shape of images: more elements at their ends, other numbers of them, their windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import FunctionLayer
from minigrad.nn.modules.module import Module
from minigrad.ops.windows import PerDim, per_dim
from minigrad.tensor import Tensor

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "Fold", "PixelShuffle", "ReflectionPad1d", "ReflectionPad2d",
    "ReplicationPad1d", "ReplicationPad2d", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d",
    "ZeroPad2d",
]  # fmt: skip


class _Pad(Module):
    """`pad` in one mode; a padding that is an int is that of both ends of all dimensions."""

    __call__: Callable[..., Tensor]
    _dims: ClassVar[int]
    _mode: ClassVar[str]

    def __init_subclass__(cls, dims: int | None = None, mode: str = "constant") -> None:
        super().__init_subclass__()
        if dims is not None:
            cls._dims, cls._mode = dims, mode

    def __init__(self, padding: PerDim) -> None:
        super().__init__()
        self.padding = per_dim("padding", padding, 2 * self._dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode, getattr(self, "value", 0))

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(_Pad, dims=2):
    """`(left, right, top, bottom)` zeros around each image: see `nn.functional.pad`."""


class ConstantPad1d(_Pad, dims=1):
    """`(left, right)` numbers, all of one value, around each line: see `nn.functional.pad`."""

    def __init__(self, padding: PerDim, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad2d(ConstantPad1d, dims=2):
    """`(left, right, top, bottom)` numbers, all of one value, around each image: see `nn.functional.pad`."""


class ReflectionPad1d(_Pad, dims=1, mode="reflect"):
    """Each line mirrored at its ends: see `nn.functional.pad`."""


class ReflectionPad2d(_Pad, dims=2, mode="reflect"):
    """Each image mirrored at its ends: see `nn.functional.pad`.

    >>> import minigrad as torch
    >>> torch.nn.ReflectionPad2d((1, 1, 0, 0))(torch.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[2., 1., 2., 3., 2.]]])
    """


class ReplicationPad1d(_Pad, dims=1, mode="replicate"):
    """Each line with its first and last element repeated: see `nn.functional.pad`."""


class ReplicationPad2d(_Pad, dims=2, mode="replicate"):
    """Each image with its outermost elements repeated: see `nn.functional.pad`."""


class _Upsampling(FunctionLayer, function=...):
    """Another `size` of the last dimensions, or `scale_factor` times the size."""

    size: PerDim | None = None
    scale_factor: Sequence[float] | float | None = None

    def _set_up(self) -> None:
        if isinstance(self.scale_factor, Sequence):
            self.scale_factor = tuple([float(each) for each in self.scale_factor])
        elif self.scale_factor is not None:
            self.scale_factor = float(self.scale_factor)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={getattr(self, 'mode', 'nearest')!r}"


class Upsample(_Upsampling, function=F.interpolate):
    """The input with other numbers of elements along its last dimensions: see `nn.functional.interpolate`."""

    mode: str = "nearest"
    align_corners: bool | None = None
    recompute_scale_factor: bool | None = None


class UpsamplingNearest2d(_Upsampling, function=F.interpolate):
    """Each element repeated: `Upsample` of images in the mode "nearest"."""


class UpsamplingBilinear2d(_Upsampling, function=F.interpolate):
    """Lines between elements, from corner to corner: `Upsample` of images in the mode "bilinear"."""

    def _set_up(self) -> None:
        super()._set_up()
        self.mode = "bilinear"

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, mode=self.mode, align_corners=True)


class PixelShuffle(FunctionLayer, function=F.pixel_shuffle):
    """Images `upscale_factor` times as large, of as many channels each, squared: see `nn.functional.pixel_shuffle`."""

    upscale_factor: int


class Unfold(FunctionLayer, function=F.unfold):
    """The windows of each image, side by side: see `nn.functional.unfold`."""

    kernel_size: PerDim
    dilation: PerDim = 1
    padding: PerDim = 0
    stride: PerDim = 1


class Fold(FunctionLayer, function=F.fold):
    """Images whose windows are given, added up: see `nn.functional.fold`."""

    output_size: PerDim
    kernel_size: PerDim
    dilation: PerDim = 1
    padding: PerDim = 0
    stride: PerDim = 1
