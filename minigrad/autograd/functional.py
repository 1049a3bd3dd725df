"""Derivatives of functions as wholes: Jacobians, Hessians, their products with vectors; and whether they are right.

For `y = f(x)`, the Jacobian has the shape `(*y.shape, *x.shape)`: a row for each element of `y`, its gradient.  Where
`f` takes or returns a tuple, so are they.

`gradcheck` compares gradients with finite differences, `gradgradcheck` theirs in turn.  With n elements in `x` and m in
`y`, a Jacobian is `(n, m)` there.  Central differences give its rows, `(f(x + eps e_i) - f(x - eps e_i)) / (2 eps)`;
backward gives its columns, the gradients for the cotangents `e_j`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.modes import enable_grad
from minigrad.core.tensor import Tensor
from minigrad.core.walk import grad
from minigrad.ops.shapes import stack
from minigrad.tensors.creation import eye, ones_like, zeros_like
from minigrad.tensors.errors import add_module, advised, warn_program

__all__ = ["hessian", "jacobian", "jvp", "vjp"]

globals().update(advised(__name__, __all__))

Function = Callable[..., Any]
#: One tensor, or a tuple of several.
Given: TypeAlias = Tensor | tuple[Tensor, ...]


@enable_grad()
def jacobian(func: Function, inputs: Given, create_graph: bool = False, strict: bool = False) -> Any:
    """The derivatives of each element of `func(*inputs)` with respect to each of the inputs.

    With `create_graph`, they can be differentiated in turn; `strict` is refused.

    >>> import minigrad as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0, 3.0]))
    tensor([[2., 0., 0.],
            [0., 4., 0.],
            [0., 0., 6.]])
    """
    given, outputs = _called(func, inputs, create_graph, strict)
    return _like(outputs, [_like(inputs, jacobians_of(y, given, create_graph)) for y in _as_tuple(outputs)])


def jacobians_of(y: Tensor, inputs: Sequence[Tensor], create_graph: bool = False) -> list[Tensor]:
    """The derivatives of each element of an output with respect to each of the inputs, `(*y.shape, *x.shape)`."""
    units = eye(math.prod(y.shape), dtype=y.dtype).view(-1, *y.shape)
    rows = [_pulled([y], inputs, [unit], create_graph) for unit in units]
    columns = zip(inputs, zip(*rows, strict=True), strict=True)
    return [stack(parts).view((*y.shape, *x.shape)) for x, parts in columns]


def hessian(func: Function, inputs: Given, create_graph: bool = False, strict: bool = False) -> Any:
    """The second derivatives of `func(*inputs)`, one number: the Jacobian of its gradient.

    >>> import minigrad as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def number(*given: Tensor) -> Tensor:
        y = func(*given)
        if y.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return y.squeeze()

    def gradient(*given: Tensor) -> Any:
        return jacobian(number, _like(inputs, given), create_graph=True)

    return jacobian(gradient, inputs, create_graph, strict)


