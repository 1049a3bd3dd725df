"""Hypothesis strategies: shapes, NumPy arrays of any dtype and memory layout, tables, ids and cotangents.

Everything drawn here is a NumPy array or a tuple of ints, so that a test can hand the same values to minigrad, to
PyTorch and to an oracle.  Arrays are small: what they are made of matters, not how many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from minigrad.core.dtypes import Array

Shape = tuple[int, ...]

# Small enough for sums and products of a drawn array's elements to be exact in float16.
_LARGEST = 4


def shapes(min_dims: int = 0, max_dims: int = 4, min_side: int = 0, max_side: int = 3) -> st.SearchStrategy[Shape]:
    """Shapes from 0-d to 4-d; sizes of 0 and 1 among them.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import shapes
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(shapes(), lambda shape: len(shape) == 2 and 0 not in shape, settings=shrinking)
    (1, 1)
    """
    return npst.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side)


def broadcastable_shapes(max_dims: int = 3) -> st.SearchStrategy[tuple[Shape, Shape]]:
    """Two shapes that broadcast to one, of the same or of different ranks.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import broadcastable_shapes
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(broadcastable_shapes(), lambda pair: 0 < len(pair[1]) < len(pair[0]), settings=shrinking)
    ((0, 0), (0,))
    """
    pairs = npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=max_dims, min_side=0, max_side=3)
    return pairs.map(lambda found: (found.input_shapes[0], found.input_shapes[1]))


def elements(dtype: str, integer: bool = True, special: bool = False) -> st.SearchStrategy[Any]:
    """Elements of arrays: integers, also as floats, or with `integer=False` reals of a middling magnitude.

    `special` adds the infinities, nan, -0.0, the largest and the smallest normal and subnormal numbers to floats.
    """
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind != "f":
        return st.integers(0 if kind == "u" else -_LARGEST, _LARGEST)
    if integer:
        usual = st.integers(-_LARGEST, _LARGEST).map(float)
    else:
        # Multiples of 1/64 are exact in every dtype, and keep clear of 0, where derivatives may be huge.
        usual = st.integers(-64 * _LARGEST, 64 * _LARGEST).map(lambda n: (n + (n >= 0)) / 64)
    if not special:
        return usual
    info = np.finfo(dtype)
    extremes = [np.inf, -np.inf, np.nan, -0.0, float(info.max), float(info.tiny), -float(info.smallest_subnormal)]
    return usual | st.sampled_from(extremes)


@st.composite
def laid_out(draw: st.DrawFn, array: Array) -> Array:
    """The same values in some memory layout: contiguous, transposed, with steps between elements, or both."""
    if array.ndim == 0 or not draw(st.booleans()):
        return array
    order = draw(st.permutations(range(array.ndim)))
    steps = [draw(st.integers(1, 2)) for _ in order]
    memory = np.zeros([array.shape[dim] * step for dim, step in zip(order, steps, strict=True)], array.dtype)
    spaced = memory[tuple([slice(None, None, step) for step in steps])]
    view = spaced.transpose(sorted(range(array.ndim), key=order.__getitem__))
    view[...] = array
    return view


@st.composite
def arrays(
    draw: st.DrawFn,
    dtype: str | st.SearchStrategy[str] = "float32",
    shape: Shape | st.SearchStrategy[Shape] | None = None,
    *,
    integer: bool = True,
    special: bool = False,
    contiguous: bool = False,
) -> Array:
    """Arrays of a given or drawn dtype and shape, in any memory layout unless `contiguous`.

    Elements are integers, also as floats, or with `integer=False` reals of a middling magnitude; `special` adds the
    infinities, nan, -0.0, the largest and the smallest numbers to floats.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import arrays
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(arrays("float32", (2,), special=True), lambda x: bool((x > 100).any()), settings=shrinking)
    array([ 0., inf], dtype=float32)
    """
    name = dtype if isinstance(dtype, str) else draw(dtype)
    sizes = shapes() if shape is None else shape
    array = draw(npst.arrays(name, sizes, elements=elements(name, integer, special)))
    return array if contiguous else draw(laid_out(array))


def tables(
    dtype: str | st.SearchStrategy[str] = "float32", integer: bool = True, *, max_rows: int = 6, max_columns: int = 4
) -> st.SearchStrategy[Array]:
    """Embedding tables `(V, D)` with at least one row and perhaps no columns.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import tables
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(tables(), lambda table: len(table) > 1 and bool(table.any()), settings=shrinking)
    array([[0.],
           [1.]], dtype=float32)
    """
    return arrays(dtype, st.tuples(st.integers(1, max_rows), st.integers(0, max_columns)), integer=integer)


@st.composite
def ids(
    draw: st.DrawFn,
    num_embeddings: int,
    shape: Shape | st.SearchStrategy[Shape] | None = None,
    dtype: str | st.SearchStrategy[str] = "int64",
) -> Array:
    """Ids in `[0, num_embeddings)` of any shape and layout, from a pool of a few: most of them occur repeatedly.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import ids
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(ids(5), lambda drawn: drawn.size > 2, settings=shrinking)
    array([0, 0, 0])
    """
    pool = draw(st.lists(st.integers(0, num_embeddings - 1), min_size=1, max_size=3))
    sizes = shapes(max_dims=3) if shape is None else shape
    return draw(npst.arrays(dtype, sizes, elements=st.sampled_from(pool)).flatmap(laid_out))


def one_hot(ids: Array, num_embeddings: int, dtype: str = "float32") -> Array:
    """For each id a vector, 1 at the id and 0 elsewhere: `(*)` gives `(*, V)`."""
    return (ids[..., None] == np.arange(num_embeddings)).astype(dtype)


def cotangents(shape: Shape, dtype: str = "float32", integer: bool = True) -> st.SearchStrategy[Array]:
    """Upstream gradients of a shape and a float dtype: no element is 0 or 1, which would hide a wrong factor.

    >>> from hypothesis import Phase, find, settings
    >>> from minigrad.checks import cotangents
    >>> shrinking = settings(phases=[Phase.generate, Phase.shrink])
    >>> find(cotangents((2,)), lambda g: g[0] != g[1], settings=shrinking)
    array([ 2., -1.], dtype=float32)
    """
    whole = st.sampled_from([2.0, -1.0, 3.0, -2.0, -3.0])
    real = st.integers(-192, 192).map(lambda n: (n + (80 if n >= 0 else -80)) / 64)
    return npst.arrays(dtype, shape, elements=whole if integer else real).flatmap(laid_out)
