"""Bigram model: which letter follows depends on the letter before it, and on nothing else.

All that such a model can know is a table: 27 rows of 27 scores (logits), how likely each letter follows each. There are
two ways to take a letter's row out of the table: multiply the letter's one-hot vector by the table, which is a linear
layer; or look the row up, which is an embedding. This program starts both with the same table, trains both on the same
letters, and prints two loss curves that are one: forward and backward, the layers do the same, up to rounding.

The best table is known here: the logarithms of the counts. The last lines compare what was learned to what is counted,
and let the table write words.
"""

from __future__ import annotations

import common

options = common.parser(__doc__, steps=1000).parse_args()
torch = common.engine(options)
nn, F = torch.nn, torch.nn.functional

# The words that the novel uses; "." stands before the first letter and after the last.
LETTERS = ".abcdefghijklmnopqrstuvwxyz"
text = "." + ".".join(sorted(set(common.words()))) + "."
ids = torch.tensor([LETTERS.index(letter) for letter in text])
x, y = ids[:-1], ids[1:]

lookup = nn.Embedding(27, 27)
one_hot = nn.Linear(27, 27, bias=False)
with torch.no_grad():
    # A linear layer keeps its weight as (outputs, inputs): the table, transposed.
    one_hot.weight.copy_(lookup.weight.T)
model = nn.ModuleDict({"lookup": lookup, "one_hot": one_hot})
optimizer = torch.optim.SGD(model.parameters(), lr=10.0)

run = common.Run(torch, options, model=model, optimizer=optimizer)
for _ in run:
    batch = torch.randint(len(x), (1024,))
    looked_up = F.cross_entropy(lookup(x[batch]), y[batch])
    multiplied = F.cross_entropy(one_hot(F.one_hot(x[batch], 27).float()), y[batch])
    optimizer.zero_grad()
    (looked_up + multiplied).backward()
    optimizer.step()
    run.report(len(batch), lookup=looked_up.item(), one_hot=multiplied.item())

with torch.no_grad():
    counts = torch.zeros(27, 27)
    counts.index_put_((x, y), torch.ones(len(x)), accumulate=True)
    best = F.cross_entropy(counts.log()[x], y)
    print(f"loss on all letters: {F.cross_entropy(lookup(x), y):.3f} learned, {best:.3f} counted")
    print(f"largest difference of the two tables: {(lookup.weight - one_hot.weight.T).abs().max():.1e}")

    for _ in range(8):
        word = "."
        while word == "." or word[-1] != ".":
            probabilities = F.softmax(lookup(torch.tensor(LETTERS.index(word[-1]))), dim=0)
            word += LETTERS[torch.multinomial(probabilities, 1).item()]
        print(word.strip("."))
