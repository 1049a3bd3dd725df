"""Draws at random."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Self

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tape import Node
from minigrad.core.tensor import Tensor, members
from minigrad.random import Generator, default_generator
from minigrad.tensors import distributions


class Drawn(Node):
    """What `draw` makes of arrays of parameters."""

    formulas = ("The gradients are 0: none flows through a draw, as in PyTorch",)

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


@members
class Drawing(Tensor):
    """Draws at random."""

    __slots__ = ()

    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 with the probability that each element says (that `p` is), else 0; no gradient flows through the draws.

        >>> import minigrad as torch
        >>> torch.ones(3).bernoulli()
        tensor([1., 1., 1.])
        """
        source = generator or default_generator
        if isinstance(p, Tensor):
            raise TypeError("bernoulli() received an invalid combination of arguments: p is a number, not a Tensor")

        def draw(x: Any) -> Any:
            return distributions.bernoulli_(np.empty(x.shape, x.dtype), x if p is None else p, source)

        return Drawn(draw, "BernoulliBackward0")(self)

    def multinomial(
        self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """`num_samples` indices (int64) for each row, drawn with its elements as weights.

        The weights are `(N,)` or `(M, N)`, and need not add up to 1; the result is `(S,)` or `(M, S)`.

        >>> import minigrad as torch
        >>> torch.tensor([0.0, 1.0]).multinomial(3, replacement=True)
        tensor([1, 1, 1])
        """
        source = generator or default_generator
        return self._new(distributions.multinomial(self._array, index(num_samples), replacement, source))

    def random_(self, *bounds: Any, to: builtins.int | None = None, generator: Generator | None = None) -> Self:
        """Write whole numbers: in [0, to) by `random_(to)`, in [from, to) by `random_(from, to)`.

        Without a `to`, up to the largest that the dtype holds; of a floating one, the largest before the first gap.
        """
        source = generator or default_generator
        if not bounds and to is None:
            return self._write(lambda array: distributions.random_all_(array, source), "RandomBackward2")
        if len(bounds) > 2 or (len(bounds) == 2 and to is not None):
            raise TypeError("random_() received an invalid combination of arguments: expected (to) or (from, to)")
        low, high = bounds if len(bounds) == 2 else (*bounds, to) if to is not None and bounds else (0, *bounds, to)[:2]
        high = to if high is None else high
        form = "RandomBackward1" if len(bounds) + (to is not None) == 1 else "RandomBackward0"
        return self._write(lambda array: distributions.random_(array, index(low), high, source), form)

    def uniform_(
        self, from_: builtins.float = 0.0, to: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Self:
        """Write draws from the uniform distribution on `[from_, to)`.

        >>> import minigrad as torch
        >>> _ = torch.manual_seed(123)
        >>> torch.empty(3).uniform_(-1, 1)
        tensor([-0.4078,  0.0331, -0.4967])
        """
        return self._write(
            lambda array: distributions.uniform_(array, from_, to, generator or default_generator), "UniformBackward0"
        )

    def normal_(
        self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Self:
        """Write draws from the normal distribution.

        >>> import minigrad as torch
        >>> _ = torch.manual_seed(123)
        >>> torch.empty(3).normal_(0, 0.02)
        tensor([-0.0022,  0.0024, -0.0074])
        """
        return self._write(
            lambda array: distributions.normal_(array, mean, std, generator or default_generator), "NormalBackward0"
        )

    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Self:
        """Write draws from the exponential distribution of rate `lambd`."""
        return self._write(
            lambda array: distributions.exponential_(array, lambd, generator or default_generator),
            "ExponentialBackward0",
        )

    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Self:
        """Write 1 with probability `p`, else 0; `p` is a number, or a tensor that broadcasts to this shape."""
        chance = p._array if isinstance(p, Tensor) else p
        return self._write(
            lambda array: distributions.bernoulli_(array, chance, generator or default_generator), "BernoulliBackward2"
        )
