"""A program as its writer's type checker sees it: mypy and pyright find nothing to say of it.

Where a line is marked to be ignored, it is an error to them, and to Python, too.
"""

from collections.abc import Iterator
from typing import Any, assert_type

import minigrad as torch
import minigrad.nn.functional as F
from minigrad import Tensor, nn
from minigrad.utils.data import DataLoader, TensorDataset


class Bigrams(nn.Module):
    def __init__(self, count: int, size: int) -> None:
        super().__init__()
        self.table = nn.Embedding(count, size)
        self.out = nn.Linear(size, count, bias=False)

    def forward(self, ids: torch.LongTensor) -> Tensor:
        return self.out(F.relu(self.table(ids)))


def functions(x: torch.Tensor, dtype: torch.dtype, device: torch.device) -> None:
    assert_type(torch.exp(x), Tensor)
    assert_type(torch.cat([x, x], dim=1), Tensor)
    assert_type(torch.softmax(x, dim=-1), Tensor)
    assert_type(torch.absolute(x), Tensor)
    assert_type(torch.split(x, 2), tuple[Tensor, ...])
    assert_type(torch.allclose(x, x), bool)
    assert_type(torch.zeros(2, 3, dtype=dtype, device=device), Tensor)
    assert_type(torch.float32, torch.dtype)
    assert_type(F.cross_entropy(x, torch.arange(2)), Tensor)


def not_run_since_it_takes_a_package(x: Tensor) -> None:
    assert_type(x.to(torch.bfloat16).bfloat16(), Tensor)


def methods(x: torch.FloatTensor) -> None:
    assert_type(x.sum(0, keepdim=True), Tensor)
    assert_type(x.permute(1, 0), Tensor)
    assert_type(x.permute((1, 0)), Tensor)
    assert_type(x.sort(1).indices, Tensor)
    assert_type(x.shape, torch.Size)
    assert_type(x.size(0), int)
    assert_type(x.clone().add_(1.0), Tensor)
    assert_type(2 * x[0, :2] - x @ x.T, Tensor)
    assert_type((x == 1).any(), Tensor)
    assert_type(x.grad, Tensor | None)
    assert_type(x.sum().backward(), None)


def training(model: Bigrams, data: TensorDataset) -> Iterator[float]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    loader = DataLoader(data, batch_size=2, shuffle=True)
    assert_type(loader, DataLoader[tuple[Tensor, ...]])
    assert_type(model.out.weight, nn.Parameter)
    assert_type(model.out.bias, nn.Parameter | None)
    assert_type(nn.MaxPool2d(2, ceil_mode=True)(torch.ones(1, 4, 4)), Tensor)
    assert_type(nn.Conv2d(1, 2, 3, device="cpu", dtype=torch.float64)(torch.ones(1, 4, 4).double()), Tensor)
    assert_type(nn.LayerNorm(4, dtype=torch.float32)(torch.ones(1, 4)), Tensor)
    assert_type(nn.LSTM(2, 3, batch_first=True), nn.LSTM)
    assert_type(torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.99)), torch.optim.Adam)
    assert_type(optimizer.param_groups, list[dict[str, Any]])
    for ids, target in loader:
        optimizer.zero_grad()
        loss = nn.CrossEntropyLoss()(model(ids), target)
        assert_type(loss, Tensor)
        loss.backward()
        optimizer.step()
        yield loss.item()
    assert_type(scheduler.step(), None)


def mistakes(x: Tensor) -> Iterator[Any]:
    yield lambda: torch.expp(x)  # type: ignore[attr-defined]
    yield lambda: x.summ()  # type: ignore[attr-defined]
    yield lambda: F.reluu(x)  # type: ignore[attr-defined]
    yield lambda: nn.Linearr(2, 3)  # type: ignore[attr-defined]
    yield lambda: torch.optim.Sgd  # type: ignore[attr-defined]
    yield lambda: torch.add(x, 1, alfa=2)  # type: ignore[call-arg]
    yield lambda: nn.Linear(2, 3, biass=False)  # type: ignore[call-arg]
