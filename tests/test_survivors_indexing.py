"""Parts, places and choices: names, messages, dtypes and gradients at ties, in full."""

from __future__ import annotations

import re
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.ops import indexing

NAN, INF = float("nan"), float("inf")


def message(call: Callable[[], Any], error: type[Exception] = RuntimeError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def gradients(out: Any, *inputs: Any) -> list[list[float]]:
    return [d.tolist() for d in torch.autograd.grad(out.sum(), inputs)]


# ---- names -----------------------------------------------------------------------------------------------------------

ONE = torch.tensor([0])
HERE = torch.zeros(1, 1, 1, dtype=torch.int64)

NAMES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x[0], "Select"),
    (lambda x: x[..., 1], "Select"),
    (lambda x: x[0, :], "Select"),
    (lambda x: x[0, ...], "Select"),
    (lambda x: x.select(0, 1), "Select"),
    (lambda x: x[None], "Unsqueeze"),
    (lambda x: x[:, None], "Unsqueeze"),
    (lambda x: x[:, 1:, None], "Unsqueeze"),
    (lambda x: x[None, ...], "Unsqueeze"),
    (lambda x: x[:], "Slice"),
    (lambda x: x[1:], "Slice"),
    (lambda x: x[1:, :], "Slice"),
    (lambda x: x[0, 1:], "Slice"),
    (lambda x: x.narrow(0, 0, 1), "Slice"),
    (lambda x: x[...], "Alias"),
    (lambda x: x[()], "Alias"),
    (lambda x: x[:, :], "Alias"),
    (lambda x: x[ONE], "Index"),
    (lambda x: x.index_select(0, ONE), "IndexSelect"),
    (lambda x: x.gather(0, HERE), "Gather"),
    (lambda x: x.take_along_dim(HERE, 0), "Gather"),
    (lambda x: x.take(ONE), "Take"),
    (lambda x: x.masked_select(x > 0), "MaskedSelect"),
    (lambda x: x.index_put((ONE,), torch.tensor(1.0).double()), "IndexPut"),
    (lambda x: torch.where(x > 0, x, 0.0), "Where"),
    (lambda x: x.masked_fill(x > 0, 1.0), "MaskedFill"),
    (lambda x: x.clamp(0, 1), "Clamp1"),
    (lambda x: x.clip(0, 1), "Clamp1"),
    (lambda x: x.clamp(torch.tensor(0.0), None), "Clamp0"),
    (lambda x: x.clamp_min(1), "ClampMin0"),
    (lambda x: x.clamp_min(torch.tensor(1.0)), "ClampMin1"),
    (lambda x: x.clamp_max(1), "ClampMax0"),
    (lambda x: x.clamp_max(torch.tensor(1.0)), "ClampMax1"),
    (lambda x: x.masked_fill(x > 0, torch.tensor(1.0)), "MaskedFill1"),
]


@pytest.mark.parametrize(("call", "name"), NAMES)
def test_the_names_of_what_selects(call: Callable[[Any], Any], name: str) -> None:
    x = leaf(np.arange(24.0).reshape(2, 3, 4))
    number = name[-1] if name[-1].isdigit() else "0"
    assert call(x).grad_fn.name() == f"{name.rstrip('01')}Backward{number}"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("IndexPutBackward0", lambda x: x.index_put((ONE,), torch.tensor(1.0).double())),
    ],
)
def test_the_gradient_of_what_was_written_over_is_written_over(name: str, call: Callable[[Any], Any]) -> None:
    x, g = leaf(np.ones((2, 3))), leaf(np.ones((2, 3)))
    (dx,) = torch.autograd.grad(call(x), x, g, create_graph=True)
    assert dx.grad_fn.name() == name
    (again,) = torch.autograd.grad(dx.sum(), g)
    np.testing.assert_array_equal(again.numpy(), dx.detach().numpy())


# ---- parts and places ------------------------------------------------------------------------------------------------


def test_new_dimensions_have_the_strides_of_what_they_hold() -> None:
    x = torch.zeros(2, 3, 4)
    for view, strides in [
        (x[None], (24, 12, 4, 1)),
        (x[:, None], (12, 12, 4, 1)),
        (x[..., None], (12, 4, 1, 1)),
        (x[0, None], (12, 4, 1)),
        (x[:, 1:, None], (12, 4, 4, 1)),
        (x[:, ::2, None], (12, 8, 4, 1)),
        (x.mT[None], (24, 12, 1, 4)),
    ]:
        assert view.stride() == strides


