"""How a write in place is recorded.

A write to `x` gives it the history of what is written, computed from `x` as it was before; what the nodes between the
two keep is made safe from the write.  A write to a view `v` of `x` gives `x` a new history, Overwrite(x, v's new
values); and each view of `x`, however it was made, becomes a StridedView of this new `x`: so a gradient flows from any
of them through the write.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from minigrad.core.dtypes import HALVES, Array
from minigrad.core.elementwise import cast, zeroed
from minigrad.core.modes import current
from minigrad.core.shapes import common_shape, sum_to
from minigrad.core.tape import Node, Output, Unary, edge_to, next_number, quiet, released
from minigrad.core.tensor import Tensor, check_keeps_shape, members, storage_of
from minigrad.ops import arguments
from minigrad.ops.indexing import Index, IndexInto, PutIndex, all_dims
from minigrad.tensors.hooks import keep_retaining

# ---- what is written -------------------------------------------------------------------------------------------------


class Copy(Node):
    """`b`, written over `a`, to whose shape it broadcasts; or what has no gradient, if there is no such input."""

    formulas = ("da = 0", "db = g")
    form: str = "torch::autograd::CopyBackwards"

    def write(self, y: Array, value: Array) -> None:
        """Write into `y` itself."""
        self.value_shape = value.shape
        if y.shape != value.shape:
            check_keeps_shape(y.shape, common_shape((y.shape, value.shape)))
        y[...] = value

    da = staticmethod(zeroed)

    def db(self, g: Tensor) -> Tensor:
        return sum_to(g, self.value_shape)


# ---- the write -------------------------------------------------------------------------------------------------------


@members
class Recording(Tensor):
    """What a tensor does when it is written to."""

    __slots__ = ()

    def _rewrite(self, compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Take on the values and the history of `compute(this tensor as it was before, …)`."""
        oldest, recorded = next_number(), current.enabled
        self._check_recordable()
        # Where nothing is recorded, nobody looks at it as it was.
        before = self._before() if recorded else self
        result = compute(before, *args, **kwargs)
        if result is NotImplemented:
            return result
        array = self._array
        check_keeps_shape(array.shape, result._array.shape)
        recorded = recorded and result._requires_grad
        if result._array.dtype is not array.dtype:
            arguments.check_cast(result.dtype, self.dtype)
            made, result = result.grad_fn, cast(result, self.dtype)
            if recorded:
                # PyTorch takes both as one.
                result._node.form = made.name()
        self._check_recordable(recorded)
        self._check_writable()
        # Most often there is one node between the two, and keeps nothing.
        if recorded and (result._node.node.keep is not None or result._node.node.number > oldest + 1):
            self._secure(result, before, oldest)
        array[...] = result._array
        storage_of(self).version += 1
        if recorded:
            self._follow(result._node, self._node)
        return self

    def _wrote(self, ufunc: Callable[..., Array], other: Any) -> bool:
        """Whether `ufunc(this tensor, other)` could be computed in the memory of this tensor, and is there now.

        It is where nothing is recorded or converted.
        """
        array, tensor = self._array, isinstance(other, Tensor)
        recorded = current.enabled and (self.requires_grad or (tensor and other._requires_grad))
        taken = not other.is_sparse if tensor else type(other) in (int, float) and abs(other) < 2**63
        # Halves beside a number are computed in float32.
        if recorded or not taken or array.dtype in HALVES:
            return False
        try:
            # NumPy looks at dtypes, shapes and flags before it writes, and copies operands that overlap otherwise than
            # element by element.
            quiet().run(ufunc, array, other._array if tensor else other, out=array, casting="no")
        except (OverflowError, TypeError, ValueError):
            return False  # What has to be converted, or is wrong, is found where a new array is made.
        storage_of(self).version += 1
        return True

    def _before(self) -> Tensor:
        """This tensor as it is, with its history, whatever becomes of it."""
        before = self._new(self._array, self._node)
        before._requires_grad = self._requires_grad
        return before

    def _refill(self, write: Callable[[Array], object], node: Node | str, inputs: Sequence[Tensor] = ()) -> Self:
        """Let `write` change the array; `node`, which has these further inputs, records that.

        Its gradients read what was there as it was; or it is the name of one that forgets it.
        """
        recorded = self._requires_grad and current.enabled
        for x in inputs:
            recorded = recorded or (x._requires_grad and current.enabled)
        self._check_recordable(recorded)
        self._check_writable()
        before = None
        recording: Any = Copy(node) if recorded and isinstance(node, str) else node
        # (A gradient of the first input reads the input itself.)
        if recorded and 0 in recording.reads.get(0, ()):
            before = self._before()
            before._array = self._array.copy()
        write(self._array)
        storage_of(self).version += 1
        if recorded:
            edges, earlier = (edge_to(self), *map(edge_to, inputs)), self._node
            recording.record(edges, (before, *inputs), self)
            self._follow(recording, earlier)
        return self

    def _secure(self, result: Tensor, before: Tensor, oldest: int) -> None:
        """Let what the nodes between `before` and `result`, none older than `oldest`, keep survive the write.

        Kept inputs are copied, since their memory is written to; a kept output moves to that memory, so that a later
        write to it is noticed.
        """
        nodes: list[Node] = [result._node.node]
        for node in nodes:
            # (The first node after `oldest` has edges to older ones only.)
            for edge in node.edges if node.number > oldest + 1 else ():
                if isinstance(edge, (Node, Output)) and edge.node.number > oldest and edge.node not in nodes:
                    nodes.append(edge.node)
            entries = (node._kept if node.keep else None) or ()
            for position, (value, _) in enumerate(entries):
                if not isinstance(value, Tensor):
                    continue
                if value is before or value._base is before:
                    value._array = value._array.copy()
                elif value._array is result._array:
                    value._array = self._array
                    value._storage = storage_of(self)
                    node._kept = (*entries[:position], (value, value._storage.version + 1), *entries[position + 1 :])

    def _follow(self, node: Any, earlier: Any) -> None:
        """Let `node` be the history of this tensor, where `earlier` was; its base, and all views of that, follow."""
        base = self if self._base is None else self._base
        if base is self:
            self._node, self._requires_grad = node, True
            keep_retaining(self, earlier)
        else:
            base_node = base._node
            Overwrite(Layout(self._array, base._array)).record((edge_to(base), node), (), base)
            keep_retaining(base, base_node)
        for reference in tuple(storage_of(self).views):
            view = reference()
            if view is not None and view._base is base:
                before = earlier if view is self else view._node
                follow(view, base)
                keep_retaining(view, before)

    def _check_recordable(self, recorded: bool = False) -> None:
        """Nothing if an in-place operation on this tensor is not `recorded`, or can be; else a RuntimeError."""
        base = self if self._base is None else self._base
        if not (recorded or (current.enabled and (self._requires_grad or base._requires_grad))):
            return
        # A leaf may be a view itself, and its views are then views of what it is a view of.
        if base._node is None and (self._requires_grad or base._requires_grad):
            remedy = "Update it: with torch.no_grad(): w -= lr * w.grad. To add up a loss, start with loss = 0."
            if base is not self:
                remedy = "Write to a part of it under no_grad(): with torch.no_grad(): w[0] = value."
            problem = f"{'' if base is self else 'a view of '}a leaf Variable that requires grad"
            raise RuntimeError(f"{problem} is being used in an in-place operation. {remedy}")
        if base is not self and self._maker:
            raise RuntimeError(refusal(self._maker, "and is being modified inplace"))

    def _check_writable(self) -> None:
        """Nothing if each element has a place of its own in memory that can be written; else a RuntimeError."""
        if self._array.flags.writeable:
            return
        if 0 in self._array.strides:
            problem = "unsupported operation: more than one element of the written-to tensor refers to a single memory"
            raise RuntimeError(f"{problem} location. Please clone() the tensor before performing the operation.")
        place = "is a part of an expanded tensor, or lies on a read-only NumPy array"
        raise RuntimeError(f"the tensor {place}. Please clone() it before writing.")


