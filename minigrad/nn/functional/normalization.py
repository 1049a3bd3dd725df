"""Normalization functions: of each row, each group of channels, or each channel over a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.modes import no_grad
from minigrad.methods.forms import checked_tensor
from minigrad.ops.losses import check_constant
from minigrad.ops.normalization import Groups, Normalize, NormalizeByKnown, seen
from minigrad.ops.widening import in_float32
from minigrad.tensor import Tensor

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`(x - mean(x)) / sqrt(var(x) + eps) * weight + bias` over the last dimensions, which are `normalized_shape`.

    `input` is `(*, *normalized_shape)`, `weight` and `bias` have that shape too; the variance is the mean square.
    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization" (2016).

    >>> import minigrad as torch
    >>> layer_norm(torch.tensor([[1.0, 3.0], [4.0, 0.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [ 1.0000, -1.0000]])
    """
    frame = _row_frame("layer_norm", input, normalized_shape, {"weight": weight, "bias": bias})
    _check_kernel("LayerNormKernelImpl", input)
    _check_parameters(input, weight, bias)
    return _normalized(input, weight, bias, Normalize(Groups(frame, (1,), (1,), eps), "NativeLayerNormBackward0"))


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """`x / sqrt(mean(x**2) + eps) * weight` over the last dimensions, which are `normalized_shape`.

    Without `eps` it is the distance from 1 to the next number of the dtype (float32 for float16).  Source: B. Zhang
    and R. Sennrich, "Root mean square layer normalization" (2019).

    >>> import minigrad as torch
    >>> rms_norm(torch.tensor([3.0, 4.0]), (2,)) * 12.5**0.5
    tensor([3., 4.])
    """
    frame = _row_frame("rms_norm", input, normalized_shape, {"weight": weight})
    _check_kernel("rms_norm", input)
    if input.dtype is dtypes.float16:
        return rms_norm(input.float(), normalized_shape, weight, eps).half()
    if eps is None:
        eps = float(np.finfo(input._array.dtype).eps)
    if weight is not None:
        weight = weight.to(input.dtype)
    return _normalized(input, weight, None, Normalize(Groups(frame, (1,), (1,), eps, center=False), "MulBackward0"))


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """`layer_norm` over each of `num_groups` groups of channels; then each channel has its weight and bias.

    `input` is `(N, C, *)`, `weight` and `bias` are `(C,)`.  Source: Y. Wu and K. He, "Group normalization" (2018).

    >>> import minigrad as torch
    >>> group_norm(torch.tensor([[1.0, 3.0, 4.0, 0.0]]), 2)
    tensor([[-1.0000,  1.0000,  1.0000, -1.0000]])
    """
    checked_tensor("group_norm", input)
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}: (N, C, *)")
    n, channels, *rest = input._array.shape
    _check_batch_size([n * channels // num_groups, num_groups, *rest])
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(each.shape)} and input of shape {list(input.shape)}"
            )
    _check_kernel("GroupNormKernelImpl", input)
    _check_parameters(input, weight, bias)
    frame = (n, num_groups, channels // num_groups, math.prod(rest))
    return _normalized(input, weight, bias, Normalize(Groups(frame, (2, 3), (1, 2), eps), "NativeGroupNormBackward0"))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel.

    `input` is `(N, C, *)`, all others are `(C,)`.  When `training`, mean and variance are those of the batch, and the
    running ones, if given, move towards them by `momentum`, in place; the running variance towards the unbiased one.
    Else the running ones are used.  Errors: ValueError for training on one value per channel.  Source: S. Ioffe and
    C. Szegedy, "Batch normalization" (2015).

    >>> import minigrad as torch
    >>> mean, var = torch.zeros(1), torch.ones(1)
    >>> batch_norm(torch.tensor([[1.0], [3.0]]), mean, var, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> mean, var
    (tensor([0.2000]), tensor([1.1000]))
    """
    checked_tensor("batch_norm", input)
    if training:
        _check_batch_size(input.size())
    if eps < 0 or (training and eps == 0):
        bound = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {bound}, but got {eps}")
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        if each is None and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    frame = _channel_frame(input)
    groups = Groups(frame, (0, 2)[: len(frame) - 1], (1,), eps)
    form = "NativeBatchNormBackward0"
    if not training:
        return _normalized(input, weight, bias, _by_known(groups, form, running_mean, running_var))
    op = Normalize(groups, form)
    y = _normalized(input, weight, bias, op)
    if running_mean is not None and input._array.size:
        runnings: tuple[Any, Any] = (running_mean, running_var)
        for running, found in zip(runnings, _statistics(op), strict=True):
            # Past the version counters, as PyTorch writes them.
            running._array[...] = _moved(running, momentum, found.reshape(-1))
    return y


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """`(x - mean) / sqrt(var + eps) * weight + bias` for each channel of each element of the batch.

    `input` is `(N, C, *)`, all others are `(C,)`.  With `use_input_stats`, mean and variance are those of the channel
    of the element, and the running ones, if given, move towards their means over the batch; else the running ones are
    used.  Errors: ValueError for one value per channel.  Source: D. Ulyanov, A. Vedaldi and V. Lempitsky, "Instance
    normalization" (2016).

    >>> import minigrad as torch
    >>> instance_norm(torch.tensor([[[1.0, 3.0]], [[40.0, 0.0]]]))
    tensor([[[-1.0000,  1.0000]],
    <BLANKLINE>
            [[ 1.0000, -1.0000]]])
    """
    checked_tensor("instance_norm", input)
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    frame = _channel_frame(input)
    groups = Groups(frame, (2,), (1,), eps)
    if not use_input_stats:
        return _normalized(input, weight, bias, _by_known(groups, "ViewBackward0", running_mean, running_var))
    op = Normalize(groups, "ViewBackward0")
    y = _normalized(input, weight, bias, op)
    if running_mean is not None:
        runnings: tuple[Any, Any] = (running_mean, running_var)
        for running, found in zip(runnings, _statistics(op), strict=True):
            with no_grad():
                running.copy_(running._new(_moved(running, momentum, found.reshape(frame[:2]).mean(0))))
    return y


# ---- what they have in common ----------------------------------------------------------------------------------------


def _normalized(input: Tensor, weight: Tensor | None, bias: Tensor | None, op: Normalize) -> Tensor:
    weight, bias = [None if each is None else seen(each, (each._array.size,)) for each in (weight, bias)]
    return in_float32(op, input, weight, bias)


def _by_known(groups: Groups, form: str, mean: Any, var: Any) -> Normalize:
    wide = [each._array.astype(np.promote_types(each._array.dtype, np.float32)) for each in (mean, var)]
    return NormalizeByKnown(groups, form, *wide)


def _statistics(op: Normalize) -> tuple[Array, Array]:
    """The mean of each group, and the unbiased estimate of its variance: the sum of squares divided by one less."""
    count = op.groups.count
    means, variances = (np.concatenate([each[position] for each in op.rounds]) for position in (1, 2))
    return means, variances * (count / (count - 1))


def _moved(running: Any, momentum: float, towards: Array) -> Array:
    """A running mean, moved by `momentum` of its distance towards that of a batch."""
    moved: Array = (1 - momentum) * running._array.astype(towards.dtype) + momentum * towards
    return moved


def _row_frame(
    function: str, input: Tensor, normalized_shape: Sequence[int], parameters: dict[str, Tensor | None]
) -> tuple[int, ...]:
    """The frame (N, D) of an input whose last dimensions are `normalized_shape`, as are all of the parameters'."""
    checked_tensor(function, input)
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, each in parameters.items():
        if each is not None and each._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(each.shape)} "
                f"and normalized_shape = {list(shape)}"
            )
    leading = input.ndim - len(shape)
    if leading < 0 or input._array.shape[leading:] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size{list(input.shape)}"
        )
    return math.prod(input._array.shape[:leading]), math.prod(shape)


