"""`Tensor`: an array that remembers how it was made.

The class is the core's; its methods are declared with their functions, in `minigrad.ops` and `minigrad.tensors`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from importlib import import_module
from typing import Any, Never, NoReturn, Self, SupportsIndex, overload

import numpy as np

from minigrad import tensors
from minigrad.core import dtypes, tape, walk  # noqa: F401
from minigrad.core.tape import Output, watch_of
from minigrad.core.tensor import Size, Storage, Tensor as Tensor, members
from minigrad.declare import declared
from minigrad.ops import comparison, mathematics, matrices, reductions, shapes, writing  # noqa: F401
from minigrad.ops.arguments import own_dim
from minigrad.tensors.creation import made_as_before
from minigrad.tensors.devices import CPU, device as Device, layout, strided
from minigrad.tensors.errors import warn_program


@members
class Members(Tensor):
    """The constructor, the printed form, what a tensor is, its hooks, and its place in the graph."""

    __slots__ = ()

    def __new__(cls, *args: object, device: Device | str | None = None, **options: Never) -> Tensor:  # type: ignore[misc]  # it is Tensor's
        """A tensor of the default dtype, of one sequence or of sizes; prefer `torch.tensor(data)` and `empty(size)`."""
        return made_as_before(args, None, device, **options)

    def __init_subclass__(cls) -> None:
        if Tensor in cls.__bases__ and not cls.__module__.startswith("minigrad."):
            raise TypeError("a tensor has no subclasses but nn.Parameter: let a class, or a Module, have a tensor")

    def __delitem__(self, index: object) -> NoReturn:
        raise TypeError("Tensor does not support deleting items: torch.cat of the parts before and after it")

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name not in MISSING]

    # ---- printing ---------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return tensors.printing.tensor_text(self._array, tensors.printing.history(self))

    def __format__(self, spec: str) -> str:
        if self.ndim == 0 and type(self) is Tensor:
            return format(self.item(), spec)
        if spec:
            problem = f"unsupported format string passed to {type(self).__name__}.__format__: {spec!r}"
            raise TypeError(f"{problem} formats one number, as x.item(), and this has shape {self.shape}")
        return repr(self)

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """Where the elements are: always `device(type='cpu')`."""
        return CPU

    def dim(self) -> builtins.int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension = dim

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: SupportsIndex) -> builtins.int: ...
    def size(self, dim: SupportsIndex | None = None) -> Any:
        """The shape, or the size of dimension `dim`.

        >>> import minigrad as torch
        >>> x = torch.zeros(4, 5)
        >>> x.size(), x.size(-1)
        (torch.Size([4, 5]), 5)
        """
        return self.shape if dim is None else self._array.shape[own_dim(dim, self._array.ndim)]

    def nelement(self) -> builtins.int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> builtins.int:
        """Bytes per element."""
        return self.dtype.itemsize

    itemsize = property(element_size)

    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
        return self._array.nbytes

    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the elements are on a graphics processor: never."""
        return False

    @property
    def layout(self) -> layout:
        """How the elements lie in memory: `torch.strided`, or `torch.sparse_coo` for a sparse tensor."""
        return strided

    def stride(self, dim: SupportsIndex | None = None) -> Any:
        """How many elements lie between two neighbours, for each dimension, or for `dim`.

        >>> import minigrad as torch
        >>> torch.zeros(4, 5).stride(), torch.zeros(4, 5).T.stride()
        ((5, 1), (1, 5))
        """
        array = self._array
        if not (array.size or any(array.strides)):
            # NumPy's strides of an array without elements may all be 0; PyTorch's are those of its shape.
            array = np.empty([size or 1 for size in array.shape], array.dtype)
        steps = tuple([step // array.itemsize for step in array.strides])
        return steps if dim is None else steps[own_dim(dim, len(steps))]

    def is_contiguous(self, memory_format: object = None) -> builtins.bool:
        """Whether the elements lie in memory in the order of their indices."""
        return self._array.flags.c_contiguous

    def data_ptr(self) -> builtins.int:
        """The address of the first element: equal for tensors that share storage from its start."""
        return self._array.ctypes.data

    # ---- its place in the graph --------------------------------------------------------------------------------------

    @property
    def output_nr(self) -> builtins.int:
        """Which of the outputs of `grad_fn` this tensor is."""
        return self._node.position if isinstance(self._node, Output) else 0

    @property
    def grad(self) -> Tensor | None:
        """On a leaf, the sum of the gradients of all backward passes since it was last None or zero."""
        if self._node is not None and self._grad is None and not self.retains_grad:
            problem = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. backward() fills it"
            remedy = "w = w - lr * w.grad makes a non-leaf: update w in place, with torch.no_grad(): w -= lr * w.grad."
            warn_program(f"{problem} only after .retain_grad(). ({remedy})")
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if not isinstance(value, Tensor):
                kind = type(value).__name__
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {kind}")
            if value.shape != self.shape:
                sizes = f"'{list(value.shape)}' to a tensor of size '{list(self.shape)}'"
                problem = "Please ensure that the gradient and the tensor are the same size"
                raise RuntimeError(f"attempting to assign a gradient of size {sizes}. {problem}")
            if value.dtype is not self.dtype:
                types = f"'{value.dtype._c_name}' to a tensor with grad_dtype '{self.dtype._tensor_name}'"
                raise RuntimeError(f"attempting to assign a gradient with dtype {types}: grad.to({self.dtype!r})")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def retain_grad(self) -> None:
        """Let this tensor, the result of an operation, keep its gradient in `.grad`, as leaves do.

        >>> import minigrad as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x * x
        >>> y.retain_grad()
        >>> (2 * y).backward()
        >>> y.grad
        tensor(2.)
        """
        if not self._requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is not None:
            tensors.hooks.retain_at(self)

    @property
    def retains_grad(self) -> builtins.bool:
        """Whether `retain_grad` was called on this tensor, which is no leaf."""
        watch = None if self.grad_fn is None else self.grad_fn.watch
        return watch is not None and any([kept() is self for kept in watch.retained.values()])

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> tensors.hooks.RemovableHandle:
        """Call `hook` with each gradient of this tensor; the one it returns, unless None, takes its place.

        >>> import minigrad as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda g: g * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
        >>> handle.remove()
        """
        node = self.grad_fn
        if node is None:
            return tensors.hooks.RemovableHandle(tensors.hooks.leaf_hooks(self), hook)
        return watch_of(node).add(self.output_nr, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> tensors.hooks.RemovableHandle:
        """Call `hook` with this leaf each time that a backward pass has added to its `.grad`."""
        if self._node is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return tensors.hooks.RemovableHandle(tensors.hooks.leaf_hooks(self, "_post_accumulate_grad_hooks"), hook)

    def detach_(self) -> Self:
        """This tensor, from now on a leaf that requires no gradient."""
        if self._is_view():
            raise RuntimeError("Can't detach views in-place. Use detach() instead, which makes a new tensor.")
        self._node, self._requires_grad = None, False
        return self

    def _is_view(self) -> builtins.bool:
        """Whether this tensor is a view of another one, through which gradients flow."""
        return self._base is not None

    @property
    def data(self) -> Tensor:
        """The same numbers, cut off from the graph; the backward pass does not notice what is written through it.

        A tensor that is assigned takes this one's place: its storage, shape and dtype become this tensor's.
        """
        return self._new(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._requires_grad and not value.is_floating_point():
            raise RuntimeError(f"data set to a tensor that requires gradients must be floating point: {value.dtype}")
        storage, self._base = self._storage, None
        if storage is not None:
            # Its views stay as they are, on a new base that takes over the memory and history of before.
            left = self._new(self._array, self._node)
            left._requires_grad, left._storage = self._requires_grad, storage
            for view in [reference() for reference in storage.views]:
                if view is not None and view._base is self:
                    view._base = left
            self._storage = Storage()
            self._storage.version = storage.version
        self._array = value._array


# The file of hooks is imported when the first hook is registered.
tape.seams.watch = lambda: tensors.hooks.Watch()

# Their names in messages and pickles are those that programs use.
Tensor.__module__ = Size.__module__ = dtypes.dtype.__module__ = Device.__module__ = layout.__module__ = "minigrad"
# `typing.get_type_hints` would look for the names in these in `minigrad`.
Tensor.__annotations__.clear()


#: Functions and methods of tensors that are declared in files which few programs need at once.
_DECLARED_IN = {
    "linalg": "det inverse",
    "ops.activations": "log_softmax logsumexp softmax",
    "ops.ordering": "argsort bincount histc histogram median mode sort topk unique",
}
LATER = {name: f"minigrad.{home}" for home, names in _DECLARED_IN.items() for name in names.split()}


class _Later(str):
    """Stands for such a method until it is first asked for: then its file is imported, which declares it."""

    __slots__ = ()

    def __get__(self, tensor: Tensor | None, kind: type) -> Any:
        import_module(LATER[self])
        # (A program that had replaced this object may have put it back.)
        return declared["Tensor"][self].__get__(tensor, kind)


for _name in LATER:
    setattr(Tensor, _name, _Later(_name))


class _Missing(str):
    """Stands for a method that only PyTorch's tensors have: the AttributeError says what to write instead.

    (With a `__getattr__`, which needs no list of names, Python 3.11 takes five times as long for every attribute.)
    """

    __slots__ = ()

    def __get__(self, tensor: Tensor | None, kind: type) -> NoReturn:
        told = tensors.failures.advice("minigrad.Tensor", self)
        # (Python guesses a name of `obj`, if there is one.)
        raise AttributeError(f"{kind.__name__!r} object has no attribute {self!r}{told}", name=self, obj=None)


#: The names for which there is a hint, in `missing_names.toml`; it holds for the form in place as well.
_HINTED = """
acosh addbmm addcdiv addcmul addmv addr adjoint aminmax angle apply_ arccosh arcsinh arctan2 arctanh as_strided asinh
astype atan2 atanh baddbmm cauchy_ cholesky conj conj_physical copy copysign corrcoef cross cummax cummin deg2rad
diagflat diagonal_scatter diff digamma dsplit erfc erfinv fill fill_diagonal_ fliplr flipud float_power fmax fmin frac
gcd geometric_ get_device heaviside hsplit hypot i0 igamma igammac imag index_copy inner is_complex is_cpu is_inference
is_nonzero is_same_size is_signed isneginf isposinf isreal istft kron kthvalue lcm lgamma log_normal_ logaddexp
logcumsumexp logdet logit lu mH masked_scatter matrix_power msort nan_to_num nanmedian nanquantile pinverse polygamma
prelu put qr quantile rad2deg real renorm resolve_conj rot90 scatter_reduce select_scatter set_ signbit sinc
slice_scatter slogdet split_with_sizes stft svd tensor_split unique_consecutive untyped_storage vdot vsplit xlogy
"""
MISSING = [name for base in _HINTED.split() for name in (base, f"{base}_") if name not in vars(Tensor)]
for _name in MISSING:
    setattr(Tensor, _name, _Missing(_name))
