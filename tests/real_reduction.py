"""Rows of the real tier: reductions, running reductions, order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch


def logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    return np.asarray(np.log(np.exp(x).sum(axis, keepdims=keepdims)))


def with_zero(x: Any) -> Any:
    """x of two dimensions, with its element at (0, 1) made 0 in a way that its gradient passes."""
    mask = np.ones(x.shape)
    mask[0, 1] = 0
    return x * (torch.from_numpy(mask) if isinstance(x, torch.Tensor) else mask)


def with_zeros(x: Any) -> Any:
    """As `with_zero`, with two zeros in the first row and two in the second column."""
    mask = np.ones(x.shape)
    mask[0, 1] = mask[0, 2] = mask[1, 1] = 0
    return x * (torch.from_numpy(mask) if isinstance(x, torch.Tensor) else mask)


def median(x: Array, axis: int) -> Array:
    return np.take(np.sort(x, axis), (x.shape[axis] - 1) // 2, axis)


def added(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What the tensors, or arrays, that f gives add up to; each counts differently."""
    return lambda x: sum((n + 1) * each for n, each in enumerate(f(x)))


M, V, B = (2, 3), (3,), (4, 2, 3)

CASES += [
    Case("sum, of many rows", lambda a: a.sum(0), [(4100, 2)], lambda a: np.array([math.fsum(each) for each in a.T])),
    Case("var, of many rows", lambda a: a.var(0), [(4100, 2)], lambda a: a.var(0, ddof=1)),
    Case("nansum", lambda a: a.nansum(1), [M], lambda a: np.nansum(a, 1)),
    Case("nanmean", lambda a: a.nanmean((0, 2), True), [B], lambda a: np.nanmean(a, (0, 2), keepdims=True)),
    Case("prod", lambda a: a.prod(), [M]),
    Case("prod, 0-d", lambda a: a.prod(), [()]),
    Case("prod, a dim", lambda a: a.prod(1), [B]),
    Case("prod, keepdim", lambda a: a.prod(-1, True), [B], lambda a: a.prod(-1, keepdims=True)),
    Case("prod, a zero", lambda a: with_zero(a).prod(), [M]),
    Case("prod, a zero in a dim", lambda a: with_zero(a).prod(1), [M]),
    Case("prod, zeros in a dim", lambda a: with_zeros(a).prod(1), [(2, 4)]),
    Case("var", lambda a: a.var(), [M], lambda a: a.var(ddof=1)),
    Case("var, a dim", lambda a: a.var(1), [M], lambda a: a.var(1, ddof=1)),
    Case(
        "var, dims and keepdim",
        lambda a: a.var((0, 2), keepdim=True, correction=0),
        [B],
        lambda a: a.var((0, 2), keepdims=True),
    ),
    Case("var, half a correction", lambda a: a.var(correction=0.5), [V], lambda a: a.var(ddof=0.5)),
    Case("std", lambda a: a.std(), [M], lambda a: a.std(ddof=1)),
    Case("std, a dim", lambda a: a.std(0, False), [B], lambda a: a.std(0)),
    Case(
        "var_mean", lambda a: added(lambda x: torch.var_mean(x, 1))(a), [M], lambda a: a.var(1, ddof=1) + 2 * a.mean(1)
    ),
    Case("std_mean", lambda a: added(torch.std_mean)(a), [M], lambda a: a.std(ddof=1) + 2 * a.mean()),
    *[
        Case(
            f"norm, {p}, {dim}",
            lambda a, p=p, dim=dim: a.norm(p, dim),
            [B],
            lambda a, p=p, dim=dim: (abs(a) ** p).sum(dim) ** (1 / p),
        )
        for p in (1, 2, 3, 1.5, 0.5, -1)
        for dim in (None, 1, (0, 2))
    ],
    Case("norm, inf", lambda a: a.norm(math.inf, 1, True), [M], lambda a: abs(a).max(1, keepdims=True)),
    Case("norm, -inf", lambda a: a.norm(-math.inf), [M], lambda a: abs(a).min()),
    Case("amax", lambda a: a.amax(), [M], np.max),
    Case("amax, dims", lambda a: a.amax((0, 2), True), [B], lambda a: a.max((0, 2), keepdims=True)),
    Case("amin, a dim", lambda a: a.amin(-1), [B], lambda a: a.min(-1)),
    Case("max, of two", lambda a, b: a.max(b), [M, V], np.maximum),
    Case("min, of two", lambda a, b: torch.min(a, b), [M, V], np.minimum),
    Case("logsumexp", lambda a: a.logsumexp(0), [V], logsumexp),
    Case("logsumexp, dims", lambda a: a.logsumexp((0, 1), True), [B], lambda a: logsumexp(a, (0, 1), True)),
    Case("log_softmax, last", lambda a: a.log_softmax(-1), [M], lambda a: a - logsumexp(a, 1, True)),
    Case("log_softmax, first", lambda a: a.log_softmax(0), [B], lambda a: a - logsumexp(a, 0, True)),
    Case("log_softmax, 0-d", lambda a: a.log_softmax(0), [()], np.zeros_like),
    Case("cumsum", lambda a: a.cumsum(1), [B]),
    Case("cumprod", lambda a: a.cumprod(1), [M]),
    Case("cumprod, first", lambda a: a.cumprod(0), [B]),
    Case("cumprod, a zero", lambda a: with_zero(a).cumprod(1), [(2, 4)]),
    Case("cumprod, zeros", lambda a: with_zeros(a).cumprod(0), [M]),
    Case("cumprod, zeros, last", lambda a: with_zeros(a).cumprod(1), [(2, 4)]),
    Case("cumsum_", lambda a: (a * 1).cumsum_(1), [M], lambda a: a.cumsum(1)),
    Case("cumprod_", lambda a: (a * 1).cumprod_(1), [M], lambda a: a.cumprod(1)),
    Case("sort", lambda a: a.sort(0).values, [B], lambda a: np.sort(a, 0)),
    Case("sort, descending", lambda a: a.sort(descending=True)[0], [M], lambda a: np.sort(a)[:, ::-1]),
    Case("topk", lambda a: a.topk(2).values, [B], lambda a: np.sort(a)[..., :0:-1]),
    Case("topk, smallest", lambda a: a.topk(1, 0, False)[0], [M], lambda a: np.sort(a, 0)[:1]),
    Case("median", lambda a: a.median(), [M], lambda a: median(a.ravel(), 0)),
    Case("median, a dim", lambda a: a.median(0).values, [B], lambda a: median(a, 0)),
    Case("mode", lambda a: a.mode(1).values, [M], lambda a: a.min(1)),
]
