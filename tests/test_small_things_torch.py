"""Openings of training scripts print what they print under PyTorch's CPU build, and questions have its answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from comparing import check_same, outcome
from test_small_things import OPENINGS, QUESTIONS, printed

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


@pytest.mark.parametrize("script", OPENINGS.values(), ids=OPENINGS)
@pytest.mark.usefixtures("seeded")
def test_openings_of_scripts_print_the_same(script: str) -> None:
    assert printed(minigrad, script) == printed(torch, script)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_same_answers(question: Callable[[Any], Any]) -> None:
    if torch.cuda.is_available():
        pytest.skip("PyTorch has a graphics processor here")
    check_same(outcome(lambda: question(torch)), outcome(lambda: question(minigrad)))


@pytest.mark.parametrize("module", ["cuda", "mps", "accelerator", "backends", "utils", "utils.data", "serialization"])
def test_names_are_pytorchs(module: str) -> None:
    ours, theirs = minigrad, torch
    for part in module.split("."):
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    assert {name for name in ours.__all__ if not hasattr(theirs, name)} == set()
    assert {name for name in minigrad.tensors.settings.__all__ if not hasattr(torch, name)} == set()
