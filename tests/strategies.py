"""What tests draw from: the strategies of `minigrad.checks`, and the dtypes that NumPy, PyTorch and minigrad share."""

from __future__ import annotations

from minigrad.checks.strategies import (
    Shape,
    arrays,
    broadcastable_shapes,
    cotangents,
    ids,
    ids_for,
    shapes,
    tables,
)
from minigrad.core.dtypes import Array

__all__ = [
    "DTYPES",
    "FLOATS",
    "INTEGERS",
    "Array",
    "Shape",
    "arrays",
    "broadcastable_shapes",
    "cotangents",
    "ids",
    "ids_for",
    "shapes",
    "tables",
]

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
DTYPES = (*FLOATS, *INTEGERS, "bool")
