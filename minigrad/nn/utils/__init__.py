"""What training does with the parameters of modules, and with sequences."""

from typing import TYPE_CHECKING

from minigrad.nn.utils import rnn
from minigrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from minigrad.tensors.errors import advised

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "rnn",
]

if not TYPE_CHECKING:
    __getattr__ = advised("minigrad.nn.utils")
