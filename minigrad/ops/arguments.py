"""What arguments mean: dims and sizes, numbers and dtypes; and the options of the functions that make tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeAlias, TypedDict

import numpy as np

from minigrad import tensors
from minigrad.core import dtypes
from minigrad.core.dtypes import FLOATS, HALVES, Array, Number, bool_, category, check_int, dtype
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number
from minigrad.tensors.devices import check_on_cpu, device, layout, memory_format, strided

# ---- dimensions, counted from the front, and sizes -------------------------------------------------------------------

#: The types that count as an int; `int` comes first, since to check for a protocol takes 5 µs.
INTEGER = (int, SupportsIndex)


def normal_dim(dim: SupportsIndex, ndim: int) -> int:
    """`dim` counted from the front; an IndexError outside [-ndim, ndim).  A 0-d tensor counts as 1-d."""
    if type(dim) is int and -ndim <= dim < ndim:
        return dim % ndim
    if not isinstance(dim, INTEGER) or isinstance(dim, bool):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    ndim = max(ndim, 1)
    at = index(dim)
    if not -ndim <= at < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {at})")
    return at % ndim


def own_dim(dim: SupportsIndex, ndim: int) -> int:
    """`dim` counted from the front; an IndexError as by `normal_dim`, and for a 0-d tensor, which has none."""
    if not ndim and isinstance(dim, INTEGER):
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return normal_dim(dim, ndim)


def normal_dims(dim: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int) -> tuple[int, ...]:
    """The dimensions that `dim` names, counted from the front: all for None."""
    if dim is None:
        return tuple(range(ndim))
    if type(dim) is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    named = dim if isinstance(dim, (tuple, list)) else (dim,) if isinstance(dim, INTEGER) else tuple(dim)
    dims: list[int] = []
    for each in named:
        position = normal_dim(each, ndim)
        if position in dims:
            raise RuntimeError(f"dim {position} appears multiple times in the list of dims")
        dims.append(position)
    return tuple(dims[:ndim])


def reduced_dims(dim: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int) -> tuple[int, ...]:
    """The dimensions of a reduction over `dim`: all for None and, unlike elsewhere, for an empty sequence."""
    return normal_dims(dim, ndim) or tuple(range(ndim))


def ints(given: Sequence[SupportsIndex]) -> tuple[int, ...]:
    """The ints of a sequence; 0-d integer tensors count as ints."""
    return tuple([each if type(each) is int else as_int(each) for each in given])


def ints_or_one(given: SupportsIndex | Sequence[SupportsIndex]) -> tuple[int, ...]:
    """The ints of a sequence, or of a single int."""
    return ints(given if isinstance(given, (tuple, list)) else (given,))


def as_int(given: SupportsIndex) -> int:
    """`given` as an int; a TypeError for a bool, which Python takes for one."""
    if isinstance(given, bool):
        raise TypeError(f"expected an int, got {given}")
    return index(given)


def as_int64(given: SupportsIndex) -> int:
    """`given` as an int; a ValueError for one that no int64 can hold."""
    number = as_int(given)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {number} is not in [-2**63, 2**63): float({number})")
    return number


def sizes_of(name: str, sizes: Sequence[Any], named: object = None) -> tuple[int, ...]:
    """The sizes given as `f(2, 3)`, `f((2, 3))` or by `f`'s name for them; each an int or a 0-d integer tensor."""
    if named is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        if not isinstance(named, Sequence):
            tensors.failures.refuse(name, "size", 0, Sequence[int], named)
        sizes = (named,)
    if not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"; {name}(()) is for 0 dimensions')
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    found: list[int] = []
    for position, size in enumerate(given):
        if type(size) is not int and (not isinstance(size, INTEGER) or isinstance(size, bool)):
            odd = f"found element of type {type(size).__name__} at pos {position}"
            raise TypeError(f"{name}(): argument 'size' (position {position + 1}) must be tuple of ints, but {odd}")
        found.append(index(size))
    return tuple(found)


# ---- numbers in a dtype, and which dtype may be written into which ---------------------------------------------------

_LARGEST_HALF = 65504.0


