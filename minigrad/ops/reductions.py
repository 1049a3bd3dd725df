"""Reductions: sums, products, extremes and the like, of a whole tensor or along dimensions; and running ones."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy import ndarray

from minigrad import return_types
from minigrad.core.arrays import all_within, count_over, laid_out, sum_of_products, total, widened, with_ones
from minigrad.core.dtypes import FLOATS, Array, Number, bool_, computed_in, dtype, int64, limits, promote_types
from minigrad.core.modes import current
from minigrad.core.ops import Expand, Sum, cast, kept_dims, masked
from minigrad.core.tape import Unary, quiet
from minigrad.core.tensor import Storage, Tensor
from minigrad.declare import Dims, op, rewritten
from minigrad.ops.arguments import as_dtype, check_real, normal_dim, normal_dims, reduced_dims
from minigrad.ops.fused import in_float32, in_one_step
from minigrad.ops.indexing import Index, all_dims, places_along, positions
from minigrad.tensors.errors import warn_program

S = TypeVar("S", bound=return_types.Selected)


class Reduction(Unary):
    """A reduction over the dimensions `dims`: a subclass defines `reduced(x)`, which keeps them at size 1."""

    dims: tuple[int, ...]
    keepdim: bool
    form: str

    reduced: ClassVar[Callable[..., Array]]

    def forward(self, x: Array) -> Array:
        y = self.reduced(x)
        return (y if self.keepdim else y.squeeze(self.dims)).astype(x.dtype, "C", copy=False)


# ---- sums and products -----------------------------------------------------------------------------------------------


@op()
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum over all elements, or over the dimensions `dim`; of integers, an int64.

    >>> import minigrad as torch
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x.sum(), x.sum(0), x.sum(1)
    (tensor(10), tensor([4, 6]), tensor([3, 7]))
    """
    if input._array.dtype.kind == "b" and dim is None and dtype is None and not keepdim:
        # The number of elements that are True, such as the hits of a batch: NumPy counts it in a tenth of the time.
        return count_nonzero(input)
    form = "SumBackward0" if dim is None and not keepdim else "SumBackward1"
    return Sum(reduced_dims(dim, input._array.ndim), keepdim, form).of(_summands("sum", input, dtype))


@op()
def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum as of `sum`, of the elements that are not nan."""
    dims = reduced_dims(dim, input.ndim)
    x = _summands("nansum", input, dtype)
    nans = np.isnan(x._array)
    return Sum(dims, keepdim, "NansumBackward0").of(masked(x, ~nans) if np.count_nonzero(nans) else x)


@op()
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean over all elements, or over the dimensions `dim`; of floating-point numbers only.

    >>> import minigrad as torch
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> x.mean(), x.mean(0)
    (tensor(2.5000), tensor([2., 3.]))
    """
    x: Tensor = input if dtype is None else cast(input, as_dtype("mean", dtype) or input.dtype)
    problem = "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype"
    check_real(problem, x)
    form = "MeanBackward0" if dim is None and not keepdim else "MeanBackward1"
    return Mean(reduced_dims(dim, x._array.ndim), keepdim, form).of(x)


