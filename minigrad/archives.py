"""The two formats of saved files: archives of NumPy arrays, and safetensors.

Beside the arrays both hold a description of what they are parts of, see `minigrad.structure`.  Nothing in a file is
trusted: all it says is checked before memory is taken for it, and nothing in it is executed.
"""

from __future__ import annotations

import errno
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.structure import packed, plain_name, tensors_of, unpacked

_DESCRIPTION = "structure.json"
# The header of an array as NumPy writes it, format 1.0; nothing else is let through.
_HEADER = re.compile(
    rb"{'descr': '([<|][biuf][1248])', 'fortran_order': (True|False), 'shape': \((\d+,|\d+(?:, \d+)+)?\), } *\n"
)
_SAFETENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip

# ---- writing -----------------------------------------------------------------------------------------------------


def prepared(obj: object, is_safetensors: bool) -> Callable[[IO[bytes]], None]:
    """What writes `obj` to an open file; all that cannot be stored is refused before there is one."""
    if is_safetensors:
        library = _library()
        text, arrays = packed(obj, _safetensors_name)
        return lambda file: _write_safetensors(library, file, text, arrays)
    text, arrays = packed(obj, plain_name)
    return lambda file: _write_archive(file, text, arrays)


def _write_archive(file: IO[bytes], text: str, arrays: dict[str, Array]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        # A ZipInfo of a name alone has a date that is always the same, and so equal objects make equal files.
        archive.writestr(zipfile.ZipInfo(_DESCRIPTION), text)
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def _write_safetensors(library: Any, file: IO[bytes], text: str, arrays: dict[str, Array]) -> None:
    # The library writes memory as it lies, so elements have to lie in the order of their indices.
    dense = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    # Libraries that read only tensors of PyTorch look for this format.
    file.write(library.numpy.save(dense, {"format": "pt", "minigrad": text}))


def _safetensors_name(path: str) -> str:
    name = path.encode("utf-8", "replace").decode()
    return f"{name}_" if name == "__metadata__" else name


# ---- reading -----------------------------------------------------------------------------------------------------


def from_archive(file: IO[bytes], name: str) -> Any:
    """The object in an archive that `prepared` wrote; a RuntimeError, which calls the file `name`, for any other."""
    start, size = file.read(16), file.seek(0, os.SEEK_END)
    if size == 0:
        raise RuntimeError(f"{name} is empty: there is nothing to load (if you have just written to it, seek(0) first)")
    if start[:1] == b"\x80":
        raise RuntimeError(_pickled(name))
    if start[:2] != b"PK":
        hint = " (safetensors files are read if their name ends in .safetensors)" if start[8:9] == b"{" else ""
        raise RuntimeError(f"{name} was not written by minigrad's torch.save, or is damaged at its start{hint}")
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
        arrays = {each.filename.removesuffix(".npy"): _array(archive.read(each)) for each in members if _is_array(each)}
        return unpacked(archive.read(_DESCRIPTION), arrays)


def _is_array(member: zipfile.ZipInfo) -> bool:
    return member.filename.endswith(".npy")


def _check_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Nothing if the members can all lie in a file of this size as they are: then reading takes no more memory."""
    if any([member.compress_type != zipfile.ZIP_STORED for member in members]):
        raise ValueError("a member is compressed, which torch.save does not do")
    if sum([member.file_size for member in members]) > size or any([member.header_offset > size for member in members]):
        raise ValueError("its members claim to be larger than the file")
    if len({member.filename for member in members}) < len(members):
        raise ValueError("two members have one name")


def _array(content: bytes) -> Array:
    """The array that NumPy's file format has here; a ValueError unless it is exactly that."""
    start = 10 + int.from_bytes(content[8:10], "little")
    header = _HEADER.fullmatch(content[10:start])
    if content[:8] != b"\x93NUMPY\x01\x00" or header is None:
        raise ValueError("a member is no array")
    shape = [int(size) for size in re.findall(rb"\d+", header[3] or b"")]
    # If there are more or fewer elements than the shape has, NumPy raises the error.
    elements = _elements(bytearray(memoryview(content)[start:]), header[1].decode())
    return elements.reshape(shape, order="F" if header[2] == b"True" else "C")


def _elements(content: bytearray, of: str) -> Array:
    """The bytes, in their memory, as elements of a dtype."""
    dtype = np.dtype(of)
    array = np.frombuffer(content, np.uint8 if dtype.kind == "b" else dtype)
    # Of a byte that is neither 0 nor 1, a bool would be neither True nor False.
    return array != 0 if dtype.kind == "b" else array


def from_safetensors(content: bytes, name: str) -> Any:
    """The object in a safetensors file, or its tensors by name in the order in which they lie if it has no other."""
    library = _library()
    with _damage_told(name, library.SafetensorError):
        found = dict(library.deserialize(content))
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        metadata = header.pop("__metadata__", None) or {}
    unknown = {each["dtype"] for each in found.values()} - _SAFETENSORS.keys()
    if "minigrad" not in metadata:
        # Those are NumPy's arrays only, and the description says which are.
        unknown |= {each["dtype"] for each in found.values()} & {"U16", "U32", "U64"}
    if unknown:
        raise RuntimeError(f"{name} has tensors of {', '.join(sorted(unknown))}, a dtype that minigrad does not have")
    with _damage_told(name):
        in_order = sorted(header, key=lambda each: header[each]["data_offsets"])
        arrays = {each: _from_library(**found.pop(each)) for each in in_order}
        if "minigrad" in metadata:
            return unpacked(metadata["minigrad"], arrays)
        return tensors_of(arrays.items())


def _from_library(dtype: str, shape: list[int], data: bytearray) -> Array:
    array = _elements(data, _SAFETENSORS[dtype]).reshape(shape)
    # A bfloat16 is the upper half of a float32.
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == "BF16" else array


def _library() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise RuntimeError(
            "files that end in .safetensors need the library safetensors, which is not installed: "
            "python -m pip install -e '.[io]', or choose another name, such as model.npz"
        ) from error
    return safetensors


def _pickled(name: str) -> str:
    return (
        f"{name} was written by PyTorch, as a pickle: a program that can do anything when it is read, and that "
        "minigrad never runs. Store the tensors in PyTorch, safetensors.torch.save_file(state_dict, "
        "'model.safetensors'), and load that file"
    )


_DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, ValueError, TypeError, AttributeError,
    ArithmeticError, RuntimeError, OSError,
)  # fmt: skip


@contextmanager
def _damage_told(name: str, *more: type[Exception]) -> Iterator[None]:
    """Make one kind of error of all that reading a damaged file can raise."""
    try:
        yield
    except _DAMAGE + more as error:
        # The system cannot look before the start of a file; other errors of its are not the file's.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise RuntimeError(f"{name} is damaged or cut off: {error or type(error).__name__}") from error
