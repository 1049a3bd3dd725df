"""Functions that make tensors: from data, filled with a value, with a range of numbers, or with random draws.

Beside those that draw stand the methods that write draws into a tensor, such as `uniform_`; at the end PyTorch's old
constructors, such as `FloatTensor`, and `new_leaf`, by which all other files make tensors of arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, ClassVar, Literal, Never, SupportsIndex, Unpack

import numpy as np

from minigrad import random, tensors
from minigrad.core import dtypes
from minigrad.core.arrays import copied, in_dtype
from minigrad.core.dtypes import FLOATS, Array, Number, computed_in, dtype
from minigrad.core.ops import common_shape
from minigrad.core.tape import Node, quiet
from minigrad.core.tensor import Operand, Size, Tensor
from minigrad.declare import as_number, op
from minigrad.ops import arguments
from minigrad.ops.arguments import DType, LikeOptions, OnDevice, Options, SizedOptions, Sizes, as_dtype, checked
from minigrad.ops.fused import fused_multiply_add
from minigrad.random import Source, engine_of
from minigrad.tensors.conversion import checked_array, shared_memory
from minigrad.tensors.devices import check_on_cpu, contiguous_format, memory_format
from minigrad.tensors.errors import warn_program

__all__ = [
    "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor",
    "ShortTensor", "arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full", "full_like", "linspace",
    "normal", "ones", "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "range",
    "set_default_tensor_type", "tensor", "zeros", "zeros_like",
]  # fmt: skip


def tensor(
    data: object, *, dtype: DType = None, device: OnDevice = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A new leaf tensor with a copy of `data`: a number, nested sequences of numbers, an array or a tensor.

    Without a dtype, Python's bools, ints and floats become bool, int64 and the default dtype; NumPy's values
    and tensors keep theirs.  Errors: ValueError for sequences of unequal lengths, TypeError or RuntimeError for
    what is not a number, RuntimeError for integers with `requires_grad`.

    >>> import minigrad as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([0.5, 1.0], requires_grad=True)
    tensor([0.5000, 1.0000], requires_grad=True)
    """
    wanted = as_dtype("tensor", dtype)
    if device is not None or pin_memory:
        checked("tensor", {"device": device, "pin_memory": pin_memory})
    return new_leaf(array_of_data(_copied("torch.tensor", data), wanted), requires_grad)


def _copied(made_by: str, data: object) -> Any:
    """`data`; of a tensor its array, after PyTorch's warning."""
    if not isinstance(data, Tensor):
        return data
    warn_program(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {made_by}(sourceTensor)."
    )
    return data._array


def as_tensor(data: object, dtype: DType = None, device: OnDevice = None) -> Tensor:
    """`data` as a tensor: a tensor as it is and an array without a copy, if they have the dtype asked for.

    >>> import minigrad as torch
    >>> import numpy as np
    >>> torch.as_tensor(np.ones(2))
    tensor([1., 1.], dtype=torch.float64)
    """
    wanted = as_dtype("as_tensor", dtype)
    if isinstance(data, (Tensor, np.ndarray)):
        return (data if isinstance(data, Tensor) else from_numpy(data)).to(device, wanted)
    return new_leaf(array_of_data(data, wanted), False, device)


def from_numpy(ndarray: Array) -> Tensor:
    """A tensor on the memory of `ndarray`: a write to one shows in the other.

    >>> import minigrad as torch
    >>> import numpy as np
    >>> array = np.zeros(2)
    >>> x = torch.from_numpy(array)
    >>> array[0] = 7
    >>> x
    tensor([7., 0.], dtype=torch.float64)
    """
    return new_leaf(shared_memory(ndarray))


# ---- filled ----------------------------------------------------------------------------------------------------------


