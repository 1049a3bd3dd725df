"""Functions of shape: other forms of a tensor, and parts of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np

from minigrad.methods.forms import checked_tensor, free
from minigrad.tensor import Tensor

__all__ = [
    "adjoint",
    "broadcast_to",
    "chunk",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "is_same_size",
    "moveaxis",
    "movedim",
    "narrow",
    "numel",
    "permute",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "select",
    "split",
    "split_with_sizes",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "tile",
    "trace",
    "transpose",
    "tril",
    "triu",
    "unbind",
    "unflatten",
    "unsqueeze",
]


def _of_list(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function of a method that takes ints one by one, too: the function takes them in one list only."""
    function, name = free(method), method.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        if len(args) > 2:
            raise TypeError(f"{name}() takes 2 positional arguments but {len(args)} were given: expected one tuple")
        if len(args) == 2 and not isinstance(args[1], tuple | list):
            raise TypeError(f"{name}(): argument (position 2) must be tuple of ints, not {type(args[1]).__name__}")
        return function(*args, **kwargs)

    return call


numel = free(Tensor.numel)
is_same_size = free(Tensor.is_same_size)
reshape = _of_list(Tensor.reshape)
flatten = free(Tensor.flatten)
ravel = free(Tensor.ravel)
unflatten = free(Tensor.unflatten)
unsqueeze = free(Tensor.unsqueeze)
squeeze = free(Tensor.squeeze)
permute = _of_list(Tensor.permute)
transpose = free(Tensor.transpose)
swapaxes = free(Tensor.swapaxes)
swapdims = free(Tensor.swapdims)
movedim = free(Tensor.movedim)
moveaxis = free(Tensor.moveaxis)
t = free(Tensor.t)
adjoint = free(Tensor.adjoint)
broadcast_to = _of_list(Tensor.broadcast_to)
tile = _of_list(Tensor.tile)
flip = _of_list(Tensor.flip)
fliplr = free(Tensor.fliplr)
flipud = free(Tensor.flipud)
roll = free(Tensor.roll)
diagonal = free(Tensor.diagonal)
diag = free(Tensor.diag)
diag_embed = free(Tensor.diag_embed)
diagflat = free(Tensor.diagflat)
trace = free(Tensor.trace)
tril = free(Tensor.tril)
triu = free(Tensor.triu)
split_with_sizes = free(Tensor.split_with_sizes)
chunk = free(Tensor.chunk)
unbind = free(Tensor.unbind)
select = free(Tensor.select)
narrow = free(Tensor.narrow)


def split(tensor: Tensor, split_size_or_sections: Any, dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts along `dim`: each of the size given, the last perhaps smaller, or of those listed.

    >>> from minigrad import arange
    >>> split(arange(5), 2), split(arange(5), [1, 4])
    ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3, 4])))
    """
    return checked_tensor("split", tensor, "tensor").split(split_size_or_sections, dim)


def repeat_interleave(
    input: Tensor,
    repeats: Any = None,
    dim: SupportsIndex | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element of `input`, or slice along `dim`, `repeats` times in a row; see `Tensor.repeat_interleave`.

    Of a vector alone, the index i as often as its element i says.

    >>> from minigrad import tensor
    >>> repeat_interleave(tensor([2, 0, 1]))
    tensor([0, 0, 2])
    """
    if repeats is not None:
        return checked_tensor("repeat_interleave", input).repeat_interleave(repeats, dim, output_size=output_size)
    counts = checked_tensor("repeat_interleave", input, "repeats")
    if counts.ndim != 1:
        raise RuntimeError(f"repeat_interleave only accept 1D vector as repeat, got {counts.ndim} dimensions")
    indices = Tensor._new(np.arange(len(counts), dtype=counts._array.dtype))
    return indices.repeat_interleave(counts, output_size=output_size)
