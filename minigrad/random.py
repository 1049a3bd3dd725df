"""The source of every random draw, a Mersenne Twister whose stream is PyTorch's on the CPU, and what is drawn from it.

A `Generator` holds the state.  Numbers are drawn in NumPy arrays, exactly as PyTorch draws them: a function whose name
ends in an underscore fills the given array in place and returns it, as the tensor method of that name does; the array's
dtype decides how many bits each number takes from the generator.  Elements are filled in the order in which they lie
in memory.  The same seed gives PyTorch's numbers bit for bit, except `normal_` on contiguous arrays of 16 and more
elements: there logarithm, sine and cosine may differ in the last bits.  PyTorch on Intel processors draws `bernoulli_`
(from a number) and `exponential_` from another stream, that of Intel's MKL library; here, as on all other processors,
there is one stream.

Sources: M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
number generator", ACM TOMACS 8 (1998), variant MT19937; the CPU distributions of ATen, PyTorch's tensor library.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import SupportsIndex, SupportsInt, TypeAlias

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import ONE, ZERO, all_within, row_blocks
from minigrad.core.dtypes import FLOATS, HALVES, Array, computed_in
from minigrad.core.tensor import Tensor
from minigrad.ops.arguments import check_floating
from minigrad.ops.fused import fused_multiply_add
from minigrad.tensors.devices import CPU
from minigrad.tensors.errors import advised

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "set_rng_state"]

globals().update(advised(__name__, __all__))

_DEFAULT_SEED = 67280421310721
# From so many pairs of numbers on, RandomState's own method is the faster one.
_MANY = 512
# The bits of half a pair; as an array, which NumPy takes as an operand faster than a number.
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

    def clone_state(self) -> Generator:
        """A new generator that will draw what this one would; drawing from either leaves the other alone."""
        clone = Generator()
        clone._set_state_bytes(self._state_bytes())
        return clone

    __copy__ = clone_state

    def _state_bytes(self) -> Array:
        """The state as PyTorch writes it down: a uint8 array of 5056 elements."""
        state = np.zeros((), _STATE)
        # To read the state of a new one does not start it.
        engine = self._engines[0] if self._engines else np.random.RandomState(self._seed % 2**32)
        _, words, position, *_ = engine.get_state(legacy=True)
        state["seed"], state["seeded"], state["state"] = self._seed, 1, words
        state["left"], state["next"] = 624 - int(position) + 1, position if self._engines else 0
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
        # One that was new is new again: its seed says all.
        if position := int(state["next"]):
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

#: The generator to draw from; None stands for the default one.
Source: TypeAlias = Generator | None


def engine_of(generator: Source) -> Generator:
    """The generator to draw from, the default one for None; a TypeError for anything else."""
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


def get_rng_state() -> Tensor:
    """The state of the default generator, in PyTorch's form, a tensor of 5056 bytes: for `set_rng_state`.

    >>> import minigrad as torch
    >>> state = torch.get_rng_state()
    >>> x = torch.rand(3)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(3), x)
    True
    """
    return Tensor._new(default_generator._state_bytes())


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator to one that `get_rng_state` returned, here or in PyTorch."""
    if not (isinstance(new_state, Tensor) and new_state._array.dtype == np.uint8):
        raise TypeError(f"expected a torch.ByteTensor, but got {getattr(new_state, 'dtype', type(new_state).__name__)}")
    default_generator._set_state_bytes(np.ascontiguousarray(new_state._array).reshape(-1))


# ---- draws, in arrays ------------------------------------------------------------------------------------------------

# Values per step: the temporaries of one step stay within a processor's second-level cache.
_STEP = 2**16

