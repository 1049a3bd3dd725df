"""The rules: how a parameter moves by its gradient, in SGD, Adam and their like.

Parameters move in blocks that stay in the cache.  Each rule works on NumPy arrays in the order of operations of
PyTorch's loop over tensors, so that float32 results differ by the rounding of fused multiply-adds at the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, computed_in
from minigrad.core.modes import enable_grad, no_grad
from minigrad.core.tape import quiet
from minigrad.core.tensor import storage_of
from minigrad.ops.array_indexing import read_at, write_at
from minigrad.ops.blocks import BLOCK, row_blocks
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor
from minigrad.tensors.options import new_leaf

Rate = float | Tensor

# Options that are numbers and not negative, and what errors call them, where that is not their name.
_NUMBERS = ("lr", "lr_decay", "rho", "alpha", "eps", "momentum", "weight_decay", "initial_accumulator_value")
_CALLED = {"lr": "learning rate", "eps": "epsilon value"}

# What is remembered from the first step on where an option is on.
_KEPT_FOR = {"amsgrad": "max_exp_avg_sq", "momentum": "momentum_buffer", "centered": "grad_avg"}


class ByParameter(Optimizer):
    """An optimiser whose parameters move one after the other, each by its gradient and what is remembered of it.

    The options of a subclass are the arguments of its `__init__`, which hands them all on to `_begin`; in `_move` it
    says how a parameter moves.  `foreach` and `fused` choose between PyTorch's ways to compute the same step: here
    there is one.
    """

    #: The options as PyTorch orders them in a state dict, where that is not the order of the arguments.
    _order: ClassVar[tuple[str, ...]] = ()

    def _begin(self, given: dict[str, Any]) -> None:
        """Check the options, all `given` arguments after `self` and `params`, and take them for the defaults."""
        options = {name: given[name] for name in self._order or [*given][2:]}
        for name, value in _numbers_of(options).items():
            if name in _NUMBERS:
                refuse(not value >= 0.0, _CALLED.get(name, f"{name} value"), options[name])
            if name in ("capturable", "differentiable") and value:
                words = f"{type(self).__name__}({name}=True) is not supported here: steps are neither captured nor"
                remedy = "Write the update as operations on tensors, parameter = parameter - lr * gradient"
                raise NotImplementedError(f"{words} recorded. {remedy}")
        for index, beta in enumerate(options.get("betas", ())):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        super().__init__(given["params"], options)

    def add_param_group(self, param_group: Group) -> None:
        """Let the parameters of one more group move, by the options it gives and the defaults of others."""
        if isinstance(param_group, dict):
            _numbers_of(param_group)
        super().add_param_group(param_group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move each parameter that has a gradient; what `closure`, called before to compute the gradients, returned.

        Where one of them cannot move, none does: what stands in the way is found before the first one moves.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        moving = []
        for group in self.param_groups:
            options = _numbers_of(group)
            for parameter in group["params"]:
                gradient = parameter._grad
                if gradient is not None:
                    if not parameter._array.flags.writeable:
                        parameter._check_writable()
                    self._check_gradient(gradient.is_sparse, options)
                    self._check_fit(parameter, gradient, options)
                    moving.append((parameter, gradient, options))
        quiet().run(self._move_all, moving)
        return loss

    def _check_gradient(self, sparse: bool, options: Group) -> None:
        """Nothing if a parameter can move by a sparse, or a dense, gradient with these options; else a RuntimeError."""
        if sparse:
            raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _check_fit(self, parameter: Tensor, gradient: Any, options: Group) -> None:
        """Nothing if the gradient, and what is remembered, fit the parameter and the options as they are today.

        Errors: RuntimeError for the parameter, KeyError for an option.
        """
        array, state = parameter._array, self.state.get(parameter, {})
        # What is remembered was made at once: the last of it tells of all.
        last = next(reversed(state.values())) if state else None
        for made in (gradient, last):
            if type(made) is Tensor and made._array.shape != array.shape:
                problem = f"The size of tensor a {array.shape} must match the size of tensor b {made._array.shape}"
                raise RuntimeError(f"{problem}: the parameter has another shape than when that was made")
        if type(last) is Tensor and last._array.dtype != array.dtype and {"exp_avg", "grad_avg"} & state.keys():
            problem = f"expected dtype {last.dtype._c_name} for `end` but got dtype {parameter.dtype._c_name}"
            raise RuntimeError(f"{problem}: convert a model before its optimizer is made")
        for option, name in _KEPT_FOR.items():
            # SGD, which counts no steps, begins to remember when momentum is turned on.
            if options.get(option) and "step" in state and name not in state:
                raise KeyError(f"{name}: {option} was turned on after the first step. Make a new optimizer with it")

    def _move_all(self, moving: list[tuple[Tensor, Any, Group]]) -> None:
        for parameter, gradient, options in moving:
            self._move(parameter, gradient, options)

    def _move(self, parameter: Tensor, gradient: Any, options: Group) -> None:
        """Move one parameter by its gradient and the options of its group, whose numbers are Python's."""
        raise NotImplementedError

    def _remembered(self, parameter: Tensor, *names: str) -> tuple[float, list[Tensor]]:
        """The number of the step that begins, and the tensors remembered by these names, which are zeros at first."""
        state = self.state[parameter]
        if not state:
            # All at once: an interrupt may come between two lines.
            state |= {"step": step_counter(), **{name: filled_like(parameter) for name in names}}
        counter = state["step"]
        count: float = counter._array.item() + 1
        counter._array[()] = count
        wrote(counter)
        return count, [state[name] for name in names]

    def __setstate__(self, state: dict[str, Any]) -> None:
        for parameter, remembered in state["state"].items():
            for name, value in remembered.items():
                if isinstance(value, Tensor) and name != "step" and value.shape != parameter.shape:
                    sizes = f"{tuple(value.shape)} for a parameter of shape {tuple(parameter.shape)}"
                    raise ValueError(f"loaded state dict has {name!r} of shape {sizes}: it is that of another model")
        super().__setstate__(state)


