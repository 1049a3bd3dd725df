"""Wrong arguments: whatever a function, a method or a constructor gets, its error speaks of what its caller knows."""

import contextlib
import inspect
import io
import re
import time
import types
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

import names
import numpy as np
import pytest
from hypothesis import Phase, given, settings, strategies as st

import minigrad
from minigrad.checks import lookup  # noqa: F401  # all classes of the package are known
from minigrad.declare import declared

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

# ---- what is given ---------------------------------------------------------------------------------------------------


def _read_only(_: Any) -> Any:
    array = np.ones(3)
    array.setflags(write=False)
    return array


NUMBERS: list[Any] = [
    None, True, False, 0, 1, 2, 3, -1, -7, 2**40, 2**63, 2**65, -(2**70), 0.5, -1.5, float("nan"), float("inf"), -1e300,
    1j, "mean", "a", "", b"x", (), (1, 2), (2, 3), (-1,), (None,), (1, "a"), (1,) * 33, (0,) * 66, range(2),
    slice(None), ..., len, int,
]  # fmt: skip
LISTS = ["[]", "[1]", "[0, 1]", "[0.5, 2.0]", "[[1], [2, 3]]", "[[[]]]", "[2**63]", "{}", "{1}", "object()"]
ARRAYS = [
    "np.ones(3)", "np.array(1.0)", "np.zeros((0, 2))", "np.float32(1)", "np.int64(1)", "np.array([None, 1], object)",
    "np.ones(3, '>f4')", "read_only(t)", "np.ma.masked_array([1.0, 2.0], [0, 1])", "np.array(['a'])", "np.array([1j])",
]  # fmt: skip
TENSORS = [
    "t.arange(6.0).reshape(2, 3) - 2", "t.ones(3)", "t.tensor([1.0, -2.0, 0.5])", "t.tensor([0, 1])",
    "t.tensor([[0, 2], [1, 0]])", "t.tensor(1.5)", "t.tensor(1)", "t.ones(0)", "t.ones(0, 3)",
    "t.tensor([[True, False, True], [False, False, True]])", "t.ones(2, 3, dtype=t.float16)",
    "t.ones(3, 3, dtype=t.float64)", "t.tensor([0, 255, 3], dtype=t.uint8)", "t.tensor([0, 1, 2], dtype=t.int32)",
    "t.ones(2, 3, requires_grad=True)", "t.ones(2, 3, requires_grad=True) * 2", "t.ones((1,) * 33)",
    "t.tensor([float('nan'), float('inf'), -1.0])", "t.ones(2, 3).to_sparse()", "t.ones(3, 2).T",
    "t.ones(1, 3).expand(2, 3)", "t.nn.Parameter(t.ones(3))", "t.tensor([-1, 9])", "t.ones(1, 2, 3)",
    "t.ones(1, 2, 4, 4)",
]  # fmt: skip
OTHERS = [
    "(t.ones(2), t.ones(2))", "[t.ones(2, 3), t.ones(2, 3)]", "[t.ones(2), 1]", "t.int64", "t.float16", "'cpu'",
    "'cuda'", "t.device('cpu')", "t.Size([2, 3])", "t.Generator()", "t.nn.Linear(3, 2)",
]  # fmt: skip

Maker = Callable[[Any], Any]


def _maker(source: str) -> Maker:
    made: Maker = eval(f"lambda t: {source}", {"np": np, "read_only": _read_only})
    return made


MAKERS: dict[str, Maker] = {
    **{f"{value!r:.40}": (lambda _, value=value: value) for value in NUMBERS},
    **{source: _maker(source) for source in LISTS + ARRAYS + TENSORS + OTHERS},
}
#: What often fits, so that calls come further than to their first argument.
FITTING = [*TENSORS, "0", "1", "-1", "2", "None", "True", "0.5", "(1, 2)", "(2, 3)", "[0, 1]", "'mean'"]

# ---- what is called --------------------------------------------------------------------------------------------------

