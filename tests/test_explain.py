"""The story of a backward pass is what happened, and pictures show the numbers that loops give."""

from __future__ import annotations

import html
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad import explain
from minigrad.autograd.function import Function
from minigrad.autograd.node import Node
from minigrad.explain.formulas import forward_formula, gradient_formulas, needed_formulas
from minigrad.explain.pair import pair


def leaf(*values: Any) -> Any:
    data = values[0] if isinstance(values[0], list) else values
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)


class Cube(Function):
    """`x**3`.   dx = 3 * g * x**2."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


def shared() -> tuple[Any, list[Any]]:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    c = a * b
    return (c * a + c.exp()).sum(), [a, b]


def embedded() -> tuple[Any, list[Any]]:
    table, weight = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), leaf([[0.5, -1.0], [2.0, 1.0]])
    x = torch.nn.functional.embedding(torch.tensor([2, 0, 2]), table)
    scores = torch.nn.functional.linear(x, weight)
    return torch.nn.functional.cross_entropy(scores, torch.tensor([0, 1, 1])), [table, weight]


def several() -> tuple[Any, list[Any]]:
    x = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    top, bottom = (x * 2).split([1, 2])
    return (top.sum() * 3 + bottom.prod()), [x]


def in_place() -> tuple[Any, list[Any]]:
    x = leaf(1.0, -2.0, 3.0)
    y = x * 2
    y[0] = 0
    y[1:] *= x[1:]
    y.relu_()
    return y.sum() + x.sum(), [x]


def own_function() -> tuple[Any, list[Any]]:
    x = leaf(1.0, 2.0)
    return Cube.apply(Cube.apply(x)).sum(), [x]


def sparse() -> tuple[Any, list[Any]]:
    table = leaf([[1.0, 2.0], [3.0, 4.0]])
    return torch.nn.functional.embedding(torch.tensor([1, 1]), table, sparse=True).sum(), [table]


GRAPHS = [shared, embedded, several, in_place, own_function, sparse]
graphs = pytest.mark.parametrize("make", GRAPHS, ids=lambda make: make.__name__)


def dense(gradient: Any) -> list[Any]:
    return (gradient.to_dense() if gradient.is_sparse else gradient).tolist()


# ---- the story -------------------------------------------------------------------------------------------------------


@graphs
def test_it_leaves_the_gradients_that_backward_leaves(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    explain.backward(loss)
    expected_loss, expected = make()
    expected_loss.backward()
    assert [dense(x.grad) for x in leaves] == [dense(x.grad) for x in expected]
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


@graphs
def test_nothing_is_left_hanging_on_the_graph(make: Callable[[], Any]) -> None:
    loss, _ = make()
    first = explain.backward(loss, retain_graph=True)
    calls = len(first.steps)
    loss.backward(retain_graph=True)
    assert len(first.steps) == calls
    again = explain.backward(loss)
    assert [step.went_out for step in again.steps] != first.steps
    assert [step.operation for step in again.steps] == [step.operation for step in first.steps]


@graphs
def test_a_failed_walk_leaves_no_hooks(make: Callable[[], Any]) -> None:
    loss, _ = make()
    handle = loss.grad_fn.register_prehook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explain.backward(loss, retain_graph=True)
    handle.remove()
    stack, seen = [loss.grad_fn], []
    while stack:
        node = stack.pop()
        seen.append(node)
        stack += [each for each, _ in node.next_functions if isinstance(each, Node)]
    assert not any(hooks for node in seen if node.watch for hooks in node.watch.hooks.values())


@graphs
def test_what_goes_to_a_place_adds_up_to_what_is_there(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    names = {f"x{k}": x for k, x in enumerate(leaves)}
    story = explain.backward(loss, names=names, max_values=1000)
    assert story.steps[0].number == 1
    arrived: dict[str, Any] = {}
    # Gradients of several outputs come to one step, but do not add up.
    apart = {f"step {step.number}" for step in story.steps if len(step.came_in) > 1}
    for step in story.steps:
        for passed in step.went_out:
            assert passed.value is not None
            assert passed.added == (passed.to in arrived and passed.to not in apart)
            if passed.value.array is not None:
                arrived[passed.to] = arrived.get(passed.to, 0) + passed.value.array
    for step in story.steps[1:]:
        if len(step.came_in) == 1:
            np.testing.assert_allclose(step.came_in[0].array, arrived[f"step {step.number}"])
    for name, x in names.items():
        if f"{name}.grad" in arrived:
            np.testing.assert_allclose(x.grad.numpy(), arrived[f"{name}.grad"])
    assert {told.name for told in story.leaves} == set(names)


def test_each_step_is_told_with_the_formulas_of_the_source() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    loss = (a * b).sum()
    story = explain.backward(loss, names={"a": a, "b": b, "loss": loss})
    assert story.start == "loss = 11."
    total, product = story.steps
    assert [total.operation, product.operation] == ["SumBackward0", "MulBackward0"]
    assert product.formula == "`a * b`"
    assert [(passed.rule, passed.to) for passed in product.went_out] == [
        ("da = g * b", "a.grad"),
        ("db = g * a: the gradient of each factor is scaled by the other one", "b.grad"),
    ]
    assert [value.array.tolist() for value in total.came_in] == [1.0]
    assert [passed.value.array.tolist() for passed in product.went_out] == [[3.0, 4.0], [1.0, 2.0]]
    assert type(loss.grad_fn).__doc__ is not None
    assert total.went_out[0].rule in re.sub(r"\s+", " ", type(loss.grad_fn).__doc__)


def test_a_gradient_that_no_rule_is_asked_for_is_not_told() -> None:
    x = leaf(1.0, 2.0)
    story = explain.backward((torch.tensor([2.0, 3.0]).double() * x).sum(), names={"x": x})
    assert [(passed.rule[:10], passed.to) for passed in story.steps[1].went_out] == [("db = g * a", "x.grad")]


def test_what_is_there_already_is_told() -> None:
    x = leaf(1.0)
    story = explain.backward(x * 3)
    assert (story.leaves[0].before, story.leaves[0].after.text, story.leaves[0].steps) == (None, "[3.]", (1,))
    story = explain.backward(x * 4)
    assert (story.leaves[0].before.text, story.leaves[0].after.text) == ("[3.]", "[7.]")
    assert "leaf 1" in str(story)


def test_it_tells_what_was_and_not_what_became_of_it() -> None:
    x = leaf(1.0, 2.0)
    story = explain.backward((x * 2 + x * 3).sum(), names={"x": x})
    x.grad.zero_()
    # The walk adds the second gradient into the first one.
    sent = [passed.value.array.tolist() for step in story.steps for passed in step.went_out if passed.to == "x.grad"]
    assert sent == [[3.0, 3.0], [2.0, 2.0]]
    assert story.leaves[0].after.array.tolist() == [5.0, 5.0]


def test_a_leaf_alone_has_a_story_too() -> None:
    x = leaf(2.0)
    story = explain.backward(x, names={"x": x})
    assert story.steps == ()
    assert x.grad.tolist() == [1.0]
    assert "nothing" in str(story)


def test_with_inputs_the_rest_is_not_asked_for() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    c = a * b
    story = explain.backward((c * a).sum(), inputs=[c, b], names={"a": a, "b": b, "c": c})
    assert a.grad is None
    assert [c.grad.tolist(), b.grad.tolist()] == [[1.0, 2.0], [1.0, 4.0]]
    assert [told.name for told in story.leaves] == ["c", "b"]
    places = {passed.to for step in story.steps for passed in step.went_out}
    assert places == {"step 2", "step 3 and c.grad", "not asked for", "b.grad"}


def test_gradients_of_gradients() -> None:
    x = leaf(2.0)
    explain.backward(Cube.apply(x), create_graph=True)
    first = x.grad
    assert first.grad_fn is not None
    x.grad = None
    story = explain.backward(first.sum(), names={"x": x})
    assert x.grad.tolist() == [12.0]
    assert [step.operation for step in story.steps][-1] == "PowBackward0"


def test_upstream_gradients_and_several_starts() -> None:
    x = leaf(1.0, 2.0)
    story = explain.backward([x * 2, x * 3], [torch.tensor([1.0, 10.0]), torch.tensor([1.0, 1.0])], names={"x": x})
    assert x.grad.tolist() == [5.0, 23.0]
    assert story.start == "a tensor of shape (2,), a tensor of shape (2,)"


def test_errors_are_those_of_backward() -> None:
    for make in (lambda: torch.ones(2), lambda: leaf(1.0, 2.0) * 2, lambda: 3):
        tensor = make()
        with pytest.raises((RuntimeError, TypeError)) as expected:
            torch.autograd.backward(tensor)
        with pytest.raises(expected.type, match=re.escape(str(expected.value))):
            explain.backward(tensor)


@given(st.integers(0, 40), st.integers(0, 12))
def test_limits_keep_it_readable(length: int, max_steps: int) -> None:
    x = torch.ones(100, requires_grad=True)
    y = x
    for _ in range(length):
        y = y * 2
    story = explain.backward(y, torch.ones(100), max_steps=max_steps)
    assert len(story.steps) == length
    assert all(value.array is None for step in story.steps for value in step.came_in if value)
    numbers = [int(number) for number in re.findall(r"(?m)^(\d+) ", str(story))]
    kept = length if length <= max_steps else 2 * (max_steps // 2)
    assert len(numbers) == kept
    assert (f"{length - kept:,} more steps" in str(story)) == (length > kept)


def test_large_tensors_are_told_by_their_range() -> None:
    x = torch.ones(20, requires_grad=True)
    out = str(explain.backward((x * torch.arange(20.0)).sum()))
    assert "0 to 19" in out
    assert "[" not in out
    assert "19." in str(explain.backward((x * torch.arange(20.0)).sum(), max_values=20))


# ---- its forms -------------------------------------------------------------------------------------------------------


def named_strangely() -> tuple[str, explain.Story]:
    name = '<b>|`"&'
    x = leaf(1.0, 2.0)
    return name, explain.backward(x.abs().sum(), names={name: x})


def test_markdown_has_as_many_cells_in_each_row_of_a_table() -> None:
    _, story = named_strangely()
    for block in story.to_markdown().strip().split("\n\n")[1:]:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(cells) == 1
    assert r"`\|x\|`" in story.to_markdown()


def test_html_is_escaped_and_closed() -> None:
    name, story = named_strangely()
    text = story._repr_html_()
    assert html.escape(name) in text
    assert "<b>" not in text
    opened = re.findall(r"<(\w+)", text.replace("<br>", ""))
    closed = re.findall(r"</(\w+)", text)
    assert sorted(opened) == sorted(closed)


def test_a_terminals_lines_are_not_too_long() -> None:
    loss, _ = embedded()
    assert max(map(len, str(explain.backward(loss)).splitlines())) <= 150


# ---- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("seeded")
def test_names_of_variables_modules_and_pairs() -> None:
    model = torch.nn.Linear(2, 1)

    def names_told(names: Any) -> set[str]:
        return {told.name for told in explain.backward(model(torch.ones(1, 2)), names=names).leaves}

    assert names_told(model) == names_told(model.named_parameters()) == {"weight", "bias"}
    assert names_told({"_": model.weight, "model": model, "n": 3}) == {"model.weight", "model.bias"}
    assert names_told({"w": model.weight}) == {"w", "leaf 1"}
    assert names_told(None) == {"leaf 1", "leaf 2"}


# ---- formulas --------------------------------------------------------------------------------------------------------


def operations() -> Iterator[type[Node]]:
    stack: list[type[Node]] = [Node]
    while stack:
        found = stack.pop()
        stack += found.__subclasses__()
        if found.__module__.startswith("minigrad.ops."):
            yield found


# Those that are no operations themselves, or have no derivative.
ABSTRACT = {"Floating", "FloatingOnly", "ElementLoss", "Elementwise", "Ternary", "ClassLoss"}
UNDERIVED = {"Refused", "OnlyOnce", "Underived"}


def test_every_operation_states_what_it_computes_and_its_gradients() -> None:
    found = list(operations())
    assert len(found) > 150
    for each in found:
        node: Any = object.__new__(each)
        assert forward_formula(node), each
        assert bool(gradient_formulas(node)) == (each.__name__ not in ABSTRACT | UNDERIVED), each


class Marked(Function):
    """`a + b`, of which the second is not watched.   da = g,
    db = 0, nowhere.  This sentence says more.
    """


def test_a_formula_ends_where_its_sentence_does() -> None:
    node = torch.autograd.function.FunctionNode(Marked)
    assert forward_formula(node) == "`a + b`, of which the second is not watched"
    assert gradient_formulas(node) == ["da = g", "db = 0, nowhere"]
    node.edges = (None, node)
    assert needed_formulas(node) == ["db = 0, nowhere"]


# ---- graphs ----------------------------------------------------------------------------------------------------------


def read(mermaid: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The labels by id and the edges, as Mermaid would read them."""
    first, *lines = mermaid.splitlines()
    assert first == "graph TD"
    labels: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    for line in lines:
        if arrow := re.fullmatch(r"    (\w+) --> (\w+)", line):
            edges.append((arrow[1], arrow[2]))
            continue
        box = re.fullmatch(r'    (\w+)(?:\["([^"]*)"\]|\(\["([^"]*)"\]\))', line)
        assert box is not None, line
        label = (box[2] or box[3]).replace("<br/>", "\n")
        assert not re.search(r"[<>`\[\]{}]", label)
        labels[box[1]] = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label)
    assert {end for edge in edges for end in edge} <= labels.keys()
    return labels, edges


