"""Mathematical functions of each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad.methods.forms import in_place
from minigrad.methods.writing import Writing
from minigrad.ops import elementwise

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Mathematics(Writing):
    """Mathematical functions of each element."""

    __slots__ = ()

    def abs(self) -> Tensor:
        """The absolute value of each element."""
        return elementwise.Abs()(self)

    def exp(self) -> Tensor:
        """E to the power of each element."""
        return elementwise.Exp()(self)

    def log(self) -> Tensor:
        """The natural logarithm of each element."""
        return elementwise.Log()(self)

    def sqrt(self) -> Tensor:
        """The square root of each element."""
        return elementwise.Sqrt()(self)

    def tanh(self) -> Tensor:
        """The hyperbolic tangent of each element."""
        return elementwise.Tanh()(self)

    def relu(self) -> Tensor:
        """Each element, or 0 where it is negative."""
        return elementwise.Relu()(self)

    abs_ = in_place(abs)
    exp_ = in_place(exp)
    log_ = in_place(log)
    sqrt_ = in_place(sqrt)
    tanh_ = in_place(tanh)
    relu_ = in_place(relu)
