"""What a module remembers, by path: read as a state dict, and written from one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minigrad.core.modes import no_grad
from minigrad.nn.parameter import Parameter, Uninitialized
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
    if hasattr(type(module), "get_extra_state"):
        raise NotImplementedError("get_extra_state(): self.register_buffer(name, tensor) is part of the state")
    buffers = {name: x for name, x in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: x for name, x in (module._parameters | buffers).items() if x is not None}


def load(module: object, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> LoadResult:
    """Do as `Module.load_state_dict` says: first find all that is wrong, then, if nothing is, write."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}: pass module.state_dict()")
    missing: list[str] = []
    unexpected: list[str] = []
    wrong: list[str] = []
    writes: list[Callable[[], object]] = []
    versions: dict[str, Any] = getattr(state_dict, "_metadata", {})
    options = {"assign_to_params_buffers": assign, "writes": writes}
    _plan(module, dict(state_dict), "", versions, options, (missing, unexpected, wrong))
    problems, quoted = wrong, '", "'
    for kind, paths in (("Unexpected", unexpected), ("Missing", missing)):
        if strict and paths:
            problems.insert(0, f'{kind} key(s) in state_dict: "{quoted.join(paths)}". ')
    if strict and unexpected:
        problems += _remedies(state_dict, missing, unexpected)
    if problems:
        lines = "\n\t".join(problems)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")
    write_all(writes)
    return LoadResult(missing, unexpected)


def _plan(
    module: Any, state: dict[str, Any], prefix: str, versions: Any, options: dict[str, Any], problems: Any
) -> None:
    """Plan the writes to `module` and to those below it from `state`, whose keys all begin with `prefix`.

    (A function in `load` would know itself, a cycle, which holds the state until Python's collector comes by.)
    """
    module._load_from_state_dict(state, prefix, {**versions.get(prefix[:-1], {}), **options}, True, *problems)
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            _plan(child, {k: v for k, v in state.items() if k.startswith(path)}, path, versions, options, problems)


@no_grad()
def write_all(writes: list[Callable[[], object]]) -> None:
    """Call what was planned: once begun, all of it, also if the user interrupts."""
    try:
        for write in writes:
            write()
    except KeyboardInterrupt:
        for write in writes:
            write()
        raise


def load_own(
    self: Any,
    state_dict: dict[str, Any],
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Take what the module itself remembers from `state_dict`, whose keys all begin with `prefix`.

    What is wrong is added to the last three; the writes wait in `local_metadata` until all modules have been asked.
    Where a subclass hands on a dict of its own, they do not wait.
    """
    own, writes = persistent(self), local_metadata.get("writes", [])
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, member in own.items():
        key = prefix + name
        given = state_dict.get(key)
        if key not in state_dict:
            missing_keys.append(key)
        elif not isinstance(given, Tensor) or given.is_sparse:
            problem = f"expected torch.Tensor or Tensor-like object from checkpoint but received {type(given)}"
            error_msgs.append(f'While copying the parameter named "{key}", {problem}')
        elif isinstance(member, Uninitialized):
            if not isinstance(given, Uninitialized):
                writes.append(functools.partial(member.become, given))
        elif given.shape != member.shape:
            shapes = f"a param with shape {given.shape} from checkpoint, the shape in current model is {member.shape}."
            error_msgs.append(f"size mismatch for {key}: copying {shapes}{_transpose_hint(given.shape, member.shape)}")
        elif not (assign or member._array.flags.writeable):
            error_msgs.append(f'While copying the parameter named "{key}": expanded or read-only; clone() it first')
        else:
            writes.append(_write_to(self, name, member, given, assign))
    for key in state_dict:
        name, dot, _ = key.removeprefix(prefix).partition(".")
        if name not in (self._modules if dot else own):
            unexpected_keys.append(key)
    if "writes" not in local_metadata:
        write_all(writes)


def _write_to(module: object, name: str, member: Tensor, given: Tensor, assign: bool) -> Callable[[], object]:
    """What copies `given` into a parameter or buffer of the module, or lets it take its place."""
    if not assign:
        return lambda: member.copy_(given)
    if not isinstance(member, Parameter):
        return lambda: setattr(module, name, given)
    new = given if isinstance(given, Parameter) else Parameter(given, member.requires_grad)
    return lambda: setattr(module, name, new.requires_grad_(member.requires_grad))


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


def _transpose_hint(given: tuple[int, ...], own: tuple[int, ...]) -> str:
    if len(given) != 2 or given != own[::-1]:
        return ""
    return " It is transposed: a table is (num_embeddings, embedding_dim), a linear weight (out_features, in_features)."
