"""Matrices: their products, the linear map, `einsum`, diagonals and triangles."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import cleared
from minigrad.core.dtypes import FLOATS, Array, Number
from minigrad.core.linear import Linear, MatMul, product
from minigrad.core.ops import Add, Clone, Permute, Reshape, Sum, broadcast_error, cast, common_shape, in_shape, zeroed
from minigrad.core.tape import Binary, Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number, op, rewritten
from minigrad.ops.arguments import as_int64, check_numbers, filler, normal_dims, own_dim
from minigrad.ops.fused import in_float32, named
from minigrad.ops.indexing import Part, Put
from minigrad.ops.shapes import expanded_shape, in_one_dtype

# ---- of vectors, matrices and batches --------------------------------------------------------------------------------


@op(operator="matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product `input @ other`; a vector counts as a row on the left and as a column on the right.

    >>> import minigrad as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).matmul(torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    >>> (torch.zeros(5, 2, 3) @ torch.zeros(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    if not isinstance(other, Tensor):
        return NotImplemented
    x, y = input._array, other._array
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D")
    if x.dtype != y.dtype or x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0] or x.dtype == bool:
        raise product_error(x, y)
    if y.ndim == 1:
        if x.ndim <= 2:
            return (Dot() if x.ndim == 1 else Mv()).of(input, other)
        return UnsafeView(x.shape[:-1]).of(matmul(input, Reshape((*y.shape, 1)).of(other)))
    if x.ndim == 1:
        shape, product = (*y.shape[:-2], y.shape[-1]), matmul(Reshape((1, *x.shape)).of(input), other)
        return UnsafeView(shape, "SqueezeBackward4" if y.ndim == 2 else "UnsafeViewBackward0").of(product)
    try:
        return MatMul().of(input, other)
    except ValueError:
        raise broadcast_error(x.shape[:-2], y.shape[:-2]) from None


class UnsafeView(Reshape):
    """`x` in another shape, an intermediate result that nobody else sees: so it is not registered as a view."""

    form = "UnsafeViewBackward0"
    of = Unary.of


class Mv(Binary):
    """`a @ b` for a matrix `(N, K)` and a vector `(K,)`."""

    formulas = ("da = outer(g, b)", "db = a.mT @ g")

    def forward(self, a: Array, b: Array) -> Array:
        return product(a, b)

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return Outer().of(g, b)

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return a.mT @ g


class Outer(Binary):
    """`y[i, j] = a[i] * b[j]` for vectors `(N,)` and `(M,)`."""

    form = "MulBackward0"
    forward = np.multiply.outer

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g @ b

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g.mT @ a


class Dot(Mv):
    """The inner product `a @ b` of two vectors `(K,)`."""

    formulas = ("da = g * b", "db = g * a")

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g * b

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a


@op("Tensor")
def __rmatmul__(input: Tensor, other: Tensor) -> Tensor:  # noqa: N807  # Python's name
    """The matrix product `other @ input`."""
    return matmul(other, input)


@op()
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    _check_ranks("a matrix", 2, self=input, mat2=mat2)
    return matmul(input, mat2)


@op()
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of the matrices of two batches, `(B, N, K)` and `(B, K, M)`.

    >>> import minigrad as torch
    >>> torch.ones(5, 2, 3).bmm(torch.ones(5, 3, 4)).shape
    torch.Size([5, 2, 4])
    """
    x, y = input._array, mat2._array
    _check_ranks("a 3D tensor", 3, batch1=input, batch2=mat2)
    if len(x) != len(y):
        problem = f"Expected size for first two dimensions of batch2 tensor to be: {[len(x), x.shape[2]]}"
        raise RuntimeError(f"{problem} but got: {list(y.shape[:2])}: matmul() takes batches that broadcast")
    if y.shape[1] != x.shape[2] or x.dtype != y.dtype or x.dtype == bool:
        raise product_error(x, y)
    return named(MatMul(), "BmmBackward0").of(input, mat2)


@op()
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    own_dim(0, input.ndim)
    _check_ranks("a matrix", 2, self=input)
    _check_ranks("a vector", 1, vec=vec)
    return matmul(input, vec)


