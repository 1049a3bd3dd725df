"""Layers: modules that hold their parameters, and the same computations as functions.

`dir(minigrad.nn)` lists them, and `help(minigrad.nn.Linear)` tells of one.
"""

from minigrad.nn import functional, init, modules, parallel, parameter, utils
from minigrad.nn.modules import *  # noqa: F403  # the layers, all of them
from minigrad.nn.parallel import DataParallel
from minigrad.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter
from minigrad.tensors.errors import advised

__all__ = ["DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter"]
__all__ += ["functional", "init", "modules", "parallel", "parameter", "utils", *vars(modules)["__all__"]]

globals().update(advised(__name__, __all__))
# As in PyTorch: `help(minigrad.nn)` would tell of each layer all that it has of `Module`.
del __all__, advised
