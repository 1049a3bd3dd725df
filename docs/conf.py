"""How Sphinx makes the site: `python -m sphinx -W docs site`, with the dependency group `docs`.

The pages are Markdown.  Those in `api/` name modules; `{names}` finds what users see of them, so that the reference is
complete by itself.
"""

from __future__ import annotations

import html
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import minigrad
from minigrad.explain.graph import Graph, Vertex
from minigrad.explain.picture import page

project = html_title = "minigrad"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.linkcode", "sphinx_copybutton"]
exclude_patterns = ["notebooks"]
html_theme = "furo"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
pygments_dark_style = "github-dark"
# What is copied is what was typed: neither prompts nor what was printed.
copybutton_prompt_text, copybutton_prompt_is_regexp, copybutton_copy_empty_lines = r">>> |\.\.\. ?", True, False
myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]
# What docstrings have in `backticks` is code.
default_role = "literal"
add_module_names = False
# A thousand names in the tables of contents would make the build twice as long.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True
# What a class has from these is told there.
_TOLD = "Adam BaseException Dataset Distribution Generic LRScheduler Module Optimizer Sampler Tensor object tuple"
autodoc_default_options = {"members": True, "inherited-members": ",".join(_TOLD.split())}
python_use_unqualified_type_names = True


class Names(SphinxDirective):
    """`{names}` documents the functions and classes that users have of modules, or those that are listed below it."""

    required_arguments = 1
    final_argument_whitespace = has_content = True

    def run(self) -> list[nodes.Node]:
        names = [each for module in self.arguments[0].split() for each in self.names(module)]
        links = " · ".join([f":py:obj:`~{name}`" for name, _ in names]) if len(names) > 3 else ""
        entries = [f".. auto{kind}:: {name}" for name, kind in names]
        return self.parse_text_to_nodes("\n\n".join(["```{eval-rst}", links, *entries, "```"]))

    def names(self, module: str) -> Iterator[tuple[str, str]]:
        """The names of what is from the module, where users find it, and what each is."""
        inner = re.match(r"minigrad\.nn(?=\.modules|\.par)|minigrad(?=\.ops|\.tensors|\.random|\.serial)", module)
        listed = " ".join(self.content).split()
        home = importlib.import_module(inner[0] if inner and not listed else module)
        own = [*listed, *getattr(importlib.import_module(module), "__all__", [])]
        for name in listed or getattr(home, "__all__", vars(home)):
            value = getattr(home, name)
            if callable(value) and (name in own or inspect.unwrap(value).__module__ == module) and name[0] != "_":
                yield f"{home.__name__}.{name}", "class" if inspect.isclass(value) else "function"


class Methods(Names):
    """`{methods}` documents the methods, properties and attributes that modules give to `Tensor`."""

    def names(self, module: str) -> Iterator[tuple[str, str]]:
        """As for `{names}`; a plain value is the core's."""
        for name, value in vars(minigrad.Tensor).items():
            home = getattr(getattr(value, "fget", value), "__module__", None) or "minigrad.core.tensor"
            if home == module and name[0] != "_" and hasattr(minigrad.Tensor, name):
                kind = "property" if isinstance(value, property) else "method" if callable(value) else "attribute"
                yield f"minigrad.Tensor.{name}", kind


class Mermaid(SphinxDirective):
    """`.. mermaid::` draws a graph from the Mermaid text that `explain.graph` prints, as a picture of the page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = html.unescape(re.sub(r"#(\d+;)", r"&#\1", "\n".join(self.content)))
        labels = re.findall(r'(\w+)(\(?)\["(.*?)"\]', text)
        vertices = [Vertex(name, tuple(label.split("<br/>")), bool(leaf)) for name, leaf, label in labels]
        edges = re.findall(r"(\w+)\S* --> (\w+)", re.sub(r'".*?"', "", text))
        return [nodes.raw("", Graph(tuple(vertices), tuple(edges)).to_svg(), format="html")]


def as_rest(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Blocks below a colon stand as they are."""
    lines[:] = re.sub(r":\n\n(?= {4})", "::\n\n", "\n".join(lines)).split("\n")


def as_read(app: Sphinx, name: str, source: list[str]) -> None:
    """Links to modules lead to their pages on the site; the empty line that ends an example for the tests goes."""
    text = source[0].replace("\n\n```\n", "\n```\n")
    link = rf'<a href="{"../" * name.count("/")}_modules/\2.html">\1</a>'
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)+(minigrad/[\w/]+)\.py\)", link, text)


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The line of a function, method or class in the page of its module, for the pages in `api/`."""
    value: Any = importlib.import_module(info["module"] or "minigrad")
    for part in info["fullname"].split("."):
        value = inspect.getattr_static(value, part, None)
    value = getattr(value, "fget", getattr(value, "__func__", value))
    if getattr(value, "__module__", "").partition(".")[0] != "minigrad":
        return None
    try:
        line = f"#L-{inspect.getsourcelines(value)[1]}"
    except (OSError, TypeError):  # What a call made.
        line = ""
    # Where `pickle` finds a function is not where it is written: that is the file of what it is made of.
    home = getattr(value, "__wrapped__", value) if value.__module__ in ("minigrad", "minigrad.nn.functional") else value
    return f"../_modules/{path_of(sys.modules[home.__module__].__file__)}.html{line}"


def path_of(file: Any) -> str:
    """The path of a module from the folder of the package, without `.py`."""
    return Path(file).relative_to(Path(minigrad.__file__).parents[1]).with_suffix("").as_posix()


def other_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """A page with the source of each module; and the page to point at, which is one by itself."""
    for file in Path(minigrad.__file__).parent.rglob("*.py"):
        path = path_of(file)
        code = app.builder.highlighter.highlight_block(file.read_text(encoding="utf-8"), "python", lineanchors="L")
        yield f"_modules/{path}", {"title": f"{path}.py", "body": f"<h1>{path}.py</h1>{code}"}, "page.html"
    minigrad.manual_seed(123)
    command = "python -m minigrad 0 1 2 3 0 4 --vocab 6 --html page.html"
    lookup = page("the cat sat on the mat", minigrad.nn.Embedding(6, 3), "", command)
    next_page = "gradients-through-an-embedding.html#where-upstream-comes-from"
    onward = f'<footer><a target="_top" href="{next_page}">Where the upstream gradient comes from</a>. '
    Path(app.outdir, "lookup.html").write_text(lookup.replace("<footer>", onward), encoding="utf-8")


def say_language(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Some pages are in Chinese."""
    context["language"] = "zh-Hans" if name.startswith("zh/") else "en"


def setup(app: Sphinx) -> None:
    """Add the directives, the reading of docstrings, and what pages are to have."""
    app.add_directive("names", Names)
    app.add_directive("methods", Methods)
    app.add_directive("mermaid", Mermaid)
    app.connect("autodoc-process-docstring", as_rest)
    app.connect("source-read", as_read)
    app.connect("html-collect-pages", other_pages)
    app.connect("html-page-context", say_language)
