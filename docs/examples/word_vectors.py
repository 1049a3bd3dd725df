"""Word vectors: words that keep the same company get vectors that point the same way.

Skip-gram: of each word, guess the words around it. A word has two vectors, one as the word in the middle and one as a
neighbour, and the product of a word's and a neighbour's says how likely the two meet. A probability would take the sum
over all words; negative sampling asks a smaller question: is this pair from the text, or is the second word one of five
drawn at random? (Mikolov and others, Distributed Representations of Words and Phrases, 2013.)

A step reads a few hundred rows of the tables, and only these rows have a gradient. With `sparse=True` the gradient is
these rows and nothing else, and `SparseAdam` moves them and nothing else: the step costs the same however many words
there are. Try `--dense`, and see the speed of gradients that are full of zeros.
"""

from __future__ import annotations

from pathlib import Path

import common
import numpy as np

parser = common.parser(__doc__, steps=3000)
parser.add_argument("--dense", action="store_true", help="gradients with a row for each word, and Adam")
where = "where to draw the vectors"
parser.add_argument("--picture", type=common.file, metavar="FILE", default="word_vectors.svg", help=where)
options = parser.parse_args()
torch = common.engine(options)
nn, F = torch.nn, torch.nn.functional

WINDOW, NEGATIVES, SIZE, BATCH = 5, 5, 48, 512


class SkipGram(nn.Module):
    """Two tables of word vectors; called with words, neighbours `(B,)` and others `(B, K)`, the loss."""

    def __init__(self, words: int, sparse: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(words, SIZE, sparse=sparse)
        self.neighbours = nn.Embedding(words, SIZE, sparse=sparse)
        nn.init.uniform_(self.words.weight, -0.5 / SIZE, 0.5 / SIZE)
        nn.init.zeros_(self.neighbours.weight)

    def forward(self, word: torch.Tensor, neighbour: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        word = self.words(word).unsqueeze(2)
        met = (self.neighbours(neighbour).unsqueeze(1) @ word).flatten()
        not_met = (self.neighbours(others) @ word).squeeze(2)
        return -(F.logsigmoid(met) + F.logsigmoid(-not_met).sum(dim=1)).mean()


# Ids by frequency: 0 is the most frequent word.
text = common.words()
names, counts = np.unique(text, return_counts=True)
order = np.argsort(-counts, kind="stable")
names, counts = names[order].tolist(), torch.tensor(counts[order])
number = {name: i for i, name in enumerate(names)}
ids = torch.tensor([number[word] for word in text])

# Frequent words tell little about their neighbours: most of their occurrences are left out, by chance.
share = counts[ids] / len(ids)
ids = ids[torch.rand(len(ids)) < (1e-3 / share).sqrt()]
# Each word with each neighbour up to WINDOW words away, on both sides.
apart = range(1, WINDOW + 1)
left, right = (torch.cat([ids[:-n] for n in apart]), torch.cat([ids[n:] for n in apart]))
words, neighbours = torch.cat([left, right]), torch.cat([right, left])
noise = counts**0.75

model = SkipGram(len(names), sparse=not options.dense)
optimizer = (torch.optim.Adam if options.dense else torch.optim.SparseAdam)(model.parameters(), lr=0.003)

run = common.Run(torch, options, model=model, optimizer=optimizer)
for _ in run:
    batch = torch.randint(len(words), (BATCH,))
    others = torch.multinomial(noise, BATCH * NEGATIVES, replacement=True).view(BATCH, NEGATIVES)
    loss = model(words[batch], neighbours[batch], others)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    run.report(BATCH, loss=loss.item())

vectors = F.normalize(model.words.weight.detach(), dim=1)
for name in ["captain", "sister", "house", "very", "lady"]:
    nearest = (vectors[:600] @ vectors[number[name]]).topk(6).indices[1:]
    print(f"nearest to {name}:", *[names[i] for i in nearest])


GROUPS = {
    "people": "captain admiral miss colonel mary charles",
    "feelings": "happiness pleasure pain feelings agitation pride",
    "places": "lyme bath street room house uppercross",
    "what one says": "said replied dear tell know suppose",
}


def draw(vectors: np.ndarray, path: Path) -> None:
    """Words in the plane in which their vectors differ most: the first two right singular vectors span it."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture of the vectors: that takes matplotlib, python -m pip install -e '.[examples]'")
        return
    groups = [group.split() for group in GROUPS.values()]
    centred = vectors[[number[word] for group in groups for word in group]]
    centred -= centred.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    places = iter((centred @ directions[:2].T / np.abs(centred @ directions[:2].T).max(axis=0)).tolist())
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "word vectors"}):
        figure = Figure(figsize=(8, 5.5), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(-1.05, 1.3), ylim=(-1.1, 1.1))
        axes.set_axis_off()
        looks = zip(("#1d4590", "#b33f00", "#0f8274", "#a8237c"), "os^D", strict=True)
        for name, group, (colour, marker) in zip(GROUPS, groups, looks, strict=True):
            points = [next(places) for _ in group]
            axes.scatter(*zip(*points, strict=True), s=28, color=colour, marker=marker, label=name)
            for (x, y), word in zip(points, group, strict=True):
                axes.text(x + 0.025, y - 0.02, word, color=colour)
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, metadata={"Date": None})
    if path.suffix == ".svg":
        # In the dark it is dark.
        dark = "@media (prefers-color-scheme: dark) { #figure_1 { filter: invert(0.9) hue-rotate(180deg) } }"
        path.write_text(path.read_text().replace('<style type="text/css">', f'<style type="text/css">{dark}', 1))
    print(f"the picture is in {path}")


draw(vectors.numpy(), options.picture)
