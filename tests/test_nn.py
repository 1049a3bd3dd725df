"""Modules, parameters and layers without PyTorch at hand."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad import nn

pytestmark = pytest.mark.usefixtures("seeded")


class Model(nn.Module):
    """An embedding and a linear layer, which may share the weight; and a parameter of its own."""

    def __init__(self, tied: bool = False) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.embedding = nn.Embedding(4, 3, padding_idx=1)
        self.head = nn.Linear(3, 4)
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, ids: Any) -> Any:
        return self.head(self.embedding(ids)) * self.scale


PATHS = ["scale", "embedding.weight", "head.weight", "head.bias"]


def parameter(*values: float) -> Any:
    return nn.Parameter(torch.tensor(values))


# ---- Parameter -------------------------------------------------------------------------------------------------------


def test_a_parameter_is_a_leaf_on_the_storage_of_its_data() -> None:
    data = torch.tensor([1.0, 2.0])
    p = nn.Parameter(data)
    assert isinstance(p, torch.Tensor)
    assert p.requires_grad
    assert p.is_leaf
    assert not data.requires_grad
    data[0] = 7
    assert p.tolist() == [7, 2]
    assert p._version == 1
    assert not nn.Parameter(torch.tensor([1]), requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,)
    assert nn.Parameter((p * 2).detach()).is_leaf
    for made in (p * 2, p.detach(), p.T, p.data, p.clone()):
        assert type(made) is torch.Tensor
    with pytest.raises(RuntimeError, match="floating point"):
        nn.Parameter(torch.tensor([1]))
    with pytest.raises(AttributeError, match="has no attribute 'detach'"):
        nn.Parameter([1.0])


def test_a_deep_copy_shares_nothing() -> None:
    model = Model()
    model(torch.tensor([0])).sum().backward()
    copied = copy.deepcopy(model)
    assert type(copied.scale) is nn.Parameter
    assert copied.scale.grad is None
    with torch.no_grad():
        copied.scale.fill_(9)
    assert model.scale.item() == 2
    tied = copy.deepcopy(Model(tied=True))
    assert tied.head.weight is tied.embedding.weight


# ---- registration ----------------------------------------------------------------------------------------------------


def test_assigned_parameters_and_modules_are_registered_in_order() -> None:
    model = Model()
    assert [name for name, _ in model.named_parameters()] == PATHS
    assert [name for name, _ in model.named_parameters(recurse=False)] == ["scale"]
    assert [name for name, _ in model.named_parameters("m")] == [f"m.{path}" for path in PATHS]
    assert all(a is b for a, (_, b) in zip(model.parameters(), model.named_parameters(), strict=True))
    assert [name for name, _ in model.named_modules()] == ["", "embedding", "head"]
    assert [name for name, _ in model.named_children()] == ["embedding", "head"]
    assert list(model.modules()) == [model, model.embedding, model.head]
    assert list(model.children()) == [model.embedding, model.head]
    assert {"scale", "embedding", "head", "training"} <= set(dir(model))


def test_reassigning_keeps_the_place_and_none_empties_it() -> None:
    model = Model()
    new = parameter(1.0)
    model.scale = new
    assert model.scale is new
    assert [name for name, _ in model.named_parameters()] == PATHS
    model.scale = None
    assert model.scale is None
    assert [name for name, _ in model.named_parameters()] == PATHS[1:]
    model.scale = new
    assert next(iter(model.parameters())) is new
    model.head = None
    assert [name for name, _ in model.named_modules()] == ["", "embedding"]
    for name, value in (("scale", torch.ones(1)), ("scale", 1.0), ("embedding", 3), ("head", torch.ones(1))):
        with pytest.raises(TypeError, match=f"cannot assign .* '{name}'"):
            setattr(model, name, value)
    assert model.scale is new


def test_a_name_has_one_meaning() -> None:
    model = Model()
    model.tag = 3
    model.tag = parameter(1.0)
    assert "tag" not in vars(model)
    assert isinstance(model.tag, nn.Parameter)
    model.head = parameter(2.0)
    assert [name for name, _ in model.named_modules()] == ["", "embedding"]
    assert [name for name, _ in model.named_parameters()] == ["scale", "tag", "head", "embedding.weight"]
    model.late = 3
    model.late = nn.Linear(1, 1, bias=False)
    assert "late" not in vars(model)
    assert model.late.weight.shape == (1, 1)
    with pytest.raises(TypeError, match="cannot assign 'Linear' as parameter 'scale'"):
        model.scale = nn.Linear(1, 1)
    model.plain = torch.ones(2)
    assert "plain" not in model.state_dict()


def test_deleting_forgets() -> None:
    model = Model()
    model.tag = 3
    for name in ("scale", "head", "tag"):
        delattr(model, name)
        with pytest.raises(AttributeError, match=f"'Model' object has no attribute '{name}'"):
            getattr(model, name)
        with pytest.raises(AttributeError):
            delattr(model, name)
    assert [name for name, _ in model.named_parameters()] == ["embedding.weight"]


def test_registration_needs_the_modules_own_init() -> None:
    class Early(nn.Module):
        def __init__(self, value: Any) -> None:
            self.early = value

    with pytest.raises(AttributeError, match="cannot assign parameters before"):
        Early(parameter(1.0))
    with pytest.raises(AttributeError, match="cannot assign module before"):
        Early(nn.Linear(1, 1))
    assert Early(3).early == 3
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()()


def test_shared_parameters_and_modules_are_listed_once_and_saved_under_each_path() -> None:
    model = Model(tied=True)
    assert [name for name, _ in model.named_parameters()] == ["scale", "embedding.weight", "head.bias"]
    assert list(model.state_dict()) == PATHS
    model.again = model.embedding
    assert [name for name, _ in model.named_modules()] == ["", "embedding", "head"]
    assert [name for name, _ in model.named_children()] == ["embedding", "head"]
    assert list(model.state_dict()) == [*PATHS, "again.weight"]


# ---- modes and gradients ---------------------------------------------------------------------------------------------


def test_train_and_eval_reach_all_below() -> None:
    model = Model()
    assert [module.training for module in model.modules()] == [True] * 3
    assert model.eval() is model
    assert [module.training for module in model.modules()] == [False] * 3
    model.head.train()
    assert [module.training for module in model.modules()] == [False, False, True]
    assert model.train() is model
    assert [module.training for module in model.modules()] == [True] * 3
    with pytest.raises(ValueError, match="expected to be boolean"):
        model.train(1)


def test_requires_grad_reaches_all_parameters() -> None:
    model = Model()
    assert model.requires_grad_(False) is model
    assert not any(p.requires_grad for p in model.parameters())
    assert not model(torch.tensor([0])).requires_grad
    model.requires_grad_()
    assert all(p.requires_grad for p in model.parameters())


def test_zero_grad_sets_to_none_or_to_zero() -> None:
    model = Model()
    model(torch.tensor([0, 2])).sum().backward()
    grads = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    assert [p.grad.abs().sum().item() for p in model.parameters()] == [0] * 4
    assert all(p.grad.data_ptr() == grad.data_ptr() for p, grad in zip(model.parameters(), grads, strict=True))
    model.zero_grad()
    assert [p.grad for p in model.parameters()] == [None] * 4
    model.zero_grad(set_to_none=False)
    assert [p.grad for p in model.parameters()] == [None] * 4


# ---- state -----------------------------------------------------------------------------------------------------------


def test_a_state_dict_is_detached_on_the_same_storage() -> None:
    model = Model()
    state = model.state_dict()
    assert list(state) == PATHS
    assert not any(value.requires_grad for value in state.values())
    state["scale"].fill_(5)
    assert model.scale.item() == 5
    assert model.scale._version == state["scale"]._version == 1


def test_loading_copies_into_the_parameters_that_are_there() -> None:
    source, target = Model(), Model()
    before = list(target.parameters())
    versions = [p._version for p in before]
    result = target.load_state_dict(source.state_dict())
    assert (result.missing_keys, result.unexpected_keys) == ([], [])
    assert repr(result) == "<All keys matched successfully>"
    for p, old, q, version in zip(target.parameters(), before, source.parameters(), versions, strict=True):
        assert p is old
        assert torch.equal(p, q)
        assert p.data_ptr() != q.data_ptr()
        assert p.requires_grad
        assert p._version == version + 1
    target.load_state_dict({path: value.double() * 2 for path, value in source.state_dict().items()})
    assert target.scale.dtype is torch.float32
    assert torch.equal(target.head.weight, source.head.weight * 2)


def test_strict_loading_lists_all_problems_and_changes_nothing() -> None:
    model = Model()
    before = {path: value.clone() for path, value in model.state_dict().items()}
    state = {"scale": torch.tensor(7.0), "head.weight": torch.ones(3, 4), "head.bias": torch.ones(4), "more": before}
    with pytest.raises(RuntimeError) as error:
        model.load_state_dict(state)
    message = str(error.value)
    assert message.startswith("Error(s) in loading state_dict for Model:\n\t")
    assert 'Missing key(s) in state_dict: "embedding.weight". ' in message
    assert 'Unexpected key(s) in state_dict: "more". ' in message
    assert "size mismatch for head.weight" in message
    for wrong in ({**before, "head.bias": torch.ones(1)}, {**before, "head.bias": [1.0] * 4}):
        with pytest.raises(RuntimeError, match=r"head\.bias"):
            model.load_state_dict({**wrong, "scale": torch.tensor(7.0)}, strict=False)
    with pytest.raises(TypeError, match="dict-like"):
        model.load_state_dict([])
    assert all(torch.equal(value, before[path]) for path, value in model.state_dict().items())


# ---- printed form ----------------------------------------------------------------------------------------------------


def test_the_printed_form_is_nested() -> None:
    outer = nn.Module()
    outer.inner = Model()
    outer.last = nn.Linear(2, 3, bias=False)
    assert repr(outer) == (
        "Module(\n"
        "  (inner): Model(\n"
        "    (embedding): Embedding(4, 3, padding_idx=1)\n"
        "    (head): Linear(in_features=3, out_features=4, bias=True)\n"
        "  )\n"
        "  (last): Linear(in_features=2, out_features=3, bias=False)\n"
        ")"
    )
    assert repr(nn.Embedding(2, 3)) == "Embedding(2, 3)"
    assert repr(nn.Module()) == "Module()"


# ---- layers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("padding_idx", [1, -3])
def test_a_padding_row_is_zero_at_first_and_whenever_it_is_drawn_anew(padding_idx: int) -> None:
    layer = nn.Embedding(4, 3, padding_idx)
    assert layer.padding_idx == 1
    for _ in range(2):
        weight = layer.weight.detach().clone()
        assert ((weight == 0).all(1) == torch.tensor([False, True, False, False])).all()
        layer.reset_parameters()
        assert not torch.equal(weight, layer.weight)
    assert layer.weight.is_leaf
    layer(torch.tensor([[1, 0], [1, 1]])).sum().backward()
    assert layer.weight.grad.tolist() == [[1.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3]
    with torch.no_grad():
        layer.weight.fill_(5)
    assert layer(torch.tensor(1)).tolist() == [5, 5, 5]


def test_a_pretrained_table_is_shared_and_frozen_unless_asked() -> None:
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    frozen = nn.Embedding.from_pretrained(table)
    assert not frozen.weight.requires_grad
    assert not frozen(torch.tensor([1])).requires_grad
    assert frozen.weight.data_ptr() == table.data_ptr()
    assert (frozen.num_embeddings, frozen.embedding_dim, frozen.padding_idx) == (2, 2, None)
    learned = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=-1)
    assert learned.weight.requires_grad
    assert learned.padding_idx == 1
    assert table.tolist() == [[1, 2], [3, 4]]
    learned(torch.tensor([0, 1])).sum().backward()
    assert learned.weight.grad.tolist() == [[1, 1], [0, 0]]
    with pytest.raises(AssertionError, match="2-dimensional"):
        nn.Embedding.from_pretrained(torch.ones(3))
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        nn.Embedding(2, 3, padding_idx=2)
    for layer in (nn.Embedding, nn.EmbeddingBag):
        with pytest.raises(AttributeError, match=r"^'list' object has no attribute 'dim'"):
            layer.from_pretrained([[1.0, 2.0]])
        with pytest.raises(AssertionError, match="Shape of weight does not match"):
            layer(3, 2, _weight=table)
    bags = nn.EmbeddingBag.from_pretrained(table, freeze=False, mode="sum", padding_idx=-1)
    assert (bags.num_embeddings, bags.embedding_dim, bags.padding_idx, bags.mode) == (2, 2, 1, "sum")
    assert bags.weight.requires_grad
    assert not nn.EmbeddingBag.from_pretrained(table).weight.requires_grad
    assert bags(torch.tensor([[0, 1], [0, 0]])).tolist() == [[1, 2], [2, 4]]


# A layer, and of each parameter and buffer the mean and the standard deviation that it starts with.
UNIFORM = (0, 1 / 4 / 3**0.5)
NORMAL, ONES, ZEROS = (0, 1), (1, 0), (0, 0)
CHANNELS = {"weight": ONES, "bias": ZEROS, "running_mean": ZEROS, "running_var": ONES}
STARTS: list[tuple[Callable[[], Any], dict[str, tuple[float, float]]]] = [
    (lambda: nn.Linear(16, 500), {"weight": UNIFORM, "bias": UNIFORM}),
    (lambda: nn.Embedding(200, 100), {"weight": NORMAL}),
    (lambda: nn.EmbeddingBag(200, 100), {"weight": NORMAL}),
    (lambda: nn.PReLU(7, 0.1), {"weight": (0.1, 0)}),
    (lambda: nn.LayerNorm((3, 4)), {"weight": ONES, "bias": ZEROS}),
    (lambda: nn.RMSNorm(4), {"weight": ONES}),
    (lambda: nn.GroupNorm(2, 4), {"weight": ONES, "bias": ZEROS}),
    (lambda: nn.BatchNorm1d(4), CHANNELS),
    (lambda: nn.InstanceNorm2d(4, affine=True, track_running_stats=True), CHANNELS),
]


@pytest.mark.parametrize(("make", "starts"), STARTS)
def test_layers_start_with_these_moments_and_again_when_reset(make: Callable[[], Any], starts: dict[str, Any]) -> None:
    layer = make()
    for _ in range(2):
        for name, (mean, std) in starts.items():
            array = getattr(layer, name).detach().numpy()
            assert array.mean() == pytest.approx(mean, abs=0.04), name
            assert array.std() == pytest.approx(std, abs=0.03), name
            if starts[name] is UNIFORM:
                assert -0.25 <= array.min() < -0.24
                assert 0.24 < array.max() <= 0.25
        with torch.no_grad():
            for x in layer.state_dict().values():
                x.fill_(77)
        layer.reset_parameters()
    assert layer.state_dict().keys() - starts.keys() <= {"num_batches_tracked"}
    assert getattr(layer, "num_batches_tracked", None) in (None, 0)


# Every constructor with its defaults, as PyTorch has them.
CONSTRUCTORS = """
BCELoss(weight=None, size_average=None, reduce=None, reduction='mean')
BCEWithLogitsLoss(weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None)
BatchNorm1d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
  bias=True)
