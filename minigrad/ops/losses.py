"""Losses: how far a model's outputs are from what they should be, as numbers that training makes small."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from minigrad.core.arrays import BLOCK, ONE, all_within, laid_out, slices, total, with_ones
from minigrad.core.dtypes import FLOATS, Array, int64, promote_types, uint8
from minigrad.core.embedding import all_below
from minigrad.core.modes import current
from minigrad.core.ops import Div, Expand, Reshape, cast, common_shape, masked
from minigrad.core.tape import Node, quiet
from minigrad.core.tensor import Tensor, check_keeps_shape
from minigrad.declare import op
from minigrad.ops.activations import Hardtanh, largest, log_sigmoid
from minigrad.ops.arguments import as_int, check_cast, check_floating, normal_dim
from minigrad.ops.comparison import clipped
from minigrad.ops.fused import Fused, in_float32, in_one_step, named, rounded
from minigrad.ops.indexing import PutIndex, steps_along
from minigrad.ops.shapes import in_one_dtype
from minigrad.tensors.errors import result_of, warn_program

#: What the result is: the losses of all elements, their mean or their sum.
Reduction: TypeAlias = Literal["none", "mean", "sum"]

#: PyTorch's name for the function that computes with scores, in its errors.
_KERNEL = "log_softmax_lastdim_kernel_impl"

# The dtypes of class ids.
_IDS = {int64._numpy, uint8._numpy}

# For fewer targets than this, the place where each line of classes begins is kept for the next call.  And
# what logarithms of probabilities are at least: as an array, because NumPy takes longer to look at a number.
_FEW, _LEAST = 2**15, np.array(-100, np.float32)


def reduction_of(reduction: object, size_average: bool | None = None, reduce: bool | None = None) -> Reduction:
    """The reduction that is asked for, also by the two flags of PyTorch's first versions."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction: one of 'none', 'mean' and 'sum'")
    return reduction


