"""Reductions, and running ones."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any, SupportsIndex

import numpy as np
from numpy import ndarray

from minigrad import return_types
from minigrad.core import dtypes, elementwise, shapes
from minigrad.core.arrays import count_over
from minigrad.core.dtypes import Number
from minigrad.core.modes import is_grad_enabled
from minigrad.core.tensor import Tensor, storage_of
from minigrad.methods.forms import Dims, checked_tensor, in_place, numpy_names
from minigrad.methods.writing import Writing
from minigrad.ops import reduce, scan, softmax, statistics
from minigrad.ops.along import TakeAlong
from minigrad.ops.dims import normal_dim, normal_dims
from minigrad.tensors.errors import warn_program
from minigrad.tensors.options import as_dtype


class Reduction(Writing):
    """Reductions, and running ones."""

    __slots__ = ()

    # ---- sums and products -------------------------------------------------------------------------------------------

    @numpy_names
    def sum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The sum over all elements, or over the dimensions `dim`; of integers, an int64.

        >>> import minigrad as torch
        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.sum(), x.sum(0), x.sum(1)
        (tensor(10), tensor([4, 6]), tensor([3, 7]))
        """
        form = "SumBackward0" if dim is None and not keepdim else "SumBackward1"
        return shapes.Sum(_summed_dims(dim, self._array.ndim), keepdim, form)(_summands("sum", self, dtype))

    @numpy_names
    def nansum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The sum as of `sum`, of the elements that are not nan."""
        dims, x = _summed_dims(dim, self.ndim), _summands("nansum", self, dtype)
        op = reduce.NanSum if x._array.dtype.kind == "f" else shapes.Sum
        return op(dims, keepdim, "NansumBackward0")(x)

    @numpy_names
    def mean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The mean over all elements, or over the dimensions `dim`; of floating-point numbers only.

        >>> import minigrad as torch
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.mean(), x.mean(0)
        (tensor(2.5000), tensor([2., 3.]))
        """
        x = _in_dtype("mean", self, dtype)
        if x._array.dtype.kind != "f":
            which = "Input" if dtype is None else "Optional"
            raise RuntimeError(
                f"mean(): could not infer output dtype. {which} dtype must be either a "
                f"floating point or complex dtype. Got: {x.dtype._tensor_name}. Convert it first: x.float().mean()"
            )
        form = "MeanBackward0" if dim is None and not keepdim else "MeanBackward1"
        return reduce.Mean(_summed_dims(dim, x._array.ndim), keepdim, form)(x)

    @numpy_names
    def nanmean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The mean as of `mean`, of the elements that are not nan."""
        if self._array.dtype.kind != "f":
            raise RuntimeError(
                f"nanmean(): expected input to have floating point or complex dtype but got {self.dtype._tensor_name}"
            )
        dtype = as_dtype("nanmean", dtype)
        if dtype is not None and not dtype.is_floating_point:
            raise RuntimeError(
                "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
                f"dtype. Got: {dtype._tensor_name}"
            )
        numbers = self._new(~np.isnan(self._array)).sum(dim, keepdim)
        return elementwise.Div()(self.nansum(dim, keepdim, dtype=dtype), numbers)

    @numpy_names
    def prod(
        self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None
    ) -> Tensor:
        """The product of all elements, or of those along `dim`; of integers, an int64."""
        dims = normal_dims(None if dim is None else normal_dim(dim, self.ndim), self.ndim)
        form = "ProdBackward0" if dim is None else "ProdBackward1"
        return reduce.Prod(dims, keepdim, form)(_summands("prod", self, dtype))

    @numpy_names
    def count_nonzero(self, dim: Dims = None) -> Tensor:
        """How many elements are not zero, of all or along the dimensions `dim`."""
        return self._new(np.count_nonzero(self._array, axis=_summed_dims(dim, self.ndim)))

    # ---- statistics --------------------------------------------------------------------------------------------------

    @numpy_names
    def var(
        self,
        dim: Dims | builtins.bool = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Number | None = None,
    ) -> Tensor:
        """The variance over all elements, or over the dimensions `dim`: the squared deviations / (n - correction).

        `correction` is 1 unless given; `unbiased=False` is another word for 0.  Also `var(unbiased)`.

        >>> from minigrad import tensor
        >>> tensor([1.0, 2.0, 3.0, 6.0]).var(), tensor([1.0, 2.0, 3.0, 6.0]).var(correction=0)
        (tensor(4.6667), tensor(3.5000))
        """
        return moment("var", self, dim, unbiased, keepdim, correction)

    @numpy_names
    def std(
        self,
        dim: Dims | builtins.bool = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Number | None = None,
    ) -> Tensor:
        """The standard deviation, the square root of the variance; see `var`.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 3.0]).std()
        tensor(1.)
        """
        return moment("std", self, dim, unbiased, keepdim, correction)

    @numpy_names
    def norm(
        self,
        p: Number | str | None = "fro",
        dim: Dims = None,
        keepdim: builtins.bool = False,
        dtype: dtypes.dtype | None = None,
    ) -> Tensor:
        """The norm `sum(|x|**p) ** (1/p)` over all elements, or over the dimensions `dim`; "fro" is p = 2.

        With p = 0 it is the number of elements that are not zero, with inf or -inf the largest or smallest |x|.
        """
        x = _checked_for_norm(self, dtype)
        if isinstance(p, str) and p != "fro":
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported. Norms of matrices as such are not there.")
        dims = _summed_dims(dim, self.ndim)
        if p == "fro" and dim is not None and len(dims) > 2:
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
        power = 2.0 if p is None or isinstance(p, str) else float(p)
        if (power < 0 or math.isinf(power)) and 0 in [x._array.shape[d] for d in dims]:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {power:g} norm on an empty tensor because the operation does "
                f"not have an identity: the tensor has shape {x.shape}"
            )
        return statistics.Norm(power, dims, keepdim)(x)

    # ---- extrema -----------------------------------------------------------------------------------------------------

    @numpy_names
    def max(
        self, dim: SupportsIndex | Tensor | None = None, keepdim: builtins.bool = False, *, other: Tensor | None = None
    ) -> Any:
        """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`.

        With a tensor, the larger of each two elements, as by `maximum`.

        >>> from minigrad import tensor
        >>> tensor([[1.0, 3.0], [4.0, 2.0]]).max(0).indices
        tensor([1, 0])
        """
        return _extremum(self, "max", ndarray.max, ndarray.argmax, dim, keepdim, other)

    @numpy_names
    def min(
        self, dim: SupportsIndex | Tensor | None = None, keepdim: builtins.bool = False, *, other: Tensor | None = None
    ) -> Any:
        """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`.

        With a tensor, the smaller of each two elements, as by `minimum`.
        """
        return _extremum(self, "min", ndarray.min, ndarray.argmin, dim, keepdim, other)

    @numpy_names
    def amax(self, dim: Dims = (), keepdim: builtins.bool = False) -> Tensor:
        """The largest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
        return _extrema(self, "amax", ndarray.max, dim, keepdim, "AmaxBackward0")

    @numpy_names
    def amin(self, dim: Dims = (), keepdim: builtins.bool = False) -> Tensor:
        """The smallest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
        return _extrema(self, "amin", ndarray.min, dim, keepdim, "AminBackward0")

    @numpy_names
    def argmax(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the largest element, of all in order or along `dim`.

        >>> import minigrad as torch
        >>> x = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
        >>> x.argmax(), x.argmax(1)
        (tensor(1), tensor([1, 0]))
        """
        return reduce.argument("argmax", ndarray.argmax, self, dim, keepdim)

    @numpy_names
    def argmin(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the smallest element, of all in order or along `dim`."""
        return reduce.argument("argmin", ndarray.argmin, self, dim, keepdim)

    @numpy_names
    def all(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements, or all along `dim`, are true or not zero.

        >>> import minigrad as torch
        >>> torch.tensor([[True, False], [True, True]]).all(1)
        tensor([False,  True])
        """
        return reduce.logical(np.logical_and, self, normal_dims(dim, self.ndim), keepdim)

    @numpy_names
    def any(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element, or any along `dim`, is true or not zero.

        >>> import minigrad as torch
        >>> torch.tensor([[True, False], [False, False]]).any(1)
        tensor([ True, False])
        """
        return reduce.logical(np.logical_or, self, normal_dims(dim, self.ndim), keepdim)

    # ---- exponentials ------------------------------------------------------------------------------------------------

    @numpy_names
    def logsumexp(self, dim: Dims, keepdim: builtins.bool = False) -> Tensor:
        """`log(sum(exp(x)))` over the dimensions `dim`, whose exponentials do not overflow.

        >>> import minigrad as torch
        >>> torch.tensor([1000.0, 1000.0]).logsumexp(0)
        tensor(1000.6932)
        """
        if dim is None:
            raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType: () is for all dimensions")
        x = self if self._array.dtype.kind == "f" else elementwise.cast(self, dtypes.get_default_dtype())
        return softmax.LogSumExp(_summed_dims(dim, self.ndim), keepdim)(x)

    @numpy_names
    def softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 3.0]).softmax(0)
        tensor([0.0900, 0.2447, 0.6652])
        """
        return softmax.Softmax(_one_dim(dim, self._array.ndim))(_scores("softmax", self, dtype))

    @numpy_names
    def log_softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`x - log(sum(exp(x)))` along `dim`: the logarithm of `softmax`, also where that is too small for one.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 3.0]).log_softmax(0)
        tensor([-2.4076, -1.4076, -0.4076])
        """
        return softmax.LogSoftmax(_one_dim(dim, self._array.ndim))(_scores("log_softmax", self, dtype))

    # ---- running reductions ------------------------------------------------------------------------------------------

    @numpy_names
    def cumsum(self, dim: SupportsIndex, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """For each element the sum of those up to it along `dim`; of integers, in int64.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2, 3]).cumsum(0)
        tensor([1, 3, 6])
        """
        return scan.CumSum(normal_dim(dim, self.ndim))(_running_summands("cumsum", self, dtype))

    @numpy_names
    def cumprod(self, dim: SupportsIndex, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """For each element the product of those up to it along `dim`; of integers, in int64."""
        return scan.CumProd(normal_dim(dim, self.ndim))(_running_summands("cumprod", self, dtype))

    cumsum_ = in_place(cumsum)
    cumprod_ = in_place(cumprod)


def moment(name: str, x: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    """The variance or deviation of x, for the function `name`; a UserWarning if there are too few elements for it."""
    if isinstance(dim, bool) and unbiased is None:
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got both unbiased={unbiased} and "
            f"correction={correction}: unbiased=False is correction=0, and unbiased=True is correction=1"
        )
    given = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    if not isinstance(given, (int, float, np.number)):
        raise TypeError(f"{name}(): argument 'correction' must be Number, not {type(given).__name__}")
    if x._array.dtype.kind != "f":
        subject = name if name.endswith("mean") else "std and var"
        raise RuntimeError(f"{subject} only support floating point and complex dtypes: got {x.dtype!r}")
    dims = _summed_dims(dim, x.ndim)
    if count_over(x._array.shape, dims) <= given or not x._array.size:
        warn_program(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel)."
        )
    op = statistics.Var if name.startswith("var") else statistics.Std
    return op(dims, float(given), keepdim, _form(name))(x)


def moment_and_mean(name: str, x: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> tuple[Any, Any]:
    """The variance or deviation of x and its mean, for the function `name`."""
    first = moment(name, checked_tensor(name, x), dim, unbiased, keepdim, correction)
    dims = _summed_dims(None if isinstance(dim, bool) else dim, x.ndim)
    return first, reduce.Mean(dims, keepdim, _form(name))(x)


@functools.cache
def _form(name: str) -> str:
    """PyTorch's name for the node of the function `name`: VarMeanBackward0 for var_mean."""
    return name.title().replace("_", "") + "Backward0"


