"""The printed form of a tensor is PyTorch's, character for character.

Four steps make it, each a function of its arguments alone: choose the elements to show (`_shown`), write
all of them in one notation (`_numerals`), set them in brackets and lines (`_layout`), and append what the
elements do not tell, such as the dtype (`_facts`, `_append`).  Source: the behaviour of PyTorch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array


class _Options(NamedTuple):
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {"default": _Options(), "short": _Options(precision=2, edgeitems=2), "full": _Options(threshold=math.inf)}
_options = _PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """From now on tensors print with these options; what is None keeps its value, but for `sci_mode`.

    - `precision`: digits after the decimal point.
    - `threshold`: the most elements that print in full; a larger tensor prints its edges only.
    - `edgeitems`: how many elements such an edge has, at either end of each dimension.
    - `linewidth`: the characters that a line should not exceed.
    - `profile`: "default" (4, 1000, 3, 80), "short" (2, 1000, 2, 80) or "full" (4, inf, 3, 80) sets these
      four together, before the others are applied; an unknown profile sets nothing.
    - `sci_mode`: whether floats print in scientific notation; None lets each tensor decide by its
      elements, and, unlike the others, every call that does not name it sets it to None.

    >>> import minigrad as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([0.125, 2.0])
    tensor([0.12, 2.00])
    >>> torch.set_printoptions(profile="default")
    """
    global _options
    base = _options if profile is None else _PROFILES.get(profile, _options)
    named: dict[str, Any] = {"threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in named.items():
        if value is not None and not isinstance(value, (SupportsIndex, float)):
            raise TypeError(f"{name} has to be a number, not {value!r}")
    if precision is not None and not (isinstance(precision, SupportsIndex) and index(precision) >= 0):
        raise ValueError(f"precision has to be a whole number, not {precision!r}")
    named["precision"] = precision
    _options = base._replace(**{key: each for key, each in named.items() if each is not None}, sci_mode=sci_mode)


# What opens the text; the lines below the first are indented by its length.
_OPENING = "tensor("


def history(x: Any) -> list[str]:
    """How the tensor was made, or that it requires a gradient, as its text ends."""
    if x.grad_fn is not None:
        return [f"grad_fn=<{x.grad_fn.short_name()}>"]
    return ["requires_grad=True"] if x.requires_grad else []


def tensor_text(array: Array, history: Sequence[str] = ()) -> str:
    """The text is what `repr` gives for a PyTorch tensor of the same elements, dtype and `history`.

    `array` has any shape; only the elements that are shown are read.

    >>> print(tensor_text(np.eye(2), ["requires_grad=True"]))
    tensor([[1., 0.],
            [0., 1.]], dtype=torch.float64, requires_grad=True)
    >>> print(tensor_text(np.arange(2000)))
    tensor([   0,    1,    2,  ..., 1997, 1998, 1999])
    """
    options, indent = _options, len(_OPENING)
    facts = [*_facts(array, options), *history]
    return _append(_OPENING + _elements(array, indent, options), facts, indent, options.linewidth) + ")"


def elements_text(array: Array) -> str:
    """The elements of `array` in their brackets, as they are printed in a tensor.

    >>> print(elements_text(np.eye(2)))
    [[1., 0.],
     [0., 1.]]
    """
    return _elements(array, 0, _options)


def sparse_text(indices: Array, values: Array, shape: tuple[int, ...], history: Sequence[str] = ()) -> str:
    """The text is what `repr` gives for a sparse PyTorch tensor with `values[n]` at the place `indices[:, n]`.

    >>> print(sparse_text(np.array([[2, 0]]), np.float32([[1.5], [2.5]]), (3, 1)))
    tensor(indices=tensor([[2, 0]]),
           values=tensor([[1.5000],
                          [2.5000]]),
           size=(3, 1), nnz=2, layout=torch.sparse_coo)
    """
    options, indent = _options, len(_OPENING)
    parts: list[str] = []
    for name, array in (("indices", indices), ("values", values)):
        opening = f"{name}=tensor("
        size = "" if array.size else f", size={array.shape}"
        parts.append(opening + _elements(array, indent + len(opening), options) + size + ")")
    facts = [f"size={shape}", f"nnz={len(values)}"]
    if dtypes.of(values) not in (dtypes.get_default_dtype(), dtypes.int64, dtypes.bool_):
        facts.append(f"dtype={dtypes.of(values)}")
    facts += ["layout=torch.sparse_coo", *history]
    text = _OPENING + (",\n" + " " * indent).join(parts)
    return _append(text, facts, indent, options.linewidth, column=options.linewidth) + ")"


def _elements(array: Array, indent: int, options: _Options) -> str:
    """The elements in their brackets, as they stand after a prefix of `indent` characters."""
    shown = _shown(array, options)
    if shown.size == 0:
        return "[...]" if array.size else "[]"
    texts, width = _numerals(shown.ravel().tolist(), options)
    # A row opens behind the brackets of the outer dimensions; each number has a comma and a space.
    columns = options.linewidth - indent - (array.ndim - 1)
    per_line = max(1, columns // (width + len(", ")))
    return _layout(texts, shown.shape, array.shape, per_line, indent)


def _shown(array: Array, options: _Options) -> Array:
    """The array itself, or beyond the threshold its first and last `edgeitems` along every long dimension."""
    if array.size <= options.threshold:
        return array
    edge = options.edgeitems
    kept = [[*range(edge), *range(n - edge, n)] if n > 2 * edge else [*range(n)] for n in array.shape]
    return array[np.ix_(*kept)]


def _numerals(values: list[Any], options: _Options) -> tuple[list[str], int]:
    """The text of each value, all in one notation and flush right, and the width of a column.

    `values` is not empty.  Zeros, infinities and nans have no say in the notation of floats nor in the
    width, so `-0.` and `nan` can stand out of their column.
    """
    if not isinstance(values[0], float):
        texts = [str(value) for value in values]
        width = max(map(len, texts))
    else:
        decisive = [value for value in values if value and math.isfinite(value)]
        spec, point = _notation(decisive, options)
        texts = [format(value, spec) + (point if math.isfinite(value) else "") for value in values]
        width = max((len(format(value, spec) + point) for value in decisive), default=1)
    return [text.rjust(width) for text in texts], width


def _notation(values: list[float], options: _Options) -> tuple[str, str]:
    """The format for nonzero finite floats, and what follows each: a point where all are integers.

    Unless `sci_mode` decides, floats are written in scientific notation where the others would be too long
    or lose too many digits.  Python's floats are doubles: the limits are compared in float64 whatever the
    dtype, and no float16 overflows on the way.
    """
    if not values:
        return ".0f", "."
    scientific = options.sci_mode
    if scientific is None:
        magnitudes = [abs(value) for value in values]
        least, greatest = min(magnitudes), max(magnitudes)
        scientific = greatest / least > 1000 or greatest > 1e8 or least < 1e-4
    if scientific:
        return f".{options.precision}e", ""
    if all(value.is_integer() for value in values):
        return ".0f", "."
    return f".{options.precision}f", ""


def _layout(texts: list[str], shown: tuple[int, ...], full: tuple[int, ...], per_line: int, indent: int) -> str:
    """The texts of an array of shape `shown` in nested brackets, dots where the shape `full` has more.

    The last dimension runs along the lines, `per_line` texts on each.  The dimensions before it are set
    apart by one newline, by two, and so on outwards.
    """
    ndim = len(shown)
    for axis in reversed(range(ndim)):
        along_lines = axis == ndim - 1
        groups = _chunks(texts, shown[axis])
        if shown[axis] < full[axis]:
            dots, middle = " ..." if along_lines else "...", shown[axis] // 2
            groups = [[*group[:middle], dots, *group[middle:]] for group in groups]
        if along_lines:
            groups = [[", ".join(line) for line in _chunks(group, per_line)] for group in groups]
        newlines = "\n" * max(1, ndim - 1 - axis)
        separator = "," + newlines + " " * (indent + axis + 1)
        texts = [f"[{separator.join(group)}]" for group in groups]
    return texts[0]


def _chunks(items: list[str], size: int) -> list[list[str]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _facts(array: Array, options: _Options) -> list[str]:
    """What a reader cannot see from the elements, in the order in which it is printed."""
    facts: list[str] = []
    # Brackets tell the shape, but not that of (2, 0) nor what `edgeitems=0` leaves out.
    shape_is_hidden = options.edgeitems == 0 if array.size else array.ndim != 1
    if shape_is_hidden:
        facts.append(f"size={array.shape}")
    # Elements written as 3 or True are int64 or bool; where there are none, even those need their name.
    evident = [dtypes.get_default_dtype()]
    if array.size:
        evident += [dtypes.int64, dtypes.bool_]
    if dtypes.of(array) not in evident:
        facts.append(f"dtype={dtypes.of(array)}")
    return facts


def _append(text: str, facts: list[str], indent: int, linewidth: int, column: int | None = None) -> str:
    """The text with each fact behind a comma: on the same line if it fits, else indented on the next.

    Its last line counts as `column` characters; without that, as two more than it is, as in PyTorch.
    """
    if column is None:
        column = len(text) - (text.rfind("\n") + 1) + 2
    for fact in facts:
        if column + len(", ") + len(fact) > linewidth:
            text += ",\n" + " " * indent + fact
            column = indent + len(fact)
        else:
            text += ", " + fact
            column += len(", ") + len(fact)
    return text
