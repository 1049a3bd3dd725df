"""The rows of the real tier: ops with the shapes of their inputs and an oracle, a family per `real_*.py` file.

`test_ops.py` runs them without PyTorch: values against the oracle, derivatives to order two against differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from strategies import Array


@dataclass(frozen=True)
class Case:
    """An op with the shapes of its inputs.  No element is near 0, and no two of one array are near each other: so
    differences stay on one side of every kink.  With `positive`, all are above 0."""

    name: str
    call: Callable[..., Any]
    shapes: Sequence[tuple[int, ...]]
    values: Callable[..., Any] | None = None
    positive: bool = False

    def __str__(self) -> str:
        return self.name

    def inputs(self, seed: int = 0) -> list[Array]:
        generator = np.random.default_rng(seed)
        arrays: list[Array] = []
        for shape in self.shapes:
            size = int(np.prod(shape))
            magnitude = generator.permutation(0.5 + 1.5 * (np.arange(size) + generator.random() / 2) / max(size, 1))
            sign = 1 if self.positive else generator.choice([-1.0, 1.0], size)
            arrays.append((sign * magnitude).reshape(shape))
        return arrays


CASES: list[Case] = []
