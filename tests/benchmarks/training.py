"""Whole training steps: forward, backward, and the parameters move."""

from __future__ import annotations

from typing import Any

import numpy as np

from .floors import (
    AdamW,
    add_rows,
    cross_entropy,
    gelu_tanh,
    layer_norm,
    layer_norm_backward,
    linear,
    linear_backward,
    softmax,
    softmax_backward,
)
from .harness import Array, Program, Step, normal, uniform_ids, workload


def _trained(torch: Any, model: Any, optimizer: Any, ids: Array, target: Array) -> Step:
    """A step of training the model, whose outputs are scores; the loss."""
    indices, classes = torch.from_numpy(ids), torch.from_numpy(target)

    def step() -> list[Any]:
        loss = torch.nn.functional.cross_entropy(model(indices), classes)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return [loss]

    return step


def _load(torch: Any, model: Any, state: dict[str, Array]) -> Any:
    """The model with these parameters."""
    model.load_state_dict({name: torch.from_numpy(each.copy()) for name, each in state.items()})
    return model


# ---- bigrams ---------------------------------------------------------------------------------------------------------


@workload("bigram step, {0} letters, batch of {1}", (27, 32), (27, 4096), tiny=(5, 8))
def bigrams(vocabulary: int, batch: int) -> tuple[Step, Program]:
    state = {"weight": normal(vocabulary, vocabulary)}
    ids, target = uniform_ids(2 * batch, vocabulary).reshape(2, batch)
    table = state["weight"].copy()

    def floor() -> list[Any]:
        loss, g = cross_entropy(table.take(ids, axis=0), target)
        dw = add_rows(g, ids, vocabulary)
        dw *= np.float32(10)
        np.subtract(table, dw, out=table)
        return [loss]

    def program(torch: Any) -> Step:
        model = _load(torch, torch.nn.Embedding(vocabulary, vocabulary), state)
        return _trained(torch, model, torch.optim.SGD(model.parameters(), lr=10), ids, target)

    return floor, program


# ---- a multi-layer perceptron on the last few tokens -----------------------------------------------------------------


def _perceptron(torch: Any, vocabulary: int, block: int, width: int, hidden: int) -> Any:
    nn = torch.nn
    return nn.Sequential(
        nn.Embedding(vocabulary, width),
        nn.Flatten(),
        nn.Linear(block * width, hidden),
        nn.Tanh(),
        nn.Linear(hidden, vocabulary),
    )


def _perceptron_state(vocabulary: int, block: int, width: int, hidden: int) -> dict[str, Array]:
    return {
        "0.weight": normal(vocabulary, width),
        "2.weight": normal(hidden, block * width, seed=1) * np.float32((block * width) ** -0.5),
        "2.bias": np.zeros(hidden, np.float32),
        "4.weight": normal(vocabulary, hidden, seed=2) * np.float32(hidden**-0.5),
        "4.bias": np.zeros(vocabulary, np.float32),
    }


def _perceptron_by_hand(w: dict[str, Array], ids: Array, target: Array) -> tuple[np.float32, list[Array]]:
    """The loss and the gradients of the parameters, in their order."""
    table, batch = w["0.weight"], len(ids)
    x = table.take(ids, axis=0).reshape(batch, -1)
    h = linear(x, w["2.weight"], w["2.bias"])
    np.tanh(h, out=h)
    loss, g = cross_entropy(linear(h, w["4.weight"], w["4.bias"]), target)
    dh, dw4, db4 = linear_backward(g, h, w["4.weight"])
    h *= h
    np.subtract(1, h, out=h)
    dh *= h
    dx, dw2, db2 = linear_backward(dh, x, w["2.weight"])
    return loss, [add_rows(dx.reshape(ids.size, -1), ids.reshape(-1), len(table)), dw2, db2, dw4, db4]


@workload("MLP step, {0} letters, block {1}, {2}, {3}, batch of {4}", (27, 3, 10, 200, 32), tiny=(7, 3, 4, 5, 8))
def perceptron(vocabulary: int, block: int, width: int, hidden: int, batch: int) -> tuple[Step, Program]:
    sizes = (vocabulary, block, width, hidden)
    state = _perceptron_state(*sizes)
    ids, target = uniform_ids(batch * block, vocabulary).reshape(batch, block), uniform_ids(batch, vocabulary)
    moving = {name: each.copy() for name, each in state.items()}

    def floor() -> list[Any]:
        loss, found = _perceptron_by_hand(moving, ids, target)
        for parameter, gradient in zip(moving.values(), found, strict=True):
            gradient *= np.float32(0.1)
            np.subtract(parameter, gradient, out=parameter)
        return [loss]

    def program(torch: Any) -> Step:
        model = _load(torch, _perceptron(torch, *sizes), state)
        return _trained(torch, model, torch.optim.SGD(model.parameters(), lr=0.1), ids, target)

    return floor, program


