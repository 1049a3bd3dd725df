"""The shape of a tensor, a tuple that prints as PyTorch's does."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, overload


class Size(tuple[int, ...]):
    """The sizes of a tensor, one per dimension: a tuple of ints.

    >>> Size([4, 5])
    torch.Size([4, 5])
    >>> Size([4, 5]) == (4, 5)
    True
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape: the product of its sizes.

        >>> Size([4, 5]).numel()
        20
        """
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple[Any, ...]) -> Size:
        return Size(super().__add__(other))
