"""What several floors share: forward and backward by hand, in the fastest expressions of NumPy known for them.

Work on large arrays goes block by block of rows, so that all steps but the first find their numbers in the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any

import numpy as np

from .harness import Array

BLOCK = 2**16


def blocks(x: Array) -> list[slice]:
    """Slices of consecutive rows, of few elements each."""
    rows = max(BLOCK // max(x[:1].size, 1), 1)
    return [slice(start, start + rows) for start in range(0, len(x), rows)]


def reading_in_place(compute: Callable[..., Any]) -> Callable[..., Any]:
    """`compute`, in which NumPy reads a row or column that is broadcast to long rows where it lies.

    Else it copies it into a buffer of 8192 elements again and again, unless rows are as long as that.
    """

    @functools.wraps(compute)
    def call(x: Array, *others: Any) -> Any:
        if x.size < 2**14 or x.shape[-1] < 256:
            return compute(x, *others)
        context = copy_context()
        context.run(np.setbufsize, 256)
        return context.run(compute, x, *others)

    return call


# ---- adding rows -----------------------------------------------------------------------------------------------------


def sums_by_id(rows: Array, ids: Array, hot: int = 8) -> tuple[Array, Array]:
    """The distinct ids in order and the sum of the rows of each."""
    # Ids and positions in one number each: numbers are sorted several times faster than their order is found.
    bits = len(ids).bit_length()
    keys = ids << bits
    keys |= np.arange(len(ids))
    keys.sort()
    order, ordered = keys & ((1 << bits) - 1), keys >> bits
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(starts, append=len(ids))
    sums = rows.take(order[starts], axis=0)
    repeated = np.flatnonzero((counts > 1) & (counts <= hot))
    repeat = 1
    while repeated.size:
        sums[repeated] += rows.take(order[starts[repeated] + repeat], axis=0)
        repeat += 1
        repeated = repeated[counts[repeated] > repeat]
    for segment in np.flatnonzero(counts > hot).tolist():
        members = order[starts[segment] : starts[segment] + counts[segment]]
        sums[segment] = np.ones(len(members), rows.dtype) @ rows.take(members, axis=0)
    return ordered[starts], sums


def in_pairs(rows: Array) -> Array:
    """Rows of float32 as half as many complex numbers, if that is a whole number: `np.add.at` takes half the time."""
    return rows if rows.shape[1] % 2 else rows.view(np.complex64)


def is_small(rows: Array) -> bool:
    """Whether `np.add.at` is the fastest way to add these rows somewhere that is exact enough."""
    return in_pairs(rows).size <= 2**16 or rows.shape[1] < 16


def add_elements(table: Array, addends: Array, ids: Array) -> None:
    """`table[ids[n]] += addends[n]` for each n, in place; `np.add.at` is fast on one dimension only."""
    width = addends.shape[1]
    places = (ids[:, None] * width + np.arange(width)).reshape(-1)
    np.add.at(table.reshape(-1).view(addends.dtype), places, addends.reshape(-1))


def add_rows(rows: Array, ids: Array, vocabulary: int) -> Array:
    """The table whose row v is the sum of the rows with the id v."""
    table = np.zeros((vocabulary, rows.shape[1]), rows.dtype)
    if is_small(rows):
        add_elements(table, in_pairs(rows), ids)
    else:
        names, sums = sums_by_id(rows, ids)
        table[names] = sums
    return table


def add_rows_at(table: Array, rows: Array, ids: Array, scale: float) -> None:
    """`table[ids[n]] += scale * rows[n]` for each n, in place."""
    if is_small(rows):
        add_elements(table, in_pairs(rows * np.float32(scale)), ids)
    else:
        names, sums = sums_by_id(rows, ids)
        sums *= np.float32(scale)
        sums += table.take(names, axis=0)
        table[names] = sums


# ---- layers ----------------------------------------------------------------------------------------------------------


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    """`x @ weight.T + bias`."""
    y = x @ weight.T
    if bias is not None:
        y += bias
    return y


def linear_backward(g: Array, x: Array, weight: Array) -> tuple[Array, Array, Array]:
    """The gradients of x, weight and bias."""
    # A product with ones is the fastest sum over rows.
    return g @ weight, g.T @ x, np.ones(len(g), g.dtype) @ g


def row_sums(x: Array) -> Array:
    """Of a matrix, `(N, 1)`: a product with ones is the fastest sum, as long as rows are short."""
    return (x @ np.ones(x.shape[1], x.dtype))[:, None] if x.shape[1] < 4096 else x.sum(-1, keepdims=True)


def row_maxima(x: Array) -> Array:
    """Of a matrix, `(N, 1)`: with an initial value, NumPy does not copy first elements."""
    found: Array = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-np.inf)
    return found


@reading_in_place
def softmax(x: Array) -> Array:
    """Along the last dimension of a matrix."""
    y = np.empty_like(x)
    for rows in blocks(x):
        part = np.subtract(x[rows], row_maxima(x[rows]), out=y[rows])
        np.exp(part, out=part)
        part *= 1 / row_sums(part)
    return y


@reading_in_place
def softmax_backward(g: Array, y: Array) -> Array:
    """The gradient of x."""
    dx = np.empty_like(y)
    for rows in blocks(y):
        part = np.subtract(g[rows], np.vecdot(g[rows], y[rows])[:, None], out=dx[rows])
        part *= y[rows]
    return dx


@reading_in_place
def layer_norm(x: Array, weight: Array, bias: Array, eps: float = 1e-5) -> tuple[Array, Array, Array]:
    """Of each row of a matrix, with what the backward pass needs: the rows' means and 1 / deviations."""
    y = np.empty_like(x)
    means, scales = np.empty((len(x), 1), x.dtype), np.empty((len(x), 1), x.dtype)
    for rows in blocks(x):
        np.divide(row_sums(x[rows]), x.dtype.type(x.shape[1]), out=means[rows])
        d = np.subtract(x[rows], means[rows], out=y[rows])
        scales[rows] = 1 / np.sqrt(np.vecdot(d, d)[:, None] / x.dtype.type(x.shape[1]) + x.dtype.type(eps))
        d *= scales[rows]
        d *= weight
        d += bias
    return y, means, scales


