"""The story of a backward pass is what happened, and pictures show the numbers that loops give."""

import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import recorded
from comparing import operand_of, outcome
from hypothesis import given, strategies as st

import minigrad as torch
from minigrad import explain
from minigrad.autograd.function import Function
from minigrad.core.tape import Node
from minigrad.explain.graph import computes, explore, formula_of, read_by, rules
from minigrad.explain.picture import description, pair


def leaf(*values: Any) -> Any:
    data = values[0] if isinstance(values[0], list) else values
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)


class Cube(Function):
    """`x**3`."""

    formulas = ("dx = 3 * g * x**2",)

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


def hooked() -> tuple[Any, list[Any]]:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    c = a * b
    c.register_hook(lambda g: g * 10)
    c.retain_grad()
    a.register_hook(lambda g: g + 1)
    return (c * a).sum(), [a, b]


GRAPHS = [shared, embedded, several, in_place, own_function, sparse, hooked]
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


def hanging(loss: Any) -> list[Any]:
    """What hangs on the nodes of a graph and on its leaves; None for a node that the walk need not look at."""
    nodes, leaves = explore([loss])
    on_nodes = [node.watch and ({k: list(v.values()) for k, v in node.watch.hooks.items() if v}, node.watch.retained)
                for node in nodes]  # fmt: skip
    return on_nodes + [list(x.__dict__.get("_backward_hooks", {}).values()) for x in [leaf.variable for leaf in leaves]]


@graphs
def test_nothing_is_left_hanging_on_the_graph(make: Callable[[], Any]) -> None:
    loss, _ = make()
    before = hanging(loss)
    assert (before.count(None) == len(explore([loss])[0])) == (make is not hooked)
    first = explain.backward(loss, retain_graph=True)
    assert hanging(loss) == before
    again = explain.backward(loss)
    assert [step.operation for step in again.steps] == [step.operation for step in first.steps]


