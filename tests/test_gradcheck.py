"""`gradcheck` beyond what its programs show: gradients of another kind than PyTorch lets pass, and after an error."""

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as torch
from minigrad.autograd import gradcheck
from minigrad.core.tape import Unary


class Cube(Unary):
    """The cube, with a gradient of the dtype and of the shape that the test says."""

    broken: Callable[[Any], Any]

    def forward(self, x: Any) -> Any:
        self.x = x.copy()
        return x**3

    def dx(self, g: Any) -> Any:
        return self.broken(g * torch.from_numpy(3 * self.x**2))


def test_the_shape_of_the_gradient() -> None:
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"invalid gradient - got \[2\] but expected shape compatible with \[3\]"):
        gradcheck(lambda x: Cube(lambda dx: dx[:2]).of(x), x)


def test_inputs_are_as_they_were_after_an_error() -> None:
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    calls = iter(range(3))

    def fails_at_the_third(x: Any) -> Any:
        if next(calls) == 2:
            raise ZeroDivisionError
        return x * x

    with pytest.raises(ZeroDivisionError):
        gradcheck(fails_at_the_third, x)
    assert (x.tolist(), x._version, x.grad) == ([0.5, -1.0, 2.0], 0, None)
