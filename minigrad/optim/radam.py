"""RAdam: Adam that trusts its averages of squares only when they are of enough steps."""

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


class RAdam(ByParameter):
    """Adam with steps that are not divided by anything at first, and rectified later: `w -= lr * m' * r / a`.

    With the averages `m'` and `v` as in Adam, and `t` the number of the step:

        a = (sqrt(v) + eps) / sqrt(1 - beta2 ** t)
        rho = 2 / (1 - beta2) - 1               rho_t = rho - 2 * t * beta2 ** t / (1 - beta2 ** t)
        r = sqrt((rho_t - 4) * (rho_t - 2) * rho / ((rho - 4) * (rho - 2) * rho_t))

    As long as `rho_t <= 5`, `w -= lr * m'`.  With `decoupled_weight_decay`, `w` is multiplied by
    `1 - lr * weight_decay`, and the averages do not see it.  Source: Liu et al. (2020), On the variance of the adaptive
    learning rate and beyond.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = step_counter()
            state["exp_avg"] = zeros_like(parameter)
            state["exp_avg_sq"] = zeros_like(parameter)
        means = (state["exp_avg"], state["exp_avg_sq"])
        lr, decay, (beta1, beta2) = number(group["lr"]), group["weight_decay"], group["betas"]
        count = count_step(state)
        correction2 = 1 - beta2**count
        length = 2 / (1 - beta2) - 1
        length_now = length - 2 * count * beta2**count / correction2
        rectified = length_now > 5.0
        rectifier = 1.0
        if rectified:
            above = (length_now - 4) * (length_now - 2) * length
            rectifier = (above / ((length - 4) * (length - 2) * length_now)) ** 0.5
        weight1, keep2, weight2, correction1, step, root, eps, factor, coupled, decoupled = scalars(
            parameter._array,
            1 - beta1,
            beta2,
            1 - beta2,
            1 - beta1**count,
            lr,
            correction2**0.5,
            group["eps"],
            rectifier,
            decay,
            1 - lr * decay,
        )
        decays_apart = decay != 0 and group["decoupled_weight_decay"]
        decays_along = coupled if decay != 0 and not decays_apart else None
        for s, t, w, g, m, v in blocks(2, parameter, gradient, *means):
            if decays_apart:
                w *= decoupled
            d = descent(g, w, decays_along, group["maximize"], t)
            average(m, d, weight1, s)
            average_square(v, d, keep2, weight2, s)
            np.divide(m, correction1, t)
            t *= step
            if rectified:
                np.sqrt(v, s)
                s += eps
                t *= np.divide(root, s, s)
                t *= factor
            w -= t
        wrote(parameter, *means)
        if decays_apart:
            wrote(parameter)
