"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.dtypes import Array
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


class NAdam(ByParameter):
    """Adam that looks ahead: the step is by the gradient and by the average, each with a weight that grows.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, `t` the number of the step, and the
    averages `m` and `v'` as in Adam:

        mu(t) = beta1 * (1 - 0.96 ** (t * momentum_decay) / 2)      P(t) = mu(1) * … * mu(t)
        d = (1 - mu(t)) / (1 - P(t)) * g + mu(t + 1) / (1 - P(t + 1)) * m
        w -= lr * d / (sqrt(v') + eps)

    With `decoupled_weight_decay`, `w` is multiplied by `1 - lr * weight_decay` instead.  Source: Dozat (2016),
    Incorporating Nesterov momentum into Adam.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        refuse(not momentum_decay >= 0.0, "momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = step_counter()
            state["mu_product"] = step_counter(count=1.0)
            state["exp_avg"] = zeros_like(parameter)
            state["exp_avg_sq"] = zeros_like(parameter)
        means, product = (state["exp_avg"], state["exp_avg_sq"]), state["mu_product"]
        lr, decay, (beta1, beta2) = number(group["lr"]), group["weight_decay"], group["betas"]
        count = count_step(state)
        now, then = [beta1 * (1.0 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (count, count + 1)]
        product._array[()] *= now
        so_far = product._array.item()
        weight1, keep2, weight2, correction, eps, by_gradient, by_average, coupled, decoupled = scalars(
            parameter._array,
            1 - beta1,
            beta2,
            1 - beta2,
            1 - beta2**count,
            group["eps"],
            -lr * (1.0 - now) / (1.0 - so_far),
            -lr * then / (1.0 - so_far * then),
            decay,
            1 - lr * decay,
        )
        decays_apart = decay != 0 and group["decoupled_weight_decay"]
        decays_along = coupled if decay != 0 and not decays_apart else None
        for s, t, u, w, g, m, v in blocks(3, parameter, gradient, *means):
            if decays_apart:
                w *= decoupled
            d = descent(g, w, decays_along, group["maximize"], t)
            average(m, d, weight1, s)
            average_square(v, d, keep2, weight2, s)
            np.sqrt(np.divide(v, correction, s), s)
            s += eps
            _add_quotient(w, d, by_gradient, s, u)
            _add_quotient(w, m, by_average, s, u)
        # PyTorch writes to the parameter for the gradient, for the average, and for a weight decay apart.
        wrote(parameter, parameter, product, *means)
        if decays_apart:
            wrote(parameter)


def _add_quotient(w: Array, above: Array, factor: Array, below: Array, s: Array) -> None:
    """`w += factor * above / below`."""
    np.multiply(above, factor, s)
    s /= below
    w += s
