"""The formulas of an operation, as its class states them: what the reader of the source finds is what is shown.

A gradient is shown by calling it, unless the class says `formulas`: a symbol stands for a tensor, and writes down what
is done to it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import string
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from minigrad.autograd.function import FunctionNode
from minigrad.core.dtypes import Array
from minigrad.core.tape import GRADIENTS, Node, keep_output
from minigrad.core.tensor import Tensor

_OF_ALL_NODES = {*vars(Node), *Node.__annotations__}


class Formulas(NamedTuple):
    """What an operation states."""

    #: What it computes: the first sentence of its docstring.
    computes: str
    #: For each input the formula of its gradient, "" where there is none.
    gradients: tuple[str, ...]


def formulas(node: Node) -> Formulas:
    """What the class of the operation states: in its docstring, and in `formulas` or else in the gradients themselves.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> formulas((x / x).grad_fn).gradients
    ('da = g / b', 'db = -g * (a / b / b)')
    """
    kind: type = node.function if isinstance(node, FunctionNode) else type(node)
    computes, gradients = _stated(kind)
    count = len(node.edges)
    return Formulas(computes, (*gradients, *[*gradients[-1:], ""][:1] * count)[:count])


def short_formula(node: Node) -> str:
    """What a declared operation is, `exp(x)`; of another the formula that its docstring opens with, if any."""
    kind = type(node)
    if kind.shown_gradient is not None:
        return f"{kind.__name__.lower()}({', '.join(_input_names(node))})"
    # It has to be true without the words behind it, and more than a name.
    opening = re.match(r"`([^`]*\W[^`]*)`(?=$|:| along | over | for matrices )", formulas(node).computes)
    return "" if opening is None else opening[1]


def read_by(node: Node, position: int) -> dict[str, Array]:
    """What the formula of the gradient at `position` reads of the forward pass, by the names that it has there.

    >>> import minigrad as torch
    >>> a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    >>> read_by((a * b).grad_fn, 0)
    {'b': array([3., 4.], dtype=float32)}
    """
    kept = _kept(node)
    found: dict[str, Array] = {}
    words = re.findall(r"\b[A-Za-z_]\w*\b", formulas(node).gradients[position].partition(" = ")[2])
    for word in words:
        # A matrix may be told by a capital.  What is not kept is a parameter of the node.
        value = kept.get(word.lower(), None if word in _OF_ALL_NODES else getattr(node, word, None))
        if word[1:] and word[0] in words and kept.get(word[0]) is value:
            continue  # `target`, which the formula calls `t`.
        if isinstance(value, Tensor) and not value.is_sparse:
            found[word] = value._array
        elif isinstance(value, (int, float)):
            found[word] = np.asarray(value)
    return found


def _input_names(node: Node) -> list[str]:
    """What formulas call the tensors that an operation takes: as `forward` does, else `x` or, in turn, `a`, `b`, …."""
    forward = type(node).forward
    code = getattr(getattr(forward, "__wrapped__", forward), "__code__", None)
    names = [] if code is None else list(code.co_varnames[1 : code.co_argcount])
    count = len(node.edges)
    if len(names) >= count:
        return names[:count]
    return ["x"] if count == 1 else [*string.ascii_lowercase][:count]


def _kept(node: Node) -> dict[str, Any]:
    """What a node keeps, by the names that formulas have for it: those of inputs may be their first letters."""
    kind = type(node)
    entries = [entry[0] if isinstance(entry, tuple) else entry for entry in getattr(node, "_kept", None) or ()]
    kept = dict(zip([] if kind.keep in (None, keep_output) else _input_names(node), entries, strict=False))
    kept |= {name[:1]: kept[name] for name in reversed(kept)}
    return kept | ({"y": entries[-1]} if entries and any([-1 in read for read in kind.reads]) else {})


@functools.cache
def _stated(kind: object) -> Formulas:
    """What a class states of all its inputs."""
    paragraph = " ".join(re.split(r"\n\s*\n", inspect.cleandoc(kind.__doc__ or ""))[0].split())
    computes = re.split(r"\.\s+(?=[A-Z`(])", paragraph)[0].rstrip(".,; ")
    stated = getattr(kind, "formulas", ())
    if not stated and isinstance(kind, type) and issubclass(kind, Node):
        shown = {name: getattr(kind, name) for name in GRADIENTS if hasattr(kind, name)}
        shown |= {"dx": kind.shown_gradient} if kind.shown_gradient else {}
        stated = tuple([f"{name} = {formula(gradient)}" for name, gradient in shown.items()])
    return Formulas(computes, stated)


_Method: TypeAlias = "Callable[[Symbol, Any], Symbol]"


def formula(function: Callable[..., Any]) -> str:
    """What a function of tensors computes, in the names of its parameters.

    >>> formula(lambda g, x: g * (1 - x * x).rsqrt())
    'g * rsqrt(1 - x * x)'
    >>> formula(lambda g, a, b: -g * a / (b * b))
    '-g * a / (b * b)'
    """
    code = function.__code__
    return str(function(*[Symbol(name) for name in code.co_varnames[: code.co_argcount]])).replace("self.", "")


def _binary(operator: ast.operator) -> tuple[_Method, _Method]:
    """The methods for the operator with the symbol at its left, and at its right."""

    def left(self: Symbol, other: Any) -> Symbol:
        return Symbol(ast.BinOp(self._tree, operator, _tree(other)))

    def right(self: Symbol, other: Any) -> Symbol:
        return Symbol(ast.BinOp(_tree(other), operator, self._tree))

    return left, right


def _unary(operator: ast.unaryop) -> Callable[[Symbol], Symbol]:
    return lambda self: Symbol(ast.UnaryOp(operator, self._tree))


def _comparison(operator: ast.cmpop) -> Any:
    return lambda self, other: Symbol(ast.Compare(self._tree, [operator], [_tree(other)]))


class Symbol:
    """A name, or what was done to names: operators, `x[0]`, attributes, and methods, which are written as functions.

    `str(symbol)` has the parentheses that Python needs, and no others.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> (x + y) * y.sum(0, keepdim=True) @ x.mT
    (x + y) * sum(y, 0, keepdim=True) @ x.mT
    """

    __slots__ = ("_tree",)

    def __init__(self, tree: ast.expr | str) -> None:
        self._tree = ast.Name(tree) if isinstance(tree, str) else tree

    def __repr__(self) -> str:
        return ast.unparse(self._tree)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a formula, neither true nor false: a function that asks needs a formula in words")

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("_"):
            raise AttributeError(f"a formula has no attribute {name!r}")
        return Symbol(ast.Attribute(self._tree, name))

    def __call__(self, *arguments: Any, **options: Any) -> Symbol:
        method = self._tree
        named = [ast.keyword(name, _tree(value)) for name, value in options.items()]
        given = [_tree(each) for each in arguments]
        if isinstance(method, ast.Attribute):
            return Symbol(ast.Call(ast.Name(method.attr), [method.value, *given], named))
        return Symbol(ast.Call(method, given, named))

    def __getitem__(self, index: Any) -> Symbol:
        return Symbol(ast.Subscript(self._tree, _tree(index)))

    __iter__ = None

    __add__, __radd__ = _binary(ast.Add())
    __sub__, __rsub__ = _binary(ast.Sub())
    __mul__, __rmul__ = _binary(ast.Mult())
    __truediv__, __rtruediv__ = _binary(ast.Div())
    __matmul__, __rmatmul__ = _binary(ast.MatMult())
    __pow__, __rpow__ = _binary(ast.Pow())
    __and__, __rand__ = _binary(ast.BitAnd())
    __or__, __ror__ = _binary(ast.BitOr())
    __neg__, __invert__ = _unary(ast.USub()), _unary(ast.Invert())
    __lt__, __le__ = _comparison(ast.Lt()), _comparison(ast.LtE())
    __gt__, __ge__ = _comparison(ast.Gt()), _comparison(ast.GtE())
    __eq__, __ne__ = _comparison(ast.Eq()), _comparison(ast.NotEq())


def _tree(value: Any) -> ast.expr:
    """A symbol's tree, or that of a value as Python would read it."""
    if isinstance(value, Symbol):
        return value._tree
    if isinstance(value, (tuple, list)):
        return ast.Tuple([_tree(each) for each in value])
    return ast.parse(repr(value), mode="eval").body
