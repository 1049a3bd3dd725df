"""Hypothesis profiles, and the check that every test leaves the global state as it found it."""

import gc
import os

# On a busy machine, threads that wait for each other are slower than one; it has to be said before NumPy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

import minigrad
from minigrad.tensors import printing

# Nearly all that is made to collect the tests stays: the garbage collector would look at it again and again.
gc.disable()

# What Hypothesis remembers does not lie in the checkout.
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "minigrad-hypothesis")

# The deadline is off: on a busy machine it measures the neighbours.  Tests restore what they change themselves,
# for each example, so that the fixture below may run once per test.  Default runs draw the same everywhere; only
# `thorough` draws anew each time.
settings.register_profile(
    "dev", max_examples=15, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("ci", parent=settings.get_profile("dev"), max_examples=60)
settings.register_profile("thorough", parent=settings.get_profile("dev"), max_examples=1000, derandomize=False)
# A mutant dies at the first example that fails: nobody reads the smallest.
settings.register_profile("mutation", parent=settings.get_profile("dev"), phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") == "true" else "dev"))

# A generator that was never drawn from has another state than after it was.
minigrad.rand(1)


def _global_state() -> dict[str, Any]:
    return {
        "grad mode": minigrad.is_grad_enabled(),
        "default dtype": minigrad.get_default_dtype(),
        "print options": printing._options,
        "generator": minigrad.get_rng_state().numpy().tobytes(),
    }


@pytest.fixture(autouse=True)
def _same_state_after() -> Iterator[None]:
    """Fail a test that leaves grad mode, default dtype, print options or the generator changed; restore them."""
    before = _global_state()
    yield
    after = _global_state()
    minigrad.set_grad_enabled(before["grad mode"])
    minigrad.set_default_dtype(before["default dtype"])
    printing._options = before["print options"]
    if after["generator"] != before["generator"]:
        minigrad.set_rng_state(minigrad.from_numpy(np.frombuffer(bytearray(before["generator"]), np.uint8)))
    changed = [name for name, value in before.items() if after[name] != value]
    assert not changed, f"the test changed the {', '.join(changed)}"


@pytest.fixture
def seeded() -> Iterator[None]:
    """The default generator starts from the seed 0, and goes on afterwards where it was."""
    state = minigrad.get_rng_state()
    minigrad.manual_seed(0)
    yield
    minigrad.set_rng_state(state)


NO_TORCH = find_spec("torch") is None


@pytest.fixture(params=["minigrad"] if NO_TORCH else ["minigrad", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    """minigrad, and PyTorch, which says whether what is on record is right."""
    if request.param == "minigrad":
        return minigrad
    torch = import_module("torch")
    if torch.cuda.is_available():
        pytest.skip("what is on record comes from a machine without a graphics processor")
    return torch


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was not tested, and for want of what."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter([report.longrepr[2].removeprefix("Skipped: ") for report in reports])
    if reasons or NO_TORCH:
        terminalreporter.section("not tested")
    if NO_TORCH:
        terminalreporter.write_line(
            "PyTorch is not installed: minigrad was compared with what PyTorch gave when it was asked"
        )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5}  {reason}")
