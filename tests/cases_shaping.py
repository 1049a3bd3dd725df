"""Rows of the table: shapes, orders of dimensions, parts, diagonals, joins, grids, and products of matrices."""

from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, INTEGERS, arrays, shapes
from table import (
    Drawn,
    add,
    any_array,
    ask,
    both,
    dims,
    factors,
    floats,
    of_dtype,
    one,
    pairs,
    with_expansion,
    with_shape,
)

# ---- operands --------------------------------------------------------------------------------------------------------

few = st.integers(0, 3)
shift = st.integers(-4, 4)
solid = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, shapes(1, 3, min_side=1), special=True))
matrices = any_array().filter(lambda x: x.ndim > 1)
thin = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=2)))


def in_place(name: str, operands: Drawn, **how: Any) -> None:
    """Rows of the method in place, on a leaf and on a tensor that is none."""
    ask(operands, f"x, *more: x.{name}(*more)", f"x, *more: x.clone().{name}(*more)", covers=f"Tensor.{name}", **how)


def dims_of(x: Any, more: int = 0) -> st.SearchStrategy[int]:
    """A dimension of `x`, or of a tensor with more dimensions; now and then one it has not."""
    ndim = max(x.ndim + more, 1)
    return st.one_of(st.integers(-ndim, ndim - 1), st.integers(-ndim, ndim - 1), dims)


def along(array: st.SearchStrategy[Any], *more: st.SearchStrategy[Any]) -> Drawn:
    """An array, one of its dimensions, and what else."""
    return array.flatmap(lambda x: st.tuples(st.just(x), dims_of(x), *more))


def in_the_end(drawn: Drawn) -> Drawn:
    """The same with the dimension last."""
    return drawn.map(lambda each: (each[0], *each[2:], each[1]))


# ---- the table: shapes -----------------------------------------------------------------------------------------------

both("flatten", any_array().flatmap(lambda x: st.tuples(st.just(x), dims_of(x), dims_of(x))))
both("ravel", one(any_array()))
ask(with_shape(), "x, shape: x.reshape(shape=shape)", "x, shape: x.view(size=shape)")


def is_in_step(x: Any) -> bool:
    """Whether PyTorch lets it have a new dtype: not what has no elements, or one in the last dimension and a gap."""
    return x.size > 0 and (x.shape[-1:] != (1,) or x.strides[-1] == x.itemsize)


ask(st.tuples(any_array().filter(is_in_step), st.sampled_from(DTYPES)), "x, to: x.view(dtype_of(to))")
ask(
    st.tuples(shapes(1, 3).filter(lambda shape: 0 in shape), st.sampled_from(DTYPES)),
    "shape, to: torch.zeros(shape).view(dtype_of(to))",
    covers="Tensor.view",
)
ask(
    with_shape()
    .filter(lambda each: -1 not in each[1] and np.prod(each[1]) == each[0].size)
    .map(lambda each: (each[0].copy(), each[1])),
    "x, shape: [(y := x.detach()).resize_(shape) is y, y.clone(), y.resize_(*shape, 1), x]",
    covers="Tensor.resize_",
)
ask(pairs(), "x, y: (x.reshape_as(y), x.view_as(y))", covers="Tensor.reshape_as Tensor.view_as")
ask(one(any_array()), "x: (x.reshape_as(x), x.view_as(x))", covers="Tensor.reshape_as Tensor.view_as")
splits = st.sampled_from([(1, -1), (-1, 1), (-1,), (3, 1), (2, 1, -1), (), (2,), (-1, -1), (0, -1), (-1, 2)])
# Of two errors, no sizes and no such dimension, PyTorch's method raises the one and its function the other.
split = along(any_array(), splits).filter(lambda drawn: drawn[2] or abs(drawn[1] + 0.5) < max(drawn[0].ndim, 1))
both("unflatten", split)
both("numel", one(any_array()))
ask(along(thin), "x, dim: x.squeeze(axis=dim)", "x, dim: x.unsqueeze(axis=dim)")

# ---- the table: orders of dimensions ---------------------------------------------------------------------------------

two_dims = any_array().flatmap(lambda x: st.tuples(st.just(x), dims_of(x), dims_of(x)))
for name in ("swapaxes", "swapdims", "movedim", "moveaxis"):
    both(name, two_dims)
moves = any_array().flatmap(
    lambda x: st.tuples(st.just(x), *[st.lists(dims_of(x), max_size=x.ndim).map(tuple) for _ in range(2)])
)
both("movedim", moves)
both(
    "moveaxis",
    solid.flatmap(
        lambda x: st.permutations(range(x.ndim)).flatmap(
            lambda order: st.tuples(st.just(x), st.just(tuple(range(x.ndim))), st.just(tuple(order)))
        )
    ),
)
ask(one(any_array()), "x: x.H")
for name in ("transpose_", "swapaxes_", "swapdims_"):
    in_place(name, two_dims)
