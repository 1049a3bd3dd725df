"""A recorded operation: an instance of an op is the call of it and its node in the graph.

An op is a class with `forward` on arrays and, below it, its gradients in tensor operations.  Its parameters are the
names it annotates, and go to the constructor; tensors go to the call:

    y = Softmax((1,))(x)        # computes, and records itself if x requires a gradient

A node's edges lead to what made its inputs, not to the inputs: of the tensors it holds no more than its
gradients read, as the names of their parameters say.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from contextvars import Context
from types import CodeType, FunctionType
from typing import Any, ClassVar, NamedTuple, TypeAlias, dataclass_transform

import numpy as np

from .dtypes import Array, of
from .modes import current
from .tensor import Storage, Tensor, share_storage

# Where a gradient goes next: to the node that made the input, to one of its outputs, to the input itself if it is a
# leaf, or nowhere if the input requires none.
Edge: TypeAlias = "Node | Output | Tensor | None"

# Something a node keeps: `(value, version)` with the version of its storage when it was kept, or `value` for version 0.
Kept: TypeAlias = Any

#: A number greater than those of all nodes so far and smaller than those to come.
next_number = itertools.count().__next__

# As in PyTorch, 1/0 and log(0) warn of nothing.  NumPy keeps its floating-point error state per context: to
# run forward in a copy of this one costs 0.1 µs, an np.errstate block 0.8 µs, and np.seterr would be global.
_quiet = Context()
_quiet.run(np.seterr, all="ignore")
quiet = _quiet.copy


class Watch:
    """What is to be done at a node besides passing gradients on; `None` in place of one for nothing."""

    __slots__ = ()

    def before(self, g: list[Tensor | None], retained: list[tuple[Tensor, Tensor]]) -> list[Tensor | None]:
        """The gradients of the node's outputs, as its backward is to get them.

        Tensors that are to keep theirs in `.grad` are added to `retained`, with it.
        """
        return g

    def after(self, gradients: Sequence[Tensor | None], g: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """The gradients of the node's inputs, as the walk is to pass them on; `g` are those of its outputs."""
        return gradients


class Seams:
    """What stands above the core, and is called by it: set there, and empty or an error where the core is alone."""

    #: What makes the `Watch` of a node that a hook is registered at.
    watch: Callable[[], Any] = Watch

    #: Once a leaf has hooks: what shows a leaf the gradient that arrived for it, and returns what takes its place; and
    #: what tells a leaf that a backward pass has added to its `.grad`.
    seen: Callable[[Tensor, Tensor], Tensor] | None = None
    accumulated: Callable[[Tensor], None] | None = None


seams: Seams = Seams()


class Fields(type):
    """The type of node classes: each name that one annotates is a parameter of its constructor, and has a slot.

    Other state is listed in its `__slots__`.  Of its gradients, the parameters after `g` say what they read.
    """

    parameters: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Fields:
        """A class of nodes."""
        slots = members.setdefault("__slots__", ())
        annotated = members.get("__annotations__", {}).items()
        own = [each for each, kind in annotated if each not in slots and not str(kind).startswith("ClassVar")]
        if own and "__init__" not in members:
            inherited = [getattr(base, "parameters", {}) for base in reversed(bases)]
            defaults = {each: value for known in inherited for each, value in known.items()}
            defaults |= {each: members.pop(each, ...) for each in own}
            members |= {"__slots__": (*slots, *own), "parameters": defaults, "__init__": _constructor(defaults)}
        _declare_reads(bases, members)
        return super().__new__(cls, name, bases, members)


def _constructor(defaults: dict[str, Any]) -> FunctionType:
    """The function that sets these attributes; one whose default is an ellipsis has none."""
    names = tuple(defaults)
    code = _code_of_constructor(len(names)).replace(co_varnames=("self", *names), co_names=names)
    return FunctionType(code, {}, "__init__", tuple([value for value in defaults.values() if value is not ...]))


@functools.cache
def _code_of_constructor(count: int) -> CodeType:
    """The code of a function that sets so many attributes, by whatever names: to compile it for each takes long."""
    names = [f"field{number}" for number in range(count)]
    settings = "; ".join([f"self.{name} = {name}" for name in names])
    module = compile(f"def __init__(self, {', '.join(names)}): {settings}", "<fields>", "exec")
    return module.co_consts[0]


#: The gradients that classes of nodes state, by the position of the input; that of the only one may be `dx`.
_GRADIENTS = {"dx": 0, "da": 0, "db": 1, "dc": 2}


