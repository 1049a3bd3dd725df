"""Modules without PyTorch at hand: hooks, state, containers and layers keep what they promise."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad import nn

pytestmark = pytest.mark.usefixtures("seeded")


class Model(nn.Module):
    """A parameter, a persistent buffer, one that is not, and modules below."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("shift", torch.tensor([1.0, 2.0]))
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.body = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))

    def forward(self, x: Any) -> Any:
        return self.body(x) * self.scale + self.shift * self.mask


KEYS = ["scale", "shift", "body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "body.1.running_mean",
        "body.1.running_var", "body.1.num_batches_tracked"]  # fmt: skip


def arrays_of(model: Any) -> dict[str, Any]:
    return {key: value.numpy().copy() for key, value in model.state_dict().items()}


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


# ---- buffers and state -----------------------------------------------------------------------------------------------


def test_buffers_are_state_but_not_parameters() -> None:
    model = Model()
    assert list(model.state_dict()) == KEYS
    assert [name for name, _ in model.named_buffers(recurse=False)] == ["shift", "mask"]
    assert [name for name, _ in model.named_parameters(recurse=False)] == ["scale"]
    model.mask = torch.zeros(2)
    assert "mask" not in model.state_dict()
    model.register_buffer("extra", torch.ones(1))
    model.register_buffer("passing", torch.ones(1), persistent=False)
    assert "extra" in model.state_dict()
    assert "passing" not in model.state_dict()
    assert {"extra", "passing", "shift"} <= set(dir(model))
    del model.passing
    assert not hasattr(model, "passing")
    assert "passing" not in model._non_persistent_buffers_set
    model.shift = None
    assert "shift" not in model.state_dict()
    with pytest.raises(TypeError, match="as buffer 'mask'"):
        model.mask = 3


@pytest.mark.parametrize("name", ["", "a.b", "forward", "scale", "body"])
def test_a_name_is_checked_before_anything_is_registered(name: str) -> None:
    model = Model()
    before = arrays_of(model)
    with pytest.raises(KeyError):
        model.register_buffer(name, torch.ones(1))
    if name != "body":
        with pytest.raises(KeyError):
            model.add_module(name, nn.ReLU())
    if name != "scale":
        with pytest.raises(KeyError):
            model.register_parameter(name, nn.Parameter(torch.ones(1)))
    assert same(before, arrays_of(model))


def test_conversion_keeps_the_parameters_and_their_gradients() -> None:
    model = Model()
    model(torch.tensor([[1.0, 2.0], [0.0, 1.0]])).sum().backward()
    parameters = list(model.parameters())
    before = arrays_of(model)
    assert model.double() is model
    assert all(a is b for a, b in zip(model.parameters(), parameters, strict=True))
    for parameter in parameters:
        assert parameter.dtype is parameter.grad.dtype is torch.float64
        assert parameter.is_leaf
        assert parameter.requires_grad
    assert model.shift.dtype is model.mask.dtype is torch.float64
    assert model.body[1].num_batches_tracked.dtype is torch.int64
    model(torch.tensor([[1.0, 2.0], [0.0, 1.0]]).double()).sum().backward()
    assert model.float().to("cpu").shift.dtype is torch.float32
    assert np.array_equal(arrays_of(model)["body.0.weight"], before["body.0.weight"])
    with pytest.raises(TypeError, match="only accepts floating point"):
        model.to(torch.int64)


@given(st.sets(st.sampled_from(KEYS)), st.sets(st.sampled_from(["new", "body.0.new", "scale.new"])), st.booleans())
def test_loading_tells_what_is_amiss(missing: set[str], extra: set[str], strict: bool) -> None:
    source, model = Model(), Model()
    source.double().apply(lambda m: [x.add_(1) for x in m.buffers(recurse=False)])
    state = OrderedDict((key, value) for key, value in source.state_dict().items() if key not in missing)
    state.update((key, torch.ones(1)) for key in extra)
    before = arrays_of(model)
    if strict and (missing or extra):
        with pytest.raises(RuntimeError) as caught:
            model.load_state_dict(state)
        for key in missing | extra:
            assert f'"{key}"' in str(caught.value)
        assert same(before, arrays_of(model))
        return
    result = model.load_state_dict(state, strict)
    assert set(result.missing_keys) == missing
    assert set(result.unexpected_keys) == extra
    keys = f"_IncompatibleKeys(missing_keys={result.missing_keys}, unexpected_keys={result.unexpected_keys})"
    assert repr(result) == (keys if missing or extra else "<All keys matched successfully>")
    for key, array in arrays_of(model).items():
        wanted = before[key] if key in missing else state[key].numpy()
        assert np.array_equal(array, wanted.astype(array.dtype)), key
        assert array.dtype == before[key].dtype


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("wrong", [torch.ones(3), 3, [1.0, 2.0], None])
def test_nothing_is_loaded_if_anything_is_wrong(wrong: Any, assign: bool) -> None:
    model = Model()
    before, parameters = arrays_of(model), list(model.parameters())
    state = {key: value + 1 for key, value in model.state_dict().items()} | {"body.1.running_var": wrong}
    with pytest.raises(RuntimeError, match=r"body\.1\.running_var"):
        model.load_state_dict(state, strict=False, assign=assign)
    assert same(before, arrays_of(model))
    assert all(a is b for a, b in zip(model.parameters(), parameters, strict=True))


