"""Activations: functions between linear layers; softmax, which follows the last of them; attention and dropout.

Attention is a softmax between two products: A. Vaswani et al., "Attention is all you need" (2017), section 3.2.1.
Dropout is noise that keeps a network from relying on single features.  relu, tanh and sigmoid are in `mathematics`.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from minigrad import random
from minigrad.core import arrays, dtypes
from minigrad.core.arrays import ONE, all_within, blocked, chosen, cleared, row_blocks, sum_of_products, total, widened
from minigrad.core.dtypes import HALVES, Array, bool_, dtype, float32
from minigrad.core.linear import MatMul, product
from minigrad.core.ops import Elementwise, Mul, cast, floating, kept_dims, masked, sum_to
from minigrad.core.tape import Node, Unary, keep_read
from minigrad.core.tensor import Tensor
from minigrad.declare import Dims, of_node, op
from minigrad.ops.arguments import as_dtype, check_floating, normal_dim, reduced_dims
from minigrad.ops.comparison import Where, clipped
from minigrad.ops.fused import in_float32, in_one_step, named, rounded
from minigrad.ops.mathematics import Curve, Relu, arrays_of, erf_of, of_elements, restored, sigmoid_of, workable
from minigrad.ops.matrices import triangle
from minigrad.ops.reductions import MANY, Reduction, extremes
from minigrad.tensors.creation import empty_like, zeros
from minigrad.tensors.errors import warn_program


class Gate(Curve):
    """`y = x * p(x)`: a subclass defines `value(x)`, p, which is kept, being most of the work, and `slope(x, p)`."""

    aside = ("_shares",)

    def forward(self, x: Array) -> Array:
        check_floating(type(self).__name__, x)
        wide = workable(x)
        self._shares: Array | None = blocked(self.value, wide)
        return restored(wide * self._shares, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        shares = blocked(self.value, workable(x)) if self._shares is None else self._shares
        return restored(blocked(self.scaled, workable(g), workable(x), shares), g)


def _applied(curve: Curve, input: Tensor, inplace: bool) -> Tensor:
    """The curve of the input, written into the input itself if `inplace`."""
    return input._rewrite(curve.of) if inplace else curve.of(input)


# ---- straight lines --------------------------------------------------------------------------------------------------


@op("nn.functional", name="relu")
def relu_layer(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""
    return input.relu_() if inplace else Relu().of(input)


@op("nn.functional")
def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""
    return input.relu_()


class Hardtanh(Curve):
    """`x`, raised to `low` and lowered to `high`."""

    formulas = ("dx = g, but 0 where x <= low or x >= high",)
    low: float
    high: float

    def forward(self, x: Array) -> Array:
        if x.dtype == bool or (x.dtype == np.uint8 and self.low <= -1):
            raise RuntimeError(f"{dtypes.of(x)!r} inputs not supported for hardtanh: expected numbers, x.long()")
        # The limits of integers are cut to integers.
        return clipped(x, self.low, self.high).astype(x.dtype, copy=False)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return cleared(~((x <= self.low) | (x >= self.high)), g)


@op("nn.functional")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, raised to `min_val` and lowered to `max_val`; a ValueError if these are in the wrong order."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val: got {min_val} and {max_val}")
    return _applied(Hardtanh(min_val, max_val), input, inplace)


class LeakyRelu(Curve):
    """`x` where it is above 0, else `x * negative_slope`."""

    formulas = ("dx = g where x > 0, else g * negative_slope",)
    negative_slope: float
    form: str

    def forward(self, x: Array) -> Array:
        check_floating("leaky_relu_cpu", x)
        if 0 < self.negative_slope <= 1 and x.ndim and x.dtype not in HALVES:
            below = x * self.negative_slope
            return np.maximum(x, below, out=below)
        # Both lines go through 0: the value is the slope times x.
        return self.scaled_slope(x, x)

    def scaled_slope(self, g: Array, x: Array) -> Array:
        return of_elements(lambda g, x: chosen(x > 0, g, g * self.negative_slope), g, x)


@op("nn.functional")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `negative_slope * x`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.leaky_relu(tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    form = "LeakyReluBackward1" if inplace else "LeakyReluBackward0"
    return _applied(LeakyRelu(float(negative_slope), form), input, inplace)


class Prelu(Elementwise):
    """`a` where it is above 0, else `a * b`."""

    form = "PreluKernelBackward0"
    formulas = ("da = g where a > 0, else g * b", "db = g * a where a <= 0, else 0")

    def forward(self, a: Array, b: Array) -> Array:
        below = np.asarray(a * b)
        # (Not for a slope of 0, which makes nan of an infinite number.)
        return np.maximum(a, below, out=below) if all_within(b, 1e-30, 1) else chosen(a > 0, a, below)

    def da(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return Where().of(a._new(a._array > 0), g, g * b)

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return masked(g * a, ~(a._array > 0))


@op("nn.functional")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`x` where it is positive, else `weight * x`: one weight for all, or one per channel, which is dimension 1.

    `input` is `(N, C, *)`, `weight` is `(C,)`, `(1,)` or 0-d; a RuntimeError for others.
    """
    x, w = input._array, weight._array
    channels = x.shape[1] if x.ndim > 1 else 1
    if w.dtype != x.dtype or w.ndim > 1 or w.size not in (1, channels):
        expected = f"expected a weight, or one for each of {channels} channels, of {input.dtype}"
        raise RuntimeError(f"prelu: {expected}, but got {weight.shape} of {weight.dtype}")
    shape = (w.size, *[1] * (x.ndim - 2)) if w.size > 1 else (1,) * min(x.ndim, 1)
    return Prelu().of(input, weight if w.shape == shape else weight.reshape(shape))


