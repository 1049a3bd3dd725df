"""Pooling: of each window its largest element or its mean; adaptive, of as many windows as are asked for."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import FLOATS, HALVES, Array, dtype, int8, int16, int32, int64, uint8
from minigrad.core.elementwise import masked
from minigrad.core.shapes import Expand
from minigrad.core.tape import Unary, quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.indexing import Index
from minigrad.ops.resampling import averaged, bounds
from minigrad.ops.windows import Col2Im, PerDim, Windows, per_dim


class MaxPool(Unary):
    """`y[…, p]` is the largest element of window p of `x`; nan is larger than all others."""

    formulas = ("dx = Col2Im of g at the largest element of each window, of several the first, and 0 elsewhere",)
    windows: Windows
    form: str

    def forward(self, x: Array) -> Array:
        lowest = -np.inf if x.dtype in FLOATS else np.iinfo(x.dtype).min
        view, dims = self.windows.view(x, lowest), len(self.windows.kernel)
        if self.windows.few(x.size):
            return np.ascontiguousarray(view.max(axis=tuple(range(-2 * dims, -dims))))
        first, *others = self.windows.places()
        y = view[first].copy()
        for place in others:
            np.maximum(y, view[place], out=y)
        return y

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        kernel = self.windows.kernel
        # The output, which an activation in place may overwrite, is not kept: it is found again.
        largest = _largest(self.windows, x._array, quiet().run(self.forward, x._array))
        numbers = np.arange(math.prod(kernel)).reshape(*kernel, *[1] * len(kernel))
        g = masked(_to_each(g, self.windows), _before_places(largest, kernel) == numbers)
        return Col2Im(self.windows, x._array.shape[-len(kernel) :], self.form.replace("d0", "dBackward0"))(g)


class AvgPool(Unary):
    """`y[…, p]` is the sum of window p of `x`, over `divisors[p]`."""

    formulas = ("dx = Col2Im of g / divisors at each element of a window",)
    windows: Windows
    divisors: Array
    form: str

    def forward(self, x: Array) -> Array:
        self.sizes = x.shape[-len(self.windows.kernel) :]
        view, (first, *others) = self.windows.view(widened(x)), self.windows.places()
        y = view[first].copy()
        for place in others:
            y += view[place]
        return (y / self.divisors).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        shares = _to_each(g / g._new(self.divisors.astype(g._array.dtype)), self.windows)
        return Col2Im(self.windows, self.sizes, self.form.replace("d0", "dBackward0"))(shares)


def _before_places(y: Any, kernel: Sequence[int]) -> Any:
    """`y`, with an element per window, with dimensions of size 1 where windows have those of the kernel."""
    dims, shape = len(kernel), (y._array if isinstance(y, Tensor) else y).shape
    return y.reshape((*shape[:-dims], *[1] * dims, *shape[-dims:]))


def _to_each(g: Tensor, windows: Windows) -> Tensor:
    """`g`, with an element per window, for each place in it."""
    dims, shape = len(windows.kernel), g._array.shape
    return Expand((*shape[:-dims], *windows.kernel, *shape[-dims:]))(_before_places(g, windows.kernel))


def _largest(windows: Windows, x: Array, y: Array) -> Array:
    """The number of the place in each window of its largest element `y`: of several the first, of nans the last."""
    has_nan = np.isnan(y).any()
    if windows.few(x.size) and not has_nan:
        dims = len(windows.kernel)
        leading, kernel = range(x.ndim - dims), range(x.ndim - dims, x.ndim)
        by_window = windows.view(x).transpose(*leading, *range(x.ndim, x.ndim + dims), *kernel)
        return by_window.reshape(*y.shape, math.prod(windows.kernel)).argmax(axis=-1)
    places = list(enumerate(windows.places()))
    found = np.zeros(y.shape, np.min_scalar_type(len(places)))
    # What pads x is nan, equal to nothing; of integers, which have no nan, it has to be left out.
    whole = x.dtype not in FLOATS
    view = windows.view(x, 0 if whole else np.nan)
    inside = windows.view(np.ones(x.shape[-len(windows.kernel) :], bool)) if whole else view
    for number, place in reversed(places):
        equal = view[place] == y
        np.copyto(found, number, where=equal & inside[place] if whole else equal)
    if has_nan:
        nans = windows.view(np.isnan(x))
        for number, place in places:
            np.copyto(found, number, where=nans[place])
    return found


def _indices(windows: Windows, x: Array, y: Array) -> Array:
    """Where the largest element of each window is in `x`, whose last dimensions count as one."""
    dims = len(windows.kernel)
    within = np.unravel_index(_largest(windows, x, y), windows.kernel)
    steps = np.ogrid[tuple([slice(count) for count in y.shape[-dims:]])]
    spans = zip(steps, windows.stride, within, windows.dilation, windows.pads, strict=True)
    at = [p * stride + k * dilation - before for p, stride, k, dilation, (before, _) in spans]
    return np.ravel_multi_index(at, x.shape[-dims:])


@functools.lru_cache(maxsize=64)
def _covering(sizes: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[Windows, list[Array]]:
    """So many windows that cover dimensions of these sizes, and for each dimension which elements lie in them in turn.

    Windows whose sizes differ become equal if the last element of the smaller ones is repeated.
    """
    pairs = [bounds(size, count) for size, count in zip(sizes, wanted, strict=True)]
    kernel = tuple([int((ends - starts).max()) for starts, ends in pairs])
    spans = zip(pairs, kernel, strict=True)
    tables = [np.minimum(s[:, None] + np.arange(k), e[:, None] - 1).reshape(-1) for (s, e), k in spans]
    return Windows(kernel, kernel, (1,) * len(kernel), ((0, 0),) * len(kernel)), tables


@functools.lru_cache(maxsize=64)
def _divisors(windows: Windows, sizes: tuple[int, ...], counted: bool) -> Array:
    """How many elements each window has, those that pad the input included if they are `counted`."""
    spans = zip(windows.counts(sizes), windows.kernel, windows.stride, sizes, windows.pads, strict=True)
    numbers = []
    for count, kernel, stride, size, (before, _) in spans:
        starts, more = np.arange(count) * stride - before, before * counted
        numbers.append(np.minimum(starts + kernel, size + more) - np.maximum(starts, -more))
    return functools.reduce(np.multiply.outer, numbers).astype(np.float32)


# ---- the functions ---------------------------------------------------------------------------------------------------


def _declare(dims: int) -> None:
    """`max_pool2d`, `avg_pool2d`, `adaptive_max_pool2d` and `adaptive_avg_pool2d`, or those of 1 or 3 dimensions."""
    alone = ["torch"] if dims == 1 else []

    def form(name: str) -> str:
        return "SqueezeBackward1" if dims == 1 else f"{name.format(f'{dims}D')}Backward0"

    @op("nn.functional", name=f"max_pool{dims}d")
    def max_pool(
        input: Tensor,
        kernel_size: PerDim,
        stride: PerDim | None = None,
        padding: PerDim = 0,
        dilation: PerDim = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """The largest element of each window of `input`, `(N, C, *)` or `(C, *)`, and with `return_indices` its index.

        Windows of `kernel_size` start `stride` apart (if None, they are side by side), in an input that is padded by
        what is less than all elements; neighbours in a window are `dilation` apart.  With `ceil_mode` a last window may
        reach beyond the end.  An index counts all dimensions after the channels as one.

        >>> import minigrad as torch
        >>> torch.nn.functional.max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0, 9.0]]), 2)
        tensor([[5., 3.]])
        """
        _check_input(f"max_pool{dims}d", input, dims, (int64, int32, int16, int8, uint8) if dims > 1 else ())
        windows = _windows(input, dims, kernel_size, stride, padding, dilation, ceil_mode)
        y = MaxPool(windows, form("MaxPool{}WithIndices"))(input)
        return (y, input._new(_indices(windows, input._array, y._array))) if return_indices else y

    @op("nn.functional", *alone, name=f"avg_pool{dims}d")
    def avg_pool(
        input: Tensor,
        kernel_size: PerDim,
        stride: PerDim | None = None,
        padding: PerDim = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """The mean of each window of `input`, `(N, C, *)` or `(C, *)`: see `max_pool2d`; it is padded by zeros.

        They count as elements unless told otherwise; `divisor_override` takes the place of the number of elements.

        >>> import minigrad as torch
        >>> torch.nn.functional.avg_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0, 9.0]]), 2)
        tensor([[3.0000, 2.5000]])
        """
        _check_input(f"avg_pool{dims}d", input, dims, (int64,))
        windows = _windows(input, dims, kernel_size, stride, padding, 1, ceil_mode)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        divisors = divisor_override or _divisors(windows, input._array.shape[-dims:], count_include_pad)
        return AvgPool(windows, np.asarray(divisors), form("AvgPool{}"))(input)

    @op("nn.functional", name=f"adaptive_max_pool{dims}d")
    def adaptive_max_pool(input: Tensor, output_size: PerDim | None, return_indices: bool = False) -> Any:
        """The largest elements of as many windows as `adaptive_avg_pool2d` has, and with `return_indices` where."""
        sizes, wanted = input.shape[-dims:], _wanted(f"adaptive_max_pool{dims}d", input, dims, output_size)
        windows, tables = _covering(sizes, wanted)
        x = input
        for dim, table, size, count in zip(range(-dims, 0), tables, sizes, wanted, strict=True):
            if size % count:
                x = Index((input.ndim + dim,))(x, x._new(table))
        y = MaxPool(windows, form("AdaptiveMaxPool{}"))(x)
        if not return_indices:
            return y
        at = np.unravel_index(_indices(windows, x._array, y._array), x.shape[-dims:])
        places = [table[each] for table, each in zip(tables, at, strict=True)]
        return y, input._new(np.ravel_multi_index(places, sizes))

    @op("nn.functional", *alone, name=f"adaptive_avg_pool{dims}d")
    def adaptive_avg_pool(input: Tensor, output_size: PerDim | None) -> Tensor:
        """The means of windows of `input`, `(N, C, *)` or `(C, *)`, that cover it, of which there are `output_size`.

        Window i of n starts at `i * size // n` and ends before `(i + 1) * size / n`.  A None in `output_size` keeps a
        dimension as it is.

        >>> import minigrad as torch
        >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)
        tensor([[2., 4.]])
        """
        return averaged(input, _wanted(f"adaptive_avg_pool{dims}d", input, dims, output_size))


for _dims in (1, 2, 3):
    _declare(_dims)


def _windows(
    input: Tensor, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Windows:
    """The windows of a pooling, or PyTorch's error if there are none."""
    kernel, stride = per_dim("kernel_size", kernel, dims), per_dim("stride", kernel if stride is None else stride, dims)
    padding, dilation = per_dim("padding", padding, dims), per_dim("dilation", dilation, dims)
    return _fitting(input._array.shape[-dims - 1 :], (kernel, stride, padding, dilation), ceil_mode)