# A factor, as an array, which NumPy takes as an operand faster than a number.
_MINUS_TWO = np.array(-2, np.float32)
# For uniform numbers of 4 and 8 bytes: a mask of the bits they are made of; the signed dtype that the bits are read as,
# since its conversion is twice as fast; the dtype they are converted to; and the distance between neighbours.
_UNIFORM = {
    4: (np.array(2**24 - 1, np.uint32), np.int32, np.float32, np.array(2.0**-24, np.float32)),
    8: (np.array(2**53 - 1, np.uint64), np.int64, np.float64, np.array(2.0**-53)),
}

# From this many numbers on PyTorch shuffles by another algorithm, in memory that Python lists do not fit in.
_LONG_SHUFFLE = (2**32 - 1) // 20


def uniform_(array: Array, low: float, high: float, generator: Generator) -> Array:
    """Every element is uniform in [low, high), by way of a multiple of 2**-24 (float64: 2**-53) in [0, 1).

    >>> uniform_(np.empty(3, "float32"), 0.0, 1.0, Generator().manual_seed(0))
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    """
    check_floating("check_uniform_bounds", array, "draws are floats")
    draw = _bits(array, generator)
    if low == 0 and high == 1 and array.dtype not in HALVES:
        return _fill(array, draw, _unit)
    _check_bounds(array, low, high)
    width = computed_in(array.dtype).type
    start, scale = float(width(low)), float(width(high) - width(low))

    def transform(bits: Array) -> Array:
        values = _scale_and_shift(_unit(bits), scale, start).astype(array.dtype, copy=False)
        # Rounding may reach the excluded end; such a number becomes the included one.
        values[values == array.dtype.type(high)] = low
        return values

    return _fill(array, draw, transform)


def normal_(array: Array, mean: float, std: float, generator: Generator) -> Array:
    """Every element is normal with the given mean and standard deviation, by Box and Muller's method.

    A contiguous array of 16 and more elements is filled in blocks of 16 made of 16 uniform numbers, in the
    array's precision; a shorter last block is replaced by a full one that ends where the array ends.  Any
    other array is filled one by one in double precision, and an odd number left over starts the next such
    call.  Source: G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates" (1958).

    >>> normal_(np.empty(3), 0.0, 1.0, Generator().manual_seed(0)).round(4)
    array([ 1.541 , -0.2934, -2.1788])
    """
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    check_floating("normal_kernel_cpu", array, "draws are floats")
    if array.size >= 16 and array.flags.c_contiguous:
        _fill_blocks(array.reshape(-1), mean, std, generator)
        return array
    draw = functools.partial(_serial_normal, generator=generator)
    return _fill(array, draw, lambda values: _scale_and_shift(values, float(std), float(mean)))


def random_(array: Array, low: int | None, high: int | None, generator: Generator) -> Array:
    """Every element is `low + r % (high - low)`; r has 32 bits, and 64 from high - low = 2**28 on.

    Without `high`, up to the largest number: of a floating dtype, the largest before the first gap, beyond which no
    bound may lie.  Without `low`, too, from 0 on; then r has 64 bits for int64 and float64, else 32.

    >>> random_(np.empty(5, "int64"), 0, 10, Generator().manual_seed(0))
    array([4, 9, 3, 0, 3])
    >>> random_(np.empty(3, "uint8"), None, None, Generator().manual_seed(0))
    array([172,  47, 117], dtype=uint8)
    """
    is_wide = array.dtype.itemsize == 8 if low is None else None
    low, high = _integer_bounds(low or 0, high, array)
    span = high - low

    def narrow(bits: Array) -> Array:
        divisor = np.array(span, np.uint32)
        # Of many, the remainder by way of the quotient, which NumPy computes several times faster.
        rest = bits % divisor if bits.size < 2**9 else bits - bits // divisor * divisor
        return rest.astype(np.int64) + low if low else rest.astype(np.int64)

    def wide(bits: Array) -> Array:
        return (bits % np.uint64(span) + np.uint64(low % 2**64) if span < 2**64 else bits).view(np.int64)

    if span >= 2**28 if is_wide is None else is_wide:
        return _fill(array, generator._random64, wide)
    return _fill(array, generator._random32, narrow)


