"""Are the gradients right?  `gradcheck` compares them with finite differences, `gradgradcheck` theirs in turn.

For `y = f(x)` with n elements in `x` and m in `y`, the Jacobian `J` of shape `(n, m)` holds the derivative of each
element of `y` with respect to each of `x`.  Central differences give its rows, `(f(x + eps e_i) - f(x - eps e_i)) /
(2 eps)`; backward gives its columns, the gradients for the cotangents `e_j`.  Fast mode compares `u @ J @ v` for one
random `u` and `v`: two calls of `f` and one backward pass in place of 2n and m of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tensor import Size, Tensor
from minigrad.core.walk import grad
from minigrad.random import Generator

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """Gradients and finite differences disagree, or backward does what no gradient does."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True if the gradients of `func(*inputs)` agree with central differences, for all inputs that require gradients.

    `func` returns a tensor or several.  An element of a Jacobian may differ by `atol + rtol * |difference quotient|`.
    Each backward pass runs twice; the two may differ by `nondet_tol`.  Then cotangents of zeros must give gradients of
    zeros and, with `check_undefined_grad`, so must none at all for one of several outputs.  The inputs should be
    float64: in float32, a step of `eps` drowns in rounding.  While `func` runs, the inputs themselves are changed by
    `eps`, so it may also reach them as a closure does.

    Errors: GradcheckError that shows both Jacobians (False, without `raise_exception`); ValueError if no input requires
    a gradient; RuntimeError for an input some of whose elements share one place in memory.  `masked` makes a
    difference to sparse tensors only.  Forward-mode and batched gradients do not exist here: NotImplementedError.

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
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    _refuse(locals(), "check_batched_grad", "check_batched_forward_grad", "check_forward_ad")
    return _verdict(func, _as_tuple(inputs), locals())


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """True if the gradients of the gradients of `func(*inputs)` agree with central differences.

    What `gradcheck` checks here is the function of the inputs and of `grad_outputs` that computes the gradients.
    `grad_outputs`, one for each output that requires a gradient, are drawn from [-1, 1) if None, with steps between
    their elements if `gen_non_contig_grad_outputs`.  The other arguments and the errors are as of `gradcheck`.

    >>> import minigrad as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.exp, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    _refuse(locals(), "check_batched_grad", "check_fwd_over_rev")
    given = _as_tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple([_drawn(y, gen_non_contig_grad_outputs) for y in _differentiable(func(*given))])
    else:
        cotangents = _as_tuple(grad_outputs)
    count = len(given)

    def gradients(*args: Any) -> tuple[Any, ...]:
        outputs = _differentiable(func(*args[:count]))
        if not outputs:
            return ()
        found = grad(outputs, _differentiable(args[:count]), args[count:], create_graph=True, allow_unused=True)
        return tuple([gradient for gradient in found if gradient is not None])

    return _verdict(gradients, (*given, *cotangents), locals())


def _refuse(options: dict[str, Any], *names: str) -> None:
    for name in names:
        if options[name]:
            raise NotImplementedError(
                f"{name}=True: there are neither forward-mode nor batched gradients here to be checked; leave it False"
            )


def _verdict(func: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether the gradients of `func` are right, by the options of `gradcheck`."""
    try:
        _Check(func, inputs, *[options[name] for name in _Check._fields[2:]]).run()
    except GradcheckError:
        if options["raise_exception"]:
            raise
        return False
    return True


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, tuple | list) else (given,)


def _differentiable(given: Any) -> tuple[Any, ...]:
    """Those of the tensors that require gradients."""
    return tuple([x for x in _as_tuple(given) if isinstance(x, Tensor) and x._requires_grad])


def _drawn(y: Any, with_steps: bool) -> Any:
    """A random cotangent for the output `y`."""
    out = y._new(np.empty_like(y._array, order="C")).uniform_(-1, 1)
    if with_steps and out._array.size > 1:
        out = out._new(np.repeat(out._array, 2, -1)[..., ::2])
    return out.requires_grad_()


