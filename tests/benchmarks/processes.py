"""What takes a process of its own to measure: the time of an import, peaks of memory, tables on disk, deep chains."""

from __future__ import annotations

import gc
import importlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .floors import add_rows, add_rows_at
from .harness import ONE_THREAD, gradients, leaf, normal, uniform_ids, zipf_ids

MEGABYTE = 1e6


def lookup_peak(name: str, traced: bool = False) -> float:
    """By how many bytes memory grows at most, from before to after a lookup and its dense backward.

    Memory in use, or, if it is `traced`, memory asked for; in units of gradient table, output and upstream.
    """
    vocabulary, width, count = 50257, 768, 8192
    table, ids = normal(vocabulary, width), zipf_ids(count, vocabulary)
    if name != "numpy":
        torch = importlib.import_module(name)
        weight, indices = torch.from_numpy(table).requires_grad_(), torch.from_numpy(ids)
    if traced:
        tracemalloc.start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    upstream = normal(count, width, seed=1)
    if name == "numpy":
        found = [table.take(ids, axis=0), add_rows(upstream, ids, vocabulary)]
    else:
        found = gradients(torch.nn.functional.embedding(indices, weight), torch.from_numpy(upstream), weight)
    assert len(found) == 2
    if traced:
        grown = tracemalloc.get_traced_memory()[1]
    else:
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    return grown / (table.nbytes + 2 * upstream.nbytes)


def lookup_peak_asked_for(name: str) -> float:
    return lookup_peak(name, traced=True)


def mapped_table(name: str) -> float:
    """Megabytes of memory of its own that the process takes for training rows of a table of 2 GB in a file."""
    width, count = 64, 1024
    vocabulary = 2**31 // (4 * width)
    ids, upstream = uniform_ids(10 * count, vocabulary).reshape(10, count), normal(count, width)
    with tempfile.TemporaryDirectory() as directory:
        table = np.memmap(Path(directory) / "table", np.float32, "w+", shape=(vocabulary, width))
        step = _mapped_step(name, table, upstream)
        before = _own_memory()
        for each in ids:
            step(each)
        grown = _own_memory() - before
        assert table[ids[0, 0]].any()
        del table, step
    return grown / MEGABYTE


def _mapped_step(name: str, table: Any, upstream: Any) -> Callable[[Any], None]:
    if name == "numpy":

        def step(ids: Any) -> None:
            table.take(ids, axis=0)
            add_rows_at(table, upstream, ids, -0.1)

        return step
    torch = importlib.import_module(name)
    embedding = torch.nn.Embedding(*table.shape, sparse=True, _weight=torch.from_numpy(table))
    optimizer, g = torch.optim.SGD(embedding.parameters(), lr=0.1), torch.from_numpy(upstream)

    def trained(ids: Any) -> None:
        embedding(torch.from_numpy(ids)).backward(g)
        optimizer.step()
        optimizer.zero_grad()

    return trained


def _own_memory() -> int:
    """Bytes in use that no file backs, as Linux tells."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def _chain(name: str, length: int) -> None:
    torch = importlib.import_module(name)
    start, factor = leaf(torch, normal(8, 8)), torch.ones(8, 8)
    y = start
    for _ in range(length):
        y = y * factor
    y.backward(factor)


def chain_time(name: str, length: int) -> float:
    """Microseconds per op of a chain of that many, forward and backward."""
    _chain(name, 1000)
    start = time.process_time()
    _chain(name, length)
    return (time.process_time() - start) / length * 1e6


def chain_memory(name: str, length: int) -> tuple[float, float]:
    """Bytes per op at the peak of a chain of that many, and bytes that are still in use after it."""
    _chain(name, 1000)
    gc.collect()
    tracemalloc.start()
    _chain(name, length)
    gc.collect()
    left, peak = tracemalloc.get_traced_memory()
    return peak / length, left


# ---- in a process of its own -----------------------------------------------------------------------------------------


def import_time(name: str, compiled: str) -> float:
    """Milliseconds of processor time that an import takes in a new process, with bytecode in the folder `compiled`."""
    program = f"import time; start = time.process_time(); import {name}; print(1e3 * (time.process_time() - start))"
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    settings |= {**ONE_THREAD, "PYTHONPYCACHEPREFIX": compiled}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
    return float(done.stdout) if done.returncode == 0 else float("nan")


def import_times(names: Sequence[str], rounds: int) -> list[float]:
    """The medians for several modules, imported in turns, after a first time that compiles them."""
    with tempfile.TemporaryDirectory() as compiled:
        found = [[import_time(name, compiled) for name in names] for _ in range(rounds + 1)]
    return [statistics.median(each) for each in zip(*found[1:], strict=True)]


def apart(task: Callable[..., Any], *arguments: Any) -> Any:
    """What `task(*arguments)` returns in a fresh process; nan if it cannot import what it needs."""
    command = [sys.executable, "-m", __name__, task.__name__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        assert "ModuleNotFoundError" in done.stderr, done.stderr
        return float("nan")
    found = [float(each) for each in done.stdout.split()]
    return found if len(found) > 1 else found[0]


def measured(rounds: int) -> list[tuple[str, list[str]]]:
    """A table of all of the above: names, and what was found for NumPy, minigrad and PyTorch."""
    names = ("numpy", "minigrad", "torch")
    table = [("import, ms", [f"{each:.0f}" for each in import_times(names, rounds)])]
    for title, task in (
        ("peak of lookup and dense gradient, in use", lookup_peak),
        ("peak of lookup and dense gradient, asked for", lookup_peak_asked_for),
    ):
        found = [
            "–" if name == "torch" and task is lookup_peak_asked_for else f"{apart(task, name):.2f}" for name in names
        ]
        table.append((f"{title}, in gradient table + output + upstream", found))
    table.append(("table of 2 GB in a file, MB in memory", [f"{apart(mapped_table, name):.1f}" for name in names]))
    for length in (10**4, 10**5, 10**6):
        found = ["–", *[f"{apart(chain_time, name, length):.1f}" for name in names[1:]]]
        table.append((f"chain of 10^{len(str(length)) - 1} ops, µs per op", found))
    for length in (10**4, 10**5, 10**6):
        peak, left = apart(chain_memory, "minigrad", length)
        title = f"chain of 10^{len(str(length)) - 1} ops, bytes per op (and bytes left after)"
        table.append((title, ["–", f"{peak:.0f} ({left:.0f})", "–"]))
    return table


if __name__ == "__main__":
    result = globals()[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))
    print(*(result if isinstance(result, tuple) else (result,)))
