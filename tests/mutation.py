"""Mutation testing: each small change to a source file has to make a test fail.

    python -m tests.mutation minigrad/core/embedding.py --tests tests/test_programs.py tests/test_equivalence.py

changes one place at a time in a copy of the project, wherever it stands: functions, classes, decorators, lambdas made
at import.  It runs the tests on the copy up to the first that fails, and prints the mutants that no test killed.
`--sample 150` makes so many of all, drawn with a seed: of the same files the same ones.  `--list` only prints them.
"""

import argparse
import ast
import difflib
import itertools
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIED = ("minigrad", "tests", "docs", "README.md", "pyproject.toml")

OTHER = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*", "@": "*", "&": "|", "|": "&", "^": "&",
    "<<": ">>", ">>": "<<", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "and": "or",
    "or": "and", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip
OPERATOR = re.compile("|".join(map(re.escape, sorted(OTHER, key=len, reverse=True))))
REMOVED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Assert, ast.Delete, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutant:
    """A file in which the text from `start` to `end` is replaced."""

    file: str
    source: str
    start: int
    end: int
    new: str

    def mutated(self) -> str:
        return self.source[: self.start] + self.new + self.source[self.end :]

    def __str__(self) -> str:
        before, after = self.source.splitlines(), self.mutated().splitlines()
        changes = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
        return "\n".join([f"{self.file}:{self.source.count(chr(10), 0, self.start) + 1}", *changes])


class Mutator(ast.NodeVisitor):
    """All mutants of a file; not of annotations, docstrings, and what an error says."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.source = (ROOT / file).read_text(encoding="utf-8")
        # The places of nodes are told in bytes; a source of ASCII and a few dashes in comments has to be translated.
        self.lines = self.source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []
        self.visit(ast.parse(self.source))

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def replace(self, node: ast.AST, new: str) -> None:
        self.found.append(Mutant(self.file, self.source, *self.span(node), new))

    def operators(self, operands: list[ast.expr]) -> None:
        """Another operator between each two operands."""
        for left, right in itertools.pairwise(operands):
            start, end = self.span(left)[1], self.span(right)[0]
            if operator := OPERATOR.search(re.sub(r"#.*", lambda c: " " * len(c[0]), self.source[start:end])):
                where = start + operator.start(), start + operator.end()
                self.found.append(Mutant(self.file, self.source, *where, OTHER[operator[0]]))

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, REMOVED) and not _is_text(node):
            self.replace(node, "pass")
        getattr(self, f"of_{type(node).__name__.lower()}", lambda node: None)(node)
        if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
            return
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    def of_binop(self, node: ast.BinOp) -> None:
        self.operators([node.left, node.right])

    def of_boolop(self, node: ast.BoolOp) -> None:
        self.operators(node.values)

    def of_compare(self, node: ast.Compare) -> None:
        self.operators([node.left, *node.comparators])

    def of_augassign(self, node: ast.AugAssign) -> None:
        self.operators([node.target, node.value])  # type: ignore[list-item]

    def of_unaryop(self, node: ast.UnaryOp) -> None:
        self.replace(node, f"({self.text(node.operand)})")

    def of_constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool | int | float):
            self.replace(node, str(not node.value if isinstance(node.value, bool) else node.value + 1))

    def of_if(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if self.text(node.test) != "TYPE_CHECKING":
            self.replace(node.test, f"(not ({self.text(node.test)}))")

    of_ifexp = of_while = of_if

    def of_lambda(self, node: ast.Lambda) -> None:
        self.replace(node.body, f"-({self.text(node.body)})")

    def of_return(self, node: ast.Return) -> None:
        if node.value is not None and self.text(node.value) != "None":
            self.replace(node.value, "None")

    def of_call(self, node: ast.Call) -> None:
        if len(node.args) > 1:
            first, second = self.span(node.args[0]), self.span(node.args[1])
            between = self.source[first[1] : second[0]]
            swapped = self.text(node.args[1]) + between + self.text(node.args[0])
            if not isinstance(node.args[1], ast.Starred):
                self.found.append(Mutant(self.file, self.source, first[0], second[1], swapped))
        for keyword in node.keywords:
            start, end = self.span(keyword)
            rest = re.match(r"\s*,?", self.source[end:])
            if keyword.arg is not None and rest:
                self.found.append(Mutant(self.file, self.source, start, end + rest.end(), ""))


def _is_text(node: ast.AST) -> bool:
    """Whether it is a docstring, an ellipsis, or a list of names."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("__all__", "__slots__")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mutants(files: list[str]) -> Iterator[Mutant]:
    """The mutants of the files that Python can read, and that differ."""
    for file in files:
        mutator = Mutator(file)
        program = ast.dump(ast.parse(mutator.source))
        for mutant in mutator.found:
            try:
                if ast.dump(ast.parse(mutant.mutated())) != program:
                    yield mutant
            except SyntaxError:
                continue


