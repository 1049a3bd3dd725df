"""What PyTorch answered to fixed operands of every row of the table of ops, and how to ask any of the two the same.

`recorded.npz`, written by `python -m tests.record`, holds examples for each row: operands, which of them require a
gradient, and what came of the call.  The rows themselves are not in it: a row that is deleted is not looked up.
"""

import ast
import io
import itertools
import pickle
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from comparing import Raised, array_of, check_facts, check_same_values, facts_of, operand_of, outcome, tensor_of, twin
from oracles import directional_derivative, inner
from strategies import Array
from table import Case, families

from minigrad.core.dtypes import FLOATS, limits

FILE = Path(__file__).parent / "recorded.npz"


@cache
def rows() -> dict[str, list[tuple[str, Case]]]:
    """Each family's rows with their names in the record, which stay as they are when other rows go or move."""
    seen: Counter[str] = Counter()
    named: dict[str, list[tuple[str, Case]]] = {}
    for family, cases in families().items():
        named[family] = []
        for case in cases:
            how = (_told(case.call), case.ulps, case.grad_ulps, case.least, case.grad_least, case.twice)
            name = f"{case.line or case.covers} {zlib.crc32(repr(how).encode()):08x}"
            seen[name] += 1
            named[family].append((f"{name} {seen[name]}", case))
    return named


def _told(value: Any) -> Any:
    """What tells one call from another: the text of its source, and the values it was made with."""
    if isinstance(value, FunctionType) and Path(file := value.__code__.co_filename).parent == FILE.parent:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return _sources(file)[value.__code__.co_firstlineno], _told(value.__defaults__), _told(cells)
    if isinstance(value, tuple | list):
        return [_told(each) for each in value]
    if isinstance(value, dict):
        return [(name, _told(each)) for name, each in value.items()]
    return getattr(value, "__name__", None) or re.sub(" at 0x.*", "", repr(value))


@cache
def _sources(file: str) -> dict[int, list[str]]:
    """What is written for the functions that begin in a line of a file, however their lines are broken."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            found.setdefault(node.lineno, []).append(ast.unparse(node))
    return found


# ---- what is observed ------------------------------------------------------------------------------------------------


def observed(api: Any, case: Case, example: dict[str, Any], whole: bool = False) -> dict[str, Any]:
    """What comes of the call: the result, what it did to its inputs and shares with them, gradients to order two.

    Of those of order two a digest, or the `whole` of them.
    """
    operands = [operand_of(api, *each) for each in zip(example["operands"], example["grads"], strict=True)]
    inputs = [each for each in operands if isinstance(each, api.Tensor)]
    api.default_generator.manual_seed(1)
    out = outcome(lambda: case.call(api, *operands))
    seen: dict[str, Any] = {
        "out": facts_of(api, out, exact=not case.ulps),
        "after": [[array_of(x).copy(), x._version] for x in inputs],
    }
    if isinstance(out, Raised):
        return seen
    tensors = _tensors(api, out)
    seen["shared"] = [[[t is x, np.shares_memory(array_of(t), array_of(x))] for x in inputs] for t in tensors]
    leaves = [x for x in inputs if x.requires_grad and x.is_leaf]
    draws = _draws(example["seed"])
    seen["first"], seen["second"] = [], []
    for result in tensors:
        if not result.requires_grad or result.is_leaf or not leaves:
            continue
        g = _cotangent(api, result, draws, example["digits"]).requires_grad_()
        first = outcome(lambda result=result, g=g: _gradients(api, [result], leaves, [g]))
        if isinstance(first, Raised):
            seen["backward"] = type(first.error).__name__
            continue
        seen["first"].append([[array_of(d), d.requires_grad] for d in first])
        recorded = [d for d in first if d.requires_grad]
        second = []
        if recorded and case.twice:
            directions = [_cotangent(api, d, draws, example["digits"]) for d in recorded]
            found = outcome(lambda of=recorded, g=g, h=directions: _gradients(api, of, [*leaves, g], h))
            # PyTorch has no gradients of some gradients.
            arrays = None if isinstance(found, Raised) else [array_of(d) for d in found]
            second = arrays if whole or arrays is None else [_digest(array, draws) for array in arrays]
        seen["second"].append(second)
    return seen


def _tensors(api: Any, out: Any) -> list[Any]:
    """The dense tensors of a result."""
    if isinstance(out, api.Tensor):
        return [] if out.is_sparse else [out]
    return [tensor for each in out for tensor in _tensors(api, each)] if isinstance(out, tuple | list) else []


_DRAWS = np.random.RandomState()
_COTANGENTS = np.array([2.0, -1.0, 3.0, -2.0, -3.0])
_FACTORS = np.array([-1.0, 1.0, 2.0])


def _draws(seed: int) -> np.random.RandomState:
    """Random numbers from that seed on: one generator for all, since to make one takes a hundred times as long."""
    _DRAWS.seed(seed)
    return _DRAWS


def _cotangent(api: Any, result: Any, draws: np.random.RandomState, digits: bool) -> Any:
    array = array_of(result)
    whole = np.asarray(_COTANGENTS[draws.randint(0, 5, array.shape)], array.dtype)
    return tensor_of(api, all_digits(whole, draws) if digits else whole)


def all_digits(array: Array, draws: np.random.RandomState) -> Array:
    """Numbers nearby that use every digit of the dtype: rounding them to a narrower one loses what can be seen."""
    info = np.finfo(array.dtype)
    odd = 2 * draws.randint(1, 2 if info.bits == 16 else 400, array.shape) + 1
    with np.errstate(over="ignore"):
        return np.asarray(array * (1 + odd.astype(array.dtype) * info.eps), array.dtype)


def _gradients(api: Any, outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any]) -> Any:
    """The gradients; zeros for inputs that were not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = api.autograd.grad(
            outputs, inputs, cotangents, create_graph=True, allow_unused=True, materialize_grads=True
        )
    return [d.to_dense() if d.is_sparse else d for d in found]


