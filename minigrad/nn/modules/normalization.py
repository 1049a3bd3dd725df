"""Normalization over the last dimensions, or over channels: of each element of a batch by itself, or of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, TypeAlias

import numpy as np

from minigrad.declare import with_options
from minigrad.nn import functional as F, init
from minigrad.nn.modules.layer import Bias, LazyModuleMixin, ParameterLayer
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.ops.arguments import DType, OnDevice
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty, tensor

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm2d", "LayerNorm", "LazyBatchNorm1d",
    "LazyBatchNorm2d", "RMSNorm",
]  # fmt: skip

#: An int or several, which become a tuple.
Shape: TypeAlias = Any


class ScaledLayer(ParameterLayer):
    """A layer that may have a weight, which starts as ones, and a bias, which starts as zeros, of one shape."""

    #: A parameter, ones at the start; None where the options say so.
    weight: Parameter | None
    #: What its printed form says.
    _form: ClassVar[str]

    def extra_repr(self) -> str:
        return self._form.format(**self.__dict__, bias=self._parameters.get("bias") is not None)

    def _add_scale(self, shape: tuple[int, ...], on: OnDevice, dtype: DType, **wanted: bool) -> None:
        """Register a weight and a bias of this shape, or None in the place of what is not wanted."""
        add_parameters(self, on, dtype, **{name: shape if each else None for name, each in wanted.items()})
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        for name, start in (("weight", init.ones_), ("bias", init.zeros_)):
            parameter = self._parameters.get(name)
            if parameter is not None:
                start(parameter)


@with_options
class LayerNorm(ScaledLayer):
    """`(x - mean(x)) / sqrt(var(x) + eps) * weight + bias` over the last dimensions, which are `normalized_shape`.

    `weight`, `bias`
        of shape `normalized_shape`, or None without `elementwise_affine` (the bias also without `bias`); they start as
        ones and zeros.

    See `nn.functional.layer_norm`.

    >>> import minigrad as torch
    >>> torch.nn.LayerNorm(2)(torch.tensor([[1.0, 3.0], [4.0, 0.0]]))
    tensor([[-1.0000,  1.0000],
            [ 1.0000, -1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    _form = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"
    normalized_shape: Shape
    eps: float = 1e-5
    elementwise_affine: bool = True
    bias: Bias = True

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        self.normalized_shape = _as_shape(self.normalized_shape)
        wanted = {"weight": self.elementwise_affine, "bias": self.elementwise_affine and bias}
        self._add_scale(self.normalized_shape, device, dtype, **wanted)

    def forward(self, input: Tensor) -> Tensor:
        """`(*, *normalized_shape)` gives the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@with_options
class RMSNorm(ScaledLayer):
    """`x / sqrt(mean(x**2) + eps) * weight` over the last dimensions, which are `normalized_shape`.

    `weight`
        of shape `normalized_shape`, or None without `elementwise_affine`; it starts as ones.

    See `nn.functional.rms_norm`.

    >>> import minigrad as torch
    >>> torch.nn.RMSNorm(2)(torch.tensor([3.0, 4.0]))
    tensor([0.8485, 1.1314], grad_fn=<MulBackward0>)
    """

    _form = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}"
    normalized_shape: Shape
    eps: float | None = None
    elementwise_affine: bool = True

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        self.normalized_shape = _as_shape(self.normalized_shape)
        self._add_scale(self.normalized_shape, device, dtype, weight=self.elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        """`(*, *normalized_shape)` gives the same shape."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


@with_options
class GroupNorm(ScaledLayer):
    """`LayerNorm` over each of `num_groups` groups of channels; then each channel has its weight and bias.

    `weight`, `bias`
        of shape `(num_channels,)`, or None without `affine` (the bias also without `bias`); they start as ones and
        zeros.

    See `nn.functional.group_norm`.
    """

    _form = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"
    num_groups: int
    num_channels: int
    eps: float = 1e-5
    affine: bool = True
    _: KW_ONLY
    bias: Bias = True

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        count, groups = self.num_channels, self.num_groups
        if count % groups != 0:
            raise ValueError(f"num_channels ({count}) must be divisible by num_groups ({groups})")
        self._add_scale((count,), device, dtype, weight=self.affine, bias=self.affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_channels, *)` gives the same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


def _as_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


# ---- of each channel -------------------------------------------------------------------------------------------------


@with_options
class _ChannelNorm(ScaledLayer):
    """A normalization of channels that can keep running estimates of their means and variances."""

    #: The numbers of dimensions of an input, and how messages call them.
    _ranks: ClassVar[tuple[int, ...]]
    _form = (
        "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, "
        "track_running_stats={track_running_stats}"
    )
    num_features: int
    eps: float = 1e-5
    momentum: float | None = 0.1
    affine: bool = True
    track_running_stats: bool = True
    _: KW_ONLY
    bias: Bias = True

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            new = tensor(0) if name == "num_batches_tracked" else empty(self.num_features, device=device, dtype=dtype)
            self.register_buffer(name, new if self.track_running_stats else None)
        self._add_scale((self.num_features,), device, dtype, weight=self.affine, bias=self.affine and bias)

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1 and the number of batches to 0."""
        for name, start in (("running_mean", 0), ("running_var", 1), ("num_batches_tracked", 0)):
            buffer = self._buffers[name]
            if buffer is not None:
                buffer.fill_(start)

    def reset_parameters(self) -> None:
        """Set the running statistics to their start, the weight to ones and the bias to zeros."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_rank(self, input: Tensor) -> None:
        if input.ndim not in self._ranks:
            ranks = " or ".join([f"{rank}D" for rank in self._ranks])
            raise ValueError(f"expected {ranks} input (got {input.ndim}D input)")


class _BatchNorm(_ChannelNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel, by the batch or by the running estimates."""

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_features, *)` gives the same shape."""
        self._check_rank(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and (tracked := self.num_batches_tracked) is not None:
            tracked.add_(1)
            if self.momentum is None:
                # So the running estimates are averages of all batches.
                momentum = 1.0 / float(tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        moving = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if moving else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel of an input `(N, C)` or `(N, C, L)`.

    While training, mean and variance are those of the batch, and the running estimates move towards them by `momentum`
    (or, if that is None, are the averages of all batches).  Else they are the running estimates.  See
    `nn.functional.batch_norm`.

    `weight`, `bias`
        `(num_features,)`, ones and zeros at the start, or None without `affine` (the bias also without `bias`).
    `running_mean`, `running_var`, `num_batches_tracked`
        buffers, the first two `(num_features,)`, that start as zeros, ones and 0; None without `track_running_stats`.

    >>> import minigrad as torch
    >>> norm = torch.nn.BatchNorm1d(1)
    >>> norm(torch.tensor([[1.0], [3.0]])).tolist(), norm.running_mean
    ([[-0.9999949932098389], [0.9999949932098389]], tensor([0.2000]))
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`BatchNorm1d` for an input `(N, C, H, W)`."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """`BatchNorm1d` for an input `(N, C, D, H, W)`."""

    _ranks = (5,)


@with_options
class InstanceNorm2d(_ChannelNorm):
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel of each element of `(N, C, H, W)` or `(C, H, W)`.

    See `nn.functional.instance_norm`.  `track_running_stats` has to be False.
    """

    _ranks = (3, 4)
    affine: bool = False
    track_running_stats: bool = False

    def _set_up(self, bias: bool, device: OnDevice, dtype: DType) -> None:
        if self.track_running_stats:
            raise NotImplementedError("InstanceNorm2d has no running statistics: BatchNorm2d has them")
        super()._set_up(bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_features, H, W)`, or `(num_features, H, W)`, gives the same shape."""
        self._check_rank(input)
        if self.affine and input.shape[-3] != self.num_features:
            wanted = f"expected input's size at dim={input.ndim - 3} to match num_features ({self.num_features})"
            raise ValueError(f"{wanted}, but got: {input.shape[-3]}.")
        if input.ndim == 3:
            return self.forward(input.unsqueeze(0)).squeeze(0)
        return F.instance_norm(input, weight=self.weight, bias=self.bias, eps=self.eps)


class LazyBatchNorm1d(LazyModuleMixin, BatchNorm1d, first="num_features", dim=1):
    """A `BatchNorm1d` whose `num_features` is the number of channels of the first input."""


class LazyBatchNorm2d(LazyModuleMixin, BatchNorm2d, first="num_features", dim=1):
    """A `BatchNorm2d` whose `num_features` is the number of channels of the first input."""
