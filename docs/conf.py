"""How Sphinx makes the site: `python -m sphinx -W docs site`, with the dependency group `docs`.

The pages are Markdown.  Those in `api/` list modules, and `Tensor` by the families of its methods; the directives below
find the public functions and classes, so that the reference is complete by itself.  Values have no docstrings: those
pages tell what they are.
"""

from __future__ import annotations

import html
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import minigrad
from minigrad.declare import declared
from minigrad.explain.graph import Graph, Vertex
from minigrad.explain.page import page

PACKAGE = Path(minigrad.__file__).parent

project = "minigrad"
author = "the minigrad authors"
version = release = minigrad.__version__.partition("+minigrad.")[2]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.linkcode", "sphinx_copybutton"]
html_theme = "furo"
html_title = "minigrad"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Prompts and outputs are not copied.
copybutton_exclude = ".linenos, .gp, .go, .gt"
exclude_patterns = ["notebooks"]

myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]

add_module_names = False
# What docstrings have in `backticks` is code.
default_role = "literal"
# A thousand names in the tables of contents would make the build twice as long.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True


class Names(SphinxDirective):
    """`{names}` documents the functions and classes of modules, or those of one module that are listed below it.

    `:of: home` says from where users import them, where the folder does not tell.
    """

    required_arguments = 1
    final_argument_whitespace = has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"of": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        names = [name for module in self.arguments[0].split() for name in self.names(importlib.import_module(module))]
        links = [" · ".join([f":py:obj:`~{home.__name__}.{name}`" for home, name in names])] if len(names) > 3 else []
        return in_rest(self, [*links, *[entry(home, name) for home, name in names]])

    def names(self, module: Any) -> Iterator[tuple[Any, str]]:
        home = importlib.import_module(
            self.options.get("of") or home_of_names(module.__name__, listed=bool(self.content))
        )
        names = " ".join(self.content).split() or sorted(public(module), key=[*vars(module)].index)
        # Of two things of one name, users see one; a declared function may have several names.
        seen = [name for name in names if getattr(home, name, None) is getattr(module, name)]
        own = [name for name, each in declared["torch"].items() if each.__module__ == module.__name__]
        yield from [(home, name) for name in dict.fromkeys([*seen, *own] if home is minigrad else seen)]


class Methods(SphinxDirective):
    """`{methods}` documents the methods, properties and attributes that modules give to `Tensor`."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        modules = self.arguments[0].split()
        members = {name: member for name, member in vars(minigrad.Tensor).items() if hasattr(minigrad.Tensor, name)}
        seen = [name for each in modules for name in members if home_of(members[name]) == each and name[0] != "_"]
        entries = [f".. {kind_of(members[name])}:: minigrad.Tensor.{name}" for name in seen]
        return in_rest(self, entries)


class Mermaid(SphinxDirective):
    """`.. mermaid::` draws a graph from the Mermaid text that `explain.graph` prints, as a picture of the page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = html.unescape(re.sub(r"#(\d+;)", r"&#\1", "\n".join(self.content)))
        labels = re.findall(r'(\w+)(\(?)\["(.*?)"\]', text)
        vertices = [Vertex(name, tuple(label.split("<br/>")), bool(leaf)) for name, leaf, label in labels]
        edges = re.findall(r"(\w+)\S* --> (\w+)", re.sub(r'".*?"', "", text))
        return [nodes.raw("", Graph(tuple(vertices), tuple(edges)).to_svg(), format="html")]


class Live(SphinxDirective):
    """`.. live:: the cat sat` shows the page to point at, of `python -m minigrad --html`, for these words."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        minigrad.manual_seed(123)
        made = page(
            self.arguments[0],
            minigrad.nn.Embedding(6, 3),
            "",
            "python -m minigrad 0 1 2 3 0 4 --vocab 6 --html page.html",
        )
        frame = f'<iframe class="live" title="A lookup, to point at" srcdoc="{html.escape(made)}"></iframe>'
        return [nodes.raw("", frame, format="html")]


def in_rest(directive: SphinxDirective, paragraphs: list[str]) -> list[nodes.Node]:
    """What paragraphs of reStructuredText make, on a page of Markdown."""
    return directive.parse_text_to_nodes("\n\n".join(["```{eval-rst}", *paragraphs, "```"]))


def home_of_names(module: str, listed: bool) -> str:
    """The module from which users import the names of a module; those that are listed, from where they are."""
    folder = re.match(r"minigrad\.nn(?=\.modules|\.parameter)|minigrad(?=\.ops|\.tensors|\.random|\.serial)", module)
    return folder[0] if folder and not listed else module


def home_of(member: Any) -> str:
    """The module that a member of `Tensor` is from; a plain value is the core's."""
    return getattr(getattr(member, "fget", member), "__module__", None) or "minigrad.core.tensor"