def bernoulli_(array: Array, p: float | Array, generator: Generator) -> Array:
    """Every element is 1 with probability p and 0 otherwise: u < p for a u uniform in [0, 1).

    The numbers u are float64 for a number p or a float64 array, and float32 for other floating arrays;
    an array is broadcast.

    >>> bernoulli_(np.empty(5), 0.5, Generator().manual_seed(0))
    array([0., 0., 1., 0., 0.])
    """
    if not isinstance(p, np.ndarray):
        if not 0.0 <= p <= 1.0:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        # In whole numbers: `_unit(bits) < p`, in half of the time.
        most = np.array(math.ceil(p * 2.0**53), np.uint64)
        return _fill(array, generator._random64, lambda bits: (bits & _UNIFORM[8][0]) < most)
    check_floating("bernoulli_tensor_cpu_p_", p)
    if not all_within(p, 0, 1):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false: p has an element out of [0, 1].")
    # The copy keeps the order in memory, and so the order in which the numbers are drawn.
    uniform = np.empty_like(array, dtype=computed_in(p.dtype))
    array[...] = uniform_(uniform, 0.0, 1.0, generator) < p
    return array


def exponential_(array: Array, lambd: float, generator: Generator) -> Array:
    """Every element is `-log(1 - u) / lambd`, u a uniform float64 in [0, 1): exponential with that rate.

    >>> exponential_(np.empty(3), 1.0, Generator().manual_seed(0)).round(4)
    array([3.5083, 1.2304, 0.615 ])
    """
    if not lambd > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if array.dtype not in FLOATS:
        kind = dtypes.of(array)._tensor_name
        raise RuntimeError(f"Exponential distribution is a continuous probability distribution: no {kind}")

    def transform(bits: Array) -> Array:
        values = -_unit(bits)
        if array.dtype == np.float64:
            # NumPy's own log1p may differ from the C library's, which PyTorch calls, in the last bit.
            values = np.fromiter(map(math.log1p, values.tolist()), np.float64, values.size)
        else:
            np.log1p(values, out=values)
        values *= -1.0 / lambd
        return values

    return _fill(array, generator._random64, transform)


def randperm(n: int, generator: Generator) -> Array:
    """A random order of 0, 1, ..., n - 1, shuffled from the front: an int64 array of shape (n,).

    Source: R. Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7 (1964).

    >>> randperm(5, Generator().manual_seed(0))
    array([4, 0, 1, 3, 2])
    """
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if n >= _LONG_SHUFFLE:
        raise NotImplementedError(f"randperm shuffles fewer than {_LONG_SHUFFLE} numbers, got n = {n}")
    result = list(range(n))
    for start in range(0, n - 1, _STEP):
        stop = min(start + _STEP, n - 1)
        ahead = generator._random32(stop - start) % np.arange(n - start, n - stop, -1, dtype=np.uint32)
        for here, distance in enumerate(ahead.tolist(), start):
            there = here + distance
            result[here], result[there] = result[there], result[here]
    return np.array(result, dtype=np.int64)


