"""Activations, layers that apply a function to each element or along a dimension; dropout, their noise; attention."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import InitVar
from typing import Any, ClassVar, TypeAlias

from minigrad.core.dtypes import bool_
from minigrad.declare import with_options
from minigrad.nn import functional as F, init as initialize
from minigrad.nn.modules.layer import FunctionLayer, ParameterLayer, WeightLayer
from minigrad.nn.modules.linear import NonDynamicallyQuantizableLinear
from minigrad.nn.parameter import Parameter, add_parameters
from minigrad.ops.arguments import DType, OnDevice
from minigrad.tensor import Tensor
from minigrad.tensors.conversion import is_floating_point
from minigrad.tensors.creation import full, zeros
from minigrad.tensors.errors import result_of

__all__ = [
    "ELU", "GELU", "Dropout", "Dropout2d", "Hardtanh", "LeakyReLU", "LogSigmoid", "LogSoftmax", "MultiheadAttention",
    "PReLU", "ReLU", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh",
]  # fmt: skip


class ReLU(FunctionLayer, function=F.relu):
    """`x`, or 0 where it is negative.

    >>> import minigrad as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    inplace: bool = False


class SiLU(FunctionLayer, function=F.silu):
    """`x * sigmoid(x)`."""

    inplace: bool = False


class Sigmoid(FunctionLayer, function=F.sigmoid):
    """`1 / (1 + exp(-x))`."""


class Tanh(FunctionLayer, function=F.tanh):
    """The hyperbolic tangent."""


class LogSigmoid(FunctionLayer, function=F.logsigmoid):
    """`log(sigmoid(x))`."""


class _AlongDim(FunctionLayer, function=...):
    """A function along a dimension, which warns where none is named."""

    dim: int | None = None