def _digest(array: Array, draws: np.random.RandomState) -> Array:
    """The largest finite magnitude and two sums over all elements with random factors, as float64."""
    wide = array.astype(np.float64).ravel()
    with np.errstate(invalid="ignore"):
        sums = [(wide * _FACTORS[draws.randint(0, 3, wide.shape)]).sum() for _ in range(2)]
    return np.array([np.abs(wide[np.isfinite(wide)]).max(initial=0), *sums])


# ---- how it is compared ----------------------------------------------------------------------------------------------


def compare(
    wanted: dict[str, Any],
    got: dict[str, Any],
    case: Case,
    example: dict[str, Any],
    slack: float = 1,
    of_second: float = 64,
) -> None:
    """Fail unless what was observed is what PyTorch answered, within the row's tolerances times `slack`.

    Those of what is told of second gradients are `of_second` times those of gradients.
    """
    if "raised" in got["out"] and "raised" not in wanted["out"]:
        # PyTorch looks at dtypes where it computes elements: of none, it takes what it else refuses.
        nothing = any(isinstance(each, np.ndarray) and each.size == 0 for each in example["operands"])
        assert nothing, f"PyTorch returned, minigrad raised {got['out']['raised']}"
        return
    check_facts(wanted["out"], got["out"], case.ulps * slack, case.least, "result")
    for position, ((a, version), (b, other)) in enumerate(zip(wanted["after"], got["after"], strict=True)):
        check_same_values(a, b, case.ulps * slack, f"input {position} after the call")
        assert version == other, f"version of input {position}: {version}, {other}"
    if "raised" in wanted["out"]:
        return
    assert wanted["shared"] == got["shared"], f"(is, shares) with inputs: {wanted['shared']}, {got['shared']}"
    if "backward" in wanted:
        return
    assert "backward" not in got, f"the backward pass raises {got['backward']}"
    # A gradient that was cast on its way has no more digits than the narrowest dtype there.
    dtypes = [array.dtype for array, _ in itertools.chain(wanted["after"], *wanted["first"])]
    coarsest = max([float(limits(dtype).eps) for dtype in dtypes if dtype in FLOATS], default=0)
    for first, other, second, another in zip(*(o[k] for k in ("first", "second") for o in (wanted, got)), strict=True):
        eps = case.grad_ulps * slack * coarsest
        for position, ((a, _), (b, _)) in enumerate(zip(first, other, strict=True)):
            check_same_values(a, b, eps / float(limits(a.dtype).eps), f"gradient {position}", case.grad_least)
        differing = [b for (a, one), (b, two) in zip(first, other, strict=True) if one != two]
        if differing:
            # Zeros on one side are a constant, on the other the result of a mask: of x**0, of what copy_ overwrites.
            assert not any(b.any() for b in differing), "one side's gradients require gradients"
            continue
        assert second is None or another is not None, "gradients of gradients"
        for position, (a, b) in enumerate(zip(second or (), another or (), strict=second is not None)):
            ulps = of_second * eps / float(limits(a.dtype).eps)
            check_same_values(a, b, ulps, f"gradient of gradient {position}", case.grad_least)


