"""What is saved comes back, whatever happens while it is written; what is damaged or hostile is one clear error."""

import collections
import io
import json
import math
import os
import pickle
import random
import re
import signal
import stat
import subprocess
import sys
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import Raised, outcome
from hypothesis import given, settings, strategies as st
from strategies import arrays, shapes

import minigrad as torch
from minigrad import nn, serialization
from minigrad.core import dtypes
from minigrad.nn import Parameter

try:
    import safetensors.numpy
except ImportError:
    safetensors = None  # type: ignore[assignment]

THOROUGH = settings.default.max_examples >= 1000
DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
FLIPS = 300
NEEDS_ML_DTYPES = pytest.mark.skipif(find_spec("ml_dtypes") is None, reason="needs ml_dtypes")
needs_safetensors = pytest.mark.skipif(safetensors is None, reason="needs safetensors")


def same(a: Any, b: Any) -> bool:
    """Whether two objects are equal in all that a file keeps: types, order, bits, dtypes, shapes, flags."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        facts = [(x.dtype, x.shape, x.requires_grad, x.is_leaf) for x in (a, b)]
        return facts[0] == facts[1] and same(a.detach().numpy(), b.detach().numpy())
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return bool(a == b)


def saved(obj: object) -> bytes:
    file = io.BytesIO()
    torch.save(obj, file)
    return file.getvalue()


def loaded(content: bytes) -> Any:
    return torch.load(io.BytesIO(content))


def written(obj: object, path: Path) -> bytes:
    torch.save(obj, path)
    return path.read_bytes()


def checkpoint() -> dict[str, Any]:
    """What a training program saves."""
    embedding, linear = nn.Embedding(50, 8), nn.Linear(8, 50, bias=False)
    linear.weight = embedding.weight
    model = collections.OrderedDict(
        [("embedding.weight", embedding.weight.detach()), ("head.weight", linear.weight.detach())]
    )
    moments = {"step": torch.tensor(3.0), "exp_avg": torch.randn(50, 8), "exp_avg_sq": torch.rand(8, 50).T}
    group = {"lr": 1e-3, "betas": (0.9, 0.999), "foreach": None, "maximize": False, "params": [0]}
    return {
        "model": model,
        "optimizer": {"state": {0: moments}, "param_groups": [group]},
        "epoch": 3,
        "loss": 0.1,
        "best": float("inf"),
        "rng": torch.get_rng_state(),
        "config": {"name": "a model", "sizes": [1, 2, 3], "nested": {"deep": {"deeper": ()}}},
    }


pytestmark = pytest.mark.usefixtures("seeded")

# ---- round trips -----------------------------------------------------------------------------------------------------

tensors = st.builds(
    lambda array, requires_grad, kind: kind(torch.tensor(array), requires_grad and array.dtype.kind == "f"),
    st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(), special=True)),
    st.booleans(),
    st.sampled_from([lambda x, grad: x.requires_grad_(grad), Parameter]),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    tensors,
    st.sampled_from([torch.Size([2, 0]), np.float64(0.1), np.int8(3)]),
    st.sampled_from(["uint8", "float32"]).flatmap(lambda dtype: arrays(dtype, shapes())),
)
keys = st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.tuples(st.integers(), st.text()))
objects = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
        st.dictionaries(keys, inner, max_size=3).map(collections.OrderedDict),
        st.dictionaries(st.text(), st.integers(), max_size=3).map(collections.Counter),
        st.sets(st.integers() | st.text(), max_size=3),
    ),
    max_leaves=8,
)


@given(objects)
def test_what_is_saved_comes_back(obj: object) -> None:
    assert same(loaded(saved(obj)), obj)


def test_a_checkpoint_comes_back(tmp_path: Path) -> None:
    path, before = tmp_path / "checkpoint.pt", checkpoint()
    torch.save(before, path)
    after = torch.load(path, map_location="cpu", weights_only=True, mmap=False)
    assert same(after, before)
    assert list(tmp_path.iterdir()) == [path]
    after["model"]["embedding.weight"][0] = 7
    assert after["model"]["head.weight"][0, 0] == 7, "tied weights are tied again"
    assert path.stat().st_size < 2 * 3 * 50 * 8 * 4 + 5056 + 4000, "tied weights are stored once"
    assert after["optimizer"]["state"][0]["exp_avg_sq"].stride() == (1, 50), "as it lay in memory"
    assert same(loaded(path.read_bytes() + b"more that is in the stream"), before)


@given(
    array=st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_dims=3))),
    order=st.permutations(range(3)),
    step=st.integers(1, 3),
)
def test_any_layout(array: Any, order: list[int], step: int) -> None:
    x = torch.tensor(array)
    x = x.permute([dim for dim in order if dim < x.ndim])
    for dim in range(x.ndim):
        x = x[(slice(None),) * dim + (slice(None, None, step),)]
    for each in (x, x.expand(2, *x.shape)):
        out = loaded(saved({"x": each, "again": each}))
        assert same(out["x"], torch.tensor(each.numpy().copy()))
        assert out["x"] is out["again"]
        assert out["x"].storage_offset() == 0
        out["x"].zero_()


def test_equal_objects_make_equal_files() -> None:
    obj = checkpoint()
    assert saved(obj) == saved(obj)


@needs_safetensors
def test_the_library_reads_the_arrays_and_minigrad_the_librarys(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    arrays = {"b": np.arange(3), "a": np.ones((2, 3), np.float16), "e": np.zeros((0, 2)), "s": np.array(True)}
    torch.save({name: torch.tensor(array) for name, array in arrays.items()}, ours)
    assert same(dict(sorted(safetensors.numpy.load_file(ours).items())), dict(sorted(arrays.items())))
    assert list(torch.load(ours)) == list(arrays)
    safetensors.numpy.save_file(arrays, theirs)
    found = torch.load(theirs)
    assert {name: x.numpy().tolist() for name, x in found.items()} == {n: a.tolist() for n, a in arrays.items()}
    assert [name for name, x in found.items() if x.numel()] == ["b", "a", "s"], "in the order of the file"
    assert all(x.dtype == torch.tensor(arrays[name]).dtype for name, x in found.items())


@pytest.mark.parametrize("installed", [pytest.param(True, marks=NEEDS_ML_DTYPES), False])
def test_bfloat16_becomes_float32_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    if not installed:
        monkeypatch.delitem(vars(dtypes), "bfloat16", raising=False)
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    numbers = np.array([1.0, -2.5, np.inf, 3.0e38], np.float32).view(np.uint32) >> 16
    content = header({"x": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}}, numbers.astype("<u2").tobytes())
    (tmp_path / "x.safetensors").write_bytes(content)
    out = torch.load(tmp_path / "x.safetensors")["x"]
    assert out.dtype is (torch.bfloat16 if installed else torch.float32)
    assert out[:3].tolist() == [1.0, -2.5, math.inf]
    assert out[3].item() == pytest.approx(3.0e38, rel=0.01)
    if not installed:
        with pytest.raises(AttributeError, match=r"ml_dtypes, which is not installed: .*'\.\[bfloat16\]'"):
            torch.ones(2).bfloat16()


@NEEDS_ML_DTYPES
def test_bfloat16_is_saved_as_it_is() -> None:
    before = {"x": torch.tensor([[0.1, 1e30], [-0.0, math.inf]]).bfloat16()}
    found = loaded(saved(before))
    assert found["x"].dtype is torch.bfloat16
    assert same(found["x"].float(), before["x"].float())


def test_any_keys_and_names() -> None:
    keys = ["../x", "a/b", "a.b", "", "\0", "ä" * 300, "\ud800", "__metadata__", "__metadata___", 1, "1"]
    state = {key: torch.tensor(i) for i, key in enumerate(keys)} | {"a": {"b": torch.tensor(-1)}}
    assert same(loaded(saved(state)), state)


# ---- what is refused -------------------------------------------------------------------------------------------------


def itself() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


UNSTORABLE: list[tuple[str, Callable[[], object], type[Exception], str]] = [
    ("module", lambda: nn.Linear(2, 1), TypeError, "model.state_dict()"),
    ("module inside", lambda: {"a": [nn.Linear(2, 1)]}, TypeError, "at ['a'][0]"),
    ("function", lambda: {"f": print}, TypeError, "never code"),
    ("class", lambda: dict, TypeError, "never code"),
    ("own class", lambda: type("Config", (), {})(), TypeError, "vars(x)"),
    ("defaultdict", lambda: collections.defaultdict(list), TypeError, "dict(x)"),
    ("subclass of int", lambda: {"s": signal.SIGINT}, TypeError, "Signals'> at ['s']"),
    ("object array", lambda: np.array([None]), TypeError, "x.tolist()"),
    ("strings", lambda: {"names": np.array(["a"])}, TypeError, "ndarray'> at ['names']: "),
    ("itself", itself, ValueError, "contains itself"),
]


@pytest.mark.parametrize("row", UNSTORABLE, ids=lambda row: row[0])
def test_what_cannot_be_stored(tmp_path: Path, row: tuple[str, Callable[[], object], type[Exception], str]) -> None:
    _, make, kind, words = row
    path = tmp_path / "x.pt"
    path.write_bytes(b"before")
    with pytest.raises(kind, match=re.escape(words)):
        torch.save(make(), path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


HERE_AND_THERE: list[tuple[Callable[[Path], object], type[Exception], str]] = [
    (lambda path: torch.save(1, path.parent / "no" / "x.pt"), RuntimeError, "Parent directory .* does not exist"),
    (lambda path: torch.save(1, path.parent), RuntimeError, "not the name of a file, but of a directory"),
    (lambda path: torch.save(1, os.devnull), RuntimeError, "not the name of a file|Parent directory"),
    (lambda path: torch.save(1, f"{path.parent}/new/"), RuntimeError, "name of a file"),
    (lambda path: torch.save(1, 3), AttributeError, "has no attribute 'write'"),  # type: ignore[arg-type]
    (lambda path: torch.load(3), AttributeError, "has no attribute 'read'"),  # type: ignore[arg-type]
    (lambda path: torch.load(path, map_location="cuda"), AssertionError, "CUDA"),
    (lambda path: torch.load(path, map_location={"cpu": "cuda:0"}), AssertionError, "CUDA"),
    (lambda path: torch.load(path, map_location=5), RuntimeError, "5 is one"),  # type: ignore[arg-type]
    (lambda path: torch.save(np.ma.array([1, 2], mask=[1, 0]), path), TypeError, "MaskedArray"),
]


@pytest.mark.parametrize(("call", "kind", "words"), HERE_AND_THERE)
def test_where_to_and_where_from(
    tmp_path: Path, call: Callable[[Path], object], kind: type[Exception], words: str
) -> None:
    path = tmp_path / "numbers.pt"
    torch.save(torch.arange(3.0), path)
    with pytest.raises(kind, match=words):
        call(path)
    for place in (None, "cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, _: storage):
        assert torch.load(path, map_location=place).tolist() == [0.0, 1.0, 2.0]


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "target.pt", tmp_path / "link.pt"
    torch.save(1, target)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    target.chmod(0o640)
    link.symlink_to(target)
    torch.save(2, link)
    assert link.is_symlink()
    assert torch.load(target) == 2
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_stream_that_takes_a_part_at_a_time_gets_all() -> None:
    class Slow(io.BytesIO):
        def write(self, content: Any) -> int:
            return super().write(bytes(content)[:7])

    torch.save([1, "two"], file := Slow())
    assert torch.load(io.BytesIO(file.getvalue())) == [1, "two"]


def test_other_files_say_what_they_are(tmp_path: Path) -> None:
    arrays = io.BytesIO()
    np.savez(arrays, x=np.ones(2))
    pickled = io.BytesIO()
    with zipfile.ZipFile(pickled, "w") as archive:
        archive.writestr("model/data.pkl", pickle.dumps({}))
    for content, words in [
        (b"", r"is empty.*seek\(0\)"),
        (b"hello, this is no checkpoint", r"was not written by .*numpy\.load and numpy\.loadtxt"),
        (pickle.dumps({"w": 1}), "pickle"),
        (pickled.getvalue(), r"pickle.*safetensors\.torch\.save_file"),
        (arrays.getvalue(), r"numpy\.load"),
    ]:
        with pytest.raises(RuntimeError, match=words):
            loaded(content)
        path = tmp_path / "x.pt"
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match=re.escape(str(path))):
            torch.load(path)


class Bomb:
    """What would leave a mark if anything unpickled it."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("unpickled",)