class Softmax(_AlongDim, function=F.softmax):
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

    >>> import minigrad as torch
    >>> torch.nn.Softmax(dim=0)(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """


class LogSoftmax(_AlongDim, function=F.log_softmax):
    """`x - log(sum(exp(x)))` along `dim`: the logarithm of the softmax."""


class GELU(FunctionLayer, function=F.gelu):
    """`x * P(x)`, for the probability P(x) that a normal number is below `x`; see `nn.functional.gelu`.

    >>> import minigrad as torch
    >>> torch.nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    approximate: str = "none"


class LeakyReLU(FunctionLayer, function=F.leaky_relu):
    """`x` where it is positive, else `negative_slope * x`."""

    negative_slope: float = 0.01
    inplace: bool = False


class ELU(FunctionLayer, function=F.elu):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""

    alpha: float = 1.0
    inplace: bool = False


class Softplus(FunctionLayer, function=F.softplus):
    """`log(1 + exp(beta * x)) / beta`; `x` itself, which is close to it, where `beta * x > threshold`."""

    beta: float = 1.0
    threshold: float = 20.0


class Hardtanh(FunctionLayer, function=F.hardtanh):
    """`x`, raised to `min_val` and lowered to `max_val`.  Errors: AssertionError unless the first is less."""

    min_val: float = -1.0
    max_val: float = 1.0
    inplace: bool = False

    def _set_up(self) -> None:
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val must be greater than min_val: got {self.max_val} and {self.min_val}")


@with_options
class PReLU(WeightLayer):
    """`x` where it is positive, else `weight * x`, with one learned weight for all or one per channel, dimension 1.

    `weight`
        `(num_parameters,)`, a Parameter that starts as `init`.
    """

    num_parameters: int = 1
    init: float = 0.25

    def _set_up(self, device: OnDevice, dtype: DType) -> None:
        self.weight = Parameter(full((self.num_parameters,), self.init, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set the weight to `init`."""
        initialize.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, num_parameters, *)` gives the same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _DropoutNd(FunctionLayer, function=...):
    """`function(input, p, inplace)` while `training`, else the input itself."""

    p: float = 0.5
    inplace: bool = False
    _shown = ("p", "inplace")

    def _set_up(self) -> None:
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input, training=self.training)


class Dropout(_DropoutNd, function=F.dropout):
    """While training, the input with each element set to 0 with probability `p`, the others divided by `1 - p`.

    The noise is drawn as PyTorch draws it.  Source: N. Srivastava et al., "Dropout: a simple way to prevent neural
    networks from overfitting", JMLR 15 (2014).

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout = torch.nn.Dropout(0.5)
    >>> dropout(torch.ones(6)), dropout.eval()(torch.ones(6))
    (tensor([0., 0., 2., 0., 0., 0.]), tensor([1., 1., 1., 1., 1., 1.]))
    """


class Dropout2d(_DropoutNd, function=F.dropout2d):
    """While training, the input, `(N, C, H, W)`, with whole channels set to 0."""


#: What hides keys from queries: bools, True for what is hidden, or numbers that are added; None hides nothing.
Mask: TypeAlias = Tensor | None


@with_options
class MultiheadAttention(ParameterLayer):
    """Three Linears make queries, keys and values of each head, a softmax says what each query takes of the values.

    The heads' parts, `embed_dim // num_heads` features each, go side by side through a last Linear.  Source: A. Vaswani
    et al., "Attention is all you need" (2017), section 3.2.2.

    `in_proj_weight`, `in_proj_bias`
        the three Linears below one another; with a `kdim` or `vdim`, of keys and values with other sizes, there are
        `q_proj_weight`, `k_proj_weight` and `v_proj_weight`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(0)
    >>> x = torch.randn(2, 5, 8)
    >>> y, weights = torch.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    >>> y.shape, weights.shape
    (torch.Size([2, 5, 8]), torch.Size([2, 5, 5]))
    """

    __call__: ClassVar[Callable[..., tuple[Tensor, Tensor | None]]]  # type: ignore[assignment]
    embed_dim: int
    num_heads: int
    dropout: float = 0.0
    bias: InitVar[bool] = True
    add_bias_kv: InitVar[bool] = False
    add_zero_attn: InitVar[bool] = False
    kdim: int | None = None
    vdim: int | None = None
    batch_first: bool = False

    def _set_up(self, bias: bool, add_bias_kv: bool, add_zero_attn: bool, device: OnDevice, dtype: DType) -> None:
        embed_dim, num_heads = self.embed_dim, self.num_heads
        if num_heads <= 0 or embed_dim <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got {embed_dim=} and {num_heads=}")
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("add_bias_kv and add_zero_attn: torch.cat adds a key and a value to the others")
        self.head_dim = embed_dim // num_heads
        self.kdim = embed_dim if self.kdim is None else self.kdim
        self.vdim = embed_dim if self.vdim is None else self.vdim
        sizes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        stacked = {*sizes.values()} == {embed_dim}
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim) if stacked else None}
        shapes |= {f"{name}_proj_weight": None if stacked else (embed_dim, size) for name, size in sizes.items()}
        add_parameters(self, device, dtype, **shapes, in_proj_bias=(3 * embed_dim,) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device=device, dtype=dtype)
        for parameter in [*self.parameters(recurse=False), self.out_proj.bias]:
            if parameter is not None:
                (initialize.xavier_uniform_ if parameter.ndim == 2 else initialize.zeros_)(parameter)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Mask = None,
        need_weights: bool = True,
        attn_mask: Mask = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """What each query takes of the values, and the weights, or None unless `need_weights`.

        `query` is `(L, N, embed_dim)`, `key` `(S, N, kdim)`, `value` `(S, N, vdim)`; with `batch_first` N comes first,
        and without a batch it is left out.  The weights are `(N, L, S)`, the heads' average, or else
        `(N, num_heads, L, S)`.  Masks are of bools, True for what is hidden, or of numbers that are added: `attn_mask`
        is `(L, S)` or `(N * num_heads, L, S)`, and `key_padding_mask` `(N, S)`.  `is_causal` says that `attn_mask` is
        the one that hides later keys.
        """
        batched = result_of(query, "dim") == 3
        alike = query is key is value
        given: Sequence[Tensor] = (query, key, value)
        for name, x, size in zip(("query", "key", "value"), given, (self.embed_dim, self.kdim, self.vdim), strict=True):
            if result_of(x, "dim") != 2 + batched or x.shape[-1] != size:
                raise AssertionError(f"was expecting embedding dimension of {size}, but got a {name} of {x.shape}")
        if self.batch_first or not batched:
            # What is given three times is turned once.
            turned = [x.transpose(0, 1) if batched else x.unsqueeze(1) for x in ([query] if alike else given)]
            given = turned * 3 if alike else turned
        steps, batch, _ = given[0].shape
        if given[1].shape[:2] != given[2].shape[:2]:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        q, k, v = [
            x.view(len(x), batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
            for x in self._projected(given, alike)
        ]
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint: generate_square_subsequent_mask(size)")
        is_causal = is_causal and key_padding_mask is None and not need_weights
        mask = None if is_causal else self._mask(q, k, batched, attn_mask, key_padding_mask)
        p = self.dropout if self.training else 0.0
        if need_weights:
            scores = (q * (1 / self.head_dim) ** 0.5) @ k.mT
            weights = F.dropout((scores if mask is None else scores + mask).softmax(-1), p)
            y = weights @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, mask, p, is_causal)
        y = self.out_proj(y.permute(2, 0, 1, 3).reshape(steps * batch, self.embed_dim))
        y = y.view(steps, batch, self.embed_dim)
        y = y.squeeze(1) if not batched else y.transpose(0, 1) if self.batch_first else y
        if not need_weights:
            return y, None
        weights = weights.mean(1) if average_attn_weights else weights.view(weights.shape)
        return y, weights if batched else weights.squeeze(0)

    def _projected(self, given: Sequence[Tensor], alike: bool) -> Sequence[Tensor]:
        """Queries, keys and values of all heads."""
        stacked = self.in_proj_weight
        if alike and stacked is not None:
            return F.linear(given[0], stacked, self.in_proj_bias).chunk(3, -1)
        biases = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight) if stacked is None else stacked.chunk(3)
        return [F.linear(*each) for each in zip(given, weights, biases, strict=True)]

    def _mask(self, q: Tensor, k: Tensor, batched: bool, attention: Mask, padding: Mask) -> Mask:
        """What is added to the scores, `(N, num_heads, L, S)`, or broadcasts to it; None for nothing."""
        batch, heads, steps, keys = (*q.shape[:3], k.shape[2])
        # The shapes that each may have, and which it gets to broadcast by.
        of_keys: dict[Any, tuple[int, ...]] = {(batch, keys) if batched else (keys,): (batch, 1, 1, keys)}
        of_pairs: dict[Any, tuple[int, ...]] = {(steps, keys): (1, 1, steps, keys)}
        of_pairs[batch * heads, steps, keys] = (batch, heads, steps, keys)
        added: Tensor | None = None
        for name, mask, shapes in (("key_padding_mask", padding, of_keys), ("attn_mask", attention, of_pairs)):
            if mask is None:
                continue
            if not is_floating_point(mask) and mask.dtype is not bool_:
                raise AssertionError(f"only bool and floating types of {name} are supported")
            if mask.shape not in shapes:
                error = RuntimeError if name == "attn_mask" and mask.ndim in (2, 2 + batched) else AssertionError
                wanted = " or ".join([str(shape) for shape in shapes])
                raise error(f"The shape of the {mask.ndim}D {name} is {mask.shape}, but should be {wanted}")
            if mask.dtype is bool_:
                mask = zeros(mask.shape, dtype=q.dtype).masked_fill(mask, -math.inf)
            mask = mask.view(shapes[mask.shape])
            added = mask if added is None else added + mask
        return added
