"""The free-function forms of the methods of `Tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from minigrad import dtypes
from minigrad.dtypes import dtype
from minigrad.ops.dims import normal_dim
from minigrad.ops.elementwise import cast
from minigrad.ops.join import Cat
from minigrad.tensor import Dims, Operand, Tensor, checked_operand


def _checked(name: str, input: Any, argument: str = "input", position: int = 1) -> Tensor:
    """`input`, which must be a tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(input).__name__}"
        )
    return input


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a tensor.

    >>> is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


def neg(input: Tensor) -> Tensor:
    """The negative of each element."""
    return -_checked("neg", input)


def abs(input: Tensor) -> Tensor:
    """The absolute value of each element."""
    return _checked("abs", input).abs()


def exp(input: Tensor) -> Tensor:
    """E to the power of each element."""
    return _checked("exp", input).exp()


def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element."""
    return _checked("log", input).log()


def sqrt(input: Tensor) -> Tensor:
    """The square root of each element."""
    return _checked("sqrt", input).sqrt()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of each element."""
    return _checked("tanh", input).tanh()


def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative."""
    return _checked("relu", input).relu()


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view."""
    return _checked("t", input).t()


def clone(input: Tensor) -> Tensor:
    """A copy, recorded: its gradient is that of `input`."""
    return _checked("clone", input).clone()


def detach(input: Tensor) -> Tensor:
    """The same storage as a leaf that requires no gradient."""
    return _checked("detach", input).detach()


def add(input: Operand, other: Operand) -> Tensor:
    """The sum `input + other`."""
    return _checked("add", input) + checked_operand("add", other, 2)


def sub(input: Operand, other: Operand) -> Tensor:
    """The difference `input - other`."""
    return _checked("sub", input) - checked_operand("sub", other, 2)


def mul(input: Operand, other: Operand) -> Tensor:
    """The product `input * other`, element by element."""
    return _checked("mul", input) * checked_operand("mul", other, 2)


def div(input: Operand, other: Operand) -> Tensor:
    """The quotient `input / other`, in floating point also for integers."""
    return _checked("div", input) / checked_operand("div", other, 2)


def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input` to the power of `exponent`, element by element; one of them may be a number."""
    return input**exponent if isinstance(input, Tensor) else _checked("pow", exponent, "exponent", 2).__rpow__(input)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product `input @ other`; vectors count as rows on the left and as columns on the right."""
    return _checked("matmul", input) @ _checked("matmul", other, "other", 2)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    a, b = _checked("mm", input), _checked("mm", mat2, "mat2", 2)
    for name, each in (("self", a), ("mat2", b)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor; matmul() takes other ranks")
    return a @ b


def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The sum over all elements, or over the dimensions `dim`."""
    return _checked("sum", input).sum(dim, keepdim, dtype=dtype)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """The mean over all elements, or over the dimensions `dim`."""
    return _checked("mean", input).mean(dim, keepdim, dtype=dtype)


def max(input: Tensor, dim: SupportsIndex | None = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`."""
    return _checked("max", input).max(dim, keepdim)


def min(input: Tensor, dim: SupportsIndex | None = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`."""
    return _checked("min", input).min(dim, keepdim)


def argmax(input: Tensor, dim: SupportsIndex | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, of all in order or along `dim`."""
    return _checked("argmax", input).argmax(dim, keepdim)


def argmin(input: Tensor, dim: SupportsIndex | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, of all in order or along `dim`."""
    return _checked("argmin", input).argmin(dim, keepdim)


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements, or all along `dim`, are true or not zero."""
    return _checked("all", input).all(dim, keepdim)


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element, or any along `dim`, is true or not zero."""
    return _checked("any", input).any(dim, keepdim)


def softmax(input: Tensor, dim: SupportsIndex, *, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`."""
    return _checked("softmax", input).softmax(dim, dtype)


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


def reshape(input: Tensor, shape: Any) -> Tensor:
    """The elements of `input` in the same order in another shape."""
    return _checked("reshape", input).reshape(shape)


def flatten(input: Tensor) -> Tensor:
    """The elements of `input` as a 1-d tensor."""
    return _checked("flatten", input).flatten()


def transpose(input: Tensor, dim0: SupportsIndex, dim1: SupportsIndex) -> Tensor:
    """A view of `input` with two dimensions swapped."""
    return _checked("transpose", input).transpose(dim0, dim1)


def permute(input: Tensor, dims: Any) -> Tensor:
    """A view of `input` with dimension `dims[i]` in place i."""
    return _checked("permute", input).permute(dims)


def unsqueeze(input: Tensor, dim: SupportsIndex) -> Tensor:
    """A view of `input` with a new dimension of size 1 at `dim`."""
    return _checked("unsqueeze", input).unsqueeze(dim)


def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """A view of `input` without its dimensions of size 1, or those of `dim`."""
    return _checked("squeeze", input).squeeze(dim)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and elements.

    >>> from minigrad import ones
    >>> equal(ones(2), ones(3))
    False
    """
    return _checked("equal", input).equal(other)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`."""
    return _checked("isclose", input).isclose(_checked("isclose", other, "other", 2), rtol, atol, equal_nan)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as `isclose` says."""
    return _checked("allclose", input).allclose(_checked("allclose", other, "other", 2), rtol, atol, equal_nan)


def result_type(tensor1: Operand, tensor2: Operand) -> dtype:
    """The dtype of an arithmetic result of two operands, tensors or numbers.

    >>> from minigrad import tensor
    >>> result_type(tensor([1, 2]), 1.5)
    torch.float32
    """
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor1, tensor2)])
