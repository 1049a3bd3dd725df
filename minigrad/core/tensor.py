"""`Tensor`: an array that remembers how it was made."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import numpy as np

from . import dtypes, elementwise, walk
from .base import TensorBase, storage_of, version_of
from .size import Size
from .tape import Node, Output

Operand = Any


class Tensor(TensorBase):
    """An n-dimensional array of one dtype that, on request, records what is computed from it.

    Tensors are made by `minigrad.tensor`, `zeros`, `randn` and their like; the constructor reads ints as sizes.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()

    @staticmethod
    def _new(array: Any, node: Node | Output | None = None) -> Any:
        out = _blank()
        # NumPy's reductions to 0-d give scalars, not arrays.
        out._array = array if type(array) is _ndarray else np.asarray(array)
        out._node = node
        out._requires_grad = False
        out._grad = out._storage = out._base = None
        return out

    def __repr__(self) -> str:
        return f"tensor({self._array})"

    # ---- what it is --------------------------------------------------------------------------------------------------

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
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating-point numbers."""
        return self._array.dtype.kind == "f"

    def __len__(self) -> builtins.int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    # ---- its place in the graph --------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> builtins.bool:
        """Whether a backward pass is to reach this tensor; on a leaf, it can be set."""
        # As in PyTorch, a view made under no_grad() says what its base does, though no gradient flows through it.
        return self._requires_grad or (self._base is not None and self._base._requires_grad)

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
        """This tensor, which from now on requires a gradient (or not).

        >>> import minigrad as torch
        >>> torch.zeros(2).requires_grad_()
        tensor([0., 0.], requires_grad=True)
        """
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> builtins.bool:
        """Whether no recorded operation made this tensor."""
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        """The recorded operation that made this tensor, None for a leaf."""
        return self._node.node if isinstance(self._node, Output) else self._node

    @property
    def _version(self) -> builtins.int:
        """How many in-place writes this tensor's storage has seen."""
        return version_of(self)

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
        walk.backward((self,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs=inputs)

    def detach(self) -> Tensor:
        """The same storage as a leaf that requires no gradient: a write to one shows in the other.

        >>> import minigrad as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * 2).detach()
        tensor([2., 4.])
        """
        out = self._new(self._array)
        out._storage = storage_of(self)
        return out

    # ---- operators ---------------------------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Tensor:
        return elementwise.Add().of(self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return elementwise.Add().of(self, other)

    def __sub__(self, other: Operand) -> Tensor:
        return elementwise.Sub().of(self, other)

    def __mul__(self, other: Operand) -> Tensor:
        return elementwise.Mul().of(self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return elementwise.Mul().of(self, other)

    def __truediv__(self, other: Operand) -> Tensor:
        return elementwise.Div().of(self, other)

    def __neg__(self) -> Tensor:
        return elementwise.Neg()(self)


# Looked up once: each operation makes a tensor.
_blank = functools.partial(object.__new__, Tensor)
_ndarray = np.ndarray

# What the families of methods are written on: for a type checker, `Tensor` has those, too (see the stub).
CoreTensor = Tensor
