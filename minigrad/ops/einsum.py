"""Sums of products over named dimensions: einsum, and what it generalizes.

Two tensors are multiplied and summed by one batch of matrix products: their dimensions are permuted and merged into
those that both have and that stay, those that one has, and those that both have and that go; then they are multiplied,
and the result is taken apart again.  All of it is done in tensor operations, so that gradients are theirs.  The method
is known as transpose-transpose-GEMM-transpose: P. Springer and P. Bientinesi, "Design of a high-performance GEMM-like
tensor-tensor multiplication", ACM Transactions on Mathematical Software 44 (2018), section 2.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from minigrad.core.shapes import Permute, Reshape
from minigrad.core.tensor import Tensor
from minigrad.ops.diagonals import Diagonal
from minigrad.ops.dims import normal_dims
from minigrad.ops.matmul import bmm, matmul

#: The names of a tensor's dimensions: letters, and -1, -2, … for the last, next to last, … that an ellipsis stands for.
Labels = list[str | int]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(equation: str, operands: Sequence[Any]) -> Tensor:
    """The sum of products that `equation` says; from left to right, two operands at a time."""
    labels, output, summed = _parsed(equation, tuple([x.ndim for x in operands]))
    named = [_without_repeats(x, each, n) for n, (x, each) in enumerate(zip(operands, labels, strict=True))]
    if len(named) == 1:
        x, names = named[0]
        x = Permute(tuple([names.index(label) for label in output + summed]))(x)
        return x.sum([*range(len(output), x.ndim)]) if summed else x
    _check_sizes(named)
    first, *others = [_aligned(x, names, output + summed) for x, names in named]
    for position, x in enumerate(others, start=1):
        # A dimension is summed over as soon as all that have it are multiplied.
        dims = [d for d in range(len(output), x.ndim) if all([y._array.shape[d] == 1 for y in others[position:]])]
        first = sum_of_products(first, x, dims)
    return Reshape(first._array.shape[: len(output)])(first) if summed else first


def sum_of_products(a: Any, b: Any, dims: Sequence[int]) -> Any:
    """`(a * b).sum(dims, keepdim=True)`, for two tensors of as many dimensions, without an array for `a * b`."""
    shape_a, shape_b = a._array.shape, b._array.shape
    of_a = [dim for dim in range(len(shape_a)) if shape_a[dim] != 1]
    of_b = [dim for dim in range(len(shape_b)) if shape_b[dim] != 1]
    inner = [dim for dim in dims if dim in of_a and dim in of_b]
    alone = [[dim for dim in dims if dim in own and dim not in inner] for own in (of_a, of_b)]
    a, b = (x.sum(own, keepdim=True) if own else x for x, own in zip((a, b), alone, strict=True))
    if not inner:
        return a * b
    batch = [dim for dim in of_a if dim in of_b and dim not in inner]
    rows = [dim for dim in of_a if dim not in of_b + alone[0]]
    columns = [dim for dim in of_b if dim not in of_a + alone[1]]
    if rows and columns and columns[-1] < rows[0]:
        # Multiplied in the other order, the product lies in memory as it is wanted.
        a, rows, shape_a, b, columns, shape_b = b, columns, shape_b, a, rows, shape_a
    thin = [dim for dim in range(len(shape_a)) if dim not in batch + rows + columns + inner]
    left = _merged(a, [batch, rows, inner, columns + thin])
    right = _merged(b, [batch, inner, columns, rows + thin])
    sizes = [shape_a[dim] for dim in batch + rows] + [shape_b[dim] for dim in columns] + [1] * len(inner + thin)
    order = batch + rows + columns + inner + thin
    return _permuted(Reshape(tuple(sizes))(bmm(left, right)), [order.index(dim) for dim in range(len(order))])


def _merged(x: Any, groups: Sequence[list[int]]) -> Any:
    """`x` with one dimension for each of three groups of its dimensions; the others, of size 1, go."""
    shape = tuple([math.prod([x._array.shape[dim] for dim in group]) for group in groups[:3]])
    return Reshape(shape)(_permuted(x, [dim for group in groups for dim in group]))


def _permuted(x: Any, order: list[int]) -> Any:
    """`x` with its dimensions in that order."""
    return x if order == sorted(order) else Permute(tuple(order))(x)


def tensordot(a: Any, b: Any, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    """The product summed over the dimensions `dims_a[i]` of a and `dims_b[i]` of b together; the others in order."""
    if len(dims_a) != len(dims_b):
        raise RuntimeError(f"both dimension lists should have same length: got {list(dims_a)} and {list(dims_b)}")
    if a.dtype is not b.dtype:
        raise RuntimeError(f"both inputs should have same dtype: got {a.dtype!r} and {b.dtype!r}")
    pairs = dict(zip(normal_dims(dims_b, b.ndim), normal_dims(dims_a, a.ndim), strict=True))
    for dim_b, dim_a in pairs.items():
        size_a, size_b = a.shape[dim_a], b.shape[dim_b]
        if size_a != size_b and 1 not in (size_a, size_b):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size_a} in dim {dim_a} and second has size "
                f"{size_b} in dim {dim_b}"
            )
        # One element of the one is multiplied by all of the other, that is, by their sum.
        a = a.sum(dim_a, keepdim=True, dtype=a.dtype) if size_b == 1 != size_a else a
        b = b.sum(dim_b, keepdim=True, dtype=b.dtype) if size_a == 1 != size_b else b
    rows = [dim for dim in range(a.ndim) if dim not in pairs.values()]
    columns = [dim for dim in range(b.ndim) if dim not in pairs]
    inner = math.prod([b.shape[dim] for dim in pairs])
    shape = tuple([a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns])
    left = Reshape((math.prod(shape[: len(rows)]), inner))(Permute((*rows, *pairs.values()))(a))
    right = Reshape((inner, math.prod(shape[len(rows) :])))(Permute((*pairs, *columns))(b))
    result: Tensor = Reshape(shape)(matmul(left, right))
    return result


def equation_of(sublists: Sequence[Sequence[Any]], output: Sequence[Any] | None) -> str:
    """The equation that lists of numbers in [0, 52), and perhaps an Ellipsis, stand for.

    >>> equation_of([[0, ...], [..., 1]], [0, 1])
    'A...,...B->AB'
    """

    def term(sublist: Sequence[Any]) -> str:
        if not all([each is Ellipsis or 0 <= each < len(_LETTERS) for each in sublist]):
            raise ValueError(
                f"einsum(): subscript in subscript list is not within the valid range [0, 52): got {list(sublist)}"
            )
        return "".join(["..." if each is Ellipsis else _LETTERS[each] for each in sublist])

    return ",".join([term(each) for each in sublists]) + ("" if output is None else "->" + term(output))


@functools.lru_cache
def _parsed(equation: str, ranks: tuple[int, ...]) -> tuple[list[Labels], Labels, Labels]:
    """The labels of each operand's dimensions, of so many each, those of the result's, and those summed over."""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        fewer = "fewer" if len(ranks) < len(terms) else "more"
        raise RuntimeError(
            f"einsum(): {fewer} operands were provided than specified in the equation: it has {len(terms)} terms, and "
            f"there are {len(ranks)}"
        )
    labels: list[Labels] = []
    dotted = 0
    for position, (term, rank) in enumerate(zip(terms, ranks, strict=True)):
        before, after = _subscripts(term, f"operand {position}")
        hidden = rank - len(before) - len(after or "")
        if hidden < 0 or (hidden and after is None):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({rank - hidden}) does not match the number of "
                f"dimensions ({rank}) for operand {position}{' and no ellipsis was given' if after is None else ''}"
            )
        labels.append([*before, *range(-hidden, 0), *(after or "")])
        dotted = max(dotted, hidden)
    used = [label for each in labels for label in each]
    if arrow:
        before, after = _subscripts(right, "the output")
        output: Labels = [*before, *range(-dotted if after is not None else 0, 0), *(after or "")]
    else:
        once = [label for label in used if isinstance(label, str) and used.count(label) == 1]
        output = [*range(-dotted, 0), *sorted(once)]
    for label in output:
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if label not in used:
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any operand")
    return labels, output, [label for label in dict.fromkeys(used) if label not in output]


def _subscripts(term: str, where: str) -> tuple[str, str | None]:
    """The letters before and after the ellipsis of a term; None after it if it has none."""
    before, dots, after = term.replace(" ", "").partition("...")
    for character in before + after:
        if character not in _LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript {character!r} found for {where}, subscripts must be in [a-zA-Z], with at "
                "most one ellipsis '...'"
            )
    return before, after if dots else None


def _without_repeats(x: Any, labels: Labels, position: int) -> tuple[Any, Labels]:
    """`x` with the diagonal in place of dimensions of one label."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = [dim for dim, each in enumerate(labels) if each == label][:2]
            if x.shape[first] != x.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {position} but the sizes don't match, "
                    f"{x.shape[second]} != {x.shape[first]}"
                )
            x = Diagonal(0, first, second)(x)
            labels = [each for dim, each in enumerate(labels) if dim not in (first, second)] + [label]
    return x, labels


def _check_sizes(terms: Sequence[tuple[Any, Labels]]) -> None:
    """Nothing if the sizes of each label are equal or 1; else a RuntimeError."""
    seen: dict[str | int, int] = {}
    for position, (x, labels) in enumerate(terms):
        for label, size in _sizes(x, labels).items():
            if seen.setdefault(label, size) == 1:
                seen[label] = size
            if size not in (1, seen[label]):
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {position} which does not broadcast with "
                    f"previously seen size {seen[label]}"
                )


def _sizes(x: Any, labels: Labels) -> dict[str | int, int]:
    return dict(zip(labels, x._array.shape, strict=True))


def _aligned(x: Any, labels: Labels, order: Labels) -> Any:
    """`x` with its labels in that order, and dimensions of size 1 for those that it has not."""
    own = _sizes(x, labels)
    x = _permuted(x, [labels.index(label) for label in order if label in own])
    return x if x.ndim == len(order) else Reshape(tuple([own.get(label, 1) for label in order]))(x)
