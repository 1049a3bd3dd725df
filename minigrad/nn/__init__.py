"""Layers: modules that hold their parameters, and the same computations as functions."""

from typing import TYPE_CHECKING

from minigrad.nn import functional, init, modules, utils
from minigrad.nn.modules import *  # noqa: F403  # the layers, all of them
from minigrad.nn.parameter import Parameter
from minigrad.tensors.errors import advised

__all__ = ["Parameter", "functional", "init", "modules", "utils"]
__all__ += modules.__all__

if not TYPE_CHECKING:  # Type checkers know what is there.
    __getattr__ = advised("minigrad.nn")
