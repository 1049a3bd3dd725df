"""Optimisers: how parameters move by their gradients; `lr_scheduler` changes their learning rates on the way."""

from typing import TYPE_CHECKING

from minigrad.optim import lr_scheduler
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rules import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop, SparseAdam
from minigrad.tensors.errors import advised

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SparseAdam", "lr_scheduler"]

if not TYPE_CHECKING:  # Type checkers know what is there.
    __getattr__ = advised(__name__)
