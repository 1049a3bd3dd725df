"""`Tensor` without PyTorch at hand: making tensors, dtypes, numbers out of them, and writes in place.

Where PyTorch differs from NumPy, what it gives has been recorded here.
"""

from __future__ import annotations

import copy
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import leaf, same
from strategies import DTYPES, Array, arrays, shapes

import minigrad as torch

# ---- making tensors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (3, torch.int64, 3),
        (True, torch.bool, True),
        (2.5, torch.float32, 2.5),
        ([], torch.float32, []),
        ([[], []], torch.float32, [[], []]),
        ([1, 2], torch.int64, [1, 2]),
        ([True, 2], torch.int64, [1, 2]),
        ([1, 2.5], torch.float32, [1.0, 2.5]),
        ([[1, 2], [3, 4]], torch.int64, [[1, 2], [3, 4]]),
        (((1.0,), [2]), torch.float32, [[1.0], [2.0]]),
        ([True, False], torch.bool, [True, False]),
        (range(3), torch.int64, [0, 1, 2]),
        ([np.float64(1.5), 2], torch.float64, [1.5, 2.0]),
        ([[np.int8(1)], [np.int16(2)]], torch.int16, [[1], [2]]),
        (np.arange(3, dtype=np.int32), torch.int32, [0, 1, 2]),
        (np.float16(1.5), torch.float16, 1.5),
        ([torch.tensor(1), torch.tensor(2.5)], torch.float32, [1.0, 2.5]),
        (2**62, torch.int64, 2**62),
    ],
)
def test_tensor_takes_its_dtype_and_shape_from_the_data(data: Any, dtype: Any, expected: Any) -> None:
    x = torch.tensor(data)
    assert x.dtype is dtype
    assert x.tolist() == expected
    assert x.shape == np.shape(expected)
    assert (x.is_leaf, x.requires_grad, x.grad) == (True, False, None)


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        ([1.5, -1], torch.uint8, [1, 255]),
        ([[-255, 2.9], [True, 0]], torch.uint8, [[1, 2], [1, 0]]),
        ([2**53 + 1, 1.5], torch.int64, [2**53 + 1, 1]),
        ([2**63 - 1, -0.5], torch.int64, [2**63 - 1, 0]),
        ([2**70], torch.float64, [2.0**70]),
        ([2**70, 0], torch.bool, [True, False]),
    ],
)
def test_each_number_is_converted_by_itself(data: Any, dtype: Any, expected: Any) -> None:
    x = torch.tensor(data, dtype=dtype)
    assert x.dtype is dtype
    assert x.tolist() == expected


def test_tensor_copies_and_from_numpy_shares() -> None:
    array = np.array([1.0, 2.0])
    copied, shared, viewed = torch.tensor(array), torch.from_numpy(array), torch.as_tensor(array)
    array[0] = 7
    assert (copied.tolist(), shared.tolist(), viewed.tolist()) == ([1, 2], [7, 2], [7, 2])
    shared[1] = 8
    assert array.tolist() == [7, 8]
    assert np.shares_memory(shared.numpy(), array)
    assert not np.may_share_memory(torch.as_tensor(array, dtype=torch.float32).numpy(), array)
    assert torch.as_tensor(shared) is shared
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(array[::-1])
    with pytest.raises(TypeError, match=r"expected np\.ndarray"):
        torch.from_numpy([1.0])
    with pytest.warns(UserWarning, match="copy construct"):
        assert torch.tensor(shared).data_ptr() != shared.data_ptr()
    with warnings.catch_warnings():
        # PyTorch's warning of memory that cannot be written to comes once per process.
        warnings.simplefilter("ignore")
        read_only = torch.from_numpy(np.broadcast_to(array, (2, 2)))
    with pytest.raises(RuntimeError, match="clone"):
        read_only.add_(1)


