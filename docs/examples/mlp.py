"""MLP language model: letters become vectors, and a small network reads several of them to guess the next.

A table of all contexts of three letters would have 27 ** 3 rows, most of them for contexts that never occur. Here each
letter has a vector of ten numbers instead, a row of C; `C[X]` looks up those of a whole batch of contexts, (B, 3) ids,
(B, 3, 10) numbers, and the network sees them side by side. Letters that behave alike get vectors that are alike, and so
what is learned of one context serves others. (Bengio and others, A Neural Probabilistic Language Model, 2003.)

A tenth of the words is put aside: the loss on them tells whether the model learned what words are like, or these words.
"""

from __future__ import annotations

import common

options = common.parser(__doc__, steps=6000).parse_args()
torch = common.engine(options)
nn, F = torch.nn, torch.nn.functional

LETTERS = ".abcdefghijklmnopqrstuvwxyz"
CONTEXT = 3


def examples(words: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """For each letter of the words, and for the "." at each end, the letters before it: `(N, CONTEXT)`, `(N,)`."""
    x, y = [], []
    for word in words:
        ids = [0] * CONTEXT + [LETTERS.index(letter) for letter in word + "."]
        for i in range(CONTEXT, len(ids)):
            x.append(ids[i - CONTEXT : i])
            y.append(ids[i])
    return torch.tensor(x), torch.tensor(y)


class MLP(nn.Module):
    """The scores of the letters that may come next: `(B, CONTEXT)` ids give `(B, 27)`."""

    def __init__(self, size: int = 10, hidden: int = 128) -> None:
        super().__init__()
        self.C = nn.Parameter(torch.randn(27, size))
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(CONTEXT * size, hidden, bias=False),
            nn.BatchNorm1d(hidden),
            nn.Tanh(),
            nn.Linear(hidden, 27),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(self.C[x])


words = sorted(set(common.words()))
words = [words[i] for i in torch.randperm(len(words))]
x, y = examples(words[len(words) // 10 :])
x_aside, y_aside = examples(words[: len(words) // 10])

model = MLP()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
# Large steps to get near, small ones to arrive.
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=max(1, options.steps * 2 // 3), gamma=0.1)

run = common.Run(torch, options, model=model, optimizer=optimizer, scheduler=scheduler)
for _ in run:
    batch = torch.randint(len(x), (256,))
    loss = F.cross_entropy(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    run.report(len(batch), loss=loss.item())

model.eval()
with torch.no_grad():
    print(f"loss on the words: {F.cross_entropy(model(x), y):.4f}, on those put aside: ", end="")
    print(f"{F.cross_entropy(model(x_aside), y_aside):.4f}")

    C = F.normalize(model.C, dim=1)
    for letter in "aqt":
        nearest = (C @ C[LETTERS.index(letter)]).topk(4).indices[1:]
        print(f"nearest to {letter}:", *[LETTERS[i] for i in nearest])

    for _ in range(8):
        ids = [0] * CONTEXT
        while len(ids) == CONTEXT or ids[-1] != 0:
            probabilities = F.softmax(model(torch.tensor([ids[-CONTEXT:]])), dim=1)
            ids.append(torch.multinomial(probabilities, 1).item())
        print("".join(LETTERS[i] for i in ids[CONTEXT:-1]))
