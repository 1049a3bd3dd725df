"""A learning rate that goes up and down once, and the momentum against it."""

from __future__ import annotations

import math
from typing import Any

from minigrad.optim.lr_scheduler.base import LRScheduler, Rate, checked_optimizer, per_group
from minigrad.optim.optimizer import Optimizer


class _WithMomentum(LRScheduler):
    """A scheduler that, with `cycle_momentum`, moves the momentum against the learning rate."""

    cycle_momentum: bool

    def _begin_momentum(self, base: Any, largest: Any, last_epoch: int) -> tuple[list[Any], list[Any]]:
        """The least and the largest momentum of each group, after a check that there is one."""
        options = self.optimizer.defaults
        if "momentum" not in options and "betas" not in options:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in options
        least, most = (
            per_group("base_momentum", self.optimizer, base),
            per_group("max_momentum", self.optimizer, largest),
        )
        if last_epoch == -1:
            for group, low, high in zip(self.optimizer.param_groups, least, most, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return least, most

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class OneCycleLR(_WithMomentum):
    """Up from `max_lr / div_factor` to `max_lr` in the first part `pct_start` of all steps, and down again to almost 0.

    The last rate is the first one divided by `final_div_factor`.  With `three_phase`, the way down leads to the first
    rate in as many steps as the way up, and from there to the last.  `step()` is called once per batch, `total_steps`
    (or `epochs * steps_per_epoch`) times.  Source: Smith and Topin (2019), Super-convergence.

    >>> import minigrad as torch
    >>> optimizer = torch.optim.AdamW([torch.zeros(1, requires_grad=True)])
    >>> scheduler = OneCycleLR(optimizer, max_lr=1.0, total_steps=5, pct_start=0.4, anneal_strategy="linear")
    >>> for step in range(5):
    ...     print(f"{scheduler.get_last_lr()[0]:.6f} {optimizer.param_groups[0]['betas'][0]:.4f}")
    ...     if step < 4:
    ...         optimizer.step()
    ...         scheduler.step()
    0.040000 0.9500
    1.000000 0.8500
    0.666668 0.8833
    0.333336 0.9167
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
        self.optimizer = checked_optimizer(optimizer)
        if total_steps is not None:
            self.total_steps = _positive("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        up_end = float(pct_start * self.total_steps) - 1
        up = _phase(up_end, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        down_end = float(2 * pct_start * self.total_steps) - 2
        down = _phase(down_end, "max_lr", "initial_lr", "base_momentum", "max_momentum")
        last = _phase(self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")
        far_down = _phase(self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")
        self._schedule_phases = [up, down, last] if three_phase else [up, far_down]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        most = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, most, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases[:-1]:
            if self.last_epoch <= phase["end_step"]:
                break
            start = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        part = (self.last_epoch - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                first, last = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._between(first, last, part))
        return [
            self._between(group[phase["start_lr"]], group[phase["end_lr"]], part)
            for group in self.optimizer.param_groups
        ]

    def _between(self, first: Any, last: Any, part: float) -> Any:
        """What lies at `part` of the way from `first` to `last`."""
        if self._anneal_func_type == "linear":
            return (last - first) * part + first
        return last + (first - last) / 2.0 * (math.cos(math.pi * part) + 1)


def _phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
    """The steps up to `end`, and the options of a group between which rate and momentum go on the way."""
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value
