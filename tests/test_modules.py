"""What `programs/layers.md` does not show of modules: its layers, copies, what is left of a failure."""

import copy
import inspect
import pickle
import re
from dataclasses import KW_ONLY, InitVar
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

import minigrad as torch
from minigrad import nn
from minigrad.nn.modules.layer import FunctionLayer

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
    public = {name: getattr(nn, name) for name in dir(nn)}
    layers = {name for name, each in public.items() if isinstance(each, type) and issubclass(each, nn.Module)}
    assert {name for name, each in vars(nn.modules).items() if isinstance(each, type)} == layers - {"DataParallel"}
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


KEYS = ["scale", "shift", "body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "body.1.running_mean",
        "body.1.running_var", "body.1.num_batches_tracked"]  # fmt: skip


@given(st.sets(st.sampled_from(KEYS)), st.sets(st.sampled_from(["new", "body.0.new", "scale.new"])), st.booleans())
def test_loading_tells_what_is_amiss(missing: set[str], extra: set[str], strict: bool) -> None:
    source, model = Model(), Model()
    state: Any = source.state_dict()
    for key in [*state]:
        state[key] = state[key].double() + 1
        if key in missing:
            del state[key]
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


@pytest.mark.parametrize("wrong", [torch.ones(3), 3, [1.0, 2.0], None])
def test_nothing_is_loaded_if_anything_is_wrong(wrong: Any) -> None:
    model = Model()
    before, parameters = arrays_of(model), list(model.parameters())
    state = {key: value + 1 for key, value in model.state_dict().items()} | {"body.1.running_var": wrong}
    with pytest.raises(RuntimeError, match=r"body\.1\.running_var"):
        model.load_state_dict(state, strict=False)
    assert same(before, arrays_of(model))
    assert all(a is b for a, b in zip(model.parameters(), parameters, strict=True))


def test_first_values_that_cannot_be_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="zero-element"):
        assert nn.Linear(0, 2).bias.tolist() == [0, 0]
    with pytest.raises(NotImplementedError, match="fewer than 3 in 10"):
        nn.init.trunc_normal_(torch.empty(2), 0.0, 1.0, 2.5, 3.0)


def test_a_constructor_is_that_of_a_dataclass() -> None:
    # The annotations are types here, and text in the package.
    class Power(FunctionLayer, function=torch.pow):
        exponent: float = 2.0
        kind: ClassVar[int] = 3
        _: KW_ONLY
        least: InitVar[int]

    assert repr(Power(least=1)) == "Power(exponent=2.0)"
    assert not hasattr(Power(3.0, least=1), "least")
    assert Power(3.0, least=1)(torch.tensor(2.0)) == 8
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'least'"):
        Power()
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3 were given"):
        Power(2.0, 1)
    with pytest.raises(ValueError, match="non-default argument follows default argument"):

        class Two(FunctionLayer, function=torch.pow):
            exponent: float = 2.0
            other: int
