"""Elementwise ops beyond the tables: integers, logic, the error function, edges, numbers first, refusals."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, INTEGERS, arrays

import minigrad as torch
from minigrad.nn import functional as F
from minigrad.ops import erf as error_function

INF, NAN = math.inf, math.nan


def array_of(x: Any) -> Any:
    return x.detach().numpy()


def gradients(call: Callable[..., Any], *data: Any) -> list[Any]:
    """The gradients of the sum of `call` with respect to float64 tensors of these data."""
    tensors = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in data]
    return [d.tolist() for d in torch.autograd.grad(call(*tensors).sum(), tensors)]


# ---- integers, logic and bits ----------------------------------------------------------------------------------------

few = st.integers(1, 4)


@st.composite
def integer_pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    dtype, shape = draw(st.sampled_from(INTEGERS)), (draw(few),)
    return draw(arrays(dtype, shape)), draw(arrays(dtype, shape))


@given(integer_pairs())
def test_integer_quotients_and_rests_are_pythons_and_cs(pair: tuple[Any, Any]) -> None:
    a, b = pair
    b = np.where(b == 0, b.dtype.type(3), b)
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    pairs = [(int(m), int(n)) for m, n in zip(a, b, strict=True)]
    assert (x // y).tolist() == torch.floor_divide(x, y).tolist() == [m // n for m, n in pairs]
    assert torch.div(x, y, rounding_mode="floor").tolist() == [m // n for m, n in pairs]
    assert torch.div(x, y, rounding_mode="trunc").tolist() == [math.trunc(m / n) for m, n in pairs]
    assert (x % y).tolist() == torch.remainder(x, y).tolist() == [m % n for m, n in pairs]
    assert torch.fmod(x, y).tolist() == [int(math.fmod(m, n)) for m, n in pairs]
    for out in (x // y, x % y, x.fmod(y)):
        assert out.dtype is x.dtype


@pytest.mark.parametrize("call", [operator.floordiv, operator.mod, torch.fmod, torch.floor_divide])
def test_integers_are_not_divided_by_zero(call: Callable[[Any, Any], Any]) -> None:
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        call(x, 0)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        call(x, torch.tensor([1, 0]))
    assert call(torch.zeros(0, dtype=torch.int64), 0).shape == (0,)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        call(torch.tensor([True]), torch.tensor([True]))


@given(st.sampled_from(DTYPES).flatmap(lambda dtype: st.tuples(arrays(dtype, (3,)), arrays(dtype, (3,)))))
def test_comparison_and_logic_are_numpys(pair: tuple[Any, Any]) -> None:
    a, b = pair
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    for name, f in (
        ("eq", np.equal),
        ("ne", np.not_equal),
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
        ("logical_xor", np.logical_xor),
    ):
        expected = f(a, b)
        for answers in (getattr(x, name)(y), getattr(torch, name)(x, y)):
            np.testing.assert_array_equal(answers.numpy(), expected, strict=True)
        written = x.clone()
        assert getattr(written, f"{name}_")(y) is written
        np.testing.assert_array_equal(written.numpy(), expected.astype(a.dtype), strict=True)
    np.testing.assert_array_equal(x.logical_not().numpy(), ~a.astype(bool), strict=True)
    for name in ("isnan", "isinf", "isfinite"):
        np.testing.assert_array_equal(getattr(x, name)().numpy(), getattr(np, name)(a), strict=True)


@given(integer_pairs(), st.integers(0, 6))
def test_bits_are_numpys(pair: tuple[Any, Any], shift: int) -> None:
    a, b = pair
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    for operation, name, f in (
        (operator.and_, "bitwise_and", np.bitwise_and),
        (operator.or_, "bitwise_or", np.bitwise_or),
        (operator.xor, "bitwise_xor", np.bitwise_xor),
    ):
        np.testing.assert_array_equal(operation(x, y).numpy(), f(a, b), strict=True)
        np.testing.assert_array_equal(getattr(x, name)(y).numpy(), f(a, b), strict=True)
        np.testing.assert_array_equal(getattr(torch, name)(3, x).numpy(), f(a.dtype.type(3), a), strict=True)
    np.testing.assert_array_equal((~x).numpy(), np.invert(a), strict=True)
    np.testing.assert_array_equal(x.bitwise_not().numpy(), np.invert(a), strict=True)
    np.testing.assert_array_equal((x << shift).numpy(), a << a.dtype.type(shift), strict=True)
    np.testing.assert_array_equal((x >> shift).numpy(), a >> a.dtype.type(shift), strict=True)


def test_bits_are_of_integers() -> None:
    x = torch.tensor([1.5])
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            getattr(x, name)(1)
    with pytest.raises(NotImplementedError, match="bitwise_not_cpu"):
        x.bitwise_not()
    with pytest.raises(NotImplementedError, match="lshift_cpu"):
        torch.tensor([True]) << torch.tensor([True])
    assert (torch.tensor([True]) << 1).tolist() == [2]


def test_in_place_comparisons_have_a_gradient_of_zero() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.gt_(3)
    assert y.grad_fn is not None
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.eq_(1)


def test_tolerances_are_not_negative() -> None:
    x = torch.ones(2)
    for how in ({"rtol": -0.1}, {"atol": -1}, {"rtol": NAN}):
        with pytest.raises(RuntimeError, match="must be greater than or equal to zero, but got"):
            x.isclose(x, **how)
        with pytest.raises(RuntimeError, match="must be greater than or equal to zero, but got"):
            torch.allclose(x, x, **how)


# ---- the error function ----------------------------------------------------------------------------------------------

REACH = np.concatenate([np.linspace(-7, 7, 4001), np.linspace(-0.5, 0.5, 999), 10.0 ** np.linspace(-300, 0, 301)])


def units_off(got: Any, exact: Any) -> float:
    """By how many units in the last place of `got` the largest error is off."""
    return float(np.max(np.abs(got.astype(np.float64) - exact) / np.spacing(np.abs(exact.astype(got.dtype)))))


def test_erf_is_exact_to_a_few_units() -> None:
    exact = np.array([math.erf(v) for v in REACH])
    assert units_off(error_function.erf(REACH), exact) <= 4
    single = REACH[np.abs(REACH) > 1e-30].astype(np.float32)
    assert units_off(error_function.erf(single), np.array([math.erf(v) for v in single])) <= 4
    half = single.astype(np.float16)
    assert units_off(error_function.erf(half), np.array([math.erf(v) for v in half])) <= 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_the_ends_of_the_error_function(dtype: Any) -> None:
    x = torch.tensor([INF, -INF, 1e4, -1e4, 0.0], dtype=dtype)
    assert x.erf().tolist() == [1, -1, 1, -1, 0]
    assert torch.tensor([NAN], dtype=dtype).erf().isnan().all()
    assert np.signbit(torch.tensor([-0.0], dtype=dtype).erf().numpy()).all()
    assert torch.zeros(0, 3, dtype=dtype).erf().shape == (0, 3)


def test_large_and_strided_arrays_are_done_block_by_block() -> None:
    x = np.random.default_rng(0).standard_normal((300, 400)).astype(np.float32)
    whole = error_function.erf(x)
    for row in (0, 150, 299):
        np.testing.assert_array_equal(whole[row], error_function.erf(x[row]))
    np.testing.assert_array_equal(error_function.erf(x.T), whole.T)
    np.testing.assert_array_equal(error_function.erf(x[::2, 1::3]), whole[::2, 1::3])
    assert whole.max() <= 1


# ---- edges -----------------------------------------------------------------------------------------------------------


def test_gradients_at_kinks_ties_and_nan() -> None:
    assert gradients(lambda a: a.clamp(0, 1), [0.0, 1.0, NAN, -1.0, 2.0]) == [[1, 1, 0, 0, 0]]
    assert gradients(lambda a: a.clamp(2, 1), [0.0, 1.5, 3.0]) == [[0, 0, 0]]
    low, high = [0.0, 0.0, 0.0, 2.0, NAN], [1.0, 1.0, 1.0, 1.0, 1.0]
    assert gradients(torch.clamp, [0.5, -1.0, 2.0, 1.5, 0.5], low, high) == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 1, 0],
    ]
    a, b = [0.0, 1.0, 2.0, NAN, 1.0], [0.0, 2.0, 1.0, 1.0, NAN]
    assert gradients(torch.maximum, a, b) == [[0.5, 0, 1, 1, 1], [0.5, 1, 0, 1, 1]]
    assert gradients(torch.minimum, a, b) == [[0.5, 1, 0, 1, 1], [0.5, 0, 1, 1, 1]]
    assert gradients(torch.fmax, a, b) == [[1, 0, 1, 0, 1], [0, 1, 0, 1, 0]]
    assert gradients(torch.fmin, a, b) == [[1, 1, 0, 0, 1], [0, 0, 1, 1, 0]]
    assert gradients(torch.atan2, [0.0], [0.0]) == [[0], [0]]
    assert gradients(lambda x: F.leaky_relu(x, 0.5), [0.0, 1.0, -1.0]) == [[0.5, 1, 0.5]]
    assert gradients(lambda x: F.elu(x, 2.0), [0.0, 1.0]) == [[2, 1]]


def test_saturated_functions_have_a_gradient_of_zero() -> None:
    far = [-1000.0, 1000.0]
    assert gradients(torch.sigmoid, far) == [[0, 0]]
    assert gradients(torch.tanh, far) == [[0, 0]]
    assert gradients(torch.erf, far) == [[0, 0]]
    for f in (F.gelu, F.silu, F.softplus, lambda x: F.gelu(x, approximate="tanh")):
        assert gradients(f, far) == [[0, 1]]
    assert gradients(F.logsigmoid, far) == [[1, 0]]
    assert F.logsigmoid(torch.tensor(far)).tolist() == [-1000, 0]
    assert F.softplus(torch.tensor(far)).tolist() == [0, 1000]


def test_masked_fill_hides_what_is_not_finite() -> None:
    x = torch.tensor([NAN, INF, 1.0], requires_grad=True)
    mask = torch.tensor([True, True, False])
    y = x.masked_fill(mask, 0)
    (dx,) = torch.autograd.grad(y.sum(), x)
    assert y.tolist() == [0, 0, 1]
    assert dx.tolist() == [0, 0, 1]
    z = torch.where(mask, 0.0, x.log())
    assert torch.autograd.grad(z.sum(), x)[0].tolist()[2] == 1


def test_a_condition_that_changes_is_noticed() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    condition = torch.tensor([True, False])
    y = torch.where(condition, x, 0)
    condition.fill_(True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_infinite_bound_gets_the_gradient_of_what_it_replaced() -> None:
    for sign in (1, -1):
        bound = torch.tensor(sign * np.inf, requires_grad=True)
        x = torch.tensor([0.0, 1.0], requires_grad=True)
        (x.clamp_min(bound) if sign == 1 else x.clamp_max(bound)).backward(torch.tensor([2.0, 3.0]))
        assert (bound.grad.item(), x.grad.tolist()) == (5, [0, 0])


def test_a_gradient_of_gelu_can_be_asked_for_again() -> None:
    """What gelu keeps besides its input goes with it, and is computed anew for gradients of gradients."""
    for gelu in (F.gelu, lambda x: F.gelu(x, approximate="tanh")):
        x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
        y = gelu(x)
        (kept,) = torch.autograd.grad(y.sum(), x, create_graph=True, retain_graph=False)
        (second,) = torch.autograd.grad(kept.sum(), x, create_graph=True)
        (third,) = torch.autograd.grad(second.sum(), x)
        step = 1e-5
        shifted = [gradients(gelu, x.detach().numpy() + d)[0] for d in (-step, 0, step)]
        below, at, above = map(np.array, shifted)
        np.testing.assert_allclose(array_of(second), (above - below) / (2 * step), rtol=1e-7)
        np.testing.assert_allclose(array_of(third), (above - 2 * at + below) / step**2, rtol=1e-3, atol=1e-4)


def test_half_precision_is_computed_in_single_and_rounded_once() -> None:
    half = np.random.default_rng(0).uniform(-4, 4, 500).astype(np.float16)
    x, wide = torch.from_numpy(half), torch.from_numpy(half.astype(np.float32))
    for f in (F.gelu, F.silu, F.softplus, F.logsigmoid, F.elu, torch.sigmoid, torch.erf):
        np.testing.assert_array_equal(f(x).numpy(), f(wide).numpy().astype(np.float16), strict=True)
        slopes = []
        for each in (x, wide):
            leaf = each.clone().requires_grad_()
            slopes.append(torch.autograd.grad(f(leaf).sum(), leaf)[0].numpy())
        # The slope of sigmoid is read off its output, which is a float16 already.
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=2e-3, atol=1e-3)


# ---- arguments -------------------------------------------------------------------------------------------------------


def test_a_number_may_come_first() -> None:
    x = torch.tensor([1.0, 2.0])
    assert torch.add(2, x).tolist() == [3, 4]
    assert torch.sub(2, x, alpha=2).tolist() == [0, -2]
    assert torch.mul(2, x).tolist() == [2, 4]
    assert torch.div(2, x, rounding_mode="floor").tolist() == [2, 1]
    assert torch.floor_divide(5, x).tolist() == [5, 2]
    assert torch.remainder(5, x).tolist() == [0, 1]
    assert torch.pow(2, x).tolist() == [2, 4]
    assert (5 // x).tolist() == [5, 2]
    assert (5 % x).tolist() == [0, 1]
    for f in (torch.add, torch.remainder, torch.pow, torch.bitwise_and):
        with pytest.raises(TypeError, match="must be Tensor, not int"):
            f(2, 3)
    for call in (lambda: torch.exp(2), lambda: torch.fmod(2, x), lambda: torch.maximum(x, 2), lambda: torch.eq(2, x)):
        with pytest.raises(TypeError, match="must be Tensor, not int"):
            call()


def test_alpha_is_of_the_kind_of_the_result() -> None:
    whole, real = torch.tensor([1, 2]), torch.tensor([1.0, 2.0])
    assert torch.add(whole, real, alpha=1.5).tolist() == [2.5, 5]
    assert whole.add(whole, alpha=2).tolist() == [3, 6]
    assert real.add(real, alpha=torch.tensor(2.0)).tolist() == [3, 6]
    with pytest.raises(RuntimeError, match="alpha must not be a floating point number"):
        whole.add(whole, alpha=1.5)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        real.sub(real, alpha=True)
    with pytest.raises(TypeError, match="argument 'alpha' must be Number, not str"):
        real.add(real, alpha="1")
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors"):
        torch.sub(whole > 1, whole > 1, alpha=2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.div(x, rounding_mode="up"), RuntimeError, "rounding_mode to be one of None, 'trunc', or 'floor'"),
        (lambda x: x.div(x, rounding_mode=1), TypeError, "must be str, not int"),
        (lambda x: x.clamp(), RuntimeError, "At least one of 'min' or 'max' must not be None"),
        (lambda x: x.clamp(min=x, max=1), TypeError, "expected a number, got Tensor"),
        (lambda x: (x > 0).clamp(False, True), NotImplementedError, "not implemented for 'Bool'"),
        (lambda x: x.long().frac(), NotImplementedError, "\"frac_cpu\" not implemented for 'Long'"),
        (lambda x: x.long().round(decimals=1), NotImplementedError, "\"round_cpu\" not implemented for 'Long'"),
        (lambda x: x.round(decimals=1.5), TypeError, "must be int, not float"),
        (lambda x: (x > 0).floor(), NotImplementedError, "\"floor_vml_cpu\" not implemented for 'Bool'"),
        (lambda x: torch.where(x, x, x), RuntimeError, "where expected condition to be a boolean tensor"),
        (lambda x: torch.where(x > 0, x, torch.zeros(3)), RuntimeError, "must match the size of tensor"),
        (lambda x: x.masked_fill(x, 1), RuntimeError, "only supports boolean masks"),
        (lambda x: x.masked_fill(x > 0, x), RuntimeError, "only supports a 0-dimensional value tensor"),
        (lambda x: x.long().masked_fill(x > 0, NAN), RuntimeError, "without overflow"),
        (lambda x: x.lerp(x.double(), 0.5), RuntimeError, "expected dtype float for `end` but got dtype double"),
        (lambda x: x.lerp(x, x.double()), RuntimeError, "expected dtype float for `weight` but got dtype double"),
        (lambda x: x.long().lerp(x.long(), 0.5), NotImplementedError, "not implemented for 'Long'"),
        (lambda x: x.addcdiv(x.long(), x.long()), RuntimeError, "Integer division with addcdiv is no longer supported"),
        (lambda x: x.addcmul(x, 2), TypeError, "argument 'tensor2' (position 2) must be Tensor, not int"),
        (lambda x: (x.requires_grad_() // 2).sum().backward(), RuntimeError, "derivative for aten::floor_divide"),
        (lambda x: (2 % x.requires_grad_()).sum().backward(), RuntimeError, "derivative for aten::remainder"),
        (lambda x: F.gelu(x, approximate="erf"), RuntimeError, "approximate argument must be either none or tanh"),
        (lambda x: F.gelu(x.long()), NotImplementedError, "\"GeluKernelImpl\" not implemented for 'Long'"),
        (lambda x: F.hardtanh(x, 2, 1), ValueError, "min_val cannot be greater than max_val"),
        (lambda x: F.hardtanh(x.to(torch.uint8), -1, 1), RuntimeError, "unsigned type with negative limits"),
        (lambda x: F.relu(x > 0), RuntimeError, "Boolean inputs not supported for relu"),
        (lambda x: F.prelu(x, x.double()), RuntimeError, "Type promoting not supported"),
        (lambda x: F.prelu(x, x.unsqueeze(0)), RuntimeError, "Expected `weight` to be a scalar or 1D tensor"),
        (lambda x: F.prelu(x, x), RuntimeError, "Mismatch of parameter numbers and input channel size"),
        (lambda x: F.prelu(x.sum(), x), RuntimeError, "Mismatch of parameter numbers"),
        (lambda x: F.silu([1.0]), TypeError, "must be Tensor, not list"),
    ],
)
def test_what_is_refused(call: Callable[[Any], Any], error: type[Exception], words: str) -> None:
    x = torch.tensor([1.0, 2.0])
    with pytest.raises(error) as raised:
        call(x)
    assert words in str(raised.value)
    assert x.tolist() == [1, 2]


def test_prelu_has_a_weight_per_channel() -> None:
    x = -torch.ones(2, 3, 2)
    assert F.prelu(x, torch.tensor([1.0, 2.0, 3.0]))[0].tolist() == [[-1, -1], [-2, -2], [-3, -3]]
    assert F.prelu(torch.tensor(-2.0), torch.tensor([0.5])).tolist() == -1
    assert F.prelu(torch.tensor(-2.0), torch.tensor(0.5)).tolist() == -1


def test_positive_is_the_tensor_itself() -> None:
    x = torch.tensor([1.0])
    assert torch.positive(x) is x
    assert +x is x
    with pytest.raises(RuntimeError, match="on a bool tensor is not supported"):
        torch.positive(x > 0)
