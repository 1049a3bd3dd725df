"""Rows of the table with operands of their own, a line each: kinks, ties, limits, not finite, refused."""

import numpy as np
from table import calls

INF, NAN = float("inf"), float("nan")
DTYPES = ("bool", "uint8", "int8", "int64", "float16", "float32", "float64")

# ---- arithmetic ------------------------------------------------------------------------------------------------------

calls(
    """
    1 - x
    2 / x
    x // 2
    2 % x
    x.fmod(2)
    x.clone().zero_()
    x.clone().fill_(2)
    x.clone().copy_(x)
    x.clone().copy_(torch.ones(2, 2))
    x + torch.ones(3)
    x + L([3.0], dtype=torch.float64)
    x.expand(2, 2).clone().copy_(L([[1.0], [5.0]]))
    x.div(3, rounding_mode="floor") + torch.div(3, x, rounding_mode="trunc")
    (x // 2).sum().backward()
    (2 % x).sum().backward()
    x.div(x, rounding_mode="up")
    x.div(x, rounding_mode=1)
    x.add(x, alpha="1")
    x.lerp(x * 3, 1)
    x.lerp(x * 3, 0.5)
    x.lerp(x * 3, L(0.75, dtype=x.dtype))
    x.lerp(x * 3, L(0.25, dtype=torch.float64))
    x.lerp(x, x)
    x.lerp(x.short(), 0.5)
    torch.mul(x, 2, out=x.clone())
    torch.matmul(x, x, out=None)
    torch.exp(x, out=x.clone())
    x ** -1.5
    x.half() ** 1e5
    x ** x.detach().double().numpy()[0]
    x.isclose(x.long())
    x.isclose(x, atol=nan)
    torch.exp(2)
    torch.fmod(2, x)
    torch.maximum(x, 2)
    torch.eq(2, x)
    torch.sub(2, x, alpha=2)
    (x > 1).add(x > 1, alpha=2)
    torch.floor_divide(5, x)
    torch.remainder(5, x)
    torch.pow(2, x)
    """,
    x=[0.25, 2.5],
)
calls(
    """
    i.add(i, alpha=1.5)
    i.sub(1, alpha=1.5)
    i.add(i, alpha=True)
    i.add(x, alpha=1.5)
    i % 0
    i // 0
    i.fmod(0)
    i[:0] // 0
    i.div(L([1, 0, 2, 3]), rounding_mode="trunc")
    i.div(L([-4, 4, 3, -3]), rounding_mode="trunc")
    i.div(L([-4, 4, 3, -3]), rounding_mode="floor")
    i % L([-4, 4, 3, -3])
    i.fmod(L([-4, 4, 3, -3]))
    7 // i
    7 % i
    L([2**53 + 1, -(2**53) - 1]).div(1, rounding_mode="trunc")
    L([200], dtype=torch.uint8).div(7, rounding_mode="trunc")
    i**-1
    i**2
    i**0
    i**0.5
    2**i
    L([-1, -1, 0, 1, 2, -2, 3, -3]) ** L([-1, -2, -1, -3, -1, -2, 2, 3])
    i.to(torch.int8) ** 300
    i.floor()
    i.sign()
    i.lerp(i, i)
    i.clamp(2, 3)
    i.clamp(1.5)
    i.clip(2, 2.5)
    i.short().clamp(2, 3)
    i & True
    5 ^ i
    i >> 1
    1 << i.abs()
    i.to(torch.int8) | 64
    i == x
    i > 2.5
    i == 2**53
    L([16_777_217]) == 16_777_216.0
    L([1], dtype=torch.int8) == 257
    i.isclose(i + 1, atol=1)
    i.masked_fill(i > 0, 2.5)
    i.masked_fill(i > 0, nan)
    i.to(torch.int8).masked_fill(i > 0, 300)
    i.to(torch.int8).masked_fill(i > 0, L(300))
    torch.where(i > 0, i, 2.5)
    torch.where(i > 0, i.to(torch.int8), 3)
    torch.where(i > 0, i.to(torch.int8), 300)
    torch.where(i > 0, i.to(torch.int8), i)
    torch.where(i > 0, 1, 2)
    torch.where(i > 0, x, i)
    F.gelu(i)
    i.median()
    i.softmax(0)
    """,
    i=[-7, 2, 5, 7],
    x=[0.5, 1.5, 2.5, 7.0],
)
calls(
    """
    b - b
    b - 1
    1.5 - b
    -b
    b % b
    b // b
    b.div(b, rounding_mode="trunc")
    b**b
    b**2
    b**True
    b**False
    b.add(~b, alpha=True)
    b.add(~b, alpha=False)
    b.add(1, alpha=2)
    b.clamp(False, True)
    b.clamp(2, None)
    b << b
    b << 1
    b & True
    True ^ b
    b | 4
    b & L([1, 2, -3])
    b == 1.5
    b > 0
    b.isclose(L([True, True]))
    b.cumsum(0)
    b.cumsum(0, dtype=torch.bool)
    """,
    b=[True, False],
)
for name in ("int64", "bool", "float16", "float32", "float64"):
    for other in ("int64", "bool", "float16", "float32", "float64"):
        calls(
            """
            x + y
            x / y
            x == y
            x.pow(y)
            x.fmod(y)
            torch.where(y > 0, x, y)
            torch.cat([x, y])
            x.outer(y)
            """,
            x=np.array([1, 1], name),
            y=np.array([2, 1], other),
        )

