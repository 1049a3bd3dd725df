"""A small GPT: letters that look back at one another, and a novel that goes on.

Each position of the text has a vector. In a block, every position asks the ones before it (attention: a weighted mean
of their vectors, with weights that the vectors themselves decide), and then thinks for itself (a small network). The
answers are added to the vector, so that a block changes only what it has something to say about. After the last block
the vector is compared with that of each letter: the more alike, the more likely this letter comes next.

The first layer and the last share one table: `head` is a linear layer on the weight of the embedding `letters`. The
gradient of that weight is the sum of what a lookup sends back, a few rows, and what a matrix product does, all of them.
"""

from __future__ import annotations

import common

parser = common.parser(__doc__, steps=800)
parser.add_argument("--letters", type=common.count, default=300, help="how many to write at the end")
options = parser.parse_args()
torch = common.engine(options)
nn, F = torch.nn, torch.nn.functional

CONTEXT, SIZE, HEADS, BLOCKS, DROPOUT, BATCH = 32, 64, 4, 2, 0.1, 32


class Attention(nn.Module):
    """Each position's weighted mean of what the positions up to it have to say: `(B, T, SIZE)` gives the same shape."""

    def __init__(self) -> None:
        super().__init__()
        self.queries_keys_values = nn.Linear(SIZE, 3 * SIZE, bias=False)
        self.out = nn.Linear(SIZE, SIZE)
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("future", torch.triu(torch.ones(CONTEXT, CONTEXT), diagonal=1).bool(), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q, k, v = self.queries_keys_values(x).view(b, t, 3, HEADS, SIZE // HEADS).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (SIZE // HEADS) ** 0.5
        scores = scores.masked_fill(self.future[:t, :t], float("-inf"))
        means = self.dropout(F.softmax(scores, dim=-1)) @ v
        return self.out(means.transpose(1, 2).reshape(b, t, SIZE))


class Block(nn.Module):
    """Ask the others, then think: `(B, T, SIZE)` gives the same shape."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.Sequential(nn.LayerNorm(SIZE), Attention(), nn.Dropout(DROPOUT))
        self.thought = nn.Sequential(
            nn.LayerNorm(SIZE), nn.Linear(SIZE, 4 * SIZE), nn.GELU(), nn.Linear(4 * SIZE, SIZE), nn.Dropout(DROPOUT)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(x)
        return x + self.thought(x)


class GPT(nn.Module):
    """The scores of the letters that may come next, at each position: `(B, T)` ids give `(B, T, letters)`."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, SIZE)
        self.positions = nn.Embedding(CONTEXT, SIZE)
        self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)], nn.LayerNorm(SIZE))
        self.head = nn.Linear(SIZE, letters, bias=False)
        # Small vectors: `head` multiplies by them, and its first scores should say that nothing is known yet.
        for table in [self.letters, self.positions]:
            nn.init.normal_(table.weight, std=0.1)
        self.head.weight = self.letters.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.letters(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.head(self.blocks(x))

    @torch.no_grad()
    def generate(self, ids: torch.Tensor, count: int, temperature: float = 0.8) -> torch.Tensor:
        """The ids `(B, T)` with so many more, drawn one by one."""
        for _ in range(count):
            scores = self(ids[:, -CONTEXT:])[:, -1] / temperature
            ids = torch.cat([ids, torch.multinomial(F.softmax(scores, dim=-1), 1)], dim=1)
        return ids


text = common.text()
letters = sorted(set(text))
ids = torch.tensor([letters.index(letter) for letter in text])
train, aside = ids[: len(ids) * 9 // 10], ids[len(ids) * 9 // 10 :]


def batch(ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Pieces of the text, and the same pieces one letter further on: each position's next letter."""
    start = torch.randint(len(ids) - CONTEXT, (BATCH, 1))
    pieces = ids[start + torch.arange(CONTEXT + 1)]
    return pieces[:, :-1], pieces[:, 1:]


def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The mean over all positions of the surprise at the letter that comes next."""
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


model = GPT(len(letters))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=options.steps)

run = common.Run(torch, options, model=model, optimizer=optimizer, scheduler=scheduler)
for _ in run:
    loss = loss_of(*batch(train))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    run.report(BATCH * CONTEXT, loss=loss.item())

model.eval()
with torch.no_grad():
    print(f"loss on the last tenth of the novel: {sum(loss_of(*batch(aside)).item() for _ in range(20)) / 20:.4f}")
print("".join(letters[i] for i in model.generate(torch.tensor([[letters.index("\n")]]), options.letters)[0]))
