"""Names that PyTorch or NumPy has and minigrad has not: what does their work, told when one is asked for."""

from __future__ import annotations

import opcode
import sys
from typing import NoReturn

_CONVOLUTIONS = "there are no convolutions and no pooling; x.unfold(dim, size, step) has the windows for a nn.Linear"
_ATTENTION = "nn.functional.scaled_dot_product_attention between nn.Linear layers does its work"
_LINEAR_ALGEBRA = "torch.norm, matmul and einsum are there; np.linalg takes x.numpy(), and from_numpy its result"
_ADAM = "Adam or AdamW does its work"
_BY_EPOCH = "LambdaLR takes any function of the epoch, such as lambda epoch: 0.5 * (1 + math.cos(epoch % 10))"
_PRECISION = "dtypes are float16, float32, float64, bool and integers"

#: By the place where they would be: the name, and what to use.
_NAMES: dict[str, dict[str, str]] = {
    "minigrad": {
        "addbmm": "input + (batch1 @ batch2).sum(0)",
        "addmv": "input + mat @ vec",
        "addr": "input + torch.outer(vec1, vec2)",
        "adjoint": "x.mT",
        "aminmax": "x.amin(dim) and x.amax(dim)",
        "amp": "compute in float32",
        "are_deterministic_algorithms_enabled": "results are the same each time",
        "asarray": "torch.as_tensor(data)",
        "atleast_3d": "x.unsqueeze(-1) of a matrix",
        "autocast": "compute in float32",
        "baddbmm": "input + batch1 @ batch2",
        "bfloat16": _PRECISION,
        "block_diag": "torch.zeros, and each matrix written into its place: out[i : i + n, j : j + m] = a",
        "cartesian_prod": "torch.stack([x.flatten() for x in torch.meshgrid(a, b, indexing='ij')], 1)",
        "cdist": "torch.norm(a.unsqueeze(-2) - b.unsqueeze(-3), dim=-1) is all distances",
        "cholesky": _LINEAR_ALGEBRA,
        "column_stack": "torch.stack(vectors, 1), or torch.cat(matrices, 1)",
        "combinations": "torch.tensor(list(itertools.combinations(range(len(x)), r))) has the indices",
        "complex128": _PRECISION,
        "complex64": _PRECISION,
        "conv1d": _CONVOLUTIONS,
        "conv2d": _CONVOLUTIONS,
        "cross": "torch.roll and products of the parts make one",
        "cummax": "torch.stack([x[: k + 1].amax(0) for k in range(len(x))])",
        "cummin": "torch.stack([x[: k + 1].amin(0) for k in range(len(x))])",
        "det": _LINEAR_ALGEBRA,
        "diagflat": "x.flatten().diag()",
        "diagonal_scatter": "y = x.clone(), then y.diagonal(offset)[:] = src",
        "diff": "x[..., 1:] - x[..., :-1]",
        "distributed": "one process computes",
        "distributions": "torch.normal, bernoulli and multinomial draw; log-probabilities are written out",
        "dsplit": "x.chunk(n, 2)",
        "dstack": "torch.stack(matrices, 2)",
        "empty_permuted": "torch.empty(size).permute(dims)",
        "empty_strided": "torch.empty(size).permute(dims)",
        "erfc": "1 - torch.erf(x)",
        "export": "torch.save stores a state_dict",
        "fft": "np.fft takes x.numpy(), and torch.from_numpy its result",
        "fill": "torch.full_like(input, value)",
        "fliplr": "x.flip(1)",
        "flipud": "x.flip(0)",
        "from_dlpack": "torch.from_numpy(np.from_dlpack(x))",
        "func": "torch.autograd.grad(…, create_graph=True) gives derivatives of any order",
        "get_float32_matmul_precision": "products keep all digits",
        "hsplit": "x.chunk(n, 1)",
        "hypot": "torch.sqrt(a * a + b * b)",
        "iinfo": 'np.iinfo("int64") has the limits',
        "index_copy": "y = x.clone(), then y[index] = source, or y[:, index] = source",
        "inner": 'a @ b.T, or torch.einsum("...i,...i->...", a, b)',
        "inverse": _LINEAR_ALGEBRA,
        "is_same_size": "a.shape == b.shape",
        "jit": "there is nothing to compile to: call the function or module itself",
        "kron": 'torch.einsum("ij,kl->ikjl", a, b).reshape(rows, columns) for matrices',
        "kthvalue": "x.sort(dim), and of its values and indices those at k - 1",
        "linalg": _LINEAR_ALGEBRA,
        "logaddexp": "torch.logsumexp(torch.stack([a, b]), 0)",
        "logcumsumexp": "torch.stack([x[: k + 1].logsumexp(0) for k in range(len(x))])",
        "logspace": "base ** torch.linspace(start, end, steps)",
        "masked_scatter": "y = x.clone(), then y[mask] = source[:mask.sum()]",
        "msort": "x.sort(0).values",
        "multiprocessing": "one process computes",
        "nan_to_num": "x.masked_fill(x.isnan(), 0.0), and torch.clamp for infinities",
        "nanmedian": "x[~x.isnan()].median()",
        "onnx": "torch.save stores a state_dict",
        "put": "y = x.flatten(), then y[index] = source",
        "randint_like": "torch.randint(low, high, x.shape)",
        "rot90": "x.transpose(0, 1).flip(0) is a quarter",
        "row_stack": "torch.vstack(tensors)",
        "scalar_tensor": "torch.tensor(number, dtype=torch.get_default_dtype())",
        "scatter_reduce": "scatter_add for sums and, over the counts, for means; for extrema torch.stack and amax",
        "searchsorted": "torch.bucketize(values, boundaries) for one sorted vector",
        "select_scatter": "y = x.clone(), then y.select(dim, index)[:] = src",
        "slice_scatter": "y = x.clone(), then y[start:end:step] = src",
        "split_with_sizes": "x.split(sizes, dim)",
        "svd": _LINEAR_ALGEBRA,
        "tensor_split": "torch.split or torch.chunk",
        "tril_indices": "torch.ones(row, col).tril(offset).nonzero().T",
        "triu_indices": "torch.ones(row, col).triu(offset).nonzero().T",
        "unique_consecutive": "x[torch.cat([torch.tensor([True]), x[1:] != x[:-1]])]",
        "unravel_index": "places // columns and places % columns",
        "var_mean": "x.var(dim) and x.mean(dim)",
        "vdot": "torch.dot(a, b)",
        "vmap": "give the operations one more dimension in front, which broadcasts",
        "vsplit": "x.chunk(n, 0)",
        "xlogy": "(a * b.log()).masked_fill(a == 0, 0)",
    },
    "minigrad.nn": {
        "AlphaDropout": "nn.Dropout is there",
        "AvgPool1d": _CONVOLUTIONS,
        "AvgPool2d": _CONVOLUTIONS,
        "Bilinear": "torch.einsum('…i,oij,…j->…o', x1, weight, x2) + bias in forward",
        "Buffer": "self.register_buffer(name, tensor)",
        "CELU": "alpha * nn.functional.elu(x / alpha)",
        "Conv1d": _CONVOLUTIONS,
        "Conv2d": _CONVOLUTIONS,
        "DataParallel": "one process computes: call the module itself",
        "Dropout1d": "nn.Dropout2d()(x.unsqueeze(-1)).squeeze(-1)",
        "Dropout3d": "nn.Dropout2d()(x.flatten(3)).view(x.shape)",
        "FeatureAlphaDropout": "nn.Dropout2d is there",
        "GaussianNLLLoss": "((var.log() + (input - target) ** 2 / var) / 2).mean()",
        "GLU": "a * b.sigmoid() for a, b = x.chunk(2, -1)",
        "Hardshrink": "torch.where(x.abs() > 0.5, x, 0.0)",
        "Hardsigmoid": "(x / 6 + 0.5).clamp(0, 1)",
        "Hardswish": "x * (x / 6 + 0.5).clamp(0, 1)",
        "HingeEmbeddingLoss": "torch.where(target == 1, input, (margin - input).clamp(min=0)).mean()",
        "HuberLoss": "delta * nn.SmoothL1Loss(beta=delta)(input, target)",
        "InstanceNorm1d": "nn.InstanceNorm2d(C)(x.unsqueeze(-1)).squeeze(-1)",
        "InstanceNorm3d": "nn.InstanceNorm2d(C)(x.flatten(3)).view(x.shape)",
        "MarginRankingLoss": "(margin - target * (input1 - input2)).clamp(min=0).mean()",
        "MaxPool1d": _CONVOLUTIONS,
        "MaxPool2d": _CONVOLUTIONS,
        "Mish": "x * nn.functional.softplus(x).tanh()",
        "MultiheadAttention": _ATTENTION,
        "MultiLabelSoftMarginLoss": "nn.BCEWithLogitsLoss is there",
        "PairwiseDistance": "torch.norm(x1 - x2, dim=-1)",
        "ParameterDict": "self.register_parameter(name, parameter) for each, and getattr(self, name)",
        "ParameterList": "self.register_parameter(name, parameter) for each, and getattr(self, name)",
        "PoissonNLLLoss": "(input.exp() - target * input).mean()",
        "ReLU6": "nn.Hardtanh(0.0, 6.0)",
        "SELU": "1.0507009873554805 * nn.functional.elu(x, 1.6732632423543772)",
        "SoftMarginLoss": "nn.functional.softplus(-target * input).mean()",
        "Softmin": "nn.Softmax(dim)(-x)",
        "Softshrink": "x - x.clamp(-0.5, 0.5)",
        "Softsign": "x / (1 + x.abs())",
        "Tanhshrink": "x - x.tanh()",
        "Threshold": "torch.where(x > threshold, x, value)",
        "Transformer": _ATTENTION,
        "TransformerDecoder": _ATTENTION,
        "TransformerDecoderLayer": _ATTENTION,
        "TransformerEncoder": _ATTENTION,
        "TransformerEncoderLayer": _ATTENTION,
        "TripletMarginLoss": "(near - far + margin).clamp(min=0).mean() for the distances from the anchor",
        "TripletMarginWithDistanceLoss": "(near - far + margin).clamp(min=0).mean() for the distances from the anchor",
        "Unflatten": "x.unflatten(dim, sizes) in forward",
    },
    "minigrad.nn.init": {
        "sparse_": "normal_, then zeros in the rows torch.randperm(len(w))[:n] of each column",
    },
    "minigrad.nn.utils": {
        "parameters_to_vector": "torch.cat([p.view(-1) for p in parameters])",
        "vector_to_parameters": "p.data.copy_(part.view_as(p)) for p, part in zip(parameters, vector.split(sizes))",
    },
    "minigrad.optim": {
        "Adamax": _ADAM,
        "LBFGS": "Adam does its work, or SGD with a small learning rate",
        "NAdam": _ADAM,
        "RAdam": _ADAM,
    },
    "minigrad.optim.lr_scheduler": {
        "ChainedScheduler": "call step() of each scheduler: those that multiply the rate act together on one optimizer",
        "ConstantLR": "LambdaLR(optimizer, lambda epoch: factor if epoch < total_iters else 1) is the same",
        "CosineAnnealingWarmRestarts": _BY_EPOCH,
        "CyclicLR": _BY_EPOCH,
        "MultiplicativeLR": "LambdaLR takes the product of the factors up to an epoch",
        "PolynomialLR": "LambdaLR(optimizer, lambda epoch: (1 - min(epoch, n) / n) ** power) is the same",
        "SequentialLR": _BY_EPOCH,
    },
    "minigrad.utils.data": {
        "ChainDataset": "an IterableDataset whose __iter__ has yield from each of several is one",
        "SubsetRandomSampler": "DataLoader(Subset(data, indices), shuffle=True) has the examples at indices, shuffled",
        "WeightedRandomSampler": "sampler=torch.multinomial(weights, num_samples, replacement=True).tolist() is one",
    },
}

