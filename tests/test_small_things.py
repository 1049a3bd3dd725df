"""What programs ask and tell PyTorch about the machine has the answers of a machine without accelerators."""

import subprocess
import sys

import pytest

import minigrad
from minigrad.tensor import _Later


def test_devices() -> None:
    assert repr(minigrad.device("cuda", 1)) == "device(type='cuda', index=1)"
    assert len({minigrad.device("cpu"), minigrad.device("cpu"), minigrad.device("cpu:0")}) == 2
    assert minigrad.Generator().device == minigrad.device("cpu")
    assert minigrad.zeros(2, device="cpu:0").to("cpu", minigrad.float64).dtype is minigrad.float64


def test_what_is_told_is_remembered() -> None:
    threads = minigrad.get_num_threads()
    assert threads >= 1
    minigrad.set_num_threads(3)
    assert minigrad.get_num_threads() == 3
    minigrad.set_num_threads(threads)
    with pytest.warns(UserWarning, match="'highest', 'high', and 'medium'"):
        minigrad.set_float32_matmul_precision("low")


@pytest.mark.usefixtures("seeded")
def test_compile_returns_what_it_is_given() -> None:
    layer = minigrad.nn.Linear(2, 1)
    assert minigrad.compile(layer) is layer
    assert minigrad.compile(mode="max-autotune")(len) is len


def test_print_options_that_are_refused_change_nothing() -> None:
    x = minigrad.tensor([1 / 3])
    before = repr(x)
    for options in ({"precision": 1, "linewidth": "x"}, {"precision": -1}, {"precision": 2.0}, {"edgeitems": "x"}):
        with pytest.raises((TypeError, ValueError), match="has to be a"):
            minigrad.set_printoptions(**options)
        assert repr(x) == before


STANDING_IN = """
import sys, minigrad
sys.modules["torch"] = minigrad
import torch, torch.nn as nn, torch.nn.functional as F, torch.backends.cudnn
from torch.nn.modules.sparse import Embedding
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader
import torch.nn.parallel, torch.utils.data.distributed, torch.distributed as dist, torch.multiprocessing as mp
import torch.utils.checkpoint as cp, torch.utils.model_zoo as model_zoo
from torch.nn.utils.clip_grad import clip_grad_norm_
import minigrad.optim.lr_scheduler, minigrad.utils.data
assert (dist, mp, cp) == (minigrad.distributed, minigrad.multiprocessing, minigrad.utils.checkpoint)
try:
    model_zoo.load_url("vgg16.pth")
except NotImplementedError as error:
    assert "torch.load" in str(error)
else:
    raise AssertionError
assert (nn, F, Embedding) == (minigrad.nn, minigrad.nn.functional, minigrad.nn.Embedding)
assert (StepLR, DataLoader) == (minigrad.optim.lr_scheduler.StepLR, minigrad.utils.data.DataLoader)
assert issubclass(nn.BatchNorm2d, _BatchNorm) and str(nn.Fold) == "<class 'minigrad.nn.modules.fold.Fold'>"
assert (nn.__name__, nn.__spec__.name) == ("minigrad.nn", "minigrad.nn")
try:
    import torch.nonesuch
except ModuleNotFoundError as error:
    assert "nonesuch" in str(error)
else:
    raise AssertionError
"""


def test_minigrad_stands_in_for_torch_with_its_own_modules() -> None:
    done = subprocess.run([sys.executable, "-c", STANDING_IN], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_late_method_that_is_put_back_is_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    known = minigrad.softmax(minigrad.zeros(2), 0)
    monkeypatch.setattr(minigrad.Tensor, "softmax", _Later("softmax"))
    assert minigrad.equal(minigrad.zeros(2).softmax(0), known)
