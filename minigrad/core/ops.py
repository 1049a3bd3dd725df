"""The operations that all others are written in: arithmetic of elements; sums, repetitions and other shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import dtypes
from .arrays import WIDE_FLOATS, cleared, copied, in_dtype, inverse, laid_out, total, with_ones
from .dtypes import FLOATS, HALVES, Array, dtype
from .modes import current
from .tape import Binary, Unary, View, quiet, released
from .tensor import Operand, Size, Tensor, method, share_storage

#: What may stand beside a tensor in arithmetic.
NUMBERS = (int, float, np.generic)


class Cast(Unary):
    """`y` is `x` in another dtype."""

    form = "ToCopyBackward0"
    formulas = ("dx = g, cast back",)
    to: dtype

    def forward(self, x: Array) -> Array:
        self.x_dtype = dtypes.of(x)
        return in_dtype(x, self.to._numpy)

    def dx(self, g: Tensor) -> Tensor:
        return cast(g, self.x_dtype)


def cast(x: object, to: dtype) -> Any:
    """A tensor as a tensor of dtype `to`, itself if it is one; a number as an array of it."""
    if not isinstance(x, Tensor):
        return np.asarray(x).astype(to._numpy)
    if x._array.dtype == to._numpy:
        return x
    # No gradient flows through integers: they have no small changes.
    return Cast(to).of(x) if to.is_floating_point else x._new(quiet().run(in_dtype, x._array, to._numpy))


class Elementwise(Binary):
    """A binary op on tensors, or a tensor and a number, whose shapes broadcast to one.

    A subclass states its gradients for inputs of the output's shape.  Broadcasting is undone here: the
    gradient of an input that was repeated is the sum over its repetitions.
    """

    #: Whether a number that stands beside halves (float16, bfloat16) is rounded to a half first; else the result is
    #: computed in float32, and then rounded.
    rounds_numbers: ClassVar[bool] = False

    #: The dtypes of integers that need no promotion, if both operands have the same.
    integers: ClassVar[tuple[np.dtype[Any], ...]] = (dtypes.int64._numpy,)

    def of(self, a: Any, b: Any) -> Any:
        """The result for `a` and `b`, recorded if one of them requires a gradient."""
        # Most operands are two of one class, and comparing classes is faster than isinstance.
        if type(a) is not type(b) and not (isinstance(a, Tensor) and isinstance(b, Tensor) and not b.is_sparse):
            return self.with_number(a, b)
        x, y = a._array, b._array
        dtype = x.dtype
        try:
            if dtype is y.dtype and (dtype in FLOATS or dtype in self.integers):
                array = quiet().run(self.forward, x, y)
            else:
                a, b, x, y, common = self.promote(a, b, x, y)
                array = quiet().run(self.forward, x, y).astype(common._numpy, copy=False)
        except ValueError:
            raise broadcast_error(x.shape, y.shape) from None
        out = a._new(array if x.flags.c_contiguous or x.strides == array.strides else laid_out(array, x, y))
        if (a._requires_grad or b._requires_grad) and current.enabled:
            self.shapes = None if x.shape == y.shape else (x.shape, y.shape)
            edge_a = (a._node or a) if a._requires_grad else None
            self.record((edge_a, (b._node or b) if b._requires_grad else None), (a, b), out)
        return out

    def with_number(self, a: Any, b: Any) -> Any:
        """The result for a tensor and a number, in either order, or a sparse tensor second; else NotImplemented."""
        first = isinstance(a, Tensor)
        tensor, number = (a, b) if first else (b, a)
        usual = type(number) is float or (type(number) is int and number.bit_length() < 64)
        if first and not usual and isinstance(b, Tensor):
            return b._beside(self, a)  # type: ignore[attr-defined]  # sparse tensors have it
        if not (isinstance(tensor, Tensor) and (usual or isinstance(number, NUMBERS))):
            return NotImplemented
        x, y = (a._array, b) if first else (a, b._array)
        dtype = tensor._array.dtype
        if usual and (dtype in WIDE_FLOATS or (type(number) is int and dtype in self.integers)):
            # The number takes on the array's dtype.
            x = x if first else quiet().run(np.asarray, x, dtype)
            out = tensor._new(quiet().run(self.forward, x, y))
        else:
            a, b, x, y, common = self.promote(a, b, x, y)
            array = np.asarray(quiet().run(self.forward, x, y))
            out = tensor._new(quiet().run(array.astype, common._numpy))
        if tensor._requires_grad and current.enabled:
            self.shapes, edge = None, tensor._node or tensor
            self.record((edge, None) if first else (None, edge), (a, b), out)
        return out

    def result_dtype(self, x: Any, y: Any) -> dtype:
        """The dtype to compute in."""
        return dtypes.result_type(x, y)

    def promote(self, a: object, b: object, x: object, y: object) -> tuple[Any, Any, Any, Any, dtype]:
        """The inputs in the result's dtype, the arrays to compute with, and that dtype.

        An input that is a number stays a number, since gradients read it.
        """
        common = self.result_dtype(x, y)
        numbers = not (isinstance(a, Tensor) and isinstance(b, Tensor))
        computed = dtypes.float32 if numbers and common._numpy in HALVES and not self.rounds_numbers else common
        a, x = _in_dtype(a, common, computed)
        b, y = _in_dtype(b, common, computed)
        return a, b, x, y, common

    def backward(self, g: Tensor) -> Sequence[Tensor | None]:
        da, db = Binary.backward(self, g)
        if self.shapes is None:
            return da, db
        shape_a, shape_b = self.shapes
        return None if da is None else sum_to(da, shape_a), None if db is None else sum_to(db, shape_b)


def _in_dtype(a: Any, common: dtype, computed: dtype) -> tuple[Any, Array]:
    """A tensor in the dtype `common` (a number as it is), and its array in the dtype `computed`."""
    if not isinstance(a, Tensor):
        return a, quiet().run(np.asarray(a).astype, computed._numpy)
    a = cast(a, common)
    return a, a._array if computed is common else in_dtype(a._array, computed._numpy)


class Add(Elementwise):
    """`a + b`."""

    rounds_numbers = True

    forward = np.add

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return g


class Sub(Elementwise):
    """`a - b`."""

    rounds_numbers = True

    forward = np.subtract

    def result_dtype(self, x: Any, y: Any) -> dtype:
        bools = [np.asarray(operand).dtype == bool for operand in (x, y)]
        if any(bools):
            operands = "two bool tensors" if all(bools) else "a bool tensor"
            raise RuntimeError(f"Subtraction, the `-` operator, with {operands} is not supported: `~` inverts a mask")
        return super().result_dtype(x, y)

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return -g


class Rsub(Sub):
    """`a - b` for a number `a`."""

    form = "RsubBackward1"


class Mul(Elementwise):
    """`a * b`."""

    forward = np.multiply

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g * b

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return g * a


class Div(Elementwise):
    """`a / b`: in floating point also for integers."""

    integers = ()
    forward: ClassVar[Callable[..., Array]] = np.true_divide

    def result_dtype(self, x: Any, y: Any) -> dtype:
        return floating(dtypes.result_type(x, y))

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return g / b

    def db(self, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return -g * (a / b / b)


class Rdiv(Div):
    """`a / b` for a number `a`, computed as `a * (1 / b)`."""

    form = "MulBackward0"

    def forward(self, a: Any, b: Array) -> Array:
        return np.multiply(inverse(b), a)


class Neg(Unary):
    """`-x`."""

    def forward(self, x: Array) -> Array:
        if x.dtype == bool:
            problem = "Negation, the `-` operator, on a bool tensor is not supported."
            raise RuntimeError(f"{problem} If you are trying to invert a mask, use the `~` operator instead.")
        return np.negative(x)

    def dx(self, g: Tensor) -> Tensor:
        return -g


class Floating(Unary):
    """A unary op whose result is floating point, also for integers."""

    def of(self, x: Any) -> Tensor:
        # `super()` would take as long as the exponentials of a few numbers.
        return Unary.of(self, x if x._array.dtype in FLOATS else cast(x, dtypes.get_default_dtype()))


class Exp(Floating):
    """`e**x`: its own derivative."""

    forward = np.exp

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return g * y


class Log(Floating):
    """The natural logarithm of `x`."""

    forward = np.log

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        return g / x


class Clone(Unary):
    """A copy of `x`, in the memory order of `x` ("K") or contiguous ("C")."""

    order: Literal["K", "C"]
    form: str = "CloneBackward0"

    def forward(self, x: Array) -> Array:
        return copied(x, self.order)

    def dx(self, g: Tensor) -> Tensor:
        return g


class Mask(Unary):
    """`x` where `mask` holds, else 0: its own adjoint."""

    formulas = ("dx = Mask(g)",)
    aside = ("mask",)
    mask: Array

    def forward(self, x: Array) -> Array:
        return cleared(self.mask, x)

    def dx(self, g: Tensor) -> Tensor:
        if self.mask is None:
            raise released(self)
        return masked(g, self.mask)


def masked(x: Tensor, mask: Array) -> Tensor:
    """`x` where `mask`, which broadcasts to its shape, holds, else 0, even where `x` is not finite."""
    return Mask(mask).of(x)


def zeroed(g: Tensor) -> Tensor:
    """Zeros for the elements of `g`, even where it is not finite."""
    return Mask(np.zeros((), bool)).of(g) if current.enabled else g._new(np.zeros_like(g._array))


def floating(of_type: dtype) -> dtype:
    """`of_type` if it is a floating-point dtype, else the default one."""
    return of_type if of_type.is_floating_point else dtypes.get_default_dtype()


# ---- other shapes of the same elements, sums and repetitions: in adjoint pairs ---------------------------------------


class Expand(View):
    """`y` is `x` repeated along dimensions of size 1, and along new ones in front, to `shape`: a view."""

    formulas = ("dx = Sum(g), over the repetitions",)
    shape: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return expanded(x, self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return sum_to(g, self.x_shape)


def expanded(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` repeated to `shape`, which it is known to broadcast to: as a view, read-only if an element repeats."""
    if math.prod(shape) == x.size:
        return x.reshape(shape)
    new = len(shape) - x.ndim
    steps = x.strides
    if x.shape != shape[new:]:
        steps = tuple([steps[dim] if size == shape[new + dim] else 0 for dim, size in enumerate(x.shape)])
    view = strided(x, shape, (0,) * new + steps)
    view.setflags(False)  # type: ignore[call-arg]  # by its name, `write`, it takes a tenth of a microsecond more
    return view


