"""Grids over vectors: every combination of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
