"""`torch.testing.assert_close`: what it accepts, and the text of its errors, which is PyTorch 2.13's."""
# ruff: noqa: E501 -- a row is a call, and what it says.

from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest

import minigrad

LIBRARIES = [minigrad] if oracles.torch is None else [minigrad, oracles.torch]

inf, nan = float("inf"), float("nan")


def close(text: str, name: str = "Tensor-likes") -> str:
    return f"{name} are not close!\n\n{text}"


def equal(text: str, name: str = "Tensor-likes") -> str:
    return f"{name} are not equal!\n\n{text}"


def greatest(absolute: str, relative: str, count: str = "1 / 1 (100.0%)") -> str:
    return f"Mismatched elements: {count}\nGreatest absolute difference: {absolute}\nGreatest relative difference: {relative}"


#: A call, with the library and a maker of tensors, and what it says; "" where all is close.
CASES: list[tuple[Callable[[Any, Any], tuple[Any, Any]], dict[str, Any], str]] = [
    (lambda api, t: (t([1.0, 2.0, 3.0]), t([1.0, 4.0, 5.0])), {}, close(greatest("2.0 at index (1,) (up to 1e-05 allowed)", "0.5 at index (1,) (up to 1.3e-06 allowed)", "2 / 3 (66.7%)"))),
    (lambda api, t: (t([[1.0, 2.0], [3.0, 4.0]]), t([[1.0, 2.0], [3.0, 5.0]])), {}, close(greatest("1.0 at index (1, 1) (up to 1e-05 allowed)", "0.20000000298023224 at index (1, 1) (up to 1.3e-06 allowed)", "1 / 4 (25.0%)"))),
    # The two greatest differences may be in different places, and those of elements that are close do not count.
    (lambda api, t: (t([100.0, 3.0, 10.0]), t([101.0, 1.0, 10.5])), {"rtol": 0.02, "atol": 0.1}, close(greatest("2.0 at index (1,) (up to 0.1 allowed)", "2.0 at index (1,) (up to 0.02 allowed)", "2 / 3 (66.7%)"))),
    # Tolerances of the dtype: the largest difference that is allowed, and a larger one.
    (lambda api, t: (t([1.000012], dtype=api.float32), t([1.0])), {}, close(greatest("1.2040138244628906e-05 at index (0,) (up to 1e-05 allowed)", "1.2040138244628906e-05 at index (0,) (up to 1.3e-06 allowed)"))),
    (lambda api, t: (t([1.003], dtype=api.float16), t([1.0], dtype=api.float16)), {}, close(greatest("0.0029296875 at index (0,) (up to 1e-05 allowed)", "0.0029296875 at index (0,) (up to 0.001 allowed)"))),
    (lambda api, t: (t([1.0005]), t([1.0], dtype=api.float16)), {"check_dtype": False}, ""),
    (lambda api, t: (t([1, 2]), t([1, 3])), {}, equal(greatest("1 at index (1,)", "0.3333333432674408 at index (1,)", "1 / 2 (50.0%)"))),
    (lambda api, t: (t([True]), t([False])), {}, equal(greatest("1 at index (0,)", "inf at index (0,)"))),
    (lambda api, t: (t([1e-9]), t([1e-10])), {"rtol": 0, "atol": 0}, equal(greatest("8.999999634440314e-10 at index (0,)", "8.999999046325684 at index (0,)"))),
    (lambda api, t: (t(nan), t(nan)), {}, close("Expected nan but got nan.\nAbsolute difference: nan (up to 1e-05 allowed)\nRelative difference: nan (up to 1.3e-06 allowed)", "Scalars")),
    (lambda api, t: (t([nan, 1.0]), t([nan, 1.0])), {"equal_nan": True}, ""),
    (lambda api, t: (t([]), t([])), {}, ""),
    # Numbers.
    (lambda api, t: (1.0, 2.0), {}, close("Expected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-07 allowed)\nRelative difference: 0.5 (up to 1e-07 allowed)", "Scalars")),
    (lambda api, t: (1, 3), {}, equal("Expected 3 but got 1.\nAbsolute difference: 2\nRelative difference: 0.6666666666666666", "Scalars")),
    (lambda api, t: (1, 1.0), {"check_dtype": False}, ""),
    # Attributes.
    (lambda api, t: (t([1.0]), t([1.0], dtype=api.float64)), {}, "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."),
    (lambda api, t: (t([1.0]), t([[1.0]])), {}, "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([1, 1])."),
    (lambda api, t: (t([[1.0, 2.0]] * 2), t([[1.0, 1.0], [2.0, 2.0]]).T), {}, ""),
    (lambda api, t: (t([1.0]), t([1.0]).to_sparse()), {}, "The values for attribute 'layout' do not match: torch.strided != torch.sparse_coo."),
    (lambda api, t: (api.nn.Parameter(t([1.0])), t([1.0])), {}, ""),
    # Items.
    (lambda api, t: ([t([1.0]), 2.0, np.array(3.0)], (t([1.0]), 2.0, np.array(3.0))), {}, ""),
    (lambda api, t: ([1.0, t([[1.0]])], [1.0, t([1.0])]), {}, "The values for attribute 'shape' do not match: torch.Size([1, 1]) != torch.Size([1]).\n\nThe failure occurred for item [1]"),
    (lambda api, t: ({"a": {"c": [t([1])]}}, {"a": {"c": [t([2])]}}), {}, equal(greatest("1 at index (0,)", "0.5 at index (0,)") + "\n\nThe failure occurred for item ['a']['c'][0]")),
    (lambda api, t: ([None, t([1.0])], [None, t([1.0])]), {}, ""),
    (lambda api, t: ({"a": t(1.0)}, {"a": None}), {}, "None mismatch: 1.0 is not None\n\nThe failure occurred for item ['a']"),
    (lambda api, t: ([1], [1, 2]), {}, "The length of the sequences mismatch: 1 != 2"),
    # What is not alike is told before what is not close.
    (lambda api, t: ([1.0, [2.0]], [2.0, [2.0, 3.0]]), {}, "The length of the sequences mismatch: 1 != 2\n\nThe failure occurred for item [1]"),
    # The error's text.
    (lambda api, t: (t([1.0]), t([2.0])), {"msg": "not so"}, "not so"),
    (lambda api, t: (t([1]), t([2])), {"msg": lambda text: f"<{text}>"}, "<" + equal(greatest("1 at index (0,)", "0.5 at index (0,)")) + ">"),
]  # fmt: skip


