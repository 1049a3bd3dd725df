"""The story of a backward pass is what happened, and pictures show the numbers that loops give."""

from __future__ import annotations

import html
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import real_table
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
import minigrad.explain.story as telling
from minigrad import explain
from minigrad.autograd.function import Function
from minigrad.core import walk
from minigrad.core.tape import Node
from minigrad.explain.formulas import formulas, short_formula
from minigrad.explain.names import explore
from minigrad.explain.pair import pair
from minigrad.explain.palette import COLOURS
from minigrad.explain.picture import description


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
    return on_nodes + [list(x.__dict__.get("_backward_hooks", {}).values()) for x in leaves]


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
def test_nothing_is_left_hanging_on_it_after_an_error(make: Callable[[], Any]) -> None:
    loss, _ = make()
    # The walk comes to this node last.
    explore([loss])[0][-1].register_prehook(lambda g: 1 / 0)
    before = hanging(loss)
    with pytest.raises(ZeroDivisionError):
        explain.backward(loss)
    assert hanging(loss) == before


def test_what_hooks_hang_on_the_graph_while_it_is_walked_stays() -> None:
    x = leaf(1.0, 2.0)
    c = x * 2
    d = c + 1
    kept: list[Any] = []
    d.register_hook(lambda g: kept.append(c.grad_fn.register_prehook(lambda g: None)))
    explain.backward(d.sum(), retain_graph=True)
    assert [len(hooks) for hooks in c.grad_fn.watch.hooks.values() if hooks] == [1]


def test_a_walk_after_it_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    loss, _ = shared()
    explain.backward(loss, retain_graph=True)
    asked: list[Any] = []
    right = walk.Walk._visit
    monkeypatch.setattr(walk.Walk, "_visit", lambda *given: asked.append(given) or right(*given))
    loss.backward()
    assert asked == []


@graphs
def test_what_goes_to_a_place_adds_up_to_what_is_there(make: Callable[[], Any]) -> None:
    loss, leaves = make()
    names = {f"x{k}": x for k, x in enumerate(leaves)}
    story = explain.backward(loss, names=names, max_values=1000)
    assert story.steps[0].number == 1
    arrived: dict[str, Any] = {}
    # Gradients of several outputs come to one step, but do not add up.
    apart = {f"step {step.number}" for step in story.steps if len(step.came_in) > 1}
    passed_on = [start.went_out for start in story.starts]
    for passed in passed_on + [passed for step in story.steps for passed in step.went_out]:
        assert passed.value is not None
        assert passed.added == (passed.to in arrived and passed.to not in apart)
        if passed.value.array is not None:
            arrived[passed.to] = arrived.get(passed.to, 0) + passed.value.array
    places = {place for told in arrived for place in told.split(" and ")}
    assert places >= {f"step {step.number}" for step in story.steps}
    for step in story.steps:
        if len(step.came_in) == 1 and not step.came_in[0].changed:
            (sent,) = [value for told, value in arrived.items() if f"step {step.number}" in told.split(" and ")]
            np.testing.assert_allclose(step.came_in[0].array, sent)
    changed = {told.name for told in story.leaves if told.changed}
    for name, x in names.items():
        if f"{name}.grad" in arrived and name not in changed:
            np.testing.assert_allclose(x.grad.numpy(), arrived[f"{name}.grad"])
    assert {told.name for told in story.leaves} >= set(names)


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
    assert (story.starts[0].went_out.to, story.leaves[0].steps) == ("x.grad", (0,))
    assert (
        str(story)
        == """backward from x = [2.]

step   operation  came in  rule                 went out  to
start  x = [2.]            1, as none is given  (1,)      x.grad
                                                [1.]

tensor  shape  from       .grad before  .grad now
x       (1,)   the start  None          [1.]"""
    )


def test_what_a_walk_starts_with_is_told() -> None:
    x = leaf(1.0)
    story = explain.backward([x, x * 2], names={"x": x})
    assert x.grad.tolist() == [3.0]
    assert [(start.tensor, start.went_out.to, start.went_out.added) for start in story.starts] == [
        ("x = [1.]", "x.grad", False),
        ("a tensor = [2.]", "step 1", False),
    ]
    assert [(passed.to, passed.added) for passed in story.steps[0].went_out] == [("x.grad", True)]
    assert story.leaves[0].steps == (0, 1)
    assert "the start" in str(story)
    assert "start  a tensor = [2.]" in str(story)