@functools.lru_cache(maxsize=64)
def _fitting(shape: tuple[int, ...], spans: tuple[tuple[int, ...], ...], ceil_mode: bool) -> Windows:
    """The windows of an input of that shape, channels first, found once: that takes longer than to pool a few."""
    kernel, stride, padding, dilation = spans
    if min(*kernel, *stride, *dilation) < 1:
        raise RuntimeError(f"kernel size should be greater than zero, as {stride=} and {dilation=}, but got {kernel=}")
    if any([not 0 <= pad <= k // 2 for pad, k in zip(padding, kernel, strict=True)]):
        raise RuntimeError(f"pad should be at most half of effective kernel size, but got {padding=}, {kernel=}")
    (channels, *sizes), pads = shape, []
    for size, k, step, d, pad in zip(sizes, kernel, stride, dilation, padding, strict=True):
        span = d * (k - 1) + 1
        count = (size + 2 * pad - span + (step - 1) * ceil_mode) // step + 1
        # The last window starts in what is there, or before it.
        count -= ceil_mode and (count - 1) * step >= size + pad
        pads.append((pad, (count - 1) * step + span - size - pad))
    windows = Windows(kernel, stride, dilation, tuple(pads))
    if min(windows.counts(sizes)) < 1:
        found = f"Given input size: {shape}. Calculated output size: {(channels, *windows.counts(sizes))}."
        raise RuntimeError(f"{found} Output size is too small")
    return windows


def _wanted(name: str, input: Tensor, dims: int, output_size: Any) -> tuple[int, ...]:
    """The sizes that an adaptive pooling is to make."""
    _check_input(name, input, dims)
    given = output_size if isinstance(output_size, Sequence) else [output_size] * dims
    if len(given) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}, an int or None for each dimension")
    sizes = [size if each is None else each for size, each in zip(input.shape[-dims:], given, strict=True)]
    if min(sizes) < 1:
        raise RuntimeError(f"{name}: elements of output_size must be greater than 0 but received {sizes}")
    return per_dim("output_size", sizes, dims)


def _check_input(name: str, input: Tensor, dims: int, integers: tuple[dtype, ...] = ()) -> None:
    """Nothing for an input `(N, C, *)` or `(C, *)` of floating-point numbers, or of these integers."""
    if input._array.ndim - dims not in (1, 2) or 0 in input._array.shape[-dims - 1 :]:
        ranks = f"{dims + 1}D or {dims + 2}D (batch mode) tensor"
        raise RuntimeError(f"{name}: Expected {ranks} with optional 0 dim batch size, but got:{list(input.shape)}")
    half_volume = name == "avg_pool3d" and input._array.dtype in HALVES
    if half_volume or not (input.is_floating_point() or input.dtype in integers):
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype._tensor_name}': x.float()")