in_place("t_", one(any_array()))
in_place("unsqueeze_", any_array().flatmap(lambda x: st.tuples(st.just(x), dims_of(x, 1))))
in_place("squeeze_", thin.flatmap(lambda x: st.tuples(st.just(x), dims_of(x))))
in_place("squeeze_", one(thin))

# ---- the table: repeated elements ------------------------------------------------------------------------------------

ask(with_expansion(), "x, sizes: x.broadcast_to(sizes)", "x, sizes: x.expand(size=sizes)")
ask(with_expansion(), "x, size: torch.broadcast_to(x, size)")
ask(pairs(), "x, y: (x.expand_as(y), y.expand_as(x))")
ask(with_expansion().filter(lambda d: -1 not in d[1]), "x, sizes: x.expand_as(torch.zeros(sizes))")
ask(pairs(), "x, y: torch.broadcast_tensors(x, y)")
ask(st.tuples(any_array(), any_array()), "x, y: torch.broadcast_tensors(y, x)")
counts = any_array().flatmap(
    lambda x: st.tuples(st.just(x), st.lists(st.integers(0, 2), min_size=x.ndim, max_size=x.ndim + 2).map(tuple))
)
any_counts = st.tuples(any_array(), st.lists(st.integers(-1, 2), max_size=4).map(tuple))
for operands in (counts, any_counts):
    ask(operands, "x, repeats: x.repeat(repeats)", "x, repeats: x.repeat(*repeats)")
    both("tile", operands)
both("repeat_interleave", st.tuples(any_array(), st.integers(-1, 3)))
both("repeat_interleave", in_the_end(along(any_array(), st.integers(0, 3))))


@st.composite
def with_repeats(draw: st.DrawFn) -> tuple[Any, Any, int]:
    """An array, the repeats of its slices along a dimension, and that dimension."""
    x = draw(solid)
    dim = draw(st.integers(-x.ndim, x.ndim - 1))
    length = draw(st.sampled_from([x.shape[dim], x.shape[dim], 1, 2]))
    repeats = draw(arrays(draw(st.sampled_from(["int64", "int64", "int32", "int8"])), (length,)))
    return x, np.abs(repeats), dim


both("repeat_interleave", with_repeats())
ask(one(of_dtype("int64", shapes(0, 2))), "repeats: torch.repeat_interleave(repeats)")
ask(
    st.tuples(of_dtype("int64", shapes(1, 1)).map(np.abs), st.just(4)).filter(lambda drawn: drawn[0].sum() == 4),
    "repeats, size: torch.repeat_interleave(repeats, output_size=size)",
)

# ---- the table: parts ------------------------------------------------------------------------------------------------

both("split", in_the_end(along(any_array(), st.integers(-1, 4))))
both("split", in_the_end(along(any_array(), st.lists(few, max_size=3))))


@st.composite
def with_parts(draw: st.DrawFn) -> tuple[Any, tuple[int, ...], int]:
    """An array, sizes that add up to one of its sizes, and that dimension."""
    x = draw(solid)
    dim = draw(st.integers(-x.ndim, x.ndim - 1))
    cuts = sorted(draw(st.lists(st.integers(0, x.shape[dim]), max_size=2)))
    return x, tuple(int(size) for size in np.diff([0, *cuts, x.shape[dim]])), dim


both("split", with_parts())
both("chunk", in_the_end(along(any_array(), st.integers(0, 5))))
both("unbind", along(any_array()))
# Some of the parts alone: no gradient arrives for the others.
ask(one(solid), "x: torch.unbind(x)[-1] * 2", "x: [part * 2 for part in torch.split(x, 1)[:2]]")
ask(one(any_array()), "x: [2 * row for row in x]", covers="Tensor.__iter__")
both("select", along(any_array(), shift))
both("narrow", along(any_array(), shift, st.integers(-1, 3)))
ask(along(solid, st.sampled_from([0, -1, 5, 0.0, [0]])), "x, dim, start: torch.narrow(x, dim, torch.tensor(start), 1)")
ask(along(any_array().filter(np.ndim), st.integers(-1, 3), few), "x, *window: x.unfold(*window)")

# ---- the table: other places -----------------------------------------------------------------------------------------

