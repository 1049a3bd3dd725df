"""Whether operations are recorded: one switch per thread, and the ways to turn it for a while."""

from __future__ import annotations

import functools
import inspect
import warnings
from _thread import _local  # `threading.local`, without the rest of `threading`, which takes time to import
from collections.abc import Callable, Generator
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class _GradMode(_local):
    enabled: bool = True


current = _GradMode()


def is_grad_enabled() -> bool:
    """Whether operations on this thread are recorded for a backward pass.

    >>> import minigrad as torch
    >>> torch.is_grad_enabled()
    True
    """
    return current.enabled


class _Switch:
    """Sets grad mode to `mode` inside a `with` block, or during each call of a decorated function.

    A subclass that takes no mode may be the decorator without parentheses, `@no_grad`.
    """

    def __new__(cls: Any, mode: Any = None) -> Any:
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.earlier = current.enabled

    def __enter__(self) -> None:
        self.earlier, current.enabled = current.enabled, self.mode

    def __exit__(self, *exception: object) -> None:
        current.enabled = self.earlier

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isclass(function):
            warnings.warn("Decorating classes is deprecated: decorate their methods.", FutureWarning, stacklevel=2)

        # Each call has a switch of its own, so that a recursive one restores the right mode.
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with _Switch(self.mode):
                return function(*args, **kwargs)

        @functools.wraps(function)
        def steps(*args: P.args, **kwargs: P.kwargs) -> Any:
            generator: Any = function(*args, **kwargs)
            return (yield from _Steps(self.mode, generator))

        decorated: Any = steps if inspect.isgeneratorfunction(function) else call
        return decorated


class _Steps(Generator[Any, Any, Any]):
    """A generator whose body runs with grad mode at `mode`; between its steps, the caller's mode holds."""

    def __init__(self, mode: bool, generator: Generator[Any, Any, Any]) -> None:
        self.mode = mode
        self.generator = generator

    def send(self, value: object) -> Any:
        with _Switch(self.mode):
            return self.generator.send(value)

    def throw(self, *error: Any) -> Any:
        with _Switch(self.mode):
            return self.generator.throw(*error)


class no_grad(_Switch):
    """Operations inside are not recorded: their results do not require gradients.

    A context manager and a decorator; it holds for the current thread.

    >>> import minigrad as torch
    >>> from minigrad import tensor
    >>> x = tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_Switch):
    """Operations inside are recorded, also within a `no_grad` block.

    >>> import minigrad as torch
    >>> with torch.no_grad(), torch.enable_grad():
    ...     torch.is_grad_enabled()
    True
    """

    def __init__(self) -> None:
        super().__init__(True)


class inference_mode(_Switch):
    """As `no_grad`; with `mode=False`, as `enable_grad`.

    The tensors that PyTorch makes inside can never be part of a graph; here they are ordinary ones.

    >>> import minigrad as torch
    >>> with torch.inference_mode():
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)


class set_grad_enabled(_Switch):
    """From this call on, operations are recorded, or are not; in a `with` statement, until its end.

    >>> import minigrad as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    >>> torch.is_grad_enabled()
    True
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' must be bool, not {type(mode).__name__}")
        super().__init__(mode)
        current.enabled = mode

    def __enter__(self) -> None:
        """Do nothing: the constructor has set the mode, and remembers the earlier one."""

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        current.enabled = self.earlier
        return super().__call__(function)
