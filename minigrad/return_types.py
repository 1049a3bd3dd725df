"""What an operation of several results returns: a tuple whose elements have names.

>>> from minigrad import tensor
>>> largest = tensor([[1.0, 3.0], [4.0, 2.0]]).max(1)
>>> largest
torch.return_types.max(
values=tensor([3., 4.]),
indices=tensor([1, 0]))
>>> values, indices = largest
>>> values is largest.values
True
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, ClassVar, Self

from minigrad.core.tensor import Tensor

__all__ = ["histogram", "max", "median", "min", "mode", "sort", "topk"]


class Named(tuple[Any, ...]):
    """A tuple whose elements a subclass names, in order, by its annotations."""

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        for position, name in enumerate(cls.__annotations__):
            setattr(cls, name, property(itemgetter(position), doc=f"The {name}."))
            cls.__match_args__ += (name,)  # type: ignore[misc]

    def __new__(cls, results: Iterable[Any]) -> Self:
        """The results, given as one sequence."""
        given, names = tuple(results), cls.__match_args__
        if len(given) != len(names):
            problem = f"torch.return_types.{cls.__name__}() takes a {len(names)}-sequence"
            raise TypeError(f"{problem} ({len(given)}-sequence given): {', '.join(names)}")
        return super().__new__(cls, given)

    def __repr__(self) -> str:
        fields = [f"{name}={value!r}" for name, value in zip(self.__match_args__, self, strict=True)]
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(fields) + ")"


class Selected(Named):
    """Elements selected along a dimension, and their indices there."""

    values: Tensor
    indices: Tensor


class max(Selected):
    """The largest elements along a dimension, and their indices."""


class min(Selected):
    """The smallest elements along a dimension, and their indices."""


class median(Selected):
    """The medians along a dimension, and their indices."""


class mode(Selected):
    """The most frequent elements along a dimension, and their indices."""


class sort(Selected):
    """The elements in order along a dimension, and where each was."""


class topk(Selected):
    """The k largest or smallest elements along a dimension, and their indices."""


class histogram(Named):
    """How many elements, or what weight of them, each bin holds, and where the bins begin and end."""

    hist: Tensor
    bin_edges: Tensor
