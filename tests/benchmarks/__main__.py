"""The benchmark's one command: `python -m tests.benchmarks --help`."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from . import chains, layers, lookups, processes, report, training  # noqa: F401
from .harness import ONE_THREAD, WORKLOADS, Result, Timing, measure, torch

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"

#: Settings of the C library (glibc): it keeps the memory that is freed, where it would give large blocks back.
HEAPS = {
    "heap kept": {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40), "MALLOC_TOP_PAD_": str(2**26)},
    "heap as it comes": {},
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Time minigrad's workloads.")
    parser.add_argument("names", nargs="*", help="parts of names of workloads; all of them if there are none")
    parser.add_argument("--quick", action="store_true", help="one table, and a fifth of the time for each workload")
    parser.add_argument("--seconds", type=float, default=2.5, help="for each workload (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write tables and plots to {PAGE.parent.name}/")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def chosen(names: list[str]) -> list[str]:
    """The names of the workloads of which `names` are parts."""
    found = [each.name for each in WORKLOADS if not names or any([part in each.name for part in names])]
    return found or sys.exit(f"no workload has {' or '.join(names)} in its name: --list")


def measure_here(names: list[str], seconds: float) -> None:
    """Measure in this process; a line of JSON for each result."""
    for each in WORKLOADS:
        if each.name in names:
            print(json.dumps(measure(each, seconds)), flush=True)


def measure_under(settings: dict[str, str], names: list[str], seconds: float) -> list[Result]:
    """Measure in a process that starts under these settings of the environment; show results as they come."""
    command = [sys.executable, "-m", __package__ or "benchmarks", "--measure", f"--seconds={seconds}", *names]
    results = []
    with subprocess.Popen(command, env=os.environ | ONE_THREAD | settings, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            name, timings, difference, ops = json.loads(line)
            results.append(Result(name, {side: Timing(*each) for side, each in timings.items()}, difference, ops))
            print(report.row(report.cells(results[-1])), end="", flush=True)
    if child.returncode:
        sys.exit(child.returncode)
    return results


def environment() -> str:
    """The versions, and what in the environment may change the speed of matrix products and of allocations."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    pattern = re.compile(r"BLAS|^OMP_|^MKL_|^KMP_|^MALLOC_|^NPY_|^GLIBC_TUNABLES")
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if pattern.search(name)]
    return (
        f"- Python {sys.version.split()[0]}, NumPy {np.__version__} with {blas['name']} {blas['version']}, "
        f"torch {'not installed' if torch is None else torch.__version__}\n"
        f"- processor time, one thread each; load average at the start {os.getloadavg()[0]:.1f}, "
        f"on {os.cpu_count()} cores\n"
        f"- settings found in the environment: {', '.join(settings) or 'none'}\n"
    )


def main() -> None:
    options = arguments()
    names = chosen(options.names)
    if options.list:
        print("\n".join(names))
        return
    if options.measure:
        measure_here(names, options.seconds)
        return
    parts = {"environment": environment()}
    print(parts["environment"])
    results = {}
    for heap, settings in list(HEAPS.items())[: 1 if options.quick else 2]:
        print(f"{heap}: {', '.join([f'{name}={value}' for name, value in settings.items()]) or 'no settings'}\n")
        print(report.head(report.COLUMNS), end="")
        results[heap] = measure_under(settings, names, options.seconds / (5 if options.quick else 1))
        parts[heap] = report.table(results[heap])
        print("\n" + report.summary(results[heap]))
    if not options.names:
        rows = processes.measured(3 if options.quick else 9)
        parts["processes"] = report.head(["whole processes", "NumPy", "minigrad", "torch"])
        parts["processes"] += "".join([report.row([title, *found]) for title, found in rows])
        print(parts["processes"])
    if options.write:
        PAGE.write_text(report.filled(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")
        if report.pyplot is not None:
            report.plot_ratios(results["heap kept"], PAGE.parent / "performance-ratios.svg")
            report.plot_vocabularies(results["heap kept"], PAGE.parent / "performance-vocabularies.svg")


if __name__ == "__main__":
    main()