def test_nothing_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bomb = pickle.dumps(Bomb())
    for content in (bomb, header(bomb), ours(bomb.decode("latin1"))):
        with pytest.raises(RuntimeError):
            loaded(content)
    assert not list(tmp_path.iterdir())


# ---- damage ----------------------------------------------------------------------------------------------------------


def test_truncated_at_every_kilobyte_and_around_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    whole = written(checkpoint() | {"more": torch.randn(10_000)}, path)
    for length in [*range(0, len(whole), 1000), *range(1, 300), *range(len(whole) - 300, len(whole))]:
        path.write_bytes(whole[:length])
        with pytest.raises(RuntimeError, match=re.escape(str(path))):
            torch.load(path)


def test_flipped_bits_are_told_or_harmless() -> None:
    before = {"w": torch.randn(20, 3), "b": torch.tensor([True, False]), "epoch": 3}
    whole = saved(before)
    flips = [(place, bit) for place in range(len(whole)) for bit in range(8)]
    for place, bit in flips if THOROUGH else random.Random(0).sample(flips, FLIPS):
        content = bytearray(whole)
        content[place] ^= 1 << bit
        out = outcome(lambda content=bytes(content): loaded(content))
        told = isinstance(out, Raised) and type(out.error) is RuntimeError
        assert told or same(out, before), (place, bit)