def check_cast(result: dtype, target: dtype, remedy: str = "an in-place operation cannot change the dtype") -> None:
    """Raise a RuntimeError unless a result of that dtype may be written into a tensor of the dtype `target`."""
    if category(result) > category(target):
        problem = f"result type {result._tensor_name} can't be cast to the desired output type {target._tensor_name}"
        raise RuntimeError(f"{problem}: {remedy}")


def converted(array: Array, target: dtype) -> Array:
    """`array` in the dtype `target`; a RuntimeError for a value that an integer dtype cannot hold.

    An OverflowError for ints that no dtype can hold.  A uint8 takes negative integers, not floats, down to -255 and
    wraps them around, as in PyTorch.

    >>> converted(np.array([-1.5, 3.0]), dtypes.int64)
    array([-1,  3])
    """
    if array.dtype == object:
        check_int(array.flat[0])
    if target.is_floating_point or target is bool_:
        return quiet().run(array.astype, target._numpy)
    high = int(np.iinfo(target._numpy).max)
    low = -high - 1 if target.is_signed else 0 if array.dtype in FLOATS else -high
    # As a float, the upper bound of int64 is rounded up to 2**63, which is already too large.
    fits = (array >= low) & ((array < 2.0**63) if array.dtype in FLOATS and target is dtypes.int64 else (array <= high))
    if not fits.all():
        raise RuntimeError(f"value cannot be converted to type {target._name} without overflow: {array[~fits].flat[0]}")
    return array.astype(np.int64).astype(target._numpy)


def filler(value: Number, target: dtype) -> Array:
    """The 0-d array of `value` in the dtype `target`; a RuntimeError for a finite number that it cannot hold.

    >>> from minigrad import float32
    >>> filler(2.5, float32)
    array(2.5, dtype=float32)
    """
    # Of anything, a bool says whether it is true; a float or an int of it is an error.
    number: Any = as_number(value) if target is bool_ else value
    small = type(value) is int and (-128 if target.is_signed else 0) <= value < 128
    if small or (target._numpy in FLOATS and (-_LARGEST_HALF <= number <= _LARGEST_HALF or number == -math.inf)):
        # The common cases, in a tenth of the time: every dtype can hold such a number.
        return np.asarray(value, target._numpy)
    array = converted(np.asarray(value), target)
    # A number above the largest is an error, even if it would be rounded down to that.
    if target.is_floating_point and float(dtypes.limits(target._numpy).max) < abs(number) < math.inf:
        raise RuntimeError(f"value cannot be converted to type {target._c_name} without overflow: {value}")
    return array


def assigned(value: Number, target: dtype) -> Array:
    """The 0-d array of `value` for `x[index] = value`: as by `filler`, but halves may overflow.

    >>> assigned(-1e9, dtypes.float16)
    array(-inf, dtype=float16)
    """
    return converted(np.asarray(value), target) if target._numpy in HALVES else filler(value, target)


# ---- which dtypes an operation takes ---------------------------------------------------------------------------------


def check_real(problem: str, x: Tensor) -> None:
    """Raise a RuntimeError that begins with `problem` unless the tensor is of floating-point numbers."""
    if x._array.dtype not in FLOATS:
        raise RuntimeError(f"{problem}. Got: {x.dtype._tensor_name}. Convert it first: x.float()")


def check_numbers(kernel: str, of: np.dtype[Any], remedy: str = "expected numbers, such as x.long()") -> None:
    """Raise a NotImplementedError that names `kernel` for the dtype of bools."""
    if of.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': {remedy}")


def check_floating(kernel: str, x: Any, remedy: str = "convert it first, x.float()") -> None:
    """Raise a NotImplementedError that names `kernel` unless a tensor or array is of floating-point numbers."""
    array = getattr(x, "_array", x)
    if array.dtype not in FLOATS:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(array)._tensor_name}': {remedy}")


# ---- the options of what makes tensors ------------------------------------------------------------------------------

#: A function that fills an array.
Fill: TypeAlias = Callable[[Array], object]

OnDevice: TypeAlias = device | str | None
Sizes: TypeAlias = Sequence[SupportsIndex]
#: A dtype, or the Python type of its numbers.
DType: TypeAlias = dtypes.dtype | type[float] | type[int] | type[bool] | None