#: Functions that are missing as their layers are: what does the work of the layer does theirs.
_FUNCTIONS_OF_LAYERS = """
alpha_dropout bilinear celu celu_ dropout1d dropout3d feature_alpha_dropout gaussian_nll_loss hardshrink hardsigmoid
hardswish hinge_embedding_loss huber_loss margin_ranking_loss mish multilabel_soft_margin_loss pairwise_distance
poisson_nll_loss relu6 selu selu_ soft_margin_loss softmin softshrink softsign tanhshrink threshold threshold_
triplet_margin_loss triplet_margin_with_distance_loss
"""
_LAYERS = {layer.lower(): hint for layer, hint in _NAMES["minigrad.nn"].items()}
_NAMES["minigrad.nn.functional"] = {name: _LAYERS[name.replace("_", "")] for name in _FUNCTIONS_OF_LAYERS.split()}
_NAMES["minigrad.nn.functional"]["gumbel_softmax"] = (
    "((logits - torch.empty_like(logits).exponential_().log()) / tau).softmax(-1)"
)

#: The same for NumPy's names, which PyTorch has not either.
_NUMPY_NAMES: dict[str, dict[str, str]] = {
    "minigrad": {
        "array": "torch.tensor(data)",
        "copy": "x.clone()",
        "ndarray": "torch.Tensor",
    },
}


