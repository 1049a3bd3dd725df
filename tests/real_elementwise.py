"""Rows of the real tier: arithmetic, mathematics, selecting, activations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from real_table import CASES, Case
from strategies import Array

import minigrad as torch
from minigrad.nn import functional as F

M, V = (2, 3), (3,)
MASK = np.array([[True, False, True], [False, True, True]])

erf, erfc = np.vectorize(math.erf, otypes=[float]), np.vectorize(math.erfc, otypes=[float])


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def mask_for(x: Any) -> Any:
    """The mask as what x is: a tensor or an array."""
    return torch.from_numpy(MASK) if isinstance(x, torch.Tensor) else MASK


def lerp(a: Array, b: Array, weight: Any) -> Array:
    return a * (1 - weight) + b * weight


def elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * (np.exp(x) - 1))


def gelu(x: Array) -> Array:
    return x * erfc(-x / np.sqrt(2)) / 2


def gelu_tanh(x: Array) -> Array:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def wrote(method: str, *arguments: Any) -> Any:
    """The call of the method in place, on a tensor that is the result of another op."""
    return lambda a: getattr(a * 1, method)(*arguments)


def into(function: Any, *arguments: Any) -> Any:
    """The call of the activation with `inplace`, on a tensor that is the result of another op."""
    return lambda a: function(a * 1, *arguments, inplace=True)


CASES += [
    # ---- arithmetic
    Case("add, scaled", lambda a, b: torch.add(a, b, alpha=3), [M, V], lambda a, b: a + 3 * b),
    Case("add, scaled, of a number", lambda a: torch.add(2, a, alpha=-0.5), [M], lambda a: 2 - a / 2),
    Case("sub, scaled", lambda a, b: a.sub(b, alpha=0.5), [V, M], lambda a, b: a - b / 2),
    Case("sub, of a number", lambda a: torch.sub(5, a), [M], lambda a: 5 - a),
    Case("mul, of a number", lambda a: torch.mul(5, a), [M], lambda a: 5 * a),
    Case("div, of a number, as a function", lambda a: torch.div(5, a), [M], lambda a: 5 / a),
    Case("div, floor", lambda a, b: a.div(b, rounding_mode="floor"), [M, V], np.floor_divide),
    Case("div, trunc", lambda a, b: a.div(b, rounding_mode="trunc"), [M, V], lambda a, b: np.trunc(a / b)),
    Case("remainder", lambda a, b: a % b, [M, V], np.mod),
    Case("remainder, a number", lambda a: a % 0.75, [M], lambda a: np.mod(a, 0.75)),
    Case("fmod", lambda a, b: a.fmod(b), [M, V], np.fmod),
    Case("fmod, a number", lambda a: a.fmod(-0.75), [M], lambda a: np.fmod(a, 0.75)),
    Case("lerp", lambda a, b: a.lerp(b, 0.3), [M, V], lambda a, b: lerp(a, b, 0.3)),
    Case("lerp, beyond the end", lambda a, b: a.lerp(b, 1.5), [V, M], lambda a, b: lerp(a, b, 1.5)),
    Case("lerp, weights", lambda a, b, w: a.lerp(b, w), [M, V, (2, 1)], lerp),
    Case("addcmul", lambda a, b, c: a.addcmul(b, c), [V, M, (2, 1)], lambda a, b, c: a + b * c),
    Case("addcmul, scaled", lambda a, b, c: a.addcmul(b, c, value=2), [M, M, ()], lambda a, b, c: a + 2 * b * c),
    Case("addcdiv", lambda a, b, c: a.addcdiv(b, c), [V, M, (2, 1)], lambda a, b, c: a + b / c),
    Case("addcdiv, scaled", lambda a, b, c: a.addcdiv(b, c, value=2), [M, (), M], lambda a, b, c: a + 2 * b / c),
    # ---- mathematics
    Case("abs, a method", lambda a: a.abs(), [M], np.abs),
    Case("sign", lambda a: a.sign(), [M], np.sign),
    Case("sgn", lambda a: a.sgn(), [M], np.sign),
    Case("floor", lambda a: a.floor(), [M], np.floor),
    Case("ceil", lambda a: a.ceil(), [M], np.ceil),
    Case("trunc", lambda a: a.trunc(), [M], np.trunc),
    Case("round", lambda a: a.round(), [M], np.round),
    Case("round, decimals", lambda a: a.round(decimals=1), [M], lambda a: np.round(a, 1)),
    Case("frac", lambda a: a.frac(), [M], lambda a: np.modf(a)[0]),
    Case("square", lambda a: a.square(), [M], np.square),
    Case("rsqrt", lambda a: a.rsqrt(), [M], lambda a: 1 / np.sqrt(a), positive=True),
    Case("reciprocal", lambda a: a.reciprocal(), [M], lambda a: 1 / a),
    Case("exp2", lambda a: a.exp2(), [M], np.exp2),
    Case("expm1", lambda a: a.expm1(), [M], np.expm1),
    Case("log1p", lambda a: a.log1p(), [M], np.log1p, positive=True),
    Case("log2", lambda a: a.log2(), [M], np.log2, positive=True),
    Case("log10", lambda a: a.log10(), [M], np.log10, positive=True),
    Case("sin", lambda a: a.sin(), [M], np.sin),
    Case("cos", lambda a: a.cos(), [M], np.cos),
    Case("tan", lambda a: (a / 2).tan(), [M], lambda a: np.tan(a / 2)),
    Case("asin", lambda a: (a / 4).asin(), [M], lambda a: np.arcsin(a / 4)),
    Case("acos", lambda a: (a / 4).acos(), [M], lambda a: np.arccos(a / 4)),
    Case("atan", lambda a: a.atan(), [M], np.arctan),
    Case("atan2", lambda a, b: a.atan2(b), [M, V], np.arctan2),
    Case("sinh", lambda a: a.sinh(), [M], np.sinh),
    Case("cosh", lambda a: a.cosh(), [M], np.cosh),
    Case("sigmoid", lambda a: a.sigmoid(), [M], sigmoid),
    Case("sigmoid, 0-d", lambda a: a.sigmoid(), [()], sigmoid),
    Case("logit", lambda a: (a / 4).logit(), [M], lambda a: np.log(a / (4 - a)), positive=True),
    Case("erf", lambda a: a.erf(), [M], erf),
    Case("erf, 0-d", lambda a: a.erf(), [()], erf),
    # ---- selecting
    Case("where", lambda a, b: torch.where(mask_for(a), a, b), [V, (2, 1)], lambda a, b: np.where(MASK, a, b)),
    Case("where, a broader condition", lambda a: a.where(mask_for(a), 2.0), [()], lambda a: np.where(MASK, a, 2)),
    Case("where, numbers first", lambda a: torch.where(mask_for(a), 2, a), [M], lambda a: np.where(MASK, 2, a)),
    Case("masked_fill", lambda a: a.masked_fill(mask_for(a), 2), [M], lambda a: np.where(MASK, 2, a)),
    Case("masked_fill, broadcast", lambda a: a.masked_fill(mask_for(a), 2), [V], lambda a: np.where(MASK, 2, a)),
    Case(
        "masked_fill, a tensor",
        lambda a, b: a.masked_fill(mask_for(a), b),
        [M, ()],
        lambda a, b: np.where(MASK, b, a),
    ),
    Case("clamp", lambda a: a.clamp(-1, 1.2), [M], lambda a: np.clip(a, -1, 1.2)),
    Case("clamp, min", lambda a: a.clamp(min=0.9), [M], lambda a: np.maximum(a, 0.9)),
    Case("clamp, max", lambda a: a.clamp(max=-0.9), [M], lambda a: np.minimum(a, -0.9)),
    Case("clamp, tensors", lambda a, b, c: a.clamp(b, c), [M, V, (2, 1)], np.clip),
    Case("clamp, a tensor", lambda a, b: a.clamp(max=b), [M, V], np.minimum),
    Case("clamp_min", lambda a, b: a.clamp_min(b), [M, V], np.maximum),
    Case("clamp_max, a number", lambda a: a.clamp_max(1.1), [M], lambda a: np.minimum(a, 1.1)),
    Case("maximum", lambda a, b: a.maximum(b), [M, V], np.maximum),
    Case("minimum", lambda a, b: a.minimum(b), [M, (2, 1)], np.minimum),
    Case("maximum, itself", lambda a: a.maximum(a), [M], np.copy),
    Case("fmax", lambda a, b: a.fmax(b), [M, V], np.fmax),
    Case("fmin", lambda a, b: a.fmin(b), [M, V], np.fmin),
    # ---- in place
    Case("in place, mul_", wrote("mul_", 3), [M], lambda a: 3 * a),
    Case("in place, sigmoid_", wrote("sigmoid_"), [M], sigmoid),
    Case("in place, erf_", wrote("erf_"), [M], erf),
    Case("in place, sin_", wrote("sin_"), [M], np.sin),
    Case("in place, clamp_", wrote("clamp_", -1, 1), [M], lambda a: np.clip(a, -1, 1)),
    Case("in place, remainder_", wrote("remainder_", 0.75), [M], lambda a: np.mod(a, 0.75)),
    Case("in place, addcmul_", lambda a, b: (a * 1).addcmul_(b, b), [M, V], lambda a, b: a + b * b),
    Case("in place, masked_fill_", lambda a: (a * 1).masked_fill_(mask_for(a), 2), [M], lambda a: np.where(MASK, 2, a)),
    Case("in place, elu", into(F.elu, 0.5), [M], lambda a: elu(a, 0.5)),
    Case("in place, silu", into(F.silu), [M], lambda a: a * sigmoid(a)),
    Case("in place, leaky_relu", into(F.leaky_relu, 0.2), [M], lambda a: np.where(a > 0, a, 0.2 * a)),
    # ---- activations
    Case("relu, a function", F.relu, [M], lambda a: np.maximum(a, 0)),
    Case("hardtanh", lambda a: F.hardtanh(a, -0.8, 1.1), [M], lambda a: np.clip(a, -0.8, 1.1)),
    Case("leaky_relu", lambda a: F.leaky_relu(a, 0.2), [M], lambda a: np.where(a > 0, a, 0.2 * a)),
    Case("prelu", F.prelu, [M, V], lambda a, w: np.where(a > 0, a, w * a)),
    Case("prelu, one weight", F.prelu, [M, (1,)], lambda a, w: np.where(a > 0, a, w * a)),
    Case("elu", lambda a: F.elu(a, 0.5), [M], lambda a: elu(a, 0.5)),
    Case("gelu", F.gelu, [M], gelu),
    Case("gelu, 0-d", F.gelu, [()], gelu),
    Case("gelu, tanh", lambda a: F.gelu(a, approximate="tanh"), [M], gelu_tanh),
    Case("silu", F.silu, [M], lambda a: a * sigmoid(a)),
    Case("softplus", F.softplus, [M], softplus),
    Case("softplus, beta", lambda a: F.softplus(a, 2, 1), [M], lambda a: np.where(2 * a > 1, a, softplus(2 * a) / 2)),
    Case("logsigmoid", F.logsigmoid, [M], lambda a: -softplus(-a)),
    Case("sigmoid, a function of nn", F.sigmoid, [M], sigmoid),
    Case("tanh, a function of nn", F.tanh, [M], np.tanh),
]