def multinomial(weights: Array, num_samples: int, replacement: bool, generator: Generator) -> Array:
    """In each row, indices drawn with probabilities proportional to the weights: int64, (*, num_samples).

    `weights` is floating, of shape (C,) or (N, C).  With replacement a uniform number is looked up in the
    cumulative weights.  Without, and for one sample, the largest `weight / e` win, each e exponential with
    rate 1.  Source: P. S. Efraimidis and P. G. Spirakis, "Weighted random sampling with a reservoir" (2006).

    >>> multinomial(np.array([1.0, 2.0, 0.0, 4.0]), 3, False, Generator().manual_seed(42))
    array([3, 1, 0])
    """
    _check_multinomial(weights, num_samples, replacement)
    result = np.empty((*weights.shape[:-1], num_samples), dtype=np.int64)
    if result.size == 0:
        return result
    if not weights.any(-1).all():
        raise RuntimeError(f"invalid multinomial distribution (sum of probabilities <= 0){_OF_SCORES}")
    if not (weights.max() < math.inf and weights.min() >= 0):
        raise RuntimeError(f"probability tensor contains either `inf`, `nan` or element < 0{_OF_SCORES}")
    if replacement and num_samples > 1:
        for row, chosen in zip(np.atleast_2d(weights), np.atleast_2d(result), strict=True):
            # Summed from left to right, in at least float32.
            cumulative = np.cumsum(row, dtype=computed_in(row.dtype))
            cumulative /= cumulative[-1]
            chosen[...] = np.searchsorted(cumulative, _unit(generator._random64(num_samples)))
        return result
    scores = exponential_(np.empty_like(weights), 1.0, generator)
    # An exponential number may be 0, and a weight of 0 over it then is no number, in PyTorch as here.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.divide(weights, scores, out=scores)
    if num_samples == 1:
        result[...] = np.argmax(scores, axis=-1, keepdims=True)
    else:
        result[...] = np.argsort(-scores, axis=-1, kind="stable")[..., :num_samples]
    return result