@op()
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors: x.flatten()")
    return matmul(input, tensor)


@op(aliases=["ger"])
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of each element of a vector with each of another: `y[i, j] = input[i] * vec2[j]`.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).outer(torch.tensor([1, 10, 100]))
    tensor([[  1,  10, 100],
            [  2,  20, 200]])
    """
    _check_ranks("a vector, such as x.flatten()", 1, self=input, vec2=vec2)
    return Outer().of(*in_one_dtype((input, vec2)))


@op(in_place=rewritten)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`beta * input + alpha * (mat1 @ mat2)` for two matrices; with beta = 0 not even nan in `input` counts."""
    scales = as_number(beta), as_number(alpha)
    _check_ranks("a matrix", 2, mat1=mat1, mat2=mat2)
    x, a, b = input._array, mat1._array, mat2._array
    if a.shape[1] != b.shape[0] or a.dtype != b.dtype:
        raise product_error(a, b)
    if x.dtype != b.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {input.dtype!r} and {mat2.dtype!r}")
    expanded_shape((a.shape[0], b.shape[1]), x.shape)

    def added(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        of_x, of_product = [1 if each == 1 else filler(each, x.dtype).item() for each in scales]
        y = a @ b if of_product == 1 else (a @ b) * of_product
        x = zeroed(x) if of_x == 0 else x if of_x == 1 else x * of_x
        return named(Add(), "AddmmBackward0").of(y, x)

    return in_float32(added, input, mat1, mat2)


def _check_ranks(kind: str, ndim: int, **factors: Tensor) -> None:
    """Raise a RuntimeError, which names that `kind` of tensor, unless all factors have `ndim` dimensions."""
    for name, each in factors.items():
        if each.ndim != ndim:
            raise RuntimeError(f"{name} must be {kind}, got {each.ndim}-D tensor; matmul() takes other ranks")


@op("nn.functional")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    `input` is `(*, I)`, `weight` is `(O, I)`, `bias` is `(O,)` or None; the result is `(*, O)`.  A vector as
    weight, `(I,)`, gives `(*)`.  Errors: RuntimeError for shapes that do not fit or dtypes that differ.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.linear(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [5.0, 6.0], [0.0, 1.0]]))
    tensor([[11., 17.,  2.]])
    """
    x, w = input._array, weight._array
    if w.ndim == 1 and bias is None:
        return matmul(input, weight)
    if w.ndim != 2 or not x.ndim or x.shape[-1] != w.shape[1] or x.dtype != w.dtype or w.dtype == bool:
        raise _linear_error(input, weight, bias)
    if bias is not None:
        if bias._array.dtype is not w.dtype:
            raise _linear_error(input, weight, bias)
        if bias._array.shape != (w.shape[0],):
            form = "AddmmBackward0" if x.ndim == 2 else "ViewBackward0" if bias._array.ndim else "AddBackward0"
            return named(Add(), form).of(Linear().of(input, weight, None), bias.expand(*x.shape[:-1], w.shape[0]))
    return Linear().of(input, weight, bias)


@op()
def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """The covariances of the rows of `(variables, observations)`; of one row, its variance.

    >>> import minigrad as torch
    >>> torch.tensor([[0, 1, 2], [2, 1, 0]]).cov()
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got {input.ndim}")
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    rows = rows - rows.sum(1, keepdim=True) / rows.shape[1]
    return (rows @ rows.T / max(rows.shape[1] - correction, 0)).squeeze()


# ---- the errors of factors that do not fit ---------------------------------------------------------------------------


