"""What training does with the parameters of modules, and with sequences."""

from minigrad.nn.utils import rnn
from minigrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from minigrad.tensors.errors import advised, renamed

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "rnn"]

clip_grad_norm = renamed("torch.nn.utils", clip_grad_norm_)

globals().update(advised(__name__, __all__))
