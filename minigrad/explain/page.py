"""The page that `python -m minigrad --html FILE` writes: a lookup and a product with one-hot vectors, side by side.

One file without network, fonts or pictures from elsewhere.  Choose a token, by mouse, finger or keyboard, and
everything that belongs to it lights up, forward and backward, in both ways of computing.  Type other ids, and the page
computes them by itself: `page.js`, whose numbers the tests compare with those of `pair`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

from minigrad.explain.graph import Graph, graph
from minigrad.explain.picture import COLOURS, DARK, DASHES, MOST_COLUMNS, MOST_ROWS
from minigrad.explain.story import backward
from minigrad.nn import Embedding
from minigrad.tensors.creation import arange, tensor

#: What the rows of the table are called, the first rows first.
WORDS = ["the", "cat", "sat", "on", "mat", "dog", "a", "ran", "in", "sun", "and", "saw", "hat", "red", "to", "house"]
#: The most ids on a page.
MOST_IDS = 13


def page(text: str, embedding: Embedding, note: str, command: str) -> str:
    """The page, as HTML, for the ids or words of a text; `note` tells of the ids, and `command` makes the page."""
    ids = [WORDS.index(each) if each in WORDS else int(each) for each in text.split()]
    weight = embedding.weight
    upstream = arange(1.0, len(ids) * weight.shape[1] + 1).reshape(len(ids), -1)
    loss = (embedding(tensor(ids)) * upstream).sum()
    names = {"embedding": embedding, "loss": loss}
    drawn = graph(loss, names=names)
    story = backward(loss, names=names, max_values=MOST_ROWS * MOST_COLUMNS)
    words = WORDS[: len(weight)]
    frame, script = [Path(__file__).with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".html", ".js")]
    return Template(frame).substitute(
        light=_properties(COLOURS),
        dark=_properties(DARK),
        looks="\n".join(_classes()),
        note=html.escape(note),
        text=html.escape(text),
        known=" · ".join([f"{v}&nbsp;{word}" for v, word in enumerate(words)]),
        table=json.dumps(weight.tolist()),
        words=json.dumps(words),
        most=MOST_IDS,
        script=script,
        ids=ids,
        graph=_chain(drawn),
        story=story._repr_html_(),
        command=html.escape(command),
    )


def _chain(drawn: Graph) -> str:
    """The graph as a list, from the table to the loss: here each operation has one input that gets a gradient."""
    items = []
    for vertex in reversed(drawn.vertices):
        name, *rest = [html.escape(line) for line in vertex.lines]
        kind = ' class="leaf"' if vertex.is_leaf else ""
        items.append(f"<li{kind}><b>{name}</b>{''.join([f'<span>{line}</span>' for line in rest])}</li>")
    return "\n".join(items)


def _properties(colours: Sequence[str]) -> str:
    """The colours as a style sheet has them, which may be others in the dark."""
    return " ".join([f"--k{k}: {colour};" for k, colour in enumerate(colours)])


def _classes() -> Iterator[str]:
    """The classes of a style sheet that give a colour or a dash."""
    for k in range(len(COLOURS)):
        yield f".k{k} {{ --k: var(--k{k}); }}"
    for k, dash in enumerate(DASHES):
        yield f".dash{k} {{ --dash: {dash}; }}"
