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
    add(f"Tensor.{name}", lambda api, x, name=name: getattr(x, name), one(any_array()))
for name in ("dim", "size", "numel", "element_size", "is_contiguous", "is_floating_point", "tolist", "stride"):
    # PyTorch gives an array of no elements the steps that NumPy does: all 0.
    given = any_array().filter(np.size) if name == "stride" else any_array()
    add(f"Tensor.{name}", lambda api, x, name=name: getattr(x, name)(), one(given))
add("Tensor.size", lambda api, x, dim: x.size(dim), st.tuples(any_array(), dims))
add("Tensor.stride", lambda api, x, dim: x.stride(dim), st.tuples(any_array().filter(np.size), dims | st.none()))
add("Tensor.stride", lambda api, x: api.zeros(x.shape).stride(), one(of_dtype("float32")))
for form in (lambda x: x + 1, lambda x: x.sum_to_size(1, *x.shape[1:]), lambda x: x.sum(-1)):
    add(
        "Tensor.stride",
        lambda api, shape, form=form: form(api.zeros(shape)).stride(),
        one(st.sampled_from([(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3)])),
    )
new_dims = [
    (None,), (slice(None), None), (None, slice(None), None, 1), (0, None), (None, slice(None, None, 2), None),
    (slice(None), slice(0, 1), None, 0), (Ellipsis, None, 0), (1, None, slice(1, 2), None), (None, Ellipsis),
]  # fmt: skip
add(
    "Tensor.stride",
    lambda api, x, index: (x[index].stride(), x.transpose(0, 1)[index].stride()),
    st.tuples(of_dtype("float32", st.permutations([2, 3, 4]).map(tuple)), st.sampled_from(new_dims)),
)
add(
    "Tensor.stride",
    lambda api, x: x.unsqueeze(0).expand(2, *x.shape).stride(),
    one(of_dtype("float32").filter(lambda x: x.size > 1 and 1 not in x.shape)),
)
for function in (len, repr, str, bool, int, float, operator.index, hash):
    value = (lambda api, x: isinstance(hash(x), int)) if function is hash else lambda api, x, f=function: f(x)
    add(f"Tensor.__{function.__name__}__".replace("str", "repr"), value, one(any_array()))
for function in (bool, int, float, operator.index):
    few = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=1), special=True))
    add(f"Tensor.__{function.__name__}__", lambda api, x, f=function: f(x), one(few))
    add("Tensor.item", lambda api, x: x.item(), one(few))
add(
    "Tensor.__format__",
    lambda api, x, spec: format(x, spec),
    st.tuples(any_array(), st.sampled_from(["", ".2f", "5", "d"])),
)
add(
    "Tensor.__format__",
    lambda api, x, spec: format(x, spec),
    st.tuples(arrays("float32", ()), st.sampled_from(["", ".2f", "5"])),
)
add("Tensor.item", lambda api, x: x.item(), one(any_array()))
add("Tensor.numpy", lambda api, x: x.numpy(), one(any_array()))
add("Tensor.__contains__", lambda api, x, y: y in x, st.tuples(any_array(), numbers))
add("Tensor.__iter__", lambda api, x: list(x), one(any_array()))
add("Tensor.__reversed__", lambda api, x: reversed(x), one(any_array()))
add("finfo", lambda api, x: api.finfo(x.dtype).eps, one(floats()))
add("Tensor.data", lambda api, x: x.data, one(any_array()))
add("Tensor.data_ptr", lambda api, x: x.data_ptr() == x.detach().data_ptr(), one(any_array()))
add("Tensor.detach detach", lambda api, x: x.detach(), one(any_array()))
add("Tensor.detach detach", lambda api, x: api.detach(x), one(any_array()))
add("Tensor.grad Tensor.backward", lambda api, x: ((x * 2).sum().backward(), x.grad)[1], one(floats()))
for call in (
    lambda api, x: (x.retain_grad(), (x * 2).retains_grad, (x * 2).output_nr, x.retains_grad),
    lambda api, x: ((y := x * 2).retain_grad(), (y * 3).sum().backward(), y.grad)[2],
):
    add("Tensor.retain_grad Tensor.retains_grad Tensor.output_nr", call, one(floats()))
