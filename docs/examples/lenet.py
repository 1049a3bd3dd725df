"""LeNet: a network of convolutions learns to read digits, which this program draws itself.

A convolution is a Linear on windows: the same few weights look at each 5x5 window of the image, so what is learned in
one place is known in all. Pooling keeps the larger answers of neighbours, so that a stroke may move a little. After two
rounds of both, three linear layers read what is left. (LeCun and others, Gradient-Based Learning Applied to Document
Recognition, 1998.)

The digits are drawn on a grid of 5x7, made larger, put somewhere, and covered with noise. Those that the network is
tested on are drawn anew.
"""

from __future__ import annotations

import common

options = common.parser(__doc__, steps=300).parse_args()
torch = common.engine(options)
nn, F = torch.nn, torch.nn.functional

FONT = """
.###.  ..#..  .###.  #####  ...#.  #####  ..##.  #####  .###.  .###.
#...#  .##..  #...#  ...#.  ..##.  #....  .#...  ....#  #...#  #...#
#..##  ..#..  ....#  ..#..  .#.#.  ####.  #....  ...#.  #...#  #...#
#.#.#  ..#..  ...#.  ...#.  #..#.  ....#  ####.  ..#..  .###.  .####
##..#  ..#..  ..#..  ....#  #####  ....#  #...#  .#...  #...#  ....#
#...#  ..#..  .#...  #...#  ...#.  #...#  #...#  .#...  #...#  ...#.
.###.  .###.  #####  .###.  ...#.  .###.  .###.  .#...  .###.  .##..
"""
ROWS = [line.split() for line in FONT.split("\n") if line]
GLYPHS = torch.tensor([[[float(dot == "#") for dot in row[digit]] for row in ROWS] for digit in range(10)])


def draw(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Images of random digits, `(count, 1, 28, 28)`, and which they are."""
    digits = torch.randint(10, (count,))
    large = F.interpolate(GLYPHS.unsqueeze(1), size=(21, 15), mode="bilinear")
    images = torch.zeros(count, 1, 28, 28)
    corners = torch.stack([torch.randint(8, (count,)), torch.randint(14, (count,))], 1).tolist()
    for image, digit, (top, left) in zip(images, digits.tolist(), corners, strict=True):
        image[:, top : top + 21, left : left + 15] = large[digit]
    return images + 0.4 * torch.randn(count, 1, 28, 28), digits


class LeNet(nn.Module):
    """The scores of the ten digits: `(N, 1, 28, 28)` gives `(N, 10)`."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 16, kernel_size=5),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))


model = LeNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

run = common.Run(torch, options, "digits", model=model, optimizer=optimizer)
for _ in run:
    x, y = draw(64)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    run.report(len(x), loss=loss.item())

with torch.no_grad():
    x, y = draw(500)
    guesses = model(x).argmax(1)
    print(f"of 500 new digits {(guesses == y).sum().item()} are read right")
    weight = model.features[0].weight
    print("the first of the six windows that it looks for:")
    for row in weight[0, 0]:
        print("".join("#" if value > 0.1 else "-" if value < -0.1 else "." for value in row.tolist()))
