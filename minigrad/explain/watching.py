"""What a walk does at the nodes of a graph, seen by hooks that are gone when it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.hooks import Hook, Hooks, RemovableHandle
from minigrad.core.tape import Node


@dataclass(frozen=True)
class Visit:
    """What was noted at a node: of the gradients of its outputs, and of those of its inputs."""

    node: Node
    came_in: tuple[Any, ...]
    went_out: tuple[Any, ...]


class Watching:
    """A block in which each visit of a walk to one of `nodes` is noted, and which leaves the graph as it was.

    `note(gradient, changed)` says what to keep of a gradient, which may change later, and which a hook has `changed`.
    """

    def __init__(self, nodes: Iterable[Node], leaves: Iterable[Any], note: Callable[[Any, bool], Any]) -> None:
        self.visits: list[Visit] = []
        self.changed_leaves: set[int] = set()
        self._nodes, self._leaves, self._note = list(nodes), list(leaves), note
        self._unwatched = [node for node in self._nodes if node.watch is None]
        self._handles: list[RemovableHandle] = []
        # The gradients that hooks of others have seen, as they were before.
        self._before: dict[tuple[int, str, int], Array | None] = {}

    def __enter__(self) -> Watching:
        for node in self._nodes:
            for where, hooks in [] if node.watch is None else list(node.watch.hooks.items()):
                if hooks:
                    self._put_first(hooks, self._keeping(node, where))
            self._handles.append(node.register_hook(self._visiting(node)))
        for leaf in self._leaves:
            hooks = leaf.__dict__.get("_backward_hooks")
            if hooks:
                self._put_first(hooks, self._keeping(leaf, 0))
                self._handles.append(RemovableHandle(hooks, self._arriving(leaf)))
            hooks_after = leaf.__dict__.get("_post_accumulate_grad_hooks")
            if hooks_after:
                self._put_first(hooks_after, self._keeping_total(leaf))
                self._handles.append(RemovableHandle(hooks_after, self._totalled(leaf)))
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()
        # A node that is not watched takes the fast way; a hook of the walk may have hung something on it.
        for node in self._unwatched:
            watch = node.watch
            if watch is not None and not (any(watch.hooks.values()) or watch.retained):
                node.watch = None

    def _put_first(self, hooks: Hooks, hook: Hook) -> None:
        others = dict(hooks)
        hooks.clear()
        self._handles.append(RemovableHandle(hooks, hook))
        hooks.update(others)

    def _keeping(self, place: Any, where: int | str) -> Hook:
        """A hook that keeps what it sees: a gradient, or those before or after a node's backward."""

        def keep(gradients: Any, *_: Any) -> None:
            if isinstance(where, int):
                self._before[id(place), "in", where] = _array(gradients)
                return
            way = "in" if where == "before" else "out"
            for position, gradient in enumerate(gradients):
                # Hooks on a single gradient come before those on all of them.
                self._before.setdefault((id(place), way, position), _array(gradient))

        return keep

    def _visiting(self, node: Node) -> Hook:
        def visit(out: Sequence[Any], into: Sequence[Any]) -> None:
            noted = [
                tuple([self._note(g, self._changed(node, way, position, g)) for position, g in enumerate(gradients)])
                for way, gradients in (("in", into), ("out", out))
            ]
            self.visits.append(Visit(node, *noted))

        return visit

    def _arriving(self, leaf: Any) -> Hook:
        def arrive(gradient: Any) -> None:
            if self._changed(leaf, "in", 0, gradient):
                self.changed_leaves.add(id(leaf))

        return arrive

    def _keeping_total(self, leaf: Any) -> Hook:
        """A hook that keeps the `.grad` of a leaf to which all that arrived has been added."""

        def keep(_: Any) -> None:
            self._before[id(leaf), "total", 0] = _array(leaf._grad)

        return keep

    def _totalled(self, leaf: Any) -> Hook:
        def totalled(_: Any) -> None:
            if self._changed(leaf, "total", 0, leaf._grad):
                self.changed_leaves.add(id(leaf))

        return totalled

    def _changed(self, place: Any, way: str, position: int, gradient: Any) -> bool:
        """Whether the gradient is another one than before the hooks of others."""
        key = (id(place), way, position)
        if key not in self._before:
            return False
        before, now = self._before[key], _array(gradient)
        return (before is None) != (now is None) or (
            before is not None and now is not None and not np.array_equal(before, now, equal_nan=True)
        )


def _array(gradient: Any) -> Array | None:
    """The elements of a gradient, in an array of their own."""
    if gradient is None:
        return None
    return np.array((gradient.to_dense() if gradient.is_sparse else gradient).detach().numpy())
