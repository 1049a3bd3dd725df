"""Lazy layers: they learn the size of their input at the first call, and are then what they are named after."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from minigrad.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d
from minigrad.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose2d
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Uninitialized, UninitializedBuffer, UninitializedParameter

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose2d", "LazyLinear",
]  # fmt: skip


class LazyModuleMixin(Module):
    """What stands before a layer among the bases of its lazy form, which takes its arguments but for the first.

    Until the first call, or until a state is loaded, its parameters have no values and no shapes.
    """

    #: The layer that it becomes.
    cls_to_become: ClassVar[Any]
    #: The first argument, and the dimension of the input of which it is the size.
    _inferred: ClassVar[tuple[str, int]]

    def __init_subclass__(cls, first: str | None = None, dim: int = -1) -> None:
        super().__init_subclass__()
        if first is not None:
            cls.cls_to_become, cls._inferred = cls.__bases__[1], (first, dim)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, *args, **kwargs)  # type: ignore[call-arg]
        self._given = inspect.signature(self.cls_to_become).bind(0, *args, **kwargs).arguments
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(parameter.new_empty(0))
        for name, buffer in self._buffers.items():
            if buffer is not None and 0 in buffer.shape:
                self._buffers[name] = UninitializedBuffer(buffer)

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no values yet."""
        return any([isinstance(each, Uninitialized) for each in [*self.parameters(), *self.buffers()]])

    def reset_parameters(self) -> None:
        """Let the parameters start anew, if they have started."""
        if getattr(self, self._inferred[0]):
            super().reset_parameters()  # type: ignore[misc]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name, dim = self._inferred
        shape = (args or tuple(kwargs.values()))[0].shape
        if dim < -1 and len(shape) < -dim:
            ranks = f"{-dim}D (unbatched) or {1 - dim}D (batched)"
            raise RuntimeError(f"Expected {ranks} input to {type(self).__name__}, but got input of size: {shape}")
        size = shape[dim]
        own = self._parameters | self._buffers
        waiting = {key: each for key, each in own.items() if isinstance(each, Uninitialized)}
        if waiting:
            # Its first values are drawn in the dtype that it was converted to since.
            made = self.cls_to_become(**self._given | {name: size, "dtype": next(iter(waiting.values())).dtype})
            for key, each in waiting.items():
                each.become(getattr(made, key))
        setattr(self, name, size)
        del self._given
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)


class LazyLinear(LazyModuleMixin, Linear, first="in_features", dim=-1):
    """A `Linear` whose `in_features` is the last size of the first input.

    >>> import minigrad as torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> layer, layer.weight
    (LazyLinear(in_features=0, out_features=2, bias=True), <UninitializedParameter>)
    >>> y = layer(torch.ones(4, 3))
    >>> layer, layer.weight.shape
    (Linear(in_features=3, out_features=2, bias=True), torch.Size([2, 3]))
    """


class LazyBatchNorm1d(LazyModuleMixin, BatchNorm1d, first="num_features", dim=1):
    """A `BatchNorm1d` whose `num_features` is the number of channels of the first input."""


class LazyBatchNorm2d(LazyModuleMixin, BatchNorm2d, first="num_features", dim=1):
    """A `BatchNorm2d` whose `num_features` is the number of channels of the first input."""


class LazyConv1d(LazyModuleMixin, Conv1d, first="in_channels", dim=-2):
    """A `Conv1d` whose `in_channels` is the number of channels of the first input."""


class LazyConv2d(LazyModuleMixin, Conv2d, first="in_channels", dim=-3):
    """A `Conv2d` whose `in_channels` is the number of channels of the first input."""


class LazyConv3d(LazyModuleMixin, Conv3d, first="in_channels", dim=-4):
    """A `Conv3d` whose `in_channels` is the number of channels of the first input."""


class LazyConvTranspose2d(LazyModuleMixin, ConvTranspose2d, first="in_channels", dim=-3):
    """A `ConvTranspose2d` whose `in_channels` is the number of channels of the first input."""