def _declare_reads(bases: tuple[type, ...], members: dict[str, Any]) -> None:
    """Let each gradient of a class get what its parameters after `g` name, and the class keep that and nothing else.

    They name inputs as `forward` does, or as `x`, or `a`, `b` and `c` in turn; and `y` is the output.  A class that
    says what to `keep` is believed.
    """
    base = bases[0] if bases else None
    forward = members.get("forward", getattr(base, "forward", None))
    forward = getattr(getattr(forward, "__wrapped__", forward), "__code__", None)
    inputs = () if forward is None else forward.co_varnames[1 : forward.co_argcount]
    positions = {"y": -1, "x": 0, "a": 0, "b": 1, "c": 2} | {each: position for position, each in enumerate(inputs)}
    inherited: tuple[tuple[int, ...], ...] = getattr(base, "reads", ())
    reads = dict(enumerate(inherited))
    for method, position in _GRADIENTS.items():
        if method in members:
            code = members[method].__code__
            names = code.co_varnames[: code.co_argcount]
            if names[0] != "self":
                members[method] = staticmethod(members[method])
            reads[position] = tuple([positions[each] for each in names[1 + (names[0] == "self") :]])
            members[f"_{method}"] = _reader(method, reads[position])
    if "keep" not in members and (any(reads.values()) or any(inherited)):
        members["reads"] = tuple([reads.get(position, ()) for position in range(max(reads) + 1)])
        members["keep"] = _keeping(members["reads"])