def _channel_frame(input: Tensor) -> tuple[int, ...]:
    """The frame (N, C, L) of an input `(N, C, *)`, or (N, C) if there are no more dimensions."""
    n, channels, *rest = (*input._array.shape, 0)[: max(input.ndim, 2)]
    return (n, channels, math.prod(rest)) if rest else (n, channels)


def _check_channels(input: Tensor, **parameters: Tensor | None) -> None:
    """Nothing if there is an element of each parameter for each channel, and running statistics are constants."""
    channels = input._array.shape[1] if input.ndim > 1 else 0
    for name, each in parameters.items():
        if each is None:
            continue
        if each.numel() != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements not {each.numel()}{_channels_remedy(input, each.numel())}"
            )
        if name.startswith("running"):
            check_constant("native_batch_norm", name, each)
    _check_kernel("batch_norm", input)
    _check_parameters(input, *parameters.values())


def _channels_remedy(input: Tensor, channels: int) -> str:
    """What to do if the input has not so many channels in dimension 1."""
    if input.ndim > 2 and input.shape[-1] == channels:
        move = "transpose(1, 2)" if input.ndim == 3 else "movedim(-1, 1)"
        return f": channels are dimension 1 of the input, and here they come last, input.{move}"
    return f": channels are dimension 1 of the input, of shape {tuple(input.shape)}"


def _check_batch_size(size: Sequence[int]) -> None:
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}: one value has no variance. "
            "Take a larger batch (drop_last=True in a DataLoader), or model.eval() when not training"
        )


def _check_kernel(kernel: str, input: Tensor) -> None:
    if not input.is_floating_point():
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{input.dtype._tensor_name}': means are real numbers, input.float()"
        )


def _check_parameters(input: Tensor, *parameters: Tensor | None) -> None:
    """Nothing if the parameters have the input's dtype, or are all float32 beside a float16."""
    if all([each is None or each._array.dtype == input._array.dtype for each in parameters]):
        return
    allowed = [input.dtype] if input.dtype is not dtypes.float16 else [dtypes.float16, dtypes.float32]
    found = {each.dtype for each in parameters if each is not None}
    if len(found) > 1 or not found.issubset(allowed):
        raise RuntimeError(
            f"mixed dtype (CPU): expect parameter to have scalar type of {input.dtype._tensor_name}, got "
            f"{', '.join(sorted([repr(each) for each in found]))}"
        )
