"""Functions that make tensors: from data, filled with a value, or drawn at random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Literal, SupportsIndex

import numpy as np

from minigrad import draws, dtypes
from minigrad.devices import device as Device
from minigrad.dtypes import Array, Number, dtype
from minigrad.ops.dims import sizes_of
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, new_leaf

__all__ = [
    "arange",
    "as_tensor",
    "bernoulli",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "multinomial",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "tensor",
    "zeros",
    "zeros_like",
]

OnDevice = Device | str | None
Sizes = Sequence[SupportsIndex]


def tensor(data: Any, *, dtype: dtype | None = None, device: OnDevice = None, requires_grad: bool = False) -> Tensor:
    """A new leaf tensor with a copy of `data`: a number, nested sequences of numbers, an array or a tensor.

    Without a dtype, Python's bools, ints and floats become bool, int64 and the default dtype; NumPy's values
    and tensors keep theirs.  Errors: ValueError for sequences of unequal lengths, TypeError or RuntimeError for
    what is not a number, RuntimeError for integers with `requires_grad`.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> tensor([0.5, 1.0], requires_grad=True)
    tensor([0.5000, 1.0000], requires_grad=True)
    """
    _check_dtype("tensor", dtype)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        data = data._array
    return new_leaf(_from_data(data, dtype), requires_grad, device)


def as_tensor(data: Any, dtype: dtype | None = None, device: OnDevice = None) -> Tensor:
    """`data` as a tensor: a tensor as it is and an array without a copy, if they have the dtype asked for.

    >>> import numpy as np
    >>> as_tensor(np.ones(2))
    tensor([1., 1.], dtype=torch.float64)
    """
    _check_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data.to(data.dtype if dtype is None else dtype)
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtype._numpy):
        return from_numpy(data)
    return new_leaf(_from_data(data, dtype), False, device)


def from_numpy(ndarray: Array) -> Tensor:
    """A tensor on the memory of `ndarray`: a write to one shows in the other.

    >>> import numpy as np
    >>> array = np.zeros(2)
    >>> x = from_numpy(array)
    >>> array[0] = 7
    >>> x
    tensor([7., 0.], dtype=torch.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__}); tensor(data) makes a copy of other data")
    return new_leaf(_checked_array(ndarray))


def _check_dtype(name: str, given: object) -> None:
    if given is not None and not isinstance(given, dtype):
        raise TypeError(
            f"{name}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}; such as torch.float32"
        )


def _checked_array(array: Array) -> Array:
    """`array` as a plain ndarray of a dtype that tensors have, with steps that PyTorch's strides can be."""
    if any([step < 0 for step in array.strides]):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().)"
        )
    dtypes.of(array)
    return np.asarray(array)


def _from_data(data: Any, wanted: dtype | None) -> Array:
    """A fresh array of `data` in the dtype `wanted`, or in the one that the data suggests."""
    if isinstance(data, np.ndarray | np.generic):
        array = _checked_array(np.asarray(data))
        return np.array(array, dtype=None if wanted is None else wanted._numpy)
    values: list[Number] = []
    shape, found = _collect(data, values)
    target = wanted or found or dtypes.get_default_dtype()
    try:
        array = np.array(values, dtype=None if found is None else _widest(found)._numpy).reshape(shape)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long: an int in the data is not in [-2**63, 2**63)") from None
    return dtypes.converted(array, target)


def _collect(data: Any, values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """The shape and dtype of nested data, None if it is empty; its numbers are appended to `values` in order."""
    if isinstance(data, bool | int | float) and not isinstance(data, np.generic):
        values.append(data)
        return (), dtypes.of_number(data)
    if isinstance(data, Tensor) and data.numel() == 1:
        values.append(data.item())
        return (), data.dtype
    if isinstance(data, np.ndarray | np.generic):
        values += data.reshape(-1).tolist()
        return data.shape, dtypes.of(np.asarray(data))
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type 'str': expected numbers, got {data!r}")
    if isinstance(data, Tensor):
        raise ValueError(
            f"only one element tensors can be converted to Python scalars, and this one has shape {data.shape}"
        )
    if not isinstance(data, Sequence):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}: expected numbers or sequences of them")
    kinds = set(map(type, data))
    if kinds <= {bool, int, float}:
        # The innermost rows of numbers, nearly all of the data, without a call for each.
        values += data
        return (len(data),), _of_kinds(kinds)
    return _collect_rows(data, values)


def _of_kinds(kinds: set[type]) -> dtype | None:
    for kind in (float, int, bool):
        if kind in kinds:
            return dtypes.of_number(kind())
    return None


