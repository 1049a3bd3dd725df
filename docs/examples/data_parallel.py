"""Training on several processes: each has the whole model and a part of the batch, and all take the same step."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np

import minigrad as torch

try:
    from mpi4py import MPI
except ModuleNotFoundError:
    sys.exit("mpi4py is not installed: python -m pip install -e '.[mpi]'")

world = MPI.COMM_WORLD


def average_gradients(parameters: Iterable[torch.Tensor]) -> None:
    """Make each gradient the mean of those that the processes have; of a sparse one, only its rows travel."""
    for parameter in parameters:
        gradient = parameter.grad
        if gradient.is_sparse:
            gradient = gradient.coalesce()
            parts = world.allgather((gradient.indices().numpy(), gradient.values().numpy()))
            # A row that several processes have is listed several times, and that means the sum.
            ids = torch.from_numpy(np.concatenate([ids for ids, _ in parts], axis=1))
            rows = torch.from_numpy(np.concatenate([rows for _, rows in parts]) / world.size)
            parameter.grad = torch.sparse_coo_tensor(ids, rows, gradient.shape)
        else:
            world.Allreduce(MPI.IN_PLACE, gradient.numpy())
            gradient /= world.size


# One seed for all: they start with the same weights, and draw the same batches.
torch.manual_seed(0)
table, linear = torch.nn.Embedding(50, 16, sparse=True), torch.nn.Linear(48, 50)
model = torch.nn.Sequential(table, torch.nn.Flatten(), linear)
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)

for step in range(10):
    # Three numbers, and the task to count on.
    ids = (torch.randint(50, (32, 1)) + torch.arange(4)) % 50
    # Parts of one size: then the mean of their means is the mean of the batch.
    part = ids[world.rank :: world.size]
    loss = torch.nn.functional.cross_entropy(model(part[:, :3]), part[:, 3])
    optimizer.zero_grad()
    loss.backward()
    average_gradients(model.parameters())
    optimizer.step()
    mean = world.allreduce(loss.item()) / world.size
    if world.rank == 0:
        print(f"step {step}  loss {mean:.5f}")

if world.rank == 0:
    torch.save(model.state_dict(), "model.pt")
