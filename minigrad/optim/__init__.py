"""Optimisers: how parameters move by their gradients; `lr_scheduler` changes their learning rates on the way."""

from minigrad.optim import lr_scheduler
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rules import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop, SparseAdam
from minigrad.tensors.errors import advised, at_home

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SparseAdam", "lr_scheduler"]

globals().update(advised(__name__, __all__))
for _kind in (SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop):
    at_home(__name__, **{_kind.__name__.lower(): _kind.__name__})
    # `optim.adam(…)` is a slip of the pen, as in PyTorch, and not a call of a module.
    del globals()[_kind.__name__.lower()]
at_home(__name__, sparse_adam="SparseAdam")