# ---- what is not finite, kinks and ties ------------------------------------------------------------------------------

calls(
    """
    x.abs()
    x.sign()
    x.sgn()
    x.round()
    x.round(decimals=1)
    (x * 10).round(decimals=-1)
    x.sigmoid()
    x.tanh()
    x.erf()
    x.rsqrt()
    x.reciprocal()
    x.relu()
    x**0
    x**1
    x**2
    x**0.5
    x**-0.5
    x**L([0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 2.0, 3.0], dtype=x.dtype)
    0**x
    2**x
    torch.zeros(8, dtype=x.dtype)**x
    x % 3.0
    3.0 % x
    x % -inf
    x.fmod(-3.0)
    x // 0.0
    x * 0
    x.clamp(0, 3)
    x.clamp(0, None)
    x.clamp(None, 3)
    x.clamp(2, 1)
    x.clamp_min(L(inf, dtype=x.dtype))
    x.clamp_max(L(-inf, dtype=x.dtype))
    x.isclose(x)
    x.isclose(x, equal_nan=True)
    x.logical_and(x.flip(0))
    x.logical_xor(x.flip(0))
    x.logical_not()
    x.masked_fill(x.isnan(), 0)
    torch.where(x.isfinite(), x, 0.0)
    torch.where(x > 0, x.log(), 0.0)
    x.clone().zero_()
    x.nansum()
    x.nanmean()
    x.max()
    x.amax()
    x.amin()
    x.argmin()
    x.median()
    x.median(0)
    x.mode()
    x.sort()
    x.topk(3)
    x.unique()
    x.logsumexp(0)
    x.softmax(0)
    x.norm(inf)
    x.norm(0.5)
    x.cumsum(0)
    x.view(2, 4).tril(-1)
    x.view(2, 4).triu(1)
    F.leaky_relu(x, 0.5)
    F.leaky_relu(x, inf)
    F.prelu(x, L([0.5], dtype=x.dtype))
    F.elu(x, 2.0)
    F.elu(x, inf)
    F.gelu(x)
    F.silu(x)
    F.softplus(x)
    F.softplus(x, 2.0, 1.0)
    F.logsigmoid(x)
    F.hardtanh(x, -2, 2)
    """,
    x=[-INF, INF, NAN, -2.0, -0.0, 0.0, 0.5, 2.0],
)
calls(
    """
    torch.maximum(a, b)
    torch.minimum(a, b)
    torch.where(a > b, a, b)
    """,
    a=[0.0, 1.0, 2.0, NAN, 1.0, NAN, -0.0],
    b=[0.0, 2.0, 1.0, 1.0, NAN, NAN, 0.0],
)
calls(
    """
    x.sigmoid()
    x.tanh()
    x.erf()
    F.gelu(x)
    F.gelu(x, approximate="tanh")
    F.silu(x)
    F.softplus(x)
    F.logsigmoid(x)
    F.elu(x)
    x.softmax(0)
    x.log_softmax(0)
    x.logsumexp(0)
    """,
    x=[-1000.0, 1000.0, 999.0, 0.0, 30.0],
)
calls(
    """
    h + h
    h * 3
    h / 1e-3
    1e6 + h
    h.add(-h, alpha=3)
    h.lerp(-h, 0.25)
    h.round(decimals=2)
    h.div(0.3, rounding_mode="floor")
    h.remainder(0.3)
    h * (1 / 3)
    h / 2049
    h.rsqrt()
    h.mean()
    h.sum()
    h.norm()
    h.var()
    h.cumsum(0)
    h @ h
    h.masked_fill(h > 9, 65504)
    h.masked_fill(h > 9, 65505)
    h.clamp(max=-65505)
    torch.where(h > 9, h, 65519.9)
    torch.where(h > 9, h, 70000)
    torch.where(h > 9, h, nan)
    torch.full_like(h, 70000)
    """,
    "float16",
    h=[60000.0, -30000.0, 2048.0, 1e-7, -2.12, 7.0],
)
calls(
    """
    x.masked_fill(x == 0, 3.4028234663852886e38)
    x.masked_fill(x == 0, 3.4028235e38)
    torch.where(x == 0, -1e300, x)
    x == 0.1
    x * 1e38
    """,
    "float32",
    x=[0.0, 0.1, 3e38],
)

# ---- parts and places ------------------------------------------------------------------------------------------------

