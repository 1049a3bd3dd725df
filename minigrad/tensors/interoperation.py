"""To Python's numbers, to NumPy, to other frameworks, to copies and pickles, and back."""

from __future__ import annotations

import builtins
import copy
import operator
from typing import Any, SupportsIndex

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.core.modes import current
from minigrad.core.tensor import Tensor, members
from minigrad.tensors.errors import warn_program


@members
class Interoperation(Tensor):
    """To Python's numbers, to NumPy, to other frameworks, to copies and pickles, and back."""

    __slots__ = ()

    # ---- Python's numbers --------------------------------------------------------------------------------------------

    def item(self) -> Any:
        """The only element, as a Python number.

        >>> import minigrad as torch
        >>> torch.tensor([2.5]).item()
        2.5
        """
        if self._array.size != 1:
            problem = f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            raise RuntimeError(f"{problem}: item() is for one element; tolist() gives all")
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor.

        >>> import minigrad as torch
        >>> torch.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self._array.tolist()

    def _only(self, wanted: str) -> Any:
        if self._array.size != 1:
            problem = f"only one element tensors can be converted to Python scalars; {wanted} got shape {self.shape}"
            raise ValueError(f"{problem}: it is for one element, tolist() gives all")
        return self._array.item()

    def __int__(self) -> builtins.int:
        return int(self._only("int()"))

    def __float__(self) -> builtins.float:
        if self._requires_grad:
            warn_once(_SCALAR)
        return float(self._only("float()"))

    def __bool__(self) -> builtins.bool:
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if self._array.size > 1:
            problem = "Boolean value of Tensor with more than one value is ambiguous"
            raise RuntimeError(f"{problem}: did you mean .all(), .any() or equal()?")
        return bool(self._array.item())

    def __index__(self) -> builtins.int:
        if self._array.size != 1 or self._array.dtype.kind not in "biu":
            words = "only integer tensors of a single element can be converted to an index: this one has dtype"
            remedy = "(To compute with a list, make it a tensor first: torch.tensor(data).)"
            raise TypeError(f"{words} {self.dtype!r} and shape {self.shape}. {remedy}")
        return int(self._array.item())

    # ---- NumPy -------------------------------------------------------------------------------------------------------

    def numpy(self, *, force: builtins.bool = False) -> Array:
        """The elements as an array, not a copy: a write to it shows in the tensor.

        Errors: RuntimeError if this tensor requires a gradient, unless `force` or under `no_grad`.

        >>> import minigrad as torch
        >>> x = torch.zeros(2)
        >>> x.numpy()[0] = 7
        >>> x
        tensor([7., 0.])
        """
        if self._requires_grad and current.enabled and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._array.dtype.kind == "V":
            # Few of NumPy's functions take it.
            raise TypeError("Got unsupported ScalarType BFloat16: x.float().numpy()")
        # A view: what is done to the array's shape is not done to the tensor's.
        return self._array.view()

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array: Array, context: object = None, return_scalar: builtins.bool = False) -> Tensor:
        """The result of a NumPy function on this tensor, as a tensor; bools as uint8, as in PyTorch."""
        return self._new(shared_memory(array.astype(np.uint8) if array.dtype == np.bool_ else array))

    # ---- copies and pickles ------------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        if self._node is not None:
            problem = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the"
            raise RuntimeError(f"{problem} moment: this one is the result of an operation. Copy x.detach() instead.")
        copied = _unpickled(*self._parts(copied=True))
        memo[id(self)] = copied
        copied._grad = copy.deepcopy(self._grad, memo)
        copied.__dict__.update(copy.deepcopy(self._attributes(), memo))
        return copied

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        """How `copy.copy` and `pickle` make this tensor again: as a leaf without `.grad`, on its memory or a copy."""
        if self.__dict__.get("_backward_hooks"):
            warn_program("backward hook on tensor will not be serialized: register it again on what is loaded")
        return _unpickled, self._parts(), self._attributes() or None

    def _parts(self, copied: builtins.bool = False) -> tuple[Any, ...]:
        """What this tensor is made of: its class, its memory or a copy, the places of its elements, its grad mode."""
        memory = _memory(self._array)
        places = self._array.shape, self._array.strides
        return type(self), memory.copy() if copied else memory, *places, self._requires_grad

    def _attributes(self) -> dict[str, Any]:
        """What the user has set on this tensor; hooks stay with the original."""
        return {name: value for name, value in self.__dict__.items() if not name.endswith("_hooks")}

    @classmethod
    def _rebuilt(cls, array: Array, requires_grad: builtins.bool) -> Tensor:
        """A leaf of this class on `array`."""
        leaf = cls._new(array)
        leaf._requires_grad = requires_grad
        return leaf

    def storage_offset(self) -> builtins.int:
        """How many elements lie in memory before the first of this tensor: 0 unless it is a view.

        >>> import minigrad as torch
        >>> torch.arange(6).reshape(2, 3)[1:].storage_offset()
        3
        """
        return (self._array.ctypes.data - _whole(self._array).ctypes.data) // self._array.itemsize

    def storage(self) -> TypedStorage:
        """The memory of this tensor, and of all views that it has a part in.

        >>> import minigrad as torch
        >>> list(torch.tensor([[1, 2], [3, 4]])[1].storage())
        [1, 2, 3, 4]
        """
        whole = _whole(self._array)
        return TypedStorage(whole.ravel("K") if whole.flags.forc else _memory(whole))


