"""Memory shared with PyTorch by DLPack and by NumPy; what both packages warn of and print of copies and pickles."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
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


# ---- programs that print the same ------------------------------------------------------------------------------------


def pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def leaves(api: Any) -> list[Any]:
    x = api.arange(6.0).view(2, 3).t().requires_grad_()
    x.grad, x.note = api.ones(3, 2), [1]
    p = api.nn.Parameter(api.ones(2))
    (p * 3).sum().backward()
    p.note = [2]
    frozen = api.nn.Parameter(api.ones(2), requires_grad=False)
    return [x, p, frozen, x.detach()[:, 1], x.detach()[0, 0].expand(2), api.tensor(3, dtype=api.int8)]


def told(x: Any) -> tuple[Any, ...]:
    return repr(x), x.stride(), x.is_leaf, x.grad, x.__dict__


def copied_leaves(api: Any) -> list[Any]:
    return [told(how(x)) for how in (copy.copy, copy.deepcopy, pickled) for x in leaves(api)]


def copied_results(api: Any) -> list[Any]:
    x = api.ones(2, requires_grad=True)
    return [told(how(y)) for how in (copy.copy, pickled) for y in (x * 2, x[:1], x.view(2, 1))]


def what_copies_share(api: Any) -> list[Any]:
    out = []
    for how in (copy.copy, copy.deepcopy, pickled):
        for make in (
            lambda x: [x, x],
            lambda x: [x, x[1:]],
            lambda x: [x[:2], x[1:]],
            lambda x: [x, x.detach()],
            lambda x: [x, x.data],
            lambda x: [x, x.view(1, 3)],
            lambda x: [api.nn.Parameter(x), x],
        ):
            given = make(api.arange(3.0))
            made = how(given) if how is not copy.copy else [how(x) for x in given]
            made[0].data.fill_(7)
            out.append((made[0] is made[1], made[1].tolist(), [x.tolist() for x in given]))
    return out


def copied_things(api: Any) -> list[Any]:
    things = [api.Size([1, 2]), api.float16, api.bool, api.device("cpu"), api.device("cpu:0"), api.nn.Linear(2, 1)]
    return [
        (repr(how(x)), how(x) is x, api.Generator is type(how(api.Generator())))
        for how in (copy.copy, copy.deepcopy, pickled)
        for x in things
    ]


def copied_generators(api: Any) -> list[Any]:
    out = []
    for how in (copy.copy, copy.deepcopy, pickled):
        generator = api.Generator().manual_seed(5)
        api.rand(3, generator=generator)
        other = how(generator)
        out += [api.randn(3, generator=each).tolist() for each in (other, other, generator)]
        out.append(other.initial_seed())
    return out


def storage_offsets(api: Any) -> list[Any]:
    x = api.arange(12).view(3, 4)
    views = [x, x[1:], x[:, 2], x.t()[1], x[1:][1:], x[2, 3], x[1:].detach(), x[1:].clone(), x.view(2, 6)[1], x[1].data]
    return [each.storage_offset() for each in views]


PROGRAMS: list[Callable[[Any], Any]] = [
    *(copied_leaves, copied_results, what_copies_share, copied_things, copied_generators, storage_offsets),
]


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_says_the_same(program: Callable[[Any], Any]) -> None:
    assert repr(program(minigrad)) == repr(program(torch))


# ---- warnings --------------------------------------------------------------------------------------------------------

ONCE = [
    "torch.from_numpy(fixed); torch.from_numpy(fixed)",
    "torch.as_tensor(fixed)",
    "torch.as_tensor(fixed, dtype=torch.float32)",
    "torch.from_numpy(np.broadcast_to(fixed, (2, 2)))",
    "torch.ones(2) == fixed",
    "torch.tensor(fixed)",
    "float(x); float(x)",
    "complex(x)",
    "int(x); bool(x); x.item(); x.tolist(); format(x, '.1f')",
    "float(x.detach())",
]


@pytest.mark.parametrize("statement", ONCE)
def test_warned_of_once_as_in_pytorch(statement: str) -> None:
    """In a process of its own: both packages remember what they have warned of."""
    program = (
        "import sys, warnings, numpy as np; warnings.simplefilter('always')\n"
        "fixed = np.ones(2); fixed.flags.writeable = False\n"
        "for name in ('torch', 'minigrad'):\n"
        "    torch = __import__(name)\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        "        x = torch.tensor(1.5, requires_grad=True)\n"
        f"        {statement}\n"
        "    print([(each.category.__name__, str(each.message)[:60]) for each in caught])\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    theirs, ours = run.stdout.splitlines()
    assert theirs == ours
