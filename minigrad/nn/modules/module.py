"""`Module`: parameters and the computation that uses them, under one name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from minigrad.autograd.grad_mode import no_grad
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor


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

    Parameters and modules that are assigned as attributes are registered under the attribute's name.

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
    _modules: dict[str, Module | None]

    def __init__(self) -> None:
        super().__setattr__("training", True)
        super().__setattr__("_parameters", {})
        super().__setattr__("_modules", {})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; a subclass defines it, and a call of the module runs it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    # ---- registration --------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        for registry_name, kind, member in (
            ("_parameters", "parameter", Parameter),
            ("_modules", "child module", Module),
        ):
            registry = self.__dict__.get(registry_name)
            if isinstance(value, member):
                if registry is None:
                    raise AttributeError(
                        f"cannot assign {'parameters' if member is Parameter else 'module'} before "
                        "Module.__init__() call: begin __init__ with super().__init__()"
                    )
                if name not in registry:
                    self._forget(name)
                registry[name] = value
                return
            if registry is not None and name in registry:
                if value is not None:
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as {kind} '{name}' (torch.nn.{member.__name__} or None "
                        f"expected): make it one, or write into the {kind} that is there under no_grad()"
                    )
                registry[name] = None
                return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what is not an ordinary attribute.
        for registry_name in ("_parameters", "_modules"):
            registry = self.__dict__.get(registry_name, {})
            if name in registry:
                return registry[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if not self._forget(name):
            super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._modules})

    def _forget(self, name: str) -> bool:
        """Remove what is known under `name`; whether there was anything."""
        return any(
            [registry.pop(name, self) is not self for registry in (self.__dict__, self._parameters, self._modules)]
        )

    # ---- what is inside ------------------------------------------------------------------------------------------

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once, with their paths: '', 'decoder', 'decoder.0'."""
        seen: set[int] = set()
        for path, module in self._walk(prefix):
            if id(module) not in seen:
                seen.add(id(module))
                yield path, module

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are attributes of this one, each once, with their names."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that are attributes of this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths, each once: one that two modules share has the first path."""
        seen: set[int] = set()
        for path, parameter in self._all_parameters(prefix, recurse):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield path, parameter

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def _walk(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all below it, with their paths; shared ones under each path."""
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module._walk(_path(prefix, name))

    def _all_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        for path, module in self._walk(prefix) if recurse else [(prefix, self)]:
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    yield _path(path, name), parameter

    # ---- modes and gradients -------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """This module, with `training` set to `mode` on it and on all below it."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {type(mode).__name__}")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """This module, with `training` set to False on it and on all below it."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """This module, whose parameters from now on require gradients (or not)."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        for parameter in self.parameters():
            if set_to_none or parameter.grad is None:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach().zero_()

    # ---- state ---------------------------------------------------------------------------------------------------

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """The parameters by path, detached: on the same storage as the module's own.

        >>> import minigrad as torch
        >>> torch.nn.Linear(2, 1).state_dict().keys()
        odict_keys(['weight', 'bias'])
        """
        return OrderedDict([(path, parameter.detach()) for path, parameter in self._all_parameters()])

    def load_state_dict(self, state_dict: Mapping[str, Tensor], strict: bool = True) -> LoadResult:
        """Copy the tensors of `state_dict` into the parameters of the same paths.

        With `strict`, each path must be in both.  Errors: RuntimeError that lists all missing and unexpected keys
        and all shapes that differ; then no parameter has changed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}: pass module.state_dict()")
        own = dict(self._all_parameters())
        missing = [path for path in own if path not in state_dict]
        unexpected = [path for path in state_dict if path not in own]
        problems: list[str] = []
        for kind, paths in (("Missing", missing), ("Unexpected", unexpected)):
            if strict and paths:
                problems.append(f"{kind} key(s) in state_dict: {', '.join([_quoted(path) for path in paths])}. ")
        for path in [path for path in own if path in state_dict]:
            given, parameter = state_dict[path], own[path]
            if not isinstance(given, Tensor):
                problems.append(
                    f'While copying the parameter named "{path}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(given)}"
                )
            elif given.shape != parameter.shape:
                problems.append(
                    f"size mismatch for {path}: copying a param with shape {given.shape} from checkpoint, the shape in "
                    f"current model is {parameter.shape}."
                )
        if problems:
            lines = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        with no_grad():
            for path, parameter in own.items():
                if path in state_dict:
                    parameter.copy_(state_dict[path])
        return LoadResult(missing, unexpected)

    # ---- printed form --------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What a module's printed form says between its parentheses; a subclass defines it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {module!r}".replace("\n", "\n  ") for name, module in self._modules.items()]
        if not children:
            return f"{type(self).__name__}({extra})"
        lines = [*([extra] if extra else []), *children]
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"


def _path(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _quoted(path: str) -> str:
    return f'"{path}"'


def _type_name(value: object) -> str:
    if isinstance(value, Tensor):
        return f"torch.{value.dtype._tensor_name}Tensor"
    return type(value).__name__