class TypedStorage:
    """The memory that a tensor shares with its views: numbers in a row, to be read and written one by one."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def size(self) -> builtins.int:
        """How many numbers there are, `len` as well."""
        return len(self._array)

    __len__ = size

    def __getitem__(self, index: SupportsIndex) -> Any:
        return self._array[operator.index(index)].item()

    def __setitem__(self, index: SupportsIndex, value: Number) -> None:
        self._array[operator.index(index)] = value

    def data_ptr(self) -> builtins.int:
        """The address of the first number."""
        return self._array.ctypes.data

    def __repr__(self) -> str:
        numbers, kind = "\n ".join(map(str, self._array.tolist())), dtypes.of(self._array)
        return f" {numbers}\n[torch.storage.TypedStorage(dtype={kind}, device=cpu) of size {len(self)}]"


_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
_READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor is an error here, and undefined behavior in PyTorch. You may want to copy the array to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program."
)

_warned: set[str] = set()


def warn_once(message: str) -> None:
    """Warn with `message`, the first time in this process."""
    if message not in _warned:
        _warned.add(message)
        warn_program(message)


def checked_array(ndarray: Array) -> Array:
    """`ndarray`, which must be of a dtype that tensors have (TypeError) and of steps that are strides (ValueError)."""
    steps = ndarray.strides if ndarray.size else ()
    if any([step < 0 for step in steps]):
        words = "At least one stride in the given numpy array is negative, and tensors with negative strides are not"
        remedy = "(You can probably work around this by making a copy of your array  with array.copy().)"
        raise ValueError(f"{words} currently supported. {remedy}")
    if dtypes.of(ndarray)._name == "bfloat16":
        raise TypeError("can't convert np.ndarray of type ml_dtypes.bfloat16: view the tensor of array.view('int16')")
    if any([step % ndarray.itemsize for step in steps]):
        raise ValueError("given numpy array strides not a multiple of the element byte size. Copy it: array.copy()")
    return ndarray


def shared_memory(ndarray: Array) -> Array:
    """The memory of `ndarray` as an array for a tensor, which a change of the other's shape does not reach."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__}); tensor(data) makes a copy of other data")
    if not checked_array(ndarray).flags.writeable:
        warn_once(_READ_ONLY)
    # By way of its memoryview, the tensor's memory begins with this array, whatever it is a view of.
    array = np.asarray(ndarray.data)
    # NumPy writes the steps of dimensions of one element anew.
    return array if array.strides == ndarray.strides else as_strided(array, strides=ndarray.strides)


def _whole(array: Array) -> Array:
    """The array that `array` is a view of, itself if it is none."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        # What `as_strided` puts between two arrays has a base, too.
        base = getattr(base, "base", None)
    return array


def _memory(array: Array) -> Array:
    """All elements from the first of `array` to its last, those between its steps included, in one dimension."""
    span = sum([(size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)])
    return as_strided(array, (span // array.itemsize + 1 if array.size else 0,), (array.itemsize,))


def _unpickled(
    kind: Any, memory: Array, shape: tuple[int, ...], strides: tuple[int, ...], requires_grad: bool
) -> Tensor:
    dtypes.of(memory)  # From now on, bfloat16 is known.
    array = as_strided(memory, shape, strides)
    if array.size and any([step == 0 and size > 1 for size, step in zip(shape, strides, strict=True)]):
        # Several elements have one place in memory.
        array.flags.writeable = False
    return kind._rebuilt(array, requires_grad)