INDICES = """
    1
    -2
    2
    0, -3, 3
    1, :
    0:2
    -1:
    :, :-1, 1:4:2
    :, 0:3, 0:7:1
    :1, 2
    5:9
    ...
    ()
    ..., 1
    1, ..., 2
    0, 1, ..., 2
    None
    None, 1, None, ..., None
    0, 1, 2, None, ...
    :, ::2, None
    True
    True, 0
    L(True)
    L(False), [0]
    L(True), L([0])
    :, L(False)
    0, L(True), 1:3
    [1, 0, 1]
    [True, False]
    []
    range(2)
    L(1)
    L(1).short()
    L([1, -1])
    L([1, 0]).int()
    :, L([[2, -3], [0, 1]])
    ..., L([3, 0])
    0, L([2, 0])
    L([1, 0]), 2
    L([1, 0]), :, L([3, -1])
    :, L([2, 0]), L([3, -1])
    L([1, 0]), L([2, 0]), L([3, -1])
    L([[1, 0, -1]]), L([[2], [0]])
    L([[1, 0, -1]]), 1:, L([[2], [0]])
    :, L([[1, 0, -1]]), None, L([[2], [0]])
    L([1]), None, L([2])
    L([[1, 0, -1]]), 1, L([[2], [0]])
    :, 1:, [0, 1]
    0:2, [0, 1]
    L([[True, False, True], [False, True, True]])
    L([[True, False, True], [False, True, True]]), 2
    L([[True, False, True], [False, True, True]]), 1:
    L([[True, False, True], [False, True, True]]), L([0, 1, 2, 3])
    x > 11
    x > 99
    1, x[1] > 14
    L([True, False]), :, L([True, False, True, True])
    L([False, False]), L([0])
    torch.zeros(0, dtype=torch.int64), 1
    0:0, [0, 1]
    :, 2:2, L([1])
    1, [0, 2], :, None
    ::2, [0, 2]
    -3
    0, 3
    0, ..., -5
    L(2)
    L([0, 5])
    :, [0, -4]
    L([0, 1]), L([0, 3])
    L([0, 1]), :, L([4, 0])
    0, 0, 0, 0
    0, 0, 0, ..., 0
    x > 3, 0
    1.0
    0, "a"
    0, L([1.0])
    L([1]).short()
    L([True])
    0, torch.ones(3, 3) > 0
    L([0, 1]), L([0, 1, 2])
    0, ::-1
    ["a"]
    0.5:
"""
for index in map(str.strip, INDICES.strip().splitlines()):
    calls(f"x[{index}]\nput(x, at[{index}], v)", "float64", x=np.arange(24.0).reshape(2, 3, 4), v=[-5.0])
calls(
    """
    x[False]
    x[:, ::2, None].stride()
    x.mT[None].stride()
    put(x, at[0], v.reshape(1, 1, 1))
    put(x, at[0, 0, 0], v.reshape(1, 1))
    put(x, at[[0, 1]], v.reshape(1, 1, 1, 1, 1))
    put(x, at[:, [1, 0]], v.expand(2, 1, 1))
    put(x, at[[0, 1]], v.expand(3, 3, 4))
    put(x, at[[0, 1], :, [0, 1]], v.expand(4))
    put(x, at[0, :, [0, 1]], v.expand(2, 2))
    put(x, at[x > 3], v.expand(3))
    put(x, at[L([[True] * 3] * 2)], v.expand(5, 4))
    put(x, at[0], v.expand(5))
    put(x, at[0, 0, 0], v.expand(2))
    put(x, at[:], v.expand(2, 2, 3, 4))
    put(x, at[[0, 1]], L(1.5, dtype=torch.float16))
    put(x.long(), at[[0, 1]], L(1.5))
    put(x.long(), at[0], L(1.5))
    put(x.long(), at[x > 3], torch.ones(20))
    put(x.to(torch.int8), at[x > 3], L(300))
    x.index_put((L([1, 0]),), v)
    x.index_put((L([1, 1]),), v, accumulate=True)
    x.index_put((L([0, 1]), L([0, 3])), v.expand(2))
    x.take(L([[5, -6], [0, -1]]))
    x.take(L([5, 24]))
    x.masked_select(x > 3)
    x.masked_fill(x > 3, v[0])
    x.masked_fill(x > 3, v)
    x.index_fill(0, L([0]), 2)
    x.index_fill(1, L([0, 3]), 7.0)
    x.index_select(0, L([0, 0]))
    x.take_along_dim(L([[[0, 1, 2, 2]]]), 1)
    torch.where(x > 3, x, torch.zeros(3))
    x.nonzero()
    x["a"]
    """,
    x=np.arange(24.0).reshape(2, 3, 4),
    v=[-5.0],
)
calls(
    """
    x[0:0].take(L([0]))
    x.gather(0, L([0]))
    x.gather(0, L([[0, 2]]))
    x.gather(1, L([[0, -1]]))
    x.gather(0, L([[0.0]]))
    x.gather(1, L([]))
    x.gather(1, torch.zeros(2, 0))
    x.gather(1, L([[2, 0], [1, 2]]).int())
    x.scatter(0, L([0]), y)
    x.scatter(1, L([[0], [0], [0]]), torch.ones(3, 1, dtype=x.dtype))
    x.scatter(0, L([[0, 1], [1, 0]]), y[:1])
    x.scatter(1, L([[0, 1]]), y[None])
    x.scatter(0, L([[0, 2]]), 2.0)
    x.scatter(1, L([[0, 3]]), y)
    x.scatter(0, L([[0]]), y.short())
    x.scatter(1, L([[2, 0], [1, 2]]), y)
    x.scatter(1, torch.zeros(2, 0), x)
    x.scatter_add(0, L([[0, 2]]), y)
    x.scatter_add(0, L([[0, 1, 1], [0, 0, 1]]), y)
    x[0].scatter(0, L([1]), L(5.0, dtype=x.dtype))
    x[0].scatter(0, L([0, 1]), L(5.0, dtype=x.dtype))
    x[0].scatter(0, L(0), L([2.0, 3.0], dtype=x.dtype))
    x[0, 0].gather(0, L(0))
    x[0, 0].gather(0, L([0, 0]))
    x[0, 0].gather(0, L([0, 1]))
    x[0].gather(0, L(1))
    x[0, 0].scatter(0, L([0]), L(2.0, dtype=x.dtype))
    """,
    x=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    y=[[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]],
)

