"""Rows of the table: the functions of `nn.functional`, but for activations."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import FLOATS, INTEGERS, arrays, ids_for, shapes, tables
from table import Drawn, add, ask, floats, of_dtype, one, pairs

float_names = st.sampled_from(FLOATS)
reductions = st.sampled_from(["mean", "sum", "none"])


def real(dtype: str, shape: Any) -> st.SearchStrategy[Any]:
    return arrays(dtype, shape, integer=False)


@st.composite
def distinct(draw: st.DrawFn, dtype: str, shape: Any) -> Any:
    """An array whose elements, multiples of 1/4 around 0, are all different: their variances are not rounding."""
    sizes = draw(shape)
    size = int(np.prod(sizes))
    order = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).permutation(size)
    return ((order - size // 2) / 4).astype(dtype).reshape(sizes)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def joined(first: Drawn, *more: st.SearchStrategy[Any]) -> Drawn:
    """The operands of `first`, and some more."""
    return st.tuples(first, *more).map(lambda drawn: (*drawn[0], *drawn[1:]))


# ---- losses of classes -----------------------------------------------------------------------------------------------


@st.composite
def scored(draw: st.DrawFn, probabilities: bool = False) -> tuple[Any, ...]:
    """Scores `(N, C, *)` or `(C,)`, targets, perhaps weights, and the way to reduce."""
    dtype = draw(float_names)
    classes = draw(st.integers(1, 4))
    rest = draw(shapes(0, 3, max_side=3))
    shape = (*rest[:1], classes, *rest[1:])
    # PyTorch's gradient for images fails in other orders.
    x = draw(arrays(dtype, shape, integer=False, contiguous=len(shape) > 3))
    weight = draw(maybe(arrays(dtype, (classes,)).map(lambda w: np.abs(w) + w.dtype.type(1))))
    if probabilities:
        target = draw(real(dtype, shape))
    else:
        named = st.integers(0, classes - 1)
        chosen = draw(st.sampled_from([named, named | st.just(-100)]))
        target = np.zeros(rest, "int64")
        for place in np.ndindex(rest):
            target[place] = draw(chosen)
    return x, target, weight, draw(reductions)


def some_count(drawn: tuple[Any, ...]) -> bool:
    """Whether there are targets, not all ignored: of a mean, 0 / 0, PyTorch's gradient of the gradient is nan."""
    ignored = drawn[4] if isinstance(drawn[4], int) else -100
    return bool(drawn[1].size if drawn[1].dtype != "int64" else (drawn[1] != ignored).any())


smoothing = st.sampled_from([0.0, 0.0, 0.25, 1.0])
# PyTorch rounds log-probabilities to half precision before it picks from them.
LOSS = {"ulps": 64, "grad_ulps": 64, "grad_least": 1}
for probabilities in (False, True):
    ask(
        joined(scored(probabilities), smoothing).filter(some_count),
        "x, t, _, how, rest: F.cross_entropy(x, t, reduction=how, label_smoothing=rest)",
        **LOSS,
    )
ask(
    joined(scored(), st.integers(-1, 4)).filter(some_count),
    "x, t, w, how, i: F.cross_entropy(x, t, w, ignore_index=i, reduction=how)",
    **LOSS,
)
ask(
    joined(scored(), st.sampled_from([-100, 0, 2])).filter(some_count),
    "x, t, w, how, i: F.nll_loss(x, t, w, ignore_index=i, reduction=how)",
    **LOSS,
)
for name in ("cross_entropy", "nll_loss"):
    ask(
        st.tuples(of_dtype("float32"), of_dtype("int64"), maybe(of_dtype("float32", min_dims=1))).filter(
            lambda drawn: drawn[0].size
        ),
        f"x, t, w: F.{name}(x, t, None if w is None else w.detach())",
        **LOSS,
    )

# ---- losses of elements ----------------------------------------------------------------------------------------------

# PyTorch's gradients of some of these gradients fail for bools.
pairs_of_elements = st.one_of(pairs(FLOATS, special=False), pairs((*FLOATS, *INTEGERS), special=False))
ELEMENTS = {"ulps": 16, "grad_ulps": 32, "grad_least": 1}
alike = float_names.flatmap(lambda dtype: pairs([dtype], special=False))
for name in ("mse_loss", "l1_loss", "smooth_l1_loss"):
    ask(joined(pairs_of_elements, reductions), f"x, y, how: F.{name}(x, y, reduction=how)", **ELEMENTS)
