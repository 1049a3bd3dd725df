"""Rows of the table: arithmetic, mathematics, selecting, comparison and logic, activations."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, INTEGERS, arrays, broadcastable_shapes, shapes
from table import Drawn, add, any_array, ask, binary, both, floats, forms, numbers, of_dtype, one, pairs

real = floats(integer=False)
# Between -1 and 1, where every function here has a value.
inside = floats(integer=False).map(lambda x: np.asarray(np.tanh(x)).astype(x.dtype))
positive = floats(integer=False).map(lambda x: np.abs(x) + x.dtype.type(0.25))
whole = st.sampled_from((*INTEGERS, "bool")).flatmap(lambda dtype: of_dtype(dtype))
plain_numbers = st.sampled_from([2, 3.0, 0.5, -1, 0, 1, -2, 2.5, -0.25])


@st.composite
def alike(draw: st.DrawFn, count: int, dtypes: Any = FLOATS, special: bool = False) -> tuple[Any, ...]:
    """Arrays of one dtype, whose shapes broadcast to that of the first."""
    dtype = draw(st.sampled_from(dtypes))
    a, b = draw(broadcastable_shapes())
    shape = np.broadcast_shapes(a, b)
    return tuple(draw(of_dtype(dtype, each, special)) for each in (shape, b, a, b)[:count])


def mixed(special: bool = True) -> Drawn:
    """A tensor and a tensor of one dtype, or a number."""
    return st.one_of(alike(2, DTYPES, special), st.tuples(any_array(special), plain_numbers))


# ---- functions of one tensor -----------------------------------------------------------------------------------------

# By name: in how many units the values may differ, and where the derivatives are compared.
UNARY: dict[str, tuple[float, Any]] = {
    **dict.fromkeys(("abs", "absolute", "neg", "negative", "sign", "sgn", "square"), (0, real)),
    **dict.fromkeys(("floor", "ceil", "trunc", "fix", "round", "relu"), (0, real)),
    **dict.fromkeys(("exp", "exp2", "expm1", "sin", "cos", "sinh", "cosh", "atan", "arctan"), (4, real)),
    **dict.fromkeys(("sigmoid", "erf"), (8, real)),
    **dict.fromkeys(("log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal"), (4, positive)),
    **dict.fromkeys(("asin", "acos", "arcsin", "arccos", "tanh", "tan"), (4, inside)),
}
for name, (ulps, where_smooth) in UNARY.items():
    how: dict[str, Any] = {"ulps": ulps, "grad_ulps": 2**12, "grad_least": 1}
    forms(name, one(where_smooth), **how)
    # Everything else is detached: at the edges of a domain, derivatives are infinite or nan as the formula is written.
    ask(one(any_array()), f"x: x.detach().{name}()", covers=f"Tensor.{name}", ulps=ulps)
    ask(one(any_array()), f"x: x.detach().{name}_()", covers=f"Tensor.{name}_", ulps=ulps)
    ask(one(real), f"x: x.{name}_()", ulps=ulps)
both("positive", one(any_array()))
forms("round", st.tuples(real, st.sampled_from([-1, 0, 1, 2])), "n: decimals=n", ulps=1)
ask(one(any_array(special=False)), "x: torch.round(x, decimals=1)", ulps=1)
ask(one(real), "x: torch.abs(input=x)")

# ---- arithmetic ------------------------------------------------------------------------------------------------------

for name in ("add", "sub", "mul", "div", "multiply", "subtract", "divide", "true_divide"):
    forms(name, mixed())
    ask(st.tuples(any_array(), plain_numbers), f"x, n: torch.{name}(n, x)", ulps=1)
    ask(pairs(FLOATS, special=False), f"x, y: torch.{name}(x, other=y)")
for name in ("add", "sub"):
    scaled = st.tuples(mixed(special=False), st.sampled_from([2, -1, 0.5, 1, 0, True, 1.0])).map(
        lambda d: (*d[0], d[1])
    )
    # PyTorch multiplies and adds in one step, with one rounding.
    forms(name, scaled, "y, alpha: y, alpha=alpha", ulps=2)
    ask(st.tuples(real, plain_numbers), f"x, n: torch.{name}(n, x, alpha=3)", ulps=2)
modes = st.sampled_from(["floor", "trunc", "up"])
for name in ("div", "divide"):
    rounded = st.tuples(mixed(), modes).map(lambda d: (*d[0], d[1]))
    forms(name, rounded, "y, mode: y, rounding_mode=mode")
for name in ("remainder", "fmod"):
    forms(name, mixed(), grad_ulps=64)
    forms(name, alike(2), grad_ulps=64)
# Of what follows, PyTorch has no derivative.
whole_quotients = mixed().map(
    lambda drawn: tuple([Plain(each) if isinstance(each, np.ndarray) else each for each in drawn])
)


def undifferentiated(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The call of `f` on operands that require no gradient."""

    def call(api: Any, *drawn: Any) -> Any:
        return f(*[api.from_numpy(each) if isinstance(each, np.ndarray) else each for each in drawn])

    return call


