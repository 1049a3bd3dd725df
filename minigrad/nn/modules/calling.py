"""What happens around a module's `forward`: its hooks, which see the inputs, the outputs and their gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.autograd.function import Function
from minigrad.core.modes import is_grad_enabled
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.nn.modules.module import Module


class ForwardHook(NamedTuple):
    """A function to call before or after `forward`, and how."""

    function: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `module.forward` returns, with the module's hooks called before, after, and in the backward pass."""
    result = None
    called: set[int] = set()
    after: dict[int, ForwardHook] = module._hooks.get("forward", {})
    try:
        for before in list(module._hooks.get("forward_pre", {}).values()):
            args, kwargs = _inputs_after(before, module, args, kwargs)
        gradients = _BackwardHooks(module) if _wants_gradients(module) else None
        if gradients is not None:
            args = gradients.watch_inputs(args)
        result = module.forward(*args, **kwargs)
        for key, hook in list(after.items()):
            called.add(key)
            result = _output_after(hook, module, args, kwargs, result)
        return result if gradients is None else gradients.watch_outputs(result)
    except Exception:
        for key, hook in list(after.items()):
            if hook.always_call and key not in called:
                try:
                    result = _output_after(hook, module, args, kwargs, result)
                except Exception as error:
                    warnings.warn(
                        "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}",
                        stacklevel=3,
                    )
        raise


def _inputs_after(
    hook: ForwardHook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not hook.with_kwargs:
        changed = hook.function(module, args)
        return args if changed is None else changed if isinstance(changed, tuple) else (changed,), kwargs
    changed = hook.function(module, args, kwargs)
    if changed is None:
        return args, kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    return changed


def _output_after(hook: ForwardHook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    given = (args, kwargs) if hook.with_kwargs else (args,)
    changed = hook.function(module, *given, result)
    return result if changed is None else changed


def _wants_gradients(module: Module) -> bool:
    return bool(module._hooks.get("full_backward") or module._hooks.get("full_backward_pre"))


class BackwardHookFunction(Function):
    """Its inputs: a node in the graph, where the gradients of a module's inputs or outputs pass."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        return gradients


class _BackwardHooks:
    """The hooks on the gradients of one call of a module.

    The call's inputs and outputs each pass a node of their own.  At that of the outputs, the first that a backward
    pass meets, it learns the gradients of the outputs; at that of the inputs, it calls the hooks with both.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.before: list[Callable[..., Any]] = list(module._hooks.get("full_backward_pre", {}).values())
        self.hooks: list[Callable[..., Any]] = list(module._hooks.get("full_backward", {}).values())
        self.grad_output: tuple[Any, ...] | None = None
        #: What hooks get where no gradients arrive: None, or zeros for inputs that require none.
        self.idle_inputs: list[Any] = []
        self.idle_outputs: list[Any] = []
        #: The positions of the inputs and the outputs that gradients arrive for.
        self.inputs: list[int] = []
        self.outputs: list[int] = []

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs of the call, past a node that knows their gradients."""
        passed, self.inputs, node = _past_node(args)
        self.idle_inputs = [None] * len(args)
        if node is not None:
            node.register_hook(self._at_inputs)
            for position, x in enumerate(args):
                if isinstance(x, Tensor) and not x.requires_grad:
                    self.idle_inputs[position] = x.new_zeros(()).expand(x.shape)
        return passed

    def watch_outputs(self, result: Any) -> Any:
        """The outputs of the call, past a node that knows their gradients."""
        outputs = result if isinstance(result, tuple) else (result,)
        passed, self.outputs, node = _past_node(outputs)
        self.idle_outputs = [None] * len(outputs)
        if node is not None:
            node.register_prehook(self._at_outputs)
        return passed if isinstance(result, tuple) else passed[0]

    def _at_outputs(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        self.grad_output = _spread(gradients, self.outputs, self.idle_outputs)
        for hook in self.before:
            changed = hook(self.module, self.grad_output)
            if changed is not None:
                self.grad_output = _checked(changed, self.grad_output, "pre hook", "grad_output")
        passed = self.grad_output
        if not self.inputs:
            # No gradients arrive at the inputs: the hooks are called here.
            for hook in self.hooks:
                changed = hook(self.module, tuple(self.idle_inputs), self.grad_output)
                if changed is not None and not (isinstance(changed, tuple) and all([g is None for g in changed])):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_output = None
        return tuple([passed[position] for position in self.outputs])

    def _at_inputs(self, gradients: tuple[Any, ...], _: Any) -> tuple[Any, ...] | None:
        if self.grad_output is None:
            return None
        grad_input = _spread(gradients, self.inputs, self.idle_inputs)
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            if changed is not None:
                grad_input = _checked(changed, grad_input, "hook", "grad_input")
        self.grad_output = None
        return tuple([grad_input[position] for position in self.inputs])


def _past_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
    """The values, those that require gradients past a node; their positions; the node."""
    positions = [i for i, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad and is_grad_enabled()]
    if not positions:
        return values, [], None
    passed = list(values)
    for position, tensor in zip(positions, BackwardHookFunction.apply(*[values[i] for i in positions]), strict=True):
        passed[position] = tensor
    return tuple(passed), positions, passed[positions[0]].grad_fn


def _spread(gradients: tuple[Any, ...], positions: list[int], idle: list[Any]) -> tuple[Any, ...]:
    """The gradients at their positions, what is in `idle` at the others."""
    spread = list(idle)
    for position, gradient in zip(positions, gradients, strict=True):
        spread[position] = gradient
    return tuple(spread)


def _checked(changed: Any, wanted: tuple[Any, ...], hook: str, what: str) -> tuple[Any, ...]:
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(wanted):
        raise RuntimeError(
            f"Backward {hook} returned an invalid number of {what}, got {len(changed)}, but expected {len(wanted)}"
        )
    return changed
