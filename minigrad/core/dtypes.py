"""The element types of tensors, and the rules by which several of them become one.

A `dtype` stands for one NumPy dtype under PyTorch's name.  Results take their dtype from PyTorch's
rules, not from NumPy's: `int64 + float32` is float32 here and float64 in NumPy.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

__all__ = [
    "dtype", "float16", "float32", "float64", "get_default_dtype", "int8", "int16", "int32", "int64",
    "set_default_dtype", "uint8",
]  # fmt: skip

Array = np.ndarray[Any, np.dtype[Any]]
Number = bool | int | float | np.generic


class dtype:
    """An element type, such as `float32`; each exists once, so `is` and `==` agree.

    >>> import minigrad as torch
    >>> torch.float32
    torch.float32
    >>> torch.float32.itemsize, torch.float32.is_floating_point, torch.int64.is_floating_point
    (4, True, False)
    """

    __slots__ = ("_c_name", "_name", "_numpy", "_tensor_name")

    def __init__(self, name: str, tensor_name: str, c_name: str) -> None:
        self._name = name
        self._tensor_name = tensor_name
        self._c_name = c_name
        self._numpy = np.dtype(name)

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        """Whether the elements are floating-point numbers: only those can require gradients."""
        return self._numpy in FLOATS

    @property
    def is_complex(self) -> bool:
        """Whether the elements are complex numbers: never, in this subset of PyTorch."""
        return False

    @property
    def is_signed(self) -> bool:
        """Whether the elements can be negative."""
        return self._numpy.kind not in "bu"

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


# PyTorch's error messages have two more names for each: torch.LongTensor, and C++'s long int.
float16 = dtype("float16", "Half", "c10::Half")
float32 = dtype("float32", "Float", "float")
float64 = dtype("float64", "Double", "double")
int8 = dtype("int8", "Char", "signed char")
int16 = dtype("int16", "Short", "short int")
int32 = dtype("int32", "Int", "int")
int64 = dtype("int64", "Long", "long int")
uint8 = dtype("uint8", "Byte", "unsigned char")
bool_ = dtype("bool", "Bool", "bool")


_ALL = (float64, float32, float16, int64, int32, int16, int8, uint8, bool_)
_BY_NUMPY = {each._numpy: each for each in _ALL}

#: NumPy's dtypes of floating-point numbers; and those of them that are computed in float32, and then rounded.
FLOATS = {float16._numpy, float32._numpy, float64._numpy}
HALVES = {float16._numpy}


def __getattr__(name: str) -> dtype:
    """`bfloat16`, the upper half of a float32; the package that adds it to NumPy is imported when it is asked for."""
    if name != "bfloat16":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        importlib.import_module("ml_dtypes")
    except ImportError:
        remedy = "python -m pip install -e '.[bfloat16]'"
        raise AttributeError(f"torch.bfloat16 needs the package ml_dtypes, which is not installed: {remedy}") from None
    made: dtype = globals().setdefault(name, dtype(name, "BFloat16", "c10::BFloat16"))
    _BY_NUMPY[made._numpy] = made
    FLOATS.add(made._numpy)
    HALVES.add(made._numpy)
    return made


_default = float32


def of(array: Array) -> dtype:
    """The dtype of an array's elements; a `TypeError` where PyTorch has none for them.

    >>> of(np.zeros(3))
    torch.float64
    """
    try:
        return _BY_NUMPY[array.dtype]
    except KeyError:
        if array.dtype.name == "bfloat16":
            # Such an array may come from a pickle.
            return __getattr__("bfloat16")
    if array.dtype.newbyteorder("=") in _BY_NUMPY:
        problem = (
            "given numpy array has byte order different from the native byte order. Conversion between byte orders"
        )
        raise ValueError(f"{problem} is currently not supported: array.astype(array.dtype.newbyteorder('='))")
    kind, known = array.dtype.type, ", ".join([each._name for each in _ALL])
    problem = f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}"
    raise TypeError(f"{problem}. The only supported types are: {known}.")


def get_default_dtype() -> dtype:
    """The dtype of floating-point tensors made without one: float32 unless `set_default_dtype` said otherwise.

    >>> import minigrad as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """From now on floating-point tensors made without a dtype have dtype `d`.

    >>> import minigrad as torch
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError(f"only floating-point types are supported as the default type, got {d!r}")
    _default = d


def of_number(number: Number) -> dtype:
    """The dtype that a Python number has where no tensor decides: bool, int64 or the default dtype.

    >>> of_number(True), of_number(3), of_number(3.5)
    (torch.bool, torch.int64, torch.float32)
    """
    if isinstance(number, (bool, np.bool_)):
        return bool_
    if isinstance(number, (int, np.integer)):
        return int64
    if not isinstance(number, (float, np.floating)):
        raise TypeError(f"expected a number, got {type(number).__name__}")
    return _default


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that holds both: floating point beats integer beats bool, then the wider wins.

    >>> import minigrad as torch
    >>> torch.promote_types(torch.int64, torch.float16), torch.promote_types(torch.uint8, torch.int8)
    (torch.float16, torch.int16)
    """
    # `_numpy` comes first, since only a dtype has it: a tensor given by mistake is an error.
    one, two = type1._numpy, type2._numpy
    if (one in FLOATS) != (two in FLOATS):
        return type1 if one in FLOATS else type2
    if type1 is not type2 and {one, two} <= HALVES:
        return float32
    return _BY_NUMPY[np.promote_types(one, two)]


