"""What tests draw from: the strategies of `minigrad.checks`, and the dtypes that NumPy, PyTorch and minigrad share."""

import numpy as np
from hypothesis import strategies as st

from minigrad.checks.strategies import Shape, arrays, broadcastable_shapes, cotangents, ids, shapes, tables
from minigrad.core.dtypes import Array

__all__ = [
    "DTYPES", "FLOATS", "INTEGERS", "Array", "Shape", "arrays", "broadcastable_shapes", "cotangents", "ids",
    "ids_for", "in_layouts", "shapes", "tables",
]  # fmt: skip

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
DTYPES = (*FLOATS, *INTEGERS, "bool")


def ids_for(
    table: Array, shape: Shape | st.SearchStrategy[Shape] | None = None, dtype: str | st.SearchStrategy[str] = "int64"
) -> st.SearchStrategy[Array]:
    """Ids of rows of `table`; see `ids`."""
    return ids(len(table), shape, dtype)


def in_layouts(array: Array) -> list[Array]:
    """Copies of an array in three memory layouts: in order, in the opposite order, and with gaps."""
    spaced = np.zeros([2 * size + 1 for size in array.shape], array.dtype)[(slice(1, None, 2),) * array.ndim or ...]
    spaced[...] = array
    return [array.copy(), array.copy(order="F"), spaced]
