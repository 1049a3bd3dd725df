"""Losses: how far a model's outputs are from what they should be, as numbers that training makes small."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from minigrad.core import arrays
from minigrad.core.arrays import blocks_along, read_in_place, row_blocks
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import masked
from minigrad.core.modes import current
from minigrad.core.shapes import Expand, sum_to
from minigrad.core.tape import Binary, Node, Unary, keep_inputs, keep_rest
from minigrad.core.tensor import Tensor
from minigrad.ops.indexing import PutAlong, TakeAlong
from minigrad.ops.softmax import Softmax, SoftmaxBackwardData

#: What becomes of the losses of the elements: they are given as they are, or as their mean, or as their sum.
Reduction: TypeAlias = Literal["none", "mean", "sum"]

Places = tuple[Array, ...]


# ---- losses of classes -----------------------------------------------------------------------------------------------


class ClassLoss(Node):
    """A loss of scores `X`, `(N, C, *)` or `(C,)`, for target classes `t`, `(N, *)` or `()`, with weights `w`, `(C,)`.

    The loss of an element counts `w[t]` times, or once if w is None, and not at all where `t == ignore_index`; the
    mean is the sum divided by all that counts.
    """

    __slots__ = ("classes", "counts", "ids", "ignore_index", "ignored", "places", "reduction", "total")

    counts: Array | None
    ignored: Array | None

    def __init__(self, reduction: Reduction, ignore_index: int) -> None:
        self.reduction = reduction
        self.ignore_index = ignore_index

    def aim(self, target: Array, weight: Array | None, scores: Array) -> None:
        """Find which class of the scores, `(*, C)`, each target names, and how much its loss counts."""
        self.classes = scores.shape[-1]
        ids = target.astype(np.int64, copy=False)
        self.ignored = None
        # As unsigned numbers, negative ones are the largest.
        outside = bool(ids.size) and np.maximum.reduce(ids.view(np.uint64), axis=None) >= self.classes
        if outside or 0 <= self.ignore_index < self.classes:
            self.ignored = ids == self.ignore_index
            wrong = ids[~self.ignored & ((ids < 0) | (ids >= self.classes))]
            if wrong.size:
                raise IndexError(
                    f"Target {wrong[0]} is out of bounds. Expected class ids in [0, {self.classes}), or ignore_index = "
                    f"{self.ignore_index}"
                )
            ids = np.where(self.ignored, 0, ids)
        self.ids = ids
        self.places = places_of(ids)
        self.counts = None if weight is None else weight[ids]
        if self.ignored is not None:
            self.counts = np.where(self.ignored, scores.dtype.type(0), 1 if self.counts is None else self.counts)
        self.total = ids.size if self.counts is None else self.counts.sum(dtype=np.float64)

    def reduced(self, losses: Array) -> Any:
        """The losses, `(N, *)`, as they count, or their sum or mean."""
        if self.counts is not None:
            losses = losses * self.counts
        if self.ignored is not None:
            losses = np.where(self.ignored, losses.dtype.type(0), losses)
        if self.reduction == "none":
            return losses
        total = np.add.reduce(losses, axis=None, dtype=np.float64)
        return (total if self.reduction == "sum" else total / self.total).astype(losses.dtype)

    def shares(self) -> Any:
        """How much of each element's loss the result is: a number for each, `(N, *)`, or one for all."""
        if self.counts is None:
            return 1 / self.total if self.reduction == "mean" and self.total else 1
        if self.reduction != "mean":
            return self.counts
        shares = (self.counts / self.total).astype(self.counts.dtype)
        # If all are ignored, the total is 0.
        return shares if self.ignored is None else np.where(self.ignored, shares.dtype.type(0), shares)

    def shared(self, g: Tensor) -> Tensor:
        """The gradient of each element's loss, `(N, *)`, or `()` for all, given that of the result, `g`."""
        # The ids may lie in the memory of the targets, which must be as they were.
        self.kept(1)
        shares = self.shares()
        return g * (shares if self.counts is None else g._new(shares))

    def name(self) -> str:
        if self.ids.ndim < 2:
            return "NllLossBackward0"
        return "ViewBackward0" if self.reduction == "none" and self.ids.ndim != 3 else "NllLoss2DBackward0"


