"""What training does with gradients, made smaller where they are too large, and with sequences (`rnn`)."""

from minigrad.nn.utils import rnn
from minigrad.nn.utils.clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_
from minigrad.tensors.errors import advised

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "rnn"]

globals().update(advised(__name__, __all__))
