"""Are the gradients right?  `gradcheck` compares them with finite differences, `gradgradcheck` theirs in turn.

For `y = f(x)` with n elements in `x` and m in `y`, the Jacobian `J` of shape `(n, m)` holds the derivative of each
element of `y` with respect to each of `x`.  Central differences give its rows, `(f(x + eps e_i) - f(x - eps e_i)) /
(2 eps)`; backward gives its columns, the gradients for the cotangents `e_j`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.functional import jacobians_of
from minigrad.core.dtypes import Array
from minigrad.core.tensor import Tensor
from minigrad.core.walk import grad
from minigrad.tensors.errors import warn_program

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


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
        _check(func, _as_tuple(inputs), eps, atol, rtol)
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
    given = _as_tuple(inputs)
    cotangents = _as_tuple(grad_outputs)
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


def _as_tuple(given: object) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def _differentiable(given: object) -> tuple[Tensor, ...]:
    """Those of the tensors that require gradients."""
    return tuple([x for x in _as_tuple(given) if isinstance(x, Tensor) and x._requires_grad])


def _check(func: Callable[..., Any], given: tuple[object, ...], eps: float, atol: float, rtol: float) -> None:
    """Nothing if all is well; else an error."""
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
        found = _as_tuple(func(*given))
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
