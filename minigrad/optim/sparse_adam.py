"""Adam for sparse gradients, of the rows alone that they have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.optim.stepping import ByParameter, Rows, check_learning_rate, number, refuse, scalars, zeros_like
from minigrad.tensor import Tensor


class SparseAdam(ByParameter):
    """Adam of the rows that the sparse gradient has; all others, and what is remembered of them, stay as they are.

    With `g` such a row (its negative to `maximize`), `m`, `v` the same row of the averages, `t` the number of the step:

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        w -= lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + eps)

    The step number counts for all rows alike, also for those that move seldom.  Dense gradients are refused.

    >>> import minigrad as torch
    >>> table = torch.nn.Embedding.from_pretrained(torch.zeros(3, 2), freeze=False, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.5)
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> table.weight.detach()
    tensor([[ 0.0000,  0.0000],
            [-0.5000, -0.5000],
            [ 0.0000,  0.0000]])
    """

    _counts_in_tensors = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_learning_rate(lr)
        refuse(not lr > 0.0, "learning rate", lr)
        refuse(not eps > 0.0, "epsilon value", eps)
        for index, beta in enumerate(betas):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [
            [index, position]
            for index, group in enumerate(self.param_groups)
            for position, parameter in enumerate(group["params"])
            if parameter.is_sparse
        ]
        if places:
            raise ValueError(f"Sparse params at indices {places}: SparseAdam requires dense parameter tensors")

    def _check_sparse(self, group: dict[str, Any]) -> None:
        """Nothing: sparse gradients are what this is for."""

    def _check_dense(self) -> None:
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["exp_avg"] = zeros_like(parameter)
            state["exp_avg_sq"] = zeros_like(parameter)
        state["step"] += 1
        rows = Rows(-gradient if group["maximize"] else gradient)
        g = rows.values
        if not g.size:
            return
        beta1, beta2 = group["betas"]
        correction = math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        step, eps, weight1, weight2 = scalars(g, -number(group["lr"]) * correction, group["eps"], 1 - beta1, 1 - beta2)
        m, v = rows.of(state["exp_avg"]), rows.of(state["exp_avg_sq"])
        m += (g - m) * weight1
        v += (g * g - v) * weight2
        rows.write(state["exp_avg"], m)
        rows.write(state["exp_avg_sq"], v)
        rows.write(parameter, rows.of(parameter) + step * (m / (np.sqrt(v) + eps)))
