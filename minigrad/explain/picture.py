"""One picture of an embedding: rows picked, one-hot vectors times the table, and upstream rows adding up.

Below it the page that `python -m minigrad --html FILE` writes: both ways side by side, one file without network, fonts
or pictures from elsewhere.  Choose a token, by mouse, finger or keyboard, and everything that belongs to it lights up,
forward and backward.  Type other ids, and the page computes them by itself: `page.js`, whose numbers the tests compare
with those of `pair`.
"""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np

from minigrad import autograd
from minigrad.core.dtypes import Array
from minigrad.explain.graph import Graph, graph
from minigrad.explain.story import backward
from minigrad.nn import Embedding, Linear, Module, functional
from minigrad.tensor import Tensor
from minigrad.tensors.creation import arange, as_tensor, tensor

#: The largest tables that can be read at a glance.
MOST_ROWS, MOST_COLUMNS = 16, 8


@dataclass(frozen=True)
class Pair:
    """Both ways, for N ids in a row and a table of shape `(V, D)`: each result as its own way computes it."""

    ids: list[int]
    table: Array
    upstream: Array
    one_hot: Array
    #: Of the lookup: the output, `(N, D)`, and the gradient of the table, `(V, D)`.
    rows: Array
    gradient: Array
    #: The same of the product.
    product: Array
    product_gradient: Array


def pair(ids: object, weight: object, upstream: object = None) -> Pair:
    """Compute both ways: for ids of any shape `(*)`, a table `(V, D)` and the gradient of the output, `(*, D)`.

    The table may be an `Embedding`; of integers, it counts as one of floating-point numbers.  Without `upstream` its
    numbers are 1, 2, 3, and so on.
    """
    table = getattr(weight, "weight", None) if isinstance(weight, Module) else weight
    if isinstance(ids, Module) or isinstance(weight, Linear) or table is None:
        told = f"expected ids, and a table (V, D) or an Embedding, got {type(ids).__name__} and {type(weight).__name__}"
        raise TypeError(f"{told}: of a model give its Embedding, of a Linear weight.T")
    given = [as_tensor(x).detach() for x in (ids, table)]
    wanted = (*given[0].shape, *given[1].shape[-1:])
    given.append(arange(1.0, math.prod(wanted) + 1).reshape(wanted) if upstream is None else as_tensor(upstream))
    flat, table = given[0].reshape(-1), given[1] if given[1].is_floating_point() else given[1].float()
    shapes = [tuple(x.shape) for x in given]
    if table.ndim != 2 or shapes[2] != (*shapes[0], table.shape[1]) or 0 in shapes[2] + shapes[1]:
        expected = "ids of any shape (*), a table of shape (V, D) and an upstream gradient of shape (*, D), none empty"
        raise ValueError(f"expected {expected}, got {shapes[0]}, {shapes[1]} and {shapes[2]}")
    g = given[2].reshape(len(flat), table.shape[1])
    looked_up = _both(lambda w: functional.embedding(flat, w), table, g)
    one_hot = functional.one_hot(flat.long(), len(table)).to(table.dtype)
    multiplied = _both(lambda w: one_hot @ w, table, g)
    arrays: list[Array] = [np.array(x.detach().numpy()) for x in (table, g, one_hot, *looked_up, *multiplied)]
    return Pair(flat.tolist(), *arrays)


