"""Every public op, layer, loss, optimiser's step and draw: a call of each, found by its name or told here."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad
from minigrad.declare import declared

#: Rows and columns of the operands.
SIZES = {"small": (8, 8), "medium": (128, 512), "large": (1024, 1024)}

#: Calls that do not follow from a name.  Operands: matrices x, y, z of numbers between 0 and 1, `n` by `m`; w, `m` by
#: `m`; a vector v of `m`; ids i, one for each row, and j, one for each element, below `n` and `m`; k, small integers;
#: b, bools; `image`, x as n / 4 images of 4 channels; `line` and `film`, the same of one dimension and of three; c, a
#: kernel; `steps`, x as 8 steps of sequences; `bags`, where bags begin.
CALLS = """
x + y; x - 1; x * y; x * v; x / y; x ** 2; x ** 3; (x - 0.5) ** 3; x ** -1; x ** 0.5; 2 ** x; x @ w; x % y; x // y; -x
x > y; x[2]; x[:, 1:4]; x[i]; x[i, i]; x[b]; x[None]; x[..., ::2]; x.T; x.T.contiguous(); x.mT; x.H; x.t()
x.clone().add_(y); x.clone().copy_(y); x.clone().fill_(2.0); x.clone().zero_(); x.clone().clamp_(0.2, 0.8)
y.detach().clone().resize_(m, n)
torch.addmm(v, x, w); w.clone().addmm_(w, w); torch.mm(x, w); torch.mv(x, v); torch.dot(v, v); torch.outer(v, v)
torch.matmul(steps, w); torch.bmm(steps, steps.transpose(1, 2)); torch.einsum("ij,kj->ik", x, y); torch.ger(v, v)
torch.tensordot(x, y, dims=([1], [1])); (w + torch.eye(m)).inverse(); (w + torch.eye(m)).det()
F.linear(x, w); F.linear(x, w, v); x.sum(); x.sum(0); x.sum(1); x.mean(0)
x.max(); x.max(1); x.max(0); x.min(1); x.amax(0); x.amin(1); x.argmax(1); x.argmin(0); x.var(); x.var(0); x.std(1)
x.prod(); x.prod(1); x.norm(); x.norm(dim=1); x.any(1); x.all(); x.cumsum(0); x.cumsum(1); x.cumprod(1)
x.logsumexp(1); x.softmax(0); x.softmax(-1); x.log_softmax(-1); x.median(); x.median(1); x.mode(1); x.topk(3)
x.sort(1); x.sort(0, descending=True); x.argsort(1); x.clone().cumsum_(1); x.clone().cumprod_(1); x.nansum(1)
x.unique(); i.unique(return_counts=True); i.bincount(); torch.bucketize(x, v.sort().values); x.histc(10)
torch.histogram(x, 10); torch.isin(i, i[:4]); torch.std_mean(x, 1); x.take(j); x.take_along_dim(j, 1); x.gather(1, j)
x.scatter(1, j, y); x.scatter_add(1, j, y); x.clone().scatter_(1, j, y); x.clone().scatter_add_(1, j, y)
x.index_select(0, i); x.index_add(0, i, y); x.clone().index_add_(0, i, y); x.index_fill(0, i, 2.0)
x.clone().index_fill_(0, i, 2.0); x.index_put((i,), y); x.clone().index_put_((i,), y); x.masked_fill(b, 0.0)
x.clone().masked_fill_(b, 0.0); x.masked_select(b); torch.where(b, x, y); torch.where(b, x, 0.0); b.nonzero()
torch.argwhere(b); x.tril(); x.triu(1); x.clone().tril_(); x.clone().triu_(); torch.diag(v); torch.diag_embed(v)
x.diagonal(); w.trace(); x.flip(0); x.roll(1, 0); x.roll(1, 1); x.repeat(2, 1); x.tile(2, 1)
x.repeat_interleave(2, 0); torch.cat([x, y]); torch.cat([x, y], 1); torch.concat([x, y]); torch.concatenate([x, y])
torch.stack([x, y]); torch.hstack([x, y]); torch.vstack([x, y]); x.chunk(4); x.split(2); x.unbind(); x.narrow(0, 1, 2)
x.select(0, 1); x.permute(1, 0); x.movedim(0, 1); x.moveaxis(0, 1); x.swapaxes(0, 1); x.swapdims(0, 1)
x.transpose(0, 1); x.clone().transpose_(0, 1); w.clone().swapaxes_(0, 1); w.clone().swapdims_(0, 1); w.clone().t_()
x.reshape(-1); x.view(-1, 4); x.view_as(y); x.reshape_as(y); x.flatten(); x.unflatten(1, (4, -1)); x.unfold(1, 4, 2)
x.unsqueeze(0); x.clone().unsqueeze_(0); x[None].squeeze(); x.clone().squeeze_(); v.expand(n, m); v.expand_as(x)
v.broadcast_to(n, m); torch.broadcast_tensors(x, v)
torch.meshgrid(v, v, indexing="ij"); x.sum_to_size(1, m); x.clamp(0.2, 0.8); x.clamp(min=0.5); x.clip(0.2, 0.8)
torch.clamp_max(x, 0.5); torch.clamp_min(x, 0.5); x.clone().clip_(0.2, 0.8); x.clone().clamp_max_(0.5)
x.clone().clamp_min_(0.5); torch.lerp(x, y, 0.3); x.clone().lerp_(y, 0.3); k & k; k | k; k ^ k; ~k; k << 1; k >> 1
torch.bitwise_and(k, k); torch.bitwise_or(k, k); torch.bitwise_xor(k, k); torch.bitwise_not(k)
torch.bitwise_left_shift(k, k); torch.bitwise_right_shift(k, k); k.clone().bitwise_and_(k); k.clone().bitwise_or_(k)
k.clone().bitwise_xor_(k); k.clone().bitwise_not_(); k.clone().bitwise_right_shift_(k); x[0, 0].item()
x.to(torch.float64); x.double(); x.half(); x.bfloat16(); x.int(); x.long(); x.bool(); x.type_as(k); x.new_tensor([1.0])
x.new_zeros(n, m); x.new_ones(n, m); x.new_empty(n, m); x.new_full((n, m), 2.0)
torch.result_type(x, k); x.detach(); torch.zeros(n, m); torch.ones(n, m); torch.empty(n, m); torch.full((n, m), 2.0)
torch.can_cast(x.dtype, k.dtype); torch.promote_types(x.dtype, k.dtype); torch.eye(n); torch.arange(m)
torch.linspace(0, 1, m); torch.tensor([1.0, 2.0]); torch.as_tensor([1.0, 2.0]); torch.zeros_like(x); torch.ones_like(x)
torch.full_like(x, 2.0); torch.empty_like(x); torch.from_numpy(array); x.detach().numpy(); x.detach().clone().tolist()
torch.rand(n, m); torch.randn(n, m); torch.randint(10, (n, m)); torch.randperm(n * m // 16); torch.bernoulli(x)
torch.multinomial(x, 2); torch.normal(x, y); torch.rand_like(x); torch.randn_like(x); k.clone().bitwise_left_shift_(k)
x.detach().clone().uniform_(); x.detach().clone().normal_(); x.detach().clone().exponential_()
x.detach().clone().bernoulli_(0.5); k.clone().random_(10); F.dropout(x); F.dropout2d(image); F.embedding(i, x)
F.embedding_bag(i, x, bags); F.one_hot(i, n); F.pad(x, (1, 1)); F.layer_norm(x, (m,)); F.layer_norm(x, (m,), v, v)
F.rms_norm(x, (m,)); F.group_norm(image, 2); F.instance_norm(image)
F.batch_norm(x, v.detach().clone(), v.detach().clone(), training=True); F.prelu(x, v); F.hardtanh(x, 0.2, 0.8)
F.gelu(x, approximate="tanh"); F.relu_(x.clone()); F.normalize(x); F.cosine_similarity(x, y); F.cross_entropy(x, target)
F.nll_loss(x.log(), target); F.cross_entropy(x, y.detach()); F.binary_cross_entropy(x, y.detach())
F.kl_div(x.log(), y.detach()); F.binary_cross_entropy_with_logits(x, y.detach())
F.cosine_embedding_loss(x, y, 2.0 * (i % 2) - 1); F.scaled_dot_product_attention(x[None], y[None], z[None])
F.scaled_dot_product_attention(x[None], y[None], z[None], is_causal=True)
torch.sparse_coo_tensor(i[None], y.detach(), (n, m)).to_dense(); torch.nn.init.kaiming_uniform_(x.detach().clone())
torch.nn.utils.clip_grad_norm_([given], 1.0); torch.nn.utils.rnn.pad_sequence([x, y[1:]]); F.conv1d(line, c[..., 0])
F.conv2d(image, c, padding=1); F.conv2d(image, c, stride=2, padding=1); F.conv3d(film, c[:, :, None], padding=(0, 1, 1))
F.conv_transpose1d(line, c[..., 0]); F.conv_transpose2d(image, c); F.conv_transpose3d(film, c[:, :, None])
F.avg_pool1d(line, 2); F.avg_pool2d(image, 2); F.avg_pool3d(film, (1, 2, 2)); F.max_pool1d(line, 2)
F.max_pool2d(image, 2); F.max_pool3d(film, (1, 2, 2)); F.adaptive_avg_pool1d(line, 2); F.adaptive_avg_pool2d(image, 1)
F.adaptive_avg_pool3d(film, 1); F.adaptive_max_pool1d(line, 2); F.adaptive_max_pool2d(image, 1)
F.adaptive_max_pool3d(film, 1); F.pixel_shuffle(image, 2); F.unfold(image, 2, padding=1)
F.fold(F.unfold(image, 2), image.shape[2:], 2); F.interpolate(image, scale_factor=2)
F.interpolate(image, scale_factor=2, mode="bilinear"); F.pad(image, (1, 1, 1, 1), mode="reflect")
"""

#: Layers: how they are made, and what they are called with.
LAYERS = """
nn.Linear(m, m): x; nn.Embedding(n, m): i; nn.EmbeddingBag(n, m): i, bags; nn.LayerNorm(m): x; nn.RMSNorm(m): x
nn.BatchNorm1d(m): x; nn.BatchNorm2d(4): image; nn.BatchNorm3d(4): image[..., None]; nn.GroupNorm(2, 4): image
nn.InstanceNorm2d(4): image; nn.Dropout2d(): image; nn.Flatten(): image; nn.Hardtanh(0.2, 0.8): x; nn.Softmax(-1): x
nn.LogSoftmax(-1): x; nn.CrossEntropyLoss(): x, target; nn.NLLLoss(): x, target; nn.RNN(m, 32): steps
nn.CosineEmbeddingLoss(): x, y, 2.0 * (i % 2) - 1; nn.LSTM(m, 32): steps; nn.GRU(m, 32): steps; nn.RNNCell(m, 32): x
nn.LSTMCell(m, 32): x; nn.GRUCell(m, 32): x; nn.Sequential(nn.Linear(m, m), nn.ReLU()): x
nn.MultiheadAttention(m, 4, batch_first=True): steps, steps, steps
nn.Transformer(m, 4, 1, 1, 64, batch_first=True): steps, steps
nn.TransformerEncoder(nn.TransformerEncoderLayer(m, 4, 64, batch_first=True), 1): steps
nn.TransformerDecoder(nn.TransformerDecoderLayer(m, 4, 64, batch_first=True), 1): steps, steps
"""

#: What has no time of its own to measure: containers, and questions.
APART = {"DataParallel", "Module", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Identity",
         "Parameter", "functional", "init", "modules", "utils"}  # fmt: skip


def listed(text: str) -> list[str]:
    return [call.strip() for call in re.split(r"[;\n]", text) if call.strip()]


def operands(torch: Any, size: tuple[int, int], dtype: str = "float32") -> dict[str, Any]:
    """What calls are made with: leaves that require a gradient, ids, and the package itself."""
    n, m = size
    draws = np.random.default_rng(0)
    shapes = {"x": (n, m), "y": (n, m), "z": (n, m), "w": (m, m), "v": (m,)}
    arrays = {name: draws.uniform(0.05, 0.95, shape).astype(dtype) for name, shape in shapes.items()}
    found = {name: torch.from_numpy(array) for name, array in arrays.items()}
    found |= {"image": found["x"].reshape(n // 4, 4, m // 4, 4), "steps": found["x"].reshape(8, n // 8, m)}
    found |= {"line": found["image"].flatten(2), "film": found["image"][:, :, None], "c": torch.ones(4, 4, 3, 3)}
    found = {name: x.to(found["x"].dtype).clone().requires_grad_() for name, x in found.items()}
    integers = {"i": (n, n), "target": (n, m), "j": ((n, m), m), "k": ((n, m), 4)}
    found |= {name: torch.from_numpy(draws.integers(0, below, shape)) for name, (shape, below) in integers.items()}
    given = torch.nn.Parameter(torch.ones(n, m))
    given.grad = torch.ones(n, m)
    return {
        **found, "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "n": n, "m": m, "array": arrays["x"],
        "b": found["x"].detach() > 0.5, "bags": torch.arange(0, n, 4), "given": given,
    }  # fmt: skip


def works(call: str, names: dict[str, Any]) -> bool:
    try:
        act_of(call, names)()
    except Exception:
        return False
    return True


def act_of(call: str, names: dict[str, Any]) -> Callable[[], Any]:
    """The call; a layer is made once."""
    if not call.startswith("nn."):
        return eval(f"lambda: {call}", names)
    made, given = call.split(": ", 1)
    return eval(f"lambda: layer({given})", {**names, "layer": eval(made, names).to(names["x"].dtype)})


def calls() -> tuple[list[str], list[str]]:
    """All calls; and the public names for which none was found."""
    lost, names = [], operands(minigrad, SIZES["small"])
    found = [call for call in [*listed(CALLS), *listed(LAYERS)] if works(call, names)]
    told = set(re.findall(r"\w+", " ".join(found)))
    functions = {name: getattr(minigrad.nn.functional, name) for name in minigrad.nn.functional.__all__}
    layers = {name: getattr(minigrad.nn, name) for name in dir(minigrad.nn) if name[0] != "_"}
    for place, of in {"torch": declared["torch"], "F": functions, "x": declared["Tensor"], "nn": layers}.items():
        for name, what in of.items():
            alias = getattr(what, "__name__", name) != name != f"{getattr(what, '__name__', '')}_"
            # Layers that are a function, under its name.
            function = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower() if place == "nn" else name
            apart = not {name, function}.isdisjoint(told | APART) or re.match(
                r"__|Lazy|Uninit|Upsampl|\w+Pad\dd$|DataParallel", name
            )
            if apart or alias or not callable(what):
                continue
            if place == "x":
                start = "x.clone()" if name[-1] == "_" else "x"
                tried = [f"{start}.{name}()", f"{start}.{name}(y)"]
            else:
                tried = [f"nn.{name}(): {given}" if place == "nn" else f"{place}.{name}({given})"
                         for given in ("x", "x, y", "x, y.detach()")]  # fmt: skip
            new = next((call for call in tried if works(call, names)), None)
            lost += [name] * (new is None)
            found += [new] * (new is not None)
            told.add(name)
    return found, lost


def timed(torch: Any, call: str, names: dict[str, Any], backward: bool) -> Callable[[], Any] | None:
    """What is timed: the call alone, or with its backward pass, if it has one."""
    act = act_of(call, names)
    if not backward:
        return act

    def out_of(y: Any) -> Any:
        parts = y if isinstance(y, tuple | list) else (y,)
        return next((each for each in parts if getattr(each, "requires_grad", False) and not each.is_leaf), None)

    out = out_of(act())
    if out is None:
        return None
    g = torch.ones_like(out.detach())
    leaves = [x for x in names.values() if isinstance(x, torch.Tensor) and x.is_leaf and x.requires_grad]

    def both() -> None:
        out_of(act()).backward(g)
        for leaf in leaves:
            leaf.grad = None

    try:
        both()
    except (RuntimeError, NotImplementedError):
        return None
    return both


def optimizer(torch: Any, name: str, size: tuple[int, int]) -> Callable[[], Any]:
    """A step of an optimiser on one matrix; of its rows, if it takes sparse gradients alone."""
    parameter = torch.nn.Parameter(torch.ones(size))
    made = getattr(torch.optim, name)([parameter], lr=1e-3)
    if name == "SparseAdam":
        torch.nn.functional.embedding(torch.arange(size[0] // 8), parameter, sparse=True).sum().backward()
    else:
        parameter.grad = torch.full(size, 0.5)
    return made.step


def by_hand(call: str, names: dict[str, Any]) -> Callable[[], Any] | None:
    """The function of NumPy of that name, where it takes the same."""
    match = re.fullmatch(r"(?:torch|x)\.(\w+)\((x|x, y|y|)\)", call)
    if match is None or not isinstance(getattr(np, match[1], None), np.ufunc):
        return None
    x, y = names["x"].detach().numpy(), names["y"].detach().numpy()
    function = getattr(np, match[1])
    return (lambda: function(x)) if function.nin == 1 else (lambda: function(x, y))


def optimizers() -> list[str]:
    return [name for name in minigrad.optim.__all__ if name not in ("Optimizer", "lr_scheduler")]
