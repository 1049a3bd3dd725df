"""A write after an operation never makes a wrong gradient, for any row of the table of ops.

Each tensor that an operation took or gave is written over before the backward pass, which must notice ("modified by an
inplace operation") or not need it: then the gradients are those without the write.
"""

import warnings
from typing import Any

import numpy as np
import pytest
import recorded
from comparing import operand_of, seeded
from table import Case

import minigrad
from minigrad import Tensor

REFUSALS = ("modified by an inplace operation", "more than one element of the written-to tensor")


class Run:
    """One call of a row's operation, on operands that are no leaves, so that they can be written to."""

    def __init__(self, case: Case, operands: tuple[Any, ...]) -> None:
        inputs = [operand_of(minigrad, each, True) for each in operands]
        self.leaves = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
        taken = [x * 1 if isinstance(x, Tensor) and x.requires_grad else x for x in inputs]
        minigrad.manual_seed(1)
        result = case.call(minigrad, *taken)
        given = tensors_in(result)
        self.outputs = [y for y in given if y.requires_grad]
        self.tensors = [*tensors_in(taken), *given]

    def gradients(self) -> list[Any]:
        """The gradients of the leaves, for cotangents that are not all the same."""
        starts = [cosines(y) for y in self.outputs]
        found = minigrad.autograd.grad(self.outputs, self.leaves, starts, allow_unused=True)
        return [None if d is None else d.numpy() for d in found]


def cosines(like: Tensor) -> Tensor:
    return minigrad.arange(like.numel(), dtype=like.dtype).cos().reshape(like.shape)


def tensors_in(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    return [x for each in result for x in tensors_in(each)] if isinstance(result, tuple | list) else []


def write_over(x: Tensor) -> None:
    """Other numbers; for integers, the same ones in another order, so that ids stay ids."""
    with minigrad.no_grad():
        if x.is_floating_point():
            x.mul_(3).add_(1)
        elif x.dtype is minigrad.bool:
            x.copy_(~x)
        else:
            x.copy_(x.flip(tuple(range(x.ndim))) if x.ndim else x * 0)


# A function of a tensor is its method, and a method in place is the one that gives a new tensor.
NAMED = [row for family in recorded.rows().values() for row in family if not row[1].line]
METHODS = {case.covers.removeprefix("Tensor.") for _, case in NAMED if case.covers.startswith("Tensor.")}
ROWS = [row for row in NAMED if row[1].covers not in METHODS and not row[1].covers.endswith("_")]
RECORD = recorded.read()["rows"]


def differentiable(name: str) -> list[dict[str, Any]]:
    """The recorded examples of a row that have a gradient."""
    return [each for each in RECORD.get(name, ()) if each["seen"].get("first")]


@pytest.mark.parametrize("part", range(8))
def test_a_write_is_noticed_or_changes_nothing(part: int) -> None:
    rows = ROWS[part::8]
    examples = [(case, each) for name, case in rows for each in differentiable(name)[:2]]
    assert sum([check_writes(case, each["operands"]) for case, each in examples]) > len(rows)


def check_writes(case: Case, operands: tuple[Any, ...]) -> int:
    """How many writes were tried on the operands, of which none made a wrong gradient."""
    with warnings.catch_warnings(), seeded(1):
        warnings.simplefilter("ignore")
        try:
            run = Run(case, operands)
        except Exception:
            return 0  # Of operands that are no leaves, one may be refused.
        if not run.outputs or not run.leaves:
            return 0
        expected = run.gradients()
        for victim in range(len(run.tensors)):
            run = Run(case, operands)
            try:
                write_over(run.tensors[victim])
                found = run.gradients()
            except RuntimeError as error:
                if any(words in str(error) for words in REFUSALS):
                    continue
                raise
            for d, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(d, wanted, err_msg=f"{case}, tensor {victim} of {len(run.tensors)}")
        return len(run.tensors)