def _fill(array: Array, draw: Callable[[int], Array], transform: Callable[[Array], Array]) -> Array:
    """The array, filled in the order of memory with `transform(draw(count))`, block by block."""
    if not array.flags.c_contiguous:
        # PyTorch walks memory upwards, whatever the order of the dimensions: largest stride outermost.
        ordered = array.transpose(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
        ordered[...] = _fill(np.empty(ordered.shape, array.dtype), draw, transform)
        return array
    for (part,) in row_blocks((), array.reshape(-1)):
        values = transform(draw(part.size))
        # PyTorch makes halves of any other number through float32, and so rounds twice.
        part[...] = values.astype(np.float32) if array.dtype in HALVES else values
    return array


def _bits(array: Array, generator: Generator) -> Callable[[int], Array]:
    """The function that draws random bits, as wide as the numbers of the array are computed in."""
    return generator._random64 if array.dtype == np.float64 else generator._random32


def _unit(bits: Array) -> Array:
    """Uniform numbers in [0, 1): the lowest 24 of 32 bits as float32, or the lowest 53 of 64 as float64."""
    lowest, signed, floating, apart = _UNIFORM[bits.itemsize]
    bits &= lowest
    values: Array = bits.view(signed).astype(floating)
    values *= apart
    return values


def _scale_and_shift(values: Array, scale: float, shift: float) -> Array:
    """`values * scale + shift` rounded once, as the fused instruction that PyTorch uses does; `values` may change."""
    if scale == 1 or shift == 0:
        # One of the two operations is exact; adding zero still turns -0.0 into 0.0.
        if scale != 1:
            values *= scale
        values += shift or ZERO
    elif values.dtype == np.float32:
        # A product of two float32 numbers is exact in float64.
        wide = np.multiply(values, np.float32(scale), dtype=np.float64)
        np.add(wide, np.float32(shift), out=values, casting="same_kind")
    else:
        values = fused_multiply_add(values, scale, shift)
    return values


def _serial_normal(count: int, generator: Generator) -> Array:
    """`count` standard normal numbers in float64, in pairs; an odd one left over waits in the generator."""
    waiting = generator._waiting_normals
    values = [waiting.pop()] if waiting and count else []
    uniform = _unit(generator._random64((count - len(values) + 1) // 2 * 2)).tolist()
    for first, second in zip(uniform[::2], uniform[1::2], strict=True):
        radius = math.sqrt(-2.0 * math.log1p(-second))
        angle = 2.0 * math.pi * first
        values += (radius * math.cos(angle), radius * math.sin(angle))
    if len(values) > count:
        waiting.append(values.pop())
    return np.array(values, dtype=np.float64)


def _fill_blocks(flat: Array, mean: float, std: float, generator: Generator) -> None:
    draw, short = _bits(flat, generator), flat.size % 16

    def transform(bits: Array) -> Array:
        return _scale_and_shift(_normal_blocks(_unit(bits)), float(std), float(mean))

    _fill(flat[: flat.size - short], draw, transform)
    if short:
        if flat.dtype not in HALVES:
            # PyTorch has drawn a uniform number for every element before it sees the short block.
            draw(short)
        _fill(flat[-16:], draw, transform)


def _normal_blocks(uniform: Array) -> Array:
    """Normal numbers in blocks of 16: eight radii times the cosines, then the sines, of eight angles."""
    apart, together = _block_orders(uniform.size // 8)
    # Rows of eight move as units: first the radii's rows of all blocks, then the angles' rows.
    radius, angle = uniform.reshape(-1, 8).take(apart, axis=0).reshape(2, -1)
    np.subtract(ONE, radius, radius)
    np.log(radius, radius)
    radius *= _MINUS_TWO
    np.sqrt(radius, radius)
    angle *= np.array(2 * math.pi, uniform.dtype)
    values = uniform.reshape(2, -1)
    np.multiply(np.cos(angle), radius, values[0])
    np.multiply(np.sin(angle), radius, values[1])
    return uniform.reshape(-1, 8).take(together, axis=0).reshape(-1)


@functools.lru_cache(maxsize=4)
def _block_orders(rows: int) -> tuple[Array, Array]:
    """The permutation of rows that brings even rows before odd ones, and its inverse."""
    numbers = np.arange(rows)
    return numbers.reshape(-1, 2).T.ravel(), numbers.reshape(2, -1).T.ravel()


def _limits(array: Array) -> tuple[int, int]:
    """The least and the largest integer of the array's dtype; of a floating one, those before the first gaps."""
    if array.dtype in FLOATS:
        most = 2 ** (int(dtypes.limits(array.dtype).nmant) + 1)
        return -most, most
    return (0, 1) if array.dtype.kind == "b" else (int(np.iinfo(array.dtype).min), int(np.iinfo(array.dtype).max))


def _integer_bounds(low: int, high: int | None, array: Array) -> tuple[int, int]:
    """The bounds of `random_`, checked: each number between them has a place in the array's dtype."""
    if high is not None and not (-(2**63) <= low < 2**63 and -(2**63) <= high < 2**63):
        raise ValueError(f"Overflow when unpacking long long: [{low}, {high}) is not within [-2**63, 2**63)")
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if high is not None and array.dtype == np.int64:
        return low, high
    least, most = _limits(array)
    end = most + 1 if high is None else high
    for label, bound in (("from", low), ("to - 1", end - 1)):
        if not least <= bound <= most:
            problem = f"{label} is out of bounds for {dtypes.of(array)._c_name}"
            raise RuntimeError(f"{problem}: got {bound}, expected a number in [{least}, {most}]")
    return low, end


_OF_SCORES = ": probabilities of scores are softmax(logits, -1)"


def _check_multinomial(weights: Array, num_samples: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        remedy = "one row per draw; of logits (B, T, C), the last step's are logits[:, -1, :]"
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, got {weights.ndim}: {remedy}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, got {num_samples}")
    categories = weights.shape[-1]
    if not replacement and num_samples > categories:
        problem = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        raise RuntimeError(f"{problem}: {num_samples} > {categories}. Take replacement=True")


def _check_bounds(array: Array, low: float, high: float) -> None:
    """Raise a RuntimeError unless numbers can be uniform in [low, high) in the array's dtype."""
    limit = float(dtypes.limits(array.dtype).max)
    if not (-limit <= low <= high <= limit and high - low <= limit):
        problem = f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        raise RuntimeError(f"{problem}, or numbers out of bounds for {dtypes.of(array)._c_name}")