def test_a_part_may_be_named_with_an_ellipsis_or_without() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for index in [(..., 1), (1, ...), (..., None, 2), (1, 2, 3), (1, 2, 3, ...), (), (None, slice(1, 2))]:
        view = indexing.Slice(index)(torch.from_numpy(x))
        np.testing.assert_array_equal(view.numpy(), np.asarray(x[index]), strict=True)
        assert np.shares_memory(view._array, x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradients_of_parts_and_places_have_their_dtype(dtype: str) -> None:
    for call in (
        lambda x: x[0],
        lambda x: x[ONE],
        lambda x: x[:, ONE],
        lambda x: x.masked_fill(x > 0, 2),
        lambda x: x.index_fill(0, ONE, 2),
        lambda x: torch.maximum(x, x),
        lambda x: torch.minimum(x, x + 1),
        lambda x: torch.fmax(x, x),
        lambda x: x.clamp(0, 3),
        lambda x: torch.where(x > 0, x, torch.ones(1).to(torch.float16)),
    ):
        x = leaf(np.arange(6).reshape(2, 3).astype(dtype))
        out = call(x)
        assert out._array.dtype == dtype
        (dx,) = torch.autograd.grad(out, x, torch.ones_like(out))
        assert dx._array.dtype == dtype


# ---- choices ---------------------------------------------------------------------------------------------------------


def test_a_choice_keeps_its_condition_alone() -> None:
    """So what was chosen from may be written to, and its memory goes; a write to the condition is noticed."""
    x = leaf(np.array([1.0, 2.0]))
    holds = torch.tensor([True, False])
    a, b = x * 2, x * 3
    out = torch.where(holds, a, b)
    a.zero_()
    b.zero_()
    gone = [weakref.ref(each._array) for each in (a, b)]
    del a, b
    assert all(each() is None for each in gone)
    assert gradients(out, x) == [[2, 3]]
    out = torch.where(holds, x * 2, x * 3)
    holds.fill_(True)
    assert "has been modified by an inplace operation" in message(lambda: out.sum().backward())


def test_a_choice_between_dtypes_has_their_common_one_and_gives_each_its_own_gradient() -> None:
    holds = torch.tensor([True, False])
    narrow, wide = leaf(np.ones(2, np.float32)), leaf(np.ones(2))
    for a, b in ((narrow, wide), (wide, narrow)):
        out = torch.where(holds, a, b)
        assert out.dtype is torch.float64
        da, db = torch.autograd.grad(out.sum(), (a, b))
        assert (da.dtype, db.dtype) == (a.dtype, b.dtype)
        assert (da.tolist(), db.tolist()) == ([1, 0], [0, 1])
    whole = torch.tensor([1, 2])
    for a, b, dtype in [
        (whole, narrow.detach(), torch.float32),
        (whole, 2.5, torch.float32),
        (whole.to(torch.int8), 3, torch.int8),
        (whole, whole.to(torch.int8), torch.int64),
        (wide.detach(), 1e300, torch.float64),
        (1, 2, torch.int64),
        (1, 2.5, torch.float32),
    ]:
        for first, second in ((a, b), (b, a)):
            out = torch.where(holds, first, second)
            assert out.dtype is dtype
            wanted = [np.asarray(each).flat[-i] for i, each in enumerate((first, second))]
            assert out.tolist() == wanted


HALF, INT, BYTE = (torch.zeros(1, dtype=dtype) for dtype in (torch.float16, torch.int64, torch.int8))
HALF_LIMIT = "value cannot be converted to type c10::Half without overflow: "


def test_numbers_that_a_half_has_no_place_for() -> None:
    """A fill refuses them, also those that would be rounded to the largest; a choice rounds them."""
    here = torch.tensor([True])
    for number in (65504, -65504, 2.5, INF, -INF, True):
        assert HALF.masked_fill(here, number).item() == torch.where(here, number, HALF).item() == float(number)
        assert HALF.clamp(min=number).item() == max(0, number)
        assert HALF.clamp(max=number).item() == min(0, number)
    assert np.isnan(HALF.masked_fill(here, NAN).item())
    assert np.isnan(torch.where(here, NAN, HALF).item())
    for number, rounded in ((65505, 65504), (-65505, -65504), (65519.9, 65504), (70000, INF), (-1e10, -INF)):
        for call in (
            lambda number=number: HALF.masked_fill(here, number),
            lambda number=number: HALF.clamp(min=number),
            lambda number=number: HALF.clamp(max=number),
            lambda number=number: torch.full_like(HALF, number),
        ):
            assert message(call) == f"{HALF_LIMIT}{number}"
        for wide in (torch.where(here, number, HALF), torch.tensor(number, dtype=torch.float16)):
            assert wide.dtype is torch.float16
            assert wide.item() == rounded


def test_numbers_that_single_precision_has_no_place_for() -> None:
    x, most = torch.zeros(1), float(np.finfo(np.float32).max)
    for number in (most, -most):
        assert x.masked_fill(x == 0, number).item() == number
    for number in (3.4028235e38, -1e300):
        for call in (
            lambda number=number: x.masked_fill(x == 0, number),
            lambda number=number: torch.where(x == 0, number, x),
        ):
            assert message(call) == f"value cannot be converted to type float without overflow: {number}"


def test_numbers_that_integers_have_no_place_for() -> None:
    here = torch.tensor([True])
    assert BYTE.masked_fill(here, 2.5).tolist() == [2]
    for number in (300, -INF, NAN):
        assert message(lambda number=number: BYTE.masked_fill(here, number)) == (
            f"value cannot be converted to type int8 without overflow: {number} is not in [-128, 127]"
        )
    for number in (INF, NAN):
        assert "value cannot be converted to type int64 without overflow" in message(
            lambda number=number: INT.masked_fill(here, number)
        )
    assert "overflow" in message(lambda: torch.where(here, BYTE, 300))


def test_bounds_widen_integers_and_leave_floats_as_they_are() -> None:
    for x, low, high, dtype, wanted in [
        (torch.tensor([1, 5], dtype=torch.int16), 2, 3, torch.int16, [2, 3]),
        (torch.tensor([1, 5], dtype=torch.int16), 2, None, torch.int16, [2, 5]),
        (torch.tensor([1, 5]), 1.5, None, torch.float32, [1.5, 5]),
        (torch.tensor([1, 5]), None, 2.5, torch.float32, [1, 2.5]),
        (torch.tensor([1, 5]), 2, 2.5, torch.float32, [2, 2.5]),
        (torch.tensor([True, False]), 2, None, torch.int64, [2, 2]),
        (HALF, 2.5, 3.5, torch.float16, [2.5]),
    ]:
        for name in ("clamp", "clip"):
            found = getattr(x, name)(low, high)
            assert (found.dtype, found.tolist()) == (dtype, wanted)
    assert message(lambda: torch.tensor([True]).clamp(False, True), NotImplementedError) == (
        "\"clamp_scalar_cpu\" not implemented for 'Bool': expected numbers, such as x.long()"
    )


def test_gradients_at_bounds() -> None:
    """An element at a bound passes its gradient on; one at a bound that is a tensor does so instead of the bound."""
    x = leaf(np.array([-1, 0, 1, 3, 4, NAN]))
    assert gradients(x.clamp(0, 3), x) == [[0, 1, 1, 1, 0, 0]]
    assert gradients(x.clamp(0, None), x) == [[0, 1, 1, 1, 1, 0]]
    assert gradients(x.clamp(None, 3), x) == [[1, 1, 1, 1, 0, 0]]
    # Below, at and above bounds in order; at, below and above two that are equal, or the wrong way round; nan in each.
    a = leaf(np.array([0, 1, 2, 3, 1, 3, 2, 1, 3, 2, NAN, 1, 1]))
    b = leaf(np.array([1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 1, NAN, 1]))
    c = leaf(np.array([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, NAN]))
    da, db, dc = gradients(a.clamp(b, c), a, b, c)
    assert da == [0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert db == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert dc == [0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0]
    da, db = gradients(a.clamp(b, None), a, b)
    assert da == [0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1]
    assert db == [1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
    da, dc = gradients(a.clamp(None, c), a, c)
    assert da == [1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0]
    assert dc == [0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]


def test_gradients_of_the_larger_and_the_smaller() -> None:
    a, b = leaf(np.array([1, 2, 3, NAN, 1, NAN])), leaf(np.array([2, 2, 2, 1, NAN, NAN]))
    assert gradients(torch.maximum(a, b), a, b) == [[0, 0.5, 1, 1, 1, 1], [1, 0.5, 0, 1, 1, 1]]
    assert gradients(torch.minimum(a, b), a, b) == [[1, 0.5, 0, 1, 1, 1], [0, 0.5, 1, 1, 1, 1]]
    assert gradients(torch.fmax(a, b), a, b) == [[0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0]]
    assert gradients(torch.fmin(a, b), a, b) == [[1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]]


def test_why_nothing_is_chosen() -> None:
    x = torch.ones(2)
    assert message(lambda: torch.where(x, x, x)) == (
        "where expected condition to be a boolean tensor, but got a tensor with dtype Float: a comparison makes one, "
        "as in x > 0"
    )
    assert message(lambda: x.masked_fill(x, 1)) == (
        "masked_fill_ only supports boolean masks, but got mask with dtype float: mask.bool()"
    )
    assert message(lambda: x.masked_fill(x > 0, x)) == (
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s): "
        "torch.where(mask, value, input) takes any"
    )
    assert message(lambda: BYTE.masked_fill(BYTE == 0, torch.tensor(300))) == (
        "value cannot be converted to type int8 without overflow: 300 is not in [-128, 127]"
    )


# ---- along a dimension -----------------------------------------------------------------------------------------------


def test_places_along_a_dimension_are_numpys() -> None:
    generator = np.random.default_rng(0)
    for shape in ((5,), (3, 4), (2, 1, 3), (2, 3, 4), (1, 1)):
        x = generator.standard_normal(shape)
        for dim in range(len(shape)):
            for sizes in {shape, tuple(1 if d != dim else 7 for d in range(len(shape)))}:
                for dtype in ("int64", "int32"):
                    index = generator.integers(0, shape[dim], sizes).astype(dtype)
                    before = index.copy()
                    places = indexing.places_along(index, dim, shape)
                    part = x[tuple([slice(None) if d == dim else slice(size) for d, size in enumerate(sizes)])]
                    assert places.dtype == np.int64
                    np.testing.assert_array_equal(x.reshape(-1)[places], np.take_along_axis(part, index, dim))
                    np.testing.assert_array_equal(index, before)


def test_places_along_a_dimension_do_not_overflow_the_indices() -> None:
    """An int32 index counts rows of 2**31 elements and more."""
    index = np.array([[3, 0]], np.int32)
    assert indexing.places_along(index, 0, (4, 2**30)).tolist() == [[3 * 2**30, 1]]


def test_positions_of_what_holds_are_numpys() -> None:
    generator = np.random.default_rng(0)
    for shape in ((), (0,), (5,), (2, 3), (0, 3), (3, 0), (2, 3, 4), (3, 1, 2)):
        for holds in (generator.random(shape) < 0.5, np.zeros(shape, bool), np.ones(shape, bool)):
            found = indexing.positions(np.asarray(holds))
            assert len(found) == len(shape)
            for vector, wanted in zip(found, np.nonzero(holds) if shape else (), strict=True):
                np.testing.assert_array_equal(vector, wanted, strict=True)


def test_what_an_index_takes_in_any_place() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert x.take(torch.tensor([[5, -6], [0, -1]])).tolist() == [[5, 0], [0, 5]]
    assert torch.tensor([7]).take(torch.tensor([-1, 0])).tolist() == [7, 7]
    none = torch.zeros(0, 3)
    assert none.take(torch.tensor([], dtype=torch.int64)).shape == (0,)
    for wrong in (6, -7):
        assert f"index {wrong} is out of bounds" in message(
            lambda wrong=wrong: x.take(torch.tensor([5, wrong])), IndexError
        )
    assert "take(): tried to take from an empty tensor" in message(lambda: none.take(ONE), IndexError)


def test_an_index_is_checked_against_what_it_is_for() -> None:
    x, one = torch.zeros(2, 3), torch.tensor(1.0)
    assert one.gather(0, torch.tensor(0)).tolist() == 1
    assert one.gather(0, torch.tensor([0, 0])).tolist() == [1, 1]
    assert torch.tensor([1.0, 2.0]).gather(0, torch.tensor(1)).tolist() == 2
    for wrong, where in ((torch.tensor(1), ""), (torch.tensor([0, 1]), "; it stands at position [1]")):
        assert message(lambda wrong=wrong: one.gather(0, wrong)) == (
            f"index 1 is out of bounds for dimension 0 with size 1: expected one in [0, 1){where}"
        )
    assert one.scatter(0, ONE, torch.tensor(2.0)).tolist() == 2
    assert torch.tensor([1.0]).scatter(0, torch.tensor(0), torch.tensor([2.0])).tolist() == [2]
    # Nothing of an index of no elements is checked, be it its dtype.
    for none in (torch.tensor([]), torch.zeros(2, 0)):
        assert x.gather(1, none).shape == none.shape
        assert x.scatter(1, none, x).tolist() == x.tolist()

    def refusal(name: str, dim: int, index: Any, *src: Any) -> str:
        return message(lambda: getattr(x, name)(dim, torch.tensor(index), *src))

    assert refusal("gather", 0, [0]) == (
        "Index tensor must have the same number of dimensions as input tensor, got 1 and 2"
    )
    assert refusal("scatter", 0, [0], x) == (
        "Index tensor must have the same number of dimensions as self tensor, got 1 and 2"
    )
    for dim, index in ((1, [[0], [0], [0]]), (0, [[0, 0, 0, 0]])):
        assert refusal("gather", dim, index) == (
            f"Expected index {list(np.shape(index))} to be no larger than self [2, 3] apart from dimension {dim}"
        )
    for dim, index, shape in [
        (1, [[0], [0], [0]], (3, 1)),
        (0, [[0, 0, 0, 0]], (1, 4)),
        (1, [[0, 1]], (1, 1)),
        (1, [[0, 1]], (2, 1)),
        (0, [[0, 1], [1, 0]], (1, 2)),
        (1, [[0, 1]], (2, 2, 2)),
    ]:
        assert refusal("scatter", dim, index, torch.ones(shape)) == (
            f"Expected index {list(np.shape(index))} to be no larger than self [2, 3] apart from dimension {dim} and "
            f"to be no larger size than src {list(shape)}"
        )
    for dim, wrong in ((0, 2), (1, 3), (1, -1)):
        for name, src in (("gather", ()), ("scatter", (2.0,)), ("scatter_add", (x,))):
            assert refusal(name, dim, [[0, wrong]], *src) == (
                f"index {wrong} is out of bounds for dimension {dim} with size {dim + 2}: expected one in "
                f"[0, {dim + 2}); it stands at position [0, 1]"
            )
    two = torch.tensor([1.0, 2.0])
    assert two.scatter(0, torch.tensor([1]), torch.tensor(5.0)).tolist() == [1, 5]
    assert message(lambda: two.scatter(0, torch.tensor([0, 1]), torch.tensor(5.0))) == (
        "Expected index [2] to be no larger than self [2] apart from dimension 0 and to be no larger size than src []"
    )
    assert refusal("gather", 0, [[0.0]]) == (
        "gather(): Expected dtype int32/int64 for index, got torch.float32: index.long()"
    )
    assert refusal("scatter", 0, [[0]], x.double()) == (
        "scatter(): Expected self.dtype to be equal to src.dtype: src.to(torch.float32)"
    )


# ---- any index -------------------------------------------------------------------------------------------------------

MASK = np.array([[True, False, True], [False, True, True]])
EVEN = np.arange(24).reshape(2, 3, 4) % 2 == 0
ROWS, COLUMNS = np.array([[1, 0, -1]]), np.array([[2], [0]])

#: Indices that mean to PyTorch what they mean to NumPy.
INDICES: list[Any] = [
    1,
    -2,
    (0, -3, 3),
    np.int64(1),
    (1, slice(None)),
    slice(0, 2),
    slice(1, None),
    slice(-1, None),
    (slice(None), slice(None, -1), slice(1, 4, 2)),
    (slice(None), slice(0, 3), slice(0, 7, 1)),
    (slice(np.int64(0), np.int64(1)), 2),
    slice(5, 9),
    ...,
    (),
    (..., 1),
    (1, ..., 2),
    (0, 1, ..., 2),
    (None, 1, None, ..., None),
    (0, 1, 2, None, ...),
    None,
    True,
    False,
    (True, 0),
    np.array(True),
    (slice(None), np.array(False)),
    (0, np.array(True), slice(1, 3)),
    (np.array(True), [0, 1]),
    (np.array(False), [0]),
    [1, 0, 1],
    [True, False],
    [],
    range(2),
    ((0, 1),),
    np.array(1),
    np.array([1, -1]),
    (slice(None), np.array([[2, -3], [0, 1]])),
    (..., np.array([3, -4])),
    (0, np.array([2, 0])),
    (np.array([1, 0]), 2),
    (np.array([1, 0]), slice(None), np.array([3, -1])),
    (slice(None), np.array([2, 0]), np.array([3, -1])),
    (np.array([1, 0]), np.array([2, 0]), np.array([3, -1])),
    (ROWS, COLUMNS),
    (ROWS, slice(1, None), COLUMNS),
    (slice(None), ROWS, None, COLUMNS),
    (np.array([1]), None, np.array([2])),
    (ROWS, 1, COLUMNS),
    (..., ROWS, COLUMNS),
    MASK,
    (MASK, 2),
    (MASK, slice(1, None)),
    (MASK, np.array([0, 1, 2, 3])),
    (slice(None), EVEN[0]),
    EVEN,
    np.zeros((2, 3, 4), bool),
    (1, EVEN[1]),
    (np.array([True, False]), slice(None), np.array([True, False, True, True])),
    (np.array([False, False]), np.array([0])),
    (np.zeros(0, np.int64), 1),
    (slice(0, 0), [0, 1]),
    (slice(None), slice(2, 2), np.array([1])),
    (1, [0, 2], slice(None), None),
    (slice(None, None, 2), [0, 2]),
]


def forms(index: Any) -> list[Any]:
    """The index as it is and with tensors for its arrays, of long and of int."""

    def each(item: Any, narrow: bool) -> Any:
        if isinstance(item, np.ndarray):
            return torch.from_numpy(item.astype(np.int32) if narrow and item.dtype == np.int64 else item)
        return item

    if not isinstance(index, tuple):
        return [index, each(index, False), each(index, True)]
    return [index, *[tuple([each(item, narrow) for item in index]) for narrow in (False, True)]]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_reads_and_writes_what_numpys_does(index: Any) -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    wanted = array[index]
    shape = wanted.shape
    for form in forms(index):
        for base in (array, array.copy(order="F"), np.repeat(array, 2, -1)[..., ::2]):
            x = torch.from_numpy(base.copy(order="K"))
            np.testing.assert_array_equal(x[form].numpy(), np.asarray(wanted), strict=True)
            recorded = leaf(array.copy())
            out = recorded[form]
            np.testing.assert_array_equal(out.detach().numpy(), np.asarray(wanted), strict=True)
            if out.grad_fn is not None:
                g = np.arange(1.0, 1 + out._array.size).reshape(shape)
                times = np.zeros_like(array)
                np.add.at(times, index, g)
                (dx,) = torch.autograd.grad(out, recorded, torch.from_numpy(g))
                np.testing.assert_array_equal(dx.numpy(), times, strict=True)
    # Where a place is named twice, it is open which value stays.
    if isinstance(index, tuple | list | np.ndarray) and np.unique(wanted).size < np.size(wanted):
        return
    values = np.arange(-1.0, -1 - np.size(wanted), -1).reshape(shape)
    for value, given in (
        (values, torch.from_numpy(values)),
        (values, torch.from_numpy(values[None, None])),
        (-5.0, torch.full((1,) * (len(shape) + 1), -5.0).double()),
        (-6.0, -6.0),
    ):
        after, untouched = array.copy(), np.ones_like(array)
        after[index], untouched[index] = value, 0
        for form in forms(index):
            x = torch.from_numpy(array.copy())
            x[form] = given
            np.testing.assert_array_equal(x.numpy(), after, strict=True)
            base = leaf(array.copy())
            y = base * 1
            y[form] = given
            np.testing.assert_array_equal(y.detach().numpy(), after, strict=True)
            (dx,) = torch.autograd.grad(y.sum(), base)
            np.testing.assert_array_equal(dx.numpy(), untouched, strict=True)


def test_what_an_index_shares_memory_with() -> None:
    """Ints, slices, None and ... select a view; every tensor, list and mask makes a copy."""
    x = torch.zeros(2, 3, 4)
    for index in (0, slice(None), ..., None, (), (0, 1, 2), torch.tensor(1), torch.tensor(1).short(), np.array(1)):
        assert np.shares_memory(x[index]._array, x._array), index
    for index in ([0], range(1), torch.tensor([0]), True, torch.tensor(True), x == 0, (0, [1]), np.array([0])):
        assert not np.shares_memory(x[index]._array, x._array), index
    # A full slice in so many words is no step of its own.
    y = leaf(np.ones((2, 3))) * 1
    for index in ((slice(0, 2), [0, 1]), (slice(None, None, 1), [0, 1]), (slice(0, 9), [0])):
        assert y[index].grad_fn.next_functions[0][0].name() == "MulBackward0"
    for index in ((slice(1, None), [0, 1]), (slice(None, 1), [0, 1]), (slice(None, None, 2), [0]), (0, [0])):
        assert y[index].grad_fn.next_functions[0][0].name() in ("SliceBackward0", "SelectBackward0")


def test_one_ellipsis_stands_for_what_is_missing_and_others_for_nothing() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    x = torch.from_numpy(array)
    for index, wanted in [
        ((..., 0, ...), array[..., 0]),
        ((0, ..., 1, ...), array[0, ..., 1]),
        ((0, ..., 1, ..., 2), array[0, 1, 2]),
        ((..., ..., ...), array),
    ]:
        np.testing.assert_array_equal(x[index].numpy(), wanted)


def test_what_bounds_a_slice_may_change_before_the_backward_pass() -> None:
    for index, part in (
        ((1, None, None), slice(1, None)),
        ((None, 1, None), slice(1)),
        ((None, None, 2), slice(0, 4, 2)),
    ):
        x = leaf(np.ones(4))
        bounds = [bound if bound is None else torch.tensor(bound) for bound in index]
        out = x[slice(*bounds)]
        for bound in bounds:
            if bound is not None:
                bound.add_(1)
        wanted = np.zeros(4)
        wanted[part] = 1
        assert gradients(out, x) == [wanted.tolist()]


def test_a_write_to_the_indices_is_noticed() -> None:
    x, ids = leaf(np.ones(3)), torch.tensor([0, 2])
    out = x[ids]
    ids.zero_()
    assert "has been modified by an inplace operation" in message(lambda: out.sum().backward())


BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
SEQUENCE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated: it is taken for a tuple, x[tuple(seq)]. "
    "If one tensor is meant, say x[torch.tensor(seq)]."
)


def test_bytes_are_a_mask_and_some_lists_a_tuple_with_a_warning() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    x = torch.from_numpy(array)
    some = np.array([1, 0], np.uint8)
    for index, wanted, text in [
        (some, array[[0]], BYTES),
        (torch.from_numpy(some), array[[0]], BYTES),
        ((0, torch.tensor([2, 0, 0]).byte()), array[0, [0]], BYTES),
        ([slice(None), 1], array[:, 1], SEQUENCE),
        ([None, 0], array[None, 0], SEQUENCE),
        ([..., 1], array[..., 1], SEQUENCE),
        ([[0, 1], [2, 0]], array[[0, 1], [2, 0]], SEQUENCE),
        ([range(2), 1], array[[0, 1], 1], SEQUENCE),
        ([(0, 1), 1], array[[0, 1], 1], SEQUENCE),
        ([torch.tensor([0, 1]), 1], array[[0, 1], 1], SEQUENCE),
        ([np.array([0, 1]), 1], array[[0, 1], 1], SEQUENCE),
    ]:
        with pytest.warns(UserWarning, match=f"^{re.escape(text)}$") as caught:
            found = x[index]
        assert len(caught) == 1
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for index, shape in [(np.array(1, np.uint8), (1, 2, 3, 4)), (torch.tensor(0).byte(), (0, 2, 3, 4))]:
            assert x[index].shape == shape
        # A long list is one tensor of indices, whatever is in it.
        assert x[[[0, 1]] * 32].shape == (32, 2, 3, 4)
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        message(lambda: x[[[0, 1]] * 31], IndexError)


KINDS = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
    "(got {} at index {})"
)


