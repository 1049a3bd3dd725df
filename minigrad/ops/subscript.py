"""What `x[index]` means: which view an index selects, and which places of that view its tensors name."""

from __future__ import annotations

import math
from operator import index as as_int
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.tensor import Tensor
from minigrad.ops import casting
from minigrad.ops.indexing import Basic, Index, Slice
from minigrad.ops.scatter import from_start, in_front, write_at
from minigrad.tensors.errors import warn_program

#: The dtypes that index tensors may have.  Dtypes exist once each: `in` and `is` compare them in no time.
INDEX_DTYPES = (np.dtype(np.int64), np.dtype(np.int32))

_BOOL = np.dtype(bool)
_PLAIN = (int, type(None), type(Ellipsis))
_BOUNDS = (int, type(None))


class Parts(NamedTuple):
    """An index in two parts: `basic` selects a view, whose dimensions `found` tensors and masks index.

    Ints select first, as in PyTorch; NumPy would count an int beside an index array as one more of those.
    """

    basic: Basic
    found: list[tuple[int, Any]]

    @property
    def selects(self) -> bool:
        """Whether the basic part does more than name all of the tensor."""
        return any([item != slice(None) for item in self.basic])


def getitem(x: Any, index: Any) -> Tensor:
    """`x[index]` for any index that PyTorch takes: first its basic part, a view, then its tensors, a copy."""
    items = index if type(index) is tuple else (index,)
    if all([_is_plain(item) for item in items]):
        try:
            return Slice(items)(x)
        except IndexError:
            pass  # What is wrong with it is told below.
    if all([_is_places(item) for item in items]) and len(items) <= x._array.ndim:
        return read(x, list(enumerate(items)))
    parts = parsed(index, x._array.shape)
    if parts.selects or not parts.found:
        x = Slice(parts.basic)(x)
    check_found(parts.found, x._array.shape)
    return read(x, parts.found) if parts.found else x


def read(x: Any, found: list[tuple[int, Any]]) -> Tensor:
    """The elements of `x` that tensors and masks at its dimensions name."""
    dims, places = located(found, x._array.shape)
    if not x._array.size:
        # NumPy looks at indices only where they name elements.
        check_places(places, x._array.shape, dims)
    try:
        return Index(dims)(x, places if isinstance(places, Tensor) else x._new(places))
    except IndexError:
        check_places(places, x._array.shape, dims)
        raise


def setitem(array: Array, index: Any, value: Array) -> None:
    """`array[index] = value`, in place, for any index that PyTorch takes."""
    items = index if type(index) is tuple else (index,)
    if all([_is_plain(item) for item in items]):
        try:
            array[items] = value
        except (IndexError, ValueError):
            pass  # What is wrong with it is told below.
        else:
            return
    parts = parsed(index, array.shape)
    view = array[(*parts.basic, ...)]
    check_found(parts.found, view.shape)
    value = fitting(value, array, parts)
    if not parts.found:
        try:
            view[...] = value
        except ValueError:
            raise RuntimeError(
                f"The expanded size of the tensor {list(view.shape)} must match the existing size {list(value.shape)} "
                "of the value assigned"
            ) from None
        return
    dims, places = located(parts.found, view.shape)
    if view.size == 0:
        # NumPy 2.0 lets any place pass where there is nothing to write.
        check_places(places, view.shape, dims)
    try:
        write_at(view, dims, array_of(places), value)
    except (IndexError, ValueError):
        check_broadcasts(value.shape, view.shape, dims, places)
        check_places(places, view.shape, dims)
        raise


def check_places(places: Any, shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """Nothing if `places` are in the dimensions `dims`, counted from their start or end; else an IndexError."""
    check_range(array_of(places), math.prod([shape[dim] for dim in dims]), dims[0])


def check_broadcasts(value: tuple[int, ...], shape: tuple[int, ...], dims: tuple[int, ...], places: Any) -> None:
    """Nothing if a value of that shape can be written to such places of `shape`; else a RuntimeError."""
    first = 0 if in_front(len(shape), dims) else dims[0]
    rest = [size for dim, size in enumerate(shape) if dim not in dims]
    wanted = [*rest[:first], *array_of(places).shape, *rest[first:]]
    sizes = wanted[max(len(wanted) - len(value), 0) :]
    if len(value) > len(wanted) or any([own not in (1, size) for own, size in zip(value, sizes, strict=True)]):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value)} cannot be broadcast to indexing result of shape "
            f"{wanted}"
        )