def refuse(wrong: object, option: str, value: object) -> None:
    """A ValueError that names an option and its value, if that is `wrong`."""
    if wrong:
        raise ValueError(f"Invalid {option}: {value}")


def _numbers_of(group: Group) -> Group:
    """The options of a group, with Python numbers for those that are numbers or tensors of one element.

    Errors: TypeError for something else, ValueError for betas that are not two.
    """
    options = {**group}
    for name in _NUMBERS:
        if name in options:
            options[name] = _number(name, options[name])
    if "betas" in options:
        options["betas"] = tuple([_number("betas", beta) for beta in options["betas"]])
        refuse(len(options["betas"]) != 2, "betas, which are two", options["betas"])
    return options


def _number(name: str, value: Any) -> float:
    if isinstance(value, Tensor):
        if value.numel() != 1 and name == "lr":
            raise ValueError(f"Tensor lr must be 1-element, but it has shape {tuple(value.shape)}")
        if value.numel() != 1:
            raise RuntimeError(f"Boolean value of Tensor with more than one value is ambiguous: {name} is one number")
        value = value._array.item()
    elif not isinstance(value, float | int | np.number):
        called = _CALLED.get(name, name)
        raise TypeError(f"the {called} has to be a number or a tensor of one element, such as 1e-3, not {value!r}")
    number: float = value
    return number


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

    def _check_gradient(self, sparse: bool, options: Group) -> None:
        if sparse and options["weight_decay"] != 0:
            problem = (
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead. Here: weight_decay moves all"
            )
            raise RuntimeError(f"{problem} rows, and a sparse gradient only some; set weight_decay=0")

    def _move(self, parameter: Tensor, gradient: Any, options: Group) -> None:
        lr, momentum, decay = options["lr"], options["momentum"], options["weight_decay"]
        if gradient.is_sparse:
            d = -gradient if options["maximize"] else gradient
            (d if momentum == 0 else self._rows_with_momentum(parameter, d, options)).add_into(parameter._array, -lr)
        elif momentum == 0:
            kind, sign = computed_in(parameter._array.dtype), -1 if options["maximize"] else 1
            for s, w, g in blocks(1, parameter, gradient):
                w += np.multiply(descent(g, w, sign * decay, False, s, kind), np.array(-sign * lr, kind), s)
        else:
            self._move_with_momentum(parameter, gradient, options)
        wrote(parameter)

    def _move_with_momentum(self, parameter: Tensor, gradient: Tensor, options: Group) -> None:
        state, kind = self.state[parameter], computed_in(parameter._array.dtype)
        first = state.get("momentum_buffer") is None
        buffer = filled_like(parameter) if first else state["momentum_buffer"]
        momentum, step = np.array(options["momentum"], kind), np.array(-options["lr"], kind)
        for s, t, w, g, b in blocks(2, parameter, gradient, buffer):
            d = descent(g, w, options["weight_decay"], options["maximize"], t, kind)
            if first:
                b[...] = d
            else:
                b *= momentum
                b += d if options["dampening"] == 0 else np.multiply(d, np.array(1 - options["dampening"], kind), s)
            d = np.add(d, np.multiply(b, momentum, s), t) if options["nesterov"] else b
            w += np.multiply(d, step, s)
        state["momentum_buffer"] = buffer
        wrote(buffer)

    @no_grad()
    def _rows_with_momentum(self, parameter: Tensor, d: Any, options: Group) -> Any:
        """The sparse direction that momentum makes of `d`: of the rows that it has, or that any has had so far."""
        momentum, state, d = options["momentum"], self.state[parameter], d.coalesce()
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = d.detach().clone()
        else:
            state["momentum_buffer"].mul_(momentum).add_(d, alpha=1 - options["dampening"])
        buffer = state["momentum_buffer"]
        return d.add(buffer, alpha=momentum) if options["nesterov"] else buffer


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

    def _check_gradient(self, sparse: bool, options: Group) -> None:
        if sparse:
            raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _move(self, parameter: Tensor, gradient: Tensor, options: Group) -> None:
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if options["amsgrad"] else ("exp_avg", "exp_avg_sq")
        count, kept = self._remembered(parameter, *names)
        lr, decay, kind = options["lr"], options["weight_decay"], computed_in(parameter._array.dtype)
        beta1, beta2 = options["betas"]
        step, root, eps = (
            np.array(-lr / (1 - beta1**count), kind),
            np.array((1 - beta2**count) ** 0.5, kind),
            np.array(options["eps"], kind),
        )
        decays_apart = decay != 0 and options["decoupled_weight_decay"]
        for s, t, w, g, m, v, *largest in blocks(2, parameter, gradient, *kept):
            if decays_apart:
                w *= np.array(1 - lr * decay, kind)
            d = descent(g, w, 0 if decays_apart else decay, options["maximize"], t, kind)
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
        for group in state["param_groups"]:
            group["decoupled_weight_decay"] = True
        super().__setstate__(state)


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

    def _check_gradient(self, sparse: bool, options: Group) -> None:
        if sparse and options["weight_decay"] != 0:
            problem = "weight_decay option is not compatible with sparse gradients"
            raise RuntimeError(f"{problem}: it moves all rows, and a sparse gradient only some")

    def _move(self, parameter: Tensor, gradient: Tensor, options: Group) -> None:
        count, (total,) = self._remembered(parameter, "sum")
        kind = computed_in(parameter._array.dtype)
        step, eps = (
            np.array(-options["lr"] / (1 + (count - 1) * options["lr_decay"]), kind),
            np.array(options["eps"], kind),
        )
        if gradient.is_sparse:
            rows = Rows(-gradient if options["maximize"] else gradient)
            squares = rows.of(total) + rows.values * rows.values
            rows.write(total, squares)
            rows.write(parameter, rows.of(parameter) + step * (rows.values / (np.sqrt(squares) + eps)))
            return
        for s, t, w, g, v in blocks(2, parameter, gradient, total):
            d = descent(g, w, options["weight_decay"], options["maximize"], t, kind)
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

    def _move(self, parameter: Tensor, gradient: Tensor, options: Group) -> None:
        centered, momentum, alpha = options["centered"], options["momentum"], options["alpha"]
        names = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * bool(centered)]
        _, kept = self._remembered(parameter, *names)
        kind = computed_in(parameter._array.dtype)
        step, eps = np.array(-options["lr"], kind), np.array(options["eps"], kind)
        for s, t, u, w, g, v, *more in blocks(3, parameter, gradient, *kept):
            d = descent(g, w, options["weight_decay"], options["maximize"], t, kind)
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

    def _move(self, parameter: Tensor, gradient: Any, options: Group) -> None:
        _, kept = self._remembered(parameter, "square_avg", "acc_delta")
        rho, kind = options["rho"], computed_in(parameter._array.dtype)
        eps, step = np.array(options["eps"], kind), np.array(-options["lr"], kind)
        for s, t, delta, w, g, v, u in blocks(3, parameter, gradient, *kept):
            d = descent(g, w, options["weight_decay"], options["maximize"], t, kind)
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

    def _check_gradient(self, sparse: bool, options: Group) -> None:
        if not sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _move(self, parameter: Tensor, gradient: Tensor, options: Group) -> None:
        state = self.state[parameter]
        if not state:
            state |= {"step": 0, "exp_avg": filled_like(parameter), "exp_avg_sq": filled_like(parameter)}
        state["step"] += 1
        rows = Rows(-gradient if options["maximize"] else gradient)
        g = rows.values
        if not g.size:
            return
        beta1, beta2 = options["betas"]
        correction = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        kind = computed_in(g.dtype)
        m, v = rows.of(state["exp_avg"]), rows.of(state["exp_avg_sq"])
        m += (g - m) * np.array(1 - beta1, kind)
        v += (g * g - v) * np.array(1 - beta2, kind)
        rows.write(state["exp_avg"], m)
        rows.write(state["exp_avg_sq"], v)
        step = np.array(-options["lr"] * correction, kind) * (m / (np.sqrt(v) + np.array(options["eps"], kind)))
        rows.write(parameter, rows.of(parameter) + step)


