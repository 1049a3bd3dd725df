"""The backward walk, from outputs to leaves, newest node first; `backward` and `grad` start it."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .anomaly import anomaly, checked_backward
from .base import TensorBase, copied, storage_of
from .hooks import Watch, leaf_hooks, replaced_by, run_hooks
from .modes import is_grad_enabled, set_grad_enabled
from .size import Size
from .tape import Edge, Node, Output, Several, edge_to

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
        arrived, owned, retained = _walk(starts, retain_graph, create_graph, targets)
        _run_leaf_hooks(arrived, owned)
        for edge, gradient in arrived.items():
            _accumulate(edge if targets is None else targets[edge], gradient, edge in owned, create_graph)
        for tensor, gradient in retained:
            _accumulate(tensor, gradient, False, create_graph)
        _run_hooks_after(arrived if targets is None else [targets[edge] for edge in arrived])


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
        arrived, owned, retained = _walk(starts, retain_graph, create_graph, edges)
        _run_leaf_hooks(arrived, owned)
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


def _walk(
    starts: Sequence[tuple[Edge, Any]], retain_graph: bool | None, record: bool, targets: Iterable[Edge] | None
) -> tuple[dict[Edge, Any], set[Edge], list[tuple[Any, Any]]]:
    """The gradients that arrive at the leaves (or at `targets`), which of them nobody else holds, and the retained.

    Of the nodes still to visit, the newest is next: all users of its output are newer, so its gradient is
    complete.  A heap on the nodes' numbers gives this reverse topological order without recursion.
    """
    retain = record if retain_graph is None else retain_graph
    only = None if targets is None else set(targets)
    useful = None if only is None else only | _on_the_way(starts, only)
    arrived: dict[Edge, Any] = {}
    retained: list[tuple[Any, Any]] = []
    sums: dict[Edge, Any] = {}
    owned: set[Edge] = set()
    heap: list[tuple[int, Node]] = []
    waiting: set[Node] = set()
    arrivals: Iterable[tuple[Edge, Any]] = starts
    g: Any = None
    while True:
        for edge, gradient in arrivals:
            if gradient is None or (useful is not None and edge not in useful):
                continue
            earlier = sums.get(edge)
            if earlier is None:
                sums[edge] = gradient
                if isinstance(edge, Node):
                    heapq.heappush(heap, (-edge.number, edge))
                elif isinstance(edge, Output) and edge.node not in waiting:
                    waiting.add(edge.node)
                    heapq.heappush(heap, (-edge.node.number, edge.node))
                # What a backward returns is `g` itself, a view, or nobody else's (see Node.backward).
                if not gradient.is_sparse and gradient is not g and gradient._array.base is None and not record:
                    owned.add(edge)
            elif edge in owned:
                if gradient.is_sparse:
                    earlier += gradient
                else:
                    np.add(earlier._array, gradient._array, out=earlier._array)
            else:
                sums[edge] = earlier + gradient if not earlier.is_sparse else gradient + earlier
                if not record and not (earlier.is_sparse and gradient.is_sparse):
                    owned.add(edge)
        if not heap:
            return arrived | sums, owned, retained
        _, node = heapq.heappop(heap)
        # Nothing but `g` holds this gradient now: it goes as soon as it has been passed on.
        gradient = earlier = None
        goes_on = useful is None or not useful.isdisjoint(node.edges)
        if only is None and node.watch is None and not isinstance(node, Several):
            g = sums.pop(node)
            owned.discard(node)
        else:
            g = _arrived_at(node, goes_on, sums, owned, only or set(), arrived, retained)
        if goes_on and g is not None:
            plain = node.watch is None and not anomaly.enabled
            arrivals = zip(node.edges, node.backward(g) if plain else _backward(node, g), strict=True)
            if not retain:
                node.release()
        else:
            arrivals = ()


def _arrived_at(
    node: Node,
    goes_on: bool,
    sums: dict[Edge, Any],
    owned: set[Edge],
    only: set[Edge],
    arrived: dict[Edge, Any],
    retained: list[tuple[Any, Any]],
) -> Any:
    """The gradient of the node's output, a list of them if it has several, after all that is asked to see it."""
    several = isinstance(node, Several)
    edges: list[Edge] = [Output(node, index) for index in range(node.count)] if isinstance(node, Several) else [node]
    gradients = [sums.pop(edge, None) for edge in edges]
    owned.difference_update(edges)
    wanted = [(edge, position) for position, edge in enumerate(edges) if edge in only]
    # Where the walk goes on, PyTorch hands out the gradient as it was before its hooks; where it ends, after them.
    if goes_on:
        arrived.update([(edge, gradients[position]) for edge, position in wanted])
    if node.watch is not None:
        gradients = _watched(node.watch, gradients, retained)
    if not goes_on:
        arrived.update([(edge, gradients[position]) for edge, position in wanted])
    return gradients if several else gradients[0]


