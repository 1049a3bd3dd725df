"""A view by its layout reads, adds and writes what the view shows, whatever the layout of its base."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from laws import leaf
from numpy.lib.stride_tricks import as_strided
from strategies import Array

import minigrad as torch
from minigrad.ops.recording import Overwrite, PutStrided, StridedView, layout_of


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


def laid_out(base: Array) -> list[Array]:
    """The array in three memory layouts: in order, in the opposite order, and with gaps."""
    spaced = np.zeros([2 * size + 1 for size in base.shape], base.dtype)[(slice(1, None, 2),) * base.ndim or ...]
    spaced[...] = base
    return [base, base.copy(order="F"), spaced]


def each_layout(cases: list[Any]) -> Any:
    """Of each case in each layout of its base the layout, the shape of the base, and the places in the base."""
    for sizes, view in cases:
        for dtype in ("float16", "float32", "float64"):
            for base in laid_out(counted(*sizes).astype(dtype)):
                part = view(base)
                yield dtype, layout_of(part, base), sizes, part.astype(int)


def test_a_view_by_its_layout_reads_adds_and_writes_what_the_view_shows() -> None:
    generator = np.random.default_rng(0)
    for dtype, layout, sizes, places in each_layout(SINGLE + OVERLAPPING + REPEATED):
        x = leaf(generator.integers(-4, 5, sizes).astype(dtype))
        g = leaf(generator.integers(-4, 5, places.shape).astype(dtype))
        seen = x.detach().numpy().reshape(-1)[places]
        added = np.zeros(np.prod(sizes, dtype=int), dtype)
        np.add.at(added, places, g.detach().numpy())
        for op, given, wanted, back, back_wanted in [
            (StridedView(layout), x, seen, g, added.reshape(sizes)),
            (PutStrided(layout), g, added.reshape(sizes), x, seen),
        ]:
            out = op(given)
            np.testing.assert_array_equal(out.detach().numpy(), wanted, strict=True)
            (dx,) = torch.autograd.grad(out, given, back, create_graph=True)
            np.testing.assert_array_equal(dx.detach().numpy(), back_wanted, strict=True)
            (again,) = torch.autograd.grad(dx, back, given.detach())
            np.testing.assert_array_equal(again.numpy(), wanted, strict=True)


def test_a_written_view_has_its_elements_and_the_base_the_others() -> None:
    generator = np.random.default_rng(0)
    for dtype, layout, sizes, places in each_layout(SINGLE):
        x, g = [generator.integers(-4, 5, sizes).astype(dtype) for _ in range(2)]
        v = generator.integers(-4, 5, places.shape).astype(dtype)
        wanted, rest = x.copy(), g.copy()
        wanted.reshape(-1)[places] = v
        rest.reshape(-1)[places] = 0
        tensors = [leaf(each) for each in (x, v, g)]
        out = Overwrite(layout)(*tensors[:2])
        np.testing.assert_array_equal(out.detach().numpy(), wanted, strict=True)
        dx, dv = torch.autograd.grad(out, tensors[:2], tensors[2], create_graph=True)
        np.testing.assert_array_equal(dx.detach().numpy(), rest, strict=True)
        np.testing.assert_array_equal(dv.detach().numpy(), g.reshape(-1)[places], strict=True)


def test_indices_apart_select_each_element_once_and_no_place_twice() -> None:
    for cases, single in ((SINGLE, True), (OVERLAPPING, False)):
        for _, layout, _, places in each_layout(cases):
            indices = list(layout.apart())
            assert len(indices) == 1 or not single
            times = np.zeros(places.shape, int)
            for index in indices:
                chosen = places[(*index, ...)]
                assert np.unique(chosen).size == chosen.size
                times[(*index, ...)] += 1
            assert (times == 1).all()


def test_names_of_histories_after_a_write() -> None:
    y = leaf(np.ones((2, 3))) * 1
    row, column = y[0], y[:, 1]
    row.mul_(2)
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    assert row.grad_fn.name() == column.grad_fn.name() == "AsStridedBackward0"
