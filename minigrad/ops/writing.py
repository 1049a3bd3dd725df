"""Writing to a tensor: all of it, or places of it by `x[index] = value` and by functions, also into a copy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from minigrad.core.dtypes import Number
from minigrad.core.elementwise import cast
from minigrad.core.modes import is_grad_enabled
from minigrad.core.shapes import Reshape, in_shape
from minigrad.core.tape import quiet
from minigrad.core.tensor import Function, Operand, Tensor, method
from minigrad.declare import as_number, op, telling
from minigrad.ops import arguments, indexing
from minigrad.ops.arguments import as_int64, normal_dim
from minigrad.ops.indexing import INDEX_DTYPES, IndexInto, Slice, all_dims, check_range
from minigrad.ops.recording import Copy
from minigrad.ops.shapes import expanded_shape
from minigrad.tensors.errors import beyond_numpy

P = ParamSpec("P")

# A number is written at the places of so small a mask as NumPy does it, which takes several times as long at many.
_FEW = 2**12

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
        if value._requires_grad and is_grad_enabled():
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
        kinds = f"a {type(value).__name__} to a torch.{self.dtype._tensor_name}Tensor"
        raise TypeError(f"can't assign {kinds}: torch.tensor(value)")
    if isinstance(value, int):
        as_int64(int(value))
    given: Any = value if isinstance(value, Tensor) else self._new(arguments.assigned(value, self.dtype))
    recorded = is_grad_enabled() and (self._requires_grad or given._requires_grad)
    items = index if type(index) is tuple else (index,)
    mask = index._array if isinstance(index, Tensor) and index._array.dtype == bool else None
    few = given is not value and mask is not None and 0 < mask.size < _FEW
    if not recorded and (few or all([indexing.is_plain(item) for item in items])):
        key: Any = mask if few else items
        try:
            self._refill(lambda array: quiet().run(array.__setitem__, key, given._array), "")
        except (IndexError, ValueError, TypeError):
            pass  # What is wrong with it is told below.
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
            raise beyond_numpy(error) from None
    else:
        expanded_shape(view._array.shape, fitted._array.shape)
        is_number = given._array.ndim == 0 and view._array.ndim
        write_into(view, Copy("FillBackward3") if is_number else Copy(), fitted)


def write_into(x: Any, node: Any, *inputs: Tensor) -> Tensor:
    """Let `node` write what it makes of these inputs into `x` itself."""
    # What is read must not change while it is read.
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
            kinds = f"{x.dtype._tensor_name} for the destination and {value.dtype._tensor_name} for the source"
            raise RuntimeError(f"Index put requires the source and destination dtypes match, got {kinds}")
        # PyTorch fills the places of a mask with a number, and so takes one of any dtype, if it has a place there.
        arguments.converted(value._array, x.dtype)
    fitted = in_shape(value, shape)
    return fitted if fitted._array.dtype is x._array.dtype else cast(fitted, x.dtype)


# ---- into a copy, or in place ----------------------------------------------------------------------------------------


def writing(prepare: Callable[P, Any]) -> Callable[P, Tensor]:
    """The decorator of a function that checks its arguments, and says what is written: a node, and its other inputs.

    From it follow the function and the method, which write into a copy, and the form in place.
    """

    @functools.wraps(prepare)
    def function(input: Any, *args: Any, **kwargs: Any) -> Any:
        node, *inputs = prepare(input, *args, **kwargs)
        return node(input, *inputs)

    function.__annotations__ = {**prepare.__annotations__, "return": "Tensor"}

    def in_place(method: Function) -> Function:
        @functools.wraps(prepare)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            self._check_recordable()
            node, *inputs = prepare(self, *args, **kwargs)
            return write_into(self, node, *inputs)

        call.__name__ += "_"
        return telling(call, 0)

    told: Any = op(in_place=in_place)(function)
    return told


def _along(name: str, x: Tensor, dim: int, index: Tensor, src: Any) -> tuple[Any, Any]:
    """Of `src`, a tensor or a number, what goes to the places that `index` names along `dim`, and these."""
    at, shape = normal_dim(dim, x._array.ndim), index._array.shape
    if not isinstance(src, Tensor):
        places = indexing.checked_along(name, x._array, at, index._array, shape)
        return x._new(arguments.filler(src, x.dtype)), x._new(places)
    if x._array.dtype != src._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype: src.to({x.dtype!r})")
    places = indexing.checked_along(name, x._array, at, index._array, src._array.shape)
    if shape != src._array.shape:
        # An empty index takes no element, and may have any dimensions.
        limits = (shape or (1,))[: src._array.ndim] if places.size else (0,)
        src = src if places.size else Reshape((src._array.size,))(src)
        src = Reshape(shape)(Slice(tuple([slice(size) for size in limits]))(src))
    return src, x._new(places)


@writing
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Operand | None = None, *, value: Number | None = None,
    reduce: str | None = None,
) -> Any:  # fmt: skip
    """A copy with `y[i, …, index[i, …, k], …, k] = src[i, …, k]` along `dim`: there, elements of `src` or a number.

    `index` has the dimensions of `src` and is no larger; both may be smaller than this tensor.  Which of several
    elements for one place stays is open.  With `reduce="add"`, all of them count.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    if reduce not in (None, "add"):
        raise RuntimeError('reduce argument must be either None or "add"')
    number = value if src is None else src
    if number is None:
        raise TypeError('scatter() missing 1 required positional arguments: "src", a tensor, or "value", a number')
    form = "ScatterAddBackward0" if reduce else f"ScatterBackward{0 if isinstance(number, Tensor) else 1}"
    return IndexInto(all_dims(input), reduce == "add", form), *_along("scatter", input, dim, index, number)


@writing
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """A copy with `y[i, …, index[i, …, k], …, k] += src[i, …, k]` along `dim`, where all for one place count.

    The adjoint of `gather`.

    >>> import minigrad as torch
    >>> torch.zeros(3).scatter_add(0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 10.0, 100.0]))
    tensor([ 10.,   0., 101.])
    """
    if not isinstance(src, Tensor):
        raise TypeError(f"scatter_add(): argument 'src' must be Tensor, not {type(src).__name__}")
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
    if places._array.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index, got {index.dtype!r}: index.long()")
    wanted = (*shape[:at], places._array.size, *shape[at + 1 :])
    if input._array.dtype != rows.dtype or rows.shape != wanted:
        problem = "source tensor shape must match self tensor shape, excluding the specified dimension"
        raise RuntimeError(f"{problem}: {list(wanted)}, and its dtype {input.dtype!r}")
    if rows.size:
        check_range(places._array, shape[at], at, RuntimeError if len(shape) > 1 else IndexError, False)
    scale = arguments.filler(alpha, input.dtype)
    return (IndexInto((at,), True, "IndexAddBackward0"), source if scale == 1 else source * input._new(scale), places)


@writing
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Any:
    """A copy with `y[…, index[j], …] = value` along `dim`, for a number, or a 0-d tensor that requires no gradient.

    >>> import minigrad as torch
    >>> torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 7.0)
    tensor([7., 0., 7.])
    """
    at, places = indexing.vector_along("index_fill_", input, dim, index, RuntimeError)
    if places._array.dtype != np.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index, got {index.dtype!r}: index.long()")
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
