"""`Module`: parameters and the computation that uses them, under one name."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from minigrad import tensors
from minigrad.core.modes import no_grad
from minigrad.nn.parameter import Parameter, Uninitialized, forget_gradients
from minigrad.tensor import Tensor
from minigrad.tensors.creation import new_leaf
from minigrad.tensors.devices import device as Device

__all__ = ["Module"]


#: What registering a hook returns.
Handle: TypeAlias = "tensors.hooks.RemovableHandle"


class _Kind(NamedTuple):
    """A kind of attribute that modules register: parameters, buffers or modules."""

    registry: str
    name: str
    #: The class whose instances are registered when they are assigned.
    at_sight: type[Any] | tuple[()]
    #: The class of what may be assigned to a name that is registered, besides None; and the same in words.
    allowed: type[Any]
    wanted: str
    #: What to do instead of assigning something else.
    remedy: str


class LoadResult(NamedTuple):
    """Which keys `load_state_dict` missed, and which it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Module:
    """A computation with parameters; a subclass assigns them in `__init__` and computes in `forward`.

    Parameters, buffers and modules that are assigned as attributes are registered under the attribute's name.  Layers
    that do something else in training, such as dropout, ask for `training`, which `train()` and `eval()` set.

    >>> import minigrad as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(torch.tensor([1.0, 3.0]))
    tensor([2., 6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in Scale().named_parameters()]
    ['factor']
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Module | None]
    #: By kind, "forward_pre", "forward" or "full_backward", in the order of the calls.
    _hooks: dict[str, dict[int, Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if getattr(cls, "call_super_init", False):
            raise NotImplementedError("call_super_init: call the other class's own, Other.__init__(self, …), as well")
        # Each layer of this package has its own copy of an inherited function, so that Python's errors name the layer.
        for name in ("__init__", "forward"):
            made: Any = getattr(cls, name)
            own_module = name not in vars(cls) and cls.__module__.startswith("minigrad.nn.")
            if own_module and made is not getattr(Module, name):
                own = FunctionType(made.__code__, made.__globals__, name, made.__defaults__, made.__closure__)
                setattr(cls, name, functools.update_wrapper(own, made))
                own.__kwdefaults__, own.__qualname__ = made.__kwdefaults__, f"{cls.__name__}.{name}"

    def __init__(self) -> None:
        # Past __setattr__, which looks for names among them.
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={}, _hooks={}
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; a subclass defines it, and a call of the module runs it."""
        remedy = "define forward(self, …), in this spelling and in the class itself"
        if hasattr(self, "__iter__"):
            remedy = "its modules are called one by one, for layer in layers: x = layer(x), or put into nn.Sequential"
        name = type(self).__name__
        raise NotImplementedError(f'Module [{name}] is missing the required "forward" function: {remedy}')

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return tensors.hooks.call_with_hooks(self, args, kwargs) if self._hooks else self.forward(*args, **kwargs)

    # ---- registration --------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None in its place: as the assignment of an attribute does."""
        self._register(_PARAMETER, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not learned but moves with the module and, if `persistent`, is in its `state_dict`.

        >>> import minigrad as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mask", torch.ones(2, 2).tril())
        >>> module.mask
        tensor([[1., 0.],
                [1., 1.]])
        """
        self._register(_BUFFER, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module: as the assignment of an attribute does, but under any name without a dot."""
        if module is not None and not isinstance(module, Module):
            raise not_a_module(module)
        self._register(_MODULE, name, module)

    def _register(self, kind: _Kind, name: str, value: object) -> None:
        """Register `value` under a name that the module does not use for anything else."""
        if kind.registry not in self.__dict__:
            raise _too_early(kind.name)
        if not isinstance(name, str):
            raise TypeError(f"{kind.name} name should be a string. Got {type_name(name)}")
        if "." in name or name == "":
            raise KeyError(f"{kind.name} name can't contain \".\" and can't be empty, got: {name!r}")
        # (hasattr(self, name) would look for advice on a missing name.)
        known = (self.__dict__, self._parameters, self._buffers, self._modules, *map(vars, type(self).__mro__))
        if name not in self.__dict__[kind.registry] and any([name in each for each in known]):
            raise KeyError(f"attribute '{name}' already exists")
        self._enter(kind, name, value)

    def _enter(self, kind: _Kind, name: str, value: object) -> None:
        """Enter `value` in the registry of its kind; a TypeError if it is not of this kind."""
        if value is not None and not isinstance(value, kind.allowed):
            held = "child module" if kind is _MODULE else kind.name
            problem = f"cannot assign '{type_name(value)}' as {held} '{name}' ({kind.wanted} expected)"
            raise TypeError(f"{problem}: {kind.remedy}")
        self.__dict__[kind.registry][name] = value

    def __setattr__(self, name: str, value: object) -> None:
        for kind in _KINDS:
            registry, at_sight = self.__dict__.get(kind.registry), isinstance(value, kind.at_sight)
            if at_sight or (registry is not None and name in registry):
                break
        else:
            super().__setattr__(name, value)
            return
        if registry is None:
            raise _too_early("parameters" if kind is _PARAMETER else kind.name)
        if name not in registry:
            self._forget(name)
        put = self._register if at_sight and kind is _PARAMETER else self._enter
        put(kind, name, value)

    def __getattr__(self, name: str) -> Any:
        # Python calls this only if there is no ordinary attribute.
        own = self.__dict__
        for kind in _KINDS:
            registry = own.get(kind.registry)
            if registry and name in registry:
                return registry[name]
        told = "" if name.startswith("_") else tensors.failures.advice("minigrad.nn.Module", name)
        if "_modules" not in self.__dict__:
            told = ": begin __init__ with super().__init__()"
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{told}")

    def __delattr__(self, name: str) -> None:
        if not self._forget(name):
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        return sorted([name for name in names if not name[0].isdigit()])

    def _forget(self, name: str) -> bool:
        """Remove the attribute or registered value `name`; whether there was one."""
        registries = (self.__dict__, self._parameters, self._buffers, self._modules)
        self._non_persistent_buffers_set.discard(name)
        return any([registry.pop(name, self) is not self for registry in registries])

    # ---- what is inside ------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, with their paths: '', 'decoder', 'decoder.0'; each once, if `remove_duplicate`.

        Those in the set `memo` are left out, and what is found is added to it.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _path(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it; each once, if `remove_duplicate`."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are attributes of this one, each once, with their names."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that are attributes of this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths; each once, under its first path.

        >>> import minigrad as torch
        >>> [(name, p.shape) for name, p in torch.nn.Linear(4, 3).named_parameters()]
        [('weight', torch.Size([3, 4])), ('bias', torch.Size([3]))]
        """
        return self._named_members(_PARAMETER, prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once.

        >>> import minigrad as torch
        >>> sum([p.numel() for p in torch.nn.Linear(4, 3).parameters()])
        15
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths; each once, under its first path."""
        return self._named_members(_BUFFER, prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named_members(self, kind: _Kind, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, member in getattr(module, kind.registry).items():
                if member is not None and member not in seen:
                    seen.add(member)
                    yield _path(path, name), member

    # ---- modes, types and gradients ------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """This module, after `fn` was called with each module below it, and then with it.

        >>> import minigrad as torch
        >>> def start(module):
        ...     if isinstance(module, torch.nn.Linear):
        ...         torch.nn.init.ones_(module.weight)
        >>> torch.nn.Sequential(torch.nn.Linear(1, 2, bias=False)).apply(start)[0].weight.tolist()
        [[1.0], [1.0]]
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """This module, with `training` set to `mode` on it and on all below it."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {type(mode).__name__}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """This module, with `training` set to False on it and on all below it.

        >>> import minigrad as torch
        >>> dropout = torch.nn.Dropout().eval()
        >>> dropout.training, dropout(torch.ones(2))
        (False, tensor([1., 1.]))
        """
        return self.train(False)

    def to(self, *args: object, **kwargs: object) -> Self:
        """This module, whose floating-point parameters and buffers are now as `Tensor.to` makes them.

        The parameters stay the same objects, with other values.  Errors: TypeError for an integer dtype.
        """
        wanted = new_leaf(np.empty(0, np.float32)).to(*args, **kwargs)
        if not wanted.is_floating_point():
            problem = "nn.Module.to only accepts floating point or complex dtypes"
            raise TypeError(f"{problem}, but got desired dtype={wanted.dtype!r}")
        return self._apply(lambda x: x.to(*args, **kwargs) if x.is_floating_point() else x)

    def float(self) -> Self:
        """This module, whose floating-point parameters and buffers are now float32."""
        return self._apply(lambda x: x.float() if x.is_floating_point() else x)

    def double(self) -> Self:
        """This module, whose floating-point parameters and buffers are now float64."""
        return self._apply(lambda x: x.double() if x.is_floating_point() else x)

    def half(self) -> Self:
        """This module, whose floating-point parameters and buffers are now float16."""
        return self._apply(lambda x: x.half() if x.is_floating_point() else x)

    def bfloat16(self) -> Self:
        """This module, whose floating-point parameters and buffers are now bfloat16."""
        return self._apply(lambda x: x.bfloat16() if x.is_floating_point() else x)

    def type(self, dst_type: object) -> Self:
        """This module, whose parameters and buffers, also of integers, are now of `dst_type`."""
        return self._apply(lambda x: x.type(dst_type))

    def cpu(self) -> Self:
        """This module, which is on the CPU."""
        return self

    def cuda(self, device: Device | str | int | None = None) -> Self:
        """An error, as `to("cuda")`, if there are parameters or buffers: tensors are on the CPU."""
        return self._apply(lambda x: x.cuda(device))

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """This module, with each parameter, gradient and buffer x replaced by `fn(x)`."""
        for module in self.children():
            module._apply(fn)
        with no_grad():
            for parameter in self.parameters(recurse=False):
                grad = parameter.grad
                parameter.data = fn(parameter.data)
                if grad is not None:
                    parameter.grad = fn(grad)
        for name, buffer in self._buffers.items():
            if isinstance(buffer, Uninitialized):
                buffer.data = fn(buffer.data)
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """This module, whose parameters from now on require gradients (or not)."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        forget_gradients(self.parameters(), set_to_none)

    # ---- hooks ---------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, args)` before `forward`; what it returns, unless None, takes the place of the arguments.

        Hooks are called in the order in which they were registered.  They do not get arguments that are given by name.
        """
        return self._add_hook("forward_pre", hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, args, output)` after `forward`; what it returns, unless None, is the output.

        >>> import minigrad as torch
        >>> layer = torch.nn.Linear(2, 3)
        >>> with layer.register_forward_hook(lambda module, args, output: print(output.shape)):
        ...     _ = layer(torch.ones(4, 2))
        torch.Size([4, 3])
        """
        return self._add_hook("forward", hook)

    def register_full_backward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, grad_input, grad_output)` once the gradients of the inputs of a call are known.

        Both are tuples with None for what has no gradient; what the hook returns, unless None, takes the place of
        `grad_input`.
        """
        return self._add_hook("full_backward", hook)

    def _add_hook(self, kind: str, hook: Any) -> Handle:
        return tensors.hooks.RemovableHandle(self._hooks.setdefault(kind, {}), hook)

    # ---- state ---------------------------------------------------------------------------------------------------

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """The parameters and persistent buffers by path, detached: on the same storage as the module's own.

        With `keep_vars` they are themselves; with `destination` they are added to that dict.

        >>> import minigrad as torch
        >>> torch.nn.Linear(2, 1).state_dict().keys()
        odict_keys(['weight', 'bias'])
        """
        found: Any = OrderedDict() if destination is None else destination
        for name, member in _persistent(self).items():
            found[prefix + name] = member if keep_vars else member.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> LoadResult:
        """Copy the tensors of `state_dict` into the parameters and persistent buffers of the same paths.

        With `strict`, each path must be in both.  Errors: RuntimeError that lists all missing and unexpected keys and
        all shapes that differ; then nothing has changed.
        """
        if assign:
            raise NotImplementedError("assign=True is not here: values are copied; layer.weight = nn.Parameter(x)")
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}: pass module.state_dict()")
        known, missing = set(), []
        problems: list[str] = []
        writes: list[tuple[Tensor, Any]] = []
        for path, owner in self.named_modules(remove_duplicate=False):
            for name, member in _persistent(owner).items():
                key = _path(path, name)
                known.add(key)
                if key in state_dict:
                    given = state_dict[key]
                    problems += _problem(member, key, given)
                    writes.append((member, given))
                else:
                    missing.append(key)
        unexpected = [key for key in state_dict if key not in known]
        quoted = '", "'
        for kind, paths in (("Unexpected", unexpected), ("Missing", missing)):
            if strict and paths:
                problems.insert(0, f'{kind} key(s) in state_dict: "{quoted.join(paths)}". ')
        if strict and unexpected:
            problems += _remedies(state_dict, missing, unexpected)
        if problems:
            lines = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        with no_grad():
            for member, given in writes:
                if not isinstance(given, Uninitialized):
                    (member.become if isinstance(member, Uninitialized) else member.copy_)(given)
        return LoadResult(missing, unexpected)

    def compile(self, *args: object, **kwargs: object) -> None:
        """Do nothing: there is no compiler, and PyTorch's changes no result."""

    # ---- printed form --------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What a module's printed form says between its parentheses; a subclass defines it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        return printed(self._get_name(), extra.split("\n") if extra else [], children)


_WRITE = "make it one, or write into the one that is there under no_grad()"
_FREE = "that is the name of a layer: choose another, or free it by del"
_PARAMETER = _Kind("_parameters", "parameter", Parameter, Parameter, "torch.nn.Parameter or None", _WRITE)
_MODULE = _Kind("_modules", "module", Module, Module, "torch.nn.Module or None", _FREE)
_BUFFER = _Kind("_buffers", "buffer", (), Tensor, "torch.Tensor or None", _WRITE)
_KINDS = (_PARAMETER, _MODULE, _BUFFER)


def type_name(value: object) -> str:
    """What messages call the type of a value: "int", "torch.FloatTensor"."""
    return value.type() if isinstance(value, Tensor) else type(value).__name__


def indented(text: str) -> str:
    """The text with all lines but the first moved to the right."""
    return text.replace("\n", "\n  ")


def printed(name: str, extra: list[str], children: list[str]) -> str:
    """A module's printed form: on one line if it has no children and says no more than fits there."""
    if not children and len(extra) <= 1:
        return f"{name}({''.join(extra)})"
    return f"{name}(\n  " + "\n  ".join([*extra, *children]) + "\n)"


def non_default(options: Mapping[str, object], **usual: object) -> str:
    """The options that differ from the usual values, as a printed form shows them behind the others."""
    told = [f", {name}={options[name]}" for name, common in usual.items() if options.get(name, common) != common]
    return "".join(told)


def _too_early(what: str) -> AttributeError:
    return AttributeError(f"cannot assign {what} before Module.__init__() call: begin __init__ with super().__init__()")


def not_a_module(given: object) -> TypeError:
    """The error for something else where a module is wanted."""
    name = getattr(given, "__name__", type_name(given))
    if isinstance(given, type):
        remedy = f"it is a class, and an instance is wanted, {name}()"
    elif callable(given):
        remedy = "it is a function: call it in forward, or give the layer of that name, such as nn.ReLU()"
    elif isinstance(given, (list, tuple)):
        remedy = "its elements are given as arguments, nn.Sequential(*layers)"
    else:
        remedy = "give an instance of nn.Module"
    return TypeError(f"{name} is not a Module subclass: {remedy}")


def _path(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


# ---- a state, read and written ---------------------------------------------------------------------------------------

_TURNED = " It is transposed: a table is (num_embeddings, embedding_dim), a linear weight (out_features, in_features)."


def _persistent(module: Module) -> dict[str, Tensor]:
    """The module's own parameters and buffers that a state dict holds."""
    for own in ("get_extra_state", "_save_to_state_dict", "_load_from_state_dict"):
        if hasattr(type(module), own):
            remedy = "register_buffer(name, tensor) adds to the state, and keys are renamed before it is loaded"
            raise NotImplementedError(f"{type(module).__name__}.{own}() is not called here: {remedy}")
    buffers = {name: x for name, x in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: x for name, x in (module._parameters | buffers).items() if x is not None}


def _problem(member: Tensor, key: str, given: Any) -> list[str]:
    """Why `given` cannot be the value of a parameter or buffer: a list of one message, or empty."""
    copying = f'While copying the parameter named "{key}"'
    if not isinstance(given, Tensor) or given.is_sparse:
        return [f"{copying}, expected torch.Tensor or Tensor-like object from checkpoint but received {type(given)}"]
    if isinstance(member, Uninitialized):
        return []
    if given.shape != member.shape:
        shapes = f"a param with shape {given.shape} from checkpoint, the shape in current model is {member.shape}."
        hint = _TURNED if given.ndim == 2 and given.shape == member.shape[::-1] else ""
        return [f"size mismatch for {key}: copying {shapes}{hint}"]
    return [] if member._array.flags.writeable else [f"{copying}: expanded or read-only; clone() it first"]


def _remedies(state_dict: Mapping[str, Any], missing: list[str], unexpected: list[str]) -> list[str]:
    """What to do if keys were not expected: if a whole checkpoint was given, or the state of a wrapped module."""
    for key in unexpected:
        inner = state_dict.get(key)
        if isinstance(inner, Mapping) and inner.keys() & {*missing}:
            return [f'The entry "{key}" is a dict of these keys: load_state_dict(checkpoint["{key}"]).']
    before = [unexpected[0].removesuffix(path) for path in missing if unexpected[0].endswith(f".{path}")]
    if before and all([path.startswith(before[0]) for path in unexpected]):
        stripped = f"{{key.removeprefix({before[0]!r}): value for key, value in state_dict.items()}}"
        return [f'The keys begin with "{before[0]}", as those of a wrapped module do: load {stripped}.']
    return []
