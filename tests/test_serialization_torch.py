"""Files go from minigrad to PyTorch and back; what `save` and `load` keep is what they keep there."""

from __future__ import annotations

import collections
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from comparing import Raised, array_of, check_same_values, outcome, tensor_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, shapes

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
library = pytest.importorskip("safetensors.torch", reason="needs safetensors, which is not installed")

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
states = st.dictionaries(
    st.text(st.characters(blacklist_categories=["Cs"])).filter(lambda key: key != "__metadata__"),
    st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(), special=True)),
    max_size=5,
)


def check_same_state(wanted: Any, got: Any) -> None:
    """Fail unless two state dicts, PyTorch's and minigrad's, have the same keys, values, dtypes and strides."""
    assert wanted.keys() == got.keys()
    for key, value in wanted.items():
        check_same_values(array_of(value), array_of(got[key]), where=key)
        assert value.requires_grad == got[key].requires_grad
        if value.numel():
            assert value.stride() == got[key].stride()


@given(states)
def test_from_minigrad_to_pytorch(tmp_path: Path, state: dict[str, Any]) -> None:
    path = tmp_path / "x.safetensors"
    ours = {key: tensor_of(minigrad, array) for key, array in state.items()}
    minigrad.save(ours, path)
    check_same_state(library.load_file(path), minigrad.load(path))
    check_same_state(torch.load(path), minigrad.load(path))
    assert list(minigrad.load(path)) == list(state)


@given(states)
def test_from_pytorch_to_minigrad(tmp_path: Path, state: dict[str, Any]) -> None:
    path = tmp_path / "x.safetensors"
    library.save_file({key: torch.tensor(array).contiguous() for key, array in state.items()}, path)
    wanted, got = torch.load(path), minigrad.load(path)
    check_same_state(wanted, got)
    # PyTorch orders tensors by where they lie; of those that lie nowhere, any may be first.
    filled = [[key for key, x in each.items() if x.numel()] for each in (wanted, got)]
    assert filled[0] == filled[1]