def _unit_vector(x: Any, generator: Generator) -> Array:
    """A random direction for the elements of `x`, none of them negative."""
    drawn: Array = x._new(np.empty(x._array.size, np.float32)).uniform_(generator=generator)._array
    vector = drawn.astype(x._array.dtype)
    return vector / np.linalg.norm(vector)


class _Check(NamedTuple):
    """One call of `gradcheck`, its checks in their order and, below them, the two sides that they compare."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_undefined_grad: bool
    check_grad_dtypes: bool
    fast_mode: bool

    def run(self) -> None:
        """Nothing if all is well; else an error."""
        self.check_inputs()
        # What is no tensor has no requires_grad: func has to return tensors.
        outputs = tuple([y for y in _as_tuple(self.func(*self.inputs)) if y.requires_grad])
        if not outputs:
            self.check_constant()
            return
        self.check_jacobians(outputs)
        self.check_zeros(outputs, "backward not multiplied by grad_output: for cotangents of zeros it gives")
        if self.check_undefined_grad and len(outputs) > 1:
            for position in range(len(outputs)):
                self.check_without(position)

    def check_inputs(self) -> None:
        for position, x in enumerate(self.inputs):
            if not _differentiable(x):
                continue
            if x._array.dtype != np.float64:
                warnings.warn(
                    f"Input #{position} requires gradient and is not a double precision floating point or complex. "
                    "This check will likely fail if all the inputs are not of double precision floating point or "
                    "complex. Pass x.detach().double().requires_grad_().",
                    UserWarning,
                    stacklevel=5,
                )
            if any([size > 1 and step == 0 for size, step in zip(x._array.shape, x._array.strides, strict=True)]):
                raise RuntimeError(
                    f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                    "non-overlapping: it changes one element at a time. Pass x.detach().clone().requires_grad_()."
                )
        if not _differentiable(self.inputs):
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of them have "
                "requires_grad=True."
            )

    def check_constant(self) -> None:
        """Outputs that require no gradient do not depend on the inputs."""
        for x in _differentiable(self.inputs):
            if any([jacobian.any() for jacobian in self.numerical(x)]):
                raise GradcheckError(
                    "Numerical gradient for function expected to be zero, because no output requires a gradient; but "
                    "outputs change with the inputs: they were detached, or computed under no_grad()"
                )

    def check_jacobians(self, outputs: tuple[Any, ...]) -> None:
        """All elements of all Jacobians, or `u @ J @ v` of each.

        Their elements may differ by `atol`, so `u @ J @ v` may by `sum(u) * atol * sum(v)`.
        """
        generator = Generator()  # Not the user's, whose draws go on as if nothing had been checked.
        inputs = _differentiable(self.inputs)
        us, vs = [[_unit_vector(x, generator) if self.fast_mode else None for x in each] for each in (inputs, outputs)]
        numerical = [self.numerical(x, u) for x, u in zip(inputs, us, strict=True)]
        for i, (y, v) in enumerate(zip(outputs, vs, strict=True)):
            for j, (x, u, by_gradient) in enumerate(zip(inputs, us, self.analytical(y, v), strict=True)):
                by_difference, atol, in_full = numerical[j][i], self.atol, ""
                if u is not None and v is not None:
                    by_difference, by_gradient = by_difference[0] @ v, u @ by_gradient[:, 0]
                    atol *= float(u.sum()) * float(v.sum())
                if np.isclose(by_gradient, by_difference, self.rtol, atol).all():
                    continue
                if self.fast_mode:
                    in_full = (
                        "\n\nThe above quantities relating the numerical and analytical jacobians are computed in fast "
                        "mode: they are u @ jacobian @ v for random unit vectors u and v. In full,\n\n"
                        f"{_mismatch(y, i, j, self.numerical(x)[i], self.analytical(y)[j])}\n\n"
                        "If these differ by little, the check may succeed with fast_mode=False."
                    )
                raise GradcheckError(_mismatch(y, i, j, by_difference, by_gradient) + in_full)

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
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads, but without one for output {position} "
                f"it raised {error!r}; pass check_undefined_grad=False to allow that"
            ) from error

    def numerical(self, x: Any, u: Array | None = None) -> list[Array]:
        """For each output, its Jacobian with respect to the input `x`, `(x.numel(), y.numel())`; or `u` times that."""
        if u is not None:
            rows = [self.difference(x._array, self.eps * u.reshape(x._array.shape))]
        else:
            step = np.asarray(self.eps, x._array.dtype)
            places = [*np.ndindex(x._array.shape)]
            rows = [self.difference(x._array[(*place, ...)], step, f"on index {place} ") for place in places]
        if not rows:
            return [np.zeros((0, y._array.size), y._array.dtype) for y in self.outputs()]
        return [np.stack(rows_of_one) for rows_of_one in zip(*rows, strict=True)]

    def difference(self, place: Array, step: Array, where: str = "") -> list[Array]:
        """How each output, flattened, changes per `eps` while the elements of an input at `place` change by `step`."""
        original = place.copy()
        try:
            place[...] = original - step
            below = [y._array.copy() for y in self.outputs()]
            place[...] = original + step
            above = [y._array.copy() for y in self.outputs()]
        finally:
            place[...] = original
        for a, b in zip(below, above, strict=True):
            for what, one, other in (("shape", Size(a.shape), Size(b.shape)), ("dtype", a.dtype, b.dtype)):
                if one != other:
                    raise AssertionError(
                        f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by "
                        f"{self.eps}, but got: {what}s {one} and {other}."
                    )
        with np.errstate(all="ignore"):
            return [((b - a) / (2 * self.eps)).reshape(-1) for a, b in zip(below, above, strict=True)]

    def outputs(self) -> tuple[Any, ...]:
        """The outputs that have a Jacobian: those that require gradients or, if there are none, all that could."""
        found = _as_tuple(self.func(*self.inputs))
        return _differentiable(found) or tuple([y for y in found if y.is_floating_point()])

    def analytical(self, y: Any, v: Array | None = None) -> list[Array]:
        """For each input, its Jacobian, `(x.numel(), y.numel())`, a column for each cotangent; or that times `v`."""
        cotangents = np.eye(y._array.size, dtype=y._array.dtype) if v is None else v[None]
        first, second = [self.gradients(y, cotangents) for _ in range(2)]
        for one, other in zip(first, second, strict=True):
            if not np.isclose(one, other, 0, self.nondet_tol, equal_nan=True).all():
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    f"gives different values. The tolerance for nondeterminism was {self.nondet_tol}: pass another "
                    "nondet_tol if this is meant."
                )
        return first

    def gradients(self, y: Any, cotangents: Array) -> list[Array]:
        """For each input, `(x.numel(), len(cotangents))`; zeros where `y` does not depend on it."""
        inputs = _differentiable(self.inputs)
        columns = [np.zeros((x._array.size, len(cotangents)), x._array.dtype) for x in inputs]
        for k, cotangent in enumerate(cotangents):
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
            raise GradcheckError(
                f"Analytical gradient has incorrect size: {gradient.shape} for an input of size {x.shape}"
            )
        if self.check_grad_dtypes and gradient._array.dtype != x._array.dtype:
            raise GradcheckError(f"Gradient has dtype mismatch: {gradient.dtype} for an input of dtype {x.dtype}")


def _mismatch(y: Any, i: int, j: int, numerical: Array, analytical: Array) -> str:
    return (
        f"Jacobian mismatch for output {i} with respect to input {j},\n"
        f"numerical:{y._new(numerical)}\nanalytical:{y._new(analytical)}"
    )
