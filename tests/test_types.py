"""What editors, type checkers and `help` are told: the real signatures, and no other names."""

import inspect
import typing
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import pytest
import stubs
import typed_program

import minigrad as torch
from minigrad.declare import declared
from minigrad.utils.data import TensorDataset

FUNCTIONS = [
    pytest.param(function, id=f"{place}.{name}")
    for place, functions in declared.items()
    for name, function in functions.items()
    if isinstance(function, FunctionType) and not name.startswith("__")
]


@pytest.mark.parametrize("module", stubs.STUBS, ids=lambda module: module.__name__)
def test_the_stub_is_up_to_date(module: ModuleType) -> None:
    text = stubs.path_of(module).read_text(encoding="utf-8")
    assert text == stubs.STUBS[module](), "write the stubs again: python -m tests.stubs"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_annotations_resolve_and_tell_all(function: Callable[..., Any]) -> None:
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    hints = typing.get_type_hints(function)
    assert set(hints) >= {*names[1:], "return"}
    assert function.__doc__


def test_signatures_are_those_written() -> None:
    assert (
        str(inspect.signature(torch.add)) == "(input: 'Operand', other: 'Operand', *, alpha: 'Number' = 1) -> 'Tensor'"
    )
    assert typing.get_type_hints(torch.exp) == {"input": torch.Tensor, "return": torch.Tensor}
    assert typing.get_type_hints(torch.Tensor.sum)["keepdim"] is bool
    assert "The natural logarithm" in (inspect.getdoc(torch.log) or "")


@pytest.mark.parametrize("module", [torch, torch.nn.functional], ids=lambda module: module.__name__)
def test_only_public_names_are_listed(module: ModuleType) -> None:
    assert dir(module) == sorted(module.__all__)
    assert len(module.__all__) == len({*module.__all__})


def test_the_typed_program_runs_and_its_mistakes_are_errors() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    typed_program.functions(x, torch.float64, torch.device("cpu"))
    typed_program.methods(x)
    data = TensorDataset(torch.tensor([0, 1, 2, 3]), torch.tensor([1, 2, 3, 0]))
    before = torch.default_generator._state_bytes()
    assert len([*typed_program.training(typed_program.Bigrams(4, 3), data)]) == 2
    torch.default_generator._set_state_bytes(before)
    for mistake in typed_program.mistakes(x):
        with pytest.raises((AttributeError, TypeError)):
            mistake()
