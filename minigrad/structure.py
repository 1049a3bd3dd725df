"""A nested object as a text and arrays, and back: what `save` writes and `load` reads, in whichever file.

The text is JSON.  None, bools, integers, strings and finite floats stand for themselves; anything else is an object
whose first key says what it is: `{"tuple": [1, 2]}`, `{"dict": [["epoch", 3]]}`, `{"tensor": "model.weight"}`.  Nothing
in it names code: what can come out is what is listed here.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.devices import device
from minigrad.dtypes import Array
from minigrad.nn.parameter import Parameter
from minigrad.size import Size
from minigrad.tensor import Tensor, new_leaf

_VERSION = 1
_DEEPEST = 100
_PLAIN = (type(None), bool, int, str)
_SEQUENCES: dict[str, type] = {each.__name__: each for each in (list, tuple, set, frozenset, Size)}
_MAPPINGS: dict[str, type] = {each.__name__: each for each in (dict, OrderedDict, Counter)}
_DTYPES = {each._name: each for each in dtypes._ALL}
_FLOATS = {repr(each): each for each in (math.inf, -math.inf, math.nan)}


def packed(value: Any, name_of: Callable[[str], str]) -> tuple[str, dict[str, Array]]:
    """The text and the arrays of `value`; an array has the name `name_of(path)`, or one like it if that is taken.

    Tensors on the very same memory are one array.  Errors: TypeError for what cannot be stored, ValueError for what
    is nested too deep or in itself.

    >>> import minigrad as torch
    >>> text, arrays = packed({"w": torch.zeros(2), "step": 3}, str)
    >>> text
    '{"version":1,"object":{"dict":[["w",{"tensor":"w"}],["step",3]]}}'
    >>> arrays
    {'w': array([0., 0.], dtype=float32)}
    """
    packer = _Packer(name_of)
    text = json.dumps({"version": _VERSION, "object": packer.pack(value, ())}, separators=(",", ":"))
    return text, packer.arrays


class _Packer:
    def __init__(self, name_of: Callable[[str], str]) -> None:
        self.arrays: dict[str, Array] = {}
        self._name_of = name_of
        # The name of the array of each memory, and the tensors that lie on it.
        self._names: dict[Any, str] = {}
        self._tensors: dict[str, list[Tensor]] = {}

    def pack(self, value: Any, path: tuple[Any, ...]) -> Any:
        """What the text has for the value found at this path of keys."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if len(path) > _DEEPEST:
            raise ValueError(f"cannot save what is nested deeper than {_DEEPEST} levels, or contains itself")
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is Tensor or kind is Parameter:
            return self._tensor(value, path)
        if (
            (kind is np.ndarray or isinstance(value, np.generic))
            and value.dtype.kind in "biuf"
            and value.dtype.itemsize <= 8
        ):
            return {"array" if isinstance(value, np.ndarray) else "scalar": self._add(np.asarray(value), path)}
        if kind is dtypes.dtype:
            return {"dtype": value._name}
        if kind is device:
            return {"device": str(value)}
        if _SEQUENCES.get(kind.__name__) is kind:
            return {kind.__name__: [self.pack(each, (*path, position)) for position, each in enumerate(value)]}
        if _MAPPINGS.get(kind.__name__) is kind:
            pairs = [[self.pack(key, (*path, "key")), self.pack(each, (*path, key))] for key, each in value.items()]
            return {kind.__name__: pairs}
        raise TypeError(_refusal(value, path))

    def _tensor(self, x: Tensor, path: tuple[Any, ...]) -> dict[str, Any]:
        array = x._array
        memory = array.__array_interface__["data"][0] if array.size else id(x)
        key = memory, array.dtype, array.shape, array.strides
        if key not in self._names:
            self._names[key] = self._add(array, path)
        name = self._names[key]
        tensors = self._tensors.setdefault(name, [])
        found = [position for position, each in enumerate(tensors) if each is x]
        if not found:
            tensors.append(x)
        facts = {
            "alias": found[0] if found else len(tensors) - 1,
            "requires_grad": x._requires_grad,
            "parameter": isinstance(x, Parameter),
        }
        return {"tensor": name} | {fact: value for fact, value in facts.items() if value}

    def _add(self, array: Array, path: tuple[Any, ...]) -> str:
        wanted = self._name_of(".".join([str(key) for key in path]) if path else "tensor")
        name, count = wanted, 1
        while name in self.arrays:
            count += 1
            name = f"{wanted}_{count}"
        # Files hold little-endian numbers, which are those of all machines that NumPy supports but one.
        self.arrays[name] = array.astype(array.dtype.newbyteorder("<"), copy=False)
        return name


