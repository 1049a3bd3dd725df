"""Order and counting: sorting, medians, distinct elements, and numbers of elements in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from minigrad import return_types
from minigrad.core.arrays import laid_out, widened
from minigrad.core.dtypes import FLOATS, HALVES, Array, Number, float16, result_type
from minigrad.core.tape import Node, quiet
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number, op
from minigrad.ops.arguments import as_int, check_floating, check_numbers, normal_dim, own_dim
from minigrad.ops.indexing import places_along
from minigrad.ops.reductions import Extremum, along, check_not_empty, selected
from minigrad.tensors.creation import linspace

# ---- order -----------------------------------------------------------------------------------------------------------


@op()
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> return_types.sort:
    """The elements in order along `dim`, and where each was: `(values, indices)`; nan is the largest.

    Equal elements keep their order, `stable` or not.

    >>> from minigrad import tensor
    >>> tensor([3, 1, 2]).sort(descending=True)
    torch.return_types.sort(
    values=tensor([3, 2, 1]),
    indices=tensor([0, 2, 1]))
    """
    position = normal_dim(dim, input.ndim)
    form = "SortBackward0" if stable is None else "SortBackward1"
    return selected(return_types.sort, input, position, True, form, order, descending)


@op()
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along `dim`; equal elements keep theirs, `stable` or not.

    >>> import minigrad as torch
    >>> torch.tensor([3, 1, 2]).argsort()
    tensor([1, 2, 0])
    """
    return input._new(along(order, input._array, normal_dim(dim, input.ndim), descending))


def order(x: Array, dim: int, descending: bool = False) -> Array:
    """The indices that sort `x` along `dim`, in memory as x is; equal elements keep their order, and nan is largest."""
    wide = widened(x)
    if not descending:
        return laid_out(wide.argsort(dim, "stable"), x)
    # Sorted from the end, and then reversed: so equal elements keep their order.
    reverse = (*(slice(None),) * (dim % x.ndim), slice(None, None, -1))
    return laid_out(x.shape[dim] - 1 - wide[reverse].argsort(dim, "stable")[reverse], x)


@op()
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> return_types.topk:
    """The `k` largest or smallest elements along `dim` and their indices, in order: `(values, indices)`.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 5.0, 3.0]).topk(2)
    torch.return_types.topk(
    values=tensor([5., 3.]),
    indices=tensor([1, 2]))
    """
    position, count = normal_dim(dim, input.ndim), as_int(k)
    size = input._array.shape[position] if input._array.ndim else 1
    if not 0 <= count <= size:
        raise RuntimeError(f"selected index k out of range: {k} is not in [0, {size}]")
    if input._array.dtype == bool:
        raise RuntimeError("topk does not support bool dtypes on CPU: expected numbers, such as x.long()")
    return selected(return_types.topk, input, position, True, "TopkBackward0", top, count, largest)


# Fewer elements than this are sorted, which takes less time than to find the first of them.
_FEW = 2**10


def top(x: Array, dim: int, k: int, largest: bool) -> Array:
    """The indices of the `k` largest or smallest elements of `x` along `dim`, in order."""
    size = x.shape[dim]
    if not 0 < k < size or x.size < _FEW:
        return np.asarray(order(x, dim, largest)[(*(slice(None),) * dim, slice(k))], order="C")
    parted = np.argpartition(widened(x), size - k if largest else k - 1, axis=dim)
    # First by index, so that equal elements are in order.
    chosen = np.sort(parted.take(range(size - k, size) if largest else range(k), dim), axis=dim)
    among = order(np.take_along_axis(x, chosen, dim), dim, largest)
    return np.asarray(np.take_along_axis(chosen, among, dim), order="C")