# ---- differences -----------------------------------------------------------------------------------------------------


def check_differences(api: Any, case: Case, example: dict[str, Any]) -> None:
    """Fail unless derivatives to order two, in inputs and cotangents, are those of differences; in float64."""
    operands, draws = example["operands"], _draws(example["seed"])
    at = [n for n, grad in enumerate(example["grads"]) if grad and _is_double(operands[n])]

    def results(leaves: Sequence[Any]) -> list[Any]:
        given = [operand_of(api, each, False) for each in operands]
        for n, leaf in zip(at, leaves, strict=False):
            given[n] = leaf * 1  # Not the leaf itself, which must not be written to.
        api.default_generator.manual_seed(1)
        found = _tensors(api, case.call(api, *given))
        return [y for y in found if array_of(y).dtype == np.float64 and y.requires_grad]

    def leaves_of(arrays: Sequence[Array]) -> list[Any]:
        return [api.from_numpy(np.array(each)).requires_grad_() for each in arrays]

    def loss(leaves: Sequence[Any]) -> Any:
        # The cotangents are inputs, too: of the sum of <result, cotangent>.
        return sum([(y * c).sum() for y, c in zip(results(leaves), leaves[len(at) :], strict=True)])

    points = [np.array(operands[n]) for n in at]
    points += [draws.uniform(1, 2, tuple(y.shape)) for y in results(leaves_of(points))]
    assert len(points) > len(at) > 0
    u, v = ([draws.uniform(0.5, 1, p.shape) for p in points] for _ in range(2))

    def slope(arrays: Sequence[Array], direction: Sequence[Array], record: bool = False) -> Any:
        leaves = leaves_of(arrays)
        options = {"create_graph": record, "allow_unused": True, "materialize_grads": True}
        first = api.autograd.grad(loss(leaves), leaves, **options)
        along = sum([(d * api.from_numpy(w)).sum() for d, w in zip(first, direction, strict=True)])
        if not record:
            return array_of(along)
        second = api.autograd.grad(along, leaves, allow_unused=True, materialize_grads=True)
        return array_of(along), np.asarray(inner([array_of(d) for d in second], v))

    first, second = slope(points, u, record=case.twice) if case.twice else (slope(points, u), None)
    wanted = directional_derivative(lambda arrays: array_of(loss(leaves_of(arrays))), points, u)
    np.testing.assert_allclose(first, wanted, rtol=1e-6, atol=1e-7)
    if second is not None:
        wanted = directional_derivative(lambda arrays: slope(arrays, u), points, v)
        np.testing.assert_allclose(second, wanted, rtol=1e-6, atol=1e-7)


def _is_double(operand: Any) -> bool:
    return isinstance(operand, np.ndarray) and operand.dtype == np.float64 and operand.size > 0


# ---- the file --------------------------------------------------------------------------------------------------------


class Pickler(pickle.Pickler):
    """Pickles that keep how the elements of an array lie in memory."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
            return twin, (value.copy("C"), value.strides)
        return NotImplemented


def write(record: dict[str, Any]) -> None:
    text = io.BytesIO()
    Pickler(text, 4).dump(record)
    np.savez_compressed(FILE, pickled=np.frombuffer(text.getvalue(), np.uint8))


@cache
def read() -> dict[str, Any]:
    """`{"torch": its version, "rows": {name: [example, …]}}`; an example holds its `operands`, and what was `seen`."""
    with np.load(FILE) as file:
        return dict(pickle.loads(file["pickled"]))