def test_starts_add_up_with_what_comes_from_elsewhere() -> None:
    a = leaf(1.0, 2.0)
    c = a * 2
    d = c * 10
    given = [torch.tensor([2.0, 3.0], dtype=torch.float64), torch.tensor([1.0, 1.0], dtype=torch.float64)]
    story = explain.backward([c, d], iter(given), names={"a": a})
    assert [start.tensor for start in story.starts] == ["tensor 1 of shape (2,)", "tensor 2 of shape (2,)"]
    assert [start.went_out.to for start in story.starts] == ["step 2", "step 1"]
    assert [start.went_out.rule for start in story.starts] == ["given", "given"]
    assert [start.went_out.value.array.tolist() for start in story.starts] == [[2.0, 3.0], [1.0, 1.0]]
    assert [(passed.to, passed.added) for passed in story.steps[0].went_out] == [("step 2", True)]
    assert story.steps[1].came_in[0].array.tolist() == [12.0, 13.0]


def test_a_leaf_that_was_frozen_drops_its_gradient() -> None:
    x, y = leaf(1.0), leaf(2.0)
    loss = x * y + x
    x.requires_grad_(False)
    story = explain.backward(loss, names={"x": x, "y": y})
    assert (x.grad, y.grad.tolist()) == (None, [1.0])
    told = {(passed.to, passed.added) for step in story.steps for passed in step.went_out if "x" in passed.to}
    assert told == {("dropped: x requires no gradient", False)}
    assert [(each.name, each.steps) for each in story.leaves] == [("x", ()), ("y", (2,))]
    assert re.search(r"x +\(1,\) +nothing +None +None", str(story))


@pytest.mark.parametrize("as_given", [list, iter])
def test_with_inputs_the_rest_is_not_asked_for(as_given: Callable[[Any], Any]) -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    c = a * b
    story = explain.backward((c * a).sum(), inputs=as_given([c, b]), names={"a": a, "b": b, "c": c})
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
    assert story.start == "tensor 1 of shape (2,), tensor 2 of shape (2,)"


def wrong_calls() -> Iterator[tuple[Any, dict[str, Any]]]:
    x = leaf(1.0, 2.0)
    for tensors in (torch.ones(2), x * 2, [], [3], [None], "x", [x, 3], 3.0, x.sum().item(), torch.ones(2).numpy()):
        yield tensors, {}
    for options in (
        {"inputs": []},
        {"inputs": torch.ones(1)},
        {"grad_tensors": [1.0]},
        {"grad_tensors": torch.ones(3)},
    ):
        yield (x * 2).sum(), options


@pytest.mark.parametrize("call", range(len(list(wrong_calls()))))
def test_errors_are_those_of_backward(call: int) -> None:
    tensors, options = list(wrong_calls())[call]
    with pytest.raises((RuntimeError, TypeError, ValueError)) as expected:
        torch.autograd.backward(tensors, **options)
    with pytest.raises(expected.type) as got:
        explain.backward(tensors, **options)
    # What cannot be iterated over is told as an element, too.
    assert "not iterable" in str(expected.value) or str(expected.value) in str(got.value)
    if expected.type is TypeError and not options:
        assert re.match("tensors must be Tensors, but element [01] is of type .*: .* loss.item()", str(got.value))
        with pytest.raises(TypeError, match=re.escape(str(got.value))):
            explain.graph(tensors)


@pytest.mark.parametrize(
    ("names", "got"),
    [
        (lambda x: {1: x}, "dict"),
        (lambda x: {x: "x"}, "dict"),
        (lambda x: [x], "list"),
        (lambda x: [("x", x, 3)], "list"),
        (lambda x: [(x, "x")], "list"),
        (lambda x: x, "Tensor"),
        (lambda x: torch.ones(2, 2), "Tensor"),
        (lambda x: 5, "int"),
    ],
)
def test_wrong_names_are_refused_before_anything_is_done(names: Callable[[Any], Any], got: str) -> None:
    x = leaf(1.0)
    for call in (explain.backward, explain.graph):
        with pytest.raises(TypeError, match=rf"names: expected a dict .* got {got}$"):
            call(x * 2, names=names(x))
    assert x.grad is None


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
    assert (f"{length - max_steps:,} more step" in str(story)) == (length > max_steps)


