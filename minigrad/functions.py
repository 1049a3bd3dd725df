"""The free-function forms of the methods of `Tensor`."""

from __future__ import annotations

from typing import Any, SupportsIndex

from minigrad import dtypes
from minigrad.dtypes import dtype
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
