"""Schedulers: how the learning rates of an optimiser change from epoch to epoch.

Most rates are made from the ones before, `lr = lr * factor`, so that several schedulers can act on one optimiser.
"""

from minigrad.optim.lr_scheduler.base import LRScheduler
from minigrad.optim.lr_scheduler.base import _LRScheduler as _LRScheduler
from minigrad.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from minigrad.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from minigrad.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from minigrad.optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from minigrad.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
