"""Run the same call on PyTorch and on minigrad, and compare what comes out of it: values, errors and all one can ask.

Used by the tests of the torch tier; `torch` is whatever `oracles` found.
"""

import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from oracles import torch
from strategies import Array

import minigrad
from minigrad.core.arrays import widened
from minigrad.core.dtypes import FLOATS, limits

#: Whether minigrad has the dtype, for which it needs a package.
BFLOAT16 = find_spec("ml_dtypes") is not None


@dataclass(frozen=True)
class Plain:
    """A NumPy array that the call is to get as an array, not as a tensor."""

    array: Array


@dataclass(frozen=True)
class Raised:
    """A call that raised."""

    error: Exception


def twin(array: Array, strides: tuple[int, ...] | None = None) -> Array:
    """A copy in memory of its own, with the same steps between elements or with these."""
    steps = array.strides if strides is None else strides
    extent = array.itemsize + sum([(size - 1) * step for size, step in zip(array.shape, steps, strict=True)])
    memory = np.zeros(extent if array.size else 0, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, memory, 0, steps)
    copy[...] = array
    return copy


def as_bfloat16(array: Array) -> Array:
    """The same numbers, rounded, in the same layout."""
    copy = twin(array).view(minigrad.bfloat16._numpy)
    copy[...] = array
    return copy


def tensor_of(api: Any, array: Array, requires_grad: bool = False) -> Any:
    """A leaf tensor of either package, of the array's values and layout, in memory of its own."""
    if array.dtype.name == "bfloat16":
        # Neither takes them from NumPy.
        return api.from_numpy(twin(array).view(np.int16)).view(api.bfloat16).requires_grad_(requires_grad)
    return api.from_numpy(twin(array)).requires_grad_(requires_grad and array.dtype.kind == "f")


def operand_of(api: Any, operand: Any, requires_grad: bool) -> Any:
    """What the call gets for a drawn operand: a tensor for an array, anything else as it is."""
    if isinstance(operand, np.ndarray):
        return tensor_of(api, operand, requires_grad)
    return twin(operand.array) if isinstance(operand, Plain) else operand


def outcome(call: Callable[[], Any]) -> Any:
    """What the call returns, or what it raised; PyTorch's and minigrad's warnings are not errors here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return Raised(error)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The default generators at `seed`; minigrad's as it was at the end."""
    # Started anew, a generator gets an engine of its own, so that the one before stays as it is.
    generator = minigrad.default_generator
    before = {slot: getattr(generator, slot) for slot in generator.__slots__}
    if torch is not None:
        # `torch.manual_seed` writes down for graphics processors who called it, which takes longer than most rows.
        torch.default_generator.manual_seed(seed)
    generator.manual_seed(seed)
    try:
        yield
    finally:
        for slot, value in before.items():
            setattr(generator, slot, value)


