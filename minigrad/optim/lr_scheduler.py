"""Schedulers: how the learning rates of an optimiser change from epoch to epoch.

Most rates are computed from those before, `lr = lr * factor`, so that several schedulers can act on one optimiser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

from minigrad.declare import with_options
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.optim.rules import ByParameter
from minigrad.tensors.errors import advised, warn_program

__all__ = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "OneCycleLR",
    "ReduceLROnPlateau", "StepLR",
]  # fmt: skip
globals().update(advised(__name__, __all__))


#: A learning rate: a number, or a tensor of one element.
Rate = Any


class LRScheduler:
    """Sets the learning rate of each parameter group when it is made, and at each `step()`, once per epoch.

    `base_lrs`
        the rates that the groups began with; they also stand in the groups, as "initial_lr".
    `last_epoch`
        the number of the epoch that the rates are for.

    A subclass defines `get_lr`, the rates for `last_epoch`:

    >>> import minigrad as torch
    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr / 2**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halving(optimizer)
    >>> for epoch in range(3):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [0.5]
    [0.25]
    """

    optimizer: Optimizer

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", group["lr"])
        self.base_lrs: list[Rate] = _options_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        # `step` of a user's own optimiser does not set this.
        optimizer.__dict__.setdefault("_opt_called", type(optimizer).step is not ByParameter.step)
        self._step_count = 0
        self._is_initial = True
        self._get_lr_called_within_step = False  # PyTorch has it in the state.
        self.step()
        self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, and set its learning rates; an `epoch`, deprecated in PyTorch, is refused."""
        if epoch is not None:
            raise NotImplementedError("step(epoch) is deprecated in PyTorch: call step() once per epoch")
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warn_program(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`; else no step is taken with the first value of the "
                "learning rate schedule. See https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self.last_epoch += 1
        self._step_count += 1
        for group, lr in list(zip(self.optimizer.param_groups, self.get_lr(), strict=True)):
            group["lr"] = lr
        self._last_lr: list[Rate] = _options_of(self.optimizer, "lr")

    def get_lr(self) -> list[Rate]:
        """The learning rates for `last_epoch`, made from the ones before: for `step` to call."""
        factor = self._factor()
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _factor(self) -> float:
        """What the learning rates are multiplied by for `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def get_last_lr(self) -> list[Rate]:
        """The learning rates that were set last, one per parameter group."""
        return self._last_lr

    #: The attributes that `state_dict` leaves out.
    _apart: ClassVar[tuple[str, ...]] = ("optimizer",)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser: what it takes to go on later."""
        return {name: value for name, value in self.__dict__.items() if name not in self._apart}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take on the attributes that `state_dict()` returned; the optimiser's own state is loaded apart."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name not in self._apart})


class _LRScheduler(LRScheduler):
    """The name that `LRScheduler` had once, for programs that derive from it."""


@with_options
class _Declared(LRScheduler):
    """A scheduler that is declared by its options, which become attributes."""

    optimizer: Optimizer
    _: KW_ONLY
    last_epoch: int = -1

    def _begin(self, given: dict[str, Any]) -> None:
        """Set the attributes for the arguments `given` to the constructor, and call that of the base class."""
        self.__dict__.update({name: each for name, each in given.items() if name not in ("self", "last_epoch")})
        super().__init__(given["optimizer"], given["last_epoch"])


class LambdaLR(LRScheduler):
    """The first learning rate times `lr_lambda(epoch)`; a list of functions has one for each parameter group.

    >>> import minigrad as torch
    >>> from minigrad.optim import lr_scheduler
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    _apart = ("optimizer", "lr_lambdas")

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, Sequence):
            lr_lambda = [lr_lambda] * count
        if len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}: one per parameter group")
        self.lr_lambdas: list[Any] = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser; None for each function, which has to be given anew."""
        if any([getattr(each, "__dict__", None) and not hasattr(each, "__code__") for each in self.lr_lambdas]):
            raise NotImplementedError("attributes of an lr_lambda are not saved here: give a function of the epoch")
        return super().state_dict() | {"lr_lambdas": [None] * len(self.lr_lambdas)}

    def get_lr(self) -> list[Rate]:
        return [lr * factor(self.last_epoch) for factor, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


@with_options
class StepLR(_Declared):
    """Every `step_size` epochs, the learning rate times `gamma`.

    >>> import minigrad as torch
    >>> from minigrad.optim import lr_scheduler
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.5]
    2 [0.25]
    3 [0.25]
    """

    step_size: int
    gamma: float = 0.1

    def _factor(self) -> float:
        return 1 if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma


@with_options
class MultiStepLR(_Declared):
    """At each epoch in `milestones`, the learning rate times `gamma`."""

    milestones: Any
    gamma: float = 0.1

    def _begin(self, given: dict[str, Any]) -> None:
        super()._begin({**given, "milestones": Counter(given["milestones"])})

    def _factor(self) -> float:
        times = self.milestones[self.last_epoch]
        return self.gamma**times if times else 1


@with_options
class LinearLR(_Declared):
    """The learning rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` equal steps."""

    start_factor: float = 1.0 / 3
    end_factor: float = 1.0
    total_iters: int = 5

    def _begin(self, given: dict[str, Any]) -> None:
        if not 0.0 < given["start_factor"] <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0.0 <= given["end_factor"] <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        super()._begin(given)

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        growth = self.end_factor - self.start_factor
        return 1.0 + growth / (self.total_iters * self.start_factor + (self.last_epoch - 1) * growth)


@with_options
class ExponentialLR(_Declared):
    """In each epoch but the first, the learning rate times `gamma`."""

    gamma: float

    def _factor(self) -> float:
        return 1 if self._is_initial else self.gamma


@with_options
class CosineAnnealingLR(_Declared):
    """Half a wave of the cosine, from the first learning rate at epoch 0 to `eta_min` at `T_max`, and back.

        `lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2`

    Source: Loshchilov and Hutter (2017), SGDR: stochastic gradient descent with warm restarts.

    >>> import minigrad as torch
    >>> from minigrad.optim import lr_scheduler
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for epoch in range(5):
    ...     print(f"{scheduler.get_last_lr()[0]:.4f}")
    ...     optimizer.step()
    ...     scheduler.step()
    1.0000
    0.8536
    0.5000
    0.1464
    0.0000
    """

    T_max: int
    eta_min: float = 0.0

    def get_lr(self) -> list[Rate]:
        rates = _options_of(self.optimizer, "lr")
        if self._is_initial:
            return rates
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # The rate before was eta_min: its distance from that is 0, which a factor does not change.
            rise = 1 - math.cos(math.pi / self.T_max)
            return [lr + (base - self.eta_min) * rise / 2 for lr, base in zip(rates, self.base_lrs, strict=True)]
        factor = self._height(self.last_epoch) / self._height(self.last_epoch - 1)
        return [factor * (lr - self.eta_min) + self.eta_min for lr in rates]

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)


_PHASE = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")


class OneCycleLR(LRScheduler):
    """Up from `max_lr / div_factor` to `max_lr` in the first part `pct_start` of all steps, and down again to almost 0.

    Each way is half a wave of the cosine; the last rate is the first one divided by `final_div_factor`.  The momentum
    (or the first of the betas) goes the other way, down from `max_momentum` to `base_momentum` and up again, unless
    `cycle_momentum` is False.  `step()` is called once per batch, `total_steps` (or `epochs * steps_per_epoch`) times.
    Source: Smith and Topin (2019), Super-convergence.

    >>> import minigrad as torch
    >>> from minigrad.optim import lr_scheduler
    >>> optimizer = torch.optim.AdamW([torch.zeros(1, requires_grad=True)])
    >>> scheduler = lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, pct_start=0.4)
    >>> for step in range(5):
    ...     print(f"{scheduler.get_last_lr()[0]:.6f} {optimizer.param_groups[0]['betas'][0]:.4f}")
    ...     if step < 4:
    ...         optimizer.step()
    ...         scheduler.step()
    0.040000 0.9500
    1.000000 0.8500
    0.750001 0.8750
    0.250003 0.9250
    0.000004 0.9500
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        if three_phase or anneal_strategy != "cos" or isinstance(base_momentum, (list, tuple)):
            raise NotImplementedError("OneCycleLR is two cosines, of one momentum for all groups: LambdaLR has others")
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if not isinstance(total_steps, int) or total_steps <= 0:
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        if not isinstance(pct_start, float) or not 0.0 <= pct_start <= 1.0:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self.total_steps = total_steps
        up = (float(pct_start * total_steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        down = (total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")
        self._schedule_phases: Any = [dict(zip(_PHASE, phase, strict=True)) for phase in (up, down)]
        self._anneal_func_type = anneal_strategy  # PyTorch has it in the state.
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if not optimizer.defaults.keys() & {"momentum", "betas"}:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
        peaks = _per_group("max_lr", optimizer, max_lr)
        for group, peak in zip(optimizer.param_groups if last_epoch == -1 else (), peaks, strict=False):
            first = peak / div_factor
            group |= {"initial_lr": first, "max_lr": peak, "min_lr": first / final_div_factor}
            if cycle_momentum:
                group |= {"max_momentum": max_momentum, "base_momentum": base_momentum}
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        if self.last_epoch > self.total_steps:
            most = f"The specified number of total steps is {self.total_steps}"
            raise ValueError(f"Tried to step {self.last_epoch} times. {most}")
        up, down = self._schedule_phases
        phase, start = (up, 0.0) if self.last_epoch <= up["end_step"] else (down, up["end_step"])
        part = (self.last_epoch - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            momentum = self._between(group, phase, "momentum", part)
            group |= {"betas": (momentum, *group["betas"][1:])} if self.use_beta1 else {"momentum": momentum}
        return [self._between(group, phase, "lr", part) for group in self.optimizer.param_groups]

    def _between(self, group: Group, phase: dict[str, Any], what: str, part: float) -> Any:
        """The rate or the momentum of a group at `part` of the way from the start of a phase to its end."""
        first, last = group[phase[f"start_{what}"]], group[phase[f"end_{what}"]]
        return last + (first - last) / 2.0 * (math.cos(math.pi * part) + 1)


class ReduceLROnPlateau(LRScheduler):
    """The learning rate times `factor` when a measure, such as the loss, has not become better in `patience` epochs.

    Better means less, or more for `mode="max"`, by `threshold`, which is a part of the best measure so far.  No rate
    gets smaller than `min_lr`, and none changes by `eps` or less.

    >>> import minigrad as torch
    >>> from minigrad.optim import lr_scheduler
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in [3.0, 2.0, 2.0, 2.0]:
    ...     scheduler.step(loss)
    ...     print(scheduler.get_last_lr())
    [0.5]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"Factor should be < 1.0. It is {factor}")
        _check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown! It is 'min' or 'max'")
        if threshold_mode != "rel" or cooldown or isinstance(min_lr, (list, tuple)):
            options = "threshold_mode='abs', cooldown and a min_lr for each group"
            raise NotImplementedError(f"{options} are not here: a loop over optimizer.param_groups sets group['lr']")
        # In the order in which `state_dict` shows them.
        self.factor, self.optimizer = factor, optimizer
        self.default_min_lr, self.min_lrs = min_lr, [min_lr] * len(optimizer.param_groups)
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = _options_of(optimizer, "lr")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on to the next epoch with the measure of this one, a number or a tensor of one element."""
        measure, sign = float(metrics), -1.0 if self.mode == "min" else 1.0
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.num_bad_epochs += 1
        if sign * measure > sign * (self.best * (1.0 + sign * self.threshold)):
            self.best, self.num_bad_epochs = measure, 0
        if self.num_bad_epochs > self.patience:
            self.num_bad_epochs = 0
            for group in self.optimizer.param_groups:
                reduced = max(group["lr"] * self.factor, self.default_min_lr)
                if group["lr"] - reduced > self.eps:
                    group["lr"] = reduced
        self._last_lr = _options_of(self.optimizer, "lr")


# ---- an optimiser and its groups -------------------------------------------------------------------------------------


def _check_optimizer(optimizer: object) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _options_of(optimizer: Optimizer, option: str) -> list[Any]:
    """The option of each group."""
    return [group[option] for group in optimizer.param_groups]


def _per_group(option: str, optimizer: Optimizer, given: object) -> list[Any]:
    """A value for each group: those given, or the one given for all."""
    count = len(optimizer.param_groups)
    values = [*given] if isinstance(given, (list, tuple)) else [given] * count
    if len(values) != count:
        problem = f"{option} must have the same length as optimizer.param_groups. {option} has {len(values)} values"
        raise ValueError(f"{problem}, param_groups has {count}.")
    return values
