"""minigrad: tensors, autograd, Embedding and Linear on NumPy alone, written to be read.

Every minigrad program is a PyTorch program: `import minigrad as torch`.
"""

import sys
from math import e, inf, nan, pi

from minigrad import random
from minigrad.core.dtypes import bool_ as bool
from minigrad.core.dtypes import (
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from minigrad.core.dtypes import float16 as half
from minigrad.core.dtypes import float32 as float
from minigrad.core.dtypes import float64 as double
from minigrad.core.dtypes import int16 as short
from minigrad.core.dtypes import int32 as int
from minigrad.core.dtypes import int64 as long
from minigrad.core.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.core.tensor import Size
from minigrad.declare import declared
from minigrad.ops.casting import can_cast
from minigrad.random import Generator, default_generator, initial_seed, manual_seed, seed
from minigrad.tensor import Tensor
from minigrad.tensors import creation, machine, random_tensors, stand_in
from minigrad.tensors.creation import *
from minigrad.tensors.errors import advised
from minigrad.tensors.machine import *
from minigrad.tensors.options import (
    contiguous_format,
    device,
    finfo,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    strided,
)
from minigrad.tensors.random_tensors import *

__version__ = "0.1.0"

newaxis = None

__all__ = [
    "Generator", "Size", "Tensor", "__version__", "bool", "can_cast", "contiguous_format", "default_generator",
    "device", "double", "dtype", "e", "enable_grad", "finfo", "float", "float16", "float32", "float64",
    "get_default_dtype", "half", "inf", "inference_mode", "initial_seed", "int", "int8", "int16", "int32", "int64",
    "is_grad_enabled", "layout", "long", "manual_seed", "memory_format", "nan", "newaxis", "no_grad", "pi",
    "preserve_format", "promote_types", "random", "seed", "set_default_dtype", "set_grad_enabled", "short",
    "sparse_coo", "strided", "uint8",
]  # fmt: skip
globals().update(declared["torch"])
__all__ += declared["torch"]
__all__ += creation.__all__ + random_tensors.__all__ + machine.__all__
machine.add_modules(sys.modules[__name__])

# What is imported when it is first asked for, and where it is: all at once would double the time of `import minigrad`.
_MODULES = ["autograd", "distributions", "linalg", "nn", "optim", "serialization", "testing", "utils"]
_NAMES = {
    "nn.functional": "adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d conv1d conv2d conv3d conv_transpose1d "
    "conv_transpose2d conv_transpose3d pixel_shuffle",
    "serialization": "load save",
    "tensors.printing": "set_printoptions",
}
_LATER = {name: f"minigrad.{home}" for home, names in _NAMES.items() for name in names.split()}
_LATER |= {name: f"minigrad.{name}" for name in _MODULES}
__all__ += _LATER
globals().update(advised(__name__, __all__, **_LATER))
