"""Scaled dot-product attention.

Source: A. Vaswani et al., "Attention is all you need" (2017), section 3.2.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import read_in_place, row_blocks, total
from minigrad.core.dtypes import Array
from minigrad.core.products import MatMul, product
from minigrad.core.shapes import sum_to
from minigrad.core.tape import Node, keep_input_and_output
from minigrad.core.tensor import Tensor
from minigrad.ops.softmax import SoftmaxBackwardData, largest


class AttentionWeights(Node):
    """`P = softmax(scale * Q @ K.mT + mask + bias)` along the last dimension: how much each query takes of each value.

    `Q` is `(*, L, E)`, `K` is `(*, S, E)`, `mask` (or None) and the constant `bias` (or None) broadcast to P, which is
    `(*, L, S)`.  A row of nothing but -inf becomes zeros: that query takes nothing.

    dQ = scale * dS @ K, for the gradient dS of the softmax,  dK = scale * dS.mT @ Q, for the same dS,
    dmask = dS, the gradient of the softmax, summed over what was broadcast.
    """

    __slots__ = ("bias", "scale")
    keep = keep_input_and_output

    def __init__(self, scale: float, bias: Array | None) -> None:
        self.scale = scale
        self.bias = bias

    def forward(self, q: Array, k: Array, mask: Array | None) -> Array:
        p: Array = product(q * q.dtype.type(self.scale), k.swapaxes(-1, -2))
        read_in_place(p)
        for added in (mask, self.bias):
            if added is not None:
                p += added
        for rows in row_blocks(p):
            part = p[rows]
            highest = largest(part, (p.ndim - 1,))
            highest[np.isneginf(highest)] = 0
            part -= highest
            np.exp(part, out=part)
            sums = total(part, (p.ndim - 1,))
            sums[sums == 0] = 1
            part *= np.reciprocal(sums)
        return p

    def backward(self, g: Tensor) -> tuple[Any, ...]:
        to_q, to_k, to_mask = self.edges
        q, k, mask = self.kept(0), self.kept(1), self.kept(2)
        ds = SoftmaxBackwardData((g.ndim - 1,))(g, self.kept_output(g))
        return (
            None if to_q is None else sum_to((ds @ k) * self.scale, q._array.shape),
            None if to_k is None else sum_to(ds.mT @ (q * self.scale), k._array.shape),
            None if to_mask is None else sum_to(ds, mask._array.shape),
        )


class Attend(MatMul):
    """`P @ V`: for each query the average of the values, weighted by P.   da = g @ V.mT,  db = P.mT @ g."""

    __slots__ = ()

    def name(self) -> str:
        return "ScaledDotProductFlashAttentionForCpuBackward0"
