# ruff: noqa: E501 -- a row is one mistake.
"""The engine's laws and programs reject broken engines; `test_broken_copies.py` does the same for lookup and scatter.

Each engine differs from the package by one plausible mistake.  Where the mistake is in the middle of a function, the
broken copy is made from its source by a replacement, which must still be found there.
"""

import heapq
import inspect
from types import FunctionType
from typing import Any

import engine_laws
import pytest
from test_programs import PAGES
from transcripts import shown

import minigrad
from minigrad import autograd
from minigrad.autograd import function
from minigrad.core import ops, tape, walk as walking
from minigrad.core.ops import Div, Mul, Sub, Sum
from minigrad.core.walk import Walk
from minigrad.ops import writing
from minigrad.tensor import Tensor
from minigrad.tensors import hooks


def edited(function: Any, old: str, new: str) -> FunctionType:
    """A function with one piece of its source replaced."""
    source = inspect.getsource(function)
    assert source.count(old) == 1, f"{old!r} is not in {function.__name__} once: the broken copy is out of date"
    lines = inspect.cleandoc("\n" + source.replace(old, new))
    names: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + lines, function.__globals__, names)
    made: FunctionType = names[function.__name__]
    return made


EXP = type(minigrad.ones(1, requires_grad=True).exp().grad_fn)


def keep_the_output_tensor(self: Any, inputs: Any, out: Any) -> None:
    """A cycle: the output holds its node, and the node the output."""
    self._kept = ((out, 0),)


def views_with_a_storage_of_their_own(x: Any, view: Any, made_by: str = "") -> None:
    view._base, view._maker = x, made_by


PROGRAMS = PAGES["autograd"]

