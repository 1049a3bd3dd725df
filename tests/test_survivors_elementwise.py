"""What small mistakes in arithmetic its other tests let pass: names, messages, what is handed back, what is watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf
from strategies import Array

import minigrad as torch
from minigrad.core import arrays, elementwise
from minigrad.core import arrays as blocking
from minigrad.ops import widening


def two() -> Any:
    return leaf(np.array([2.0, 4.0]))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: x + 1, "AddBackward0"),
        (lambda x: 1 + x, "AddBackward0"),
        (lambda x: x - 1, "SubBackward0"),
        (lambda x: 1 - x, "RsubBackward1"),
        (lambda x: x * x, "MulBackward0"),
        (lambda x: x / 2, "DivBackward0"),
        (lambda x: 2 / x, "MulBackward0"),
        (lambda x: -x, "NegBackward0"),
        (lambda x: x.clone(), "CloneBackward0"),
        (lambda x: x.float(), "ToCopyBackward0"),
        (lambda x: x.clone().copy_(x), "torch::autograd::CopyBackwards"),
        (lambda x: x.clone().zero_(), "ZeroBackward0"),
        (lambda x: x.clone().fill_(2), "FillBackward2"),
    ],
)
def test_each_operation_is_recorded_by_its_name(call: Callable[[Any], Any], name: str) -> None:
    assert call(two()).grad_fn.name() == name


BOOL = (
    "Subtraction, the `-` operator, with {} is not supported. If you are trying to invert a mask, use the `~` operator "
    "instead; to compare two, `^`."
)
MINUS = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
    "operator instead."
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, x: b - b, BOOL.format("two bool tensors")),
        (lambda b, x: b - 1, BOOL.format("a bool tensor")),
        (lambda b, x: 1.5 - b, BOOL.format("a bool tensor")),
        (lambda b, x: b - x, BOOL.format("a bool tensor")),
        (lambda b, x: x - b, BOOL.format("a bool tensor")),
        (lambda b, x: -b, MINUS),
        (lambda b, x: x.detach().copy_(torch.ones(2, 2)), "output with shape [2] doesn't match the broadcast shape [2, 2]"),  # noqa: E501
        (lambda b, x: x.clone().copy_(torch.ones(2, 2)), "output with shape [2] doesn't match the broadcast shape [2, 2]"),  # noqa: E501
        (lambda b, x: x + torch.ones(3), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0: shapes torch.Size([2]) and torch.Size([3]) do not broadcast. Sizes are compared from the last dimension on, and must be equal or 1."),  # noqa: E501
        (lambda b, x: b + torch.ones(3), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0: shapes torch.Size([2]) and torch.Size([3]) do not broadcast. Sizes are compared from the last dimension on, and must be equal or 1."),  # noqa: E501
    ],
)  # fmt: skip
def test_errors_in_full(call: Callable[[Any, Any], Any], message: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call(torch.tensor([True, False]), two())
    assert str(caught.value) == message


def test_an_operand_that_is_no_number_has_the_last_word() -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "their own"

        __rsub__ = __rmul__ = __rtruediv__ = __add__ = __sub__ = __mul__ = __truediv__ = __radd__

    x, other = two(), Other()
    assert [x + other, x - other, x * other, x / other] == ["their own"] * 4
    for number in (3, 3.0, True, np.float32(3), np.int64(3)):
        assert (x + number).tolist() == [2 + float(number), 4 + float(number)]
        assert (number * x).tolist() == [2 * float(number), 4 * float(number)]


@pytest.mark.parametrize("first", ["float32", "float16", "int64", "bool", "float64"])
@pytest.mark.parametrize("second", ["float32", "float16", "int64", "bool", "float64"])
def test_sums_and_quotients_have_the_dtype_of_both(first: str, second: str) -> None:
    x, y = torch.ones(2, dtype=getattr(torch, first)), torch.ones(2, dtype=getattr(torch, second))
    common = torch.result_type(x, y)
    if torch.bool not in (x.dtype, y.dtype):
        assert (x - y).dtype is common
    for got, wanted in (
        (x + y, common),
        (x * y, common),
        (x / y, common if common.is_floating_point else torch.float32),
    ):
        assert got.dtype is wanted
        assert got._array.dtype == wanted._numpy
    assert (x / y).tolist() == [1, 1]


def test_numbers_of_numpy_count_as_numbers() -> None:
    """They widen no dtype of a higher or equal kind."""
    for dtype in (torch.float16, torch.float32, torch.float64):
        x = torch.tensor([1.0, 2.0], dtype=dtype)
        for number in (np.float64(0.1), np.float32(3), np.int64(2), np.True_, True, 0.1, 2):
            for got in (x + number, number * x, x / number, x - number if type(number) not in (bool, np.bool_) else x):
                assert (got.dtype, got._array.dtype) == (dtype, dtype._numpy)


def test_a_parameter_is_a_tensor_beside_others() -> None:
    weight, x = torch.nn.Parameter(torch.tensor([2.0, 4.0])), torch.tensor([8.0, 2.0])
    assert (weight + x).tolist() == (x + weight).tolist() == [10, 6]
    assert [(weight - x).tolist(), (x - weight).tolist()] == [[-6, 2], [6, -2]]
    assert (weight * x).tolist() == (x * weight).tolist() == (weight * weight * x / weight).tolist() == [16, 8]
    assert [(weight / x).tolist(), (x / weight).tolist()] == [[0.25, 2], [4, 0.5]]


def test_entries_are_added_to_and_multiplied_with_a_dense_tensor() -> None:
    dense, entries = torch.tensor([2.0, 4.0]), torch.sparse_coo_tensor([[1]], [3.0], (2,))
    assert (dense + entries).tolist() == [2, 7]
    assert (dense - entries).tolist() == [2, 1]
    product = dense * entries
    assert product.is_sparse
    assert product.to_dense().tolist() == [0, 12]


def test_gradients_have_the_dtype_and_the_shape_of_their_inputs() -> None:
    for call in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b):
        for shapes in (((2, 1), (3,)), ((), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 3))):
            a, b = leaf(np.full(shapes[0], 2, np.float32)), leaf(np.full(shapes[1], 4.0))
            out = call(a, b)
            assert out.dtype is torch.float64
            out.sum().backward()
            assert (a.grad.shape, a.grad.dtype) == (shapes[0], torch.float32)
            assert (b.grad.shape, b.grad.dtype) == (shapes[1], torch.float64)
            for asked in (a, b):
                # The other one may do without.
                one, other = asked.detach().requires_grad_(), (b if asked is a else a).detach()
                (call(one, other) if asked is a else call(other, one)).sum().backward()
                assert one.grad.tolist() == asked.grad.tolist()
                assert other.grad is None


def test_only_one_operand_may_need_a_gradient() -> None:
    for call, da, db in [
        (lambda a, b: a + b, 1, 1),
        (lambda a, b: a - b, 1, -1),
        (lambda a, b: a * b, 4, 2),
        (lambda a, b: a / b, 0.25, -0.125),
    ]:
        a, b = torch.tensor([2.0]), torch.tensor([4.0])
        assert call(a, b).grad_fn is None
        for x, wanted in ((a, da), (b, db)):
            x.requires_grad_()
            out = call(a, b)
            ends = [end and end.variable for end, _ in out.grad_fn.next_functions]
            assert ends == [a if x is a else None, b if x is b else None]
            with torch.no_grad():
                assert call(a, b).grad_fn is None
                assert call(a, 3).grad_fn is call(3, b).grad_fn is None
            assert torch.autograd.grad(out, x)[0].item() == wanted
            x.requires_grad_(False)
        # Of a number none is asked for.
        a.requires_grad_()
        out = call(a, 4)
        assert out.grad_fn.next_functions[1][0] is None
        assert torch.autograd.grad(out, a)[0].item() == da
        a.requires_grad_(False)
        b.requires_grad_()
        out = call(2, b)
        ends = [end for end, _ in out.grad_fn.next_functions if end is not None]
        assert [end.variable for end in ends] == [b]
        assert torch.autograd.grad(out, b)[0].item() == db


def test_anomalies_of_arithmetic_tell_where_it_was_made() -> None:
    x = two()
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        anomaly = torch.autograd.detect_anomaly()
    with anomaly:
        outs = [x * x, x * 2, 2 / x]
    for out in outs:
        assert "test_anomalies_of_arithmetic_tell_where_it_was_made" in out.grad_fn.watch.trace
    assert (x * x).grad_fn.watch is (x * 2).grad_fn.watch is None


def test_copies_lie_in_memory_as_asked() -> None:
    x = torch.ones(2, 3)
    for y, wanted in [
        (x, (3, 1)),
        (x.T, (1, 3)),
        (torch.ones(3).expand(2, 3), (3, 1)),
        (torch.ones(2, 1).expand(2, 3), (3, 1)),
    ]:
        assert y.clone().stride() == wanted
        assert y.clone(memory_format=torch.contiguous_format).is_contiguous()
        assert y.clone()._array.flags.owndata


def test_writing_over_values_stops_their_gradient() -> None:
    """Even where it is not finite."""
    bad = torch.tensor([float("nan"), float("inf")]).double()
    for write in (lambda y: y.zero_(), lambda y: y.fill_(3), lambda y: y.copy_(torch.ones(2))):
        x = two()
        y = x * 1
        write(y)
        y.backward(bad)
        assert x.grad.tolist() == [0, 0]
    x, source = two(), leaf(np.array([[1.0], [5.0]]))
    y = (x * 1).expand(2, 2).clone()
    y.copy_(source)
    assert y.tolist() == [[1, 1], [5, 5]]
    y.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).double())
    assert (x.grad.tolist(), source.grad.tolist()) == ([0, 0], [[3], [7]])


def test_masks_are_their_own_adjoint() -> None:
    x, mask = leaf(np.array([1.0, np.nan, np.inf])), np.array([True, False, False])
    out = elementwise.masked(x, mask)
    assert out.tolist() == [1, 0, 0]
    (dx,) = torch.autograd.grad(out, x, torch.tensor([5.0, np.inf, np.nan]).double(), create_graph=True)
    assert dx.tolist() == [5, 0, 0]
    assert elementwise.zeroed(x).tolist() == [0, 0, 0]
    assert elementwise.floating(torch.int64) is torch.float32
    assert elementwise.floating(torch.float16) is torch.float16


def test_casting_does_nothing_where_there_is_nothing_to_do() -> None:
    x = two()
    assert elementwise.cast(x, torch.float64) is x
    whole = elementwise.cast(x, torch.int64)
    assert (whole.dtype, whole.requires_grad, whole.tolist()) == (torch.int64, False, [2, 4])
    number = elementwise.cast(2.5, torch.float16)
    assert (type(number), number.dtype, number.item()) == (np.ndarray, np.float16, 2.5)
    huge = torch.tensor([float("inf"), 1e300], dtype=torch.float64)
    assert huge.float().tolist() == [float("inf")] * 2
    assert huge.int().shape == (2,)


def test_arithmetic_does_not_warn() -> None:
    """Warnings are errors here."""
    x, zero = torch.tensor([3e38, 0.0, -1.0]), torch.zeros(3)
    for call in (
        lambda: x * x,
        lambda: x / zero,
        lambda: zero / zero,
        lambda: x + x,
        lambda: 1 / zero,
        lambda: x * 1e38,
    ):
        assert call().shape == (3,)
    assert (torch.tensor([60000.0]).half() + torch.tensor([60000.0]).half()).item() == float("inf")


# ---- choosing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 100, 4095, 4096, 5000])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_choices_are_numpys_however_many_there_are(count: int, dtype: str) -> None:
    """To the last bit, also of what is not finite and of the sign of 0; in a new array of that dtype."""
    generator = np.random.default_rng(count)
    a, b = (generator.integers(0, 2 if dtype == "bool" else 100, (2, count)).astype(dtype) for _ in range(2))
    if dtype.startswith("float"):
        a[:, ::3], a[:, 1::5], b[:, ::4], b[:, 2::7] = np.nan, -0.0, np.inf, -0.0
    full = generator.random((2, count)) < 0.5
    for mask in (full, full[0], full.T.copy().T, np.repeat(full, 2, axis=1)[:, ::2]):
        for x, y in ((a, b), (a[0], b), (a, b[0]), (a[:, :1], b), (a, np.ones((), dtype)), (a.T.copy().T, b)):
            before = x.tobytes(), y.tobytes(), mask.tobytes()
            for found, wanted in (
                (arrays.chosen(mask, x, y), np.where(mask, x, y)),
                (arrays.cleared(mask, x), np.where(mask, x, np.zeros((), dtype))),
            ):
                assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
                assert found.tobytes() == wanted.tobytes()
                assert not np.shares_memory(found, x)
            assert (x.tobytes(), y.tobytes(), mask.tobytes()) == before


# ---- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [(0,), (0, 3), (3, 0), (1, 1), (5, 2**15), (5, 2**16), (3, 2**16 + 1), (70_000, 3), (70_000,)]
)
def test_blocks_of_rows_are_all_rows_in_order_and_few_at_a_time(shape: tuple[int, ...]) -> None:
    x = np.broadcast_to(np.zeros(()), shape)
    rows = np.arange(len(x))
    blocks = blocking.row_blocks(x)
    assert np.concatenate([rows[:0], *[rows[block] for block in blocks]]).tolist() == rows.tolist()
    of_row = int(np.prod(shape[1:]))
    for block in blocks:
        assert 0 < x[block].size <= 2**16 or of_row == 0 or len(x[block]) == 1
    # None but the last could take another row.
    for block in blocks[:-1]:
        assert (len(x[block]) + 1) * of_row > 2**16


def test_what_is_cut_into_blocks() -> None:
    x = np.zeros((5, 2**15, 1))
    assert blocking.blocks_along(x, (1,)) == blocking.blocks_along(x, (1, 2)) == blocking.row_blocks(x)
    assert len(blocking.row_blocks(x)) == 3
    for dims in ((0,), (0, 1), (1, 0)):
        assert blocking.blocks_along(x, dims) == [...]
    assert blocking.blocks_along(np.zeros(()), ()) == [...]


def test_large_arrays_in_order_are_worked_on_in_parts() -> None:
    sizes: list[int] = []

    def added(a: Array, b: Array) -> Array:
        sizes.append(a.size)
        found: Array = a + b
        return found

    a, b = np.arange(200_000.0).reshape(2, -1), np.ones((2, 100_000))
    for x, y, wanted in (
        (a, b, [65_536] * 3 + [3392]),
        (a[:, :100], b[:, :100], [200]),
        (a[0, :65_536], b[0, :65_536], [65_536]),
        (a[0, :65_537], b[0, :65_537], [65_536, 1]),
        (a.copy(order="F"), b, [200_000]),
        (a, b.copy(order="F"), [200_000]),
    ):
        sizes.clear()
        np.testing.assert_array_equal(blocking.by_blocks(added, x, y), x + y, strict=True)
        assert sizes == wanted


# ---- gates and half precision ----------------------------------------------------------------------------------------


def test_halves_are_computed_in_single_precision_and_rounded_under_one_name() -> None:
    seen: list[Any] = []

    def product(a: Any, b: Any, c: Any) -> Any:
        seen[:] = [a, b, c]
        return a * b

    x = torch.full((2,), 300.0, dtype=torch.float16, requires_grad=True)
    wide = torch.full((2,), 300.0)
    found = widening.in_float32(product, x, wide, None)
    assert [each.dtype for each in seen[:2]] == [torch.float32] * 2
    assert seen[2] is None
    assert (found.dtype, found.tolist()) == (torch.float16, [np.inf] * 2)
    assert found.grad_fn.name() == "MulBackward0"
    found.sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (torch.float16, [300, 300])
    # The first one says what the result is rounded to.
    found = widening.in_float32(product, wide, x, None)
    assert (found.dtype, found.tolist()) == (torch.float32, [90_000] * 2)
    double = torch.ones(2, dtype=torch.float64)
    found = widening.in_float32(product, double, double, 3)
    assert (found.dtype, seen[0] is double, seen[2]) == (torch.float64, True, 3)
    assert widening.rounded(double, torch.float64) is double
    found = widening.rounded(double * 1e5, torch.float16)
    assert (found.dtype, found.tolist(), found.grad_fn) == (torch.float16, [np.inf] * 2, None)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gates_open_and_close(dim: int) -> None:
    x = np.array([[4.0, 6.0, 0.0, 100.0], [-4.0, 1.0, -1000.0, 0.0]])
    g = np.array([[5.0, 7.0], [11.0, 13.0]]) if dim else np.array([[5.0, 7.0, 11.0, 13.0]])
    a, b = np.split(x, 2, dim)
    s = 1 / (1 + np.exp(-np.maximum(b, -700)))
    t = leaf(x)
    found = torch.nn.functional.glu(t, dim)
    np.testing.assert_allclose(found.detach().numpy(), a * s, atol=1e-300)
    found.backward(torch.from_numpy(g))
    wanted = np.concatenate([g * s, g * a * s * (1 - s)], dim)
    np.testing.assert_allclose(t.grad.numpy(), wanted, atol=1e-300)


# ---- comparison, logic and bits --------------------------------------------------------------------------------------


def test_a_number_is_compared_in_the_dtype_of_the_tensor() -> None:
    """A float32 that came from 0.1 equals 0.1, though not in float64; integers and a float meet in floating point."""
    for dtype in (torch.float16, torch.float32, torch.float64):
        assert (torch.tensor([0.1], dtype=dtype) == 0.1).tolist() == [True]
        assert (torch.tensor([3.0, 2.0], dtype=dtype) > 2).tolist() == [True, False]
        assert (torch.tensor([1.0, 2.0], dtype=dtype) == True).tolist() == [True, False]  # noqa: E712
    assert (torch.tensor([0.1], dtype=torch.float64) == torch.tensor([0.1])).tolist() == [False]
    assert (torch.tensor([0.1]) == torch.tensor(0.1, dtype=torch.float64)).tolist() == [True]
    assert (torch.tensor([1, 3]) > 2.5).tolist() == [False, True]
    assert (torch.tensor([1, 3]) > 2).tolist() == [False, True]
    assert (torch.tensor([True, False]) == 1.5).tolist() == [False, False]
    assert (torch.tensor([True, False]) > 0).tolist() == [True, False]
    assert (torch.tensor([2, 0]) == torch.tensor([True, False])).tolist() == [False, True]
    assert (torch.tensor([2**53 + 1]) == 2**53).tolist() == [False]
    assert (torch.tensor([1, 3]) < 2.5).tolist() == [True, False]
    for single in (16_777_216.0, torch.tensor([16_777_216.0])):
        assert (torch.tensor([16_777_217]) == single).tolist() == [True]
    # As in PyTorch, a number that an integer dtype does not hold wraps around.
    assert (torch.tensor([1], dtype=torch.int8) == 257).tolist() == [True]
    x = two()
    for other in (two(), torch.tensor([2, 4]), torch.tensor([2.0, 4.0])):
        assert (x == other).tolist() == (other == x).tolist() == [True, True]
        assert not (x == other).requires_grad


def test_logic_is_of_what_is_not_zero() -> None:
    x, y = torch.tensor([0.5, 0.0, np.nan, 0.25]), torch.tensor([0, 3, 0, 1])
    assert x.logical_and(y).tolist() == y.logical_and(x).tolist() == [False, False, False, True]
    assert x.logical_or(y).tolist() == y.logical_or(x).tolist() == [True] * 4
    assert x.logical_xor(y).tolist() == y.logical_xor(x).tolist() == [True, True, True, False]


def test_bits_of_numbers_bools_and_both() -> None:
    whole, flags = torch.tensor([1, 2, -3]), torch.tensor([True, False, True])
    for found, dtype, wanted in (
        (whole & flags, torch.int64, [1, 0, 1]),
        (flags & whole, torch.int64, [1, 0, 1]),
        (flags & True, torch.bool, [True, False, True]),
        (True ^ flags, torch.bool, [False, True, False]),
        (flags | 4, torch.int64, [5, 4, 5]),
        (5 ^ whole, torch.int64, [4, 7, -8]),
        (flags << 1, torch.int64, [2, 0, 2]),
        (whole << flags, torch.int64, [2, 2, -6]),
        (whole >> 1, torch.int64, [0, 1, -2]),
        (1 << torch.tensor([0, 3]), torch.int64, [1, 8]),
        (whole.to(torch.int8) | 64, torch.int8, [65, 66, -3]),
    ):
        assert (found.dtype, found._array.dtype, found.tolist()) == (dtype, dtype._numpy, wanted)


def test_close_is_within_a_tolerance_that_grows_with_the_second() -> None:
    a, b = torch.tensor([10.0]), torch.tensor([8.0])
    assert [a.isclose(b, rtol=r, atol=0).item() for r in (0.2, 0.25)] == [False, True]
    assert b.isclose(a, rtol=0.2, atol=0).item()
    assert [a.isclose(b, rtol=0, atol=t).item() for t in (1.5, 2)] == [False, True]
    assert a.isclose(b, rtol=0.125, atol=1).item()
    odd = torch.tensor([1.0, np.nan, np.inf, -np.inf])
    assert odd.isclose(odd).tolist() == [True, False, True, True]
    assert odd.isclose(odd, equal_nan=True).tolist() == [True] * 4
    assert odd.isclose(odd.flip(0), rtol=1e9).tolist() == [False] * 4
    whole = torch.tensor([1, 2, -3])
    assert whole.isclose(torch.tensor([1, 3, -4]), atol=1).tolist() == [True] * 3
    assert whole.isclose(torch.tensor([1, 3, -4])).tolist() == [True, False, False]
    assert torch.tensor([True, False]).isclose(torch.tensor([True, True])).tolist() == [True, False]
    assert a.isclose(a, rtol=0, atol=0).item()


INTEGERS = "expected integers, or bools such as (x > 0) & (y > 0)"
SIZES = (
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0: shapes torch.Size([2]) "
    "and torch.Size([3]) do not broadcast. Sizes are compared from the last dimension on, and must be equal or 1."
)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        *[
            (call, NotImplementedError, f"\"{name}_cpu\" not implemented for 'Double': {INTEGERS}")
            for call, name in (
                (lambda x, b: x & 1, "bitwise_and"),
                (lambda x, b: x | x, "bitwise_or"),
                (lambda x, b: b ^ 1.5 * x, "bitwise_xor"),
                (lambda x, b: x << 1, "lshift"),
                (lambda x, b: b >> x, "rshift"),
            )
        ],
        (lambda x, b: b << b, NotImplementedError, f"\"lshift_cpu\" not implemented for 'Bool': {INTEGERS}"),
        (lambda x, b: b >> b, NotImplementedError, f"\"rshift_cpu\" not implemented for 'Bool': {INTEGERS}"),
        (lambda x, b: x == torch.ones(3), RuntimeError, SIZES),
        (lambda x, b: x < torch.ones(3, dtype=torch.float64), RuntimeError, SIZES),
        (lambda x, b: b & torch.ones(3, dtype=torch.int64), RuntimeError, SIZES),
        (lambda x, b: b.logical_or(torch.ones(3)), RuntimeError, SIZES),
        (lambda x, b: x.float().isclose(torch.ones(3)), RuntimeError, SIZES),
        (
            lambda x, b: x.isclose(torch.ones(2)),
            RuntimeError,
            "Double did not match Float: convert one, as in other.to(torch.float64)",
        ),
        *[
            (
                lambda x, b, name=name: x.isclose(x, **{"atol": 1, name: -0.5}),
                RuntimeError,
                f"{name} must be greater than or equal to zero, but got -0.5",
            )
            for name in ("rtol", "atol")
        ],
    ],
)
def test_refusals_in_full(call: Callable[[Any, Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call(two().detach(), torch.tensor([True, False]))
    assert str(caught.value) == message
