"""Normalization: groups of elements shifted and scaled to mean 0 and variance 1, and then as each channel has learned.

Layers of this kind differ in what forms a group and what a channel.  An input is seen in a `frame`, a shape of which
some dimensions are within a group and some tell the channels:

                            frame               within a group      channels
    layer norm, RMS norm    (N, D)              D                   D
    batch norm              (N, C, L)           N, L                C
    group norm              (N, G, C / G, L)    C / G, L            G, C / G
    instance norm           (N, C, L)           L                   C

The work is done in blocks of rows that stay in cache; the blocks over which a group extends make up one round.  Vectors
of length 1 and the cosine of two vectors are below.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.arrays import WIDE_FLOATS, count_over, row_blocks, sum_of_products, sum_of_rows, total, with_ones
from minigrad.core.dtypes import HALVES, Array, computed_in, limits
from minigrad.core.ops import Add, cast, in_shape
from minigrad.core.tape import quiet
from minigrad.core.tensor import Function, Tensor
from minigrad.declare import Dims, as_number, op
from minigrad.ops.arguments import check_floating, normal_dim
from minigrad.ops.fused import Fused, in_float32, named
from minigrad.ops.losses import check_constant
from minigrad.ops.shapes import broadcast_tensors


class Groups:
    """Which elements form a group and which a channel; a group's mean is made 0 if `center`, and its variance 1."""

    def __init__(
        self, frame: Sequence[int], within: Sequence[int], channels: Sequence[int], eps: float, center: bool = True
    ) -> None:
        self.frame = tuple(frame)
        self.within = tuple(within)
        self.others = tuple([dim for dim in range(len(frame)) if dim not in channels])
        self.common = tuple([dim for dim in self.within if dim in self.others])
        self.channels = with_ones(self.frame, self.others)
        # Means of no elements are 0.
        self.count, self.eps = count_over(self.frame, self.within) or 1, as_number(eps)
        # As arrays, which NumPy takes as operands faster than Python's numbers.
        self.numbers = {of: (np.array(self.count, of), np.array(self.eps, of)) for of in WIDE_FLOATS}
        self.center = center

    def rounds(self, *arrays: Array) -> list[list[tuple[Array, ...]]]:
        """Blocks of rows of arrays, in a list for each round."""
        blocks = row_blocks((), *arrays)
        return [blocks] if 0 in self.within else [[block] for block in blocks]

    def factors(self, r: Array, w: Array | None) -> tuple[Array, Array | None]:
        """Factors of each group and of each of its elements that make up r * w: r and w, or r * w and None."""
        return (r, w) if w is None or self.common != self.within else (r * w, None)

    def common_sums(self, g: Array, d: Array) -> tuple[Array, Array]:
        """The sums of g and of g * d over the dimensions both within a group and not of the channels."""
        if not self.common:
            return g, g * d
        return total(g, self.common), sum_of_products(g, d, self.common)

    def over_channels(self, x: Array, r: Array) -> Array:
        """The sum of `x * r`, with a factor for each group, over each channel."""
        if x.ndim == 2 and not self.common:
            return sum_of_rows(x, r[:, 0])
        return total(x * r, self.others, keepdims=False)

    def mean(self, x: Array, w: Array | None) -> Array:
        """The mean of `x * w` within each group."""
        sums = total(x, self.within) if w is None else sum_of_products(x, w, self.within)
        return sums / self.numbers[x.dtype][0]


_groups = functools.lru_cache(maxsize=64)(Groups)


