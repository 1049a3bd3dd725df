"""Windows that slide along dimensions; convolution, a `Linear` on them, and the transposed convolution, its gradient.

For an input `X` of shape `(N, C, *)`, a weight `W` of shape `(O, C, *kernel)`, and the windows of X, of which row p
of `windows(X)[n]` has the `C * kernel` elements that lie under the kernel at place p:

                    Convolution                              Linear on windows(X), with weight = W.reshape(O, -1)
    forward         Y[n, o, p] = sum of W[o] * window p      Y = windows(X) @ W.T
    backward        dX = ConvTranspose(G, W)                 dX = windows' adjoint of G @ W: where windows overlap,
                                                                  their gradients add up
                    dW = WeightGradient(X, G)                dW = G.T @ windows(X)

So a convolution is a `Linear` that sees a window at a time, with the same weights at each place.  Its gradient by X is
known as transposed convolution: it maps what has the shape of Y to what has the shape of X, and the two are adjoint:
`<Convolution(X, W), G> == <X, ConvTranspose(G, W)>`.

These three ops are each linear in two arguments and one another's gradients; so gradients of any order need no further
code.  They are the same for all numbers of dimensions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from minigrad.core.arrays import slices, widened
from minigrad.core.dtypes import Array, Number
from minigrad.core.ops import Reshape, Sum, strided
from minigrad.core.tape import Node, Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops import arguments
from minigrad.ops.indexing import Index, all_dims

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
        return ConstantPad(opposite(self.pads), np.zeros(())).of(g)


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
    """The pads that cut off what these add, and the other way round."""
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
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        problem = "Padding length must be divisible by 2, and at most two times the input dimension"
        raise RuntimeError(f"{problem}: before and after for each, got {pad} for {input.ndim}D input")
    pads = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    sizes = input._array.shape[input.ndim - len(pads) :]
    if mode == "constant":
        if any([max(-before, -after, -before - after) > n for n, (before, after) in zip(sizes, pads, strict=True)]):
            raise RuntimeError("narrow(): length must be non-negative: more is cut off than there is")
        return ConstantPad(pads, arguments.filler(value or 0, input.dtype)).of(input)
    if value and mode in _PLACES:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in _PLACES or not 1 <= len(pads) <= 3 or input.ndim - len(pads) not in (1, 2) or min(pad) < 0:
        found = f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor in the mode {mode!r}"
        expected = "pad what follows C in (C, *) or (N, C, *), and x[None] adds such a dimension; slices cut off"
        raise NotImplementedError(f"{found}: {', '.join(_PLACES)} {expected}")
    kernel = f"{mode.replace('reflect', 'reflection').replace('replicate', 'replication')}_pad{len(pads)}d"
    arguments.check_numbers(kernel, input._array.dtype, "pad numbers, x.long()")
    for size, ends in zip(sizes, pads, strict=True):
        if not size or max(ends) > {"reflect": size - 1, "circular": size}.get(mode, math.inf):
            problem = "Argument #4: Padding size should be less than the corresponding input dimension"
            raise RuntimeError(f"{problem}, but got: padding {ends} of {size} in input {list(input.shape)}")
    name = "CopySlices" if mode == "circular" else f"{kernel.title().replace('_', '')}Backward0"
    return picked(input, _padded_places(sizes, tuple(pads), _PLACES[mode]), name)


def picked(x: Tensor, places: Array, form: str = "IndexBackward0") -> Tensor:
    """The elements of `x` at `places` in its last dimensions, as many as `places` has, seen as one."""
    return Index(all_dims(x)[-places.ndim :], form).of(x, x._new(places))


def places_of(tables: Sequence[Array], sizes: Sequence[int]) -> Array:
    """The places, in dimensions of these sizes seen as one, of the positions that there are for each dimension."""
    return np.ravel_multi_index(np.ix_(*tables), tuple(sizes))


# Caches what depends on a few ints: for small arrays, to compute it takes longer than to apply it.
_once = functools.lru_cache(maxsize=64)


@functools.lru_cache(maxsize=4)
def _padded_places(sizes: tuple[int, ...], pads: tuple[tuple[int, int], ...], mode: Any) -> Array:
    """Which elements of dimensions of these sizes stand in the padded ones."""
    return places_of([np.pad(np.arange(n), ends, mode) for n, ends in zip(sizes, pads, strict=True)], sizes)


#: NumPy's names of the modes that repeat elements.
_PLACES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


# ---- windows along several dimensions --------------------------------------------------------------------------------

#: An int for each dimension, or one for all.
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

    @_once
    def counts(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """How many windows there are along dimensions of these sizes; a RuntimeError if there is none."""
        spans = zip(sizes, self.kernel, self.stride, self.dilation, self.pads, strict=True)
        counts = tuple([(sum(pads) + size - d * (k - 1) - 1) // step + 1 for size, k, step, d, pads in spans])
        if min(counts) < 1:
            found = f"kernel {tuple(self.kernel)}, dilation {self.dilation}, calculated output size: {counts}"
            told = "It is too small: Kernel size can't be greater than actual input size"
            raise RuntimeError(f"Given input with spatial size {tuple(sizes)}, {found}. {told}")
        return counts

    def sizes(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The smallest sizes along which there are so many windows."""
        spans = zip(counts, self.kernel, self.stride, self.dilation, self.pads, strict=True)
        return tuple([(count - 1) * step + d * (k - 1) + 1 - sum(pads) for count, k, step, d, pads in spans])

    @_once
    def few(self, size: int) -> bool:
        """Whether the windows in so many elements lie side by side, and are so few that one step handles them all."""
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
        """The reduction of each window in a `view` by `ufunc`, one place in the windows after the other."""
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
            # Elements at the same place in different windows are different elements.
            for place in self.places():
                into[place] += v[place]
        return padded(x, opposite(ends)) if ends else x

    @_once
    def places(self) -> list[tuple[Any, ...]]:
        """For each place in a window, in order, the index that selects it in all windows of a `view`."""
        every = [slice(None)] * len(self.kernel)
        return [(..., *place, *every) for place in product(*map(range, self.kernel))]

    @_once
    def _ends(self) -> tuple[tuple[int, int], ...]:
        """The pads of arrays, without cutting off what no window reaches; empty if there is nothing to add."""
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
        return Col2Im(self.windows, self.sizes).of(g)