# ---- smooth functions ------------------------------------------------------------------------------------------------


class Elu(Curve):
    """`x` where x > 0, else `alpha * (exp(x) - 1)`."""

    formulas = ("dx = g where x > 0, else g * alpha * exp(x)",)
    alpha: float
    form: str

    def value(self, x: Array) -> Array:
        y = np.expm1(clipped(x, None, arrays.ZERO))
        return np.maximum(x, y, out=y) if self.alpha == 1 else chosen(x < 0, y * self.alpha, x)

    def scaled(self, g: Array, x: Array) -> Array:  # type: ignore[override]  # it reads x
        slope = np.exp(clipped(x, None, arrays.ZERO)) * g
        return slope if self.alpha == 1 else chosen(x <= 0, slope * self.alpha, g)

    def bend(self, x: Tensor) -> Tensor:
        below = x._array < 0
        # Masked before as well, since the exponential of what is not below may overflow.
        return masked(masked(x, below).exp() * self.alpha, below)


@op("nn.functional")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    return _applied(Elu(float(alpha), "EluBackward1" if inplace else "EluBackward0"), input, inplace)


class Softplus(Curve):
    """`log(1 + exp(beta * x)) / beta`, but `x` where `beta * x > threshold`."""

    formulas = ("dx = g * sigmoid(beta * x), or g",)
    beta: float
    threshold: float

    def value(self, x: Array) -> Array:
        z = x if self.beta == 1 else x * self.beta
        y = np.exp(z)
        np.log1p(y, out=y)
        return self.beyond(z, x, y if self.beta == 1 else y / self.beta)

    def scaled(self, g: Array, x: Array) -> Array:  # type: ignore[override]  # it reads x
        z = x if self.beta == 1 else x * self.beta
        return self.beyond(z, g, sigmoid_of(z) * g)

    def beyond(self, z: Array, a: Array, b: Array) -> Array:
        """`a` where z is beyond the threshold, else `b`."""
        # (Of numbers and nan, NumPy finds nan.)
        if not z.size or z.item(z.argmax()) <= self.threshold:
            return b
        return chosen(z > self.threshold, a, b)

    def bend(self, x: Tensor) -> Tensor:
        # In PyTorch the threshold itself is on the curve, whose value and slope it has, but without a bend.
        s = (x * self.beta).sigmoid()
        return masked(self.beta * s * (1 - s), ~(x._array * self.beta >= self.threshold))


