"""What the numbers of a dtype can be: `finfo`."""

from __future__ import annotations

import numpy as np

from minigrad.core import dtypes


class finfo:
    """The limits of a floating-point dtype, the default one if none is given.

    `dtype`, `bits`
        its name and its size.
    `max`, `min`, `tiny`, `smallest_normal`
        the largest and the smallest number, and the smallest above 0 with all its digits, by two names.
    `eps`, `resolution`
        the step from 1 to the next number, and a power of ten that all digits of any number are good for.

    >>> finfo(dtypes.float32).eps
    1.1920928955078125e-07
    >>> finfo(dtypes.float16)
    finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, \
dtype=float16)
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        of = dtypes.get_default_dtype() if type is None else type
        if not (isinstance(of, dtypes.dtype) and of.is_floating_point):
            raise TypeError(
                f"torch.finfo() requires a floating point input type, got {of!r}. Use torch.iinfo to handle it"
            )
        info = np.finfo(of._numpy)
        self.dtype, self.bits = of._name, 8 * of.itemsize
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = 10.0**-info.precision

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        limits = ", ".join([f"{name}={getattr(self, name):g}" for name in shown])
        return f"finfo({limits}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
