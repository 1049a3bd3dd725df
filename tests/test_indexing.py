"""Reading and writing at places, without PyTorch at hand: what NumPy and Python loops say, errors, memory."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, INTEGERS, Array, arrays, shapes

import minigrad as torch


@given(arrays(st.sampled_from(DTYPES), special=True))
def test_positions_of_what_is_not_zero(array: Array) -> None:
    x = torch.from_numpy(array)
    wanted = [place for place in np.ndindex(*array.shape) if array[place] != 0]
    for found in (x.nonzero(), x.argwhere(), torch.nonzero(x)):
        assert found.shape == (len(wanted), array.ndim)
        assert found.dtype is torch.int64
        assert [tuple(row) for row in found.tolist()] == wanted
    vectors = x.nonzero(as_tuple=True)
    assert len(vectors) == max(array.ndim, 1)
    assert list(zip(*[vector.tolist() for vector in vectors], strict=True)) == [place or (0,) for place in wanted]
    if array.ndim:
        np.testing.assert_array_equal(x[vectors].numpy(), array[array != 0])


@given(st.data(), st.sampled_from([*INTEGERS, "bool"]))
def test_integers_are_added_and_written_as_loops_do(data: st.DataObject, dtype: str) -> None:
    """Integers wrap around, and bools are joined by or."""
    array = data.draw(arrays(dtype, shapes(2, 2, min_side=1)), label="x")
    src = data.draw(arrays(dtype, shapes(2, 2, min_side=1)), label="src")
    counts = [min(a, b) for a, b in zip(src.shape, array.shape, strict=True)]
    index = np.random.default_rng(0).integers(0, array.shape[1], (counts[0], src.shape[1]))
    written, added = array.copy(), array.copy()
    for i, j in np.ndindex(*index.shape):
        there = (i, index[i, j])
        written[there] = src[i, j]
        added[there] = np.add(added[there], src[i, j], dtype=dtype)
    x, ids, values = torch.from_numpy(array), torch.from_numpy(index), torch.from_numpy(src)
    np.testing.assert_array_equal(x.scatter(1, ids, values).numpy(), written)
    np.testing.assert_array_equal(x.scatter_add(1, ids, values).numpy(), added)


# ---- half precision --------------------------------------------------------------------------------------------------

ADDING: list[Callable[[Any, Any, Any], Any]] = [
    lambda x, ids, values: x.scatter_add(0, ids, values),
    lambda x, ids, values: x.clone().scatter_add_(0, ids, values),
    lambda x, ids, values: x.index_add(0, ids, values),
    lambda x, ids, values: x.index_put((ids,), values, accumulate=True),
]


@pytest.mark.parametrize("add", ADDING)
def test_half_precision_adds_up_in_single_precision(add: Callable[[Any, Any, Any], Any]) -> None:
    """In half precision, 2048 + 1 is 2048."""
    ids, ones = torch.zeros(5000, dtype=torch.int64), torch.ones(5000, dtype=torch.float16)
    np.testing.assert_allclose(add(torch.ones(1, dtype=torch.float16), ids, ones).float().numpy(), [5001], rtol=1e-3)


# ---- writing in place ------------------------------------------------------------------------------------------------

L = torch.tensor
WRONG: list[tuple[str, Callable[[Any], Any], type[Exception]]] = [
    ("an int", lambda x: operator.setitem(x, (1, 3), 7.0), IndexError),
    ("ids", lambda x: operator.setitem(x, L([0, 2]), 7.0), IndexError),
    ("ids of two dims", lambda x: operator.setitem(x, (L([0, 1]), L([0, 3])), 7.0), IndexError),
    ("a mask", lambda x: operator.setitem(x, L([True, False, True]), 7.0), IndexError),
    ("a shape", lambda x: operator.setitem(x, L([0, 1]), torch.ones(2, 2)), RuntimeError),
    ("a dtype", lambda x: operator.setitem(x, L([0, 1]), torch.ones(2, 3).double()), RuntimeError),
    ("a step", lambda x: operator.setitem(x, slice(None, None, -1), 7.0), ValueError),
    ("scatter_", lambda x: x.scatter_(1, L([[0, 3]]), torch.ones(1, 2)), RuntimeError),
    ("scatter_, from the end", lambda x: x.scatter_(1, L([[0, -1]]), 7.0), RuntimeError),
    ("scatter_add_", lambda x: x.scatter_add_(0, L([[0], [2]]), torch.ones(2, 1)), RuntimeError),
    ("scatter_add_, a shape", lambda x: x.scatter_add_(0, L([[0], [1]]), torch.ones(1, 1)), RuntimeError),
    ("index_add_", lambda x: x.index_add_(1, L([0, 3]), torch.ones(2, 2)), RuntimeError),
    ("index_fill_", lambda x: x.index_fill_(1, L([0, 3]), 7.0), IndexError),
    ("index_put_", lambda x: x.index_put_((L([0, 1]), L([0, 3])), torch.ones(2)), IndexError),
    ("index_put_, accumulate", lambda x: x.index_put_((L([0, 2]),), torch.ones(()), accumulate=True), IndexError),
    ("random_", lambda x: x.random_(5, 2), RuntimeError),
]


@pytest.mark.parametrize(("write", "error"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_write_that_raises_has_written_nothing(
    write: Callable[[Any], Any], error: type[Exception], recorded: bool
) -> None:
    leaf = torch.arange(6.0).reshape(2, 3)
    x = leaf.requires_grad_() * 1 if recorded else leaf
    history = x.grad_fn
    with pytest.raises(error):
        write(x)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x._version == 0
    assert x.grad_fn is history


def test_what_is_written_may_lie_in_the_tensor_itself() -> None:
    """PyTorch refuses some of these; here the values count as they were before."""
    writes: list[tuple[Callable[[Any], Any], list[float]]] = [
        (lambda x: operator.setitem(x, slice(1, None), x[:-1]), [0, 0, 1, 2]),
        (lambda x: operator.setitem(x, [1, 2, 3], x[:-1]), [0, 0, 1, 2]),
        (lambda x: x.scatter_(0, L([1, 2, 3]), x[:-1]), [0, 0, 1, 2]),
        (lambda x: x.scatter_add_(0, L([1, 2, 3]), x[:-1]), [0, 1, 3, 5]),
        (lambda x: x.index_add_(0, L([0, 0, 0, 0]), x), [6, 1, 2, 3]),
    ]
    for write, wanted in writes:
        x = torch.arange(4.0)
        write(x)
        assert x.tolist() == wanted


def test_writes_reach_views_and_count_once() -> None:
    x = torch.zeros(3, 4)
    view = x.T[1:]
    for write in (
        lambda: view.scatter_(1, L([[2], [0], [1]]), 1.0),
        lambda: view.index_add_(0, L([0, 0]), torch.ones(2, 3)),
        lambda: view.index_put_((L([True, False, True]),), L(5.0)),
        lambda: operator.setitem(view, ([0, 1], [1, 2]), 9.0),
    ):
        before = x._version
        write()
        assert x._version == before + 1
        np.testing.assert_array_equal(view.numpy(), x.numpy().T[1:])
    assert x.tolist() == [[0, 5, 1, 5], [0, 9, 0, 5], [0, 5, 9, 5]]


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_limits_are_numpys() -> None:
    for name in ("float16", "float32", "float64"):
        info, wanted = torch.finfo(getattr(torch, name)), np.finfo(name)
        for limit in ("eps", "max", "min", "tiny", "smallest_normal", "bits"):
            assert getattr(info, limit) == float(getattr(wanted, limit)), (name, limit)
        assert info.resolution == 10.0**-wanted.precision
    assert torch.finfo() == torch.finfo(torch.float32)
    with pytest.raises(TypeError):
        torch.finfo(torch.int8)
