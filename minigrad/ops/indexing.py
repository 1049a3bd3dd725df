"""Reading and writing parts of a tensor: by ints and slices, which select a view, or by places, which make a copy.

All indexing by tensors is one op.  `x` is seen with the dimensions that are indexed as one, and read at `places`
there: a second index tensor makes `i * size + j` of the first, a mask stands for the places where it holds, and
`gather` names one place for each element, all dimensions as one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index as as_int
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.rows import add_rows_to_zeros
from minigrad.core.shapes import sum_to
from minigrad.core.tape import Node, Unary, View, keep_rest
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.dims import normal_dim
from minigrad.ops.scatter import add_at, from_start, read_at, write_at

#: What selects a view: ints, slices with steps above 0, None and at most one Ellipsis.
Basic = tuple[Any, ...]


# ---- views -----------------------------------------------------------------------------------------------------------


class Slice(View):
    """`x[index]` for an index of ints, slices and None: a view.   dx = PutSlice(g), zero where not selected."""

    __slots__ = ("x_shape",)
    index: Basic

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        # With an Ellipsis NumPy gives a 0-d view where it would give a copied scalar without.
        index = self.index if Ellipsis in self.index else (*self.index, ...)
        if None not in index:
            return x[index]
        # NumPy's steps in new dimensions are 0; reshaping, before anything is cut, makes PyTorch's.
        whole = x[tuple([item if item in (None, Ellipsis) else slice(None) for item in index])]
        return x.reshape(whole.shape)[tuple([slice(None) if item is None else item for item in index])]

    def dx(self, g: Tensor) -> Tensor:
        return PutSlice(self.x_shape, self.index)(g)

    def name(self) -> str:
        return f"{_last_step(self.index)}Backward0"


class PutSlice(Unary):
    """`y = 0;  y[index] = x`, with y of `shape`.   dx = Slice(g)."""

    shape: tuple[int, ...]
    index: Basic

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype)
        y[self.index] = x
        return y

    def dx(self, g: Tensor) -> Tensor:
        return Slice(self.index)(g)


def _last_step(index: Basic) -> str:
    """PyTorch's name for the last step of a basic index."""
    for item in reversed(index):
        if item is None:
            return "Unsqueeze"
        if isinstance(item, int):
            return "Select"
        if isinstance(item, slice) and item != slice(None):
            return "Slice"
    return "Slice" if len(index) == 1 and isinstance(index[0], slice) else "Alias"


@op()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of the slice `index` along `dim`, which goes."""
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at, size = normal_dim(dim, input._array.ndim), input._array.shape
    if not -size[at] <= index < size[at]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(size)} at dimension {at}")
    return Slice(((slice(None),) * at) + (as_int(index),))(input)


@op()
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of the `length` slices along `dim` that begin with `start`, an int or a 0-d integer tensor."""
    if not input._array.ndim or (isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind == "f")):
        raise RuntimeError("narrow(): start must be an 0-dim integral Tensor, and the tensor have dimensions")
    begin, at = as_int(start), normal_dim(dim, input._array.ndim)
    size = input._array.shape[at]
    if length >= 0 and not -size <= begin <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
    begin += size if begin < 0 else 0
    if not 0 <= length <= size - begin:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return Slice(((slice(None),) * at) + (slice(begin, begin + as_int(length)),))(input)


# ---- places ----------------------------------------------------------------------------------------------------------


class Index(Node):
    """`x` at `places`, which are counted in the dimensions `dims` as if they were one: a copy, contiguous.

    Places in dimensions that are no neighbours come first in the result.
    dx = PutIndex(g): an element that was picked twice receives both gradients.
    """

    __slots__ = ("x_shape",)
    dims: tuple[int, ...]
    form: str = "Index"
    keep = keep_rest

    def forward(self, x: Array, places: Array) -> Array:
        self.x_shape = x.shape
        return read_at(x, self.dims, places)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return PutIndex(self.x_shape, self.dims)(g, self.kept(1)), None

    def name(self) -> str:
        return f"{self.form}Backward0"


class PutIndex(Node):
    """`y = 0;  y[places] += x`, with y of `shape`: elements put at one place add up.   dx = Index(g)."""

    shape: tuple[int, ...]
    dims: tuple[int, ...]
    keep = keep_rest

    def forward(self, x: Array, places: Array) -> Array:
        y = np.zeros(self.shape, np.promote_types(x.dtype, np.float32))
        leading = len(self.dims)
        if self.dims == tuple(range(leading)):
            size = math.prod(self.shape[leading:])
            count = math.prod(self.shape[:leading])
            rows = x.reshape(places.size, size).astype(y.dtype, copy=False)
            add_rows_to_zeros(y.reshape(count, size), rows, from_start(places.reshape(-1), count))
        else:
            add_at(y, self.dims, places, x)
        return y.astype(x.dtype, copy=False)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return Index(self.dims)(g, self.kept(1)), None


# ---- a copy with something written into it ---------------------------------------------------------------------------


def keep_places(node: Node, inputs: Sequence[Any], out: Any) -> None:
    """Keep all inputs but the first two: where the second was written into the first."""
    keep_rest(node, inputs[1:], out)


class IndexInto(Node):
    """`y = x;  y[places] = value`, or `+= value` if `adds`, with places as in Index; `value` broadcasts to these.

    dx = g, but 0 at places overwritten,  dvalue = Index(g).
    """

    __slots__ = ("value_shape",)
    dims: tuple[int, ...]
    adds: bool = False
    form: str = "IndexPutBackward0"
    keep = keep_places

    def forward(self, x: Array, value: Array, places: Array) -> Array:
        self.value_shape = value.shape
        y = x.copy()
        self.write(y, value, places)
        return y

    def write(self, y: Array, value: Array, places: Array) -> None:
        """Write into `y` itself."""
        (add_at if self.adds else write_at)(y, self.dims, places, value)

    def backward(self, g: Tensor) -> Sequence[Any]:
        edge_x, edge_value, _ = self.edges
        places = self.kept(1)
        dx: Any = None
        if edge_x is not None:
            dx = g if self.adds else IndexInto(self.dims)(g, zero(g), places)
        dvalue = None if edge_value is None else sum_to(Index(self.dims)(g, places), self.value_shape)
        return dx, dvalue, None

    def name(self) -> str:
        return self.form


def zero(like: Tensor) -> Tensor:
    """The 0-d constant 0 in the dtype of `like`."""
    return like._new(np.zeros((), like._array.dtype))
