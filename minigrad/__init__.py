"""minigrad: tensors, autograd, Embedding and Linear on NumPy alone, written to be read.

Every minigrad program is a PyTorch program: `import minigrad as torch`.
"""

from importlib import import_module
from math import e, inf, nan, pi
from sys import modules
from types import ModuleType

from minigrad import autograd, random, serialization
from minigrad.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from minigrad.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
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
from minigrad.core.modes import is_grad_enabled, is_inference_mode_enabled
from minigrad.core.tensor import Size
from minigrad.declare import declared
from minigrad.ops.casting import can_cast
from minigrad.random import Generator, default_generator, initial_seed, manual_seed, seed
from minigrad.serialization import load, save
from minigrad.tensor import Tensor
from minigrad.tensors import creation, random_tensors, settings, typed_constructors
from minigrad.tensors.creation import *
from minigrad.tensors.devices import device
from minigrad.tensors.errors import advice
from minigrad.tensors.finfo import finfo
from minigrad.tensors.options import contiguous_format, layout, memory_format, preserve_format, sparse_coo, strided
from minigrad.tensors.printing import set_printoptions
from minigrad.tensors.random_tensors import *
from minigrad.tensors.settings import *
from minigrad.tensors.typed_constructors import *

__version__ = "0.1.0"

newaxis = None

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "__version__",
    "autograd",
    "bool",
    "can_cast",
    "contiguous_format",
    "default_generator",
    "device",
    "double",
    "dtype",
    "e",
    "enable_grad",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "inf",
    "inference_mode",
    "initial_seed",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "layout",
    "load",
    "long",
    "manual_seed",
    "memory_format",
    "nan",
    "newaxis",
    "no_grad",
    "pi",
    "preserve_format",
    "promote_types",
    "random",
    "save",
    "seed",
    "serialization",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "short",
    "sparse_coo",
    "strided",
    "uint8",
]
# What is imported when it is first asked for.
_LATER = ("accelerator", "backends", "cuda", "mps", "nn", "optim", "testing", "utils")

globals().update(declared["torch"])
__all__ += declared["torch"]
__all__ += creation.__all__
__all__ += random_tensors.__all__
__all__ += settings.__all__
__all__ += typed_constructors.__all__
__all__ += _LATER


def __getattr__(name: str) -> ModuleType:
    """A module that is imported when it is first asked for: all at once would double the time of `import minigrad`."""
    if name in _LATER:
        return import_module(f"minigrad.{name}")
    raise AttributeError(
        f"module 'minigrad' has no attribute {name!r}{advice('minigrad', name)}", name=name, obj=modules["minigrad"]
    )


def __dir__() -> list[str]:
    """The names that PyTorch has."""
    return __all__
