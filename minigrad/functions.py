"""The free-function forms of the methods of `Tensor`, and the functions of several tensors."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from minigrad import dtypes
from minigrad.devices import device as Device
from minigrad.dtypes import Array, Number, dtype
from minigrad.methods.forms import Dims, Operand, checked_operand, checked_tensor, free, numpy_names
from minigrad.methods.reduction import moment_and_mean
from minigrad.methods.sorting import inserted
from minigrad.ops import einsum as _einsum
from minigrad.ops import grids, join
from minigrad.ops.broadcast import common_shape
from minigrad.ops.dims import INTEGER
from minigrad.ops.elementwise import Copy
from minigrad.ops.selecting import where as _where
from minigrad.size import Size
from minigrad.tensor import Tensor, new_leaf

__all__ = [
    "abs",
    "absolute",
    "acos",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "amax",
    "amin",
    "aminmax",
    "any",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "asin",
    "atan",
    "atan2",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "baddbmm",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block_diag",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cartesian_prod",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "cos",
    "cosh",
    "count_nonzero",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "detach",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "div",
    "divide",
    "dot",
    "dsplit",
    "dstack",
    "einsum",
    "eq",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fill",
    "fill_",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "gather",
    "ge",
    "ger",
    "greater",
    "greater_equal",
    "gt",
    "histc",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "inner",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "kron",
    "kthvalue",
    "le",
    "lerp",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logaddexp",
    "logcumsumexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "lt",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multiply",
    "mv",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nonzero",
    "norm",
    "not_equal",
    "numel",
    "outer",
    "permute",
    "positive",
    "pow",
    "prod",
    "put",
    "ravel",
    "reciprocal",
    "relu",
    "remainder",
    "repeat_interleave",
    "reshape",
    "result_type",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rsqrt",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "select",
    "select_scatter",
    "sgn",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "slice_scatter",
    "softmax",
    "sort",
    "split",
    "split_with_sizes",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor_split",
    "tensordot",
    "tile",
    "topk",
    "trace",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "unbind",
    "unflatten",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsqueeze",
    "var",
    "var_mean",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "zero_",
]

# ---- arithmetic ------------------------------------------------------------------------------------------------------


def _of_number_or_tensor(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function `f(input, other, …)` that calls the method `input.f(other, …)`; one of the two may be a number."""
    of_tensor = free(method)

    @functools.wraps(of_tensor)
    def function(*args: Any, **kwargs: Any) -> Tensor:
        if not args or not isinstance(args[0], int | float | np.generic):
            return of_tensor(*args, **kwargs)
        for given in (*args[1:2], *kwargs.values()):
            checked_tensor(method.__name__, given, "other", 2)
        return method(*args, **kwargs)

    return function


