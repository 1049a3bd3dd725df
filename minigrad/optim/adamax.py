"""Adamax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.optim.stepping import (
    ByParameter,
    average,
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


class Adamax(ByParameter):
    """Adam with the largest gradient, which fades, in place of the root of their mean square: `w -= lr * m' / u`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, and `t` the number of the step:

        m = beta1 * m + (1 - beta1) * g         m' = m / (1 - beta1 ** t)
        u = max(beta2 * u, |g| + eps)

    Source: Kingma and Ba (2015), Adam, section 7.1.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        refuse(not lr >= 0.0, "learning rate", lr)
        refuse(not eps >= 0.0, "epsilon value", eps)
        for index, beta in enumerate(betas):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        refuse(not weight_decay >= 0.0, "weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state, decay = self.state[parameter], group["weight_decay"]
        if not state:
            state["step"] = step_counter()
            state["exp_avg"] = zeros_like(parameter)
            state["exp_inf"] = zeros_like(parameter)
        means = (state["exp_avg"], state["exp_inf"])
        beta1, beta2 = group["betas"]
        lr = number(group["lr"]) / (1 - beta1 ** count_step(state))
        weight, keep, eps, step, shrink = scalars(parameter._array, 1 - beta1, beta2, group["eps"], -lr, decay)
        for s, t, w, g, m, u in blocks(2, parameter, gradient, *means):
            d = descent(g, w, shrink if decay != 0 else None, group["maximize"], t)
            average(m, d, weight, s)
            u *= keep
            np.absolute(d, s)
            s += eps
            np.maximum(u, s, out=u)
            np.multiply(m, step, s)
            s /= u
            w += s
        wrote(parameter, *means)