#: These change the state of the whole program, read or write files, or do what is asked 2**40 times, as in PyTorch.
LEFT_OUT = {
    "save", "load", "manual_seed", "manual_seed_all", "seed_all", "initial_seed", "set_rng_state",
    "get_rng_state", "set_default_dtype", "set_default_device", "set_printoptions", "set_grad_enabled",
    "set_num_threads", "set_float32_matmul_precision", "compile", "use_deterministic_algorithms",
    "set_detect_anomaly", "detect_anomaly", "synchronize", "DataLoader", "Transformer", "TransformerEncoder",
    "TransformerDecoder", "RNN", "LSTM", "GRU", "UninitializedParameter", "UninitializedBuffer", "layout",
    "memory_format",
}  # fmt: skip


def _named(library: Any, place: str, name: str) -> Any:
    home = import_module(f"{library.__name__}.{place}") if place not in ("", "Tensor") else library
    return getattr(home.Tensor if place == "Tensor" else home, name)


def _callees() -> dict[tuple[str, str], list[str]]:
    """The parameters of all that can be called, by its place and name."""
    found: dict[tuple[str, str], list[str]] = {}
    operators = [*declared["Tensor"], "__abs__", "__contains__", "__eq__", "__iadd__", "__invert__", "__isub__"]
    for place, listed in {**names.names_of("minigrad"), "operators": operators}.items():
        home = "Tensor" if place == "operators" else place
        for name in listed:
            if name in LEFT_OUT or name.startswith("_") != (place == "operators"):
                continue
            callee = _named(minigrad, home, name)
            no_function = isinstance(callee, types.ModuleType) or not callable(callee)
            if not no_function and not (isinstance(callee, type) and issubclass(callee, Exception)):
                found[home, name] = _parameters(callee)
    return found


