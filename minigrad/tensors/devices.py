"""Where tensors are and how they lie in memory: devices, layouts, memory formats; and the limits of floating dtypes."""

from __future__ import annotations

import re

from minigrad.core import dtypes

__all__ = [
    "contiguous_format", "device", "finfo", "layout", "memory_format", "preserve_format", "sparse_coo", "strided",
]  # fmt: skip

_TYPES = ("cpu", "cuda", "mps", "xpu", "xla", "hpu", "meta")
_NUMBER = "0|[1-9][0-9]{0,8}"


class _EqualByText:
    """Equal to each object of the same class with the same text."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))


class device(_EqualByText):
    """A device by its name, "cpu" or "cuda:1", or by its type and index; tensors can be made on "cpu" alone.

    Errors: RuntimeError for what names no device.

    >>> import minigrad as torch
    >>> torch.device("cpu"), torch.device("cuda", 1)
    (device(type='cpu'), device(type='cuda', index=1))
    """

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
        # (Most devices have no number, so most programs never compile the pattern.)
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
    """Raise what PyTorch raises on a machine without accelerators unless tensors can be made on this device."""
    # Most often it is just "cpu", which needs no parsing.
    known = "cpu" if isinstance(given, str) and given == "cpu" else given.type if isinstance(given, device) else None
    kind = known or device(given).type
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled: minigrad computes on the CPU; use 'cpu'")
    if kind != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices: minigrad computes on the CPU")


class finfo(_EqualByText):
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
    """The memory order of a copy: `torch.contiguous_format`, or as the original's, `torch.preserve_format`."""


strided = layout("strided")
sparse_coo = layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
