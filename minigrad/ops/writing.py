"""Writing to a tensor: how a write is recorded, and the operations that write: to all of it, or at an index.

A write to `x` gives it the history of what is written, computed from `x` as it was before; what the nodes between the
two keep is made safe from the write.  A write to a view `v` of `x` gives `x` a new history, Overwrite(x, v's new
values); and each view of `x`, however it was made, becomes a StridedView of this new `x`: so a gradient flows from any
of them through the write.  Functions that write at places do so into a copy, too.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, Self

import numpy as np

from minigrad import tensors
from minigrad.core.dtypes import HALVES, Array, Number
from minigrad.core.modes import current
from minigrad.core.ops import Reshape, cast, common_shape, in_shape, sum_to, zeroed
from minigrad.core.tape import Node, Output, Unary, edge_to, next_number, quiet, released
from minigrad.core.tensor import Function, Operand, Tensor, check_keeps_shape, members, method, storage_of
from minigrad.declare import as_number, op, with_pytorch_errors
from minigrad.ops import arguments, indexing
from minigrad.ops.arguments import as_int64, normal_dim
from minigrad.ops.indexing import INDEX_DTYPES, Index, IndexInto, PutIndex, Slice, all_dims, check_range
from minigrad.ops.shapes import expanded_shape

P = ParamSpec("P")

# For fewer elements of a mask, or fewer indices, NumPy's own assignment of a number is used, which is slow for many.
_FEW, _PLACES = 2**12, (np.dtype(bool), *INDEX_DTYPES)

# ---- what is written -------------------------------------------------------------------------------------------------


class Copy(Node):
    """`b`, written over `a`, to whose shape it broadcasts; or something without a gradient, if there is no `b`."""

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
    """The methods by which operations write to a tensor, and record that."""

    __slots__ = ()

    def _rewrite(self, compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Write `compute(this tensor as it was before, …)` into this tensor, which gets the history of the result."""
        oldest, recorded = next_number(), current.enabled
        self._check_recordable()
        # Only what is recorded refers to the tensor as it was.
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
                # In PyTorch, operation and cast are one node.
                result._node.form = made.name()
        self._check_recordable(recorded)
        self._check_writable()
        # Most often there is one node between the two, which keeps nothing.
        if recorded and ((last := result._node.node).keep is not None or last.number > oldest + 1):
            self._secure(result, before, oldest)
        array[...] = result._array
        storage_of(self).version += 1
        if recorded:
            self._follow(result._node, self._node)
        return self

    def _computed_in_place(self, ufunc: Callable[..., Array], other: Any) -> bool:
        """Try to compute `ufunc(this tensor, other)` in the memory of this tensor; whether that was possible.

        It is if nothing is to be recorded or converted.
        """
        array, tensor = self._array, isinstance(other, Tensor)
        recorded = current.enabled and (self.requires_grad or (tensor and other._requires_grad))
        taken = not other.is_sparse if tensor else type(other) in (int, float) and abs(other) < 2**63
        # Halves beside a number are computed in float32.
        if recorded or not taken or array.dtype in HALVES:
            return False
        try:
            # NumPy checks dtypes, shapes and flags before it writes, and copies operands that overlap in another way
            # than element by element.
            quiet().run(ufunc, array, other._array if tensor else other, out=array, casting="no")
        except (OverflowError, TypeError, ValueError):
            return False  # It has to be converted, or is wrong: `_rewrite` handles both.
        storage_of(self).version += 1
        return True

    def _before(self) -> Tensor:
        """A tensor with the values and history that this one has now, and on its memory."""
        before = self._new(self._array, self._node)
        before._requires_grad = self._requires_grad
        return before

    def _refill(self, write: Callable[[Array], object], node: Node | str, inputs: Sequence[Tensor] = ()) -> Self:
        """Let `write` change the array; `node`, which has these further inputs, records the write.

        Its gradients may read the earlier values.  A node whose result does not depend on them is given by its name.
        """
        recorded = self._requires_grad
        for x in inputs:
            recorded = recorded or x._requires_grad
        recorded = recorded and current.enabled
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
            edges, earlier = (edge_to(self), *map(edge_to, inputs)) if inputs else (edge_to(self),), self._node
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
        """Make `node` the history of this tensor in place of `earlier`; its base, and all views of that, follow."""
        base = self if self._base is None else self._base
        if base is self:
            self._node, self._requires_grad = node, True
            tensors.hooks.keep_retaining(self, earlier)
        else:
            base_node = base._node
            Overwrite(Layout(self._array, base._array)).record((edge_to(base), node), (), base)
            tensors.hooks.keep_retaining(base, base_node)
        for reference in tuple(storage_of(self).views):
            view = reference()
            if view is not None and view._base is base:
                before = earlier if view is self else view._node
                follow(view, base)
                tensors.hooks.keep_retaining(view, before)

    def _check_recordable(self, recorded: bool = False) -> None:
        """Raise a RuntimeError if an in-place operation on this tensor is `recorded`, and cannot be."""
        base = self if self._base is None else self._base
        # A leaf may be a view itself, and its views are then views of what it is a view of.
        if base._node is None and self.requires_grad and current.enabled:
            remedy = "Update it: with torch.no_grad(): w -= lr * w.grad. To add up a loss, start with loss = 0."
            if base is not self:
                remedy = "Write to a part of it under no_grad(): with torch.no_grad(): w[0] = value."
            problem = f"{'' if base is self else 'a view of '}a leaf Variable that requires grad"
            raise RuntimeError(f"{problem} is being used in an in-place operation. {remedy}")
        if base is not self and self._maker and (recorded or (current.enabled and self.requires_grad)):
            raise RuntimeError(refusal(self._maker, "and is being modified inplace"))

    def _check_writable(self) -> None:
        """Raise a RuntimeError unless each element has a place of its own in memory that can be written."""
        if not self._array.flags.writeable:
            problem = "unsupported operation: more than one element of the written-to tensor refers to a single memory"
            remedy = "Please clone() the tensor before performing the operation, also of a part of an expanded tensor"
            raise RuntimeError(f"{problem} location. {remedy}, or one on a read-only NumPy array.")


