"""Modules that share out their work: there is one device, and one process."""

from __future__ import annotations

from typing import Any

from minigrad.nn.modules.module import Module
from minigrad.tensors.machine import of_group

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """A module under the name `module`: on one device there is nothing to share out, and a call is its call."""

    def __init__(self, module: Module, device_ids: object = None, output_device: object = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """What a group of processes trains together: a ValueError, since there is no group."""

    __init__ = of_group