def product_error(x: Array, y: Array, expected: str = "", if_transposed: str = "") -> Exception:
    """The error for factors `x @ y` whose sizes or dtypes do not fit.

    For sizes, it says what is `expected`, and the remedy `if_transposed` if they would fit transposed.
    """
    left, right = dtypes.of(x), dtypes.of(y)
    rows, size, wanted = math.prod(x.shape[:-1]), x.shape[-1], y.shape[-2:][0]
    if size == wanted:
        if x.ndim > 2 < y.ndim:
            common_shape([x.shape[:-2], y.shape[:-2]])
        if x.dtype == bool and (y.dtype == bool or x.ndim > 2 < y.ndim):
            kernel = "bmm" if y.ndim > 2 else "addmm_impl_cpu_"
            return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': make the factors numbers, x.float()")
        found = f"expected m1 and m2 to have the same dtype, but got: {left._c_name} != {right._c_name}"
        return RuntimeError(f"{found}. {_dtype_remedy(left, right)}")
    if y.ndim > 2:
        first, second = ([math.prod(each.shape[:-2]), n] for each, n in ((x if x.ndim > 2 else y, size), (y, wanted)))
        begin = f"Expected size for first two dimensions of batch2 tensor to be: {first} but got: {second}"
    elif y.ndim == 2:
        begin = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{size} and {wanted}x{y.shape[1]})"
    elif x.ndim > 1:
        begin = f"size mismatch, got input ({rows}), mat ({rows}x{size}), vec ({wanted})"
    else:
        begin = f"inconsistent tensor size, expected tensor [{size}] and src [{wanted}] to have the same number of"
        begin = f"{begin} elements, but got {size} and {wanted} elements respectively"
    remedy = _one_hot_remedy(x, wanted, y)
    if not remedy and y.ndim > 1 and size == y.shape[-1]:
        remedy = if_transposed or f"They fit if the second is transposed: a @ b.{'T' if y.ndim == 2 else 'mT'}."
    expected = expected or f"the last size of the first, {size}, must be the second's {wanted} rows"
    return RuntimeError(f"{begin}: {expected}. {remedy}".rstrip())


def _linear_error(input: Tensor, weight: Tensor, bias: Tensor | None) -> Exception:
    """The error for an input, a weight and a bias that do not fit."""
    if weight.ndim != 2 or not input.ndim:
        found = f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D"
        return RuntimeError(f"{found}: expected a weight (O, I)")
    for each in () if bias is None else (bias, input):
        if each.dtype is not weight.dtype:
            found = f"mat1 and mat2 must have the same dtype, but got {each.dtype._tensor_name}"
            return RuntimeError(f"{found} and {weight.dtype._tensor_name}. {_dtype_remedy(each.dtype, weight.dtype)}")
    expected = f"the last size of the input must equal in_features, the last size of the weight {weight.shape}"
    if input.ndim > 2 and math.prod(input.shape[1:]) == weight.shape[1]:
        expected = f"{expected}. An image goes in as one row: x.flatten(1)"
    twice = "Was the layer called twice? A weight (in, out), as of Keras, has to be transposed: weight.T"
    return product_error(input._array, weight._array.T, expected, twice)


def _dtype_remedy(left: dtypes.dtype, right: dtypes.dtype) -> str:
    """How to make two dtypes one: usually integers, such as one-hot vectors, meet floating point."""
    if left.is_floating_point == right.is_floating_point:
        return f"Convert one of them: a.to({right!r}) or b.to({left!r})."
    convert = f"the second: b.to({left!r})" if left.is_floating_point else f"the first: a.to({right!r})"
    return f"Convert {convert}; one_hot() makes integers, one_hot(ids, V).float() does not."


def _one_hot_remedy(x: Array, classes: int, other: Array) -> str:
    """What to do if the rows of `x` are one-hot, but shorter than `classes`; the `other` factor has floats or integers.

    Integers that look one-hot are.  Floats could be anything: they count as one-hot only if the last column has a 1, as
    it does where `one_hot` took the number of classes from a batch.
    """
    size, whole = x.shape[-1], x.dtype.kind == "i"
    inferred = size > 0 and bool(x[..., -1].any())
    if not (0 < size < classes and (inferred or whole)):
        return ""
    if not (np.isin(x, (0, 1)).all() and (x.sum(-1) == 1).all()):
        return ""
    columns = f"a column for each id up to the largest of these ids, {size - 1}, and not for the whole vocabulary"
    why = f"that has {columns}" if inferred else f"it has {size} columns, and there are {classes} ids"
    convert = ".float()" if whole and other.dtype in FLOATS else ""
    return f"If the first is one_hot(ids): {why}. Give their number: one_hot(ids, num_classes={classes}){convert}."


