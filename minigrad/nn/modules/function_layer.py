"""Layers that are a function with options: declared by the function and the options."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from types import EllipsisType
from typing import ClassVar, dataclass_transform

from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor

_EITHER_WAY = Parameter.POSITIONAL_OR_KEYWORD


@dataclass_transform(eq_default=False)
class FunctionLayer(Module):
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

    __call__: Callable[..., Tensor]
    _function: ClassVar[Callable[..., Tensor]]
    #: What the constructor takes.
    _arguments: ClassVar[tuple[Parameter, ...]] = ()
    #: Which of it the function does not take.
    _apart: ClassVar[tuple[str, ...]] = ()
    #: What the function takes.
    _options: ClassVar[tuple[str, ...]]
    #: Which options the printed form shows, if not all that the function takes.
    _shown: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls, function: Callable[..., Tensor] | EllipsisType | None = None) -> None:
        super().__init_subclass__()
        if function is None:
            return
        own = {name: kind for name, kind in cls.__annotations__.items() if not name.startswith("_")}
        cls._arguments += tuple(
            Parameter(name, _EITHER_WAY, default=getattr(cls, name, Parameter.empty), annotation=kind)
            for name, kind in own.items()
        )
        for name in set(own) & set(vars(cls)):
            # An attribute of the class would be found before a buffer of that name.
            delattr(cls, name)
        if not isinstance(function, EllipsisType):
            cls._function = staticmethod(function)
            cls._options = tuple([field.name for field in cls._arguments if field.name not in cls._apart])
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]

    def _check(self) -> None:
        """Raise an error if the options, which are set, do not go together, or complete them."""

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input)

    def _compute(self, *inputs: Tensor, **more: object) -> Tensor:
        options = {name: getattr(self, name) for name in self._options}
        return type(self)._function(*inputs, **options, **more)

    def extra_repr(self) -> str:
        if self._shown is not None:
            return ", ".join([f"{name}={getattr(self, name)}" for name in self._shown])
        names = [name for name in self._options if name != "inplace" or getattr(self, name)]
        return ", ".join([f"{name}={getattr(self, name)!r}" for name in names])


def _constructor(cls: type[FunctionLayer]) -> Callable[..., None]:
    """The `__init__` that sets the options of a layer to what it is given, or to their defaults."""
    signature = Signature(cls._arguments)

    def __init__(self: FunctionLayer, *args: object, **kwargs: object) -> None:  # noqa: N807
        try:
            given = signature.bind(*args, **kwargs)
            for field in cls._arguments:
                value = given.arguments.get(field.name)
                may_be = field.name in cls._apart or "Tensor" in field.annotation
                if isinstance(value, Tensor) and value.ndim and not may_be:
                    raise TypeError(f"argument '{field.name}' must be {field.annotation}, not Tensor")
        except TypeError as error:
            remedy = f": a layer is made first, and then called with tensors, nn.{cls.__name__}()(x)"
            told = remedy if any([isinstance(value, Tensor) for value in args]) else ""
            raise TypeError(f"{cls.__name__}.__init__() {error}{told}") from None
        given.apply_defaults()
        Module.__init__(self)
        self.__dict__.update(given.arguments)
        self._check()

    parameters = [Parameter("self", _EITHER_WAY), *cls._arguments]
    __init__.__signature__ = Signature(parameters, return_annotation="None")  # type: ignore[attr-defined]
    return __init__
