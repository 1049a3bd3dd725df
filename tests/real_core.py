"""Rows of the real tier: arithmetic, reductions, shapes, indexing, products, layers, writes."""

from __future__ import annotations

from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch
from minigrad.nn import functional as F

IDS = np.array([[2, 0, 2], [1, 2, 2]])
MASK = np.array([[True, False, True], [False, True, True]])


def ids_for(x: Any, array: Array = IDS) -> Any:
    """The ids as what x is: a tensor or an array."""
    return torch.from_numpy(array) if isinstance(x, torch.Tensor) else array


def softmax(x: Array, axis: int) -> Array:
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


def scalar_softmax(x: Array) -> Array:
    return np.ones_like(x)


def linear(x: Array, weight: Array, *bias: Array) -> Array:
    return np.einsum("...i,oi->...o", x, weight) + sum(bias)


M, V, B = (2, 3), (3,), (4, 2, 3)

CASES += [
    Case("add", lambda a, b: a + b, [M, M]),
    Case("add, broadcast", lambda a, b: a + b, [(2, 1, 3), (4, 1)]),
    Case("add, a number", lambda a: 2 + a + 3, [M]),
    Case("add, itself", lambda a: a + a, [M]),
    Case("sub", lambda a, b: a - b, [M, V]),
    Case("sub, a 0-d tensor first", lambda a, b: a - b, [(), M]),
    Case("sub, a number", lambda a: 2 - (a - 3), [M]),
    Case("mul", lambda a, b: a * b, [M, M]),
    Case("mul, broadcast", lambda a, b: a * b, [(2, 1), (3,)]),
    Case("mul, a number", lambda a: 2 * a * 3, [M]),
    Case("mul, itself", lambda a: a * a, [M]),
    Case("div", lambda a, b: a / b, [M, M]),
    Case("div, broadcast", lambda a, b: a / b, [(3,), (2, 1)]),
    Case("div, a number", lambda a: a / 3, [M]),
    Case("div, of a number", lambda a: 3 / a, [M]),
    Case("pow, of tensors", lambda a, b: a**b, [M, M], positive=True),
    Case("pow, broadcast", lambda a, b: a**b, [(2, 1), (3,)], positive=True),
    Case("pow, 0", lambda a: a**0, [M]),
    Case("pow, 1", lambda a: a**1, [M]),
    Case("pow, 2", lambda a: a**2, [M]),
    Case("pow, 3", lambda a: a**3, [M]),
    Case("pow, -1", lambda a: a**-1, [M]),
    Case("pow, 0.5", lambda a: a**0.5, [M], positive=True),
    Case("pow, -1.5", lambda a: a**-1.5, [M], positive=True),
    Case("pow, of a number", lambda a: 2.5**a, [M]),
    Case("neg", lambda a: -a, [M]),
    Case("abs", abs, [M]),
    Case("relu", lambda a: a.relu(), [M], lambda a: np.maximum(a, 0)),
    Case("exp", lambda a: a.exp(), [M], np.exp),
    Case("log", lambda a: a.log(), [M], np.log, positive=True),
    Case("sqrt", lambda a: a.sqrt(), [M], np.sqrt, positive=True),
    Case("tanh", lambda a: a.tanh(), [M], np.tanh),
    Case("clone", lambda a: a.clone(), [M], np.copy),
    Case("contiguous", lambda a: a.T.contiguous(), [M], np.transpose),
    Case("softmax, last", lambda a: a.softmax(-1), [M], lambda a: softmax(a, 1)),
    Case("softmax, first", lambda a: a.softmax(0), [B], lambda a: softmax(a, 0)),
    Case("softmax, 0-d", lambda a: a.softmax(0), [()], scalar_softmax),
    Case("sum", lambda a: a.sum(), [M]),
    Case("sum, 0-d", lambda a: a.sum(), [()]),
    Case("sum, a dim", lambda a: a.sum(1), [B]),
    Case("sum, dims", lambda a: a.sum((0, -1)), [B]),
    Case("sum, keepdim", lambda a: a.sum((0, 2), True), [B], lambda a: a.sum((0, 2), keepdims=True)),
    Case("sum, dim of size 1", lambda a: a.sum(0), [(1, 3)]),
    Case("mean", lambda a: a.mean(), [M]),
    Case("mean, a dim", lambda a: a.mean(0), [B]),
    Case("mean, dims", lambda a: a.mean((0, 2)), [B]),
    Case("mean, keepdim", lambda a: a.mean(-1, True), [B], lambda a: a.mean(-1, keepdims=True)),
    Case("max", lambda a: a.max(), [M]),
    Case("min", lambda a: a.min(), [M]),
    Case("max, a dim", lambda a: a.max(1).values, [M], lambda a: a.max(1)),
    Case("max, keepdim", lambda a: a.max(0, True)[0], [M], lambda a: a.max(0, keepdims=True)),
    Case("min, a dim", lambda a: a.min(0).values, [B], lambda a: a.min(0)),
    Case("min, keepdim", lambda a: a.min(-1, True)[0], [B], lambda a: a.min(-1, keepdims=True)),
    Case("max, 0-d", lambda a: a.max(0).values, [()], np.copy),
    Case("reshape", lambda a: a.reshape(3, 2), [M]),
    Case("reshape, with -1", lambda a: a.reshape((2, -1)), [B]),
    Case("reshape, of what is not contiguous", lambda a: a.T.reshape(2, 3), [M]),
    Case("view", lambda a: a.view(6), [M], np.ravel),
    Case("flatten", lambda a: a.flatten(), [B]),
    Case("permute", lambda a: a.permute(2, 0, 1), [B], lambda a: a.transpose(2, 0, 1)),
    Case("permute, another", lambda a: a.permute(1, 2, 0), [B], lambda a: a.transpose(1, 2, 0)),
    Case("transpose", lambda a: a.transpose(0, -1), [B], lambda a: a.swapaxes(0, 2)),
    Case("T", lambda a: a.T, [B]),
    Case("t", lambda a: a.t(), [M], np.transpose),
    Case("mT", lambda a: a.mT, [B], lambda a: a.swapaxes(1, 2)),
    Case("unsqueeze", lambda a: a.unsqueeze(1), [M], lambda a: a[:, None]),
    Case("squeeze", lambda a: a.squeeze(), [(1, 3, 1)]),
    Case("squeeze, a dim", lambda a: a.squeeze(0), [(1, 3, 1)]),
    Case("expand", lambda a: a.expand(4, 2, 3), [(2, 1)], lambda a: np.broadcast_to(a, (4, 2, 3))),
    Case("expand, nothing repeated", lambda a: a.expand(1, -1, 3), [M], lambda a: a[None]),
    Case("expand, 0-d", lambda a: a.expand(2, 2), [()], lambda a: np.broadcast_to(a, (2, 2))),
    Case("index, an int", lambda a: a[1], [B]),
    Case("index, ints to an element", lambda a: a[1, -1, 0], [B]),
    Case("index, slices", lambda a: a[1:, ::2, -2:], [B]),
    Case("index, None and Ellipsis", lambda a: a[None, ..., 1], [B]),
    Case("index, ids with repeats", lambda a: a[ids_for(a)], [V]),
    Case("index, ids of rows", lambda a: a[ids_for(a)], [(3, 2)]),
    Case("index, negative ids of rows", lambda a: a[ids_for(a, IDS - 3)], [(3, 2)]),
    Case("index, ids of rows of matrices", lambda a: a[ids_for(a)], [(3, 2, 2)]),
    Case("index, ids of columns", lambda a: a[:, ids_for(a)], [M]),
    Case("index, pairs of ids", lambda a: a[ids_for(a, IDS // 2), ids_for(a)], [M]),
    Case("index, a slice and ids", lambda a: a[1:, :, ids_for(a)[0]], [B]),
    Case("index, a mask", lambda a: a[ids_for(a, MASK)], [M]),
    Case("index, a mask of leading dims", lambda a: a[ids_for(a, MASK)], [(2, 3, 2)]),
    Case("iteration", lambda a: next(iter(a)), [M]),
    Case("cat", lambda a, b: torch.cat([a, b]), [(2, 3), (1, 3)], lambda a, b: np.concatenate([a, b])),
    Case("cat, last dim", lambda a, b: torch.cat([a, b, a], -1), [M, M], lambda a, b: np.concatenate([a, b, a], 1)),
    Case("stack", lambda a, b: torch.stack([a, b, b]), [V, V], lambda a, b: np.stack([a, b, b])),
    Case("stack, a dim", lambda a, b: torch.stack([a, b], 1), [M, M], lambda a, b: np.stack([a, b], 1)),
    Case("matmul", lambda a, b: a @ b, [(2, 3), (3, 4)]),
    Case("matmul, batched", lambda a, b: a @ b, [(2, 4, 3), (2, 3, 2)]),
    Case("matmul, batch by matrix", lambda a, b: a @ b, [(2, 4, 3), (3, 2)]),
    Case("matmul, matrix by batch", lambda a, b: a @ b, [(4, 3), (2, 3, 2)]),
    Case("matmul, batches broadcast", lambda a, b: a @ b, [(2, 1, 2, 3), (4, 3, 2)]),
    Case("matmul, matrix by vector", lambda a, b: a @ b, [M, V]),
    Case("matmul, vector by matrix", lambda a, b: a @ b, [(2,), M]),
    Case("matmul, batch by vector", lambda a, b: a @ b, [B, V]),
    Case("matmul, vector by batch", lambda a, b: a @ b, [(2,), B]),
    Case("matmul, vectors", lambda a, b: a @ b, [V, V]),
    Case("matmul, a matrix and itself", lambda a: a @ a, [(3, 3)]),
    Case("linear", F.linear, [M, (4, 3), (4,)], linear),
    Case("linear, no bias", F.linear, [M, (4, 3)], linear),
    Case("linear, 1-d", F.linear, [V, (4, 3), (4,)], linear),
    Case("linear, 1-d, no bias", F.linear, [V, (4, 3)], linear),
    Case("linear, 3-d", F.linear, [B, (2, 3), (2,)], linear),
    Case("linear, 3-d, no bias", F.linear, [B, (2, 3)], linear),
    Case("linear, a bias that broadcasts", F.linear, [M, (4, 3), (1,)], linear),
    Case("linear, a vector as weight", F.linear, [B, V], lambda x, w: x @ w),
    Case("embedding", lambda w: F.embedding(ids_for(w), w), [(4, 2)], lambda w: w[IDS]),
    Case("embedding, padding", lambda w: F.embedding(ids_for(w), w, -3), [(3, 2)], lambda w: w[IDS]),
    Case("add_", lambda a, b: (a * 1).add_(b), [M, V], np.add),
    Case("sub_", lambda a, b: (a * 1).sub_(b), [M, V], np.subtract),
    Case("mul_", lambda a, b: (a * 1).mul_(b), [M, (2, 1)], np.multiply),
    Case("div_", lambda a, b: (a * 1).div_(b), [M, V], np.divide),
    Case("**=", lambda a, b: (a * 1).__ipow__(b), [M, V], np.power, positive=True),
    Case("**= a number", lambda a: (a * 1).__ipow__(3), [M], lambda a: a**3),
    Case("*= a number", lambda a: (a * 1).__imul__(3), [M], lambda a: a * 3),
    Case("copy_", lambda a, b: (a * 1).copy_(b), [M, V], lambda a, b: np.broadcast_to(b, a.shape)),
]
