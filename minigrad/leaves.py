"""New leaf tensors, made as their options say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array
from minigrad.layouts import keeps_order, memory_format
from minigrad.ops.dims import sizes_of
from minigrad.options import Options, checked, checked_shape
from minigrad.tensor import Tensor, new_leaf


def made(
    name: str,
    make: Callable[[tuple[int, ...], np.dtype[Any]], Array],
    sizes: Sequence[Any],
    options: Options,
    default: dtypes.dtype | None = None,
) -> Tensor:
    """A leaf that `make(shape, dtype)` fills, after the checks that all functions of this kind share."""
    # What is no size is told first, as in PyTorch.
    sizes = (sizes_of(name, sizes, options.get("size")),)
    wanted, requires_grad = checked(name, options, default)
    return new_leaf(make(checked_shape(name, sizes, options, wanted), wanted), requires_grad)


def like(
    name: str,
    input: Tensor,
    fill: Callable[[Array], object],
    memory_format: memory_format | None,
    options: Options,
) -> Tensor:
    """A leaf of the shape, memory order and, unless another is given, dtype of `input`, which `fill` fills."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    wanted, requires_grad = checked(name, options, input.dtype)
    array = input._array
    # The order of an expanded tensor would be NumPy's choice, not PyTorch's.
    order: Literal["C", "K"] = "K" if keeps_order(name, memory_format) and 0 not in array.strides else "C"
    new = np.empty_like(array, wanted, order)
    fill(new)
    return new_leaf(new, requires_grad)


def number_of(name: str, argument: str, given: Any, position: int) -> Any:
    """A number, given to the function `name` as one or as a 0-d tensor."""
    if isinstance(given, Tensor) and given.ndim == 0:
        return given.item()
    if not isinstance(given, int | float | np.generic):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not {type(given).__name__}"
        )
    return given
