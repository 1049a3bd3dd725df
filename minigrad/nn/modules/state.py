"""What a module remembers, by path: read as a state dict, and written from one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minigrad.core.modes import no_grad
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


def persistent(module: Any) -> dict[str, Tensor]:
    """The module's own parameters and buffers that a state dict holds."""
    buffers = {name: x for name, x in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: x for name, x in (module._parameters | buffers).items() if x is not None}


def load(module: object, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> LoadResult:
    """Do as `Module.load_state_dict` says: first find all that is wrong, then, if nothing is, write."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}: pass module.state_dict()")
    plan = _Plan(strict, assign)
    plan.add(module, OrderedDict(state_dict), "")
    problems = [
        f"{kind} key(s) in state_dict: {_listed(paths)}. "
        for kind, paths in (("Missing", plan.missing), ("Unexpected", plan.unexpected))
        if strict and paths
    ] + plan.problems
    if strict and plan.unexpected:
        problems += _remedies(state_dict, plan)
    if problems:
        lines = "\n\t".join(problems)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")
    with no_grad():
        for write in plan.writes:
            write()
    return LoadResult(plan.missing, plan.unexpected)


def _remedies(state_dict: Mapping[str, Any], plan: _Plan) -> list[str]:
    """What to do if keys were not expected: if a whole checkpoint was given, or the state of a wrapped module."""
    for key in plan.unexpected:
        inner = state_dict.get(key)
        if isinstance(inner, Mapping) and inner.keys() & {*plan.missing}:
            return [f'The entry "{key}" is a dict of these keys: load_state_dict(checkpoint["{key}"]).']
    key = plan.unexpected[0]
    before = [key.removesuffix(path) for path in plan.missing if key.endswith(f".{path}")]
    if before and all([path.startswith(before[0]) for path in plan.unexpected]):
        stripped = f"{{key.removeprefix({before[0]!r}): value for key, value in state_dict.items()}}"
        return [f'The keys begin with "{before[0]}", as those of a wrapped module do: load {stripped}.']
    return []


class _Plan:
    """What loading a state dict will write, and what is wrong with it."""

    def __init__(self, strict: bool, assign: bool) -> None:
        self.strict = strict
        self.assign = assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.problems: list[str] = []
        self.writes: list[Callable[[], object]] = []

    def add(self, module: Any, state: dict[str, Any], prefix: str) -> None:
        """Plan for `module`, and those below it, from the entries of `state`, all of which begin with `prefix`."""
        for hook in list(module._hooks.get("load_state_dict_pre", {}).values()):
            hook(module, state, prefix, {}, self.strict, self.missing, self.unexpected, self.problems)
        own = persistent(module)
        for name, member in own.items():
            if prefix + name in state:
                self._add_tensor(module, name, member, prefix + name, state[prefix + name])
            else:
                self.missing.append(prefix + name)
        for key in state:
            name, dot, _ = key.removeprefix(prefix).partition(".")
            known = name in module._modules if dot else name in own
            if not known:
                self.unexpected.append(key)
        for name, child in module._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                self.add(child, OrderedDict([each for each in state.items() if each[0].startswith(path)]), path)

    def _add_tensor(self, module: object, name: str, member: Tensor, key: str, given: object) -> None:
        if not isinstance(given, Tensor):
            self.problems.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        elif given.shape != member.shape:
            self.problems.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {member.shape}.{_transpose_hint(given.shape, member.shape)}"
            )
        elif not self.assign:
            self.writes.append(lambda: member.copy_(given))
        elif not isinstance(member, Parameter):
            self.writes.append(lambda: setattr(module, name, given))
        else:
            new = given if isinstance(given, Parameter) else Parameter(given, member.requires_grad)
            self.writes.append(lambda: setattr(module, name, new.requires_grad_(member.requires_grad)))


def _transpose_hint(given: tuple[int, ...], own: tuple[int, ...]) -> str:
    if len(given) != 2 or given != own[::-1]:
        return ""
    return " It is transposed: a table is (num_embeddings, embedding_dim), a linear weight (out_features, in_features)."


def _listed(paths: list[str]) -> str:
    return ", ".join([f'"{path}"' for path in paths])