# ---- how they are run ------------------------------------------------------------------------------------------------


def _run(directory: str, tests: list[str]) -> None:
    """Run the tests in the copy, silently; the process exits with pytest's code."""
    os.chdir(directory)
    sys.path.insert(0, directory)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    import pytest

    known = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # What is imported already is not rewritten.
    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *known, *tests]))


class Copy:
    """A copy of the project, and how long its tests may take."""

    def __init__(self, directory: Path, tests: list[str]) -> None:
        self.directory, self.tests, self.limit = directory, tests, 3600.0
        for name in COPIED:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, directory / name)

    def verdict(self, mutant: Mutant | None = None) -> str:
        """What becomes of a mutant, or of the program as it is."""
        if mutant is None:
            return self.ask()
        file = self.directory / mutant.file
        file.write_text(mutant.mutated(), encoding="utf-8")
        try:
            return self.ask()
        finally:
            file.write_text(mutant.source, encoding="utf-8")

    def ask(self) -> str:
        child = multiprocessing.get_context("fork").Process(target=_run, args=(str(self.directory), self.tests))
        child.start()
        child.join(self.limit)
        if child.exitcode is None:
            child.kill()
            child.join()
            return "timeout"
        return "survived" if child.exitcode == 0 else "killed"


def main() -> int:
    summary, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser("python -m tests.mutation", description=summary, epilog=usage)
    parser.add_argument("files", nargs="+", help="files of the package, from the root of the project")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="the tests to run; all if left out")
    parser.add_argument("--sample", type=int, help="how many of the mutants to make")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    arguments = parser.parse_args()
    chosen = list(mutants(arguments.files))
    if arguments.sample is not None and arguments.sample < len(chosen):
        kept = sorted(random.Random(arguments.seed).sample(range(len(chosen)), arguments.sample))
        chosen = [chosen[n] for n in kept]
    if arguments.list:
        print(*chosen, sep="\n")
        return 0
    return run(chosen, arguments.tests)


def run(chosen: list[Mutant], tests: list[str]) -> int:
    """Print what no test killed, and the counts for each file; 1 if there is any such mutant."""
    # Read by the copy's tests; no code is kept from one mutant to the next.
    os.environ.update(PYTHONPATH="", PYTHONDONTWRITEBYTECODE="1", HYPOTHESIS_PROFILE="mutation", OMP_NUM_THREADS="1")
    sys.dont_write_bytecode = True
    import hypothesis.extra.numpy  # So that each process starts with what takes long to import.  # noqa: F401
    import pytest  # noqa: F401

    counts = {mutant.file: Counter[str]() for mutant in chosen}
    with tempfile.TemporaryDirectory() as directory:
        copy = Copy(Path(directory), tests)
        start = time.monotonic()
        if copy.verdict() != "survived":
            print("The tests fail without any change.")
            return 2
        copy.limit = 10 + 4 * (time.monotonic() - start)
        for mutant in chosen:
            verdict = copy.verdict(mutant)
            counts[mutant.file][verdict] += 1
            if verdict == "survived":
                print(mutant, flush=True)
    for file, verdicts in counts.items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        print(f"{file}: {verdicts.total()} mutants, {told}")
    return int(any(verdicts["survived"] for verdicts in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