def test_whatever_there_is_many_of_is_limited() -> None:
    leaves = [leaf(float(n)) for n in range(300)]
    parts = torch.stack(leaves).unbind(0)
    story = explain.backward([*[part * 2 for part in parts], *leaves], max_steps=4)
    assert len(story.starts) == 600
    assert len(story.steps[-1].went_out) == len(story.steps[-2].came_in) == 300
    for text in (str(story), story.to_markdown(), story.to_html()):
        assert text.count("\n") < 80
        for number, what in {596: "starts", 298: "steps", 296: "gradients"}.items():
            assert f"{number} more {what}" in text
    assert "296 more tensors" in str(story)
    assert re.fullmatch(r"tensor 1 = .*, 596 more starts, leaf \d+ = \[298.\], leaf \d+ = \[299.\]", story.start)
    x = leaf(1.0)
    told = str(explain.backward(sum([x * 2 for _ in range(50)]), max_steps=3))
    assert re.search(r"x?1 +\(1,\) +step \d+ +None +\[100.\]\n +step \d+\n +47 more steps\n +step \d+$", told)
    assert "1 more step\n" in str(explain.backward(x * 2 * 3 * 4, max_steps=2))


def test_large_tensors_are_told_by_their_range() -> None:
    x = torch.ones(20, requires_grad=True)
    out = str(explain.backward((x * torch.arange(20.0)).sum()))
    assert "0 to 19" in out
    assert "[" not in out
    assert "19." in str(explain.backward((x * torch.arange(20.0)).sum(), max_values=20))


def test_a_range_says_how_many_are_no_numbers() -> None:
    x = torch.ones(20, requires_grad=True)
    for wrong, text in {
        "nan": "0 to 1, 1 of 20 nan",
        "inf": "0 to 1, 1 of 20 inf",
        "-inf": "0 to 1, 1 of 20 -inf",
    }.items():
        g = torch.tensor([0.0] * 10 + [1.0] * 9 + [float(wrong)])
        assert explain.backward(x * 1, g).steps[0].came_in[0].text == text
    assert explain.backward(x * 1, g * float("nan")).steps[0].came_in[0].text == "20 of 20 nan"


def test_sparse_gradients_are_told_by_their_rows_and_limited() -> None:
    def told(ids: list[int], **limits: int) -> Any:
        table = leaf([[1.0, 2.0], [3.0, 4.0]])
        rows = torch.nn.functional.embedding(torch.tensor(ids), table, sparse=True)
        return explain.backward(rows.sum(), **limits).steps[-1].went_out[0].value

    few = told([1, 0])
    assert (few.shape, few.array, few.text) == ((2, 2), None, "sparse, at\n[[1, 0]]:\n[[1., 1.],\n [1., 1.]]")
    assert told([1, 0] * 50).text == "sparse, 100 rows: 1 to 1"
    assert told([1, 0], max_values=3).text == "sparse, 2 rows: 1 to 1"


def test_values_are_formatted_only_if_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    formatted: list[Any] = []
    right = telling.elements_text
    monkeypatch.setattr(telling, "elements_text", lambda array: formatted.append(array) or right(array))
    x = y = leaf(1.0)
    for _ in range(200):
        y = y * 2
    story = explain.backward(y, max_steps=2)
    # The start is told with its value.
    assert len(formatted) == 1
    str(story)
    assert len(formatted) < 15
    assert x.grad.tolist() == [2.0**200]


# ---- hooks -----------------------------------------------------------------------------------------------------------


def test_what_hooks_change_is_told_where_they_do() -> None:
    x = leaf(1.0)
    c = x * 2
    c.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g * 100)
    story = explain.backward(c * 3, names={"x": x, "c": c})
    first, second = story.steps
    assert (first.went_out[0].value.array.tolist(), first.went_out[0].value.changed) == ([3.0], False)
    assert (second.came_in[0].array.tolist(), second.came_in[0].changed) == ([30.0], True)
    assert (second.went_out[0].value.array.tolist(), story.leaves[0].changed) == ([60.0], True)
    assert x.grad.tolist() == [6000.0]
    assert str(story).count("changed by a hook") == 2


def looks(x: Any, c: Any) -> None:
    for register in (c.register_hook, x.register_hook, c.grad_fn.register_prehook):
        register(lambda g: None)
    c.grad_fn.register_hook(lambda out, into: None)