def beyond(index: int, dim: int, size: int, *position: int) -> str:
    """What is said of an index that stands at `position` of a tensor, or by itself."""
    where = f"; it stands at position {list(position)}" if position else ""
    return (
        f"index {index} is out of bounds for dimension {dim} with size {size}: expected one in [{-size}, {size}){where}"
    )


def test_why_there_is_nothing_at_an_index() -> None:
    x, number, none = torch.arange(24).reshape(2, 3, 4), torch.tensor(5), torch.zeros(0, 3)
    too_many = "too many indices for tensor of dimension {}"
    no_dims = (
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor to a number"
    )
    two, three = torch.tensor([0, 1]), torch.tensor([0, 1, 2])
    for tensor, index, text in [
        (x, 2, beyond(2, 0, 2)),
        (x, -3, beyond(-3, 0, 2)),
        (x, (0, 3), beyond(3, 1, 3)),
        (x, (0, ..., -5), beyond(-5, 2, 4)),
        (x, torch.tensor(2), beyond(2, 0, 2)),
        (x, torch.tensor([0, 5]), beyond(5, 0, 2, 1)),
        (x, (slice(None), [0, -4]), beyond(-4, 1, 3, 1)),
        (x, (two, torch.tensor([0, 3])), beyond(3, 1, 3, 1)),
        (x, (two, torch.tensor([-4, 0])), beyond(-4, 1, 3, 0)),
        (x, (two, slice(None), torch.tensor([4, 0])), beyond(4, 2, 4, 0)),
        (x, (torch.tensor([[0, 1], [1, -3]]), two), beyond(-3, 0, 2, 1, 1)),
        (none, ONE, beyond(0, 0, 0, 0)),
        (none, (slice(None), torch.tensor([3])), beyond(3, 1, 3, 0)),
        (number, 0, no_dims),
        (number, slice(None), too_many.format(0)),
        (x, (0, 0, 0, 0), too_many.format(3)),
        (x, (0, 0, 0, ..., 0), too_many.format(3)),
        (x, (x > 3, 0), too_many.format(3)),
        (x, 1.0, KINDS.format("float", 0)),
        (x, (0, object()), KINDS.format("object", 1)),
        (x, np.bool_(True), KINDS.format("bool", 0)),
        (
            x,
            (0, torch.tensor([1.0])),
            "tensors used as indices must be long, int, byte or bool tensors, got one of dtype torch.float32 "
            "at index 0: index.long()",
        ),
        (
            x,
            torch.tensor([1]).short(),
            "tensors used as indices must be long, int, byte or bool tensors, got one of dtype torch.int16 "
            "at index 0: index.long()",
        ),
        (
            x,
            torch.tensor([True]),
            "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [2, 3, 4] at index 0: "
            "dimensions 0 to 0 have sizes [2]",
        ),
        (
            x,
            (0, torch.ones(3, 3) > 0),
            "The shape of the mask [3, 3] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0: "
            "dimensions 0 to 1 have sizes [3, 4]",
        ),
        (x, (two, three), "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
    ]:
        assert message(lambda tensor=tensor, index=index: tensor[index], IndexError) == text
        copy = tensor.clone()
        assert message(lambda copy=copy, index=index: copy.__setitem__(index, 0), IndexError) == text
        assert copy.tolist() == tensor.tolist()
    assert message(lambda: x["a"], TypeError) == (
        "new(): invalid data type 'str': a tensor is indexed by numbers, not by 'a'"
    )
    for index, text in (((0, slice(None, None, -1)), "-1 at index 1"), (slice(None, None, 0), "0 at index 0")):
        assert message(lambda index=index: x[index], ValueError) == f"step must be greater than zero, got {text}"
    for index, error in ((["a"], TypeError), ([b"a"], TypeError), ([object], RuntimeError)):
        assert message(lambda index=index: x[index], error) == (f"Could not infer dtype of the index {index!r}")
    for index in (slice(0.5, None), slice(None, "a"), slice(None, None, 1.0)):
        message(lambda index=index: x[index], TypeError)


def test_floats_in_lists_and_arrays_are_cut_to_ints() -> None:
    x = torch.arange(24).reshape(2, 3, 4)
    for index in ([1.0], [1.9], np.array([1.5]), np.array([1], np.int8), np.array([1], np.uint16)):
        assert x[index].tolist() == x[1:].tolist()
    assert x[np.array(1, np.int8)].tolist() == x[np.array(1, np.uint16)].tolist() == x[1].tolist()


def test_why_nothing_is_written_at_an_index() -> None:
    x = torch.arange(24).reshape(2, 3, 4)
    two = torch.tensor([0, 1])
    mismatch = "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}"
    for index, shape, result in [
        (two, (3, 3, 4), [2, 3, 4]),
        (two, (2, 2, 3, 4), [2, 3, 4]),
        ((slice(None), two), (5, 4), [2, 2, 4]),
        ((slice(None), two), (3, 1, 4), [2, 2, 4]),
        ((two, slice(None), two), (4,), [2, 3]),
        ((0, slice(None), two), (2, 2), [3, 2]),
        ((slice(None), two, two), (2, 3), [2, 2]),
        (x > 3, (3,), [20]),
        (np.ones((2, 3), bool), (5, 4), [6, 4]),
    ]:
        value = torch.zeros(shape, dtype=torch.int64)
        copy, recorded = x.clone(), leaf(x.double().numpy()) * 1
        for tensor, given in ((copy, value), (recorded, value.double())):
            assert message(lambda tensor=tensor, index=index, given=given: tensor.__setitem__(index, given)) == (
                mismatch.format(list(shape), result)
            )
            assert tensor.tolist() == x.tolist()
    for index, shape, result in ((0, (5,), [3, 4]), ((0, 0, 0), (2,), []), (slice(None), (2, 2, 3, 4), [2, 3, 4])):
        value = torch.zeros(shape, dtype=torch.int64)
        assert message(lambda index=index, value=value: x.clone().__setitem__(index, value)) == (
            f"The expanded size of the tensor {result} must match the existing size {list(shape)} of the value assigned"
        )
    dtypes = (
        "Index put requires the source and destination dtypes match, got Long for the destination and Float for the "
        "source: value.to(torch.int64)"
    )
    both = (torch.tensor([True, False]), torch.tensor([0]))
    for index, value in ((two, torch.tensor(1.5)), (x > 3, torch.ones(20)), (both, torch.tensor(1.5))):
        assert message(lambda index=index, value=value: x.clone().__setitem__(index, value)) == dtypes
    # A view takes any dtype, and so does a mask of one number.
    for index, value, total in ((0, torch.tensor(1.5), 222), (x > 3, torch.tensor(1.5), 26), (0, torch.ones(4), 222)):
        copy = x.clone()
        copy[index] = value
        assert copy.sum().item() == total
    assert message(lambda: x.to(torch.int8).__setitem__(x > 3, torch.tensor(300))) == (
        "value cannot be converted to type int8 without overflow: 300 is not in [-128, 127]"
    )


def test_a_mask_of_no_dimensions_writes_to_all_or_nothing() -> None:
    x = torch.zeros(2, 3)
    for holds, first in ((True, 1), (False, 0)):
        for index, wanted in [
            (torch.tensor(holds), [[first] * 3, [first] * 3]),
            ((torch.tensor(holds), torch.tensor([0])), [[first] * 3, [0] * 3]),
        ]:
            y = x.clone()
            y[index] = 1
            assert y.tolist() == wanted
            indices = index if isinstance(index, tuple) else (index,)
            assert message(lambda indices=indices: x.index_put(indices, torch.tensor(1.0)), IndexError) == (
                "index_put(): a 0-d mask is not supported here: x[indices] = values takes one"
            )


def test_a_value_may_have_leading_ones_and_is_repeated() -> None:
    for index, shape in [
        (0, (1, 1, 3, 4)),
        ((0, 0, 0), (1, 1, 1)),
        (torch.tensor([0, 1]), (1, 1, 2, 3, 4)),
        (torch.tensor([1, 0]), (3, 1)),
        (torch.tensor([1, 0]), (1,)),
        ((slice(None), torch.tensor([1, 0])), (2, 1, 1)),
    ]:
        x = torch.ones(2, 3, 4)
        x[index] = torch.zeros(shape)
        wanted = np.ones((2, 3, 4))
        wanted[index if not isinstance(index, torch.Tensor) else index.numpy()] = 0
        assert x.tolist() == wanted.tolist()
