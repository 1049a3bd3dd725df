"""The printed form is PyTorch's, character for character: what cannot be a row of the table, and drawn tensors."""

import contextlib
import inspect
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as npst
from strategies import DTYPES, FLOATS, Array, arrays

from minigrad.core import dtypes
from minigrad.tensors import printing


@pytest.fixture(autouse=True)
def _print_options_and_default_dtype_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_options", printing._options)
    monkeypatch.setattr(dtypes, "_default", dtypes._default)


def test_default_dtype_is_not_shown() -> None:
    dtypes.set_default_dtype(dtypes.float64)
    assert printing.tensor_text(np.ones(1)) == "tensor([1.])"
    assert printing.tensor_text(np.zeros(0)) == "tensor([])"
    assert printing.tensor_text(np.ones(1, np.float32)) == "tensor([1.], dtype=torch.float32)"
    assert printing.tensor_text(np.zeros(0, np.float32)) == "tensor([], dtype=torch.float32)"


def test_only_the_elements_shown_are_read() -> None:
    # Its 10**18 elements are one float in memory; reading them all would take centuries.
    endless = np.broadcast_to(np.float32(0.5), (10**9, 10**9))
    row = "[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]"
    rows = f",\n{' ' * 8}".join([row, row, row, "...", row, row, row])
    assert printing.tensor_text(endless) == f"tensor([{rows}])"


# Drawn tensors, against PyTorch.

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


def small_arrays(names: Sequence[str] = DTYPES) -> st.SearchStrategy[Array]:
    """Arrays whose every element is drawn by itself: whole numbers, reals, and extremes."""
    kinds: list[dict[str, bool]] = [{}, {"integer": False}, {"special": True}]
    return st.one_of([arrays(st.sampled_from(names), small_shapes, **kind) for kind in kinds])


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
def views(draw: st.DrawFn) -> Array:
    """Small and large arrays, contiguous or transposed, reversed, strided, repeated."""
    array = draw(small_arrays() | large_arrays())
    if array.ndim == 0:
        return array
    found = [array, array.T, array[::-1], array[..., ::2], array[1:], np.broadcast_to(array, (2, *array.shape))]
    return draw(st.sampled_from(found))


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs PyTorch")


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
@given(array=views(), options=options_often_default)
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
@given(array=small_arrays(FLOATS), options=options_often_default, letters=st.integers(0, 90))
def test_graph_is_shown_as_pytorch_shows_it(torch: Any, array: Array, options: dict[str, Any], letters: int) -> None:
    leaf = torch.from_numpy(array).requires_grad_()
    # Every length of the node's name, so that lines break at every place.
    methods = {"forward": staticmethod(lambda ctx, tensor: tensor.clone())}
    function: Any = type("N" * letters, (torch.autograd.Function,), methods)
    result = function.apply(leaf)
    name = type(result.grad_fn).__name__
    with same_options(torch, options):
        assert printing.tensor_text(array, ["requires_grad=True"]) == repr(leaf)
        assert printing.tensor_text(array, [f"grad_fn=<{name}>"]) == repr(result)


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