class Col2Im(Unary):
    """Windows `(…, *kernel, *counts)`, added up to an array whose last dimensions have these sizes."""

    formulas = ("dx = Im2Col(g)",)
    windows: Windows
    sizes: Sequence[int]

    def forward(self, x: Array) -> Array:
        return self.windows.add(widened(x), self.sizes).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Im2Col(self.windows).of(g)


@op("nn.functional", name="unfold", kernel="im2col")
def windows_of(
    input: Tensor, kernel_size: PerDim, dilation: PerDim = 1, padding: PerDim = 0, stride: PerDim = 1
) -> Tensor:
    """The windows of images `(N, C, H, W)` or `(C, H, W)` as columns, `(N, C * kernel, windows)`.

    A convolution is a `Linear` on them: see `torch.conv1d`.

    >>> import minigrad as torch
    >>> torch.nn.functional.unfold(torch.tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
    tensor([[1., 2.],
            [2., 3.]])
    """
    *leading, channels, height, width = input._array.shape if input.ndim in (3, 4) else (0, 0, 0)
    if 0 in (channels, height, width):
        raise RuntimeError(f"Expected 3D or 4D (batch mode) tensor but got: {list(input.shape)}")
    windows = _of_images("im2col", input, kernel_size, dilation, padding, stride)
    shape = (*leading, channels * math.prod(windows.kernel), math.prod(windows.counts((height, width))))
    return Unary.of(Reshape(shape, "Im2ColBackward0"), Im2Col(windows).of(input))


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
    windows = _of_images("col2im", input, kernel_size, dilation, padding, stride)
    sizes, size = per_dim("output_size", output_size, 2), math.prod(windows.kernel)
    rows, columns = windows.counts(sizes)
    given = input._array.shape
    channels = given[-2] // size if len(given) in (2, 3) else 0
    if not channels or given[-2:] != (channels * size, rows * columns):
        told = f"Given output_size={sizes}, {windows}, expected columns of shape (N, C * {size}, {rows} * {columns})"
        raise RuntimeError(f"{told}, but got {list(input.shape)}")
    shape = (*given[:-2], channels, *windows.kernel, rows, columns)
    return Col2Im(windows, sizes).of(Reshape(shape).of(input))


