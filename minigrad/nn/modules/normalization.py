"""Normalization of each element of a batch for itself: over its last dimensions, or over groups of channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, TypeAlias

import numpy as np

from minigrad.nn import functional as F, init
from minigrad.nn.modules.layer import Bias, ParameterLayer, with_options
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.tensor import Tensor
from minigrad.tensors.options import DType, OnDevice

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]

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
