"""`Function`: an operation whose forward and backward pass a user writes, with PyTorch's signatures."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from minigrad import tensors
from minigrad.core.modes import current, no_grad
from minigrad.core.tape import Kept, Output, Several, edge_to, entry_of, output_entry, released, unpack_saved
from minigrad.core.tensor import Size, Tensor, share_storage


class FunctionCtx:
    """The `ctx` by which `forward` passes on to `backward`: saved tensors, marks on outputs, any attributes."""

    needs_input_grad: tuple[bool, ...] = ()
    """For each argument of `forward`, whether it is a tensor that requires a gradient."""

    def __init__(self, node: FunctionNode) -> None:
        self._node = weakref.ref(node)
        self._to_save: tuple[Tensor | None, ...] = ()
        self._saved: tuple[tuple[Kept, int | None], ...] | None = ()
        self._non_differentiable: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, outputs or other tensors, or None, for `saved_tensors`; later writes to them are noticed."""
        for position, each in enumerate(tensors):
            if each is not None and not isinstance(each, Tensor):
                kind = type(each).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {position} is of type {kind}")
        self._to_save = tensors

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """These outputs do not require gradients."""
        self._non_differentiable = outputs

    def mark_dirty(self, *inputs: Tensor) -> NoReturn:
        """A NotImplementedError: a Function leaves its inputs as they are."""
        raise NotImplementedError("mark_dirty: forward has to return new tensors: y = x.clone(), and write to y")

    def set_materialize_grads(self, value: bool) -> NoReturn:
        """A NotImplementedError: `backward` gets zeros for an output that no gradient arrived for."""
        raise NotImplementedError("set_materialize_grads: backward gets zeros where no gradient arrived, never None")

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to `save_for_backward`, checked to be as they were."""
        node = self._node()
        if self._saved is None:
            raise released(node)
        tensors: list[Any] = []
        for entry, output in self._saved:
            value = unpack_saved(entry, node)
            if output is not None and node is not None:
                alias, value = value, value._new(value._array, Output((node, output)))
                value._requires_grad, value._storage = True, alias._storage
            tensors.append(value)
        return tuple(tensors)


class FunctionNode(Several):
    """The node of a call of a user's Function."""

    is_written_by_users = True
    ctx: FunctionCtx
    #: For each argument a tensor of the same shape and dtype, without memory of its own; None if it is no tensor.
    inputs: list[Tensor | None]
    #: The same for each output.
    outputs: list[Tensor | None]

    def __init__(self, function: type[Function]) -> None:
        self.function = function
        self.ctx = FunctionCtx(self)

    def __getattr__(self, name: str) -> Any:
        # In PyTorch, ctx is the node itself: so the attributes of ctx are found here as well.
        return getattr(object.__getattribute__(self, "ctx"), name)

    def name(self) -> str:
        return f"{self.function.__name__}Backward"

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"

    def backward(self, g: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        g = [
            gradient if gradient is not None or like is None else like._new(np.zeros_like(like._array))
            for gradient, like in zip(g, self.outputs, strict=True)
        ]
        returned = self.function.backward(self.ctx, *g)
        gradients = list(returned) if isinstance(returned, tuple) else [returned]
        while len(gradients) > len(self.inputs) and gradients[-1] is None:
            gradients.pop()
        got, wanted = len(gradients), len(self.inputs)
        if got != wanted:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients: {got}, not {wanted}")
        found: list[Tensor | None] = []
        for position, (gradient, like) in enumerate(zip(gradients, self.inputs, strict=True)):
            if like is not None:
                needed = self.edges[len(found)] is not None
                found.append(None if gradient is None or not needed else self._checked(gradient, like, len(found)))
            elif gradient is not None:
                name, place = self.name(), position + 1
                raise RuntimeError(f"function {name} returned a gradient different from None at position {place}")
        return found

    def _checked(self, gradient: object, like: Tensor, position: int) -> Tensor:
        """A gradient in the shape and dtype of its input, as a view, to which the walk adds nothing in place."""
        if not isinstance(gradient, Tensor):
            kind = type(gradient).__name__
            raise RuntimeError(f"expected Variable or None (got {kind}) as gradient {position} of {self.name()}")
        wanted, got = like._array.shape, tuple(gradient.shape)
        if got != wanted:
            # As in PyTorch, a gradient of the shape that the input was broadcast to is summed.
            try:
                gradient = gradient.sum_to_size(Size(wanted))
            except RuntimeError:
                shapes = f"got {list(got)} but expected shape compatible with {list(wanted)}"
                problem = f"Function {self.name()} returned an invalid gradient at index {position}"
                raise RuntimeError(f"{problem} - {shapes}") from None
        return tensors.hooks.unowned(gradient.to(like.dtype))

    def release(self) -> None:
        self.ctx._saved = None


class Function:
    """An operation of one's own: subclass it, and call it with `apply`.

    `forward(ctx, *args)` computes with tensors, unrecorded, and keeps in `ctx` what `backward(ctx, *gradients)` reads,
    which gets one gradient per output and returns one per argument.  Or `forward(*args)` only computes, and
    `setup_context(ctx, inputs, output)` keeps.  Written in tensor operations, `backward` can be differentiated itself.

    >>> import minigrad as torch
    >>> class Cube(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x**2
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> y = Cube.apply(x)
    >>> y.backward()
    >>> y, x.grad
    (tensor(8., grad_fn=<CubeBackward>), tensor(12.))
    """

    def __new__(cls, *args: Any) -> Any:
        """An error: a Function has no instances, and is called by `apply`."""
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated: call its apply(…)")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The outputs, a tensor or a tuple."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep in `ctx` what backward reads, if `forward` does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments of `forward`, given those of its outputs."""
        raise NotImplementedError("You must implement either the backward or vjp method: here its name is backward")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """What `forward` returns for these arguments, recorded if one of them is a tensor that requires a gradient."""
        node = FunctionNode(cls)
        ctx = node.ctx
        has_setup = cls.setup_context is not Function.setup_context
        if cls.backward is not Function.backward and hasattr(cls, "vjp"):
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed: backward")
        first: tuple[Any, ...] = () if has_setup else (ctx,)
        if kwargs or (has_setup and getattr(cls.forward, "__defaults__", True)):
            bound = inspect.signature(cls.forward).bind(*first, *args, **kwargs)
            if has_setup:
                # It gets all arguments of forward, also those left out.
                bound.apply_defaults()
            args, kwargs = bound.args[len(first) :], bound.kwargs
        ctx.needs_input_grad = tuple([isinstance(x, Tensor) and x._requires_grad for x in args])
        with no_grad():
            returned = cls.forward(*first, *args, **kwargs)
            if has_setup:
                cls.setup_context(ctx, args, returned)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        recorded = current.enabled and any(ctx.needs_input_grad)
        wrapped = [_wrapped(output, args, node, recorded) for output in outputs]
        if recorded:
            _record(node, args, wrapped)
        # From now on they lead to the node, which must not hold them: that would be a reference cycle.
        ctx._non_differentiable = ()
        return tuple(wrapped) if isinstance(returned, tuple) else wrapped[0]


def _wrapped(output: object, args: tuple[object, ...], node: FunctionNode, recorded: bool) -> object:
    """An output as the tensor that `apply` returns, which can be given a history."""
    if not isinstance(output, Tensor):
        return output
    if _among(output, args):
        alias = output._new(output._array)
        # A write to it would bypass the backward of this function.
        share_storage(output, alias, node.name() if recorded else "")
        return alias
    if output._node is not None:
        return output.detach()
    return output


def _record(node: FunctionNode, args: tuple[object, ...], outputs: list[object]) -> None:
    """Let `node` be the history of the differentiable ones of `outputs`, and keep what `forward` asked for."""
    ctx = node.ctx
    tensors = tuple([x for x in args if isinstance(x, Tensor)])
    node.inputs = [_like(x) for x in args]
    node.outputs = [_like(x) for x in outputs]
    fresh = [
        x if isinstance(x, Tensor) and x.is_floating_point() and not _among(x, ctx._non_differentiable) else None
        for x in outputs
    ]
    node.record(tuple([edge_to(x) for x in tensors]), tensors, fresh)
    saved: list[tuple[Kept, int | None]] = []
    for x in ctx._to_save:
        places = [position for position, output in enumerate(fresh) if output is x]
        # Held by its own node, an output would be a reference cycle.
        saved.append((output_entry(x), places[0]) if x is not None and places else (entry_of(x), None))
    ctx._saved, ctx._to_save = tuple(saved), ()


def _among(x: object, others: Sequence[object]) -> bool:
    """Whether `x` itself is one of these: tensors that are equal are not the same."""
    return any([x is other for other in others])


def _like(x: object) -> Tensor | None:
    """A tensor of the shape and dtype of `x` that needs no memory; None for what is not a tensor."""
    if not isinstance(x, Tensor):
        return None
    return x._new(np.broadcast_to(np.zeros((), x._array.dtype), x._array.shape))


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """`backward` of a Function, which computes without being recorded: with `create_graph` it is an error.

    >>> import minigrad as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, g):
    ...         return torch.from_numpy(g.numpy() * 2)
    >>> x = torch.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    @functools.wraps(backward)
    def call(ctx: Any, *gradients: Any) -> Any:
        if current.enabled and any([isinstance(g, Tensor) and g._requires_grad for g in gradients]):
            raise RuntimeError("create_graph=True cannot record a @once_differentiable backward: take the mark away")
        with no_grad():
            return backward(ctx, *gradients)

    return call
