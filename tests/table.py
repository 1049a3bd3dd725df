"""The rows of the table of ops: what each row says, what operands it can draw, and how it is added.

The rows themselves stand in `cases_*.py`, a family per file; `test_ops_torch.py` runs them on both packages,
`test_recorded.py` compares minigrad with what is recorded of PyTorch.
"""

import importlib
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import DTYPES, FLOATS, INTEGERS, arrays, broadcastable_shapes, shapes

Drawn = st.SearchStrategy[tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    """One row: the names it covers, the call, its drawn operands (arrays become tensors), and how to compare.

    `ulps`
        by how many units in the last place values may differ; 0 where the arithmetic is the same.
    `grad_ulps`
        the same for gradients, whose formulas may round in another order.
    `least`, `grad_least`
        what counts as the largest of the values, or of a gradient's, if all are smaller: where differences cancel.
    `twice`
        whether gradients of gradients are compared.
    `line`
        the call as it is written, where the operands are given.
    """

    covers: str
    call: Callable[..., Any]
    operands: Drawn
    ulps: float = 0
    grad_ulps: float = 16
    least: float = 0
    grad_least: float = 0
    twice: bool = True
    line: str = ""

    def __str__(self) -> str:
        return self.line or self.covers.replace(" ", "+")


# ---- operands --------------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.sampled_from([2, 3.0, 0.5, -1, 0, True, -0.0, 1, 1.0, -2, -1.0, 2.5]),
    st.sampled_from([False, 7, -3, 300, 2**40, 1e-3, 1e300, float("inf"), float("nan")]),
    st.sampled_from([np.float32(2.5), np.float64(0.1), np.float16(1.5), np.int64(3), np.int8(-2)]),
)


def any_array(special: bool = True) -> st.SearchStrategy[Any]:
    return st.sampled_from(DTYPES).flatmap(lambda dtype: of_dtype(dtype, special=special))


def of_dtype(
    dtype: str, shape: Any = None, special: bool = False, min_dims: int = 0, integer: bool | None = None
) -> st.SearchStrategy[Any]:
    sizes = shapes(min_dims, 3) if shape is None else shape
    kinds = [arrays(dtype, sizes, integer=True)] if integer is not False else []
    kinds += [arrays(dtype, sizes, integer=False)] if integer is not True else []
    kinds += [arrays(dtype, sizes, special=True)] if special else []
    return st.one_of(kinds)


def floats(min_dims: int = 0, special: bool = False, integer: bool | None = None) -> st.SearchStrategy[Any]:
    return st.sampled_from(FLOATS).flatmap(
        lambda dtype: of_dtype(dtype, min_dims=min_dims, special=special, integer=integer)
    )


def one(array: st.SearchStrategy[Any], *more: st.SearchStrategy[Any]) -> Drawn:
    return st.tuples(array, *more)


@st.composite
def pairs(draw: st.DrawFn, dtypes: Sequence[str] = DTYPES, special: bool = True) -> tuple[Any, Any]:
    """Two arrays that broadcast, of one dtype half of the time."""
    left = draw(st.sampled_from(dtypes))
    right = left if draw(st.booleans()) else draw(st.sampled_from(dtypes))
    a, b = draw(broadcastable_shapes())
    return draw(of_dtype(left, a, special)), draw(of_dtype(right, b, special))


def binary(special: bool = True) -> Drawn:
    """A tensor and a tensor, a number or a NumPy scalar."""
    return st.one_of(pairs(special=special), pairs(FLOATS, special=False), st.tuples(any_array(special), numbers))


# For `ulps`, the smallest number there is: values have to be equal, as 0.0 and -0.0 are.  Which of these is found to be
# the larger one is up to the processor.
EQUAL = 5e-324


dims = st.integers(-4, 3)


@st.composite
def with_dims(draw: st.DrawFn, array: st.SearchStrategy[Any], several: bool = True) -> tuple[Any, Any, bool]:
    """An array, a `dim` argument that mostly fits, and `keepdim`."""
    x = draw(array)
    fitting = st.integers(-max(x.ndim, 1), max(x.ndim, 1) - 1)
    dim = draw(st.none() | fitting | (st.lists(fitting, max_size=3).map(tuple) if several else st.nothing()) | dims)
    return x, dim, draw(st.booleans())


