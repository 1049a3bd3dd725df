"""What small mistakes in losses, activations, normalization, attention and draws their other tests let pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import leaf

import minigrad as torch
from minigrad.nn import functional as F
from minigrad.ops import losses

INF, NAN = math.inf, math.nan
REDUCTIONS = ("none", "mean", "sum")


def ones(*shape: int, dtype: Any = torch.float32) -> Any:
    return torch.ones(*shape, dtype=dtype, requires_grad=True)


def doubles(data: Any) -> Any:
    return leaf(np.array(data, np.float64))


def gradients(call: Callable[..., Any], *leaves: Any, g: float = 1) -> list[Any]:
    """The gradients of these leaves, themselves recorded, given `g` as that of each element of `call` of them."""
    y = call(*leaves)
    return list(torch.autograd.grad(y, leaves, torch.full_like(y, g), create_graph=True))


def slopes(call: Callable[[Any], Any], data: Any) -> tuple[Any, Any]:
    """The first and the second derivative of a function of each element."""
    x = doubles(data)
    (dx,) = gradients(call, x)
    (ddx,) = torch.autograd.grad(dx.sum(), x)
    return dx.tolist(), ddx.tolist()


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_array_equal(found.detach().numpy(), wanted)


def names(call: Callable[..., Any], *arguments: Any) -> list[str]:
    """What is recorded, for each reduction of a loss."""
    return [call(*arguments, reduction=how).grad_fn.name() for how in REDUCTIONS]


# ---- losses of classes -----------------------------------------------------------------------------------------------

CLASS_LOSSES = [F.cross_entropy, F.nll_loss]
of_classes = pytest.mark.parametrize("loss", CLASS_LOSSES, ids=["cross_entropy", "nll_loss"])


@of_classes
def test_a_loss_of_classes_is_recorded_as_pytorch_computes_it(loss: Any) -> None:
    """It has a kernel for `(N, C)`, and one for `(N, C, H, W)`, in whose shape others are seen."""
    for sizes, wanted in {
        (): ["NllLossBackward0"] * 3,
        (3,): ["ViewBackward0", "NllLoss2DBackward0", "NllLoss2DBackward0"],
        (3, 2): ["NllLoss2DBackward0"] * 3,
        (3, 2, 2): ["ViewBackward0", "NllLoss2DBackward0", "NllLoss2DBackward0"],
    }.items():
        assert names(loss, ones(2, 4, *sizes), torch.zeros(2, *sizes, dtype=torch.int64)) == wanted
    assert names(loss, ones(4), torch.tensor(1)) == ["NllLossBackward0"] * 3


@of_classes
def test_the_loss_of_nothing(loss: Any) -> None:
    for how, wanted in (("none", []), ("mean", NAN), ("sum", 0)):
        x = torch.ones(0, 4, requires_grad=True)
        y = loss(x, torch.zeros(0, dtype=torch.int64), reduction=how)
        same(y, np.array(wanted))
        y.sum().backward()
        assert x.grad.shape == (0, 4)


@of_classes
def test_ignored_targets_need_not_be_classes_and_classes_can_be_ignored(loss: Any) -> None:
    one_class = loss(torch.zeros(2, 1), torch.tensor([0, -100]), reduction="none")
    same(one_class, [0, 0])
    scores = torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 1.0]]).log_softmax(1)
    for ignored, other in ((0, 1), (2, 1)):
        targets = torch.tensor([ignored, other])
        for how in REDUCTIONS:
            alone = loss(scores[1:], targets[1:], reduction=how).item()
            found = loss(scores, targets, ignore_index=ignored, reduction=how)
            same(found, [0, alone] if how == "none" else np.float32(alone))


@of_classes
def test_targets_must_be_as_they_were_for_the_gradient(loss: Any) -> None:
    x, targets = ones(2, 4), torch.tensor([1, 2])
    y = loss(x, targets)
    targets[0] = 3
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


@of_classes
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_and_means_of_many_losses_are_rounded_once(loss: Any, weighted: bool) -> None:
    for seed in range(8):
        generator = np.random.default_rng(seed)
        scores = torch.from_numpy(generator.standard_normal((5000, 3)).astype(np.float32))
        ids = torch.from_numpy(generator.integers(0, 3, 5000))
        weight = torch.from_numpy(generator.random(3).astype(np.float32)) if weighted else None
        losses = loss(scores, ids, weight, reduction="none").numpy()
        count = weight[ids].numpy().sum(dtype=np.float64) if weighted else 5000
        exact = losses.sum(dtype=np.float64)
        for how, wanted in (("sum", exact), ("mean", exact / count)):
            found = loss(scores, ids, weight, reduction=how).numpy()
            np.testing.assert_array_equal(found, np.asarray(np.float32(wanted)), strict=True)


@of_classes
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_losses_of_classes_and_their_gradients_have_the_dtype_of_the_scores(loss: Any, dtype: str) -> None:
    of = getattr(torch, dtype)
    for weight in (None, torch.tensor([1.0, 2.0, 3.0], dtype=of)):
        for how in REDUCTIONS:
            for ignored in (-100, 2):
                x = ones(2, 3, dtype=of)
                y = loss(x, torch.tensor([1, 2]), weight, reduction=how, ignore_index=ignored)
                (dx,) = torch.autograd.grad(y.sum(), x)
                assert y.dtype is dx.dtype is of
                assert y.detach().numpy().dtype == dx.numpy().dtype == dtype


def test_cross_entropy_of_one_element_with_many_classes() -> None:
    """More of them than are worked on at a time."""
    scores = np.random.default_rng(0).standard_normal(150_000)
    x, target = leaf(scores), torch.tensor(140_000)
    y = F.cross_entropy(x, target)
    shifted = np.exp(scores)
    np.testing.assert_allclose(y.item(), np.log(shifted.sum()) - scores[140_000], rtol=1e-12)
    y.backward()
    wanted = shifted / shifted.sum()
    wanted[140_000] -= 1
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-10)


def test_the_second_derivative_of_a_mean_cross_entropy() -> None:
    """For the mean over N elements it is (diag(p) - p p^T) / N of each."""
    scores = np.random.default_rng(0).standard_normal((2, 3))
    x = leaf(scores)
    (dx,) = gradients(lambda x: F.cross_entropy(x, torch.tensor([1, 2])), x)
    h = np.arange(6.0).reshape(2, 3)
    (found,) = torch.autograd.grad(dx, x, torch.from_numpy(h))
    p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(found.numpy(), p * (h - (h * p).sum(1, keepdims=True)) / 2, rtol=1e-12)


def test_the_gradient_of_a_cross_entropy_is_as_often_as_large_as_its_cotangent() -> None:
    for how in REDUCTIONS:
        y = F.cross_entropy(x := doubles([[1, 2, 4], [3, 5, 1]]), torch.tensor([1, 2]), reduction=how)
        (one,) = torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
        for g in (1, 2, 4, 0):
            y = F.cross_entropy(x, torch.tensor([1, 2]), reduction=how)
            same(torch.autograd.grad(y, x, torch.full_like(y, g))[0], g * one.numpy())


# ---- losses of elements ----------------------------------------------------------------------------------------------


def test_each_loss_of_elements_is_recorded_by_its_name() -> None:
    x, target = doubles([0.25, 0.75]), torch.zeros(2).double()
    assert names(F.l1_loss, x, target) == ["AbsBackward0", "MeanBackward0", "SumBackward0"]
    for loss, name in (
        (F.mse_loss, "MseLoss"),
        (F.smooth_l1_loss, "SmoothL1Loss"),
        (F.binary_cross_entropy, "BinaryCrossEntropy"),
        (F.binary_cross_entropy_with_logits, "BinaryCrossEntropyWithLogits"),
    ):
        assert names(loss, x, target) == [f"{name}Backward0"] * 3


@pytest.mark.parametrize("loss", [F.l1_loss, F.mse_loss, F.smooth_l1_loss])
def test_the_loss_of_no_elements_is_floating_point(loss: Any) -> None:
    nothing = torch.zeros(0)
    for how, wanted in (("none", np.zeros(0)), ("mean", np.array(NAN)), ("sum", np.array(0.0))):
        found = loss(nothing, nothing, reduction=how).numpy()
        np.testing.assert_array_equal(found, wanted.astype(np.float32), strict=True)


def test_slopes_where_a_loss_has_a_kink() -> None:
    def of(loss: Any, data: list[float]) -> Any:
        return slopes(lambda x: loss(x, torch.zeros(len(data)).double(), reduction="sum"), data)

    x = doubles([0.0, 2.0, -3.0, NAN])
    (dx,) = gradients(lambda x: F.l1_loss(x, torch.zeros(4).double(), reduction="sum"), x)
    assert dx.tolist() == [0, 1, -1, 0]
    assert of(F.smooth_l1_loss, [0.0, 0.5, 1.0, -1.0, 2.0]) == ([0, 0.5, 1, -1, 1], [1, 1, 0, 0, 0])


def test_binary_cross_entropy_of_certainties() -> None:
    """The logarithm of 0 counts as -100, and in the second derivative probabilities keep 1e-12 away from 0 and 1."""
    p, t = doubles([0.0, 1.0, 0.5, 1.0]), torch.tensor([1.0, 0.0, 1.0, 1.0], dtype=torch.float64)
    losses = [100, 100, math.log(2), 0]
    assert F.binary_cross_entropy(p, t, reduction="none").tolist() == losses
    assert F.binary_cross_entropy(p, t, reduction="sum").item() == pytest.approx(sum(losses))
    assert F.binary_cross_entropy(p, t).item() == pytest.approx(sum(losses) / 4)
    g = torch.ones(4, dtype=torch.float64, requires_grad=True)
    (dp,) = torch.autograd.grad(F.binary_cross_entropy(p, t, reduction="none"), p, g, create_graph=True)
    np.testing.assert_allclose(dp.tolist(), [-1e12, 1e12, -2, 0])
    (dg,) = torch.autograd.grad(dp.sum(), g)
    np.testing.assert_allclose(dg.tolist(), [-1e12, 1e12, -2, 0])


# ---- activations -----------------------------------------------------------------------------------------------------

ACTIVATIONS: list[tuple[Callable[..., Any], str, str | None]] = [
    (F.relu, "Relu", "Relu"),
    (F.elu, "Elu", "Elu"),
    (F.gelu, "Gelu", None),
    (lambda x: F.gelu(x, approximate="tanh"), "Gelu", None),
    (F.silu, "Silu", "Silu"),
    (F.hardtanh, "Hardtanh", "Hardtanh"),
    (F.softplus, "Softplus", None),
    (F.logsigmoid, "LogSigmoid", None),
]


def test_each_activation_is_recorded_by_its_name() -> None:
    x, weight = ones(2), ones(1)
    for function, name, in_place in ACTIVATIONS:
        assert function(x).grad_fn.name().rstrip("01") == f"{name}Backward"
        if in_place is not None:
            assert function(x.clone(), inplace=True).grad_fn.name().rstrip("01") == f"{in_place}Backward"
    assert F.prelu(x, weight).grad_fn.name() == "PreluKernelBackward0"


def test_what_is_computed_in_place_has_another_name() -> None:
    x = ones(2)
    for function, name in ((F.leaky_relu, "LeakyRelu"), (F.elu, "Elu")):
        found = [function(x.clone(), inplace=inplace).grad_fn.name() for inplace in (False, True)]
        assert found == [f"{name}Backward0", f"{name}Backward1"]


BOOLS = torch.tensor([True])

ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: F.relu(BOOLS),
        RuntimeError,
        "Boolean inputs not supported for relu: expected numbers, got torch.bool.",
    ),
    (
        lambda: F.hardtanh(BOOLS),
        RuntimeError,
        "Bool inputs not supported for hardtanh: expected numbers, such as x.long()",
    ),
    (
        lambda: F.hardtanh(torch.tensor([1], dtype=torch.uint8), -1, 3),
        RuntimeError,
        "cannot do hardtanh on an unsigned type with negative limits, got torch.uint8",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_the_words_of_what_an_activation_refuses(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_relu_of_numbers_without_dimensions_and_of_halves() -> None:
    for number, slope in ((-1.0, 0), (0.0, 0), (1.0, 1)):
        (dx,) = gradients(F.relu, doubles(number))
        assert dx.tolist() == slope
    for dtype in (torch.float16, torch.float32):
        found = F.relu(torch.tensor([-1.0, -0.0, 0.0, 0.5, 2.0, NAN, INF, -INF], dtype=dtype))
        same(found, [0, -0.0, 0, 0.5, 2, NAN, INF, 0])
        # The zero keeps its sign, as in PyTorch.
        assert np.signbit(found.numpy()[1:5]).tolist() == [True, False, False, False]


def test_limits_of_integers_are_cut_to_integers() -> None:
    for limits, wanted in {(-0.5, 3): [0, 2, 3], (0, 3): [0, 2, 3], (0, 0): [0, 0, 0], (0.5, 2.7): [0, 2, 2]}.items():
        for dtype in (torch.uint8, torch.int64):
            assert F.hardtanh(torch.tensor([0, 2, 5], dtype=dtype), *limits).tolist() == wanted


def test_leaks_at_zero() -> None:
    """Zero is on the side that is multiplied: by inf it is nan."""
    zeros = torch.tensor([0.0, 1.0])
    same(F.leaky_relu(zeros, INF), [NAN, 1])
    same(F.prelu(zeros, torch.tensor([INF])), [NAN, 1])
    (dx,) = gradients(lambda x: F.leaky_relu(x, 0.5), doubles([0.0, 1.0, -1.0]))
    assert dx.tolist() == [0.5, 1, 0.5]
    da, db = gradients(F.prelu, doubles([0.0, 1.0, -1.0]), doubles([0.5]))
    assert (da.tolist(), db.tolist()) == ([0.5, 1, 0.5], [-1])
    _, db = gradients(F.prelu, doubles([0.0, 1.0]), doubles([0.5]), g=INF)
    same(db, [NAN])


def test_exponential_curves_where_they_meet_a_line() -> None:
    """At 0 the slope of an elu is that of the exponential, but its bend is the line's."""
    for function, at_zero in ((F.elu, 1), (lambda x: F.elu(x, 2.0), 2)):
        first, second = slopes(function, [0.0, 1.0])
        assert (first, second) == ([at_zero, 1], [0, 0])
    assert F.elu(torch.tensor([0.0, 1.0]), INF).tolist() == [0, 1]


