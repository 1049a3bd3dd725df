"""What small mistakes in the bilinear layer no other test sees that runs without PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad import nn

pytestmark = pytest.mark.usefixtures("seeded")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("leading", [(), (5,), (2, 3)])
def test_a_bilinear_layer_is_a_form_in_two_inputs_for_each_output(bias: bool, leading: tuple[int, ...]) -> None:
    layer = nn.Bilinear(3, 4, 2, bias=bias, dtype=torch.float64)
    x, y = torch.randn(*leading, 3).double(), torch.randn(*leading, 4).double()
    wanted = np.einsum("...i,oij,...j->...o", x.numpy(), layer.weight.detach().numpy(), y.numpy())
    wanted = wanted + (layer.bias.detach().numpy() if bias else 0)
    np.testing.assert_allclose(layer(x, y).detach().numpy(), wanted, rtol=1e-12)
    assert [name for name, _ in layer.named_parameters()] == (["weight", "bias"] if bias else ["weight"])
    if not bias:
        assert layer.bias is None
        assert "bias" not in layer.state_dict()


@pytest.mark.parametrize("first", [1, 4, 25])
def test_its_parameters_are_drawn_between_bounds(first: int) -> None:
    """Uniformly on [-k, k) with k = 1 / sqrt(in1_features): thousands of draws come near both ends."""
    layer = nn.Bilinear(first, 20, 2000)
    bound = 1 / first**0.5
    for parameter in (layer.weight, layer.bias):
        assert -bound <= parameter.min().item() < -0.99 * bound
        assert 0.99 * bound < parameter.max().item() <= bound
        assert abs(parameter.mean().item()) < 0.06 * bound
    before = [parameter.tolist() for parameter in layer.parameters()]
    layer.reset_parameters()
    assert all([now.tolist() != then for now, then in zip(layer.parameters(), before, strict=True)])


def test_it_has_the_sizes_dtype_and_device_it_is_asked_for() -> None:
    assert repr(nn.Bilinear(3, 4, 2)) == "Bilinear(in1_features=3, in2_features=4, out_features=2, bias=True)"
    assert repr(nn.Bilinear(3, 4, 2, False)) == "Bilinear(in1_features=3, in2_features=4, out_features=2, bias=False)"
    layer = nn.Bilinear(3, 4, 2, dtype=torch.float64, device="cpu")
    assert [layer.weight.shape, layer.bias.shape] == [(2, 3, 4), (2,)]
    assert {p.dtype for p in layer.parameters()} == {torch.float64}
    assert {p.dtype for p in nn.Bilinear(3, 4, 2).parameters()} == {torch.float32}
    for bias in (True, False):
        with pytest.raises((AssertionError, RuntimeError), match=r"(?i)cuda"):
            nn.Bilinear(3, 4, 2, bias, device="cuda")


@pytest.mark.parametrize("first", [0, -1])
def test_it_needs_a_first_input(first: Any) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        nn.Bilinear(first, 4, 2)
    assert str(caught.value) == f"in1_features must be > 0, but got {first}"


def test_a_linear_layer_says_which_size_does_not_fit() -> None:
    layer = nn.Linear(3, 2)
    for shape, shown in [((5,), "1x5"), ((2, 5), "2x5"), ((2, 4, 5), "8x5")]:
        with pytest.raises(RuntimeError, match=r"^mat1 and mat2 shapes cannot be multiplied") as caught:
            layer(torch.ones(*shape))
        assert f"({shown} and 3x2)" in str(caught.value)
        assert "What comes before gives 5 features, and 3 are expected" in str(caught.value)
    for name, sizes in [("in_features", (2.5, 3)), ("out_features", (3, 2.5))]:
        with pytest.raises(TypeError, match=f"but {name} is 2.5, a float"):
            nn.Linear(*sizes)
