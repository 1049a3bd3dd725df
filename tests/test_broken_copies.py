# ruff: noqa: E501 -- a row is one mistake.
"""The laws reject broken copies: a checker that has not rejected one is not trusted.

Each copy replaces one function or method of the package by a plausible mistake; at least one law has to fail on it
with an AssertionError.  The laws that do are named here, so that a law that stops seeing its mistake is noticed.
"""

from typing import Any

import laws
import numpy as np
import pytest

from minigrad.core import embedding
from minigrad.core.embedding import Lookup, ScatterAdd
from minigrad.core.linear import Linear
from minigrad.ops import indexing

original_add_rows = embedding.add_rows
original_check_ids = embedding.check_ids
original_linear_backward = Linear.backward
original_lookup_da = Lookup.da


def assigning_scatter(rows: Any, ids: Any, num_rows: int) -> Any:
    table = np.zeros((num_rows, rows.shape[1]), rows.dtype)
    table[ids] = rows
    return table


def unique_ids_only_scatter(rows: Any, ids: Any, num_rows: int) -> Any:
    """NumPy's well-known trap: `table[ids] += rows` adds one of the repeats only."""
    table = np.zeros((num_rows, rows.shape[1]), rows.dtype)
    table[ids] += rows
    return table


def mean_instead_of_sum(rows: Any, ids: Any, num_rows: int) -> Any:
    counts = np.maximum(np.bincount(ids, minlength=num_rows), 1).astype(rows.dtype)
    return original_add_rows(rows, ids, num_rows) / counts[:, None]


def shifted_scatter(rows: Any, ids: Any, num_rows: int) -> Any:
    return original_add_rows(rows, (ids + 1) % num_rows, num_rows)


def check_one_too_many(ids: Any, num_embeddings: int) -> None:
    """The off-by-one: the id V passes, and the table's end is read instead."""
    original_check_ids(np.where(ids == num_embeddings, 0, ids), num_embeddings)
    ids[...] = np.minimum(ids, num_embeddings - 1)


def check_wraps_negative(ids: Any, num_embeddings: int) -> None:
    original_check_ids(np.where((ids < 0) & (ids >= -num_embeddings), 0, ids), num_embeddings)


def zero_second_order(self: Any, g: Any, ids: Any) -> Any:
    return g._new(np.zeros((*ids.shape, g.shape[1]), g._array.dtype))


def padding_row_trained(self: Any, g: Any, ids: Any) -> Any:
    self.padding_idx = None
    return original_lookup_da(self, g, ids)


def padding_masks_first_order_only(self: Any, g: Any, ids: Any) -> Any:
    """The mask is applied to the values, outside the graph."""
    if self.padding_idx is not None:
        values = np.where(ids._array[..., None] != self.padding_idx, g._array, g._array.dtype.type(0))
        g = g + g._new(values - g._array)
    return ScatterAdd(self.num_embeddings).of(g, ids)


def linear_without_transpose(self: Any, g: Any) -> Any:
    """dX = G @ W.T, where the shapes allow it."""
    dx, dw, db = original_linear_backward(self, g)
    weight = self.kept(1) if self.edges[0] is not None else None
    square = weight is not None and weight.shape[0] == weight.shape[1]
    return (g @ weight.T if square else dx), dw, db


def linear_weight_gradient_scaled(self: Any, g: Any) -> Any:
    dx, dw, db = original_linear_backward(self, g)
    return dx, None if dw is None else dw * 1.001, db


def linear_zero_weight_gradient(self: Any, g: Any) -> Any:
    dx, dw, db = original_linear_backward(self, g)
    return dx, None if dw is None else dw * 0, db


def linear_bias_from_first_row(self: Any, g: Any) -> Any:
    """The broadcast is not summed: the bias gets the gradient of one row."""
    dx, dw, db = original_linear_backward(self, g)
    rows = g.reshape(int(np.prod(g.shape[:-1])), g.shape[-1])
    return dx, dw, db if db is None or not len(rows) else rows[0]


def linear_unsummed_bias(self: Any, g: Any) -> Any:
    dx, dw, db = original_linear_backward(self, g)
    return dx, dw, None if db is None else g


#: The mistake, where it is made, what stands there instead, and the laws that have to notice.
COPIES: list[tuple[str, Any, str, Any, set[str]]] = [
    ("assigning scatter", embedding, "add_rows", assigning_scatter, {"lookup: repeats add", "lookup: adjointness", "lookup: padding", "second_order", "tied"}),
    ("unique-ids-only scatter", embedding, "add_rows", unique_ids_only_scatter, {"lookup: repeats add", "lookup: adjointness", "lookup: padding", "second_order", "tied"}),
    ("assigning scatter in indexing", indexing, "add_rows", assigning_scatter, {"indexing: repeats add"}),
    ("mean instead of sum", embedding, "add_rows", mean_instead_of_sum, {"lookup: repeats add", "lookup: adjointness"}),
    ("zero backward", embedding, "add_rows", lambda rows, ids, num_rows: np.zeros((num_rows, rows.shape[1]), rows.dtype), {"lookup: gradient", "lookup: adjointness", "second_order"}),
    ("gradient times 1.001", embedding, "add_rows", lambda rows, ids, num_rows: original_add_rows(rows, ids, num_rows) * rows.dtype.type(1.001), {"lookup: gradient", "lookup: adjointness"}),
    ("gradient for the next row", embedding, "add_rows", shifted_scatter, {"lookup: gradient", "lookup: adjointness"}),
    ("off-by-one range check", embedding, "check_ids", check_one_too_many, {"lookup: range of ids", "range_of_ids"}),
    ("negative ids wrapped", embedding, "check_ids", check_wraps_negative, {"lookup: range of ids", "range_of_ids"}),
    ("zero second order", ScatterAdd, "da", zero_second_order, {"lookup: double backward", "second_order"}),
    ("padding row trained", Lookup, "da", padding_row_trained, {"lookup: padding", "padding_counts_from_the_end"}),
    ("padding masked outside the graph", Lookup, "da", padding_masks_first_order_only, {"lookup: padding, double backward", "padding_counts_from_the_end"}),
    ("forgotten transpose", Linear, "backward", linear_without_transpose, {"one_hot_gradient", "linear_layer"}),
    ("linear gradient times 1.001", Linear, "backward", linear_weight_gradient_scaled, {"F.linear: gradient", "linear_layer"}),
    ("linear zero backward", Linear, "backward", linear_zero_weight_gradient, {"F.linear: gradient", "linear_layer"}),
    ("bias gradient of one row", Linear, "backward", linear_bias_from_first_row, {"linear_layer"}),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "owner", "name", "broken", "rejecting"), COPIES, ids=[copy[0] for copy in COPIES])
def test_broken_copy_is_rejected(
    mistake: str, owner: Any, name: str, broken: Any, rejecting: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, broken)
    for law in rejecting:
        assert laws.rejects(law), f"{law} accepts the {mistake}"


def test_an_unsummed_broadcast_is_refused_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Linear, "backward", linear_unsummed_bias)
    with pytest.raises(RuntimeError, match="invalid gradient"):
        laws.rejects("linear_layer")
