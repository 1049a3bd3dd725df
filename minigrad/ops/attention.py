"""Scaled dot-product attention; and dropout, noise that keeps a network from relying on single features.

Source: A. Vaswani et al., "Attention is all you need" (2017), section 3.2.1.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from minigrad import tensors
from minigrad.core.arrays import WIDE_FLOATS, all_within, row_blocks
from minigrad.core.dtypes import HALVES, Array, bool_, float32
from minigrad.core.elementwise import cast
from minigrad.core.linear import MatMul, product
from minigrad.core.shapes import sum_to
from minigrad.core.tape import Node, keep_read
from minigrad.core.tensor import Tensor
from minigrad.declare import op, rounded
from minigrad.ops.activations import Softmax, exponentials
from minigrad.ops.matrices import triangle
from minigrad.random import default_generator
from minigrad.tensors.creation import empty, empty_like, zeros
from minigrad.tensors.errors import warn_program


class AttentionWeights(Node):
    """`P = softmax(scale * Q @ K.mT + mask)`: along the last dimension, how much each query takes of each value.

    `Q` is `(*, L, E)`, `K` is `(*, S, E)`, and `mask` (or None) broadcasts to P, which is `(*, L, S)`; of bools, it is
    -inf where it does not hold.  A row of nothing but -inf becomes zeros: that query takes nothing.
    """

    formulas = (
        "dQ = scale * dS @ K, for the gradient dS of the softmax",
        "dK = scale * dS.mT @ Q, for the same dS",
        "dmask = dS, the gradient of the softmax, summed over what was broadcast",
    )
    keep = keep_read
    reads: ClassVar = {0: (1, -1), 1: (0, -1), 2: (-1,)}
    scale: float

    def forward(self, q: Array, k: Array, mask: Array | None) -> Array:
        self.shapes = [() if x is None else x.shape for x in (q, k, mask)]
        p: Array = product(q * q.dtype.type(self.scale), k.swapaxes(-1, -2))
        if mask is not None:
            p += np.where(mask, p.dtype.type(0), p.dtype.type(-np.inf)) if mask.dtype.kind == "b" else mask
        for rows in row_blocks(p):
            part, sums, _ = exponentials(p[rows], (p.ndim - 1,), out=p[rows])
            # The largest exponential is 1, so that a sum is at least that, and at most their number, but for rounding.
            if not all_within(sums, 1, 2 * p.shape[-1]):
                sums[sums == 0] = 1
                # Of an infinite score there is no ratio: inf / inf, as everywhere in its row.
                sums[sums == np.inf] = np.nan
            part *= np.reciprocal(sums)
        return p

    def backward(self, g: Tensor) -> tuple[Tensor | None, ...]:
        to_q, to_k, to_mask = self.edges
        shape_q, shape_k, shape_mask = self.shapes
        ds = Softmax((g.ndim - 1,)).dx(g, self.kept(-1))
        return (
            None if to_q is None else sum_to((ds @ self.kept(1)) * self.scale, shape_q),
            None if to_k is None else sum_to(ds.mT @ (self.kept(0) * self.scale), shape_k),
            None if to_mask is None else sum_to(ds, shape_mask),
        )


class Attend(MatMul):
    """`P @ V`: for each query the average of the values, weighted by P."""

    formulas = ("da = g @ V.mT", "db = P.mT @ g")

    def forward(self, a: Array, b: Array) -> Array:
        # In memory they lie as the values do: heads that came by `transpose(1, 2)` go by it, as in PyTorch.
        self.shapes = (a.shape, b.shape)
        return np.matmul(a, b, out=np.empty_like(b, shape=(*a.shape[:-1], b.shape[-1])))

    def name(self) -> str:
        return "ScaledDotProductFlashAttentionForCpuBackward0"


@op("nn.functional")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(scale * query @ key.mT + mask) @ value`: for each query a mean of values, by keys like it.

    `query` is `(*, L, E)`, `key` is `(*, S, E)` and `value` `(*, S, D)`; the result is `(*, L, D)`; leading sizes
    broadcast.  `attn_mask` broadcasts to `(*, L, S)`: bools say what may be looked at, numbers are added.  With
    `is_causal` query i looks at keys 0 to i.  A query that may look at nothing gets zeros.  `scale` is
    `1 / sqrt(E)` if None.  `dropout_p` is the probability with which weights are dropped, also outside of training:
    pass 0 there.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> keys, values = torch.eye(3), torch.tensor([[10.0], [20.0], [60.0]])
    >>> F.scaled_dot_product_attention(torch.zeros(3, 3), keys, values, is_causal=True)
    tensor([[10.],
            [15.],
            [30.]])
    """
    if enable_gqa:
        raise NotImplementedError("enable_gqa is not supported: key.repeat_interleave(groups, -3), and value likewise")
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    _check_operands(query, key, value, attn_mask, dropout_p)
    halves, mask = query._array.dtype in HALVES, attn_mask
    if is_causal:
        mask = query._new(triangle(query._array.shape[-2], key._array.shape[-2], 0, upper=False))
    elif mask is not None and mask.dtype is not bool_:
        mask = mask.to(float32 if halves else query.dtype)
    # Of such PyTorch takes one step, which has a name.
    plain = not dropout_p and (mask is None or (mask.ndim in (2, 4) and not mask.requires_grad))
    given = (query, key, value) if query._array.ndim == 4 else ()
    layouts = {(*x._array.shape[:-2], x._array.shape[-1], x.stride()[-1]) for x in given}
    fused = plain and len(layouts) == 1 and query.stride()[-1] == 1
    if halves:
        wide = scaled_dot_product_attention(query.float(), key.float(), value.float(), mask, dropout_p, scale=scale)
        return rounded(wide, query.dtype) if fused else cast(wide, query.dtype)
    if scale is None:
        scale = 1 / math.sqrt(query._array.shape[-1] or 1)
    weights = AttentionWeights(scale).of(query, key, mask)
    return (Attend() if fused else MatMul()).of(dropout(weights, dropout_p), value)