# ---- losses, norms, attention ----------------------------------------------------------------------------------------

calls(
    """
    F.cross_entropy(x, i)
    F.cross_entropy(x, i, w)
    F.cross_entropy(x, i, w, reduction="sum")
    F.cross_entropy(x, i, w, reduction="none", ignore_index=2)
    F.cross_entropy(x, i, ignore_index=1, label_smoothing=0.1)
    F.cross_entropy(x[0], i[0])
    F.cross_entropy(x[:0], i[:0])
    F.cross_entropy(x[:0], i[:0], reduction="sum")
    F.cross_entropy(x[:0], i[:0], reduction="none")
    F.cross_entropy(x[:, :1], i * 0 - 100, reduction="none")
    F.cross_entropy(x[:1], L([-100]))
    F.cross_entropy(x[:, :0], x[:, :0])
    F.cross_entropy(x[:0, :0], i[:0], label_smoothing=0.1)
    F.cross_entropy(x[..., None], i[:, None])
    F.cross_entropy(x[..., None, None, None], i[:, None, None, None], reduction="none")
    F.cross_entropy(x, x.softmax(1))
    F.cross_entropy(x, i + 2)
    F.cross_entropy(x, i - 2)
    F.cross_entropy(x, i[:1])
    F.cross_entropy(x, i.int())
    F.cross_entropy(x, i, label_smoothing=2)
    F.cross_entropy(x * 2000, i, reduction="none")
    F.nll_loss(x, i)
    F.nll_loss(x, i, w)
    F.nll_loss(x, i, w, reduction="none", ignore_index=2)
    F.nll_loss(x, i, ignore_index=1)
    F.nll_loss(x[0], i[0])
    F.nll_loss(x[:0], i[:0])
    F.nll_loss(x[..., None], i[:, None])
    F.nll_loss(x[..., None, None], i[:, None, None], reduction="none")
    F.nll_loss(x * L([[1.0], [inf], [1.0]], dtype=x.dtype), i, ignore_index=1)
    F.mse_loss(x, w)
    F.mse_loss(x[:0], x[:0])
    F.mse_loss(x[:0], x[:0], reduction="sum")
    F.mse_loss(x, x, reduction="all")
    F.mse_loss(x.T, x.detach(), reduction="none").T.view(-1)
    F.l1_loss(x, w.expand(3, 3), reduction="none")
    F.l1_loss(x, x.detach())
    F.smooth_l1_loss(x, x.detach() - L([0.5, 1.0, 2.0], dtype=x.dtype))
    F.binary_cross_entropy(x + 1, x)
    F.binary_cross_entropy_with_logits(x, x[:1])
    F.binary_cross_entropy_with_logits(x, x.detach().long())
    F.kl_div(i, i)
    F.binary_cross_entropy_with_logits(x, w.expand(3, 3), w, pos_weight=w)
    F.layer_norm(x, (3,), w, w)
    F.layer_norm(x, (2,))
    F.layer_norm(x[:1].expand(3, 3), (3,))
    F.rms_norm(x, (3,), w)
    F.batch_norm(x, None, None, w, w, training=True)
    F.batch_norm(x, w.detach() * 0, w.detach() * 0 + 1, w, w)
    F.batch_norm(x[:1], None, None, training=True)
    F.batch_norm(x, None, None)
    F.instance_norm(x[..., None] * w, weight=w, bias=w)
    F.instance_norm(x[..., None] * w, eps=0)
    F.adaptive_avg_pool2d(torch.where(x > 3, inf, x)[None], 2)
    F.interpolate(torch.where(x > 3, inf, x)[None], size=5, mode="linear")
    F.interpolate(torch.where(x > 3, nan, x)[None, None], size=(3, 7), mode="bilinear", align_corners=True)
    torch.autograd.grad(F.interpolate(x[None], size=2, mode="linear"), x, L([[[inf, 1.0]] * 3], dtype=x.dtype))
    [F.interpolate(x[None, None], scale_factor=1.2, mode=mode) for mode in ("bilinear", "nearest")]
    F.max_pool2d(x[None], (2, 3), 1, 1)
    F.unfold(x[None], 2, dilation=(1, 4), padding=2), F.unfold(x[None], 1, padding=1)
    F.fold(x.repeat(4, 3), 2, 2, dilation=1, padding=(1, 1)), F.fold(x.flatten()[None], 1, 1, padding=1)
    torch.conv2d(x[None], x[None, None], padding=3, dilation=(1, 2))
    F.dropout(x, 1.5)
    F.dropout(x, 1.0)
    F.pad(x, (1,))
    F.pad(x, (1, 1), "mirror")
    F.prelu(x, w)
    F.prelu(x, w[:2])
    F.prelu(x, w.unsqueeze(0))
    F.prelu(x[0], w[:1])
    F.prelu(x[0, 0], w[0])
    F.prelu(x[0, 0], w)
    F.silu([1.0])
    F.elu(x.clone(), inplace=True)
    F.leaky_relu(x.clone(), inplace=True)
    F.hardtanh(x.clone(), inplace=True)
    F.silu(x.clone(), inplace=True)
    F.relu(x.clone(), inplace=True)
    F.glu(x[:, :2], 1)
    F.scaled_dot_product_attention(x[0], x[0], x[0])
    F.scaled_dot_product_attention(x, x[:, :2], x)
    F.scaled_dot_product_attention(x, x[:0], x[:0])
    F.scaled_dot_product_attention(x, x, x, L([[True, True, False], [False] * 3, [False, False, True]]))
    F.scaled_dot_product_attention(x, x, x, w)
    F.scaled_dot_product_attention(*[x[None, None]] * 3, x[None].detach() > 0)
    F.scaled_dot_product_attention(*[x.repeat(1, 2, 1, 1).transpose(1, 2)] * 3).transpose(1, 2).view(-1)
    F.scaled_dot_product_attention(x[:, :1] * 3000, x[:, :1] + 30, x)
    F.scaled_dot_product_attention(L([[1.0]]), L([[1.0], [inf]]), x[:2])
    F.scaled_dot_product_attention(x[None, None, :1], x[None, None, :1], x[None, None, :1])
    torch.normal(w, 1.0)
    torch.normal(w, x.abs())
    w.sigmoid().bernoulli()
    """,
    x=[[1.0, 2.0, 4.0], [3.0, -0.5, 1.0], [0.5, -1.5, 2.5]],
    w=[0.5, 2.0, 1.5],
    i=[2, 1, 0],
)
calls(
    """
    F.binary_cross_entropy(p, t)
    F.binary_cross_entropy(p, t, reduction="none")
    F.smooth_l1_loss(p, t, reduction="none", beta=0.5)
    """,
    p=[0.0, 1.0, 0.5, 1.0],
    t=[1.0, 0.0, 1.0, 1.0],
)

