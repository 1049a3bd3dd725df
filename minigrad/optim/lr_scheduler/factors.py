"""Learning rates that are multiplied: by a function of the epoch, at some epochs or at all."""

from __future__ import annotations

import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from minigrad.optim.lr_scheduler.base import LRScheduler, Rate
from minigrad.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """The first learning rate times `lr_lambda(epoch)`; a list of functions has one for each parameter group.

    >>> import minigrad as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    _apart = ("optimizer", "lr_lambdas")

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, list | tuple):
            lr_lambda = [lr_lambda] * count
        if len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}: one per parameter group")
        self.lr_lambdas: list[Any] = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser; of the functions, those that are objects, by their attributes."""
        states = [None if isinstance(each, types.FunctionType) else each.__dict__.copy() for each in self.lr_lambdas]
        return super().state_dict() | {"lr_lambdas": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take on the attributes that `state_dict()` returned; functions stay as they are."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if state is not None:
                function.__dict__.update(state)

    def _next_rates(self) -> list[Rate]:
        return [lr * factor(self.last_epoch) for factor, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class StepLR(LRScheduler):
    """Every `step_size` epochs, the learning rate times `gamma`.

    >>> import minigrad as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     print(epoch, scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    0 [0.5]
    1 [0.5]
    2 [0.25]
    3 [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._rates_now()
        return self._rates_times(self.gamma)

    def _get_closed_form_lr(self) -> list[Rate]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """At each epoch in `milestones`, the learning rate times `gamma`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        if self.last_epoch not in self.milestones:
            return self._rates_now()
        return self._rates_times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Rate]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """The learning rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` equal steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1. It is "
                f"{start_factor}"
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(f"Ending multiplicative factor expected to be between 0 and 1. It is {end_factor}")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        if self.last_epoch == 0:
            return self._rates_times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates_now()
        growth = self.end_factor - self.start_factor
        return self._rates_times(1.0 + growth / (self.total_iters * self.start_factor + (self.last_epoch - 1) * growth))

    def _get_closed_form_lr(self) -> list[Rate]:
        growth, passed = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [lr * (self.start_factor + growth * passed / self.total_iters) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """In each epoch but the first, the learning rate times `gamma`."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        return self._rates_now() if self._is_initial else self._rates_times(self.gamma)

    def _get_closed_form_lr(self) -> list[Rate]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]