def fitting(value: Array, array: Array, parts: Parts) -> Array:
    """`value`, in the dtype of the array it is to be written to if PyTorch converts it, and without leading ones."""
    ones = 0
    while ones < value.ndim and value.shape[ones] == 1:
        ones += 1
    value = value.reshape(value.shape[ones:])
    if not parts.found or value.dtype == array.dtype:
        return value
    masks = [item for _, item in parts.found if item.dtype == _BOOL and item.ndim]
    if value.size == 1 and len(masks) == len(parts.found) == 1:
        # PyTorch fills the places of a mask with a number, and so takes one of any dtype.
        return casting.converted(value, dtypes.of(array))
    raise RuntimeError(
        "Index put requires the source and destination dtypes match, got "
        f"{dtypes.of(array)._tensor_name} for the destination and {dtypes.of(value)._tensor_name} for the source: "
        f"value.to({dtypes.of(array)!r})"
    )


def array_of(index: Any) -> Array:
    """The array of an index, a tensor or an array."""
    return index._array if isinstance(index, Tensor) else index


def check_range(
    indices: Array,
    size: int,
    dim: int,
    error: type[Exception] = IndexError,
    from_end: bool = True,
    words: str = "",
) -> None:
    """Nothing if all `indices` are in [-size, size), or [0, size) if not `from_end`; else an error, after `words`."""
    least = -size if from_end else 0
    if indices.size and not (indices.min() >= least and indices.max() < size):
        position = np.unravel_index(int(np.argmax((indices < least) | (indices >= size))), indices.shape)
        where = f"; it stands at position {[int(p) for p in position]}" if position else ""
        raise error(
            f"{words}index {int(indices[position])} is out of bounds for dimension {dim} with size {size}: expected "
            f"one in [{least}, {size}){where}"
        )


# ---- the items of an index -------------------------------------------------------------------------------------------


def _is_plain(item: Any) -> bool:
    """Whether NumPy takes the item for what PyTorch takes it for, which it does without further ado."""
    if type(item) is not slice:
        return type(item) in _PLAIN
    step = item.step
    return (
        type(item.start) in _BOUNDS
        and type(item.stop) in _BOUNDS
        and (step is None or (type(step) is int and step > 0))
    )


def _is_places(item: Any) -> bool:
    """Whether the item is a tensor of indices, and no 0-d one, which would be an int."""
    return isinstance(item, Tensor) and item._array.ndim > 0 and item._array.dtype in INDEX_DTYPES


def _items(index: Any) -> list[Any]:
    """The items of an index as ints, slices of ints, None, Ellipsis, integer tensors or arrays, and bool arrays."""
    if not isinstance(index, tuple):
        index = tuple(index) if _stands_for_tuple(index) else (index,)
    return [_item(item, position) for position, item in enumerate(index)]


def _stands_for_tuple(index: Any) -> bool:
    """Whether PyTorch takes a sequence for a tuple of indices, as NumPy did long ago."""
    if not isinstance(index, list) or len(index) >= 32:
        return False
    several = (list, tuple, range, slice, type(None), type(Ellipsis), Tensor, np.ndarray)
    if not any([isinstance(item, several) for item in index]):
        return False
    warn_program(
        "Using a non-tuple sequence for multidimensional indexing is deprecated: it is taken for a tuple, "
        "x[tuple(seq)]. If one tensor is meant, say x[torch.tensor(seq)]."
    )
    return True


def _item(item: Any, position: int) -> Any:
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return _checked_slice(item, position)
    if isinstance(item, bool):
        return np.asarray(item)
    if isinstance(item, Tensor):
        return _of_tensor(item)
    if isinstance(item, str):
        raise TypeError(f"new(): invalid data type 'str': a tensor is indexed by numbers, not by {item!r}")
    if isinstance(item, list | tuple | range | np.ndarray):
        return _of_sequence(item)
    if isinstance(item, SupportsIndex) and not isinstance(item, np.bool_):
        return as_int(item)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{type(item).__name__} at index {position})"
    )


def _checked_slice(item: slice, position: int) -> slice:
    start, stop, step = [None if bound is None else as_int(bound) for bound in (item.start, item.stop, item.step)]
    if step is not None and step <= 0:
        raise ValueError(f"step must be greater than zero, got {step} at index {position}")
    return slice(start, stop, step)


def _of_tensor(item: Any) -> Any:
    """The int that a 0-d integer tensor is, the array of a mask, or the tensor."""
    array = item._array
    if array.dtype == _BOOL:
        return array
    if array.dtype == np.uint8:
        return _mask_of_bytes(array)
    if array.ndim == 0 and array.dtype.kind == "i":
        return int(array)
    return item


