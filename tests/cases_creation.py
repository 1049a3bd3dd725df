"""Rows of the table: tensors made of values, ranges and draws; conversions."""

from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, arrays, shapes
from table import add, any_array, ask, floats, numbers, of_dtype, one

names = st.none() | st.sampled_from(DTYPES)
wanted = st.none() | st.sampled_from([*DTYPES, float, int, bool])


drawn = (wanted, st.booleans(), st.booleans())
# Of two faults, such as a range of bools that requires a gradient, either may be the first.
plainly = (wanted, st.just(False), st.booleans())

# ---- filled ----------------------------------------------------------------------------------------------------------

for name in ("zeros", "ones"):
    ask(st.tuples(shapes(), *drawn), f"size, *how: torch.{name}(size=size, **options(*how))")
    for spread in (False, True):
        ask(
            st.tuples(any_array(), shapes(1) if spread else shapes(), *drawn),
            f"x, size, *how: x.new_{name}(*(size if {spread!r} else (size,)), **options(*how))",
        )
ask(st.tuples(any_array(), shapes(), *drawn), "x, size, *how: x.new_empty(size, **options(*how)).fill_(1)")
ask(st.tuples(any_array(), shapes(1)), "x, size: x.new(*size).fill_(1)")
ask(st.tuples(any_array(), st.lists(st.integers(0, 9), max_size=4)), "x, data: x.new(data)")
# Of one float16 PyTorch makes an infinity where it refuses to make two.
fillers = numbers.filter(lambda n: not 65504 < abs(float(n)) < np.inf)
ask(st.tuples(any_array(), shapes(), fillers, *drawn), "x, size, value, *how: x.new_full(size, value, **options(*how))")
ask(st.tuples(shapes(), fillers, *drawn), "size, value, *how: torch.full(size, value, **options(*how))")
ask(st.tuples(shapes(), arrays(st.sampled_from(DTYPES), ())), "size, x: torch.full(size, x.detach())")
rows = st.lists(st.lists(st.sampled_from([1, 2.5, True, -3]), min_size=2, max_size=2), max_size=3)
ask(
    st.tuples(any_array(), rows | st.sampled_from([1, 2.5, True]), wanted, st.booleans()),
    "x, data, dtype, grad: x.new_tensor(data, dtype=dtype_of(dtype), requires_grad=grad)",
)
ask(st.tuples(rows, wanted), "data, dtype: torch.tensor(data, dtype=dtype_of(dtype), pin_memory=False)")
for name in ("zeros_like", "ones_like", "full_like", "empty_like"):
    arguments = "x, 3" if name == "full_like" else "x"
    order = "memory_format=torch.preserve_format if keep else torch.contiguous_format"
    made = f"y := torch.{name}({arguments}, {order}, **options(*how))"
    ask(
        st.tuples(any_array(), st.booleans(), *drawn),
        f"x, keep, *how: (({made}).detach().fill_(1), y.requires_grad, y.is_contiguous() or keep)",
    )
ask(one(shapes()), "size: torch.empty(size, memory_format=torch.contiguous_format).shape")

# ---- ranges ----------------------------------------------------------------------------------------------------------

