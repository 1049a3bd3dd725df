"""Normalization: groups of elements shifted and scaled to mean 0 and variance 1, and then as each channel has learned.

Layers of this kind differ in what forms a group and what a channel.  An input is seen in a `frame`, a shape of which
some dimensions are within a group and some tell the channels:

                            frame               within a group      channels
    layer norm, RMS norm    (N, D)              D                   D
    batch norm              (N, C, L)           N, L                C
    group norm              (N, G, C / G, L)    C / G, L            G, C / G
    instance norm           (N, C, L)           L                   C

The work is done in blocks of rows that stay in cache; if a group extends over rows, its blocks make up one round.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.arrays import count_over, read_in_place, row_blocks, sum_of_products, sum_of_rows, total, with_ones
from minigrad.core.dtypes import Array
from minigrad.core.shapes import Reshape
from minigrad.core.tape import Node, Several, keep_inputs
from minigrad.core.tensor import Tensor

#: Blocks of rows, and of each group in them, of sizes that broadcast, the mean, the variance and the scale.
Round = tuple[list[slice], Array, Array, Array]


class Groups:
    """Which elements form a group and which a channel; a group's mean is made 0 if `center`, and its variance 1."""

    __slots__ = ("center", "channels", "common", "count", "eps", "frame", "others", "within")

    def __init__(
        self, frame: Sequence[int], within: Sequence[int], channels: Sequence[int], eps: float, center: bool = True
    ) -> None:
        self.frame = tuple(frame)
        self.within = tuple(within)
        self.others = tuple([dim for dim in range(len(frame)) if dim not in channels])
        self.common = tuple([dim for dim in self.within if dim in self.others])
        self.channels = with_ones(self.frame, self.others)
        self.count = count_over(self.frame, self.within)
        self.eps = eps
        self.center = center

    def rounds(self, x: Array) -> list[list[slice]]:
        """Blocks of rows, those together that groups extend over."""
        blocks = row_blocks(x) or [slice(0)]
        return [blocks] if 0 in self.within else [[block] for block in blocks]

    def scale(self, variance: Array) -> Array:
        """`1 / sqrt(variance + eps)`."""
        r: Array = variance + self.eps
        return np.reciprocal(np.sqrt(r, out=r), out=r)

    def factors(self, r: Array, w: Array | None) -> tuple[Array, Array | None]:
        """Factors of each group and of each of its elements that make up r * w: r and w, or r * w and None."""
        return (r, w) if w is None or self.common != self.within else (r * w, None)

    def common_sums(self, g: Array, d: Array) -> tuple[Array, Array]:
        """The sums of g and of g * d over the dimensions both within a group and not of the channels."""
        if not self.common:
            return g, g * d
        return total(g, self.common), inner(g, d, self.common)

    def over_channels(self, x: Array, r: Array) -> Array:
        """The sum of `x * r`, with a factor for each group, over each channel."""
        if x.ndim == 2 and not self.common:
            return sum_of_rows(x, r[:, 0])
        return total(x * r, self.others, keepdims=False)

    def mean(self, x: Array, w: Array | None) -> Array:
        """The mean of `x * w` within each group."""
        if w is None:
            return total(x, self.within) / self.count
        return inner(x, w, self.within) / self.count


