"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.optim.stepping import (
    ByParameter,
    blocks,
    check_learning_rate,
    descent,
    number,
    refuse,
    scalars,
    wrote,
    zeros_like,
)
from minigrad.tensor import Tensor


class SGD(ByParameter):
    """Down the gradient: `w -= lr * d`, where `d` is the gradient, or what momentum makes of it.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

    without momentum
        `d = g`.
    with momentum
        `b = momentum * b + (1 - dampening) * g`, where `b = g` at first, and `d = b`.
    with `nesterov`
        `d = g + momentum * b`.

    A sparse gradient moves the rows that it has, with momentum those that any has had: see "Which rows move?" in
    the documents.  Source: Sutskever et al. (2013), On the importance of initialization and momentum in deep
    learning; with `lr` outside of the velocity, as PyTorch has it.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.25, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x * x).sum().backward()
    ...     optimizer.step()
    >>> x
    tensor([0., 0.], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        refuse(lr < 0.0, "learning rate", lr)
        refuse(momentum < 0.0, "momentum value", momentum)
        refuse(weight_decay < 0.0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _check_sparse(self, group: dict[str, Any]) -> None:
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients: leave out fused=True")
        if group["weight_decay"] != 0:
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead. Here: weight_decay moves all "
                "rows, and a sparse gradient only some; set weight_decay=0"
            )

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        lr, momentum, decay = number(group["lr"]), group["momentum"], number(group["weight_decay"])
        if gradient.is_sparse:
            d = -gradient if group["maximize"] else gradient
            (d if momentum == 0 else self._rows_with_momentum(parameter, d, group)).add_into(parameter._array, -lr)
        elif momentum == 0 and decay == 0:
            (step,) = scalars(parameter._array, lr if group["maximize"] else -lr)
            for s, w, g in blocks(1, parameter, gradient):
                w += np.multiply(g, step, s)
        elif momentum == 0:
            step, shrink = scalars(parameter._array, -lr, decay)
            for s, w, g in blocks(1, parameter, gradient):
                w += np.multiply(descent(g, w, shrink, group["maximize"], s), step, s)
        else:
            self._move_with_momentum(parameter, gradient, group)
        wrote(parameter)

    def _move_with_momentum(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state, decay = self.state[parameter], number(group["weight_decay"])
        step, keep, add, shrink = scalars(
            parameter._array, -number(group["lr"]), group["momentum"], 1 - group["dampening"], decay
        )
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = zeros_like(parameter)
        for s, t, w, g, b in blocks(2, parameter, gradient, state["momentum_buffer"]):
            d = descent(g, w, shrink if decay != 0 else None, group["maximize"], t)
            if first:
                b[...] = d
            else:
                b *= keep
                b += np.multiply(d, add, s)
            d = np.add(d, np.multiply(b, keep, s), t) if group["nesterov"] else b
            w += np.multiply(d, step, s)
        wrote(state["momentum_buffer"])

    @no_grad()
    def _rows_with_momentum(self, parameter: Tensor, d: Any, group: dict[str, Any]) -> Any:
        """The sparse direction that momentum makes of `d`: of the rows that it has, or that any has had so far."""
        momentum, state, d = group["momentum"], self.state[parameter], d.coalesce()
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = d.detach().clone()
        else:
            state["momentum_buffer"].mul_(momentum).add_(d, alpha=1 - group["dampening"])
        buffer = state["momentum_buffer"]
        return d.add(buffer, alpha=momentum) if group["nesterov"] else buffer
