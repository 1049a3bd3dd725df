"""Layers: modules that hold their parameters, and the same computations as functions.

`dir(minigrad.nn)` lists them, and `help(minigrad.nn.Linear)` tells of one.
"""

# By two names: so type checkers know what is for others.
from minigrad.nn import (
    functional as functional,
    init as init,
    modules as modules,
    parameter as parameter,
    utils as utils,
)
from minigrad.nn.modules import *  # noqa: F403  # the layers, all of them
from minigrad.nn.modules.container import DataParallel as DataParallel, DistributedDataParallel as _OfGroup
from minigrad.nn.parameter import *  # noqa: F403
from minigrad.tensors.errors import add_module, advised

parallel = add_module(f"{__name__}.parallel", DataParallel, _OfGroup)
_listed = [name for name in globals() if not name.startswith("_") and name not in ("add_module", "advised")]
globals().update(advised(__name__, _listed))
# As in PyTorch: `help(minigrad.nn)` would tell of each layer all that it has of `Module`.
del _listed, add_module, advised