@workload(
    "MLP step with AdamW, {0} tokens, block {1}, {2}, {3}, batch of {4}", (50257, 3, 256, 512, 32), tiny=(7, 3, 4, 5, 8)
)
def large_perceptron(vocabulary: int, block: int, width: int, hidden: int, batch: int) -> tuple[Step, Program]:
    sizes = (vocabulary, block, width, hidden)
    state = _perceptron_state(*sizes)
    ids, target = uniform_ids(batch * block, vocabulary).reshape(batch, block), uniform_ids(batch, vocabulary)
    moving = {name: each.copy() for name, each in state.items()}
    rule = AdamW(list(moving.values()), lr=1e-3)

    def floor() -> list[Any]:
        loss, found = _perceptron_by_hand(moving, ids, target)
        rule.step(found)
        return [loss]

    def program(torch: Any) -> Step:
        model = _load(torch, _perceptron(torch, *sizes), state)
        return _trained(torch, model, torch.optim.AdamW(model.parameters(), lr=1e-3), ids, target)

    return floor, program


@workload("AdamW, {0} parameters", (10**7,), tiny=(100,))
def adamw(count: int) -> tuple[Step, Program]:
    start, gradient = normal(count), normal(count, seed=1)
    moving = start.copy()
    rule = AdamW([moving], lr=1e-3)

    def floor() -> list[Any]:
        rule.step([gradient])
        return [moving[:100].copy()]

    def program(torch: Any) -> Step:
        parameter = torch.nn.Parameter(torch.from_numpy(start.copy()))
        parameter.grad = torch.from_numpy(gradient)
        optimizer = torch.optim.AdamW([parameter], lr=1e-3)

        def step() -> list[Any]:
            optimizer.step()
            return [parameter[:100].detach().clone()]

        return step

    return floor, program


# ---- a transformer ---------------------------------------------------------------------------------------------------


def _gpt(torch: Any, vocabulary: int, tokens: int, width: int, heads: int, layers: int) -> Any:
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            batch = x.shape[0]
            qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
            y = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))

    class Gpt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids: Any) -> Any:
            x = self.table(ids) + self.positions(torch.arange(tokens))
            return self.head(self.norm(self.blocks(x))).view(ids.numel(), vocabulary)

    return Gpt()


def _gpt_state(vocabulary: int, tokens: int, width: int, layers: int) -> dict[str, Array]:
    shapes = {"table.weight": (vocabulary, width), "positions.weight": (tokens, width)}
    for layer in range(layers):
        for name, outputs, inputs in (
            ("qkv", 3 * width, width), ("out", width, width), ("up", 4 * width, width), ("down", width, 4 * width)
        ):  # fmt: skip
            shapes[f"blocks.{layer}.{name}.weight"] = (outputs, inputs)
    shapes["head.weight"] = (vocabulary, width)
    state = {name: normal(*shape, seed=seed) * np.float32(0.1) for seed, (name, shape) in enumerate(shapes.items())}
    for name in [name for name in state if name.startswith("blocks")]:
        state[name.replace("weight", "bias")] = np.zeros(len(state[name]), np.float32)
    for norm in ["norm", *[f"blocks.{layer}.norm{each}" for layer in range(layers) for each in (1, 2)]]:
        state[f"{norm}.weight"] = np.ones(width, np.float32)
        state[f"{norm}.bias"] = np.zeros(width, np.float32)
    return state


