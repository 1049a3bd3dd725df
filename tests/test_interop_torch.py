"""Memory shared with PyTorch by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from strategies import DTYPES

import minigrad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

# ---- from one to the other -------------------------------------------------------------------------------------------


def layouts(api: Any, dtype: str) -> list[Any]:
    base = api.arange(24).to(getattr(api, dtype)).view(4, 6)
    return [base, base.t(), base[::2, 1:], base[1, 2], base[:, :0], base.view(2, 2, 6)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_hands_the_memory_over(dtype: str) -> None:
    for x in layouts(minigrad, dtype):
        y = torch.from_dlpack(x)
        assert (str(y.dtype), tuple(y.shape)) == (str(x.dtype), tuple(x.shape))
        assert x.numel() == 0 or (y.data_ptr(), tuple(y.stride())) == (x.data_ptr(), tuple(x.stride()))
        x.fill_(1)
        assert y.tolist() == x.tolist()
        y.zero_()
        assert not x.numpy().any()


def test_the_memory_outlives_the_tensor_that_it_came_from() -> None:
    y = torch.from_dlpack(minigrad.arange(1000.0))
    for _ in range(3):
        assert y.sum().item() == 499500
        np.full(1000, 7.0)


@pytest.mark.usefixtures("seeded")
def test_a_model_goes_over_as_its_state() -> None:
    ours, theirs = minigrad.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    theirs.load_state_dict({name: torch.from_dlpack(x) for name, x in ours.state_dict().items()})
    x = np.ones((4, 3), np.float32)
    np.testing.assert_allclose(
        ours(minigrad.from_numpy(x)).detach().numpy(), theirs(torch.from_numpy(x)).detach().numpy(), rtol=1e-6
    )
