"""Rows of the real tier: reading and writing at places that indices and masks name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch

IDS = np.array([[2, 0, 2], [1, 2, 2]])
# No place twice along dimension 1: of two values for one place, which stays is open.
APART = np.array([[2, 0], [1, 2]])
ROWS = np.array([2, 0, 2])
MASK = np.array([[True, False, True], [False, True, True]])


def t(array: Any) -> Any:
    return torch.from_numpy(np.asarray(array))


def along(x: Array, index: Array, dim: int, visit: Callable[[tuple[int, ...], tuple[int, ...]], None]) -> None:
    """Call `visit(place in x, place in index)` for each index along `dim`."""
    for here in np.ndindex(*index.shape):
        visit((*here[:dim], int(index[here]), *here[dim + 1 :]), here)


def gathered(x: Array, dim: int, index: Array) -> Array:
    y = np.zeros(index.shape)
    along(x, index, dim, lambda there, here: y.__setitem__(here, x[there]))
    return y


def scattered(x: Array, dim: int, index: Array, src: Array, join: Callable[[float, float], float]) -> Array:
    y = x.copy()
    along(x, index, dim, lambda there, here: y.__setitem__(there, join(y[there], src[here])))
    return y


def with_set(x: Array, index: Any, value: Any, adds: bool = False) -> Array:
    y = np.array(x)
    if adds:
        np.add.at(y, index, value)
    else:
        y[index] = value
    return y


def after(write: Callable[[Any], object]) -> Callable[[Any], Any]:
    """A copy of its argument, after a write into it."""

    def call(x: Any) -> Any:
        y = x * 1
        write(y)
        return y

    return call


def set_at(index: Any) -> Callable[[Any, Any], Any]:
    def call(x: Any, value: Any) -> Any:
        y = x * 1
        y[index] = value
        return y

    return call


M, B = (2, 3), (4, 2, 3)
OVER, PLUS = (lambda old, new: new), (lambda old, new: old + new)

CASES += [
    Case("gather", lambda a: a.gather(1, t(IDS)), [M], lambda a: gathered(a, 1, IDS)),
    Case("gather, first dim", lambda a: a.gather(0, t(IDS)), [(3, 3)], lambda a: gathered(a, 0, IDS)),
    Case("gather, fewer", lambda a: a.gather(0, t(IDS[:, :1])), [(3, 3)], lambda a: gathered(a, 0, IDS[:, :1])),
    Case("gather, transposed", lambda a: a.T.gather(1, t(IDS)), [(3, 2)], lambda a: gathered(a.T, 1, IDS)),
    Case("scatter", lambda a, b: a.scatter(1, t(APART), b), [M, (2, 2)], lambda a, b: scattered(a, 1, APART, b, OVER)),
    Case(
        "scatter, of more",
        lambda a, b: a.scatter(1, t(APART), b),
        [M, (3, 4)],
        lambda a, b: scattered(a, 1, APART, b, OVER),
    ),
    Case(
        "scatter, a number",
        lambda a: a.scatter(1, t(APART), 2.5),
        [M],
        lambda a: scattered(a, 1, APART, np.full((2, 2), 2.5), OVER),
    ),
    Case("scatter_add", lambda a, b: a.scatter_add(1, t(IDS), b), [M, M], lambda a, b: scattered(a, 1, IDS, b, PLUS)),
    Case(
        "scatter_add, first dim",
        lambda a, b: a.scatter_add(0, t(IDS), b),
        [(3, 3), M],
        lambda a, b: scattered(a, 0, IDS, b, PLUS),
    ),
    Case(
        "scatter_add_, on a view",
        lambda a, b: (a * 1).T.scatter_add_(1, t(IDS), b),
        [(3, 2), M],
        lambda a, b: scattered(a.T, 1, IDS, b, PLUS),
    ),
    Case("index_select", lambda a: a.index_select(1, t(ROWS)), [M], lambda a: a.take(ROWS, 1)),
    Case("index_select, rows", lambda a: a.index_select(0, t(ROWS)), [(3, 2)], lambda a: a.take(ROWS, 0)),
    Case("index_select, 0-d", lambda a: a.index_select(0, t(np.array([0]))), [()], np.copy),
    Case(
        "index_add",
        lambda a, b: a.index_add(0, t(ROWS), b),
        [(3, 2), (3, 2)],
        lambda a, b: with_set(a, ROWS, b, adds=True),
    ),
    Case(
        "index_add, columns, alpha",
        lambda a, b: a.index_add(1, t(ROWS), b, alpha=-2.5),
        [M, M],
        lambda a, b: with_set(a, (slice(None), ROWS), -2.5 * b, adds=True),
    ),
    Case(
        "index_add_, on a view",
        lambda a, b: (a * 1)[1:].index_add_(0, t(ROWS), b),
        [(4, 2), (3, 2)],
        lambda a, b: with_set(a[1:], ROWS, b, adds=True),
    ),
    Case("index_fill", lambda a: a.index_fill(1, t(ROWS), 2.5), [M], lambda a: with_set(a, (slice(None), ROWS), 2.5)),
    Case(
        "index_fill, a tensor",
        lambda a, b: a.index_fill(0, t(ROWS - 3), b),
        [(3, 2), ()],
        lambda a, b: with_set(a, ROWS, b),
    ),
    Case("take", lambda a: a.take(t(IDS - 3)), [M], lambda a: a.reshape(-1)[IDS - 3]),
    Case("take_along_dim", lambda a: a.take_along_dim(t(IDS), 1), [M], lambda a: np.take_along_axis(a, IDS, 1)),
    Case(
        "take_along_dim, broadcast",
        lambda a: a.take_along_dim(t(IDS[:1]), 1),
        [M],
        lambda a: np.take_along_axis(a, IDS[:1], 1),
    ),
    Case("take_along_dim, of all", lambda a: a.take_along_dim(t(IDS)), [M], lambda a: a.reshape(-1)[IDS.reshape(-1)]),
    Case("masked_select", lambda a: a.masked_select(t(MASK)), [M], lambda a: a[MASK]),
    Case("masked_select, broadcast", lambda a: a.masked_select(t(MASK)), [(3,)], lambda a: np.stack([a, a])[MASK]),
    Case(
        "index_put", lambda a, b: a.index_put((t(ROWS[:2]),), b), [(3, 2), (2,)], lambda a, b: with_set(a, ROWS[:2], b)
    ),
    Case(
        "index_put, accumulate",
        lambda a, b: a.index_put((t(IDS % 2), t(IDS)), b, accumulate=True),
        [M, (3,)],
        lambda a, b: with_set(a, (IDS % 2, IDS), b, adds=True),
    ),
    Case("index_put, a mask", lambda a, b: a.index_put((t(MASK),), b), [M, ()], lambda a, b: with_set(a, MASK, b)),
    Case("select", lambda a: a.select(1, -1), [B], lambda a: a[:, -1]),
    Case("narrow", lambda a: a.narrow(-1, 1, 2), [B], lambda a: a[..., 1:3]),
    Case("index, places apart", lambda a: a[t(IDS), :, t(IDS)], [(3, 2, 3)], lambda a: a[IDS, :, IDS]),
    Case("index, a mask of the last dims", lambda a: a[:, t(MASK)], [B], lambda a: a[:, MASK]),
    Case("index, of what is not contiguous", lambda a: a.T[t(IDS), t(IDS % 2)], [M], lambda a: a.T[IDS, IDS % 2]),
    Case("[] =, an int", set_at(1), [M, (3,)]),
    Case("[] =, slices, broadcast", set_at((slice(None), slice(1, None))), [M, (2, 1)]),
    Case("[] =, None, ...", set_at((None, ..., 1)), [M, (1, 1, 2)], lambda a, b: with_set(a, (..., 1), b[0, 0])),
    Case("[] =, ids", set_at(torch.tensor([2, 0])), [(3, 2), (2, 2)], lambda a, b: with_set(a, [2, 0], b)),
    Case("[] =, an int and ids", set_at((1, [2, 0])), [M, (2,)], lambda a, b: with_set(a, (1, [2, 0]), b)),
    Case("[] =, places apart", set_at(([2, 0], slice(None), [1, 1])), [(3, 2, 2), (2, 2)]),
    Case("[] =, a mask", set_at(t(MASK)), [M, (4,)], lambda a, b: with_set(a, MASK, b)),
    Case("[] =, a mask and a 0-d tensor", set_at(t(MASK)), [M, ()], lambda a, b: with_set(a, MASK, b)),
    Case("[] =, a number", after(lambda y: y.__setitem__(0, 2.5)), [M]),
    Case("[] =, on a view", after(lambda y: y.T.__setitem__((slice(None), 1), 2.5)), [M]),
]
