"""The second theorem: a convolution is a Linear on windows, its transpose its gradient; and broken copies of both.

The windows are listed place by place in Python, and read by indexing: nothing of `minigrad.ops.convolution` is in that.
"""

import itertools
from typing import Any

import laws
import numpy as np
import pytest
from hypothesis import strategies as st
from strategies import arrays

import minigrad as torch
from minigrad.ops import convolution
from minigrad.ops.convolution import Convolution, WeightGradient, Windows, opposite, padded

F = torch.nn.functional
WINDOW_LAWS = laws.Laws()


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Any, ...]:
    """An input, a weight and a bias of whole numbers, and options that fit."""
    dims, groups, dtype = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2, 3])), draw(laws.EXACT_DTYPES)
    kernel, stride, dilation, padding = (
        [draw(st.integers(low, high)) for _ in range(dims)] for low, high in ((1, 3), (1, 3), (1, 2), (0, 2))
    )
    spans = zip(kernel, dilation, padding, strict=True)
    sizes = [max(d * (k - 1) + 1 - 2 * p, 1) + draw(st.integers(0, 3)) for k, d, p in spans]
    inner, outer = (draw(st.integers(1, 2)) for _ in range(2))
    x = draw(arrays(dtype, (draw(st.integers(0, 3)), groups * inner, *sizes), integer=True))
    w = draw(arrays(dtype, (groups * outer, inner, *kernel), integer=True))
    b = draw(arrays(dtype, (groups * outer,), integer=True))
    return x, w, b, {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


def places(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> tuple[Any, list[int]]:
    """Where the elements of all windows are in the input made flat: `(N, groups, windows, C / groups * kernel)`.

    What pads it is at the place after the last.
    """
    spans = list(zip(x.shape[2:], w.shape[2:], stride, padding, dilation, strict=True))
    counts = [len(range(0, size + 2 * p - d * (k - 1), s)) for size, k, s, p, d in spans]
    listed = []
    for n, group, window in itertools.product(range(len(x)), range(groups), np.ndindex(*counts)):
        for c, within in itertools.product(range(w.shape[1]), np.ndindex(*w.shape[2:])):
            at = [i * s + j * d - p for i, j, (_, _, s, p, d) in zip(window, within, spans, strict=True)]
            inside = all([0 <= i < size for i, size in zip(at, x.shape[2:], strict=True)])
            listed.append(np.ravel_multi_index((n, group * w.shape[1] + c, *at), x.shape) if inside else x.size)
    shape = (len(x), groups, int(np.prod(counts)), int(np.prod(w.shape[1:])))
    return torch.tensor(np.array(listed, np.int64).reshape(shape)), counts


def linear_on_windows(x: Any, w: Any, b: Any, at: Any, counts: list[int], groups: int) -> Any:
    """What the convolution is: for each group a Linear, on each window."""
    windows = torch.cat([x.reshape(-1), torch.zeros(1, dtype=x.dtype)])[at]
    outputs = [
        F.linear(windows[:, group], weight.flatten(1), bias)
        for group, (weight, bias) in enumerate(zip(w.chunk(groups), b.chunk(groups), strict=True))
    ]
    return torch.cat(outputs, -1).transpose(1, 2).reshape(len(x), len(w), *counts)


def some_like(x: Any, seed: int) -> Any:
    """Whole numbers in the shape of a tensor, which requires a gradient."""
    numbers = np.random.default_rng(seed).integers(-3, 4, tuple(x.shape)).astype(x.detach().numpy().dtype)
    return torch.tensor(numbers, requires_grad=True)


def assert_equal(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


def leaves(*numbers: Any) -> list[Any]:
    return [torch.tensor(each, requires_grad=True) for each in numbers]


@WINDOW_LAWS.law(convolutions())
def a_convolution_is_a_linear_on_windows(drawn: tuple[Any, ...]) -> None:
    """Outputs, gradients, and gradients of gradients, to the last bit."""
    *numbers, options = drawn
    at, counts = places(*numbers[:2], **options)
    results = []
    for way in (0, 1):
        inputs = leaves(*numbers)
        convolve = getattr(F, f"conv{len(counts)}d")
        y = linear_on_windows(*inputs, at, counts, options["groups"]) if way else convolve(*inputs, **options)
        g = some_like(y, 1)
        first = torch.autograd.grad(y, inputs, g, create_graph=True)
        product = sum([(each * some_like(each, 2).detach()).sum() for each in first])
        second = torch.autograd.grad(product, [*inputs[:2], g])
        results.append([y, *first, *second])
    for a, b in zip(*results, strict=True):
        assert_equal(a, b)


@WINDOW_LAWS.law(convolutions())
def a_transposed_convolution_is_the_gradient_of_a_convolution(drawn: tuple[Any, ...]) -> None:
    """`conv_transpose(G, W)` is dX of `conv(X, W)`, and adjoint: `<conv(X, W), G> == <X, conv_transpose(G, W)>`."""
    x, w, _, options = drawn
    dims = w.ndim - 2
    X, W = leaves(x, w)  # noqa: N806
    y = getattr(F, f"conv{dims}d")(X, W, **options)
    g = some_like(y, 3).detach()
    (dx,) = torch.autograd.grad(y, [X], g)
    spans = zip(y.shape[2:], w.shape[2:], options["stride"], options["padding"], options["dilation"], strict=True)
    least = [(count - 1) * s - 2 * p + d * (k - 1) + 1 for count, k, s, p, d in spans]
    if min(least) > 0:
        rest = [slice(None), slice(None), *[slice(size) for size in least]]
        result = getattr(F, f"conv_transpose{dims}d")(g, W, **options)
        assert_equal(result, dx[tuple(rest)])
    assert (y * g).sum().item() == (X * dx).sum().item()


@pytest.mark.parametrize("law", WINDOW_LAWS, ids=lambda law: law.__name__)
def test_law(law: Any) -> None:
    WINDOW_LAWS.check(law)


# ---- broken copies ---------------------------------------------------------------------------------------------------

original_view, original_add, original_pass = Windows.view, Windows.add, Convolution.backward
original_dw, original_db = WeightGradient.forward, WeightGradient.db


def assigning(self: Windows, v: Any, sizes: Any) -> Any:
    """Where windows overlap, one of them wins."""
    x = padded(np.zeros((*v.shape[: -2 * len(self.kernel)], *sizes), v.dtype), self._ends())
    for place in self.places():
        self._strided(x, sizes)[place] = v[place]
    return padded(x, opposite(self._ends()))


def flipped(self: Windows, x: Any, filler: float = 0) -> Any:
    """What mathematics calls a convolution: the kernel runs backwards."""
    v = original_view(self, x, filler)
    return np.flip(v, range(v.ndim - 2 * len(self.kernel), v.ndim - len(self.kernel)))


def padded_by_ones(self: Windows, x: Any, filler: float = 0) -> Any:
    return original_view(self, x, 1)


def undilated_add(self: Windows, v: Any, sizes: Any) -> Any:
    return original_add(self._replace(dilation=(1,) * len(self.kernel)), v, sizes)


def last_block_only(self: Any, x: Any, g: Any) -> Any:
    return original_dw(self, x[-1:], g[-1:])


def bias_of_first(self: Any, g: Any) -> Any:
    return convolution.Sum((0, *range(2, g.ndim))).of(g[:1])


def no_gradient_of_weight(self: Any, g: Any) -> Any:
    dx, dw, db = original_pass(self, g)
    return dx, None if dw is None else dw * 0, db


def no_second_order(self: Any, g: Any, x: Any) -> Any:
    return original_db(self, g, x) * 0


THEOREM, ADJOINT = [law.__name__ for law in WINDOW_LAWS]
BROKEN = {
    "windows overwrite one another": (Windows, "add", assigning, [THEOREM, ADJOINT]),
    "the kernel is flipped": (Windows, "view", flipped, [THEOREM, ADJOINT]),
    "padded by ones": (Windows, "view", padded_by_ones, [THEOREM, ADJOINT]),
    "gradients without dilation": (Windows, "add", undilated_add, [THEOREM, ADJOINT]),
    "the weight learns of the last image": (WeightGradient, "forward", last_block_only, [THEOREM]),
    "the bias learns of the first image": (convolution._OnWindows, "dc", bias_of_first, [THEOREM]),
    "the weight learns nothing": (Convolution, "backward", no_gradient_of_weight, [THEOREM]),
    "no second order": (WeightGradient, "db", no_second_order, [THEOREM]),
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_laws_reject(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, broken, names = BROKEN[mistake]
    monkeypatch.setattr(where, name, broken)
    for law in names:
        assert WINDOW_LAWS.rejects(law, (AssertionError, RuntimeError, ValueError)), law
