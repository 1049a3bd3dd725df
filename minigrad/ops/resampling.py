"""Resampling: other numbers of elements along dimensions, as a matrix along each."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import widened
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Clone
from minigrad.core.shapes import Permute, Reshape
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops import casting
from minigrad.ops.indexing import Index
from minigrad.ops.reductions import mean


class Resample(Unary):
    """`x` with a matrix `(O, I)` applied to the lines along each of its last dimensions: sizes I become O."""

    formulas = ("dx = Resample(g), by the transposed matrices",)
    matrices: Sequence[Array]
    form: str

    def forward(self, x: Array) -> Array:
        y = widened(x)
        for dim, matrix in enumerate(self.matrices, x.ndim - len(self.matrices)):
            y = (y.swapaxes(dim, -1) @ matrix.T.astype(y.dtype, copy=False)).swapaxes(dim, -1)
        return np.ascontiguousarray(y).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        form = self.form.replace("Backward0", "BackwardBackward0")
        return Resample([matrix.T for matrix in self.matrices], form)(g)


# The modes that draw lines between neighbours, by the number of dimensions.
_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
_MODES = "nearest | linear | bilinear | trilinear | area | nearest-exact"


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
    draws lines between neighbours, through the middle of the first and of the last element, if `align_corners`; "area"
    takes means.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> F.interpolate(x, scale_factor=2), F.interpolate(x, size=3, mode="linear", align_corners=True)
    (tensor([[[1., 1., 3., 3.]]]), tensor([[[1., 2., 3.]]]))
    """
    dims, sizes = input.ndim - 2, input.shape[2:]
    if antialias:
        raise NotImplementedError("antialias is not supported: F.avg_pool2d before it takes means of neighbours")
    if mode in ("bicubic", "lanczos"):
        raise NotImplementedError(f"the mode {mode} is not supported: bilinear draws lines between neighbours")
    if dims not in _LINEAR or mode not in _MODES.split(" | "):
        found = f"(got {input.ndim}D) for the modes: {_MODES} (got {mode})"
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported {found}")
    if mode in _LINEAR.values() and mode != _LINEAR[dims]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs another: it is {_LINEAR[dims]} here")
    if align_corners is not None and mode not in _LINEAR.values():
        raise ValueError("align_corners option can only be set with the interpolating modes, linear to trilinear")
    wanted, scales = _scaled(sizes, size, scale_factor)
    if recompute_scale_factor:
        scales = [None] * dims
    if min(wanted) < 1 or min(sizes) < 1:
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got {list(sizes)}, {wanted}")
    if mode == "area":
        return averaged(input, wanted)
    if not input.is_floating_point() and not (input.dtype is dtypes.uint8 and "nearest" in mode):
        casting.check_floating(f"upsample_{mode}{dims}d", input)
    name = "".join([word.capitalize() for word in mode.split("-")])
    form = f"Upsample{name}{dims}DBackward0"
    if "nearest" in mode:
        shift = 0.5 if mode == "nearest-exact" else 0
        for dim, (old, new, scale) in enumerate(zip(sizes, wanted, scales, strict=True), 2):
            input = Index((dim,), form)(input, input._new(_nearest(old, new, scale, shift)))
        return input
    kind: Any = np.result_type(input._array.dtype, np.float32).type
    lines = [_lines(i, o, scale, align_corners, kind) for i, o, scale in zip(sizes, wanted, scales, strict=True)]
    return Resample(lines, form)(input)


def _scaled(
    sizes: Sequence[int], size: Sequence[int] | int | None, factor: Sequence[float] | float | None
) -> tuple[list[int], list[float | None]]:
    """The sizes wanted, and the factors, where they are given."""
    if (size is None) == (factor is None):
        few = "either size or scale_factor" if size is None else "only one of size or scale_factor"
        raise ValueError(f"{few} should be defined")
    given: Any = factor if size is None else size
    each = list(given) if isinstance(given, Sequence) else [given] * len(sizes)
    if len(each) != len(sizes):
        what = "scale_factor" if size is None else "output"
        raise ValueError(f"Input and {what} must have the same number of spatial dimensions: {sizes} and {given}")
    if size is not None:
        return [index(one) for one in each], [None] * len(sizes)
    return [int(old * one) for old, one in zip(sizes, each, strict=True)], each


@functools.lru_cache(maxsize=64)
def _nearest(size: int, wanted: int, scale: float | None, shift: float) -> Array:
    """Which element each of the new ones is."""
    ratio = np.float32(size / wanted if scale is None else 1 / scale)
    return np.minimum(((np.arange(wanted, dtype=np.float32) + np.float32(shift)) * ratio).astype(np.int64), size - 1)


@functools.lru_cache(maxsize=64)
def _lines(size: int, wanted: int, scale: float | None, align_corners: bool | None, kind: Any) -> Array:
    """The matrix of the new elements: of each the shares of the two old ones that it lies between."""
    new: Array = np.arange(wanted, dtype=kind)
    if align_corners:
        at = new * kind((size - 1) / (wanted - 1) if wanted > 1 else 0)
    else:
        at = np.maximum((new + kind(0.5)) * kind(size / wanted if scale is None else 1 / scale) - kind(0.5), 0)
    low = np.minimum(at.astype(np.int64), size - 1)
    share = np.clip(at - low, 0, 1)
    matrix: Array = np.zeros((wanted, size), kind)
    matrix[range(wanted), low] = 1 - share
    matrix[range(wanted), np.minimum(low + 1, size - 1)] += share
    return matrix


def averaged(input: Tensor, wanted: Sequence[int]) -> Tensor:
    """The means of so many windows along the last dimensions, which cover them and are as equal as can be."""
    dims = len(wanted)
    if dims > 1 and set(wanted) == {1}:
        return mean(input, tuple(range(-dims, 0)), keepdim=True)
    means = [_means(size, count) for size, count in zip(input.shape[-dims:], wanted, strict=True)]
    return Resample(means, "SqueezeBackward1" if dims == 1 else f"AdaptiveAvgPool{dims}DBackward0")(input)


def bounds(size: int, count: int) -> tuple[Array, Array]:
    """Where each of so many windows, which cover a dimension of that size, starts and ends."""
    number = np.arange(count)
    return number * size // count, -((number + 1) * -size // count)


@functools.lru_cache(maxsize=64)
def _means(size: int, count: int) -> Array:
    starts, ends = bounds(size, count)
    inside = (np.arange(size) >= starts[:, None]) & (np.arange(size) < ends[:, None])
    return inside / (ends - starts)[:, None]


@op("torch", "nn.functional")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """`(*, C * r * r, H, W)` as `(*, C, H * r, W * r)`, r being `upscale_factor`: `r * r` channels are one image.

    >>> import minigrad as torch
    >>> torch.pixel_shuffle(torch.tensor([[[1]], [[2]], [[3]], [[4]]]), 2)
    tensor([[[1, 2],
             [3, 4]]])
    """
    r = upscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_shuffle expects input to have at least 3 dimensions, but it has {input.ndim}")
    *leading, channels, height, width = input.shape
    if r < 1 or channels % (r * r):
        raise RuntimeError(f"pixel_shuffle expects its input's 'channel' dimension to be divisible by {r * r}")
    n, shape = len(leading), (*leading, channels // (r * r), r, r, height, width)
    # The result is a copy, also of what lies in order as it is.
    turned = Clone("C")(Permute((*range(n + 1), n + 3, n + 1, n + 4, n + 2))(Reshape(shape)(input)))
    return Reshape((*leading, channels // (r * r), height * r, width * r), "PixelShuffleBackward0")(turned)
