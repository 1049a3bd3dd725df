"""Reading and writing `x[index]` is PyTorch's for drawn indices: values, sharing, gradients, types of errors."""

import operator
from typing import Any

import numpy as np
import pytest
from comparing import Raised, array_of, check_same, check_same_values, outcome, tensor_of
from hypothesis import assume, given, settings, strategies as st
from strategies import DTYPES, Array, arrays, cotangents, shapes

import minigrad

torch = pytest.importorskip("torch", reason="needs PyTorch")

MANY = settings(max_examples=4 * settings.default.max_examples)


@st.composite
def int_tensors(draw: st.DrawFn, size: int, wrong: bool) -> Array:
    """Positions in a dimension of `size`, also from its end; perhaps one that is not."""
    low, high = (-size - 1, size) if wrong else (-size, size - 1)
    shape = draw(shapes(max_dims=2, min_side=0, max_side=2)) if low <= high else (0,)
    elements = st.integers(low, high) if low <= high else st.just(0)
    return draw(arrays_of_ids(shape, elements))


def arrays_of_ids(shape: tuple[int, ...], elements: st.SearchStrategy[int]) -> st.SearchStrategy[Array]:
    count = int(np.prod(shape, dtype=int))
    names = st.sampled_from(["int64", "int64", "int32"])
    values = st.lists(elements, min_size=count, max_size=count)
    return st.builds(lambda name, found: np.array(found, name).reshape(shape), names, values)


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """An index of a tensor of `shape`, alone or a tuple of several; in one of ten something does not fit."""
    wrong = draw(st.integers(0, 9)) == 0
    items: list[Any] = []
    dim = 0
    broadcast: tuple[int, ...] | None = None
    while dim < len(shape) and draw(st.integers(0, 5)):
        size = shape[dim]
        kinds = ["int", "slice", "slice", "none", "tensor", "tensor", "list", "mask", "numpy", "range", "bool", "0-d"]
        kind = draw(st.sampled_from(kinds))
        if kind in ("none", "bool"):
            items.append(None if kind == "none" else draw(st.booleans()))
            continue
        if kind == "int" and (size or wrong):
            items.append(draw(st.integers(-size - wrong, size - 1 + wrong)))
        elif kind == "tensor":
            index = draw(int_tensors(size, wrong))
            if broadcast is not None and draw(st.integers(0, 7)) and size:
                index = draw(arrays_of_ids(broadcast, st.integers(-size, size - 1)))
            broadcast = index.shape
            items.append(index)
        elif kind == "list" and size:
            row = st.lists(st.integers(-size, size - 1 + wrong), min_size=1, max_size=3)
            items.append(draw(row | row.map(tuple) | row.map(lambda found: [found, found])))
        elif kind == "range":
            items.append(range(draw(st.integers(0, size + wrong))))
        elif kind in ("numpy", "0-d") and size:
            number = np.int64(draw(st.integers(-size, size - 1)))
            name = draw(st.sampled_from(["int64", "int32", "int16", "int8"]))
            items.append(number if kind == "numpy" else np.array(number, name))
        elif kind == "mask":
            rank = draw(st.integers(0, len(shape) - dim))
            masked = list(shape[dim : dim + rank])
            if wrong and masked:
                masked[-1] += 1
            items.append(draw(arrays("bool", tuple(masked))))
            dim += rank
            continue
        else:
            bound = st.none() | st.integers(-size - 2, size + 2)
            items.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, None, 1, 2, 3] + [-1] * wrong))))
        dim += 1
    if draw(st.integers(0, 3)) == 0:
        items.insert(draw(st.integers(0, len(items))), ...)
    if wrong and draw(st.booleans()):
        items.append(draw(st.sampled_from([0, 1.5, None, True, (0,), slice(0, 1)])))
    # A list of lists alone would be taken for a tuple of them, which minigrad refuses.
    nested = isinstance(items[0], list) and isinstance(items[0][0], list) if items else False
    if len(items) == 1 and not nested and draw(st.booleans()):
        return items[0]
    return tuple(items)


def index_of(api: Any, index: Any) -> Any:
    """A drawn index with tensors for its arrays."""
    if isinstance(index, tuple):
        return tuple([index_of(api, item) for item in index])
    return tensor_of(api, index) if isinstance(index, np.ndarray) else index


@MANY
@given(data=st.data())
def test_reading(data: st.DataObject) -> None:
    array = data.draw(arrays(st.sampled_from(DTYPES)), label="x")
    index = data.draw(indices(array.shape), label="index")
    requires_grad = data.draw(st.booleans(), label="requires_grad")
    x, y = tensor_of(torch, array, requires_grad), tensor_of(minigrad, array, requires_grad)
    wanted = outcome(lambda: x[index_of(torch, index)])
    got = outcome(lambda: y[index_of(minigrad, index)])
    if isinstance(wanted, Raised) and isinstance(got, Raised):
        # Which of several faults is told first is a choice; programs/refusals.md has the types of single ones.
        assert isinstance(got.error, IndexError | ValueError | TypeError)
        return
    if isinstance(got, Raised) and not isinstance(wanted, Raised) and wanted.numel() == 0:
        # PyTorch does not look at the ids where there is nothing to read.
        assert isinstance(got.error, IndexError)
        return
    if isinstance(wanted, Raised) or isinstance(got, Raised):
        check_same(wanted, got)
        return
    assert wanted.requires_grad == got.requires_grad
    check_same_values(array_of(wanted), array_of(got), where="x[index]")
    if wanted is not x:
        assert np.shares_memory(array_of(wanted), array_of(x)) == np.shares_memory(array_of(got), array_of(y))
    if not wanted.requires_grad:
        return
    g = data.draw(cotangents(tuple(wanted.shape), array.dtype.name), label="cotangent")
    pair = tensor_of(torch, g, True), tensor_of(minigrad, g, True)
    (first,) = torch.autograd.grad(wanted, x, pair[0], create_graph=True)
    (second,) = minigrad.autograd.grad(got, y, pair[1], create_graph=True)
    check_same_values(array_of(first), array_of(second), where="gradient")
    h = data.draw(cotangents(array.shape, array.dtype.name), label="second cotangent")
    (first,) = torch.autograd.grad(first, pair[0], tensor_of(torch, h))
    (second,) = minigrad.autograd.grad(second, pair[1], tensor_of(minigrad, h))
    check_same_values(array_of(first), array_of(second), where="gradient of the gradient")


