"""Optimisers: how parameters move by their gradients; `lr_scheduler` changes their learning rates on the way."""

from minigrad.optim import lr_scheduler
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rules import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop, SparseAdam
from minigrad.tensors.errors import advised

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SparseAdam", "lr_scheduler"]

globals().update(advised(__name__, __all__))
