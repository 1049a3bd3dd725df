"""The workloads of the benchmark compute the same thing three times: by hand, with minigrad, and with PyTorch."""

from __future__ import annotations

import pytest
from benchmarks import chains, layers, lookups, training  # noqa: F401
from benchmarks.harness import WORKLOADS, Workload, check_agreement, sides

# Of workloads that differ in sizes only, one is enough.
MADE_ALIKE = {each.make: each for each in WORKLOADS}


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("workload", MADE_ALIKE.values(), ids=lambda workload: workload.make.__name__)
def test_implementations_agree(workload: Workload) -> None:
    check_agreement(sides(workload.make, workload.tiny))