bounds = st.sampled_from([0, 3, -2, 5, 0.5, 2.0, -1.5, 3.3, True])
ask(st.tuples(bounds, *plainly), "end, *how: torch.arange(end, **options(*how))")
ask(st.tuples(bounds, bounds, *plainly), "start, end, *how: torch.arange(start, end=end, **options(*how))")
ask(
    st.tuples(bounds, bounds, bounds, names),
    "start, end, step, dtype: torch.arange(start, end, step=step, dtype=dtype_of(dtype))",
)
ask(st.tuples(bounds, bounds, bounds), "start, end, step: torch.range(start, end, step)")
ask(st.tuples(bounds, bounds), "end, start: torch.arange(end, start=start)")
ask(one(of_dtype("int64", ()) | of_dtype("float32", ())), "x: torch.arange(abs(x.detach()))")
ends = st.sampled_from([0, 1, -5, 10, 2.5, -0.5, 1e5])
counts = st.sampled_from([0, 1, 2, 3, 5, 10, -1])
# Between its ends PyTorch adds up steps eight at a time, where it has that many.
ask(
    st.tuples(ends, ends, counts, *plainly).filter(lambda d: d[3] != "float16" or 1e5 not in d[:2]),
    "a, b, n, *how: torch.linspace(a, b, n, **options(*how))",
    ulps=2,
)
ask(st.tuples(arrays("float32", ()), ends, counts), "x, b, n: torch.linspace(x.detach(), end=b, steps=n)", ulps=2)
ask(st.tuples(st.integers(0, 3), *plainly), "n, *how: torch.eye(n, **options(*how))")

# ---- draws -----------------------------------------------------------------------------------------------------------