class Mean(Sum):
    """The mean of `x` over the dimensions `dims`."""

    formulas = ("dx = Expand(g / n), to x's shape, for n elements each",)

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return average(x, self.dims, self.keepdim).astype(x.dtype, "C", copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Sum.dx(self, g / (count_over(self.x_shape, self.dims) or 1))


@op()
def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean as of `mean`, of the elements that are not nan."""
    if not input.is_floating_point() or not (as_dtype("nanmean", dtype) or input.dtype).is_floating_point:
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype")
    numbers = input._new(~np.isnan(input._array)).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / numbers


@op()
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The product of all elements, or of those along `dim`; of integers, an int64."""
    dims = normal_dims(None if dim is None else normal_dim(dim, input.ndim), input.ndim)
    form = "ProdBackward0" if dim is None else "ProdBackward1"
    return Prod(dims, keepdim, form).of(_summands("prod", input, dtype))


# From so many numbers on, lines are halved and the halves multiplied, as long as that is possible.
_HALVED = 2**14
# From so many numbers in so many lines on, running sums and products of all lines are made side by side.
_LONG, _WIDE = 2**10, 2**7


class Prod(Reduction):
    """The product of `x` over the dimensions `dims`."""

    formulas = ("dx = g * (the product of the other elements)",)

    def reduced(self, x: Array) -> Array:
        y = widened(x)
        if y.size >= _HALVED and y.flags.c_contiguous and self.dims[-1:] == (x.ndim - 1,):
            # NumPy multiplies the halves of a line many numbers at a time, but those of a line one by one.
            y = y.reshape(1, -1) if len(self.dims) == x.ndim else y.reshape(-1, x.shape[-1])
            while y.shape[1] % 2 == 0:
                y = y[:, : y.shape[1] // 2] * y[:, y.shape[1] // 2 :]
            y = y.reshape(*with_ones(x.shape, self.dims)[:-1], -1)
        return np.asarray(np.multiply.reduce(y, self.dims, y.dtype, keepdims=True))

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        shape = x._array.shape
        y, g = [kept_dims(each, shape, self.dims) for each in (y, g)]
        scaled = g * y
        size = np.abs(scaled._array)
        # Where g * y is finite and not subnormal, no factor is 0, and one division by x is enough; but not where the
        # gradient is to be differentiated, since terms would cancel to fewer digits.
        if not current.enabled and ((size >= limits(size.dtype).tiny) & (size < np.inf)).all():
            return scaled / x
        if x._array.all():
            return y / x * g
        line, dim = (x, *self.dims) if len(self.dims) == 1 else (x.reshape(-1), 0)
        # For each element the product of all before it and of all after it: of those up to its neighbours, or 1.
        first = x._new(np.arange(line.shape[dim]).reshape([-1] + [1] * (line.ndim - 1 - dim)) == 0)
        before, after = [each.roll(1, dim).masked_fill(first, 1).cumprod(dim) for each in (line, line.flip(dim))]
        return (before * after.flip(dim)).reshape(shape) * g


@op()
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not zero, of all or along the dimensions `dim`."""
    dims = None if dim is None else reduced_dims(dim, input.ndim)
    return input._new(np.asarray(np.count_nonzero(input._array, dims), order="C"))


def _summands(name: str, x: Tensor, dtype: object) -> Tensor:
    """`x` in the dtype in which it is summed: `dtype`, or if that is None int64 for integers."""
    if dtype is None and x._array.dtype in FLOATS:
        return x
    dtype = as_dtype(name, dtype) or int64
    if not dtype.is_floating_point and x._requires_grad and current.enabled:
        raise RuntimeError(f"Autograd not support dtype: {dtype._tensor_name}: integers have no gradients")
    return cast(x, dtype)


def average(x: Array, dims: tuple[int, ...], keepdims: bool = True) -> Array:
    """The mean of `x` over `dims`, in at least float32."""
    sums = total(x, dims, keepdims)
    # By an array, because NumPy takes longer to look at a number.
    return np.asarray(sums / np.array(count_over(x.shape, dims), sums.dtype))


# ---- running sums and products ---------------------------------------------------------------------------------------


@op(in_place=rewritten)
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """For each element the sum of those up to it along `dim`; of integers, in int64.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2, 3]).cumsum(0)
    tensor([1, 3, 6])
    """
    return Cumsum(normal_dim(dim, input.ndim)).of(_running("cumsum", input, dtype))


@op(in_place=rewritten)
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """For each element the product of those up to it along `dim`; of integers, in int64."""
    return Cumprod(normal_dim(dim, input.ndim)).of(_running("cumprod", input, dtype))


def _running(name: str, x: Tensor, dtype: object) -> Tensor:
    """`x` in the dtype of its running sums or products; for bool an error, unless it is 0-d or empty."""
    if as_dtype(name, dtype) is bool_ and x._array.ndim and x._array.size:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool': sum up as numbers, then .bool()")
    return _summands(name, x, dtype)


class Cumsum(Unary):
    """`y[k] = x[0] + … + x[k]`: along `dim`, or from the other end."""

    formulas = ("dx = Cumsum(g), from the other end",)
    dim: int
    reverse: bool = False

    def forward(self, x: Array) -> Array:
        return accumulated(np.add, x, self.dim, self.reverse)

    def dx(self, g: Tensor) -> Tensor:
        return Cumsum(self.dim, not self.reverse).of(g)


class Cumprod(Unary):
    """`y[k] = x[0] * … * x[k]`: along `dim`.

    Where an x is 0, y[k] / x[j] is the product of x[i] for i <= k but for j: for all j and k, in a new dimension.
    """

    formulas = ("dx[j] = the sum over k >= j of g[k] * y[k] / x[j]",)
    dim: int

    def forward(self, x: Array) -> Array:
        return accumulated(np.multiply, x, self.dim)

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        if x._array.size == 1:
            return g
        if x._array.all():
            return Cumsum(self.dim, reverse=True).of(g * y) / x
        rows, gs = [each.movedim(self.dim, -1).unsqueeze(-2) for each in (x, g)]
        itself = y._new(np.eye(x._array.shape[self.dim], dtype=bool))
        others = rows.masked_fill(itself, 1).cumprod(-1)
        return (gs * others).triu().sum(-1).movedim(-1, self.dim)


def accumulated(ufunc: np.ufunc, x: Array, dim: int, reverse: bool = False) -> Array:
    """`ufunc` of each element and the result before it, computed in twice the width of the rounded results."""
    if x.ndim == 0:
        return x.copy()
    wider = np.float64 if x.dtype == np.float32 else computed_in(x.dtype)
    if x.size < _LONG or dim == x.ndim - 1 or x.size < _WIDE * x.shape[dim]:
        if not reverse:
            return ufunc.accumulate(x, dim, wider).astype(x.dtype, "C", copy=False)
        turned = (*[slice(None)] * dim, slice(None, None, -1))
        return ufunc.accumulate(x[turned], dim, wider)[turned].astype(x.dtype, "C", copy=False)
    # Side by side: along a line, each addition waits for the one before.
    y = np.empty(x.shape, x.dtype)
    lines, results = [np.moveaxis(np.flip(each, dim) if reverse else each, dim, -1) for each in (x, y)]
    sums = np.full(lines.shape[:-1], ufunc.identity, wider)
    for place in range(x.shape[dim]):
        ufunc(sums, lines[..., place], out=sums)
        results[..., place] = sums
    return y


# ---- variance and deviation ------------------------------------------------------------------------------------------


@op()
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> Tensor:
    """The variance over all elements, or over the dimensions `dim`: the squared deviations / (n - correction).

    `correction` is 1 unless given; `unbiased=False` is another word for 0.

    >>> from minigrad import tensor
    >>> tensor([1.0, 2.0, 3.0, 6.0]).var(), tensor([1.0, 2.0, 3.0, 6.0]).var(correction=0)
    (tensor(4.6667), tensor(3.5000))
    """
    return _moment("var", Var, input, dim, unbiased, keepdim, correction)


@op()
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> Tensor:
    """The standard deviation, the square root of the variance; see `var`.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).std()
    tensor(1.)
    """
    return _moment("std", Std, input, dim, unbiased, keepdim, correction)


@op("torch")
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation, as of `std`, and the mean.

    >>> from minigrad import std_mean, tensor
    >>> std_mean(tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    std = _moment("std_mean", Std, input, dim, unbiased, keepdim, correction)
    return std, Mean(reduced_dims(dim, input.ndim), keepdim, "StdMeanBackward0").of(input)


def _moment(name: str, kind: type[Var], x: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Tensor:
    """The variance or deviation of x, for the function `name`; a UserWarning if it has too few elements."""
    if isinstance(dim, bool) or (unbiased is not None and (correction is not None or not isinstance(unbiased, bool))):
        raise TypeError(f"{name}() received an invalid combination of arguments: unbiased=False is correction=0")
    check_real("std and var only support floating point and complex dtypes", x)
    given = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    dims = reduced_dims(dim, x.ndim)
    free = count_over(x._array.shape, dims) - given
    if free <= 0 or not x._array.size:
        told = "Correction should be strictly less than the reduction factor (input numel divided by output numel)."
        warn_program(f"{name}(): degrees of freedom is <= 0. {told}")
    form = "StdMeanBackward0" if name == "std_mean" else f"{kind.__name__}Backward0"
    return kind(dims, keepdim, form, float(free)).of(x)


class Var(Reduction):
    """`sum((x - mean(x))**2) / (n - correction)`: over `dims`, of n elements each; `free` is the divisor."""

    formulas = ("dx = 2 * g * (x - mean(x)) / (n - correction)",)
    free: float

    def reduced(self, x: Array) -> Array:
        """In two passes, so that no large numbers are subtracted from one another; in at least float32."""
        deviations = centred(x, self.dims)
        self.deviations: Array | None = deviations
        squares = sum_of_products(deviations, deviations, self.dims)
        return np.asarray(squares / np.array(builtins.max(self.free, 0), squares.dtype))

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        scale = 2 / self.free if self.free else math.inf
        return in_one_step(
            lambda g, x: self.scaled(g * scale, x),
            lambda g, x: (x - x.mean(self.dims, True)) * (g * scale),
            kept_dims(g, x._array.shape, self.dims),
            x,
        )

    def scaled(self, g: Array, x: Array) -> Array:
        """The deviations from the mean, times `g`."""
        # They become the gradient; a second backward pass computes them anew.
        out, self.deviations = self.deviations, None
        out = centred(x, self.dims) if out is None else out
        out *= g
        return out


# For deviations between these, float32 holds the squares with all digits.
_ROOTS = (1e-18, 1e18)


class Std(Var):
    """The square root of the variance."""

    formulas = ("dx = Var's, for g / (2 * y); 0 where y is 0",)

    def reduced(self, x: Array) -> Array:
        y = np.sqrt(Var.reduced(self, x))
        if x.dtype != np.float64 and not all_within(y, *_ROOTS):
            # The squares are too small or too large for float32, though their root is not.
            y = np.sqrt(Var.reduced(self, x.astype(np.float64)))
        return y

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]  # it reads y as well
        return Var.dx(self, masked(g / (2 * y), y._array != 0), x)


def centred(x: Array, dims: tuple[int, ...]) -> Array:
    """`x - mean(x)` with the mean over `dims`, in at least float32."""
    return np.asarray(widened(x) - average(x, dims))


# ---- norms -----------------------------------------------------------------------------------------------------------


@op()
def norm(
    input: Tensor, p: Number | str | None = "fro", dim: Dims = None, keepdim: bool = False, dtype: dtype | None = None
) -> Tensor:
    """The norm `sum(|x|**p) ** (1/p)` over all elements, or over the dimensions `dim`; "fro" is p = 2.

    With p = 0 it is the number of elements that are not zero, with inf or -inf the largest or smallest `|x|`.
    """
    check_real("linalg.vector_norm: Expected a floating point or complex tensor as input", input)
    to = as_dtype("norm", dtype) or input.dtype
    if dtype is not None and promote_types(input.dtype, to) is not to:
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point, and not narrower, but got {to!r}")
    dims = reduced_dims(dim, input._array.ndim)
    if isinstance(p, str) and (p != "fro" or (dim is not None and len(dims) > 2)):
        problem = f"linalg.matrix_norm: Order {p} not supported over dimensions {dims}"
        raise RuntimeError(f"{problem}: of matrices there is 'fro', of vectors p = 2")
    power = 2.0 if p is None or p == "fro" else float(p)
    return LinalgVectorNorm(dims, keepdim, "LinalgVectorNormBackward0", power).of(cast(input, to))


class LinalgVectorNorm(Reduction):
    """`sum(|x|**p) ** (1/p)`: over `dims`; the number of nonzero elements for p = 0, the largest |x| for p = inf.

    Source: `linalg.vector_norm` of PyTorch.
    """

    formulas = ("dx = g * sign(x) * |x|**(p - 1) / y**(p - 1); 0 where y is 0, and where x is 0 and p < 1",)
    p: float

    def reduced(self, x: Array) -> Array:
        if self.p == 0:
            return np.asarray(np.count_nonzero(x, axis=self.dims, keepdims=True))
        x, count = widened(x), count_over(x.shape, self.dims)
        if (self.p < 0 or math.isinf(self.p)) and not count:
            raise RuntimeError(f"linalg.vector_norm cannot compute the {self.p:g} norm on an empty tensor")
        if math.isinf(self.p) or count == 1:
            # (The norm of one number is |x|, even if |x| ** p overflows.)
            return np.asarray((np.max if self.p > 0 else np.min)(np.abs(x), axis=self.dims, keepdims=True))
        if self.p == 2:
            return np.asarray(np.sqrt(sum_of_products(x, x, self.dims)))
        return np.asarray(total(np.abs(x) ** self.p, self.dims) ** (1 / self.p))

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor | None:
        if self.p == 0:
            return None
        y, g = [kept_dims(each, x._array.shape, self.dims) for each in (y, g)]
        if math.isinf(self.p):
            largest = (np.abs(x._array) == y._array) | np.isnan(x._array)
            return x.sgn() * shared(g, largest, y._array, self.dims)
        if self.p == 1:
            return x.sgn() * g
        if self.p > 1 and not y._array.all():
            # Where y is 0, if only by underflow, the gradient is 0: x is divided by inf.
            y = y + y._new(np.where(y._array == 0, y._array.dtype.type(np.inf), y._array.dtype.type(0)))
        if self.p == 2:
            # In float32, since g / y may overflow in float16.
            return in_float32(lambda x, g, y: x * (g / y), x, g, y)
        return in_float32(self._slope, x, g, y)

    def _slope(self, x: Tensor, g: Tensor, y: Tensor) -> Tensor:
        powers = x.abs() ** (self.p - 1)
        if self.p < 1:
            powers = masked(powers, x._array != 0)
        # Of one size: the power of each is beyond the dtype sooner than their product.
        return x.sgn() * (powers * y ** (1 - self.p)) * g


@op()
def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The norm of the difference of two tensors, which broadcast.

    >>> import minigrad as torch
    >>> torch.dist(torch.tensor([1.0, 1.0]), torch.tensor([4.0, 5.0]))
    tensor(5.)
    """
    apart = input - other
    check_real("norm(): input dtype should be either floating point or complex", apart)
    return LinalgVectorNorm(tuple(range(apart.ndim)), False, "DistBackward0", float(p)).of(apart)


