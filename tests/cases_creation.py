"""Rows of the table: tensors made of values, ranges and draws; conversions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, arrays, shapes
from table import add, any_array, floats, numbers, of_dtype, one

names = st.none() | st.sampled_from(DTYPES)
wanted = st.none() | st.sampled_from([*DTYPES, float, int, bool])


def as_dtype(api: Any, name: Any) -> Any:
    return getattr(api, name) if isinstance(name, str) else name


def options(api: Any, dtype: Any, requires_grad: bool, spelt_out: bool) -> dict[str, Any]:
    more = {"device": "cpu", "layout": api.strided, "pin_memory": False} if spelt_out else {}
    return {"dtype": as_dtype(api, dtype), "requires_grad": requires_grad, **more}


drawn = (wanted, st.booleans(), st.booleans())
# Of two faults, such as a range of bools that requires a gradient, either may be the first.
plainly = (wanted, st.just(False), st.booleans())

# ---- filled ----------------------------------------------------------------------------------------------------------

for name in ("zeros", "ones"):
    add(
        name,
        lambda api, size, *how, name=name: getattr(api, name)(size=size, **options(api, *how)),
        st.tuples(shapes(), *drawn),
    )
    for spread in (False, True):
        add(
            f"Tensor.new_{name}",
            lambda api, x, size, *how, name=name, spread=spread: getattr(x, f"new_{name}")(
                *(size if spread else (size,)), **options(api, *how)
            ),
            st.tuples(any_array(), shapes(1) if spread else shapes(), *drawn),
        )
add(
    "Tensor.new_empty",
    lambda api, x, size, *how: x.new_empty(size, **options(api, *how)).fill_(1),
    st.tuples(any_array(), shapes(), *drawn),
)
add("Tensor.new", lambda api, x, size: x.new(*size).fill_(1), st.tuples(any_array(), shapes(1)))
add("Tensor.new", lambda api, x, data: x.new(data), st.tuples(any_array(), st.lists(st.integers(0, 9), max_size=4)))
# Of one float16 PyTorch makes an infinity where it refuses to make two.
fillers = numbers.filter(lambda n: not 65504 < abs(float(n)) < np.inf)
add(
    "Tensor.new_full",
    lambda api, x, size, value, *how: x.new_full(size, value, **options(api, *how)),
    st.tuples(any_array(), shapes(), fillers, *drawn),
)
add(
    "full",
    lambda api, size, value, *how: api.full(size, value, **options(api, *how)),
    st.tuples(shapes(), fillers, *drawn),
)
add("full", lambda api, size, x: api.full(size, x.detach()), st.tuples(shapes(), arrays(st.sampled_from(DTYPES), ())))
rows = st.lists(st.lists(st.sampled_from([1, 2.5, True, -3]), min_size=2, max_size=2), max_size=3)
add(
    "Tensor.new_tensor",
    lambda api, x, data, dtype, grad: x.new_tensor(data, dtype=as_dtype(api, dtype), requires_grad=grad),
    st.tuples(any_array(), rows | st.sampled_from([1, 2.5, True]), wanted, st.booleans()),
)
add(
    "tensor",
    lambda api, data, dtype: api.tensor(data, dtype=as_dtype(api, dtype), pin_memory=False),
    st.tuples(rows, wanted),
)
for name in ("zeros_like", "ones_like", "full_like", "empty_like"):
    more = (3,) if name == "full_like" else ()

    def _like(api: Any, x: Any, keep: bool, *how: Any, name: str = name, more: Any = more) -> Any:
        memory_format = api.preserve_format if keep else api.contiguous_format
        y = getattr(api, name)(x, *more, memory_format=memory_format, **options(api, *how))
        return y.detach().fill_(1), y.requires_grad, y.is_contiguous() or keep

    add(name, _like, st.tuples(any_array(), st.booleans(), *drawn))
add("empty", lambda api, size: api.empty(size, memory_format=api.contiguous_format).shape, one(shapes()))

# ---- ranges ----------------------------------------------------------------------------------------------------------

bounds = st.sampled_from([0, 3, -2, 5, 0.5, 2.0, -1.5, 3.3, True])
add("arange", lambda api, end, *how: api.arange(end, **options(api, *how)), st.tuples(bounds, *plainly))
add(
    "arange",
    lambda api, start, end, *how: api.arange(start, end=end, **options(api, *how)),
    st.tuples(bounds, bounds, *plainly),
)
add(
    "arange",
    lambda api, start, end, step, dtype: api.arange(start, end, step=step, dtype=as_dtype(api, dtype)),
    st.tuples(bounds, bounds, bounds, names),
)
add("range", lambda api, start, end, step: api.range(start, end, step), st.tuples(bounds, bounds, bounds))
add("arange", lambda api, end, start: api.arange(end, start=start), st.tuples(bounds, bounds))
add("arange", lambda api, x: api.arange(x.detach()), one(arrays(st.sampled_from(["int64", "float32"]), ()).map(np.abs)))
ends = st.sampled_from([0, 1, -5, 10, 2.5, -0.5, 1e5])
counts = st.sampled_from([0, 1, 2, 3, 5, 10, -1])
# Between its ends PyTorch adds up steps eight at a time, where it has that many.
add(
    "linspace",
    lambda api, a, b, n, *how: api.linspace(a, b, n, **options(api, *how)),
    st.tuples(ends, ends, counts, *plainly).filter(lambda d: d[3] != "float16" or 1e5 not in d[:2]),
    ulps=2,
)
add(
    "linspace",
    lambda api, x, b, n: api.linspace(x.detach(), end=b, steps=n),
    st.tuples(arrays("float32", ()), ends, counts),
    ulps=2,
)
add("eye", lambda api, n, *how: api.eye(n, **options(api, *how)), st.tuples(st.integers(0, 3), *plainly))

# ---- draws -----------------------------------------------------------------------------------------------------------


def seeded(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` with a generator of its own in place of a seed."""
    return lambda api, seed, *args: call(api, api.Generator().manual_seed(seed), *args)


