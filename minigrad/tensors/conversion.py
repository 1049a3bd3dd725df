"""Copies and conversions: to another dtype, layout or device; to Python's numbers, NumPy, other frameworks, pickles."""

from __future__ import annotations

import builtins
import functools
from importlib import import_module
from operator import index as as_int
from typing import Any, SupportsIndex

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minigrad import tensors
from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.core.modes import current
from minigrad.core.ops import Cast, Clone, cast
from minigrad.core.tensor import Operand, Tensor, members, method
from minigrad.declare import op
from minigrad.ops.arguments import as_dtype
from minigrad.tensors.devices import check_on_cpu, contiguous_format, device as Device, memory_format
from minigrad.tensors.errors import warn_program


@op()
def clone(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """A copy, recorded: its gradient is this tensor's.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> y = x.clone()
    >>> y[0] = 7
    >>> x, y
    (tensor([1., 2.]), tensor([7., 2.]))
    """
    return Clone("C" if memory_format is contiguous_format else "K").of(input)


@op("Tensor")
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor in a dtype, on a device, or in those of another tensor; itself if nothing changes.

    `to(dtype, …)`, `to(device=None, dtype=None, …)` and `to(other, …)`, each with `non_blocking=False, copy=False`;
    with `copy`, a copy in any case.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).to(torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    if args and isinstance(args[0], Tensor):
        args = (None, args[0].dtype, *args[1:])
    elif args and isinstance(args[0], (dtypes.dtype, type)):
        args = (None, *args)
    try:
        on, dtype, copy, memory_format = _arguments_of_to(*args, **kwargs)
    except TypeError:
        problem = "to() received an invalid combination of arguments"
        raise TypeError(f"{problem}: expected dtype, device and dtype, or other") from None
    wanted = as_dtype("to", dtype) or input.dtype
    if on is not None:
        check_on_cpu(on)
    out = cast(input, wanted)
    if out is input and copy:
        out = Cast(wanted).of(input)
    return out.contiguous() if memory_format is contiguous_format and out is not input else out


def _cast_to(name: str, to: dtypes.dtype | None) -> None:
    """Declare the method `x.float()` and its like; None stands for bfloat16, which needs a package."""

    def converted(self: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        return cast(self, to or dtypes.bfloat16)

    converted.__name__, converted.__doc__ = name, f"This tensor as {to or 'torch.bfloat16'}."
    method(name)(converted)


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": None, "long": dtypes.int64,
    "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
}.items():  # fmt: skip
    _cast_to(_name, _dtype)


@op("Tensor")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype of `other`."""
    return cast(input, other.dtype)


@op("torch")
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return input.is_floating_point()


@op("torch")
def is_tensor(obj: object) -> bool:
    """Whether `obj` is a tensor.

    >>> import minigrad as torch
    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


@op("torch")
def result_type(tensor1: Operand, tensor2: Operand) -> dtypes.dtype:
    """The dtype of an arithmetic result of two operands, tensors or numbers.

    >>> import minigrad as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.5)
    torch.float32
    """
    first: Any = tensor1
    second: Any = tensor2
    return dtypes.result_type(getattr(first, "_array", first), getattr(second, "_array", second))


@op("torch")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The dtype in which tensors of two dtypes meet.

    >>> import minigrad as torch
    >>> torch.promote_types(torch.int64, torch.float16)
    torch.float16
    """
    return dtypes.promote_types(type1, type2)


@op("torch")
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`: not from a higher category.

    >>> import minigrad as torch
    >>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.float32, torch.long)
    (True, False)
    """
    return dtypes.category(from_) <= dtypes.category(to)


@members
class Conversion(Tensor):
    """Conversions to another dtype, layout or device, to numbers and arrays, copies and pickles."""

    __slots__ = ()

    def type(self, dtype: object = None, non_blocking: builtins.bool = False) -> Any:
        """The name of this tensor's type, such as "torch.FloatTensor"; or this tensor in a dtype, or in such a type.

        The type is given by its name or as the constructor `torch.FloatTensor`.  Errors: ValueError for other types.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).type(), torch.tensor([1, 2]).type(torch.FloatTensor)
        ('torch.LongTensor', tensor([1., 2.]))
        """
        if dtype is None:
            return f"torch.{self.dtype._tensor_name}Tensor"
        return cast(self, _dtype_of_type(dtype))

    def to_dense(self, dtype: dtypes.dtype | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """This tensor, which is dense; a sparse tensor as a dense one."""
        wanted = as_dtype("to_dense", dtype)
        return self if wanted is None else cast(self, wanted)

    def to_sparse(self, sparse_dim: SupportsIndex | None = None) -> Tensor:
        """A sparse tensor of the same elements: its entries are those, in the first `sparse_dim` dimensions, not zero.

        >>> import minigrad as torch
        >>> torch.tensor([[0.0, 0.0], [1.0, 2.0]]).to_sparse(1)
        tensor(indices=tensor([[1]]),
               values=tensor([[1., 2.]]),
               size=(2, 2), nnz=1, layout=torch.sparse_coo)
        """
        shape = self._array.shape
        dims = len(shape) if sparse_dim is None else as_int(sparse_dim)
        if not bool(shape) <= dims <= len(shape):
            raise RuntimeError(f"dense_to_sparse: sparse_dim must be at least 1, at most {len(shape)}, not {dims}")
        entries: Tensor = tensors.sparse.entries_of(self, dims)
        return entries

    def cpu(self, memory_format: memory_format | None = None) -> Tensor:
        """This tensor, which is on the CPU."""
        return self

    def cuda(self, device: Device | str | builtins.int | None = None, **options: object) -> Any:
        """An error, as `to("cuda")`: tensors are on the CPU."""
        check_on_cpu("cuda" if device is None else device)
        raise RuntimeError(f"Invalid device, must be cuda device, not {device}: x is on the CPU")

    def pin_memory(self, device: Device | str | builtins.int | None = None) -> Any:
        """An error: memory is pinned for the sake of another device, and there is none."""
        raise RuntimeError("Cannot access accelerator device when none is available: leave pin_memory() out")

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

    def _only(self, remedy: str = "tolist() gives all") -> Any:
        if self._array.size != 1:
            problem = "only one element tensors can be converted to Python scalars"
            raise ValueError(f"{problem}: this one has shape {self.shape}, and {remedy}")
        return self._array.item()

    def __int__(self) -> builtins.int:
        return int(self._only())

    def __float__(self) -> builtins.float:
        if self._requires_grad:
            told = "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior"
            warn_once(f"{told}. Consider using tensor.detach() first.")
        return float(self._only())

    def __bool__(self) -> builtins.bool:
        if self._array.size != 1:
            found = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {found} is ambiguous: use .all(), .any() or equal()")
        return bool(self._array.item())

    def __index__(self) -> builtins.int:
        if self._array.size != 1 or self._array.dtype.kind not in "biu":
            found = f"this one has dtype {self.dtype!r} and shape {self.shape}. Of a list make torch.tensor(list)."
            raise TypeError(f"only integer tensors of a single element can be converted to an index: {found}")
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
            # Few of NumPy's functions take bfloat16.
            raise TypeError("Got unsupported ScalarType BFloat16: x.float().numpy()")
        # A view, so that a change of the array's shape does not change the tensor's.
        return self._array.view()

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array: Array, context: object = None, return_scalar: builtins.bool = False) -> Tensor:
        """The result of a NumPy function on this tensor, as a tensor; bools as uint8, as in PyTorch."""
        return self._new(shared_memory(array.astype(np.uint8) if array.dtype == np.bool_ else array))

    # ---- copies and pickles ------------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        if self._node is not None:
            problem = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol"
            raise RuntimeError(f"{problem}: this one is the result of an operation. Copy x.detach()")
        kind, memory, *places = self._parts()
        copied = memo[id(self)] = _unpickled(kind, memory.copy(), *places)
        # Imported here, since most programs copy nothing.
        deepcopy = import_module("copy").deepcopy
        copied._grad = deepcopy(self._grad, memo)
        copied.__dict__.update(deepcopy(self._attributes(), memo))
        return copied

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        """How `copy.copy` and `pickle` make this tensor again: as a leaf without `.grad`, on its memory or a copy."""
        if self.__dict__.get("_backward_hooks"):
            warn_program("backward hook on tensor will not be serialized: register it again on what is loaded")
        return _unpickled, self._parts(), self._attributes() or None

    def _parts(self) -> tuple[Any, ...]:
        """What this tensor is made of: its class, its memory, the places of its elements, its grad mode."""
        array = self._array
        return type(self), _memory(array), array.shape, array.strides, self._requires_grad

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


def _dtype_of_type(given: object) -> dtypes.dtype:
    """The dtype for an argument of `type`: a dtype, the name of a type, or one of the older constructors."""
    if not isinstance(given, (dtypes.dtype, str, type)):
        raise TypeError(f"dtype must be a type, str, or dtype object, such as torch.float32, not {given!r}")
    if isinstance(given, type):
        found = dtypes.get_default_dtype() if issubclass(given, Tensor) else getattr(given, "dtype", None)
    elif isinstance(given, str):
        found = {f"torch.{each._tensor_name}Tensor": each for each in dtypes._BY_NUMPY.values()}.get(given)
    else:
        found = given
    if not isinstance(found, dtypes.dtype):
        raise ValueError(f"invalid type: {getattr(given, '__name__', given)!r}: give a dtype, such as torch.float32")
    return found


def _arguments_of_to(
    device: Any = None, dtype: Any = None, non_blocking: bool = False, copy: bool = False, *, memory_format: Any = None
) -> tuple[Any, ...]:
    """The arguments of `to`; a TypeError for flags that are not bools."""
    if not (isinstance(non_blocking, bool) and isinstance(copy, bool)):
        raise TypeError
    return device, dtype, copy, memory_format


class TypedStorage:
    """The memory that a tensor shares with its views: numbers in a row, to be read and written one by one."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def size(self) -> builtins.int:
        """How many numbers there are, `len` as well."""
        return len(self._array)

    __len__ = size

    def __getitem__(self, index: SupportsIndex) -> Any:
        return self._array[as_int(index)].item()

    def __setitem__(self, index: SupportsIndex, value: Number) -> None:
        self._array[as_int(index)] = value

    def data_ptr(self) -> builtins.int:
        """The address of the first number."""
        return self._array.ctypes.data

    def __repr__(self) -> str:
        numbers, kind = "\n ".join(map(str, self._array.tolist())), dtypes.of(self._array)
        return f" {numbers}\n[torch.storage.TypedStorage(dtype={kind}, device=cpu) of size {len(self)}]"


@functools.cache
def warn_once(message: str) -> None:
    """Warn with `message`, the first time in this process."""
    warn_program(message)


def checked_array(ndarray: Array) -> Array:
    """`ndarray`; a TypeError for a dtype that tensors cannot have, a ValueError for such strides."""
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
    """A new array on the memory of `ndarray`, for a tensor: changes of the other's shape do not reach it."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__}); tensor(data) makes a copy of other data")
    if not checked_array(ndarray).flags.writeable:
        warn_once("The given NumPy array is not writable, so a write to the tensor will be an error: pass array.copy()")
    # Made of its memoryview, the tensor's storage begins with this array, whatever `ndarray` is a view of.
    array = np.asarray(ndarray.data)
    # NumPy changes the strides of dimensions of size 1.
    return array if array.strides == ndarray.strides else as_strided(array, strides=ndarray.strides)


def _whole(array: Array) -> Array:
    """The array that `array` is a view of, itself if it is none."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        # Between two arrays there may be an object of `as_strided`, which has a base, too.
        base = getattr(base, "base", None)
    return array


def _memory(array: Array) -> Array:
    """All memory from the first element of `array` to its last, gaps included, in one dimension."""
    span = sum([(size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)])
    return as_strided(array, (span // array.itemsize + 1 if array.size else 0,), (array.itemsize,))


def _unpickled(
    kind: Any, memory: Array, shape: tuple[int, ...], strides: tuple[int, ...], requires_grad: bool
) -> Tensor:
    dtypes.of(memory)  # Registers bfloat16, if it is that.
    array = as_strided(memory, shape, strides)
    if array.size and any([step == 0 and size > 1 for size, step in zip(shape, strides, strict=True)]):
        # Several elements share a place in memory.
        array.flags.writeable = False
    return kind._rebuilt(array, requires_grad)
