"""One picture of an embedding: rows picked, one-hot vectors times the table, and upstream rows adding up."""

from __future__ import annotations

import html
import importlib
import io
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minigrad import autograd
from minigrad.core.dtypes import Array
from minigrad.nn import Module, functional
from minigrad.tensor import Tensor
from minigrad.tensors.creation import arange, tensor

#: What still can be taken in at a glance.
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

    def positions(self, id_: int) -> list[int]:
        """Where the id stands."""
        return [n for n, each in enumerate(self.ids) if each == id_]


def pair(ids: object, weight: object, upstream: object = None) -> Pair:
    """Compute both ways: for ids of any shape `(*)`, a table `(V, D)` and the gradient of the output, `(*, D)`.

    The table may be an `Embedding`; of integers, it counts as one of floating-point numbers.  Without `upstream` its
    numbers are 1, 2, 3, and so on.
    """
    weight = weight.weight if isinstance(weight, Module) else weight
    given = [x.detach() if isinstance(x, Tensor) else tensor(x) for x in (ids, weight)]
    wanted = (*given[0].shape, *given[1].shape[-1:])
    counted = arange(1.0, math.prod(wanted) + 1).reshape(wanted) if upstream is None else upstream
    given.append(counted.detach() if isinstance(counted, Tensor) else tensor(counted))
    flat, table = given[0].reshape(-1), given[1] if given[1].is_floating_point() else given[1].float()
    shapes = [tuple(x.shape) for x in given]
    if table.ndim != 2 or shapes[2] != (*shapes[0], table.shape[1]):
        expected = "ids of any shape (*), a table of shape (V, D) and an upstream gradient of shape (*, D)"
        raise ValueError(f"expected {expected}, got {shapes[0]}, {shapes[1]} and {shapes[2]}")
    if not (flat.numel() and table.numel()):
        expected = "at least one id, and a table of at least one row and column"
        raise ValueError(f"expected {expected}, got {shapes[0]} and {shapes[1]}")
    g = given[2].reshape(len(flat), table.shape[1])
    looked_up = _both(lambda w: functional.embedding(flat, w), table, g)
    one_hot = functional.one_hot(flat.long(), len(table)).to(table.dtype)
    multiplied = _both(lambda w: one_hot @ w, table, g)
    arrays: list[Array] = [np.array(x.detach().numpy()) for x in (table, g, one_hot, *looked_up, *multiplied)]
    return Pair(flat.tolist(), *arrays)


def _both(compute: Callable[[Tensor], Tensor], table: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """What `compute` makes of the table, and the gradient of that."""
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
#: The lengths of strokes and gaps in turn, in widths of the line: lines are told apart without colour, too.
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (7, 2, 1.5, 2), (3, 3), (7, 2, 1.5, 2, 1.5, 2))


