"""minigrad: tensors, autograd, Embedding and Linear on NumPy alone, written to be read.

Every minigrad program is a PyTorch program: `import minigrad as torch`.

The import adds two finders of modules to `sys.meta_path`: `Advice`, whose errors for missing modules say what to use
instead, and `StandIn`, which finds minigrad's modules after `sys.modules["torch"] = minigrad`.
"""

import sys
from math import e, inf, nan, pi

from minigrad import random
from minigrad.core import dtypes
from minigrad.core.dtypes import *
from minigrad.core.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.core.tensor import Size
from minigrad.declare import declared
from minigrad.random import *
from minigrad.tensor import LATER, Tensor
from minigrad.tensors import creation, devices, machine
from minigrad.tensors.creation import *
from minigrad.tensors.devices import *
from minigrad.tensors.errors import advised
from minigrad.tensors.machine import *

# The PyTorch whose programs run, since they ask for it, and minigrad's own.
__version__ = "2.13.0+minigrad.0.1.0"

newaxis = None

half, float, double = dtypes.float16, dtypes.float32, dtypes.float64
bool, short, int, long = dtypes.bool_, dtypes.int16, dtypes.int32, dtypes.int64

__all__ = [
    "Size", "Tensor", "__version__", "bool", "double", "e", "enable_grad", "float", "half", "inf", "inference_mode",
    "int", "is_grad_enabled", "long", "nan", "newaxis", "no_grad", "pi", "random", "set_grad_enabled", "short",
]  # fmt: skip
globals().update(declared["torch"])
__all__ += declared["torch"]
for _part in (dtypes, random, creation, devices, machine):
    __all__ += _part.__all__
machine.add_modules(sys.modules[__name__])
machine.keep_freed_memory()

# What is imported when it is first asked for, by its module: at once, it would double the time of `import minigrad`.
_MODULES = [
    "autograd", "distributions", "linalg", "multiprocessing", "nn", "optim", "serialization", "testing", "utils",
]  # fmt: skip
_NAMES = {
    "nn.functional": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d pixel_shuffle",
    "ops.ordering": "bucketize isin",
    "serialization": "load save",
    "tensors.printing": "set_printoptions",
    "tensors.sparse": "sparse_coo_tensor",
}
_LATER = LATER | {name: f"minigrad.{home}" for home, names in _NAMES.items() for name in names.split()}
_LATER |= {name: f"minigrad.{name}" for name in _MODULES}
__all__ += _LATER
# Not in `__all__`: it needs a package.
globals().update(advised(__name__, __all__, bfloat16="minigrad.core.dtypes", **_LATER))
