"""Shapes, parts, diagonals, joins and products without PyTorch at hand: what finite differences do not see.

Where PyTorch differs from NumPy, what it gives has been recorded here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import leaf
from strategies import DTYPES, INTEGERS, Array, arrays, shapes

import minigrad as torch

# ---- views and copies ------------------------------------------------------------------------------------------------

VIEWS: dict[str, Callable[[Any], Any]] = {
    "view": lambda x: x.view(3, 8),
    "view as a dtype": lambda x: x.view(torch.int32),
    "view_as": lambda x: x.view_as(torch.zeros(24)),
    "reshape": lambda x: x.reshape(24),
    "reshape_as": lambda x: x.reshape_as(torch.zeros(24)),
    "flatten": lambda x: x.flatten(1),
    "ravel": lambda x: x.ravel(),
    "unflatten": lambda x: x.unflatten(0, (2, 2)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "movedim": lambda x: x.movedim(0, 2),
    "H": lambda x: x[0].H,
    "expand": lambda x: x.unsqueeze(0).expand(1, 4, 2, 3),
    "broadcast_tensors": lambda x: torch.broadcast_tensors(x[None], torch.zeros(1, 1, 1, 1))[0],
    "split": lambda x: x.split(3)[1],
    "split sizes": lambda x: x.split([1, 1, 0], 1)[1],
    "chunk": lambda x: x.chunk(2, -1)[0],
    "unbind": lambda x: x.unbind(1)[0],
    "iteration": lambda x: list(x)[3],
    "elements by iteration": lambda x: list(x[0, 0])[1],
    "select": lambda x: x.select(2, 0),
    "narrow": lambda x: x.narrow(0, 1, 2),
    "unfold": lambda x: x.unfold(2, 2, 1),
    "diagonal": lambda x: x.diagonal(0, 0, 2),
    "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[1, 0, :1], indexing="ij")[0],
    "einsum of one": lambda x: torch.einsum("ijk->kij", x),
}
COPIES: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.mT.reshape(24),
    "ravel": lambda x: x.mT.ravel(),
    "contiguous": lambda x: x.mT.contiguous(),
    "repeat": lambda x: x.repeat(1, 1, 1),
    "tile": lambda x: x.tile(1),
    "repeat_interleave": lambda x: x.repeat_interleave(1, 0),
    "flip": lambda x: x.flip(()),
    "roll": lambda x: x.roll(0),
    "diag": lambda x: x[0].diag(),
    "tril": lambda x: x.tril(5),
    "cat": lambda x: torch.cat([x]),
    "stack": lambda x: torch.stack([x]),
    "einsum": lambda x: torch.einsum("ijk,->ijk", x, torch.tensor(1.0)),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_write_to_the_tensor_shows_in_its_views_and_one_to_a_view_in_the_tensor(view: Callable[[Any], Any]) -> None:
    x = torch.ones(4, 2, 3)
    part = view(x)
    assert np.shares_memory(part.numpy(), x.numpy())
    x.zero_()
    assert not part.numpy().any()
    assert part._version == 1
    part.fill_(5)
    assert x.numpy().any()
    assert x._version == 2


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_write_to_the_tensor_does_not_show_in_a_copy(copy: Callable[[Any], Any]) -> None:
    x = torch.ones(4, 2, 3)
    copied = copy(x)
    x.fill_(7)
    assert not (copied == 7).any()
    assert copied._version == 0
    copied.fill_(3)
    assert (x == 7).all()


def test_what_has_the_shape_already_is_itself() -> None:
    x, row = torch.ones(2, 3), torch.ones(3)
    assert row.flatten() is row
    assert x.flatten(1, 1) is x
    assert x.contiguous() is x
    assert torch.atleast_2d(x) is x
    assert torch.atleast_1d([x, row])[1] is row
    assert torch.broadcast_tensors(x, row)[0] is x


def test_new_shape_and_strides_in_place_write_no_element() -> None:
    x = torch.arange(6).view(2, 3)
    y = x.clone()
    row, address = y[1], y.data_ptr()
    assert y.t_() is y
    assert (y.shape, y.stride(), y.data_ptr(), y._version) == ((3, 2), (1, 3), address, 1)
    assert y.unsqueeze_(1).transpose_(0, 2).shape == (2, 1, 3)
    assert y.squeeze_(0).squeeze_().swapaxes_(0, 1).swapdims_(-1, -2).shape == (2, 3)
    row.fill_(9)
    assert y.tolist() == [[0, 1, 2], [9, 9, 9]]
    assert row._version == y._version


@pytest.mark.parametrize("name", ["t_", "squeeze_"])
def test_a_leaf_that_requires_a_gradient_is_not_changed_in_place(name: str) -> None:
    x = leaf(np.ones((1, 3)))
    for target in (x, x[:]):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            getattr(target, name)()
        assert target.shape == (1, 3)
        assert target._version == 0
    with torch.no_grad():
        getattr(x, name)()
    assert x.shape in ((3, 1), (3,))
    assert x.is_leaf
    assert x.requires_grad


def test_a_view_with_new_strides_still_writes_to_its_base() -> None:
    x = leaf(np.arange(6.0).reshape(2, 3))
    y = x * 1
    row = y[0]
    row.unsqueeze_(0)
    row.mul_(2)
    y.t_()
    assert y.tolist() == [[0, 3], [2, 4], [4, 5]]
    (y * torch.arange(6.0).view(3, 2).double()).sum().backward()
    assert x.grad.tolist() == [[0, 4, 8], [1, 3, 5]]


def test_overlapping_windows_follow_a_write_to_their_base() -> None:
    x = leaf(np.array([1.0, 2.0, 3.0, 4.0]))
    y = x * 1
    seen = y.unfold(0, 2, 1)
    y.mul_(10)
    assert seen.tolist() == [[10, 20], [20, 30], [30, 40]]
    (seen * torch.tensor([[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]]).double()).sum().backward()
    assert x.grad.tolist() == [10, 60, 240, 320]


def test_parts_of_one_split_are_written_to_only_where_nothing_is_recorded() -> None:
    plain = torch.arange(6).view(3, 2)
    for part in (*plain.split(2), *plain.chunk(2, 1), *plain.unbind()):
        part.add_(1)
    assert plain.tolist() == [[3, 4], [5, 6], [7, 8]]
    y = leaf(np.ones((4, 2))) * 1
    for part in (y.split(2)[0], y.chunk(2)[1], y.unbind()[0], next(iter(y))):
        with pytest.raises(RuntimeError, match="returns multiple views"):
            part.mul_(2)


# ---- the graph -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [lambda x: x.split(1), lambda x: x.chunk(50), lambda x: x.unbind(), list])
def test_all_parts_are_outputs_of_one_node(parts: Callable[[Any], Any]) -> None:
    """So a backward pass makes one array, not one as large as the whole for each part."""
    x = leaf(np.arange(50.0))
    found = parts(x)
    assert len(found) == 50
    assert len({id(part.grad_fn) for part in found}) == 1
    torch.stack([part.sum() * i for i, part in enumerate(found)]).sum().backward()
    assert x.grad.tolist() == list(range(50))


def test_a_product_with_something_added_keeps_only_what_its_gradients_read() -> None:
    x, a, b = (leaf(np.ones((2, 2))) for _ in range(3))
    fixed = torch.ones(2, 2).double()
    for call in (lambda m: torch.addmm(fixed, a, m),):
        m = torch.ones(2, 2).double()
        out = call(m)
        m.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()
        m = leaf(np.ones((2, 2))).mul(1)
        out = torch.addmm(x, fixed, m)
        m.add_(1)  # The gradient of m reads the other factor alone.
        out.sum().backward()
    out = torch.addmm(x, a, b)
    out.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.sum().backward()


def test_what_a_tensor_without_elements_adds_to_a_join_is_its_dtype_and_an_empty_gradient() -> None:
    nothing = leaf(np.zeros(0))
    out = torch.cat([nothing, torch.ones(2, 3), nothing], 1)
    assert (out.shape, out.dtype) == ((2, 3), torch.float64)
    out.sum().backward()
    assert nothing.grad.shape == (0,)
    assert torch.cat([torch.ones(0), torch.ones(0)], 1).shape == (0,)


def test_repeats_may_be_overwritten_before_the_backward_pass() -> None:
    x, repeats = leaf(np.ones(2)), torch.tensor([1, 3])
    out = x.repeat_interleave(repeats)
    repeats.fill_(2)
    out.sum().backward()
    assert x.grad.tolist() == [1, 3]


# ---- dtypes ----------------------------------------------------------------------------------------------------------


@given(st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shapes(2, 3))), st.integers(-4, 4))
def test_moving_elements_keeps_the_dtype(x: Array, k: int) -> None:
    t = torch.from_numpy(np.array(x))
    repeats = np.abs(np.arange(x.shape[0]) + k) % 3
    for got, expected in [
        (t.tril(k), np.tril(x, k)),
        (t.triu(k), np.triu(x, k)),
        (t.flip(-1), x[..., ::-1]),
        (t.roll(k, -1), np.roll(x, k, -1)),
        (t.diagonal(k), np.diagonal(x, k)),
        (t.repeat(2, 1, 1), np.tile(x, (2, 1, 1))),
        (t.repeat_interleave(torch.from_numpy(repeats), 0), np.repeat(x, repeats, 0)),
        (torch.cat([t, t], 1), np.concatenate([x, x], 1)),
        (torch.stack([t, t], -1), np.stack([x, x], -1)),
    ]:
        np.testing.assert_array_equal(got.numpy(), expected, strict=True)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_products_of_integers_are_exact(dtype: str) -> None:
    a, b = np.array([[1, 2], [3, 4]], dtype), np.array([[5, 6], [7, 0]], dtype)
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    for got, expected in [
        (x.mm(y), a @ b),
        (torch.addmm(x, x, y, beta=2, alpha=3), 2 * a + 3 * (a @ b)),
        (torch.addmm(x, x, y, alpha=2.9), a + 2 * (a @ b)),
        (x[0].outer(y[1]), np.outer(a[0], b[1])),
        (x[0].dot(y[1]), np.dot(a[0], b[1])),
        (torch.einsum("ij,kj->ik", x, y), a @ b.T),
        (torch.tensordot(x, y, 2), np.asarray((a * b).sum().astype(dtype))),
    ]:
        np.testing.assert_array_equal(got.numpy(), np.asarray(expected, dtype), strict=True)
    assert (x.trace().dtype, x.trace().item()) == (torch.int64, 5)


def test_half_precision_is_rounded_once() -> None:
    generator = np.random.default_rng(0)
    a, b, x = (generator.uniform(0.5, 1.5, shape).astype(np.float16) for shape in ((2, 3000), (3000, 2), (2, 2)))
    wide_a, wide_b, wide_x = (each.astype(np.float64) for each in (a, b, x))
    half = [torch.from_numpy(each) for each in (x, a, b)]
    diagonal = torch.from_numpy(np.diag(generator.uniform(0.5, 1.5, 3000)).astype(np.float16))
    ones = torch.ones(3000, dtype=torch.float16, requires_grad=True)
    g = torch.from_numpy(b.ravel()[:3000])
    (repeated,) = torch.autograd.grad(ones[:1].repeat_interleave(3000), ones, g)
    (windows,) = torch.autograd.grad(ones[:1].expand(1).unfold(0, 1, 1).expand(3000, 1), ones, g[:, None])
    for got, expected in [
        (torch.addmm(*half, alpha=0.1), wide_x + 0.1 * (wide_a @ wide_b)),
        (torch.einsum("ik,kj->ij", *half[1:]), wide_a @ wide_b),
        (diagonal.trace(), diagonal.numpy().astype(np.float64).trace()),
        (repeated[0], g.numpy().astype(np.float64).sum()),
        (windows[0], g.numpy().astype(np.float64).sum()),
    ]:
        assert got.dtype is torch.float16
        np.testing.assert_array_max_ulp(got.detach().numpy(), np.asarray(expected).astype(np.float16), 1)


# ---- einsum against its definition -----------------------------------------------------------------------------------


@st.composite
def equations(draw: st.DrawFn) -> tuple[str, list[Array]]:
    """Terms of a few letters, an output of some of them, and operands of small integers."""
    sizes = {letter: draw(st.integers(0, 3)) for letter in "ijkl"}
    terms = draw(st.lists(st.text("ijkl", max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(terms)))
    output = draw(st.permutations(used).map(lambda order: "".join(order)))[: draw(st.integers(0, len(used)))]
    operands = [draw(arrays("float64", tuple(sizes[letter] for letter in term))) for term in terms]
    return ",".join(terms) + "->" + output, operands


@given(equations())
def test_einsum_is_the_sum_over_all_values_of_the_letters(drawn: tuple[str, list[Array]]) -> None:
    equation, operands = drawn
    terms, output = equation.split("->")
    sizes = {
        letter: size
        for term, x in zip(terms.split(","), operands, strict=True)
        for letter, size in zip(term, x.shape, strict=True)
    }
    letters = sorted(sizes)
    expected = np.zeros([sizes[letter] for letter in output])
    for values in np.ndindex(*[sizes[letter] for letter in letters]):
        at = dict(zip(letters, values, strict=True))
        product = 1.0
        for term, x in zip(terms.split(","), operands, strict=True):
            product *= x[tuple(at[letter] for letter in term)]
        expected[tuple(at[letter] for letter in output)] += product
    got = torch.einsum(equation, *[torch.from_numpy(np.array(x)) for x in operands])
    np.testing.assert_array_equal(got.numpy(), expected, strict=True)


# ---- what is not finite ----------------------------------------------------------------------------------------------


def test_what_is_multiplied_by_beta_0_does_not_count() -> None:
    nan = torch.full((2, 2), np.nan)
    a = torch.ones(2, 2)
    for got in (
        torch.addmm(nan, a, a, beta=0),
        nan.clone().addmm_(a, a, beta=0),
    ):
        assert got.tolist() == [[2, 2], [2, 2]]


def test_zeros_beside_a_triangle_are_zeros_whatever_was_there() -> None:
    x = torch.full((2, 2), np.inf)
    assert x.tril(-1).tolist() == [[0, 0], [np.inf, 0]]
    assert x.triu(1).tolist() == [[0, np.inf], [0, 0]]


# ---- errors ----------------------------------------------------------------------------------------------------------

M, V, B = torch.ones(2, 3), torch.ones(3), torch.ones(4, 2, 3)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: M.mT.view(6), RuntimeError, "view size is not compatible"),
    (lambda: V.view(torch.int64), RuntimeError, "must be divisible by 2"),
    (lambda: M.flatten(1, 0), RuntimeError, "start_dim cannot come after end_dim"),
    (lambda: M.unflatten(1, (2, 2)), RuntimeError, "is invalid for input of size 3"),
    (lambda: M.unflatten(1, ()), RuntimeError, "sizes must be non-empty"),
    (lambda: M.movedim((0, 0), (0, 1)), RuntimeError, "appears multiple times"),
    (lambda: M.movedim((0, 1), (0,)), RuntimeError, "Invalid source or destination dims"),
    (lambda: V.mT, RuntimeError, "only supported on matrices"),
    (lambda: B.H, RuntimeError, "only supported on matrices"),
    (lambda: M.expand(2, -2), RuntimeError, "must match the existing size"),
    (lambda: torch.ones(1).expand(-2), RuntimeError, "expanded size of the tensor"),
    (lambda: M.repeat(2), RuntimeError, "can not be smaller than number of dimensions"),
    (lambda: M.repeat_interleave(torch.tensor([1, 2]), 1), RuntimeError, "same size as input along dim"),
    (lambda: M.repeat_interleave(torch.tensor([-1, 2]), 0), RuntimeError, "negative"),
    (lambda: M.split(0), RuntimeError, "split_size can only be 0"),
    (lambda: M.split([1, 2]), RuntimeError, "sum exactly to 2"),
    (lambda: M.chunk(0), RuntimeError, "greater than 0"),
    (lambda: torch.tensor(1.0).unbind(), IndexError, "no dimensions"),
    (lambda: M.select(0, 2), IndexError, r"index 2 out of range for tensor of size \[2, 3\] at dimension 0"),
    (lambda: M.narrow(0, 1, 2), RuntimeError, "exceeds dimension size"),
    (lambda: M.unfold(0, 3, 1), RuntimeError, "maximum size for tensor at dimension 0 is 2 but size is 3"),
    (lambda: M.flip(0, 0), RuntimeError, "appears multiple times"),
    (lambda: M.roll((1, 2), 0), RuntimeError, "shifts and dimensions must align"),
    (lambda: M.diagonal(0, 1, -1), RuntimeError, "cannot be identical"),
    (lambda: B.diag(), RuntimeError, "Supports 1D or 2D tensors. Got 3D"),
    (lambda: V.tril(), RuntimeError, "at least 2 dimensions"),
    (lambda: torch.cat([]), ValueError, "non-empty list"),
    (lambda: torch.cat([M, torch.ones(3, 2)]), RuntimeError, "Sizes of tensors must match except in dimension 0"),
    (lambda: torch.cat([V, torch.tensor(1.0)]), RuntimeError, "zero-dimensional tensor"),
    (lambda: torch.stack([V, M]), RuntimeError, "each tensor to be equal size"),
    (lambda: torch.hstack([]), RuntimeError, "non-empty TensorList"),
    (lambda: torch.broadcast_shapes((2,), (3,)), RuntimeError, "must match the size"),
    (lambda: torch.meshgrid(V, indexing="ji"), RuntimeError, "must be one of"),
    (lambda: torch.reshape(M, 3, 2), TypeError, "too many positional"),  # type: ignore[arg-type, call-arg]
    (lambda: M.mm(V), RuntimeError, "mat2 must be a matrix"),
    (lambda: B.bmm(B), RuntimeError, r"to be: \[4, 3\] but got: \[4, 2\]"),
    (lambda: B.bmm(B.mT.double()), RuntimeError, "expected scalar type Float but found Double"),
    (lambda: M.mv(torch.ones(2)), RuntimeError, "size mismatch"),
    (lambda: V.dot(M), RuntimeError, "1D tensors expected, but got 1D and 2D"),
    (lambda: V.dot(torch.ones(2)), RuntimeError, "inconsistent tensor size"),
    (lambda: M.outer(V), RuntimeError, "Expected 1-D argument self, but got 2-D"),
    (lambda: M.bool().mm(M.T.bool()), NotImplementedError, "not implemented for 'Bool'"),
    (lambda: torch.addmm(V, M, M.T), RuntimeError, "must match the existing size"),
    (lambda: torch.addmm(V.double(), M, M.T), RuntimeError, "must have the same dtype, but got Double and Float"),
    (lambda: torch.addmm(V, M, M), RuntimeError, "mat1 and mat2 shapes cannot be multiplied"),
    (lambda: torch.addmm(M, M, M.T, alpha="2"), TypeError, "must be Number, not str"),  # type: ignore[arg-type]
    (lambda: torch.tensordot(M, M, 3), RuntimeError, "tensordot expects"),
    (lambda: torch.einsum("ij,jk", M, M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("ij", M, M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("ijk", M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("ij->k", M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("ij->ii", M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("ii", M), RuntimeError, r"^einsum\(\): "),
    (lambda: torch.einsum("i1", M), RuntimeError, "invalid subscript"),
    (lambda: torch.einsum("ij"), ValueError, "must specify the equation string"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_errors_say_what_was_expected(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