def _parameters(callee: Any) -> list[str]:
    try:
        given = inspect.signature(callee).parameters.values()
    except (TypeError, ValueError):
        return []
    named = [each.name for each in given if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return [name for name in named if name not in ("self", "_stacklevel")]


CALLEES = _callees()


class Call:
    """A call with arguments of any kind: the same one can be made of both libraries."""

    def __init__(self, callee: tuple[str, str], random: Random) -> None:
        (self.place, self.name), parameters = callee, CALLEES[callee]
        is_operator = self.name.startswith("__")
        count = len(set(parameters) - {"input"}) if is_operator else random.randint(0, min(len(parameters) + 1, 4) or 2)
        self.args = [self._drawn(random) for _ in range(count)]
        if self.place == "Tensor":
            self.args.insert(0, random.choice(TENSORS))
        elif self.args and random.random() < 0.6:
            self.args[0] = random.choice(TENSORS)
        left = parameters[len(self.args) :]
        by_name = random.sample(left, min(len(left), random.randint(0, 2))) if not is_operator else []
        self.kwargs = {name: self._drawn(random) for name in by_name if random.random() < 0.5}

    def _drawn(self, random: Random) -> str:
        return random.choice(FITTING if random.random() < 0.55 else list(MAKERS))

    def __repr__(self) -> str:
        return f"{self.place}.{self.name}({', '.join([*self.args, *[f'{k}={v}' for k, v in self.kwargs.items()]])})"

    def of(self, library: Any) -> tuple[Any, Exception | None]:
        """What it returns, or raises."""
        args = [MAKERS[each](library) for each in self.args]
        kwargs = {name: MAKERS[each](library) for name, each in self.kwargs.items()}
        try:
            if self.place == "Tensor":
                return getattr(args[0], self.name)(*args[1:], **kwargs), None
            return _named(library, self.place, self.name)(*args, **kwargs), None
        except Exception as error:
            return None, error


# ---- what is wrong with an answer ------------------------------------------------------------------------------------

#: Private names (not PyTorch's), functions inside of others, and what NumPy says of arrays that are ours.
INSIDE = re.compile(
    r"(?<![\w.'])_(?!scaled_dot)[a-z]\w*|'_(?!stacklevel|_iter__)\w+'|<lambda>|<locals>|minigrad\.(core|ops|declare)|"
    r"\bC long\b|broadcast together|array is too big|maximum supported|Maximum allowed|ufunc"
)
NEVER = (MemoryError, NameError, RecursionError, StopIteration, np.exceptions.AxisError)


def inside(call: Call, error: Exception) -> bool:
    """Whether an error speaks of what only the package knows."""
    message = str(error)
    if isinstance(error, NEVER) or (isinstance(error, AssertionError) and not message):
        return True
    # NumPy may speak of its arrays and scalars if it was given some.
    arrays = any([each.startswith(("np.", "read_only")) for each in [*call.args, *call.kwargs.values()]])
    # Python's own arithmetic of floats may say what it says in PyTorch.
    told = ("make it a float: float(number)", "Numerical result out of range")
    if isinstance(error, OverflowError) and not arrays and not any([words in message for words in told]):
        return True
    if re.match(r"[A-Z_]\w+\.__(init|new)__\(\)", message):
        # As in PyTorch, Python names the class that has the constructor, which may be a base of what is called.
        return False
    found = INSIDE.search(message)
    return found is not None and not (arrays and found[0] in ("ufunc", "broadcast together", "_sum", "C long"))


#: What PyTorch refuses and minigrad takes, beside arguments of other types, which docs/pytorch.md tells of.
TAKEN = {
    "PackedSequence": "a tuple of what it is given",
    "clip_grad_norm": "looks at its maximum where there is a gradient",
    "clip_grad_norm_": "looks at its maximum where there is a gradient",
    "clip_grad_value_": "takes what has no gradient",
    "BatchSampler": "takes a flag for what it says",
    "isin": "knows bools",
    "take_along_dim": "reads what is not contiguous",
    "unfold": "takes one size for both",
    "cosine_similarity": "takes an eps below 0",
    "batch_norm": "takes other dtypes of the mean",
    "logsumexp": "answers for no dimensions",
    "normalize": "takes a tensor as eps",
    "type_as": "takes the dtype of what is sparse",
    "tensordot": "promotes dtypes where nothing is contracted",
    "smooth_l1_loss": "takes any beta",
    "sub": "multiplies by alpha first",
    "subtract": "multiplies by alpha first",
    "Categorical": "takes no distributions",
    "Multinomial": "takes no distributions",
    "Upsample": "takes whatever is a float",
    "UpsamplingNearest2d": "takes whatever is a float",
    "repeat_interleave": "needs no size of the output",
    "bernoulli_": "takes more dimensions of size 1",
}


def refused(call: Call) -> bool:
    """Whether PyTorch refuses the values of the call, not the types of its arguments, or an int beyond int64."""
    error = call.of(torch)[1]
    if isinstance(error, (RuntimeError, ValueError, IndexError)) and not isinstance(error, NotImplementedError):
        ambiguous = "truth value" in str(error) or "Boolean value" in str(error)
        return not ambiguous and re.search(r"np\.|1j|read_only|\d{19}|1e\+300", repr(call)) is None
    return False


def faults(call: Call) -> Iterator[str]:
    """What is wrong with the answer to a call."""
    state, before = (np.geterr(), minigrad.is_grad_enabled()), time.process_time()
    value, error = call.of(minigrad)
    if time.process_time() - before > 5:
        yield f"{call} takes too long"
    if (np.geterr(), minigrad.is_grad_enabled()) != state:
        yield f"{call} changes the state"
    if error is not None and inside(call, error):
        yield f"{call} says {type(error).__name__}: {error}"
    if torch is not None and error is None and value is not NotImplemented and call.name not in TAKEN and refused(call):
        yield f"{call} is refused by PyTorch, and is {value}"


# The smallest seed is no simpler than any other.
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**64 - 1))
@pytest.mark.usefixtures("seeded")
def test_errors_say_nothing_of_what_is_inside_and_leave_the_state_as_it_was(seed: int) -> None:
    random = Random(seed)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        found = [fault for callee in CALLEES for fault in faults(Call(callee, random))]
    assert not found, "\n".join(found)


def test_a_hundred_kinds_of_wrong_arguments_are_given_to_all_names() -> None:
    assert len(MAKERS) > 90
    assert len(CALLEES) > 800
