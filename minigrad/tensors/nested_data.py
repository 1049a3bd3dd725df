"""Numbers in nested sequences, as Python has them, made into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number, dtype
from minigrad.core.tensor import Size, Tensor
from minigrad.ops import casting
from minigrad.tensors.interoperation import checked_array


def array_of_data(data: object, wanted: dtype | None = None) -> Array:
    """A fresh array of `data` in the dtype `wanted`, or in the one that the data suggests."""
    if isinstance(data, np.ndarray | np.generic):
        array = checked_array(np.asarray(data))
        with np.errstate(all="ignore"):
            return np.array(array, dtype=None if wanted is None else wanted._numpy)
    values: list[Number] = []
    shape, found = _collect(data, values)
    try:
        return _array_of_numbers(values, wanted or found or dtypes.get_default_dtype()).reshape(shape)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long: an int in the data is not in [-2**63, 2**63)") from None


def array_of_arguments(arguments: tuple[Any, ...], wanted: dtype) -> Array:
    """What the older constructors `Tensor(…)` and `LongTensor(…)` make an array of: one sequence, or sizes.

    >>> array_of_arguments(([1, 2],), dtypes.float32), array_of_arguments((2, 3), dtypes.int64).shape
    (array([1., 2.], dtype=float32), (2, 3))
    """
    if len(arguments) == 1 and isinstance(arguments[0], Sequence | np.ndarray) and not isinstance(arguments[0], Size):
        return array_of_data(arguments[0], wanted)
    sizes = arguments[0] if arguments and isinstance(arguments[0], Size) else arguments
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool):
            raise TypeError(
                f"new(): data must be a sequence (got {type(size).__name__}): torch.tensor({size!r}) takes a number"
            )
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(sizes)}")
    return np.empty(sizes if arguments else (0,), wanted._numpy)


def _collect(data: object, values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """The shape and dtype of nested data, None if it is empty; its numbers are appended to `values` in order."""
    if isinstance(data, bool | int | float) and not isinstance(data, np.generic):
        values.append(data)
        return (), dtypes.of_number(data)
    if isinstance(data, Tensor) and data._array.size == 1:
        values.append(data._array.item())
        return (), dtypes.of(data._array)
    if isinstance(data, np.ndarray | np.generic):
        values += data.reshape(-1).tolist()
        return data.shape, dtypes.of(np.asarray(data))
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}': expected numbers, got {data!r}")
    if isinstance(data, Tensor):
        raise ValueError(
            "only one element tensors can be converted to Python scalars, and this one has shape "
            f"{Size(data._array.shape)}: torch.stack(tensors) makes one of several"
        )
    if isinstance(data, dict) or not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}: expected numbers or sequences of them")
    data = data if isinstance(data, Sequence) else list(data)  # type: ignore[call-overload]  # it counts its items
    kinds = set(map(type, data))
    if kinds <= {bool, int, float}:
        # The innermost rows of numbers, nearly all of the data, without a call for each.
        values += data
        return (len(data),), _of_kinds(kinds)
    return _collect_rows(data, values)


def _of_kinds(kinds: set[type]) -> dtype | None:
    for kind in (float, int, bool):
        if kind in kinds:
            return dtypes.of_number(kind())
    return None


def _collect_rows(data: Sequence[Any], values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """As `_collect`, for a sequence of sequences or of numbers of several types, all of one shape."""
    shape: tuple[int, ...] | None = None
    found: dtype | None = None
    for row in data:
        if isinstance(row, str):
            raise ValueError(f"too many dimensions 'str': expected numbers, got {row!r}")
        row_shape, row_dtype = _collect(row, values)
        if shape is None:
            shape = row_shape
        elif row_shape != shape:
            raise _unequal(shape, row_shape, row)
        if row_dtype is not None:
            found = row_dtype if found is None else dtypes.promote_types(found, row_dtype)
    return (len(data), *(shape or ())), found


def _unequal(shape: tuple[int, ...], got: tuple[int, ...], row: object) -> Exception:
    """The error for a row of another shape than the rows before it."""
    if len(got) < len(shape):
        return TypeError(f"not a sequence: expected one of shape {list(shape)}, as the rows before it, got {row!r}")
    if len(got) > len(shape):
        return TypeError(
            f"'{type(row).__name__}' object cannot be interpreted as a number: the elements before it have shape "
            f"{list(shape)}, this one has {list(got)}"
        )
    dim = next(dim for dim, (size, wanted) in enumerate(zip(got, shape, strict=True)) if size != wanted)
    return ValueError(
        f"expected sequence of length {shape[dim]} at dim {dim + 1} (got {got[dim]}): all rows must be equally long"
    )


def _array_of_numbers(values: list[Number], target: dtype) -> Array:
    """The numbers in the dtype `target`, each converted by itself, as PyTorch does: an int keeps all of its digits."""
    if target.is_floating_point or target is dtypes.bool_:
        return casting.converted(np.array(values, np.float64), target)
    if float not in set(map(type, values)):
        array = np.array(values, np.int64)
        return array if target is dtypes.int64 else casting.converted(array, target)
    array = np.empty(len(values), target._numpy)
    for kind in (int, float):
        array[[isinstance(value, kind) for value in values]] = casting.converted(
            np.array([value for value in values if isinstance(value, kind)], kind), target
        )
    return array