def advice(place: str, name: str) -> str:
    """What to use in place of a name that `place` has not, as the end of an error message; "" for names unknown here.

    >>> advice("minigrad", "array")
    ": that is NumPy's name, here it is torch.tensor(data)"
    """
    if name in _NUMPY_NAMES.get(place, {}):
        return f": that is NumPy's name, here it is {_NUMPY_NAMES[place][name]}"
    if name in _NAMES.get(place, {}):
        return f": PyTorch has it, minigrad does not; {_NAMES[place][name]}. docs/pytorch.md lists what is there"
    return ""


def refuse_name(place: str, name: str) -> NoReturn:
    """The AttributeError for a name that the module `place` has not; the ImportError, if `from … import` asks.

    >>> refuse_name("minigrad", "ndarray")
    Traceback (most recent call last):
    AttributeError: module 'minigrad' has no attribute 'ndarray': that is NumPy's name, here it is torch.Tensor
    """
    told, module = advice(place, name), sys.modules[place]
    # Of an AttributeError, `from … import` would tell nothing: it asks here, or has importlib ask whether there is one.
    asking = sys._getframe(2)
    asked_by = opcode.opname[asking.f_code.co_code[asking.f_lasti]]
    if told and (asked_by == "IMPORT_FROM" or asking.f_code.co_name == "_handle_fromlist"):
        raise ImportError(f"cannot import name {name!r} from {place!r}{told}", name=place, path=module.__file__)
    raise AttributeError(f"module {place!r} has no attribute {name!r}{told}", name=name, obj=module)
