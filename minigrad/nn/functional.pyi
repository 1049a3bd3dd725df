"""What type checkers see of `minigrad.nn.functional`; written by `python -m tests.stubs`."""

import builtins
import collections.abc
from minigrad.core.tensor import Tensor
import numpy as np

__all__ = ['adaptive_avg_pool1d', 'adaptive_avg_pool2d', 'adaptive_avg_pool3d', 'adaptive_max_pool1d', 'adaptive_max_pool2d', 'adaptive_max_pool3d', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'batch_norm', 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'cosine_embedding_loss', 'cosine_similarity', 'cross_entropy', 'dropout', 'dropout2d', 'elu', 'embedding', 'embedding_bag', 'fold', 'gelu', 'glu', 'group_norm', 'gumbel_softmax', 'hardtanh', 'instance_norm', 'interpolate', 'kl_div', 'l1_loss', 'layer_norm', 'leaky_relu', 'linear', 'log_softmax', 'logsigmoid', 'max_pool1d', 'max_pool2d', 'max_pool3d', 'mse_loss', 'nll_loss', 'normalize', 'one_hot', 'pad', 'pixel_shuffle', 'prelu', 'relu', 'relu_', 'rms_norm', 'scaled_dot_product_attention', 'sigmoid', 'silu', 'smooth_l1_loss', 'softmax', 'softplus', 'tanh', 'unfold']
def adaptive_avg_pool1d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The means of windows of `input`, `(N, C, *)` or `(C, *)`, that cover it, of which there are `output_size`."""

def adaptive_avg_pool2d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The means of windows of `input`, `(N, C, *)` or `(C, *)`, that cover it, of which there are `output_size`."""

def adaptive_avg_pool3d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The means of windows of `input`, `(N, C, *)` or `(C, *)`, that cover it, of which there are `output_size`."""

def adaptive_max_pool1d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The largest elements of as many windows as `adaptive_avg_pool2d` has."""

def adaptive_max_pool2d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The largest elements of as many windows as `adaptive_avg_pool2d` has."""

def adaptive_max_pool3d(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int | None) -> Tensor:
    """The largest elements of as many windows as `adaptive_avg_pool2d` has."""

def avg_pool1d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of `input`, `(N, C, *)` or `(C, *)`: see `max_pool2d`; it is padded by zeros."""

def avg_pool2d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of `input`, `(N, C, *)` or `(C, *)`: see `max_pool2d`; it is padded by zeros."""

def avg_pool3d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window of `input`, `(N, C, *)` or `(C, *)`: see `max_pool2d`; it is padded by zeros."""

from minigrad.ops.norms import batch_norm as batch_norm
from minigrad.ops.losses import binary_cross_entropy as binary_cross_entropy
from minigrad.ops.losses import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int | builtins.str = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, groups: builtins.int = 1) -> Tensor:
    """The convolution of `input`, `(N, C, *)` or `(C, *)`, with `weight`, `(O, C / groups, *kernel)`."""

def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int | builtins.str = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, groups: builtins.int = 1) -> Tensor:
    """The convolution of `input`, `(N, C, *)` or `(C, *)`, with `weight`, `(O, C / groups, *kernel)`."""

def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int | builtins.str = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, groups: builtins.int = 1) -> Tensor:
    """The convolution of `input`, `(N, C, *)` or `(C, *)`, with `weight`, `(O, C / groups, *kernel)`."""

def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, output_padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, groups: builtins.int = 1, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1) -> Tensor:
    """The gradient of a convolution: each element of `input`, `(N, C, *)`, adds `weight` times itself to a window."""

def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, output_padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, groups: builtins.int = 1, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1) -> Tensor:
    """The gradient of a convolution: each element of `input`, `(N, C, *)`, adds `weight` times itself to a window."""

def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, output_padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, groups: builtins.int = 1, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1) -> Tensor:
    """The gradient of a convolution: each element of `input`, `(N, C, *)`, adds `weight` times itself to a window."""

from minigrad.ops.losses import cosine_embedding_loss as cosine_embedding_loss
from minigrad.ops.norms import cosine_similarity as cosine_similarity
from minigrad.ops.losses import cross_entropy as cross_entropy
from minigrad.ops.activations import dropout as dropout
from minigrad.ops.activations import dropout2d as dropout2d
from minigrad.ops.activations import elu as elu
from minigrad.ops.embedding import embedding as embedding
from minigrad.ops.embedding import embedding_bag as embedding_bag
def fold(input: Tensor, output_size: collections.abc.Sequence[builtins.int] | builtins.int, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1) -> Tensor:
    """Images `(N, C, *output_size)` whose windows are given as columns, added up where they overlap: see `unfold`."""

from minigrad.ops.activations import gelu as gelu
from minigrad.ops.activations import glu as glu
from minigrad.ops.norms import group_norm as group_norm
from minigrad.tensors.creation import gumbel_softmax as gumbel_softmax
from minigrad.ops.activations import hardtanh as hardtanh
from minigrad.ops.norms import instance_norm as instance_norm
from minigrad.ops.pooling import interpolate as interpolate
from minigrad.ops.losses import kl_div as kl_div
from minigrad.ops.losses import l1_loss as l1_loss
from minigrad.ops.norms import layer_norm as layer_norm
from minigrad.ops.activations import leaky_relu as leaky_relu
from minigrad.ops.matrices import linear as linear
from minigrad.ops.activations import log_softmax as log_softmax
from minigrad.ops.activations import logsigmoid as logsigmoid
def max_pool1d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor:
    """The largest element of each window of `input`, `(N, C, *)` or `(C, *)`."""

def max_pool2d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor:
    """The largest element of each window of `input`, `(N, C, *)` or `(C, *)`."""

def max_pool3d(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, stride: collections.abc.Sequence[builtins.int] | builtins.int | None = None, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Tensor:
    """The largest element of each window of `input`, `(N, C, *)` or `(C, *)`."""

from minigrad.ops.losses import mse_loss as mse_loss
from minigrad.ops.losses import nll_loss as nll_loss
from minigrad.ops.norms import normalize as normalize
from minigrad.ops.embedding import one_hot as one_hot
from minigrad.ops.convolution import pad as pad
from minigrad.ops.pooling import pixel_shuffle as pixel_shuffle
from minigrad.ops.activations import prelu as prelu
def relu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""

from minigrad.ops.activations import relu_ as relu_
from minigrad.ops.norms import rms_norm as rms_norm
from minigrad.ops.activations import scaled_dot_product_attention as scaled_dot_product_attention
from minigrad.ops.mathematics import sigmoid as sigmoid
from minigrad.ops.activations import silu as silu
from minigrad.ops.losses import smooth_l1_loss as smooth_l1_loss
from minigrad.ops.activations import softmax as softmax
from minigrad.ops.activations import softplus as softplus
from minigrad.ops.mathematics import tanh as tanh
def unfold(input: Tensor, kernel_size: collections.abc.Sequence[builtins.int] | builtins.int, dilation: collections.abc.Sequence[builtins.int] | builtins.int = 1, padding: collections.abc.Sequence[builtins.int] | builtins.int = 0, stride: collections.abc.Sequence[builtins.int] | builtins.int = 1) -> Tensor:
    """The windows of images `(N, C, H, W)` or `(C, H, W)` as columns, `(N, C * kernel, windows)`."""

