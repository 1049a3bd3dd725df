"""Every method of `Tensor` and every function is PyTorch's: one table of cases, run on drawn operands.

A row of the table says what it covers, how to call it and what to draw.  The test runs it on both packages and
compares results (values, dtype, shape, strides, requires_grad, printed form with the name of grad_fn), which storage
they share, what the call did to its inputs, errors' types, gradients for random cotangents, and gradients of these.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import recorded
from comparing import BFLOAT16, Raised, as_bfloat16, operand_of, outcome, seeded, steps
from hypothesis import given, settings, strategies as st
from table import CASES, Case, families

import minigrad
from minigrad.declare import declared
from minigrad.nn import functional
from minigrad.tensors import creation

torch = pytest.importorskip("torch", reason="needs PyTorch")

#: Of each of some 1,300 rows; the same ones each time, but under the profile `thorough`.
FEW = settings(max_examples=8 if settings.default.max_examples < 100 else settings.default.max_examples // 3)


def _family(cases: list[Case]) -> Callable[..., None]:
    """The test of a family's rows.  (One for all: Hypothesis counts on fewer than a thousand runs of a test.)"""

    @pytest.mark.parametrize("case", cases, ids=str)
    @FEW
    @given(data=st.data())
    def test(case: Case, data: st.DataObject) -> None:
        _check_case(case, data)

    return test


for _name, _cases in families().items():
    # Where nothing is drawn, PyTorch is asked by test_recorded.py.
    if _drawn := [case for case in _cases if not case.line]:
        globals()[f"test_{_name}_is_pytorchs"] = _family(_drawn)


def _check_case(case: Case, data: st.DataObject) -> None:
    operands = data.draw(case.operands, label="operands")
    halves = [isinstance(each, np.ndarray) and each.dtype == np.float16 for each in operands]
    if BFLOAT16 and any(halves) and data.draw(st.booleans(), label="bfloat16 for float16"):
        operands = [as_bfloat16(each) if half else each for each, half in zip(operands, halves, strict=True)]
    grads = [data.draw(st.booleans(), label="requires_grad") for _ in operands]
    seed = data.draw(st.integers(0, 2**32 - 1), label="seed of the cotangents")
    example = {"operands": operands, "grads": grads, "seed": seed, "digits": False}
    with seeded(1):
        wanted, got = [recorded.observed(api, case, example, whole=True) for api in (torch, minigrad)]
    recorded.compare(wanted, got, case, example, of_second=4)


# The results of these lie in memory in another order, as docs/pytorch.md says.
ANOTHER_ORDER = re.compile(
    r"^x\[.*\]$|clone|(index_put|index_fill|unique|einsum|inverse|solve|rpow|batch_norm|conv|pool|grad|hook)"
)


def _reversed(array: Any) -> Any:
    return array.T.copy().T


def _first_inside(array: Any) -> Any:
    return np.moveaxis(np.moveaxis(array, 0, -1).copy(), -1, 0) if array.ndim else array


def _result(api: Any, case: Case, operands: Sequence[Any]) -> Any:
    given = [operand_of(api, each, True) for each in operands]
    with seeded(1):
        return outcome(lambda: case.call(api, *given))


@pytest.mark.parametrize(
    "orders", [(_reversed,), (_first_inside,), (_reversed, np.copy), (np.copy, _reversed), (_reversed, _first_inside)]
)
def test_results_lie_in_memory_as_pytorchs(orders: tuple[Callable[[Any], Any], ...]) -> None:
    """Dimensions of size 1 and tensors without elements excepted, for operands of which one is not contiguous."""
    failures = []
    record = recorded.read()["rows"]
    for name, case in [row for rows in recorded.rows().values() for row in rows]:
        examples = record[name] if settings.default.max_examples > 30 else record[name][:1]
        for example in examples if not ANOTHER_ORDER.search(str(case)) else ():
            places = itertools.count()
            operands = [
                orders[min(next(places), len(orders) - 1)](each) if isinstance(each, np.ndarray) else each
                for each in example["operands"]
            ]
            if all([each.flags.c_contiguous for each in operands if isinstance(each, np.ndarray)]):
                continue
            wanted, got = (_result(api, case, operands) for api in (torch, minigrad))
            if isinstance(wanted, Raised) or isinstance(got, Raised):
                continue
            for a, b in zip(recorded._tensors(torch, wanted), recorded._tensors(minigrad, got), strict=True):
                if steps(a) != steps(b):
                    failures.append(f"{case}({operands}): {b.stride()}, PyTorch's {a.stride()}")
    assert not failures, f"{len(failures)} differ, first: " + "\n".join(failures[:5])


def test_every_public_name_is_in_the_table() -> None:
    covered = {name for case in CASES for name in case.covers.split()}
    machinery = {"__module__", "__doc__", "__slots__", "__new__", "__array_priority__", "__annotations__", "__dict__"}
    machinery |= {"__weakref__", "__dir__", "__delitem__", "__init_subclass__"}
    methods = {
        f"Tensor.{name}"
        for cls in minigrad.Tensor.__mro__[:-1]
        for name in vars(cls)
        if name not in machinery
        and hasattr(cls, name)
        and (name.startswith("__") or name == "_version" or not name.startswith("_"))
    }
    free = {*declared["torch"], *creation.__all__, "Tensor", "finfo", "get_rng_state", "set_rng_state"}
    layers = {f"nn.functional.{name}" for name in functional.__all__}
    # These have rows of their own: cases_sparse.py.
    sparse = {"Tensor.is_sparse", "Tensor.layout", "Tensor.to_dense", "Tensor.to_sparse"}
    # These are in programs.
    programs = {"Tensor.bfloat16", "Tensor.ndimension", "Tensor.storage", "set_default_tensor_type"}
    programs |= {"nn.functional.gumbel_softmax", "can_cast", "promote_types"}
    # Of `torch.linalg` a program shows the rest.
    assert methods | free | layers | {"Tensor.__hash__", "linalg.solve"} == covered | sparse | programs
