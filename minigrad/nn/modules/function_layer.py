"""Layers that are a function with options: declared by the function and the options."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from types import EllipsisType
from typing import ClassVar, dataclass_transform

from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor


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

    def __init_subclass__(cls, function: Callable[..., Tensor] | EllipsisType | None = None) -> None:
        super().__init_subclass__()
        if function is None:
            return
        own = {name: kind for name, kind in cls.__annotations__.items() if not name.startswith("_")}
        cls._arguments += tuple(
            Parameter(
                name, Parameter.POSITIONAL_OR_KEYWORD, default=getattr(cls, name, Parameter.empty), annotation=kind
            )
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
        options = [(name, getattr(self, name)) for name in self._options]
        return ", ".join([f"{name}={value!r}" for name, value in options if name != "inplace" or value])


def _constructor(cls: type[FunctionLayer]) -> Callable[..., None]:
    """The `__init__` that sets the options of a layer to what it is given, or to their defaults."""
    fields = {field.name: field for field in cls._arguments}

    def __init__(self: FunctionLayer, *args: object, **kwargs: object) -> None:  # noqa: N807
        given = dict(zip(fields, args, strict=False)) | kwargs
        _check_arguments(cls, fields, args, kwargs)
        Module.__init__(self)
        self.__dict__.update({name: given.get(name, field.default) for name, field in fields.items()})
        self._check()

    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *cls._arguments]
    __init__.__signature__ = Signature(parameters, return_annotation="None")  # type: ignore[attr-defined]
    return __init__


def _check_arguments(
    cls: type[FunctionLayer], fields: dict[str, Parameter], args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """A TypeError if a layer cannot be made of these arguments, in Python's words."""
    required = [name for name, field in fields.items() if field.default is field.empty]
    missing = [name for name in required[len(args) :] if name not in kwargs]
    problem = f"missing 1 required positional argument: '{missing[0]}'" if missing else ""
    if len(args) > len(fields):
        most = f"from 1 to {len(fields) + 1} positional arguments" if fields else "1 positional argument"
        problem = f"takes {most} but {len(args) + 1} were given"
    for name in kwargs:
        if name not in fields:
            problem = f"got an unexpected keyword argument '{name}'"
        elif name in [*fields][: len(args)]:
            problem = f"got multiple values for argument '{name}'"
    for field, value in zip(fields.values(), args, strict=False):
        if (
            isinstance(value, Tensor)
            and value.ndim
            and field.name not in cls._apart
            and "Tensor" not in field.annotation
        ):
            problem = f"argument '{field.name}' must be {field.annotation}, not Tensor"
    if problem:
        if any([isinstance(value, Tensor) for value in args]):
            problem += f": a layer is made first, and then called with tensors, nn.{cls.__name__}()(x)"
        raise TypeError(f"{cls.__name__}.__init__() {problem}")