def zeros(*sizes: SupportsIndex | Sizes, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of zeros, of the sizes given.

    >>> import minigrad as torch
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return new_leaf_of_sizes("zeros", sizes, options, make=np.zeros)


def ones(*sizes: SupportsIndex | Sizes, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of ones, of the sizes given.

    >>> import minigrad as torch
    >>> torch.ones((2,), dtype=torch.int64)
    tensor([1, 1])
    """
    return new_leaf_of_sizes("ones", sizes, options, fill=lambda array: array.fill(1))


def empty(
    *sizes: SupportsIndex | Sizes, memory_format: memory_format | None = None, **options: Unpack[SizedOptions]
) -> Tensor:
    """A tensor whose elements are whatever was in memory: to be written before they are read.

    >>> import minigrad as torch
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    return new_leaf_of_sizes("empty", sizes, options)


def full(size: Sizes, fill_value: Number, **options: Unpack[Options]) -> Tensor:
    """A tensor of `fill_value`, whose type decides the dtype if none is given.

    >>> import minigrad as torch
    >>> torch.full((2,), 7)
    tensor([7, 7])
    """
    value, fill = filling("full", fill_value)
    return new_leaf_of_sizes("full", arguments.listed("full", size), options, dtypes.of_number(value), fill=fill)


def eye(n: SupportsIndex, m: SupportsIndex | None = None, **options: Unpack[Options]) -> Tensor:
    """The `n` by `m` (or `n` by `n`) matrix with ones on the diagonal and zeros elsewhere.

    >>> import minigrad as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    sizes = arguments.int_of("eye", "n", n, 1), arguments.int_of("eye", "m", n if m is None else m, 2)
    return new_leaf_of_sizes("eye", sizes, options, make=lambda shape, of: np.eye(*shape, dtype=of))


def zeros_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of zeros of the shape, dtype and memory order of `input`."""
    return like("zeros_like", input, lambda array: array.fill(0), options)


def ones_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of ones of the shape, dtype and memory order of `input`."""
    return like("ones_like", input, lambda array: array.fill(1), options)


def full_like(input: Tensor, fill_value: Number, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of `fill_value` of the shape, dtype and memory order of `input`."""
    return like("full_like", input, filling("full_like", fill_value)[1], options)


def empty_like(input: Tensor, **options: Unpack[LikeOptions]) -> Tensor:
    """A tensor of the shape, dtype and memory order of `input`, to be written before it is read."""
    return like("empty_like", input, lambda array: None, options)


# ---- in the dtype of a tensor ----------------------------------------------------------------------------------------


@op("Tensor")
def new_zeros(input: Tensor, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of zeros, in this tensor's dtype.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    return new_leaf_of_sizes("new_zeros", sizes, options, input.dtype, make=np.zeros)


@op("Tensor")
def new_ones(input: Tensor, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor of ones, in this tensor's dtype."""
    return new_leaf_of_sizes("new_ones", sizes, options, input.dtype, fill=lambda array: array.fill(1))


@op("Tensor")
def new_empty(input: Tensor, *sizes: Any, **options: Unpack[SizedOptions]) -> Tensor:
    """A tensor in this tensor's dtype, to be written before it is read."""
    return new_leaf_of_sizes("new_empty", sizes, options, input.dtype)


@op("Tensor")
def new_full(input: Tensor, size: Sizes, fill_value: Number, **options: Unpack[Options]) -> Tensor:
    """A tensor of `fill_value`, in this tensor's dtype."""
    fill = filling("new_full", fill_value)[1]
    return new_leaf_of_sizes("new_full", arguments.listed("new_full", size), options, input.dtype, fill=fill)


@op("Tensor")
def new_tensor(input: Tensor, data: Any, **options: Unpack[Options]) -> Tensor:
    """A tensor of a copy of `data`, as `torch.tensor` makes it, in this tensor's dtype.

    >>> import minigrad as torch
    >>> torch.zeros(2).new_tensor([1, 2])
    tensor([1., 2.])
    """
    given = _copied("tensor.new_tensor", data)
    return new_leaf_made("new_tensor", lambda of: array_of_data(given, dtypes._BY_NUMPY[of]), options, input.dtype)


# ---- ranges ----------------------------------------------------------------------------------------------------------


def arange(
    first: Operand | EllipsisType = ...,
    /,
    end: Operand | EllipsisType = ...,
    step: Operand | EllipsisType = ...,
    *,
    start: Operand | EllipsisType = ...,
    **options: Unpack[Options],
) -> Tensor:
    """The numbers `start, start + step, …` up to and without `end`: `arange(end)`, `arange(start, end, step=1)`.

    >>> import minigrad as torch
    >>> torch.arange(3), torch.arange(1, 2, 0.25)
    (tensor([0, 1, 2]), tensor([1.0000, 1.2500, 1.5000, 1.7500]))
    """
    # `...` stands for what is not given, since None is an error.
    given = [each for each in (first, start, end) if each is not ...]
    if len(given) == 1 and start is ... and step is ...:
        given = [0, *given]
    if len(given) != 2 or (first is not ... and start is not ...):
        raise TypeError("arange() received an invalid combination of arguments: expected (end) or (start, end, step=1)")
    named = zip(("start", "end", "step"), (*given, 1 if step is ... else step), strict=True)
    low, high, by = [
        each if type(each) is int else arguments.number_of("arange", name, each, 0) for name, each in named
    ]
    default = None if float in {type(low), type(high), type(by)} else dtypes.int64
    return new_leaf_made("arange", lambda of: _range(low, high, by, of), options, default)


def _range(start: Any, end: Any, step: Any, wanted: np.dtype[Any]) -> Array:
    """The numbers of a range, each computed as start + i * step in float64 or int64, so that no errors add up."""
    of_ints = {type(start), type(end), type(step)} == {int}
    if of_ints and wanted == np.int64 and step > 0 and -(2**62) < start <= end < 2**62:
        return np.arange(start, end, step, dtype=wanted)
    arguments.check_numbers("arange_cpu", wanted, "expected a dtype of numbers")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError(f"upper bound and lower bound inconsistent with step sign: from {start} to {end} by {step}")
    if wanted == np.int64:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero: as an int64, this one is 0")
    # Integers start at the start without its fraction; but they are as many as with it.
    whole = isinstance(end - start, int) and isinstance(step, int)
    count = -((start - end) // step) if whole else math.ceil((end - start) / step)
    numbers = np.arange(count)
    if wanted not in FLOATS or isinstance(start + step, int):
        return (int(start) + numbers * int(step)).astype(wanted)
    # PyTorch computes vectors of 32 bytes, two at a time, each number from the first one of its vector.
    width = 32 // wanted.itemsize
    lane = np.where(numbers < count // (2 * width) * 2 * width, numbers % width, 0.0)
    first = fused_multiply_add(numbers - lane, step, start).astype(wanted)
    return fused_multiply_add(lane, step, first).astype(wanted) if count >= 2 * width else first


def range(start: Operand, end: Operand, step: Operand = 1, **options: Unpack[Options]) -> Tensor:
    """`arange`, but that `end` is included: deprecated, as in PyTorch."""
    warn_program(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    first, last, by = [arguments.number_of("range", "end", each, 1) for each in (start, end, step)]
    wanted, requires_grad = checked("range", options)
    if by and math.isfinite(last - first) and (last - first) * by >= 0:
        last = first + (math.floor((last - first) / by) + (0.5 if wanted in FLOATS else 1)) * by
    return new_leaf(quiet().run(_range, first, last, by, wanted), requires_grad)


def linspace(start: Operand, end: Operand, steps: SupportsIndex, **options: Unpack[Options]) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    >>> import minigrad as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    count = arguments.int_of("linspace", "steps", steps, 3)
    first, last = [each.detach() if isinstance(each, Tensor) else each for each in (start, end)]
    return new_leaf_made("linspace", lambda of: _spaced(first, last, count, of), options)


def _spaced(start: object, end: object, count: int, wanted: np.dtype[Any]) -> Array:
    """Numbers at equal distances, counted from the nearer end, in the dtype wanted, by way of float64 for integers."""
    if count < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {count}")
    if count > 1:
        arguments.check_numbers("linspace_cpu", wanted, "expected a dtype of numbers")
    exact = computed_in(wanted) if wanted in FLOATS else np.dtype(np.float64)
    first, last = [
        exact.type(arguments.filler(arguments.number_of("linspace", name, each, position), dtypes._BY_NUMPY[wanted]))
        for position, (name, each) in enumerate((("start", start), ("end", end)), 1)
    ]
    if count == 1:
        return np.array([first]).astype(wanted)
    step = (last - first) / exact.type(max(count - 1, 1))
    # The products of a float32 step are exact in float64.
    stepped = fused_multiply_add if exact == np.float64 else lambda numbers, step, start: numbers * step + start
    steps = np.arange((count + 1) // 2, dtype=np.float64)
    halves = stepped(steps[: count // 2], step, first), stepped(steps[::-1], -step, last)
    return np.concatenate(halves).astype(exact).astype(wanted, copy=False)


def like(name: str, input: Tensor, fill: arguments.Fill, options: LikeOptions) -> Tensor:
    """A leaf of the shape, memory order and dtype (unless another is given) of `input`, filled by `fill`."""
    if not isinstance(input, Tensor):
        tensors.failures.refuse(name, "input", 1, Tensor, input)
    in_order = options.pop("memory_format", None) is contiguous_format
    wanted, requires_grad = checked(name, options, input.dtype)
    array = input._array
    # For an expanded tensor, NumPy's order would not be PyTorch's.
    order: Literal["C", "K"] = "C" if in_order or 0 in array.strides else "K"
    new = np.empty_like(array, wanted, order)
    fill(new)
    return new_leaf(new, requires_grad)


# ---- drawn at random, exactly as PyTorch draws them on the CPU -------------------------------------------------------


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
    """A function that fills an array by `draw`, one of `minigrad.random`, with these parameters, and returns it."""
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
    first, end = arguments.int_of("randint", "low", low, 1), arguments.int_of("randint", "high", high, place)
    fill = drawn(random.random_, generator, first, end)
    return new_leaf_of_sizes("randint", (size,), options, dtypes.int64, fill=fill)


def randperm(n: SupportsIndex, *, generator: Source = None, **options: Unpack[Options]) -> Tensor:
    """The numbers 0 … n-1 in a random order.

    >>> import minigrad as torch
    >>> torch.randperm(4, generator=torch.Generator().manual_seed(123))
    tensor([2, 0, 1, 3])
    """
    wanted, requires_grad = checked("randperm", options, dtypes.int64)
    arguments.check_numbers("randperm", wanted, "expected a dtype of numbers")
    order = random.randperm(arguments.int_of("randperm", "n", n, 1), engine_of(generator))
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
    if isinstance(std, Tensor) and np.count_nonzero(std._array < 0):
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
    """`draw(*arrays)`, of arrays of parameters.  The gradients are 0, as in PyTorch: none flows through a draw."""

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
    return input._new(draw(input._array, arguments.as_int(num_samples), replacement, engine_of(generator)))


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
    """The softmax of `(logits + noise) / tau`; if `hard`, 1 at its largest element, else 0, with the same gradient."""
    noise = -empty(logits.shape, dtype=logits.dtype).exponential_().log()
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
    limits = arguments.as_int(low) if given else None, None if high is None else arguments.as_int(high)
    return input._refill(drawn(random.random_, generator, *limits), f"RandomBackward{2 - len(given)}")


# ---- older constructors: `LongTensor([1])` is `tensor([1], dtype=long)` ----------------------------------------------


class _TypedTensor(type):
    """The class of these constructors: `isinstance(x, LongTensor)` asks for the dtype."""

    dtype: ClassVar[dtypes.dtype]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: object, device: OnDevice = None, **options: Never) -> Tensor:
        return made_as_before(args, cls.dtype, device, **options)


def _constructor(of: dtype) -> _TypedTensor:
    """The constructor of tensors of the dtype `of`."""
    name = f"{of._tensor_name}Tensor"
    text = f"Tensors of {of!r}, made of one sequence or of sizes; prefer `torch.tensor(data, dtype={of!r})`."
    return _TypedTensor(name, (), {"dtype": of, "__doc__": text, "__module__": "torch"})


FloatTensor, DoubleTensor, HalfTensor = map(_constructor, (dtypes.float32, dtypes.float64, dtypes.float16))
LongTensor, IntTensor, ShortTensor = map(_constructor, (dtypes.int64, dtypes.int32, dtypes.int16))
CharTensor, ByteTensor, BoolTensor = map(_constructor, (dtypes.int8, dtypes.uint8, dtypes.bool_))


def set_default_tensor_type(t: _TypedTensor | str, /) -> None:
    """As `set_default_dtype`, for the dtype of a type such as `FloatTensor` or "torch.FloatTensor"."""
    kind = globals().get(t.removeprefix("torch.")) if isinstance(t, str) else t
    if not isinstance(kind, _TypedTensor):
        raise TypeError(f"invalid type object: expected one such as torch.FloatTensor, on the CPU, got {t!r}")
    warn_program("torch.set_default_tensor_type() is deprecated, please use torch.set_default_dtype()")
    dtypes.set_default_dtype(kind.dtype)


@op("Tensor")
def new(input: Tensor, *args: Any) -> Tensor:
    """A tensor in this tensor's dtype, made of one sequence or of sizes, as `FloatTensor` makes those of float32.

    >>> import minigrad as torch
    >>> torch.ones(4, dtype=torch.int64).new(2, 1, 3).zero_()
    tensor([[[0, 0, 0]],
    <BLANKLINE>
            [[0, 0, 0]]])
    """
    return made_as_before(args, input.dtype)


# ---- numbers in nested sequences -------------------------------------------------------------------------------------


def array_of_data(data: object, wanted: dtype | None = None) -> Array:
    """A new array of `data` in the dtype `wanted`; if that is None, in the dtype that the data suggests."""
    if isinstance(data, (np.ndarray, np.generic)):
        array = checked_array(np.asarray(data))
        return copied(array) if wanted is None else quiet().run(in_dtype, array, wanted._numpy)
    values: list[Number] = []
    shape, found = _collect(data, values)
    try:
        return _array_of_numbers(values, wanted or found or dtypes.get_default_dtype()).reshape(shape)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long: an int in the data is not in [-2**63, 2**63)") from None


def made_as_before(args: tuple[Any, ...], wanted: dtype | None, device: OnDevice = None, **options: Never) -> Tensor:
    """A tensor as `Tensor(…)` and `LongTensor(…)` make it: of a tensor, of one sequence, or of sizes.

    >>> made_as_before(([1, 2],), None), made_as_before((2, 3), dtypes.int64).shape
    (tensor([1., 2.]), torch.Size([2, 3]))
    """
    if options:
        remedy = "torch.tensor(data, dtype=…, requires_grad=…) takes options"
        raise TypeError(f"new() received an invalid combination of arguments - got {', '.join(options)}: {remedy}")
    first = args[0] if len(args) == 1 else 0
    if isinstance(first, Tensor):
        if device is not None:
            problem = "Legacy tensor constructor of the form torch.Tensor(tensor, device=device)"
            raise RuntimeError(f"{problem} is not supported: torch.as_tensor(tensor, device=device)")
        if wanted not in (None, first.dtype):
            raise TypeError(f"expected a tensor of {wanted!r} (got {first.dtype!r}): x.to({wanted!r})")
        return first[...]
    of = wanted or dtypes.get_default_dtype()
    if not isinstance(first, (int, Size)) and isinstance(first, (Sequence, np.ndarray)):
        return new_leaf(array_of_data(first, of), False, device)
    if len(args) == 1 and (isinstance(first, bool) or not isinstance(first, (Size, int, np.integer))):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__}): torch.tensor takes {first!r}")
    given: Options = {} if device is None else {"device": device}
    return new_leaf_of_sizes("new", args or (0,), given, of)


def _collect(data: object, values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """The shape and dtype of nested data, None if it is empty; its numbers are appended to `values` in order."""
    if isinstance(data, (bool, int, float)) and not isinstance(data, np.generic):
        values.append(data)
        return (), dtypes.of_number(data)
    if isinstance(data, Tensor):
        values.append(data._only("torch.stack(tensors) makes one of several"))
        return (), dtypes.of(data._array)
    if isinstance(data, (np.ndarray, np.generic)):
        values += data.reshape(-1).tolist()
        return data.shape, dtypes.of(np.asarray(data))
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}': expected numbers, got {data!r}")
    if isinstance(data, dict) or not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}: expected numbers or sequences of them")
    data = data if isinstance(data, (list, tuple, Sequence)) else list(data)  # type: ignore[call-overload]  # it counts its items
    kinds = set(map(type, data))
    if kinds <= {bool, int, float}:
        # An innermost row of numbers, without a call for each: these are nearly all of the data.
        values.extend(data)
        kind = float if float in kinds else int if int in kinds else bool
        return (len(data),), dtypes.of_number(kind()) if kinds else None
    return _collect_rows(data, values)


def _collect_rows(data: Sequence[Any], values: list[Number]) -> tuple[tuple[int, ...], dtype | None]:
    """As `_collect`, for a sequence of sequences or of numbers of several types, all of one shape."""
    shape: tuple[int, ...] | None = None
    found: dtype | None = None
    for row in data:
        if isinstance(row, str) and not values:
            raise ValueError(f"too many dimensions 'str': expected numbers, got {row!r}")
        row_shape, row_dtype = _collect(row, values)
        if shape is None:
            shape = row_shape
        elif row_shape != shape:
            raise _unequal(shape, row_shape, row)
        if row_dtype is not None:
            found = row_dtype if found is None else dtypes.promote_types(found, row_dtype)
    return (len(data), *(shape or ())), found


def _unequal(shape: tuple[int, ...], got: tuple[int, ...], row: object) -> Exception:
    """The error for a row of another shape than the rows before it."""
    if len(got) != len(shape):
        deeper = f"'{type(row).__name__}' object cannot be interpreted as a number"
        words = "not a sequence" if len(got) < len(shape) else deeper
        return TypeError(f"{words}: those before it have shape {list(shape)}, this one, {row!r}, has {list(got)}")
    dim = next(dim for dim, (size, wanted) in enumerate(zip(got, shape, strict=True)) if size != wanted)
    return ValueError(f"expected sequence of length {shape[dim]} at dim {dim + 1} (got {got[dim]}), as the rows before")


def _array_of_numbers(values: list[Number], target: dtype) -> Array:
    """The numbers in the dtype `target`, each converted by itself, as in PyTorch: an int keeps all of its digits."""
    if target.is_floating_point or target is dtypes.bool_:
        return arguments.converted(np.array(values, np.float64), target)
    if float not in set(map(type, values)):
        array = np.array(values, np.int64)
        return array if target is dtypes.int64 else arguments.converted(array, target)
    return np.array([arguments.converted(np.asarray(value), target) for value in values])


# ---- leaves of arrays ------------------------------------------------------------------------------------------------


def new_leaf(array: Array, requires_grad: bool = False, on: OnDevice = None) -> Any:
    """A leaf tensor of `array` itself, not of a copy."""
    if on is not None:
        check_on_cpu(on)
    if requires_grad:
        arguments.check_can_require_grad(dtypes.of(array), requires_grad)
    leaf = Tensor._new(array)
    leaf._requires_grad = requires_grad
    return leaf


def new_leaf_made(
    name: str, make: Callable[[np.dtype[Any]], Array], options: Options, default: dtypes.dtype | None = None
) -> Tensor:
    """A leaf tensor of the array `make(dtype)`, which is called without NumPy's warnings."""
    wanted, requires_grad = checked(name, options, default)
    try:
        return new_leaf(quiet().run(make, wanted), requires_grad)
    except (ValueError, OverflowError, MemoryError) as error:
        raise tensors.failures.beyond_numpy(error) from None


def new_leaf_of_sizes(
    name: str,
    sizes: Sequence[Any],
    options: Options,
    default: dtypes.dtype | None = None,
    *,
    make: Callable[..., Array] = np.empty,
    fill: arguments.Fill | None = None,
) -> Tensor:
    """A leaf tensor of the array `make(shape, dtype)`, filled by `fill`; `sizes` are as for `sizes_of`.

    Errors: those of `checked`; RuntimeError for sizes that no array has.
    """
    shape = arguments.sizes_of(name, sizes, options.pop("size", None))  # type: ignore[typeddict-item]  # SizedOptions has it
    wanted, requires_grad = checked(name, options, default)
    try:
        array = make(shape, wanted)
        if fill is not None:
            fill(array)
        return new_leaf(array, requires_grad)
    except (ValueError, MemoryError) as error:
        arguments.check_shape(name, shape, wanted)
        raise tensors.failures.beyond_numpy(error) from None


def filling(name: str, given: object) -> tuple[Number, arguments.Fill]:
    """The argument `fill_value` of the function `name`, and a function that fills an array with it."""
    value = arguments.number_of(name, "fill_value", given, 2)
    return value, lambda array: array.fill(arguments.filler(value, dtypes.of(array)))