def test_assigned_tensors_take_the_places_and_keep_what_was_asked_of_them() -> None:
    model = Model()
    model.scale.requires_grad_(False)
    state = {key: value.clone() for key, value in Model().state_dict().items()}
    state["body.0.bias"] = bias = nn.Parameter(torch.zeros(2), requires_grad=False)
    model.load_state_dict(state, assign=True)
    assert model.body[0].bias is bias
    assert bias.requires_grad
    assert not model.scale.requires_grad
    assert model.body[0].weight.requires_grad
    assert isinstance(model.scale, nn.Parameter)
    state["scale"].fill_(9)
    state["shift"].fill_(8)
    assert model.scale.item() == 9
    assert model.shift.tolist() == [8, 8]


def test_copies_and_pickles_share_nothing_but_what_was_shared() -> None:
    model = Model()
    model.tied = nn.Linear(2, 2, bias=False)
    model.tied.weight = model.body[0].weight
    model.eval()
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert same(arrays_of(made), arrays_of(model))
        assert made.tied.weight is made.body[0].weight
        assert made.tied.weight is not model.tied.weight
        assert made.training is made.body.training is False
        with torch.no_grad():
            made.scale.fill_(5)
        assert model.scale.item() == 2
        made.register_forward_hook(lambda *given: None)
        assert not model._hooks


# ---- hooks -----------------------------------------------------------------------------------------------------------


def test_hooks_see_and_change_inputs_and_outputs_in_their_order() -> None:
    layer = nn.Identity()
    order: list[str] = []

    def hook(label: str, result: Any) -> Any:
        return lambda *given: (order.append(label), result(*given))[1]

    layer.register_forward_pre_hook(hook("b", lambda m, args: args[0] + 1))
    layer.register_forward_pre_hook(hook("a", lambda m, args: (args[0] * 10,)), prepend=True)
    layer.register_forward_hook(hook("c", lambda m, args, out: out * args[0]))
    handle = layer.register_forward_hook(hook("d", lambda m, args, out: -out))
    assert layer(torch.tensor(2.0)).item() == -(21.0**2)
    assert order == ["a", "b", "c", "d"]
    handle.remove()
    assert layer(torch.tensor(2.0)).item() == 21.0**2
    assert layer.forward(torch.tensor(2.0)).item() == 2


def test_backward_hooks_see_and_change_gradients() -> None:
    seen = []
    layer = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[3.0, 5.0]]))
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    layer.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
    layer.register_full_backward_hook(lambda m, gi, go: (seen.append((gi, go)), (gi[0] * 10,))[1])
    layer(x).sum().backward()
    ((grad_input, grad_output),) = seen
    assert grad_output[0].tolist() == [[2]]
    assert grad_input[0].tolist() == [[6, 10]]
    assert x.grad.tolist() == [[60, 100]]
    assert layer.weight.grad.tolist() == [[2, 4]]
    layer.register_full_backward_hook(lambda m, gi, go: (None, None))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        layer(x).sum().backward()


def test_state_dict_hooks() -> None:
    model = Model()
    model.body[0].register_state_dict_post_hook(lambda m, state, prefix, meta: state.update({prefix + "more": 1}))
    model.body[0].register_load_state_dict_pre_hook(lambda m, state, prefix, *rest: state.pop(prefix + "more"))
    state = model.state_dict()
    assert state["body.0.more"] == 1
    assert not model.load_state_dict(state).unexpected_keys
    assert state["body.0.more"] == 1
    model.register_state_dict_post_hook(lambda *given: 1)
    with pytest.raises(RuntimeError, match="must return None"):
        model.state_dict()


