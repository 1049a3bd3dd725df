"""Every layer beside PyTorch's: first values, printed form, state, outputs, gradients, and what calls change."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from comparing import Raised, array_of, check_same, check_same_values, outcome, seeded, tensor_of  # noqa: E402

import minigrad  # noqa: E402

BOTH = (torch, minigrad)


# ---- what layers are called with -------------------------------------------------------------------------------------


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def unit(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).uniform(0.05, 0.95, shape).astype(np.float32)


def ids(*shape: int, below: int) -> np.ndarray:
    return np.random.default_rng(shape).integers(0, below, shape)


def signs(*shape: int) -> np.ndarray:
    return (2 * ids(*shape, below=2) - 1).astype(np.float32)


class Row(NamedTuple):
    """A layer, how it is made of either package, and what it is called with."""

    covers: str
    make: Callable[[Any], Any]
    inputs: tuple[np.ndarray, ...]
    ulps: float = 16

    def __str__(self) -> str:
        return f"{self.covers}-{ROWS.index(self)}"


ROWS: list[Row] = []


def add(covers: str, call: str, *inputs: np.ndarray, ulps: float = 16) -> None:
    """A row whose layer is made by `call`, an expression of `nn` and `torch`."""
    ROWS.append(Row(covers, lambda api: eval(call, {"nn": api.nn, "torch": api}), inputs, ulps))


def add_class(covers: str, define: Callable[[Any], Any], *inputs: np.ndarray, ulps: float = 16) -> None:
    """A row for what is used by a module of one's own."""
    ROWS.append(Row(covers, define, inputs, ulps))


IN_PLACE_OR_NOT = ["ReLU", "SiLU"]
PLAIN = ["Sigmoid", "Tanh", "LogSigmoid", "Softplus", "GELU", "LeakyReLU", "ELU"]
ALONG = ["Softmax", "LogSoftmax"]
DROPOUTS = {"Dropout": (50,), "Dropout2d": (5, 6, 2, 2)}

for name in [*IN_PLACE_OR_NOT, *PLAIN]:
    add(name, f"nn.{name}()", 2 * normal(3, 4))
for name in IN_PLACE_OR_NOT:
    add(name, f"nn.Sequential(nn.Linear(4, 3), nn.{name}(inplace=True))", normal(2, 4))
for name in ALONG:
    add(name, f"nn.{name}()", normal(3, 4))
    add(name, f"nn.{name}(dim=-1)", normal(2, 3, 4))
    add(name, f"nn.{name}(0)", normal(3, 4))
add("GELU", "nn.GELU(approximate='tanh')", normal(3, 4))
add("LeakyReLU", "nn.LeakyReLU(0.2)", normal(3, 4))
add("LeakyReLU", "nn.Sequential(nn.Linear(4, 3), nn.LeakyReLU(0.2, inplace=True))", normal(2, 4))
add("ELU", "nn.ELU(0.5)", normal(3, 4))
add("Softplus", "nn.Softplus(2.0, threshold=1)", normal(3, 4))
add("Hardtanh", "nn.Hardtanh()", 2 * normal(3, 4))
add("Hardtanh", "nn.Hardtanh(-0.5, 2)", 2 * normal(3, 4))

add("Hardtanh", "nn.Hardtanh(1, 1)")
add("PReLU", "nn.PReLU()", normal(3, 4))
add("PReLU", "nn.PReLU(4, init=0.1, dtype=torch.float32)", normal(3, 4))
for name, shape in DROPOUTS.items():
    add(name, f"nn.{name}()", normal(*shape))
    add(name, f"nn.{name}(p=0.2)", normal(*shape))
    add(name, f"nn.Sequential(nn.Identity(), nn.{name}(0.3, True))", normal(*shape))
    add(name, f"nn.{name}(1.5)")
    add(name, f"nn.{name}(0.0)", normal(*shape))
