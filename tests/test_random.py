"""Generators: copies, seeds, long draws, threads; what each draw gives is in the rows of the table."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import check_same_values, seeded
from hypothesis import given, strategies as st

import minigrad
from minigrad import random as minirandom
from minigrad.random import Generator

SEEDS = st.integers(-(2**63), 2**64 - 1)


def generator(seed: int) -> Generator:
    return Generator().manual_seed(seed)


def test_module_functions_govern_the_default_generator() -> None:
    with seeded(0):
        assert minirandom.manual_seed(-5) is minirandom.default_generator
        assert minirandom.initial_seed() == 2**64 - 5
        assert minirandom.manual_seed(np.array(7)).initial_seed() == 7


@given(SEEDS, st.integers(0, 5))
def test_copies_continue_alike_and_apart(seed: int, drawn: int) -> None:
    original = generator(seed)
    minirandom.normal_(np.empty(drawn), 0.0, 1.0, original)
    again = pickle.loads(pickle.dumps(original))
    copies = [original.clone_state(), copy.copy(original).clone_state(), copy.deepcopy(original), again]
    expected = minirandom.normal_(np.empty(5), 0.0, 1.0, original).tolist()
    for each in copies:
        assert each.initial_seed() == original.initial_seed()
        assert minirandom.normal_(np.empty(5), 0.0, 1.0, each).tolist() == expected


@given(SEEDS)
def test_manual_seed_forgets_the_waiting_normal(seed: int) -> None:
    fresh = minirandom.normal_(np.empty(3), 0.0, 1.0, generator(seed)).tolist()
    used = generator(seed)
    minirandom.normal_(np.empty(1), 0.0, 1.0, used)
    assert minirandom.normal_(np.empty(3), 0.0, 1.0, used.manual_seed(seed)).tolist() == fresh


def test_long_arrays_are_the_same_in_any_number_of_draws() -> None:
    # More than one batch, and a size that no step divides.
    size = 2 * 2**20 + 12345
    whole = minirandom.uniform_(np.empty(size, "float32"), 0.0, 1.0, generator(3))
    source = generator(3)
    parts = [minirandom.uniform_(np.empty(n, "float32"), 0.0, 1.0, source) for n in (size // 3, size - size // 3)]
    assert (whole == np.concatenate(parts)).all()


# Draws of more than a step or a batch: of PyTorch and of minigrad the same.
LONG: list[tuple[int, Callable[[Any, Any], Any]]] = [
    (4, lambda api, g: api.randn(100_003, generator=g)),
    (4, lambda api, g: api.zeros(2**20 + 70_001).normal_(0.0, 0.02, generator=g)),
    (0, lambda api, g: api.randperm(2 * minirandom._STEP + 1, generator=g)),
    (0, lambda api, g: api.rand(100_003, dtype=api.float16, generator=g)),
    (0, lambda api, g: api.randint(-5, 2**40, (100_003,), generator=g)),
]


@pytest.mark.parametrize(("ulps", "draw"), LONG)
def test_long_draws_are_pytorchs(ulps: float, draw: Callable[[Any, Any], Any]) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    wanted, got = [draw(api, api.Generator().manual_seed(11)).numpy() for api in (torch, minigrad)]
    check_same_values(wanted, got, ulps)


def test_threads_that_draw_first_draw_different_numbers() -> None:
    code = (
        "import concurrent.futures, minigrad as T\n"
        "with concurrent.futures.ThreadPoolExecutor(4) as pool:\n"
        "    drawn = list(pool.map(lambda _: tuple(T.rand(3).tolist()), range(64)))\n"
        "assert len({*drawn}) == 64"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
