"""Rows of the table with operands of their own: branches that drawn ones seldom reach, below, at and above limits."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from table import add


def reals(*shape: int) -> Any:
    """Numbers in ±[0.5, 2], no two near each other, none near 0."""
    size = int(np.prod(shape))
    draws = np.random.RandomState(size)
    magnitudes = draws.permutation(0.5 + 1.5 * (np.arange(size) + draws.uniform(0, 0.5)) / max(size, 1))
    return (magnitudes * draws.choice([-1.0, 1.0], size)).reshape(shape)


def row(
    covers: str,
    call: Callable[..., Any],
    *shapes: tuple[int, ...],
    ulps: float = 8,
    twice: bool = True,
    **options: list[Any],
) -> None:
    """A row of the functions of tensors of the given shapes, and of one option of each list."""
    arrays = [[reals(*shape).astype(dtype) for shape in shapes] for dtype in ("float64", "float32")]
    drawn = st.tuples(st.sampled_from(arrays), *map(st.sampled_from, options.values()))
    add(
        covers,
        call,
        drawn.map(lambda each: (*each[0], *each[1:])),
        ulps=ulps,
        grad_ulps=8 * ulps,
        grad_least=1,
        twice=twice,
    )


# ---- products with zeros, many rows ----------------------------------------------------------------------------------

ZEROS = [[], [(0, 1)], [(0, 1), (1, 0)], [(0, 0), (0, 2)]]


def with_zeros(api: Any, x: Any, places: list[tuple[int, int]]) -> Any:
    mask = np.ones(tuple(x.shape))
    for place in places:
        mask[place] = 0
    return x * api.from_numpy(mask).to(x.dtype)


row("Tensor.prod", lambda api, x, zeros: with_zeros(api, x, zeros).prod(), (2, 4), zeros=ZEROS)
row("Tensor.prod", lambda api, x, zeros: with_zeros(api, x, zeros).prod(1), (2, 4), zeros=ZEROS)
row(
    "Tensor.cumprod", lambda api, x, zeros, dim: with_zeros(api, x, zeros).cumprod(dim), (2, 4), zeros=ZEROS, dim=[0, 1]
)
many: dict[str, Any] = {"ulps": 512, "count": [1023, 1025]}
row("Tensor.sum", lambda api, x, count: x.repeat(count, 1).sum(0), (4, 2), **many)
row("Tensor.sum", lambda api, x, count: x.repeat(1, count).sum(1), (2, 4), **many)
row("Tensor.var", lambda api, x, count: x.repeat(count, 1).var(0), (4, 2), **many)
row(
    "Tensor.norm",
    lambda api, x, p, dim: x.norm(p, dim, True),
    (2, 3),
    p=[float("inf"), -float("inf"), 0, 3],
    dim=[0, 1],
)
row("Tensor.trace", lambda api, x: x.trace(), (2, 3))

# ---- lookups, bags and sums of rows ----------------------------------------------------------------------------------

REPEATS = [2, 7, 8, 9, 40]


def often(api: Any, count: int) -> Any:
    """The ids 2, 0 and 3: one of them `count` times."""
    return api.tensor([2] * count + [0, 3])


row("nn.functional.embedding", lambda api, w, n: api.nn.functional.embedding(often(api, n), w), (4, 3), n=REPEATS)
row("nn.functional.embedding", lambda api, w, n: api.nn.functional.embedding(often(api, n), w, 2), (4, 3), n=REPEATS)
row("Tensor.__getitem__", lambda api, x, n: x[often(api, n)], (4, 3), n=REPEATS)
row(
    "Tensor.index_add",
    lambda api, x, y, n: x.index_add(0, often(api, n), y.expand(n + 2, 3)),
    (4, 3),
    (1, 3),
    n=REPEATS,
)
row("Tensor.index_select", lambda api, x, n: x.index_select(1, often(api, n)), (2, 4), n=REPEATS)


def bags(mode: str) -> Callable[..., Any]:
    return lambda api, w, starts: api.nn.functional.embedding_bag(
        api.tensor([3, 1, 1, 0, 2, 3]), w, api.tensor(starts), mode=mode
    )


for mode in ("sum", "mean", "max"):
    row("nn.functional.embedding_bag", bags(mode), (4, 2), twice=False, starts=[[0, 2, 2, 5], [0, 3], [0, 0, 6]])
row("Tensor.scatter", lambda api, x, y: x.scatter(1, api.tensor([[2, 0], [1, 2]]), y), (2, 3), (2, 2))
row("Tensor.scatter_add_", lambda api, x, y: (x * 1).T.scatter_add_(1, api.tensor([[1, 0], [1, 1]]), y), (2, 3), (2, 2))
row(
    "repeat_interleave",
    lambda api, x, n: x.repeat_interleave(api.tensor(n), 1),
    (2, 3),
    n=[[2, 0, 3], [1, 1, 1], [0, 0, 4]],
)
row("Tensor.unfold", lambda api, x, size, step: x.unfold(1, size, step), (2, 6), size=[1, 2, 3], step=[1, 2, 3])


def set_at(api: Any, x: Any, y: Any, index: Any) -> Any:
    z = x * 1
    z[index] = y
    return z


PLACES = [(None, ..., 1), ([2, 0], slice(None), [1, 1]), ([2, 0],), (1, [1, 0]), (..., 0)]
row("Tensor.__setitem__", set_at, (3, 2, 2), (2,), index=PLACES)

# ---- layers ----------------------------------------------------------------------------------------------------------


def linear(api: Any, x: Any, *parameters: Any) -> Any:
    return api.nn.functional.linear(x, *parameters)


for shapes in (
    [(3,), (4, 3)],
    [(3,), (4, 3), (4,)],
    [(2, 3), (4, 3), (1,)],
    [(4, 2, 3), (3,)],
    [(4, 2, 3), (2, 3), (2,)],
):
    row("nn.functional.linear", linear, *shapes)
row(
    "nn.functional.scaled_dot_product_attention",
    lambda api, q, k, v, causal: api.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal),
    (3, 4),
    (5, 4),
    (5, 2),
    ulps=32,
    causal=[False, True],
)
row(
    "nn.functional.batch_norm",
    lambda api, x, w, b: api.nn.functional.batch_norm(x, w.detach() * 2, w.detach().abs() + 1, w, b),
    (2, 3, 4),
    (3,),
    (3,),
    ulps=32,
)
for how in ("none", "mean", "sum"):
    row(
        "nn.functional.cross_entropy",
        lambda api, x, w, ids, how=how: api.nn.functional.cross_entropy(x, api.tensor(ids), w.abs(), reduction=how),
        (4, 3),
        (3,),
        ulps=32,
        ids=[[2, 0, -100, 1], [1, 1, 1, 2]],
    )
