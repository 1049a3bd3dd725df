"""The benchmark has a call for every public name, and what it times runs."""

import pytest
from benchmarks import lessons, sweep
from comparing import BFLOAT16

import minigrad


@pytest.mark.usefixtures("seeded")
@pytest.mark.filterwarnings("ignore")
def test_every_public_name_has_a_call_that_runs_forward_and_backward() -> None:
    calls, lost = sweep.calls()
    assert set(lost) <= (set() if BFLOAT16 else {"bfloat16"})
    names = sweep.operands(minigrad, sweep.SIZES["small"])
    for call in calls:
        for backward in (False, True):
            act = sweep.timed(minigrad, call, names, backward)
            assert act is None or (act(), True)[1], call
    for name in sweep.optimizers():
        sweep.optimizer(minigrad, name, (8, 8))()


@pytest.mark.usefixtures("seeded")
def test_lessons_learn() -> None:
    for lesson in lessons.LESSONS:
        step = lesson(minigrad)
        losses = [step() for _ in range(3)]
        assert losses[0] is None or losses[0] > losses[-1] > 0, lesson.__name__
