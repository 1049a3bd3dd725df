"""The backward walk, from outputs to leaves, newest node first; `backward` and `grad` start it."""

from __future__ import annotations

from _heapq import heappop, heappush  # `heapq`, without what is written in Python, which takes time to import
from _thread import RLock
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .arrays import copied, laid_out
from .modes import current
from .ops import Clone, cast, common_shape
from .tape import Edge, Node, Output, Several, edge_to, error_state, ignoring, seams
from .tensor import Size, Tensor, check_keeps_shape, free_in_forks, method, storage_of

#: One tensor, or several.
Tensors: TypeAlias = Tensor | Sequence[Tensor]
#: A gradient for each of several tensors; None stands for 1.
Gradients: TypeAlias = Tensor | Sequence[Tensor | None] | None

#: Where a walk starts, and with which gradients.
Starts: TypeAlias = "Sequence[tuple[Edge, Tensor]]"

# Threads may send gradients to the same leaf: one adds at a time.
_accumulating = free_in_forks(RLock())


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Tensors | None = None,
) -> None:
    """Add to the `.grad` of each leaf (of each of `inputs`, if given) its gradient of the sum of `tensors`.

    A tensor of more than one element needs its own gradient in `grad_tensors`, of the same shape; for one
    element it is 1 if None.  Each `.grad` is written after the whole walk: if anything raises in it, none has changed.
    (What `register_post_accumulate_grad_hook` was given runs later, and finds them written.)

    `retain_graph`
        whether the graph keeps what it needs for another pass; if None, only with `create_graph`.
    `create_graph`
        whether the gradients are recorded, too, so that one can go back through them.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    starts = _starts(_tensors(tensors, "tensors"), grad_tensors, create_graph)
    targets = None if inputs is None else _targets(as_tuple(inputs), "backward")
    with Walk(starts, retain_graph, create_graph, targets) as walk:
        walk.run()
        # The edge to a leaf is the leaf itself.
        tensor_at = walk.targets.get
        reached = [(tensor_at(edge, edge), g, edge in walk.owned) for edge, g in walk.arrived.items()]
        reached += [(x, g, False) for x, g in walk.retained if edge_to(x) not in walk.targets]
        for x, g, _ in reached:
            _check_shape(x, g)
            if x._grad is not None:
                _check_fits(x._grad, g)
        _accumulate(reached, create_graph)
        if seams.run_post_accumulate_grad_hooks is not None:
            for edge in walk.arrived:
                walk.call_user(seams.run_post_accumulate_grad_hooks, tensor_at(edge, edge))


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`, one each; no `.grad` changes.

    `grad_outputs`, `retain_graph` and `create_graph` are as in `backward`.  An input that the outputs do
    not depend on is an error, unless `allow_unused` (its gradient is None) or `materialize_grads` (zeros).

    >>> import minigrad as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (dx,) = torch.autograd.grad(x**3, x, create_graph=True)
    >>> dx, torch.autograd.grad(dx, x)
    (tensor(27., grad_fn=<MulBackward0>), (tensor(18.),))
    """
    if is_grads_batched or not only_inputs:
        raise NotImplementedError("grad() takes only_inputs=True and is_grads_batched=False: call it once per gradient")
    if materialize_grads and allow_unused is False:
        problem = "Expected allow_unused to be True or not passed when materialize_grads=True"
        raise ValueError(f"{problem}, but got: allow_unused=False.")
    wanted = as_tuple(inputs)
    targets = _targets(wanted, "grad")
    starts = _starts(_tensors(outputs, "outputs"), grad_outputs, create_graph)
    with Walk(starts, retain_graph, create_graph, targets) as walk:
        walk.run()
        gradients: list[Any] = []
        for position, x in enumerate(wanted):
            gradient = walk.arrived.get(edge_to(x))
            if gradient is None and materialize_grads:
                gradient = x._new(np.zeros_like(x._array))
                gradient._requires_grad = create_graph
            elif gradient is None and not allow_unused:
                problem = f"The differentiated Tensor at index {position} appears to not have been used in the graph."
                raise RuntimeError(f"{problem} Set allow_unused=True if this is the desired behavior.")
            elif gradient is not None:
                _check_shape(x, gradient)
                gradient = gradient if create_graph or edge_to(x) in walk.owned else gradient.clone()
            gradients.append(gradient)
        _accumulate([(tensor, gradient, False) for tensor, gradient in walk.retained], create_graph)
    return tuple(gradients)


