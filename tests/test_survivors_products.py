"""Products of vectors, matrices and batches, with something added, and over named dimensions: names and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch

V, M, B, Q = (leaf(np.ones(shape)) for shape in ((3,), (3, 3), (3, 3, 3), (2, 3, 3, 3)))

NAMES: list[tuple[str, Callable[[], Any]]] = [
    ("MmBackward0", lambda: M @ M),
    ("UnsafeViewBackward0", lambda: B @ M),
    ("UnsafeViewBackward0", lambda: B @ B),
    ("UnsafeViewBackward0", lambda: Q @ B),
    ("DotBackward0", lambda: V @ V),
    ("MvBackward0", lambda: M @ V),
    ("UnsafeViewBackward0", lambda: B @ V),
    ("SqueezeBackward4", lambda: V @ M),
    ("UnsafeViewBackward0", lambda: V @ B),
    ("UnsafeViewBackward0", lambda: V @ Q),
    ("BmmBackward0", lambda: B.bmm(B)),
    ("MvBackward0", lambda: M.mv(V)),
    ("DotBackward0", lambda: V.dot(V)),
    ("MulBackward0", lambda: V.outer(V)),
    ("AddmmBackward0", lambda: torch.addmm(M, M, M)),
    ("ViewBackward0", lambda: torch.tensordot(M, M, 1)),
    ("ViewBackward0", lambda: torch.einsum("ij,jk->ik", M, M)),
    ("MulBackward0", lambda: torch.einsum("i,j->ij", V, V)),
    ("MulBackward0", lambda: torch.einsum("ij,ij->ij", M, M)),
    ("PermuteBackward0", lambda: torch.einsum("ij->ji", M)),
    ("SumBackward1", lambda: torch.einsum("ij->i", M)),
]


@pytest.mark.parametrize(("name", "call"), NAMES)
def test_nodes_have_pytorchs_names(name: str, call: Callable[[], Any]) -> None:
    assert call().grad_fn.name() == name


def test_the_gradient_of_a_matrix_that_met_rows_is_one_product() -> None:
    (dx,) = torch.autograd.grad((B @ M).sum(), M, create_graph=True)
    assert dx.grad_fn.name() == "MmBackward0"


# ---- values ----------------------------------------------------------------------------------------------------------


def halves(*numbers: Any) -> Any:
    return torch.tensor(numbers, dtype=torch.float16)


def test_what_is_added_to_a_product_of_halves_counts_before_the_product_overflows() -> None:
    """The product is 100,000, more than a float16 can be; it is neither rounded before -60,000 nor before alpha."""
    row, column = halves([300, 100]), halves([300], [100])
    for found in (
        torch.addmm(halves([-60000]), row, column),
        torch.addmm(halves([0]), row, column, alpha=0.4),
    ):
        assert (found.dtype, found.item()) == (torch.float16, 40000)


def test_outer_products_promote_both_vectors() -> None:
    whole, parts = torch.tensor([1, 2]), torch.tensor([0.5, 1.5])
    for found, wanted in ((whole.outer(parts), [[0.5, 1.5], [1, 3]]), (parts.outer(whole), [[0.5, 1], [1.5, 3]])):
        assert (found.dtype, found.tolist()) == (torch.float32, wanted)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "float64"])
@pytest.mark.parametrize(
    ("shape_a", "shape_b", "dims"),
    [
        ((2, 1), (3, 2), ([1], [0])),
        ((2, 3), (1, 2), ([1], [0])),
        ((1, 4), (2, 3, 4), ([0, 1], [1, 2])),
        ((2, 3, 2), (5, 2, 1), ([1, 2], [2, 1])),
        ((2, 2), (1, 2), ([-1], [0])),
    ],
)
def test_one_element_is_contracted_with_the_sum_of_the_others(
    shape_a: tuple[int, ...], shape_b: tuple[int, ...], dims: tuple[list[int], list[int]], dtype: str
) -> None:
    a = np.arange(1, 1 + np.prod(shape_a)).reshape(shape_a).astype(dtype)
    b = np.arange(2, 2 + np.prod(shape_b)).reshape(shape_b).astype(dtype)
    found = torch.tensordot(torch.from_numpy(a), torch.from_numpy(b), dims)
    sizes = [(i, j, max(a.shape[i], b.shape[j])) for i, j in zip(*dims, strict=True)]
    for i, j, size in sizes:
        a = np.broadcast_to(a, [size if dim == i % a.ndim else n for dim, n in enumerate(a.shape)])
        b = np.broadcast_to(b, [size if dim == j % b.ndim else n for dim, n in enumerate(b.shape)])
    np.testing.assert_array_equal(found.numpy(), np.tensordot(a, b, dims).astype(dtype), strict=True)


EQUATIONS = [
    ("ijk,jl->il", (2, 3, 4), (3, 5)),
    ("jl,ijk->il", (3, 5), (2, 3, 4)),
    ("ijk,jlm->li", (2, 3, 4), (3, 5, 2)),
    ("bijk,bjl->bil", (2, 2, 3, 4), (2, 3, 5)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    (" i j , j k -> i k ", (2, 3), (3, 4)),
    ("iii->i", (2, 2, 2)),
    ("iiji->ij", (3, 3, 2, 3)),
    ("iijj,jk->ik", (2, 2, 3, 3), (3, 4)),
    ("...i->i", (2, 3, 4)),
    ("...i", (2, 3, 4)),
    ("...ij,...jk->...ik", (5, 2, 3), (4, 1, 3, 2)),
    ("i,i->i", (3,), (3,)),
    ("i,i,i", (3,), (3,), (3,)),
]


@pytest.mark.parametrize(("equation", "shapes"), [(equation, shapes) for equation, *shapes in EQUATIONS])
def test_einsum_of_spaces_dots_repeats_and_what_one_term_alone_has_is_numpys(equation: str, shapes: list[Any]) -> None:
    arrays = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes]
    found = torch.einsum(equation, *map(torch.from_numpy, arrays))
    # NumPy sums over the dimensions of an ellipsis only where it is asked to.
    spoken = equation.replace("...i->i", "xyi->i")
    np.testing.assert_array_equal(found.numpy(), np.einsum(spoken, *arrays), strict=True)


def test_einsum_repeats_what_is_of_size_1() -> None:
    one, many = torch.tensor([2.0]), torch.tensor([1.0, 2.0, 3.0])
    for pair in ((one, many), (many, one)):
        assert torch.einsum("i,i->i", *pair).tolist() == [2, 4, 6]
        assert torch.einsum("i,i", *pair).item() == 12
    assert torch.einsum("i,i,i", one, many, one).item() == 24


def test_equations_of_lists_of_numbers() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert torch.einsum(x, [0, 1]).tolist() == x.tolist()
    assert torch.einsum(x, [..., 0], [0, ...]).tolist() == x.T.tolist()


# ---- messages --------------------------------------------------------------------------------------------------------


def ones(*shape: int) -> Any:
    return torch.ones(shape)


def message(call: Callable[..., Any], *arguments: Any, error: type[Exception] = RuntimeError, **named: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments, **named)
    return str(caught.value)


def product(a: Any, b: Any) -> Any:
    return a @ b


MATRICES = "mat1 and mat2 shapes cannot be multiplied "
BATCHES = "Expected size for first two dimensions of batch2 tensor to be: "
VECTORS = (
    "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 and 3 "
    "elements respectively"
)
TURNED = " They fit if the {} is transposed: {}."
INNER: list[tuple[tuple[int, ...], tuple[int, ...], str, str]] = [
    ((2, 3), (4, 5), f"{MATRICES}(2x3 and 4x5)", ""),
    ((2, 3, 4), (2, 5), f"{MATRICES}(6x4 and 2x5)", ""),
    ((3,), (2, 4), f"{MATRICES}(1x3 and 2x4)", ""),
    ((2, 0), (3, 4), f"{MATRICES}(2x0 and 3x4)", ""),
    ((2, 0), (3, 0), f"{MATRICES}(2x0 and 3x0)", TURNED.format("second", "a @ b.T")),
    ((2, 3), (2, 3), f"{MATRICES}(2x3 and 2x3)", TURNED.format("second", "a @ b.T")),
    ((2, 3), (2, 4), f"{MATRICES}(2x3 and 2x4)", TURNED.format("first", "a.T @ b")),
    ((5, 2, 3), (2, 4), f"{MATRICES}(10x3 and 2x4)", TURNED.format("first", "a.transpose(-2, -1) @ b")),
    ((3,), (3, 2, 4), f"{BATCHES}[3, 3] but got: [3, 2]", ""),
    ((4, 3), (7, 5, 6), f"{BATCHES}[7, 3] but got: [7, 5]", ""),
    ((1, 4, 3), (7, 5, 6), f"{BATCHES}[7, 3] but got: [7, 5]", ""),
    ((7, 4, 3), (1, 5, 6), f"{BATCHES}[7, 3] but got: [7, 5]", ""),
    ((2, 1, 4, 3), (7, 5, 6), f"{BATCHES}[14, 3] but got: [14, 5]", ""),
    ((3,), (2, 7, 5, 6), f"{BATCHES}[14, 3] but got: [14, 5]", ""),
    ((4, 3), (7, 4, 6), f"{BATCHES}[7, 3] but got: [7, 4]", TURNED.format("first", "a.T @ b")),
    ((2, 4, 3), (2, 5, 3), f"{BATCHES}[2, 3] but got: [2, 5]", TURNED.format("second", "a @ b.transpose(-2, -1)")),
    ((2, 3), (4,), "size mismatch, got input (2), mat (2x3), vec (4)", ""),
    ((2, 5, 3), (4,), "size mismatch, got input (10), mat (10x3), vec (4)", ""),
    ((2,), (3,), VECTORS, ""),
]


@pytest.mark.parametrize(("a", "b", "begin", "hint"), INNER)
def test_factors_whose_inner_sizes_differ_are_told_how_they_would_fit(a: Any, b: Any, begin: str, hint: str) -> None:
    place, size = ("last", b[0]) if len(b) == 1 else ("next to last", b[-2])
    rule = f"the last size of the first, {a[-1]}, must equal the {place} of the second, {size}."
    assert message(product, 2 * ones(*a), 2 * ones(*b)) == f"{begin}: {rule}{hint}"


def test_one_hot_rows_that_are_too_short_are_recognized() -> None:
    remedy = (
        " If the first is one_hot(ids): that has a column for each id up to the largest of these ids, {}, and not for "
        "the whole vocabulary. Give their number: one_hot(ids, num_classes={})."
    )
    ids = torch.tensor([[2, 0, 1], [1, 1, 2]])
    whole = torch.nn.functional.one_hot(ids)
    rows = whole.float()
    assert message(product, rows[0], ones(5, 4)).endswith(remedy.format(2, 5))
    assert message(product, rows, ones(5, 4)).endswith(remedy.format(2, 5))
    assert message(product, rows, ones(2, 5, 4)).endswith(remedy.format(2, 5))
    assert message(product, rows[0, 0], ones(4)).endswith(remedy.format(2, 4))
    assert message(product, ones(3, 1), ones(5, 4)).endswith(remedy.format(0, 5))
    # No one-hot rows, no row of the largest id, or wide enough: something else is wrong.
    for x in (rows[0] * 2, rows[0] + rows[0].flip(0), rows[0, 1:], torch.zeros(3, 3)):
        assert "one_hot" not in message(product, x, ones(5, 4))
    assert "one_hot" not in message(product, rows[0], ones(2, 4))
    assert "one_hot" not in message(rows.bmm, ones(3, 3, 4))
    assert "one_hot" not in message(whole.bmm, ones(3, 3, 4).long())


def test_one_hot_integers_are_recognized_whatever_their_ids() -> None:
    whole = torch.nn.functional.one_hot(torch.tensor([2, 0, 1]))
    told = " If the first is one_hot(ids): it has 3 columns, and there are 5 ids. Give their number: "
    inferred = (
        " If the first is one_hot(ids): that has a column for each id up to the largest of these ids, 2, and not for "
        "the whole vocabulary. Give their number: "
    )
    assert message(product, whole[1:], ones(5, 4).long()).endswith(f"{told}one_hot(ids, num_classes=5).")
    assert message(product, whole[1:], ones(5, 4)).endswith(f"{told}one_hot(ids, num_classes=5).float().")
    assert message(product, whole, ones(5, 4).long()).endswith(f"{inferred}one_hot(ids, num_classes=5).")
    assert message(product, whole, ones(5, 4)).endswith(f"{inferred}one_hot(ids, num_classes=5).float().")
    assert message(product, whole.float(), ones(5, 4)).endswith(f"{inferred}one_hot(ids, num_classes=5).")
    for x in (whole * 2, whole[:, :0], whole[:0, :0]):
        assert "one_hot" not in message(product, x, ones(5, 4).long())


def test_factors_are_of_one_dtype_and_the_integers_are_named() -> None:
    whole, single, double, small = (
        lambda *shape, dtype=dtype: torch.ones(shape, dtype=dtype)
        for dtype in (torch.int64, torch.float32, torch.float64, torch.int32)
    )
    first = "Convert the first: a.to(torch.float32); one_hot() makes integers, one_hot(ids).float() does not."
    second = "Convert the second: b.to(torch.float32); one_hot() makes integers, one_hot(ids).float() does not."
    matrices = "expected m1 and m2 to have the same dtype, but got: "
    mixed = "addmv input tensors must have the same dtype, but got Long, Float, and Long."
    for pair, wanted in (
        ((whole(2, 2), single(2, 2)), f"{matrices}long int != float. {first}"),
        ((single(2, 2), whole(2, 2)), f"{matrices}float != long int. {second}"),
        ((whole(2), single(2, 2)), f"{matrices}long int != float. {first}"),
        ((single(2, 2), whole(2)), f"{mixed} {second}"),
        ((single(2, 2), whole(3, 2, 2)), f"expected scalar type Float but found Long. {second}"),
        ((single(3, 2, 2), whole(3, 2, 2)), f"expected scalar type Float but found Long. {second}"),
        (
            (single(2), double(2)),
            "dot : expected both vectors to have same dtype, but found Float and Double. Convert one of them: "
            "a.to(torch.float64) or b.to(torch.float32).",
        ),
        (
            (small(2), whole(3)),
            "dot : expected both vectors to have same dtype, but found Int and Long. Convert one of them: "
            "a.to(torch.int64) or b.to(torch.int32).",
        ),
    ):
        assert message(product, *pair) == wanted
    assert message(single(1, 2, 2).bmm, whole(1, 2, 2)) == f"expected scalar type Float but found Long. {second}"
    # Of matrices that do not fit either, the sizes are named.
    for a, b in (((2, 3), (2, 3)), ((2, 3), (2,)), ((2, 3), (1, 2, 3)), ((3,), (2, 3))):
        assert message(product, single(*a), whole(*b)).startswith(message(product, single(*a), single(*b)))


def test_products_with_something_added_are_of_one_dtype() -> None:
    single, whole = ones(2, 2), ones(2, 2).long()
    remedy = "Convert the first: a.to(torch.float32); one_hot() makes integers, one_hot(ids).float() does not."
    for name, x, a in (("self", whole, single), ("mat1", single, whole)):
        wanted = f"{name} and mat2 must have the same dtype, but got Long and Float. {remedy}"
        assert message(torch.addmm, x, a, single) == message(torch.addmm, x, a[0], single) == wanted


def test_truth_values_are_not_multiplied() -> None:
    def true(*shape: int) -> Any:
        return torch.ones(shape).bool()

    for name, call, arguments in (
        ("dot", product, (true(2), true(2))),
        ("dot", true(2).dot, (true(2),)),
        ("addmv_impl_cpu", product, (true(2, 2), true(2))),
        ("addmv_impl_cpu", product, (true(2, 2, 2), true(2))),
        ("addmm_impl_cpu_", product, (true(2), true(2, 2))),
        ("addmm_impl_cpu_", product, (true(2, 2), true(2, 2))),
        ("addmm_impl_cpu_", product, (true(3, 2, 2), true(2, 2))),
        ("addmm_impl_cpu_", torch.addmm, (true(2, 2), true(2, 2), true(2, 2))),
        ("bmm", product, (true(2), true(3, 2, 2))),
        ("bmm", product, (true(3, 2, 2), true(3, 2, 2))),
        ("bmm", true(3, 2, 2).bmm, (true(3, 2, 2),)),
    ):
        assert message(call, *arguments, error=NotImplementedError) == (
            f"\"{name}\" not implemented for 'Bool': make the factors numbers, x.float()"
        )


def test_products_are_of_tensors_with_the_dimensions_they_need() -> None:
    for a, b in (((2, 2), ()), ((), (2,)), ((), ())):
        assert message(product, ones(*a), ones(*b)) == (
            f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D"
        )
    for x, y in (((2,), (1, 2)), ((1, 2), (2,))):
        assert message(ones(*x).dot, ones(*y)) == f"1D tensors expected, but got {len(x)}D and {len(y)}D tensors"
    assert message(ones(1, 2).outer, ones(2)) == "outer: Expected 1-D argument self, but got 2-D"
    assert message(ones(2).outer, ones(1, 2)) == "outer: Expected 1-D argument vec2, but got 2-D"
    for a, b, name in (((2, 2), (1, 2, 2), "batch1"), ((1, 2, 2), (2, 2), "batch2")):
        assert message(ones(*a).bmm, ones(*b)).startswith(f"{name} must be a 3D tensor, got 2-D")


@pytest.mark.parametrize(
    ("a", "b", "dim"),
    [
        ((2, 3, 4), (3, 4, 2), 0),
        ((2, 3, 4), (3, 5, 2), 0),
        ((1, 2, 3, 4), (3, 4, 2), 1),
        ((2, 2, 3, 4), (3, 1, 4, 2), 0),
    ],
)
def test_leading_sizes_have_to_broadcast(a: tuple[int, ...], b: tuple[int, ...], dim: int) -> None:
    for dtype in (torch.float32, torch.bool):
        assert message(product, ones(*a).to(dtype), ones(*b).to(dtype)).startswith(
            f"The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension {dim}: "
        )


def test_batches_of_different_length_do_not_broadcast_in_bmm() -> None:
    assert message(ones(2, 3, 4).bmm, ones(3, 4, 5)).startswith(f"{BATCHES}[2, 4] but got: [3, 4]")
    assert message(ones(1, 3, 4).bmm, ones(3, 4, 5)).startswith(f"{BATCHES}[1, 4] but got: [3, 4]")


def test_products_with_something_added_say_what_does_not_fit() -> None:
    square, vector = ones(2, 2), ones(2)
    assert message(torch.addmm, square, vector, square).startswith("mat1 must be a matrix, got 1-D tensor")
    assert message(torch.addmm, square, square, vector).startswith("mat2 must be a matrix, got 1-D tensor")
    assert message(torch.addmm, square, ones(2, 3), ones(4, 5)) == (
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
    )


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("i,jj", [(1,), (3, 2)]),
        ("i,i,i", [(1,), (3,), (4,)]),
        ("i", [(2, 3)]),
        ("ij...k,i", [(2, 3), (2,)]),
        ("i,j", [(2,)]),
        ("i", [(2,), (3,)]),
        ("i,i1", [(2,), (2, 2)]),
        ("i...j...", [(2, 2)]),
        ("i->i?", [(2,)]),
        ("i->ii", [(2,)]),
        ("i->j", [(2,)]),
    ],
)
def test_equations_that_do_not_fit_are_refused(equation: str, shapes: Any) -> None:
    assert message(torch.einsum, equation, *[ones(*shape) for shape in shapes]).startswith("einsum(): ")


def test_tensordot_says_what_does_not_fit() -> None:
    a, b = ones(2, 3), ones(3, 2)
    assert message(torch.tensordot, a, b, ([1], [0, 1])) == (
        "both dimension lists should have same length: got [1] and [0, 1]"
    )
    assert message(torch.tensordot, a, b.long(), ([1], [0])) == (
        "expected scalar type Float but found Long. Convert the second: b.to(torch.float32); one_hot() makes integers, "
        "one_hot(ids).float() does not."
    )
    assert message(torch.tensordot, a, b, ([0], [0])).startswith("einsum(): ")