def _of_numbers(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function `f(input, other, …)` that calls the method `input.f(other, …)`; each of the two may be a number.

    >>> from minigrad import tensor
    >>> subtract = _of_numbers(Tensor.sub)
    >>> subtract(5, tensor([1, 2])), subtract(5, 3)
    (tensor([4, 3]), tensor(2))
    """
    of_tensor = free(method)

    @functools.wraps(of_tensor)
    def function(*args: Any, **kwargs: Any) -> Tensor:
        if not args or not isinstance(args[0], int | float | np.generic):
            return of_tensor(*args, **kwargs)
        number, *others = args
        if not builtins.any([isinstance(each, Tensor) for each in (*others, kwargs.get("other"))]):
            number = new_leaf(np.asarray(number, dtypes.of_number(number)._numpy))
        return method(number, *others, **kwargs)

    return function


add = _of_numbers(Tensor.add)
sub = subtract = _of_numbers(Tensor.sub)
mul = multiply = _of_numbers(Tensor.mul)
div = divide = _of_numbers(Tensor.div)
true_divide = _of_numbers(Tensor.true_divide)
floor_divide = _of_numbers(Tensor.floor_divide)
remainder = _of_number_or_tensor(Tensor.remainder)
fmod = free(Tensor.fmod)
pow = _of_number_or_tensor(Tensor.pow)
neg = negative = free(Tensor.neg)
positive = free(Tensor.positive)
lerp = free(Tensor.lerp)
addcmul = free(Tensor.addcmul)
addcdiv = free(Tensor.addcdiv)

# ---- mathematical functions ------------------------------------------------------------------------------------------

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
xlogy = _of_number_or_tensor(Tensor.xlogy)
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
erfc = free(Tensor.erfc)
relu = free(Tensor.relu)

# ---- selecting -------------------------------------------------------------------------------------------------------

masked_fill = free(Tensor.masked_fill)
clamp = clip = free(Tensor.clamp)
clamp_min = free(Tensor.clamp_min)
clamp_max = free(Tensor.clamp_max)
maximum = free(Tensor.maximum)
minimum = free(Tensor.minimum)
fmax = free(Tensor.fmax)
fmin = free(Tensor.fmin)
nan_to_num = free(Tensor.nan_to_num)


def where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """`input` where `condition` holds, else `other`, tensors or numbers; without these, the indices where it holds.

    >>> from minigrad import tensor
    >>> x = tensor([-1.0, 2.0])
    >>> where(x > 0, x, 0)
    tensor([0., 2.])
    >>> where(x > 0)
    (tensor([1]),)
    """
    checked_tensor("where", condition, "condition")
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    return _where(condition, checked_operand("where", input, 2), checked_operand("where", other, 3))


# ---- comparison and logic --------------------------------------------------------------------------------------------

eq = free(Tensor.eq)
ne = not_equal = free(Tensor.ne)
lt = less = free(Tensor.lt)
le = less_equal = free(Tensor.le)
gt = greater = free(Tensor.gt)
ge = greater_equal = free(Tensor.ge)
equal = free(Tensor.equal)
isclose = free(Tensor.isclose)
allclose = free(Tensor.allclose)
isnan = free(Tensor.isnan)
isinf = free(Tensor.isinf)
isfinite = free(Tensor.isfinite)
logical_and = free(Tensor.logical_and)
logical_or = free(Tensor.logical_or)
logical_xor = free(Tensor.logical_xor)
logical_not = free(Tensor.logical_not)
bitwise_and = _of_number_or_tensor(Tensor.bitwise_and)
bitwise_or = _of_number_or_tensor(Tensor.bitwise_or)
bitwise_xor = _of_number_or_tensor(Tensor.bitwise_xor)
bitwise_not = free(Tensor.bitwise_not)
bitwise_left_shift = _of_number_or_tensor(Tensor.bitwise_left_shift)
bitwise_right_shift = _of_number_or_tensor(Tensor.bitwise_right_shift)

# ---- reductions ------------------------------------------------------------------------------------------------------

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
aminmax = free(Tensor.aminmax)
argmax = free(Tensor.argmax)
argmin = free(Tensor.argmin)
all = free(Tensor.all)
any = free(Tensor.any)
logsumexp = free(Tensor.logsumexp)
softmax = free(Tensor.softmax)
log_softmax = free(Tensor.log_softmax)
cumsum = free(Tensor.cumsum)
cumprod = free(Tensor.cumprod)
logcumsumexp = free(Tensor.logcumsumexp)
cummax = free(Tensor.cummax)
cummin = free(Tensor.cummin)


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


# ---- order and counting ----------------------------------------------------------------------------------------------

sort = free(Tensor.sort)
argsort = free(Tensor.argsort)
msort = free(Tensor.msort)
topk = free(Tensor.topk)
kthvalue = free(Tensor.kthvalue)
median = free(Tensor.median)
nanmedian = free(Tensor.nanmedian)
mode = free(Tensor.mode)
diff = free(Tensor.diff)
unique = free(Tensor.unique)
unique_consecutive = free(Tensor.unique_consecutive)
bincount = free(Tensor.bincount)
histc = free(Tensor.histc)
histogram = free(Tensor.histogram)


def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """For each value the index at which it would keep the sequence sorted: before equal elements, or after them.

    `sorted_sequence` is `(*, N)`, sorted along the last dimension or, if not, by the indices `sorter`; `input` is
    `(*, M)`, or of any shape for a sequence `(N,)`.  After equal elements with `right` or with `side="right"`.

    >>> from minigrad import tensor
    >>> searchsorted(tensor([1, 3, 5]), tensor([3, 6]))
    tensor([1, 3])
    """
    return inserted(sorted_sequence, input, out_int32, right, side, sorter)


def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each of `elements`, `(*)`, is among `test_elements`, or with `invert` is not; one may be a number.

    >>> from minigrad import tensor
    >>> isin(tensor([[1, 2], [3, 4]]), tensor([2, 4, 9]))
    tensor([[False,  True],
            [False,  True]])
    """
    checked_operand("isin", elements)
    checked_operand("isin", test_elements, 2)
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): expected a tensor among elements and test_elements, but got two numbers")
    x, among = [each._array if isinstance(each, Tensor) else np.asarray(each) for each in (elements, test_elements)]
    return Tensor._new(np.isin(x, among, assume_unique=assume_unique, invert=invert))


