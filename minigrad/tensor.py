"""`Tensor`: an array that remembers how it was made.

Every method here is one line that calls one op, or a few that check its arguments.  What the ops do is in
`minigrad.ops`; how their gradients find their way back is in `minigrad.autograd`.
"""

from __future__ import annotations

import builtins
import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import numpy as np

from minigrad import draws, dtypes, printing
from minigrad.autograd import engine
from minigrad.autograd.base import TensorBase
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.autograd.node import Node, View, quiet
from minigrad.devices import CPU
from minigrad.devices import device as Device
from minigrad.dtypes import Array, Number
from minigrad.ops import elementwise, indexing, matmul, reduce, softmax
from minigrad.ops import shape as _shape
from minigrad.ops.broadcast import Expand
from minigrad.ops.dims import normal_dim, normal_dims, sizes_of
from minigrad.random import Generator, default_generator
from minigrad.size import Size

Operand: TypeAlias = "Tensor | Number"
Dims: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None


class Tensor(TensorBase):
    """An n-dimensional array of one dtype that, on request, records what is computed from it.

    Tensors are made by `minigrad.tensor`, `zeros`, `randn` and their like.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()

    # NumPy's arrays and scalars leave `array * tensor` to the tensor.
    __array_priority__ = 1000

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "Tensor() is not a way to make tensors here; use minigrad.tensor(data), zeros(size) or empty(size)"
        )

    @staticmethod
    def _new(array: Any, node: Node | None = None) -> Tensor:
        out = object.__new__(Tensor)
        # NumPy's reductions to 0-d give scalars, not arrays.
        out._array = array if type(array) is np.ndarray else np.asarray(array)
        out._node = node
        out._requires_grad = False
        out._grad = None
        out._counter = [0, 0]
        return out

    # ---- what it is ----------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The size of each dimension.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).shape
        torch.Size([4, 5])
        """
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements, such as `torch.float32`."""
        return dtypes.of(self._array)

    @property
    def device(self) -> Device:
        """Where the elements are: always `device(type='cpu')`."""
        return CPU

    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def dim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def size(self, dim: SupportsIndex | None = None) -> Any:
        """The shape, or the size of dimension `dim`."""
        return self.shape if dim is None else self._array.shape[normal_dim(dim, self._array.ndim)]

    def numel(self) -> builtins.int:
        """The number of elements."""
        return self._array.size

    def nelement(self) -> builtins.int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> builtins.int:
        """Bytes per element."""
        return self._array.itemsize

    def stride(self) -> tuple[builtins.int, ...]:
        """How many elements lie between two neighbours, for each dimension."""
        return tuple([step // self._array.itemsize for step in self._array.strides])

    def is_contiguous(self) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices."""
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating-point numbers."""
        return self._array.dtype.kind == "f"

    def data_ptr(self) -> builtins.int:
        """The address of the first element: equal for tensors that share storage from its start."""
        return self._array.ctypes.data

    def __len__(self) -> builtins.int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __repr__(self) -> str:
        grad_fn = None if self._node is None else self._node.name()
        return printing.tensor_text(self._array, grad_fn=grad_fn, requires_grad=self._requires_grad)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0:
            return format(self.item(), spec)
        if spec:
            raise TypeError(
                f"unsupported format string passed to Tensor.__format__: {spec!r} formats one number, and this tensor "
                f"has shape {self.shape}"
            )
        return repr(self)

    # Equality compares elements, so the hash is that of the object.
    __hash__ = object.__hash__

    # ---- its place in the graph ----------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> builtins.bool:
        """Whether a backward pass is to reach this tensor; on a leaf, it can be set."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None:
        if not isinstance(value, builtins.bool):
            raise RuntimeError(f"requires_grad must be a bool, got {type(value).__name__}")
        if self._node is not None and not value:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if value and not self.is_floating_point():
            raise RuntimeError(
                "only Tensors of floating point dtype can require gradients: integers have no small changes, and this "
                f"tensor has dtype {self.dtype!r}. Convert it first: x.float().requires_grad_()"
            )
        self._requires_grad = value

    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """This tensor, which from now on requires a gradient (or not)."""
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> builtins.bool:
        """Whether no recorded operation made this tensor."""
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        """The recorded operation that made this tensor, None for a leaf."""
        return self._node

    @property
    def grad(self) -> Tensor | None:
        """On a leaf, the sum of the gradients of all backward passes since it was last None or zero."""
        if self._node is not None and self._grad is None:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during autograd.backward(): only leaves keep a gradient. For that of a result, use "
                "torch.autograd.grad(loss, result).",
                UserWarning,
                stacklevel=2,
            )
        grad: Tensor | None = self._grad
        return grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
            if value.dtype is not self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{value.dtype._c_name}' to a tensor with grad_dtype "
                    f"'{self.dtype._tensor_name}'. Convert it: grad.to({self.dtype!r})"
                )
        self._grad = value

    @property
    def _version(self) -> builtins.int:
        """How many in-place writes this tensor's storage has seen."""
        return self._counter[0]

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Any = None,
    ) -> None:
        """Add to the `.grad` of each leaf its gradient of this tensor; see `minigrad.autograd.backward`.

        `gradient`, of this tensor's shape, is the gradient of the loss with respect to it; it may be left out if
        this is the loss, of one element.

        >>> import minigrad as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * 3).backward(torch.tensor([1.0, 10.0]))
        >>> x.grad
        tensor([ 3., 30.])
        """
        engine.backward((self,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs=inputs)

    def detach(self) -> Tensor:
        """The same storage as a leaf that requires no gradient: a write to one shows in the other."""
        out = self._new(self._array)
        out._counter = self._counter
        return out

    @property
    def data(self) -> Tensor:
        """The same storage as a leaf; writes through it are not seen by the checks of the backward pass.

        A tensor that is assigned takes this one's place: its storage, shape and dtype become this tensor's.
        """
        return self._new(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._requires_grad and not value.is_floating_point():
            raise RuntimeError(
                f"data set to a tensor that requires gradients must be floating point, but got {value.dtype!r}"
            )
        self._array = value._array

    def item(self) -> Any:
        """The only element, as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar: item() is for one element; "
                "tolist() gives all"
            )
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
        return self._array.tolist()

    def numpy(self) -> Array:
        """The array of the elements itself, not a copy: a write to it shows in the tensor."""
        if self._requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._array

    def __array_wrap__(self, array: Array, context: Any = None, return_scalar: builtins.bool = False) -> Tensor:
        """The result of a NumPy function on this tensor, as a tensor."""
        return self._new(array)

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def _only(self, wanted: str) -> Any:
        if self._array.size != 1:
            raise ValueError(
                f"only one element tensors can be converted to Python scalars; {wanted} got shape {self.shape}"
            )
        return self._array.item()

    def __int__(self) -> builtins.int:
        return int(self._only("int()"))

    def __float__(self) -> builtins.float:
        return float(self._only("float()"))

    def __bool__(self) -> builtins.bool:
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if self._array.size > 1:
            raise RuntimeError(
                "Boolean value of Tensor with more than one value is ambiguous: did you mean .all(), .any() or equal()?"
            )
        return bool(self._array.item())

    def __index__(self) -> builtins.int:
        if self._array.size != 1 or self._array.dtype.kind not in "biu":
            raise TypeError(
                "only integer tensors of a single element can be converted to an index: this one has dtype "
                f"{self.dtype!r} and shape {self.shape}. (To compute with a list, make it a tensor first: "
                "torch.tensor(data).)"
            )
        return int(self._array.item())

    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor:
        if self._node is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                f"moment: this one was made by {self._node.name()}. Copy x.detach() instead."
            )
        copied = new_leaf(self._array.copy(order="K"), self._requires_grad)
        copied._grad = copy.deepcopy(self._grad, memo)
        return copied

    # ---- arithmetic ----------------------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Tensor:
        return elementwise.Add()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __radd__(self, other: Operand) -> Tensor:
        return elementwise.Add()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __sub__(self, other: Operand) -> Tensor:
        return elementwise.Sub()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rsub__(self, other: Operand) -> Tensor:
        return elementwise.Rsub()(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    def __mul__(self, other: Operand) -> Tensor:
        return elementwise.Mul()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rmul__(self, other: Operand) -> Tensor:
        return elementwise.Mul()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __truediv__(self, other: Operand) -> Tensor:
        return elementwise.Div()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rtruediv__(self, other: Operand) -> Tensor:
        return elementwise.Rdiv()(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    def __pow__(self, other: Operand) -> Tensor:
        if isinstance(other, builtins.int | builtins.float | np.generic):
            return elementwise.PowNumber(other.item() if isinstance(other, np.generic) else other)(self)
        return elementwise.Pow()(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rpow__(self, other: Operand) -> Tensor:
        return elementwise.Rpow()(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    def __matmul__(self, other: Tensor) -> Tensor:
        return matmul.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product `self @ other`."""
        return self @ other

    def __neg__(self) -> Tensor:
        return elementwise.Neg()(self)

    def __pos__(self) -> Tensor:
        if self._array.dtype == builtins.bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def __abs__(self) -> Tensor:
        return elementwise.Abs()(self)

    def add(self, other: Operand) -> Tensor:
        """The sum `self + other`."""
        return self + checked_operand("add", other)

    def sub(self, other: Operand) -> Tensor:
        """The difference `self - other`."""
        return self - checked_operand("sub", other)

    def mul(self, other: Operand) -> Tensor:
        """The product `self * other`, element by element."""
        return self * checked_operand("mul", other)

    def div(self, other: Operand) -> Tensor:
        """The quotient `self / other`, in floating point also for integers."""
        return self / checked_operand("div", other)

    def neg(self) -> Tensor:
        """The negative of each element."""
        return -self

    def abs(self) -> Tensor:
        """The absolute value of each element."""
        return elementwise.Abs()(self)

    def exp(self) -> Tensor:
        """E to the power of each element."""
        return elementwise.Exp()(self)

    def log(self) -> Tensor:
        """The natural logarithm of each element."""
        return elementwise.Log()(self)

    def sqrt(self) -> Tensor:
        """The square root of each element."""
        return elementwise.Sqrt()(self)

    def tanh(self) -> Tensor:
        """The hyperbolic tangent of each element."""
        return elementwise.Tanh()(self)

    def relu(self) -> Tensor:
        """Each element, or 0 where it is negative."""
        return elementwise.Relu()(self)

    def pow(self, exponent: Operand) -> Tensor:
        """Each element to the power of `exponent`."""
        return self**exponent

    # ---- comparison and logic ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        return elementwise.compare(np.equal, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return elementwise.compare(np.not_equal, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __lt__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.less, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __le__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.less_equal, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __gt__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.greater, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __ge__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.greater_equal, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __and__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_and, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __or__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_or, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rand__(self, other: Operand) -> Tensor:
        return self & other

    def __ror__(self, other: Operand) -> Tensor:
        return self | other

    def __rxor__(self, other: Operand) -> Tensor:
        return self ^ other

    def __xor__(self, other: Operand) -> Tensor:
        return elementwise.compare(np.bitwise_xor, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __invert__(self) -> Tensor:
        if self._array.dtype.kind == "f":
            raise TypeError(
                f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, got {self.dtype!r}"
            )
        return self._new(np.invert(self._array))

    def __contains__(self, element: Operand) -> builtins.bool:
        if not isinstance(element, _OPERANDS):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool((self == element).any())

    def equal(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape and elements."""
        if not isinstance(other, Tensor):
            raise TypeError(f"equal(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        return np.array_equal(self._array, other._array)

    def isclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """Where `|self - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
        if self.dtype is not other.dtype:
            raise RuntimeError(
                f"{self.dtype._tensor_name} did not match {other.dtype._tensor_name}: convert one, as in "
                f"other.to({self.dtype!r})"
            )
        if self._array.shape != other._array.shape:
            # Compared as by `==`, for its error where the shapes do not broadcast.
            elementwise.compare(np.equal, self, other)
        return self._new(np.isclose(self._array, other._array, rtol, atol, equal_nan))

    def allclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """Whether all elements are close, as `isclose` says."""
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    # ---- reductions ----------------------------------------------------------------------------------------------

    def sum(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The sum over all elements, or over the dimensions `dim`; of integers, an int64."""
        if dtype is None and self._array.dtype.kind != "f":
            dtype = dtypes.int64
        if dtype is not None and not dtype.is_floating_point and self._requires_grad and is_grad_enabled():
            raise RuntimeError(f"Autograd not support dtype: {dtype._tensor_name}: integers have no gradients")
        x = self if dtype is None else elementwise.cast(self, dtype)
        return reduce.Sum(_summed_dims(dim, self.ndim), keepdim, dim is None and not keepdim)(x)

    def mean(self, dim: Dims = None, keepdim: builtins.bool = False, *, dtype: dtypes.dtype | None = None) -> Tensor:
        """The mean over all elements, or over the dimensions `dim`; of floating-point numbers only."""
        x = self if dtype is None else elementwise.cast(self, dtype)
        if x._array.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {x.dtype._tensor_name}. Convert it first: x.float().mean()"
            )
        return reduce.Mean(_summed_dims(dim, self.ndim), keepdim, dim is None and not keepdim)(x)

    def max(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Any:
        """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`."""
        return self._extremum("max", np.max, np.argmax, dim, keepdim)

    def min(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Any:
        """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`."""
        return self._extremum("min", np.min, np.argmin, dim, keepdim)

    def _extremum(
        self, name: str, find: Any, find_index: Any, dim: SupportsIndex | None, keepdim: builtins.bool
    ) -> Any:
        if dim is None:
            if self._array.size == 0:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                    "dim with the 'dim' argument."
                )
            return reduce.Extremum(find)(self)
        position = normal_dim(dim, self.ndim)
        if self.ndim == 0:
            return self.unsqueeze(0)._extremum(name, find, find_index, 0, False)
        indices = reduce.argument(name, find_index, self, position, True)
        values = reduce.TakeAlong(position, keepdim, name.capitalize())(self, indices)
        return (MaxResult if name == "max" else MinResult)(values, indices if keepdim else indices.squeeze(position))

    def argmax(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the largest element, of all in order or along `dim`."""
        return reduce.argument("argmax", np.argmax, self, dim, keepdim)

    def argmin(self, dim: SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the smallest element, of all in order or along `dim`."""
        return reduce.argument("argmin", np.argmin, self, dim, keepdim)

    def all(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements, or all along `dim`, are true or not zero."""
        return reduce.logical(np.logical_and, self, normal_dims(dim, self.ndim), keepdim)

    def any(self, dim: Dims = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element, or any along `dim`, is true or not zero."""
        return reduce.logical(np.logical_or, self, normal_dims(dim, self.ndim), keepdim)

    def softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1."""
        x = self if dtype is None else elementwise.cast(self, dtype)
        if x._array.dtype.kind != "f":
            raise NotImplementedError(
                f"\"softmax_lastdim_kernel_impl\" not implemented for '{x.dtype._tensor_name}': convert it first, "
                "x.float().softmax(dim)"
            )
        return softmax.Softmax(normal_dim(dim, self.ndim))(x)

    # ---- shape ---------------------------------------------------------------------------------------------------

    def reshape(self, *shape: Any) -> Tensor:
        """The elements in the same order in another shape (one size may be -1): a view if strides allow it."""
        sizes = _shape.inferred_shape(sizes_of("reshape", shape), self._array.size)
        return _shape.Reshape(sizes, "ViewBackward0" if self.is_contiguous() else "ReshapeAliasBackward0")(self)

    def view(self, *shape: Any) -> Tensor:
        """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it."""
        sizes = _shape.inferred_shape(sizes_of("view", shape), self._array.size)
        out = _shape.Reshape(sizes)(self)
        if out._counter is not self._counter and self._array.size:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        return out

    def flatten(self) -> Tensor:
        """The elements as a 1-d tensor."""
        return self if self.ndim == 1 else self.reshape(-1 if self._array.size else 0)

    def permute(self, *dims: Any) -> Tensor:
        """A view with dimension `dims[i]` in place i."""
        named = sizes_of("permute", dims)
        if len(named) != self.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                f"the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to "
                f"len(dims) = {len(named)}"
            )
        order: list[builtins.int] = []
        for dim in named:
            order.append(normal_dim(dim, self.ndim))
            if order[-1] in order[:-1]:
                raise RuntimeError(f"permute(): duplicate dims are not allowed: got {named}.")
        return _shape.Permute(tuple(order))(self)

    def transpose(self, dim0: SupportsIndex, dim1: SupportsIndex) -> Tensor:
        """A view with two dimensions swapped."""
        dims = _shape.swapped(self.ndim, normal_dim(dim0, self.ndim), normal_dim(dim1, self.ndim))
        return _shape.Permute(dims, "Transpose")(self)

    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return _shape.Permute(tuple(reversed(range(self.ndim))), "T")(self)

    @property
    def T(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the dimensions in reverse order: the transpose of a matrix."""
        return _shape.Permute(tuple(reversed(range(self.ndim))))(self)

    @property
    def mT(self) -> Tensor:  # noqa: N802  (PyTorch's name)
        """A view with the last two dimensions swapped."""
        if self.ndim == 0:
            return self
        if self.ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return _shape.Permute(_shape.swapped(self.ndim, -1, -2), "Transpose")(self)

    def unsqueeze(self, dim: SupportsIndex) -> Tensor:
        """A view with a new dimension of size 1 at `dim`."""
        at = normal_dim(dim, self.ndim + 1)
        sizes = self._array.shape
        return _shape.Reshape((*sizes[:at], 1, *sizes[at:]), "UnsqueezeBackward0")(self)

    def squeeze(self, dim: Dims = None) -> Tensor:
        """A view without the dimensions of size 1: without all, or those of `dim` that are."""
        dims = normal_dims(dim, self.ndim)
        sizes = [size for i, size in enumerate(self._array.shape) if size != 1 or i not in dims]
        form = 0 if dim is None else 1 if isinstance(dim, SupportsIndex) else 2
        return _shape.Reshape(tuple(sizes), f"SqueezeBackward{form}")(self)

    def expand(self, *sizes: Any) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to `sizes`; -1 keeps a size."""
        return Expand(_shape.expanded_shape(sizes_of("expand", sizes), self._array.shape))(self)

    def contiguous(self) -> Tensor:
        """This tensor if its elements lie in order in memory, else a copy that does."""
        return self if self.is_contiguous() else elementwise.Clone("C")(self)

    def __getitem__(self, index: Any) -> Tensor:
        return indexing.getitem(self, index)

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([indexing.Slice((i,), "Unbind")(self) for i in range(len(self._array))])

    # ---- copies and conversions ----------------------------------------------------------------------------------

    def clone(self) -> Tensor:
        """A copy, recorded: its gradient is this tensor's."""
        return elementwise.Clone()(self)

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """This tensor in a dtype, on a device, or in those of another tensor; itself if nothing changes.

        `to(dtype)`, `to(device, dtype=None)` and `to(other)`, each with `copy=False`.

        >>> import minigrad as torch
        >>> torch.tensor([1, 2]).to(torch.float64)
        tensor([1., 2.], dtype=torch.float64)
        """
        copy = kwargs.pop("copy", False)
        wanted = self.dtype
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, dtypes.dtype):
                wanted = argument
            elif isinstance(argument, Tensor):
                wanted = argument.dtype
            elif argument is not None and not isinstance(argument, builtins.bool):
                Device(argument)
        return elementwise.Cast(wanted)(self) if copy and wanted is self.dtype else elementwise.cast(self, wanted)

    def float(self) -> Tensor:
        """This tensor as float32."""
        return elementwise.cast(self, dtypes.float32)

    def double(self) -> Tensor:
        """This tensor as float64."""
        return elementwise.cast(self, dtypes.float64)

    def half(self) -> Tensor:
        """This tensor as float16."""
        return elementwise.cast(self, dtypes.float16)

    def long(self) -> Tensor:
        """This tensor as int64."""
        return elementwise.cast(self, dtypes.int64)

    def int(self) -> Tensor:
        """This tensor as int32."""
        return elementwise.cast(self, dtypes.int32)

    def bool(self) -> Tensor:
        """This tensor as bool: whether each element is not zero."""
        return elementwise.cast(self, dtypes.bool_)

    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of `other`."""
        return elementwise.cast(self, other.dtype)

    def cpu(self) -> Tensor:
        """This tensor, which is on the CPU."""
        return self

    # ---- in place ------------------------------------------------------------------------------------------------

    def __iadd__(self, other: Operand) -> Tensor:
        return self._become(self._before() + other)

    def __isub__(self, other: Operand) -> Tensor:
        return self._become(self._before() - other)

    def __imul__(self, other: Operand) -> Tensor:
        return self._become(self._before(kept_for=other) * other)

    def __ipow__(self, other: Operand) -> Tensor:
        # The gradient of a power reads its base, whatever the exponent.
        return self._become(self._before(kept_for=self) ** other)

    def __iand__(self, other: Operand) -> Tensor:
        return self._become(self & other)

    def __ior__(self, other: Operand) -> Tensor:
        return self._become(self | other)

    def __ixor__(self, other: Operand) -> Tensor:
        return self._become(self ^ other)

    def __itruediv__(self, other: Operand) -> Tensor:
        return self._become(self._before(kept_for=other) / other)

    def add_(self, other: Operand) -> Tensor:
        """Add `other` in place."""
        return self._become(self._before() + checked_operand("add_", other))

    def sub_(self, other: Operand) -> Tensor:
        """Subtract `other` in place."""
        return self._become(self._before() - checked_operand("sub_", other))

    def mul_(self, other: Operand) -> Tensor:
        """Multiply by `other` in place."""
        return self._become(self._before(kept_for=other) * checked_operand("mul_", other))

    def div_(self, other: Operand) -> Tensor:
        """Divide by `other` in place."""
        return self._become(self._before(kept_for=other) / checked_operand("div_", other))

    def copy_(self, src: Operand) -> Tensor:
        """Write the elements of `src`, which broadcasts to this shape, in this tensor's dtype."""
        given = checked_operand("copy_", src)
        source = given if isinstance(given, Tensor) else self._new(np.asarray(given))
        return self._become(elementwise.Copy()(self._before(), elementwise.cast(source, self.dtype)))

    def fill_(self, value: Operand) -> Tensor:
        """Write the number `value` everywhere."""
        if not isinstance(value, _OPERANDS):
            raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
        number = value.item() if isinstance(value, Tensor) else value
        filler = dtypes.filler(number, self.dtype)
        return self._write(lambda array: array.fill(filler))

    def zero_(self) -> Tensor:
        """Write 0 everywhere."""
        return self._write(lambda array: array.fill(0))

    def __setitem__(self, index: Any, value: Operand) -> None:
        if not isinstance(value, _OPERANDS):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a torch.{self.dtype._tensor_name}Tensor: torch.tensor(value)"
            )
        if isinstance(value, Tensor) and value._requires_grad and is_grad_enabled():
            raise RuntimeError(
                "x[index] = value is not recorded, so no gradient would flow back to the value, which requires one. "
                "Collect the values in a list and join them, torch.stack(values); if no gradient is wanted, assign "
                "value.detach()."
            )
        source = value._array if isinstance(value, Tensor) else dtypes.written(value, self.dtype)
        self._write(lambda array: quiet().run(indexing.setitem, array, index, source), "a view of ")

    def uniform_(
        self, from_: builtins.float = 0.0, to: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """Write draws from the uniform distribution on `[from_, to)`."""
        return self._write(lambda array: draws.uniform_(array, from_, to, generator or default_generator))

    def normal_(
        self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """Write draws from the normal distribution."""
        return self._write(lambda array: draws.normal_(array, mean, std, generator or default_generator))

    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Write draws from the exponential distribution of rate `lambd`."""
        return self._write(lambda array: draws.exponential_(array, lambd, generator or default_generator))

    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Write 1 with probability `p`, else 0; `p` is a number, or a tensor that broadcasts to this shape."""
        chance = p._array if isinstance(p, Tensor) else p
        return self._write(lambda array: draws.bernoulli_(array, chance, generator or default_generator))

    def _before(self, kept_for: object = None) -> Tensor:
        """This tensor before an in-place operation, as the first input of the op.

        It is a copy if the node keeps it for the gradient of the other operand, `kept_for`.
        """
        kept = is_grad_enabled() and isinstance(kept_for, Tensor) and kept_for._requires_grad
        before = self._new(self._array.copy() if kept else self._array, self._node)
        before._requires_grad = self._requires_grad
        return before

    def _become(self, result: Tensor) -> Tensor:
        """Take on the values and the history of `result`, which was computed from this tensor as it was before."""
        if result is NotImplemented:
            return result
        if result._array.shape != self._array.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}: an "
                "in-place operation cannot change the shape"
            )
        if not dtypes.can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype._tensor_name} can't be cast to the desired output type "
                f"{self.dtype._tensor_name}: an in-place operation cannot change the dtype"
            )
        recorded = is_grad_enabled() and result._requires_grad
        if recorded:
            self._check_recordable()
        self._check_writable()
        result = elementwise.cast(result, self.dtype)
        self._array[...] = result._array
        self._counter[0] += 1
        if recorded:
            self._node, self._requires_grad = result._node, True
        return self

    def _write(self, write: Callable[[Array], object], what: str = "") -> Tensor:
        """Let `write` change the array; an error if that would have to be recorded, of `what` it is done to."""
        if self._requires_grad and is_grad_enabled():
            self._check_recordable(what)
            raise RuntimeError(
                "this in-place operation on a tensor that requires a gradient is not recorded. Write before the tensor "
                "is used, on a detached copy (x.detach().clone()), or under no_grad()."
            )
        self._check_writable()
        write(self._array)
        self._counter[0] += 1
        return self

    def _check_recordable(self, what: str = "") -> None:
        """Nothing if an in-place operation on this tensor can be recorded; else a RuntimeError.

        A view taken earlier has a history that this write would leave out, so a tensor with views has to wait
        until nobody records, or be replaced by a new one.
        """
        origin: Any = self if self._node is None else self._node
        while isinstance(origin, View | _shape.Reshape):
            what, origin = "a view of ", origin.edges[0]
        if isinstance(origin, Tensor) and origin._requires_grad:
            raise RuntimeError(
                f"{what}a leaf Variable that requires grad is being used in an in-place operation. Update it under "
                "no_grad(): with torch.no_grad(): w -= lr * w.grad. To add up a loss, start with loss = 0."
            )
        if self._counter[1]:
            raise RuntimeError(
                "an in-place operation on a view, or on a tensor with views, is not recorded. Make a new tensor, as in "
                "x = x + 1, or write under no_grad()."
            )

    def _check_writable(self) -> None:
        """Nothing if each element has a place of its own in memory that can be written; else a RuntimeError."""
        if self._array.flags.writeable:
            return
        if 0 in self._array.strides:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                "location. Please clone() the tensor before performing the operation."
            )
        raise RuntimeError("the tensor lies on a read-only NumPy array. Please clone() it before writing.")


_OPERANDS = (Tensor, int, float, np.generic)


def _summed_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions that a sum over `dim` is over: all for None and, unlike elsewhere, for no dimension named."""
    return normal_dims(dim, ndim) or tuple(range(ndim))


def checked_operand(name: str, other: Operand, position: builtins.int = 1) -> Operand:
    """`other`, which must be a tensor or a number."""
    if not isinstance(other, _OPERANDS):
        raise TypeError(
            f"{name}(): argument 'other' (position {position}) must be Tensor, not {type(other).__name__}: "
            "torch.tensor(data) makes one"
        )
    return other


class MaxResult(NamedTuple):
    """The largest elements along a dimension, and their indices."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.max(\nvalues={self.values!r},\nindices={self.indices!r})"


class MinResult(NamedTuple):
    """The smallest elements along a dimension, and their indices."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.min(\nvalues={self.values!r},\nindices={self.indices!r})"


def new_leaf(array: Array, requires_grad: bool = False, on: Device | str | None = None) -> Tensor:
    """A leaf tensor of `array` itself, not of a copy."""
    if on is not None:
        Device(on)
    check_can_require_grad(array, requires_grad)
    leaf = Tensor._new(array)
    leaf._requires_grad = requires_grad
    return leaf


def check_can_require_grad(array: Array, requires_grad: bool) -> None:
    """Nothing if a tensor of `array` can be made to require a gradient; a RuntimeError for integers and bools."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients: integers have no small changes, "
            f"and this tensor has dtype {dtypes.of(array)!r}. Ask for dtype=torch.float32."
        )
