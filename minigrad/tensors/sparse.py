"""Sparse tensors: some entries, each with its place; all other elements are zero, and take no memory.

Of a tensor of shape `(*S, *D)` the entries are `values`, `(nnz, *D)`, and their places `indices`, `(len(S), nnz)`:
`values[n]`, a number or a whole row, stands at `indices[:, n]`.  Entries at one place add up; in a coalesced tensor
each place has one entry, and they are in order.  The gradient of an embedding, asked for with `sparse=True`, is one:
its places are the ids, its entries the gradients of what was looked up.

Two rules keep this safe and small.  A sparse tensor has no array, so every operation that is not defined here raises an
error.  And its history is that of its values: what is computed from the tensor is recorded and differentiated as
computed from these.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from minigrad.core import dtypes, ops
from minigrad.core.dtypes import Array
from minigrad.core.embedding import Lookup, ScatterAdd, add_rows_at, sum_by_id
from minigrad.core.modes import is_grad_enabled
from minigrad.core.ops import Reshape, in_shape
from minigrad.core.tape import Unary, quiet
from minigrad.core.tensor import Operand, Tensor, storage_of
from minigrad.declare import OPERANDS
from minigrad.ops import arguments, mathematics, shapes
from minigrad.tensors import creation, devices, printing


def _of_values(name: str) -> Callable[..., Any]:
    """The method `name`, applied to each entry, though several may be at one place."""

    def method(self: SparseTensor, *args: object, **kwargs: object) -> Any:
        entries = getattr(self._entries, name)(*args, **kwargs)
        return self if entries is self._entries else self._with(entries)

    method.__name__ = name
    return method


def _of_shape(name: str) -> Any:
    """The attribute or method `name` of a dense tensor of this shape and dtype."""
    return property(lambda self: getattr(self._zeros, name), doc=getattr(Tensor, name).__doc__)


def _operator(name: str) -> Callable[..., Any]:
    """The method `name` as an operator, which returns NotImplemented for what is neither a tensor nor a number."""

    def method(self: SparseTensor, other: object) -> Any:
        return getattr(self, name)(other) if isinstance(other, OPERANDS) else NotImplemented

    return method


def _in_place(name: str) -> Callable[..., Any]:
    """The method `name` in place: the tensor becomes what that returns."""

    def method(self: SparseTensor, other: object, **options: object) -> Any:
        return self._become(getattr(self, name)(other, **options))

    method.__qualname__ = f"{name}_"
    return method


class SparseTensor(Tensor):
    """A tensor of which only some entries are in memory, all others being zero.

    >>> import minigrad as torch
    >>> table = torch.nn.Embedding(5, 2, sparse=True)
    >>> table(torch.tensor([3, 1, 3])).backward(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> table.weight.grad.coalesce()
    tensor(indices=tensor([[1, 3]]),
           values=tensor([[3., 4.],
                          [6., 8.]]),
           size=(5, 2), nnz=2, layout=torch.sparse_coo)
    """

    __slots__ = ("_coalesced", "_entries", "_places", "_size")

    is_sparse = True

    _entries: Tensor
    _places: Array
    _size: tuple[int, ...]
    _coalesced: builtins.bool

    # ---- what the operations of dense tensors find -------------------------------------------------------------------

    @property
    def _array(self) -> NoReturn:
        self._refuse()

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        words = "Could not run this operation with arguments from the 'SparseCPU' backend: a sparse tensor has no array"
        remedy = "Use to_dense(), if all of them fit into memory, or compute with coalesce().values()."
        raise NotImplementedError(f"{words} of its elements. {remedy}")

    def numpy(self, *, force: builtins.bool = False) -> NoReturn:
        """A TypeError: NumPy's arrays are dense."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    # The gradient of this tensor, which these are about, would be a dense one.
    backward = retain_grad = register_hook = register_post_accumulate_grad_hook = _refuse
    # These make dense tensors, and would have to make sparse ones.
    new_zeros = new_ones = new_full = new_empty = _refuse

    @property
    def _node(self) -> Any:
        return self._entries._node

    @property
    def _requires_grad(self) -> builtins.bool:
        required: builtins.bool = self._entries._requires_grad
        return required

    @_requires_grad.setter
    def _requires_grad(self, value: builtins.bool) -> None:
        if value and not self._entries._requires_grad:
            raise NotImplementedError("a sparse tensor cannot be a leaf that requires a gradient: give values that do")

    def _with(self, entries: Tensor) -> SparseTensor:
        """These entries at the same places."""
        return sparse_of(self._places, entries, self._size, self._coalesced)

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def _zeros(self) -> Tensor:
        """A dense tensor of this shape and dtype that takes no memory: shape, size and the like are asked of it."""
        # (In a fifth of the time of np.broadcast_to.)
        values, still = self._entries._array, (0,) * len(self._size)
        return self._entries._new(np.ndarray(self._size, values.dtype, bytes(8), 0, still))

    shape, size, ndim, dim, ndimension = map(_of_shape, ("shape", "size", "ndim", "dim", "ndimension"))
    __len__, numel, nelement = map(_of_shape, ("__len__", "numel", "nelement"))
    dtype, is_floating_point = map(_of_shape, ("dtype", "is_floating_point"))

    #: How the elements lie in memory: entries and their coordinates.
    layout = devices.sparse_coo

    def sparse_dim(self) -> builtins.int:
        """How many dimensions the indices count in: the first ones."""
        return len(self._places)

    def dense_dim(self) -> builtins.int:
        """How many dimensions an entry has: the last ones."""
        return self.ndim - self.sparse_dim()

    def _nnz(self) -> builtins.int:
        """How many entries there are, repeats included."""
        return self._places.shape[1]

    def is_coalesced(self) -> builtins.bool:
        """Whether each place is known to have one entry, and these to be in order."""
        return self._coalesced

    def indices(self) -> Tensor:
        """The places, `(sparse_dim, nnz)`, of a coalesced tensor: an int64 tensor on its memory."""
        self._check_coalesced("indices")
        return self._indices()

    def values(self) -> Tensor:
        """The entries, `(nnz, *)`, of a coalesced tensor: a tensor on its memory, and recorded."""
        self._check_coalesced("values")
        return Reshape(self._entries._array.shape, "ValuesBackward0").of(self._entries)

    def _indices(self) -> Tensor:
        """The places, `(sparse_dim, nnz)`, also if they repeat."""
        return self._entries._new(self._places)

    def _values(self) -> Tensor:
        """The entries, `(nnz, *)`, also if their places repeat: without history."""
        return self._entries.detach()

    def _check_coalesced(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def __repr__(self) -> str:
        return printing.sparse_text(self._places, self._entries._array, self._size, printing.history(self))

    # ---- other forms of it -------------------------------------------------------------------------------------------

    def coalesce(self) -> SparseTensor:
        """The same tensor with one entry for each place, in order: the sum, made in at least float32, of those there.

        >>> import minigrad as torch
        >>> torch.sparse_coo_tensor([[2, 0, 2]], [1.0, 2.0, 3.0], (4,)).coalesce()
        tensor(indices=tensor([[0, 2]]),
               values=tensor([2., 4.]),
               size=(4,), nnz=2, layout=torch.sparse_coo)
        """
        if self._coalesced:
            return self
        op = Coalesce(self._ids())
        sums = op.of(self._rows())
        sizes = self._size[: self.sparse_dim()]
        places = op.names[None] if len(sizes) == 1 else places_of(op.names, sizes)
        entries = in_shape(sums, (len(op.names), *self._size[len(sizes) :]))
        return sparse_of(places, entries, self._size, True)

    def to_dense(self, dtype: dtypes.dtype | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """A dense tensor of the same elements."""
        table = ToDense(self._table_shape()[0]).of(self._rows(), self._entries._new(self._ids()))
        return Unary.of(Reshape(self._size, "ToDenseBackward0"), table).to_dense(dtype)

    def to_sparse(self, sparse_dim: SupportsIndex | None = None) -> SparseTensor:
        """This tensor, which is sparse."""
        return self if sparse_dim in (None, self.sparse_dim()) else self._refuse()

    def clone(self, *, memory_format: object = None) -> SparseTensor:
        """A copy, recorded."""
        return sparse_of(self._places.copy(), self._entries.clone(), self._size, self._coalesced)

    detach, to = map(_of_values, ("detach", "to"))
    data = property(_of_values("detach"))
    float, double, half, bfloat16, long, int = map(_of_values, ["float", "double", "half", "bfloat16", "long", "int"])

    def type(self, dtype: object = None) -> Any:
        """The name of this tensor's type, such as "torch.sparse.FloatTensor"; or this tensor in a dtype."""
        return f"torch.sparse.{self.dtype._tensor_name}Tensor" if dtype is None else self.to(dtype)

    def detach_(self) -> SparseTensor:
        """This tensor, from now on without history."""
        self._entries = self._entries.detach()
        return self

    # Python copies what `__reduce_ex__` says.
    __deepcopy__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return sparse_of, (self._places, self._entries, self._size, self._coalesced)

    # ---- arithmetic --------------------------------------------------------------------------------------------------

    neg = __neg__ = _of_values("neg")

    def mul(self, other: Operand) -> SparseTensor:
        """The product with a number or a dense tensor, of which only the elements at the entries are read."""
        if isinstance(other, Tensor) and other.ndim:
            other = self._at_entries(other)
        return self._with(self._entries.mul(other))

    def div(self, other: Operand) -> SparseTensor:
        """The quotient by a number or a 0-d tensor."""
        if isinstance(other, Tensor) and other.ndim:
            raise RuntimeError(f"Sparse division requires a scalar or zero-dim dense tensor divisor, got {other.shape}")
        return self._with(self._entries.div(other))

    true_divide = div

    def add(self, other: object, *, alpha: object = 1) -> SparseTensor:
        """The sum `self + alpha * other` of two sparse tensors: the entries of both, coalesced if both are."""
        if not isinstance(other, SparseTensor):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        if (other._size, other.sparse_dim()) != (self._size, self.sparse_dim()):
            sizes = f"{list(self._size)} != {list(other._size)}, or the numbers of sparse dimensions differ"
            raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {sizes}")
        common = dtypes.promote_types(self.dtype, other.dtype)
        mathematics.check_alpha(alpha, common)
        arguments.check_numbers("cadd_sparse", common._numpy)
        added = ops.cast(other._entries, common)
        entries = shapes.cat([self._entries, added if alpha == 1 else added * alpha], 0)
        places = np.concatenate([self._places, other._places], axis=1)
        total = sparse_of(places, entries, self._size)
        return total.coalesce() if self._coalesced and other._coalesced else total

    def sub(self, other: object, *, alpha: Any = 1) -> SparseTensor:
        """The difference `self - alpha * other` of two sparse tensors."""
        return self.add(other, alpha=-alpha)

    __add__, __sub__, __mul__, __truediv__ = map(_operator, ("add", "sub", "mul", "div"))
    __rmul__ = __mul__

    def sum(self, dim: object = None, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The sum of all elements."""
        return self._refuse() if dim is not None else self._entries.sum(dtype=dtype)

    def norm(self, p: Any = "fro") -> Tensor:
        """The norm of order `p`, not negative, over all elements."""
        return self._refuse() if p not in (None, "fro") and p < 0 else self.coalesce()._entries.norm(p)

    # ---- in place ----------------------------------------------------------------------------------------------------

    add_, sub_, mul_, div_ = map(_in_place, ("add", "sub", "mul", "div"))
    __iadd__, __isub__, __imul__, __itruediv__ = map(_operator, ("add_", "sub_", "mul_", "div_"))

    def zero_(self) -> SparseTensor:
        """In place: no entries, so that all elements are zero."""
        none = self._entries.detach()[:0]
        return self._become(sparse_of(self._places[:, :0], none, self._size, True))

    def _become(self, result: SparseTensor) -> SparseTensor:
        """Replace the entries by those of `result`, in this tensor's dtype."""
        arguments.check_cast(result.dtype, self.dtype)
        result = result.to(self.dtype)
        self._places, self._entries, self._coalesced = result._places, result._entries, result._coalesced
        storage_of(self).version += 1
        return self

    # ---- as a gradient -----------------------------------------------------------------------------------------------

    def _plus(self, gradient: Tensor, in_place: builtins.bool) -> Tensor:
        """The sum of two gradients for one edge: dense if the other one is."""
        if not gradient.is_sparse:
            return gradient + self
        return self.add_(gradient) if in_place else self + gradient

    def _into(self, total: Tensor) -> Tensor:
        """Add the entries of this gradient to `total`, a dense one, in its memory, and return that."""
        self.add_into(total._array, 1)
        return total

    # ---- beside a dense tensor ---------------------------------------------------------------------------------------

    def _beside(self, op: ops.Elementwise, dense: Tensor) -> Tensor:
        """The result of `op`, an element-by-element operation, on `dense` and this tensor."""
        if isinstance(op, ops.Mul):
            return self.mul(dense)
        if not isinstance(op, (ops.Add, ops.Sub)):
            self._refuse()
        self._check_same_size(dense)
        # Entries at one place add up in the dtype of the result, which is contiguous, as in PyTorch.
        added = self.to(dtypes.result_type(self._entries._array, dense._array)).to_dense()
        return op.of(dense.contiguous(), added)

    def _added_to(self, dense: Tensor, sign: builtins.int, *, alpha: Any = 1) -> Tensor:
        """`dense += sign * alpha * self`, in place: rows of `dense` that have no entry are neither read nor written."""
        if is_grad_enabled() and (dense._requires_grad or self._requires_grad):
            return dense._rewrite(Tensor.add if sign > 0 else Tensor.sub, self, alpha=alpha)
        self._check_same_size(dense)
        common = dtypes.result_type(self._entries._array, dense._array)
        mathematics.check_alpha(alpha, common)
        arguments.check_cast(common, dense.dtype)
        entries = self.to(common)
        return dense._refill(lambda array: quiet().run(entries.add_into, array, sign * alpha), "AddBackward0")

    def add_into(self, array: Array, scale: Any) -> None:
        """`array += scale * self`, in place: rows of `array` that have no entry are neither read nor written."""
        table = array.reshape(self._table_shape())
        add_rows_at(table, self._ids(), self._rows()._array, scale)
        if not np.may_share_memory(table, array):
            array[...] = table.reshape(array.shape)

    def _at_entries(self, dense: Tensor) -> Tensor:
        """The elements of `dense`, which broadcasts to this shape, at the places of the entries."""
        if tuple(dense.shape) != self._size:
            dense = dense.expand(self._size)
        rows = Lookup().of(in_shape(dense, self._table_shape()), self._entries._new(self._ids()))
        return in_shape(rows, self._entries._array.shape)

    # ---- as rows of a table ------------------------------------------------------------------------------------------

    def _ids(self) -> Array:
        """The places as single numbers, `(nnz,)`: counted in all sparse dimensions at once."""
        return ids_of(self._places, self._size)

    def _rows(self) -> Tensor:
        """The entries, `(nnz, D)`, each as a row."""
        return in_shape(self._entries, (self._nnz(), self._table_shape()[1]))

    def _table_shape(self) -> tuple[builtins.int, builtins.int]:
        """`(V, D)`: the number of places, and of elements at each place."""
        dims = self.sparse_dim()
        return math.prod(self._size[:dims]), math.prod(self._size[dims:])

    def _check_same_size(self, dense: Tensor) -> None:
        if tuple(dense.shape) != self._size:
            sizes = f"self has size {list(dense.shape)} while other has size {list(self._size)}"
            raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but {sizes}")


def sparse_coo_tensor(
    indices: object,
    values: object,
    size: arguments.Sizes | None = None,
    *,
    dtype: arguments.DType = None,
    device: arguments.OnDevice = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Tensor:
    """The sparse tensor with `values[n]` at the place `indices[:, n]`, and zeros elsewhere; values at one place add up.

    `indices` is `(S, nnz)` of ints, `values` `(nnz, *D)`; `size`, `(*S, *D)`, if it is left out, is the smallest that
    they fit in.  The values are not copied, and the tensor has their history.  Errors: RuntimeError if the sizes do not
    fit together, or for an index that is not in them (also without `check_invariants`).

    >>> import minigrad as torch
    >>> torch.sparse_coo_tensor([[2, 0]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)).to_dense()
    tensor([[3., 4.],
            [0., 0.],
            [1., 2.]])
    """
    wanted = arguments.as_dtype("sparse_coo_tensor", dtype)
    arguments.checked("sparse_coo_tensor", {"device": device, "pin_memory": pin_memory})
    if size is not None:
        arguments.listed("sparse_coo_tensor", size)
    places = creation.as_tensor(indices)._array.astype(np.int64)
    entries = creation.as_tensor(values, wanted)
    shape = entries._array.shape or (1,)
    if places.ndim != 2 or shape[0] != places.shape[1]:
        raise RuntimeError(f"indices must be sparse_dim x nnz, and values nnz x *, but got {places.shape} and {shape}")
    least = (places.max(axis=1, initial=-1) + 1).tolist()
    sizes = arguments.sizes_of("sparse_coo_tensor", ((*least, *shape[1:]) if size is None else size,))
    arguments.check_shape("sparse_coo_tensor", sizes, np.dtype(np.int8))
    if len(sizes) < len(places) or sizes[len(places) :] != shape[1:]:
        shapes = f"expected {[shape[0], *sizes[len(places) :]]}, got {list(shape)}"
        raise RuntimeError(f"values has incorrect size, {shapes}: {len(places)} dimensions of {list(sizes)} are sparse")
    if places.min(initial=0) < 0 or any([end > size for end, size in zip(least, sizes, strict=False)]):
        raise RuntimeError(f"size is inconsistent with indices: size is {list(sizes)}, but found {places.tolist()}")
    entries = Reshape(shape, "SparseCooTensorWithDimsAndTensorsBackward0").of(entries)
    out = sparse_of(places, entries, sizes)
    out._requires_grad = requires_grad
    return out


def sparse_of(places: Array, entries: Tensor, size: tuple[int, ...], coalesced: builtins.bool = False) -> SparseTensor:
    """The sparse tensor of that size with `entries[n]` at the place `places[:, n]`, and their history."""
    out = object.__new__(SparseTensor)
    out._places, out._entries, out._size = places, entries, size
    # A single entry is always in order.
    out._coalesced = coalesced or places.shape[1] < 2
    out._grad = out._storage = out._base = None
    return out


# ---- what is computed with the entries, which are rows, each for a place of a table ----------------------------------


class ToDense(ScatterAdd):
    """The table of zeros to whose rows those of `R` are added: a ScatterAdd."""

    form = "ToDenseBackward0"
    formulas = ("dR = Lookup(G)",)


class Coalesce(Unary):
    """The sums of the rows of `R`, `(N, D)`, that have one of `ids`, `(N,)`, in common: a ScatterAdd without the table.

    The result is `(n, D)`, a row for each of the n distinct ids, which are in `names` in order.
    """

    formulas = ("dR = Lookup(G): row n of R went into the sum of its id",)
    ids: Array

    def forward(self, rows: Array) -> Array:
        self.names, sums = sum_by_id(rows, self.ids)
        return sums

    def dx(self, g: Tensor) -> Tensor:
        return Lookup().of(g, g._new(np.searchsorted(self.names, self.ids)))


def entries_of(x: Tensor, dims: int) -> Tensor:
    """The sparse tensor of those entries of `x`, each at a place in its first `dims` dimensions, that are not zero."""
    shape: tuple[int, ...] = x._array.shape
    table = (math.prod(shape[:dims]), math.prod(shape[dims:]))
    ids = np.flatnonzero((x._array != 0).reshape(table).any(axis=1))
    rows = Lookup().of(Reshape(table).of(x), x._new(ids))
    entries = Reshape((len(ids), *shape[dims:]), "ToSparseBackward0").of(rows)
    return sparse_of(places_of(ids, shape[:dims]), entries, shape, True)


def places_of(ids: Array, sizes: tuple[int, ...]) -> Array:
    """The coordinates, `(len(sizes), N)`, of the places `ids`, `(N,)`, counted in all dimensions at once.

    >>> places_of(np.array([0, 5]), (2, 3))
    array([[0, 1],
           [0, 2]])
    """
    # (NumPy counts in one dimension at least.)
    return np.array(np.unravel_index(ids, (1, *sizes)))[1:]


def ids_of(places: Array, sizes: tuple[int, ...]) -> Array:
    """The places, `(N,)`, counted in all dimensions at once; of one dimension on the memory of `places`.

    >>> ids_of(np.array([[0, 1], [0, 2]]), (2, 3))
    array([0, 5])
    """
    if len(places) == 1:
        return places[0]
    nowhere = np.zeros(places.shape[1], np.int64)
    return np.ravel_multi_index((nowhere, *places), (1, *sizes[: len(places)]))
