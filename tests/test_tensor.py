"""Writes to tensors: to any part, as in NumPy, and recorded; `programs/tensors.md` has the rest."""

from typing import Any

import numpy as np
import oracles
from hypothesis import given, strategies as st
from laws import leaf, same
from strategies import DTYPES, Array, arrays, shapes

import minigrad as torch


@given(st.data())
def test_assignment_by_index_is_numpys(data: st.DataObject) -> None:
    array = data.draw(arrays(st.sampled_from(DTYPES), shapes(2, 3, min_side=2)))
    rows = data.draw(st.lists(st.integers(-2, 1), min_size=1, max_size=2, unique_by=lambda row: row % 2))
    mask = np.asarray(data.draw(st.lists(st.booleans(), min_size=len(array), max_size=len(array))))
    index = data.draw(st.sampled_from([0, -1, ..., slice(1, None), (slice(None), 1), (..., slice(None, None, 2)),
                                       (0, 1), None, rows, (slice(None), rows), mask, array == array]))  # fmt: skip
    value = data.draw(arrays(array.dtype.name, array[index].shape, contiguous=True))
    expected = array.copy()
    x = torch.from_numpy(array.copy(order="K"))
    alias = x.detach()
    expected[index] = value
    x[torch.from_numpy(index) if isinstance(index, np.ndarray) else index] = torch.from_numpy(np.asarray(value))
    same(alias, expected)
    assert x._version == 1
    expected[index] = 1
    x[index] = 1
    same(alias, expected)
    same(x[index], expected[index])


def test_writes_are_recorded_in_the_order_they_are_made() -> None:
    """The derivative of a chain of writes is that of the same chain of new tensors, to order two."""

    def in_place(x: Any, y: Any) -> Any:
        z = x * 1
        z += y
        z *= x
        z **= 2
        z -= 2 * y
        z /= y
        z **= 2
        return z

    def anew(x: Array, y: Array) -> Array:
        return ((((x + y) * x) ** 2 - 2 * y) / y) ** 2

    points = [np.array([1.0, 2.0, 1.5]), np.array([2.0, 1.0, 3.0])]
    u, v = oracles.random_directions([(3,), (3,)], 0), oracles.random_directions([(3,), (3,)], 1)
    leaves = [leaf(p) for p in points]
    first = torch.autograd.grad(in_place(*leaves).sum(), leaves, create_graph=True)
    second = torch.autograd.grad([(d * torch.from_numpy(w)).sum() for d, w in zip(first, u, strict=True)], leaves)

    def value(at: Any) -> Array:
        return np.asarray(anew(*at).sum())

    def slope(at: Any) -> Array:
        return oracles.directional_derivative(value, at, u)

    got = oracles.inner([d.detach().numpy() for d in first], u)
    np.testing.assert_allclose(got, oracles.directional_derivative(value, points, u), rtol=1e-8)
    got = oracles.inner([d.numpy() for d in second], v)
    np.testing.assert_allclose(got, oracles.directional_derivative(slope, points, v), rtol=1e-6)
