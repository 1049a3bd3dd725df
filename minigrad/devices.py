"""Where a tensor lives: on the CPU."""

from __future__ import annotations


class device:
    """The device of a tensor; minigrad knows one, `cpu`.

    >>> device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, type: str | device) -> None:
        name = str(type)
        if name not in ("cpu", "cpu:0"):
            raise RuntimeError(
                f"Expected one of cpu device type at start of device string: {name}. minigrad computes with NumPy, on "
                "the CPU only."
            )
        self.type = "cpu"
        self.index = 0 if name == "cpu:0" else None

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


CPU = device("cpu")
