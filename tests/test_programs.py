"""Programs show what was recorded from PyTorch, and on PyTorch, too."""

from pathlib import Path
from typing import Any

import pytest
from transcripts import programs, shown

PAGES = {
    page.stem: programs(page)
    for page in sorted((Path(__file__).parent / "programs").glob("*.md"))
    if page.stem != "refusals"
}


@pytest.mark.parametrize(("page", "title"), [(page, title) for page, titles in PAGES.items() for title in titles])
@pytest.mark.usefixtures("seeded")
def test_program_shows_what_is_on_record(page: str, title: str, library: Any) -> None:
    if page == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    program = PAGES[page][title]
    assert shown(library, program) == program.output