@pytest.mark.parametrize(
    ("hang", "came_in", "went_out"),
    [
        (looks, False, False),
        (lambda x, c: c.grad_fn.register_prehook(lambda g: (g[0] + 1,)), True, False),
        (lambda x, c: c.grad_fn.register_hook(lambda g, _: (g[0] + 1,)), False, True),
        # What one hook changes another one does not hide.
        (lambda x, c: (c.register_hook(lambda g: g * 10), c.grad_fn.register_prehook(lambda g: None)), True, False),
        # It writes, and returns nothing.
        (lambda x, c: c.register_hook(lambda g: (g.mul_(7), None)[1]), True, False),
    ],
)
def test_hooks_are_told_where_they_change_something(hang: Callable[..., Any], came_in: bool, went_out: bool) -> None:
    # A nan is not equal to itself.
    x = leaf(1.0, float("nan"))
    c = x.exp()
    hang(x, c)
    story = explain.backward((c * 3).sum())
    step = story.steps[2]
    assert (step.came_in[0].changed, step.went_out[0].value.changed) == (came_in, went_out)
    assert not story.leaves[0].changed
    assert ("hook" in str(story)) == (came_in or went_out)


def test_hooks_run_in_their_order() -> None:
    x = leaf(1.0)
    c = x * 2
    order: list[int] = []
    for number in range(3):
        c.register_hook(lambda g, number=number: order.append(number))
        x.register_hook(lambda g, number=number: order.append(number + 10))
    loss = c * 3
    explain.backward(loss, retain_graph=True)
    loss.backward()
    assert order == [0, 1, 2, 10, 11, 12] * 2


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
    assert not any(told.changed for told in story.leaves)
    c = x * 2
    c.retain_grad()
    c.register_hook(lambda g: g + 1)
    story = explain.backward(c * 3, names={"x": x, "c": c})
    assert [(told.name, told.after.text, told.changed) for told in story.leaves] == [
        ("x", "[14.]", False),
        ("c", "[4.]", True),
    ]


def test_what_a_hook_makes_of_the_sum_is_told() -> None:
    x, y, z = leaf(1.0), leaf(1.0), leaf(1.0)
    seen: list[Any] = []
    handles = [
        x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(3) and None),
        y.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None)),
        z.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist())),
    ]
    story = explain.backward(x * y * z, names={"x": x, "y": y, "z": z})
    assert {told.name: told.changed for told in story.leaves} == {"x": True, "y": True, "z": False}
    assert x.grad.tolist() == [3.0]
    assert y.grad is None
    assert seen == [[1.0]]
    for handle, each in zip(handles, (x, y, z), strict=True):
        handle.remove()
        assert each.__dict__["_post_accumulate_grad_hooks"] == {}


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
    # A word of a sentence is not the number of the node.
    rows = torch.nn.functional.embedding(torch.tensor([0]), leaf([[1.0]]), scale_grad_by_freq=True)
    passed = explain.backward(rows.sum()).steps[1].went_out[0]
    assert "number" in passed.rule
    assert passed.read == {}
    wide = leaf(*[n + 0.12345 for n in range(6)])
    assert "b = [0.1235, 1.1235, 2.1235, 3.1235, 4.1235, 5.1235]  " in str(explain.backward((wide * wide).sum()))
    # It would be long.
    assert explain.backward((a * b).sum(), max_values=1).steps[1].went_out[0].read == {}


def test_what_was_repeated_is_summed() -> None:
    x, b = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), leaf(1.0, 2.0)
    weight = leaf(3.0)
    (first, second) = explain.backward((torch.lerp(x, b, weight)).sum()).steps[1].went_out[:2]
    assert first.rule == "da = g * (1 - c)"
    assert second.rule == "db = g * c, summed over the repetitions, to shape (2,)"
    rules = [passed.rule for passed in explain.backward((x + b).sum()).steps[1].went_out]
    assert rules == ["da = g", "db = g, summed over the repetitions, to shape (2,)"]


class Four(Function):
    """`a`.   da = g.

    data is not copied.
    """

    @staticmethod
    def forward(ctx: Any, a: Any, scale: float, b: Any, c: Any, data: Any) -> Any:
        return a.clone()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g, None, g, g, g


def test_a_function_may_state_fewer_rules_than_it_has_inputs() -> None:
    leaves = [leaf(1.0) for _ in range(4)]
    a, b, c, data = leaves
    story = explain.backward(Four.apply(a, 2.0, b, c, data))
    assert [x.grad.tolist() for x in leaves] == [[1.0]] * 4
    assert [passed.rule for passed in story.steps[0].went_out] == ["da = g", "", "", ""]
    assert "|  | `(1,)`<br>`[1.]` | leaf 2.grad |" in story.to_markdown()


# ---- its forms -------------------------------------------------------------------------------------------------------


# A name, and how it is shown: on one line, without marks of code.
STRANGE, TAMED = '<img src=x> `|`\n*a* [b](c) \\ "&amp;_', "<img src=x> '|' *a* [b](c) \\ \"&amp;_"