def selected(kind: Any, x: Any, dim: int, indices: Any, keepdim: bool, form: str) -> Any:
    """The elements of `x` at `indices`, of size 1 along `dim` or as many as are taken, and the indices."""
    kept = given = x._new(indices)
    if not keepdim and x._array.ndim:
        given = x._new(indices.squeeze(dim))
        # The gradient reads the memory that the caller is given: writes to it are counted.
        given._storage = storage_of(kept)
    return kind((TakeAlong(dim, keepdim, form)(x, kept), given))


def _summed_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions that a sum over `dim` is over: all for None and, unlike elsewhere, for no dimension named."""
    return normal_dims(dim, ndim) or tuple(range(ndim))


def _in_dtype(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype given to the function `name`, if one is."""
    wanted = as_dtype(name, dtype)
    return x if wanted is None else elementwise.cast(x, wanted)


def _summands(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype that its sums are made in: if none is given int64 for integers."""
    if dtype is None and x._array.dtype.kind == "f":
        return x
    dtype = as_dtype(name, dtype) or dtypes.int64
    if not dtype.is_floating_point and x._requires_grad and is_grad_enabled():
        raise RuntimeError(f"Autograd not support dtype: {dtype._tensor_name}: integers have no gradients")
    return elementwise.cast(x, dtype)


def _one_dim(dim: SupportsIndex, ndim: int) -> tuple[int, ...]:
    """The dimension `dim`, of which a 0-d tensor has none."""
    return (normal_dim(dim, ndim),)[:ndim]


def _running_summands(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype that its running sums or products are made in: not bool, unless there is nothing to combine."""
    if as_dtype(name, dtype) is dtypes.bool_ and x._array.ndim and x._array.size:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool': sum up as numbers, then .bool()")
    return _summands(name, x, dtype)


def _scores(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype to compute a softmax in."""
    return _floating(f"{name}_lastdim_kernel_impl", _in_dtype(name, x, dtype))


def _floating(name: str, x: Any) -> Any:
    """`x`, which must be of a floating-point dtype."""
    if x._array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{name}\" not implemented for '{x.dtype._tensor_name}': convert it first, x.float()"
        )
    return x


def _extremum(x: Any, name: str, find: Any, find_index: Any, dim: Any, keepdim: bool, other: Any) -> Any:
    """The extremum of all of `x`, or that along `dim` and its index, or that of `x` and another tensor."""
    if isinstance(dim, Tensor):
        dim, other = None, dim
    if other is not None:
        return x.maximum(other) if name == "max" else x.minimum(other)
    if dim is None:
        if x._array.size == 0:
            raise _no_dim_to_reduce(name)
        return reduce.Extremum(find, f"{name.capitalize()}Backward1")(x)
    array = x._array
    position = normal_dim(dim, array.ndim)
    if array.ndim:
        reduce.check_not_empty(name, array.shape, (position,))
    indices = reduce.index_of(find_index, array, position, True) if array.ndim else np.zeros((), np.int64)
    return selected(getattr(return_types, name), x, position, indices, keepdim, f"{name.capitalize()}Backward0")


def _extrema(x: Any, name: str, find: Any, dim: Dims, keepdim: bool, form: str) -> Any:
    """The extrema over `dim`, over all for ()."""
    dims = _summed_dims(dim, x.ndim)
    if dim == () and x._array.size == 0:
        raise _no_dim_to_reduce(name)
    reduce.check_not_empty(name, x._array.shape, dims)
    return reduce.Extrema(find, dims, keepdim, form)(x)


def _no_dim_to_reduce(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
        "'dim' argument."
    )


def _checked_for_norm(x: Any, dtype: Any) -> Any:
    """`x` in the dtype that its norm is to have; a RuntimeError if it has none."""
    if x._array.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{x.dtype._tensor_name}: x.float().norm()"
        )
    dtype = as_dtype("norm", dtype)
    if dtype is not None:
        if not dtype.is_floating_point:
            raise RuntimeError(
                f"linalg.vector_norm: dtype should be floating point or complex, but got {dtype._tensor_name}"
            )
        if dtypes.promote_types(x.dtype, dtype) is not dtype:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({x.dtype._tensor_name}) should be convertible without "
                f"narrowing to the specified dtype ({dtype._tensor_name})"
            )
    return x if dtype is None else elementwise.cast(x, dtype)
