"""Saving and loading, without pickle: a file holds numbers and their names, and nothing in it is ever executed.

Whatever its name, "model.pt" or "model.safetensors", it is a safetensors file: a header and the numbers.  PyTorch and
others read its tensors, by paths such as "model.weight", and nothing else of it.

The object that was saved is described by a text in the header, which refers to the arrays.  The text is JSON, as Python
writes it, with `Infinity` and `NaN`.  None, bools, numbers and strings stand for themselves; anything else is an object
whose first key says what it is: `{"tuple": [1, 2]}`, `{"dict": [["epoch", 3]]}`, `{"tensor": "model.weight"}`.  Nothing
in it names code: only what is listed here can be loaded.  Nothing in a file is trusted: all it says is checked before
memory is taken for it.
"""

from __future__ import annotations

import functools
import json
import os
import stat
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import IO, Any, TypeAlias

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.tensor import Size
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor
from minigrad.tensors.creation import new_leaf
from minigrad.tensors.devices import check_on_cpu, device
from minigrad.tensors.errors import advised

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
        replace(os.fspath(f), encoded(obj))
        return
    rest = memoryview(b"".join(encoded(obj)))
    while rest:
        # A file without a buffer may take a part of it at a time.
        written = f.write(rest)
        rest = rest[len(rest) if written is None else written :]


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
    place = map_location.get("cpu") if isinstance(map_location, dict) else map_location
    if place is not None and not callable(place):
        check_on_cpu(place)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return decoded(file.read(), os.fspath(f))
    return decoded(f.read(), "the file", in_stream=True)


