"""Laws: named properties with one sentence each, and the search for the smallest example that breaks one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, settings, strategies as st
from hypothesis.errors import Flaky, HypothesisException

from minigrad.core.dtypes import Array

#: The same examples each time; then the smallest broken one, and nothing printed on the way.
STEADY = settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    verbosity=Verbosity.quiet,
    phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class Draw(Protocol):
    """Draws a value; the name it is given is the one that a broken law shows it under."""

    def __call__(self, name: str, strategy: st.SearchStrategy[Any]) -> Any: ...


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
    """Nothing if `got` is an array of the shape, the dtype and, to the last bit, the elements of `expected`."""
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
    """Nothing if `compute`, called twice, gives the same, and writes to nothing of what it is given."""
    before = {name: array.copy() for name, array in given.items()}
    first = {name: np.array(result) for name, result in compute().items()}
    second = compute()
    for name, array in given.items():
        demand(before[name], array, f"{name}, as before")
    for name, result in second.items():
        demand(first[name], result, f"{name}, as in the first call")


def demand_usable(function: object, library: object, laws: Sequence[Law], without: Collection[str]) -> None:
    """Nothing if a check can be made with these arguments; else an error that says what to give."""
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"expected a function, an instance of a module or a Function's apply, got {function!r}")
    if not isinstance(library, ModuleType):
        raise TypeError(f"library has to be a module, minigrad or torch, not {library!r}")
    names = [law.name for law in laws]
    if isinstance(without, str) or not {*without} <= {*names}:
        raise ValueError(f"without has to be a list of names of laws, which are {names}; got {without!r}")


def check(
    caller: str, laws: Sequence[Law], subject: object, without: Collection[str], profile: settings | None = None
) -> None:
    """Nothing if all laws but those named in `without` hold; else an AssertionError that tells the first broken one."""
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
