"""How one parameter after the other moves: in blocks that stay in the cache, by formulas that several rules share.

Each rule works on NumPy arrays in the order of operations of PyTorch's loop over tensors, so that float32 results
differ by the rounding of fused multiply-adds at the most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigrad.core import dtypes
from minigrad.core.arrays import row_blocks
from minigrad.core.dtypes import Array
from minigrad.core.modes import enable_grad
from minigrad.core.tape import quiet
from minigrad.core.tensor import storage_of
from minigrad.ops.places import read_at, write_at
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor
from minigrad.tensors.options import new_leaf

Rate = float | Tensor

# What an option that may not be negative is called in errors; one that is called by its own name is not here.
_CALLED = {"lr": "learning rate", "eps": "epsilon value"}
_NOT_NEGATIVE = ("lr", "lr_decay", "rho", "alpha", "eps", "momentum", "weight_decay", "initial_accumulator_value")

# Arrays of at most as many elements are one block.
_SMALL = 2**16

_COMPUTED_IN = {np.dtype(each): np.promote_types(each, np.float32) for each in (np.float16, np.float32, np.float64)}


class ByParameter(Optimizer):
    """An optimiser whose parameters move one after the other, each by its gradient and what is remembered of it.

    The options of a subclass are the arguments of its `__init__`, which hands them all on to `_begin`; in `_move` it
    says how a parameter moves.  `foreach` and `fused` choose between PyTorch's ways to compute the same step: here
    there is one.
    """

    #: The options as PyTorch orders them in a state dict, where that is not the order of the arguments.
    _order: ClassVar[tuple[str, ...]] = ()

    def _begin(self, given: dict[str, Any]) -> None:
        """Check the options, all `given` arguments after `self` and `params`, and take them for the defaults."""
        options = {name: given[name] for name in self._order or [*given][2:]}
        for name, value in options.items():
            if name == "lr":
                _check_rate(value)
            if name in _NOT_NEGATIVE:
                refuse(not value >= 0.0, _CALLED.get(name, f"{name} value"), value)
            if name in ("capturable", "differentiable") and value:
                raise NotImplementedError(
                    f"{type(self).__name__}({name}=True) is not supported here: steps are neither captured for a GPU "
                    "nor recorded. Write the update as operations on tensors, parameter = parameter - lr * gradient"
                )
        for index, beta in enumerate(options.get("betas", ())):
            refuse(not 0.0 <= beta < 1.0, f"beta parameter at index {index}", beta)
        super().__init__(given["params"], options)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move each parameter that has a gradient; what `closure`, called before to compute the gradients, returned.

        Where one of them cannot move, none does.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        moving = []
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = parameter._grad
                if gradient is not None:
                    if not parameter._array.flags.writeable:
                        parameter._check_writable()
                    self._check_gradient(gradient.is_sparse, group)
                    moving.append((parameter, gradient, group))
        quiet().run(self._move_all, moving)
        return loss

    def _check_gradient(self, sparse: bool, group: Group) -> None:
        """Nothing if a parameter of the group can move by a sparse, or a dense, gradient; else a RuntimeError."""
        if sparse:
            raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _move_all(self, moving: list[tuple[Tensor, Any, Group]]) -> None:
        for parameter, gradient, group in moving:
            self._move(parameter, gradient, group)

    def _move(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Move one parameter by its gradient and the options of its group."""
        raise NotImplementedError

    def _remembered(self, parameter: Tensor, *names: str) -> tuple[float, list[Tensor]]:
        """The number of the step that begins, and the tensors remembered by these names, which are zeros at first."""
        state = self.state[parameter]
        if not state:
            state["step"] = step_counter()
            for name in names:
                state[name] = filled_like(parameter)
        elif not isinstance(state["step"], Tensor):  # It was loaded from a file of an older PyTorch.
            state["step"] = step_counter(state["step"])
        counter = state["step"]
        count: float = counter._array.item() + 1
        counter._array[()] = count
        wrote(counter)
        return count, [state[name] for name in names]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for option, default in self.defaults.items():
                group.setdefault(option, default)


# ---- options ---------------------------------------------------------------------------------------------------------


def _check_rate(lr: object) -> None:
    """Nothing if the learning rate is a number or has one element; else a TypeError or a ValueError."""
    if not isinstance(lr, Tensor | float | int | np.number):
        raise TypeError(f"the learning rate has to be a number or a tensor of one element, such as 1e-3, not {lr!r}")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, but it has shape {tuple(lr.shape)}")


