"""What is drawn at random, as a recorded operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Node
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Drawn(Node):
    """What `draw` makes of arrays of parameters.   The gradients are 0: none flows through a draw, as in PyTorch."""

    __slots__ = ("draw", "form", "shapes")

    def __init__(self, draw: Callable[..., Array], form: str) -> None:
        self.draw: Callable[..., Array] | None = draw
        self.form = form

    def forward(self, *arrays: Array) -> Array:
        assert self.draw is not None
        # The node lives on; what it drew with need not.
        draw, self.draw = self.draw, None
        self.shapes = [x.shape for x in arrays]
        return draw(*arrays)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return [g._new(np.zeros(shape, g._array.dtype)) for shape in self.shapes]

    def name(self) -> str:
        return self.form