# ---- what is remembered ----------------------------------------------------------------------------------------------


def step_counter() -> Tensor:
    """The number of steps so far, 0, as PyTorch keeps it: a 0-d floating-point tensor."""
    wide = dtypes.get_default_dtype() is dtypes.float64
    return new_leaf(np.zeros((), np.float64 if wide else np.float32))


def filled_like(parameter: Tensor, value: float = 0) -> Tensor:
    """A tensor of the shape, dtype and memory order of `parameter`, all of whose elements are `value`."""
    array = parameter._array
    if value or not array.flags.c_contiguous:
        return new_leaf(np.full_like(array, value))
    # The memory of np.zeros is taken when it is first written to: that of rows which never move, never.
    return new_leaf(np.zeros(array.shape, array.dtype))


def wrote(*tensors: Tensor) -> None:
    """Count a write in place to each of the tensors."""
    for tensor in tensors:
        storage_of(tensor).version += 1


# ---- arrays ----------------------------------------------------------------------------------------------------------

Kind = np.dtype[Any]


def blocks(buffers: int, *tensors: Tensor) -> list[list[Array]]:
    """Parts of the tensors' arrays, which have one shape, in blocks; each after `buffers` arrays to compute in.

    A step is many operations on few numbers each: done block by block, all but the first find them in the cache, and
    no temporary is as large as a parameter.
    """
    arrays = [tensor._array for tensor in tensors]
    first = arrays[0]
    if first.size <= BLOCK:
        return [[*[np.empty_like(first) for _ in range(buffers)], *arrays]]
    if all([array.flags.f_contiguous for array in arrays]):
        arrays = [array.T for array in arrays]
    if all([array.flags.c_contiguous for array in arrays]):
        arrays = [array.reshape(-1) for array in arrays]
    cuts = row_blocks(arrays[0])
    scratch = [np.empty_like(arrays[0][cuts[0]]) for _ in range(buffers)]
    return [[*[buffer[: cut.stop - cut.start] for buffer in scratch], *[each[cut] for each in arrays]] for cut in cuts]


