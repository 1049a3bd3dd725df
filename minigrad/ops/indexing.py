"""Indexing: ints, slices, None and Ellipsis select a view; tensors, lists and masks gather a copy."""

from __future__ import annotations

from operator import index as as_int
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from minigrad import dtypes
from minigrad.autograd.base import TensorBase
from minigrad.autograd.node import Node, Unary, View, keep_rest
from minigrad.dtypes import Array
from minigrad.ops.scatter import add_rows

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Basic = tuple[int | slice | None, ...]


class Slice(View):
    """`x[index]` for an index of ints, slices and None: a view.   dx = PutSlice(g), zero where not selected."""

    __slots__ = ("form", "index", "x_shape")

    def __init__(self, index: Basic, form: str = "Slice") -> None:
        self.index = index
        self.form = form

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        # With an Ellipsis NumPy gives a 0-d view where it would give a copied scalar without.
        return x[(*self.index, ...)]

    def dx(self, g: Tensor) -> Tensor:
        return PutSlice(self.x_shape, self.index)(g)

    def name(self) -> str:
        return f"{self.form}Backward0"


class PutSlice(Unary):
    """`y = 0;  y[index] = x`, with y of `shape`.   dx = Slice(g)."""

    __slots__ = ("index", "shape")

    def __init__(self, shape: tuple[int, ...], index: Basic) -> None:
        self.shape = shape
        self.index = index

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype)
        y[self.index] = x
        return y

    def dx(self, g: Tensor) -> Tensor:
        return Slice(self.index)(g)


class Index(Node):
    """`x[indices]` for integer tensors at the dimensions `dims` and full slices at the others: a copy.

    dx = PutIndex(g): an element that was picked twice receives both gradients.
    """

    __slots__ = ("dims", "x_shape")
    keep = keep_rest

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, x: Array, *indices: Array) -> Array:
        self.x_shape = x.shape
        return x[_full_index(x.ndim, self.dims, indices)]

    def backward(self, g: Tensor) -> list[Any]:
        indices = [self.kept(position) for position in range(1, len(self.edges))]
        return [PutIndex(self.x_shape, self.dims)(g, *indices)] + [None] * len(indices)


class PutIndex(Node):
    """`y = 0;  y[indices] += x`, with y of `shape`: elements put at one place add up.   dx = Index(g)."""

    __slots__ = ("dims", "shape")
    keep = keep_rest

    def __init__(self, shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
        self.shape = shape
        self.dims = dims

    def forward(self, x: Array, *indices: Array) -> Array:
        if self.dims == (0,) and len(self.shape) == 2:
            ids = indices[0].reshape(-1) % self.shape[0]
            return add_rows(x.reshape(ids.size, self.shape[1]), ids, self.shape[0])
        y = np.zeros(self.shape, np.promote_types(x.dtype, np.float32))
        np.add.at(y, _full_index(len(self.shape), self.dims, indices), x)
        return y.astype(x.dtype, copy=False)

    def backward(self, g: Tensor) -> list[Any]:
        indices = [self.kept(position) for position in range(1, len(self.edges))]
        return [Index(self.dims)(g, *indices)] + [None] * len(indices)


def getitem(x: Any, index: Any) -> Tensor:
    """`x[index]` for any index that PyTorch takes: first its basic part, a view, then its tensors, a copy."""
    items = _items(index)
    basic, dims, indices = _split(items, x._array.shape)
    selects = any([item != slice(None) for item in basic])
    if selects or not dims:
        x = Slice(basic, _form(items))(x)
    if dims:
        x = Index(dims)(x, *[i if isinstance(i, TensorBase) else x._new(i) for i in indices])
    return x


def setitem(array: Array, index: Any, value: Array) -> None:
    """`array[index] = value`, in place, for any index that PyTorch takes."""
    items = _items(index)
    basic, dims, indices = _split(items, array.shape)
    view = array[(*basic, ...)]
    if value.size == 1 and _is_mask(items):
        # PyTorch fills such places with a number, and so takes one of any dtype.
        value = dtypes.converted(value, dtypes.of(array))
    elif dims and value.dtype != array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.of(array)._tensor_name} for the destination and {dtypes.of(value)._tensor_name} for the source: "
            f"value.to({dtypes.of(array)!r})"
        )
    selected = _full_index(view.ndim, dims, [_array(i) for i in indices]) if dims else ...
    try:
        view[selected] = value
    except ValueError:
        got, wanted = list(value.shape), list(view[selected].shape)
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {got} cannot be broadcast to indexing result of shape {wanted}"
            if dims
            else f"The expanded size of the tensor {wanted} must match the existing size {got} of the value assigned"
        ) from None


def is_basic(index: Any) -> bool:
    """Whether an index selects a view: of ints, slices, None and Ellipsis alone."""
    return not any([isinstance(item, TensorBase | np.ndarray | list) for item in _items(index)])


def _is_mask(items: list[Any]) -> bool:
    """Whether a mask, not a 0-d one, is all that an index has beside ints, slices, None and Ellipsis."""
    arrays = [_array(item) for item in items if isinstance(item, TensorBase | np.ndarray)]
    return len(arrays) == 1 and arrays[0].dtype == bool and arrays[0].ndim > 0


def _array(index: Any) -> Array:
    """The integers or bools of an index that is a tensor, an array, a list or a range."""
    array: Array = index._array if isinstance(index, TensorBase) else np.asarray(index)
    return array.astype(np.int64) if array.size == 0 and not isinstance(index, TensorBase) else array


