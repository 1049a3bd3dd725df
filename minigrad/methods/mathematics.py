"""Mathematical functions of each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad.core.dtypes import Number
from minigrad.methods.arithmetic import checked_number
from minigrad.methods.forms import Operand, checked_operand, checked_tensor, in_place
from minigrad.methods.writing import Writing
from minigrad.ops import activations, arithmetic, mathematics, rounding

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Mathematics(Writing):
    """Mathematical functions of each element."""

    __slots__ = ()

    # ---- signs and roundings -----------------------------------------------------------------------------------------

    def __abs__(self) -> Tensor:
        return rounding.Abs()(self)

    def abs(self) -> Tensor:
        """The absolute value of each element."""
        return rounding.Abs()(self)

    def sign(self) -> Tensor:
        """-1, 0 or 1 for elements below, at or above 0."""
        return rounding.Sign()(self)

    def sgn(self) -> Tensor:
        """-1, 0 or 1 for elements below, at or above 0."""
        return rounding.Sgn()(self)

    def floor(self) -> Tensor:
        """The largest whole number that is not above each element."""
        return rounding.Floor()(self)

    def ceil(self) -> Tensor:
        """The smallest whole number that is not below each element."""
        return rounding.Ceil()(self)

    def trunc(self) -> Tensor:
        """The whole part of each element: it is rounded towards 0."""
        return rounding.Trunc()(self)

    def round(self, *, decimals: int | None = None) -> Tensor:
        """The nearest whole number to each element, the even one of two; or the nearest with so many decimals.

        >>> import minigrad as torch
        >>> torch.tensor([0.5, 1.5, 2.345]).round()
        tensor([0., 2., 2.])
        >>> torch.tensor([2.345, 1234.5]).round(decimals=-2)
        tensor([   0., 1200.])
        """
        if decimals is None:
            return rounding.Round()(self)
        if not isinstance(decimals, int):
            raise TypeError(f"round(): argument 'decimals' must be int, not {type(decimals).__name__}")
        return rounding.RoundDecimals(decimals)(self)

    def frac(self) -> Tensor:
        """What each element has behind the point, with its sign."""
        return rounding.Frac()(self)

    # ---- powers, exponentials and logarithms -------------------------------------------------------------------------

    def square(self) -> Tensor:
        """The square of each element."""
        return arithmetic.PowNumber(2)(self)

    def sqrt(self) -> Tensor:
        """The square root of each element."""
        return mathematics.Sqrt()(self)

    def rsqrt(self) -> Tensor:
        """1 over the square root of each element."""
        return mathematics.Rsqrt()(self)

    def reciprocal(self) -> Tensor:
        """1 over each element."""
        return mathematics.Reciprocal()(self)

    def exp(self) -> Tensor:
        """E to the power of each element.

        >>> import minigrad as torch
        >>> torch.tensor([0.0, 1.0]).exp()
        tensor([1.0000, 2.7183])
        """
        return mathematics.Exp()(self)

    def exp2(self) -> Tensor:
        """2 to the power of each element."""
        return mathematics.Exp2()(self)

    def expm1(self) -> Tensor:
        """E to the power of each element, less 1: to all digits also near 0."""
        return mathematics.Expm1()(self)

    def log(self) -> Tensor:
        """The natural logarithm of each element.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 0.0]).log()
        tensor([0.0000, 0.6931,   -inf])
        """
        return mathematics.Log()(self)

    def log1p(self) -> Tensor:
        """The natural logarithm of 1 plus each element: to all digits also near 0."""
        return mathematics.Log1p()(self)

    def log2(self) -> Tensor:
        """The logarithm of each element to base 2."""
        return mathematics.Log2()(self)

    def log10(self) -> Tensor:
        """The logarithm of each element to base 10."""
        return mathematics.Log10()(self)

    def logaddexp(self, other: Tensor) -> Tensor:
        """`log(exp(self) + exp(other))`, without overflow on the way."""
        return mathematics.Logaddexp()(self, checked_tensor("logaddexp", other, "other", 1))

    def xlogy(self, other: Operand) -> Tensor:
        """`self * log(other)`; where `self` is 0 it is 0, unless `other` is nan."""
        return mathematics.xlogy(self, checked_operand("xlogy", other))

    # ---- trigonometry ------------------------------------------------------------------------------------------------

    def sin(self) -> Tensor:
        """The sine of each element, an angle in radians."""
        return mathematics.Sin()(self)

    def cos(self) -> Tensor:
        """The cosine of each element, an angle in radians."""
        return mathematics.Cos()(self)

    def tan(self) -> Tensor:
        """The tangent of each element, an angle in radians."""
        return mathematics.Tan()(self)

    def asin(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose sine is each element."""
        return mathematics.Asin()(self)

    def acos(self) -> Tensor:
        """The angle in [0, pi] whose cosine is each element."""
        return mathematics.Acos()(self)

    def atan(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose tangent is each element."""
        return mathematics.Atan()(self)

    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point `(other, self)` in the plane, in [-pi, pi]."""
        return mathematics.Atan2()(self, checked_tensor("atan2", other, "other", 1))

    def hypot(self, other: Tensor) -> Tensor:
        """`sqrt(self**2 + other**2)`, without overflow on the way."""
        return mathematics.Hypot()(self, checked_tensor("hypot", other, "other", 1))

    # ---- hyperbolic, sigmoid and error functions ---------------------------------------------------------------------

    def sinh(self) -> Tensor:
        """The hyperbolic sine of each element."""
        return mathematics.Sinh()(self)

    def cosh(self) -> Tensor:
        """The hyperbolic cosine of each element."""
        return mathematics.Cosh()(self)

    def tanh(self) -> Tensor:
        """The hyperbolic tangent of each element.

        >>> import minigrad as torch
        >>> torch.tensor([-1.0, 0.0, 1.0]).tanh()
        tensor([-0.7616,  0.0000,  0.7616])
        """
        return mathematics.Tanh()(self)

    def sigmoid(self) -> Tensor:
        """`1 / (1 + exp(-x))` of each element.

        >>> import minigrad as torch
        >>> torch.tensor([-1.0, 0.0, 1.0]).sigmoid()
        tensor([0.2689, 0.5000, 0.7311])
        """
        return mathematics.Sigmoid()(self)

    def logit(self, eps: Number | None = None) -> Tensor:
        """`log(x / (1 - x))`, the inverse of sigmoid; with `eps`, x is first clamped to [eps, 1 - eps]."""
        return mathematics.Logit(None if eps is None else checked_number("logit", "eps", eps))(self)

    def erf(self) -> Tensor:
        """The error function of each element: 2 / sqrt(pi) times the integral of exp(-t**2) from 0 on.

        >>> import minigrad as torch
        >>> torch.tensor([-1.0, 0.0, 1.0]).erf()
        tensor([-0.8427,  0.0000,  0.8427])
        """
        return mathematics.Erf()(self)

    def relu(self) -> Tensor:
        """Each element, or 0 where it is negative.

        >>> import minigrad as torch
        >>> torch.tensor([-1.0, 0.0, 1.0]).relu()
        tensor([0., 0., 1.])
        """
        return activations.Relu()(self)

    absolute = abs
    fix = trunc
    arcsin = asin
    arccos = acos
    arctan = atan
    arctan2 = atan2
    abs_ = absolute_ = in_place(abs)
    sign_ = in_place(sign)
    sgn_ = in_place(sgn)
    floor_ = in_place(floor)
    ceil_ = in_place(ceil)
    trunc_ = fix_ = in_place(trunc)
    round_ = in_place(round)
    frac_ = in_place(frac)
    square_ = in_place(square)
    sqrt_ = in_place(sqrt)
    rsqrt_ = in_place(rsqrt)
    reciprocal_ = in_place(reciprocal)
    exp_ = in_place(exp)
    exp2_ = in_place(exp2)
    expm1_ = in_place(expm1)
    log_ = in_place(log)
    log1p_ = in_place(log1p)
    log2_ = in_place(log2)
    log10_ = in_place(log10)
    xlogy_ = in_place(xlogy)
    sin_ = in_place(sin)
    cos_ = in_place(cos)
    tan_ = in_place(tan)
    asin_ = arcsin_ = in_place(asin)
    acos_ = arccos_ = in_place(acos)
    atan_ = arctan_ = in_place(atan)
    atan2_ = arctan2_ = in_place(atan2)
    hypot_ = in_place(hypot)
    sinh_ = in_place(sinh)
    cosh_ = in_place(cosh)
    tanh_ = in_place(tanh)
    sigmoid_ = in_place(sigmoid)
    logit_ = in_place(logit)
    erf_ = in_place(erf)
    relu_ = in_place(relu)