add("floor_divide", lambda api, *xy: undifferentiated(api.floor_divide)(api, *xy), whole_quotients)
add("floor_divide", lambda api, x, n: api.floor_divide(n, x.detach()), st.tuples(any_array(), plain_numbers))
add("remainder", lambda api, x, n: api.remainder(n, x.detach()), st.tuples(any_array(), plain_numbers))
add("Tensor.floor_divide", undifferentiated(lambda x, y: x.floor_divide(y)), whole_quotients)
add("Tensor.floor_divide_", undifferentiated(lambda x, y: x.floor_divide_(y)), whole_quotients)
add("Tensor.__floordiv__", undifferentiated(operator.floordiv), whole_quotients)
add("Tensor.__ifloordiv__", undifferentiated(operator.ifloordiv), whole_quotients)
add("Tensor.__rfloordiv__", undifferentiated(lambda x, n: n // x), st.tuples(any_array().map(Plain), plain_numbers))
add("Tensor.__rmod__", undifferentiated(lambda x, n: n % x), st.tuples(any_array().map(Plain), plain_numbers))
ask(binary(), "x, y: x % y", covers="Tensor.__mod__", grad_ulps=64)
ask(mixed(), "x, y: operator.imod(x.clone(), y)", covers="Tensor.__imod__", grad_ulps=64)
ask(mixed(), "x, y: operator.imod(x, y)", covers="Tensor.__imod__")
ask(st.tuples(real, plain_numbers), "x, n: x.__rdiv__(n)", ulps=2)
ask(st.tuples(positive, st.sampled_from([2, 3, 0.5, 1])), "x, n: x.clone().pow_(n)", covers="Tensor.pow_", ulps=4)
weights = st.sampled_from([0.25, 0.5, 0.75, 0, 1, 2.0, -1.5])
forms("lerp", st.tuples(alike(2), weights).map(lambda d: (*d[0], d[1])), ulps=2)
forms("lerp", alike(3), ulps=4, grad_ulps=64, grad_least=1)
ask(pairs(special=False), "x, y: torch.lerp(x, y, 0.5)", ulps=2)

# ---- selecting -------------------------------------------------------------------------------------------------------

for name in ("maximum", "minimum"):
    both(name, pairs(), ulps=1)
bounds = st.sampled_from([-1, 0.5, 2, None, 0, -0.25])
for name in ("clamp", "clip"):
    # To one unit: of 0.0 and -0.0, either may be the larger one.
    forms(name, st.tuples(any_array(), bounds, bounds), ulps=1)
    forms(name, st.tuples(real, bounds, bounds), "low, high: min=low, max=high")
for name in ("clamp_min", "clamp_max"):
    forms(name, st.tuples(any_array(), plain_numbers), ulps=1)
both("clamp", pairs(FLOATS, special=False), "y: min=y.detach()", ulps=1)
masked = st.tuples(alike(2, special=True), st.sampled_from([0, -1, 2.5, float("inf"), True])).map(
    lambda d: (*d[0], d[1])
)
forms("masked_fill", masked, "y, value: y > 0, value")
ask(st.tuples(any_array(), numbers), "x, n: torch.masked_fill(x, x == 1, n)")
ask(pairs(special=False), "x, y: torch.masked_fill(x, y.detach(), 1)")
filled = st.sampled_from(FLOATS).flatmap(lambda dtype: st.tuples(of_dtype(dtype), arrays(dtype, ())))
forms("masked_fill", filled, "value: mask=value.detach() > 0, value=value")
branches = st.one_of(mixed(), pairs())
add("Tensor.where", lambda api, x, y: x.where(x > 0, y), branches)
add("where", lambda api, x, y: api.where(x.detach() > 0, x, y), branches)
add("where", lambda api, x, y: api.where(x.detach() > 0, y, x), branches)
ask(alike(2), "x, y: torch.where(x.detach() > 0, y, 1)")
ask(st.tuples(any_array(), plain_numbers, plain_numbers), "x, m, n: torch.where(x > 0, m, n)")
ask(pairs(special=False), "x, y: torch.where(y.detach(), x, x * 2)")
ask(one(any_array()), "x: [indices.tolist() for indices in torch.where(x)]", covers="where")

# ---- comparison, logic and bits --------------------------------------------------------------------------------------

for name in ("eq", "ne", "lt", "le", "gt", "ge", "not_equal", "less", "less_equal", "greater", "greater_equal"):
    both(name, mixed(), 'y: y.detach() if hasattr(y, "detach") else y')
for name in ("isnan", "isinf", "isfinite"):
    both(name, one(any_array()))
for name in ("logical_and", "logical_or", "logical_xor"):
    both(name, alike(2, DTYPES, special=True))
both("logical_not", one(any_array()))
ask(one(any_array()), "x: torch.isclose(x, x, -1.0)", "x: torch.allclose(x, x, 1e-05, -1.0)")
bits = st.one_of(alike(2, (*INTEGERS, "bool", "float32")), st.tuples(whole, st.sampled_from([0, 1, 3, True])))
shifts = st.one_of(
    st.sampled_from(INTEGERS).flatmap(
        lambda dtype: st.tuples(of_dtype(dtype), arrays(dtype, ()).map(lambda n: np.asarray(n % 5).astype(n.dtype)))
    ),
    st.tuples(whole, st.sampled_from([0, 1, 3])),
)
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    forms(name, bits)
    ask(st.tuples(whole, st.integers(0, 3)), f"x, n: torch.{name}(n, x)")
forms("bitwise_not", one(any_array()))
for name, f in (("left", operator.lshift), ("right", operator.rshift)):
    forms(f"bitwise_{name}_shift", shifts)
    add(f"Tensor.__{name[0]}shift__", lambda api, x, y, f=f: f(x, y), shifts)
    small = of_dtype("int64", integer=True).map(lambda x: np.asarray(x % 5))
    add(f"Tensor.__r{name[0]}shift__", lambda api, x, n, f=f: f(n, x), st.tuples(small, st.integers(0, 9)))
    step = operator.ilshift if name == "left" else operator.irshift
    add(f"Tensor.__i{name[0]}shift__", lambda api, x, y, f=step: f(x.clone(), y), shifts)

# ---- activations -----------------------------------------------------------------------------------------------------


def activation(name: str, *arguments: Any, **how: Any) -> None:
    """Rows of an activation with these arguments, and of its `inplace` form if `inplace` is among the settings."""
    in_place = how.pop("inplace", False)
    settings = {"ulps": 8, "grad_ulps": 2**12, "grad_least": 1, **how}
    given = "".join([f", {each}" for each in arguments])
    ask(one(real), f"x: F.{name}(x{given})", **settings)
    ask(one(any_array()), f"x: F.{name}(x.detach(){given})", ulps=8)
    if in_place:
        ask(one(real), f"x: F.{name}(x.clone(){given}, inplace=True)", **settings)


for name in ("relu", "silu"):
    activation(name, inplace=True)
for name in ("elu", "leaky_relu"):
    activation(name, inplace=True)
    activation(name, 0.5, inplace=True)
activation("hardtanh", -0.5, 1.5, inplace=True)
activation("hardtanh", 2, 1)
for name in ("softplus", "logsigmoid", "sigmoid", "tanh"):
    activation(name)
activation("softplus", 2, 1)
for approximate in ("none", "tanh", "other"):
    # 1 + erf(x), each right to a unit, cancels where x is negative.
    ask(one(real), f"x: F.gelu(x, approximate={approximate!r})", ulps=8, least=1, grad_ulps=2**12, grad_least=1)
ask(one(real), "x: F.relu_(x * 1)", ulps=8, grad_ulps=2**12)


@st.composite
def with_weights(draw: st.DrawFn) -> tuple[Any, Any]:
    """An array and weights for its channels."""
    dtype = draw(st.sampled_from(FLOATS))
    x = draw(of_dtype(dtype, shapes(0, 3)))
    sizes = draw(st.sampled_from([(), (1,), (x.shape[1] if x.ndim > 1 else 1,), (2,)]))
    return x, draw(of_dtype(dtype, sizes))


for operands, twice in (
    (with_weights(), False),
    # PyTorch's first gradient at 0 is that from below, its second that from above; minigrad's are both from below.
    (with_weights().filter(lambda drawn: bool(drawn[0].all())), True),
):
    ask(operands, "x, w: F.prelu(x, w)", grad_ulps=64, grad_least=1, twice=twice)
