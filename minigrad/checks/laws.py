"""Laws: named properties with one sentence each, and the search for the smallest example that breaks one.

Below them the laws of a differentiable operation: its gradients are those of finite differences, to order two.
`gradcheck` and `gradgradcheck` of the library compare them, for `f(x) * c`: the drawn c are upstream gradients, none 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, settings, strategies as st
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.extra import numpy as npst

import minigrad
from minigrad.checks.strategies import Shape, cotangents
from minigrad.core.dtypes import Array

#: The same examples each time; then the smallest broken one, and nothing printed on the way.
STEADY = settings(
    max_examples=25, derandomize=True, database=None, deadline=None, phases=[Phase.generate, Phase.shrink],
    verbosity=Verbosity.quiet, report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
)  # fmt: skip


#: Draws a value; the name it is given is the one that a broken law shows it under.
Draw: TypeAlias = Callable[[str, "st.SearchStrategy[Any]"], Any]


@dataclass(frozen=True)
class Law:
    """A property of a subject under test, for all values that `check` draws."""

    name: str
    #: What holds, in a sentence.
    statement: str
    check: Callable[[Any, Draw], None]

    def broken_by(self, subject: object, profile: settings = STEADY) -> str | None:
        """The story of the smallest example on which the law does not hold for the subject; None if there is none."""

        @profile
        @given(st.data())
        def search(data: st.DataObject) -> None:
            drawn: list[tuple[str, str]] = []

            def draw(name: str, strategy: st.SearchStrategy[Any]) -> Any:
                value = data.draw(strategy)
                # Shown as it is now: what is under test may write to it.
                drawn.append((name, _shown(value)))
                return value

            try:
                self.check(subject, draw)
            except HypothesisException:
                raise
            except Exception as error:
                said = f"{type(error).__name__}: {error}".rstrip()
                told = error.args[0] if isinstance(error, Broken) else [("got", said)]
                raise Broken(_story(self, drawn, told)) from error

        try:
            # What is wrong may compute with inf and nan.
            with np.errstate(all="ignore"):
                search()
        except Broken as broken:
            return str(broken)
        except Flaky:
            return f"{self.name}: {self.statement}\n  Called twice with the same arguments, it gave different results."
        return None


class Broken(Exception):  # noqa: N818 -- a finding about what is under test.
    """A law does not hold; its argument is a list of what to show for it, each with a label, or the whole story."""


def demand(expected: Array, got: object, what: str = "") -> None:
    """Fail unless `got` is an array of the shape, the dtype and, to the last bit, the elements of `expected`."""
    if not isinstance(got, np.ndarray):
        found = f"{type(got).__name__}: {got!r}"
    elif got.shape != expected.shape:
        found = f"{_elements(got)}, which is of shape {got.shape}, not {expected.shape}"
    elif got.dtype != expected.dtype:
        found = f"{_elements(got)}, which is of dtype {got.dtype}, not {expected.dtype}"
    elif not np.array_equal(got, expected, equal_nan=True):
        found = _shown(got)
    else:
        return
    raise Broken([(f"expected {what}".rstrip(), _shown(expected)), ("got", found)])


def law(listed: list[Law], name: str, statement: str) -> Callable[[Callable[[Any, Draw], None]], None]:
    """The decorator of a function that checks a law: it enters the law into the list."""
    return lambda function: listed.append(Law(name, statement, function))


def demand_same_again(given: dict[str, Array], compute: Callable[[], dict[str, Any]]) -> None:
    """Fail unless `compute`, called twice, gives the same, and writes to nothing of what it is given."""
    before = {name: array.copy() for name, array in given.items()}
    first = {name: np.array(result) for name, result in compute().items()}
    second = compute()
    for name, array in given.items():
        demand(before[name], array, f"{name}, as before")
    for name, result in second.items():
        demand(first[name], result, f"{name}, as in the first call")


def demand_usable(function: object, laws: Sequence[Law], without: Collection[str]) -> None:
    """Raise an error that says what to give unless a check can be made with these arguments."""
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"expected a function, an instance of a module or a Function's apply, got {function!r}")
    names = [law.name for law in laws]
    if isinstance(without, str) or not {*without} <= {*names}:
        raise ValueError(f"without has to be a list of names of laws, which are {names}; got {without!r}")


def check(
    caller: str, laws: Sequence[Law], subject: object, without: Collection[str], profile: settings | None = None
) -> None:
    """Raise an AssertionError that tells the first broken law, if one breaks that is not named in `without`."""
    asked = [law for law in laws if law.name not in without]
    searching = STEADY if profile is None else profile
    # Of the laws after the first broken one only the names are told: the smallest example is not looked for.
    glancing = settings(searching, phases=[Phase.generate])
    stories: dict[str, str] = {}
    for law in asked:
        if story := law.broken_by(subject, glancing if stories else searching):
            stories[law.name] = story
    if stories:
        first, *others = stories
        count = f"{len(stories)} of {len(asked)} laws {'are' if others else 'is'} broken."
        also = f"\n\nAlso broken: {', '.join(others)}." if others else ""
        raise AssertionError(f"{caller}: {count}\n\n{stories[first]}{also}")


def _story(law: Law, drawn: Sequence[tuple[str, str]], findings: Any) -> str:
    lines = [*drawn, *findings]
    width = max([len(name) for name, _ in lines])
    indent = "\n" + " " * (width + 4)
    told = [f"  {name:<{width}}  {text.replace(chr(10), indent)}" for name, text in lines]
    return "\n".join([f"{law.name}: {law.statement}", *told])


def _shown(value: object) -> str:
    """A value as Python would read it; an array with what that does not tell: no usual dtype, the shape if empty."""
    if not isinstance(value, np.ndarray):
        return str(value)
    told = [] if value.size else [f"of shape {value.shape}"]
    told += [] if value.dtype in (np.float64, np.int64) else [f"of dtype {value.dtype}"]
    return " ".join([_elements(value), *told])


def _elements(array: Array) -> str:
    return np.array2string(array, separator=", ", threshold=60, floatmode="unique")


# ---- the laws of a differentiable operation --------------------------------------------------------------------------

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
    """Raise an AssertionError unless the gradients of `function(*tensors)` are right, to order two.

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
    demand_usable(function, OP_LAWS, without)
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
        return np.asarray(self._called([self.library.from_numpy(x) for x in inputs]).detach().numpy())

    def gradients(self, inputs: Iterable[Array]) -> list[Array]:
        """Those of `(f(x) * c).sum()` for the inputs x and, last, c, with respect to each x."""
        *xs, c = self.leaves(inputs)
        return [d.detach().numpy() for d in self.library.autograd.grad(self._called(xs), xs, c.detach())]

    def results(self, given: dict[str, Array]) -> dict[str, Array]:
        """The output, and the gradients of the inputs by their names, "dx", for inputs and an upstream gradient."""
        gradients = zip(given, self.gradients(given.values()), strict=False)
        return {"f(x)": self.value([*given.values()][:-1])} | {f"d{name}": d for name, d in gradients}

    def leaves(self, arrays: Iterable[Array]) -> list[Any]:
        """Tensors that require gradients."""
        return [self.library.from_numpy(x).requires_grad_() for x in arrays]

    def weighted(self, *inputs: Any) -> Any:
        """`f(x) * c` for the inputs x and, last, c, whose elements are then the upstream gradients."""
        product = self._called(inputs[:-1]) * inputs[-1]
        if not np.isfinite(product.detach().numpy()).all():
            raise Broken([("got", f"f(x) * c = {product}: keep inputs where it is finite, by low= and high=")])
        return product

    def _called(self, tensors: Sequence[Any]) -> Any:
        out = self.function(*tensors)
        if not isinstance(out, self.library.Tensor):
            raise Broken([("expected", "a tensor"), ("got", f"{type(out).__name__}: {out!r}")])
        return out


