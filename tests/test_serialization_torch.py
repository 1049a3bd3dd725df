"""Files and models go from minigrad to PyTorch and back in safetensors; PyTorch's own files are refused."""

import io
from pathlib import Path
from typing import Any

import pytest
from comparing import BFLOAT16, array_of, as_bfloat16, check_same_values, tensor_of
from hypothesis import given, strategies as st
from strategies import arrays, shapes

import minigrad

torch = pytest.importorskip("torch", reason="needs PyTorch")
library = pytest.importorskip("safetensors.torch", reason="needs safetensors")

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
drawn = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(), special=True))
if BFLOAT16:
    drawn |= arrays("float16", shapes(), special=True).map(as_bfloat16)
states = st.dictionaries(
    st.text(st.characters(blacklist_categories=["Cs"])).filter(lambda key: key != "__metadata__"), drawn, max_size=5
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
    ours = {key: tensor_of(minigrad, array).contiguous() for key, array in state.items()}
    minigrad.save(ours, path)
    check_same_state(library.load_file(path), minigrad.load(path))
    check_same_state(torch.load(path), minigrad.load(path))
    assert list(minigrad.load(path)) == list(state)


@given(states)
def test_from_pytorch_to_minigrad(tmp_path: Path, state: dict[str, Any]) -> None:
    path = tmp_path / "x.safetensors"
    library.save_file({key: tensor_of(torch, array).contiguous() for key, array in state.items()}, path)
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
    minigrad.save(ours.state_dict(), path, pickle_protocol=4)
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


@pytest.mark.parametrize("zipped", [True, False])
def test_files_of_pytorch_are_refused(tmp_path: Path, zipped: bool) -> None:
    for obj in ({"w": torch.ones(2)}, torch.nn.Linear(2, 1)):
        path = tmp_path / "x.pt"
        torch.save(obj, path, _use_new_zipfile_serialization=zipped)
        with pytest.raises(RuntimeError, match=r"x\.pt is a pickle, as PyTorch writes them.*safetensors"):
            minigrad.load(path)
        with pytest.raises(RuntimeError, match="pickle"):
            minigrad.load(io.BytesIO(path.read_bytes()))
