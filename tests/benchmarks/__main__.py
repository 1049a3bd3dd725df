"""Time the sweep and the lessons, print them worst first, and write them into `docs/performance.md`."""

import argparse
import math
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# One thread each; it has to be said before NumPy is imported.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import torch

import minigrad

from . import lessons, sweep

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
DIRECTIONS = ("forward", "forward + backward")


class Row(NamedTuple):
    """A call with its seconds."""

    call: str
    size: str
    direction: str
    ours: float
    theirs: float
    numpy: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def minima(acts: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The least processor time of each call, in seconds; neighbours want the processor, too.

    They take turns of at least a third of a millisecond.
    """
    counts, best = [], [math.inf] * len(acts)
    for act in acts:
        act()
        start = time.process_time()
        act()
        counts.append(max(1, int(3e-4 / max(time.process_time() - start, 1e-7))))
    for _ in range(rounds):
        for position, (act, count) in enumerate(zip(acts, counts, strict=True)):
            start = time.process_time()
            for _ in range(count):
                act()
            best[position] = min(best[position], (time.process_time() - start) / count)
    return best


def swept(parts: list[str], rounds: int) -> list[Row]:
    rows = []
    calls = [call for call in sweep.calls()[0] if not parts or any([part in call for part in parts])]
    for size, shape in sweep.SIZES.items():
        for dtype in ("float32", "float64") if size == "medium" else ("float32",):
            names = [sweep.operands(api, shape, dtype) for api in (minigrad, torch)]
            for call in calls:
                for direction in DIRECTIONS[: 1 if dtype == "float64" else 2]:
                    both = [(minigrad, names[0]), (torch, names[1])]
                    try:
                        acts = [sweep.timed(api, call, its, direction != "forward") for api, its in both]
                        hand = sweep.by_hand(call, names[0]) if direction == "forward" else None
                        if None not in acts:
                            found = minima([*acts, *[hand] * (hand is not None)], rounds)
                            rows.append(
                                Row(call, f"{size}, float64" if dtype == "float64" else size, direction, *found)
                            )
                    except (RuntimeError, TypeError, ValueError) as error:
                        print(f"not measured: {call}, {size}: {error}", file=sys.stderr)
        for name in [name for name in sweep.optimizers() if not parts or name in parts]:
            acts = [sweep.optimizer(api, name, shape) for api in (minigrad, torch)]
            rows.append(Row(f"optim.{name}.step()", size, "forward", *minima(acts, rounds)))
    return rows


def stepped(parts: list[str], rounds: int) -> list[Row]:
    chosen = [lesson for lesson in lessons.LESSONS if not parts or lesson.__name__ in parts]
    return [
        Row(lesson.__name__.replace("_", " "), "lesson", "step", *minima([lesson(minigrad), lesson(torch)], 3 * rounds))
        for lesson in chosen
    ]


def mean(rows: list[Row]) -> float:
    return math.exp(statistics.fmean([math.log(row.ratio) for row in rows]))


def table(head: list[str], rows: list[list[str]]) -> str:
    # Words begin at the left, numbers end at the right.
    sides = ["---" if title in ("call", "how", "size", "step") else "---:" for title in head]
    return "".join([f"| {' | '.join(row)} |\n" for row in [head, sides, *rows]])


def microseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:,.1f}" if seconds < 1e-4 else f"{seconds * 1e6:,.0f}"


def reported(rows: list[Row], steps: list[Row], worst: int) -> dict[str, str]:
    """The parts of the page: geometric means, the calls that are slowest beside PyTorch, lessons, the environment."""
    sizes = list(dict.fromkeys([row.size for row in rows]))
    means = []
    for size in sizes:
        cells = [size]
        for direction in DIRECTIONS:
            of = [row for row in rows if (row.size, row.direction) == (size, direction)]
            cells += [f"{mean(of):.2f}", f"{sum([row.ratio > 3 for row in of])} of {len(of)}"] if of else ["", ""]
        means.append(cells)
    slow = sorted(rows, key=lambda row: -row.ratio)[:worst]
    shown = [[f"`{row.call}`", f"{row.size}, {row.direction}", microseconds(row.ours), microseconds(row.theirs),
              microseconds(row.numpy), f"{row.ratio:.1f}"] for row in slow]  # fmt: skip
    ordered = sorted(steps, key=lambda row: -row.ratio)
    lessons = [[row.call, microseconds(row.ours), microseconds(row.theirs), f"{row.ratio:.2f}"] for row in ordered]
    lessons += [["geometric mean", "", "", f"{mean(steps):.2f}"]] if steps else []
    return {
        "means": table(["size", "forward", "above 3", "forward + backward", "above 3"], means),
        "worst": table(["call", "how", "minigrad, µs", "PyTorch, µs", "NumPy, µs", "ratio"], shown),
        "lessons": table(["step", "minigrad, µs", "PyTorch, µs", "ratio"], lessons),
        "environment": f"Python {sys.version.split()[0]}, NumPy {np.__version__}, PyTorch {torch.__version__}; "
        f"load average at the end {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores.\n",
    }


def draw(rows: list[Row], file: Path) -> None:
    """Which share of the calls takes at most so many times as long as in PyTorch."""
    from matplotlib import pyplot

    pyplot.rcParams |= {"svg.hashsalt": "minigrad", "svg.fonttype": "none"}
    figure, axes = pyplot.subplots(figsize=(7.5, 4), layout="constrained")
    for size, colour in zip(sweep.SIZES, ("tab:blue", "tab:orange", "tab:green"), strict=True):
        for direction, style in zip(DIRECTIONS, ("-", "--"), strict=True):
            ratios = sorted([row.ratio for row in rows if (row.size, row.direction) == (size, direction)])
            shares = np.linspace(0, 100, len(ratios))
            axes.step(ratios, shares, style, color=colour, label=f"{size}, {direction}", linewidth=1.4)
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set(
        xscale="log", xlim=(0.1, 10), ylim=(0, 100), xlabel="time in minigrad / time in PyTorch", ylabel="% of calls"
    )
    axes.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(file, metadata={"Date": None})
    dark = "@media (prefers-color-scheme: dark) { #figure_1 { filter: invert(0.9) hue-rotate(180deg) } }"
    file.write_text(file.read_text().replace('<style type="text/css">', f'<style type="text/css">{dark}', 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help="parts of calls, or names of lessons; all of them if there are none")
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    parser.add_argument("--worst", type=int, default=5, help="how many of the slowest calls are listed")
    parser.add_argument("--write", action="store_true", help=f"write what is found into {PAGE.parent.name}/{PAGE.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rounds = 4 if options.quick else 12
    rows, steps = swept(options.parts, rounds), stepped(options.parts, rounds)
    found = reported(rows, steps, options.worst)
    print("\n".join(found.values()))
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        for name, part in found.items():
            begin, end = f"<!-- {name}: written by the benchmark -->\n", "<!-- end -->\n"
            text = re.sub(
                f"({begin}).*?({end})", lambda match, part=part: match[1] + part + match[2], text, flags=re.DOTALL
            )
        PAGE.write_text(text, encoding="utf-8")
        draw(rows, PAGE.parent / "performance.svg")


if __name__ == "__main__":
    main()