def result_type(*operands: Array | Number) -> dtype:
    """The dtype of an arithmetic result: n-d operands decide, then 0-d ones, then Python numbers.

    A later group only counts if its category (bool < integer < floating point) is higher than that of
    the groups before it.  Source: "Type promotion" in the PyTorch documentation, `torch.dtype`.

    >>> result_type(np.zeros(3, "float32"), np.zeros((), "float64"), 2.5)
    torch.float32
    >>> result_type(np.zeros(3, "int64"), 2.5)
    torch.float32
    """
    groups: list[dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            group, found = (0 if operand.ndim else 1), of(operand)
        else:
            group, found = 2, of_number(operand)
            if found is int64:
                check_int(operand)
        earlier = groups[group]
        groups[group] = found if earlier in (None, found) else promote_types(earlier, found)
    # The first one of the highest category; most often there is only one.
    known = [found for found in groups if found is not None]
    return known[0] if len(known) == 1 else max(known, key=category)


def holds(number: Number) -> bool:
    """Whether a number is one that PyTorch computes with: an int must fit into 64 bits, with a sign or without."""
    return not isinstance(number, int) or -(2**63) <= number < 2**64


def check_int(number: Any) -> None:
    """Raise an OverflowError unless PyTorch computes with this int."""
    if not holds(number):
        what = "int too big to convert" if number > 0 else "can't convert negative int to unsigned"
        raise OverflowError(f"{what}: {number} is not in [-2**63, 2**64), so make it a float: float(number)")


def computed_in(elements: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that elements of a dtype are computed in: float32 for halves, whose results are then rounded.

    >>> computed_in(float16._numpy)
    dtype('float32')
    """
    return float32._numpy if elements in HALVES else elements


def limits(elements: np.dtype[Any]) -> Any:
    """What NumPy's `finfo` tells of a dtype of floating-point numbers: `max`, `eps` and others.

    >>> float(limits(float16._numpy).max)
    65504.0
    """
    return (np if elements.kind == "f" else importlib.import_module("ml_dtypes")).finfo(elements)


def category(of_type: dtype) -> int:
    """0 for bool, 1 for integers, 2 for floating point: a result has the highest of its operands."""
    return 0 if of_type is bool_ else 1 + (of_type._numpy in FLOATS)
