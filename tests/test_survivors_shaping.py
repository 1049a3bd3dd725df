"""Shapes, layouts of views, and elements put elsewhere, every way there is; names and messages in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf
from numpy.lib.stride_tricks import as_strided
from strategies import Array

import minigrad as torch
from minigrad.ops import indexing, shapes
from minigrad.ops.recording import Overwrite, PutStrided, StridedView, layout_of


def message(call: Callable[[], Any], error: type[Exception] = RuntimeError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# ---- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: x.reshape(6, 4), "ViewBackward0"),
        (lambda x: x.view(6, 4), "ViewBackward0"),
        (lambda x: x.mT.reshape(2, 4, 3, 1), "ReshapeAliasBackward0"),
        (lambda x: x.mT.reshape(2, 12), "UnsafeViewBackward0"),
        (lambda x: x.unsqueeze(0), "UnsqueezeBackward0"),
        (lambda x: x.permute(2, 0, 1), "PermuteBackward0"),
        (lambda x: x.movedim(0, 1), "PermuteBackward0"),
        (lambda x: x.transpose(0, 1), "TransposeBackward0"),
    ],
)
def test_the_names_of_shapes(call: Callable[[Any], Any], name: str) -> None:
    x = leaf(np.arange(24.0).reshape(2, 3, 4))
    out = call(x)
    assert out.grad_fn.name() == name
    # What was copied, since strides gave no view, is a view of nothing.
    assert (out._base is None) is (name == "UnsafeViewBackward0")
    assert np.shares_memory(out._array, x._array) is (name != "UnsafeViewBackward0")


def test_a_product_in_another_shape_is_no_view() -> None:
    """Whoever writes to it writes to nothing else."""
    for other in (np.ones((4, 5)), np.ones(4)):
        product = leaf(np.ones((2, 3, 4))) @ leaf(other)
        assert product.grad_fn.name() == "UnsafeViewBackward0"
        assert product._base is None


def test_a_gradient_that_was_copied_into_another_shape_is_no_view() -> None:
    x, g = leaf(np.ones(6)), leaf(np.ones((2, 3)))
    for call, upstream, name in [
        (lambda x: x.view(3, 2), g.T, "UnsafeViewBackward0"),
        (lambda x: x.view(2, 3), g, "ViewBackward0"),
    ]:
        (dx,) = torch.autograd.grad(call(x), x, upstream, create_graph=True)
        assert dx.grad_fn.name() == name


# ---- views by their layout -------------------------------------------------------------------------------------------


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


NO_GRAD = (
    "A view was created in no_grad mode {} with grad mode enabled. Given that this use case is ambiguous and "
    "error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both "
    "inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace "
    "to be tracked)."
)
SEVERAL = (
    "Output 0 of {} is a view {}. This view is the output of a function that returns multiple views, or of a custom "
    "Function that returned its input. Such functions do not allow the output views to be modified inplace. You "
    "should replace the inplace operation by an out-of-place one."
)
ITSELF, ITS_BASE = "and is being modified inplace", "and its base or another view of its base has been modified inplace"


@pytest.mark.parametrize("view", [lambda y: y[0], lambda y: y.view(-1), lambda y: y.unsqueeze(0), lambda y: y.T])
def test_a_write_is_not_recorded_for_a_view_made_while_nothing_was(view: Callable[[Any], Any]) -> None:
    y = leaf(np.ones((4, 3))) * 1
    recorded = view(y)
    with torch.no_grad():
        part = view(y)
    assert message(lambda: part.mul_(2)) == NO_GRAD.format(ITSELF)
    recorded.mul_(2)
    assert message(lambda: part.sum().backward()) == NO_GRAD.format(ITS_BASE)


@pytest.mark.parametrize(
    ("name", "parts"), [("Split", lambda y: y.split(2)), ("Unbind", lambda y: y.unbind()), ("Unbind", list)]
)
def test_a_write_is_not_recorded_for_one_view_of_several(name: str, parts: Callable[[Any], Any]) -> None:
    y = leaf(np.ones((4, 3))) * 1
    part = parts(y)[0]
    assert message(lambda: part.mul_(2)) == SEVERAL.format(name, ITSELF)
    y.mul_(2)
    assert message(lambda: part.sum().backward()) == SEVERAL.format(name, ITS_BASE)


# ---- elements put elsewhere ------------------------------------------------------------------------------------------


def test_the_names_of_what_is_turned_and_repeated() -> None:
    x = leaf(np.ones((2, 3)))
    assert x.repeat_interleave(2, 1).grad_fn.name() == "ViewBackward0"
    for repeats in (torch.tensor(2), torch.tensor([2]), torch.tensor([2, 1])):
        assert x.repeat_interleave(repeats, 0).grad_fn.name() == "IndexSelectBackward0"


def test_repeats_are_for_all_or_one_for_each() -> None:
    x = np.arange(6).reshape(2, 3)
    for repeats in (0, 2, torch.tensor(2), torch.tensor([2]), torch.tensor([3, 0]), torch.tensor([1, 2]).int()):
        times = repeats if isinstance(repeats, int) else repeats.numpy()
        wanted = np.repeat(x, times, 0)
        found = torch.from_numpy(x).repeat_interleave(repeats, 0)
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_runs_are_added_up_and_rounded_once(dtype: str) -> None:
    """In half precision, 2048 + 1 is 2048: one by one the sums would end there."""
    lengths = np.array([3, 0, 3000, 1])
    for dim in (0, 1):
        x = np.ones((3004, 2), dtype) if dim == 0 else np.ones((2, 3004), dtype)
        sums = shapes.SumEach(lengths, dim)(torch.from_numpy(x))
        wanted = np.stack([lengths, lengths], 1 - dim).astype(dtype)
        np.testing.assert_array_equal(sums.numpy(), wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_elements_taken_along_a_dimension_go_back_in_their_dtype(dtype: str) -> None:
    ids = torch.tensor([[2, 0], [1, 2]])
    x = np.random.default_rng(0).integers(-4, 5, (2, 3)).astype(dtype)
    taken = indexing.TakeAlong(1)(leaf(x), ids)
    assert taken.grad_fn.name() == "GatherBackward0"
    np.testing.assert_array_equal(taken.detach().numpy(), np.take_along_axis(x, ids.numpy(), 1), strict=True)
    g = np.ones(ids.shape, dtype)
    wanted = np.zeros((2, 3), dtype)
    np.put_along_axis(wanted, ids.numpy(), g, 1)
    found = indexing.PutAlong(1, 3)(leaf(g), ids)
    np.testing.assert_array_equal(found.detach().numpy(), wanted, strict=True)
