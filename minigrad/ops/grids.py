"""Grids over vectors: every combination of their elements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.ops.join import stack

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


def meshgrid(vectors: Sequence[Any], indexing: str) -> tuple[Tensor, ...]:
    """For each vector a view of it in the shape of all: it varies along a dimension of its own."""
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for position, x in enumerate(vectors):
        if x.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {list(x.shape)} at "
                f"position {position}"
            )
        if x.dtype is not vectors[0].dtype:
            raise RuntimeError(
                f"meshgrid expects all tensors to have the same dtype: got {vectors[0].dtype!r} and {x.dtype!r}"
            )
    places = list(range(len(vectors)))
    if indexing == "xy":
        places[:2] = reversed(places[:2])
    shape = [vectors[place].numel() for place in places]
    grids: list[Tensor] = []
    for x, place in zip(vectors, places, strict=True):
        alone = [1] * len(vectors)
        alone[place] = shape[place]
        grids.append(x.reshape(alone).expand(shape))
    return tuple(grids)


def cartesian_prod(vectors: Sequence[Any]) -> Tensor:
    """The rows of one element of each vector, in lexicographic order; for one vector, that vector."""
    for x in vectors:
        _check_vector(x)
    grids = meshgrid(vectors, "ij")
    only: Tensor = vectors[0]
    return only if len(vectors) == 1 else stack([grid.flatten() for grid in grids], 1)


def combinations(x: Any, r: int, with_replacement: bool) -> Tensor:
    """The rows of `r` elements of a vector in their order."""
    _check_vector(x)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        nothing: Tensor = x._new(np.empty(0, x._array.dtype))
        return nothing
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(chosen(range(len(x)), r)), np.int64).reshape(-1, r)
    return stack([x[x._new(column)] for column in rows.T], 1)


def _check_vector(x: Any) -> None:
    if x.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")
