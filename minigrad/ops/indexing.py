"""Reading parts of a tensor: by ints and slices, which select a view, or at places, which makes a copy.

All indexing by tensors is one op, `Index`.  It sees the indexed dimensions as one, and reads it at `places`: of two
index tensors i and j these are `i * size + j`, of a mask the positions where it holds, and `gather` sees all dimensions
as one, and has a place for each element.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from operator import gt, index as as_index
from typing import Any

import numpy as np

from minigrad.core.arrays import laid_out
from minigrad.core.dtypes import Array, computed_in, of
from minigrad.core.embedding import add_rows, add_rows_at, all_below
from minigrad.core.ops import common_shape, strided, sum_to
from minigrad.core.tape import Binary, Node, Unary, View
from minigrad.core.tensor import Tensor, method
from minigrad.declare import op
from minigrad.ops.arguments import as_int, as_int64, normal_dim, own_dim

#: The dtypes of tensors of indices.
INDEX_DTYPES = (np.dtype(np.int64), np.dtype(np.int32))

#: For fewer indices than this, what depends on their shape alone is kept for the next call.
_FEW = 2**12

# ---- from indices to places ------------------------------------------------------------------------------------------


def check_range(
    indices: Array, size: int, dim: int, error: type[Exception] = IndexError, from_end: bool = True, words: str = ""
) -> Array:
    """`indices` in [-size, size), or in [0, size) without `from_end`, counted from the start; else an error."""
    if all_below(indices, size):
        return indices
    least = -size if from_end else 0
    if indices.size and not (indices.min() >= least and indices.max() < size):
        position = np.unravel_index(int(np.argmax((indices < least) | (indices >= size))), indices.shape)
        where = f"; it stands at position {[int(p) for p in position]}" if position else ""
        problem = f"{words}index {int(indices[position])} is out of bounds for dimension {dim} with size {size}"
        raise error(f"{problem}: expected one in [{least}, {size}){where}")
    return from_start(indices, size)


def from_start(places: Array, count: int) -> Array:
    """`places` in [-count, count) as places in [0, count)."""
    return places if all_below(places, count) else np.where(places < 0, places + count, places)


def places_along(index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """The places, in an array of `shape` with all dimensions as one, of `[i, …, index[i, …, k], …, k]`.

    >>> places_along(np.array([[2], [0]]), 1, (2, 3))
    array([[2],
           [3]])
    """
    step, offsets = (steps_along if index.size < _FEW else steps_along.__wrapped__)(index.shape, dim, shape)
    return np.asarray(np.add(index if step == 1 else index * np.int64(step), offsets))


@functools.lru_cache(maxsize=64)
def steps_along(sizes: tuple[int, ...], dim: int, shape: tuple[int, ...]) -> tuple[int, Array]:
    """In an array of `shape` as one row: the step from one to the next along `dim`, and where each line begins."""
    steps = [math.prod(shape[d + 1 :]) for d in range(len(shape))] or [1]
    # A few offsets are repeated for each index: NumPy adds arrays of one shape in half of the time.
    offsets = np.zeros(sizes if math.prod(sizes) < _FEW else (), np.int64)
    for d, size in enumerate(sizes):
        if d != dim:
            offsets = offsets + (np.arange(size) * steps[d]).reshape(-1, *(1,) * (len(sizes) - 1 - d))
    return steps[dim], offsets


def positions(holds: Array) -> list[Array]:
    """The positions of the elements of a mask that hold, in order: a vector for each dimension, one if there is none.

    >>> [vector.tolist() for vector in positions(np.array([[False, True], [True, True]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    if holds.ndim > 1 and holds.size < 2**8:
        return [np.ascontiguousarray(vector) for vector in holds.nonzero()]
    # For many elements, this takes a tenth of the time of NumPy, which divides one by one.
    found = [np.flatnonzero(holds)]
    for size in holds.shape[:0:-1]:
        rows = found[0] // size
        found[:1] = rows, found[0] - rows * size
    return found


# ---- reading, writing and adding at places ---------------------------------------------------------------------------


def _neighbours(x: Array, dims: tuple[int, ...]) -> tuple[Array, int, tuple[int, ...]]:
    """`x`, with `dims` moved to the front unless they are neighbours; the first of them; the shape with them as one.

    >>> _neighbours(np.zeros((2, 3, 4, 5)), (1, 2))[1:]
    (1, (2, 12, 5))
    """
    first, count = dims[0] if dims else 0, len(dims)
    if count > 1 and dims != tuple(range(first, first + count)):
        x, first = x.transpose(*dims, *[dim for dim in range(x.ndim) if dim not in dims]), 0
    end = first + count
    return x, first, (*x.shape[:first], math.prod(x.shape[first:end]), *x.shape[end:])


def _apart(x: Array, first: int, dims: tuple[int, ...], places: Array) -> tuple[Any, ...]:
    """The NumPy index of places in as many neighbouring dimensions as `dims`, of which `first` is the first."""
    along = (places,) if len(dims) == 1 else np.unravel_index(places, x.shape[first : first + len(dims)])
    return (*(slice(None),) * first, *along)


def read_at(x: Array, dims: tuple[int, ...], places: Array) -> Array:
    """`x` at `places` in the dimensions `dims`, seen as one; negative places count from its end: a contiguous copy.

    If `dims` are not neighbours, the dimensions of `places` come first in the result, as in NumPy.
    """
    if x.flags.c_contiguous and (len(dims) == 1 or dims == tuple(range(x.ndim))):
        return x.take(places, dims[0] if len(dims) == 1 else None)
    x, first, shape = _neighbours(x, dims)
    # To convert many places to indices in several dimensions takes longer than to copy x.
    if x.flags.c_contiguous or (len(dims) > 1 and 2 * places.size >= shape[first]):
        return np.ascontiguousarray(x).reshape(shape).take(places, first)
    return np.asarray(x[_apart(x, first, dims, places)], order="C")


def write_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] = value`, in place, with places as in `read_at`."""
    y, first, shape = _neighbours(y, dims)
    if y.flags.c_contiguous:
        index: Any = (*(slice(None),) * first, places)
        y.reshape(shape)[index] = value
    else:
        y[_apart(y, first, dims, places)] = value


def add_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] += value`, in place, with places as in `read_at`: values at one place add up, in at least float32."""
    if dims == tuple(range(y.ndim)) and y.flags.c_contiguous and y.dtype == computed_in(y.dtype):
        # Faster than as rows of one element each.
        values = value if value.shape == places.shape else np.broadcast_to(value, places.shape)
        np.add.at(y.reshape(-1), places.reshape(-1), values.reshape(-1))
        return
    y, first, shape = _neighbours(y, dims)
    lines, count, size = math.prod(shape[:first]), shape[first], math.prod(shape[first + 1 :])
    dtype = computed_in(y.dtype)
    table = y.astype(dtype, order="C", copy=not y.flags.c_contiguous or y.dtype != dtype)
    wanted = (*shape[:first], *places.shape, *shape[first + 1 :])
    values = (value if value.shape == wanted else np.broadcast_to(value, wanted)).astype(dtype, copy=False)
    ids = from_start(places.reshape(-1).astype(np.int64, copy=False), count)
    if first:
        ids = (np.arange(lines)[:, None] * count + ids).reshape(-1)
    add_rows_at(table.reshape(lines * count, size), ids, values.reshape(ids.size, size))
    if table is not y:
        y[...] = table


#: The types of None, a new dimension, and of `...`, all dimensions that are not named.
_MARKS = (type(None), type(Ellipsis))
_BOUNDS = (int, type(None))

#: An index that selects a view: of ints, slices with steps above 0, None and at most one Ellipsis.
Basic = tuple[Any, ...]


# ---- views -----------------------------------------------------------------------------------------------------------


class Slice(View):
    """`x[index]` for an index of ints, slices and None: a view."""

    formulas = ("dx = Put(g), zero where not selected",)
    index: Basic

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        # With an Ellipsis, NumPy gives a 0-d view instead of a copied scalar.
        index = self.index if Ellipsis in self.index else (*self.index, ...)
        if None not in index:
            return x[index]
        # NumPy's strides in new dimensions are 0; a reshape, before anything is cut, makes those of PyTorch.
        new = tuple([item if item is None or item is Ellipsis else slice(None) for item in index])
        y = x.reshape(x[new].shape)
        return y if new == index else y[tuple([slice(None) if item is None else item for item in index])]

    def dx(self, g: Tensor) -> Tensor:
        return Put(self.forward, self.x_shape).of(g)

    def name(self) -> str:
        """PyTorch's name for the last step of the index."""
        for item in reversed(self.index):
            if item is None:
                return "UnsqueezeBackward0"
            if isinstance(item, int):
                return "SelectBackward0"
            if isinstance(item, slice) and item != slice(None):
                return "SliceBackward0"
        return f"{'Slice' if len(self.index) == 1 and isinstance(self.index[0], slice) else 'Alias'}Backward0"


class Part(View):
    """The view of `x` that the function `view` makes of an array.

    `once` says that no element appears twice; else one may, at different indices of the last dimension.
    """

    formulas = ("dx = Put(g), zero where the view shows nothing",)
    view: Callable[[Array], Array]
    form: str = "AsStridedBackward0"
    once: bool = True

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return self.view(x)

    def dx(self, g: Tensor) -> Tensor:
        return Put(self.view, self.x_shape, once=self.once).of(g)


class Put(Unary):
    """`y = 0;  view(y) += x`, with y of `shape`: for an element that the view has twice, both add up."""

    formulas = ("dx = Part(g), by the same view",)
    view: Callable[[Array], Array]
    shape: tuple[int, ...]
    form: str = "PutBackward0"
    once: bool = True

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype if self.once else computed_in(x.dtype))
        shown = self.view(y)
        if self.once:
            shown[...] = x
        else:
            for last in range(x.shape[-1]):
                shown[..., last] += x[..., last]
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Part(self.view, once=self.once).of(g)


@op()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of the slice `index` along `dim`, without that dimension."""
    return Slice((slice(None),) * normal_dim(dim, input._array.ndim) + (as_int(index),)).of(input)


@op()
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of the `length` slices along `dim` that begin with `start`, an int or a 0-d integer tensor."""
    odd = isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind != "i")
    if odd or length < 0 or not input._array.ndim:
        found = f"a {input.ndim}-D tensor, start={start}, length={length}"
        raise RuntimeError(f"narrow() takes 1-D tensors and more, a 0-dim integral start, a length >= 0: got {found}")
    begin, at = as_int(start), normal_dim(dim, input._array.ndim)
    size = input._array.shape[at]
    if not -size <= begin <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
    begin += size if begin < 0 else 0
    if begin + length > size:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return Slice(((slice(None),) * at) + (slice(begin, begin + as_int(length)),)).of(input)


@op("Tensor")
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of the windows of `size` elements, each `step` after the one before; each lies along a new last dim.

    >>> import minigrad as torch
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    at, size, step = own_dim(dimension, input._array.ndim), as_int(size), as_int(step)
    longest = input._array.shape[at]
    if not 0 <= size <= longest or step <= 0:
        problem = f"maximum size for tensor at dimension {at} is {longest} but size is {size}"
        raise RuntimeError(f"{problem}; step is {step} but must be > 0")

    def view(x: Array) -> Array:
        shape, strides = list(x.shape), list(x.strides)
        shape[at] = (longest - size) // step + 1
        strides[at] *= step
        return strided(x, (*shape, size), (*strides, x.strides[at]))

    return Part(view, "UnfoldBackward0", once=step >= size).of(input)


# ---- places ----------------------------------------------------------------------------------------------------------


class Index(Binary):
    """`x` at `places` in the dimensions `dims`, seen as one: a contiguous copy; see `read_at`.

    `once` says that no place is named twice.
    """

    formulas = ("dx = PutIndex(g): an element that was picked twice receives both gradients",)
    dims: tuple[int, ...]
    form: str = "IndexBackward0"
    once: bool = False

    def forward(self, x: Array, places: Array) -> Array:
        self.x_shape = x.shape
        found = read_at(x, self.dims, places)
        return found if places.flags.c_contiguous or not self.once else laid_out(found, places)

    def da(self, g: Tensor, places: Tensor) -> Tensor:
        return PutIndex(self.x_shape, self.dims, self.once).of(g, places)


class PutIndex(Binary):
    """`y = 0;  y[places] += x`, with y of `shape`: elements put at one place add up."""

    formulas = ("dx = Index(g)",)
    shape: tuple[int, ...]
    dims: tuple[int, ...]
    once: bool = False

    def forward(self, x: Array, places: Array) -> Array:
        leading = len(self.dims)
        if leading < len(self.shape) and self.dims == tuple(range(leading)) and not self.once:
            count, rows = math.prod(self.shape[:leading]), x.reshape(places.size, math.prod(self.shape[leading:]))
            return add_rows(rows, from_start(places.reshape(-1), count), count).reshape(self.shape)
        y = np.zeros(self.shape, x.dtype if self.once else computed_in(x.dtype))
        (write_at if self.once else add_at)(y, self.dims, places, x)
        return y.astype(x.dtype, copy=False)

    def da(self, g: Tensor, places: Tensor) -> Tensor:
        return Index(self.dims, once=self.once).of(g, places)


class IndexInto(Node):
    """`y = x;  y[places] = value`, or `+= value` if `adds`, with places as in Index; `value` broadcasts to these."""

    formulas = ("dx = g, but 0 at places overwritten", "dvalue = Index(g)")
    dims: tuple[int, ...]
    adds: bool = False
    form: str = "IndexPutBackward0"

    def forward(self, x: Array, value: Array, places: Array) -> Array:
        y = x.copy()
        self.write(y, value, places)
        return y

    def write(self, y: Array, value: Array, places: Array) -> None:
        """Write into `y` itself."""
        self.value_shape = value.shape
        (add_at if self.adds else write_at)(y, self.dims, places, value)

    def da(self, g: Tensor, places: Tensor) -> Tensor:
        return g if self.adds else IndexInto(self.dims).of(g, g._new(np.zeros((), g._array.dtype)), places)

    def db(self, g: Tensor, places: Tensor) -> Tensor:
        return sum_to(Index(self.dims).of(g, places), self.value_shape)


# ---- x[index] --------------------------------------------------------------------------------------------------------


@method("__getitem__")
def getitem(x: Tensor, index: object) -> Tensor:
    """`x[index]` for any index that PyTorch takes: first its basic part, a view, then its tensors, a copy."""
    items = index if type(index) is tuple else (index,)
    for item in items:
        if not is_plain(item):
            break
    else:
        try:
            return Slice(items).of(x)
        except (IndexError, OverflowError):
            pass  # The code below raises the right error.
    view, found = taken_apart(x, index)
    if not found:
        return Slice((...,)).of(x) if view is x else view
    dims, places = located(view, found)
    if not view._array.size:
        # Where there is nothing to read, NumPy looks at no index.
        check_places(places, view._array.shape, dims)
    try:
        return Index(dims).of(view, places)
    except IndexError:
        check_places(places, view._array.shape, dims)
        raise


def taken_apart(x: Tensor, index: object) -> tuple[Tensor, list[tuple[int, Tensor]]]:
    """The view of `x` that the basic part of an index selects, and the index tensors, with their dimensions in it."""
    items = index if type(index) is tuple else (index,)
    mask = isinstance(index, Tensor) and index._array.dtype.kind == "b" and 0 < index._array.ndim <= x._array.ndim
    if mask or (all([is_places(item) for item in items]) and len(items) <= x._array.ndim):
        return x, list(enumerate(items))
    basic, found = parsed(index, x._array.ndim)
    if all([item in (slice(None), ...) for item in basic]):
        return x, found
    try:
        view = Slice(basic).of(x)
    except IndexError as error:
        raise IndexError(str(error).replace("axis", "dimension")) from None
    whole = view._array.shape == x._array.shape and all([item is Ellipsis or _from_start(item) for item in basic])
    return (x if whole else view), found


def _from_start(item: object) -> bool:
    """Whether the item is a slice from the start in steps of 1, as written: PyTorch does not look at sizes either."""
    return isinstance(item, slice) and item.start in (None, 0) and item.step in (None, 1)


def check_places(places: Tensor, shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """Raise an IndexError unless all `places` are in the dimensions `dims`, counted from their start or end."""
    check_range(places._array, math.prod([shape[dim] for dim in dims]), dims[0])


# ---- the items of an index -------------------------------------------------------------------------------------------


def is_plain(item: object) -> bool:
    """Whether NumPy takes the item for what PyTorch takes it for, which it does without further ado."""
    if type(item) is not slice:
        return type(item) is int or type(item) in _MARKS
    bounded, step = type(item.start) in _BOUNDS and type(item.stop) in _BOUNDS, item.step
    return bounded and (step is None or (type(step) is int and step > 0))


def is_places(item: object) -> bool:
    """Whether the item is a tensor of indices, and no 0-d one, which would be an int."""
    return isinstance(item, Tensor) and item._array.ndim > 0 and item._array.dtype in INDEX_DTYPES


def _item(item: Any, position: int) -> Any:
    """An item of an index as an int, a slice, None, Ellipsis, or a tensor of integers or bools."""
    if type(item) in _MARKS or isinstance(item, slice):
        return item
    several = isinstance(item, (Tensor, bool, list, tuple, range, str, np.ndarray))
    if not several and hasattr(item, "__index__") and not isinstance(item, np.bool_):
        return as_int64(item)
    if not several:
        problem = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"
        raise IndexError(f"{problem} (got {type(item).__name__} at index {position})")
    array = item._array if isinstance(item, Tensor) else np.asarray(item)
    if array.dtype.kind in "OUS":
        raise (TypeError if array.dtype.kind != "O" else RuntimeError)(f"Could not infer dtype of the index {item!r}")
    if array.ndim == 0 and array.dtype.kind == "i":
        return int(array)
    if isinstance(item, Tensor):
        return item
    return Tensor._new(array if array.dtype in (bool, np.uint8) else array.astype(np.int64, copy=False))


# ---- the items, taken together ---------------------------------------------------------------------------------------


def parsed(index: object, ndim: int) -> tuple[Basic, list[tuple[int, Tensor]]]:
    """An index of `ndim` dimensions in two parts: what selects a view, and the tensors and masks at its dimensions.

    Ints select first, as in PyTorch; NumPy would count an int beside an index array as one more of those.
    """
    several = (list, tuple, range, slice, type(None), type(Ellipsis), Tensor, np.ndarray)
    if isinstance(index, list) and any([isinstance(item, several) for item in index]):
        raise TypeError("x[tuple(seq)] takes each index for a dimension, x[torch.tensor(seq)] all for the first")
    items = [_item(item, place) for place, item in enumerate(index if isinstance(index, tuple) else (index,))]
    missing = ndim - sum([_dims_used(item) for item in items])
    if missing < 0 and ndim == 0 and isinstance(items[0], int):
        problem = "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++"
        raise IndexError(f"{problem} to convert a 0-dim tensor to a number")
    if missing < 0 or (missing and sum([item is Ellipsis for item in items]) > 1):
        too_many = "indices" if missing < 0 else "ellipses, since one is for all dimensions that have no index,"
        raise IndexError(f"too many {too_many} for tensor of dimension {ndim}")
    basic: list[Any] = []
    found: list[tuple[int, Tensor]] = []
    dim = 0  # The dimension that the next item makes in the view.
    for item in items:
        if isinstance(item, Tensor):
            # A 0-d mask selects from no dimension of x: it makes a new one.
            instead: list[Any] = [slice(None)] * _dims_used(item) or [None]
            found.append((dim, item))
            basic += instead
            dim += len(instead)
        else:
            if isinstance(item, slice) and item.step is not None and as_index(item.step) < 0:
                raise ValueError(f"step must be greater than zero, got {item.step}: x.flip(dim)")
            basic.append(item)
            dim += missing if item is Ellipsis else not isinstance(item, int)
    return tuple(basic), found


def _dims_used(item: object) -> int:
    """How many dimensions of the indexed tensor an item selects from: a mask from as many as it has."""
    if item is None or item is Ellipsis:
        return 0
    return item._array.ndim if isinstance(item, Tensor) and item._array.dtype == bool else 1


# ---- the places that tensors name ------------------------------------------------------------------------------------


def located(x: Tensor, found: list[tuple[int, Tensor]]) -> tuple[tuple[int, ...], Tensor]:
    """The dimensions that tensors and masks index in `x`, and the places that they name there.

    An IndexError for a tensor of another dtype, a mask that does not fit `x`, and shapes that do not broadcast.
    """
    if len(found) == 1 and found[0][1]._array.dtype in INDEX_DTYPES:
        return found[0][:1], found[0][1]
    dims: list[int] = []
    indices: list[Array] = []
    shape = x._array.shape
    for dim, item in found:
        array = item._array
        if array.dtype == bool:
            if array.shape != shape[dim : dim + array.ndim]:
                other = f"the shape of the indexed tensor {list(shape)} at index {dim}"
                raise IndexError(f"The shape of the mask {list(array.shape)} at index {dim} does not match {other}")
            dims += range(dim, dim + max(array.ndim, 1))
            indices += [np.flatnonzero(array)] if len(found) == 1 else np.atleast_1d(array).nonzero()
        elif array.dtype in INDEX_DTYPES:
            dims.append(dim)
            indices.append(array)
        else:
            remedy = "mask.bool()" if item._array.dtype == np.uint8 else "index.long()"
            raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors: {remedy}")
    return tuple(dims), x._new(indices[0] if len(found) == 1 else _joined(indices, [shape[dim] for dim in dims], dims))


def _joined(indices: list[Array], sizes: list[int], dims: list[int]) -> Array:
    """The places, in dimensions of these sizes taken as one, of positions in each of them."""
    counted = [check_range(*each) for each in zip(indices, sizes, dims, strict=True)]
    places = counted[0].astype(np.int64, copy=False)
    try:
        for size, array in zip(sizes[1:], counted[1:], strict=True):
            places = places * size + array
    except ValueError:
        begin = "shape mismatch: indexing tensors could not be broadcast together with shapes"
        raise IndexError(f"{begin} {', '.join([str(list(each.shape)) for each in indices])}") from None
    return places


# ---- elements that a tensor of indices names -------------------------------------------------------------------------


def vector_along(
    name: str, x: Tensor, dim: int, index: Tensor, error: type[Exception] = IndexError
) -> tuple[int, Tensor]:
    """The dimension `dim` of `x`, which has some, and the vector of indices that are for it."""
    ids = index._array
    if ids.ndim > 1:
        raise error(f"{name}(): Index is supposed to be a vector, but got dim: {ids.ndim} and size: {list(ids.shape)}")
    if ids.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index, got {index.dtype!r}: index.long()")
    if not x._array.ndim:
        raise NotImplementedError(f"{name}() of a 0-d tensor is not supported: x.reshape(1) has a dimension")
    return normal_dim(dim, x._array.ndim), index if ids.ndim else index._new(ids.reshape(1).copy())


@op()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """A copy of the positions `index`, a vector, of dimension `dim`: `y[…, j, …] = x[…, index[j], …]`.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2], [3, 4], [5, 6]]).index_select(0, torch.tensor([2, 0]))
    tensor([[5, 6],
            [1, 2]])
    """
    at, places = vector_along("index_select", input, dim, index)
    shape, ids = input._array.shape, places._array
    first = not at and input._array.size
    words = "index out of range in self: " if first else "INDICES element is out of DATA bounds, "
    check_range(ids, shape[at], at, IndexError if first else RuntimeError, False, words)
    return Index((at,), "IndexSelectBackward0").of(input, places)


def checked_along(name: str, x: Array, dim: int, index: Array, src: tuple[int, ...]) -> Array:
    """The places in `x` that `index` names along `dim`, after PyTorch's checks of `gather`, or of `scatter` of a `src`.

    In other dimensions `index` may be smaller than x; nothing of an empty one is checked.
    """
    if index.size == 0:
        return np.zeros(index.shape, np.int64)
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index, got {of(index)!r}: index.long()")
    sizes, own, limits = index.shape or (1,), x.shape or (1,), src or (1,)
    if len(sizes) != len(own):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as input tensor: {len(own)}")
    fits = sizes == limits or (len(sizes) == len(limits) and not any(map(gt, sizes, limits)))
    if not fits or (sizes != own and any([size > own[d] and d != dim for d, size in enumerate(sizes)])):
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} but in {dim}")
    check_range(index, own[dim], dim, RuntimeError, False)
    return places_along(index, dim, x.shape)


def all_dims(x: Tensor) -> tuple[int, ...]:
    """The dimensions of `x`."""
    return tuple(range(x._array.ndim))


@op()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """`y[i, …, j, …, k] = x[i, …, index[i, …, j, …, k], …, k]` along `dim`.

    `index` has as many dimensions as `input`, none but `dim` larger; the result has the shape of `index`.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    ids = index._array
    places = checked_along("gather", input._array, normal_dim(dim, input._array.ndim), ids, ids.shape)
    # (Of one dimension, it is the index that is kept, whose version tells whether it has changed since.)
    kept = index if input._array.ndim == ids.ndim == 1 else input._new(places)
    return Index(all_dims(input), "GatherBackward0").of(input, kept)


@op()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, of shapes that broadcast apart from `dim`; over all elements in order without `dim`.

    >>> import minigrad as torch
    >>> x = torch.tensor([[3, 1, 2], [9, 8, 7]])
    >>> x.take_along_dim(x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [9]])
    """
    ids, own = indices._array, input._array.shape
    if ids.dtype != np.int64 or (dim is not None and ids.ndim != len(own)):
        raise RuntimeError("torch.take_along_dim(): expected int64 indices with as many dimensions as the input")
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    at = own_dim(dim, len(own))
    shape = common_shape([(*own[:at], 1, *own[at + 1 :]), ids.shape])
    wide = (*shape[:at], own[at], *shape[at + 1 :])
    # As in PyTorch, indices beyond the end begin anew.
    ids = ids if all_below(ids, own[at]) else ids % (own[at] or 1)
    ids = ids if ids.shape == shape else np.broadcast_to(ids, shape)
    return gather(input if own == wide else input.expand(wide), at, input._new(ids))


@op()
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements that `index` names, counted over all in order, negative ones from the end; in its shape."""
    ids, size = index._array, input._array.size
    if ids.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype!r}: index.long()")
    places = check_range(ids, size, 0, IndexError, True, "" if size else "take(): tried to take from an empty tensor: ")
    # (The ids themselves are kept as their tensor, whose version tells whether they have changed since.)
    return Index(all_dims(input), "TakeBackward0").of(input, index if places is ids else input._new(places))


@op()
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` holds, in order, as a 1-d tensor; the two shapes broadcast.

    >>> import minigrad as torch
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x.masked_select(x > 2)
    tensor([3, 4])
    """
    if mask._array.dtype != bool:
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {mask.dtype!r}: mask.bool()")
    x, holds = input, mask._array
    if holds.shape != x._array.shape:
        shape = common_shape([x._array.shape, holds.shape])
        x, holds = x.expand(shape), np.broadcast_to(holds, shape)
    return Index(all_dims(x), "MaskedSelectBackward0", once=True).of(x, x._new(holds.reshape(-1).nonzero()[0]))


@op()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not zero, in order: `(n, ndim)`, or a vector per dimension.

    >>> import minigrad as torch
    >>> torch.tensor([[0, 5], [6, 0]]).nonzero()
    tensor([[0, 1],
            [1, 0]])
    """
    holds = input._array if input._array.dtype == bool else input._array != 0
    found = positions(holds)
    if as_tuple:
        return tuple([input._new(position) for position in found])
    return input._new(np.array(found[: holds.ndim], np.int64).reshape(holds.ndim, len(found[0])).T)


@op()
def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not zero, in order: `(n, ndim)`."""
    return input.nonzero()
