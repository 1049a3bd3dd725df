"""Padding at the ends of dimensions, and windows that slide along them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import product
from operator import index
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import Array, Number
from minigrad.core.shapes import Reshape, strided
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops import arguments
from minigrad.ops.indexing import Index

# ---- padding ---------------------------------------------------------------------------------------------------------


class ConstantPad(Unary):
    """`x` with `before` and `after` copies of `value` at the ends of its last dimensions, or cut off if negative."""

    form = "ConstantPadNdBackward0"
    formulas = ("dx = g with the opposite done to it: cut off what was added, zeros for what was cut off",)
    pads: Sequence[tuple[int, int]]
    value: Array

    def forward(self, x: Array) -> Array:
        return padded(x, self.pads, self.value)

    def dx(self, g: Tensor) -> Tensor:
        return ConstantPad(opposite(self.pads), np.zeros(()))(g)


def padded(x: Array, pads: Sequence[tuple[int, int]], value: Any = 0) -> Array:
    """`x` with `before` and `after` copies of `value` at the ends of its last dimensions, or cut off if negative."""
    shape: list[int] = list(x.shape)
    inner: list[Any] = []
    whole: list[Any] = []
    for dim, (before, after) in enumerate(pads, x.ndim - len(pads)):
        whole.append(slice(max(-before, 0), shape[dim] - max(-after, 0)))
        shape[dim] += before + after
        inner.append(slice(max(before, 0), shape[dim] - max(after, 0)))
    y = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    y[(..., *inner)] = x[(..., *whole)]
    return y


def opposite(pads: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What cuts off as much as these add, and the other way round."""
    return [(-before, -after) for before, after in pads]


@op("nn.functional")
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Number | None = None) -> Tensor:
    """`input` with elements added at the ends of its last dimensions, or cut off where `pad` is negative.

    `pad` is `(before, after)` for the last dimension, then for the one before it, and so on.  What is added is
    `value` (0 if None) in the mode "constant"; in the others it is repeated, for a given number of dimensions:
    "reflect" mirrors at the outermost element, "replicate" repeats that one, "circular" starts again from the other
    end.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> x = torch.tensor([[1, 2, 3]])
    >>> F.pad(x, (2, 1)), F.pad(x, (2, 1), "reflect")
    (tensor([[0, 0, 1, 2, 3, 0]]), tensor([[3, 2, 1, 2, 3, 2]]))
    """
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after for each dimension, got {pad}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension")
    pads = list(zip(pad[::2], pad[1::2], strict=True))
    if mode == "constant":
        for size, (before, after) in zip(reversed(input._array.shape), pads, strict=False):
            if max(-before, -after, -before - after) > size:
                raise RuntimeError("narrow(): length must be non-negative: more is cut off than there is")
        return ConstantPad(pads[::-1], arguments.filler(value or 0, input.dtype))(input)
    if mode not in _PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= len(pads) <= 3 or input.ndim - len(pads) not in (1, 2) or min(pad) < 0:
        found = f"Padding of {list(pad)} is not supported for {input.ndim}D input tensor"
        raise NotImplementedError(f"{found}: to cut off in this mode slice the input first")
    kernel = f"{mode.replace('reflect', 'reflection').replace('replicate', 'replication')}_pad{len(pads)}d"
    if input._array.dtype == bool and mode != "circular":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': pad numbers, x.long()")
    name = "CopySlices" if mode == "circular" else f"{kernel.title().replace('_', '')}Backward0"
    y = input
    for dim, (before, after) in zip(range(input.ndim - 1, 0, -1), pads, strict=False):
        size, most = input._array.shape[dim], max(before, after)
        if not size or (mode == "reflect" and most >= size) or (mode == "circular" and most > size):
            problem = "Argument #4: Padding size should be less than the corresponding input dimension"
            raise RuntimeError(f"{problem}, but got: padding {before, after} at dimension {dim} of {list(input.shape)}")
        y = Index((dim,), name)(y, input._new(_padded_places(size, before, after, _PLACES[mode])))
    return y


# What is found of a few ints takes longer than what is then done to a few numbers: it is kept for the next time.
_once = functools.lru_cache(maxsize=64)


@_once
def _padded_places(size: int, before: int, after: int, mode: Any) -> Array:
    """Which elements of a dimension stand in the padded one."""
    return np.pad(np.arange(size), (before, after), mode)


#: NumPy's names of the modes that repeat elements.
_PLACES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


# ---- windows along several dimensions --------------------------------------------------------------------------------