add(
    "Tensor.register_hook",
    lambda api, x: ((y := x * 2).register_hook(lambda g: g * 3), y.sum().backward(), x.grad)[2],
    one(floats()),
)
add(
    "Tensor.register_post_accumulate_grad_hook",
    lambda api, x: (x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2)), x.sum().backward(), x.grad)[2],
    one(floats()),
)
add(
    "Tensor.register_post_accumulate_grad_hook",
    lambda api, x: (x.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2) and None), x.sum().backward())[1],
    one(of_dtype("float32", ())),
)
add("Tensor.detach_", lambda api, x: ((y := x * 2).detach_() is y, y, x.detach_()), one(any_array()))
add("Tensor.sum_to_size", lambda api, x, size: x.expand(size).sum_to_size(x.shape), with_expansion(), ulps=1)
add("Tensor.sum_to_size", lambda api, x, size: x.sum_to_size(*size), with_expansion(), ulps=1)
add("Tensor.grad_fn", lambda api, x: (x * 2).grad_fn is None, one(any_array()))
add("Tensor.requires_grad_", lambda api, x, on: x.requires_grad_(on), st.tuples(any_array(), st.booleans()))
add("is_tensor", lambda api, x: (api.is_tensor(x), api.is_tensor(3)), one(any_array()))

# ---- the table: arithmetic ---------------------------------------------------------------------------------------


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
add("Tensor.pow", lambda api, x, y: x.pow(y), st.tuples(any_array(), exponents), ulps=4, twice=False)
add("pow", lambda api, x, y: api.pow(x, y), st.tuples(floats(), exponents), ulps=4, twice=False)
add("Tensor.__rpow__ pow", reflected(operator.pow), st.tuples(any_array(), bases), ulps=4, twice=False)
add("pow", lambda api, x, y: api.pow(y, x), st.tuples(floats(), bases), ulps=4, twice=False)
add(
    "Tensor.__pow__",
    straight(operator.pow),
    st.tuples(floats(integer=True), st.sampled_from([2, 3, 0, 1, 0.5, -1, -2, 2.0])),
    ulps=2,
)
add("Tensor.__neg__", lambda api, x: -x, one(any_array()))
add("Tensor.__pos__", lambda api, x: +x, one(any_array()))
add("Tensor.__abs__", lambda api, x: abs(x), one(any_array()))
add("Tensor.__invert__", lambda api, x: ~x, one(any_array()))
# To one unit: all sums here are exact, but the sign of one that is zero is up to the library of matrix products.
add("Tensor.__matmul__", straight(operator.matmul), factors(), ulps=1)
add("Tensor.__matmul__", straight(operator.matmul), pairs(special=False), ulps=1)
for name in ("add", "sub", "mul", "truediv"):
    step = getattr(operator, f"i{name}")
    add(f"Tensor.__i{name}__", straight(step), binary())
    add(f"Tensor.__i{name}__", lambda api, x, y, f=step: f(x.clone(), y), binary())

# ---- the table: comparison and reductions ------------------------------------------------------------------------

add("Tensor.equal equal", lambda api, x, y: (x.equal(y), api.equal(x, y)), pairs())
add("Tensor.equal", lambda api, x: (x.equal(x), x.equal(x.clone())), one(any_array()))
close = st.tuples(pairs(), st.sampled_from([1e-5, 0.5]), st.sampled_from([1e-8, 1.0]), st.booleans()).map(
    lambda d: (*d[0], *d[1:])
)
add("Tensor.isclose isclose", lambda api, x, y, *how: x.isclose(y, *how), close)
add("isclose", lambda api, x, y, *how: api.isclose(x, y, *how), close)
add("Tensor.allclose", lambda api, x, y, *how: x.allclose(y, *how), close)
add("allclose", lambda api, x, y, *how: api.allclose(x, y, *how), close)
add("result_type", lambda api, x, y: api.result_type(x, y), st.one_of(pairs(), st.tuples(any_array(), numbers)))


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