class NllLoss(ClassLoss):
    """`-X[n, t[n], *]` for log-probabilities X: minus the logarithm of the probability of the target class.

    dX is 0 but at the target classes, where it is -g * c: c is the weight of the target class (1 if no weights are
    given, 0 if ignored); for a mean, c is divided by the sum of all c.
    """

    __slots__ = ("dim",)
    keep = keep_rest

    def forward(self, x: Array, target: Array, weight: Array | None) -> Any:
        self.dim = class_dim(x)
        scores = classes_last(x)
        self.aim(target, weight, scores)
        return self.reduced(-scores[self.places])

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        ids = g._new(np.expand_dims(self.ids, self.dim))
        g = Expand(self.ids.shape)(-self.shared(g))
        return PutAlong(self.dim, self.classes)(g.unsqueeze(self.dim), ids), None, None


class CrossEntropy(ClassLoss):
    """`-log softmax(X)[n, t[n], *]` for scores X: how surprising the target classes are.

    dX = Excess(X, g * c): as much as the probabilities are above those that would be right, 1 for the target class and
    0 for the others; c is the weight of the target class (1 if no weights are given, 0 if ignored); for a mean, c is
    divided by the sum of all c.
    """

    __slots__ = ("early", "gradient")
    keep = keep_inputs

    def __call__(self, x: Any, *others: Any) -> Any:
        self.early = x._requires_grad and current.enabled
        return super().__call__(x, *others)

    def forward(self, x: Array, target: Array, weight: Array | None) -> Any:
        scores = classes_last(x)
        self.aim(target, weight, scores)
        # If there will be one, its gradient for a cotangent of 1 is made at once: the exponentials are in the cache.
        y, sums, highest = excess(x, self.places, self.shares() if self.early else None)
        self.gradient = y if self.early else None
        return self.reduced(highest - scores[self.places] + np.log(sums))

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        # The ids may lie in the memory of the targets, which must be as they were.
        x, _ = self.kept(0), self.kept(1)
        dx, self.gradient = self.gradient, None
        # It is given away: another backward pass computes it again, as one does that is recorded, or if 0 * g is nan.
        scaled = g._array.ndim > 0 or g._array != 1
        if dx is None or current.enabled or (scaled and not np.isfinite(g._array).all()):
            return Excess(self.places)(x, self.shared(g)), None, None
        if scaled:
            dx *= g._array[:, None] if g._array.ndim else g._array
        return g._new(dx), None, None

    def release(self) -> None:
        super().release()
        self.gradient = None


class Excess(Binary):
    """`G[n] * (P[n, c] - (1 if c == ids[n] else 0))` with P = softmax(X): how far P is from certainty of the ids.

    `X` is `(N, C, *)`, the ids are `(N, *)` and so is `G`, or `()`.

    dX = the gradient of the softmax for h * G,  dG = sum over c of h * P, minus h at the ids.
    """

    __slots__ = ("places",)
    keep = keep_inputs

    def __init__(self, places: Places) -> None:
        self.places = places

    def forward(self, x: Array, g: Array) -> Array:
        return excess(x, self.places, g)[0]

    def da(self, h: Tensor) -> Tensor:
        x, g = self.kept(0), self.kept(1)
        dim = class_dim(x._array)
        h = h * (g.unsqueeze(dim) if g.ndim else g)
        return SoftmaxBackwardData((dim,))(h, Softmax((dim,))(x))

    def db(self, h: Tensor) -> Tensor:
        x = self.kept(0)
        dim = class_dim(x._array)
        ids = h._new(np.expand_dims(self.places[-1], dim))
        dg = (h * Softmax((dim,))(x)).sum(dim) - TakeAlong(dim, keepdim=False)(h, ids)
        return sum_to(dg, self.kept(1)._array.shape)


def class_dim(x: Array) -> int:
    """The dimension of the classes in `(N, C, *)` or `(C,)`."""
    return 0 if x.ndim == 1 else 1