def named_strangely() -> explain.Story:
    x = leaf(1.0, 2.0)
    loss = x.abs().sum()
    return explain.backward([loss, x], [None, torch.ones(2)], names={STRANGE: x, f"loss{STRANGE}": loss})


def rendered(line: str) -> str:
    """The text that a line of a Markdown table shows, with code in <code>; whatever else is marked is an error."""
    parts = re.split(r"(`[^`]+`)", line.replace("\\|", "\0"))
    texts: list[str] = []
    for part in parts:
        if part.startswith("`"):
            texts.append(f"<code>{part[1:-1]}</code>")
            continue
        for token in re.findall(r"\\[!-/:-@\[-`{-~]|<br>|[^\\]", part):
            assert not re.fullmatch(r"[`*_<>&\[\]~]", token), line
            texts.append(token.removeprefix("\\"))
    return "".join(texts).replace("\0", "|")


def test_markdown_shows_names_and_numbers_as_they_are() -> None:
    start, *tables = named_strangely().to_markdown().strip().split("\n\n")
    assert start == f"backward from `loss{TAMED} = 3., {TAMED} of shape (2,)`"
    for block in tables:
        lines = block.splitlines()
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
        assert lines[1] == "|" + " --- |" * lines[0].count(" | ") + " --- |"
    shown = [rendered(line) for block in tables for line in block.splitlines()]
    words = "The absolute value of each element"
    assert any(f"| <code>AbsBackward0</code><br>{words} | <code>(2,)</code><br><code>[1., 1.]</code>" in line
               for line in shown)  # fmt: skip
    assert any(line.endswith(f"| {TAMED}.grad, added |") for line in shown)
    assert any(line.startswith(f"| <code>{TAMED}</code> | <code>(2,)</code> | the start<br>step 2 |") for line in shown)


def test_html_is_escaped_and_closed() -> None:
    story = named_strangely()
    text = story.to_html()
    assert text == story._repr_html_()
    assert text.startswith(f"<p>backward from <code>loss{html.escape(TAMED)} = 3., ")
    assert f"<td>{html.escape(TAMED)}.grad, added</td>" in text
    assert f'<td><code style="white-space: pre">{html.escape(TAMED)}</code></td>' in text
    assert "<td><code>dx = g * sign(x)</code><br>" in text
    assert "<img" not in text
    opened = re.findall(r"<(\w+)", text.replace("<br>", ""))
    closed = re.findall(r"</(\w+)", text)
    assert sorted(opened) == sorted(closed)


def test_what_comes_twice_from_a_step_is_told() -> None:
    x = leaf(1.0)
    assert re.search(r"\(1,\) +step 1, 2 times +None", str(explain.backward(x * x)))


def test_a_sparse_gradient_is_shown() -> None:
    loss, _ = sparse()
    story = explain.backward(loss)
    lines = ["sparse, at", "[[1, 1]]:", "[[1., 1.],", " [1., 1.]]"]
    assert story.leaves[0].after.text.splitlines() == lines
    assert all(str(story).count(line) == 2 for line in lines[:2])


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
    assert names_told(iter([("w", model.weight)])) == {"w", "leaf 1"}
    assert names_told(None) == {"leaf 1", "leaf 2"}
    assert names_told({"layers": [3, model]}) == {"layers[1].weight", "layers[1].bias"}
    parts = {"both": (model.weight, model.bias), "by_name": {"w": model.weight}, "b": model.bias}
    assert names_told(parts) == {"both[0]", "b"}
    assert names_told({"by_name": {"w": model.weight, 1: model.bias}}) == {"by_name['w']", "by_name[1]"}


def test_a_tensor_that_is_gone_leaves_its_name_to_no_other() -> None:
    names = explain.names.Names((f"gone {n}", torch.ones(1)) for n in range(100))
    others = [torch.ones(1) for _ in range(100)]
    assert not any(names.leaf(x).startswith("gone") for x in others)


# ---- formulas --------------------------------------------------------------------------------------------------------


def operations() -> Iterator[type[Node]]:
    stack: list[type[Node]] = [Node]
    while stack:
        found = stack.pop()
        stack += found.__subclasses__()
        if found.__module__.startswith(("minigrad.core.", "minigrad.ops.")) and hasattr(found, "forward"):
            yield found


# A base class, and operations that have no derivative.
WITHOUT_RULES = {"ElementLoss", "ScatterProd", "Underived"}


