"""Schedulers: how the learning rates of an optimiser change from epoch to epoch.

Most rates are made from the ones before, `lr = lr * factor`, so that several schedulers can act on one optimiser.
"""

from typing import TYPE_CHECKING

from minigrad.optim.lr_scheduler.base import LRScheduler
from minigrad.optim.lr_scheduler.base import _LRScheduler as _LRScheduler
from minigrad.optim.lr_scheduler.cosine import CosineAnnealingLR
from minigrad.optim.lr_scheduler.cycles import OneCycleLR
from minigrad.optim.lr_scheduler.factors import ExponentialLR, LambdaLR, LinearLR, MultiStepLR, StepLR
from minigrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from minigrad.tensors.errors import advised

__all__ = [
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "OneCycleLR",
    "ReduceLROnPlateau",
    "StepLR",
]

if not TYPE_CHECKING:  # Type checkers know what is there.
    __getattr__ = advised(__name__)
