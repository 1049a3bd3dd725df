"""Hooks on gradients and on modules, and tensors that retain their gradients.

Imported when the first hook is registered: most programs have none.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from minigrad.autograd.function import Function
from minigrad.core import tape
from minigrad.core.modes import is_grad_enabled
from minigrad.core.tensor import Tensor

Hook: TypeAlias = Callable[..., Any]
Hooks: TypeAlias = dict[int, Hook]


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook off again, and so does the end of a `with` block."""

    _ids = itertools.count()

    def __init__(self, hooks: Hooks, hook: Hook) -> None:
        self.id = next(self._ids)
        self._hooks = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook off; nothing happens if it is off already."""
        self._hooks.pop(self.id, None)

    def __repr__(self) -> str:
        return f"<torch.utils.hooks.RemovableHandle object at {id(self):#x}>"

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Watch:
    """What is done when gradients arrive at a node: the object that the core calls as `node.watch`.

    `hooks`
        lists of hooks: by the number of an output, for its gradient; "before" and "after" the node's backward.
    `retained`
        the tensors that keep their gradient in `.grad`, by their number among the outputs.
    """

    __slots__ = ("hooks", "retained")

    def __init__(self) -> None:
        self.hooks: dict[int | str, Hooks] = {}
        self.retained: dict[int, weakref.ref[Tensor]] = {}

    def add(self, where: int | str, hook: Hook) -> RemovableHandle:
        """Call `hook` from now on."""
        return RemovableHandle(self.hooks.setdefault(where, {}), hook)

    def before(self, g: list[Tensor | None], retained: list[tuple[Tensor, Tensor]]) -> list[Tensor | None]:
        """The gradients of a node's outputs after the hooks, which may keep them.

        Tensors that retain their gradient are added to `retained`, with it.
        """
        for index, gradient in enumerate(g):
            if self.hooks.get(index):
                g[index] = run_hooks(self.hooks[index], gradient)
        for hook in list(self.hooks.get("before", {}).values()):
            g = replaced_by(hook, g, hook(tuple(g)))
        for index, reference in self.retained.items():
            tensor, gradient = reference(), g[index]
            if gradient is not None and tensor is not None:
                retained.append((tensor, gradient))
        return [each if each is None else unowned(each) for each in g] if self.hooks else g

    def after(self, gradients: Sequence[Tensor | None], g: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """The gradients of a node's inputs after its hooks."""
        hooks = list(self.hooks.get("after", {}).values())
        if hooks:
            gradients = [each if each is None else _own(each) for each in gradients]
        for hook in hooks:
            gradients = replaced_by(hook, gradients, hook(tuple(gradients), tuple(g)))
        return [each if each is None else unowned(each) for each in gradients] if hooks else gradients


def keep_retaining(x: Tensor, earlier: Any) -> None:
    """If `x` retained its gradient at `earlier`, its node before a write, let it do so at its node of now."""
    if earlier is None or earlier.node.watch is None:
        return
    retained, index = earlier.node.watch.retained, earlier.position
    if index in retained and retained[index]() is x:
        del retained[index]
        retain_at(x)


def retain_at(x: Tensor) -> None:
    """Let `x` keep its gradient in `.grad` when one arrives at the node that made it."""
    tape.watch_of(x._node.node).retained[x._node.position] = weakref.ref(x)


def leaf_hooks(leaf: Tensor, kind: str = "_backward_hooks") -> Hooks:
    """The dict of the hooks on a leaf, made when it is first asked for."""
    if not leaf._requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    tape.seams.run_leaf_hooks = run_leaf_hooks
    tape.seams.run_post_accumulate_grad_hooks = run_post_accumulate_grad_hooks
    hooks: Hooks = leaf.__dict__.setdefault(kind, {})
    return hooks


def unowned(gradient: Tensor) -> Tensor:
    """The gradient as a view, which hooks may keep: the walk adds nothing to a view in place."""
    return gradient if is_grad_enabled() or gradient.is_sparse else gradient._new(gradient._array.view())


def _own(gradient: Tensor) -> Tensor:
    """A copy of the gradient, which hooks may write into."""
    return gradient if is_grad_enabled() else gradient.clone()