def test_softplus_at_its_threshold() -> None:
    """It is still on the curve there, with its slope; but its bend is the line's."""

    def curve(x: Any) -> Any:
        return F.softplus(x, beta=2.0, threshold=1.0)

    x = [0.0, 0.5, 0.75]
    sigmoid = 1 / (1 + math.exp(-1))
    np.testing.assert_allclose(curve(doubles(x)).tolist(), [math.log(2) / 2, math.log1p(math.e) / 2, 0.75])
    first, second = slopes(curve, x)
    np.testing.assert_allclose(first, [0.5, sigmoid, 1])
    assert second == [0.5, 0, 0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradients_of_many_elements_are_those_of_each(dtype: str) -> None:
    """For many a choice between two pieces is made in another way."""
    x = np.linspace(-40, 40, 6001).astype(dtype)
    for function in (F.elu, F.softplus):
        (dx,) = gradients(function, leaf(x.copy()))
        parts = [gradients(function, leaf(part.copy()))[0].detach().numpy() for part in np.split(x, 17)]
        np.testing.assert_array_equal(dx.detach().numpy(), np.concatenate(parts), strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_second_derivatives_of_curves_have_the_dtype_of_the_input(dtype: str) -> None:
    for function in (F.elu, F.softplus, F.gelu, F.silu, F.logsigmoid):
        x = ones(2, dtype=getattr(torch, dtype))
        (dx,) = gradients(function, x)
        (ddx,) = torch.autograd.grad(dx, x, torch.ones_like(dx), create_graph=True)
        assert ddx.detach().numpy().dtype == dx.detach().numpy().dtype == dtype


# ---- normalization ---------------------------------------------------------------------------------------------------

NORMS: list[tuple[Callable[[Any, Any, Any], Any], int, str]] = [
    (lambda x, w, b: F.layer_norm(x, (4,), w, b), 4, "NativeLayerNormBackward0"),
    (lambda x, w, b: F.rms_norm(x, (4,), w), 4, "MulBackward0"),
    (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), 3, "NativeBatchNormBackward0"),
    (lambda x, w, b: F.batch_norm(x, torch.zeros(3), torch.ones(3), w, b), 3, "NativeBatchNormBackward0"),
    (lambda x, w, b: F.group_norm(x, 3, w, b), 3, "NativeGroupNormBackward0"),
    (lambda x, w, b: F.instance_norm(x, weight=w, bias=b), 3, "ViewBackward0"),
]


@pytest.mark.parametrize(("norm", "channels", "name"), NORMS, ids=[name for *_, name in NORMS])
def test_norms_in_single_precision(norm: Any, channels: int, name: str) -> None:
    """Their names, and that results and gradients stay in it."""
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)).requires_grad_()
    w, b = ones(channels), torch.zeros(channels, requires_grad=True)
    y = norm(x, w, b)
    assert y.grad_fn.name() == name
    found = [y, *torch.autograd.grad(y.square().sum(), [x, w, b], allow_unused=True, create_graph=True)]
    assert {each.detach().numpy().dtype.name for each in found if each is not None} == {"float32"}


