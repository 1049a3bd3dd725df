"""The linear layer: a matrix product and a bias.

On one-hot vectors it is an embedding: see `minigrad.ops.embedding` for the pair.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from minigrad.autograd.node import Node, keep_other
from minigrad.dtypes import Array
from minigrad.ops.broadcast import sum_to
from minigrad.ops.matmul import product

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Linear(Node):
    """`Y = X @ W.T + b`.

    `X` is `(*, I)`, `W` is `(O, I)`, `b` is `(O,)` or None, and `Y` is `(*, O)`.

    With the upstream gradient `G` of shape `(*, O)`, and N rows in all of `*`:

        dX = G @ W            (*, O) @ (O, I)  ->  (*, I)
        dW = G.T @ X          (O, N) @ (N, I)  ->  (O, I):  each row of X, weighted by how much it was wanted
        db = G.sum(rows)                           (O,):    the bias was added to every row
    """

    __slots__ = ("bias_shape", "form")
    keep = keep_other  # X for dW, and W for dX; of the bias, only its shape.

    def forward(self, x: Array, weight: Array, bias: Array | None) -> Array:
        # BLAS reads the transposed weight in place, as a view.
        y = product(x, weight.T)
        if bias is not None:
            y += bias
        self.bias_shape = () if bias is None else bias.shape
        self.form = _form(x, bias)
        return y

    def backward(self, g: Tensor) -> tuple[Any, Any, Any]:
        x_edge, weight_edge, bias_edge = self.edges
        dx = None if x_edge is None else g @ self.kept(1)
        dw = None if weight_edge is None else _rows(g).mT @ _rows(self.kept(0))
        db = None if bias_edge is None else sum_to(g, self.bias_shape)
        return dx, dw, db

    def name(self) -> str:
        return self.form


def _rows(x: Tensor) -> Tensor:
    """`x`, of shape `(*, D)`, as a matrix `(N, D)`."""
    *leading, size = x._array.shape
    return x.reshape(math.prod(leading), size)


def _form(x: Array, bias: Array | None) -> str:
    """The name of the last step PyTorch takes for a linear layer: that depends on the input's rank."""
    if x.ndim == 2:
        return "MmBackward0" if bias is None else "AddmmBackward0"
    if bias is None:
        return "SqueezeBackward4" if x.ndim == 1 else "UnsafeViewBackward0"
    return "ViewBackward0" if x.flags.c_contiguous else "AddBackward0"
