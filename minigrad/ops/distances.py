"""Lengths of vectors, and how much alike two are."""

from __future__ import annotations

import numpy as np

from minigrad.core import dtypes
from minigrad.core.elementwise import cast
from minigrad.core.shapes import common_shape
from minigrad.core.tensor import Tensor
from minigrad.declare import Dims, op
from minigrad.ops.dims import normal_dim


@op("nn.functional")
def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Tensor:
    """`input / max(norm, eps)`: vectors along `dim`, scaled to the norm 1 of order `p`; see `Tensor.norm`.

    >>> import minigrad as torch
    >>> normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps)


@op("nn.functional")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`: the inner product of both, scaled to length 1.

    Shapes broadcast.  Lengths count as at least `eps`, so that the similarity of 0 to all others is 0.

    >>> import minigrad as torch
    >>> cosine_similarity(torch.tensor([[1.0, 0.0], [2.0, 2.0]]), torch.tensor([[0.0, 3.0], [1.0, 1.0]]))
    tensor([0.0000, 1.0000])
    """
    common = dtypes.result_type(x1._array, x2._array)
    shape = common_shape([x1._array.shape, x2._array.shape])
    along = normal_dim(dim, len(shape))
    a, b = (_of_length_one(cast(x, common).expand(shape), along, eps) for x in (x1, x2))
    return (a * b).sum(along)


def _of_length_one(x: Tensor, dim: int, eps: float) -> Tensor:
    length = x.norm(2, dim, keepdim=True)
    # As in PyTorch, the length is at least eps, and has its own gradient also where it is less.
    return x / (length + length._new(np.maximum(length._array.dtype.type(eps) - length._array, 0)))
