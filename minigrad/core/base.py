"""What the engine knows of a tensor: an array, whether it requires a gradient, and where it came from."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .dtypes import Array

if TYPE_CHECKING:
    from .tape import Node, Output


class TensorBase:
    """An array with a place in the graph.

    `_array`
        the values, a NumPy array (never a NumPy scalar).
    `_node`
        the recorded operation that made this tensor (or which of its outputs this is), None for a leaf.
    `_requires_grad`
        whether a backward pass is to reach this tensor.
    `_grad`
        on a leaf, the sum of the gradients of all backward passes so far, or None.
    `_storage`
        what all tensors on one memory share, None until there is something to know of it.
    `_base`
        for a view, the tensor it is a view of, which is none itself.
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_base", "_grad", "_node", "_requires_grad", "_storage")

    #: Whether only some of the elements are in memory; such a tensor has no `_array`.
    is_sparse: ClassVar[bool] = False

    _array: Array
    _base: Any
    _grad: Any
    _node: Node | Output | None
    _requires_grad: bool
    _storage: Storage | None

    @staticmethod
    def _new(array: Any, node: Node | Output | None = None) -> Any:
        """A tensor of `array`, made by `node`; a plain one, also if it is made through a Parameter."""
        raise NotImplementedError


class Storage:
    """What all tensors on one memory share.

    `version`
        the number of in-place writes so far.
    `views`
        weak references to the views of it, with the operation that made each: their histories have to follow a
        write that is recorded.
    """

    __slots__ = ("_crowded", "version", "views")

    def __init__(self) -> None:
        self.version = 0
        self.views: list[tuple[weakref.ref[TensorBase], str]] = []
        self._crowded = 16

    def add_view(self, view: TensorBase, made_by: str) -> None:
        """Remember `view`; now and then, forget those that are gone."""
        self.views.append((weakref.ref(view), made_by))
        if len(self.views) > self._crowded:
            self.views = [each for each in self.views if each[0]() is not None]
            self._crowded = 16 + 2 * len(self.views)


def storage_of(x: TensorBase) -> Storage:
    """The storage of `x`, made now if nobody asked before."""
    if x._storage is None:
        x._storage = Storage()
    return x._storage


def version_of(x: TensorBase) -> int:
    """How many in-place writes the storage of `x` has seen."""
    return 0 if x._storage is None else x._storage.version


def copied(array: Array, order: Literal["K", "C"] = "K") -> Array:
    """A copy, in memory order "K" as the array is, or "C" contiguous."""
    # NumPy copies an expanded array in an order that PyTorch's views would not expect.
    return array.copy(order="C" if 0 in array.strides else order)


def share_storage(x: TensorBase, view: TensorBase, made_by: str = "") -> None:
    """Let `view`, whose array lies in that of `x`, count writes together with `x` and follow its history.

    `made_by` is empty, or says why this view must not be written to while operations are recorded: "no_grad" if it
    was made while they were not, else the name of the operation that made it as one of several.
    """
    storage = view._storage = storage_of(x)
    view._base = x if x._base is None else x._base
    storage.add_view(view, made_by)
