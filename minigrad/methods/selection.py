"""Reading at places that indices and masks name, and `x[index] = value`."""

from __future__ import annotations

import builtins
from typing import Any, SupportsIndex

import numpy as np

from minigrad.core.elementwise import cast
from minigrad.core.modes import is_grad_enabled
from minigrad.core.shapes import Expand, Reshape
from minigrad.core.tape import quiet
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import OPERANDS, checked_tensor, numpy_names
from minigrad.methods.writing import Writing
from minigrad.ops import casting, gathering, indexing, subscript
from minigrad.ops.dims import normal_dim
from minigrad.ops.strided import Copy


class Selection(Writing):
    """Reading at places that indices and masks name, and `x[index] = value`."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Tensor:
        return subscript.getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, OPERANDS) or (isinstance(value, np.floating) and not isinstance(value, float)):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a torch.{self.dtype._tensor_name}Tensor: torch.tensor(value)"
            )
        if index is False:
            return
        if index is True:
            index = None
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"Overflow when unpacking long long: {value} is not in [-2**63, 2**63): float({value})")
        given: Any = value if isinstance(value, Tensor) else self._new(casting.written(value, self.dtype))
        if is_grad_enabled() and (self._requires_grad or given._requires_grad):
            self._set_recorded(index, given)
        else:
            self._write(lambda array: quiet().run(subscript.setitem, array, index, given._array), "")

    def _set_recorded(self, index: Any, value: Any) -> None:
        """`x[index] = value` as a write to the view that the basic part of the index selects."""
        parts = subscript.parsed(index, self._array.shape)
        view: Any = indexing.Slice(parts.basic)(self) if parts.selects else self
        view._check_recordable(recorded=True, source=self)
        subscript.check_found(parts.found, view._array.shape)
        source = subscript.fitting(value._array, self._array, parts)
        is_number = value._array.ndim == 0
        if source.shape != value._array.shape:
            value = Reshape(source.shape)(value)
        if not parts.found:
            op = Copy("FillBackward3") if is_number and view._array.ndim else Copy()
            view._rewrite(lambda before: op(before, cast(value, self.dtype)))
            return
        dims, places = subscript.located(parts.found, view._array.shape)
        subscript.check_broadcasts(source.shape, view._array.shape, dims, places)
        subscript.check_places(places, view._array.shape, dims)
        given = places if isinstance(places, Tensor) else self._new(places)
        view._rewrite(lambda before: indexing.IndexInto(dims)(before, cast(value, self.dtype), given))

    def index_select(self, dim: SupportsIndex, index: Tensor) -> Tensor:
        """A copy of the positions `index`, a vector, of dimension `dim`: `y[…, j, …] = x[…, index[j], …]`.

        >>> import minigrad as torch
        >>> torch.tensor([[1, 2], [3, 4], [5, 6]]).index_select(0, torch.tensor([2, 0]))
        tensor([[5, 6],
                [1, 2]])
        """
        x, ids = self._array, checked_tensor("index_select", index, "index", 2)._array
        at = normal_dim(dim, self.ndim)
        if ids.ndim > 1:
            raise IndexError(f"index_select(): Index is supposed to be a vector, but has shape {list(ids.shape)}")
        if x.ndim == 0 and ids.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {ids.size} value(s)")
        if ids.dtype not in subscript.INDEX_DTYPES:
            raise RuntimeError(
                f"index_select(): Expected dtype int32 or int64 for index, got {index.dtype!r}: index.long()"
            )
        size = x.shape[at] if x.ndim else 1
        error: type[Exception] = RuntimeError
        words = "INDICES element is out of DATA bounds, "
        if not size:
            words = "index_select(): self indexing axis dim should be positive: "
        elif not at and x.size:
            error, words = IndexError, "index out of range in self: "
        subscript.check_range(ids, size, at, error, False, words)
        if x.ndim == 0 or ids.ndim == 0:
            index = index.reshape(x.shape and 1)
        return indexing.Index((at,) if x.ndim else (), "IndexSelect")(self, index)

    def gather(self, dim: SupportsIndex, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """`y[i, …, j, …, k] = x[i, …, index[i, …, j, …, k], …, k]` along `dim`.

        `index` has this tensor's dimensions, none but `dim` larger; the result has its shape.

        >>> import minigrad as torch
        >>> torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[1], [0]]))
        tensor([[2],
                [3]])
        """
        at, ids = normal_dim(dim, self.ndim), checked_tensor("gather", index, "index", 2)._array
        places = gathering.checked_along("gather", self._array, at, ids)
        return indexing.Index(gathering.all_dims(self), "Gather")(self, self._new(places))

    @numpy_names
    def take_along_dim(self, indices: Tensor, dim: SupportsIndex | None = None) -> Tensor:
        """As `gather`, of shapes that broadcast apart from `dim`; over all elements in order without `dim`.

        >>> import minigrad as torch
        >>> x = torch.tensor([[3, 1, 2], [9, 8, 7]])
        >>> x.take_along_dim(x.argmax(1, keepdim=True), 1)
        tensor([[3],
                [9]])
        """
        ids = checked_tensor("take_along_dim", indices, "indices", 1)._array
        if ids.dtype != np.int64:
            raise RuntimeError(
                f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype._tensor_name}"
            )
        if dim is None:
            subscript.check_range(ids, self._array.size, 0, RuntimeError, False)
            return indexing.Index(gathering.all_dims(self), "Gather")(self, indices.reshape(-1))
        at = normal_dim(dim, self.ndim)
        if ids.ndim != self.ndim:
            raise RuntimeError(
                "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
                f"{self.ndim} dimensions for input, and {ids.ndim} dimensions for indices"
            )
        own = self._array.shape
        size = own[at] if own else 1
        shape = gathering.broadcast_shape((*own[:at], 1, *own[at + 1 :])[: len(own)], ids.shape)
        wide = (*shape[:at], size, *shape[at + 1 :])[: len(own)]
        x = self if wide == own else Expand(wide)(self)
        ids = np.broadcast_to(ids, shape)
        if ids.size and not (ids.min() >= 0 and ids.max() < size):
            ids = ids % size
        places = gathering.places_along(ids, at, wide)
        return indexing.Index(gathering.all_dims(self), "Gather")(x, self._new(places))

    def take(self, index: Tensor) -> Tensor:
        """The elements that `index` names, counted over all in order, negative ones from the end; in its shape."""
        ids = checked_tensor("take", index, "index", 1)._array
        if ids.dtype != np.int64:
            raise RuntimeError(
                f"take(): Expected a long tensor for index, but got {index.dtype._tensor_name}: index.long()"
            )
        places = gathering.flat_places(self._array, ids, "take(): tried to take from an empty tensor")
        return indexing.Index(gathering.all_dims(self), "Take")(self, self._new(places))

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where `mask` holds, in order, as a 1-d tensor; the two shapes broadcast.

        >>> import minigrad as torch
        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> x.masked_select(x > 2)
        tensor([3, 4])
        """
        holds = checked_tensor("masked_select", mask, "mask", 1)._array
        if holds.dtype != bool:
            raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {mask.dtype!r}: mask.bool()")
        shape = self._array.shape
        if holds.shape != shape:
            shape = gathering.broadcast_shape(shape, holds.shape)
            holds = np.broadcast_to(holds, shape)
        x = self if shape == self._array.shape else Expand(shape)(self)
        return indexing.Index(gathering.all_dims(x), "MaskedSelect")(x, self._new(np.flatnonzero(holds)))

    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """The positions of the elements that are not zero, in order: `(n, ndim)`, or a vector per dimension.

        >>> import minigrad as torch
        >>> torch.tensor([[0, 5], [6, 0]]).nonzero()
        tensor([[0, 1],
                [1, 0]])
        """
        holds = self._array if self._array.dtype == bool else self._array != 0
        positions = gathering.positions(holds)
        if as_tuple:
            # A 0-d tensor is taken for one of one element.
            return tuple([self._new(position) for position in positions or [np.arange(holds.sum())]])
        return self._new(np.array(positions, np.int64).reshape(holds.ndim, holds.sum()).T)

    def argwhere(self) -> Tensor:
        """The positions of the elements that are not zero, in order: `(n, ndim)`."""
        return self.nonzero()