def test_rows_that_share_memory_are_normalized() -> None:
    """Of an expanded tensor, which nothing is written to."""
    x = torch.tensor([[3.0, 4.0]])
    for norm in (F.rms_norm, F.layer_norm):
        same(norm(x.expand(3, 2), (2,)), [norm(x[0], (2,)).tolist()] * 3)
    assert x.tolist() == [[3, 4]]


# ---- attention -------------------------------------------------------------------------------------------------------

attention = F.scaled_dot_product_attention


def test_attention_of_one_step_has_a_name() -> None:
    q = ones(2, 1, 3, 4)
    assert attention(q, q, q).grad_fn.name() == "ScaledDotProductFlashAttentionForCpuBackward0"


def test_queries_of_very_different_heights_do_not_disturb_each_other() -> None:
    queries, values = torch.tensor([[3000.0], [-3000.0], [0.0]]), torch.tensor([[1.0], [2.0]])
    for keys, wanted in (([[30.0], [31.0]], [[2], [1], [1.5]]), ([[-30.0], [-31.0]], [[1], [2], [1.5]])):
        assert attention(queries, torch.tensor(keys), values).tolist() == wanted


def test_attention_to_no_keys_is_zero() -> None:
    for leading in ((), (1, 1)):
        found = attention(torch.ones(*leading, 3, 4), torch.ones(*leading, 0, 4), torch.ones(*leading, 0, 5))
        same(found, np.zeros((*leading, 3, 5)))


