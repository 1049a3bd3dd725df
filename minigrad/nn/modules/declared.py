"""Layers that are a function with options: declared by the function and the options."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import ClassVar, dataclass_transform

from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


@dataclass_transform(eq_default=False)
class DeclaredLayer(Module):
    """A layer that computes `function(*inputs, **options)`.

    A subclass names the function and annotates the options, as the fields of a dataclass: their names, types and
    defaults become those of the constructor.  The options are attributes, which can be changed later.

    >>> import minigrad as torch
    >>> class Power(DeclaredLayer, function=torch.pow):
    ...     exponent: float = 2.0
    >>> Power(), Power(3.0)(torch.tensor([1.0, 2.0]))
    (Power(exponent=2.0), tensor([1., 8.]))
    """

    __call__: Callable[..., Tensor]
    _function: ClassVar[Callable[..., Tensor]]
    _options: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, function: Callable[..., Tensor] | None = None) -> None:
        super().__init_subclass__()
        if function is not None:
            cls._function = staticmethod(function)
            cls._options = tuple(cls.__annotations__)
            if "__init__" not in cls.__dict__:
                cls.__init__ = _constructor(cls)  # type: ignore[method-assign]
            for name in cls._options:
                # An attribute of the class would be found before a buffer of that name.
                delattr(cls, name)

    def __post_init__(self) -> None:
        """What is left to do when the options are set; a subclass may define it."""

    def forward(self, input: Tensor) -> Tensor:
        return self._compute(input)

    def _compute(self, *inputs: Tensor, **more: object) -> Tensor:
        options = {name: getattr(self, name) for name in self._options}
        return type(self)._function(*inputs, **options, **more)

    def extra_repr(self) -> str:
        options = [(name, getattr(self, name)) for name in self._options]
        return ", ".join([f"{name}={value!r}" for name, value in options if name != "inplace" or value])


def _constructor(cls: type[DeclaredLayer]) -> Callable[..., None]:
    """The `__init__` that sets the options of a layer to what it is given, or to their defaults."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    options = [
        Parameter(name, kind, default=cls.__dict__[name], annotation=annotation)
        for name, annotation in cls.__annotations__.items()
    ]
    signature = Signature([Parameter("self", kind), *options], return_annotation="None")

    def __init__(self: DeclaredLayer, *args: object, **kwargs: object) -> None:  # noqa: N807
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        Module.__init__(self)
        self.__dict__.update(list(given.arguments.items())[1:])
        self.__post_init__()

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__