def excess(x: Array, places: Places, g: Any) -> tuple[Array, Array, Array]:
    """`g * (softmax(x) - 1 at the places)` of scores `(N, C, *)` or `(C,)`, and for each `(N, *)` two numbers.

    These are the sum of the exponentials, and the largest score, which all are shifted by.  Without g, they are all
    that is asked for.
    """
    y = np.empty_like(x)
    rows, out = classes_last(x), classes_last(y)
    highest, sums = [np.empty(rows.shape[:-1], x.dtype) for _ in range(2)]
    read_in_place(rows)
    for block in blocks_along(rows, (rows.ndim - 1,)):
        # Shifted by the highest score, which cancels in the ratio, so that no exponential overflows.
        most = np.maximum.reduce(rows[block], axis=-1, out=highest[block], initial=-np.inf)
        part = np.subtract(rows[block], most[..., None], out=out[block])
        np.exp(part, out=part)
        sums[block] = arrays.total(part, (rows.ndim - 1,), keepdims=False)
        if g is not None:
            part *= ((g[block] if isinstance(g, np.ndarray) and g.ndim else g) / sums[block])[..., None]
    if g is not None:
        out[places] -= g
    return y, sums, highest


def classes_last(x: Array) -> Array:
    """`(N, C, *)` seen as `(N, *, C)`."""
    return x if x.ndim < 3 else np.moveaxis(x, 1, -1)


def places_of(ids: Array) -> Places:
    """The index of the elements `x[n, ids[n]]`, for an array `x` of shape `(*ids.shape, C)`."""
    return (np.arange(len(ids)), ids) if ids.ndim == 1 else (*np.indices(ids.shape, sparse=True), ids)


# ---- losses of each element ------------------------------------------------------------------------------------------


class ElementLoss(Unary):
    """A loss `f(d)` of each element of the differences d between outputs and targets, or the mean or sum of them.

    A subclass says `losses(d)` and the gradient `slope(d, g)`, g times the derivative of f.
    """

    __slots__ = ("reduction",)
    keep = keep_inputs

    def __init__(self, reduction: Reduction) -> None:
        self.reduction = reduction

    def losses(self, d: Array) -> Array:
        """The loss of each element."""
        raise NotImplementedError

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        """The gradient of d, given that of each element's loss, `g`, of d's shape or the same for all."""
        raise NotImplementedError

    def forward(self, d: Array) -> Any:
        if self.reduction == "none" or not d.ndim:
            return self.losses(d)
        total = sum([self.losses(d[rows]).sum() for rows in row_blocks(d)], d.dtype.type(0))
        return total if self.reduction == "sum" else total / d.dtype.type(d.size)

    def dx(self, g: Tensor) -> Tensor:
        d = self.kept(0)
        return self.slope(d, shared(g, self.reduction, d._array.size))


class MseLoss(ElementLoss):
    """`d**2`, or the mean or sum of these.   dd = g * 2 * d, divided by n for a mean of n."""

    __slots__ = ()

    def losses(self, d: Array) -> Array:
        return np.square(d)

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        return d * (g * 2)


class L1Loss(ElementLoss):
    """`|d|`, or the mean or sum of these.   dd = g * sign(d), divided by n for a mean of n."""

    __slots__ = ()

    def losses(self, d: Array) -> Array:
        return np.absolute(d)

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        return g * d.sgn()

    def name(self) -> str:
        return {"none": "AbsBackward0", "mean": "MeanBackward0", "sum": "SumBackward0"}[self.reduction]


class SmoothL1Loss(ElementLoss):
    """`d**2 / (2 * beta)` for `|d| < beta`, else the line that goes on from there; or the mean or sum of these.

    dd = g * clip(d) / beta, with d clipped to [-beta, beta], divided by n for a mean of n.
    """

    __slots__ = ("beta",)

    def __init__(self, reduction: Reduction, beta: float) -> None:
        super().__init__(reduction)
        self.beta = beta

    def losses(self, d: Array) -> Array:
        losses = np.absolute(d)
        near = np.minimum(losses, d.dtype.type(self.beta))
        losses -= near * d.dtype.type(0.5)
        losses *= near
        losses *= d.dtype.type(1 / self.beta)
        return losses

    def slope(self, d: Tensor, g: Tensor) -> Tensor:
        return Clip(self.beta)(d) * (g * (1 / self.beta))


class Clip(Unary):
    """`d` clipped to [-bound, bound].   dd = g inside of it, 0 at the ends and outside."""

    __slots__ = ("bound",)
    keep = keep_inputs

    def __init__(self, bound: float) -> None:
        self.bound = bound

    def forward(self, d: Array) -> Array:
        return d.clip(-self.bound, self.bound)

    def dx(self, g: Tensor) -> Tensor:
        return masked(g, np.absolute(self.kept(0)._array) < self.bound)


