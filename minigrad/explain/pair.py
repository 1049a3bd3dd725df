"""An embedding and the product with one-hot vectors, to be drawn: the numbers, and the colours and dashes of ids."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from minigrad import autograd
from minigrad.core.dtypes import Array
from minigrad.nn import Module, functional
from minigrad.tensor import Tensor
from minigrad.tensors.creation import arange, tensor

#: What still can be taken in at a glance.
MOST_ROWS, MOST_COLUMNS = 16, 8


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


def pair(ids: object, weight: object, upstream: object = None) -> Pair:
    """Compute both ways: for ids of any shape `(*)`, a table `(V, D)` and the gradient of the output, `(*, D)`.

    The table may be an `Embedding`; of integers, it counts as one of floating-point numbers.  Without `upstream` its
    numbers are 1, 2, 3, and so on.
    """
    weight = weight.weight if isinstance(weight, Module) else weight
    given = [x.detach() if isinstance(x, Tensor) else tensor(x) for x in (ids, weight)]
    wanted = (*given[0].shape, *given[1].shape[-1:])
    counted = arange(1.0, math.prod(wanted) + 1).reshape(wanted) if upstream is None else upstream
    given.append(counted.detach() if isinstance(counted, Tensor) else tensor(counted))
    flat, table = given[0].reshape(-1), given[1] if given[1].is_floating_point() else given[1].float()
    shapes = [tuple(x.shape) for x in given]
    if table.ndim != 2 or shapes[2] != (*shapes[0], table.shape[1]):
        raise ValueError(
            f"expected ids of any shape (*), a table of shape (V, D) and an upstream gradient of shape (*, D), got "
            f"{shapes[0]}, {shapes[1]} and {shapes[2]}"
        )
    if not (flat.numel() and table.numel()):
        raise ValueError(
            f"expected at least one id, and a table of at least one row and column, got {shapes[0]} and {shapes[1]}"
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
    """A number as a cell shows it: two digits after the point, none for a whole number, and no sign for a zero.

    So that cells stay small and only 0 looks like 0, of very large and very small numbers there are two digits in all.

    >>> [numeral(x) for x in (2.0, -0.5, -0.0, 0.00123, -1e-9, 1.25e30)]
    ['2', '-0.50', '0', '0.0012', '-1e-9', '1.2e30']
    """
    if 0 < abs(number) < 0.005 or 1e6 <= abs(number) < np.inf:
        digits, e, exponent = f"{number:.2g}".partition("e")
        return f"{digits}e{int(exponent)}" if e else digits
    return f"{number:z.0f}" if float(number).is_integer() else f"{number:z.2f}"


#: Found by a search: on its ground each stands out as WCAG 2.2 asks of graphics (3 to 1), and any two differ for the
#: colour-blind, too.  The first six are for a light ground, the others for a dark one.
COLOURS = ("#1d4590", "#8f3a00", "#0f8274", "#e637ab", "#b08200", "#158cf0")
DARK = ("#2f74f5", "#ff5a1f", "#25ecb8", "#bf4aa6", "#f4c430", "#86b4f5")
#: The lengths of strokes and gaps in turn, in widths of the line: lines are told apart without colour, too.
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (7, 2, 1.5, 2), (3, 3), (7, 2, 1.5, 2, 1.5, 2))


def looks(ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each id the places of its colour and its dash; no two of up to 36 ids have both in common.

    >>> looks([7, 2, 7])
    {2: (0, 0), 7: (1, 1)}
    """
    return {id_: (k % len(COLOURS), (k + k // len(COLOURS)) % len(DASHES)) for k, id_ in enumerate(sorted(set(ids)))}
