"""Probability distributions: draws from them, the probabilities of values, and how far one is from another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

import minigrad as torch
from minigrad import tensors
from minigrad.core.tensor import Size, Tensor
from minigrad.nn import functional as F
from minigrad.tensors.errors import add_module, advised, result_of

__all__ = [
    "Bernoulli", "Binomial", "Categorical", "Distribution", "Multinomial", "Normal", "Uniform", "kl_divergence",
]  # fmt: skip
globals().update(advised(__name__, __all__))


# ---- what all share --------------------------------------------------------------------------------------------------


class Constraint(NamedTuple):
    """A condition on parameters or values: its text in PyTorch's errors, and a test of each element or vector."""

    text: str
    holds: Callable[[Tensor], Tensor]

    def __repr__(self) -> str:
        return self.text

    def check(self, what: str, value: Tensor, has_to: str, of: object) -> None:
        """Raise a ValueError unless it holds of all values; only for that is `has_to` filled in."""
        if not self.holds(value).all():
            kind = f"{type(value).__name__} of shape {tuple(value.shape)}"
            has_to = has_to.format(constraint=self, of=of)
            raise ValueError(f"Expected {what} ({kind}) {has_to}, but found invalid values:\n{value}")


_REAL = Constraint("Real()", lambda x: x == x)
_REAL_VECTOR = Constraint("IndependentConstraint(Real(), 1)", lambda x: (x == x).all(-1))
_POSITIVE = Constraint("GreaterThan(lower_bound=0.0)", lambda x: x > 0)
_BOOLEAN = Constraint("Boolean()", lambda x: (x == 0) | (x == 1))
_PROBABILITY = Constraint("Interval(lower_bound=0.0, upper_bound=1.0)", lambda x: (x >= 0) & (x <= 1))
_SIMPLEX = Constraint("Simplex()", lambda x: (x >= 0).all(-1) & ((x.sum(-1) - 1).abs() < 1e-6))
_COUNT = Constraint("IntegerGreaterThan(lower_bound=0)", lambda x: (x % 1 == 0) & (x >= 0))


def _up_to(high: Any) -> Constraint:
    text = f"IntegerInterval(lower_bound=0, upper_bound={high})"
    return Constraint(text, lambda x: _COUNT.holds(x) & (x <= high))


class Distribution:
    """A distribution for each element of `batch_shape`; a draw from each has `event_shape`.

    A subclass sets its parameters, and calls this constructor, which checks them against `arg_constraints`: an error
    says which one is not what it has to be.  So does `log_prob` of values that are never drawn.
    """

    has_rsample: ClassVar[bool] = False
    arg_constraints: Mapping[str, Constraint]
    support: Constraint

    def __init__(self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = ()) -> None:
        self.batch_shape, self.event_shape = Size(batch_shape), Size(event_shape)
        for name, value in self._given().items():
            has_to = "of distribution {of!r} to satisfy the constraint {constraint}"
            self.arg_constraints[name].check(f"parameter {name}", value, has_to, self)

    def __repr__(self) -> str:
        parts = [f"{name}: {each if each.numel() == 1 else each.size()}" for name, each in self._given().items()]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __getattr__(self, name: str) -> Any:
        told = tensors.failures.advice("minigrad.distributions.Distribution", name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{told}")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws, `(*sample_shape, *batch_shape, *event_shape)`, without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws through which gradients flow to the parameters; a NotImplementedError if there are none."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability, or of the density, at `value`."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.shape, self._shape_of(())
        unlike = [pair for pair in zip(shape[::-1], expected[::-1], strict=False) if pair[0] != pair[1]]
        if shape[value.ndim - len(self.event_shape) :] != self.event_shape or not all([1 in pair for pair in unlike]):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        has_to = "to be within the support ({constraint}) of the distribution {of!r}"
        self.support.check("value argument", value, has_to, self)
        log_prob: Tensor = self._log_prob(value)
        return log_prob

    def _given(self) -> dict[str, Tensor]:
        """The parameters that were given: of probs and logits, the other one is computed when it is asked for."""
        return {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}

    def _shape_of(self, sample_shape: Sequence[int]) -> Size:
        return Size((*sample_shape, *self.batch_shape, *self.event_shape))


class _ByProbability(Distribution):
    """A distribution that is given by probabilities or by their logits; the other is computed when asked for."""

    #: Whether a probability is that of 1, and the rest that of 0; else the last dimension has one for each class.
    _of_two: ClassVar[bool] = True

    @cached_property
    def logits(self) -> Tensor:
        """The logarithms of the odds; of probabilities of classes, their logarithms."""
        with torch.enable_grad():
            # Away from 0 and 1, logarithms are finite.
            eps = torch.finfo(self.probs.dtype).eps
            probs = self.probs.clamp(eps, 1 - eps)
            return probs.log() - (-probs).log1p() if self._of_two else probs.log()

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities."""
        with torch.enable_grad():
            return self.logits.sigmoid() if self._of_two else self.logits.softmax(-1)


Given = Tensor | float | None


def _one_of(probs: Given, logits: Given) -> tuple[str, Any]:
    """The name and the value of the one that is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


def _broadcast(*values: Any) -> list[Tensor]:
    """Tensors and numbers as tensors of one shape; numbers get the dtype of the first tensor."""
    if not all([isinstance(value, (Tensor, int, float)) for value in values]):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor")
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), torch.get_default_dtype())
    tensors = [value if isinstance(value, Tensor) else torch.tensor(value, dtype=dtype) for value in values]
    return list(torch.broadcast_tensors(*tensors))


