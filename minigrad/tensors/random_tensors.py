"""Tensors drawn at random, exactly as PyTorch draws them on the CPU; and the state of the draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, Unpack

import numpy as np

from minigrad import random
from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.ops import common_shape
from minigrad.core.tape import Node
from minigrad.core.tensor import Tensor
from minigrad.declare import as_number, op
from minigrad.ops import arguments
from minigrad.ops.arguments import LikeOptions, Options, SizedOptions, Sizes, as_int, check_numbers, checked, int_of
from minigrad.random import Source, default_generator, engine_of
from minigrad.tensors.creation import empty_like, like, new_leaf, new_leaf_of_sizes, zeros_like

__all__ = [
    "get_rng_state", "normal", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "set_rng_state",
]  # fmt: skip


def rand(*sizes: SupportsIndex | Sizes, generator: Source = None, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of draws from the uniform distribution on [0, 1).

    >>> import minigrad as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(123))
    tensor([0.2961, 0.5166])
    """
    return new_leaf_of_sizes("rand", sizes, options, fill=drawn(random.uniform_, generator, 0.0, 1.0))


def randn(*sizes: SupportsIndex | Sizes, generator: Source = None, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of draws from the normal distribution of mean 0 and standard deviation 1.

    >>> import minigrad as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(123))
    tensor([-0.1115,  0.1204])
    """
    return new_leaf_of_sizes("randn", sizes, options, fill=drawn(random.normal_, generator, 0.0, 1.0))


def drawn(draw: Callable[..., Array], generator: Source, *parameters: Any) -> Callable[[Array], Array]:
    """What fills an array with draws of `generator`, as this function of `random_arrays` does, and returns it."""
    source = engine_of(generator)
    return lambda array: draw(array, *parameters, source)


def rand_like(input: Tensor, *, generator: Source = None, **options: Unpack[LikeOptions]) -> Tensor:
    """Draws as of `rand`, of the shape, dtype and memory order of `input`."""
    return like("rand_like", input, drawn(random.uniform_, generator, 0.0, 1.0), options)


def randn_like(input: Tensor, *, generator: Source = None, **options: Unpack[LikeOptions]) -> Tensor:
    """Draws as of `randn`, of the shape, dtype and memory order of `input`."""
    return like("randn_like", input, drawn(random.normal_, generator, 0.0, 1.0), options)


def randint(
    *args: Any,
    low: int = 0,
    high: int | None = None,
    size: Sizes | None = None,
    generator: Source = None,
    **options: Unpack[Options],
) -> Tensor:
    """A tensor of whole numbers drawn evenly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    >>> import minigrad as torch
    >>> torch.randint(10, (3,), generator=torch.Generator().manual_seed(123))
    tensor([2, 9, 2])
    """
    given = list(args)
    if size is None and given:
        size = given.pop()
    place = len(given) if high is None else 0
    if place:
        high = given.pop()
    if given:
        low = given.pop()
    if given or high is None or not isinstance(size, (tuple, list, Sequence)):
        raise TypeError("randint() expects (high, size) or (low, high, size) with a tuple as size: randint(10, (3,))")
    first, end = int_of("randint", "low", low, 1), int_of("randint", "high", high, place)
    fill = drawn(random.random_, generator, first, end)
    return new_leaf_of_sizes("randint", (size,), options, dtypes.int64, fill=fill)


def randperm(n: SupportsIndex, *, generator: Source = None, **options: Unpack[Options]) -> Tensor:
    """The numbers 0 … n-1 in a random order.

    >>> import minigrad as torch
    >>> torch.randperm(4, generator=torch.Generator().manual_seed(123))
    tensor([2, 0, 1, 3])
    """
    wanted, requires_grad = checked("randperm", options, dtypes.int64)
    check_numbers("randperm", wanted, "expected a dtype of numbers")
    order = random.randperm(int_of("randperm", "n", n, 1), engine_of(generator))
    return new_leaf(order.astype(wanted, copy=False), requires_grad)


def normal(
    mean: Any, std: Any = 1.0, size: Sizes | None = None, *, generator: Source = None, **options: Unpack[Options]
) -> Tensor:
    """Draws from normal distributions: `normal(mean, std, size)` of one, or of one for each element of tensors.

    `mean` or `std`, or both, are tensors, whose shapes broadcast, if there is no `size`.  No gradient flows through
    the draws: they are as they are.

    >>> import minigrad as torch
    >>> torch.normal(torch.tensor([0.0, 100.0]), 1.0, generator=torch.Generator().manual_seed(123))
    tensor([ -0.1115, 100.1204])
    """
    if isinstance(size, (tuple, list)):
        center = float(arguments.number_of("normal", "mean", mean, 1))
        spread = float(arguments.number_of("normal", "std", std, 2))
        fill = drawn(random.normal_, generator, center, spread)
        return new_leaf_of_sizes("normal", (size,), options, fill=fill)
    given = [each for each in (mean, std) if isinstance(each, Tensor)]
    fit = all([isinstance(each, (Tensor, int, float, np.number)) for each in (mean, std)])
    if not given or not fit or options or size is not None:
        raise TypeError("normal() received an invalid combination of arguments: tensors, or numbers and a tuple, size")
    if isinstance(std, Tensor) and (std._array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    form = "3" if len(given) == 2 else "2" if isinstance(std, Tensor) else "1"
    fill = drawn(random.normal_, generator, 0.0, 1.0 if isinstance(std, Tensor) else std)

    def draw(*arrays: Array) -> Array:
        array = fill(np.empty(common_shape([x.shape for x in arrays]), arrays[0].dtype))
        if isinstance(std, Tensor):
            array *= std._array
        array += mean._array if isinstance(mean, Tensor) else mean
        return array

    return Drawn(draw, f"NormalBackward{form}").of(*given)


class Drawn(Node):
    """What `draw` makes of arrays of parameters.  The gradients are 0: none flows through a draw, as in PyTorch."""

    formulas = ("0: none flows through a draw",)
    draw: Callable[..., Array]
    form: str

    def forward(self, *arrays: Array) -> Array:
        self.shapes = [x.shape for x in arrays]
        return self.draw(*arrays)

    def backward(self, g: Tensor) -> Sequence[Any]:
        return [g._new(np.zeros(shape, g._array.dtype)) for shape in self.shapes]


@op()
def bernoulli(input: Tensor, *, generator: Source = None) -> Tensor:
    """1 with the probability that each element says, else 0; no gradient flows through the draws: it is 0.

    >>> import minigrad as torch
    >>> torch.ones(3).bernoulli()
    tensor([1., 1., 1.])
    """
    source = engine_of(generator)
    return Drawn(lambda x: random.bernoulli_(np.empty(x.shape, x.dtype), x, source), "BernoulliBackward0").of(input)


@op()
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Source = None) -> Tensor:
    """`num_samples` indices (int64) for each row, drawn with its elements as weights.

    The weights are `(N,)` or `(M, N)`, and need not add up to 1; the result is `(S,)` or `(M, S)`.

    >>> import minigrad as torch
    >>> torch.tensor([0.0, 1.0]).multinomial(3, replacement=True)
    tensor([1, 1, 1])
    """
    arguments.check_real("multinomial only supports floating-point dtypes for input", input)
    draw = random.multinomial
    return input._new(draw(input._array, as_int(num_samples), replacement, engine_of(generator)))


# ---- written into a tensor -------------------------------------------------------------------------------------------


@op("Tensor")
def uniform_(input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Source = None) -> Tensor:
    """Write draws from the uniform distribution on `[from_, to)`.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> torch.empty(3).uniform_(-1, 1)
    tensor([-0.4078,  0.0331, -0.4967])
    """
    return input._refill(drawn(random.uniform_, generator, from_, to), "UniformBackward0")


@op("Tensor")
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Source = None) -> Tensor:
    """Write draws from the normal distribution.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> torch.empty(3).normal_(0, 0.02)
    tensor([-0.0022,  0.0024, -0.0074])
    """
    draw = drawn(random.normal_, generator, as_number(mean), as_number(std))
    return input._refill(draw, "NormalBackward0")


@op("Tensor")
def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Source = None) -> Tensor:
    """Write draws from the exponential distribution of rate `lambd`."""
    return input._refill(drawn(random.exponential_, generator, lambd), "ExponentialBackward0")


@op("nn.functional")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """The softmax of `logits` with noise, over `tau`; if `hard`, 1 for its largest, else 0, with the gradient of it."""
    noise = -empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    return zeros_like(logits).scatter_(dim, soft.argmax(dim, keepdim=True), 1.0) - soft.detach() + soft


@op("Tensor")
def bernoulli_(input: Tensor, p: float | Tensor = 0.5, *, generator: Source = None) -> Tensor:
    """Write 1 with probability `p`, else 0; `p` is a number, or a tensor that broadcasts to this shape."""
    chance = p._array if isinstance(p, Tensor) else p
    return input._refill(drawn(random.bernoulli_, generator, chance), "BernoulliBackward2")


@op("Tensor")
def random_(input: Tensor, *bounds: Any, to: int | None = None, generator: Source = None) -> Tensor:
    """Write whole numbers: in [0, to) by `random_(to)`, in [from, to) by `random_(from, to)`.

    Without a `to`, up to the largest that the dtype holds; of a floating one, the largest before the first gap.
    """
    given = bounds if to is None else (*bounds, to)
    if len(given) > 2:
        raise TypeError("random_() received an invalid combination of arguments: expected (to) or (from, to)")
    low, high = given if len(given) == 2 else (0, given[0] if given else None)
    limits = as_int(low) if given else None, None if high is None else as_int(high)
    return input._refill(drawn(random.random_, generator, *limits), f"RandomBackward{2 - len(given)}")


# ---- the state of the default generator ------------------------------------------------------------------------------


def get_rng_state() -> Tensor:
    """The state of the default generator, as PyTorch writes it down: 5056 bytes, which `set_rng_state` takes.

    >>> import minigrad as torch
    >>> state = torch.get_rng_state()
    >>> x = torch.rand(3)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(3), x)
    True
    """
    return new_leaf(default_generator._state_bytes())


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator, to one that `get_rng_state` gave, here or in PyTorch."""
    if not (isinstance(new_state, Tensor) and new_state._array.dtype == np.uint8):
        raise TypeError(f"expected a torch.ByteTensor, but got {getattr(new_state, 'dtype', type(new_state).__name__)}")
    default_generator._set_state_bytes(np.ascontiguousarray(new_state._array).reshape(-1))
