"""What type checkers see of `minigrad.core.tensor`; written by `python -m tests.stubs`."""

import builtins
import collections.abc
import minigrad.core.dtypes
import minigrad.core.tape
import minigrad.ops.arguments
import minigrad.random
import minigrad.return_types
import minigrad.tensors.conversion
import minigrad.tensors.devices
import minigrad.tensors.hooks
import typing
import weakref
import numpy as np

import builtins
import functools
import math
import os
import weakref
from _thread import RLock
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, ClassVar, SupportsIndex, TypeAlias, TypeVar, overload
import numpy as np
from . import dtypes
from .dtypes import FLOATS, Array, Number
from .modes import current
F = TypeVar('F')
T = TypeVar('T', bound=type)
class Tensor:
    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix: of real numbers, the transpose."""
    @property
    def T(self) -> Tensor:
        """A view with the dimensions in reverse order: the transpose of a matrix."""
    def __abs__(self) -> Tensor:
        """The absolute value of each element."""
    def __add__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a + b`."""
    def __and__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    def __array__(self, dtype: typing.Any = None, copy: builtins.bool | None = None) -> np.ndarray[typing.Any, np.dtype[typing.Any]]: ...
    __array_priority__: typing.ClassVar[builtins.int]
    def __array_wrap__(self, array: np.ndarray[typing.Any, np.dtype[typing.Any]], context: builtins.object = None, return_scalar: builtins.bool = False) -> Tensor:
        """The result of a NumPy function on this tensor, as a tensor; bools as uint8, as in PyTorch."""
    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, element: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> builtins.bool:
        """Whether one element equals `element`."""
    def __deepcopy__(self, memo: builtins.dict[typing.Any, typing.Any]) -> Tensor: ...
    def __delitem__(self, index: builtins.object) -> typing.NoReturn: ...
    def __dir__(self) -> builtins.list[builtins.str]: ...
    def __eq__(self, other: builtins.object) -> Tensor:  # type: ignore[override]
        """Whether each element equals that of `other`, a tensor, an array or a number."""
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The quotient `input / other`, rounded down."""
    def __format__(self, spec: builtins.str) -> builtins.str: ...
    def __ge__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or above that of `other`."""
    def __getitem__(self, index: builtins.object) -> Tensor:
        """`x[index]` for any index that PyTorch takes: first its basic part, a view, then its tensors, a copy."""
    def __gt__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is above that of `other`."""
    def __iadd__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """`a + b`."""
    def __iand__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    def __ifloordiv__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """The quotient `input / other`, rounded down."""
    def __ilshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """Each integer times 2 to the power of `other`."""
    def __imod__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    def __imul__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """`a * b`."""
    def __index__(self) -> builtins.int: ...
    @classmethod
    def __init_subclass__(cls) -> None: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor:
        """Each integer with all bits flipped; of bools, whether each does not hold."""
    def __ior__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """The bits that each integer or that of `other` has; of bools, whether one holds."""
    def __ipow__(self, exponent: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """Each element to the power of `exponent`."""
    def __irshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """Each integer over 2 to the power of `other`, rounded down."""
    def __isub__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """`a - b`."""
    def __iter__(self) -> collections.abc.Iterator[Tensor]:
        """The slices along the first dimension, one after another."""
    def __itruediv__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """`a / b`."""
    def __ixor__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    def __le__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or below that of `other`."""
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer times 2 to the power of `other`."""
    def __lt__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is below that of `other`."""
    def __matmul__(self, other: Tensor) -> Tensor:
        """The matrix product `input @ other`; a vector counts as a row on the left and as a column on the right."""
    def __mod__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    def __mul__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a * b`."""
    def __ne__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:  # type: ignore[override]
        """Whether each element differs from that of `other`."""
    def __neg__(self) -> Tensor:
        """`-a`."""
    def __new__(cls, *args: builtins.object, device: minigrad.tensors.devices.device | builtins.str | None = None, **options: typing.Never) -> Tensor:
        """A tensor of the default dtype, of one sequence or of sizes; prefer `torch.tensor(data)` and `empty(size)`."""
    def __or__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer or that of `other` has; of bools, whether one holds."""
    def __pos__(self) -> Tensor:
        """This tensor, which must not be of bools."""
    def __pow__(self, exponent: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each element to the power of `exponent`."""
    def __radd__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a + b`."""
    def __rand__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    def __rdiv__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`b / a`; for an array `b` it is `(1 / a) * b`, as in PyTorch."""
    def __reduce_ex__(self, protocol: builtins.object) -> builtins.tuple[typing.Any, ...]:
        """How `copy.copy` and `pickle` make this tensor again: as a leaf without `.grad`, on its memory or a copy."""
    def __repr__(self) -> builtins.str: ...
    def __reversed__(self) -> Tensor:
        """The slices along the first dimension in the opposite order."""
    def __rfloordiv__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The quotient `input / other`, rounded down."""
    def __rlshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer times 2 to the power of `other`."""
    def __rmatmul__(self, other: Tensor) -> Tensor:
        """The matrix product `other @ input`."""
    def __rmod__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    def __rmul__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a * b`."""
    def __ror__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer or that of `other` has; of bools, whether one holds."""
    def __rpow__(self, exponent: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each element to the power of `exponent`."""
    def __rrshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer over 2 to the power of `other`, rounded down."""
    def __rshift__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer over 2 to the power of `other`, rounded down."""
    def __rsub__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`b - a`."""
    def __rtruediv__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`b / a`; for an array `b` it is `(1 / a) * b`, as in PyTorch."""
    def __rxor__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    def __setitem__(self, index: builtins.object, value: builtins.object) -> None:
        """Write `value`, a tensor or a number, to the elements that `index` selects, and record that it was written."""
    def __sub__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a - b`."""
    def __truediv__(self, b: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`a / b`."""
    def __xor__(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    _array: np.ndarray[typing.Any, np.dtype[typing.Any]]
    def _attributes(self) -> builtins.dict[builtins.str, typing.Any]:
        """What the user has set on this tensor; hooks stay with the original."""
    _base: Tensor | None
    def _before(self) -> Tensor:
        """A tensor with the values and history that this one has now, and on its memory."""
    def _check_recordable(self, recorded: builtins.bool = False) -> None:
        """Raise a RuntimeError if an in-place operation on this tensor is `recorded`, and cannot be."""
    def _check_writable(self) -> None:
        """Raise a RuntimeError unless each element has a place of its own in memory that can be written."""
    def _computed_in_place(self, ufunc: collections.abc.Callable[..., np.ndarray[typing.Any, np.dtype[typing.Any]]], other: typing.Any) -> builtins.bool:
        """Try to compute `ufunc(this tensor, other)` in the memory of this tensor; whether that was possible."""
    def _follow(self, node: typing.Any, earlier: typing.Any) -> None:
        """Make `node` the history of this tensor in place of `earlier`; its base, and all views of that, follow."""
    _grad: Tensor | None
    def _into(self, total: Tensor) -> Tensor:
        """Add this gradient to `total`, in the memory of `total`, and return that."""
    def _is_view(self) -> builtins.bool:
        """Whether this tensor is a view of another one, through which gradients flow."""
    _maker: builtins.str
    @staticmethod
    def _new(array: builtins.object, node: builtins.object = None) -> Tensor:
        """A tensor of `array`, made by `node`."""
    _node: typing.Any
    def _only(self, remedy: builtins.str = 'tolist() gives all') -> typing.Any: ...
    def _parts(self) -> builtins.tuple[typing.Any, ...]:
        """What this tensor is made of: its class, its memory, the places of its elements, its grad mode."""
    def _plus(self, gradient: Tensor, in_place: builtins.bool) -> Tensor:
        """The sum of two gradients for one place; in the memory of this one if `in_place`."""
    @classmethod
    def _rebuilt(cls, array: np.ndarray[typing.Any, np.dtype[typing.Any]], requires_grad: builtins.bool) -> Tensor:
        """A leaf of this class on `array`."""
    def _refill(self, write: collections.abc.Callable[[np.ndarray[typing.Any, np.dtype[typing.Any]]], builtins.object], node: minigrad.core.tape.Node | builtins.str, inputs: collections.abc.Sequence[Tensor] = ...) -> typing.Self:
        """Let `write` change the array; `node`, which has these further inputs, records the write."""
    _requires_grad: builtins.bool
    def _rewrite(self, compute: collections.abc.Callable[..., typing.Any], *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        """Write `compute(this tensor as it was before, …)` into this tensor, which gets the history of the result."""
    def _secure(self, result: Tensor, before: Tensor, oldest: builtins.int) -> None:
        """Let what the nodes between `before` and `result`, none older than `oldest`, keep survive the write."""
    _storage: Storage | None
    @property
    def _version(self) -> builtins.int:
        """How many in-place writes this tensor's storage has seen."""
    def abs(self) -> Tensor:
        """The absolute value of each element."""
    def abs_(self) -> typing.Self:
        """This tensor, changed to what `abs` returns: The absolute value of each element."""
    def absolute(self) -> Tensor:
        """The absolute value of each element."""
    def absolute_(self) -> typing.Self:
        """This tensor, changed to what `abs` returns: The absolute value of each element."""
    def acos(self) -> Tensor:
        """The angle in [0, pi] whose cosine is each element."""
    def acos_(self) -> typing.Self:
        """This tensor, changed to what `acos` returns: The angle in [0, pi] whose cosine is each element."""
    def add(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> Tensor:
        """The sum `input + alpha * other`."""
    def add_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> typing.Self:
        """This tensor, changed to what `add` returns: The sum `input + alpha * other`."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.bool | builtins.int | builtins.float | np.generic = 1, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> Tensor:
        """`beta * input + alpha * (mat1 @ mat2)` for two matrices; with beta = 0 not even nan in `input` counts."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.bool | builtins.int | builtins.float | np.generic = 1, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> typing.Self:
        """This tensor, changed to what `addmm` returns: `beta * input + alpha * (mat1 @ mat2)` for two matrices; with beta = 0 not even nan in `input` counts."""
    def all(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements, or all along `dim`, are true or not zero."""
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements are close, as `isclose` says."""
    def amax(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = ..., keepdim: builtins.bool = False) -> Tensor:
        """The largest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
    def amin(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = ..., keepdim: builtins.bool = False) -> Tensor:
        """The smallest elements over the dimensions `dim`, over all for (); those that are equal share the gradient."""
    def any(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element, or any along `dim`, is true or not zero."""
    def arccos(self) -> Tensor:
        """The angle in [0, pi] whose cosine is each element."""
    def arccos_(self) -> typing.Self:
        """This tensor, changed to what `acos` returns: The angle in [0, pi] whose cosine is each element."""
    def arcsin(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose sine is each element."""
    def arcsin_(self) -> typing.Self:
        """This tensor, changed to what `asin` returns: The angle in [-pi/2, pi/2] whose sine is each element."""
    def arctan(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose tangent is each element."""
    def arctan_(self) -> typing.Self:
        """This tensor, changed to what `atan` returns: The angle in [-pi/2, pi/2] whose tangent is each element."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the largest element, of all in order or along `dim`."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The index of the smallest element, of all in order or along `dim`."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool = False) -> Tensor:
        """The indices that put the elements in order along `dim`; equal elements keep theirs, `stable` or not."""
    def argwhere(self) -> Tensor:
        """The positions of the elements that are not zero, in order: `(n, ndim)`."""
    def asin(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose sine is each element."""
    def asin_(self) -> typing.Self:
        """This tensor, changed to what `asin` returns: The angle in [-pi/2, pi/2] whose sine is each element."""
    def atan(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose tangent is each element."""
    def atan_(self) -> typing.Self:
        """This tensor, changed to what `atan` returns: The angle in [-pi/2, pi/2] whose tangent is each element."""
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, inputs: Tensor | collections.abc.Sequence[Tensor] | None = None) -> None:
        """Add to the `.grad` of each leaf, such as a parameter, how fast the loss grows with it."""
    def bernoulli(self, *, generator: minigrad.random.Generator | None = None) -> Tensor:
        """1 with the probability that each element says, else 0; no gradient flows through the draws: it is 0."""
    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: minigrad.random.Generator | None = None) -> typing.Self:
        """Write 1 with probability `p`, else 0; `p` is a number, or a tensor that broadcasts to this shape."""
    def bfloat16(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.bfloat16."""
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each number from 0 to the largest occurs among these integers, or with what sum of weights."""
    def bitwise_and(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    def bitwise_and_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `bitwise_and` returns: The bits that each integer has in common with that of `other`; of bools, whether both hold."""
    def bitwise_left_shift(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer times 2 to the power of `other`."""
    def bitwise_left_shift_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `bitwise_left_shift` returns: Each integer times 2 to the power of `other`."""
    def bitwise_not(self) -> Tensor:
        """Each integer with all bits flipped; of bools, whether each does not hold."""
    def bitwise_not_(self) -> typing.Self:
        """This tensor, changed to what `bitwise_not` returns: Each integer with all bits flipped; of bools, whether each does not hold."""
    def bitwise_or(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits that each integer or that of `other` has; of bools, whether one holds."""
    def bitwise_or_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `bitwise_or` returns: The bits that each integer or that of `other` has; of bools, whether one holds."""
    def bitwise_right_shift(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each integer over 2 to the power of `other`, rounded down."""
    def bitwise_right_shift_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `bitwise_right_shift` returns: Each integer over 2 to the power of `other`, rounded down."""
    def bitwise_xor(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    def bitwise_xor_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `bitwise_xor` returns: The bits in which each integer differs from that of `other`; of bools, whether just one holds."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of the matrices of two batches, `(B, N, K)` and `(B, K, M)`."""
    def bool(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.bool."""
    @typing.overload
    def broadcast_to(self, size: collections.abc.Sequence[builtins.int]) -> Tensor:
        """The same as `expand`."""
    @typing.overload
    def broadcast_to(self, *size: typing.SupportsIndex) -> Tensor:
        """The same as `expand`."""
    def byte(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.uint8."""
    def ceil(self) -> Tensor:
        """The smallest whole number that is not below each element."""
    def ceil_(self) -> typing.Self:
        """This tensor, changed to what `ceil` returns: The smallest whole number that is not below each element."""
    def char(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.int8."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of at most `chunks` consecutive parts along `dim`, of one size but for the last."""
    def clamp(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> Tensor:
        """The elements, raised to `min` and lowered to `max`, numbers or tensors, of which one may be left out."""
    def clamp_(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> typing.Self:
        """This tensor, changed to what `clamp` returns: The elements, raised to `min` and lowered to `max`, numbers or tensors, of which one may be left out."""
    def clamp_max(self, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The elements, lowered to `max`."""
    def clamp_max_(self, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `clamp_max` returns: The elements, lowered to `max`."""
    def clamp_min(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The elements, raised to `min`."""
    def clamp_min_(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `clamp_min` returns: The elements, raised to `min`."""
    def clip(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> Tensor:
        """The elements, raised to `min` and lowered to `max`, numbers or tensors, of which one may be left out."""
    def clip_(self, min: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, max: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> typing.Self:
        """This tensor, changed to what `clamp` returns: The elements, raised to `min` and lowered to `max`, numbers or tensors, of which one may be left out."""
    def clone(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """A copy, recorded: its gradient is this tensor's."""
    def contiguous(self, *, memory_format: typing.Any = None) -> Tensor:
        """This tensor if its elements lie in order in memory, else a copy that does."""
    def copy_(self, other: Tensor, non_blocking: builtins.bool = False) -> typing.Self:
        """Write the elements of `other`, which broadcasts to this shape, in this tensor's dtype."""
    def cos(self) -> Tensor:
        """The cosine of each element, an angle in radians."""
    def cos_(self) -> typing.Self:
        """This tensor, changed to what `cos` returns: The cosine of each element, an angle in radians."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine of each element."""
    def cosh_(self) -> typing.Self:
        """This tensor, changed to what `cosh` returns: The hyperbolic cosine of each element."""
    def count_nonzero(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None) -> Tensor:
        """How many elements are not zero, of all or along the dimensions `dim`."""
    def cov(self, *, correction: builtins.int = 1) -> Tensor:
        """The covariances of the rows of `(variables, observations)`; of one row, its variance."""
    def cpu(self, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor, which is on the CPU."""
    def cuda(self, device: minigrad.tensors.devices.device | builtins.str | builtins.int | None = None, **options: builtins.object) -> typing.Any:
        """An error, as `to("cuda")`: tensors are on the CPU."""
    def cumprod(self, dim: builtins.int, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """For each element the product of those up to it along `dim`; of integers, in int64."""
    def cumprod_(self, dim: builtins.int, *, dtype: minigrad.core.dtypes.dtype | None = None) -> typing.Self:
        """This tensor, changed to what `cumprod` returns: For each element the product of those up to it along `dim`; of integers, in int64."""
    def cumsum(self, dim: builtins.int, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """For each element the sum of those up to it along `dim`; of integers, in int64."""
    def cumsum_(self, dim: builtins.int, *, dtype: minigrad.core.dtypes.dtype | None = None) -> typing.Self:
        """This tensor, changed to what `cumsum` returns: For each element the sum of those up to it along `dim`; of integers, in int64."""
    @property
    def data(self) -> Tensor:
        """The same numbers, cut off from the graph; the backward pass does not notice what is written through it."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> builtins.int:
        """The address of the first element: equal for tensors that share storage from its start."""
    def det(self) -> Tensor:
        """The determinant of each matrix `(*, N, N)`; its gradient at a singular matrix is a LinAlgError."""
    def detach(self) -> Tensor:
        """The same numbers, cut off from the graph: a leaf that requires no gradient, on the same memory."""
    def detach_(self) -> typing.Self:
        """This tensor, from now on a leaf that requires no gradient."""
    @property
    def device(self) -> minigrad.tensors.devices.device:
        """Where the elements are: always `device(type='cpu')`."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """Of a vector the matrix with it on a diagonal; of a matrix a copy of that diagonal."""
    def diag_embed(self, offset: builtins.int = 0) -> Tensor:
        """Matrices with the elements of the last dimension on a diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A view of the diagonal of two dimensions, as the last one; it starts `offset` columns to the right."""
    def dim(self) -> builtins.int:
        """The number of dimensions."""
    def dist(self, other: Tensor, p: builtins.bool | builtins.int | builtins.float | np.generic = 2) -> Tensor:
        """The norm of the difference of two tensors, which broadcast."""
    def div(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, rounding_mode: typing.Literal['floor', 'trunc'] | None = None) -> Tensor:
        """The quotient `input / other`, in floating point also for integers."""
    def div_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, rounding_mode: typing.Literal['floor', 'trunc'] | None = None) -> typing.Self:
        """This tensor, changed to what `div` returns: The quotient `input / other`, in floating point also for integers."""
    def divide(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, rounding_mode: typing.Literal['floor', 'trunc'] | None = None) -> Tensor:
        """The quotient `input / other`, in floating point also for integers."""
    def divide_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, rounding_mode: typing.Literal['floor', 'trunc'] | None = None) -> typing.Self:
        """This tensor, changed to what `div` returns: The quotient `input / other`, in floating point also for integers."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors."""
    def double(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.float64."""
    @property
    def dtype(self) -> minigrad.core.dtypes.dtype:
        """The type of the elements, such as `torch.float32`."""
    def element_size(self) -> builtins.int:
        """Bytes per element."""
    def eq(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element equals that of `other`."""
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape and elements."""
    def erf(self) -> Tensor:
        """The error function of each element: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 on."""
    def erf_(self) -> typing.Self:
        """This tensor, changed to what `erf` returns: The error function of each element: `2 / sqrt(pi)` times the integral of `exp(-t**2)` from 0 on."""
    def exp(self) -> Tensor:
        """`e**x` for each element x, with e = 2.71828…."""
    def exp2(self) -> Tensor:
        """2 to the power of each element."""
    def exp2_(self) -> typing.Self:
        """This tensor, changed to what `exp2` returns: 2 to the power of each element."""
    def exp_(self) -> typing.Self:
        """This tensor, changed to what `exp` returns: `e**x` for each element x, with e = 2.71828…."""
    @typing.overload
    def expand(self, size: collections.abc.Sequence[builtins.int]) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to `size`; -1 keeps a size."""
    @typing.overload
    def expand(self, *size: typing.SupportsIndex) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to `size`; -1 keeps a size."""
    def expand_as(self, other: Tensor) -> Tensor:
        """A view in which dimensions of size 1, and new ones in front, are repeated to the shape of `other`."""
    def expm1(self) -> Tensor:
        """`e**x - 1` for each element x: to all digits also near 0."""
    def expm1_(self) -> typing.Self:
        """This tensor, changed to what `expm1` returns: `e**x - 1` for each element x: to all digits also near 0."""
    def exponential_(self, lambd: builtins.float = 1.0, *, generator: minigrad.random.Generator | None = None) -> typing.Self:
        """Write draws from the exponential distribution of rate `lambd`."""
    def fill_(self, value: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """Write the number `value` everywhere."""
    def fix(self) -> Tensor:
        """The whole part of each element: it is rounded towards 0."""
    def fix_(self) -> typing.Self:
        """This tensor, changed to what `trunc` returns: The whole part of each element: it is rounded towards 0."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """The elements with the dimensions from `start_dim` to `end_dim`, both included, as one."""
    @typing.overload
    def flip(self, dims: collections.abc.Sequence[builtins.int]) -> Tensor:
        """A copy in reverse order along `dims`."""
    @typing.overload
    def flip(self, *dims: typing.SupportsIndex) -> Tensor:
        """A copy in reverse order along `dims`."""
    def float(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.float32."""
    def floor(self) -> Tensor:
        """The largest whole number that is not above each element."""
    def floor_(self) -> typing.Self:
        """This tensor, changed to what `floor` returns: The largest whole number that is not above each element."""
    def floor_divide(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The quotient `input / other`, rounded down."""
    def floor_divide_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `floor_divide` returns: The quotient `input / other`, rounded down."""
    def fmod(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """What `input / other`, rounded towards 0, leaves of each element; it has the sign of `input`."""
    def fmod_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `fmod` returns: What `input / other`, rounded towards 0, leaves of each element; it has the sign of `input`."""
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """`y[i, …, j, …, k] = x[i, …, index[i, …, j, …, k], …, k]` along `dim`."""
    def ge(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or above that of `other`."""
    def ger(self, vec2: Tensor) -> Tensor:
        """The products of each element of a vector with each of another: `y[i, j] = input[i] * vec2[j]`."""
    @property
    def grad(self) -> Tensor | None:
        """On a leaf, the sum of the gradients of all backward passes since it was last None or zero."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> typing.Any:
        """The recorded operation that made this tensor, None for a leaf."""
    def greater(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is above that of `other`."""
    def greater_equal(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or above that of `other`."""
    def gt(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is above that of `other`."""
    def half(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.float16."""
    def histc(self, bins: builtins.int = 100, min: builtins.bool | builtins.int | builtins.float | np.generic = 0, max: builtins.bool | builtins.int | builtins.float | np.generic = 0) -> Tensor:
        """How many elements lie in each of `bins` parts of the range from `min` to `max`, or of the elements' own."""
    def histogram(self, bins: builtins.int = 100, *, range: collections.abc.Sequence[builtins.float] | None = None, density: builtins.bool = False) -> minigrad.return_types.histogram:
        """How many elements each of `bins` equal parts of the `range` holds, and their edges: `(hist, bin_edges)`."""
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> Tensor:
        """A copy with `y[…, index[j], …] += alpha * source[…, j, …]` along `dim`, where all for one place add up."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> typing.Self:
        """This tensor, changed to what `index_add` returns: A copy with `y[…, index[j], …] += alpha * source[…, j, …]` along `dim`, where all for one place add up."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """A copy with `y[…, index[j], …] = value` along `dim`, for a number, or a 0-d tensor that requires no gradient."""
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `index_fill` returns: A copy with `y[…, index[j], …] = value` along `dim`, for a number, or a 0-d tensor that requires no gradient."""
    def index_put(self, indices: collections.abc.Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy with `y[indices] = values`; `y[indices] += values`, where all for one place add up, if `accumulate`."""
    def index_put_(self, indices: collections.abc.Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> typing.Self:
        """This tensor, changed to what `index_put` returns: A copy with `y[indices] = values`; `y[indices] += values`, where all for one place add up, if `accumulate`."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """A copy of the positions `index`, a vector, of dimension `dim`: `y[…, j, …] = x[…, index[j], …]`."""
    def int(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.int32."""
    def inverse(self) -> Tensor:
        """The inverse of each matrix `(*, N, N)`, `torch.linalg.inv` as well; a LinAlgError if there is none."""
    def is_contiguous(self, memory_format: builtins.object = None) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices."""
    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the elements are on a graphics processor: never."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating-point numbers."""
    @property
    def is_leaf(self) -> builtins.bool:
        """Whether no recorded operation made this tensor."""
    is_sparse: typing.ClassVar[builtins.bool]
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Where `|input - other| <= atol + rtol * |other|`; infinities are close to themselves only."""
    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor nan."""
    def isinf(self) -> Tensor:
        """Whether each element is infinite."""
    def isnan(self) -> Tensor:
        """Whether each element is nan, not a number."""
    def item(self) -> typing.Any:
        """The only element, as a Python number."""
    @property
    def itemsize(self) -> builtins.int:
        """Bytes per element."""
    @property
    def layout(self) -> minigrad.tensors.devices.layout:
        """How the elements lie in memory: `torch.strided`, or `torch.sparse_coo` for a sparse tensor."""
    def le(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or below that of `other`."""
    def lerp(self, end: Tensor, weight: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """`input + weight * (end - input)`: `input` for the weight 0, `end` for 1, between them what lies between."""
    def lerp_(self, end: Tensor, weight: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `lerp` returns: `input + weight * (end - input)`: `input` for the weight 0, `end` for 1, between them what lies between."""
    def less(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is below that of `other`."""
    def less_equal(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is at or below that of `other`."""
    def log(self) -> Tensor:
        """The natural logarithm of each element."""
    def log10(self) -> Tensor:
        """The logarithm of each element to base 10."""
    def log10_(self) -> typing.Self:
        """This tensor, changed to what `log10` returns: The logarithm of each element to base 10."""
    def log1p(self) -> Tensor:
        """The natural logarithm of 1 plus each element: to all digits also near 0."""
    def log1p_(self) -> typing.Self:
        """This tensor, changed to what `log1p` returns: The natural logarithm of 1 plus each element: to all digits also near 0."""
    def log2(self) -> Tensor:
        """The logarithm of each element to base 2."""
    def log2_(self) -> typing.Self:
        """This tensor, changed to what `log2` returns: The logarithm of each element to base 2."""
    def log_(self) -> typing.Self:
        """This tensor, changed to what `log` returns: The natural logarithm of each element."""
    def log_softmax(self, dim: builtins.int, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """`x - log(sum(exp(x)))` along `dim`: the logarithm of `softmax`, also where that is too small for one."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether each element and that of `other` are both not 0."""
    def logical_not(self) -> Tensor:
        """Whether each element is 0."""
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether each element or that of `other` is not 0."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether one of each element and that of `other` is 0, and the other one is not."""
    def logsumexp(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None, keepdim: builtins.bool = False) -> Tensor:
        """`log(sum(exp(x)))` over the dimensions `dim`, whose exponentials do not overflow."""
    def long(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.int64."""
    def lt(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element is below that of `other`."""
    @property
    def mT(self) -> Tensor:
        """A view with the last two dimensions swapped."""
    def masked_fill(self, mask: Tensor, value: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The elements where `mask` does not hold, the number `value` where it does."""
    def masked_fill_(self, mask: Tensor, value: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `masked_fill` returns: The elements where `mask` does not hold, the number `value` where it does."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where `mask` holds, in order, as a 1-d tensor; the two shapes broadcast."""
    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product `input @ other`; a vector counts as a row on the left and as a column on the right."""
    def max(self, other: Tensor | builtins.int | None = None, keepdim: builtins.bool = False, *, dim: builtins.int | None = None) -> typing.Any:
        """The largest element; with `dim`, the largest along it and their indices: `(values, indices)`."""
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of each element and that of `other`; nan if one is."""
    def mean(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The mean over all elements, or over the dimensions `dim`; of floating-point numbers only."""
    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> typing.Any:
        """The median, of two the lower; with `dim`, those along it and their indices: `(values, indices)`."""
    def min(self, other: Tensor | builtins.int | None = None, keepdim: builtins.bool = False, *, dim: builtins.int | None = None) -> typing.Any:
        """The smallest element; with `dim`, the smallest along it and their indices: `(values, indices)`."""
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of each element and that of `other`; nan if one is."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> minigrad.return_types.mode:
        """The most frequent element along `dim`, of several the smallest, and its last index: `(values, indices)`."""
    def moveaxis(self, source: builtins.int | collections.abc.Sequence[builtins.int], destination: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
        """A view with dimension `source[i]` in place `destination[i]`, and the others in their order around them."""
    def movedim(self, source: builtins.int | collections.abc.Sequence[builtins.int], destination: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
        """A view with dimension `source[i]` in place `destination[i]`, and the others in their order around them."""
    def mul(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The product `input * other`, element by element."""
    def mul_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `mul` returns: The product `input * other`, element by element."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: minigrad.random.Generator | None = None) -> Tensor:
        """`num_samples` indices (int64) for each row, drawn with its elements as weights."""
    def multiply(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The product `input * other`, element by element."""
    def multiply_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `mul` returns: The product `input * other`, element by element."""
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""
    def nanmean(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The mean as of `mean`, of the elements that are not nan."""
    def nansum(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The sum as of `sum`, of the elements that are not nan."""
    def narrow(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """A view of the `length` slices along `dim` that begin with `start`, an int or a 0-d integer tensor."""
    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
    def ndimension(self) -> builtins.int:
        """The number of dimensions."""
    def ne(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element differs from that of `other`."""
    def neg(self) -> Tensor:
        """The negative of each element."""
    def neg_(self) -> typing.Self:
        """This tensor, changed to what `neg` returns: The negative of each element."""
    def negative(self) -> Tensor:
        """The negative of each element."""
    def negative_(self) -> typing.Self:
        """This tensor, changed to what `neg` returns: The negative of each element."""
    def nelement(self) -> builtins.int:
        """The number of elements."""
    def new(self, *args: typing.Any) -> Tensor:
        """A tensor in this tensor's dtype, made of one sequence or of sizes, as `FloatTensor` makes those of float32."""
    def new_empty(self, *sizes: typing.Any, **options: typing.Unpack[minigrad.ops.arguments.SizedOptions]) -> Tensor:
        """A tensor in this tensor's dtype, to be written before it is read."""
    def new_full(self, size: collections.abc.Sequence[typing.SupportsIndex], fill_value: builtins.bool | builtins.int | builtins.float | np.generic, **options: typing.Unpack[minigrad.ops.arguments.Options]) -> Tensor:
        """A tensor of `fill_value`, in this tensor's dtype."""
    def new_ones(self, *sizes: typing.Any, **options: typing.Unpack[minigrad.ops.arguments.SizedOptions]) -> Tensor:
        """A tensor of ones, in this tensor's dtype."""
    def new_tensor(self, data: typing.Any, **options: typing.Unpack[minigrad.ops.arguments.Options]) -> Tensor:
        """A tensor of a copy of `data`, as `torch.tensor` makes it, in this tensor's dtype."""
    def new_zeros(self, *sizes: typing.Any, **options: typing.Unpack[minigrad.ops.arguments.SizedOptions]) -> Tensor:
        """A tensor of zeros, in this tensor's dtype."""
    def nonzero(self, *, as_tuple: builtins.bool = False) -> typing.Any:
        """The positions of the elements that are not zero, in order: `(n, ndim)`, or a vector per dimension."""
    def norm(self, p: builtins.bool | builtins.int | builtins.float | np.generic | builtins.str | None = 'fro', dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The norm `sum(|x|**p) ** (1/p)` over all elements, or over the dimensions `dim`; "fro" is p = 2."""
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: minigrad.random.Generator | None = None) -> typing.Self:
        """Write draws from the normal distribution."""
    def not_equal(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Whether each element differs from that of `other`."""
    def numel(self) -> builtins.int:
        """The number of elements."""
    def numpy(self, *, force: builtins.bool = False) -> np.ndarray[typing.Any, np.dtype[typing.Any]]:
        """The elements as an array, not a copy: a write to it shows in the tensor."""
    def outer(self, vec2: Tensor) -> Tensor:
        """The products of each element of a vector with each of another: `y[i, j] = input[i] * vec2[j]`."""
    @property
    def output_nr(self) -> builtins.int:
        """Which of the outputs of `grad_fn` this tensor is."""
    @typing.overload
    def permute(self, dims: collections.abc.Sequence[builtins.int]) -> Tensor:
        """A view with dimension `dims[i]` in place i."""
    @typing.overload
    def permute(self, *dims: typing.SupportsIndex) -> Tensor:
        """A view with dimension `dims[i]` in place i."""
    def pin_memory(self, device: minigrad.tensors.devices.device | builtins.str | builtins.int | None = None) -> typing.Any:
        """An error: memory is pinned for the sake of another device, and there is none."""
    def positive(self) -> Tensor:
        """This tensor, which must not be of bools."""
    def pow(self, exponent: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """Each element to the power of `exponent`."""
    def pow_(self, exponent: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `pow` returns: Each element to the power of `exponent`."""
    def prod(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The product of all elements, or of those along `dim`; of integers, an int64."""
    def random_(self, *bounds: typing.Any, to: builtins.int | None = None, generator: minigrad.random.Generator | None = None) -> typing.Self:
        """Write whole numbers: in [0, to) by `random_(to)`, in [from, to) by `random_(from, to)`."""
    def ravel(self) -> Tensor:
        """The elements in order as a 1-d tensor: a view, or of a contiguous copy."""
    def reciprocal(self) -> Tensor:
        """1 over each element."""
    def reciprocal_(self) -> typing.Self:
        """This tensor, changed to what `reciprocal` returns: 1 over each element."""
    def register_hook(self, hook: collections.abc.Callable[[Tensor], Tensor | None]) -> minigrad.tensors.hooks.RemovableHandle:
        """Call `hook` with each gradient of this tensor; the one it returns, unless None, takes its place."""
    def register_post_accumulate_grad_hook(self, hook: collections.abc.Callable[[Tensor], None]) -> minigrad.tensors.hooks.RemovableHandle:
        """Call `hook` with this leaf each time that a backward pass has added to its `.grad`."""
    def relu(self) -> Tensor:
        """Each element, or 0 where it is negative."""
    def relu_(self) -> typing.Self:
        """This tensor, changed to what `relu` returns: Each element, or 0 where it is negative."""
    def remainder(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    def remainder_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `remainder` returns: What `input / other`, rounded down, leaves of each element; it has the sign of `other`."""
    @typing.overload
    def repeat(self, repeats: collections.abc.Sequence[builtins.int]) -> Tensor:
        """A tensor of `repeats[i]` copies of this one along dimension i; there may be new dimensions in front."""
    @typing.overload
    def repeat(self, *repeats: typing.SupportsIndex) -> Tensor:
        """A tensor of `repeats[i]` copies of this one along dimension i; there may be new dimensions in front."""
    def repeat_interleave(self, repeats: builtins.int | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """Each element, or slice along `dim`, `repeats` times in a row, or as often as its element of `repeats` says."""
    @property
    def requires_grad(self) -> builtins.bool:
        """Whether a backward pass is to reach this tensor; on a leaf, it can be set."""
    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> typing.Self:
        """This tensor, which from now on requires a gradient (or not)."""
    @typing.overload
    def reshape(self, shape: collections.abc.Sequence[builtins.int]) -> Tensor:
        """The elements in the same order in another shape (one size may be -1): a view if strides allow it."""
    @typing.overload
    def reshape(self, *shape: typing.SupportsIndex) -> Tensor:
        """The elements in the same order in another shape (one size may be -1): a view if strides allow it."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """The elements in the same order in the shape of `other`."""
    @typing.overload
    def resize_(self, size: collections.abc.Sequence[builtins.int]) -> typing.Self:
        """This tensor itself in another shape of as many elements; a RuntimeError for another number, and for gradients."""
    @typing.overload
    def resize_(self, *size: typing.SupportsIndex) -> typing.Self:
        """This tensor itself in another shape of as many elements; a RuntimeError for another number, and for gradients."""
    def retain_grad(self) -> None:
        """Let this tensor, the result of an operation, keep its gradient in `.grad`, as leaves do."""
    @property
    def retains_grad(self) -> builtins.bool:
        """Whether `retain_grad` was called on this tensor, which is no leaf."""
    def roll(self, shifts: builtins.int | collections.abc.Sequence[builtins.int], dims: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """A copy with all elements `shifts` places further along `dims` (if none, in order), the last ones first."""
    def round(self, *, decimals: builtins.int | None = None) -> Tensor:
        """The nearest whole number to each element, the even one of two; or the nearest with so many decimals."""
    def round_(self, *, decimals: builtins.int | None = None) -> typing.Self:
        """This tensor, changed to what `round` returns: The nearest whole number to each element, the even one of two; or the nearest with so many decimals."""
    def rsqrt(self) -> Tensor:
        """1 over the square root of each element."""
    def rsqrt_(self) -> typing.Self:
        """This tensor, changed to what `rsqrt` returns: 1 over the square root of each element."""
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, *, value: builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> Tensor:
        """A copy with `y[i, …, index[i, …, k], …, k] = src[i, …, k]` along `dim`: there, elements of `src` or a number."""
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.bool | builtins.int | builtins.float | np.generic | None = None, *, value: builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> typing.Self:
        """This tensor, changed to what `scatter` returns: A copy with `y[i, …, index[i, …, k], …, k] = src[i, …, k]` along `dim`: there, elements of `src` or a number."""
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """A copy with `y[i, …, index[i, …, k], …, k] += src[i, …, k]` along `dim`, where all for one place count."""
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> typing.Self:
        """This tensor, changed to what `scatter_add` returns: A copy with `y[i, …, index[i, …, k], …, k] += src[i, …, k]` along `dim`, where all for one place count."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """A view of the slice `index` along `dim`, without that dimension."""
    def sgn(self) -> Tensor:
        """-1, 0 or 1 for elements below, at or above 0."""
    def sgn_(self) -> typing.Self:
        """This tensor, changed to what `sgn` returns: -1, 0 or 1 for elements below, at or above 0."""
    @property
    def shape(self) -> Size:
        """The size of each dimension."""
    def short(self, *, memory_format: minigrad.tensors.devices.memory_format | None = None) -> Tensor:
        """This tensor as torch.int16."""
    def sigmoid(self) -> Tensor:
        """`1 / (1 + exp(-x))` of each element."""
    def sigmoid_(self) -> typing.Self:
        """This tensor, changed to what `sigmoid` returns: `1 / (1 + exp(-x))` of each element."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 for elements below, at or above 0."""
    def sign_(self) -> typing.Self:
        """This tensor, changed to what `sign` returns: -1, 0 or 1 for elements below, at or above 0."""
    def sin(self) -> Tensor:
        """The sine of each element, an angle in radians."""
    def sin_(self) -> typing.Self:
        """This tensor, changed to what `sin` returns: The sine of each element, an angle in radians."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine of each element."""
    def sinh_(self) -> typing.Self:
        """This tensor, changed to what `sinh` returns: The hyperbolic sine of each element."""
    @typing.overload
    def size(self, dim: None = None) -> Size:
        """The shape, or the size of dimension `dim`."""
    @typing.overload
    def size(self, dim: typing.SupportsIndex) -> builtins.int:
        """The shape, or the size of dimension `dim`."""
    def softmax(self, dim: builtins.int, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool | None = None) -> minigrad.return_types.sort:
        """The elements in order along `dim`, and where each was: `(values, indices)`; nan is the largest."""
    def split(self, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of consecutive parts along `dim`: each of the size given, the last perhaps smaller, or of those listed."""
    def sqrt(self) -> Tensor:
        """The square root of each element."""
    def sqrt_(self) -> typing.Self:
        """This tensor, changed to what `sqrt` returns: The square root of each element."""
    def square(self) -> Tensor:
        """The square of each element."""
    def square_(self) -> typing.Self:
        """This tensor, changed to what `square` returns: The square of each element."""
    def squeeze(self, dim: builtins.int | collections.abc.Sequence[builtins.int] | builtins.ellipsis = ...) -> Tensor:
        """A view without the dimensions of size 1: without all, or those of `dim` that are."""
    def squeeze_(self, dim: builtins.int | collections.abc.Sequence[builtins.int] | builtins.ellipsis = ...) -> typing.Self:
        """This tensor, changed to what `squeeze` returns: A view without the dimensions of size 1: without all, or those of `dim` that are."""
    def std(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> Tensor:
        """The standard deviation, the square root of the variance; see `var`."""
    def storage(self) -> minigrad.tensors.conversion.TypedStorage:
        """The memory of this tensor, and of all views that it has a part in."""
    def storage_offset(self) -> builtins.int:
        """How many elements lie in memory before the first of this tensor: 0 unless it is a view."""
    def stride(self, dim: typing.SupportsIndex | None = None) -> typing.Any:
        """How many elements lie between two neighbours, for each dimension, or for `dim`."""
    def sub(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> Tensor:
        """The difference `input - alpha * other`."""
    def sub_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> typing.Self:
        """This tensor, changed to what `sub` returns: The difference `input - alpha * other`."""
    def subtract(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> Tensor:
        """The difference `input - alpha * other`."""
    def subtract_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic, *, alpha: builtins.bool | builtins.int | builtins.float | np.generic = 1) -> typing.Self:
        """This tensor, changed to what `sub` returns: The difference `input - alpha * other`."""
    def sum(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, keepdim: builtins.bool = False, *, dtype: minigrad.core.dtypes.dtype | None = None) -> Tensor:
        """The sum over all elements, or over the dimensions `dim`; of integers, an int64."""
    @typing.overload
    def sum_to_size(self, size: collections.abc.Sequence[builtins.int]) -> Tensor:
        """The sum over what broadcasting repeats to make a tensor of `size` into one of this shape."""
    @typing.overload
    def sum_to_size(self, *size: typing.SupportsIndex) -> Tensor:
        """The sum over what broadcasting repeats to make a tensor of `size` into one of this shape."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """A view with two dimensions swapped, as by `transpose`."""
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> typing.Self:
        """This tensor, changed to what `swapaxes` returns: A view with two dimensions swapped, as by `transpose`."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions swapped."""
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> typing.Self:
        """This tensor, changed to what `transpose` returns: A view with two dimensions swapped."""
    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
    def t_(self) -> typing.Self:
        """This tensor, changed to what `t` returns: The transpose of a matrix, as a view; vectors and 0-d tensors as they are."""
    def take(self, index: Tensor) -> Tensor:
        """The elements that `index` names, counted over all in order, negative ones from the end; in its shape."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """As `gather`, of shapes that broadcast apart from `dim`; over all elements in order without `dim`."""
    def tan(self) -> Tensor:
        """The tangent of each element, an angle in radians."""
    def tan_(self) -> typing.Self:
        """This tensor, changed to what `tan` returns: The tangent of each element, an angle in radians."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent of each element."""
    def tanh_(self) -> typing.Self:
        """This tensor, changed to what `tanh` returns: The hyperbolic tangent of each element."""
    @typing.overload
    def tile(self, dims: collections.abc.Sequence[builtins.int]) -> Tensor:
        """The same as `repeat`, but the dimensions in front of those named are repeated once."""
    @typing.overload
    def tile(self, *dims: typing.SupportsIndex) -> Tensor:
        """The same as `repeat`, but the dimensions in front of those named are repeated once."""
    def to(self, *args: typing.Any, **kwargs: typing.Any) -> Tensor:
        """This tensor in a dtype, on a device, or in those of another tensor; itself if nothing changes."""
    def to_dense(self, dtype: minigrad.core.dtypes.dtype | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """This tensor, which is dense; a sparse tensor as a dense one."""
    def to_sparse(self, sparse_dim: typing.SupportsIndex | None = None) -> Tensor:
        """A sparse tensor of the same elements: its entries are those, in the first `sparse_dim` dimensions, not zero."""
    def tolist(self) -> typing.Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> minigrad.return_types.topk:
        """The `k` largest or smallest elements along `dim` and their indices, in order: `(values, indices)`."""
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix, of integers as int64."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions swapped."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> typing.Self:
        """This tensor, changed to what `transpose` returns: A view with two dimensions swapped."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """A copy of each matrix with zeros above a diagonal."""
    def tril_(self, diagonal: builtins.int = 0) -> typing.Self:
        """This tensor, changed to what `tril` returns: A copy of each matrix with zeros above a diagonal."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """A copy of each matrix with zeros below a diagonal."""
    def triu_(self, diagonal: builtins.int = 0) -> typing.Self:
        """This tensor, changed to what `triu` returns: A copy of each matrix with zeros below a diagonal."""
    def true_divide(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The quotient `input / other`, in floating point also for integers."""
    def true_divide_(self, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> typing.Self:
        """This tensor, changed to what `true_divide` returns: The quotient `input / other`, in floating point also for integers."""
    def trunc(self) -> Tensor:
        """The whole part of each element: it is rounded towards 0."""
    def trunc_(self) -> typing.Self:
        """This tensor, changed to what `trunc` returns: The whole part of each element: it is rounded towards 0."""
    def type(self, dtype: builtins.object = None, non_blocking: builtins.bool = False) -> typing.Any:
        """The name of this tensor's type, such as "torch.FloatTensor"; or this tensor in a dtype, or in such a type."""
    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of `other`."""
    def unbind(self, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Views of all slices along `dim`, which goes."""
    def unflatten(self, dim: builtins.int, sizes: collections.abc.Sequence[builtins.int]) -> Tensor:
        """A view with the dimension `dim` as several, of `sizes`, of which one may be -1."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """A view of the windows of `size` elements, each `step` after the one before; each lies along a new last dim."""
    def uniform_(self, from_: builtins.float = 0.0, to: builtins.float = 1.0, *, generator: minigrad.random.Generator | None = None) -> typing.Self:
        """Write draws from the uniform distribution on `[from_, to)`."""
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> typing.Any:
        """The distinct elements, in order; with `dim`, the distinct parts along it."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """A view with a new dimension of size 1 at `dim`."""
    def unsqueeze_(self, dim: builtins.int) -> typing.Self:
        """This tensor, changed to what `unsqueeze` returns: A view with a new dimension of size 1 at `dim`."""
    def var(self, dim: collections.abc.Sequence[typing.SupportsIndex] | typing.SupportsIndex | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.bool | builtins.int | builtins.float | np.generic | None = None) -> Tensor:
        """The variance over all elements, or over the dimensions `dim`: the squared deviations / (n - correction)."""
    @typing.overload
    def view(self, size: collections.abc.Sequence[builtins.int] | minigrad.core.dtypes.dtype) -> Tensor:
        """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it."""
    @typing.overload
    def view(self, *size: typing.SupportsIndex) -> Tensor:
        """The same storage in another shape (one size may be -1); a RuntimeError if strides do not allow it."""
    def view_as(self, other: Tensor) -> Tensor:
        """The same storage in the shape of `other`."""
    def where(self, condition: Tensor, other: Tensor | builtins.bool | builtins.int | builtins.float | np.generic) -> Tensor:
        """The elements where `condition` holds, those of `other` elsewhere."""
    def zero_(self) -> typing.Self:
        """Write 0 everywhere."""

Operand: TypeAlias = Tensor | Number
Operator: TypeAlias = Callable[[Tensor, Operand], Tensor]
Function: TypeAlias = Callable[..., Tensor]
def method(*names: str) -> Callable[[F], F]:
    ...
def members(family: T) -> T:
    ...
class Storage:
    """What all tensors on one memory share.

    `version`
        the number of in-place writes so far.
    `views`
        weak references to the views of it: their histories have to follow a write that is recorded.
    """
    version: int = 0
    views: Sequence[weakref.ref[Tensor]] = ()
    _crowded: int = 16

    def forget_views(self, views: list[weakref.ref[Tensor]]) -> None:
        ...
def free_in_forks(lock: Any) -> Any:
    ...
def storage_of(x: Tensor) -> Storage:
    ...
def share_storage(x: Tensor, view: Tensor, made_by: str='') -> None:
    ...
def check_keeps_shape(own: tuple[int, ...], found: tuple[int, ...], remedy: str='an in-place operation cannot change the shape') -> None:
    ...
class Size(tuple[int, ...]):
    """The sizes of a tensor, one per dimension: a tuple of ints.

    >>> import minigrad as torch
    >>> torch.Size([4, 5])
    torch.Size([4, 5])
    >>> torch.Size([4, 5]) == (4, 5)
    True
    """
    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex]=()) -> Size:
        ...

    def __repr__(self) -> str:
        ...

    def numel(self) -> int:
        ...

    @overload
    def __getitem__(self, index: SupportsIndex) -> int:
        ...

    @overload
    def __getitem__(self, index: slice) -> Size:
        ...

    def __add__(self, other: tuple[Any, ...]) -> Size:
        ...

    def __radd__(self, other: tuple[Any, ...]) -> Size:
        ...

    def __mul__(self, times: SupportsIndex) -> Size:
        ...
    __rmul__ = __mul__
