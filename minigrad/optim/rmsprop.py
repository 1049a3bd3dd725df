"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.optim.stepping import (
    ByParameter,
    average,
    average_square,
    blocks,
    check_learning_rate,
    count_step,
    descent,
    number,
    refuse,
    scalars,
    step_counter,
    wrote,
    zeros_like,
)
from minigrad.tensor import Tensor


class RMSprop(ByParameter):
    """Steps divided by the root of a running mean of squared gradients: `w -= lr * g / (sqrt(v) + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

        v = alpha * v + (1 - alpha) * g * g

    centered
        `v - a * a`, an estimate of the variance, takes the place of `v` in the step; `a = alpha * a + (1 - alpha) * g`.
    with momentum
        `b = momentum * b + g / (sqrt(v) + eps)` and `w -= lr * b`.

    Sources: Tieleman and Hinton (2012), lecture 6.5 of Neural networks for machine learning; Graves (2013) for the
    centered form.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.RMSprop([x], lr=0.5, alpha=0.75).step()
    >>> x
    tensor([ 0., 99.], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        refuse(not lr >= 0.0, "learning rate", lr)
        refuse(not eps >= 0.0, "epsilon value", eps)
        refuse(not momentum >= 0.0, "momentum value", momentum)
        refuse(not weight_decay >= 0.0, "weight_decay value", weight_decay)
        refuse(not alpha >= 0.0, "alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state, centered, momentum, decay = (
            self.state[parameter],
            group["centered"],
            group["momentum"],
            group["weight_decay"],
        )
        names = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(centered)]
        if not state:
            state["step"] = step_counter()
            for name in names:
                state[name] = zeros_like(parameter)
        count_step(state)
        kept = [state[name] for name in names]
        alpha, weight, eps, keep, step, shrink = scalars(
            parameter._array, group["alpha"], 1 - group["alpha"], group["eps"], momentum, -number(group["lr"]), decay
        )
        for s, t, u, w, g, v, *more in blocks(3, parameter, gradient, *kept):
            d = descent(g, w, shrink if decay != 0 else None, group["maximize"], t)
            average_square(v, d, alpha, weight, s)
            if centered:
                mean = more[-1]
                average(mean, d, weight, s)
                np.multiply(mean, mean, s)
                np.sqrt(np.subtract(v, s, s), s)
            else:
                np.sqrt(v, s)
            s += eps
            if momentum > 0:
                b = more[0]
                b *= keep
                b += np.divide(d, s, u)
                w += np.multiply(b, step, s)
            else:
                np.multiply(d, step, u)
                u /= s
                w += u
        wrote(parameter, *kept)
