"""The notebooks from which this project grew, cell by cell: what they recorded is what minigrad prints.

A notebook is a file in `tests/seeds`: a block marked `python` is a cell, a block marked `text` is the output recorded
under the cell before it.  `000` to `004` are the seeds, with the recorded outputs as they are; `backward` is ours: the
gradients, which none of the seeds shows, and PyTorch 2.13's outputs.

Each runs twice: on minigrad, and, where PyTorch is installed, on PyTorch, with one line changed: `import torch`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import transcripts
from comparing import seeded
from transcripts import Cell, execute

import minigrad
from minigrad.core.embedding import Lookup, ScatterAdd
from minigrad.core.linear import Linear
from minigrad.random import Generator


class Size(NamedTuple):
    cells: int
    outputs: int


# The cells of each notebook, and those of them that have an output: counted in the seeds by hand.
NOTEBOOKS = {
    "000": Size(8, 5),
    "001": Size(6, 4),
    "002": Size(12, 12),
    "003": Size(13, 9),
    "004": Size(12, 9),
    "backward": Size(11, 11),
}
# Its outputs came through a web page that shows a run of spaces as one space.
SPACES_COLLAPSED = "003"

IMPORT = "import minigrad as torch\n"


def cells_of(notebook: str) -> list[Cell]:
    return transcripts.cells_of(Path(__file__).parent / "seeds" / f"{notebook}.md")


def displayed(value: object) -> str:
    """The value of a cell's last expression as a notebook shows it: the lines of a list's items stay aligned."""
    return repr(value).replace("\n", "\n ") if isinstance(value, list) else repr(value)


def transcript(notebook: str, library: Any) -> list[str]:
    """What the notebook shows under each cell, run from the first to the last in a fresh namespace."""
    namespace: dict[str, Any] = {}
    theirs = IMPORT if library is minigrad else f"import {library.__name__}\n"
    with seeded(0):
        return [execute(cell.source.replace(IMPORT, theirs), namespace, displayed) for cell in cells_of(notebook)]


def recorded(notebook: str, library: Any) -> list[str]:
    """The outputs on record.  minigrad has a version of its own, so a printed version is that of who runs."""
    version = f"PyTorch version: {library.__version__}"
    return [re.sub(r"^PyTorch version: .*$", version, cell.output) for cell in cells_of(notebook)]


def numbered(outputs: list[str]) -> str:
    """The outputs as one text, so that a failure shows each line that differs, and its cell."""
    return "\n".join(f"Out[{number}]:\n{output}" for number, output in enumerate(outputs, 1))


def test_no_notebook_and_no_cell_is_forgotten() -> None:
    files = sorted(path.stem for path in (Path(__file__).parent / "seeds").iterdir())
    sizes = {name: Size(len(cells_of(name)), sum(bool(cell.output) for cell in cells_of(name))) for name in files}
    assert sizes == NOTEBOOKS
    for name in files:
        assert sum(cell.source.count(IMPORT) for cell in cells_of(name)) == 1


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_each_cell_shows_what_is_on_record(notebook: str, library: Any) -> None:
    shown = transcript(notebook, library)
    if notebook == SPACES_COLLAPSED:
        shown = [re.sub(" +", " ", output) for output in shown]
    assert numbered(shown) == numbered(recorded(notebook, library))


def test_collapsed_spaces_hide_nothing() -> None:
    """After its first cell, seed 003 shows what seed 004 shows, of which the columns are on record."""
    assert transcript("003", minigrad)[1:] == [*recorded("004", minigrad)[1:], ""]


# Copies of the package, broken on purpose: a notebook that still shows the same would prove nothing.


def next_row(self: Lookup, weight: Any, ids: Any) -> Any:
    self.num_embeddings = len(weight)
    return weight[(ids + 1) % len(weight)]


def last_one_wins(self: ScatterAdd, rows: Any, ids: Any) -> Any:
    table = np.zeros((self.num_embeddings, rows.shape[-1]), rows.dtype)
    table[ids] = rows
    return table


def upstream_of_ones(self: Linear, g: Any) -> Any:
    return backward_of_linear(self, 0 * g + 1)


def twice(self: ScatterAdd, g: Any, ids: Any) -> Any:
    return 2 * backward_of_scatter(self, g, ids)


def no_restart(self: Generator, seed: int) -> Generator:
    return self


backward_of_linear, backward_of_scatter = Linear.backward, ScatterAdd.da


@pytest.mark.parametrize(
    ("notebook", "owner", "attribute", "broken"),
    [
        ("000", Lookup, "forward", next_row),
        ("001", Generator, "manual_seed", no_restart),
        ("002", Lookup, "name", lambda self: "Embedding"),
        ("003", Lookup, "forward", next_row),
        ("004", Generator, "manual_seed", no_restart),
        ("backward", ScatterAdd, "forward", last_one_wins),
        ("backward", ScatterAdd, "da", twice),
        ("backward", Linear, "backward", upstream_of_ones),
    ],
)
def test_notebooks_reject_broken_copies(
    notebook: str, owner: type, attribute: str, broken: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    intact = transcript(notebook, minigrad)
    with seeded(0):
        monkeypatch.setattr(owner, attribute, broken)
        assert transcript(notebook, minigrad) != intact
