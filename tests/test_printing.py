"""The printed form is PyTorch's, character for character: recorded texts, drawn tensors, broken copies."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import math
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.tensors import printing


def f16(*values: float) -> Array:
    return np.array(values, "float16")


def f32(*values: float) -> Array:
    return np.array(values, "float32")


def f64(*values: float) -> Array:
    return np.array(values, "float64")


# Texts that PyTorch 2.13 printed: the array, the print options, what else there is to print, the text.
RECORDED: dict[str, tuple[Array, dict[str, Any], dict[str, Any], str]] = {
    "scalar_float": (np.array(1.5, "float32"), {}, {}, "tensor(1.5000)"),
    "scalar_integral_float": (np.array(3, "float32"), {}, {}, "tensor(3.)"),
    "scalar_int": (np.array(-7, "int64"), {}, {}, "tensor(-7)"),
    "scalar_bool": (np.array(True, "bool"), {}, {}, "tensor(True)"),
    "scalar_nan": (np.array(np.nan, "float32"), {}, {}, "tensor(nan)"),
    "scalar_beyond_threshold": (np.array(0.5, "float32"), {"threshold": 0}, {}, "tensor(0.5000)"),
    "fixed": (f32(0.1, -22.5, 3), {}, {}, "tensor([  0.1000, -22.5000,   3.0000])"),
    "float16_value": (f16(0.1, 1000), {}, {}, "tensor([9.9976e-02, 1.0000e+03], dtype=torch.float16)"),
    "float32_value_in_double": (f32(0.1), {"precision": 12}, {}, "tensor([0.100000001490])"),
    "float64_value": (f64(0.1), {"precision": 12}, {}, "tensor([0.100000000000], dtype=torch.float64)"),
    "integral": (f32(1, -20, 0), {}, {}, "tensor([  1., -20.,   0.])"),
    "integral_nonfinite": (f32(100, np.nan, np.inf, -np.inf), {}, {}, "tensor([100.,  nan,  inf, -inf])"),
    "nonfinite_have_no_width": (f32(1, np.nan, -np.inf, -0.0), {}, {}, "tensor([1., nan, -inf, -0.])"),
    "nonfinite_fixed": (f32(0.5, np.nan, -np.inf, -0.0), {}, {}, "tensor([0.5000,    nan,   -inf, -0.0000])"),
    "only_zeros": (f32(0, -0.0), {}, {}, "tensor([0., -0.])"),
    "only_zeros_sci": (f32(0, np.nan), {"sci_mode": True}, {}, "tensor([0., nan])"),
    "zeros_overflow_line": (
        np.zeros(12, "float32"),
        {"linewidth": 40},
        {},
        "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.,\n        0.])",
    ),
    "ratio_1000": (f32(0.5, 500), {}, {}, "tensor([  0.5000, 500.0000])"),
    "ratio_above_1000": (f32(0.5, 501), {}, {}, "tensor([5.0000e-01, 5.0100e+02])"),
    "ratio_of_magnitudes": (f32(-0.5, 501), {}, {}, "tensor([-5.0000e-01,  5.0100e+02])"),
    "ratio_integral": (f32(1, 1001), {}, {}, "tensor([1.0000e+00, 1.0010e+03])"),
    "largest_fixed": (f64(1e8), {}, {}, "tensor([100000000.], dtype=torch.float64)"),
    "above_1e8": (f64(100000001), {}, {}, "tensor([1.0000e+08], dtype=torch.float64)"),
    "smallest_fixed": (f64(1e-4), {}, {}, "tensor([0.0001], dtype=torch.float64)"),
    "below_1e_4": (f64(9.9e-5), {}, {}, "tensor([9.9000e-05], dtype=torch.float64)"),
    "subnormal": (f64(5e-324, 0.0), {}, {}, "tensor([4.9407e-324,  0.0000e+00], dtype=torch.float64)"),
    "infinite_ratio": (
        f64(1.5e-300, 1e300),
        {},
        {},
        "tensor([1.5000e-300, 1.0000e+300], dtype=torch.float64)",
    ),
    "float16_subnormal": (f16(6e-8, 65504), {}, {}, "tensor([5.9605e-08, 6.5504e+04], dtype=torch.float16)"),
    "sci_nonfinite": (
        f32(1e-5, np.nan, -np.inf, -0.0),
        {},
        {},
        "tensor([1.0000e-05,        nan,       -inf, -0.0000e+00])",
    ),
    "sci_forced": (f32(1, 2), {"sci_mode": True}, {}, "tensor([1.0000e+00, 2.0000e+00])"),
    "sci_forbidden": (f32(0.5, 1e9), {"sci_mode": False}, {}, "tensor([         0.5000, 1000000000.0000])"),
    "sci_precision_2": (f32(1e-5), {"precision": 2}, {}, "tensor([1.00e-05])"),
    "precision_0": (f32(0.5, 1.5), {"precision": 0}, {}, "tensor([0, 2])"),
    "ints": (np.array([1, -20, 300]), {}, {}, "tensor([  1, -20, 300])"),
    "bools": (np.array([True, False]), {}, {}, "tensor([ True, False])"),
    "uint8": (np.array([255, 0], "uint8"), {}, {}, "tensor([255,   0], dtype=torch.uint8)"),
    "int8": (np.array([-128], "int8"), {}, {}, "tensor([-128], dtype=torch.int8)"),
    "int16": (np.array([-128], "int16"), {}, {}, "tensor([-128], dtype=torch.int16)"),
    "int32": (np.array([-128], "int32"), {}, {}, "tensor([-128], dtype=torch.int32)"),
    "empty": (f32(), {}, {}, "tensor([])"),
    "empty_int64": (np.zeros(0, "int64"), {}, {}, "tensor([], dtype=torch.int64)"),
    "empty_bool": (np.zeros((0, 2), bool), {}, {}, "tensor([], size=(0, 2), dtype=torch.bool)"),
    "empty_2d": (np.zeros((2, 0), "float32"), {}, {}, "tensor([], size=(2, 0))"),
    "empty_float64_grad": (
        np.zeros((2, 0, 3)),
        {},
        {"requires_grad": True},
        "tensor([], size=(2, 0, 3), dtype=torch.float64, requires_grad=True)",
    ),
    "matrix": (np.arange(6).reshape(2, 3), {}, {}, "tensor([[0, 1, 2],\n        [3, 4, 5]])"),
    "wrapped": (
        np.arange(30) * 100,
        {},
        {},
        "tensor([   0,  100,  200,  300,  400,  500,  600,  700,  800,  900, 1000, 1100,\n"
        "        1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000, 2100, 2200, 2300,\n"
        "        2400, 2500, 2600, 2700, 2800, 2900])",
    ),
    "wrapped_full_line": (
        np.full(19, 10),
        {"linewidth": 47},
        {},
        "tensor([10, 10, 10, 10, 10, 10, 10, 10, 10, 10,\n        10, 10, 10, 10, 10, 10, 10, 10, 10])",
    ),
    "wrapped_narrow": (np.arange(3), {"linewidth": 5}, {}, "tensor([0,\n        1,\n        2])"),
    "wrapped_matrix": (
        np.full((2, 8), 10),
        {"linewidth": 31},
        {},
        "tensor([[10, 10, 10, 10, 10,\n         10, 10, 10],\n        [10, 10, 10, 10, 10,\n         10, 10, 10]])",
    ),
    "four_dims": (
        np.arange(16).reshape(2, 2, 2, 2),
        {},
        {},
        "tensor([[[[ 0,  1],\n"
        "          [ 2,  3]],\n"
        "\n"
        "         [[ 4,  5],\n"
        "          [ 6,  7]]],\n"
        "\n"
        "\n"
        "        [[[ 8,  9],\n"
        "          [10, 11]],\n"
        "\n"
        "         [[12, 13],\n"
        "          [14, 15]]]])",
    ),
    "at_threshold": (np.arange(8), {"threshold": 8}, {}, "tensor([0, 1, 2, 3, 4, 5, 6, 7])"),
    "beyond_threshold": (np.arange(1001), {}, {}, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    "summary_matrix": (
        np.arange(1100).reshape(11, 100),
        {},
        {},
        "tensor([[   0,    1,    2,  ...,   97,   98,   99],\n"
        "        [ 100,  101,  102,  ...,  197,  198,  199],\n"
        "        [ 200,  201,  202,  ...,  297,  298,  299],\n"
        "        ...,\n"
        "        [ 800,  801,  802,  ...,  897,  898,  899],\n"
        "        [ 900,  901,  902,  ...,  997,  998,  999],\n"
        "        [1000, 1001, 1002,  ..., 1097, 1098, 1099]])",
    ),
    "summary_short_dims": (
        np.arange(5 * 201).reshape(5, 201),
        {},
        {},
        "tensor([[   0,    1,    2,  ...,  198,  199,  200],\n"
        "        [ 201,  202,  203,  ...,  399,  400,  401],\n"
        "        [ 402,  403,  404,  ...,  600,  601,  602],\n"
        "        [ 603,  604,  605,  ...,  801,  802,  803],\n"
        "        [ 804,  805,  806,  ..., 1002, 1003, 1004]])",
    ),
    "summary_keeps_2_edges": (
        np.arange(12 * 6).reshape(12, 6),
        {"threshold": 10},
        {},
        "tensor([[ 0,  1,  2,  3,  4,  5],\n"
        "        [ 6,  7,  8,  9, 10, 11],\n"
        "        [12, 13, 14, 15, 16, 17],\n"
        "        ...,\n"
        "        [54, 55, 56, 57, 58, 59],\n"
        "        [60, 61, 62, 63, 64, 65],\n"
        "        [66, 67, 68, 69, 70, 71]])",
    ),
    "summary_3d": (
        np.arange(7**3).reshape(7, 7, 7),
        {"threshold": 9, "edgeitems": 1},
        {},
        "tensor([[[  0,  ...,   6],\n"
        "         ...,\n"
        "         [ 42,  ...,  48]],\n"
        "\n"
        "        ...,\n"
        "\n"
        "        [[294,  ..., 300],\n"
        "         ...,\n"
        "         [336,  ..., 342]]])",
    ),
    "summary_width_of_edges": (
        np.r_[0, 1, np.full(9, 12345), 2, 3],
        {"threshold": 5, "edgeitems": 2},
        {},
        "tensor([0, 1,  ..., 2, 3])",
    ),
    "summary_notation_of_edges": (
        np.r_[f32(1, 2), f32(1e12, 0.1, 3), f32(4, 5)],
        {"threshold": 5, "edgeitems": 2},
        {},
        "tensor([1., 2.,  ..., 4., 5.])",
    ),
    "summary_wrapped": (
        np.arange(2000) + 0.5,
        {},
        {},
        "tensor([5.0000e-01, 1.5000e+00, 2.5000e+00,  ..., 1.9975e+03, 1.9985e+03,\n"
        "        1.9995e+03], dtype=torch.float64)",
    ),
    "profile_short": (
        np.arange(1001) / 8,
        {"profile": "short"},
        {},
        "tensor([  0.00,   0.12,  ..., 124.88, 125.00], dtype=torch.float64)",
    ),
    "no_edges": (np.arange(2000).reshape(2, 1000), {"edgeitems": 0}, {}, "tensor([...], size=(2, 1000))"),
    "no_edges_vector": (np.arange(2000), {"edgeitems": 0}, {}, "tensor([...], size=(2000,))"),
    "no_edges_in_full": (np.arange(3), {"edgeitems": 0}, {}, "tensor([0, 1, 2], size=(3,))"),
    "no_edges_empty": (np.zeros(0, "float32"), {"edgeitems": 0}, {}, "tensor([])"),
    "no_edges_scalar": (np.array(2, "float32"), {"edgeitems": 0}, {}, "tensor(2., size=())"),
    "requires_grad": (f32(1), {}, {"requires_grad": True}, "tensor([1.], requires_grad=True)"),
    "dtype_before_grad": (
        f64(1),
        {},
        {"requires_grad": True},
        "tensor([1.], dtype=torch.float64, requires_grad=True)",
    ),
    "grad_fn": (f32(1, 2), {}, {"grad_fn": "MulBackward0"}, "tensor([1., 2.], grad_fn=<MulBackward0>)"),
    "grad_fn_alone": (
        f32(1, 2),
        {},
        {"grad_fn": "MulBackward0", "requires_grad": True},
        "tensor([1., 2.], grad_fn=<MulBackward0>)",
    ),
    "fact_fits": (
        np.full(4, 0.25, "float32"),
        {"linewidth": 61},
        {"requires_grad": True},
        "tensor([0.2500, 0.2500, 0.2500, 0.2500], requires_grad=True)",
    ),
    "fact_too_long": (
        np.full(4, 0.25, "float32"),
        {"linewidth": 60},
        {"requires_grad": True},
        "tensor([0.2500, 0.2500, 0.2500, 0.2500],\n       requires_grad=True)",
    ),
    "second_fact_fits": (
        f64(0.25, 0.25, 0.25),
        {"linewidth": 50},
        {"grad_fn": "MulBackward0"},
        "tensor([0.2500, 0.2500, 0.2500],\n       dtype=torch.float64, grad_fn=<MulBackward0>)",
    ),
    "second_fact_too_long": (
        f64(0.25, 0.25, 0.25),
        {"linewidth": 49},
        {"grad_fn": "MulBackward0"},
        "tensor([0.2500, 0.2500, 0.2500],\n       dtype=torch.float64,\n       grad_fn=<MulBackward0>)",
    ),
    "fact_after_last_line": (
        np.full((2, 4), 0.25, "float32"),
        {"linewidth": 61},
        {"requires_grad": True},
        "tensor([[0.2500, 0.2500, 0.2500, 0.2500],\n"
        "        [0.2500, 0.2500, 0.2500, 0.2500]],\n"
        "       requires_grad=True)",
    ),
    "fact_after_wrapped_line": (
        np.full(8, 0.25),
        {"linewidth": 60},
        {},
        "tensor([0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500,\n        0.2500, 0.2500], dtype=torch.float64)",
    ),
    "most_on_a_line": (
        np.full(4, 0.25, "float32"),
        {"linewidth": 39},
        {},
        "tensor([0.2500, 0.2500, 0.2500, 0.2500])",
    ),
    "one_fewer_on_a_line": (
        np.full(4, 0.25, "float32"),
        {"linewidth": 38},
        {},
        "tensor([0.2500, 0.2500, 0.2500,\n        0.2500])",
    ),
    "profile_full": (
        np.arange(3),
        {"profile": "full", "linewidth": 10},
        {},
        "tensor([0,\n        1,\n        2])",
    ),
}


@pytest.fixture(autouse=True)
def _print_options_and_default_dtype_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_options", printing._options)
    monkeypatch.setattr(dtypes, "_default", dtypes._default)


# Texts on record: no PyTorch needed.


@pytest.mark.parametrize(("array", "options", "keywords", "text"), RECORDED.values(), ids=RECORDED)
def test_text_is_the_recorded_one(array: Array, options: dict[str, Any], keywords: dict[str, Any], text: str) -> None:
    printing.set_printoptions(**options)
    assert printing.tensor_text(array, **keywords) == text


def test_default_dtype_is_not_shown() -> None:
    dtypes.set_default_dtype(dtypes.float64)
    assert printing.tensor_text(f64(1)) == "tensor([1.])"
    assert printing.tensor_text(f64()) == "tensor([])"
    assert printing.tensor_text(f32(1)) == "tensor([1.], dtype=torch.float32)"
    assert printing.tensor_text(f32()) == "tensor([], dtype=torch.float32)"


def test_lines_are_indented_by_the_length_of_the_prefix() -> None:
    printing.set_printoptions(linewidth=24)
    text = "Rows([[1., 1., 1., 1.],\n      [1., 1., 1., 1.]],\n     dtype=torch.float64)"
    assert printing.tensor_text(np.ones((2, 4)), prefix="Rows(") == text


def test_full_profile_shows_every_element() -> None:
    printing.set_printoptions(profile="full")
    text = printing.tensor_text(np.arange(1001))
    assert text.removeprefix("tensor([").removesuffix("])").split(",")[1000].strip() == "1000"


def test_what_a_call_leaves_out_keeps_its_value_but_for_sci_mode() -> None:
    printing.set_printoptions(precision=2, sci_mode=True)
    assert printing.tensor_text(f32(0.5)) == "tensor([5.00e-01])"
    printing.set_printoptions(threshold=5)
    assert printing.tensor_text(f32(0.5)) == "tensor([0.50])"


def test_only_the_elements_shown_are_read() -> None:
    # Its 10**18 elements are one float in memory; reading them all would take centuries.
    endless = np.broadcast_to(np.float32(0.5), (10**9, 10**9))
    row = "[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]"
    rows = f",\n{' ' * 8}".join([row, row, row, "...", row, row, row])
    assert printing.tensor_text(endless) == f"tensor([{rows}])"


def test_examples_in_the_docstrings_run() -> None:
    failed, attempted = doctest.testmod(printing)
    assert attempted
    assert not failed


# Copies with one mistake each: what stands in the source, and what the copy has in its place.
BROKEN: dict[str, tuple[str, str]] = {
    "default precision": ("precision: int = 4", "precision: int = 5"),
    "sci_mode is kept": ("**given, sci_mode=sci_mode)", "**given, sci_mode=sci_mode or _options.sci_mode)"),
    "profile ignored": ("_PROFILES.get(profile, _options)", "_options"),
    "summary from the threshold on": ("array.size <= options.threshold", "array.size < options.threshold"),
    "summary without need": ("if n > 2 * edge", "if n > edge"),
    "summary forgets the end": ("range(n - edge, n)", "range(edge, 2 * edge)"),
    "notation from all elements": ("shown.ravel()", "array.ravel()"),
    "rows ignore the outer brackets": (" - (array.ndim - 1)", ""),
    "comma is not counted": ('(width + len(", "))', "(width + 1)"),
    "line is never full": ("columns //", "(columns - 1) //"),
    "flush left": ("rjust", "ljust"),
    "width of nonfinites": ("in decisive), default=1", "in values), default=1"),
    "zeros are decisive": ("if value and math.isfinite(value)]", "if math.isfinite(value)]"),
    "point after nan": ('(point if math.isfinite(value) else "")', "point"),
    "ratio is 1000": ("greatest / least > 1000", "greatest / least >= 1000"),
    "ratio is forgotten": ("greatest / least > 1000 or ", ""),
    "signed magnitudes": ("[abs(value) for", "[value for"),
    "greatest is 1e8": ("greatest > 1e8", "greatest >= 1e8"),
    "least is 1e-4": ("least < 1e-4", "least <= 1e-4"),
    "integers never scientific": ("if scientific:", "if scientific and not values[0].is_integer():"),
    "some are integers": ("all(value.is", "any(value.is"),
    "one blank line": ('"\\n" * max(1, ndim - 1 - axis)', '"\\n" * min(2, max(1, ndim - 1 - axis))'),
    "dots without their space": ('" ..." if along_lines else "..."', '"..."'),
    "rows not indented": ("(indent + axis + 1)", "(indent + 1)"),
    "size is always evident": ("if shape_is_hidden", "if False"),
    "dtype of int64 shown": ("evident += [dtypes.int64, dtypes.bool_]", "evident += [dtypes.bool_]"),
    "dtype of bool shown": ("evident += [dtypes.int64, dtypes.bool_]", "evident += [dtypes.int64]"),
    "dtype of empty hidden": ("if array.size:\n        evident", "if True:\n        evident"),
    "grad_fn and requires_grad": ("elif requires_grad", "if requires_grad"),
    "first line as long as it is": (" + 1) + 2\n", " + 1)\n"),
    "length of all lines": ('(text.rfind("\\n") + 1)', "0"),
    "comma before facts": ("column = indent + len(fact)", 'column = indent + len(fact) + len(", ")'),
    "every fact on its line": ("column += len(", "column += 80 + len("),
}


@pytest.mark.parametrize(("right", "wrong"), BROKEN.values(), ids=BROKEN)
def test_broken_copy_is_rejected(right: str, wrong: str) -> None:
    source = inspect.getsource(printing)
    assert source.count(right) == 1, "the mistake no longer fits the source"
    copy = types.ModuleType(printing.__name__)
    exec(source.replace(right, wrong), copy.__dict__)
    assert any(not _agrees(copy, *case) for case in RECORDED.values())


def _agrees(
    module: types.ModuleType, array: Array, options: dict[str, Any], keywords: dict[str, Any], text: str
) -> bool:
    module.set_printoptions(profile="default", sci_mode=True)
    module.set_printoptions(**options)
    try:
        return bool(module.tensor_text(array, **keywords) == text)
    except (ArithmeticError, TypeError, ValueError):
        return False


# Drawn tensors, against PyTorch.

FLOATS = ["float16", "float32", "float64"]
DTYPES = [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "bool"]
SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0]
LARGE_SHAPES = [(1000,), (1001,), (2500,), (3, 400), (40, 60), (1001, 1), (11, 12, 13), (2, 3, 5, 70)]

small_shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9)
print_options = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 10),
        "threshold": st.integers(-1, 2000) | st.integers(0, 30) | st.just(math.inf),
        "edgeitems": st.integers(0, 5),
        "linewidth": st.integers(0, 200),
        "profile": st.sampled_from(["default", "short", "full", "unknown"]),
        "sci_mode": st.none() | st.booleans(),
    },
)
# Most drawn tensors print with the options that most tensors print with.
options_often_default: st.SearchStrategy[dict[str, Any]] = st.just({}) | print_options
many = settings(max_examples=5 * settings().max_examples, deadline=None)


@st.composite
def small_arrays(draw: st.DrawFn, names: Sequence[str] = DTYPES) -> Array:
    """Arrays whose every element is drawn by itself: extremes, subnormals and specials are likely."""
    dtype = np.dtype(draw(st.sampled_from(names)))
    any_element: st.SearchStrategy[Any] = npst.from_dtype(dtype)
    if dtype.kind == "f":
        width: Any = dtype.itemsize * 8
        integers = st.integers(-2000, 2000).map(float)
        usual = st.floats(-2000.0, 2000.0, width=width)
        any_element = draw(st.sampled_from([any_element, integers, usual]))
        any_element = draw(st.sampled_from([any_element, any_element | st.sampled_from(SPECIALS)]))
    return draw(npst.arrays(dtype, draw(small_shapes), elements=any_element, fill=st.nothing()))


@st.composite
def large_arrays(draw: st.DrawFn) -> Array:
    """Arrays filled from a seed, of magnitudes in a drawn range; some floats are integers or special."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(st.sampled_from(LARGE_SHAPES))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype.kind != "f":
        bits = draw(st.integers(1, dtype.itemsize * 8 - 1))
        return generator.integers(0, 2**bits, shape, dtype=np.uint64).astype(dtype)
    low, high = sorted(draw(st.tuples(st.integers(-12, 12), st.integers(-12, 12))))
    values = generator.choice([-1.0, 1.0], shape) * 10 ** generator.uniform(low, high, shape)
    if draw(st.booleans()):
        values = values.round()
    if draw(st.booleans()):
        values = np.where(generator.random(shape) < 0.3, generator.choice(SPECIALS, shape), values)
    with np.errstate(over="ignore"):
        return values.astype(dtype)


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """Small and large arrays, contiguous or transposed, reversed, strided, repeated."""
    array = draw(small_arrays() | large_arrays())
    if array.ndim == 0:
        return array
    views = [
        array,
        array.T,
        array[::-1],
        array[..., ::2],
        array[1:],
        np.broadcast_to(array, (2, *array.shape)),
    ]
    return draw(st.sampled_from(views))


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", reason="the text expected is the one that PyTorch prints")