add("Identity", "nn.Identity(54, unused=0.1)", normal(3, 4))
add("Flatten", "nn.Flatten()", normal(2, 3, 4))
add("Flatten", "nn.Flatten(0, 1)", normal(2, 3, 4))
add("Linear", "nn.Linear(4, 3)", normal(2, 5, 4))
add("Linear", "nn.Linear(4, 3, bias=False)", normal(4))
add("Linear", "nn.Linear(4, 3)", normal(2, 5))
add("Embedding", "nn.Embedding(5, 3)", ids(2, 4, below=5))
add("Embedding", "nn.Embedding(5, 3, padding_idx=-1, scale_grad_by_freq=True)", ids(2, 4, below=5))
add("Embedding", "nn.Embedding(5, 3, max_norm=1.0)", ids(2, 4, below=5))
add("EmbeddingBag", "nn.EmbeddingBag(5, 3)", ids(2, 4, below=5))
add("EmbeddingBag", "nn.EmbeddingBag(5, 3, mode='max', padding_idx=1)", ids(2, 4, below=5))
add("EmbeddingBag", "nn.EmbeddingBag(5, 3, mode='sum')", ids(4, below=5), np.array([0, 1]))
add("LayerNorm", "nn.LayerNorm(4)", normal(2, 3, 4))
add("LayerNorm", "nn.LayerNorm((3, 4), eps=0.1)", normal(2, 3, 4))
add("LayerNorm", "nn.LayerNorm([3, 4], bias=False)", normal(2, 3, 4))
add("LayerNorm", "nn.LayerNorm(4, elementwise_affine=False)", normal(2, 3, 4))
add("LayerNorm", "nn.LayerNorm(3)", normal(2, 4))
add("RMSNorm", "nn.RMSNorm(4)", normal(2, 3, 4))
add("RMSNorm", "nn.RMSNorm((3, 4), eps=0.1, elementwise_affine=False)", normal(2, 3, 4))
add("GroupNorm", "nn.GroupNorm(2, 4)", normal(3, 4, 5), ulps=64)
add("GroupNorm", "nn.GroupNorm(2, 4, eps=0.1, bias=False)", normal(3, 4))
add("GroupNorm", "nn.GroupNorm(1, 4, affine=False)", normal(3, 4, 2))
add("GroupNorm", "nn.GroupNorm(3, 4)")
add("GroupNorm", "nn.GroupNorm(0, 4)")
for n, shape in ((1, (4, 3)), (1, (4, 3, 5)), (2, (4, 3, 2, 2)), (3, (4, 3, 2, 1, 2))):
    add(f"BatchNorm{n}d", f"nn.BatchNorm{n}d(3)", normal(*shape), ulps=64)
    add(f"BatchNorm{n}d", f"nn.BatchNorm{n}d(3, momentum=None)", normal(*shape), ulps=64)
    add(f"BatchNorm{n}d", f"nn.BatchNorm{n}d(3, 0.1, 0.3, False, False)", normal(*shape), ulps=64)
    add(f"BatchNorm{n}d", f"nn.BatchNorm{n}d(3, bias=False)", normal(*shape), ulps=64)
    add(f"BatchNorm{n}d", f"nn.BatchNorm{n}d(3)", normal(3))
for shape in ((4, 3, 2, 2), (3, 2, 2)):
    add("InstanceNorm2d", "nn.InstanceNorm2d(3)", normal(*shape), ulps=64)
    add("InstanceNorm2d", "nn.InstanceNorm2d(3, affine=True, track_running_stats=True)", normal(*shape), ulps=64)
    add("InstanceNorm2d", "nn.InstanceNorm2d(7)", normal(*shape), ulps=64)
    add("InstanceNorm2d", "nn.InstanceNorm2d(7, affine=True)", normal(*shape))
    add("InstanceNorm2d", "nn.InstanceNorm2d(3)", normal(3))
for reduction in ("mean", "sum", "none"):
    how = f"reduction={reduction!r}"
    add("L1Loss", f"nn.L1Loss({how})", normal(3, 4), normal(3, 4, seed=1))
    add("MSELoss", f"nn.MSELoss({how})", normal(3, 4), normal(3, 4, seed=1))
    add("SmoothL1Loss", f"nn.SmoothL1Loss({how}, beta=0.5)", normal(3, 4), normal(3, 4, seed=1))
    add("KLDivLoss", f"nn.KLDivLoss({how})", np.log(unit(3, 4)), unit(3, 4, seed=1))
    add("NLLLoss", f"nn.NLLLoss({how})", np.log(unit(3, 4)), ids(3, below=4))
    add("CrossEntropyLoss", f"nn.CrossEntropyLoss({how})", normal(3, 4), ids(3, below=4))
    add("BCELoss", f"nn.BCELoss({how})", unit(3, 4), unit(3, 4, seed=1))
    add("BCEWithLogitsLoss", f"nn.BCEWithLogitsLoss({how})", normal(3, 4), unit(3, 4, seed=1))
    add("CosineEmbeddingLoss", f"nn.CosineEmbeddingLoss({how})", normal(3, 4), normal(3, 4, seed=1), signs(3))
add("KLDivLoss", "nn.KLDivLoss(log_target=True, reduction='batchmean')", np.log(unit(3, 4)), np.log(unit(3, 4, seed=1)))
add("NLLLoss", "nn.NLLLoss(torch.tensor([1.0, 2.0, 0.0, 3.0]), ignore_index=1)", np.log(unit(6, 4)), ids(6, below=4))
add("CrossEntropyLoss", "nn.CrossEntropyLoss(torch.tensor([1.0, 2.0, 0.5, 3.0]), label_smoothing=0.1, ignore_index=1)",
    normal(6, 4), ids(6, below=4))  # fmt: skip
add("CrossEntropyLoss", "nn.CrossEntropyLoss()", normal(2, 4, 3), ids(2, 3, below=4))
add("BCELoss", "nn.BCELoss(torch.tensor([1.0, 2.0, 0.0, 3.0]))", unit(3, 4), unit(3, 4, seed=1))
add("BCEWithLogitsLoss", "nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 0.0, 3.0]))", normal(3, 4),
    unit(3, 4, seed=1))  # fmt: skip