def _of_images(kernel: str, x: Tensor, size: PerDim, dilation: PerDim, padding: PerDim, stride: PerDim) -> Windows:
    """The windows of images of floating-point numbers."""
    arguments.check_floating(f"{kernel}_out_cpu", x)
    given = {"kernel_size": size, "stride": stride, "dilation": dilation, "padding": padding}
    sizes, steps, apart, pads = [per_dim(argument, value, 2) for argument, value in given.items()]
    return Windows(sizes, steps, apart, tuple([(pad, pad) for pad in pads]))


def of_each_rank(declare: Callable[[int], None]) -> None:
    """The decorator of a function that declares operations of so many dimensions: it is called with 1, 2 and 3."""
    for dims in (1, 2, 3):
        declare(dims)


def per_dim(argument: str, value: PerDim, dims: int, spread: bool = True) -> tuple[int, ...]:
    """An argument as an int for each of so many dimensions; with `spread`, one in a sequence stands for all, too.

    Paddings are at least 0, all else is at least 1.
    """
    least = int("padding" not in argument)
    if type(value) is int and value >= least:
        return (value,) * dims
    given = value if isinstance(value, (tuple, list, Sequence)) else (value,) * dims
    found = tuple([arguments.as_int(each) for each in given])
    found = found * dims if len(found) == 1 and spread else found
    if len(found) != dims:
        raise RuntimeError(f"expected {argument} to be a single integer value or a list of {dims} values: got {found}")
    if min(found) < least:
        raise RuntimeError(f"{argument} should be {'greater than zero' if least else 'non-negative'}, but got {found}")
    return found


# ---- convolution -----------------------------------------------------------------------------------------------------

# Windows with so many elements in all are copied and multiplied at a time, to stay in the processor's cache.
_BLOCK = 2**18


class _OnWindows(Node):
    """An op on `windows`, whose channels are in `groups`; a third input is the bias of each channel."""

    windows: Windows
    groups: int

    def dc(self, g: Tensor) -> Tensor:
        return Sum((0, *range(2, g._array.ndim))).of(g)


class Convolution(_OnWindows):
    """`Y[n, o, p] = b[o] + sum over c and k of W[o, c, k] * X[n, c, p * stride + k * dilation - padding]`.

    `X` is `(N, C, *)`, `W` is `(O, C / groups, *kernel)`, `b` is `(O,)` or None, and `Y` is `(N, O, *)`.  With groups,
    the channels of X and Y are cut into as many equal parts, of which each sees its own.
    """

    formulas = ("dX = ConvTranspose(G, W)", "dW = WeightGradient(X, G)", "db = sum of G over N and places")

    def forward(self, x: Array, weight: Array, bias: Array | None) -> Array:
        self.sizes = x.shape[2:]
        counts = self.windows.counts(self.sizes)
        w = _in_groups(weight[None], self.groups)
        y = np.empty((len(x), *w.shape[1:3], math.prod(counts)), w.dtype)
        for rows, seen in _columns(x, self.windows, self.groups):
            np.matmul(w, seen, out=y[rows])
        return _finished(y.reshape(len(x), len(weight), *counts), bias, x)

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return ConvTranspose(self.windows, self.groups, self.sizes).of(g, weight, None)

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return WeightGradient(self.windows, self.groups).of(x, g)


class ConvTranspose(_OnWindows):
    """The gradient of `Convolution` by X: each element of G adds the weights, times itself, to a window.

    `G` is `(N, O, *)`, `W` is `(O, C / groups, *kernel)`, `b` is `(C,)` or None, and `X` is `(N, C, *sizes)`.
    """

    form = "ConvolutionBackward0"
    formulas = ("dG = Convolution(dX, W)", "dW = WeightGradient(dX, G)", "db = sum of dX over N and places")
    sizes: tuple[int, ...]

    def forward(self, g: Array, weight: Array, bias: Array | None) -> Array:
        counts, parts = g.shape[2:], _in_groups(g, self.groups)
        w = _in_groups(weight[None], self.groups).mT
        x = np.empty((len(g), self.groups * weight.shape[1], *self.sizes), w.dtype)
        for rows in slices(len(g), self.groups * w.shape[2] * math.prod(counts), _BLOCK):
            seen = w @ parts[rows]
            x[rows] = self.windows.add(seen.reshape(len(seen), x.shape[1], *weight.shape[2:], *counts), self.sizes)
        return _finished(x, bias, g)

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return Convolution(self.windows, self.groups).of(g, weight, None)

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return WeightGradient(self.windows, self.groups).of(g, a)


