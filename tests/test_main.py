"""`python -m minigrad` prints numbers that a second computation gives too, and says nothing that is not so."""

import contextlib
import doctest
import functools
import io
import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import seeded
from test_broken_copies import assigning_scatter

from minigrad import __main__ as job
from minigrad.core import embedding as lookup, linear
from minigrad.core.dtypes import Array
from minigrad.tensors import printing

# Said to be the times, where they are not measured.
TIMES = {64: [25.0, 80.0], 512: [25.0, 250.0], 4096: [50.0, 3000.0], 32768: [100.0, 30000.0]}


def tour(arguments: str = "") -> str:
    """What the program prints, as `job` is now; the generator and the print options stay as they are."""
    options, out, err = printing._options, io.StringIO(), io.StringIO()
    try:
        with seeded(0), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            job.main(arguments.split())
    finally:
        printing._options = options
    assert not err.getvalue()
    return out.getvalue()


@functools.cache
def quick(arguments: str = "") -> str:
    """What the program prints, but for the measurements."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "measured", TIMES.get)
        return tour(arguments)


# -S leaves out what an environment's own site hooks import, so the paths are given.
PROCESS = f"""
import runpy, sys
sys.path[:0] = {[each for each in sys.path if each]}
sys.meta_path.insert(0, type("NoTorch", (), {{"find_spec": lambda name, *_: 1 / (name != "torch") and None}}))
for arguments in ["2", "3", "--html", sys.argv[1]], []:
    sys.argv[1:] = arguments
    runpy.run_module("minigrad", run_name="__main__")