@op("nn.functional")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.softplus(tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000])
    """
    return Softplus(float(beta), float(threshold)).of(input)


def log_sigmoid(x: Array) -> Array:
    """`log(1 / (1 + exp(-x)))`, without overflow for any x."""
    return clipped(x, None, arrays.ZERO) - np.log1p(np.exp(-np.absolute(x)))


class LogSigmoid(Curve):
    """`log(sigmoid(x))`."""

    formulas = ("dx = g * sigmoid(-x)",)
    value = staticmethod(lambda x: np.asarray(log_sigmoid(x), order="C"))
    slope = staticmethod(lambda x: sigmoid_of(-x))
    bend = staticmethod(lambda x: x.sigmoid() * -(-x).sigmoid())


@of_node(LogSigmoid, "nn.functional")
def logsigmoid(input: Tensor) -> Tensor:
    """`log(sigmoid(x))`, without overflow on the way."""


class Silu(Gate):
    """`x * s` for `s = sigmoid(x)`."""

    formulas = ("dx = g * s * (1 + x * (1 - s))",)
    value = staticmethod(sigmoid_of)
    slope = staticmethod(lambda x, p: ((ONE - p) * x + ONE) * p)

    def bend(self, x: Tensor) -> Tensor:
        s = x.sigmoid()
        return s * (1 - s) * (2 + x * (1 - 2 * s))


@op("nn.functional")
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`."""
    return _applied(Silu(), input, inplace)


class Gelu(Gate):
    """`x * P(x)`, for the probability `P(x) = (1 + erf(x / sqrt(2))) / 2` that a normal number is below `x`."""

    formulas = ("dx = g * (P(x) + x * p(x)), with the density `p(x) = exp(-x**2 / 2) / sqrt(2 * pi)`",)
    value = staticmethod(lambda x: (erf_of(x * math.sqrt(0.5)) + ONE) * arrays.HALF)
    slope = staticmethod(lambda x, p: np.exp(x * x * -0.5) * x * (1 / math.sqrt(2 * math.pi)) + p)
    bend = staticmethod(lambda x: (-0.5 * x * x).exp() * (2 - x * x) * (1 / math.sqrt(2 * math.pi)))


class GeluTanh(Gate):
    """`x * p` for `p = (1 + tanh(u)) / 2`, `u = sqrt(2 / pi) * (x + 0.044715 * x**3)`: close to gelu."""

    form = "GeluBackward0"
    formulas = ("dx = g * (p + x * p * (1 - p) * 2 * u'), with `u' = sqrt(2 / pi) * (1 + 3 * 0.044715 * x**2)`",)
    a: ClassVar[float] = math.sqrt(2 / math.pi)
    b: ClassVar[float] = math.sqrt(2 / math.pi) * 0.044715
    constants: ClassVar = dict(
        zip(arrays.WIDE_FLOATS, (arrays_of(np.float32, b, a), arrays_of(np.float64, b, a)), strict=True)
    )

    def value(self, x: Array) -> Array:
        b, a = self.constants[x.dtype]
        p = x * x
        p *= b
        p += a
        p *= x
        np.tanh(p, p)
        p += ONE
        p *= arrays.HALF
        return p

    def slope(self, x: Array, p: Array) -> Array:
        slope = x * x
        slope *= 6 * self.b
        slope += 2 * self.a
        slope *= x
        slope *= (ONE - p) * p
        slope += p
        return slope

    def bend(self, x: Tensor) -> Tensor:
        square = x * x
        t = (x * (self.a + self.b * square)).tanh()
        first = self.a + 3 * self.b * square
        return (1 - t * t) * (first + x * (3 * self.b * x - t * first * first))


