"""What `programs/layers.md` does not show of modules: what is shared, what stays, what is left of a failure, copies."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad import nn

PAGE = (Path(__file__).parent / "programs" / "layers.md").read_text(encoding="utf-8")

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


def arrays_of(model: Any) -> dict[str, Any]:
    return {key: value.numpy().copy() for key, value in model.state_dict().items()}


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def test_every_layer_and_every_function_of_first_values_is_on_the_page() -> None:
    public = {name: getattr(nn, name) for name in nn.__all__}
    layers = {name for name, each in public.items() if isinstance(each, type) and issubclass(each, nn.Module)}
    assert {name for name, each in vars(nn.modules).items() if isinstance(each, type)} == layers
    assert not {name for name in layers if f": {name}(" not in PAGE} - {"Module"}
    functions = {
        name for name, each in vars(nn.init).items() if inspect.isfunction(each) and re.fullmatch("[a-z].*_", name)
    }
    assert not {name for name in functions if f'"{name}": [' not in PAGE}


# Those calls of the page that make a layer.
CALLS = sorted(
    set(re.findall(r'show\("(nn\..*\))"', PAGE)) & set(re.findall(r"^(nn\..*\)): \w+\(", PAGE, re.MULTILINE))
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_copies_and_pickles_of_every_layer_have_its_state_and_share_nothing(call: str) -> None:
    layer = eval(call, {"nn": nn, "torch": torch})
    for made in (copy.deepcopy(layer.eval()), pickle.loads(pickle.dumps(layer))):
        assert same(arrays_of(made), arrays_of(layer))
        assert (repr(made), made.training) == (repr(layer), False)
        with torch.no_grad():
            for x in made.state_dict().values():
                x.fill_(77)
        assert not [x for x in layer.state_dict().values() if (x == 77).any()]


def test_what_is_shared_is_shared_in_copies() -> None:
    model = Model()
    model.tied = nn.Linear(2, 2, bias=False)
    model.tied.weight = model.body[0].weight
    model(torch.ones(2, 2)).sum().backward()
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert made.tied.weight is made.body[0].weight
        assert made.tied.weight is not model.tied.weight
        assert type(made.scale) is nn.Parameter
        assert made.scale.grad is None
        made.register_forward_hook(lambda *given: None)
        assert not model._hooks


def test_a_parameter_a_table_and_a_state_share_the_storage_of_what_they_are_made_of() -> None:
    data = torch.tensor([[1.0, 2.0]])
    p, table = nn.Parameter(data), nn.Embedding.from_pretrained(data)
    layer = nn.Linear(2, 1)
    layer.weight = p
    state = layer.state_dict()
    data[0, 0] = 7
    assert p.tolist() == table.weight.tolist() == state["weight"].tolist() == [[7, 2]]
    assert p._version == state["weight"]._version == 1
    assert not data.requires_grad
    for made in (p * 2, p.detach(), p.T, p.data, p.clone(), state["weight"]):
        assert type(made) is torch.Tensor


def test_a_name_keeps_its_place_when_it_is_given_another_parameter() -> None:
    model = Model()
    names = [name for name, _ in model.named_parameters()]
    new = nn.Parameter(torch.zeros(()))
    model.scale = None
    assert [name for name, _ in model.named_parameters()] == names[1:]
    model.scale = new
    assert next(iter(model.parameters())) is new
    model.tag = 3
    model.tag = new
    assert "tag" not in vars(model)


def test_zero_grad_sets_to_none_or_to_zero() -> None:
    model = Model()
    model(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).sum().backward()
    grads = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    assert [p.grad for p in model.parameters()] == grads
    assert not any([grad.abs().sum() for grad in grads])
    for set_to_none in (True, False):
        model.zero_grad(set_to_none=set_to_none)
        assert [p.grad for p in model.parameters()] == [None] * 5


def test_loading_copies_into_the_parameters_that_are_there() -> None:
    source, target = Model(), Model()
    before = [(p, p._version, p.data_ptr()) for p in target.parameters()]
    target.load_state_dict({key: value.double() for key, value in source.state_dict().items()})
    after = [(p, p._version, p.data_ptr()) for p in target.parameters()]
    assert after == [(p, version + 1, place) for p, version, place in before]
    assert same(arrays_of(target), arrays_of(source))
    assert all(p.requires_grad and p.dtype is torch.float32 for p in target.parameters())


KEYS = ["scale", "shift", "body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "body.1.running_mean",
        "body.1.running_var", "body.1.num_batches_tracked"]  # fmt: skip


@given(st.sets(st.sampled_from(KEYS)), st.sets(st.sampled_from(["new", "body.0.new", "scale.new"])), st.booleans())
def test_loading_tells_what_is_amiss(missing: set[str], extra: set[str], strict: bool) -> None:
    source, model = Model(), Model()
    state = OrderedDict((key, value.double() + 1) for key, value in source.state_dict().items() if key not in missing)
    state.update((key, torch.ones(1)) for key in extra)
    before = arrays_of(model)
    assert list(before) == KEYS
    if strict and (missing or extra):
        with pytest.raises(RuntimeError) as caught:
            model.load_state_dict(state)
        assert not [key for key in missing | extra if f'"{key}"' not in str(caught.value)]
        assert same(before, arrays_of(model))
        return
    result = model.load_state_dict(state, strict)
    assert (set(result.missing_keys), set(result.unexpected_keys)) == (missing, extra)
    for key, array in arrays_of(model).items():
        wanted = before[key] if key in missing else state[key].numpy()
        np.testing.assert_array_equal(array, wanted.astype(before[key].dtype), strict=True)


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


def test_options_may_be_changed_and_a_layer_that_does_nothing_returns_what_it_is_given() -> None:
    layer, x = nn.LeakyReLU(0.5), torch.tensor([-1.0])
    layer.negative_slope = 2.0
    assert layer(x).tolist() == [-2]
    assert repr(layer) == "LeakyReLU(negative_slope=2.0)"
    dropout = nn.Dropout(0.5).eval()
    assert dropout(x) is x
    dropout.p = 1.0
    assert dropout.train()(x).tolist() == [0]
    with pytest.warns(UserWarning, match="zero-element"):
        assert nn.Linear(0, 2).bias.tolist() == [0, 0]
    with pytest.warns(UserWarning, match="more than 2 std"):
        nn.init.trunc_normal_(torch.empty(2), 0.0, 1.0, 2.5, 3.0)