def test_a_graph_has_each_operation_once_and_an_arrow_for_each_gradient() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    c = a * b
    loss = (c * a).sum()
    labels, edges = read(str(explain.graph(loss, names=locals())))
    told = {(labels[start].split("\n")[0], labels[end].split("\n")[-1]) for start, end in edges}
    assert told == {
        ("a", "c (2,)"), ("b", "c (2,)"), ("a", "a * b"), ("MulBackward0", "a * b"), ("MulBackward0", "loss ()"),
    }  # fmt: skip
    assert len(edges) == 5
    assert labels["l1"] == "a\n(2,)"


@graphs
def test_a_graph_has_the_nodes_that_the_story_visits(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    labels, _ = read(str(explain.graph(loss)))
    story = explain.backward(loss)
    shown = sorted(label.split("\n")[0] for key, label in labels.items() if key.startswith("n"))
    assert shown == sorted(step.operation for step in story.steps)
    assert sum(key.startswith("l") for key in labels) == len(leaves)


@pytest.mark.parametrize("name", ['a"b', "<i>x</i>", "1. x", "- x", "x#1;", "`x`", "[x]", "{x}", "a|b", "end", "a;b"])
def test_labels_are_text_to_mermaid(name: str) -> None:
    x = leaf(1.0)
    labels, _ = read(str(explain.graph(x * 2, names={name: x})))
    assert labels["l1"] == f"{name}\n(1,)"
    label = re.search(r'l1\(\["(.*?)<br/>', str(explain.graph(x * 2, names={name: x})))
    assert label is not None
    # What opens like an item of a list would be drawn as one.
    assert not re.match(r"\d+\.|[-*+] ", label[1])


def test_the_oldest_of_many_operations_are_left_out() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(1000):
        y = y * 2
    labels, edges = read(str(explain.graph(y, max_nodes=10)))
    assert len(labels) == 11
    assert labels["older"] == "990 older operations"
    assert edges[-1] == ("older", "n10")


def test_a_graph_of_a_leaf_is_the_leaf() -> None:
    x = leaf(1.0)
    assert read(str(explain.graph(x, names={"x": x}))) == ({"l1": "x\n(1,)"}, [])


def test_notebooks_and_code_hosts_get_mermaid() -> None:
    graph = explain.graph(leaf(1.0) * 2)
    assert graph._repr_mimebundle_() == {"text/vnd.mermaid": str(graph), "text/plain": str(graph)}
    assert graph.to_markdown() == f"```mermaid\n{graph}\n```\n"


def test_graphviz_draws_the_same_graph() -> None:
    pytest.importorskip("graphviz", reason="the extra graphviz is not installed")
    if shutil.which("dot") is None:
        pytest.skip("Graphviz's program dot is not installed")
    x = leaf(1.0, 2.0)
    svg = explain.graph((x * x).sum(), names={"<x> \\N": x}).to_svg()
    assert svg.count('class="node"') == 3
    assert svg.count('class="edge"') == 3
    assert "&lt;x&gt; \\N" in svg


def test_without_the_program_of_graphviz_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("graphviz", reason="the extra graphviz is not installed")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"`dot` is not installed.*apt install graphviz"):
        explain.graph(leaf(1.0) * 2).to_svg()


