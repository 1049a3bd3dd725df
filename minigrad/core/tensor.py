"""`Tensor`: an array that remembers how it was made.

The class knows its array and its place in the graph, and no operation.  The files that define operations import it and
attach them as methods: `ops.py` the operators, `walk.py` the method `backward`.
"""

from __future__ import annotations

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

F = TypeVar("F")
T = TypeVar("T", bound=type)


class Tensor:
    """An n-dimensional array of one dtype that, on request, records what is computed from it.

    Tensors are made by `minigrad.tensor`, `zeros`, `randn` and their like; the constructor reads ints as sizes.

    >>> import minigrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    # `_array`          the values, a NumPy array (never a NumPy scalar).
    # `_node`           the recorded operation that made this tensor (or which of its outputs this is), None for a leaf.
    # `_requires_grad`  whether a backward pass is to reach this tensor.
    # `_grad`           on a leaf, the sum of the gradients of all backward passes so far, or None.
    # `_storage`        what all tensors on one memory share, None until writes or views are to be counted.
    # `_base`           for a view, the tensor it is a view of, never a view itself; else None.
    # `_maker`          set on views only: why one must not be written to, see `share_storage`.
    __slots__ = ("__dict__", "__weakref__", "_array", "_base", "_grad", "_maker", "_node", "_requires_grad", "_storage")

    _array: Array
    _base: Tensor | None
    _grad: Tensor | None
    _maker: str
    _node: Any
    _requires_grad: builtins.bool
    _storage: Storage | None

    #: Whether only some of the elements are in memory; such a tensor has no `_array`.
    is_sparse: ClassVar[builtins.bool] = False

    #: NumPy's arrays and scalars leave `array * tensor` to the tensor.
    __array_priority__: ClassVar[builtins.int] = 1000

    # What gradients are written in; `ops.py` and `linear.py` attach these.
    __add__: ClassVar[Operator]
    __mul__: ClassVar[Operator]
    __truediv__: ClassVar[Operator]
    __matmul__: ClassVar[Operator]
    __neg__: ClassVar[Function]
    clone: ClassVar[Function]
    mT: ClassVar[property]  # noqa: N815  # PyTorch's name

    @staticmethod
    def _new(array: object, node: object = None) -> Tensor:
        """A tensor of `array`, made by `node`.

        Operations call it on an input or a gradient, `x._new(array)`.  Nothing is taken from `x`: even if that is a
        Parameter or a sparse tensor, the result is a plain tensor.
        """
        out = _blank()
        # NumPy's reductions to 0-d give scalars, not arrays.
        out._array = array if type(array) is _ndarray else np.asarray(array)
        out._node = node
        out._requires_grad = False
        out._grad = out._storage = out._base = None
        return out

    def __repr__(self) -> str:
        return f"tensor({np.array2string(self._array, separator=', ', prefix='tensor(')})"

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The size of each dimension.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).shape
        torch.Size([4, 5])
        """
        # Past the checks of `Size(…)`: NumPy's shapes are ints.
        return tuple.__new__(Size, self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements, such as `torch.float32`."""
        return dtypes.of(self._array)

    @property
    def ndim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are floating-point numbers."""
        return self._array.dtype in FLOATS

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self._array.item()

    def __len__(self) -> builtins.int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    # ---- its place in the graph --------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> builtins.bool:
        """Whether a backward pass is to reach this tensor; on a leaf, it can be set."""
        # As in PyTorch, a view made under no_grad() says what its base does, though no gradient flows through it.
        return self._requires_grad or (self._base is not None and self._base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None:
        if not isinstance(value, builtins.bool):
            raise RuntimeError(f"requires_grad must be a bool, got {type(value).__name__}")
        if self._node is not None:
            problem = "you can only change requires_grad flags of leaf variables. If you want to use a computed"
            remedy = "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            raise RuntimeError(f"{problem} {remedy}")
        if value and not self.is_floating_point():
            problem = "only Tensors of floating point dtype can require gradients: integers have no small changes"
            remedy = "Convert it first: x.float(), and of ids one_hot(ids, V).float()"
            raise RuntimeError(f"{problem}, and this tensor has dtype {self.dtype!r}. {remedy}")
        self._requires_grad = value

    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """This tensor, which from now on requires a gradient (or not).

        >>> import minigrad as torch
        >>> torch.zeros(2).requires_grad_()
        tensor([0., 0.], requires_grad=True)
        """
        if self._node is None or not requires_grad:
            self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> builtins.bool:
        """Whether no recorded operation made this tensor."""
        return self._node is None

    @property
    def grad_fn(self) -> Any:
        """The recorded operation that made this tensor, None for a leaf."""
        return None if self._node is None else self._node.node

    @property
    def grad(self) -> Tensor | None:
        """On a leaf, the sum of the gradients of all backward passes since it was last None or zero."""
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        self._grad = value

    @property
    def _version(self) -> builtins.int:
        """How many in-place writes this tensor's storage has seen."""
        return 0 if self._storage is None else self._storage.version

    def detach(self) -> Tensor:
        """The same numbers, cut off from the graph: a leaf that requires no gradient, on the same memory.

        >>> import minigrad as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * 2).detach()
        tensor([2., 4.])
        """
        out = self._new(self._array)
        out._storage = storage_of(self)
        return out

    def _rewrite(self, compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Write `compute(this tensor, …)` into this tensor, where nothing is recorded, as under `no_grad`.

        `minigrad.ops.writing` replaces this method by one that records the write.
        """
        if current.enabled and self.requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation: update it under no_grad()"
                if self._node is None
                else "the core alone does not record writes: make a new tensor, x = x + 1 in place of x += 1"
            )
        result = compute(self, *args, **kwargs)
        if result is NotImplemented:
            return result
        if result._requires_grad:
            raise RuntimeError("the core alone does not record writes: add x.detach(), or make a new tensor")
        check_keeps_shape(self._array.shape, result._array.shape)
        np.copyto(self._array, result._array, casting="same_kind")
        storage_of(self).version += 1
        return self

    # ---- as a gradient -----------------------------------------------------------------------------------------------

    def _plus(self, gradient: Tensor, in_place: builtins.bool) -> Tensor:
        """The sum of two gradients for one place; in the memory of this one if `in_place`."""
        return gradient._into(self) if in_place else self + gradient

    def _into(self, total: Tensor) -> Tensor:
        """Add this gradient to `total`, in the memory of `total`, and return that."""
        np.add(total._array, self._array, out=total._array)
        return total


#: The other operand in arithmetic with a tensor.
Operand: TypeAlias = Tensor | Number
Operator: TypeAlias = Callable[[Tensor, Operand], Tensor]
Function: TypeAlias = Callable[..., Tensor]


def method(*names: str) -> Callable[[F], F]:
    """A decorator that makes a function, or a property, a method of `Tensor` under these names."""

    def attach(function: F) -> F:
        if isinstance(function, FunctionType) and not function.__qualname__.startswith("Tensor."):
            # Where an argument is wrong, Python's error names the class of the method.
            function.__qualname__ = f"Tensor.{names[0]}"
        for name in names:
            setattr(Tensor, name, function)
        return function

    return attach


def members(family: T) -> T:
    """A decorator that makes the methods and properties of a class, which never has an instance, those of `Tensor`."""
    for name, member in vars(family).items():
        # Methods and properties have it; what Python writes into each class, such as `__module__`, has not.
        if hasattr(member, "__get__"):
            method(name)(member)
    return family


# Looked up once: each operation makes a tensor.
_blank = functools.partial(object.__new__, Tensor)
_ndarray = np.ndarray


class Storage:
    """What all tensors on one memory share.

    `version`
        the number of in-place writes so far.
    `views`
        weak references to the views of it: their histories have to follow a write that is recorded.
    """

    # Values of the class take no time to set: each operation that keeps its output makes a storage.
    version: int = 0
    views: Sequence[weakref.ref[Tensor]] = ()
    # With more views than this, those that are gone are looked for.
    _crowded: int = 16

    def forget_views(self, views: list[weakref.ref[Tensor]]) -> None:
        """Remove the references to views that are gone, while other threads may add some."""
        with _making:
            seen = len(views)
            views[:seen] = [each for each in views[:seen] if each() is not None]
            self._crowded = 16 + 2 * len(views)


def free_in_forks(lock: Any) -> Any:
    """`lock`, which is held by nobody while the process forks: in the child nobody would release it."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


_making = free_in_forks(RLock())


def storage_of(x: Tensor) -> Storage:
    """The storage of `x`, made when it is first asked for."""
    if x._storage is None:
        # (A `with` block takes twice as long.)
        _making.acquire()
        try:
            # Another thread may have been first.
            x._storage = x._storage or Storage()
        finally:
            _making.release()
    return x._storage


def share_storage(x: Tensor, view: Tensor, made_by: str = "") -> None:
    """Let `view`, whose array lies in that of `x`, count writes together with `x` and follow its history.

    `made_by` is empty, or says why this view must not be written to while operations are recorded: "no_grad" if it
    was made while they were not, else the name of the operation that made it as one of several.  Views of such a view
    inherit the reason.
    """
    storage = view._storage = x._storage or storage_of(x)
    if x._base is None:
        view._base, view._maker = x, made_by
    else:
        view._base, view._maker = x._base, made_by or x._maker
    # Other threads may do the same: there is one list, made and appended to in one step each.
    views: Any = storage.views or storage.__dict__.setdefault("views", [])
    views.append(weakref.ref(view))
    if len(views) > storage._crowded:
        storage.forget_views(views)


def check_keeps_shape(
    own: tuple[int, ...], found: tuple[int, ...], remedy: str = "an in-place operation cannot change the shape"
) -> None:
    """Raise a RuntimeError unless what is to be written, of the shape `found`, has the shape `own`."""
    if found != own:
        raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {list(found)}: {remedy}")


class Size(tuple[int, ...]):
    """The sizes of a tensor, one per dimension: a tuple of ints.

    >>> import minigrad as torch
    >>> torch.Size([4, 5])
    torch.Size([4, 5])
    >>> torch.Size([4, 5]) == (4, 5)
    True
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> Size:
        found: list[int] = []
        for position, size in enumerate(sizes):
            try:
                found.append(int(size.__index__()))
            except (AttributeError, TypeError):
                kind = type(size).__name__
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{kind}')") from None
        return tuple.__new__(cls, found)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape: the product of its sizes.

        >>> import minigrad as torch
        >>> torch.Size([4, 5]).numel()
        20
        """
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        # `super()` would take as long as the item itself.
        found = tuple.__getitem__(self, index)
        return tuple.__new__(Size, found) if isinstance(index, slice) else found

    def __add__(self, other: tuple[Any, ...]) -> Size:
        return Size(super().__add__(other))

    def __radd__(self, other: tuple[Any, ...]) -> Size:
        # A list extends itself by `sizes += x.shape`.
        return Size(other) + self if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        return Size(super().__mul__(times))

    __rmul__ = __mul__