def _items(index: Any) -> list[Any]:
    """The items of an index: ints, slices, None, Ellipsis, and integer or bool tensors or arrays."""
    items: list[Any] = []
    for position, item in enumerate(index if isinstance(index, tuple) else (index,)):
        if item is None or item is Ellipsis or isinstance(item, slice):
            items.append(item)
        elif isinstance(item, bool | list | range | tuple | TensorBase | np.ndarray | np.bool_):
            array = _array(item)
            if array.dtype != bool and array.dtype not in (np.int64, np.int32):
                raise IndexError(
                    f"tensors used as indices must be long, int, byte or bool tensors, but index {position} has dtype "
                    f"{array.dtype}"
                )
            is_int = array.ndim == 0 and array.dtype != bool
            items.append(int(array) if is_int else item if isinstance(item, TensorBase) else array)
        elif isinstance(item, SupportsIndex):
            items.append(as_int(item))
        elif isinstance(item, str):
            raise TypeError(f"new(): invalid data type 'str': a tensor is indexed by numbers, not by {item!r}")
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                f"{type(item).__name__} at index {position})"
            )
    return items


def _split(items: list[Any], shape: tuple[int, ...]) -> tuple[Basic, tuple[int, ...], list[Any]]:
    """An index as its basic part, the dimensions of that part's result that tensors index, and those tensors.

    Ints select first, as in PyTorch; NumPy would count an int beside an index array as one more of those.
    """
    basic: list[int | slice | None] = []
    dims: list[int] = []
    indices: list[Any] = []
    dim = 0  # The dimension of x that the next item is for; `out` is the one it makes in the basic part's result.
    out = 0
    for position, item in enumerate(_without_ellipsis(items, len(shape))):
        if item is None:
            basic.append(None)
            out += 1
        elif isinstance(item, slice):
            if item.step is not None and as_int(item.step) <= 0:
                raise ValueError(f"step must be greater than zero, got {as_int(item.step)} at index {position}")
            basic.append(item)
            dim, out = dim + 1, out + 1
        elif isinstance(item, int):
            _check_range(np.asarray(item), shape[dim], dim)
            basic.append(item)
            dim += 1
        else:
            used = _dims_used(item)
            found = _positions(item, shape, dim, position)
            # A 0-d mask selects from no dimension of x: it makes a new one.
            basic += [slice(None)] * used or [None]
            dims += range(out, out + len(found))
            indices += found
            dim, out = dim + used, out + len(found)
    if len(indices) > 1:
        _check_broadcast(indices)
    return tuple(basic), tuple(dims), indices


def _without_ellipsis(items: list[Any], ndim: int) -> list[Any]:
    """The items with the first Ellipsis replaced by as many full slices as are missing, and no other one."""
    missing = ndim - sum([_dims_used(item) for item in items])
    if missing < 0:
        if ndim == 0:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    expanded: list[Any] = []
    for item in items:
        if item is Ellipsis:
            expanded += [slice(None)] * missing
            missing = 0
        else:
            expanded.append(item)
    return expanded


def _dims_used(item: Any) -> int:
    """How many dimensions of the indexed tensor an item selects from: a mask from as many as it has."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, int | slice):
        return 1
    array = _array(item)
    return array.ndim if array.dtype == bool else 1


def _positions(item: Any, shape: tuple[int, ...], dim: int, position: int) -> list[Any]:
    """The integer tensors that a tensor in an index stands for: itself, or one per dimension of a mask."""
    array = _array(item)
    if array.dtype != bool:
        _check_range(array, shape[dim], dim)
        return [item]
    masked_shape = shape[dim : dim + array.ndim]
    if array.shape != masked_shape:
        raise IndexError(
            f"The shape of the mask {list(array.shape)} at index {position} does not match the shape of the indexed "
            f"tensor {list(shape)} at index {position}: dimensions {dim} to {dim + array.ndim - 1} have sizes "
            f"{list(masked_shape)}"
        )
    return list(np.atleast_1d(array).nonzero()) if array.ndim == 0 else list(array.nonzero())


def _check_range(indices: Array, size: int, dim: int) -> None:
    wrong = indices[(indices < -size) | (indices >= size)]
    if wrong.size:
        raise IndexError(
            f"index {int(wrong.flat[0])} is out of bounds for dimension {dim} with size {size}: expected one in "
            f"[{-size}, {size})"
        )


def _check_broadcast(indices: list[Any]) -> None:
    shapes = [_array(index).shape for index in indices]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join([str(list(shape)) for shape in shapes])
        ) from None


def _full_index(ndim: int, dims: tuple[int, ...], indices: Any) -> tuple[Any, ...]:
    """The NumPy index that has `indices` at `dims` and full slices elsewhere."""
    by_dim = dict(zip(dims, indices, strict=True))
    return tuple([by_dim.get(dim, slice(None)) for dim in range(ndim)])


def _form(items: list[Any]) -> str:
    """PyTorch's name for the last step of a basic index."""
    for item in reversed(items):
        if item is None:
            return "Unsqueeze"
        if isinstance(item, int):
            return "Select"
        if isinstance(item, slice) and item != slice(None):
            return "Slice"
    return "Slice" if len(items) == 1 and isinstance(items[0], slice) else "Alias"
