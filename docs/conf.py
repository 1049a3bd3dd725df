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
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import minigrad
from minigrad.declare import declared
from minigrad.explain.graph import Graph, Vertex
from minigrad.explain.page import page

PACKAGE = Path(minigrad.__file__).parent

project = "minigrad"
author = "the minigrad authors"
version = release = minigrad.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]
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
# A thousand names in the tables of contents would make the build twice as long.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True


class Names(SphinxDirective):
    """`.. names:: module` documents the functions and classes of a module, or those of them that are listed below.

    `:of: home` says from where users import them.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"of": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        home = importlib.import_module(self.options.get("of", module.__name__))
        names = " ".join(self.content).split() or public(module)
        # Of two things of one name, users see one; a declared function may have several names.
        seen = [name for name in names if getattr(home, name, None) is getattr(module, name)]
        if home is minigrad:
            own = [name for name, each in declared["torch"].items() if each.__module__ == module.__name__]
            seen += [name for name in own if name not in seen]
        links = [" · ".join([f":py:obj:`~{home.__name__}.{name}`" for name in seen])] if len(seen) > 3 else []
        return self.parse_text_to_nodes("\n\n".join([*links, *[entry(home, name) for name in seen]]))


class Methods(SphinxDirective):
    """`.. methods:: module` documents the methods, properties and attributes that a module gives to `Tensor`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        members = vars(minigrad.Tensor)
        seen = [name for name, each in members.items() if home_of(each) == self.arguments[0]]
        kinds = {name: kind_of(members[name]) for name in seen if not name.startswith("_")}
        return self.parse_text_to_nodes(
            "\n\n".join(f".. {kind}:: minigrad.Tensor.{name}" for name, kind in kinds.items())
        )


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


# ---- source files ------------------------------------------------------------------------------------------------


# The modules that pages link to: each is to have a page, also if nothing in it has an entry in the reference.
linked: set[str] = set()


def lead_to_source(app: Sphinx, doctree: nodes.document) -> None:
    """Links to modules, which work where pages are read as files, lead to pages with their source on the site."""
    page = app.env.current_document.docname
    for link in list(doctree.findall(download_reference)):
        file = (Path(app.srcdir, page).parent / link["reftarget"]).resolve()
        if file.suffix == ".py" and file.is_relative_to(PACKAGE):
            path = file.relative_to(PACKAGE.parent).with_suffix("").as_posix()
            linked.add(path.replace("/", "."))
            app.env.note_dependency(file)
            uri = app.builder.get_relative_uri(page, f"_modules/{path}")
            link.replace_self(nodes.reference("", "", *link.children, refuri=uri, internal=True))


def show_source(app: Sphinx) -> list[Any]:
    """Let `viewcode` make pages of the modules that are linked, too, and list none that it has no page of."""
    pages = app.env._viewcode_modules
    for module in linked - pages.keys():
        pages[module] = (ModuleAnalyzer.for_module(module).code, {}, {}, module)
    app.env._viewcode_modules = {module: page for module, page in pages.items() if page}
    return []


def source_of(app: Sphinx, module: str | None, name: str) -> str | None:
    """The module with the source of a function or method, which need not be that of its name; it is marked there."""
    if not (module or "").startswith("minigrad"):
        return None
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = inspect.getattr_static(value, part, None)
    function = inspect.unwrap(getattr(value, "fget", value))
    if not inspect.isfunction(function) or not ours(function):
        return None
    lines, start = inspect.getsourcelines(function)
    analyzer = ModuleAnalyzer.for_module(function.__module__)
    analyzer.find_tags()
    analyzer.tags.setdefault(name, ("def", start, start + len(lines) - 1))
    return function.__module__


def close_up(app: Sphinx, page: str, source: list[str]) -> None:
    """Leave out the empty line that ends an example for the tests: the site would show it."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def finish(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Say the language of a page; leave out links back from source: `viewcode` takes a module to be on one page."""
    context["language"] = "zh-Hans" if name.startswith("zh/") else "en"
    context["body"] = re.sub(r'<a class="viewcode-back".*?</a>\n', "", context.get("body", ""))


def setup(app: Sphinx) -> None:
    """Add the directives, the reading of docstrings, and what pages are to have."""
    app.add_directive("names", Names)
    app.add_directive("methods", Methods)
    app.add_directive("mermaid", Mermaid)
    app.add_directive("live", Live)
    app.connect("autodoc-process-docstring", as_rest)
    app.connect("autodoc-process-signature", as_called)
    app.connect("viewcode-follow-imported", source_of)
    # Before Sphinx copies what can be downloaded, and before `viewcode` lists its pages.
    app.connect("doctree-read", lead_to_source, priority=400)
    app.connect("html-collect-pages", show_source, priority=400)
    app.connect("source-read", close_up)
    app.connect("html-page-context", finish)
