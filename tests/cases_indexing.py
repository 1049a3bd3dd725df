"""Rows of the table: reading and writing at places that indices and masks name."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import DTYPES, Array, arrays, broadcastable_shapes, shapes
from table import add, any_array, ask, both, dims, floats, of_dtype, one

ids_dtypes = st.sampled_from(["int64", "int64", "int32"])


@st.composite
def ids(
    draw: st.DrawFn, shape: tuple[int, ...], size: int, dtype: str | None = None, low: int = 0, right: bool = False
) -> Array:
    """Indices in [low, size) of a shape; in one of ten, unless `right`, one that is not."""
    wrong = not right and draw(st.integers(0, 9)) == 0
    count = int(np.prod(shape, dtype=int))
    found = draw(st.lists(st.integers(low - wrong, max(size - 1 + wrong, low)), min_size=count, max_size=count))
    return np.array(found, dtype or draw(ids_dtypes)).reshape(shape)


@st.composite
def along(draw: st.DrawFn, with_src: bool, dtypes: Any = DTYPES, spacious: bool = True) -> tuple[Any, ...]:
    """A tensor, a dimension, indices along it, and perhaps a source of the shape of these."""
    dtype = draw(st.sampled_from(dtypes))
    x = draw(of_dtype(dtype, shapes(0, 3, min_side=1)))
    dim = draw(st.integers(-max(x.ndim, 1), max(x.ndim, 1) - 1)) if draw(st.integers(0, 9)) else draw(dims)
    at = dim % max(x.ndim, 1)
    sizes = [
        draw(st.integers(0, 3)) if d == at else draw(st.integers(0 if spacious else 1, n))
        for d, n in enumerate(x.shape)
    ]
    index = draw(ids(tuple(sizes), x.shape[at] if x.ndim else 1))
    if not with_src:
        return x, dim, index
    src = draw(arrays(dtype if draw(st.integers(0, 15)) else "float64", index.shape))
    return x, dim, index, src


def rows(name: str, operands: Any, given: str = "*more: *more", **how: Any) -> None:
    """Rows of the method, the function, and in place: on a copy, and on a view, whose base's history follows."""
    both(name, operands, given, **how)
    names, arguments = given.split(": ")
    base = "torch.stack([x, x]) if x.requires_grad else x.detach().clone().unsqueeze(0)"
    ask(
        operands,
        f"x, {names}: ((y := x.clone()).{name}_({arguments}) is y, y._version, y)",
        f"x, {names}: ((y := {base})[0].{name}_({arguments}), y)[1]",
        covers=f"Tensor.{name}_",
        **how,
    )


# ---- along a dimension -----------------------------------------------------------------------------------------------

both("gather", along(False))
rows("scatter", along(True))
rows("scatter_add", along(True))
rows("scatter", along(False).flatmap(lambda d: st.tuples(*map(st.just, d), st.sampled_from([2, 2.5, True, -1, 300]))))
ask(along(False), "x, dim, index: x.scatter(dim, index, value=3)")


@st.composite
def with_vector(draw: st.DrawFn, source: bool = False, low: bool = False) -> tuple[Any, ...]:
    """A tensor, a dimension, a vector of indices for it, and perhaps the rows that these name."""
    # Sums of halves are more exact than PyTorch's, which rounds each.
    dtype = draw(st.sampled_from([each for each in DTYPES if not (source and each == "float16")]))
    x = draw(of_dtype(dtype, shapes(1, 3, min_side=1)))
    dim = draw(st.integers(-x.ndim, x.ndim - 1)) if draw(st.integers(0, 9)) else draw(dims)
    at = dim % x.ndim
    count = draw(st.integers(0, 4))
    # What PyTorch raises for a wrong one in index_select and index_add depends on the shapes.
    shape = (count,) if draw(st.integers(0, 9)) or count != 1 else ()
    index = draw(ids(shape, x.shape[at], "int64" if low else None, -x.shape[at] if low else 0, right=not low))
    if not source:
        return x, dim, index
    sizes = list(x.shape)
    sizes[at] = count
    return x, dim, index, draw(arrays(dtype if draw(st.integers(0, 15)) else "float64", tuple(sizes)))


both("index_select", with_vector())
rows("index_add", with_vector(True))
for alpha in (2, -0.5, True):
    rows("index_add", with_vector(True), f"*more: *more, alpha={alpha}")
rows(
    "index_fill",
    with_vector(low=True).flatmap(lambda d: st.tuples(*map(st.just, d), st.sampled_from([2, 2.5, True, -1, 300]))),
)


