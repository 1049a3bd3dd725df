"""What small mistakes in the engine its laws let pass: what hooks of nodes return, views by the dozen, overflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.nn import functional as F


def ones(*shape: int) -> Any:
    return leaf(np.ones(shape))


# ---- what hooks of nodes return --------------------------------------------------------------------------------------


def first_cut(into: Any, out: Any) -> Any:
    return into[0][:1], into[1]


class InSingle:
    """Of no name but that of its class."""

    def __call__(self, into: Any, out: Any) -> Any:
        return into[0].float(), into[1]


@pytest.mark.parametrize(
    ("hook", "kind", "message"),
    [
        (lambda into, out: [*into], TypeError, "expected tuple, but hook returned 'list': one gradient each, or None"),
        (lambda into, out: into[0], TypeError, "expected tuple, but hook returned 'Tensor': one gradient each, or None"),  # noqa: E501
        (lambda into, out: into[:1], RuntimeError, "hook '<lambda>' has returned an incorrect number of values (got 1, but expected 2)"),  # noqa: E501
        (lambda into, out: (3.0, into[1]), TypeError, "expected Variable, but hook returned 'float'"),
        (first_cut, RuntimeError, "hook 'first_cut' has changed the size of value: from torch.Size([2]) to torch.Size([1])"),  # noqa: E501
        (InSingle(), RuntimeError, "hook 'InSingle' has changed the type of value (was torch.DoubleTensor got torch.FloatTensor)"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_hook_after_a_node_that_returns_something_else(hook: Any, kind: type[Exception], message: str) -> None:
    a, b = ones(2), ones(2)
    product = a * b
    product.grad_fn.register_hook(hook)
    with pytest.raises(kind) as caught:
        product.sum().backward()
    assert type(caught.value) is kind
    assert str(caught.value) == message
    assert a.grad is b.grad is None


def twice(g: Any) -> Any:
    return g[0], g[0]


def cut(g: Any) -> Any:
    return (g[0][:1],)


@pytest.mark.parametrize(
    ("hook", "kind", "message"),
    [
        (lambda g: g[0], TypeError, "expected tuple, but hook returned 'Tensor': one gradient each, or None"),
        (twice, RuntimeError, "hook 'twice' has returned an incorrect number of values (got 2, but expected 1)"),
        (cut, RuntimeError, "hook 'cut' has changed the size of value: from torch.Size([2]) to torch.Size([1])"),
    ],
)
def test_a_hook_before_a_node_that_returns_something_else(hook: Any, kind: type[Exception], message: str) -> None:
    x = ones(2)
    y = x * 2
    y.grad_fn.register_prehook(hook)
    with pytest.raises(kind) as caught:
        y.sum().backward()
    assert str(caught.value) == message
    assert x.grad is None


def test_a_gradient_may_be_replaced_by_none_but_none_by_no_gradient() -> None:
    a, b = ones(2), ones(2)
    product = a * b
    product.grad_fn.register_hook(lambda into, out: (None, into[1] * 3))
    product.sum().backward()
    assert a.grad is None
    assert b.grad.tolist() == [3, 3]
    # A number has no gradient.
    x = ones(2)
    y = x * 2
    y.grad_fn.register_hook(lambda into, out: None)
    y.grad_fn.register_hook(lambda into, out: (into[0] * 3, None))
    y.sum().backward()
    assert x.grad.tolist() == [6, 6]
    y = x * 2
    y.grad_fn.register_hook(lambda into, out: (into[0], into[0]))
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    assert str(caught.value) == "can't replace a None gradient with a non-None value"


def test_what_a_hook_saw_or_gave_is_not_written_to() -> None:
    """Though more gradients arrive for the same input, which the walk adds up where it may."""
    x = ones(2)
    y = x * 1
    held: list[Any] = []

    def hook(into: Any, out: Any) -> Any:
        held.extend([into[0], into[0] * 10])
        return held[-1], *into[1:]

    parts = [y * 2, y * 3, y * 4]
    for part in parts:
        part.grad_fn.register_hook(hook)
    sum(part.sum() for part in parts).backward()
    assert sorted(each.tolist() for each in held) == [[n, n] for n in (2, 3, 4, 20, 30, 40)]
    assert x.grad.tolist() == [90, 90]


def test_a_hook_is_part_of_the_graph_that_a_gradient_makes() -> None:
    x = ones(2)
    y = x * 2
    y.grad_fn.register_hook(lambda into, out: (into[0] * x, None))
    (dx,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.autograd.grad(dx.sum(), x)[0].tolist() == [2, 2]


@pytest.mark.parametrize("change", [None, lambda into, out: (into[0] * 2, *into[1:])])
def test_a_hook_after_a_lookup_sees_its_sparse_gradient(change: Callable[..., Any] | None) -> None:
    weight = ones(3, 2)
    out = F.embedding(torch.tensor([1, 1]), weight, sparse=True)
    seen: list[Any] = []
    out.grad_fn.register_hook(lambda into, out: seen.append(into[0]))
    if change is not None:
        out.grad_fn.register_hook(change)
    out.sum().backward()
    assert seen[0].is_sparse
    assert weight.grad.is_sparse
    times = 1 if change is None else 2
    assert weight.grad.to_dense().tolist() == [[0, 0], [2 * times, 2 * times], [0, 0]]


# ---- the walk --------------------------------------------------------------------------------------------------------


def test_gradients_overflow_without_a_warning() -> None:
    """Warnings are errors here: the sums that the walk makes, and those in `.grad`, are infinite without one."""
    for ask in (
        lambda out, x: torch.autograd.grad(out, x)[0],
        lambda out, x: [out.backward(), x.grad][1],
        lambda out, x: [out.backward(retain_graph=True), out.backward(), x.grad][2],
    ):
        x = torch.tensor([1.0], requires_grad=True)
        out = (x * 3e38).sum() + (x * 3e38).sum() + (x * 3e38).sum()
        assert ask(out, x).tolist() == [float("inf")]


def test_grad_takes_one_gradient_at_a_time() -> None:
    x = ones(2)
    out = (x * 2).sum()
    for options in (
        {"is_grads_batched": True},
        {"only_inputs": False},
        {"is_grads_batched": True, "only_inputs": False},
    ):
        with pytest.raises(NotImplementedError) as caught:
            torch.autograd.grad(out, x, **options)
        assert str(caught.value) == (
            "grad() takes only_inputs=True and is_grads_batched=False: call it once per gradient"
        )
    assert torch.autograd.grad(out, x)[0].tolist() == [2, 2]


def test_retained_gradients_of_two_recorded_passes_add_up_in_a_graph() -> None:
    x = ones(2)
    y = x * x
    y.retain_grad()
    out = (y * y).sum()
    torch.autograd.grad(out, x, create_graph=True)
    first = y.grad
    torch.autograd.grad(out, x, create_graph=True)
    assert y.grad is not first
    assert first.tolist() == [2, 2]
    assert y.grad.tolist() == [4, 4]
    # 2 * 2 * x**2 for two passes.
    assert torch.autograd.grad(y.grad.sum(), x)[0].tolist() == [8, 8]


def test_a_recorded_pass_is_differentiable_in_everything() -> None:
    """In the input, which several gradients arrive for, and in the cotangent; over several passes."""
    x, g = ones(2), leaf(np.array([3.0, 4.0]))
    for times in (1, 2):
        (x * x + x * x * x).backward(g, create_graph=True)
        assert x.grad.tolist() == [15 * times, 20 * times]
    total = x.grad.sum()
    assert torch.autograd.grad(total, x, retain_graph=True)[0].tolist() == [48, 64]
    assert torch.autograd.grad(total, g)[0].tolist() == [10, 10]


def test_a_node_of_several_outputs_waits_for_its_turn() -> None:
    """What made its input is walked once, after it: `exp` gives what it kept away when it is."""
    x = ones(4)
    y = x.exp()
    first, second = y.split(2)
    (first.sum() * 2 + second.sum() * 3 + (y * 4).sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), np.e * np.array([6, 6, 7, 7]), rtol=1e-15)


def test_a_gradient_is_handed_out_as_it_was_before_hooks_where_the_walk_goes_on() -> None:
    """And after them where it ends, as in PyTorch."""
    for several in (False, True):
        x = ones(2)
        y = (x * 2).split(2)[0] if several else x * 2
        y.register_hook(lambda g: g * 10)
        out = (y * 3).sum()
        dy, dx = torch.autograd.grad(out, [y, x], retain_graph=True)
        assert (dy.tolist(), dx.tolist()) == ([3, 3], [60, 60])
        (dy,) = torch.autograd.grad(out, y)
        assert dy.tolist() == [30, 30]


def test_a_backward_pass_may_end_in_results() -> None:
    x = ones(2)
    y = x * 2
    first, second = y.split(1)
    (first * 3 + second * 5).sum().backward(inputs=[y, second])
    assert (y.grad.tolist(), second.grad.tolist(), x.grad) == ([3, 5], [5], None)


def test_retained_gradients_of_two_recorded_backward_passes() -> None:
    x = ones(2)
    y = x * x
    y.retain_grad()
    for _ in range(2):
        (y * y).sum().backward(create_graph=True)
    assert y.grad.tolist() == [4, 4]
    assert torch.autograd.grad(y.grad.sum(), x)[0].tolist() == [8, 8]


def test_a_retained_gradient_is_a_copy_of_that_given_to_grad() -> None:
    for record in (False, True):
        x, g = ones(2), torch.ones(2, dtype=torch.float64)
        y = x * 2
        y.retain_grad()
        (dx,) = torch.autograd.grad(y, x, g, create_graph=record)
        y.grad.zero_()
        assert (g.tolist(), dx.tolist()) == ([1, 1], [2, 2])


def test_sparse_and_dense_gradients_add_up_over_passes() -> None:
    ids = torch.tensor([2, 0, 2])
    for order in ([True, False], [False, True], [True, True, False], [False, True, False]):
        weight = ones(3, 2)
        for sparse in order:
            (F.embedding(ids, weight, sparse=sparse) * 3).sum().backward()
        assert weight.grad.is_sparse is False
        n = 3 * len(order)
        assert weight.grad.tolist() == [[n, n], [0, 0], [2 * n, 2 * n]]


# ---- errors ----------------------------------------------------------------------------------------------------------

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed): what MulBackward0 kept of the forward pass is gone. Call the first backward with retain_graph=True, or "
    "compute the result again before the second. What one step hands on to the next is cut off from the graph by "
    "h = h.detach()."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.DoubleTensor [2]], which MulBackward0 kept, is at version 3; expected version 1 instead. Make a new tensor "
    "(x = x + 1 in place of x += 1), or change a copy: x.clone()."
)


def raised(call: Callable[[], Any]) -> str:
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
        call()
    return str(caught.value)


def test_what_was_kept_and_is_gone_or_changed() -> None:
    x, factor = ones(2), torch.ones(2).double()
    factor.mul_(2)
    out = (x * factor).sum()
    out.backward()
    assert x.grad.tolist() == [2, 2]
    assert raised(out.backward) == FREED
    out = (x * factor).sum()
    factor.mul_(2)
    factor.mul_(2)
    assert raised(out.backward) == MODIFIED


def test_arguments_of_backward() -> None:
    out = (ones(2) * 2).sum()
    assert raised(lambda: torch.autograd.backward([])) == "grad requires non-empty inputs: got no tensors"
    assert raised(lambda: torch.autograd.backward([out, 1.0])) == (
        "tensors must be Tensors, but element 1 is of type float"
    )


def test_outputs_and_their_gradients() -> None:
    x, number = ones(2), torch.ones(2).double()
    y = x * 2
    assert raised(number.sum().backward) == (
        "element 0 of tensors does not require grad and does not have a grad_fn: nothing that it was computed from was "
        "made with requires_grad=True, or it was computed under no_grad() or detached since."
    )
    assert raised(y.backward) == (
        "grad can be implicitly created only for scalar outputs, but this one has shape torch.Size([2]). Reduce it "
        "first, as in y.sum().backward(), or pass the gradient of the loss with respect to it, of its shape: "
        "y.backward(gradient)."
    )
    assert raised(lambda: y.backward(1.5)).startswith("gradients can be either Tensors or None, but got float")
    assert raised(lambda: torch.autograd.grad([y.sum(), y], x, [None, number[:1]])) == (
        "Mismatch in shape: grad_output[1] has a shape of torch.Size([1]) and output[1] has a shape of torch.Size([2])."
    )
    assert raised(lambda: torch.autograd.grad([y], x, [number, number])) == "got 1 tensors and 2 gradients"
    for given in (torch.tensor([1.0, 2.0]), torch.tensor([1, 2])):
        assert torch.autograd.grad(y, x, given, retain_graph=True)[0].tolist() == [2, 4]


def test_a_hook_after_accumulation_returns_nothing() -> None:
    x = ones(2)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    assert raised((x * 2).sum().backward) == "Tensor post accumulate grad hooks should return None."


@pytest.mark.parametrize("made_in_anomaly_mode", [True, False])
def test_anomalies_are_found_also_in_graphs_made_before(made_in_anomaly_mode: bool) -> None:
    """The traceback of the forward pass is told where there is one."""
    x = leaf(np.zeros(1))
    before = (x.sqrt() * 0).sum()
    assert before.grad_fn.watch is None
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        anomaly = torch.autograd.detect_anomaly()
    with anomaly:
        made = (x.sqrt() * 0).sum()
        assert "test_anomalies_are_found_also_in_graphs_made_before" in made.grad_fn.watch.trace
        out = made if made_in_anomaly_mode else before
        with (
            pytest.warns(UserWarning, match=r"^Error detected in SqrtBackward0\.") as caught,
            pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values in its 0th output"),
        ):
            out.backward()
    assert ("in test_anomalies_are_found" in str(caught[0].message)) is made_in_anomaly_mode
    assert x.grad is None


# ---- views -----------------------------------------------------------------------------------------------------------


def test_any_number_of_views_follow_a_write() -> None:
    """Also when others are gone: of a hundred, every third one is kept."""
    x = ones(2)
    y = x * 1
    views = [y[:1] for _ in range(100)][::3]
    y.mul_(3)
    for k, view in enumerate(views):
        view.backward(torch.tensor([float(k)]).double(), retain_graph=True)
        assert x.grad.tolist() == [3 * k, 0]
        x.grad = None
    more = [y[1:] for _ in range(50)]
    y.mul_(2)
    for view, at in [*[(view, 0) for view in views], *[(view, 1) for view in more]]:
        view.backward(torch.ones(1).double(), retain_graph=True)
        assert x.grad[at].item() == 6
        x.grad = None


def test_names_are_shown_without_their_namespace() -> None:
    x = ones(2)
    (end, _), *_ = (x * 2).grad_fn.next_functions
    assert end.name() == "torch::autograd::AccumulateGrad"
    assert repr(end).startswith("<AccumulateGrad object at 0x")
    y = x * 1
    y[0] = 2
    assert y.grad_fn.short_name() == "CopySlices"
    assert (x * 2).grad_fn.short_name() == "MulBackward0"