#: The mistake, where it is made, what stands there instead (of one piece of the source, another), who has to notice.
ENGINES: list[tuple[str, Any, str, Any, set[str]]] = [
    ("depth first, not waiting", walking, "heappush", lambda heap, item: heapq.heappush(heap, (-tape.next_number(), item[1])), {"all_users_first", "chain_rule"}),
    ("breadth first, not waiting", walking, "heappush", lambda heap, item: heapq.heappush(heap, (tape.next_number(), item[1])), {"all_users_first"}),
    ("oldest first", walking, "heappush", lambda heap, item: heapq.heappush(heap, (-item[0], item[1])), {"all_users_first", "chain_rule"}),
    ("g itself taken for the walk's own", Walk, "_hand_on", ("gradient is g or ", ""), {"chain_rule", "A cotangent is not written into when a third gradient arrives"}),
    ("views taken for the walk's own", Walk, "_hand_on", (" and gradient._array.base is None", ""), {"chain_rule", "ownership"}),
    ("a later gradient replaces an earlier one", Walk, "_hand_on", ("gradient = earlier._plus(gradient, edge in owned)", "pass"), {"chain_rule"}),
    ("a later gradient is lost", Walk, "_hand_on", ("gradient = earlier._plus(gradient, edge in owned)", "gradient = earlier"), {"chain_rule"}),
    ("sums recorded as the walk's own", Walk, "_hand_on", ("not (record or gradient is g", "not (gradient is g"), {"Gradients are parts of a graph if asked for and grad mode is as before"}),
    ("nothing is freed", Walk, "_hand_on", ("if not self.retain and", "if False and"), {"what_is_not_kept_dies", "A second pass is refused where one has freed"}),
    ("all is freed", Walk, "_hand_on", ("if not self.retain and", "if"), {"chain_rule", "A second pass is refused where one has freed"}),
    ("each .grad is written as it arrives", Walk, "_hand_on", ("sums[edge] = gradient\n", "sums[edge] = gradient; plain and isinstance(edge, Tensor) and setattr(edge, '_grad', gradient)\n"), {"errors_change_nothing"}),
    ("a gradient is held too long", Walk, "_hand_on", ("arrivals, gradients, gradient, earlier = (), None, None, None", "pass"), {"a_gradient_goes_when_it_has_been_handed_on"}),
    ("create_graph retains always", Walk, "__init__", ("record if retain_graph is None else retain_graph", "record or retain_graph"), {"Retain graph false with create graph"}),
    ("gradients are always recorded", Walk, "__enter__", ("current.enabled = self.record", "current.enabled = True"), {"Gradients are parts of a graph if asked for and grad mode is as before"}),
    ("what a hook saw is taken for the walk's own", Walk, "run", ("self.owned.discard(edge)", "pass"), {"ownership_of_what_was_seen"}),
    ("a hook sees what others hold", Walk, "_visit", ("or (node.watch is not None and node.watch.hooks)", ""), {"ownership_of_what_is_written_on_the_way"}),
    ("a Function sees what others hold", Walk, "_visit", ("node.is_written_by_users or", ""), {"ownership_of_what_is_written_on_the_way"}),
    ("any shape fits", walking, "_check_shape", ("if x._array.shape != shape:", "if False:"), {"a_gradient_of_another_shape"}),
    ("no way is pruned", Walk, "_visit", ("not self.useful.isdisjoint(node.edges)", "True"), {"Only the way to what is asked for is walked and freed"}),
    ("the gradient of a result in the middle is doubled", Walk, "_take", ("[pair for pair in zip(edges", "[(pair[0], pair[1] * 2) for pair in zip(edges"), {"chain_rule"}),
    ("each .grad is checked when it is written", walking, "backward", ("_check_fits(x._grad, g)", "_check_fits(x._grad, g); _accumulate([(x, g, False)], create_graph)"), {"a_grad_of_another_shape"}),
    ("a leaf does not copy", walking, "_accumulate", ('gradient._new(laid_out(copied(gradient._array, "C"), leaf))', "gradient"), {"ownership"}),
    ("a new .grad each time", walking, "_accumulate", ("elif record or", "elif True or"), {"chain_rule", "Accumulation is into the same object"}),
    ("in place also with a graph", walking, "_accumulate", ("elif record or not", "elif not"), {"Accumulation with create graph makes a new object"}),
    ("a write to .grad does not count", walking, "_accumulate", (".version += 1", ".version += 0"), {"Accumulation is into the same object"}),
    ("frozen leaves are not asked", walking, "_accumulate", ("if not tensor._requires_grad:", "if False:"), {"A frozen leaf gets no gradient"}),
    ("a retained gradient is not copied", walking, "backward", ("(x, g, False)", "(x, g, True)"), {"ownership_of_what_was_seen"}),
    ("grad() does not copy", autograd, "grad", ("else gradient.clone()", "else gradient"), {"ownership_of_a_start"}),
    ("a leaf's gradient is replaced", Tensor, "_into", ("total._array, self._array", "self._array, 0"), {"Gradients accumulate"}),
    ("no version is checked", (tape, function), "unpack_saved", lambda entry, name: entry[0], {"kept_values", "kept_values_of_the_second_order", "Writes keep what their gradients read"}),
    ("a kept output has its own storage", tape.Node, "kept", ("out._storage = value._storage", ""), {"kept_values_of_the_second_order"}),
    ("a kept output has no history", tape.Node, "kept", ("not current.enabled", "True"), {"All derivatives of exp are exp"}),
    ("the outputs of a node are mixed up", tape.Several, "record", ("(self, position)", "(self, 0)"), {"Of several outputs each gradient goes its way"}),
    ("a node holds its output", EXP, "keep", keep_the_output_tensor, {"no_cycles"}),
    ("a sum keeps its input", Sum, "keep", tape.keep_inputs, {"what_is_not_kept_dies"}),
    ("a quotient keeps its dividend", Div, "reads", {0: (0, 1), 1: (0, 1)}, {"what_is_not_kept_dies"}),
    ("a product keeps both factors", Mul, "keep", tape.keep_inputs, {"what_is_not_kept_dies"}),
    ("a sign", Sub, "db", Sub.da, {"chain_rule", "Operands kept by writes"}),
    ("a view has its own storage", (tape, ops), "share_storage", views_with_a_storage_of_their_own, {"kept_values", "every_write_counts"}),
    ("detach() has its own storage", Tensor, "detach", ("out._storage = storage_of(self)", ""), {"kept_values"}),
    ("a write does not count", Tensor, "_refill", ("storage_of(self).version += 1", ""), {"every_write_counts", "kept_values"}),
    ("an in-place op does not count", Tensor, "_rewrite", ("storage_of(self).version += 1", ""), {"every_write_counts"}),
    ("arithmetic in place does not count", Tensor, "_computed_in_place", ("storage_of(self).version += 1", ""), {"every_write_counts"}),
    ("views do not follow a write", writing, "follow", lambda *views: None, {"writes_to_views"}),
    ("the base does not follow a write", Tensor, "_follow", (".record((edge_to(base), node), (), base)", ""), {"writes_to_views"}),
    ("what was overwritten keeps its gradient", writing.Overwrite, "backward", ("part[...] = 0", "pass"), {"writes_to_views"}),
    ("what was overwritten has a gradient of its own", writing.Overwrite, "backward", ("IndexInto(dims).da(g, places)", "g"), {"Writes to parts of what lies in another order, and gradients of gradients"}),
    ("of elements at one place, the last gradient stays", writing.StridedView, "dx", ("(len(shape)))", "(len(shape))), True"), {"writes_to_views"}),
    ("a write does not copy what its gradient reads", Tensor, "_secure", ("value._array = value._array.copy()", "pass"), {"writes_to_views", "Operands kept by writes"}),
    ("a write leaves the kept output alone", Tensor, "_secure", ("value._storage = storage_of(self)", ""), {"Writes keep what their gradients read"}),
    ("a write of one node does not copy what it reads", Tensor, "_refill", ("before._array = self._array.copy()", "pass"), {"Writes keep what their gradients read"}),
    ("any view is written to", Tensor, "_check_recordable", ("if base is not self and self._maker", "if False and self._maker"), {"A view made under no grad"}),
    ("a hook's result is lost", hooks, "run_hooks", ("gradient = gradient if result is None else _replaced(hook, gradient, result)", "pass"), {"Hooks see and change gradients"}),
    ("a hook may return anything", hooks, "run_hooks", ("_replaced(hook, gradient, result)", "result"), {"A hook that fails changes nothing"}),
    ("what a hook returned is the walk's own", hooks.Watch, "before", ("unowned(each)", "each"), {"ownership_of_what_a_hook_returned"}),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "where", "name", "change", "rejecting"), ENGINES, ids=[row[0] for row in ENGINES])
def test_broken_engine_is_rejected(
    mistake: str, where: Any, name: str, change: Any, rejecting: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner in where if isinstance(where, tuple) else [where]:
        texts = isinstance(change, tuple) and isinstance(change[0], str)
        monkeypatch.setattr(owner, name, edited(getattr(owner, name), *change) if texts else change)
    for law in rejecting:
        # An engine may also fail by an error of its own, where none is expected.
        rejected = refuses(law) if law in PROGRAMS else engine_laws.ALL.rejects(law, (AssertionError, RuntimeError))
        assert rejected, f"{law} accepts: {mistake}"


def refuses(title: str) -> bool:
    """Whether the program of that title shows something else on the package as it is now."""
    try:
        return shown(minigrad, PROGRAMS[title]) != PROGRAMS[title].output
    except RuntimeError:
        return True
