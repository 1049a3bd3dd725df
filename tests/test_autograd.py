"""What a backward pass does, and what it refuses: programs show what was recorded from PyTorch, and on PyTorch, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transcripts import programs, shown

import minigrad

PROGRAMS = programs(Path(__file__).parent / "programs" / "autograd.md")


@pytest.fixture(params=["minigrad", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        return pytest.importorskip("torch", reason="PyTorch says whether the outputs on record are right")
    return minigrad


@pytest.mark.parametrize("title", PROGRAMS)
def test_program_shows_what_is_on_record(title: str, library: Any) -> None:
    assert shown(library, PROGRAMS[title]) == PROGRAMS[title].output
