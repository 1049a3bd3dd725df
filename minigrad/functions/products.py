"""Products of vectors and matrices as functions."""

from __future__ import annotations

from operator import index
from typing import Any

from minigrad.methods.forms import checked_sequence, checked_tensor, free
from minigrad.ops import einsum as _einsum
from minigrad.ops.dims import INTEGER
from minigrad.tensor import Tensor

__all__ = [
    "addmm",
    "bmm",
    "dot",
    "einsum",
    "ger",
    "inner",
    "matmul",
    "mm",
    "mv",
    "outer",
    "tensordot",
    "vdot",
]

matmul = free(Tensor.matmul)
mm = free(Tensor.mm)
bmm = free(Tensor.bmm)
mv = free(Tensor.mv)
dot = free(Tensor.dot)
vdot = free(Tensor.vdot)
inner = free(Tensor.inner)
outer = free(Tensor.outer)
ger = free(Tensor.ger)
addmm = free(Tensor.addmm)


def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation says, of operands whose dimensions it names by letters.

    `einsum("ij,jk->ik", a, b)` multiplies elements of equal letters and sums over the letters that the output, after
    `->`, lacks.  Without `->` the output has, in alphabetical order, the letters that occur once.  A letter repeated in
    one operand selects its diagonal; `...` stands for all dimensions that no letter names, which broadcast.  In place
    of letters, `einsum(a, [0, 1], b, [1, 2], [0, 2])` names dimensions by numbers in [0, 52) and Ellipsis.

    >>> from minigrad import tensor
    >>> a, b = tensor([[1, 2], [3, 4]]), tensor([[1, 0], [1, 1]])
    >>> einsum("ij,jk->ik", a, b)
    tensor([[3, 2],
            [7, 4]])
    >>> einsum("ii", a), einsum(a, [0, 1], [1, 0])
    (tensor(5), tensor([[1, 3],
            [2, 4]]))
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        pairs = len(args) // 2 * 2
        operands: Any = args[:pairs:2]
        equation = _einsum.equation_of(args[1:pairs:2], args[-1] if len(args) > pairs else None)
    else:
        equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    return _einsum.einsum(equation, checked_sequence("einsum", operands))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over dimensions of both: the last `dims` of a and first of b, or those of two lists.

    >>> from minigrad import ones
    >>> tensordot(ones(2, 3, 4), ones(3, 4, 5)).shape, tensordot(ones(2, 3), ones(2, 4), ([0], [0])).shape
    (torch.Size([2, 5]), torch.Size([3, 4]))
    """
    checked_tensor("tensordot", a, "a")
    checked_tensor("tensordot", b, "b", 2)
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, list | tuple):
        dims_a, dims_b = dims
        for name, each in (("dims_self", dims_a), ("dims_other", dims_b)):
            if not isinstance(each, list | tuple):
                raise TypeError(f"tensordot(): argument '{name}' must be tuple of ints, not {type(each).__name__}")
        return _einsum.tensordot(a, b, dims_a, dims_b)
    if not isinstance(dims, INTEGER):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    count = index(dims)
    if count < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
    if count > a.ndim or count > b.ndim:
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
    return _einsum.tensordot(a, b, [*range(a.ndim - count, a.ndim)], [*range(count)])