def bucketize(input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """For each value the index of the bucket it falls into: boundary i - 1 < value <= boundary i.

    With `right`, boundary i - 1 <= value < boundary i.  `boundaries` is `(N,)` and ascending.

    >>> from minigrad import tensor
    >>> bucketize(tensor([0.5, 1.0, 2.5]), tensor([1.0, 2.0]))
    tensor([0, 0, 2])
    """
    if checked_tensor("bucketize", boundaries, "boundaries", 2).ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return inserted(boundaries, input, out_int32, right, None, None)


# ---- linear algebra --------------------------------------------------------------------------------------------------

matmul = free(Tensor.matmul)
mm = free(Tensor.mm)
bmm = free(Tensor.bmm)
mv = free(Tensor.mv)
dot = free(Tensor.dot)
vdot = free(Tensor.vdot)
inner = free(Tensor.inner)
outer = free(Tensor.outer)
ger = free(Tensor.ger)
kron = free(Tensor.kron)
addmm = free(Tensor.addmm)
addmv = free(Tensor.addmv)
addbmm = free(Tensor.addbmm)
baddbmm = free(Tensor.baddbmm)
addr = free(Tensor.addr)


def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation says, of operands whose dimensions it names by letters.

    `einsum("ij,jk->ik", a, b)` multiplies elements of equal letters and sums over the letters that the output, after
    `->`, lacks.  Without `->` the output has, in alphabetical order, the letters that occur once.  A letter repeated in
    one operand selects its diagonal; `...` stands for all dimensions that no letter names, which broadcast.  In place
    of letters, `einsum(a, [0, 1], b, [1, 2], [0, 2])` names dimensions by numbers in [0, 52) and Ellipsis.

    >>> from minigrad import tensor
    >>> a, b = tensor([[1, 2], [3, 4]]), tensor([[1, 0], [1, 1]])
    >>> einsum("ij,jk->ik", a, b)
    tensor([[3, 2],
            [7, 4]])
    >>> einsum("ii", a), einsum(a, [0, 1], [1, 0])
    (tensor(5), tensor([[1, 3],
            [2, 4]]))
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        pairs = len(args) // 2 * 2
        operands: Any = args[:pairs:2]
        equation = _einsum.equation_of(args[1:pairs:2], args[-1] if len(args) > pairs else None)
    else:
        equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    return _einsum.einsum(equation, _checked_sequence("einsum", operands))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over dimensions of both: the last `dims` of a and first of b, or those of two lists.

    >>> from minigrad import ones
    >>> tensordot(ones(2, 3, 4), ones(3, 4, 5)).shape, tensordot(ones(2, 3), ones(2, 4), ([0], [0])).shape
    (torch.Size([2, 5]), torch.Size([3, 4]))
    """
    checked_tensor("tensordot", a, "a")
    checked_tensor("tensordot", b, "b", 2)
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, list | tuple):
        dims_a, dims_b = dims
        for name, each in (("dims_self", dims_a), ("dims_other", dims_b)):
            if not isinstance(each, list | tuple):
                raise TypeError(f"tensordot(): argument '{name}' must be tuple of ints, not {type(each).__name__}")
        return _einsum.tensordot(a, b, dims_a, dims_b)
    if not isinstance(dims, INTEGER):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    count = index(dims)
    if count < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
    if count > a.ndim or count > b.ndim:
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
    return _einsum.tensordot(a, b, [*range(a.ndim - count, a.ndim)], [*range(count)])


# ---- shape -----------------------------------------------------------------------------------------------------------


def _of_list(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function of a method that takes ints one by one, too: the function takes them in one list only."""
    function, name = free(method), method.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        if len(args) > 2:
            raise TypeError(f"{name}() takes 2 positional arguments but {len(args)} were given: expected one tuple")
        if len(args) == 2 and not isinstance(args[1], tuple | list):
            raise TypeError(f"{name}(): argument (position 2) must be tuple of ints, not {type(args[1]).__name__}")
        return function(*args, **kwargs)

    return call


numel = free(Tensor.numel)
is_same_size = free(Tensor.is_same_size)
reshape = _of_list(Tensor.reshape)
flatten = free(Tensor.flatten)
ravel = free(Tensor.ravel)
unflatten = free(Tensor.unflatten)
unsqueeze = free(Tensor.unsqueeze)
squeeze = free(Tensor.squeeze)
permute = _of_list(Tensor.permute)
transpose = free(Tensor.transpose)
swapaxes = free(Tensor.swapaxes)
swapdims = free(Tensor.swapdims)
movedim = free(Tensor.movedim)
moveaxis = free(Tensor.moveaxis)
t = free(Tensor.t)
adjoint = free(Tensor.adjoint)
broadcast_to = _of_list(Tensor.broadcast_to)
tile = _of_list(Tensor.tile)
flip = _of_list(Tensor.flip)
fliplr = free(Tensor.fliplr)
flipud = free(Tensor.flipud)
roll = free(Tensor.roll)
rot90 = free(Tensor.rot90)
diagonal = free(Tensor.diagonal)
diag = free(Tensor.diag)
diag_embed = free(Tensor.diag_embed)
diagflat = free(Tensor.diagflat)
trace = free(Tensor.trace)
tril = free(Tensor.tril)
triu = free(Tensor.triu)
split_with_sizes = free(Tensor.split_with_sizes)
chunk = free(Tensor.chunk)
tensor_split = free(Tensor.tensor_split)
hsplit = free(Tensor.hsplit)
vsplit = free(Tensor.vsplit)
dsplit = free(Tensor.dsplit)
unbind = free(Tensor.unbind)
select = free(Tensor.select)
narrow = free(Tensor.narrow)


def split(tensor: Tensor, split_size_or_sections: Any, dim: SupportsIndex = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts along `dim`: each of the size given, the last perhaps smaller, or of those listed.

    >>> from minigrad import arange
    >>> split(arange(5), 2), split(arange(5), [1, 4])
    ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3, 4])))
    """
    return checked_tensor("split", tensor, "tensor").split(split_size_or_sections, dim)


def repeat_interleave(
    input: Tensor,
    repeats: Any = None,
    dim: SupportsIndex | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element of `input`, or slice along `dim`, `repeats` times in a row; see `Tensor.repeat_interleave`.

    Of a vector alone, the index i as often as its element i says.

    >>> from minigrad import tensor
    >>> repeat_interleave(tensor([2, 0, 1]))
    tensor([0, 0, 2])
    """
    if repeats is not None:
        return checked_tensor("repeat_interleave", input).repeat_interleave(repeats, dim, output_size=output_size)
    counts = checked_tensor("repeat_interleave", input, "repeats")
    if counts.ndim != 1:
        raise RuntimeError(f"repeat_interleave only accept 1D vector as repeat, got {counts.ndim} dimensions")
    indices = Tensor._new(np.arange(len(counts), dtype=counts._array.dtype))
    return indices.repeat_interleave(counts, output_size=output_size)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors, expanded to the one shape that all broadcast to.

    >>> from minigrad import tensor
    >>> broadcast_tensors(tensor([[1], [2]]), tensor([3, 4]))
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    given = _checked_sequence("broadcast_tensors", tensors)
    shape = common_shape([x.shape for x in given])
    return tuple([x if x.shape == shape else x.expand(shape) for x in given])


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to; an int is a shape of one size.

    >>> broadcast_shapes((2, 1), (3,), 1)
    torch.Size([2, 3])
    """
    found = [(index(shape),) if isinstance(shape, INTEGER) else tuple(shape) for shape in shapes]
    if builtins.any([size < 0 for shape in found for size in shape]):
        raise ValueError(f"Attempting to broadcast a dimension with negative length! Got {found}")
    return Size(common_shape(found))


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """For each vector a view of it in the shape of all: `grids[k][i0, i1, …] = tensors[k][ik]`.

    With indexing "xy" the first two dimensions of the result are swapped.

    >>> from minigrad import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]), indexing="ij")
    (tensor([[1, 1, 1],
            [2, 2, 2]]), tensor([[3, 4, 5],
            [3, 4, 5]]))
    """
    return grids.meshgrid(_all_tensors("meshgrid", tensors), indexing)


def cartesian_prod(*tensors: Any) -> Tensor:
    """The rows of one element of each vector, in lexicographic order; for one vector, that vector.

    >>> from minigrad import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    return grids.cartesian_prod(_all_tensors("cartesian_prod", tensors))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The rows of `r` elements of a vector in their order, each element once in a row, or repeatedly if so said.

    >>> from minigrad import tensor
    >>> combinations(tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    return grids.combinations(checked_tensor("combinations", input), r, with_replacement)


def atleast_1d(*tensors: Any) -> Any:
    """The tensor with at least one dimension; a tuple of such for several tensors or a list."""
    return _each(lambda x: x if x.ndim else x.reshape(1), tensors, "atleast_1d")


def atleast_2d(*tensors: Any) -> Any:
    """The tensor with at least two dimensions, of a vector a row; a tuple of such for several tensors or a list."""
    return _each(lambda x: x if x.ndim > 1 else x.unsqueeze(0) if x.ndim else x.reshape(1, 1), tensors, "atleast_2d")


def atleast_3d(*tensors: Any) -> Any:
    """The tensor with at least three dimensions: `(1, N, 1)` of a vector, `(N, M, 1)` of a matrix; or a tuple."""

    def deepened(x: Tensor) -> Tensor:
        if x.ndim == 0:
            return x.reshape(1, 1, 1)
        x = x.unsqueeze(0) if x.ndim == 1 else x
        return x.unsqueeze(-1) if x.ndim == 2 else x

    return _each(deepened, tensors, "atleast_3d")


def _each(of: Callable[[Tensor], Tensor], tensors: tuple[Any, ...], name: str) -> Any:
    """What `of` makes of the only tensor, or a tuple of what it makes of each of several or of a list."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return of(tensors[0])
    return tuple([of(x) for x in _all_tensors(name, tensors)])


def _all_tensors(name: str, tensors: tuple[Any, ...]) -> list[Tensor]:
    """Tensors given as `f(a, b)` or as `f([a, b])`."""
    listed = len(tensors) == 1 and isinstance(tensors[0], list | tuple)
    return _checked_sequence(name, tensors[0] if listed else tensors)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Device | str | None = None
) -> Tensor:
    """The row and column indices of the elements of a lower triangle, of a matrix of `row` by `col`.

    >>> tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", np.tril_indices, row, col, offset, dtype, device)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Device | str | None = None
) -> Tensor:
    """The row and column indices of the elements of an upper triangle, of a matrix of `row` by `col`.

    >>> triu_indices(2, 2, 1)
    tensor([[0],
            [1]])
    """
    return _triangle("triu_indices", np.triu_indices, row, col, offset, dtype, device)


