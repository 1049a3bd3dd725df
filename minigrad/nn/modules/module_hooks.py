"""What happens around a module's `forward`: its hooks, which see the inputs, the outputs and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad.autograd.function import Function
from minigrad.core.modes import is_grad_enabled
from minigrad.tensor import Tensor


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `module.forward` returns, with the module's hooks called before, after, and in the backward pass."""
    for hook, with_kwargs in list(module._hooks.get("forward_pre", {}).values()):
        changed = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if changed is None:
            continue
        if not with_kwargs:
            args = changed if isinstance(changed, tuple) else (changed,)
        elif isinstance(changed, tuple) and len(changed) == 2:
            args, kwargs = changed
        else:
            raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs): {changed}")
    gradients = None
    if module._hooks.get("full_backward"):
        gradients = _BackwardHooks(module)
        args = gradients.watch_inputs(args)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(module._hooks.get("forward", {}).values()):
        changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if changed is None else changed
    return result if gradients is None else gradients.watch_outputs(result)


class BackwardHookFunction(Function):
    """Its inputs: a node in the graph, where the gradients of a module's inputs or outputs pass."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        return gradients


def _passed(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, list[int]]:
    """Values of which those that require gradients have passed a node; that node, or None; and their positions.

    The node's hooks know who asks, and not the other way round: memory goes when the last name goes.
    """
    positions = [i for i, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad and is_grad_enabled()]
    if not positions:
        return values, None, positions
    passed = BackwardHookFunction.apply(*[values[position] for position in positions])
    changed = _spread(passed, positions, values)
    return changed if type(values) is tuple else type(values)(*changed), passed[0].grad_fn, positions


def _spread(found: tuple[Any, ...], positions: list[int], others: Sequence[Any]) -> tuple[Any, ...]:
    """What was found, each at its position; at all other positions, `others`."""
    spread = list(others)
    for position, each in zip(positions, found, strict=True):
        spread[position] = each
    return tuple(spread)


class _BackwardHooks:
    """The hooks on the gradients of one call of a module.

    The call's inputs and outputs each pass a node of their own.  At that of the outputs, the first that a backward
    pass meets, it learns the gradients of the outputs; at that of the inputs, it calls the hooks with both.
    """

    def __init__(self, module: Any) -> None:
        self.module = module
        self.hooks: list[Callable[..., Any]] = list(module._hooks["full_backward"].values())
        self.grad_output: tuple[Any, ...] | None = None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs of the call, past a node that knows their gradients."""
        passed, node, self.inputs = _passed(args)
        #: What hooks get where no gradients arrive: None, or zeros for inputs that require none.
        self.idle: list[Any] = [None] * len(args)
        if node is not None:
            node.register_hook(self._at_inputs)
            for position, x in enumerate(args):
                if isinstance(x, Tensor) and not x.requires_grad:
                    self.idle[position] = x.new_zeros(()).expand(x.shape)
        return passed

    def watch_outputs(self, result: object) -> Any:
        """The outputs of the call, past a node that knows their gradients."""
        results = result if isinstance(result, tuple) else (result,)
        passed, node, self.outputs = _passed(results)
        self.count = len(results)
        if node is not None:
            node.register_prehook(self._at_outputs)
        return passed if isinstance(result, tuple) else passed[0]

    def _at_outputs(self, gradients: tuple[Any, ...]) -> None:
        self.grad_output = _spread(gradients, self.outputs, [None] * self.count)
        if not self.inputs:
            # No gradients arrive at the inputs: the hooks are called here.
            for hook in self.hooks:
                changed = hook(self.module, tuple(self.idle), self.grad_output)
                if changed is not None and not (isinstance(changed, tuple) and all([g is None for g in changed])):
                    raise RuntimeError("Backward hook where no input requires gradient should always return None")

    def _at_inputs(self, gradients: tuple[Any, ...], _: object) -> tuple[Any, ...] | None:
        if self.grad_output is None:
            return None
        grad_input = _spread(gradients, self.inputs, self.idle)
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            if changed is None:
                continue
            changed = changed if isinstance(changed, tuple) else (changed,)
            if len(changed) != len(grad_input):
                counts = f"got {len(changed)}, but expected {len(grad_input)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {counts}")
            grad_input = changed
        self.grad_output = None
        return tuple([grad_input[position] for position in self.inputs])
