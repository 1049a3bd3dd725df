"""The functions of `nn.functional` without PyTorch at hand: what values and differences alone do not show."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles import torch as pytorch

import minigrad as torch
from minigrad import nn
from minigrad.nn import functional as F

pytestmark = pytest.mark.usefixtures("seeded")

inf, nan = float("inf"), float("nan")


def leaf(data: Any) -> Any:
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)


# ---- losses ----------------------------------------------------------------------------------------------------------


def test_cross_entropy_of_scores_far_apart_is_finite() -> None:
    x = torch.tensor([[1e4, 0.0, -1e4], [-3e38, 0.0, 3e38]], requires_grad=True)
    losses = F.cross_entropy(x, torch.tensor([2, 2]), reduction="none")
    assert losses.tolist() == [2e4, 0]
    losses.sum().backward()
    assert x.grad.tolist() == [[1, 0, -1], [0, 0, 0]]


def test_ignored_targets_have_no_loss_and_no_gradient() -> None:
    for ignored in (-100, 1, 7):
        x = leaf([[1.0, 2.0, 4.0], [nan, inf, 0.0]])
        loss = F.nll_loss(x, torch.tensor([2, ignored]), ignore_index=ignored)
        loss.backward()
        assert loss.item() == -4
        assert x.grad.tolist() == [[0, 0, -1], [0, 0, 0]]
    x = leaf([[1.0, 2.0]])
    loss = F.cross_entropy(x, torch.tensor([-100]))
    loss.backward()
    assert np.isnan(loss.item())
    assert x.grad.tolist() == [[0, 0]]
    assert F.cross_entropy(x, torch.tensor([-100]), reduction="sum").item() == 0


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (2, 3, 0)])
@pytest.mark.parametrize("rest", [0.0, 0.1])
def test_cross_entropy_of_no_classes_or_targets(shape: tuple[int, ...], rest: float) -> None:
    ids = torch.zeros(shape[:1] + shape[2:], dtype=torch.int64)
    for how, wanted in (("sum", 0), ("mean", nan)):
        x = torch.ones(shape, requires_grad=True)
        loss = F.cross_entropy(x, ids, reduction=how, label_smoothing=rest)
        (dx,) = torch.autograd.grad(loss, x, torch.ones((), requires_grad=True), create_graph=True)
        (ddx,) = torch.autograd.grad(dx.sum(), x)
        np.testing.assert_equal(loss.item(), wanted)
        assert dx.shape == ddx.shape == shape
        assert torch.autograd.grad(F.nll_loss(x, ids, reduction=how), x)[0].shape == shape
    assert F.cross_entropy(torch.ones(shape), torch.ones(shape), label_smoothing=rest, reduction="sum").item() == 0


def test_a_loss_in_half_precision_is_rounded_once() -> None:
    x = np.random.default_rng(0).standard_normal((500, 7)).astype(np.float16)
    ids = torch.arange(500) % 7
    for how in ("mean", "none"):
        exact = F.cross_entropy(torch.from_numpy(x).double(), ids, reduction=how)
        got = F.cross_entropy(torch.from_numpy(x), ids, reduction=how)
        np.testing.assert_array_max_ulp(got.numpy(), exact.numpy().astype(np.float16), 1)
    large = torch.full((4,), 300.0, dtype=torch.float16)
    assert F.mse_loss(large, torch.zeros(4, dtype=torch.float16) + 100).item() == 40000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x, ids: F.mse_loss(x, x[:1]),
            "Using a target size (torch.Size([1, 3])) that is different to the input",
        ),
        (lambda x, ids: F.l1_loss(x, x[:1]), "Using a target size"),
        (lambda x, ids: F.mse_loss(x, x, size_average=False), "please use reduction='sum' instead"),
        (lambda x, ids: F.mse_loss(x, x, reduce=False), "please use reduction='none' instead"),
        (lambda x, ids: F.cross_entropy(x, ids, size_average=True), "please use reduction='mean' instead"),
        (lambda x, ids: F.kl_div(x, x), "reduction: 'mean' divides the total loss by both the batch size and the"),
        (lambda x, ids: F.dropout2d(x.unsqueeze(0)), "dropout2d: Received a 3D input to dropout2d and assuming that"),
        (lambda x, ids: F.dropout2d(x), "dropout2d: Received a 2-D input to dropout2d, which is deprecated"),
        (lambda x, ids: F.embedding_bag(x, ids.unsqueeze(0)), "Argument order of nn.functional.embedding_bag was"),
        (lambda x, ids: x[ids.byte()], "indexing with dtype torch.uint8 is now deprecated"),
        (lambda x, ids: x.__setitem__(ids.byte(), 0), "indexing with dtype torch.uint8 is now deprecated"),
        (lambda x, ids: x[[slice(None), 0]], "Using a non-tuple sequence for multidimensional indexing"),
        (lambda x, ids: x.__setitem__([slice(None), 0], 0), "Using a non-tuple sequence for multidimensional indexing"),
    ],
)
def test_warnings_are_pytorchs_and_name_the_callers_line(call: Callable[..., Any], message: str) -> None:
    x, ids = torch.rand(2, 3), torch.tensor([0, 1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(x, ids)
    found = [each for each in caught if message in str(each.message)]
    assert len(found) == 1
    assert found[0].category is UserWarning
    assert found[0].filename == __file__
    assert found[0].lineno in [line for *_, line in call.__code__.co_lines()]


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (IndexError, "Target 3 is out of bounds", lambda x, ids: F.cross_entropy(x, ids + 2)),
        (IndexError, "Target -1 is out of bounds", lambda x, ids: F.cross_entropy(x, ids - 1)),
        (ValueError, "Expected input batch_size", lambda x, ids: F.cross_entropy(x, ids[:1])),
        (ValueError, "valid value for reduction", lambda x, ids: F.mse_loss(x, x, reduction="all")),
        (RuntimeError, "label_smoothing must be", lambda x, ids: F.cross_entropy(x, ids, label_smoothing=2)),
        (RuntimeError, "expected target dtype to be Long", lambda x, ids: F.cross_entropy(x, ids.int())),
        (RuntimeError, "not differentiable", lambda x, ids: F.nll_loss(x, ids, torch.ones(3, requires_grad=True))),
        (RuntimeError, "between 0 and 1", lambda x, ids: F.binary_cross_entropy(x + 1, x)),
        (ValueError, "Target size", lambda x, ids: F.binary_cross_entropy_with_logits(x, x[:1])),
        (RuntimeError, "Given normalized_shape", lambda x, ids: F.layer_norm(x, (2,))),
        (ValueError, "more than 1 value per channel", lambda x, ids: F.batch_norm(x[:1], None, None, training=True)),
        (RuntimeError, "running_mean must be defined", lambda x, ids: F.batch_norm(x, None, None)),
        (ValueError, "dropout probability", lambda x, ids: F.dropout(x, 1.5)),
        (RuntimeError, "Padding length must be divisible by 2", lambda x, ids: F.pad(x, (1,))),
        (NotImplementedError, "Unrecognised padding mode", lambda x, ids: F.pad(x, (1, 1), "mirror")),
        (RuntimeError, "Index 1 of input takes value 2", lambda x, ids: F.embedding_bag(ids + 1, x, ids * 0)),
        (RuntimeError, "must not decrease", lambda x, ids: F.embedding_bag(ids, x, torch.tensor([0, 2, 1]))),
        (RuntimeError, "dimensional", lambda x, ids: F.scaled_dot_product_attention(x[0], x[0], x[0])),
        (RuntimeError, "do not fit", lambda x, ids: F.scaled_dot_product_attention(x, x[:, :2], x)),
    ],
)
def test_errors_tell_what_was_expected(error: type[Exception], message: str, call: Callable[..., Any]) -> None:
    with pytest.raises(error, match=message):
        call(torch.rand(2, 3), torch.tensor([0, 1]))


LAYOUTS = [
    ("cross_entropy", lambda x: F.cross_entropy(x, torch.ones(2, 4, 5, dtype=torch.int64), reduction="none")),
    ("nll_loss", lambda x: F.nll_loss(x, torch.ones(2, 4, 5, dtype=torch.int64))),
    ("mse_loss", lambda x: F.mse_loss(x, torch.ones(2, 3, 4, 5).double())),
    ("binary_cross_entropy_with_logits", lambda x: F.binary_cross_entropy_with_logits(x, x.detach().sigmoid())),
    ("layer_norm", lambda x: F.layer_norm(x, (4, 5))),
    ("rms_norm", lambda x: F.rms_norm(x, (5,))),
    ("batch_norm", lambda x: F.batch_norm(x, None, None, training=True)),
    ("group_norm", lambda x: F.group_norm(x, 3)),
    ("attention", lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True)),
    ("attention, other queries", lambda x: F.scaled_dot_product_attention(x[:, :, :2], x, x)),
    ("pad", lambda x: F.pad(x, (1, 2, 3, -1))),
    ("pad, reflected", lambda x: F.pad(x, (1, 2, 3, 1), "reflect")),
    ("embedding_bag", lambda x: F.embedding_bag(torch.tensor([[3, 0], [1, 1]]), x[0, 0], mode="max")),
    ("glu", lambda x: F.glu(x, 2)),
    ("cosine_similarity", lambda x: F.cosine_similarity(x, x.detach() + 1)),
]


@pytest.mark.parametrize("call", [each[1] for each in LAYOUTS], ids=[each[0] for each in LAYOUTS])
def test_the_order_in_memory_does_not_matter(call: Callable[[Any], Any]) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5))
    whole = torch.from_numpy(x).requires_grad_()
    expected = call(whole)
    g = torch.rand(tuple(expected.shape)).double()
    (expected_gradient,) = torch.autograd.grad(expected, whole, g)
    for order in ((3, 2, 1, 0), (1, 0, 2, 3), (2, 3, 0, 1)):
        memory = np.zeros([2 * x.shape[dim] for dim in order])[::2, ::2, ::2, ::2]
        view = memory.transpose(np.argsort(order))
        view[...] = x
        other = torch.from_numpy(view).requires_grad_()
        out = call(other)
        np.testing.assert_allclose(out.detach().numpy(), expected.detach().numpy(), rtol=1e-12, atol=1e-12)
        (gradient,) = torch.autograd.grad(out, other, g.transpose(0, -1).contiguous().transpose(0, -1) if g.ndim else g)
        np.testing.assert_allclose(gradient.numpy(), expected_gradient.numpy(), rtol=1e-12, atol=1e-12)


# ---- normalization ---------------------------------------------------------------------------------------------------


def test_running_statistics_move_towards_those_of_the_batch() -> None:
    x = np.random.default_rng(0).standard_normal((5, 3, 4))
    mean, var = torch.tensor([1.0, 2.0, 3.0]).double(), torch.tensor([1.0, 2.0, 3.0]).double()
    F.batch_norm(torch.from_numpy(x), mean, var, training=True, momentum=0.25)
    np.testing.assert_allclose(mean.numpy(), 0.75 * np.array([1, 2, 3]) + 0.25 * x.mean((0, 2)))
    np.testing.assert_allclose(var.numpy(), 0.75 * np.array([1, 2, 3]) + 0.25 * x.var((0, 2), ddof=1))
    before = mean.clone()
    F.batch_norm(torch.from_numpy(x), mean, var)
    F.batch_norm(torch.from_numpy(x[:0]), mean, var, training=True)
    assert torch.equal(mean, before)
    mean, var = torch.zeros(3).double(), torch.ones(3).double()
    F.instance_norm(torch.from_numpy(x), mean, var, momentum=1.0)
    np.testing.assert_allclose(mean.numpy(), x.mean((0, 2)))
    np.testing.assert_allclose(var.numpy(), x.var(2, ddof=1).mean(0))


def test_normalization_in_blocks_is_that_of_the_whole() -> None:
    """Large inputs are worked on block by block: many rows, long rows, and groups that extend over blocks."""
    generator = np.random.default_rng(0)
    for shape in ((3000, 70), (3, 100000), (40, 3, 2000)):
        x = generator.standard_normal(shape) + 5
        g = torch.from_numpy(generator.standard_normal(shape))
        for axis in (-1, (0, 2)[: len(shape) - 1]):
            a, b = (torch.from_numpy(x).requires_grad_() for _ in range(2))
            if axis == -1:
                y = F.layer_norm(a, shape[-1:])
                d = b - b.mean(-1, keepdim=True)
                other = d / ((d * d).mean(-1, keepdim=True) + 1e-5) ** 0.5
            else:
                y = F.batch_norm(a, None, None, training=True)
                d = b - b.mean(axis, keepdim=True)
                other = d / ((d * d).mean(axis, keepdim=True) + 1e-5) ** 0.5
            np.testing.assert_allclose(y.detach().numpy(), other.detach().numpy(), rtol=1e-9, atol=1e-9)
            y.backward(g)
            other.backward(g)
            np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-9, atol=1e-9)


def test_large_scores_in_blocks_have_the_same_loss() -> None:
    x = np.random.default_rng(0).standard_normal((300, 1000))
    ids = np.arange(300) * 3
    a = torch.from_numpy(x).requires_grad_()
    F.cross_entropy(a, torch.from_numpy(ids)).backward()
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    p[np.arange(300), ids] -= 1
    np.testing.assert_allclose(a.grad.numpy(), p / 300, rtol=1e-12, atol=1e-15)


# ---- noise -----------------------------------------------------------------------------------------------------------


def test_dropout_keeps_the_mean_and_is_itself_where_nothing_is_dropped() -> None:
    x = torch.ones(20000, requires_grad=True)
    y = F.dropout(x, 0.25)
    assert set(y.tolist()) == {0.0, np.float32(1 / 0.75)}
    assert abs(y.mean().item() - 1) < 0.02
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.5, training=False) is x
    assert (F.dropout(x, 1.0) == 0).all()
    z = torch.ones(100)
    assert F.dropout(z, 0.5, inplace=True) is z
    assert (z == 0).any()
    channels = F.dropout2d(torch.ones(10, 10, 3, 3)).numpy().reshape(100, 9)
    assert ((channels == channels[:, :1]).all(1)).all()


# ---- look-ups --------------------------------------------------------------------------------------------------------


def test_a_gradient_scaled_by_frequency_is_a_mean() -> None:
    ids = torch.tensor([2, 0, 2, 2])
    g = leaf([[1.0], [2.0], [3.0], [8.0]])
    w = leaf([[0.0], [0.0], [0.0]])
    (dw,) = torch.autograd.grad(F.embedding(ids, w, scale_grad_by_freq=True), w, g, create_graph=True)
    assert dw.tolist() == [[2], [0], [4]]
    (dg,) = torch.autograd.grad(dw, g, torch.ones_like(dw))
    np.testing.assert_allclose(dg.numpy()[:, 0], [1 / 3, 1, 1 / 3, 1 / 3])
    # In bags, too, each id counts by how often it occurs in all of them.
    bags = F.embedding_bag(ids, w, torch.tensor([0, 1]), mode="sum", scale_grad_by_freq=True)
    np.testing.assert_allclose(torch.autograd.grad(bags.sum(), w)[0].numpy()[:, 0], [1, 0, 1])


def test_rows_longer_than_max_norm_are_shortened_in_place() -> None:
    layer = nn.Embedding.from_pretrained(torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]), max_norm=1.0, freeze=False)
    y = layer(torch.tensor([0, 1, 0]))
    np.testing.assert_allclose(layer.weight.tolist(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)
    assert y.tolist() == layer.weight[torch.tensor([0, 1, 0])].tolist()
    y.sum().backward()
    assert layer.weight.grad.tolist() == [[2, 2], [1, 1], [0, 0]]
    bags = nn.EmbeddingBag.from_pretrained(torch.tensor([[3.0, 4.0], [2.0, 0.0]]), max_norm=1.0, norm_type=1.0)
    np.testing.assert_allclose(bags(torch.tensor([[0, 1]])).tolist(), [[5 / 7, 2 / 7]], rtol=1e-6)


def test_a_wrong_id_shortens_nothing() -> None:
    table = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(torch.tensor([0, -1]), table, max_norm=1.0)
    with pytest.raises(RuntimeError, match="Index 1 of input takes value -1"):
        F.embedding_bag(torch.tensor([[0, -1]]), table, max_norm=1.0)
    assert table.tolist() == [[3, 4], [6, 8]]


def test_bags_of_all_kinds() -> None:
    w = leaf([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [nan, nan]])
    ids, offsets = torch.tensor([2, 0, 1, 2, 2, 1]), torch.tensor([0, 2, 2, 5])
    assert F.embedding_bag(ids, w, offsets, mode="sum").tolist() == [[4, 40], [0, 0], [8, 80], [2, 20]]
    assert F.embedding_bag(ids, w, offsets, mode="mean").tolist()[0] == [2, 20]
    assert F.embedding_bag(ids, w, offsets, mode="max").tolist() == [[3, 30], [0, 0], [3, 30], [2, 20]]
    # The ids after the last end belong to no bag, and do not count in a mean either.
    ended = F.embedding_bag(ids, w, torch.tensor([0, 2, 5]), include_last_offset=True)
    np.testing.assert_allclose(ended.tolist(), [[2, 20], [8 / 3, 80 / 3]])
    unpadded = F.embedding_bag(torch.tensor([[3, 0], [3, 3]]), w, padding_idx=-1)
    assert unpadded.tolist() == [[1, 10], [0, 0]]
    (dw,) = torch.autograd.grad(unpadded.sum(), w)
    assert dw.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0]]
    (dw,) = torch.autograd.grad(F.embedding_bag(torch.tensor([[2, 0, 2]]), w, mode="max").sum(), w)
    assert dw.tolist() == [[0, 0], [0, 0], [1, 1], [0, 0]]
    layer = nn.EmbeddingBag(4, 2, padding_idx=1, mode="sum")
    assert repr(layer) == "EmbeddingBag(4, 2, mode='sum', padding_idx=1)"
    assert layer.weight[1].tolist() == [0, 0]
    assert repr(nn.EmbeddingBag(4, 2, max_norm=2.0)) == "EmbeddingBag(4, 2, max_norm=2.0, mode='mean')"


def test_sums_of_bags_in_half_precision_are_made_in_single_precision() -> None:
    w = torch.ones(1, 1, dtype=torch.float16, requires_grad=True)
    y = F.embedding_bag(torch.zeros(1, 5000, dtype=torch.int64), w, mode="sum")
    y.backward(torch.ones_like(y))
    assert y.item() == w.grad.item() == 5000


# ---- attention -------------------------------------------------------------------------------------------------------


def test_a_query_that_may_look_at_nothing_takes_nothing() -> None:
    q, k, v = (torch.rand(2, 3, 4, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[True, True, False], [False] * 3, [False, False, True]])
    for given in (mask, torch.zeros(3, 3).masked_fill(~mask, -inf)):
        out = F.scaled_dot_product_attention(q, k, v, given)
        assert (out[:, 1] == 0).all()
        assert torch.equal(out[:, 2], v[:, 2])
        gradients = torch.autograd.grad(out.sum(), [q, k, v])
        assert all(np.isfinite(d.numpy()).all() for d in gradients)
        assert (gradients[0][:, 1] == 0).all()


def test_dropout_in_attention_drops_weights() -> None:
    q = torch.zeros(1, 400, 4)
    out = F.scaled_dot_product_attention(q, q, torch.ones(1, 400, 1), dropout_p=0.5)
    assert abs(out.mean().item() - 1) < 0.02
    assert out.std().item() > 0.01


# ---- beside PyTorch --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(pytorch is None, reason="compares with PyTorch, which is not installed")
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_layers_of_bags_are_pytorchs(mode: str) -> None:
    layers, ids = [], [[0, 3, 2], [3, 3, 1]]
    for api in (pytorch, torch):
        api.manual_seed(5)
        layers.append(api.nn.EmbeddingBag(4, 3, mode=mode, padding_idx=-1))
        layers[-1](api.tensor(ids)).sum().backward()
    theirs, ours = layers
    assert repr(theirs) == repr(ours)
    np.testing.assert_array_equal(theirs.weight.detach().numpy(), ours.weight.detach().numpy())
    np.testing.assert_allclose(ours.weight.grad.numpy(), theirs.weight.grad.numpy(), rtol=1e-6)
    assert list(theirs.state_dict()) == list(ours.state_dict())


@pytest.mark.skipif(pytorch is None, reason="compares with PyTorch, which is not installed")
def test_layers_of_vectors_are_pytorchs() -> None:
    for options in ({"max_norm": 2.0}, {"norm_type": 1.0}, {"scale_grad_by_freq": True}, {"padding_idx": 1}):
        assert repr(pytorch.nn.Embedding(4, 3, **options)) == repr(nn.Embedding(4, 3, **options))


STRAIGHT: dict[str, Callable[[Any], Any]] = {
    "abs": torch.abs,
    "relu": F.relu,
    "hardtanh": F.hardtanh,
    "leaky_relu": F.leaky_relu,
    "l1_loss": lambda x: F.l1_loss(x, torch.ones(5), reduction="sum"),
}


@pytest.mark.parametrize("function", STRAIGHT.values(), ids=STRAIGHT)
def test_straight_pieces_have_second_derivatives_that_are_zero(function: Callable[[Any], Any]) -> None:
    x = torch.tensor([-2.0, -0.25, 0.0, 0.25, 3.0], requires_grad=True)
    (dx,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(dx, x, torch.full_like(dx, float("inf")))
    assert second.tolist() == [0.0] * 5