def test_dtype_and_requires_grad_as_asked() -> None:
    assert torch.tensor([1.9, -1.9], dtype=torch.int64).tolist() == [1, -1]
    assert torch.tensor([0, 2], dtype=torch.bool).tolist() == [False, True]
    assert torch.tensor([1, 2], dtype=torch.float16).dtype is torch.float16
    assert torch.tensor([1.0], requires_grad=True).requires_grad
    for make in (lambda: torch.tensor([1], requires_grad=True), lambda: torch.tensor([1]).requires_grad_()):
        with pytest.raises(RuntimeError, match="floating point"):
            make()
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.tensor([300], dtype=torch.int8)
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor([1.0]).dtype is torch.zeros(1).dtype is (torch.tensor([1]) / 2).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    ("made", "dtype", "expected"),
    [
        (torch.arange(3), torch.int64, [0, 1, 2]),
        (torch.arange(2, 5), torch.int64, [2, 3, 4]),
        (torch.arange(5, 1, -2), torch.int64, [5, 3]),
        (torch.arange(0, 1, 0.25), torch.float32, [0, 0.25, 0.5, 0.75]),
        (torch.arange(2.5), torch.float32, [0, 1, 2]),
        (torch.arange(3, dtype=torch.float64), torch.float64, [0, 1, 2]),
        (torch.arange(0), torch.int64, []),
        (torch.full((2,), True), torch.bool, [True, True]),
        (torch.full((2,), 3), torch.int64, [3, 3]),
        (torch.full((1, 2), 1.5), torch.float32, [[1.5, 1.5]]),
        (torch.full((), 3.5, dtype=torch.int32), torch.int32, 3),
        (torch.zeros(2), torch.float32, [0, 0]),
        (torch.ones((1, 2), dtype=torch.int8), torch.int8, [[1, 1]]),
        (torch.eye(2, 3), torch.float32, [[1, 0, 0], [0, 1, 0]]),
        (torch.zeros_like(torch.ones(2).double()), torch.float64, [0, 0]),
        (torch.ones_like(torch.tensor([5, 6])), torch.int64, [1, 1]),
        (torch.full_like(torch.tensor([5, 6]), 7), torch.int64, [7, 7]),
        (torch.empty(0), torch.float32, []),
    ],
)
def test_filled_tensors(made: Any, dtype: Any, expected: Any) -> None:
    assert made.dtype is dtype
    assert made.tolist() == expected


# ---- dtypes ----------------------------------------------------------------------------------------------------------

CODES = {code: np.dtype(code).name for code in ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "b1"]}

# The dtype of a product of tensors of at least one dimension, as PyTorch gives it: symmetric.
BOTH_DIMENSIONED = """
    f8  f8 f8 f8 f8 f8 f8 f8 f8 f8
    f4  f8 f4 f4 f4 f4 f4 f4 f4 f4
    f2  f8 f4 f2 f2 f2 f2 f2 f2 f2
    i8  f8 f4 f2 i8 i8 i8 i8 i8 i8
    i4  f8 f4 f2 i8 i4 i4 i4 i4 i4
    i2  f8 f4 f2 i8 i4 i2 i2 i2 i2
    i1  f8 f4 f2 i8 i4 i2 i1 i2 i1
    u1  f8 f4 f2 i8 i4 i2 i2 u1 u1
    b1  f8 f4 f2 i8 i4 i2 i1 u1 b1
"""

# The same for a tensor of at least one dimension (the row) and one of none (the column).
ONE_WITHOUT = """
    f8  f8 f8 f8 f8 f8 f8 f8 f8 f8
    f4  f4 f4 f4 f4 f4 f4 f4 f4 f4
    f2  f2 f2 f2 f2 f2 f2 f2 f2 f2
    i8  f8 f4 f2 i8 i8 i8 i8 i8 i8
    i4  f8 f4 f2 i4 i4 i4 i4 i4 i4
    i2  f8 f4 f2 i2 i2 i2 i2 i2 i2
    i1  f8 f4 f2 i1 i1 i1 i1 i1 i1
    u1  f8 f4 f2 u1 u1 u1 u1 u1 u1
    b1  f8 f4 f2 i8 i4 i2 i1 u1 b1
"""

# For x of each dtype, and of no dimension as well: x * True, x * 2, x * 2.0, x / x, x / 2, x.sum(), x == x.
WITH_NUMBERS = """
    f8  f8 f8 f8 f8 f8 f8 b1
    f4  f4 f4 f4 f4 f4 f4 b1
    f2  f2 f2 f2 f2 f2 f2 b1
    i8  i8 i8 f4 f4 f4 i8 b1
    i4  i4 i4 f4 f4 f4 i8 b1
    i2  i2 i2 f4 f4 f4 i8 b1
    i1  i1 i1 f4 f4 f4 i8 b1
    u1  u1 u1 f4 f4 f4 i8 b1
    b1  b1 i8 f4 f4 f4 i8 b1
"""


def dtypes_of(table: str) -> dict[str, list[str]]:
    rows = [line.split() for line in table.strip().splitlines()]
    return {CODES[row[0]]: [CODES[code] for code in row[1:]] for row in rows}


