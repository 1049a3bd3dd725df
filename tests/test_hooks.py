"""What hangs on a graph, without PyTorch at hand: hooks on nodes, their order, their errors, the ends of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch


def ones(*shape: int) -> Any:
    return leaf(np.ones(shape))


# ---- hooks on nodes --------------------------------------------------------------------------------------------------


def test_a_hook_before_a_node_may_replace_what_arrives() -> None:
    x = ones(2)
    y = x * 3
    seen: list[Any] = []
    y.grad_fn.register_prehook(lambda g: seen.append(g))
    y.grad_fn.register_prehook(lambda g: (g[0] * 10,))
    y.grad_fn.register_prehook(lambda g: (g[0] * 2,))
    y.register_hook(lambda g: g + 1)
    y.backward(torch.tensor([1.0, 2.0], dtype=torch.float64))
    # The hooks on the tensor come first.
    assert [type(seen[0]), seen[0][0].tolist()] == [tuple, [2.0, 3.0]]
    assert x.grad.tolist() == [120.0, 180.0]


def test_a_hook_after_a_node_sees_both_sides_and_may_replace_what_goes_on() -> None:
    a, b = ones(2), ones(2)
    y = a * b * 2
    product = y.grad_fn.next_functions[0][0]
    seen: list[Any] = []
    product.register_hook(lambda into, out: seen.append((into, out)))
    product.register_hook(lambda into, out: (into[0] * 5, into[1]))
    y.sum().backward()
    into, out = seen[0]
    assert [type(into), type(out), len(into), len(out)] == [tuple, tuple, 2, 1]
    assert [g.tolist() for g in (*into, *out)] == [[2.0, 2.0]] * 3
    assert [a.grad.tolist(), b.grad.tolist()] == [[10.0, 10.0], [2.0, 2.0]]


def test_hooks_of_a_node_with_several_outputs_see_all_of_them() -> None:
    x = ones(4)
    first, second = x.split(2)
    seen: list[Any] = []
    first.grad_fn.register_prehook(lambda g: seen.append(g))
    first.grad_fn.register_hook(lambda into, out: seen.append(out))
    second.register_hook(lambda g: g * 3)
    (first.sum() + 2 * second.sum()).backward()
    for side in seen:
        assert [type(side), [g.tolist() for g in side]] == [tuple, [[1.0, 1.0], [6.0, 6.0]]]
    assert len(seen) == 2
    assert x.grad.tolist() == [1.0, 1.0, 6.0, 6.0]


def test_hooks_are_taken_off_by_their_handles() -> None:
    x = ones(2)
    y = x * 1
    with y.grad_fn.register_prehook(lambda g: (g[0] * 10,)):
        y.sum().backward(retain_graph=True)
    handle = y.grad_fn.register_hook(lambda into, out: (into[0] * 100, None))
    handle.remove()
    handle.remove()
    y.sum().backward()
    assert x.grad.tolist() == [11.0, 11.0]


# ---- errors ----------------------------------------------------------------------------------------------------------


class Doubling:
    def __call__(self, g: Any) -> Any:
        return g.float()


def cut(g: Any) -> Any:
    return g[:1]


@pytest.mark.parametrize(
    ("hook", "kind", "message"),
    [
        (lambda g: 3.0, TypeError, "expected Variable, but hook returned 'float'"),
        (Doubling(), RuntimeError, "hook 'Doubling' has changed the type of value (was torch.DoubleTensor got torch.FloatTensor)"),  # noqa: E501
        (cut, RuntimeError, "hook 'cut' has changed the size of value: from torch.Size([2]) to torch.Size([1])"),
    ],
)  # fmt: skip
def test_a_hook_that_returns_something_else(hook: Callable[[Any], Any], kind: type[Exception], message: str) -> None:
    x = ones(2)
    y = x * 2
    y.register_hook(hook)
    with pytest.raises(kind) as caught:
        y.sum().backward()
    assert str(caught.value) == message
    assert x.grad is None


REMEDY = "Make it with requires_grad=True, or call requires_grad_() before it is used."


def test_errors_of_the_walk_in_full() -> None:
    x, y, constant = ones(2), ones(2), torch.ones(2)
    out = (x * 2).sum()
    needs = "One of the differentiated Tensors does not require grad: input 1 of 2. " + REMEDY
    for call, kind, message in [
        (lambda: torch.autograd.grad(out, [x, constant]), RuntimeError, needs),
        (lambda: out.backward(inputs=[x, constant]), RuntimeError, needs),
        (lambda: out.backward(inputs=[]), RuntimeError, "`inputs` argument to `backward()` cannot be empty."),
        (
            lambda: torch.autograd.grad(out, x, allow_unused=False, materialize_grads=True),
            ValueError,
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
        ),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == message
    for call, kind, message in [
        (lambda: torch.autograd.grad(out, []), RuntimeError, "`inputs` argument to `grad()` cannot be empty."),
        (lambda: torch.autograd.grad([], x), ValueError, "grad requires non-empty inputs: got no outputs"),
        (
            lambda: torch.autograd.grad(out, [x, 1.0]),
            TypeError,
            "inputs must be Tensors, but element 1 is of type float",
        ),
        (
            lambda: torch.autograd.grad([out, "out"], x),
            TypeError,
            "outputs must be Tensors, but element 1 is of type str",
        ),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == message
    with pytest.raises(RuntimeError, match=r"not have been used in the graph.*Set allow_unused=True if this is the"):
        torch.autograd.grad(out, [x, y])


# ---- retained gradients, ends of the graph, names ------------------------------------------------------------------


def test_a_retained_gradient_follows_a_write_in_place() -> None:
    x = ones(2)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    other = x * 5
    other.mul_(2)
    y.sum().backward()
    other.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]
    assert not other.retains_grad
    assert x.grad.tolist() == [16.0, 16.0]


def test_hooks_on_a_leaf_run_for_grad_as_well() -> None:
    x = ones(2)
    seen: list[Any] = []
    x.register_hook(lambda g: g * 3)
    x.register_hook(seen.append)
    (dx,) = torch.autograd.grad((x * 2).sum(), x)
    assert dx.tolist() == [6.0, 6.0]
    dx.mul_(10)
    assert seen[0].tolist() == [6.0, 6.0]


def test_a_retained_gradient_is_recorded_with_create_graph() -> None:
    x = ones(2)
    y = x * x
    y.retain_grad()
    (dx,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    assert y.grad.requires_grad
    (ddx,) = torch.autograd.grad(dx.sum(), x)
    assert ddx.tolist() == [12.0, 12.0]


def test_one_of_several_outputs_retains_its_gradient() -> None:
    x = ones(4)
    first, second = x.split(2)
    second.retain_grad()
    (first * 2 + second * 3).sum().backward(retain_graph=True)
    assert second.grad.tolist() == [3.0, 3.0]
    second.grad = None
    first.sum().backward()
    assert second.grad is None


def test_a_graph_ends_in_its_leaves() -> None:
    x, y = ones(2), ones(2)
    ends = [node for node, _ in (x * y).grad_fn.next_functions]
    again = (x + y).grad_fn.next_functions[0][0]
    assert [end.name() for end in ends] == ["torch::autograd::AccumulateGrad"] * 2
    assert ends[0].variable is x
    assert ends[0].next_functions == ()
    assert ends[0] == again
    assert ends[0] != ends[1]
    assert ends[0] != x
    assert hash(ends[0]) == hash(again)
    assert hash(ends[0]) != hash(ends[1])
    assert repr(ends[0]) == f"<AccumulateGrad object at {id(x):#x}>"


def test_a_node_is_shown_by_its_name() -> None:
    node = (ones(2) * 2).grad_fn
    assert repr(node) == f"<MulBackward0 object at {id(node):#x}>"


def test_writes_to_a_view_are_shown_by_a_name_without_its_namespace() -> None:
    y = ones(2) * 1
    y[0] = 3
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    assert repr(y.grad_fn) == f"<CopySlices object at {id(y.grad_fn):#x}>"
    assert repr(y) == "tensor([3., 1.], dtype=torch.float64, grad_fn=<CopySlices>)"


def test_one_of_several_views_must_not_be_written_to() -> None:
    first, _ = (ones(4) * 1).split(2)
    with pytest.raises(
        RuntimeError, match=r"^Output 0 of Split(Backward0)? is a view and is being modified inplace\. "
    ):
        first.mul_(2)


def made_here(x: Any) -> Any:
    return x.split(2)


def test_anomalies_of_a_node_of_several_outputs_tell_where_it_was_made() -> None:
    x = ones(4)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        anomaly = torch.autograd.detect_anomaly()
    with anomaly:
        first, second = made_here(x)
        first.register_hook(lambda g: g * float("nan"))
        with (
            pytest.warns(
                UserWarning, match=r"Error detected in SplitBackward0\. Traceback of forward (.|\n)*made_here"
            ),
            pytest.raises(RuntimeError, match="'SplitBackward0' returned nan values in its 0th output"),
        ):
            (first + second).sum().backward()
    assert made_here(x)[0].grad_fn.watch is None


def test_a_hook_after_accumulation_sees_the_leaf_with_its_gradient() -> None:
    x = ones(2)
    seen: list[Any] = []
    handle = x.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is x, leaf.grad.tolist())))
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    handle.remove()
    (x * 4).sum().backward()
    assert seen == [(True, [2.0, 2.0]), (True, [5.0, 5.0])]


def test_each_accumulation_counts_as_a_write_to_the_gradient() -> None:
    x, w = ones(2), ones(2)
    for _ in range(2):
        (x * 2).sum().backward()
    product = (x.grad * w).sum()
    (x * 2).sum().backward()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_a_hook_after_accumulation_is_called_also_for_a_leaf_frozen_since() -> None:
    called = []
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: called.append(leaf.grad))
    y = x * 2
    x.requires_grad_(False)
    (y * w).sum().backward()
    assert called == [None]