# ---- products --------------------------------------------------------------------------------------------------------

FACTORS = ["v", "v[:2]", "m", "m.T", "m[:, :1]", "m[:0]", "b", "b.mT", "b[:1]", "b[None]", "b[:0]", "v[0]", "v.long()"]
for left in FACTORS:
    for right in FACTORS:
        calls(
            f"{left} @ {right}",
            "float64",
            v=[1.0, -2.0, 3.0],
            m=[[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]],
            b=[[[1.0, 2.0, -3.0], [4.0, 5.0, 6.0]], [[0.5, 1.5, 2.5], [3.5, -4.5, 5.5]]],
        )
calls(
    """
    b.bmm(b.mT)
    b.bmm(b)
    b.bmm(m)
    b.bool() @ v.bool()
    b.bool() @ b.mT.bool()
    b.bmm(b[:1].mT)
    b.bmm(b.mT.long())
    m.mv(v)
    m.mv(v[:2])
    m.mm(m.T.int())
    m.bool().mm(m.T.bool())
    v.dot(v)
    v.dot(v[:2])
    v.dot(v.long())
    v.outer(v)
    torch.addmm(v[:2], m, m.T)
    torch.addmm(v, m, m.T)
    torch.addmm(v[:2].short(), m, m.T)
    torch.addmm(m, v, m.T)
    torch.addmm(m, m, v)
    torch.addmm(v[:2], m, m.T, alpha=0.5, beta=2)
    torch.addmm((v[:2] * nan).detach(), m, m.T, beta=0)
    torch.addmm(v[:2], m, m.T, alpha="2")
    torch.addmm(v[:2].long(), m.long(), m.T.long(), alpha=2.9)
    (m @ m.T).addmm_(m, m.T)
    torch.tensordot(m, m.T, 1)
    torch.tensordot(m, m, 2)
    torch.tensordot(m, m, 3)
    torch.tensordot(m, b, ([0, 1], [1, 2]))
    torch.tensordot(m[:, :1], b, ([1], [2]))
    torch.tensordot(b, m[:1], ([-2], [0]))
    torch.tensordot(m, m.T, ([1], [0, 1]))
    torch.tensordot(m, m.T.long(), ([1], [0]))
    torch.tensordot(m, m.T, ([0], [0]))
    torch.einsum("ij,jk->ik", m, m.T)
    torch.einsum(" i j , k j -> i k ", m, m)
    torch.einsum("i,j->ij", v, v)
    torch.einsum("i,i,i", v[:1], v, v[:1])
    torch.einsum("ij->i", m)
    torch.einsum("ii->i", m[:, :2])
    torch.einsum("iij->ij", m[:, :2, None].expand(2, 2, 3))
    torch.einsum("bij,bkj->bik", b, b)
    torch.einsum("...i", b)
    torch.einsum("ij,jk", m, m)
    torch.einsum("ijk", m)
    torch.einsum("ij->k", m)
    torch.einsum("ij->ii", m)
    torch.einsum("i,i,i", v[:1], v, v[:2])
    torch.einsum("i...j...", m)
    torch.einsum("ij")
    torch.einsum("ijk,->ijk", b, v[0])
    F.linear(m, m)
    F.linear(m, v)
    F.linear(m, m, v[:2])
    F.linear(v, m)
    F.linear(b, m, v[:2])
    """,
    v=[1.0, -2.0, 3.0],
    m=[[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]],
    b=[[[1.0, 2.0, -3.0], [4.0, 5.0, 6.0]], [[0.5, 1.5, 2.5], [3.5, -4.5, 5.5]]],
)
calls(
    "torch.addmm(a, h, h.T)\ntorch.addmm(a * 0, h, h.T, alpha=0.4)\nh @ h.T",
    "float16",
    a=[[-60000.0]],
    h=[[300.0, 100.0]],
)