for name in ("mse_loss", "l1_loss"):
    ask(
        joined(pairs_of_elements, maybe(st.booleans()), maybe(st.booleans())),
        f"x, y, mean, all_: F.{name}(x, y, mean, all_)",
        **ELEMENTS,
    )
ask(
    joined(pairs_of_elements, st.sampled_from([0.0, 0.5, 3, -1.0])),
    "x, y, beta: F.smooth_l1_loss(x, y, beta=beta)",
    **ELEMENTS,
)


@st.composite
def probable(draw: st.DrawFn, logits: bool) -> tuple[Any, ...]:
    """Probabilities or logits, targets, perhaps weights of the elements, and the way to reduce."""
    dtype, shape = draw(float_names), draw(shapes())
    inside = arrays(dtype, shape).map(lambda x: (np.abs(x) + x.dtype.type(1)) / x.dtype.type(8))
    x = draw(real(dtype, shape) if logits else inside)
    return x, draw(inside), draw(maybe(inside)), draw(reductions)


ask(
    probable(logits=False),
    "p, t, w, how: F.binary_cross_entropy(p, t, w, reduction=how)",
    ulps=16,
    grad_ulps=2**12,
    grad_least=1,
)
ask(pairs_of_elements, "x, y: F.binary_cross_entropy(x, y)", ulps=16, twice=False)
ask(
    probable(logits=True),
    "x, t, w, how: F.binary_cross_entropy_with_logits(x, t, w, reduction=how)",
    "x, t, v, how: F.binary_cross_entropy_with_logits(x, t, pos_weight=v, reduction=how)",
    ulps=32,
    grad_ulps=64,
    grad_least=1,
)


@st.composite
def triples(draw: st.DrawFn) -> tuple[Any, ...]:
    """Three arrays of one shape and dtype, and the way to reduce."""
    dtype, shape = draw(float_names), draw(shapes(1))
    return *[draw(real(dtype, shape)) for _ in range(3)], draw(reductions)


def signs(x: Any) -> Any:
    return np.where(np.isfinite(x) & (x > 0), 1, -1).astype(x.dtype)


for log_target in (False, True):
    ask(
        joined(alike.map(lambda drawn: (np.abs(drawn[0]) / 2, np.abs(drawn[1]) / 2)), reductions),
        f"x, y, how: F.kl_div(x, y, reduction=how, log_target={log_target!r})",
        ulps=64,
        grad_ulps=2**9,
        grad_least=4,
    )
ask(
    alike.map(lambda drawn: (drawn[0], np.abs(drawn[1]) + drawn[1].dtype.type(1))),
    "x, y: F.kl_div(x, y, reduction='batchmean')",
    ulps=64,
    grad_ulps=64,
    grad_least=4,
)
MARGINS = {"ulps": 64, "grad_ulps": 2**10, "grad_least": 16}
ask(
    triples().map(lambda d: (d[0], d[1], signs(d[2]), d[3])).filter(lambda d: d[0].size and d[0].ndim < 3),
    "x, y, z, how: F.cosine_embedding_loss(x, y, z.detach()[..., 0], 0.125, reduction=how)",
    **MARGINS,
)

# ---- lengths and gates -----------------------------------------------------------------------------------------------

nonzero = float_names.flatmap(
    lambda dtype: shapes(1, 3).flatmap(lambda shape: st.tuples(*[real(dtype, shape)] * 2))
).map(lambda drawn: tuple(np.where(x == 0, x.dtype.type(1), x) for x in drawn))
ask(
    joined(nonzero, st.sampled_from([2.0, 1, 3]), st.integers(-3, 2)), "x, y, p, dim: F.normalize(x, p, dim)", **MARGINS
)
ask(
    joined(nonzero | alike, st.integers(-3, 2), st.sampled_from([1e-3, 0.5])).filter(
        lambda d: all((np.abs(x) > 0).all() for x in d[:2])
    ),
    "x, y, dim, eps: F.cosine_similarity(x, y, dim, eps)",
    **MARGINS,
)
ask(st.tuples(floats(integer=False), st.integers(-3, 2)), "x, dim: F.glu(x, dim)", **MARGINS)

# ---- normalization ---------------------------------------------------------------------------------------------------


