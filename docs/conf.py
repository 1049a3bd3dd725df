"""How Sphinx makes the site: `python -m sphinx -W docs site`, with the extra `docs`.

The pages are Markdown.  Those in `api/` list modules, and `Tensor` by the families of its methods; the directives below
find the public names, so that the reference is complete by itself.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import minigrad

project = "minigrad"
author = "the minigrad authors"
version = release = minigrad.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinxcontrib.mermaid"]
html_theme = "furo"
html_title = "minigrad"
exclude_patterns = ["notebooks"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]

add_module_names = False
# A thousand names in the tables of contents would make the build twice as long.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True


class Names(SphinxDirective):
    """`.. names:: module` documents the public names of a module, or those of them that are listed below.

    `:of: home` says from where users import them.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"of": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        home = importlib.import_module(self.options.get("of", module.__name__))
        names = " ".join(self.content).split() or public(module)
        # Of two things of one name, users see one.
        seen = [name for name in names if getattr(home, name) is getattr(module, name)]
        return self.parse_text_to_nodes("\n\n".join(entry(home.__name__, name, getattr(home, name)) for name in seen))


class Methods(SphinxDirective):
    """`.. methods:: module.Family` documents the methods that a family gives to `Tensor`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module, _, family = self.arguments[0].rpartition(".")
        members = vars(getattr(importlib.import_module(module), family))
        seen = [name for name in members if members[name] is inspect.getattr_static(minigrad.Tensor, name, None)]
        kinds = {name: kind_of(members[name]) for name in seen if not name.startswith("_")}
        return self.parse_text_to_nodes(
            "\n\n".join(f".. {kind}:: minigrad.Tensor.{name}" for name, kind in kinds.items())
        )


def kind_of(member: Any) -> str:
    """The directive that documents a member of a class."""
    return "autoproperty" if isinstance(member, property) else "automethod" if callable(member) else "autoattribute"


def public(module: Any) -> list[str]:
    """The names of `__all__`, or else those that the module defines itself; of modules, none."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
        listed = [name for name in own if not name.startswith("_")]
    return [name for name in listed if not inspect.ismodule(getattr(module, name))]


def entry(home: str, name: str, value: Any) -> str:
    """The directive that documents the name."""
    if inspect.isclass(value):
        return f".. autoclass:: {home}.{name}\n   :members:"
    if callable(value):
        return f".. autofunction:: {home}.{name}"
    return f".. py:data:: {home}.{name}\n\n   ``{value!r}``"


def as_rest(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `code`: make reStructuredText of it, with indented blocks as they stand."""
    # The names of a definition, in as many lines as they take, are one term.
    text = re.sub(r"(?m)^(`.*,)\n(?=`)", r"\1 ", "\n".join(lines))
    paragraphs = re.split(r"\n\n+", text.strip("\n"))
    made: list[str] = []
    for paragraph in paragraphs:
        if paragraph.startswith(" "):
            made += ["::\n\n" + paragraph]
        elif ">>> " in paragraph:
            made += [paragraph]
        else:
            made += [_inline(paragraph)]
    lines[:] = [*"\n\n".join(made).split("\n"), ""]


def _inline(text: str) -> str:
    """The text with `code` as literals, and all else as it stands."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        f"`{part}`" if part.startswith("`") else re.sub(r"([*|\\]|_(?!\w))", r"\\\1", part) for part in parts
    )


def setup(app: Sphinx) -> None:
    """Add the directives, and the reading of docstrings."""
    app.add_directive("names", Names)
    app.add_directive("methods", Methods)
    app.connect("autodoc-process-docstring", as_rest)
