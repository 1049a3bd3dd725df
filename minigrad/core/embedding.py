"""Looking up rows of a table, and adding rows into one: the two directions of an embedding.

For ids `i` (any shape), a table `W` of shape `(V, D)` and `X = one_hot(i, V)`:

                    Lookup                                  Linear on X, with weight = W.T
    forward         Y[n] = W[i[n]] for each n               Y = X @ W
    backward        dW = 0;  dW[i[n]] += G[n] for each n    dW = X.T @ G
    its backward    dG[n] = H[i[n]] for each n              dG = X @ H,  given the gradient H of dW

A row of `X` is zero but for a 1 in column `i[n]`, so `X @ W` picks rows of `W`, and `X.T @ G` adds row n of
`G` to row `i[n]` of `dW`.  (NumPy's `dW[i] += G` would keep one of the rows of a repeated id and drop the
others.)  The ids themselves have no gradient: there is no id between 2 and 3.

The two ops below are each other's backward, an adjoint pair: `<W[i], G> == <W, scatter_add(i, G)>` for all
`W` and `G`.  So the gradient of the gradient, and any order after it, needs no further code.
"""

from __future__ import annotations

import numpy as np

from .dtypes import Array, of
from .elementwise import cast, masked
from .rows import add_rows
from .tape import Binary
from .tensor import Tensor

# The unsigned dtypes of so many bytes.
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


class Lookup(Binary):
    """`Y = W[ids]`: row `ids[n]` of the table, for each n.

    `W` is `(V, D)`, `ids` is `(*)` and `Y` is `(*, D)`.

    An id that occurs twice has its rows added, one that does not occur has a row of zeros.  (`da` below is the gradient
    of the first input, W.)  G may be of a wider dtype than W: then dW is rounded at the end.
    """

    form = "EmbeddingBackward0"
    formulas = (
        "dW = ScatterAdd(G): row v of dW is the sum of the rows G[n] with ids[n] == v (0 for `padding_idx`, if given)",
    )
    padding_idx: int | None = None

    def forward(self, weight: Array, ids: Array) -> Array:
        self.num_embeddings, self.dtype = len(weight), of(weight)
        check_ids(ids, self.num_embeddings)
        # np.take is the faster one, but copies a table that is not contiguous, such as a transposed one.
        return weight.take(ids, axis=0) if weight.flags.c_contiguous else weight[ids]

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        # Only the ids are kept: of the table, which may be large, the number of rows is enough.
        if self.padding_idx is not None:
            # Masked here, in the graph, and not in dW: so the gradient of this gradient is masked too.
            g = masked(g, ids._array[..., None] != self.padding_idx)
        return cast(ScatterAdd(self.num_embeddings).of(g, ids), self.dtype)


class ScatterAdd(Binary):
    """`T = 0;  T[ids[n]] += R[n]` for each n: row v of the table is the sum of the rows of `R` whose id is v.

    `R` is `(*, D)`, `ids` is `(*)` with values in `[0, V)`, and `T` is `(V, D)`.
    """

    form = "EmbeddingDenseBackwardBackward0"
    formulas = ("dR = Lookup(G): row n of R went into row `ids[n]`, so its gradient is what arrived there",)
    num_embeddings: int

    def forward(self, rows: Array, ids: Array) -> Array:
        # What `T = np.zeros((V, D)); np.add.at(T, ids, rows)` computes, faster and in at least float32.
        return add_rows(rows.reshape(ids.size, rows.shape[-1]), ids.reshape(-1), self.num_embeddings)

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        return Lookup().of(g, ids)


def all_below(ids: Array, size: int) -> bool:
    """Whether all ids, integers, are in `[0, size)`."""
    # Read as unsigned, a negative id is larger than any size: one pass finds both kinds.  For few ids NumPy's argmax
    # takes a third of the time of its max, which begins in Python.
    unsigned = ids.view(_UNSIGNED[ids.itemsize])
    return not ids.size or unsigned.item(unsigned.argmax()) < size


def check_ids(ids: Array, num_embeddings: int) -> None:
    """Nothing if all ids are in `[0, num_embeddings)`; else an IndexError that names the first that is not.

    NumPy would take -1 for the last row.  An id is not a position from the end, so it is an error.
    """
    if all_below(ids, num_embeddings):
        return
    wrong = (ids < 0) | (ids >= num_embeddings)
    position = np.unravel_index(int(np.argmax(wrong)), ids.shape)
    where = f" at position [{', '.join(str(int(p)) for p in position)}]" if position else ""
    remedy = (
        "ids count from 0; there is no row before the first"
        if ids[position] < 0
        else f"make the table as large as the whole vocabulary (num_embeddings > {ids.max()}), or look for the wrong id"
    )
    found = f"the id{where} is {ids[position]}, which is not in [0, {num_embeddings}), the rows of the table"
    raise IndexError(f"index out of range in self: {found}; {remedy}.")
