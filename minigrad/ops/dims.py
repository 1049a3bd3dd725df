"""What a `dim` argument means: checked, counted from the front, as PyTorch reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex

#: What `isinstance` takes an int for: int first, since to ask whether an object supports a protocol takes 5 µs.
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
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return normal_dim(dim, ndim)


def normal_dims(dim: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int) -> tuple[int, ...]:
    """The dimensions that `dim` names, counted from the front: all for None."""
    if dim is None:
        return tuple(range(ndim))
    if type(dim) is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    named = dim if isinstance(dim, tuple | list) else (dim,) if isinstance(dim, INTEGER) else tuple(dim)
    dims: list[int] = []
    for each in named:
        position = normal_dim(each, ndim)
        if position in dims:
            raise RuntimeError(f"dim {position} appears multiple times in the list of dims")
        dims.append(position)
    return tuple(dims[:ndim])


def reduced_dims(dim: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int) -> tuple[int, ...]:
    """The dimensions that a reduction over `dim` is over: all for None and, unlike elsewhere, if none is named."""
    return normal_dims(dim, ndim) or tuple(range(ndim))


def ints(given: Sequence[SupportsIndex]) -> tuple[int, ...]:
    """The ints of a sequence; 0-d integer tensors count as ints."""
    return tuple(map(index, given))


def ints_or_one(given: SupportsIndex | Sequence[SupportsIndex]) -> tuple[int, ...]:
    """The ints of a sequence, or one alone."""
    return ints(given) if isinstance(given, (tuple, list)) else (index(given),)  # type: ignore[arg-type]


def int64(given: SupportsIndex) -> int:
    """`given` as an int; a ValueError for one that no int64 can hold."""
    number = index(given)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {number} is not in [-2**63, 2**63): float({number})")
    return number


def sizes_of(name: str, sizes: Sequence[Any], named: object = None) -> tuple[int, ...]:
    """The sizes given as `f(2, 3)`, `f((2, 3))` or by `f`'s name for them; each an int or a 0-d integer tensor."""
    if named is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        sizes = (named,)
    if not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"; {name}(()) is for 0 dimensions')
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    found: list[int] = []
    for position, size in enumerate(given):
        if type(size) is not int and (not isinstance(size, INTEGER) or isinstance(size, bool)):
            odd = f"found element of type {type(size).__name__} at pos {position}"
            raise TypeError(f"{name}(): argument 'size' (position {position + 1}) must be tuple of ints, but {odd}")
        found.append(index(size))
    return tuple(found)