OP_LAWS: list[Law] = []

_law = partial(law, OP_LAWS)


@_law("shapes", "the gradient of an input has the shape of the input, also where it was broadcast.")
def _shapes(op: Operation, draw: Draw) -> None:
    inputs = [*op.inputs(draw).values()]
    # The library raises an error for any other shape.
    op.gradients([*inputs, np.full_like(op.value(inputs), 2.0)])


@_law("same again", "nothing is kept from call to call, and nothing is written to the inputs or the upstream gradient.")
def _same_again(op: Operation, draw: Draw) -> None:
    given = op.problem(draw)
    demand_same_again(given, partial(op.results, given))


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
    spread = op.results({name: _spread(x) for name, x in given.items()})
    for name, expected in op.results(given).items():
        got = spread[name]
        # But for rounding: sums may be made in another order.
        if expected.shape != got.shape or not np.allclose(expected, got, rtol=1e-9, atol=1e-12, equal_nan=True):
            demand(expected, got, name)


def _spread(x: Array) -> Array:
    """The same elements, the dimensions in reverse order in memory, with gaps between them."""
    every_second: tuple[Any, ...] = (*[slice(None, None, 2)] * x.ndim, ...)
    view = np.zeros([2 * size for size in x.shape], order="F")[every_second]
    view[...] = x
    return view
