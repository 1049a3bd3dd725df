"""What type checkers see of `minigrad`; written by `python -m tests.stubs`."""

import builtins
import collections.abc
import minigrad.core.dtypes
import minigrad.random
import minigrad.tensors.devices
import types
from minigrad.core.tensor import Tensor
import numpy as np

__all__ = ['BoolTensor', 'ByteTensor', 'CharTensor', 'DoubleTensor', 'FloatTensor', 'Generator', 'GradScaler', 'HalfTensor', 'IntTensor', 'LongTensor', 'ShortTensor', 'Size', 'Tensor', '__version__', 'abs', 'absolute', 'accelerator', 'acos', 'add', 'addmm', 'all', 'allclose', 'amax', 'amin', 'amp', 'any', 'arange', 'arccos', 'arcsin', 'arctan', 'argmax', 'argmin', 'argsort', 'argwhere', 'as_tensor', 'asin', 'atan', 'autocast', 'autograd', 'backends', 'bernoulli', 'bincount', 'bitwise_and', 'bitwise_left_shift', 'bitwise_not', 'bitwise_or', 'bitwise_right_shift', 'bitwise_xor', 'bmm', 'bool', 'broadcast_tensors', 'broadcast_to', 'bucketize', 'can_cast', 'cat', 'ceil', 'chunk', 'clamp', 'clamp_max', 'clamp_min', 'clip', 'clone', 'compile', 'concat', 'concatenate', 'contiguous_format', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'cos', 'cosh', 'count_nonzero', 'cov', 'cuda', 'cumprod', 'cumsum', 'default_generator', 'det', 'device', 'diag', 'diag_embed', 'diagonal', 'dist', 'distributed', 'distributions', 'div', 'divide', 'dot', 'double', 'dtype', 'e', 'einsum', 'empty', 'empty_like', 'enable_grad', 'eq', 'equal', 'erf', 'exp', 'exp2', 'expm1', 'eye', 'finfo', 'fix', 'flatten', 'flip', 'float', 'float16', 'float32', 'float64', 'floor', 'floor_divide', 'fmod', 'from_numpy', 'full', 'full_like', 'gather', 'ge', 'ger', 'get_default_device', 'get_default_dtype', 'get_num_threads', 'get_rng_state', 'greater', 'greater_equal', 'gt', 'half', 'histc', 'histogram', 'hstack', 'index_add', 'index_fill', 'index_put', 'index_select', 'inf', 'inference_mode', 'initial_seed', 'int', 'int16', 'int32', 'int64', 'int8', 'inverse', 'is_floating_point', 'is_grad_enabled', 'is_tensor', 'isclose', 'isfinite', 'isin', 'isinf', 'isnan', 'layout', 'le', 'lerp', 'less', 'less_equal', 'linalg', 'linspace', 'load', 'log', 'log10', 'log1p', 'log2', 'log_softmax', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'logsumexp', 'long', 'lt', 'manual_seed', 'masked_fill', 'masked_select', 'matmul', 'max', 'maximum', 'mean', 'median', 'memory_format', 'meshgrid', 'min', 'minimum', 'mm', 'mode', 'moveaxis', 'movedim', 'mps', 'mul', 'multinomial', 'multiply', 'multiprocessing', 'mv', 'nan', 'nanmean', 'nansum', 'narrow', 'ne', 'neg', 'negative', 'newaxis', 'nn', 'no_grad', 'nonzero', 'norm', 'normal', 'not_equal', 'numel', 'ones', 'ones_like', 'optim', 'outer', 'permute', 'pi', 'pixel_shuffle', 'positive', 'pow', 'preserve_format', 'prod', 'promote_types', 'rand', 'rand_like', 'randint', 'randn', 'randn_like', 'random', 'randperm', 'range', 'ravel', 'reciprocal', 'relu', 'remainder', 'repeat_interleave', 'reshape', 'result_type', 'roll', 'round', 'rsqrt', 'save', 'scatter', 'scatter_add', 'select', 'serialization', 'set_default_device', 'set_default_dtype', 'set_default_tensor_type', 'set_float32_matmul_precision', 'set_grad_enabled', 'set_num_threads', 'set_printoptions', 'set_rng_state', 'sgn', 'short', 'sigmoid', 'sign', 'sin', 'sinh', 'softmax', 'sort', 'sparse_coo', 'sparse_coo_tensor', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'std_mean', 'strided', 'sub', 'subtract', 'sum', 'swapaxes', 'swapdims', 't', 'take', 'take_along_dim', 'tan', 'tanh', 'tensor', 'tensordot', 'testing', 'tile', 'topk', 'trace', 'transpose', 'tril', 'triu', 'true_divide', 'trunc', 'uint8', 'unbind', 'unflatten', 'unique', 'unsqueeze', 'use_deterministic_algorithms', 'utils', 'var', 'version', 'vstack', 'where', 'zeros', 'zeros_like']
bfloat16: minigrad.core.dtypes.dtype
from minigrad.core.tensor import Tensor as BoolTensor
from minigrad.core.tensor import Tensor as ByteTensor
from minigrad.core.tensor import Tensor as CharTensor
from minigrad.core.tensor import Tensor as DoubleTensor
from minigrad.core.tensor import Tensor as FloatTensor
from minigrad.random import Generator as Generator
from minigrad.tensors.machine import GradScaler as GradScaler
from minigrad.core.tensor import Tensor as HalfTensor
from minigrad.core.tensor import Tensor as IntTensor
from minigrad.core.tensor import Tensor as LongTensor
from minigrad.core.tensor import Tensor as ShortTensor
from minigrad.core.tensor import Size as Size
from minigrad.tensor import Tensor as Tensor
__version__: builtins.str
from minigrad.ops.mathematics import abs as abs
from minigrad.ops.mathematics import abs as absolute
accelerator: types.ModuleType
from minigrad.ops.mathematics import acos as acos
from minigrad.ops.mathematics import add as add
from minigrad.ops.matrices import addmm as addmm
from minigrad.ops.reductions import all as all
from minigrad.ops.comparison import allclose as allclose
from minigrad.ops.reductions import amax as amax
from minigrad.ops.reductions import amin as amin
amp: types.ModuleType
from minigrad.ops.reductions import any as any
from minigrad.tensors.creation import arange as arange
from minigrad.ops.mathematics import acos as arccos
from minigrad.ops.mathematics import asin as arcsin
from minigrad.ops.mathematics import atan as arctan
from minigrad.ops.reductions import argmax as argmax
from minigrad.ops.reductions import argmin as argmin
from minigrad.ops.ordering import argsort as argsort
from minigrad.ops.indexing import argwhere as argwhere
from minigrad.tensors.creation import as_tensor as as_tensor
from minigrad.ops.mathematics import asin as asin
from minigrad.ops.mathematics import atan as atan
from minigrad.tensors.machine import autocast as autocast
from minigrad import autograd
backends: types.ModuleType
from minigrad.tensors.creation import bernoulli as bernoulli
from minigrad.ops.ordering import bincount as bincount
from minigrad.ops.comparison import bitwise_and as bitwise_and
from minigrad.ops.comparison import bitwise_left_shift as bitwise_left_shift
from minigrad.ops.comparison import bitwise_not as bitwise_not
from minigrad.ops.comparison import bitwise_or as bitwise_or
from minigrad.ops.comparison import bitwise_right_shift as bitwise_right_shift
from minigrad.ops.comparison import bitwise_xor as bitwise_xor
from minigrad.ops.matrices import bmm as bmm
bool: minigrad.core.dtypes.dtype
from minigrad.ops.shapes import broadcast_tensors as broadcast_tensors
from minigrad.ops.shapes import broadcast_to as broadcast_to
from minigrad.ops.ordering import bucketize as bucketize
from minigrad.tensors.conversion import can_cast as can_cast
from minigrad.ops.shapes import cat as cat
from minigrad.ops.mathematics import ceil as ceil
from minigrad.ops.shapes import chunk as chunk
from minigrad.ops.comparison import clamp as clamp
from minigrad.ops.comparison import clamp_max as clamp_max
from minigrad.ops.comparison import clamp_min as clamp_min
from minigrad.ops.comparison import clamp as clip
from minigrad.tensors.conversion import clone as clone
from minigrad.tensors.machine import compile as compile
from minigrad.ops.shapes import cat as concat
from minigrad.ops.shapes import cat as concatenate
contiguous_format: minigrad.tensors.devices.memory_format
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