@st.composite
def with_shape(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    """An array and a shape for its elements, with perhaps a -1 in it, perhaps a wrong one."""
    x = draw(any_array())
    kind = draw(st.integers(0, 5))
    sizes = list(draw(st.permutations(x.shape)))
    if kind <= 1 and len(sizes) > 1:
        sizes[:2] = [sizes[0] * sizes[1]]
    elif kind == 2:
        sizes.insert(draw(st.integers(0, len(sizes))), 1)
    elif kind == 3:
        sizes = [x.size]
    elif kind == 4:
        sizes = list(draw(shapes()))
    if sizes and draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = -1
    return x, tuple(sizes)


@st.composite
def with_expansion(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    x = draw(any_array())
    sizes = [draw(st.sampled_from([size, size, -1, 3])) if size != 1 else draw(st.integers(-1, 3)) for size in x.shape]
    return x, (*draw(shapes(max_dims=2)), *sizes)


@st.composite
def factors(draw: st.DrawFn, dtypes: Sequence[str] = (*FLOATS, *INTEGERS)) -> tuple[Any, Any]:
    """Two arrays of one dtype that matmul takes: vectors, matrices and batches."""
    dtype = draw(st.sampled_from(dtypes))
    n, k, m = (draw(st.integers(0, 3)) for _ in range(3))
    a_batch, b_batch = draw(broadcastable_shapes(max_dims=2))
    a = draw(st.sampled_from([(k,), (n, k), (*a_batch, n, k)]))
    b = draw(st.sampled_from([(k,), (k, m), (*b_batch, k, m)]))
    return draw(arrays(dtype, a)), draw(arrays(dtype, b))


# ---- the rows --------------------------------------------------------------------------------------------------------

CASES: list[Case] = []


def add(covers: str, call: Callable[..., Any], operands: Drawn, **how: Any) -> None:
    """Add a row to the table."""
    CASES.append(Case(covers, call, operands, **how))


def calls(text: str, *dtypes: str, ulps: float = 4, before: str = "", **operands: Any) -> None:
    """Add a row for each line: an expression in the operands it names, and in what else `Line` knows.

    Lists become arrays; those of floats are drawn in each of the dtypes, which are all three unless told.  What the
    statements `before` make of the operands may be named, too.
    """
    for line in filter(None, map(str.strip, text.splitlines())):
        named = {name: value for name, value in operands.items() if before or re.search(rf"\b{name}\b", line)}
        arrays = [tuple([_array(value, dtype) for value in named.values()]) for dtype in dtypes or FLOATS]
        add("", Line(line, before, named), st.sampled_from(arrays), line=line, ulps=ulps, grad_ulps=64, grad_least=1)


@dataclass(frozen=True)
class Line:
    """An expression as a call of its operands, and what is done before."""

    text: str
    before: str
    operands: dict[str, Any]

    def __call__(self, api: Any, *tensors: Any) -> Any:
        known = names_of(api) | dict(zip(self.operands, tensors, strict=True))
        exec(_compiled(self.before, "exec"), known)
        return eval(_compiled(self.text, "eval"), known)


def ask(operands: Drawn, *calls: str, covers: str = "", **how: Any) -> None:
    """Add a row for each of the calls, "x, dim: torch.sum(x, dim)", of what is drawn, by the names in front.

    It covers the function or method that the call names first, unless told otherwise.
    """
    for text in calls:
        first = re.search(r": .*?(?<![\w.])([A-Za-z_]\w*)\.(\w+)", text)
        home = {"torch": "", "F": "nn.functional."}.get(first[1], "Tensor.") if first else ""
        add(covers or f"{home}{first and first[2]}", Call(text), operands, **how)


@dataclass(frozen=True)
class Call:
    """A call of its operands, as `ask` takes it."""

    text: str

    def __call__(self, api: Any, *operands: Any) -> Any:
        return eval(_compiled(f"lambda {self.text}", "eval"), names_of(api))(*operands)


def both(name: str, operands: Drawn, given: str = "*more: *more", **how: Any) -> None:
    """Rows of a method and of the function of its name, of x and of what is `given`: its names, and the arguments."""
    names, arguments = given.split(": ")
    ask(operands, f"x, {names}: x.{name}({arguments})", f"x, {names}: torch.{name}(x, {arguments})", **how)


def forms(name: str, operands: Drawn, given: str = "*more: *more", **how: Any) -> None:
    """These two, and the method in place."""
    both(name, operands, given, **how)
    names, arguments = given.split(": ")
    ask(operands, f"x, {names}: x.clone().{name}_({arguments})", covers=f"Tensor.{name}_", **how)


@cache
def names_of(api: Any) -> dict[str, Any]:
    """What the text of a call may name besides its operands."""

    def dtype_of(given: Any) -> Any:
        return getattr(api, given) if isinstance(given, str) else given

    def kept(**given: Any) -> dict[str, Any]:
        """What is given by keywords; without a dim, no keepdim."""
        left_out = {"dim", "axis", "keepdim", "keepdims"} if given.get("dim", given.get("axis", 0)) is None else set()
        kept = {name: value for name, value in given.items() if name not in left_out}
        return kept | ({"dtype": dtype_of(given["dtype"])} if "dtype" in given else {})

    def options(dtype: Any, requires_grad: bool, spelt_out: bool) -> dict[str, Any]:
        more = {"device": "cpu", "layout": api.strided, "pin_memory": False} if spelt_out else {}
        return {"dtype": dtype_of(dtype), "requires_grad": requires_grad, **more}

    return {
        "torch": api,
        "F": api.nn.functional,
        "L": api.tensor,
        "np": np,
        "operator": operator,
        "put": put,
        "at": np.s_,
        "shown": partial(shown, api),
        "inf": float("inf"),
        "nan": float("nan"),
        "dtype_of": dtype_of,
        "kept": kept,
        "options": options,
        "source": lambda seed: api.Generator().manual_seed(seed),
    }


@cache
def _compiled(text: str, mode: str) -> Any:
    return compile(text, text, mode)


def _array(data: Any, dtype: str) -> Any:
    if isinstance(data, np.ndarray):
        return data
    array = np.array(data)
    return array.astype(dtype) if array.dtype.kind == "f" else array


def shown(api: Any, x: Any, **options: Any) -> str:
    """What a tensor prints with these options."""
    try:
        api.set_printoptions(**options)
        return repr(x)
    finally:
        api.set_printoptions(profile="default")


def put(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` with the value written at the index."""
    y = x * 1
    y[index] = value
    return y


@cache
def families() -> dict[str, list[Case]]:
    """The rows of each of the files `cases_*.py`."""
    found = {}
    for file in sorted(Path(__file__).parent.glob("cases_*.py")):
        before = len(CASES)
        importlib.import_module(file.stem)
        found[file.stem.removeprefix("cases_")] = CASES[before:]
    return found


def reflected(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda api, x, y: f(y, x)


def straight(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda api, x, y: f(x, y)
