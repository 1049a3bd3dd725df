"""Sparse tensors: names of nodes, refusals, sums with dense tensors, writes in place, copies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.ops.sparse import ids_of, places_of


def three_entries(values: Any = None) -> Any:
    """Of shape `(4, 2)`, two of them at one place."""
    values = torch.tensor([[1.0, -2.0], [3.0, 4.0], [5.0, 6.0]]) if values is None else values
    return torch.sparse_coo_tensor(torch.tensor([[2, 0, 2]]), values, (4, 2))


# ---- names -----------------------------------------------------------------------------------------------------------


def test_each_operation_is_recorded_by_its_name() -> None:
    values, dense = leaf(np.ones((3, 2))), torch.ones(4, 2).double()
    x = three_entries(values)
    for out, name in [
        (x, "SparseCooTensorWithDimsAndTensorsBackward0"),
        (x.coalesce(), "CoalesceBackward0"),
        (x.coalesce().values(), "ValuesBackward0"),
        (x.to_dense(), "ToDenseBackward0"),
        (x * 2, "MulBackward0"),
        (-x, "NegBackward0"),
        (dense + x, "AddBackward0"),
        (dense - x, "SubBackward0"),
        (leaf(np.ones((4, 2))).mul(2).to_sparse(1), "ToSparseBackward0"),
    ]:
        assert out.grad_fn.name() == name
        assert out.requires_grad
    assert repr(x).endswith("grad_fn=<SparseCooTensorWithDimsAndTensorsBackward0>)")
    assert x.detach().grad_fn is None
    assert not x.data.requires_grad


def test_a_write_to_a_dense_tensor_is_recorded_as_a_sum() -> None:
    table = torch.zeros(4, 2).double()
    table.add_(three_entries(leaf(np.ones((3, 2)))))
    assert table.grad_fn.name() == "AddBackward0"


def test_methods_are_called_by_their_names() -> None:
    for name in ("detach", "to", "float", "double", "half", "long", "int", "neg", "abs", "sqrt", "square"):
        assert getattr(torch.Tensor.to_sparse(torch.ones(2)), name).__name__ == name


# ---- errors ----------------------------------------------------------------------------------------------------------

REFUSED = (
    "Could not run this operation with arguments from the 'SparseCPU' backend: a sparse tensor has no array of its "
    "elements. Use to_dense(), if all of them fit into memory, or compute with coalesce().values()."
)
NO_LEAF = "a sparse tensor cannot be a leaf that requires a gradient: make it of values that require one"
NO_CAST = (
    "result type Float can't be cast to the desired output type Int: an in-place operation cannot change the dtype"
)
UNCOALESCED = "Cannot get {} on an uncoalesced tensor, please call .coalesce() first"
OPERAND = "{}(): argument 'other' (position 1) must be Tensor, not str: torch.tensor(data) makes one"
FIRST_DENSE = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: x.exp(), NotImplementedError, REFUSED),
        (lambda x: x * x, NotImplementedError, REFUSED),
        (lambda x: torch.ones(4, 2) / x, NotImplementedError, REFUSED),
        (lambda x: x.requires_grad_(), NotImplementedError, NO_LEAF),
        (lambda x: x.indices(), RuntimeError, UNCOALESCED.format("indices")),
        (lambda x: x.values(), RuntimeError, UNCOALESCED.format("values")),
        (lambda x: len(torch.tensor(1.0).to_sparse()), TypeError, "len() of a 0-d tensor"),
        (lambda x: x / torch.ones(2), RuntimeError, "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape [2] for divisor)"),  # noqa: E501
        (lambda x: x + torch.ones(4, 2), RuntimeError, FIRST_DENSE),
        (lambda x: x - torch.ones(4, 2), RuntimeError, FIRST_DENSE),
        (lambda x: torch.ones(3, 2) + x, RuntimeError, "add: expected 'self' and 'other' to have same size, but self has size [3, 2] while other has size [4, 2] (FYI: dense-sparse addition does not currently support broadcasting)"),  # noqa: E501
        (lambda x: torch.ones(3, 2).add_(x), RuntimeError, "add: expected 'self' and 'other' to have same size, but self has size [3, 2] while other has size [4, 2] (FYI: dense-sparse addition does not currently support broadcasting)"),  # noqa: E501
        (lambda x: x + torch.ones(3, 2).to_sparse(1), RuntimeError, "add: expected sizes of 'self' and 'other' to match, but [4, 2] != [3, 2], or 1 sparse dimensions are not 1: sparse tensors do not broadcast"),  # noqa: E501
        (lambda x: x + torch.ones(4, 2).to_sparse(), RuntimeError, "add: expected sizes of 'self' and 'other' to match, but [4, 2] != [4, 2], or 1 sparse dimensions are not 2: sparse tensors do not broadcast"),  # noqa: E501
        (lambda x: x.int().mul_(0.5), RuntimeError, NO_CAST),
        (lambda x: torch.ones(4, 2).int().add_(x), RuntimeError, NO_CAST),
        (lambda x: torch.ones(4, 2).int().add_(x.int(), alpha=0.5), RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."),  # noqa: E501
        (lambda x: x.mul("a"), TypeError, OPERAND.format("mul")),
        (lambda x: x.mul_("a"), TypeError, OPERAND.format("mul")),
        (lambda x: x.div("a"), TypeError, OPERAND.format("div")),
        (lambda x: x.div_("a"), TypeError, OPERAND.format("div")),
        (lambda x: x.div_(torch.ones(2)), RuntimeError, "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape [2] for divisor)"),  # noqa: E501
    ],
)  # fmt: skip
def test_errors_in_full(call: Callable[[Any], Any], kind: type[Exception], message: str) -> None:
    x = three_entries()
    with pytest.raises(kind) as caught:
        call(x)
    assert type(caught.value) is kind
    assert str(caught.value) == message
    assert x._version == 0


def test_operators_leave_what_is_no_number_to_the_other_operand() -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "their own"

        __rsub__ = __rmul__ = __rtruediv__ = __radd__

    x, other = three_entries(), Other()
    assert [x + other, x - other, x * other, x / other] == ["their own"] * 4
    for update in (type(x).__iadd__, type(x).__isub__, type(x).__imul__, type(x).__itruediv__):
        assert update(x, other) is NotImplemented


# ---- facts -----------------------------------------------------------------------------------------------------------


def test_what_a_sparse_tensor_says_of_itself() -> None:
    x = three_entries()
    assert [x.dim(), x.ndim, x.numel(), x.nelement(), x.itemsize, x._nnz()] == [2, 2, 8, 8, 4, 3]
    assert [x.size(), x.size(0), x.size(-1), len(x)] == [torch.Size([4, 2]), 4, 2, 4]
    assert [x.type(), x.double().type(), x.int().type()] == [
        f"torch.sparse.{n}Tensor" for n in ("Float", "Double", "Int")
    ]
    assert [x.is_floating_point(), x.int().is_floating_point()] == [True, False]
    assert x.layout is torch.sparse_coo
    assert x._indices().dtype is torch.int64
    assert x.float() is x.to(torch.float32) is x.to_sparse() is x.to_sparse(1) is x
    assert x.detach() is not x
    assert x.to(dtype=torch.float64).dtype is torch.float64
    text = "tensor(indices=tensor([[2, 0, 2]]),\n       values=tensor([[ 1., -2.],\n                      [ 3.,  4.],\n"
    assert repr(x) == text + "                      [ 5.,  6.]]),\n       size=(4, 2), nnz=3, layout=torch.sparse_coo)"


@pytest.mark.parametrize("shape", [(4,), (3, 2), (2, 3, 2), (2, 0), (1, 1, 3)])
def test_entries_are_numbers_or_parts_of_the_tensor(shape: tuple[int, ...]) -> None:
    """Of `(*S, *D)` the places are `(len(S), nnz)` and the entries `(nnz, *D)`."""
    array = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    array[array % 3 == 0] = 0
    for dims in range(1, len(shape) + 1):
        x = torch.from_numpy(array).to_sparse(dims)
        used = [place for place in np.ndindex(shape[:dims]) if array[place].any()]
        assert x.indices().t().tolist() == [list(place) for place in used]
        assert x.values().shape == (len(used), *shape[dims:])
        assert x.values().tolist() == [array[place].tolist() for place in used]
        assert x.coalesce().values().shape == x._values().shape == x.values().shape
        again = torch.sparse_coo_tensor(x.indices(), x.values(), shape).coalesce()
        assert again.values().shape == x.values().shape
        assert (x * torch.from_numpy(array)).values().shape == x.values().shape


@pytest.mark.parametrize("sizes", [(), (5,), (2, 3), (3, 1, 4), (1, 7, 1)])
def test_places_are_counted_row_by_row(sizes: tuple[int, ...]) -> None:
    ids = np.arange(int(np.prod(sizes)))
    places = places_of(ids, sizes)
    assert places.shape == (len(sizes), ids.size)
    assert places.T.tolist() == [list(place) for place in np.ndindex(sizes)]
    np.testing.assert_array_equal(ids_of(places, sizes), ids, strict=True)


def test_places_of_one_dimension_lie_in_the_same_memory() -> None:
    places = np.array([[3, 1]])
    assert np.shares_memory(ids_of(places, (5,)), places)


def test_entries_that_repeat_count_once_in_norms() -> None:
    """`f(a) + f(b)` is not `f(a + b)`: the entries at one place are added up first."""
    x = three_entries(torch.tensor([[1.0, -2.0], [4.0, 9.0], [3.0, -2.0]]))
    dense = x.to_dense()
    for p in ("fro", None, 0, 1, 2, 3, float("inf")):
        wanted = dense.norm() if p is None else dense.norm(p)
        assert x.norm(p).item() == pytest.approx(wanted.item(), rel=1e-6)
    assert x.norm().item() == x.norm("fro").item()
    assert x.sum().item() == dense.sum().item()
    assert x.sum(dtype=torch.float64).dtype is torch.float64


# ---- sums ------------------------------------------------------------------------------------------------------------


def test_a_sum_is_coalesced_if_both_summands_are() -> None:
    loose = three_entries()
    tight = loose.coalesce()
    assert (tight + tight).is_coalesced()
    assert (tight + tight)._nnz() == 2
    for x, y in ((loose, tight), (tight, loose), (loose, loose)):
        total = x + y
        assert not total.is_coalesced()
        assert total._nnz() == x._nnz() + y._nnz()
        assert total.to_dense().tolist() == (2 * loose.to_dense()).tolist()


@pytest.mark.parametrize("alpha", [1, 1.0, 2, -1, 0.5, 0])
def test_alpha_scales_the_second_summand(alpha: Any) -> None:
    x, y = three_entries(), torch.ones(4, 2).to_sparse(1)
    base = torch.full((4, 2), 10.0)
    for got, wanted in [
        (x.add(y, alpha=alpha), x.to_dense() + alpha * 1.0),
        (x.sub(y, alpha=alpha), x.to_dense() - alpha * 1.0),
        (x.clone().sub_(y, alpha=alpha), x.to_dense() - alpha * 1.0),
        (x.clone().add_(y, alpha=alpha), x.to_dense() + alpha * 1.0),
        (base.add(x, alpha=alpha), 10 + alpha * x.to_dense()),
        (base.sub(x, alpha=alpha), 10 - alpha * x.to_dense()),
        (base.clone().add_(x, alpha=alpha), 10 + alpha * x.to_dense()),
        (base.clone().sub_(x, alpha=alpha), 10 - alpha * x.to_dense()),
    ]:
        assert got.to_dense().tolist() == wanted.tolist()
        assert got.dtype is torch.float32


def test_results_have_the_dtype_of_both() -> None:
    single, double = three_entries(), three_entries().double()
    assert (torch.ones(4, 2) + double).dtype is torch.float64
    assert (torch.ones(4, 2).double() + single).dtype is torch.float64
    assert torch.ones(4, 2).add_(double).dtype is torch.float32
    assert single.clone().add_(double).dtype is torch.float32
    whole = torch.ones(4, 2).long().add_(single.int(), alpha=2)
    assert whole.tolist() == [[7, 9], [1, 1], [13, 9], [1, 1]]


def test_the_gradient_of_a_recorded_write() -> None:
    for method, sign in (("add_", 1), ("sub_", -1)):
        values, table = leaf(np.ones((3, 2))), leaf(np.zeros((4, 2)))
        g = torch.arange(8.0).double().reshape(4, 2)
        out = getattr(table * 1, method)(three_entries(values), alpha=3)
        out.backward(g)
        assert values.grad.tolist() == (sign * 3 * g[torch.tensor([2, 0, 2])]).tolist()
        assert table.grad.tolist() == g.tolist()
    # Only the entries are recorded, or only the table.
    values, plain = leaf(np.ones((3, 2))), torch.zeros(4, 2).double()
    plain.add_(three_entries(values))
    assert plain.requires_grad
    table = leaf(np.zeros((4, 2))) * 1
    table.add_(three_entries().double())
    assert table.grad_fn.name() == "AddBackward0"
    with torch.no_grad():
        plain = torch.zeros(4, 2).double()
        plain.add_(three_entries(values))
    assert not plain.requires_grad
    assert plain._version == 1


def test_in_place_operations_change_the_tensor_itself() -> None:
    for name, operands, wanted in [
        ("mul_", (2,), [[6, 8], [0, 0], [12, 8], [0, 0]]),
        ("mul_", (torch.full((4, 2), 2.0),), [[6, 8], [0, 0], [12, 8], [0, 0]]),
        ("div_", (2,), [[1.5, 2], [0, 0], [3, 2], [0, 0]]),
        ("zero_", (), [[0, 0]] * 4),
    ]:
        x = three_entries()
        assert getattr(x, name)(*operands) is x
        assert x.to_dense().tolist() == wanted
        assert x._version == 1
    x = three_entries().zero_()
    assert x._nnz() == 0
    assert x.is_coalesced()
    assert x.indices().shape == (1, 0)
    assert x.values().shape == (0, 2)
    same_one = x
    x += three_entries()
    x -= three_entries() * 3
    x *= 2
    x /= 4
    assert x is same_one
    assert x.to_dense().tolist() == [[-3, -4], [0, 0], [-6, -4], [0, 0]]
    y = three_entries(leaf(np.ones((3, 2))))
    assert y.detach_() is y
    assert not y.requires_grad
    assert y.to_dense().tolist() == [[1, 1], [0, 0], [2, 2], [0, 0]]


def test_products_and_quotients_are_those_of_the_elements() -> None:
    """Of a dense factor, which may be broadcast, only the elements at the entries are read."""
    x, nan = three_entries(), float("nan")
    wide = torch.tensor([[2.0, 3.0], [nan, nan], [4.0, 5.0], [nan, nan]])
    assert (x * wide).to_dense().tolist() == [[6, 12], [0, 0], [24, 20], [0, 0]]
    for row in (torch.tensor([2.0, 3.0]), torch.tensor([[2.0, 3.0]])):
        assert (x * row).to_dense().tolist() == (row * x).to_dense().tolist() == [[6, 12], [0, 0], [12, 12], [0, 0]]
    for two in (2, 2.0, torch.tensor(2.0)):
        assert (x * two).to_dense().tolist() == x.mul(two).to_dense().tolist() == [[6, 8], [0, 0], [12, 8], [0, 0]]
        assert (x / two).to_dense().tolist() == x.div(two).to_dense().tolist() == [[1.5, 2], [0, 0], [3, 2], [0, 0]]
    assert x.sub(x).to_dense().tolist() == (x - x).to_dense().tolist() == [[0, 0]] * 4


def test_a_deep_copy_of_one_tensor_is_one_tensor() -> None:
    x = three_entries()
    first, second = copy.deepcopy([x, x])
    assert first is second
    assert first is not x


def test_copies_hold_their_own_places() -> None:
    x = three_entries()
    y = x.clone(memory_format=torch.preserve_format)
    y._indices().fill_(1)
    y._values().fill_(0)
    assert x.to_dense().tolist() == three_entries().to_dense().tolist()
    values = leaf(np.ones((3, 2)))
    three_entries(values).clone().to_dense().sum().backward()
    assert values.grad.tolist() == [[1, 1]] * 3