# ---- extrema ---------------------------------------------------------------------------------------------------------

# The method that finds the index, for the one that finds the element.
_INDEX_OF: dict[Callable[..., Array], Callable[..., Array]] = {ndarray.max: ndarray.argmax, ndarray.min: ndarray.argmin}

# Rows of as many elements are short, and so many in all are worth a second step: see `extremes`.
_SHORT, MANY = 1024, 2**8


@op()
def max(input: Tensor, other: Tensor | int | None = None, keepdim: bool = False, *, dim: int | None = None) -> Any:
    """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`.

    With a tensor, `other`, the larger of each two elements: see `maximum`.  An integer that is not named is `dim`.

    >>> from minigrad import tensor
    >>> tensor([[1.0, 3.0], [4.0, 2.0]]).max(0).indices
    tensor([1, 0])
    """
    return _extremum(input, ndarray.max, return_types.max, other, keepdim, dim)


@op()
def min(input: Tensor, other: Tensor | int | None = None, keepdim: bool = False, *, dim: int | None = None) -> Any:
    """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`.

    With a tensor, `other`, the smaller of each two elements: see `minimum`.  An integer that is not named is `dim`.
    """
    return _extremum(input, ndarray.min, return_types.min, other, keepdim, dim)


def _extremum(x: Tensor, find: Callable[..., Array], kind: type, other: Any, keepdim: bool, dim: Any) -> Any:
    """The extremum of all of `x`, or that along `dim` and its index; or of `x` and a tensor."""
    name, array = find.__name__, x._array
    if other is not None and not isinstance(other, Tensor):
        dim, other = other, dim
    if (keepdim and dim is None) or (dim is not None and other is not None):
        problem = f"{name}() received an invalid combination of arguments"
        raise TypeError(f"{problem}: keepdim needs dim, x.a{name}() keeps all; another tensor comes alone")
    if other is not None:
        return x.maximum(other) if find is ndarray.max else x.minimum(other)
    if dim is None:
        check_not_empty(name, array, error=RuntimeError)
        return Extremum(find, f"{name.capitalize()}Backward1").of(x)
    position = normal_dim(dim, array.ndim)
    check_not_empty(name, array, position)
    return selected(kind, x, position, keepdim, f"{name.capitalize()}Backward0", index_of, _INDEX_OF[find])


