"""In-place operations: how they write, and how they are recorded."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.hooks import keep_retaining
from minigrad.core import elementwise
from minigrad.core.dtypes import Array
from minigrad.core.modes import is_grad_enabled
from minigrad.core.tape import Edge, Node, Output, edge_to, next_number
from minigrad.core.tensor import Tensor, storage_of
from minigrad.methods.forms import OPERANDS, Operand, checked_operand
from minigrad.ops import casting, strided
from minigrad.random import Generator, default_generator
from minigrad.tensors import distributions


class Writing(Tensor):
    """Writing in place."""

    __slots__ = ()

    def copy_(self, src: Operand, non_blocking: builtins.bool = False) -> Tensor:
        """Write the elements of `src`, which broadcasts to this shape, in this tensor's dtype.

        >>> import minigrad as torch
        >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
        tensor([[1., 2.],
                [1., 2.]])
        """
        given = checked_operand("copy_", src)
        source = given if isinstance(given, Tensor) else self._new(np.asarray(given))
        source = elementwise.cast(source, self.dtype)
        return self._rewrite(lambda before: strided.Copy()(before, source))

    def fill_(self, value: Operand) -> Tensor:
        """Write the number `value` everywhere.

        >>> import minigrad as torch
        >>> torch.zeros(2).fill_(7)
        tensor([7., 7.])
        """
        if not isinstance(value, OPERANDS):
            raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
        if isinstance(value, Tensor):
            if value._array.ndim:
                raise RuntimeError(
                    "fill_ only supports 0-dimension value tensor but got tensor with "
                    f"{value._array.ndim} dimensions: copy_() takes any that broadcasts"
                )
            if value._requires_grad and is_grad_enabled():
                source = elementwise.cast(value, self.dtype)
                return self._rewrite(lambda before: strided.Copy("FillBackward3")(before, source))
        number = value._array.item() if isinstance(value, Tensor) else value
        filler = casting.filler(number, self.dtype)
        return self._write(lambda array: array.fill(filler), "FillBackward2")

    def zero_(self) -> Tensor:
        """Write 0 everywhere."""
        return self._write(lambda array: array.fill(0), "ZeroBackward0")

    def uniform_(
        self, from_: builtins.float = 0.0, to: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """Write draws from the uniform distribution on `[from_, to)`.

        >>> import minigrad as torch
        >>> _ = torch.manual_seed(123)
        >>> torch.empty(3).uniform_(-1, 1)
        tensor([-0.4078,  0.0331, -0.4967])
        """
        return self._write(
            lambda array: distributions.uniform_(array, from_, to, generator or default_generator), "UniformBackward0"
        )

    def normal_(
        self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """Write draws from the normal distribution.

        >>> import minigrad as torch
        >>> _ = torch.manual_seed(123)
        >>> torch.empty(3).normal_(0, 0.02)
        tensor([-0.0022,  0.0024, -0.0074])
        """
        return self._write(
            lambda array: distributions.normal_(array, mean, std, generator or default_generator), "NormalBackward0"
        )

    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Write draws from the exponential distribution of rate `lambd`."""
        return self._write(
            lambda array: distributions.exponential_(array, lambd, generator or default_generator),
            "ExponentialBackward0",
        )

    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Write 1 with probability `p`, else 0; `p` is a number, or a tensor that broadcasts to this shape."""
        chance = p._array if isinstance(p, Tensor) else p
        return self._write(
            lambda array: distributions.bernoulli_(array, chance, generator or default_generator), "BernoulliBackward2"
        )

    # ---- how a write is recorded -------------------------------------------------------------------------------------

    def _rewrite(self, compute: Callable[[Any], Any]) -> Any:
        """Take on the values and the history of what `compute` makes of this tensor as it was before."""
        oldest = next_number()
        before = self._before()
        try:
            result = compute(before)
        except (IndexError, RuntimeError, ValueError):
            # Of two faults PyTorch reports the one that no other operand would mend.
            self._check_recordable()
            raise
        if result is NotImplemented:
            return result
        if result._array.shape != self._array.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}: an "
                "in-place operation cannot change the shape"
            )
        if not casting.can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype._tensor_name} can't be cast to the desired output type "
                f"{self.dtype._tensor_name}: an in-place operation cannot change the dtype"
            )
        recorded = result._requires_grad and is_grad_enabled()
        self._check_recordable(recorded)
        self._check_writable()
        result = elementwise.cast(result, self.dtype)
        if recorded:
            self._secure(result, before, oldest)
        self._array[...] = result._array
        storage_of(self).version += 1
        if recorded:
            self._follow(result._node)
        return self

    def _before(self) -> Tensor:
        """This tensor as it is, with its history, whatever becomes of it."""
        before = self._new(self._array, self._node)
        before._requires_grad = self._requires_grad
        return before

    def _write(self, write: Callable[[Array], object], form: str) -> Any:
        """Let `write` change the array to values that do not depend on it; `form` is the name of its node."""
        self._check_recordable()
        self._check_writable()
        write(self._array)
        storage_of(self).version += 1
        if self._requires_grad and is_grad_enabled():
            before = self._before()
            self._follow(strided.Forget(form)(before)._node)
        return self

    def _secure(self, result: Any, before: Any, oldest: int) -> None:
        """Let what the nodes between `before` and `result`, none older than `oldest`, keep survive the write.

        Kept inputs are copied, since their memory is written to; a kept output moves to that memory, so that a later
        write to it is noticed.
        """
        stack: list[Edge] = [result._node]
        seen: set[Node] = set()
        while stack:
            edge = stack.pop()
            node = edge.node if isinstance(edge, Output) else edge
            if not isinstance(node, Node) or node.number < oldest or node in seen:
                continue
            seen.add(node)
            stack += node.edges
            entries = getattr(node, "_kept", None) or ()
            for position, entry in enumerate(entries):
                value = entry[0] if type(entry) is tuple else entry
                if not isinstance(value, Tensor):
                    continue
                if value is before or value._base is before:
                    value._array = value._array.copy()
                elif value._array is result._array:
                    value._array = self._array
                    value._storage = storage_of(self)
                    node._kept = (*entries[:position], (value, value._storage.version + 1), *entries[position + 1 :])

    def _follow(self, node: Any) -> None:
        """Let `node` be the history of this tensor from now on; its base, and all views of that, follow."""
        base = self if self._base is None else self._base
        earlier = base._node
        if base is self:
            self._node, self._requires_grad = node, True
        else:
            layout = strided.layout_of(self._array, base._array)
            strided.Overwrite(layout).record((edge_to(base), node), (), base)
        keep_retaining(base, earlier)
        for reference, made_by in storage_of(self).views:
            view = reference()
            if view is not None and view._base is base:
                earlier = view._node
                strided.follow(view, base, made_by)
                keep_retaining(view, earlier)

    def _check_recordable(self, recorded: builtins.bool = False, source: Any = None) -> None:
        """Nothing if an in-place operation on this tensor, a part of `source`, is not `recorded` or can be.

        Else a RuntimeError.
        """
        base = self if self._base is None else self._base
        if not (recorded or (is_grad_enabled() and (self._requires_grad or base._requires_grad))):
            return
        tensors = (self, self if source is None else source)
        if any([each._node is None and each._requires_grad for each in (*tensors, base)]):
            remedy = "Write to a part of it under no_grad(): with torch.no_grad(): w[0] = value."
            if base is self and source is None:
                remedy = (
                    "Update it under no_grad(): with torch.no_grad(): w -= lr * w.grad. To add up a loss, start with "
                    "loss = 0."
                )
            raise RuntimeError(
                f"{'' if base is self else 'a view of '}a leaf Variable that requires grad is being used in an in-place"
                f" operation. {remedy}"
            )
        if base is not self:
            for reference, made_by in reversed(storage_of(self).views):
                view = reference() if made_by else None
                if any([view is each for each in tensors]):
                    raise RuntimeError(strided.refusal(made_by, "and is being modified inplace"))

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
