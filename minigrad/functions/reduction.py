"""Reductions as functions."""

from __future__ import annotations

from minigrad.core.dtypes import Number
from minigrad.methods.forms import Dims, free, numpy_names
from minigrad.methods.reduction import moment_and_mean
from minigrad.tensor import Tensor

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "nanmean",
    "nansum",
    "norm",
    "prod",
    "softmax",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]

sum = free(Tensor.sum)
nansum = free(Tensor.nansum)
mean = free(Tensor.mean)
nanmean = free(Tensor.nanmean)
prod = free(Tensor.prod)
count_nonzero = free(Tensor.count_nonzero)
var = free(Tensor.var)
std = free(Tensor.std)
norm = free(Tensor.norm)
max = free(Tensor.max)
min = free(Tensor.min)
amax = free(Tensor.amax)
amin = free(Tensor.amin)
argmax = free(Tensor.argmax)
argmin = free(Tensor.argmin)
all = free(Tensor.all)
any = free(Tensor.any)
logsumexp = free(Tensor.logsumexp)
softmax = free(Tensor.softmax)
log_softmax = free(Tensor.log_softmax)
cumsum = free(Tensor.cumsum)
cumprod = free(Tensor.cumprod)


@numpy_names
def var_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance, as of `var`, and the mean.

    >>> from minigrad import tensor
    >>> var_mean(tensor([1.0, 2.0, 3.0, 6.0]))
    (tensor(4.6667), tensor(3.))
    """
    return moment_and_mean("var_mean", input, dim, unbiased, keepdim, correction)


@numpy_names
def std_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation, as of `std`, and the mean."""
    return moment_and_mean("std_mean", input, dim, unbiased, keepdim, correction)