# ---- views by their layout alone -------------------------------------------------------------------------------------


class Layout:
    """The shape, strides and offset of `view` in the memory of `base`, counted in elements."""

    def __init__(self, view: Array, base: Array) -> None:
        offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0] if view.size else 0
        self.base_shape, self.shape, self.offset = base.shape, view.shape, offset // base.itemsize
        self.base_steps, self.steps = [[step // base.itemsize for step in array.strides] for array in (base, view)]
        self.in_order = base.flags.c_contiguous

    def over(self, values: Array) -> tuple[Array, Array]:
        """New memory with these values, which are in the base's shape: as the base, and as the view, see it."""
        size = values.itemsize
        if self.in_order:
            # The result is no view, so that the walk can add to it in place.
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
    """The view of `x` that has this layout."""

    form = "AsStridedBackward0"
    formulas = ("dx = PutIndex(g), at the places of the view: elements at one place add up",)
    layout: Layout

    def dx(self, g: Tensor) -> Tensor:
        shape = self.layout.base_shape
        return PutIndex(shape, tuple(range(len(shape)))).of(g, g._new(self.layout.places()))


class Overwrite(Node):
    """`y = x`, with `v` written over the view of y that has this layout."""

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
        return dx, None if to_v is None else Index(dims).of(g, places)


class Refused(Unary):
    """The history of a view that cannot follow a write: a backward pass through it is an error."""

    made_by: str

    def dx(self, g: Tensor) -> Tensor:
        raise RuntimeError(refusal(self.made_by, "and its base or another view of its base has been modified inplace"))


def follow(view: Tensor, base: Tensor) -> None:
    """Give `view` a new history: it is a view of `base` as that is now."""
    node = Refused(view._maker) if view._maker else StridedView(Layout(view._array, base._array))
    node.record((base._node,), (base,), view)


def refusal(made_by: str, what: str) -> str:
    """The error for a write that cannot be recorded, because of how the view was made: see `share_storage`."""
    if made_by == "no_grad":
        return (
            f"A view was created in no_grad mode {what} with grad mode enabled. Given that this use case is ambiguous "
            "and error-prone, it is forbidden. Make the view and write to it both inside of no_grad(), or both outside."
        )
    return (
        f"Output 0 of {made_by} is a view {what}. This view is the output of a function that returns multiple views "
        "(or of a custom Function that returned its input). Write out of place, x = x + 1 in place of x += 1."
    )


# ---- everywhere ------------------------------------------------------------------------------------------------------


@op("Tensor")
def copy_(input: Tensor, other: Tensor, non_blocking: bool = False) -> Tensor:
    """Write the elements of `other`, which broadcasts to this shape, in this tensor's dtype.

    >>> import minigrad as torch
    >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    source = cast(other if isinstance(other, Tensor) else input._new(np.asarray(as_number(other))), input.dtype)
    node = Copy()
    # NumPy, too, reads what overlaps before it writes.
    return input._refill(lambda array: node.write(array, source._array), node, (source,))


@op("Tensor")
def fill_(input: Tensor, value: Operand) -> Tensor:
    """Write the number `value` everywhere.

    >>> import minigrad as torch
    >>> torch.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor: copy_() takes any that broadcasts")
        if value._requires_grad and current.enabled:
            return write_into(input, Copy("FillBackward3"), cast(value, input.dtype))
    filler = arguments.filler(as_number(value.detach() if isinstance(value, Tensor) else value), input.dtype)
    return input._refill(lambda array: array.fill(filler), "FillBackward2")


@method("zero_")
def zero_(self: Tensor) -> Tensor:
    """Write 0 everywhere."""
    return self._refill(lambda array: array.fill(0), "ZeroBackward0")


# ---- x[index] = value ------------------------------------------------------------------------------------------------


@method("__setitem__")
def setitem(self: Tensor, index: object, value: object) -> None:
    """Write `value`, a tensor or a number, to the elements that `index` selects, and record that it was written."""
    if not isinstance(value, (Tensor, int, float, np.generic)) or type(value) in (np.float16, np.float32):
        kind = f"torch.{self.dtype._tensor_name}Tensor"
        raise TypeError(f"can't assign a {type(value).__name__} to a {kind}: torch.tensor(value)")
    if isinstance(value, int):
        as_int64(int(value))
    given: Any = value if isinstance(value, Tensor) else self._new(arguments.assigned(value, self.dtype))
    recorded = current.enabled and (self._requires_grad or given._requires_grad)
    items = index if type(index) is tuple else (index,)
    named = index._array if isinstance(index, Tensor) and index._array.dtype in _PLACES else None
    few = given is not value and named is not None and 0 < named.size < _FEW
    if not recorded and (few or all([indexing.is_plain(item) for item in items])):
        key: Any = named if few else items
        try:
            self._refill(lambda array: quiet().run(array.__setitem__, key, given._array), "")
        except (IndexError, ValueError, TypeError):
            pass  # The code below raises the right error.
        else:
            return
    view: Any
    view, found = indexing.taken_apart(self, index)
    view._check_recordable(recorded)
    fitted = fitting(given, self, found) if isinstance(value, Tensor) else given
    if found:
        dims, places = indexing.located(view, found)
        try:
            write_into(view, IndexInto(dims), fitted, places)
        except IndexError:
            indexing.check_places(places, view._array.shape, dims)
            raise
        except ValueError as error:
            raise tensors.failures.beyond_numpy(error) from None
    else:
        expanded_shape(view._array.shape, fitted._array.shape)
        is_number = given._array.ndim == 0 and view._array.ndim
        write_into(view, Copy("FillBackward3") if is_number else Copy(), fitted)


def write_into(x: Any, node: Any, *inputs: Tensor) -> Tensor:
    """Let `node` write what it computes of these inputs into `x` itself."""
    # An input on the same memory must not change while it is read.
    arrays = [each.copy() if np.may_share_memory(each, x._array) else each for each in [y._array for y in inputs]]
    return x._refill(lambda array: quiet().run(node.write, array, *arrays), node, inputs)


def fitting(value: Tensor, x: Tensor, found: list[tuple[int, Any]]) -> Any:
    """`value` without leading dimensions of size 1, in the dtype of `x`, to which it is to be written."""
    shape = value._array.shape
    while shape[:1] == (1,):
        shape = shape[1:]
    if found and value._array.dtype is not x._array.dtype:
        mask = found[0][1]._array
        if not (value._array.size == len(found) == 1 and mask.dtype == bool and mask.ndim):
            raise RuntimeError(f"Index put requires the source and destination dtypes match: value.to({x.dtype!r})")
        # PyTorch fills the places of a mask with a number, and so takes one of any dtype, if it has a place there.
        arguments.converted(value._array, x.dtype)
    fitted = in_shape(value, shape)
    return fitted if fitted._array.dtype is x._array.dtype else cast(fitted, x.dtype)


# ---- into a copy, or in place ----------------------------------------------------------------------------------------


def writing(prepare: Callable[P, Any]) -> Callable[P, Tensor]:
    """The decorator of a function that checks its arguments, and returns the node that writes, and its other inputs.

    It declares the function and the method, which write into a copy, and the form in place.
    """

    @functools.wraps(prepare)
    def function(input: Any, *args: Any, **kwargs: Any) -> Any:
        node, *inputs = prepare(input, *args, **kwargs)
        return node.of(input, *inputs)

    function.__annotations__ = {**prepare.__annotations__, "return": "Tensor"}

    def in_place(method: Function) -> Function:
        @functools.wraps(prepare)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            self._check_recordable()
            node, *inputs = prepare(self, *args, **kwargs)
            return write_into(self, node, *inputs)

        call.__name__ += "_"
        return with_pytorch_errors(call)(True)

    told: Any = op(in_place=in_place)(function)
    return told


def _along(name: str, x: Tensor, dim: int, index: Tensor, src: Tensor) -> tuple[Any, Any]:
    """The part of `src` that is written, and the places, which `index` names along `dim`."""
    at, shape = normal_dim(dim, x._array.ndim), index._array.shape
    if x._array.dtype != src._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype: src.to({x.dtype!r})")
    places = indexing.checked_along(name, x._array, at, index._array, src._array.shape)
    if shape != src._array.shape:
        # An empty index takes no element, and may have any dimensions.
        limits = [slice(size) for size in (shape or (1,))[: src._array.ndim]]
        src = Reshape(shape).of(Slice(tuple(limits)).of(src) if places.size else src.flatten()[:0])
    return src, x._new(places)


@writing
def scatter(input: Tensor, dim: int, index: Tensor, src: Operand | None = None, *, value: Number | None = None) -> Any:
    """A copy with `y[i, …, index[i, …, k], …, k] = src[i, …, k]` along `dim`: there, elements of `src` or a number.

    `index` has the dimensions of `src` and is no larger; both may be smaller than this tensor.  Which of several
    elements for one place stays is open: `scatter_add` counts all of them.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    number = value if src is None else src
    if number is None:
        raise TypeError('scatter() missing 1 required positional arguments: "src", a tensor, or "value", a number')
    if isinstance(number, Tensor):
        return IndexInto(all_dims(input), False, "ScatterBackward0"), *_along("scatter", input, dim, index, number)
    at, ids, filler = normal_dim(dim, input._array.ndim), index._array, arguments.filler(number, input.dtype)
    places = indexing.checked_along("scatter", input._array, at, ids, ids.shape)
    return IndexInto(all_dims(input), False, "ScatterBackward1"), input._new(filler), input._new(places)


@writing
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """A copy with `y[i, …, index[i, …, k], …, k] += src[i, …, k]` along `dim`, where all for one place count.

    The adjoint of `gather`.

    >>> import minigrad as torch
    >>> torch.zeros(3).scatter_add(0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 10.0, 100.0]))
    tensor([ 10.,   0., 101.])
    """
    return IndexInto(all_dims(input), True, "ScatterAddBackward0"), *_along("scatter_add", input, dim, index, src)


@writing
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Any:
    """A copy with `y[…, index[j], …] += alpha * source[…, j, …]` along `dim`, where all for one place add up.

    >>> import minigrad as torch
    >>> torch.zeros(3).index_add(0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 10.0, 100.0]))
    tensor([ 10.,   0., 101.])
    """
    at, places = indexing.vector_along("index_add_", input, dim, index)
    shape, rows = input._array.shape, source._array
    wanted = (*shape[:at], places._array.size, *shape[at + 1 :])
    if input._array.dtype != rows.dtype or rows.shape != wanted:
        problem = "source tensor shape must match self tensor shape, excluding the specified dimension"
        raise RuntimeError(f"{problem}: {list(wanted)}, and its dtype {input.dtype!r}")
    if rows.size:
        check_range(places._array, shape[at], at, RuntimeError if len(shape) > 1 else IndexError, False)
    scale = alpha if type(alpha) is int and alpha == 1 else arguments.filler(alpha, input.dtype)
    return (IndexInto((at,), True, "IndexAddBackward0"), source if scale == 1 else source * input._new(scale), places)


@writing
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Any:
    """A copy with `y[…, index[j], …] = value` along `dim`, for a number, or a 0-d tensor that requires no gradient.

    >>> import minigrad as torch
    >>> torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 7.0)
    tensor([7., 0., 7.])
    """
    if index._array.dtype != np.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index, got {index.dtype!r}: index.long()")
    at, places = indexing.vector_along("index_fill_", input, dim, index, RuntimeError)
    filler = input._new(arguments.filler(as_number(value), input.dtype))
    ids = check_range(places._array if input._array.size else places._array[:0], input._array.shape[at], at)
    return IndexInto((at,), False, "IndexFillBackward0"), filler, input._new(ids)


@writing
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Any:
    """A copy with `y[indices] = values`; `y[indices] += values`, where all for one place add up, if `accumulate`.

    `indices` are integer tensors or masks for the leading dimensions.

    >>> import minigrad as torch
    >>> torch.zeros(3).index_put((torch.tensor([0, 2]),), torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    if isinstance(indices, Tensor):
        raise TypeError("index_put() expects a tuple of tensors")
    if any([index._array.dtype.kind in "bu" and not index._array.ndim for index in indices]):
        raise IndexError("index_put(): a 0-d mask is not supported here: x[indices] = values takes one")
    given = tuple([index if index._array.ndim else index.reshape(1) for index in indices])
    _, found = indexing.taken_apart(input, given)
    if not found:
        raise RuntimeError("index_put(): expected at least one index tensor, got none")
    fitted = fitting(values, input, found)
    dims, places = indexing.located(input, found)
    indexing.check_places(places, input._array.shape, dims)
    return IndexInto(dims, accumulate, "IndexPutBackward0"), fitted, places
