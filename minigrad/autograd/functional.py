"""Derivatives of functions as wholes: Jacobians, Hessians, and products of Jacobians with vectors.

For `y = f(x)`, the Jacobian has the shape `(*y.shape, *x.shape)`: a row for each element of `y`, its gradient.  Where
`f` takes or returns a tuple, so are they.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from minigrad.core.modes import enable_grad
from minigrad.core.tensor import Tensor
from minigrad.core.walk import grad
from minigrad.ops.shapes import stack
from minigrad.tensors.creation import eye, ones_like, zeros_like
from minigrad.tensors.errors import advised

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
