"""Rows of the table: what is done to windows: convolution, pooling, and other sizes."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import FLOATS, arrays
from table import Drawn, add

dtypes = st.sampled_from([*FLOATS, "float64"])
SUMS = {"ulps": 64, "least": 1, "grad_ulps": 256, "grad_least": 4}


def several(dims: int, low: int, high: int) -> st.SearchStrategy[Any]:
    """An int for each dimension, or one for all."""
    return st.integers(low, high) | st.lists(st.integers(low, high), min_size=dims, max_size=dims)


@st.composite
def inputs(
    draw: st.DrawFn, dims: int, channels: int = 2, least: int = 1, dtype: Any = dtypes, batched: bool = False
) -> Any:
    """`(N, C, *)` or, unless `batched`, `(C, *)`."""
    sizes = [draw(st.integers(least, 5 if dims < 3 else 4)) for _ in range(dims)]
    return draw(
        arrays(
            draw(dtype),
            (*draw(st.sampled_from([(0,), (1,), (2,), (2,) if batched else ()])), channels, *sizes),
            integer=True,
            contiguous=dims == 1,  # PyTorch gives views of lines, which follow other layouts
        )
    )


@st.composite
def convolved(draw: st.DrawFn, dims: int, transposed: bool) -> tuple[Any, ...]:
    """An input, a weight, perhaps a bias, and options, that mostly fit."""
    groups, dtype = draw(st.sampled_from([1, 1, 2])), draw(dtypes)
    c, o = (groups * draw(st.integers(1, 2)) for _ in range(2))
    options: dict[str, Any] = {"stride": draw(several(dims, 1, 3)), "dilation": draw(several(dims, 1, 2))}
    options |= {"padding": draw(several(dims, 0, 1)), "groups": groups}
    if transposed and draw(st.booleans()):
        options |= {"stride": 2, "output_padding": draw(several(dims, 0, 1))}
    elif draw(st.integers(0, 3)) == 0 and not transposed:
        options |= {"stride": 1, "padding": draw(st.sampled_from(["same", "valid"])), "dilation": 2}
    # Of an image alone PyTorch's result may lie in memory as channels last.
    x = draw(inputs(dims, c if draw(st.integers(0, 9)) else c + 1, 3, st.just(dtype), batched=True))
    shape = (c, o // groups) if transposed else (o, c // groups)
    kernel = [draw(st.integers(1, 3)) for _ in range(dims)]
    w = draw(arrays(dtype, (*shape, *kernel), integer=True))
    return x, w, draw(st.none() | arrays(dtype, (o,), integer=True)), options


@st.composite
def pooled(draw: st.DrawFn, dims: int, mean: bool) -> tuple[Any, ...]:
    """An input, the size of the windows, and options."""
    options: dict[str, Any] = {}
    kernel = draw(several(dims, 1, 3))
    if draw(st.booleans()):
        options = {"stride": draw(several(dims, 1, 3)), "padding": draw(st.just(int(np.min(kernel)) // 2))}
    # Of a last window that lies outside PyTorch reads what is there in memory.
    options["ceil_mode"] = draw(st.booleans()) if options.get("padding", 0) == 0 else False
    if mean:
        options["count_include_pad"] = draw(st.booleans())
    return draw(inputs(dims, least=3)), kernel, options


def call(name: str) -> Any:
    return lambda api, *operands: getattr(api.nn.functional, name)(*operands[:-1], **operands[-1])


def as_options(drawn: Drawn, *names: str) -> Drawn:
    return drawn.map(lambda each: (each[0], dict(zip(names, each[1:], strict=True))))


for dims in (1, 2, 3):
    for name, transposed in ((f"conv{dims}d", False), (f"conv_transpose{dims}d", True)):
        add(f"nn.functional.{name} {name}", call(name), convolved(dims, transposed), **SUMS)
    add(f"nn.functional.max_pool{dims}d", call(f"max_pool{dims}d"), pooled(dims, mean=False))
    add(f"nn.functional.avg_pool{dims}d", call(f"avg_pool{dims}d"), pooled(dims, mean=True), **SUMS)
    counts = st.integers(1, 6) | st.lists(st.integers(1, 4), min_size=dims, max_size=dims)
    for name in (f"adaptive_avg_pool{dims}d", f"adaptive_max_pool{dims}d"):
        add(
            f"nn.functional.{name}",
            call(name),
            as_options(st.tuples(inputs(dims, least=2), counts), "output_size"),
            **SUMS,
        )
    linear = ["linear", "bilinear", "trilinear"][dims - 1]
    for mode in ("nearest", linear):
        wanted = st.tuples(inputs(dims, batched=True).filter(len), several(dims, 1, 7))
        scaled = st.tuples(inputs(dims, least=2, batched=True).filter(len), st.sampled_from([2, 0.5, 1.7, 3]))
        corners = st.sampled_from([None, False, True] if mode == linear else [None])
        for drawn, argument in ((wanted, "size"), (scaled, "scale_factor")):
            add(
                "nn.functional.interpolate",
                call("interpolate"),
                st.tuples(as_options(drawn, argument), corners).map(
                    lambda each, mode=mode: (each[0][0], {**each[0][1], "mode": mode, "align_corners": each[1]})
                ),
                **SUMS,
            )
add(
    "nn.functional.pixel_shuffle pixel_shuffle",
    call("pixel_shuffle"),
    as_options(
        # Of no images, PyTorch's gradient has a wrong shape.
        st.tuples(
            inputs(2, 4, dtype=st.sampled_from([*FLOATS, "int64"])).filter(lambda x: x.size), st.sampled_from([2, 2, 3])
        ),
        "upscale_factor",
    ),
)


@st.composite
def windows(draw: st.DrawFn, folded: bool) -> tuple[Any, ...]:
    """Images, or their windows, and options."""
    options: dict[str, Any] = {"kernel_size": draw(several(2, 1, 3)), "stride": draw(several(2, 1, 2))}
    options |= {"padding": draw(several(2, 0, 1)), "dilation": draw(st.sampled_from([1, 1, 2]))}
    x = draw(inputs(2, least=3))
    if not folded or not len(x):
        return x[:, :] if not folded else x[..., 0], {**options, **({"output_size": 3} if folded else {})}
    k, s, p = ((each, each) if isinstance(each, int) else each for each in [*options.values()][:3])
    counts = [max((5 + 2 * p[i] - options["dilation"] * (k[i] - 1) - 1) // s[i] + 1, 1) for i in range(2)]
    shape = (2, 2 * k[0] * k[1], counts[0] * counts[1])
    return draw(arrays(x.dtype.name, shape[draw(st.integers(0, 1)) :], integer=True)), {**options, "output_size": 5}


add("nn.functional.unfold", call("unfold"), windows(folded=False))
add("nn.functional.fold", call("fold"), windows(folded=True), **SUMS)
