"""What training does with the parameters of modules, and with sequences."""

from minigrad.nn.utils import rnn
from minigrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from minigrad.tensors.errors import advised

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm", "rnn"]

globals().update(advised(__name__, __all__))