@op()
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, of two the lower; with `dim`, those along it and their indices: `(values, indices)`.

    A nan is the median of all it is among.

    >>> from minigrad import tensor
    >>> tensor([4.0, 1.0, 3.0, 2.0]).median()
    tensor(2.)
    """
    if dim is None and keepdim:
        raise TypeError('median() missing 1 required positional arguments: "dim", whose dimension keepdim keeps')
    check_numbers("median_cpu", input._array.dtype)
    if dim is None:
        return Extremum(middle_element, "MedianBackward0").of(input)
    position = normal_dim(dim, input.ndim)
    check_not_empty("median", input._array, position)
    return selected(return_types.median, input, position, keepdim, "MedianBackward1", middle)


def middle(x: Array, dim: int) -> Array:
    """The index of the median along `dim`, the lower of two, or of the first nan; the dimension stays."""
    half = (x.shape[dim] - 1) // 2
    found = x.argpartition(half, dim)[(*(slice(None),) * dim, slice(half, half + 1))]
    # Of nans, the first is where NumPy finds the largest element.
    if x.size and x.dtype in FLOATS and math.isnan(x.item(x.argmax())):
        nan = np.isnan(x)
        found = np.where(nan.any(axis=dim, keepdims=True), nan.argmax(axis=dim, keepdims=True), found)
    return np.asarray(found, order="C")


def middle_element(x: Array) -> Array:
    """The median of all elements; of none it is nan, or what the processor makes of that."""
    if not x.size or math.isnan(x.item(x.argmax())):
        return np.array(np.nan).astype(x.dtype)
    half = (x.size - 1) // 2
    return np.asarray(np.partition(x, half, axis=None)[half])


@op()
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> return_types.mode:
    """The most frequent element along `dim`, of several the smallest, and its last index: `(values, indices)`."""
    position = normal_dim(dim, input.ndim)
    check_not_empty("mode", input._array, position)
    return selected(return_types.mode, input, position, keepdim, "ModeBackward0", most_frequent)


def most_frequent(x: Array, dim: int) -> Array:
    """The last index of the most frequent element along `dim`, of several the smallest; the dimension stays."""
    indices = order(x, dim).swapaxes(dim, -1)
    ordered = x.swapaxes(dim, -1).take(places_along(indices, x.ndim - 1, indices.shape))
    places = np.arange(x.shape[dim])
    starts = np.ones(ordered.shape, bool)
    # (All nans are at the end, and count as one run.)
    starts[..., 1:] = (ordered[..., 1:] != ordered[..., :-1]) & (ordered[..., :-1] == ordered[..., :-1])
    # The distance of each element from the start of its run; the largest is at the end of the longest run.
    depth = places - np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    found = indices.take(places_along(depth.argmax(axis=-1, keepdims=True), x.ndim - 1, indices.shape))
    return np.asarray(found.swapaxes(dim, -1), order="C")


@op("torch")
def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """For each value the index of the bucket it falls into: boundary i - 1 < value <= boundary i.

    With `right`, boundary i - 1 <= value < boundary i.  `boundaries` is `(N,)` and ascending.

    >>> from minigrad import bucketize, tensor
    >>> bucketize(tensor([0.5, 1.0, 2.5]), tensor([1.0, 2.0]))
    tensor([0, 0, 2])
    """
    edges, values = boundaries._array, input._array if isinstance(input, Tensor) else np.asarray(input)
    if edges.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({edges.ndim})")
    # A number is rounded as the boundaries are.
    common = result_type(edges, values if isinstance(input, Tensor) else input)._numpy
    side: Literal["left", "right"] = "right" if right else "left"
    places = edges.astype(common, copy=False).searchsorted(values.astype(common, copy=False), side)
    return boundaries._new(np.asarray(places, np.int32 if out_int32 else np.int64))


# ---- distinct elements -----------------------------------------------------------------------------------------------


@op()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, in order; with `dim`, the distinct parts along it.

    If asked for, then also for each element the index of its like among them, and for each of them how often it
    occurs.  No nan is like another.

    >>> from minigrad import tensor
    >>> tensor([3, 1, 3]).unique(return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    form, step, position = "Unique2", "_unique2", None
    if dim is not None:
        form, step, position = "UniqueDim", "unique_dim", own_dim(dim, input.ndim)
        shape = input._array.shape
        if shape.count(0) > (shape[position] == 0):
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    found, *more = np.unique(widened(input._array), False, return_inverse, True, position, equal_nan=False)  # type: ignore[call-overload]  # NumPy takes any bool
    results = [underived(step, found.astype(input._array.dtype, copy=False), input, form=f"{form}Backward0")]
    results += [input._new(each.reshape(input._array.shape if dim is None else -1)) for each in more[:-1]]
    results += [input._new(more[-1])] * return_counts
    return tuple(results) if len(results) > 1 else results[0]


class Underived(Node):
    """The array `result`, computed from the inputs in a way that has no derivative here or in PyTorch."""

    result: Array
    form: str
    function: str

    def forward(self, *inputs: Array) -> Array:
        return self.result

    def backward(self, g: Any) -> Any:
        raise NotImplementedError(f"derivative for aten::{self.function} is not implemented")


@op("torch")
def isin(elements: Tensor, test_elements: Tensor | Number, *, invert: bool = False) -> Tensor:
    """Whether each of `elements`, `(*)`, is among `test_elements`, a tensor or a number; with `invert`, is not.

    >>> from minigrad import isin, tensor
    >>> isin(tensor([[1, 2], [3, 4]]), tensor([2, 4, 9]))
    tensor([[False,  True],
            [False,  True]])
    """
    x, tested = elements._array, test_elements
    # A number is rounded as the elements are.
    kept = x.dtype if x.dtype in FLOATS else None
    among = tested._array if isinstance(tested, Tensor) else np.asarray(as_number(tested), kept)
    few = x.size * among.size <= _FEW
    found = (x.reshape(-1, 1) == among.reshape(-1)).any(1).reshape(x.shape) if few else np.isin(x, among)
    return elements._new(~found if invert else found)


# ---- how many in each bin --------------------------------------------------------------------------------------------


@op()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 to the largest occurs among these integers, or with what sum of weights.

    The input is `(N,)`, the weights too; the result has at least `minlength` elements.

    >>> from minigrad import tensor
    >>> tensor([2, 0, 2]).bincount()
    tensor([1, 0, 2])
    """
    ids, given = input._array, None if weights is None else weights._array
    if ids.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{input.dtype._tensor_name}': x.long()")
    fits = given is None or given.shape == ids.shape
    if ids.ndim != 1 or minlength < 0 or (ids.size and ids.min() < 0) or not fits:
        problem = "bincount only supports 1-d non-negative integral inputs, weights for each of them, minlength >= 0"
        raise RuntimeError(f"{problem}: got shape {list(ids.shape)}, weights {weights}, {minlength=}")
    counts = np.bincount(ids, given if ids.size else None, minlength)
    if given is None or not ids.size:
        return input._new(counts)
    totals = counts.astype(np.float32 if given.dtype == np.float32 else np.float64)
    return underived("bincount", totals, input, weights)


