"""Saving and loading, without pickle: a file holds numbers and their names, and nothing in it is ever executed.

A path that ends in ".safetensors" is a file of that format, a header and the numbers: PyTorch and others read its
tensors, by paths such as "model.weight", and nothing else of it.  Any other file is an archive of NumPy arrays,
as `numpy.load` reads it, whatever its name, "model.pt" or "model.npz".

In either, the object is a text and arrays.  The text is JSON.  None, bools, integers, strings and finite floats stand
for themselves; anything else is an object whose first key says what it is: `{"tuple": [1, 2]}`,
`{"dict": [["epoch", 3]]}`, `{"tensor": "model.weight"}`.  Nothing in it names code: what can come out is what is listed
here.  Nothing in a file is trusted: all it says is checked before memory is taken for it, and nothing is executed.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import re
import stat
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.tensor import Size
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.errors import advised
from minigrad.tensors.options import check_on_cpu, device, new_leaf

__all__ = ["load", "save"]
globals().update(advised(__name__, __all__))

File: TypeAlias = str | os.PathLike[str] | IO[bytes]


def save(obj: object, f: File, *, pickle_protocol: int = 2) -> None:
    """Write `obj` to a file: a tensor, a number, a string, None, or dicts, lists, tuples and sets of such.

    `f` is a path, or a file that is open for writing bytes.  A path is written to a temporary file beside it, which
    takes its place only when it is complete: whatever happens, what was there before is whole.  Tensors on the very
    same memory, such as tied weights, are stored once.  Errors: TypeError for what cannot be stored, OSError if
    writing fails, RuntimeError if there is no such directory.

    >>> import io
    >>> import minigrad as torch
    >>> file = io.BytesIO()
    >>> torch.save({"model": torch.nn.Linear(2, 1).state_dict(), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> checkpoint = torch.load(file)
    >>> checkpoint["epoch"], list(checkpoint["model"])
    (3, ['weight', 'bias'])
    """
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        write = prepared(obj, path.endswith(".safetensors"))
        with replacing(path) as file:
            write(file)
    elif hasattr(f, "write"):
        whole = io.BytesIO()
        prepared(obj, False)(whole)
        _write_all(f, whole.getbuffer())
    else:
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


def load(
    f: File,
    map_location: device | str | dict[str, str] | Callable[..., Any] | None = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
) -> Any:
    """The object that `save` wrote to this file; or the tensors of a safetensors file that anything else wrote.

    `f` is a path, or a file that is open for reading bytes.  `map_location` may name the CPU, where all tensors are; a
    function that chooses is not asked.
    `weights_only` and `mmap` change nothing: no file can do more than hold data, and files are read at once.  Numbers
    of bfloat16 become float32 where `ml_dtypes` is not installed.  Errors: RuntimeError for a file that is damaged or
    in another format, such as PyTorch's own, which is a program (a pickle); FileNotFoundError and its like as from
    `open`.
    """
    if isinstance(map_location, dict):
        map_location = map_location.get("cpu")
    if isinstance(map_location, (str, device)):
        check_on_cpu(map_location)
    elif map_location is not None and not callable(map_location):
        raise TypeError(f"map_location: expected a device, a dict or a function, got {type(map_location).__name__}")
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        with open(path, "rb") as file:
            if path.endswith(".safetensors"):
                return from_safetensors(file.read(), path)
            return from_archive(file, path)
    if not hasattr(f, "read"):
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object, got {type(f).__name__}")
    return from_archive(io.BytesIO(_first_archive(f.read())), "the file")


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, beside `path`, which takes its place at the end; after an error it is gone."""
    target = os.path.realpath(path)
    folder, mode = os.path.dirname(target), None
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    is_other = os.path.islink(target) or (os.path.exists(path) and not os.path.isfile(path))
    if is_other or not os.path.basename(path):
        raise RuntimeError(f"open file failed: {path!r} is not the name of a file, but of a directory, device or link")
    if os.path.exists(target):
        # Only who may write to it may replace it.
        with open(target, "ab") as before:
            mode = stat.S_IMODE(os.fstat(before.fileno()).st_mode)
    temporary = os.path.join(folder, f".minigrad-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if mode is not None:
                os.chmod(temporary, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


_VERSION = 1
_DEEPEST = 100
_PLAIN = (type(None), bool, int, str)
_COLLECTIONS: dict[str, type] = {
    each.__name__: each for each in (list, tuple, set, frozenset, Size, dict, OrderedDict, Counter)
}
_FLOATS = {repr(each): each for each in (math.inf, -math.inf, math.nan)}

_DESCRIPTION = "structure.json"
#: As what NumPy writes bfloat16.
_BITS = np.dtype("V2")
_SAFETENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<V2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip


# ---- a nested object as a text and arrays ----------------------------------------------------------------------------


def packed(value: object, name_of: Callable[[str], str]) -> tuple[str, dict[str, Array]]:
    """The text and the arrays of `value`; an array has the name `name_of(path)`, or one like it if that is taken.

    Tensors on the very same memory are one array.  Errors: TypeError for what cannot be stored, ValueError for what
    is nested too deep or in itself.

    >>> import minigrad as torch
    >>> text, arrays = packed({"w": torch.zeros(2), "step": 3}, str)
    >>> text
    '{"version":1,"object":{"dict":[["w",{"tensor":"w"}],["step",3]]}}'
    >>> arrays
    {'w': array([0., 0.], dtype=float32)}
    """
    packer = _Packer(name_of)
    text = json.dumps({"version": _VERSION, "object": packer.pack(value, ())}, separators=(",", ":"))
    return text, packer.arrays


class _Packer:
    def __init__(self, name_of: Callable[[str], str]) -> None:
        self.arrays: dict[str, Array] = {}
        self._name_of = name_of
        # For each memory the name of its array, and the tensors that lie on it, by their ids, with their numbers.
        self._memories: dict[object, tuple[str, dict[int, int]]] = {}

    def pack(self, value: Any, path: tuple[Any, ...]) -> Any:
        """What the text has for the value found at this path of keys."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if len(path) > _DEEPEST:
            raise ValueError(f"cannot save what is nested deeper than {_DEEPEST} levels, or contains itself")
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is Tensor or kind is Parameter:
            return self._tensor(value, path)
        if (kind is np.ndarray or isinstance(value, np.generic)) and _is_plain(value.dtype):
            return {"array" if isinstance(value, np.ndarray) else "scalar": self._add(np.asarray(value), path)}
        if _COLLECTIONS.get(kind.__name__) is not kind:
            raise TypeError(_refusal(value, path))
        if issubclass(kind, dict):
            pairs = [[self.pack(key, (*path, "key")), self.pack(each, (*path, key))] for key, each in value.items()]
            return {kind.__name__: pairs}
        return {kind.__name__: [self.pack(each, (*path, position)) for position, each in enumerate(value)]}

    def _tensor(self, x: Tensor, path: tuple[Any, ...]) -> dict[str, Any]:
        array = x._array
        memory = array.__array_interface__["data"][0] if array.size else id(x)
        key = memory, array.dtype, array.shape, array.strides
        if key not in self._memories:
            self._memories[key] = self._add(array, path), {}
        name, tensors = self._memories[key]
        alias = tensors.setdefault(id(x), len(tensors))
        facts = {"alias": alias, "requires_grad": x._requires_grad, "parameter": isinstance(x, Parameter)}
        return {"tensor": name} | {fact: value for fact, value in facts.items() if value}

    def _add(self, array: Array, path: tuple[Any, ...]) -> str:
        wanted = self._name_of(".".join([str(key) for key in path]) if path else "tensor")
        name, count = wanted, 1
        while name in self.arrays:
            count += 1
            name = f"{wanted}_{count}"
        # Files hold little-endian numbers, which are those of all machines that NumPy supports but one.
        self.arrays[name] = array.astype(array.dtype.newbyteorder("<"), copy=False)
        return name


def _refusal(value: object, path: tuple[Any, ...]) -> str:
    where = f" at {''.join([f'[{key!r}]' for key in path])}" if path else ""
    remedy = "save what it is made of, such as dict(x), vars(x), x.tolist() or str(x)"
    if hasattr(value, "state_dict"):
        remedy = "save its state_dict(): torch.save(model.state_dict(), f), and model.load_state_dict(torch.load(f))"
    elif isinstance(value, Tensor):
        remedy = "save a plain tensor: x.detach(), or x.to_dense() of a sparse one"
    holds = "a file holds tensors, arrays, numbers, strings, None, and dicts, lists, tuples and sets of them"
    of = f" of dtype {value.dtype}" if isinstance(value, (np.ndarray, np.generic)) else ""
    return f"cannot save an object of type {type(value).__name__}{of}{where}: {holds}, and never code; {remedy}"


def unpacked(text: str | bytes, arrays: Mapping[str, Array]) -> Any:
    """The object that `packed` made this text and these arrays of; its tensors lie on the arrays themselves.

    Errors: ValueError, TypeError, KeyError or RecursionError for a text that it cannot have made.
    """
    whole = json.loads(text, object_hook=_Unpacker(arrays).unpack)
    if not isinstance(whole, dict) or whole.keys() != {"version", "object"} or whole["version"] != _VERSION:
        raise ValueError(f"expected a description of version {_VERSION}")
    return whole["object"]


class _Unpacker:
    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._tensors: dict[tuple[str, int], Tensor] = {}

    def unpack(self, node: dict[str, Any]) -> Any:
        """What an object of the text stands for, in which the objects have been unpacked."""
        if "tensor" in node:
            return self._tensor(**node)
        if "version" in node:
            return node  # The whole.
        ((kind, content),) = node.items()
        if kind in _COLLECTIONS:
            made = _COLLECTIONS[kind]
            in_pairs = issubclass(made, dict)
            if not isinstance(content, list) or (in_pairs and any([type(pair) is not list for pair in content])):
                raise ValueError(f"expected a list of what the {kind} holds")
            return made(dict(content) if in_pairs else content)
        if kind in ("array", "scalar"):
            array = self._arrays[content]
            return array if kind == "array" else array[()]
        if kind == "float":
            return _FLOATS[content]
        raise ValueError(f"the description has a {kind!r}")

    def _tensor(self, tensor: str, alias: int = 0, requires_grad: bool = False, parameter: bool = False) -> Tensor:
        if (tensor, alias) not in self._tensors:
            first = self._tensors.get((tensor, 0))
            made = _leaf(self._arrays[tensor]) if first is None else first.detach()
            if parameter:
                made = Parameter(made, requires_grad)
            self._tensors[tensor, alias] = made.requires_grad_(requires_grad)
        return self._tensors[tensor, alias]


def _leaf(array: Array) -> Tensor:
    """A tensor of the array; a TypeError if it has a dtype that tensors do not have."""
    dtypes.of(array)
    return new_leaf(array)


def plain_name(path: str) -> str:
    """The path as a name that is a file name everywhere, and no way to another directory.

    >>> plain_name("model.0/weight"), plain_name("../x")
    ('model.0_weight', '.._x')
    """
    return re.sub(r"[^A-Za-z0-9_.-]", "_", path)[:200] or "_"


# ---- writing -----------------------------------------------------------------------------------------------------


def prepared(obj: object, is_safetensors: bool) -> Callable[[IO[bytes]], None]:
    """What writes `obj` to an open file; all that cannot be stored is refused before there is one."""
    text, arrays = packed(obj, _safetensors_name if is_safetensors else plain_name)
    write = _write_safetensors if is_safetensors else _write_archive
    return lambda file: write(file, text, arrays)


def _write_archive(file: IO[bytes], text: str, arrays: dict[str, Array]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        # A ZipInfo of a name alone has a date that is always the same, and so equal objects make equal files.
        archive.writestr(zipfile.ZipInfo(_DESCRIPTION), text)
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def _write_safetensors(file: IO[bytes], text: str, arrays: dict[str, Array]) -> None:
    names = {numpys: name for name, numpys in _SAFETENSORS.items()}
    # Libraries that read only tensors of PyTorch look for this format.
    header: dict[str, object] = {"__metadata__": {"format": "pt", "minigrad": text}}
    end = 0
    # Larger elements come first: then each lies at a multiple of its size.
    in_order = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    for name, array in in_order:
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": names[array.dtype.str], "shape": array.shape, "data_offsets": (begin, end)}
    content = json.dumps(header, separators=(",", ":")).encode()
    content += b" " * (-len(content) % 8)
    file.write(len(content).to_bytes(8, "little") + content)
    for _, array in in_order:
        file.write(array.tobytes())


def _safetensors_name(path: str) -> str:
    name = path.encode("utf-8", "replace").decode()
    return f"{name}_" if name == "__metadata__" else name


def _write_all(file: IO[bytes], content: memoryview) -> None:
    """Write all of the content, also to a file without a buffer, which may take a part of it at a time."""
    while content:
        written = file.write(content)
        content = content[len(content) if written is None else written :]


# ---- reading -----------------------------------------------------------------------------------------------------


def from_archive(file: IO[bytes], name: str) -> Any:
    """The object in an archive that `prepared` wrote; a RuntimeError, which calls the file `name`, for any other."""
    start, size = file.read(16), file.seek(0, os.SEEK_END)
    if size == 0:
        raise RuntimeError(f"{name} is empty: there is nothing to load (if you have just written to it, seek(0) first)")
    if start[:1] == b"\x80":
        raise RuntimeError(_pickled(name))
    if start[:2] != b"PK":
        numpys = "np.load and np.loadtxt read other arrays, and torch.from_numpy makes tensors of them"
        hint = "safetensors files are read if their name ends in .safetensors" if start[8:9] == b"{" else numpys
        raise RuntimeError(f"{name} was not written by minigrad's torch.save, or is damaged at its start ({hint})")
    with _damage_told(name):
        archive = zipfile.ZipFile(file)
        members = archive.infolist()
    names = [member.filename for member in members]
    if any([each.endswith("data.pkl") for each in names]):
        raise RuntimeError(_pickled(name))
    if _DESCRIPTION not in names:
        raise RuntimeError(f"{name} was not written by minigrad's torch.save: numpy.load() reads archives of arrays")
    with _damage_told(name):
        _check_sizes(members, size)
        arrays = {each[:-4]: _array(archive.read(each)) for each in names if each.endswith(".npy")}
        return unpacked(archive.read(_DESCRIPTION), arrays)


def _first_archive(content: bytes) -> bytes:
    """The archive at the start, without what was saved to the stream after it: its last record says how long it is."""
    for record in re.finditer(rb"(?s)PK\x05\x06.{8}(.{4})(.{4})..", content):
        size, offset = [int.from_bytes(number, "little") for number in record.groups()]
        if offset + size == record.start():
            return content[: record.end()]
    return content


def _check_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Nothing if the members can all lie in a file of this size as they are: then reading takes no more memory."""
    if any([member.compress_type != zipfile.ZIP_STORED for member in members]):
        raise ValueError("a member is compressed, which torch.save does not do")
    if sum([member.file_size for member in members]) > size or any([member.header_offset > size for member in members]):
        raise ValueError("its members claim to be larger than the file")
    if len({member.filename for member in members}) < len(members):
        raise ValueError("two members have one name")


def _array(content: bytes) -> Array:
    """The array that NumPy's file format has here; a ValueError for one of what no tensor or array is saved as."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    # The header of an array of 64 dimensions is shorter.
    shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=2000)
    if version != (1, 0):
        raise ValueError("a member is no array in NumPy's format 1.0")
    return _elements(file.read(), dtype, shape, "F" if in_columns else "C")


def _elements(content: bytes, of: DTypeLike, shape: Sequence[int], order: Literal["C", "F"] = "C") -> Array:
    """The bytes, in memory of their own, as an array; a ValueError if none such are saved."""
    memory, dtype = bytearray(content), np.dtype(of)
    if min(shape, default=0) < 0 or not (dtype == _BITS or (_is_plain(dtype) and dtype.byteorder != ">")):
        raise ValueError(f"an array has the shape {shape} and the dtype {dtype}")
    # If there are more or fewer elements than the shape has, NumPy raises the error.
    if dtype == _BITS:
        return _bfloat16(np.frombuffer(memory, np.uint16)).reshape(shape, order=order)
    array = np.frombuffer(memory, np.uint8 if dtype.kind == "b" else dtype).reshape(shape, order=order)
    # Of a byte that is neither 0 nor 1, a bool would be neither True nor False.
    return array != 0 if dtype.kind == "b" else array


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether its elements are bools or numbers of up to 64 bits."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def _bfloat16(bits: Array) -> Array:
    """The numbers of bfloat16 with these bits; as float32, of which they are the upper half, if it is not installed."""
    if hasattr(dtypes, "bfloat16"):
        return bits.view(dtypes.bfloat16._numpy)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def from_safetensors(content: bytes, name: str) -> Any:
    """The object in a safetensors file, or its tensors by name in the order in which they lie if it has no other."""
    with _damage_told(name):
        start = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:start])
        metadata = header.pop("__metadata__", None) or {}
        in_order = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
        bounds = [facts["data_offsets"] for _, facts in in_order]
        ends = [0, *[end for _, end in bounds]]
        one_by_one = [begin for begin, _ in bounds] == ends[:-1] and start + ends[-1] == len(content)
        if not one_by_one or {*map(type, metadata.values())} - {str}:
            raise ValueError("its header describes another file")
        # Of some dtypes there are only arrays of NumPy, and the description says which are.
        known = _SAFETENSORS.keys() - (set() if "minigrad" in metadata else {"U16", "U32", "U64"})
        unknown = {facts["dtype"] for _, facts in in_order} - known
    if unknown:
        raise RuntimeError(f"{name} has tensors of dtypes that minigrad does not have: {sorted(map(str, unknown))}")
    with _damage_told(name):
        arrays = {
            each: _elements(content[start + begin : start + end], _SAFETENSORS[facts["dtype"]], facts["shape"])
            for (each, facts), (begin, end) in zip(in_order, bounds, strict=True)
        }
        if "minigrad" in metadata:
            return unpacked(metadata["minigrad"], arrays)
        return {each: _leaf(array) for each, array in arrays.items()}


def _pickled(name: str) -> str:
    danger = "a program that can do anything when it is read, and that minigrad never runs"
    remedy = "Store the tensors in PyTorch, safetensors.torch.save_file(state_dict, 'model.safetensors')"
    return f"{name} is a pickle, as PyTorch writes them: {danger}. {remedy}, and load that file"


@contextmanager
def _damage_told(name: str) -> Iterator[None]:
    """Make one kind of error of all that reading a damaged file can raise."""
    try:
        yield
    except Exception as error:
        # The system cannot look before the start of a file; other errors of its are not the file's.
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno != errno.EINVAL):
            raise
        raise RuntimeError(f"{name} is damaged or cut off: {error or type(error).__name__}") from error