def _check_operands(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Nothing if ranks, dtypes and the probability are as they should be; else PyTorch's error."""
    given = (query, key, value)
    if min([x.ndim for x in given]) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, (*, L, E)")
    if len({x.dtype for x in given}) > 1:
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got {[x.dtype for x in given]}")
    if not query.is_floating_point():
        raise RuntimeError(f"expected scalar type Float but found {query.dtype._tensor_name}: query.float()")
    if mask is not None and mask.dtype not in (bool_, float32, query.dtype):
        raise RuntimeError(f"Expected attn_mask dtype to be bool or that of the query, but got {mask.dtype}")
    q, k, v = [x._array.shape for x in given]
    if q[-1] != k[-1] or k[-2] != v[-2]:
        raise RuntimeError(f"query {q}, key {k} and value {v} do not fit")
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")


# ---- dropout ---------------------------------------------------------------------------------------------------------


@op("nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input` with each element set to 0 with probability `p`, and the others divided by `1 - p`.

    Not when not `training`, or for p = 0: then it is `input` itself.  The noise is drawn as PyTorch draws it.  Source:
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> _ = torch.manual_seed(0)
    >>> F.dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    return _dropped(input, input, p, training, inplace)


@op("nn.functional")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, H, W)`, with whole channels set to 0, as single elements in `dropout`.

    Of `(N, C)`, as in many lessons' linear layers, each element is a channel, of which PyTorch warns.
    """
    if input.ndim not in (2, 4):
        raise NotImplementedError(f"dropout2d of {input.ndim}-D: x.unsqueeze(-1) makes (N, C, L, 1) of (N, C, L)")
    if input.ndim == 2:
        warn_program("dropout2d: Received a 2-D input to dropout2d, which is deprecated: dropout is for (N, C)")
    channels = empty((*input.shape[:2], 1, 1)[: input.ndim], dtype=input.dtype)
    return _dropped(input, channels, p, training, inplace)


def _dropped(input: Tensor, like: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """The input times noise of 0 and `1 / (1 - p)`, a number for each element of `like`."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input._array.size:
        return input
    noise = empty_like(like)
    array = noise._array
    if p == 1:
        noise = zeros((), dtype=input.dtype)
    elif array.dtype in WIDE_FLOATS:
        # In the array itself, which nobody else has seen, in half the time of methods in place.
        tensors.random_arrays.bernoulli_(array, 1 - p, default_generator)
        array /= 1 - p
    else:
        noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise
