"""Recurrent layers: two linear maps and a gate, step after step.

What a layer is, is said by its `step`: it gets `x`, the linear map of the input, `u`, that of the hidden state, and the
state; and gives the next state.  Applied to one row of a sequence after the other, as in `Recurrence.definition`, that
would do, but for the time it takes: so a layer's way through the steps is one node of the graph, which has the
gradients of all steps written out.

Sources: J. Elman, "Finding structure in time" (1990); S. Hochreiter and J. Schmidhuber, "Long short-term memory"
(1997), with the forget gate of F. Gers et al. (2000); K. Cho et al., "Learning phrase representations using RNN
encoder-decoder" (2014), with the reset gate after the product, as in PyTorch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import numpy as np

from minigrad.core.arrays import total
from minigrad.core.dtypes import Array
from minigrad.core.tape import Several
from minigrad.core.tensor import Tensor
from minigrad.ops.fused import Fused
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


class Recurrence(Fused, Several):
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
    aside = ("gates", "before", "shown", "to_cell")
    rows: list[slice]
    form: str

    #: The definition: the next state, in tensors.
    step: ClassVar[Callable[..., Any]]
    #: The number of gates.
    count_of_gates: ClassVar[int]
    #: Whether something of the hidden state passes by the gates.
    passes: ClassVar[bool] = False

    #: `advance(part, gates, x, u, *state)` writes the gates of the step of these rows, side by side as in `x` and `u`,
    #: and the next state.
    advance: ClassVar[Callable[..., None]]
    #: `slopes()` is, for all rows, what the gradient of `x` is for a gradient 1 of what each gate acts on.
    slopes: ClassVar[Callable[..., Array]]
    #: `retreat(part, d, *state)` makes of the slopes `d` the gradient of `x`, and of that of the new state what passes
    #: by the gates, if anything does.
    retreat: ClassVar[Callable[..., None]]

    def forward(self, x: Array, weight: Array, bias: Array | None, *start: Array) -> list[Array]:
        state, size, of_rows = [each.copy() for each in start], weight.shape[1], x.reshape(-1, len(weight))
        gates = np.empty_like(of_rows)
        # Of all rows the gates, `(rows, G, H)`, and each part of the state before the step.
        self.gates: Any = gates.reshape(-1, self.count_of_gates, size)
        self.before: Any = [np.empty((len(gates), size), x.dtype) for _ in state]
        hidden = np.empty((*x.shape[:-1], size), x.dtype)
        by_rows = hidden.reshape(-1, size)
        for part in self.rows:
            now = [each[: part.stop - part.start] for each in state]
            for before, each in zip(self.before, now, strict=True):
                before[part] = each
            u = now[0] @ weight.T
            if bias is not None:
                u += bias
            self.advance(part, gates[part], of_rows[part], u, *now)
            by_rows[part] = now[0]
        return [hidden, *state]

    def of_u(self, d: Array, part: slice) -> Array:
        """The gradient of `u`, given that of `x`."""
        return d

    def fused_gradients(self, g: Any) -> Any:
        x, weight, start = (self.kept(position)._array for position in (0, 1, 3))
        like = next(each for each in g if each is not None)
        d, width = self.slopes(), len(weight)
        state = [np.zeros_like(start) if each is None else each._array.copy() for each in g[1:]]
        arriving = None if g[0] is None else g[0]._array.reshape(-1, weight.shape[1])
        for part in reversed(self.rows):
            now = [each[: part.stop - part.start] for each in state]
            if arriving is not None:
                now[0] += arriving[part]
            self.retreat(part, d[part], *now)
            of_u = self.of_u(d[part], part).reshape(-1, width)
            if self.passes:
                now[0] += of_u @ weight
            else:
                np.matmul(of_u, weight, out=now[0])
        du = self.of_u(d, slice(None)).reshape(-1, width)
        to_weight, to_bias = self.edges[1:3]
        dweight = None if to_weight is None else du.T @ self.before[0]
        dbias = None if to_bias is None else total(du, (0,))[0]
        found = [d.reshape(x.shape), dweight, dbias, *state]
        return [None if edge is None else like._new(each) for edge, each in zip(self.edges, found, strict=True)]

    def definition(self, x: Tensor, weight: Tensor, bias: Tensor | None, *state: Tensor) -> list[Tensor]:
        """The same in tensors, one `step` after the other."""
        of_rows, hidden = x.reshape(-1, x.shape[-1]), {}
        for part in self.rows:
            size = part.stop - part.start
            now = [each[:size] for each in state]
            new = type(self).step(of_rows[part], linear(now[0], weight, bias), *now)
            hidden[part.start] = new[0]
            state = tuple([cat([each, old[size:]]) for each, old in zip(new, state, strict=True)])
        y = cat([hidden[start] for start in sorted(hidden)])
        return [y.reshape(*x.shape[:-1], y.shape[-1]), *state]


class TanhRecurrence(Recurrence):
    """`h = tanh(x + u)`."""

    step = staticmethod(tanh_step)
    #: `applied(x, out)` writes the function of the sum.
    applied: ClassVar[Callable[..., Array]] = np.tanh
    count_of_gates = 1

    def advance(self, part: slice, gates: Array, x: Array, u: Array, *state: Array) -> None:
        np.add(x, u, out=gates)
        self.applied(gates, gates)
        state[0][:] = gates

    def slopes(self) -> Array:
        return 1 - self.gates * self.gates

    def retreat(self, part: slice, d: Array, *state: Array) -> None:
        d[:, 0] *= state[0]


class ReluRecurrence(TanhRecurrence):
    """`h = relu(x + u)`."""

    step = staticmethod(relu_step)
    applied = staticmethod(lambda x, out: np.maximum(x, 0, out=out))

    def slopes(self) -> Array:
        # A nan counts as above 0, as in the gradient of relu.
        return (~(self.gates <= 0)).astype(self.gates.dtype)


@functools.cache
def _scales(size: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """By what the gates of an LSTM are multiplied, before their tanh and after it, and what is added to them then.

    A sigmoid is `tanh(a / 2) / 2 + 1 / 2`, which is fast.
    """
    scale = np.repeat(np.array([0.5, 0.5, 1, 0.5], dtype), size)
    return scale, 1 - scale


class LSTMRecurrence(Recurrence):
    """`c = f * c + i * g`, `h = o * tanh(c)`."""

    step = staticmethod(lstm_step)
    count_of_gates = 4

    def forward(self, x: Array, weight: Array, *others: Any) -> list[Array]:
        # Of all rows what is shown of the cell.
        self.shown: Any = np.empty((x.size // len(weight), weight.shape[1]), x.dtype)
        return super().forward(x, weight, *others)

    def advance(self, part: slice, gates: Array, x: Array, u: Array, *state: Array) -> None:
        h, c = state
        np.add(x, u, out=gates)
        scale, shift = _scales(h.shape[1], h.dtype)
        gates *= scale
        np.tanh(gates, out=gates)
        gates *= scale
        gates += shift
        i, f, g, o = gates.reshape(-1, 4, h.shape[1]).swapaxes(0, 1)
        c *= f
        c += i * g
        np.multiply(o, np.tanh(c, out=self.shown[part]), out=h)

    def slopes(self) -> Array:
        i, f, g, o = self.gates.swapaxes(0, 1)
        self.to_cell = o * (1 - self.shown * self.shown)
        slopes = g * i * (1 - i), self.before[1] * f * (1 - f), i * (1 - g * g), self.shown * o * (1 - o)
        return np.stack(slopes, 1)

    def retreat(self, part: slice, d: Array, *state: Array) -> None:
        h, c = state
        c += h * self.to_cell[part]
        d[:, :3] *= c[:, None]
        d[:, 3] *= h
        c *= self.gates[part, 1]


class GRURecurrence(Recurrence):
    """`n = tanh(x_n + r * u_n)`, `h = n + z * (h - n)`."""

    step = staticmethod(gru_step)
    count_of_gates = 3
    passes = True

    def advance(self, part: slice, gates: Array, x: Array, u: Array, *state: Array) -> None:
        (h,) = state
        start = 2 * h.shape[1]
        sigmoids, n = gates[:, :start], gates[:, start:]
        np.add(x[:, :start], u[:, :start], out=sigmoids)
        # As in `_scales`.
        sigmoids *= 0.5
        np.tanh(sigmoids, out=sigmoids)
        sigmoids *= 0.5
        sigmoids += 0.5
        r, z = sigmoids.reshape(-1, 2, h.shape[1]).swapaxes(0, 1)
        np.tanh(x[:, start:] + r * u[:, start:], out=n)
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
        return du
