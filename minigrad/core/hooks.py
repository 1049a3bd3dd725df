"""What a user may hang on a graph: hooks on gradients, tensors that retain theirs, traces of where nodes were made."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .base import TensorBase

Hook: TypeAlias = Callable[..., Any]
Hooks: TypeAlias = dict[int, Hook]


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook off again, and so does the end of a `with` block."""

    _ids = itertools.count()

    def __init__(self, hooks: Hooks, hook: Hook) -> None:
        self.id = next(self._ids)
        self._hooks = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook off; nothing happens if it is off already."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Watch:
    """What is to be done when gradients arrive at a node.

    `hooks`
        lists of hooks: by the number of an output, for its gradient; "before" and "after" the node's backward.
    `retained`
        the tensors that keep their gradient in `.grad`, by the number of the output they are.
    `trace`
        the lines of the program that made the node, if it was made under `detect_anomaly`.
    """

    __slots__ = ("hooks", "retained", "trace")

    def __init__(self, trace: str | None = None) -> None:
        self.hooks: dict[int | str, Hooks] = {}
        self.retained: dict[int, weakref.ref[TensorBase]] = {}
        self.trace = trace

    def add(self, where: int | str, hook: Hook) -> RemovableHandle:
        """Call `hook` from now on."""
        return RemovableHandle(self.hooks.setdefault(where, {}), hook)


class AccumulateGrad:
    """Where the way of a gradient ends: it is added to the `.grad` of the leaf `variable`."""

    def __init__(self, variable: TensorBase) -> None:
        self.variable = variable
        self.next_functions: tuple[()] = ()

    def name(self) -> str:
        """The name PyTorch prints for it."""
        return "torch::autograd::AccumulateGrad"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and self.variable is other.variable

    def __hash__(self) -> int:
        return hash(self.variable)

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self.variable):#x}>"


def keep_retaining(x: TensorBase, earlier: Any) -> None:
    """Let `x`, if it retained its gradient at the edge `earlier`, retain it at the one it has now."""
    node, index = _place(earlier)
    reference = None if node is None or node.watch is None else node.watch.retained.get(index)
    if reference is not None and reference() is x:
        del node.watch.retained[index]
        retain_at(x)


def retain_at(x: TensorBase) -> None:
    """Let `x` keep its gradient in `.grad` when one arrives at the node that made it."""
    node, index = _place(x._node)
    node.watch = node.watch or Watch()
    node.watch.retained[index] = weakref.ref(x)


def _place(edge: Any) -> tuple[Any, int]:
    """The node that an edge leads to, and which of its outputs it is for."""
    return edge if isinstance(edge, tuple) else (edge, 0)


def leaf_hooks(leaf: TensorBase, kind: str = "_backward_hooks") -> Hooks:
    """The hooks on a leaf, to add to them."""
    hooks: Hooks = leaf.__dict__.setdefault(kind, {})
    return hooks


def run_hooks(hooks: Hooks, gradient: Any) -> Any:
    """The gradient after all hooks: each may return another one, of the same dtype and shape."""
    for hook in list(hooks.values()):
        result = hook(gradient)
        gradient = gradient if result is None else _replaced(hook, gradient, result)
    return gradient


def replaced_by(hook: Hook, gradients: Sequence[Any], result: Any) -> list[Any]:
    """The gradients after a hook of a node has seen them all and returned `result`: a tuple of others, or None."""
    if result is None:
        return list(gradients)
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}': one gradient each, or None")
    if len(result) != len(gradients):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(result)}, but expected "
            f"{len(gradients)})"
        )
    return [None if new is None else _replaced(hook, old, new) for old, new in zip(gradients, result, strict=True)]


def _replaced(hook: Hook, gradient: Any, result: Any) -> Any:
    """What a hook returned in place of a gradient, checked."""
    if not isinstance(result, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if gradient is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    new: Any = result
    if new.type() != gradient.type():
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {gradient.type()} got {new.type()})"
        )
    if new.shape != gradient.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value: from {gradient.shape} to {new.shape}")
    return new


def _name(hook: Hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)
