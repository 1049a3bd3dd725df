"""Layers by themselves, forward and backward: linear ones, rows that are normalized, losses, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from .floors import (
    blocks,
    cross_entropy,
    gelu_tanh,
    layer_norm,
    layer_norm_backward,
    linear,
    linear_backward,
    softmax,
    softmax_backward,
)
from .harness import Array, Program, Step, gradients, leaf, normal, uniform_ids, workload


@workload("linear, {0} × {1} → {2}", (32, 30, 200), (1024, 768, 768), (256, 768, 50257), tiny=(5, 3, 4))
def linear_layer(count: int, inputs: int, outputs: int) -> tuple[Step, Program]:
    return _linear((count, inputs), outputs)


@workload("linear, {0} × {1} × {2} → {3}", (8, 128, 256, 1024), tiny=(2, 5, 3, 4))
def linear_layer_of_batches(batch: int, count: int, inputs: int, outputs: int) -> tuple[Step, Program]:
    return _linear((batch, count, inputs), outputs)


def _linear(shape: tuple[int, ...], outputs: int) -> tuple[Step, Program]:
    x, w, b = normal(*shape), normal(outputs, shape[-1], seed=1), normal(outputs, seed=2)
    upstream = normal(*shape[:-1], outputs, seed=3)
    flat_x, flat_upstream = x.reshape(-1, shape[-1]), upstream.reshape(-1, outputs)

    def floor() -> list[Any]:
        y = linear(flat_x, w, b)
        dx, dw, db = linear_backward(flat_upstream, flat_x, w)
        return [y.reshape(upstream.shape), dx.reshape(shape), dw, db]

    def program(torch: Any) -> Step:
        leaves, g = [leaf(torch, each) for each in (x, w, b)], torch.from_numpy(upstream)
        return lambda: gradients(torch.nn.functional.linear(*leaves), g, *leaves)

    return floor, program


@workload("cross-entropy, {0} × {1}", (256, 50257), (4096, 512), (32, 27), tiny=(5, 4))
def cross_entropy_loss(count: int, classes: int) -> tuple[Step, Program]:
    x, target = normal(count, classes), uniform_ids(count, classes)

    def floor() -> list[Any]:
        return list(cross_entropy(x, target))

    def program(torch: Any) -> Step:
        scores, ids = leaf(torch, x), torch.from_numpy(target)
        return lambda: gradients(torch.nn.functional.cross_entropy(scores, ids), None, scores)

    return floor, program


@workload("softmax, {0} × {1}", (4096, 512), tiny=(5, 4))
def softmax_layer(count: int, width: int) -> tuple[Step, Program]:
    x, upstream = normal(count, width), normal(count, width, seed=1)

    def floor() -> list[Any]:
        y = softmax(x)
        return [y, softmax_backward(upstream, y)]

    def program(torch: Any) -> Step:
        scores, g = leaf(torch, x), torch.from_numpy(upstream)
        return lambda: gradients(scores.softmax(-1), g, scores)

    return floor, program


@workload("layer norm, {0} × {1}", (4096, 512), (8, 8), tiny=(5, 4))
def layer_norm_layer(count: int, width: int) -> tuple[Step, Program]:
    x, w, b, upstream = normal(count, width), normal(width, seed=1), normal(width, seed=2), normal(count, width, seed=3)

    def floor() -> list[Any]:
        y, means, scales = layer_norm(x, w, b)
        return [y, *layer_norm_backward(upstream, x, w, means, scales)]

    def program(torch: Any) -> Step:
        leaves, g = [leaf(torch, each) for each in (x, w, b)], torch.from_numpy(upstream)
        return lambda: gradients(torch.nn.functional.layer_norm(leaves[0], (width,), *leaves[1:]), g, *leaves)

    return floor, program


@workload("gelu, {0} × {1}", (4096, 512), tiny=(5, 4))
def gelu_layer(count: int, width: int) -> tuple[Step, Program]:
    return _gelu(count, width, gelu_erf, "none")


@workload("gelu by tanh, {0} × {1}", (4096, 512), tiny=(5, 4))
def gelu_layer_by_tanh(count: int, width: int) -> tuple[Step, Program]:
    return _gelu(count, width, gelu_tanh, "tanh")


def _gelu(count: int, width: int, by_hand: Any, approximate: str) -> tuple[Step, Program]:
    x, upstream = normal(count, width), normal(count, width, seed=1)

    def floor() -> list[Any]:
        y, slope = by_hand(x)
        slope *= upstream
        return [y, slope]

    def program(torch: Any) -> Step:
        values, g = leaf(torch, x), torch.from_numpy(upstream)
        gelu = torch.nn.functional.gelu
        return lambda: gradients(gelu(values, approximate=approximate), g, values)

    return floor, program


def gelu_erf(x: Array) -> tuple[Array, Array]:
    """`x * cdf(x)` of the normal distribution, and its derivative `cdf(x) + x * pdf(x)`.

    Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", 26.2.17; good for float32, and the
    density is at hand.
    """
    y, slope = np.empty_like(x), np.empty_like(x)
    powers = [np.float32(each) for each in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530)]
    for rows in blocks(x):
        part = x[rows]
        density = part * part
        density *= np.float32(-0.5)
        np.exp(density, out=density)
        density *= np.float32((2 * np.pi) ** -0.5)
        t = np.abs(part)
        t *= np.float32(0.2316419)
        t += 1
        np.reciprocal(t, out=t)
        tail = t * powers[0]
        for power in powers[1:]:
            tail += power
            tail *= t
        tail *= density
        # The tail beyond |x|: what is below x is that, or 1 less that.
        tail -= np.float32(0.5)
        np.copysign(tail, part, out=tail)
        tail += np.float32(0.5)
        np.multiply(tail, part, out=y[rows])
        density *= part
        np.add(tail, density, out=slope[rows])
    return y, slope


@workload("attention, {0} heads, {1} tokens, {2} wide", (8, 256, 64), tiny=(2, 5, 3))
def attention(heads: int, count: int, width: int) -> tuple[Step, Program]:
    q, k, v, upstream = [normal(heads, count, width, seed=seed) for seed in range(4)]
    scale = np.float32(width**-0.5)

    def floor() -> list[Any]:
        scores = (q * scale) @ k.swapaxes(-1, -2)
        p = softmax(scores.reshape(-1, count)).reshape(scores.shape)
        dp = upstream @ v.swapaxes(-1, -2)
        ds = softmax_backward(dp.reshape(-1, count), p.reshape(-1, count)).reshape(p.shape)
        ds *= scale
        return [p @ v, ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ upstream]

    def program(torch: Any) -> Step:
        leaves, g = [leaf(torch, each) for each in (q, k, v)], torch.from_numpy(upstream)
        return lambda: gradients(torch.nn.functional.scaled_dot_product_attention(*leaves), g, *leaves)

    return floor, program