add("CosineEmbeddingLoss", "nn.CosineEmbeddingLoss(0.3)", normal(3, 4), normal(3, 4, seed=1), signs(3))
for call in ("MSELoss(False)", "L1Loss(reduce=False)", "CrossEntropyLoss(size_average=False)"):
    add(
        call.split("(")[0], f"nn.{call}", normal(3, 4), normal(3, 4, seed=1) if "Cross" not in call else ids(3, below=4)
    )
add("MSELoss", "nn.MSELoss(reduction='average')", normal(3), normal(3))
add("CosineSimilarity", "nn.CosineSimilarity()", normal(3, 4), normal(3, 4, seed=1))
add("CosineSimilarity", "nn.CosineSimilarity(dim=0, eps=0.1)", normal(3, 4), normal(3, 4, seed=1))
add("Sequential", "nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Dropout(0.4), nn.Linear(5, 2))", normal(3, 4))
add("Sequential", "nn.Sequential()", normal(3, 4))
add("Sequential", "nn.Sequential(3)")


def stack_of(api: Any) -> Any:
    class Stack(api.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = api.nn.ModuleList([api.nn.Linear(4, 4, bias=False) for _ in range(3)])
            self.layers.append(api.nn.LayerNorm(4))
            self.register_buffer("mask", api.tril(api.ones(4, 4)), persistent=False)
            self.register_buffer("shift", api.arange(4) / 4)

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = x + layer(x @ self.mask)
            return x + self.shift

    return Stack()


def choices_of(api: Any) -> Any:
    class Choices(api.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kinds = api.nn.ModuleDict({"b": api.nn.Linear(4, 4), "a": api.nn.GELU()})
            self.kinds.update(OrderedDict(c=api.nn.Linear(4, 2)))

        def forward(self, x: Any) -> Any:
            return self.kinds["c"](self.kinds.a(self.kinds["b"](x)))

    return Choices()


def tied_of(api: Any) -> Any:
    class Tied(api.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = api.nn.Embedding(5, 3)
            self.absent = None
            self.register_module("later", None)
            self.head = api.nn.Linear(3, 5)
            self.head.weight = self.embedding.weight

        def forward(self, x: Any) -> Any:
            return self.head(self.embedding(x))

    return Tied()


add_class("ModuleList", stack_of, normal(3, 4))
add_class("ModuleDict", choices_of, normal(3, 4))
add_class("Module", tied_of, ids(2, 3, below=5))


# ---- the same, in both ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same_state(wanted: Any, got: Any, ulps: float = 0, where: str = "state") -> None:
    assert list(wanted) == list(got), where
    for key in wanted:
        check_same_values(array_of(wanted[key]), array_of(got[key]), ulps, f"{where} {key}", least=1e-2 if ulps else 0)


def same_parts(wanted: Any, got: Any) -> None:
    for listing in ("named_modules", "named_children", "named_parameters", "named_buffers"):
        assert [name for name, _ in getattr(wanted, listing)()] == [name for name, _ in getattr(got, listing)()], (
            listing
        )
    for listing in ("named_modules", "named_parameters", "named_buffers"):
        everything = [
            [name for name, _ in getattr(m, listing)(prefix="p", remove_duplicate=False)] for m in (wanted, got)
        ]
        assert everything[0] == everything[1], listing


def run_row(row: Row, modules: tuple[Any, Any], where: str) -> None:
    """Call both modules, and compare outputs, gradients and what the call did to the state."""
    results, inputs = [], []
    for api, module in zip(BOTH, modules, strict=True):
        given = [tensor_of(api, x, requires_grad=position == 0) for position, x in enumerate(row.inputs)]
        inputs.append(given)
        module.zero_grad()
        results.append(outcome(lambda module=module, given=given: module(*given)))
    check_same(results[0], results[1], row.ulps, f"{where} output")
    if isinstance(results[0], Raised):
        return
    if results[0].requires_grad:
        cotangent = normal(*results[0].shape, seed=9)
        for api, result in zip(BOTH, results, strict=True):
            result.backward(tensor_of(api, cotangent))
    named = [[("input", given[0]), *module.named_parameters()] for given, module in zip(inputs, modules, strict=True)]
    for (name, a), (_, b) in zip(*named, strict=True):
        assert (a.grad is None) == (b.grad is None), f"{where} gradient of {name}"
        if a.grad is not None:
            check_same_values(array_of(a.grad), array_of(b.grad), row.ulps, f"{where} gradient of {name}", least=1)
    same_state(modules[0].state_dict(), modules[1].state_dict(), row.ulps, where)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_layer(row: Row) -> None:
    with quiet(), seeded(5):
        made = [outcome(lambda api=api: row.make(api)) for api in BOTH]
        if isinstance(made[0], Raised):
            check_same(*made, where="constructor")
            return
        wanted, got = made
        assert repr(wanted) == repr(got)
        same_state(wanted.state_dict(), got.state_dict(), ulps=1)
        same_parts(wanted, got)
        assert [p.requires_grad for p in wanted.parameters()] == [p.requires_grad for p in got.parameters()]
        for step in range(2):
            run_row(row, (wanted, got), f"step {step}")
        run_row(row, (wanted.eval(), got.eval()), "eval")
        assert wanted.training is got.training is False
        run_row(row, (wanted.train(), copy.deepcopy(got).train()), "a copy")
        if "<l" not in repr(vars(got)) + type(got).__qualname__:
            same_state(got.state_dict(), pickle.loads(pickle.dumps(got)).state_dict())


def classes() -> dict[str, type]:
    public = {name: getattr(minigrad.nn, name) for name in minigrad.nn.__all__}
    return {
        name: each for name, each in public.items() if isinstance(each, type) and issubclass(each, minigrad.nn.Module)
    }


def test_every_public_layer_has_a_row() -> None:
    covered = {name for row in ROWS for name in row.covers.split()}
    assert not classes().keys() - covered
    assert not covered - classes().keys()
    exported = {name for name, each in vars(minigrad.nn.modules).items() if isinstance(each, type)}
    assert exported == classes().keys()


def parameters_of(function: Callable[..., Any]) -> list[tuple[Any, ...]]:
    """The names, kinds and defaults of what a function takes."""
    taken = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, repr(each.default).replace("minigrad", "torch")) for each in taken]


@pytest.mark.parametrize("name", sorted(classes()))
def test_layers_take_what_those_of_pytorch_take(name: str) -> None:
    wanted, got = getattr(torch.nn, name), getattr(minigrad.nn, name)
    for method in ("__init__", "forward"):
        theirs, ours = (parameters_of(getattr(each, method)) for each in (wanted, got))
        # Names that PyTorch itself has given up.
        theirs = [each for each in theirs if each[0] not in ("min_value", "max_value")]
        if theirs[1:] and theirs[1][1] is inspect.Parameter.VAR_POSITIONAL:
            continue
        assert theirs == ours, method


@pytest.mark.parametrize(
    "where", ["nn.init", "nn.utils", "nn.utils.rnn", "nn.Module", "nn.Sequential", "nn.ModuleList", "nn.ModuleDict"]
)
def test_functions_take_what_those_of_pytorch_take(where: str) -> None:
    for name, got in vars(eval(f"minigrad.{where}")).items():
        if name.startswith("_") or not inspect.isfunction(got) or name in ("state_dict", "forward", "named_modules"):
            continue
        if where.startswith("nn.") and where[3].islower() and not got.__module__.startswith(f"minigrad.{where}"):
            continue
        wanted = parameters_of(inspect.unwrap(getattr(eval(f"torch.{where}"), name)))
        # What is called also after an error is not here.
        wanted = [each for each in wanted if each[0] != "always_call"]
        assert [each[0] for each in wanted] == [each[0] for each in parameters_of(got)], name
        assert [each[2] for each in wanted] == [each[2] for each in parameters_of(got)], name


# ---- first values ----------------------------------------------------------------------------------------------------

INITS = {
    "uniform_": [(), (-2.0, 3.0)],
    "normal_": [(), (1.0, 0.1)],
    "trunc_normal_": [(), (0.0, 0.02), (0.0, 1.0, -1.0, 0.5), (0.0, 1.0, 1.0, 3.0), (1.0, 0.5, 2.0, 2.2)],
    "constant_": [(3.0,)],
    "ones_": [()],
    "zeros_": [()],
    "eye_": [()],
    "xavier_uniform_": [(), (2.0,)],
    "xavier_normal_": [(), (2.0,)],
    "kaiming_uniform_": [(), (0.5,), (0, "fan_out", "relu"), (0, "FAN_IN", "selu"), (0, "fan"), (0, "fan_in", "what")],
    "kaiming_normal_": [(), (0.5,), (0, "fan_out", "relu"), (0, "fan_in", "tanh")],
    "orthogonal_": [(), (2.0,)],
}


@pytest.mark.parametrize("name", INITS)
@pytest.mark.parametrize("generator", [None, 3])
def test_first_values(name: str, generator: int | None) -> None:
    for shape in ((7, 5), (5, 7), (40, 30), (2, 3, 4), (6,), (), (0, 3)):
        for args in INITS[name]:
            results = []
            with quiet(), seeded(11):
                for api in BOTH:
                    more = () if generator is None or name in ("constant_", "ones_", "zeros_", "eye_") else (generator,)
                    named = {"generator": api.Generator().manual_seed(*more)} if more else {}
                    weight = api.nn.Parameter(api.empty(shape))
                    result = outcome(lambda: getattr(api.nn.init, name)(weight, *args, **named))  # noqa: B023
                    results.append([result])
                    assert isinstance(result, Raised) or result is weight
                # The generators went equally far.
                results[0].append(torch.rand(3))
                results[1].append(minigrad.rand(3))
            check_same(results[0][0], results[1][0], 64 if name == "orthogonal_" else 4, f"{name}{args} of {shape}")
            check_same(results[0][1], results[1][1], 0, "what is drawn next")


def test_every_first_value_is_compared() -> None:
    functions = {name for name, each in vars(minigrad.nn.init).items() if inspect.isfunction(each) and name[-1] == "_"}
    assert {name for name in functions if not name.startswith("_")} == INITS.keys()


GAINS = ["linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu",
         "elu"]  # fmt: skip


@pytest.mark.parametrize("param", [None, 0, 0.2, True, "x"])
def test_gains(param: Any) -> None:
    for name in GAINS:
        got, wanted = (outcome(lambda api=api, name=name: api.nn.init.calculate_gain(name, param)) for api in BOTH)
        check_same(wanted, got)


# ---- containers: expressions with one outcome ------------------------------------------------------------------------

SERIES = """
s[0]; s[-1]; s[3]; s['a']; s[1:]; s[0:0]; s[::2]; s[torch.tensor(1)]; s[1.5]; list(s); len(s); bool(s); dir(s)[-1]
del s[0]; del s[:2]; del s[-1]; del s[5]; s.pop(0); s.pop(-1); s.pop(7); s.pop('a'); s.append(nn.SiLU())
s.append(3); s.append(None); s.insert(1, nn.SiLU()); s.insert(3, nn.SiLU()); s.extend([nn.SiLU(), nn.ReLU()])
s.extend(3); s + nn.Sequential(nn.SiLU()); s += nn.Sequential(nn.SiLU()); s * 2; 2 * s; s *= 2; s * 0; s * 1.5
s + 3; s[0] = nn.SiLU(); s[-1] = nn.SiLU(); s[7] = nn.SiLU(); s['a'] = nn.SiLU(); s[0] = 3; s[0] = None
s[0].inplace; s.add_module('x', nn.Tanh()); s.add_module('0', nn.Tanh()); s.add_module('x.y', nn.Tanh())
s.add_module('train', s); s.get_submodule('1'); s.get_submodule('1.x'); list(reversed(s)); nn.ReLU() in s; s[0] in s
sorted(vars(s))[-1]
"""
MODULES_BY_NAME = """
s['b']; s['q']; s['c'] = nn.GELU(); s['c'] = 3; s[0] = nn.ReLU(); s['a'] = nn.GELU(); s['q'] = None; del s['b']
del s['z']; 'b' in s; list(s); s.keys(); list(s.items()); list(s.values()); s.pop('b'); s.pop('z'); s.clear()
s.update({'z': nn.GELU(), 'b': nn.SiLU()}); s.update([('z', nn.GELU())]); s.update([('z',)]); s.update(3)
s.update([3]); s.update(nn.ModuleDict({'y': nn.GELU(), 'x': nn.ReLU()})); s['train'] = nn.ReLU()
s['a.b'] = nn.ReLU(); s['keys'] = s; s.a; len(s); s(); bool(s); s['']=nn.ReLU()
"""
MODULE = """
s; s.p = 3; s.p = None; s.p = torch.ones(1); s.p = nn.Parameter(torch.ones(1)); s.p = nn.ReLU(); s.m = 3; s.m = None
s.m = nn.ReLU(); s.m = nn.Parameter(torch.ones(1)); s.m = torch.ones(1); s.b = 3; s.b = None; s.b = torch.zeros(1)
s.b = nn.Parameter(torch.ones(1)); s.b = nn.ReLU(); s.n = torch.zeros(1); s.training = 3; s.forward = nn.ReLU()
s.train = nn.Parameter(torch.ones(1)); del s.p; del s.b; del s.m; del s.n; del s.q; s.q; s.extra_repr()
s._get_name(); s(); s.train(1); s.eval().training; s.train().training
s.register_parameter('y', nn.Parameter(torch.ones(1))); s.register_parameter('y', torch.ones(1))
s.register_parameter(3, None); s.register_parameter('y', None); s.register_parameter('p', None)
s.register_parameter('b', None); s.register_parameter('', None); s.register_parameter('a.b', None)
s.register_parameter('train', None); s.register_buffer('y', torch.ones(1)); s.register_buffer('y', 3)
s.register_buffer('y', None); s.register_buffer('b', None); s.register_buffer('m', None)
s.register_buffer('y', torch.ones(1), False); s.register_buffer('', None); s.register_buffer('a.b', None)
s.register_buffer(3, None); s.register_buffer('n', torch.ones(1)); s.add_module('y', nn.ReLU())
s.add_module('y', None); s.add_module('y', 3); s.add_module('', None); s.add_module('a.b', None)
s.add_module(3, None); s.add_module('b', None); s.add_module('m', None); s.register_module('z', nn.ReLU())
s.add_module('y', nn.ReLU); s.get_submodule(''); s.get_submodule('m'); s.get_submodule('m.0')
s.get_submodule('m.5'); s.get_submodule('p'); s.get_submodule('m..'); s.get_parameter('p')
s.get_parameter('m.0.weight'); s.get_parameter('b'); s.get_parameter('q'); s.get_parameter('m'); s.get_parameter('')
s.get_buffer('b'); s.get_buffer('p'); s.get_buffer('q'); s.get_buffer('n'); s.get_buffer('m.0.q')
list(s.buffers()); list(s.named_buffers())
list(s.named_parameters(prefix='x')); list(s.named_children()); list(s.parameters(recurse=False))
list(s.named_modules(prefix='x')); len(list(s.modules())); s.state_dict(prefix='x.')
s.state_dict(destination={'q': 1}); s.state_dict(keep_vars=True)['p'] is s.p
s.requires_grad_(False).p.requires_grad; s.double(); s.half(); s.double().float(); s.to(torch.float64); s.to('cpu')
s.to(torch.device('cpu'), torch.float16); s.to(torch.int64); s.to(torch.ones(1, dtype=torch.float64))
s.to(torch.ones(1).long()); s.to('nowhere'); s.to(dtype=torch.float64); s.cpu() is s
s.type(torch.float64); s.type(torch.int64); s.double().m[0].weight; s.double().b; s.double().n; s.double().i
s.type('torch.DoubleTensor').i; nn.Module(3); nn.Module(a=3); nn.ReLU(True, 3); nn.Tanh(3); nn.Linear(2)
nn.Linear(2, 3, 4, 5, 6, 7); s.zero_grad(); s.apply(lambda m: setattr(m, 'tag', type(m).__name__)).m[0].tag
'b' in dir(s); 'p' in dir(s); '0' in dir(s.m); s.register_parameter('y', nn.Parameter(torch.ones(1)) * 2)
nn.Parameter(torch.ones(2), False); nn.Parameter(torch.ones(2).half()); nn.Parameter([1.0])
nn.Parameter(torch.tensor([1])); nn.Parameter(nn.Parameter(torch.ones(2))); nn.Parameter()
type(nn.Parameter(torch.ones(2)) * 2).__name__; nn.Parameter(requires_grad=False); s.load_state_dict({})
s.load_state_dict({}, strict=False); s.load_state_dict(3); s.load_state_dict(s.state_dict())
s.load_state_dict({'p': torch.zeros(2), 'b': torch.zeros(3)}, strict=False)
s.load_state_dict({'p': torch.zeros(3)}, strict=False); s.load_state_dict({'p': 3}, False)
s.load_state_dict({'p': torch.zeros(2).double(), 'm.0.weight': torch.zeros(3, 2)}, False)
s.load_state_dict({'p': torch.zeros(2).double(), 'b': torch.zeros(3).long()}, False, assign=True)
s.load_state_dict({'n': s.n}, False)
s.load_state_dict({'q': s.n, 'm.0.q': s.n, 'm': s.n, 'm.7.q': s.n, 'none.q': s.n, 'none': s.n}, False)
s.load_state_dict({'q': s.n, 'm.0.q': s.n, 'm': s.n, 'm.7.q': s.n, 'none.q': s.n, 'none': s.n})
"""

STARTS = {
    "sequential": ("nn.Sequential(nn.ReLU(), nn.Tanh(), nn.GELU())", SERIES),
    "named": ("nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh(), c=nn.GELU()))", SERIES),
    "list": ("nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.GELU()])", SERIES),
    "runs": ("nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Sequential(nn.Tanh()), nn.Sequential(nn.Tanh())])", SERIES),
    "dict": ("nn.ModuleDict(OrderedDict(b=nn.ReLU(), a=nn.Tanh()))", MODULES_BY_NAME),
    "module": ("module(nn, torch)", MODULE),
}  # fmt: skip
# Where PyTorch raises a KeyError of its own making.
DIFFERENT = {
    ("named", "s.insert(1, nn.SiLU())"),
    ("named", "s *= 2"),
}


def module_of(nn: Any, api: Any) -> Any:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.p = nn.Parameter(api.ones(2))
            self.register_buffer("b", api.ones(3))
            self.register_buffer("n", api.ones(1), persistent=False)
            self.register_buffer("i", api.ones(1).long())
            self.m = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
            self.register_module("none", None)

    model = Model()
    for parameter in model.parameters():
        api.nn.init.constant_(parameter, 2.0)
    return model


def told(value: Any) -> Any:
    return repr(value).replace("minigrad.", "torch.")


def evaluated(api: Any, kind: str, line: str) -> list[str]:
    """What a line gives and what it leaves behind; or the error, its type and first words."""
    scope = {"nn": api.nn, "torch": api, "OrderedDict": OrderedDict, "module": module_of}
    scope["s"] = eval(STARTS[kind][0], scope)
    try:
        try:
            value = eval(line, scope)
        except SyntaxError:
            exec(line, scope)
            value = None
    except Exception as error:
        return [type(error).__name__, *error_words(error)]
    after = scope["s"]
    state = {key: told(each) for key, each in after.state_dict().items()}
    attributes = {name: told(after.__dict__.get(name)) for name in ("x", "training")}
    return [told(value), told(after), str(state), str(attributes), str([name for name, _ in after.named_buffers()])]


def error_words(error: Exception) -> list[str]:
    """The words of a message that minigrad takes from PyTorch: all lines of `load_state_dict`."""
    text = str(error)
    return text.replace("minigrad.", "torch.").split("\n") if text.startswith("Error(s) in loading") else []


@pytest.mark.parametrize("kind", STARTS)
def test_expressions(kind: str) -> None:
    different = []
    for line in [line.strip() for line in STARTS[kind][1].replace("\n", ";").split(";") if line.strip()]:
        with quiet(), seeded(0):
            wanted, got = (evaluated(api, kind, line) for api in BOTH)
        if (wanted != got) if (kind, line) not in DIFFERENT else (wanted[0] != "KeyError" or got[0] == "KeyError"):
            different.append((line, wanted, got))
    assert not different, "\n".join([f"{line}\n  PyTorch  {a}\n  minigrad {b}" for line, a, b in different])


@pytest.mark.parametrize("value", ["nn.Parameter(torch.ones(1))", "nn.ReLU()", "3"])
def test_assignments_before_init(value: str) -> None:
    for line in (
        f"self.x = {value}",
        "self.register_parameter('x', None)",
        "self.register_buffer('x', None)",
        "self()",
    ):
        outcomes = []
        for api in BOTH:
            source = f"class Early(nn.Module):\n    def __init__(self):\n        {line}\nEarly()"
            outcomes.append(outcome(lambda api=api, source=source: exec(source, {"nn": api.nn, "torch": api})))
        check_same(*outcomes)


# ---- hooks -----------------------------------------------------------------------------------------------------------


def hooks_program(torch: Any) -> None:
    """Hooks of all kinds, which print what they are called with."""
    nn = torch.nn
    torch.manual_seed(1)

    def say(label: str, result: Any = None) -> Callable[..., Any]:
        def hook(module: Any, *given: Any) -> Any:
            print(label, type(module).__name__, given)
            return result(*given) if callable(result) else result

        return hook

    net = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
    x = torch.ones(2, 3)
    handles = [
        net[0].register_forward_pre_hook(say("pre")),
        net[0].register_forward_pre_hook(say("pre first", lambda args: args[0] * 2), prepend=True),
        net[0].register_forward_pre_hook(say("pre kwargs", lambda args, kwargs: (args, kwargs)), with_kwargs=True),
        net[1].register_forward_hook(say("after", lambda args, out: out + 1)),
        net[1].register_forward_hook(say("after first"), prepend=True),
        net[1].register_forward_hook(say("after kwargs"), with_kwargs=True),
        net[2].register_full_backward_hook(say("gradients", lambda gi, go: (gi[0] * 3,))),
        net[2].register_full_backward_pre_hook(say("gradients before", lambda go: (go[0] * 2,))),
        net[0].register_full_backward_hook(say("no input gradient")),
        net.register_full_backward_hook(say("all")),
    ]
    for given in (x, x.clone().requires_grad_()):
        y = net(given)
        print(y)
        y.sum().backward()
        print([p.grad for p in net.parameters()], given.grad)
        net.zero_grad()
    with torch.no_grad():
        print(net(x))
    for handle in handles:
        handle.remove()
    print(net(x))
    with net[0].register_forward_hook(say("while")):
        net(x)
    net(x)

    class Two(nn.Module):
        def forward(self, x: Any, y: Any, scale: Any = 1) -> Any:
            return x * scale, (y, 3), x * y

    two = Two()
    two.register_full_backward_hook(say("two"))
    two.register_full_backward_pre_hook(say("two before"))
    two.register_forward_hook(say("two after"), with_kwargs=True)
    a, b = torch.ones(2, requires_grad=True), torch.arange(2.0)
    first, _, last = two(a, b, scale=3)
    first.sum().backward(retain_graph=True)
    print(a.grad)
    (first + last).sum().backward()
    print(a.grad, first, last)

    try:
        two(3, 4)
    except Exception as error:
        print(type(error).__name__)
    wrongs = [
        ("register_forward_pre_hook", lambda m, args, kwargs: args, {"with_kwargs": True}),
        ("register_full_backward_hook", lambda m, gi, go: (None, None), {}),
        ("register_full_backward_pre_hook", lambda m, go: (None, None), {}),
    ]
    for name, hook, options in wrongs:
        layer = nn.Linear(3, 1)
        getattr(layer, name)(hook, **options)
        try:
            layer(x.clone().requires_grad_()).sum().backward()
        except Exception as error:
            print(type(error).__name__, str(error)[:60])

    layer = nn.Linear(2, 1)
    layer.register_state_dict_post_hook(lambda m, state, prefix, meta: state.update({prefix + "more": 1}))
    layer.register_state_dict_pre_hook(lambda m, prefix, keep_vars: print("saving", prefix, keep_vars))
    layer.register_load_state_dict_pre_hook(lambda m, state, prefix, *rest: state.pop(prefix + "more"))
    state = nn.Sequential(layer).state_dict()
    print(list(state), nn.Sequential(layer).load_state_dict(state))


def extras_program(torch: Any) -> None:
    """State beyond tensors, overridden train and state_dict, and modules that are shared."""
    nn = torch.nn

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = 3
            self.scale = nn.Parameter(torch.ones(1))

        def train(self, mode: bool = True) -> Any:
            print("train", mode)
            return super().train(mode)

        def extra_repr(self) -> str:
            return f"count={self.count}\nand more"

        def forward(self, x: Any) -> Any:
            return x * self.scale

    shared = Counting()
    model = nn.ModuleDict({"a": shared, "b": nn.Sequential(shared, nn.ReLU())})
    model.eval()
    print(model, model.state_dict())
    state = model.state_dict()
    print(model.load_state_dict(state), shared.count)
    print(list(dict(model.named_parameters(remove_duplicate=False))), [n for n, _ in model.named_modules()])
    for wrong in ({"a.scale": torch.zeros(1)}, {**state, "b.1.more": 3}):
        try:
            model.load_state_dict(wrong)
        except RuntimeError as error:
            print(str(error).replace("\t", " "))
    weight = torch.nn.Parameter(torch.zeros(1), requires_grad=False)
    model.load_state_dict({**state, "a.scale": weight, "b.0.scale": weight}, assign=True)
    print(shared.scale is weight, weight.requires_grad, shared.scale)
    grown = nn.Linear(2, 2)
    grown(torch.ones(1, 2)).sum().backward()
    before = grown.weight
    grown.double()
    print(grown.weight is before, grown.weight.dtype, grown.weight.grad.dtype, grown.weight.is_leaf)
    grown.weight.grad.requires_grad_()
    grown.zero_grad(set_to_none=False)
    print(grown.weight.grad)


@pytest.mark.parametrize("program", [hooks_program, extras_program])
def test_program(program: Callable[[Any], None]) -> None:
    printed = []
    with seeded(0), quiet():
        for api in BOTH:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                program(api)
            printed.append(out.getvalue())
    assert printed[0].count("\n") > 20
    assert printed[0].splitlines() == printed[1].splitlines()


# ---- nn.utils --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm_type", [2.0, 1, 3.5, float("inf"), "inf", 0])
@pytest.mark.parametrize("max_norm", [0.5, 100.0, 0])
def test_clipping_by_norm(norm_type: Any, max_norm: float) -> None:
    for shapes in ([(3, 4), (5,), (2, 1, 2)], [(1,)], []):
        for extra in (0.0, float("inf"), float("nan")):
            results = []
            for api in BOTH:
                parameters = [api.nn.Parameter(api.zeros(shape)) for shape in shapes]
                for parameter in parameters:
                    parameter.grad = tensor_of(api, normal(*parameter.shape) + np.float32(extra))
                parameters.append(api.nn.Parameter(api.ones(2)))
                strict = outcome(
                    lambda: api.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite=True)  # noqa: B023
                )
                total = outcome(lambda: api.nn.utils.clip_grad_norm_(iter(parameters), max_norm, norm_type))  # noqa: B023
                results.append([strict, total, *[parameter.grad for parameter in parameters[:-1]]])
            for wanted, got in zip(*results, strict=True):
                check_same(wanted, got, 16)


