"""Whole training steps, as lessons have them: each gets `minigrad` or `torch` and returns the step."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def _ids(torch: Any, below: int, *shape: int) -> Any:
    return torch.from_numpy(np.random.default_rng(0).integers(0, below, shape))


def _trained(torch: Any, model: Any, optimizer: Any, x: Any, target: Any) -> Callable[[], Any]:
    def step() -> Any:
        scores = model(x)
        loss = torch.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), target.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def _by_hand(parameters: list[Any], loss_of: Callable[[], Any], lr: float = 0.1) -> Callable[[], Any]:
    """A step of parameters without a module, as notebooks write it."""
    for p in parameters:
        p.requires_grad_()

    def step() -> Any:
        loss = loss_of()
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data -= lr * p.grad
        return loss.item()

    return step


def bigram(torch: Any) -> Callable[[], Any]:
    table = torch.nn.Embedding(27, 27)
    return _trained(torch, table, torch.optim.SGD(table.parameters(), 1.0), _ids(torch, 27, 32), _ids(torch, 27, 32))


def names_mlp(torch: Any) -> Callable[[], Any]:
    """A table, two layers and batch norm by hand, a batch of 32 contexts of 3 letters."""
    table, w1, w2 = torch.randn(27, 10), torch.randn(30, 200) * 0.3, torch.randn(200, 27) * 0.1
    gain, bias, b2 = torch.ones(1, 200), torch.zeros(1, 200), torch.zeros(27)
    x, target = _ids(torch, 27, 32, 3), _ids(torch, 27, 32)

    def loss() -> Any:
        h = table[x].view(32, -1) @ w1
        h = gain * (h - h.mean(0, keepdim=True)) / h.std(0, keepdim=True) + bias
        return torch.nn.functional.cross_entropy(torch.tanh(h) @ w2 + b2, target)

    return _by_hand([table, w1, w2, gain, bias, b2], loss)


def rnn_by_hand(torch: Any) -> Callable[[], Any]:
    """25 letters one after another, one-hot, hidden size 100."""
    wx, wh, wy = torch.randn(65, 100) * 0.1, torch.randn(100, 100) * 0.1, torch.randn(100, 65) * 0.1
    bh, by = torch.zeros(100), torch.zeros(65)
    x, target = _ids(torch, 65, 25), _ids(torch, 65, 25)

    def loss() -> Any:
        h, total = torch.zeros(1, 100), 0.0
        for t in range(25):
            one_hot = torch.nn.functional.one_hot(x[t : t + 1], 65).float()
            h = torch.tanh(one_hot @ wx + h @ wh + bh)
            total = total + torch.nn.functional.cross_entropy(h @ wy + by, target[t : t + 1])
        return total

    return _by_hand([wx, wh, wy, bh, by], loss, 1e-3)


def lstm_by_hand(torch: Any) -> Callable[[], Any]:
    """20 steps of a batch of 16, the four gates from one product."""
    w, u, b, out = torch.randn(32, 256) * 0.1, torch.randn(64, 256) * 0.1, torch.zeros(256), torch.randn(64, 27) * 0.1
    x, target = torch.randn(20, 16, 32), _ids(torch, 27, 16)

    def loss() -> Any:
        h, c = torch.zeros(16, 64), torch.zeros(16, 64)
        for t in range(20):
            i, f, g, o = (x[t] @ w + h @ u + b).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return torch.nn.functional.cross_entropy(h @ out, target)

    return _by_hand([w, u, b, out], loss)


def lstm_layer(torch: Any) -> Callable[[], Any]:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.lstm = torch.nn.Embedding(65, 32), torch.nn.LSTM(32, 64, batch_first=True)
            self.head = torch.nn.Linear(64, 65)

        def forward(self, ids: Any) -> Any:
            return self.head(self.lstm(self.table(ids))[0])

    model = Model()
    return _trained(
        torch, model, torch.optim.Adam(model.parameters()), _ids(torch, 65, 16, 20), _ids(torch, 65, 16, 20)
    )


def word2vec(torch: Any) -> Callable[[], Any]:
    """Skip-grams with five negative samples, sparse gradients."""
    centers, contexts = (torch.nn.Embedding(5000, 64, sparse=True) for _ in range(2))
    optimizer = torch.optim.SparseAdam([*centers.parameters(), *contexts.parameters()])
    word, near, far = _ids(torch, 5000, 256), _ids(torch, 5000, 256), _ids(torch, 5000, 256, 5)

    def step() -> Any:
        v = centers(word)
        good = torch.nn.functional.logsigmoid((v * contexts(near)).sum(1))
        bad = torch.nn.functional.logsigmoid(-(contexts(far) @ v.unsqueeze(2)).squeeze(2)).sum(1)
        loss = -(good + bad).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def bag_of_words(torch: Any) -> Callable[[], Any]:
    model = torch.nn.Sequential(torch.nn.EmbeddingBag(5000, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    return _trained(torch, model, torch.optim.Adam(model.parameters()), _ids(torch, 5000, 64, 50), _ids(torch, 4, 64))


def sparse_step(torch: Any) -> Callable[[], Any]:
    """1024 rows of a table of 100,000."""
    table, ids = torch.nn.Embedding(100_000, 64, sparse=True), _ids(torch, 100_000, 1024)
    optimizer = torch.optim.SGD(table.parameters(), 0.1)

    def step() -> Any:
        optimizer.zero_grad()
        table(ids).sum().backward()
        optimizer.step()

    return step


def gpt(torch: Any) -> Callable[[], Any]:
    """Two layers, GELU by hand with `torch.pow(x, 3)`, dropout, attention by hand, AdamW; clipped gradients."""
    nn, functional, width, heads, tokens = torch.nn, torch.nn.functional, 64, 4, 64

    class Gelu(nn.Module):
        def forward(self, x: Any) -> Any:
            return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out, self.drop = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Dropout(0.1)
            self.register_buffer("mask", torch.tril(torch.ones(tokens, tokens)).view(1, 1, tokens, tokens))

        def forward(self, x: Any) -> Any:
            parts = [
                part.view(-1, tokens, heads, width // heads).transpose(1, 2) for part in self.qkv(x).split(width, 2)
            ]
            scores = parts[0] @ parts[1].transpose(-2, -1) / math.sqrt(width // heads)
            weights = self.drop(functional.softmax(scores.masked_fill(self.mask == 0, float("-inf")), dim=-1))
            return self.out((weights @ parts[2]).transpose(1, 2).contiguous().view(-1, tokens, width))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.attention = nn.LayerNorm(width), nn.LayerNorm(width), Attention()
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), Gelu(), nn.Linear(4 * width, width), nn.Dropout(0.1))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.first(x))
            return x + self.mlp(self.second(x))

    class Gpt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.positions = nn.Embedding(65, width), nn.Embedding(tokens, width)
            self.blocks = nn.Sequential(nn.Dropout(0.1), Block(), Block(), nn.LayerNorm(width))
            self.head = nn.Linear(width, 65, bias=False)

        def forward(self, ids: Any) -> Any:
            return self.head(self.blocks(self.table(ids) + self.positions(torch.arange(tokens))))

    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return _trained(torch, model, optimizer, _ids(torch, 65, 8, tokens), _ids(torch, 65, 8, tokens))


LESSONS = [gpt, names_mlp, rnn_by_hand, lstm_by_hand, lstm_layer, word2vec, bag_of_words, bigram, sparse_step]
