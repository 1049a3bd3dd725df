"""In-place operations: how they write, and how they are recorded."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import draws, dtypes
from minigrad.autograd.base import TensorBase
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.autograd.node import View
from minigrad.dtypes import Array
from minigrad.methods.attributes import Attributes
from minigrad.methods.forms import OPERANDS, Operand, checked_operand
from minigrad.ops import elementwise
from minigrad.ops import shape as _shape
from minigrad.random import Generator, default_generator

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Writing(Attributes):
    """Writing in place."""

    __slots__ = ()

    def copy_(self, src: Operand) -> Tensor:
        """Write the elements of `src`, which broadcasts to this shape, in this tensor's dtype."""
        given = checked_operand("copy_", src)
        source = given if isinstance(given, TensorBase) else self._new(np.asarray(given))
        return self._become(elementwise.Copy()(self._before(), elementwise.cast(source, self.dtype)))

    def fill_(self, value: Operand) -> Tensor:
        """Write the number `value` everywhere."""
        if not isinstance(value, OPERANDS):
            raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
        number = value.item() if isinstance(value, TensorBase) else value
        filler = dtypes.filler(number, self.dtype)
        return self._write(lambda array: array.fill(filler))

    def zero_(self) -> Tensor:
        """Write 0 everywhere."""
        return self._write(lambda array: array.fill(0))

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
        chance = p._array if isinstance(p, TensorBase) else p
        return self._write(lambda array: draws.bernoulli_(array, chance, generator or default_generator))

    def _before(self) -> Tensor:
        """This tensor before an in-place operation, as the first input of the op.

        It is a copy where operations are recorded, so that gradients can read it after the write.
        """
        before = self._new(self._array.copy() if is_grad_enabled() else self._array, self._node)
        before._requires_grad = self._requires_grad
        return before

    def _become(self, result: Tensor) -> Any:
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

    def _write(self, write: Callable[[Array], object], what: str = "") -> Any:
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
        if isinstance(origin, TensorBase) and origin._requires_grad:
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
