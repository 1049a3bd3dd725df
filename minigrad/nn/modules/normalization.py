"""Normalization of each element of a batch for itself: over its last dimensions, or over groups of channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from minigrad.nn import functional as F, init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.tensor import Tensor
from minigrad.tensors.options import DType, OnDevice

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]


class ScaledLayer(Module):
    """A layer that may have a weight, which starts as ones, and a bias, which starts as zeros, of one shape."""

    __call__: Callable[..., Tensor]
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

    bias: Parameter | None
    _form = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: OnDevice = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        wanted = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        self._add_scale(self.normalized_shape, device, dtype, **wanted)

    def forward(self, input: Tensor) -> Tensor:
        """`(*, *normalized_shape)` gives the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


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

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: OnDevice = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_scale(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        """`(*, *normalized_shape)` gives the same shape."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(ScaledLayer):
    """`LayerNorm` over each of `num_groups` groups of channels; then each channel has its weight and bias.

    `weight`, `bias`
        of shape `(num_channels,)`, or None without `affine` (the bias also without `bias`); they start as ones and
        zeros.

    See `nn.functional.group_norm`.
    """

    bias: Parameter | None
    _form = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: OnDevice = None,
        dtype: DType = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._add_scale((num_channels,), device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_channels, *)` gives the same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


def _as_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)