class Normalize(Fused):
    """`y = r * (x - m) * w + b` with the mean m and `r = 1 / sqrt(var + eps)` of each group, w and b of each channel.

    m is 0 unless the groups are centered; `var` is the mean of `(x - m)**2`; w or b may be left out.

    Without centering mean(g * w) is 0.
    """

    formulas = (
        "dx = r * (g * w - mean(g * w) - s * mean(g * w * s)) with `s = r * (x - m)` and means over each group",
        "dw = sum(g * r * (x - m)) over each channel",
        "db = sum(g) over each channel",
    )
    aside = ("rounds",)
    groups: Groups
    form: str

    def forward(self, x: Array, w: Array | None, b: Array | None) -> Array:
        groups, result = self.groups, np.empty(x.shape, x.dtype)
        x, y = x.reshape(groups.frame), result.reshape(groups.frame)
        w, b = [None if each is None else each.reshape(groups.channels) for each in (w, b)]
        # For each round the mean, the variance and the scale of each group, which broadcast to the blocks.
        self.rounds: list[tuple[Array, Array, Array]] = []
        mean, (count, eps) = np.zeros((), x.dtype), groups.numbers[x.dtype]
        for blocks in groups.rounds(x, y):
            if groups.center:
                mean = added([total(part, groups.within) for part, _ in blocks]) / count
            squares = []
            # The differences from the means are written where the result will be; without means they are x itself.
            for part, out in blocks:
                d = np.subtract(part, mean, out) if groups.center else part
                squares.append(sum_of_products(d, d, groups.within))
            variance = added(squares) / count
            r = np.asarray(variance + eps)
            np.reciprocal(np.sqrt(r, r), r)
            scale, varied = groups.factors(r, w)
            for part, out in blocks:
                np.multiply(out if groups.center else part, scale, out)
                if varied is not None:
                    out *= varied
                if b is not None:
                    out += b
            self.rounds.append((mean, variance, r))
        return result

    def fused_gradients(self, g: Tensor) -> Sequence[Any]:
        x, w = self.kept(0), self.kept(1)
        arrays = quiet().run(self.gradients_of_arrays, g._array, x._array, None if w is None else w._array)
        return [None if edge is None else g._new(each) for edge, each in zip(self.edges, arrays, strict=True)]

    def gradients_of_arrays(self, g: Array, x: Array, w: Array | None) -> list[Array]:
        """The gradients of x, w and b; where none is needed, anything of the right shape."""
        groups, result = self.groups, np.empty(x.shape, x.dtype)
        g, x, dx = [each.reshape(groups.frame) for each in (g, x, result)]
        weights = None if w is None else w.reshape(groups.channels)
        dw, db = [], []
        for blocks, (mean, _, r) in zip(groups.rounds(x, g, dx), self.rounds, strict=True):
            scale, varied = groups.factors(r, weights)
            means = []
            # In the second pass through the blocks of a round, d is where the gradient will be.
            for part, g_part, out in blocks:
                d = np.subtract(part, mean, out) if groups.center else part
                sum_g, sum_gd = groups.common_sums(g_part, d)
                if self.edges[1] is not None:
                    dw.append(groups.over_channels(sum_gd, r))
                if self.edges[2] is not None:
                    db.append(total(sum_g, groups.others, keepdims=False))
                means.append([groups.mean(sum_g, varied), groups.mean(sum_gd, varied)])
            mean_g, mean_gd = [added(each) for each in zip(*means, strict=True)]
            slope = mean_gd * r * r
            # Its memory is free for the next arrays, while it is in the cache.
            del sum_gd
            for part, g_part, out in blocks:
                np.multiply(out if groups.center else part, slope, out)
                if groups.center:
                    out += mean_g
                np.subtract(g_part if varied is None else g_part * varied, out, out)
                out *= scale
        return [result, *[added(sums).reshape(-1) if sums else g for sums in (dw, db)]]

    def definition(self, x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
        """The same in tensors."""
        groups = self.groups
        d = in_shape(x, groups.frame)
        d = d - d.mean(groups.within, True) if groups.center else d
        y = d * ((d * d).mean(groups.within, True) + groups.eps) ** -0.5
        y = y if w is None else y * in_shape(w, groups.channels)
        return in_shape(y if b is None else y + in_shape(b, groups.channels), x._array.shape)


def added(sums: Sequence[Array]) -> Array:
    """The sum of arrays of one shape; of a single one, that itself."""
    return functools.reduce(np.add, sums)


# ---- the functions ---------------------------------------------------------------------------------------------------


@op("nn.functional")
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
    >>> from minigrad.nn import functional as F
    >>> F.layer_norm(torch.tensor([[1.0, 3.0], [4.0, 0.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [ 1.0000, -1.0000]])
    """
    groups = _groups(_row_frame(input, normalized_shape, weight=weight, bias=bias), (1,), (1,), eps)
    return _normalized("LayerNormKernelImpl", input, weight, bias, Normalize(groups, "NativeLayerNormBackward0").of)


@op("nn.functional")
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """`x / sqrt(mean(x**2) + eps) * weight` over the last dimensions, which are `normalized_shape`.

    Without `eps` it is the distance from 1 to the next number of the dtype (float32 for halves).  Source: B. Zhang
    and R. Sennrich, "Root mean square layer normalization" (2019).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.rms_norm(torch.tensor([3.0, 4.0]), (2,)) * 12.5**0.5
    tensor([3., 4.])
    """
    check_floating("rms_norm", input)
    x = input.float() if input._array.dtype in HALVES else input
    eps = float(limits(x._array.dtype).eps) if eps is None else eps
    groups = _groups(_row_frame(x, normalized_shape, weight=weight), (1,), (1,), eps, center=False)
    weight = None if weight is None else weight.to(x.dtype)
    return cast(_normalized("rms_norm", x, weight, None, Normalize(groups, "MulBackward0").of), input.dtype)


@op("nn.functional")
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """`layer_norm` over each of `num_groups` groups of channels; then each channel has its weight and bias.

    `input` is `(N, C, *)`, `weight` and `bias` are `(C,)`.  Source: Y. Wu and K. He, "Group normalization" (2018).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.group_norm(torch.tensor([[1.0, 3.0, 4.0, 0.0]]), 2)
    tensor([[-1.0000,  1.0000,  1.0000, -1.0000]])
    """
    if input.ndim < 2 or num_groups <= 0 or input._array.shape[1] % num_groups:
        expected = "Expected number of channels in input to be divisible by num_groups"
        raise RuntimeError(f"{expected}, but got shape {list(input.shape)}, (N, C, *), num_groups={num_groups}")
    n, channels, *rest = input._array.shape
    _check_batch_size([n * channels // num_groups, num_groups, *rest])
    _check_channels(input, weight=weight, bias=bias)
    groups = _groups((n, num_groups, channels // num_groups, math.prod(rest)), (2, 3), (1, 2), eps)
    return _normalized("GroupNormKernelImpl", input, weight, bias, Normalize(groups, "NativeGroupNormBackward0").of)


@op("nn.functional")
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
    >>> from minigrad.nn import functional as F
    >>> mean, var = torch.zeros(1), torch.ones(1)
    >>> F.batch_norm(torch.tensor([[1.0], [3.0]]), mean, var, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> mean, var
    (tensor([0.2000]), tensor([1.1000]))
    """
    # (Most often there are more elements than channels.)
    if training and input._array.size in input._array.shape[:2]:
        _check_batch_size(input.size())
    if eps < 0 or (training and eps == 0):
        raise ValueError(f"batch_norm eps must be positive, but got {eps}")
    runnings = [each for each in (running_mean, running_var) if each is not None]
    if not training and len(runnings) < 2:
        raise RuntimeError(f"running_{'mean' if running_mean is None else 'var'} must be defined in evaluation mode")
    if len(runnings) == 1:
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training:
        mean, variance = [each._array.reshape(-1, *[1] * (input.ndim - 2)) for each in runnings]
        return _normalized("batch_norm", input, weight, bias, functools.partial(_by_known, mean, variance + eps))
    for running in runnings:
        running._check_writable()
    n, channels, *rest = input._array.shape
    frame = (n, channels, math.prod(rest)) if rest else (n, channels)
    groups = _groups(frame, (0, 2)[: len(frame) - 1], (1,), eps)
    op = Normalize(groups, "NativeBatchNormBackward0")
    y = _normalized("batch_norm", input, weight, bias, op.of)
    if runnings and input._array.size:
        (mean, variance, _), *_ = op.rounds
        # The unbiased estimate: the sum of squares divided by the count less 1.
        for running, found in zip(runnings, (mean, variance * (groups.count / (groups.count - 1))), strict=True):
            moved = (1 - momentum) * running._array.astype(found.dtype) + momentum * found.reshape(-1)
            running._array[...] = moved
    return y


@op("nn.functional")
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

    `input` is `(N, C, *)`, `weight` and `bias` are `(C,)`; running statistics are refused.  Errors: ValueError for one
    value per channel.  Source: D. Ulyanov, A. Vedaldi and V. Lempitsky, "Instance normalization" (2016).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.instance_norm(torch.tensor([[[1.0, 3.0]], [[40.0, 0.0]]]))
    tensor([[[-1.0000,  1.0000]],
    <BLANKLINE>
            [[ 1.0000, -1.0000]]])
    """
    if (use_input_stats and math.prod(input.size()[2:]) == 1) or eps < 0:
        problem = "Expected more than 1 spatial element when training"
        raise ValueError(f"{problem}, and eps >= 0, got input size {input.size()}, {eps}")
    if running_mean is not None or running_var is not None or not use_input_stats:
        raise NotImplementedError("instance_norm by running statistics: batch_norm has them")
    _check_channels(input, weight=weight, bias=bias)
    n, channels, *rest = input._array.shape
    groups = _groups((n, channels, math.prod(rest)), (2,), (1,), eps)
    return _normalized("batch_norm", input, weight, bias, Normalize(groups, "ViewBackward0").of)


# ---- vectors of length 1 ---------------------------------------------------------------------------------------------


@op("nn.functional")
def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Tensor:
    """`input / max(norm, eps)`: vectors along `dim`, scaled to the norm 1 of order `p`; see `Tensor.norm`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps)


@op("nn.functional")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`: the inner product of both, scaled to length 1.

    Shapes broadcast.  Lengths count as at least `eps`, so that the similarity of 0 to all others is 0.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.cosine_similarity(torch.tensor([[1.0, 0.0], [2.0, 2.0]]), torch.tensor([[0.0, 3.0], [1.0, 1.0]]))
    tensor([0.0000, 1.0000])
    """
    a, b = broadcast_tensors(x1, x2)
    along = normal_dim(dim, a.ndim)
    return (_of_length_one(a, along, eps) * _of_length_one(b, along, eps)).sum(along)


def _of_length_one(x: Tensor, dim: int, eps: float) -> Tensor:
    length = x.norm(2, dim, keepdim=True)
    least, zero = [np.array(each, length._array.dtype) for each in (eps, 0)]
    # As in PyTorch, the length is at least eps, and has its own gradient also where it is less.
    return x / (length + length._new(np.maximum(least - length._array, zero)))


# ---- what all norms share --------------------------------------------------------------------------------------------


def _normalized(kernel: str, input: Tensor, weight: Tensor | None, bias: Tensor | None, compute: Function) -> Tensor:
    """`compute(input, w, b)`; the parameters have the dtype of the input, or are float32 beside halves."""
    check_floating(kernel, input, "means are real numbers, input.float()")
    own = input._array.dtype
    for each in (weight, bias):
        if each is not None and each._array.dtype is not own and each._array.dtype != computed_in(own):
            raise RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {input.dtype._tensor_name}")
    weight, bias = [None if each is None else in_shape(each, (each._array.size,)) for each in (weight, bias)]
    return in_float32(compute, input, weight, bias) if own in HALVES else compute(input, weight, bias)


def _by_known(mean: Array, variance: Array, x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
    """`(x - mean) / sqrt(variance) * w + b` for constants of each channel, as one product and one sum."""
    kind = x._array.dtype
    scale = x._new(np.reciprocal(np.sqrt(variance)).astype(kind))
    scale = scale if w is None else scale * in_shape(w, mean.shape)
    shift = scale * x._new(-mean.astype(kind))
    shift = shift if b is None else shift + in_shape(b, mean.shape)
    return named(Add(), "NativeBatchNormBackward0").of(x * scale, shift)


def _row_frame(input: Tensor, normalized_shape: Sequence[int], **parameters: Tensor | None) -> tuple[int, ...]:
    """The frame (N, D) of an input that ends in `normalized_shape`, which is also the shape of the parameters."""
    shape = tuple(normalized_shape)
    for name, each in parameters.items():
        if each is not None and each._array.shape != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {tuple(each.shape)}")
    leading = input.ndim - len(shape)
    if not shape or leading < 0 or input._array.shape[leading:] != shape:
        expected = f"expected input with shape [{', '.join(map(str, ['*', *shape]))}], but got input of size"
        raise RuntimeError(f"Given normalized_shape={list(shape)}, {expected}{list(input.shape)}")
    return math.prod(input._array.shape[:leading]), math.prod(shape)


def _check_channels(input: Tensor, **parameters: Tensor | None) -> None:
    """Raise an error unless each parameter has an element per channel, and running statistics need no gradient."""
    channels = input._array.shape[1] if input._array.ndim > 1 else 0
    for name, each in parameters.items():
        if each is not None and each._array.size != channels:
            found = f"channels are dimension 1 of the input, of shape {tuple(input.shape)}"
            raise RuntimeError(f"{name} should contain {channels} elements not {each._array.size}: {found}")
        if each is not None and name.startswith("running"):
            check_constant("native_batch_norm", name, each)
    if input.ndim < 2:
        raise IndexError(f"Dimension out of range: expected (N, C, *), got an input of shape {tuple(input.shape)}")


def _check_batch_size(size: Sequence[int]) -> None:
    if size[0] * math.prod(size[2:]) == 1:
        remedy = "Take a larger batch (drop_last=True in a DataLoader), or model.eval() when not training"
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}. {remedy}")
