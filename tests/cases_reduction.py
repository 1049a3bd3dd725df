"""Rows of the table: reductions, running reductions, order and counting."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, INTEGERS, arrays, shapes
from table import EQUAL, Drawn, add, any_array, ask, dims, floats, of_dtype, one, pairs, with_dims

# Numbers, also as floats, whose sums and products are exact.
exact = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, integer=True))
real = floats(integer=False)
plain = any_array(special=False)
# Not the largest numbers, whose sums overflow or not as the order of the summands is.
special = floats(special=True).filter(lambda x: not (np.abs(x) == np.finfo(x.dtype).max).any())
dtypes = st.none() | st.sampled_from(DTYPES)
flags = st.booleans()


def both(name: str, arguments: Callable[..., Any], operands: Drawn, detached: bool = False, **how: Any) -> None:
    """Two rows, of the method and the function.

    `arguments` makes of the package, and of what is drawn after x, the positional and keyword arguments after x.
    """

    def as_method(api: Any, x: Any, *drawn: Any) -> Any:
        args, kwargs = arguments(api, *drawn)
        return getattr(x.detach() if detached else x, name)(*args, **kwargs)

    add(f"Tensor.{name}", as_method, operands, **how)
    function(name, arguments, operands, detached, **how)


def function(name: str, arguments: Callable[..., Any], operands: Drawn, detached: bool = False, **how: Any) -> None:
    """The second of these rows."""

    def as_function(api: Any, x: Any, *drawn: Any) -> Any:
        args, kwargs = arguments(api, *drawn)
        return getattr(api, name)(x.detach() if detached else x, *args, **kwargs)

    add(name, as_function, operands, **how)


def in_order(api: Any, *drawn: Any) -> Any:
    """What is drawn, as positional arguments."""
    return drawn, {}


def keyed(*names: str) -> Callable[..., Any]:
    """What is drawn, as keyword arguments of these names; a dtype is the package's, and without a dim no keepdim."""

    def arguments(api: Any, *drawn: Any) -> Any:
        given = dict(zip(names, drawn, strict=True))
        left_out = {"dim", "axis", "keepdim", "keepdims"} if given.get("dim", given.get("axis", 0)) is None else set()
        kept = {name: value for name, value in given.items() if name not in left_out}
        return (), {name: getattr(api, value) if value in DTYPES else value for name, value in kept.items()}

    return arguments


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
    both(name, keyed("axis", "keepdims"), over(exact), grad_least=1)
    both(name, keyed("dim", "keepdim", "dtype"), over(exact, dtypes), grad_least=1)
    numbers = special.filter(is_seldom_nan) if name == "nanmean" else special
    both(name, keyed("dim", "keepdim"), over(numbers), ulps=16, grad_least=1)
both("prod", keyed("dtype"), st.tuples(exact, dtypes), grad_least=1)
both("prod", keyed("dim", "keepdim"), along(exact, flags), grad_least=1)
both("prod", keyed("axis", "keepdims"), along(real, flags), ulps=8, grad_ulps=64, grad_least=1)
both("count_nonzero", keyed("dim"), with_dims(any_array()).map(lambda drawn: drawn[:2]))

# Of at least two elements each.  Not over dim=(), where PyTorch's gradient is wrong: it counts one element.
several = st.sampled_from(FLOATS).flatmap(lambda dtype: arrays(dtype, shapes(1, 3, min_side=2), integer=False))
corrections = st.sampled_from([None, 0, 1, 0.5, True])
for name in ("var", "std", "std_mean"):
    rows = function if name.endswith("mean") else both
    # The derivatives of the deviation of nearly equal elements are all rounding.
    how = {"ulps": 32, "grad_ulps": 2**10, "grad_least": 4, "twice": name.startswith("var")}
    if name.endswith("mean"):
        how["least"] = 1
    named = over(several, corrections).filter(lambda drawn: drawn[1] != ())
    rows(name, keyed("dim", "keepdim", "correction"), named, **how)
    rows(name, keyed("axis", "keepdims"), named.map(lambda drawn: drawn[:3]), **how)
    rows(name, keyed("unbiased"), st.tuples(several, flags), **how)
    rows(name, in_order, st.tuples(several, flags), **how)
    rows(name, in_order, along(several, flags, flags), **how)
    # Also of too few elements, where derivatives are infinities of either sign, and of other dtypes.
    rows(name, keyed("dim", "keepdim", "correction"), over(plain, corrections), detached=True, ulps=32)
    rows(name, in_order, st.tuples(plain, dims, flags), detached=True, ulps=32)
powers = st.sampled_from([0, 1, 2, 3, 1.5, 0.5, -1, float("inf"), -float("inf"), "fro", None])
how = {"ulps": 8, "grad_ulps": 64, "grad_least": 1}
solid = real.filter(lambda x: x.size > 0)
both("norm", keyed("p"), st.tuples(solid, powers), **how, twice=False)
both("norm", keyed("dim", "keepdim", "p", "dtype"), over(solid, powers, dtypes), **how, twice=False)
# Second derivatives are differences of numbers as large as 1/|x|**p: of small elements, PyTorch's overflow in float16.
away = solid.map(lambda x: np.asarray(x + np.copysign(x.dtype.type(0.5), x)))
both("norm", keyed("dim", "keepdim", "p", "dtype"), over(away, powers, dtypes), **how)
both("norm", in_order, st.tuples(floats(integer=True), powers), **how, twice=False)
few = st.lists(st.sampled_from([0, 1, -2, 3, float("inf"), -float("inf"), float("nan")]), min_size=1, max_size=4)
extreme = st.builds(np.array, few, st.sampled_from(["float32", "float64"]))
both("norm", keyed("p"), st.tuples(extreme, powers), **how, twice=False)

