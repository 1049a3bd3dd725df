"""Where a tensor lives: on the CPU.  Other devices have names here, and no tensors."""

from __future__ import annotations

import re

_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device:
    """A device by its name, "cpu" or "cuda:1", or by its type and index; tensors can be made on "cpu" alone.

    Errors: RuntimeError for what names no device.

    >>> device("cpu"), device("cuda", 1)
    (device(type='cpu'), device(type='cuda', index=1))
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: object, index: int | None = None) -> None:
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError(f"Cannot access accelerator device when none is available: {type} is one's. Use 'cpu'.")
        if not isinstance(type, str | device):
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({type.__class__.__name__}), but "
                "expected a device or a string such as 'cpu'"
            )
        name = str(type)
        kind, colon, number = name.partition(":")
        if kind not in _TYPES:
            begin = f"Expected one of {', '.join(_TYPES)} device type at start of device string: {name}"
            if re.search(r"[^A-Za-z_]", kind):
                begin = f"Invalid device string: '{name}'"
            raise RuntimeError(
                f"{begin}. minigrad computes with NumPy, on the CPU only. A dtype is no string: torch.float32"
            )
        if colon and not re.fullmatch(r"0|[1-9]\d{0,9}", number, re.ASCII):
            raise RuntimeError(f"Invalid device string: '{name}'")
        if index is not None and index < 0:
            raise RuntimeError(f"Device index must not be negative, got {index}")
        if index is not None and colon:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {name}")
        self.type = kind
        self.index = int(number) if colon else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


CPU = device("cpu")


def check_on_cpu(given: object) -> None:
    """Nothing if tensors can be made on this device; else an error as a PyTorch without accelerators raises."""
    kind = device(given).type
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled: minigrad computes on the CPU; use 'cpu'")
    if kind != "cpu":
        raise RuntimeError(
            f"PyTorch is not linked with support for {kind} devices: minigrad computes on the CPU; use 'cpu'"
        )
