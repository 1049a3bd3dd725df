"""`torch.testing`: whether what a program computed is what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import minigrad as torch
from minigrad.tensors.errors import advised

__all__ = ["assert_close"]

globals().update(advised(__name__, __all__))

#: The relative and absolute tolerance of numbers of a dtype; those of the others have to be equal.
_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(
    actual: object,
    expected: object,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError unless `|actual - expected| <= atol + rtol * |expected|` for each element.

    Both are tensors, NumPy arrays, numbers or None, or sequences and mappings of these, which may be nested; shapes,
    dtypes and layouts must be equal, too.  Without `rtol` and `atol`, which go together, tolerances are those of the
    dtypes: 1.3e-6 and 1e-5 for float32, 1e-7 and 1e-7 for float64, 1e-3 and 1e-5 for float16, 1.6e-2 and 1e-5 for
    bfloat16, 0 for the others.  `msg` is the error's text, or a function that makes it of the usual one.

    >>> import minigrad as torch
    >>> torch.testing.assert_close(torch.tensor([0.1, 0.2]).sum(), torch.tensor(0.3))
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    Traceback (most recent call last):
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
    """
    __tracebackhide__ = True
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    for a, b, where in list(_pairs(actual, expected, "")):
        x, y = [torch.as_tensor(each, dtype=torch.float64 if isinstance(each, float) else None) for each in (a, b)]
        both = [_TOLERANCES.get(each.dtype._name, (0.0, 0.0)) for each in (x, y)]
        tolerances = max(both) if rtol is None or atol is None else (rtol, atol)
        told = _unlike(x, y, check_dtype) or _apart(x, y, *tolerances, equal_nan)
        if told:
            raise AssertionError(msg if isinstance(msg, str) else (msg or str)(told + where))


def _pairs(actual: Any, expected: Any, where: str) -> Iterator[tuple[Any, Any, str]]:
    """What is to be compared, and, for items of sequences and mappings, the words that say which one it is."""
    pair = (actual, expected)
    if all([isinstance(each, Sequence) and not isinstance(each, str) for each in pair]):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{where}")
        keys: Sequence[Any] = range(len(actual))
    elif all([isinstance(each, Mapping) for each in pair]):
        if actual.keys() != expected.keys():
            raise AssertionError(f"The keys of the mappings do not match: {[*actual]} and {[*expected]}{where}")
        keys = sorted(actual, key=str)
    elif actual is None or expected is None:
        if actual is not expected:
            raise AssertionError(f"None mismatch: {actual} is not {expected}{where}")
        return
    else:
        kinds: list[Any] = [torch.Tensor, np.ndarray, (int, float, np.generic)]
        if not any([isinstance(actual, kind) and isinstance(expected, kind) for kind in kinds]):
            found = f"{type(actual)} and {type(expected)}"
            raise TypeError(f"No comparison pair was able to handle inputs of type {found}.{where}")
        yield actual, expected, where
        return
    for key in keys:
        item = f"{where or f'{chr(10) * 2}The failure occurred for item '}[{key!r}]"
        yield from _pairs(actual[key], expected[key], item)


def _unlike(a: torch.Tensor, b: torch.Tensor, check_dtype: bool) -> str:
    """The first attribute in which the tensors differ, of those that are to be equal."""
    for name in ("shape", "layout", "dtype") if check_dtype else ("shape", "layout"):
        if getattr(a, name) != getattr(b, name):
            return f"The values for attribute '{name}' do not match: {getattr(a, name)} != {getattr(b, name)}."
    return ""


def _apart(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> str:
    """Where, and how far, elements of two tensors of one shape are further apart than the tolerances allow."""
    dtype = torch.promote_types(a.dtype, b.dtype)
    a, b = [(each.to_dense() if each.is_sparse else each).detach().to(dtype) for each in (a, b)]
    close = a.isclose(b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if close.all():
        return ""
    equality, count = rtol == atol == 0, a.numel() - int(close.sum())
    x, y = [each if dtype.is_floating_point else each.long() for each in (a, b)]
    if a.ndim:
        first = f"Mismatched elements: {count} / {a.numel()} ({count / a.numel():.1%})"
    else:
        first = f"Expected {b.item()} but got {a.item()}."
        # Of two numbers, the differences are Python's.
        x, y = [each.double() if dtype.is_floating_point else each for each in (x, y)]
    absolute = (x - y).abs().masked_fill(close, 0)
    relative = (absolute / (y.abs() if a.ndim else y.abs().double())).masked_fill(close, 0)
    lines = [f"{'Tensor-likes' if a.ndim else 'Scalars'} are not {'equal' if equality else 'close'}!\n", first]
    for name, distance, most in (("absolute", absolute, atol), ("relative", relative, rtol)):
        place = tuple([int(n) for n in np.unravel_index(int(distance.argmax()), a.shape)])
        found = f"{name} difference: {distance[place].item()}"
        told = f"Greatest {found} at index {place}" if a.ndim else found.capitalize()
        lines.append(told if equality else f"{told} (up to {most} allowed)")
    return "\n".join(lines)
