"""Normalization of each channel: over a batch, or, for each element of the batch, over its places."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Bias, with_options
from minigrad.nn.modules.normalization import ScaledLayer
from minigrad.tensor import Tensor
from minigrad.tensors.creation import empty, tensor
from minigrad.tensors.options import DType, OnDevice

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm2d"]


@with_options
class _ChannelNorm(ScaledLayer):
    """A normalization of channels that can keep running estimates of their means and variances."""

    # As PyTorch's, from the one on in which it counts batches.
    _version = 2
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
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # So the running estimates are averages of all batches.
                momentum = 1.0 / float(self.num_batches_tracked)
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