# ---- einsum: sums of products over dimensions that letters name ------------------------------------------------------

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@op("torch")
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """The sum of products that an equation says, of operands whose dimensions it names by letters.

    `einsum("ij,jk->ik", a, b)` multiplies elements of equal letters and sums over the letters that the output, after
    `->`, lacks.  Without `->` the output has, in alphabetical order, the letters that occur once.  A letter repeated in
    one operand selects its diagonal; `...` stands for all dimensions that no letter names, which broadcast.

    >>> from minigrad import einsum, tensor
    >>> a, b = tensor([[1, 2], [3, 4]]), tensor([[1, 0], [1, 1]])
    >>> einsum("ij,jk->ik", a, b)
    tensor([[3, 2],
            [7, 4]])
    >>> einsum("ii", a)
    tensor(5)
    """
    given: Any = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    if not given:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    terms, output = _parsed(equation, tuple([x._array.ndim for x in given]))
    sizes: dict[str, int] = {}
    for position, x in enumerate(given):
        for letter, size in zip(terms[position], x._array.shape, strict=True):
            if size != 1 and sizes.setdefault(letter, size) != size:
                it = f"subscript {letter if letter in equation else '...'} has size {size} for operand {position}"
                raise RuntimeError(f"einsum(): {it} which does not broadcast with previously seen size {sizes[letter]}")
    factors = [_unrepeated(x, term, sizes) for x, term in zip(given, terms, strict=True)]
    x, term = factors[0]
    for position, (y, other) in enumerate(factors[1:], 2):
        left = "".join([output, *[each for _, each in factors[position:]]])
        x, term = _multiplied(*_summed(x, term, left + other), *_summed(y, other, left + term), left, sizes)
    gone = [each for each in term if each not in output]
    order = [term.index(each) for each in (*output, *gone)]
    if len(factors) == 1:
        found = Permute(tuple(order)).of(x)
        return found.sum(range(len(output), len(term))) if gone else found
    found = _in_order(x, order)
    # As in PyTorch, what was summed over was a dimension of size 1 until now.
    return found if set("".join(terms)) <= set(output) else Reshape(found._array.shape).of(found)


