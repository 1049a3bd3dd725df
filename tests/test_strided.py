"""A view by its layout is read, written and added up where it lies, whatever the layout of its base."""

from collections.abc import Callable
from typing import Any

import numpy as np
from laws import leaf
from numpy.lib.stride_tricks import as_strided
from strategies import Array, in_layouts

import minigrad as torch
from minigrad.ops.writing import Layout, Overwrite, StridedView


def counted(*sizes: int) -> Array:
    """An array whose elements count themselves."""
    return np.arange(float(np.prod(sizes))).reshape(sizes)


def windows(base: Array, shape: tuple[int, ...], steps: tuple[int, ...]) -> Array:
    """A view of a vector; `steps` count elements."""
    return as_strided(base, shape, [step * base.strides[0] for step in steps])


#: Views of an array, such that no two elements are in one place.
SINGLE: list[tuple[tuple[int, ...], Callable[[Array], Array]]] = [
    ((4, 3), lambda base: base),
    ((4, 3), lambda base: base.T),
    ((4, 3), lambda base: base[1:, ::2]),
    ((4, 3), lambda base: base[2, 1, ...]),
    ((4, 3), lambda base: base[:, None, 1]),
    ((4, 3), lambda base: base[4:, 1:]),
    ((2, 3, 4), lambda base: base.transpose(2, 0, 1)[1:]),
    ((9,), lambda base: windows(base, (3, 3), (3, 1))),
    ((9,), lambda base: windows(base, (2, 2), (5, 3))),
    ((), lambda base: base[...]),
    ((0,), lambda base: base[None]),
    ((0, 0), lambda base: base.T),
    ((0, 3), lambda base: base[:, 1:]),
]

#: Views such that some are.
OVERLAPPING: list[tuple[tuple[int, ...], Callable[[Array], Array]]] = [
    ((6,), lambda base: windows(base, (4, 3), (1, 1))),
    ((9,), lambda base: windows(base, (4, 3), (2, 1))),
    ((9,), lambda base: windows(base, (3, 4), (1, 2))),
    ((10,), lambda base: windows(base, (3, 2, 2), (3, 2, 1))),
    ((10,), lambda base: windows(base, (2, 2, 3), (1, 4, 2))),
    ((9,), lambda base: windows(base, (2, 1, 3), (2, 1, 1))),
    ((9,), lambda base: windows(base, (2, 2, 2, 2), (3, 1, 3, 1))),
]

#: Views that were expanded, too.
REPEATED: list[tuple[tuple[int, ...], Callable[[Array], Array]]] = [
    ((3,), lambda base: np.broadcast_to(base, (4, 3))),
    ((3, 2), lambda base: np.broadcast_to(base[:, 1:], (2, 3, 5))),
    ((), lambda base: np.broadcast_to(base, (2, 2))),
    ((6,), lambda base: np.broadcast_to(windows(base, (4, 1, 3), (1, 1, 1)), (4, 2, 3))),
]


def each_layout(cases: list[Any]) -> Any:
    """Of each case in each layout of its base the layout, the shape of the base, and the places in the base."""
    for sizes, view in cases:
        for dtype in ("float16", "float32", "float64"):
            for base in in_layouts(counted(*sizes).astype(dtype)):
                part = view(base)
                yield dtype, Layout(part, base), sizes, part.astype(int)


def test_the_places_of_a_view_are_those_that_it_shows() -> None:
    for _, layout, _, places in each_layout(SINGLE + OVERLAPPING + REPEATED):
        np.testing.assert_array_equal(layout.places(), places)


def test_the_gradient_of_a_view_by_its_layout_adds_up_and_has_a_gradient() -> None:
    generator = np.random.default_rng(0)
    for dtype, layout, sizes, places in each_layout(SINGLE + OVERLAPPING + REPEATED):
        x = generator.integers(-4, 5, sizes).astype(dtype)
        g = leaf(generator.integers(-4, 5, places.shape).astype(dtype))
        added = np.zeros(np.prod(sizes, dtype=int), dtype)
        np.add.at(added, places, g.detach().numpy())
        dx = StridedView(layout).dx(g)
        np.testing.assert_array_equal(dx.detach().numpy(), added.reshape(sizes), strict=True)
        (again,) = torch.autograd.grad(dx, g, torch.tensor(x))
        np.testing.assert_array_equal(again.numpy(), x.reshape(-1)[places], strict=True)


def test_the_gradient_of_a_write_is_that_of_the_view_and_that_of_the_others() -> None:
    generator = np.random.default_rng(0)
    for dtype, layout, sizes, places in each_layout(SINGLE):
        g = generator.integers(-4, 5, sizes).astype(dtype)
        rest = g.copy()
        rest.reshape(-1)[places] = 0
        node = Overwrite(layout)
        node.edges = (leaf(g), leaf(g))
        dx, dv = node.backward(torch.tensor(g))
        np.testing.assert_array_equal(dx.numpy(), rest, strict=True)
        np.testing.assert_array_equal(dv.numpy(), g.reshape(-1)[places], strict=True)


def test_names_of_histories_after_a_write() -> None:
    y = leaf(np.ones((2, 3))) * 1
    row, column = y[0], y[:, 1]
    row.mul_(2)
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    assert row.grad_fn.name() == column.grad_fn.name() == "AsStridedBackward0"