from minigrad.ops.mathematics import cos as cos
from minigrad.ops.mathematics import cosh as cosh
from minigrad.ops.reductions import count_nonzero as count_nonzero
from minigrad.ops.matrices import cov as cov
cuda: types.ModuleType
from minigrad.ops.reductions import cumprod as cumprod
from minigrad.ops.reductions import cumsum as cumsum
default_generator: minigrad.random.Generator
from minigrad.linalg import det as det
from minigrad.tensors.devices import device as device
from minigrad.ops.matrices import diag as diag
from minigrad.ops.matrices import diag_embed as diag_embed
from minigrad.ops.matrices import diagonal as diagonal
from minigrad.ops.reductions import dist as dist
distributed: types.ModuleType
from minigrad import distributions
from minigrad.ops.mathematics import div as div
from minigrad.ops.mathematics import div as divide
from minigrad.ops.matrices import dot as dot
double: minigrad.core.dtypes.dtype
from minigrad.core.dtypes import dtype as dtype
e: builtins.float
from minigrad.ops.matrices import einsum as einsum
from minigrad.tensors.creation import empty as empty
from minigrad.tensors.creation import empty_like as empty_like
from minigrad.core.modes import enable_grad as enable_grad
from minigrad.ops.comparison import eq as eq
from minigrad.ops.comparison import equal as equal
from minigrad.ops.mathematics import erf as erf
from minigrad.ops.mathematics import exp as exp
from minigrad.ops.mathematics import exp2 as exp2
from minigrad.ops.mathematics import expm1 as expm1
from minigrad.tensors.creation import eye as eye
from minigrad.tensors.devices import finfo as finfo
from minigrad.ops.mathematics import trunc as fix
from minigrad.ops.shapes import flatten as flatten
from minigrad.ops.shapes import flip as flip
float: minigrad.core.dtypes.dtype
float16: minigrad.core.dtypes.dtype
float32: minigrad.core.dtypes.dtype
float64: minigrad.core.dtypes.dtype
from minigrad.ops.mathematics import floor as floor
from minigrad.ops.mathematics import floor_divide as floor_divide
from minigrad.ops.mathematics import fmod as fmod
from minigrad.tensors.creation import from_numpy as from_numpy
from minigrad.tensors.creation import full as full
from minigrad.tensors.creation import full_like as full_like
from minigrad.ops.indexing import gather as gather
from minigrad.ops.comparison import ge as ge
from minigrad.ops.matrices import outer as ger
from minigrad.tensors.machine import get_default_device as get_default_device
from minigrad.core.dtypes import get_default_dtype as get_default_dtype
from minigrad.tensors.machine import get_num_threads as get_num_threads
from minigrad.random import get_rng_state as get_rng_state
from minigrad.ops.comparison import gt as greater
from minigrad.ops.comparison import ge as greater_equal
from minigrad.ops.comparison import gt as gt
half: minigrad.core.dtypes.dtype
from minigrad.ops.ordering import histc as histc
from minigrad.ops.ordering import histogram as histogram
from minigrad.ops.shapes import hstack as hstack
from minigrad.ops.writing import index_add as index_add
from minigrad.ops.writing import index_fill as index_fill
from minigrad.ops.writing import index_put as index_put
from minigrad.ops.indexing import index_select as index_select
inf: builtins.float
from minigrad.core.modes import inference_mode as inference_mode
from minigrad.random import initial_seed as initial_seed
int: minigrad.core.dtypes.dtype
int16: minigrad.core.dtypes.dtype
int32: minigrad.core.dtypes.dtype
int64: minigrad.core.dtypes.dtype
int8: minigrad.core.dtypes.dtype
from minigrad.linalg import inverse as inverse
from minigrad.tensors.conversion import is_floating_point as is_floating_point
from minigrad.core.modes import is_grad_enabled as is_grad_enabled
from minigrad.tensors.conversion import is_tensor as is_tensor
from minigrad.ops.comparison import isclose as isclose
from minigrad.ops.comparison import isfinite as isfinite
from minigrad.ops.ordering import isin as isin
from minigrad.ops.comparison import isinf as isinf
from minigrad.ops.comparison import isnan as isnan
from minigrad.tensors.devices import layout as layout
from minigrad.ops.comparison import le as le
from minigrad.ops.mathematics import lerp as lerp
from minigrad.ops.comparison import lt as less
from minigrad.ops.comparison import le as less_equal
from minigrad import linalg
from minigrad.tensors.creation import linspace as linspace
from minigrad.serialization import load as load
from minigrad.ops.mathematics import log as log
from minigrad.ops.mathematics import log10 as log10
from minigrad.ops.mathematics import log1p as log1p
from minigrad.ops.mathematics import log2 as log2
from minigrad.ops.activations import log_softmax as log_softmax
from minigrad.ops.comparison import logical_and as logical_and
from minigrad.ops.comparison import logical_not as logical_not
from minigrad.ops.comparison import logical_or as logical_or
from minigrad.ops.comparison import logical_xor as logical_xor
from minigrad.ops.activations import logsumexp as logsumexp
long: minigrad.core.dtypes.dtype
from minigrad.ops.comparison import lt as lt
from minigrad.random import manual_seed as manual_seed
from minigrad.ops.comparison import masked_fill as masked_fill
from minigrad.ops.indexing import masked_select as masked_select
from minigrad.ops.matrices import matmul as matmul
from minigrad.ops.reductions import max as max
from minigrad.ops.comparison import maximum as maximum
from minigrad.ops.reductions import mean as mean
from minigrad.ops.ordering import median as median
from minigrad.tensors.devices import memory_format as memory_format
from minigrad.ops.shapes import meshgrid as meshgrid
from minigrad.ops.reductions import min as min
from minigrad.ops.comparison import minimum as minimum
from minigrad.ops.matrices import mm as mm
from minigrad.ops.ordering import mode as mode
from minigrad.ops.shapes import movedim as moveaxis
from minigrad.ops.shapes import movedim as movedim
mps: types.ModuleType
from minigrad.ops.mathematics import mul as mul
from minigrad.tensors.creation import multinomial as multinomial
from minigrad.ops.mathematics import mul as multiply
from minigrad import multiprocessing
from minigrad.ops.matrices import mv as mv
nan: builtins.float
from minigrad.ops.reductions import nanmean as nanmean
from minigrad.ops.reductions import nansum as nansum
from minigrad.ops.indexing import narrow as narrow
from minigrad.ops.comparison import ne as ne
from minigrad.ops.mathematics import neg as neg
from minigrad.ops.mathematics import neg as negative
newaxis: None
from minigrad import nn
from minigrad.core.modes import no_grad as no_grad
from minigrad.ops.indexing import nonzero as nonzero
from minigrad.ops.reductions import norm as norm
from minigrad.tensors.creation import normal as normal
from minigrad.ops.comparison import ne as not_equal
from minigrad.ops.shapes import numel as numel
from minigrad.tensors.creation import ones as ones
from minigrad.tensors.creation import ones_like as ones_like
from minigrad import optim
from minigrad.ops.matrices import outer as outer
from minigrad.ops.shapes import permute as permute
pi: builtins.float
from minigrad.ops.pooling import pixel_shuffle as pixel_shuffle
from minigrad.ops.mathematics import positive as positive
from minigrad.ops.mathematics import pow as pow
preserve_format: minigrad.tensors.devices.memory_format
from minigrad.ops.reductions import prod as prod
from minigrad.tensors.conversion import promote_types as promote_types
from minigrad.tensors.creation import rand as rand
from minigrad.tensors.creation import rand_like as rand_like
from minigrad.tensors.creation import randint as randint
from minigrad.tensors.creation import randn as randn
from minigrad.tensors.creation import randn_like as randn_like
from minigrad import random
from minigrad.tensors.creation import randperm as randperm
from minigrad.tensors.creation import range as range
from minigrad.ops.shapes import ravel as ravel
from minigrad.ops.mathematics import reciprocal as reciprocal
from minigrad.ops.mathematics import relu as relu
from minigrad.ops.mathematics import remainder as remainder
from minigrad.ops.shapes import repeat_interleave as repeat_interleave
from minigrad.ops.shapes import reshape as reshape
from minigrad.tensors.conversion import result_type as result_type
from minigrad.ops.shapes import roll as roll
from minigrad.ops.mathematics import round as round
from minigrad.ops.mathematics import rsqrt as rsqrt
from minigrad.serialization import save as save
from minigrad.ops.writing import scatter as scatter
from minigrad.ops.writing import scatter_add as scatter_add
from minigrad.ops.indexing import select as select
from minigrad import serialization
from minigrad.tensors.machine import set_default_device as set_default_device
from minigrad.core.dtypes import set_default_dtype as set_default_dtype
from minigrad.tensors.creation import set_default_tensor_type as set_default_tensor_type
from minigrad.tensors.machine import set_float32_matmul_precision as set_float32_matmul_precision
from minigrad.core.modes import set_grad_enabled as set_grad_enabled
from minigrad.tensors.machine import set_num_threads as set_num_threads
from minigrad.tensors.printing import set_printoptions as set_printoptions
from minigrad.random import set_rng_state as set_rng_state
from minigrad.ops.mathematics import sgn as sgn
short: minigrad.core.dtypes.dtype
from minigrad.ops.mathematics import sigmoid as sigmoid
from minigrad.ops.mathematics import sign as sign
from minigrad.ops.mathematics import sin as sin
from minigrad.ops.mathematics import sinh as sinh
from minigrad.ops.activations import softmax as softmax
from minigrad.ops.ordering import sort as sort
sparse_coo: minigrad.tensors.devices.layout
from minigrad.tensors.sparse import sparse_coo_tensor as sparse_coo_tensor
from minigrad.ops.shapes import split as split
from minigrad.ops.mathematics import sqrt as sqrt
from minigrad.ops.mathematics import square as square
from minigrad.ops.shapes import squeeze as squeeze
from minigrad.ops.shapes import stack as stack
from minigrad.ops.reductions import std as std
from minigrad.ops.reductions import std_mean as std_mean
strided: minigrad.tensors.devices.layout
from minigrad.ops.mathematics import sub as sub
from minigrad.ops.mathematics import sub as subtract
from minigrad.ops.reductions import sum as sum
from minigrad.ops.shapes import swapaxes as swapaxes
from minigrad.ops.shapes import transpose as swapdims
from minigrad.ops.shapes import t as t
from minigrad.ops.indexing import take as take
from minigrad.ops.indexing import take_along_dim as take_along_dim
from minigrad.ops.mathematics import tan as tan
from minigrad.ops.mathematics import tanh as tanh
from minigrad.tensors.creation import tensor as tensor
from minigrad.ops.matrices import tensordot as tensordot
from minigrad import testing
from minigrad.ops.shapes import tile as tile
from minigrad.ops.ordering import topk as topk
from minigrad.ops.matrices import trace as trace
from minigrad.ops.shapes import transpose as transpose
from minigrad.ops.matrices import tril as tril
from minigrad.ops.matrices import triu as triu
from minigrad.ops.mathematics import true_divide as true_divide
from minigrad.ops.mathematics import trunc as trunc
uint8: minigrad.core.dtypes.dtype
from minigrad.ops.shapes import unbind as unbind
from minigrad.ops.shapes import unflatten as unflatten
from minigrad.ops.ordering import unique as unique
from minigrad.ops.shapes import unsqueeze as unsqueeze
from minigrad.tensors.machine import use_deterministic_algorithms as use_deterministic_algorithms
from minigrad import utils
from minigrad.ops.reductions import var as var
version: types.ModuleType
from minigrad.ops.shapes import vstack as vstack
from minigrad.ops.comparison import where as where
from minigrad.tensors.creation import zeros as zeros
from minigrad.tensors.creation import zeros_like as zeros_like