def run_leaf_hooks(leaf: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of a leaf after its hooks have seen it; what they return replaces it."""
    hooks = leaf.__dict__.get("_backward_hooks")
    return unowned(run_hooks(hooks, _own(gradient))) if hooks else gradient


def run_post_accumulate_grad_hooks(leaf: Tensor) -> None:
    """Call the hooks of a leaf to whose `.grad` a backward pass has added."""
    hooks = leaf.__dict__.get("_post_accumulate_grad_hooks")
    for hook in list(hooks.values()) if hooks else ():
        returned = hook(leaf)
        # A hook that writes into the leaf may return it.
        if returned is not None and returned is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def run_hooks(hooks: Hooks, gradient: Any) -> Any:
    """The gradient, None if none arrived, after all hooks: each may return another one, of the same dtype and shape."""
    for hook in list(hooks.values()):
        result = hook(gradient)
        gradient = gradient if result is None else _replaced(hook, gradient, result)
    return gradient


def replaced_by(hook: Hook, gradients: Sequence[Tensor | None], result: object) -> list[Tensor | None]:
    """The gradients after a hook of a node has seen them all and returned `result`: a tuple of others, or None."""
    if result is None:
        return list(gradients)
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}': one gradient each, or None")
    if len(result) != len(gradients):
        counts = f"(got {len(result)}, but expected {len(gradients)})"
        raise RuntimeError(f"hook '{_name(hook)}' has returned an incorrect number of values {counts}")
    return [None if new is None else _replaced(hook, old, new) for old, new in zip(gradients, result, strict=True)]


def _replaced(hook: Hook, gradient: Tensor | None, result: object) -> Tensor:
    """What a hook returned in place of a gradient, checked."""
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if gradient is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if result.type() != gradient.type():
        types = f"(was {gradient.type()} got {result.type()})"
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value {types}")
    if result.shape != gradient.shape:
        sizes = f"from {gradient.shape} to {result.shape}"
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value: {sizes}")
    return result


def _name(hook: Hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


# ---- around a module's forward ---------------------------------------------------------------------------------------


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `module.forward` returns, with the module's hooks called before, after, and in the backward pass."""
    for hook in list(module._hooks.get("forward_pre", {}).values()):
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    hooks = module._hooks.get("full_backward")
    return _watched(module, list(hooks.values()), args, kwargs) if hooks else _forward(module, args, kwargs)


def _forward(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = module.forward(*args, **kwargs)
    for hook in list(module._hooks.get("forward", {}).values()):
        changed = hook(module, args, result)
        result = result if changed is None else changed
    return result


class BackwardHookFunction(Function):
    """The identity, whose node replaces the gradients of a module's inputs or outputs by `replaced(them)`."""

    @staticmethod
    def forward(ctx: Any, replaced: Hook, *values: Any) -> tuple[Any, ...]:
        ctx.replaced = replaced
        passed = tuple([x if _is_recorded(x) or not isinstance(x, Tensor) else x.detach() for x in values])
        ctx.mark_non_differentiable(*[x for x in passed if not _is_recorded(x)])
        return passed

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return None, *ctx.replaced(gradients)


def _is_recorded(x: object) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def _passed(values: tuple[Any, ...], replaced: Hook) -> tuple[tuple[Any, ...], Any]:
    """`values` after a node that replaces their gradients by `replaced(them)`, and that node; None if not recorded.

    The node refers to `replaced`, and not the other way round, so that there is no reference cycle.
    """
    if not (is_grad_enabled() and any(map(_is_recorded, values))):
        return values, None
    passed = BackwardHookFunction.apply(replaced, *values)
    node = next(filter(_is_recorded, passed)).grad_fn
    return passed if type(values) is tuple else type(values)(*passed), node


def _watched(module: Any, hooks: list[Hook], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `_forward` returns; in the backward pass the hooks are called with the gradients of both.

    The inputs and the outputs each pass a node of their own.  At that of the outputs, the first that a backward pass
    meets, their gradients are noted; at that of the inputs, the hooks are called with both.
    """
    grad_output: Any = None

    def called(grad_input: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs after all hooks, each of which may replace them."""
        nonlocal grad_output
        for hook in hooks if grad_output is not None else ():
            changed = hook(module, grad_input, grad_output)
            changed = changed if changed is None or isinstance(changed, tuple) else (changed,)
            if changed is not None and len(changed) != len(grad_input):
                counts = f"got {len(changed)}, but expected {len(grad_input)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {counts}")
            grad_input = tuple(replaced_by(hook, grad_input, changed))
        grad_output = None
        return grad_input

    def at_outputs(gradients: tuple[Any, ...]) -> None:
        nonlocal grad_output
        grad_output = gradients
        if start is None:
            # No gradients arrive at the inputs.
            called((None,) * len(args))

    passed, start = _passed(args, called)
    result = _forward(module, passed, kwargs)
    results, end = _passed(result if isinstance(result, tuple) else (result,), tuple)
    if end is not None:
        end.register_prehook(at_outputs)
    return results if isinstance(result, tuple) else results[0]
