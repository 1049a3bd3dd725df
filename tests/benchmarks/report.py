"""Results as text: tables in Markdown, what the environment says, and plots where matplotlib is installed."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from .harness import Result, Timing

try:
    import matplotlib
    from matplotlib import pyplot
except ImportError:
    pyplot = None

#: Pairs that are compared.
RATIOS = (("minigrad", "NumPy"), ("torch", "NumPy"), ("minigrad", "torch"))

BEGIN, END = "<!-- {}: written by the benchmark -->\n", "<!-- end -->\n"


# ---- text ------------------------------------------------------------------------------------------------------------


def timing_text(timing: Timing | None) -> str:
    """The median, and in parentheses the quartiles around it.

    >>> timing_text(Timing(0.001, 0.00125, 0.002))
    '1.25 ms (1.00–2.00)'
    """
    if timing is None:
        return "–"
    unit, size = ("ms", 1e-3) if timing.median >= 1e-3 else ("µs", 1e-6)
    lower, median, upper = [f"{each / size:.3g}" if each / size < 100 else f"{each / size:.0f}" for each in timing]
    return f"{median} {unit} ({lower}–{upper})"


def row(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |\n"


def head(cells: Sequence[str]) -> str:
    """The first two lines of a table."""
    return row(cells) + row(["---", *["---:"] * (len(cells) - 1)])


COLUMNS = ["workload", "NumPy", "minigrad", "torch", *[f"{side} / {to}" for side, to in RATIOS], "results differ by"]


def cells(result: Result) -> list[str]:
    """A result in the order of `COLUMNS`."""
    ratios = [result.ratio(*pair) for pair in RATIOS]
    return [
        result.name,
        *[timing_text(result.timings.get(side)) for side in ("NumPy", "minigrad", "torch")],
        *["–" if ratio is None else f"{ratio:.2f}" for ratio in ratios],
        f"{result.difference:.0e}",
    ]


def summary(results: Sequence[Result]) -> str:
    """The geometric means of the ratios, and the overhead of a recorded op."""
    lines = []
    for side, to in RATIOS:
        ratios = [ratio for result in results if (ratio := result.ratio(side, to)) is not None]
        if ratios:
            mean = math.exp(statistics.fmean([math.log(ratio) for ratio in ratios]))
            lines.append(f"- {side} / {to}: {mean:.2f} in the geometric mean of {len(ratios)} workloads\n")
    for result in results:
        if result.ops:
            over = [
                f"{side} {1e6 * (timing.median - result.timings['NumPy'].median) / result.ops:.1f} µs"
                for side, timing in result.timings.items()
                if side != "NumPy"
            ]
            lines.append(f"- more than NumPy takes, per op of the {result.name}: {', '.join(over)}\n")
    return "".join(lines)


def table(results: Sequence[Result]) -> str:
    """All results, and what they come to."""
    return head(COLUMNS) + "".join([row(cells(result)) for result in results]) + "\n" + summary(results)


def filled(page: str, parts: dict[str, str]) -> str:
    """The page with these parts between their marks.

    >>> print(filled("A\\n<!-- b: written by the benchmark -->\\nold\\n<!-- end -->\\n", {"b": "new\\n"}), end="")
    A
    <!-- b: written by the benchmark -->
    new
    <!-- end -->
    """
    for name, text in parts.items():
        begin = BEGIN.format(name)
        old = re.compile(re.escape(begin) + ".*?" + re.escape(END), re.DOTALL)
        assert old.search(page), f"the page has no mark {begin}"
        page = old.sub(lambda _, new=begin + text + END: new, page)
    return page


# ---- plots -----------------------------------------------------------------------------------------------------------


def plot_ratios(results: Sequence[Result], path: Path) -> None:
    """How many times as long as the floor each workload takes."""
    names = [result.name for result in results][::-1]
    figure, axes = pyplot.subplots(figsize=(9, 0.26 * len(names) + 1), layout="constrained")
    axes.axvline(1, color="gray", linewidth=1)
    for side, mark, colour in (("torch", "s", "tab:orange"), ("minigrad", "o", "tab:blue")):
        found = [(each.ratio(side, "NumPy"), each.name) for each in results if side in each.timings]
        axes.plot(
            [ratio for ratio, _ in found], [names.index(name) for _, name in found], mark, color=colour, label=side
        )
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xscale("log")
    ticks = [0.5, 1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("time, in that of the same computation by hand in NumPy")
    axes.grid(axis="both", alpha=0.25)
    axes.legend(loc="lower right")
    save(figure, path)


def plot_vocabularies(results: Sequence[Result], path: Path) -> None:
    """Lookup and one-hot product over the size of the vocabulary."""
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for kind, line in (("lookup", "-"), ("one-hot product", "--")):
        for side, colour in (("NumPy", "gray"), ("torch", "tab:orange"), ("minigrad", "tab:blue")):
            found = [
                (int(match[1]), 1e6 * each.timings[side].median)
                for each in results
                if (match := re.fullmatch(rf"{kind}, (\d+) × 64, 256 ids", each.name)) and side in each.timings
            ]
            axes.plot(*zip(*found, strict=True), line, marker=".", color=colour, label=f"{kind}, {side}")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("size of the vocabulary")
    axes.set_ylabel("µs for 256 ids, 64 wide")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8)
    save(figure, path)


def save(figure: object, path: Path) -> None:
    """Write the figure as an SVG that says nothing of when it was made."""
    with matplotlib.rc_context({"svg.hashsalt": "minigrad", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})  # type: ignore[attr-defined]
    pyplot.close(figure)
