"""Workloads, whether their implementations agree, and how long they take."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import minigrad

try:
    import torch
except ImportError:
    torch = None

Array: TypeAlias = np.ndarray[Any, Any]

#: Settings under which each side computes in one thread.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

#: What is timed; it returns what has to agree.
Step: TypeAlias = Callable[[], Sequence[Any]]

#: Makes of `minigrad` or `torch` what is timed.
Program: TypeAlias = Callable[[Any], Step]


class Workload(NamedTuple):
    """`make(*sizes)` gives the floor and the program; `tiny` are sizes to test with; `ops` are recorded."""

    name: str
    make: Callable[..., tuple[Step, Program]]
    sizes: tuple[int, ...]
    tiny: tuple[int, ...]
    ops: int | None


class Timing(NamedTuple):
    """Seconds per call: the quartiles of all rounds."""

    lower: float
    median: float
    upper: float


class Result(NamedTuple):
    """What was measured: timings, and the largest difference from the floor, relative to the largest number."""

    name: str
    timings: dict[str, Timing]
    difference: float
    ops: int | None

    def ratio(self, side: str, to: str) -> float | None:
        """How many times as long `side` takes as `to`; None where one was not measured."""
        found = [self.timings[each].median for each in (side, to) if each in self.timings]
        return found[0] / found[1] if len(found) == 2 else None


#: All workloads, in the order in which they are defined.
WORKLOADS: list[Workload] = []


def workload(
    name: str, *sizes: tuple[int, ...], tiny: tuple[int, ...], ops: int | None = None
) -> Callable[[Callable[..., tuple[Step, Program]]], Callable[..., tuple[Step, Program]]]:
    """Let the function below be a workload of each of the `sizes`, which are its arguments and fill in its name."""

    def define(make: Callable[..., tuple[Step, Program]]) -> Callable[..., tuple[Step, Program]]:
        WORKLOADS.extend([Workload(name.format(*each), make, each, tiny, ops) for each in sizes])
        return make

    return define


# ---- what workloads are made of --------------------------------------------------------------------------------------


def normal(*shape: int, seed: int = 0) -> Array:
    """Draws from the normal distribution, in float32."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def uniform_ids(count: int, vocabulary: int) -> Array:
    """Ids that are all equally likely."""
    return np.random.default_rng(1).integers(0, vocabulary, count)


def zipf_ids(count: int, vocabulary: int) -> Array:
    """Ids as words occur in texts: the k-th most frequent about 1 / k as often as the first."""
    return (vocabulary ** np.random.default_rng(1).random(count)).astype(np.int64) - 1


def leaf(framework: Any, array: Array) -> Any:
    """A tensor that requires a gradient, of a copy of the array."""
    return framework.from_numpy(array.copy()).requires_grad_()


def gradients(y: Any, upstream: Any, *leaves: Any) -> list[Any]:
    """`y` and the gradients of the leaves, given that of y; the leaves are left without."""
    y.backward(upstream)
    found = [y, *[x.grad for x in leaves]]
    for x in leaves:
        x.grad = None
    return found


# ---- running them ----------------------------------------------------------------------------------------------------


def sides(make: Callable[..., tuple[Step, Program]], sizes: tuple[int, ...]) -> dict[str, Step]:
    """The implementations of a workload that can run here."""
    floor, program = make(*sizes)
    found = {"NumPy": floor, "minigrad": program(minigrad)}
    return found if torch is None else found | {"torch": program(torch)}


def check_agreement(steps: dict[str, Step], calls: int = 3, allowed: float = 2e-4) -> float:
    """How far the others' results are from the floor's; an AssertionError beyond what rounding explains.

    Relative to the largest magnitude of each result, over a few calls: some workloads are steps of a training.
    """
    largest = 0.0
    for _ in range(calls):
        expected, *others = [[as_array(each) for each in step()] for step in steps.values()]
        for side, found in zip(list(steps)[1:], others, strict=True):
            assert len(found) == len(expected), f"{side}: {len(found)} results, the floor has {len(expected)}"
            for position, (x, y) in enumerate(zip(found, expected, strict=True)):
                assert x.shape == y.shape, f"{side}, result {position}: shape {x.shape}, the floor's is {y.shape}"
                difference = float(np.abs(x - y).max(initial=0) / max(np.abs(y).max(initial=0), 1e-30))
                assert difference <= allowed, f"{side}, result {position}: differs from the floor's by {difference:.1e}"
                largest = max(largest, difference)
    return largest


def as_array(result: Any) -> Array:
    """The values of a result: an array, a number or a tensor."""
    return np.asarray(result.detach() if hasattr(result, "detach") else result)


def measure(workload: Workload, seconds: float) -> Result:
    """Check that the implementations agree, then run them in turns for about so many seconds."""
    steps = sides(workload.make, workload.sizes)
    difference = check_agreement(steps)
    gc.collect()
    gc.freeze()
    calls = {side: calls_per_turn(step) for side, step in steps.items()}
    turns: dict[str, list[float]] = {side: [] for side in steps}
    order = list(steps)
    shuffle = random.Random(0).shuffle
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(turns["NumPy"]) < 5:
        shuffle(order)
        for side in order:
            turns[side].append(time_of(steps[side], calls[side]))
    timings = {side: Timing(*np.quantile(found, (0.25, 0.5, 0.75)).tolist()) for side, found in turns.items()}
    gc.unfreeze()
    return Result(workload.name, timings, difference, workload.ops)


def calls_per_turn(step: Step, least: float = 2e-3) -> int:
    """How many calls make up a turn, which has to last long enough to be timed."""
    calls = 1
    while (taken := calls * time_of(step, calls)) < least:
        calls = max(2 * calls, int(calls * least / max(taken, 1e-7)))
    return calls


def time_of(step: Step, calls: int) -> float:
    """The processor time of a call in seconds: other processes may want the processor as well."""
    start = time.process_time()
    for _ in range(calls):
        step()
    return (time.process_time() - start) / calls