def strided(x: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """The view of `x` of that shape with that many bytes between neighbours, from x's first element on."""
    # The constructor takes a tenth of as_strided's time, but wants a buffer without gaps.
    if x.flags.c_contiguous:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return as_strided(x, shape, strides)


def sum_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient `x` summed to `shape`, which broadcasts to x's; `x` itself, or a view, if nothing was repeated."""
    array = x._array
    if array.shape == shape:
        return x
    if current.enabled:
        return sum_of_repeated(x, shape)
    if array.size == math.prod(shape):
        return x._new(array.reshape(shape))
    sums = total(array, repeated_dims(array.shape, shape), keepdims=array.ndim == len(shape))
    sums = sums.astype(array.dtype, copy=False)
    # Not a view if possible: to an array of its own the walk adds other gradients in place.
    return x._new(sums if sums.shape == shape else sums.reshape(shape))


def sum_of_repeated(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` summed to `shape`, which broadcasts to its shape."""
    keepdim = len(shape) == x._array.ndim
    # Named as the last step that PyTorch takes: a sum, and where dimensions vanish, a view.
    form = "SumBackward0" if not shape else "SumBackward1" if keepdim else "ViewBackward0"
    return in_shape(Sum(repeated_dims(x._array.shape, shape), keepdim, form).of(x), shape)


def repeated_dims(shape: tuple[int, ...], of: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions of `shape` along which broadcasting repeats what is of the shape `of`."""
    new = len(shape) - len(of)
    return (*range(new), *[new + i for i, size in enumerate(of) if size == 1 and shape[new + i] != 1])


def common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all of `shapes` broadcast to; a RuntimeError if there is none."""
    common = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        shorter, longer = (common, shape) if len(common) <= len(shape) else (shape, common)
        sizes = list(longer)
        for dim, size in enumerate(shorter, len(longer) - len(shorter)):
            if sizes[dim] == 1:
                sizes[dim] = size
            elif size not in (1, sizes[dim]):
                raise broadcast_error(common, shape)
        common = tuple(sizes)
    return common


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """The error that says why shapes `a` and `b` do not broadcast."""
    width = max(len(a), len(b))
    padded = [(1,) * (width - len(shape)) + tuple(shape) for shape in (a, b)]
    pairs = [*zip(*padded, strict=True)]
    dim = max([dim for dim, sizes in enumerate(pairs) if len({1, *sizes}) == 3])
    sizes = "The size of tensor a ({}) must match the size of tensor b ({})".format(*pairs[dim])
    problem = f"{sizes} at non-singleton dimension {dim}: shapes {Size(a)} and {Size(b)} do not broadcast"
    return RuntimeError(f"{problem}. Sizes are compared from the last dimension on, and must be equal or 1.")


class Reshape(View):
    """`x` with its elements in the same order in another shape: a view if its strides allow it, else a copy.

    PyTorch has many operations for it: `form` is the name of the one to print.
    """

    formulas = ("dx = Reshape(g), back to x's shape",)
    shape: tuple[int, ...]
    form: str = "ViewBackward0"

    def of(self, x: Any) -> Any:
        array = x._array
        if array.flags.c_contiguous:
            return View.of(self, x)
        out = Unary.of(self, x)
        # A result without elements shares no memory, and counts as a view.
        if np.may_share_memory(array, out._array) or not array.size:
            share_storage(x, out, "" if current.enabled else "no_grad")
        elif self.form in ("ViewBackward0", "ReshapeAliasBackward0"):
            self.form = "UnsafeViewBackward0"
        return out

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return x.reshape(self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return Reshape(self.x_shape).of_gradient(g)


class Permute(View):
    """`x` with dimension `dims[i]` in place i: a view."""

    formulas = ("dx = Permute(g) by the inverse permutation",)
    dims: tuple[int, ...]
    form: str = "PermuteBackward0"

    def forward(self, x: Array) -> Array:
        return x.transpose(self.dims)

    def dx(self, g: Tensor) -> Tensor:
        inverse = sorted(range(len(self.dims)), key=self.dims.__getitem__)
        return Permute(tuple(inverse)).of_gradient(g)


class Sum(Unary):
    """The sum of `x` over the dimensions `dims`."""

    formulas = ("dx = g for each addend, in x's shape",)
    dims: tuple[int, ...]
    keepdim: bool = False
    form: str = "SumBackward1"

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return total(x, self.dims, self.keepdim).astype(x.dtype, "C", copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Expand(self.x_shape).of_gradient(kept_dims(g, self.x_shape, self.dims) if g._array.ndim else g)


def kept_dims(y: Tensor, shape: tuple[int, ...], dims: tuple[int, ...]) -> Tensor:
    """`y`, the result of reducing an array of `shape` over `dims`, with these dimensions kept at size 1."""
    ones = with_ones(shape, dims)
    return y if y._array.shape == ones else Reshape(ones).of_gradient(y)


# ---- the operators and methods ---------------------------------------------------------------------------------------


@method("__add__", "__radd__")
def add(a: Tensor, b: Operand) -> Tensor:
    """`a + b`."""
    return Add().of(a, b)


@method("__sub__")
def sub(a: Tensor, b: Operand) -> Tensor:
    """`a - b`."""
    return Sub().of(a, b)


@method("__rsub__")
def rsub(a: Tensor, b: Operand) -> Tensor:
    """`b - a`."""
    return Rsub().of(b, a)


@method("__mul__", "__rmul__")
def mul(a: Tensor, b: Operand) -> Tensor:
    """`a * b`."""
    return Mul().of(a, b)


@method("__truediv__")
def div(a: Tensor, b: Operand) -> Tensor:
    """`a / b`."""
    return Div().of(a, b)


# As in PyTorch, also under the name that Python 2 had for it.
@method("__rtruediv__", "__rdiv__")
def rdiv(a: Tensor, b: Operand) -> Tensor:
    """`b / a`; for an array `b` it is `(1 / a) * b`, as in PyTorch."""
    return Rdiv().of(1, a) * b if isinstance(b, np.ndarray) else Rdiv().of(b, a)


@method("__neg__")
def neg(a: Tensor) -> Tensor:
    """`-a`."""
    return Neg().of(a)


@method("exp")
def exp(a: Tensor) -> Tensor:
    """`e**x` for each element x."""
    return Exp().of(a)


@method("log")
def log(a: Tensor) -> Tensor:
    """The natural logarithm of each element."""
    return Log().of(a)


@method("clone")
def clone(a: Tensor) -> Tensor:
    """A copy of `a`."""
    return Clone("K").of(a)


# The operators that write their result into their first operand.
for _name, _operator in {"__iadd__": add, "__isub__": sub, "__imul__": mul, "__itruediv__": div}.items():
    method(_name)(lambda a, b, operator=_operator: a._rewrite(operator, b))


@method("sum")
def summed(x: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """The sum of all elements, or over the dimensions `dim`."""
    dims = range(x.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    return Sum(tuple([each % x.ndim for each in dims]), keepdim).of(x)


def in_shape(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` in that shape; itself if it has it."""
    return x if x._array.shape == shape else Reshape(shape).of(x)


@method("reshape")
def reshaped(x: Tensor, *shape: int) -> Tensor:
    """The same elements in another shape."""
    return Reshape(shape).of(x)


def transposed(x: Tensor, dim0: int = -2, dim1: int = -1, form: str = "TransposeBackward0") -> Tensor:
    """`x` with two dimensions swapped, if it has any: the last two unless told otherwise."""
    dims = list(range(x._array.ndim))
    if dims:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return Permute(tuple(dims), form).of(x)


method("mT")(property(transposed))