def test_every_operation_states_what_it_computes_and_its_gradients() -> None:
    found = list(operations())
    assert len(found) > 150
    for each in found:
        node: Any = object.__new__(each)
        gradients: list[str] = []
        for count in range(1, 5):
            node.edges = (None,) * count
            computes, found, _ = formulas(node)
            gradients += found
        # It stands by itself in a story: no other operation is there to compare it to.
        assert computes, each
        assert not re.match("(As|Like|The same)\\b", computes), each
        assert any(gradients) == (each.__name__ not in WITHOUT_RULES), each


def nodes_of_the_real_tier() -> Iterator[tuple[str, Any]]:
    """Every node of the graphs of the real tier, and of those of their gradients."""
    for file in sorted(Path(__file__).parent.glob("real_*.py")):
        importlib.import_module(file.stem)
    for case in real_table.CASES:
        leaves = [torch.tensor(x, requires_grad=True) for x in case.inputs()]
        out = case.call(*leaves)
        gradients = torch.autograd.grad(out.sum(), leaves, create_graph=True)
        for node in explore([x for x in (out, *gradients) if x.requires_grad])[0]:
            yield case.name, node


def test_every_gradient_has_a_rule_of_its_own() -> None:
    for case, node in nodes_of_the_real_tier():
        rules = formulas(node).gradients
        needed = [rule for rule, edge in zip(rules, node.edges, strict=True) if edge is not None]
        assert all(needed), (case, node, rules)
        named = [rule for rule in needed if not rule.startswith("The gradient")]
        assert len(set(named)) == len(named), (case, node, rules)
        assert all(re.match(r"d\w+(\[\w+\])? (=|is) ", rule) for rule in named), (case, node, rules)


@pytest.mark.parametrize(
    ("compute", "operation", "rules"),
    [
        # Mean and variance are known: the gradient is not that of a batch norm in training.
        (
            lambda x: torch.nn.BatchNorm1d(2).eval()(x),
            "NativeBatchNormBackward0",
            ["dx = r * g * w", "dw = sum(g * r * (x - m)) over each channel", "db = sum(g) over each channel"],
        ),
        (
            lambda x: torch.nn.functional.mse_loss(x, torch.zeros(3, 2)),
            "MseLossBackward0",
            ["dd = g * 2 * d, divided by n for a mean of n"],
        ),
        (
            lambda x: torch.nn.functional.binary_cross_entropy(torch.full((3, 2), 0.5), x.sigmoid()),
            "BinaryCrossEntropyBackward0",
            ["dt = g * w * (log(1 - p) - log(p)), divided by n for a mean of n"],
        ),
        (
            lambda x: torch.nn.Embedding(4, 2, padding_idx=0)(torch.tensor([0, 1])),
            "EmbeddingBackward0",
            [
                "dW = ScatterAdd(G): row v of dW is the sum of the rows G[n] with ids[n] == v "
                "(0 for `padding_idx`, if given)"
            ],
        ),
    ],
)
@pytest.mark.usefixtures("seeded")
def test_rules_are_true_of_the_operation(compute: Callable[[Any], Any], operation: str, rules: list[str]) -> None:
    story = explain.backward(compute(torch.randn(3, 2, requires_grad=True)).sum())
    (step,) = [step for step in story.steps if step.operation == operation]
    assert [passed.rule for passed in step.went_out] == rules


class Marked(Function):
    """`a + b`, of which the second is not watched.   da = g,
    db = 0, nowhere.  This sentence says more.
    """

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        return tensors[0] + tensors[1]


def test_a_formula_ends_where_its_sentence_does() -> None:
    node = Marked.apply(leaf(1.0), leaf(2.0)).grad_fn
    assert formulas(node)[:2] == ("`a + b`, of which the second is not watched", ("da = g", "db = 0, nowhere"))


class Named(Function):
    """`weight * x`.   dW = g * x,  dx = g * weight,  dy = 3."""

    @staticmethod
    def forward(weight: Any, count: int, x: Any) -> Any:
        return weight * x * count

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass


class Alike(Function):
    """`wide`.   dw = 0,  dwide = g."""

    @staticmethod
    def forward(ctx: Any, weight: Any, wide: Any) -> Any:
        return wide.clone()


class Alone(Function):
    """`values`.   dx = g."""

    @staticmethod
    def forward(ctx: Any, values: Any) -> Any:
        return values.clone()


def test_formulas_belong_to_the_inputs_that_they_name() -> None:
    x, y = leaf(1.0), leaf(2.0)
    assert formulas(Named.apply(x, 2, y).grad_fn).gradients == ("dW = g * x", "dx = g * weight")
    assert formulas(Cube.apply(x).grad_fn).gradients == ("dx = 3 * g * x**2",)
    assert formulas(Alike.apply(x, y).grad_fn).gradients == ("", "dwide = g")
    assert formulas(Alone.apply(x).grad_fn).gradients == ("dx = g",)


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