# ---- the picture -----------------------------------------------------------------------------------------------------

IDS = [2, 0, 2]
TABLE = [[0.5, 1.0], [2.0, 3.0], [4.0, 5.25]]
UPSTREAM = [[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]]


def test_the_numbers_of_the_picture_are_those_of_loops() -> None:
    numbers = pair(torch.tensor([IDS]), torch.tensor(TABLE, requires_grad=True), torch.tensor([UPSTREAM]))
    assert numbers.rows.tolist() == numbers.product.tolist() == [TABLE[2], TABLE[0], TABLE[2]]
    expected = [[3.0, 4.0], [0.0, 0.0], [11.0, 22.0]]
    assert numbers.gradient.tolist() == numbers.product_gradient.tolist() == expected
    assert numbers.one_hot.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]


def texts(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_picture_shows_them_and_tells_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    picture = explain.lookup(IDS, TABLE, UPSTREAM)
    shown = texts(picture.figure)
    for number, times in {"5.25": 6, "11": 2, "22": 2, "+": 1, "10": 2, "id 2": 6, "row 1": 3}.items():
        assert shown.count(number) == times, number
    told = "Row 2 is copied to output rows 0, 2; upstream rows 0, 2 add up to row 2 of the table's gradient."
    assert told in picture.description
    assert "Row 1: not looked up, gradient zero." in picture.description
    for suffix, start in {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}.items():
        path = tmp_path / f"picture.{suffix}"
        picture.save(path)
        assert path.read_bytes().startswith(start)
    assert picture._repr_svg_() == (tmp_path / "picture.svg").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"ends in .svg, .png or .pdf, got 'picture.txt'"):
        picture.save("picture.txt")


