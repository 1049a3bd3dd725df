"""The backward walk, from outputs to leaves, newest node first; `backward` and `grad` start it."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .elementwise import cast
from .modes import set_grad_enabled
from .tape import Edge, Node, Output, Several, edge_to, seams
from .tensor import Size, Tensor, copied, method, storage_of

# Threads may send gradients to the same leaf: one adds at a time.
_accumulating = threading.RLock()


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Any = None,
) -> None:
    """Add to the `.grad` of each leaf (of each of `inputs`, if given) its gradient of the sum of `tensors`.

    A tensor of more than one element needs its own gradient in `grad_tensors`, of the same shape; for one
    element it is 1 if None.  What the graph kept for this pass is freed after it unless `retain_graph`,
    which is on if `create_graph`, which makes the gradients parts of a graph themselves.  Each `.grad` is
    written after the whole walk: if anything raises in it, none has changed.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    starts = _starts(_tensors(tensors, "tensors"), grad_tensors, create_graph)
    targets = None if inputs is None else _targets(_as_tuple(inputs))
    with set_grad_enabled(create_graph), np.errstate(all="ignore"):
        arrived, owned, retained = _arriving(starts, retain_graph, create_graph, targets)
        leaves: dict[Edge, Any] = {edge: edge if targets is None else targets[edge] for edge in arrived}
        for edge, gradient in arrived.items():
            _accumulate(leaves[edge], gradient, edge in owned, create_graph)
        for tensor, gradient in retained:
            _accumulate(tensor, gradient, False, create_graph)
        for leaf in leaves.values():
            leaf._accumulated()


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
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
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    inputs = _as_tuple(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    inputs = _tensors(inputs, "inputs")
    for position, x in enumerate(inputs):
        if not x.requires_grad:
            raise RuntimeError(
                f"One of the differentiated Tensors does not require grad: input {position} of {len(inputs)}. Make it "
                "with requires_grad=True, or call requires_grad_() before it is used."
            )
    starts = _starts(_tensors(outputs, "outputs"), grad_outputs, create_graph)
    edges = [edge_to(x) for x in inputs]
    with set_grad_enabled(create_graph), np.errstate(all="ignore"):
        arrived, owned, retained = _arriving(starts, retain_graph, create_graph, edges)
        gradients: list[Any] = []
        for position, (x, edge) in enumerate(zip(inputs, edges, strict=True)):
            gradient = arrived.get(edge)
            if gradient is None and materialize_grads:
                gradient = x._new(np.zeros_like(x._array))
            elif gradient is None and not allow_unused:
                raise RuntimeError(
                    f"The differentiated Tensor at index {position} appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior."
                )
            elif gradient is not None and edge not in owned and not create_graph:
                gradient = gradient.clone()
            gradients.append(gradient)
        for tensor, gradient in retained:
            _accumulate(tensor, gradient, False, create_graph)
    return tuple(gradients)


def _arriving(
    starts: Sequence[tuple[Edge, Tensor]], retain_graph: bool | None, record: bool, targets: Iterable[Edge] | None
) -> tuple[dict[Edge, Tensor], set[Edge], list[tuple[Tensor, Tensor]]]:
    """What `_walk` finds, of the `targets` if there are some, after the hooks of leaves have seen it."""
    retain = record if retain_graph is None else retain_graph
    if targets is None:
        arrived, owned, retained = _walk(starts, retain, record, None)
    else:
        requested = _Requested(starts, targets)
        starts = [start for start in starts if start[0] in requested.useful]
        sums, owned, retained = _walk(starts, retain, record, requested)
        arrived = requested.arrived | sums
    for edge, gradient in arrived.items():
        if isinstance(edge, Tensor):
            seen = edge._seen(gradient)
            if seen is not gradient:
                arrived[edge] = seen
                owned.discard(edge)
    return arrived, owned, retained


# ---- the walk --------------------------------------------------------------------------------------------------------


def _walk(
    starts: Sequence[tuple[Edge, Tensor]], retain: bool, record: bool, requested: _Requested | None
) -> tuple[dict[Edge, Tensor], set[Edge], list[tuple[Tensor, Tensor]]]:
    """The gradients that arrive at the leaves, those of them that nobody else holds, and those that others retain.

    Of the nodes still to visit, the newest is next: all users of its output are newer, so its gradient is complete.
    A heap on the nodes' numbers gives this reverse topological order without recursion.
    """
    sums: dict[Edge, Tensor] = {}
    owned: set[Edge] = set()
    retained: list[tuple[Tensor, Tensor]] = []
    heap: list[tuple[int, Node]] = []
    watched = requested is not None or seams.backward is not None
    arrivals: Iterable[tuple[Edge, Tensor | None]] = starts
    g: Tensor | None = None
    while True:
        for edge, gradient in arrivals:
            if gradient is None:
                continue
            earlier = sums.get(edge)
            if earlier is None:
                if isinstance(edge, Node):
                    heapq.heappush(heap, (-edge.number, edge))
                elif isinstance(edge, Output):
                    heapq.heappush(heap, (-edge.node.number, edge.node))
            else:
                gradient = earlier._plus(gradient, edge in owned)
            sums[edge] = gradient
            # What a backward returns is `g` itself, a view, or nobody else's (see Node.backward).
            if not (record or gradient is g or gradient.is_sparse) and gradient._array.base is None:
                owned.add(edge)
        if not heap:
            return sums, owned, retained
        _, node = heapq.heappop(heap)
        # Nothing but `g` holds this gradient now: it goes as soon as it has been passed on.
        gradient = earlier = None
        g = sums.pop(node, None)
        owned.discard(node)
        plain = not watched and node.watch is None and g is not None
        gradients = node.backward(g) if plain else _visit(node, g, sums, owned, requested, retained)
        arrivals = () if gradients is None else zip(node.edges, gradients, strict=True)
        if not retain and gradients is not None:
            node.release()


# ---- what is beside it: several outputs, hooks, gradients asked for by name ------------------------------------------


def _visit(
    node: Node,
    g: Any,
    sums: dict[Edge, Tensor],
    owned: set[Edge],
    requested: _Requested | None,
    retained: list[tuple[Tensor, Tensor]],
) -> Sequence[Tensor | None] | None:
    """What a node with several outputs, or one that somebody looks at, passes on; None if the walk ends here."""
    edges: list[Edge] = [node]
    arrived = [g]
    if isinstance(node, Several):
        edges = [Output(node, position) for position in range(node.count)]
        arrived = [sums.pop(edge, None) for edge in edges]
        owned.difference_update(edges)
        if all([each is None for each in arrived]):
            # Each output has sent the walk here: it has been here before.
            return None
    goes_on = requested is None or requested.goes_on(node)
    # Where the walk goes on, PyTorch hands out the gradient as it was before its hooks; where it ends, after them.
    if requested is not None and goes_on:
        requested.take(edges, arrived)
    if node.watch is not None:
        arrived = node.watch.before(arrived, retained)
    if requested is not None and not goes_on:
        requested.take(edges, arrived)
    g = arrived if isinstance(node, Several) else arrived[0]
    if not goes_on or g is None:
        return None
    gradients = node.backward(g) if seams.backward is None else seams.backward(node, g)
    if node.watch is not None:
        gradients = node.watch.after(gradients, arrived)
    return gradients if requested is None else requested.of_use(node.edges, gradients)


class _Requested:
    """The gradients that are asked for, of leaves or of results on the way, and the ways that lead to them."""

    def __init__(self, starts: Sequence[tuple[Edge, Tensor]], targets: Iterable[Edge]) -> None:
        self.targets = set(targets)
        self.useful = self.targets | _on_the_way(starts, self.targets)
        self.arrived: dict[Edge, Tensor] = {}

    def goes_on(self, node: Node) -> bool:
        """Whether a gradient that is asked for lies beyond this node."""
        return not self.useful.isdisjoint(node.edges)

    def take(self, edges: Sequence[Edge], gradients: Sequence[Any]) -> None:
        """Keep those of the gradients that are asked for."""
        self.arrived.update([pair for pair in zip(edges, gradients, strict=True) if pair[0] in self.targets])

    def of_use(self, edges: Sequence[Edge], gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradients, None for those that lead to nothing asked for."""
        return [each if edge in self.useful else None for edge, each in zip(edges, gradients, strict=True)]


def _on_the_way(starts: Sequence[tuple[Edge, Any]], goals: set[Edge]) -> set[Edge]:
    """The edges between `starts` and `goals`: to nodes with an edge to a goal or to a node on the way."""
    found: dict[Node, list[Edge]] = {}
    stack: list[Edge] = [edge for edge, _ in starts]
    while stack:
        edge = stack.pop()
        node = edge.node if isinstance(edge, Output) else edge
        if isinstance(node, Node):
            if node not in found:
                stack += node.edges
            found.setdefault(node, []).append(edge)
    on_the_way: set[Edge] = set()
    # Oldest first: whether an input's node is on the way is known before its users are asked.
    for node in sorted(found, key=lambda node: node.number):
        if not (goals.isdisjoint(node.edges) and on_the_way.isdisjoint(node.edges)):
            on_the_way.update(found[node])
    return on_the_way


def _accumulate(tensor: Tensor, gradient: Tensor, owned: bool, record: bool) -> None:
    """Add to a tensor's `.grad`, which it owns: the first gradient is copied, unless nobody else holds it."""
    if not tensor._requires_grad:
        return  # It was frozen after it was used.
    with _accumulating:
        earlier = tensor._grad
        if earlier is None:
            if not owned:
                plain = not (record or gradient.is_sparse)
                gradient = gradient._new(copied(gradient._array)) if plain else gradient.clone()
            tensor._grad = gradient
        elif record or not (earlier.is_sparse or earlier._array.flags.writeable):
            tensor._grad = earlier._plus(gradient, False)
        else:
            tensor._grad = earlier._plus(gradient, True)
            storage_of(earlier).version += 1


def _targets(inputs: tuple[Any, ...]) -> dict[Edge, Any]:
    """The tensors whose `.grad` a backward pass is to add to, by the edges to them."""
    if not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    for position, x in enumerate(inputs):
        if not x.requires_grad:
            raise RuntimeError(
                f"One of the differentiated Tensors does not require grad: input {position} of {len(inputs)}. Make it "
                "with requires_grad=True, or call requires_grad_() before it is used."
            )
    return {edge_to(x): x for x in inputs}


def _as_tuple(tensors: Any) -> tuple[Any, ...]:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _tensors(given: Any, what: str) -> tuple[Any, ...]:
    """`given`, a tensor or a sequence of tensors, as a tuple of at least one."""
    tensors = _as_tuple(given)
    if not tensors:
        raise ValueError(f"grad requires non-empty inputs: got no {what}")
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"{what} must be Tensors, but element {position} is of type {type(x).__name__}")
    return tensors


def _starts(outputs: tuple[Any, ...], gradients: Any, record: bool) -> list[tuple[Edge, Any]]:
    """Where the walk starts and with which gradients, after all checks."""
    gradients = (None,) * len(outputs) if gradients is None else _as_tuple(gradients)
    starts: list[tuple[Edge, Any]] = []
    # Their number comes last: a bare array has a gradient for each row, but what is wrong is that it is an array.
    for position, (output, gradient) in enumerate(zip(outputs, gradients, strict=False)):
        if not output.requires_grad:
            raise RuntimeError(
                f"element {position} of tensors does not require grad and does not have a grad_fn: nothing that "
                "it was computed from was made with requires_grad=True, or it was computed under no_grad() or "
                "detached since."
            )
        starts.append((edge_to(output), _start_gradient(output, gradient, position, record)))
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    return starts


def _start_gradient(output: Any, gradient: Any, position: int, record: bool) -> Any:
    """The gradient to start with at `output`: the user's if there is one, else 1 for the only element."""
    if gradient is None:
        if output._array.size != 1:
            raise RuntimeError(
                f"grad can be implicitly created only for scalar outputs, but this one has shape "
                f"{Size(output._array.shape)}. Reduce it first, as in y.sum().backward(), or pass the gradient of "
                "the loss with respect to it, of its shape: y.backward(gradient)."
            )
        return output._new(np.array(1, output._array.dtype, ndmin=output._array.ndim))
    if not isinstance(gradient, Tensor):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}: torch.tensor(data) makes one"
        )
    if gradient._array.shape != output._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {Size(gradient._array.shape)} and "
            f"output[{position}] has a shape of {Size(output._array.shape)}."
        )
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
    inputs: Any = None,
) -> None:
    """Add to the `.grad` of each leaf its gradient of this tensor; see `minigrad.autograd.backward`.

    `gradient`, of this tensor's shape, is the gradient of the loss with respect to it; it may be left out if
    this is the loss, of one element.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * 3).backward(torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 3., 30.])
    """
    backward((self,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs=inputs)
