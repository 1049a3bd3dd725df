"""Memory shared with PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

# ---- from one to the other -------------------------------------------------------------------------------------------


def test_the_memory_outlives_the_tensor_that_it_came_from() -> None:
    y = torch.from_numpy(minigrad.arange(1000.0).numpy())
    for _ in range(3):
        assert y.sum().item() == 499500
        np.full(1000, 7.0)


@pytest.mark.usefixtures("seeded")
def test_a_model_goes_over_as_its_state() -> None:
    ours, theirs = minigrad.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    theirs.load_state_dict({name: torch.from_numpy(x.numpy()) for name, x in ours.state_dict().items()})
    x = np.ones((4, 3), np.float32)
    np.testing.assert_allclose(
        ours(minigrad.from_numpy(x)).detach().numpy(), theirs(torch.from_numpy(x)).detach().numpy(), rtol=1e-6
    )
