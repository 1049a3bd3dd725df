"""Recurrent layers are two Linears and a gate: outputs, gradients, and gradients of gradients."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as torch
from minigrad import nn


def tanh_gate(x: Any, u: Any, state: Any) -> Any:
    return (torch.tanh(x + u),)


def relu_gate(x: Any, u: Any, state: Any) -> Any:
    return (torch.relu(x + u),)


def lstm_gate(x: Any, u: Any, state: Any) -> Any:
    into, forget, new, show = torch.split(x + u, x.shape[-1] // 4, -1)
    cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(into) * torch.tanh(new)
    return torch.sigmoid(show) * torch.tanh(cell), cell


def gru_gate(x: Any, u: Any, state: Any) -> Any:
    size = x.shape[-1] // 3
    reset, keep = torch.sigmoid((x + u)[..., :size]), torch.sigmoid((x + u)[..., size : 2 * size])
    return ((1 - keep) * torch.tanh(x[..., 2 * size :] + reset * u[..., 2 * size :]) + keep * state[0],)


pytestmark = pytest.mark.usefixtures("seeded")

KINDS = {
    "tanh": (nn.RNN, nn.RNNCell, {"nonlinearity": "tanh"}, tanh_gate),
    "relu": (nn.RNN, nn.RNNCell, {"nonlinearity": "relu"}, relu_gate),
    "lstm": (nn.LSTM, nn.LSTMCell, {}, lstm_gate),
    "gru": (nn.GRU, nn.GRUCell, {}, gru_gate),
}


def two_linears(layer: Any, suffix: str) -> Any:
    """The Linear of the input and that of the hidden state, with the layer's own parameters."""
    made = []
    for name in ("ih", "hh"):
        weight, bias = getattr(layer, f"weight_{name}{suffix}"), getattr(layer, f"bias_{name}{suffix}", None)
        linear = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
        linear.weight, linear.bias = weight, bias
        made.append(linear)
    return made


def defined(layer: Any, gate: Any, x: Any, state: list[Any], lengths: list[int]) -> tuple[Any, list[Any]]:
    """What the layer is, one sequence at a time and one step at a time; `x` is `(L, N, I)`."""
    ways = 2 if layer.bidirectional else 1
    last: list[list[Any]] = []
    for place in range(layer.num_layers * ways):
        if place % ways == 0:
            outputs = []
        linear_x, linear_h = two_linears(layer, f"_l{place // ways}{'_reverse' if place % ways else ''}")
        by_sequence, ends = [], []
        for which, length in enumerate(lengths):
            now, hidden = [each[place, which] for each in state], [torch.zeros_like(state[0][0, 0])] * len(x)
            for step in range(length)[:: -1 if place % ways else 1]:
                now = gate(linear_x(x[step, which]), linear_h(now[0]), now)
                hidden[step] = now[0]
            by_sequence.append(torch.stack(hidden))
            ends.append(now)
        outputs.append(torch.stack(by_sequence, 1))
        last.append([torch.stack(each) for each in zip(*ends, strict=True)])
        if place % ways == ways - 1:
            x = torch.cat(outputs, -1)
    return x, [torch.stack(each) for each in zip(*last, strict=True)]


def through(layer: Any, x: Any, state: list[Any], lengths: list[int]) -> tuple[Any, list[Any]]:
    """The same by the layer; sequences that differ in length are packed."""
    hx = tuple(state) if len(state) == 2 else state[0]
    if min(lengths) == len(x):
        y, new = layer(x, hx)
    else:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        y, new = layer(packed, hx)
        y, counted = nn.utils.rnn.pad_packed_sequence(y, total_length=len(x))
        assert counted.tolist() == lengths
    return y, list(new) if len(state) == 2 else [new]


def derivatives(outputs: list[Any], leaves: list[Any], cotangents: list[Any]) -> list[Any]:
    """The outputs, their gradients, and the gradients of these, as arrays."""
    first = torch.autograd.grad(outputs, leaves, cotangents, create_graph=True)
    second = torch.autograd.grad(
        sum([(each * each).sum() for each in first]), [*leaves, *cotangents], retain_graph=True
    )
    plain = torch.autograd.grad(outputs, leaves, [each.detach() for each in cotangents])
    return [each.detach().numpy() for each in [*outputs, *first, *second, *plain]]


@given(
    st.sampled_from(sorted(KINDS)), st.integers(1, 2), st.booleans(), st.booleans(),
    st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_a_recurrent_layer_is_two_linears_and_a_gate(
    kind: str, layers: int, bidirectional: bool, bias: bool, lengths: list[int], seed: int
) -> None:
    make, _, options, gate = KINDS[kind]
    torch.manual_seed(seed)
    layer = make(2, 3, layers, bias=bias, bidirectional=bidirectional, dtype=torch.float64, **options)
    x = torch.randn(3, len(lengths), 2, dtype=torch.float64, requires_grad=True)
    size = (layers * (1 + bidirectional), len(lengths), 3)
    state = [torch.randn(size, dtype=torch.float64, requires_grad=True) for _ in range(1 + (kind == "lstm"))]
    leaves = [x, *state, *layer.parameters()]
    results = []
    for compute in (lambda: through(layer, x, state, lengths), lambda: defined(layer, gate, x, state, lengths)):
        y, new = compute()
        torch.manual_seed(seed)
        cotangents = [torch.randn_like(each).requires_grad_() for each in (y, *new)]
        results.append(derivatives([y, *new], leaves, cotangents))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_is_one_step(kind: str) -> None:
    make, make_cell, options, _ = KINDS[kind]
    layer, cell = make(2, 3, **options), make_cell(2, 3, **options)
    for name, parameter in cell.named_parameters():
        parameter.data = getattr(layer, f"{name}_l0").data
    x = torch.randn(4, 1, 2)
    state = None
    for each in x:
        state = cell(each, state)
    y, last = layer(x)
    for a, b in zip(*[each if kind == "lstm" else [each] for each in (state, last)], strict=True):
        torch.testing.assert_close(a, b[0])
    torch.testing.assert_close(y[-1], state[0] if kind == "lstm" else state)


def test_what_one_output_alone_sends_back_arrives() -> None:
    lstm = nn.LSTM(2, 3)
    x = torch.randn(4, 2, 2)
    for pick in (lambda y, h, c: y, lambda y, h, c: h, lambda y, h, c: c):
        y, (h, c) = lstm(x)
        part = pick(y, h, c)
        gradients = torch.autograd.grad(part.sum(), list(lstm.parameters()))
        y, (h, c) = lstm(x)
        together = (pick(y, h, c) + 0).sum() + 0 * (y.sum() + h.sum() + c.sum())
        for a, b in zip(gradients, torch.autograd.grad(together, list(lstm.parameters())), strict=True):
            torch.testing.assert_close(a, b)
