"""The core runs alone: copied into a package of another name, in a Python that is told of nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "minigrad" / "core"

BEGIN = """
import sys
sys.path.insert(0, {where!r})

import numpy as np
from heart.embedding import Lookup
from heart.linear import Linear
from heart.modes import no_grad
from heart.tensor import Tensor
from heart.walk import backward, grad


def tensor(data, dtype="float64", requires_grad=False):
    return Tensor._new(np.array(data, dtype)).requires_grad_(requires_grad)


def one_hot(ids, classes):
    return tensor(np.eye(classes)[ids._array])
"""

END = """
assert not [name for name in sys.modules if name.split(".")[0] == "minigrad"]
print("done")
"""

THEOREM = """
rng = np.random.default_rng(0)


def small(*shape):
    # Whole numbers: sums of their products are exact in any order.
    return tensor(rng.integers(-9, 10, shape))


def order_two(forward, w, g, h):
    # The output for w, its gradient given g, and the gradients of that given h.
    w, g = (tensor(each._array, requires_grad=True) for each in (w, g))
    y = forward(w)
    (dw,) = grad(y, w, g, create_graph=True)
    (dg,) = grad(dw, g, h, create_graph=True)
    # A square of the gradient has gradients of its own.
    (again,) = grad((dw * dw).sum(), g)
    return [each._array for each in (y, dw, dg, again)]


for vocabulary, size, shape in [(7, 3, (5,)), (4, 2, (3, 6)), (1, 1, (2,)), (9, 17, (400,)), (5, 4, ())]:
    ids = tensor(rng.integers(0, vocabulary, shape), "int64")
    w, g, h = small(vocabulary, size), small(*shape, size), small(vocabulary, size)
    x = one_hot(ids, vocabulary)
    lookup = order_two(lambda w: Lookup().of(w, ids), w, g, h)
    product = order_two(lambda w: Linear().of(x, w.mT, None), w, g, h)
    for a, b in zip(lookup, product, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
"""

BIGRAM = """
text = "the cat sat on the mat and the rat sat on the cat " * 4
letters = sorted(set(text))
ids = [letters.index(letter) for letter in text]
x, y = tensor(ids[:-1], "int64"), tensor(ids[1:], "int64")
wanted = one_hot(y, len(letters))

w = tensor(np.zeros((len(letters), len(letters))), "float32", requires_grad=True)
losses = []
for _ in range(100):
    logits = Lookup().of(w, x)
    log_sum = logits.exp().sum(1).log()
    loss = (log_sum - (logits * wanted).sum(1)).sum() / len(ids[1:])
    loss.backward()
    with no_grad():
        w -= 10 * w.grad
    assert w.grad.shape == w.shape
    w.grad = None
    losses.append(loss.item())

assert abs(losses[0] - np.log(len(letters))) < 1e-6
assert losses == sorted(losses, reverse=True)
# The best any table can do: the entropy of a letter, given the one before.
counts = np.zeros((len(letters), len(letters)))
np.add.at(counts, (ids[:-1], ids[1:]), 1)
seen = counts[counts > 0]
best = -(seen * np.log((counts / counts.sum(1, keepdims=True))[counts > 0])).sum() / seen.sum()
assert best < losses[-1] < best + 0.1, (losses[-1], best)
assert repr(tensor([1.0, 2.0])) == "tensor([1., 2.])"
"""

SEAMS = """
w = tensor([1.0, 2.0], requires_grad=True)
for write in ("w += 1", "y = w * 2; y *= 3"):
    try:
        exec(write)
    except RuntimeError as error:
        print(error)
"""


def alone(tmp_path: Path, program: str) -> str:
    """What `program` prints, where the core is the package `heart` and minigrad cannot be found."""
    shutil.copytree(CORE, tmp_path / "heart", ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
    script = tmp_path / "program.py"
    script.write_text(BEGIN.format(where=str(tmp_path)) + program + END, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", [THEOREM, BIGRAM], ids=["the theorem to order two", "a bigram table"])
def test_the_core_runs_alone(program: str, tmp_path: Path) -> None:
    assert alone(tmp_path, program) == "done\n"


def test_what_the_core_alone_cannot_do_it_says(tmp_path: Path) -> None:
    said = alone(tmp_path, SEAMS).splitlines()
    assert said[0].startswith("a leaf Variable that requires grad is being used in an in-place operation")
    assert said[1].startswith("the core alone does not record writes")
