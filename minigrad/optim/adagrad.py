"""Adagrad."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.optim.stepping import (
    ByParameter,
    Rows,
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
from minigrad.tensor import Tensor, new_leaf


class Adagrad(ByParameter):
    """Steps divided by the root of the sum of all squared gradients: `w -= lr' * g / (sqrt(v) + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, and `t` the number of the step:

        v = v + g * g                           lr' = lr / (1 + (t - 1) * lr_decay)

    where `v` starts as `initial_accumulator_value`.  An element whose gradient is 0 stays where it is; of a sparse
    gradient, only the rows that it has are read and written.  Source: Duchi, Hazan and Singer (2011), Adaptive
    subgradient methods for online learning and stochastic optimization.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.Adagrad([x], lr=0.5).step()
    >>> x
    tensor([ 0.5000, 99.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        refuse(not lr >= 0.0, "learning rate", lr)
        refuse(not lr_decay >= 0.0, "lr_decay value", lr_decay)
        refuse(not weight_decay >= 0.0, "weight_decay value", weight_decay)
        refuse(not initial_accumulator_value >= 0.0, "initial_accumulator_value value", initial_accumulator_value)
        refuse(not eps >= 0.0, "epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._remember(parameter, group)

    def _remember(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """What is remembered of a parameter, made now if there is nothing yet."""
        state: dict[str, Any] = self.state[parameter]
        if not state:
            start = self.defaults["initial_accumulator_value"]
            state["step"] = step_counter(group["fused"])
            state["sum"] = new_leaf(np.full_like(parameter._array, start)) if start else zeros_like(parameter)
        return state

    def _check_sparse(self, group: dict[str, Any]) -> None:
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param: leave out fused=True")
        if group["weight_decay"] != 0:
            raise RuntimeError(
                "weight_decay option is not compatible with sparse gradients: it moves all rows, and a sparse gradient "
                "only some; set weight_decay=0"
            )

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state = self._remember(parameter, group)
        total, decay = state["sum"], group["weight_decay"]
        lr = number(group["lr"]) / (1 + (count_step(state) - 1) * group["lr_decay"])
        step, eps, shrink = scalars(parameter._array, -lr, group["eps"], decay)
        if gradient.is_sparse:
            rows = Rows(-gradient if group["maximize"] else gradient)
            squares = rows.of(total) + rows.values * rows.values
            rows.write(total, squares)
            rows.write(parameter, rows.of(parameter) + step * (rows.values / (np.sqrt(squares) + eps)))
            return
        for s, t, w, g, v in blocks(2, parameter, gradient, total):
            d = descent(g, w, shrink if decay != 0 else None, group["maximize"], t)
            v += np.multiply(d, d, s)
            np.sqrt(v, s)
            s += eps
            np.multiply(d, step, t)
            t /= s
            w += t
        wrote(parameter, total)