# ---- reductions, order, scans ----------------------------------------------------------------------------------------

for method in (
    "sum", "mean", "prod", "nansum", "amax", "amin", "max", "min", "median", "argmax", "argmin", "all", "any",
):  # fmt: skip
    calls(
        f"""
        x.{method}()
        x.{method}(0)
        x.{method}(1, True)
        x[0, 0].{method}()
        x[0, 0].{method}(-1)
        x[:, :1].{method}(1)
        x[:0].{method}()
        x[:0].{method}(0)
        x[:0].{method}(1)
        x.long().{method}(1)
        x.to(torch.uint8).{method}(0)
        (x > 0).{method}()
        """,
        x=[[1.0, 3.0, 3.0], [0.0, -2.0, 5.0]],
    )
calls(
    """
    x.prod()
    x.prod(1)
    x.cumprod(0)
    x.cumprod(0, dtype=torch.float64)
    x[0, :1].cumprod(0)
    x[0, 0].cumprod(0)
    x.long().cumsum(0)
    x.int().cumsum(0, dtype=torch.int32)
    x.var()
    x.var(1, correction=7)
    x.var(1, unbiased=False)
    x.var(axis=0, keepdims=True)
    x.var(unbiased=False, correction=1)
    x[:1].var(0)
    x[0, :1].var()
    x.std(0)
    (x * 0).std()
    torch.std_mean(x, 1, keepdim=True)
    x.norm()
    x.norm(0)
    x.norm(0.5, 1)
    x.norm(1, 1)
    x.norm(1.5, 1)
    x.norm(3, 1, True)
    x.norm(inf, 0)
    x.norm(-inf, (0, 1))
    x[:0].norm()
    x[:0].norm(inf)
    x.logsumexp((), True)
    x.logsumexp(1, True)
    x[:0].logsumexp(0)
    (x * 500).softmax(1)
    (x * 500).log_softmax(1)
    x.mode(1)
    x[0].mode()
    x[0, 0].mode(0)
    x[0, 0].sort()
    x[0, 0].topk(1)
    x.topk(2, 0, False)
    x.sort(0, True)
    (x * nan).unique()
    x.unique(dim=0)
    x.unique(True, True, True)
    x[:, :0].unique(True, True, True)
    x[:0].unique(True, True, True, 0)
    x[0].unique(dim=1)
    x.histc(4, 1, 4)
    x.histc(3, -7, -4)
    x.histc(3)
    x[:0].histc(3)
    (x * 0 + 1).histc(3)
    x.histc(0)
    x.histc(2, 3, 1)
    x.histogram(3, range=(0.1, 0.7))
    x.histogram(2)
    torch.arange(-2.0, 4.0, dtype=x.dtype).histogram()
    x.long().bincount()
    torch.bucketize(0.1, L([0.1], dtype=x.dtype), right=True)
    torch.bucketize(2.5, L([1, 2, 3]))
    x.sum(dtype=float)
    x.sum(dtype=int)
    x.prod(dtype=bool)
    x.mean(dtype=int)
    x.sum(dtype="float64")
    x.cumsum(0, dtype="float64")
    F.softmax(x)
    F.log_softmax(x[0])
    F.softmax(x[None])
    """,
    x=[[1.0, 0.0, -1.0, 3.0], [2.0, 0.0, 0.0, 2.0], [0.5, 4.0, 1.0, 1.0]],
)
calls("x.prod()", "float32", x=[1e20, 1e18])
calls("x.prod()", "float32", x=[1e-20])
calls("x.norm()\nx.norm(3)\nx.norm(4)", "float64", x=[1e-200, 1e-200])
calls("x.norm()\nx.norm(3)\nx.norm(-2)\nx.norm(0)", "float64", x=[1e200])
calls("x - 0.1\n0.1 - x", "float16", x=[0.1257, 0.1049, 0.3616])
calls("x.detach().mode().values", x=[[NAN, 1.0, NAN], [1.0, NAN, 1.0]])
calls("x.norm(4)\nx.var()\nx.cumsum(0)", "float32", x=[1e6, 1e6 + 1, 1e6 + 2])
calls("x.norm(1.5, 1)\nx.norm(1)\nx.norm()\nx.norm(inf)\nx.norm(-inf)", x=[[0.0, NAN], [INF, 1.0]])

# ---- shapes, joins, diagonals, pads ----------------------------------------------------------------------------------

