"""What there is for each dtype: limits, and older constructors: `LongTensor([1])` is `tensor([1], dtype=long)`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.tensor import Tensor
from minigrad.tensors.creation import array_of_arguments
from minigrad.tensors.options import device as Device
from minigrad.tensors.options import new_leaf

__all__ = [
    "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor",
    "ShortTensor", "finfo",
]  # fmt: skip


class _TypedTensor(type):
    """The class of these constructors, whose instances are the tensors of one dtype."""

    dtype: ClassVar[dtypes.dtype]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: object, device: Device | str | None = None) -> Tensor:
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0].dtype is not cls.dtype:
                raise TypeError(f"expected a tensor of {cls.dtype!r} (got {args[0].dtype!r}): x.to({cls.dtype!r})")
            return args[0].detach()
        return new_leaf(array_of_arguments(args, cls.dtype), False, device)


def _constructor(of: dtypes.dtype) -> _TypedTensor:
    """The constructor of tensors of the dtype `of`."""
    name = f"{of._tensor_name}Tensor"
    text = f"Tensors of {of!r}, made of one sequence or of sizes; prefer `torch.tensor(data, dtype={of!r})`."
    return _TypedTensor(name, (), {"dtype": of, "__doc__": text, "__module__": "torch"})


BoolTensor = _constructor(dtypes.bool_)
ByteTensor = _constructor(dtypes.uint8)
CharTensor = _constructor(dtypes.int8)
DoubleTensor = _constructor(dtypes.float64)
FloatTensor = _constructor(dtypes.float32)
HalfTensor = _constructor(dtypes.float16)
IntTensor = _constructor(dtypes.int32)
LongTensor = _constructor(dtypes.int64)
ShortTensor = _constructor(dtypes.int16)


class finfo:
    """The limits of a floating-point dtype, the default one if none is given.

    `dtype`, `bits`
        its name and its size.
    `max`, `min`, `tiny`, `smallest_normal`
        the largest and the smallest number, and the smallest above 0 with all its digits, by two names.
    `eps`, `resolution`
        the step from 1 to the next number, and a power of ten that all digits of any number are good for.

    >>> finfo(dtypes.float32).eps
    1.1920928955078125e-07
    >>> finfo(dtypes.float16)
    finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, \
dtype=float16)
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        of = dtypes.get_default_dtype() if type is None else type
        if not (isinstance(of, dtypes.dtype) and of.is_floating_point):
            raise TypeError(
                f"torch.finfo() requires a floating point input type, got {of!r}. Use torch.iinfo to handle it"
            )
        info = np.finfo(of._numpy)
        self.dtype, self.bits = of._name, 8 * of.itemsize
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = 10.0**-info.precision

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        limits = ", ".join([f"{name}={getattr(self, name):g}" for name in shown])
        return f"finfo({limits}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
