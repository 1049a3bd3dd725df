"""Functions that draw tensors at random, exactly as PyTorch draws them on the CPU; and the state of the draws."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex, Unpack

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.methods.drawing import Drawn
from minigrad.methods.forms import checked_tensor, free
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, new_leaf
from minigrad.tensors import distributions
from minigrad.tensors.creation import like
from minigrad.tensors.options import Options, SizedOptions, Sizes, checked, made, memory_format

__all__ = [
    "bernoulli",
    "get_rng_state",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "set_rng_state",
]


def rand(*sizes: Any, generator: Generator | None = None, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of draws from the uniform distribution on [0, 1).

    >>> import minigrad as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(123))
    tensor([0.2961, 0.5166])
    """
    source = generator or default_generator

    def make(shape: tuple[int, ...], of: np.dtype[Any]) -> Array:
        return distributions.uniform_(np.empty(shape, of), 0.0, 1.0, source)

    return new_leaf(*made("rand", make, sizes, options))


def randn(*sizes: Any, generator: Generator | None = None, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of draws from the normal distribution of mean 0 and standard deviation 1.

    >>> import minigrad as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(123))
    tensor([-0.1115,  0.1204])
    """
    return _normal("randn", 0.0, 1.0, sizes, generator, options)


def _normal(
    name: str, mean: float, std: float, sizes: Sequence[Any], generator: Generator | None, options: Options
) -> Tensor:
    """Draws from one normal distribution."""
    source = generator or default_generator

    def make(shape: tuple[int, ...], of: np.dtype[Any]) -> Array:
        return distributions.normal_(np.empty(shape, of), mean, std, source)

    return new_leaf(*made(name, make, sizes, options))


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    memory_format: memory_format | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Draws as of `rand`, of the shape, dtype and memory order of `input`."""
    source = generator or default_generator
    return like(
        "rand_like", input, lambda array: distributions.uniform_(array, 0.0, 1.0, source), memory_format, options
    )


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    memory_format: memory_format | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Draws as of `randn`, of the shape, dtype and memory order of `input`."""
    source = generator or default_generator
    return like(
        "randn_like", input, lambda array: distributions.normal_(array, 0.0, 1.0, source), memory_format, options
    )


def randint(
    *args: Any,
    low: int = 0,
    high: int | None = None,
    size: Sizes | None = None,
    generator: Generator | None = None,
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
    if given and high is None:
        high = given.pop()
    if given:
        low = given.pop()
    if given or high is None or not isinstance(size, Sequence):
        raise TypeError(
            "randint() expects (high, size) or (low, high, size) with a tuple of ints as size: randint(10, (3,))"
        )
    first, end, source = index(low), index(high), generator or default_generator

    def make(shape: tuple[int, ...], of: np.dtype[Any]) -> Array:
        return distributions.random_(np.empty(shape, of), first, end, source)

    return new_leaf(*made("randint", make, (size,), options, dtypes.int64))


def randperm(n: SupportsIndex, *, generator: Generator | None = None, **options: Unpack[Options]) -> Tensor:
    """The numbers 0 … n-1 in a random order.

    >>> import minigrad as torch
    >>> torch.randperm(4, generator=torch.Generator().manual_seed(123))
    tensor([2, 0, 1, 3])
    """
    wanted, requires_grad = checked("randperm", options, dtypes.int64)
    if wanted.kind == "b":
        raise NotImplementedError("\"randperm\" not implemented for 'Bool': an order has more than two numbers")
    order = distributions.randperm(index(n), generator or default_generator)
    return new_leaf(order.astype(wanted, copy=False), requires_grad)


def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Sizes | None = None,
    *,
    generator: Generator | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """Draws from normal distributions: `normal(mean, std, size)` of one, or of one for each element of tensors.

    `mean` or `std`, or both, are tensors, whose shapes broadcast, if there is no `size`.  No gradient flows through
    the draws: they are as they are.

    >>> import minigrad as torch
    >>> torch.normal(torch.tensor([0.0, 100.0]), 1.0, generator=torch.Generator().manual_seed(123))
    tensor([ -0.1115, 100.1204])
    """
    tensors = [each for each in (mean, std) if isinstance(each, Tensor)]
    if size is not None:
        if tensors:
            raise TypeError("normal() received an invalid combination of arguments: a size goes with two numbers")
        return _normal("normal", float(mean), float(std), (size,), generator, options)
    if not tensors or options:
        raise TypeError(
            "normal() received an invalid combination of arguments: expected tensors, or numbers and a size"
        )
    if isinstance(std, Tensor) and (std._array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    form = "3" if len(tensors) == 2 else "2" if isinstance(std, Tensor) else "1"
    source = generator or default_generator
    means, deviations = [each._array if isinstance(each, Tensor) else each for each in (mean, std)]

    def draw(*arrays: Any) -> Any:
        array = np.empty(np.broadcast_shapes(*[x.shape for x in arrays]), arrays[0].dtype)
        if not isinstance(std, Tensor):
            return distributions.normal_(array, 0.0, float(deviations), source) + means
        distributions.normal_(array, 0.0, 1.0, source)
        array *= deviations
        array += means
        return array

    return Drawn(draw, f"NormalBackward{form}")(*tensors)


bernoulli = free(Tensor.bernoulli)
multinomial = free(Tensor.multinomial)


# ---- the state of the default generator --------------------------------------------------------------------------


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
    array = checked_tensor("set_rng_state", new_state, "new_state")._array
    if array.dtype != np.uint8:
        raise TypeError(f"RNG state must be a torch.ByteTensor, got dtype {new_state.dtype!r}")
    default_generator._set_state_bytes(np.ascontiguousarray(array).reshape(-1))
