"""Pooling: of each window its largest element or its mean."""

from __future__ import annotations

from typing import ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import FunctionLayer
from minigrad.ops.convolution import PerDim, per_dim

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d",
]  # fmt: skip


class _Pool(FunctionLayer, function=...):
    """Something of each window, which are side by side unless there is a `stride`."""

    kernel_size: PerDim
    stride: PerDim | None = None
    padding: PerDim = 0
    _shown: ClassVar[tuple[str, ...]] = ("kernel_size", "stride", "padding")

    def _set_up(self) -> None:
        if self.stride is None:
            self.stride = self.kernel_size


class _MaxPool(_Pool, function=...):
    """The largest elements."""

    dilation: PerDim = 1
    return_indices: bool = False
    ceil_mode: bool = False
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPool, function=F.max_pool1d):
    """The largest element of each window of `(N, C, L)` or `(C, L)`: see `nn.functional.max_pool1d`."""


class MaxPool2d(_MaxPool, function=F.max_pool2d):
    """The largest element of each window of `(N, C, H, W)` or `(C, H, W)`: see `nn.functional.max_pool2d`.

    >>> import minigrad as torch
    >>> torch.nn.MaxPool2d(2)(torch.tensor([[[1.0, 5.0, 2.0, 0.0], [3.0, 4.0, 1.0, 7.0]]]))
    tensor([[[5., 7.]]])
    """


class MaxPool3d(_MaxPool, function=F.max_pool3d):
    """The largest element of each window of `(N, C, D, H, W)` or `(C, D, H, W)`: see `nn.functional.max_pool3d`."""


class _AvgPool(_Pool, function=...):
    """The means."""

    ceil_mode: bool = False
    count_include_pad: bool = True


class AvgPool1d(_AvgPool, function=F.avg_pool1d):
    """The mean of each window of `(N, C, L)` or `(C, L)`: see `nn.functional.avg_pool1d`."""

    def _set_up(self) -> None:
        super()._set_up()
        for name in self._shown:
            setattr(self, name, per_dim(name, getattr(self, name), 1))


class AvgPool2d(_AvgPool, function=F.avg_pool2d):
    """The mean of each window of `(N, C, H, W)` or `(C, H, W)`: see `nn.functional.avg_pool2d`."""


class AvgPool3d(_AvgPool, function=F.avg_pool3d):
    """The mean of each window of `(N, C, D, H, W)` or `(C, D, H, W)`: see `nn.functional.avg_pool3d`."""


class _AdaptivePool(FunctionLayer, function=...):
    """Something of as many windows as there are to be."""

    output_size: PerDim | None
    _shown = ("output_size",)


class AdaptiveAvgPool1d(_AdaptivePool, function=F.adaptive_avg_pool1d):
    """The means of `output_size` windows: see `nn.functional.adaptive_avg_pool1d`."""


class AdaptiveAvgPool2d(_AdaptivePool, function=F.adaptive_avg_pool2d):
    """The means of `output_size` windows: see `nn.functional.adaptive_avg_pool2d`."""


class AdaptiveAvgPool3d(_AdaptivePool, function=F.adaptive_avg_pool3d):
    """The means of `output_size` windows: see `nn.functional.adaptive_avg_pool3d`."""


class AdaptiveMaxPool1d(_AdaptivePool, function=F.adaptive_max_pool1d):
    """The largest elements of `output_size` windows: see `nn.functional.adaptive_max_pool1d`."""


class AdaptiveMaxPool2d(_AdaptivePool, function=F.adaptive_max_pool2d):
    """The largest elements of `output_size` windows: see `nn.functional.adaptive_max_pool2d`."""


class AdaptiveMaxPool3d(_AdaptivePool, function=F.adaptive_max_pool3d):
    """The largest elements of `output_size` windows: see `nn.functional.adaptive_max_pool3d`."""