def _of_sequence(item: Any) -> Any:
    """The int, or the array of ints or bools, that an array or a nested sequence stands for."""
    array = np.asarray(item)
    if array.dtype == np.uint8:
        return _mask_of_bytes(array)
    if array.dtype.kind in "OUS":
        raise (TypeError if array.dtype.kind != "O" else RuntimeError)(
            f"Could not infer dtype of the index {item!r}: expected ints or bools"
        )
    if array.ndim == 0 and array.dtype.kind in "iu":
        return int(array)
    return array if array.dtype in (bool, np.int64) else array.astype(np.int64)


def _mask_of_bytes(array: Array) -> Array:
    if array.ndim:
        warn_program("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    return np.asarray(array != 0)


# ---- the items, taken together ---------------------------------------------------------------------------------------


def parsed(index: Any, shape: tuple[int, ...]) -> Parts:
    """The parts of an index of a tensor of `shape`; an IndexError, TypeError or ValueError if it is none."""
    basic: list[Any] = []
    found: list[tuple[int, Any]] = []
    dim = 0  # The dimension of x that the next item is for; `out` is the one it makes in the basic part's result.
    out = 0
    for item in _without_ellipsis(_items(index), len(shape)):
        if item is None:
            basic.append(None)
            out += 1
        elif isinstance(item, slice):
            basic.append(slice(None) if _is_all(item, shape[dim]) else item)
            dim, out = dim + 1, out + 1
        elif isinstance(item, int):
            if not -shape[dim] <= item < shape[dim]:
                check_range(np.asarray(item), shape[dim], dim)
            basic.append(item)
            dim += 1
        else:
            used = _dims_used(item)
            # A 0-d mask selects from no dimension of x: it makes a new one.
            basic += [slice(None)] * used or [None]
            found.append((out, item))
            dim, out = dim + used, out + max(used, 1)
    return Parts(tuple(basic), found)


def _is_all(item: slice, size: int) -> bool:
    """Whether a slice of a dimension of `size` says in so many words that it is of all."""
    return not item.start and (item.stop is None or item.stop >= size) and item.step in (None, 1)


def _without_ellipsis(items: list[Any], ndim: int) -> list[Any]:
    """The items with the first Ellipsis replaced by as many full slices as are missing, and no other one."""
    missing = ndim - sum([_dims_used(item) for item in items])
    if missing < 0:
        if ndim == 0 and isinstance(items[0], int):
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
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == _BOOL else 1


# ---- the places that tensors name ------------------------------------------------------------------------------------


def check_found(found: list[tuple[int, Any]], shape: tuple[int, ...]) -> None:
    """Nothing if tensors are of a dtype that indexes and masks fit a view of `shape`; else an IndexError."""
    for dim, item in found:
        array = array_of(item)
        masked_shape = shape[dim : dim + array.ndim]
        if array.dtype not in (*INDEX_DTYPES, _BOOL):
            raise IndexError(
                f"tensors used as indices must be long, int, byte or bool tensors, got one of dtype {item.dtype!r} at "
                f"index {dim}: index.long()"
            )
        if array.dtype == _BOOL and array.shape != masked_shape:
            raise IndexError(
                f"The shape of the mask {list(array.shape)} at index {dim} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim}: dimensions {dim} to {dim + array.ndim - 1} have sizes "
                f"{list(masked_shape)}"
            )


def located(found: list[tuple[int, Any]], shape: tuple[int, ...]) -> tuple[tuple[int, ...], Any]:
    """The dimensions that tensors and masks index in a view of `shape`, and the places they name there."""
    if len(found) == 1 and isinstance(found[0][1], Tensor):
        return found[0][:1], found[0][1]
    dims: list[int] = []
    for dim, item in found:
        array = array_of(item)
        dims += range(dim, dim + max(array.ndim, 1)) if array.dtype == _BOOL else (dim,)
    if len(found) == 1:
        return tuple(dims), np.flatnonzero(array) if array.dtype == _BOOL else item
    indices: list[Array] = []
    for _, item in found:
        array = array_of(item)
        indices += np.atleast_1d(array).nonzero() if array.dtype == _BOOL else (array,)
    return tuple(dims), _joined(indices, [shape[dim] for dim in dims], dims)


def _joined(indices: list[Array], sizes: list[int], dims: list[int]) -> Array:
    """The places, in dimensions of these sizes taken as one, of positions in each of them."""
    counted: list[Array] = []
    for array, size, dim in zip(indices, sizes, dims, strict=True):
        least = array.min() if array.size else 0
        if least < -size or (array.size and array.max() >= size):
            check_range(array, size, dim)
        counted.append(array if least >= 0 else from_start(array, size))
    places = counted[0].astype(np.int64, copy=False)
    try:
        for size, array in zip(sizes[1:], counted[1:], strict=True):
            places = places * size + array
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join([str(list(each.shape)) for each in indices])
        ) from None
    return places