flips = any_array().flatmap(
    lambda x: st.tuples(st.just(x), st.lists(dims_of(x), max_size=max(x.ndim, 1), unique=True).map(tuple))
)
both("flip", flips)
ask(flips, "x, dims: x.flip(*dims)")
both("roll", st.tuples(any_array(), shift))
both("roll", in_the_end(along(any_array(), shift)))
both(
    "roll",
    any_array().flatmap(
        lambda x: st.lists(st.tuples(shift, dims_of(x)), max_size=3).map(
            lambda each: (x, tuple(by for by, _ in each), tuple(dim for _, dim in each))
        )
    ),
)
both("diagonal", any_array().flatmap(lambda x: st.tuples(st.just(x), shift, dims_of(x), dims_of(x))))
both("diagonal", st.tuples(matrices, shift))
both("diag", st.tuples(any_array(), shift))
both("diag_embed", st.tuples(any_array(), shift))
# Integers, also as floats, have exact sums.
both("trace", one(any_array(special=False).filter(lambda x: x.dtype.kind != "f" or not (x % 1).any())))
for name in ("tril", "triu"):
    both(name, st.tuples(any_array(), shift))
    both(name, one(matrices))
    in_place(f"{name}_", st.tuples(any_array(), shift))

# ---- the table: joins and grids --------------------------------------------------------------------------------------

lists = st.lists(any_array(), max_size=3) | any_array().flatmap(lambda x: st.lists(st.just(x), min_size=1, max_size=3))
plain = lists.map(lambda xs: (tuple(Plain(x) for x in xs),))


for name in ("hstack", "vstack", "concat", "concatenate"):
    ask(plain, f"xs: torch.{name}([torch.from_numpy(x.array) for x in xs])")
    ask(
        floats().filter(lambda x: x.ndim < 3).flatmap(lambda x: st.tuples(st.just(x), st.just(x.copy()))),
        f"x, y: torch.{name}([x, y * 2, x])",
    )
# A 1-d tensor without elements counts for the dtype, and has a gradient, of no elements.
ask(st.tuples(floats(1), arrays("float64", (0,))), "x, y: torch.cat([y, x, y])")
ask(one(floats(1)), "x: (torch.cat((x, x), axis=0), torch.stack((x, x), axis=1))", covers="cat stack")


def vectors(count: int, max_dims: int = 1) -> Drawn:
    """Vectors of one dtype most of the time."""
    return st.sampled_from(DTYPES).flatmap(
        lambda dtype: st.tuples(*[of_dtype(dtype, shapes(1, max_dims, max_side=3)) for _ in range(count)])
    )


for indexing in ("ij", "xy"):
    ask(vectors(2) | vectors(3) | vectors(1), f"*xs: torch.meshgrid(*xs, indexing={indexing!r})")
    ask(st.tuples(any_array(), any_array()), f"*xs: torch.meshgrid(xs, indexing={indexing!r})")

# ---- the table: products ---------------------------------------------------------------------------------------------

# To one unit: all sums here are exact, but the sign of one that is zero is up to the library of matrix products.
exact: dict[str, Any] = {"ulps": 1, "grad_least": 1}
NUMBERS = (*FLOATS, *INTEGERS)


@st.composite
def shaped(draw: st.DrawFn, *forms: str, dtypes: Any = NUMBERS) -> tuple[Any, ...]:
    """Arrays of one dtype, of the shapes that the letters say, such as "nk" and "km"; each letter is a drawn size."""
    dtype = draw(st.sampled_from(dtypes))
    sizes = {letter: draw(few) for letter in sorted(set("".join(forms)))}
    return tuple(draw(arrays(dtype, tuple(sizes[letter] for letter in form))) for form in forms)


for name, forms in (
    ("mm", ("nk", "km")), ("bmm", ("bnk", "bkm")), ("mv", ("nk", "k")), ("dot", ("k", "k")), ("outer", ("n", "m")),
    ("ger", ("n", "m")), ("matmul", ("ijk", "lkm")),
):  # fmt: skip
    both(name, shaped(*forms), **exact)
    both(name, factors(), **exact)
    both(name, st.tuples(any_array(special=False), any_array(special=False)), **exact)
ask(factors(FLOATS), "x, y: y.__rmatmul__(x)", **exact)
scalars = st.sampled_from([1, 2, -1, 0, 0.5, True, 2.0])


mixed = st.tuples(any_array(special=False), any_array(special=False), any_array(special=False))
for forms in (("nm", "nk", "km"), ("m", "nk", "km")):
    both("addmm", shaped(*forms), **exact)
    factors_of_both = st.tuples(shaped(*forms), scalars, scalars.filter(bool)).map(lambda each: (*each[0], *each[1:]))
    both("addmm", factors_of_both, "a, b, beta, alpha: a, b, beta=beta, alpha=alpha", **exact)
