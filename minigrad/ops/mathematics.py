"""Mathematical functions of each element: a table of derivatives, a formula each.

`g` is the upstream gradient, `x` the input, `y` the output (see `minigrad.declare`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index

import numpy as np

from minigrad.core.arrays import inverse
from minigrad.core.dtypes import FLOATS, Array
from minigrad.core.elementwise import Exp, Floating, Log, zeroed
from minigrad.core.tape import Node, Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import node_of, of_node, op, operator, rewritten, unary
from minigrad.ops.activations import restored, workable
from minigrad.ops.arithmetic import ProductAs, QuotientAs
from minigrad.ops.casting import check_floating, in_float32


def numbers(kernel: str, function: Callable[[Array], Array]) -> Callable[[Node, Array], Array]:
    """`function` of numbers; a NotImplementedError that names PyTorch's `kernel` for bools."""

    def forward(self: Node, x: Array) -> Array:
        if x.dtype == bool:
            raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': expected numbers, such as x.long()")
        return function(x)

    return forward


def whole(kernel: str, rounded: Callable[[Array], Array]) -> Callable[[Node, Array], Array]:
    """`rounded`, to whole numbers, of numbers; integers are whole."""
    of_integers = numbers(kernel, np.copy)
    return lambda node, x: rounded(x) if x.dtype in FLOATS else of_integers(node, x)


def sign_of(x: Array) -> Array:
    """-1, 0 or 1 in the dtype of `x`; unlike np.sign, 0 where `x` is nan."""
    if x.dtype == bool:
        return x.copy("K")
    # NumPy subtracts integers of one byte many at a time.
    return np.asarray((x > 0).view(np.int8) - (x < 0).view(np.int8)).astype(x.dtype)


# ---- signs and roundings: their slope is 0 wherever they have one ----------------------------------------------------


@operator("abs")
@unary(numbers("abs_cpu", np.absolute), lambda g, x: g * x.sign(), aliases=["absolute"])
def abs(input: Tensor) -> Tensor:
    """The absolute value of each element."""


@unary(lambda _, x: sign_of(x), zeroed, formula="0")
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for elements below, at or above 0."""


@unary(lambda _, x: sign_of(x), zeroed, formula="0")
def sgn(input: Tensor) -> Tensor:
    """-1, 0 or 1 for elements below, at or above 0."""


@unary(whole("floor_vml_cpu", np.floor), zeroed, formula="0")
def floor(input: Tensor) -> Tensor:
    """The largest whole number that is not above each element."""


@unary(whole("ceil_vml_cpu", np.ceil), zeroed, formula="0")
def ceil(input: Tensor) -> Tensor:
    """The smallest whole number that is not below each element."""


@unary(whole("trunc_vml_cpu", np.trunc), zeroed, formula="0", aliases=["fix"])
def trunc(input: Tensor) -> Tensor:
    """The whole part of each element: it is rounded towards 0."""


Round = node_of("Round", Unary, whole("round_vml_cpu", np.rint), zeroed, "0")


@op(in_place=rewritten)
def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest whole number to each element, the even one of two; or the nearest with so many decimals.

    >>> import minigrad as torch
    >>> torch.tensor([0.5, 1.5, 2.345]).round()
    tensor([0., 2., 2.])
    >>> torch.tensor([2.345, 1234.5]).round(decimals=-2)
    tensor([   0., 1200.])
    """
    if decimals is None:
        return Round()(input)
    check_floating("round_cpu", input)
    scale, form = 10.0 ** math.fabs(index(decimals)), "RoundBackward1"
    if decimals < 0:
        return in_float32(lambda x: ProductAs(form).of(Round()(x / scale), scale), input)
    return in_float32(lambda x: QuotientAs(form).of(Round()(x * scale), scale), input)


# ---- powers, exponentials and logarithms -----------------------------------------------------------------------------


@unary(np.sqrt, lambda g, y: g / (2 * y), Floating)
def sqrt(input: Tensor) -> Tensor:
    """The square root of each element."""


@unary(lambda _, x: restored(1 / np.sqrt(workable(x)), x), lambda g, y: g * -0.5 * y**3, Floating)
def rsqrt(input: Tensor) -> Tensor:
    """1 over the square root of each element."""


@unary(staticmethod(inverse), lambda g, y: -g * (y * y), Floating)
def reciprocal(input: Tensor) -> Tensor:
    """1 over each element."""


@of_node(Exp)
def exp(input: Tensor) -> Tensor:
    """`e**x` for each element x, with e = 2.71828….

    >>> import minigrad as torch
    >>> torch.tensor([0.0, 1.0]).exp()
    tensor([1.0000, 2.7183])
    """


@unary(np.exp2, lambda g, y: g * y * math.log(2), Floating)
def exp2(input: Tensor) -> Tensor:
    """2 to the power of each element."""


@unary(np.expm1, lambda g, y: g * (y + 1), Floating)
def expm1(input: Tensor) -> Tensor:
    """`e**x - 1` for each element x: to all digits also near 0."""


@of_node(Log)
def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 0.0]).log()
    tensor([0.0000, 0.6931,   -inf])
    """


@unary(np.log1p, lambda g, x: g / (x + 1), Floating, name="Log1P")
def log1p(input: Tensor) -> Tensor:
    """The natural logarithm of 1 plus each element: to all digits also near 0."""


@unary(np.log2, lambda g, x: g / (x * math.log(2)), Floating)
def log2(input: Tensor) -> Tensor:
    """The logarithm of each element to base 2."""


@unary(np.log10, lambda g, x: g / (x * math.log(10)), Floating)
def log10(input: Tensor) -> Tensor:
    """The logarithm of each element to base 10."""


# ---- trigonometry ----------------------------------------------------------------------------------------------------


@unary(np.sin, lambda g, x: g * x.cos(), Floating)
def sin(input: Tensor) -> Tensor:
    """The sine of each element, an angle in radians."""


@unary(np.cos, lambda g, x: g * -x.sin(), Floating)
def cos(input: Tensor) -> Tensor:
    """The cosine of each element, an angle in radians."""


@unary(np.tan, lambda g, y: g * (1 + y * y), Floating)
def tan(input: Tensor) -> Tensor:
    """The tangent of each element, an angle in radians."""


@unary(np.arcsin, lambda g, x: g * (1 - x * x).rsqrt(), Floating, aliases=["arcsin"])
def asin(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is each element."""


@unary(np.arccos, lambda g, x: g * -(1 - x * x).rsqrt(), Floating, aliases=["arccos"])
def acos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is each element."""


@unary(np.arctan, lambda g, x: g / (x * x + 1), Floating, aliases=["arctan"])
def atan(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose tangent is each element."""


# ---- hyperbolic functions; `tanh` is among the activations -----------------------------------------------------------


@unary(np.sinh, lambda g, x: g * x.cosh(), Floating)
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of each element."""


@unary(np.cosh, lambda g, x: g * x.sinh(), Floating)
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of each element."""
