"""The engine without PyTorch at hand: its laws, and grad mode."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator
from typing import Any

import engine_laws
import numpy as np
import pytest
from hypothesis import settings
from laws import Law, leaf

import minigrad as torch


@pytest.mark.parametrize("law", engine_laws.ALL, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    engine_laws.ALL.check(law)


# ---- grad mode -------------------------------------------------------------------------------------------------------

SWITCHES: list[tuple[Callable[[], Any], bool]] = [
    (torch.no_grad, False),
    (torch.enable_grad, True),
    (lambda: torch.set_grad_enabled(False), False),
    (lambda: torch.set_grad_enabled(True), True),
]


@pytest.fixture(params=[True, False], ids=["from on", "from off"])
def outside(request: pytest.FixtureRequest) -> Generator[bool, None, None]:
    """The mode that a test runs in."""
    torch.set_grad_enabled(request.param)
    yield request.param
    torch.set_grad_enabled(True)


@pytest.mark.parametrize(("switch", "mode"), SWITCHES)
def test_a_block_has_its_mode_and_the_one_before_after_it(switch: Callable[[], Any], mode: bool, outside: bool) -> None:
    with switch():
        assert torch.is_grad_enabled() is mode
        with torch.no_grad(), torch.enable_grad():
            assert torch.is_grad_enabled()
        assert torch.is_grad_enabled() is mode
    assert torch.is_grad_enabled() is outside
    with pytest.raises(KeyError), switch():
        raise KeyError
    assert torch.is_grad_enabled() is outside


@pytest.mark.parametrize(("switch", "mode"), SWITCHES)
def test_a_decorated_function_has_its_mode_also_when_it_recurses_or_raises(
    switch: Callable[[], Any], mode: bool, outside: bool
) -> None:
    @switch()
    def depth(n: int) -> list[bool]:
        """What it says."""
        with torch.set_grad_enabled(not mode):
            below = depth(n - 1) if n else []
        return [*below, torch.is_grad_enabled()]

    @switch()
    def fails() -> None:
        raise KeyError

    assert torch.is_grad_enabled() is outside
    assert depth(2) == [mode] * 3
    assert depth.__name__ == "depth"
    assert depth.__doc__ == "What it says."
    assert torch.is_grad_enabled() is outside
    with pytest.raises(KeyError):
        fails()
    assert torch.is_grad_enabled() is outside


def test_no_grad_and_enable_grad_decorate_without_parentheses() -> None:
    assert not torch.no_grad(torch.is_grad_enabled)()
    with torch.no_grad():
        assert torch.enable_grad(torch.is_grad_enabled)()


def test_set_grad_enabled_holds_from_its_call_on() -> None:
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(("switch", "mode"), SWITCHES)
def test_a_decorated_generator_has_its_mode_in_its_steps_only(
    switch: Callable[[], Any], mode: bool, outside: bool
) -> None:
    seen: list[bool] = []

    @switch()
    def steps() -> Generator[Any, Any, str]:
        received: Any = "start"
        try:
            while received != "stop":
                seen.append(torch.is_grad_enabled())
                try:
                    received = yield received
                except KeyError:
                    received = "caught"
        finally:
            seen.append(torch.is_grad_enabled())
        return "returned"

    generator = steps()
    assert next(generator) == "start"
    assert torch.is_grad_enabled() is outside
    assert generator.send("sent") == "sent"
    assert generator.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as stop:
        generator.send("stop")
    assert stop.value.value == "returned"
    assert torch.is_grad_enabled() is outside
    assert seen == [mode] * 4
    generator = steps()
    next(generator)
    with pytest.raises(ValueError, match="not caught"):
        generator.throw(ValueError("not caught"))
    assert torch.is_grad_enabled() is outside


def test_closing_a_decorated_generator_runs_its_finally_in_its_mode() -> None:
    modes: list[bool] = []

    @torch.no_grad()
    def steps() -> Generator[int, None, None]:
        try:
            yield 1
        finally:
            modes.append(torch.is_grad_enabled())
            raise KeyError

    generator = steps()
    next(generator)
    with pytest.raises(KeyError):
        generator.close()
    assert torch.is_grad_enabled()
    assert modes == [False]


def test_each_thread_has_its_own_mode() -> None:
    modes: list[bool] = []
    inside, done = threading.Event(), threading.Event()

    def work() -> None:
        modes.append(torch.is_grad_enabled())
        with torch.no_grad():
            inside.set()
            done.wait(10)
            modes.append(torch.is_grad_enabled())

    with torch.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(10)
    assert torch.is_grad_enabled()
    done.set()
    thread.join()
    assert modes == [True, False]


def test_nothing_is_recorded_without_grad_mode_or_a_leaf_that_requires_it() -> None:
    x, plain = leaf(np.ones(2)), torch.ones(2).double()
    ids = torch.tensor([0, 1])
    calls: list[Callable[[Any], Any]] = [
        lambda x: x + 1,
        lambda x: x * plain,
        lambda x: plain * x,
        lambda x: x.exp(),
        lambda x: x @ plain,
        lambda x: x[ids],
        lambda x: x.reshape(2, 1),
        lambda x: torch.nn.functional.linear(plain, x),
    ]
    for call in calls:
        assert call(x).requires_grad
        assert call(x).grad_fn is not None
        assert call(x.detach()).grad_fn is None
        with torch.no_grad():
            out = call(x)
        # A view says what its base does, as in PyTorch.
        assert out.requires_grad is out._is_view()
        assert out.is_leaf
    with torch.no_grad():
        assert torch.ones(2, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        out.sum().backward()


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
    build(min(size, 50))
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


def test_a_function_that_writes_in_place_is_no_reference_cycle(without_collector: None) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    y = torch.ones(5, requires_grad=True) * 1
    Double.apply(y)
    y.sum().backward()
    watched = weakref.ref(y)
    del y
    assert watched() is None


def test_threads_that_send_gradients_to_one_leaf_lose_none() -> None:
    x = torch.ones(300_000, requires_grad=True)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=lambda: [(x * 1).sum().backward() for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert x.grad.tolist() == [80.0] * 300_000


def test_there_is_no_second_pass_through_a_write_to_a_view() -> None:
    """As in PyTorch, also where nothing that was kept would be read."""
    x, y = torch.tensor(1.0, requires_grad=True), torch.zeros(2)
    view = y.view(2)
    view += x
    view.zero_()
    y.backward(torch.ones(2), retain_graph=True)
    y.backward(torch.ones(2))
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward(torch.ones(2))
