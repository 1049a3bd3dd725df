"""The formulas of an operation, as its class states them: what the reader of the source finds is what is shown.

A gradient is shown by calling it, unless the class says `formulas`: a symbol stands for a tensor, and writes down what
is done to it.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.function import FunctionNode
from minigrad.core.dtypes import Array
from minigrad.core.tape import GRADIENTS, Node, input_names, keep_output
from minigrad.core.tensor import Tensor


def computes(node: Node) -> str:
    """What the operation computes: the first line of its docstring."""
    line = (_class_of(node).__doc__ or "").strip().partition("\n")[0]
    return " ".join(line.split()).rstrip(".")


def formula_of(node: Node) -> str:
    """What the operation computes, as a formula; "" if its docstring does not open with one, and a colon or nothing.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> formula_of((x / x).grad_fn), formula_of(x.sum().grad_fn)
    ('a / b', '')
    """
    opening = computes(node).partition(": ")[0]
    return opening[1:-1] if opening[:1] == opening[-1:] == "`" and opening.count("`") == 2 else ""


def rules(node: Node) -> list[str]:
    """For each input of the operation the formula of its gradient: of `formulas`, or of the gradients themselves.

    >>> import minigrad as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> rules((x / x).grad_fn)
    ['da = g / b', 'db = -g * (a / b / b)']
    """
    stated = _stated(_class_of(node))
    return [stated[min(place, len(stated) - 1)] if stated else "" for place in range(len(node.edges))]


def read_by(node: Node, rule: str) -> dict[str, Array]:
    """What a rule of the operation reads of the forward pass, by the names that it has there.

    >>> import minigrad as torch
    >>> a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    >>> read_by((a * b).grad_fn, "da = g * b")
    {'b': array([3., 4.], dtype=float32)}
    """
    kept = _kept(node)
    found: dict[str, Array] = {}
    for word in re.findall(r"\b[A-Za-z_]\w*\b", rule.partition(" = ")[2]):
        # A matrix may be told by a capital.  What is not kept is a parameter of the node.
        value = kept.get(word.lower(), None if hasattr(Node, word) else getattr(node, word, None))
        if isinstance(value, Tensor) and not value.is_sparse:
            found[word] = value._array
        elif isinstance(value, (int, float)):
            found[word] = np.asarray(value)
    return found


def _class_of(node: Node) -> Any:
    """The class that states what the node does: of a Function, the user's."""
    return node.function if isinstance(node, FunctionNode) else type(node)


@functools.cache
def _stated(kind: Any) -> tuple[str, ...]:
    """The formulas that a class states for the gradients of its inputs."""
    stated = getattr(kind, "formulas", ())
    stated = (stated,) if isinstance(stated, str) else stated
    shown = [name for name in GRADIENTS if hasattr(kind, name)] if issubclass(kind, Node) else []
    return stated or tuple([f"{name} = {formula(getattr(kind, name))}" for name in shown])


def _kept(node: Node) -> dict[str, Any]:
    """What a node keeps, by the names that formulas have for it: those of inputs may be their first letters."""
    kind = type(node)
    entries = [value for value, _ in getattr(node, "_kept", None) or ()]
    names = input_names(kind) or (("x",) if len(node.edges) == 1 else ("a", "b", "c"))
    kept = dict(zip([] if kind.keep in (None, keep_output) else names, entries, strict=False))
    kept |= {name[:1]: kept[name] for name in reversed(kept)}
    return kept | ({"y": entries[-1]} if entries and any([-1 in read for read in kind.reads.values()]) else {})


def formula(function: Callable[..., Any]) -> str:
    """What a function of tensors computes, in the names of its parameters.

    >>> formula(lambda g, x: g * (1 - x * x).rsqrt())
    'g * rsqrt(1 - x * x)'
    >>> formula(lambda g, a, b: -g * a / (b * b))
    '-g * a / (b * b)'
    """
    code = function.__code__
    return str(function(*[Symbol(name) for name in code.co_varnames[: code.co_argcount]])).replace("self.", "")


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


def _tree(value: Any) -> ast.expr:
    """A symbol's tree, or that of a value as Python would read it."""
    if isinstance(value, Symbol):
        return value._tree
    if isinstance(value, (tuple, list)):
        return ast.Tuple([_tree(each) for each in value])
    return ast.parse(repr(value), mode="eval").body


_OPERATORS: dict[str, Any] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "matmul": ast.MatMult, "pow": ast.Pow,
    "and": ast.BitAnd, "or": ast.BitOr,
}  # fmt: skip
_COMPARISONS: dict[str, Any] = {
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "eq": ast.Eq, "ne": ast.NotEq,
}  # fmt: skip


for _name, _kind in _OPERATORS.items():
    setattr(Symbol, f"__{_name}__", lambda a, b, kind=_kind: Symbol(ast.BinOp(_tree(a), kind(), _tree(b))))
    setattr(Symbol, f"__r{_name}__", lambda b, a, kind=_kind: Symbol(ast.BinOp(_tree(a), kind(), _tree(b))))
for _name, _kind in _COMPARISONS.items():
    setattr(Symbol, f"__{_name}__", lambda a, b, kind=_kind: Symbol(ast.Compare(a._tree, [kind()], [_tree(b)])))
for _name, _kind in {"neg": ast.USub, "invert": ast.Invert}.items():
    setattr(Symbol, f"__{_name}__", lambda a, kind=_kind: Symbol(ast.UnaryOp(kind(), a._tree)))
