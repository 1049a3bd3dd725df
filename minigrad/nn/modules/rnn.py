"""Recurrent layers: two linear maps and a gate, step after step; and their cells, which take one step.

A kind of layer is defined by its `step`: it gets `x`, the linear map of the input, `u`, that of the hidden state, and
the state, and returns the next state.  `Recurrence.definition` applies it to one element of a sequence after the other.
Since that is slow, a layer's way through all steps is one node of the graph, with the gradients written out.

Sources: J. Elman, "Finding structure in time" (1990); S. Hochreiter and J. Schmidhuber, "Long short-term memory"
(1997), with the forget gate of F. Gers et al. (2000); K. Cho et al., "Learning phrase representations using RNN
encoder-decoder" (2014), with the reset gate after the product, as in PyTorch.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from minigrad.core.arrays import total
from minigrad.core.dtypes import Array, dtype, float32
from minigrad.core.linear import product, rows
from minigrad.core.ops import Permute
from minigrad.core.tape import Several
from minigrad.declare import with_options
from minigrad.nn import functional as F, init
from minigrad.nn.modules.layer import ParameterLayer
from minigrad.nn.modules.module import non_default
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.nn.utils.rnn import PackedSequence
from minigrad.ops.arguments import DType, OnDevice
from minigrad.ops.fused import Fused
from minigrad.ops.shapes import cat, stack
from minigrad.tensor import Tensor
from minigrad.tensors.creation import zeros
from minigrad.tensors.errors import result_of, warn_program

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell"]

State: TypeAlias = tuple[Tensor, ...]

# ---- a step of each kind, and all steps as one node ------------------------------------------------------------------


def tanh_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, between -1 and 1; it depends on the old one, `h`, only by `u`."""
    return ((x + u).tanh(),)


def relu_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, which may grow without bound; it depends on the old one, `h`, only by `u`."""
    return ((x + u).relu(),)


def lstm_step(x: Tensor, u: Tensor, h: Tensor, c: Tensor) -> State:
    """The next hidden state and cell: f says how much of the cell is kept, i what is added, o what is shown of it."""
    i, f, g, o = (x + u).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x: Tensor, u: Tensor, h: Tensor) -> State:
    """The next hidden state, between the old one and a new one, `n`; r says how much of the old one goes into that."""
    (x_r, x_z, x_n), (u_r, u_z, u_n) = x.chunk(3, -1), u.chunk(3, -1)
    r, z = (x_r + u_r).sigmoid(), (x_z + u_z).sigmoid()
    n = (x_n + r * u_n).tanh()
    return ((h - n) * z + n,)


class Recurrence(Fused, Several):
    """One layer in one direction: the hidden states `(*, H)` of all steps, and the last state, each `(N, H)`.

    `rows`
        which rows of the input belong to each step, in the order of the steps.  If these are fewer than N, the step is
        that of the first sequences, and the others keep their state.
    `form`
        the name that PyTorch prints.

    Its tensors are the input, `(*, I)`; the weights and biases of both linear maps, for each of G gates, `(G * H, I)`,
    `(G * H, H)`, and twice `(G * H,)` or None; and the first state, each `(N, H)`.

    A step works on arrays `(G, N, H)`: each gate is contiguous, so that NumPy is fast.
    """

    formulas = ("through the steps, the last one first: from dh the gates' dx, from it du, and dh = du @ weight_hh",)
    aside = ("trace", "before", "scale", "shift", "bias")
    rows: list[slice]
    form: str

    #: The definition: the next state, in tensors.
    step: ClassVar[Callable[..., Any]]
    #: The number of gates.
    count_of_gates: ClassVar[int]
    #: For each gate that acts on `x + u`, the factor before and after its tanh: see `squash`.
    scales: ClassVar[tuple[float, ...]]
    #: The number of arrays in the trace of a step (the gates are the first), and that in its slopes.
    count_in_trace: ClassVar[int]
    count_of_slopes: ClassVar[int]

    #: `advance(trace, x, *state)` takes a step: `u` is in the trace, in the place of the gates; it writes what the way
    #: back needs into the trace, and the next state into `state`.
    advance: ClassVar[Callable[..., None]]
    #: `write_slopes(out, trace)` is, for all steps, what the gradients are for a gradient 1 of what each gate acts on.
    write_slopes: ClassVar[Callable[..., None]]
    #: `retreat(slopes, trace, dx, du, *state)` writes the gradients of `x` and `u` (one array if they are the same),
    #: and makes of the new cell's the old one's; it returns what of the hidden state's passes by the gates, or None.
    retreat: ClassVar[Callable[..., Array | None]]

    def forward(self, x: Array, weight_ih: Array, weight_hh: Array, *rest: Any) -> list[Array]:
        bias_ih, bias_hh, *start = rest
        (many, size), count = start[0].shape, self.count_of_gates
        scale = np.repeat(np.array(self.scales, x.dtype), many * size).reshape(len(self.scales), many, size)
        of_x, self.bias = product(rows(x), weight_ih.T), np.zeros((), x.dtype)
        if bias_ih is not None:
            # In `x + u` both biases count alike: their sum is added to all rows at once.
            summed = len(self.scales) * size
            of_x += np.concatenate([bias_ih[:summed] + bias_hh[:summed], bias_ih[summed:]])
            self.bias = bias_hh[summed:]
        of_x = of_x.reshape(-1, count, size).swapaxes(0, 1)
        by_gate = weight_hh.reshape(count, size, size).mT
        hidden = np.empty((*x.shape[:-1], size), x.dtype)
        of_rows = rows(hidden)
        self.before: Any = np.empty_like(of_rows)
        self.trace: Any = np.empty((len(self.rows), self.count_in_trace, many, size), x.dtype)
        state, many = [each.copy() for each in start], -1
        for part, trace in zip(self.rows, self.trace, strict=True):
            if part.stop - part.start != many:
                many = part.stop - part.start
                *now, self.scale, self.shift = [each[..., :many, :] for each in (*state, scale, 1 - scale)]
            trace = trace[:, :many]
            self.before[part] = now[0]
            np.matmul(now[0], by_gate, out=trace[:count])
            self.advance(trace, of_x[:, part], *now)
            of_rows[part] = now[0]
        return [hidden, *state]

    def squash(self, gates: Array, x: Array) -> None:
        """Turn `u` into gates: tanh(x + u), or sigmoid(a) as `tanh(a / 2) / 2 + 1 / 2`, which is faster."""
        gates += x
        gates *= self.scale
        np.tanh(gates, gates)
        gates *= self.scale
        gates += self.shift

    def fused_gradients(self, g: Any) -> Any:
        x, weight_ih, weight_hh, start = [self.kept(position)._array for position in (0, 1, 2, 5)]
        count, (width, size) = self.count_of_gates, weight_hh.shape
        like = next(each for each in g if each is not None)
        state = [np.zeros_like(start) if each is None else each._array.copy() for each in g[1:]]
        arriving = np.zeros_like(self.before) if g[0] is None else rows(g[0]._array)
        dx = np.empty((len(self.before), width), x.dtype)
        du = dx if len(self.scales) == count else np.empty_like(dx)
        of_x, of_u = [each.reshape(-1, count, size).swapaxes(0, 1) for each in (dx, du)]
        slopes = np.empty((len(self.rows), self.count_of_slopes, *start.shape), x.dtype)
        self.write_slopes(*[each.swapaxes(0, 1) for each in (slopes, self.trace)])
        for part, trace, slope in zip(self.rows[::-1], self.trace[::-1], slopes[::-1], strict=True):
            many = part.stop - part.start
            now = state if many == len(start) else [each[:many] for each in state]
            now[0] += arriving[part]
            passing = self.retreat(slope[:, :many], trace[:, :many], of_x[:, part], of_u[:, part], *now)
            np.matmul(du[part], weight_hh, out=now[0])
            if passing is not None:
                now[0] += passing
        of_input = None if self.edges[0] is None else product(dx, weight_ih).reshape(x.shape)
        of_weights = [product(dx.T, rows(x)), product(du.T, self.before), total(dx, (0,))[0], total(du, (0,))[0]]
        pairs = zip(self.edges, [of_input, *of_weights, *state], strict=True)
        # Sums of halves are made in a wider dtype.
        return [None if edge is None else like._new(each.astype(x.dtype, copy=False)) for edge, each in pairs]

    def definition(self, x: Tensor, weight_ih: Tensor, weight_hh: Tensor, *rest: Any) -> list[Tensor]:
        """The same in tensors, one `step` after the other."""
        bias_ih, bias_hh, *state = rest
        of_x, hidden = F.linear(x.reshape(-1, x.shape[-1]), weight_ih, bias_ih), {}
        for part in self.rows:
            size = part.stop - part.start
            now = [each[:size] for each in state]
            new = type(self).step(of_x[part], F.linear(now[0], weight_hh, bias_hh), *now)
            hidden[part.start] = new[0]
            state = [cat([each, old[size:]]) for each, old in zip(new, state, strict=True)]
        y = cat([hidden[start] for start in sorted(hidden)])
        return [y.reshape(*x.shape[:-1], y.shape[-1]), *state]


class TanhRecurrence(Recurrence):
    """`h = tanh(x + u)`."""

    step = staticmethod(tanh_step)
    #: `applied(x, out)` writes tanh, or another function, of x.
    applied: ClassVar[Callable[..., Array]] = np.tanh
    count_of_gates, scales, count_in_trace, count_of_slopes = 1, (1,), 1, 1

    def advance(self, trace: Array, x: Array, *state: Array) -> None:
        trace += x
        self.applied(trace, trace)
        state[0][:] = trace[0]

    def write_slopes(self, out: Array, trace: Array) -> None:
        np.subtract(1, trace * trace, out=out)

    def retreat(self, slopes: Array, trace: Array, dx: Array, du: Array, *state: Array) -> None:
        np.multiply(slopes, state[0], out=dx)


class ReluRecurrence(TanhRecurrence):
    """`h = relu(x + u)`."""

    step = staticmethod(relu_step)
    applied = staticmethod(lambda x, out: np.maximum(x, 0, out=out))

    def write_slopes(self, out: Array, trace: Array) -> None:
        # A nan counts as above 0, as in the gradient of relu.
        out[...] = ~(trace <= 0)


class LSTMRecurrence(Recurrence):
    """`c = f * c + i * g`, `h = o * tanh(c)`; the trace: the gates, the old cell, and the tanh of the new one."""

    step = staticmethod(lstm_step)
    count_of_gates, scales, count_in_trace, count_of_slopes = 4, (0.5, 0.5, 1, 0.5), 6, 5

    def advance(self, trace: Array, x: Array, *state: Array) -> None:
        h, c = state
        self.squash(trace[:4], x)
        i, f, g, o, before, shown = trace
        before[:] = c
        c *= f
        c += np.multiply(i, g, shown)
        np.tanh(c, shown)
        np.multiply(o, shown, h)

    def write_slopes(self, out: Array, trace: Array) -> None:
        i, f, g, o, before, shown = trace
        out[0] = g * i * (1 - i)
        out[1] = before * f * (1 - f)
        out[2] = i * (1 - g * g)
        out[3] = shown * o * (1 - o)
        out[4] = o * (1 - shown * shown)

    def retreat(self, slopes: Array, trace: Array, dx: Array, du: Array, *state: Array) -> None:
        h, c = state
        c += slopes[4] * h
        np.multiply(slopes[3], h, out=dx[3])
        np.multiply(slopes[:3], c, out=dx[:3])
        c *= trace[1]


class GRURecurrence(Recurrence):
    """`n = tanh(x_n + r * u_n)`, `h = n + z * (h - n)`; the trace: the gates, `u_n` and `h - n`."""

    step = staticmethod(gru_step)
    count_of_gates, scales, count_in_trace, count_of_slopes = 3, (0.5, 0.5), 5, 3

    def advance(self, trace: Array, x: Array, *state: Array) -> None:
        (h,) = state
        self.squash(trace[:2], x[:2])
        r, z, n, u_n, gap = trace
        np.add(n, self.bias, out=u_n)
        np.multiply(r, u_n, out=n)
        n += x[2]
        np.tanh(n, out=n)
        np.subtract(h, n, out=gap)
        np.multiply(gap, z, out=h)
        h += n

    def write_slopes(self, out: Array, trace: Array) -> None:
        r, z, n, u_n, gap = trace
        out[2] = (1 - z) * (1 - n * n)
        out[1] = gap * z * (1 - z)
        out[0] = out[2] * u_n * r * (1 - r)

    def retreat(self, slopes: Array, trace: Array, dx: Array, du: Array, *state: Array) -> Array:
        np.multiply(slopes, state[0], out=dx)
        du[:2] = dx[:2]
        np.multiply(dx[2], trace[0], out=du[2])
        return np.multiply(state[0], trace[1])


# ---- layers and cells ------------------------------------------------------------------------------------------------

#: The kinds of recurrent layers by PyTorch's names of their modes.
KINDS: dict[str, Any] = {
    "RNN_TANH": TanhRecurrence, "RNN_RELU": ReluRecurrence, "LSTM": LSTMRecurrence, "GRU": GRURecurrence,
}  # fmt: skip


#: The names of the weights and biases of both linear maps.
_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class Recurrent(ParameterLayer):
    """What recurrent layers and cells share: their kind, its weights, and how these start."""

    #: The kind: one of the keys of KINDS.
    mode: str
    #: Whether it is a cell, which takes one step.
    _is_cell: ClassVar[bool] = False

    def _add_weights(self, suffix: str, inputs: int, on: OnDevice, dtype: DType) -> None:
        """Register the weights and biases of both linear maps."""
        outputs = KINDS[self.mode].count_of_gates * self.hidden_size
        bias = (outputs,) if self.bias else None
        shapes = zip(_NAMES, ((outputs, inputs), (outputs, self.hidden_size), bias, bias), strict=True)
        wanted = {name + suffix: shape for name, shape in shapes if shape or self._is_cell}
        add_parameters(self, on, dtype, **wanted)

    def extra_repr(self) -> str:
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        cell = {"nonlinearity": "tanh"} if self._is_cell else {}
        return f"{self.input_size}, {self.hidden_size}{non_default(self.__dict__, **usual, **cell)}"

    def _weights(self, suffix: str) -> list[Any]:
        return [self._parameters.get(name + suffix) for name in _NAMES]

    def _state(self, given: Any, shape: tuple[int, ...], dtype: dtype) -> list[Tensor]:
        """The tensors of a state (an LSTM has two): those given, checked to be of this shape and dtype, or zeros."""
        count, wanted = (2, "a pair of Tensors, (h, c)") if self.mode == "LSTM" else (1, "a Tensor")
        if given is None:
            return [zeros(shape, dtype=dtype)] * count
        parts = list(given) if count == 2 and isinstance(given, (tuple, list)) else [given]
        if len(parts) != count or not all([isinstance(each, Tensor) for each in parts]):
            raise TypeError(f"{self._get_name()}: argument 'hx' must be {wanted}, not {type(given).__name__}")
        for place, each in enumerate(parts):
            if each.dtype is not dtype:
                names = f"{each.dtype._tensor_name} and {dtype._tensor_name}"
                raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {names}: state.to({dtype})")
            if each.shape != shape:
                which = f"hidden[{place}]" if count == 2 else "hidden"
                problem = f"Expected {which} size {shape}, got {list(each.shape)}"
                raise ValueError(problem) if self._is_cell and each.ndim > 2 else RuntimeError(problem)
        return parts

    def reset_parameters(self) -> None:
        """Draw all parameters anew, from the uniform distribution on [-k, k) with `k = 1 / sqrt(hidden_size)`."""
        bound = 1 / math.sqrt(max(self.hidden_size, 1))
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)


@with_options
class RNNBase(Recurrent):
    """Layers of one kind on top of one another, each of which goes through all steps of a sequence."""

    __call__: ClassVar[Callable[..., tuple[Any, Any]]]  # type: ignore[assignment]
    input_size: int
    hidden_size: int
    num_layers: int = 1
    bias: bool = True
    batch_first: bool = False
    dropout: float = 0.0
    bidirectional: bool = False
    proj_size: int = 0

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        for name in ("input_size", "hidden_size", "num_layers"):
            size = getattr(self, name)
            if not isinstance(size, int) and (name != "num_layers" or not hasattr(size, "__index__")):
                raise TypeError(f"{name} should be of type int, got: {type(size).__name__}; // divides ints")
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        for name in ("bias", "batch_first"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} should be of type bool, got: {type(getattr(self, name)).__name__}")
        dropout, num_layers = self.dropout, self.num_layers
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(f"dropout should be a number in range [0, 1], a probability, but got {dropout}")
        if self.proj_size:
            raise NotImplementedError("proj_size: nn.Linear(hidden_size, proj_size) of the output is close")
        if dropout and num_layers == 1:
            warn_program(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        self.dropout = float(dropout)
        self._ways = ("", "_reverse") if self.bidirectional else ("",)
        for layer in range(num_layers):
            inputs = self.hidden_size * len(self._ways) if layer else self.input_size
            for way in self._ways:
                self._add_weights(f"_l{layer}{way}", inputs, device, dtype)
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, a list for each layer and direction."""
        places = [f"_l{layer}{way}" for layer in range(self.num_layers) for way in self._ways]
        return [[p for p in self._weights(place) if p is not None] for place in places]

    @property
    def _flat_weights_names(self) -> list[str]:
        # Lessons that start the weights by hand go through these names.
        return list(self._parameters)

    def flatten_parameters(self) -> None:
        """Do nothing: it is for GPUs."""

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The last layer's hidden states of all steps, and the last state of every layer.

        `input` is `(L, N, input_size)`, with `batch_first` `(N, L, input_size)`, without a batch `(L, input_size)`, or
        a `PackedSequence`; the first output is alike, with `D * hidden_size` in the last place, for D directions.
        `hx`, zeros if None, and the second output are `(D * num_layers, N, hidden_size)`, or without a batch
        `(D * num_layers, hidden_size)`; of an LSTM they are a pair of these, hidden states and cells.
        """
        packed = isinstance(input, PackedSequence)
        x, batched = (input.data, True) if packed else (input, result_of(input, "dim") == 3)
        if not packed and x.ndim not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {x.ndim}D instead")
        if not batched:
            x = x.unsqueeze(1)
        elif self.batch_first and not packed:
            x = x.transpose(0, 1)
        self._check_input(x)
        sizes = input.batch_sizes.tolist() if packed else [x.shape[1]] * x.shape[0]
        rows = (sizes[0],) if batched else ()
        state = self._state(hx, (self.num_layers * len(self._ways), *rows, self.hidden_size), x.dtype)
        if not batched:
            state = [each.unsqueeze(1) for each in state]
        if packed and input.sorted_indices is not None:
            state = [each.index_select(1, input.sorted_indices) for each in state]
        x, new = self._through_layers(x, state, sizes)
        if packed:
            y: Any = input._replace(data=x)
            if input.unsorted_indices is not None:
                new = [each.index_select(1, input.unsorted_indices) for each in new]
        elif not batched:
            y, new = x.squeeze(1), [each.squeeze(1) for each in new]
        else:
            y = Permute((1, 0, 2), f"TransposeBackward{int(self.mode != 'LSTM')}").of(x) if self.batch_first else x
        return y, tuple(new) if self.mode == "LSTM" else new[0]

    def _through_layers(self, x: Tensor, state: Sequence[Tensor], sizes: list[int]) -> tuple[Tensor, list[Tensor]]:
        """The last layer's hidden states and the new state of all layers; the steps have `sizes` rows of `x` each."""
        ends = list(itertools.accumulate(sizes))
        order = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        form = "CatBackward0" if x.ndim == 2 else "StackBackward0"
        if self.mode == "LSTM" and x.ndim == 3 and x.dtype is float32:
            form = "MkldnnRnnLayerBackward0"
        last: list[list[Tensor]] = []
        for layer in range(self.num_layers):
            if layer and self.training:
                x = F.dropout(x, self.dropout)
            ways = []
            for way in self._ways:
                recurrence = KINDS[self.mode](order[::-1] if way else order, form)
                own = [each[len(last)] for each in state]
                hidden, *new = recurrence.of(x, *self._weights(f"_l{layer}{way}"), *own)
                ways.append(hidden)
                last.append(new)
            x = cat(ways, -1) if self.bidirectional else ways[0]
        return x, [stack(each) for each in zip(*last, strict=True)]

    def _check_input(self, x: Tensor) -> None:
        dtype = self.weight_ih_l0.dtype
        if x.dtype is not dtype:
            remedy = f"Convert input: input.to({dtype}), or convert model: model.to({x.dtype})"
            raise ValueError(f"RNN input dtype ({x.dtype}) does not match weight dtype ({dtype}). {remedy}")
        if x.shape[-1] != self.input_size:
            sizes = f"Expected {self.input_size}, got {x.shape[-1]}"
            raise RuntimeError(f"input.size(-1) must be equal to input_size. {sizes}")
        if not x.shape[0]:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")