# ---- the table: shapes -------------------------------------------------------------------------------------------

add("Tensor.reshape", lambda api, x, shape: x.reshape(shape), with_shape())
add("Tensor.reshape", lambda api, x, shape: x.reshape(*shape), with_shape())
add("reshape", lambda api, x, shape: api.reshape(x, shape), with_shape())
add("Tensor.view", lambda api, x, shape: x.view(shape), with_shape())
add("Tensor.view", lambda api, x, shape: x.view(*shape), with_shape())
orders = any_array().flatmap(
    lambda x: st.tuples(st.just(x), st.permutations(range(x.ndim)) | st.lists(dims, max_size=3))
)
add("Tensor.permute", lambda api, x, order: x.permute(order), orders)
add("Tensor.permute", lambda api, x, order: x.permute(*order), orders)
add("permute", lambda api, x, order: api.permute(x, tuple(order)), orders)
add("Tensor.transpose", lambda api, x, *two: x.transpose(*two), st.tuples(any_array(), dims, dims))
add("transpose", lambda api, x, *two: api.transpose(x, *two), st.tuples(any_array(), dims, dims))
add("Tensor.t", lambda api, x: x.t(), one(any_array()))
add("t", lambda api, x: api.t(x), one(any_array()))
add("Tensor.T", lambda api, x: x.T, one(any_array()))
add("Tensor.mT", lambda api, x: x.mT, one(any_array()))
add("Tensor.unsqueeze", lambda api, x, dim: x.unsqueeze(dim), st.tuples(any_array(), dims))
add("unsqueeze", lambda api, x, dim: api.unsqueeze(x, dim), st.tuples(any_array(), dims))
thin = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=2)))
squeezed = with_dims(thin).map(lambda drawn: drawn[:2])
add("Tensor.squeeze", lambda api, x, dim: x.squeeze() if dim is None else x.squeeze(dim), squeezed)
add("squeeze", lambda api, x, dim: api.squeeze(x) if dim is None else api.squeeze(x, dim), squeezed)
add("Tensor.expand", lambda api, x, sizes: x.expand(sizes), with_expansion())
add("Tensor.expand", lambda api, x, sizes: x.expand(*sizes), with_expansion())
add("Tensor.contiguous", lambda api, x: x.contiguous(), one(any_array()))

# ---- the table: copies, conversions, writes ----------------------------------------------------------------------

add("Tensor.clone", lambda api, x: x.clone(), one(any_array()))
add("Tensor.clone", lambda api, x: x.unsqueeze(0).expand(2, *x.shape).clone(), one(any_array()))
add("clone", lambda api, x: api.clone(x), one(any_array()))
for name in ("float", "double", "half", "long", "int", "bool", "cpu"):
    add(f"Tensor.{name}", lambda api, x, name=name: getattr(x, name)(), one(any_array(special=False)))
add("Tensor.type_as", lambda api, x, y: x.type_as(y), pairs(special=False))
fitting = st.sampled_from([0, 1, True, 2.5, -1.0, 3])
# PyTorch refuses to assign NumPy's scalars.
values = fitting | numbers.filter(lambda n: not isinstance(n, np.generic) or isinstance(n, float))
# Of one float16 PyTorch makes an infinity where it refuses to make two.
small = numbers.filter(lambda n: not 65504 < abs(float(n)) < np.inf)
for name in ("fill_", "zero_"):
    call = (lambda api, x, v: x.fill_(v)) if name == "fill_" else (lambda api, x, v: x.zero_())
    add(f"Tensor.{name}", call, st.tuples(any_array(), fitting | small))
    add(f"Tensor.{name}", lambda api, x, v, f=call: f(api, x.clone(), v), st.tuples(any_array(), fitting))
