"""What a new tensor is made with: device, layout and memory format, and what all functions take that make tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeAlias, TypedDict

import numpy as np

from minigrad import tensors
from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number
from minigrad.ops import arguments
from minigrad.ops.arguments import INTEGER, sizes_of

__all__ = [
    "contiguous_format", "device", "finfo", "layout", "memory_format", "preserve_format", "sparse_coo", "strided",
]  # fmt: skip

_TYPES = ("cpu", "cuda", "mps", "xpu", "xla", "hpu", "meta")
_NUMBER = "0|[1-9][0-9]{0,8}"


class _Facts:
    """What equals all of its class whose text is the same."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))


class device(_Facts):
    """A device by its name, "cpu" or "cuda:1", or by its type and index; tensors can be made on "cpu" alone.

    Errors: RuntimeError for what names no device.

    >>> import minigrad as torch
    >>> torch.device("cpu"), torch.device("cuda", 1)
    (device(type='cpu'), device(type='cuda', index=1))
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: object, index: int | None = None) -> None:
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError(f"Cannot access accelerator device when none is available: {type} is one's. Use 'cpu'.")
        if not isinstance(type, (str, device)):
            given = type.__class__.__name__
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({given}), but expected 'cpu'"
            )
        name = str(type) if index is None else f"{type}:{index}"
        kind, colon, number = name.partition(":")
        # (Most devices have no number: no pattern is made ready for them.)
        if kind not in _TYPES or (colon and not re.fullmatch(_NUMBER, number)):
            problem = f"Invalid device string: '{name}'"
            if re.fullmatch(f"[A-Za-z_]+(:({_NUMBER}))?", name):
                problem = f"Expected one of {', '.join(_TYPES)} device type at start of device string: {name}"
            is_dtype = re.match("bool|double|float|half|int|long", name)
            remedy = "A dtype is no string: torch.float32" if is_dtype else "minigrad computes on the CPU only: 'cpu'"
            raise RuntimeError(f"{problem}. {remedy}")
        self.type, self.index = kind, int(number) if colon else None

    def __enter__(self) -> device:
        """While the block runs new tensors are on this device: an error, unless it is the CPU."""
        check_on_cpu(self)
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


CPU = device("cpu")


def check_on_cpu(given: object) -> None:
    """Nothing if tensors can be made on this device; else an error as a PyTorch without accelerators raises."""
    # Most often it is this one word: nothing has to be read in it.
    known = "cpu" if isinstance(given, str) and given == "cpu" else given.type if isinstance(given, device) else None
    kind = known or device(given).type
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled: minigrad computes on the CPU; use 'cpu'")
    if kind != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices: minigrad computes on the CPU")


class finfo(_Facts):
    """The limits of a floating-point dtype, the default one if none is given.

    `dtype`, `bits`
        its name and its size.
    `max`, `min`, `tiny`, `smallest_normal`
        the largest and the smallest number, and the smallest above 0 with all its digits, by two names.
    `eps`, `resolution`
        the step from 1 to the next number, and a power of ten that all digits of any number are good for.

    >>> import minigrad as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    >>> torch.finfo(torch.float16)
    finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, \
dtype=float16)
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        of = dtypes.get_default_dtype() if type is None else type
        if not (isinstance(of, dtypes.dtype) and of.is_floating_point):
            raise TypeError(f"torch.finfo() requires a floating point input type, got {of!r}: np.iinfo is for integers")
        info = dtypes.limits(of._numpy)
        self.dtype, self.bits = of._name, 8 * of.itemsize
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = 10.0**-info.precision

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        limits = ", ".join([f"{name}={getattr(self, name):g}" for name in shown])
        return f"finfo({limits}, dtype={self.dtype})"


class _Named:
    """One of a few constants that print as PyTorch's do."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Named):
    """The layout of a tensor: `torch.strided`, or of sparse tensors `torch.sparse_coo`.

    >>> import minigrad as torch
    >>> torch.strided
    torch.strided
    """


class memory_format(_Named):
    """How a copy lies in memory: in order, `torch.contiguous_format`, or as its model does, `torch.preserve_format`."""


strided = layout("strided")
sparse_coo = layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")


#: What writes into an array.
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
    """Nothing if a tensor of that dtype can be made to require a gradient; a RuntimeError for integers and bools."""
    if not isinstance(requires_grad, bool):
        raise TypeError(f"argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    if requires_grad and not of.is_floating_point:
        problem = "Only Tensors of floating point and complex dtype can require gradients"
        raise RuntimeError(f"{problem}: integers have no small changes, so {of!r} has none. Ask for torch.float32.")


def new_leaf(array: Array, requires_grad: bool = False, on: OnDevice = None) -> Any:
    """A leaf tensor of `array` itself, not of a copy."""
    if on is not None:
        check_on_cpu(on)
    if requires_grad:
        check_can_require_grad(dtypes.of(array), requires_grad)
    leaf = Tensor._new(array)
    leaf._requires_grad = requires_grad
    return leaf


def new_leaf_made(
    name: str, make: Callable[[np.dtype[Any]], Array], options: Options, default: dtypes.dtype | None = None
) -> Tensor:
    """The leaf of what `make(dtype)` makes, under NumPy's quiet state."""
    wanted, requires_grad = checked(name, options, default)
    try:
        return new_leaf(quiet().run(make, wanted), requires_grad)
    except (ValueError, OverflowError, MemoryError) as error:
        raise tensors.failures.beyond_numpy(error) from None


def new_leaf_of_sizes(
    name: str,
    sizes: Sequence[Any],
    options: Options,
    default: dtypes.dtype | None = None,
    *,
    make: Callable[..., Array] = np.empty,
    fill: Fill | None = None,
) -> Tensor:
    """The leaf of what `make(shape, dtype)` makes and `fill` fills; its sizes are given as `sizes_of` reads them.

    Errors: those of `checked`; RuntimeError for sizes that no array has.
    """
    shape = sizes_of(name, sizes, options.pop("size", None))  # type: ignore[typeddict-item]  # SizedOptions has it
    wanted, requires_grad = checked(name, options, default)
    try:
        array = make(shape, wanted)
        if fill is not None:
            fill(array)
        return new_leaf(array, requires_grad)
    except (ValueError, MemoryError) as error:
        check_shape(name, shape, wanted)
        raise tensors.failures.beyond_numpy(error) from None


def check_shape(name: str, shape: tuple[int, ...], wanted: np.dtype[Any]) -> None:
    """Nothing for the shape of an array; a RuntimeError else."""
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
    """The int that is given to the function `name`, as one, as NumPy's or as a 0-d tensor."""
    is_int = isinstance(given, INTEGER) and not isinstance(given, bool)
    return index(given) if is_int else tensors.failures.refuse(name, argument, position, int, given)


def listed(name: str, size: Sizes) -> tuple[Sizes]:
    """The sizes of a function that takes them in one tuple or list only; a TypeError for anything else."""
    if not isinstance(size, (tuple, list, Sequence)):
        tensors.failures.refuse(name, "size", 1, Sequence[int], size)
    return (size,)


def filling(name: str, given: object) -> tuple[Number, Fill]:
    """The number `fill_value` of the function `name`, and what fills with it; a RuntimeError if it has no place."""
    value = number_of(name, "fill_value", given, 2)
    return value, lambda array: array.fill(arguments.filler(value, dtypes.of(array)))