@op("torch")
def tensordot(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """The sum of products over dimensions of both: the last `dims` of a and first of b, or those of two lists.

    >>> from minigrad import ones, tensordot
    >>> tensordot(ones(2, 3, 4), ones(3, 4, 5)).shape, tensordot(ones(2, 3), ones(2, 4), ([0], [0])).shape
    (torch.Size([2, 5]), torch.Size([3, 4]))
    """
    lists: Any = dims
    if not isinstance(lists, (list, tuple)):
        if not 0 <= index(lists) <= min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects 0 <= dims <= ndim_a and ndim_b, but got dims={dims}")
        lists = range(a.ndim - lists, a.ndim), range(lists)
    of_a, of_b = [normal_dims(each, x.ndim) for each, x in zip(lists, (a, b), strict=True)]
    rest_a, rest_b = [[dim for dim in range(x.ndim) if dim not in dims] for x, dims in ((a, of_a), (b, of_b))]
    x, y = _in_order(a, [*rest_a, *of_a]), _in_order(b, [*of_b, *rest_b])
    rows, summed = x._array.shape[: len(rest_a)], x._array.shape[len(rest_a) :]
    others, columns = y._array.shape[: len(of_b)], y._array.shape[len(of_b) :]
    if len(summed) != len(others):
        raise RuntimeError(f"both dimension lists should have same length: got {lists[0]} and {lists[1]}")
    if summed != others:
        summed = common_shape([summed, others])
        x, y = x.expand(*rows, *summed), y.expand(*summed, *columns)
    size = math.prod(summed)
    found = in_shape(x, (math.prod(rows), size)) @ in_shape(y, (size, math.prod(columns)))
    return Reshape((*rows, *columns)).of(found)


def _unrepeated(x: Tensor, term: str, sizes: dict[str, int]) -> tuple[Tensor, str]:
    """`x` with a diagonal in place of dimensions of one letter, and without those that broadcast; and its letters."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            if x._array.shape[first] != x._array.shape[second]:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated but the sizes don't match: {x.shape}")
            x = x.diagonal(0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    kept = [each for each, size in zip(term, x._array.shape, strict=True) if size == sizes.get(each, 1)]
    return in_shape(x, tuple([sizes.get(each, 1) for each in kept])), "".join(kept)


def _summed(x: Tensor, term: str, kept: str) -> tuple[Tensor, str]:
    """`x` and its letters, summed over those that are not to be kept."""
    gone = [dim for dim, each in enumerate(term) if each not in kept]
    return (x.sum(gone) if gone else x), "".join([each for each in term if each in kept])


def _in_order(x: Tensor, dims: Sequence[int]) -> Tensor:
    """`x` with its dimensions in that order."""
    return x if dims == sorted(dims) else Permute(tuple(dims)).of(x)


def _multiplied(x: Tensor, term: str, y: Tensor, other: str, left: str, sizes: dict[str, int]) -> tuple[Tensor, str]:
    """The sum of products over the letters that `left` lacks, as a product of matrices; and the result's letters."""
    both, of_x, of_y, shared = _roles(term, other, left)
    if not shared:
        letters = "".join([each for each in dict.fromkeys(left) if each in term + other])
        return _grouped(x, term, letters, sizes) * _grouped(y, other, letters, sizes), letters
    if of_x and of_y and left.index(of_y[0]) < left.index(of_x[0]):
        # So the result lies in order.
        return _multiplied(y, other, x, term, left, sizes)
    found = _grouped(x, term, (*both, of_x, shared), sizes) @ _grouped(y, other, (*both, shared, of_y), sizes)
    result = both + of_x + of_y
    return in_shape(found, tuple([sizes.get(each, 1) for each in result])), result


@functools.lru_cache
def _roles(term: str, other: str, left: str) -> tuple[str, str, str, str]:
    """The letters of both terms that stay, of the one, of the other, and those that are summed over."""
    stay = [each for each in dict.fromkeys(left) if each in term + other]
    both = "".join([each for each in stay if each in term and each in other])
    of_x, of_y = "".join([each for each in stay if each not in other]), "".join([e for e in stay if e not in term])
    return both, of_x, of_y, "".join([each for each in term if each not in left])


def _grouped(x: Tensor, term: str, groups: Sequence[str], sizes: dict[str, int]) -> Tensor:
    """`x` with a dimension for each group of letters, in their order: of size 1 for those that it lacks."""
    ordered = _in_order(x, [term.index(each) for group in groups for each in group if each in term])
    return in_shape(ordered, tuple([math.prod([sizes.get(e, 1) for e in group if e in term]) for group in groups]))


@functools.lru_cache
def _parsed(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """The letters of each operand's dimensions, of so many each, and the result's: letters for an ellipsis, too."""
    left, arrow, output = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    hidden = [rank - len(term.replace("...", "", 1)) for term, rank in zip(terms, ranks, strict=False)]
    most = max([0, *[count for count, term in zip(hidden, terms, strict=False) if "..." in term]])
    dots = "".join([letter for letter in _LETTERS if letter not in equation][:most])
    if not arrow:
        output = "..." + "".join(sorted([each for each in left if each not in ".," and left.count(each) == 1]))
    spelled = [term.replace("...", dots[most - count :], 1) for term, count in zip(terms, hidden, strict=False)]
    output = output.replace("...", dots, 1)
    strange = set("".join([*spelled, output])) - set(_LETTERS)
    if strange:
        raise RuntimeError(f"einsum(): invalid subscripts {sorted(strange)}: letters, and one '...' at most each")
    if len(terms) != len(ranks):
        raise RuntimeError(f"einsum(): {len(ranks)} operands were provided for the {len(terms)} of {equation!r}")
    try:
        # Of what else may be wrong, NumPy tells.
        np.einsum(f"{','.join(spelled)}->{output}", *[np.empty((1,) * rank) for rank in ranks])
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None
    return tuple(spelled), output


# ---- diagonals -------------------------------------------------------------------------------------------------------


def diagonal_of(offset: int, dim1: int, dim2: int) -> Callable[[Array], Array]:
    """What shows a diagonal of an array, `[…, i, …, i + offset, …]`, as its last dimension."""

    def view(x: Array) -> Array:
        found = x.diagonal(offset, dim1, dim2)
        # NumPy's view is read-only.
        found.flags.writeable = x.flags.writeable
        return found

    return view


@op()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of two dimensions, as the last one; it starts `offset` columns to the right.

    >>> import minigrad as torch
    >>> torch.arange(6).view(2, 3).diagonal(1)
    tensor([1, 5])
    """
    first, second = normal_dims((dim1, dim2), input._array.ndim)
    return Part(diagonal_of(as_int64(offset), first, second), "DiagonalBackward0").of(input)


@op()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Of a vector the matrix with it on a diagonal; of a matrix a copy of that diagonal."""
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    if input._array.ndim == 1:
        return input.diag_embed(diagonal)
    return Clone("C", "DiagonalBackward0_copy").of(input.diagonal(diagonal))


@op()
def diag_embed(input: Tensor, offset: int = 0) -> Tensor:
    """Matrices with the elements of the last dimension on a diagonal.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).diag_embed(1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    shift, size = as_int64(offset), input.size(-1) + abs(as_int64(offset))
    return Put(diagonal_of(shift, -2, -1), (*input._array.shape[:-1], size, size), "DiagEmbedBackward0").of(input)


@op()
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix, of integers as int64."""
    check_numbers("trace", input._array.dtype)
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    numbers = input if input._array.dtype in FLOATS else cast(input, dtypes.int64)
    # (Nobody else sees the diagonal, so it is not registered as a view.)
    return Sum((0,), False, "TraceBackward0").of(Unary.of(Part(diagonal_of(0, 0, 1), "DiagonalBackward0"), numbers))


# ---- triangles -------------------------------------------------------------------------------------------------------


class Triangle(Unary):
    """The lower or `upper` triangle of each matrix, `x[…, i, j]` where j <= i + diagonal or j >= it; else 0."""

    formulas = ("dx = the same triangle of g",)
    diagonal: int
    upper: bool

    def forward(self, x: Array) -> Array:
        if x.ndim < 2:
            raise RuntimeError(f"tri{'u' if self.upper else 'l'}: input tensor must have at least 2 dimensions")
        rows, columns = x.shape[-2:]
        # Beyond the corners there are no more diagonals.
        diagonal = min(max(self.diagonal, -rows), columns)
        return np.asarray(cleared(triangle(rows, columns, diagonal, self.upper), x), order="C")

    def dx(self, g: Tensor) -> Tensor:
        return Triangle(self.diagonal, self.upper).of(g)

    def name(self) -> str:
        return f"Tri{'u' if self.upper else 'l'}Backward0"


@functools.lru_cache(maxsize=32)
def triangle(rows: int, columns: int, diagonal: int, upper: bool) -> Array:
    """Where a matrix has its lower or upper triangle, kept for the next time."""
    return ~np.tri(rows, columns, diagonal - 1, bool) if upper else np.tri(rows, columns, diagonal, bool)


@op(in_place=rewritten)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """A copy of each matrix with zeros above a diagonal.

    >>> import minigrad as torch
    >>> torch.ones(3, 3).tril()
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    """
    return Triangle(as_int64(diagonal), upper=False).of(input)


@op(in_place=rewritten)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """A copy of each matrix with zeros below a diagonal.

    >>> import minigrad as torch
    >>> torch.ones(3, 3).triu(1)
    tensor([[0., 1., 1.],
            [0., 0., 1.],
            [0., 0., 0.]])
    """
    return Triangle(as_int64(diagonal), upper=True).of(input)
