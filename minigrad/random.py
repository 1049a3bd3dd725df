"""The source of every random draw: a Mersenne Twister whose stream is PyTorch's on the CPU.

A `Generator` holds the state; how uniform, normal and other numbers are made of its stream is told in
`minigrad.tensors.random_arrays`.  Source: M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally
equidistributed uniform pseudo-random number generator", ACM TOMACS 8 (1998), variant MT19937.
"""

from __future__ import annotations

import os
from typing import SupportsIndex, SupportsInt, TypeAlias

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.ops.arguments import CPU
from minigrad.tensors.errors import advised

__all__ = ["Generator", "default_generator", "initial_seed", "manual_seed", "seed"]

globals().update(advised(__name__, __all__))

_DEFAULT_SEED = 67280421310721
# From so many pairs of numbers on, RandomState's own method is the faster one.
_MANY = 512
# The bits of half a pair; as an array, because NumPy takes longer to look at a number.
_HALF = np.array(32, np.uint64)

# The record that PyTorch keeps a generator's state in, with the names it has there.
_STATE = np.dtype(
    [
        ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("state", "<u8", (624,)),
        ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i8"),
        ("next_float_normal", "<f4"), ("is_next_float_normal_valid", "<i4"),
    ]
)  # fmt: skip


class Generator:
    """A stream of random numbers: equal seeds and equal draws give equal numbers, here and in PyTorch.

    Only the device "cpu" exists.  A generator that was never seeded starts from the seed 67280421310721.

    >>> import minigrad as torch
    >>> torch.Generator().manual_seed(42).initial_seed()
    42
    """

    __slots__ = ("_engines", "_seed", "_waiting_normals")

    #: Where it draws.
    device = CPU

    _seed: int
    _engines: list[np.random.RandomState]
    _waiting_normals: list[float]

    def __init__(self, device: object = "cpu") -> None:
        if str(device) not in ("cpu", "cpu:0"):
            raise RuntimeError(f"Expected one of cpu device type at start of device string: {device}; leave it out")
        self._restart(_DEFAULT_SEED)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"

    def manual_seed(self, seed: int, /) -> Generator:
        """The same generator, restarted: its stream is now a function of `seed` alone.

        `seed` is in `[-2**63, 2**64)`; a negative one stands for `seed + 2**64`.  The stream depends on the
        lowest 32 bits only, as in PyTorch.  Errors: RuntimeError for anything but an int, ValueError for an
        int out of range.
        """
        if isinstance(seed, bool) or not isinstance(seed, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: the seed {seed} is not in [-2**63, 2**64)")
        self._restart(seed % 2**64)
        return self

    def initial_seed(self) -> int:
        """The seed from which the stream started, in `[0, 2**64)`."""
        return self._seed

    def seed(self) -> int:
        """A fresh seed from the operating system, in `[0, 2**64)`, from which the stream now restarts."""
        self._restart(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def clone_state(self) -> Generator:
        """A new generator that will draw what this one would; drawing from either leaves the other alone."""
        clone = Generator()
        clone._set_state_bytes(self._state_bytes())
        return clone

    __copy__ = clone_state

    def _state_bytes(self) -> Array:
        """The state as PyTorch writes it down: a uint8 array of 5056 elements."""
        state = np.zeros((), _STATE)
        is_new = not self._engines
        _, words, position, *_ = self._started().get_state(legacy=True)
        state["seed"], state["seeded"], state["state"] = self._seed, 1, words
        state["left"], state["next"] = 624 - int(position) + 1, 0 if is_new else position
        if self._waiting_normals:
            state["normal_y"], state["normal_is_valid"] = self._waiting_normals[0], 1
        return state.reshape(1).view(np.uint8)

    def _set_state_bytes(self, array: Array) -> None:
        """Set the state that `_state_bytes`, or PyTorch, wrote down; a RuntimeError for what neither has written."""
        if array.size != _STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but found {array.size}")
        state = array.view(_STATE)[0]
        if not (state["seeded"] and 1 <= state["left"] <= 624 and state["next"] <= 624):
            raise RuntimeError("Invalid mt19937 state: these bytes were not written by get_rng_state()")
        self._restart(int(state["seed"]))
        # When one is left, the next number is the first of the next 624.
        position = 624 if state["left"] == 1 else int(state["next"])
        self._started().set_state(("MT19937", state["state"].astype(np.uint32), position, 0, 0.0))
        self._waiting_normals = [float(state["normal_y"])] if state["normal_is_valid"] else []

    def _restart(self, seed: int) -> None:
        self._seed = seed
        self._engines = []
        # Box and Muller's method makes two normal numbers; the second waits here for the next call.
        self._waiting_normals = []

    def _started(self) -> np.random.RandomState:
        # The engine is made by the first draw, because `np.random` is a module that NumPy itself imports
        # only when it is first named: `import minigrad` should not cost more than `import numpy`.
        # If several threads draw first, each makes an engine, and all of them go on with the first of these.
        engines = self._engines
        if not engines:
            engines.append(np.random.RandomState(self._seed % 2**32))
        return engines[0]

    def _random32(self, count: int) -> Array:
        """The next `count` numbers of the stream: a uint32 array."""
        found: Array = self._started()._bit_generator.random_raw(count)
        return found.astype(np.uint32)

    def _random64(self, count: int) -> Array:
        """The next `2 * count` numbers of the stream in pairs, the earlier the upper half: a uint64 array."""
        if count >= _MANY:
            return self._started().randint(0, 2**64, count, dtype=np.uint64)
        halves = self._started()._bit_generator.random_raw(2 * count)
        return halves[::2] << _HALF | halves[1::2]


default_generator = Generator()

#: What draws are asked of; None stands for the default generator.
Source: TypeAlias = Generator | None


def engine_of(generator: Source) -> Generator:
    """The generator that draws are asked of, or the default one for None; a TypeError for what is none."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        kind = type(generator).__name__
        raise TypeError(f"argument 'generator' must be torch.Generator, not {kind}: Generator().manual_seed(seed)")
    return generator


# Functions, not methods of the generator: a copy of one is itself.
def initial_seed() -> int:
    """The seed from which the stream of the default generator started, in `[0, 2**64)`."""
    return default_generator.initial_seed()


def seed() -> int:
    """A fresh seed from the operating system, in `[0, 2**64)`, from which the default generator now restarts."""
    return default_generator.seed()


def manual_seed(seed: SupportsInt | SupportsIndex | str) -> Generator:
    """Restart the default generator of random numbers from a seed, so that the same draws follow; it is returned.

    >>> import minigrad as torch
    >>> _ = torch.manual_seed(123)
    >>> torch.rand(2)
    tensor([0.2961, 0.5166])
    """
    try:
        number = int(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error}: a seed is a whole number, manual_seed(0)") from None
    return default_generator.manual_seed(number)
