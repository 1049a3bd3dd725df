"""The layers as functions: of their input and of the parameters that a module would hold."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, SupportsIndex

from minigrad.core.dtypes import dtype
from minigrad.declare import declared, op
from minigrad.methods.forms import checked_tensor
from minigrad.nn.functional.attention import scaled_dot_product_attention
from minigrad.nn.functional.classification import cross_entropy, nll_loss
from minigrad.nn.functional.distances import cosine_similarity, normalize
from minigrad.nn.functional.dropouts import dropout, dropout2d
from minigrad.nn.functional.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    kl_div,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from minigrad.nn.functional.normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from minigrad.nn.functional.padding import pad
from minigrad.nn.functional.products import linear
from minigrad.ops import lookup  # noqa: F401
from minigrad.ops.curves import Relu
from minigrad.tensor import Tensor
from minigrad.tensors.errors import advised

__all__ = [
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout2d",
    "group_norm",
    "instance_norm",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "normalize",
    "pad",
    "rms_norm",
    "scaled_dot_product_attention",
    "smooth_l1_loss",
    "softmax",
]


@op("nn.functional")
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""
    return input.relu_() if inplace else Relu()(input)


@op("nn.functional")
def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""
    return input.relu_()


def softmax(
    input: Tensor, dim: SupportsIndex | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1; computed in `dtype` if given.

    To leave out `dim` is deprecated: it is then 0 for 0, 1 and 3 dimensions and 1 for others.

    >>> import minigrad as torch
    >>> softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    checked_tensor("softmax", input)
    return input.softmax(_chosen_dim("softmax", input, _stacklevel) if dim is None else dim, dtype)


def log_softmax(
    input: Tensor, dim: SupportsIndex | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`, the logarithm of the softmax, also where that is 0; see `softmax`."""
    checked_tensor("log_softmax", input)
    return input.log_softmax(_chosen_dim("log_softmax", input, _stacklevel) if dim is None else dim, dtype)


def _chosen_dim(name: str, input: Tensor, stacklevel: int) -> int:
    """The dimension that PyTorch takes where none is named, with its warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.ndim in (0, 1, 3) else 1


__all__ += declared["nn.functional"]
globals().update(declared["nn.functional"])


if not TYPE_CHECKING:
    __getattr__ = advised("minigrad.nn.functional")
