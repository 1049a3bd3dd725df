"""Learning rates that follow a cosine."""

from __future__ import annotations

import math

from minigrad.optim.lr_scheduler.base import LRScheduler, Rate
from minigrad.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine, from the first learning rate at epoch 0 to `eta_min` at `T_max`, and back.

        `lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2`

    Source: Loshchilov and Hutter (2017), SGDR: stochastic gradient descent with warm restarts.

    >>> import minigrad as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingLR(optimizer, T_max=4)
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

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _next_rates(self) -> list[Rate]:
        if self._is_initial:
            return self._rates_now()
        rates = self._rates_now()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # The rate before was eta_min, which nothing can be multiplied with.
            rise = 1 - math.cos(math.pi / self.T_max)
            return [lr + (base - self.eta_min) * rise / 2 for lr, base in zip(rates, self.base_lrs, strict=True)]
        factor = self._height(self.last_epoch) / self._height(self.last_epoch - 1)
        return [factor * (lr - self.eta_min) + self.eta_min for lr in rates]

    def _get_closed_form_lr(self) -> list[Rate]:
        height = self._height(self.last_epoch)
        return [self.eta_min + (lr - self.eta_min) * height / 2 for lr in self.base_lrs]

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)
