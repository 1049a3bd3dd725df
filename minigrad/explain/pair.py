"""The numbers of an embedding and of the product with one-hot vectors, forward and backward, to be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import autograd
from minigrad.creation import tensor
from minigrad.dtypes import Array
from minigrad.nn import functional
from minigrad.tensor import Tensor


@dataclass(frozen=True)
class Pair:
    """Both ways, for N ids in a row and a table of shape `(V, D)`: each result as its own way computes it."""

    ids: list[int]
    table: Array
    upstream: Array
    one_hot: Array
    #: Of the lookup: the output, `(N, D)`, and the gradient of the table, `(V, D)`.
    rows: Array
    gradient: Array
    #: The same of the product.
    product: Array
    product_gradient: Array

    def positions(self, id_: int) -> list[int]:
        """Where the id stands."""
        return [n for n, each in enumerate(self.ids) if each == id_]


def pair(ids: Any, weight: Any, upstream: Any) -> Pair:
    """Compute both ways: for ids of any shape `(*)`, a table `(V, D)` and the gradient of the output, `(*, D)`."""
    given = [x.detach() if isinstance(x, Tensor) else tensor(x) for x in (ids, weight, upstream)]
    flat, table = given[0].reshape(-1), given[1]
    if table.ndim != 2 or given[2].shape != (*given[0].shape, table.shape[1]):
        raise ValueError(
            f"expected a table of shape (V, D), ids of any shape (*) and an upstream gradient of shape (*, D), got "
            f"{tuple(table.shape)}, {tuple(given[0].shape)} and {tuple(given[2].shape)}"
        )
    g = given[2].reshape(len(flat), table.shape[1])
    looked_up = _both(lambda w: functional.embedding(flat, w), table, g)
    one_hot = functional.one_hot(flat.long(), len(table)).to(table.dtype)
    multiplied = _both(lambda w: one_hot @ w, table, g)
    arrays: list[Array] = [np.array(x.detach().numpy()) for x in (table, g, one_hot, *looked_up, *multiplied)]
    return Pair(flat.tolist(), *arrays)


def _both(compute: Callable[[Tensor], Tensor], table: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """What `compute` makes of the table, and the gradient of that."""
    leaf = table.clone().requires_grad_()
    out = compute(leaf)
    (gradient,) = autograd.grad(out, leaf, g.to(table.dtype))
    return out, gradient


def numeral(number: float) -> str:
    """A number as a cell shows it: two digits after the point, none for a whole number."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.2f}"