@enable_grad()
def vjp(func: Function, inputs: Given, v: Given | None = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`func(*inputs)`, and the product of `v`, of its shape, with its Jacobian: one gradient for each input.

    >>> import minigrad as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    given, outputs = _called(func, inputs, create_graph, strict)
    cotangents = _vectors(v, _as_tuple(outputs), "the user-provided function returns")
    found = _pulled(_as_tuple(outputs), given, cotangents, create_graph)
    return _cut_off(outputs, create_graph), _like(inputs, found)


@enable_grad()
def jvp(func: Function, inputs: Given, v: Given | None = None, create_graph: bool = False, strict: bool = False) -> Any:
    """`func(*inputs)`, and the product of its Jacobian with `v`, of the shape of the inputs: the change along `v`.

    The product of u with the Jacobian is linear in u: its own gradient, for the cotangent v, is the other product.

    >>> import minigrad as torch
    >>> torch.autograd.functional.jvp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    given, outputs = _called(func, inputs, create_graph, strict)
    tangents = _vectors(v, given, "the input to the user-provided function is")
    u = [zeros_like(y, requires_grad=True) for y in _as_tuple(outputs)]
    found = _pulled(_pulled(_as_tuple(outputs), given, u, True), u, tangents, create_graph)
    return _cut_off(outputs, create_graph), _like(outputs, found)


def _called(func: Function, inputs: Given, create_graph: bool, strict: bool) -> tuple[list[Tensor], Given]:
    """Given in place of the inputs, which are used nowhere else, and what `func` returns of it."""
    if strict:
        raise NotImplementedError("strict=True: here, what an output does not depend on has a derivative of zeros")
    given = [
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in _as_tuple(inputs)
    ]
    return given, func(*given)


def _as_tuple(given: Given) -> tuple[Tensor, ...]:
    return given if isinstance(given, tuple) else (given,)


def _vectors(v: Given | None, others: Sequence[Tensor], where: str) -> Sequence[Tensor]:
    """`v` as a tuple; a one, if it is None and what it multiplies is one number."""
    if v is None and (len(others) != 1 or others[0].numel() != 1):
        raise RuntimeError(f"The vector v can only be None if {where} a single Tensor with a single element.")
    return [ones_like(others[0])] if v is None else _as_tuple(v)


def _pulled(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Tensor], create_graph: bool
) -> list[Tensor]:
    """The gradients of the inputs for cotangents of the outputs; zeros for what does not depend on them."""
    pairs = [(y, g) for y, g in zip(outputs, cotangents, strict=True) if y.requires_grad]
    if not pairs:
        return [zeros_like(x) for x in inputs]
    ends, given = zip(*pairs, strict=True)
    found = grad(ends, inputs, given, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return [zeros_like(x) if each is None else each for x, each in zip(inputs, found, strict=True)]


def _cut_off(outputs: Given, create_graph: bool) -> Given:
    return outputs if create_graph else _like(outputs, [y.detach() for y in _as_tuple(outputs)])


def _like(given: Given, found: Sequence[Any]) -> Any:
    """A tuple of what was found for a tuple, and one for one."""
    return tuple(found) if isinstance(given, tuple) else found[0]


# ---- whether gradients are right -------------------------------------------------------------------------------------


class GradcheckError(RuntimeError):
    """Gradients and finite differences disagree, or backward does what no gradient does."""


def gradcheck(
    func: Callable[..., Any],
    inputs: object,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """True if the gradients of `func(*inputs)` agree with central differences, for all inputs that require gradients.

    `func` returns a tensor or several.  An element of a Jacobian may differ by `atol + rtol * |difference quotient|`.
    Then cotangents of zeros must give gradients of zeros.  The inputs should be float64: in float32, a step of `eps`
    drowns in rounding.  While `func` runs, the inputs themselves are changed by `eps`, so it may also reach them as a
    closure does.

    Errors: GradcheckError that shows both Jacobians (False, without `raise_exception`); ValueError if no input requires
    a gradient; RuntimeError for an input some of whose elements share one place in memory.

    >>> import minigrad as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, x)
    True
    >>> def forgetful(x):
    ...     return x * x.detach()
    >>> torch.autograd.gradcheck(forgetful, x)
    Traceback (most recent call last):
    minigrad.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,
    numerical:tensor([[1.0000, 0.0000],
            [0.0000, 4.0000]], dtype=torch.float64)
    analytical:tensor([[0.5000, 0.0000],
            [0.0000, 2.0000]], dtype=torch.float64)
    """
    try:
        _check(func, _listed(inputs), eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable[..., Any], inputs: object, grad_outputs: object = None, **options: Any) -> bool:
    """True if the gradients of the gradients of `func(*inputs)` agree with central differences.

    What `gradcheck` checks here is the function of the inputs and of `grad_outputs` that computes the gradients.
    `grad_outputs`, one for each output that requires a gradient, are drawn from [-1, 1) if None.  The options and the
    errors are those of `gradcheck`.

    >>> import minigrad as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.exp, x)
    True
    """
    given = _listed(inputs)
    cotangents = _listed(grad_outputs)
    if grad_outputs is None:
        ys = _differentiable(func(*given))
        cotangents = tuple([y._new(np.empty_like(y._array, order="C")).uniform_(-1, 1).requires_grad_() for y in ys])
    count = len(given)

    def gradients(*args: Tensor) -> tuple[Tensor, ...]:
        outputs = _differentiable(func(*args[:count]))
        if not outputs:
            return ()
        found = grad(outputs, _differentiable(args[:count]), args[count:], create_graph=True, allow_unused=True)
        return tuple([gradient for gradient in found if gradient is not None])

    return gradcheck(gradients, (*given, *cotangents), **options)


def _listed(given: object) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def _differentiable(given: object) -> tuple[Tensor, ...]:
    """Those of the tensors that require gradients."""
    return tuple([x for x in _listed(given) if isinstance(x, Tensor) and x._requires_grad])


def _check(func: Callable[..., Any], given: tuple[object, ...], eps: float, atol: float, rtol: float) -> None:
    """Raise an error that says what is wrong with the gradients, or with what was given."""
    inputs = _differentiable(given)
    for position, x in enumerate(inputs):
        if x._array.dtype != np.float64:
            warn_program(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. "
                "This check will likely fail if all the inputs are not of double precision floating point or "
                "complex. Pass x.detach().double().requires_grad_()."
            )
        layout = zip(x._array.shape, x._array.strides, strict=True)
        if x._array.size and any([size > 1 and step == 0 for size, step in layout]):
            raise RuntimeError(f"The {position}th input has a dimension with stride 0: pass x.detach().clone()")
    if not inputs:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them does")

    def outputs() -> tuple[Tensor, ...]:
        """Those that have a Jacobian: that require gradients or, if there are none, all that could."""
        # What is no tensor has no requires_grad: func has to return tensors.
        found = _listed(func(*given))
        return tuple([y for y in found if y.requires_grad]) or tuple([y for y in found if y.is_floating_point()])

    ends = outputs()
    numerical = [_numerical(outputs, x._array, eps) for x in inputs]
    if not _differentiable(ends):
        if any([jacobian.any() for of_one in numerical for jacobian in of_one]):
            raise GradcheckError("Numerical gradient for function expected to be zero: no output requires grad")
        return
    for i, y in enumerate(ends):
        for j, jacobian in enumerate(jacobians_of(y, inputs) if y.numel() else []):
            by_gradient, by_difference = jacobian._array.reshape(y.numel(), -1).T, numerical[j][i]
            if not np.isclose(by_gradient, by_difference, rtol, atol).all():
                both = f"numerical:{y._new(by_difference)}\nanalytical:{y._new(by_gradient)}"
                raise GradcheckError(f"Jacobian mismatch for output {i} with respect to input {j},\n{both}")
    zeros = [y._new(np.zeros_like(y._array)) for y in ends]
    for gradient in grad(ends, inputs, zeros, allow_unused=True):
        if gradient is not None and gradient._array.any():
            raise GradcheckError(f"backward not multiplied by grad_output: for zeros it gives the gradient\n{gradient}")


def _numerical(outputs: Callable[[], tuple[Tensor, ...]], array: Array, eps: float) -> list[Array]:
    """For each output, its Jacobian with respect to an input, `(x.numel(), y.numel())`, by differences."""
    jacobians = [np.zeros((array.size, y._array.size), y._array.dtype) for y in outputs()]
    for row, index in enumerate(np.ndindex(array.shape)):
        original = array[index]
        try:
            array[index] = original - eps
            below = [y._array.copy() for y in outputs()]
            array[index] = original + eps
            above = [y._array.copy() for y in outputs()]
        finally:
            array[index] = original
        for jacobian, a, b in zip(jacobians, below, above, strict=True):
            if a.shape != b.shape or a.size != jacobian.shape[1]:
                raise AssertionError(f"Expected `func` to return outputs with the same shape: {a.shape}, {b.shape}")
            with np.errstate(all="ignore"):
                jacobian[row] = ((b - a) / (2 * eps)).reshape(-1)
    return jacobians


# Where PyTorch has them.
add_module("minigrad.autograd.gradcheck", GradcheckError, gradcheck, gradgradcheck)