def test_clipping_by_value() -> None:
    results = []
    for api in BOTH:
        parameters = [api.nn.Parameter(tensor_of(api, normal(*shape))) for shape in ((3, 4), (5,), ())]
        for parameter in parameters[:2]:
            parameter.grad = tensor_of(api, normal(*parameter.shape, seed=1))
        utils = api.nn.utils
        found = [utils.clip_grad_value_(parameters, 0.5, foreach=None), utils.clip_grad_value_(parameters[0], 1)]
        found += [parameter.grad for parameter in parameters[:2]]
        found.append(utils.get_total_norm([parameter.detach() for parameter in parameters]))
        found.append(utils.get_total_norm(parameters))
        found.append(utils.clip_grads_with_norm_(parameters, 0.1, api.tensor(3.0)))
        found += [parameter.grad for parameter in parameters[:2]]
        results.append(found)
    for wanted, got in zip(*results, strict=True):
        check_same(wanted, got, 16)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("side", ["left", "right", "middle"])
@pytest.mark.parametrize("shapes", [[(2, 3), (4, 3), (1, 3)], [(2,), (0,)], [(2, 3), (2, 2)], []], ids=str)
def test_padding_sequences(batch_first: bool, side: str, shapes: list[tuple[int, ...]]) -> None:
    results = []
    for api in BOTH:
        given = [tensor_of(api, normal(*shape), True) for shape in shapes]
        padded = outcome(lambda: api.nn.utils.rnn.pad_sequence(given, batch_first, -1.0, side))  # noqa: B023
        results.append([padded])
        if not isinstance(padded, Raised):
            padded.backward(tensor_of(api, normal(*padded.shape)))
            results[-1] += [each.grad for each in given]
    for wanted, got in zip(*results, strict=True):
        check_same(wanted, got)