@pytest.mark.parametrize(
    "name", ['a"b', "<i>x</i>", "1. x", "- x", "x#1;", "`x`", "[x]", "{x}", "a|b", "end", "a;b", "a\nb", STRANGE]
)
def test_labels_are_text_to_mermaid(name: str) -> None:
    x = leaf(1.0)
    labels, _ = read(str(explain.graph(x * 2, names={name: x})))
    assert labels["l1"] == f"{name.replace('`', chr(39))}".replace("\n", " ") + "\n(1,)"
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
    assert read(str(explain.graph(y, max_nodes=0))) == ({"older": "1,000 older operations"}, [])
    labels, edges = read(str(explain.graph(x * 2 * 3, max_nodes=1)))
    assert labels == {"n1": "MulBackward0\na * b", "older": "1 older operation"}
    assert edges == [("older", "n1")]


def test_a_graph_that_no_pass_walks_is_an_error() -> None:
    x = leaf(1.0)
    with torch.no_grad():
        unrecorded = x * 2
    for tensors in (unrecorded, torch.tensor([1]), [x, unrecorded]):
        with pytest.raises(RuntimeError, match=r"does not require grad and .* walks nothing here"):
            explain.graph(tensors)
        with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
            explain.backward(tensors)
    with pytest.raises(ValueError, match="got no tensors"):
        explain.graph([])


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: x @ x, "a @ b"),
        (lambda x: torch.nn.functional.linear(x, x), "Y = X @ W.T (+ b)"),
        (lambda x: x.softmax(0), "y = exp(x) / sum(exp(x))"),
        (lambda x: torch.nn.functional.layer_norm(x, (2,)), "y = r * (x - m) * w + b"),
        # What follows changes it, or says what a letter stands for.
        (lambda x: x.view(4), ""),
        (lambda x: torch.zeros(2, 2).copy_(x), ""),
        (lambda x: torch.nn.functional.silu(x), ""),
        (lambda x: torch.nn.functional.mse_loss(x, torch.zeros(2, 2)), ""),
    ],
)
def test_a_label_has_no_formula_that_is_false_without_words(compute: Callable[[Any], Any], expected: str) -> None:
    assert short_formula(compute(torch.ones(2, 2, requires_grad=True)).grad_fn) == expected


def test_a_graph_of_a_leaf_is_the_leaf() -> None:
    x = leaf(1.0)
    assert read(str(explain.graph(x, names={"x": x}))) == ({"l1": "x\n(1,)"}, [])


def test_notebooks_and_code_hosts_get_mermaid() -> None:
    graph = explain.graph(leaf(1.0) * 2)
    assert graph._repr_mimebundle_() == {"text/vnd.mermaid": str(graph), "text/plain": str(graph)}
    assert graph.to_markdown() == f"```mermaid\n{graph}\n```\n"


def words(svg: str) -> tuple[str, str]:
    """The title and the description of a picture, as a screen reader finds them."""
    found = re.search(r'<svg role="img" [^>]*>\s*<title>([^<]*)</title><desc>([^<]*)</desc>', svg)
    assert found is not None
    return html.unescape(found[1]), html.unescape(found[2])


def test_graphviz_draws_the_same_graph() -> None:
    pytest.importorskip("graphviz", reason="the extra graphviz is not installed")
    if shutil.which("dot") is None:
        pytest.skip("Graphviz's program dot is not installed")
    x = leaf(1.0, 2.0)
    drawn = explain.graph((x * x).sum(), names={"<x> \\N": x})
    svg = drawn.to_svg()
    assert svg.count('class="node"') == 3
    assert svg.count('class="edge"') == 3
    assert "&lt;x&gt; \\N" in svg
    assert drawn._repr_svg_() == svg
    # Arrows point from leaves to results.
    arrows = re.findall(r"<title>(\w+)&#45;&gt;(\w+)</title>", svg)
    assert sorted(arrows) == [("l1", "n2"), ("l1", "n2"), ("n2", "n1")]
    assert words(svg) == ("A computation, from leaves to results", drawn.description)
    assert (
        drawn.description
        == "SumBackward0, from MulBackward0. MulBackward0, a * b, from <x> \\N and <x> \\N. <x> \\N, (2,)."
    )
    assert "%3" not in svg