def kind_of(member: Any) -> str:
    """The directive that documents a member of a class."""
    return "autoproperty" if isinstance(member, property) else "automethod" if callable(member) else "autoattribute"


def public(module: Any) -> list[str]:
    """The names of `__all__`, or else those that the module defines itself; of values and modules, none."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
        listed = [name for name in own if not name.startswith("_")]
    return [name for name in listed if callable(getattr(module, name))]


def entry(home: Any, name: str) -> str:
    """The directive that documents the name; of a class, with what it has from classes that have no entry."""
    value = getattr(home, name)
    if not inspect.isclass(value):
        return f".. autofunction:: {home.__name__}.{name}"
    told = [base for base in value.__mro__[1:] if not ours(base) or known(base, home) or known(base, minigrad)]
    elsewhere = sorted({each.__name__ for base in told for each in base.__mro__})
    return f".. autoclass:: {home.__name__}.{name}\n   :members:\n   :inherited-members: {', '.join(elsewhere)}"


def ours(value: Any) -> bool:
    """Whether minigrad defines it."""
    return value.__module__.partition(".")[0] == "minigrad"


def known(cls: type, module: Any) -> bool:
    """Whether users find the class in the module."""
    return cls.__name__ in public(module) and getattr(module, cls.__name__) is cls


def as_called(app: Sphinx, what: str, name: str, obj: Any, options: Any, given: str, result: str) -> tuple[str, str]:
    """Types by the names that users know: within `Tensor`, whose methods are `int` and `bool`, these need a module."""
    given, result = (text and re.sub(r"\b(builtins|dtypes|layouts)\.", "", text) for text in (given, result))
    return given, result


def as_rest(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Blocks below a colon stand as they are."""
    lines[:] = re.sub(r":\n\n(?= {4})", "::\n\n", "\n".join(lines)).split("\n")


def as_read(app: Sphinx, page: str, source: list[str]) -> None:
    """Links to modules lead to their pages on the site; the empty line that ends an example for the tests goes."""
    text = source[0].replace("\n\n```\n", "\n```\n")
    up = "../" * page.count("/")
    link = rf'<a href="{up}_modules/\2.html">\1</a>'
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)+(minigrad/[\w/]+)\.py\)", link, text)


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The line of a function, method or class in the page of its module, for the pages in `api/`."""
    value: Any = importlib.import_module(info["module"] or "minigrad")
    for part in info["fullname"].split("."):
        value = inspect.getattr_static(value, part, None)
    value = getattr(value, "fget", getattr(value, "__func__", value))
    if not (inspect.isroutine(value) or inspect.isclass(value)) or not ours(value):
        return None
    try:
        line = f"#L-{inspect.getsourcelines(value)[1]}"
    except OSError:  # What a call made.
        line = ""
    return f"../_modules/{path_of(Path(inspect.getfile(sys.modules[value.__module__])))}.html{line}"


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """A page with the source of each module."""
    for file in PACKAGE.rglob("*.py"):
        path = path_of(file)
        code = app.builder.highlighter.highlight_block(file.read_text(encoding="utf-8"), "python", lineanchors="L")
        yield f"_modules/{path}", {"title": f"{path}.py", "body": f"<h1>{path}.py</h1>{code}"}, "page.html"


def path_of(file: Path) -> str:
    """The path of a module from the folder of the package, without `.py`."""
    return file.relative_to(PACKAGE.parent).with_suffix("").as_posix()


def say_language(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Some pages are in Chinese."""
    context["language"] = "zh-Hans" if name.startswith("zh/") else "en"


def setup(app: Sphinx) -> None:
    """Add the directives, the reading of docstrings, and what pages are to have."""
    app.add_directive("names", Names)
    app.add_directive("methods", Methods)
    app.add_directive("mermaid", Mermaid)
    app.add_directive("live", Live)
    app.connect("autodoc-process-docstring", as_rest)
    app.connect("autodoc-process-signature", as_called)
    app.connect("source-read", as_read)
    app.connect("html-collect-pages", source_pages)
    app.connect("html-page-context", say_language)