# ---- hostile files ---------------------------------------------------------------------------------------------------


def header(entries: Any, data: bytes = b"") -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + data


def ours(text: str, dtype: str = "F64", version: str = "1") -> bytes:
    """A file as minigrad's, whose sum is right, with this description and an array "x" of one element, 0."""
    metadata = {"minigrad_sum": "0" * 8, "minigrad": version, "object": text}
    size = int(dtype[1:]) // 8
    entry = {"dtype": dtype, "shape": [1], "data_offsets": [0, size]}
    content = header({"__metadata__": metadata, "x": entry}, bytes(size))
    return content.replace(b"0" * 8, b"%08x" % zlib.crc32(content), 1)


X = json.dumps({"tensor": "x"})
HOSTILE_DESCRIPTIONS: dict[str, str] = {
    "nothing": "",
    "no JSON": "{",
    "deep": "[" * 100_000,
    "deep lists": '{"list":[' * 100_000 + "]}" * 100_000,
    "number of many digits": "1" * 10_000,
    "missing array": '{"tensor": "y"}',
    "a list for a name": '{"tensor": []}',
    "unknown kind": '{"function": "os.mkdir"}',
    "class": '{"object": "builtins.eval"}',
    "two kinds": '{"list": [], "tuple": []}',
    "empty": "{}",
    "list of a number": '{"list": 3}',
    "pairs of three": '{"dict": [[1, 2, 3]]}',
    "list as a key": '{"dict": [[{"list": []}, 1]]}',
    "list in a set": '{"set": [{"list": []}]}',
    "string in a size": '{"Size": ["a"]}',
    "float": '{"float": "one"}',
    "dtype": '{"dtype": "object"}',
    "device": '{"device": "moon"}',
    "alias": '{"tensor": "x", "alias": []}',
}


