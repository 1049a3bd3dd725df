"""What small mistakes in arithmetic its other tests let pass: names, messages, what is handed back, what is watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.ops import elementwise


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
    for got, wanted in (
        (x + y, common),
        (x * y, common),
        (x / y, common if common.is_floating_point else torch.float32),
    ):
        assert got.dtype is wanted
        assert got._array.dtype == wanted._numpy
    assert (x / y).tolist() == [1, 1]


def test_gradients_have_the_dtype_and_the_shape_of_their_inputs() -> None:
    for call in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b):
        for shapes in (((2, 1), (3,)), ((), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 3))):
            a, b = leaf(np.full(shapes[0], 2, np.float32)), leaf(np.full(shapes[1], 4.0))
            out = call(a, b)
            assert out.dtype is torch.float64
            out.sum().backward()
            assert (a.grad.shape, a.grad.dtype) == (shapes[0], torch.float32)
            assert (b.grad.shape, b.grad.dtype) == (shapes[1], torch.float64)


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
