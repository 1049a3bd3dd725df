"""Tensors as numbers, NumPy's arrays, DLPack's capsules, copies and pickles: what is shared, and what is refused."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad import nn
from minigrad.tensors import interoperation

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture
def _unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had been warned of in this process."""
    monkeypatch.setattr(interoperation, "_warned", set())


# ---- NumPy -----------------------------------------------------------------------------------------------------------


def test_memory_is_shared_both_ways() -> None:
    array = np.arange(6.0).reshape(2, 3)
    x = torch.from_numpy(array)
    array[0, 0], x[1, 2] = 7, 8
    x.numpy()[0, 1] = 9
    assert x.tolist() == array.tolist() == [[7, 9, 2], [3, 4, 8]]
    assert np.shares_memory(np.asarray(x), array)
    assert np.shares_memory(x.__array__("float64", copy=False), array)
    assert not np.shares_memory(np.array(x), array)
    assert not np.shares_memory(np.asarray(x, dtype="float32"), array)
    assert not np.shares_memory(np.asarray(x, copy=True), array)
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="float32", copy=False)


def test_a_change_of_the_arrays_shape_does_not_reach_the_tensor() -> None:
    array = np.arange(6.0)
    x = torch.from_numpy(array)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        array.shape = 2, 3
        x.numpy().shape = 3, 2
    x.numpy().flags.writeable = False
    assert x.shape == (6,)
    x.zero_()
    assert not array.any()


def test_numpy_of_what_requires_a_gradient() -> None:
    x = torch.ones(2, requires_grad=True)
    for call in (x.numpy, x.__array__, lambda: np.exp(x), lambda: np.concatenate([x, x]), lambda: x + np.ones(2)):
        with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
            call()
    assert np.shares_memory(x.numpy(force=True), x.detach().numpy())
    assert (x * 2).numpy(force=True).tolist() == [2, 2]
    # Where nothing is recorded, nothing is lost.
    with torch.no_grad():
        assert np.shares_memory(x.numpy(), np.asarray(x))
        assert np.exp(x).tolist() == x.exp().tolist()


def test_numpys_functions_make_tensors_or_arrays() -> None:
    x, array = torch.tensor([1.0, 4.0]), np.array([1.0, 2.0])
    assert repr(np.sqrt(x)) == "tensor([1., 2.])"
    assert repr(np.add(array, x)) == repr(x + array) == "tensor([2., 6.], dtype=torch.float64)"
    assert repr(np.isnan(x)) == "tensor([0, 0], dtype=torch.uint8)"
    assert repr(x == array) == repr(array == x) == "tensor([ True, False])"
    assert type(np.concatenate([x, x])) is np.ndarray
    assert (x == np.array(["a", "b"])) is False
    for call in (lambda: array + x, lambda: array * x, lambda: array @ x, lambda: array < x):
        with pytest.raises(TypeError):
            call()


@pytest.mark.usefixtures("_unwarned")
def test_read_only_arrays_are_warned_of_once_and_not_written_to() -> None:
    array = np.ones(2)
    array.flags.writeable = False
    assert torch.tensor(array).add_(1).tolist() == [2, 2]
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        x = torch.from_numpy(array)
    assert torch.as_tensor(array, dtype=torch.float32).add_(1).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)
    assert array.tolist() == [1, 1]


def test_arrays_that_are_no_tensors() -> None:
    records = np.zeros(3, [("a", "f4"), ("b", "i2")])
    with pytest.raises(ValueError, match="strides not a multiple of the element byte size"):
        torch.from_numpy(records["a"])
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(np.ones(2)[::-1])
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy\.str_"):
        torch.from_numpy(np.array(["a"]))
    with pytest.raises(TypeError, match=r"expected np\.ndarray \(got float64\)|expected np\.ndarray"):
        torch.from_numpy(np.float64(1))


# ---- Python's numbers ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_unwarned")
def test_a_number_loses_its_gradient_with_a_warning() -> None:
    x = torch.tensor(2.5, requires_grad=True)
    assert (x.item(), int(x), bool(x), x.tolist(), f"{x:.1f}") == (2.5, 2, True, 2.5, "2.5")
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert float(x) == 2.5
    assert (float(x), complex(x)) == (2.5, 2.5 + 0j)


def test_a_complex_number() -> None:
    assert complex(torch.tensor([[3]])) == 3 + 0j
    with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
        complex(torch.ones(2))


# ---- copies ----------------------------------------------------------------------------------------------------------


def test_a_shallow_copy_is_another_tensor_on_the_same_memory() -> None:
    x = torch.arange(6.0).view(2, 3).t().requires_grad_()
    x.grad, x.note = torch.ones(3, 2), ["kept"]
    copied = copy.copy(x)
    assert (copied.data_ptr(), copied.stride(), copied.requires_grad) == (x.data_ptr(), (1, 3), True)
    assert (copied.grad, copied.note is x.note) == (None, True)
    assert copy.copy(x * 2).is_leaf


def test_a_deep_copy_shares_nothing_but_keeps_views_together() -> None:
    x = torch.arange(6.0)
    views = [x, x[1:4], x.view(2, 3).t(), x.detach(), x.data, x[2].expand(3), x]
    copied = copy.deepcopy(views)
    assert copied[0] is copied[-1]
    copied[0].fill_(9)
    for before, after in zip(views, copied, strict=True):
        assert (after == 9).all()
        assert (before.shape, before.stride()) == (after.shape, after.stride())
        assert not np.shares_memory(before.numpy(), after.numpy())
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="more than one element"):
        copied[5].add_(1)