@pytest.mark.parametrize("text", HOSTILE_DESCRIPTIONS.values(), ids=HOSTILE_DESCRIPTIONS)
def test_hostile_descriptions(text: str) -> None:
    refused(ours(text))


def refused(content: bytes, path: Path | None = None) -> None:
    """Fail unless the file is an error that tells of damage, or of its path, in memory and time of its size."""
    tracemalloc.start()
    begin = time.perf_counter()
    try:
        with pytest.raises(RuntimeError, match=re.escape(str(path or "the file is damaged or cut off"))):
            torch.load(path or io.BytesIO(content))
        assert tracemalloc.get_traced_memory()[1] < 30 * len(content) + 1_000_000
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - begin < 5


def test_what_no_tensor_of_minigrad_can_be() -> None:
    assert loaded(ours(X)).tolist() == [0.0]
    others = {"__metadata__": {"sum": "of others"}, "b": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}
    assert loaded(header(others, b"\2"))["b"].numpy().view(np.uint8).tolist() == [1]
    refused(ours('{"tensor": "x", "requires_grad": true}', "I64"))
    refused(ours(X, version="2"))


HOSTILE_HEADERS: dict[str, bytes] = {
    "nothing": b"",
    "half a length": b"\1\0",
    "huge length": (2**63).to_bytes(8, "little") + b"{}",
    "largest length": (2**64 - 1).to_bytes(8, "little") + b"{}",
    "no JSON": header(b"{"),
    "deep": header(b"[" * 100_000),
    "deep metadata": header(b'{"__metadata__":{"a":' + b"[" * 100_000 + b"}}"),
    "overlap": header({n: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for n in "ab"}, b"1234"),
    "hole": header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, b"12345678"),
    "more than is told": header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, b"12345678"),
    "less": header({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"),
    "negative": header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, b"1234"),
    "backwards": header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, b"1234"),
    "huge shape": header({"a": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 4]}}, b"1234"),
    "wrong shape": header({"a": {"dtype": "F32", "shape": [7], "data_offsets": [0, 4]}}, b"1234"),
    "unknown dtype": header({"a": {"dtype": "Q", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
    "dtype that minigrad has not": header({"a": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}}, b"1234"),
    "unsigned": header({"a": {"dtype": "U32", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
    "metadata": header({"__metadata__": {"a": 1}}),
    "no sum": header({"__metadata__": {"minigrad": "1", "object": "1"}}),
    "another sum": header({"__metadata__": {"minigrad": "1", "object": "1", "minigrad_sum": "00000000"}}),
    "no text": header(b"{\xff\xfe"),
    "many digits": header(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,4]}}', b"1234"),
    "many dimensions": header({"a": {"dtype": "F32", "shape": [1] * 200, "data_offsets": [0, 4]}}, b"1234"),
    "minus one": header({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, b"1234"),
    "half a size": header({"a": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}}, b"1234"),
    "an archive": b"PK\3\4" + b"0" * 100,
    "a pickle": pickle.dumps({}),
}


@pytest.mark.parametrize("content", HOSTILE_HEADERS.values(), ids=HOSTILE_HEADERS)
def test_hostile_headers(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    refused(content, path)


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes(content: bytes, as_header: bool) -> None:
    with pytest.raises(RuntimeError, match="the file"):
        loaded(header(b"{" + content) if as_header else content)


# ---- faults while writing --------------------------------------------------------------------------------------------


class Full(io.FileIO):
    """A file on a disk that has room for 1,000 bytes."""

    def write(self, content: Any) -> int:
        super().write(content[:1000])
        raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.pt"
    before = written({"epoch": 1}, path)
    with monkeypatch.context() as patched:
        patched.setattr(serialization, "open", Full, raising=False)
        with pytest.raises(OSError, match="No space left"):
            torch.save(checkpoint(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("fault", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()], ids=repr)
def test_a_fault_at_the_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, error: BaseException
) -> None:
    path = tmp_path / "x.pt"
    before = written({"epoch": 1}, path)

    def fail(*args: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, fault, fail)
        with pytest.raises(type(error)):
            torch.save(checkpoint(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
import minigrad as torch
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
torch.save({"epoch": 2}, sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL, which this system has not")
def test_a_process_that_is_killed_leaves_the_old_file_and_a_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    before = written({"epoch": 1}, path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    (left,) = set(tmp_path.iterdir()) - {path}
    assert re.fullmatch(r"\.minigrad-[0-9a-f]{16}\.tmp", left.name)
    assert torch.load(left) == {"epoch": 2}, "it was whole"