#: What is an int for each of some dimensions, or one for all of them.
PerDim: TypeAlias = Sequence[int] | int


class Windows(NamedTuple):
    """Windows of `kernel` elements that slide over the last dimensions of an array, which is padded at its ends.

    The first of two neighbouring windows starts `stride` elements before the second; neighbours in a window are
    `dilation` elements apart.  Each field has an element for each of the dimensions; of `pads` it is how many elements
    come before and after.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]

    def counts(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """How many windows there are along dimensions of these sizes."""
        spans = zip(sizes, self.kernel, self.stride, self.dilation, self.pads, strict=True)
        return tuple([(sum(pads) + size - d * (k - 1) - 1) // step + 1 for size, k, step, d, pads in spans])

    def sizes(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The smallest sizes along which there are so many windows."""
        spans = zip(counts, self.kernel, self.stride, self.dilation, self.pads, strict=True)
        return tuple([(count - 1) * step + d * (k - 1) + 1 - sum(pads) for count, k, step, d, pads in spans])

    @_once
    def few(self, size: int) -> bool:
        """Whether windows lie side by side in so many elements, so few and large that all places are taken at once."""
        beside = self.kernel == self.stride and max(self.dilation) == 1 and not self._ends()
        return beside and size <= 4 * math.prod(self.kernel) ** 2

    @_once
    def apart(self) -> bool:
        """Whether no element lies in two windows."""
        spans = zip(self.kernel, self.stride, self.dilation, strict=True)
        return all([d * (k - 1) < step for k, step, d in spans])

    def view(self, x: Array, filler: Number = 0) -> Array:
        """`v[…, *k, *p] = x[…, *(p * stride + k * dilation - before)]`: a view of `x`, or of its padded copy."""
        ends = self._ends()
        return self._strided(padded(x, ends, filler) if ends else x, x.shape[-len(self.kernel) :])

    def combined(self, ufunc: np.ufunc, view: Array) -> Array:
        """What `ufunc` makes of the elements of each window, one place after the other, of a `view`."""
        if self.few(view.size):
            return np.ascontiguousarray(ufunc.reduce(view, tuple(range(-2 * len(self.kernel), -len(self.kernel)))))
        first, *others = self.places()
        y: Array = view[first].copy()
        for place in others:
            ufunc(y, view[place], out=y)
        return y

    def add(self, v: Array, sizes: Sequence[int]) -> Array:
        """The adjoint of `view`: `x = 0;  x[…, *(p * stride + k * dilation - before)] += v[…, *k, *p]`."""
        ends, leading = self._ends(), v.shape[: -2 * len(self.kernel)]
        whole = [before + size + after for size, (before, after) in zip(sizes, ends, strict=True)] if ends else sizes
        x = np.zeros((*leading, *whole), v.dtype)
        into = self._strided(x, sizes)
        if self.few(x.size):
            into[...] = v
        else:
            # The elements at one place of all windows are different ones.
            for place in self.places():
                into[place] += v[place]
        return padded(x, opposite(ends)) if ends else x

    @_once
    def places(self) -> list[tuple[Any, ...]]:
        """For each place in a window, in order, the index of what all windows have there in a `view`."""
        every = [slice(None)] * len(self.kernel)
        return [(..., *place, *every) for place in product(*map(range, self.kernel))]

    @_once
    def _ends(self) -> tuple[tuple[int, int], ...]:
        """What pads arrays: not cut off is what no window reaches.  Nothing, if there are zeros."""
        ends = tuple([(before, max(after, 0)) for before, after in self.pads])
        return ends if any(map(any, ends)) else ()

    def _strided(self, x: Array, sizes: Sequence[int]) -> Array:
        return strided(x, *self._layout(x.shape, x.strides, tuple(sizes)))

    @_once
    def _layout(self, shape: tuple[int, ...], strides: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
        leading = len(shape) - len(self.kernel)
        outer, inner = strides[:leading], strides[leading:]
        within = [step * d for step, d in zip(inner, self.dilation, strict=True)]
        between = [step * s for step, s in zip(inner, self.stride, strict=True)]
        return (*shape[:leading], *self.kernel, *self.counts(sizes)), (*outer, *within, *between)


class Im2Col(Unary):
    """All windows of the last dimensions of `x`, side by side: `(…, *kernel, *counts)`."""

    formulas = ("dx = Col2Im(g): where windows overlap, their gradients add up",)
    windows: Windows

    def forward(self, x: Array) -> Array:
        self.sizes = x.shape[-len(self.windows.kernel) :]
        return self.windows.view(x).copy()

    def dx(self, g: Tensor) -> Tensor:
        return Col2Im(self.windows, self.sizes)(g)


class Col2Im(Unary):
    """Windows `(…, *kernel, *counts)`, added up to an array whose last dimensions have these sizes."""

    formulas = ("dx = Im2Col(g)",)
    windows: Windows
    sizes: Sequence[int]
    form: str = "Col2ImBackward0"

    def forward(self, x: Array) -> Array:
        return self.windows.add(widened(x), self.sizes).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Im2Col(self.windows)(g)


@op("nn.functional", name="unfold", kernel="im2col")
def windows_of(
    input: Tensor, kernel_size: PerDim, dilation: PerDim = 1, padding: PerDim = 0, stride: PerDim = 1
) -> Tensor:
    """The windows of images `(N, C, H, W)` or `(C, H, W)` as columns, `(N, C * kernel, windows)`.

    A convolution is a `Linear` on them: see `minigrad.ops.convolution`.

    >>> import minigrad as torch
    >>> torch.nn.functional.unfold(torch.tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
    tensor([[1., 2.],
            [2., 3.]])
    """
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(f"Expected 3D or 4D (batch mode) tensor but got: {list(input.shape)}")
    windows, told = _of_images("im2col", input, kernel_size, dilation, padding, stride)
    counts = windows.counts(input.shape[-2:])
    if min(counts) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(input.shape[-2:])}, {told}: {counts} windows")
    columns = Im2Col(windows)(input)
    shape = (*input.shape[:-3], input.shape[-3] * math.prod(windows.kernel), math.prod(counts))
    return Reshape(shape, "Im2ColBackward0")(columns)