def ones(dtype: str, *shape: int) -> Any:
    return torch.from_numpy(np.ones(shape, dtype))


@pytest.mark.parametrize(("table", "shape"), [(BOTH_DIMENSIONED, (1,)), (ONE_WITHOUT, ())])
def test_promotion_of_two_tensors(table: str, shape: tuple[int, ...]) -> None:
    for left, row in dtypes_of(table).items():
        for right, expected in zip(CODES.values(), row, strict=True):
            a, b = ones(left, 2), ones(right, *shape)
            for result in (a * b, b * a, a + b, b + a):
                assert repr(result.dtype) == f"torch.{expected}", (left, right)
            assert torch.result_type(a, b) is (a * b).dtype
            if shape:
                assert torch.promote_types(a.dtype, b.dtype) is (a * b).dtype


@pytest.mark.parametrize("shape", [(2,), ()])
def test_promotion_with_numbers_and_of_results(shape: tuple[int, ...]) -> None:
    for dtype, row in dtypes_of(WITH_NUMBERS).items():
        x = ones(dtype, *shape)
        results = [x * True, x * 2, 2.0 * x, x / x, x / 2, x.sum(), x == x]
        assert [repr(result.dtype) for result in results] == [f"torch.{name}" for name in row], dtype


def test_dtypes_have_one_object_and_aliases() -> None:
    assert torch.float is torch.float32
    assert torch.double is torch.float64
    assert torch.half is torch.float16
    assert torch.long is torch.int64
    assert torch.int is torch.int32
    assert torch.short is torch.int16
    assert copy.deepcopy(torch.float32) is torch.float32
    x = torch.tensor([1.7, 0.0])
    assert x.long().tolist() == [1, 0]
    converted = [x.float(), x.double(), x.half(), x.long(), x.int(), x.bool(), x.type_as(torch.tensor(1))]
    names = ["float32", "float64", "float16", "int64", "int32", "bool", "int64"]
    assert [repr(each.dtype) for each in converted] == [f"torch.{name}" for name in names]
    assert x.to(torch.ones(1).double()).dtype is torch.float64
    assert torch.tensor([1, 1.0, float("nan")]).bool().tolist() == [True, True, True]


# ---- NumPy and numbers -----------------------------------------------------------------------------------------------


def test_numpy_gives_the_array_itself_unless_a_gradient_is_required() -> None:
    x = torch.tensor([1.0, 2.0])
    x.numpy()[0] = 7
    np.asarray(x)[1] = 8
    assert x.tolist() == [7, 8]
    assert np.array(x) is not x.numpy()
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert isinstance(np.exp(x), torch.Tensor)
    assert isinstance(np.float64(2) * x, torch.Tensor)
    for convert in (lambda y: y.numpy(), np.asarray):
        with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
            convert(torch.ones(2, requires_grad=True))
    assert torch.ones(2, requires_grad=True).detach().numpy().tolist() == [1, 1]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_becomes_a_number(shape: tuple[int, ...]) -> None:
    x = torch.full(shape, 2.75, requires_grad=True)
    assert (x.item(), int(x), float(x.detach()), bool(x)) == (2.75, 2, 2.75, True)
    assert type(torch.full(shape, 2).item()) is int
    assert type(torch.full(shape, True).item()) is bool
    assert ["a", "b", "c"][torch.full(shape, 2)] == "c"
    assert operator.index(torch.full(shape, True)) == 1
    assert not torch.zeros(shape)
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        operator.index(x)


@pytest.mark.parametrize("size", [0, 2])
def test_more_elements_or_none_do_not_become_a_number(size: int) -> None:
    x = torch.ones(size, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        x.item()
    for convert in (int, float):
        with pytest.raises(ValueError, match="only one element tensors"):
            convert(x)
    with pytest.raises(RuntimeError, match=r"Boolean value of Tensor with .* is ambiguous"):
        bool(x)
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        operator.index(x)


def test_length_iteration_and_membership() -> None:
    x = torch.tensor([[1, 2], [3, 4], [5, 6]])
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[1, 2], [3, 4], [5, 6]]
    assert 4 in x
    assert 7 not in x
    for call in (len, iter):
        with pytest.raises(TypeError, match="0-d tensor"):
            call(torch.tensor(1))
    assert f"{torch.tensor(2.5):.2f}" == "2.50"
    assert (x.size(), x.size(-1), x.dim(), x.ndim, x.numel(), x.element_size()) == ((3, 2), 2, 2, 2, 6, 8)
    assert (x.stride(), x.T.stride(), x.is_contiguous(), x.T.is_contiguous()) == ((2, 1), (1, 2), True, False)


