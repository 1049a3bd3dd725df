"""Transformers: layers of attention, and of two Linears that see each position by itself.

Source: A. Vaswani et al., "Attention is all you need" (2017).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from minigrad.nn import functional as F, init
from minigrad.nn.modules.activation import Dropout, Mask, MultiheadAttention
from minigrad.nn.modules.container import ModuleList
from minigrad.nn.modules.layer import Layer
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import LayerNorm
from minigrad.ops.arguments import DType, OnDevice
from minigrad.tensor import Tensor
from minigrad.tensors.creation import full

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


_ACTIVATIONS: dict[Any, Any] = {"relu": F.relu, "gelu": F.gelu}


class _Layer(Module):
    """Attentions and two Linears: the output of each, after dropout, is added to its input, and normalized.

    With `norm_first`, the input is normalized instead of the sum.
    """

    #: The attentions, in the order of their use.
    _attentions: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: OnDevice = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        on: dict[str, Any] = {"device": device, "dtype": dtype}
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **on))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **on)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **on)
        self.norm_first = norm_first
        numbers = range(1, len(self._attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, True, bias, **on))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = _ACTIVATIONS.get(activation, activation)
        if isinstance(activation, str) and activation not in _ACTIVATIONS:
            raise RuntimeError(f"activation should be relu/gelu, not {activation}: or give a function")

    def _through(self, x: Tensor, *attentions: Callable[[Tensor], tuple[Tensor, Any]]) -> Tensor:
        """`x` after its attentions and the two Linears."""
        for number, part in enumerate([*attentions, self._each_by_itself], 1):
            norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
            x = x + dropout(part(norm(x))[0]) if self.norm_first else norm(x + dropout(part(x)[0]))
        return x

    def _each_by_itself(self, x: Tensor) -> tuple[Tensor, None]:
        return self.linear2(self.dropout(self.activation(self.linear1(x)))), None


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two Linears; each is added to its input and normed.

    `src` and the result are `(S, N, d_model)`, with `batch_first` `(N, S, d_model)`; the masks are those of
    `MultiheadAttention`.
    """

    def forward(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool = False
    ) -> Tensor:
        return self._through(
            src, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)
        )


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to `memory`, what an encoder made, then two Linears.

    Each is added to its input and normed.  The masks are those of `MultiheadAttention`.
    """

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = (tgt_key_padding_mask, False, tgt_mask, True, tgt_is_causal)
        other = (memory_key_padding_mask, False, memory_mask, True, memory_is_causal)
        return self._through(
            tgt, lambda x: self.self_attn(x, x, x, *own), lambda x: self.multihead_attn(x, memory, memory, *other)
        )


class _Stack(Module):
    """Copies of a layer, one after the other, and perhaps a norm."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _through(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *args, **options)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """`num_layers` copies of an encoder layer, one after the other, and perhaps a norm.

    >>> import minigrad as torch
    >>> encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, batch_first=True), num_layers=2)
    >>> encoder(torch.randn(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool | None = None
    ) -> Tensor:
        return self._through(src, mask, src_key_padding_mask, is_causal=bool(is_causal))


class TransformerDecoder(_Stack):
    """`num_layers` copies of a decoder layer, one after the other, and perhaps a norm; each takes all the arguments."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt: Tensor, memory: Tensor, *masks: Mask, **options: Any) -> Tensor:
        """What the last of the layers makes: see `TransformerDecoderLayer`, whose masks and options these are."""
        return self._through(tgt, memory, *masks, **options)


class Transformer(Layer):
    """An encoder, and a decoder that attends to what it made.

    `src` is `(S, N, d_model)`, `tgt` and the result `(T, N, d_model)`; with `batch_first` N comes first.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: OnDevice = None,
        dtype: DType = None,
    ) -> None:
        if custom_encoder is not None or custom_decoder is not None:
            raise NotImplementedError("custom_encoder and custom_decoder: a Module of one's own calls them in turn")
        super().__init__()
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
        norm = LayerNorm(d_model, layer_norm_eps, True, bias, device=device, dtype=dtype)
        first, then = [kind(d_model, nhead, *options) for kind in (TransformerEncoderLayer, TransformerDecoderLayer)]
        self.encoder = TransformerEncoder(first, num_encoder_layers, norm)
        self.decoder = TransformerDecoder(then, num_decoder_layers, copy.deepcopy(norm))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Mask = None,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        src_key_padding_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError(f"the batch number of src and tgt must be equal: it is dimension {batch}")
        if not src.shape[-1] == tgt.shape[-1] == self.d_model:
            raise RuntimeError(f"the feature number of src and tgt must be equal to d_model, {self.d_model}")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: OnDevice = None, dtype: DType = None) -> Tensor:
        """The mask that hides the keys after each query: -inf above the diagonal, 0 elsewhere."""
        return full((sz, sz), -math.inf, dtype=dtype, device=device).triu(diagonal=1)