in_place("addmm_", shaped("nm", "nk", "km"), **exact)
ask(
    st.tuples(shaped("nm", "nk", "km", dtypes=FLOATS), scalars, scalars.filter(bool)).map(
        lambda each: (*each[0], *each[1:])
    ),
    "x, a, b, beta, alpha: x.clone().addmm_(a, b, beta=beta, alpha=alpha)",
    covers="Tensor.addmm_",
    **exact,
)
both("addmm", mixed, **exact)

# Far from singular: what differs then is rounding alone.
close: dict[str, Any] = {"ulps": 2**8, "least": 1, "grad_ulps": 2**8, "grad_least": 1}
regular = shaped("bnn", dtypes=["float32"]).map(lambda each: (each[0] / 8 + 9 * np.eye(each[0].shape[1], dtype="f"),))
for name in ("inverse", "det"):
    both(name, regular, **close)
systems = shaped("bnn", "nk", dtypes=["float32"]).map(
    lambda each: (each[0] / 8 + 9 * np.eye(len(each[1]), dtype="f"), each[1])
)
add("linalg.solve", lambda api, a, b: api.linalg.solve(a, b), systems, **close)
add("linalg.solve", lambda api, a, b: api.linalg.solve(a[0], b[:, 0]), systems, **close)
covered = {"ulps": 2**8, "least": 1, "grad_ulps": 2**8, "grad_least": 4}
both("cov", shaped("nk", dtypes=["float32", "float64"]), **covered)
ask(shaped("k", dtypes=["float32"]), "x: torch.cov(x, correction=0)", **covered)
both("dist", shaped("nk", "k", dtypes=FLOATS), ulps=8, grad_ulps=2**6, grad_least=1, twice=False)

# fmt: off
EQUATIONS = [
    "i->", "i->i", "ij->ji", "ij->", "ij->j", "ii", "ii->i", "iij->j", "...", "...i->i...", "i...->...", "i j -> j i",
    "ij", "ba", "iJ", "kji->ik", "i,i", "i,j", "i,j->ji", "ij,jk", "ij,jk->ik", "ij,kj->ik", "ij,jk->ki",
    "bij,bjk->bik", "bij,bjk->kbi", "ij,ij->ij", "bij,bij->b", "bi,bi->ib", "...ij,...jk->...ik", "...i,i->...",
    ",ij->ji", "ij,k->ik", "ii,ij->j", "ijk,kl->ijl", "ij,jk,kl->il", "i,j,k->kji", "bi,bj,bij->b", "i,ij,j->",
    "ij,jk,kl,lm->im",
]
ODD_EQUATIONS = [
    "i1", "ij->ii", "ij->k", "i.j", "ij...k...", "ij,", "", "->", "ij-ji", "i>j", "...i...", "ij->i...", "ij->...ij",
]
# fmt: on


@st.composite
def contractions(draw: st.DrawFn) -> tuple[Any, ...]:
    """An equation and its operands; now and then a size of 1 that broadcasts."""
    equation = draw(st.sampled_from(EQUATIONS))
    sizes = {letter: draw(st.integers(0, 3)) for letter in sorted(set(equation))}
    batch = draw(shapes(max_dims=2, max_side=2))
    operands = []
    for term in equation.split("->")[0].replace(" ", "").split(","):
        before, dots, after = term.partition("...")
        shape = [*[sizes[each] for each in before], *(batch if dots else ()), *[sizes[each] for each in after]]
        thin = draw(st.integers(0, 9))
        if thin < len(shape) and term.count(term[0]) == 1 and "." not in term:
            shape[thin] = 1 if term.count(term[thin]) == 1 else shape[thin]
        operands.append(tuple(shape))
    dtype = draw(st.sampled_from(NUMBERS[:4]))
    return equation, *[draw(arrays(dtype, shape)) for shape in operands]


# A copy: where the last step is a view, PyTorch's is of a product that lies in memory in another order at times.
add("einsum", lambda api, equation, *xs: api.einsum(equation, *xs).clone(), contractions(), **exact)
add("einsum", lambda api, equation, *xs: api.einsum(equation, list(xs)).clone(), contractions(), **exact)
ask(st.tuples(st.sampled_from(ODD_EQUATIONS), any_array(special=False)), "equation, x: torch.einsum(equation, x)")
for many in (0, 1, 2, 3, -1):
    ask(shaped("ijk", "jkl"), f"x, y: torch.tensordot(x, y, {many!r})", **exact)
ask(shaped("ijk", "jkl"), "x, y: torch.tensordot(x, y)", **exact)
ask(shaped("ijk", "jli"), "x, y: torch.tensordot(x, y, ([1, 0], [0, -1]))", **exact)
ask(shaped("ijk", "lj"), "x, y: torch.tensordot(x, y, ([1], [0]))", **exact)
ask(factors(), "x, y: torch.tensordot(x, y, 1)", **exact)
