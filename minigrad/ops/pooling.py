"""Pooling and resampling, which make other numbers of elements along dimensions.

A pooling takes the largest element or the mean of each window; an adaptive one makes as many windows as are asked for.
Interpolation and adaptive means are products with a matrix along each dimension.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from operator import index, mod
from typing import Any

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import HALVES, Array
from minigrad.core.ops import Clone, Expand, Permute, Reshape
from minigrad.core.tape import Unary, quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.arguments import check_floating, ints
from minigrad.ops.convolution import Col2Im, PerDim, Windows, of_each_rank, per_dim, picked, places_of
from minigrad.ops.indexing import PutIndex, all_dims
from minigrad.ops.reductions import mean


class MaxPool(Unary):
    """`y[…, p]` is the largest element of window p of `x`; nan is larger than all others."""

    formulas = ("dx = PutIndex(g), at the largest element of each window, of several the first",)
    windows: Windows
    form: str

    def forward(self, x: Array) -> Array:
        return self.windows.combined(np.maximum, self.windows.view(x, -np.inf))

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        windows, shape, dims = self.windows, x._array.shape, len(self.windows.kernel)
        # The output is not kept, since an activation in place may overwrite it, but computed again.
        largest = _largest(windows, x._array, quiet().run(self.forward, x._array))
        starts, within = _starts(windows, shape[-dims:])
        images = np.arange(math.prod(shape[:-dims])) * math.prod(shape[-dims:])
        places = images.reshape(*shape[:-dims], *[1] * dims) + starts + within.take(largest)
        return PutIndex(shape, all_dims(x), once=windows.apart()).of(g, g._new(places))


class AvgPool(Unary):
    """`y[…, p]` is the sum of window p of `x`, over `divisors[p]`."""

    formulas = ("dx = Col2Im of g / divisors at each element of a window",)
    windows: Windows
    divisors: Array
    form: str

    def forward(self, x: Array) -> Array:
        self.sizes = x.shape[-len(self.windows.kernel) :]
        sums = self.windows.combined(np.add, self.windows.view(widened(x)))
        return (sums / self.divisors).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        shares, kernel = g / g._new(self.divisors.astype(g._array.dtype)), self.windows.kernel
        leading, counts = g._array.shape[: -len(kernel)], g._array.shape[-len(kernel) :]
        # Each element of a window gets the same share.
        shares = Expand((*leading, *kernel, *counts)).of(Reshape((*leading, *[1] * len(kernel), *counts)).of(shares))
        return Col2Im(self.windows, self.sizes).of(shares)


@functools.lru_cache(maxsize=4)
def _starts(windows: Windows, sizes: tuple[int, ...]) -> tuple[Array, Array]:
    """In dimensions of these sizes, seen as one: where windows start, and how far from there each element is."""
    starts = within = np.zeros((), np.int64)
    spans = zip(sizes, windows.counts(sizes), windows.kernel, windows.stride, windows.pads, strict=True)
    for size, count, k, stride, (before, _) in spans:
        starts = np.add.outer(starts * size, np.arange(count) * stride - before)
        within = np.add.outer(within * size, np.arange(k))
    return starts, within


def _largest(windows: Windows, x: Array, y: Array) -> Array:
    """For each window the number of the first place at which the largest element, `y`, is."""
    if np.isnan(y).any():
        x, y = [np.where(np.isnan(each), each.dtype.type(np.inf), each) for each in (x, y)]
    if windows.few(x.size):
        dims = len(windows.kernel)
        leading, kernel = range(x.ndim - dims), range(x.ndim - dims, x.ndim)
        by_window = windows.view(x).transpose(*leading, *range(x.ndim, x.ndim + dims), *kernel)
        return by_window.reshape(*y.shape, math.prod(windows.kernel)).argmax(axis=-1)
    places = list(enumerate(windows.places()))
    kind: Any = np.min_scalar_type(len(places)).type
    found = np.zeros(y.shape, kind)
    # The padding is nan, which equals nothing.
    view = windows.view(x, np.nan)
    for number, place in places:
        # The first place has the highest number; to assign at the places of a mask would take ten times as long.
        np.maximum(found, (view[place] == y) * kind(len(places) - number), out=found)
    return len(places) - found


@functools.lru_cache(maxsize=4)
def _covering(sizes: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[Windows, Array]:
    """As many windows, side by side, as are `wanted`, and the places of their elements in dimensions of these sizes.

    Windows of different sizes become equal by repeating the last element of the smaller ones.
    """
    pairs = [bounds(size, count) for size, count in zip(sizes, wanted, strict=True)]
    kernel = tuple([int((ends - starts).max()) for starts, ends in pairs])
    spans = zip(pairs, kernel, strict=True)
    tables = [np.minimum(s[:, None] + np.arange(k), e[:, None] - 1).reshape(-1) for (s, e), k in spans]
    return Windows(kernel, kernel, (1,) * len(kernel), ((0, 0),) * len(kernel)), places_of(tables, sizes)


@functools.lru_cache(maxsize=64)
def _divisors(windows: Windows, sizes: tuple[int, ...], counted: bool) -> Array:
    """How many elements each window has, those that pad the input included if they are `counted`."""
    if counted:
        # Elements of a last window that lie beyond the padding do not count.
        sizes = tuple([size + 2 * before for size, (before, _) in zip(sizes, windows.pads, strict=True)])
        windows = windows._replace(pads=tuple([(0, after - before) for before, after in windows.pads]))
    counts = windows.combined(np.add, windows.view(np.ones(sizes, np.float32)))
    # One number, if that is that of all windows, is divided by in less time.
    return counts if (counts != counts.flat[0]).any() else np.asarray(counts.flat[0])


# ---- the functions ---------------------------------------------------------------------------------------------------


@functools.cache
def _form(name: str, dims: int) -> str:
    """The name of the node in PyTorch; for one dimension, that of the last step there, which removes a dimension."""
    return "SqueezeBackward1" if dims == 1 else f"{name.format(f'{dims}D')}Backward0"


@of_each_rank
def _declare_pooling(dims: int) -> None:
    """`max_pool1d` and `avg_pool1d`, or those of 2 or 3 dimensions."""

    @op("nn.functional", name=f"max_pool{dims}d")
    def max_pool(
        input: Tensor,
        kernel_size: PerDim,
        stride: PerDim | None = None,
        padding: PerDim = 0,
        dilation: PerDim = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Tensor:
        """The largest element of each window of `input`, `(N, C, *)` or `(C, *)`.

        Windows of `kernel_size` start `stride` apart (if None, they are side by side), in an input that is padded by
        what is less than all elements.  With `ceil_mode` a last window may reach beyond the end.  A `dilation` other
        than 1 and `return_indices` are refused.

        >>> import minigrad as torch
        >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0, 9.0]]), 2)
        tensor([[5., 3.]])
        """
        if return_indices or max(per_dim("dilation", dilation, dims)) > 1:
            raise NotImplementedError("dilation and return_indices: the windows of F.unfold have an amax and an argmax")
        windows = _windows(f"max_pool{dims}d", input, dims, kernel_size, stride, padding, ceil_mode)
        return MaxPool(windows, _form("MaxPool{}WithIndices", dims)).of(input)

    @op("nn.functional", name=f"avg_pool{dims}d")
    def avg_pool(
        input: Tensor,
        kernel_size: PerDim,
        stride: PerDim | None = None,
        padding: PerDim = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Tensor:
        """The mean of each window of `input`, `(N, C, *)` or `(C, *)`: see `max_pool2d`; it is padded by zeros.

        They count as elements unless told otherwise.

        >>> import minigrad as torch
        >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0, 9.0]]), 2)
        tensor([[3.0000, 2.5000]])
        """
        windows = _windows(f"avg_pool{dims}d", input, dims, kernel_size, stride, padding, ceil_mode)
        divisors = _divisors(windows, input._array.shape[-dims:], count_include_pad)
        return AvgPool(windows, divisors, _form("AvgPool{}", dims)).of(input)


@of_each_rank
def _declare_adaptive_pooling(dims: int) -> None:
    """`adaptive_max_pool1d` and `adaptive_avg_pool1d`, or those of 2 or 3 dimensions."""

    @op("nn.functional", name=f"adaptive_max_pool{dims}d")
    def adaptive_max_pool(input: Tensor, output_size: PerDim | None) -> Tensor:
        """The largest elements of as many windows as `adaptive_avg_pool2d` has."""
        sizes, wanted = input._array.shape[-dims:], _wanted(f"adaptive_max_pool{dims}d", input, dims, output_size)
        windows, places = _covering(sizes, wanted)
        # If the windows are all of one size, no element has to be repeated.
        x = picked(input, places) if any(map(mod, sizes, wanted)) else input
        return MaxPool(windows, _form("AdaptiveMaxPool{}", dims)).of(x)

    @op("nn.functional", name=f"adaptive_avg_pool{dims}d")
    def adaptive_avg_pool(input: Tensor, output_size: PerDim | None) -> Tensor:
        """The means of windows of `input`, `(N, C, *)` or `(C, *)`, that cover it, of which there are `output_size`.

        Window i of n starts at `i * size // n` and ends before `(i + 1) * size / n`.  A None in `output_size` keeps a
        dimension as it is.

        >>> import minigrad as torch
        >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)
        tensor([[2., 4.]])
        """
        wanted = _wanted(f"adaptive_avg_pool{dims}d", input, dims, output_size)
        if dims > 1 and set(wanted) == {1}:
            return mean(input, tuple(range(-dims, 0)), keepdim=True)
        means = [_means(size, count) for size, count in zip(input._array.shape[-dims:], wanted, strict=True)]
        return Resample(means, _form("AdaptiveAvgPool{}", dims)).of(input)


def _windows(name: str, input: Tensor, dims: int, kernel: Any, stride: Any, padding: Any, ceil_mode: bool) -> Windows:
    """The windows of a pooling, or PyTorch's error if there are none."""
    _check_input(name, input, dims)
    kernel, stride = per_dim("kernel_size", kernel, dims), per_dim("stride", kernel if stride is None else stride, dims)
    padding = per_dim("padding", padding, dims)
    return _fitting(input._array.shape[-dims:], kernel, stride, padding, index(ceil_mode))