print({{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names)
"""


@functools.cache
def in_a_process() -> tuple[str, str]:
    """What the program itself prints, and the packages it has imported; nothing goes to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-S", "-c", PROCESS, f"{folder}/page.html"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr
    written, _, rest = done.stdout.partition("\n")
    assert written.startswith("Written: ")
    told, _, packages = rest.rstrip("\n").rpartition("\n")
    return f"{told}\n", packages


def itself() -> str:
    return in_a_process()[0]


Ids = list[int]
# What is shown: the arguments, then the ids, those of the backward pass, V, D, and how the ids are written.
CASES = [
    ("", [2, 3, 1], [2, 3, 1, 2], 4, 5),
    ("2 3 1 3 --vocab 6 --dim 2 --seed 7", [2, 3, 1, 3], [2, 3, 1, 3], 6, 2),
    ("0", [0], [0, 0], 1, 5),
    ("7 --seed -1 0 7 7 7 7 7 --dim 8", [7, 0, 7, 7, 7, 7, 7], [7, 0, 7, 7, 7, 7, 7], 8, 8),
    ("9 2 30 --vocab 40 --dim 2", [9, 2, 30], [9, 2, 30, 9], 40, 2),
]
shown = pytest.mark.parametrize(("arguments", "ids", "later_ids", "vocab", "dim"), CASES, ids=[c[0] for c in CASES])


def numbers_of(out: str, source: str, which: int = 0) -> Array:
    """The numbers of the tensor printed behind the `which`-th line `>>> source`, in a row."""
    texts = re.findall(rf"^>>> {re.escape(source)}\n(.*?)(?=\n\n|\n>>>)", out, re.DOTALL | re.MULTILINE)
    elements = texts[which][: texts[which].rindex("]") + 1]
    assert "..." not in elements
    return np.array([float(number) for number in re.findall(r"-?\d+(?:\.\d*)?", elements)])


def origins_of(out: str) -> list[tuple[str, list[float]]]:
    """The lines of the list of gradient rows: what stands on the left, and the numbers."""
    lines = re.findall(
        r"^  (weight\.grad\[\d+\]|  [=+] upstream\[\d+\]|  = nothing.*|  \+ \.\.\.[ \w]*|\.\.\. and .*?)"
        r"(?:  +([\d .]+))?$",
        out,
        re.MULTILINE,
    )
    return [(left.strip(), [float(number) for number in right.split() if number != "..."]) for left, right in lines]


def summed(ids: list[int], vocab: int, dim: int) -> Array:
    """The gradient of the table for the upstream gradient 1, 2, 3, ..., number by number."""
    gradient, number = np.zeros((vocab, dim)), 0
    for id_ in ids:
        for column in range(dim):
            number += 1
            gradient[id_, column] += number
    return gradient


# ---- the numbers -----------------------------------------------------------------------------------------------------


@shown
def test_forward_is_rows_of_the_table(arguments: str, ids: Ids, later_ids: Ids, vocab: int, dim: int) -> None:
    out = quick(arguments)
    assert f">>> ids = torch.tensor({ids})\n" in out
    table = numbers_of(out, "embedding.weight").reshape(vocab, dim)
    expected = [table[id_] for id_ in ids]
    np.testing.assert_array_equal(numbers_of(out, "rows").reshape(len(ids), dim), expected)
    np.testing.assert_array_equal(numbers_of(out, "product").reshape(len(ids), dim), expected)
    one_hot = [1.0 if column == id_ else 0.0 for id_ in ids for column in range(vocab)]
    if len(one_hot) <= 80:
        np.testing.assert_array_equal(numbers_of(out, "one_hot"), one_hot)
    assert "Exactly equal" in out


@shown
def test_gradients_are_those_of_loops(arguments: str, ids: Ids, later_ids: Ids, vocab: int, dim: int) -> None:
    out = quick(arguments)
    upstream = np.arange(1.0, len(later_ids) * dim + 1).reshape(len(later_ids), dim)
    np.testing.assert_array_equal(numbers_of(out, "upstream"), upstream.reshape(-1))
    np.testing.assert_array_equal(numbers_of(out, "embedding.weight.grad"), summed(later_ids, vocab, dim).reshape(-1))
    assert "Equal again" in out
    if len(later_ids) * vocab > 80:
        return
    table = numbers_of(out, "embedding.weight").reshape(vocab, dim)
    printed = numbers_of(out, "one_hot.grad").reshape(len(later_ids), vocab)
    for n in range(len(later_ids)):
        for v in range(vocab):
            dot = sum(upstream[n, column] * table[v, column] for column in range(dim))
            # The table is printed to 4 digits, so each product is off by half a unit of the last times upstream.
            assert abs(printed[n, v] - dot) <= 0.5e-4 * (sum(upstream[n]) + 2)
    assert f"tensor({printed[-1].tolist().index(min(printed[-1]))})" in out


@shown
def test_each_row_is_told_from_its_positions(arguments: str, ids: Ids, later_ids: Ids, vocab: int, dim: int) -> None:
    expected: list[tuple[str, list[float]]] = []
    gradient = summed(later_ids, vocab, dim)
    listed = range(vocab) if vocab <= 8 else sorted(set(later_ids))
    for v in listed:
        expected.append((f"weight.grad[{v}]", gradient[v, :6].tolist()))
        places = [n for n in range(len(later_ids)) if later_ids[n] == v]
        for n in places[:4]:
            sign = "=" if n == places[0] else "+"
            expected.append((f"{sign} upstream[{n}]", [n * dim + column + 1.0 for column in range(min(dim, 6))]))
        if len(places) > 4:
            expected.append((f"+ ... and {len(places) - 4} more", []))
        if not places:
            expected.append((f"= nothing: no {v} in ids", []))
    if vocab > 8:
        more = vocab - len(listed)
        expected.append((f"... and {more} more, {more} of them all zeros", []))
    assert origins_of(quick(arguments)) == expected


@shown
def test_a_repeat_is_added_where_there_is_none(arguments: str, ids: Ids, later_ids: Ids, vocab: int, dim: int) -> None:
    out = quick(arguments)
    said = f"To see an id come twice, {ids[0]} is added at the end:\n\n>>> ids = torch.tensor({later_ids})\n"
    assert (said in out) == ("come twice" in out) == (ids != later_ids)


def test_the_cost_table_measures_both_ways_and_divides() -> None:
    number = r"\s+([\d,.]+)"
    rows = [[float(n.replace(",", "")) for n in row] for row in re.findall(rf"^{number * 4}$", itself(), re.MULTILINE)]
    assert [row[0] for row in rows] == [64, 512, 4096, 32768]
    for _, short, long, ratio in rows:
        # Each time is off by half a microsecond.
        assert (long - 0.5) / (short + 0.5) - 0.05 <= ratio <= (long + 0.5) / max(short - 0.5, 0.01) + 0.05
    # Making 512 times as many numbers takes longer, however busy the machine is.
    assert rows[-1][2] > rows[0][2]
    verdict = itself().replace("\n", " ").partition("all but N * D times by 0. ")[2]
    told = re.match(r"At V = 32,768 it took ([\d,]+) times as long\. ", verdict)
    grows = all(before[-1] < after[-1] for before, after in itertools.pairwise(rows))
    assert grows == (told is not None) == ("disturbed" not in verdict)
    if told is not None:
        assert abs(float(told[1].replace(",", "")) - rows[-1][-1]) < 0.6


# ---- the text is a program -------------------------------------------------------------------------------------------


ROUNDED = doctest.register_optionflag("ROUNDED")


class UpToRounding(doctest.OutputChecker):
    """Equal text, but for the last decimals of what is marked as sums, which two libraries add in their own ways."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        decimal = r" *-?\d+\.\d{4}"
        if not optionflags & ROUNDED:
            return want == got
        if re.sub(decimal, "", want) != re.sub(decimal, "", got):
            return False
        wanted, gotten = (np.array([float(n) for n in re.findall(decimal, text)]) for text in (want, got))
        # One unit of the last digit printed, or a few of the last that float32 keeps.
        return wanted.shape == gotten.shape and bool(np.all(abs(wanted - gotten) < 1.1e-4 + 2e-6 * abs(wanted).max()))


def failures_of(out: str, names: dict[str, Any]) -> list[str]:
    """What a doctest of the printed text finds to be otherwise."""
    found: list[str] = []
    test = doctest.DocTestParser().get_doctest(out, names, "the output", None, None)
    assert len(test.examples) > 20
    for example in test.examples:
        example.options[ROUNDED] = example.source == "one_hot.grad\n"
    doctest.DocTestRunner(UpToRounding(), verbose=False).run(test, out=found.append)
    return found


@shown
def test_the_text_is_a_doctest_of_pytorch(arguments: str, ids: Ids, later_ids: Ids, vocab: int, dim: int) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    state = torch.get_rng_state()
    try:
        assert not failures_of(quick(arguments).replace("import minigrad as torch", "import torch"), {})
    finally:
        torch.set_printoptions(profile="default", sci_mode=None)
        torch.set_rng_state(state)


def test_a_seed_determines_all_but_the_times() -> None:
    def table(out: str) -> list[float]:
        return list(numbers_of(out, "embedding.weight"))

    assert itself().split("\n4. ")[0] == quick("--seed 123").split("\n4. ")[0]
    assert table(quick("--seed 5")) != table(itself())


# ---- equality is compared --------------------------------------------------------------------------------------------


def negated(layer: Any, g: Any) -> Any:
    """A linear layer whose input has the wrong gradient."""
    dx, *others = backward(layer, g)
    return (None if dx is None else -dx), *others


forward, backward = lookup.Lookup.forward, linear.Linear.backward
BROKEN: list[tuple[Any, str, Any, list[str]]] = [
    (lookup.Lookup, "forward", lambda self, w, i: forward(self, w, i) + 1, ["NOT", "True", "True"]),
    (lookup, "add_rows", assigning_scatter, ["True", "NOT", "True"]),
    (linear.Linear, "backward", negated, ["True", "True", "NOT"]),
]  # fmt: skip


@pytest.mark.parametrize(("place", "name", "broken", "verdicts"), BROKEN)
def test_what_is_not_equal_is_not_called_equal(
    place: Any, name: str, broken: Any, verdicts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, broken)
    monkeypatch.setattr(job, "measured", TIMES.get)
    out = tour("2 3 1 3")
    texts = ["Exactly equal", "Equal again", "Up to rounding, entry"]
    for text, verdict in zip(texts, verdicts, strict=True):
        assert (text in out) == (verdict == "True"), text
    assert out.count("\nFalse\n\nNOT equal") == verdicts.count("NOT")


# ---- form ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [*[case[0] for case in CASES], "1 2 --vocab 24 --dim 24", "4 39999 4 --vocab 40000 --dim 64"]
)
def test_lines_fit_a_terminal(arguments: str) -> None:
    out = quick(arguments)
    assert out.isascii()
    assert "\x1b" not in out
    assert "\r" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert len(out.splitlines()) <= 250


def test_nothing_is_imported_but_numpy_and_standard_error_is_silent() -> None:
    # Compiled parts of NumPy make a module for Cython's run time.
    found = {name for name in re.findall(r"\w+", in_a_process()[1]) if "cython" not in name}
    assert found - {"__main__", "__mp_main__"} == {"numpy", "minigrad"}


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--vocab", "3", "7"], "ids must be in [0, 3), the rows of the table; got 7"),
        (["-1"], "ids must be in [0, 1), the rows of the table; got -1"),
        (["2,3,1"], "argument IDS: invalid int value: '2,3,1'"),
        ([str(10**12)], "the table would have 1,000,000,000,001 x 5 numbers; 50,000,000 at most"),
        ([str(2**63 - 1)], "50,000,000 at most"),
        (["--vocab", "20000000"], "the table would have 20,000,000 x 5 numbers"),
        (["--vocab", "20000000", "--dim", "1", "1", "1", "1"], "the one-hot matrix would have 3 x 20,000,000 numbers"),
        (["0", "--vocab", "1", "--dim", "30000000"], "the output would have 2 x 30,000,000 numbers"),
        (["--vocab", "0"], "argument --vocab: expected at least 1, got 0"),
        (["--dim", "0"], "argument --dim: expected at least 1, got 0"),
        (["--html", "x", "--vocab", "17"], "13 ids, one of them twice, V = 16 and D = 8; got 3 ids, V = 17, D = 3"),
        (["--html", "x", "--dim", "9"], "got 3 ids, V = 4, D = 9"),
        (["--html", "x", *["1"] * 14], "got 14 ids, V = 2, D = 3"),
        (["--html", "x", *map(str, range(13))], "got 13 ids, V = 13, D = 3"),
    ],
)
def test_wrong_input_is_told_with_exit_2(arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        job.main(arguments)
    out, err = capsys.readouterr()
    assert (exit_.value.code, out) == (2, "")
    assert part in err


def test_help_names_every_argument_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        job.main(["--help"])
    out, err = capsys.readouterr()
    assert (exit_.value.code, err) == (0, "")
    arguments = ("IDS", "--vocab V", "--dim D", "--seed S", "--html FILE")
    for text in ("python -m minigrad", *arguments, "2 3 1", "default: 5", "123"):
        assert text in out


def test_with_html_the_page_is_written_and_nothing_else_is_told(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert tour(f"2 3 --html {path}") == f"Written: {path}. Open it in a browser.\n"
    text = path.read_text(encoding="utf-8")
    # A row has 3 numbers unless told otherwise.
    assert f"python -m minigrad 2 3 --vocab 4 --dim 3 --seed 123 --html {path}" in text
    assert tour(f"2 3 --html {path}").startswith("Written: ")


def test_what_cannot_be_written_is_one_line_and_a_reader_may_leave(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^python -m minigrad: Parent directory \S+ does not exist\.$"):
        tour(f"--html {tmp_path}/nowhere/page.html")
    with subprocess.Popen(
        [sys.executable, "-m", "minigrad"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
