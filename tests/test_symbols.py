"""A function called with symbols gives its formula: what is read is what was done, with no parentheses to spare."""

from typing import Any

import pytest

from minigrad.explain.graph import Symbol, formula


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda g: g, "g"),
        (lambda g, x: g / x, "g / x"),
        (lambda g, x: g * x.cos(), "g * cos(x)"),
        (lambda g, x: g * (1 - x * x).rsqrt(), "g * rsqrt(1 - x * x)"),
        (lambda g, a, b: -g * a / (b * b), "-g * a / (b * b)"),
        (lambda g, y: g * y * (1 - y), "g * y * (1 - y)"),
        (lambda g, x: g - (x - 1) - 2, "g - (x - 1) - 2"),
        (lambda g, x: (-x) ** 2 - x**2 + x ** (-1), "(-x) ** 2 - x ** 2 + x ** (-1)"),
        (lambda g, x: 2**x + (-2) ** x, "2 ** x + (-2) ** x"),
        (lambda g, x: -(x + 1), "-(x + 1)"),
        (lambda g, x: g * (x > 0), "g * (x > 0)"),
        (lambda g, x: (x <= 3) & ~(x != 0) | (x == 1), "(x <= 3) & ~(x != 0) | (x == 1)"),
        (lambda g, x: (x < 1) + (x >= 1), "(x < 1) + (x >= 1)"),
        (lambda g, x: 1 & x | (2 | x), "1 & x | (2 | x)"),
        (lambda g, b: g @ b.mT, "g @ b.mT"),
        (lambda g, x: [[1.0, 2.0]] @ x / x, "((1.0, 2.0),) @ x / x"),
        (lambda g, x: g.sum((0, x.ndim), keepdim=True).expand(x.shape), "expand(sum(g, (0, x.ndim), keepdim=True), x.shape)"),  # noqa: E501
        (lambda g, x: g.masked_fill(x[0] > 1, float("inf")), "masked_fill(g, x[0] > 1, inf)"),
        (lambda g, f: f(g, 1), "f(g, 1)"),
        (lambda g: None, "None"),
    ],
)  # fmt: skip
def test_what_is_shown_is_what_was_done(function: Any, text: str) -> None:
    assert formula(function) == text


def test_what_cannot_be_written_down_is_refused() -> None:
    x = Symbol("x")
    with pytest.raises(TypeError, match=r"^x > 0 is a formula, neither true nor false"):
        formula(lambda x: x if x > 0 else -x)
    with pytest.raises(TypeError, match="not iterable"):
        list(x)  # type: ignore[call-overload]
    with pytest.raises(AttributeError, match="no attribute '_array'"):
        x._array  # noqa: B018
