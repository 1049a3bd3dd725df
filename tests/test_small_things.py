"""What programs ask and tell PyTorch about the machine has the answers of a machine without accelerators."""

from __future__ import annotations

import contextlib
import io
import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad
from minigrad.tensors import settings

# Openings of training scripts as people write them: each is run, with `torch` being minigrad here, and PyTorch in
# test_small_things_torch.py, and what they print is compared.
OPENINGS = {
    "device": """
device = "cuda" if torch.cuda.is_available() else "cpu"
device = torch.device(device)
print(f"Using {device} device", repr(device), device.type, device.index, device == torch.device("cpu"))
if device.type == "cuda":
    torch.cuda.synchronize()
x = torch.ones(2).to(device)
print(x.device, x.is_cuda, x.to("cpu") is x, torch.zeros(2, device=device).device)
""",
    "first device": """
if torch.cuda.is_available():
    device = torch.device("cuda")
elif torch.backends.mps.is_available() and torch.backends.mps.is_built():
    device = torch.device("mps")
else:
    device = torch.device("cpu")
print(device, torch.device("cuda:0"), torch.device("cuda", 1), torch.device("mps"))
""",
    "accelerator": """
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
print(device, torch.accelerator.device_count(), torch.accelerator.current_accelerator())
""",
    "seeds": """
seed = 1337
torch.manual_seed(seed)
torch.cuda.manual_seed(seed)
torch.cuda.manual_seed_all(seed)
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
torch.use_deterministic_algorithms(True)
print(torch.backends.cudnn.deterministic, torch.rand(3))
torch.use_deterministic_algorithms(False)
torch.backends.cudnn.deterministic = False
""",
    "generator": """
g = torch.Generator(device="cpu").manual_seed(2147483647)
p = torch.tensor([0.6, 0.3, 0.1])
print(torch.multinomial(p, 5, replacement=True, generator=g), torch.multinomial(p, 2, generator=g))
""",
    "precision": """
torch.set_float32_matmul_precision("high")
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
print(torch.backends.cuda.matmul.allow_tf32)
torch.set_float32_matmul_precision("highest")
torch.backends.cuda.matmul.allow_tf32 = False
""",
    "questions": """
print(torch.cuda.device_count(), torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated())
print(torch.cuda.is_bf16_supported(), torch.cuda.empty_cache())
print(torch.backends.cudnn.is_available(), torch.backends.cudnn.version(), torch.backends.cudnn.enabled)
print(torch.mps.is_available(), torch.backends.cuda.is_built())
print(torch.cuda.memory_reserved())
""",
    "print options": """
torch.set_printoptions(linewidth=140)
print(torch.arange(40.0) / 7)
torch.set_printoptions(precision=2, sci_mode=False)
print(torch.tensor([1e-6, 1234.5678, -0.5]))
torch.set_printoptions(threshold=5, edgeitems=1)
print(torch.arange(100).reshape(10, 10))
torch.set_printoptions(profile="full")
print(torch.arange(1200))
torch.set_printoptions(profile="default")
""",
    "names": """
print(torch.float, torch.double, torch.half, torch.long, torch.int, torch.short, torch.uint8, torch.int8, torch.bool)
print(torch.inf, torch.nan, torch.pi, torch.e, torch.newaxis, -torch.inf)
print(torch.ones(2)[:, torch.newaxis].shape, torch.full((2,), torch.inf), torch.full((2,), -float("inf")))
print(isinstance(torch.__version__, str), int(torch.__version__.split(".")[0]) >= 0)
""",
    "small functions": """
print(torch.zeros(2, 3).nelement(), torch.is_tensor(torch.ones(1)), torch.is_tensor([1]), torch.numel(torch.ones(2, 2)))
print(torch.linspace(0, 1, 5), torch.triu(torch.ones(3, 3), diagonal=1).bool(), torch.tril(torch.ones(3, 3)))
print(torch.histogram(torch.tensor([1.0, 2, 1]), bins=4, range=(0.0, 3.0)))
print(torch.multinomial(torch.ones(5), 5).sort().values)
""",
    "default device": """
torch.set_default_device("cpu")
print(torch.get_default_device(), torch.ones(1).device)
torch.set_default_device(None)
""",
    "threads": """
before = torch.get_num_threads()
torch.set_num_threads(2)
print(torch.get_num_threads())
torch.set_num_threads(before)
""",
    "workers": """
from functools import partial
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.arange(6)), batch_size=4, shuffle=True)
for (x,) in loader:
    print(x)
""",
    "compiled": """
@torch.compile
def f(x):
    return x + 1

print(callable(f), callable(torch.compile(f, mode="reduce-overhead")), callable(torch.compile(fullgraph=True)(f)))
""",
}