def _refusal(value: Any, path: tuple[Any, ...]) -> str:
    where = f" at {''.join([f'[{key!r}]' for key in path])}" if path else ""
    remedy = "save what it is made of, such as dict(x), vars(x) or str(x)"
    if hasattr(value, "state_dict"):
        remedy = "save its state_dict(): torch.save(model.state_dict(), f), and model.load_state_dict(torch.load(f))"
    elif isinstance(value, Tensor):
        remedy = "save a plain tensor: x.detach(), or x.to_dense() of a sparse one"
    return (
        f"cannot save an object of type {type(value).__name__}{where}: a file holds tensors, arrays, numbers, strings, "
        f"None, and dicts, lists, tuples and sets of them, and never code; {remedy}"
    )


def unpacked(text: str | bytes, arrays: Mapping[str, Array]) -> Any:
    """The object that `packed` made this text and these arrays of; its tensors lie on the arrays themselves.

    Errors: ValueError, TypeError, KeyError or RecursionError for a text that it cannot have made.
    """
    whole = json.loads(text)
    if not isinstance(whole, dict) or whole.keys() != {"version", "object"} or whole["version"] != _VERSION:
        raise ValueError(f"expected a description of version {_VERSION}")
    return _Unpacker(arrays).unpack(whole["object"], 0)


class _Unpacker:
    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._tensors: dict[tuple[str, int], Tensor] = {}

    def unpack(self, node: Any, depth: int) -> Any:
        if isinstance(node, (*_PLAIN, float)):
            return node
        if depth > _DEEPEST or not isinstance(node, dict) or not node:
            raise ValueError("the description is nested too deep, or has what it cannot have")
        kind, content = next(iter(node.items()))
        if kind == "tensor":
            return self._tensor(node)
        if len(node) > 1:
            raise ValueError(f"the description has {sorted(node)} in one place")
        if kind in _SEQUENCES:
            values = self._all(content, depth)
            if kind == "Size" and not all([type(each) is int for each in values]):
                raise ValueError("expected integers in a Size")
            return _SEQUENCES[kind](values)
        if kind in _MAPPINGS:
            if not all([isinstance(pair, list) and len(pair) == 2 for pair in _checked_list(content)]):
                raise ValueError(f"expected the pairs of a {kind}")
            pairs = [self._all(pair, depth) for pair in content]
            return _MAPPINGS[kind](dict(pairs))
        if kind in ("array", "scalar"):
            array = self._arrays[content]
            return array if kind == "array" else array[()]
        leaf: dict[str, Callable[[Any], Any]] = {
            "float": _FLOATS.__getitem__,
            "dtype": _DTYPES.__getitem__,
            "device": device,
        }
        return leaf[kind](content)

    def _all(self, nodes: Any, depth: int) -> list[Any]:
        return [self.unpack(each, depth + 1) for each in _checked_list(nodes)]

    def _tensor(self, node: dict[str, Any]) -> Tensor:
        name, alias = node["tensor"], node.get("alias", 0)
        if (name, alias) not in self._tensors:
            first = self._tensors.get((name, 0))
            tensor = _leaf(self._arrays[name]) if first is None else first.detach()
            requires_grad = node.get("requires_grad", False) is True
            if node.get("parameter"):
                tensor = Parameter(tensor, requires_grad)
            self._tensors[name, alias] = tensor.requires_grad_(requires_grad)
        return self._tensors[name, alias]


def _checked_list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise ValueError(f"expected a list in the description, got {type(content).__name__}")
    return content


def tensors_of(arrays: Iterable[tuple[str, Array]]) -> dict[str, Tensor]:
    """A state dict of these arrays, of a file that holds nothing else."""
    return {name: _leaf(array) for name, array in arrays}


def _leaf(array: Array) -> Tensor:
    """A tensor of the array; a TypeError if it has a dtype that tensors do not have."""
    dtypes.of(array)
    return new_leaf(array)


def plain_name(path: str) -> str:
    """The path as a name that is a file name everywhere, and no way to another directory.

    >>> plain_name("model.0/weight"), plain_name("../x")
    ('model.0_weight', '.._x')
    """
    return re.sub(r"[^A-Za-z0-9_.-]", "_", path)[:200] or "_"
