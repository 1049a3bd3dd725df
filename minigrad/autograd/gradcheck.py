"""Are the gradients right?  `gradcheck` compares them with finite differences, `gradgradcheck` theirs in turn.

For `y = f(x)` with n elements in `x` and m in `y`, the Jacobian `J` of shape `(n, m)` holds the derivative of each
element of `y` with respect to each of `x`.  Central differences give its rows, `(f(x + eps e_i) - f(x - eps e_i)) /
(2 eps)`; backward gives its columns, the gradients for the cotangents `e_j`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

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
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
) -> bool:
    """True if the gradients of `func(*inputs)` agree with central differences, for all inputs that require gradients.

    `func` returns a tensor or several.  An element of a Jacobian may differ by `atol + rtol * |difference quotient|`.
    Each backward pass runs twice; the two may differ by `nondet_tol`.  Then cotangents of zeros must give gradients of
    zeros and, with `check_undefined_grad`, so must none at all for one of several outputs.  The inputs should be
    float64: in float32, a step of `eps` drowns in rounding.  While `func` runs, the inputs themselves are changed by
    `eps`, so it may also reach them as a closure does.

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
    check = _Check(func, _as_tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        check.run(check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
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
        cotangents = tuple([_drawn(y) for y in _differentiable(func(*given))])
    count = len(given)

    def gradients(*args: Any) -> tuple[Any, ...]:
        outputs = _differentiable(func(*args[:count]))
        if not outputs:
            return ()
        found = grad(outputs, _differentiable(args[:count]), args[count:], create_graph=True, allow_unused=True)
        return tuple([gradient for gradient in found if gradient is not None])

    return gradcheck(gradients, (*given, *cotangents), **options)


def _as_tuple(given: object) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, tuple | list) else (given,)


def _differentiable(given: object) -> tuple[Any, ...]:
    """Those of the tensors that require gradients."""
    return tuple([x for x in _as_tuple(given) if isinstance(x, Tensor) and x._requires_grad])


def _drawn(y: Any) -> Any:
    """A random cotangent for the output `y`."""
    return y._new(np.empty_like(y._array, order="C")).uniform_(-1, 1).requires_grad_()


class _Check(NamedTuple):
    """One call of `gradcheck`, its checks in their order and, below them, the two sides that they compare."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool

    def run(self, without_some: bool) -> None:
        """Nothing if all is well; else an error."""
        self.check_inputs()
        # What is no tensor has no requires_grad: func has to return tensors.
        outputs = tuple([y for y in _as_tuple(self.func(*self.inputs)) if y.requires_grad])
        if not outputs:
            self.check_constant()
            return
        self.check_jacobians(outputs)
        self.check_zeros(outputs, "backward not multiplied by grad_output: for cotangents of zeros it gives")
        if without_some and len(outputs) > 1:
            for position in range(len(outputs)):
                self.check_without(position)

    def check_inputs(self) -> None:
        for position, x in enumerate(self.inputs):
            if not _differentiable(x):
                continue
            if x._array.dtype != np.float64:
                warn_program(
                    f"Input #{position} requires gradient and is not a double precision floating point or complex. "
                    "This check will likely fail if all the inputs are not of double precision floating point or "
                    "complex. Pass x.detach().double().requires_grad_()."
                )
            if any([size > 1 and step == 0 for size, step in zip(x._array.shape, x._array.strides, strict=True)]):
                raise RuntimeError(f"The {position}th input has a dimension with stride 0: pass x.detach().clone()")
        if not _differentiable(self.inputs):
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them does")

    def check_constant(self) -> None:
        """Outputs that require no gradient do not depend on the inputs."""
        for x in _differentiable(self.inputs):
            if any([jacobian.any() for jacobian in self.numerical(x)]):
                raise GradcheckError("Numerical gradient for function expected to be zero: no output requires grad")

    def check_jacobians(self, outputs: tuple[Any, ...]) -> None:
        """All elements of all Jacobians."""
        inputs = _differentiable(self.inputs)
        numerical = [self.numerical(x) for x in inputs]
        for i, y in enumerate(outputs):
            for j, by_gradient in enumerate(self.analytical(y)):
                by_difference = numerical[j][i]
                if not np.isclose(by_gradient, by_difference, self.rtol, self.atol).all():
                    both = f"numerical:{y._new(by_difference)}\nanalytical:{y._new(by_gradient)}"
                    raise GradcheckError(f"Jacobian mismatch for output {i} with respect to input {j},\n{both}")

    def check_zeros(self, outputs: Sequence[Any], words: str) -> None:
        """Gradients are linear in the cotangents: of zeros they are zeros."""
        zeros = [y._new(np.zeros_like(y._array)) for y in outputs]
        for gradient in grad(outputs, _differentiable(self.inputs), zeros, allow_unused=True):
            if gradient is not None and gradient._array.any():
                raise GradcheckError(f"{words} the gradient\n{gradient}")

    def check_without(self, position: int) -> None:
        """An output that the loss does not depend on hands no gradient to backward, which has to live with that."""
        outputs = [y for i, y in enumerate(_differentiable(self.func(*self.inputs))) if i != position]
        words = (
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero, but without "
            f"one for output {position} there is"
        )
        try:
            self.check_zeros(outputs, words)
        except GradcheckError:
            raise
        except RuntimeError as error:
            raise GradcheckError(f"Expected backward function to handle undefined output grads: {error!r}") from error

    def numerical(self, x: Any) -> list[Array]:
        """For each output, its Jacobian with respect to the input `x`, `(x.numel(), y.numel())`."""
        rows = [self.difference(x._array, place) for place in np.ndindex(x._array.shape)]
        if not rows:
            return [np.zeros((0, y._array.size), y._array.dtype) for y in self.outputs()]
        return [np.stack(rows_of_one) for rows_of_one in zip(*rows, strict=True)]

    def difference(self, array: Array, index: tuple[int, ...]) -> list[Array]:
        """How each output, flattened, changes per `eps` while the element of an input at `index` does."""
        original = array[index]
        try:
            array[index] = original - self.eps
            below = [y._array.copy() for y in self.outputs()]
            array[index] = original + self.eps
            above = [y._array.copy() for y in self.outputs()]
        finally:
            array[index] = original
        for a, b in zip(below, above, strict=True):
            if a.shape != b.shape:
                raise AssertionError(f"Expected `func` to return outputs with the same shape: {a.shape}, {b.shape}")
        with np.errstate(all="ignore"):
            return [((b - a) / (2 * self.eps)).reshape(-1) for a, b in zip(below, above, strict=True)]

    def outputs(self) -> tuple[Any, ...]:
        """The outputs that have a Jacobian: those that require gradients or, if there are none, all that could."""
        found = _as_tuple(self.func(*self.inputs))
        return _differentiable(found) or tuple([y for y in found if y.is_floating_point()])

    def analytical(self, y: object) -> list[Array]:
        """For each input, its Jacobian, `(x.numel(), y.numel())`, a column for each cotangent."""
        first, second = [self.gradients(y) for _ in range(2)]
        for one, other in zip(first, second, strict=True):
            if not np.isclose(one, other, 0, self.nondet_tol, equal_nan=True).all():
                raise GradcheckError("Backward is not reentrant, i.e., running it twice gives different values")
        return first

    def gradients(self, y: Any) -> list[Array]:
        """For each input, `(x.numel(), y.numel())`; zeros where `y` does not depend on it."""
        inputs = _differentiable(self.inputs)
        columns = [np.zeros((x._array.size, y._array.size), x._array.dtype) for x in inputs]
        for k, cotangent in enumerate(np.eye(y._array.size, dtype=y._array.dtype)):
            g = y._new(cotangent.reshape(y._array.shape).copy())
            found = grad(y, inputs, g, retain_graph=True, allow_unused=True)
            for x, gradient, column in zip(inputs, found, columns, strict=True):
                if gradient is not None:
                    self.check_kind(x, gradient)
                    column[:, k] = gradient._array.reshape(-1)
        return columns

    def check_kind(self, x: Any, gradient: Any) -> None:
        """A gradient has the shape and the dtype of its input."""
        if gradient._array.shape != x._array.shape:
            sizes = f"{gradient.shape} for an input of size {x.shape}"
            raise GradcheckError(f"Analytical gradient has incorrect size: {sizes}")
        if self.check_grad_dtypes and gradient._array.dtype != x._array.dtype:
            raise GradcheckError(f"Gradient has dtype mismatch: {gradient.dtype} for an input of dtype {x.dtype}")
