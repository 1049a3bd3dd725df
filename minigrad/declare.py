"""How an operation is declared: once, as a function with a decorator; and a constructor, by its options.

    @unary(np.log, lambda g, x: g / x, base=Floating)
    def log(input: Tensor) -> Tensor:
        '''The natural logarithm of each element.'''

From the function follow `torch.log`, the method `x.log()`, the form in place `x.log_()`, and their signature and
docstring; from the formula the node, its name `LogBackward0`, what it keeps, and what `explain` shows.

**The parameter names of a gradient decide what is kept for it**: `x` the input, `y` the output, and nothing else, as
in a class of nodes (see `minigrad.core.tape`).  Each gradient is made of tensor operations, so it has gradients itself.

Arguments are not checked beforehand.  When a call fails, they are compared with the annotations of the function, and
the error names the first that does not fit, in PyTorch's words: see `minigrad.tensors.failures`.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from inspect import Parameter as Option
from typing import Any, SupportsIndex, TypeAlias, TypeVar, dataclass_transform

import numpy as np

from minigrad import tensors
from minigrad.core.arrays import WIDE_FLOATS
from minigrad.core.dtypes import Array
from minigrad.core.modes import current
from minigrad.core.tape import Unary, quiet
from minigrad.core.tensor import Function, Tensor
from minigrad.tensors.errors import PACKAGE

Declared = TypeVar("Declared", bound=Callable[..., Any])
T = TypeVar("T", bound=type[Any])

OPERANDS = (Tensor, int, float, np.generic)
#: What a `dim` argument may be where several dimensions make sense.
Dims: TypeAlias = Sequence[SupportsIndex] | SupportsIndex | None

#: Makes another variant of a function, such as the method that writes in place.
Variant: TypeAlias = Callable[[Function], Function]

#: The declared functions by the namespace they belong to and their names there.
declared: dict[str, dict[str, Function]] = {"torch": {}, "Tensor": {}, "nn.functional": {}, "linalg": {}}

EVERYWHERE = ("torch", "Tensor")

#: The names by which PyTorch's errors call functions, where they are not those of the functions.
KERNELS: dict[Function, str] = {}

# What a call with a wrong argument may raise; NotImplementedError also comes of a sparse tensor, which has no array.
_FAILURES = (TypeError, AttributeError, NotImplementedError, ValueError, OverflowError, MemoryError)


def as_number(given: object) -> float:
    """`given`, a number or a 0-d tensor that requires no gradient, as a Python number; else a TypeError."""
    if type(given) is float or type(given) is int:
        return given  # Most often.
    if isinstance(given, (Tensor, np.generic)) and not getattr(given, "requires_grad", False) and not given.ndim:
        return given.item()
    if not isinstance(given, (int, float)):
        raise TypeError(f"expected a number or a 0-d tensor that requires no gradient, got {type(given).__name__}")
    return given


def rewritten(method: Function, ufunc: Callable[..., Array] | None = None) -> Function:
    """The method `x.f_(…)`, which writes what `x.f(…)` computes into `x` itself, and records the write.

    `ufunc` does the same on arrays, if there is one.
    """

    def call(self: Any, *args: object, **kwargs: object) -> Any:
        free = ufunc is not None and not (current.enabled and self._requires_grad)
        if free and len(args) == 1 and not kwargs and self._computed_in_place(ufunc, args[0]):
            return self
        try:
            return self._rewrite(method, *args, **kwargs)
        except TypeError as error:
            # The error of a wrong argument is to name the variant that was called.
            if not str(error).startswith(f"{method.__name__}()"):
                raise
            raise tensors.failures.final(TypeError(str(error).replace("()", "_()", 1))) from None

    return call


# ---- the decorators --------------------------------------------------------------------------------------------------


def op(
    *on: str,
    in_place: Variant | None = None,
    aliases: Sequence[str] = (),
    spread: bool = False,
    operator: str | None = None,
    name: str | None = None,
    kernel: str | None = None,
) -> Callable[[Declared], Declared]:
    """The decorator of a function that computes an operation.

    `on`
        where it appears: "torch", "Tensor", "nn.functional", "linalg"; the first two if left out.
    `in_place`
        makes the method with an underscore, `rewritten` does; None if there is no such method.
    `aliases`
        its other names.
    `spread`
        whether the method also takes the ints of its argument, a sequence, one by one: `x.permute(0, 1)`.
    `operator`
        the operator that it is as well, such as "lt"; the function returns NotImplemented for what it cannot take.
    `name`
        its public name, if not that of the function.
    `kernel`
        its name in PyTorch's errors, if that is another.
    """

    def declare(function: Declared) -> Declared:
        function.__name__ = name or function.__name__
        if kernel is not None:
            KERNELS[function] = kernel
        if operator is not None:
            _enter_operator(function, operator, in_place)
        # Functions of `nn.functional` alone have many flags, and for some of them PyTorch takes any object.
        flags = () if on == ("nn.functional",) else _flags(function)
        return _published(function, with_pytorch_errors(function, flags, spread), on or EVERYWHERE, in_place, aliases)

    return declare


def unary(
    forward: Callable[..., Array],
    gradient: Function,
    base: type[Unary] = Unary,
    *on: str,
    name: str | None = None,
    formula: str | None = None,
    **options: Any,
) -> Callable[[Declared], Declared]:
    """The decorator of a function of one tensor and nothing else, by its values on arrays and its gradient.

    `gradient` computes dx of the upstream gradient `g`, and of `x` or `y` if it reads them; `explain` shows what it
    does, or `formula`.  `base` is the kind of node, and `name` its name, if that is not the function's; the other
    options are those of `of_node`.
    """

    def declare(function: Declared) -> Declared:
        node_name = name or function.__name__.capitalize()
        made = functools.partial(node_of, node_name, base, forward, gradient, formula, function.__doc__)
        return of_node(made, *on, **options)(function)

    return declare


def of_node(
    made: Callable[[], Any], *on: str, in_place: Variant | None = rewritten, aliases: Sequence[str] = ()
) -> Callable[[Declared], Declared]:
    """The decorator of a function of one tensor that calls a node and does nothing else.

    `made` is the class of the node, or a function that makes the class at the first call: a program calls few of the
    functions.  The options are those of `op`, but `in_place` is `rewritten` unless told otherwise.
    """
    kind = made if isinstance(made, type) else None

    def declare(function: Declared) -> Declared:
        def called(method: bool) -> Function:
            # Methods do not take `out`, not even None.
            def call(input: object, *, out: Any = ...) -> Any:
                nonlocal kind
                kind = kind or made()
                if out is not ...:
                    return tensors.failures.given_out(call, out, call(input))
                try:
                    # A method by its name is called faster than the node itself would be by `__call__`.
                    return kind().of(input)
                except _FAILURES as error:
                    return tensors.failures.rescued(call, (input,), {}, error)

            return call

        def changing(method: Function) -> Function:
            anyhow = rewritten(method)

            def call(self: Any, *args: object, **kwargs: object) -> Any:
                nonlocal kind
                if args or kwargs or self.is_sparse or self._array.dtype not in WIDE_FLOATS:
                    return anyhow(self, *args, **kwargs)
                # No conversion is needed: one node records the write, and a ufunc needs no second array.
                kind = kind or made()
                node = kind()
                forward = node.forward
                if isinstance(forward, np.ufunc):
                    return self._refill(lambda array: quiet().run(forward, array, array), node)
                return self._refill(lambda array: array.__setitem__(..., quiet().run(forward, array)), node)

            return call

        return _published(function, called, on or EVERYWHERE, changing if in_place is rewritten else in_place, aliases)

    return declare


def node_of(
    name: str,
    base: type[Unary],
    forward: Callable[..., Array],
    gradient: Function,
    formula: str | None = None,
    told: str | None = None,
) -> type[Unary]:
    """The class of nodes of an operation on one array; the parameter names of the gradient say what is kept.

    >>> square = node_of("Square", Unary, np.square, lambda g, x: 2 * g * x)
    >>> from minigrad import tensor
    >>> square().of(tensor(3.0, requires_grad=True))
    tensor(9., grad_fn=<SquareBackward0>)
    """
    members: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": told,
        "forward": forward,
        "dx": staticmethod(gradient),
        "formulas": () if formula is None else (f"dx = {formula}",),
    }
    return type(name, (base,), members)


# ---- where a declared function appears -------------------------------------------------------------------------------


def _published(
    function: Any,
    called: Callable[[bool], Function],
    on: Sequence[str],
    in_place: Variant | None,
    aliases: Sequence[str],
) -> Any:
    """Enter `function` under its names wherever it appears; returned is the function that users call.

    `called` makes that function, or with True the method.
    """
    name = function.__name__
    names = (name, *aliases)
    alone = _presented(called(False), function, name)
    if "nn.functional" in on:
        # `pickle` finds it there; in its own file it may have another name.
        alone.__module__ = "minigrad.nn.functional"
    for place in on:
        variant = alone
        if place == "Tensor":
            variant = _presented(called(True), function, f"Tensor.{name}")
            if in_place is not None:
                changing = _presented(in_place(variant), function, f"Tensor.{name}_")
                changing.__doc__ = f"This tensor, changed to what `{name}` returns: {function.__doc__}"
                _enter(changing, place, [f"{each}_" for each in names])
        _enter(variant, place, names)
    return alone


def _enter(variant: Any, place: str, names: Sequence[str]) -> None:
    """Enter `variant` at this place under these names."""
    for name in names:
        declared[place][name] = variant
        # A method that a program has replaced before this file is imported stays as the program has it.
        if place == "Tensor" and getattr(vars(Tensor).get(name), "__module__", "minigrad.").startswith("minigrad."):
            setattr(Tensor, name, variant)


def _enter_operator(function: Any, operator: str, in_place: Variant | None) -> None:
    """Enter `function` as that operator; if it has a form in place, as the reflected and augmented ones, too."""
    variants = {f"__{operator}__": function}
    if in_place is not None:
        variants[f"__r{operator}__"] = lambda self, other: function(other, self)
        variants[f"__i{operator}__"] = in_place(function)
    for name, variant in variants.items():
        _enter(variant if variant is function else _presented(variant, function, f"Tensor.{name}"), "Tensor", [name])


def _presented(call: Any, function: Any, qualified: str) -> Any:
    """`call` with what `help` shows of `function`, under the name it has where it appears."""
    call.__name__, call.__qualname__ = qualified.rpartition(".")[2], qualified
    call.__module__, call.__doc__, call.__wrapped__ = function.__module__, function.__doc__, function
    call.__annotations__ = function.__annotations__
    return call


def _flags(function: Any) -> tuple[tuple[int, str], ...]:
    """The positions and names of the parameters whose annotation is `bool`."""
    if "bool" not in function.__annotations__.values():
        return ()
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return tuple([(place, name) for place, name in enumerate(names) if function.__annotations__.get(name) == "bool"])


def with_pytorch_errors(
    function: Function, flags: tuple[tuple[int, str], ...] = (), spread: bool = False
) -> Callable[[bool], Function]:
    """A function that makes the caller of `function`, a method if told True, which raises errors in PyTorch's words.

    The arguments `flags` are checked, since a wrong one would be taken for True.  With `spread`, the method also takes
    the ints of its argument one by one.
    """

    def called(method: bool) -> Function:
        spreads = spread and method

        def call(*args: object, **kwargs: object) -> Any:
            try:
                if spreads and (len(args) > 2 or (len(args) == 2 and hasattr(args[1], "__index__"))):
                    args = (args[0], args[1:])
                if not kwargs and (not flags or len(args) <= flags[0][0]):
                    # Most calls, in two thirds of the time.
                    result = function(*args)
                else:
                    for place, name in flags:
                        if type(args[place] if place < len(args) else kwargs.get(name, False)) is not bool:
                            raise TypeError  # `rescued` finds out which one.
                    result = function(*args, **kwargs)
            except _FAILURES as error:
                return tensors.failures.rescued(call, args, kwargs, error)
            if result is NotImplemented:
                tensors.failures.check_arguments(call, args, kwargs)
            return result

        return call

    return called


# ---- constructors: those of layers, optimisers and schedulers --------------------------------------------------------


@dataclass_transform(eq_default=False)
def with_options(cls: T) -> T:
    """The decorator of a class that makes its constructor of the options it annotates, as a dataclass does.

    Those below `_: KW_ONLY` are given by name, and an `InitVar[type]` or a `Bias` does not become an attribute.  Those
    of base classes come first, but device, dtype and last_epoch last.  One that is annotated again counts as the
    class's own, and one annotated as a `ClassVar` is taken away.  The constructor calls `_begin(arguments by name)`.
    """
    options: dict[str, Option] = {**getattr(cls, "_options", {})}
    place: Any = Option.POSITIONAL_OR_KEYWORD
    for name, given in cls.__annotations__.items():
        # Without `from __future__ import annotations` it is the type itself.
        kind = given if isinstance(given, str) else getattr(given, "__name__", str(given)).removeprefix("dataclasses.")
        if "KW_ONLY" in kind:
            place = Option.KEYWORD_ONLY
        options.pop(name, None)
        if name != "_" and not kind.startswith("ClassVar"):
            options[name] = Option(name, place, default=vars(cls).get(name, Option.empty), annotation=kind)
            if name in vars(cls):
                # As an attribute of the class it would be found before a parameter or buffer of that name.
                delattr(cls, name)
    last = [options.pop(name) for name in ("device", "dtype", "last_epoch") if name in options]
    named = [each for each in options.values() if each.kind is Option.KEYWORD_ONLY]
    placed = [each for each in options.values() if each not in named] + last
    cls._options = {each.name: each for each in placed + named}
    # Raises a ValueError if an option without a default stands behind one that has a default.
    inspect.Signature(placed + named)
    listed = ", ".join(["self", *[each.name for each in placed], *["*"][: len(named)], *[each.name for each in named]])
    # The constructor is source text, as with dataclasses: so Python itself checks the arguments that are given.  By its
    # file name it is code of this package, so that warnings name the line that calls it.
    code = compile(f"lambda {listed}: self._begin(locals())", f"{PACKAGE}<{cls.__name__}>", "eval")
    made: Any = eval(code, vars(sys.modules[cls.__module__]))
    made.__name__, made.__qualname__, made.__module__ = "__init__", f"{cls.__qualname__}.__init__", cls.__module__
    made.__defaults__ = tuple([each.default for each in placed if each.default is not Option.empty])
    made.__kwdefaults__ = {each.name: each.default for each in named if each.default is not Option.empty}
    told = {name: re.sub(r"^InitVar\[(.*)\]$", r"\1", each.annotation) for name, each in cls._options.items()}
    made.__annotations__ = told | {"return": "None"}
    cls.__init__ = made
    return cls