# ---- containers ------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from(["append", "insert", "pop", "del", "cut", "set"]), st.integers(-4, 6))))
def test_a_list_of_modules_is_a_list(steps: list[tuple[str, int]]) -> None:
    names = [nn.ReLU(), nn.Tanh(), nn.GELU()]
    for make in (nn.ModuleList, lambda modules: nn.Sequential(*modules)):
        got, wanted = make(names), list(names)
        for step, where in steps:
            new = nn.Identity()
            if step == "append":
                got.append(new)
                wanted.append(new)
            elif step == "insert" and -len(wanted) <= where <= len(wanted):
                got.insert(where, new)
                wanted.insert(where, new)
            elif step == "cut":
                del got[where:]
                del wanted[where:]
            elif not -len(wanted) <= where < len(wanted):
                with pytest.raises(IndexError):
                    got.pop(where)
            elif step == "pop":
                assert got.pop(where) is wanted.pop(where)
            elif step == "del":
                del got[where]
                del wanted[where]
            elif step == "set":
                got[where] = wanted[where] = new
            assert list(got) == wanted
            assert len(got) == len(wanted)
            assert list(got[1:]) == wanted[1:]
            assert [got[position] for position in range(len(wanted))] == wanted
            assert [name for name, _ in got._modules.items()] == [str(position) for position in range(len(wanted))]


# ---- layers ----------------------------------------------------------------------------------------------------------


def test_running_estimates_are_those_of_the_batches() -> None:
    rng = np.random.default_rng(0)
    batches = [rng.standard_normal((5, 3)).astype(np.float32) for _ in range(4)]
    moving, average = nn.BatchNorm1d(3), nn.BatchNorm1d(3, momentum=None)
    mean, var = np.zeros(3), np.ones(3)
    for batch in batches:
        for norm in (moving, average):
            norm(torch.from_numpy(batch))
        mean, var = 0.9 * mean + 0.1 * batch.mean(0), 0.9 * var + 0.1 * batch.var(0, ddof=1)
    np.testing.assert_allclose(moving.running_mean.numpy(), mean, rtol=1e-5)
    np.testing.assert_allclose(moving.running_var.numpy(), var, rtol=1e-5)
    np.testing.assert_allclose(average.running_mean.numpy(), np.mean(batches, axis=(0, 1)), rtol=1e-4)
    assert moving.num_batches_tracked.item() == 4
    before = arrays_of(moving.eval())
    x = torch.from_numpy(batches[0])
    wanted = (batches[0] - mean) / np.sqrt(var + 1e-5)
    np.testing.assert_allclose(moving(x).detach().numpy(), wanted, rtol=1e-4, atol=1e-5)
    assert same(before, arrays_of(moving))
    moving.reset_running_stats()
    assert moving.running_var.tolist() == [1, 1, 1]
    assert moving.num_batches_tracked.item() == 0


@pytest.mark.parametrize("p", [0.0, 0.5, 0.75, 1.0])
def test_dropout_drops_only_when_training(p: float) -> None:
    layer, x = nn.Dropout(p), torch.ones(4000)
    kept = layer(x)
    assert abs((kept == 0).float().mean().item() - p) < 0.03
    assert set(kept.tolist()) <= {0.0, 1 / (1 - p) if p < 1 else 0.0}
    assert layer.eval()(x) is x
    layer.p = 0.5
    assert 0.45 < (layer.train()(x) == 0).float().mean().item() < 0.55
    for wrong in (-0.1, 1.1):
        with pytest.raises(ValueError, match="between 0 and 1"):
            nn.Dropout(wrong)


def test_constants_can_be_changed_and_are_printed() -> None:
    layer = nn.LeakyReLU(0.5)
    layer.negative_slope = 2.0
    assert layer(torch.tensor([-1.0])).tolist() == [-2]
    assert repr(layer) == "LeakyReLU(negative_slope=2.0)"
    assert repr(nn.ReLU(inplace=True)) == "ReLU(inplace=True)"
    assert repr(nn.Softmax(dim=1)) == "Softmax(dim=1)"
    assert repr(nn.Flatten(0)) == "Flatten(start_dim=0, end_dim=-1)"
    assert repr(nn.CrossEntropyLoss(label_smoothing=0.1)) == "CrossEntropyLoss()"
    assert repr(nn.BatchNorm1d(3)) == (
        "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"
    )
    assert (
        repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    )
    with pytest.raises(TypeError, match="unexpected keyword"):
        nn.MSELoss(beta=1)


def test_weights_of_losses_are_state() -> None:
    loss = nn.CrossEntropyLoss(torch.tensor([1.0, 3.0]))
    assert list(loss.state_dict()) == ["weight"]
    logits, target = torch.zeros(2, 2), torch.tensor([0, 1])
    plain = nn.CrossEntropyLoss(reduction="none")(logits, target)
    assert loss(logits, target).item() == pytest.approx((plain[0] + 3 * plain[1]).item() / 4)
    loss.double()
    assert loss(logits.double(), target).dtype is torch.float64


