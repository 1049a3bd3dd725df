"""The laws of a lookup: for ids `i` and a table `W`, with `X = one_hot(i)`, `Y = X @ W` and `dW = X.T @ G`.

Tables and upstream gradients are whole numbers, so sums are exact and "equal" is meant to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st

import minigrad
from minigrad.checks.laws import Broken, Draw, Law, check, checked_library, checked_names, demand
from minigrad.checks.strategies import cotangents, ids, laid_out, one_hot, shapes, tables
from minigrad.core.dtypes import Array


def check_lookup(
    embedding: Callable[..., Any],
    backward: Callable[..., Any] | None = None,
    *,
    library: ModuleType = minigrad,
    padding: bool = False,
    raises: type[Exception] = IndexError,
    tables: st.SearchStrategy[Array] = tables("float64", max_rows=4, min_columns=1, max_columns=3),  # noqa: B008 -- strategies do not change.
    without: Collection[str] = (),
    profile: settings | None = None,
) -> None:
    """Nothing if `embedding(ids, weight)` is a lookup, Y = W[ids], with its gradient; else an AssertionError.

    The error tells the first law that is broken, the smallest ids and table on which it is, what was expected and what
    was got.

    Without `backward`, ids and weight are tensors of `library`, which is minigrad or PyTorch (`import torch`, then
    `library=torch`), and gradients are those of its `autograd.grad`.  With it, all are NumPy arrays, and
    `backward(upstream, ids, weight)` is the gradient of the weight: ids are `(*)`, the weight is `(V, D)`, the output
    and `upstream` are `(*, D)`, the gradient is `(V, D)`.

    `padding`
        whether both take `padding_idx=`, an id whose row has no gradient.
    `raises`
        the exception for an id that is not in `[0, V)`.
    `tables`
        the strategy that weights are drawn from.
    `without`
        names of laws that are not meant to hold, or one name.  The names are those in `LOOKUP_LAWS`.
    `profile`
        the settings of Hypothesis; by default 25 examples for each law, the same each time.

    >>> import numpy as np
    >>> def lookup(ids, weight):
    ...     if ids.size and not 0 <= ids.min() <= ids.max() < len(weight):
    ...         raise IndexError("an id is not a row of the table")
    ...     return weight[ids]
    >>> def scatter(upstream, ids, weight):
    ...     gradient = np.zeros_like(weight)
    ...     np.add.at(gradient, ids, upstream)
    ...     return gradient
    >>> check_lookup(lookup, scatter)
    """
    subject: Arrays | Tensors = Tensors(embedding, checked_library(library), raises, tables)
    skipped = checked_names(without)
    if backward is not None:
        subject = Arrays(embedding, backward, raises, tables)
        skipped |= {"double backward", "padding, double backward"}
    if not padding:
        skipped |= {"padding", "padding, double backward"}
    check(f"check_lookup, on {subject.kind()}", LOOKUP_LAWS, subject, skipped, profile)


# ---- what is under test: arrays in, arrays out -----------------------------------------------------------------------


@dataclass(frozen=True)
class Arrays:
    """An embedding on NumPy arrays, with a function for its gradient."""

    embedding: Callable[..., Any]
    backward: Callable[..., Any]
    raises: type[Exception]
    tables: st.SearchStrategy[Array]

    def kind(self) -> str:
        return "NumPy's arrays"

    def output(self, chosen: Array, table: Array, **options: int) -> Any:
        with np.errstate(all="ignore"):
            return self.embedding(chosen, table, **options)

    def gradient(self, chosen: Array, table: Array, upstream: Array, **options: int) -> Any:
        with np.errstate(all="ignore"):
            return self.backward(upstream, chosen, table, **options)


@dataclass(frozen=True)
class Tensors:
    """An embedding on the tensors of a library, whose autograd has the gradient."""

    embedding: Callable[..., Any]
    library: Any
    raises: type[Exception]
    tables: st.SearchStrategy[Array]

    def kind(self) -> str:
        return f"tensors of {self.library.__name__}"

    def output(self, chosen: Array, table: Array, **options: int) -> Any:
        return self._array(self.embedding(self.library.from_numpy(chosen), self.library.from_numpy(table), **options))

    def gradient(self, chosen: Array, table: Array, upstream: Array, **options: int) -> Any:
        out, weight = self._recorded(chosen, table, **options)
        return self._array(self.library.autograd.grad(out, weight, self.library.from_numpy(upstream))[0])

    def gradient_of_gradient(
        self, chosen: Array, table: Array, upstream: Array, direction: Array, **options: int
    ) -> Any:
        """The gradient of `(dW * direction).sum()` with respect to the upstream gradient."""
        grad = self.library.autograd.grad
        out, weight = self._recorded(chosen, table, **options)
        g = self.library.from_numpy(upstream).requires_grad_()
        (dw,) = grad(out, weight, g, create_graph=True)
        dense = dw.to_dense() if dw.is_sparse else dw
        return self._array(grad(dense, g, self.library.from_numpy(direction))[0])

    def _recorded(self, chosen: Array, table: Array, **options: int) -> tuple[Any, Any]:
        weight = self.library.from_numpy(table).requires_grad_()
        return self.embedding(self.library.from_numpy(chosen), weight, **options), weight

    def _array(self, found: Any) -> Any:
        if not isinstance(found, self.library.Tensor):
            return found
        return (found.to_dense() if found.is_sparse else found).detach().numpy()


# ---- the laws --------------------------------------------------------------------------------------------------------

LOOKUP_LAWS: list[Law] = []


def _law(name: str, statement: str) -> Callable[[Callable[[Any, Draw], None]], None]:
    return lambda function: LOOKUP_LAWS.append(Law(name, statement, function))


ID_DTYPES = st.sampled_from(["int64", "int32"])


def _ids(rows: int) -> st.SearchStrategy[Array]:
    return ids(rows, shapes(max_dims=3, min_side=1), ID_DTYPES)


def _problem(subject: Any, draw: Draw) -> tuple[Array, Array, Array]:
    """A table `(V, D)`, ids of any shape, with repeats, and an upstream gradient."""
    table = draw("table", subject.tables)
    chosen = draw("ids", _ids(len(table)))
    return table, chosen, draw("upstream", cotangents((*chosen.shape, table.shape[1]), table.dtype.name))


def _rows(chosen: Array, table: Array) -> Array:
    """`X @ W`, with X the one-hot vectors of the ids."""
    return (one_hot(chosen, len(table), "float64") @ table.astype(np.float64)).astype(table.dtype)


def _table_of_sums(chosen: Array, table: Array, upstream: Array) -> Array:
    """`X.T @ G`, of the table's shape."""
    x = one_hot(chosen.reshape(-1), len(table), "float64")
    return (x.T @ upstream.reshape(chosen.size, table.shape[1]).astype(np.float64)).astype(table.dtype)