@st.composite
def with_broadcast_indices(draw: st.DrawFn) -> tuple[Any, ...]:
    x = draw(of_dtype(draw(st.sampled_from(DTYPES)), shapes(1, 3, min_side=1)))
    dim = draw(st.integers(-x.ndim, x.ndim - 1))
    sizes = [draw(st.sampled_from([1, n])) for n in x.shape]
    sizes[dim] = draw(st.integers(0, 3))
    return x, draw(ids(tuple(sizes), x.shape[dim], "int64", -x.shape[dim])), dim


both("take_along_dim", with_broadcast_indices())
ask(with_broadcast_indices(), "x, i, dim: x.take_along_dim(i, axis=dim)")
flat_ids = any_array().flatmap(lambda x: st.tuples(st.just(x), shapes(0, 2).flatmap(lambda s: ids(s, x.size, "int64"))))
ask(flat_ids, "x, i: x.contiguous().take_along_dim(i.contiguous())", covers="Tensor.take_along_dim")
ask(flat_ids, "x, i: torch.take_along_dim(x.contiguous(), i.contiguous())")
from_end = any_array().flatmap(
    lambda x: st.tuples(st.just(x), shapes(0, 2).flatmap(lambda s: ids(s, x.size, "int64", -x.size)))
)
both("take", from_end)

# ---- masks -----------------------------------------------------------------------------------------------------------


@st.composite
def with_mask(draw: st.DrawFn) -> tuple[Any, ...]:
    a, b = draw(broadcastable_shapes())
    x = draw(of_dtype(draw(st.sampled_from(DTYPES)), a))
    return x, draw(arrays("bool" if draw(st.integers(0, 9)) else "int64", b))


both("masked_select", with_mask())
for as_tuple in (False, True):
    both("nonzero", one(any_array()), f"*_: as_tuple={as_tuple}")
both("argwhere", one(any_array()))

# ---- anywhere --------------------------------------------------------------------------------------------------------


@st.composite
def with_indices(draw: st.DrawFn) -> tuple[Any, ...]:
    """A tensor, tensors that index its leading dimensions, and values of a shape that broadcasts to what they name."""
    # As above, no halves.
    dtype = draw(st.sampled_from([each for each in DTYPES if each != "float16"]))
    x = draw(of_dtype(dtype, shapes(1, 3, min_side=1)))
    count = draw(st.integers(1, x.ndim))
    if draw(st.integers(0, 2)) == 0:
        indices: tuple[Any, ...] = (draw(arrays("bool", x.shape[:count])),)
        named = (int(indices[0].sum()),)
    else:
        named = draw(shapes(0, 2))
        indices = tuple([draw(ids(named, n, None, -n)) for n in x.shape[:count]])
    full = (*named, *x.shape[count:])
    part = full[draw(st.integers(0, len(full))) :]
    values = draw(arrays(dtype, tuple([draw(st.sampled_from([n, n, 1])) for n in part])))
    return x, values, *indices


def _put(name: str, accumulate: bool, as_function: bool = False) -> Callable[..., Any]:
    def call(api: Any, x: Any, values: Any, *indices: Any) -> Any:
        x = x.clone() if name.endswith("_") else x
        f = (lambda *args: getattr(api, name)(x, *args)) if as_function else getattr(x, name)
        return f(indices, values, accumulate)

    return call


for accumulate in (False, True):
    # Which of several values for one place stays is nobody's promise, but both packages let the last one.
    add("Tensor.index_put", _put("index_put", accumulate), with_indices())
    add("index_put", _put("index_put", accumulate, True), with_indices())
    add("Tensor.index_put_", _put("index_put_", accumulate), with_indices())

# ---- views and copies with a view overwritten ------------------------------------------------------------------------

some = of_dtype("float32", shapes(0, 3)) | any_array()
both("select", st.tuples(some, dims, st.integers(-3, 2)))
both("narrow", st.tuples(some, dims, st.integers(-3, 3), st.integers(-1, 3)))

# ---- operators -------------------------------------------------------------------------------------------------------

indices = st.sampled_from([[0, 0], ([0], [0]), (..., [0]), ([0], None), (slice(None), [0, 0]), range(1), [True]])
solid = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, shapes(1, 3, min_side=1)))
ask(st.tuples(solid, indices), "x, i: x[i]", covers="Tensor.__getitem__")
ask(one(any_array()), "x: x[x > 0]", covers="Tensor.__getitem__")
numbers = st.sampled_from([2, 2.5, True])
ask(st.tuples(solid, indices, numbers), "x, i, v: operator.setitem(x, i, v)", covers="Tensor.__setitem__")


def _set(api: Any, x: Any, value: Any, index: Any) -> Any:
    y = x * 1
    y[index] = value
    return y


add("Tensor.__setitem__", _set, floats(2).flatmap(lambda x: st.tuples(st.just(x), arrays(x.dtype.name, ()), indices)))
