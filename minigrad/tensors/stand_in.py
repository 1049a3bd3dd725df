"""`sys.modules["torch"] = minigrad`: a file that says `import torch.nn as nn` then gets minigrad's own modules."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType


class StandIn:
    """Finds the module minigrad.nn where torch.nn is asked for: itself, since a copy would have classes of its own."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        top, _, below = name.partition(".")
        stands_in = below and top != "minigrad" and getattr(sys.modules.get(top), "__name__", None) == "minigrad"
        return ModuleSpec(name, StandIn) if stands_in else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """A new module, whose place in `sys.modules` is then taken by the one that is found."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module("minigrad." + module.__name__.partition(".")[2])


# First of all finders: that of files would find minigrad's file, and execute it again under the other name.
sys.meta_path.insert(0, StandIn)