@contextlib.contextmanager
def same_options(torch: Any, options: dict[str, Any]) -> Iterator[None]:
    """Both print with these options, from the defaults up, until the block ends."""
    ours = printing._options
    with torch._tensor_str.printoptions(profile="default"):
        printing.set_printoptions(profile="default")
        torch.set_printoptions(**options)
        printing.set_printoptions(**options)
        try:
            yield
        finally:
            printing._options = ours


@many
@given(array=arrays(), options=options_often_default)
def test_text_is_pytorchs(torch: Any, array: Array, options: dict[str, Any]) -> None:
    with same_options(torch, options):
        assert printing.tensor_text(array) == repr(torch.from_numpy(array.copy()))


@given(array=small_arrays(), default=st.sampled_from(FLOATS))
def test_dtype_is_shown_where_pytorch_shows_it(torch: Any, array: Array, default: str) -> None:
    before, ours = torch.get_default_dtype(), dtypes.get_default_dtype()
    try:
        torch.set_default_dtype(getattr(torch, default))
        dtypes.set_default_dtype(getattr(dtypes, default))
        with same_options(torch, {}):
            assert printing.tensor_text(array) == repr(torch.from_numpy(array.copy()))
    finally:
        torch.set_default_dtype(before)
        dtypes.set_default_dtype(ours)