# ---- views by their layout alone -------------------------------------------------------------------------------------


class Layout:
    """Where the elements of `view` lie in the memory of `base`, in elements."""

    def __init__(self, view: Array, base: Array) -> None:
        offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0] if view.size else 0
        self.base_shape, self.shape, self.offset = base.shape, view.shape, offset // base.itemsize
        self.base_steps, self.steps = [[step // base.itemsize for step in array.strides] for array in (base, view)]
        self.in_order = base.flags.c_contiguous

    def over(self, values: Array) -> tuple[Array, Array]:
        """Memory with these values, in the base's shape, laid out as it and as the view."""
        size = values.itemsize
        if self.in_order:
            # An array of its own: the walk adds to it in place.
            base = memory = values.copy(order="C")
        else:
            reach = [(count - 1) * step for count, step in zip(self.base_shape, self.base_steps, strict=True)]
            memory = np.empty(1 + sum(reach), values.dtype)
            base = np.ndarray(self.base_shape, values.dtype, memory, 0, [step * size for step in self.base_steps])
            base[...] = values
        steps = [step * size for step in self.steps]
        return base, np.ndarray(self.shape, values.dtype, memory, self.offset * size, steps)

    def places(self) -> Array:
        """For each element of the view its place in the base, all dimensions of which count as one."""
        return self.over(np.arange(math.prod(self.base_shape)).reshape(self.base_shape))[1].copy()


class StridedView(Unary):
    """The elements of `x` where a view of that layout has them: what is read at its places."""

    form = "AsStridedBackward0"
    formulas = ("dx = PutIndex(g), at the places of the view: elements at one place add up",)
    layout: Layout

    def dx(self, g: Tensor) -> Tensor:
        shape = self.layout.base_shape
        return PutIndex(shape, tuple(range(len(shape))))(g, g._new(self.layout.places()))


class Overwrite(Node):
    """`y = x` but for `y's view = v`: what is written at its places."""

    form = "torch::autograd::CopySlices"
    formulas = ("dx = g with zeros at the places of the view", "dv = Index(g), at these places")
    layout: Layout

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        # Nothing kept is read, but PyTorch has no second pass through a write either.
        if getattr(self, "_kept", ()) is None:
            raise released(self)
        layout, (to_x, to_v) = self.layout, self.edges
        if not current.enabled:
            whole, part = layout.over(g._array)
            read = g._new(part.copy())
            part[...] = 0
            return None if to_x is None else g._new(whole), None if to_v is None else read
        dims, places = all_dims(g), g._new(layout.places())
        dx = None if to_x is None else IndexInto(dims).da(g, places)
        return dx, None if to_v is None else Index(dims)(g, places)


class Refused(Unary):
    """The history that `follow` gives a view that it cannot follow: a backward pass through it is an error."""

    made_by: str

    def dx(self, g: Tensor) -> Tensor:
        raise RuntimeError(refusal(self.made_by, "and its base or another view of its base has been modified inplace"))


def follow(view: Tensor, base: Tensor) -> None:
    """Let the history of `view` be that it is a view of `base` as it is now."""
    node = Refused(view._maker) if view._maker else StridedView(Layout(view._array, base._array))
    node.record((base._node,), (base,), view)


def refusal(made_by: str, what: str) -> str:
    """Why a write is not recorded: `made_by` is "no_grad", or the name of what made the view as one of several."""
    if made_by == "no_grad":
        return (
            f"A view was created in no_grad mode {what} with grad mode enabled. Given that this use case is ambiguous "
            "and error-prone, it is forbidden. Make the view and write to it both inside of no_grad(), or both outside."
        )
    return (
        f"Output 0 of {made_by} is a view {what}. This view is the output of a function that returns multiple views "
        "(or of a custom Function that returned its input). Write out of place, x = x + 1 in place of x += 1."
    )
