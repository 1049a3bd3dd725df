"""The linear layer: a matrix product and a bias.

On one-hot vectors it is an embedding: see `minigrad.core.embedding` for the pair.
"""

from __future__ import annotations

from typing import Any

from .dtypes import Array
from .products import MatMul, ProductOfRows, product
from .shapes import Sum
from .tape import Node
from .tensor import Tensor


class Linear(Node):
    """`Y = X @ W.T (+ b)`: a product with a matrix, and a bias or none.

    `X` is `(*, I)`, `W` is `(O, I)`, `b` is `(O,)` or None, and `Y` is `(*, O)`.
    """

    # With the upstream gradient `G` of shape `(*, O)`, and N rows in all of `*`:
    formulas = (
        "dX = G @ W",  # (*, O) @ (O, I) -> (*, I):  each output passes its gradient on, times its weights
        "dW = G.T @ X",  # (O, N) @ (N, I) -> (O, I):  each row of X, times what came back for it, summed over rows
        "db = sum of G's N rows",  # -> (O,):  the bias was added to every row
    )

    def forward(self, x: Array, weight: Array, bias: Array | None) -> Array:
        self.form = _form(x, bias)
        # BLAS reads the transposed weight in place, as a view.
        y = product(x, weight.T)
        if bias is not None:
            y += bias
        return y

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return MatMul()(g, weight) if g._array.ndim > 1 else g @ weight

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return ProductOfRows()(g, x)

    def dc(self, g: Tensor) -> Tensor:
        return Sum(tuple(range(g._array.ndim - 1)))(g)

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """As in PyTorch the bias comes first: there it is what a product is added to."""
        x, weight, bias = self.ways
        return (x, weight) if bias == (None, 0) else (bias, x, weight)


def _form(x: Array, bias: Array | None) -> str:
    """The name of the last step PyTorch takes for a linear layer: that depends on the input's rank."""
    if x.ndim == 2:
        return "MmBackward0" if bias is None else "AddmmBackward0"
    if bias is None:
        return "SqueezeBackward4" if x.ndim == 1 else "UnsafeViewBackward0"
    return "ViewBackward0" if x.flags.c_contiguous else "AddBackward0"
