"""The laws of a differentiable operation: its gradients are those of finite differences, to order two.

Directions stand in for all elements at once.  With a loss `(f(x) * c).sum()`, the derivative along `v` is a central
difference of the loss, and it is the product `(gradient * v).sum()`.  What is claimed to be the gradient is a function
of `x` and `c` in its turn, so the same comparison a level up checks the gradients of gradients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import settings, strategies as st
from hypothesis.extra import numpy as npst

import minigrad
from minigrad.checks.laws import Broken, Draw, Law, check, demand
from minigrad.checks.strategies import Shape, cotangents
from minigrad.core.dtypes import Array

_STEP = 1e-3


def check_op(
    function: Callable[..., Any],
    *shapes: Shape,
    low: float = -3.0,
    high: float = 3.0,
    library: ModuleType = minigrad,
    without: Collection[str] = (),
    profile: settings | None = None,
) -> None:
    """Nothing if the gradients of `function(*tensors)` are right, to order two; else an AssertionError.

    `function` takes float64 tensors of the given shapes, with elements in `[low, high]`, and gives a tensor.  The error
    tells the first law of `OP_LAWS` that is broken, the smallest inputs on which it is, what was expected and what was
    got.  Keep inputs out of kinks and poles by `low` and `high`; no element is nearer to 0 than 1/64.

    `library`, `without` and `profile` are as in `check_lookup`.

    >>> import minigrad as torch
    >>> from minigrad.checks import check_op
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> check_op(Square.apply, (2, 3))
    """
    operation = Operation(function, shapes, low, high, library)
    check(f"check_op, on tensors of {library.__name__}", OP_LAWS, operation, without, profile)


@dataclass(frozen=True)
class Operation:
    """A function of float64 tensors under test: arrays in, arrays out."""

    function: Callable[..., Any]
    shapes: Sequence[Shape]
    low: float
    high: float
    library: Any

    def inputs(self, draw: Draw) -> list[Array]:
        """Whole numbers and multiples of 1/64, without 0, where many functions have a kink."""
        whole = [n for n in (1.0, 2.0, -1.0, 3.0, -2.0) if self.low <= n <= self.high]
        parts = st.integers(math.ceil(64 * self.low), math.floor(64 * self.high)).filter(bool).map(lambda n: n / 64)
        # What comes first is simpler: broken laws are shown on whole numbers where they can be.
        elements = st.sampled_from(whole) | parts if whole else parts
        return [
            draw(name, npst.arrays(np.float64, shape, elements=elements))
            for name, shape in zip(_names(self.shapes), self.shapes, strict=True)
        ]

    def value(self, inputs: Sequence[Array]) -> Array:
        return self._array(self._call([self.library.from_numpy(x) for x in inputs]))

    def loss(self, inputs: Sequence[Array]) -> float:
        """`(f(x) * c).sum()` for the inputs x and, last, c."""
        *xs, c = inputs
        return float(np.sum(self.value(xs) * c))

    def gradients(self, inputs: Sequence[Array]) -> list[Array]:
        """Those of the loss for the inputs x and c, with respect to each x."""
        *xs, c = [self.library.from_numpy(x) for x in inputs]
        leaves = [x.requires_grad_() for x in xs]
        return [self._array(d) for d in self.library.autograd.grad(self._call(leaves), leaves, c)]

    def slope(self, inputs: Sequence[Array], along: Sequence[Array]) -> float:
        """`(gradient * u).sum()`, over all x, for directions u."""
        return _product(self.gradients(inputs), along)

    def gradients_of_slope(self, inputs: Sequence[Array], along: Sequence[Array]) -> list[Array]:
        """Those of `slope` with respect to each x and to c; zeros where it does not depend on them."""
        grad = self.library.autograd.grad
        leaves = [self.library.from_numpy(x).requires_grad_() for x in inputs]
        found = grad(self._call(leaves[:-1]), leaves[:-1], leaves[-1], create_graph=True)
        slope = sum([(d * self.library.from_numpy(u)).sum() for d, u in zip(found, along, strict=True)])
        seconds = grad(slope, leaves, allow_unused=True) if slope.requires_grad else [None] * len(leaves)
        return [np.zeros_like(x) if d is None else self._array(d) for d, x in zip(seconds, inputs, strict=True)]

    def _call(self, tensors: Sequence[Any]) -> Any:
        out = self.function(*tensors)
        if not isinstance(out, self.library.Tensor):
            raise Broken([("expected", "a tensor"), ("got", f"{type(out).__name__}: {out!r}")])
        return out

    def _array(self, tensor: Any) -> Array:
        array: Array = tensor.detach().numpy()
        return array


# ---- the laws --------------------------------------------------------------------------------------------------------

OP_LAWS: list[Law] = []


def _law(name: str, statement: str) -> Callable[[Callable[[Operation, Draw], None]], None]:
    return lambda function: OP_LAWS.append(Law(name, statement, function))


def _product(a: Sequence[Array], b: Sequence[Array]) -> float:
    return float(sum([np.sum(x * y) for x, y in zip(a, b, strict=True)]))


def _difference(f: Callable[[list[Array]], float], at: Sequence[Array], along: Sequence[Array]) -> float:
    """The derivative of `f` along a direction, by a central difference with an error of O(step**4).

    Source: the five-point formula, Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 25.3.6.
    """

    def moved(steps: int) -> float:
        return f([np.asarray(x + steps * _STEP * d) for x, d in zip(at, along, strict=True)])

    return (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * _STEP)


def _agree(by_difference: float, by_gradient: float, gradients: Sequence[tuple[str, Array]]) -> None:
    """Nothing if the two are one number but for rounding."""
    if not math.isclose(by_difference, by_gradient, rel_tol=1e-5, abs_tol=1e-6):
        told = [(name, np.array2string(d, separator=", ")) for name, d in gradients]
        derivatives = [("expected", f"{by_difference:.6g}, by a difference quotient"), ("got", f"{by_gradient:.6g}")]
        raise Broken([*told, *derivatives])


def _names(inputs: Sequence[Any]) -> list[str]:
    return ["x"] if len(inputs) == 1 else [f"x{n + 1}" for n in range(len(inputs))]


@_law("shapes", "the gradient of an input has the shape of the input, also where it was broadcast.")
def _shapes(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    c = np.full_like(op.value(inputs), 2.0)
    for name, x, d in zip(_names(inputs), inputs, op.gradients([*inputs, c]), strict=True):
        if d.shape != x.shape:
            raise Broken([("expected", f"d{name} of shape {x.shape}"), ("got", f"shape {d.shape}")])


@_law("same again", "nothing is kept from call to call, and nothing is written to the inputs or the upstream gradient.")
def _same_again(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    before = [x.copy() for x in inputs]
    first = op.value(inputs).copy()
    c = draw("c", cotangents(first.shape, "float64"))
    before_c = c.copy()
    gradients = [d.copy() for d in op.gradients([*inputs, c])]
    for name, x, earlier in zip([*_names(inputs), "c"], [*inputs, c], [*before, before_c], strict=True):
        demand(earlier, x, f"{name}, as before")
    demand(first, op.value(inputs), "f(x), as in the first call")
    for name, d, earlier in zip(_names(inputs), op.gradients([*inputs, c]), gradients, strict=True):
        demand(earlier, d, f"d{name}, as in the first call")


@_law("gradient", "along any direction v, the loss (f(x) * c).sum() grows by (gradient * v).sum().")
def _gradient(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    c = draw("c", cotangents(op.value(inputs).shape, "float64"))
    # One input at a time, so that the one whose gradient is wrong is named.
    which = draw("input", st.sampled_from(range(len(inputs)))) if len(inputs) > 1 else 0
    v = draw("v", cotangents(inputs[which].shape, "float64"))
    directions = [v if n == which else np.zeros_like(x) for n, x in enumerate([*inputs, c])]
    gradient = op.gradients([*inputs, c])[which]
    got = float(np.sum(gradient * v))
    _agree(_difference(op.loss, [*inputs, c], directions), got, [(f"d{_names(inputs)[which]}", gradient)])


@_law("second derivative", "the gradient of (gradient * u).sum() is right, with respect to the inputs and to c.")
def _second_derivative(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    points = [*inputs, draw("c", cotangents(op.value(inputs).shape, "float64"))]
    us = [draw(f"u for {name}", cotangents(x.shape, "float64")) for name, x in zip(_names(inputs), inputs, strict=True)]
    names = [*_names(inputs), "c"]
    which = draw("with respect to", st.sampled_from(names))
    v = draw("v", cotangents(points[names.index(which)].shape, "float64"))
    directions = [v if name == which else np.zeros_like(x) for name, x in zip(names, points, strict=True)]
    second = op.gradients_of_slope(points, us)[names.index(which)]
    expected = _difference(lambda moved: op.slope(moved, us), points, directions)
    _agree(expected, float(np.sum(second * v)), [("gradient", second)])


@_law("memory layout", "inputs that are not contiguous give what contiguous ones give.")
def _memory_layout(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    expected = op.value(inputs)
    c = draw("c", cotangents(expected.shape, "float64"))
    spread = [_spread(x) for x in [*inputs, c]]
    _close(expected, op.value(spread[:-1]), "f(x)")
    for name, d, got in zip(_names(inputs), op.gradients([*inputs, c]), op.gradients(spread), strict=True):
        _close(d, got, f"d{name}")


def _close(expected: Array, got: Array, what: str) -> None:
    """Nothing if the two are equal but for rounding: sums may be made in another order."""
    if expected.shape != got.shape or not np.allclose(expected, got, rtol=1e-9, atol=1e-12, equal_nan=True):
        demand(expected, got, what)


def _spread(x: Array) -> Array:
    """The same elements, the dimensions in reverse order in memory, with gaps between them."""
    memory = np.zeros([2 * size for size in reversed(x.shape)])
    every_second: tuple[Any, ...] = (slice(None, None, 2),) * x.ndim
    view = memory[(*every_second, ...)].T
    view[...] = x
    return view