add("Tensor.copy_", lambda api, x, y: x.copy_(y), pairs(special=False))
add("Tensor.copy_", lambda api, x, y: x.clone().copy_(y), pairs(special=False))
indices = st.sampled_from([0, -1, slice(None), slice(1, None), ..., None, (..., 0), [0], slice(None, None, 2)])
add("Tensor.__getitem__", lambda api, x, i: x[i], st.tuples(any_array(), indices))
# With elements, where 0 is an index: of two errors, such as a write to a leaf too, either may be the first.
solid = st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, shapes(1, 3, min_side=1), special=True))
add("Tensor.__setitem__", lambda api, x, i, v: operator.setitem(x, i, v), st.tuples(solid, indices, values))
for name, arguments in (
    ("uniform_", (-1.0, 2.0)),
    ("normal_", (1.0, 2.0)),
    ("exponential_", (0.5,)),
    ("bernoulli_", (0.25,)),
):
    add(
        f"Tensor.{name}",
        lambda api, x, seed, name=name, arguments=arguments: getattr(x, name)(
            *arguments, generator=api.Generator().manual_seed(seed)
        ),
        st.tuples(any_array(), st.integers(0, 9)),
        ulps=2,
    )

# ---- the table: creation -----------------------------------------------------------------------------------------

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


add(
    "tensor",
    lambda api, value, dtype, grad: api.tensor(value, dtype=dtype and getattr(api, dtype), requires_grad=grad),
    st.tuples(data, dtype_names, st.booleans()).filter(lambda drawn: not _is_odd(drawn)),
)
add(
    "as_tensor",
    lambda api, value, dtype: api.as_tensor(value, dtype=dtype and getattr(api, dtype)),
    st.tuples(data | any_array(), dtype_names).filter(lambda drawn: not _is_odd(drawn)),
)
lists = st.lists(any_array(), max_size=3) | any_array().flatmap(lambda x: st.lists(st.just(x), min_size=1, max_size=3))
for name in ("cat", "stack"):
    add(
        name,
        lambda api, xs, dim, name=name: getattr(api, name)([api.from_numpy(x) for x in xs], dim),
        st.tuples(lists.map(lambda xs: tuple(Plain(x) for x in xs)), dims),
    )
    add(
        name,
        lambda api, x, y, dim, name=name: getattr(api, name)([x, y * 2, x], dim),
        floats(1)
        .filter(lambda x: x.shape != (0,))
        .flatmap(lambda x: st.tuples(st.just(x), st.just(x[::-1].copy()), st.integers(-x.ndim, x.ndim - 1))),
    )
add("Tensor.nelement", lambda api, x: x.nelement(), one(any_array()))
add("Tensor.data", lambda api, x: x.data, one(any_array()))
for name, operator_of in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
    add(
        f"Tensor.__r{name}__",
        lambda api, x, n, of=operator_of: of(n, x),
        st.tuples(of_dtype("int64"), st.integers(0, 3)),
    )
    add(
        f"Tensor.__i{name}__",
        lambda api, x, n, name=name: getattr(operator, f"i{name}")(x, n),
        st.tuples(of_dtype("int64"), st.integers(0, 3)),
    )
add("Tensor.__ipow__", lambda api, x, n: operator.ipow(x, n), st.tuples(floats(integer=True), st.sampled_from([2, 3])))
add("from_numpy", lambda api, x: api.from_numpy(x), one(any_array().map(Plain)))
add(
    "multinomial",
    lambda api, x, n, replacement, seed: api.multinomial(
        x, n, replacement, generator=api.Generator().manual_seed(seed)
    ),
    st.tuples(floats(1), st.integers(0, 3), st.booleans(), st.integers(0, 9)),
)