def descent(g: Array, w: Array, decay: float, maximize: bool, s: Array, kind: Kind) -> Array:
    """`g`, or `-g` to `maximize`, plus `decay * w`: the gradient `g` itself, or the sum in the buffer `s`."""
    if decay == 0:
        return np.negative(g, s) if maximize else g
    np.multiply(w, np.array(decay, kind), s)
    result: Array = (np.subtract if maximize else np.add)(s, g, s)
    return result


def average(mean: Array, new: Array, keep: float, s: Array, kind: Kind) -> None:
    """`mean += (1 - keep) * (new - mean)`, in the form that is exact at both ends."""
    np.subtract(new, mean, s)
    weight = np.array(1 - keep, kind)
    if weight.item() < 0.5:
        s *= weight
        mean += s
    else:
        s *= 1 - weight
        np.subtract(new, s, mean)


def average_square(mean: Array, new: Array, keep: float, s: Array, kind: Kind) -> None:
    """`mean = keep * mean + (1 - keep) * new * new`."""
    mean *= np.array(keep, kind)
    np.multiply(new, np.array(1 - keep, kind), s)
    s *= new
    mean += s


class Rows:
    """The rows that a sparse gradient has, of the tensors of its shape: each once, with the sum of its entries.

    What it costs to read and write them does not depend on how many other rows there are.
    """

    def __init__(self, gradient: Any) -> None:
        summed = gradient.coalesce()
        self.values: Array = summed._entries._array
        self._ids: Array = summed._ids()
        self._dims = tuple(range(summed.sparse_dim()))

    def of(self, tensor: Tensor) -> Array:
        """A copy of these rows of the tensor."""
        return read_at(tensor._array, self._dims, self._ids)

    def write(self, tensor: Tensor, rows: Array) -> None:
        """Let these rows of the tensor be `rows`."""
        write_at(tensor._array, self._dims, self._ids, rows)
        wrote(tensor)
