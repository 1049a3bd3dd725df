"""Recorded operations: an instance of an op is both a call of it and the node of that call in the graph.

An op is a class with a method `forward` on arrays and, below it, its gradients in tensor operations.  The names that
it annotates are its parameters, and go to the constructor; tensors go to the call:

    y = Sum((1,)).of(x)         # computes, and records itself if x requires a gradient: each instance is called once

A node's edges lead to the nodes that made its inputs, not to the inputs.  Of the inputs it keeps only those that its
gradients read, as their parameters' names say: `def da(self, g, b)` reads the second input.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from contextvars import Context
from operator import itemgetter
from typing import Any, ClassVar, TypeAlias, dataclass_transform

import numpy as np

from .dtypes import Array, of
from .modes import current
from .tensor import Storage, Tensor, share_storage

# Where a gradient goes next: to the node that made the input, to one of its outputs, to the input itself if it is a
# leaf, or nowhere if the input requires none.
Edge: TypeAlias = "Node | Output | Tensor | None"

#: A number greater than those of all nodes so far and smaller than those to come.
next_number = itertools.count().__next__

# As in PyTorch, 1/0 and log(0) warn of nothing.  NumPy keeps its floating-point error state per context: to
# run forward in a copy of this one costs 0.1 µs, an np.errstate block 0.8 µs, and np.seterr would be global.
_quiet = Context()
_quiet.run(np.seterr, all="ignore")
# The size of NumPy's buffer is set there, too.  NumPy copies broadcast or converted operands into it, unless rows are
# longer: with its own 8192 elements, arithmetic of a row or column and a matrix takes twice as long.
_quiet.run(np.setbufsize, 512)
quiet = _quiet.copy

# NumPy's context variable and that state: to set it directly takes a tenth of the time of an np.errstate block.
error_state, ignoring = next(iter(_quiet.items()))


#: What a node keeps of an input, or of its output: the value, and the version that its storage had then.
Kept: TypeAlias = tuple[Any, int]
NOTHING: Kept = (None, 0)

#: What one gradient reads: the positions of inputs, and -1 for the output.
Reads: TypeAlias = tuple[int, ...]


# ---- keeping ---------------------------------------------------------------------------------------------------------


def entry_of(x: object) -> Kept:
    """What to keep of an input: a tensor, a number or None."""
    storage = x._storage if isinstance(x, Tensor) else None
    return x, 0 if storage is None else storage.version


def output_entry(out: Tensor) -> Kept:
    """What to keep of an output: an alias without a history, since the output holds the node."""
    alias = out._new(out._array)
    # Nobody else has seen the output yet, so no lock is needed, as in `storage_of`.
    storage = alias._storage = out._storage = out._storage or Storage()
    return alias, storage.version


def unpack_saved(entry: Kept, node: Any) -> Any:
    """The value that the node, or None if it is gone, has kept; a RuntimeError if it was written to since."""
    value, version = entry
    if isinstance(value, Tensor) and value._storage is not None and value._storage.version != version:
        array: Array = value._array
        problem = "one of the variables needed for gradient computation has been modified by an inplace operation"
        kept = f"[torch.{of(array)._tensor_name}Tensor {list(array.shape)}], which {_name_of(node)} kept"
        found = f"is at version {value._storage.version}; expected version {version} instead"
        remedy = "Make a new tensor (x = x + 1 in place of x += 1), or change a copy: x.clone()."
        raise RuntimeError(f"{problem}: {kept}, {found}. {remedy}")
    return value


def released(node: Any) -> RuntimeError:
    """The error of a second backward pass, which needs what `node` has let go of after the first."""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        f"been freed): what {_name_of(node)} kept of the forward pass is gone. Call the first backward with "
        "retain_graph=True, or compute the result again before the second. If a loop goes on from a tensor of the "
        "step before, cut the graph there: h = h.detach()."
    )


def _name_of(node: Any) -> str:
    return "a Function" if node is None else node.name()


# ---- the ways to keep it: one of these is the `keep` of a class of nodes ---------------------------------------------


def keep_read(node: Any, inputs: Sequence[Any], out: Any) -> None:
    """Keep what is read, as `reads` says, by the gradients of those inputs that require one, and nothing else."""
    kept = [NOTHING] * (len(inputs) + 1)
    edges = node.edges
    for place, positions in node.reads.items():
        if edges[place] is not None:
            for position in positions:
                if kept[position] is NOTHING:
                    kept[position] = output_entry(out) if position < 0 else entry_of(inputs[position])
    node._kept = tuple(kept)


def keep_other(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """As in a product: keep the first input if the second requires a gradient, and the other way round."""
    edges = node.edges
    a = NOTHING if edges[1] is None else entry_of(inputs[0])
    node._kept = (a, NOTHING if edges[0] is None else entry_of(inputs[1]))


def keep_both(node: Any, inputs: Sequence[Any], out: Tensor) -> None:
    """Keep the first input and the output."""
    node._kept = (entry_of(inputs[0]), output_entry(out))


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


def stated_gradients(kind: Any) -> tuple[tuple[str, Reads], ...]:
    """The names of the gradients that a class defines or inherits, and what each reads.

    Their parameters are named as those of `forward`, or `x`, or `a`, `b` and `c` in turn; `y` is the output.
    """
    positions = {"y": -1, "x": 0, "a": 0, "b": 1, "c": 2} | {name: i for i, name in enumerate(input_names(kind))}
    found = []
    for name in GRADIENTS:
        if hasattr(kind, name):
            first, *others = _arguments(getattr(kind, name))
            read = others[1:] if first == "self" else others
            found.append((name, tuple([positions[each] for each in read])))
    return tuple(found)


def input_names(kind: Any) -> tuple[str, ...]:
    """The names that the `forward` of a class has for the inputs; a ufunc has none."""
    forward = getattr(kind, "forward", None)
    return _arguments(getattr(forward, "__wrapped__", forward))[1:]


def _arguments(function: Any) -> tuple[str, ...]:
    """The names of the arguments of a Python function; a ufunc has none."""
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount]


@functools.cache
def plan_of(stated: tuple[tuple[str, Reads], ...]) -> tuple[Any, Any, Any]:
    """For each input a function that calls its gradient, and what that reads; and the way to keep all of it.

    Classes with the same gradients share one plan.
    """
    reads = {GRADIENTS[name]: read for name, read in stated}
    return {GRADIENTS[name]: _reader(name, read) for name, read in stated}, reads, _keeping(reads)


def _reader(name: str, reads: Reads) -> Callable[[Any, Any], Any]:
    """A function of a node and the upstream gradient `g`, which calls the gradient of that name with what it reads."""
    if not reads:
        return lambda node, g: getattr(node, name)(g)
    if len(reads) == 1:
        return lambda node, g: getattr(node, name)(g, node.kept(*reads))
    return lambda node, g: getattr(node, name)(g, *[node.kept(position) for position in reads])


def _keeping(reads: dict[int, Reads]) -> Callable[..., None] | None:
    """The fastest of the ways to keep what the gradients read; None if they read nothing."""
    some = {position: read for position, read in reads.items() if read}
    if not some:
        return None
    if some in ({0: (1,), 1: (0,)}, {0: (1,)}):
        return keep_other
    of_first = {(0,): keep_input, (-1,): keep_output, (0, -1): keep_both}
    return of_first.get(some.get(0, ()), keep_read) if len(some) == 1 else keep_read


# ---- the recorded operations -----------------------------------------------------------------------------------------


class Seams:
    """Functions that files above the core set, and the core calls; None where the core is alone."""

    #: Makes the `watch` of a node, when the first hook is registered at it.
    watch: Any = None

    #: Run the hooks of leaves, once there are some: the first on the gradient that arrived for a leaf, which returns
    #: the one to take its place; the second after a backward pass has added to its `.grad`.
    run_leaf_hooks: Callable[[Tensor, Tensor], Tensor] | None = None
    run_post_accumulate_grad_hooks: Callable[[Tensor], None] | None = None


seams: Seams = Seams()


@dataclass_transform(eq_default=False)
class Node:
    """A recorded operation on any number of tensors; `Unary` and `Binary` write their call out for speed.

    `edges`
        one per input.
    `number`
        grows with every node made: the nodes that made a node's inputs have smaller ones.
    `watch`
        an object that sees the gradients that arrive and leave, such as hooks do; None most often.

    The first line of a class's docstring says what it computes, if possible by a formula and a colon at its beginning:
    `explain` shows it.  A subclass defines `forward`, on arrays, and its gradients `dx`, or `da`, `db` and `dc`, of the
    upstream gradient `g`.  The names of their other parameters say what they read, and so what is kept:

        forward = np.multiply

        def da(self, g, b):
            return g * b
    """

    # In slots, since these are set for each operation that is recorded; what else a node has is in its dict.
    __slots__ = ("_kept", "edges", "number")

    edges: tuple[Edge, ...]
    number: int

    #: `before(g, retained)` returns the gradients of the outputs as `backward` is to get them, and adds to `retained`
    #: the tensors that keep theirs, with it; `after(gradients, g)` returns those of the inputs as the walk goes on.
    watch: Any = None

    #: Whether its backward is a user's code.
    is_written_by_users: ClassVar[bool] = False

    #: What is kept of the forward pass: input i at place i, and the output, if a gradient reads it, at the end.  None
    #: after the backward pass.
    _kept: tuple[Kept, ...] | None

    #: The names that a class annotates are the parameters of its constructor; those that have a value may be left out.
    parameters: ClassVar[tuple[str, ...]] = ()

    #: For the position of each input a function that calls its gradient.
    gradients: ClassVar[dict[int, Callable[[Any, Any], Any]]] = {}

    #: For the position of each input what that gradient reads.
    reads: ClassVar[dict[int, Reads]] = {}

    #: The way to keep that, such as `keep_inputs`; None if nothing is read.
    keep: ClassVar[Callable[..., None] | None] = None

    #: The attributes in which `forward` leaves arrays for the gradients; they are None after the backward pass.
    aside: ClassVar[tuple[str, ...]] = ()

    #: The gradient of each input in words, for `explain`, which otherwise calls the gradient with symbols to see its
    #: formula; the last one is for all further inputs.
    formulas: ClassVar[tuple[str, ...]] = ()

    #: The values of the result, from arrays: a method, or a NumPy ufunc as it is.
    forward: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls) -> None:
        stated = vars(cls)
        own = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
        assert not (own and "__slots__" in stated), "the fields of a node are in its dict: leave out __slots__"
        # Defaults are part of the constructor's text: a class with another default has a constructor of its own.
        if "__init__" not in stated and (own or stated.keys() & cls.parameters):
            cls.parameters = tuple(dict.fromkeys((*cls.parameters, *own)))
            cls.__init__ = _first_constructed  # type: ignore[assignment, method-assign]
        if stated.keys() & GRADIENTS:
            cls.gradients, cls.reads, keep = plan_of(stated_gradients(cls))
            if "keep" not in stated:
                cls.keep = keep

    def backward(self, g: Any) -> Sequence[Tensor | None]:
        """The gradients of the inputs, given that of the output, `g`; None where an edge is None.

        Each is `g` itself, a view, or a tensor that nobody else holds: to the third kind the walk adds other gradients
        of the same input in place, which saves a copy.
        """
        return [None if edge is None else self.gradients[place](self, g) for place, edge in enumerate(self.edges)]

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
    def ways(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """Where the gradients of the inputs go: for each a node and which of its outputs the input was."""
        return tuple([_way(edge) for edge in self.edges])

    @property
    def next_functions(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """The `ways` of the inputs that can have gradients (ids have none), in the order PyTorch's node has them in.

        >>> import minigrad as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> [(node.name(), index) for node, index in x.exp().sum().grad_fn.next_functions]
        [('ExpBackward0', 0)]
        """
        return self.in_order(self.ways)

    def in_order(self, each: Sequence[Any]) -> tuple[Any, ...]:
        """`each`, one for each input, without inputs that can have no gradient, in the order that PyTorch has."""
        return tuple([one for place, one in enumerate(each) if not self.gradients or place in self.gradients])

    def __call__(self, *g: Tensor) -> Any:
        """The gradients of the inputs, given those of the outputs, `in_order`: of one input alone, of others a tuple.

        >>> import minigrad as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x.detach()).grad_fn(torch.tensor([1.0, 10.0]))
        (tensor([ 1., 20.]), None)
        """
        count = self.count if isinstance(self, Several) else 1
        if len(g) != count:
            raise TypeError(f"expected {count} arguments, got {len(g)} instead: a gradient for each output of the node")
        if not all([isinstance(each, Tensor) for each in g]):
            raise TypeError("an argument is not a Variable: torch.tensor(1.0)")
        gradients = self.in_order(self.backward(g if isinstance(self, Several) else g[0]))
        return gradients if len(gradients) > 1 else gradients[0]

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

    def of(self, *inputs: Any) -> Any:
        """The result for these tensors (None for one left out), recorded if one of them requires a gradient."""
        arrays, recorded = [], False
        edges: list[Edge] = []
        for x in inputs:
            arrays.append(None if x is None else x._array)
            if x is None or not x._requires_grad:
                edges.append(None)
            else:
                edges.append(x._node or x)
                recorded = True
        computed, like = quiet().run(self.forward, *arrays), inputs[0]
        out = tuple([like._new(each) for each in computed]) if type(computed) is list else like._new(computed)
        if recorded and current.enabled:
            self.record(tuple(edges), inputs, out)
        return out

    def record(self, edges: tuple[Edge, ...], inputs: tuple[Any, ...], out: Any) -> None:
        """Become the node that made `out` from `inputs`, keeping of them what `keep` says."""
        self.edges = edges
        self.number = next_number()
        out._node = self
        out._requires_grad = True
        if self.keep is not None:
            self.keep(inputs, out)

    def kept(self, position: int) -> Any:
        """The input at `position`, checked to be as it was in the forward pass; at -1 the output.

        The node holds an alias of its output that has no history.  Holding the output, which holds the node, would be
        a reference cycle; so memory goes when the last name goes.
        """
        if self._kept is None:
            raise released(self)
        value = unpack_saved(self._kept[position], self)
        if position >= 0 or not current.enabled:
            return value
        out = value._new(value._array, self)
        out._requires_grad = True
        # It is the output's storage: a node of the second order that keeps it sees writes, too.
        out._storage = value._storage
        return out

    def release(self) -> None:
        """Let go of what was kept of the forward pass."""
        self._kept = None
        for name in self.aside:
            setattr(self, name, None)


def _way(edge: Edge) -> tuple[Node | AccumulateGrad | None, int]:
    """The node that an edge leads to, and to which of its outputs."""
    if edge is None:
        return None, 0
    return (AccumulateGrad(edge), 0) if isinstance(edge, Tensor) else (edge.node, edge.position)


def _first_constructed(self: Node, *values: Any, **named: Any) -> None:
    """Make the first node of a class: write the constructor that sets its parameters, and call it.

    The constructor is source text, as with Python's dataclasses: a loop over the names would add a tenth to the time of
    a small sum.  It takes the place of this function, at the first call: a program makes nodes of few classes, and to
    write the constructors of all would take 2 ms of the import.
    """
    kind: Any = type(self)
    arguments = [f"{name}=kind.{name}" if hasattr(kind, name) else name for name in kind.parameters]
    settings = [f"self.{name} = {name}" for name in kind.parameters]
    scope = {"kind": kind}
    exec(f"def __init__(self, {', '.join(arguments)}): {'; '.join(settings)}", scope)
    kind.__init__ = scope["__init__"]
    kind.__init__(self, *values, **named)


class Output(tuple[Any, int]):
    """One of the outputs of a node that has several, `Output((node, position))`: where a gradient of it goes."""

    __slots__ = ()

    node = property(itemgetter(0))
    position = property(itemgetter(1))


class Several(Node):
    """A recorded operation with several outputs; a subclass defines `forward`, a list of arrays, and `backward(g)`.

    `g` lists the gradients of the outputs, None for one that no gradient arrived for.
    """

    def record(self, edges: tuple[Edge, ...], inputs: tuple[Any, ...], out: Sequence[Tensor | None]) -> None:
        """Become the node that made each of the tensors `out` but those that are None, which have no gradient."""
        self.edges, self.number, self.count = edges, next_number(), len(out)
        for position, each in enumerate(out):
            if each is not None:
                each._node = Output((self, position))
                each._requires_grad = True
        if self.keep is not None:
            self.keep(inputs, out)


class Unary(Node):
    """A recorded operation on one tensor; a subclass defines `forward(x)` and the gradient `dx(g)`."""

    def of(self, x: Any) -> Tensor:
        """The result for `x`, recorded if `x` requires a gradient."""
        out: Tensor = x._new(quiet().run(self.forward, x._array))
        if x._requires_grad and current.enabled:
            self.record((x if x._node is None else x._node,), (x,), out)
        return out

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        return (self.gradients[0](self, g),)


class View(Unary):
    """A recorded operation whose output lies in the storage of its input: a write to one shows in the other."""

    def of(self, x: Any) -> Tensor:
        # Nothing is computed, so nothing can warn.
        out: Tensor = x._new(self.forward(x._array))
        if x._requires_grad and current.enabled:
            self.record((x._node or x,), (x,), out)
        share_storage(x, out, "" if current.enabled else "no_grad")
        return out

    def of_gradient(self, g: Tensor) -> Tensor:
        """The same view of a gradient; where no history is recorded, it is not registered as a view of `g`."""
        return self.of(g) if current.enabled else g._new(self.forward(g._array))


class Binary(Node):
    """A recorded operation on two tensors; a subclass defines `forward(a, b)` and the gradients `da(g)`, `db(g)`."""

    def of(self, a: Any, b: Any) -> Tensor:
        """The result for `a` and `b`, recorded if one of them requires a gradient."""
        out: Tensor = a._new(quiet().run(self.forward, a._array, b._array))
        if (a._requires_grad or b._requires_grad) and current.enabled:
            edge_a = (a._node or a) if a._requires_grad else None
            self.record((edge_a, (b._node or b) if b._requires_grad else None), (a, b), out)
        return out

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        edge_a, edge_b = self.edges
        da = None if edge_a is None else self.gradients[0](self, g)
        return da, None if edge_b is None else self.gradients[1](self, g)


def edge_to(x: Tensor | None) -> Edge:
    """Where a gradient of `x` goes: to its node, to `x` itself if it is a leaf, or nowhere."""
    return (x._node or x) if isinstance(x, Tensor) and x._requires_grad else None


def watch_of(node: Node) -> Any:
    """The `watch` of `node`, made when it is first asked for."""
    if node.watch is None:
        node.watch = seams.watch()
    return node.watch


class AccumulateGrad:
    """The end of a gradient's way: there it is added to the `.grad` of the leaf `variable`."""

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.ways: tuple[()] = ()
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
