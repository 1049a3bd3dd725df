"""Packages that only pictures need."""

from __future__ import annotations

import importlib
from typing import Any


def extra(module: str, what: str, name: str) -> Any:
    """The module, or an ImportError that says what needs it and how to install the extra that brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}, which is not installed: pip install -e '.[{name}]'",
            name=module,
        ) from error