def refuse(wrong: object, option: str, value: object) -> None:
    """A ValueError that names an option and its value, if that is `wrong`."""
    if wrong:
        raise ValueError(f"Invalid {option}: {value}")


def number(option: object) -> Any:
    """An option that may be a tensor of one element, as a Python number."""
    return option._array.item() if isinstance(option, Tensor) else option


# ---- what is remembered ----------------------------------------------------------------------------------------------


def step_counter(count: float = 0.0) -> Tensor:
    """The number of steps so far as PyTorch keeps it: a 0-d floating-point tensor."""
    wide = dtypes.get_default_dtype() is dtypes.float64
    return new_leaf(np.array(count, np.float64 if wide else np.float32))


def filled_like(parameter: Tensor, value: float = 0) -> Tensor:
    """A tensor of the shape, dtype and memory order of `parameter`, all of whose elements are `value`."""
    array = parameter._array
    if value or not array.flags.c_contiguous:
        return new_leaf(np.full_like(array, value))
    # The memory of np.zeros is taken when it is first written to: that of rows which never move, never.
    return new_leaf(np.zeros(array.shape, array.dtype))


def wrote(*tensors: Tensor) -> None:
    """Count a write in place to each of the tensors."""
    for tensor in tensors:
        storage_of(tensor).version += 1


# ---- arrays ----------------------------------------------------------------------------------------------------------

Kind = np.dtype[Any]


def computed_in(array: Array) -> Kind:
    """The dtype that arithmetic on `array` is done in, float32 for float16: `np.array(x, kind)` makes numbers for it.

    >>> computed_in(np.zeros(3, np.float16))
    dtype('float32')
    """
    return _COMPUTED_IN[array.dtype]


def blocks(buffers: int, *tensors: Tensor) -> list[list[Array]]:
    """Parts of the tensors' arrays, which have one shape, in blocks; each after `buffers` arrays to compute in.

    A step is many operations on few numbers each: done block by block, all but the first find them in the cache, and
    no temporary is as large as a parameter.
    """
    arrays = [tensor._array for tensor in tensors]
    first = arrays[0]
    if first.size <= _SMALL:
        return [[*[np.empty_like(first) for _ in range(buffers)], *arrays]]
    if all([array.flags.f_contiguous for array in arrays]):
        arrays = [array.T for array in arrays]
    if all([array.flags.c_contiguous for array in arrays]):
        arrays = [array.reshape(-1) for array in arrays]
    cuts = row_blocks(arrays[0])
    scratch = [np.empty_like(arrays[0][cuts[0]]) for _ in range(buffers)]
    return [
        [*[buffer[: min(cut.stop, len(arrays[0])) - cut.start] for buffer in scratch], *[each[cut] for each in arrays]]
        for cut in cuts
    ]


def descent(g: Array, w: Array, decay: float, maximize: bool, s: Array, kind: Kind) -> Array:
    """`g`, or `-g` to `maximize`, plus `decay * w`: the gradient `g` itself, or the sum in the buffer `s`."""
    if decay == 0:
        return np.negative(g, s) if maximize else g
    np.multiply(w, np.array(decay, kind), s)
    result: Array = (np.subtract if maximize else np.add)(s, g, s)
    return result


def average(mean: Array, new: Array, keep: float, s: Array, kind: Kind) -> None:
    """`mean += (1 - keep) * (new - mean)`, in the form that is exact at both ends."""
    np.subtract(new, mean, s)
    weight = np.array(1 - keep, kind)
    if weight.item() < 0.5:
        s *= weight
        mean += s
    else:
        s *= 1 - weight
        np.subtract(new, s, mean)


def average_square(mean: Array, new: Array, keep: float, s: Array, kind: Kind) -> None:
    """`mean = keep * mean + (1 - keep) * new * new`."""
    mean *= np.array(keep, kind)
    np.multiply(new, np.array(1 - keep, kind), s)
    s *= new
    mean += s


class Rows:
    """The rows that a sparse gradient has, of the tensors of its shape: each once, with the sum of its entries.

    What it costs to read and write them does not depend on how many other rows there are.
    """

    def __init__(self, gradient: Any) -> None:
        summed = gradient.coalesce()
        self.values: Array = summed._entries._array
        self._ids: Array = summed._ids()
        self._dims = tuple(range(summed.sparse_dim()))

    def of(self, tensor: Tensor) -> Array:
        """A copy of these rows of the tensor."""
        return read_at(tensor._array, self._dims, self._ids)

    def write(self, tensor: Tensor, rows: Array) -> None:
        """Let these rows of the tensor be `rows`."""
        write_at(tensor._array, self._dims, self._ids, rows)
        wrote(tensor)
