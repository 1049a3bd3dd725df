"""Looking up rows of a table, its gradients, and the product with one-hot vectors that says the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from .floors import add_rows, add_rows_at
from .harness import Program, Step, gradients, leaf, normal, uniform_ids, workload, zipf_ids

TABLES = [(50257, 768, 8192), (65, 32, 4096), (10**6, 64, 8192)]


@workload("lookup, {0} × {1}, {2} ids", *TABLES, tiny=(11, 3, 17))
def lookup(vocabulary: int, width: int, count: int) -> tuple[Step, Program]:
    table, ids = normal(vocabulary, width), zipf_ids(count, vocabulary)

    def floor() -> list[Any]:
        return [table.take(ids, axis=0)]

    def program(torch: Any) -> Step:
        weight, indices = torch.from_numpy(table), torch.from_numpy(ids)
        return lambda: [torch.nn.functional.embedding(indices, weight)]

    return floor, program


@workload("lookup and dense gradient, {0} × {1}, {2} ids", *TABLES, tiny=(11, 3, 17))
def lookup_and_gradient(vocabulary: int, width: int, count: int) -> tuple[Step, Program]:
    table, ids, upstream = normal(vocabulary, width), zipf_ids(count, vocabulary), normal(count, width, seed=2)

    def floor() -> list[Any]:
        return [table.take(ids, axis=0), add_rows(upstream, ids, vocabulary)]

    def program(torch: Any) -> Step:
        weight, indices, g = leaf(torch, table), torch.from_numpy(ids), torch.from_numpy(upstream)
        return lambda: gradients(torch.nn.functional.embedding(indices, weight), g, weight)

    return floor, program


@workload("sparse SGD step, {0} × {1}, {2} ids", *[(v, 64, 1024) for v in (10**4, 10**5, 10**6)], tiny=(11, 3, 17))
def sparse_step(vocabulary: int, width: int, count: int) -> tuple[Step, Program]:
    table, ids, upstream = normal(vocabulary, width), zipf_ids(count, vocabulary), normal(count, width, seed=2)
    moving = table.copy()

    def floor() -> list[Any]:
        y = moving.take(ids, axis=0)
        add_rows_at(moving, upstream, ids, -0.1)
        return [y]

    def program(torch: Any) -> Step:
        embedding = torch.nn.Embedding(vocabulary, width, sparse=True, _weight=torch.from_numpy(table.copy()))
        indices, g = torch.from_numpy(ids), torch.from_numpy(upstream)
        optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)

        def step() -> list[Any]:
            y = embedding(indices)
            y.backward(g)
            optimizer.step()
            optimizer.zero_grad()
            return [y]

        return step

    return floor, program


VOCABULARIES = [64, 256, 1024, 4096, 8192, 16384, 32768]


@workload("lookup, {0} × {1}, {2} ids", *[(v, 64, 256) for v in VOCABULARIES], tiny=(11, 3, 17))
def small_lookup(vocabulary: int, width: int, count: int) -> tuple[Step, Program]:
    table, ids = normal(vocabulary, width), uniform_ids(count, vocabulary)

    def floor() -> list[Any]:
        return [table.take(ids, axis=0)]

    def program(torch: Any) -> Step:
        weight, indices = torch.from_numpy(table), torch.from_numpy(ids)
        return lambda: [torch.nn.functional.embedding(indices, weight)]

    return floor, program


@workload("one-hot product, {0} × {1}, {2} ids", *[(v, 64, 256) for v in VOCABULARIES], tiny=(11, 3, 17))
def one_hot_product(vocabulary: int, width: int, count: int) -> tuple[Step, Program]:
    table, ids = normal(vocabulary, width), uniform_ids(count, vocabulary)
    rows = np.arange(count)

    def floor() -> list[Any]:
        x = np.zeros((count, vocabulary), np.float32)
        x[rows, ids] = 1
        return [x @ table]

    def program(torch: Any) -> Step:
        weight, indices = torch.from_numpy(table), torch.from_numpy(ids)
        one_hot = torch.nn.functional.one_hot
        return lambda: [one_hot(indices, vocabulary).float() @ weight]

    return floor, program