calls(
    """
    x.view(6, 4)
    x.norm(3, (0, 1, 2))
    x.norm(dim=(0, 1, 2))
    x.mT.view(24)
    x.mT.reshape(2, 4, 3, 1)
    x.mT.reshape(2, 12)
    x.movedim(0, 2)
    x.movedim((0, 0), (0, 1))
    x.flatten(1, 0)
    x.flatten(1, 1) is x
    x[torch.tensor(0):] is x
    x.unflatten(1, (2, 2))
    x.unflatten(2, (2, -1))
    x[0, 0].mT
    x.H
    x[0].H
    x.expand(2, 2, -1, 4)
    x.expand(2, -2, 3, 4)
    x.repeat(2)
    torch.tensor(x[:1].expand(2, 3, 4)).view(-1) + x.mT.repeat(1, 1, 1).view(-1)
    x[0].repeat(2, 1, 2)
    x.repeat_interleave(2, 1)
    x.repeat_interleave(0, 0)
    x.repeat_interleave(L(2), 0)
    x.repeat_interleave(L([3, 0]).int(), 0)
    x.repeat_interleave(L([1, 2, 3]), 0)
    x.repeat_interleave(L([-1, 2]), 0)
    x.split(2, 2)
    x.split([1, 2], 1)
    x.split([1, 1], 1)
    x.split(0)
    x.chunk(3, -1)
    x.chunk(0)
    x.unbind(1)
    x[0, 0, 0].unbind()
    x.narrow(0, 1, 2)
    x.unfold(2, 0, 3)
    x.flip(0, 0)
    x.flip(0, 2)
    x.roll((1, -1), (0, 2))
    x.diagonal(0, 1, -2)
    x.diagonal(1, 1, -1)
    x[0].diag()
    x[0].diag(-1)
    x[0, 0].diag(1)
    x[0].trace()
    x.tril(-1)
    x[0, 0].tril()
    x[0].t()
    x.swapaxes(axis0=0, axis1=-1)
    x.permute(0, 0, 1)
    x[:1, :, :1].squeeze((0, 2))
    x.sum((0, 0))
    x.sum(True)
    x.sum(1.0)
    x.sum("0")
    x[0, 0, 0].sum(-2)
    x.view(2.0, 12)
    x.expand(2, None, 4)
    torch.cat([x, x], 2)
    torch.cat([x, x.half(), x.long()], 1)
    torch.cat([x[0, 0], x[0, 0, 0]])
    torch.cat([x[0].t(), x[0].t()]).view(-1)
    torch.cat([x, x[0]])
    torch.cat([x, x[:, :2]])
    torch.cat([torch.ones(0), x, x[:, :2]], 1)
    torch.cat([torch.ones(0), torch.ones(0)], 1)
    torch.cat([torch.ones(0, dtype=torch.float64), x[0].float()])
    torch.stack([x, x.half()], -1)
    torch.stack([x, x, x[0]])
    torch.hstack([])
    torch.meshgrid(x[0, 0], indexing="ji")
    torch.meshgrid([], indexing="ij")
    torch.meshgrid(x[0, 0], x[0, 0, :2], x[0, :, 0], indexing="xy")
    torch.meshgrid(x[0, 0, 0], x[0, 0], indexing="ij")
    torch.meshgrid(x[0, 0], x[0, 0].long(), indexing="ij")
    F.pad(x, (1, 2, -1, 0, 0, 1), value=5)
    F.pad(x, (2, -3))
    F.pad(x, (3, 1, 1, 2), "reflect")
    F.pad(x, (0, 1, 2, 0), "replicate")
    F.pad(x[0], (1, 1), "reflect")
    F.pad(x.long(), (1, 1), value=2)
    (x @ torch.ones(4, 5, dtype=x.dtype))._base is None
    (x[0] * 1).t_()
    (x[:1] * 1).squeeze_(0)
    (x[0] * 1).unsqueeze_(1).transpose_(0, 2)
    (x[0] * 1).swapaxes_(0, 1)
    """,
    "float32",
    "float64",
    x=np.arange(24.0).reshape(2, 3, 4).tolist(),
)
for shape in ("", "1,", "3,", "2, 1", "1, 3", "1, 1, 3", "2, 3"):
    calls(
        "x.expand(4, 2, 3)\nx + torch.zeros(4, 2, 3, dtype=x.dtype)\ntorch.zeros(2, 3, dtype=x.dtype) * x",
        x=np.ones(eval(f"({shape})")).tolist(),
    )

# ---- lookups and bags ------------------------------------------------------------------------------------------------

for options in ("", ", sparse=True", ", scale_grad_by_freq=True"):
    for padding in ("None", "1", "-2", "-3", "3"):
        calls(f"F.embedding(i, w * 1, {padding}{options})", w=[[3.0, 4.0], [0.5, 0.0], [-6.0, 8.0]], i=[2, 1, 0, 2])
for mode in ("sum", "mean", "max"):
    for padding in ("None", "1", "-3"):
        calls(
            f"""
            F.embedding_bag(i, w, L([0, 2, 4, 4]), mode="{mode}", padding_idx={padding})
            F.embedding_bag(i, w, L([0, 2, 2, 2]), mode="{mode}", padding_idx={padding})
            F.embedding_bag(i, w, L([0, 2, 4]), mode="{mode}", padding_idx={padding}, include_last_offset=True)
            F.embedding_bag(i.reshape(2, 2), w, mode="{mode}", padding_idx={padding})
            """,
            w=[[3.0, 4.0], [0.5, 0.0], [-6.0, 8.0]],
            i=[0, 2, 1, 1],
        )
