"""Rows of the table: Python's numbers, NumPy's functions and arrays, DLPack, copies and pickles."""

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from comparing import Plain
from hypothesis import strategies as st
from strategies import DTYPES, arrays, shapes
from table import add, any_array, ask, factors, floats, one, pairs

# ---- what a tensor is ------------------------------------------------------------------------------------------------

for name in ("itemsize", "nbytes", "is_cuda"):
    ask(one(any_array()), f"x: x.{name}")
ask(one(any_array()), "x: x.storage_offset()")
ask(
    st.tuples(arrays("float32", shapes(2, 2, min_side=2)), st.integers(0, 1)),
    "x, i: [each.storage_offset() for each in (x[i:], x[..., i], x[i:].detach(), x.t()[:, i:].data)]",
)

# ---- Python's numbers ------------------------------------------------------------------------------------------------

few = st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(max_side=1), special=True))
for kind in (float, int, bool):
    ask(one(few | any_array()), f"x: {kind.__name__}(x)", covers=f"Tensor.__{kind.__name__}__")

# ---- NumPy -----------------------------------------------------------------------------------------------------------

ask(st.tuples(any_array(), st.booleans()), "x, force: x.numpy(force=force)")
ask(one(any_array()), "x: x.numpy(True)")
for dtype in ("float64", "float16", "int32", "bool", None):
    ask(one(any_array(special=False)), f"x: x.__array__({dtype!r})")
    add("Tensor.__array__", lambda api, x, dtype=dtype: np.array(x, dtype), one(any_array(special=False)))
    add("Tensor.__array__", lambda api, x, dtype=dtype: np.asarray([x, x], dtype), one(any_array(special=False)))


def of_all(function: Callable[..., Any], *more: Any) -> Callable[..., Any]:
    """NumPy's function of one tensor."""
    return lambda api, x: function(x, *more)


signed = any_array(special=False).filter(lambda x: x.dtype.kind != "u")  # Their sums are uint64.
for function in (np.exp, np.isnan, np.logical_not, np.frexp, np.add.reduce, np.argmax, np.cumsum, np.transpose):
    add("Tensor.__array_wrap__", of_all(function), one(signed))
for function in (np.copy, np.sort, np.unique, np.shape, np.linalg.norm):
    add("Tensor.__array__", of_all(function), one(signed))
for function in (np.expand_dims, np.array_equal):
    add("Tensor.__array__", of_all(function, 0), one(any_array()))
ask(one(any_array()), "x: np.concatenate([x, x])", covers="Tensor.__array__")
ask(one(any_array()), "x: x.__array_wrap__(np.arange(3) > 1)", "x: x.__array_wrap__(np.float64(3))")

with_array = pairs(special=False).map(lambda both: (both[0], Plain(both[1])))
for function in (np.add, np.maximum, np.true_divide, np.less, np.logical_and, np.divmod):
    add("Tensor.__array_wrap__", lambda api, x, array, f=function: [f(x, array), f(array, x), f(x, x)], with_array)
for name in ("add", "sub", "mul", "truediv", "pow", "eq", "ne", "lt", "and_", "iadd"):
    f = getattr(operator, name)
    add(f"Tensor.__{name.strip('_')}__", lambda api, x, array, f=f: f(x, array), with_array)
    if name != "iadd":
        add(f"Tensor.__{name.strip('_')}__", lambda api, x, array, f=f: f(array, x), with_array)
for left, right in ((0, 1), (1, 0)):
    ask(
        factors(("float32", "float64", "int64")).map(lambda both: (both[0], Plain(both[1]))),
        f"*both: both[{left!r}] @ both[{right!r}]",
        covers="Tensor.__matmul__",
        ulps=8,
    )
ask(
    st.tuples(any_array(special=False).map(Plain), st.none() | st.sampled_from(DTYPES)),
    "array, dtype: torch.as_tensor(array, dtype=dtype_of(dtype))",
)

# ---- copies and pickles ----------------------------------------------------------------------------------------------


def again(make: Callable[[Any], Any], x: Any) -> list[Any]:
    """A tensor, views of it and a result, made again by `make`, and what is told of them."""
    if x.is_leaf and x.requires_grad:
        x.grad = x.detach() * 2
    data = x.detach()
    made = [make(each) for each in (x, data[None][..., ::2], data[None].expand(3, *x.shape))]
    steps = [[step for step, size in zip(each.stride(), each.shape, strict=True) if size > 1] for each in made]
    return [made, steps, made[0].grad]


def pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def pickled_as_of_old(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x, 2))


solid = any_array().filter(np.size)
for make in (copy.copy, copy.deepcopy, pickled, pickled_as_of_old):
    name = "Tensor.__deepcopy__" if make is copy.deepcopy else "Tensor.__reduce_ex__"
    add(name, lambda api, x, make=make: again(make, x), one(solid))
    add(name, lambda api, x, make=make: make(x * 2), one(floats().filter(np.size)))
