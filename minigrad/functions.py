"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from minigrad import dtypes
from minigrad.dtypes import dtype
from minigrad.methods.forms import Operand, checked_tensor, free
from minigrad.ops.dims import normal_dim
from minigrad.ops.elementwise import cast
from minigrad.ops.join import Cat
from minigrad.tensor import Tensor

__all__ = [
    "abs",
    "add",
    "all",
    "allclose",
    "any",
    "argmax",
    "argmin",
    "cat",
    "clone",
    "detach",
    "div",
    "equal",
    "exp",
    "flatten",
    "is_tensor",
    "isclose",
    "log",
    "matmul",
    "max",
    "mean",
    "min",
    "mm",
    "mul",
    "neg",
    "permute",
    "pow",
    "relu",
    "reshape",
    "result_type",
    "softmax",
    "sqrt",
    "squeeze",
    "stack",
    "sub",
    "sum",
    "t",
    "tanh",
    "transpose",
    "unsqueeze",
]

# ---- arithmetic ------------------------------------------------------------------------------------------------------

add = free(Tensor.add)
sub = free(Tensor.sub)
mul = free(Tensor.mul)
div = free(Tensor.div)
neg = free(Tensor.neg)


def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input` to the power of `exponent`, element by element; one of them may be a number."""
    return (
        input**exponent if isinstance(input, Tensor) else checked_tensor("pow", exponent, "exponent", 2).__rpow__(input)
    )


# ---- mathematical functions ------------------------------------------------------------------------------------------

abs = free(Tensor.abs)
exp = free(Tensor.exp)
log = free(Tensor.log)
sqrt = free(Tensor.sqrt)
tanh = free(Tensor.tanh)
relu = free(Tensor.relu)

# ---- comparison and logic --------------------------------------------------------------------------------------------

equal = free(Tensor.equal)
isclose = free(Tensor.isclose)
allclose = free(Tensor.allclose)

# ---- reductions ------------------------------------------------------------------------------------------------------

sum = free(Tensor.sum)
mean = free(Tensor.mean)
max = free(Tensor.max)
min = free(Tensor.min)
argmax = free(Tensor.argmax)
argmin = free(Tensor.argmin)
all = free(Tensor.all)
any = free(Tensor.any)
softmax = free(Tensor.softmax)

# ---- linear algebra --------------------------------------------------------------------------------------------------

matmul = free(Tensor.matmul)
mm = free(Tensor.mm)

# ---- shape -----------------------------------------------------------------------------------------------------------

reshape = free(Tensor.reshape)
flatten = free(Tensor.flatten)
transpose = free(Tensor.transpose)
permute = free(Tensor.permute)
t = free(Tensor.t)
unsqueeze = free(Tensor.unsqueeze)
squeeze = free(Tensor.squeeze)


def cat(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors one after another along `dim`; their other sizes must be equal.  1-d tensors of size 0 are left out.

    >>> from minigrad import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    given = _checked_sequence("cat", tensors)
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    joined = [x for x in given if x.shape != (0,)] or given[:1]
    at = normal_dim(dim, joined[0].ndim)
    for position, x in enumerate(joined):
        if x.ndim == 0:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated: stack() joins 0-d tensors"
            )
        if x.ndim != joined[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {joined[0].ndim} and {x.ndim}")
        for d, (size, wanted) in enumerate(zip(x.shape, joined[0].shape, strict=True)):
            if d != at and size != wanted:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {wanted} but got size {size} "
                    f"for tensor number {position} in the list."
                )
    return _joined(joined, at, "Cat")


def stack(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors, all of one shape, along a new dimension at `dim`.

    >>> from minigrad import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    given = _checked_sequence("stack", tensors)
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    for position, x in enumerate(given):
        if x.shape != given[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(given[0].shape)} at entry 0 and "
                f"{list(x.shape)} at entry {position}"
            )
    return _joined([x.unsqueeze(dim) for x in given], normal_dim(dim, given[0].ndim + 1), "Stack")


def _checked_sequence(name: str, tensors: Any) -> list[Tensor]:
    """`tensors`, which must be a list or tuple of tensors."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return list(tensors)


def _joined(tensors: list[Tensor], dim: int, form: str) -> Tensor:
    """The tensors, in one dtype, one after another along `dim`."""
    common = dtypes.result_type(*[x._array for x in tensors])
    return Cat(dim, form)(*[cast(x, common) for x in tensors])


# ---- copies and conversions ------------------------------------------------------------------------------------------

clone = free(Tensor.clone)
detach = free(Tensor.detach)


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a tensor.

    >>> is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


def result_type(tensor1: Operand, tensor2: Operand) -> dtype:
    """The dtype of an arithmetic result of two operands, tensors or numbers.

    >>> from minigrad import tensor
    >>> result_type(tensor([1, 2]), 1.5)
    torch.float32
    """
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor1, tensor2)])
