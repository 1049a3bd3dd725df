"""An LSTM learns which language a name comes from.

A recurrent layer reads letter after letter. At each it computes, by two Linears and gates, a new state from the state
before and the letter: what it has read so far, in 64 numbers. After the last letter one more Linear says how well each
language fits. (Hochreiter and Schmidhuber, Long Short-Term Memory, 1997.)

Names have several lengths. Padded with zeros they are a batch, and packed they are read without the padding, so that
the last state is that after the last letter. Every fourth name is kept for the test.
"""

from __future__ import annotations

import common

options = common.parser(__doc__, steps=200).parse_args()
torch = common.engine(options)
nn, F, rnn = torch.nn, torch.nn.functional, torch.nn.utils.rnn

NAMES = {
    "Italian": """
        rossi ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti mancini costa
        giordano rizzo lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara galli martini
        leone longo gentile martinelli vitale lombardo serra coppola marchetti parisi villa conte ferraro
    """,
    "German": """
        schmidt schneider fischer weber meyer wagner becker schulz hoffmann koch bauer richter klein wolf
        schroeder neumann schwarz zimmermann braun krueger hofmann hartmann lange schmitt werner krause lehmann
        maier huber kaiser fuchs scholz vogel jung hahn schubert friedrich keller guenther frank
    """,
    "Japanese": """
        sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki
        yamaguchi matsumoto inoue kimura hayashi shimizu yamazaki mori abe ikeda hashimoto ishikawa ogawa goto
        okada hasegawa murakami kondo ishii saito sakamoto endo aoki fujii nishimura fukuda ota
    """,
    "Russian": """
        ivanov smirnov kuznetsov popov vasiliev petrov sokolov mikhailov novikov fedorov morozov volkov alekseev
        lebedev semenov egorov pavlov kozlov stepanov nikolaev orlov andreev makarov nikitin zakharov zaitsev
        soloviev borisov yakovlev grigoriev romanov vorobiev sergeev kuzmin frolov aleksandrov dmitriev korolev
        gusev kiselev
    """,
}
LANGUAGES = list(NAMES)
EXAMPLES = [(name, label) for label, names in enumerate(NAMES.values()) for name in names.split()]
KNOWN, NEW = [each for n, each in enumerate(EXAMPLES) if n % 4], EXAMPLES[::4]


def batch(examples: list[tuple[str, int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Letters as ids, padded to `(N, longest)`; how many each name has, and which language it is of."""
    ids = [torch.tensor([ord(letter) - ord("a") for letter in name]) for name, _ in examples]
    lengths, labels = torch.tensor([len(each) for each in ids]), torch.tensor([label for _, label in examples])
    return rnn.pad_sequence(ids, batch_first=True), lengths, labels


class Reader(nn.Module):
    """How well each language fits each name: letters `(N, longest)` give `(N, languages)`."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.Embedding(26, 16)
        self.lstm = nn.LSTM(16, 64, batch_first=True)
        self.head = nn.Linear(64, len(LANGUAGES))

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = rnn.pack_padded_sequence(self.letters(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        return self.head(last[-1])


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

run = common.Run(torch, options, "letters", model=model, optimizer=optimizer)
for _ in run:
    ids, lengths, labels = batch([KNOWN[n] for n in torch.randint(len(KNOWN), (32,)).tolist()])
    loss = F.cross_entropy(model(ids, lengths), labels)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    run.report(int(lengths.sum()), loss=loss.item())

with torch.no_grad():
    ids, lengths, labels = batch(NEW)
    guesses = model(ids, lengths).argmax(1)
    print(f"of {len(NEW)} new names {(guesses == labels).sum().item()} are told right; among them")
    for (name, label), guess in list(zip(NEW, guesses.tolist(), strict=True))[::4]:
        print(f"{name}: {LANGUAGES[guess]}" + ("" if guess == label else f", but it is {LANGUAGES[label]}"))