def replace(path: str, parts: Iterable[bytes]) -> None:
    """Write a file beside `path`, which takes its place when all parts are in it; after an error it is gone."""
    target = os.path.realpath(path)
    folder, replaces = os.path.dirname(target), os.path.lexists(target)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if not os.path.basename(path) or (replaces and not os.path.isfile(target)):
        raise RuntimeError(f"open file failed: {path!r} is not the name of a file, but of a directory, device or link")
    if replaces:
        # Only who may write to it may replace it.
        open(target, "ab").close()
    temporary = os.path.join(folder, f".minigrad-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if replaces:
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


_VERSION = "1"
#: What stands for the sum while it is computed.
_NO_SUM = b"00000000"
_DEEPEST = 100
_PLAIN = (type(None), bool, int, float, str)
_COLLECTIONS: dict[str, type] = {
    each.__name__: each for each in (list, tuple, set, frozenset, Size, dict, OrderedDict, Counter)
}

#: The dtypes of the format as NumPy writes them, bfloat16 as two bytes.
_SAFETENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<V2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip


# ---- writing ---------------------------------------------------------------------------------------------------------


def encoded(obj: object) -> list[bytes]:
    """The parts of a safetensors file of `obj`: the header, with a text that describes it, and its arrays by path.

    Tensors on the very same memory are one array.  Errors: TypeError for what cannot be stored, ValueError for what
    is nested too deep or in itself.

    >>> import minigrad as torch
    >>> start, *numbers = encoded({"done": torch.tensor(True), "w": torch.zeros(2)})
    >>> header = json.loads(start[8:])
    >>> header["w"]
    {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]}
    >>> header["__metadata__"]["object"]
    '{"dict":[["done",{"tensor":"done"}],["w",{"tensor":"w"}]]}'
    """
    packer = _Packer()
    text = json.dumps(packer.pack(obj, ()), separators=(",", ":"))
    # Libraries that read only tensors of PyTorch look for this format.
    metadata = {"format": "pt", "minigrad": _VERSION, "minigrad_sum": _NO_SUM.decode(), "object": text}
    header: dict[str, object] = {"__metadata__": metadata}
    names = {numpys: name for name, numpys in _SAFETENSORS.items()}
    end = 0
    # Larger elements come first: then each lies at a multiple of its size.
    in_order = sorted(packer.arrays.items(), key=lambda item: -item[1].itemsize)
    for name, array in in_order:
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": names[array.dtype.str], "shape": array.shape, "data_offsets": (begin, end)}
    start = json.dumps(header, separators=(",", ":")).encode()
    start += b" " * (-len(start) % 8)
    start = len(start).to_bytes(8, "little") + start
    parts = [array.tobytes() for _, array in in_order]
    total = functools.reduce(lambda before, part: zlib.crc32(part, before), [start, *parts], 0)
    return [start.replace(_NO_SUM, b"%08x" % total, 1), *parts]


class _Packer:
    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        # For each memory the name of its array, and the tensors that lie on it, by their ids, with their numbers.
        self._memories: dict[object, tuple[str, dict[int, int]]] = {}

    def pack(self, value: Any, path: tuple[Any, ...]) -> Any:
        """What the text has for the value found at this path of keys."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if len(path) > _DEEPEST:
            raise ValueError(f"cannot save what is nested deeper than {_DEEPEST} levels, or contains itself")
        if kind is Tensor or kind is Parameter:
            return self._tensor(value, path)
        is_array = kind is np.ndarray
        if (is_array or isinstance(value, np.generic)) and value.dtype.newbyteorder("<").str in _SAFETENSORS.values():
            return {"array" if is_array else "scalar": self._add(np.asarray(value), path)}
        if _COLLECTIONS.get(kind.__name__) is not kind:
            raise TypeError(_refusal(value, path))
        if issubclass(kind, dict):
            pairs = [[self.pack(key, (*path, "key")), self.pack(each, (*path, key))] for key, each in value.items()]
            return {kind.__name__: pairs}
        return {kind.__name__: [self.pack(each, (*path, position)) for position, each in enumerate(value)]}

    def _tensor(self, x: Tensor, path: tuple[Any, ...]) -> dict[str, Any]:
        array = x._array
        key = array.__array_interface__["data"][0], array.dtype, array.shape, array.strides
        if key not in self._memories:
            self._memories[key] = self._add(array, path), {}
        name, tensors = self._memories[key]
        alias = tensors.setdefault(id(x), len(tensors))
        facts = {"alias": alias, "requires_grad": x._requires_grad, "parameter": isinstance(x, Parameter)}
        facts["columns"] = array.flags.f_contiguous and not array.flags.c_contiguous
        return {"tensor": name} | {fact: value for fact, value in facts.items() if value}

    def _add(self, array: Array, path: tuple[Any, ...]) -> str:
        name = ".".join([str(key) for key in path]) if path else "tensor"
        # Some text is no UTF-8, and one name is taken.
        name = name.encode("utf-8", "replace").decode()
        while name in self.arrays or name == "__metadata__":
            name += "_"
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
    holds = "a file holds tensors, arrays of numbers, numbers, strings, None, and dicts, lists, tuples and sets of them"
    return f"cannot save an object of {type(value)}{where}: {holds}, and never code; {remedy}"


# ---- reading ---------------------------------------------------------------------------------------------------------


class _Unpacker:
    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._tensors: dict[tuple[str, int], Tensor] = {}

    def unpack(self, node: dict[str, Any]) -> Any:
        """What an object of the text stands for, in which the objects have been unpacked."""
        if "tensor" in node:
            return self._tensor(**node)
        ((kind, content),) = node.items()
        if kind in _COLLECTIONS:
            if not isinstance(content, list):
                raise ValueError(f"expected a list of what the {kind} holds")
            made = _COLLECTIONS[kind]
            return made(dict(content) if issubclass(made, dict) else content)
        if kind in ("array", "scalar"):
            return self._arrays[content] if kind == "array" else self._arrays[content][()]
        if kind == "float":
            # As files had inf and nan before JSON's own were in them.
            return float(content)
        raise ValueError(f"the description has a {kind!r}")

    def _tensor(
        self, tensor: str, alias: int = 0, requires_grad: bool = False, parameter: bool = False, columns: bool = False
    ) -> Tensor:
        if (tensor, alias) not in self._tensors:
            first, array = self._tensors.get((tensor, 0)), self._arrays[tensor]
            made = first.detach() if first is not None else new_leaf(np.asfortranarray(array) if columns else array)
            if parameter:
                made = Parameter(made, requires_grad)
            self._tensors[tensor, alias] = made.requires_grad_(requires_grad)
        return self._tensors[tensor, alias]


def decoded(content: bytes, name: str, in_stream: bool = False) -> Any:
    """The object in a safetensors file, or its tensors by name in the order in which they lie if it has no other.

    More may follow `in_stream`.  Errors: RuntimeError, which calls the file `name`, for all other files.
    """
    if content[8:9] != b"{":
        raise RuntimeError(f"{name} {_other_format(content)}")
    try:
        return _decoded(content, in_stream)
    except MemoryError:
        raise
    except NotImplementedError as error:
        raise RuntimeError(f"{name} has {error}") from None
    except Exception as error:
        raise RuntimeError(f"{name} is damaged or cut off: {error or type(error).__name__}") from error


def _other_format(content: bytes) -> str:
    """What is said of a file that is none of safetensors."""
    if not content:
        return "is empty: there is nothing to load (if you have just written to it, seek(0) first)"
    if content[:1] == b"\x80" or (content[:2] == b"PK" and b"data.pkl" in content):
        danger = "a program that can do anything when it is read, and that minigrad never runs"
        remedy = "Store the tensors in PyTorch, safetensors.torch.save_file(state_dict, 'model.safetensors')"
        return f"is a pickle, as PyTorch writes them: {danger}. {remedy}, and load that file"
    numpys = "numpy.load and numpy.loadtxt read other arrays, and torch.from_numpy makes tensors of them"
    return f"was not written by minigrad's torch.save, or is damaged at its start ({numpys})"


def _decoded(content: bytes, in_stream: bool) -> Any:
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    metadata = header.pop("__metadata__", None) or {}
    in_order = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    bounds = [facts["data_offsets"] for _, facts in in_order]
    ends = [0, *[end for _, end in bounds]]
    size = start + ends[-1]
    fits = size <= len(content) if in_stream else size == len(content)
    if not fits or [begin for begin, _ in bounds] != ends[:-1] or {type(each) for each in metadata.values()} - {str}:
        raise ValueError("its header describes another file")
    body = memoryview(content)[start:size]
    is_ours = not metadata.keys().isdisjoint({"minigrad", "minigrad_sum"})
    if is_ours:
        written = metadata["minigrad_sum"]
        total = zlib.crc32(body, zlib.crc32(content[:start].replace(written.encode(), _NO_SUM, 1)))
        if metadata["minigrad"] != _VERSION or int(written, 16) != total:
            raise ValueError(f"its sum is another, or its version is not {_VERSION}")
    if unknown := {facts["dtype"] for _, facts in in_order} - _SAFETENSORS.keys():
        raise NotImplementedError(f"tensors of dtypes that minigrad does not have: {sorted(map(str, unknown))}")
    arrays = {
        each: _elements(body[begin:end], _SAFETENSORS[facts["dtype"]], facts["shape"])
        for (each, facts), (begin, end) in zip(in_order, bounds, strict=True)
    }
    if is_ours:
        return json.loads(metadata["object"], object_hook=_Unpacker(arrays).unpack)
    return {each: new_leaf(array) for each, array in arrays.items()}


def _elements(content: memoryview, dtype: str, shape: list[int]) -> Array:
    """The bytes, in memory of their own, as an array of this shape; NumPy's error if they are more or fewer."""
    if min(shape, default=0) < 0:
        raise ValueError(f"an array has the shape {shape}")
    memory = bytearray(content)
    if dtype == _SAFETENSORS["BF16"]:
        bits = np.frombuffer(memory, np.uint16).reshape(shape)
        # If it is not installed, as float32, of which they are the upper half.
        installed = hasattr(dtypes, "bfloat16")
        return bits.view(dtypes.bfloat16._numpy) if installed else (bits.astype(np.uint32) << 16).view(np.float32)
    if dtype == _SAFETENSORS["BOOL"]:
        # Of a byte that is neither 0 nor 1, a bool would be neither True nor False.
        return np.frombuffer(memory, np.uint8).reshape(shape) != 0
    return np.frombuffer(memory, dtype).reshape(shape)
