"""What a recorded operation keeps of its forward pass, until its gradients have read it.

The parameters of a gradient after `g` say what it reads: `def da(self, g, b)` reads the second input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .dtypes import Array, of
from .tensor import Storage, Tensor

# Something a node keeps: `(value, version)` with the version of its storage when it was kept, or `value` for version 0.
Kept: TypeAlias = Any

#: What one gradient reads: the positions of inputs, and -1 for the output.
Reads: TypeAlias = tuple[int, ...]


# ---- keeping ---------------------------------------------------------------------------------------------------------


def entry_of(x: object) -> Kept:
    """What to keep of an input, which may be a number or None as well."""
    storage = x._storage if isinstance(x, Tensor) else None
    return x if storage is None or not storage.version else (x, storage.version)


def output_entry(out: Tensor) -> Kept:
    """What to keep of an output: an alias without its history."""
    alias = out._new(out._array)
    # Nobody else has seen the output yet: none makes its storage at the same time, as `storage_of` expects.
    storage = alias._storage = out._storage = out._storage or Storage()
    return alias, storage.version


def unpack_saved(entry: Kept, node: Any) -> Any:
    """What the node kept, checked to be as it was; the node of a Function may be gone, and None."""
    value, version = entry if type(entry) is tuple else (entry, 0)
    if isinstance(value, Tensor) and value._storage is not None and value._storage.version != version:
        array: Array = value._array
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[torch.{of(array)._tensor_name}Tensor {list(array.shape)}], which {_name_of(node)} kept, is at version "
            f"{value._storage.version}; expected version {version} instead. Make a new tensor (x = x + 1 in place of "
            "x += 1), or change a copy: x.clone()."
        )
    return value


def released(node: Any) -> RuntimeError:
    """The error of a second backward pass, after what `node` kept of the forward pass has been let go."""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        f"been freed): what {_name_of(node)} kept of the forward pass is gone. Call the first backward with "
        "retain_graph=True, or compute the result again before the second. If a loop goes on from a tensor of the "
        "step before, cut the graph there: h = h.detach()."
    )


def _name_of(node: Any) -> str:
    return "a Function" if node is None else node.name()


# ---- what to keep: each of these may be the `keep` of a class of nodes -----------------------------------------------


def keep_read(node: Any, inputs: Sequence[Any], out: Any) -> None:
    """Keep what the gradients of the inputs that require one read, as `reads` says, and None for what they do not."""
    kept: list[Kept] = [None] * (len(inputs) + 1)
    for positions, edge in zip(node.reads, node.edges, strict=False):
        if edge is not None:
            for position in positions:
                if kept[position] is None:
                    kept[position] = output_entry(out) if position < 0 else entry_of(inputs[position])
    node._kept = tuple(kept)


def keep_other(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep each of the first two inputs if the other one requires a gradient, which reads it: as in a product."""
    edges = node.edges
    node._kept = (None if edges[1] is None else entry_of(inputs[0]), None if edges[0] is None else entry_of(inputs[1]))


def keep_inputs(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep all inputs."""
    node._kept = tuple([entry_of(x) for x in inputs])


def keep_input(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep the first input."""
    node._kept = (entry_of(inputs[0]),)


def keep_output(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep the output."""
    node._kept = (output_entry(out),)


# ---- what the gradients of a class read ------------------------------------------------------------------------------

#: The gradients that a class of nodes may state, and which input each is of; that of the only one may be `dx`.
GRADIENTS = {"dx": 0, "da": 0, "db": 1, "dc": 2}


def stated_reads(kind: Any) -> dict[int, tuple[str, Reads]]:
    """For the position of each input whose gradient this class states: its name, and what it reads.

    It names inputs as `forward` does, or as `x`, or `a`, `b` and `c` in turn; and `y` is the output.
    """
    stated = {name: _arguments(getattr(kind, name)) for name in GRADIENTS if name in vars(kind)}
    if not stated:
        return {}
    forward = getattr(kind, "forward", None)
    inputs = _arguments(getattr(forward, "__wrapped__", forward))[1:]
    positions = {"y": -1, "x": 0, "a": 0, "b": 1, "c": 2} | {each: position for position, each in enumerate(inputs)}
    found = {}
    for name, arguments in stated.items():
        read = arguments[2:] if arguments[0] == "self" else arguments[1:]
        found[GRADIENTS[name]] = name, tuple([positions[each] for each in read])
    return found


def _arguments(function: Any) -> tuple[str, ...]:
    """The names of the arguments of a function of Python, none of a ufunc."""
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount]


def reader(name: str, reads: Reads) -> Callable[[Any, Any], Any]:
    """What calls the gradient of that name, of a node, for the upstream gradient `g`, with what it reads."""
    if not reads:
        return lambda node, g: getattr(node, name)(g)
    if reads == (-1,):
        return lambda node, g: getattr(node, name)(g, node.kept_output(g))
    if len(reads) == 1:
        return lambda node, g: getattr(node, name)(g, node.kept(*reads))
    return lambda node, g: getattr(node, name)(g, *[node.kept_output(g) if r < 0 else node.kept(r) for r in reads])


def keeping(reads: tuple[Reads, ...]) -> Callable[..., None] | None:
    """What keeps, when an operation is recorded, what its gradients read: the fastest there is."""
    if not any(reads):
        return None
    if not reads[-1]:
        return keeping(reads[:-1])
    if reads in (((1,), (0,)), ((1,),)):
        return keep_other
    return keep_input if reads == ((0,),) else keep_output if reads == ((-1,),) else keep_read