def _triangle(
    name: str,
    indices: Callable[..., tuple[Array, Array]],
    row: int,
    col: int,
    offset: int,
    dtype: dtype | None,
    device: Device | str | None,
) -> Tensor:
    for argument, size in (("row", row), ("col", col)):
        if index(size) < 0:
            raise RuntimeError(f"{argument} must be non-negative, got {size}")
    wanted = dtype or dtypes.int64
    if wanted not in (dtypes.int64, dtypes.int32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{wanted._tensor_name}': expected int64 or int32")
    found = np.stack(indices(index(row), index(offset), index(col)))
    return new_leaf(found.astype(wanted._numpy, copy=False), False, device)


@numpy_names
def cat(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors one after another along `dim`; their other sizes must be equal.  1-d tensors of size 0 are left out.

    >>> from minigrad import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    return join.cat(_checked_sequence("cat", tensors), dim)


@numpy_names
def concat(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The same as `cat`."""
    return cat(tensors, dim)


@numpy_names
def concatenate(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The same as `cat`."""
    return cat(tensors, dim)


@numpy_names
def stack(tensors: Sequence[Tensor], dim: SupportsIndex = 0) -> Tensor:
    """The tensors, all of one shape, along a new dimension at `dim`.

    >>> from minigrad import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return join.stack(_checked_sequence("stack", tensors), dim)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along dimension 1, vectors along 0."""
    given = _some_tensors("hstack", tensors)
    rows = [atleast_1d(x) for x in given]
    return cat(rows, 0 if rows[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one below the other, vectors as rows."""
    return cat([atleast_2d(x) for x in _some_tensors("vstack", tensors)])


def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The same as `vstack`."""
    return vstack(tensors)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one behind the other, along dimension 2."""
    return cat([atleast_3d(x) for x in _some_tensors("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side, vectors as columns.

    >>> from minigrad import tensor
    >>> column_stack([tensor([1, 2]), tensor([[3, 4], [5, 6]])])
    tensor([[1, 3, 4],
            [2, 5, 6]])
    """
    given = _some_tensors("column_stack", tensors)
    return cat([x if x.ndim > 1 else x.reshape(x.numel(), 1) for x in given], 1)


def block_diag(*tensors: Tensor) -> Tensor:
    """The matrix of matrices, each below and to the right of the one before, and zeros elsewhere; vectors are rows.

    >>> from minigrad import tensor
    >>> block_diag(tensor([[1, 2]]), tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    return join.block_diag(_checked_sequence("block_diag", tensors) or [Tensor._new(np.empty(0, np.float32))])


def _some_tensors(name: str, tensors: Any) -> list[Tensor]:
    """`tensors`, which must be a list or tuple of at least one tensor."""
    given = _checked_sequence(name, tensors)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given


def _checked_sequence(name: str, tensors: Any) -> list[Tensor]:
    """`tensors`, which must be a list or tuple of tensors."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    return list(tensors)


# ---- indexing --------------------------------------------------------------------------------------------------------

argwhere = free(Tensor.argwhere)
diagonal_scatter = free(Tensor.diagonal_scatter)
gather = free(Tensor.gather)
index_add = free(Tensor.index_add)
index_copy = free(Tensor.index_copy)
index_fill = free(Tensor.index_fill)
index_put = free(Tensor.index_put)
index_select = free(Tensor.index_select)
masked_scatter = free(Tensor.masked_scatter)
masked_select = free(Tensor.masked_select)
narrow = free(Tensor.narrow)
nonzero = free(Tensor.nonzero)
put = free(Tensor.put)
scatter = free(Tensor.scatter)
scatter_add = free(Tensor.scatter_add)
scatter_reduce = free(Tensor.scatter_reduce)
select = free(Tensor.select)
select_scatter = free(Tensor.select_scatter)
slice_scatter = free(Tensor.slice_scatter)
take = free(Tensor.take)
take_along_dim = free(Tensor.take_along_dim)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The positions, a tensor per dimension, of places counted over all elements of a tensor of `shape` in order.

    >>> from minigrad import tensor
    >>> unravel_index(tensor([5, 3]), (2, 3))
    (tensor([1, 1]), tensor([2, 0]))
    """
    places = checked_tensor("unravel_index", indices, "indices")._array
    if places.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    places = places.astype(np.int64)
    found: list[Tensor] = []
    for size in reversed([index(size) for size in (shape if isinstance(shape, Sequence) else (shape,))]):
        if size < 0:
            raise ValueError(f"'shape' cannot have negative values, but got {shape}")
        found.append(new_leaf(places % size))
        places = places // size
    return tuple(reversed(found))


# ---- copies and conversions ------------------------------------------------------------------------------------------

clone = free(Tensor.clone)
detach = free(Tensor.detach)
fill_ = free(Tensor.fill_)
is_complex = free(Tensor.is_complex)
is_floating_point = free(Tensor.is_floating_point)
is_nonzero = free(Tensor.is_nonzero)
is_signed = free(Tensor.is_signed)
zero_ = free(Tensor.zero_)


def fill(input: Tensor, value: Operand) -> Tensor:
    """A tensor like `input` with the number `value`, or that of a 0-d tensor, everywhere.

    >>> from minigrad import tensor
    >>> fill(tensor([1, 2]), 7)
    tensor([7, 7])
    """
    x = checked_tensor("fill", input)
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    number = value if isinstance(value, Tensor) else new_leaf(dtypes.filler(value, x.dtype))
    return Copy(f"FillBackward{int(isinstance(value, Tensor))}")(x, number.to(x.dtype))


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a tensor.

    >>> is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


def result_type(tensor1: Operand, tensor2: Operand) -> dtype:
    """The dtype of an arithmetic result of two operands, tensors or numbers.

    >>> from minigrad import tensor
    >>> result_type(tensor([1, 2]), 1.5)
    torch.float32
    """
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor1, tensor2)])
