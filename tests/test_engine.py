"""The engine: its laws, large graphs, threads."""

import gc
import os
import signal
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Generator
from typing import Any, ClassVar

import engine_laws
import numpy as np
import pytest
from hypothesis import settings
from laws import Law

import minigrad as torch
from minigrad.core import tensor as storage, walk
from minigrad.core.tape import Unary


@pytest.mark.parametrize("law", engine_laws.ALL, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    engine_laws.ALL.check(law)


def test_fields_of_a_node_are_in_its_dict() -> None:
    with pytest.raises(AssertionError, match="leave out __slots__"):
        type("Scaled", (Unary,), {"__slots__": ("factor",), "__annotations__": {"factor": "float"}})


def test_annotations_of_a_node_may_be_types() -> None:
    # As in a shell, where no `from __future__ import annotations` makes them strings.
    kind = type("Scaled", (Unary,), {"factor": 3, "__annotations__": {"factor": int, "unit": ClassVar[int]}})
    assert (kind.parameters, vars(kind())) == (("factor",), {"factor": 3})


@pytest.mark.parametrize("used_before", [False, True])
def test_a_node_has_the_defaults_of_its_class(used_before: bool) -> None:
    fields = {"factor": 3, "__annotations__": {"factor": "int"}}
    scaled: Any = type("Scaled", (Unary,), fields)
    if used_before:
        assert scaled().factor == 3
    assert type("Doubled", (scaled,), {"factor": 2})().factor == 2
    assert type("Same", (scaled,), {})().factor == 3


def test_what_python_writes_into_a_class_is_no_member_of_tensors() -> None:
    before = vars(torch.Tensor).copy()
    # Two of these names are Python 3.13's.
    storage.members(type("Family", (), {"__static_attributes__": ("x",), "__firstlineno__": 1, "__slots__": ()}))
    assert vars(torch.Tensor) == before


def test_a_function_that_is_called_without_apply_says_so() -> None:
    with pytest.raises(RuntimeError, match="is deprecated: call its apply"):
        torch.autograd.Function()(torch.ones(2))


def test_what_users_write_for_a_backward_pass_finds_the_error_state_that_they_have_set() -> None:
    states = []

    def look(*_: object) -> None:
        states.append(np.geterr()["divide"])
        np.log(np.zeros(1))

    class Looking(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            look()
            np.seterr(divide="warn")
            return g

    x = torch.ones(2, requires_grad=True)
    x.register_hook(look)
    x.register_post_accumulate_grad_hook(look)
    # The gradient of `x` overflows on its way: the walk itself does not warn of that.
    y = Looking.apply(x * 2) + x
    y.register_hook(look)
    y.grad_fn.register_prehook(look)
    y.grad_fn.register_hook(look)
    with np.errstate(divide="call", over="raise", call=lambda *_: None):
        with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
            (y * y.detach() / 1e-38).sum().backward()
        assert (np.geterr()["divide"], np.geterr()["over"]) == ("warn", "raise")
    assert states == ["call", "call", "call", "call", "warn", "warn"]
    assert len(warned) == 2


# ---- large graphs ----------------------------------------------------------------------------------------------------


@pytest.fixture
def without_collector() -> Generator[None, None, None]:
    """Memory goes by reference counting alone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def chain(n: int) -> list[float]:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(n // 2):
        y = y * 1.0 + 0.0
    y.backward()
    return [x.grad.item(), 1.0]


def consumers(n: int) -> list[float]:
    x = torch.tensor(1.0, requires_grad=True)
    torch.stack([x * k for k in range(n)]).sum().backward()
    return [x.grad.item(), n * (n - 1) / 2]


def doublings(n: int) -> list[float]:
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(n):
        y = y + y
    y.backward()
    return [x.grad.item(), 2.0**n]


LONG = 1_000_000 if settings.default.max_examples >= 1000 else 100_000


@pytest.mark.parametrize(("build", "size"), [(chain, LONG), (consumers, 5_000), (doublings, 60)])
def test_a_large_graph_is_walked_in_linear_time_without_recursion_and_leaves_no_memory(
    build: Callable[[int], list[float]], size: int, without_collector: None
) -> None:
    build(min(size, 2000))
    begin = time.process_time()
    build(size // 10)
    a_tenth = time.process_time() - begin
    blocks = sys.getallocatedblocks()
    begin = time.process_time()
    gradient, expected = build(size)
    whole = time.process_time() - begin
    assert gradient == expected
    # What is left are a few cached numbers, whatever the size.
    assert sys.getallocatedblocks() - blocks < 200
    assert whole < 10 * 4 * a_tenth + 0.1


def test_hooks_on_the_gradients_of_a_module_are_no_reference_cycle(without_collector: None) -> None:
    for given in (torch.ones(1, 2), torch.ones(1, 2, requires_grad=True)):
        for walked in (True, False):
            layer = torch.nn.LayerNorm(2)
            layer.register_full_backward_hook(lambda *gradients: None)
            y = layer(given)
            if walked:
                y.sum().backward()
            watched = weakref.ref(y)
            del y
            assert watched() is None


def test_attention_keeps_no_mask() -> None:
    x = torch.ones(1, 2, 3, 3, requires_grad=True)
    mask = torch.zeros(3, 3)
    watched = weakref.ref(mask)
    y = torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)
    del mask
    assert y.requires_grad
    assert watched() is None


def test_a_tensor_whose_data_was_replaced_leaves_its_views_behind() -> None:
    x = torch.zeros(4, requires_grad=True)
    y = x * 1
    view, other = y[1:3], y[2:]
    y.add_(1)
    y.data = torch.full((4,), 5.0)
    assert y._version == 1
    y.mul_(2)
    view.mul_(3)
    assert (y.tolist(), view.tolist(), other.tolist()) == ([10] * 4, [3, 3], [3, 1])
    (y.sum() + view.sum() + 10 * other.sum()).backward()
    assert x.grad.tolist() == [2, 5, 35, 12]


def by_threads(work: Callable[[], Any]) -> None:
    """Four threads do the work, and take turns as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)


def test_threads_that_send_gradients_to_one_leaf_lose_none() -> None:
    x = torch.ones(300_000, requires_grad=True)
    by_threads(lambda: [(x * 1).sum().backward() for _ in range(20)])
    assert x.grad.tolist() == [80.0] * 300_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system has not")
@pytest.mark.parametrize("lock", [walk._accumulating, storage._making], ids=["gradients", "storage"])
def test_a_process_that_forks_while_a_thread_is_at_work_has_a_child_that_can_work(lock: Any) -> None:
    held = threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            time.sleep(0.05)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks beside threads.
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(10)
            x = torch.ones(3, requires_grad=True)
            x[:2].mul(2).sum().backward()
            os._exit(0)
        finally:
            os._exit(1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_threads_that_take_views_of_one_tensor_at_once_share_its_count_of_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = threading.Event()
    init = storage.Storage.__init__

    def slow(self: Any) -> None:
        begun.set()
        time.sleep(0.05)
        init(self)

    monkeypatch.setattr(storage.Storage, "__init__", slow)
    x, views = torch.ones(4), []
    first = threading.Thread(target=lambda: views.append(x.view(2, 2)))
    first.start()
    begun.wait()
    views.append(x.view(4))
    first.join()
    views[0].add_(1)
    assert views[1]._version == x._version == 1


def test_views_that_threads_take_of_one_tensor_at_once_all_follow_a_write() -> None:
    w = torch.ones(4, requires_grad=True)
    views: list[Any] = []
    for _ in range(20):
        base = torch.ones(4)
        by_threads(lambda base=base: views.extend([base[:2] for _ in range(200)]))
        base.mul_(w)
    assert [view.requires_grad and view.grad_fn is not None for view in views].count(True) == 20 * 4 * 200
