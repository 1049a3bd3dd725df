"""The page that `python -m minigrad --html FILE` writes: a lookup and a product with one-hot vectors, side by side.

One file without network, fonts or pictures from elsewhere.  Choose a token, by mouse, finger or keyboard, and
everything that belongs to it lights up, forward and backward, in both ways of computing.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.explain.graph import Graph, graph
from minigrad.explain.pair import COLOURS, DARK, DASHES, MOST_COLUMNS, MOST_ROWS, Pair, looks, numeral, pair
from minigrad.explain.story import backward
from minigrad.nn import Embedding
from minigrad.tensors.creation import arange, tensor

# Of the curves between two tables: a row is 30 high, they are 48 wide, and a line has a width of 2.
_ROW, _WIDE, _STROKE = 30, 48, 2


def page(ids: Sequence[int], embedding: Embedding, note: str, command: str) -> str:
    """The page, as HTML, for these ids and this table; `note` tells of the ids, and `command` makes the page."""
    upstream = arange(1.0, len(ids) * embedding.weight.shape[1] + 1).reshape(len(ids), -1)
    numbers = pair(list(ids), embedding.weight, upstream)
    loss = (embedding(tensor(list(ids))) * upstream).sum()
    names = {"embedding": embedding, "loss": loss}
    drawn = graph(loss, names=names)
    story = backward(loss, names=names, max_values=MOST_ROWS * MOST_COLUMNS)
    template = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    parts = _Parts(numbers)
    table, g = parts.table("W", "the table", numbers.table), parts.at("G", "upstream", numbers.upstream)
    copied = [(id_, n) for n, id_ in enumerate(ids)]
    copies = parts.curves(copied, "Arrows from rows of W to the rows of Y that are copies of them.")
    sums = parts.curves([*enumerate(ids)], "Arrows from rows of G to the rows of dW that they are added to.")
    # The columns of a product, in rem, no matrix narrower than its caption: do two products fit side by side, or one?
    width = 1.6 * max(len(ids), len(numbers.table)) + 5.2 * max(numbers.table.shape[1], 2)
    return template.substitute(
        light=_properties(COLOURS),
        dark=_properties(DARK),
        looks="\n".join(_classes()),
        note=html.escape(note),
        layout=" wide" * (width > 23.8) + " dense" * (width > 54),
        tokens=parts.tokens(),
        picking=table + copies + parts.at("Y", "output", numbers.rows),
        product=parts.at("X", "one-hot", numbers.one_hot, one_hot=True)
        + _term("@", "times", table)
        + _term("=", "equals", parts.at("Y", "output", numbers.product)),
        forward_equal=_equal(numbers.rows, numbers.product),
        adding=g + sums + parts.table("dW", "gradient of W", numbers.gradient),
        product_backward=parts.table("X.T", "transposed", numbers.one_hot.T, one_hot=True)
        + _term("@", "times", g)
        + _term("=", "equals", parts.table("dW", "gradient of W", numbers.product_gradient)),
        backward_equal=_equal(numbers.gradient, numbers.product_gradient),
        graph=_chain(drawn),
        story=story._repr_html_(),
        sentences=json.dumps(parts.sentences()),
        command=html.escape(command),
    )


class _Parts:
    """The tables and pictures of the page.

    `data-n` lists the positions that an element belongs to, any of which lights it up; it lights up these itself, or
    those in `data-lights`.  `data-say` is the key of the sentence that tells it: `n0` for position 0, `v2` for row 2.
    """

    def __init__(self, numbers: Pair) -> None:
        self.numbers, self.ids = numbers, numbers.ids
        self.vocab = range(len(numbers.table))
        found = looks(self.ids)
        self.row_classes = ["k{} dash{}".format(*found[v]) if v in found else "unused" for v in self.vocab]

    def sentences(self) -> dict[str, str]:
        """What is told of each position and of each row of the table."""
        told: dict[str, str] = {}
        for n, id_ in enumerate(self.ids):
            told[f"n{n}"] = (
                f"Position {n} has id {id_}. Forward: row {id_} of W is copied to row {n} of Y; the 1 of one-hot "
                f"vector {n} stands in column {id_}. Backward: row {self._gradient(id_)}."
            )
        for v in self.vocab:
            places = self.numbers.positions(v)
            told[f"v{v}"] = (
                f"Row {v} of W is copied to {_rows(places)} of Y, so row {self._gradient(v)}."
                if places
                else f"Row {v}: no position has id {v}, so it is not read, and its gradient is zero."
            )
        return told

    def _gradient(self, v: int) -> str:
        """What a row of the gradient is, if its id occurs; a sum is spelled out."""
        places = self.numbers.positions(v)
        if len(places) == 1:
            return f"{v} of dW is {_rows(places)} of G"
        addends = " + ".join([_vector(self.numbers.upstream[n]) for n in places])
        return f"{v} of dW is the sum of {_rows(places)} of G: {addends} = {_vector(self.numbers.gradient[v])}"

    def tokens(self) -> str:
        """A button for each position."""
        return "\n".join(
            [
                f'<button type="button" class="token {self.row_classes[id_]}" data-n="{n}" data-say="n{n}" '
                f'aria-pressed="false"><b>id {id_}</b> <span>position {n}</span></button>'
                for n, id_ in enumerate(self.ids)
            ]
        )

    def table(self, name: str, what: str, array: Array, one_hot: bool = False) -> str:
        """A matrix with a row for each row of the table."""
        rows = []
        for v, cells in enumerate(array):
            places = " ".join(map(str, self.numbers.positions(v)))
            # Of X.T a row has the entries of several positions: each lights up by itself.
            belongs = f'data-lights="{places}"' if one_hot else f'data-n="{places}"'
            rows.append(
                f'<tr class="{self.row_classes[v]}" data-say="v{v}" {belongs}><th scope="row"><i>row </i>{v}</th>'
                f"{self._cells(cells, [*range(len(self.ids))] if one_hot else None)}</tr>"
            )
        return _matrix(name, what, rows, one_hot)

    def at(self, name: str, what: str, array: Array, one_hot: bool = False) -> str:
        """A matrix with a row for each position."""
        rows = [
            f'<tr class="{self.row_classes[id_]}" data-say="n{n}" data-n="{n}"><th scope="row"><i>id </i>{id_}</th>'
            f"{self._cells(array[n], [n] * len(self.vocab) if one_hot else None)}</tr>"
            for n, id_ in enumerate(self.ids)
        ]
        return _matrix(name, what, rows, one_hot)

    def _cells(self, numbers: Array, positions: list[int] | None) -> str:
        """The cells of a row; in a one-hot matrix, those with a 1 belong to `positions`."""
        if positions is None:
            return "".join([f"<td>{numeral(number)}</td>" for number in numbers])
        return "".join(
            [
                f'<td class="one" data-n="{n}" data-say="n{n}">1</td>' if number else "<td>0</td>"
                for number, n in zip(numbers, positions, strict=True)
            ]
        )

    def curves(self, ends: list[tuple[int, int]], label: str) -> str:
        """Arrows from rows on the left to rows on the right, one for each position."""
        height = _ROW * max(len(self.ids), len(self.vocab))
        paths: list[str] = []
        for n, (start, end) in enumerate(ends):
            y, to = (start + 0.5) * _ROW, (end + 0.5) * _ROW
            line = f'<path d="M3 {y:g}C20 {y:g} 20 {to:g} 36 {to:g}"/>'
            head = f'<path class="head" d="M35 {to - 5:g}l10 5l-10 5z"/>'
            paths.append(f'<g class="{self.row_classes[self.ids[n]]}" data-n="{n}" data-say="n{n}">{line}{head}</g>')
        arrivals = [end for _, end in ends]
        pluses = [
            f'<g class="plus"><circle cx="32" cy="{(end + 0.5) * _ROW:g}" r="7"/>'
            f'<path d="M28 {(end + 0.5) * _ROW:g}h8m-4 -4v8"/></g>'
            for end in sorted(set(arrivals))
            if arrivals.count(end) > 1
        ]
        size = f"width:{_WIDE / 16:g}rem;height:{height / 16:g}rem"
        return (
            f'<svg class="curves" viewBox="0 0 {_WIDE} {height}" style="{size}" role="img" aria-label="{label}">'
            f"{''.join(paths + pluses)}</svg>"
        )


def _matrix(name: str, what: str, rows: list[str], one_hot: bool) -> str:
    body = "\n".join(rows)
    kind = "matrix one-hot" if one_hot else "matrix"
    return f'<table class="{kind}"><caption><b>{name}</b> {what}</caption>\n<tbody>\n{body}\n</tbody></table>\n'


def _term(sign: str, name: str, matrix: str) -> str:
    """A matrix behind its sign."""
    return f'<div class="term"><span class="sign" role="img" aria-label="{name}">{sign}</span>\n{matrix}</div>\n'


def _vector(row: Array) -> str:
    return f"[{', '.join([numeral(number) for number in row])}]"


def _rows(places: list[int]) -> str:
    """The rows as a sentence names them: row 1, or rows 1, 2 and 3."""
    *before, last = map(str, places)
    return f"rows {', '.join(before)} and {last}" if before else f"row {last}"


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
        yield f".dash{k} {{ --dash: {' '.join([f'{_STROKE * length:g}' for length in dash]) or 'none'}; }}"


def _equal(lookup: Array, product: Array) -> str:
    """Whether both ways gave the same numbers."""
    if np.array_equal(lookup, product):
        return "Compared, number by number: both ways give exactly the same."
    return f"Both ways round sums in orders of their own: the largest difference is {abs(lookup - product).max():g}."
