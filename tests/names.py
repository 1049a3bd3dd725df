"""The names that PyTorch has, recorded: minigrad may lack one, and has no other.

    python -m tests.names

writes them anew, with PyTorch installed, into `names.json` beside this file.
"""

import importlib
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("names.json")

#: The places whose names users write.
PLACES = (
    "", "accelerator", "amp", "autograd", "autograd.functional", "backends", "cuda", "distributed", "distributions",
    "linalg", "mps", "nn", "nn.functional", "nn.init", "nn.parallel", "nn.utils", "nn.utils.rnn", "optim",
    "optim.lr_scheduler", "random", "testing", "utils", "utils.checkpoint", "utils.data", "utils.data.distributed",
    "utils.model_zoo", "version",
)  # fmt: skip


def names_of(package: str) -> dict[str, list[str]]:
    """The public names of each place in the package, and all of its Tensor."""
    found = {place: public(importlib.import_module(".".join([package, *place.split(".")] if place else [package])))
             for place in PLACES}  # fmt: skip
    tensor = importlib.import_module(package).Tensor
    return {**found, "Tensor": [name for name in dir(tensor) if hasattr(tensor, name)]}


def public(module: Any) -> list[str]:
    """The names that a module offers: those it lists, or, of ours, defines itself."""
    names = [name for name in dir(module) if not name.startswith("_")]
    if not module.__name__.startswith("minigrad") or module.__name__ == "minigrad.nn":
        return names
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    return [name for name in names if getattr(getattr(module, name), "__module__", None) == module.__name__]


def recorded() -> dict[str, set[str]]:
    """The names of PyTorch, by place."""
    return {place: set(names) for place, names in json.loads(FILE.read_text(encoding="utf-8")).items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(names_of("torch"), indent=0) + "\n", encoding="utf-8")