def _bounded(terms: Tensor, never_here: Tensor, never_there: Tensor) -> Tensor:
    """Terms of a divergence: 0 for values that never come here, else infinite for those that never come there."""
    return terms.masked_fill(never_there, math.inf).masked_fill(never_here, 0)


def _log_factorial(counts: Tensor) -> Tensor:
    """The logarithm of the factorial of each count, which has no gradient."""
    return torch.from_numpy(np.vectorize(math.lgamma, [float])(counts.detach().numpy() + 1)).to(counts.dtype)


# ---- the distributions -----------------------------------------------------------------------------------------------


class Normal(Distribution):
    """The normal distribution with mean `loc` and standard deviation `scale`, numbers or tensors that broadcast.

    `rsample` is `loc + noise * scale`: D. Kingma and M. Welling, arXiv:1312.6114.

    >>> import minigrad as torch
    >>> Normal(0.0, 1.0), Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
    (Normal(loc: 0.0, scale: 1.0), tensor(-0.9189))
    """

    has_rsample = True
    arg_constraints: Mapping[str, Constraint] = {"loc": _REAL, "scale": _POSITIVE}
    support = _REAL

    def __init__(self, loc: Tensor | float, scale: Tensor | float) -> None:
        self.loc, self.scale = _broadcast(loc, scale)
        super().__init__(self.loc.shape)

    mean = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.pow(2))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = torch.empty(self._shape_of(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + noise * self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        variance = self.scale**2
        return -((value - self.loc) ** 2) / (2 * variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    def _divergence(self, other: Normal) -> Tensor:
        ratio = (self.scale / other.scale).pow(2)
        return 0.5 * (ratio + ((self.loc - other.loc) / other.scale).pow(2) - 1 - ratio.log())


class Uniform(Distribution):
    """Every number of `[low, high)` is as likely as any other.

    >>> Uniform(0.0, 4.0).mean, Uniform(0.0, 4.0).entropy()
    (tensor(2.), tensor(1.3863))
    """

    has_rsample = True

    def __init__(self, low: Tensor | float, high: Tensor | float) -> None:
        self.low, self.high = low, high = _broadcast(low, high)
        self.arg_constraints = {
            "low": Constraint(f"LessThan(upper_bound={high})", lambda x: x < high),
            "high": Constraint(f"GreaterThan(lower_bound={low})", lambda x: x > low),
        }
        text = f"Interval(lower_bound={low}, upper_bound={high})"
        self.support = Constraint(text, lambda x: (low <= x) & (x <= high))
        super().__init__(low.shape)

    mean = property(lambda self: (self.high + self.low) / 2)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = torch.rand(self._shape_of(sample_shape), dtype=self.low.dtype)
        return self.low + drawn * (self.high - self.low)

    def _log_prob(self, value: Tensor) -> Tensor:
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        return torch.log(self.high - self.low)

    def _divergence(self, other: Uniform) -> Tensor:
        beyond = (other.low > self.low) | (other.high < self.high)
        return ((other.high - other.low) / (self.high - self.low)).log().masked_fill(beyond, math.inf)


class Bernoulli(_ByProbability):
    """1 with probability `probs`, else 0; `logits` are the logarithms of the odds.

    >>> import minigrad as torch
    >>> coin = Bernoulli(torch.tensor([0.3, 0.5]))
    >>> coin.log_prob(torch.tensor([1.0, 0.0])).exp()
    tensor([0.3000, 0.5000])
    """

    arg_constraints: Mapping[str, Constraint] = {"probs": _PROBABILITY, "logits": _REAL}
    support = _BOOLEAN

    def __init__(self, probs: Given = None, logits: Given = None) -> None:
        name, given = _one_of(probs, logits)
        (given,) = _broadcast(given)
        setattr(self, name, given)
        super().__init__(given.shape)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return torch.bernoulli(self.probs.detach().expand(self._shape_of(sample_shape)))

    def _log_prob(self, value: Tensor) -> Tensor:
        logits, value = _broadcast(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def _divergence(self, other: Bernoulli) -> Tensor:
        one = self.probs * (F.softplus(-other.logits) - F.softplus(-self.logits))
        zero = (1 - self.probs) * (F.softplus(other.logits) - F.softplus(self.logits))
        return _bounded(one, self.probs == 0, other.probs == 0) + _bounded(zero, self.probs == 1, other.probs == 1)


class Categorical(_ByProbability):
    """A class 0 … K-1 with the probabilities `probs`, `(*, K)`, which are made to sum to 1; or by `logits`.

    >>> import minigrad as torch
    >>> action = Categorical(torch.tensor([1.0, 3.0]))
    >>> action.probs, action.log_prob(torch.tensor(1)).exp()
    (tensor([0.2500, 0.7500]), tensor(0.7500))
    """

    arg_constraints: Mapping[str, Constraint] = {"probs": _SIMPLEX, "logits": _REAL_VECTOR}
    _of_two = False

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None) -> None:
        name, given = _one_of(probs, logits)
        if result_of(given, "dim") < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        total = given.sum(-1, keepdim=True) if name == "probs" else given.logsumexp(-1, keepdim=True)
        given = given / total if name == "probs" else given - total
        setattr(self, name, given)
        self._classes = given.shape[-1]
        self.support = _up_to(self._classes - 1)
        super().__init__(given.shape[:-1])

    mode = property(lambda self: self.probs.argmax(-1))
    # Classes have neither.
    mean = variance = property(lambda self: torch.full(self.batch_shape, math.nan, dtype=self.probs.dtype))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        rows = self.probs.detach().reshape(-1, self._classes)
        return torch.multinomial(rows, math.prod(sample_shape), True).T.reshape(self._shape_of(sample_shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        logits = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def _divergence(self, other: Categorical) -> Tensor:
        terms = self.probs * (self.logits - other.logits)
        return _bounded(terms, self.probs == 0, other.probs == 0).sum(-1)


class Multinomial(Distribution):
    """How often each of K classes is drawn, `(*, K)`, in `total_count` draws with probabilities `probs` or `logits`.

    >>> import minigrad as torch
    >>> Multinomial(10, torch.ones(2)).mean
    tensor([5., 5.])
    """

    arg_constraints = Categorical.arg_constraints

    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count, self._categorical = total_count, Categorical(probs, logits)
        self.support = Constraint("Multinomial()", lambda x: _COUNT.holds(x).all(-1) & (x.sum(-1) <= total_count))
        super().__init__(self._categorical.batch_shape, self.probs.shape[-1:])

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        classes = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = torch.zeros(self._shape_of(sample_shape), dtype=torch.int64)
        return counts.scatter_add_(-1, classes, torch.ones_like(classes)).type_as(self.probs)

    def _log_prob(self, value: Tensor) -> Tensor:
        logits, value = _broadcast(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return _log_factorial(value.sum(-1)) - _log_factorial(value).sum(-1) + (logits * value).sum(-1)


class Binomial(_ByProbability):
    """The number of ones in `total_count` draws that are 1 with probability `probs`, or by `logits`, their log-odds.

    >>> import minigrad as torch
    >>> Binomial(4, torch.tensor(0.5)).log_prob(torch.tensor(2.0)).exp()
    tensor(0.3750)
    """

    arg_constraints: Mapping[str, Constraint] = {"total_count": _COUNT, "probs": _PROBABILITY, "logits": _REAL}

    def __init__(self, total_count: Tensor | int = 1, probs: Given = None, logits: Given = None) -> None:
        name, given = _one_of(probs, logits)
        count, given = _broadcast(total_count, given)
        setattr(self, name, given)
        self.total_count = count.type_as(given)
        self.support = _up_to(self.total_count)
        super().__init__(given.shape)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._shape_of(sample_shape)
        counts, probs = [each.detach().expand(shape).flatten().tolist() for each in (self.total_count, self.probs)]
        drawn = [_ones_among(count, p) for count, p in zip(counts, probs, strict=True)]
        return torch.tensor(drawn, dtype=self.probs.dtype).reshape(shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        count, logits = self.total_count, self.logits
        # max(logits, 0), whose slope at 0 is 1/2.
        bounded = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normalized = count * bounded + count * (-logits.abs()).exp().log1p() - _log_factorial(count)
        return value * logits - _log_factorial(value) - _log_factorial(count - value) - normalized


def _ones_among(count: float, p: float) -> float:
    """A draw: how many gaps between ones, or where p > 1/2 between zeros, each of a geometric length, fit."""
    rarer = min(p, 1 - p)
    if count * rarer >= 10:
        raise NotImplementedError(f"Binomial draws where fewer than 10 are expected: sum Bernoulli draws, not {count}")
    found, place = 0, 0.0
    while rarer > 0:
        uniform = torch.rand((), dtype=torch.float64).item()
        place += math.ceil(math.log(uniform) / math.log1p(-rarer))
        if place > count:
            break
        found += 1
    return found if p <= 0.5 else count - found


# ---- how far one is from another -------------------------------------------------------------------------------------


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence `E[log p(x) - log q(x)]` for x drawn from `p`; 0 only where they are equal.

    Errors: NotImplementedError for kinds of distributions without a formula.

    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    if type(p) is type(q) and hasattr(type(p), "_divergence"):
        found: Tensor = p._divergence(q)
        return found
    kinds = f"p type {type(p).__name__} and q type {type(q).__name__}"
    raise NotImplementedError(f"No KL(p || q) is implemented for {kinds}")


# PyTorch has each in a file of its own, as torch.distributions.normal.
__path__: list[str] = []
for _kind in (Bernoulli, Binomial, Categorical, Multinomial, Normal, Uniform):
    add_module(f"{__name__}.{_kind.__name__.lower()}", _kind)