def test_comparisons_and_logic_are_numpys() -> None:
    a, b = np.array([[1.0, 2.0, np.nan]]), np.array([[2.0], [1.0], [np.nan]])
    for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        same(op(torch.from_numpy(a), torch.from_numpy(b)), op(a, b))
        same(op(torch.from_numpy(a), 2), op(a, 2))
    m, n = np.array([True, True, False]), np.array([True, False, False])
    i, j = np.array([6, 5, 3]), np.array([3, 4, 2])
    for op in (operator.and_, operator.or_, operator.xor):
        same(op(torch.from_numpy(m), torch.from_numpy(n)), op(m, n))
        same(op(torch.from_numpy(i), torch.from_numpy(j)), op(i, j))
        same(op(3, torch.from_numpy(i)), op(3, i))
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            op(torch.ones(1), torch.ones(1))
    same(~torch.from_numpy(m), ~m)
    same(~torch.from_numpy(i), ~i)
    x = torch.tensor([[3.0, 1.0], [3.0, 5.0]])
    assert (x.argmax().item(), x.argmin().item(), x.argmax(0).tolist(), x.argmin(1).tolist()) == (3, 1, [0, 1], [1, 0])
    assert ((x > 2).all(1).tolist(), (x > 4).any(0).tolist(), (x > 0).all().item()) == (
        [False, True],
        [False, True],
        True,
    )
    assert x.equal(x.clone())
    assert not x.equal(x.T)
    assert x.allclose(x * (1 + 1e-6))
    assert not x.allclose(x * 1.01)


# ---- writes in place -------------------------------------------------------------------------------------------------

#: Each write, and the same on an array.
WRITES: list[tuple[str, Callable[[Any, Any], Any], Callable[[Array, Any], Any]]] = [
    ("+=", operator.iadd, lambda x, y: x + y),
    ("-=", operator.isub, lambda x, y: x - y),
    ("*=", operator.imul, lambda x, y: x * y),
    ("/=", operator.itruediv, lambda x, y: x / y),
    ("**=", operator.ipow, lambda x, y: x**y),
    ("add_", lambda x, y: x.add_(y), lambda x, y: x + y),
    ("sub_", lambda x, y: x.sub_(y), lambda x, y: x - y),
    ("mul_", lambda x, y: x.mul_(y), lambda x, y: x * y),
    ("div_", lambda x, y: x.div_(y), lambda x, y: x / y),
    ("copy_", lambda x, y: x.copy_(y), lambda x, y: np.broadcast_to(y, x.shape)),
    ("[...] =", lambda x, y: (x.__setitem__(..., y), x)[1], lambda x, y: np.broadcast_to(y, x.shape)),
]
WRITE_NAMES = [row[0] for row in WRITES]


@pytest.mark.parametrize(("write", "written"), [row[1:] for row in WRITES], ids=WRITE_NAMES)
def test_a_write_is_seen_by_every_alias(write: Callable[[Any, Any], Any], written: Callable[[Array, Any], Any]) -> None:
    for other in (np.array([[1.0, 2.0], [3.0, 0.5]]), np.array([2.0, 3.0]), np.array(2.0), 3, 0.5):
        array = np.array([[1.0, 2.0], [4.0, 8.0]])
        expected = written(array.copy(), other)
        x = torch.from_numpy(array)
        aliases = [x, x.detach(), x.T.T, x.reshape(4).view(2, 2), x[...], torch.nn.Parameter(x).detach(), x.data]
        out = write(x, torch.from_numpy(other) if isinstance(other, np.ndarray) else other)
        assert out is x
        assert x._version == 1
        for alias in aliases:
            np.testing.assert_array_equal(alias.numpy(), expected)
        assert np.shares_memory(x.numpy(), array)


def test_a_write_through_a_view_reaches_the_whole() -> None:
    x = torch.zeros(2, 3)
    x[1] += 1
    x.T[0] = 5
    next(iter(x)).mul_(2)
    x[:, 2].fill_(9)
    assert x.tolist() == [[10, 0, 9], [5, 1, 9]]
    x += x.T.reshape(2, 3) * 0 + x  # The other operand may be computed from the one written to.
    assert x.tolist() == [[20, 0, 18], [10, 2, 18]]
    m = torch.tensor([True, True, False])
    alias = m[...]
    m &= torch.tensor([True, False, True])
    m |= torch.tensor([False, False, True])
    m ^= True
    assert alias.tolist() == [False, True, False]


