"""What `programs/data.md` does not show of datasets and loaders: warnings, workers, names."""

import warnings
from typing import Any

import pytest

import minigrad
import minigrad as torch
from minigrad.utils import data
from minigrad.utils.data import dataloader, dataset, sampler

# A pass of a loader draws from the default generator.
pytestmark = pytest.mark.usefixtures("seeded")


@pytest.mark.parametrize("num_workers", [1, 2])
@pytest.mark.parametrize(
    "options", [{}, {"persistent_workers": True}, {"shuffle": True, "prefetch_factor": 3}], ids=str
)
def test_workers_change_no_order(num_workers: int, options: dict[str, Any]) -> None:
    """PyTorch with processes, minigrad without: the same batches, and the default generator in the same state."""

    def epochs(api: Any) -> Any:
        api.manual_seed(3)
        loader = api.utils.data.DataLoader(list(range(7)), 2, num_workers=num_workers, **options)
        return [[batch.tolist() for batch in loader] for _ in range(3)], api.randint(2**31, ()).item()

    ours = epochs(minigrad)
    if not options:
        assert ours[0] == [[[0, 1], [2, 3], [4, 5], [6]]] * 3
    theirs = pytest.importorskip("torch", reason="needs PyTorch")
    with warnings.catch_warnings(), theirs.random.fork_rng():
        # A process that has run threads is forked here; that these workers use none of them is PyTorch's care.
        warnings.simplefilter("ignore")
        assert epochs(theirs) == ours


def test_workers_that_persist_are_seeded_once() -> None:
    def drawn(**options: Any) -> int:
        torch.manual_seed(0)
        loader = data.DataLoader([1, 2], num_workers=1, **options)
        _ = [list(loader) for _ in range(3)]
        return int(torch.randint(2**31, ()).item())

    after_one = (torch.manual_seed(0), torch.empty((), dtype=torch.int64).random_(), torch.randint(2**31, ()))[-1]
    assert drawn(persistent_workers=True) == after_one.item() != drawn()


def test_what_pytorch_warns_of_is_taken() -> None:
    assert len(list(data.DataLoader([1, 2], pin_memory=True))) == 2
    assert [len(part) for part in data.random_split(range(1), [0.1, 0.9])] == [1, 0]


def test_names_are_where_pytorch_has_them() -> None:
    for home, names in {
        dataloader: ("DataLoader", "default_collate"),
        dataset: ("Dataset", "random_split"),
        sampler: ("Sampler",),
    }.items():
        assert [getattr(home, name) for name in names] == [getattr(data, name) for name in names]
    theirs = pytest.importorskip("torch", reason="needs PyTorch")
    assert not [name for name in data.__all__ if not hasattr(theirs.utils.data, name)]
