"""Rows of the table: reductions, running reductions, order and counting."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, INTEGERS, arrays, shapes
from table import EQUAL, Drawn, any_array, ask, dims, floats, of_dtype, one, pairs, with_dims

# Numbers, also as floats, whose sums and products are exact.
exact = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, integer=True))
real = floats(integer=False)
plain = any_array(special=False)
# Not the largest numbers, whose sums overflow or not as the order of the summands is.
special = floats(special=True).filter(lambda x: not (np.abs(x) == np.finfo(x.dtype).max).any())
dtypes = st.none() | st.sampled_from(DTYPES)
flags = st.booleans()


def both(
    name: str, operands: Drawn, keywords: str = "", detached: bool = False, as_method: bool = True, **how: Any
) -> None:
    """Rows of a method and of the function, of x and what else is drawn: in order, or by keywords of these names."""
    x, drawn = "x.detach()" if detached else "x", keywords or "*more"
    given = f"**kept({', '.join([f'{each}={each}' for each in keywords.split(', ')])})" if keywords else drawn
    if as_method:
        ask(operands, f"x, {drawn}: {x}.{name}({given})", covers=f"Tensor.{name}", **how)
    ask(operands, f"x, {drawn}: torch.{name}({x}, {given})", covers=name, **how)


@st.composite
def along(draw: st.DrawFn, array: st.SearchStrategy[Any], *more: st.SearchStrategy[Any]) -> tuple[Any, ...]:
    """An array, a dimension that mostly fits, and what else is drawn."""
    x = draw(array)
    fitting = st.integers(-max(x.ndim, 1), max(x.ndim, 1) - 1)
    return (x, draw(fitting | fitting | dims), *[draw(each) for each in more])


def over(array: st.SearchStrategy[Any], *more: st.SearchStrategy[Any]) -> Drawn:
    """An array, dimensions that mostly fit, keepdim, and what else is drawn."""
    return st.tuples(with_dims(array), *more).map(lambda drawn: (*drawn[0], *drawn[1:]))


def each_once(drawn: tuple[Any, ...]) -> bool:
    """Whether no dimension is named twice: of two errors, either may be the first."""
    named = drawn[1] if isinstance(drawn[1], tuple) else ()
    return len({dim % max(drawn[0].ndim, 1) for dim in named}) == len(named)


def is_distinct(x: Any) -> bool:
    """Whether no two elements are equal: among equal ones, PyTorch's choice is anybody's guess."""
    return len(np.unique(x)) == x.size


def is_seldom_nan(x: Any) -> bool:
    """Whether no line is all nan: the gradient of its `nanmean` is nan in PyTorch, and 0 here."""
    return np.isnan(x).sum() < min((1 + (x.ndim > 0), *x.shape))


# ---- sums, products, statistics --------------------------------------------------------------------------------------

for name in ("sum", "mean", "nansum", "nanmean"):
    both(name, over(exact), "axis, keepdims", grad_least=1)
    both(name, over(exact, dtypes), "dim, keepdim, dtype", grad_least=1)
    numbers = special.filter(is_seldom_nan) if name == "nanmean" else special
    both(name, over(numbers), "dim, keepdim", ulps=16, grad_least=1)
both("prod", st.tuples(exact, dtypes), "dtype", grad_least=1)
both("prod", along(exact, flags), "dim, keepdim", grad_least=1)
both("prod", along(real, flags), "axis, keepdims", ulps=8, grad_ulps=64, grad_least=1)
both("count_nonzero", with_dims(any_array()).map(lambda drawn: drawn[:2]), "dim")

# Of at least two elements each.  Not over dim=(), where PyTorch's gradient is wrong: it counts one element.
several = st.sampled_from(FLOATS).flatmap(lambda dtype: arrays(dtype, shapes(1, 3, min_side=2), integer=False))
corrections = st.sampled_from([None, 0, 1, 0.5, True])
for name in ("var", "std", "std_mean"):
    # The derivatives of the deviation of nearly equal elements are all rounding.
    how: dict[str, Any] = {"ulps": 32, "grad_ulps": 2**10, "grad_least": 4, "twice": name.startswith("var")}
    shared = {"as_method": not name.endswith("mean")}
    how |= shared | ({"least": 1} if name.endswith("mean") else {})
    named = over(several, corrections).filter(lambda drawn: drawn[1] != ())
    both(name, named, "dim, keepdim, correction", **how)
    both(name, named.map(lambda drawn: drawn[:3]), "axis, keepdims", **how)
    both(name, st.tuples(several, flags), "unbiased", **how)
    both(name, along(several, flags, flags), **how)
    # Also of too few elements, where derivatives are infinities of either sign, and of other dtypes.
    both(name, over(plain, corrections), "dim, keepdim, correction", detached=True, ulps=32, **shared)
    both(name, st.tuples(plain, dims, flags), detached=True, ulps=32, **shared)
powers = st.sampled_from([0, 1, 2, 3, 1.5, 0.5, -1, float("inf"), -float("inf"), "fro", None])
how = {"ulps": 8, "grad_ulps": 64, "grad_least": 1}
solid = real.filter(lambda x: x.size > 0)
both("norm", st.tuples(solid, powers), "p", **how, twice=False)
both("norm", over(solid, powers, dtypes), "dim, keepdim, p, dtype", **how, twice=False)
# Second derivatives are differences of numbers as large as 1/|x|**p: of small elements, PyTorch's overflow in float16.
away = solid.map(lambda x: np.asarray(x + np.copysign(x.dtype.type(0.5), x)))
both("norm", over(away, powers, dtypes), "dim, keepdim, p, dtype", **how)
both("norm", st.tuples(floats(integer=True), powers), **how, twice=False)
few = st.lists(st.sampled_from([0, 1, -2, 3, float("inf"), -float("inf"), float("nan")]), min_size=1, max_size=4)
extreme = st.builds(np.array, few, st.sampled_from(["float32", "float64"]))
both("norm", st.tuples(extreme, powers), "p", **how, twice=False)

# ---- extrema ---------------------------------------------------------------------------------------------------------

for name in ("amax", "amin"):
    named = over(any_array()).filter(each_once)
    for where in ("x.", "torch."):
        first = "" if where == "x." else "x, "
        ask(named, f"x, dim, keepdim: {where}{name}({first}() if dim is None else dim, keepdim)", ulps=EQUAL)
for name in ("max", "min"):
    both(name, along(any_array(), flags), "axis, keepdims")
    both(name, pairs(), ulps=EQUAL)
    both(name, pairs(), "other", ulps=EQUAL)

# ---- exponentials and running sums -----------------------------------------------------------------------------------

# Over dim=(), that is all, PyTorch fails without keepdim, unless the tensor is 0-d or empty.
feasible = over(plain).filter(lambda drawn: drawn[1] != () or drawn[2] or not drawn[0].ndim or not drawn[0].size)
both("logsumexp", feasible, ulps=8, grad_least=1)
both("logsumexp", along(special, flags), "dim, keepdim", ulps=8, grad_least=1)
for name in ("softmax", "log_softmax"):
    both(name, along(plain), ulps=8, grad_least=1)
    both(name, along(exact, dtypes), "dim, dtype", ulps=8, grad_least=1)
for name in ("cumsum", "cumprod"):
    both(name, along(exact, dtypes), "dim, dtype", ulps=1, grad_ulps=64, grad_least=1)
    both(name, along(real), "axis", ulps=2, grad_ulps=64, grad_least=1)
    step = f"{name}_"
    number = exact.filter(lambda x: x.dtype != bool)
    ask(along(number), f"x, dim: x.{step}(dim)", ulps=1)
    covers = f"Tensor.{step}"
    ask(along(real), f"x, dim: x.clone().{step}(dim)", covers=covers, ulps=2, grad_ulps=64, grad_least=1)

# ---- order -----------------------------------------------------------------------------------------------------------

for name in ("sort", "argsort"):
    both(name, along(any_array(), flags))
    both(name, along(any_array(), flags, flags), "dim, stable, descending")
    both(name, one(any_array()))
different = any_array().filter(is_distinct)
both("topk", st.tuples(different, st.integers(-1, 3)))
both("topk", along(different, st.integers(0, 3), flags), "dim, k, largest")
both("median", one(any_array()), ulps=EQUAL)
both("median", along(different, flags))
both("mode", one(plain))
both("mode", along(plain, flags))

# ---- counting --------------------------------------------------------------------------------------------------------


@st.composite
def counted(draw: st.DrawFn, *more: st.SearchStrategy[Any]) -> tuple[Any, ...]:
    """Integers, mostly none of them negative, weights for them, and what else is drawn."""
    x = draw(arrays(st.sampled_from(INTEGERS), shapes(1, 1, max_side=8)))
    weights = draw(st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, x.shape)))
    return (abs(x), weights, *[draw(each) for each in more])


@st.composite
def sequences(draw: st.DrawFn) -> tuple[Any, Any]:
    """A sorted sequence, or mistakenly several, and values to look for in it."""
    x = draw(st.sampled_from(DTYPES[:-1]).flatmap(lambda dtype: of_dtype(dtype, shapes(1, 2))))
    return np.sort(x), draw(st.sampled_from([x.dtype.name, "float32"]).flatmap(lambda dtype: of_dtype(dtype, shapes())))


# More than 16 elements PyTorch brings in an order in which 0.0 and -0.0 are anywhere among each other.
unsigned = {"ulps": EQUAL, "detached": True}
both("unique", st.tuples(any_array(), flags, flags), "return_inverse, return_counts", **unsigned)
both("unique", along(plain, flags, flags), "dim, return_inverse, return_counts", detached=True)
both("unique", st.tuples(any_array(), flags, flags, flags), **unsigned)
both("bincount", one(any_array()))
both("bincount", counted().map(lambda drawn: (drawn[0], drawn[0])), "weights")
both("bincount", counted(st.integers(-1, 6)).map(lambda drawn: (drawn[0], drawn[2])), "minlength")
ask(
    counted(st.integers(0, 6)),
    "x, weights, least: x.bincount(weights.detach())",
    "x, weights, least: torch.bincount(x, weights=weights.detach(), minlength=least)",
)
# PyTorch looks at the limits of the elements before it refuses integers: 0 - 1 does not fit into bytes.
both("histc", one(plain.filter(lambda x: x.dtype != np.uint8 or x.any())))
limits = st.integers(-3, 3)
# Not without limits among the largest numbers, where what PyTorch computes overflows.
ranges = st.tuples(floats(special=True), st.integers(-1, 5), limits, limits).filter(
    lambda drawn: drawn[2] != drawn[3] or not (np.abs(drawn[0]) == np.finfo(drawn[0].dtype).max).any()
)
both("histc", ranges, "bins, min, max")
both("histogram", st.tuples(plain, st.integers(1, 5)), detached=True)
wide = st.sampled_from(FLOATS[:2]).flatmap(lambda dtype: of_dtype(dtype))
drawn = st.tuples(wide, st.integers(-1, 5), st.tuples(limits, limits), flags)
both("histogram", drawn, "bins, range, density", detached=True, ulps=2)
for keyword in ("right", "out_int32"):
    ask(
        st.tuples(sequences(), flags).map(lambda drawn: (*drawn[0], drawn[1])),
        f"x, v, given: torch.bucketize(v, x, **{{{keyword!r}: given}})",
    )
ask(sequences(), "x, v: torch.bucketize(2, x)")

# ---- membership ------------------------------------------------------------------------------------------------------

# What is looked for is in one piece: few elements that are not, PyTorch cannot see as one row.
whole = st.sampled_from(DTYPES[:-1]).flatmap(
    lambda dtype: st.tuples(of_dtype(dtype), of_dtype(dtype).map(lambda among: among.copy()))
)
ask(
    st.tuples(whole | st.tuples(of_dtype("int64"), st.integers(0, 3)), flags).map(lambda drawn: (*drawn[0], drawn[1])),
    "x, among, invert: torch.isin(x, among, invert=invert)",
)
ask(one(of_dtype("float32")), "x: torch.isin(x * 0 + 0.1, 0.1)")