# ---- first values and gradients --------------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.5, 3))
def test_orthogonal_rows_or_columns(rows: int, columns: int, gain: float) -> None:
    drawn, q = (torch.empty(rows, columns, dtype=torch.float64) for _ in range(2))
    nn.init.normal_(drawn, generator=torch.Generator().manual_seed(rows))
    q = nn.init.orthogonal_(q, gain, torch.Generator().manual_seed(rows)).numpy()
    product = q @ q.T if rows <= columns else q.T @ q
    np.testing.assert_allclose(product, gain**2 * np.eye(min(rows, columns)), atol=1e-12)
    # Of the many such matrices it is the one from which the drawn one follows by a positive diagonal.
    assert (np.diagonal(q.T @ drawn.numpy() if rows >= columns else q @ drawn.numpy().T) > 0).all()


@pytest.mark.parametrize(("a", "b"), [(-2.0, 2.0), (0.5, 1.0), (2.5, 3.0), (-0.1, 4.0)])
def test_truncated_normal_numbers_have_the_moments_of_the_truncated_distribution(a: float, b: float) -> None:
    x = nn.init.trunc_normal_(torch.empty(20_000), 0.0, 1.0, a, b) if a < 2 else None
    if x is None:
        with pytest.warns(UserWarning, match="more than 2 std"):
            x = nn.init.trunc_normal_(torch.empty(20_000), 0.0, 1.0, a, b)
    points = np.linspace(a, b, 10_001)
    density = np.exp(-(points**2) / 2)
    mean = (points * density).sum() / density.sum()
    std = np.sqrt(((points - mean) ** 2 * density).sum() / density.sum())
    assert a <= x.min().item() < x.max().item() <= b
    assert abs(x.mean().item() - mean) < 5 * std / np.sqrt(20_000)
    assert abs(x.std().item() / std - 1) < 0.03


def test_other_first_values() -> None:
    x = torch.empty(30, 20)
    for fill, std in ((nn.init.xavier_normal_, np.sqrt(2 / 50)), (nn.init.kaiming_normal_, np.sqrt(2 / 20))):
        assert abs(fill(x).std().item() / std - 1) < 0.1
    assert nn.init.xavier_uniform_(x).abs().max().item() <= np.sqrt(6 / 50)
    assert nn.init.eye_(x).tolist() == np.eye(30, 20).tolist()
    for fill in (nn.init.eye_, nn.init.xavier_normal_, nn.init.orthogonal_):
        with pytest.raises(ValueError, match="dimensions"):
            fill(torch.empty(3))
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        nn.init.calculate_gain("what")


@given(
    st.lists(st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=4), min_size=1, max_size=3), st.floats(0.1, 5)
)
def test_clipped_gradients_keep_their_direction(values: list[list[float]], most: float) -> None:
    parameters = [nn.Parameter(torch.zeros(len(row))) for row in values]
    for parameter, row in zip(parameters, values, strict=True):
        parameter.grad = torch.tensor(row)
    before = np.concatenate([parameter.grad.numpy().copy() for parameter in parameters])
    norm = nn.utils.clip_grad_norm_(parameters, most)
    after = np.concatenate([parameter.grad.numpy() for parameter in parameters])
    assert norm.item() == pytest.approx(np.linalg.norm(before), rel=1e-5)
    assert np.linalg.norm(after) <= most * (1 + 1e-5)
    np.testing.assert_allclose(after, before * min(1, most / (np.linalg.norm(before) + 1e-6)), rtol=1e-5, atol=1e-30)
    nn.utils.clip_grad_value_(parameters, 0.5)
    clipped = np.concatenate([parameter.grad.numpy() for parameter in parameters])
    np.testing.assert_array_equal(clipped, np.clip(after, -0.5, 0.5))


def test_a_norm_that_is_not_finite_stops_before_any_gradient_has_changed() -> None:
    parameter = nn.Parameter(torch.zeros(2))
    parameter.grad = torch.tensor([1.0, float("inf")])
    with pytest.raises(RuntimeError, match="is non-finite"):
        nn.utils.clip_grad_norm_([parameter], 1.0, error_if_nonfinite=True)
    assert parameter.grad.tolist() == [1.0, float("inf")]
    with pytest.warns(UserWarning, match="empty generator"):
        assert nn.utils.clip_grad_norm_((p for p in []), 1.0).item() == 0