@st.composite
def for_rows(draw: st.DrawFn, parameters: int) -> tuple[Any, ...]:
    """An input, the shape to normalize, and perhaps parameters of it."""
    sizes = st.sampled_from([(0, 3), (3, 0), (2, 0, 2)]) | shapes(1, 4, min_side=2, max_side=4)
    x = draw(float_names.flatmap(lambda dtype: distinct(dtype, sizes)))
    shape = x.shape[draw(st.integers(0, x.ndim - 1)) :]
    return x, shape, *draw(parameters_of(x, shape, parameters))


@st.composite
def parameters_of(draw: st.DrawFn, x: Any, shape: tuple[int, ...], count: int) -> list[Any]:
    """None, or a weight, or a weight and a bias: PyTorch's gradient of the gradient fails for a bias alone."""
    given = draw(st.integers(0, count))
    # In one piece: of others PyTorch's batch norm reads what lies between the elements.
    whole = arrays(x.dtype.name, shape, integer=False, contiguous=True)
    return [draw(whole) if n < given else None for n in range(count)]


# Of one element, or of equal ones, what is left is rounding.
NORMAL = {"ulps": 64, "grad_ulps": 2**10, "grad_least": 4}
ask(
    joined(for_rows(2), st.sampled_from([0.5, 1.0])), "x, shape, w, b, eps: F.layer_norm(x, shape, w, b, eps)", **NORMAL
)
ask(joined(for_rows(1), st.sampled_from([None, 0.5])), "x, shape, w, eps: F.rms_norm(x, shape, w, eps)", **NORMAL)


@st.composite
def for_channels(draw: st.DrawFn, min_dims: int = 2) -> tuple[Any, ...]:
    """An input `(N, C, *)`, and perhaps a weight and a bias for each channel."""
    x = draw(float_names.flatmap(lambda dtype: distinct(dtype, shapes(min_dims, 4, min_side=2, max_side=4))))
    return x, *draw(parameters_of(x, x.shape[1:2], 2))


@st.composite
def with_mean(draw: st.DrawFn) -> tuple[Any, ...]:
    """The same, perhaps a running mean, and whether it is to be used or to be updated."""
    x, weight, bias = draw(for_channels())
    mean = draw(maybe(arrays(x.dtype.name, x.shape[1:2], integer=False, contiguous=True)))
    return x, mean, weight, bias, draw(st.booleans())


def batch_norm(api: Any, x: Any, mean: Any, weight: Any, bias: Any, training: bool) -> Any:
    var = None if mean is None else mean.detach().abs() + 0.5
    return api.nn.functional.batch_norm(x, mean, var, weight, bias, training, 0.25, 0.5), var


add("nn.functional.batch_norm", batch_norm, with_mean(), **NORMAL)
ask(for_channels(3), "x, w, b: F.instance_norm(x, weight=w, bias=b, eps=0.5)", **NORMAL)
ask(
    joined(for_channels(), st.integers(1, 4)).filter(lambda d: d[0].size > len(d[0]) * d[3]),
    "x, w, b, groups: F.group_norm(x, groups, w, b, 0.5)",
    **NORMAL,
)

# ---- noise -----------------------------------------------------------------------------------------------------------

chances = st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0])
for inplace in (False, True):
    ask(
        st.tuples(floats(2), chances, st.booleans()),
        f"x, p, on: F.dropout(x * 1 if {inplace!r} else x, p, on, {inplace!r})",
        ulps=8,
    )
ask(
    st.tuples(float_names.flatmap(lambda dtype: real(dtype, shapes(4, 4, min_side=1))), chances, st.booleans()),
    "x, p, on: F.dropout2d(x, p, on)",
)

# ---- look-ups --------------------------------------------------------------------------------------------------------


@st.composite
def looked_up(draw: st.DrawFn, ids_shape: Any = None) -> tuple[Any, Any]:
    """A table and ids of its rows, of which some may be missing."""
    table = draw(tables(float_names))
    return table, draw(ids_for(table, ids_shape, st.sampled_from(["int64", "int32"])))


# PyTorch's gradient of the gradient leaves the counts out.
ask(
    joined(looked_up(), maybe(st.integers(-3, 3)), st.booleans()),
    "w, ids, i, scaled: F.embedding(ids, w, i, scale_grad_by_freq=scaled and w.dtype != torch.float16)",
    grad_ulps=64,
    twice=False,
)
ask(
    joined(looked_up(), st.sampled_from([2.0, 1, float("inf")])).filter(lambda drawn: drawn[0].size),
    "w, ids, order: (F.embedding(ids, w.detach(), max_norm=2.0, norm_type=order), w)",
    ulps=8,
)


