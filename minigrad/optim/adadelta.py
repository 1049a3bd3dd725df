"""Adadelta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.optim.stepping import (
    ByParameter,
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


class Adadelta(ByParameter):
    """Steps as large as the steps before were, over as large as the gradients were: `w -= lr * d`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

        v = rho * v + (1 - rho) * g * g
        d = sqrt(u + eps) / sqrt(v + eps) * g
        u = rho * u + (1 - rho) * d * d

    Source: Zeiler (2012), ADADELTA: an adaptive learning rate method.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        refuse(not lr >= 0.0, "learning rate", lr)
        refuse(not 0.0 <= rho <= 1.0, "rho value", rho)
        refuse(not eps >= 0.0, "epsilon value", eps)
        refuse(not weight_decay >= 0.0, "weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state, decay = self.state[parameter], group["weight_decay"]
        if not state:
            state["step"] = step_counter()
            state["square_avg"] = zeros_like(parameter)
            state["acc_delta"] = zeros_like(parameter)
        count_step(state)
        means = (state["square_avg"], state["acc_delta"])
        rho, weight, eps, step, shrink = scalars(
            parameter._array, group["rho"], 1 - group["rho"], group["eps"], -number(group["lr"]), decay
        )
        for s, t, delta, w, g, v, u in blocks(3, parameter, gradient, *means):
            d = descent(g, w, shrink if decay != 0 else None, group["maximize"], t)
            average_square(v, d, rho, weight, s)
            np.sqrt(np.add(u, eps, delta), delta)
            delta /= np.sqrt(np.add(v, eps, s), s)
            delta *= d
            average_square(u, delta, rho, weight, s)
            w += np.multiply(delta, step, s)
        wrote(parameter, *means)