class Normalize(Node):
    """`y = r * (x - m) * w + b` with the mean m and `r = 1 / sqrt(var + eps)` of each group, w and b of each channel.

    m is 0 unless the groups are centered; `var` is the mean of `(x - m)**2`; w or b may be left out.

    dx = r * (g * w - mean(g * w) - s * mean(g * w * s)) with `s = r * (x - m)` and means over each group,
    dw = sum(g * r * (x - m)) over each channel,  db = sum(g) over each channel.  Without centering mean(g * w) is 0.
    """

    __slots__ = ("form", "groups", "rounds")
    keep = keep_inputs
    rounds: list[Round]

    def __init__(self, groups: Groups, form: str) -> None:
        self.groups = groups
        self.form = form

    def forward(self, x: Array, w: Array | None, b: Array | None) -> Array:
        groups, result = self.groups, np.empty(x.shape, x.dtype)
        x, y = x.reshape(groups.frame), result.reshape(groups.frame)
        w, b = [None if each is None else each.reshape(groups.channels) for each in (w, b)]
        self.rounds = []
        read_in_place(x)
        for blocks in groups.rounds(x):
            mean, variance, d = self.statistics(x, y, blocks)
            r = groups.scale(variance)
            scale, varied = groups.factors(r, w)
            for rows in blocks:
                part = np.multiply(d[rows], scale, out=y[rows])
                if varied is not None:
                    part *= varied
                if b is not None:
                    part += b
            self.rounds.append((blocks, mean, variance, r))
        return result

    def statistics(self, x: Array, scratch: Array, blocks: list[slice]) -> tuple[Array, Array, Array]:
        """The mean and the variance of each group, and `x - mean`, which is x itself or lies in `scratch`."""
        groups, squares = self.groups, []
        if groups.center:
            mean, d = added([total(x[rows], groups.within) for rows in blocks]) / groups.count, scratch
        else:
            mean, d = np.zeros((), x.dtype), x
        for rows in blocks:
            part = np.subtract(x[rows], mean, out=d[rows]) if groups.center else d[rows]
            squares.append(inner(part, part, groups.within))
        return mean, added(squares) / groups.count, d

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        needs = [edge is not None for edge in self.edges]
        gradients = NormalizeBackward(self.groups, self.rounds, self.moves(), needs)(g, self.kept(0), self.kept(1))
        return tuple([each if needed else None for needed, each in zip(needs, gradients, strict=True)])

    def moves(self) -> bool:
        """Whether mean and variance are functions of x."""
        return True

    def name(self) -> str:
        return self.form


class NormalizeByKnown(Normalize):
    """`y = r * (x - m) * w + b` as Normalize, with a mean m and a variance that are known before, and constant.

    dx = r * g * w,  dw = sum(g * r * (x - m)) over each channel,  db = sum(g) over each channel.
    """

    __slots__ = ("known",)

    def __init__(self, groups: Groups, form: str, mean: Array, variance: Array) -> None:
        super().__init__(groups, form)
        self.known = (mean.reshape(groups.channels), variance.reshape(groups.channels))

    def statistics(self, x: Array, scratch: Array, blocks: list[slice]) -> tuple[Array, Array, Array]:
        return *self.known, np.subtract(x, self.known[0], out=scratch)

    def moves(self) -> bool:
        return False


