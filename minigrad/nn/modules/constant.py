"""What layers without parameters have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


class ConstantLayer(Module):
    """A layer that computes `_function(*inputs, **constants)`.

    A subclass names the function, and gives its constants to `super().__init__`.  They are attributes, which can be
    changed later.
    """

    _function: ClassVar[Callable[..., Tensor]]
    #: Constants that the printed form leaves out if they are False.
    _silent: ClassVar[tuple[str, ...]] = ("inplace",)

    def __init__(self, **constants: Any) -> None:
        super().__init__()
        self._constants = tuple(constants)
        for name, value in constants.items():
            setattr(self, name, value)

    def _compute(self, *inputs: Any, **more: Any) -> Tensor:
        constants = {name: getattr(self, name) for name in self._constants}
        return type(self)._function(*inputs, **constants, **more)

    def extra_repr(self) -> str:
        named = [(name, getattr(self, name)) for name in self._constants]
        return ", ".join([f"{name}={value!r}" for name, value in named if value or name not in self._silent])