@op("nn.functional")
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`.

    With `approximate="tanh"`, P is close to it, as in GPT-2: see `minigrad.ops.activations.GeluTanh`.
    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> from minigrad import tensor
    >>> F.gelu(tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    return (Gelu() if approximate == "none" else GeluTanh()).of(input)


# ---- gates: one half of the elements scales the other half -----------------------------------------------------------


@op("nn.functional")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """`a * sigmoid(b)` for the two halves a and b of `input` along `dim`: b says how much of a goes on.

    Source: Y. N. Dauphin et al., "Language modeling with gated convolutional networks" (2017).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.glu(torch.tensor([4.0, 6.0, 0.0, 100.0]))
    tensor([2., 6.])
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    along = normal_dim(dim, input.ndim)
    if input._array.shape[along] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {along} is size {input.shape[along]}")
    check_floating("glu_cpu", input)
    a, b = input.chunk(2, along)
    return in_float32(lambda a, b: named(Mul(), "GluBackward0").of(a, b.sigmoid()), a, b)


# ---- softmax, its logarithm, and the logarithm of its denominator ----------------------------------------------------


class Softmax(Unary):
    """`y = exp(x) / sum(exp(x))`: along `dims`."""

    dims: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        y = np.empty(x.shape, x.dtype)
        for part, result in row_blocks(self.dims, x, y):
            # Shifted by the maximum, which cancels in the ratio: so the largest exponential is 1, and none overflows.
            self.fill(np.subtract(part, largest(part, self.dims), result))
        return y

    def fill(self, y: Array) -> None:
        """Turn the shifted elements into the output, in place."""
        np.exp(y, y)
        y *= np.reciprocal(total(y, self.dims))

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return in_one_step(self.slope, lambda g, y: (g - (g * y).sum(self.dims, True)) * y, g, y)

    def slope(self, g: Array, y: Array) -> Array:
        """The gradient of x, for that of y, `g`."""
        out = np.empty_like(y)
        for y_part, g_part, result in row_blocks(self.dims, y, g, out):
            self.fill_slope(g_part, y_part, result)
        return out

    def fill_slope(self, g: Array, y: Array, out: Array) -> None:
        """Write the gradient of x into `out`."""
        np.subtract(g, sum_of_products(g, y, self.dims), out=out)
        out *= y


class LogSoftmax(Softmax):
    """`y = x - log(sum(exp(x)))`: along `dims`."""

    def fill(self, y: Array) -> None:
        y -= np.log(total(np.exp(y), self.dims))

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return in_one_step(self.slope, lambda g, y: g - y.exp() * g.sum(self.dims, True), g, y)

    def fill_slope(self, g: Array, y: Array, out: Array) -> None:
        np.exp(y, out=out)
        out *= total(g, self.dims)
        np.subtract(g, out, out=out)


class LogSumExp(Reduction):
    """`log(sum(exp(x)))`: over `dims`."""

    formulas = ("dx = g * softmax(x) over dims",)
    form: str = "LogsumexpBackward0"

    def reduced(self, x: Array) -> Array:
        _, sums, most = exponentials(x, self.dims)
        return np.asarray(np.log(sums) + most)

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        g, y = [kept_dims(each, x._array.shape, self.dims) for each in (g, y)]
        return g * (x - y).exp()


def exponentials(x: Array, dims: tuple[int, ...], out: Array | None = None) -> tuple[Array, Array, Array]:
    """`exp(x - m)` in at least float32, its sums over `dims`, and m: the largest elements, but 0 for infinite ones.

    So the sum of nothing but -inf is 0, and that of an inf is infinite.
    """
    wide = widened(x)
    most = largest(wide, dims)
    most[np.isinf(most)] = 0
    out = np.asarray(np.subtract(wide, most, out=out))
    np.exp(out, out=out)
    return out, total(out, dims), most


def largest(x: Array, dims: tuple[int, ...]) -> Array:
    """The largest elements along `dims`, which stay; of none, -inf."""
    if x.size > MANY:
        return extremes(np.ndarray.max, x, dims)
    return np.asarray(np.maximum.reduce(x, axis=dims, keepdims=True, initial=-np.inf))


@op()
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).softmax(0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    return _of_scores("softmax", Softmax, input, dim, dtype)


@op()
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`: the logarithm of `softmax`, also where that is too small for one.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).log_softmax(0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
    return _of_scores("log_softmax", LogSoftmax, input, dim, dtype)


@op("nn.functional", name="softmax")
def softmax_layer(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1; computed in `dtype` if given.

    To leave out `dim` is deprecated: it is then 0 for 0, 1 and 3 dimensions and 1 for others.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _of_scores("softmax", Softmax, input, _chosen_dim("softmax", input) if dim is None else dim, dtype)


@op("nn.functional", name="log_softmax")
def log_softmax_layer(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`, the logarithm of the softmax, also where that is 0; see `softmax`."""
    dim = _chosen_dim("log_softmax", input) if dim is None else dim
    return _of_scores("log_softmax", LogSoftmax, input, dim, dtype)


def _chosen_dim(name: str, input: Tensor) -> int:
    """The dimension that PyTorch takes if none is given, with its warning."""
    warn_program(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X.")
    return 0 if input.ndim in (0, 1, 3) else 1


def _of_scores(name: str, kind: type[Softmax], x: Tensor, dim: int, dtype: dtype | None) -> Tensor:
    """The function of that name along `dim`, computed in `dtype` if given."""
    dims = (normal_dim(dim, x._array.ndim),)[: x._array.ndim]
    x = x if dtype is None else cast(x, as_dtype(name, dtype) or x.dtype)
    if x._array.dtype in arrays.WIDE_FLOATS:
        return kind(dims).of(x)
    check_floating(f"{name}_lastdim_kernel_impl", x)
    return in_float32(kind(dims).of, x)


@op()
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(x)))` over the dimensions `dim`, whose exponentials do not overflow.

    >>> import minigrad as torch
    >>> torch.tensor([1000.0, 1000.0]).logsumexp(0)
    tensor(1000.6932)
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType: () is for all dimensions")
    x = cast(input, floating(input.dtype))
    return LogSumExp(reduced_dims(dim, x.ndim), keepdim).of(x)


# ---- attention -------------------------------------------------------------------------------------------------------


class AttentionWeights(Node):
    """`P = softmax(scale * Q @ K.mT + mask)`: along the last dimension, how much each query takes of each value.

    `Q` is `(*, L, E)`, `K` is `(*, S, E)`, and `mask` (or None) broadcasts to P, which is `(*, L, S)`; of bools, it is
    -inf where it does not hold.  A row of nothing but -inf becomes zeros: that query takes nothing.
    """

    formulas = (
        "dQ = scale * dS @ K, for the gradient dS of the softmax",
        "dK = scale * dS.mT @ Q, for the same dS",
        "dmask = dS, the gradient of the softmax, summed over what was broadcast",
    )
    keep = keep_read
    reads: ClassVar = {0: (1, -1), 1: (0, -1), 2: (-1,)}
    scale: float

    def forward(self, q: Array, k: Array, mask: Array | None) -> Array:
        self.shapes = [() if x is None else x.shape for x in (q, k, mask)]
        p: Array = product(q * np.array(self.scale, q.dtype), k.swapaxes(-1, -2))
        if mask is not None:
            p += np.where(mask, p.dtype.type(0), p.dtype.type(-np.inf)) if mask.dtype.kind == "b" else mask
        for (part,) in row_blocks((), p):
            _, sums, _ = exponentials(part, (p.ndim - 1,), out=part)
            # The largest exponential is 1, so that a sum is at least that, and at most their number, but for rounding.
            if not all_within(sums, 1, 2 * p.shape[-1]):
                sums[sums == 0] = 1
                # Of an infinite score there is no ratio: inf / inf, as everywhere in its row.
                sums[sums == np.inf] = np.nan
            part *= np.reciprocal(sums)
        return p

    def backward(self, g: Tensor) -> tuple[Tensor | None, ...]:
        to_q, to_k, to_mask = self.edges
        shape_q, shape_k, shape_mask = self.shapes
        ds = Softmax((g.ndim - 1,)).dx(g, self.kept(-1))
        return (
            None if to_q is None else sum_to((ds @ self.kept(1)) * self.scale, shape_q),
            None if to_k is None else sum_to(ds.mT @ (self.kept(0) * self.scale), shape_k),
            None if to_mask is None else sum_to(ds, shape_mask),
        )


class Attend(MatMul):
    """`P @ V`: for each query the average of the values, weighted by P."""

    form = "ScaledDotProductFlashAttentionForCpuBackward0"
    formulas = ("da = g @ V.mT", "db = P.mT @ g")

    def forward(self, a: Array, b: Array) -> Array:
        # In memory they lie as the values do: so heads made by `transpose(1, 2)` are put together by it without a copy.
        self.shapes = (a.shape, b.shape)
        return np.matmul(a, b, out=np.empty_like(b, shape=(*a.shape[:-1], b.shape[-1])))


@op("nn.functional")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(scale * query @ key.mT + mask) @ value`: for each query a mean of values, by keys like it.

    `query` is `(*, L, E)`, `key` is `(*, S, E)` and `value` `(*, S, D)`; the result is `(*, L, D)`; leading sizes
    broadcast.  `attn_mask` broadcasts to `(*, L, S)`: bools say what may be looked at, numbers are added.  With
    `is_causal` query i looks at keys 0 to i.  A query that may look at nothing gets zeros.  `scale` is
    `1 / sqrt(E)` if None.  `dropout_p` is the probability with which weights are dropped, also outside of training:
    pass 0 there.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> keys, values = torch.eye(3), torch.tensor([[10.0], [20.0], [60.0]])
    >>> F.scaled_dot_product_attention(torch.zeros(3, 3), keys, values, is_causal=True)
    tensor([[10.],
            [15.],
            [30.]])
    """
    if enable_gqa:
        raise NotImplementedError("enable_gqa is not supported: key.repeat_interleave(groups, -3), and value likewise")
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    _check_operands(query, key, value, attn_mask, dropout_p)
    halves, mask = query._array.dtype in HALVES, attn_mask
    if is_causal:
        mask = query._new(triangle(query._array.shape[-2], key._array.shape[-2], 0, upper=False))
    elif mask is not None and mask.dtype is not bool_:
        mask = mask.to(float32 if halves else query.dtype)
    # In these cases PyTorch computes it in one step, under a name of its own.
    plain = not dropout_p and (mask is None or (mask.ndim in (2, 4) and not mask.requires_grad))
    given = (query, key, value) if query._array.ndim == 4 else ()
    layouts = {(*x._array.shape[:-2], x._array.shape[-1], x.stride()[-1]) for x in given}
    fused = plain and len(layouts) == 1 and query.stride()[-1] == 1
    if halves:
        wide = scaled_dot_product_attention(query.float(), key.float(), value.float(), mask, dropout_p, scale=scale)
        return rounded(wide, query.dtype) if fused else cast(wide, query.dtype)
    if scale is None:
        scale = 1 / math.sqrt(query._array.shape[-1] or 1)
    weights = AttentionWeights(scale).of(query, key, mask)
    return (Attend() if fused else MatMul()).of(dropout(weights, dropout_p), value)


def _check_operands(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Raise PyTorch's error unless ranks, dtypes and the probability are as they should be."""
    given = (query, key, value)
    fits = mask is None or mask.dtype in (bool_, float32, query.dtype)
    if len({x.dtype for x in given}) > 1 or not query.is_floating_point() or not fits:
        problem = "Expected query, key, and value to have the same dtype, of real numbers, and attn_mask this or bool"
        raise RuntimeError(f"{problem}, but got {[x.dtype for x in (*given, mask) if x is not None]}")
    q, k, v = [x._array.shape for x in given]
    if min([x.ndim for x in given]) < 2 or q[-1] != k[-1] or k[-2] != v[-2]:
        problem = "Expected query, key, and value to all be  at least 2 dimensional, (*, L, E), (*, S, E), (*, S, D)"
        raise RuntimeError(f"{problem}, but got {q}, {k}, {v}")
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")


# ---- dropout ---------------------------------------------------------------------------------------------------------


@op("nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input` with each element set to 0 with probability `p`, and the others divided by `1 - p`.

    Not when not `training`, or for p = 0: then it is `input` itself.  The noise is drawn as PyTorch draws it.  Source:
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> _ = torch.manual_seed(0)
    >>> F.dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    return _dropped(input, None, p, training, inplace)


@op("nn.functional")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input`, `(N, C, H, W)`, with whole channels set to 0, as single elements in `dropout`.

    Of `(N, C)`, as in many lessons' linear layers, each element is a channel, of which PyTorch warns.
    """
    if input.ndim not in (2, 4):
        raise NotImplementedError(f"dropout2d of {input.ndim}-D: x.unsqueeze(-1) makes (N, C, L, 1) of (N, C, L)")
    if input.ndim == 2:
        warn_program("dropout2d: Received a 2-D input to dropout2d, which is deprecated: dropout is for (N, C)")
    return _dropped(input, (*input._array.shape[:2], 1, 1)[: input.ndim], p, training, inplace)


def _dropped(input: Tensor, shape: tuple[int, ...] | None, p: float, training: bool, inplace: bool) -> Tensor:
    """The input times noise of 0 and `1 / (1 - p)`, of that shape, or a number for each element if it is None."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input._array.size:
        return input
    noise = empty_like(input) if shape is None else input._new(np.empty(shape, input._array.dtype))
    array = noise._array
    if p == 1:
        noise = zeros((), dtype=input.dtype)
    elif array.dtype in arrays.WIDE_FLOATS:
        # In the array itself, which nobody else has seen, in half the time of methods in place.
        random.bernoulli_(array, 1 - p, random.default_generator)
        array /= np.array(1 - p, array.dtype)
    else:
        noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise
