"""minigrad's results are PyTorch's also where PyTorch is not installed: those recorded for fixed operands of each row.

`python -m tests.record` records them; where PyTorch is installed, it is asked again.
"""

import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest
import recorded
from comparing import seeded
from hypothesis import settings
from oracles import torch

import minigrad

ROWS = recorded.rows()
RECORD = recorded.read()["rows"]
#: Under the profiles `ci` and `thorough` all rows are asked, else the first of each name.
MANY = settings.default.max_examples > 30


def _check(api: Any, family: str) -> None:
    """Compare what a package answers now, for every example of a family's rows, with what is recorded."""
    failures = []
    for name, case in ROWS[family]:
        for example in RECORD[name]:
            try:
                recorded.compare(example["seen"], recorded.observed(api, case, example), case, example)
            except Exception as error:
                told = ", ".join(map(str, example["operands"]))
                failures.append(f"{name}({told}), gradients for {example['grads']}: {type(error).__name__}: {error}")
    assert not failures, f"{len(failures)} examples differ, first: " + "\n".join(failures[:5])


def test_all_rows_are_recorded() -> None:
    missing = [name for rows in ROWS.values() for name, _ in rows if name not in RECORD]
    assert not missing, f"python -m tests.record records {missing}"


def test_no_row_asks_for_what_its_operands_have_not() -> None:
    own = ("AttributeError", "NameError")
    vain = [
        name for name, each in RECORD.items() if each and all([x["seen"]["out"].get("raised") in own for x in each])
    ]
    assert not vain, f"{vain} compare nothing: their calls fail in the same way on both sides"


def test_the_version_is_that_of_pytorch_and_then_the_packages_own() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pytorch = recorded.read()["torch"].partition("+")[0]
    assert minigrad.__version__ == f"{pytorch}+minigrad.{project['version']}"


@pytest.mark.parametrize("family", ROWS)
def test_results_are_those_recorded_from_pytorch(family: str) -> None:
    with seeded(1):
        _check(minigrad, family)


@pytest.mark.skipif(torch is None, reason="needs PyTorch")
@pytest.mark.parametrize("family", ROWS)
def test_what_is_recorded_is_what_pytorch_answers(family: str) -> None:
    with seeded(1):
        _check(torch, family)


@pytest.mark.parametrize("family", ROWS)
def test_derivatives_are_those_of_differences_to_order_two(family: str) -> None:
    smooth = [(name, case, each) for name, case in ROWS[family] for each in RECORD[name] if each["smooth"]]
    firsts = {name if MANY else case.covers: (name, case, each) for name, case, each in reversed(smooth)}
    failures = []
    with seeded(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, case, example in firsts.values():
            try:
                recorded.check_differences(minigrad, case, example)
            except Exception as error:
                failures.append(f"{name}: {type(error).__name__}: {error}")
    assert not failures, f"{len(failures)} rows differ, first: " + "\n".join(failures[:5])