class GptByHand:
    """Forward and backward of the same model: each method takes a step forward and notes how to go back."""

    def __init__(self, w: dict[str, Array], heads: int) -> None:
        self.w = w
        self.heads = heads
        self.back: list[Any] = []
        self.found: dict[str, Array] = {}

    def linear(self, name: str, x: Array) -> Array:
        weight, bias = self.w[f"{name}.weight"], self.w.get(f"{name}.bias")

        def back(g: Array) -> Array:
            dx, self.found[f"{name}.weight"], db = linear_backward(g, x, weight)
            if bias is not None:
                self.found[f"{name}.bias"] = db
            return dx

        self.back.append(back)
        return linear(x, weight, bias)

    def norm(self, name: str, x: Array) -> Array:
        weight = self.w[f"{name}.weight"]
        y, *statistics = layer_norm(x, weight, self.w[f"{name}.bias"])

        def back(g: Array) -> Array:
            dx, self.found[f"{name}.weight"], self.found[f"{name}.bias"] = layer_norm_backward(
                g, x, weight, *statistics
            )
            return dx

        self.back.append(back)
        return y

    def gelu(self, x: Array) -> Array:
        y, slope = gelu_tanh(x)
        self.back.append(lambda g: np.multiply(g, slope, out=slope))
        return y

    def attention(self, qkv: Array, batch: int, tokens: int) -> Array:
        heads, width = self.heads, qkv.shape[1] // 3
        q, k, v = qkv.reshape(batch, tokens, 3, heads, width // heads).transpose(2, 0, 3, 1, 4)
        scale = np.float32((width // heads) ** -0.5)
        scores = (q * scale) @ k.swapaxes(-1, -2)
        scores += np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)
        p = softmax(scores.reshape(-1, tokens)).reshape(scores.shape)

        def back(g: Array) -> Array:
            g = g.reshape(batch, tokens, heads, -1).transpose(0, 2, 1, 3)
            dp = g @ v.swapaxes(-1, -2)
            ds = softmax_backward(dp.reshape(-1, tokens), p.reshape(-1, tokens)).reshape(p.shape)
            ds *= scale
            out = np.empty((batch, tokens, 3, heads, width // heads), np.float32)
            dq, dk, dv = out.transpose(2, 0, 3, 1, 4)
            np.matmul(ds, k, out=dq)
            np.matmul(ds.swapaxes(-1, -2), q, out=dk)
            np.matmul(p.swapaxes(-1, -2), g, out=dv)
            return out.reshape(batch * tokens, 3 * width)

        self.back.append(back)
        return (p @ v).transpose(0, 2, 1, 3).reshape(batch * tokens, width)

    def backward(self, g: Array, steps: int) -> Array:
        for _ in range(steps):
            g = self.back.pop()(g)
        return g

    def step(self, ids: Array, target: Array, layers: int) -> tuple[np.float32, dict[str, Array]]:
        (batch, tokens), self.found = ids.shape, {}
        x = self.w["table.weight"].take(ids, axis=0)
        x += self.w["positions.weight"]
        x = x.reshape(ids.size, -1)
        for layer in range(layers):
            block = f"blocks.{layer}"
            x = x + self.linear(
                f"{block}.out",
                self.attention(self.linear(f"{block}.qkv", self.norm(f"{block}.norm1", x)), batch, tokens),
            )
            x = x + self.linear(f"{block}.down", self.gelu(self.linear(f"{block}.up", self.norm(f"{block}.norm2", x))))
        loss, g = cross_entropy(self.linear("head", self.norm("norm", x)), target)
        g = self.backward(g, 2)
        for _ in range(2 * layers):
            g += self.backward(g, 4)
        self.found["table.weight"] = add_rows(g, ids.reshape(-1), len(self.w["table.weight"]))
        self.found["positions.weight"] = g.reshape(*ids.shape, -1).sum(0)
        return loss, self.found


@workload(
    "GPT step with AdamW, {0} letters, {1} tokens, {2} wide, {3} heads, {4} layers, batch of {5}",
    (65, 64, 128, 4, 2, 8),
    tiny=(7, 4, 6, 2, 2, 3),
)
def gpt(vocabulary: int, tokens: int, width: int, heads: int, layers: int, batch: int) -> tuple[Step, Program]:
    state = _gpt_state(vocabulary, tokens, width, layers)
    ids, target = uniform_ids(2 * batch * tokens, vocabulary).reshape(2, batch, tokens)
    target = target.reshape(-1)
    moving = {name: each.copy() for name, each in state.items()}
    model_by_hand = GptByHand(moving, heads)
    rule = AdamW(list(moving.values()), lr=1e-3)

    def floor() -> list[Any]:
        loss, found = model_by_hand.step(ids, target, layers)
        rule.step([found[name] for name in moving])
        return [loss]

    def program(torch: Any) -> Step:
        model = _load(torch, _gpt(torch, vocabulary, tokens, width, heads, layers), state)
        return _trained(torch, model, torch.optim.AdamW(model.parameters(), lr=1e-3), ids, target)

    return floor, program