@many
@given(
    array=small_arrays(FLOATS),
    options=options_often_default,
    letters=st.integers(0, 90),
)
def test_graph_is_shown_as_pytorch_shows_it(torch: Any, array: Array, options: dict[str, Any], letters: int) -> None:
    leaf = torch.from_numpy(array).requires_grad_()
    # Every length of the node's name, so that lines break at every place.
    methods = {"forward": staticmethod(lambda ctx, tensor: tensor.clone())}
    function: Any = type("N" * letters, (torch.autograd.Function,), methods)
    result = function.apply(leaf)
    name = type(result.grad_fn).__name__
    with same_options(torch, options):
        assert printing.tensor_text(array, requires_grad=True) == repr(leaf)
        assert printing.tensor_text(array, requires_grad=True, grad_fn=name) == repr(result)


@given(array=small_arrays(), options=options_often_default, letters=st.integers(1, 40))
def test_subclass_prints_under_its_name(torch: Any, array: Array, options: dict[str, Any], letters: int) -> None:
    subclass = type("T" * letters, (torch.Tensor,), {})
    tensor = torch.from_numpy(array).as_subclass(subclass)
    with same_options(torch, options):
        assert printing.tensor_text(array, prefix="T" * letters + "(") == repr(tensor)


@given(calls=st.lists(print_options, max_size=4))
def test_options_are_pytorchs_after_any_calls(torch: Any, calls: list[dict[str, Any]]) -> None:
    with same_options(torch, {}):
        for options in calls:
            torch.set_printoptions(**options)
            printing.set_printoptions(**options)
            assert printing._options._asdict() == torch._tensor_str.get_printoptions()


def test_signature_is_pytorchs(torch: Any) -> None:
    ours, theirs = (inspect.signature(module.set_printoptions) for module in (printing, torch))
    assert [(each.name, each.default) for each in ours.parameters.values()] == [
        (each.name, each.default) for each in theirs.parameters.values()
    ]
