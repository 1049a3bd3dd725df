"""What a module remembers, by path: read as a state dict, and written from one."""

from __future__ import annotations

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
    for own in ("get_extra_state", "_save_to_state_dict", "_load_from_state_dict"):
        if hasattr(type(module), own):
            remedy = "register_buffer(name, tensor) adds to the state, and keys are renamed before it is loaded"
            raise NotImplementedError(f"{type(module).__name__}.{own}() is not called here: {remedy}")
    buffers = {name: x for name, x in module._buffers.items() if name not in module._non_persistent_buffers_set}
    return {name: x for name, x in (module._parameters | buffers).items() if x is not None}


def load(module: Any, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> LoadResult:
    """Do as `Module.load_state_dict` says: first find all that is wrong, then, if nothing is, write."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}: pass module.state_dict()")
    versions, known = getattr(state_dict, "_metadata", {}), set()
    missing: list[str] = []
    problems: list[str] = []
    writes: list[Callable[[], object]] = []
    for path, owner in module.named_modules(remove_duplicate=False):
        for name, member in persistent(owner).items():
            key = f"{path}.{name}" if path else name
            known.add(key)
            if key in state_dict:
                given = state_dict[key]
                problem = _problem(member, key, given, assign)
                if problem:
                    problems.append(problem)
                else:
                    writes.append(_write_to(owner, name, member, given, assign))
            elif name != "num_batches_tracked" or versions.get(path, {}).get("version", 1) >= owner._version:
                # (States of the first version are from before batches were counted.)
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
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")
    with no_grad():
        for write in writes:
            write()
    return LoadResult(missing, unexpected)


def _problem(member: Tensor, key: str, given: Any, assign: bool) -> str:
    """What stands in the way of `given` as the value of a parameter or buffer; "" for nothing."""
    copying = f'While copying the parameter named "{key}"'
    if not isinstance(given, Tensor) or given.is_sparse:
        return f"{copying}, expected torch.Tensor or Tensor-like object from checkpoint but received {type(given)}"
    if isinstance(member, Uninitialized):
        return ""
    if given.shape != member.shape:
        shapes = f"a param with shape {given.shape} from checkpoint, the shape in current model is {member.shape}."
        return f"size mismatch for {key}: copying {shapes}{_transpose_hint(given.shape, member.shape)}"
    return "" if assign or member._array.flags.writeable else f"{copying}: expanded or read-only; clone() it first"


def _write_to(module: object, name: str, member: Tensor, given: Tensor, assign: bool) -> Callable[[], object]:
    """What copies `given` into a parameter or buffer of the module, or lets it take its place."""
    if isinstance(member, Uninitialized):
        return lambda: None if isinstance(given, Uninitialized) else member.become(given)
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