# ---- the walk --------------------------------------------------------------------------------------------------------


class Walk:
    """A walk from outputs to leaves, which hands on gradients; it runs in a `with` block, and is recorded if `record`.

    `targets`
        the tensors whose gradients are asked for, by the edges to them; empty if those of all leaves are.
    `arrived`
        these gradients, by the edges.
    `owned`
        the edges whose gradient nobody else holds, so that another can be added to it in place.
    `retained`
        tensors that are no leaves but keep their gradient, each with it.
    """

    def __init__(
        self, starts: Starts, retain_graph: bool | None, record: bool, targets: dict[Edge, Tensor] | None
    ) -> None:
        self.starts = starts
        self.retain = record if retain_graph is None else retain_graph
        self.record = record
        self.targets: dict[Any, Tensor] = targets or {}
        self.useful = None if targets is None else _ways(starts, targets)
        self.sums: dict[Any, Tensor] = {}
        self.arrived: dict[Any, Tensor] = {}
        self.owned: set[Edge] = set()
        self.retained: list[tuple[Tensor, Tensor]] = []

    def __enter__(self) -> Walk:
        self.earlier = current.enabled
        current.enabled = self.record
        self.users_state = error_state.set(ignoring)
        return self

    def __exit__(self, *exception: object) -> None:
        error_state.reset(self.users_state)
        current.enabled = self.earlier

    def call_user(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a user's hook or Function, in NumPy's error state as the user has set it."""
        error_state.reset(self.users_state)
        try:
            return function(*args)
        finally:
            self.users_state = error_state.set(ignoring)

    def run(self) -> None:
        """Walk all the way; then run the hooks of leaves on what has `arrived`, which they may replace."""
        useful = self.useful
        self._hand_on(self.starts if useful is None else [start for start in self.starts if start[0] in useful])
        self.arrived |= self.sums
        if seams.run_leaf_hooks is not None:
            for edge, gradient in self.arrived.items():
                shown = self.call_user(seams.run_leaf_hooks, edge, gradient) if isinstance(edge, Tensor) else gradient
                if shown is not gradient:
                    self.arrived[edge] = shown
                    self.owned.discard(edge)

    def _hand_on(self, arrivals: Iterable[tuple[Edge, Tensor | None]]) -> None:
        """Add up the gradients that arrive, and hand them on, the newest node first.

        All users of a node's output are newer than the node: when it is its turn, its gradient is complete.  A heap on
        the nodes' numbers gives this reverse topological order without recursion.
        """
        sums, owned, record = self.sums, self.owned, self.record
        plain = self.useful is None
        heap: list[tuple[int, Node]] = []
        several: set[Node] = set()
        g: Tensor | None = None
        while True:
            # What has arrived is added up.  A node waits from its first gradient on, with its number, in the heap.
            for edge, gradient in arrivals:
                if gradient is None:
                    continue
                earlier = sums.get(edge)
                if earlier is not None:
                    gradient = earlier._plus(gradient, edge in owned)
                elif isinstance(edge, Node):
                    heappush(heap, (-edge.number, edge))
                elif isinstance(edge, Output) and edge.node not in several:
                    several.add(edge.node)
                    heappush(heap, (-edge.node.number, edge.node))
                sums[edge] = gradient
                # A gradient that is neither `g` itself nor a view is nobody else's: see Node.backward.
                if not (record or gradient is g or gradient.is_sparse) and gradient._array.base is None:
                    owned.add(edge)
            # The newest node that waits has its whole gradient.  Without one, all gradients are at the leaves.
            if not heap:
                return
            _, node = heappop(heap)
            # Only `g` holds this gradient now: its memory is free as soon as it has been handed on.
            arrivals, gradients, gradient, earlier = (), None, None, None
            g = sums.pop(node, None)
            # The node computes the gradients of its inputs, which arrive next, and forgets the forward pass.
            gradients = node.backward(g) if plain and node.watch is None and g is not None else self._visit(node, g)
            owned.discard(node)
            # They are of one length; strict=True would take as long as a small node.
            arrivals = () if gradients is None else zip(node.edges, gradients)  # noqa: B905
            if not self.retain and gradients is not None:
                node.release()

    # ---- beside it: several outputs, hooks, gradients asked for by name ----------------------------------------------

    def _visit(self, node: Node, g: Any) -> Sequence[Tensor | None] | None:
        """What a node hands on that has several outputs or hooks, or whose gradient is asked for; None for nothing."""
        edges: list[Any] = [node]
        arrived = [g]
        if isinstance(node, Several):
            # Equal to its Outputs, and made in a tenth of their time.
            edges = [(node, position) for position in range(node.count)]
            arrived = [self.sums.pop(edge, None) for edge in edges]
        if not self.record and (node.is_written_by_users or (node.watch is not None and node.watch.hooks)):
            # A user's code may write into what it gets: so nobody else may hold that.
            pairs = zip(edges, arrived, strict=True)
            arrived = [each if each is None or edge in self.owned else each.clone() for edge, each in pairs]
        self.owned.difference_update(edges)
        goes_on = self.useful is None or not self.useful.isdisjoint(node.edges)
        # Where the walk goes on, PyTorch hands out the gradient as it was before its hooks; where it ends, after them.
        if goes_on:
            self._take(edges, arrived)
        if node.watch is not None:
            arrived = self.call_user(node.watch.before, arrived, self.retained)
        if not goes_on:
            self._take(edges, arrived)
        g = arrived if isinstance(node, Several) else arrived[0]
        if not goes_on or g is None:
            return None
        gradients = self.call_user(node.backward, g) if node.is_written_by_users else node.backward(g)
        if node.watch is not None:
            gradients = self.call_user(node.watch.after, gradients, arrived)
        if self.useful is None:
            return gradients
        return [each if edge in self.useful else None for edge, each in zip(node.edges, gradients, strict=True)]

    def _take(self, edges: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Keep those of the gradients that are asked for."""
        self.arrived.update([pair for pair in zip(edges, gradients, strict=True) if pair[0] in self.targets])


def _ways(starts: Starts, targets: Iterable[Edge]) -> set[Edge]:
    """The edges on the ways from `starts` to `targets`: those to targets, and to nodes with an edge on such a way."""
    found: dict[Node, list[Edge]] = {}
    stack: list[Edge] = [edge for edge, _ in starts]
    while stack:
        edge = stack.pop()
        node = edge.node if isinstance(edge, Output) else edge
        if isinstance(node, Node):
            if node not in found:
                stack += node.edges
            found.setdefault(node, []).append(edge)
    leading = set(targets)
    # Oldest first: whether the edges to an input's node lead there is known before its users are asked.
    for node in sorted(found, key=lambda node: node.number):
        if not leading.isdisjoint(node.edges):
            leading.update(found[node])
    return leading


def _check_shape(x: Tensor, gradient: Tensor) -> None:
    """Raise a RuntimeError unless a gradient has the shape of `x`."""
    shape = gradient.shape if gradient.is_sparse else gradient._array.shape
    if x._array.shape != shape:
        problem = f"got {list(shape)} but expected shape compatible with {list(x._array.shape)}"
        raise RuntimeError(f"invalid gradient - {problem}: a tensor on the way has got another shape since it was used")


def _check_fits(earlier: Tensor, gradient: Tensor) -> None:
    """Raise a RuntimeError unless a gradient can be added to the `.grad` that is there."""
    if not (earlier.is_sparse or gradient.is_sparse) and earlier._array.shape == gradient._array.shape:
        return  # Sooner than by the shapes of tensors.
    remedy = "the .grad of before does not fit this gradient. Call zero_grad() first"
    check_keeps_shape(earlier.shape, common_shape((earlier.shape, gradient.shape)), remedy)


def _accumulate(reached: Iterable[tuple[Tensor, Tensor, bool]], record: bool) -> None:
    """Add to the `.grad` of tensors, which own it, in their order in memory: views of `x` are to be had of `x.grad`.

    A first gradient is copied, unless it lies like this and is owned, by nobody else.
    """
    with _accumulating:
        for tensor, gradient, owned in reached:
            earlier = tensor._grad
            if not tensor._requires_grad:
                continue  # It was frozen after it was used.
            if earlier is None:
                leaf = tensor._array
                if gradient.is_sparse:
                    gradient = gradient if owned else gradient.clone()
                elif record:
                    order: Any = "C" if leaf.flags.c_contiguous else "K"
                    gradient = Clone(order, "torch::autograd::CopyBackwards").of(gradient)
                elif not owned or gradient._array.strides != leaf.strides:
                    gradient = gradient._new(laid_out(copied(gradient._array, "C"), leaf))
                tensor._grad = gradient
            elif record or not (earlier.is_sparse or earlier._array.flags.writeable):
                tensor._grad = earlier._plus(gradient, False)
            else:
                tensor._grad = earlier._plus(gradient, True)
                storage_of(earlier).version += 1


def _targets(inputs: tuple[Tensor, ...], name: str) -> dict[Edge, Tensor]:
    """The tensors whose gradients the function `name` is asked for, by the edges to them."""
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    for position, x in enumerate(_tensors(inputs, "inputs")):
        if not x.requires_grad:
            remedy = "Make it with requires_grad=True, or call requires_grad_() before it is used."
            found = f"input {position} of {len(inputs)}"
            raise RuntimeError(f"One of the differentiated Tensors does not require grad: {found}. {remedy}")
    return {edge_to(x): x for x in inputs}


def as_tuple(tensors: Any) -> tuple[Any, ...]:
    """One tensor, or several, as a tuple."""
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _tensors(given: Tensors, what: str) -> tuple[Tensor, ...]:
    """`given`, a tensor or a sequence of tensors, as a tuple of at least one."""
    tensors = as_tuple(given)
    if not tensors:
        raise ValueError(f"grad requires non-empty inputs: got no {what}")
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            kind = RuntimeError if what == "inputs" else TypeError
            raise kind(f"all {what} have to be Tensors or GradientEdges, but got {type(x).__name__} at {position}")
    return tensors


def _starts(outputs: tuple[Tensor, ...], gradients: Gradients, record: bool) -> Starts:
    """Where the walk starts and with which gradients, after all checks."""
    given = (None,) * len(outputs) if gradients is None else as_tuple(gradients)
    starts: list[tuple[Edge, Tensor]] = []
    # Their number comes last: a bare array has a gradient for each row, but what is wrong is that it is an array.
    for position, (output, gradient) in enumerate(zip(outputs, given, strict=False)):
        edge = edge_to(output)
        if edge is None:
            problem = f"element {position} of tensors does not require grad and does not have a grad_fn"
            why = "nothing that it was computed from requires one, w.requires_grad_(); or no_grad() or detach() cut it"
            raise RuntimeError(f"{problem}: {why}.")
        starts.append((edge, _start_gradient(output, gradient, position, record)))
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return starts


def _start_gradient(output: Tensor, gradient: object, position: int, record: bool) -> Tensor:
    """The gradient to start with at `output`: the user's if there is one, else 1 for the only element."""
    if gradient is None:
        if output._array.size != 1:
            problem = f"grad can be implicitly created only for scalar outputs, but this one has shape {output.shape}"
            remedy = "Reduce it first, as in y.sum().backward(), or pass the gradient of the loss with respect to it"
            raise RuntimeError(f"{problem}. {remedy}, of its shape: y.backward(gradient).")
        return output._new(np.array(1, output._array.dtype, ndmin=output._array.ndim))
    if not isinstance(gradient, Tensor):
        kind = type(gradient).__name__
        raise TypeError(f"gradients can be either Tensors or None, but got {kind}: torch.tensor(data) makes one")
    if gradient._array.shape != output._array.shape:
        problem = f"Mismatch in shape: grad_output[{position}] has a shape of {Size(gradient._array.shape)}"
        raise RuntimeError(f"{problem} and output[{position}] has a shape of {Size(output._array.shape)}.")
    if record:
        return cast(gradient, output.dtype)
    # A view in the output's dtype: the walk does not take it for its own, and the caller's stays as it is.
    return gradient._new(gradient._array.astype(output._array.dtype, copy=False).view())


@method("backward")
def backward_from(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add to the `.grad` of each leaf, such as a parameter, how fast the loss grows with it.

    If this tensor is the loss, of one element, there is nothing else to say.  Else `gradient`, of this tensor's shape,
    says how fast the loss grows with each of its elements.  All other arguments are as in `autograd.backward`.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * 3).backward(torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 3., 30.])
    """
    backward((self,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs=inputs)