def looks(ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """For each id the places of its colour and its dash; no two of up to 36 ids have both in common.

    >>> looks([7, 2, 7])
    {2: (0, 0), 7: (1, 1)}
    """
    return {id_: (k % len(COLOURS), (k + k // len(COLOURS)) % len(DASHES)) for k, id_ in enumerate(sorted(set(ids)))}


# ---- drawn ----

_GREY, _INK, _FAINT = "#b8bcc2", "#1b1f24", "#5c636b"
_HEIGHT, _ONE_HOT_WIDTH, _LABEL, _CURVES, _SIGN, _BETWEEN, _PANEL = 0.62, 0.62, 1.1, 2.3, 0.9, 1.7, 7.6


#: In the dark the picture is dark: light and dark change places, and hues stay.
_DARK = "<style>@media (prefers-color-scheme: dark) { .lookup > g { filter: invert(0.9) hue-rotate(180deg) } }</style>"


@dataclass(frozen=True)
class Picture:
    """A picture: `save` writes it, a notebook shows it; `figure` is Matplotlib's."""

    figure: Any
    #: What it shows, for those who do not see it.
    description: str

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, as its name ends: .svg, .png or .pdf; the same picture gives the same SVG each time."""
        if Path(path).suffix.lower() == ".svg":
            Path(path).write_text(self._repr_svg_(), encoding="utf-8")
        else:
            self.figure.savefig(path, dpi=160)

    def _repr_svg_(self) -> str:
        """The picture as a notebook shows it, with a title and a description that a screen reader reads."""
        file = io.StringIO()
        # A salt of our own and no date: else each SVG would have other ids.
        with _matplotlib("").rc_context({"svg.hashsalt": "minigrad"}):
            self.figure.savefig(file, format="svg", metadata={"Date": None, "Description": self.description})
        before, _, rest = file.getvalue().partition("<svg ")
        attributes, _, content = rest.partition(">")
        # In a notebook that is exported, a wider picture would be cut off.
        width = min(72 * self.figure.get_figwidth(), 680)
        attributes = re.sub('width="[^"]*" height="[^"]*"', f'width="{width:g}pt"', attributes)
        words = (
            f"<title>A lookup, and a product with one-hot vectors</title><desc>{html.escape(self.description)}</desc>"
        )
        look = 'role="img" class="lookup" style="max-width: 100%; height: auto"'
        return f"{before}<svg {look} {attributes}>\n{words}{_DARK}{content}"


def lookup(ids: object, weight: object, upstream: object = None) -> Picture:
    """Draw a lookup beside the product with one-hot vectors, forward and backward; equal ids have one colour.

    `ids` of shape `(*)`, the table `weight` of shape `(V, D)`, or an `Embedding`, and the gradient `upstream` of the
    output, `(*, D)`, 1, 2, 3 and so on if not given, are tensors, arrays or lists.  Up to 16 ids, 16 rows and 8
    columns; a ValueError for more.  It needs the extra `pictures`.
    """
    _matplotlib("")
    numbers = pair(ids, weight, upstream)
    (vocab, dim), count = numbers.table.shape, len(numbers.ids)
    if max(vocab, count) > MOST_ROWS or dim > MOST_COLUMNS:
        raise ValueError(
            f"expected up to {MOST_ROWS} ids and rows of up to {MOST_COLUMNS} numbers to draw, got {count} ids and "
            f"a table of shape {(vocab, dim)}: take a part, as in lookup(ids[:4], weight[:8, :3], upstream[:4, :3])"
        )
    return Picture(_Drawing(numbers).figure, description(numbers))


def _matplotlib(module: str) -> Any:
    """A module of Matplotlib, or an ImportError that says how to install it."""
    try:
        return importlib.import_module(f"matplotlib{module}")
    except ImportError as error:
        raise ImportError(
            "explain.lookup(…) needs matplotlib, which is not installed: python -m pip install 'minigrad[pictures]'",
            name="matplotlib",
        ) from error


def description(numbers: Pair) -> str:
    """The picture in words."""
    ids, v = numbers.ids, len(numbers.table)
    told = [f"Lookup of id{'s' * (len(ids) > 1)} {', '.join(map(str, ids))} in a table of {v} row{'s' * (v > 1)}."]
    for id_ in sorted(set(ids)):
        places = numbers.positions(id_)
        rows = f"row{'s' * (len(places) > 1)} {', '.join(map(str, places))}"
        becomes = "add up to" if len(places) > 1 else "becomes"
        told.append(
            f"Row {id_} is copied to output {rows}; upstream {rows} {becomes} row {id_} of the table's gradient."
        )
    unused = [str(v) for v in range(v) if v not in ids]
    if unused:
        told.append(f"Row{'s' * (len(unused) > 1)} {', '.join(unused)}: not looked up, gradient zero.")
    pairs = [(numbers.rows, numbers.product), (numbers.gradient, numbers.product_gradient)]
    equal = all([np.array_equal(looked_up, multiplied) for looked_up, multiplied in pairs])
    but = "" if equal else ", but for rounding, and where 0 is multiplied by a number that is not finite"
    told.append(f"The one-hot matrix X does the same{but}: X @ W picks rows, X.T @ G adds them.")
    return " ".join(told)


class _Matrix(NamedTuple):
    """A matrix to be drawn, whose row k belongs to `ids[k]`, and is called so: as an id, or as a row of the table."""

    name: str
    array: Array
    ids: list[int]
    rows_are: str


class _Drawing:
    """The figure, drawn in units of which a row is 0.62 high; y grows downwards."""

    def __init__(self, numbers: Pair) -> None:
        self.patches, self.paths, figures = [_matplotlib(f".{name}") for name in ("patches", "path", "figure")]
        self.looks = looks(numbers.ids)
        most, dim = max(len(numbers.table), len(numbers.ids)), numbers.table.shape[1]
        shown = [*numbers.table.flat, *numbers.upstream.flat, *numbers.gradient.flat]
        self.cell = 0.17 * max([len(numeral(x)) for x in shown]) + 0.32
        self.block, self.rows = dim * self.cell, most * _HEIGHT
        self.product_at = 2 * (_LABEL + self.block) + _CURVES + _BETWEEN
        width = self.product_at + max(_LABEL + most * _ONE_HOT_WIDTH + 2 * (_SIGN + self.block), _PANEL)
        height, margin = 2 * self.rows + 4.1, 0.35
        self.figure = figures.Figure(figsize=(0.5 * (width + 2 * margin), 0.5 * height), facecolor="white")
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(-margin, width + margin)
        self.axes.set_ylim(height, 0)
        self.axes.set_axis_off()

        def per_row(name: str, array: Array) -> _Matrix:
            return _Matrix(name, array, [*range(len(numbers.table))], "row")

        def per_id(name: str, array: Array) -> _Matrix:
            return _Matrix(name, array, numbers.ids, "id")

        top, n = 1.75, range(len(numbers.ids))
        table, output = per_row("W, the table", numbers.table), per_id("Y, the output", numbers.rows)
        self._rows(top, "Forward: look rows up", "Y[n] = W[ids[n]]", table, output, [*zip(numbers.ids, n, strict=True)])
        factors = per_id("X, one-hot", numbers.one_hot), per_row("W", numbers.table)
        self._product(top, "Y = X @ W,  X = one_hot(ids)", *factors, per_id("Y", numbers.product))

        top += self.rows + 2.0
        upstream = per_id("G, upstream", numbers.upstream)
        gradient = per_row("dW, gradient of W", numbers.gradient)
        self._rows(top, "Backward: add rows up", "dW[ids[n]] += G[n]", upstream, gradient, [*enumerate(numbers.ids)])
        factors = per_row("X.T", numbers.one_hot.T), per_id("G", numbers.upstream)
        self._product(top, "dW = X.T @ G", *factors, per_row("dW", numbers.product_gradient))

    def _rows(
        self, top: float, title: str, formula: str, left: _Matrix, right: _Matrix, ends: list[tuple[int, int]]
    ) -> None:
        """Two matrices, arrows from rows of one to rows of the other, and a plus where several arrive."""
        self._title(0, top, title, formula)
        x, to_x = _LABEL + self.block, _LABEL + self.block + _CURVES
        at, to = self._matrix(_LABEL, top, left), self._matrix(to_x, top, right)
        self._labels(_LABEL - 0.12, at, left, "right")
        self._labels(to_x + self.block + 0.12, to, right, "left")
        for start, end in ends:
            self._arrow((x, to_x), (at[start], to[end]), left.ids[start])
        arrivals = [end for _, end in ends]
        for end in sorted({each for each in arrivals if arrivals.count(each) > 1}):
            circle = {"boxstyle": "circle,pad=0.12", "facecolor": "white", "edgecolor": _INK, "linewidth": 1}
            self._text(to_x - 0.3, to[end], "+", size=12, weight="bold", bbox=circle)

    def _product(self, top: float, formula: str, first: _Matrix, second: _Matrix, result: _Matrix) -> None:
        """Two matrices and their product, with signs between them."""
        x = self.product_at
        self._title(x, top, "… or multiply by one-hot vectors", formula)
        x += _LABEL
        self._labels(x - 0.12, self._matrix(x, top, first), first, "right")
        x += first.array.shape[1] * _ONE_HOT_WIDTH
        least = min(len(each.array) for each in (first, second, result))
        for sign, matrix in (("@", second), ("=", result)):
            self._text(x + _SIGN / 2, top + least * _HEIGHT / 2, sign, size=13)
            self._matrix(x + _SIGN, top, matrix)
            x += _SIGN + self.block

    def _text(self, x: float, y: float, text: str, **style: object) -> None:
        self.axes.text(x, y, text, **{"ha": "center", "va": "center", "size": 9, "color": _INK, **style})

    def _title(self, x: float, top: float, title: str, formula: str) -> None:
        self._text(x, top - 1.25, title, ha="left", size=12.5, weight="bold")
        self._text(x, top - 0.78, formula, ha="left", size=10.5, family="monospace")

    def _labels(self, x: float, middles: list[float], matrix: _Matrix, align: str) -> None:
        for y, id_ in zip(middles, matrix.ids, strict=True):
            self._text(x, y, f"{matrix.rows_are} {id_}", ha=align)

    def _matrix(self, x: float, top: float, matrix: _Matrix) -> list[float]:
        """Draw a matrix; the y of its rows."""
        one_hot, array = matrix.name.startswith("X"), matrix.array
        width = _ONE_HOT_WIDTH if one_hot else self.cell
        middles = [top + (k + 0.5) * _HEIGHT for k in range(len(array))]
        for y, id_, row in zip(middles, matrix.ids, array, strict=True):
            for column, number in enumerate(row):
                lit = id_ in self.looks and (number != 0 or not one_hot)
                face = _tint(COLOURS[self.looks[id_][0]], 0.62 if one_hot else 0.78) if lit else "white"
                left = x + column * width
                style = {"facecolor": face, "edgecolor": _GREY, "linewidth": 0.7}
                self.axes.add_patch(self.patches.Rectangle((left, y - _HEIGHT / 2), width, _HEIGHT, **style))
                faint = number == 0 and (one_hot or id_ not in self.looks)
                weight = "bold" if one_hot and lit else "normal"
                self._text(left + width / 2, y, numeral(number), color=_FAINT if faint else _INK, weight=weight)
        self._text(x + width * array.shape[1] / 2, top - 0.22, matrix.name, size=9.5)
        return middles

    def _arrow(self, ends: tuple[float, float], heights: tuple[float, float], id_: int) -> None:
        (x, to_x), (y, to_y) = ends, heights
        bend = (to_x - x) * 0.45
        points = [(x + 0.06, y), (x + bend, y), (to_x - bend, to_y), (to_x - 0.06, to_y)]
        colour, dash = self.looks[id_]
        line = (0, DASHES[dash]) if DASHES[dash] else "-"
        style = {"arrowstyle": "-|>", "mutation_scale": 11, "linewidth": 2, "color": COLOURS[colour], "linestyle": line}
        self.axes.add_patch(self.patches.FancyArrowPatch(path=self.paths.Path(points, [1, 4, 4, 4]), **style))


def _tint(colour: str, white: float) -> tuple[float, ...]:
    """The colour with that part of white in it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple([part + (1 - part) * white for part in parts])
