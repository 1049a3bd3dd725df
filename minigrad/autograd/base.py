"""What the engine knows of a tensor: an array, whether it requires a gradient, and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.autograd.node import Node


class TensorBase:
    """An array with a place in the graph.

    `_array`
        the values, a NumPy array (never a NumPy scalar).
    `_node`
        the recorded operation that made this tensor, None for a leaf.
    `_requires_grad`
        whether a backward pass is to reach this tensor.
    `_grad`
        on a leaf, the sum of the gradients of all backward passes so far, or None.
    `_counter`
        the number of in-place writes so far and the number of views taken; all tensors on one storage
        share this list.
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_counter", "_grad", "_node", "_requires_grad")

    _array: Array
    _node: Node | None
    _requires_grad: bool
    _grad: Any
    _counter: list[int]

    @staticmethod
    def _new(array: Any, node: Node | None = None) -> Any:
        """A tensor of `array`, made by `node`; a plain one, also if it is made through a Parameter."""
        raise NotImplementedError


def share_storage(x: TensorBase, view: TensorBase) -> None:
    """Let `view`, whose array lies in that of `x`, count writes together with `x`."""
    view._counter = x._counter
    x._counter[1] += 1