seeds = st.integers(0, 9)
for name in ("rand_like", "randn_like"):
    ask(
        st.tuples(seeds, floats(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
        f"seed, x, *how: torch.{name}(x, generator=source(seed), memory_format=torch.preserve_format, **options(*how))",
        ulps=2,
    )
for name in ("rand", "randn"):
    ask(
        st.tuples(seeds, shapes(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
        f"seed, size, *how: torch.{name}(size=size, generator=source(seed), **options(*how))",
        ulps=2,
    )
ask(
    st.tuples(seeds, st.integers(-3, 3), st.integers(-2, 9), shapes(), *drawn),
    "seed, *args: torch.randint(*args[:3], generator=source(seed), **options(*args[3:]))",
)
ask(
    st.tuples(seeds, st.integers(-2, 9), shapes()),
    "seed, high, size: torch.randint(low=-1, high=high, size=size, generator=source(seed))",
)
ask(
    st.tuples(seeds, st.integers(0, 9), *plainly),
    "seed, n, *how: torch.randperm(n, generator=source(seed), **options(*how))",
)
ask(
    st.tuples(seeds, floats(), st.sampled_from([0.0, 1.0, 2.5, -1.0])),
    "seed, x, std: torch.normal(x, std, generator=source(seed))",
    ulps=4,
)
ask(
    st.tuples(seeds, st.sampled_from([0.0, 2.5]), floats()),
    "seed, mean, x: torch.normal(mean, x, generator=source(seed))",
    ulps=4,
)
same = st.sampled_from(FLOATS).flatmap(
    lambda dtype: shapes().flatmap(
        lambda shape: st.tuples(seeds, arrays(dtype, shape), arrays(dtype, shape).map(np.abs))
    )
)
ask(same, "seed, x, y: torch.normal(x, y, generator=source(seed))", ulps=4)
ask(
    st.tuples(seeds, shapes(), st.none() | st.sampled_from(FLOATS), st.booleans(), st.booleans()),
    "seed, size, *how: torch.normal(1.0, 2.0, size, generator=source(seed), **options(*how))",
    ulps=4,
)
chances = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays(dtype, shapes()).map(lambda x: np.asarray(np.abs(x) % 2).astype(x.dtype))
)
ask(st.tuples(seeds, chances), "seed, x: torch.bernoulli(x, generator=source(seed))")
ask(st.tuples(seeds, chances), "seed, x: x.bernoulli(generator=source(seed))")
ask(
    st.tuples(seeds, floats(1), st.integers(0, 3), st.booleans()),
    "seed, x, n, replacement: x.multinomial(n, replacement, generator=source(seed))",
)
for some in ((), (7,), (2, 9), (3, None), (5, 5)):
    operands = st.tuples(seeds, any_array(), st.just(some))
    ask(operands, "seed, x, bounds: x.clone().random_(*bounds, generator=source(seed))", covers="Tensor.random_")
ask(st.tuples(seeds, any_array()), "seed, x: x.clone().random_(to=9, generator=source(seed))", covers="Tensor.random_")


def _states(api: Any, seed: int, count: int) -> Any:
    before = api.get_rng_state()
    api.manual_seed(seed)
    api.set_rng_state(api.get_rng_state())
    states = [api.get_rng_state(), api.get_rng_state()]
    for draw in (api.rand, api.randn, api.randperm):
        draw(count)
        states.append(api.get_rng_state())
    api.set_rng_state(states[2])
    again = api.randperm(count)
    api.set_rng_state(before)
    return states, again


add("get_rng_state set_rng_state", _states, st.tuples(seeds, st.sampled_from([1, 3, 700])))
ask(one(arrays(st.sampled_from(["uint8", "float32"]), (5,), contiguous=True)), "x: torch.set_rng_state(x)")

# ---- conversions -----------------------------------------------------------------------------------------------------

plain = any_array(special=False)
for name in ("short", "char", "byte"):
    ask(one(plain), f"x: x.{name}()")
for name in ("float", "double", "half", "long", "int", "short", "char", "byte", "bool", "cpu"):
    ask(one(plain), f"x: x.{name}(memory_format=torch.preserve_format)")
ask(one(of_dtype("float32").filter(lambda x: x.size)), "x: x.clone(memory_format=torch.contiguous_format).stride()")
ask(st.tuples(plain, st.sampled_from([float, int, bool])), "x, dtype: x.to(dtype_of(dtype))")
ask(
    st.tuples(plain, st.sampled_from(DTYPES), st.booleans()),
    "x, dtype, copy: x.to(dtype_of(dtype), False, copy)",
    "x, dtype, copy: x.to('cpu', dtype_of(dtype), False, copy)",
)
ask(st.tuples(plain, any_array(), st.booleans()), "x, y, copy: x.to(y, copy=copy)")
ask(
    st.tuples(
        plain, st.sampled_from([{}, {"device": "cpu"}, {"copy": True}, {"device": None, "dtype": None}, {"foo": 1}])
    ),
    "x, how: x.to(**how)",
)
ask(one(plain), "x: x.to(None)", "x: x.type()")
types = ("torch.FloatTensor", "torch.LongTensor", "torch.ByteTensor", "torch.FooTensor")
ask(st.tuples(plain, st.sampled_from(types)), "x, name: x.type(name)")
ask(st.tuples(plain, st.sampled_from(DTYPES)), "x, dtype: x.type(dtype_of(dtype))")
constructors = ("FloatTensor", "HalfTensor", "LongTensor", "BoolTensor", "Tensor", "Size")
ask(st.tuples(plain, st.sampled_from(constructors)), "x, name: x.type(dtype_of(name))")
ask(st.tuples(plain, st.sampled_from((3, float, 1.5))), "x, wrong: x.type(wrong)")
ask(st.tuples(plain, st.sampled_from((None, "cuda:0"))), "x, device: x.cuda(device)")
ask(one(plain), "x: x.pin_memory()")
name = "is_floating_point"
ask(one(plain), f"x: (x.{name}(), torch.{name}(x))", covers=f"Tensor.{name} {name}")
ask(one(plain), "x: torch.numel(x)")
ask(one(any_array().map(Plain) | any_array()), "value: torch.as_tensor(value, dtype=torch.float32, device='cpu')")


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
    made = f"torch.{name}Tensor"
    ask(one(nested), f"data: {made}(data)")
    several = f"{made}(*sizes).zero_(), {made}(torch.Size(sizes)).zero_(), isinstance(torch.ones(2), {made})"
    ask(one(shapes()), f"sizes: ({several})")
mixed = [1.5, -1, 300, -255, 2**53 + 1, -0.5, True, 0.0, -(2**63), 255.0]
for name in ("tensor", "as_tensor"):
    ask(
        st.tuples(st.lists(st.sampled_from(mixed), max_size=4), names),
        f"data, dtype: torch.{name}(data, dtype=dtype_of(dtype))",
    )
