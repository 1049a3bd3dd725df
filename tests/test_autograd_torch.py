"""Random graphs on both engines: after each step all that a program can see of them is the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import Raised, array_of, check_same, check_same_values, outcome, tensor_of
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule
from strategies import Array, arrays, cotangents, shapes

import minigrad

torch = pytest.importorskip("torch", reason="needs PyTorch")


def unsigned_zeros(tensor: Any) -> Array:
    """The array with 0.0 for each -0.0: of a sum of zeros, the order decides on the sign."""
    return array_of(tensor) + 0


# ---- random graphs ---------------------------------------------------------------------------------------------------


INDICES = st.sampled_from([0, -1, (..., 0), slice(None, 1), slice(None), None, ([0, -1],)])


def overlaps_view_made_unrecorded(x: Any, y: Any) -> bool:
    """Whether `x` is another tensor than `y`, in the same storage, and a view that was made under no_grad."""
    if x is y or not x._is_view() or x.untyped_storage().data_ptr() != y.untyped_storage().data_ptr():
        return False
    return torch._C._autograd._get_creation_meta(x) == torch._C._autograd.CreationMeta.NO_GRAD_MODE


class RandomGraphs(RuleBasedStateMachine):
    """Builds the same graph on both engines; after each step all values, flags and gradients agree.

    All values are small integers as float64, so that sums are exact in any order: gradients agree bit for bit.
    """

    tensors = Bundle("tensors")

    def __init__(self) -> None:
        super().__init__()
        self.leaves: list[tuple[Any, Any]] = []
        self.all: list[tuple[Any, Any]] = []

    def known(self, wanted: Any, got: Any) -> Any:
        """The step's pair of results, if they are tensors of a moderate size; both or neither raised."""
        if isinstance(wanted, Raised) or isinstance(got, Raised):
            check_same(wanted, got)
            return multiple()
        assert (wanted.requires_grad, wanted.is_leaf) == (got.requires_grad, got.is_leaf)
        check_same_values(unsigned_zeros(wanted), unsigned_zeros(got))
        if array_of(wanted).size > 64 or float(np.abs(array_of(wanted)).max(initial=0)) > 1e4:
            return multiple()
        self.all.append((wanted, got))
        return (wanted, got)

    @rule(target=tensors, array=arrays("float64", shapes(max_dims=2, max_side=2)), requires_grad=st.booleans())
    def make_a_leaf(self, array: Array, requires_grad: bool) -> Any:
        pair = tensor_of(torch, array, requires_grad), tensor_of(minigrad, array, requires_grad)
        self.leaves.append(pair)
        return self.known(*pair)

    @rule(target=tensors, a=tensors, b=tensors, name=st.sampled_from(["__add__", "__sub__", "__mul__", "__matmul__"]))
    def combine(self, a: Any, b: Any, name: str) -> Any:
        return self.known(*[outcome(lambda i=i: getattr(a[i], name)(b[i])) for i in (0, 1)])

    @rule(
        target=tensors,
        a=tensors,
        step=st.sampled_from(
            [
                lambda x: x.sum(),
                lambda x: x.sum(-1, keepdim=True),
                lambda x: x.relu(),
                lambda x: x**2,
                lambda x: -x,
                lambda x: x.abs(),
                lambda x: x.reshape(-1),
                lambda x: x.transpose(0, -1),
                lambda x: x.unsqueeze(0).expand(2, *x.shape),
                lambda x: x[0],
                lambda x: x[..., [0, -1, 0]],
                lambda x: x[x > 0],
                lambda x: x.max(),
                lambda x: x.max(-1)[0],
                lambda x: x.clone(),
                lambda x: x.detach(),
                lambda x: x.float().double(),
            ]
        ),
    )
    def transform(self, a: Any, step: Callable[[Any], Any]) -> Any:
        return self.known(*[outcome(lambda i=i: step(a[i])) for i in (0, 1)])

    @rule(target=tensors, a=tensors, step=st.sampled_from([lambda x: x[..., 0], lambda x: x.view(-1), lambda x: x * 2]))
    def transform_unrecorded(self, a: Any, step: Callable[[Any], Any]) -> Any:
        found = []
        for i, api in enumerate((torch, minigrad)):
            with api.no_grad():
                found.append(outcome(lambda i=i: step(a[i])))
        if isinstance(found[0], torch.Tensor) and found[0].requires_grad:
            return multiple()  # PyTorch records what is computed from it, and lets no gradient through.
        return self.known(*found)

    @rule(target=tensors, table=tensors, ids=st.lists(st.integers(0, 1), max_size=4))
    def look_up(self, table: Any, ids: list[int]) -> Any:
        if table[0].dim() != 2 or len(table[0]) < 2:
            return multiple()
        return self.known(
            *[
                api.nn.functional.embedding(api.tensor(ids, dtype=api.int64), table[i])
                for i, api in enumerate((torch, minigrad))
            ]
        )

    def written(self, a: Any, write: Callable[[int, Any], Any], record: bool) -> None:
        """Both packages did the same write, or raised the same."""
        # Views made under no_grad cannot follow a recorded write: PyTorch says so when such a view is used next,
        # minigrad when a gradient arrives at it.
        if record and any(overlaps_view_made_unrecorded(x, a[0]) for x, _ in self.all):
            return
        # PyTorch fills tensors whose elements share places, and writes to parts of them; minigrad refuses.
        if 0 in a[0].stride() and a[0].numel() > 1:
            return
        # Of a view that is written to, PyTorch forgets the hooks; here the gradient passes them.
        if record and a[0]._is_view() and a[0]._backward_hooks:
            return

        def run(i: int, api: Any) -> Any:
            with api.set_grad_enabled(record):
                return write(i, api)

        wanted, got = outcome(lambda: run(0, torch)), outcome(lambda: run(1, minigrad))
        if isinstance(wanted, Raised) or isinstance(got, Raised):
            check_same(wanted, got)

    @rule(a=tensors, b=tensors, name=st.sampled_from(["add_", "mul_", "sub_", "copy_"]), record=st.booleans())
    def write(self, a: Any, b: Any, name: str, record: bool) -> None:
        # PyTorch refuses to read from what it writes to, unless it is the same: see the program for that.
        # A tensor copied to itself it leaves alone, even an expanded one, to which nothing can be written.
        if name == "copy_" if a is b else np.shares_memory(array_of(a[0]), array_of(b[0])):
            return
        self.written(a, lambda i, api: getattr(a[i], name)(b[i]), record)

    @rule(a=tensors, b=tensors | st.integers(-3, 3), index=INDICES, record=st.booleans())
    def assign(self, a: Any, b: Any, index: Any, record: bool) -> None:
        # Of an index out of range and operands that overlap, in the sense of both being empty, either is an error.
        if array_of(a[0]).size == 0 or (not isinstance(b, int) and np.shares_memory(array_of(a[0]), array_of(b[0]))):
            return
        self.written(a, lambda i, api: a[i].__setitem__(index, b if isinstance(b, int) else b[i]), record)

    @rule(a=tensors, step=st.sampled_from([lambda x: x.zero_(), lambda x: x.fill_(2.0), lambda x: x.relu_()]))
    def overwrite(self, a: Any, step: Callable[[Any], Any]) -> None:
        self.written(a, lambda i, api: step(a[i]), True)

    @rule(a=tensors, hook=st.sampled_from([None, lambda g: g * 2, lambda g: None]))
    def watch(self, a: Any, hook: Any) -> None:
        wanted, got = [
            outcome(lambda i=i: a[i].retain_grad() if hook is None else a[i].register_hook(hook)) for i in (0, 1)
        ]
        if isinstance(wanted, Raised) or isinstance(got, Raised):
            check_same(wanted, got)

    @rule(a=tensors, data=st.data(), retain=st.booleans())
    def backward(self, a: Any, data: st.DataObject, retain: bool) -> None:
        g = data.draw(cotangents(tuple(a[0].shape), "float64"))
        pair = tensor_of(torch, g), tensor_of(minigrad, g)
        wanted, got = [outcome(lambda i=i: a[i].backward(pair[i], retain_graph=retain)) for i in (0, 1)]
        if isinstance(wanted, Raised) or isinstance(got, Raised):
            check_same(wanted, got)
            self.forget_all_gradients()

    @rule(a=tensors, b=tensors, data=st.data())
    def differentiate_twice(self, a: Any, b: Any, data: st.DataObject) -> None:
        g = data.draw(cotangents(tuple(a[0].shape), "float64"))
        h = data.draw(cotangents(tuple(b[0].shape), "float64"))

        def gradients(i: int, api: Any) -> Any:
            start = tensor_of(api, g, True)
            (first,) = api.autograd.grad(a[i], b[i], start, create_graph=True)
            if not first.requires_grad:
                return first, b[i].detach() * 0, start.detach() * 0
            # None for an input that is not used, or zeros, depends on how a formula was written.
            how = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
            return (first, *api.autograd.grad(first, [b[i], start], tensor_of(api, h), **how))

        wanted, got = outcome(lambda: gradients(0, torch)), outcome(lambda: gradients(1, minigrad))
        if isinstance(wanted, Raised) and not isinstance(got, Raised):
            # PyTorch cannot derive the gradient of a lookup of no ids, and gives a view that was written to, also
            # unrecorded, a new history, which what was computed before does not lead to.
            rewritten = b[0]._is_view() and "appears to not have been used" in str(wanted.error)
            assert rewritten or "cannot reshape tensor of 0 elements" in str(wanted.error)
            self.forget_all_gradients()
            return
        if isinstance(wanted, Raised) or isinstance(got, Raised):
            check_same(wanted, got)
            self.forget_all_gradients()
            return
        for x, y in zip(wanted, got, strict=True):
            check_same_values(unsigned_zeros(x), unsigned_zeros(y))

    def forget_all_gradients(self) -> None:
        """After a walk that failed halfway: PyTorch has added some gradients, and minigrad none."""
        for each in [each for both in self.all for each in both if each.is_leaf or each.retains_grad]:
            each.grad = None

    @rule(a=tensors)
    def forget_the_gradient(self, a: Any) -> None:
        if a[0].is_leaf:
            a[0].grad = a[1].grad = None

    @invariant()
    def all_agree(self) -> None:
        for wanted, got in self.all:
            assert (wanted.requires_grad, wanted.is_leaf) == (got.requires_grad, got.is_leaf)
            check_same_values(unsigned_zeros(wanted), unsigned_zeros(got))
        for wanted, got in self.all:
            if not wanted.is_leaf and not wanted.retains_grad:
                continue
            assert (wanted.grad is None) == (got.grad is None)
            if wanted.grad is not None:
                check_same_values(unsigned_zeros(wanted.grad), unsigned_zeros(got.grad))

    @invariant()
    def gradients_lie_in_memory_of_their_own(self) -> None:
        grads = [got.grad for _, got in self.leaves if got.is_leaf and got.grad is not None]
        others = [got for _, got in self.all]
        for position, grad in enumerate(grads):
            assert not any(np.shares_memory(array_of(grad), array_of(other)) for other in (*grads[:position], *others))


TestRandomGraphs = RandomGraphs.TestCase
TestRandomGraphs.settings = settings(max_examples=settings.default.max_examples // 2 + 1, stateful_step_count=40)
