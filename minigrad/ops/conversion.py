"""Copies and conversions: to another dtype, layout or device."""

from __future__ import annotations

import builtins
from operator import index
from typing import Any, SupportsIndex

from minigrad import tensors
from minigrad.core import dtypes
from minigrad.core.elementwise import Cast, Clone, cast
from minigrad.core.tensor import Operand, Tensor, members
from minigrad.declare import declared, op
from minigrad.tensors import options
from minigrad.tensors.options import as_dtype, check_on_cpu, keeps_order, layout, memory_format, sparse_coo


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
    return Clone("K" if memory_format is None or keeps_order(memory_format) else "C")(input)


@op("torch")
def detach(input: Tensor) -> Tensor:
    """The same numbers, cut off from the graph: a leaf that requires no gradient, on the same memory."""
    return input.detach()


@op("Tensor")
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor in a dtype, on a device, or in those of another tensor; itself if nothing changes.

    `to(dtype, …)`, `to(device=None, dtype=None, …)` and `to(other, …)`, each with `non_blocking=False, copy=False`;
    with `copy`, a copy in any case.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).to(torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    given = _arguments_of_to(args, kwargs)
    other = given.get("other")
    wanted = other.dtype if other is not None else as_dtype("to", given.get("dtype")) or input.dtype
    if given.get("device") is not None:
        check_on_cpu(given["device"])
    out = cast(input, wanted)
    if out is input and given.get("copy"):
        out = Cast(wanted)(input)
    dense = keeps_order(given.get("memory_format")) or out is input
    return out if dense else out.contiguous()


def _cast_to(name: str, to: dtypes.dtype) -> None:
    """Declare the method `x.float()` and its like."""

    def method(self: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        return cast(self, to)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"This tensor as {to!r}."
    declared["Tensor"][name] = method


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "long": dtypes.int64,
    "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
}.items():  # fmt: skip
    _cast_to(_name, _dtype)


@op("Tensor")
def bfloat16(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """This tensor as torch.bfloat16."""
    return cast(input, dtypes.bfloat16)


@op("Tensor")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype of `other`."""
    return cast(input, other.dtype)


@op()
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers: never here."""
    return input._array.dtype.kind == "c"


@op("torch")
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return input.is_floating_point()


@op()
def is_signed(input: Tensor) -> bool:
    """Whether the elements can be negative."""
    return input.dtype.is_signed


@op()
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    return bool(input)


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
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor1, tensor2)])


op("torch")(dtypes.promote_types)


@members
class Conversion(Tensor):
    """What becomes of a tensor by name of a type, a layout or a device."""

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

    def to_sparse(self, sparse_dim: SupportsIndex | None = None, *, layout: layout | None = None) -> Tensor:
        """A sparse tensor of the same elements: its entries are those, in the first `sparse_dim` dimensions, not zero.

        >>> import minigrad as torch
        >>> torch.tensor([[0.0, 0.0], [1.0, 2.0]]).to_sparse(1)
        tensor(indices=tensor([[1]]),
               values=tensor([[1., 2.]]),
               size=(2, 2), nnz=1, layout=torch.sparse_coo)
        """
        shape = self._array.shape
        dims = len(shape) if sparse_dim is None else index(sparse_dim)
        if not bool(shape) <= dims <= len(shape):
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be at least 1, at most {len(shape)}, not {dims}"
            )
        if layout not in (None, sparse_coo):
            raise NotImplementedError(f"to_sparse(): the one sparse layout here is torch.sparse_coo, not {layout}")
        entries: Tensor = tensors.sparse.entries_of(self, dims)
        return entries

    def cpu(self, memory_format: memory_format | None = None) -> Tensor:
        """This tensor, which is on the CPU."""
        return self

    def cuda(
        self,
        device: options.device | str | builtins.int | None = None,
        non_blocking: builtins.bool = False,
        memory_format: memory_format | None = None,
    ) -> Any:
        """An error, as `to("cuda")`: tensors are on the CPU."""
        where = options.device("cuda" if device is None else device)
        if where.type != "cuda":
            raise RuntimeError(f"Invalid device, must be cuda device, not {where}: x.to({str(where)!r})")
        check_on_cpu(where)

    def pin_memory(self, device: options.device | str | builtins.int | None = None) -> Any:
        """An error: memory is pinned for the sake of another device, and there is none."""
        raise RuntimeError("Cannot access accelerator device when none is available: leave pin_memory() out")


def _dtype_of_type(given: object) -> dtypes.dtype:
    """The dtype of what `type` takes: of itself, of the name of a type, or of one of the older constructors."""
    if not isinstance(given, dtypes.dtype | str | type):
        raise TypeError(f"dtype must be a type, str, or dtype object, such as torch.float32, not {given!r}")
    if isinstance(given, type):
        found = dtypes.get_default_dtype() if issubclass(given, Tensor) else getattr(given, "dtype", None)
    else:
        named: dict[Any, dtypes.dtype] = {
            f"torch.{each._tensor_name}Tensor": each for each in dtypes._BY_NUMPY.values()
        }
        found = named.get(given, given)
    if not isinstance(found, dtypes.dtype):
        raise ValueError(f"invalid type: {getattr(given, '__name__', given)!r}: give a dtype, such as torch.float32")
    return found


_PLACES = ("non_blocking", "copy")


def _arguments_of_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of one of the three forms of `to`, by name."""
    names: tuple[str, ...] = ("device", "dtype", *_PLACES)
    if args and isinstance(args[0], dtypes.dtype | type):
        names = ("dtype", *_PLACES)
    elif args and isinstance(args[0], Tensor):
        names = ("other", *_PLACES)
    given = dict(zip(names, args, strict=False)) | kwargs
    if (
        len(args) > len(names)
        or len(given) < len(args) + len(kwargs)
        or kwargs.keys() - {*names, "memory_format", "dtype"}
        or not all([isinstance(given.get(flag, False), bool) for flag in ("non_blocking", "copy")])
    ):
        raise TypeError("to() received an invalid combination of arguments: expected dtype, device and dtype, or other")
    return given