def reduced(losses: Array, reduction: Reduction) -> Any:
    """The losses of the elements, or their mean or sum."""
    if reduction == "none":
        return losses
    total = losses.sum()
    return total if reduction == "sum" else total / losses.dtype.type(losses.size)


def shared(g: Tensor, reduction: Reduction, count: int) -> Tensor:
    """The gradient of each element's loss, given that of what `count` of them were reduced to, `g`."""
    return g / count if reduction == "mean" and count else g


# ---- losses of probabilities -----------------------------------------------------------------------------------------


class BinaryCrossEntropy(Node):
    """`-w * (t * log(p) + (1 - t) * log(1 - p))` for probabilities p and targets t; w is 1 if it is not given.

    Logarithms are at least -100.

    dp = g * w * (p - t) / (p * (1 - p)), divided by n for a mean of n,  dt = g * w * (log(1 - p) - log(p)), divided by
    n for a mean of n.
    """

    __slots__ = ("reduction",)
    keep = keep_inputs

    def __init__(self, reduction: Reduction) -> None:
        self.reduction = reduction

    def forward(self, p: Array, t: Array, w: Array | None) -> Any:
        losses = (t - 1) * np.maximum(np.log1p(-p), -100) - t * np.maximum(np.log(p), -100)
        return reduced(losses if w is None else losses * w, self.reduction)

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        p, t, w = self.kept(0), self.kept(1), self.kept(2)
        g = shared(g, self.reduction, p._array.size)
        g = g if w is None else g * w
        dp = None if self.edges[0] is None else BinaryCrossEntropyBackward()(g, p, t)
        dt = None if self.edges[1] is None else g * ((1 - p).log() - p.log())
        return dp, dt, None


class BinaryCrossEntropyBackward(Node):
    """`g * (p - t) / (p * (1 - p))`, with a denominator of at least 1e-12, as in PyTorch.

    dg = h * (p - t) / (p * (1 - p)),  dp = h * g * (p**2 - 2 * p * t + t) / (p * (1 - p))**2,
    dt = -h * g / (p * (1 - p)).
    """

    __slots__ = ()
    keep = keep_inputs

    def forward(self, g: Array, p: Array, t: Array) -> Array:
        return g * ((p - t) / np.maximum((1 - p) * p, 1e-12))

    def backward(self, h: Tensor) -> tuple[Any, ...]:
        g, p, t = self.kept(0), self.kept(1), self.kept(2)
        # Here PyTorch keeps clear of 0 in another way.
        uncertainty = (p + 1e-12) * (1 - p + 1e-12)
        dg = sum_to(h * ((p - t) / uncertainty), g._array.shape)
        dp = h * g * ((p * p - 2 * p * t + t) / uncertainty**2)
        dt = h * g / (p * (p - 1))
        return dg, dp, dt


class BinaryCrossEntropyWithLogits(Node):
    """The binary cross-entropy of `sigmoid(x)`, whose positive part counts v times; w and v are 1 if not given.

    `w * ((1 - t) * x - (1 + (v - 1) * t) * log(sigmoid(x)))`, which is finite for all finite x.

    dx = g * w * ((1 + (v - 1) * t) * sigmoid(x) - v * t), divided by n for a mean of n,
    dt = g * w * (log(sigmoid(-x)) - v * log(sigmoid(x))), divided by n for a mean of n.
    """

    __slots__ = ("reduction",)
    keep = keep_inputs

    def __init__(self, reduction: Reduction) -> None:
        self.reduction = reduction

    def forward(self, x: Array, t: Array, w: Array | None, v: Array | None) -> Any:
        losses = log_sigmoid(x)
        if v is not None:
            losses = losses * ((v - 1) * t + 1)
        losses = (1 - t) * x - losses
        return reduced(losses if w is None else losses * w, self.reduction)

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        x, t, w, v = [self.kept(position) for position in range(4)]
        g = shared(g, self.reduction, x._array.size)
        g = g if w is None else g * w
        dx = dt = None
        if self.edges[0] is not None:
            y = x.sigmoid()
            dx = (y - t if v is None else (v * t + (1 - t)) * y - v * t) * g
        if self.edges[1] is not None:
            dt = (-x if v is None else -x - (v - 1) * x.sigmoid().log()) * g
        return dx, dt, None, None


def log_sigmoid(x: Array) -> Array:
    """`log(1 / (1 + exp(-x)))`, without overflow for any x."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.absolute(x)))
