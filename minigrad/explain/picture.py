"""One picture of an embedding: rows picked, one-hot vectors times the table, and upstream rows adding up."""

from __future__ import annotations

import io
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.explain.extras import extra, with_words
from minigrad.explain.pair import MOST_COLUMNS, MOST_ROWS, Pair, numeral, pair
from minigrad.explain.palette import COLOURS, DASHES, looks

_GREY, _INK, _FAINT = "#b8bcc2", "#1b1f24", "#5c636b"
_HEIGHT, _ONE_HOT_WIDTH, _LABEL, _CURVES, _SIGN, _BETWEEN, _PANEL = 0.62, 0.62, 1.1, 2.3, 0.9, 1.7, 7.6


@dataclass(frozen=True)
class Picture:
    """A picture: `save` writes it, a notebook shows it; `figure` is Matplotlib's."""

    figure: Any
    #: What it shows, for those who do not see it.
    description: str

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, as its name ends: .svg, .png or .pdf; the same picture gives the same SVG each time."""
        suffix = Path(path).suffix.lower().removeprefix(".")
        if suffix not in ("svg", "png", "pdf"):
            raise ValueError(f"expected a file name that ends in .svg, .png or .pdf, got {str(path)!r}")
        drawn = self._repr_svg_().encode() if suffix == "svg" else self._drawn(suffix)
        Path(path).write_bytes(drawn)

    def _drawn(self, suffix: str) -> bytes:
        matplotlib = extra("matplotlib", "explain.lookup(…)", "pictures")
        file = io.BytesIO()
        # A salt of our own and no date: else each SVG would have other ids.
        with matplotlib.rc_context({"svg.hashsalt": "minigrad"}):
            dates = {"svg": {"Date": None, "Description": self.description}, "pdf": {"CreationDate": None}}
            self.figure.savefig(file, format=suffix, dpi=160, metadata=dates.get(suffix))
        return file.getvalue()

    def _repr_svg_(self) -> str:
        """The picture as a notebook shows it."""
        return with_words(self._drawn("svg").decode(), "A lookup, and a product with one-hot vectors", self.description)


def lookup(ids: Any, weight: Any, upstream: Any) -> Picture:
    """Draw a lookup beside the product with one-hot vectors, forward and backward; equal ids have one colour.

    `ids` of shape `(*)`, the table `weight` of shape `(V, D)` and the gradient `upstream` of the output, `(*, D)`, are
    tensors, arrays or lists.  Up to 16 ids, 16 rows and 8 columns; a ValueError for more.  It needs the extra
    `pictures`.
    """
    extra("matplotlib", "explain.lookup(…)", "pictures")
    numbers = pair(ids, weight, upstream)
    (vocab, dim), count = numbers.table.shape, len(numbers.ids)
    if max(vocab, count) > MOST_ROWS or dim > MOST_COLUMNS:
        raise ValueError(
            f"expected up to {MOST_ROWS} ids and rows of up to {MOST_COLUMNS} numbers to draw, got {count} ids and "
            f"a table of shape {(vocab, dim)}: take a part, as in lookup(ids[:4], weight[:8, :3], upstream[:4, :3])"
        )
    return Picture(_Drawing(numbers).figure, description(numbers))


def description(numbers: Pair) -> str:
    """The picture in words."""
    ids, v = numbers.ids, len(numbers.table)
    told = [f"Lookup of id{'s' * (len(ids) > 1)} {', '.join(map(str, ids))} in a table of {v} row{'s' * (v > 1)}."]
    for id_ in sorted(set(numbers.ids)):
        places = numbers.positions(id_)
        rows, plural = ", ".join(map(str, places)), "s" * (len(places) > 1)
        told.append(
            f"Row {id_} is copied to output row{plural} {rows}; upstream row{plural} {rows} "
            f"{'add up to' if plural else 'becomes'} row {id_} of the table's gradient."
        )
    unused = [str(v) for v in range(len(numbers.table)) if v not in numbers.ids]
    if unused:
        told.append(f"Row{'s' * (len(unused) > 1)} {', '.join(unused)}: not looked up, gradient zero.")
    told.append(f"The one-hot matrix X {_compared(numbers)}: X @ W picks rows, X.T @ G adds them.")
    return " ".join(told)


def _compared(numbers: Pair) -> str:
    """How the results of the product compare to those of the lookup."""
    pairs = [(numbers.rows, numbers.product), (numbers.gradient, numbers.product_gradient)]
    if all([np.array_equal(looked_up, multiplied, equal_nan=True) for looked_up, multiplied in pairs]):
        return "does the same"
    if all([np.array_equal(np.isfinite(looked_up), np.isfinite(multiplied)) for looked_up, multiplied in pairs]):
        return "does the same, but for the rounding of sums"
    return "does the same only where numbers are finite, since it multiplies the others by 0, and 0 * inf is nan"


class _Drawing:
    """The figure, drawn in units of which a row is 0.62 high; y grows downwards."""

    def __init__(self, numbers: Pair) -> None:
        self.numbers = numbers
        self.looks = looks(numbers.ids)
        count, (vocab, dim) = len(numbers.ids), numbers.table.shape
        longest = max(
            [len(numeral(x)) for array in (numbers.table, numbers.upstream, numbers.gradient) for x in array.flat]
        )
        self.cell = 0.17 * longest + 0.32
        block = dim * self.cell
        left = 2 * (_LABEL + block) + _CURVES
        forward = _LABEL + vocab * _ONE_HOT_WIDTH + 2 * (_SIGN + block)
        backward = _LABEL + count * _ONE_HOT_WIDTH + 2 * (_SIGN + block)
        rows = max(vocab, count) * _HEIGHT
        self.width, self.height = left + _BETWEEN + max(forward, backward, _PANEL), 2 * rows + 4.1
        self._start()
        second = 1.75 + rows + 2.0
        for top, draw in ((1.75, self._forward), (second, self._backward)):
            draw(top, rows, left + _BETWEEN, block)

    def _start(self) -> None:
        figure = extra("matplotlib.figure", "explain.lookup(…)", "pictures")
        margin = 0.35
        self.figure = figure.Figure(figsize=(0.5 * (self.width + 2 * margin), 0.5 * self.height), facecolor="white")
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(-margin, self.width + margin)
        self.axes.set_ylim(self.height, 0)
        self.axes.set_axis_off()

    def _forward(self, top: float, rows: float, second: float, block: float) -> None:
        numbers, ids = self.numbers, self.numbers.ids
        vocab, rows_named, ids_named = self._labels()
        self._title(0, top, "Forward: look rows up", "Y[n] = W[ids[n]]")
        ends = _LABEL + block, _LABEL + block + _CURVES
        at = self._matrix(_LABEL, top, rows, numbers.table, [*vocab], "W, the table", rows_named)
        to = self._matrix(ends[1], top, rows, numbers.rows, ids, "Y, the output")
        self._names(ends[1] + block + 0.12, to, ids_named, "left")
        for n, id_ in enumerate(ids):
            self._curve(ends, (at[id_], to[n]), id_)
        self._title(second, top, "… or multiply by one-hot vectors", "Y = X @ W,  X = one_hot(ids)")
        x = second + _LABEL
        self._matrix(x, top, rows, numbers.one_hot, ids, "X, one-hot", ids_named, one_hot=True)
        x = self._sign(x + len(vocab) * _ONE_HOT_WIDTH, top, rows, "@")
        self._matrix(x, top, rows, numbers.table, [*vocab], "W")
        x = self._sign(x + block, top, rows, "=")
        self._matrix(x, top, rows, numbers.product, ids, "Y")

    def _backward(self, top: float, rows: float, second: float, block: float) -> None:
        numbers, ids = self.numbers, self.numbers.ids
        vocab, rows_named, ids_named = self._labels()
        self._title(0, top, "Backward: add rows up", "dW[ids[n]] += G[n]")
        ends = _LABEL + block, _LABEL + block + _CURVES
        at = self._matrix(_LABEL, top, rows, numbers.upstream, ids, "G, upstream gradient", ids_named)
        to = self._matrix(ends[1], top, rows, numbers.gradient, [*vocab], "dW, the table's gradient")
        for n, id_ in enumerate(ids):
            self._curve(ends, (at[n], to[id_]), id_)
        self._names(ends[1] + block + 0.12, to, rows_named, "left")
        for id_ in self.looks:
            if len(numbers.positions(id_)) > 1:
                self._plus(ends[1], to[id_])
        self._title(second, top, "… or multiply by one-hot vectors", "dW = X.T @ G")
        x = second + _LABEL
        self._matrix(x, top, rows, numbers.one_hot.T, [*vocab], "X.T", rows_named, one_hot=True)
        x = self._sign(x + len(ids) * _ONE_HOT_WIDTH, top, rows, "@")
        self._matrix(x, top, rows, numbers.upstream, ids, "G")
        x = self._sign(x + block, top, rows, "=")
        self._matrix(x, top, rows, numbers.product_gradient, [*vocab], "dW")

    def _labels(self) -> tuple[range, list[str], list[str]]:
        """The rows of the table, what they are called, and what the positions are called."""
        vocab = range(len(self.numbers.table))
        return vocab, [f"row {v}" for v in vocab], [f"id {id_}" for id_ in self.numbers.ids]

    def _title(self, x: float, top: float, title: str, formula: str) -> None:
        self.axes.text(x, top - 1.25, title, size=12.5, weight="bold", color=_INK, va="center")
        self.axes.text(x, top - 0.78, formula, size=10.5, color=_INK, va="center", family="monospace")

    def _matrix(
        self,
        x: float,
        top: float,
        rows: float,
        array: Array,
        ids: list[int],
        name: str,
        labels: list[str] | None = None,
        one_hot: bool = False,
    ) -> list[float]:
        """Draw a matrix, in the middle of the height `rows`, whose row k has the colour of `ids[k]`; the rows' y."""
        patches = extra("matplotlib.patches", "explain.lookup(…)", "pictures")
        width = _ONE_HOT_WIDTH if one_hot else self.cell
        first = top + (rows - len(array) * _HEIGHT) / 2
        middles = [first + (k + 0.5) * _HEIGHT for k in range(len(array))]
        for y, id_, row in zip(middles, ids, array, strict=True):
            for column, number in enumerate(row):
                lit = id_ in self.looks and (number != 0 or not one_hot)
                face = _tint(COLOURS[self.looks[id_][0]], 0.62 if one_hot else 0.78) if lit else "white"
                corner = x + column * width, y - _HEIGHT / 2
                box = patches.Rectangle(corner, width, _HEIGHT, facecolor=face, edgecolor=_GREY, linewidth=0.7)
                self.axes.add_patch(box)
                faint = number == 0 and (one_hot or id_ not in self.looks)
                self.axes.text(
                    corner[0] + width / 2,
                    y,
                    numeral(number),
                    ha="center",
                    va="center",
                    size=9,
                    color=_FAINT if faint else _INK,
                    weight="bold" if one_hot and lit else "normal",
                )
        self.axes.text(
            x + width * array.shape[1] / 2, first - 0.22, name, ha="center", va="center", size=9.5, color=_INK
        )
        self._names(x - 0.12, middles, labels or [], "right")
        return middles

    def _names(self, x: float, middles: list[float], labels: list[str], align: str) -> None:
        for y, label in zip(middles, labels, strict=False):
            self.axes.text(x, y, label, ha=align, va="center", size=9, color=_INK)

    def _sign(self, x: float, top: float, rows: float, sign: str) -> float:
        self.axes.text(x + _SIGN / 2, top + rows / 2, sign, ha="center", va="center", size=13, color=_INK)
        return x + _SIGN

    def _plus(self, x: float, y: float) -> None:
        """A plus where curves meet."""
        self.axes.text(
            x - 0.3,
            y,
            "+",
            ha="center",
            va="center",
            size=12,
            weight="bold",
            color=_INK,
            bbox={"boxstyle": "circle,pad=0.12", "facecolor": "white", "edgecolor": _INK, "linewidth": 1},
        )

    def _curve(self, ends: tuple[float, float], heights: tuple[float, float], id_: int) -> None:
        """An arrow from a row to a row."""
        patches = extra("matplotlib.patches", "explain.lookup(…)", "pictures")
        paths = extra("matplotlib.path", "explain.lookup(…)", "pictures")
        (x, to_x), (y, to_y) = ends, heights
        bend = (to_x - x) * 0.45
        path = paths.Path([(x + 0.06, y), (x + bend, y), (to_x - bend, to_y), (to_x - 0.06, to_y)], [1, 4, 4, 4])
        colour, dash = self.looks[id_]
        arrow = patches.FancyArrowPatch(
            path=path,
            arrowstyle="-|>",
            mutation_scale=11,
            linewidth=2,
            color=COLOURS[colour],
            linestyle=(0, DASHES[dash]) if DASHES[dash] else "-",
        )
        self.axes.add_patch(arrow)


def _tint(colour: str, white: float) -> tuple[float, ...]:
    """The colour with that part of white in it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple([part + (1 - part) * white for part in parts])
