"""The layers as functions: of their input and of the parameters that a module would hold."""

from __future__ import annotations

from minigrad.core.dtypes import dtype
from minigrad.core.tensor import Tensor
from minigrad.declare import declared, op
from minigrad.ops import attention, convolution, dropout, losses, norms, pooling, resampling, windows  # noqa: F401
from minigrad.ops import embedding as lookup  # noqa: F401
from minigrad.ops import softmax as along
from minigrad.ops.curves import Relu
from minigrad.tensors.errors import advised, warn_program


@op("nn.functional")
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, or 0 where it is negative."""
    return input.relu_() if inplace else Relu()(input)


@op("nn.functional")
def relu_(input: Tensor) -> Tensor:
    """In place: `relu`."""
    return input.relu_()


@op("nn.functional")
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1; computed in `dtype` if given.

    To leave out `dim` is deprecated: it is then 0 for 0, 1 and 3 dimensions and 1 for others.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return along.softmax(input, _chosen_dim("softmax", input) if dim is None else dim, dtype)


@op("nn.functional")
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`, the logarithm of the softmax, also where that is 0; see `softmax`."""
    return along.log_softmax(input, _chosen_dim("log_softmax", input) if dim is None else dim, dtype)


def _chosen_dim(name: str, input: Tensor) -> int:
    """The dimension that PyTorch takes where none is named, with its warning."""
    warn_program(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
    )
    return 0 if input.ndim in (0, 1, 3) else 1


__all__ = sorted(declared["nn.functional"])
globals().update(declared["nn.functional"])
globals().update(advised(__name__, __all__))