@with_options
class RNN(RNNBase):
    """`h = tanh(W_ih @ x + b_ih + W_hh @ h + b_hh)` for each step; relu in place of tanh with `nonlinearity="relu"`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> y, h = torch.nn.RNN(3, 2)(torch.randn(4, 1, 3))
    >>> y.shape, h
    (torch.Size([4, 1, 2]), tensor([[[-0.9334, -0.5626]]], grad_fn=<StackBackward0>))
    """

    nonlinearity: str = "tanh"
    bias: bool = True
    batch_first: bool = False
    dropout: float = 0.0
    bidirectional: bool = False
    proj_size: int = 0

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.mode = f"RNN_{self.nonlinearity.upper()}"
        super()._set_up(device, dtype)


class LSTM(RNNBase):
    """Long short-term memory: for each step the cell keeps some of what it has, takes something in, and shows some.

    `c = f * c + i * g` and `h = o * tanh(c)`, with the gates i, f, g and o, which are, in this order, rows of
    `W_ih @ x + b_ih + W_hh @ h + b_hh`: of `g` the tanh, of the others the sigmoid.  The state is the pair `(h, c)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> lstm = torch.nn.LSTM(3, 2)
    >>> y, (h, c) = lstm(torch.randn(4, 1, 3))
    >>> y.shape, [name for name, _ in lstm.named_parameters()]
    (torch.Size([4, 1, 2]), ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0'])
    """

    mode = "LSTM"