@pytest.mark.parametrize("api", LIBRARIES)
@pytest.mark.parametrize(("call", "options", "text"), CASES)
def test_what_is_not_close_is_told_as_pytorch_does(api: Any, call: Any, options: dict[str, Any], text: str) -> None:
    actual, expected = call(api, api.tensor)
    if not text:
        api.testing.assert_close(actual, expected, **options)
        return
    with pytest.raises(AssertionError) as caught:
        api.testing.assert_close(actual, expected, **options)
    assert str(caught.value) == text


@pytest.mark.parametrize("api", LIBRARIES)
@pytest.mark.parametrize(
    ("call", "options", "where"),
    [
        (lambda api, t: (t([1.0]), [1.0]), {}, ""),
        (lambda api, t: (np.array([1.0]), t([1.0])), {}, ""),
        (lambda api, t: (1.0, t(1.0)), {}, ""),
        (lambda api, t: ("ab", ["a", "b"]), {}, ""),
        (lambda api, t: ("a", "a"), {}, ""),
        (lambda api, t: ({1}, {1}), {}, ""),
        (lambda api, t: ({"a": t([1.0])}, {"a": [1.0]}), {}, "\n\nThe failure occurred for item ['a']"),
    ],
)
def test_what_cannot_be_compared(api: Any, call: Any, options: dict[str, Any], where: str) -> None:
    actual, expected = call(api, api.tensor)
    with pytest.raises(TypeError) as caught:
        api.testing.assert_close(actual, expected, **options)
    a, b = (actual, expected) if not where else (actual["a"], expected["a"])
    told = f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.{where}"
    assert str(caught.value) == told


@pytest.mark.parametrize("api", LIBRARIES)
@pytest.mark.parametrize(("given", "missing"), [("rtol", "atol"), ("atol", "rtol")])
def test_tolerances_go_together(api: Any, given: str, missing: str) -> None:
    with pytest.raises(ValueError, match=f"^Both 'rtol' and 'atol' must be .* but got no {missing}.$"):
        api.testing.assert_close(api.ones(1), api.ones(1), **{given: 1.0})