class NormalizeBackward(Several):
    """`back(g * w)`, `sum(g * s)` and `sum(g)`: the gradients of x, w and b in Normalize, with sums over each channel.

    Here `s = r * (x - m)` and `back(v) = r * (v - mean(v) - s * mean(v * s))`, which takes a gradient of s to one of x;
    if m and r do not move with x, `back(v) = r * v`.  Source: S. Ioffe and C. Szegedy, "Batch normalization" (2015),
    section 3.

    dg = w * back(h[0]) + s * h[1] + h[2] for the gradients h of the three,  dw = sum(g * back(h[0])),
    dx = back(g * h[1]) and, if r and s move with x, what h[0] says of them.
    """

    __slots__ = ("groups", "moves", "needs", "rounds")
    keep = keep_inputs

    def __init__(self, groups: Groups, rounds: list[Round], moves: bool, needs: list[bool]) -> None:
        self.groups = groups
        self.rounds = rounds
        self.moves = moves
        self.needs = needs

    def forward(self, g: Array, x: Array, w: Array | None) -> list[Array]:
        groups, result = self.groups, np.empty(x.shape, x.dtype)
        g, x, dx = [each.reshape(groups.frame) for each in (g, x, result)]
        weights = None if w is None else w.reshape(groups.channels)
        # In the second turn through the blocks of a round, d lies where the gradient is written.
        d, dw, db = dx if groups.center else x, [], []
        read_in_place(x)
        for blocks, mean, _, r in self.rounds:
            scale, varied = groups.factors(r, weights)
            means = []
            for rows in blocks:
                if groups.center:
                    np.subtract(x[rows], mean, out=d[rows])
                sum_g, sum_gd = groups.common_sums(g[rows], d[rows])
                if self.needs[1]:
                    dw.append(groups.over_channels(sum_gd, r))
                if self.needs[2]:
                    db.append(total(sum_g, groups.others, keepdims=False))
                if self.moves:
                    means.append([groups.mean(sum_g, varied), groups.mean(sum_gd, varied)])
            if self.moves:
                mean_g, mean_gd = [added(each) for each in zip(*means, strict=True)]
                slope = mean_gd * r * r
            # This makes room in the cache.
            del sum_gd
            for rows in blocks:
                gw = g[rows] if varied is None else g[rows] * varied
                if self.moves:
                    part = np.multiply(d[rows], slope, out=dx[rows])
                    if groups.center:
                        part += mean_g
                    gw = np.subtract(gw, part, out=part)
                np.multiply(gw, scale, out=dx[rows])
        return [result, *[self.flat(sums, x.dtype) for sums in (dw, db)]]

    def flat(self, sums: list[Array], dtype: Any) -> Array:
        """What `sums` add up to, an element for each channel; if there are none, zeros."""
        if not sums:
            return np.zeros(math.prod(self.groups.channels), dtype)
        found = added(sums)
        return found if found.ndim == 1 else found.reshape(-1)

    def backward(self, h: Sequence[Any]) -> tuple[Any, ...]:
        groups = self.groups
        g, x = (seen(self.kept(position), groups.frame) for position in (0, 1))
        w = 1 if self.kept(2) is None else seen(self.kept(2), groups.channels)
        hx, hw, hb = (
            None if each is None else seen(each, shape)
            for each, shape in zip(h, (groups.frame, groups.channels, groups.channels), strict=True)
        )

        def mean(v: Tensor) -> Tensor:
            return v.mean(groups.within, True)

        if self.moves:
            d = x - mean(x) if groups.center else x
            r = (mean(d * d) + groups.eps) ** -0.5
        else:
            _, known_mean, _, known_scale = self.rounds[0]
            d, r = x - x._new(known_mean), x._new(known_scale)
        s = d * r

        def back(v: Tensor) -> Tensor:
            """The gradient of x, given that of s; as a map of v it is symmetric."""
            return r * (v - mean(v) * groups.center - s * mean(v * s)) if self.moves else r * v

        dg, dx, dw = g * 0, x * 0, None
        if hx is not None:
            through = back(hx)
            dg, dw = dg + through * w, (through * g).sum(groups.others)
            if self.moves:
                # By way of s, and by way of r.
                gw = g * w
                dx = dx - back(r * (hx * mean(gw * s) + gw * mean(hx * s))) - mean(hx * back(gw)) * r * s
        if hw is not None:
            dg, dx = dg + hw * s, dx + back(g * hw)
        if hb is not None:
            dg = dg + hb
        found = [seen(each, self.kept(position)._array.shape) for position, each in enumerate((dg, dx))]
        return (*found, dw if dw is None or self.kept(2) is None else seen(dw, self.kept(2)._array.shape))


def added(sums: Sequence[Array]) -> Array:
    """The sum of arrays of one shape; of a single one, that itself."""
    return functools.reduce(np.add, sums)


def inner(a: Array, b: Array, dims: tuple[int, ...]) -> Array:
    """`(a * b).sum(dims, keepdims=True)` for b that broadcasts to a's shape, by the fastest of NumPy's ways."""
    if dims == (a.ndim - 1,):
        return np.vecdot(a, b)[..., None]
    return sum_of_products(a, np.broadcast_to(b, a.shape), dims)


def seen(x: Tensor, frame: tuple[int, ...]) -> Tensor:
    """`x` in the shape `frame`."""
    return x if x._array.shape == frame else Reshape(frame)(x)
