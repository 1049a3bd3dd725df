"""Rows of the table: what a tensor is, arithmetic, reductions, shapes, writes, creation."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, arrays, shapes
from table import (
    EQUAL,
    add,
    any_array,
    ask,
    binary,
    dims,
    factors,
    floats,
    numbers,
    of_dtype,
    one,
    pairs,
    reflected,
    straight,
    with_dims,
    with_expansion,
    with_shape,
)

for name in ("shape", "dtype", "device", "ndim", "requires_grad", "is_leaf", "_version"):
    ask(one(any_array()), f"x: x.{name}")
for name in ("dim", "size", "numel", "element_size", "is_contiguous", "is_floating_point", "tolist", "stride"):
    # PyTorch gives an array of no elements the steps that NumPy does: all 0.
    given = any_array().filter(np.size) if name == "stride" else any_array()
    ask(one(given), f"x: x.{name}()")
ask(st.tuples(any_array(), dims), "x, dim: x.size(dim)")
ask(st.tuples(any_array().filter(np.size), dims | st.none()), "x, dim: x.stride(dim)")
ask(one(of_dtype("float32")), "x: torch.zeros(x.shape).stride()", covers="Tensor.stride")
of_nothing = one(st.sampled_from([(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3)]))
for form in ("x + 1", "x.sum_to_size(1, *x.shape[1:])", "x.sum(-1)"):
    ask(of_nothing, f"shape: (lambda x: {form})(torch.zeros(shape)).stride()", covers="Tensor.stride")
new_dims = [
    (None,), (slice(None), None), (None, slice(None), None, 1), (0, None), (None, slice(None, None, 2), None),
    (slice(None), slice(0, 1), None, 0), (Ellipsis, None, 0), (1, None, slice(1, 2), None), (None, Ellipsis),
]  # fmt: skip
ask(
    st.tuples(of_dtype("float32", st.permutations([2, 3, 4]).map(tuple)), st.sampled_from(new_dims)),
    "x, index: (x[index].stride(), x.transpose(0, 1)[index].stride())",
    covers="Tensor.stride",
)
ask(
    one(of_dtype("float32").filter(lambda x: x.size > 1 and 1 not in x.shape)),
    "x: x.unsqueeze(0).expand(2, *x.shape).stride()",
    covers="Tensor.stride",
)
for function in (len, repr, str, bool, int, float, operator.index, hash):
    value = (lambda api, x: isinstance(hash(x), int)) if function is hash else lambda api, x, f=function: f(x)
    add(f"Tensor.__{function.__name__}__".replace("str", "repr"), value, one(any_array()))
for function in (bool, int, float, operator.index):
    few = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=1), special=True))
    add(f"Tensor.__{function.__name__}__", lambda api, x, f=function: f(x), one(few))
    ask(one(few), "x: x.item()")
ask(
    st.tuples(any_array(), st.sampled_from(["", ".2f", "5", "d"])),
    "x, spec: format(x, spec)",
    covers="Tensor.__format__",
)
ask(
    st.tuples(arrays("float32", ()), st.sampled_from(["", ".2f", "5"])),
    "x, spec: format(x, spec)",
    covers="Tensor.__format__",
)
ask(one(any_array()), "x: x.item()", "x: x.numpy()")
ask(st.tuples(any_array(), numbers), "x, y: y in x", covers="Tensor.__contains__")
ask(one(any_array()), "x: list(x)", covers="Tensor.__iter__")
ask(one(any_array()), "x: reversed(x)", covers="Tensor.__reversed__")
ask(one(floats()), "x: torch.finfo(x.dtype).eps")
ask(one(any_array()), "x: x.data", "x: x.data_ptr() == x.detach().data_ptr()")
ask(one(any_array()), "x: x.detach()", covers="Tensor.detach")
ask(one(floats()), "x: ((x * 2).sum().backward(), x.grad)[1]", covers="Tensor.grad Tensor.backward")
for call in (
    lambda api, x: (x.retain_grad(), (x * 2).retains_grad, (x * 2).output_nr, x.retains_grad),
    lambda api, x: ((y := x * 2).retain_grad(), (y * 3).sum().backward(), y.grad)[2],
):
    add("Tensor.retain_grad Tensor.retains_grad Tensor.output_nr", call, one(floats()))
ask(
    one(floats()),
    "x: ((y := (x * 2)).register_hook(lambda g: g * 3), y.sum().backward(), x.grad)[2]",
    covers="Tensor.register_hook",
)
ask(one(floats()), "x: (x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2)), x.sum().backward(), x.grad)[2]")
ask(
    one(of_dtype("float32", ())),
    "x: (x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2) and None), x.sum().backward())[1]",
)
ask(one(any_array()), "x: ((y := (x * 2)).detach_() is y, y, x.detach_())")
ask(with_expansion(), "x, size: x.expand(size).sum_to_size(x.shape)", covers="Tensor.sum_to_size", ulps=1)
ask(with_expansion(), "x, size: x.sum_to_size(*size)", ulps=1)
ask(one(any_array()), "x: (x * 2).grad_fn is None", covers="Tensor.grad_fn")
ask(st.tuples(any_array(), st.booleans()), "x, on: x.requires_grad_(on)")
ask(one(any_array()), "x: (torch.is_tensor(x), torch.is_tensor(3))")

# ---- the table: arithmetic -------------------------------------------------------------------------------------------


for name in ("add", "sub", "mul", "truediv", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor"):
    f = getattr(operator, name)
    plain = name.rstrip("_")
    add(f"Tensor.__{plain}__", straight(f), binary())
    covers = f"Tensor.__r{plain}__" if plain in ("add", "sub", "mul", "truediv") else f"Tensor.__{plain}__"
    # A number over a float16 PyTorch takes for the rounded 1 / x times the number, which may overflow on the way.
    is_over = name == "truediv"
    add(covers, reflected(f), st.tuples(any_array(special=not is_over), numbers), ulps=2 if is_over else 0)
# PyTorch's backward pass fails for an exponent, and for a number as a base, that is a bool; the second derivatives
# at 0 and at the infinities are 0 or nan as the formula happens to be written.
powers = binary().filter(
    lambda pair: (
        np.asarray(pair[1]).dtype.kind != "b"
        and (isinstance(pair[1], np.ndarray) or float(pair[1]) not in (2.0**40, 1e300))
    )
)
add("Tensor.__pow__", straight(operator.pow), powers, ulps=4, twice=False)
positive = floats(integer=False).map(lambda x: np.abs(x) + x.dtype.type(0.5))
add(
    "Tensor.__pow__",
    straight(operator.pow),
    positive.flatmap(lambda x: st.tuples(st.just(x), st.just(x[::-1] / 4) if x.ndim else st.just(x))),
    ulps=8,
    grad_ulps=64,
)
# Not 0 and False, whose derivative at 0 PyTorch takes in three ways, nor 2**40 and 1e300, which float32 does not hold.
exponents = numbers.filter(lambda n: n and float(n) not in (2.0**40, 1e300))
bases = exponents.filter(lambda n: n is not True)
ask(st.tuples(any_array(), exponents), "x, y: x.pow(y)", ulps=4, twice=False)
ask(st.tuples(floats(), exponents), "x, y: torch.pow(x, y)", ulps=4, twice=False)
add("Tensor.__rpow__ pow", reflected(operator.pow), st.tuples(any_array(), bases), ulps=4, twice=False)
ask(st.tuples(floats(), bases), "x, y: torch.pow(y, x)", ulps=4, twice=False)
add(
    "Tensor.__pow__",
    straight(operator.pow),
    st.tuples(floats(integer=True), st.sampled_from([2, 3, 0, 1, 0.5, -1, -2, 2.0])),
    ulps=2,
)
ask(one(any_array()), "x: -x", covers="Tensor.__neg__")
ask(one(any_array()), "x: +x", covers="Tensor.__pos__")
ask(one(any_array()), "x: abs(x)", covers="Tensor.__abs__")
ask(one(any_array()), "x: ~x", covers="Tensor.__invert__")
# To one unit: all sums here are exact, but the sign of one that is zero is up to the library of matrix products.
add("Tensor.__matmul__", straight(operator.matmul), factors(), ulps=1)
add("Tensor.__matmul__", straight(operator.matmul), pairs(special=False), ulps=1)
for name in ("add", "sub", "mul", "truediv"):
    step = getattr(operator, f"i{name}")
    add(f"Tensor.__i{name}__", straight(step), binary())
    add(f"Tensor.__i{name}__", lambda api, x, y, f=step: f(x.clone(), y), binary())

# ---- the table: comparison and reductions ----------------------------------------------------------------------------

ask(pairs(), "x, y: (x.equal(y), torch.equal(x, y))", covers="Tensor.equal equal")
ask(one(any_array()), "x: (x.equal(x), x.equal(x.clone()))")
close = st.tuples(pairs(), st.sampled_from([1e-5, 0.5]), st.sampled_from([1e-8, 1.0]), st.booleans()).map(
    lambda d: (*d[0], *d[1:])
)
ask(close, "x, y, *how: x.isclose(y, *how)", covers="Tensor.isclose isclose")
add("isclose", lambda api, x, y, *how: api.isclose(x, y, *how), close)
add("Tensor.allclose", lambda api, x, y, *how: x.allclose(y, *how), close)
add("allclose", lambda api, x, y, *how: api.allclose(x, y, *how), close)
ask(st.one_of(pairs(), st.tuples(any_array(), numbers)), "x, y: torch.result_type(x, y)")


def _reduced(name: str, as_function: bool) -> Callable[..., Any]:
    def call(api: Any, x: Any, dim: Any, keepdim: bool) -> Any:
        f = partial(getattr(api, name), x) if as_function else getattr(x, name)
        return f() if dim is None and not keepdim else f(dim, keepdim)

    return call


for name in ("all", "any"):
    add(f"Tensor.{name}", _reduced(name, False), with_dims(any_array()), grad_least=1)
    add(name, _reduced(name, True), with_dims(any_array()), grad_least=1)
for name in ("max", "min", "argmax", "argmin"):
    one_dim = with_dims(any_array(), several=False)
    if not name.startswith("arg"):
        one_dim = one_dim.filter(lambda drawn: drawn[1] is not None)
        whole = any_array().map(lambda x: (x, None, False))
        add(f"Tensor.{name}", _reduced(name, False), whole, ulps=EQUAL)
        add(name, _reduced(name, True), whole, ulps=EQUAL)
    add(f"Tensor.{name}", _reduced(name, False), one_dim)
    add(name, _reduced(name, True), one_dim)

# ---- the table: shapes -----------------------------------------------------------------------------------------------

add("Tensor.reshape", lambda api, x, shape: x.reshape(shape), with_shape())
add("Tensor.reshape", lambda api, x, shape: x.reshape(*shape), with_shape())
add("reshape", lambda api, x, shape: api.reshape(x, shape), with_shape())
add("Tensor.view", lambda api, x, shape: x.view(shape), with_shape())
add("Tensor.view", lambda api, x, shape: x.view(*shape), with_shape())
orders = any_array().flatmap(
    lambda x: st.tuples(st.just(x), st.permutations(range(x.ndim)) | st.lists(dims, max_size=3))
)
ask(orders, "x, order: x.permute(order)", "x, order: x.permute(*order)", "x, order: torch.permute(x, tuple(order))")
ask(st.tuples(any_array(), dims, dims), "x, *two: x.transpose(*two)", "x, *two: torch.transpose(x, *two)")
ask(one(any_array()), "x: x.t()", "x: torch.t(x)", "x: x.T", "x: x.mT")
ask(st.tuples(any_array(), dims), "x, dim: x.unsqueeze(dim)", "x, dim: torch.unsqueeze(x, dim)")
thin = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=2)))
squeezed = with_dims(thin).map(lambda drawn: drawn[:2])
add("Tensor.squeeze", lambda api, x, dim: x.squeeze() if dim is None else x.squeeze(dim), squeezed)
add("squeeze", lambda api, x, dim: api.squeeze(x) if dim is None else api.squeeze(x, dim), squeezed)
ask(with_expansion(), "x, sizes: x.expand(sizes)", "x, sizes: x.expand(*sizes)")
ask(one(any_array()), "x: x.contiguous()")

# ---- the table: copies, conversions, writes --------------------------------------------------------------------------

ask(one(any_array()), "x: x.clone()")
ask(one(any_array()), "x: x.unsqueeze(0).expand(2, *x.shape).clone()", covers="Tensor.clone")
ask(one(any_array()), "x: torch.clone(x)")
for name in ("float", "double", "half", "long", "int", "bool", "cpu"):
    ask(one(any_array(special=False)), f"x: x.{name}()")
ask(pairs(special=False), "x, y: x.type_as(y)")
fitting = st.sampled_from([0, 1, True, 2.5, -1.0, 3])
# PyTorch refuses to assign NumPy's scalars.
values = fitting | numbers.filter(lambda n: not isinstance(n, np.generic) or isinstance(n, float))
# Of one float16 PyTorch makes an infinity where it refuses to make two.
small = numbers.filter(lambda n: not 65504 < abs(float(n)) < np.inf)
for name in ("fill_", "zero_"):
    call = (lambda api, x, v: x.fill_(v)) if name == "fill_" else (lambda api, x, v: x.zero_())
    add(f"Tensor.{name}", call, st.tuples(any_array(), fitting | small))
    add(f"Tensor.{name}", lambda api, x, v, f=call: f(api, x.clone(), v), st.tuples(any_array(), fitting))
ask(pairs(special=False), "x, y: x.copy_(y)")
ask(pairs(special=False), "x, y: x.clone().copy_(y)", covers="Tensor.copy_")
indices = st.sampled_from([0, -1, slice(None), slice(1, None), ..., None, (..., 0), [0], slice(None, None, 2)])
ask(st.tuples(any_array(), indices), "x, i: x[i]", covers="Tensor.__getitem__")
# With elements, where 0 is an index: of two errors, such as a write to a leaf too, either may be the first.
solid = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, shapes(1, 3, min_side=1), special=True))
ask(st.tuples(solid, indices, values), "x, i, v: operator.setitem(x, i, v)", covers="Tensor.__setitem__")
for name, arguments in (
    ("uniform_", (-1.0, 2.0)),
    ("normal_", (1.0, 2.0)),
    ("exponential_", (0.5,)),
    ("bernoulli_", (0.25,)),
):
    ask(st.tuples(any_array(), st.integers(0, 9)), f"x, seed: x.{name}(*{arguments!r}, generator=source(seed))", ulps=2)

# ---- the table: creation ---------------------------------------------------------------------------------------------

dtype_names = st.none() | st.sampled_from(DTYPES)


leaves = st.integers(-3, 3) | st.booleans() | st.sampled_from([0.5, 2.0, float("nan")])
nested: st.SearchStrategy[Any] = leaves
for _ in range(3):
    nested = leaves | st.lists(nested, max_size=3) | st.lists(nested, max_size=2).map(tuple)
data = (
    nested
    | st.tuples(st.lists(st.lists(numbers, min_size=2, max_size=2), max_size=3)).map(lambda d: d[0])
    | any_array().map(Plain)
    | numbers
)


def _is_odd(drawn: tuple[Any, ...]) -> bool:
    """NumPy's floats in a list for an integer dtype are a TypeError in PyTorch, Python's are not.

    Left out as well: lists beside empty lists, which PyTorch takes for rows of a tensor without elements.
    """
    empty = isinstance(drawn[0], list | tuple) and ("[]" in repr(drawn[0]) or "()" in repr(drawn[0]))
    return empty or (drawn[1] not in (None, *FLOATS) and "np.float" in repr(drawn[0]))


ask(
    st.tuples(data, dtype_names, st.booleans()).filter(lambda drawn: not _is_odd(drawn)),
    "value, dtype, grad: torch.tensor(value, dtype=dtype_of(dtype), requires_grad=grad)",
)
ask(
    st.tuples(data | any_array(), dtype_names).filter(lambda drawn: not _is_odd(drawn)),
    "value, dtype: torch.as_tensor(value, dtype=dtype_of(dtype))",
)
lists = st.lists(any_array(), max_size=3) | any_array().flatmap(lambda x: st.lists(st.just(x), min_size=1, max_size=3))
for name in ("cat", "stack"):
    ask(st.tuples(lists.map(tuple), dims), f"xs, dim: torch.{name}([torch.tensor(x) for x in xs], dim)")
    ask(
        floats(1)
        .filter(lambda x: x.shape != (0,))
        .flatmap(lambda x: st.tuples(st.just(x), st.just(x[::-1].copy()), st.integers(-x.ndim, x.ndim - 1))),
        f"x, y, dim: torch.{name}([x, y * 2, x], dim)",
    )
ask(one(any_array()), "x: x.nelement()", "x: x.data")
for name, sign in (("and", "&"), ("or", "|"), ("xor", "^")):
    ask(st.tuples(of_dtype("int64"), st.integers(0, 3)), f"x, n: n {sign} x", covers=f"Tensor.__r{name}__")
    ask(st.tuples(of_dtype("int64"), st.integers(0, 3)), f"x, n: operator.i{name}(x, n)", covers=f"Tensor.__i{name}__")
ask(st.tuples(floats(integer=True), st.sampled_from([2, 3])), "x, n: operator.ipow(x, n)", covers="Tensor.__ipow__")
ask(one(any_array().map(Plain)), "x: torch.from_numpy(x)")
ask(
    st.tuples(floats(1), st.integers(0, 3), st.booleans(), st.integers(0, 9)),
    "x, n, replacement, seed: torch.multinomial(x, n, replacement, generator=source(seed))",
)