def test_the_same_picture_is_the_same_svg() -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    first, second = (explain.lookup(IDS, TABLE, UPSTREAM)._repr_svg_() for _ in range(2))
    assert first == second
    assert first != explain.lookup([2, 0, 1], TABLE, UPSTREAM)._repr_svg_()


def test_the_picture_on_the_page_is_the_one_that_is_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    page = Path(__file__).parent.parent / "docs"
    drawn = (page / "lookup.svg").read_text(encoding="utf-8")
    version = re.search("Matplotlib v([0-9.]+)", drawn)
    assert version is not None
    if version[1] != matplotlib.__version__:
        pytest.skip(f"drawn by Matplotlib {version[1]}: {matplotlib.__version__} draws letters in its own way")
    text = (page / "explain.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"torch": torch}
    for name in ("table", "ids", "upstream"):
        line = re.search(rf">>> ({name} = .*)", text)
        assert line is not None
        exec(line[1], names)
    again = explain.lookup(names["ids"], names["table"], names["upstream"])
    assert again._repr_svg_() == drawn, "draw it again: explain.lookup(ids, table, upstream).save('docs/lookup.svg')"


def test_equal_ids_have_one_colour_and_one_dash() -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    arrows = [
        (patch.get_edgecolor(), patch.get_linestyle())
        for patch in explain.lookup(IDS, TABLE, UPSTREAM).figure.axes[0].patches
        if type(patch).__name__ == "FancyArrowPatch"
    ]
    assert len(arrows) == 6
    assert arrows[0] == arrows[2] == arrows[3] == arrows[5]
    assert arrows[1] == arrows[4]
    assert arrows[0][0] != arrows[1][0]
    assert arrows[0][1] != arrows[1][1]


def test_nothing_is_drawn_outside_of_the_picture() -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    for count, vocab, dim in [(1, 1, 1), (2, 16, 1), (16, 2, 3)]:
        ids = [n * 5 % vocab for n in range(count)]
        number = 1.0 if dim == 1 else -123.456
        figure = explain.lookup(ids, np.full((vocab, dim), number), np.full((count, dim), -number)).figure
        figure.draw_without_rendering()
        frame = figure.bbox
        for text in figure.axes[0].texts:
            box = text.get_window_extent()
            assert frame.x0 <= box.x0, text
            assert box.x1 <= frame.x1, text
            assert frame.y0 <= box.y0, text
            assert box.y1 <= frame.y1, text


def test_what_cannot_be_drawn_is_refused() -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    with pytest.raises(ValueError, match=r"got 17 ids and a table of shape \(3, 2\): take a part"):
        explain.lookup([0] * 17, TABLE, [[1.0, 2.0]] * 17)
    with pytest.raises(ValueError, match=r"expected a table of shape .* got \(3, 2\), \(3,\) and \(2, 2\)"):
        explain.lookup(IDS, TABLE, UPSTREAM[:2])
    with pytest.raises(IndexError, match="index out of range in self"):
        explain.lookup([3, 0, 0], TABLE, UPSTREAM)


# ---- what it takes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        ("matplotlib", "pictures", lambda: explain.lookup(IDS, TABLE, UPSTREAM)),
        ("graphviz", "graphviz", lambda: explain.graph(leaf(1.0) * 2).to_svg()),
    ],
)
def test_a_missing_extra_is_one_clear_error(
    module: str, name: str, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = importlib.import_module

    def without(wanted: str, *rest: Any) -> Any:
        if wanted.partition(".")[0] == module:
            raise ImportError(f"No module named {wanted!r}")
        return right(wanted, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(ImportError, match=rf"needs {module}, which is not installed: pip install -e '\.\[{name}\]'"):
        call()


def test_importing_minigrad_imports_none_of_it() -> None:
    code = "import sys, minigrad; print([name for name in sys.modules if 'explain' in name or name == 'minigrad.page'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
