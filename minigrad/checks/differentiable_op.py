"""The laws of a differentiable operation: its gradients are those of finite differences, to order two.

`gradcheck` and `gradgradcheck` of the library compare them, for `f(x) * c`: the drawn c are upstream gradients, none 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import settings, strategies as st
from hypothesis.extra import numpy as npst

import minigrad
from minigrad.checks.laws import Broken, Draw, Law, check, demand, demand_same_again, demand_usable, law
from minigrad.checks.strategies import Shape, cotangents
from minigrad.core.dtypes import Array

# In float64: of the step, a difference leaves out the square, and rounds some 1e-16 / eps.
_CLOSE = {"eps": 1e-5, "atol": 1e-6, "rtol": 1e-5}


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
    demand_usable(function, library, OP_LAWS, without)
    if not shapes:
        raise TypeError("check_op got no shape: give one for each tensor, as in check_op(function, (2, 3))")
    if not any(range(math.ceil(64 * low), math.floor(64 * high) + 1)):
        raise ValueError(f"expected a multiple of 1/64, but not 0, between low and high, got low={low}, high={high}")
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

    def inputs(self, draw: Draw) -> dict[str, Array]:
        """Whole numbers and multiples of 1/64, without 0, where many functions have a kink; and their names."""
        whole = [n for n in (1.0, 2.0, -1.0, 3.0, -2.0) if self.low <= n <= self.high]
        parts = st.integers(math.ceil(64 * self.low), math.floor(64 * self.high)).filter(bool).map(lambda n: n / 64)
        # What comes first is simpler: broken laws are shown on whole numbers where they can be.
        elements = st.sampled_from(whole) | parts if whole else parts
        names = ["x"] if len(self.shapes) == 1 else [f"x{n + 1}" for n in range(len(self.shapes))]
        drawn = zip(names, self.shapes, strict=True)
        return {name: draw(name, npst.arrays(np.float64, shape, elements=elements)) for name, shape in drawn}

    def problem(self, draw: Draw) -> dict[str, Array]:
        """Inputs, and behind them the upstream gradient c."""
        inputs = self.inputs(draw)
        # The function may write to what it is given.
        shape = self.value([x.copy() for x in inputs.values()]).shape
        return inputs | {"c": draw("c", cotangents(shape, "float64"))}

    def value(self, inputs: Iterable[Array]) -> Array:
        return np.asarray(self._called(self._tensors(inputs)).detach().numpy())

    def gradients(self, inputs: Iterable[Array]) -> list[Array]:
        """Those of `(f(x) * c).sum()` for the inputs x and, last, c, with respect to each x."""
        *xs, c = self._tensors(inputs)
        leaves = [x.requires_grad_() for x in xs]
        return [d.detach().numpy() for d in self.library.autograd.grad(self._called(leaves), leaves, c)]

    def leaves(self, arrays: Iterable[Array]) -> list[Any]:
        """Copies that require gradients."""
        return [x.clone().requires_grad_() for x in self._tensors(arrays)]

    def weighted(self, *inputs: Any) -> Any:
        """`f(x) * c` for the inputs x and, last, c, whose elements are then the upstream gradients."""
        product = self._called(inputs[:-1]) * inputs[-1]
        if not np.isfinite(product.detach().numpy()).all():
            raise Broken([("got", f"f(x) * c = {product}: keep inputs where it is finite, by low= and high=")])
        return product

    def _tensors(self, arrays: Iterable[Array]) -> list[Any]:
        return [self.library.from_numpy(x) for x in arrays]

    def _called(self, tensors: Sequence[Any]) -> Any:
        out = self.function(*tensors)
        if not isinstance(out, self.library.Tensor):
            raise Broken([("expected", "a tensor"), ("got", f"{type(out).__name__}: {out!r}")])
        return out


# ---- the laws --------------------------------------------------------------------------------------------------------

OP_LAWS: list[Law] = []

_law = partial(law, OP_LAWS)


@_law("shapes", "the gradient of an input has the shape of the input, also where it was broadcast.")
def _shapes(op: Operation, draw: Draw) -> None:
    inputs = op.inputs(draw)
    c = np.full_like(op.value(inputs.values()), 2.0)
    for (name, x), d in zip(inputs.items(), op.gradients([*inputs.values(), c]), strict=True):
        if d.shape != x.shape:
            raise Broken([("expected", f"d{name} of shape {x.shape}"), ("got", f"shape {d.shape}")])


@_law("same again", "nothing is kept from call to call, and nothing is written to the inputs or the upstream gradient.")
def _same_again(op: Operation, draw: Draw) -> None:
    given = op.problem(draw)

    def compute() -> dict[str, Array]:
        return {"f(x)": op.value([*given.values()][:-1])} | _named(given, op.gradients(given.values()))

    demand_same_again(given, compute)


@_law("gradient", "the gradients of f(x) * c are those of finite differences.")
def _gradient(op: Operation, draw: Draw) -> None:
    *xs, c = op.leaves(op.problem(draw).values())
    op.library.autograd.gradcheck(op.weighted, [*xs, c.detach()], **_CLOSE)


@_law("second derivative", "the gradients of these gradients, in x and in c, are those of finite differences.")
def _second_derivative(op: Operation, draw: Draw) -> None:
    # Here c itself arrives, a leaf, which a backward pass must not write to.
    *xs, c = op.leaves(op.problem(draw).values())
    op.library.autograd.gradgradcheck(lambda *inputs: op._called(inputs), xs, [c], **_CLOSE)


@_law("memory layout", "inputs that are not contiguous give what contiguous ones give.")
def _memory_layout(op: Operation, draw: Draw) -> None:
    given = op.problem(draw)
    spread = [_spread(x) for x in given.values()]
    _demand_close(op.value([*given.values()][:-1]), op.value(spread[:-1]), "f(x)")
    for (name, d), got in zip(_named(given, op.gradients(given.values())).items(), op.gradients(spread), strict=True):
        _demand_close(d, got, name)


def _named(given: dict[str, Array], gradients: Sequence[Array]) -> dict[str, Array]:
    """The gradients of the inputs by their names, "dx"."""
    return {f"d{name}": d for name, d in zip(given, gradients, strict=False)}


def _demand_close(expected: Array, got: Array, what: str) -> None:
    """Nothing if the two are equal but for rounding: sums may be made in another order."""
    if expected.shape != got.shape or not np.allclose(expected, got, rtol=1e-9, atol=1e-12, equal_nan=True):
        demand(expected, got, what)


def _spread(x: Array) -> Array:
    """The same elements, the dimensions in reverse order in memory, with gaps between them."""
    every_second: tuple[Any, ...] = (*[slice(None, None, 2)] * x.ndim, ...)
    view = np.zeros([2 * size for size in x.shape], order="F")[every_second]
    view[...] = x
    return view