calls(
    """
    F.embedding(i, w.detach().clone(), max_norm=1.0)
    F.embedding(i, w.detach().clone(), max_norm=1.0, norm_type=1)
    F.embedding(i[:0], w.detach().clone(), max_norm=1.0, norm_type=inf)
    F.embedding_bag(i, w.detach().clone(), i, max_norm=1.0)
    F.embedding_bag(i, w.detach().clone(), i, max_norm=1.0, norm_type=1)
    F.embedding_bag(i.float(), w, L([0]))
    F.embedding_bag(i, w.long(), L([0]))
    F.embedding_bag(i, w, L([0]), mode="max", sparse=True)
    F.embedding_bag(i, w, L([0, 1, 9]))
    F.embedding_bag(i + 1, w, L([0]))
    F.embedding_bag(i, w, L([0, 1]), mode="sum", scale_grad_by_freq=True)
    F.embedding_bag(i, w, L([0, 2]), mode="sum", per_sample_weights=w[0].expand(2, 2).reshape(4)[:3])
    F.one_hot(i)
    F.one_hot(i[0])
    F.one_hot(i, 2)
    F.one_hot(i - 1)
    """,
    w=[[3.0, 4.0], [0.5, 0.0], [-6.0, 8.0]],
    i=[0, 1, 2],
)

# ---- one value or a few, whose gradients are known -------------------------------------------------------------------

calls("x.amax()\nx.amin()\nx.norm(inf)\nx.erf()\n-x", x=NAN)
calls(
    """
    torch.autograd.grad(torch.autograd.grad(x.sum() * 0 + (x**3).sum(), x, create_graph=True)[0].sum(), x)
    torch.autograd.grad(torch.autograd.grad(x.abs().sum(), x, create_graph=True)[0], x, x.detach() * inf)
    torch.autograd.grad(torch.autograd.grad(F.relu(x).sum(), x, create_graph=True)[0], x, x.detach() * inf)
    torch.autograd.grad(torch.autograd.grad(F.hardtanh(x).sum(), x, create_graph=True)[0], x, x.detach() * inf)
    torch.autograd.grad(torch.autograd.grad(F.leaky_relu(x).sum(), x, create_graph=True)[0], x, x.detach() * inf)
    torch.autograd.grad(torch.autograd.grad(F.gelu(x).sum(), x, create_graph=True)[0].square().sum(), x)
    [len({id(part.grad_fn) for part in parts}) for parts in (x.split(1), x.chunk(3), x.unbind(), list(x))]
    x[:1].expand(3, 1).clone().is_contiguous()
    [getattr(torch.finfo(x.dtype), name) for name in ("eps", "max", "min", "tiny", "smallest_normal", "bits")]
    x.norm(1)
    x.norm(3)
    x.norm(1.5)
    x.prod()
    x.cumprod(0)
    x.std()
    (x * 1e9).norm(4)
    x.logsumexp(0)
    (x - inf).logsumexp(0)
    x.sort(stable=True)
    F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.5)
    """,
    x=[-2.0, 0.0, 0.25, 0.0, 3.0],
)
calls("x.prod()", "float64", x=[1e-20, 0.069])
# Four dimensions, in another order in memory than they are counted.
calls(
    """
    F.cross_entropy(x, L([[[1, 0]]]).expand(2, 2, 2), reduction="none")
    F.layer_norm(x, (2, 2))
    F.rms_norm(x, (2,))
    F.batch_norm(x, None, None, training=True)
    F.group_norm(x, 3)
    F.scaled_dot_product_attention(x, x, x, is_causal=True)
    F.scaled_dot_product_attention(x[:, :, :1], x, x)
    F.pad(x, (1, 0, 1, -1))
    F.pad(x, (1, 1, 1, 1), "reflect")
    F.glu(x, 2)
    F.cosine_similarity(x, x.detach() + 1)
    x.softmax(1)
    x.var((1, 2))
    """,
    "float64",
    x=np.random.default_rng(0).uniform(-2, 2, (2, 2, 3, 2)).transpose(3, 2, 1, 0),
)

# ---- to the last bit, the sign of 0 among them -----------------------------------------------------------------------

calls(
    """
    x % 3.0
    x % -3.0
    x % L(3.0, dtype=x.dtype)
    x.fmod(3.0)
    x.relu()
    x.abs()
    x.trunc()
    x**2
    """,
    "float32",
    "float64",
    ulps=0,
    x=[-7.0, -6.0, -1.5, -0.0, 0.0, 1.5, 6.0, 7.0],
)
calls(
    "a.lerp(b, 0.5)\na.lerp(b, 0.75)\na.lerp(b, 0.25)\na.lerp(b, L(0.75))",
    "float32",
    ulps=0,
    a=np.random.RandomState(0).uniform(-4, 4, 12).round(6).tolist(),
    b=np.random.RandomState(1).uniform(-4, 4, 12).round(6).tolist(),
)
