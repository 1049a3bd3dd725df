"""Recurrent layers: two linear maps and a gate, step after step.

What a layer is, is said by its `step`: it gets `x`, the linear map of the input, `u`, that of the hidden state, and the
state; and gives the next state.  `unrolled` applies it to a whole sequence.  That would do, but for the time it takes:
so a layer's way through the steps is one node of the graph, which has the gradients of all steps written out.

Sources: J. Elman, "Finding structure in time" (1990); S. Hochreiter and J. Schmidhuber, "Long short-term memory"
(1997), with the forget gate of F. Gers et al. (2000); K. Cho et al., "Learning phrase representations using RNN
encoder-decoder" (2014), with the reset gate after the product, as in PyTorch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from minigrad.core.arrays import total
from minigrad.core.dtypes import Array
from minigrad.core.kept import keep_inputs
from minigrad.core.modes import current
from minigrad.core.tape import Several
from minigrad.core.tensor import Tensor
from minigrad.ops.fused import double_backward
from minigrad.ops.joining import cat
from minigrad.ops.matrices import linear

State: TypeAlias = tuple[Tensor, ...]


def tanh_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, between -1 and 1; of the old one, `h`, it sees no more than `u`."""
    return ((x + u).tanh(),)


def relu_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, which may grow without bound; of the old one, `h`, it sees no more than `u`."""
    return ((x + u).relu(),)


def lstm_step(x: Tensor, u: Tensor, h: Tensor, c: Tensor) -> State:
    """The next hidden state and cell: some of the cell is kept, something comes in, and some of it is shown."""
    i, f, g, o = (x + u).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, between the old one and a new one, which sees as much of the old one as `r` lets it."""
    (x_r, x_z, x_n), (u_r, u_z, u_n) = x.chunk(3, -1), u.chunk(3, -1)
    r, z = (x_r + u_r).sigmoid(), (x_z + u_z).sigmoid()
    n = (x_n + r * u_n).tanh()
    return ((h - n) * z + n,)


def unrolled(
    step: Callable[..., State], rows: Sequence[slice], x: Tensor, weight: Tensor, bias: Tensor | None, *state: Tensor
) -> list[Tensor]:
    """The hidden states of all steps and the last state, by one `step` after the other: see `Recurrence`."""
    hidden: dict[int, Tensor] = {}
    for part in rows:
        size = part.stop - part.start
        now = [each[:size] for each in state]
        new = step(x[part], linear(now[0], weight, bias), *now)
        hidden[part.start] = new[0]
        state = tuple([cat([each, old[size:]]) for each, old in zip(new, state, strict=True)])
    return [cat([hidden[start] for start in sorted(hidden)]), *state]


class Recurrence(Several):
    """One layer in one direction: the hidden states `(*, H)` of all steps, and the last state, each `(N, H)`.

    `rows`
        which rows of `x` belong to each step, in the order of the steps.  If they are fewer than N, the first
        sequences take part, and the others keep their state.
    `form`
        the name that PyTorch prints.

    Its tensors are `x`, `(*, G * H)`, the linear map of the input for all steps, for each of the G gates; `weight`,
    `(G * H, H)`, and `bias`, `(G * H,)` or None, for that of the hidden state; and the first state, each `(N, H)`.
    """

    formulas = ("through the steps, the last one first: from dh the gates' dx, from it du, and dh = du @ weight",)
    keep = keep_inputs
    aside = ("gates", "before", "to_cell")
    rows: list[slice]
    form: str

    #: The definition: the next state, in tensors.
    step: ClassVar[Callable[..., Any]]
    #: The number of gates.
    count_of_gates: ClassVar[int]

    #: `advance(gates, x, u, *state)` writes the gates of a step and the next state; what is `u` may be written to.
    advance: ClassVar[Callable[..., None]]
    #: `slopes()` is, for all rows, what the gradient of `x` is for a gradient 1 of what each gate acts on.
    slopes: ClassVar[Callable[..., Array]]
    #: `retreat(part, d, *state)` makes of the slopes `d` the gradient of `x`, and of that of the new state what passes
    #: by the gates.
    retreat: ClassVar[Callable[..., None]]

    def forward(self, x: Array, weight: Array, bias: Array | None, *start: Array) -> list[Array]:
        state, size = [each.copy() for each in start], weight.shape[1]
        by_gates = x.reshape(-1, self.count_of_gates, size)
        # Of all rows the gates, `(rows, G, H)`, and each part of the state before the step.
        self.gates: Any = np.empty_like(by_gates)
        self.before: Any = [np.empty((len(self.gates), size), x.dtype) for _ in state]
        hidden = np.empty((*x.shape[:-1], size), x.dtype)
        by_rows = hidden.reshape(-1, size)
        for part in self.rows:
            now = [each[: part.stop - part.start] for each in state]
            for before, each in zip(self.before, now, strict=True):
                before[part] = each
            u = now[0] @ weight.T
            if bias is not None:
                u += bias
            self.advance(self.gates[part], by_gates[part], u.reshape(by_gates[part].shape), *now)
            by_rows[part] = now[0]
        return [hidden, *state]

    def of_u(self, d: Array, part: slice) -> Array:
        """The gradient of `u`, given that of `x`."""
        return d.reshape(len(d), math.prod(d.shape[1:]))

    def backward(self, g: Any) -> Any:
        if current.enabled:
            return double_backward(self.definition, self, g)
        x, weight, start = (self.kept(position)._array for position in (0, 1, 3))
        like = next(each for each in g if each is not None)
        d = self.slopes()
        state = [np.zeros_like(start) if each is None else each._array.copy() for each in g[1:]]
        arriving = None if g[0] is None else g[0]._array.reshape(-1, weight.shape[1])
        for part in reversed(self.rows):
            now = [each[: part.stop - part.start] for each in state]
            if arriving is not None:
                now[0] += arriving[part]
            self.retreat(part, d[part], *now)
            now[0] += self.of_u(d[part], part) @ weight
        du = self.of_u(d, slice(None))
        to_weight, to_bias = self.edges[1:3]
        dweight = None if to_weight is None else du.T @ self.before[0]
        dbias = None if to_bias is None else total(du, (0,))[0]
        found = [d.reshape(x.shape), dweight, dbias, *state]
        return [None if edge is None else like._new(each) for edge, each in zip(self.edges, found, strict=True)]

    def definition(self, x: Tensor, *others: Any) -> list[Tensor]:
        """The same in tensors, step by step."""
        hidden, *state = unrolled(type(self).step, self.rows, x.reshape(-1, x.shape[-1]), *others)
        return [hidden.reshape(*x.shape[:-1], hidden.shape[-1]), *state]


