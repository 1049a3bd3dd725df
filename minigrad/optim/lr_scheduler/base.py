"""What all schedulers share: epochs, the state, and how a learning rate is set."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.optim.optimizer import Optimizer
from minigrad.tensor import Tensor

#: A learning rate: a number, or a tensor of one element.
Rate = Any

_HOW_TO = "See https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


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
    _is_initial = False
    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked_optimizer(optimizer)
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with "
                    "last_epoch >= 0: load the state of the optimizer first, or begin with last_epoch=-1"
                )
        self.base_lrs: list[Rate] = options_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the first learning rates."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to `epoch`, and set its learning rates."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite "
                    "order: `optimizer.step()` before `lr_scheduler.step()`; else no step is taken with the first "
                    f"value of the learning rate schedule. {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_rates(closed_form or self.get_lr)

    def _set_rates(self, rates: Callable[[], list[Rate]]) -> None:
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, lr)
        self._last_lr: list[Rate] = self._rates_now()

    def get_lr(self) -> list[Rate]:
        """The learning rates for `last_epoch`, made from the ones before: for `step` to call."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        return self._next_rates()

    def _next_rates(self) -> list[Rate]:
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def get_last_lr(self) -> list[Rate]:
        """The learning rates that were set last, one per parameter group."""
        return self._last_lr

    def _rates_now(self) -> list[Rate]:
        """The learning rates of the optimiser as they are."""
        return options_of(self.optimizer, "lr")

    def _rates_times(self, factor: float) -> list[Rate]:
        """The learning rates of the optimiser, each times `factor`."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    #: The attributes that `state_dict` leaves out.
    _apart: ClassVar[tuple[str, ...]] = ("optimizer",)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser: what it takes to go on later."""
        return {name: value for name, value in self.__dict__.items() if name not in self._apart}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take on the attributes that `state_dict()` returned; the optimiser's own state is loaded apart."""
        self.__dict__.update(state_dict)


class _LRScheduler(LRScheduler):
    """The name that `LRScheduler` had once, for programs that derive from it."""


# ---- an optimiser and its groups -------------------------------------------------------------------------------------


def checked_optimizer(optimizer: Any) -> Optimizer:
    """`optimizer` if it is one; else a TypeError."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _watch_steps(optimizer: Any) -> None:
    """Let `optimizer` know from now on whether its `step` was called: schedulers warn if it was not."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, reference = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        itself: Any = reference()
        itself._opt_called = True
        return function(itself, *args, **kwargs)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = step


def warn_of_epoch() -> None:
    """Warn that a scheduler steps by itself to the next epoch."""
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please "
        "use `scheduler.step()` to step the scheduler. With an epoch, the rates come from the closed form, where there "
        "is one.",
        UserWarning,
        stacklevel=3,
    )


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def options_of(optimizer: Optimizer, option: str) -> list[Any]:
    """The option of each group; copies, where they are tensors."""
    return [_copied(group[option]) for group in optimizer.param_groups]


def per_group(option: str, optimizer: Optimizer, given: Any) -> list[Any]:
    """A value for each group: those given, or the one given for all."""
    count = len(optimizer.param_groups)
    if not isinstance(given, list | tuple):
        return [_copied(given) for _ in range(count)]
    if len(given) != count:
        raise ValueError(
            f"{option} must have the same length as optimizer.param_groups. {option} has {len(given)} values, "
            f"param_groups has {count}."
        )
    return [_copied(each) for each in given]


def set_rate(group: dict[str, Any], lr: Rate) -> None:
    """Set the learning rate of a group; one that is a tensor is written to."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(lr.squeeze() if isinstance(lr, Tensor) else lr)
    else:
        group["lr"] = lr
