"""`gradcheck` and `gradgradcheck` accept right gradients and reject broken ones, as PyTorch's do."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad
import minigrad as torch
from minigrad.autograd import gradcheck, gradgradcheck
from minigrad.autograd.gradcheck import GradcheckError
from minigrad.core.tape import Unary

# ---- functions and their inputs, for either package ------------------------------------------------------------------


def leaf(api: Any, values: Any) -> Any:
    return api.tensor(values, dtype=api.float64, requires_grad=True)


def vector(api: Any) -> Any:
    return leaf(api, [0.5, -1.5, 2.0])


def matrix(api: Any) -> Any:
    return leaf(api, [[0.5, -1.5, 2.0], [1.0, 3.0, -0.25]])


def custom(api: Any, forward: Callable[..., Any], backward: Callable[..., Any], materialize: bool = True) -> Any:
    """A function that computes `forward(*inputs)`, and `backward(*cotangents, *inputs)` as its gradients."""

    class Custom(api.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            ctx.set_materialize_grads(materialize)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            return backward(*cotangents, *ctx.saved_tensors)

    return Custom.apply


def square(api: Any, gradient: Callable[[Any, Any], Any]) -> tuple[Any, ...]:
    """`x * x` with that gradient."""
    return custom(api, lambda x: x * x, gradient), vector(api)


def sum_and_product(api: Any, without: Callable[..., Any], materialize: bool = False) -> tuple[Any, ...]:
    """`x + y` and `x * y`, with the gradients `without(g, h, x, y)` where a cotangent is missing."""

    def backward(g: Any, h: Any, x: Any, y: Any) -> Any:
        return without(g, h, x, y) if g is None or h is None else (g + h * y, g + h * x)

    return custom(api, lambda x, y: (x + y, x * y), backward, materialize), vector(api), vector(api)


def missing_is_zero(g: Any, h: Any, x: Any, y: Any) -> Any:
    if g is None and h is None:
        return None, None
    return (g, g) if h is None else (h * y, h * x)


def is_zero(g: Any, h: Any) -> bool:
    return bool((g is None) != (h is None) and not (h if g is None else g).bool().any())


def missing_is_an_error(g: Any, h: Any, x: Any, y: Any) -> Any:
    raise RuntimeError("a cotangent is missing")


def missing_is_an_error_for_zeros(g: Any, h: Any, x: Any, y: Any) -> Any:
    if is_zero(g, h):
        raise RuntimeError("a cotangent is missing")
    return missing_is_zero(g, h, x, y)


def missing_is_one_for_zeros(g: Any, h: Any, x: Any, y: Any) -> Any:
    if is_zero(g, h):
        return x * 0 + 1, y * 0 + 1
    return missing_is_zero(g, h, x, y)


def captured(api: Any) -> tuple[Any, ...]:
    """A function that knows its input without being given it."""
    x = vector(api)
    return lambda _: x * x * x, x


def with_steps(api: Any) -> tuple[Any, ...]:
    x = api.from_numpy(np.array([[0.5, -1.5, 2.0, 3.0], [1.0, 3.0, -0.25, 4.0]]).T[::2]).requires_grad_()
    return lambda x: x * x.sum(0), x


steps = itertools.cycle([0, 1, -1, 2])

# What gives the function and its inputs.
RIGHT: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "exp": lambda api: (api.exp, vector(api)),
    "square": lambda api: (lambda x: x * x, vector(api)),
    "linear": lambda api: (lambda x: 3 * x, vector(api)),
    "the input itself": lambda api: (lambda x: x, vector(api)),
    "zero": lambda api: (lambda x: x * 0, vector(api)),
    "one": lambda api: (lambda x: x.detach() * 0 + 1, vector(api)),
    "a product that broadcasts": lambda api: (lambda x, y: x * y, matrix(api), vector(api)),
    "matmul": lambda api: (lambda x, y: x @ y, matrix(api), vector(api)),
    "softmax": lambda api: (lambda x: api.softmax(x, -1), matrix(api)),
    "one number": lambda api: (lambda x: (x**3).sum(), vector(api)),
    "a lookup with repeats": lambda api: (lambda x, ids: (x**2)[ids], vector(api), api.tensor([2, 0, 2])),
    "two outputs": lambda api: (lambda x, y: (x * y, (x + y).exp()), matrix(api), vector(api)),
    "a list of outputs": lambda api: (lambda x: [x * x, x.sum()], vector(api)),
    "an output without gradient": lambda api: (lambda x: (x * x, (x * 0).detach()), vector(api)),
    "an input without gradient": lambda api: (lambda x, y: x * y, matrix(api), vector(api).detach()),
    "an input that is not used": lambda api: (lambda x, y: x * x, matrix(api), vector(api)),
    "inputs that are no tensors": lambda api: (lambda x, n, name: x**n, vector(api), 3, "name"),
    "0-d": lambda api: (lambda x: x.exp(), leaf(api, 0.5)),
    "no elements": lambda api: (lambda x: x * x, leaf(api, [])),
    "steps between elements": with_steps,
    "a captured input": captured,
    "a Function": lambda api: square(api, lambda g, x: 2 * g * x),
    "a Function of two outputs": lambda api: sum_and_product(api, missing_is_an_error, materialize=True),
    "a Function that gets None": lambda api: sum_and_product(api, missing_is_zero),
}

MISMATCH = "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:"
# And the first words of the error.
BROKEN: dict[str, tuple[Callable[[Any], tuple[Any, ...]], str]] = {
    "half of it": (lambda api: (lambda x: x * x.detach(), vector(api)), MISMATCH),
    "one too much": (lambda api: (lambda x: x * x + x - x.detach(), vector(api)), MISMATCH),
    "detached": (lambda api: (lambda x: x.detach() * 2, vector(api)), "Numerical gradient for function expected to be"),
    "zero": (lambda api: square(api, lambda g, x: 0 * g), MISMATCH),
    "None": (lambda api: square(api, lambda g, x: None), MISMATCH),
    "a wrong factor": (lambda api: square(api, lambda g, x: 3 * g * x), MISMATCH),
    "a slightly wrong factor": (lambda api: square(api, lambda g, x: 2.01 * g * x), MISMATCH),
    "a wrong sign": (lambda api: square(api, lambda g, x: -2 * g * x), MISMATCH),
    "of another element": (lambda api: square(api, lambda g, x: (2 * g * x)[[1, 2, 0]]), MISMATCH),
    "of two elements of three": (lambda api: square(api, lambda g, x: 2 * g * x * api.tensor([1, 0, 1])), MISMATCH),
    "of the mean": (lambda api: (custom(api, lambda x: x.sum(), lambda g, x: g / 3 + 0 * x), vector(api)), MISMATCH),
    "nan": (lambda api: square(api, lambda g, x: g * x * float("nan")), MISMATCH),
    "of the other input": (
        lambda api: (custom(api, lambda x, y: x * y, lambda g, x, y: (g * y, g * y)), vector(api), 2 + leaf(api, 1.0)),
        "Jacobian mismatch for output 0 with respect to input 1,",
    ),
    "of the second output": (
        lambda api: (lambda x: (x * x, x * x.detach()), vector(api)),
        "Jacobian mismatch for output 1 with respect to input 0,",
    ),
    "unsteady": (lambda api: square(api, lambda g, x: 2 * g * x * (1 + 1e-6 * next(steps))), "Backward is not reentr"),
    "whatever the cotangent": (
        lambda api: square(api, lambda g, x: 2 * g * x + int(not g.detach().bool().any())),
        "backward not multiplied by grad_output",
    ),
    "an error without a cotangent": (
        lambda api: sum_and_product(api, missing_is_an_error_for_zeros),
        "Expected backward function to handle undefined output grads",
    ),
    "not zero without a cotangent": (
        lambda api: sum_and_product(api, missing_is_one_for_zeros),
        "Expected all input grads to be undefined or zero when all output grads are undefined or zero",
    ),
}

# Right, with gradients that are not.
BROKEN_TWICE: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "with respect to the input": lambda api: square(api, lambda g, x: 2 * g * x.detach()),
    "with respect to the cotangent": lambda api: square(api, lambda g, x: 2 * g.detach() * x),
    "a wrong factor": lambda api: square(
        api, lambda g, x: custom(api, lambda g, x: 2 * g * x, lambda h, g, x: (2 * h * x, 3 * h * g))(g, x)
    ),
}


def run(api: Any, check: str, row: tuple[Any, ...], **how: Any) -> bool:
    """The verdict of that function of that package."""
    function, *inputs = row
    with warnings.catch_warnings():
        # PyTorch announces its check of missing cotangents.
        warnings.filterwarnings("ignore", "Backwards compatibility")
        return getattr(api.autograd, check)(function, tuple(inputs), **how)


# ---- the verdicts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.usefixtures("seeded")
def test_right_gradients_are_accepted(name: str) -> None:
    assert run(torch, "gradcheck", RIGHT[name](torch))
    assert run(torch, "gradgradcheck", RIGHT[name](torch))


@pytest.mark.parametrize("name", BROKEN)
def test_broken_gradients_are_rejected(name: str) -> None:
    make, words = BROKEN[name]
    with pytest.raises(GradcheckError) as caught:
        run(torch, "gradcheck", make(torch))
    assert str(caught.value).startswith(words)
    assert not run(torch, "gradcheck", make(torch), raise_exception=False)


@pytest.mark.parametrize("name", BROKEN_TWICE)
@pytest.mark.usefixtures("seeded")
def test_broken_gradients_of_right_gradients_are_rejected(name: str) -> None:
    make = BROKEN_TWICE[name]
    assert run(torch, "gradcheck", make(torch))
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        run(torch, "gradgradcheck", make(torch))
    assert not run(torch, "gradgradcheck", make(torch), raise_exception=False)


@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
@pytest.mark.parametrize("name", [*RIGHT, *BROKEN, *BROKEN_TWICE])
@pytest.mark.usefixtures("seeded")
def test_verdict_is_pytorchs(name: str, check: str) -> None:
    theirs = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    make = RIGHT.get(name) or BROKEN_TWICE.get(name) or BROKEN[name][0]
    if check == "gradgradcheck" and name in ("one", "detached"):
        pytest.skip("without an output that requires a gradient, PyTorch calls the function without its inputs")
    verdicts = []
    for api in (theirs, torch):
        try:
            verdicts.append(str(run(api, check, make(api))))
        except Exception as error:
            verdicts.append(f"{type(error).__name__}: {str(error)[:20]}")
    assert verdicts[0] == verdicts[1]


# ---- what it says ----------------------------------------------------------------------------------------------------


def forgetful(x: Any) -> Any:
    return x * x.detach()


def test_both_jacobians_are_shown() -> None:
    with pytest.raises(GradcheckError) as caught:
        gradcheck(forgetful, vector(torch))
    assert str(caught.value) == (
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[ 1.0000,  0.0000,  0.0000],\n"
        "        [ 0.0000, -3.0000,  0.0000],\n"
        "        [ 0.0000,  0.0000,  4.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[ 0.5000,  0.0000,  0.0000],\n"
        "        [-0.0000, -1.5000, -0.0000],\n"
        "        [ 0.0000,  0.0000,  2.0000]], dtype=torch.float64)"
    )


def test_names_are_where_pytorch_has_them() -> None:
    from minigrad.autograd.gradcheck import gradcheck as by_path

    assert minigrad.autograd.gradcheck is by_path is gradcheck
    assert issubclass(GradcheckError, RuntimeError)


# ---- what it does to its surroundings --------------------------------------------------------------------------------


def test_inputs_are_as_they_were() -> None:
    x, y = matrix(torch), with_steps(torch)[1]
    before = x.tolist(), y.tolist()
    assert gradcheck(lambda x, y: (x.exp(), y * y), (x, y))
    calls = iter(range(3))

    def fails_at_the_third(x: Any, y: Any) -> Any:
        if next(calls) == 2:
            raise ZeroDivisionError
        return x * y[0]

    with pytest.raises(ZeroDivisionError):
        gradcheck(fails_at_the_third, (x[:, :2].detach().requires_grad_(), y))
    assert (x.tolist(), y.tolist()) == before
    assert (x._version, y._version, x.grad, y.grad) == (0, 0, None, None)


# ---- options ---------------------------------------------------------------------------------------------------------


def test_tolerances() -> None:
    function, x = square(torch, lambda g, x: 2.001 * g * x)
    assert not gradcheck(function, x, rtol=1e-4, raise_exception=False)
    assert gradcheck(function, x, rtol=1e-2)
    assert gradcheck(function, x, rtol=0, atol=1e-2)
    assert not gradcheck(lambda x: x**3, leaf(torch, 1.0), eps=0.1, raise_exception=False)
    unsteady, x = BROKEN["unsteady"][0](torch)
    assert gradcheck(unsteady, x, nondet_tol=1e-4)


def test_the_tolerance_is_that_of_one_element() -> None:
    x = torch.ones(400, dtype=torch.float64, requires_grad=True)
    for too_much, verdict in ((5e-6, True), (2e-5, False)):

        def function(x: Any, too_much: float = too_much) -> Any:
            return x.sum() + too_much * (x - x.detach()).sum()

        assert gradcheck(function, x, atol=1e-5, rtol=0, raise_exception=False) is verdict


def test_outputs_without_gradients_are_left_out() -> None:
    assert gradcheck(lambda x: (x.detach(), x > 0, x * x), vector(torch))


class Cube(Unary):
    """The cube, with a gradient of the dtype and of the shape that the test says."""

    __slots__ = ("x",)

    broken: Callable[[Any], Any]

    def forward(self, x: Any) -> Any:
        self.x = x.copy()
        return x**3

    def dx(self, g: Any) -> Any:
        return self.broken(g * torch.from_numpy(3 * self.x**2))


def test_the_kind_of_the_gradient() -> None:
    def narrow(x: Any) -> Any:
        return Cube(lambda dx: dx.float())(x)

    x = leaf(torch, [0.5, -1.0, 2.0])
    assert gradcheck(narrow, x, check_undefined_grad=False)
    with pytest.raises(GradcheckError, match=r"Gradient has dtype mismatch: torch\.float32 for .* torch\.float64"):
        gradcheck(narrow, x, check_grad_dtypes=True)
    with pytest.raises(GradcheckError, match=r"incorrect size: torch\.Size\(\[2\]\) for .* torch\.Size\(\[3\]\)"):
        gradcheck(lambda x: Cube(lambda dx: dx[:2])(x), x)


def test_missing_cotangents_are_checked_on_request() -> None:
    function, *inputs = sum_and_product(torch, missing_is_an_error_for_zeros)
    assert gradcheck(function, inputs, check_undefined_grad=False)


@pytest.mark.usefixtures("seeded")
def test_cotangents_of_ones_own() -> None:
    x, g = vector(torch), leaf(torch, [1.0, 2.0, 3.0])
    assert gradgradcheck(torch.exp, x, g)
    assert gradgradcheck(torch.exp, x, (g,))
    assert gradgradcheck(torch.exp, x, g.detach())


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_inputs_that_cannot_be_checked() -> None:
    x = vector(torch)
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        gradcheck(torch.exp, x.detach())
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(torch.exp, x.detach()[:1].expand(3).requires_grad_())
    with pytest.raises(AttributeError, match="requires_grad"):
        gradcheck(lambda x: x.sum().item(), x)
    sizes = itertools.count(1)
    with pytest.raises(AssertionError, match=r"same shape when inputs are perturbed on index \(0,\) by 1e-06"):
        gradcheck(lambda x: x[: min(next(sizes), 3)] * 2, x)


def test_single_precision_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        assert gradcheck(torch.exp, torch.ones(2, requires_grad=True), eps=1e-2)