def test_a_write_keeps_dtype_and_shape() -> None:
    for write in (operator.iadd, operator.imul, lambda x, y: x.sub_(y), lambda x, y: x.copy_(y)):
        x = torch.ones(2, dtype=torch.float16)
        write(x, torch.tensor([1.5, 2.5], dtype=torch.float64))
        assert x.dtype is torch.float16
        for wide in (torch.ones(3, 2), torch.ones(2, 1), torch.ones(3)):
            with pytest.raises(RuntimeError, match=r"shape|size"):
                write(torch.ones(2), wide)
    integers = torch.tensor([1, 2])
    for write, other in [(operator.iadd, 1.5), (operator.imul, torch.ones(2)), (operator.itruediv, 2),
                         (operator.ipow, 0.5)]:  # fmt: skip
        with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
            write(integers, other)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Bool"):
        operator.iadd(torch.tensor([True]), 1)
    assert integers.tolist() == [1, 2]
    assert integers._version == 0
    assert integers.copy_(torch.tensor([1.9, -1.9])).tolist() == [1, -1]
    assert integers.fill_(7.9).tolist() == [7, 7]
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.ones(1).expand(3).add_(1)
    with pytest.raises(TypeError):
        operator.iadd(torch.ones(1), "a")


@given(st.data())
def test_assignment_by_index_is_numpys(data: st.DataObject) -> None:
    array = data.draw(arrays(st.sampled_from(DTYPES), shapes(2, 3, min_side=2)))
    rows = data.draw(st.lists(st.integers(-2, 1), min_size=1, max_size=2, unique_by=lambda row: row % 2))
    mask = np.asarray(data.draw(st.lists(st.booleans(), min_size=len(array), max_size=len(array))))
    index = data.draw(st.sampled_from([0, -1, ..., slice(1, None), (slice(None), 1), (..., slice(None, None, 2)),
                                       (0, 1), None, rows, (slice(None), rows), mask, array == array]))  # fmt: skip
    value = data.draw(arrays(array.dtype.name, array[index].shape, contiguous=True))
    expected = array.copy()
    x = torch.from_numpy(array.copy(order="K"))
    alias = x.detach()
    expected[index] = value
    x[torch.from_numpy(index) if isinstance(index, np.ndarray) else index] = torch.from_numpy(np.asarray(value))
    same(alias, expected)
    assert x._version == 1
    expected[index] = 1
    x[index] = 1
    same(alias, expected)
    same(x[index], expected[index])


def test_writes_are_recorded_in_the_order_they_are_made() -> None:
    """The derivative of a chain of writes is that of the same chain of new tensors, to order two."""

    def in_place(x: Any, y: Any) -> Any:
        z = x * 1
        z += y
        z *= x
        z **= 2
        z -= 2 * y
        z /= y
        z **= 2
        return z

    def anew(x: Array, y: Array) -> Array:
        return ((((x + y) * x) ** 2 - 2 * y) / y) ** 2

    points = [np.array([1.0, 2.0, 1.5]), np.array([2.0, 1.0, 3.0])]
    u, v = oracles.random_directions([(3,), (3,)], 0), oracles.random_directions([(3,), (3,)], 1)
    leaves = [leaf(p) for p in points]
    first = torch.autograd.grad(in_place(*leaves).sum(), leaves, create_graph=True)
    second = torch.autograd.grad([(d * torch.from_numpy(w)).sum() for d, w in zip(first, u, strict=True)], leaves)

    def value(at: Any) -> Array:
        return np.asarray(anew(*at).sum())

    def slope(at: Any) -> Array:
        return oracles.directional_derivative(value, at, u)

    got = oracles.inner([d.detach().numpy() for d in first], u)
    np.testing.assert_allclose(got, oracles.directional_derivative(value, points, u), rtol=1e-8)
    got = oracles.inner([d.numpy() for d in second], v)
    np.testing.assert_allclose(got, oracles.directional_derivative(slope, points, v), rtol=1e-6)


def test_leaves_that_require_gradients_are_written_to_under_no_grad() -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    leaf_words = "a leaf Variable that requires grad is being used in an in-place operation"
    for write in (operator.iadd, operator.imul, lambda a, b: a.copy_(b), lambda a, b: a.fill_(2)):
        with pytest.raises(RuntimeError, match=leaf_words):
            write(x, 2)
        for view in (x.reshape(2, 1), x[...], x.reshape(2, 1).T):
            with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
                write(view, 2)
    assert (x.tolist(), x._version) == ([1, 1], 0)
    with torch.no_grad():
        x += 2
        x[0] = 7
    assert x.is_leaf
    assert x.requires_grad
    assert x.tolist() == [7, 3]
    total = torch.zeros(2)
    total += y * 3
    assert total.requires_grad
    total.sum().backward()
    assert y.grad.tolist() == [3, 3]


