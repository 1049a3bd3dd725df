"""Softmax and its like."""

from __future__ import annotations

import builtins
from typing import Any, SupportsIndex

from minigrad.core import dtypes, elementwise
from minigrad.core.tensor import Tensor
from minigrad.methods.forms import Dims, numpy_names
from minigrad.methods.writing import Writing
from minigrad.ops import softmax
from minigrad.ops.dims import normal_dim, reduced_dims
from minigrad.tensors.options import as_dtype


class Reduction(Writing):
    """Softmax and its like."""

    __slots__ = ()

    # ---- exponentials ------------------------------------------------------------------------------------------------

    @numpy_names
    def logsumexp(self, dim: Dims, keepdim: builtins.bool = False) -> Tensor:
        """`log(sum(exp(x)))` over the dimensions `dim`, whose exponentials do not overflow.

        >>> import minigrad as torch
        >>> torch.tensor([1000.0, 1000.0]).logsumexp(0)
        tensor(1000.6932)
        """
        if dim is None:
            raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType: () is for all dimensions")
        x = self if self._array.dtype.kind == "f" else elementwise.cast(self, dtypes.get_default_dtype())
        return softmax.LogSumExp(reduced_dims(dim, self.ndim), keepdim)(x)

    @numpy_names
    def softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 3.0]).softmax(0)
        tensor([0.0900, 0.2447, 0.6652])
        """
        return softmax.Softmax(_one_dim(dim, self._array.ndim))(_scores("softmax", self, dtype))

    @numpy_names
    def log_softmax(self, dim: SupportsIndex, dtype: dtypes.dtype | None = None) -> Tensor:
        """`x - log(sum(exp(x)))` along `dim`: the logarithm of `softmax`, also where that is too small for one.

        >>> import minigrad as torch
        >>> torch.tensor([1.0, 2.0, 3.0]).log_softmax(0)
        tensor([-2.4076, -1.4076, -0.4076])
        """
        return softmax.LogSoftmax(_one_dim(dim, self._array.ndim))(_scores("log_softmax", self, dtype))


def _in_dtype(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype given to the function `name`, if one is."""
    wanted = as_dtype(name, dtype)
    return x if wanted is None else elementwise.cast(x, wanted)


def _one_dim(dim: SupportsIndex, ndim: int) -> tuple[int, ...]:
    """The dimension `dim`, of which a 0-d tensor has none."""
    return (normal_dim(dim, ndim),)[:ndim]


def _scores(name: str, x: Any, dtype: Any) -> Any:
    """`x` in the dtype to compute a softmax in."""
    return _floating(f"{name}_lastdim_kernel_impl", _in_dtype(name, x, dtype))


def _floating(name: str, x: Any) -> Any:
    """`x`, which must be of a floating-point dtype."""
    if x._array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{name}\" not implemented for '{x.dtype._tensor_name}': convert it first, x.float()"
        )
    return x
