"""Mutation testing: each small change to a file of the package has to make a test fail.

    python -m tests.mutation minigrad/core/embedding.py --tests tests/test_lookup.py tests/test_equivalence.py

copies the project, lets mutmut (https://mutmut.readthedocs.io; the extra `mutation`) make the changes one by one in the
copy and run the tests that reach each of them, and prints for each file how many mutants were made and killed, and what
the survivors changed.  `docs/mutation.md` lists those that no test can kill, with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIED = ("minigrad", "tests", "docs", "README.md", "pyproject.toml")

# They look at what mutmut has to change in every file: the source of functions, who called them, what they import.
LEFT_OUT = (
    "--ignore=tests/test_broken_copies.py",
    "--ignore=tests/test_broken_engines.py",
    "--deselect=tests/test_main.py",
    "--deselect=tests/test_interop.py::test_unpickling_makes_no_new_object",
    "--deselect=tests/test_functional.py::test_warnings_are_pytorchs_and_name_the_callers_line",
)

CONFIGURATION = """
[tool.mutmut]
source_paths = ["minigrad"]
timeout_multiplier = 4.0
only_mutate = {files}
also_copy = ["docs", "README.md"]
pytest_add_cli_args = {left_out}
pytest_add_cli_args_test_selection = {tests}
"""


def copied(into: Path, files: list[str], tests: list[str]) -> None:
    """A copy of the project, set up for mutmut."""
    for name in COPIED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, into / name)
    parts = {"files": files, "left_out": list(LEFT_OUT), "tests": tests}
    lists = {name: json.dumps(part) for name, part in parts.items()}
    with (into / "pyproject.toml").open("a", encoding="utf-8") as toml:
        toml.write(CONFIGURATION.format(**lists))


# `mutmut show` for each mutant, without starting Python for each.
SHOW = """
import sys
from mutmut.__main__ import cli
for name in sys.argv[1:]:
    cli.main(["show", name], standalone_mode=False)
"""


def mutmut(where: Path, *arguments: str, silent: bool = True) -> str:
    """What the command of mutmut prints."""
    return run(where, "-m", "mutmut", *arguments, silent=silent)


def run(where: Path, *arguments: str, silent: bool = True) -> str:
    """What Python prints with these arguments."""
    # Its own directory is the package under test; what is installed is not.
    environment = {**os.environ, "PYTHONPATH": "", "HYPOTHESIS_PROFILE": "mutation"}
    command = [sys.executable, *arguments]
    out = subprocess.PIPE if silent else None
    return subprocess.run(command, cwd=where, env=environment, stdout=out, text=True, check=True).stdout or ""


def report(where: Path) -> int:
    """Print the counts for each file, and the survivors as differences; the number of survivors."""
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    survivors = []
    for line in mutmut(where, "results", "--all", "true").splitlines():
        name, _, verdict = line.strip().rpartition(": ")
        by_module[name.rpartition(".")[0]][verdict] += 1
        if verdict not in ("killed", "timeout"):
            survivors.append(name)
    print(run(where, "-c", SHOW, *survivors))
    for module, verdicts in sorted(by_module.items()):
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        print(f"{module}: {verdicts.total()} mutants, {told}")
    return len(survivors)


def main() -> int:
    summary, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser("python -m tests.mutation", description=summary, epilog=usage)
    parser.add_argument("files", nargs="+", help="files of the package, from the root of the project")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="the tests to run; all if left out")
    parser.add_argument("--processes", default="1")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        copied(where, arguments.files, arguments.tests)
        mutmut(where, "run", "--max-children", arguments.processes, silent=False)
        return 1 if report(where) else 0


if __name__ == "__main__":
    sys.exit(main())
