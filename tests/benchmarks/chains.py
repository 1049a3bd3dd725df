"""Chains of small operations, whose cost is that of being recorded and walked."""

from __future__ import annotations

from typing import Any

import numpy as np

from .harness import Array, Program, Step, gradients, leaf, normal, workload

LINKS = 10


@workload("chain of 30 ops on 8 × 8, forward", (8, 8), tiny=(2, 2), ops=3 * LINKS)
def forward_chain(rows: int, columns: int) -> tuple[Step, Program]:
    x, w, b = [normal(rows, columns, seed=seed) for seed in range(3)]

    def floor() -> list[Any]:
        y = x
        for _ in range(LINKS):
            y = np.tanh(y * w + b)
        return [y]

    def program(torch: Any) -> Step:
        start, factor, term = leaf(torch, x), torch.from_numpy(w), torch.from_numpy(b)

        def step() -> list[Any]:
            y = start
            for _ in range(LINKS):
                y = torch.tanh(y * factor + term)
            return [y]

        return step

    return floor, program


@workload("chain of 30 ops on 8 × 8", (8, 8), tiny=(2, 2), ops=3 * LINKS)
def small_chain(*shape: int) -> tuple[Step, Program]:
    return _chain(*[normal(*shape, seed=seed) / 2 for seed in range(4)])


@workload("chain of 30 ops on 0-d", (), tiny=(), ops=3 * LINKS)
def chain_of_numbers() -> tuple[Step, Program]:
    return _chain(*[normal(1, seed=seed)[0] / 2 for seed in range(4)])


def _chain(x: Array, w: Array, b: Array, upstream: Array) -> tuple[Step, Program]:
    def floor() -> list[Any]:
        y, outputs = x, []
        for _ in range(LINKS):
            y = np.tanh(y * w + b)
            outputs.append(y)
        g = upstream
        for output in reversed(outputs):
            g = g * (1 - output * output) * w
        return [y, g]

    def program(torch: Any) -> Step:
        start, factor, term, g = [torch.from_numpy(np.array(each)) for each in (x, w, b, upstream)]
        start.requires_grad_()

        def step() -> list[Any]:
            y = start
            for _ in range(LINKS):
                y = torch.tanh(y * factor + term)
            return gradients(y, g, start)

        return step

    return floor, program


@workload("chain of 10^5 ops on 8 × 8", (10**5, 8), tiny=(100, 2), ops=10**5)
def deep_chain(length: int, size: int) -> tuple[Step, Program]:
    x, upstream = normal(size, size), normal(size, size, seed=1)
    w = np.float32(1) + np.float32(1e-6) * normal(size, size, seed=2)

    def floor() -> list[Any]:
        y = x
        for _ in range(length):
            y = y * w
        g = upstream
        for _ in range(length):
            g = g * w
        return [y, g]

    def program(torch: Any) -> Step:
        start, factor, g = leaf(torch, x), torch.from_numpy(w), torch.from_numpy(upstream)

        def step() -> list[Any]:
            y = start
            for _ in range(length):
                y = y * factor
            return gradients(y, g, start)

        return step

    return floor, program
