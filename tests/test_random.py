"""The random numbers are PyTorch's: recorded values everywhere, and PyTorch itself where it is installed."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import random as minirandom
from minigrad.random import Generator
from minigrad.tensors import distributions as draws

try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="compares with PyTorch, which is not installed")


def _torch_draws_from_mkl() -> bool:
    cpu = Path("/proc/cpuinfo")
    intel = "GenuineIntel" in cpu.read_text() if cpu.exists() else False
    return torch is not None and torch.backends.mkl.is_available() and intel


MKL = _torch_draws_from_mkl()
one_stream = pytest.mark.skipif(
    MKL, reason="on Intel processors PyTorch draws bernoulli_ and exponential_ from MKL's stream"
)

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
SEEDS = st.integers(-(2**63), 2**64 - 1)
SIZES = st.one_of(st.sampled_from([0, 1, 2, 15, 16, 17, 31, 32, 33, 48]), st.integers(0, 200))
SHAPES = st.one_of(SIZES.map(lambda n: (n,)), st.lists(st.integers(1, 7), max_size=3).map(tuple))


def generator(seed: int) -> Generator:
    return Generator().manual_seed(seed)


def ulps(a: np.ndarray, b: np.ndarray) -> int:
    """The largest number of representable steps between two arrays of one floating dtype."""
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert np.isfinite(a).all()
    assert np.isfinite(b).all()

    def rank(x: np.ndarray) -> list[int]:
        # The bits of a float read as sign and magnitude count the floats between it and zero.
        bits = np.ascontiguousarray(x).view(f"i{x.itemsize}").ravel().tolist()
        magnitude = 2 ** (8 * a.itemsize - 1) - 1
        return [n if n >= 0 else -(n & magnitude) for n in bits]

    return max((abs(m - n) for m, n in zip(rank(a), rank(b), strict=True)), default=0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_ulps_count_representable_steps(dtype: str) -> None:
    x = np.array([-1.5, -0.0, 0.0, 1.0, 3.0], dtype)
    up = np.nextafter(x, x.dtype.type(np.inf))
    assert ulps(x, x) == 0
    assert ulps(x, up) == 1
    assert ulps(np.nextafter(x, x.dtype.type(-np.inf)), up) == 2
    assert ulps(np.array([-0.0], dtype), np.array([0.0], dtype)) == 0
    assert ulps(np.array([1.0], dtype), np.array([2.0], dtype)) == 2 ** np.finfo(dtype).nmant


# Recorded from PyTorch 2.13.0: seed, then what each draw from that seed gives.
RECORDED: list[tuple[int, dict[str, list[float]]]] = [
    (
        0,
        {
            "rand": [0.49625658988952637, 0.7682217955589294, 0.08847743272781372, 0.13203048706054688],
            "rand64": [0.9700530018065531, 0.707819864399788],
            "randint": [44, 239, 933, 760],
            "wide": [-358231004625, -593374360384],
            "randperm": [4, 0, 7, 3, 2, 5, 1, 6],
            "bernoulli": [0, 0, 1, 0, 0, 0, 1, 1],
            "bernoulli_array": [1, 0, 1, 1, 1, 0, 1, 0],
            "exponential": [1.754163093353821, 0.6151923820898384, 0.30752204694700574],
            "replaced": [3, 3, 3, 3, 3, 3],
            "distinct": [1, 3, 0],
            "serial": [1.5409961082440433, -0.2934289057609464, -2.1787893820745574],
        },
    ),
    (
        42,
        {
            "rand": [0.8822692632675171, 0.9150039553642273, 0.38286375999450684, 0.9593056440353394],
            "rand64": [0.05815448596142969, 0.06291016742457756],
            "randint": [542, 67, 876, 414],
            "wide": [-658003837517, 395924837646],
            "randperm": [6, 3, 0, 7, 2, 1, 4, 5],
            "bernoulli": [1, 1, 1, 1, 0, 1, 0, 0],
            "bernoulli_array": [0, 0, 1, 0, 1, 0, 1, 0],
            "exponential": [0.029957007845401073, 0.03248806439669265, 0.06595838999204529],
            "replaced": [0, 0, 0, 0, 3, 3],
            "distinct": [3, 1, 0],
            "serial": [0.33669035438385886, 0.1288094051365897, 0.23446236336153173],
        },
    ),
    (
        2**40 + 7,
        {
            "rand": [0.5349225401878357, 0.19880318641662598, 0.6592116951942444, 0.6568902730941772],
            "rand64": [0.279380429906404, 0.27369371365176565],
            "randint": [615, 892, 721, 286],
            "wide": [-346915937084, -990767470090],
            "randperm": [7, 0, 3, 4, 1, 5, 2, 6],
            "bernoulli": [1, 1, 0, 0, 0, 0, 1, 0],
            "bernoulli_array": [0, 1, 0, 0, 1, 1, 1, 0],
            "exponential": [0.1638219614915395, 0.1598917355510892, 0.9905877271394761],
            "replaced": [1, 1, 3, 3, 3, 3],
            "distinct": [1, 3, 0],
            "serial": [-0.1467950974849952, 0.7861412987235358, 0.9468216090039564],
        },
    ),
]
RANDN_17_OF_SEED_42 = [
    1.9269152879714966, -0.1595974713563919, -0.4973975419998169, 0.439589262008667, -0.7581311464309692,
    1.078317642211914, 0.8008005619049072, 1.680620551109314, 0.3558599054813385, 1.2964228391647339,
    0.610466480255127, 1.334737777709961, -0.2316243201494217, 0.041759490966796875, -0.2515752911567688,
    0.859858512878418, -0.3097267746925354,
]  # fmt: skip


@pytest.mark.parametrize(("seed", "recorded"), RECORDED)
def test_recorded_values(seed: int, recorded: dict[str, list[float]]) -> None:
    weights = np.array([1.0, 2.0, 0.0, 4.0], "float32")
    drawn = {
        "rand": draws.uniform_(np.empty(4, "float32"), 0.0, 1.0, generator(seed)),
        "rand64": draws.uniform_(np.empty(2), 0.0, 1.0, generator(seed)),
        "randint": draws.random_(np.empty(4, "int64"), 0, 1000, generator(seed)),
        "wide": draws.random_(np.empty(2, "int64"), -(2**40), 2**40, generator(seed)),
        "randperm": draws.randperm(8, generator(seed)),
        "bernoulli": draws.bernoulli_(np.empty(8), 0.5, generator(seed)),
        "bernoulli_array": draws.bernoulli_(np.empty(8), np.full(8, 0.5, "float32"), generator(seed)),
        "exponential": draws.exponential_(np.empty(3), 2.0, generator(seed)),
        "replaced": draws.multinomial(weights, 6, True, generator(seed)),
        "distinct": draws.multinomial(weights, 3, False, generator(seed)),
    }
    assert {name: values.tolist() for name, values in drawn.items()} == {
        name: values for name, values in recorded.items() if name != "serial"
    }
    serial = draws.normal_(np.empty(3), 0.0, 1.0, generator(seed))
    # The C library's sine and logarithm decide the last bits.
    assert ulps(serial, np.array(recorded["serial"])) <= 2


def test_recorded_block_of_normals() -> None:
    values = draws.normal_(np.empty(17, "float32"), 0.0, 1.0, generator(42))
    assert ulps(values, np.array(RANDN_17_OF_SEED_42, "float32")) <= 4


def test_never_seeded() -> None:
    assert Generator().initial_seed() == 67280421310721
    values = draws.uniform_(np.empty(2, "float32"), 0.0, 1.0, Generator())
    assert values.tolist() == [0.267295241355896, 0.8725283145904541]


def test_module_functions_govern_the_default_generator() -> None:
    before = copy.deepcopy(minirandom.default_generator)
    try:
        assert minirandom.manual_seed(-5) is minirandom.default_generator
        assert minirandom.initial_seed() == 2**64 - 5
        assert minirandom.manual_seed(np.array(7)).initial_seed() == 7
        assert 0 <= minirandom.seed() == minirandom.initial_seed() < 2**64
        assert minirandom.seed() != minirandom.seed()
    finally:
        minirandom.default_generator._seed = before._seed
        minirandom.default_generator._engines = before._engines
        minirandom.default_generator._waiting_normals = before._waiting_normals


@given(SEEDS, st.integers(0, 5))
def test_copies_continue_alike_and_apart(seed: int, drawn: int) -> None:
    original = generator(seed)
    draws.normal_(np.empty(drawn), 0.0, 1.0, original)
    copies = [original.clone_state(), copy.copy(original).clone_state(), pickle.loads(pickle.dumps(original))]
    expected = draws.normal_(np.empty(5), 0.0, 1.0, original).tolist()
    for each in copies:
        assert each.initial_seed() == original.initial_seed()
        assert draws.normal_(np.empty(5), 0.0, 1.0, each).tolist() == expected


@given(SEEDS)
def test_manual_seed_forgets_the_waiting_normal(seed: int) -> None:
    fresh = draws.normal_(np.empty(3), 0.0, 1.0, generator(seed)).tolist()
    used = generator(seed)
    draws.normal_(np.empty(1), 0.0, 1.0, used)
    assert draws.normal_(np.empty(3), 0.0, 1.0, used.manual_seed(seed)).tolist() == fresh


def test_long_arrays_are_the_same_in_any_number_of_draws() -> None:
    # More than one batch, and a size that no step divides.
    size = 2 * 2**20 + 12345
    whole = draws.uniform_(np.empty(size, "float32"), 0.0, 1.0, generator(3))
    source = generator(3)
    parts = [draws.uniform_(np.empty(n, "float32"), 0.0, 1.0, source) for n in (size // 3, size - size // 3)]
    assert (whole == np.concatenate(parts)).all()


def test_import_leaves_numpy_random_alone() -> None:
    code = (
        "import sys, numpy; before = 'numpy.random' in sys.modules\n"
        "import minigrad.random, minigrad.tensors.distributions\n"
        "sys.exit(('numpy.random' in sys.modules) != before)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def outcome(call: Any) -> tuple[type, str]:
    with pytest.raises((RuntimeError, ValueError, NotImplementedError)) as caught:
        call()
    return caught.type, str(caught.value)


empty, W = np.empty, np.array
ERRORS: list[tuple[Any, type, str]] = [
    (lambda g: g.manual_seed(2**64), ValueError, "Overflow when unpacking long long"),
    (lambda g: g.manual_seed(-(2**63) - 1), ValueError, "Overflow when unpacking long long"),
    (lambda g: g.manual_seed(1.5), RuntimeError, "manual_seed expected a long, but got float"),
    (lambda g: g.manual_seed(True), RuntimeError, "manual_seed expected a long, but got bool"),
    (lambda g: Generator("foo"), RuntimeError, "Expected one of cpu"),
    (lambda g: draws.uniform_(empty(3), 1, 0, g), RuntimeError,
     "uniform_ expects to return a [from, to) range, but found from=1 > to=0"),
    (lambda g: draws.uniform_(empty(3, "f4"), 0, 1e39, g), RuntimeError,
     "uniform_ expects to return a [from, to) range"),
    (lambda g: draws.uniform_(empty(3, "f2"), float("nan"), 1, g), RuntimeError,
     "uniform_ expects to return a [from, to) range"),
    (lambda g: draws.uniform_(empty(3, "f4"), -3e38, 3e38, g), RuntimeError,
     "uniform_ expects to return a [from, to) range"),
    (lambda g: draws.uniform_(empty(3, "i8"), 0, 1, g), NotImplementedError,
     "\"check_uniform_bounds\" not implemented for 'Long'"),
    (lambda g: draws.normal_(empty(3), 0, -1, g), RuntimeError,
     "normal expects std >= 0.0, but found std -1"),
    (lambda g: draws.normal_(empty(3, "?"), 0, 1, g), NotImplementedError,
     "\"normal_kernel_cpu\" not implemented for 'Bool'"),
    (lambda g: draws.exponential_(empty(3), 0, g), RuntimeError,
     "exponential_ expects lambda > 0.0, but found lambda=0"),
    (lambda g: draws.exponential_(empty(3, "i8"), 1, g), RuntimeError,
     "Exponential distribution is a continuous probability distribution. "
     "dtype must be a floating point but you specified Long"),
    (lambda g: draws.bernoulli_(empty(3), 1.5, g), RuntimeError,
     "bernoulli_ expects p to be in [0, 1], but got p=1.5"),
    (lambda g: draws.bernoulli_(empty(2), W([0.5, 1.5]), g), RuntimeError,
     "Expected p_in >= 0 && p_in <= 1 to be true, but got false"),
    (lambda g: draws.bernoulli_(empty(2), W([0, 1]), g), NotImplementedError,
     "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'"),
    (lambda g: draws.random_(empty(3), 5, 5, g), RuntimeError,
     "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
    (lambda g: draws.random_(empty(3, "u1"), 0, 300, g), RuntimeError,
     "to - 1 is out of bounds for unsigned char"),
    (lambda g: draws.random_(empty(3, "u1"), -1, 3, g), RuntimeError,
     "from is out of bounds for unsigned char"),
    (lambda g: draws.random_(empty(3, "f2"), 0, 2050, g), RuntimeError,
     "to - 1 is out of bounds for c10::Half"),
    (lambda g: draws.random_(empty(3, "i8"), 0, 2**63, g), ValueError, "Overflow when unpacking long long"),
    (lambda g: draws.randperm(-1, g), RuntimeError,
     "Trying to create tensor with negative dimension -1: [-1]"),
    (lambda g: draws.randperm(2**28, g), NotImplementedError, "randperm shuffles fewer than"),
    (lambda g: draws.uniform_(np.lib.stride_tricks.as_strided(empty(1), (3,), (0,)), 0, 1, g), RuntimeError,
     "unsupported operation: more than one element of the written-to tensor refers to a single memory"),
    (lambda g: draws.multinomial(W([1.0, -1]), 1, False, g), RuntimeError,
     "probability tensor contains either `inf`, `nan` or element < 0"),
    (lambda g: draws.multinomial(W([1.0, np.nan]), 2, True, g), RuntimeError,
     "invalid multinomial distribution (encountering probability entry < 0)"),
    (lambda g: draws.multinomial(W([1.0, np.inf]), 2, True, g), RuntimeError,
     "invalid multinomial distribution (encountering probability entry = infinity or NaN)"),
    (lambda g: draws.multinomial(W([[1.0, 2], [0, 0]]), 2, True, g), RuntimeError,
     "invalid multinomial distribution (sum of probabilities <= 0)"),
    (lambda g: draws.multinomial(W([[1.0, 2], [0, 0]]), 1, True, g), RuntimeError,
     "invalid multinomial distribution (sum of probabilities <= 0)"),
    (lambda g: draws.multinomial(W([1.0, 2]), 3, False, g), RuntimeError,
     "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
    (lambda g: draws.multinomial(W([1.0, 2]), 0, True, g), RuntimeError,
     "cannot sample n_sample <= 0 samples"),
    (lambda g: draws.multinomial(W(1.0), 1, True, g), RuntimeError, "prob_dist must be 1 or 2 dim"),
    (lambda g: draws.multinomial(W([1, 2]), 1, True, g), RuntimeError,
     "multinomial only supports floating-point dtypes for input, got: Long"),
]  # fmt: skip


def test_draws_with_a_number_have_no_derivative() -> None:
    y = minigrad.ones(3, requires_grad=True).bernoulli(0.5, generator=minigrad.Generator())
    assert outcome(y.sum().backward) == (RuntimeError, "derivative for aten::bernoulli is not implemented")


@pytest.mark.parametrize(("call", "kind", "leading"), ERRORS)
def test_errors_are_pytorchs(call: Any, kind: type, leading: str) -> None:
    found, message = outcome(lambda: call(Generator()))
    assert found is kind
    assert message.startswith(leading)


# What follows draws the same from both.  A draw is a triple: what it is called, and how each side does it.


def twin(array: np.ndarray) -> Any:
    """A PyTorch tensor of the same shape, dtype and strides, with memory of its own."""
    strides = [stride // array.itemsize for stride in array.strides]
    return torch.empty_strided(array.shape, strides, dtype=getattr(torch, array.dtype.name)).zero_()


@st.composite
def arrays(draw: Any, dtypes: list[str]) -> np.ndarray:
    """Zeros of any layout: contiguous, transposed, or every other row of something larger."""
    shape = draw(SHAPES)
    array = np.zeros(shape, draw(st.sampled_from(dtypes)))
    layout = draw(st.sampled_from(["contiguous", "transposed", "strided"]))
    if layout == "transposed":
        array = np.zeros(shape, array.dtype).transpose(draw(st.permutations(range(len(shape)))))
    elif layout == "strided" and shape:
        array = np.zeros((2 * shape[0], *shape[1:]), array.dtype)[::2]
    return array


BOUNDS = st.tuples(st.floats(-9, 9, width=32), st.floats(0, 9, width=32)).map(lambda t: (t[0], t[0] + t[1]))
SCALES = st.sampled_from([(0.0, 1.0), (0.0, 0.02), (1.3, 0.7), (-2.0, 1.0), (1.0, 0.0), (0.0, 0.0)])


@st.composite
def uniforms(draw: Any) -> tuple[Any, ...]:
    low, high = draw(st.one_of(st.just((0.0, 1.0)), BOUNDS))
    return ("uniform", draw(arrays(FLOATS)), (low, high))


@st.composite
def normals(draw: Any) -> tuple[Any, ...]:
    return ("normal", draw(arrays(FLOATS)), draw(SCALES))


@st.composite
def integers(draw: Any) -> tuple[Any, ...]:
    array = draw(arrays(INTEGERS + FLOATS))
    most = 2 ** (np.finfo(array.dtype).nmant + 1) if array.dtype.kind == "f" else np.iinfo(array.dtype).max
    least = -most if array.dtype.kind == "f" else int(np.iinfo(array.dtype).min)
    spans = (1, 2, 7, 100, 2**28 - 1, 2**28, 2**28 + 1, 2**32, int(most) - least)
    span = draw(st.sampled_from([n for n in spans if n <= most - least]))
    low = draw(st.integers(least, int(most) - span))
    return ("random", array, (low, low + span))


@st.composite
def bernoullis(draw: Any) -> tuple[Any, ...]:
    return ("bernoulli", draw(arrays([*INTEGERS, *FLOATS, "bool"])), (draw(st.floats(0, 1)),))


@st.composite
def bernoulli_arrays(draw: Any) -> tuple[Any, ...]:
    array = draw(arrays([*INTEGERS, *FLOATS, "bool"]))
    seed = draw(st.integers(0, 9))
    p = np.random.RandomState(seed).random_sample(array.shape)
    return ("bernoulli_array", array, (np.asarray(p, draw(st.sampled_from(FLOATS))),))


@st.composite
def exponentials(draw: Any) -> tuple[Any, ...]:
    return ("exponential", draw(arrays(FLOATS)), (draw(st.floats(0.125, 8)),))


@st.composite
def permutations(draw: Any) -> tuple[Any, ...]:
    return ("randperm", np.zeros(0), (draw(st.integers(0, 300)),))


@st.composite
def multinomials(draw: Any, replacement: bool) -> tuple[Any, ...]:
    rows, columns = draw(st.sampled_from([(), (1,), (3,)])), draw(st.integers(1, 20))
    # In half precision scores tie, and PyTorch leaves the order of ties open: float32 and float64 alone.
    dtype = draw(st.sampled_from(FLOATS if replacement else FLOATS[1:]))
    source = np.random.RandomState(draw(st.integers(0, 9)))
    weights = (source.random_sample((*rows, columns)) + 0.01).astype(dtype)
    if replacement:
        weights[..., : columns - 1][source.random_sample((*rows, columns - 1)) < 0.3] = 0
    count = draw(st.integers(2, 30) if replacement else st.integers(1, columns))
    return ("multinomial", weights, (count, replacement))


def drawn_here(name: str, array: np.ndarray, arguments: tuple[Any, ...], source: Generator) -> np.ndarray:
    if name == "randperm":
        return draws.randperm(*arguments, source)
    if name == "multinomial":
        return draws.multinomial(array, *arguments, source)
    method = getattr(draws, name.removesuffix("_array") + "_")
    # In memory of its own with the array's strides, so that an example may be run again.
    memory = np.zeros(_span(array), array.dtype)
    mine = np.lib.stride_tricks.as_strided(memory, array.shape, array.strides)
    result = method(mine, *arguments, source)
    assert result is mine
    return mine


def _span(array: np.ndarray) -> int:
    extent = sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True) if n)
    return 1 + extent // array.itemsize


def drawn_there(name: str, array: np.ndarray, arguments: tuple[Any, ...], source: Any) -> np.ndarray:
    if name == "randperm":
        return torch.randperm(*arguments, generator=source).numpy()
    if name == "multinomial":
        return torch.multinomial(torch.from_numpy(array.copy()), *arguments, generator=source).numpy()
    arguments = tuple(torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments)
    return getattr(twin(array), name.removesuffix("_array") + "_")(*arguments, generator=source).numpy()


def assert_same(name: str, arguments: tuple[Any, ...], mine: np.ndarray, theirs: np.ndarray) -> None:
    assert mine.dtype == theirs.dtype
    assert mine.shape == theirs.shape
    if name == "normal" and mine.size >= 16 and mine.flags.c_contiguous:
        mean, _ = arguments
        if mean == 0.0:
            assert ulps(mine, theirs) <= (1 if mine.dtype == np.float16 else 4)
        else:
            # Near zero, mean and deviation cancel: four steps at the size of the larger of mean and result.
            step = np.spacing(np.maximum(np.abs(theirs), mine.dtype.type(abs(mean))))
            assert (np.abs(mine - theirs) <= 4 * step).all()
    else:
        np.testing.assert_array_equal(mine, theirs)


PLAIN = [uniforms(), normals(), integers(), bernoulli_arrays(), permutations(), multinomials(True)]
MKL_ON_INTEL = [bernoullis(), exponentials(), multinomials(False)]


def check_sequence(seed: int, sequence: list[tuple[Any, ...]]) -> None:
    mine, theirs = generator(seed), torch.Generator().manual_seed(seed)
    assert mine.initial_seed() == theirs.initial_seed()
    for name, array, arguments in sequence:
        here = drawn_here(name, array, arguments, mine)
        assert_same(name, arguments, here, drawn_there(name, array, arguments, theirs))
    # The streams stand at the same number afterwards, and the same second normal waits in both.
    for name, arguments in (("normal", (0.0, 1.0)), ("uniform", (0.0, 1.0))):
        here = drawn_here(name, np.zeros(1), arguments, mine)
        np.testing.assert_array_equal(here, drawn_there(name, np.zeros(1), arguments, theirs))


@needs_torch
@settings(max_examples=150, deadline=None)
@given(SEEDS, st.lists(st.one_of(PLAIN), max_size=8))
def test_sequences_of_draws(seed: int, sequence: list[tuple[Any, ...]]) -> None:
    check_sequence(seed, sequence)


@needs_torch
@one_stream
@settings(max_examples=150, deadline=None)
@given(SEEDS, st.lists(st.one_of(*PLAIN, *MKL_ON_INTEL), max_size=8))
def test_sequences_of_all_draws(seed: int, sequence: list[tuple[Any, ...]]) -> None:
    check_sequence(seed, sequence)


@needs_torch
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [15, 16, 17, 31, 32, 33, 100_003])
def test_normals_of_every_kind_of_size(dtype: str, size: int) -> None:
    first, second = np.zeros(size, dtype), np.zeros(3, dtype)
    check_sequence(11, [("normal", first, (0.0, 1.0)), ("normal", second, (1.3, 0.7))])


@needs_torch
def test_normals_longer_than_a_batch() -> None:
    check_sequence(12, [("normal", np.zeros(2**20 + 70_001, "float32"), (0.0, 0.02))])


@needs_torch
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 2 * draws._STEP + 1])
def test_permutations_of_every_kind_of_size(n: int) -> None:
    check_sequence(14, [("randperm", np.zeros(0), (n,))])


@needs_torch
def test_halves_are_rounded_as_pytorch_rounds_them() -> None:
    check_sequence(15, [("uniform", np.zeros(100_003, "float16"), (0.0, 1.0))])
    weights = np.random.RandomState(0).random_sample((2, 1000)).astype("float16")
    check_sequence(15, [("multinomial", weights, (40, True))])


@needs_torch
@one_stream
def test_halves_are_rounded_twice() -> None:
    check_sequence(7, [("exponential", np.zeros(100_003, "float16"), (1.3,))])


def test_threads_that_draw_first_draw_different_numbers() -> None:
    code = (
        "import concurrent.futures, minigrad as T\n"
        "with concurrent.futures.ThreadPoolExecutor(4) as pool:\n"
        "    drawn = list(pool.map(lambda _: tuple(T.rand(3).tolist()), range(64)))\n"
        "assert len({*drawn}) == 64"
    )
    for _ in range(3):
        subprocess.run([sys.executable, "-c", code], check=True)