seeds = st.integers(0, 9)
for name in ("rand_like", "randn_like"):
    add(
        name,
        seeded(
            lambda api, source, x, *how, name=name: getattr(api, name)(
                x, generator=source, memory_format=api.preserve_format, **options(api, *how)
            )
        ),
        st.tuples(seeds, floats(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
        ulps=2,
    )
for name in ("rand", "randn"):
    add(
        name,
        seeded(
            lambda api, source, size, *how, name=name: getattr(api, name)(
                size=size, generator=source, **options(api, *how)
            )
        ),
        st.tuples(seeds, shapes(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
        ulps=2,
    )
add(
    "randint",
    seeded(lambda api, source, *args: api.randint(*args[:3], generator=source, **options(api, *args[3:]))),
    st.tuples(seeds, st.integers(-3, 3), st.integers(-2, 9), shapes(), *drawn),
)
add(
    "randint",
    seeded(lambda api, source, high, size: api.randint(low=-1, high=high, size=size, generator=source)),
    st.tuples(seeds, st.integers(-2, 9), shapes()),
)
add(
    "randperm",
    seeded(lambda api, source, n, *how: api.randperm(n, generator=source, **options(api, *how))),
    st.tuples(seeds, st.integers(0, 9), *plainly),
)
add(
    "normal",
    seeded(lambda api, source, x, std: api.normal(x, std, generator=source)),
    st.tuples(seeds, floats(), st.sampled_from([0.0, 1.0, 2.5, -1.0])),
    ulps=4,
)
add(
    "normal",
    seeded(lambda api, source, mean, x: api.normal(mean, x, generator=source)),
    st.tuples(seeds, st.sampled_from([0.0, 2.5]), floats()),
    ulps=4,
)
same = st.sampled_from(FLOATS).flatmap(
    lambda dtype: shapes().flatmap(
        lambda shape: st.tuples(seeds, arrays(dtype, shape), arrays(dtype, shape).map(np.abs))
    )
)
add("normal", seeded(lambda api, source, x, y: api.normal(x, y, generator=source)), same, ulps=4)
add(
    "normal",
    seeded(lambda api, source, size, *how: api.normal(1.0, 2.0, size, generator=source, **options(api, *how))),
    st.tuples(seeds, shapes(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
    ulps=4,
)
chances = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(dtype, shapes()).map(lambda x: np.asarray(np.abs(x) % 2).astype(x.dtype))
)
add("bernoulli", seeded(lambda api, source, x: api.bernoulli(x, generator=source)), st.tuples(seeds, chances))
add(
    "bernoulli",
    seeded(lambda api, source, x, p: api.bernoulli(x.detach(), p, generator=source)),
    st.tuples(seeds, any_array(), st.sampled_from([0.0, 0.3, 1.0, 1.5])),
)
add("Tensor.bernoulli", seeded(lambda api, source, x: x.bernoulli(generator=source)), st.tuples(seeds, chances))
add(
    "Tensor.bernoulli",
    seeded(lambda api, source, x, p: x.detach().bernoulli(p, generator=source)),
    st.tuples(seeds, any_array(), st.sampled_from([0.0, 0.3, 1.0, 1.5])),
)
add(
    "Tensor.multinomial",
    seeded(lambda api, source, x, n, replacement: x.multinomial(n, replacement, generator=source)),
    st.tuples(seeds, floats(1), st.integers(0, 3), st.booleans()),
)


def _random(api: Any, source: Any, x: Any, bounds: Any) -> Any:
    return x.clone().random_(*bounds, generator=source)


for some in ((), (7,), (2, 9), (3, None), (5, 5)):
    add("Tensor.random_", seeded(_random), st.tuples(seeds, any_array(), st.just(some)))
add(
    "Tensor.random_",
    seeded(lambda api, source, x: x.clone().random_(to=9, generator=source)),
    st.tuples(seeds, any_array()),
)


def _states(api: Any, seed: int, count: int) -> Any:
    before = api.get_rng_state()
    api.manual_seed(seed)
    states = [api.get_rng_state()]
    for draw in (api.rand, api.randn, api.randperm):
        draw(count)
        states.append(api.get_rng_state())
    api.set_rng_state(states[2])
    again = api.randperm(count)
    api.set_rng_state(before)
    return states, again


add("get_rng_state set_rng_state", _states, st.tuples(seeds, st.sampled_from([1, 3, 700])))
add(
    "set_rng_state",
    lambda api, x: api.set_rng_state(x),
    one(arrays(st.sampled_from(["uint8", "float32"]), (5,), contiguous=True)),
)

# ---- conversions -----------------------------------------------------------------------------------------------------

plain = any_array(special=False)
for name in ("short", "char", "byte"):
    add(f"Tensor.{name}", lambda api, x, name=name: getattr(x, name)(), one(plain))
for name in ("float", "double", "half", "long", "int", "short", "char", "byte", "bool", "cpu"):
    add(f"Tensor.{name}", lambda api, x, name=name: getattr(x, name)(memory_format=api.preserve_format), one(plain))
add(
    "Tensor.clone",
    lambda api, x: x.clone(memory_format=api.contiguous_format).stride(),
    one(of_dtype("float32").filter(lambda x: x.size)),
)
add(
    "Tensor.to", lambda api, x, dtype: x.to(as_dtype(api, dtype)), st.tuples(plain, st.sampled_from([float, int, bool]))
)
add(
    "Tensor.to",
    lambda api, x, dtype, copy: x.to(getattr(api, dtype), False, copy),
    st.tuples(plain, st.sampled_from(DTYPES), st.booleans()),
)
add(
    "Tensor.to",
    lambda api, x, dtype, copy: x.to("cpu", getattr(api, dtype), False, copy),
    st.tuples(plain, st.sampled_from(DTYPES), st.booleans()),
)
add("Tensor.to", lambda api, x, y, copy: x.to(y, copy=copy), st.tuples(plain, any_array(), st.booleans()))
add(
    "Tensor.to",
    lambda api, x, how: x.to(**how),
    st.tuples(
        plain, st.sampled_from([{}, {"device": "cpu"}, {"copy": True}, {"device": None, "dtype": None}, {"foo": 1}])
    ),
)
add("Tensor.to", lambda api, x: x.to(None), one(plain))
add("Tensor.type", lambda api, x: x.type(), one(plain))
types = ("torch.FloatTensor", "torch.LongTensor", "torch.ByteTensor", "torch.FooTensor")
add("Tensor.type", lambda api, x, name: x.type(name), st.tuples(plain, st.sampled_from(types)))
add("Tensor.type", lambda api, x, dtype: x.type(getattr(api, dtype)), st.tuples(plain, st.sampled_from(DTYPES)))
constructors = ("FloatTensor", "HalfTensor", "LongTensor", "BoolTensor", "Tensor", "Size")
add("Tensor.type", lambda api, x, name: x.type(getattr(api, name)), st.tuples(plain, st.sampled_from(constructors)))
add("Tensor.type", lambda api, x, wrong: x.type(wrong), st.tuples(plain, st.sampled_from((3, float, 1.5))))
add("Tensor.cuda", lambda api, x, device: x.cuda(device), st.tuples(plain, st.sampled_from((None, "cuda:0", 0, "cpu"))))
add("Tensor.pin_memory", lambda api, x: x.pin_memory(), one(plain))
for name in ("is_complex", "is_signed", "is_floating_point"):
    add(f"Tensor.{name} {name}", lambda api, x, name=name: (getattr(x, name)(), getattr(api, name)(x)), one(plain))
few = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=2)))
add("Tensor.is_nonzero", lambda api, x: x.is_nonzero(), one(few))
add("is_nonzero", lambda api, x: api.is_nonzero(x), one(few))
add("numel", lambda api, x: api.numel(x), one(plain))
add(
    "as_tensor",
    lambda api, value: api.as_tensor(value, dtype=api.float32, device="cpu"),
    one(any_array().map(Plain) | any_array()),
)


# ---- the older constructors ------------------------------------------------------------------------------------------

TYPED = ("Float", "Double", "Half", "Long", "Int", "Short", "Char", "Byte", "Bool")
nested = st.one_of(
    st.lists(st.integers(0, 9), max_size=3),
    st.lists(st.lists(st.sampled_from([0, 1, 2.75, True]), min_size=2, max_size=2), max_size=2),
    st.sampled_from([3.5, True, "a", None, range(3), (1, 2), -1]),
    arrays("float32", shapes(max_dims=2)).map(Plain),
    of_dtype("int64"),
)
for name in ("", *TYPED):
    add(f"{name}Tensor", lambda api, data, name=f"{name}Tensor": getattr(api, name)(data), one(nested))
    add(
        f"{name}Tensor",
        lambda api, sizes, name=f"{name}Tensor": (
            getattr(api, name)(*sizes).zero_(),
            getattr(api, name)(api.Size(sizes)).zero_(),
            isinstance(api.ones(2), getattr(api, name)),
        ),
        one(shapes()),
    )
mixed = [1.5, -1, 300, -255, 2**53 + 1, -0.5, True, 0.0, -(2**63), 255.0]
for name in ("tensor", "as_tensor"):
    add(
        name,
        lambda api, data, dtype, name=name: getattr(api, name)(data, dtype=as_dtype(api, dtype)),
        st.tuples(st.lists(st.sampled_from(mixed), max_size=4), names),
    )
