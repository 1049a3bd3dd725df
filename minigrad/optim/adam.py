"""Adam, and AdamW, whose weight decay bypasses the averages."""

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

Betas = tuple[float | Tensor, float | Tensor]


class Adam(ByParameter):
    """Steps of about `lr` for each element: `w -= lr * m' / (sqrt(v') + eps)`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`, and `t` the number of the step:

        m = beta1 * m + (1 - beta1) * g         m' = m / (1 - beta1 ** t)
        v = beta2 * v + (1 - beta2) * g * g     v' = v / (1 - beta2 ** t)

    With `amsgrad`, the largest `v` so far takes the place of `v` in `v'`; with `decoupled_weight_decay`, see AdamW.
    All elements move on, also those whose gradient is 0 now and was not before: see "Which rows move?" in the
    documents.  Sources: Kingma and Ba (2015); Reddi, Kale and Kumar (2018) for `amsgrad`.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 100.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> torch.optim.Adam([x], lr=0.5).step()
    >>> x
    tensor([ 0.5000, 99.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_learning_rate(lr)
        refuse(not lr >= 0.0, "learning rate", lr)
        refuse(not eps >= 0.0, "epsilon value", eps)
        for index, beta in enumerate(betas):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        refuse(not weight_decay >= 0.0, "weight_decay value", weight_decay)
        if not any([isinstance(betas[0], kind) and isinstance(betas[1], kind) for kind in (float, Tensor)]):
            raise ValueError("betas must be either both floats or both Tensors")
        for index, beta in enumerate(betas):
            if isinstance(beta, Tensor):
                if foreach and not capturable:
                    raise ValueError(
                        f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{index}] must be 1-element")
        defaults = {
            "lr": lr,
            "betas": tuple([beta.squeeze() if isinstance(beta, Tensor) else beta for beta in betas]),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _check_sparse(self, group: dict[str, Any]) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _move(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = step_counter(group["fused"])
            state["exp_avg"] = zeros_like(parameter)
            state["exp_avg_sq"] = zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(parameter)
        means = [state["exp_avg"], state["exp_avg_sq"]]
        if group["amsgrad"]:
            means.append(state["max_exp_avg_sq"])
        lr, decay = number(group["lr"]), group["weight_decay"]
        beta1, beta2 = [number(beta) for beta in group["betas"]]
        count = count_step(state)
        step, root, eps, weight1, keep2, weight2, coupled, decoupled = scalars(
            parameter._array,
            -lr / (1 - beta1**count),
            (1 - beta2**count) ** 0.5,
            group["eps"],
            1 - beta1,
            beta2,
            1 - beta2,
            decay,
            1 - lr * decay,
        )
        decays_apart = decay != 0 and group["decoupled_weight_decay"]
        decays_along = coupled if decay != 0 and not decays_apart else None
        for s, t, w, g, m, v, *largest in blocks(2, parameter, gradient, *means):
            if decays_apart:
                w *= decoupled
            d = descent(g, w, decays_along, group["maximize"], t)
            average(m, d, weight1, s)
            average_square(v, d, keep2, weight2, s)
            np.sqrt(np.maximum(largest[0], v, out=largest[0]) if largest else v, s)
            s /= root
            s += eps
            np.multiply(m, step, t)
            t /= s
            w += t
        wrote(parameter, *means)
        if decays_apart:
            # PyTorch writes to the parameter twice, and counts two writes.
            wrote(parameter)


class AdamW(Adam):
    """Adam whose weight decay is a step of its own, `w -= lr * weight_decay * w`, which the averages do not see.

    Source: Loshchilov and Hutter (2019), Decoupled weight decay regularization.

    >>> import minigrad as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> x.grad = torch.zeros(1)
    >>> torch.optim.AdamW([x], lr=0.5, weight_decay=0.5).step()
    >>> x
    tensor([1.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