def selected(
    kind: type[S], x: Tensor, dim: int, keepdim: bool, form: str, find: Callable[..., Array], *options: object
) -> S:
    """The elements of `x` at the indices along `dim` that `find(array, dim, *options)` finds, and the indices."""
    indices = along(find, x._array, dim, *options)
    places = laid_out(places_along(indices, dim, x._array.shape), indices)
    if not keepdim and x._array.ndim:
        indices, places = indices.squeeze(dim), places.squeeze(dim)
    named, found = x._new(places), x._new(indices)
    # As in PyTorch, the gradient reads the indices themselves: it notices a write to them.
    found._storage = named._storage = Storage()
    return kind(Index(all_dims(x), form, once=True).of(x, named), found)


def along(find: Callable[..., Array], x: Array, dim: int, *options: object) -> Array:
    """The indices that `find(x, dim, *options)` finds along a dimension of `x`; the one of a 0-d array is 0."""
    return find(x, dim, *options) if x.ndim else np.zeros((), np.int64)


class Extremum(Unary):
    """The one element of `x` that `find` finds, such as the largest (`ndarray.max`)."""

    formulas = ("dx = g / n at the n elements equal to it, 0 elsewhere",)
    find: Callable[..., Array]
    form: str

    def forward(self, x: Array) -> Array:
        return self.find(x)

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        chosen = np.asarray(np.isnan(x._array) if np.isnan(y._array) else x._array == y._array)
        ties = np.count_nonzero(chosen)
        return masked(Expand(chosen.shape).of_gradient(g if ties == 1 else g / ties), chosen)


