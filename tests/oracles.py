"""What results should be, computed in ways that share nothing with minigrad: Python loops, and NumPy in float64.

It imports nothing of minigrad's.  `torch` is PyTorch where it is installed, else None.
"""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

torch: Any = importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def lookup(table: Array, ids: Array) -> Array:
    """Row `ids[n]` of the table for each n, one element at a time."""
    rows, columns = table.shape
    out = np.zeros((*ids.shape, columns), table.dtype)
    for place in np.ndindex(*ids.shape):
        row = int(ids[place])
        assert 0 <= row < rows
        for column in range(columns):
            out[(*place, column)] = table[row, column]
    return out


def scatter_add(rows: Array, ids: Array, num_rows: int) -> Array:
    """The table in which row v is the sum of the rows whose id is v, added in float64, in the rows' dtype."""
    out = np.zeros((num_rows, rows.shape[-1]), np.float64)
    for place in np.ndindex(*ids.shape):
        for column in range(rows.shape[-1]):
            out[int(ids[place]), column] += float(rows[(*place, column)])
    return out.astype(rows.dtype)


def one_hot(ids: Array, num_classes: int) -> Array:
    """For each id a vector of int64, 1 at the id and 0 elsewhere."""
    out = np.zeros((*ids.shape, num_classes), np.int64)
    for place in np.ndindex(*ids.shape):
        for label in range(num_classes):
            out[(*place, label)] = 1 if int(ids[place]) == label else 0
    return out


def matmul(a: Array, b: Array) -> Array:
    """`a @ b` for `(*, N, K)` and `(K, M)`, each sum made in Python's floats, in order; in a's dtype."""
    *leading, inner = a.shape
    assert inner == b.shape[0]
    out = np.zeros((*leading, b.shape[1]), np.float64)
    for place in np.ndindex(*leading):
        for column in range(b.shape[1]):
            out[(*place, column)] = sum(float(a[(*place, k)]) * float(b[k, column]) for k in range(inner))
    return out.astype(a.dtype)


def directional_derivative(
    f: Callable[[Sequence[Array]], Array], at: Sequence[Array], along: Sequence[Array], step: float = 1e-3
) -> Array:
    """The derivative of `f` at float64 arrays along a direction, by a central difference with an error of O(step**4).

    Source: the five-point formula, Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 25.3.6.
    """

    def moved(steps: int) -> Array:
        return f([x + steps * step * d for x, d in zip(at, along, strict=True)])

    return (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step)


def random_directions(shapes: Sequence[tuple[int, ...]], seed: int) -> list[Array]:
    """One direction in the space of all inputs: normal draws of the given shapes."""
    generator = np.random.default_rng(seed)
    return [generator.standard_normal(shape) for shape in shapes]


def inner(a: Sequence[Array], b: Sequence[Array]) -> float:
    """The inner product of two lists of arrays, as one pair of long vectors."""
    return float(sum(float(np.sum(x.astype(np.float64) * y)) for x, y in zip(a, b, strict=True)))
