"""What is refused: one table, `programs/refusals.md`; on PyTorch, too."""

import contextlib
import functools
import itertools
import math
import re
import tomllib
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
import pytest
from comparing import seeded
from names import recorded
from transcripts import cells_of

import minigrad
from minigrad.tensor import MISSING
from minigrad.tensors.failures import advice, hints

PAGE = Path(__file__).parent / "programs" / "refusals.md"


class Refusal(NamedTuple):
    error: str
    begins: str
    here: bool
    says: list[str]
    unsaid: list[str]


def refusals() -> dict[str, Refusal]:
    """The rows of the page, by their calls."""
    found = {}
    for block in re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for call, told in re.findall(r"^(\S.*)\n((?:  .*\n)+)", block, re.MULTILINE):
            (kind, words), *others = [line.strip().partition(":")[::2] for line in told.splitlines()]
            here = kind == "here"
            says, unsaid = ([text[1:] for label, text in others if label == each] for each in ("says", "does not say"))
            found[call] = Refusal(words[1:] if here else kind, "" if here else words[1:], here, says, unsaid)
    return found


REFUSALS = refusals()
START = compile(cells_of(PAGE)[0].source, str(PAGE), "exec")


def refused(library: Any, call: str) -> tuple[str, str]:
    """The type of the error and its message, its lines joined."""
    names = {"torch": library, "__name__": "refusals"}
    with warnings.catch_warnings(), seeded(0):
        warnings.simplefilter("ignore")
        exec(START, names)
        try:
            exec(call, names)
        except Exception as error:
            return type(error).__name__, " ".join(str(error).split())
    return "nothing", ""


def words_of(text: str) -> list[str]:
    """Its words, without the punctuation that ends a sentence."""
    return [word.rstrip(".,:;") for word in text.split()]


@pytest.mark.parametrize("call", REFUSALS)
def test_is_refused_with_the_words_on_record(call: str, library: Any) -> None:
    row = REFUSALS[call]
    if row.here and library is not minigrad:
        return
    error, message = refused(library, call)
    assert error == row.error, message
    assert words_of(message)[: len(words_of(row.begins))] == words_of(row.begins)
    if library is minigrad:
        assert not [words for words in row.says if words not in message], message
        assert not [words for words in row.unsaid if words in message], message
        # A message is read in a terminal: a few lines, not a page.
        assert len(message) < 700


