"""Eleven mistakes that learners make: what the message says is enough to mend the program, and mends it.

Each row has the program as it was first written, the type and the words of the error, and the program after doing what
the message says.  Where PyTorch is at hand, it refuses the first with the same type and leading words, and computes the
same with the second.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest

import minigrad


class Mistake(NamedTuple):
    name: str
    wrong: str
    error: type[Exception]
    #: PyTorch's words, with which the message begins.
    begins: str
    #: What the learner is to find in it: what was expected, what was got, and the remedy.
    says: tuple[str, ...]
    #: The code that is named there, which is a part of the mended program; None where plain words say what to do.
    code: str | None
    mended: str


START = """
embedding = torch.nn.Embedding(4, 3)
ids = torch.tensor([2, 3, 1])
w = torch.ones(2, requires_grad=True)
one_hot, F = torch.nn.functional.one_hot, torch.nn.functional
lr = 0.1
"""

STEPS_IN_PLACE = """
for step in range(2):
    w.grad = None
    (w * 3).sum().backward()
    with torch.no_grad():
        w -= lr * w.grad
result = w
"""

MISTAKES = [
    Mistake(
        "an id out of range",
        "result = embedding(torch.tensor([2, 4, 1]))",
        IndexError,
        "index out of range in self",
        ("the id at position [1] is 4", "not in [0, 4), the rows of the table", "num_embeddings > 4"),
        "num_embeddings",
        "result = torch.nn.Embedding(num_embeddings=5, embedding_dim=3)(torch.tensor([2, 4, 1])).shape",
    ),
    Mistake(
        "an id below 0",
        "result = embedding(torch.tensor([2, -1]))",
        IndexError,
        "index out of range in self",
        ("the id at position [1] is -1", "ids count from 0"),
        None,
        "result = embedding(torch.tensor([2, 0]))",
    ),
    Mistake(
        "the largest id taken for the number of ids",
        "result = torch.nn.Embedding(int(ids.max()), 3)(ids)",
        IndexError,
        "index out of range in self",
        ("the id at position [1] is 3", "not in [0, 3)", "as large as the whole vocabulary (num_embeddings > 3)"),
        "num_embeddings",
        "result = torch.nn.Embedding(num_embeddings=int(ids.max()) + 1, embedding_dim=3)(ids).shape",
    ),
    Mistake(
        "a vocabulary taken from the batch's largest id",
        "result = one_hot(torch.tensor([2, 1])).float() @ embedding.weight",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)",
        ("a column for each id up to the largest of these ids, 2", "one_hot(ids, num_classes=4)"),
        "num_classes=4",
        "result = one_hot(torch.tensor([2, 1]), num_classes=4).float() @ embedding.weight",
    ),
    Mistake(
        "the same before a linear layer",
        "result = torch.nn.Linear(4, 5)(one_hot(torch.tensor([2, 1])).float())",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        ("must equal in_features", "one_hot(ids, num_classes=4)"),
        "num_classes=4",
        "result = torch.nn.Linear(4, 5)(one_hot(torch.tensor([2, 1]), num_classes=4).float()).shape",
    ),
    Mistake(
        "one-hot vectors left as integers",
        "result = one_hot(ids, 4) @ embedding.weight",
        RuntimeError,
        "expected m1 and m2 to have the same dtype, but got: long int != float",
        ("one_hot() makes integers", "one_hot(ids).float()"),
        ".float()",
        "result = one_hot(ids, 4).float() @ embedding.weight",
    ),
    Mistake(
        "a transposed weight",
        "result = F.linear(one_hot(ids, 4).float(), embedding.weight)",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)",
        ("in_features, the last size of the weight torch.Size([4, 3])", "an embedding table", "weight.T"),
        "weight.T",
        "result = F.linear(one_hot(ids, 4).float(), embedding.weight.T)",
    ),
    Mistake(
        "a second backward pass",
        "loss = (embedding(ids) ** 2).sum()\nloss.backward()\nloss.backward()\nresult = embedding.weight.grad",
        RuntimeError,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed)",
        ("what PowBackward0 kept of the forward pass is gone", "the first backward with retain_graph=True"),
        "retain_graph=True",
        "loss = (embedding(ids) ** 2).sum()\nloss.backward(retain_graph=True)\nloss.backward()\n"
        "result = embedding.weight.grad",
    ),
    Mistake(
        "a leaf changed in place",
        "(w * 3).sum().backward()\nw -= 0.1 * w.grad\nresult = w",
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation.",
        ("with torch.no_grad(): w -= lr * w.grad",),
        "with torch.no_grad(): w -= lr * w.grad",
        "(w * 3).sum().backward()\nwith torch.no_grad():\n    w -= lr * w.grad\nresult = w",
    ),
    Mistake(
        "a row of a table set in place",
        "embedding.weight[0] = 0\nresult = embedding.weight",
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ("with torch.no_grad():",),
        "with torch.no_grad():",
        "with torch.no_grad():\n    embedding.weight[0] = 0\nresult = embedding.weight",
    ),
    Mistake(
        "a new tensor in the place of a leaf, which is not recorded",
        "for step in range(2):\n    (w * 3).sum().backward()\n    with torch.no_grad():\n        w = w - 0.1 * w.grad\n"
        "result = w",
        RuntimeError,
        "element 0 of tensors does not require grad and does not have a grad_fn",
        ("computed under no_grad()",),
        None,
        STEPS_IN_PLACE,
    ),
    Mistake(
        "a new tensor in the place of a leaf, which is a result",
        "for step in range(2):\n    (w * 3).sum().backward()\n    w = w - 0.1 * w.grad\nresult = w",
        UserWarning,  # An error in these tests; a program that goes on finds that the gradient is None.
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",
        ("w = w - lr * w.grad makes w a non-leaf", "with torch.no_grad(): w -= lr * w.grad"),
        "with torch.no_grad(): w -= lr * w.grad",
        STEPS_IN_PLACE,
    ),
    Mistake(
        "numpy() in a graph",
        "result = embedding(ids).numpy()",
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad.",
        ("Use tensor.detach().numpy() instead",),
        ".detach().numpy()",
        "result = embedding(ids).detach().numpy()",
    ),
    Mistake(
        "item of many",
        "result = embedding(ids).item()",
        RuntimeError,
        "a Tensor with 9 elements cannot be converted to Scalar",
        ("item() is for one element", "tolist() gives all"),
        "tolist()",
        "result = embedding(ids).tolist()",
    ),
    Mistake(
        "ids that are no integers",
        "result = embedding(torch.tensor([2.0, 3.0]))",
        RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
        "torch.FloatTensor instead (while checking arguments for embedding)",
        ("Ids are whole numbers: input.long()",),
        ".long()",
        "result = embedding(torch.tensor([2.0, 3.0]).long())",
    ),
    Mistake(
        "one-hot vectors of ids that are no integers",
        "result = one_hot(torch.tensor([2.0, 3.0]), 4)",
        RuntimeError,
        "one_hot is only applicable to index tensor of type LongTensor",
        ("got torch.FloatTensor", "Ids are whole numbers: input.long()"),
        ".long()",
        "result = one_hot(torch.tensor([2.0, 3.0]).long(), 4)",
    ),
    Mistake(
        "ids in a list",
        "result = embedding([2, 3])",
        TypeError,
        "embedding(): argument 'indices' (position 2) must be Tensor, not list",
        ("torch.tensor(data) makes one",),
        "torch.tensor(",
        "result = embedding(torch.tensor([2, 3]))",
    ),
]

mistakes = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)


def run(library: Any, program: str) -> Any:
    """What a program leaves as `result`, with the same weights in all libraries."""
    library.manual_seed(0)
    names: dict[str, Any] = {"torch": library}
    exec(START, names)
    exec(program, names)
    return names["result"]


def text(result: Any) -> str:
    return str(result.tolist() if hasattr(result, "tolist") else result)


@mistakes
@pytest.mark.usefixtures("seeded")
def test_the_message_says_what_is_wrong_and_what_to_do(mistake: Mistake) -> None:
    with pytest.raises(mistake.error) as caught:
        run(minigrad, mistake.wrong)
    message = str(caught.value)
    assert message.startswith(mistake.begins)
    for words in mistake.says:
        assert words in message
    if mistake.code is not None:
        remedy = message.removeprefix(mistake.begins)
        assert mistake.code in remedy
        assert mistake.code not in " ".join(mistake.wrong.split())
        assert mistake.code in " ".join(mistake.mended.split())
    # A message is read in a terminal: a few lines, not a page.
    assert len(message) < 500


@mistakes
@pytest.mark.usefixtures("seeded")
def test_what_it_says_mends_the_program(mistake: Mistake) -> None:
    assert run(minigrad, mistake.mended) is not None


@mistakes
@pytest.mark.usefixtures("seeded")
def test_pytorch_refuses_and_computes_the_same(mistake: Mistake) -> None:
    torch = pytest.importorskip("torch", reason="the oracle is PyTorch")
    state = torch.get_rng_state()
    try:
        with pytest.raises(mistake.error, match=f"^{re.escape(mistake.begins)}"):
            run(torch, mistake.wrong)
        assert text(run(minigrad, mistake.mended)) == text(run(torch, mistake.mended))
    finally:
        torch.set_rng_state(state)


@pytest.mark.parametrize(
    ("first", "second", "remedy"),
    [
        # Not one-hot: nothing is said of it.
        ([[1.0, 2.0, 3.0]], (4, 3), "They fit if the second is transposed"),
        ([[0.0, 1.0, 1.0]], (4, 3), "They fit if the second is transposed"),
        # One-hot, but of an id that is not the largest of a batch, or longer than the vocabulary.
        ([[0.0, 1.0, 0.0]], (4, 3), "They fit if the second is transposed"),
        ([[0.0, 0.0, 1.0]], (2, 3), "They fit if the second is transposed"),
        ([[0.0, 0.0, 1.0]], (4, 3), "one_hot(ids, num_classes=4)"),
    ],
)
def test_only_what_looks_one_hot_is_taken_for_it(first: Any, second: tuple[int, int], remedy: str) -> None:
    with pytest.raises(RuntimeError, match="cannot be multiplied") as caught:
        minigrad.tensor(first) @ minigrad.ones(second)
    assert remedy in str(caught.value)
    assert ("one_hot" in str(caught.value)) == ("one_hot" in remedy)


def test_a_forgotten_zero_grad_is_no_error_but_can_be_seen() -> None:
    from minigrad import explain

    w = minigrad.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    story = explain.backward((w * 3).sum(), names={"w": w})
    assert w.grad is not None
    assert w.grad.tolist() == [6.0, 6.0]
    assert (story.leaves[0].before.array.tolist(), story.leaves[0].after.array.tolist()) == ([3.0, 3.0], [6.0, 6.0])
