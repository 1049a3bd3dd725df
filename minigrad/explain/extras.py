"""What pictures need: packages that nothing else does, and words for those who do not see them."""

from __future__ import annotations

import html
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


def with_words(svg: str, title: str, description: str) -> str:
    """The SVG as one picture, whose title and description a screen reader reads."""
    before, opening, rest = svg.partition("<svg ")
    attributes, _, content = rest.partition(">")
    words = f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>"
    return f'{before}{opening}role="img" {attributes}>\n{words}{content}'
