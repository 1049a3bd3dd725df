"""Formulas of functions, had by calling them: a symbol stands for a tensor, and writes down what is done to it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

_Method: TypeAlias = "Callable[[Symbol, Any], Symbol]"


def formula(function: Callable[..., Any]) -> str:
    """What a function of tensors computes, in the names of its parameters.

    >>> formula(lambda g, x: g * (1 - x * x).rsqrt())
    'g * rsqrt(1 - x * x)'
    >>> formula(lambda g, a, b: -g * a / (b * b))
    '-g * a / (b * b)'
    """
    code = function.__code__
    return str(function(*[Symbol(name) for name in code.co_varnames[: code.co_argcount]]))


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