class GRU(RNNBase):
    """Gated recurrent units: each step's `h` lies between the old one and a new one, `h = (1 - z) * n + z * h`.

    `n = tanh(x_n + r * u_n)`, where the gates r, z and n are, in this order, rows of `x = W_ih @ input + b_ih` and of
    `u = W_hh @ h + b_hh`: `r = sigmoid(x_r + u_r)`, `z = sigmoid(x_z + u_z)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> y, h = torch.nn.GRU(3, 2, bidirectional=True)(torch.randn(4, 1, 3))
    >>> y.shape, h.shape
    (torch.Size([4, 1, 4]), torch.Size([2, 1, 2]))
    """

    mode = "GRU"


@with_options
class RNNCellBase(Recurrent):
    """One step of a recurrent layer: `(N, input_size)`, or `(input_size,)`, and a state, or None for zeros."""

    _is_cell = True

    input_size: int
    hidden_size: int
    bias: bool = True

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        self._add_weights("", self.input_size, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """The next state: a tensor, or of an LSTMCell a pair."""
        if result_of(input, "dim") not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        state = self._state(hx, (*input.shape[:-1], self.hidden_size), input.dtype)
        weight_ih, weight_hh, bias_ih, bias_hh = self._weights("")
        batch, *state = (input, *state) if input.ndim == 2 else [each.unsqueeze(0) for each in (input, *state)]
        gates = F.linear(batch, weight_ih, bias_ih)
        new = KINDS[self.mode].step(gates, F.linear(state[0], weight_hh, bias_hh), *state)
        new = new if input.ndim == 2 else tuple([each.squeeze(0) for each in new])
        return new if self.mode == "LSTM" else new[0]


@with_options
class RNNCell(RNNCellBase):
    """One step of an `RNN`."""

    nonlinearity: str = "tanh"

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}. Select from 'tanh' or 'relu'.")
        self.mode = f"RNN_{self.nonlinearity.upper()}"
        super()._set_up(device, dtype)


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`: its state is the pair `(h, c)`."""

    mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of a `GRU`."""

    mode = "GRU"
