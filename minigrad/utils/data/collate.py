"""How the examples of a batch become tensors with one more dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.core import dtypes
from minigrad.ops.joining import stack
from minigrad.tensor import Tensor
from minigrad.tensors.creation import as_tensor, tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """The examples of a batch as one: tensors stacked along a new first dimension, within whatever holds them.

    Arrays and numbers become tensors (Python's floats of dtype float64), strings stay a list.  Of dicts, lists and
    named tuples one is made that holds the collated parts, of tuples a list.  Errors: TypeError for other examples,
    RuntimeError for sequences or tensors of different sizes.

    >>> default_collate([(1.5, {"label": 3}), (2.5, {"label": 4})])
    [tensor([1.5000, 2.5000], dtype=torch.float64), {'label': tensor([3, 4])}]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(batch)
    if isinstance(first, np.ndarray) and not _holds_objects(first):
        return _stacked([as_tensor(each) for each in batch])
    if isinstance(first, np.bool_ | np.number):
        return as_tensor(batch)
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _like(first, {key: default_collate([each[key] for each in batch]) for key in first})
    if _is_named_tuple(first):
        return type(first)(*[default_collate(part) for part in zip(*batch, strict=False)])
    if isinstance(first, Sequence):
        if any([len(each) != len(first) for each in batch]):
            raise RuntimeError(
                "each element in list of batch should be of equal size: these have sizes "
                f"{sorted({len(each) for each in batch})}; give the DataLoader a collate_fn that pads them"
            )
        return _like(first, [default_collate(part) for part in zip(*batch, strict=True)])
    found = first.dtype if isinstance(first, np.ndarray) else type(first)
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {found}"
    )


def default_convert(data: Any) -> Any:
    """One example with its arrays and NumPy's scalars as tensors, all else as it is: what `batch_size=None` yields.

    >>> import numpy as np
    >>> default_convert({"x": np.ones(2), "name": "a"})
    {'x': tensor([1., 1.], dtype=torch.float64), 'name': 'a'}
    """
    if isinstance(data, Tensor | np.str_) or (isinstance(data, np.ndarray) and _holds_objects(data)):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(data[key]) for key in data})
    if _is_named_tuple(data):
        return type(data)(*[default_convert(each) for each in data])
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _like(data, [default_convert(each) for each in data])
    return data


def _stacked(batch: Sequence[Any]) -> Tensor:
    try:
        return stack(batch)
    except RuntimeError as error:
        raise RuntimeError(
            f"{error}: give the DataLoader a collate_fn that pads them, as nn.utils.rnn.pad_sequence does"
        ) from None


def _holds_objects(array: Any) -> bool:
    return array.dtype.kind in "OSU"


def _is_named_tuple(example: object) -> bool:
    return isinstance(example, tuple) and hasattr(example, "_fields")


def _like(model: Any, parts: Any) -> Any:
    """A collection of the model's type with these parts, a dict or a list; they themselves, if it cannot be made so.

    A list takes the place of a tuple.
    """
    if isinstance(model, tuple):
        return parts
    try:
        return type(model)(parts)
    except TypeError:
        return parts