@_law("forward", "output n is row ids[n] of the table: Y = one_hot(ids) @ W, of shape (*, D) for ids of shape (*).")
def _forward(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    chosen = draw("ids", _ids(len(table)))
    demand(_rows(chosen, table), subject.output(chosen, table))


@_law("range of ids", "an id that is not in [0, V) is an error; -1 is not the last row.")
def _range_of_ids(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    rows = len(table)
    wrong = draw("wrong id", st.sampled_from([-1, rows, -rows, rows + 7, 2**31 - 1, -(2**31)]))
    others = draw("others", st.lists(st.integers(0, rows - 1), max_size=3))
    chosen = np.array([*others, wrong], draw("of dtype", ID_DTYPES))
    try:
        out = subject.output(chosen, table)
    except subject.raises:
        return
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    else:
        got = f"no error, and the output {out!r}"
    raise Broken([("expected", f"{subject.raises.__name__}, for a table of {rows} rows"), ("got", got)])


@_law("unread rows", "a row that no id names is not read: an inf or nan in it changes nothing.")
def _unread_rows(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    poison = draw("last row", st.sampled_from([np.inf, -np.inf, np.nan]))
    chosen = draw("ids", _ids(len(table)))
    poisoned = np.concatenate([table, np.full((1, table.shape[1]), poison, table.dtype)])
    demand(_rows(chosen, table), subject.output(chosen, poisoned))


@_law("gradient", "row n of G is the gradient of row ids[n] of the table, all others are 0: dW = one_hot(ids).T @ G.")
def _gradient(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    distinct = st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=len(table), unique=True)
    chosen = draw("ids", distinct.map(lambda drawn: np.array(drawn, np.int64)))
    upstream = draw("G", cotangents((*chosen.shape, table.shape[1]), table.dtype.name))
    demand(_table_of_sums(chosen, table, upstream), subject.gradient(chosen, table, upstream), "dW")


@_law("repeats add", "rows of G whose ids are equal add up: dW = 0, then dW[ids[n]] += G[n] for each n.")
def _repeats_add(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    chosen = draw("ids", ids(len(table), shapes(1, 3, min_side=1), ID_DTYPES))
    assume(np.unique(chosen).size < chosen.size)
    # No two numbers are equal: what came of them can be told apart.
    shape = (*chosen.shape, table.shape[1])
    upstream = draw("G", laid_out(np.arange(2, 2 + math.prod(shape)).reshape(shape).astype(table.dtype)))
    demand(_table_of_sums(chosen, table, upstream), subject.gradient(chosen, table, upstream), "dW")


@_law("separate rows", "a row of G reaches no row of dW but that of its id: with inf or nan, too.")
def _separate_rows(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    poison = draw("last row of G", st.sampled_from([np.inf, -np.inf, np.nan]))
    chosen = draw("ids", ids(len(table), shapes(1, 1, max_side=4)))
    upstream = draw("G", cotangents((*chosen.shape, table.shape[1]), table.dtype.name))
    # The poison goes to one more row, which has an id of its own.
    last = np.full((1, table.shape[1]), poison, table.dtype)
    expected = np.concatenate([_table_of_sums(chosen, table, upstream), last])
    larger = np.concatenate([table, np.zeros_like(last)])
    everything = np.concatenate([upstream, last])
    demand(expected, subject.gradient(np.append(chosen, len(table)), larger, everything), "dW")


@_law("adjointness", "the gradient is the transpose of the lookup: (Y * G).sum() == (W * dW).sum().")
def _adjointness(subject: Any, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    left = np.sum(subject.output(chosen, table).astype(np.float64) * upstream)
    right = np.sum(table.astype(np.float64) * subject.gradient(chosen, table, upstream))
    if left != right:
        raise Broken([("(Y * G).sum()", f"{left}"), ("(W * dW).sum()", f"{right}")])


@_law("double backward", "the gradient of (dW * H).sum() with respect to G is a lookup again: H[ids].")
def _double_backward(subject: Any, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    direction = draw("H", cotangents(table.shape, table.dtype.name))
    demand(_rows(chosen, direction), subject.gradient_of_gradient(chosen, table, upstream, direction))


@_law("padding", "row padding_idx is looked up like any other, and its gradient is 0.")
def _padding(subject: Any, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    padding_idx = draw("padding_idx", st.integers(0, len(table) - 1))
    demand(_rows(chosen, table), subject.output(chosen, table, padding_idx=padding_idx), "Y")
    expected = _table_of_sums(chosen, table, upstream)
    expected[padding_idx] = 0
    demand(expected, subject.gradient(chosen, table, upstream, padding_idx=padding_idx), "dW")


@_law("padding, double backward", "the gradient of (dW * H).sum() with respect to G is 0 where the id is padding_idx.")
def _padding_twice(subject: Any, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    padding_idx = draw("padding_idx", st.integers(0, len(table) - 1))
    direction = draw("H", cotangents(table.shape, table.dtype.name))
    expected = _rows(chosen, direction)
    expected[chosen == padding_idx] = 0
    got = subject.gradient_of_gradient(chosen, table, upstream, direction, padding_idx=padding_idx)
    demand(expected, got)


@_law("no ids", "without ids the output has no rows, and the gradient is a table of zeros.")
def _no_ids(subject: Any, draw: Draw) -> None:
    table = draw("table", subject.tables)
    chosen = draw("ids", ids(len(table), st.sampled_from([(0,), (0, 3), (2, 0)]), ID_DTYPES))
    nothing = np.zeros((*chosen.shape, table.shape[1]), table.dtype)
    demand(nothing, subject.output(chosen, table), "Y")
    demand(np.zeros_like(table), subject.gradient(chosen, table, nothing), "dW")


@_law("same again", "nothing is kept from call to call, and nothing is written to ids, table or upstream gradient.")
def _same_again(subject: Any, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    given = {"table": table, "ids": chosen, "upstream": upstream}
    before = {name: array.copy() for name, array in given.items()}
    first = [np.array(x) for x in (subject.output(chosen, table), subject.gradient(chosen, table, upstream))]
    second = [subject.output(chosen, table), subject.gradient(chosen, table, upstream)]
    for name, array in given.items():
        demand(before[name], array, f"{name}, as before")
    for name, one, other in zip(("Y", "dW"), first, second, strict=True):
        demand(one, other, f"{name}, as in the first call")
