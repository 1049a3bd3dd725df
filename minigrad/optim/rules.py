"""The rules: how a parameter moves by its gradient, in SGD, Adam and their like."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.core.modes import no_grad
from minigrad.optim.optimizer import Group
from minigrad.optim.stepping import (
    ByParameter,
    Rate,
    Rows,
    average,
    average_square,
    blocks,
    computed_in,
    descent,
    filled_like,
    number,
    refuse,
    step_counter,
    wrote,
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
        lr: Rate = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Rate = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        self._begin(locals())

    def _check_gradient(self, sparse: bool, group: Group) -> None:
        if sparse and group["weight_decay"] != 0:
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead. Here: weight_decay moves all "
                "rows, and a sparse gradient only some; set weight_decay=0"
            )

    def _move(self, parameter: Tensor, gradient: Any, group: Group) -> None:
        lr, momentum, decay = number(group["lr"]), group["momentum"], number(group["weight_decay"])
        if gradient.is_sparse:
            d = -gradient if group["maximize"] else gradient
            (d if momentum == 0 else self._rows_with_momentum(parameter, d, group)).add_into(parameter._array, -lr)
        elif momentum == 0:
            kind, sign = computed_in(parameter._array), -1 if group["maximize"] else 1
            for s, w, g in blocks(1, parameter, gradient):
                w += np.multiply(descent(g, w, sign * decay, False, s, kind), np.array(-sign * lr, kind), s)
        else:
            self._move_with_momentum(parameter, gradient, group, lr, momentum, decay)
        wrote(parameter)

    def _move_with_momentum(
        self, parameter: Tensor, gradient: Tensor, group: Group, lr: float, momentum: float, decay: float
    ) -> None:
        state, kind = self.state[parameter], computed_in(parameter._array)
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = filled_like(parameter)
        for s, t, w, g, b in blocks(2, parameter, gradient, state["momentum_buffer"]):
            d = descent(g, w, decay, group["maximize"], t, kind)
            if first:
                b[...] = d
            else:
                b *= np.array(momentum, kind)
                b += np.multiply(d, np.array(1 - group["dampening"], kind), s)
            d = np.add(d, np.multiply(b, np.array(momentum, kind), s), t) if group["nesterov"] else b
            w += np.multiply(d, np.array(-lr, kind), s)
        wrote(state["momentum_buffer"])

    @no_grad()
    def _rows_with_momentum(self, parameter: Tensor, d: Any, group: Group) -> Any:
        """The sparse direction that momentum makes of `d`: of the rows that it has, or that any has had so far."""
        momentum, state, d = group["momentum"], self.state[parameter], d.coalesce()
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = d.detach().clone()
        else:
            state["momentum_buffer"].mul_(momentum).add_(d, alpha=1 - group["dampening"])
        buffer = state["momentum_buffer"]
        return d.add(buffer, alpha=momentum) if group["nesterov"] else buffer


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

    _order = (
        *("lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach"),
        *("capturable", "differentiable", "fused", "decoupled_weight_decay"),
    )

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-3,
        betas: tuple[Rate, Rate] = (0.9, 0.999),
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
        self._begin(locals())

    def _begin(self, given: dict[str, Any]) -> None:
        betas = given["betas"]
        if not any([isinstance(betas[0], kind) and isinstance(betas[1], kind) for kind in (float, Tensor)]):
            raise ValueError("betas must be either both floats or both Tensors")
        given["betas"] = tuple([beta.squeeze() if isinstance(beta, Tensor) else beta for beta in betas])
        super()._begin(given)

    def _check_gradient(self, sparse: bool, group: Group) -> None:
        if sparse:
            raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _move(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")
        count, kept = self._remembered(parameter, *names)
        lr, decay, kind = number(group["lr"]), group["weight_decay"], computed_in(parameter._array)
        beta1, beta2 = [number(beta) for beta in group["betas"]]
        step, root, eps = (
            np.array(-lr / (1 - beta1**count), kind),
            np.array((1 - beta2**count) ** 0.5, kind),
            np.array(group["eps"], kind),
        )
        decays_apart = decay != 0 and group["decoupled_weight_decay"]
        for s, t, w, g, m, v, *largest in blocks(2, parameter, gradient, *kept):
            if decays_apart:
                w *= np.array(1 - lr * decay, kind)
            d = descent(g, w, 0 if decays_apart else decay, group["maximize"], t, kind)
            average(m, d, beta1, s, kind)
            average_square(v, d, beta2, s, kind)
            np.sqrt(np.maximum(largest[0], v, out=largest[0]) if largest else v, s)
            s /= root
            s += eps
            np.multiply(m, step, t)
            t /= s
            w += t
        wrote(parameter, *kept)
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
        lr: Rate = 1e-3,
        betas: tuple[Rate, Rate] = (0.9, 0.999),
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
        self._begin(locals() | {"decoupled_weight_decay": True})

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


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

    _order = (
        *("lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value"),
        *("foreach", "maximize", "differentiable", "fused"),
    )

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-2,
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
        self._begin(locals())

    def add_param_group(self, param_group: Group) -> None:
        """Let the parameters of one more group move; what is remembered of them begins at once."""
        super().add_param_group(param_group)
        for parameter in param_group["params"]:
            total = filled_like(parameter, self.defaults["initial_accumulator_value"])
            self.state[parameter] = {"step": step_counter(), "sum": total}

    def _check_gradient(self, sparse: bool, group: Group) -> None:
        if sparse and group["weight_decay"] != 0:
            raise RuntimeError(
                "weight_decay option is not compatible with sparse gradients: it moves all rows, and a sparse gradient "
                "only some; set weight_decay=0"
            )

    def _move(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        count, (total,) = self._remembered(parameter, "sum")
        kind = computed_in(parameter._array)
        step, eps = (
            np.array(-number(group["lr"]) / (1 + (count - 1) * group["lr_decay"]), kind),
            np.array(group["eps"], kind),
        )
        if gradient.is_sparse:
            rows = Rows(-gradient if group["maximize"] else gradient)
            squares = rows.of(total) + rows.values * rows.values
            rows.write(total, squares)
            rows.write(parameter, rows.of(parameter) + step * (rows.values / (np.sqrt(squares) + eps)))
            return
        for s, t, w, g, v in blocks(2, parameter, gradient, total):
            d = descent(g, w, group["weight_decay"], group["maximize"], t, kind)
            v += np.multiply(d, d, s)
            np.sqrt(v, s)
            s += eps
            np.multiply(d, step, t)
            t /= s
            w += t
        wrote(parameter, total)


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

    _order = (
        *("lr", "momentum", "alpha", "eps", "centered", "weight_decay"),
        *("capturable", "foreach", "maximize", "differentiable"),
    )

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-2,
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
        self._begin(locals())

    def _move(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        centered, momentum, alpha = group["centered"], group["momentum"], group["alpha"]
        names = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(centered)]
        _, kept = self._remembered(parameter, *names)
        kind = computed_in(parameter._array)
        step, eps = np.array(-number(group["lr"]), kind), np.array(group["eps"], kind)
        for s, t, u, w, g, v, *more in blocks(3, parameter, gradient, *kept):
            d = descent(g, w, group["weight_decay"], group["maximize"], t, kind)
            average_square(v, d, alpha, s, kind)
            if centered:
                mean = more[-1]
                average(mean, d, alpha, s, kind)
                np.multiply(mean, mean, s)
                np.sqrt(np.subtract(v, s, s), s)
            else:
                np.sqrt(v, s)
            s += eps
            if momentum > 0:
                b = more[0]
                b *= np.array(momentum, kind)
                b += np.divide(d, s, u)
                w += np.multiply(b, step, s)
            else:
                np.multiply(d, step, u)
                u /= s
                w += u
        wrote(parameter, *kept)


class Adadelta(ByParameter):
    """Steps as large as the steps before were, over as large as the gradients were: `w -= lr * d`.

    With `g` the gradient (its negative to `maximize`) plus `weight_decay * w`:

        v = rho * v + (1 - rho) * g * g
        d = sqrt(u + eps) / sqrt(v + eps) * g
        u = rho * u + (1 - rho) * d * d

    Source: Zeiler (2012), ADADELTA: an adaptive learning rate method.
    """

    _order = ("lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach", "differentiable")

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        refuse(not rho <= 1.0, "rho value", rho)
        self._begin(locals())

    def _move(self, parameter: Tensor, gradient: Any, group: Group) -> None:
        _, kept = self._remembered(parameter, "square_avg", "acc_delta")
        rho, kind = group["rho"], computed_in(parameter._array)
        eps, step = np.array(group["eps"], kind), np.array(-number(group["lr"]), kind)
        for s, t, delta, w, g, v, u in blocks(3, parameter, gradient, *kept):
            d = descent(g, w, group["weight_decay"], group["maximize"], t, kind)
            average_square(v, d, rho, s, kind)
            np.sqrt(np.add(u, eps, delta), delta)
            delta /= np.sqrt(np.add(v, eps, s), s)
            delta *= d
            average_square(u, delta, rho, s, kind)
            w += np.multiply(delta, step, s)
        wrote(parameter, *kept)


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

    def __init__(
        self,
        params: Iterable[Any],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        refuse(lr == 0.0, "learning rate", lr)
        refuse(eps == 0.0, "epsilon value", eps)
        self._begin(locals())

    def _check_gradient(self, sparse: bool, group: Group) -> None:
        if not sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _move(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        state = self.state[parameter]
        if not state:
            state |= {"step": 0, "exp_avg": filled_like(parameter), "exp_avg_sq": filled_like(parameter)}
        state["step"] += 1
        rows = Rows(-gradient if group["maximize"] else gradient)
        g = rows.values
        if not g.size:
            return
        beta1, beta2 = group["betas"]
        correction = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        kind = computed_in(g)
        m, v = rows.of(state["exp_avg"]), rows.of(state["exp_avg_sq"])
        m += (g - m) * np.array(1 - beta1, kind)
        v += (g * g - v) * np.array(1 - beta2, kind)
        rows.write(state["exp_avg"], m)
        rows.write(state["exp_avg_sq"], v)
        step = np.array(-number(group["lr"]) * correction, kind) * (m / (np.sqrt(v) + np.array(group["eps"], kind)))
        rows.write(parameter, rows.of(parameter) + step)
