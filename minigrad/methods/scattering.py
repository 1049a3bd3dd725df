"""Writing at places that indices and masks name."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, SupportsIndex, TypeAlias

import numpy as np

from minigrad.core.dtypes import Number
from minigrad.core.elementwise import cast
from minigrad.core.modes import is_grad_enabled
from minigrad.core.shapes import Reshape
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import OPERANDS, Operand, checked_tensor, in_place
from minigrad.methods.writing import Writing
from minigrad.ops import casting, gathering, subscript
from minigrad.ops.dims import normal_dim
from minigrad.ops.indexing import IndexInto, Slice

P = ParamSpec("P")
Method: TypeAlias = Callable[Concatenate[Any, P], Any]


def written(prepare: Method[P]) -> Method[P]:
    """The method `x.f(…)` for a `prepare(x, …)` that checks arguments and returns an op and its inputs beside `x`."""

    @functools.wraps(prepare)
    def call(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        op, *inputs = prepare(self, *args, **kwargs)
        return op(self, *inputs)

    method: Any = call
    return method


def written_in_place(method: Method[P]) -> Method[P]:
    """The method `x.f_(…)` of one that `written` made: where nothing is recorded, the op writes into `x` itself."""
    prepare = method.__wrapped__  # type: ignore[attr-defined]  # functools.wraps has made it

    @functools.wraps(in_place(method))
    def call(self: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        if self._requires_grad and is_grad_enabled():
            self._check_recordable()
        op, *inputs = prepare(self, *args, **kwargs)
        if is_grad_enabled() and any([x._requires_grad for x in (self, *inputs)]):
            return self._rewrite(lambda before: op(before, *inputs))
        arrays = [x._array for x in inputs]
        # What is read must not change while it is read.
        arrays = [array.copy() if np.may_share_memory(array, self._array) else array for array in arrays]
        return self._write(lambda array: quiet().run(op.write, array, *arrays), "")

    method_in_place: Any = call
    return method_in_place


class Scattering(Writing):
    """Writing at places that indices and masks name."""

    __slots__ = ()

    # ---- along a dimension -------------------------------------------------------------------------------------------

    @written
    def scatter(
        self, dim: SupportsIndex, index: Tensor, src: Operand | None = None, *, value: Number | None = None,
        reduce: str | None = None,
    ) -> Any:  # fmt: skip
        """A copy with `y[i, …, index[i, …, k], …, k] = src[i, …, k]` along `dim`: there, elements of `src` or a number.

        `index` has the dimensions of `src` and is no larger; both may be smaller than this tensor.  Which of several
        elements for one place stays is open.  With `reduce`, "add" or "multiply", all of them count.

        >>> import minigrad as torch
        >>> torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), 1.0)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
        """
        if reduce not in (None, "add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        number = value if src is None else src
        if number is None:
            raise TypeError('scatter() missing 1 required positional arguments: "src", a tensor, or "value", a number')
        places, source = self._scattered("scatter", dim, index, number)
        if reduce == "multiply":
            return gathering.ScatterProd(places._array), self._expanded(source, places)
        adds, of_tensor = reduce == "add", isinstance(number, Tensor)
        form = "ScatterAddBackward0" if adds else f"ScatterBackward{0 if of_tensor else 1}"
        return IndexInto(gathering.all_dims(self), adds, form), source, places

    scatter_ = written_in_place(scatter)

    @written
    def scatter_add(self, dim: SupportsIndex, index: Tensor, src: Tensor) -> Any:
        """A copy with `y[i, …, index[i, …, k], …, k] += src[i, …, k]` along `dim`, where all for one place count.

        The adjoint of `gather`.

        >>> import minigrad as torch
        >>> torch.zeros(3).scatter_add(0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 10.0, 100.0]))
        tensor([ 10.,   0., 101.])
        """
        places, source = self._scattered("scatter_add", dim, index, checked_tensor("scatter_add", src, "src", 3))
        return IndexInto(gathering.all_dims(self), True, "ScatterAddBackward0"), source, places

    scatter_add_ = written_in_place(scatter_add)

    def _scattered(self, name: str, dim: SupportsIndex, index: Any, src: Any) -> tuple[Any, Any]:
        """The places that `index` names along `dim`, and of `src`, a tensor or a number, what goes there."""
        checked_tensor(name, index, "index", 2)
        at = normal_dim(dim, self._array.ndim)
        if not isinstance(src, OPERANDS):
            raise TypeError(f"{name}(): argument 'src' must be Tensor or Number, not {type(src).__name__}")
        if not isinstance(src, Tensor):
            source = self._new(casting.filler(src, self.dtype))
            places = gathering.checked_along(name, self._array, at, index._array, index._array.shape)
            return self._new(places), source
        gathering.check_same_dtype(name, self._array, src._array)
        places = gathering.checked_along(name, self._array, at, index._array, src._array.shape)
        if places.shape == src._array.shape:
            return self._new(places), src
        if places.size and src._array.ndim:
            src = Slice(tuple([slice(size) for size in places.shape]))(src)
        elif not places.size:
            src = Slice((slice(0),))(Reshape((src._array.size,))(src))
        return self._new(places), Reshape(places.shape)(src)

    # ---- rows of a dimension -----------------------------------------------------------------------------------------

    @written
    def index_add(self, dim: SupportsIndex, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Any:
        """A copy with `y[…, index[j], …] += alpha * source[…, j, …]` along `dim`, where all for one place add up.

        >>> import minigrad as torch
        >>> torch.zeros(3).index_add(0, torch.tensor([2, 0, 2]), torch.tensor([1.0, 10.0, 100.0]))
        tensor([ 10.,   0., 101.])
        """
        dims, at, places = self._row_places("index_add_", dim, index)
        x, rows = self._array, checked_tensor("index_add", source, "source", 3)._array
        gathering.check_index_dtype("index_add_", places._array)
        if x.dtype != rows.dtype:
            raise RuntimeError(
                f"index_add_(): self ({self.dtype._tensor_name}) and source ({source.dtype._tensor_name}) must have "
                "the same scalar type"
            )
        wanted = (*x.shape[:at], places._array.size, *x.shape[at + 1 :]) if dims else ()
        if rows.shape != wanted:
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
                f"{list(x.shape)} source.shape = {list(rows.shape)} for {places._array.size} indices"
            )
        if rows.size:
            error = RuntimeError if x.ndim > 1 else IndexError
            subscript.check_range(places._array, x.shape[at] if dims else 1, at, error, False)
        scale = casting.filler(alpha, self.dtype)
        return (
            IndexInto(dims, True, "IndexAddBackward0"),
            source if scale == 1 else source * self._new(scale),
            places,
        )

    index_add_ = written_in_place(index_add)

    @written
    def index_fill(self, dim: SupportsIndex, index: Tensor, value: Any) -> Any:
        """A copy with `y[…, index[j], …] = value` along `dim`, for a number or a 0-d tensor.

        >>> import minigrad as torch
        >>> torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 7.0)
        tensor([7., 0., 7.])
        """
        dims, at, places = self._row_places("index_fill_", dim, index, RuntimeError)
        if places._array.dtype != np.int64:
            raise IndexError(f"index_fill_(): Expected dtype int64 for index, got {places.dtype!r}: index.long()")
        of_tensor = isinstance(value, Tensor)
        if of_tensor and value._array.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        filler: Any = cast(value, self.dtype) if of_tensor else self._new(casting.filler(value, self.dtype))
        size = self._array.shape[at] if dims else 1
        if not self._array.size:
            places = self._new(places._array[:0])
        else:
            subscript.check_range(places._array, size, at)
            # Each place once: the gradient of the value is the sum over the places.
            places = self._new(np.unique(places._array % size).reshape(places._array.shape and -1))
        return IndexInto(dims, False, f"IndexFillBackward{int(of_tensor)}"), filler, places

    index_fill_ = written_in_place(index_fill)

    def _row_places(
        self, name: str, dim: SupportsIndex, index: Any, error: type[Exception] = IndexError
    ) -> tuple[tuple[int, ...], int, Any]:
        """The dimensions that a vector of indices is for (none of a 0-d tensor), that dimension, and the vector."""
        checked_tensor(name, index, "index", 2)
        if index._array.ndim > 1:
            raise error(
                f"{name}(): Index is supposed to be a vector, but got dim: {index._array.ndim} with type: "
                f"{index.dtype._tensor_name} and size: {list(index._array.shape)}. Index has to be a vector/scalar"
            )
        at = normal_dim(dim, self._array.ndim)
        if self._array.ndim == 0:
            return (), at, self._new(index._array.reshape(()).copy()) if index._array.size == 1 else index
        return (at,), at, self._new(index._array.reshape(1).copy()) if index._array.ndim == 0 else index

    # ---- anywhere ----------------------------------------------------------------------------------------------------

    @written
    def index_put(
        self, indices: tuple[Tensor, ...] | list[Tensor], values: Tensor, accumulate: builtins.bool = False
    ) -> Any:
        """A copy with `y[indices] = values`; `y[indices] += values`, where all for one place add up, if `accumulate`.

        `indices` are integer tensors or masks for the leading dimensions.

        >>> import minigrad as torch
        >>> torch.zeros(3).index_put((torch.tensor([0, 2]),), torch.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
        """
        for position, index in enumerate(indices):
            if not isinstance(index, Tensor):
                raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(index).__name__}")
        checked_tensor("index_put", values, "values", 2)
        if not indices:
            raise RuntimeError("index_put(): expected at least one index tensor, got none")
        parts = subscript.parsed(tuple([self._not_0d(index) for index in indices]), self._array.shape)
        if None in parts.basic:
            raise IndexError("index_put(): a 0-d mask is not supported here: x[indices] = values takes one")
        source = values._array
        if not accumulate or source.dtype != self._array.dtype:
            fitted = subscript.fitting(source, self._array, parts)
            values = cast(values, self.dtype) if fitted.dtype != source.dtype else values
        dims, places = subscript.located(parts.found, self._array.shape)
        subscript.check_places(places, self._array.shape, dims)
        subscript.check_broadcasts(source.shape, self._array.shape, dims, places)
        given = places if isinstance(places, Tensor) else self._new(places)
        return IndexInto(dims, accumulate, "IndexPutBackward0"), values, given

    index_put_ = written_in_place(index_put)

    @staticmethod
    def _not_0d(index: Any) -> Any:
        """A 0-d integer tensor as a tensor of one, a copy that no write changes: as an int it would select a view."""
        return (
            index._new(index._array.reshape(1).copy())
            if index._array.ndim == 0 and index._array.dtype.kind == "i"
            else index
        )

    def _expanded(self, source: Any, places: Any) -> Any:
        """A number for each of the places."""
        return source if source._array.ndim else self._new(np.broadcast_to(source._array, places._array.shape))