def test_a_deep_copy_has_its_own_gradient_and_attributes() -> None:
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    x.note = ["copied"]
    x.register_hook(lambda g: g * 10)
    copied = copy.deepcopy(x)
    assert (copied.grad.tolist(), copied.note, copied.is_leaf, copied.requires_grad) == ([2, 2], ["copied"], True, True)
    assert copied.grad is not x.grad
    assert copied.note is not x.note
    copied.sum().backward()
    assert copied.grad.tolist() == [3, 3]
    assert x.grad.tolist() == [2, 2]
    for result in (x * 2, x[:1]):
        with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
            copy.deepcopy(result)


def test_a_deep_copy_of_an_array_is_not_its_tensors() -> None:
    array = np.ones(2)
    other, x = copy.deepcopy([array, torch.from_numpy(array)])
    assert not np.shares_memory(other, x.numpy())
    big = np.zeros(10**6)
    assert copy.deepcopy(torch.from_numpy(big[:2])).numpy().base.nbytes == 16


def test_copies_of_parameters() -> None:
    p = nn.Parameter(torch.ones(2))
    (p * p).sum().backward()
    p.note = "lost in deep copies, as in PyTorch"
    shallow, deep = copy.copy(p), copy.deepcopy(p)
    assert type(shallow) is type(deep) is nn.Parameter
    assert (shallow.data_ptr() == p.data_ptr(), deep.data_ptr() == p.data_ptr()) == (True, False)
    assert (shallow.grad, deep.grad, shallow.note, hasattr(deep, "note")) == (None, None, p.note, False)
    assert copy.deepcopy([p, p])[0].requires_grad
    one, other = copy.deepcopy([p, p])
    assert one is other
    assert not copy.deepcopy(nn.Parameter(torch.ones(1), requires_grad=False)).requires_grad


# ---- pickles ---------------------------------------------------------------------------------------------------------


def again(x: Any, protocol: int = 2) -> Any:
    return pickle.loads(pickle.dumps(x, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pickled_tensor_is_a_leaf_on_memory_of_its_own(protocol: int) -> None:
    x = torch.arange(6.0, requires_grad=True)
    x.grad, x.note = torch.ones(6), "kept"
    loaded = again(x, protocol)
    assert (loaded.tolist(), loaded.requires_grad, loaded.grad, loaded.note) == (x.tolist(), True, None, "kept")
    with torch.no_grad():
        loaded.fill_(9)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    result = again(x * 2, protocol)
    assert (result.is_leaf, result.requires_grad, result.tolist()) == (True, True, [0, 2, 4, 6, 8, 10])
    base = torch.arange(6).view(2, 3)
    for view in (base.t(), base[:, ::2], base[1:], base[0, 1].expand(4), base[:, :0], base[0, 0], base > 2):
        loaded = again(view, protocol)
        assert (loaded.tolist(), loaded.stride(), loaded.dtype) == (view.tolist(), view.stride(), view.dtype)
    one, other = again([x, x], protocol)
    assert one is other


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_else_can_be_pickled(protocol: int) -> None:
    assert repr(again(torch.Size([1, 2]), protocol)) == "torch.Size([1, 2])"
    for dtype in (torch.float16, torch.float32, torch.float64, torch.uint8, torch.int64, torch.bool):
        assert again(dtype, protocol) is copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    for device in (torch.device("cpu"), torch.device("cpu:0")):
        assert again(device, protocol) == copy.copy(device) == copy.deepcopy(device) == device
    parameter = again(nn.Parameter(torch.ones(2), requires_grad=False), protocol)
    assert (type(parameter), parameter.requires_grad, parameter.tolist()) == (nn.Parameter, False, [1, 1])


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, again], ids=["copy", "deepcopy", "pickle"])
def test_a_copied_generator_goes_on_by_itself(how: Any) -> None:
    generator = torch.Generator().manual_seed(3)
    torch.randn(3, generator=generator)
    copied = how(generator)
    assert copied.initial_seed() == 3
    drawn = torch.randn(5, generator=copied).tolist()
    assert torch.randn(5, generator=generator).tolist() == drawn


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pickled_module_keeps_its_ties(protocol: int) -> None:
    first, last = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    last.weight = first.weight
    first.eval()
    loaded, tied = again([first, last], protocol)
    assert tied.weight is loaded.weight
    assert (loaded.training, repr(loaded), type(loaded.weight)) == (False, repr(first), nn.Parameter)
    ids = torch.tensor([1, 4, 1])
    assert torch.equal(tied(loaded(ids)), last(first(ids)))
    tied(loaded(ids)).sum().backward()
    assert (first.weight.grad, loaded.weight.grad is None) == (None, False)


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


def test_hooks_stay_with_the_original() -> None:
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: g * 10)
    with pytest.warns(UserWarning, match="backward hook"):
        loaded = again(x)
    loaded.sum().backward()
    assert loaded.grad.tolist() == [1, 1]


def test_pickles_go_from_process_to_process() -> None:
    x = torch.arange(4.0).view(2, 2).t().requires_grad_()
    program = (
        "import pickle, sys; x, p = pickle.load(sys.stdin.buffer); (x * p).sum().backward(); "
        "pickle.dump((x.grad, p.grad, x.stride()), sys.stdout.buffer)"
    )
    sent = pickle.dumps((x, nn.Parameter(torch.full((2,), 3.0))))
    received = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True).stdout
    dx, dp, stride = pickle.loads(received)
    assert (dx.tolist(), dp.tolist(), stride) == ([[3, 3], [3, 3]], [1, 5], (1, 2))
