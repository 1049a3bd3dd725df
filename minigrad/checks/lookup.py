"""The laws of a lookup: for ids `i` and a table `W`, with `X = one_hot(i)`, `Y = X @ W` and `dW = X.T @ G`.

Tables and upstream gradients are whole numbers, or numbers of which each digit counts; sums are exact, and "equal" is
meant to the last bit.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import assume, settings, strategies as st

import minigrad
from minigrad.checks.laws import Broken, Draw, Law, check, demand, demand_same_again, demand_usable, law
from minigrad.checks.strategies import arrays, cotangents, ids, laid_out, one_hot, shapes
from minigrad.core.dtypes import Array

TABLES = arrays(st.sampled_from(["float64", "float32", "float16"]), st.tuples(st.integers(1, 4), st.integers(1, 9)))


def check_lookup(
    embedding: Callable[..., Any],
    backward: Callable[..., Any] | None = None,
    *,
    library: ModuleType = minigrad,
    padding: bool = False,
    raises: type[Exception] = IndexError,
    without: Collection[str] = (),
    profile: settings | None = None,
) -> None:
    """Raise an AssertionError unless `embedding(ids, weight)` is a lookup, Y = W[ids], with its gradient.

    The error tells the first law that is broken, the smallest ids and table on which it is, what was expected and what
    was got.

    Without `backward`, ids and weight are tensors of `library`, which is minigrad or PyTorch (`import torch`, then
    `library=torch`), and gradients are those of its `autograd.grad`.  With it, all are NumPy arrays, and
    `backward(upstream, ids, weight)` is the gradient of the weight: ids are `(*)`, the weight is `(V, D)`, the output
    and `upstream` are `(*, D)`, the gradient is `(V, D)`.  `embedding` may be a module of the library, too, which is
    called with ids, and has one parameter, the weight; a copy of it is checked.

    `padding`
        whether both take `padding_idx=`, an id whose row has no gradient.
    `raises`
        the exception for an id that is not in `[0, V)`.
    `without`
        names of laws that are not meant to hold, of those in `LOOKUP_LAWS`.
    `profile`
        the settings of Hypothesis; by default 25 examples for each law, the same each time.

    >>> import numpy as np
    >>> from minigrad.checks import check_lookup
    >>> def lookup(ids, weight):
    ...     if ids.size and not 0 <= ids.min() <= ids.max() < len(weight):
    ...         raise IndexError("an id is not a row of the table")
    ...     return weight[ids]
    >>> def scatter(upstream, ids, weight):
    ...     gradient = np.zeros_like(weight)
    ...     np.add.at(gradient, ids, upstream)
    ...     return gradient
    >>> check_lookup(lookup, scatter)

    >>> import minigrad as torch
    >>> check_lookup(torch.nn.Embedding(7, 3))
    """
    demand_usable(embedding, LOOKUP_LAWS, without)
    skipped = {*without} | (set() if padding else {"padding", "padding, double backward"})
    subject, told = Subject(embedding, library, raises, backward=backward), f"tensors of {library.__name__}"
    if isinstance(embedding, library.nn.Module):
        subject, told = _of_module(embedding, library, raises)
        # Its table has the columns that it has.
        skipped |= {"no columns"}
    elif backward is not None:
        told = "NumPy's arrays"
        skipped |= {"double backward", "padding, double backward"}
    check(f"check_lookup, on {told}", LOOKUP_LAWS, subject, skipped, profile)


def _of_module(module: Any, library: ModuleType, raises: type[Exception]) -> tuple[Subject, str]:
    """The function under test for a module: a copy of it, in which a tensor replaces the only parameter."""
    sizes = [tuple(each.shape) for each in module.parameters()]
    if getattr(module, "padding_idx", None) is not None or [len(size) for size in sizes] != [2]:
        wanted = f"one parameter, a table of shape (V, D), not of shapes {sizes}, and no padding_idx"
        raise TypeError(f"a module has to have {wanted}: check a function of ids and weight, perhaps with padding=True")
    own = copy.deepcopy(module)
    owner, name, weight = next((part, *named) for part in own.modules() for named in part.named_parameters("", False))

    def look_up(ids: Any, weight: Any) -> Any:
        owner._parameters[name] = weight
        return own(ids)

    drawn = arrays(weight.detach().numpy().dtype.name, sizes[0], contiguous=True)
    told = f"a module of {library.__name__} whose (V, D) is {sizes[0]}"
    return Subject(look_up, library, raises, drawn, (0,)), told


@dataclass(frozen=True)
class Subject:
    """An embedding under test, arrays in, arrays out: on tensors of the library, or on arrays if it has a backward."""

    embedding: Callable[..., Any]
    library: Any
    raises: type[Exception]
    tables: st.SearchStrategy[Array] = TABLES
    #: How many rows a drawn table may be made larger by: beyond what an id of 8 bits can name.
    more_rows: Sequence[int] = (0, 256, 300)
    backward: Callable[..., Any] | None = None

    def output(self, chosen: Array, table: Array, **options: int) -> Array:
        if self.backward is not None:
            return self.embedding(chosen, table, **options)
        return self._array(self._recorded(chosen, table, **options)[0])

    def gradient(self, chosen: Array, table: Array, upstream: Array, **options: int) -> Array:
        if self.backward is not None:
            return self.backward(upstream, chosen, table, **options)
        out, weight = self._recorded(chosen, table, **options)
        return self._array(self.library.autograd.grad(out, weight, self.library.from_numpy(upstream))[0])

    def gradient_of_gradient(self, chosen: Array, table: Array, upstream: Array, along: Array, **options: int) -> Array:
        """The gradient of `(dW * along).sum()` with respect to the upstream gradient."""
        grad = self.library.autograd.grad
        out, weight = self._recorded(chosen, table, **options)
        g = self.library.from_numpy(upstream).requires_grad_()
        (dw,) = grad(out, weight, g, create_graph=True)
        dense = dw.to_dense() if dw.is_sparse else dw
        return self._array(grad(dense, g, self.library.from_numpy(along))[0])

    def _recorded(self, chosen: Array, table: Array, **options: int) -> tuple[Any, Any]:
        """The output, and the tensor whose gradient is that of the table."""
        ids, weight = self.library.from_numpy(chosen), self.library.from_numpy(table).requires_grad_()
        return self.embedding(ids, weight, **options), weight

    def _array(self, found: Any) -> Array:
        if not isinstance(found, self.library.Tensor):
            return found
        return (found.to_dense() if found.is_sparse else found).detach().numpy()


# ---- the laws --------------------------------------------------------------------------------------------------------

LOOKUP_LAWS: list[Law] = []

_law = partial(law, LOOKUP_LAWS)

ID_DTYPES = st.sampled_from(["int64", "int32"])


def _ids(rows: int) -> st.SearchStrategy[Array]:
    return ids(rows, shapes(max_dims=3, min_side=1), ID_DTYPES)


def _problem(subject: Subject, draw: Draw) -> tuple[Array, Array, Array]:
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
def _forward(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    chosen = draw("ids", _ids(len(table)))
    demand(_rows(chosen, table), subject.output(chosen, table))


@_law("range of ids", "an id that is not in [0, V) is an error; -1 is not the last row.")
def _range_of_ids(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    rows = len(table)
    wrong = draw("wrong id", st.sampled_from([-1, rows, -rows, rows + 7, 2**31 - 1, -(2**31)]))
    others = draw("others", st.lists(st.integers(0, rows - 1), max_size=3))
    chosen = np.array([*others, wrong], draw("of dtype", ID_DTYPES))
    try:
        got = f"no error, and the output {subject.output(chosen, table)!r}"
    except subject.raises:
        return
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    raise Broken([("expected", f"{subject.raises.__name__}, for a table of {rows} rows"), ("got", got)])


@_law("unread rows", "a row that no id names is not read: an inf or nan in it changes nothing.")
def _unread_rows(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    assume(len(table) > 1)
    poisoned = table.copy()
    poisoned[-1] = draw("last row", st.sampled_from([np.inf, -np.inf, np.nan]))
    chosen = draw("ids", _ids(len(table) - 1))
    demand(_rows(chosen, table), subject.output(chosen, poisoned))


@_law("gradient", "row n of G is the gradient of row ids[n] of the table, all others are 0: dW = one_hot(ids).T @ G.")
def _gradient(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    distinct = st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=len(table), unique=True)
    chosen = draw("ids", distinct.map(lambda drawn: np.array(drawn, np.int64)))
    upstream = draw("G", cotangents((*chosen.shape, table.shape[1]), table.dtype.name))
    demand(_table_of_sums(chosen, table, upstream), subject.gradient(chosen, table, upstream), "dW")


@_law("repeats add", "rows of G whose ids are equal add up: dW = 0, then dW[ids[n]] += G[n] for each n.")
def _repeats_add(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    chosen = draw("ids", ids(len(table), shapes(1, 3, min_side=1), ID_DTYPES))
    assume(np.unique(chosen).size < chosen.size)
    # Numbers differ from their neighbours: what came of them can be told apart.  In float16, too, sums are exact.
    shape = (*chosen.shape, table.shape[1])
    upstream = draw("G", laid_out((2 + np.arange(math.prod(shape)) % 61).reshape(shape).astype(table.dtype)))
    demand(_table_of_sums(chosen, table, upstream), subject.gradient(chosen, table, upstream), "dW")


@_law("separate rows", "a row of G reaches no row of dW but that of its id: with inf or nan, too.")
def _separate_rows(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    assume(len(table) > 1)
    last = len(table) - 1
    chosen = draw("ids", ids(last, shapes(1, 1, max_side=4)).map(lambda drawn: np.append(drawn, last)))
    upstream = draw("G", cotangents((*chosen.shape, table.shape[1]), table.dtype.name))
    expected = _table_of_sums(chosen, table, upstream)
    poisoned = upstream.copy()
    expected[-1] = poisoned[-1] = draw("last row of G", st.sampled_from([np.inf, -np.inf, np.nan]))
    demand(expected, subject.gradient(chosen, table, poisoned), "dW")


@_law("every digit", "rows are copied, and added up, in the precision of the table: no digit is lost.")
def _every_digit(subject: Subject, draw: Draw) -> None:
    table = draw("table", st.builds(_of_every_digit, subject.tables, st.sampled_from(subject.more_rows)))
    rows = np.arange(len(table))[::-1]
    hot = st.integers(0, len(table) - 1)
    # Each row once, and one of them three times more.
    chosen = draw("ids", st.builds(lambda id_, dtype: np.append(rows, [id_] * 3).astype(dtype), hot, ID_DTYPES))
    demand(_rows(chosen, table), subject.output(chosen, table), "Y")
    upstream = _of_every_digit(table, 3)
    # The largest of four whole numbers whose sums, in any order, are exact in this dtype, and in none that is shorter.
    large = 2.0 / np.finfo(table.dtype).eps - 4
    upstream[chosen == chosen[-1]] = np.array([[large], [1], [1], [1]])
    draw("G", st.just(upstream))
    demand(_table_of_sums(chosen, table, upstream), subject.gradient(chosen, table, upstream), "dW")


def _of_every_digit(table: Array, more_rows: int) -> Array:
    """As many columns, and so many more rows, of numbers that differ in their last digits: 1 + (2k + 1) eps."""
    shape = len(table) + more_rows, table.shape[1]
    odd = 2 * (np.arange(math.prod(shape)) % 500) + 1
    return np.asarray(1 + odd * float(np.finfo(table.dtype).eps), table.dtype).reshape(shape)


@_law("adjointness", "the gradient is the transpose of the lookup: (Y * G).sum() == (W * dW).sum().")
def _adjointness(subject: Subject, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    left = np.sum(subject.output(chosen, table).astype(np.float64) * upstream)
    right = np.sum(table.astype(np.float64) * subject.gradient(chosen, table, upstream))
    if left != right:
        raise Broken([("(Y * G).sum()", f"{left}"), ("(W * dW).sum()", f"{right}")])


@_law("double backward", "the gradient of (dW * H).sum() with respect to G is a lookup again: H[ids].")
def _double_backward(subject: Subject, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    direction = draw("H", cotangents(table.shape, table.dtype.name))
    demand(_rows(chosen, direction), subject.gradient_of_gradient(chosen, table, upstream, direction))


@_law("padding", "row padding_idx is looked up like any other, and its gradient is 0.")
def _padding(subject: Subject, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    padding_idx = draw("padding_idx", st.integers(0, len(table) - 1))
    demand(_rows(chosen, table), subject.output(chosen, table, padding_idx=padding_idx), "Y")
    expected = _table_of_sums(chosen, table, upstream)
    expected[padding_idx] = 0
    demand(expected, subject.gradient(chosen, table, upstream, padding_idx=padding_idx), "dW")


@_law("padding, double backward", "the gradient of (dW * H).sum() with respect to G is 0 where the id is padding_idx.")
def _padding_twice(subject: Subject, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)
    padding_idx = draw("padding_idx", st.integers(0, len(table) - 1))
    direction = draw("H", cotangents(table.shape, table.dtype.name))
    expected = _rows(chosen, direction)
    expected[chosen == padding_idx] = 0
    demand(expected, subject.gradient_of_gradient(chosen, table, upstream, direction, padding_idx=padding_idx))


@_law("no ids", "without ids the output has no rows, and the gradient is a table of zeros.")
def _no_ids(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables)
    _demand_zeros(subject, draw("ids", ids(len(table), st.sampled_from([(0,), (0, 3), (2, 0)]), ID_DTYPES)), table)


@_law("no columns", "of a table of no columns the output has none, (*, 0), and the gradient is of its shape, (V, 0).")
def _no_columns(subject: Subject, draw: Draw) -> None:
    table = draw("table", subject.tables.map(lambda drawn: drawn[:, :0]))
    _demand_zeros(subject, draw("ids", _ids(len(table))), table)


def _demand_zeros(subject: Subject, chosen: Array, table: Array) -> None:
    """Fail unless an output of no elements is of its shape, and the gradient all zeros."""
    nothing = np.zeros((*chosen.shape, table.shape[1]), table.dtype)
    demand(nothing, subject.output(chosen, table), "Y")
    demand(np.zeros_like(table), subject.gradient(chosen, table, nothing), "dW")


@_law("same again", "nothing is kept from call to call, and nothing is written to ids, table or upstream gradient.")
def _same_again(subject: Subject, draw: Draw) -> None:
    table, chosen, upstream = _problem(subject, draw)

    def compute() -> dict[str, Array]:
        return {"Y": subject.output(chosen, table), "dW": subject.gradient(chosen, table, upstream)}

    demand_same_again({"table": table, "ids": chosen, "upstream": upstream}, compute)
