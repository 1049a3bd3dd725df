"""What small mistakes in powers, quotients, roundings and functions their other tests let pass: edges, names, words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.nn import functional as F
from minigrad.ops import curves, kinds

INF, NAN = math.inf, math.nan


def half(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float16)


def gradients(call: Callable[..., Any], *data: Any) -> list[Any]:
    """The gradients of the sum of `call` with respect to float64 tensors of these data."""
    tensors = [leaf(np.array(each, np.float64)) for each in data]
    return [d.tolist() for d in torch.autograd.grad(call(*tensors).sum(), tensors)]


def same(found: Any, wanted: Any) -> None:
    """Equal element by element, nan to nan."""
    np.testing.assert_array_equal(found, wanted)


# ---- names and words -------------------------------------------------------------------------------------------------

UNARY = {
    "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "log": "Log", "log1p": "Log1P", "log2": "Log2", "log10": "Log10",
    "sqrt": "Sqrt", "rsqrt": "Rsqrt", "reciprocal": "Reciprocal", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh",
    "sigmoid": "Sigmoid", "erf": "Erf",
}  # fmt: skip
STEPS = {
    "abs": "Abs", "sign": "Sign", "sgn": "Sgn", "floor": "Floor", "ceil": "Ceil", "trunc": "Trunc", "round": "Round",
    "frac": "Frac",
}  # fmt: skip

NAMES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x.atan2(x), "Atan2Backward0"),
    (lambda x: x.round(decimals=1), "RoundBackward1"),
    (lambda x: x.add(x, alpha=2), "AddBackward0"),
    (lambda x: x.sub(x, alpha=2), "SubBackward0"),
    (lambda x: x.div(x, rounding_mode="floor"), "DivBackward2"),
    (lambda x: x.div(2, rounding_mode="trunc"), "DivBackward2"),
    (lambda x: x // 2, "torch::autograd::NotImplemented"),
    (lambda x: 2 % x, "torch::autograd::NotImplemented"),
    (lambda x: x % x, "RemainderBackward1"),
    (lambda x: x % 2, "RemainderBackward0"),
    (lambda x: x.fmod(x), "FmodBackward1"),
    (lambda x: x.fmod(2), "FmodBackward0"),
    (lambda x: x**x, "PowBackward1"),
    (lambda x: 2**x, "PowBackward2"),
    (lambda x: x**2, "PowBackward0"),
    (lambda x: x.square(), "PowBackward0"),
    (lambda x: x.lerp(x, 0.5), "LerpBackward0"),
    (lambda x: x.lerp(x, x), "LerpBackward1"),
    (lambda x: x.addcmul(x, x), "AddcmulBackward0"),
    (lambda x: x.addcdiv(x, x), "AddcdivBackward0"),
    (F.glu, "GluBackward0"),
]


def test_each_function_is_recorded_by_its_name() -> None:
    x = leaf(np.array([0.25, 0.5]))
    for method, name in {**UNARY, **STEPS}.items():
        assert getattr(x, method)().grad_fn.name() == f"{name}Backward0"
    for call, name in NAMES:
        assert call(x).grad_fn.name() == name


def test_the_gradient_of_a_curve_is_recorded_by_a_name_of_its_own() -> None:
    for function, name in (
        (torch.tanh, "Tanh"),
        (torch.sigmoid, "Sigmoid"),
        (F.gelu, "Gelu"),
        (F.softplus, "Softplus"),
    ):
        x = leaf(np.array([0.25, 0.5]))
        (dx,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        assert dx.grad_fn.name() == f"{name}BackwardBackward0"


NUMBERS = "not implemented for 'Bool': expected numbers, such as x.long()"
DIVIDED = "ZeroDivisionError: integers cannot be divided by 0; x.float() can, with infinite results"
ALPHA = (
    "For integral input tensors, argument alpha must not be a floating point number: it is {}, and the result is of "
    "dtype torch.{}"
)
EXPONENT = (
    "Integers to negative integer powers are not allowed: the exponent is -1. Make the base floating point first: "
    "x.float() ** n."
)
SIZES = (
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension {}: shapes torch.Size({}) "
    "and torch.Size([3]) do not broadcast. Sizes are compared from the last dimension on, and must be equal or 1."
)

ERRORS: list[tuple[Callable[[Any, Any, Any], Any], type[Exception], str]] = [
    (lambda x, i, b: i.add(i, alpha=1.5), RuntimeError, ALPHA.format(1.5, "int64")),
    (lambda x, i, b: i.sub(1, alpha=1.5), RuntimeError, ALPHA.format(1.5, "int64")),
    (lambda x, i, b: b.add(b, alpha=2.0), RuntimeError, ALPHA.format(2.0, "bool")),
    (
        lambda x, i, b: i.add(torch.sparse_coo_tensor([[1]], [4], (2,)), alpha=1.5),
        RuntimeError,
        ALPHA.format(1.5, "int64"),
    ),
    (lambda x, i, b: i.add(i, alpha=True), RuntimeError, "Boolean alpha only supported for Boolean results."),
    (lambda x, i, b: b % b, NotImplementedError, f'"remainder_cpu" {NUMBERS}'),
    (lambda x, i, b: b // b, NotImplementedError, f'"div_floor_cpu" {NUMBERS}'),
    (lambda x, i, b: b.fmod(b), NotImplementedError, f'"fmod_cpu" {NUMBERS}'),
    (lambda x, i, b: b.div(b, rounding_mode="trunc"), NotImplementedError, f'"div_trunc_cpu" {NUMBERS}'),
    (lambda x, i, b: i % 0, RuntimeError, DIVIDED),
    (lambda x, i, b: i.div(torch.tensor([1, 0]), rounding_mode="trunc"), RuntimeError, DIVIDED),
    (
        lambda x, i, b: x.div(x, rounding_mode="up"),
        RuntimeError,
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
    ),
    (lambda x, i, b: x.div(x, rounding_mode=1), TypeError, "div(): argument 'rounding_mode' must be str, not int"),
    (
        lambda x, i, b: (x // 2).sum().backward(),
        RuntimeError,
        "derivative for aten::floor_divide is not implemented: that of div(…, rounding_mode='floor') is 0",
    ),
    (
        lambda x, i, b: (2 % x).sum().backward(),
        RuntimeError,
        "derivative for aten::remainder is not implemented if the number comes first: make it a tensor",
    ),
    (
        lambda x, i, b: b**b,
        NotImplementedError,
        "\"pow\" not implemented for 'Bool': make one of the two a number, x.long()",
    ),
    (lambda x, i, b: i**-1, RuntimeError, EXPONENT),
    (lambda x, i, b: b**-1, RuntimeError, EXPONENT),
    (
        lambda x, i, b: i.to(torch.int8) ** 300,
        RuntimeError,
        "value cannot be converted to type int8 without overflow: 300 is not in [-128, 127]",
    ),
    (
        lambda x, i, b: x.half() ** 1e5,
        RuntimeError,
        "value cannot be converted to type c10::Half without overflow: 100000.0",
    ),
    (lambda x, i, b: b.abs(), NotImplementedError, f'"abs_cpu" {NUMBERS}'),
    *[
        (
            lambda x, i, b, name=name: getattr(b, name)(),
            NotImplementedError,
            f"\"{name}_vml_cpu\" not implemented for 'Bool': expected numbers, such as x.long()",
        )
        for name in ("floor", "ceil", "trunc", "round")
    ],
    *[
        (call, NotImplementedError, f"\"{name}_cpu\" not implemented for 'Long': convert it first, x.float()")
        for name, call in (
            ("frac", lambda x, i, b: i.frac()),
            ("round", lambda x, i, b: i.round(decimals=1)),
        )
    ],
    (
        lambda x, i, b: x.lerp(x.float(), 0.5),
        RuntimeError,
        "expected dtype double for `end` but got dtype float: convert one, as in end.to(torch.float64)",
    ),
    (
        lambda x, i, b: x.lerp(x, x.float()),
        RuntimeError,
        "expected dtype double for `weight` but got dtype float: convert one, as in weight.to(torch.float64)",
    ),
    *[
        (
            lambda x, i, b, weight=weight: i.lerp(i, weight),
            NotImplementedError,
            f"\"lerp_kernel_{kernel}\" not implemented for 'Long': x.float()",
        )
        for weight, kernel in ((0.5, "scalar"), (torch.tensor([1, 2]), "tensor"))
    ],
    (lambda x, i, b: b.addcmul(b, b), NotImplementedError, f'"addcmul_cpu_out" {NUMBERS}'),
    (
        lambda x, i, b: x.addcdiv(i, i),
        RuntimeError,
        "Integer division with addcdiv is no longer supported: the quotient of two integer tensors is floating point. "
        "Use (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype), or a float tensor.",
    ),
    (lambda x, i, b: x.addcmul(torch.ones(3).double(), x), RuntimeError, SIZES.format(0, [2])),
    (lambda x, i, b: x.addcdiv(torch.ones(2, 2), torch.ones(3)), RuntimeError, SIZES.format(1, [2, 2])),
    (lambda x, i, b: x.lerp(x, torch.ones(3).double()), RuntimeError, SIZES.format(0, [2])),
    (lambda x, i, b: x.lerp(torch.ones(3).double(), 0.5), RuntimeError, SIZES.format(0, [2])),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors_in_full(call: Callable[[Any, Any, Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call(leaf(np.array([0.25, 0.5])), torch.tensor([1, 2]), torch.tensor([True, False]))
    assert str(caught.value) == message


# ---- dtypes ----------------------------------------------------------------------------------------------------------


def test_functions_of_integers_are_of_the_default_dtype() -> None:
    whole = torch.tensor([0, 1])
    for default in (torch.float64, torch.float32):
        torch.set_default_dtype(default)
        for method in UNARY:
            for x in (whole, whole.bool(), torch.tensor(1)):
                found = getattr(x, method)()
                assert (found.dtype, found._array.dtype) == (default, default._numpy)
                assert found.shape == x.shape
        for found in (whole.atan2(whole),):
            assert found.dtype is default


def test_functions_of_two_tensors_are_of_the_dtype_of_both() -> None:
    dtypes = (torch.float16, torch.float32, torch.float64, torch.int64, torch.bool)
    for x in [torch.ones(2, dtype=dtype) for dtype in dtypes]:
        for y in [torch.ones(2, dtype=dtype) for dtype in dtypes]:
            common = torch.result_type(x, y)
            wanted = common if common.is_floating_point else torch.get_default_dtype()
            for found in (x.atan2(y),):
                assert (found.dtype, found._array.dtype) == (wanted, wanted._numpy)
            if common.is_floating_point:
                for found in (x % y, x.fmod(y), x // y, x**y, x.add(y, alpha=2)):
                    assert (found.dtype, found._array.dtype) == (wanted, wanted._numpy)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_functions_keep_dtype_and_shape(dtype: Any) -> None:
    """Also of scalars, of which NumPy makes numbers, and with numbers that NumPy takes for float64."""
    for x in (torch.tensor(0.25, dtype=dtype), torch.full((2, 3), 0.25, dtype=dtype), torch.ones(0, 2, dtype=dtype)):
        for method in (*UNARY, *STEPS):
            found = getattr(x, method)()
            assert (found.dtype, found._array.dtype, found.shape) == (dtype, dtype._numpy, x.shape)
            assert isinstance(found._array, np.ndarray)
        for n in (2, 0, -0.5, 0.5, 1.5, True, np.float64(2), np.int64(2), np.float32(-1)):
            for found in (x**n, n**x if n != -1 else x):
                assert (found.dtype, found._array.dtype, found.shape) == (dtype, dtype._numpy, x.shape)
        for found in (
            x.round(decimals=1), x.round(decimals=-1),
            x.add(x, alpha=0.5), x.sub(0.1, alpha=2), x.lerp(x, 0.1), x.lerp(x, 0.9), x.lerp(x, x),
            x.addcmul(x, x, value=0.1), x.addcdiv(x, x, value=0.1), x % 0.1, x.fmod(0.1), x // 0.1,
        ):  # fmt: skip
            assert (found.dtype, found._array.dtype, found.shape) == (dtype, dtype._numpy, x.shape)


def test_halves_are_rounded_where_pytorch_rounds_them() -> None:
    """A scaled sum in each step; what three tensors make, and quotients by a number, once."""
    assert half(-30000).add(half(30000), alpha=3).tolist() == [INF]
    assert half(2048).add(half(1), alpha=1.5).tolist() == [2050]
    assert half(-30000).addcdiv(half(30000), half(1), value=3).tolist() == [60000]
    assert half(-30000).addcmul(half(30000), half(3)).tolist() == [60000]
    # In double precision it would be -0.016190.
    assert half(-2.12).addcdiv(half(-0.8677), half(-0.4126)).item() == half(-0.01617).item()
    assert half(60000).lerp(half(-60000), 0.25).tolist() == [30000]
    assert half(60000).lerp(half(-60000), half(0.75)).tolist() == [-30000]
    assert half(1e-7).rsqrt().tolist() == [2896]
    assert half(60000, 0.15).round(decimals=2).tolist() == half(60000, 0.15).tolist()
    assert half(7).div(0.3, rounding_mode="floor").tolist() == [23]
    assert half(7).remainder(0.3).tolist() == half(7).remainder(half(0.3)).tolist() == half(0.0989).tolist()


# ---- sums, quotients, rests ------------------------------------------------------------------------------------------


def test_scaled_sums_and_their_gradients() -> None:
    for alpha in (2, 3, -1, 0, 0.5):
        assert gradients(lambda a, b, n=alpha: a.add(b, alpha=n), [2.0], [5.0]) == [[1], [alpha]]
        assert gradients(lambda a, b, n=alpha: a.sub(b, alpha=n), [2.0], [5.0]) == [[1], [-alpha]]
        x = torch.tensor([2.0])
        assert x.add(5, alpha=alpha).tolist() == [2 + 5 * alpha]
        assert torch.add(5, x, alpha=alpha).tolist() == [5 + 2 * alpha]
        assert torch.sub(5, x, alpha=alpha).tolist() == [5 - 2 * alpha]
    flags = torch.tensor([True, False])
    assert flags.add(~flags, alpha=True).tolist() == [True, True]
    assert flags.add(~flags, alpha=False).tolist() == [True, False]
    assert flags.add(1, alpha=2).tolist() == [3, 2]
    assert torch.ones(1).add(torch.ones(1, dtype=torch.int64), alpha=0.5).tolist() == [1.5]
    entries = torch.sparse_coo_tensor([[1]], [4.0], (2,))
    assert torch.ones(2).add(entries, alpha=0.5).tolist() == [1, 3]


def test_rounded_quotients_of_integers_are_those_of_python() -> None:
    a = np.arange(-9, 10).repeat(6)
    b = np.tile([-4, -3, -1, 1, 3, 4], 19)
    for dtype in ("int8", "int16", "int32", "int64"):
        x, y = torch.from_numpy(a.astype(dtype)), torch.from_numpy(b.astype(dtype))
        pairs = list(zip(a.tolist(), b.tolist(), strict=True))
        for found, wanted in (
            (x.div(y, rounding_mode="floor"), [m // n for m, n in pairs]),
            (x.div(y, rounding_mode="trunc"), [math.trunc(m / n) for m, n in pairs]),
            (x // y, [m // n for m, n in pairs]),
            (x % y, [m % n for m, n in pairs]),
            (x.fmod(y), [int(math.fmod(m, n)) for m, n in pairs]),
        ):
            assert found.tolist() == wanted
            assert found._array.dtype == dtype
    large = torch.tensor([2**53 + 1, -(2**53) - 1])
    assert large.div(1, rounding_mode="trunc").tolist() == large.tolist()
    whole = torch.tensor([200], dtype=torch.uint8)
    assert whole.div(7, rounding_mode="trunc").tolist() == [28]
    assert torch.zeros(0, dtype=torch.int64).div(0, rounding_mode="trunc").shape == (0,)
    assert (torch.tensor([0, 3]) % torch.tensor([5, 5])).tolist() == [0, 3]
    assert (7 // torch.tensor([2, -2])).tolist() == [3, -4]
    assert (7 % torch.tensor([2, -2])).tolist() == [1, -1]


def test_rests_have_the_sign_of_the_divisor_or_of_the_dividend() -> None:
    a = torch.tensor([-7.0, -6.0, -1.5, -0.0, 0.0, 1.5, 6.0, 7.0])
    for n in (3.0, -3.0):
        rest = (a % n).numpy()
        same(rest, np.mod(a.numpy(), n))
        same((a % torch.tensor(n)).numpy(), rest)
        same((n % a[[0, 1, 2, 5, 6, 7]]).numpy(), np.mod(n, a.numpy()[[0, 1, 2, 5, 6, 7]]))
        assert np.signbit(a.fmod(n).numpy()).tolist() == [True] * 4 + [False] * 4
    # As in PyTorch, and unlike Python, a rest of 0 has the sign of the dividend.
    assert np.signbit((a % 3.0).numpy()).tolist() == [False, True, False, True, False, False, False, False]
    assert np.signbit((a % -3.0).numpy()).tolist() == [True, True, True, True, False, True, False, True]
    same((torch.tensor([5.0, -5.0]) % INF).numpy(), [5, INF])
    same((torch.tensor([5.0, -5.0]) % -INF).numpy(), [-INF, -5])
    same((torch.tensor([1.0, 0.0]) % 0.0).numpy(), [NAN, NAN])
    same(torch.tensor([-7.5, 7.5]).div(2, rounding_mode="trunc").numpy(), [-3, 3])
    same(torch.tensor([-7.5, 7.5]).div(2, rounding_mode="floor").numpy(), [-4, 3])
    same((torch.tensor([1.0, -1.0, 0.0]) // 0.0).numpy(), [INF, -INF, NAN])


def test_gradients_of_quotients_and_rests() -> None:
    """A rest is `a - b * quotient`, and the quotient is constant between its jumps."""
    a, b = [7.0, -7.0, 7.0], [3.0, 3.0, -3.0]
    assert gradients(lambda x, y: x % y, a, b) == [[1, 1, 1], [-2, 3, 3]]
    assert gradients(lambda x, y: x.fmod(y), a, b) == [[1, 1, 1], [-2, 2, 2]]
    for mode in ("floor", "trunc"):
        for call in (
            lambda x, y, mode=mode: x.div(y, rounding_mode=mode) * INF,
            lambda x, y, mode=mode: x.div(3, rounding_mode=mode) + torch.div(3, y, rounding_mode=mode),
        ):
            assert gradients(call, a, b) == [[0, 0, 0], [0, 0, 0]]
    assert gradients(lambda x: x % 3, a) == gradients(lambda x: x.fmod(3), a) == [[1, 1, 1]]


# ---- powers ----------------------------------------------------------------------------------------------------------


def test_integers_to_the_power_of_integers() -> None:
    """As in PyTorch, 1 over a power is rounded to 0, but for powers of 1 and -1."""
    base = torch.tensor([-1, -1, 0, 1, 2, -2, 3, -3, 1, 2])
    exponent = torch.tensor([-1, -2, -1, -3, -1, -2, 2, 3, 0, 0])
    assert (base**exponent).tolist() == [-1, 1, 0, 1, 0, 0, 9, -27, 1, 1]
    assert (2 ** torch.tensor([-1, 0, 3])).tolist() == [0, 1, 8]
    assert (torch.tensor([2, 1], dtype=torch.int8) ** torch.tensor([-1, -1], dtype=torch.int8)).tolist() == [0, 1]
    assert (torch.tensor([2, 3]) ** torch.tensor([5, 2])).tolist() == [32, 9]
    assert (torch.tensor([True, False]) ** 2).tolist() == [1, 0]
    assert (torch.tensor([True, False]) ** True).dtype is torch.bool
    assert (torch.tensor([True, False]) ** False).tolist() == [True, True]
    found = torch.tensor([1, 4]) ** 0.5
    assert (found.dtype, found.tolist()) == (torch.float32, [1, 2])
    assert (torch.tensor([2, 3]) ** 0).tolist() == [1, 1]
    assert (torch.tensor([2], dtype=torch.uint8) ** 3).dtype is torch.uint8


def test_the_power_of_minus_a_half_is_one_over_the_root() -> None:
    """To the last bit, as in PyTorch."""
    x = torch.from_numpy(np.random.default_rng(0).uniform(0, 9, 1000).astype(np.float32))
    same((x**-0.5).numpy(), np.reciprocal(np.sqrt(x.numpy())))
    assert (torch.tensor([0.0, -1.0, 4.0]) ** 0.5)[[0, 2]].tolist() == [0, 2]
    assert (torch.tensor([4.0]) ** -1.5).tolist() == [0.125]
    assert (torch.tensor([0.5]) ** 1e300).tolist() == [0]


def test_gradients_of_powers_at_zero() -> None:
    zeros = torch.zeros(3).double()
    assert gradients(lambda x: x ** torch.tensor([0.0, 0.0, 1.0, 2.0]).double(), [0.0, NAN, 0.0, 0.0]) == [[0, 0, 1, 0]]
    assert gradients(lambda x: zeros**x, [0.0, 2.0, -1.0]) == [[0, 0, -INF]]
    assert gradients(lambda x: 0**x, [0.0, 2.0, -1.0]) == [[0, 0, -INF]]
    assert gradients(lambda x: 2**x, [0.0, 1.0]) == [[math.log(2), 2 * math.log(2)]]
    assert gradients(lambda x: x**0, [0.0, INF, NAN, 1.0]) == [[0, 0, 0, 0]]
    assert gradients(lambda x: x**1, [0.0, 3.0]) == [[1, 1]]
    assert gradients(lambda x: x**0.5, [0.0]) == [[INF]]
    assert gradients(lambda x, y: x**y, [2.0], [3.0]) == [[12], [8 * math.log(2)]]


# ---- functions of one number -----------------------------------------------------------------------------------------


def test_functions_of_what_is_not_finite() -> None:
    for method, wanted in (
        ("sigmoid", [0, 1, NAN, 0.5]),
        ("tanh", [-1, 1, NAN, 0]),
        ("sign", [-1, 1, 0, 0]),
        ("sgn", [-1, 1, 0, 0]),
        ("abs", [INF, INF, NAN, 0]),
        ("rsqrt", [NAN, 0, NAN, INF]),
        ("reciprocal", [0, 0, NAN, INF]),
        ("erf", [-1, 1, NAN, 0]),
    ):
        same(getattr(torch.tensor([-INF, INF, NAN, 0.0]), method)().numpy(), wanted)
    assert gradients(torch.abs, [0.0, NAN, -2.0, INF]) == [[0, 0, -1, 1]]
    for method in ("sign", "sgn", "floor", "ceil", "trunc", "round"):
        assert gradients(lambda x, name=method: getattr(x, name)() * INF, [0.5, NAN]) == [[0, 0]]
    assert gradients(lambda x: x.round(decimals=1), [0.5, NAN]) == [[0, 0]]
    assert gradients(torch.frac, [0.5, -1.5]) == [[1, 1]]


def test_integers_and_bools_are_rounded_already_and_copied() -> None:
    for method in ("floor", "ceil", "trunc", "round"):
        x = torch.tensor([-3, 0, 3])
        found = getattr(x, method)()
        assert (found.dtype, found.tolist()) == (torch.int64, [-3, 0, 3])
        found.zero_()
        assert x.tolist() == [-3, 0, 3]
    flags = torch.tensor([True, False])
    found = flags.sign()
    found.zero_()
    assert (found.dtype, flags.tolist()) == (torch.bool, [True, False])
    assert torch.tensor([-3, 0, 3]).sign().tolist() == [-1, 0, 1]
    assert torch.tensor([3, 0], dtype=torch.uint8).sgn().tolist() == [1, 0]


@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 2, 3])
def test_rounding_to_decimals(decimals: int) -> None:
    """To the even one of two."""
    x = np.array([0.0, 1234.5678, -1234.5678, 25.0, 35.0, -2.5, 0.125, 0.375, 250.0])
    np.testing.assert_allclose(torch.from_numpy(x).round(decimals=decimals).numpy(), np.round(x, decimals), rtol=1e-15)


# ---- slopes ----------------------------------------------------------------------------------------------------------

CURVES: dict[str, Callable[[Any], Any]] = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "erf": torch.erf,
    "softplus": F.softplus,
    "logsigmoid": F.logsigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu, tanh": lambda x: F.gelu(x, approximate="tanh"),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", CURVES)
def test_slopes_are_the_same_before_and_after_the_graph_is_let_go(name: str, dtype: str) -> None:
    """A gradient is linear in its cotangent, with the same slopes whether they were kept or are computed anew."""
    data = np.random.default_rng(0).standard_normal((4, 3)).astype(dtype)
    for array in (data, data.T, np.asarray(data[0, 0]), data[:, ::2], data[:0]):
        x, g, h = leaf(np.array(array)), leaf(np.full_like(array, 2)), torch.from_numpy(np.full_like(array, 4))
        y = CURVES[name](x)
        with torch.no_grad():
            np.testing.assert_array_equal(CURVES[name](x).numpy(), y.detach().numpy(), strict=True)
        (kept,) = torch.autograd.grad(y, x, g, create_graph=True, retain_graph=True)
        (twice,) = torch.autograd.grad(kept, g, h, retain_graph=True)
        (dx,) = torch.autograd.grad(y, x, g, create_graph=True, retain_graph=False)
        (dg,) = torch.autograd.grad(dx, g, h)
        np.testing.assert_array_equal(dx.detach().numpy(), kept.detach().numpy(), strict=True)
        np.testing.assert_array_equal(dg.numpy(), 2 * dx.detach().numpy(), strict=True)
        np.testing.assert_array_equal(dg.numpy(), twice.numpy(), strict=True)
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            torch.autograd.grad(y, x, g)


def test_what_can_be_worked_on_is_taken_as_it_is() -> None:
    for x in (np.ones((2, 3)), np.ones(2, np.float32), np.ones((0, 2))):
        assert curves.workable(x) is x
        assert curves.restored(x, x) is x
    for x in (np.ones(()), np.ones((), np.float16), np.ones((2, 3), np.float16)):
        wide = curves.workable(x)
        assert (wide.shape, wide.dtype) == (x.shape or (1,), np.float64 if x.dtype == np.float64 else np.float32)
        np.testing.assert_array_equal(curves.restored(wide, x), x, strict=True)


# ---- functions of two numbers ----------------------------------------------------------------------------------------


def test_angles_lengths_and_sums_of_exponentials() -> None:
    assert gradients(torch.atan2, [0.0, 0.0, 1.0], [0.0, 2.0, 0.0]) == [[0, 0.5, 0], [0, 0, -1]]


# ---- of three tensors ------------------------------------------------------------------------------------------------


def test_both_ends_of_an_interpolation_are_reached() -> None:
    """To the last bit, where `a + w * (b - a)` would be off."""
    a, b = torch.tensor([0.1, 1e8, -3.0]), torch.tensor([0.7, 0.1, 1e8])
    for number, wanted in ((0, a), (1, b)):
        assert a.lerp(b, number).tolist() == wanted.tolist()
        assert a.lerp(b, torch.tensor(float(number))).tolist() == wanted.tolist()
        assert a.lerp(b, torch.full((3,), float(number))).tolist() == wanted.tolist()
    for w in (-2.0, -0.625, -0.5, -0.25, 0.25, 0.5, 0.75, 1.5):
        a, b = torch.tensor([2.0]), torch.tensor([10.0])
        assert a.lerp(b, w).tolist() == a.lerp(b, torch.tensor([w])).tolist() == [2 + 8 * w]
    # From the middle on, the end is the nearer one.
    start, end = np.random.default_rng(0).uniform(-4, 4, (2, 1000)).astype(np.float32)
    a, b = torch.from_numpy(start), torch.from_numpy(end)
    for weight in (0.5, torch.tensor(0.5)):
        same(a.lerp(b, weight).numpy(), end - (end - start) * np.float32(0.5))
    # A weight without dimensions may be of another dtype.
    found = torch.ones(2).lerp(torch.zeros(2), torch.tensor(0.25, dtype=torch.float64))
    assert (found.dtype, found.tolist()) == (torch.float32, [0.75, 0.75])


def test_gradients_of_three_tensors_go_where_they_are_asked_for() -> None:
    """To each in its own shape, and to none that asks for none."""
    for call, wanted in (
        (lambda a, b, c: a.lerp(b, c), (3 * (1 - 3), 3 * 3, 5 - 2)),
        (lambda a, b, c: a.addcmul(b, c, value=0.5), (3, 3 * 1.5, 2.5)),
        (lambda a, b, c: a.addcdiv(b, c, value=0.5), (3, 3 * 0.5 / 3, -0.5 * 5 / 9)),
    ):
        data = [np.array([[2.0]]), np.array(5.0), np.array([3.0])]
        for asked in range(3):
            tensors = [leaf(x) if i == asked else torch.from_numpy(x) for i, x in enumerate(data)]
            found = call(*[t.expand(1, 3) if i < 2 else t for i, t in enumerate(tensors)])
            scale = 1 if asked < 2 else 1 / 3
            found.sum().backward()
            assert tensors[asked].grad.shape == data[asked].shape
            np.testing.assert_allclose(tensors[asked].grad.numpy() * scale, np.full(data[asked].shape, wanted[asked]))
            ends = [end for end, _ in found.grad_fn.next_functions]
            assert [end is not None for end in ends] == [i == asked for i in range(3)]


def test_three_tensors_meet_in_one_dtype() -> None:
    whole, real, wide = torch.tensor([4]), torch.tensor([0.5]), torch.tensor([0.25]).double()
    for found, dtype, value in (
        (whole.addcmul(whole, whole), torch.int64, 20),
        (whole.addcmul(whole, whole, value=1.5), torch.int64, 20),
        (whole.addcmul(whole, real), torch.float32, 6),
        (whole.addcdiv(whole, real), torch.float32, 12),
        (whole.addcdiv(real, whole), torch.float32, 4.125),
        (real.addcdiv(wide, whole, value=2), torch.float64, 0.625),
    ):
        assert (found.dtype, found._array.dtype, found.item()) == (dtype, dtype._numpy, value)
    found = kinds.in_common_dtype(whole, None, wide)
    assert found[1] is None
    assert [each.dtype for each in found[::2]] == [torch.float64] * 2
    assert torch.tensor([4]).clamp(None, torch.tensor([2.5])).tolist() == [2.5]
