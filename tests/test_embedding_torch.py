"""Embeddings and bags with every option are PyTorch's; and where PyTorch's are wrong, what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from comparing import Raised, outcome, seeded

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


def check_both(expression: Callable[[Any], Any]) -> None:
    """Both print the same, and draw the same numbers; or both raise the same type of error."""
    found = []
    for api in (torch, minigrad):
        with seeded(0):
            result = outcome(lambda api=api: expression(api))
        found.append(result if isinstance(result, Raised) else repr(result))
    wanted, got = found
    if isinstance(wanted, Raised):
        assert isinstance(got, Raised), (wanted.error, got)
        assert isinstance(got.error, type(wanted.error)), (wanted.error, got.error)
    else:
        assert not isinstance(got, Raised), (wanted, got.error)
        assert got == wanted


def table(t: Any, grad: bool = True) -> Any:
    return t.arange(12.0).reshape(4, 3).requires_grad_(grad)


def ids(t: Any) -> Any:
    return t.tensor([2, 0, 2, 1])


def looked_up(t: Any, w: Any, **options: Any) -> Any:
    """The rows, the table after the lookup and how often it was written to, and the gradient."""
    before = w.clone().detach()
    out = t.nn.functional.embedding(ids(t), w, **options)
    version = w._version
    (out * t.arange(1.0, 13.0).reshape(4, 3)).sum().backward()
    return out, w, version, w.grad, before.equal(w)


def bagged(t: Any, w: Any, *where: Any, **options: Any) -> Any:
    out = t.nn.functional.embedding_bag(ids(t), w, *where, **options)
    if w.requires_grad:
        (out * t.arange(1.0, 1 + out.numel()).reshape(out.shape)).sum().backward()
    return out, w, w.grad


NORMS = [1, 2, 3.5, 0.5, 0, -1, float("inf")]

LOOKUPS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda t: looked_up(t, table(t)),
    "padding_idx": lambda t: looked_up(t, table(t), padding_idx=2),
    "padding_idx from the end": lambda t: looked_up(t, table(t), padding_idx=-2),
    "scale_grad_by_freq": lambda t: looked_up(t, table(t), scale_grad_by_freq=True),
    "both": lambda t: looked_up(t, table(t), padding_idx=2, scale_grad_by_freq=True),
    "max_norm that all have": lambda t: looked_up(t, table(t), max_norm=100.0),
    "max_norm 0": lambda t: looked_up(t, table(t), max_norm=0.0),
    "max_norm below 0": lambda t: looked_up(t, table(t), max_norm=-1.0),
    "max_norm and padding_idx": lambda t: looked_up(t, table(t), padding_idx=2, max_norm=1.0),
    **{f"norm_type {p}": lambda t, p=p: looked_up(t, table(t), max_norm=1.5, norm_type=p) for p in NORMS},
    "max_norm of halves": lambda t: t.nn.functional.embedding(ids(t), table(t, False).half(), max_norm=1.0),
    "max_norm of nan and inf": lambda t: t.nn.functional.embedding(
        t.tensor([0, 1]), t.tensor([[float("nan"), 1.0], [float("inf"), 1.0]]), max_norm=1.0
    ),
    "max_norm of a result": lambda t: ((w := table(t) * 1), t.nn.functional.embedding(ids(t), w, max_norm=1.0), w),
    "max_norm of a transpose": lambda t: (
        (w := t.arange(12.0).reshape(3, 4)),
        t.nn.functional.embedding(ids(t), w.t(), max_norm=1.0),
        w,
    ),
    "max_norm after a use": lambda t: (
        (w := table(t)),
        (y := (w * w).sum()),
        t.nn.functional.embedding(ids(t), w, max_norm=1.0),
        y.backward(),
    ),
    "max_norm that all have, after a use": lambda t: (
        (w := table(t)),
        (y := (w * w).sum()),
        t.nn.functional.embedding(ids(t), w, max_norm=100.0),
        y.backward(),
    ),
    "max_norm, twice": lambda t: (
        (w := table(t, False)),
        t.nn.functional.embedding(ids(t), w, max_norm=1.0),
        t.nn.functional.embedding(ids(t), w, max_norm=1.0),
    ),
    "max_norm of integers": lambda t: t.nn.functional.embedding(ids(t), t.arange(12).reshape(4, 3), max_norm=1.0),
    "integers": lambda t: t.nn.functional.embedding(ids(t), t.arange(12).reshape(4, 3)),
    "int32 ids": lambda t: t.nn.functional.embedding(ids(t).int().reshape(2, 2), table(t), max_norm=1.0),
    "padding_idx out of range": lambda t: t.nn.functional.embedding(ids(t), table(t), padding_idx=-5),
    "a table of rank 1": lambda t: t.nn.functional.embedding(ids(t), t.ones(3)),
    "a table of rank 3": lambda t: t.nn.functional.embedding(ids(t), t.ones(4, 2, 2)),
    "id out of range": lambda t: t.nn.functional.embedding(t.tensor([4]), table(t)),
    "negative id": lambda t: t.nn.functional.embedding(t.tensor([-1]), table(t)),
}

OFFSETS = [[0, 0, 3], [0], [0, 4], [0, 4, 4], [0, 0, 0], [0, 1, 2, 3]]
BAGS: dict[str, Callable[[Any], Any]] = {
    **{
        f"{mode} {offsets}": lambda t, mode=mode, offsets=offsets: bagged(t, table(t), t.tensor(offsets), mode=mode)
        for mode in ("sum", "mean", "max")
        for offsets in OFFSETS
    },
    **{
        f"{mode} {options}": lambda t, mode=mode, options=options: bagged(
            t, table(t), t.tensor([0, 0, 3]), mode=mode, **options
        )
        for mode in ("sum", "mean", "max")
        for options in ({"padding_idx": 2}, {"padding_idx": -2}, {"max_norm": 1.0}, {"max_norm": 1.0, "norm_type": 1})
    },
    **{
        f"{mode}, include_last_offset": lambda t, mode=mode: bagged(
            t, table(t), t.tensor([0, 2, 2, 4]), mode=mode, include_last_offset=True
        )
        for mode in ("sum", "mean", "max")
    },
    "weights": lambda t: (
        (f := t.tensor([0.5, 1.0, 2.0, 3.0]).requires_grad_()),
        bagged(t, table(t), t.tensor([0, 0, 3]), mode="sum", per_sample_weights=f),
        f.grad,
    ),
    "weights, mean": lambda t: bagged(t, table(t), t.tensor([0]), mode="mean", per_sample_weights=t.ones(4)),
    "rank 2": lambda t: t.nn.functional.embedding_bag(ids(t).reshape(2, 2), table(t)),
    "rank 2 with offsets": lambda t: t.nn.functional.embedding_bag(ids(t).reshape(2, 2), table(t), t.tensor([0])),
    "no offsets": lambda t: t.nn.functional.embedding_bag(ids(t), table(t)),
    "offsets from 1": lambda t: bagged(t, table(t), t.tensor([1, 2])),
    "offsets too far": lambda t: bagged(t, table(t), t.tensor([0, 5])),
    "mode": lambda t: bagged(t, table(t), t.tensor([0]), mode="min"),
    "scaled max": lambda t: bagged(t, table(t), t.tensor([0]), mode="max", scale_grad_by_freq=True),
    "padding_idx out of range": lambda t: bagged(t, table(t), t.tensor([0]), padding_idx=4),
    "id out of range": lambda t: t.nn.functional.embedding_bag(t.tensor([4]), table(t), t.tensor([0])),
}

LAYERS: dict[str, Callable[[Any], Any]] = {
    "Embedding": lambda t: ((m := t.nn.Embedding(4, 3)), m.weight, m(ids(t))),
    "Embedding with padding": lambda t: ((m := t.nn.Embedding(4, 3, padding_idx=-1)), m.weight, m.padding_idx),
    "Embedding, all options": lambda t: t.nn.Embedding(4, 3, 1, 2.0, 1.0, True, True, None, True, "cpu", t.float64),
    "Embedding, all options, weight": lambda t: (
        t.nn.Embedding(4, 3, 1, 2.0, 1.0, True, True, None, True, "cpu", t.float64).weight
    ),
    "Embedding of a weight": lambda t: t.nn.Embedding(4, 3, 1, _weight=t.ones(4, 3), dtype=t.float64).weight,
    "Embedding of a wrong weight": lambda t: t.nn.Embedding(4, 3, _weight=t.ones(3, 3)),
    "Embedding, frozen": lambda t: t.nn.Embedding(4, 3, _freeze=True).weight,
    "Embedding, padding out of range": lambda t: t.nn.Embedding(4, 3, padding_idx=4),
    "Embedding, padding below range": lambda t: t.nn.Embedding(4, 3, padding_idx=-5),
    "Embedding, reset": lambda t: ((m := t.nn.Embedding(4, 3, 1)), m.reset_parameters(), m.weight, m.weight._version),
    "from_pretrained": lambda t: ((m := t.nn.Embedding.from_pretrained(t.ones(4, 3), padding_idx=1)), m.weight),
    "from_pretrained, learned": lambda t: ((m := t.nn.Embedding.from_pretrained(t.ones(4, 3), False)), m.weight),
    "from_pretrained, options": lambda t: t.nn.Embedding.from_pretrained(t.ones(4, 3), True, 2, 1.0, 3.0, True, True),
    "from_pretrained, on its memory": lambda t: (
        (w := t.ones(4, 3)),
        t.nn.Embedding.from_pretrained(w).weight.fill_(2),
        w,
    ),
    "from_pretrained of rank 1": lambda t: t.nn.Embedding.from_pretrained(t.ones(3)),
    "EmbeddingBag": lambda t: ((m := t.nn.EmbeddingBag(4, 3)), m.weight, m(ids(t), t.tensor([0, 3]))),
    "EmbeddingBag, all options": lambda t: t.nn.EmbeddingBag(4, 3, 1.0, 3.0, True, "sum", True, None, True, -1),
    "EmbeddingBag with padding": lambda t: t.nn.EmbeddingBag(4, 3, padding_idx=1).weight,
    "EmbeddingBag of a weight": lambda t: t.nn.EmbeddingBag(4, 3, _weight=t.ones(4, 3), padding_idx=1).weight,
    "EmbeddingBag, dtype": lambda t: t.nn.EmbeddingBag(4, 3, device="cpu", dtype=t.float64).weight,
    "EmbeddingBag, bags": lambda t: t.nn.EmbeddingBag(4, 3, mode="max")(ids(t).reshape(2, 2)),
    "EmbeddingBag.from_pretrained": lambda t: (
        (m := t.nn.EmbeddingBag.from_pretrained(t.ones(4, 3), True, 1.0, 1.0, True, "sum", True, True, 2)),
        m.weight,
        m.include_last_offset,
    ),
    "EmbeddingBag.from_pretrained, learned": lambda t: t.nn.EmbeddingBag.from_pretrained(t.ones(4, 3), False).weight,
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_lookups(name: str) -> None:
    check_both(LOOKUPS[name])


@pytest.mark.parametrize("name", BAGS)
def test_bags(name: str) -> None:
    check_both(BAGS[name])


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    check_both(LAYERS[name])


# ---- where PyTorch is wrong, or loses --------------------------------------------------------------------------------


def gradient_of_bag(t: Any, chosen: list[int], **options: Any) -> Any:
    weight = t.zeros(4, 1, dtype=t.float64).requires_grad_()
    t.nn.functional.embedding_bag(t.tensor(chosen), weight, t.tensor([0]), **options).sum().backward()
    return weight.grad.reshape(-1).tolist()


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_scaled_gradients_of_bags(mode: str) -> None:
    """Id 3 occurs once; PyTorch divides its gradient by a count of another id."""
    ours = gradient_of_bag(minigrad, [1, 1, 3], mode=mode, scale_grad_by_freq=True)
    theirs = gradient_of_bag(torch, [1, 1, 3], mode=mode, scale_grad_by_freq=True)
    share = 1 if mode == "sum" else 1 / 3
    assert ours == pytest.approx([0, share, 0, share])
    assert theirs == pytest.approx([0, share, 0, share / 2])


def test_the_last_offset_ends_the_last_bag() -> None:
    """In [0, 2, 3] of 4 ids the last bag ends before the fourth; PyTorch sums right, but not in mean and max."""
    for mode, ours, theirs in (
        ("sum", [[6.0, 8.0, 10.0], [6.0, 7.0, 8.0]], [[6.0, 8.0, 10.0], [6.0, 7.0, 8.0]]),
        ("mean", [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], [[3.0, 4.0, 5.0], [3.0, 3.5, 4.0]]),
        ("max", [[6.0, 7.0, 8.0], [6.0, 7.0, 8.0]], [[6.0, 7.0, 8.0], [6.0, 7.0, 8.0]]),
    ):
        for t, expected in ((minigrad, ours), (torch, theirs)):
            out = t.nn.functional.embedding_bag(
                ids(t), table(t, False), t.tensor([0, 2, 3]), mode=mode, include_last_offset=True
            )
            assert out.tolist() == expected
    # A fourth id that is the largest shows it in max.
    for t, largest in ((minigrad, 0.0), (torch, 9.0)):
        out = t.nn.functional.embedding_bag(
            t.tensor([0, 0, 3]), table(t, False), t.tensor([0, 1, 2]), mode="max", include_last_offset=True
        )
        assert out[1, 0].item() == largest


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_sums_of_halves(mode: str) -> None:
    """PyTorch adds up the gradients of repeated ids in float16, where 2,048 + 1 is 2,048."""
    for t, factor in ((minigrad, 1.0), (torch, None)):
        weight = t.ones(2, 1, dtype=t.float16).requires_grad_()
        chosen = t.zeros(5000, dtype=t.int64)
        t.nn.functional.embedding_bag(chosen, weight, t.tensor([0]), mode=mode).sum().backward()
        exact = 5000.0 if mode == "sum" else 1.0
        found = weight.grad[0].item()
        assert found == exact if factor else found < 0.6 * exact
    for t, total in ((minigrad, 5000.0), (torch, 2048.0)):
        weight = t.ones(2, 1, dtype=t.float16).requires_grad_()
        t.nn.functional.embedding(t.zeros(5000, dtype=t.int64), weight).sum().backward()
        assert weight.grad[0].item() == total


def test_gradients_of_gradients_of_bags() -> None:
    """PyTorch has none; here a bag can be differentiated to any order, like a lookup."""

    def second(t: Any) -> Any:
        w = table(t).detach().double().requires_grad_()
        out = (t.nn.functional.embedding_bag(ids(t), w, t.tensor([0, 2]), mode="sum") ** 3).sum()
        (first,) = t.autograd.grad(out, w, create_graph=True)
        return t.autograd.grad((first**2).sum(), w)[0]

    assert isinstance(outcome(lambda: second(torch)).error, NotImplementedError)
    w = table(minigrad).detach().double().requires_grad_()
    rows = minigrad.nn.functional.embedding(ids(minigrad).reshape(2, 2), w).sum(1)
    (first,) = minigrad.autograd.grad((rows**3).sum(), w, create_graph=True)
    assert minigrad.autograd.grad((first**2).sum(), w)[0].tolist() == second(minigrad).tolist()