# ---- extrema ---------------------------------------------------------------------------------------------------------

for name in ("amax", "amin"):
    named = over(any_array()).filter(each_once)
    both(name, lambda api, dim, keepdim: ((() if dim is None else dim, keepdim), {}), named, ulps=EQUAL)
for name in ("max", "min"):
    both(name, keyed("axis", "keepdims"), along(any_array(), flags))
    both(name, in_order, pairs(), ulps=EQUAL)
    both(name, keyed("other"), pairs(), ulps=EQUAL)

# ---- exponentials and running sums -----------------------------------------------------------------------------------

# Over dim=(), that is all, PyTorch fails without keepdim, unless the tensor is 0-d or empty.
feasible = over(plain).filter(lambda drawn: drawn[1] != () or drawn[2] or not drawn[0].ndim or not drawn[0].size)
both("logsumexp", in_order, feasible, ulps=8, grad_least=1)
both("logsumexp", keyed("dim", "keepdim"), along(special, flags), ulps=8, grad_least=1)
for name in ("softmax", "log_softmax"):
    both(name, in_order, along(plain), ulps=8, grad_least=1)
    both(name, keyed("dim", "dtype"), along(exact, dtypes), ulps=8, grad_least=1)
for name in ("cumsum", "cumprod"):
    both(name, keyed("dim", "dtype"), along(exact, dtypes), ulps=1, grad_ulps=64, grad_least=1)
    both(name, keyed("axis"), along(real), ulps=2, grad_ulps=64, grad_least=1)
    step = f"{name}_"
    number = exact.filter(lambda x: x.dtype != bool)
    add(f"Tensor.{step}", lambda api, x, dim, f=step: getattr(x, f)(dim), along(number), ulps=1)
    add(
        f"Tensor.{step}",
        lambda api, x, dim, f=step: getattr(x.clone(), f)(dim),
        along(real),
        ulps=2,
        grad_ulps=64,
        grad_least=1,
    )

# ---- order -----------------------------------------------------------------------------------------------------------

for name in ("sort", "argsort"):
    both(name, in_order, along(any_array(), flags))
    both(name, keyed("dim", "stable", "descending"), along(any_array(), flags, flags))
    both(name, in_order, one(any_array()))
different = any_array().filter(is_distinct)
both("topk", in_order, st.tuples(different, st.integers(-1, 3)))
both("topk", keyed("dim", "k", "largest"), along(different, st.integers(0, 3), flags))
both("median", in_order, one(any_array()), ulps=EQUAL)
both("median", in_order, along(different, flags))
both("mode", in_order, one(plain))
both("mode", in_order, along(plain, flags))

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
both("unique", keyed("return_inverse", "return_counts"), st.tuples(any_array(), flags, flags), **unsigned)
both("unique", keyed("dim", "return_inverse", "return_counts"), along(plain, flags, flags), detached=True)
both("unique", in_order, st.tuples(any_array(), flags, flags, flags), **unsigned)
both("bincount", in_order, one(any_array()))
both("bincount", keyed("weights"), counted().map(lambda drawn: (drawn[0], drawn[0])))
both("bincount", keyed("minlength"), counted(st.integers(-1, 6)).map(lambda drawn: (drawn[0], drawn[2])))
weighted = (
    lambda api, x, weights, least: x.bincount(weights.detach()),
    lambda api, x, weights, least: api.bincount(x, weights=weights.detach(), minlength=least),
)
for covers, call in zip(("Tensor.bincount", "bincount"), weighted, strict=True):
    add(covers, call, counted(st.integers(0, 6)))
# PyTorch looks at the limits of the elements before it refuses integers: 0 - 1 does not fit into bytes.
both("histc", in_order, one(plain.filter(lambda x: x.dtype != np.uint8 or x.any())))
limits = st.integers(-3, 3)
# Not without limits among the largest numbers, where what PyTorch computes overflows.
ranges = st.tuples(floats(special=True), st.integers(-1, 5), limits, limits).filter(
    lambda drawn: drawn[2] != drawn[3] or not (np.abs(drawn[0]) == np.finfo(drawn[0].dtype).max).any()
)
both("histc", keyed("bins", "min", "max"), ranges)
both("histogram", in_order, st.tuples(plain, st.integers(1, 5)), detached=True)
wide = st.sampled_from(FLOATS[:2]).flatmap(lambda dtype: of_dtype(dtype))
drawn = st.tuples(wide, st.integers(-1, 5), st.tuples(limits, limits), flags)
both("histogram", keyed("bins", "range", "density"), drawn, detached=True, ulps=2)
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
