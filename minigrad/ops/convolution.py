"""Convolution, a `Linear` on windows, and the transposed convolution, its gradient.

For an input `X` of shape `(N, C, *)`, a weight `W` of shape `(O, C, *kernel)`, and the windows of X, of which row p
of `windows(X)[n]` has the `C * kernel` elements that lie under the kernel at place p:

                    Convolution                              Linear on windows(X), with weight = W.reshape(O, -1)
    forward         Y[n, o, p] = sum of W[o] * window p      Y = windows(X) @ W.T
    backward        dX = ConvTranspose(G, W)                 dX = windows' adjoint of G @ W: where windows overlap,
                                                                  their gradients add up
                    dW = WeightGradient(X, G)                dW = G.T @ windows(X)

So a convolution has nothing of its own to learn: it is a `Linear` that sees a window at a time, with the same weights
at each place.  Its gradient by X is known as transposed convolution: it maps what has the shape of Y to what has the
shape of X, and adjoint the two are: `<Convolution(X, W), G> == <X, ConvTranspose(G, W)>`.

The three ops below are each linear in two arguments and one another's gradients; so gradients of any order need no
further code.  They are the same for all numbers of dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.core.arrays import widened
from minigrad.core.dtypes import Array, bool_
from minigrad.core.shapes import Sum
from minigrad.core.tape import Node
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.fused import slices
from minigrad.ops.windows import PerDim, Windows, of_each_rank, per_dim

# Windows of so many elements in all are copied and multiplied at once: they stay in the processor's cache.
_BLOCK = 2**18

# What PyTorch calls the gradients of a convolution where they have gradients themselves.
_TWICE = "ConvolutionBackwardBackward0"


class _OnWindows(Node):
    """An op on `windows`, whose channels are in `groups`; a third input is the bias of each channel."""

    windows: Windows
    groups: int

    def dc(self, g: Tensor) -> Tensor:
        return Sum((0, *range(2, g._array.ndim)))(g)


class Convolution(_OnWindows):
    """`Y[n, o, p] = b[o] + sum over c and k of W[o, c, k] * X[n, c, p * stride + k * dilation - padding]`.

    `X` is `(N, C, *)`, `W` is `(O, C / groups, *kernel)`, `b` is `(O,)` or None, and `Y` is `(N, O, *)`.  With groups,
    the channels of X and Y are cut into as many equal parts, of which each sees its own.
    """

    formulas = ("dX = ConvTranspose(G, W)", "dW = WeightGradient(X, G)", "db = sum of G over N and places")
    form: str = "ConvolutionBackward0"

    def forward(self, x: Array, weight: Array, bias: Array | None) -> Array:
        self.sizes = x.shape[2:]
        counts = self.windows.counts(self.sizes)
        w = _matrices(widened(weight), self.groups)
        y = np.empty((len(x), *w.shape[:2], math.prod(counts)), w.dtype)
        for rows, seen in _columns(x, self.windows, self.groups):
            np.matmul(w, seen, out=y[rows])
        return _finished(y.reshape(len(x), len(weight), *counts), bias, x)

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return ConvTranspose(self.windows, self.groups, self.sizes, _TWICE)(g, weight, None)

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return WeightGradient(self.windows, self.groups)(x, g)


class ConvTranspose(_OnWindows):
    """What `Convolution` does to gradients: each element of G adds the weights, times itself, to a window of `X`.

    `G` is `(N, O, *)`, `W` is `(O, C / groups, *kernel)`, `b` is `(C,)` or None, and `X` is `(N, C, *sizes)`.
    """

    formulas = ("dG = Convolution(dX, W)", "dW = WeightGradient(dX, G)", "db = sum of dX over N and places")
    sizes: tuple[int, ...]
    form: str = "ConvolutionBackward0"

    def forward(self, g: Array, weight: Array, bias: Array | None) -> Array:
        counts, parts = g.shape[2:], _in_groups(g, self.groups)
        w = _matrices(widened(weight), self.groups).mT
        x = np.empty((len(g), self.groups * weight.shape[1], *self.sizes), w.dtype)
        for rows in slices(len(g), w.size // max(w.shape[2], 1) * math.prod(counts), _BLOCK):
            seen = w @ parts[rows]
            x[rows] = self.windows.add(seen.reshape(len(seen), x.shape[1], *weight.shape[2:], *counts), self.sizes)
        return _finished(x, bias, g)

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return Convolution(self.windows, self.groups, _TWICE)(g, weight, None)

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return WeightGradient(self.windows, self.groups)(g, a)


class WeightGradient(_OnWindows):
    """`dW[o, c, k]`: the sum of `G[n, o, p] * X[n, c, p * stride + k * dilation - padding]` over n and p."""

    form = _TWICE
    formulas = ("dX = ConvTranspose(G, dW)", "dG = Convolution(X, dW)")

    def forward(self, x: Array, g: Array) -> Array:
        self.sizes = x.shape[2:]
        parts, shape = _in_groups(g, self.groups), (x.shape[1] // self.groups, *self.windows.kernel)
        dw = np.zeros((*parts.shape[1:3], math.prod(shape)), parts.dtype)
        for rows, seen in _columns(x, self.windows, self.groups):
            dw += (parts[rows] @ seen.mT).sum(0)
        return dw.reshape(g.shape[1], *shape).astype(x.dtype, copy=False)

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return ConvTranspose(self.windows, self.groups, self.sizes, _TWICE)(b, g, None)

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return Convolution(self.windows, self.groups, _TWICE)(x, g, None)


# ---- arrays ----------------------------------------------------------------------------------------------------------


def _matrices(weight: Array, groups: int) -> Array:
    """A weight `(O, C / groups, *kernel)` as a matrix for each group, `(groups, O / groups, C / groups * kernel)`."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def _in_groups(g: Array, groups: int) -> Array:
    """What is at the places of channels, `(N, O, *)`, as `(N, groups, O / groups, places)`."""
    return widened(g).reshape(len(g), groups, g.shape[1] // groups, math.prod(g.shape[2:]))


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
def _declare_convolution(dims: int) -> None:
    """`conv1d`, `conv2d` or `conv3d`."""
    name = f"conv{dims}d"

    @op("torch", "nn.functional", name=name)
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
        steps, apart = per_dim("stride", stride, dims), per_dim("dilation", dilation, dims)
        pads = named_padding(padding, weight.shape[2:], steps, apart)
        options = {"stride": steps, "dilation": apart, "padding": tuple([before for before, _ in pads])}
        _check(name, dims, input, weight, bias, groups, options)
        windows = Windows(weight.shape[2:], steps, apart, tuple(pads))
        if min(windows.counts(input.shape[2:])) < 1:
            padded = [sum(pad) + size for pad, size in zip(pads, input.shape[2:], strict=True)]
            sizes = f"Calculated padded input size per channel: {padded}. Kernel size: {windows.kernel}"
            raise RuntimeError(f"{sizes}. Kernel size can't be greater than actual input size")
        return Convolution(windows, groups)(input, weight, bias)


@of_each_rank
def _declare_transposed(dims: int) -> None:
    """`conv_transpose1d`, `conv_transpose2d` or `conv_transpose3d`."""
    name = f"conv_transpose{dims}d"

    @op("torch", "nn.functional", name=name)
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
        given = {"stride": stride, "dilation": dilation, "padding": padding, "output_padding": output_padding}
        options = {argument: per_dim(argument, value, dims) for argument, value in given.items()}
        _check(name, dims, input, weight, bias, groups, options)
        steps, apart, before, more = options.values()
        if any([extra >= max(s, d) for s, d, extra in zip(steps, apart, more, strict=True)]):
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {options}")
        pads = tuple([(pad, pad - extra) for pad, extra in zip(before, more, strict=True)])
        windows = Windows(weight.shape[2:], steps, apart, pads)
        sizes = windows.sizes(input.shape[2:])
        if min(sizes) < 1:
            raise RuntimeError(f"Given input size: {list(input.shape)}, output size {sizes}. Output size is too small")
        return ConvTranspose(windows, groups, sizes)(input, weight, bias)


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
        raise error("padding='same' is not supported for strided convolutions")
    more = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel, strict=False)]
    return [(each // 2, each - each // 2) for each in more]


def _check(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, options: dict[str, Any]
) -> None:
    """Nothing if the operands of a convolution fit, else PyTorch's error."""
    x, w = list(input.shape), list(weight.shape)
    if len(x) != dims + 2 or len(w) != dims + 2:
        ranks = f"{dims + 1}D (unbatched) or {dims + 2}D (batched)"
        raise RuntimeError(f"Expected {ranks} input to {name}, but got input of size: {x}, and a weight of size: {w}")
    if 0 in w:
        raise RuntimeError(f"kernel size should be greater than zero, and so should channels, but got a weight of {w}")
    for argument, values in {**options, "groups": (groups,)}.items():
        if min(values) < ("padding" not in argument):
            raise RuntimeError(f"{'negative' if 'padding' in argument else 'non-positive'} {argument} is not supported")
    if w[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by it at dimension 0, but got {w}")
    way, inputs, outputs = f"groups={groups}", groups * w[1], w[0]
    if "output_padding" in options:
        way, inputs, outputs = "transposed=1", outputs, inputs
    if x[1] != inputs:
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
    if input.dtype is bool_:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool': x.float()")
