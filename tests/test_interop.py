"""What minigrad says of shared memory, copies and pickles beyond what their programs show."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad import nn
from minigrad.tensors import conversion


@pytest.fixture(autouse=True)
def _unwarned() -> None:
    """As if nothing had been warned of in this process."""
    conversion.warn_once.cache_clear()


def again(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def test_what_would_need_a_copy_is_refused_one() -> None:
    array = np.arange(6.0)
    x = torch.from_numpy(array)
    assert np.shares_memory(x.__array__("float64", copy=False), array)
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="float32", copy=False)


@pytest.mark.parametrize("name", ["promote_types", "initial_seed"])
def test_a_function_is_copied_and_pickled_as_itself(name: str) -> None:
    assert again(getattr(torch, name)) is copy.deepcopy(getattr(torch, name)) is getattr(torch, name)


def test_where_nothing_is_recorded_nothing_is_lost() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert np.shares_memory(x.numpy(), np.asarray(x))
        assert np.exp(x).tolist() == x.exp().tolist()


def test_read_only_arrays_are_warned_of_once_and_not_written_to() -> None:
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        x = torch.from_numpy(array)
    torch.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)
    assert array.tolist() == [1, 1]


def test_a_number_loses_its_gradient_with_one_warning() -> None:
    x = torch.tensor(2.5, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert float(x) == 2.5
    assert (float(x), complex(x)) == (2.5, 2.5 + 0j)


def test_comparison_with_words_and_products_of_arrays() -> None:
    x, array = torch.tensor([1.0, 4.0]), np.array([1.0, 2.0])
    for call in (lambda: x == np.array(["a", "b"]), lambda: array @ x):
        with pytest.raises(TypeError):
            call()


def test_a_deep_copy_of_an_array_is_not_its_tensors_and_holds_no_more_than_it_shows() -> None:
    array = np.ones(2)
    other, x = copy.deepcopy([array, torch.from_numpy(array)])
    assert not np.shares_memory(other, x.numpy())
    big = np.zeros(10**6)
    assert copy.deepcopy(torch.from_numpy(big[:2])).numpy().base.nbytes == 16


class Counting(nn.Module):
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Counting.made += 1
        self.weight = nn.Parameter(torch.ones(2))


def test_unpickling_makes_no_new_object() -> None:
    module = Counting()
    assert again(module).weight.tolist() == [1, 1]
    assert Counting.made == 1