@reading_in_place
def layer_norm_backward(g: Array, x: Array, weight: Array, means: Array, scales: Array) -> tuple[Array, Array, Array]:
    """The gradients of x, weight and bias."""
    dx, size = np.empty_like(x), x.dtype.type(x.shape[1])
    dweight, dbias = np.zeros_like(weight), np.zeros_like(weight)
    for rows in blocks(x):
        r = scales[rows]
        d = np.subtract(x[rows], means[rows], out=dx[rows])
        gd = g[rows] * d
        dweight += r[:, 0] @ gd
        dbias += np.ones(len(d), d.dtype) @ g[rows]
        d *= (gd @ weight)[:, None] * (r * r / size)
        d += (g[rows] @ weight)[:, None] / size
        np.subtract(np.multiply(g[rows], weight, out=gd), d, out=d)
        d *= r
    return dx, dweight, dbias


@reading_in_place
def cross_entropy(x: Array, target: Array) -> tuple[np.float32, Array]:
    """The mean over the rows, and the gradient of x."""
    e = np.empty_like(x)
    places = np.arange(len(x))
    losses = -x[places, target]
    for rows in blocks(x):
        highest = row_maxima(x[rows])
        part = np.subtract(x[rows], highest, out=e[rows])
        np.exp(part, out=part)
        sums = row_sums(part)
        losses[rows] += (highest + np.log(sums))[:, 0]
        part *= 1 / (sums * x.dtype.type(len(x)))
    e[places, target] -= x.dtype.type(1 / len(x))
    return losses.mean(), e


def gelu_tanh(x: Array) -> tuple[Array, Array]:
    """By the approximation with tanh, and its derivative."""
    y, slope = np.empty_like(x), np.empty_like(x)
    a, b, half = x.dtype.type((2 / np.pi) ** 0.5), x.dtype.type(0.044715), x.dtype.type(0.5)
    for rows in blocks(x):
        part = x[rows]
        square = part * part
        t = square * (a * b)
        t += a
        t *= part
        np.tanh(t, out=t)
        # d/dx = (1 + t) / 2 + x * (1 - t**2) / 2 * (a + 3 * a * b * x**2)
        square *= 3 * a * b * half
        square += a * half
        square *= part
        derivative = np.multiply(t, t, out=slope[rows])
        np.subtract(1, derivative, out=derivative)
        derivative *= square
        t += 1
        t *= half
        derivative += t
        np.multiply(t, part, out=y[rows])
    return y, slope


# ---- optimisers ------------------------------------------------------------------------------------------------------


class AdamW:
    """The rule of the optimiser of that name, on arrays."""

    def __init__(self, parameters: list[Array], lr: float, decay: float = 1e-2) -> None:
        self.parameters = parameters
        self.averages = [(np.zeros_like(each), np.zeros_like(each)) for each in parameters]
        self.lr = lr
        self.decay = decay
        self.count = 0

    def step(self, gradients: list[Array]) -> None:
        """Move the parameters."""
        self.count += 1
        root = (1 - 0.999**self.count) ** 0.5
        # root * m / (sqrt(v) + root * eps) is m / (sqrt(v) / root + eps), with one operation less on arrays.
        numbers = (1 - self.lr * self.decay, 0.9, 0.1, 0.999, 1e-3, root * 1e-8, self.lr * root / (1 - 0.9**self.count))
        keep, keep1, take1, keep2, take2, eps, step = [np.float32(number) for number in numbers]
        for w, g, m, v in self.parts(gradients):
            s = g * take1
            m *= keep1
            m += s
            np.multiply(g, g, out=s)
            s *= take2
            v *= keep2
            v += s
            np.sqrt(v, out=s)
            s += eps
            np.divide(m, s, out=s)
            s *= step
            w *= keep
            w -= s

    def parts(self, gradients: list[Array]) -> Iterator[list[Array]]:
        """Parameters, gradients and averages in parts that stay in the cache."""
        for parameter, gradient, averages in zip(self.parameters, gradients, self.averages, strict=True):
            flat = [each.reshape(-1) for each in (parameter, gradient, *averages)]
            for start in range(0, parameter.size, BLOCK // 2):
                yield [each[start : start + BLOCK // 2] for each in flat]