def legacy_reduction(reduction: object, size_average: bool | None, reduce: bool | None) -> Any:
    """The reduction that the old flags stand for, with a warning; `reduction` if they are None."""
    if size_average is None and reduce is None:
        return reduction
    average, combine = [flag is None or bool(flag) for flag in (size_average, reduce)]
    reduction = ("mean" if average else "sum") if combine else "none"
    warn_program(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


def reduced(losses: Tensor, reduction: Reduction) -> Tensor:
    """The losses of the elements, or their mean or sum, in tensors."""
    if reduction == "mean":
        return losses.mean()
    return losses.sum() if reduction == "sum" else losses


class Loss(Node):
    """A loss of each element, times a weight if there is one, or the mean or sum of these."""

    reduction: Reduction

    def reduced(self, losses: Array, w: Array | None = None) -> Array:
        """The result, given the losses of the elements."""
        losses = losses if w is None else losses * w
        if self.reduction == "none":
            return losses
        whole = losses.sum()
        return whole if self.reduction == "sum" else whole / losses.dtype.type(losses.size)

    def share(self, g: Tensor, x: Tensor, w: Tensor | None = None) -> Tensor:
        """The gradient of the loss of each element of `x`, or the same for all, given that of the result, `g`."""
        g = g / x._array.size if self.reduction == "mean" and x._array.size else g
        return g if w is None else g * w


def check_constant(function: str, argument: str, weight: Tensor) -> None:
    """Raise a RuntimeError if a gradient is asked for of an argument that has none in PyTorch."""
    if weight.requires_grad and current.enabled:
        raise RuntimeError(f"The function '{function}' is not differentiable with respect to argument '{argument}'")


# ---- losses of classes -----------------------------------------------------------------------------------------------


class ClassLoss(Node):
    """A loss of scores `X`, `(N, C, *)` or `(C,)`, for target classes `t`, `(N, *)` or `()`, with weights `w`, `(C,)`.

    The loss of an element counts `w[t]` times, or once if w is None, and not at all where `t == ignore_index`; the
    mean is the sum divided by all that counts.
    """

    aside = ("places", "counts", "shares", "ignored", "gradient")
    reduction: Reduction
    ignore_index: int

    def aim(self, scores: Array, target: Array, weight: Array | None) -> None:
        """Find which of the scores each target names, and how much its loss counts."""
        self.shape, dim = scores.shape, class_dim(scores)
        classes, ids = scores.shape[dim], target.astype(np.int64, copy=False)
        self.ignored: Array | None = None
        self.counts: Array | None = None
        if not all_below(ids, classes) or 0 <= self.ignore_index < classes:
            self.ignored = ids == self.ignore_index
            wrong = ids[~self.ignored & ((ids < 0) | (ids >= classes))]
            if wrong.size:
                raise IndexError(f"Target {wrong[0]} is out of bounds: class ids are in [0, {classes})")
            ids = np.where(self.ignored, 0, ids)
        # Places in the scores as one row: with one index array, NumPy is three times as fast as with two.
        step, starts = (_lines if ids.size < _FEW else _lines.__wrapped__)(scores.shape, dim)
        self.places = (ids if step == 1 else ids * step) + starts
        if weight is not None:
            self.counts = weight[ids]
        if self.ignored is not None:
            self.counts = np.where(self.ignored, scores.dtype.type(0), 1 if self.counts is None else self.counts)
        self.total = ids.size if self.counts is None else self.counts.sum(dtype=np.float64)
        # The factor of each element's loss in the result, `(N, *)`, or one factor for all.
        whole = self.total if self.reduction == "mean" else 1
        self.shares: Any = 1 / (whole or 1) if self.counts is None else (self.counts / whole).astype(scores.dtype)

    def reduced(self, losses: Array) -> Array:
        """The losses, `(N, *)`, as they count, or their sum or mean."""
        if self.counts is not None:
            losses = losses * self.counts
        if self.ignored is not None:
            losses = np.where(self.ignored, losses.dtype.type(0), losses)
        if self.reduction == "none":
            return losses
        whole = np.add.reduce(losses, None, np.float64)
        return np.array(whole if self.reduction == "sum" else whole / self.total, losses.dtype)

    def per_element_gradient(self, g: Tensor) -> Tensor:
        """The gradient of each element's loss, `(N, *)`, or `()` for all, given that of the result, `g`."""
        return g * (self.shares if self.counts is None else g._new(self.shares))

    def name(self) -> str:
        if len(self.shape) < 3:
            return "NllLossBackward0"
        return "ViewBackward0" if self.reduction == "none" and len(self.shape) != 4 else "NllLoss2DBackward0"


class NllLoss(ClassLoss):
    """`-X[n, t[n], *]` for log-probabilities X: minus the logarithm of the probability of the target class."""

    formulas = ("dX = -g * c at the target classes, else 0, for weights c of these; divided by their sum for a mean",)

    def forward(self, x: Array, target: Array, weight: Array | None) -> Any:
        self.aim(x, target, weight)
        return self.reduced(-x.take(self.places))

    def da(self, g: Tensor, target: Tensor) -> Tensor:
        g = Expand(self.places.shape).of_gradient(-self.per_element_gradient(g))
        # The gradient of what is ignored is 0, and not -0.
        g = g if self.ignored is None else masked(g, ~self.ignored)
        return PutIndex(self.shape, tuple(range(len(self.shape))), once=True).of(g, g._new(self.places))


class CrossEntropy(Fused, ClassLoss):
    """`-log softmax(X)[n, t[n], *]` for scores X: how surprising the target classes are."""

    formulas = ("dX = g * c * (softmax(X) - one_hot(t)) for weights c of the targets, divided by their sum for a mean",)
    early: bool

    def forward(self, x: Array, target: Array, weight: Array | None) -> Array:
        self.aim(x, target, weight)
        # If `early`, the gradient for an upstream gradient of 1 is made now, while the exponentials are in the cache.
        y, losses = excess(x, self.places, np.asarray(self.shares, x.dtype) if self.early else None)
        self.gradient = y if self.early else None
        return self.reduced(losses)

    def definition(self, x: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
        """The same in tensors."""
        return NllLoss(self.reduction, self.ignore_index).of(x.log_softmax(class_dim(x._array)), target, weight)

    def fused_gradients(self, g: Tensor) -> Sequence[Any]:
        # The places may lie in the memory of the targets: an error if somebody has written to these.
        self.kept(1)
        dx, self.gradient = self.gradient, None
        # It is given away, so another backward pass computes it again, as does one with inf or nan in `g`.
        scaled = g._array.ndim > 0 or g._array != 1
        if dx is None or (scaled and not np.isfinite(g._array).all()):
            dx = quiet().run(excess, self.kept(0)._array, self.places, self.per_element_gradient(g)._array)[0]
        elif scaled:
            dx *= g._array[:, None] if g._array.ndim else g._array
        if self.ignored is not None:
            np.moveaxis(dx, class_dim(dx), -1)[self.ignored] = 0
        return g._new(dx), None, None


def class_dim(x: Array) -> int:
    """The dimension of the classes in `(N, C, *)` or `(C,)`."""
    return 0 if x.ndim == 1 else 1


@functools.lru_cache(maxsize=16)
def _lines(shape: tuple[int, ...], dim: int) -> tuple[int, Array]:
    """In scores of this shape, as one row: how far apart two classes are, and where each line of classes begins."""
    step, starts = steps_along.__wrapped__(with_ones(shape, (dim,)), dim, shape)
    return step, starts.reshape(shape[:dim] + shape[dim + 1 :])


def excess(x: Array, places: Array, g: Any) -> tuple[Array, Array]:
    """`g * (softmax(x) - 1 at the places)` of scores `(N, C, *)` or `(C,)`, and `-log softmax(x)` at the places.

    `g` is a number for each place, or one for all; if it is None, only the second result counts.
    """
    y, losses = np.empty(x.shape, x.dtype), []
    if x.size <= BLOCK or x.ndim == 1:
        return y, _excess(x, places, g, y, y.reshape(-1))
    for rows in slices(len(x), math.prod(x.shape[1:])):
        share = g[rows] if getattr(g, "ndim", 0) else g
        losses.append(_excess(x[rows], places[rows], share, y[rows], y.reshape(-1)))
    return y, np.concatenate(losses)


def _excess(x: Array, places: Array, g: Any, y: Array, all_of_y: Array) -> Array:
    """Write the first of these into `y`, for some rows, and return the second: the places are those in `all_of_y`."""
    dim = class_dim(x)
    # Shifted by the highest score, which cancels in the ratio, so that no exponential overflows.
    np.subtract(x, largest(x, (dim,)), y)
    shifted = all_of_y.take(places)
    np.exp(y, y)
    sums = total(y, (dim,), False)
    if g is not None:
        share = g / sums
        y *= share[:, None] if dim else share
        all_of_y[places] = all_of_y[places] - g
    return np.log(sums) - shifted


@op("nn.functional", kernel="cross_entropy_loss")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`-log softmax(input)[target]`, averaged: how surprising the target classes are to scores ("logits").

    `input` is `(N, C)`, `(C,)` or `(N, C, *)`; `target` holds class ids, int64 or uint8, in the shape of `input`
    without the dimension of the C classes, or probabilities in the whole shape.  `weight`, `(C,)`, says how much each
    class counts, and targets equal to `ignore_index` do not count.  `reduction` is "mean" (over all that counts),
    "sum" or "none".  `label_smoothing` mixes the targets with the uniform distribution.  Errors: IndexError for an id
    outside `[0, C)`, ValueError and RuntimeError for shapes and dtypes that do not fit.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> F.cross_entropy(logits, torch.tensor([0, 1]), reduction="none")
    tensor([0.2395, 1.0986])
    """
    how = reduction_of(reduction, size_average, reduce)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    shape, ids = input._array.shape, target._array
    if ids.dtype in FLOATS:
        check_floating(_KERNEL, input, "the scores come first, cross_entropy(input, target)")
    if weight is not None and (label_smoothing > 0 or (shape == ids.shape and ids.dtype in FLOATS)):
        remedy = "-(input.log_softmax(1) * probabilities * weight).sum(1)"
        raise NotImplementedError(f"cross_entropy: weight with probabilities or label_smoothing, which is {remedy}")
    if shape == ids.shape:
        return _cross_entropy_of_probabilities(input, target, how, ignore_index, label_smoothing)
    if not shape:
        normal_dim(1, 0)
    if label_smoothing > 0:
        return _smooth_cross_entropy(input, target, how, ignore_index, label_smoothing)
    _check_classes(input, target, weight, _KERNEL)
    loss = CrossEntropy(how, as_int(ignore_index), early=input._requires_grad and current.enabled)
    return in_float32(loss.of, input, _shaped(target, input), weight)


@op("nn.functional", kernel="nll_loss_nd")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`-input[target]`, averaged: the cross-entropy, given log-probabilities as `log_softmax` makes them.

    Shapes, `weight`, `ignore_index`, `reduction` and errors are those of `cross_entropy` with class ids.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.nll_loss(torch.tensor([[-0.25, -1.5], [-3.0, -0.05]]), torch.tensor([0, 1]), reduction="sum")
    tensor(0.3000)
    """
    how = reduction_of(reduction, size_average, reduce)
    _check_classes(input, target, weight, "nll_loss_out_frame")
    return in_float32(NllLoss(how, as_int(ignore_index)).of, input, _shaped(target, input), weight)


def _cross_entropy_of_probabilities(
    x: Tensor, target: Tensor, how: Reduction, ignore_index: int, label_smoothing: float
) -> Tensor:
    """The cross-entropy of scores and target probabilities: minus their products with the log-probabilities."""
    if target._array.dtype not in FLOATS or ignore_index >= 0:
        expected = "Expected floating point type for target with class probabilities, without an ignore_index"
        raise RuntimeError(f"{expected}: target.float(), but got {target.dtype}, ignore_index={ignore_index}")
    dim = class_dim(x._array)
    log_p, classes = x.log_softmax(dim), x._array.shape[dim]
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / max(classes, 1)
    if how == "none":
        return -(log_p * target).sum(dim)
    whole = -(log_p * target).sum()
    return whole if how == "sum" else named(Div(), "DivBackward1").of(whole, x._array.size // max(classes, 1))


def _smooth_cross_entropy(x: Tensor, target: Tensor, how: Reduction, ignore_index: int, part: float) -> Tensor:
    """The cross-entropy with a part of each target spread over all classes."""
    dim = class_dim(x._array)
    log_p = x.log_softmax(dim)
    sharp = nll_loss(log_p, target, ignore_index=ignore_index, reduction=how)
    counts = _shaped(target, x)._array != ignore_index
    spread = reduced(masked(-log_p.sum(dim), counts), "none" if how == "none" else "sum")
    share = part / max(x._array.shape[dim], 1)
    return sharp * (1 - part) + spread * share / (np.count_nonzero(counts) if how == "mean" else 1)


def _shaped(target: Tensor, x: Tensor) -> Tensor:
    """The class ids; for a vector of scores, one id without a dimension."""
    return Reshape(()).of(target) if x._array.ndim == target._array.ndim == 1 else target


def _check_classes(x: Tensor, target: Tensor, weight: Tensor | None, kernel: str) -> None:
    """Raise PyTorch's error unless class ids and weights fit the scores."""
    shape = x._array.shape
    _check_shapes(shape, target._array.shape)
    check_floating(kernel, x, "scores are real numbers, input.float()")
    if target._array.dtype not in _IDS:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype!r}: target.long()")
    if weight is not None:
        check_constant("nll_loss_forward" if len(shape) < 3 else "nll_loss2d_forward", "weight", weight)
        classes = shape[class_dim(x._array)]
        if weight._array.shape != (classes,) or weight.dtype is not x.dtype:
            problem = f"weight tensor should be defined either for all {classes} classes or no classes"
            found = f"{list(weight.shape)}, of {weight.dtype} for scores of {x.dtype}"
            raise RuntimeError(f"{problem} but got weight tensor of shape: {found}")


def _check_shapes(shape: tuple[int, ...], ids: tuple[int, ...]) -> None:
    """Raise the error that PyTorch finds first unless class ids of the shape `ids` fit scores of the shape `shape`.

    It says what to do about it.
    """
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0): (C,) or (N, C, *)")
    fits = () if len(shape) == 1 else (shape[0], *shape[2:])
    if ids == fits or (not fits and ids == (1,)):
        return
    batch, given = fits[0] if fits else 1, ids[0] if ids else 0
    remedy = f"An input of shape {shape} takes a target of shape {fits}: "
    if not fits:
        remedy = "One vector of scores has one target"
    elif len(shape) > 2 and math.prod(ids) == math.prod(shape[:-1]):
        remedy = "The classes are dimension 1 of the input, and the last one holds them here: input.movedim(-1, 1), "
        remedy += f"or input.flatten(0, {len(shape) - 2}) with target.flatten()"
    elif math.prod(ids) == math.prod(fits):
        remedy += f"target.squeeze({len(fits)})" if ids == (*fits, 1) else f"target.reshape{fits}"
    else:
        remedy += "a class id for each vector of scores; one vector by itself is (C,)"
    if batch != given if fits else len(ids) == 1:
        raise ValueError(f"Expected input batch_size ({batch}) to match target batch_size ({given}). {remedy}")
    if len(shape) < 3:
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported: got {ids}. {remedy}")
    raise RuntimeError(f"Expected target size {list(fits)}, got {list(ids)}. {remedy}")


# ---- losses of differences -------------------------------------------------------------------------------------------


class ElementLoss(Loss):
    """A loss `f(d)` of each element of the differences `d = a - b` between outputs and targets, or their mean or sum.

    A subclass says `losses(d)` and the gradient `slope(d, g)`, g times the derivative of f.
    """

    aside = ("difference",)
    losses: ClassVar[Callable[..., Array]]
    slope: ClassVar[Callable[..., Tensor]]

    def forward(self, a: Array, b: Array) -> Array:
        self.difference = laid_out(a - b, a, b)
        return self.reduced(self.losses(self.difference))

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return self.slope(a - b if current.enabled else a._new(self.difference), self.share(g, a))

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return -self.da(g, a, b)

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        to_a, to_b = self.edges
        # One gradient is that of both.
        da = self.da(g, self.kept(0), self.kept(1))
        return None if to_a is None else da, None if to_b is None else -da


class MseLoss(ElementLoss):
    """`(a - b)**2`, or the mean or sum of these."""

    formulas = ("da = g * 2 * (a - b), divided by n for a mean of n", "db = -da")
    losses = np.square

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        return d * (g * 2)


class SmoothL1Loss(ElementLoss):
    """`d**2 / (2 * beta)` for `|d| < beta`, `d = a - b`, else the line that goes on from there; or their mean or sum.

    `beta` is greater than 0: at 0 it is `l1_loss`.
    """

    formulas = ("da = g * clip(a - b) / beta, clipped to [-beta, beta], divided by n for a mean of n", "db = -da")
    beta: float

    def losses(self, d: Array) -> Array:
        size = np.absolute(d)
        near = clipped(size, None, self.beta)
        losses = (size - near * 0.5) * near
        return losses if self.beta == 1 else losses * (1 / self.beta)

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        return Hardtanh(-self.beta, self.beta).of(d) * (g * (1 / self.beta))


@op("nn.functional")
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean of `(input - target)**2`; the sum or the single squares, as `reduction` says.

    A warning if the sizes differ.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    return _elementwise(MseLoss(reduction_of(reduction, size_average, reduce)), input, target, "mse_cpu")


@op("nn.functional")
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean of `|input - target|`; the sum or the single distances, as `reduction` says.

    A warning if the sizes differ.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """
    input, target = _same_shape(input, target)
    return reduced((input - target).abs(), reduction_of(reduction, size_average, reduce))


@op("nn.functional")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The mean of `d**2 / (2 * beta)` for differences d below `beta`, and of `|d| - beta / 2` for others.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    how = reduction_of(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=how)
    return _elementwise(SmoothL1Loss(how, beta), input, target, "smooth_l1_cpu")


@op("nn.functional")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`1 - cos(input1, input2)` where the target is 1, for alike, and `max(0, cos - margin)` where it is -1.

    The inputs are `(N, D)` and the target is `(N,)`, or all without the N.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.cosine_embedding_loss(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]), torch.tensor(-1))
    tensor(0.7071)
    """
    if not input1.ndim == input2.ndim == target.ndim + 1 <= 2:
        found = f"inputs {input1.shape}, {input2.shape}, target {target.shape}"
        raise RuntimeError(f"a 0D or 1D target tensor expects 1D or 2D input tensors, but got {found}")
    lengths = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = (input1 * input2).sum(-1) / lengths.sqrt()
    cosine = cosine.expand(common_shape([cosine._array.shape, target._array.shape]))
    alike, apart = masked(1 - cosine, target._array == 1), masked((cosine - margin).clamp_min(0), target._array == -1)
    return reduced(alike + apart, reduction_of(reduction, size_average, reduce))


def _elementwise(op: ElementLoss, input: Tensor, target: Tensor, kernel: str) -> Tensor:
    """The loss `op` of the differences of two tensors, of which one is floating point; a warning if sizes differ."""
    input, target = _same_shape(input, target)
    x, y = in_one_dtype((input, target))
    check_floating(kernel, x)
    return in_float32(op.of, x, y)


def _same_shape(input: Any, target: Any) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast to one shape; a warning if theirs differ."""
    if isinstance(input, Tensor) and isinstance(target, Tensor) and input._array.shape == target._array.shape:
        return input, target
    wanted, found = [result_of(each, "size") for each in (input, target)]
    warn_program(
        f"Using a target size ({found}) that is different to the input size ({wanted}). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size."
    )
    shape = common_shape([input._array.shape, target._array.shape])
    return input.expand(shape), target.expand(shape)


# ---- losses of probabilities -----------------------------------------------------------------------------------------


class BinaryCrossEntropy(Loss):
    """`-w * (t * log(p) + (1 - t) * log(1 - p))` for probabilities p and targets t; w is 1 if it is not given.

    Logarithms are at least -100.
    """

    formulas = (
        "dp = g * w * (p - t) / (p * (1 - p)), divided by n for a mean of n",
        "dt = g * w * (log(1 - p) - log(p)), divided by n for a mean of n",
    )

    def forward(self, p: Array, t: Array, w: Array | None) -> Array:
        losses = laid_out((t - ONE) * np.maximum(np.log1p(-p), _LEAST) - t * np.maximum(np.log(p), _LEAST), p, t)
        return self.reduced(losses, w)

    def da(self, g: Tensor, p: Tensor, t: Tensor, w: Tensor | None) -> Tensor:
        # The denominator is at least 1e-12, as in PyTorch.
        return in_one_step(
            lambda g, p, t: g * ((p - t) / np.maximum((1 - p) * p, 1e-12)),
            lambda g, p, t: g * ((p - t) / ((1 - p) * p).clamp_min(1e-12)),
            self.share(g, p, w),
            p,
            t,
        )

    def db(self, g: Tensor, p: Tensor, w: Tensor | None) -> Tensor:
        return self.share(g, p, w) * ((1 - p).log() - p.log())


class BinaryCrossEntropyWithLogits(Loss):
    """The binary cross-entropy of `sigmoid(x)`, whose positive part counts v times; w and v are 1 if not given.

    `w * ((1 - t) * x - (1 + (v - 1) * t) * log(sigmoid(x)))`, which is finite for all finite x.
    """

    formulas = (
        "dx = g * w * ((1 + (v - 1) * t) * sigmoid(x) - v * t), divided by n for a mean of n",
        "dt = g * w * (log(sigmoid(-x)) - v * log(sigmoid(x))), divided by n for a mean of n",
    )

    def forward(self, x: Array, t: Array, w: Array | None, v: Array | None) -> Array:
        losses = log_sigmoid(x)
        if v is not None:
            losses = losses * ((v - 1) * t + 1)
        losses = (ONE - t) * x - losses
        return self.reduced(losses, w)

    def da(self, g: Tensor, x: Tensor, t: Tensor, w: Tensor | None, v: Tensor | None) -> Tensor:
        y = x.sigmoid()
        slope = y - t if v is None else (v * t + (1 - t)) * y - v * t
        return slope * self.share(g, x, w)

    def db(self, g: Tensor, x: Tensor, w: Tensor | None, v: Tensor | None) -> Tensor:
        dt = -x if v is None else -x - (v - 1) * x.sigmoid().log()
        return dt * self.share(g, x, w)


@op("nn.functional")
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean of `-(target * log(input) + (1 - target) * log(1 - input))`, for probabilities.

    The logarithms are at least -100.  A `weight` that broadcasts to the input's shape multiplies each loss.  Errors:
    ValueError for different sizes, RuntimeError for numbers outside [0, 1] or different dtypes.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy(torch.tensor([0.5, 0.75]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([0.6931, 0.2877])
    """
    how = reduction_of(reduction, size_average, reduce)
    _check_size("Using a target size ({}) that is different to the input size ({})", target, input)
    if target.dtype is not input.dtype:
        found = f"Found dtype {target.dtype._tensor_name} but expected {input.dtype._tensor_name}"
        raise RuntimeError(f"{found}: the targets are probabilities, target.to({input.dtype!r})")
    check_floating("binary_cross_entropy", input)
    for name, each in (("input", input), ("target", target)):
        if not all_within(each._array, 0, 1):
            remedy = "for scores take binary_cross_entropy_with_logits, and for class ids there is cross_entropy"
            raise RuntimeError(f"all elements of {name} should be between 0 and 1: {remedy}")
    weight = _factor("binary_cross_entropy", "weight", weight, input)
    return in_float32(BinaryCrossEntropy(how).of, input, target, weight)


@op("nn.functional")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`, precise and finite also where the sigmoid is 0 or 1.

    `weight` multiplies each loss and `pos_weight` the part for the target 1; both broadcast to the input's shape.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0, -200.0]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([  0.6931, 200.0000])
    """
    how = reduction_of(reduction, size_average, reduce)
    _check_size("Target size ({}) must be the same as input size ({})", target, input)
    check_floating("log_sigmoid_cpu", input)
    check_cast(input.dtype, target.dtype, "the targets are probabilities, target.float()")
    common = promote_types(input.dtype, target.dtype)
    x, t = cast(input, common), cast(target, common)
    weight = _factor("binary_cross_entropy_with_logits", "weight", weight, x)
    pos_weight = _factor("binary_cross_entropy_with_logits", "pos_weight", pos_weight, x)
    return rounded(in_float32(BinaryCrossEntropyWithLogits(how).of, x, t, weight, pos_weight), target.dtype)


@op("nn.functional")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """`target * (log(target) - input)`: the divergence of the distribution `exp(input)` from the right one, `target`.

    With `log_target`, the targets are logarithms as well.  The divergence of Kullback and Leibler is a sum over
    probabilities and a mean over a batch, the reduction "batchmean"; "mean", with a warning, is one over all elements.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    if size_average is None and reduce is None and reduction == "mean":
        warn_program(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition."
        )
    how = reduction_of("sum" if reduction == "batchmean" else reduction, size_average, reduce)
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported. Expected floating point, input.float()")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        # Where a target is 0, so is its part: 0 * log(0) would be nan.
        loss = target * target.log().masked_fill(target == 0, 0) - target * input
    whole = reduced(loss, how)
    return whole / input.shape[0] if reduction == "batchmean" and input.ndim else whole


def _check_size(problem: str, target: Tensor, input: Tensor) -> None:
    """A ValueError for a target of another size than the input, with the remedy where it has as many elements."""
    if result_of(target, "size") != result_of(input, "size"):
        remedy = ": target.view_as(input)" if target.numel() == input.numel() else ""
        raise ValueError(f"{problem.format(target.size(), input.size())}{remedy}")


def _factor(function: str, argument: str, weight: Tensor | None, x: Tensor) -> Any:
    """A constant factor of the losses of `x`, in their dtype; an error if it does not broadcast to x's shape."""
    if weight is None:
        return None
    check_constant(function, argument, weight)
    shape = x._array.shape
    check_keeps_shape(shape, common_shape([weight._array.shape, shape]), f"a {argument} of {weight.shape} is too large")
    return cast(weight, x.dtype)