@op("nn.functional", name="fold", kernel="col2im")
def sum_of_windows(
    input: Tensor,
    output_size: PerDim,
    kernel_size: PerDim,
    dilation: PerDim = 1,
    padding: PerDim = 0,
    stride: PerDim = 1,
) -> Tensor:
    """Images `(N, C, *output_size)` whose windows are given as columns, added up where they overlap: see `unfold`."""
    windows, told = _of_images("col2im", input, kernel_size, dilation, padding, stride)
    sizes, size = per_dim("output_size", output_size, 2), math.prod(windows.kernel)
    rows, columns = windows.counts(sizes)
    channels = input.shape[-2] // size if input.ndim in (2, 3) else 0
    if min(rows, columns, channels) < 1 or input.shape[-2:] != (channels * size, rows * columns):
        told = f"Given output_size={sizes}, {told}, expected columns of shape (N, C * {size}, {rows} * {columns})"
        raise RuntimeError(f"{told}, but got {list(input.shape)}")
    shape = (*input.shape[:-2], channels, *windows.kernel, rows, columns)
    return Col2Im(windows, sizes)(Reshape(shape)(input))


def _of_images(kernel: str, x: Tensor, *given: PerDim) -> tuple[Windows, str]:
    """The windows of images, by their size, dilation, padding and stride, and how an error tells of these."""
    arguments.check_floating(f"{kernel}_out_cpu", x)
    names = ("kernel_size", "dilation", "padding", "stride")
    options = {name: per_dim(name, value, 2) for name, value in zip(names, given, strict=True)}
    for name, values in options.items():
        if min(values) < (name != "padding"):
            least = "non-negative" if name == "padding" else "positive"
            raise RuntimeError(f"{name} should be {least}, but got {values}")
    sizes, apart, pads, steps = options.values()
    told = ", ".join([f"{name}={values}" for name, values in options.items()])
    return Windows(sizes, steps, apart, tuple([(pad, pad) for pad in pads])), told


def of_each_rank(declare: Callable[[int], None]) -> None:
    """The decorator of a function that declares operations for one number of dimensions: it does for 1, 2 and 3."""
    for dims in (1, 2, 3):
        declare(dims)


def per_dim(argument: str, value: PerDim, dims: int, spread: bool = True) -> tuple[int, ...]:
    """An argument as an int for each of so many dimensions; with `spread`, one in a sequence stands for all, too."""
    if type(value) is int:
        return (value,) * dims
    found = tuple([index(each) for each in value]) if isinstance(value, Sequence) else (index(value),) * dims
    found = found * dims if len(found) == 1 and spread else found
    if len(found) != dims:
        raise RuntimeError(f"expected {argument} to be a single integer value or a list of {dims} values: got {found}")
    return found