class WeightGradient(_OnWindows):
    """`dW[o, c, k]`: the sum of `G[n, o, p] * X[n, c, p * stride + k * dilation - padding]` over n and p."""

    formulas = ("dX = ConvTranspose(G, dW)", "dG = Convolution(X, dW)")

    def forward(self, x: Array, g: Array) -> Array:
        self.sizes = x.shape[2:]
        parts, shape = _in_groups(g, self.groups), (x.shape[1] // self.groups, *self.windows.kernel)
        dw = np.zeros((*parts.shape[1:3], math.prod(shape)), parts.dtype)
        for rows, seen in _columns(x, self.windows, self.groups):
            dw += (parts[rows] @ seen.mT).sum(0)
        return dw.reshape(g.shape[1], *shape).astype(x.dtype, copy=False)

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return ConvTranspose(self.windows, self.groups, self.sizes).of(b, g, None)

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return Convolution(self.windows, self.groups).of(x, g, None)


# ---- arrays ----------------------------------------------------------------------------------------------------------


def _in_groups(x: Array, groups: int) -> Array:
    """The channels of `(N, O, *)` in groups, a matrix each: `(N, groups, O / groups, *)`, with the rest as one."""
    return widened(x).reshape(len(x), groups, x.shape[1] // groups, math.prod(x.shape[2:]))


def _columns(x: Array, windows: Windows, groups: int) -> Iterator[tuple[slice, Array]]:
    """For some rows of `x` at a time, its windows: `(rows, groups, C / groups * kernel, places)`."""
    view = windows.view(widened(x))
    height, places = math.prod(view.shape[1 : -len(windows.kernel)]), math.prod(windows.counts(x.shape[2:]))
    for rows in slices(len(x), height * places, _BLOCK):
        yield rows, view[rows].reshape(-1, groups, height // groups, places)


def _finished(y: Array, bias: Array | None, like: Array) -> Array:
    """`y` with a bias added to each channel, in the dtype of an input."""
    if bias is not None:
        y += bias.reshape(-1, *[1] * (y.ndim - 2))
    return y.astype(like.dtype, copy=False)


# ---- the functions ---------------------------------------------------------------------------------------------------


@of_each_rank
def _declare_conv(dims: int) -> None:
    """`conv1d`, `conv2d` or `conv3d`."""

    @op("torch", "nn.functional", name=f"conv{dims}d")
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: PerDim = 1,
        padding: PerDim | str = 0,
        dilation: PerDim = 1,
        groups: int = 1,
    ) -> Tensor:
        """The convolution of `input`, `(N, C, *)` or `(C, *)`, with `weight`, `(O, C / groups, *kernel)`.

        Each element of the result, `(N, O, *)`, is the sum of a window of the input times the weight of its channel,
        and of `bias`, `(O,)`.  Windows start `stride` apart, in an input with `padding` zeros at each end; neighbours
        in a window are `dilation` apart.  The padding "same" makes as many windows as there are places, "valid" is 0.

        >>> import minigrad as torch
        >>> x, w = torch.tensor([[1.0, 2.0, 4.0, 8.0]]), torch.tensor([[[1.0, 10.0]]])
        >>> torch.conv1d(x, w), torch.conv1d(x, w, stride=2), torch.conv1d(x, w, padding="same")
        (tensor([[21., 42., 84.]]), tensor([[21., 84.]]), tensor([[21., 42., 84.,  8.]]))
        """
        if input.ndim == dims + 1 and weight.ndim == dims + 2:
            return conv(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
        _check(f"conv{dims}d", dims, input, weight, bias, groups)
        steps, apart = per_dim("stride", stride, dims), per_dim("dilation", dilation, dims)
        pads = named_padding(padding, weight.shape[2:], steps, apart)
        windows = Windows(weight.shape[2:], steps, apart, tuple(pads))
        return Convolution(windows, groups).of(input, weight, bias)


@of_each_rank
def _declare_conv_transpose(dims: int) -> None:
    """`conv_transpose1d`, `conv_transpose2d` or `conv_transpose3d`."""

    @op("torch", "nn.functional", name=f"conv_transpose{dims}d")
    def conv_transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: PerDim = 1,
        padding: PerDim = 0,
        output_padding: PerDim = 0,
        groups: int = 1,
        dilation: PerDim = 1,
    ) -> Tensor:
        """The gradient of a convolution: each element of `input`, `(N, C, *)`, adds `weight` times itself to a window.

        `weight` is `(C, O / groups, *kernel)`, that of a convolution of the result, `(N, O, *)`, which has `input`'s
        shape.  Of the sizes of which this holds the smallest is taken, and `output_padding` more.  The other arguments
        are those of that convolution.

        >>> import minigrad as torch
        >>> torch.conv_transpose1d(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[[1.0, 10.0]]]))
        tensor([[ 1., 12., 24., 40.]])
        """
        if input.ndim == dims + 1 and weight.ndim == dims + 2:
            batch = input.unsqueeze(0)
            return conv_transpose(batch, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
        _check(f"conv_transpose{dims}d", dims, input, weight, bias, groups, transposed=True)
        steps, apart = per_dim("stride", stride, dims), per_dim("dilation", dilation, dims)
        before, more = per_dim("padding", padding, dims), per_dim("output_padding", output_padding, dims)
        if any([extra >= max(s, d) for s, d, extra in zip(steps, apart, more, strict=True)]):
            found = f"stride={steps}, dilation={apart}, output_padding={more}"
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {found}")
        pads = tuple([(pad, pad - extra) for pad, extra in zip(before, more, strict=True)])
        windows = Windows(weight.shape[2:], steps, apart, pads)
        sizes = windows.sizes(input.shape[2:])
        if min(sizes) < 1:
            raise RuntimeError(f"Given input size: {list(input.shape)}, output size {sizes}. Output size is too small")
        return ConvTranspose(windows, groups, sizes).of(input, weight, bias)


def named_padding(
    padding: PerDim | str, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int],
    error: type[Exception] = RuntimeError,
) -> list[tuple[int, int]]:  # fmt: skip
    """How many elements come before and after each dimension; "same" and "valid" say it by what is to come out."""
    if not isinstance(padding, str):
        return [(each, each) for each in per_dim("padding", padding, len(kernel))]
    if padding not in ("same", "valid"):
        raise error(f"Invalid padding string {padding!r}, should be 'valid' or 'same'")
    if padding == "same" and max(stride) > 1:
        raise error("padding='same' is not supported for strided convolutions: give a number")
    more = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel, strict=False)]
    return [(each // 2, each - each // 2) for each in more]


def _check(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool = False
) -> None:
    """Raise PyTorch's error unless the operands of a convolution fit."""
    x, w = list(input.shape), list(weight.shape)
    if len(x) != dims + 2 or len(w) != dims + 2:
        ranks = f"{dims + 1}D (unbatched) or {dims + 2}D (batched)"
        raise RuntimeError(f"Expected {ranks} input to {name}, but got input of size: {x}, and a weight of size: {w}")
    if 0 in w or groups < 1 or w[0] % arguments.as_int(groups):
        expected = f"Given groups={groups}, expected weight to be divisible by it at dimension 0"
        raise RuntimeError(f"{expected}, and not empty, but got a weight of {w}")
    inputs, outputs = (w[0], groups * w[1]) if transposed else (groups * w[1], w[0])
    if x[1] != inputs:
        way = "transposed=1" if transposed else f"groups={groups}"
        remedy = f": images (N, H, W, {inputs}) go in as x.permute(0, 3, 1, 2)" if x[-1] == inputs and dims == 2 else ""
        problem = f"Given {way}, weight of size {w}, expected input{x} to have {inputs} channels"
        raise RuntimeError(f"{problem}, but got {x[1]} channels instead{remedy}")
    if bias is not None and bias.shape != (outputs,):
        wanted = f"expected bias to be 1-dimensional with {outputs} elements"
        raise RuntimeError(f"Given weight of size {w}, {wanted}, but got bias of size {list(bias.shape)} instead")
    for what, each in (("bias", bias), ("weight", weight)):
        if each is not None and each.dtype is not input.dtype:
            types = f"({input.dtype._c_name}) and {what} type ({each.dtype._c_name})"
            raise RuntimeError(f"Input type {types} should be the same: x.to(weight.dtype)")
    arguments.check_numbers(name, input._array.dtype, "x.float()")