def printed(api: Any, script: str) -> str:
    """What a script prints in which `torch` is this package."""
    api.manual_seed(0)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(script, {"torch": api})
    return out.getvalue()


@pytest.mark.parametrize("script", OPENINGS.values(), ids=OPENINGS)
@pytest.mark.usefixtures("seeded")
def test_openings_of_scripts_run(script: str) -> None:
    assert printed(minigrad, script)


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "cuda": lambda api: api.device("cuda"),
    "of a device": lambda api: api.device(api.device("cuda:3")),
    "index": lambda api: (api.device("cuda:3").index, api.device("cpu").index, api.device("cpu:0").index),
    "text": lambda api: (str(api.device("cuda", 1)), str(api.device("cpu"))),
    "equal": lambda api: (api.device("cpu") == api.device("cpu:0"), api.device("cpu") == "cpu"),
    "every type": lambda api: [api.device(each) for each in ("cpu", "cuda", "mps", "xpu", "meta", "hpu", "xla")],
    "unknown device": lambda api: api.device("moon"),
    "prefix": lambda api: api.device("cudax"),
    "upper case": lambda api: api.device("CPU"),
    "no device": lambda api: api.device(""),
    "no index": lambda api: api.device("cuda:"),
    "index that is no number": lambda api: api.device("cuda:x"),
    "negative index": lambda api: api.device("cuda:-1"),
    "negative number": lambda api: api.device("cpu", -1),
    "leading zero": lambda api: api.device("cuda:01"),
    "two indices": lambda api: api.device("cuda:1", 0),
    "number": lambda api: api.device(0),
    "float": lambda api: api.device(0.5),
    "bool": lambda api: api.device(True),
    "None": lambda api: api.device(None),
    "to cuda": lambda api: api.ones(2).to("cuda"),
    "to cuda:0": lambda api: api.ones(2).to(api.device("cuda:0")),
    "to xpu": lambda api: api.zeros(2, device="xpu"),
    "to mps": lambda api: api.ones(2).to("mps"),
    "to the moon": lambda api: api.ones(2).to("moon"),
    "zeros on cuda": lambda api: api.zeros(2, device="cuda"),
    "tensor on cuda": lambda api: api.tensor([1.0], device="cuda"),
    "as_tensor on cuda": lambda api: api.as_tensor([1.0], device="cuda"),
    "layer on cuda": lambda api: api.nn.Linear(2, 2, device="cuda"),
    "synchronize": lambda api: api.cuda.synchronize(),
    "current device": lambda api: api.cuda.current_device(),
    "name": lambda api: api.cuda.get_device_name(0),
    "seed that is no number": lambda api: api.cuda.manual_seed("a"),
    "default device": lambda api: api.set_default_device("moon"),
    "default device: number": lambda api: api.set_default_device(3),
    "precision": lambda api: api.set_float32_matmul_precision("none"),
    "option": lambda api: api.compile(lambda x: x, fast=True),
    "worker": lambda api: api.utils.data.get_worker_info(),
    "layer without parameters": lambda api: repr(api.nn.ReLU().cuda()),
    "older constructors": lambda api: api.tensor([1.5, 2.5]).type(api.LongTensor),
}


def test_devices() -> None:
    assert repr(minigrad.device("cuda", 1)) == "device(type='cuda', index=1)"
    assert len({minigrad.device("cpu"), minigrad.device("cpu"), minigrad.device("cpu:0")}) == 2
    for name in ("cuda", "cuda:1", "xpu"):
        with pytest.raises(AssertionError, match=r"not compiled with .* enabled: minigrad computes on the CPU"):
            minigrad.zeros(2, device=name)
    with pytest.raises(RuntimeError, match="not linked with support for mps"):
        minigrad.zeros(2).to("mps")
    assert minigrad.zeros(2, device="cpu:0").to("cpu", minigrad.float64).dtype is minigrad.float64


def test_every_name_is_on_the_page_of_what_is_there() -> None:
    text = (Path(__file__).parent.parent / "docs" / "pytorch.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    listed = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`]+)`", prose))))
    modules = [settings, minigrad.cuda, minigrad.mps, minigrad.accelerator, minigrad.utils.data, minigrad.serialization]
    assert {name for module in modules for name in module.__all__} <= listed


def test_constants() -> None:
    assert (minigrad.e, minigrad.pi, minigrad.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(minigrad.nan)
    assert minigrad.newaxis is np.newaxis


def test_what_is_told_is_remembered() -> None:
    threads = minigrad.get_num_threads()
    assert threads == settings._num_threads >= 1
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