@MANY
@given(data=st.data())
def test_writing(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(DTYPES), label="dtype")
    array = data.draw(arrays(dtype), label="x")
    index = data.draw(indices(array.shape), label="index")
    x, y = tensor_of(torch, array), tensor_of(minigrad, array)
    target = outcome(lambda: x[index_of(torch, index)])
    # Where no element is written, PyTorch looks at some of what is wrong with the write and not at all of it.
    assume(array.size and (isinstance(target, Raised) or target.numel()))
    sizes = () if isinstance(target, Raised) else tuple(target.shape)
    # Where an index names one place twice, which write is the last is nobody's promise: write one value there.
    # And where the index is wrong, a value that fits: which of two errors is the first is nobody's promise either.
    fitting = st.sampled_from([0, 2, True, 1.5])
    # Through a lone True PyTorch writes a value of any dtype, as through None.
    numbers = isinstance(target, Raised) or index is True
    value = data.draw(fitting if numbers else fitting | arrays(st.sampled_from(DTYPES), ()), label="value")
    if index is not True and (isinstance(index, int | slice) or index is None or index is ...):
        part = sizes[data.draw(st.integers(0, len(sizes)), label="leading sizes left out") :]
        part = tuple([data.draw(st.sampled_from([size, size, 1])) for size in part])
        value = data.draw(st.just(value) | arrays(st.sampled_from([dtype, "float32", "int64"]), part), label="value")
    wanted = outcome(lambda: operator.setitem(x, index_of(torch, index), index_of(torch, value)))
    got = outcome(lambda: operator.setitem(y, index_of(minigrad, index), index_of(minigrad, value)))
    check_same(wanted, got)
    # PyTorch has written the elements before the first wrong position, minigrad none.
    left = array if isinstance(wanted, Raised) else array_of(x)
    check_same_values(left, array_of(y), where="x after the write")
    assert x._version == y._version


@MANY
@given(data=st.data())
def test_a_write_to_a_part_of_a_recorded_tensor_is_recorded(data: st.DataObject) -> None:
    """Values, histories and gradients to order two of `x[index] = value`, of x and of its views."""
    array = data.draw(arrays("float32", shapes(min_dims=1, max_dims=3, min_side=1), contiguous=True), label="x")
    index = data.draw(indices(array.shape), label="index")
    target = outcome(lambda: tensor_of(torch, array)[index_of(torch, index)])
    assume(not isinstance(target, Raised) and target.numel() and not _names_a_place_twice(array.shape, index))
    shape = tuple(target.shape)
    part = shape[data.draw(st.integers(0, len(shape)), label="leading sizes left out") :]
    part = tuple([data.draw(st.sampled_from([size, size, 1])) for size in part])
    value = data.draw(arrays("float32", (1,) * data.draw(st.integers(0, 1)) + part), label="value")
    grads = data.draw(st.tuples(st.booleans(), st.booleans()), label="requires_grad")
    through_view = data.draw(st.booleans(), label="through a view")

    def written(api: Any) -> Any:
        leaves = tensor_of(api, array, grads[0]), tensor_of(api, value, grads[1])
        x = leaves[0] * 2
        other = x[0]
        (x[...] if through_view else x)[index_of(api, index)] = leaves[1] * 5
        return x, other, leaves

    def gradients(api: Any, x: Any, other: Any, leaves: Any) -> list[Any]:
        leaves = [leaf for leaf in leaves if leaf.requires_grad]
        loss = (x * x).sum() + (other * 3).sum()
        if not loss.requires_grad:
            return []
        how = {"allow_unused": True, "materialize_grads": True}
        first = api.autograd.grad(loss, leaves, create_graph=True, **how)
        along = [(each * each).sum() for each in first if each.requires_grad]
        return [*first, *(api.autograd.grad(sum(along), leaves, **how) if along else [])]

    (x, x_other, x_leaves), (y, y_other, y_leaves) = written(torch), written(minigrad)
    check_same(x, y)
    check_same_values(array_of(x_other), array_of(y_other))
    wanted, got = gradients(torch, x, x_other, x_leaves), gradients(minigrad, y, y_other, y_leaves)
    for a, b in zip(wanted, got, strict=False):
        check_same_values(array_of(a) + 0, array_of(b) + 0, 4)


def _names_a_place_twice(shape: tuple[int, ...], index: Any) -> bool:
    """Whether an index names one element of a tensor of `shape` several times."""
    numbers = torch.arange(int(np.prod(shape))).reshape(shape)[index_of(torch, index)].flatten()
    return len(numbers) != len(numbers.unique())