BatchNorm2d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
  bias=True)
BatchNorm3d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
  bias=True)
CosineEmbeddingLoss(margin=0.0, size_average=None, reduce=None, reduction='mean')
CosineSimilarity(dim=1, eps=1e-08)
CrossEntropyLoss(weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean',
  label_smoothing=0.0)
Dropout(p=0.5, inplace=False)
Dropout2d(p=0.5, inplace=False)
ELU(alpha=1.0, inplace=False)
Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
  sparse=False, _weight=None, _freeze=False, device=None, dtype=None)
EmbeddingBag(num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean',
  sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None)
Flatten(start_dim=1, end_dim=-1)
GELU(approximate='none')
GroupNorm(num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True)
Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)
InstanceNorm2d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None,
  dtype=None, *, bias=True)
KLDivLoss(size_average=None, reduce=None, reduction='mean', log_target=False)
L1Loss(size_average=None, reduce=None, reduction='mean')
LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None)
LeakyReLU(negative_slope=0.01, inplace=False)
Linear(in_features, out_features, bias=True, device=None, dtype=None)
LogSigmoid()
LogSoftmax(dim=None)
MSELoss(size_average=None, reduce=None, reduction='mean')
ModuleDict(modules=None)
ModuleList(modules=None)
NLLLoss(weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')
PReLU(num_parameters=1, init=0.25, device=None, dtype=None)
RMSNorm(normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None)
ReLU(inplace=False)
SiLU(inplace=False)
Sigmoid()
SmoothL1Loss(size_average=None, reduce=None, reduction='mean', beta=1.0)
Softmax(dim=None)
Softplus(beta=1.0, threshold=20.0)
Tanh()
"""


def constructor(layer: type) -> str:
    taken, told = list(inspect.signature(layer).parameters.values()), []
    for position, each in enumerate(taken):
        if each.kind is each.KEYWORD_ONLY and taken[position - 1].kind is not each.KEYWORD_ONLY:
            told.append("*")
        told.append(each.name if each.default is each.empty else f"{each.name}={each.default!r}")
    return f"{layer.__name__}({', '.join(told)})"


def test_constructors_have_these_defaults() -> None:
    public = [getattr(nn, name) for name in nn.__all__]
    layers = [each for each in public if isinstance(each, type) and issubclass(each, nn.Module)]
    told = sorted([constructor(each) for each in layers if each not in (nn.Module, nn.Sequential, nn.Identity)])
    assert " ".join(told) == " ".join(CONSTRUCTORS.split())


def test_first_values_are_within_these_bounds() -> None:
    x = torch.empty(30, 20)
    bounds = {("fan_in", "relu", 0): np.sqrt(6 / 20), ("fan_out", "relu", 0): np.sqrt(6 / 30),
              ("fan_in", "leaky_relu", 1): np.sqrt(3 / 20), ("fan_in", "linear", 0): np.sqrt(3 / 20)}  # fmt: skip
    for (mode, nonlinearity, a), bound in bounds.items():
        assert nn.init.kaiming_uniform_(x, a, mode, nonlinearity) is x
        assert 0.97 * bound < x.abs().max().item() <= bound
    assert (nn.init.ones_(x) == 1).all()
    assert (nn.init.zeros_(x) == 0).all()
    assert (nn.init.constant_(x, 3) == 3).all()
    with pytest.warns(UserWarning, match="zero-element"):
        assert nn.Linear(0, 2).bias.tolist() == [0, 0]


def test_layers_take_dtypes_and_fail_with_the_reason() -> None:
    assert nn.Linear(2, 3, dtype=torch.float64).bias.dtype is torch.float64
    assert nn.Embedding(2, 3, dtype=torch.float16).weight.dtype is torch.float16
    assert nn.Linear(2, 3, bias=False).bias is None
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        nn.Linear(2, 3)(torch.ones(1, 3))
    with pytest.raises(RuntimeError, match="same dtype"):
        nn.Linear(2, 3)(torch.ones(1, 2).double())
    with pytest.raises(IndexError, match="index out of range in self"):
        nn.Embedding(2, 3)(torch.tensor([0, 2]))
    with pytest.raises(RuntimeError, match="Long, Int"):
        nn.Embedding(2, 3)(torch.tensor([0.0]))


def test_a_linear_layer_says_which_size_does_not_fit() -> None:
    layer = nn.Linear(3, 2)
    for shape, shown in [((5,), "1x5"), ((2, 5), "2x5"), ((2, 4, 5), "8x5")]:
        with pytest.raises(RuntimeError, match=r"^mat1 and mat2 shapes cannot be multiplied") as caught:
            layer(torch.ones(*shape))
        assert f"({shown} and 3x2)" in str(caught.value)
        assert "What comes before gives 5 features, and 3 are expected" in str(caught.value)
    for sizes in [(2.5, 3), (3, 2.5)]:
        with pytest.raises(TypeError, match="found element of type float"):
            nn.Linear(*sizes)


def test_learning_lowers_the_loss() -> None:
    model, ids, wanted = Model(), torch.tensor([0, 2, 3]), torch.ones(3, 4)
    losses: list[float] = []
    for _ in range(30):
        loss = ((model(ids) - wanted) ** 2).mean()
        losses.append(loss.item())
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.05 * p.grad
    assert losses[-1] < losses[0] / 10