# ---- flags, gradients, copies ----------------------------------------------------------------------------------------


def test_requires_grad_is_for_leaves_of_floats() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert (x.is_leaf, y.is_leaf, y.requires_grad, x.grad_fn) == (True, False, True, None)
    assert repr(y.grad_fn).startswith("<MulBackward0 object at ")
    with pytest.raises(RuntimeError, match="leaf variables"):
        y.requires_grad_(False)
    with pytest.raises(RuntimeError, match="must be a bool"):
        x.requires_grad = 1
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None
    assert not y.detach().requires_grad
    assert y.detach().data_ptr() == y.data_ptr()
    assert x.requires_grad_(False) is x
    assert not (x * 2).requires_grad


def test_a_gradient_that_is_assigned_has_to_fit() -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([1.0, 2.0])
    (x * 3).sum().backward()
    assert x.grad.tolist() == [4, 5]
    for wrong, error in [
        ([1.0, 2.0], TypeError),
        (torch.ones(3), RuntimeError),
        (torch.ones(2).double(), RuntimeError),
    ]:
        with pytest.raises(error, match="assign"):
            x.grad = wrong
    x.grad = None
    assert x.grad is None


def test_data_writes_unseen_and_can_be_replaced() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    x.data.mul_(10)
    assert x.tolist() == [10, 20]
    assert x._version == 0
    loss.backward()
    assert x.grad.tolist() == [20, 40]
    other = torch.tensor([5.0])
    x.data = other
    assert x.tolist() == [5]
    assert x.data_ptr() == other.data_ptr()
    assert x.requires_grad
    with pytest.raises(RuntimeError, match="floating point"):
        x.data = torch.tensor([1])
    with pytest.raises(TypeError, match="has to be a tensor"):
        x.data = [1.0]


def test_backward_checks_its_arguments() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: y.backward(), RuntimeError, "only for scalar outputs"),
        (lambda: y.backward(torch.ones(3)), RuntimeError, "Mismatch in shape"),
        (lambda: torch.autograd.backward(y, "ab"), TypeError, "either Tensors or None, but got str"),
        (lambda: torch.autograd.backward(y, (y, y)), RuntimeError, "got 1 tensors and 2 gradients"),
        (lambda: torch.ones(1).backward(), RuntimeError, "does not require grad"),
        (lambda: torch.autograd.backward([y, y], [torch.ones(2)]), RuntimeError, "got 2 tensors and 1 gradients"),
        (lambda: torch.autograd.grad(y.sum(), torch.ones(1)), RuntimeError, "does not require grad"),
        (lambda: torch.autograd.grad(y.sum(), []), RuntimeError, "cannot be empty"),
        (lambda: torch.autograd.grad([y], [x], [1.0]), TypeError, "Tensors or None"),
        (lambda: y.sum().backward(inputs=[]), RuntimeError, "cannot be empty"),
        (lambda: y.sum().backward(inputs=[torch.ones(1)]), RuntimeError, "does not require grad"),
        (
            lambda: torch.autograd.grad(y.sum(), x, allow_unused=False, materialize_grads=True),
            ValueError,
            "allow_unused",
        ),
    ]
    for call, error, words in cases:
        with pytest.raises(error, match=words):
            call()
    assert x.grad is None
    # The cotangent takes on the dtype of what it is for.
    y.backward(torch.tensor([1.0, 3.0], dtype=torch.float64))
    assert x.grad.dtype is torch.float32
    assert x.grad.tolist() == [2, 6]
    g = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (dx,) = torch.autograd.grad(x * 2, x, g, create_graph=True)
    assert dx.dtype is torch.float32
    (dg,) = torch.autograd.grad(dx.sum(), g)
    assert (dg.dtype, dg.tolist()) == (torch.float64, [2, 2])
    one = torch.ones(1, 1, requires_grad=True)
    (one * 5).backward()
    assert one.grad.tolist() == [[5]]


def test_ranges_beyond_the_largest_number_warn_of_nothing() -> None:
    assert torch.arange(0, 1e39, 5e38).tolist() == [0, float("inf")]
    assert not torch.linspace(-3e38, 3e38, 3).isfinite().any()
