"""The base classes of layers: declared by their options, by a function, or by parameters; and lazy layers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar
from inspect import Parameter as Option
from types import EllipsisType
from typing import Any, ClassVar, TypeAlias, dataclass_transform

from minigrad.declare import with_options
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, Uninitialized, UninitializedBuffer, UninitializedParameter
from minigrad.ops.arguments import DType, OnDevice
from minigrad.tensor import Tensor

#: An option that says whether there is a bias; the attribute of that name is the parameter, or None.
Bias: TypeAlias = Any


def is_kept(option: Option) -> bool:
    """Whether the option becomes an attribute; else it is an argument of `_set_up`."""
    return not option.annotation.startswith(("InitVar[", "Bias"))


class Layer(Module):
    """A module that computes a tensor, and is declared by its options: see `with_options`."""

    __call__: ClassVar[Callable[..., Tensor]]
    _options: ClassVar[dict[str, Option]] = {}

    def _begin(self, given: dict[str, Any]) -> None:
        """Set the attributes, and call `_set_up`, for the arguments `given` to the constructor."""
        Module.__init__(self)
        self.__dict__.update({name: given[name] for name, each in self._options.items() if is_kept(each)})
        self._set_up(**{name: given[name] for name, each in self._options.items() if not is_kept(each)})

    def _set_up(self, *_: Any, **__: Any) -> None:
        """Check the options, which are attributes by now, complete them, and make the parameters.

        Its arguments are the options that are not attributes.
        """


@with_options
class ParameterLayer(Layer):
    """A layer that has parameters: on a device, and of a dtype."""

    _: KW_ONLY
    device: InitVar[OnDevice] = None
    dtype: InitVar[DType] = None


class WeightLayer(ParameterLayer):
    """A layer whose first parameter is its weight."""

    #: A parameter, whose shape the docstring of the layer tells.
    weight: Parameter


@dataclass_transform(eq_default=False)
class FunctionLayer(Layer):
    """A layer that computes `function(*inputs, **options)`.

    A subclass names the function (or `...`, if its own subclasses do) and annotates the options, as the fields of a
    dataclass: their names, types and defaults become those of the constructor.  The options are attributes, which can
    be changed later.

    >>> import minigrad as torch
    >>> class Power(FunctionLayer, function=torch.pow):
    ...     exponent: float = 2.0
    >>> Power(), Power(3.0)(torch.tensor([1.0, 2.0]))
    (Power(exponent=2.0), tensor([1., 8.]))
    """

    _function: ClassVar[Callable[..., Tensor]]
    #: The options that the function takes.
    _taken: ClassVar[tuple[str, ...]]
    #: Which options the printed form shows, if not all of these.
    _shown: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls, function: Callable[..., Tensor] | EllipsisType | None = None) -> None:
        super().__init_subclass__()
        if function is not None:
            cls.__init__ = _with_remedy(with_options(cls).__init__)  # type: ignore[method-assign]
            cls._taken = tuple([name for name, option in cls._options.items() if is_kept(option)])
        if callable(function):
            cls._function = staticmethod(function)

    def _begin(self, given: dict[str, Any]) -> None:
        for name, option in self._options.items():
            value, kind = given[name], option.annotation
            if isinstance(value, Tensor) and value.ndim and is_kept(option) and "Tensor" not in kind:
                raise TypeError(f"{type(self).__name__}.__init__() argument '{name}' must be {kind}, not Tensor")
        super()._begin(given)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input)

    def _compute(self, *inputs: Tensor, **more: object) -> Tensor:
        for name in self._taken:
            more[name] = getattr(self, name)
        return type(self)._function(*inputs, **more)

    def extra_repr(self) -> str:
        if self._shown is not None:
            return ", ".join([f"{name}={getattr(self, name)}" for name in self._shown])
        names = [name for name in self._taken if name != "inplace" or getattr(self, name)]
        # (Whatever is given for `inplace`, True is shown.)
        shown = {name: name == "inplace" or getattr(self, name) for name in names}
        return ", ".join([f"{name}={repr(each) if isinstance(each, str) else each}" for name, each in shown.items()])


def _with_remedy(made: Callable[..., None]) -> Callable[..., None]:
    """The constructor `made`, with a remedy added to its error where it was given the input of the layer."""

    @functools.wraps(made)
    def __init__(self: FunctionLayer, *args: object, **kwargs: object) -> None:  # noqa: N807
        try:
            made(self, *args, **kwargs)
        except (TypeError, RuntimeError) as error:
            tensors = [isinstance(value, Tensor) for value in args].count(True)
            layer = f"nn.{type(self).__name__}({'dim=…' if 'dim' in self._options else ''})"
            remedy = f"; a layer is made first, and then called: {layer}({'x' if tensors == 1 else 'input, target'})"
            raise type(error)(f"{error}{remedy if tensors else ''}") from None

    return __init__


class LazyModuleMixin(Module):
    """The first base of a lazy layer, before the layer that it becomes, whose first argument it leaves out.

    Until the first call, or until a state is loaded, the parameters have no values and no shapes.
    """

    #: The layer that it becomes.
    cls_to_become: ClassVar[Any]
    #: The name of the argument that is left out, and the dimension of the input whose size it is.
    _inferred: ClassVar[tuple[str, int]]

    def __init_subclass__(cls, first: str | None = None, dim: int = -1) -> None:
        super().__init_subclass__()
        if first is not None:
            cls.cls_to_become, cls._inferred = cls.__bases__[1], (first, dim)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, *args, **kwargs)  # type: ignore[call-arg]
        self._given = inspect.signature(self.cls_to_become).bind(0, *args, **kwargs).arguments
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(parameter.new_empty(0))
        for name, buffer in self._buffers.items():
            if buffer is not None and 0 in buffer.shape:
                self._buffers[name] = UninitializedBuffer(buffer)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have values."""
        if getattr(self, self._inferred[0]):
            super().reset_parameters()  # type: ignore[misc]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name, dim = self._inferred
        shape = (args or tuple(kwargs.values()))[0].shape
        if dim < -1 and len(shape) < -dim:
            ranks = f"{-dim}D (unbatched) or {1 - dim}D (batched)"
            raise RuntimeError(f"Expected {ranks} input to {type(self).__name__}, but got input of size: {shape}")
        size = shape[dim]
        own = self._parameters | self._buffers
        waiting = {key: each for key, each in own.items() if isinstance(each, Uninitialized)}
        if waiting:
            # The first values are drawn in the dtype that the layer has been converted to.
            made = self.cls_to_become(**self._given | {name: size, "dtype": next(iter(waiting.values())).dtype})
            for key, each in waiting.items():
                each.become(getattr(made, key))
        setattr(self, name, size)
        del self._given
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)