def _watched(watch: Watch, g: list[Any], retained: list[tuple[Any, Any]]) -> list[Any]:
    """The gradients of a node's outputs after their hooks; those that tensors retain are added to `retained`."""
    for index, gradient in enumerate(g):
        if gradient is not None and watch.hooks.get(index):
            g[index] = run_hooks(watch.hooks[index], gradient)
    for hook in list(watch.hooks.get("before", {}).values()):
        g = replaced_by(hook, g, hook(tuple(g)))
    for index, reference in watch.retained.items():
        tensor = reference()
        if g[index] is not None and tensor is not None:
            retained.append((tensor, g[index]))
    return g


def _backward(node: Node, g: Any) -> Sequence[Any]:
    """What `node.backward(g)` returns, looked at by whoever watches the node."""
    gradients = checked_backward(node, g) if anomaly.enabled else node.backward(g)
    after = {} if node.watch is None else node.watch.hooks.get("after", {})
    for hook in list(after.values()):
        seen = tuple(g) if isinstance(node, Several) else (g,)
        gradients = replaced_by(hook, gradients, hook(tuple(gradients), seen))
    if after and not is_grad_enabled():
        # Hooks may hold what they saw or gave: the walk does not take a view for its own.
        gradients = [each if each is None or each.is_sparse else each._new(each._array.view()) for each in gradients]
    return gradients


def _run_leaf_hooks(arrived: dict[Edge, Any], owned: set[Edge]) -> None:
    """Let the hooks of leaves see the gradients that arrived for them; what they return replaces them."""
    for edge, gradient in arrived.items():
        if isinstance(edge, TensorBase) and edge.__dict__.get("_backward_hooks"):
            owned.discard(edge)
            arrived[edge] = run_hooks(leaf_hooks(edge), gradient)


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


def _accumulate(tensor: Any, gradient: Any, owned: bool, record: bool) -> None:
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
        elif earlier.is_sparse and not gradient.is_sparse:
            tensor._grad = gradient + earlier
        elif record or not (earlier.is_sparse or earlier._array.flags.writeable):
            tensor._grad = earlier + gradient
        elif gradient.is_sparse:
            earlier += gradient
        else:
            earlier._array += gradient._array
            storage_of(earlier).version += 1


def _run_hooks_after(tensors: Iterable[Any]) -> None:
    """Call the hooks that wait for the gradients of leaves to be in their `.grad`."""
    for tensor in tensors:
        hooks = tensor.__dict__.get("_post_accumulate_grad_hooks")
        for hook in list(hooks.values()) if hooks else ():
            if hook(tensor) is not None:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


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
    return (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)


def _tensors(given: Any, what: str) -> tuple[Any, ...]:
    """`given`, a tensor or a sequence of tensors, as a tuple of at least one."""
    tensors = _as_tuple(given)
    if not tensors:
        raise ValueError(f"grad requires non-empty inputs: got no {what}")
    for position, x in enumerate(tensors):
        if not isinstance(x, TensorBase):
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
    if not isinstance(gradient, TensorBase):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}: torch.tensor(data) makes one"
        )
    if gradient._array.shape != output._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {Size(gradient._array.shape)} and "
            f"output[{position}] has a shape of {Size(output._array.shape)}."
        )
    if record:
        return gradient.type_as(output)  # type: ignore[attr-defined]  # every tensor has it
    # A view in the output's dtype: the walk does not take it for its own, and the caller's stays as it is.
    return gradient._new(gradient._array.astype(output._array.dtype, copy=False).view())