def underived(function: str, result: Array, *inputs: Any, form: str = "torch::autograd::NotImplemented") -> Tensor:
    """`result`, computed from the inputs by that function, as a tensor."""
    return Underived(result, form, function).of(*inputs)


@op()
def histc(input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """How many elements lie in each of `bins` parts of the range from `min` to `max`, or of the elements' own."""
    x, low, high = _with_range("histogram_cpu", input, bins, None if min == max else (min, max), 1)
    inside = x[(x >= low) & (x <= high)]
    places = ((inside - low) * x.dtype.type(bins) / (high - low)).astype(np.int64)
    return input._new(np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(x.dtype))


@op()
def histogram(
    input: Tensor, bins: int = 100, *, range: Sequence[float] | None = None, density: bool = False
) -> return_types.histogram:
    """How many elements each of `bins` equal parts of the `range` holds, and their edges: `(hist, bin_edges)`.

    The range is that of the elements if None.  The last edge belongs to the last bin.  With `density`, the bins' areas
    add up to 1.

    >>> from minigrad import tensor
    >>> tensor([1.0, 2.0, 1.5, 4.0]).histogram(2, range=(0.0, 4.0)).hist
    tensor([2., 2.])
    """
    if input.dtype is float16 or (range is None and input._array.dtype in HALVES):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{input.dtype._tensor_name}': x.float()")
    x, low, high = _with_range("histogramdd", input, bins, range, 0.5)
    edges = linspace(float(low), float(high), bins + 1, dtype=input.dtype)._array
    hist = quiet().run(lambda: np.histogram(x, edges, density=density)[0]).astype(x.dtype)
    return return_types.histogram(*[underived("histogram", each, input) for each in (hist, edges)])


def _with_range(kernel: str, x: Tensor, bins: int, limits: Any, margin: float) -> tuple[Array, Any, Any]:
    """The elements, and the limits of the range that `bins` divide: theirs, if None, and one of some width."""
    check_floating(kernel, x)
    array = x._array.reshape(-1)
    limits = limits or ((array.take(array.argmin()), array.take(array.argmax())) if array.size else (0, 1))
    low, high = [quiet().run(np.asarray, each + 0.0, array.dtype) for each in limits]
    if as_int(bins) <= 0 or not (np.isfinite(quiet().run(np.subtract, high, low)) and low <= high):
        problem = f"bins must be > 0, and the range finite, its max not below its min: got {bins}, [{low}, {high}]"
        raise RuntimeError(f"torch.histogram(): {problem}")
    half = array.dtype.type(margin)
    return (array, low - half, high + half) if low == high else (array, low, high)