def model(nn: Any) -> Any:
    """Embedding, layers and a tied head, as small language models have them."""

    class Model(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(10, 4)
            self.first = nn.Linear(4, 3)
            self.second = nn.Linear(3, 4, bias=False)
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embedding.weight

    return Model()


@pytest.mark.usefixtures("seeded")
def test_a_model_goes_there_and_back(tmp_path: Path) -> None:
    path, ours, theirs = tmp_path / "x.safetensors", model(minigrad.nn), model(torch.nn)
    minigrad.save(ours.state_dict(), path)
    assert library.load_model(theirs, path) == (set(), [])
    check_same_state(theirs.state_dict(), ours.state_dict())
    assert theirs.head.weight is theirs.embedding.weight
    loaded = minigrad.load(path)
    assert list(loaded) == list(theirs.state_dict())
    assert str(model(minigrad.nn).load_state_dict(loaded)) == "<All keys matched successfully>"

    torch.manual_seed(1)
    theirs = model(torch.nn)
    untied = {key: value.clone() for key, value in theirs.state_dict().items()}
    library.save_file(untied, path)
    ours.load_state_dict(minigrad.load(path))
    check_same_state(theirs.state_dict(), ours.state_dict())


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    path, numbers = tmp_path / "x.safetensors", torch.randn(3, 50).bfloat16()
    library.save_file({"x": numbers}, path)
    assert minigrad.load(path)["x"].dtype is minigrad.float32
    check_same_values(numbers.float().numpy(), minigrad.load(path)["x"].numpy())


@pytest.mark.parametrize("zipped", [True, False])
def test_files_of_pytorch_are_refused(tmp_path: Path, zipped: bool) -> None:
    for obj in ({"w": torch.ones(2)}, torch.nn.Linear(2, 1)):
        path = tmp_path / "x.pt"
        torch.save(obj, path, _use_new_zipfile_serialization=zipped)
        with pytest.raises(RuntimeError, match=r"x\.pt was written by PyTorch, as a pickle.*safetensors"):
            minigrad.load(path)
        with pytest.raises(RuntimeError, match="pickle"):
            minigrad.load(io.BytesIO(path.read_bytes()))


def test_files_of_minigrad_are_refused_by_pytorch(tmp_path: Path) -> None:
    minigrad.save({"w": minigrad.ones(2)}, tmp_path / "x.pt")
    with pytest.raises(RuntimeError):
        torch.load(tmp_path / "x.pt")


def again(api: Any, obj: Any) -> Any:
    """What comes back of `obj`."""
    file = io.BytesIO()
    api.save(obj, file)
    file.seek(0)
    return api.load(file)


def kept(value: Any) -> Any:
    """All that a program can ask of what came back."""
    if isinstance(value, dict):
        return type(value).__name__, [(kept(key), kept(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [kept(each) for each in value]
    if isinstance(value, torch.Tensor | minigrad.Tensor):
        return type(value).__name__, repr(value), value.stride(), value.requires_grad, value.is_leaf
    return type(value).__name__, repr(value)


def shared(api: Any) -> Any:
    x = api.ones(3)
    out = again(api, [x, x, x.detach(), x.clone()])
    return [[a is b, a.data_ptr() == b.data_ptr()] for a in out for b in out]


KEPT: dict[str, Callable[[Any], Any]] = {
    "numbers": lambda api: again(api, [1, 2.5, -0.0, float("inf"), True, None, "é", 2**70]),
    "dicts": lambda api: again(api, {1: {"a": (1, [2])}, "b": collections.OrderedDict(x=1), (1, 2): {}}),
    "counter": lambda api: again(api, collections.Counter("abca")),
    "set": lambda api: again(api, {1}),
    "size, dtype, device": lambda api: again(api, [api.Size([2, 3]), api.float16, api.device("cpu")]),
    "tensors": lambda api: again(api, [api.ones(2), api.tensor(3), api.zeros(0, 2), api.tensor([True])]),
    "flags": lambda api: again(api, [api.ones(2, requires_grad=True), api.nn.Parameter(api.ones(2))]),
    "frozen": lambda api: again(api, api.nn.Parameter(api.ones(2), requires_grad=False)),
    "result": lambda api: again(api, api.ones(2, requires_grad=True) * 2),
    "transposed": lambda api: again(api, api.arange(6).reshape(2, 3).T),
    "shared": shared,
}


@pytest.mark.parametrize("call", KEPT.values(), ids=KEPT)
@pytest.mark.usefixtures("seeded")
def test_what_comes_back_is_what_comes_back_there(call: Callable[[Any], Any]) -> None:
    assert re.sub("minigrad", "torch", str(kept(call(minigrad)))) == str(kept(call(torch)))


ERRORS: dict[str, Callable[[Any, Path], Any]] = {
    "no directory": lambda api, path: api.save(1, path / "no" / "x.pt"),
    "a directory": lambda api, path: api.save(1, path),
    "a number": lambda api, path: api.save(1, 3),
    "bytes": lambda api, path: api.save(1, b"x.pt"),
    "text": lambda api, path: api.save(1, io.StringIO()),
    "no file": lambda api, path: api.load(path / "x.pt"),
    "load a directory": lambda api, path: api.load(path),
    "load a number": lambda api, path: api.load(3),
    "no such device": lambda api, path: (api.save(api.ones(1), path / "x.pt"), api.load(path / "x.pt", "moon")),
    "to the CPU": lambda api, path: (api.save(1, path / "x.pt"), api.load(path / "x.pt", "cpu"))[1:],
    "by a function": lambda api, path: (api.save(1, path / "x.pt"), api.load(path / "x.pt", lambda s, _: s))[1:],
    "by a table": lambda api, path: (api.save(1, path / "x.pt"), api.load(path / "x.pt", {"cuda": "cpu"}))[1:],
}


@pytest.mark.parametrize("call", ERRORS.values(), ids=ERRORS)
def test_where_to_and_where_from(tmp_path: Path, call: Callable[[Any, Path], Any]) -> None:
    wanted, got = outcome(lambda: call(torch, tmp_path)), outcome(lambda: call(minigrad, tmp_path))
    if isinstance(wanted, Raised):
        assert isinstance(got, Raised)
        assert type(wanted.error) is type(got.error), (wanted, got)
    else:
        assert wanted == got