def sigmoid_(a: Array) -> None:
    """Write `sigmoid(a)` into `a`, as `tanh(a / 2) / 2 + 1 / 2`, which is fast."""
    a *= 0.5
    np.tanh(a, out=a)
    a *= 0.5
    a += 0.5


class TanhRecurrence(Recurrence):
    """`h = tanh(x + u)`."""

    step = staticmethod(tanh_step)
    count_of_gates = 1

    def advance(self, gates: Array, x: Array, u: Array, *state: Array) -> None:
        np.add(x, u, out=gates)
        np.tanh(gates, out=gates)
        state[0][:] = gates[:, 0]

    def slopes(self) -> Array:
        return 1 - self.gates * self.gates

    def retreat(self, part: slice, d: Array, *state: Array) -> None:
        d[:, 0] *= state[0]
        state[0][:] = 0


class ReluRecurrence(TanhRecurrence):
    """`h = relu(x + u)`."""

    step = staticmethod(relu_step)

    def advance(self, gates: Array, x: Array, u: Array, *state: Array) -> None:
        np.add(x, u, out=gates)
        np.maximum(gates, 0, out=gates)
        state[0][:] = gates[:, 0]

    def slopes(self) -> Array:
        # A nan counts as above 0, as in the gradient of relu.
        return (~(self.gates <= 0)).astype(self.gates.dtype)


@functools.cache
def _scales(dtype: np.dtype[Any]) -> Array:
    return np.array([[0.5], [0.5], [1], [0.5]], dtype)


class LSTMRecurrence(Recurrence):
    """`c = f * c + i * g`, `h = o * tanh(c)`."""

    step = staticmethod(lstm_step)
    count_of_gates = 4

    def advance(self, gates: Array, x: Array, u: Array, *state: Array) -> None:
        h, c = state
        np.add(x, u, out=gates)
        # All at once: see `sigmoid_`.
        scale = _scales(gates.dtype)
        gates *= scale
        np.tanh(gates, out=gates)
        gates *= scale
        gates += 1 - scale
        i, f, g, o = gates.swapaxes(0, 1)
        c *= f
        c += i * g
        np.tanh(c, out=h)
        h *= o

    def slopes(self) -> Array:
        i, f, g, o = self.gates.swapaxes(0, 1)
        d = self.gates * self.gates
        np.subtract(self.gates, d, out=d)
        d[:, 2] += 1 - g
        before = self.before[1]
        shown = f * before
        shown += i * g
        np.tanh(shown, out=shown)
        for gate, other in enumerate((g, before, i, shown)):
            d[:, gate] *= other
        shown *= shown
        np.subtract(1, shown, out=shown)
        shown *= o
        self.to_cell = shown
        return d

    def retreat(self, part: slice, d: Array, *state: Array) -> None:
        h, c = state
        c += h * self.to_cell[part]
        d[:, :3] *= c[:, None]
        d[:, 3] *= h
        c *= self.gates[part, 1]
        h[:] = 0


class GRURecurrence(Recurrence):
    """`n = tanh(x_n + r * u_n)`, `h = n + z * (h - n)`."""

    step = staticmethod(gru_step)
    count_of_gates = 3

    def advance(self, gates: Array, x: Array, u: Array, *state: Array) -> None:
        (h,) = state
        r, z, n = gates.swapaxes(0, 1)
        np.add(x[:, :2], u[:, :2], out=gates[:, :2])
        sigmoid_(gates[:, :2])
        np.tanh(x[:, 2] + r * u[:, 2], out=n)
        h -= n
        h *= z
        h += n

    def slopes(self) -> Array:
        r, z, n = self.gates.swapaxes(0, 1)
        h, size = self.before[0], n.shape[1]
        u = h @ self.kept(1)._array[2 * size :].T
        if self.kept(2) is not None:
            u += self.kept(2)._array[2 * size :]
        to_n = (1 - z) * (1 - n * n)
        return np.stack([to_n * u * r * (1 - r), (h - n) * z * (1 - z), to_n], 1)

    def retreat(self, part: slice, d: Array, *state: Array) -> None:
        d *= state[0][:, None]
        state[0][:] *= self.gates[part, 1]

    def of_u(self, d: Array, part: slice) -> Array:
        du = d.copy()
        du[:, 2] *= self.gates[part, 0]
        return du.reshape(len(d), math.prod(d.shape[1:]))
