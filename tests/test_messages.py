"""What goes wrong for newcomers is an error of PyTorch's type, and its message tells what to do.

Each row has the call, the type of the error, and words of the remedy.  Where PyTorch is installed, it refuses the same
call with the same type; rows of `HERE` are those that it takes, or that have no counterpart there.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import minigrad

Call = Callable[[Any], Any]

pytestmark = pytest.mark.usefixtures("seeded")


def row(call: Call, error: type[Exception], says: str) -> Any:
    return pytest.param(call, error, says, id=says)


def library(api: Any, name: str) -> Any:
    return importlib.import_module(f"{api.__name__}.{name}")


def f(api: Any) -> Any:
    return api.nn.functional


def layer(api: Any) -> Any:
    return api.nn.Linear(3, 2)


def state(api: Any, prefix: str) -> Any:
    return {prefix + name: value for name, value in layer(api).state_dict().items()}


def batch(api: Any, dataset: list[Any]) -> Any:
    return next(iter(library(api, "utils.data").DataLoader(dataset, batch_size=2)))


def carried(api: Any) -> None:
    w, h = api.ones(2, requires_grad=True), api.zeros(2)
    for _ in range(2):
        h = api.tanh(h * w + w)
        h.sum().backward()


def misspelt(api: Any) -> Any:
    class Model(api.nn.Module):  # type: ignore[misc]
        def foward(self, x: Any) -> Any:
            return x

    return Model()(api.ones(1))


def forgotten(api: Any) -> Any:
    class Model(api.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> None:
            x + 1

    return Model()(api.ones(1))


def function_object(api: Any) -> Any:
    class Double(api.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        double = Double()
    return double(api.ones(1))


def ids(api: Any, *shape: int) -> Any:
    return api.zeros(shape, dtype=api.int64)


def one_hot(api: Any, classes: int = -1) -> Any:
    return f(api).one_hot(api.tensor([0, 2]), classes)


def turned(api: Any, x: Any) -> Any:
    """A layer that was given the table of an embedding as it is."""
    lookup, linear = api.nn.Embedding(5, 3), api.nn.Linear(5, 3, bias=False)
    linear.weight = api.nn.Parameter(lookup.weight.detach().clone())
    return linear(x)


def set_part(api: Any, change: Callable[[Any], Any]) -> None:
    change(api.ones(2, 3, requires_grad=True))


def rows(api: Any) -> Any:
    return api.ones(3, 2, requires_grad=True) * 1


CLASSES = [
    row(lambda t: f(t).cross_entropy(t.ones(2, 4, 7), ids(t, 2, 4)), RuntimeError, "or input.transpose(1, 2)"),
    row(
        lambda t: f(t).cross_entropy(t.ones(2, 4, 7), ids(t, 8)),
        ValueError,
        "input.flatten(0, 1) with target.flatten()",
    ),
    row(lambda t: f(t).nll_loss(t.ones(2, 7, 4), ids(t, 2, 3)), RuntimeError, "takes a target of shape (2, 4)"),
    row(lambda t: f(t).cross_entropy(t.ones(8, 7), ids(t, 2, 4)), ValueError, "target.reshape(8,)"),
    row(lambda t: f(t).cross_entropy(t.ones(8, 7), ids(t, 6)), ValueError, "takes a target of shape (8,)"),
    row(lambda t: f(t).cross_entropy(t.ones(2, 7), ids(t, 2, 1)), RuntimeError, "target.squeeze(1)"),
    row(lambda t: f(t).cross_entropy(t.ones(2, 7), ids(t)), ValueError, "one vector by itself is (C,)"),
    row(lambda t: f(t).cross_entropy(t.ones(7), ids(t, 1, 1)), RuntimeError, "One vector of scores has one target"),
    row(lambda t: f(t).cross_entropy(ids(t, 2), t.ones(2, 7)), NotImplementedError, "cross_entropy(input, target)"),
    row(lambda t: f(t).cross_entropy(ids(t, 2, 3), ids(t, 2)), NotImplementedError, "input.float()"),
    row(lambda t: f(t).cross_entropy(t.ones(2, 7, 3, 3), ids(t, 2, 7)), RuntimeError, "target of shape (2, 3, 3)"),
    row(lambda t: f(t).cross_entropy(t.ones(2, 3, 3, 7), ids(t, 2, 3, 3)), RuntimeError, "input.movedim(-1, 1)"),
]

LOSSES = [
    *[
        row(
            lambda t, name=name: getattr(t.nn, name)(t.ones(2, 3), t.ones(2)),
            RuntimeError,
            "nn.CrossEntropyLoss()(input, target)",
        )
        for name in ("CrossEntropyLoss", "MSELoss", "L1Loss", "BCELoss", "BCEWithLogitsLoss", "NLLLoss", "SmoothL1Loss")
    ],
    row(lambda t: f(t).cross_entropy(forgotten(t), ids(t, 1)), TypeError, "does the forward that made it return it?"),
    row(lambda t: f(t).mse_loss(forgotten(t), t.ones(1)), AttributeError, "tensor. Does the forward that made it"),
    row(lambda t: f(t).binary_cross_entropy(None, t.ones(1)), AttributeError, "made it return it?"),
    row(lambda t: f(t).binary_cross_entropy(t.ones(2), ids(t, 2)), RuntimeError, "target.to(torch.float32)"),
    row(lambda t: f(t).binary_cross_entropy(t.ones(2) * 2, t.ones(2)), RuntimeError, "cross_entropy_with_logits"),
    row(lambda t: f(t).binary_cross_entropy(t.ones(2), t.ones(2) * 2), RuntimeError, "there is cross_entropy"),
]

PRODUCTS = [
    row(lambda t: t.ones(2, 4, 8) @ t.ones(2, 4, 8), RuntimeError, "[2, 4]: the last"),
    row(lambda t: t.ones(2, 4, 8) @ t.ones(2, 4, 8), RuntimeError, "second is transposed: a @ b.transpose(-2, -1)."),
    row(lambda t: t.ones(3, 2, 4, 8) @ t.ones(3, 2, 4, 8), RuntimeError, "transposed: a @ b.transpose(-2, -1)."),
    row(lambda t: t.ones(2, 4, 8) @ t.ones(2, 4, 3), RuntimeError, "first is transposed: a.transpose(-2, -1) @ b."),
    row(lambda t: t.ones(4, 8) @ t.ones(4, 8), RuntimeError, "second is transposed: a @ b.T."),
    row(lambda t: t.ones(3) @ ids(t, 3), RuntimeError, "Convert the second: b.to(torch.float32)"),
    row(lambda t: t.ones(3, 5) @ one_hot(t, 5).T, RuntimeError, "to(torch.float32); one_hot() makes integers, one_hot"),
    row(lambda t: one_hot(t) @ t.ones(5, 3), RuntimeError, "ids, 2, and not for the whole vocabulary. Give their numb"),
    row(lambda t: one_hot(t) @ t.ones(5, 3), RuntimeError, "one_hot(ids, num_classes=5).float()."),
    row(lambda t: one_hot(t, 4) @ t.ones(5, 3), RuntimeError, "it has 4 columns, and there are 5 ids. Give"),
    row(lambda t: one_hot(t) @ ids(t, 5, 3), RuntimeError, "Give their number: one_hot(ids, num_classes=5)."),
    row(lambda t: turned(t, one_hot(t, 5).float()), RuntimeError, "5, must equal the last size of the weight"),
    row(
        lambda t: turned(t, one_hot(t, 5).float()),
        RuntimeError,
        "of Linear(5, 3) has shape (3, 5), so this one has to be transposed: weight.T",
    ),
    row(
        lambda t: t.nn.Linear(5, 3, bias=False).load_state_dict({"weight": t.nn.Embedding(5, 3).weight}),
        RuntimeError,
        "It is transposed: a table is (num_embeddings, embedding_dim), a linear weight (out_features, in_features).",
    ),
    row(lambda t: t.nn.Linear(5, 3)(ids(t, 2)), RuntimeError, "Ids go to nn.Embedding, or as vectors: F.one_"),
    row(lambda t: t.nn.Linear(5, 3, bias=False)(ids(t, 2)), RuntimeError, "in_features, the last size of the weight"),
    row(lambda t: t.nn.Linear(5, 3, bias=False)(ids(t, 2)), RuntimeError, "as vectors: F.one_hot(ids, 5).float()"),
    row(lambda t: t.nn.Linear(5, 3)(ids(t, 2, 5)), RuntimeError, "Numbers are converted: input.to(torch.float32)."),
    row(lambda t: t.nn.Linear(5, 3)(one_hot(t)), RuntimeError, "one_hot(ids, num_classes=5).float()."),
    row(lambda t: t.nn.Linear(5, 3)(t.tensor([0, 1])), RuntimeError, "as vectors: F.one_hot(ids, 5).float(). Numbers"),
    row(lambda t: t.nn.Linear(5, 3, bias=False)(one_hot(t)), RuntimeError, "one_hot(ids, num_classes=5).float()."),
    row(lambda t: turned(t, ids(t, 2)), RuntimeError, "[5, 3]). The weight of Linear(5, 3) has shape (3, 5), so thi"),
    row(lambda t: f(t).linear(ids(t, 2, 3), t.ones(3, 4)), RuntimeError, "has to be transposed: weight.T"),
    row(lambda t: t.nn.Linear(10, 3)(t.ones(4, 5, 2)), RuntimeError, "one vector: input.flatten(1)"),
    row(lambda t: t.nn.Linear(10, 3)(t.ones(4, 10, 5)), RuntimeError, "input.transpose(-2, -1)"),
    row(lambda t: t.nn.Linear(10, 3)(t.ones(4, 3)), RuntimeError, "gives 3 features, and 10 are expected"),
    row(lambda t: f(t).linear(t.ones(2, 3), t.ones(3, 4)), RuntimeError, "has to be transposed: weight.T"),
    row(lambda t: t.cat([t.ones(2, 3), t.ones(3)]), RuntimeError, "unsqueeze(dim)"),
    row(lambda t: t.tensor([t.ones(2), t.ones(2)]), ValueError, "torch.stack(tensors)"),
]

TRAINING = [
    row(lambda t: t.optim.SGD(layer(t), 0.1), TypeError, "'Linear' object is not iterable: pass model.parameters()"),
    row(lambda t: t.optim.Adam(layer(t).parameters), TypeError, "'method' object is not iterable: pass model.param"),
    row(lambda t: t.optim.Adam(t.nn.Sequential(layer(t))), TypeError, "or a list of tensors"),
    row(lambda t: t.optim.SGD([], 0.1), ValueError, "nn.ModuleList"),
    row(lambda t: t.optim.Adam(layer(t).parameters(), lr="a"), TypeError, "such as 1e-3, not 'a'"),
    row(lambda t: t.optim.SGD(layer(t).parameters(), lr=None), TypeError, "such as 1e-3, not None"),
    row(lambda t: t.nn.utils.clip_grad_norm_(layer(t), 1.0), TypeError, "pass model.parameters()"),
    row(carried, RuntimeError, "h = h.detach()"),
    row(lambda t: set_part(t, lambda w: w.__setitem__(0, 3)), RuntimeError, "with torch.no_grad(): w[0] = value."),
    row(lambda t: set_part(t, lambda w: w.__setitem__(w > 0, 3)), RuntimeError, "Write to a part of it under"),
    row(lambda t: set_part(t, lambda w: w[0].zero_()), RuntimeError, "view of a leaf Variable"),
    row(lambda t: set_part(t, lambda w: w.zero_()), RuntimeError, "with torch.no_grad(): w -= lr * w.grad. To add up"),
    row(lambda t: t.autograd.backward(rows(t), np.ones((3, 2))), TypeError, "but got ndarray: torch.tensor(data)"),
    row(lambda t: t.autograd.grad(rows(t), rows(t), [1.0]), TypeError, "Tensors or None, but got float: torch.tensor"),
    row(lambda t: layer(t).load_state_dict({"model": state(t, "")}), RuntimeError, 'checkpoint["model"]'),
    row(lambda t: layer(t).load_state_dict(state(t, "module.")), RuntimeError, "key.removeprefix('module.')"),
    row(lambda t: layer(t).load_state_dict(state(t, "_orig_mod.")), RuntimeError, "key.removeprefix('_orig_mod.')"),
    row(lambda t: batch(t, [t.ones(2), t.ones(3)]), RuntimeError, "collate_fn"),
    row(lambda t: batch(t, [(t.ones(2), 1), (t.ones(3), 2)]), RuntimeError, "nn.utils.rnn.pad_sequence"),
    row(lambda t: library(t, "utils.data").TensorDataset(np.ones(2)), TypeError, "takes tensors with a dimension"),
    row(lambda t: library(t, "utils.data").TensorDataset([1, 2]), AttributeError, "examples, torch.tensor(data)"),
    row(lambda t: t.manual_seed("a"), ValueError, "manual_seed(0)"),
    row(
        lambda t: t.multinomial(t.tensor([-1.0, 2.0]), 1),
        RuntimeError,
        "< 0: probabilities of scores are softmax(lo",
    ),
    row(lambda t: t.multinomial(t.zeros(3), 1), RuntimeError, "<= 0): probabilities of scores are softmax(logits, -1)"),
    row(lambda t: t.multinomial(t.tensor([-1.0, 2.0]), 2, True), RuntimeError, "< 0): probabilities of scores are so"),
    row(lambda t: t.multinomial(t.ones(2, 3, 4), 1), RuntimeError, "logits[:, -1, :]"),
    row(lambda t: t.multinomial(t.tensor([1, 2]), 1), RuntimeError, "Weights are real numbers: input.float()"),
    row(lambda t: t.multinomial(t.ones(3), 5), RuntimeError, "replacement=True"),
]

LAYERS = [
    row(lambda t: t.nn.Sequential([layer(t)]), TypeError, "nn.Sequential(*layers)"),
    row(lambda t: t.nn.Sequential(layer(t), t.relu), TypeError, "or give the layer of that name"),
    row(lambda t: t.nn.Sequential(t.nn.ReLU), TypeError, "an instance is wanted, ReLU()"),
    row(lambda t: t.nn.ModuleList([3]), TypeError, "give an instance of nn.Module"),
    row(lambda t: t.nn.ModuleList([layer(t)])(t.ones(3)), NotImplementedError, "for layer in layers"),
    row(misspelt, NotImplementedError, "define forward(self, …), in this spelling"),
    row(function_object, RuntimeError, "Double.apply(…)"),
    row(lambda t: t.nn.Linear(3.0, 2), TypeError, "found element of type float at pos 1"),
    row(lambda t: t.nn.Linear(3, "a"), TypeError, "found element of type str at pos 0"),
    row(lambda t: t.nn.Embedding.from_pretrained(np.ones((2, 2))), AttributeError, "'dim': the table is a tensor"),
    row(lambda t: f(t).embedding(t.ones(3, 2), ids(t, 1)), RuntimeError, "embedding(input, weight)"),
    row(lambda t: f(t).one_hot(t.tensor([0, 5]), 3), RuntimeError, "num_classes=6"),
    row(lambda t: f(t).one_hot(ids(t, 2).int()), RuntimeError, "got torch.IntTensor. Convert them: input.long()"),
    row(lambda t: f(t).one_hot(t.ones(2)), RuntimeError, "got torch.FloatTensor. Ids are whole numbers: input.long()"),
    row(lambda t: t.nn.Embedding(5, 3)(ids(t, 2).short()), RuntimeError, "embedding). Convert them: input.long()"),
    row(lambda t: t.nn.Embedding(5, 3)(ids(t, 2).byte()), RuntimeError, "got torch.ByteTensor instead"),
    row(
        lambda t: t.nn.Embedding(5, 3)(ids(t, 2).bool()),
        RuntimeError,
        "embedding). Ids are whole numbers: input.long()",
    ),
    row(
        lambda t: f(t).embedding(ids(t, 2), t.nn.Embedding(5, 3)),
        TypeError,
        "'weight' (position 1) must be Tensor, not Embedding: pass its weight, embedding.weight",
    ),
    row(lambda t: f(t).linear(t.ones(3), layer(t)), TypeError, "must be Tensor, not Linear: pass its weight, linear."),
    row(lambda t: f(t).linear(t.ones(3), t.nn.ReLU()), TypeError, "not ReLU: torch.tensor(data) makes one"),
    row(lambda t: t.ones(5, 3)[t.tensor([[1, 2], [3, 7]])], IndexError, "one in [-5, 5); it stands at position [1, 1]"),
    row(lambda t: t.ones(5, 3)[t.tensor(0), t.tensor([0, 1, -4])], IndexError, "[-3, 3); it stands at position [2]"),
    row(lambda t: t.ones(5, 3).gather(0, t.tensor([[1, 7]])), RuntimeError, "in [0, 5); it stands at position [0, 1]"),
    row(lambda t: t.nn.BatchNorm1d(4)(t.ones(2, 3, 4)), RuntimeError, "input.transpose(1, 2)"),
    row(lambda t: t.nn.BatchNorm1d(4)(t.ones(2, 3)), RuntimeError, "of shape (2, 3)"),
    row(lambda t: t.nn.BatchNorm1d(4)(t.ones(1, 4)), ValueError, "model.eval()"),
]

CONVERSIONS = [
    row(lambda t: t.ones(1).to("float32"), RuntimeError, "Invalid device string: 'float32'. minigrad"),
    row(lambda t: t.ones(1).to("float"), RuntimeError, "A dtype is no string: torch.float32"),
    row(lambda t: t.ones(1).type(3), TypeError, "such as torch.float32, not 3"),
    row(lambda t: t.ones(1).type(float), ValueError, "'float': give a dtype"),
    row(lambda t: t.array([1]), AttributeError, "torch.tensor(data)"),
    row(lambda t: float(t.ones(2)), ValueError, "float() got shape torch.Size([2]): it is for one element, tol"),
    *[
        row(
            lambda t, name=name: getattr(np, name)(t.ones(2, 3)),
            TypeError,
            f"{name}() got an unexpected keyword argument 'out': NumPy's functions pass it. Write x.{name}(), or np",
        )
        for name in ("mean", "sum", "max", "min", "prod", "std", "var", "any", "all")
    ],
    row(lambda t: np.mean(t.ones(2, 3), axis=0), TypeError, "or np.mean(x.numpy())"),
    row(lambda t: t.ones(2).mean(foo=1), TypeError, "got an unexpected keyword argument 'foo'"),
]

#: Errors because minigrad is on the CPU and has no more than it has.
HERE = [
    row(lambda t: t.ones(1).cuda(), AssertionError, "Torch not compiled with CUDA enabled: minigrad"),
    row(lambda t: t.ones(1).to_sparse().cuda(), AssertionError, "Torch not compiled with CUDA enabled: mini"),
    row(lambda t: t.ones(1).cuda("cpu"), RuntimeError, "Invalid device, must be cuda device, not cpu"),
    row(lambda t: layer(t).cuda(), AssertionError, "minigrad computes on the CPU; use 'cpu'"),
    row(lambda t: t.ones(1).pin_memory(), RuntimeError, "leave pin_memory() out"),
    row(lambda t: t.bfloat16, AttributeError, "dtypes are float16"),
    row(lambda t: t.linalg, AttributeError, "PyTorch has it, minigrad does not; torch.norm"),
    row(lambda t: t.nn.LSTM, AttributeError, "in a loop over the steps make one. docs/pytorch.md lists what is there"),
    row(lambda t: t.nn.MultiheadAttention, AttributeError, "scaled_dot_product_attention"),
    row(lambda t: t.nn.Conv2d, AttributeError, "x.unfold"),
    row(lambda t: t.set_printoptions(precision="x"), ValueError, "precision has to be a whole number, not 'x'"),
    row(lambda t: t.set_printoptions(precision=2, threshold="x"), TypeError, "threshold has to be a number, not 'x'"),
]

BOTH = [*CLASSES, *LOSSES, *PRODUCTS, *TRAINING, *LAYERS, *CONVERSIONS]


@pytest.mark.parametrize(("call", "error", "says"), [*BOTH, *HERE])
def test_the_message_tells_what_to_do(call: Call, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        call(minigrad)
    assert type(caught.value) is error
    assert says in str(caught.value)


@pytest.mark.parametrize(("call", "error", "says"), BOTH)
def test_pytorch_raises_the_same_type(call: Call, error: type[Exception], says: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    with pytest.raises(error) as caught:
        call(torch)
    assert type(caught.value) is error


def matrices(api: Any, a: tuple[int, ...], b: tuple[int, ...], first: str, second: str) -> Any:
    return api.ones(a, dtype=getattr(api, first)), api.ones(b, dtype=getattr(api, second))


DTYPES = [("float32", "float32"), ("int64", "float32"), ("float32", "int64")]
SHAPES = [(3,), (4,), (2, 3), (3, 2), (2, 2, 3), (3, 3, 2), (1, 3, 2), (2, 2, 3, 4)]


def first_words(api: Any, call: Callable[..., Any], *arguments: Any) -> tuple[str, str]:
    """The type of the error and what its message begins with: the words of PyTorch end with a line or a full stop."""
    try:
        call(api, *arguments)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0].rstrip(". ")
    return "", ""


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda t, *args: t.matmul(*matrices(t, *args)), id="matmul"),
        pytest.param(lambda t, *args: f(t).linear(*matrices(t, *args)), id="linear"),
        pytest.param(lambda t, *args: f(t).linear(*matrices(t, *args), t.ones(args[1][0])), id="linear with a bias"),
        pytest.param(lambda t, *args: f(t).linear(*matrices(t, *args), ids(t, 2)), id="linear, bias of integers"),
        pytest.param(lambda t, *args: t.addmm(t.ones(2), *matrices(t, *args)), id="addmm"),
        pytest.param(lambda t, *args: t.bmm(*matrices(t, *args)), id="bmm"),
    ],
)
def test_of_several_mistakes_the_one_is_told_that_pytorch_finds_first(call: Callable[..., Any]) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    seen = set()
    for arguments in itertools.product(SHAPES, SHAPES, DTYPES):
        a, b, dtypes = arguments
        kind, words = first_words(torch, call, a, b, *dtypes)
        if kind:
            found, message = first_words(minigrad, call, a, b, *dtypes)
            assert (found, message[: len(words)]) == (kind, words), arguments
            seen.add((kind, words))
    assert len(seen) > 3


@pytest.mark.parametrize(("a", "b"), [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 3), (4, 3, 2))])
def test_truth_values_are_not_multiplied(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    found, message = first_words(minigrad, lambda t: t.matmul(*matrices(t, a, b, "bool", "bool")))
    assert found == "NotImplementedError"
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    kind, words = first_words(torch, lambda t: t.matmul(*matrices(t, a, b, "bool", "bool")))
    assert (found, message[: len(words)]) == (kind, words)


def test_the_warning_of_a_gradient_that_does_not_arrive_speaks_of_the_step_that_lost_the_leaf() -> None:
    def lost(api: Any) -> Any:
        w = api.ones(2, requires_grad=True)
        (w * w).sum().backward()
        w = w - 0.1 * w.grad
        with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed") as caught:
            assert w.grad is None
        return str(caught[0].message)

    ours = lost(minigrad)
    assert ours.endswith("with torch.no_grad(): w -= lr * w.grad.)")
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    assert ours.startswith(lost(torch).partition(" See github.com")[0])


def test_advice_of_a_layer_does_not_speak_of_its_weight() -> None:
    with pytest.raises(RuntimeError) as caught:
        minigrad.nn.Linear(10, 3)(minigrad.ones(2, 3))
    assert "weight.T" not in str(caught.value)


def test_a_layer_with_a_cuda_method_and_no_parameters_is_itself() -> None:
    relu = minigrad.nn.ReLU()
    assert relu.cuda() is relu


def test_print_options_that_are_refused_change_nothing() -> None:
    x = minigrad.tensor([1 / 3])
    before = repr(x)
    for options in ({"precision": 1, "linewidth": "x"}, {"precision": -1}, {"precision": 2.0}, {"edgeitems": "x"}):
        with pytest.raises((TypeError, ValueError), match="has to be a"):
            minigrad.set_printoptions(**options)
        assert repr(x) == before


def test_what_is_advised_against_is_not_there_and_is_in_pytorch() -> None:
    from minigrad.tensors.errors import _NAMES, _NUMPY_NAMES

    def home(api: Any, place: str) -> Any:
        return attrgetter(place.removeprefix("minigrad."))(api) if "." in place else api

    for table in (_NAMES, _NUMPY_NAMES):
        for place, names in table.items():
            assert not [name for name in names if hasattr(home(minigrad, place), name)], place
    assert not hasattr(minigrad.ones(1), "nonsense")
    assert not hasattr(minigrad.nn, "nonsense")
    with pytest.raises(ImportError):
        exec("from minigrad.nn import LSTM")
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    for place, names in _NAMES.items():
        assert not [name for name in names if not hasattr(home(torch, place), name)], place
    for place, names in _NUMPY_NAMES.items():
        assert not [name for name in names if hasattr(home(torch, place), name)], place


def test_type_takes_the_older_constructors() -> None:
    x = minigrad.tensor([1.5, 2.5])
    assert minigrad.equal(x.type(minigrad.LongTensor), minigrad.tensor([1, 2]))
    assert x.type(minigrad.FloatTensor) is x
    assert minigrad.nn.Linear(1, 1).type(minigrad.DoubleTensor).weight.dtype is minigrad.float64