def array_of(tensor: Any) -> Array:
    """The array of a tensor of either package, also of one that requires a gradient: no copy."""
    if torch is not None and isinstance(tensor, torch.Tensor) and tensor._is_zerotensor():
        # PyTorch's gradient of nothing has no memory.
        return np.zeros(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
    if repr(tensor.dtype) == "torch.bfloat16":
        api = minigrad if isinstance(tensor, minigrad.Tensor) else torch
        return np.asarray(tensor.detach().view(api.int16).numpy().view(minigrad.bfloat16._numpy))
    return np.asarray(tensor.detach().numpy())


def facts_of(api: Any, out: Any, exact: bool) -> Any:
    """What a program can tell of a result; `exact` says that it can be printed."""
    if isinstance(out, Raised):
        return {"raised": type(out.error).__name__}
    if isinstance(out, api.Tensor) and out.is_sparse:
        parts = [out._indices().detach(), out._values().detach()]
        return {"type": repr(out), "items": [facts_of(api, each, exact) for each in parts]}
    if isinstance(out, api.Tensor):
        return {
            "values": array_of(out).copy(),
            "requires_grad": out.requires_grad,
            "is_leaf": out.is_leaf,
            "grad_fn": None if out.grad_fn is None else out.grad_fn.name(),
            "is_view": out._is_view(),
            "steps": steps(out),
            "printed": zlib.crc32(repr(out).encode()) if exact else None,
        }
    if isinstance(out, np.ndarray | np.generic):
        return {"type": type(out).__name__, "values": np.array(out)}
    if isinstance(out, api.Size | api.dtype | api.device | type):
        return {"repr": repr(out)}
    if isinstance(out, tuple | list):
        return {"type": type(out).__name__, "items": [facts_of(api, each, exact) for each in out]}
    return {"type": type(out).__name__, "value": out}


def check_same(wanted: Any, got: Any) -> None:
    """Fail unless PyTorch's outcome `wanted` and minigrad's outcome `got` are the same as far as a program can tell."""
    check_facts(facts_of(torch, wanted, exact=True), facts_of(minigrad, got, exact=True), 0, 0, "result")


def check_facts(wanted: Any, got: Any, ulps: float, least: float, where: str) -> None:
    """Fail unless what minigrad's result tells is what PyTorch's does."""
    if "items" in wanted:
        assert (wanted["type"], len(wanted["items"])) == (got.get("type"), len(got.get("items", ()))), where
        for position, (a, b) in enumerate(zip(wanted["items"], got["items"], strict=True)):
            check_facts(a, b, ulps, least, f"{where}[{position}]")
        return
    assert wanted.keys() == got.keys(), f"{where}: {wanted} and {got}"
    if "values" in wanted:
        check_same_values(wanted["values"], got["values"], ulps, where, least)
    names = wanted.get("grad_fn"), got.get("grad_fn")
    other_name = names in OTHER_NAMES
    # How what is computed anew lies in memory is the subject of a test of its own.
    unsaid = {"values", "value", *(("grad_fn", "printed") if other_name else ())}
    for fact in wanted.keys() - unsaid - (set() if wanted.get("is_view") else {"steps"}):
        a, b = wanted[fact], got[fact]
        # What is a view for PyTorch may be a tensor of its own.
        assert a == b or (fact == "is_view" and a), f"{where}: {fact} is {b}, PyTorch's {a}"
    if "value" in wanted:
        a, b = wanted["value"], got["value"]
        both = isinstance(a, float | complex)
        assert a == b or (both and np.allclose(a, b, ulps * 2**-10, 0, True)), f"{where}: {a} and {b}"


# PyTorch's name for a step, and minigrad's where it takes the last step in another way.
OTHER_NAMES = {
    # A C++ name, printed with its namespace.
    ("torch::autograd::CopySlices", "CopySlices"),
    # A norm by its older name.
    ("NormBackward1", "LinalgVectorNormBackward0"),
    # In place with an operand of a wider dtype: minigrad records the cast back.
    ("AddBackward0", "ToCopyBackward0"),
    # Batched products that PyTorch folds into others.
    *((f"{step}Backward0", "UnsafeViewBackward0") for step in ("Transpose", "Clone")),
}


def steps(tensor: Any) -> list[int]:
    """The strides that say where an element lies: those of dimensions of more than one element."""
    sizes = list(tensor.shape)
    return [] if 0 in sizes else [step for step, size in zip(tensor.stride(), sizes, strict=True) if size > 1]


def check_same_values(wanted: Array, got: Array, ulps: float = 0, where: str = "values", least: float = 0) -> None:
    """Fail unless two arrays agree bit for bit (nan as nan), or within `ulps` units of the largest finite value.

    Where differences of larger numbers cancel, `least` is what these numbers were.
    """
    assert wanted.dtype == got.dtype, f"{where}: {wanted.dtype}, {got.dtype}"
    assert wanted.shape == got.shape, f"{where}: {wanted.shape}, {got.shape}"
    if wanted.tobytes() == got.tobytes():
        return
    info = limits(wanted.dtype) if wanted.dtype in FLOATS else None
    # NumPy takes a nan for equal to another in dtypes of its own.
    wanted, got = widened(wanted), widened(got)
    if not ulps or info is None:
        np.testing.assert_array_equal(got, wanted, err_msg=where)
        # Equal are also 0.0 and -0.0: tell them apart by their signs.
        real = ~np.isnan(wanted) if info is not None else np.ones(wanted.shape, bool)
        np.testing.assert_array_equal(np.signbit(got[real]), np.signbit(wanted[real]), err_msg=f"{where}: signs")
        return
    finite = np.abs(wanted[np.isfinite(wanted)]).astype(np.float64)
    scale = float(finite.max(initial=least)) + float(info.tiny)
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_allclose(
            got.astype(np.float64),
            wanted.astype(np.float64),
            rtol=0,
            atol=ulps * float(info.eps) * scale,
            err_msg=where,
        )