@st.composite
def bagged(draw: st.DrawFn) -> tuple[Any, ...]:
    """A table, ids of bags, offsets or None, whether the last of these is an end, and perhaps weights of the ids."""
    table = draw(tables(float_names))
    if draw(st.booleans()):
        ids = draw(ids_for(table, shapes(2, 2, min_side=1)))
        offsets = None
    else:
        ids = draw(ids_for(table, shapes(1, 1, max_side=6)))
        ends = sorted(draw(st.lists(st.integers(0, len(ids)), min_size=1, max_size=4)))
        offsets = np.array([0, *ends])
    last = offsets is not None and draw(st.booleans())
    if last:
        offsets[-1] = len(ids)
    return table, ids, offsets, last, draw(maybe(real(table.dtype.name, ids.shape)))


# PyTorch has no gradients of its gradients.
ask(
    joined(bagged(), st.sampled_from(["sum", "mean", "max"]), maybe(st.integers(-2, 2))),
    "w, ids, offsets, last, weights, mode, i: F.embedding_bag(ids, w, offsets, mode=mode, include_last_offset=last, "
    'per_sample_weights=weights if mode == "sum" else None, padding_idx=i)',
    ulps=8,
    grad_ulps=64,
    grad_least=4,
    twice=False,
)
ask(st.tuples(of_dtype("int64").map(np.abs), st.integers(-1, 6)), "ids, classes: F.one_hot(ids, classes)")
ask(one(of_dtype("int64") | floats()), "x: F.one_hot(x)")

# ---- products --------------------------------------------------------------------------------------------------------


@st.composite
def mapped(draw: st.DrawFn) -> tuple[Any, ...]:
    """An input `(*, I)`, a weight `(O, I)`, and perhaps a bias."""
    dtype, leading = draw(float_names), draw(shapes(0, 2))
    size, out = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    shapes_of_all = [(*leading, size), (out, size), (out,)]
    # In other orders PyTorch takes other steps, of other names.
    *given, bias = [draw(arrays(dtype, shape, contiguous=True)) for shape in shapes_of_all]
    return *given, draw(st.sampled_from([bias, None]))


ask(mapped(), "x, w, b: F.linear(x, w, b)", ulps=4)

# ---- padding ---------------------------------------------------------------------------------------------------------

widths = st.lists(st.integers(-1, 2), max_size=6)
ask(
    st.tuples(of_dtype("float32") | of_dtype("int64") | floats(), widths, st.sampled_from([None, 0, 2.0, -1.5])),
    "x, width, value: F.pad(x, width, value=value)",
)
# A dimension of which nothing is left PyTorch pads with what was in memory.
solid = float_names.flatmap(lambda dtype: of_dtype(dtype, shapes(2, 4, min_side=3)))
fitting = widths.filter(lambda width: len(width) in (1, 2, 4) and min(width) >= 0)
for mode in ("reflect", "replicate", "circular"):
    ask(st.tuples(solid, fitting), f"x, width: F.pad(x, width, mode={mode!r})")

# ---- attention -------------------------------------------------------------------------------------------------------


@st.composite
def attended(draw: st.DrawFn) -> tuple[Any, ...]:
    """Queries, keys and values, perhaps a mask, and whether attention is causal."""
    dtype = draw(float_names)
    leading = draw(shapes(0, 2, min_side=1))
    length, keys, size, out = (draw(st.integers(1, 3)) for _ in range(4))
    q, k, v = (draw(real(dtype, (*leading, *last))) for last in ((length, size), (keys, size), (keys, out)))
    mask = draw(maybe(real(dtype, (length, keys)) | arrays("bool", (length, keys))))
    return q, k, v, mask, mask is None and draw(st.booleans())


# PyTorch's fused steps have no gradients of their gradients.
ask(
    joined(attended(), st.sampled_from([None, 0.5])),
    "q, k, v, mask, causal, scale: F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, scale=scale)",
    ulps=64,
    grad_ulps=2**9,
    grad_least=4,
    twice=False,
)

# ---- softmax ---------------------------------------------------------------------------------------------------------

for name in ("softmax", "log_softmax"):
    ask(
        st.tuples(floats(), st.none() | st.integers(-3, 2), st.none() | float_names),
        f"x, dim, dtype: F.{name}(x, dim, dtype=dtype_of(dtype))",
        ulps=16,
        grad_ulps=64,
        grad_least=4,
    )