def test_the_gradient_of_a_mask_that_is_shared_by_queries() -> None:
    """It is that of the softmax, summed over the queries."""
    mask, values = doubles([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 4.0])
    keys = torch.eye(3, dtype=torch.float64)
    y = attention(torch.zeros(2, 3).double(), keys, torch.from_numpy(values)[:, None], mask)
    y.sum().backward()
    p = np.exp([0.0, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum()
    np.testing.assert_allclose(mask.grad.numpy(), 2 * p * (values - (p * values).sum()), rtol=1e-12)


# ---- draws -----------------------------------------------------------------------------------------------------------


def test_no_gradient_flows_through_a_draw() -> None:
    for dtype in (torch.float32, torch.float64):
        mean, deviation = ones(2, dtype=dtype), ones(3, 1, dtype=dtype)
        for parameters, name in (
            ((mean, 1.0), "NormalBackward1"),
            ((0.0, deviation), "NormalBackward2"),
            ((mean, deviation), "NormalBackward3"),
        ):
            y = torch.normal(*parameters, generator=torch.Generator().manual_seed(0))
            leaves = [each for each in parameters if isinstance(each, torch.Tensor)]
            assert y.grad_fn.name() == name
            assert len(set(y.flatten().tolist())) == y.numel()
            for each, found in zip(leaves, torch.autograd.grad(y.sum(), leaves), strict=True):
                np.testing.assert_array_equal(found.numpy(), np.zeros_like(each.detach().numpy()), strict=True)
        y = mean.bernoulli(generator=torch.Generator().manual_seed(0))
        assert y.grad_fn.name() == "BernoulliBackward0"
        same(torch.autograd.grad(y.sum(), mean)[0], [0, 0])


def test_no_gradient_is_made_where_none_will_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    right = losses.excess
    monkeypatch.setattr(losses, "excess", lambda x, places, g: asked.append(g) or right(x, places, g))
    ids = torch.tensor([0, 2])
    for requires_grad in (False, True):
        F.cross_entropy(torch.zeros(2, 3, requires_grad=requires_grad), ids)
    with torch.no_grad():
        F.cross_entropy(torch.zeros(2, 3, requires_grad=True), ids)
    assert [g is None for g in asked] == [True, False, True]
