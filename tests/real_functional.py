"""Rows of the real tier: losses, normalization, attention, padding, bags of embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch
from minigrad.nn import functional as F

M, B, S = (4, 3), (2, 3, 4), (2, 3, 2, 2)
IDS = np.array([2, 0, -100, 1])
PIXELS = np.array([[[0, 2], [1, 1]], [[2, -100], [0, 0]]])
WEIGHTS = np.array([0.5, 2.0, 1.5])
BAGS, OFFSETS = np.array([3, 1, 1, 0, 2, 3]), np.array([0, 2, 2, 5])


def t(array: Any) -> Any:
    return torch.from_numpy(np.asarray(array))


# ---- oracles ---------------------------------------------------------------------------------------------------------


def log_softmax(x: Array, axis: int) -> Array:
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def nll(log_p: Array, ids: Array, weights: Array | None = None, reduction: str = "mean") -> Any:
    """Element by element, as the definition says."""
    losses, counts = np.zeros(ids.shape), np.zeros(ids.shape)
    for place in np.ndindex(ids.shape):
        if ids[place] != -100:
            counts[place] = 1 if weights is None else weights[ids[place]]
            losses[place] = -counts[place] * log_p[(*place[:1], ids[place], *place[1:])]
    return losses if reduction == "none" else losses.sum() / (counts.sum() if reduction == "mean" else 1)


def smooth(x: Array, weights: Array, rest: float) -> Any:
    log_p, counted = log_softmax(x, 1), IDS != -100
    spread = -(log_p * weights).sum(1)[counted].sum() / weights[IDS[counted]].sum()
    return (1 - rest) * nll(log_p, IDS, weights) + rest / x.shape[1] * spread


def standardized(x: Array, axes: Any, eps: float) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def channels(w: Array, x: Array) -> Array:
    return w.reshape(-1, *[1] * (x.ndim - 2))


def group_norm(x: Array, w: Array, b: Array) -> Array:
    y = standardized(x.reshape(2, 3, -1), 2, 0.1).reshape(x.shape)
    return y * channels(w, x) + channels(b, x)


def attention(q: Array, k: Array, v: Array, mask: Any = 0.0) -> Array:
    scores = np.einsum("...ld,...sd->...ls", q, k) / np.sqrt(q.shape[-1]) + mask
    p = np.exp(scores)
    total = p.sum(-1, keepdims=True)
    return np.einsum("...ls,...sd->...ld", p / np.where(total == 0, 1, total), v)


def bags(w: Array, reduce: Any, without: int | None = None) -> Array:
    out = np.zeros((len(OFFSETS), w.shape[1]))
    for bag, (start, end) in enumerate(zip(OFFSETS, [*OFFSETS[1:], len(BAGS)], strict=True)):
        rows = [w[i] for i in BAGS[start:end] if i != without]
        if rows:
            out[bag] = reduce(np.array(rows), axis=0)
    return out


def cosine(x: Array, y: Array) -> Array:
    return (x * y).sum(1) / np.sqrt(((x * x).sum(1) + 1e-12) * ((y * y).sum(1) + 1e-12))


def huber(d: Array, delta: float) -> Array:
    return np.where(np.abs(d) < delta, d * d / 2, delta * (np.abs(d) - delta / 2))


SIGNS = np.array([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]])
# Differences of both signs, far from 0 and from 0.7.
FAR = np.array([0.1, 1.0, -1.0])
HIDDEN = np.array([[True, False, True, True], [False] * 4, [True, True, False, False]])

# ---- the rows --------------------------------------------------------------------------------------------------------

CASES += [
    Case("cross_entropy", lambda x: F.cross_entropy(x, t(IDS)), [M], lambda x: nll(log_softmax(x, 1), IDS)),
    Case("cross_entropy, weights", lambda x: F.cross_entropy(x, t(IDS), t(WEIGHTS)), [M],
         lambda x: nll(log_softmax(x, 1), IDS, WEIGHTS)),
    Case("cross_entropy, each", lambda x: F.cross_entropy(x, t(IDS), t(WEIGHTS), reduction="none"), [M],
         lambda x: nll(log_softmax(x, 1), IDS, WEIGHTS, "none")),
    Case("cross_entropy, the sum, 4-d", lambda x: F.cross_entropy(x, t(PIXELS), reduction="sum"), [S],
         lambda x: nll(log_softmax(x, 1), PIXELS, None, "sum")),
    Case("cross_entropy, one vector", lambda x: F.cross_entropy(x, t(2)), [(4,)],
         lambda x: -log_softmax(x, 0)[2]),
    Case("cross_entropy, another class ignored", lambda x: F.cross_entropy(x, t([0, 1, 2, 1]), ignore_index=1), [M],
         lambda x: nll(log_softmax(x, 1), np.array([0, -100, 2, -100]))),
    Case("cross_entropy, transposed", lambda x: F.cross_entropy(x.transpose(1, 2), t(PIXELS[:, 0])), [(2, 2, 3)],
         lambda x: nll(log_softmax(x, 2).transpose(0, 2, 1), PIXELS[:, 0])),
    Case("cross_entropy, smoothed", lambda x: F.cross_entropy(x, t(IDS), t(WEIGHTS), label_smoothing=0.25), [M],
         lambda x: smooth(x, WEIGHTS, 0.25)),
    Case("cross_entropy, probabilities", lambda x, p: F.cross_entropy(x, p), [B, B],
         lambda x, p: -(log_softmax(x, 1) * p).sum() / 8),
    Case("cross_entropy, probabilities, weights", lambda x, p, w: F.cross_entropy(x, p, w, reduction="none"),
         [M, M, (3,)], lambda x, p, w: -(log_softmax(x, 1) * p * w).sum(1)),
    Case("nll_loss", lambda x: F.nll_loss(x, t(IDS), t(WEIGHTS)), [M], lambda x: nll(x, IDS, WEIGHTS)),
    Case("nll_loss, 4-d", lambda x: F.nll_loss(x, t(PIXELS), reduction="none"), [S],
         lambda x: nll(x, PIXELS, None, "none")),
    Case("mse_loss", F.mse_loss, [M, M], lambda x, y: ((x - y) ** 2).mean()),
    Case("mse_loss, weights", lambda x, y, w: F.mse_loss(x, y, weight=w), [M, M, M],
         lambda x, y, w: ((x - y) ** 2 * w).sum() / w.sum(), positive=True),
    Case("l1_loss", lambda x, y: F.l1_loss(x * t(FAR), -y * t(FAR), reduction="sum"), [M, M],
         lambda x, y: np.abs((x + y) * FAR).sum(), positive=True),
    Case("smooth_l1_loss", lambda x, y: F.smooth_l1_loss(x * t(FAR), -y * t(FAR), beta=0.7), [M, M],
         lambda x, y: huber((x + y) * FAR, 0.7).mean() / 0.7, positive=True),
    Case("binary_cross_entropy", lambda p, q: F.binary_cross_entropy(p / 3, q / 3, t(WEIGHTS)), [M, M],
         lambda p, q: -((q * np.log(p / 3) + (3 - q) * np.log(1 - p / 3)) / 3 * WEIGHTS).mean(), positive=True),
    Case("binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits, [M, M],
         lambda x, y: (np.log1p(np.exp(x)) - y * x).mean()),
    Case("binary_cross_entropy_with_logits, weights",
         lambda x, y: F.binary_cross_entropy_with_logits(x, y, t(WEIGHTS), reduction="sum", pos_weight=t([[3.0]])),
         [M, M], lambda x, y: (((1 - y) * np.log1p(np.exp(x)) + 3 * y * np.log1p(np.exp(-x))) * WEIGHTS).sum()),
    Case("layer_norm", lambda x, w, b: F.layer_norm(x, (3, 4), w, b, 0.1), [B, (3, 4), (3, 4)],
         lambda x, w, b: standardized(x, (1, 2), 0.1) * w + b),
    Case("layer_norm, plain", lambda x: F.layer_norm(x, (4,), eps=0.1), [B], lambda x: standardized(x, 2, 0.1)),
    Case("rms_norm", lambda x, w: F.rms_norm(x, (4,), w, 0.1), [B, (4,)],
         lambda x, w: x / np.sqrt((x * x).mean(2, keepdims=True) + 0.1) * w),
    Case("batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True, eps=0.1), [S, (3,), (3,)],
         lambda x, w, b: standardized(x, (0, 2, 3), 0.1) * channels(w, x) + channels(b, x)),
    Case("batch_norm, a matrix", lambda x, w: F.batch_norm(x, None, None, w, training=True, eps=0.1), [M, (3,)],
         lambda x, w: standardized(x, 0, 0.1) * w),
    Case("batch_norm, not training", lambda x, w, b: F.batch_norm(x, t([1.0, 2, 3]), t([4.0, 1, 2]), w, b, eps=0.0),
         [B, (3,), (3,)],
         lambda x, w, b: (x - [[1], [2], [3]]) / np.sqrt([[4], [1], [2]]) * channels(w, x) + channels(b, x)),
    Case("group_norm", lambda x, w, b: F.group_norm(x, 3, w, b, 0.1), [(2, 6, 2), (6,), (6,)], group_norm),
    Case("instance_norm", lambda x, w, b: F.instance_norm(x, None, None, w, b, eps=0.1), [B, (3,), (3,)],
         lambda x, w, b: standardized(x, 2, 0.1) * channels(w, x) + channels(b, x)),
    Case("attention", F.scaled_dot_product_attention, [B, (2, 5, 4), (2, 5, 2)], attention),
    Case("attention, a mask", F.scaled_dot_product_attention, [(3, 2), (4, 2), (4, 2), (3, 4)], attention),
    Case("attention, hidden keys", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, t(HIDDEN)),
         [B, (4, 4), (4, 2)], lambda q, k, v: attention(q, k, v, np.where(HIDDEN, 0, -np.inf))),
    Case("attention, causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), [B, B, B],
         lambda q, k, v: attention(q, k, v, np.where(np.tri(3), 0, -np.inf))),
    Case("attention, scaled", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), [B, B, B],
         lambda q, k, v: attention(q * 0.6, k, v)),
    Case("attention, shared heads", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
         [(4, 3, 2), (2, 3, 2), (1, 3, 2)],
         lambda q, k, v: attention(q, np.repeat(k, 2, axis=0), np.repeat(v, 4, axis=0))),
    Case("pad", lambda x: F.pad(x, (1, -1, 0, 2), value=7), [B],
         lambda x: np.pad(x, ((0, 0), (0, 2), (1, 0)), constant_values=7)[..., :-1]),
    Case("pad, reflected", lambda x: F.pad(x, (3, 1, 1, 2), "reflect"), [B],
         lambda x: np.pad(x, ((0, 0), (1, 2), (3, 1)), "reflect")),
    Case("pad, replicated", lambda x: F.pad(x, (3, 1, -1, 5), "replicate"), [B],
         lambda x: np.pad(x[:, 1:], ((0, 0), (0, 5), (3, 1)), "edge")),
    Case("pad, circular", lambda x: F.pad(x, (4, 1, 2, 3), "circular"), [B],
         lambda x: np.pad(x, ((0, 0), (2, 3), (4, 1)), "wrap")),
    Case("embedding_bag, sum", lambda w: F.embedding_bag(t(BAGS), w, t(OFFSETS), mode="sum"), [(4, 2)],
         lambda w: bags(w, np.sum)),
    Case("embedding_bag, mean", lambda w: F.embedding_bag(t(BAGS), w, t(OFFSETS)), [(4, 2)],
         lambda w: bags(w, np.mean)),
    Case("embedding_bag, max", lambda w: F.embedding_bag(t(BAGS), w, t(OFFSETS), mode="max"), [(4, 2)],
         lambda w: bags(w, np.max)),
    Case("embedding_bag, of one size", lambda w: F.embedding_bag(t(BAGS.reshape(2, 3)), w), [(4, 2)],
         lambda w: w[BAGS.reshape(2, 3)].mean(1)),
    Case("embedding_bag, weights",
         lambda w, p: F.embedding_bag(t(BAGS.reshape(2, 3)), w, per_sample_weights=p, mode="sum"),
         [(4, 2), (2, 3)], lambda w, p: (w[BAGS.reshape(2, 3)] * p[..., None]).sum(1)),
    Case("normalize", F.normalize, [B], lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)),
    Case("normalize, order 3", lambda x: F.normalize(x, 3.0, -1), [B],
         lambda x: x / (np.abs(x) ** 3).sum(2, keepdims=True) ** (1 / 3)),
    Case("cosine_similarity", F.cosine_similarity, [B, (3, 1)],
         lambda x, y: (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum())),
    Case("glu", lambda x: F.glu(x, 0), [M], lambda x: x[:2] / (1 + np.exp(-x[2:]))),
    Case("kl_div", lambda x, y: F.kl_div(x, y, reduction="batchmean"), [M, M],
         lambda x, y: (y * (np.log(y) - x)).sum() / 4, positive=True),
    Case("kl_div, logarithms", lambda x, y: F.kl_div(x, y, reduction="none", log_target=True), [M, M],
         lambda x, y: np.exp(y) * (y - x)),
    Case("cosine_embedding_loss", lambda x, y: F.cosine_embedding_loss(x, y, t(SIGNS[:, 0]), 0.1), [M, M],
         lambda x, y: np.where(SIGNS[:, 0] == 1, 1 - cosine(x, y), cosine(x, y) - 0.1).mean(), positive=True),
]  # fmt: skip