class Options(TypedDict, total=False):
    """How a tensor is to be made.

    `dtype`
        of its elements; without one, what the function's docstring says.
    `device`, `layout`, `pin_memory`
        have one value each here, "cpu", `torch.strided` (`sparse_coo_tensor` makes the others) and False.
    `requires_grad`
        whether operations on it are to be recorded.
    """

    dtype: DType
    layout: layout | None
    device: OnDevice
    pin_memory: bool | None
    requires_grad: bool | None


class SizedOptions(Options, total=False):
    """As Options; the sizes may be given by keyword as well, `zeros(size=(2, 3))`."""

    size: Sizes


class LikeOptions(Options, total=False):
    """As Options; `torch.contiguous_format` asks for a tensor in order, though its model is not."""

    memory_format: memory_format | None


def checked(name: str, options: Options, default: dtypes.dtype | None = None) -> tuple[np.dtype[Any], bool]:
    """The dtype, and whether a gradient is required, after a check of all options given to the function `name`."""
    if not options:
        return (default or dtypes.get_default_dtype())._numpy, False
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        given: dict[str, Any] = {**options}
        raise tensors.failures.unexpected(name, **{each: given[each] for each in unknown})
    if options.get("device") is not None:
        check_on_cpu(options["device"])
    if options.get("layout") not in (None, strided):
        raise NotImplementedError(f"{name}() makes dense tensors: sparse_coo_tensor() makes {options['layout']}")
    if options.get("pin_memory"):
        raise RuntimeError("pin_memory=True requires an accelerator, and minigrad computes on the CPU: leave it out")
    wanted = as_dtype(name, options.get("dtype")) or default or dtypes.get_default_dtype()
    return wanted._numpy, options.get("requires_grad") or False


def as_dtype(name: str, given: object) -> dtypes.dtype | None:
    """The dtype given to the function `name`: itself, that of a Python type's numbers, or None."""
    if given is None or isinstance(given, dtypes.dtype):
        return given
    for kind, of_kind in ((bool, dtypes.bool_), (int, dtypes.int64), (float, dtypes.float64)):
        if given is kind:
            return of_kind
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}: torch.float32 is one")


def check_can_require_grad(of: dtypes.dtype, requires_grad: bool) -> None:
    """Raise a RuntimeError if a tensor of integers or bools is to require a gradient."""
    if not isinstance(requires_grad, bool):
        raise TypeError(f"argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    if requires_grad and not of.is_floating_point:
        problem = "Only Tensors of floating point and complex dtype can require gradients"
        raise RuntimeError(f"{problem}: integers have no small changes, so {of!r} has none. Ask for torch.float32.")


def check_shape(name: str, shape: tuple[int, ...], wanted: np.dtype[Any]) -> None:
    """Raise a RuntimeError unless an array can have that shape."""
    if min(shape, default=0) < 0:
        begins = {"zeros": "zeros: Dimension size must be non-negative.", "eye": "n must be greater or equal to 0,"}
        begin = begins.get(name, "Trying to create tensor with")
        raise RuntimeError(f"{begin} negative dimension {min(shape)}: {list(shape)}")
    if math.prod(shape) * wanted.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


def number_of(name: str, argument: str, given: object, position: int) -> Any:
    """The Python number that is given to the function `name`: see `as_number`."""
    try:
        return as_number(given)
    except TypeError:
        tensors.failures.refuse(name, argument, position, Number, given)


def int_of(name: str, argument: str, given: Any, position: int) -> int:
    """The int that is given to the function `name`: Python's, NumPy's or a 0-d tensor."""
    is_int = isinstance(given, INTEGER) and not isinstance(given, bool)
    return index(given) if is_int else tensors.failures.refuse(name, argument, position, int, given)


def listed(name: str, size: Sizes) -> tuple[Sizes]:
    """The sizes given to a function that takes them only as one sequence; a TypeError for anything else."""
    if not isinstance(size, (tuple, list, Sequence)):
        tensors.failures.refuse(name, "size", 1, Sequence[int], size)
    return (size,)