@functools.lru_cache(maxsize=64)
def _fitting(
    sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...], ceil_mode: bool
) -> Windows:
    """The windows along dimensions of these sizes; cached, since finding them takes longer than pooling a few."""
    if any([pad > k // 2 for pad, k in zip(padding, kernel, strict=True)]):
        raise RuntimeError(f"pad should be at most half of effective kernel size, but got {padding=}, {kernel=}")
    pads = []
    for size, k, step, pad in zip(sizes, kernel, stride, padding, strict=True):
        count = (size + 2 * pad - k + (step - 1) * ceil_mode) // step + 1
        # The last window starts within the input or the padding before it.
        count -= ceil_mode and (count - 1) * step >= size + pad
        pads.append((pad, (count - 1) * step + k - size - pad))
    return Windows(kernel, stride, (1,) * len(kernel), tuple(pads))


def _wanted(name: str, input: Tensor, dims: int, output_size: Any) -> tuple[int, ...]:
    """The sizes that an adaptive pooling is to make."""
    _check_input(name, input, dims)
    given = (None,) * dims if output_size is None else output_size
    if isinstance(given, Sequence):
        given = [input._array.shape[at - dims] if each is None else each for at, each in enumerate(given)]
    return per_dim("output_size", given, dims, spread=False)


def _check_input(name: str, input: Tensor, dims: int) -> None:
    """Raise PyTorch's error unless the input is `(N, C, *)` or `(C, *)`, of floating-point numbers."""
    if input._array.ndim - dims not in (1, 2) or 0 in input._array.shape[-dims - 1 :]:
        ranks = f"{dims + 1}D or {dims + 2}D (batch mode) tensor"
        raise RuntimeError(f"{name}: Expected {ranks} with optional 0 dim batch size, but got:{list(input.shape)}")
    if not input.is_floating_point() or (name == "avg_pool3d" and input._array.dtype in HALVES):
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype._tensor_name}': x.float()")


# ---- interpolation ---------------------------------------------------------------------------------------------------


class Resample(Unary):
    """`x` with a matrix `(O, I)` applied to the lines along each of its last dimensions: sizes I become O."""

    formulas = ("dx = Resample(g), by the transposed matrices",)
    matrices: Sequence[Array]
    form: str

    def forward(self, x: Array) -> Array:
        y = widened(x)
        # (Large numbers, whose squares are inf, only take the slower way.)
        finite = math.isfinite(np.vdot(y, y))
        for dim, matrix in enumerate(self.matrices, x.ndim - len(self.matrices)):
            lines, matrix = y.swapaxes(dim, -1), matrix.astype(y.dtype, copy=False)
            y = lines @ matrix.T
            if not finite:
                # The matrix spreads an inf over its line, as 0 * inf is nan.
                spoilt = ~np.isfinite(y[..., 0])
                y[spoilt] = np.stack([lines[spoilt][:, row != 0] @ row[row != 0] for row in matrix], -1)
            y = y.swapaxes(dim, -1)
        return np.ascontiguousarray(y).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Resample([matrix.T for matrix in self.matrices], self.form).of(g)


# The modes that draw lines between neighbours, by the number of dimensions.
_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


@op("nn.functional")
def interpolate(
    input: Tensor,
    size: Sequence[int] | int | None = None,
    scale_factor: Sequence[float] | float | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """`input`, `(N, C, *)`, with its last dimensions of another `size`, or `scale_factor` times as large.

    The mode "nearest" repeats elements or leaves some out; "linear" (of images "bilinear", of volumes "trilinear")
    draws lines between neighbours, through the middle of the first and of the last element, if `align_corners`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> F.interpolate(x, scale_factor=2), F.interpolate(x, size=3, mode="linear", align_corners=True)
    (tensor([[[1., 1., 3., 3.]]]), tensor([[[1., 2., 3.]]]))
    """
    dims, sizes = input.ndim - 2, input.shape[2:]
    if dims not in _LINEAR or mode not in ("nearest", _LINEAR[dims]) or recompute_scale_factor or antialias:
        problem = f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes"
        modes = "nearest | linear | bilinear | trilinear, one for each, without recompute_scale_factor and antialias"
        raise NotImplementedError(f"{problem}: {modes} (got {mode}): for means there is F.adaptive_avg_pool2d")
    if align_corners is not None and mode == "nearest":
        raise ValueError("align_corners option can only be set with the interpolating modes, linear to trilinear")
    wanted, scales = _scaled(sizes, size, scale_factor)
    if min(wanted) < 1 or min(sizes) < 1:
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got {list(sizes)}, {wanted}")
    check_floating(f"upsample_{mode}{dims}d", input)
    form = f"Upsample{mode.title()}{dims}DBackward0"
    if mode == "nearest":
        return picked(input, _nearest(sizes, wanted, scales), form)
    kind: Any = np.result_type(input._array.dtype, np.float32).type
    lines = [_lines(i, o, scale, align_corners, kind) for i, o, scale in zip(sizes, wanted, scales, strict=True)]
    return Resample(lines, form).of(input)


def _scaled(
    sizes: Sequence[int], size: Sequence[int] | int | None, factor: Sequence[float] | float | None
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """The sizes wanted, and the factors, where they are given."""
    given: Any = factor if size is None else size
    each = tuple(given) if isinstance(given, Sequence) else (given,) * len(sizes)
    if (size is None) == (factor is None) or len(each) != len(sizes):
        expected = f"either size or scale_factor should be defined, one number or one for each of {len(sizes)}"
        raise ValueError(f"{expected}: got size={size}, scale_factor={factor}")
    if size is not None:
        return ints(each), (None,) * len(sizes)
    return tuple([int(old * one) for old, one in zip(sizes, each, strict=True)]), each


@functools.lru_cache(maxsize=4)
def _nearest(sizes: tuple[int, ...], wanted: tuple[int, ...], scales: tuple[float | None, ...]) -> Array:
    """Which elements of dimensions of these sizes the new ones are."""
    tables = []
    for size, count, scale in zip(sizes, wanted, scales, strict=True):
        # Of an image PyTorch keeps a size that stays as it is, whatever the scale.
        kept = size == count and len(sizes) == 2
        ratio = np.float32(size / count if scale is None or kept else 1 / scale)
        tables.append(np.minimum((np.arange(count, dtype=np.float32) * ratio).astype(np.int64), size - 1))
    return places_of(tables, sizes)


@functools.lru_cache(maxsize=64)
def _lines(size: int, wanted: int, scale: float | None, align_corners: bool | None, kind: Any) -> Array:
    """The matrix that makes each new element of the two old ones that it lies between."""
    new: Array = np.arange(wanted, dtype=kind)
    if align_corners:
        at = new * kind((size - 1) / (wanted - 1) if wanted > 1 else 0)
    else:
        ratio = size / wanted if scale is None or size == wanted else 1 / scale
        at = np.maximum((new + kind(0.5)) * kind(ratio) - kind(0.5), 0)
    low = np.minimum(at.astype(np.int64), size - 1)
    share, high = np.clip(at - low, 0, 1), np.minimum(low + (size != wanted), size - 1)
    matrix: Array = np.zeros((wanted, size), kind)
    for old, part in ((low, 1 - share), (high, share)):
        matrix[np.arange(wanted), old] += part
    return matrix


def bounds(size: int, count: int) -> tuple[Array, Array]:
    """Where each of so many windows, which cover a dimension of that size, starts and ends."""
    number = np.arange(count)
    return number * size // count, -((number + 1) * -size // count)


@functools.lru_cache(maxsize=64)
def _means(size: int, count: int) -> Array:
    """The matrix that makes the means of so many windows, which cover a dimension of that size."""
    starts, ends = [each[:, None] for each in bounds(size, count)]
    inside = (np.arange(size) >= starts) & (np.arange(size) < ends)
    return np.asarray(inside / (ends - starts))


@op("torch", "nn.functional")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """`(*, C * r * r, H, W)` as `(*, C, H * r, W * r)`, r being `upscale_factor`: `r * r` channels are one image.

    >>> import minigrad as torch
    >>> torch.pixel_shuffle(torch.tensor([[[1]], [[2]], [[3]], [[4]]]), 2)
    tensor([[[1, 2],
             [3, 4]]])
    """
    r = upscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-3] % (r * r):
        expected = f"(*, C, H, W) of 'channels' that are divisible by {r * r}, the square of a positive integer"
        raise RuntimeError(f"pixel_shuffle expects {expected}, but got {list(input.shape)}")
    *leading, channels, height, width = input._array.shape
    n, shape = len(leading), (*leading, channels // (r * r), r, r, height, width)
    # The result is a copy, even if the elements are in order already.
    # (Nobody else sees the steps before, so they are not registered as views.)
    apart = Unary.of(Reshape(shape), input)
    turned = Clone("C").of(Unary.of(Permute((*range(n + 1), n + 3, n + 1, n + 4, n + 2)), apart))
    shape = (*leading, channels // (r * r), height * r, width * r)
    return Unary.of(Reshape(shape, "PixelShuffleBackward0"), turned)
