"""The older constructors, one per dtype: `LongTensor([1, 2])` is `tensor([1, 2], dtype=long)`."""

from __future__ import annotations

from typing import ClassVar

from minigrad.core import dtypes
from minigrad.tensor import Tensor
from minigrad.tensors.devices import device as Device
from minigrad.tensors.nested_data import array_of_arguments
from minigrad.tensors.options import new_leaf

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


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