@op()
def amax(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The largest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
    return _extrema(input, ndarray.max, dim, keepdim)


@op()
def amin(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The smallest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
    return _extrema(input, ndarray.min, dim, keepdim)


def _extrema(x: Tensor, find: Callable[..., Array], dim: Dims, keepdim: bool) -> Tensor:
    """The extrema over `dim`, over all for ()."""
    named = normal_dims(() if dim is None else dim, x.ndim)
    check_not_empty(f"a{find.__name__}", x._array, *named, error=RuntimeError)
    return Extrema(named or tuple(range(x.ndim)), keepdim, f"A{find.__name__}Backward0", find).of(x)


class Extrema(Reduction):
    """The largest (`ndarray.max`) or smallest (`ndarray.min`) elements of `x` over the dimensions `dims`."""

    formulas = ("dx = g / n at the n elements equal to them, 0 elsewhere",)
    find: Callable[..., Array]

    def forward(self, x: Array) -> Array:
        return extremes(self.find, x, self.dims, self.keepdim)

    def dx(self, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        shape = x._array.shape
        largest = y._array.reshape(with_ones(shape, self.dims))
        return shared(kept_dims(g, shape, self.dims), x._array == largest, largest, self.dims)


def extremes(find: Callable[..., Array], x: Array, dims: tuple[int, ...], keepdims: bool = True) -> Array:
    """The largest (`ndarray.max`) or smallest elements of `x` over `dims`."""
    rows = dims == (x.ndim - 1,) and x.size > MANY and x.flags.c_contiguous
    if rows and x.shape[-1] <= _SHORT:
        # In short rows, NumPy finds the index of the extremum in half of the time, or less.
        places = _INDEX_OF[find](x, axis=-1, keepdims=keepdims)
        return x.take(places + np.arange(0, x.size, x.shape[-1]).reshape(places.shape))
    return np.asarray(find(x, axis=dims, keepdims=keepdims), order="C")


def shared(g: Tensor, chosen: Array, y: Array, dims: tuple[int, ...]) -> Tensor:
    """The gradient `g` of `y`, a reduction over `dims`, in equal parts at the places `chosen`, and 0 elsewhere."""
    dtype = g._array.dtype
    # With as many places as results there are no ties; but a nan equals nothing, and is at no place.
    if np.count_nonzero(chosen) != y.size or np.isnan(y).any():
        # Halves, counted one by one, would stop at 2048.
        counts = chosen.sum(axis=dims, keepdims=True, dtype=computed_in(dtype))
        g = in_float32(lambda g: g / g._new(counts), g)
    # A product, as in PyTorch: of an infinite g it is nan at the other places.
    ones = np.asarray(chosen).astype(dtype)
    return in_one_step(lambda g: np.multiply(ones, g, out=ones), lambda g: g * g._new(ones), g)


@op()
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, of all in order or along `dim`.

    >>> import minigrad as torch
    >>> x = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
    >>> x.argmax(), x.argmax(1)
    (tensor(1), tensor([1, 0]))
    """
    return _argument(ndarray.argmax, input, dim, keepdim)


@op()
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, of all in order or along `dim`."""
    return _argument(ndarray.argmin, input, dim, keepdim)


def _argument(find: Callable[..., Array], x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The index (int64) that `find` finds, of all of `x` or along `dim`."""
    array = x._array
    if array.dtype == bool:
        raise RuntimeError(f"{find.__name__}(): does not support bool input: expected numbers, such as x.long()")
    if dim is None:
        check_not_empty(find.__name__, array)
        return x._new(np.asarray(find(array, keepdims=keepdim)))
    position = normal_dim(dim, array.ndim)
    check_not_empty(find.__name__, array, position)
    return x._new(along(index_of, array, position, find, keepdim))


def index_of(x: Array, dim: int, find: Callable[..., Array], keepdim: bool = True) -> Array:
    """The index of the first largest (`ndarray.argmax`) or smallest element along `dim`, where nan counts as either."""
    if x.size < 2**14 or x.strides[dim] < 2**9:
        return np.asarray(find(x, axis=dim, keepdims=keepdim), order="C")
    # NumPy would copy x with `dim` last, which takes long where neighbours along it lie far apart.  Of the elements
    # equal to the extremum, the first is written last.
    best = quiet().run(ndarray.max if find is ndarray.argmax else ndarray.min, x, axis=dim, keepdims=True)
    equal = x == best
    if np.isnan(best).any():
        equal |= np.isnan(x)
    at: list[Any] = [each[::-1].copy() for each in positions(equal)]
    index = np.empty(best.shape, np.int64)
    index[(*at[:dim], 0, *at[dim + 1 :])] = at[dim]
    return index if keepdim else index.squeeze(dim)


def check_not_empty(name: str, x: Array, *dims: int, error: type[Exception] = IndexError) -> None:
    """An error if there is nothing to choose from: along one of the dimensions `dims`, or in all of `x` for none."""
    if x.size:
        return
    if not dims:
        problem = f"{name}(): Expected reduction dim to be specified for input.numel() == 0"
        raise error(f"{problem}. Specify the reduction dim with the 'dim' argument.")
    for dim in dims:
        if x.shape[dim] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


@op()
def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements, or all along `dim`, are true or not zero.

    >>> import minigrad as torch
    >>> torch.tensor([[True, False], [True, True]]).all(1)
    tensor([False,  True])
    """
    return _logical(np.logical_and, input, dim, keepdim)


@op()
def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element, or any along `dim`, is true or not zero.

    >>> import minigrad as torch
    >>> torch.tensor([[True, False], [False, False]]).any(1)
    tensor([ True, False])
    """
    return _logical(np.logical_or, input, dim, keepdim)


def _logical(ufunc: np.ufunc, x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """Whether all (`np.logical_and`) or any (`np.logical_or`) of the elements along `dim` are not zero."""
    found = ufunc.reduce(x._array.astype(bool, copy=False), axis=normal_dims(dim, x.ndim), keepdims=keepdim)
    # PyTorch's oldest masks were uint8, and still give uint8.
    return x._new(np.asarray(found).astype(np.uint8 if x._array.dtype == np.uint8 else bool, "C"))
