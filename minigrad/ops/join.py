"""Joining tensors into one."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Node
from minigrad.dtypes import Array
from minigrad.ops.indexing import Slice

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Cat(Node):
    """The tensors one after another along `dim`.   The gradient of each is the slice of g where it lies."""

    __slots__ = ("dim", "form", "sizes")

    def __init__(self, dim: int, form: str = "Cat") -> None:
        self.dim = dim
        self.form = form

    def forward(self, *arrays: Array) -> Array:
        self.sizes = [array.shape[self.dim] for array in arrays]
        return np.concatenate(arrays, axis=self.dim)

    def backward(self, g: Tensor) -> list[Any]:
        ends = itertools.accumulate(self.sizes)
        parts = [slice(end - size, end) for size, end in zip(self.sizes, ends, strict=True)]
        before = (slice(None),) * self.dim
        return [
            None if edge is None else Slice((*before, part))(g) for edge, part in zip(self.edges, parts, strict=True)
        ]

    def name(self) -> str:
        return f"{self.form}Backward0"
