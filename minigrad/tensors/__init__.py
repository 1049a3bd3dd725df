"""How tensors are made, drawn at random, shown, stored and set up; a file is named by what is in it."""

from importlib import import_module
from typing import Any

_LATER = ("failures", "hooks", "printing", "sparse")


def __getattr__(name: str) -> Any:
    """A file that is imported when it is first asked for: not every program prints, hangs hooks, or errs."""
    if name in _LATER:
        return import_module(f"minigrad.tensors.{name}")
    raise AttributeError(f"module 'minigrad.tensors' has no attribute {name!r}")