def _both(compute: Callable[[Tensor], Tensor], table: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """`compute(table)`, and the gradient of the table."""
    leaf = table.clone().requires_grad_()
    out = compute(leaf)
    (gradient,) = autograd.grad(out, leaf, g.to(table.dtype))
    return out, gradient


def numeral(number: float) -> str:
    """A number as a cell shows it: two digits after the point, none for a whole number, and no sign for a zero.

    So that cells stay small and only 0 looks like 0, of very large and very small numbers there are two digits in all.

    >>> [numeral(x) for x in (2.0, -0.5, -0.0, 0.00123, -1e-9, 1.25e30)]
    ['2', '-0.50', '0', '0.0012', '-1e-9', '1.2e30']
    """
    if 0 < abs(number) < 0.005 or 1e6 <= abs(number) < np.inf:
        digits, e, exponent = f"{number:.2g}".partition("e")
        return f"{digits}e{int(exponent)}" if e else digits
    return f"{number:z.0f}" if float(number).is_integer() else f"{number:z.2f}"


#: Found by a search: on its ground each stands out as WCAG 2.2 asks of graphics (3 to 1), and any two differ for the
#: colour-blind, too.  The first six are for a light ground, the others for a dark one.
COLOURS = ("#1d4590", "#8f3a00", "#0f8274", "#e637ab", "#b08200", "#158cf0")
DARK = ("#2f74f5", "#ff5a1f", "#25ecb8", "#bf4aa6", "#f4c430", "#86b4f5")
#: The lengths of strokes and gaps in turn, of lines of width 2: they are told apart without colour, too.
DASHES = ("none", "10 4", "3 3", "14 4 3 4", "6 6", "14 4 3 4 3 4")


def looks(ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each id the places of its colour and its dash; no two of up to 36 ids have both in common.

    >>> looks([7, 2, 7])
    {2: (0, 0), 7: (1, 1)}
    """
    return {id_: (k % len(COLOURS), (k + k // len(COLOURS)) % len(DASHES)) for k, id_ in enumerate(sorted(set(ids)))}


# ---- drawn -----------------------------------------------------------------------------------------------------------

_GREY, _INK, _FAINT = "#b8bcc2", "#1b1f24", "#5c636b"
#: In points, how high a row is, and how wide a column of one-hot vectors, labels, arrows, a sign and a title are.
_ROW, _LABELS, _ARROWS, _SIGN, _TITLE = 22, 40, 84, 32, 276
_STYLE = f"""<style>
.lookup text {{ font: 9px sans-serif; text-anchor: middle; fill: {_INK} }}
.lookup rect {{ stroke: {_GREY}; stroke-width: 0.7 }}
/* In the dark light and dark change places, and hues stay. */
@media (prefers-color-scheme: dark) {{ .lookup > g {{ filter: invert(0.9) hue-rotate(180deg) }} }}
</style>"""


@dataclass(frozen=True)
class Picture:
    """A picture: `save` writes it, a notebook shows it."""

    svg: str
    #: What it shows, for those who do not see it.
    description: str

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, whose name ends in .svg."""
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(f"expected a name that ends in .svg, got {path}: a browser that shows it prints it as PDF")
        Path(path).write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"Picture: {self.description.partition('. ')[0]}; .save('lookup.svg')"

    def _repr_svg_(self) -> str:
        """The picture as a notebook shows it."""
        return self.svg


def lookup(ids: object, weight: object, upstream: object = None) -> Picture:
    """Draw a lookup beside the product with one-hot vectors, forward and backward; equal ids have one colour.

    `ids` of shape `(*)`, the table `weight` of shape `(V, D)`, or an `Embedding`, and the gradient `upstream` of the
    output, `(*, D)`, 1, 2, 3 and so on if not given, are tensors, arrays or lists.  Up to 16 ids, 16 rows and 8
    columns; a ValueError for more.

    >>> from minigrad import explain
    >>> explain.lookup([2, 0, 2], [[0.5], [1.0], [2.0]])
    Picture: Lookup of ids 2, 0, 2 in a table of 3 rows; .save('lookup.svg')
    """
    numbers = pair(ids, weight, upstream)
    (vocab, dim), count = numbers.table.shape, len(numbers.ids)
    if max(vocab, count) > MOST_ROWS or dim > MOST_COLUMNS:
        expected = f"expected up to {MOST_ROWS} ids and rows of up to {MOST_COLUMNS} numbers to draw"
        remedy = "take a part, as in lookup(ids[:4], weight[:8, :3], upstream[:4, :3])"
        raise ValueError(f"{expected}, got {count} ids and a table of shape {(vocab, dim)}: {remedy}")
    told = description(numbers)
    return Picture(_Drawing(numbers).svg(told), told)


def description(numbers: Pair) -> str:
    """The picture in words."""

    def listed(word: str, numbers: Collection[int]) -> str:
        return f"{word}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"

    ids, vocab = numbers.ids, range(len(numbers.table))
    told = [f"Lookup of {listed('id', ids)} in a table of {len(vocab)} row{'s' * (len(vocab) > 1)}."]
    for id_ in sorted(set(ids)):
        places = [n for n, each in enumerate(ids) if each == id_]
        rows, becomes = listed("row", places), "add up to" if len(places) > 1 else "becomes"
        copied = f"Row {id_} is copied to output {rows}"
        told.append(f"{copied}; upstream {rows} {becomes} row {id_} of the table's gradient.")
    if unused := [v for v in vocab if v not in ids]:
        told.append(f"{listed('Row', unused)}: not looked up, gradient zero.")
    pairs = [(numbers.rows, numbers.product), (numbers.gradient, numbers.product_gradient)]
    equal = all([np.array_equal(looked_up, multiplied) for looked_up, multiplied in pairs])
    but = "" if equal else ", but for rounding, and where 0 is multiplied by a number that is not finite"
    told.append(f"The one-hot matrix X does the same{but}: X @ W picks rows, X.T @ G adds them.")
    return " ".join(told)


class _Matrix(NamedTuple):
    """A matrix to be drawn, whose row k belongs to `ids[k]`, and is called so: as an id, or as a row of the table."""

    ids: list[int]
    rows_are: str
    name: str
    array: Array
    is_one_hot: bool = False


class _Drawing:
    """What is drawn, in points; y grows downwards, and the matrices of a panel begin at `top`."""

    def __init__(self, numbers: Pair) -> None:
        self.elements: list[str] = []
        self.looks = looks(numbers.ids)
        most, dim = max(len(numbers.table), len(numbers.ids)), numbers.table.shape[1]
        shown = [*numbers.table.flat, *numbers.upstream.flat, *numbers.gradient.flat]
        self.cell = 12 + 6 * max([len(numeral(x)) for x in shown])
        self.block = dim * self.cell
        self.product_at = 2 * (_LABELS + self.block) + _ARROWS + 60
        self.width = self.product_at + max(_LABELS + most * _ROW + 2 * (_SIGN + self.block), _TITLE) + 24
        self.height = 2 * most * _ROW + 148

        per_row = partial(_Matrix, [*range(len(numbers.table))], "row")
        per_id = partial(_Matrix, numbers.ids, "id")
        self.top = 63
        table, output = per_row("W, the table", numbers.table), per_id("Y, the output", numbers.rows)
        ends = [(id_, n) for n, id_ in enumerate(numbers.ids)]
        self._rows("Forward: look rows up", "Y[n] = W[ids[n]]", table, output, ends)
        factors = per_id("X, one-hot", numbers.one_hot, True), per_row("W", numbers.table)
        self._product("Y = X @ W, X = one_hot(ids)", *factors, per_id("Y", numbers.product))
        self.top += most * _ROW + 72
        upstream, gradient = per_id("G, upstream", numbers.upstream), per_row("dW, gradient of W", numbers.gradient)
        ends = [*enumerate(numbers.ids)]
        self._rows("Backward: add rows up", "dW[ids[n]] += G[n]", upstream, gradient, ends)
        factors = per_row("X.T", numbers.one_hot.T, True), per_id("G", numbers.upstream)
        self._product("dW = X.T @ G", *factors, per_row("dW", numbers.product_gradient))

    def svg(self, told: str) -> str:
        """The picture, with a title and a description that a screen reader reads."""
        # In a notebook that is exported, a wider picture would be cut off.
        size = f'viewBox="-12 0 {self.width} {self.height}" width="{min(self.width, 680)}pt"'
        look = f'class="lookup" style="max-width: 100%; height: auto" {size} xmlns="http://www.w3.org/2000/svg"'
        words = f"<title>A lookup, and a product with one-hot vectors</title><desc>{html.escape(told)}</desc>"
        ground = f'<path d="M-12 0h{self.width}v{self.height}h-{self.width}z" fill="white"/>'
        return "\n".join([f'<svg role="img" {look}>', words + _STYLE, f"<g>{ground}", *self.elements, "</g></svg>", ""])

    def _rows(self, title: str, formula: str, left: _Matrix, right: _Matrix, ends: list[tuple[int, int]]) -> None:
        """Two matrices, arrows from rows of one to rows of the other, and a plus where several arrive."""
        self._title(0, title, formula)
        x = _LABELS + self.block
        to_x = x + _ARROWS
        self._matrix(_LABELS, left, "end")
        self._matrix(to_x, right, "start")
        arrivals = [end for _, end in ends]
        for start, end in ends:
            y, to_y = self._middle(start), self._middle(end)
            colour, dash = self.looks[left.ids[start]]
            line = f'fill="none" stroke="{COLOURS[colour]}" stroke-width="2" stroke-dasharray="{DASHES[dash]}"'
            self.elements.append(f'<path d="M{x + 2} {y}C{x + 38} {y} {to_x - 44} {to_y} {to_x - 8} {to_y}" {line}/>')
            self.elements.append(f'<path d="M{to_x - 2} {to_y}l-9 -4v8z" fill="{COLOURS[colour]}"/>')
        for y in [self._middle(end) for end in sorted(set(arrivals)) if arrivals.count(end) > 1]:
            self.elements.append(f'<circle cx="{to_x - 11}" cy="{y}" r="8" fill="white" stroke="{_INK}"/>')
            self._text(to_x - 11, y, "+", "font: bold 12px sans-serif")

    def _product(self, formula: str, first: _Matrix, second: _Matrix, result: _Matrix) -> None:
        """Two matrices and their product, with signs between them."""
        self._title(self.product_at, "… or multiply by one-hot vectors", formula)
        x = self.product_at + _LABELS
        self._matrix(x, first, "end")
        x += first.array.shape[1] * _ROW
        middle = self.top + _ROW * min([len(each.array) for each in (first, second, result)]) // 2
        for sign, matrix in (("@", second), ("=", result)):
            self._text(x + _SIGN // 2, middle, sign, "font-size: 13px")
            self._matrix(x + _SIGN, matrix)
            x += _SIGN + self.block

    def _matrix(self, x: int, matrix: _Matrix, labels: str = "") -> None:
        """A matrix, and what its rows are called, if the `labels` end at its left or start at its right."""
        one_hot, array = matrix.is_one_hot, matrix.array
        width = _ROW if one_hot else self.cell
        self._text(x + width * array.shape[1] / 2, self.top - 8, matrix.name)
        for k, (id_, row) in enumerate(zip(matrix.ids, array, strict=True)):
            y, colour = self._middle(k), COLOURS[self.looks[id_][0]] if id_ in self.looks else None
            if labels:
                side = x - 4 if labels == "end" else x + self.block + 4
                self._text(side, y, f"{matrix.rows_are} {id_}", f"text-anchor: {labels}")
            for left, number in zip(itertools.count(x, width), row, strict=False):
                is_lit = colour and (number != 0 or not one_hot)
                fill = f'fill="{colour}" fill-opacity="{0.38 if one_hot else 0.22}"' if is_lit else 'fill="none"'
                self.elements.append(f'<rect x="{left}" y="{y - _ROW // 2}" width="{width}" height="{_ROW}" {fill}/>')
                is_faint = number == 0 and (one_hot or not colour)
                look = f"fill: {_FAINT}" if is_faint else "font-weight: bold" if one_hot and is_lit else ""
                self._text(left + width / 2, y, numeral(number), look)

    def _title(self, x: int, title: str, formula: str) -> None:
        self._text(x, self.top - 45, title, "font: bold 12.5px sans-serif; text-anchor: start")
        self._text(x, self.top - 28, formula, "font: 10.5px monospace; text-anchor: start")

    def _middle(self, row: int) -> int:
        return self.top + _ROW * row + _ROW // 2

    def _text(self, x: float, y: float, text: str, style: str = "") -> None:
        """A text in the middle of this height."""
        self.elements.append(f'<text x="{x:g}" y="{y + 3.5:g}" style="{style}">{html.escape(text)}</text>')


# ---- the page --------------------------------------------------------------------------------------------------------

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
    story = backward(loss, names=names, max_values=MOST_ROWS * MOST_COLUMNS)
    words = WORDS[: len(weight)]
    styles = [f".k{k} {{ --k: var(--k{k}); }}\n.dash{k} {{ --dash: {dash}; }}" for k, dash in enumerate(DASHES)]
    frame, script = [Path(__file__).with_name(f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "js")]
    return Template(frame).substitute(
        light=" ".join([f"--k{k}: {colour};" for k, colour in enumerate(COLOURS)]),
        dark=" ".join([f"--k{k}: {colour};" for k, colour in enumerate(DARK)]),
        looks="\n".join(styles),
        note=html.escape(note),
        text=html.escape(text),
        known=" · ".join([f"{v}&nbsp;{word}" for v, word in enumerate(words)]),
        table=json.dumps(weight.tolist()),
        words=json.dumps(words),
        most=MOST_IDS,
        script=script,
        ids=ids,
        graph=_chain(graph(loss, names=names)),
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
