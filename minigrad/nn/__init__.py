"""Layers: modules that hold their parameters, and the same computations as functions."""

from typing import TYPE_CHECKING

from minigrad.missing import advice
from minigrad.nn import functional, init, modules, utils
from minigrad.nn.modules import *  # noqa: F403  # the layers, all of them
from minigrad.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "utils"]
__all__ += modules.__all__

if not TYPE_CHECKING:  # Type checkers know what is there.

    def __getattr__(name: str) -> None:
        """An error: what is there is found without asking here."""
        raise AttributeError(f"module 'minigrad.nn' has no attribute {name!r}{advice('minigrad.nn', name)}")
