"""Signs and roundings of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import zeroed
from minigrad.core.tape import Unary, keep_inputs
from minigrad.ops.slope import restored, workable

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Abs(Unary):
    """`|x|`.   dx = g * sign(x)."""

    __slots__ = ()
    keep = keep_inputs

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool': expected numbers, such as x.long()")
        return np.absolute(x)

    def dx(self, g: Tensor) -> Tensor:
        return g * Sgn()(self.kept(0))


class Step(Unary):
    """An op that is constant between its jumps.   dx = 0."""

    __slots__ = ()

    def dx(self, g: Tensor) -> Tensor:
        return zeroed(g)


class Sign(Step):
    """-1, 0 or 1 where `x` is below, at or above 0."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        return x.copy() if x.dtype == bool else sign(x)


class Sgn(Sign):
    """-1, 0 or 1 where `x` is below, at or above 0."""

    __slots__ = ()


class Floor(Step):
    """The largest whole number that is not above `x`."""

    __slots__ = ()
    rounded: ClassVar[Callable[..., Any]] = np.floor

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            name = type(self).__name__.lower()
            raise NotImplementedError(f"\"{name}_vml_cpu\" not implemented for 'Bool': expected numbers, as x.long()")
        return self.rounded(x) if x.dtype.kind == "f" else x.copy()


class Ceil(Floor):
    """The smallest whole number that is not below `x`."""

    __slots__ = ()
    rounded = np.ceil


class Trunc(Floor):
    """The whole part of `x`: the nearest whole number towards 0."""

    __slots__ = ()
    rounded = np.trunc


class Round(Floor):
    """The nearest whole number, the even one of two."""

    __slots__ = ()
    rounded = np.rint


class RoundDecimals(Step):
    """The nearest multiple of `10**-decimals`."""

    __slots__ = ("decimals",)

    def __init__(self, decimals: int) -> None:
        self.decimals = decimals

    def forward(self, x: Array) -> Array:
        checked_floating("round", x)
        z = workable(x)
        scale = z.dtype.type(10.0 ** abs(self.decimals))
        rounded = np.rint(z * scale) / scale if self.decimals >= 0 else np.rint(z / scale) * scale
        return restored(rounded, x)

    def name(self) -> str:
        return "RoundBackward1"


class Frac(Unary):
    """What `x` has behind the point, with its sign: `x - trunc(x)`.   dx = g."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        return checked_floating("frac", x) - np.trunc(x)

    def dx(self, g: Tensor) -> Tensor:
        return g


def sign(x: Array) -> Array:
    """-1, 0 or 1 in the dtype of `x`; unlike np.sign, 0 where `x` is nan."""
    return np.subtract(x > 0, x < 0, dtype=x.dtype)


def checked_floating(name: str, x: Array) -> Array:
    """`x`, which must be floating point."""
    if x.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{name}_cpu\" not implemented for '{dtypes.of(x)._tensor_name}': convert it first, x.float()"
        )
    return x