@functools.cache
def _reader(gradient: str, positions: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    """The method that calls the gradient of that name with what it reads."""
    read = ["self.kept_output(g)" if position < 0 else f"self.kept({position})" for position in positions]
    # Compiled, since to pass on a list of arguments would take longer than to find them.
    made: Callable[[Any, Any], Any] = eval(f"lambda self, g: self.{gradient}({', '.join(['g', *read])})")
    return made


def _keeping(reads: tuple[tuple[int, ...], ...]) -> Callable[..., None] | None:
    """What keeps, when an operation is recorded, what its gradients read: the fastest there is."""
    if not any(reads):
        return None
    if reads == ((1,), (0,)):
        return keep_other
    return keep_inputs if reads == ((0,),) else keep_output if reads == ((-1,),) else keep_read


@dataclass_transform(eq_default=False)
class Node(metaclass=Fields):
    """A recorded operation on any number of tensors; `Unary` and `Binary` are the common cases.

    `edges`
        one per input.
    `number`
        grows with every node made: the nodes that made a node's inputs have smaller ones.
    `watch`
        what else is to be done when the gradient of the output arrives, such as hooks; None for nothing.

    A subclass says `forward`, on arrays, and its gradients: `dx`, or `da`, `db` and `dc`, of the upstream gradient `g`.
    The names of their other parameters say what they read, and what is kept for them:

        forward = np.multiply

        def da(self, g, b):
            return g * b
    """

    __slots__ = ("_kept", "edges", "number", "watch")

    edges: tuple[Edge, ...]
    number: int
    watch: Any
    _kept: tuple[Any, ...] | None

    #: What the gradients read: `keep_inputs`, `keep_other`, `keep_rest`, … or None for nothing.
    keep: ClassVar[Callable[..., None] | None] = None

    #: What the gradient of each input reads: the positions of inputs, and -1 for the output.
    reads: ClassVar[tuple[tuple[int, ...], ...]] = ()

    #: The gradient of each input, as `explain` shows it; one that is for all inputs may be the last.
    formulas: ClassVar[tuple[str, ...]] = ()

    #: Of a declared operation (`minigrad.declare`), its gradient, which is shown itself if there is no formula.
    shown_gradient: ClassVar[Callable[..., Any] | None] = None

    #: The values of the result, from arrays: a method, or a NumPy ufunc as it is.
    forward: ClassVar[Callable[..., Any]]

    def backward(self, g: Any) -> Sequence[Tensor | None]:
        """The gradients of the inputs, given that of the output, `g`; None where an edge is None.

        Each is `g` itself, a view of an array, or a tensor that nobody else holds: into the third kind the walk
        adds what else arrives for the same input, which saves a copy.
        """
        gradients = zip(self.edges, ("_da", "_db", "_dc", "_dd"), strict=False)
        return [None if edge is None else getattr(self, gradient)(g) for edge, gradient in gradients]

    def name(self) -> str:
        """The name PyTorch prints for this operation, such as `MulBackward0`: its `form`, if it has one."""
        return getattr(self, "form", None) or f"{type(self).__name__}Backward0"

    @property
    def node(self) -> Node:
        """This node: an edge leads to one, or to one of the outputs of one (see `Output`)."""
        return self

    #: Which of the outputs of `node` an edge leads to.
    position: ClassVar[int] = 0

    @property
    def next_functions(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """Where the gradients of the inputs go: for each a node and which of its outputs the input was.

        >>> import minigrad as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> [(node.name(), index) for node, index in x.exp().sum().grad_fn.next_functions]
        [('ExpBackward0', 0)]
        """
        found: list[tuple[Node | AccumulateGrad | None, int]] = []
        for edge in self.edges:
            if edge is None:
                found.append((None, 0))
            else:
                found.append((AccumulateGrad(edge), 0) if isinstance(edge, Tensor) else (edge.node, edge.position))
        return tuple(found)

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(gradients of the outputs)` before each backward of this node; what it returns replaces them."""
        return watch_of(self).add("before", hook)

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(gradients of the inputs, gradients of the outputs)` after each backward of this node.

        What it returns, unless None, replaces the gradients of the inputs.
        """
        return watch_of(self).add("after", hook)

    def __repr__(self) -> str:
        return f"<{self.short_name()} object at {id(self):#x}>"

    def short_name(self) -> str:
        """The name as PyTorch prints it with a tensor: without a C++ namespace."""
        return self.name().rsplit("::", 1)[-1]

    def __call__(self, *inputs: Any) -> Any:
        """The result for these tensors (None for one left out), recorded if one of them requires a gradient."""
        out = inputs[0]._new(quiet().run(self.forward, *[None if x is None else x._array for x in inputs]))
        if current.enabled:
            edges = [edge_to(x) for x in inputs]
            if any([edge is not None for edge in edges]):
                self.record(tuple(edges), inputs, out)
        return out

    def record(self, edges: tuple[Edge, ...], inputs: tuple[Any, ...], out: Tensor) -> None:
        """Become the node that made `out` from `inputs`, keeping of them what `keep` says."""
        self.edges = edges
        self.number = next_number()
        self.watch = None
        out._node = self
        out._requires_grad = True
        if self.keep is not None:
            self.keep(inputs, out)

    def kept(self, position: int) -> Any:
        """The input at `position`, checked to be as it was in the forward pass."""
        if self._kept is None:
            raise self._released()
        return unpacked(self._kept[position], self)

    def _released(self) -> RuntimeError:
        """The error of a second backward pass, after what was kept of the forward pass has been let go."""
        return RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they "
            f"have already been freed): what {self.name()} kept of the forward pass is gone. Call the first "
            "backward with retain_graph=True, or compute the result again before the second. What one step hands "
            "on to the next is cut off from the graph by h = h.detach()."
        )

    def kept_output(self, like: Tensor) -> Tensor:
        """The output as a tensor that `like._new` makes, with this node as its history.

        The node holds an alias of its output that has no history.  Holding the output, which holds the node, would be
        a reference cycle; so memory goes when the last name goes.
        """
        alias: Tensor = self.kept(-1)
        if not current.enabled:
            return alias
        out = like._new(alias._array, self)
        out._requires_grad = True
        # It is the output's storage: a node of the second order that keeps it sees writes, too.
        out._storage = alias._storage
        return out

    def release(self) -> None:
        """Let go of what was kept of the forward pass."""
        self._kept = None


class Output(NamedTuple):
    """One of the outputs of a node that has several: where a gradient of it goes."""

    node: Several
    position: int


class Several(Node):
    """A recorded operation with several outputs; a subclass says `forward(…)`, a list of arrays, and `backward(g)`.

    `g` lists the gradients of the outputs, None for one that no gradient arrived for.
    """

    __slots__ = ("count",)

    def __call__(self, *inputs: Any) -> tuple[Tensor, ...]:
        """The results for these tensors, recorded if one of them requires a gradient."""
        arrays = quiet().run(self.forward, *[None if x is None else x._array for x in inputs])
        outs = tuple([inputs[0]._new(array) for array in arrays])
        if current.enabled:
            edges = tuple([edge_to(x) for x in inputs])
            if any([edge is not None for edge in edges]):
                self.record(edges, inputs, outs)
        return outs

    def record(self, edges: tuple[Edge, ...], inputs: tuple[Tensor | None, ...], out: Any) -> None:
        """Become the node that made the tensors `out` from `inputs`; one of them that is None has no gradient."""
        self.edges = edges
        self.number = next_number()
        self.watch = None
        self.count = len(out)
        for index, each in enumerate(out):
            if each is not None:
                each._node = Output(self, index)
                each._requires_grad = True
        if self.keep is not None:
            self.keep(inputs, out)


class Views(Several):
    """A recorded operation whose several outputs all lie in the storage of its input."""

    def __call__(self, *inputs: Any) -> tuple[Tensor, ...]:
        outs = super().__call__(*inputs)
        for out in outs:
            share_storage(inputs[0], out, type(self).__name__)
        return outs


class Unary(Node):
    """A recorded operation on one tensor; a subclass says `forward(x)` and the gradient `dx(g)`."""

    def __call__(self, x: Any) -> Tensor:
        """The result for `x`, recorded if `x` requires a gradient."""
        out: Tensor = x._new(quiet().run(self.forward, x._array))
        if x._requires_grad and current.enabled:
            self.record((x if x._node is None else x._node,), (x,), out)
        return out

    #: The gradient of the input, given that of the output, `g`; and what calls it with what it reads.
    dx: ClassVar[Callable[..., Any]]
    _dx: ClassVar[Callable[[Any, Any], Any]]

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        return (self._dx(g),)


class View(Unary):
    """A recorded operation whose output lies in the storage of its input: a write to one shows in the other."""

    def __call__(self, x: Any) -> Tensor:
        out = super().__call__(x)
        share_storage(x, out, "" if current.enabled else "no_grad")
        return out


class Binary(Node):
    """A recorded operation on two tensors; a subclass says `forward(a, b)` and the gradients `da(g)`, `db(g)`."""

    def __call__(self, a: Any, b: Any) -> Tensor:
        """The result for `a` and `b`, recorded if one of them requires a gradient."""
        out: Tensor = a._new(quiet().run(self.forward, a._array, b._array))
        if (a._requires_grad or b._requires_grad) and current.enabled:
            self.record((edge_to(a), edge_to(b)), (a, b), out)
        return out

    #: The gradients of the two inputs, given that of the output, `g`; and what calls them with what they read.
    da: ClassVar[Callable[..., Any]]
    db: ClassVar[Callable[..., Any]]
    _da: ClassVar[Callable[[Any, Any], Any]]
    _db: ClassVar[Callable[[Any, Any], Any]]

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        edge_a, edge_b = self.edges
        return (None if edge_a is None else self._da(g), None if edge_b is None else self._db(g))


def edge_to(x: Tensor | None) -> Edge:
    """Where a gradient of `x` goes: to its node, to `x` itself if it is a leaf, or nowhere."""
    if not isinstance(x, Tensor) or not x._requires_grad:
        return None
    return x if x._node is None else x._node


def unpacked(entry: Kept, node: Node | None) -> Any:
    """What the node kept, checked to be as it was."""
    value, version = entry if type(entry) is tuple else (entry, 0)
    if isinstance(value, Tensor) and value._storage is not None and value._storage.version != version:
        array: Array = value._array
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[torch.{of(array)._tensor_name}Tensor {list(array.shape)}], which {name_of(node)} kept, is at version "
            f"{value._storage.version}; expected version {version} instead. Make a new tensor (x = x + 1 in place of "
            "x += 1), or change a copy: x.clone()."
        )
    return value


def name_of(node: Node | None) -> str:
    """What to call a node in an error; that of a Function may be gone."""
    return "a Function" if node is None else node.name()


def watch_of(node: Node) -> Any:
    """What is watched at `node`, to add to it."""
    if node.watch is None:
        node.watch = seams.watch()
    return node.watch


class AccumulateGrad:
    """Where the way of a gradient ends: it is added to the `.grad` of the leaf `variable`."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.next_functions: tuple[()] = ()

    def name(self) -> str:
        """The name PyTorch prints for it."""
        return "torch::autograd::AccumulateGrad"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and self.variable is other.variable

    def __hash__(self) -> int:
        return hash(self.variable)

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self.variable):#x}>"


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


def keep_nothing(node: Node, inputs: Sequence[Tensor], out: Tensor) -> None:
    """Keep nothing, but so that a second backward pass, after one that has let go of it, can be told."""
    node._kept = ()


def keep_inputs(node: Node, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep all inputs."""
    node._kept = tuple([entry_of(x) for x in inputs])


def keep_other(node: Node, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep each of the first two inputs if the other one requires a gradient, which reads it: as in a product."""
    edges = node.edges
    node._kept = (None if edges[1] is None else entry_of(inputs[0]), None if edges[0] is None else entry_of(inputs[1]))


def keep_read(node: Node, inputs: Sequence[Any], out: Any) -> None:
    """Keep what the gradients of the inputs that require one read, as `reads` says, and None for what they do not."""
    kept: list[Kept] = [None] * (len(inputs) + 1)
    for positions, edge in zip(node.reads, node.edges, strict=False):
        if edge is not None:
            for position in positions:
                kept[position] = output_entry(out) if position < 0 else entry_of(inputs[position])
    node._kept = tuple(kept)


def keep_rest(node: Node, inputs: Sequence[Tensor | None], out: Tensor) -> None:
    """Keep all inputs but the first: the indices that say where its elements went."""
    node._kept = (None, *[entry_of(x) for x in inputs[1:]])


def keep_output(node: Node, inputs: Sequence[Tensor], out: Tensor) -> None:
    """Keep the output."""
    node._kept = (output_entry(out),)


def keep_input_and_output(node: Node, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep the inputs and the output."""
    node._kept = (*[entry_of(x) for x in inputs], output_entry(out))
