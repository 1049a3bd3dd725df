"""What a walk does at the nodes of a graph, seen by hooks that are gone when it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from minigrad.autograd.hooks import Hooks, RemovableHandle, Watch
from minigrad.core.dtypes import Array
from minigrad.core.tape import Node

#: From what a hook is given, the gradients by their positions.
_Read: TypeAlias = Callable[[Any], dict[int, Any]]


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
            watch: Watch | None = node.watch
            for where, hooks in [] if watch is None else list(watch.hooks.items()):
                if isinstance(where, int):
                    self._keep_first(hooks, node, "in", partial(_at, where))
                else:
                    self._keep_first(hooks, node, "in" if where == "before" else "out", lambda gs: dict(enumerate(gs)))
            self._handles.append(node.register_hook(partial(self._visit, node)))
        for leaf in self._leaves:
            self._leaf(leaf, "_backward_hooks", partial(_at, 0))
            # These are given the leaf, to whose `.grad` all that arrived has been added.
            self._leaf(leaf, "_post_accumulate_grad_hooks", lambda leaf: {0: leaf._grad})
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()
        # A node that is not watched takes the fast way; a hook of the walk may have hung something on it.
        for node in self._unwatched:
            watch = node.watch
            if watch is not None and not (any(watch.hooks.values()) or watch.retained):
                node.watch = None

    def _keep_first(self, hooks: Hooks, place: Any, way: str, read: _Read) -> None:
        """Before hooks that are there, let one run that keeps what they will see."""

        def keep(given: Any, *_: Any) -> None:
            for position, gradient in read(given).items():
                # Hooks on a single gradient come before those on all of them.
                self._before.setdefault((id(place), way, position), _array(gradient))

        if hooks:
            others = dict(hooks)
            hooks.clear()
            self._handles.append(RemovableHandle(hooks, keep))
            hooks.update(others)

    def _visit(self, node: Node, out: Sequence[Any], into: Sequence[Any]) -> None:
        came_in, went_out = [
            tuple([self._note(g, self._changed(node, way, position, g)) for position, g in enumerate(gradients)])
            for way, gradients in (("in", into), ("out", out))
        ]
        self.visits.append(Visit(node, came_in, went_out))

    def _leaf(self, leaf: Any, field: str, read: _Read) -> None:
        """Between a first and a last hook of a leaf, find out whether the others change anything."""

        def arrive(given: Any) -> None:
            if self._changed(leaf, field, 0, read(given)[0]):
                self.changed_leaves.add(id(leaf))

        hooks = leaf.__dict__.get(field)
        if hooks:
            self._keep_first(hooks, leaf, field, read)
            self._handles.append(RemovableHandle(hooks, arrive))

    def _changed(self, place: Any, way: str, position: int, gradient: Any) -> bool:
        """Whether the gradient is another one than before the hooks of others."""
        key = (id(place), way, position)
        if key not in self._before:
            return False
        before, now = self._before[key], _array(gradient)
        if before is None or now is None:
            return before is not now
        return not np.array_equal(before, now, equal_nan=True)


def _at(position: int, gradient: Any) -> dict[int, Any]:
    return {position: gradient}


def _array(gradient: Any) -> Array | None:
    """The elements of a gradient, in an array of their own."""
    if gradient is None:
        return None
    return np.array((gradient.to_dense() if gradient.is_sparse else gradient).detach().numpy())
