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

    hooks = module._hooks.get("full_backward")
    return _watched(module, list(hooks.values()), args, kwargs) if hooks else _forward(module, args, kwargs)


def _forward(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(module._hooks.get("forward", {}).values()):
        changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if changed is None else changed
    return result


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


def _watched(module: Any, hooks: list[Callable[..., Any]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `_forward` returns; in the backward pass the hooks are called with the gradients of both.

    The inputs and the outputs each pass a node of their own.  At that of the outputs, the first that a backward pass
    meets, their gradients are noted; at that of the inputs, the hooks are called with both.
    """
    passed, start, inputs = _passed(args)
    # What hooks get where no gradients arrive: None, or zeros if gradients arrive at other inputs.
    idle = [x.new_zeros(()).expand(x.shape) if inputs and isinstance(x, Tensor) else None for x in args]
    grad_output: Any = None

    def called(grad_input: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs after all hooks, each of which may replace them."""
        for hook in hooks:
            changed = hook(module, grad_input, grad_output)
            if changed is not None:
                grad_input = changed if isinstance(changed, tuple) else (changed,)
        return grad_input

    def at_outputs(gradients: tuple[Any, ...]) -> None:
        nonlocal grad_output
        grad_output = _spread(gradients, outputs, [None] * count)
        # If no gradients arrive at the inputs, the hooks are called here.
        if not inputs and any([gradient is not None for gradient in called(tuple(idle))]):
            raise RuntimeError("Backward hook where no input requires gradient should always return None")

    def at_inputs(gradients: tuple[Any, ...], _: object) -> tuple[Any, ...] | None:
        nonlocal grad_output
        if grad_output is None:
            return None
        grad_input = called(_spread(gradients, inputs, idle))
        if len(grad_input) != len(idle):
            counts = f"got {len(grad_input)}, but expected {len(idle)}"
            raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {counts}")
        grad_output = None
        return tuple([grad_input[position] for position in inputs])

    if start is not None:
        start.register_hook(at_inputs)
    result = _forward(module, passed, kwargs)
    results, end, outputs = _passed(result if isinstance(result, tuple) else (result,))
    count = len(results)
    if end is not None:
        end.register_prehook(at_outputs)
    return results if isinstance(result, tuple) else results[0]
