"""Saving and loading, without pickle: a file holds numbers and their names, and nothing in it is ever executed.

A path that ends in ".safetensors" is a file of that format (by the library safetensors, which `minigrad[io]` installs):
PyTorch and others read its tensors.  Any other file is an archive of NumPy arrays, as `numpy.load` reads it, whatever
its name, "model.pt" or "model.npz".  Both are told in `minigrad.tensors.file_formats`.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeAlias

from minigrad.tensors import file_formats
from minigrad.tensors.options import check_on_cpu, device

__all__ = ["load", "save"]

File: TypeAlias = str | os.PathLike[str] | IO[bytes]


def save(obj: object, f: File) -> None:
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
    if isinstance(f, str | os.PathLike):
        path = os.fspath(f)
        if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
            # A device such as /dev/null is written to, not replaced.
            archive = io.BytesIO()
            save(obj, archive)
            with open(path, "wb") as opened:
                opened.write(archive.getvalue())
            return
        write = file_formats.prepared(obj, path.endswith(".safetensors"))
        with _replacing(path) as file:
            write(file)
    elif hasattr(f, "write"):
        file_formats.prepared(obj, False)(f)
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
    of bfloat16 become float32.  Errors: RuntimeError for a file that is damaged or in another format, such as
    PyTorch's own, which is a program (a pickle); FileNotFoundError and its like as from `open`.
    """
    if isinstance(map_location, dict):
        map_location = map_location.get("cpu")
    if isinstance(map_location, str | device):
        check_on_cpu(map_location)
    elif map_location is not None and not callable(map_location):
        raise TypeError(f"map_location: expected a device, a dict or a function, got {type(map_location).__name__}")
    if isinstance(f, str | os.PathLike):
        path = os.fspath(f)
        with open(path, "rb") as file:
            if path.endswith(".safetensors"):
                return file_formats.from_safetensors(file.read(), path)
            return file_formats.from_archive(file, path)
    if not hasattr(f, "read"):
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object, got {type(f).__name__}")
    return file_formats.from_archive(io.BytesIO(f.read()), "the file")


@contextmanager
def _replacing(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, beside `path`, which takes its place at the end; after an error it is gone."""
    if not os.path.basename(path):
        raise RuntimeError(f"expected the name of a file to write, got the path {path!r}")
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if os.path.isdir(target):
        raise RuntimeError(f"open file failed with strerror: Is a directory: {path}")
    mode = os.stat(target).st_mode if os.path.exists(target) else None
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    temporary = os.path.join(folder, f".minigrad-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
