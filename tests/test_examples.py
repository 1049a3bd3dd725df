"""The example programs and `docs/outgrow.md`: the same on both engines, after Ctrl-C, and on several processes."""

import importlib.util
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import minigrad

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
PROGRAMS = ["bigram", "mlp", "gpt", "word_vectors", "lenet", "name_languages"]


def needs(module: str) -> pytest.MarkDecorator:
    package = {"torch": "PyTorch", "matplotlib": "Matplotlib"}.get(module, module)
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"needs {package}")


ENGINES = ["minigrad", pytest.param("torch", marks=needs("torch"))]
#: Under the profiles `ci` and `thorough`, runs are interrupted, too.
MANY = settings.default.max_examples > 30
many = pytest.mark.skipif(not MANY, reason="takes long: HYPOTHESIS_PROFILE=ci")
Runs = dict[str, list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seeded: None) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def runs_of(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By engine and program a whole run; with many, three more: interrupted in the steps 3 and 7, and to the end."""
    runs: dict[str, Runs] = {}

    def get(engine: str) -> Runs:
        if engine not in runs:
            options = [engine, "interrupted"] if MANY else [engine]
            command = [sys.executable, "-W", "error", str(ROOT / "tests" / "run_examples.py"), *options]
            done = subprocess.run(command, cwd=tmp_path_factory.mktemp(engine), capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            runs[engine] = json.loads(done.stdout)
        return runs[engine]

    return get


def lines(run: dict[str, Any]) -> list[str]:
    """The lines that were printed, without what depends on the clock."""
    return re.sub(r"  [\d,]+ \w+/s|\d+ steps in .*\n", "", run["printed"]).splitlines()


@needs("torch")
@pytest.mark.parametrize("program", PROGRAMS)
def test_both_engines_have_the_same_losses(program: str, runs_of: Any) -> None:
    ours, theirs = [runs_of(engine)[program][0]["losses"] for engine in ["minigrad", "torch"]]
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert len(ours[name]) == 10
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-4)


@many
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_that_was_interrupted_goes_on_as_if_nothing_had_been(program: str, engine: str, runs_of: Any) -> None:
    whole, *parts = runs_of(engine)[program]
    interrupted = 128 + signal.SIGINT
    assert [part["code"] for part in parts] == [interrupted, interrupted, 0]
    for part, step in zip(parts, (3, 7), strict=False):
        assert lines(part)[-1] == f"stopped after step {step}; the same command goes on from there"
    for part, step in zip(parts[1:], (3, 7), strict=True):
        assert lines(part)[0] == f"going on after step {step}"
    assert sum([line.startswith("step ") for line in lines(whole)]) == 10
    assert [line for part in parts for line in lines(part) if not re.match("stopped|going on", line)] == lines(whole)
    assert parts[-1]["losses"] == whole["losses"]


def test_lookup_and_one_hot_have_one_loss_curve(runs_of: Any) -> None:
    losses = runs_of("minigrad")["bigram"][0]["losses"]
    np.testing.assert_allclose(losses["lookup"], losses["one_hot"], rtol=1e-6)
    assert losses["lookup"][-1] < losses["lookup"][0] - 0.1


def bigram(*options: str) -> list[str]:
    """The command that runs the first of the programs, with a checkpoint."""
    return [sys.executable, str(EXAMPLES / "bigram.py"), *options]


@many
def test_ctrl_c_from_outside() -> None:
    with subprocess.Popen(bigram("--steps=1500", "--checkpoint=a.pt"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("step  150/1500")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    steps = int(output.split("stopped after step ")[1].split(";")[0]) + 5
    for file in ("a.pt", "b.pt"):
        subprocess.run(bigram(f"--steps={steps}", f"--checkpoint={file}"), check=True, capture_output=True)
    assert sorted(os.listdir()) == ["a.pt", "b.pt"]
    resumed, whole = minigrad.load("a.pt"), minigrad.load("b.pt")
    assert resumed["losses"] == whole["losses"]
    assert all([minigrad.equal(weight, whole["model"][name]) for name, weight in resumed["model"].items()])


@needs("tqdm")
@pytest.mark.skipif(os.name != "posix", reason="a terminal is opened as POSIX has them")
def test_a_terminal_has_a_progress_bar() -> None:
    import termios

    outside, inside = os.openpty()
    termios.tcsetwinsize(inside, (24, 120))
    with subprocess.Popen(bigram("--steps=20"), stdout=inside, stderr=inside) as process:
        os.close(inside)
        shown = b""
        try:
            while piece := os.read(outside, 4096):
                shown += piece
        except OSError:
            # What Linux says when the other side has hung up.
            pass
    os.close(outside)
    assert process.returncode == 0, shown.decode()
    assert re.search(rb"100%\|.*20/20 .*lookup \d\.\d{4}  one_hot \d\.\d{4}  [\d,]+ tokens/s", shown), shown.decode()
    assert b"step " not in shown


@pytest.fixture
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the program in this process; the losses of its steps."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def run(*options: str) -> list[float]:
        monkeypatch.setattr(sys, "argv", ["word_vectors.py", "--steps=2", *options])
        return runpy.run_path(str(EXAMPLES / "word_vectors.py"), run_name="__main__")["run"].losses["loss"]

    return run


@needs("matplotlib")
def test_the_picture_shows_the_words(word_vectors: Any) -> None:
    word_vectors("--picture=picture.svg")
    for path in ("picture.svg", EXAMPLES / "word_vectors.svg"):
        words = re.findall(r">([a-z ]+)</text>", Path(path).read_text(encoding="utf-8"))
        assert len(words) == 4 * 6 + 4
        assert {"captain", "said", "people", "what one says"} <= set(words)


def test_without_matplotlib_the_lack_is_told(
    word_vectors: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    word_vectors()
    assert "no picture of the vectors" in capsys.readouterr().out
    assert not os.listdir()


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--steps=-1", "argument --steps: expected 0 or more, got -1"),
        ("--steps=x", "argument --steps: invalid count value: 'x'"),
        ("--checkpoint=none/c.pt", "argument --checkpoint: there is no folder 'none': make it first"),
        ("--checkpoint=.", "argument --checkpoint: expected a file, but '.' is a folder"),
        ("--picture=none/p.svg", "argument --picture: there is no folder 'none': make it first"),
    ],
)
def test_options_are_checked_before_the_first_step(
    word_vectors: Any, option: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        word_vectors(option)
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.err.endswith(f"word_vectors.py: error: {says}\n")
    assert not printed.out


@pytest.mark.skipif(os.name != "posix", reason="folders are closed as POSIX has them")
def test_a_folder_that_cannot_be_written_to(word_vectors: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Path("closed").mkdir(mode=0o555)
    if os.access("closed", os.W_OK):
        pytest.skip("needs a user who may not write everywhere")
    with pytest.raises(SystemExit):
        word_vectors("--checkpoint=closed/c.pt")
    assert capsys.readouterr().err.endswith("the folder 'closed' cannot be written to\n")


def test_what_is_not_installed_is_told_with_what_installs_it(
    word_vectors: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("torch", "mpi4py"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit) as caught:
        word_vectors("--engine=torch")
    assert caught.value.code == "torch is not installed: python -m pip install torch"
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(EXAMPLES / "data_parallel.py"))
    assert caught.value.code == "mpi4py is not installed: python -m pip install -e '.[mpi]'"


def test_sparse_and_dense_gradients_take_the_same_first_step(word_vectors: Any) -> None:
    np.testing.assert_allclose(word_vectors(), word_vectors("--dense"), rtol=1e-5)


# ---- docs/outgrow.md -------------------------------------------------------------------------------------------------


@needs("mpi4py")
@pytest.mark.parametrize("processes", [2, 4])
def test_several_processes_equal_one(processes: int) -> None:
    start = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if start is None:
        pytest.skip("there is no mpiexec")
    outputs, weights = [], []
    for count in (1, processes):
        command = [start, "-n", str(count), sys.executable, str(EXAMPLES / "data_parallel.py")]
        output = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert output.returncode == 0, output.stderr
        outputs.append([float(line.split()[-1]) for line in output.stdout.splitlines()])
        weights.append(minigrad.load("model.pt"))
    assert len(outputs[0]) == 10
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-4, atol=2e-5)
    for name, weight in weights[0].items():
        np.testing.assert_allclose(weight.numpy(), weights[1][name].numpy(), rtol=1e-4, atol=1e-5)


def memory_of_a_step(rows: int) -> int:
    """The most that Python and NumPy allocate in steps on a table in a file, in bytes."""
    file = np.memmap(f"table-{rows}.bin", dtype=np.float32, mode="w+", shape=(rows, 32))
    table = minigrad.nn.Embedding.from_pretrained(minigrad.from_numpy(file), freeze=False, sparse=True)
    optimizer = minigrad.optim.SGD(table.parameters(), lr=0.1)
    tracemalloc.start()
    for _ in range(3):
        loss = (table(minigrad.randint(rows, (64,))) - 1.0).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.count_nonzero(file)
    return peak


def test_the_memory_of_a_step_does_not_depend_on_the_size_of_the_table() -> None:
    memory_of_a_step(1_000)
    assert memory_of_a_step(500_000) < memory_of_a_step(1_000) + 20_000