@graphs
def test_what_goes_to_a_place_adds_up_to_what_is_there(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    names = {f"x{k}": x for k, x in enumerate(leaves)}
    story = explain.backward(loss, names=names, max_values=1000)
    assert story.steps[0].number == 1
    arrived: dict[str, Any] = {}
    # Gradients of several outputs come to one step, but do not add up.
    apart = {f"step {step.number}" for step in story.steps if len(step.came_in) > 1}
    for passed in [passed for step in (story.start, *story.steps) for passed in step.went_out]:
        assert passed.value is not None
        assert passed.added == (passed.to in arrived and passed.to not in apart)
        if passed.value.array is not None:
            arrived[passed.to] = arrived.get(passed.to, 0) + passed.value.array
    places = {place for told in arrived for place in told.split(" and ")}
    assert places >= {f"step {step.number}" for step in story.steps}
    for step in story.steps:
        if len(step.came_in) == 1 and make is not hooked:
            (sent,) = [value for told, value in arrived.items() if f"step {step.number}" in told.split(" and ")]
            np.testing.assert_allclose(step.came_in[0].array, sent)
    for name, x in names.items():
        if f"{name}.grad" in arrived and make is not hooked:
            np.testing.assert_allclose(x.grad.numpy(), arrived[f"{name}.grad"])
    assert {told.name for told in story.leaves} >= set(names)


def test_what_is_there_already_is_told() -> None:
    x = leaf(1.0)
    story = explain.backward(x * 3)
    assert (story.leaves[0].before, story.leaves[0].after.text, story.leaves[0].steps) == (None, "[3.]", (1,))
    story = explain.backward(x * 4)
    assert (story.leaves[0].before.text, story.leaves[0].after.text) == ("[3.]", "[7.]")
    assert "leaf 1" in str(story)


def test_a_leaf_alone_has_a_story_too() -> None:
    x = leaf(2.0)
    story = explain.backward(x, names={"x": x})
    assert story.steps == ()
    assert x.grad.tolist() == [1.0]
    assert (story.start.went_out[0].to, story.leaves[0].steps) == ("x.grad", (0,))
    assert (
        str(story)
        == """backward from x = [2.]

step   operation  rule                 went out to
start  x = [2.]   1, as none is given  x.grad: (1,)
                                       [1.]

tensor  shape  from       .grad before  .grad now
x       (1,)   the start  None          [1.]"""
    )


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
    first = min(length, (max_steps + 1) // 2)
    expected = [*range(1, first + 1), *range(max(first, length - max_steps // 2) + 1, length + 1)]
    assert numbers == (expected if length > max_steps else [*range(1, length + 1)])
    assert (f"{length - max_steps:,} more steps" in str(story)) == (length > max_steps)


def test_large_tensors_are_told_by_their_range() -> None:
    loss = (torch.ones(30, requires_grad=True) * torch.arange(30.0)).sum()
    out = str(explain.backward(loss, retain_graph=True))
    assert "0 to 29" in out
    assert "[" not in out
    assert "29." in str(explain.backward(loss, max_values=30))


@pytest.mark.usefixtures("seeded")
def test_a_story_fits_into_a_terminal_with_all_its_numbers() -> None:
    nn = torch.nn
    for model, x in [
        (nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Linear(6, 2)), torch.tensor([[0, 1], [2, 1]])),
        (nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2)), torch.randn(2, 3)),
        # Names are long in a module of modules, and that of attention's node is, too.
        (nn.Sequential(nn.TransformerEncoderLayer(2, 1, 3), nn.LazyLinear(2)), torch.randn(2, 2)),
    ]:
        loss = nn.functional.cross_entropy(model(x), torch.tensor([0, 1]))
        for max_values in (20, 60):
            story = explain.backward(loss, retain_graph=True, names=model, max_values=max_values)
            assert max([len(line) for line in str(story).splitlines()]) <= 100
            values = [passed.value for step in story.steps for passed in step.went_out]
            told = [word for value in values for word in value.text.replace("[", " ").split()]
            assert not Counter(told) - Counter(str(story).replace("[", " ").split())


def test_tensors_that_retain_their_gradient_are_told() -> None:
    x = leaf(1.0)
    c = x * 2
    c.retain_grad()
    story = explain.backward(c * 3, names={"x": x, "c": c})
    assert [(told.name, told.steps, told.before, told.after.text) for told in story.leaves] == [
        ("x", (2,), None, "[6.]"),
        ("c", (1,), None, "[3.]"),
    ]
    assert story.steps[0].went_out[0].to == "step 2 and c.grad"


# ---- rules -----------------------------------------------------------------------------------------------------------


def test_the_rule_of_a_lookup_reads_the_ids() -> None:
    table = torch.ones(3, 2, requires_grad=True)
    for padding_idx, expected in [(None, {"ids": "[2, 0, 2]"}), (0, {"ids": "[2, 0, 2]", "padding_idx": "0"})]:
        story = explain.backward(torch.nn.functional.embedding(torch.tensor([2, 0, 2]), table, padding_idx).sum())
        assert {name: value.text for name, value in story.steps[1].went_out[0].read.items()} == expected


def test_what_a_rule_reads_is_told_with_it() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    product = explain.backward((a * b).sum()).steps[1]
    assert [{name: value.text for name, value in passed.read.items()} for passed in product.went_out] == [
        {"b": "[3., 4.]"},
        {"a": "[1., 2.]"},
    ]
    told = explain.backward((a.exp() + a**3 + 2 * a).sum())
    read = {step.operation: step.went_out[0].read for step in told.steps}
    assert {name: {k: v.text for k, v in values.items()} for name, values in read.items()} == {
        "SumBackward0": {},
        "AddBackward0": {},
        "ExpBackward0": {"y": "[2.7183, 7.3891]"},
        "PowBackward0": {"x": "[1., 2.]", "n": "3"},
        "MulBackward0": {"b": "2"},
    }
    assert "y = [2.7183, 7.3891]" in str(told)
    with torch.no_grad():
        a.zero_()
    assert product.went_out[1].read["a"].text == "[1., 2.]"
    # A target is told once, by the letter that the formula has for it.
    loss = torch.nn.functional.cross_entropy(leaf([[1.0, 2.0]]), torch.tensor([1]))
    assert [*explain.backward(loss).steps[0].went_out[0].read] == ["X", "t"]
    # A word of a sentence is not the number of the node.
    rows = torch.nn.functional.embedding(torch.tensor([0]), leaf([[1.0]]), scale_grad_by_freq=True)
    passed = explain.backward(rows.sum()).steps[1].went_out[0]
    assert "number" in passed.rule
    assert passed.read == {}
    wide = leaf(0.12345, 1.12345)
    assert "b = [0.1235, 1.1235]  " in str(explain.backward((wide * wide).sum()))
    # It would be long.
    assert explain.backward((a * b).sum(), max_values=1).steps[1].went_out[0].read == {}


def test_what_was_repeated_is_summed() -> None:
    x, b = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), leaf(1.0, 2.0)
    rules = [passed.rule for passed in explain.backward((x + b).sum()).steps[1].went_out]
    assert rules == ["da = g", "db = g, summed over the repetitions, to shape (2,)"]


def test_a_function_may_state_its_rules_or_none() -> None:
    for stated, told in (Cube.formulas, "dx = 3 * g * x**2"), ("dx = g * 3 * x * x", "dx = g * 3 * x * x"), ((), ""):
        function = type("Stated", (Cube,), {"formulas": stated})
        (passed,) = explain.backward(function.apply(leaf(1.0, 2.0)).sum()).steps[1].went_out
        assert passed.rule == told


# ---- its forms -------------------------------------------------------------------------------------------------------


STRANGE = '<img src=x> | *a* [b](c) \\ "&amp;_'


def test_html_is_escaped_and_closed() -> None:
    x = leaf(1.0, 2.0)
    text = explain.backward(x.abs().sum(), names={STRANGE: x})._repr_html_()
    assert f'top">{html.escape(STRANGE)}.grad: <code>(2,)</code><br>' in text
    assert 'top"><code>dx = g * sign(x)</code><br>' in text
    assert "<img" not in text
    opened = re.findall(r"<(\w+)", text.replace("<br>", ""))
    closed = re.findall(r"</(\w+)", text)
    assert sorted(opened) == sorted(closed)


# ---- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("seeded")
def test_names_of_variables_and_modules() -> None:
    model = torch.nn.Linear(2, 1)

    def names_told(names: Any) -> set[str]:
        return {told.name for told in explain.backward(model(torch.ones(1, 2)), names=names).leaves}

    assert names_told(model) == {"weight", "bias"}
    assert names_told({"_": model.weight, "model": model, "n": 3}) == {"model.weight", "model.bias"}
    assert names_told({"w": model.weight}) == {"w", "leaf 1"}
    assert names_told(None) == {"leaf 1", "leaf 2"}
    assert names_told({"layers": [3, model]}) == {"layers[1].weight", "layers[1].bias"}
    assert names_told({"both": (model.weight, model.bias), "b": model.bias}) == {"both[0]", "b"}


# ---- formulas --------------------------------------------------------------------------------------------------------


def operations() -> Iterator[type[Node]]:
    stack: list[type[Node]] = [Node]
    while stack:
        found = stack.pop()
        stack += found.__subclasses__()
        if found.__module__.startswith(("minigrad.core.", "minigrad.ops.")) and hasattr(found, "forward"):
            yield found


# Base classes, and operations that have no derivative.
WITHOUT_RULES = {"Reduction", "Underived"}


def test_every_operation_states_what_it_computes_and_its_gradients() -> None:
    found = list(operations())
    assert len(found) > 100
    for each in found:
        node: Any = object.__new__(each)
        gradients: list[str] = []
        for count in range(1, 5):
            node.edges = (None,) * count
            gradients += rules(node)
        # It stands by itself in a story: no other operation is there to compare it to.
        assert computes(node), each
        assert not re.match("(As|Like|The same)\\b", computes(node)), each
        assert any(gradients) == (each.__name__ not in WITHOUT_RULES), each


def nodes_of_the_rows(prepare: Callable[[Any], object] = id) -> Iterator[tuple[str, Any]]:
    """Every node of the graphs of the recorded examples, which are prepared, and of those of their gradients."""
    record = recorded.read()["rows"]
    for name, case in [row for family in recorded.rows().values() for row in family]:
        for example in [each for each in record.get(name, ()) if each["smooth"]][:1]:
            leaves = [operand_of(torch, each, True) for each in example["operands"]]
            taken = [x * 1 if isinstance(x, torch.Tensor) and x.requires_grad else x for x in leaves]
            leaves = [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]
            out = outcome(partial(case.call, torch, *taken))
            if isinstance(out, torch.Tensor) and out.requires_grad:
                for node in explore([out])[0]:
                    prepare(node)
                given = torch.rand_like(out)
                gradients = torch.autograd.grad(out, leaves, given, create_graph=True, allow_unused=True)
                for node in explore([x for x in (out, *gradients) if x is not None and x.requires_grad])[0]:
                    yield name, node


@pytest.mark.usefixtures("seeded")
def test_every_gradient_has_a_rule_of_its_own() -> None:
    for case, node in nodes_of_the_rows():
        needed = [rule for rule, edge in zip(rules(node), node.edges, strict=True) if edge is not None]
        assert all(needed), (case, node, needed)
        named = [rule for rule in needed if not rule.startswith("The gradient")]
        assert len(set(named)) == len(named), (case, node, named)
        assert all(re.match(r"d\w+(\[\w+\])? (=|is) ", rule) for rule in named), (case, node, named)


def computed(node: Node, rule: str, g: Any) -> Any:
    """What the formula of a rule comes to; None where it is told in words."""
    try:
        formula = compile(re.sub(r"^d\w+ = ", "", rule), rule, "eval")
    except SyntaxError:
        return None
    names: dict[str, Any] = {"g": g, "G": g, "h": g, "pi": torch.tensor(math.pi)} | vars(node)
    names |= {name: torch.from_numpy(np.array(array)) for name, array in read_by(node, rule).items()}
    names = {name: getattr(torch, name, None) for name in formula.co_names} | names
    return None if None in [names[name] for name in formula.co_names if name != "mT"] else eval(formula, names)


@pytest.mark.usefixtures("seeded")
def test_what_is_shown_is_what_runs() -> None:
    """Formulas written by hand are as true as those that gradients write themselves."""
    checked = set()

    def check(node: Node, out: Any, into: Any) -> None:
        for rule, found in zip(rules(node), out, strict=True):
            expected = None if found is None else computed(node, rule, into[0])
            if expected is not None:
                given = expected if isinstance(expected, torch.Tensor) else expected + 0 * found
                given = given.sum_to_size(found.shape)
                assert torch.allclose(found, given, 1e-3, 1e-4, equal_nan=True), (node, rule, found, given)
                checked.add(type(node).__name__)

    for _, node in nodes_of_the_rows(lambda node: node.register_hook(partial(check, node))):
        node.watch = None
    assert len(checked) > 45, checked


# ---- graphs ----------------------------------------------------------------------------------------------------------


def read(mermaid: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The labels by id and the edges, as Mermaid would read them."""
    first, *lines = mermaid.splitlines()
    assert first == "graph TD"
    assert "\n" not in lines
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


@graphs
def test_a_graph_has_the_nodes_that_the_story_visits(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    labels, _ = read(str(explain.graph(loss)))
    story = explain.backward(loss)
    shown = sorted(label.split("\n")[0] for key, label in labels.items() if key.startswith("n"))
    assert shown == sorted(step.operation for step in story.steps)
    assert sum(key.startswith("l") for key in labels) == len(leaves)


def test_labels_are_text_to_mermaid() -> None:
    x = leaf(1.0)
    labels, _ = read(str(explain.graph(x * 2, names={STRANGE: x})))
    assert labels["l1"] == f"{STRANGE}\n(1,)"


def test_the_oldest_of_many_operations_are_left_out() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(1000):
        y = y * 2
    labels, edges = read(str(explain.graph(y, max_nodes=10)))
    assert len(labels) == 11
    assert labels["older"] == "990 older operations"
    assert edges[-1] == ("older", "n10")
    assert read(str(explain.graph(y, max_nodes=0))) == ({"older": "1,000 older operations"}, [])


def test_a_graph_that_no_pass_walks_is_an_error() -> None:
    x = leaf(1.0)
    with torch.no_grad():
        unrecorded = x * 2
    for tensor in (unrecorded, torch.tensor([1])):
        for call in (explain.graph, explain.backward):
            with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
                call(tensor)


def test_no_gradient_is_told_to_flow_through_a_draw() -> None:
    drawn = torch.normal(leaf(1.0), leaf(1.0), generator=torch.Generator())
    assert rules(drawn.grad_fn) == ["0: none flows through a draw"] * 2


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("call", [explain.graph, explain.backward])
def test_what_is_no_tensor_and_no_names_is_told(call: Callable[..., Any]) -> None:
    for wrong, kind in (torch.nn.Embedding(2, 1), "Embedding"), (3, "int"), ([leaf(1.0)], "list"):
        with pytest.raises(TypeError, match=f"^expected a tensor, such as a loss, got {kind}$"):
            call(wrong)


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: x @ x, "a @ b"),
        (lambda x: x.softmax(0), "y = exp(x) / sum(exp(x))"),
        # What follows changes it, or says what a letter stands for.
        (lambda x: x.view(4), ""),
        (lambda x: torch.nn.functional.mse_loss(x, torch.zeros(2, 2)), ""),
    ],
)
def test_a_label_has_no_formula_that_is_false_without_words(compute: Callable[[Any], Any], expected: str) -> None:
    assert formula_of(compute(torch.ones(2, 2, requires_grad=True)).grad_fn) == expected


def test_notebooks_and_code_hosts_get_mermaid() -> None:
    graph = explain.graph(leaf(1.0) * 2)
    shown = {"text/vnd.mermaid": str(graph), "image/svg+xml": graph.to_svg(), "text/plain": str(graph)}
    assert graph._repr_mimebundle_() == shown


@graphs
def test_a_picture_of_a_graph_has_each_vertex_below_its_inputs(make: Callable[[], Any]) -> None:
    graph = explain.graph(make()[0], names={STRANGE: make()[0]})
    picture = ElementTree.fromstring(graph.to_svg())
    lines = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(lines) == sorted(line for vertex in graph.vertices for line in vertex.lines)
    rows = [vertex.id for vertex in graph._from_the_top()]
    assert sorted(rows) == sorted(vertex.id for vertex in graph.vertices)
    assert all(rows.index(start) < rows.index(end) for start, end in graph.edges)
    # An arrow is a line and a head.
    assert len([*picture.iter("{http://www.w3.org/2000/svg}path")]) == 2 * len(graph.edges)


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
    embedding = torch.nn.Embedding.from_pretrained(torch.tensor(TABLE))
    counted = pair([IDS], embedding)
    assert counted.table.tolist() == TABLE
    assert counted.upstream.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def drawn(picture: Any, element: str) -> list[Any]:
    """The elements of that name in a picture."""
    return [*ElementTree.fromstring(picture.svg).iter(f"{{http://www.w3.org/2000/svg}}{element}")]


def test_the_picture_shows_them_and_tells_them(tmp_path: Path) -> None:
    picture = explain.lookup(IDS, TABLE, UPSTREAM)
    shown = [element.text for element in drawn(picture, "text")]
    for number, times in {"5.25": 6, "11": 2, "22": 2, "+": 1, "10": 2, "id 2": 6, "row 1": 3}.items():
        assert shown.count(number) == times, number
    told = "Row 2 is copied to output rows 0, 2; upstream rows 0, 2 add up to row 2 of the table's gradient."
    assert told in picture.description
    assert "Row 1: not looked up, gradient zero." in picture.description
    assert repr(picture) == "Picture: Lookup of ids 2, 0, 2 in a table of 3 rows; .save('lookup.svg')"
    path = tmp_path / "picture.svg"
    picture.save(path)
    assert picture._repr_svg_() == path.read_text(encoding="utf-8") == picture.svg
    with pytest.raises(ValueError, match=r"expected a name that ends in \.svg, got picture\.png: a browser"):
        picture.save("picture.png")
    told = "<title>A lookup, and a product with one-hot vectors</title><desc>"
    assert f"{told}{html.escape(picture.description)}</desc>" in picture.svg
    assert 'width="680pt"' in explain.lookup([0], torch.ones(1, 16)[:, :8] * 1000).svg


CONVOLVED = [[1.0], [2.0], [4.0], [8.0]], [[10.0], [1.0], [20.0], [2.0], [30.0], [3.0]]


@pytest.mark.parametrize(("name", "ids"), [("lookup", None), ("convolution", [0, 1, 1, 2, 2, 3])])
def test_pictures_of_the_pages_are_those_that_are_drawn(name: str, ids: list[int] | None) -> None:
    pages = Path(__file__).parent.parent / "docs"
    before = (pages / f"{name}.svg").read_text(encoding="utf-8")
    names: dict[str, Any] = {"torch": torch, "ids": ids}
    names["table"], names["upstream"] = map(torch.tensor, CONVOLVED)
    if ids is None:
        for line in re.findall(
            r">>> ((?:table|ids|upstream) = .*)", (pages / "explain.md").read_text(encoding="utf-8")
        ):
            exec(line, names)
    again = explain.lookup(names["ids"], names["table"], names["upstream"])
    assert again.svg == before, f"draw it again: explain.lookup(ids, table, upstream).save('docs/{name}.svg')"


def arrows_of(picture: Any) -> list[tuple[str, str]]:
    lines = [element for element in drawn(picture, "path") if "stroke" in element.attrib]
    return [(line.attrib["stroke"], line.attrib["stroke-dasharray"]) for line in lines]


def test_equal_ids_look_alike_and_others_do_not() -> None:
    arrows = arrows_of(explain.lookup(IDS, TABLE, UPSTREAM))
    assert len(arrows) == 6
    assert arrows[0] == arrows[2] == arrows[3] == arrows[5]
    assert arrows[1] == arrows[4]
    # In colour, and in dashes.
    assert not set(arrows[0]) & set(arrows[1])
    arrows = arrows_of(explain.lookup(range(16), np.ones((16, 1)), np.ones((16, 1))))
    assert arrows[:16] == arrows[16:]
    assert len(set(arrows)) == 16


def test_where_the_product_differs_it_is_said() -> None:
    numbers = pair(IDS, TABLE, UPSTREAM)
    assert "The one-hot matrix X does the same: " in description(numbers)
    numbers.product[0] += 1e-6
    assert "does the same, but for rounding, and where 0 is multiplied" in description(numbers)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (([0] * 17, TABLE, [[1.0, 2.0]] * 17), ValueError, r"got 17 ids and a table of shape \(3, 2\): take a part"),
        ((IDS, TABLE, UPSTREAM[:2]), ValueError, r"expected ids of any shape .* got \(3,\), \(3, 2\) and \(2, 2\)"),
        (([], TABLE, torch.ones(0, 2)), ValueError, r"none empty, got \(0,\), \(3, 2\) and \(0, 2\)$"),
        ((IDS, torch.ones(3, 0), torch.ones(3, 0)), ValueError, r"none empty, got \(3,\), \(3, 0\) and \(3, 0\)$"),
        (([], torch.ones(0, 2)), ValueError, "none empty, got "),
        ((IDS, torch.nn.Linear(5, 2)), TypeError, "Linear: of a model give its Embedding, of a Linear weight.T"),
        ((IDS, torch.nn.Sequential(torch.nn.Embedding(3, 2))), TypeError, "got list and Sequential: of a model"),
        ((torch.nn.Embedding(3, 2), IDS), TypeError, r"^expected ids, and a table .* got Embedding and list"),
        (([3, 0, 0], TABLE, UPSTREAM), IndexError, "index out of range in self"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(arguments: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        explain.lookup(*arguments)