def _collect_rows(data: Sequence[Any], values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """As `_collect`, for a sequence of sequences or of numbers of several types, all of one shape."""
    shape: tuple[int, ...] | None = None
    found: dtype | None = None
    for row in data:
        if isinstance(row, str):
            raise ValueError(f"too many dimensions 'str': expected numbers, got {row!r}")
        row_shape, row_dtype = _collect(row, values)
        if shape is None:
            shape = row_shape
        elif row_shape != shape:
            raise _unequal(shape, row_shape, row)
        if row_dtype is not None:
            found = row_dtype if found is None else dtypes.promote_types(found, row_dtype)
    return (len(data), *(shape or ())), found


def _unequal(shape: tuple[int, ...], got: tuple[int, ...], row: Any) -> Exception:
    """The error for a row of another shape than the rows before it."""
    if len(got) < len(shape):
        return TypeError(f"not a sequence: expected one of shape {list(shape)}, as the rows before it, got {row!r}")
    if len(got) > len(shape):
        return TypeError(
            f"'{type(row).__name__}' object cannot be interpreted as a number: the elements before it have shape "
            f"{list(shape)}, this one has {list(got)}"
        )
    dim = next(dim for dim, (size, wanted) in enumerate(zip(got, shape, strict=True)) if size != wanted)
    return ValueError(
        f"expected sequence of length {shape[dim]} at dim {dim + 1} (got {got[dim]}): all rows must be equally long"
    )


def _widest(found: dtype) -> dtype:
    """The dtype to collect numbers in before they become another: no value is lost in it."""
    return dtypes.float64 if found.is_floating_point else dtypes.bool_ if found is dtypes.bool_ else dtypes.int64


# ---- filled ------------------------------------------------------------------------------------------------------


def _filled(
    name: str,
    make: Callable[[tuple[int, ...], np.dtype[Any]], Array],
    size: Sequence[Any],
    dtype: dtype | None,
    device: OnDevice,
    requires_grad: bool,
) -> Tensor:
    """A leaf that `make(shape, dtype)` fills, after the checks that all of these functions share."""
    _check_dtype(name, dtype)
    shape = sizes_of(name, size)
    if min(shape, default=0) < 0:
        begin = "zeros: Dimension size must be non-negative." if name == "zeros" else "Trying to create tensor with"
        raise RuntimeError(f"{begin} negative dimension {min(shape)}: {list(shape)}")
    wanted = (dtype or dtypes.get_default_dtype())._numpy
    if math.prod(shape) * wanted.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    return new_leaf(make(shape, wanted), requires_grad, device)


def zeros(*size: Any, dtype: dtype | None = None, device: OnDevice = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    >>> zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return _filled("zeros", np.zeros, size, dtype, device, requires_grad)


def ones(*size: Any, dtype: dtype | None = None, device: OnDevice = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones.

    >>> ones((2,), dtype=dtypes.int64)
    tensor([1, 1])
    """
    return _filled("ones", np.ones, size, dtype, device, requires_grad)


def empty(*size: Any, dtype: dtype | None = None, device: OnDevice = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements are whatever was in memory: to be written before they are read.

    >>> empty(2, 3).shape
    torch.Size([2, 3])
    """
    return _filled("empty", np.empty, size, dtype, device, requires_grad)


def full(
    size: Sizes,
    fill_value: Number,
    *,
    dtype: dtype | None = None,
    device: OnDevice = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of `fill_value`, whose type decides the dtype if none is given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    if not isinstance(size, Sequence):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    chosen = dtypes.of_number(value) if dtype is None else dtype

    _check_dtype("full", chosen)
    filler = dtypes.filler(value, chosen)
    return _filled("full", lambda shape, _: np.full(shape, filler), (size,), chosen, device, requires_grad)


def arange(
    *bounds: Any,
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    dtype: dtype | None = None,
    device: OnDevice = None,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers `start, start + step, …` up to and without `end`: `arange(end)`, `arange(start, end, step=1)`.

    >>> arange(3), arange(1, 2, 0.25)
    (tensor([0, 1, 2]), tensor([1.0000, 1.2500, 1.5000, 1.7500]))
    """
    _check_dtype("arange", dtype)
    if len(bounds) == 1:
        (end,) = bounds
    elif bounds:
        start, end, step = (*bounds, step)[:3]
    if end is None or len(bounds) > 3:
        raise TypeError(
            "arange() takes (end), (start, end) or (start, end, step): got no end, or more than three bounds"
        )
    start, end, step = [each.item() if isinstance(each, Tensor | np.generic) else each for each in (start, end, step)]
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool': a range has more than two numbers")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError(f"upper bound and lower bound inconsistent with step sign: from {start} to {end} by {step}")
    is_float = any([isinstance(number, float) for number in (start, end, step)])
    wanted = dtype or (dtypes.get_default_dtype() if is_float else dtypes.int64)
    if wanted is dtypes.int64:
        start, end, step = int(start), int(end), int(step)
    # Each element by itself, start + i * step in float64 or int64: no error adds up along the way.
    values = start + np.arange(math.ceil((end - start) / step)) * step
    return new_leaf(values.astype(wanted._numpy), requires_grad, device)


def eye(
    n: SupportsIndex,
    m: SupportsIndex | None = None,
    *,
    dtype: dtype | None = None,
    device: OnDevice = None,
    requires_grad: bool = False,
) -> Tensor:
    """The `n` by `m` (or `n` by `n`) matrix with ones on the diagonal and zeros elsewhere.

    >>> eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    rows, columns = index(n), index(n if m is None else m)
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return _filled("eye", lambda shape, of: np.eye(*shape, dtype=of), (rows, columns), dtype, device, requires_grad)


def zeros_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros of the shape, dtype and memory order of `input`."""
    return _like("zeros_like", input, dtype).zero_().requires_grad_(requires_grad)


def ones_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones of the shape, dtype and memory order of `input`."""
    return _like("ones_like", input, dtype).fill_(1).requires_grad_(requires_grad)


def full_like(input: Tensor, fill_value: Number, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of `fill_value` of the shape, dtype and memory order of `input`."""
    return _like("full_like", input, dtype).fill_(fill_value).requires_grad_(requires_grad)


def empty_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the shape, dtype and memory order of `input`, to be written before it is read."""
    return _like("empty_like", input, dtype).requires_grad_(requires_grad)


def _like(name: str, input: Tensor, dtype: dtype | None) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    _check_dtype(name, dtype)
    array = input._array
    # The order of an expanded tensor would be NumPy's choice, not PyTorch's.
    order: Literal["C", "K"] = "C" if 0 in array.strides else "K"
    return new_leaf(np.empty_like(array, (dtype or input.dtype)._numpy, order))


# ---- random ------------------------------------------------------------------------------------------------------


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: OnDevice = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of draws from the uniform distribution on [0, 1).

    >>> import minigrad as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(123))
    tensor([0.2961, 0.5166])
    """
    out = _filled("rand", np.empty, size, dtype, device, False).uniform_(generator=generator)
    return out.requires_grad_(requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: OnDevice = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of draws from the normal distribution of mean 0 and standard deviation 1.

    >>> import minigrad as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(123))
    tensor([-0.1115,  0.1204])
    """
    out = _filled("randn", np.empty, size, dtype, device, False).normal_(generator=generator)
    return out.requires_grad_(requires_grad)


def rand_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Draws as of `rand`, of the shape, dtype and memory order of `input`."""
    return _like("rand_like", input, dtype).uniform_().requires_grad_(requires_grad)


def randn_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Draws as of `randn`, of the shape, dtype and memory order of `input`."""
    return _like("randn_like", input, dtype).normal_().requires_grad_(requires_grad)


def randint(
    *args: Any,
    low: int = 0,
    high: int | None = None,
    size: Sizes | None = None,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: OnDevice = None,
) -> Tensor:
    """A tensor of whole numbers drawn evenly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    >>> import minigrad as torch
    >>> torch.randint(10, (3,), generator=torch.Generator().manual_seed(123))
    tensor([2, 9, 2])
    """
    given = list(args)
    if size is None and given:
        size = given.pop()
    if given and high is None:
        high = given.pop()
    if given:
        low = given.pop()
    if given or high is None or not isinstance(size, Sequence):
        raise TypeError(
            "randint() expects (high, size) or (low, high, size) with a tuple of ints as size: randint(10, (3,))"
        )
    out = _filled("randint", np.empty, (size,), dtype or dtypes.int64, device, False)
    draws.random_(out._array, index(low), index(high), generator or default_generator)
    return out


def randperm(
    n: SupportsIndex,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: OnDevice = None,
) -> Tensor:
    """The numbers 0 … n-1 in a random order.

    >>> import minigrad as torch
    >>> torch.randperm(4, generator=torch.Generator().manual_seed(123))
    tensor([2, 0, 1, 3])
    """
    _check_dtype("randperm", dtype)
    if index(n) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {index(n)}: [{index(n)}]")
    order = draws.randperm(index(n), generator or default_generator)
    return new_leaf(order.astype((dtype or dtypes.int64)._numpy, copy=False), False, device)


def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that `input` says, else 0, for each element.

    >>> bernoulli(ones(3))
    tensor([1., 1., 1.])
    """
    return empty_like(input).bernoulli_(input, generator=generator)


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """`num_samples` indices (int64) for each row of `input`, drawn with its elements as weights.

    `input` is `(N,)` or `(M, N)`, its weights need not add up to 1; the result is `(S,)` or `(M, S)`.

    >>> multinomial(tensor([0.0, 1.0]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    return new_leaf(draws.multinomial(input._array, index(num_samples), replacement, generator or default_generator))
