"""Order, and counting."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from minigrad import return_types
from minigrad.core.dtypes import Array, Number
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import checked_tensor, numpy_names
from minigrad.methods.reduction import selected
from minigrad.methods.writing import Writing
from minigrad.ops import counting, reduce, sorting
from minigrad.ops.dims import normal_dim


class Sorting(Writing):
    """Order, and counting."""

    __slots__ = ()

    # ---- order -------------------------------------------------------------------------------------------------------

    @numpy_names
    def sort(
        self, dim: SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool | None = None
    ) -> Any:
        """The elements in order along `dim`, and where each was: `(values, indices)`; nan is the largest.

        Equal elements keep their order, `stable` or not.

        >>> from minigrad import tensor
        >>> tensor([3, 1, 2]).sort(descending=True)
        torch.return_types.sort(
        values=tensor([3, 2, 1]),
        indices=tensor([0, 2, 1]))
        """
        position = normal_dim(dim, self.ndim)
        indices = sorting.order(self._array, position, descending)
        form = "SortBackward0" if stable is None else "SortBackward1"
        return selected(return_types.sort, self, position, indices, True, form)

    @numpy_names
    def argsort(
        self, dim: SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool = False
    ) -> Tensor:
        """The indices that put the elements in order along `dim`; equal elements keep theirs, `stable` or not.

        >>> import minigrad as torch
        >>> torch.tensor([3, 1, 2]).argsort()
        tensor([1, 2, 0])
        """
        return self._new(sorting.order(self._array, normal_dim(dim, self.ndim), descending))

    @numpy_names
    def topk(
        self,
        k: SupportsIndex,
        dim: SupportsIndex = -1,
        largest: builtins.bool = True,
        sorted: builtins.bool = True,
    ) -> Any:
        """The `k` largest or smallest elements along `dim` and their indices, in order: `(values, indices)`.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 5.0, 3.0]).topk(2)
        torch.return_types.topk(
        values=tensor([5., 3.]),
        indices=tensor([1, 2]))
        """
        position = normal_dim(dim, self.ndim)
        if not 0 <= index(k) <= _size(self, position):
            raise RuntimeError(f"selected index k out of range: {k} is not in [0, {_size(self, position)}]")
        if self._array.dtype == builtins.bool:
            raise RuntimeError("topk does not support bool dtypes on CPU: expected numbers, such as x.long()")
        indices = sorting.top(self._array, index(k), position, largest)
        return selected(return_types.topk, self, position, indices, True, "TopkBackward0")

    @numpy_names
    def median(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Any:
        """The median, of two the lower; with `dim`, those along it and their indices: `(values, indices)`.

        A nan is the median of all it is among.

        >>> from minigrad import tensor
        >>> tensor([4.0, 1.0, 3.0, 2.0]).median()
        tensor(2.)
        """
        if dim is not None:
            position = normal_dim(dim, self.ndim)
            _check_has_elements("median", self, position)
            _check_is_not_bool("median_cpu", self)
            indices = sorting.middle(self._array, position)
            return selected(return_types.median, self, position, indices, keepdim, "MedianBackward1")

        def value(array: Array) -> Any:
            elements = array.reshape(-1)
            # Of nothing it is nan, or what the processor makes of that.
            return elements[sorting.middle(elements, 0)[0]] if elements.size else np.array(np.nan).astype(array.dtype)

        _check_is_not_bool("median_cpu", self)
        return reduce.Extremum(value, "MedianBackward0")(self)

    @numpy_names
    def mode(self, dim: SupportsIndex = -1, keepdim: builtins.bool = False) -> Any:
        """The most frequent element along `dim`, of several the smallest, and its last index: `(values, indices)`."""
        position = normal_dim(dim, self.ndim)
        _check_has_elements("mode", self, position)
        indices = sorting.most_frequent(self._array, position)
        return selected(return_types.mode, self, position, indices, keepdim, "ModeBackward0")

    # ---- counting ----------------------------------------------------------------------------------------------------

    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False,
        dim: SupportsIndex | None = None,
    ) -> Any:
        """The distinct elements, in order; with `dim`, the distinct parts along it.

        If asked for, then also for each element the index of its like among them, and for each of them how often it
        occurs.  No nan is like another.

        >>> from minigrad import tensor
        >>> tensor([3, 1, 3]).unique(return_inverse=True, return_counts=True)
        (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
        """
        position = None if dim is None else normal_dim(dim, self.ndim)
        if position is not None:
            _check_has_parts(self._array.shape, position)
        found, inverse, counts = counting.distinct(self._array, position)
        form, step = ("Unique2", "_unique2") if dim is None else ("UniqueDim", "unique_dim")
        error = NotImplementedError(f"the derivative for '{step}' is not implemented.")
        results = [counting.Underived(found, f"{form}Backward0", error)(self)]
        if return_inverse:
            results.append(self._new(inverse))
        if return_counts:
            results.append(self._new(counts))
        return tuple(results) if len(results) > 1 else results[0]

    def bincount(self, weights: Tensor | None = None, minlength: SupportsIndex = 0) -> Tensor:
        """How often each number from 0 to the largest occurs among these integers, or with what sum of weights.

        The input is `(N,)`, the weights too; the result has at least `minlength` elements.

        >>> from minigrad import tensor
        >>> tensor([2, 0, 2]).bincount()
        tensor([1, 0, 2])
        """
        ids, least = self._array, index(minlength)
        if ids.dtype == builtins.bool or ids.dtype.kind == "f":
            raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{self.dtype._tensor_name}': x.long()")
        if least < 0:
            raise RuntimeError(f"minlength should be >= 0, got {least}")
        if ids.ndim != 1 or (ids.size and ids.min() < 0):
            raise RuntimeError(
                f"bincount only supports 1-d non-negative integral inputs: got shape {self.shape}"
                + (f" and a least element of {ids.min()}" if ids.size else "")
            )
        if weights is None or not ids.size:
            return self._new(np.bincount(ids, minlength=least))
        given = checked_tensor("bincount", weights, "weights", 2)._array
        if given.shape != ids.shape:
            raise RuntimeError(
                f"weights should be 1-d and have the same length as input, which is {len(ids)}: got shape "
                f"{weights.shape}"
            )
        totals = np.bincount(ids, given, least).astype(np.float32 if given.dtype == np.float32 else np.float64)
        return _underived("bincount", totals, self, weights)

    def histc(self, bins: SupportsIndex = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """How many elements lie in each of `bins` parts of the range from `min` to `max`, or of the elements' own."""
        x = self._array.reshape(-1)
        _check_is_floating("histogram_cpu", self)
        count = _bins("histc", bins)
        # Limits that are equal, as without any, are for those of the elements.
        low, high = (x.min(), x.max()) if min == max and x.size else quiet().run(np.array([min, max]).astype, x.dtype)
        _check_is_finite("histc", low, high)
        if low > high:
            raise RuntimeError(f"torch.histc: max must be larger than min, got min {low} and max {high}")
        if low == high:
            low, high = counting.around(low)
        if builtins.max(builtins.float(high) - builtins.float(low), 1) * count > builtins.float(np.finfo(x.dtype).max):
            raise RuntimeError(
                f"torch.histc: {count} bins times the range of [{low}, {high}] is more than {self.dtype} can hold: "
                "expected fewer bins, or a smaller range"
            )
        return self._new(counting.in_equal_bins(x, count, low, high).astype(x.dtype))

    def histogram(
        self,
        bins: SupportsIndex | Tensor = 100,
        *,
        range: Sequence[builtins.float] | None = None,
        weight: Tensor | None = None,
        density: builtins.bool = False,
    ) -> Any:
        """How many elements, or what weight of them, each bin holds, and the bins' edges: `(hist, bin_edges)`.

        `bins` are the edges, `(N + 1,)`, or how many bins equally divide the `range`, which is that of the elements if
        None.  The last edge belongs to the last bin.  With `density`, the bins' areas add up to 1.

        >>> from minigrad import tensor
        >>> tensor([1.0, 2.0, 1.5, 4.0]).histogram(2, range=(0.0, 4.0)).hist
        tensor([2., 2.])
        """
        _check_is_floating("histogramdd", self)
        if self._array.dtype == np.float16:
            raise NotImplementedError("\"histogramdd\" not implemented for 'Half': x.float()")
        x, weights = self._array.reshape(-1), _weights(self, weight)
        if isinstance(bins, Tensor):
            if range is not None:
                raise TypeError("histogram() received an invalid combination of arguments - got both edges and a range")
            edges = _edges(self, bins)
        else:
            edges = quiet().run(counting.equally_spaced, *_range(x, range), _bins("histogram", bins) + 1)
        hist = counting.in_bins(x, edges, weights).astype(x.dtype)
        if density:
            hist = quiet().run(lambda: hist / hist.sum() / np.diff(edges))
        return return_types.histogram([_underived("histogram", each, self, weight) for each in (hist, edges)])


def _size(x: Any, dim: int) -> int:
    """The size of `x` along `dim`; of a 0-d tensor 1."""
    size: int = x._array.shape[dim] if x._array.ndim else 1
    return size


def _check_is_not_bool(name: str, x: Any) -> None:
    if x._array.dtype == bool:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool': expected numbers, such as x.long()")


def _check_is_floating(name: str, x: Any) -> None:
    if x._array.dtype.kind != "f":
        raise NotImplementedError(f"\"{name}\" not implemented for '{x.dtype._tensor_name}': x.float()")


def _check_has_elements(name: str, x: Any, dim: int) -> None:
    if x._array.ndim:
        reduce.check_not_empty(name, x._array.shape, (dim,))


def _check_has_parts(shape: tuple[int, ...], dim: int) -> None:
    """Nothing if there are parts along `dim` to tell apart; else PyTorch's error."""
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if shape.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied")
    if shape[dim] and 0 in shape:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


def _underived(name: str, result: Array, x: Any, weight: Any) -> Any:
    """`result`, computed from `x` and perhaps a weight by the function `name`, as a tensor."""
    error = RuntimeError(f"derivative for aten::{name} is not implemented")
    return counting.Underived(result, "torch::autograd::NotImplemented", error)(
        x, *([] if weight is None else [weight])
    )


def _bins(name: str, bins: Any) -> int:
    """`bins` as a number of bins."""
    if not isinstance(bins, SupportsIndex):
        raise TypeError(f"{name}(): argument 'bins' (position 2) must be int, not {type(bins).__name__}")
    if index(bins) <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    return index(bins)


def _check_is_finite(name: str, low: Any, high: Any) -> None:
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.{name}: range of [{low}, {high}] is not finite")


def _range(x: Array, given: Any) -> tuple[Any, Any]:
    """The least and the largest edge of a histogram, of x's dtype."""
    if given is not None:
        low, high = [x.dtype.type(edge) for edge in given]
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension 0"
            )
    elif x.size:
        low, high = x.min(), x.max()
    else:
        low, high = x.dtype.type(0), x.dtype.type(1)
    _check_is_finite("histogramdd: dimension 0's", low, high)
    half = x.dtype.type(0.5)
    return (low - half, high + half) if low == high else (low, high)


def _edges(x: Any, bins: Any) -> Array:
    """The edges of a histogram of `x`, checked."""
    edges: Array = bins._array
    if edges.ndim != 1 or edges.size < 2 or bins.dtype is not x.dtype:
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have one dimension, 2 elements or more and the dtype of the input, "
            f"{x.dtype!r}, but got shape {list(edges.shape)} and {bins.dtype!r}"
        )
    return edges.copy()


def _weights(x: Any, weight: Any) -> Array | None:
    """The weights of a histogram of `x` in order, checked."""
    if weight is None:
        return None
    array: Array = checked_tensor("histogram", weight, "weight", 4)._array
    if array.shape != x._array.shape or weight.dtype is not x.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the shape and the dtype of the input, "
            f"{list(x.shape)} and {x.dtype!r}, but got {list(weight.shape)} and {weight.dtype!r}"
        )
    return array.reshape(-1)
