"""How a tensor lies in memory: all elements, with a step per dimension, or only those that are listed."""

from __future__ import annotations


class _Named:
    """One of a few constants that print as PyTorch's do."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class layout(_Named):
    """The layout of a tensor: `torch.strided`, or of sparse tensors `torch.sparse_coo`.

    >>> strided
    torch.strided
    """

    __slots__ = ()


class memory_format(_Named):
    """How a copy lies in memory: in order, `torch.contiguous_format`, or as its model does, `torch.preserve_format`."""

    __slots__ = ()


strided = layout("strided")
sparse_coo = layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")


def keeps_order(name: str, given: memory_format | None) -> bool:
    """Whether a copy in the memory format given to the function `name` lies in memory as its model does."""
    if given is not None and not isinstance(given, memory_format):
        raise TypeError(
            f"{name}(): argument 'memory_format' must be torch.memory_format, not {type(given).__name__}: "
            "torch.contiguous_format or torch.preserve_format"
        )
    return given is not contiguous_format
