"""Mathematical functions of each element."""

from __future__ import annotations

from minigrad.functions.numbers import of_number_or_tensor
from minigrad.methods.forms import free
from minigrad.tensor import Tensor

__all__ = [
    "abs",
    "absolute",
    "acos",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "frac",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logit",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "xlogy",
]

abs = absolute = free(Tensor.abs)
sign = free(Tensor.sign)
sgn = free(Tensor.sgn)
floor = free(Tensor.floor)
ceil = free(Tensor.ceil)
trunc = fix = free(Tensor.trunc)
round = free(Tensor.round)
frac = free(Tensor.frac)
square = free(Tensor.square)
sqrt = free(Tensor.sqrt)
rsqrt = free(Tensor.rsqrt)
reciprocal = free(Tensor.reciprocal)
exp = free(Tensor.exp)
exp2 = free(Tensor.exp2)
expm1 = free(Tensor.expm1)
log = free(Tensor.log)
log1p = free(Tensor.log1p)
log2 = free(Tensor.log2)
log10 = free(Tensor.log10)
logaddexp = free(Tensor.logaddexp)
xlogy = of_number_or_tensor(Tensor.xlogy)
sin = free(Tensor.sin)
cos = free(Tensor.cos)
tan = free(Tensor.tan)
asin = arcsin = free(Tensor.asin)
acos = arccos = free(Tensor.acos)
atan = arctan = free(Tensor.atan)
atan2 = arctan2 = free(Tensor.atan2)
hypot = free(Tensor.hypot)
sinh = free(Tensor.sinh)
cosh = free(Tensor.cosh)
tanh = free(Tensor.tanh)
sigmoid = free(Tensor.sigmoid)
logit = free(Tensor.logit)
erf = free(Tensor.erf)
relu = free(Tensor.relu)