def test_without_the_program_of_graphviz_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("graphviz", reason="the extra graphviz is not installed")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"`dot` is not installed.*apt install graphviz"):
        explain.graph(leaf(1.0) * 2).to_svg()
    assert explain.graph(leaf(1.0) * 2)._repr_svg_() is None


# ---- the picture -----------------------------------------------------------------------------------------------------

drawn = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="the extra pictures is missing")

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


@drawn
def test_the_picture_shows_them_and_tells_them(tmp_path: Path) -> None:
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
    assert words(picture._repr_svg_()) == ("A lookup, and a product with one-hot vectors", picture.description)
    with pytest.raises(ValueError, match=r"ends in .svg, .png or .pdf, got 'picture.txt'"):
        picture.save("picture.txt")


@drawn
def test_the_same_picture_is_the_same_svg() -> None:
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


def arrows_of(figure: Any) -> list[tuple[Any, Any]]:
    return [
        (patch.get_edgecolor(), str(patch.get_linestyle()))
        for patch in figure.axes[0].patches
        if type(patch).__name__ == "FancyArrowPatch"
    ]


@drawn
def test_equal_ids_look_alike_and_others_do_not() -> None:
    arrows = arrows_of(explain.lookup(IDS, TABLE, UPSTREAM).figure)
    assert len(arrows) == 6
    assert arrows[0] == arrows[2] == arrows[3] == arrows[5]
    assert arrows[1] == arrows[4]
    # In colour, and in dashes.
    assert not set(arrows[0]) & set(arrows[1])
    arrows = arrows_of(explain.lookup(range(16), np.ones((16, 1)), np.ones((16, 1))).figure)
    assert arrows[:16] == arrows[16:]
    assert len(set(arrows)) == 16


def test_colours_stand_out_on_white() -> None:
    for colour in COLOURS:
        parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 3, colour


@drawn
@pytest.mark.parametrize(
    ("table", "upstream", "told"),
    [
        (TABLE, UPSTREAM, "The one-hot matrix X does the same: "),
        (TABLE, [[1.0, float("nan")]] * 3, "does the same only where numbers are finite"),
        ([[1.0, float("inf")], *TABLE[1:]], UPSTREAM, "does the same only where numbers are finite"),
        (TABLE, [*UPSTREAM[:2], [1.0, float("nan")]], "does the same only where numbers are finite"),
    ],
)
def test_where_the_product_differs_it_is_said(table: Any, upstream: Any, told: str) -> None:
    assert told in explain.lookup(IDS, table, upstream).description
    # Nothing is multiplied by 0.
    assert "X does the same: " in explain.lookup([0], [[float("nan")]], [[float("inf")]]).description


def test_rounding_is_no_other_result(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = pair(IDS, TABLE, UPSTREAM)
    numbers.product[0] += 1e-6
    assert "does the same, but for the rounding of sums: " in description(numbers)


@drawn
def test_numbers_of_any_size_fit_their_cells() -> None:
    picture = explain.lookup([1], [[1e30, 1e-7], [-1e-9, 123456.0]], [[1.0, 1.0]])
    shown = texts(picture.figure)
    assert {"1e30", "1e-7", "-1e-9", "123456"} <= set(shown)
    assert picture.figure.get_size_inches()[0] < 11


@drawn
def test_tables_of_integers_and_single_ids_are_drawn() -> None:
    told = explain.lookup(1, [[1, 2], [3, 4]], [1, 1]).description
    assert told.startswith("Lookup of id 1 in a table of 2 rows. Row 1 is copied to output row 0;")
    assert explain.lookup([0], [[1]], [[1]]).description.startswith("Lookup of id 0 in a table of 1 row. ")


@drawn
def test_nothing_is_drawn_outside_of_the_picture() -> None:
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


@drawn
@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (([0] * 17, TABLE, [[1.0, 2.0]] * 17), ValueError, r"got 17 ids and a table of shape \(3, 2\): take a part"),
        ((IDS, TABLE, UPSTREAM[:2]), ValueError, r"expected ids of any shape .* got \(3,\), \(3, 2\) and \(2, 2\)"),
        (([], TABLE, torch.ones(0, 2)), ValueError, r"expected at least one id, .* got \(0,\) and \(3, 2\)$"),
        ((IDS, torch.ones(3, 0), torch.ones(3, 0)), ValueError, r"one row and column, got \(3,\) and \(3, 0\)$"),
        (([3, 0, 0], TABLE, UPSTREAM), IndexError, "index out of range in self"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(arguments: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        explain.lookup(*arguments)


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
    code = "import sys, minigrad; print([name for name in sys.modules if 'explain' in name])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
