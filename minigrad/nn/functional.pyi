"""What type checkers see of `minigrad.nn.functional`; written by `python -m tests.stubs`."""

import builtins
import minigrad.core.dtypes
from minigrad.core.tensor import Tensor
import numpy as np

__all__ = ['batch_norm', 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'cosine_embedding_loss', 'cosine_similarity', 'cross_entropy', 'dropout', 'dropout2d', 'elu', 'elu_', 'embedding', 'embedding_bag', 'gelu', 'glu', 'group_norm', 'hardtanh', 'hardtanh_', 'instance_norm', 'kl_div', 'l1_loss', 'layer_norm', 'leaky_relu', 'leaky_relu_', 'linear', 'log_softmax', 'logsigmoid', 'mse_loss', 'nll_loss', 'normalize', 'one_hot', 'pad', 'prelu', 'relu', 'relu_', 'rms_norm', 'scaled_dot_product_attention', 'sigmoid', 'silu', 'smooth_l1_loss', 'softmax', 'softplus', 'tanh']
from minigrad.ops.norms import batch_norm as batch_norm
from minigrad.ops.losses import binary_cross_entropy as binary_cross_entropy
from minigrad.ops.losses import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from minigrad.ops.losses import cosine_embedding_loss as cosine_embedding_loss
from minigrad.ops.distances import cosine_similarity as cosine_similarity
from minigrad.ops.losses import cross_entropy as cross_entropy
from minigrad.ops.dropout import dropout as dropout
from minigrad.ops.dropout import dropout2d as dropout2d
from minigrad.ops.curves import elu as elu
from minigrad.ops.curves import elu_ as elu_
from minigrad.ops.lookup import embedding as embedding
from minigrad.ops.lookup import embedding_bag as embedding_bag
from minigrad.ops.curves import gelu as gelu
from minigrad.ops.curves import glu as glu
from minigrad.ops.norms import group_norm as group_norm
from minigrad.ops.curves import hardtanh as hardtanh
from minigrad.ops.curves import hardtanh_ as hardtanh_
from minigrad.ops.norms import instance_norm as instance_norm
from minigrad.ops.losses import kl_div as kl_div
from minigrad.ops.losses import l1_loss as l1_loss
from minigrad.ops.norms import layer_norm as layer_norm
from minigrad.ops.curves import leaky_relu as leaky_relu
from minigrad.ops.curves import leaky_relu_ as leaky_relu_
from minigrad.ops.matrices import linear as linear
def log_softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`, the logarithm of the softmax, also where that is 0; see `softmax`."""

from minigrad.ops.curves import logsigmoid as logsigmoid
from minigrad.ops.losses import mse_loss as mse_loss
from minigrad.ops.losses import nll_loss as nll_loss
from minigrad.ops.distances import normalize as normalize
from minigrad.ops.lookup import one_hot as one_hot
from minigrad.ops.windows import pad as pad
from minigrad.ops.curves import prelu as prelu
def relu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""

def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""

from minigrad.ops.norms import rms_norm as rms_norm
from minigrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from minigrad.ops.mathematics import sigmoid as sigmoid
from minigrad.ops.curves import silu as silu
from minigrad.ops.losses import smooth_l1_loss as smooth_l1_loss
def softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1; computed in `dtype` if given."""

from minigrad.ops.curves import softplus as softplus
from minigrad.ops.mathematics import tanh as tanh