DTYPES = [("float32", "float32"), ("int64", "float32"), ("float32", "int64")]
SHAPES = [(3,), (4,), (2, 3), (3, 2), (2, 2, 3), (3, 3, 2), (1, 3, 2), (2, 2, 3, 4)]
PRODUCTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "matmul": lambda t, a, b: t.matmul(a, b),
    "linear": lambda t, a, b: t.nn.functional.linear(a, b),
    "linear with a bias": lambda t, a, b: t.nn.functional.linear(a, b, t.ones(b.shape[0])),
    "linear, bias of integers": lambda t, a, b: t.nn.functional.linear(a, b, t.zeros(2, dtype=t.int64)),
    "addmm": lambda t, a, b: t.addmm(t.ones(2), a, b),
    "bmm": lambda t, a, b: t.bmm(a, b),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_factors_that_do_not_fit_are_refused_as_pytorch_refuses_them(name: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    for a, b, dtypes in itertools.product(SHAPES, SHAPES, DTYPES):
        outcomes = []
        for api in (torch, minigrad):
            factors = [api.ones(shape, dtype=getattr(api, each)) for shape, each in zip((a, b), dtypes, strict=True)]
            outcomes.append(outcome(PRODUCTS[name], api, *factors))
        assert outcomes[0] == outcomes[1], (a, b, dtypes)


def outcome(call: Callable[..., Any], *args: Any) -> Any:
    """The shape of what a call returns, or the type of what it raises."""
    try:
        return tuple(call(*args).shape)
    except Exception as error:
        return type(error).__name__


def test_the_warning_of_a_gradient_that_does_not_arrive_speaks_of_the_step_that_lost_the_leaf(library: Any) -> None:
    w = library.ones(2, requires_grad=True)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    with pytest.warns(
        UserWarning, match=r"^The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed\."
    ) as caught:
        assert w.grad is None
    assert library is not minigrad or str(caught[0].message).endswith("with torch.no_grad(): w -= lr * w.grad.)")


def test_a_grid_in_no_named_order_is_warned_of_in_the_line_that_asks_for_it() -> None:
    with pytest.warns(UserWarning, match=r"^torch\.meshgrid: .* required to pass the indexing argument\.") as caught:
        minigrad.meshgrid(minigrad.arange(2), minigrad.arange(3))
    assert caught[0].filename == __file__


def test_what_is_advised_against_is_not_there_and_is_in_pytorch(library: Any) -> None:
    def home(place: str) -> Any:
        return attrgetter(place.removeprefix("minigrad."))(library) if "." in place else library

    def has(place: str, name: str) -> bool:
        if hasattr(home(place), name):
            return True
        try:
            return find_spec(f"{place.replace('minigrad', library.__name__)}.{name}") is not None
        except ModuleNotFoundError:
            return False

    for place, hinted in hints().items():
        names = set(hinted) - {"checks", "explain"}
        there = {name for name in names if has(place.replace("elsewhere", "minigrad"), name)}
        assert there == (names if library is not minigrad and "elsewhere" not in place else set()), place


def test_tensors_tell_of_each_name_that_pytorchs_have_and_a_hint_is_for() -> None:
    there = {name for name in dir(minigrad.Tensor) if hasattr(minigrad.Tensor, name)}
    missing = (recorded()["Tensor"] | set(hints()["elsewhere.Tensor"])) - there
    hinted = {name for name in missing if advice("minigrad.Tensor", name)}
    # That what is there has no form in place needs no hint.
    assert hinted == {name for name in missing & {*MISSING} if not hasattr(minigrad.Tensor, name.removesuffix("_"))}
    assert hinted.isdisjoint(dir(minigrad.tensor(0.0)))
    for name in hinted:
        with pytest.raises(AttributeError, match=rf"^'Tensor' object has no attribute '{name}': "):
            getattr(minigrad.tensor(0.0), name)


def formula_of(hint: str) -> list[CodeType]:
    """The statements that a hint begins with; the last is an expression, or has made `y`."""
    words = hint.partition(" is ")[0].partition(" in forward")[0].replace(", then ", "; ").split(" ")
    for count in range(len(words), 0, -1):
        *steps, last = " ".join(words[:count]).rstrip(",:").split("; ")
        for way in ("eval", "exec"):
            with contextlib.suppress(SyntaxError):
                return [*[compile(step, hint, "exec") for step in steps], compile(last, hint, way)]
    raise AssertionError(hint)


FORMULAS = tomllib.loads((Path(__file__).parent / "hints.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("place", "name"), [(place, name) for place, rows in FORMULAS.items() for name in rows])
def test_what_is_advised_computes_what_pytorch_does_by_the_missing_name(place: str, name: str, library: Any) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")

    def values(api: Any) -> dict[str, Any]:
        draws, schedulers = np.random.default_rng(0), api.optim.lr_scheduler
        optimizer = api.optim.SGD([api.nn.Parameter(api.ones(1))], lr=1.0)

        def rates(scheduler: Any) -> Any:
            return [(scheduler.get_last_lr()[0], optimizer.step(), scheduler.step())[0] for _ in range(12)]

        names = {"torch": api, "nn": api.nn, "np": np, "math": math, "functools": functools, "optimizer": optimizer}
        names |= {"m": lambda *sizes: api.as_tensor(draws.normal(size=sizes)), "rates": rates}
        names["wide"] = lambda *numbers: api.tensor(numbers, requires_grad=True)
        names |= {"ids": lambda n: api.arange(n).flip(0), "schedulers": schedulers, "LambdaLR": schedulers.LambdaLR}
        exec(FORMULAS[place][name].rpartition("; ")[0], names)
        return names

    with seeded(0):
        theirs = values(torch)
        wanted = eval(FORMULAS[place][name].rpartition("; ")[2], theirs)
    names = values(library)
    with seeded(0):
        found = [eval(step, names) for step in formula_of(hints()[place][name])][-1]
    found = names["y"] if found is None else found
    if not hasattr(found, "shape") and callable(found):
        found = found(names["x"])
    found = names["rates"](found) if isinstance(found, names["LambdaLR"]) else found
    if isinstance(wanted, torch.Tensor) and wanted.requires_grad:
        for each in (found, wanted):
            each.sum().backward()
        found, wanted = (found.detach(), names["x"].grad), (wanted.detach(), theirs["x"].grad)
    several = isinstance(wanted, (tuple, list))
    for one, other in zip(found if several else [found], wanted if several else [wanted], strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-12, strict=True)


def test_a_missing_name_says_what_to_write_instead_however_it_is_imported() -> None:
    with pytest.raises(ImportError, match=r"^cannot import name 'Mish' from 'minigrad.nn': PyTorch has it, m") as error:
        from minigrad.nn import Mish  # noqa: F401
    assert type(error.value) is ImportError
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'minigrad.nn.utils.prune': PyTorch has it, minig"):
        from minigrad.nn.utils.prune import l1_unstructured  # type: ignore[import-not-found]  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'minigrad.fftpack'$"):
        import_module("minigrad.fftpack")
    with pytest.raises(ImportError, match=r"^cannot import name 'mish' from 'minigrad.nn.functional': nn.Mish "):
        from minigrad.nn.functional import mish  # type: ignore[attr-defined]  # noqa: F401
    assert find_spec("minigrad.fft") is None
    with pytest.raises(ImportError, match=r"^cannot import name 'StepLR' from 'minigrad.optim': it is torch.optim.lr_"):
        from minigrad.optim import StepLR  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(AttributeError, match=r"'check_op': PyTorch has no such name, and minigrad\.checks has it$"):
        minigrad.testing.check_op  # type: ignore[attr-defined]  # noqa: B018
    assert advice("minigrad", "explain") == ": PyTorch has no such name, so import it: from minigrad import explain"
